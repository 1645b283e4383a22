// The loops of key_loops.h for one instruction set: included once by each of key_loops_avx512.cpp, key_loops_avx2.cpp
// and key_loops.cpp, inside an unnamed namespace. They define FRIT_ISA before, the attributes of a function for that
// set. The compiler makes the loops vector code.

template <class O>
FRIT_ISA bool keys_of(const void* elements, void* keys, int64_t n) {
  using Bits = typename O::Bits;
  const auto* const from = static_cast<const Bits*>(elements);
  auto* const __restrict to = static_cast<KeyOf<O>*>(keys);
  Bits changed = 0;
  for (int64_t i = 0; i < n; ++i) {
    const Bits bits = from[i], key = O::key(bits);
    to[i] = key;
    if constexpr (O::kLoses) changed |= static_cast<Bits>(O::bits(key) ^ bits);
  }
  return changed != 0;
}

template <class O>
FRIT_ISA void elements_of(const void* keys, void* elements, int64_t n) {
  using Bits = typename O::Bits;
  const auto* const from = static_cast<const KeyOf<O>*>(keys);
  auto* const to = static_cast<Bits*>(elements);
  if (static_cast<const void*>(from) == static_cast<void*>(to)) {
    for (int64_t i = 0; i < n; ++i) to[i] = O::bits(static_cast<Bits>(to[i]));
    return;
  }
  auto* const __restrict apart = to;
  for (int64_t i = 0; i < n; ++i) apart[i] = O::bits(static_cast<Bits>(from[i]));
}

template <class K>
FRIT_ISA KeyRange<K> range_of(const K* keys, int64_t n) {
  K low = static_cast<K>(~K{0}), high = 0;
  for (int64_t i = 0; i < n; ++i) {
    low = keys[i] < low ? keys[i] : low;
    high = keys[i] > high ? keys[i] : high;
  }
  return {low, high};
}

template <class K, class W>
FRIT_ISA void pack_of(const K* keys, int64_t n, const Packing<K>& packing, int64_t first, W* words) {
  const K low = packing.low;
  const int down = packing.down, below = packing.below;
  W* const __restrict to = words;
  for (int64_t i = 0; i < n; ++i)
    to[i] =
        static_cast<W>(static_cast<W>(static_cast<W>((keys[i] - low) >> down) << below) | static_cast<W>(first + i));
}

template <class K>
FRIT_ISA int64_t count_below_of(const K* keys, int64_t n, K key) {
  // Counts of 32 bits, which vectors of them hold, for parts of the keys.
  constexpr int64_t kPart = int64_t{1} << 30;
  int64_t count = 0;
  for (int64_t first = 0; first < n; first += kPart) {
    const int64_t last = n - first < kPart ? n : first + kPart;
    K own = 0;
    for (int64_t i = first; i < last; ++i) own += keys[i] < key ? 1 : 0;
    count += static_cast<int64_t>(own);
  }
  return count;
}

template <class K>
FRIT_ISA int64_t place_of(const K* keys, int64_t n, K key, int64_t number) {
  constexpr int64_t kBlock = 128;
  for (int64_t i = 0;; i += kBlock) {
    const int64_t end = n - i < kBlock ? n : i + kBlock;
    K equal = 0;
    for (int64_t j = i; j < end; ++j) equal += keys[j] == key ? 1 : 0;
    if (static_cast<int64_t>(equal) <= number && end < n) {
      number -= static_cast<int64_t>(equal);
      continue;
    }
    while (keys[i] != key || number-- > 0) ++i;
    return i;
  }
}

FRIT_ISA void narrow_of(const uint64_t* keys, int64_t n, uint64_t low, uint32_t* words) {
  uint32_t* const __restrict to = words;
  for (int64_t i = 0; i < n; ++i) to[i] = static_cast<uint32_t>(keys[i] - low);
}

FRIT_ISA void widen_of(const uint32_t* words, int64_t n, uint64_t low, uint64_t* keys) {
  uint64_t* const __restrict to = keys;
  for (int64_t i = 0; i < n; ++i) to[i] = words[i] + low;
}

template <class W>
FRIT_ISA void positions_of(const W* words, int64_t n, int below, uint32_t* out) {
  const W mask = static_cast<W>((W{1} << below) - 1);
  uint32_t* const __restrict to = out;
  for (int64_t i = 0; i < n; ++i) to[i] = static_cast<uint32_t>(words[i] & mask);
}

FRIT_ISA int64_t next_equal_of(const uint64_t* words, int64_t from, int64_t end, int below) {
  constexpr int64_t kBlock = 64;
  for (; from < end; from += kBlock) {
    const uint64_t* const block = words + from;
    const int64_t n = end - from < kBlock ? end - from : kBlock;
    uint64_t any = 0;
    for (int64_t i = 0; i < n; ++i) any |= (block[i] ^ block[i - 1]) >> below == 0 ? 1u : 0u;
    for (int64_t i = 0; any && i < n; ++i)
      if ((block[i] ^ block[i - 1]) >> below == 0) return from + i;
  }
  return end;
}

template <class O>
constexpr void put_type(KeyLoops& loops) {
  loops.types[key_type<O>()] = {keys_of<O>, elements_of<O>};
}

constexpr KeyLoops all_loops() {
  KeyLoops loops{};
  put_type<Order<uint8_t, Numbers::Unsigned>>(loops);
  put_type<Order<uint16_t, Numbers::Unsigned>>(loops);
  put_type<Order<uint32_t, Numbers::Unsigned>>(loops);
  put_type<Order<uint64_t, Numbers::Unsigned>>(loops);
  put_type<Order<uint8_t, Numbers::Signed>>(loops);
  put_type<Order<uint16_t, Numbers::Signed>>(loops);
  put_type<Order<uint32_t, Numbers::Signed>>(loops);
  put_type<Order<uint64_t, Numbers::Signed>>(loops);
  put_type<Order<uint16_t, Numbers::Float>>(loops);
  put_type<Order<uint16_t, Numbers::Float, true>>(loops);
  put_type<Order<uint32_t, Numbers::Float>>(loops);
  put_type<Order<uint64_t, Numbers::Float>>(loops);
  put_type<Order<uint64_t, Numbers::Complex>>(loops);
  loops.words32 = {range_of<uint32_t>, pack_of<uint32_t, uint32_t>, pack_of<uint32_t, uint64_t>,
                   count_below_of<uint32_t>, place_of<uint32_t>};
  loops.words64 = {range_of<uint64_t>, pack_of<uint64_t, uint32_t>, pack_of<uint64_t, uint64_t>,
                   count_below_of<uint64_t>, place_of<uint64_t>};
  loops.narrow = narrow_of;
  loops.widen = widen_of;
  loops.positions32 = positions_of<uint32_t>;
  loops.positions64 = positions_of<uint64_t>;
  loops.next_equal = next_equal_of;
  return loops;
}
