// Products with a vector for one instruction set; part of kernels.h.
//
// They deal k to kDeals sums in turn, fused multiply-adds, and fold them by halves, whichever way the matrix lies and
// however wide a vector is.

// Sums that k is dealt to in a product with a vector.
constexpr int64_t kDeals = 16;

template <class C, int64_t kRegisters>
FRIT_ISA_INLINE C fold(typename Vector<C>::Register (&sums)[kRegisters]) {
  FRIT_UNROLL
  for (int64_t half = kRegisters / 2; half; half /= 2) FRIT_UNROLL
  for (int64_t v = 0; v < half; ++v) sums[v] = Vector<C>::plus(sums[v], sums[v + half]);
  return Vector<C>::fold(sums[0]);
}

// As many rows at once as registers allow, for more of memory is on its way then.
template <class T>
constexpr int64_t rows_at_once() {
  constexpr int64_t kRegisters = kDeals / Vector<Sum<T>>::kLanes;
  return kRegisters == 4 ? 2 : kRegisters == 1 && sizeof(T) == 2 ? 8 : 4;
}

// kAtOnce rows with unit stride along k.
template <class T, int64_t kAtOnce>
FRIT_ISA void dot_rows(const T* a, int64_t stride, const Sum<T>* x, int64_t k, Sum<T>* y) {
  using C = Sum<T>;
  using V = Vector<C>;
  // A whole line of the cache of each row in turn.
  constexpr int64_t kRegisters = kDeals / V::kLanes,
                    kStep = std::max<int64_t>(kDeals, 64 / static_cast<int64_t>(sizeof(T)));
  typename V::Register sums[kAtOnce][kRegisters];
  FRIT_UNROLL
  for (int64_t r = 0; r < kAtOnce; ++r) FRIT_UNROLL
  for (int64_t v = 0; v < kRegisters; ++v) sums[r][v] = V::zero();
  int64_t l = 0;
  for (; l + kStep <= k; l += kStep) {
    FRIT_UNROLL
    for (int64_t r = 0; r < kAtOnce; ++r) FRIT_UNROLL
    for (int64_t v = 0; v < kStep / V::kLanes; ++v)
      sums[r][v % kRegisters] = V::multiply_add(V::load(a + r * stride + l + v * V::kLanes),
                                                V::load(x + l + v * V::kLanes), sums[r][v % kRegisters]);
  }
  for (; l + kDeals <= k; l += kDeals) FRIT_UNROLL
  for (int64_t r = 0; r < kAtOnce; ++r) FRIT_UNROLL
  for (int64_t v = 0; v < kRegisters; ++v)
    sums[r][v] =
        V::multiply_add(V::load(a + r * stride + l + v * V::kLanes), V::load(x + l + v * V::kLanes), sums[r][v]);
  if (l < k) {
    typename V::Register factors[kRegisters];
    typename V::Mask lanes[kRegisters];
    FRIT_UNROLL
    for (int64_t v = 0; v < kRegisters; ++v) {
      lanes[v] = V::first(k - l - v * V::kLanes);
      factors[v] = V::load(x + l + v * V::kLanes, lanes[v]);
    }
    FRIT_UNROLL
    for (int64_t r = 0; r < kAtOnce; ++r) {
      const T* row = a + r * stride + l;
      C wide[kDeals];
      if constexpr (!std::is_same_v<T, C>)
        for (int64_t i = 0; i < k - l; ++i) wide[i] = widen(row[i]);
      const C* from = nullptr;
      if constexpr (std::is_same_v<T, C>)
        from = row;
      else
        from = wide;
      FRIT_UNROLL
      for (int64_t v = 0; v < kRegisters; ++v)
        sums[r][v] = V::multiply_add(V::load(from + v * V::kLanes, lanes[v]), factors[v], sums[r][v], lanes[v]);
    }
  }
  FRIT_UNROLL
  for (int64_t r = 0; r < kAtOnce; ++r) y[r] = fold<C, kRegisters>(sums[r]);
}

// Adds to `sums` of `rows` rows, which lie side by side, kAtOnce columns of them in turn, `stride` apart, each times
// its factor. `first`: the sums are 0 and need not be written before.
template <class T, int64_t kAtOnce>
FRIT_ISA void add_columns(const T* a, int64_t stride, const Sum<T>* x, int64_t x_stride, int64_t rows, bool first,
                          Sum<T>* sums) {
  using C = Sum<T>;
  using V = Vector<C>;
  typename V::Register factors[kAtOnce];
  FRIT_UNROLL
  for (int64_t q = 0; q < kAtOnce; ++q) factors[q] = V::same(x[q * x_stride]);
  // Several vectors of each column in turn: whole lines of the cache.
  constexpr int64_t kAcross = 4;
  int64_t i = 0;
  for (; i + kAcross * V::kLanes <= rows; i += kAcross * V::kLanes) {
    typename V::Register sum[kAcross];
    FRIT_UNROLL
    for (int64_t v = 0; v < kAcross; ++v) sum[v] = first ? V::zero() : V::load(sums + i + v * V::kLanes);
    FRIT_UNROLL
    for (int64_t q = 0; q < kAtOnce; ++q) FRIT_UNROLL
    for (int64_t v = 0; v < kAcross; ++v)
      sum[v] = V::multiply_add(V::load(a + q * stride + i + v * V::kLanes), factors[q], sum[v]);
    FRIT_UNROLL
    for (int64_t v = 0; v < kAcross; ++v) V::store(sums + i + v * V::kLanes, sum[v]);
  }
  for (; i + V::kLanes <= rows; i += V::kLanes) {
    typename V::Register sum = first ? V::zero() : V::load(sums + i);
    FRIT_UNROLL
    for (int64_t q = 0; q < kAtOnce; ++q) sum = V::multiply_add(V::load(a + q * stride + i), factors[q], sum);
    V::store(sums + i, sum);
  }
  for (; i < rows; ++i) {
    C sum = first ? C{} : sums[i];
    for (int64_t q = 0; q < kAtOnce; ++q) sum = V::multiply_add(C{widen(a[q * stride + i])}, x[q * x_stride], sum);
    sums[i] = sum;
  }
}

// The same for `columns`, at most kMost.
template <class T, int64_t kMost>
FRIT_ISA void add_some_columns(int64_t columns, const T* a, int64_t stride, const Sum<T>* x, int64_t x_stride,
                               int64_t rows, bool first, Sum<T>* sums) {
  if (columns == kMost) return add_columns<T, kMost>(a, stride, x, x_stride, rows, first, sums);
  if constexpr (kMost > 1) add_some_columns<T, kMost - 1>(columns, a, stride, x, x_stride, rows, first, sums);
}

// Rows whose sums stay in the second-level cache; two pages of each column.
template <class C>
inline constexpr int64_t kSideBySide = 8192 / static_cast<int64_t>(sizeof(C));

// The kDeals sums of each of `rows` rows, `side` apart, folded by halves.
template <class C>
FRIT_ISA void fold_rows(const C* sums, int64_t side, int64_t rows, C* y) {
  using V = Vector<C>;
  constexpr int64_t kHalf = kDeals / 2;
  int64_t i = 0;
  for (; i + V::kLanes <= rows; i += V::kLanes) {
    typename V::Register sum[kHalf];
    FRIT_UNROLL
    for (int64_t l = 0; l < kHalf; ++l)
      sum[l] = V::plus(V::load(sums + l * side + i), V::load(sums + (l + kHalf) * side + i));
    FRIT_UNROLL
    for (int64_t half = kHalf / 2; half; half /= 2) FRIT_UNROLL
    for (int64_t l = 0; l < half; ++l) sum[l] = V::plus(sum[l], sum[l + half]);
    V::store(y + i, sum[0]);
  }
  for (; i < rows; ++i) {
    C sum[kHalf];
    for (int64_t l = 0; l < kHalf; ++l) sum[l] = sums[l * side + i] + sums[(l + kHalf) * side + i];
    for (int64_t half = kHalf / 2; half; half /= 2)
      for (int64_t l = 0; l < half; ++l) sum[l] += sum[l + half];
    y[i] = sum[0];
  }
}

// Bytes of a matrix that stays in the caches between products. Of a larger one long runs are read.
constexpr int64_t kCachedBytes = int64_t{4} << 20;

// y of kV vectors of rows: sum after sum, each in registers over all of its columns.
template <class T, int kV>
FRIT_ISA void sum_after_sum(const T* a, int64_t stride, const Sum<T>* x, int64_t k, Sum<T>* y) {
  using C = Sum<T>;
  using V = Vector<C>;
  constexpr int64_t kSide = kV * V::kLanes;
  alignas(64) C sums[kDeals * kSide];
  for (int64_t l = 0; l < kDeals; ++l) {
    typename V::Register sum[kV];
    FRIT_UNROLL
    for (int v = 0; v < kV; ++v) sum[v] = V::zero();
    for (int64_t q = l; q < k; q += kDeals) {
      const typename V::Register factor = V::same(x[q]);
      FRIT_UNROLL
      for (int v = 0; v < kV; ++v) sum[v] = V::multiply_add(V::load(a + q * stride + v * V::kLanes), factor, sum[v]);
    }
    FRIT_UNROLL
    for (int v = 0; v < kV; ++v) V::store(sums + l * kSide + v * V::kLanes, sum[v]);
  }
  fold_rows(sums, kSide, kSide, y);
}

// The same for as many rows as fill vectors, from row i on; gives the first row that is left.
template <class T, int kV>
FRIT_ISA int64_t sums_in_registers(const Matrix& a, const Sum<T>* x, Sum<T>* y, int64_t i = 0) {
  constexpr int64_t kSide = kV * Vector<Sum<T>>::kLanes;
  const T* data = static_cast<const T*>(a.data);
  for (; i + kSide <= a.rows; i += kSide) sum_after_sum<T, kV>(data + i, a.col_stride, x, a.cols, y + i);
  if constexpr (kV > 1) return sums_in_registers<T, kV / 2>(a, x, y, i);
  return i;
}

// The same with the sums of all rows in memory.
template <class T>
FRIT_ISA void sums_in_memory(const Matrix& a, const Sum<T>* x, Sum<T>* y, Sum<T>* sums) {
  constexpr int64_t kAtOnce = 8;
  const T* data = static_cast<const T*>(a.data);
  // Few rows have their sums close together.
  const int64_t side = (a.rows + kDeals - 1) / kDeals * kDeals;
  int64_t k = 0;
  for (; k + kAtOnce * kDeals <= a.cols; k += kAtOnce * kDeals)
    for (int64_t l = 0; l < kDeals; ++l)
      add_columns<T, kAtOnce>(data + (k + l) * a.col_stride, kDeals * a.col_stride, x + k + l, kDeals, a.rows, k == 0,
                              sums + l * side);
  const int64_t rest = a.cols - k;
  for (int64_t l = 0; l < std::min(rest, kDeals); ++l)
    add_some_columns<T, kAtOnce>((rest - l + kDeals - 1) / kDeals, data + (k + l) * a.col_stride, kDeals * a.col_stride,
                                 x + k + l, kDeals, a.rows, k == 0, sums + l * side);
  for (int64_t l = k == 0 ? std::min(rest, kDeals) : kDeals; l < kDeals; ++l)
    std::fill_n(sums + l * side, a.rows, Sum<T>{});
  fold_rows(sums, side, a.rows, y);
}

// y = a x for rows side by side in memory.
template <class T>
FRIT_ISA void columns_times_vector(const Matrix& a, const Sum<T>* x, Sum<T>* y, Sum<T>* sums) {
  const bool cached = a.cols * a.col_stride * static_cast<int64_t>(sizeof(T)) <= kCachedBytes;
  const int64_t done = cached ? sums_in_registers<T, 8>(a, x, y) : 0;
  if (done < a.rows) sums_in_memory<T>(a.block(done, 0, a.rows - done, a.cols, sizeof(T)), x, y + done, sums);
}

// c (m x 1) = a (m x k) times b (k x 1).
template <class T>
FRIT_ISA bool multiply_vector(const Matrix& a, const Matrix& b, const Matrix& c) {
  using C = Sum<T>;
  constexpr int64_t kSide = kSideBySide<C>, kAtOnce = rows_at_once<T>();
  const bool x_lies = std::is_same_v<T, C> && (b.row_stride == 1 || b.rows == 1),
             y_lies = std::is_same_v<T, C> && (c.row_stride == 1 || c.rows == 1);
  const bool along = a.col_stride == 1 || a.cols == 1, side_by_side = !along && (a.row_stride == 1 || a.rows == 1);
  const size_t size_x = x_lies ? 0 : static_cast<size_t>((a.cols + kDeals - 1) / kDeals * kDeals),
               size_y = y_lies ? 0 : kSide,
               size_sums = side_by_side ? kDeals * kSide
                           : along      ? 0
                                        : static_cast<size_t>(a.cols);
  Scratch memory((size_x + size_y + size_sums) * sizeof(C));
  C* own = static_cast<C*>(memory.data());
  if (size_x + size_y + size_sums && !own) return false;
  const C* x = static_cast<const C*>(b.data);
  if (!x_lies) {
    pack<T>(b, own);
    x = own;
  }
  C* sums = own + size_x + size_y;
  const T* data = static_cast<const T*>(a.data);
  for (int64_t i = 0; i < a.rows; i += kSide) {
    const int64_t rows = std::min(kSide, a.rows - i);
    C* y = y_lies ? static_cast<C*>(c.data) + i : own + size_x;
    const T* first = data + i * a.row_stride;
    if (side_by_side) {
      columns_times_vector<T>(a.block(i, 0, rows, a.cols, sizeof(T)), x, y, sums);
    } else if (along) {
      int64_t r = 0;
      for (; r + kAtOnce <= rows; r += kAtOnce)
        dot_rows<T, kAtOnce>(first + r * a.row_stride, a.row_stride, x, a.cols, y + r);
      for (; r < rows; ++r) dot_rows<T, 1>(first + r * a.row_stride, 0, x, a.cols, y + r);
    } else {
      for (int64_t r = 0; r < rows; ++r) {
        pack<T>(a.block(i + r, 0, 1, a.cols, sizeof(T)).transposed(), sums);
        dot_rows<C, 1>(sums, 0, x, a.cols, y + r);
      }
    }
    if (!y_lies) unpack<T>(y, c.block(i, 0, rows, 1, sizeof(T)));
  }
  return true;
}

template <class T>
bool multiply_by_vector(const Matrix& a, const Matrix& b, const Matrix& c) {
  return multiply_vector<T>(b.transposed(), a.transposed(), c.transposed());
}
