// Declarations that the parts of `frit compile` share.
#pragma once

#include <string>
#include <vector>

#include "frontend/cli/command.h"
#include "frontend/cli/emission.h"

namespace frit::cli {

struct CompileArguments {
  std::string file, function, emit, output, matmul = "loops", workspace = "caller", weights;
  std::vector<std::string> targets, cpus;
  int jobs = 0;
};

// The target of a form that has one. Fails as wrong usage where the arguments name several.
codegen::Target single_target(const CompileArguments& arguments, const Form& form);

// The function of that name, or all where it is empty. Fails where there is none.
std::vector<ir::Function*> chosen(ir::Module& module, const std::string& name);

// Functions as files that other programs link: a library, an object or C source, and a header.
void write_library(const CompileArguments& arguments, Source& source, const Form& form);

}  // namespace frit::cli
