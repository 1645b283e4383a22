// Products of many small matrices: each has a lane of the vectors. Part of kernels.h.
//
// The sums are those of multiply(), or of multiply_vector() for one column: neither the other products nor their number
// have a part in them.

// Elements of a matrix, and of k, of the products that go this way.
constexpr int64_t kSmallElements = 64, kSmallDepth = 16;

// How a matrix lies in lanes: element (i, j) of all products is vector i * row + j * col.
struct LaneSteps {
  int64_t row, col;
};

// Vectors of the elements of `count` matrices, at least kLines, in the order in which they lie in memory if they lie
// dense.
template <int64_t kLines, class T>
FRIT_ISA LaneSteps to_lanes(const Matrix& first, int64_t stride, int64_t count, SumLane<T>* to) {
  using V = Vector<SumLane<T>>;
  constexpr int64_t kLanes = V::kLanes;
  const T* from = static_cast<const T*>(first.data);
  const int64_t rows = first.rows, cols = first.cols, elements = rows * cols;
  const auto is = [](int64_t stride, int64_t dense, int64_t size) { return stride == dense || size == 1; };
  const bool by_rows = is(first.col_stride, 1, cols) && is(first.row_stride, cols, rows);
  if (!by_rows && !(is(first.row_stride, 1, rows) && is(first.col_stride, rows, cols))) {
    for (int64_t l = 0; l < count; ++l, from += stride) {
      SumLane<T>* at = to + l;
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < cols; ++j, at += kLanes)
          *at = lane_of(from[i * first.row_stride + j * first.col_stride]);
    }
    return {cols, 1};
  }
  for (int64_t e = 0, units; e < elements; e += units) {
    typename V::Register block[kLanes];
    units = load_turned<kLines>(from + e, stride, count, elements - e, block);
    FRIT_UNROLL
    for (int64_t u = 0; u < kLanes; ++u)
      if (u < std::min(units, elements - e)) V::store(to + (e + u) * kLanes, block[u]);
  }
  return by_rows ? LaneSteps{cols, 1} : LaneSteps{1, rows};
}

// The way back, from row-major vectors.
template <int64_t kLines, class T>
FRIT_ISA void from_lanes(const SumLane<T>* from, const Matrix& first, int64_t stride, int64_t count) {
  using V = Vector<SumLane<T>>;
  constexpr int64_t kLanes = V::kLanes;
  T* to = static_cast<T*>(first.data);
  const int64_t rows = first.rows, cols = first.cols, elements = rows * cols;
  if ((first.col_stride != 1 && cols > 1) || (first.row_stride != cols && rows > 1)) {
    for (int64_t l = 0; l < count; ++l, to += stride)
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < cols; ++j)
          to[i * first.row_stride + j * first.col_stride] = static_cast<T>(from[(i * cols + j) * kLanes + l]);
    return;
  }
  for (int64_t e = 0, units; e < elements; e += units) {
    typename V::Register block[kLanes];
    FRIT_UNROLL
    for (int64_t u = 0; u < kLanes; ++u) block[u] = e + u < elements ? V::load(from + (e + u) * kLanes) : V::zero();
    units = store_turned<kLines>(block, to + e, stride, count, elements - e);
  }
}

// Units of pairs, [rows][units], from rows of elements.
template <class Dot, class C>
FRIT_ISA void join_pairs(const C* from, LaneSteps steps, int64_t rows, int64_t depth, C* to) {
  using V = Vector<C>;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t k = 0; k < depth; k += 2, to += V::kLanes) {
      const C* at = from + (i * steps.row + k * steps.col) * V::kLanes;
      V::store(to, Dot::joined(V::load(at), k + 1 < depth ? V::load(at + steps.col * V::kLanes) : V::zero()));
    }
}

// kR rows by kC columns of sums, whose rows are `to_row` vectors apart.
template <class Dot, class C, int kR, int kC>
FRIT_ISA void lane_sums(const C* a, LaneSteps left, const C* b, LaneSteps right, int64_t units, C* to, int64_t to_row) {
  using V = Vector<C>;
  constexpr int64_t kLanes = V::kLanes;
  typename V::Register sums[kR][kC];
  FRIT_UNROLL
  for (int i = 0; i < kR; ++i) FRIT_UNROLL
  for (int j = 0; j < kC; ++j) sums[i][j] = V::zero();
  for (int64_t u = 0; u < units; ++u, a += left.col * kLanes, b += right.row * kLanes) {
    typename V::Register y[kC];
    FRIT_UNROLL
    for (int j = 0; j < kC; ++j) y[j] = V::load(b + j * right.col * kLanes);
    FRIT_UNROLL
    for (int i = 0; i < kR; ++i) {
      const typename V::Register x = V::load(a + i * left.row * kLanes);
      FRIT_UNROLL
      for (int j = 0; j < kC; ++j) sums[i][j] = Dot::template add<C>(sums[i][j], x, y[j]);
    }
  }
  FRIT_UNROLL
  for (int i = 0; i < kR; ++i) FRIT_UNROLL
  for (int j = 0; j < kC; ++j) V::store(to + (i * to_row + j) * kLanes, sums[i][j]);
}

template <class Dot, class C, int kR, int kC>
FRIT_ISA void lane_sums_of(int64_t rows, int64_t cols, const C* a, LaneSteps left, const C* b, LaneSteps right,
                           int64_t units, C* to, int64_t to_row) {
  if (rows < kR) {
    if constexpr (kR > 1) lane_sums_of<Dot, C, kR - 1, kC>(rows, cols, a, left, b, right, units, to, to_row);
  } else if (cols < kC) {
    if constexpr (kC > 1) lane_sums_of<Dot, C, kR, kC - 1>(rows, cols, a, left, b, right, units, to, to_row);
  } else {
    lane_sums<Dot, C, kR, kC>(a, left, b, right, units, to, to_row);
  }
}

// The sums of one column: products of k that are folded by halves, as kDeals sums are.
template <class C>
FRIT_ISA void lane_dots(int64_t rows, const C* a, LaneSteps left, const C* b, int64_t b_step, int64_t depth, C* to) {
  using V = Vector<C>;
  constexpr int64_t kLanes = V::kLanes;
  static_assert(kSmallDepth <= kDeals);
  for (int64_t i = 0; i < rows; ++i) {
    typename V::Register terms[kSmallDepth];
    for (int64_t k = 0; k < depth; ++k)
      terms[k] = V::multiply_add(V::load(a + (i * left.row + k * left.col) * kLanes), V::load(b + k * b_step * kLanes),
                                 V::zero());
    int64_t have = depth;
    for (int64_t half = kDeals / 2; half; half /= 2) {
      for (int64_t k = 0; k + half < have; ++k) terms[k] = V::plus(terms[k], terms[k + half]);
      have = std::min(have, half);
    }
    V::store(to + i * kLanes, terms[0]);
  }
}

// As many products as a vector has lanes, or fewer. At least kLines.
template <int64_t kLines, class T, class Dot>
FRIT_ISA void multiply_lanes(const ManyProducts& g) {
  using C = SumLane<T>;
  constexpr int64_t kLanes = Vector<C>::kLanes, kSide = kSmallElements * kLanes;
  constexpr int kR = Vector<C>::kRows == 12 ? 4 : 2, kC = 4;
  const int64_t m = g.c.rows, n = g.c.cols, depth = g.a.cols;
  const bool pairs = Dot::kPairs && n > 1;
  const int64_t units = pairs ? (depth + 1) / 2 : depth;
  alignas(64) C a[kSide], b[kSide], sums[kSide];
  LaneSteps left = to_lanes<kLines, T>(g.a, g.a_stride, g.count, a);
  LaneSteps right = to_lanes<kLines, T>(g.b, g.b_stride, g.count, b);
  const C *x = a, *y = b;
  [[maybe_unused]] alignas(64) C pairs_a[Dot::kPairs ? kSide : 1], pairs_b[Dot::kPairs ? kSide : 1];
  if constexpr (Dot::kPairs)
    if (pairs) {
      join_pairs<Dot>(a, left, m, depth, pairs_a);
      join_pairs<Dot>(b, {right.col, right.row}, n, depth, pairs_b);
      x = pairs_a;
      y = pairs_b;
      left = {units, 1};
      right = {1, units};
    }
  if (n == 1) {
    lane_dots<C>(m, x, left, y, right.row, depth, sums);
  } else {
    for (int64_t i = 0; i < m; i += kR)
      for (int64_t j = 0; j < n; j += kC)
        lane_sums_of<Dot, C, kR, kC>(m - i, n - j, x + i * left.row * kLanes, left, y + j * right.col * kLanes, right,
                                     units, sums + (i * n + j) * kLanes, n);
  }
  from_lanes<kLines, T>(sums, g.c, g.c_stride, g.count);
}

template <class T, class Dot>
FRIT_ISA void multiply_many(const ManyProducts& g) {
  constexpr int64_t kLanes = Vector<SumLane<T>>::kLanes;
  const auto move = [](Matrix& x, int64_t elements) { x.data = static_cast<T*>(x.data) + elements; };
  ManyProducts some = g;
  for (int64_t left = g.count; left > 0; left -= kLanes) {
    some.count = std::min(kLanes, left);
    if (left >= kLanes)
      multiply_lanes<kLanes, T, Dot>(some);
    else
      multiply_lanes<0, T, Dot>(some);
    move(some.a, kLanes * g.a_stride);
    move(some.b, kLanes * g.b_stride);
    move(some.c, kLanes * g.c_stride);
  }
}

template <class T, class Dot>
ManyFn pick_many(int64_t m, int64_t n, int64_t k) {
  return k <= kSmallDepth && std::max({m * k, k * n, m * n}) <= kSmallElements ? multiply_many<T, Dot> : nullptr;
}
