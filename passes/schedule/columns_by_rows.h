// Columns that are reduced or scanned row by row, with the values of a piece of the columns in scratch memory.
#pragma once

#include <set>
#include <string>

#include "ir/kernel/kernel.h"

namespace frit::passes {

// Columns of a row that is read as a whole where blocks of rows give the threads work: memory is read in order then,
// which is twice as fast as pieces of far rows, however long, and makes up for sums in the second-level cache.
inline constexpr int64_t kWholeRow = 6144;

// Whether the iterations of `columns` are columns, with loops over their rows inside, that can go on side by side: each
// row is then read in one long run, where a few columns at a time jump from row to row.
bool goes_by_rows(const ir::Loop& columns, const DimFacts& facts);

// Cuts the loop into pieces of columns. In a piece, each loop over rows has a loop named `var` over the columns inside;
// accumulators and values between the loops lie in locals. Sums take some rows at a time. `threads` that share the
// pieces are 0 where their number is not known. Returns the variables of loops over columns that gain nothing by being
// unrolled: they run once for many rows, or take some rows at a time.
std::set<std::string> run_by_rows(ir::Kernel& k, ir::Loop& columns, int threads, const std::string& var);

}  // namespace frit::passes
