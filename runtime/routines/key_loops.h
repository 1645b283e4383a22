// Loops over the keys of rows (order.h) for each instruction set: elements to keys and back, keys and positions to
// words.
//
// Elements of at most 32 bits have keys of 32 bits, the others of 64.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "runtime/routines/order.h"

namespace frit::runtime::routines {

template <class O>
using KeyOf = std::conditional_t<sizeof(typename O::Bits) == 8, uint64_t, uint32_t>;

template <class K>
struct KeyRange {
  K low = static_cast<K>(~K{0}), high = 0;
  // How many bits hold the difference between a key and the least one.
  int bits() const { return high > low ? static_cast<int>(std::bit_width(static_cast<K>(high - low))) : 0; }
};

// A word is a key less `low`, without its `down` lowest bits, above `below` bits that hold its position.
template <class K>
struct Packing {
  K low = 0;
  int down = 0, below = 0;
};

template <class K>
struct KeyWords {
  KeyRange<K> (*range)(const K* keys, int64_t n);
  // The first word is that of position `first`.
  void (*pack32)(const K* keys, int64_t n, const Packing<K>& packing, int64_t first, uint32_t* words);
  void (*pack64)(const K* keys, int64_t n, const Packing<K>& packing, int64_t first, uint64_t* words);
  // How many keys are less than `key`, and the place of key number `number`, from 0, of those that equal it.
  int64_t (*count_below)(const K* keys, int64_t n, K key);
  int64_t (*place)(const K* keys, int64_t n, K key, int64_t number);
};

// Elements of one type.
struct KeyElements {
  // Writes the keys of elements, and says whether some key does not give its element back.
  bool (*keys)(const void* elements, void* keys, int64_t n);
  // Writes the elements of keys, which may lie in the same place if both have one size.
  void (*elements)(const void* keys, void* elements, int64_t n);
};

struct KeyLoops {
  KeyElements types[20];  // by key_type()
  KeyWords<uint32_t> words32;
  KeyWords<uint64_t> words64;
  void (*narrow)(const uint64_t* keys, int64_t n, uint64_t low, uint32_t* words);
  void (*widen)(const uint32_t* words, int64_t n, uint64_t low, uint64_t* keys);
  // The lowest `below` bits of words.
  void (*positions32)(const uint32_t* words, int64_t n, int below, uint32_t* out);
  void (*positions64)(const uint64_t* words, int64_t n, int below, uint32_t* out);
  // The first of the words [from, end) that agrees with the one before it above the `below` lowest bits, or `end`.
  int64_t (*next_equal)(const uint64_t* words, int64_t from, int64_t end, int below);
};

template <class O>
constexpr int key_type() {
  constexpr int kSize = sizeof(typename O::Bits) == 1   ? 0
                        : sizeof(typename O::Bits) == 2 ? 1
                        : sizeof(typename O::Bits) == 4 ? 2
                                                        : 3;
  return 5 * kSize + (O::kIsBrain ? 4 : static_cast<int>(O::kNumbers));
}

// The loops for this processor.
const KeyLoops& key_loops();

#if defined(__x86_64__) && defined(__GNUC__)
extern const KeyLoops kKeysAvx512, kKeysAvx2;
#endif

}  // namespace frit::runtime::routines
