// Products and products with a vector for one instruction set: included once by each of avx512.cpp and avx2.cpp, which
// define before
//   FRIT_ISA, FRIT_ISA_INLINE: attributes of a function for that set, and for one that vanishes into its callers,
//   Vector<C> for C float and double: registers of kLanes numbers and what can be done with them, and kRows, the height
//   of the block of sums that, two vectors wide, fits the registers, kColsInCache: how many packed columns may stay in
//   the second-level cache,
// and after it pack_rows, pack_columns and store_row.
// Everything lies in that file's unnamed namespace, for the sets must not share an instance.
//
// Both give the same bits. A sum goes over k in order, fused multiply-adds, within blocks of at most
// kBlockUnits units, and over the blocks in order: k and the element type decide it, and neither the other sizes, the
// strides, the tile nor the width of a vector have a part in it. A complex product is a product of floats with two
// lines for each row (real and imaginary parts) and two columns for each column; four of its sums make a number.

// Loops over registers must vanish whole.
#if defined(__clang__)
#define FRIT_UNROLL _Pragma("unroll")
#else
#define FRIT_UNROLL _Pragma("GCC unroll 16")
#endif

constexpr int64_t kVectors = 2;

template <class C>
struct Blocking {
  static constexpr int64_t kLanes = Vector<C>::kLanes, kRows = Vector<C>::kRows, kPanel = kVectors * kLanes;
  // kRows rows of this many units stay in the first-level cache while the packed columns stream from the second.
  static constexpr int64_t kBlockUnits = 2048 / static_cast<int64_t>(sizeof(C));
  // Not a power of two, so that rows do not compete for the same lines of the cache.
  static constexpr int64_t kPackedStride = kBlockUnits + 16;
  static constexpr int64_t kBlockCols = kColsInCache;
  // Likewise for the panels of columns, which are written side by side.
  static constexpr int64_t panel_step(int64_t units) { return (units + 1) * kPanel; }
};
// For up to kThinRows rows the other operand is read kThinUnits units at a time, and the sums are carried from one to
// the next.
constexpr int64_t kThinRows = 12, kThinUnits = 8;
// Rows whose last sums are rounded at a time, in several strips of each kernel.
constexpr int64_t kRoundedRows = 48;
// Up to kFewRows rows times a transposed matrix may be computed as the transposed product, kTurnedRows rows of it at a
// time, which stay in the second-level cache where they are packed; any number above kTurnedColumns.
constexpr int64_t kFewRows = 48, kTurnedRows = 192, kTurnedColumns = 32;
// Multiplications, and bytes that each operand spans, up to either of which packing costs more than it gains.
constexpr int64_t kUnpacked = int64_t{1} << 21, kUnpackedSpan = int64_t{256} << 10;
// Bytes from one element of k to the next up to which units of an operand that is not packed stay in the caches.
constexpr int64_t kNearBytes = 2048;

// The contents of a lane: a unit, which is one element of k, or two with instructions for pairs of bf16.
struct Plain {
  static constexpr bool kPairs = false;
  template <class C>
  FRIT_ISA_INLINE static typename Vector<C>::Register add(typename Vector<C>::Register sum,
                                                          typename Vector<C>::Register a,
                                                          typename Vector<C>::Register b) {
    return Vector<C>::multiply_add(a, b, sum);
  }
  // kLanes columns of a unit, which has one row here and would have two of a pair.
  template <class T>
  FRIT_ISA_INLINE static typename Vector<SumLane<T>>::Register unit(const T* row, const T*) {
    return Vector<SumLane<T>>::load(row);
  }
  template <class R>
  FRIT_ISA_INLINE static R tile_add(R sum, R a, R b) {
    return tile_multiply_add(a, b, sum);
  }
};

// Operands as the kernels take them: rows of units, kPackedStride apart, and panels of kPanel columns, one unit of all
// of them after the other. Each set has its own; the rest of a panel's last vector need not be written.
template <bool kPairs, class T>
FRIT_ISA void pack_rows(const Lines<T>& from, int64_t units, SumLane<T>* to);
template <bool kPairs, class T>
FRIT_ISA void pack_columns(const Lines<T>& from, int64_t units, SumLane<T>* to);
// Rounds n sums.
template <class T>
FRIT_ISA void store_row(const SumLane<T>* from, T* to, int64_t n);

// Strides in units; a_stride is used when kStride is zero.
template <class C>
struct KernelArgs {
  const C* a;
  int64_t a_stride, a_step;
  const C* b;
  int64_t b_step, units;
  C* c;
  int64_t c_stride;
  bool add;                  // to the values in c
  const C* start = nullptr;  // sums to go on from instead of zeros
  int64_t start_stride = 0;
  bool packed = true;  // b is in panels: past its last column there is memory
  int64_t width = 0;   // of the last vector
};

// How the last vector of b is read: as it is, whole and then cleared past the last column, or under a mask.
enum class Last { kWhole, kCleared, kMasked };

template <class Dot, class C, int kR, int kV, int64_t kStride, Last kLast>
FRIT_ISA void kernel(const KernelArgs<C>& g) {
  using V = Vector<C>;
  constexpr bool kWhole = kLast == Last::kWhole;
  const typename V::Mask lanes = V::first(g.width);
  typename V::Register sums[kR][kV];
  FRIT_UNROLL
  for (int i = 0; i < kR; ++i) FRIT_UNROLL
  for (int v = 0; v < kV; ++v) {
    sums[i][v] = V::zero();
    if (g.start) {
      const C* from = g.start + i * g.start_stride + v * V::kLanes;
      sums[i][v] = kWhole || v + 1 < kV ? V::load(from) : V::load(from, lanes);
    }
  }
  const C* b = g.b;
  const C* a = g.a;
  // There is nothing to read behind the last unit of an operand that is not packed.
  [[maybe_unused]] alignas(64) C end[kV * V::kLanes];
  [[maybe_unused]] const int64_t at_end = g.packed ? -1 : g.units - 1;
  if constexpr (kLast == Last::kCleared)
    if (!g.packed)
      for (int v = 0; v < kV; ++v) {
        const C* from = b + at_end * g.b_step + v * V::kLanes;
        V::store(end + v * V::kLanes, v + 1 < kV ? V::load(from) : V::load(from, lanes));
      }
  const int64_t stride = kStride ? kStride : g.a_stride;
  // One pointer for three rows: a register each for all rows would be too many.
  const C* a3 = a + 3 * stride;
  const C* a6 = a + 6 * stride;
  const C* a9 = a + 9 * stride;
  FRIT_UNROLL
  for (int i = 0; i < kR; ++i) FRIT_UNROLL
  for (int v = 0; v < kV; ++v)
    _mm_prefetch(reinterpret_cast<const char*>(g.c + i * g.c_stride + v * V::kLanes), _MM_HINT_T0);
  for (int64_t u = 0; u < g.units; ++u) {
    typename V::Register right[kV];
    if constexpr (kLast == Last::kCleared)
      if (u == at_end) b = end;
    FRIT_UNROLL
    for (int v = 0; v < kV; ++v)
      right[v] = kLast != Last::kMasked || v + 1 < kV ? V::load(b + v * V::kLanes) : V::load(b + v * V::kLanes, lanes);
    if constexpr (kLast == Last::kCleared) right[kV - 1] = V::cleared(right[kV - 1], lanes);
    FRIT_UNROLL
    for (int i = 0; i < kR; ++i) {
      const C* base = kStride || i < 3 ? a : i < 6 ? a3 : i < 9 ? a6 : a9;
      const typename V::Register left = V::same(base[(kStride ? i : i % 3) * stride]);
      FRIT_UNROLL
      for (int v = 0; v < kV; ++v) sums[i][v] = Dot::template add<C>(sums[i][v], left, right[v]);
    }
    b += g.b_step;
    const int64_t step = kStride ? 1 : g.a_step;
    a += step;
    a3 += step;
    a6 += step;
    a9 += step;
  }
  FRIT_UNROLL
  for (int i = 0; i < kR; ++i) FRIT_UNROLL
  for (int v = 0; v < kV; ++v) {
    C* to = g.c + i * g.c_stride + v * V::kLanes;
    if (kWhole || v + 1 < kV) {
      V::store(to, g.add ? V::plus(V::load(to), sums[i][v]) : sums[i][v]);
    } else {
      V::store(to, lanes, g.add ? V::plus(V::load(to, lanes), sums[i][v]) : sums[i][v]);
    }
  }
}

template <class Dot, class C, int64_t kStride, int kV, int kR = 1>
FRIT_ISA void kernel_of(int64_t rows, const KernelArgs<C>& g) {
  if (kR == Vector<C>::kRows || rows == kR) {
    // Loads under a mask take time on some sets.
    if constexpr (!Vector<C>::kMasksAreFree) {
      if (g.width == Vector<C>::kLanes) return kernel<Dot, C, kR, kV, kStride, Last::kWhole>(g);
      // The next row has as many elements as are read past this one.
      if (g.packed || g.b_step >= Blocking<C>::kPanel) return kernel<Dot, C, kR, kV, kStride, Last::kCleared>(g);
    }
    return kernel<Dot, C, kR, kV, kStride, Last::kMasked>(g);
  }
  if constexpr (kR < Vector<C>::kRows) kernel_of<Dot, C, kStride, kV, kR + 1>(rows, g);
}

// All rows against `cols` columns; panels of columns lie `panel_step` units apart.
template <class Dot, int64_t kStride, class C>
FRIT_ISA void rows_by_columns(KernelArgs<C> g, int64_t rows, int64_t cols, int64_t panel_step) {
  using B = Blocking<C>;
  const C* a = g.a;
  const C* b = g.b;
  C* c = g.c;
  const C* start = g.start;
  const int64_t a_stride = kStride ? kStride : g.a_stride, strips = (rows + B::kRows - 1) / B::kRows;
  for (int64_t s = 0; s < strips; ++s) {
    // Strips of nearly equal height: a strip of a row or two would wait for its sums.
    const int64_t first = rows * s / strips, height = rows * (s + 1) / strips - first;
    g.a = a + first * a_stride;
    for (int64_t j = 0; j < cols; j += B::kPanel) {
      g.b = b + j / B::kPanel * panel_step;
      g.c = c + first * g.c_stride + j;
      if (start) g.start = start + first * g.start_stride + j;
      const int64_t width = std::min(B::kPanel, cols - j);
      g.width = width > B::kLanes ? width - B::kLanes : width;
      if (width > B::kLanes)
        kernel_of<Dot, C, kStride, 2>(height, g);
      else
        kernel_of<Dot, C, kStride, 1>(height, g);
    }
  }
}

template <class T>
FRIT_ISA_INLINE void widen_row(const T* from, int64_t n, SumLane<T>* __restrict to) {
  using V = Vector<SumLane<T>>;
  int64_t i = 0;
  if constexpr (!std::is_same_v<T, SumLane<T>>)
    for (; i + V::kLanes <= n; i += V::kLanes) V::store(to + i, V::load(from + i));
  for (; i < n; ++i) to[i] = lane_of(from[i]);
}

// Without units of two and without instructions of a set, for types that are converted seldom.
template <class T>
FRIT_ISA void pack_rows_plainly(const Lines<T>& from, SumLane<T>* to) {
  constexpr int64_t kStride = Blocking<SumLane<T>>::kPackedStride;
  if constexpr (!std::is_same_v<T, Complex>)
    if (from.line_stride == 1 && from.k_stride != 1)
      return turn(from.data, from.k_stride, from.lines, from.k, to, kStride);
  for (int64_t i = 0; i < from.lines; ++i) {
    const T* line = from.data + i * from.line_stride;
    SumLane<T>* __restrict row = to + i * kParts<T> * kStride;
    if constexpr (std::is_same_v<T, Complex>) {
      for (int64_t u = 0; u < from.k; ++u) {
        row[u] = line[u * from.k_stride].re;
        row[kStride + u] = line[u * from.k_stride].im;
      }
    } else if (from.k_stride == 1) {
      widen_row(line, from.k, row);
    } else {
      for (int64_t u = 0; u < from.k; ++u) row[u] = lane_of(line[u * from.k_stride]);
    }
  }
}

template <class T>
FRIT_ISA_INLINE void pack_unit(const T* row, int64_t line_stride, int64_t cols, SumLane<T>* __restrict to) {
  if constexpr (std::is_same_v<T, Complex>) {
    for (int64_t i = 0; i < cols; ++i) {
      to[2 * i] = row[i * line_stride].re;
      to[2 * i + 1] = row[i * line_stride].im;
    }
  } else if (line_stride == 1) {
    widen_row(row, cols, to);
  } else {
    for (int64_t i = 0; i < cols; ++i) to[i] = lane_of(row[i * line_stride]);
  }
}

template <class T>
FRIT_ISA void pack_columns_plainly(const Lines<T>& from, SumLane<T>* to) {
  using B = Blocking<SumLane<T>>;
  constexpr int64_t kCols = B::kPanel / kParts<T>;
  const int64_t whole = from.lines / kCols * kCols, step = B::panel_step(from.k);
  if (from.line_stride == 1) {
    // Whole rows in turn, as they lie, and ahead of their use: each may be in another page, where the processor does
    // not see them coming.
    constexpr int64_t kAhead = 3;
    for (int64_t u = 0; u < from.k; ++u) {
      const T* row = from.data + u * from.k_stride;
      if (u + kAhead < from.k)
        for (int64_t j = 0; j < from.lines; j += 64 / static_cast<int64_t>(sizeof(T)))
          _mm_prefetch(reinterpret_cast<const char*>(row + kAhead * from.k_stride + j), _MM_HINT_T0);
      SumLane<T>* at = to + u * B::kPanel;
      for (int64_t j = 0; j < whole; j += kCols) pack_unit(row + j, 1, kCols, at + j / kCols * step);
      pack_unit(row + whole, 1, from.lines - whole, at + whole / kCols * step);
    }
    return;
  }
  for (int64_t j = 0; j < from.lines; j += kCols) {
    SumLane<T>* panel = to + j / kCols * step;
    const T* corner = from.data + j * from.line_stride;
    if constexpr (!std::is_same_v<T, Complex>)
      if (from.k_stride == 1) {
        // The next panel's lines: short parts of long lines, which the processor does not see coming.
        for (int64_t r = j + kCols; r < std::min(j + 2 * kCols, from.lines); ++r)
          for (int64_t u = 0; u < from.k; u += 64 / static_cast<int64_t>(sizeof(T)))
            _mm_prefetch(reinterpret_cast<const char*>(from.data + r * from.line_stride + u), _MM_HINT_T1);
        turn(corner, from.line_stride, from.k, std::min(kCols, from.lines - j), panel, B::kPanel);
        continue;
      }
    for (int64_t u = 0; u < from.k; ++u)
      pack_unit(corner + u * from.k_stride, from.line_stride, std::min(kCols, from.lines - j), panel + u * B::kPanel);
  }
}

// Whether the rows of `a`, which lie side by side, are read as they lie: columns that are few do not make up for
// turning them.
template <class T>
bool reads_sides(const Matrix& a) {
  return std::is_same_v<T, SumLane<T>> && a.row_stride == 1 && a.col_stride > 0 &&
         a.col_stride * static_cast<int64_t>(sizeof(T)) <= kNearBytes;
}

// Whether the columns of `b` are one panel, whose rows lie near one another.
template <class T>
bool is_narrow(const Matrix& b) {
  return b.cols * kParts<T> <= Blocking<SumLane<T>>::kPanel && b.col_stride == 1 && b.row_stride > 0 &&
         b.row_stride * static_cast<int64_t>(sizeof(T)) <= kNearBytes / 4;
}

// Rows of sums, rounded, to `to`.
template <class T>
FRIT_ISA void store_rows(const SumLane<T>* from, int64_t stride, const Matrix& to) {
  T* data = static_cast<T*>(to.data);
  for (int64_t i = 0; i < to.rows; ++i) {
    T* row = data + i * to.row_stride;
    const SumLane<T>* sums = from + i * kParts<T> * stride;
    if constexpr (std::is_same_v<T, Complex>) {
      for (int64_t j = 0; j < to.cols; ++j)
        row[j * to.col_stride] = {sums[2 * j] - sums[stride + 2 * j + 1], sums[2 * j + 1] + sums[stride + 2 * j]};
    } else if (to.col_stride == 1) {
      store_row(sums, row, to.cols);
    } else {
      for (int64_t j = 0; j < to.cols; ++j) row[j * to.col_stride] = static_cast<T>(sums[j]);
    }
  }
}

// The last sums of all rows of `to`, rounded while they are in the first-level cache. They take the place of one
// another if `shared`.
template <class T, class Dot, int64_t kStride>
FRIT_ISA void round_by_columns(const KernelArgs<SumLane<T>>& g, int64_t panel_step, const Matrix& to, bool shared) {
  const int64_t a_stride = kStride ? kStride : g.a_stride, pieces = (to.rows + kRoundedRows - 1) / kRoundedRows;
  for (int64_t piece = 0; piece < pieces; ++piece) {
    const int64_t first = to.rows * piece / pieces, rows = to.rows * (piece + 1) / pieces - first;
    const int64_t line = first * kParts<T>;
    KernelArgs<SumLane<T>> part = g;
    part.a += line * a_stride;
    if (!shared) part.c += line * g.c_stride;
    if (part.start) part.start += line * g.start_stride;
    rows_by_columns<Dot, kStride>(part, rows * kParts<T>, to.cols * kParts<T>, panel_step);
    store_rows<T>(part.c, part.c_stride, to.block(first, 0, rows, to.cols, sizeof(T)));
  }
}

// c = a b from the operands as they lie, where b and c have dense rows; false where packing them pays.
template <class T, class Dot>
FRIT_ISA bool multiply_unpacked(const Matrix& a, const Matrix& b, const Matrix& c, int64_t blocks) {
  using C = SumLane<T>;
  const int64_t m = c.rows * kParts<T>, n = c.cols * kParts<T>, units = a.cols;
  auto span = [](const Matrix& x) {
    return static_cast<int64_t>(sizeof(T)) * std::max(x.rows * std::abs(x.row_stride), x.cols * std::abs(x.col_stride));
  };
  if (b.col_stride != 1) return false;
  const bool narrow = is_narrow<T>(b) && (a.col_stride == 1 || reads_sides<T>(a));
  if (!narrow && m * n * units > kUnpacked && std::max(span(a), span(b)) > kUnpackedSpan) return false;
  for (int64_t block = 0; block < blocks; ++block) {
    const int64_t first = units * block / blocks, next = units * (block + 1) / blocks;
    KernelArgs<C> g{static_cast<const C*>(a.data) + first * a.col_stride,
                    a.row_stride,
                    a.col_stride,
                    static_cast<const C*>(b.data) + first * b.row_stride,
                    b.row_stride,
                    next - first,
                    static_cast<C*>(c.data),
                    c.row_stride,
                    block > 0};
    g.packed = false;
    rows_by_columns<Dot, 0>(g, m, n, Blocking<C>::kPanel);
  }
  return true;
}

#include "runtime/openblas/few_rows.h"

// Below.
template <class T, class Dot>
FRIT_ISA bool multiply_turned(const Matrix& a, const Matrix& b, const Matrix& c);

// Another way for a product of some rows, or null.
template <class T, class Dot>
MultiplyFn other_way(const Matrix& a, const Matrix& b) {
  if constexpr (!std::is_same_v<T, Complex>)
    if (takes_few_rows<T, Dot>(a, b)) return multiply_few_rows<T, Dot>;
  if constexpr (!Dot::kPairs && !std::is_same_v<T, Complex>) {
    // The other operand is the left one of the transposed product, and is read as it lies. Where masks take time, this
    // pays for whole vectors of rows; not for few rows of elements that are converted. Four columns of doubles at a
    // time take longer to turn than the rows.
    using V = Vector<SumLane<T>>;
    constexpr bool kConverts = !std::is_same_v<T, SumLane<T>>;
    const bool whole = V::kMasksAreFree || a.rows % V::kLanes == 0;
    const bool pays =
        sizeof(T) == 8 || (!kConverts && a.rows > kTurnedColumns) || (whole && (!kConverts || a.rows > kThinRows));
    if (pays && b.row_stride == 1 && b.col_stride != 1 && a.rows > 1 && a.rows <= kFewRows && b.cols > 2 * kFewRows)
      return multiply_turned<T, Dot>;
  }
  return nullptr;
}

template <class T, class Dot>
FRIT_ISA bool multiply(const Matrix& a, const Matrix& b, const Matrix& c) {
  if (const MultiplyFn other = other_way<T, Dot>(a, b)) return other(a, b, c);
  using C = SumLane<T>;
  using B = Blocking<C>;
  constexpr bool kPairs = Dot::kPairs, kAsItLies = std::is_same_v<T, C>;
  constexpr int64_t kPerUnit = kPairs ? 2 : 1;
  constexpr int64_t kMostUnits = B::kBlockUnits;
  // In lines and in columns of sums.
  const int64_t m = c.rows * kParts<T>, n = c.cols * kParts<T>;
  const int64_t units = (a.cols + kPerUnit - 1) / kPerUnit, blocks = (units + kMostUnits - 1) / kMostUnits;
  const bool in_place = kAsItLies && c.col_stride == 1;
  auto block_start = [&](int64_t block) { return units * block / blocks; };
  if constexpr (kAsItLies)
    if (in_place && multiply_unpacked<T, Dot>(a, b, c, blocks)) return true;
  // Where one block of k is all of it, sums of a block of columns are final at once.
  const int64_t most_units = (units + blocks - 1) / blocks,
                most_cols = std::min(B::kBlockCols, (n + B::kPanel - 1) / B::kPanel * B::kPanel);
  const bool thin = m <= kThinRows && b.col_stride == 1 && units > kThinUnits;
  const bool shared = !in_place && blocks == 1 && !thin;
  const int64_t sum_stride = in_place ? c.row_stride : shared ? most_cols : n;
  // Rows whose units lie in memory as the kernels take them are packed only if enough columns make up for it.
  const bool whole_units = kAsItLies || (kPairs && a.cols % 2 == 0 && a.row_stride % 2 == 0);
  const bool rows_as_they_lie = n <= B::kBlockCols && ((whole_units && a.col_stride == 1) || reads_sides<T>(a));
  const size_t size_a = rows_as_they_lie ? 0 : static_cast<size_t>(m * B::kPackedStride),
               size_b = static_cast<size_t>(most_cols / B::kPanel * B::panel_step(most_units)),
               size_c = in_place
                            ? 0
                            : static_cast<size_t>((shared ? std::min(m, kRoundedRows * kParts<T>) : m) * sum_stride),
               size_carried = thin ? static_cast<size_t>(m * n) : 0;
  Scratch memory((size_a + size_b + size_c + size_carried) * sizeof(C));
  if (!memory.data()) return false;
  C* pa = static_cast<C*>(memory.data());
  C* pb = pa + size_a;
  C* carried = pb + size_b + size_c;
  C* sums = in_place ? static_cast<C*>(c.data) : pb + size_b;
  for (int64_t block = 0; block < blocks; ++block) {
    const int64_t first = block_start(block), count = block_start(block + 1) - first, k0 = first * kPerUnit;
    const int64_t k = std::min(count * kPerUnit, a.cols - k0);
    if (!rows_as_they_lie)
      pack_rows<kPairs>(
          Lines<T>{static_cast<const T*>(a.data) + k0 * a.col_stride, c.rows, k, a.row_stride, a.col_stride}, count,
          pa);
    const int64_t step = thin ? kThinUnits : count;
    for (int64_t u = 0; u < count; u += step) {
      const int64_t part = std::min(step, count - u), l0 = u * kPerUnit, l = std::min(part * kPerUnit, k - l0);
      const bool last = u + part == count;
      for (int64_t j = 0; j < n; j += B::kBlockCols) {
        const int64_t cols = std::min(B::kBlockCols, n - j), j0 = j / kParts<T>;
        const T* corner = static_cast<const T*>(b.data) + (k0 + l0) * b.row_stride + j0 * b.col_stride;
        pack_columns<kPairs>(Lines<T>{corner, cols / kParts<T>, l, b.col_stride, b.row_stride}, part, pb);
        C* to = shared ? sums : sums + j;
        KernelArgs<C> g{pa + u,           0, 0, pb, B::kPanel, part, last ? to : carried + j, last ? sum_stride : n,
                        last && block > 0};
        if (u) {
          g.start = carried + j;
          g.start_stride = n;
        }
        if (rows_as_they_lie) {
          g.a = reinterpret_cast<const C*>(static_cast<const T*>(a.data) + (k0 + l0) * a.col_stride);
          g.a_stride = a.row_stride / kPerUnit;
          g.a_step = kAsItLies ? a.col_stride : 1;
        }
        const int64_t panel_step = B::panel_step(part);
        if (!in_place && last && block + 1 == blocks) {
          const Matrix rounded = c.block(0, j0, c.rows, cols / kParts<T>, sizeof(T));
          constexpr int64_t kStride = B::kPackedStride;
          (rows_as_they_lie ? round_by_columns<T, Dot, 0> : round_by_columns<T, Dot, kStride>)(g, panel_step, rounded,
                                                                                               shared);
        } else {
          (rows_as_they_lie ? rows_by_columns<Dot, 0, C> : rows_by_columns<Dot, B::kPackedStride, C>)(g, m, cols,
                                                                                                      panel_step);
        }
      }
    }
  }
  return true;
}

#include "runtime/openblas/vector.h"

#include "runtime/openblas/plane_dots.h"

#include "runtime/openblas/line_products.h"
#include "runtime/openblas/packed.h"
// After vector.h.
#include "runtime/openblas/many_products.h"

// As avx512_multiply and avx2_multiply.
template <class T, class Dot>
MultiplyFn pick(int64_t m, int64_t n, bool batch) {
  if (n > 1 && (m > 1 || batch)) return multiply<T, Dot>;
  if constexpr (std::is_same_v<T, Complex>)
    return nullptr;
  else
    return n == 1 ? multiply_vector<T> : multiply_by_vector<T>;
}
