// The work and the widths of a kernel's bodies, by which a schedule is chosen.
#pragma once

#include <cstdint>

#include "ir/kernel/kernel.h"

namespace frit::passes {

// The scalar operations of `body` itself, without its loops.
int64_t straight_work(const ir::Body& body);

// The scalar operations of `body` and its loops, at least 1, over the kernel's symbols. An extent that depends on an
// outer loop counts as in the first iteration of that loop.
Dim work(const ir::Kernel& k, const ir::Body& body);

// The scalar operations of one iteration of every loop inside, which measure the registers that an unrolled copy needs.
int64_t leaf_work(const ir::Body& body);

int accumulator_count(const ir::Body& body);

// Of the loops that have no loop in them. The position of an extreme lies beside it.
int innermost_accumulators(const ir::Body& body);

// The bytes of the widest element. A position that a loop in the body finds is as wide as the loop's values until the
// loop ends.
int widest(const ir::Kernel& k, const ir::Body& body);

// The bytes of the shortest element that the body reads.
int64_t narrowest(const ir::Kernel& k, const ir::Body& body);

// Whether the accumulator is the position of an extreme.
bool finds_position(const ir::Accumulator& a);

// Whether a loop in the body has such an accumulator.
bool finds_positions(const ir::Body& body);

// Whether some access depends on the loop's variable. The parts of a scatter differ in the updates that they apply.
bool accesses_move(const ir::Loop& loop);

}  // namespace frit::passes
