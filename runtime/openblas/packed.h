// Products with a right operand that is packed once and meets many blocks of rows. Included by kernels.h.
//
// The sums are those of multiply(): the same blocks of k, taken in the same order.

// How a right operand of k by n lies when it is packed: blocks of k one after the other, each with all of its panels.
template <class T, class Dot>
struct PackedRight {
  using C = SumLane<T>;
  using B = Blocking<C>;
  static constexpr int64_t kPerUnit = Dot::kPairs ? 2 : 1;
  static constexpr int64_t kMostUnits = B::kBlockUnits;

  PackedRight(int64_t k, int64_t n)
      : k(k),
        n(n),
        units((k + kPerUnit - 1) / kPerUnit),
        blocks((units + kMostUnits - 1) / kMostUnits),
        panels((n + B::kPanel - 1) / B::kPanel) {}

  int64_t k, n, units, blocks, panels;

  int64_t start(int64_t block) const { return units * block / blocks; }
  int64_t count(int64_t block) const { return start(block + 1) - start(block); }
  static int64_t panel_step(int64_t count) { return B::panel_step(count); }
  // All blocks but the last may be a unit shorter than the longest.
  int64_t block_step() const { return panels * panel_step((units + blocks - 1) / std::max<int64_t>(blocks, 1)); }
  size_t bytes() const { return static_cast<size_t>(blocks * block_step()) * sizeof(C); }

  FRIT_ISA void pack(const Matrix& b, C* to) const {
    for (int64_t block = 0; block < blocks; ++block) {
      const int64_t k0 = start(block) * kPerUnit, l = std::min(count(block) * kPerUnit, k - k0);
      for (int64_t j = 0; j < n; j += B::kBlockCols) {
        const Matrix part = b.block(k0, j, l, std::min(B::kBlockCols, n - j), sizeof(T));
        pack_columns<Dot::kPairs>(
            Lines<T>{static_cast<const T*>(part.data), part.cols, l, part.col_stride, part.row_stride}, count(block),
            to + block * block_step() + j / B::kPanel * panel_step(count(block)));
      }
    }
  }
};

// The first `columns` columns of c = a b, of which only the first `depth` of k are summed: the rest of a is zero.
template <class T, class Dot>
FRIT_ISA bool multiply_packed(const Matrix& a, const SumLane<T>* b, const Matrix& c, int64_t depth, int64_t columns) {
  using C = SumLane<T>;
  using B = Blocking<C>;
  using Right = PackedRight<T, Dot>;
  constexpr bool kAsItLies = std::is_same_v<T, C>;
  constexpr int64_t kPerUnit = Right::kPerUnit;
  const Right right(a.cols, c.cols);
  const int64_t m = c.rows, units = std::max<int64_t>(1, (depth + kPerUnit - 1) / kPerUnit);
  const bool in_place = kAsItLies && c.col_stride == 1;
  const bool whole_units = kAsItLies || (Dot::kPairs && a.cols % 2 == 0 && a.row_stride % 2 == 0);
  const bool rows_as_they_lie = whole_units && a.col_stride == 1 && columns <= B::kBlockCols;
  const bool one_block = right.blocks == 1 || right.start(1) >= units;
  const int64_t sum_stride = in_place    ? c.row_stride
                             : one_block ? std::min(B::kBlockCols, right.panels * B::kPanel)
                                         : right.panels * B::kPanel;
  const size_t size_a = rows_as_they_lie ? 0 : static_cast<size_t>(m * B::kPackedStride),
               size_c = in_place ? 0 : static_cast<size_t>(m * sum_stride);
  Scratch memory((size_a + size_c) * sizeof(C));
  if (size_a + size_c && !memory.data()) return false;
  C* pa = static_cast<C*>(memory.data());
  C* sums = in_place ? static_cast<C*>(c.data) : pa + size_a;
  for (int64_t block = 0; block < right.blocks && right.start(block) < units; ++block) {
    const int64_t first = right.start(block), k0 = first * kPerUnit;
    const int64_t count = std::min(right.count(block), units - first);
    const bool last = block + 1 == right.blocks || right.start(block + 1) >= units;
    if (!rows_as_they_lie)
      pack_rows<Dot::kPairs>(Lines<T>{static_cast<const T*>(a.data) + k0 * a.col_stride, m,
                                      std::min(count * kPerUnit, a.cols - k0), a.row_stride, a.col_stride},
                             count, pa);
    const int64_t step = Right::panel_step(right.count(block));
    for (int64_t j = 0; j < columns; j += B::kBlockCols) {
      const int64_t cols = std::min(B::kBlockCols, columns - j);
      C* to = in_place || !one_block ? sums + j : sums;
      KernelArgs<C> g{pa, 0,          0,        b + block * right.block_step() + j / B::kPanel * step, B::kPanel, count,
                      to, sum_stride, block > 0};
      if (rows_as_they_lie) {
        g.a = reinterpret_cast<const C*>(static_cast<const T*>(a.data) + k0);
        g.a_stride = a.row_stride / kPerUnit;
        g.a_step = 1;
        rows_by_columns<Dot, 0>(g, m, cols, step);
      } else {
        rows_by_columns<Dot, B::kPackedStride>(g, m, cols, step);
      }
      if (!in_place && last) store_rows<T>(to, sum_stride, c.block(0, j, m, cols, sizeof(T)));
    }
  }
  return true;
}

// Few rows times a matrix whose columns lie dense: c' = b' a', so that the large operand is read as it lies, line by
// line, and the small one is packed. Multiplying commutes, so the sums are the same.
template <class T, class Dot>
FRIT_ISA bool multiply_turned(const Matrix& a, const Matrix& b, const Matrix& c) {
  using C = SumLane<T>;
  const PackedRight<T, Dot> right(a.cols, a.rows);
  Scratch memory(right.bytes());
  if (!memory.data()) return false;
  C* packed = static_cast<C*>(memory.data());
  right.pack(a.transposed(), packed);
  for (int64_t j = 0; j < c.cols; j += kTurnedRows) {
    const int64_t count = std::min(kTurnedRows, c.cols - j);
    const Matrix part = b.block(0, j, b.rows, count, sizeof(T)), to = c.block(0, j, c.rows, count, sizeof(T));
    if (!multiply_packed<T, Dot>(part.transposed(), packed, to.transposed(), a.cols, a.rows)) return false;
  }
  return true;
}

template <class T, class Dot>
size_t packed_bytes(int64_t k, int64_t n) {
  return PackedRight<T, Dot>(k, n).bytes();
}
template <class T, class Dot>
void pack_right(const Matrix& b, void* to) {
  PackedRight<T, Dot>(b.rows, b.cols).pack(b, static_cast<SumLane<T>*>(to));
}
template <class T, class Dot>
bool multiply_right(const Matrix& a, const void* b, const Matrix& c, int64_t depth, int64_t columns) {
  return multiply_packed<T, Dot>(a, static_cast<const SumLane<T>*>(b), c, depth, columns);
}

// All blocks of k are equally long in the depth that this gives.
template <class T, class Dot>
int64_t whole_depth(int64_t k) {
  using Right = PackedRight<T, Dot>;
  const Right right(k, 1);
  return (right.units + right.blocks - 1) / right.blocks * right.blocks * Right::kPerUnit;
}

// One block of k, of which both operands are packed here.
template <class T, class Dot>
FRIT_ISA bool add_product(const Matrix& a, const Matrix& b, void* c, int64_t stride, bool add) {
  using C = SumLane<T>;
  using B = Blocking<C>;
  const int64_t m = a.rows, n = b.cols, k = a.cols, kPerUnit = PackedRight<T, Dot>::kPerUnit;
  const int64_t units = (k + kPerUnit - 1) / kPerUnit, step = B::panel_step(units),
                most_cols = std::min(B::kBlockCols, (n + B::kPanel - 1) / B::kPanel * B::kPanel);
  const size_t size_a = static_cast<size_t>(m * B::kPackedStride);
  Scratch memory((size_a + static_cast<size_t>(most_cols / B::kPanel * step)) * sizeof(C));
  if (!memory.data()) return false;
  C* pa = static_cast<C*>(memory.data());
  C* pb = pa + size_a;
  pack_rows<Dot::kPairs>(Lines<T>{static_cast<const T*>(a.data), m, k, a.row_stride, a.col_stride}, units, pa);
  for (int64_t j = 0; j < n; j += B::kBlockCols) {
    const int64_t cols = std::min(B::kBlockCols, n - j);
    pack_columns<Dot::kPairs>(
        Lines<T>{static_cast<const T*>(b.data) + j * b.col_stride, cols, k, b.col_stride, b.row_stride}, units, pb);
    rows_by_columns<Dot, B::kPackedStride>(
        KernelArgs<C>{pa, 0, 0, pb, B::kPanel, units, static_cast<C*>(c) + j, stride, add}, m, cols, step);
  }
  return true;
}

template <class T, class Dot>
inline constexpr PackedProduct kPacked{packed_bytes<T, Dot>,
                                       pack_right<T, Dot>,
                                       multiply_right<T, Dot>,
                                       whole_depth<T, Dot>,
                                       Blocking<SumLane<T>>::kBlockUnits* PackedRight<T, Dot>::kPerUnit,
                                       Vector<SumLane<T>>::kRows,
                                       Blocking<SumLane<T>>::kLanes,
                                       add_product<T, Dot>};
