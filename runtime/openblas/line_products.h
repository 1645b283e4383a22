// Products with operands that are read as they lie (lines.h). Included by kernels.h.
//
// A sum goes over all parts in order, fused multiply-adds. Neither the rows nor the columns beside it have a part in
// it.

template <class Dot, class C, int kR, int kV, Last kLast>
FRIT_ISA void line_kernel(const LineProduct& g, const C* left, C* to, int64_t width) {
  using V = Vector<C>;
  constexpr bool kWhole = kLast == Last::kWhole;
  const typename V::Mask lanes = V::first(width);
  typename V::Register sums[kR][kV];
  FRIT_UNROLL
  for (int i = 0; i < kR; ++i) FRIT_UNROLL
  for (int v = 0; v < kV; ++v) {
    sums[i][v] = V::zero();
    _mm_prefetch(reinterpret_cast<const char*>(to + i * g.stride + v * V::kLanes), _MM_HINT_T0);
  }
  const int64_t row = g.row_step, left_step = g.left_step, right_step = g.right_step;
  for (const LinePart* part = g.parts; part != g.parts + g.count; ++part) {
    // One pointer for three rows: a register each for all rows would be too many.
    const C* a = left + part->left / (Dot::kPairs ? 2 : 1);
    const C* a3 = a + 3 * row;
    const C* a6 = a + 6 * row;
    const C* a9 = a + 9 * row;
    const C* b = static_cast<const C*>(g.right) + part->right;
    for (int64_t u = 0; u < part->units; ++u) {
      typename V::Register right[kV];
      FRIT_UNROLL
      for (int v = 0; v < kV; ++v) {
        const C* from = b + v * V::kLanes;
        right[v] = kLast == Last::kMasked && v + 1 == kV ? V::load(from, lanes) : V::load(from);
      }
      if constexpr (kLast == Last::kCleared) right[kV - 1] = V::cleared(right[kV - 1], lanes);
      FRIT_UNROLL
      for (int i = 0; i < kR; ++i) {
        const C* base = i < 3 ? a : i < 6 ? a3 : i < 9 ? a6 : a9;
        const typename V::Register same = V::same(base[i % 3 * row]);
        FRIT_UNROLL
        for (int v = 0; v < kV; ++v) sums[i][v] = Dot::template add<C>(sums[i][v], same, right[v]);
      }
      b += right_step;
      a += left_step;
      a3 += left_step;
      a6 += left_step;
      a9 += left_step;
    }
  }
  FRIT_UNROLL
  for (int i = 0; i < kR; ++i) FRIT_UNROLL
  for (int v = 0; v < kV; ++v) {
    C* at = to + i * g.stride + v * V::kLanes;
    if (kWhole || v + 1 < kV) {
      V::store(at, g.add ? V::plus(V::load(at), sums[i][v]) : sums[i][v]);
    } else {
      V::store(at, lanes, g.add ? V::plus(V::load(at, lanes), sums[i][v]) : sums[i][v]);
    }
  }
}

template <class Dot, int kV, int kR = 1>
FRIT_ISA void line_kernel_of(int64_t rows, const LineProduct& g, const float* left, float* to, int64_t width) {
  using V = Vector<float>;
  if (kR == V::kRows || rows == kR) {
    if (width == V::kLanes) return line_kernel<Dot, float, kR, kV, Last::kWhole>(g, left, to, width);
    constexpr Last kLast = V::kMasksAreFree ? Last::kMasked : Last::kCleared;
    return line_kernel<Dot, float, kR, kV, kLast>(g, left, to, width);
  }
  if constexpr (kR < V::kRows) line_kernel_of<Dot, kV, kR + 1>(rows, g, left, to, width);
}

template <class Dot>
FRIT_ISA void sum_lines(const LineProduct& g) {
  constexpr int64_t kRows = Vector<float>::kRows, kLanes = Vector<float>::kLanes;
  const int64_t strips = (g.rows + kRows - 1) / kRows;
  for (int64_t s = 0; s < strips; ++s) {
    // Strips of nearly equal height: a strip of a row or two would wait for its sums.
    const int64_t first = g.rows * s / strips, height = g.rows * (s + 1) / strips - first;
    const float* left = static_cast<const float*>(g.left) + first * g.row_step;
    float* to = g.sums + first * g.stride;
    if (g.cols > kLanes)
      line_kernel_of<Dot, 2>(height, g, left, to, g.cols - kLanes);
    else
      line_kernel_of<Dot, 1>(height, g, left, to, g.cols);
  }
}

template <class T>
FRIT_ISA void widen_positions(const void* from, int64_t step, int64_t positions, int64_t channels, void* to,
                              int64_t pitch) {
  const T* at = static_cast<const T*>(from);
  float* line = static_cast<float*>(to);
  for (int64_t p = 0; p < positions; ++p, at += step, line += pitch) {
    widen_row(at, channels, line);
    for (int64_t c = channels; c < pitch; ++c) line[c] = 0;
  }
}

template <class T, class Dot>
FRIT_ISA void pack_line_columns(const Matrix& w, int64_t units, float* to) {
  pack_columns<Dot::kPairs>(Lines<T>{static_cast<const T*>(w.data), w.cols, w.rows, w.col_stride, w.row_stride}, units,
                            to);
}

template <class T>
FRIT_ISA void round_line(const float* from, int64_t n, void* to) {
  store_row(from, static_cast<T*>(to), n);
}

FRIT_ISA void turn_floats(const float* from, int64_t from_stride, int64_t n, int64_t m, float* to, int64_t to_stride) {
  turn<float>(from, from_stride, n, m, to, to_stride);
}

template <class T>
inline constexpr LineKernels kLineKernels{1,
                                          1,
                                          1,
                                          Blocking<float>::kPanel,
                                          widen_positions<T>,
                                          nullptr,
                                          pack_line_columns<T, Plain>,
                                          Blocking<float>::panel_step,
                                          sum_lines<Plain>,
                                          round_line<T>,
                                          nullptr,
                                          turn_floats,
                                          add_plane_dots};
