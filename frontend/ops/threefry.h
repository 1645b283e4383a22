// Threefry 2x32 with 20 rounds (Salmon and others, "Parallel random numbers: as easy as 1, 2, 3", 2011).
#pragma once

#include <cstdint>
#include <utility>

#include "frontend/core/build.h"

namespace frit::detail {

// Two words from a counter and a key. `Word` is uint32_t, or an array of uint32.
template <class Word>
std::pair<Word, Word> threefry2x32(Word x, Word y, const Word& k0, const Word& k1) {
  constexpr uint32_t kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const Word keys[3] = {k0, k1, k0 ^ k1 ^ Word(uint32_t{0x1BD11BDA})};
  x = x + keys[0];
  y = y + keys[1];
  for (uint32_t i = 0; i < 5; ++i) {
    for (const uint32_t r : kRotations[i % 2]) {
      x = x + y;
      y = ((y << Word(r)) | (y >> Word(32 - r))) ^ x;
    }
    x = x + keys[(i + 1) % 3];
    y = y + (keys[(i + 2) % 3] + Word(i + 1));
  }
  return {x, y};
}

// Numbers of `width` bytes (1, 2 or 4) with every bit random: those of MLX for the key and the shape.
array random_bits(const array& key, const ir::Dims& sizes, int width);

}  // namespace frit::detail
