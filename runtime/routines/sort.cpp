// The routines "sort" and "argsort" on the CPU: radix sorts of keys, and of keys with positions.
//
// Rows are spread over threads; a few long rows are each sorted by all threads.
#include <atomic>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/execute/scratch.h"
#include "runtime/routines/order.h"
#include "runtime/routines/radix.h"
#include "runtime/routines/routine.h"

namespace frit::runtime::routines {
namespace {

// Elements below which another thread does not pay.
constexpr int64_t kWorthwhile = 2048;
// Rows that are read side by side where their elements lie apart, so that each line of the cache is read once.
constexpr int64_t kSideBySide = 16;

// A key above the element's position in its row. Words of positions below 2^32 order elements as a stable sort does.
template <class Bits>
using Word = std::conditional_t<sizeof(Bits) == 8, uint128_t, uint64_t>;
constexpr int kPositionBits = 32;
// Narrow keys fit words of 32 bits with their positions in rows of up to this many elements.
constexpr int64_t kNarrowRow = int64_t{1} << kNarrowBits;

Status no_memory(std::string_view op, const LibraryTensor& x) {
  return Diagnostic("op '" + std::string(op) + "' cannot allocate memory to sort " + text(x), {},
                    "free arrays or raise the limit with set_memory_limit");
}

template <class O>
class Sort {
 public:
  using Bits = typename O::Bits;
  static constexpr bool kVectors = O::kNumbers == Numbers::Float && sizeof(Bits) >= 4;

  Sort(const LibraryTensor& x, const LibraryTensor& out, bool positions)
      : from_(x), to_(out), n_(from_.length()), positions_(positions) {}

  bool run() {
    const int64_t rows = from_.count();
    if (rows < num_threads() && n_ >= (int64_t{1} << 17)) {
      for (int64_t row = 0; row < rows; ++row)
        if (!sort_rows(row, row + 1, true)) return false;
      return true;
    }
    std::atomic<bool> ok{true};
    // Short rows are sorted by the dozen, which share memory.
    const int64_t aside = from_.step() == 1 ? std::max<int64_t>(1, kWorthwhile / n_) : kSideBySide;
    for_ranges(rows, std::max(aside, kWorthwhile / n_), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; row += aside)
        if (!sort_rows(row, std::min(row + aside, end), false)) ok = false;
    });
    return ok.load();
  }

 private:
  static constexpr bool kNarrow = sizeof(Bits) <= kNarrowBits / 8;

  // Sorts rows [begin, end), which are read side by side.
  bool sort_rows(int64_t begin, int64_t end, bool threads) {
    if (positions_) {
      if constexpr (kNarrow)
        if (n_ <= kNarrowRow) return sort_words<uint32_t, kNarrowBits>(begin, end, threads);
      if constexpr (sizeof(Bits) == 8)
        if (from_.step() == 1 && has_vector_sort()) return order_by_parts(begin, end, threads);
      return sort_words<Word<Bits>, kPositionBits>(begin, end, threads);
    }
    if constexpr (kNarrow)
      if (n_ <= kFewNarrow && has_vector_sort()) return sort_keys<uint32_t>(begin, end, threads);
    return sort_keys<Bits>(begin, end, threads);
  }

  // Sorts rows by words of keys alone, and writes the elements of the keys.
  template <class W>
  bool sort_keys(int64_t begin, int64_t end, bool threads) {
    const int64_t rows = end - begin;
    constexpr bool kSame = std::is_same_v<W, Bits>;
    // A dense result serves as the second half of the memory.
    Scratch memory(static_cast<size_t>((rows + (kSame && to_.step() == 1 ? 0 : 1)) * n_) * sizeof(W));
    auto* keys = static_cast<W*>(memory.data());
    if (!keys) return n_ == 0;
    std::atomic<bool> lost{false};
    if (from_.step() == 1)
      for (int64_t r = 0; r < rows; ++r) load_keys(from_.template start<Bits>(begin + r), keys + r * n_, threads, lost);
    else
      load(begin, rows, threads, keys, [&](Bits bits, int64_t) { return W{O::key(bits)}; }, &lost);
    for (int64_t r = 0; r < rows; ++r) {
      // The parts of a complex number lose their signs one by one.
      if (O::kNumbers == Numbers::Complex && lost) {
        if (!sort_by_position(begin + r, threads)) return false;
        continue;
      }
      values(begin + r, keys + r * n_, keys + rows * n_, threads);
      if constexpr (O::kNumbers == Numbers::Float)
        if (lost) restore_lost(begin + r, threads);
    }
    return true;
  }

  // Sorts rows by words of keys and positions, and writes the positions.
  template <class W, int kBelow>
  bool sort_words(int64_t begin, int64_t end, bool threads) {
    const int64_t rows = end - begin;
    Scratch memory(static_cast<size_t>((rows + 1) * n_) * sizeof(W));
    auto* words = static_cast<W*>(memory.data());
    if (!words) return n_ == 0;
    load(begin, rows, threads, words,
         [](Bits bits, int64_t i) { return static_cast<W>(W{O::key(bits)} << kBelow | static_cast<W>(i)); });
    for (int64_t r = 0; r < rows; ++r) order<W, kBelow>(begin + r, words + r * n_, words + rows * n_, threads);
    return true;
  }

  // Writes the positions of dense rows of keys of 64 bits: words of 64 bits have the first 32 bits in which keys
  // differ, and words that agree in them are sorted by the whole keys.
  bool order_by_parts(int64_t begin, int64_t end, bool threads) {
    Scratch memory(static_cast<size_t>(2 * n_) * sizeof(uint64_t));
    auto* const words = static_cast<uint64_t*>(memory.data());
    if (!words) return n_ == 0;
    const auto each = [&](const auto& part) { threads ? for_ranges(n_, 1 << 14, part) : part(0, n_); };
    for (int64_t row = begin; row < end; ++row) {
      const Bits* const in = from_.template start<Bits>(row);
      std::atomic<uint64_t> differ{0};
      each([&](int64_t first, int64_t last) {
        uint64_t own = 0;
        for (int64_t i = first; i < last; ++i) own |= O::key(in[i]) ^ O::key(in[0]);
        differ |= own;
      });
      const int below = std::max(0, static_cast<int>(std::bit_width(differ.load())) - 32);
      each([&](int64_t first, int64_t last) {
        for (int64_t i = first; i < last; ++i)
          words[i] = uint64_t{O::key(in[i])} >> below << kPositionBits | static_cast<uint64_t>(i);
      });
      const auto nothing = [](const uint64_t*, int64_t) {};
      const RadixSort<uint64_t> radix(kPositionBits, nothing);
      if (differ != 0)
        threads ? radix.run_on_threads(words, words + n_, n_, false) : radix.run(words, words + n_, n_, false);
      std::atomic<bool> ok{true};
      each([&](int64_t first, int64_t last) {
        if (!write_order(row, words, first, last, below > 0)) ok = false;
      });
      if (!ok) return false;
    }
    return true;
  }

  // Writes the positions of a row's words in the runs that begin in [first, last). The keys of a run agree in the part
  // that its words have; where that is not all of them, `partly`, the run is sorted. Other threads read the words.
  bool write_order(int64_t row, const uint64_t* words, int64_t first, int64_t last, bool partly) const {
    constexpr int64_t kFew = 24;
    const auto same = [&](int64_t i) { return partly && words[i] >> kPositionBits == words[i - 1] >> kPositionBits; };
    while (first > 0 && first < last && same(first)) ++first;
    for (int64_t i = first; i < last;) {
      int64_t end = i + 1;
      while (end < n_ && same(end)) ++end;
      if (end - i <= kFew)
        write_short_run(row, words, i, end);
      else if (!write_long_run(row, words, i, end))
        return false;
      i = end;
    }
    return true;
  }

  // The positions of words [begin, end) in the order of their whole keys, by insertion.
  void write_short_run(int64_t row, const uint64_t* words, int64_t begin, int64_t end) const {
    const Bits* const in = from_.template start<Bits>(row);
    auto* const out = to_.template start<uint32_t>(row);
    const int64_t step = to_.step();
    for (int64_t k = begin; k < end; ++k) {
      const auto own = static_cast<uint32_t>(words[k]);
      int64_t at = k;
      for (; at > begin && O::key(in[out[(at - 1) * step]]) > O::key(in[own]); --at)
        out[at * step] = out[(at - 1) * step];
      out[at * step] = own;
    }
  }

  // The same by words of whole keys.
  bool write_long_run(int64_t row, const uint64_t* words, int64_t begin, int64_t end) const {
    const Bits* const in = from_.template start<Bits>(row);
    auto* const out = to_.template start<uint32_t>(row);
    const int64_t step = to_.step(), n = end - begin;
    Scratch memory(static_cast<size_t>(2 * n) * sizeof(uint128_t));
    auto* const whole = static_cast<uint128_t*>(memory.data());
    if (!whole) return false;
    for (int64_t k = 0; k < n; ++k) {
      const auto position = static_cast<uint32_t>(words[begin + k]);
      whole[k] = uint128_t{O::key(in[position])} << kPositionBits | position;
    }
    const auto done = [&](const uint128_t* sorted, int64_t count) {
      for (int64_t k = 0; k < count; ++k) out[(begin + (sorted - whole) + k) * step] = static_cast<uint32_t>(sorted[k]);
    };
    const RadixSort<uint128_t> radix(kPositionBits, done);
    radix.run(whole, whole + n, n, false);
    return true;
  }

  // Writes the keys of a dense row, and sets `lost` where a key does not give its element back.
  template <class W>
  void load_keys(const Bits* from, W* keys, bool threads, std::atomic<bool>& lost) const {
    const auto part = [&](int64_t first, int64_t last) {
      if constexpr (kVectors) {
        if (has_vector_sort()) {
          if (vector_float_keys(from + first, keys + first, last - first)) lost = true;
          return;
        }
      }
      Bits changed = 0;
      for (int64_t i = first; i < last; ++i) {
        const Bits key = O::key(from[i]);
        keys[i] = key;
        if constexpr (O::kLoses) changed |= static_cast<Bits>(O::bits(key) ^ from[i]);
      }
      if (changed) lost = true;
    };
    if (threads)
      for_ranges(n_, 1 << 14, part);
    else
      part(0, n_);
  }

  static void restore(Bits* keys, int64_t n) {
    if constexpr (kVectors)
      if (has_vector_sort()) return vector_float_bits(keys, n);
    for (int64_t i = 0; i < n; ++i) keys[i] = O::bits(keys[i]);
  }

  // Writes make(bits, i) of element i of row begin + r to out[r * n_ + i]. Sets `lost` where a key does not give its
  // element back.
  template <class W, class Make>
  void load(int64_t begin, int64_t rows, bool threads, W* out, const Make& make, std::atomic<bool>* lost = nullptr) {
    const int64_t step = from_.step();
    const Bits* starts[kSideBySide] = {};
    for (int64_t r = 0; r < rows && step != 1; ++r) starts[r] = from_.template start<Bits>(begin + r);
    const auto part = [&](int64_t first, int64_t last) {
      Bits changed = 0;
      if (step == 1) {
        for (int64_t r = 0; r < rows; ++r) {
          const Bits* const in = from_.template start<Bits>(begin + r);
          W* const to = out + r * n_;
          for (int64_t i = first; i < last; ++i) to[i] = make(in[i], i);
        }
      } else {
        for (int64_t i = first; i < last; ++i)
          for (int64_t r = 0; r < rows; ++r) {
            const Bits bits = starts[r][i * step];
            out[r * n_ + i] = make(bits, i);
            if constexpr (O::kLoses) changed |= static_cast<Bits>(O::bits(O::key(bits)) ^ bits);
          }
      }
      if (changed && lost) *lost = true;
    };
    if (threads)
      for_ranges(n_, 1 << 14, part);
    else
      part(0, n_);
  }

  // Sorts a row of keys and writes its elements.
  template <class W>
  void values(int64_t row, W* keys, W* spare, bool threads) {
    Bits* const out = to_.template start<Bits>(row);
    const int64_t step = to_.step();
    if constexpr (std::is_same_v<W, Bits>) {
      if (step == 1) {
        // The elements replace their keys part by part, while those are in cache.
        const auto done = [](Bits* first, int64_t n) { restore(first, n); };
        const RadixSort<Bits> radix(0, done);
        return threads ? radix.run_on_threads(keys, out, n_, true) : radix.run(keys, out, n_, true);
      }
    }
    const auto done = [&](const W* first, int64_t n) {
      for (int64_t i = 0; i < n; ++i) out[(first - keys + i) * step] = O::bits(static_cast<Bits>(first[i]));
    };
    const RadixSort<W> radix(0, done);
    threads ? radix.run_on_threads(keys, spare, n_, false) : radix.run(keys, spare, n_, false);
  }

  // Writes the zeros and NaNs of a sorted row of floats again, in the order and with the bits that they came with:
  // their keys have lost a sign or a payload.
  void restore_lost(int64_t row, bool threads) {
    const Bits* const in = from_.template start<Bits>(row);
    Bits* const out = to_.template start<Bits>(row);
    const int64_t step = from_.step(), to_step = to_.step();
    const auto first_from = [&](Bits key) {
      int64_t low = 0, high = n_;
      while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (O::key(out[middle * to_step]) < key)
          low = middle + 1;
        else
          high = middle;
      }
      return low;
    };
    struct Places {
      int64_t zero = 0, nan = 0;
    };
    const int64_t chunks = threads ? std::max<int64_t>(1, n_ >> 16) : 1;
    std::vector<Places> next(static_cast<size_t>(chunks));
    const auto part = [&](Places& place, int64_t first, int64_t last, const auto& visit) {
      constexpr int64_t kBlock = 64;
      for (int64_t at = first; at < last; at += kBlock) {
        const int64_t end = std::min(at + kBlock, last);
        bool any = false;
        for (int64_t i = at; i < end; ++i) any |= O::loses(in[i * step]);
        for (int64_t i = at; any && i < end; ++i)
          if (const Bits bits = in[i * step]; O::loses(bits))
            visit(O::key(bits) == kTop<Bits> ? place.zero : place.nan, bits);
      }
    };
    const auto each = [&](const auto& visit) {
      for_ranges(chunks, 1, [&](int64_t first, int64_t last) {
        for (int64_t c = first; c < last; ++c)
          part(next[static_cast<size_t>(c)], n_ * c / chunks, n_ * (c + 1) / chunks, visit);
      });
    };
    if (chunks > 1) each([](int64_t& count, Bits) { ++count; });
    Places sum{first_from(kTop<Bits>), first_from(static_cast<Bits>(~Bits{0}))};
    for (Places& p : next) {
      sum.zero += std::exchange(p.zero, sum.zero);
      sum.nan += std::exchange(p.nan, sum.nan);
    }
    each([&](int64_t& place, Bits bits) { out[place++ * to_step] = bits; });
  }

  // Sorts a row of words and writes the positions.
  template <class W, int kBelow>
  void order(int64_t row, W* words, W* spare, bool threads) {
    auto* const out = to_.template start<uint32_t>(row);
    const int64_t step = to_.step();
    const auto done = [&](const W* first, int64_t n) {
      for (int64_t i = 0; i < n; ++i)
        out[(first - words + i) * step] =
            static_cast<uint32_t>(first[i]) & static_cast<uint32_t>((uint64_t{1} << kBelow) - 1);
    };
    const RadixSort<W> radix(kBelow, done, kBelow + 8 * static_cast<int>(sizeof(Bits)));
    threads ? radix.run_on_threads(words, spare, n_, false) : radix.run(words, spare, n_, false);
  }

  // Sorts a row with its positions, and copies the elements.
  bool sort_by_position(int64_t row, bool threads) {
    Scratch memory(static_cast<size_t>(2 * n_) * sizeof(Word<Bits>));
    auto* words = static_cast<Word<Bits>*>(memory.data());
    if (!words) return false;
    const Bits* const in = from_.template start<Bits>(row);
    Bits* const out = to_.template start<Bits>(row);
    const int64_t step = from_.step(), to_step = to_.step();
    load(row, 1, threads, words,
         [](Bits bits, int64_t i) { return Word<Bits>{O::key(bits)} << kPositionBits | static_cast<Word<Bits>>(i); });
    const auto done = [&](const Word<Bits>* first, int64_t n) {
      for (int64_t i = 0; i < n; ++i)
        out[(first - words + i) * to_step] = in[static_cast<int64_t>(static_cast<uint32_t>(first[i])) * step];
    };
    const RadixSort<Word<Bits>> radix(kPositionBits, done, kPositionBits + 8 * static_cast<int>(sizeof(Bits)));
    threads ? radix.run_on_threads(words, words + n_, n_, false) : radix.run(words, words + n_, n_, false);
    return true;
  }

  const Rows from_, to_;
  const int64_t n_;
  const bool positions_;
};

Status sort_with(std::string_view op, const LibraryCall& call, bool positions) {
  const LibraryTensor &x = call.operands[0], &out = call.results[0];
  const bool fits = call.operands.size() == 1 && call.results.size() == 1 && !x.shape.empty() &&
                    std::equal(x.shape.begin(), x.shape.end(), out.shape.begin(), out.shape.end()) &&
                    out.dtype == (positions ? uint32 : x.dtype);
  if (!fits) return Diagnostic("op '" + std::string(op) + "' cannot sort " + text(x) + " to " + text(out));
  if (x.shape.back() > int64_t{~uint32_t{0}})
    return Diagnostic("op '" + std::string(op) + "' takes rows of less than 2^32 elements, but got " + text(x));
  if (element_count(x) == 0) return {};
  bool done = false;
  with_order(x.dtype, [&](auto order) { done = Sort<decltype(order)>(x, out, positions).run(); });
  return done ? Status() : no_memory(op, x);
}

Status sort(const LibraryCall& call) { return sort_with("sort", call, false); }
Status argsort(const LibraryCall& call) { return sort_with("argsort", call, true); }

const Registered registered[] = {{"sort", sort}, {"argsort", argsort}};

}  // namespace
}  // namespace frit::runtime::routines
