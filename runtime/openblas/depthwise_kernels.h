// The inner loops of depthwise convolutions for one instruction set. Included as kernels.h is, and behind it.
//
// Lines lie as floats, positions by kBlockChannels channels. A sum goes over the taps in order, fused.

template <class T>
FRIT_ISA void widen_line(const void* from, int64_t step, int64_t positions, int64_t channels, float* to) {
  using V = Vector<float>;
  const T* at = static_cast<const T*>(from);
  for (int64_t p = 0; p < positions; ++p, at += step, to += kBlockChannels) {
    int64_t c = 0;
    for (; c + V::kLanes <= channels; c += V::kLanes) V::store(to + c, V::load(at + c));
    for (; c < channels; ++c) to[c] = lane_of(at[c]);
  }
}

// Sums of kN positions.
template <int kN>
FRIT_ISA_INLINE void sum_taps(const DepthwiseLine& g, int64_t position, int64_t vector) {
  using V = Vector<float>;
  typename V::Register sums[kN];
  FRIT_UNROLL
  for (int i = 0; i < kN; ++i) sums[i] = V::zero();
  const float* w = g.weights + vector;
  const int64_t step = g.stride * kBlockChannels;
  for (int64_t l = 0; l < g.lines; ++l) {
    const float* x = g.line[l] + position * step + vector;
    for (int64_t t = 0; t < g.taps; ++t, w += kBlockChannels, x += g.dilation * kBlockChannels) {
      const typename V::Register weight = V::load(w);
      FRIT_UNROLL
      for (int i = 0; i < kN; ++i) sums[i] = V::multiply_add(weight, V::load(x + i * step), sums[i]);
    }
  }
  FRIT_UNROLL
  for (int i = 0; i < kN; ++i) V::store(g.out + (position + i) * kBlockChannels + vector, sums[i]);
}

FRIT_ISA void sum_line(const DepthwiseLine& g) {
  constexpr int kWide = 8;
  for (int64_t v = 0; v < g.channels; v += Vector<float>::kLanes) {
    int64_t p = 0;
    for (; p + kWide <= g.positions; p += kWide) sum_taps<kWide>(g, p, v);
    if (g.positions - p >= 4) sum_taps<4>(g, p, v), p += 4;
    for (; p < g.positions; ++p) sum_taps<1>(g, p, v);
  }
}

// Adds the products of a line of cotangents with kN neighbouring taps of a line.
template <int kN>
FRIT_ISA_INLINE void add_taps(const DepthwiseLine& g, const float* x, float* sums, int64_t vector) {
  using V = Vector<float>;
  typename V::Register total[kN];
  FRIT_UNROLL
  for (int i = 0; i < kN; ++i) total[i] = V::load(sums + i * kBlockChannels + vector);
  const int64_t next = g.dilation * kBlockChannels;
  x += vector;
  const float* y = g.out + vector;
  for (int64_t p = 0; p < g.positions; ++p, x += g.stride * kBlockChannels, y += kBlockChannels) {
    const typename V::Register cotangent = V::load(y);
    FRIT_UNROLL
    for (int i = 0; i < kN; ++i) total[i] = V::multiply_add(cotangent, V::load(x + i * next), total[i]);
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
      const int64_t next = g.dilation * kBlockChannels;
      int64_t t = 0;
      for (; t + 5 <= g.taps; t += 5) add_taps<5>(g, x + t * next, sums + t * kBlockChannels, v);
      if (g.taps - t >= 3) add_taps<3>(g, x + t * next, sums + t * kBlockChannels, v), t += 3;
      for (; t < g.taps; ++t) add_taps<1>(g, x + t * next, sums + t * kBlockChannels, v);
    }
}

template <class T>
FRIT_ISA void round_line(const float* from, int64_t positions, int64_t channels, void* to, int64_t step) {
  T* at = static_cast<T*>(to);
  for (int64_t p = 0; p < positions; ++p, from += kBlockChannels, at += step) store_row<T>(from, at, channels);
}

template <class T>
inline constexpr DepthwiseKernels kDepthwise{widen_line<T>, sum_line, add_line, round_line<T>};

const DepthwiseKernels* depthwise_of(Dtype t) {
  if (t == float16) return &kDepthwise<float16_t>;
  if (t == bfloat16) return &kDepthwise<bfloat16_t>;
  return t == float32 ? &kDepthwise<float> : nullptr;
}
