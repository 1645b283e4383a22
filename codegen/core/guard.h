// Makes the checks of a call, which run before any code of the function, from the function's signature.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ir/graph/graph.h"
#include "runtime/execute/executable.h"
#include "runtime/execute/guard.h"

namespace frit::codegen {

// Where each symbol stands alone first: in the shape of a parameter, else in the layout of one.
using SymbolSources = std::map<std::string, runtime::SymbolSource, std::less<>>;
SymbolSources sources_of_symbols(const ir::Function& f);
Diagnostic no_source(const ir::Function& f, const std::string& symbol);

// Checks every size of the signature and every fact about sizes. It leaves strides, and symbols that only layouts name,
// to the caller, who chose the layouts. Fails when a symbol's value cannot be read from any shape. `said`, where it is
// not null, gets the text of each check.
Result<runtime::Guard> make_guard(const ir::Function& f, std::vector<std::string>* said = nullptr);

// The text of check number `check` of its guard: "axis 1 of 'y' equals axis 0 of 'x'", "n is a multiple of 16". "" when
// there is no such check.
std::string describe(const ir::Function& f, const runtime::Guard& guard, int check);

}  // namespace frit::codegen
