// Schedules for devices that run a grid of invocations in workgroups, and what the code for them goes by.
//
// Three mappings. Elements: an invocation takes `vector` consecutive iterations of the parallel loop. Rows (where a
// loop has lanes, or the kernel has locals): a workgroup takes an iteration of the parallel loop, and loops inside are
// spread over its invocations, `vector` consecutive iterations each; lanes / vector is the number of invocations. Tiles
// (where an operand is read in steps along the innermost axis but lies side by side along another one): a workgroup
// takes an iteration of the parallel loop, which is a tile of both axes. None of it changes a result.
#pragma once

#include <string>
#include <vector>

#include "ir/kernel/kernel.h"
#include "passes/manager/pass.h"

namespace frit::passes {

// Sets `vector` of every loop that is spread, merges what becomes the parallel loop, and leaves out lanes that no
// iteration reaches.
void schedule_grid(ir::Kernel& k, const TargetTraits& target);

// The two loops of a tile, of at most kGridTile turns each, around straight-line code; null where the kernel is not one
// of tiles.
inline constexpr int kGridTile = 64;
struct GridTile {
  const ir::Loop* row = nullptr;
  const ir::Loop* column = nullptr;  // the inner one
};
GridTile tile_of(const ir::Kernel& k);
// Whether `index` goes by single elements along the rows of the tile and in steps along its columns.
bool is_across(const Dim& index, const GridTile& tile);

// Whether the kernel is one of rows.
bool has_rows(const ir::Kernel& k);
// Invocations of a workgroup that computes a row: one number for all loops of the kernel.
int row_invocations(const ir::Kernel& k);

// How a position changes over `vector` consecutive values of a loop variable, of which the first is a multiple of
// `vector`.
struct Stride {
  enum class Kind : uint8_t { Uniform, Contiguous, Other } kind = Kind::Other;
  bool aligned = false;  // the position of the first is a multiple of `vector` ...
  std::vector<std::string>
      multiples;  // ... where these symbols of the kernel are multiples of it; Contiguous may rest on them as well
};
Stride stride_of(const Dim& position, const std::string& var, int vector, const ir::Kernel& k);

// Whether `d` is a multiple of `factor` where the symbols that are added to `multiples` are.
bool is_multiple(const Dim& d, int64_t factor, const ir::Kernel& k, std::vector<std::string>& multiples);

// Whether the iterations of a loop inside a row may run at once: what one stores no other reads or writes.
bool is_independent(const ir::Kernel& k, const ir::Loop& loop);

}  // namespace frit::passes
