// The kernels of Fourier transforms for one instruction set: included once by each of fft_avx512.cpp, fft_avx2.cpp and
// fft_plain.cpp, inside an unnamed namespace. They define before
//   FRIT_ISA, FRIT_ISA_INLINE: attributes of a function for that set, and of one that vanishes into its callers,
//   kLanes: floats of a vector.
//
// A block has an element of kLanes columns in each place: all real parts, then all imaginary parts. No product is fused
// with a sum, so that every set gives the same bits.

typedef float Vector __attribute__((vector_size(4 * kLanes)));

struct Element {
  Vector re, im;
};

FRIT_ISA_INLINE Element operator+(const Element& a, const Element& b) { return {a.re + b.re, a.im + b.im}; }
FRIT_ISA_INLINE Element operator-(const Element& a, const Element& b) { return {a.re - b.re, a.im - b.im}; }
FRIT_ISA_INLINE Element times(const Element& a, const Complex& w) {
  const float re = w.real(), im = w.imag();
  return {a.re * re - a.im * im, a.re * im + a.im * re};
}
// Times -i.
FRIT_ISA_INLINE Element turned(const Element& a) { return {a.im, -a.re}; }
FRIT_ISA_INLINE Element scaled(const Element& a, float f) { return {a.re * f, a.im * f}; }

// Transforms of kRadix elements in place.
FRIT_ISA_INLINE void small2(Element* a) {
  const Element b = a[0] - a[1];
  a[0] = a[0] + a[1];
  a[1] = b;
}
FRIT_ISA_INLINE void small4(Element* a) {
  const Element s = a[0] + a[2], d = a[0] - a[2], t = a[1] + a[3], e = turned(a[1] - a[3]);
  a[0] = s + t;
  a[1] = d + e;
  a[2] = s - t;
  a[3] = d - e;
}
FRIT_ISA_INLINE void small8(Element* a) {
  constexpr float kHalf = 0.70710678118654752f;
  Element even[4] = {a[0], a[2], a[4], a[6]}, odd[4] = {a[1], a[3], a[5], a[7]};
  small4(even);
  small4(odd);
  odd[1] = scaled(odd[1] + turned(odd[1]), kHalf);
  odd[2] = turned(odd[2]);
  odd[3] = scaled(turned(odd[3]) - odd[3], kHalf);
  for (int k = 0; k < 4; ++k) {
    a[k] = even[k] + odd[k];
    a[k + 4] = even[k] - odd[k];
  }
}
FRIT_ISA_INLINE void small3(Element* a) {
  constexpr float kSine = 0.86602540378443865f;
  const Element s = a[1] + a[2], d = scaled(turned(a[1] - a[2]), kSine), m = a[0] - scaled(s, 0.5f);
  a[0] = a[0] + s;
  a[1] = m + d;
  a[2] = m - d;
}
FRIT_ISA_INLINE void small5(Element* a) {
  constexpr float kCos1 = 0.30901699437494742f, kCos2 = -0.80901699437494742f, kSin1 = 0.95105651629515357f,
                  kSin2 = 0.58778525229247313f;
  const Element s1 = a[1] + a[4], s2 = a[2] + a[3], d1 = turned(a[1] - a[4]), d2 = turned(a[2] - a[3]);
  const Element m1 = a[0] + scaled(s1, kCos1) + scaled(s2, kCos2), m2 = a[0] + scaled(s1, kCos2) + scaled(s2, kCos1);
  const Element e1 = scaled(d1, kSin1) + scaled(d2, kSin2), e2 = scaled(d1, kSin2) - scaled(d2, kSin1);
  a[0] = a[0] + s1 + s2;
  a[1] = m1 + e1;
  a[2] = m2 + e2;
  a[3] = m2 - e2;
  a[4] = m1 - e1;
}

template <int kRadix>
FRIT_ISA_INLINE void small(Element* a) {
  if constexpr (kRadix == 2) small2(a);
  if constexpr (kRadix == 3) small3(a);
  if constexpr (kRadix == 4) small4(a);
  if constexpr (kRadix == 5) small5(a);
  if constexpr (kRadix == 8) small8(a);
}

// One stage of Stockham's method: `stride` columns of blocks are side by side.
template <int kRadix>
FRIT_ISA void stage_of(const LanePlan::Stage& stage, int64_t stride, const Element* from, Element* to) {
  const int64_t apart = stride * stage.rest;
  const Complex* roots = stage.roots.data();
  for (int64_t p = 0; p < stage.rest; ++p, roots += kRadix - 1)
    for (int64_t q = 0; q < stride; ++q) {
      Element a[kRadix];
      for (int k = 0; k < kRadix; ++k) a[k] = from[q + stride * p + apart * k];
      small<kRadix>(a);
      Element* const out = to + q + stride * kRadix * p;
      out[0] = a[0];
      if (p == 0)
        for (int k = 1; k < kRadix; ++k) out[stride * k] = a[k];
      else
        for (int k = 1; k < kRadix; ++k) out[stride * k] = times(a[k], roots[k - 1]);
    }
}

// The same for any odd radix, by its definition.
FRIT_ISA void stage_of_any(const LanePlan::Stage& stage, int64_t stride, const Element* from, Element* to) {
  const int64_t apart = stride * stage.rest;
  const int radix = stage.radix;
  for (int64_t p = 0; p < stage.rest; ++p)
    for (int64_t q = 0; q < stride; ++q) {
      const Element* const in = from + q + stride * p;
      for (int k = 0; k < radix; ++k) {
        Element sum = in[0];
        for (int j = 1, power = 0; j < radix; ++j) {
          power += k;
          if (power >= radix) power -= radix;
          sum = sum + times(in[apart * j], stage.own[static_cast<size_t>(power)]);
        }
        if (k && p) sum = times(sum, stage.roots[static_cast<size_t>(p * (radix - 1) + k - 1)]);
        to[q + stride * (radix * p + k)] = sum;
      }
    }
}

// Transforms a block; the result is in `a` or in `b`.
FRIT_ISA Element* transform(const LanePlan& plan, Element* a, Element* b) {
  int64_t stride = 1;
  for (const LanePlan::Stage& stage : plan.stages) {
    switch (stage.radix) {
      case 2: stage_of<2>(stage, stride, a, b); break;
      case 3: stage_of<3>(stage, stride, a, b); break;
      case 4: stage_of<4>(stage, stride, a, b); break;
      case 5: stage_of<5>(stage, stride, a, b); break;
      case 8: stage_of<8>(stage, stride, a, b); break;
      default: stage_of_any(stage, stride, a, b); break;
    }
    stride *= stage.radix;
    std::swap(a, b);
  }
  return a;
}

FRIT_ISA_INLINE void swap_parts(Element& e) {
  const Vector re = e.re;
  e.re = e.im;
  e.im = re;
}

// Lanes of two vectors in one order: kEven and kOdd part pairs, kLow and kHigh join them, kBack turns one around.
enum class Shuffle { kEven, kOdd, kLow, kHigh, kBack };
template <Shuffle kShuffle>
FRIT_ISA_INLINE Vector shuffled(Vector a, Vector b) {
  constexpr auto lane = [](int l) {
    switch (kShuffle) {
      case Shuffle::kEven: return 2 * l;
      case Shuffle::kOdd: return 2 * l + 1;
      case Shuffle::kLow: return l / 2 + (l % 2 ? kLanes : 0);
      case Shuffle::kHigh: return kLanes / 2 + l / 2 + (l % 2 ? kLanes : 0);
      case Shuffle::kBack: break;
    }
    return kLanes - 1 - l;
  };
  if constexpr (kLanes == 4)
    return __builtin_shufflevector(a, b, lane(0), lane(1), lane(2), lane(3));
  else if constexpr (kLanes == 8)
    return __builtin_shufflevector(a, b, lane(0), lane(1), lane(2), lane(3), lane(4), lane(5), lane(6), lane(7));
  else
    return __builtin_shufflevector(a, b, lane(0), lane(1), lane(2), lane(3), lane(4), lane(5), lane(6), lane(7),
                                   lane(8), lane(9), lane(10), lane(11), lane(12), lane(13), lane(14), lane(15));
}

// kLanes neighbours in memory.
FRIT_ISA_INLINE Element load_dense(const Complex* in) {
  Vector low, high;
  std::memcpy(&low, in, sizeof low);
  std::memcpy(&high, in + kLanes / 2, sizeof high);
  return {shuffled<Shuffle::kEven>(low, high), shuffled<Shuffle::kOdd>(low, high)};
}
FRIT_ISA_INLINE void store_dense(const Element& e, Complex* out) {
  const Vector low = shuffled<Shuffle::kLow>(e.re, e.im), high = shuffled<Shuffle::kHigh>(e.re, e.im);
  std::memcpy(static_cast<void*>(out), &low, sizeof low);
  std::memcpy(static_cast<void*>(out + kLanes / 2), &high, sizeof high);
}
FRIT_ISA_INLINE Element backwards(const Element& e) {
  return {shuffled<Shuffle::kBack>(e.re, e.re), shuffled<Shuffle::kBack>(e.im, e.im)};
}
// `count` numbers that lie `step` apart; the other lanes are zero.
FRIT_ISA_INLINE Element load_some(const Complex* in, int64_t step, int64_t count) {
  Element e = {};
  for (int64_t l = 0; l < count; ++l) e.re[l] = in[l * step].real(), e.im[l] = in[l * step].imag();
  return e;
}
FRIT_ISA_INLINE void store_some(const Element& e, Complex* out, int64_t count) {
  for (int64_t l = 0; l < count; ++l) out[l] = Complex(e.re[l], e.im[l]);
}

FRIT_ISA Element* elements_of(float* work) {
  const auto at = reinterpret_cast<uintptr_t>(work);
  return reinterpret_cast<Element*>((at + 63) / 64 * 64);
}

// The first step of a split row. Column j of n2 has the elements j, j + n2, ..; its transform, times roots of unity, is
// row j of `turned`.
FRIT_ISA void split_columns(const FftPlan& plan, const Complex* in, int64_t step, Complex* turned_rows, bool swapped,
                            int64_t begin, int64_t end, float* work) {
  const int64_t n1 = plan.first->n, n2 = plan.second->n;
  Element* const a = elements_of(work);
  for (int64_t block = begin; block < end; ++block) {
    const int64_t j = block * kLanes, count = std::min<int64_t>(kLanes, n2 - j);
    for (int64_t k = 0; k < n1; ++k) {
      const Complex* const from = in + (k * n2 + j) * step;
      a[k] = step == 1 && count == kLanes ? load_dense(from) : load_some(from, step, count);
      if (swapped) swap_parts(a[k]);
    }
    const Element* const y = transform(*plan.first, a, a + n1);
    // A line of the cache at a time is written to each row: its lines may share a set of the cache.
    constexpr int64_t kLine = 8;
    for (int64_t first = 0; first < n1; first += kLine) {
      const int64_t last = std::min(first + kLine, n1);
      float re[kLine][kLanes], im[kLine][kLanes];
      for (int64_t k = first; k < last; ++k) {
        const Element fine = load_dense(&plan.fine[static_cast<size_t>(k * kFine + j % kFine)]);
        const Element root = times(fine, plan.coarse[static_cast<size_t>(k * (j / kFine))]);
        const Vector a_re = y[k].re * root.re - y[k].im * root.im, a_im = y[k].re * root.im + y[k].im * root.re;
        std::memcpy(re[k - first], &a_re, sizeof a_re);
        std::memcpy(im[k - first], &a_im, sizeof a_im);
      }
      for (int64_t l = 0; l < count; ++l)
        for (int64_t k = first; k < last; ++k)
          turned_rows[(j + l) * n1 + k] = Complex(re[k - first][l], im[k - first][l]);
    }
  }
}

// The second step: columns k of the n2 rows of `turned` become the elements k, k + n1, .. of the result.
FRIT_ISA void split_rows(const FftPlan& plan, const Complex* turned_rows, Complex* out, bool swapped, float scale,
                         int64_t begin, int64_t end, float* work) {
  const int64_t n1 = plan.first->n, n2 = plan.second->n;
  Element* const a = elements_of(work);
  for (int64_t block = begin; block < end; ++block) {
    const int64_t k = block * kLanes, count = std::min<int64_t>(kLanes, n1 - k);
    for (int64_t j = 0; j < n2; ++j) {
      const Complex* const from = turned_rows + j * n1 + k;
      a[j] = count == kLanes ? load_dense(from) : load_some(from, 1, count);
    }
    const Element* const y = transform(*plan.second, a, a + n2);
    for (int64_t j = 0; j < n2; ++j) {
      Element e = scale == 1 ? y[j] : scaled(y[j], scale);
      if (swapped) swap_parts(e);
      if (count == kLanes)
        store_dense(e, out + j * n1 + k);
      else
        store_some(e, out + j * n1 + k, count);
    }
  }
}

FRIT_ISA void short_lines(const FftPlan& plan, const Complex* const* in, int64_t step, Complex* const* out, int count,
                          bool swapped, float scale, float* work) {
  const int64_t n = plan.n;
  Element* const a = elements_of(work);
  for (int64_t i = 0; i < n; ++i) {
    Element e = {};
    for (int l = 0; l < count; ++l) e.re[l] = in[l][i * step].real(), e.im[l] = in[l][i * step].imag();
    if (swapped) swap_parts(e);
    a[i] = e;
  }
  const Element* const y = transform(*plan.first, a, a + n);
  for (int64_t i = 0; i < n; ++i) {
    Element e = scale == 1 ? y[i] : scaled(y[i], scale);
    if (swapped) swap_parts(e);
    for (int l = 0; l < count; ++l) out[l][i] = Complex(e.re[l], e.im[l]);
  }
}

FRIT_ISA_INLINE Element conjugate(const Element& e) { return {e.re, -e.im}; }
FRIT_ISA_INLINE Element product(const Element& a, const Element& b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

// Numbers 1 .. (m - 1) / 2 of a spectrum and their partners from the other end, kLanes at a time; gives the first
// number that is left. The sums and differences of both are joined by the roots (fft.cpp has the formulas).
template <bool kJoin>
FRIT_ISA int64_t join_lanes(const Complex* from, Complex* to, int64_t m, const Complex* roots) {
  int64_t k = 1;
  for (; 2 * (k + kLanes - 1) < m; k += kLanes) {
    const int64_t partner = m - k - kLanes + 1;
    const Element a = load_dense(from + k), b = conjugate(backwards(load_dense(from + partner)));
    const Element w = load_dense(roots + k);
    Element s = a + b, t;
    if (kJoin) {
      s = scaled(s, 0.5f);
      t = turned(product(w, scaled(a - b, 0.5f)));
    } else {
      const Element d = product(conjugate(w), a - b);
      t = {-d.im, d.re};
    }
    store_dense(s + t, to + k);
    store_dense(backwards(conjugate(s - t)), to + partner);
  }
  return k;
}
