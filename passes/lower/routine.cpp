// The table of how routines are lowered.
#include "passes/lower/routine.h"

#include <map>

namespace frit::passes {

using namespace ir;

namespace {

struct Lowerings {
  WriteKernels kernels = nullptr;
  MakeCCall call = nullptr;
};

std::map<std::string_view, Lowerings>& table() {
  static auto* const lowerings = new std::map<std::string_view, Lowerings>;
  return *lowerings;
}

Lowerings find(const Routine& routine) {
  const auto found = table().find(routine.name);
  return found == table().end() ? Lowerings() : found->second;
}

}  // namespace

WriteKernels kernels_of(const Routine& routine) { return find(routine).kernels; }

Result<CCall> c_call(const LibraryStep& step, const DimFacts& facts) {
  if (const MakeCCall call = find(*step.routine).call) return call(step, facts);
  return Diagnostic("routine '" + std::string(step.routine->name) + "' is no function of cblas");
}

RegisterRoutineLowering::RegisterRoutineLowering(std::string_view routine, WriteKernels kernels) {
  table()[routine].kernels = kernels;
}
RegisterRoutineLowering::RegisterRoutineLowering(std::string_view routine, MakeCCall call) {
  table()[routine].call = call;
}

}  // namespace frit::passes
