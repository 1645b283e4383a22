// The routines "partition", "argpartition" and "topk" on the CPU: selection instead of a whole sort.
//
// A partition finds the key in the middle in linear time, and deals the elements around it in the order of the operand.
// For the largest elements, words of key and position have the order of a stable sort.
#include <algorithm>
#include <atomic>
#include <type_traits>

#include "runtime/execute/scratch.h"
#include "runtime/routines/order.h"
#include "runtime/routines/radix.h"
#include "runtime/routines/ranked.h"
#include "runtime/routines/routine.h"

namespace frit::runtime::routines {
namespace {

// Elements below which another thread does not pay.
constexpr int64_t kWorthwhile = 4096;
// Elements that are compared with the least of the largest ones at once: a block, and its parts where it has one to
// keep.
constexpr int64_t kBlock = 128, kPart = 16;

template <class O>
class Select {
 public:
  using Bits = typename O::Bits;
  using Word = std::conditional_t<sizeof(Bits) == 8, uint128_t, uint64_t>;
  using Key = std::conditional_t<sizeof(Bits) == 8, uint64_t, uint32_t>;
  static constexpr int kPositionBits = 32;
  static constexpr bool kVectors = sizeof(Word) == 8;

  Select(const LibraryTensor& x, const LibraryTensor& out) : from_(x), to_(out), n_(from_.length()) {}

  // Each row around its element kth.
  template <bool kPositions>
  bool partition(int64_t kth) const {
    return each_row<Key>(n_ + ranked_memory(n_), [&](int64_t row, Key* keys) {
      const Bits* const in = from_.template start<Bits>(row);
      const int64_t step = from_.step(), to_step = to_.step();
      load_keys(in, keys);
      const Key middle = ranked_word(keys, n_, kth, keys + n_);
      const int64_t at = position_of(keys, middle, kth);
      auto* const out = to_.template start<std::conditional_t<kPositions, uint32_t, Bits>>(row);
      const auto put = [&](int64_t to, int64_t i) {
        if constexpr (kPositions)
          out[to * to_step] = static_cast<uint32_t>(i);
        else
          out[to * to_step] = in[i * step];
      };
      // Of elements that equal the one in the middle, those before it go to the front. A mask chooses the place, as no
      // branch on data is foreseen.
      int64_t front = 0, back = kth + 1;
      const auto deal = [&](int64_t i, bool low) {
        put(back ^ ((front ^ back) & -static_cast<int64_t>(low)), i);
        front += low;
        back += !low;
      };
      for (int64_t i = 0; i < at; ++i) deal(i, keys[i] <= middle);
      put(kth, at);
      for (int64_t i = at + 1; i < n_; ++i) deal(i, keys[i] < middle);
    });
  }

  // The `k` largest elements of each row, ascending.
  bool largest(int64_t k) const {
    const int64_t room = std::min(n_, 2 * k + kBlock), most = room + kBlock;
    return each_row<Word>(most + ranked_memory(most), [&](int64_t row, Word* kept) {
      const Bits* const in = from_.template start<Bits>(row);
      Bits* const out = to_.template start<Bits>(row);
      const int64_t step = from_.step();
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
    });
  }

 private:
  static Word word(Bits bits, int64_t i) { return Word{O::key(bits)} << kPositionBits | static_cast<Word>(i); }

  void load_keys(const Bits* in, Key* keys) const {
    const int64_t step = from_.step();
    if constexpr (O::kNumbers == Numbers::Float && sizeof(Bits) == sizeof(Key))
      if (step == 1 && has_vector_sort()) {
        vector_float_keys(in, keys, n_);
        return;
      }
    for (int64_t i = 0; i < n_; ++i) keys[i] = O::key(in[i * step]);
  }

  // The position of the key that is at `rank` in a stable sort; `middle` is its value.
  int64_t position_of(const Key* keys, Key middle, int64_t rank) const {
    for (int64_t i = 0; i < n_; ++i) rank -= keys[i] < middle;
    for (int64_t i = 0;; i += kBlock) {
      const int64_t end = std::min(i + kBlock, n_);
      int64_t equal = 0;
      for (int64_t j = i; j < end; ++j) equal += keys[j] == middle;
      if (equal <= rank && end < n_) {
        rank -= equal;
        continue;
      }
      while (keys[i] != middle || rank-- > 0) ++i;
      return i;
    }
  }

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

  static void sort_words(Word* words, int64_t n, Word* memory) {
    if constexpr (kVectors)
      if (has_vector_sort()) return vector_sort(words, memory, n, false);
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
