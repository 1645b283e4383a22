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

// Registers of as many sums as a tile has lines.
template <class C>
struct TileRegisterOf {
  using type = __m256;
};
template <>
struct TileRegisterOf<double> {
  using type = __m256d;
};
template <class C>
using TileRegister = typename TileRegisterOf<C>::type;

FRIT_ISA_INLINE __m256 tile_same(float v) { return _mm256_set1_ps(v); }
FRIT_ISA_INLINE __m256d tile_same(double v) { return _mm256_set1_pd(v); }
FRIT_ISA_INLINE __m256 tile_load(const float* p) { return _mm256_loadu_ps(p); }
FRIT_ISA_INLINE __m256 tile_load(const float16_t* p) { return load_eight(p); }
FRIT_ISA_INLINE __m256d tile_load(const double* p) { return _mm256_loadu_pd(p); }
FRIT_ISA_INLINE void tile_store(float* p, __m256 v) { _mm256_storeu_ps(p, v); }
FRIT_ISA_INLINE void tile_store(double* p, __m256d v) { _mm256_storeu_pd(p, v); }
FRIT_ISA_INLINE __m256 tile_plus(__m256 a, __m256 b) { return _mm256_add_ps(a, b); }
FRIT_ISA_INLINE __m256d tile_plus(__m256d a, __m256d b) { return _mm256_add_pd(a, b); }
FRIT_ISA_INLINE __m256 tile_multiply_add(__m256 a, __m256 b, __m256 sum) { return _mm256_fmadd_ps(a, b, sum); }
FRIT_ISA_INLINE __m256d tile_multiply_add(__m256d a, __m256d b, __m256d sum) { return _mm256_fmadd_pd(a, b, sum); }

// kTile lines of kTile units each: to[u] has unit u of all lines.
template <class C>
inline constexpr int64_t kTile = 32 / static_cast<int64_t>(sizeof(C));

// Both halves of a register have four lines of their own. Loads from memory place them without crossing lanes.
FRIT_ISA_INLINE __m256 two_lines(const float* p, const float* q) {
  return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(p)), _mm_loadu_ps(q), 1);
}
FRIT_ISA_INLINE void turn_four(const __m256 (&r)[4], __m256* to) {
  const __m256 a = _mm256_unpacklo_ps(r[0], r[1]), b = _mm256_unpackhi_ps(r[0], r[1]),
               c = _mm256_unpacklo_ps(r[2], r[3]), d = _mm256_unpackhi_ps(r[2], r[3]);
  to[0] = _mm256_shuffle_ps(a, c, 0x44);
  to[1] = _mm256_shuffle_ps(a, c, 0xee);
  to[2] = _mm256_shuffle_ps(b, d, 0x44);
  to[3] = _mm256_shuffle_ps(b, d, 0xee);
}
FRIT_ISA_INLINE void turn_registers(const float* from, int64_t stride, __m256 (&to)[8]) {
  for (int half = 0; half < 2; ++half) {
    __m256 r[4];
    for (int i = 0; i < 4; ++i) {
      const float* line = from + i * stride + 4 * half;
      r[i] = two_lines(line, line + 4 * stride);
    }
    turn_four(r, to + 4 * half);
  }
}
FRIT_ISA_INLINE void transpose(__m256 (&r)[8]) {
  __m256 low[4], high[4];
  for (int i = 0; i < 4; ++i) {
    low[i] = _mm256_permute2f128_ps(r[i], r[i + 4], 0x20);
    high[i] = _mm256_permute2f128_ps(r[i], r[i + 4], 0x31);
  }
  turn_four(low, r);
  turn_four(high, r + 4);
}
FRIT_ISA_INLINE void transpose(__m256d (&r)[4]) {
  __m256d low[2], high[2];
  for (int i = 0; i < 2; ++i) {
    low[i] = _mm256_permute2f128_pd(r[i], r[i + 2], 0x20);
    high[i] = _mm256_permute2f128_pd(r[i], r[i + 2], 0x31);
  }
  r[0] = _mm256_unpacklo_pd(low[0], low[1]);
  r[1] = _mm256_unpackhi_pd(low[0], low[1]);
  r[2] = _mm256_unpacklo_pd(high[0], high[1]);
  r[3] = _mm256_unpackhi_pd(high[0], high[1]);
}
FRIT_ISA_INLINE void turn_registers(const float16_t* from, int64_t stride, __m256 (&to)[8]) {
  for (int i = 0; i < 8; ++i) to[i] = load_eight(from + i * stride);
  transpose(to);
}
// Words of two elements are turned, and then taken apart.
FRIT_ISA_INLINE void turn_registers(const bfloat16_t* from, int64_t stride, __m256 (&to)[8]) {
  __m256 r[4], words[4];
  for (int i = 0; i < 4; ++i) {
    const bfloat16_t* line = from + i * stride;
    r[i] = two_lines(reinterpret_cast<const float*>(line), reinterpret_cast<const float*>(line + 4 * stride));
  }
  turn_four(r, words);
  const __m256 high = _mm256_castsi256_ps(_mm256_set1_epi32(static_cast<int>(0xffff0000)));
  for (int i = 0; i < 4; ++i) {
    to[2 * i] = _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_castps_si256(words[i]), 16));
    to[2 * i + 1] = _mm256_and_ps(words[i], high);
  }
}
FRIT_ISA_INLINE void turn_registers(const double* from, int64_t stride, __m256d (&to)[4]) {
  for (int half = 0; half < 2; ++half) {
    __m256d r[2];
    for (int i = 0; i < 2; ++i) {
      const double* line = from + i * stride + 2 * half;
      r[i] = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(line)), _mm_loadu_pd(line + 2 * stride), 1);
    }
    to[2 * half] = _mm256_unpacklo_pd(r[0], r[1]);
    to[2 * half + 1] = _mm256_unpackhi_pd(r[0], r[1]);
  }
}

// Two tiles side by side: unit u of sixteen lines from to + 16 u on. Halves are turned as such; it takes half as long.
FRIT_ISA_INLINE void turn_pair(const float16_t* from, int64_t stride, float16_t* to) {
  __m256i r[8], t[8];
  for (int i = 0; i < 8; ++i) {
    const auto* line = reinterpret_cast<const __m128i*>(from + i * stride);
    const auto* other = reinterpret_cast<const __m128i*>(from + (i + 8) * stride);
    r[i] = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(line)), _mm_loadu_si128(other), 1);
  }
  for (int i = 0; i < 8; i += 2) {
    t[i] = _mm256_unpacklo_epi16(r[i], r[i + 1]);
    t[i + 1] = _mm256_unpackhi_epi16(r[i], r[i + 1]);
  }
  // Each 64 bits of r[4 i + j] then hold four lines of unit j, as each 128 bits of t do of two units.
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      r[4 * i + 2 * j] = _mm256_unpacklo_epi32(t[4 * i + j], t[4 * i + j + 2]);
      r[4 * i + 2 * j + 1] = _mm256_unpackhi_epi32(t[4 * i + j], t[4 * i + j + 2]);
    }
  for (int j = 0; j < 4; ++j) {
    const __m256i a = _mm256_unpacklo_epi64(r[j], r[j + 4]), b = _mm256_unpackhi_epi64(r[j], r[j + 4]);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 32 * j), a);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 32 * j + 16), b);
  }
}
template <class T>
FRIT_ISA_INLINE void turn_pair(const T* from, int64_t stride, SumLane<T>* to) {
  constexpr int64_t kSide = kTile<SumLane<T>>;
  for (int64_t g = 0; g < 2; ++g) {
    TileRegister<SumLane<T>> r[kSide];
    turn_registers(from + g * kSide * stride, stride, r);
    for (int64_t u = 0; u < kSide; ++u) tile_store(to + u * 2 * kSide + g * kSide, r[u]);
  }
}

// to[i * to_stride + u] = from[i + u * from_stride].
template <class T>
FRIT_ISA_INLINE void turn_tile(const T* from, int64_t from_stride, SumLane<T>* to, int64_t to_stride) {
  constexpr int64_t kSide = kTile<SumLane<T>>;
  TileRegister<SumLane<T>> r[kSide];
  turn_registers(from, from_stride, r);
  for (int64_t i = 0; i < kSide; ++i) tile_store(to + i * to_stride, r[i]);
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
