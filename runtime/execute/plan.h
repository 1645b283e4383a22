// A plan: what one call of a compiled function does, as data. Sizes are small postfix programs over the call's symbols.
//
// A plan knows nothing of the IR. It lists buffers, steps that run in order, and results that are windows on buffers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ir/base/dim_program.h"
#include "ir/base/dtype.h"
#include "ir/base/result.h"
#include "runtime/memory/memory.h"

namespace frit::runtime {

// The ABI of a CPU kernel: runs iterations [begin, end) of its parallel loop (or its whole body when it has none).
// `scratch` has the kernel's scratch bytes, aligned to 64, private to the call.
using KernelFn = void (*)(void* const* buffers, const int64_t* symbols, int64_t begin, int64_t end, void* scratch);

// Keeps loaded code alive and gives entry points; compilation may happen at the first look-up.
class Code {
 public:
  virtual ~Code() = default;
  virtual Result<KernelFn> entry(const std::string& kernel) = 0;
};

// A strided view on a buffer. Strides and offset count elements of `dtype`.
struct WindowPlan {
  uint32_t buffer;
  Dtype dtype = float32;
  std::vector<DimProgram> shape, strides;
  DimProgram offset;
};

struct BufferPlan {
  // A Part is a piece of an earlier buffer, at a place that a loop moves.
  // Rows have no memory but for the rows that a routine has in work.
  enum class Role : uint8_t { Input, Output, Temp, Constant, Part, Rows } role;
  Dtype dtype = float32;
  DimProgram bytes;
  uint32_t index = 0;                // Input: which input; Temp: which slot; Part: the counter of its loop
  uint32_t donor = ~0u;              // Output: the input whose memory it may take (numbered as in `index`)
  std::shared_ptr<Buffer> constant;  // Constant
  uint32_t whole = ~0u;              // Part: the buffer that it is in; Temp: the output that it is in, not in a slot
  DimProgram at{0};                  // Part, Temp: its first byte there or in the slot; of a Temp it is known
};

struct KernelPlan {
  std::string name;
  KernelFn fn = nullptr;
  std::vector<uint32_t> buffers;
  std::vector<uint32_t> symbols;  // numbers of the plan's symbols and sums, in the kernel's order
  bool parallel = false;
  DimProgram extent;    // of the parallel loop; 1 without one
  DimProgram grain{1};  // see parallel_for; less than 1 means 1
  DimProgram scratch_bytes;
  // The kernel is independent of the steps before it, back to and including the last one where this is false.
  bool beside = false;
  // The kernel copies its first buffer to the same places of its second one: nothing to do where both have one memory.
  bool copies = false;
};

struct LibraryPlan {
  std::string name;
  std::string options;  // the step's attributes as JSON: see LibraryCall
  std::vector<WindowPlan> operands, results;
  std::optional<KernelPlan> epilogue;
  std::vector<DimProgram> sizes = {};  // of attributes that a call decides
  uint32_t workspace = ~0u;            // a buffer, where the routine needs one
  // Of a routine that is two products: the kernels between them, which make `weights` of `scores` and work on buffers
  // of rows; and how many of a row's scores they need, over the sizes and, behind them, the number of the row.
  std::vector<KernelPlan> between = {};
  uint32_t scores = ~0u, weights = ~0u;
  std::optional<DimProgram> needed = {};
};

// Control flow among the steps: ir/kernel/program.h has the meaning of the kinds.
struct ControlPlan {
  enum class Kind : uint8_t { Repeat, Loop, Leave, If, Else, End } kind;
  uint32_t counter = ~0u;
  DimProgram count = {};
  uint32_t flag = ~0u;  // a buffer
  std::vector<std::pair<uint32_t, uint32_t>> swaps = {};
};

// Where a symbol's value is read at a call: a size or a stride of an input.
struct SymbolSource {
  uint32_t input;
  uint32_t axis;
  bool stride = false;
};

// A condition that each call must meet before anything runs: `needed` bytes are at most `available` bytes.
struct SizeCheck {
  DimProgram needed, available;
  std::string what;  // "argument 2 of kernel @k"
};

class DeviceCode;

using PlanStep = std::variant<KernelPlan, LibraryPlan, ControlPlan>;

struct Plan {
  std::string name;
  std::vector<std::string> symbol_names;
  std::vector<SymbolSource> symbols;  // one per symbol
  // Sums of sizes that kernels take in place of the sizes: over the symbols, and numbered behind them. None is
  // negative.
  std::vector<DimProgram> sums;
  uint32_t counters = 0;  // of loops; sizes number them behind the sums
  std::vector<BufferPlan> buffers;
  std::vector<PlanStep> steps;
  std::vector<WindowPlan> results;
  std::vector<DimProgram> slots;  // bytes of each workspace slot
  std::vector<SizeCheck> checks;  // found when the plan was loaded (runtime/load/plan_check.h)
  std::shared_ptr<Code> code;
  std::shared_ptr<DeviceCode> device_code;  // when set, it runs the steps

  // How many numbers come before those of the counters.
  size_t sizes() const { return symbols.size() + sums.size(); }
};

}  // namespace frit::runtime
