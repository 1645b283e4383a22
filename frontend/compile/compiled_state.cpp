// How a call finds its trace, and how a trace is made.
#include "frontend/compile/compiled_state.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <map>
#include <typeinfo>

#include "frontend/compile/argument_names.h"
#include "frontend/compile/explain.h"
#include "frontend/core/log.h"
#include "frontend/core/traced_arguments.h"
#include "runtime/execute/observe.h"

namespace frit::detail {

namespace {

// Traces of one function that are kept.
constexpr size_t kMaxEntries = 256;
// Explanations that are kept for `explain`.
constexpr size_t kMaxMisses = 64;
// Values of a number argument that are traced as constants before it becomes an input.
constexpr int kConstantTraces = 3;

// Throws the exception in flight again. One of frit's own types gains a note with the function's name; any other passes
// unchanged, one derived from frit's types too.
[[noreturn]] void rethrow_named(const std::string& name) {
  const auto named = [&]<class E>(const E& e) {
    const std::string traced = "raised while '" + name + "' was traced";
    throw E(e.message(), e.note().empty() ? traced : e.note() + " (" + traced + ")", e.file(), e.line());
  };
  try {
    throw;
  } catch (const InvalidArgument& e) {
    if (typeid(e) != typeid(InvalidArgument) && typeid(e) != typeid(NotProven)) throw;
    named(e);
  } catch (const OutOfRange& e) {
    if (typeid(e) != typeid(OutOfRange)) throw;
    named(e);
  } catch (const RuntimeError& e) {
    if (typeid(e) != typeid(RuntimeError)) throw;
    named(e);
  }
  std::abort();  // not reached: every branch throws
}

// "in [1, 64]", "as a multiple of 16", or both.
std::string bounds_text(const DimDeclaration& d) {
  std::string text;
  if (d.low != 0 || d.high != DimDeclaration::kMax || d.multiple == 1)
    text = "in [" + std::to_string(d.low) + ", " + std::to_string(d.high) + "]";
  if (d.multiple != 1) text += (text.empty() ? "" : " ") + ("as a multiple of " + std::to_string(d.multiple));
  return text;
}

std::string signature_text(const ShapeDtype& s) {
  std::string text = std::string(long_name(s.dtype)) + " (";
  for (size_t i = 0; i < s.shape.size(); ++i)
    text += (i ? "," : "") + (s.shape[i].name.empty() ? std::to_string(s.shape[i].value) : s.shape[i].name);
  return text + ")";
}

}  // namespace

CompiledState::CompiledState(std::shared_ptr<const void> closure, CompileOptions options)
    : closure_(std::move(closure)), options_(std::move(options)) {
  if (options_.name.empty()) options_.name = "compiled";
  if (options_.device && !is_available(*options_.device))
    throw InvalidArgument("compile: the device of '" + options_.name + "' is not available", "use Device::cpu");
  has_state_ = !options_.inputs.empty() || !options_.outputs.empty();
  open_ = options_.shapeless || !options_.dims.empty() || !options_.signature.empty();
  for (const DimDeclaration& d : options_.dims)
    if (d.name.empty() || d.low < 0 || d.low > d.high || d.multiple < 1 || d.high / d.multiple * d.multiple < d.low)
      throw InvalidArgument("compile: no size can be '" + d.name + "', a multiple of " + std::to_string(d.multiple) +
                                " in [" + std::to_string(d.low) + ", " + std::to_string(d.high) + "]",
                            "give a name, bounds of zero or more, and a divisor of one or more");
  for (const ShapeDtype& s : options_.signature)
    for (const DeclaredSize& d : s.shape)
      if (!d.name.empty() && !declaration(d.name)) options_.dims.emplace_back(d.name);
}

std::vector<array> CompiledState::call_closure(const Call& call, Structure& structure) const {
  std::vector<array> leaves, results;
  leaves.reserve(call.arrays.size());
  for (const array* a : call.arrays) leaves.push_back(*a);
  Reader in(structure_of(call), leaves);
  call.fn(closure_.get(), in, results, structure);
  return results;
}

const DimDeclaration* CompiledState::declaration(const std::string& name) const {
  for (const DimDeclaration& d : options_.dims)
    if (d.name == name) return &d;
  return nullptr;
}

void CompiledState::check_declared(const Call& call) const {
  const auto& signature = options_.signature;
  if (signature.empty()) return;
  const auto refuse = [&](const std::string& what, std::string note) {
    throw InvalidArgument(options_.name + ": " + what, std::move(note));
  };
  const size_t given = call.arrays.size() - call.captured - options_.inputs.arrays().size();
  if (given != signature.size())
    refuse("there are " + std::to_string(given) + " arrays, but the signature declares " +
               std::to_string(signature.size()),
           "call it with as many arrays as are declared");
  std::map<std::string, int64_t> sizes;
  for (size_t i = 0; i < signature.size(); ++i) {
    const Node& node = *node_of(*call.arrays[i]);
    const std::string what = "argument " + std::to_string(i) + " is " + type_text(node.dtype, node.shape) +
                             ", but it is declared as " + signature_text(signature[i]);
    if (node.dtype != signature[i].dtype || node.shape.size() != signature[i].shape.size())
      refuse(what, "convert or reshape it, or declare another signature");
    for (size_t axis = 0; axis < node.shape.size(); ++axis) {
      const DeclaredSize& d = signature[i].shape[axis];
      const int64_t n = node.shape[axis];
      if (d.name.empty()) {
        if (n != d.value) refuse(what, "axis " + std::to_string(axis) + " has to be " + std::to_string(d.value));
        continue;
      }
      const DimDeclaration& bounds = *declaration(d.name);
      if (n < bounds.low || n > bounds.high || n % bounds.multiple != 0)
        refuse(what, "'" + d.name + "' is declared " + bounds_text(bounds));
      if (const auto [known, fresh] = sizes.emplace(d.name, n); !fresh && known->second != n)
        refuse(what, "'" + d.name + "' is " + std::to_string(known->second) + " in an earlier axis");
    }
  }
}

// ---- Looking up

std::shared_ptr<CompiledEntry> CompiledState::find(uint64_t hash, const Call& call, SymbolValues& symbols) {
  auto [first, last] = entries_.equal_range(hash);
  for (; first != last; ++first) {
    CompiledEntry& entry = *first->second;
    if (entry.mode() != get_compile_mode() || !matches(entry.signature(), call) || !entry.admits(call.arrays, symbols))
      continue;
    entry.last_used.store(clock_.fetch_add(1, std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    return first->second;
  }
  return nullptr;
}

std::shared_ptr<CompiledEntry> CompiledState::entry_for(const Call& call, SymbolValues& symbols) {
  const uint64_t hash = signature_hash(call, open_);
  {
    std::shared_lock<std::shared_mutex> guard(mutex_);
    if (auto entry = find(hash, call, symbols)) {
      counters_->hits.fetch_add(1, std::memory_order_relaxed);
      return entry;
    }
  }
  check_declared(call);
  std::unique_lock<std::shared_mutex> guard(mutex_);
  for (;;) {
    if (auto entry = find(hash, call, symbols)) {
      counters_->hits.fetch_add(1, std::memory_order_relaxed);
      return entry;
    }
    const bool busy = std::any_of(tracing_.begin(), tracing_.end(),
                                  [&](const Signature* s) { return s->hash == hash && matches(*s, call); });
    if (!busy) break;
    traced_.wait(guard);
  }
  account_for_miss(call);
  auto entry = make_entry(request_for(call), guard);
  if (!entry->admits(call.arrays, symbols))
    throw RuntimeError(options_.name + ": the trace for these arguments does not serve them",
                       "please report this as a bug of frit");
  return entry;
}

std::shared_ptr<CompiledEntry> CompiledState::make_entry(Request request, std::unique_lock<std::shared_mutex>& guard) {
  const Signature signature = request.signature;
  tracing_.push_back(&signature);
  const auto done = [&] {
    tracing_.erase(std::find(tracing_.begin(), tracing_.end(), &signature));
    traced_.notify_all();
  };
  guard.unlock();
  const runtime::Span span("trace", options_.name);
  std::shared_ptr<CompiledEntry> entry;
  const auto start = std::chrono::steady_clock::now();
  try {
    entry = trace_open_or_fixed(std::move(request));
  } catch (...) {
    guard.lock();
    done();
    guard.unlock();
    rethrow_named(options_.name);
  }
  counters_->trace_ns.fetch_add((std::chrono::steady_clock::now() - start).count(), std::memory_order_relaxed);
  guard.lock();
  done();
  entry->device = options_.device;
  entry->number = counters_->traces.fetch_add(1, std::memory_order_relaxed) + 1;
  count_trace();
  entry->last_used.store(++clock_, std::memory_order_relaxed);
  entries_.emplace(signature.hash, entry);
  if (entries_.size() > kMaxEntries) drop_oldest();
  return entry;
}

void CompiledState::drop_oldest() {
  auto oldest = entries_.begin();
  for (auto it = entries_.begin(); it != entries_.end(); ++it)
    if (it->second->last_used.load(std::memory_order_relaxed) <
        oldest->second->last_used.load(std::memory_order_relaxed))
      oldest = it;
  entries_.erase(oldest);
}

// ---- Misses

void CompiledState::account_for_miss(const Call& call) {
  const CompiledEntry* nearest = nullptr;
  Difference least;
  for (const auto& [hash, entry] : entries_) {
    if (entry->mode() != get_compile_mode()) continue;
    Difference d = difference(call, *entry);
    // Of equally near entries the one used last is compared with.
    if (nearest && (d.distance > least.distance ||
                    (d.distance == least.distance && entry->last_used.load(std::memory_order_relaxed) <
                                                         nearest->last_used.load(std::memory_order_relaxed))))
      continue;
    nearest = entry.get();
    least = std::move(d);
  }
  if (!nearest) return;
  if (options_.strict && least.sizes_only)
    throw InvalidArgument(options_.name + ": " + least.what,
                          least.cure.empty() ? "call it with sizes that fit, or leave strict out" : least.cure);
  const size_t traces = trace_count() + 1;
  std::string line = options_.name + ": traced again (" + ordinal(traces) + "): " + least.what +
                     (least.cure.empty() ? "" : "; " + least.cure);
  if (options_.max_traces && traces > options_.max_traces)
    throw InvalidArgument(options_.name + ": one trace more than the " + std::to_string(options_.max_traces) +
                              " allowed is needed: " + least.what,
                          least.cure);
  if (least.number_only) {
    // The structure numbers them among the numbers for array parameters.
    if (++number_changes_[static_cast<uint32_t>(least.number)] >= kConstantTraces && least.number < 64) {
      promoted_.fetch_or(uint64_t{1} << least.number, std::memory_order_relaxed);
      line += "; it is an input from the next call on";
    }
  }
  if (!own_) log(Topic::Recompiles, line);
  misses_.push_back(std::move(line));
  if (misses_.size() > kMaxMisses) misses_.pop_front();
}

// ---- Tracing

ir::Type CompiledState::open_type(const array& a, size_t index, const std::string& name, SizeTrace& sizes) const {
  const Node& node = *node_of(a);
  ir::Type type{node.dtype, {}};
  const bool declared = index < options_.signature.size();
  for (size_t axis = 0; axis < node.shape.size(); ++axis) {
    const int64_t n = node.shape[axis];
    const auto add = [&](const std::string& name) {
      type.shape.push_back(sizes.add(name, n, static_cast<uint32_t>(index), static_cast<uint32_t>(axis)));
    };
    if (declared && !options_.signature[index].shape[axis].name.empty()) {
      const DimDeclaration& d = *declaration(options_.signature[index].shape[axis].name);
      add(d.name);
      sizes.declare(d.name, {d.low, d.high}, d.multiple);
    } else if (options_.shapeless && !declared) {
      add(name + "_" + std::to_string(axis));
    } else {
      type.shape.emplace_back(n);
    }
  }
  return type;
}

CompiledState::Request CompiledState::request_for(const Call& call) const {
  Request request{make_signature(call, open_), {}, argument_names(call, options_.inputs), nullptr};
  if (open_) request.sizes = std::make_unique<SizeTrace>(options_.name, true);
  for (size_t i = 0; i < call.arrays.size(); ++i)
    request.types.push_back(open_ ? open_type(*call.arrays[i], i, request.names[i], *request.sizes)
                                  : to_type(*node_of(*call.arrays[i])));
  return request;
}

CompiledState::Request CompiledState::request_ahead(ClosureFn fn, std::span<const ShapeDtype> arguments) const {
  if (!options_.inputs.empty())
    throw InvalidArgument(options_.name + ": a function with captured state cannot be compiled without data",
                          "call it once instead");
  const auto& signature = options_.signature;
  if (!signature.empty() && signature.size() != arguments.size())
    throw InvalidArgument(options_.name + ": " + std::to_string(arguments.size()) +
                              " arguments are given, but the signature declares " + std::to_string(signature.size()),
                          "give one for each argument");
  Request request;
  request.signature.fn = fn;
  request.signature.open = open_;
  request.sizes = std::make_unique<SizeTrace>(options_.name, false);
  for (size_t i = 0; i < arguments.size(); ++i) {
    ir::Type type{arguments[i].dtype, {}};
    Shape shape;
    for (size_t axis = 0; axis < arguments[i].shape.size(); ++axis) {
      const DeclaredSize& d = arguments[i].shape[axis];
      if (d.name.empty()) {
        if (d.value < 0 || d.value > std::numeric_limits<ShapeElem>::max())
          throw InvalidArgument(options_.name + ": argument " + std::to_string(i) + " has an axis of " +
                                    std::to_string(d.value) + " elements",
                                "give sizes from 0 to 2147483647");
        type.shape.emplace_back(d.value);
        shape.push_back(static_cast<ShapeElem>(d.value));
        continue;
      }
      const DimDeclaration* found = declaration(d.name);
      if (!found && !options_.shapeless)
        throw InvalidArgument(
            options_.name + ": the size '" + d.name + "' of argument " + std::to_string(i) + " is not declared",
            "declare it in CompileOptions::dims, or pass shapeless");
      const DimDeclaration bounds = found ? *found : DimDeclaration(d.name);
      const bool known = request.sizes->is_declared(d.name);
      type.shape.push_back(
          request.sizes->add(d.name, std::nullopt, static_cast<uint32_t>(i), static_cast<uint32_t>(axis)));
      if (!known) request.sizes->declare(d.name, {bounds.low, bounds.high}, bounds.multiple);
      shape.push_back(kUnknownSize);
    }
    request.types.push_back(std::move(type));
    request.signature.arguments.emplace_back(arguments[i].dtype, std::move(shape));
    request.signature.declared.push_back(signature_text(arguments[i]));
  }
  request.signature.hash = signature_hash(request.signature);
  if (!open_) request.sizes.reset();
  return request;
}

std::shared_ptr<CompiledEntry> CompiledState::entry_ahead(ClosureFn fn, std::span<const ShapeDtype> arguments) {
  Request request = request_ahead(fn, arguments);
  const Signature& wanted = request.signature;
  const auto same = [&](const Signature& s) {
    if (s.hash != wanted.hash || s.fn != wanted.fn || !s.structure.parts.empty()) return false;
    return s.declared == wanted.declared || (!wanted.open && s.arguments == wanted.arguments);
  };
  std::unique_lock<std::shared_mutex> guard(mutex_);
  for (;;) {
    auto [first, last] = entries_.equal_range(wanted.hash);
    for (; first != last; ++first) {
      const CompiledEntry& entry = *first->second;
      if (entry.mode() == get_compile_mode() && same(entry.signature()) &&
          (!entry.sizes() || !entry.sizes()->has_data()))
        return first->second;
    }
    if (std::none_of(tracing_.begin(), tracing_.end(), [&](const Signature* s) { return same(*s); })) break;
    traced_.wait(guard);
  }
  return make_entry(std::move(request), guard);
}

std::shared_ptr<CompiledEntry> CompiledState::trace_open_or_fixed(Request request) {
  // A strict function reports the size that it cannot leave open. Without data there are no numbers to fall back on.
  if (!request.sizes || !request.sizes->has_data() || options_.strict) return trace(std::move(request));
  Request fixed{request.signature, {}, request.names, nullptr};
  for (const auto& [dtype, shape] : request.signature.arguments)
    fixed.types.push_back({dtype, {shape.begin(), shape.end()}});
  try {
    return trace(std::move(request));
  } catch (...) {
    // A closure in another language may have put another exception in the place of this one.
    if (!request.sizes->not_proven()) throw;
  }
  const NotProven& e = *request.sizes->not_proven();
  auto entry = trace(std::move(fixed));
  entry->fixed_because = e.message() + (e.file().empty() ? "" : " at " + e.file() + ":" + std::to_string(e.line()));
  if (!own_) log(Topic::Recompiles, options_.name + ": traced for these sizes alone: " + entry->fixed_because);
  return entry;
}

std::shared_ptr<CompiledEntry> CompiledState::trace(Request&& request) {
  const uint64_t id = new_trace_id();
  std::vector<NodePtr> placeholders;
  std::optional<StateAside> aside(std::in_place, options_.inputs, options_.outputs);
  const std::vector<array*> read = options_.inputs.arrays();
  std::vector<NodePtr> results;
  size_t user_results;
  Structure structure;
  TracedFunction traced;
  {
    const TraceScope scope(id, request.sizes.get());
    const CompileScope compiling(options_.name);
    const TracedArguments named(placeholders, request.names);
    request.names.resize(request.types.size());
    for (size_t i = 0; i < request.names.size(); ++i)
      if (request.names[i].empty()) request.names[i] = parameter_name(i, request.names.size());
    for (const ir::Type& type : request.types) placeholders.push_back(make_placeholder(options_.name, id, type));
    const size_t count = placeholders.size() - read.size();
    std::vector<array> arguments, outputs;
    for (size_t i = 0; i < count; ++i) arguments.push_back(array_of(placeholders[i]));
    for (size_t i = 0; i < read.size(); ++i) *read[i] = array_of(placeholders[count + i]);
    Reader in(request.signature.structure, arguments);
    request.signature.fn(closure_.get(), in, outputs, structure);
    for (const array& a : outputs) results.push_back(node_of(a));
    user_results = results.size();
    for (array* a : options_.outputs.arrays()) results.push_back(node_of(*a));
    traced = build_function(options_.name, id, placeholders, results, request.sizes.get(), Captures::Evaluated,
                            request.names);
  }
  aside.reset();
  auto entry = std::make_shared<CompiledEntry>(std::move(request.signature), std::move(traced),
                                               std::move(request.sizes), get_compile_mode(), counters_);
  entry->user_results = user_results;
  entry->result_structure = std::move(structure);
  return entry;
}

// ---- Reports

std::vector<std::shared_ptr<CompiledEntry>> CompiledState::entries() const {
  std::vector<std::shared_ptr<CompiledEntry>> held;
  {
    const std::shared_lock<std::shared_mutex> guard(mutex_);
    for (const auto& [hash, entry] : entries_) held.push_back(entry);
  }
  std::sort(held.begin(), held.end(), [](const auto& a, const auto& b) { return a->number < b->number; });
  return held;
}

void CompiledState::clear() {
  std::unique_lock<std::shared_mutex> guard(mutex_);
  entries_.clear();
}

size_t CompiledState::cache_size() const {
  std::shared_lock<std::shared_mutex> guard(mutex_);
  return entries_.size();
}

FunctionStats CompiledState::stats() const {
  const auto load = [](const auto& counter) { return counter.load(std::memory_order_relaxed); };
  FunctionStats s;
  s.calls = load(counters_->calls);
  s.hits = load(counters_->hits);
  s.traces = load(counters_->traces);
  s.compiles = load(counters_->compiles);
  s.entries = cache_size();
  s.trace_ms = static_cast<double>(load(counters_->trace_ns)) / 1e6;
  s.compile_ms = static_cast<double>(load(counters_->compile_ns)) / 1e6;
  return s;
}

std::vector<std::string> CompiledState::misses() const {
  const std::shared_lock<std::shared_mutex> guard(mutex_);
  return {misses_.begin(), misses_.end()};
}

std::string CompiledState::explain() const {
  const FunctionStats s = stats();
  char times[96];
  std::snprintf(times, sizeof times, "; tracing took %.2f ms, compiling %.2f ms\n", s.trace_ms, s.compile_ms);
  std::string text = options_.name + ": " + std::to_string(s.calls) + " calls, " + std::to_string(s.hits) + " hits, " +
                     std::to_string(s.traces) + " traces, " + std::to_string(s.compiles) + " code generations" + times;
  for (const auto& entry : entries())
    text += "trace " + std::to_string(entry->number) + ": " + describe(*entry) + describe_kept(*entry);
  for (const std::string& miss : misses()) text += miss + "\n";
  return text;
}

}  // namespace frit::detail
