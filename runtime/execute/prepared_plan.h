// A plan made ready for calls: constant sizes evaluated, steps grouped, results matched with the buffers they are in.
//
// Immutable once its steps are resolved; shared by the runs of all devices (runtime/execute/run_plan.h).
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "runtime/execute/library.h"
#include "runtime/execute/plan.h"
#include "runtime/execute/slot_places.h"
#include "runtime/memory/tensor.h"

namespace frit::runtime {

// No buffer and no workspace is larger, and no array has more elements: sums of a few such sizes cannot overflow.
inline constexpr int64_t kMostBytes = int64_t{1} << 48;
inline constexpr int64_t kMostElements = int64_t{1} << 48;
// Buffers in a workspace of the CPU begin at multiples of it.
inline constexpr size_t kCpuAlign = 64;

// A size. Its program is evaluated at each call, but only where it is not constant.
class Value {
 public:
  Value() = default;
  explicit Value(const DimProgram& p) {
    if (p.is_const())
      constant_ = p.evaluate(nullptr);
    else
      program_ = &p;
  }
  int64_t get(const int64_t* symbols) const { return program_ ? program_->evaluate(symbols) : constant_; }
  bool is_const() const { return !program_; }

 private:
  int64_t constant_ = 0;
  const DimProgram* program_ = nullptr;
};

// Whether a view's sizes are not negative, it has at most kMostElements elements, and all of them lie in the first
// `bytes` bytes of the memory that `offset` counts from.
inline bool lies_within(std::span<const int64_t> shape, std::span<const int64_t> strides, int64_t offset,
                        size_t element, int64_t bytes) {
  int64_t elements = 1, low = offset, high = offset;
  bool empty = false, overflows = false;
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t n = shape[i];
    if (n < 0) return false;
    empty |= n == 0;
    overflows |= __builtin_mul_overflow(elements, n, &elements) || elements > kMostElements;
    int64_t reach;
    overflows |= __builtin_mul_overflow(n - 1, strides[i], &reach);
    int64_t& end = reach < 0 ? low : high;
    overflows |= __builtin_add_overflow(end, reach, &end);
  }
  if (empty) return true;
  // A product, as a division takes as long as all else here.
  return !overflows && low >= 0 && high < kMostElements && (high + 1) * static_cast<int64_t>(element) <= bytes;
}

struct Window {
  uint32_t buffer;
  Dtype dtype = float32;
  std::vector<Value> shape, strides;
  Value offset;

  explicit Window(const WindowPlan& w);
  void sizes(const int64_t* symbols, Sizes& shape_out, Sizes& strides_out) const {
    shape_out.resize(shape.size());
    strides_out.resize(strides.size());
    for (size_t i = 0; i < shape.size(); ++i) shape_out[i] = shape[i].get(symbols);
    for (size_t i = 0; i < strides.size(); ++i) strides_out[i] = strides[i].get(symbols);
  }
  // Whether it is all of a buffer of so many bytes, row-major.
  bool fills(int64_t bytes, const int64_t* symbols) const;
};

struct Kernel {
  const KernelPlan* plan;
  size_t step;        // its number in the plan
  KernelFn fn;        // on the CPU
  bool same_symbols;  // the kernel takes the plan's symbols as they stand
  Value extent, grain, scratch;

  Kernel(const KernelPlan& p, size_t number, size_t symbols);
};

struct Library {
  const LibraryPlan* plan;
  size_t step;             // its number in the plan
  LibraryFn fn = nullptr;  // on the CPU
  std::vector<Window> operands, results;
  std::optional<Kernel> epilogue;
  std::vector<Value> sizes = {};
  Value workspace = {};  // bytes
  std::vector<Kernel> between = {};
};

// A Part, placed before each iteration of its loop.
struct Part {
  uint32_t buffer, whole;
  Value at, bytes, whole_bytes;
};

struct Control {
  const ControlPlan* plan;
  Value count;
  size_t end = ~size_t{0};    // the End of its block
  size_t other = ~size_t{0};  // If: its Else, or its End; End of a loop: the step that opened it
  std::vector<Part> parts;    // Repeat
};

class PreparedPlan {
 public:
  struct Memory {
    BufferPlan::Role role;
    uint32_t index, donor;
    uint32_t owner;  // an Output's number among the outputs
    Value bytes;
    uint32_t whole = ~0u;  // the output that a Temp is in
    size_t at = 0;         // a Temp's first byte there, or in its slot
    bool used = false;     // by a step or a result; an input may be there for its sizes alone, without memory
  };
  // The kernels of a group are independent of each other.
  using Step = std::variant<std::vector<Kernel>, Library, Control>;

  explicit PreparedPlan(Plan plan);
  PreparedPlan(const PreparedPlan&) = delete;
  PreparedPlan& operator=(const PreparedPlan&) = delete;

  const Plan& plan() const { return plan_; }
  const std::vector<Memory>& buffers() const { return buffers_; }
  const std::vector<Step>& steps() const { return steps_; }
  const std::vector<Window>& results() const { return results_; }
  const std::vector<Value>& slots() const { return slots_; }
  // Of the CPU.
  const SlotPlaces& places() const { return places_; }
  size_t outputs() const { return outputs_; }
  // The temps that lie in an output's memory.
  const std::vector<uint32_t>& inside_outputs() const { return inside_outputs_; }
  // The output that result i has to itself, else ~0.
  uint32_t own_output(size_t i) const { return whole_[i]; }

  // Looks up entry points and routines that the plan left open; of the CPU.
  Status resolve() const { return resolved_.load(std::memory_order_acquire) ? Status() : resolve_once(); }
  void read_symbols(std::span<const Tensor> inputs, int64_t* symbols) const {
    for (size_t i = 0; i < plan_.symbols.size(); ++i) {
      const SymbolSource& s = plan_.symbols[i];
      symbols[i] = s.stride ? inputs[s.input].strides[s.axis] : inputs[s.input].shape[s.axis];
    }
    for (size_t i = 0; i < plan_.sums.size(); ++i) symbols[plan_.symbols.size() + i] = plan_.sums[i].evaluate(symbols);
  }
  // The plan's checks for these values of its symbols.
  Status check(const int64_t* symbols) const { return plan_.checks.empty() ? Status() : check_all(symbols); }

  // Errors that runs share.
  Diagnostic too_large(const char* what, int64_t bytes) const;
  Diagnostic no_workspace(size_t bytes) const;
  Diagnostic short_input(uint32_t index, int64_t needed) const;
  Diagnostic outside(const char* what, size_t index, std::span<const int64_t> shape) const;

 private:
  Status resolve_once() const;
  Status check_all(const int64_t* symbols) const;
  void add_steps();
  void add_control(const ControlPlan& control);
  void mark_used();

  const Plan plan_;  // sizes point into it
  std::vector<Memory> buffers_;
  mutable std::vector<Step> steps_;  // resolve() fills in functions
  std::vector<Window> results_;
  std::vector<uint32_t> whole_;
  std::vector<Value> slots_;
  SlotPlaces places_;
  std::vector<uint32_t> inside_outputs_;
  size_t outputs_ = 0;
  std::vector<size_t> blocks_;  // while steps are added: the steps that opened blocks
  mutable std::atomic<bool> resolved_{false};
  mutable std::mutex resolving_;
};

}  // namespace frit::runtime
