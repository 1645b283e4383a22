// Products of few rows for one instruction set; part of kernels.h.
//
// The right operand is read once, as it lies: it is converted in registers, and turned in them where its columns lie
// dense, instead of being packed. The sums are those of multiply(): the same blocks of k, taken in the same order.

// Rows that read columns which lie dense: their sums, and a tile of the right operand, fit the registers.
constexpr int64_t kStripRows = 6;
// Rows that read dense rows, some of them at a time. Up to this many the sums stay in the second-level cache.
constexpr int64_t kAcrossRows = 48;
// Bytes of the right operand that are read for some columns before the next ones: they stay in the first-level cache.
constexpr int64_t kStepBytes = int64_t{16} << 10;
// Elements of a line of the cache.
template <class T>
inline constexpr int64_t kLineOf = 64 / static_cast<int64_t>(sizeof(T));

// Memory that is read soon, a part of it in each step. Parts of rows are as many lines that lie apart, which the
// processor does not see coming, and fetches one after the other; where rows lie dense, the lines come in order.
template <class T>
struct Ahead {
  const T* at;
  int64_t step;
  template <int64_t kElements>
  FRIT_ISA_INLINE void fetch() {
    FRIT_UNROLL
    for (int64_t i = 0; i < kElements; i += kLineOf<T>)
      _mm_prefetch(reinterpret_cast<const char*>(at + i), _MM_HINT_T0);
    at += step;
  }
};

template <class T, class Dot>
bool takes_few_rows(const Matrix& a, const Matrix& b) {
  using C = SumLane<T>;
  // The rows of the left operand are copied, element by element where these do not lie side by side.
  if (reads_sides<T>(a) && is_narrow<T>(b)) return false;
  if (b.col_stride == 1 && b.cols >= Vector<C>::kLanes) {
    // Small operands with more rows stay in the cache, where the kernels of many rows take them as they lie.
    const int64_t bytes = b.rows * b.row_stride * static_cast<int64_t>(sizeof(T));
    return a.rows <= kStripRows || (!Dot::kPairs && a.rows <= kAcrossRows && bytes > kUnpackedSpan);
  }
  if (b.col_stride == 1 || a.rows > kStripRows) return false;
  // A pair of elements is read as a word.
  const bool whole = !Dot::kPairs || (a.cols % 2 == 0 && b.col_stride % 2 == 0);
  return whole && b.row_stride == 1 && b.cols >= kTile<C> && a.cols >= kTile<C> * (Dot::kPairs ? 2 : 1);
}

// ---- Rows of the right operand lie dense ----

// A step: some units of b for all columns and rows.
template <class T>
struct Across {
  int64_t b_stride, a_stride, sum_stride, units;
  bool half, first, dense;
};

// sums[r] of kV vectors of columns (+)= kR rows of `a` times the units of b. Memory at `ahead` is
// prefetched if it is given.
template <class T, class Dot, int kR, int kV>
FRIT_ISA void add_units(const Across<T>& g, const T* b, const SumLane<T>* a, SumLane<T>* sums, const T* ahead) {
  using V = Vector<SumLane<T>>;
  const int64_t b_step = g.b_stride, stride = g.a_stride, sum_stride = g.sum_stride, units = g.units;
  typename V::Register sum[kR][kV];
  FRIT_UNROLL
  for (int r = 0; r < kR; ++r) FRIT_UNROLL
  for (int v = 0; v < kV; ++v) sum[r][v] = g.first ? V::zero() : V::load(sums + r * sum_stride + v * V::kLanes);
  constexpr int64_t kRows = Dot::kPairs ? 2 : 1;
  alignas(64) static constexpr T kNone[kV * V::kLanes] = {};
  Ahead<T> next{ahead, kRows * (g.dense ? kV * V::kLanes : b_step)};
  const bool fetches = ahead, half = g.half;
  // One pointer for three rows: a register each for all rows would be too many.
  const SumLane<T>*a3 = a + 3 * stride, *a6 = a + 6 * stride, *a9 = a + 9 * stride;
  for (int64_t u = 0; u < units; ++u, ++a, ++a3, ++a6, ++a9) {
    const T* const second = Dot::kPairs && half && u + 1 == units ? kNone : b + b_step;
    if (fetches) next.template fetch<kRows * kV * V::kLanes>();
    typename V::Register right[kV];
    FRIT_UNROLL
    for (int v = 0; v < kV; ++v) right[v] = Dot::template unit<T>(b + v * V::kLanes, second + v * V::kLanes);
    FRIT_UNROLL
    for (int r = 0; r < kR; ++r) {
      const SumLane<T>* base = r < 3 ? a : r < 6 ? a3 : r < 9 ? a6 : a9;
      const typename V::Register left = V::same(base[r % 3 * stride]);
      FRIT_UNROLL
      for (int v = 0; v < kV; ++v) sum[r][v] = Dot::template add<SumLane<T>>(sum[r][v], left, right[v]);
    }
    b += kRows * b_step;
  }
  FRIT_UNROLL
  for (int r = 0; r < kR; ++r) FRIT_UNROLL
  for (int v = 0; v < kV; ++v) V::store(sums + r * sum_stride + v * V::kLanes, sum[r][v]);
}

template <class T>
using AddUnits = void (*)(const Across<T>&, const T*, const SumLane<T>*, SumLane<T>*, const T*);

template <class T, class Dot, int kV, int kR = 1>
AddUnits<T> add_units_of(int64_t rows) {
  constexpr int64_t kMost = kV == 8 ? 1 : kV == 4 ? 2 : Dot::kPairs ? kStripRows : Vector<SumLane<T>>::kRows;
  if constexpr (kR < kMost)
    if (rows > kR) return add_units_of<T, Dot, kV, kR + 1>(rows);
  return add_units<T, Dot, kR, kV>;
}

// As many vectors of columns at once as registers allow, and fewer for the last ones. Past the last whole vector the
// last kLanes columns follow, some of them for a second time. Strips of rows take a piece of b in turn.
template <class T, class Dot, int kV>
FRIT_ISA void add_across(const Across<T>& g, const T* b, const SumLane<T>* a, SumLane<T>* sums, int64_t rows,
                         int64_t columns, const T* next, int64_t j = 0) {
  constexpr int64_t kLanes = Vector<SumLane<T>>::kLanes, kRows = Dot::kPairs ? 2 : 1;
  const bool long_step = rows > kStripRows;
  const int64_t strips = (rows + Vector<SumLane<T>>::kRows - 1) / Vector<SumLane<T>>::kRows, low = rows / strips;
  const AddUnits<T> few = add_units_of<T, Dot, kV>(low), more = add_units_of<T, Dot, kV>(low + 1);
  const auto add = [&](int64_t column, int64_t to, int64_t width) {
    const int64_t further = column + 2 * width;
    const T* ahead = !long_step          ? next + column * (g.dense ? g.units * kRows : 1)
                     : further < columns ? b + further
                                         : next + further - columns;
    for (int64_t s = 0, from = 0; s < strips; ++s) {
      const int64_t end = rows * (s + 1) / strips;
      (end - from == low ? few : more)(g, b + column, a + from * g.a_stride, sums + from * g.sum_stride + to, ahead);
      ahead = nullptr;
      from = end;
    }
  };
  for (; j + kV * kLanes <= columns; j += kV * kLanes) add(j, j, kV * kLanes);
  if constexpr (kV > 1)
    add_across<T, Dot, kV / 2>(g, b, a, sums, rows, columns, next, j);
  else if (j < columns)
    add(columns - kLanes, j, kLanes);
}

template <class T, class Dot>
FRIT_ISA void few_rows_across(const Matrix& b, int64_t rows, const SumLane<T>* a, int64_t a_stride, SumLane<T>* sums,
                              SumLane<T>* carried, int64_t sum_stride) {
  using C = SumLane<T>;
  using V = Vector<C>;
  constexpr int64_t kRows = Dot::kPairs ? 2 : 1;
  const int64_t units = (b.rows + kRows - 1) / kRows,
                blocks = (units + Blocking<C>::kBlockUnits - 1) / Blocking<C>::kBlockUnits;
  const int64_t unit_bytes = b.cols * kRows * static_cast<int64_t>(sizeof(T));
  // Few sums are added to in the first-level cache. More of them are fetched from the second, which pays for a longer
  // step; its pages are few enough to be known, and its lines are prefetched from column to column.
  constexpr int64_t kLongStep = 64;
  const int64_t step =
      rows > kStripRows ? kLongStep : std::max<int64_t>(kThinUnits, kStepBytes / unit_bytes / kThinUnits * kThinUnits);
  const T* data = static_cast<const T*>(b.data);
  for (int64_t block = 0; block < blocks; ++block) {
    const int64_t start = units * block / blocks, end = units * (block + 1) / blocks;
    C* to = block ? carried : sums;
    for (int64_t u = start; u < end; u += step) {
      const T *from = data + u * kRows * b.row_stride, *next = from + step * kRows * b.row_stride;
      const int64_t count = std::min(step, end - u);
      const bool half = (u + count) * kRows > b.rows;
      const bool dense = rows <= kStripRows && b.row_stride == b.cols;
      const Across<T> part{b.row_stride, a_stride, sum_stride, count, half, u == start, dense};
      if (rows == 1)
        add_across<T, Dot, 8>(part, from, a + u, to, rows, b.cols, next);
      else if (rows == 2)
        add_across<T, Dot, 4>(part, from, a + u, to, rows, b.cols, next);
      else
        add_across<T, Dot, 2>(part, from, a + u, to, rows, b.cols, next);
    }
    if (block)
      for (int64_t i = 0; i < rows * sum_stride; i += V::kLanes)
        V::store(sums + i, V::plus(V::load(sums + i), V::load(carried + i)));
  }
  // The columns of the last vector that are in no vector before.
  const int64_t whole = b.cols / V::kLanes * V::kLanes, rest = b.cols - whole;
  if (rest)
    for (int64_t r = 0; r < rows; ++r) {
      C* row = sums + r * sum_stride;
      for (int64_t i = 0; i < rest; ++i) row[whole + i] = row[whole + V::kLanes - rest + i];
    }
}

// ---- Columns of the right operand lie dense ----

// sum[r] of kG tiles of columns += kR rows of `a` times a tile of units of b, from `corner` on.
template <class T, class Dot, int kR, int kG>
FRIT_ISA_INLINE void add_tile(const T* corner, int64_t stride, const SumLane<T>* a, int64_t a_stride,
                              TileRegister<SumLane<T>> (&sum)[kR][kG]) {
  using C = SumLane<T>;
  using R = TileRegister<C>;
  constexpr int64_t kSide = kTile<C>;
  constexpr bool kHalves = std::is_same_v<T, float16_t>;
  if constexpr (kG == 2 && (kHalves || kR > 2)) {
    // Tiles go by memory, so that registers are free for sums.
    alignas(64) std::conditional_t<kHalves, T, C> turned[2 * kSide * kSide];
    turn_pair(corner, stride, turned);
    FRIT_UNROLL
    for (int64_t u = 0; u < kSide; ++u) {
      const R right = tile_load(turned + u * 2 * kSide), next = tile_load(turned + u * 2 * kSide + kSide);
      FRIT_UNROLL
      for (int r = 0; r < kR; ++r) {
        const R left = tile_same(a[r * a_stride + u]);
        sum[r][0] = Dot::tile_add(sum[r][0], left, right);
        sum[r][1] = Dot::tile_add(sum[r][1], left, next);
      }
    }
  } else {
    FRIT_UNROLL
    for (int g = 0; g < kG; ++g) {
      R right[kSide];
      turn_registers(corner + g * kSide * stride, stride, right);
      FRIT_UNROLL
      for (int64_t u = 0; u < kSide; ++u) FRIT_UNROLL
      for (int r = 0; r < kR; ++r) sum[r][g] = Dot::tile_add(sum[r][g], tile_same(a[r * a_stride + u]), right[u]);
    }
  }
}

// The same for the last `units` of a tile alone.
template <class T, class Dot, int kR, int kG>
FRIT_ISA void add_edge(const T* corner, int64_t stride, int64_t units, const SumLane<T>* a, int64_t a_stride,
                       TileRegister<SumLane<T>> (&sum)[kR][kG]) {
  constexpr int64_t kSide = kTile<SumLane<T>>;
  for (int g = 0; g < kG; ++g) {
    SumLane<T> turned[kSide * kSide];
    turn_tile(corner + g * kSide * stride, stride, turned, kSide);
    for (int64_t u = kSide - units; u < kSide; ++u)
      for (int r = 0; r < kR; ++r)
        sum[r][g] = Dot::tile_add(sum[r][g], tile_same(a[r * a_stride + u]), tile_load(turned + u * kSide));
  }
}

// The sums of kR rows with kG tiles of columns, which begin at b.
template <class T, class Dot, int kR, int kG>
FRIT_ISA void few_rows_tile(const T* b, int64_t stride, const SumLane<T>* a, int64_t a_stride, int64_t units,
                            int64_t blocks, SumLane<T>* to, int64_t to_stride) {
  using C = SumLane<T>;
  using R = TileRegister<C>;
  constexpr int64_t kSide = kTile<C>, kLine = kLineOf<T>, kTiles = kG * kSide;
  // Short columns: the next tiles, in order where they lie dense. Long ones: further down these.
  constexpr int64_t kShort = 2048 / static_cast<int64_t>(sizeof(T)), kFurther = 512 / static_cast<int64_t>(sizeof(T));
  const bool dense = stride == units && units <= kShort;
  const int64_t ahead = units <= kShort ? kTiles * stride : kFurther;
  Ahead<T> next{b + ahead, kTiles * kSide};
  R total[kR][kG];
  for (int64_t block = 0; block < blocks; ++block) {
    const int64_t end = units * (block + 1) / blocks;
    int64_t u = units * block / blocks;
    R sum[kR][kG];
    FRIT_UNROLL
    for (int r = 0; r < kR; ++r) FRIT_UNROLL
    for (int g = 0; g < kG; ++g) sum[r][g] = tile_same(C{});
    for (; u + kSide <= end; u += kSide) {
      add_tile<T, Dot, kR, kG>(b + u, stride, a + u, a_stride, sum);
      if (dense)
        next.template fetch<kTiles * kSide>();
      else if (u % kLine < kSide)
        FRIT_UNROLL
      for (int64_t i = 0; i < kTiles; ++i)
        _mm_prefetch(reinterpret_cast<const char*>(b + u + i * stride + ahead), _MM_HINT_T0);
    }
    // No block has fewer units than a tile.
    if (u < end) add_edge<T, Dot, kR, kG>(b + end - kSide, stride, end - u, a + end - kSide, a_stride, sum);
    FRIT_UNROLL
    for (int r = 0; r < kR; ++r) FRIT_UNROLL
    for (int g = 0; g < kG; ++g) total[r][g] = block ? tile_plus(total[r][g], sum[r][g]) : sum[r][g];
  }
  FRIT_UNROLL
  for (int r = 0; r < kR; ++r) FRIT_UNROLL
  for (int g = 0; g < kG; ++g) tile_store(to + r * to_stride + g * kSide, total[r][g]);
}

template <class T, class Dot, int kR>
FRIT_ISA void few_rows_turned(const Matrix& b, const SumLane<T>* a, int64_t a_stride, SumLane<T>* sums,
                              int64_t sum_stride) {
  using C = SumLane<T>;
  constexpr int64_t kSide = kTile<C>;
  constexpr int kG = 2;
  const int64_t units = b.rows, stride = b.col_stride,
                blocks = (units + Blocking<C>::kBlockUnits - 1) / Blocking<C>::kBlockUnits;
  const T* data = static_cast<const T*>(b.data);
  int64_t j = 0;
  for (; j + kG * kSide <= b.cols; j += kG * kSide)
    few_rows_tile<T, Dot, kR, kG>(data + j * stride, stride, a, a_stride, units, blocks, sums + j, sum_stride);
  // The last tile may have columns of the one before.
  for (; j < b.cols; j += kSide) {
    const int64_t first = std::min(j, b.cols - kSide);
    few_rows_tile<T, Dot, kR, 1>(data + first * stride, stride, a, a_stride, units, blocks, sums + first, sum_stride);
  }
}

template <class T, class Dot, int kR = 1>
FRIT_ISA void few_rows_of(const Matrix& b, int64_t rows, const SumLane<T>* a, int64_t a_stride, SumLane<T>* sums,
                          int64_t sum_stride) {
  if (kR == kStripRows || rows == kR) {
    if constexpr (Dot::kPairs) {
      const Matrix words{b.data, b.rows / 2, b.cols, 1, b.col_stride / 2};
      return few_rows_turned<SumLane<T>, Dot, kR>(words, a, a_stride, sums, sum_stride);
    } else {
      return few_rows_turned<T, Dot, kR>(b, a, a_stride, sums, sum_stride);
    }
  }
  if constexpr (kR < kStripRows) few_rows_of<T, Dot, kR + 1>(b, rows, a, a_stride, sums, sum_stride);
}

// A row of the left operand by units.
template <class T, class Dot>
FRIT_ISA void left_units(const T* row, int64_t stride, int64_t k, SumLane<T>* to) {
  if constexpr (Dot::kPairs) {
    if (k % 2) to[k / 2] = 0;
    for (int64_t u = 0; u < k; ++u)
      std::memcpy(reinterpret_cast<std::byte*>(to) + u * static_cast<int64_t>(sizeof(T)), row + u * stride, sizeof(T));
  } else if (stride == 1) {
    widen_row(row, k, to);
  } else {
    for (int64_t u = 0; u < k; ++u) to[u] = lane_of(row[u * stride]);
  }
}

template <class T, class Dot>
FRIT_ISA bool multiply_few_rows(const Matrix& a, const Matrix& b, const Matrix& c) {
  using C = SumLane<T>;
  constexpr int64_t kLanes = Vector<C>::kLanes;
  const int64_t units = Dot::kPairs ? (a.cols + 1) / 2 : a.cols;
  const int64_t a_stride = (units + kLanes - 1) / kLanes * kLanes, sum_stride = (c.cols + kLanes - 1) / kLanes * kLanes,
                sums_size = c.rows * sum_stride,
                carried_size = b.col_stride == 1 && units > Blocking<C>::kBlockUnits ? sums_size : 0;
  Scratch memory(static_cast<size_t>(c.rows * a_stride + sums_size + carried_size) * sizeof(C));
  if (!memory.data()) return false;
  C* left = static_cast<C*>(memory.data());
  C* sums = left + c.rows * a_stride;
  for (int64_t i = 0; i < a.rows; ++i)
    left_units<T, Dot>(static_cast<const T*>(a.data) + i * a.row_stride, a.col_stride, a.cols, left + i * a_stride);
  if (b.col_stride == 1)
    few_rows_across<T, Dot>(b, c.rows, left, a_stride, sums, sums + sums_size, sum_stride);
  else
    few_rows_of<T, Dot>(b, c.rows, left, a_stride, sums, sum_stride);
  store_rows<T>(sums, sum_stride, c);
  return true;
}
