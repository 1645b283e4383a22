// Sums over positions that lie side by side, for few features and few channels (lines.h); part of kernels.h.
//
// A line's positions are dealt to kDeals sums in turn, fused multiply-adds, line by line; the sums are folded by
// halves. So the width of a vector has no part in them.

// kR features by kT taps.
template <int kR, int kT>
FRIT_ISA void dot_planes(const PlaneDots& g, int64_t row, int64_t tap) {
  using V = Vector<float>;
  constexpr int64_t kRegisters = kDeals / V::kLanes;
  typename V::Register sums[kR][kT][kRegisters];
  FRIT_UNROLL
  for (int r = 0; r < kR; ++r) FRIT_UNROLL
  for (int t = 0; t < kT; ++t) FRIT_UNROLL
  for (int64_t v = 0; v < kRegisters; ++v) sums[r][t][v] = V::zero();
  for (int64_t line = 0; line < g.lines; ++line) {
    const float* const y = g.y + line * g.y_line + row * g.y_step;
    const float* const x = g.x + line * g.x_line;
    int64_t p = 0;
    for (; p + kDeals <= g.positions; p += kDeals) FRIT_UNROLL
    for (int64_t v = 0; v < kRegisters; ++v) {
      typename V::Register left[kR];
      FRIT_UNROLL
      for (int r = 0; r < kR; ++r) left[r] = V::load(y + r * g.y_step + p + v * V::kLanes);
      FRIT_UNROLL
      for (int t = 0; t < kT; ++t) {
        const typename V::Register right = V::load(x + g.taps[tap + t] + p + v * V::kLanes);
        FRIT_UNROLL
        for (int r = 0; r < kR; ++r) sums[r][t][v] = V::multiply_add(left[r], right, sums[r][t][v]);
      }
    }
    if (p == g.positions) continue;
    FRIT_UNROLL
    for (int64_t v = 0; v < kRegisters; ++v) {
      const typename V::Mask lanes = V::first(g.positions - p - v * V::kLanes);
      typename V::Register left[kR];
      FRIT_UNROLL
      for (int r = 0; r < kR; ++r) left[r] = V::load(y + r * g.y_step + p + v * V::kLanes, lanes);
      FRIT_UNROLL
      for (int t = 0; t < kT; ++t) {
        const typename V::Register right = V::load(x + g.taps[tap + t] + p + v * V::kLanes, lanes);
        FRIT_UNROLL
        for (int r = 0; r < kR; ++r) sums[r][t][v] = V::multiply_add(left[r], right, sums[r][t][v]);
      }
    }
  }
  for (int r = 0; r < kR; ++r)
    for (int t = 0; t < kT; ++t)
      g.sums[(row + r) * g.row_step + (tap + t) * g.tap_step] += fold<float, kRegisters>(sums[r][t]);
}

template <int kR>
FRIT_ISA void dot_rows_of_planes(const PlaneDots& g, int64_t row) {
  // Sums that fit the registers.
  constexpr int kMost = Vector<float>::kLanes == kDeals ? 5 : 2;
  int64_t tap = 0;
  for (; tap + kMost <= g.count; tap += kMost) dot_planes<kR, kMost>(g, row, tap);
  if constexpr (kMost > 3)
    if (tap + 3 <= g.count) dot_planes<kR, 3>(g, row, tap), tap += 3;
  for (; tap < g.count; ++tap) dot_planes<kR, 1>(g, row, tap);
}

FRIT_ISA void add_plane_dots(const PlaneDots& g) {
  constexpr int kMost = Vector<float>::kLanes == kDeals ? 4 : 2;
  int64_t row = 0;
  for (; row + kMost <= g.rows; row += kMost) dot_rows_of_planes<kMost>(g, row);
  if constexpr (kMost > 2)
    if (row + 2 <= g.rows) dot_rows_of_planes<2>(g, row), row += 2;
  if (row < g.rows) dot_rows_of_planes<1>(g, row);
}
