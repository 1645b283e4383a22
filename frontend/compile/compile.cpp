// compile(): the modes of the process, captured state, and calls of compiled functions.
#include "frontend/frit/compile.h"

#include <cstdlib>
#include <map>

#include "codegen/core/backend.h"
#include "codegen/core/facts.h"
#include "frontend/compile/compiled_state.h"
#include "frontend/compile/report.h"
#include "frontend/eager/code_store.h"
#include "ir/kernel/program.h"
#include "ir/text/kernel_printer.h"
#include "ir/text/printer.h"
#include "passes/manager/pass.h"

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

namespace {

using detail::Structure;

}  // namespace

State& State::add(array& a) {
  return add(a, [](array& at, std::vector<array*>& out, Structure&) { out.push_back(&at); });
}
State& State::add(std::unordered_map<std::string, array>& arrays) {
  return add(arrays, [](auto& map, std::vector<array*>& out, Structure& structure) {
    std::map<std::string_view, array*> by_name;
    for (auto& [name, a] : map) by_name.emplace(name, &a);
    structure.add(detail::Part::Kind::map, by_name.size());
    for (const auto& [name, a] : by_name) {
      structure.add_key(name);
      out.push_back(a);
    }
  });
}
std::vector<array*> State::arrays() const {
  Structure structure;
  return detail::state_arrays(*this, structure);
}
std::vector<array*> detail::state_arrays(const State& state, Structure& structure) {
  std::vector<array*> out;
  for (const auto& part : state.parts_) part.list(out, structure);
  return out;
}

namespace detail {

StateAside::StateAside(const State& inputs, const State& outputs) {
  for (const State* state : {&inputs, &outputs})
    for (const auto& part : state->parts_) restore_.push_back(part.set_aside());
}
StateAside::~StateAside() {
  // Backwards: of a tree that is listed twice, the first copy is the oldest.
  for (size_t i = restore_.size(); i-- > 0;) restore_[i]();
}

void count_trace() { g_traces.fetch_add(1, std::memory_order_relaxed); }

void refuse_null_function() {
  throw InvalidArgument("compile: the function is null", "give a function that can be called");
}

CompiledBase::CompiledBase(std::shared_ptr<const void> closure, CompileOptions options)
    : state_(std::make_shared<CompiledState>(std::move(closure), std::move(options))) {
  if (!state_->is_own()) remember_for_report(state_);
}

std::shared_ptr<CompiledState> CompiledBase::state() const {
  if (!state_)
    throw InvalidArgument("compile: the compiled function is empty", "assign to it what compile() returns first");
  return state_;
}

void CompiledBase::clear() const { state()->clear(); }
size_t CompiledBase::cache_size() const { return state()->cache_size(); }
size_t CompiledBase::trace_count() const { return state()->trace_count(); }
FunctionStats CompiledBase::stats() const { return state()->stats(); }
std::string CompiledBase::explain() const { return state()->explain(); }
void CompiledBase::report(const std::string& path) const { write_report(*state(), path); }
const std::string& CompiledBase::name() const { return state()->name(); }
uint64_t CompiledBase::promoted() const { return state()->promoted(); }
const std::vector<ShapeDtype>& CompiledBase::signature() const { return state()->options().signature; }

namespace {

bool runs_as_it_is() { return current_trace() != 0 || get_compile_mode() == CompileMode::disabled; }

// A call with the arrays of captured state behind its own, and the structure around all of them.
class WithState {
 public:
  WithState(const Call& call, const CompiledState& state) : call_(call) {
    if (!state.has_state()) return;
    arrays_.assign(call.arrays.begin(), call.arrays.end());
    structure_ = structure_of(call);
    for (array* a : state_arrays(state.options().inputs, structure_)) arrays_.push_back(a);
    state_arrays(state.options().outputs, structure_);
    call_.arrays = arrays_;
    call_.structure = &structure_;
  }
  WithState(const WithState&) = delete;
  WithState& operator=(const WithState&) = delete;
  const Call& call() const { return call_; }

 private:
  Call call_;
  std::vector<const array*> arrays_;
  Structure structure_;
};

// The results of a call, lazy; those behind the user's own go to the captured state.
std::vector<array> call_state(CompiledState& state, const Call& given, Structure& structure) {
  if (runs_as_it_is()) return state.call_closure(given, structure);
  state.count_call();
  const WithState with_state(given, state);
  const Call& call = with_state.call();
  SymbolValues symbols;
  auto operation = make_call(state.entry_for(call, symbols), call.arrays);
  structure = operation->entry->result_structure;
  std::vector<array> results;
  results.reserve(operation->entry->user_results);
  for (size_t i = 0; i < operation->entry->user_results; ++i)
    results.push_back(array_of(next_result(operation, symbols)));
  if (state.has_state())
    for (array* a : state.options().outputs.arrays()) *a = array_of(next_result(operation, symbols));
  return results;
}

}  // namespace

std::vector<array> CompiledBase::call(const Call& given, Structure& structure) const {
  return call_state(*state(), given, structure);
}

array CompiledBase::call_single(const Call& given) const {
  const std::shared_ptr<CompiledState> held = state();
  if (held->has_state() || runs_as_it_is()) {
    Structure structure;
    return std::move(call_state(*held, given, structure)[0]);
  }
  held->count_call();
  SymbolValues symbols;
  auto entry = held->entry_for(given, symbols);
  return array_of(next_result(make_call(std::move(entry), given.arrays), symbols));
}

void CompiledBase::compile_ahead_of(ClosureFn fn, std::span<const ShapeDtype> arguments) const {
  auto code = state()->entry_ahead(fn, arguments)->dense_code();
  if (!code) throw_runtime(code.error(), Where());
}

namespace {

// The kernels in the first form that the target's backend writes, which is text.
std::string assembly_of(const ir::Program& program, codegen::Backend& backend, const codegen::Target& target) {
  if (program.kernels.empty()) return "";
  auto text = backend.emit(program, target, codegen::facts_of(target.backend)->emissions.at(0).name);
  if (!text) throw_runtime(text.error(), {});
  return *std::move(text);
}

Inspection inspection_of(const CompiledEntry& entry) {
  const Where nowhere;
  Inspection inspection;
  ir::Function f = entry.traced().function;
  f.canonicalize_order();
  inspection.ir = ir::print(f);
  // The kernels are shown as they are scheduled for the device that runs them.
  const codegen::Target target = target_of(entry.device_type());
  auto backend = codegen::find_backend(target.backend);
  if (!backend) throw_runtime(backend.error(), nowhere);
  auto traits = (*backend)->traits(target);
  if (!traits) throw_runtime(traits.error(), nowhere);
  const auto lower = [&](std::string_view text) {
    auto pipeline = passes::Pipeline::parse(text);
    if (!pipeline) throw_runtime(pipeline.error(), nowhere);
    passes::PassContext context;
    context.fuse = get_compile_mode() != CompileMode::no_fuse;
    context.target = *traits;
    ir::Function g = entry.traced().function;
    if (Status status = passes::run(*pipeline, g, context); !status) throw_runtime(status.error(), nowhere);
    return g;
  };
  inspection.optimised = ir::print(lower(graph_pipeline_text(get_compile_mode())));
  const ir::Function lowered = lower("default");
  if (lowered.program) {
    inspection.kernels = ir::print(*lowered.program, lowered.name);
    inspection.kernel_count = static_cast<int>(lowered.program->steps.size());
    inspection.assembly = assembly_of(*lowered.program, **backend, target);
  }
  return inspection;
}

}  // namespace

Inspection CompiledBase::inspect(const Call& call) const {
  const std::shared_ptr<CompiledState> held = state();
  const WithState with_state(call, *held);
  SymbolValues symbols;
  return inspection_of(*held->entry_for(with_state.call(), symbols));
}

Inspection CompiledBase::inspect_ahead(ClosureFn fn, std::span<const ShapeDtype> arguments) const {
  return inspection_of(*state()->entry_ahead(fn, arguments));
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
    : CompiledBase(std::make_shared<const ListFn>((detail::check_not_null(fn), std::move(fn))), std::move(options)) {}

CompiledFunction compile(std::nullptr_t, bool) { detail::refuse_null_function(); }

void detail::call_list(const void* closure, detail::Reader& in, std::vector<array>& results, detail::Structure&) {
  std::vector<array> arguments;
  arguments.reserve(in.left());
  while (in.left()) arguments.push_back(in.leaf());
  results = (*static_cast<const ListFn*>(closure))(arguments);
}

std::vector<array> CompiledFunction::operator()(const std::vector<array>& inputs) const {
  detail::Structure structure;
  return call({&detail::call_list, pointers(inputs)}, structure);
}
Inspection CompiledFunction::lower(const std::vector<array>& inputs) const {
  return inspect({&detail::call_list, pointers(inputs)});
}
Inspection CompiledFunction::lower(const std::vector<ShapeDtype>& inputs) const {
  return inspect_ahead(&detail::call_list, inputs);
}
void CompiledFunction::compile_ahead(const std::vector<ShapeDtype>& inputs) const {
  compile_ahead_of(&detail::call_list, inputs);
}
void CompiledFunction::compile_ahead() const { compile_ahead_of(&detail::call_list, signature()); }

}  // namespace frit
