// Orders rows of keys by words of a key and its position, which are sorted as numbers.
#include "runtime/routines/order_rows.h"

#include <bit>
#include <type_traits>

#include "runtime/execute/scratch.h"
#include "runtime/routines/counting.h"
#include "runtime/routines/radix.h"

namespace frit::runtime::routines {
namespace {

template <class W>
void put_positions(const W* words, int64_t n, int below, uint32_t* out, int64_t step) {
  if (step == 1) {
    if constexpr (sizeof(W) == 4)
      key_loops().positions32(words, n, below, out);
    else
      key_loops().positions64(words, n, below, out);
    return;
  }
  const W mask = static_cast<W>((W{1} << below) - 1);
  for (int64_t i = 0; i < n; ++i) out[i * step] = static_cast<uint32_t>(words[i] & mask);
}

template <class K>
struct OrderRow {
  const K* keys;
  int64_t n;
  KeyRange<K> range;
  bool threads;
  uint32_t* out;
  int64_t step;

  // Sorts words of the packing, and writes their positions. The words are in `words`, which has room for 2 * n.
  template <class W>
  void by_words(W* words, const Packing<K>& packing, int bits) const {
    in_parts(n, threads, [&](int64_t first, int64_t last) {
      if constexpr (sizeof(W) == 4)
        key_words(keys).pack32(keys + first, last - first, packing, first, words + first);
      else
        key_words(keys).pack64(keys + first, last - first, packing, first, words + first);
    });
    const RadixSort<W> radix(packing.below, packing.below + bits);
    threads ? radix.run_on_threads(words, words + n, n, false) : radix.run(words, words + n, n, false);
    in_parts(n, threads, [&](int64_t first, int64_t last) {
      put_positions(words + first, last - first, packing.below, out + first * step, step);
    });
  }

  // Orders the runs of words that agree in the bits of keys that they have, and begin in [first, last). Other threads
  // read the words.
  bool order_runs(const uint64_t* words, int below, int64_t first, int64_t last) const {
    constexpr int64_t kFew = 24;
    const auto same = [&](int64_t i) { return (words[i] ^ words[i - 1]) >> below == 0; };
    while (first > 0 && first < last && same(first)) ++first;
    for (int64_t i = std::max<int64_t>(first, 0) + 1;; ++i) {
      // A run that begins in the last place ends behind it.
      i = key_loops().next_equal(words, std::min(i, n), std::min(last + 1, n), below);
      if (i >= std::min(last + 1, n)) return true;
      const int64_t begin = i - 1;
      while (i < n && same(i)) ++i;
      if (begin >= last) return true;
      if (i - begin <= kFew)
        order_short_run(words, below, begin, i);
      else if (!order_long_run(words, below, begin, i))
        return false;
    }
  }

  // By insertion.
  void order_short_run(const uint64_t* words, int below, int64_t begin, int64_t end) const {
    const uint64_t mask = (uint64_t{1} << below) - 1;
    for (int64_t k = begin; k < end; ++k) {
      const auto own = static_cast<uint32_t>(words[k] & mask);
      int64_t at = k;
      for (; at > begin && keys[out[(at - 1) * step]] > keys[own]; --at) out[at * step] = out[(at - 1) * step];
      out[at * step] = own;
    }
  }

  // The keys of a run differ in as many bits as the words left out: those bits and places in the run make words.
  bool order_long_run(const uint64_t* words, int below, int64_t begin, int64_t end) const {
    const int64_t count = end - begin;
    const uint64_t mask = (uint64_t{1} << below) - 1;
    Scratch memory(static_cast<size_t>(2 * count) * sizeof(uint64_t));
    auto* const own = static_cast<uint64_t*>(memory.data());
    if (!own) return false;
    const auto key = [&](int64_t k) { return keys[words[begin + k] & mask]; };
    KeyRange<K> inner;
    for (int64_t k = 0; k < count; ++k) {
      inner.low = std::min(inner.low, key(k));
      inner.high = std::max(inner.high, key(k));
    }
    const int place_bits = static_cast<int>(std::bit_width(static_cast<uint64_t>(count - 1)));
    for (int64_t k = 0; k < count; ++k)
      own[k] = static_cast<uint64_t>(key(k) - inner.low) << place_bits | static_cast<uint64_t>(k);
    RadixSort<uint64_t>(place_bits, place_bits + inner.bits()).run(own, own + count, count, false);
    const uint64_t places = (uint64_t{1} << place_bits) - 1;
    for (int64_t k = 0; k < count; ++k)
      out[(begin + k) * step] = static_cast<uint32_t>(words[begin + static_cast<int64_t>(own[k] & places)] & mask);
    return true;
  }

  bool run(void* memory) const {
    const int bits = range.bits(), below = static_cast<int>(std::bit_width(static_cast<uint64_t>(n - 1)));
    auto* const narrow = static_cast<uint32_t*>(memory);
    auto* const wide = static_cast<uint64_t*>(memory);
    if (counts_order_positions(bits, n)) {
      order_by_counts(keys, n, range.low, bits, threads ? num_threads() : 1, out, step);
    } else if (!threads && halves_order_positions(bits, below, n)) {
      order_by_halves(keys, n, range.low, bits, below, narrow, out, step);
    } else if (bits + below <= 32) {
      by_words(narrow, {range.low, 0, below}, bits);
    } else if (bits + below <= 64) {
      by_words(wide, {range.low, 0, below}, bits);
    } else {
      by_words(wide, {range.low, bits + below - 64, below}, 64 - below);
      std::atomic<bool> ok{true};
      in_parts(n, threads, [&](int64_t first, int64_t last) {
        if (!order_runs(wide, below, first, last)) ok = false;
      });
      return ok;
    }
    return true;
  }
};

}  // namespace

bool order_row(const uint32_t* keys, int64_t n, const KeyRange<uint32_t>& range, bool threads, void* memory,
               uint32_t* out, int64_t step) {
  return OrderRow<uint32_t>{keys, n, range, threads, out, step}.run(memory);
}

bool order_row(const uint64_t* keys, int64_t n, const KeyRange<uint64_t>& range, bool threads, void* memory,
               uint32_t* out, int64_t step) {
  return OrderRow<uint64_t>{keys, n, range, threads, out, step}.run(memory);
}

}  // namespace frit::runtime::routines
