#include "codegen/backend.h"
#include "frontend/frit/compile.h"

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <shared_mutex>
#include <typeinfo>

#include "frontend/compiled_entry.h"
#include "ir/kernel_printer.h"
#include "ir/printer.h"
#include "ir/program.h"
#include "passes/pass.h"

namespace frit {

namespace {

CompileMode initial_mode() {
  const char* text = std::getenv("FRIT_DISABLE_COMPILE");
  return text && *text && std::string_view(text) != "0" ? CompileMode::disabled : CompileMode::enabled;
}

std::atomic<CompileMode>& mode_slot() {
  static std::atomic<CompileMode> mode{initial_mode()};
  return mode;
}

}  // namespace

void disable_compile() { set_compile_mode(CompileMode::disabled); }
void enable_compile() { set_compile_mode(CompileMode::enabled); }
void set_compile_mode(CompileMode mode) { mode_slot().store(mode, std::memory_order_relaxed); }
namespace {
std::atomic<size_t> g_traces{0};
}

CompileStats compile_stats() {
  const detail::CodeCacheStats code = detail::code_cache_stats();
  return {g_traces.load(std::memory_order_relaxed), code.misses, code.hits, code.entries};
}

CompileMode get_compile_mode() { return mode_slot().load(std::memory_order_relaxed); }

State& State::add(array& a) {
  parts_.push_back([at = &a](std::vector<array*>& out) { out.push_back(at); });
  return *this;
}
State& State::add(std::vector<array>& arrays) {
  parts_.push_back([at = &arrays](std::vector<array*>& out) {
    for (array& a : *at) out.push_back(&a);
  });
  return *this;
}
State& State::add(std::map<std::string, array>& arrays) {
  parts_.push_back([at = &arrays](std::vector<array*>& out) {
    for (auto& [name, a] : *at) out.push_back(&a);
  });
  return *this;
}
State& State::add(std::unordered_map<std::string, array>& arrays) {
  parts_.push_back([at = &arrays](std::vector<array*>& out) {
    std::map<std::string_view, array*> sorted;
    for (auto& [name, a] : *at) sorted.emplace(name, &a);
    for (auto& [name, a] : sorted) out.push_back(a);
  });
  return *this;
}
std::vector<array*> State::arrays() const {
  std::vector<array*> out;
  for (const auto& part : parts_) part(out);
  return out;
}

namespace detail {

namespace {

// Traces of one function that are kept; the least recently used go first.
constexpr size_t kMaxEntries = 256;

// Puts state back when a trace is over, however it ends.
class SavedState {
 public:
  SavedState(const State& inputs, const State& outputs) {
    for (array* a : inputs.arrays()) saved_.emplace_back(a, *a);
    for (array* a : outputs.arrays()) saved_.emplace_back(a, *a);
  }
  ~SavedState() { restore(); }
  void restore() {
    // The first copy of an array that is listed twice is the oldest.
    for (size_t i = saved_.size(); i-- > 0;) *saved_[i].first = saved_[i].second;
  }

 private:
  std::vector<std::pair<array*, array>> saved_;
};

// The exception in flight again, with the function's name when it is one whose type can carry it.
[[noreturn]] void rethrow_named(const std::string& name) {
  const std::string traced = "raised while '" + name + "' was traced";
  const auto note = [&](const Error& e) { return e.note().empty() ? traced : e.note() + " (" + traced + ")"; };
  const auto plain = [&](const std::exception& e) { return "'" + name + "': " + e.what(); };
  try {
    throw;
  } catch (const InvalidArgument& e) {
    throw InvalidArgument(e.message(), note(e), e.file(), e.line());
  } catch (const OutOfRange& e) {
    throw OutOfRange(e.message(), note(e), e.file(), e.line());
  } catch (const RuntimeError& e) {
    throw RuntimeError(e.message(), note(e), e.file(), e.line());
  } catch (const std::invalid_argument& e) {
    if (typeid(e) == typeid(std::invalid_argument)) throw InvalidArgument(plain(e));
    throw;
  } catch (const std::out_of_range& e) {
    if (typeid(e) == typeid(std::out_of_range)) throw OutOfRange(plain(e));
    throw;
  } catch (const std::runtime_error& e) {
    if (typeid(e) == typeid(std::runtime_error)) throw RuntimeError(plain(e));
    throw;
  }
}

}  // namespace

class CompiledState {
 public:
  CompiledState(std::shared_ptr<const void> closure, ClosureFn fn, CompileOptions options)
      : closure_(std::move(closure)), fn_(fn), options_(std::move(options)) {
    if (options_.name.empty()) options_.name = "compiled";
    if (options_.shapeless)
      throw InvalidArgument("compile: shapeless functions are not supported yet",
                            "leave shapeless out: the function is traced again for every new shape");
    if (!is_available(options_.device))
      throw InvalidArgument("compile: the device of '" + options_.name + "' is not available", "use Device::cpu");
    has_state_ = !options_.inputs.empty() || !options_.outputs.empty();
  }

  const std::string& name() const { return options_.name; }
  bool has_state() const { return has_state_; }
  const CompileOptions& options() const { return options_; }

  std::vector<array> call_closure(std::span<const array* const> arguments) const {
    std::vector<array> list;
    list.reserve(arguments.size());
    for (const array* a : arguments) list.push_back(*a);
    return fn_(closure_.get(), list);
  }

  // The entry for these arguments (state included), traced by this thread or another.
  std::shared_ptr<CompiledEntry> entry_for(std::span<const array* const> arguments) {
    const uint64_t hash = signature_hash(arguments);
    {
      std::shared_lock<std::shared_mutex> guard(mutex_);
      if (auto entry = find(hash, arguments)) return entry;
    }
    std::unique_lock<std::shared_mutex> guard(mutex_);
    for (;;) {
      if (auto entry = find(hash, arguments)) return entry;
      const bool busy = std::any_of(tracing_.begin(), tracing_.end(), [&](const Signature* s) {
        return s->hash == hash && matches(*s, arguments);
      });
      if (!busy) break;
      traced_.wait(guard);
    }
    Signature signature = make_signature(arguments);
    tracing_.push_back(&signature);
    guard.unlock();
    std::shared_ptr<CompiledEntry> entry;
    try {
      entry = trace(signature);
    } catch (...) {
      guard.lock();
      done_tracing(&signature);
      guard.unlock();
      rethrow_named(options_.name);
    }
    guard.lock();
    done_tracing(&signature);
    ++trace_count_;
    g_traces.fetch_add(1, std::memory_order_relaxed);
    entry->last_used.store(++clock_, std::memory_order_relaxed);
    entries_.emplace(hash, entry);
    if (entries_.size() > kMaxEntries) drop_oldest();
    return entry;
  }

  void clear() {
    std::unique_lock<std::shared_mutex> guard(mutex_);
    entries_.clear();
  }
  size_t cache_size() const {
    std::shared_lock<std::shared_mutex> guard(mutex_);
    return entries_.size();
  }
  size_t trace_count() const {
    std::shared_lock<std::shared_mutex> guard(mutex_);
    return trace_count_;
  }

 private:
  std::shared_ptr<CompiledEntry> find(uint64_t hash, std::span<const array* const> arguments) {
    auto [first, last] = entries_.equal_range(hash);
    for (; first != last; ++first)
      if (first->second->mode() == get_compile_mode() && matches(first->second->signature(), arguments)) {
        first->second->last_used.store(clock_.fetch_add(1, std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        return first->second;
      }
    return nullptr;
  }

  void done_tracing(const Signature* signature) {
    tracing_.erase(std::find(tracing_.begin(), tracing_.end(), signature));
    traced_.notify_all();
  }

  void drop_oldest() {
    auto oldest = entries_.begin();
    for (auto it = entries_.begin(); it != entries_.end(); ++it)
      if (it->second->last_used.load(std::memory_order_relaxed) < oldest->second->last_used.load(std::memory_order_relaxed))
        oldest = it;
    entries_.erase(oldest);
  }

  std::shared_ptr<CompiledEntry> trace(const Signature& signature) {
    const uint64_t id = new_trace_id();
    std::vector<NodePtr> placeholders;
    for (const auto& [dtype, shape] : signature.arguments)
      placeholders.push_back(make_placeholder(options_.name, id, dtype, shape, std::source_location()));
    SavedState saved(options_.inputs, options_.outputs);
    const std::vector<array*> read = options_.inputs.arrays();
    const size_t count = placeholders.size() - read.size();
    std::vector<NodePtr> results;
    size_t user_results;
    {
      TraceScope scope(id);
      std::vector<array> arguments;
      for (size_t i = 0; i < count; ++i) arguments.push_back(array(placeholders[i]));
      for (size_t i = 0; i < read.size(); ++i) *read[i] = array(placeholders[count + i]);
      const std::vector<array> outputs = fn_(closure_.get(), arguments);
      for (const array& a : outputs) results.push_back(a.node());
      user_results = results.size();
      for (array* a : options_.outputs.arrays()) results.push_back(a->node());
    }
    saved.restore();
    auto entry = std::make_shared<CompiledEntry>(signature, build_function(options_.name, id, placeholders, results),
                                                 get_compile_mode());
    entry->user_results = user_results;
    return entry;
  }

  const std::shared_ptr<const void> closure_;
  const ClosureFn fn_;
  CompileOptions options_;
  bool has_state_ = false;

  mutable std::shared_mutex mutex_;
  std::condition_variable_any traced_;
  std::vector<const Signature*> tracing_;
  std::unordered_multimap<uint64_t, std::shared_ptr<CompiledEntry>> entries_;
  std::atomic<uint64_t> clock_{0};
  size_t trace_count_ = 0;
};

CompiledBase::CompiledBase(std::shared_ptr<const void> closure, ClosureFn fn, CompileOptions options)
    : state_(std::make_shared<CompiledState>(std::move(closure), fn, std::move(options))) {}

void CompiledBase::clear() const { state_->clear(); }
size_t CompiledBase::cache_size() const { return state_->cache_size(); }
size_t CompiledBase::trace_count() const { return state_->trace_count(); }
const std::string& CompiledBase::name() const { return state_->name(); }

namespace {

bool runs_as_it_is() { return current_trace() != 0 || get_compile_mode() == CompileMode::disabled; }

// The lazy call: one operation, one node for each result.
std::shared_ptr<CallOperation> make_call(std::shared_ptr<CompiledEntry> entry, std::span<const array* const> arguments) {
  auto operation = std::make_shared<CallOperation>(std::move(entry), std::source_location());
  std::vector<NodePtr> inputs;
  inputs.reserve(arguments.size());
  for (const array* a : arguments) inputs.push_back(a->node());
  set_inputs(*operation, std::move(inputs));
  operation->results.reserve(operation->entry->results().size());
  return operation;
}

NodePtr next_result(const std::shared_ptr<CallOperation>& operation) {
  const auto& [dtype, shape] = operation->entry->results()[operation->results.size()];
  return attach(operation, dtype, shape);
}

}  // namespace

std::vector<array> CompiledBase::call(std::span<const array* const> arguments) const {
  if (runs_as_it_is()) return state_->call_closure(arguments);
  std::vector<const array*> with_state;
  if (state_->has_state()) {
    with_state.assign(arguments.begin(), arguments.end());
    for (array* a : state_->options().inputs.arrays()) with_state.push_back(a);
    arguments = with_state;
  }
  auto operation = make_call(state_->entry_for(arguments), arguments);
  std::vector<array> results;
  results.reserve(operation->entry->user_results);
  for (size_t i = 0; i < operation->entry->user_results; ++i) results.push_back(array(next_result(operation)));
  if (state_->has_state())
    for (array* a : state_->options().outputs.arrays()) *a = array(next_result(operation));
  return results;
}

array CompiledBase::call_single(std::span<const array* const> arguments) const {
  if (state_->has_state() || runs_as_it_is()) return std::move(call(arguments)[0]);
  return array(next_result(make_call(state_->entry_for(arguments), arguments)));
}

Inspection CompiledBase::inspect(std::span<const array* const> arguments) const {
  std::vector<const array*> with_state(arguments.begin(), arguments.end());
  for (array* a : state_->options().inputs.arrays()) with_state.push_back(a);
  const auto entry = state_->entry_for(with_state);
  const std::source_location nowhere;
  Inspection inspection;
  ir::Function f = entry->traced().function;
  f.canonicalize_order();
  inspection.ir = ir::print(f);
  const auto lower = [&](std::string_view text) {
    auto pipeline = passes::Pipeline::parse(text);
    if (!pipeline) throw_runtime(pipeline.error(), nowhere);
    passes::PassContext context;
    context.fuse = get_compile_mode() != CompileMode::no_fuse;
    // The kernels are shown as they are scheduled for this machine.
    const codegen::Target target;
    auto backend = codegen::find_backend(target.backend);
    if (!backend) throw_runtime(backend.error(), nowhere);
    auto traits = (*backend)->traits(target);
    if (!traits) throw_runtime(traits.error(), nowhere);
    context.target = *traits;
    ir::Function g = entry->traced().function;
    if (Status status = passes::run(*pipeline, g, context); !status) throw_runtime(status.error(), nowhere);
    return g;
  };
  inspection.optimised = ir::print(lower(graph_pipeline_text(get_compile_mode())));
  const ir::Function lowered = lower("default");
  if (lowered.program) {
    inspection.kernels = ir::print(*lowered.program, lowered.name);
    inspection.kernel_count = static_cast<int>(lowered.program->steps.size());
  }
  return inspection;
}

}  // namespace detail

namespace {

using ListFn = std::function<std::vector<array>(const std::vector<array>&)>;

std::vector<const array*> pointers(const std::vector<array>& arrays) {
  std::vector<const array*> out;
  out.reserve(arrays.size());
  for (const array& a : arrays) out.push_back(&a);
  return out;
}

}  // namespace

CompiledFunction::CompiledFunction(ListFn fn, CompileOptions options)
    : CompiledBase(
          std::make_shared<const ListFn>(std::move(fn)),
          [](const void* closure, std::span<const array> arguments) {
            return (*static_cast<const ListFn*>(closure))(std::vector<array>(arguments.begin(), arguments.end()));
          },
          std::move(options)) {}

std::vector<array> CompiledFunction::operator()(const std::vector<array>& inputs) const { return call(pointers(inputs)); }
Inspection CompiledFunction::lower(const std::vector<array>& inputs) const { return inspect(pointers(inputs)); }

CompiledFunction compile(ListFn fn, CompileOptions options) { return CompiledFunction(std::move(fn), std::move(options)); }
CompiledFunction compile(ListFn fn, bool shapeless) {
  CompileOptions options;
  options.shapeless = shapeless;
  return CompiledFunction(std::move(fn), std::move(options));
}

}  // namespace frit
