// Reads the text form that ir/text/printer.h prints; docs/ir.md has the grammar.
//
// Accepted text keeps the verifier's rules: every op's types are inferred and compared with the written ones. Any other
// text gives a Diagnostic at the wrong token. Values may have any names; the names of op results are not kept.
#pragma once

#include <memory>
#include <string_view>

#include "ir/graph/graph.h"

namespace frit::ir {

// Diagnostics show `file_name`, which is copied. With `locate`, an op whose text gives no location gets that of its own
// line in the text.
Result<std::unique_ptr<Module>> parse(std::string_view text, const char* file_name, bool locate = false);

}  // namespace frit::ir
