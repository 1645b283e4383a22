// The arguments of a library routine as JSON text, which is how they reach the runtime.
#pragma once

#include <string>

#include "ir/base/result.h"
#include "ir/graph/attr.h"

namespace frit::codegen {

// An object with one member per attribute, in their order: booleans, integers, numbers, names of element types, strings
// and lists of integers. An integer that is not known here becomes {"size": i}, where `open[i]` is that size. Fails on
// a literal, which no routine takes.
Result<std::string> options_text(const ir::AttrMap& attrs, ir::Dims& open);

}  // namespace frit::codegen
