// Rewriting of perfect loop nests, of which `schedule` is made. No rewriting changes a result.
#pragma once

#include <functional>
#include <string>

#include "ir/kernel/kernel.h"

namespace frit::passes {

// Applies `f` to every position and extent inside `body`.
void rewrite_dims(ir::Body& body, const std::function<Dim(const Dim&)>& f);
void for_each_dim(const ir::Body& body, const std::function<void(const Dim&)>& f);

// The loop that ends `body` if it is the only loop there and the instructions before it depend on no loop. Null
// otherwise. Stores to buffers from `first_local` on put the loop in no order: scratch memory is each iteration's own.
ir::Loop* inner_of_nest(ir::Body& body, uint32_t first_local = ~0u);
bool contains_loop(const ir::Body& body);
bool contains_lanes(const ir::Body& body);
// Whether the instruction neither loops nor binds a position, and whether all of a body are such ones.
bool is_straight(const ir::Instr& instr);
bool is_straight_line(const ir::Body& body);
bool loads_under_mask(const ir::Body& body);

// Makes `outer` and the loop nested in it one loop, when every position inside treats their variables as one row-major
// position.
bool collapse(ir::Loop& outer, uint32_t first_local = ~0u);

// Makes them one loop over the product whatever the positions are, at the price of a division per iteration.
void merge(ir::Loop& outer, const DimFacts& facts, uint32_t first_local = ~0u);

// Splits the innermost loop of a two-deep nest into chunks and merges the chunk number into `outer`.
void merge_chunks(ir::Loop& outer, int64_t chunk, const DimFacts& facts);

// The name, or with underscores behind it where a symbol of the kernel has it.
std::string unlike_symbols(const ir::Kernel& k, std::string name);
// Likewise where a symbol, a loop or a binding has it.
std::string unlike_all(const ir::Kernel& k, std::string name);
// Adds scratch memory under the name, or with underscores behind it where a buffer has it. Returns its number.
uint32_t add_local(ir::Kernel& k, std::string name, Dtype dtype, const Dim& elements);

// Splits a loop: its iterations become those of a new loop inside, named `var`, `count` at a time.
void strip(ir::Loop& outer, int64_t count, const std::string& var, const DimFacts& facts);

// Cuts a perfect nest around straight-line code into tiles of at most `rows` by `columns` iterations, if the nest
// strides through memory along its innermost loop and moves side by side along another one. The innermost axis becomes
// the columns. `outer` then runs over the tiles and all other loops, with the two loops of a tile inside. `var` names
// the new loop, if one is needed. Returns whether the nest was cut.
bool tile(ir::Loop& outer, int64_t rows, int64_t columns, const std::string& var, const DimFacts& facts);

// The number of the loop of the nest that would become the rows, if both it and the innermost one may have `worth`
// turns; -1 where the nest is not to be cut.
int axis_to_tile(ir::Loop& outer, const DimFacts& facts, int64_t worth);

// The same with loop number `axis` of the nest as the rows, around any body.
void tile_axis(ir::Loop& outer, size_t axis, int64_t rows, int64_t columns, const std::string& var,
               const DimFacts& facts);

}  // namespace frit::passes
