// The text form of graphs; docs/ir.md has the grammar.
//
// Ops print in their order; results are numbered in that order, and parameters keep their names. The text depends on
// the function alone. ir/read/parser.h reads it back to an equal function with the same text. A function that breaks
// the verifier's rules still prints, as well as possible, so that it can be shown beside the verifier's message.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/graph/graph.h"

namespace frit::ir {

struct PrintOptions {
  bool locations = true;  // prints `// loc "file":line` after each op with a known location
};

// The version of the text. A file may begin with "frit" and a version; the reader refuses any other version.
inline constexpr std::string_view kTextVersion = "1";

std::string print(const Module& m, const PrintOptions& options = {});
std::string print(const Function& f, const PrintOptions& options = {});

// The spelling of each value, with its '%': "%x", "%12". Messages and remarks use it to agree with the text.
std::vector<std::string> value_names(const Function& f);

// The signature, "func @f(%x: f32[n]) -> f32[n] where n in [1, 64]", and the types that the function returns.
std::string signature_text(const Function& f);
std::vector<Type> result_types(const Function& f);

}  // namespace frit::ir
