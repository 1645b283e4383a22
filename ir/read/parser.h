// Reads the text form of ir/text/printer.h; docs/ir.md has the grammar.
//
// What it accepts keeps the verifier's rules: every op's types are inferred and compared with those written. Any other
// text gives a Diagnostic at the token that is wrong. Values may have any names; those of op results are not kept.
#pragma once

#include <memory>
#include <string_view>

#include "ir/graph/graph.h"

namespace frit::ir {

// `file_name` is what diagnostics show; it is copied.
Result<std::unique_ptr<Module>> parse(std::string_view text, const char* file_name);

}  // namespace frit::ir
