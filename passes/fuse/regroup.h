// Writes the groups that `fuse` has decided on into the function.
#pragma once

#include <vector>

#include "ir/graph/graph.h"

namespace frit::passes {

struct OpGroup {
  ir::GroupKind kind;
  std::vector<uint32_t> ops;  // indices into Function::ops
};

// Reorders the ops of `f` so that each group stands together, in the order given, with a copy of each op in `floating`
// (by op) in every group that uses it, and writes Function::groups. Groups read only results of groups before them.
// `numbers`, where it is not null, gets the number in Function::groups of each of `groups`.
void regroup(ir::Function& f, std::vector<OpGroup> groups, const std::vector<bool>& floating,
             std::vector<int32_t>* numbers = nullptr);

}  // namespace frit::passes
