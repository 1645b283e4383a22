// Short rows that are padded along the axis in front of them, as of images whose channels are last.
//
// A row and the axis in front of it are one axis but for the comparisons of its position with the edges. Position o of
// n elements is at least t where element o * n + i is at least t * n, so that these are comparisons of elements, too.
#pragma once

#include "ir/kernel/kernel.h"

namespace frit::passes {

// Makes the two innermost loops of the nest `loop` one if only such comparisons are in the way, and the rows have few
// elements. Returns whether it did.
bool join_padded_rows(ir::Kernel& k, ir::Loop& loop);

}  // namespace frit::passes
