// Marks of a user's rules in the regions of an operation (ir/graph/custom.h).
#pragma once

#include <functional>

#include "ir/graph/graph.h"

namespace frit::detail {

// Whether a region of the attributes holds a mark or a rule, at any depth.
bool has_marks(const ir::AttrMap& attrs);

// The function without the marks that `drop` chooses, in regions too: their results are those of the user's function.
ir::Function without_marks(const ir::Function& f, const std::function<bool(const ir::Op&)>& drop);
// Without any.
ir::AttrMap without_marks(const ir::AttrMap& attrs);

// With `first` added to the numbers of all rules.
ir::Function with_rules_from(size_t first, ir::Function f);
ir::AttrMap with_rules_from(size_t first, const ir::AttrMap& attrs);

}  // namespace frit::detail
