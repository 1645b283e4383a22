// Schedules for devices that run a grid of invocations in workgroups, and the queries that code generation needs.
//
// There are four mappings; none changes a result. grid_columns.h has the fourth one, Columns.
// - Elements: an invocation takes `vector` consecutive iterations of the parallel loop.
// - Rows, if a loop has lanes or the kernel has locals: a workgroup takes one iteration of the parallel loop. Loops
//   inside are spread over its invocations, `vector` consecutive iterations each. lanes / vector / unroll is the number
//   of invocations: with `unroll` above 1, an invocation has states of as many turns, in each of which neighbouring
//   invocations take neighbouring elements.
// - Tiles, if an operand is strided along the innermost axis but contiguous along another axis: a workgroup takes one
//   iteration of the parallel loop, which is a tile of both axes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/kernel/kernel.h"
#include "passes/manager/pass.h"

namespace frit::passes {

// Sets `vector` of every loop that is spread, merges the loops that become the parallel one, and removes lanes that no
// iteration reaches.
void schedule_grid(ir::Kernel& k, const TargetTraits& target);

// The two loops of a tile around straight-line code, kGridTile iterations each, or more of one of them where the other
// is short: the tile has as many elements at most. Null if the kernel is not one of tiles.
inline constexpr int kGridTile = 64, kGridTileSide = 512;
struct GridTile {
  const ir::Loop* row = nullptr;
  const ir::Loop* column = nullptr;  // the inner one
  int rows = 0, columns = 0;         // of a whole tile
};
GridTile tile_of(const ir::Kernel& k);
// Whether `index` is contiguous along the rows of the tile and strided along its columns.
bool is_across(const Dim& index, const GridTile& tile);

// The length of the rows where `index` is the place of an element, `loop`'s iteration, of row `rows`' iteration, of
// rows that lie behind one another: length * row + element + an offset.
std::optional<int64_t> place_in_rows(const Dim& index, const ir::Loop& rows, const ir::Loop* loop);

// Whether the kernel uses the mapping Rows.
bool has_rows(const ir::Kernel& k);
// The invocations of a workgroup that computes a row: one number for all loops of the kernel.
int row_invocations(const ir::Kernel& k);
// Lets at most `most` invocations, a power of two, compute a row: they take more turns.
void limit_invocations(ir::Kernel& k, int most);

// The change of a position over `vector` consecutive values of a loop variable, the first of which is a multiple of
// `vector`.
struct Stride {
  enum class Kind : uint8_t { Uniform, Contiguous, Other } kind = Kind::Other;
  bool aligned = false;  // the first position is a multiple of `vector` ...
  // ... if these symbols of the kernel are multiples of it; Contiguous may depend on them as well
  std::vector<std::string> multiples;
};
Stride stride_of(const Dim& position, const std::string& var, int vector, const ir::Kernel& k);

// Whether `d` is a multiple of `factor` if the symbols added to `multiples` are.
bool is_multiple(const Dim& d, int64_t factor, const ir::Kernel& k, std::vector<std::string>& multiples);

// Whether the iterations of a loop inside a row may run at once: no iteration reads or writes an element that another
// one stores.
bool is_independent(const ir::Kernel& k, const ir::Loop& loop);

}  // namespace frit::passes
