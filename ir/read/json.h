// The JSON form of graphs, for other tools. It holds all that the text form holds, and the places of ops; docs/ir.md
// has the layout.
//
// Strings are UTF-8; bytes that are not are replaced. Reading ends with the verifier, so that what is returned keeps
// its rules.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "ir/graph/graph.h"

namespace frit::ir {

std::string to_json(const Module& m);

// Errors stand at the line and column of the JSON value at fault. `file_name` is copied.
Result<std::unique_ptr<Module>> from_json(std::string_view text, const char* file_name);

// Text or JSON: JSON where the first character is '{' or '['.
Result<std::unique_ptr<Module>> read_module(std::string_view text, const char* file_name);

}  // namespace frit::ir
