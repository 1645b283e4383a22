// Library steps as calls of functions of a C library, which whoever links provides.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "codegen/c/emitter.h"
#include "codegen/package/c_interface.h"
#include "ir/graph/graph.h"

namespace frit::codegen::c {

struct CallText {
  std::string statements;
  std::string_view declarations;  // that the statements need
};

// One step. `variable` counts the calls of its batch; `pointer` gives a program's buffer as a pointer to numbers, const
// or not. Fails where no C library takes the step.
Result<CallText> c_call_text(const ir::Function& f, const ir::LibraryStep& step, Positions& positions,
                             const std::string& variable, Helpers& helpers,
                             const std::function<std::string(uint32_t buffer, bool written)>& pointer);

}  // namespace frit::codegen::c
