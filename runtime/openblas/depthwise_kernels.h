// The inner loops of depthwise convolutions for one instruction set. Included as kernels.h is, and behind it.
//
// Lines lie as floats. A sum goes over the taps in order, fused.

// Vectors may reach into the next position, whose own numbers follow, but not past `end`.
template <class T>
FRIT_ISA_INLINE void widen_numbers(const T* from, int64_t n, const T* end, float* to) {
  using V = Vector<float>;
  int64_t c = 0;
  for (; c < n && end - from >= c + V::kLanes; c += V::kLanes) V::store(to + c, V::load(from + c));
  for (; c < n; ++c) to[c] = lane_of(from[c]);
}

template <class T>
FRIT_ISA void widen_line(const void* from, int64_t step, int64_t positions, int64_t channels, float* to,
                         int64_t pitch) {
  const T* at = static_cast<const T*>(from);
  const T* end = at + (positions - 1) * step + channels;
  if (step == channels && pitch == channels) return widen_numbers(at, positions * channels, end, to);
  for (int64_t p = 0; p < positions; ++p, at += step, to += pitch) widen_numbers(at, channels, end, to);
}

// Sums of kN groups of positions.
template <int kN>
FRIT_ISA_INLINE void sum_taps(const DepthwiseLine& g, int64_t group, int64_t vector) {
  using V = Vector<float>;
  typename V::Register sums[kN];
  FRIT_UNROLL
  for (int i = 0; i < kN; ++i) sums[i] = V::zero();
  const float* w = g.weights + vector;
  const int64_t step = g.step;
  for (int64_t l = 0; l < g.lines; ++l) {
    // One pointer for three windows: a register each would be too many.
    const float* x = g.line[l] + group * step + vector;
    const float* x3 = x + 3 * step;
    const float* x6 = x3 + 3 * step;
    for (int64_t t = 0; t < g.taps; ++t, w += g.weight_step) {
      const typename V::Register weight = V::load(w);
      FRIT_UNROLL
      for (int i = 0; i < kN; ++i) {
        const float* base = i < 3 ? x : i < 6 ? x3 : x6;
        sums[i] = V::multiply_add(weight, V::load(base + i % 3 * step), sums[i]);
      }
      x += g.tap_step;
      x3 += g.tap_step;
      x6 += g.tap_step;
    }
  }
  FRIT_UNROLL
  for (int i = 0; i < kN; ++i) V::store(g.out + (group + i) * g.out_step + vector, sums[i]);
}

// The same where the second tap of a position is the first one of the next, so that each vector is loaded once.
template <int kTaps, int kN>
FRIT_ISA_INLINE void sum_neighbours(const DepthwiseLine& g, int64_t group, int64_t vector) {
  using V = Vector<float>;
  typename V::Register sums[kN];
  FRIT_UNROLL
  for (int i = 0; i < kN; ++i) sums[i] = V::zero();
  const float* w = g.weights + vector;
  for (int64_t l = 0; l < g.lines; ++l) {
    typename V::Register weights[kTaps];
    FRIT_UNROLL
    for (int t = 0; t < kTaps; ++t, w += g.weight_step) weights[t] = V::load(w);
    const float* x = g.line[l] + group * g.step + vector;
    FRIT_UNROLL
    for (int j = 0; j < kN + kTaps - 1; ++j, x += g.step) {
      const typename V::Register at = V::load(x);
      FRIT_UNROLL
      for (int t = 0; t < kTaps; ++t)
        if (j >= t && j - t < kN) sums[j - t] = V::multiply_add(weights[t], at, sums[j - t]);
    }
  }
  FRIT_UNROLL
  for (int i = 0; i < kN; ++i) V::store(g.out + (group + i) * g.out_step + vector, sums[i]);
}

template <int kTaps>
FRIT_ISA void sum_vector(const DepthwiseLine& g, int64_t vector) {
  int64_t p = 0;
  for (; p + 8 <= g.groups; p += 8) {
    if constexpr (kTaps > 0)
      sum_neighbours<kTaps, 8>(g, p, vector);
    else
      sum_taps<8>(g, p, vector);
  }
  if (g.groups - p >= 4) {
    if constexpr (kTaps > 0)
      sum_neighbours<kTaps, 4>(g, p, vector);
    else
      sum_taps<4>(g, p, vector);
    p += 4;
  }
  for (; p < g.groups; ++p) sum_taps<1>(g, p, vector);
}

FRIT_ISA void sum_line(const DepthwiseLine& g) {
  constexpr int64_t kLanes = Vector<float>::kLanes;
  const bool neighbours = g.step == g.tap_step;
  // Backwards: the first vector of a position is written after the last one of the position before, whose lanes may
  // reach into it.
  for (int64_t v = (g.width - 1) / kLanes * kLanes; v >= 0; v -= kLanes) {
    if (neighbours && g.taps == 3)
      sum_vector<3>(g, v);
    else if (neighbours && g.taps == 5)
      sum_vector<5>(g, v);
    else
      sum_vector<0>(g, v);
  }
}

// Adds the products of a line of cotangents with kN neighbouring taps of a line.
template <int kN>
FRIT_ISA_INLINE void add_taps(const DepthwiseLine& g, const float* x, float* sums, int64_t vector) {
  using V = Vector<float>;
  typename V::Register total[kN];
  FRIT_UNROLL
  for (int i = 0; i < kN; ++i) total[i] = V::load(sums + i * kBlockChannels + vector);
  x += vector;
  const float* y = g.out + vector;
  for (int64_t p = 0; p < g.positions; ++p, x += g.step, y += kBlockChannels) {
    const typename V::Register cotangent = V::load(y);
    FRIT_UNROLL
    for (int i = 0; i < kN; ++i) total[i] = V::multiply_add(cotangent, V::load(x + i * g.tap_step), total[i]);
  }
  FRIT_UNROLL
  for (int i = 0; i < kN; ++i) V::store(sums + i * kBlockChannels + vector, total[i]);
}

// To the sums in `weights`, from cotangents in `out`.
FRIT_ISA void add_line(const DepthwiseLine& g) {
  for (int64_t v = 0; v < g.channels; v += Vector<float>::kLanes)
    for (int64_t l = 0; l < g.lines; ++l) {
      float* sums = g.weights + l * g.taps * kBlockChannels;
      const float* x = g.line[l];
      int64_t t = 0;
      for (; t + 5 <= g.taps; t += 5) add_taps<5>(g, x + t * g.tap_step, sums + t * kBlockChannels, v);
      if (g.taps - t >= 3) add_taps<3>(g, x + t * g.tap_step, sums + t * kBlockChannels, v), t += 3;
      for (; t < g.taps; ++t) add_taps<1>(g, x + t * g.tap_step, sums + t * kBlockChannels, v);
    }
}

template <class T>
FRIT_ISA void round_line(const float* from, int64_t pitch, int64_t positions, int64_t channels, void* to,
                         int64_t step) {
  constexpr int64_t kLanes = Vector<float>::kLanes;
  T* at = static_cast<T*>(to);
  if (pitch == channels && step == channels) return store_row<T>(from, at, positions * channels);
  // Where a position has all channels, whole vectors may reach into the next one, which follows.
  const int64_t whole = step == channels ? (channels + kLanes - 1) / kLanes * kLanes : channels;
  const T* end = at + (positions - 1) * step + channels;
  for (int64_t p = 0; p < positions; ++p, from += pitch, at += step)
    store_row<T>(from, at, end - at >= whole ? whole : channels);
}

template <class T>
inline constexpr DepthwiseKernels kDepthwise{Vector<float>::kLanes, widen_line<T>, sum_line, add_line, round_line<T>};

const DepthwiseKernels* depthwise_of(Dtype t) {
  if (t == float16) return &kDepthwise<float16_t>;
  if (t == bfloat16) return &kDepthwise<bfloat16_t>;
  return t == float32 ? &kDepthwise<float> : nullptr;
}
