// Parts that AVX2 and AVX-512 share: squares of a matrix, transposed on their way from memory to memory,
// and the last steps of a fold by halves. Included as kernels.h is.

FRIT_ISA_INLINE __m256 load_eight(const float* p) { return _mm256_loadu_ps(p); }
FRIT_ISA_INLINE __m256 load_eight(const float16_t* p) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
FRIT_ISA_INLINE __m256 load_eight(const bfloat16_t* p) {
  return _mm256_castsi256_ps(
      _mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))), 16));
}

// One number, widened.
template <class T>
FRIT_ISA_INLINE auto lane_of(T v) {
  return widen(v);
}
FRIT_ISA_INLINE float lane_of(float16_t v) { return _mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtsi32_si128(v.bits))); }

FRIT_ISA_INLINE float fold_eight(__m256 v) {
  __m128 four = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
}
FRIT_ISA_INLINE double fold_four(__m256d v) {
  __m128d two = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
  return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

// kTile lines of kTile units each: to[i * to_stride + u] = from[i + u * from_stride].
template <class C>
inline constexpr int64_t kTile = 32 / static_cast<int64_t>(sizeof(C));

template <class T>
FRIT_ISA_INLINE void turn_tile(const T* from, int64_t from_stride, float* to, int64_t to_stride) {
  __m256 r[8], t[8];
  for (int i = 0; i < 8; ++i) r[i] = load_eight(from + i * from_stride);
  for (int i = 0; i < 4; ++i) {
    t[2 * i] = _mm256_unpacklo_ps(r[2 * i], r[2 * i + 1]);
    t[2 * i + 1] = _mm256_unpackhi_ps(r[2 * i], r[2 * i + 1]);
  }
  // Each 128 bits of r[4 i + j] then hold four of column j, or of column j + 4.
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      const __m256 a = t[4 * i + j], b = t[4 * i + j + 2];
      r[4 * i + 2 * j] = _mm256_shuffle_ps(a, b, 0x44);
      r[4 * i + 2 * j + 1] = _mm256_shuffle_ps(a, b, 0xee);
    }
  for (int j = 0; j < 4; ++j) {
    _mm256_storeu_ps(to + j * to_stride, _mm256_permute2f128_ps(r[j], r[4 + j], 0x20));
    _mm256_storeu_ps(to + (4 + j) * to_stride, _mm256_permute2f128_ps(r[j], r[4 + j], 0x31));
  }
}

FRIT_ISA_INLINE void turn_tile(const double* from, int64_t from_stride, double* to, int64_t to_stride) {
  __m256d r[4], t[4];
  for (int i = 0; i < 4; ++i) r[i] = _mm256_loadu_pd(from + i * from_stride);
  for (int i = 0; i < 2; ++i) {
    t[2 * i] = _mm256_unpacklo_pd(r[2 * i], r[2 * i + 1]);
    t[2 * i + 1] = _mm256_unpackhi_pd(r[2 * i], r[2 * i + 1]);
  }
  for (int j = 0; j < 2; ++j) {
    _mm256_storeu_pd(to + j * to_stride, _mm256_permute2f128_pd(t[j], t[2 + j], 0x20));
    _mm256_storeu_pd(to + (2 + j) * to_stride, _mm256_permute2f128_pd(t[j], t[2 + j], 0x31));
  }
}

// to[i * to_stride + j] = from[i + j * from_stride] for i below n, j below m.
template <class T>
FRIT_ISA_INLINE void turn(const T* from, int64_t from_stride, int64_t n, int64_t m, SumLane<T>* to, int64_t to_stride) {
  constexpr int64_t kSide = kTile<SumLane<T>>;
  for (int64_t i = 0; i < n; i += kSide)
    for (int64_t j = 0; j < m; j += kSide) {
      if (i + kSide <= n && j + kSide <= m) {
        turn_tile(from + i + j * from_stride, from_stride, to + i * to_stride + j, to_stride);
      } else {
        for (int64_t ii = i; ii < std::min(n, i + kSide); ++ii)
          for (int64_t jj = j; jj < std::min(m, j + kSide); ++jj)
            to[ii * to_stride + jj] = lane_of(from[ii + jj * from_stride]);
      }
    }
}
