// The routines "partition", "argpartition" and "topk" on the CPU: selection instead of a whole sort.
//
// A partition finds the key in the middle in linear time, and deals the elements around it in the order of the operand.
// For the largest elements, words of key and position have the order of a stable sort; keys alone suffice where each
// gives its element back.
#include <algorithm>
#include <atomic>
#include <numeric>
#include <type_traits>

#include "runtime/execute/scratch.h"
#include "runtime/routines/key_loops.h"
#include "runtime/routines/order.h"
#include "runtime/routines/order_rows.h"
#include "runtime/routines/ranked.h"
#include "runtime/routines/routine.h"

namespace frit::runtime::routines {
namespace {

__extension__ using uint128_t = unsigned __int128;

// Elements below which another thread does not pay.
constexpr int64_t kWorthwhile = 4096;
// Elements that are compared with the least of the largest ones at once: a block, and its parts where it has one to
// keep.
constexpr int64_t kBlock = 128, kPart = 16;
// Where fewer than one of so many elements is wanted, most elements are only compared with the least of those.
constexpr int64_t kRare = 32;

// Memory of one thread: a row's keys, positions, and room for what is made of them.
template <class W>
struct RowMemory {
  W *keys, *values, *dealt, *more;
};

template <class O>
class Select {
 public:
  using Bits = typename O::Bits;
  using Key = KeyOf<O>;
  using Word = std::conditional_t<sizeof(Bits) == 8, uint128_t, uint64_t>;
  static constexpr int kPositionBits = 32;
  static constexpr bool kVectors = sizeof(Word) == 8;

  Select(const LibraryTensor& x, const LibraryTensor& out) : from_(x), to_(out), n_(from_.length()) {}

  // Each row around its element kth.
  template <bool kPositions>
  bool partition(int64_t kth) const {
    return each_row<Key>(3 * n_ + ranked_memory(n_), [&](int64_t row, Key* memory) {
      const RowMemory<Key> room{memory, memory + n_, memory + 2 * n_, memory + 3 * n_};
      load_keys(from_.template start<Bits>(row), room.keys);
      if (narrows(room.keys)) {
        // Their positions are dealt, which are narrow too.
        const KeyRange<Key> range = range_of_keys(room.keys, n_, false);
        auto* const words = reinterpret_cast<uint32_t*>(room.values);
        auto* const dealt = reinterpret_cast<uint32_t*>(room.dealt);
        narrow(room.keys, range.low, words);
        return deal<uint32_t, kPositions, true>(row, kth,
                                                {words, words + n_, dealt, reinterpret_cast<uint32_t*>(room.more)});
      }
      deal<Key, kPositions, kPositions>(row, kth, room);
    });
  }

  // The `k` largest elements of each row, ascending.
  bool largest(int64_t k) const {
    if (k < n_ / kRare && kVectors)
      return each_row<Word>(words_memory(k), [&](int64_t row, Word* memory) { largest_by_words(row, k, memory); });
    std::atomic<bool> ok{true};
    const bool done = each_row<Key>(2 * n_ + ranked_memory(n_), [&](int64_t row, Key* memory) {
      if (!load_keys(from_.template start<Bits>(row), memory)) return largest_by_keys(row, k, memory);
      Scratch words(static_cast<size_t>(words_memory(k)) * sizeof(Word));
      if (words.data())
        largest_by_words(row, k, static_cast<Word*>(words.data()));
      else
        ok = false;
    });
    return done && ok;
  }

 private:
  // Writes the keys, and says whether some key does not give its element back.
  bool load_keys(const Bits* in, Key* keys) const {
    const int64_t step = from_.step();
    if (step == 1) return key_loops().types[key_type<O>()].keys(in, keys, n_);
    Bits changed = 0;
    for (int64_t i = 0; i < n_; ++i) {
      const Bits bits = in[i * step], key = O::key(bits);
      keys[i] = key;
      if constexpr (O::kLoses) changed |= static_cast<Bits>(O::bits(key) ^ bits);
    }
    return changed != 0;
  }

  // Whether keys of 64 bits lie in a range of 32.
  bool narrows(const Key* keys) const {
    if constexpr (sizeof(Key) == 8) return range_of_keys(keys, n_, false).bits() <= 32;
    return false;
  }
  void narrow(const Key* keys, Key low, uint32_t* words) const {
    if constexpr (sizeof(Key) == 8) key_loops().narrow(keys, n_, low, words);
  }

  // Deals a row around the key at rank kth. `kByPosition` deals positions, which are the result or point to it; else
  // the elements are dealt, as words of the keys' size.
  template <class W, bool kPositions, bool kByPosition>
  void deal(int64_t row, int64_t kth, const RowMemory<W>& room) const {
    using Result = std::conditional_t<kPositions, uint32_t, Bits>;
    const Bits* const in = from_.template start<Bits>(row);
    auto* const out = to_.template start<Result>(row);
    const int64_t step = from_.step(), to_step = to_.step();
    const W* values = room.values;
    if constexpr (kByPosition) {
      std::iota(room.values, room.values + n_, W{0});
    } else if (step == 1 && sizeof(W) == sizeof(Bits)) {
      values = reinterpret_cast<const W*>(in);
    } else {
      for (int64_t i = 0; i < n_; ++i) room.values[i] = static_cast<W>(in[i * step]);
    }
    constexpr bool kSame = kPositions == kByPosition && sizeof(W) == sizeof(Result);
    W* const dealt = kSame && to_step == 1 ? reinterpret_cast<W*>(out) : room.dealt;
    deal_around(room.keys, values, kth, dealt, room.more);
    if (static_cast<const void*>(dealt) == static_cast<const void*>(out)) return;
    for (int64_t i = 0; i < n_; ++i)
      if constexpr (kByPosition && !kPositions)
        out[i * to_step] = in[static_cast<int64_t>(dealt[i]) * step];
      else
        out[i * to_step] = static_cast<Result>(dealt[i]);
  }

  template <class W>
  void deal_around(const W* keys, const W* values, int64_t kth, W* dealt, W* memory) const {
    const W middle = ranked_word(keys, n_, kth, memory);
    const auto& loops = key_words(keys);
    const int64_t at = loops.place(keys, n_, middle, kth - loops.count_below(keys, n_, middle));
    dealt[kth] = values[at];
    // Of elements that equal the one in the middle, those before it go to the front.
    if (vector_sort()) {
      const int64_t front = word_sort(keys).deal_values(keys, values, at, middle, false, dealt, dealt + kth + 1);
      word_sort(keys).deal_values(keys + at + 1, values + at + 1, n_ - at - 1, middle, true, dealt + front,
                                  dealt + kth + 1 + (at - front));
      return;
    }
    // A mask chooses the place, as no branch on data is foreseen.
    int64_t front = 0, back = kth + 1;
    const auto one = [&](int64_t i, bool low) {
      dealt[back ^ ((front ^ back) & -static_cast<int64_t>(low))] = values[i];
      front += low;
      back += !low;
    };
    for (int64_t i = 0; i < at; ++i) one(i, keys[i] <= middle);
    for (int64_t i = at + 1; i < n_; ++i) one(i, keys[i] < middle);
  }

  // By keys that give their elements back. `memory` has the keys, and room behind them.
  void largest_by_keys(int64_t row, int64_t k, Key* keys) const {
    Key *const kept = keys + n_, *const more = kept + n_;
    if (narrows(keys)) {
      const Key low = range_of_keys(keys, n_, false).low;
      auto* const words = reinterpret_cast<uint32_t*>(kept);
      narrow(keys, low, words);
      keep_largest_keys(words, k, words + n_, reinterpret_cast<uint32_t*>(more));
      for (int64_t i = 0; i < k; ++i) keys[i] = static_cast<Key>(low + words[n_ + i]);
      return put(row, keys, k);
    }
    keep_largest_keys(keys, k, kept, more);
    put(row, kept, k);
  }

  void put(int64_t row, const Key* keys, int64_t k) const {
    Bits* const out = to_.template start<Bits>(row);
    const int64_t step = to_.step();
    if (step == 1) return key_loops().types[key_type<O>()].elements(keys, out, k);
    for (int64_t i = 0; i < k; ++i) out[i * step] = O::bits(static_cast<Bits>(keys[i]));
  }

  template <class W>
  void keep_largest_keys(const W* keys, int64_t k, W* kept, W* memory) const {
    if (k == n_) {
      std::copy_n(keys, n_, kept);
      return sort_words(kept, n_, memory);
    }
    const W least = ranked_word(keys, n_, n_ - k, memory);
    int64_t count = 0;
    if (vector_sort()) {
      if (least != static_cast<W>(~W{0}))
        count = word_sort(keys).keep(keys, n_, static_cast<W>(least + 1), static_cast<W>(~W{0}), memory).kept;
    } else {
      for (int64_t i = 0; i < n_; ++i)
        if (keys[i] > least) memory[count++] = keys[i];
    }
    std::fill_n(kept, k - count, least);
    sort_words(memory, count, memory + count);
    std::copy_n(memory, count, kept + (k - count));
  }

  static int64_t room_of(int64_t n, int64_t k) { return std::min(n, 2 * k + kBlock); }
  int64_t words_memory(int64_t k) const {
    const int64_t most = room_of(n_, k) + kBlock;
    return most + ranked_memory(most);
  }

  void largest_by_words(int64_t row, int64_t k, Word* kept) const {
    const int64_t room = room_of(n_, k), most = room + kBlock, step = from_.step();
    const Bits* const in = from_.template start<Bits>(row);
    Bits* const out = to_.template start<Bits>(row);
    int64_t count = 0;
    Bits least = 0;  // of the k largest so far: smaller keys are of no use
    bool full = false;
    const auto shrink = [&] {
      least = static_cast<Bits>(keep_largest(kept, count, k, kept + most) >> kPositionBits);
      count = k;
      full = true;
    };
    for (int64_t i = 0; i < n_; i += kBlock) {
      const int64_t end = std::min(i + kBlock, n_);
      if (full && step == 1 && !may_reach(in + i, end - i, least)) continue;
      for (int64_t part = i; part < end; part += kPart) {
        const int64_t last = std::min(part + kPart, end);
        if (full && step == 1 && !may_reach(in + part, last - part, least)) continue;
        for (int64_t j = part; j < last; ++j) {
          const Bits bits = in[j * step];
          kept[count] = word(bits, j);
          count += O::key(bits) >= least;
        }
      }
      if (count >= room) shrink();
    }
    if (count > k) shrink();
    sort_words(kept, k, kept + most);
    for (int64_t i = 0; i < k; ++i)
      out[i * to_.step()] = in[static_cast<int64_t>(static_cast<uint32_t>(kept[i])) * step];
  }

  static Word word(Bits bits, int64_t i) { return Word{O::key(bits)} << kPositionBits | static_cast<Word>(i); }

  // Moves the `k` largest of `count` words, which differ, to the front in some order, and gives the least of them.
  static Word keep_largest(Word* words, int64_t count, int64_t k, Word* memory) {
    if constexpr (kVectors) {
      const Word least = ranked_word(words, count, count - k, memory);
      int64_t kept = 0;
      for (int64_t i = 0; i < count; ++i) {
        const Word w = words[i];
        words[kept] = w;
        kept += w >= least;
      }
      return least;
    } else {
      std::nth_element(words, words + (count - k), words + count);
      std::copy(words + (count - k), words + count, words);
      return words[0];
    }
  }

  template <class W>
  static void sort_words(W* words, int64_t n, W* memory) {
    if constexpr (sizeof(W) <= 8)
      if (vector_sort()) return word_sort(words).sort(words, memory, n, false);
    std::sort(words, words + n);
  }

  // False where no element has a key of at least `least`. Compares elements and not their keys, which takes a few
  // instructions for a vector.
  static bool may_reach(const Bits* in, int64_t n, Bits least) {
    const Bits bound = O::bits(least);
    using S = std::make_signed_t<Bits>;
    Bits any = 0;
    if constexpr (O::kNumbers == Numbers::Float && sizeof(Bits) >= 4) {
      using F = std::conditional_t<sizeof(Bits) == 4, float, double>;
      const F low = std::bit_cast<F>(bound);
      for (int64_t i = 0; i < n; ++i) any |= static_cast<Bits>(!(std::bit_cast<F>(in[i]) < low));
    } else if constexpr (O::kNumbers == Numbers::Float) {
      // In the order of signed numbers -0 is one less than 0, and NaNs are beyond both infinities.
      const auto ordered = [](Bits b) { return static_cast<S>(b ^ (sign_of(b) & static_cast<Bits>(~kTop<Bits>))); };
      const S infinity = ordered(O::kInfinity), minus_infinity = ordered(O::kInfinity | kTop<Bits>);
      const S exact = std::min(ordered(bound), static_cast<S>(infinity + 1)), low = exact == 0 ? S{-1} : exact;
      for (int64_t i = 0; i < n; ++i) {
        const S x = ordered(in[i]);
        any |= static_cast<Bits>((x >= low) | (x < minus_infinity));
      }
    } else if constexpr (O::kNumbers == Numbers::Signed) {
      for (int64_t i = 0; i < n; ++i) any |= static_cast<Bits>(static_cast<S>(in[i]) >= static_cast<S>(bound));
    } else {
      for (int64_t i = 0; i < n; ++i) any |= static_cast<Bits>(O::key(in[i]) >= least);
    }
    return any != 0;
  }

  // Calls body(row, memory) with memory for `words` words. False where there is no memory.
  template <class W, class Body>
  bool each_row(int64_t words, const Body& body) const {
    std::atomic<bool> ok{true};
    for_ranges(from_.count(), kWorthwhile / std::max<int64_t>(n_, 1), [&](int64_t begin, int64_t end) {
      Scratch memory(static_cast<size_t>(words) * sizeof(W));
      if (!memory.data()) {
        ok = false;
        return;
      }
      for (int64_t row = begin; row < end; ++row) body(row, static_cast<W*>(memory.data()));
    });
    return ok.load();
  }

  const Rows from_, to_;
  const int64_t n_;
};

// The number that the call selects by, if the call is one of the routine's.
Result<int64_t> selected(std::string_view op, const LibraryCall& call, std::string_view name, bool whole,
                         Dtype result) {
  const auto refuse = [&] {
    return Diagnostic("op '" + std::string(op) + "' cannot select from " +
                      (call.operands.empty() ? "nothing" : text(call.operands[0])));
  };
  if (call.operands.size() != 1 || call.results.size() != 1) return refuse();
  const LibraryTensor &x = call.operands[0], &out = call.results[0];
  const std::optional<int64_t> number = Options(call).integer(name);
  if (x.shape.empty() || x.shape.size() != out.shape.size() || out.dtype != result || !number) return refuse();
  const int64_t n = x.shape.back(), most = whole ? n - 1 : n;
  const bool same =
      std::equal(x.shape.begin(), x.shape.end() - 1, out.shape.begin()) && out.shape.back() == (whole ? n : *number);
  if (!same || *number < 0 || (*number > most && element_count(x) > 0) || n > int64_t{~uint32_t{0}}) return refuse();
  return *number;
}

Status no_memory(std::string_view op, const LibraryTensor& x) {
  return Diagnostic("op '" + std::string(op) + "' cannot allocate memory to select from " + text(x), {},
                    "free arrays or raise the limit with set_memory_limit");
}

template <bool kPositions>
Status partition_with(std::string_view op, const LibraryCall& call) {
  const Dtype dtype = call.operands.empty() ? float32 : call.operands[0].dtype;
  FRIT_ASSIGN_OR_RETURN(kth, selected(op, call, "kth", true, kPositions ? uint32 : dtype));
  const LibraryTensor& x = call.operands[0];
  if (element_count(x) == 0) return {};
  bool done = false;
  with_order(dtype, [&](auto order) {
    done = Select<decltype(order)>(x, call.results[0]).template partition<kPositions>(kth);
  });
  return done ? Status() : no_memory(op, x);
}

Status partition(const LibraryCall& call) { return partition_with<false>("partition", call); }
Status argpartition(const LibraryCall& call) { return partition_with<true>("argpartition", call); }

Status topk(const LibraryCall& call) {
  const Dtype dtype = call.operands.empty() ? float32 : call.operands[0].dtype;
  FRIT_ASSIGN_OR_RETURN(k, selected("topk", call, "k", false, dtype));
  const LibraryTensor& x = call.operands[0];
  if (element_count(x) == 0 || k == 0) return {};
  bool done = false;
  with_order(dtype, [&](auto order) { done = Select<decltype(order)>(x, call.results[0]).largest(k); });
  return done ? Status() : no_memory("topk", x);
}

const Registered registered[] = {{"partition", partition}, {"argpartition", argpartition}, {"topk", topk}};

}  // namespace
}  // namespace frit::runtime::routines
