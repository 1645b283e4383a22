// Matrix products as calls of the cblas interface, which whoever links provides.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "codegen/c/emitter.h"
#include "codegen/package/c_interface.h"
#include "ir/graph/graph.h"

namespace frit::codegen::c {

// The declarations that calls need.
std::string_view cblas_declarations();

// The statements of one step, of whose batch `variable` counts the products; `pointer` gives a program's buffer as a
// pointer to numbers, const or not. Fails where cblas does not take it.
Result<std::string> cblas_call(const ir::Function& f, const ir::LibraryStep& step, Positions& positions,
                               const std::string& variable, Helpers& helpers,
                               const std::function<std::string(uint32_t buffer, bool written)>& pointer);

}  // namespace frit::codegen::c
