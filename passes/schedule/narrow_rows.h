// Nests of two loops over rows of a few vectors, and rows that repeat others.
#pragma once

#include "ir/kernel/kernel.h"

namespace frit::passes {

// Cuts the innermost loop of a nest where its positions begin anew: a position `v % n` of loop variable v becomes that
// of a loop over n inside a loop over the repetitions, named `var`. Returns whether it did.
bool cut_where_wrapped(const ir::Kernel& k, ir::Loop& nest, const std::string& var);

// The vectors of a step along loop variable `var` after which elements that are repeated begin anew, so that the lanes
// of each vector are a known shuffle; 1 where none are repeated, or too often.
int64_t vectors_of_repeats(const ir::Body& body, const std::string& var, int64_t lanes);

// Whether a loop, or a nest of two, writes all elements one behind the other, and reads each operand in the same order
// or each element several times in a row.
bool has_repeats(ir::Loop& nest, const DimFacts& facts);

// Makes it one loop over all elements, by pieces of whole steps; the inner loop's variable is `var`.
void join_repeats(ir::Kernel& k, ir::Loop& nest, int64_t lanes, const std::string& var);

// Whether a nest of two loops writes rows of a few vectors, the last of them not full, one behind the other, and reads
// each operand in the same order, or the same row again and again, or each element several times in a row.
bool has_narrow_rows(ir::Loop& rows, int lanes, const DimFacts& facts);

// Makes the nest loops over the elements of several rows, so that all vectors are full and aligned. A row that is read
// again and again is stored as often in scratch memory first.
void join_narrow_rows(ir::Kernel& k, ir::Loop& rows, int lanes);

}  // namespace frit::passes
