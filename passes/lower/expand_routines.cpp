// expand_routines: for code that has no runtime beside it, routines become kernels of the program or calls of a C
// library, and an epilogue becomes a kernel that follows its routine. The pass does nothing unless the target asks for
// it (TargetTraits::own_routines).
#include <algorithm>
#include <utility>

#include "passes/lower/routine.h"
#include "passes/manager/pass.h"

namespace frit::passes {
namespace {

using namespace ir;

std::string kernel_name(const Function& f, size_t step, const Routine& routine) {
  std::string name = f.name + "_" + std::to_string(step) + "_" + std::string(routine.name);
  auto taken = [&](const Kernel& k) { return k.name == name; };
  while (std::any_of(f.program->kernels.begin(), f.program->kernels.end(), taken)) name += "_";
  return name;
}

Result<bool> run_expand_routines(Function& f, PassContext& context) {
  if (!context.target.own_routines) return false;
  Program& p = *f.program;
  std::vector<Step> steps;
  bool changed = false;
  for (size_t i = 0; i < p.steps.size(); ++i) {
    auto* library = std::get_if<LibraryStep>(&p.steps[i]);
    if (!library) {
      steps.push_back(std::move(p.steps[i]));
      continue;
    }
    const std::vector<uint32_t> groups = library->groups;
    std::optional<KernelStep> epilogue = std::exchange(library->epilogue, std::nullopt);
    if (epilogue) epilogue->groups = groups;
    if (context.target.cblas_routines && c_call(*library, f.facts).ok()) {
      steps.push_back(std::move(p.steps[i]));
    } else {
      const std::string routine(library->routine->name);
      const WriteKernels write = kernels_of(*library->routine);
      if (!write)
        return Diagnostic("function @" + f.name + ": op '" + routine +
                              "' cannot be had in code without a runtime: c source, objects and shared libraries",
                          {}, "write a package, which the runtime library runs");
      const std::string name = kernel_name(f, i, *library->routine);
      FRIT_ASSIGN_OR_RETURN(launches, write({f, *library, context.target, name}));
      for (KernelStep& launch : launches) {
        launch.groups = groups;
        steps.emplace_back(std::move(launch));
      }
      context.remark(f, "routine '" + routine + "' is kernel @" + name);
      changed = true;
    }
    if (epilogue) steps.emplace_back(*epilogue), changed = true;
  }
  p.steps = std::move(steps);
  return changed;
}

const RegisterPass expand_routines_pass{{"expand_routines",
                                         "writes routines of the library as kernels, for targets that have no library",
                                         Level::Lowered, Level::Lowered, Level::Lowered, run_expand_routines}};

}  // namespace
}  // namespace frit::passes
