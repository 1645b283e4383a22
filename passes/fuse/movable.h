// Finds the elementwise values that `fuse` may move behind the views that use them.
#pragma once

#include <vector>

#include "passes/manager/pass.h"

namespace frit::passes {

// For each value: whether it is elementwise work, or a view of such, that has one use and is computed in one place at
// each position if it moves to where that use is: behind index ops that repeat no element, up to an op that computes
// element by element. Little work on positions alone may have several uses.
std::vector<bool> find_movable(const ir::Function& f, const TargetTraits& target);

}  // namespace frit::passes
