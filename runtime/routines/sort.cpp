// The routines "sort" and "argsort" on the CPU: sorts of keys, and of words of keys and positions.
//
// Rows are spread over threads; a few long rows are each sorted by all threads. The range of the keys decides: keys of
// a short range are counted, and words are as narrow as the range and the positions allow.
#include <atomic>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/execute/scratch.h"
#include "runtime/routines/counting.h"
#include "runtime/routines/key_loops.h"
#include "runtime/routines/order.h"
#include "runtime/routines/order_rows.h"
#include "runtime/routines/radix.h"
#include "runtime/routines/routine.h"

namespace frit::runtime::routines {
namespace {

// Elements below which another thread does not pay.
constexpr int64_t kWorthwhile = 2048;
// Rows that are read side by side where their elements lie apart, so that each line of the cache is read once.
constexpr int64_t kSideBySide = 16;

Status no_memory(std::string_view op, const LibraryTensor& x) {
  return Diagnostic("op '" + std::string(op) + "' cannot allocate memory to sort " + text(x), {},
                    "free arrays or raise the limit with set_memory_limit");
}

template <class O>
class Sort {
 public:
  using Bits = typename O::Bits;
  using Key = KeyOf<O>;

  Sort(const LibraryTensor& x, const LibraryTensor& out, bool positions)
      : from_(x), to_(out), n_(from_.length()), positions_(positions), dense_(from_.dense()) {}

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
  // Sorts rows [begin, end), which are read side by side.
  bool sort_rows(int64_t begin, int64_t end, bool threads) {
    const int64_t rows = end - begin, all = rows * n_;
    // A dense result of words of the same size serves as the memory beside the keys.
    const bool beside = !positions_ && sizeof(Bits) == sizeof(Key) && to_.step() == 1;
    const int64_t spare = positions_ ? order_memory(n_) : beside ? 0 : n_ * static_cast<int64_t>(sizeof(Key));
    const int64_t keys_size = (all * static_cast<int64_t>(sizeof(Key)) + 63) / 64 * 64;
    Scratch memory(static_cast<size_t>(keys_size + spare));
    auto* const keys = static_cast<Key*>(memory.data());
    if (!keys) return n_ == 0;
    char* const more = static_cast<char*>(memory.data()) + keys_size;
    const bool lost = load(begin, rows, threads, keys);
    const KeyRange<Key> range = range_of_keys(keys, all, threads);
    for (int64_t r = 0; r < rows; ++r) {
      Key* const own = keys + r * n_;
      if (positions_) {
        if (!order_row(own, n_, range, threads, more, to_.template start<uint32_t>(begin + r), to_.step()))
          return false;
        continue;
      }
      // The parts of a complex number lose their signs one by one.
      if (O::kNumbers == Numbers::Complex && lost) {
        if (!sort_by_position(begin + r, own, range, threads)) return false;
        continue;
      }
      Bits* const out = to_.template start<Bits>(begin + r);
      values(own, beside ? reinterpret_cast<Key*>(out) : reinterpret_cast<Key*>(more), range, threads, out);
      if constexpr (O::kNumbers == Numbers::Float)
        if (lost) restore_lost(begin + r, threads);
    }
    return true;
  }

  // Writes the keys of rows one after the other, and says whether some key does not give its element back.
  bool load(int64_t begin, int64_t rows, bool threads, Key* keys) const {
    std::atomic<bool> lost{false};
    const auto loop = key_loops().types[key_type<O>()].keys;
    const int64_t step = from_.step();
    if (dense_) {
      const Bits* const in = from_.template start<Bits>(begin);
      in_parts(rows * n_, threads, [&](int64_t first, int64_t last) {
        if (loop(in + first, keys + first, last - first)) lost = true;
      });
      return lost;
    }
    if (step == 1) {
      for (int64_t r = 0; r < rows; ++r) {
        const Bits* const in = from_.template start<Bits>(begin + r);
        in_parts(n_, threads, [&](int64_t first, int64_t last) {
          if (loop(in + first, keys + r * n_ + first, last - first)) lost = true;
        });
      }
      return lost;
    }
    const Bits* starts[kSideBySide] = {};
    for (int64_t r = 0; r < rows; ++r) starts[r] = from_.template start<Bits>(begin + r);
    in_parts(n_, threads, [&](int64_t first, int64_t last) {
      Bits changed = 0;
      for (int64_t i = first; i < last; ++i)
        for (int64_t r = 0; r < rows; ++r) {
          const Bits bits = starts[r][i * step], key = O::key(bits);
          keys[r * n_ + i] = key;
          if constexpr (O::kLoses) changed |= static_cast<Bits>(O::bits(key) ^ bits);
        }
      if (changed) lost = true;
    });
    return lost;
  }

  // Sorts a row of keys and writes its elements. `spare` has room for as many keys, and may be the place of the
  // elements.
  void values(Key* keys, Key* spare, const KeyRange<Key>& range, bool threads, Bits* out) const {
    const int bits = range.bits();
    Key* sorted = keys;
    if (counts_order_keys(bits, n_)) {
      sort_by_counts(keys, n_, range.low, bits, threads ? num_threads() : 1);
    } else if (sizeof(Key) == 8 && bits <= 32 && vector_sort()) {
      sort_narrowed(keys, spare, range, threads);
    } else {
      const bool into_spare = static_cast<void*>(spare) == static_cast<void*>(out);
      const RadixSort<Key> radix(0);
      threads ? radix.run_on_threads(keys, spare, n_, into_spare) : radix.run(keys, spare, n_, into_spare);
      if (into_spare) sorted = spare;
    }
    const int64_t step = to_.step();
    const auto loop = key_loops().types[key_type<O>()].elements;
    in_parts(n_, threads, [&](int64_t first, int64_t last) {
      if (step == 1) return loop(sorted + first, out + first, last - first);
      for (int64_t i = first; i < last; ++i) out[i * step] = O::bits(static_cast<Bits>(sorted[i]));
    });
  }

  // Keys of 64 bits in a range of 32 are sorted as words of 32 bits.
  void sort_narrowed(Key* keys, Key* spare, const KeyRange<Key>& range, bool threads) const {
    if constexpr (sizeof(Key) == 8) {
      auto* const words = reinterpret_cast<uint32_t*>(spare);
      in_parts(n_, threads, [&](int64_t first, int64_t last) {
        key_loops().narrow(keys + first, last - first, range.low, words + first);
      });
      const RadixSort<uint32_t> radix(0);
      threads ? radix.run_on_threads(words, words + n_, n_, false) : radix.run(words, words + n_, n_, false);
      in_parts(n_, threads, [&](int64_t first, int64_t last) {
        key_loops().widen(words + first, last - first, range.low, keys + first);
      });
    }
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

  // Sorts a row with its positions, and copies the elements.
  bool sort_by_position(int64_t row, const Key* keys, const KeyRange<Key>& range, bool threads) const {
    const int64_t size = (n_ * static_cast<int64_t>(sizeof(uint32_t)) + 63) / 64 * 64;
    Scratch memory(static_cast<size_t>(size + order_memory(n_)));
    auto* const order = static_cast<uint32_t*>(memory.data());
    if (!order || !order_row(keys, n_, range, threads, static_cast<char*>(memory.data()) + size, order, 1))
      return false;
    const Bits* const in = from_.template start<Bits>(row);
    Bits* const out = to_.template start<Bits>(row);
    const int64_t step = from_.step(), to_step = to_.step();
    in_parts(n_, threads, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) out[i * to_step] = in[static_cast<int64_t>(order[i]) * step];
    });
    return true;
  }

  const Rows from_, to_;
  const int64_t n_;
  const bool positions_, dense_;
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
