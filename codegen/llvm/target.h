// The machine that code is generated for, and the LLVM objects that are kept between compilations.
//
// A CpuTarget is immutable and shared. A Compiler belongs to one thread at a time: acquire_compiler hands one out, and
// the handle's destructor returns it.
#pragma once

#include <memory>
#include <string>

#include "codegen/core/backend.h"

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace frit::codegen {

// The features of the machine. The emitter asks for them and none of them changes a result there; passes ask for fma,
// which decides by which operations functions are computed (ir/math/expand.h).
struct CpuFeatures {
  bool fma = false;              // fused multiply-add
  bool half_conversion = false;  // f16 <-> f32 in hardware
  bool half_arithmetic = false;  // f16 arithmetic, in vectors too
  bool masks_small = false;      // masked loads and stores of 8 and 16 bit elements
  bool gathers = false;          // reads lanes from anywhere in less time than one by one
  bool rounds_bfloat = false;    // f32 to bf16 in vectors of 64 bytes, subnormal numbers to zeros
  bool scales = false;           // multiplies by a power of two that is a float, in vectors of 64 bytes
  int vector_bytes = 16;
};

struct CpuTarget {
  std::string triple, cpu, features;
  CpuFeatures has;
  bool is_host = false;  // code for it may run here
};

// Fails on a CPU name that LLVM does not know.
Result<std::shared_ptr<const CpuTarget>> resolve(const Target& target);

// A TargetMachine with its optimisation pipeline.
class Compiler;
class CompilerHandle {
 public:
  CompilerHandle(std::shared_ptr<const CpuTarget> target, std::unique_ptr<Compiler> compiler);
  CompilerHandle(CompilerHandle&&) noexcept;
  ~CompilerHandle();
  Compiler* operator->() const { return compiler_.get(); }

 private:
  std::shared_ptr<const CpuTarget> target_;
  std::unique_ptr<Compiler> compiler_;
};
CompilerHandle acquire_compiler(const std::shared_ptr<const CpuTarget>& target);

}  // namespace frit::codegen
