// From a module to a package (runtime/load/package_file.h): every function compiled for every target.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "codegen/core/backend.h"
#include "ir/graph/graph.h"
#include "runtime/load/package_file.h"

namespace frit::codegen {

struct PackageOptions {
  // In the order in which a loader tries them: the first that runs is taken.
  std::vector<Target> targets;
  // Called before each compilation with the number of those that are done, the number of all, and the name of the next
  // one ("gelu for x86-64-v3").
  std::function<void(size_t done, size_t all, const std::string& next)> progress = {};
};

// The targets of a package for installed backends ("cpu", "vulkan"), each for those of the machines that its loader can
// recognise, or for its portable machines where none of them is among `machines`. Fails for a machine that no loader
// can recognise.
Result<std::vector<Target>> package_targets(std::span<const std::string> targets,
                                            std::span<const std::string> machines);

// Compiles copies of the functions. `weights` are those that the functions name; each must be there and have its
// parameter's type. The same module, options and weights give the same contents, whatever the number of threads.
Result<runtime::PackageContents> make_package(const ir::Module& module, runtime::NamedTensors weights,
                                              const PackageOptions& options);

}  // namespace frit::codegen
