// A program ready to run: machine code, sizes as small postfix programs, and a list of steps. Knows nothing of the IR.
//
// An Executable is immutable after construction and may run on many threads at once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "ir/base/dim_program.h"
#include "ir/base/dtype.h"
#include "ir/base/result.h"
#include "runtime/memory/tensor.h"

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

struct WindowPlan {
  uint32_t buffer;
  Dtype dtype;
  std::vector<DimProgram> shape, strides;
  DimProgram offset;
};

struct BufferPlan {
  enum class Role : uint8_t { Input, Output, Temp, Constant } role;
  Dtype dtype;
  DimProgram bytes;
  uint32_t index = 0;                // Input: which input; Temp: which slot
  uint32_t donor = ~0u;              // Output: which input's memory it may take (the input's number, as in `index`)
  std::shared_ptr<Buffer> constant;  // Constant
};

struct KernelPlan {
  std::string name;
  KernelFn fn = nullptr;
  std::vector<uint32_t> buffers;
  std::vector<uint32_t> symbols;  // slots, in the kernel's order
  bool parallel = false;
  DimProgram extent;    // of the parallel loop; 1 without
  DimProgram grain{1};  // of it: see parallel_for; less than 1 means 1
  DimProgram scratch_bytes;
  bool beside = false;  // needs nothing of the steps before it back to the last one where this is false, nor they of it
};

struct LibraryPlan {
  std::string name;
  std::string options;  // the step's attributes as JSON: see LibraryCall
  std::vector<WindowPlan> operands, results;
  std::optional<KernelPlan> epilogue;
  std::vector<DimProgram> sizes = {};  // of attributes that a call decides
  uint32_t workspace = ~0u;            // a buffer, where the routine needs one
};

// How a symbol gets its value at a call: from a size or a stride of an input.
struct SymbolSource {
  uint32_t input;
  uint32_t axis;
  bool stride = false;
};

struct Plan;

// Runs a plan's steps on another device. `results` are on that device; inputs may be there or in host memory.
class DeviceCode {
 public:
  virtual ~DeviceCode() = default;
  virtual Status run(const Plan& plan, std::span<const Tensor> inputs, std::span<const bool> donated,
                     std::span<Tensor> results) const = 0;
};

struct Plan {
  std::string name;
  std::vector<std::string> symbol_names;
  std::vector<SymbolSource> symbols;  // one per symbol
  std::vector<BufferPlan> buffers;
  std::vector<std::variant<KernelPlan, LibraryPlan>> steps;
  std::vector<WindowPlan> results;
  std::vector<DimProgram> slots;  // bytes of each workspace slot
  std::shared_ptr<Code> code;
  std::shared_ptr<DeviceCode> device_code;  // when set, it runs the steps
};

class Executable {
 public:
  explicit Executable(Plan plan);
  ~Executable();
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;

  // Runs to completion; on a GPU it hands the work over, and memory of results knows when they are there
  // (runtime/execute/gpu.h). `donated[i]` says that the caller gives up input i's memory: an output may take it over
  // when nobody else holds it. Inputs must fit the signature: the caller has checked. Fails when memory is exhausted or
  // a routine of the library cannot be had.
  Result<std::vector<Tensor>> run(std::span<const Tensor> inputs, std::span<const bool> donated = {}) const;
  // The same into `results`, one per result of the plan, without an allocation beyond the outputs.
  Status run(std::span<const Tensor> inputs, std::span<const bool> donated, std::span<Tensor> results) const {
    return run(inputs, donated, results, {});
  }
  // `into[i]`, where it is not null, is memory that result i shall be in: large enough for it, and of the CPU. A result
  // that is a view, an input or shared with another, or whose memory does not begin at a multiple of 64, comes
  // elsewhere all the same; the caller sees it by the buffer.
  Status run(std::span<const Tensor> inputs, std::span<const bool> donated, std::span<Tensor> results,
             std::span<const std::shared_ptr<Buffer>> into) const;

  const Plan& plan() const { return plan_; }
  size_t kernel_count() const;

 private:
  struct Prepared;
  Plan plan_;
  std::unique_ptr<Prepared> prepared_;
};

}  // namespace frit::runtime
