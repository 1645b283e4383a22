// Sorting of keys that lie in a short range, by counts of each of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/routines/routine.h"

namespace frit::runtime::routines {

// Keys in a range of so many bits are counted in the cache that is nearest to the processor, or in the next one.
constexpr int kFewBits = 11, kMostBits = 16;

// Fewer positions are sorted sooner by comparisons.
constexpr int64_t kManyPositions = 1024;

// Whether n keys in a range of so many bits are sorted by counts sooner than by comparisons: beside a step for each
// key there is one for each number of the range.
constexpr bool counts_order_keys(int bits, int64_t n) { return bits <= kMostBits && n >= int64_t{2} << bits; }
// The same for positions, which are written one by one.
constexpr bool counts_order_positions(int bits, int64_t n) {
  return bits <= kFewBits && n >= kManyPositions && n >= int64_t{4} << bits;
}
// Two steps of half of the bits each; words of 32 bits hold a position and the upper half.
constexpr bool halves_order_positions(int bits, int position_bits, int64_t n) {
  return bits <= kMostBits && position_bits + (bits + 1) / 2 <= 32 && n >= int64_t{4} << kFewBits;
}

// The counts of each key less `low`, for each of `parts` parts of the keys.
template <class K>
std::vector<uint32_t> counts_of(const K* keys, int64_t n, K low, int bits, int64_t parts) {
  const size_t range = size_t{1} << bits;
  std::vector<uint32_t> counts(static_cast<size_t>(parts) * range, 0);
  for_ranges(parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part) {
      uint32_t* const own = &counts[static_cast<size_t>(part) * range];
      int64_t i = n * part / parts;
      const int64_t last = n * (part + 1) / parts;
      // An increment waits for the last one of the same count, so neighbours have counts of their own.
      if (bits <= 8 && last - i > 64) {
        uint32_t more[3][size_t{1} << 8] = {};
        for (; i + 4 <= last; i += 4) {
          ++own[keys[i] - low];
          for (int k = 0; k < 3; ++k) ++more[k][keys[i + 1 + k] - low];
        }
        for (size_t d = 0; d < range; ++d) own[d] += more[0][d] + more[1][d] + more[2][d];
      }
      for (; i < last; ++i) ++own[keys[i] - low];
    }
  });
  return counts;
}

// Sorts keys in place.
template <class K>
void sort_by_counts(K* keys, int64_t n, K low, int bits, int64_t parts) {
  constexpr uint32_t kAtOnce = 16;
  const size_t range = size_t{1} << bits;
  std::vector<uint32_t> counts = counts_of(keys, n, low, bits, parts);
  for (int64_t part = 1; part < parts; ++part)
    for (size_t d = 0; d < range; ++d) counts[d] += counts[static_cast<size_t>(part) * range + d];
  if (parts > 1) {
    std::vector<uint32_t> starts(range);
    uint32_t sum = 0;
    for (size_t d = 0; d < range; ++d) starts[d] = std::exchange(sum, sum + counts[d]);
    for_ranges(static_cast<int64_t>(range), 1, [&](int64_t begin, int64_t end) {
      for (auto d = static_cast<size_t>(begin); d < static_cast<size_t>(end); ++d)
        std::fill_n(keys + starts[d], counts[d], static_cast<K>(low + d));
    });
    return;
  }
  K *at = keys, *const end = keys + n;
  for (size_t d = 0; d < range; ++d) {
    const uint32_t count = counts[d];
    const K key = static_cast<K>(low + d);
    // Most counts are small: whole vectors are written, and the next keys overwrite the rest.
    if (end - at < kAtOnce) {
      std::fill_n(at, count, key);
    } else {
      for (uint32_t i = 0; i < kAtOnce; ++i) at[i] = key;
      if (count > kAtOnce) std::fill_n(at + kAtOnce, count - kAtOnce, key);
    }
    at += count;
  }
}

// Writes the positions of keys in their order.
template <class K>
void order_by_counts(const K* keys, int64_t n, K low, int bits, int64_t parts, uint32_t* out, int64_t step) {
  const size_t range = size_t{1} << bits;
  std::vector<uint32_t> at = counts_of(keys, n, low, bits, parts);
  uint32_t sum = 0;
  for (size_t d = 0; d < range; ++d)
    for (int64_t part = 0; part < parts; ++part) {
      uint32_t& own = at[static_cast<size_t>(part) * range + d];
      sum += std::exchange(own, sum);
    }
  for_ranges(parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part) {
      uint32_t* const own = &at[static_cast<size_t>(part) * range];
      const int64_t last = n * (part + 1) / parts;
      for (int64_t i = n * part / parts; i < last; ++i) out[own[keys[i] - low]++ * step] = static_cast<uint32_t>(i);
    }
  });
}

// The same by halves of the bits, the lower one first. `words` is memory for n words.
template <class K>
void order_by_halves(const K* keys, int64_t n, K low, int bits, int position_bits, uint32_t* words, uint32_t* out,
                     int64_t step) {
  const int half = bits / 2;
  const uint32_t lower = (1u << half) - 1;
  std::vector<uint32_t> first(size_t{1} << half, 0), second(size_t{1} << (bits - half), 0);
  for (int64_t i = 0; i < n; ++i) {
    const auto key = static_cast<uint32_t>(keys[i] - low);
    ++first[key & lower];
    ++second[key >> half];
  }
  uint32_t sum = 0;
  for (uint32_t& at : first) sum += std::exchange(at, sum);
  sum = 0;
  for (uint32_t& at : second) sum += std::exchange(at, sum);
  for (int64_t i = 0; i < n; ++i) {
    const auto key = static_cast<uint32_t>(keys[i] - low);
    words[first[key & lower]++] =
        static_cast<uint32_t>(uint64_t{key >> half} << position_bits) | static_cast<uint32_t>(i);
  }
  const auto position = static_cast<uint32_t>((uint64_t{1} << position_bits) - 1);
  for (int64_t i = 0; i < n; ++i) {
    const uint32_t upper = static_cast<uint32_t>(uint64_t{words[i]} >> position_bits);
    out[second[upper]++ * step] = words[i] & position;
  }
}

}  // namespace frit::runtime::routines
