// Cuts loops that read many operands: a processor follows some ten runs of memory at once, and reads more of them at
// half of its speed.
#pragma once

#include "ir/kernel/kernel.h"

namespace frit::passes {

// Elements of the pieces that go through all loops before the next one.
inline constexpr int64_t kRunPiece = 2048;

// Whether a loop around straight-line code reads more operands side by side than the processor follows.
bool has_many_runs(const ir::Kernel& k, const ir::Loop& loop);

// Replaces a loop of at most kRunPiece iterations by several, each of which reads some of the operands. Scratch memory
// keeps the values that later loops need. Stores come last, so a result may lie over an operand of the last loop alone.
// `body` ends with the loop. Returns false and changes nothing where too many values would have to be kept.
bool cut_by_runs(ir::Kernel& k, ir::Body& body);

}  // namespace frit::passes
