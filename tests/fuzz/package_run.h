// A function as a package: compiled by the command, run through the C interface of the runtime.
#pragma once

#include <frit/frit.h>

#include <string>
#include <vector>

// Compiles a graph file with one function to `package` and calls it. `frit` is the path of the command. Throws
// std::runtime_error where that fails.
std::vector<frit::array> run_package(const std::string& frit, const std::string& graph, const std::string& package,
                                     const std::vector<frit::array>& arguments);
