// Transforms as text, for the command line and for tests of texts.
#pragma once

#include <string_view>

#include "ir/graph/graph.h"

namespace frit::passes {

// `f` transformed as `spec` says:
//   vjp[=A,B]              with respect to the numbered arguments; without numbers, to every float and complex one
//   jvp[=A,B]              likewise
//   vmap[=IN[:OUT[:SIZE]]] lists of the batch axes of arguments and of results, -1 for none; an empty list has the
//   first
//                          axis of each. SIZE is a number or the name of a size; without it, a new name.
// Fails with a sentence that names the transform.
Result<ir::Function> transformed(const ir::Function& f, std::string_view spec);

}  // namespace frit::passes
