// Rows that begin anywhere in a line, whose results are written past the caches.
//
// Full vectors of a non-temporal store must be aligned. Where the rows of a result do not keep their place in a line,
// the vector loop over a row goes up to the next line first (codegen/llvm/emit_edges.cpp).
#pragma once

#include <set>
#include <vector>

#include "ir/kernel/program.h"

namespace frit::passes {

inline constexpr int64_t kLineBytes = 64;

// The buffers of each kernel that begin anywhere in a line: parts of others, such as a step's place in the result of
// all steps of a scan.
using LooseBuffers = std::set<uint32_t>;
std::vector<LooseBuffers> loose_buffers(const ir::Program& p);

// The results of a kernel that are written past the caches: those that begin at a line and have as many bytes as the
// last cache, or half as many where all that the kernel reads and writes is more than it by a quarter.
struct StreamedResults {
  int64_t bytes;
  LooseBuffers loose;
  // Whether rows are written a piece at a time, behind passes that read the piece. The processor then reads each line
  // before it is written, which it does not do for rows as a whole, and the lines push out operands that are read
  // again. So a quarter of the cache is enough, if there are five eighths of it with the operands.
  bool by_pieces = false;
  bool whole_rows = false;   // a piece is all of a row
  bool masks_small = false;  // vectors of 16-bit elements are stored under a mask
  // Whether the store is of such a result, which the kernel does not read.
  bool take(const ir::StoreInstr& store, const ir::Kernel& k) const;
};

// Marks the stores of the vector loop `loop` in the body `row` if it is worth beginning at a line, and all of them can.
void stream_from_lines(ir::Loop& loop, const ir::Body& row, const StreamedResults& streamed, const ir::Kernel& k);

}  // namespace frit::passes
