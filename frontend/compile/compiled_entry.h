// One trace of a compiled function, and the code it became.
//
// Immutable after construction but for `variants`: executables by the layouts of the arguments, made when a call first
// runs with them. The common case, all arguments dense, is one atomic load.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "frontend/compile/signature.h"
#include "frontend/compile/trace.h"
#include "frontend/core/sizes.h"
#include "frontend/eager/code_cache.h"
#include "runtime/execute/guard.h"

namespace frit::detail {

// Of the whole process.
void count_trace();

// Counted by every entry of a function.
struct FunctionCounters {
  std::atomic<size_t> calls{0}, hits{0}, traces{0}, compiles{0};
  std::atomic<int64_t> trace_ns{0}, compile_ns{0};
};

// The values of a guard's symbols at one call, on the stack when they are few.
class SymbolValues {
 public:
  int64_t* reserve(size_t n) {
    if (n > kInline) heap_.resize(n);
    return n > kInline ? heap_.data() : inline_;
  }
  const int64_t* data() const { return heap_.empty() ? inline_ : heap_.data(); }

 private:
  static constexpr size_t kInline = 32;
  int64_t inline_[kInline];
  std::vector<int64_t> heap_;
};

class CompiledEntry {
 public:
  // `sizes` is null for a trace of numbers alone. Throws InvalidArgument when a size cannot be read from the arguments.
  CompiledEntry(Signature signature, TracedFunction traced, std::unique_ptr<SizeTrace> sizes, CompileMode mode,
                std::shared_ptr<FunctionCounters> counters);

  const Signature& signature() const { return signature_; }
  const TracedFunction& traced() const { return traced_; }
  const SizeTrace* sizes() const { return sizes_.get(); }
  CompileMode mode() const { return mode_; }
  size_t result_count() const { return dtypes_.size(); }
  size_t number = 0;           // 1 for the first trace of its function
  size_t user_results = 0;     // the others are written state
  std::string fixed_because;   // why a function for any shape was traced for one
  Structure result_structure;  // around the user's results

  // Whether every fact about sizes holds for a call that matches the signature; fills in its symbols.
  bool admits(std::span<const array* const> arguments, SymbolValues& symbols) const;
  Dtype result_dtype(size_t i) const { return dtypes_[i]; }
  // For a call that is admitted. Throws InvalidArgument for a size past what an axis holds.
  Shape result_shape(size_t i, const SymbolValues& symbols) const;

  // Runs on arguments of the signature. Throws RuntimeError at `where`.
  void run(std::span<runtime::Tensor> arguments, std::span<const bool> donated, std::span<runtime::Tensor> outputs,
           const Where& where);

  // Code for dense arguments.
  Result<ExecutablePtr> dense_code();

  // Where it runs: what the function was compiled for, else the default device of the moment.
  std::optional<Device> device;
  Device::DeviceType device_type() const { return device.value_or(default_device()).type; }

  std::atomic<uint64_t> last_used{0};

 private:
  // The properties of a call, besides the signature, that code takes for granted.
  struct Assumptions {
    bool strided = false;                                 // some argument is not dense
    std::vector<bool> large;                              // results too large for the caches; empty when there is none
    std::vector<std::pair<size_t, int64_t>> short_sizes;  // open sizes by number in `open_axes_`, with their values
    std::string key;                                      // empty for dense arguments when nothing else is known
  };
  Assumptions assumptions_of(std::span<const runtime::Tensor> arguments, bool with_short) const;
  void add_large_results(std::span<const runtime::Tensor> arguments, Assumptions& known) const;
  void add_short_sizes(std::span<const runtime::Tensor> arguments, Assumptions& known) const;
  // The traced function under these assumptions.
  ir::Function function_for(const Assumptions& known, std::span<const runtime::Tensor> arguments) const;
  // Code is kept for the device that runs.
  Result<ExecutablePtr> code_under(const Assumptions& known, std::span<const runtime::Tensor> arguments);
  // Code for a call. Arguments of a layout past those that get code are made dense copies.
  ExecutablePtr code_for_call(Assumptions known, std::span<runtime::Tensor>& arguments,
                              std::vector<runtime::Tensor>& copies, const Where& where);

  Signature signature_;
  TracedFunction traced_;
  std::unique_ptr<SizeTrace> sizes_;
  CompileMode mode_;
  std::shared_ptr<FunctionCounters> counters_;
  std::vector<Dtype> dtypes_;
  std::vector<Shape> shapes_;                            // of a trace of numbers
  std::vector<std::vector<DimProgram>> shape_programs_;  // of one with open sizes
  // Axes of arguments whose sizes are symbols of the trace.
  struct OpenAxis {
    size_t argument, axis;
    std::string symbol;
  };
  std::vector<OpenAxis> open_axes_;
  runtime::Guard guard_;
  std::atomic<const runtime::Executable*> dense_{nullptr};
  std::mutex mutex_;
  std::vector<std::pair<std::string, ExecutablePtr>> variants_;
};

// A call of a compiled function.
struct CallOperation final : Operation {
  CallOperation(std::shared_ptr<CompiledEntry> entry, Where where)
      : Operation(OperationKind::Call, where), entry(std::move(entry)) {}
  void run(std::span<runtime::Tensor> inputs, std::span<const bool> donated,
           std::span<runtime::Tensor> outputs) override {
    const DeviceScope scope(device);
    entry->run(inputs, donated, outputs, where);
  }
  std::string_view name() const override { return entry->traced().function.name; }
  std::vector<NodePtr> with_inputs(std::vector<NodePtr> known) const override;
  std::shared_ptr<CompiledEntry> entry;
};

// The lazy call: one operation, one node for each result, taken in order.
std::shared_ptr<CallOperation> make_call(std::shared_ptr<CompiledEntry> entry, std::span<const array* const> arguments);
NodePtr next_result(const std::shared_ptr<CallOperation>& operation, const SymbolValues& symbols);

}  // namespace frit::detail
