// The JSON form of graphs, for other tools; docs/ir.md has the layout.
//
// It holds everything that the text form holds, and the locations of ops. Strings are UTF-8; bytes that are not UTF-8
// are replaced. Reading ends with the verifier, so the returned module keeps its rules.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "ir/graph/graph.h"

namespace frit::ir {

std::string to_json(const Module& m);

// An error carries the line and column of the JSON value at fault. `file_name` is copied.
Result<std::unique_ptr<Module>> from_json(std::string_view text, const char* file_name);

// Reads text or JSON: JSON if the first character is '{' or '['. `locate` is that of ir/read/parser.h, for text.
Result<std::unique_ptr<Module>> read_module(std::string_view text, const char* file_name, bool locate = false);

}  // namespace frit::ir
