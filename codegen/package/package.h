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
  // Called before each compilation: how many are done, how many there are, and what is next ("gelu for x86-64-v3").
  std::function<void(size_t done, size_t all, const std::string& next)> progress = {};
};

// For processors of a kind, from the newest level down: x86-64-v4, v3, v2; or aarch64.
std::vector<Target> portable_targets();

// Compiles copies of the functions. `weights` are those that the functions name; each must be there and of its
// parameter's type. The same module, options and weights give the same contents, whatever the number of threads.
Result<runtime::PackageContents> make_package(const ir::Module& module, runtime::NamedTensors weights,
                                              const PackageOptions& options);

}  // namespace frit::codegen
