// Products of rows of bf16 that lie at given places (pairs.h); part of avx512.cpp.

FRIT_ISA_INLINE const uint16_t* placed(const PlacedRows& from, int64_t row) {
  return row < from.count ? from.base + from.at[row] : nullptr;
}

// Sixteen units of two rows, of which the second one may be missing.
FRIT_ISA_INLINE __m512i paired(const uint16_t* first, const uint16_t* second, __mmask16 lanes) {
  const __m512i low = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(lanes, first));
  if (!second) return low;
  const __m512i high = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(lanes, second));
  return _mm512_or_si512(low, _mm512_slli_epi32(high, 16));
}

// `columns` elements of the rows, from `base` on, at most kVectors of sixteen.
template <int kVectors>
FRIT_ISA void pair_panel(const uint16_t* base, const int64_t* at, int64_t count, int64_t whole, int64_t columns,
                         uint32_t* to) {
  constexpr int64_t kPanel = Blocking<float>::kPanel, kBefore = (kVectors - 1) * kWide;
  const __mmask16 all = first_lanes(kWide), last = first_lanes(columns - kBefore);
  const int64_t units = count / 2;
  const auto unit = [&](int64_t u, bool half) FRIT_ISA {
    const uint16_t *const first = base + at[2 * u], *const second = half ? nullptr : base + at[2 * u + 1];
    if (kVectors > 1) _mm512_storeu_si512(to + u * kPanel, paired(first, second, all));
    _mm512_mask_storeu_epi32(to + u * kPanel + kBefore, last,
                             paired(first + kBefore, half ? nullptr : second + kBefore, last));
  };
  for (int64_t u = 0; u < units; ++u) unit(u, false);
  if (count % 2) unit(units, true);
  for (int64_t u = (count + 1) / 2; u < whole; ++u) {
    if (kVectors > 1) _mm512_storeu_si512(to + u * kPanel, _mm512_setzero_si512());
    _mm512_mask_storeu_epi32(to + u * kPanel + kBefore, last, _mm512_setzero_si512());
  }
}

template <int64_t kStep>
FRIT_ISA void pair_columns(const PlacedRows& from, int64_t column, int64_t panel_step, uint32_t* to) {
  constexpr int64_t kPanel = Blocking<float>::kPanel;
  const int64_t whole = ((from.count + 1) / 2 + kStep - 1) / kStep * kStep;
  for (int64_t j = 0; j < from.length;) {
    const int64_t place = (column + j) % kPanel, n = std::min(from.length - j, kPanel - place);
    uint32_t* const at = to + (column + j) / kPanel * panel_step + place;
    (n > kWide ? pair_panel<2> : pair_panel<1>)(from.base + j, from.at, from.count, whole, n, at);
    j += n;
  }
}

template <int64_t kStep>
FRIT_ISA void pair_lines(const PlacedRows& from, int64_t stride, uint32_t* to) {
  const int64_t units = (from.count + 1) / 2, whole = (units + kStep - 1) / kStep * kStep;
  for (int64_t u = 0; u < whole; u += kWide)
    for (int64_t j = 0; j < from.length; j += kWide) {
      const __mmask16 lanes = first_lanes(from.length - j);
      __m512 block[16];
      for (int64_t i = 0; i < kWide; ++i) {
        const uint16_t *const first = placed(from, 2 * (u + i)), *const second = placed(from, 2 * (u + i) + 1);
        block[i] =
            first ? _mm512_castsi512_ps(paired(first + j, second ? second + j : nullptr, lanes)) : _mm512_setzero_ps();
      }
      transpose(block);
      const __mmask16 filled = first_lanes(whole - u);
      for (int64_t i = 0; i < std::min(kWide, from.length - j); ++i)
        _mm512_mask_storeu_ps(to + (j + i) * stride + u, filled, block[i]);
    }
}

FRIT_ISA void add_paired(const uint32_t* left, int64_t stride, int64_t rows, const uint32_t* right, int64_t panel_step,
                         int64_t cols, int64_t units, float* sums, int64_t sum_stride, bool more) {
  KernelArgs<float> g{reinterpret_cast<const float*>(left),
                      stride,
                      1,
                      reinterpret_cast<const float*>(right),
                      Blocking<float>::kPanel,
                      units,
                      sums,
                      sum_stride,
                      more};
  rows_by_columns<Pairs, 0>(g, rows, cols, panel_step);
}

void add_paired_tiles(const uint32_t* left, int64_t stride, int64_t rows, const uint32_t* right, int64_t panel_step,
                      int64_t cols, int64_t units, float* sums, int64_t sum_stride, bool more) {
  const MatrixUnits set_up(rows);
  TileArgs g{};
  g.a = reinterpret_cast<const std::byte*>(left);
  g.a_stride = 4 * stride;
  g.b = reinterpret_cast<const float*>(right);
  g.panel_step = panel_step;
  g.units = units;
  g.rows = rows;
  g.cols = cols;
  g.sums = sums;
  g.sum_stride = sum_stride;
  g.more = more;
  multiply_tiles(g);
}

inline constexpr PairKernels kPairedVectors{
    1, Blocking<float>::kPanel, 1, Blocking<float>::panel_step, pair_columns<1>, pair_lines<1>, add_paired};
inline constexpr PairKernels kPairedTiles{kTileUnits,
                                          kBlockSide,
                                          kBlockSide,
                                          Blocking<float>::panel_step,
                                          pair_columns<kTileUnits>,
                                          pair_lines<kTileUnits>,
                                          add_paired_tiles};
