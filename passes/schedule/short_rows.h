// Rows shorter than two vectors: a vector loop over the rows, with the loops along each row inside.
#pragma once

#include <cstdint>

#include "ir/kernel/kernel.h"
#include "passes/schedule/stream_lines.h"

namespace frit::passes {

// Whether the loops in `body` are so short that most lanes of their vectors would be empty. `lanes` is how many
// elements a vector holds.
bool has_short_loops(const ir::Body& body, int lanes);

// How rows that are lanes are turned on their way from memory and back: not at all, by tiles of which the last is
// masked, or by whole tiles of which the last two overlap, for rows of a tile and more.
enum class Staging : uint8_t { None, Masked, Whole };

// Whether the loops inside a parallel loop over rows are so short, or so little longer that the rows are better lanes.
bool has_short_rows(const ir::Kernel& k, const ir::Loop& rows, int lanes, Staging staging);

// Makes the rows the lanes of a vector loop named `var`, inside the parallel loop. Each lane gets its own part of the
// kernel's locals. Of the results in `streamed`, rows are written past the caches where turning them allows it.
void put_rows_in_lanes(ir::Kernel& k, ir::Loop& rows, int lanes, Staging staging, const std::string& var,
                       const StreamedResults& streamed);

// Whether the last loop of short rows writes their elements one behind the other, from what is in memory and from
// values of the row. Vectors of them need no turning.
bool writes_in_order(const ir::Kernel& k, const ir::Loop& rows, int lanes);

// The last loop of each of at most `count` iterations of `head`, taken off it, as one loop over all their elements.
ir::Loop take_elements(ir::Kernel& k, ir::Loop& head, int64_t count, int lanes);

// The part of put_rows_in_lanes that turns `count` rows at a time: `outer` holds the loop over them.
void stage_rows(ir::Kernel& k, ir::Loop& outer, int64_t count, int lanes, Staging staging = Staging::Masked,
                const StreamedResults* streamed = nullptr);

// Whether a nest of two loops writes rows shorter than a vector one behind the other, and reads each operand in the
// same order, once for each row, or the same row again and again.
bool has_short_columns(ir::Loop& rows, int lanes, const DimFacts& facts);

// Makes the nest one vector loop, named `var`, over the elements of several rows inside the parallel loop. A step takes
// whole rows, so that the lanes of every step meet the same columns.
void join_short_columns(ir::Kernel& k, ir::Loop& rows, int lanes, const std::string& var);

// Whether a parallel loop of many iterations has one loop inside, over fewer columns than a vector holds (two where the
// columns' extremes are taken), and reduces each in a loop of as many steps for all.
bool has_narrow_columns(ir::Loop& blocks, int lanes, const DimFacts& facts);

// Whether the processor has several such blocks under way as they are: the rows are few, or elements of 8 or 16 bits,
// which have no lane masks, cost more than a chain that waits. A block that is a vector has no mask.
bool blocks_overlap(const ir::Kernel& k, ir::Loop& blocks, int lanes);

// Runs `lanes` iterations of the parallel loop side by side, as iterations of a loop `var` inside it: the sums of one
// would wait for each other. `shorter`: vectors have no more lanes than the columns need.
void put_blocks_side_by_side(ir::Kernel& k, ir::Loop& blocks, int lanes, bool shorter, const std::string& var);
// Makes the blocks the lanes of vectors, for columns so few that a vector would be nearly empty. Each lane is read by
// itself.
void put_blocks_in_lanes(ir::Kernel& k, ir::Loop& blocks, int lanes, const std::string& var);

}  // namespace frit::passes
