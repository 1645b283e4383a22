// How routines are lowered for code that has no runtime beside it: as kernels of the program, or as calls of a C
// library. passes/lower/routine_<routine>*.cpp register these parts under the routine's record.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/routines/routine.h"
#include "passes/lower/c_call.h"
#include "passes/manager/pass.h"

namespace frit::passes {

// A step that becomes kernels, and the name of the first of them.
struct RoutineKernels {
  const ir::Function& f;
  const ir::LibraryStep& step;
  const TargetTraits& target;
  std::string name;
};

// Adds the kernels to f.program and gives their launches in order, without the step's epilogue.
using WriteKernels = Result<std::vector<ir::KernelStep>> (*)(const RoutineKernels&);
// The call, which borrows the step, or why the library does not take it.
using MakeCCall = Result<CCall> (*)(const ir::LibraryStep&, const DimFacts&);

// Null where the routine has none.
WriteKernels kernels_of(const ir::Routine& routine);
// Fails too where no C library has the routine.
Result<CCall> c_call(const ir::LibraryStep& step, const DimFacts& facts);

// Under the name of the record.
struct RegisterRoutineLowering {
  RegisterRoutineLowering(std::string_view routine, WriteKernels kernels);
  RegisterRoutineLowering(std::string_view routine, MakeCCall call);
};

}  // namespace frit::passes
