// The text of the shaders that sort rows by the digits of their keys, from the lowest on.
#pragma once

#include <string>

namespace frit::codegen::glsl {

// Ranks the elements of a tile by a digit, between kRowKeys and a main function. An invocation has EACH elements that
// are as far apart as its subgroup has LANES, so that neighbours have neighbouring elements. Words ORDER: the key of
// `w`, which is an element or a key. ROOM: words of shared memory. PLACES: the array of positions, or nothing.
extern const char* const kRadixRanks;
// A row in one tile. Words KEYS: what makes keys of elements. FIRST_PLACES: what sets positions. MOVE: what radix_move
// gives. STORE: how element `k` is stored at `to` of the result.
extern const char* const kRadixTile;
// One of the three launches for a digit of longer rows, by the turn: counts of the digit in each tile, sums of them,
// and the move. Words KEYS, MOVE and STORE as above. PLACE: what reads positions. PUT: how element `k` is stored at
// `to` for the next digit.
extern const char* const kRadixOwn;
extern const char* const kRadixLong;
// Moves an array's elements to their ranks. The invocation gets those at `at`.
std::string radix_move(const std::string& array, bool wide, const std::string& at);

}  // namespace frit::codegen::glsl
