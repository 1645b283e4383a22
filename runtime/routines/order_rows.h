// The order of a row of keys: its positions as a stable sort of the keys would place them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "runtime/routines/key_loops.h"
#include "runtime/routines/routine.h"

namespace frit::runtime::routines {

// Calls part(first, last) for parts of [0, n), on the threads of the pool or in the calling one.
template <class Part>
void in_parts(int64_t n, bool threads, const Part& part) {
  if (threads)
    for_ranges(n, 1 << 14, part);
  else
    part(0, n);
}

inline const KeyWords<uint32_t>& key_words(const uint32_t*) { return key_loops().words32; }
inline const KeyWords<uint64_t>& key_words(const uint64_t*) { return key_loops().words64; }

template <class K>
KeyRange<K> range_of_keys(const K* keys, int64_t n, bool threads) {
  if (!threads) return key_words(keys).range(keys, n);
  std::atomic<K> low{static_cast<K>(~K{0})}, high{0};
  in_parts(n, true, [&](int64_t first, int64_t last) {
    const KeyRange<K> own = key_words(keys).range(keys + first, last - first);
    for (K now = low; own.low < now && !low.compare_exchange_weak(now, own.low);) {
    }
    for (K now = high; own.high > now && !high.compare_exchange_weak(now, own.high);) {
    }
  });
  return {low, high};
}

// How many bytes `order_row` needs in `memory`, which is aligned for words of 64 bits.
constexpr int64_t order_memory(int64_t n) { return 2 * n * static_cast<int64_t>(sizeof(uint64_t)); }

// Writes the positions of n keys that lie in `range`, `step` apart. False where there is no memory for long runs of
// keys that agree in their highest bits.
bool order_row(const uint32_t* keys, int64_t n, const KeyRange<uint32_t>& range, bool threads, void* memory,
               uint32_t* out, int64_t step);
bool order_row(const uint64_t* keys, int64_t n, const KeyRange<uint64_t>& range, bool threads, void* memory,
               uint32_t* out, int64_t step);

}  // namespace frit::runtime::routines
