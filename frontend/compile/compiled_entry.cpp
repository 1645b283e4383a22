// Running one trace: which calls it admits, and the code for the layouts that it meets.
#include "frontend/compile/compiled_entry.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "codegen/core/guard.h"
#include "frontend/compile/report.h"
#include "frontend/compile/verify_run.h"
#include "frontend/core/layout.h"
#include "frontend/core/short_axes.h"
#include "frontend/eager/eager.h"
#include "ir/graph/resize.h"
#include "runtime/system/cpu.h"

namespace frit::detail {

namespace {
// Layouts that get code of their own. Arguments of further layouts are copied to dense memory.
constexpr size_t kMaxVariants = 8;
// Code for short sizes is made while there are fewer than these: the others are for layouts.
constexpr size_t kMaxShortVariants = kMaxVariants / 2;
const std::string kGpu = "gpu ";
}  // namespace

CompiledEntry::CompiledEntry(Signature signature, TracedFunction traced, std::unique_ptr<SizeTrace> sizes,
                             CompileMode mode, std::shared_ptr<FunctionCounters> counters)
    : signature_(std::move(signature)),
      traced_(std::move(traced)),
      sizes_(std::move(sizes)),
      mode_(mode),
      counters_(std::move(counters)) {
  const ir::Function& f = traced_.function;
  for (ir::ValueId v : f.results) dtypes_.push_back(f.type(v).dtype);
  if (!signature_.open) {
    for (ir::ValueId v : f.results) shapes_.push_back(to_shape(f.type(v).shape));
    return;
  }
  auto guard = codegen::make_guard(f);
  if (!guard) throw_invalid(guard.error(), Where());
  guard_ = *std::move(guard);
  for (ir::ValueId v : f.results) {
    std::vector<DimProgram>& programs = shape_programs_.emplace_back();
    for (const Dim& d : f.type(v).shape)
      programs.emplace_back(d, [&](const std::string& name) {
        const auto& names = guard_.symbol_names;
        return static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin());
      });
  }
  for (size_t i = 0; i < traced_.arguments; ++i) {
    const ir::Shape& shape = f.type(f.params[i]).shape;
    for (size_t axis = 0; axis < shape.size(); ++axis)
      if (const std::string* symbol = shape[axis].as_symbol()) open_axes_.push_back({i, axis, *symbol});
  }
}

bool CompiledEntry::admits(std::span<const array* const> arguments, SymbolValues& symbols) const {
  if (!signature_.open) return true;
  int64_t* values = symbols.reserve(guard_.symbol_names.size());
  // Captured arrays are parameters behind the arguments: their sizes are numbers and no check is about them.
  const auto size_of = [&](uint32_t input, uint32_t axis) {
    return input < arguments.size() ? int64_t{node_of(*arguments[input])->shape[axis]}
                                    : traced_.captured[input - arguments.size()].shape[axis];
  };
  return guard_.first_failure(size_of, values) < 0;
}

Shape CompiledEntry::result_shape(size_t i, const SymbolValues& symbols) const {
  if (!signature_.open) return shapes_[i];
  Shape shape;
  shape.reserve(shape_programs_[i].size());
  for (const DimProgram& d : shape_programs_[i]) {
    const int64_t n = d.evaluate(symbols.data());
    if (n > std::numeric_limits<ShapeElem>::max())
      throw InvalidArgument(traced_.function.name + ": a result has an axis of " + std::to_string(n) + " elements",
                            "an axis holds at most 2147483647 elements; split it into several");
    shape.push_back(static_cast<ShapeElem>(n));
  }
  return shape;
}

void CompiledEntry::add_large_results(std::span<const runtime::Tensor> arguments, Assumptions& known) const {
  SymbolValues symbols;
  int64_t* values = symbols.reserve(guard_.symbol_names.size());
  for (size_t i = 0; i < guard_.sources.size(); ++i)
    values[i] = arguments[guard_.sources[i].input].shape[guard_.sources[i].axis];
  for (size_t i = 0; i < shape_programs_.size(); ++i) {
    int64_t bytes = dtypes_[i].size();
    for (const DimProgram& d : shape_programs_[i]) bytes *= d.evaluate(values);
    const bool is_large = bytes >= runtime::last_level_cache_bytes();
    // Where the first result is small, the code for any size serves.
    if (i == 0 && !is_large) return;
    known.large.push_back(is_large);
    if (i == 0) known.key += 'L';
    known.key += is_large ? '1' : '0';
  }
}

void CompiledEntry::add_short_sizes(std::span<const runtime::Tensor> arguments, Assumptions& known) const {
  for (size_t i = 0; i < open_axes_.size(); ++i) {
    const runtime::Sizes& shape = arguments[open_axes_[i].argument].shape;
    if (!has_much_work(shape) || !is_short(shape, open_axes_[i].axis)) continue;
    const int64_t size = shape[open_axes_[i].axis];
    known.short_sizes.emplace_back(i, size);
    known.key += std::to_string(i) + "=" + std::to_string(size) + ",";
  }
}

CompiledEntry::Assumptions CompiledEntry::assumptions_of(std::span<const runtime::Tensor> arguments,
                                                         bool with_short) const {
  Assumptions known;
  known.strided = !std::all_of(arguments.begin(), arguments.end(), is_row_major);
  const bool gpu = running_device() == Device::gpu;
  if (gpu) known.key = kGpu;
  if (signature_.open && !gpu && with_short) add_short_sizes(arguments, known);
  if (signature_.open && !gpu && !known.strided) add_large_results(arguments, known);
  if (known.strided)
    for (const runtime::Tensor& t : arguments) {
      known.key += '/';
      if (!is_row_major(t)) append_layout(known.key, t.strides, has_much_work(t.shape));
    }
  return known;
}

ir::Function CompiledEntry::function_for(const Assumptions& known, std::span<const runtime::Tensor> arguments) const {
  ir::Function f = traced_.function;
  if (!known.short_sizes.empty()) {
    const auto change = [&](const Dim& d) {
      return d.substitute([&](const std::string& symbol) -> std::optional<Dim> {
        for (const auto& [i, size] : known.short_sizes)
          if (open_axes_[i].symbol == symbol) return Dim(size);
        return std::nullopt;
      });
    };
    // Code for any size serves where a rule holds for open sizes alone.
    if (auto shorter = ir::with_sizes(f, change); shorter.ok()) f = *std::move(shorter);
  }
  for (size_t i = 0; i < known.large.size(); ++i)
    if (known.large[i])
      f.facts.assume_nonnegative(f.type(f.results[i]).size() -
                                 Dim(runtime::last_level_cache_bytes() / dtypes_[i].size()));
  if (known.strided) {
    f.layouts.assign(f.params.size(), {});
    for (size_t i = 0; i < arguments.size(); ++i)
      if (!is_row_major(arguments[i]))
        f.layouts[i] = param_layout(arguments[i].strides, has_much_work(arguments[i].shape), i, f.facts);
  }
  return f;
}

Result<ExecutablePtr> CompiledEntry::dense_code() {
  const DeviceScope scope(device_type());
  Assumptions none;
  if (running_device() == Device::gpu) none.key = kGpu;
  return code_under(none, {});
}

Result<ExecutablePtr> CompiledEntry::code_under(const Assumptions& known, std::span<const runtime::Tensor> arguments) {
  const auto kept = [&] {
    return std::find_if(variants_.begin(), variants_.end(), [&](const auto& v) { return v.first == known.key; });
  };
  {
    std::lock_guard<std::mutex> guard(mutex_);
    if (const auto variant = kept(); variant != variants_.end()) return variant->second;
  }
  ir::Function f = function_for(known, arguments);
  const auto start = std::chrono::steady_clock::now();
  CodeOrigin origin = CodeOrigin::Memory;
  FRIT_ASSIGN_OR_RETURN(code, code_for(std::move(f), mode_, &origin));
  if (origin == CodeOrigin::Compiled) counters_->compiles.fetch_add(1, std::memory_order_relaxed);
  counters_->compile_ns.fetch_add((std::chrono::steady_clock::now() - start).count(), std::memory_order_relaxed);
  std::lock_guard<std::mutex> guard(mutex_);
  if (const auto variant = kept(); variant != variants_.end()) return variant->second;
  variants_.emplace_back(known.key, code);
  if (known.key.empty()) dense_.store(code.get(), std::memory_order_release);
  return code;
}

ExecutablePtr CompiledEntry::code_for_call(Assumptions known, std::span<runtime::Tensor>& arguments,
                                           std::vector<runtime::Tensor>& copies, const Where& where) {
  const auto found = [&](const Assumptions& known, size_t most) {
    std::lock_guard<std::mutex> guard(mutex_);
    return variants_.size() < most ||
           std::any_of(variants_.begin(), variants_.end(), [&](const auto& v) { return v.first == known.key; });
  };
  if (!known.short_sizes.empty() && !found(known, kMaxShortVariants)) known = assumptions_of(arguments, false);
  if (known.strided && !found(known, kMaxVariants)) {
    for (const runtime::Tensor& t : arguments) copies.push_back(dense(t));
    arguments = copies;
    known = assumptions_of(arguments, false);
  }
  auto code = code_under(known, arguments);
  if (!code) throw_runtime(code.error(), where);
  return *std::move(code);
}

void CompiledEntry::run(std::span<runtime::Tensor> arguments, std::span<const bool> donated,
                        std::span<runtime::Tensor> outputs, const Where& where) {
  const bool gpu = running_device() == Device::gpu;
  const runtime::Executable* code = nullptr;
  ExecutablePtr held;
  std::vector<runtime::Tensor> copies;
  Assumptions known = assumptions_of(arguments, true);
  if (known.key.empty()) code = dense_.load(std::memory_order_acquire);
  if (!code) {
    held = code_for_call(std::move(known), arguments, copies, where);
    code = held.get();
  }
  // Copies are the call's own.
  if (!copies.empty()) donated = {};
  const auto verified = VerifiedRun::begin(traced_, arguments);
  Status status;
  if (traced_.captured.empty()) {
    status = code->run(arguments, donated, outputs);
  } else {
    // Captured values are never given away: donation is by position, and theirs are behind the arguments'.
    std::vector<runtime::Tensor> all;
    all.reserve(arguments.size() + traced_.captured.size());
    for (size_t i = 0; i < arguments.size(); ++i)
      all.push_back(i < donated.size() && donated[i] ? std::move(arguments[i]) : arguments[i]);
    all.insert(all.end(), traced_.captured.begin(), traced_.captured.end());
    status = code->run(all, donated, outputs);
    if (!status)
      for (size_t i = 0; i < arguments.size(); ++i) arguments[i] = std::move(all[i]);
  }
  if (!status) throw_runtime(status.error(), where);
  if (gpu) report_before_driver_ends(*this);
  if (verified) verified->compare(outputs);
}

std::shared_ptr<CallOperation> make_call(std::shared_ptr<CompiledEntry> entry,
                                         std::span<const array* const> arguments) {
  auto operation = std::make_shared<CallOperation>(std::move(entry), Where());
  operation->device = operation->entry->device_type();
  std::vector<NodePtr> inputs;
  inputs.reserve(arguments.size());
  for (const array* a : arguments) inputs.push_back(node_of(*a));
  set_inputs(*operation, std::move(inputs));
  operation->results.reserve(operation->entry->result_count());
  return operation;
}

std::vector<NodePtr> CallOperation::with_inputs(std::vector<NodePtr> known) const {
  std::vector<array> arrays;
  std::vector<const array*> arguments;
  for (const NodePtr& node : known) arrays.push_back(array_of(node));
  for (const array& a : arrays) arguments.push_back(&a);
  SymbolValues symbols;
  entry->admits(arguments, symbols);  // the sizes are those that it was called with
  auto operation = make_call(entry, arguments);
  std::vector<NodePtr> nodes;
  for (size_t i = 0; i < entry->result_count(); ++i) nodes.push_back(next_result(operation, symbols));
  return nodes;
}

NodePtr next_result(const std::shared_ptr<CallOperation>& operation, const SymbolValues& symbols) {
  const size_t i = operation->results.size();
  return attach(operation, operation->entry->result_dtype(i), operation->entry->result_shape(i, symbols));
}

}  // namespace frit::detail
