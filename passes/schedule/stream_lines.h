// Rows that begin anywhere in a line, whose results are written past the caches.
//
// Full vectors of a non-temporal store must be aligned. Where the rows of a result do not keep their place in a line,
// the vector loop over a row goes up to the next line first (codegen/llvm/emit_edges.cpp).
#pragma once

#include "ir/kernel/kernel.h"

namespace frit::passes {

// Whether the store is of a result that has `stream_bytes` at least, and is only written.
bool leaves_cache(const ir::StoreInstr& store, int64_t stream_bytes, const ir::Kernel& k);

// Marks the stores of the vector loop `loop` if it is worth beginning at a line, and all of them can.
void stream_from_lines(ir::Loop& loop, int64_t stream_bytes, const ir::Kernel& k);

}  // namespace frit::passes
