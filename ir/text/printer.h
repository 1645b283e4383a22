// The text form of graphs: docs/ir.md has the grammar.
//
// Ops are printed as they stand; results are numbered in that order, parameters keep their names. The text depends on
// the function alone, and ir/read/parser.h reads it back to an equal one whose text is the same. A function that breaks
// the verifier's rules still prints, as well as can be, so that it can be shown beside the verifier's message.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/graph/graph.h"

namespace frit::ir {

struct PrintOptions {
  bool locations = true;  // `// loc "file":line` behind each op whose place is known
};

// What a file may begin with: "frit" and the version of the text. Any other version is refused when it is read.
inline constexpr std::string_view kTextVersion = "1";

std::string print(const Module& m, const PrintOptions& options = {});
std::string print(const Function& f, const PrintOptions& options = {});

// How each value is spelled, with its '%': "%x", "%12". For messages and remarks that the text should agree with.
std::vector<std::string> value_names(const Function& f);

// "func @f(%x: f32[n]) -> f32[n] where n in [1, 64]", and the types that the function returns.
std::string signature_text(const Function& f);
std::vector<Type> result_types(const Function& f);

}  // namespace frit::ir
