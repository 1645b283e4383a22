// The kernels of Fourier transforms for one instruction set: included once by each of fft_avx512.cpp, fft_avx2.cpp and
// fft_plain.cpp, inside an unnamed namespace. They define before
//   FRIT_ISA, FRIT_ISA_INLINE: attributes of a function for that set, and of one that vanishes into its callers,
//   kLanes: floats of a vector.
//
// A block has an element of kLanes columns in each place: all real parts, then all imaginary parts. No product is fused
// with a sum, so that every set gives the same bits.

#if defined(__clang__)
#define FRIT_UNROLL_RADIX _Pragma("unroll")
#else
#define FRIT_UNROLL_RADIX _Pragma("GCC unroll 16")
#endif

typedef float Vector __attribute__((vector_size(4 * kLanes)));

struct Element {
  Vector re, im;
};
typedef float Lane __attribute__((may_alias));

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

FRIT_ISA_INLINE void small7(Element* a) {
  constexpr float kCos1 = 0.62348980185873353f, kCos2 = -0.22252093395631440f, kCos3 = -0.90096886790241913f,
                  kSin1 = 0.78183148246802981f, kSin2 = 0.97492791218182361f, kSin3 = 0.43388373911755812f;
  const Element s1 = a[1] + a[6], s2 = a[2] + a[5], s3 = a[3] + a[4];
  const Element d1 = turned(a[1] - a[6]), d2 = turned(a[2] - a[5]), d3 = turned(a[3] - a[4]);
  const Element m1 = a[0] + scaled(s1, kCos1) + scaled(s2, kCos2) + scaled(s3, kCos3),
                m2 = a[0] + scaled(s1, kCos2) + scaled(s2, kCos3) + scaled(s3, kCos1),
                m3 = a[0] + scaled(s1, kCos3) + scaled(s2, kCos1) + scaled(s3, kCos2);
  const Element e1 = scaled(d1, kSin1) + scaled(d2, kSin2) + scaled(d3, kSin3),
                e2 = scaled(d1, kSin2) - scaled(d2, kSin3) - scaled(d3, kSin1),
                e3 = scaled(d1, kSin3) - scaled(d2, kSin1) + scaled(d3, kSin2);
  a[0] = a[0] + s1 + s2 + s3;
  a[1] = m1 + e1;
  a[2] = m2 + e2;
  a[3] = m3 + e3;
  a[4] = m3 - e3;
  a[5] = m2 - e2;
  a[6] = m1 - e1;
}
FRIT_ISA_INLINE void small9(Element* a) {
  const Complex root1(0.76604444311897804f, -0.64278760968653933f), root2(0.17364817766693035f, -0.98480775301220806f),
      root4(-0.93969262078590838f, -0.34202014332566873f);
  Element t[3][3];
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i) t[j][i] = a[j + 3 * i];
    small3(t[j]);
  }
  t[1][1] = times(t[1][1], root1);
  t[1][2] = times(t[1][2], root2);
  t[2][1] = times(t[2][1], root2);
  t[2][2] = times(t[2][2], root4);
  for (int i = 0; i < 3; ++i) {
    Element row[3] = {t[0][i], t[1][i], t[2][i]};
    small3(row);
    for (int k = 0; k < 3; ++k) a[i + 3 * k] = row[k];
  }
}

template <int kRadix>
FRIT_ISA_INLINE void small(Element* a);

// Of factors without a common divisor, whose parts need no roots between them. Result k is the one that leaves i and j
// when it is divided by both.
template <int kFirst, int kSecond>
FRIT_ISA_INLINE void small_coprime(Element* a) {
  constexpr int kRadix = kFirst * kSecond;
  constexpr auto place = [](int i, int j) {
    int k = i;
    while (k % kSecond != j) k += kFirst;
    return k;
  };
  Element parts[kFirst][kSecond];
  FRIT_UNROLL_RADIX
  for (int j = 0; j < kSecond; ++j) {
    Element part[kFirst];
    FRIT_UNROLL_RADIX
    for (int i = 0; i < kFirst; ++i) part[i] = a[(kSecond * i + kFirst * j) % kRadix];
    small<kFirst>(part);
    FRIT_UNROLL_RADIX
    for (int i = 0; i < kFirst; ++i) parts[i][j] = part[i];
  }
  FRIT_UNROLL_RADIX
  for (int i = 0; i < kFirst; ++i) {
    small<kSecond>(parts[i]);
    FRIT_UNROLL_RADIX
    for (int j = 0; j < kSecond; ++j) a[place(i, j)] = parts[i][j];
  }
}

template <int kRadix>
FRIT_ISA_INLINE void small(Element* a) {
  if constexpr (kRadix == 2) small2(a);
  if constexpr (kRadix == 3) small3(a);
  if constexpr (kRadix == 4) small4(a);
  if constexpr (kRadix == 5) small5(a);
  if constexpr (kRadix == 6) small_coprime<2, 3>(a);
  if constexpr (kRadix == 7) small7(a);
  if constexpr (kRadix == 8) small8(a);
  if constexpr (kRadix == 9) small9(a);
  if constexpr (kRadix == 10) small_coprime<2, 5>(a);
  if constexpr (kRadix == 12) small_coprime<4, 3>(a);
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

// Sums of the results k and radix - k, for kCount numbers k from `first` on: the even part, and the odd one times i.
// Both have the roots' real and imaginary parts as factors of sums and differences of opposite elements.
template <int kCount>
FRIT_ISA_INLINE void opposite_sums(const LanePlan::Stage& stage, int first, const Element& middle, const Element* sums,
                                   const Element* differences, Element* even, Element* odd) {
  const Complex* const own = stage.own.data();
  int power[kCount] = {};
  for (int c = 0; c < kCount; ++c) even[c] = middle, odd[c] = Element{};
  for (int j = 0; j < stage.radix / 2; ++j) {
    const Element s = sums[j], d = differences[j];
    for (int c = 0; c < kCount; ++c) {
      power[c] += first + c;
      if (power[c] >= stage.radix) power[c] -= stage.radix;
      even[c] = even[c] + scaled(s, own[power[c]].real());
      odd[c] = odd[c] + scaled(d, own[power[c]].imag());
    }
  }
}

// The same for any odd radix, by its definition.
FRIT_ISA void stage_of_any(const LanePlan::Stage& stage, int64_t stride, const Element* from, Element* to) {
  const int64_t apart = stride * stage.rest;
  const int radix = stage.radix, half = radix / 2;
  Element sums[kLargestRadix / 2], differences[kLargestRadix / 2];
  for (int64_t p = 0; p < stage.rest; ++p)
    for (int64_t q = 0; q < stride; ++q) {
      const Element* const in = from + q + stride * p;
      Element* const out = to + q + stride * radix * p;
      Element all = in[0];
      for (int j = 0; j < half; ++j) {
        const Element a = in[apart * (j + 1)], b = in[apart * (radix - 1 - j)];
        sums[j] = a + b;
        differences[j] = a - b;
        all = all + sums[j];
      }
      out[0] = all;
      const auto put = [&](int k, const Element& even, const Element& odd) FRIT_ISA {
        const Element t = turned(odd);
        const Complex* const roots = &stage.roots[static_cast<size_t>(p * (radix - 1))];
        out[stride * k] = p ? times(even - t, roots[k - 1]) : even - t;
        out[stride * (radix - k)] = p ? times(even + t, roots[radix - k - 1]) : even + t;
      };
      Element even[2], odd[2];
      int k = 1;
      for (; k + 1 <= half; k += 2) {
        opposite_sums<2>(stage, k, in[0], sums, differences, even, odd);
        put(k, even[0], odd[0]);
        put(k + 1, even[1], odd[1]);
      }
      if (k <= half) {
        opposite_sums<1>(stage, k, in[0], sums, differences, even, odd);
        put(k, even[0], odd[0]);
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
      case 6: stage_of<6>(stage, stride, a, b); break;
      case 7: stage_of<7>(stage, stride, a, b); break;
      case 8: stage_of<8>(stage, stride, a, b); break;
      case 9: stage_of<9>(stage, stride, a, b); break;
      case 10: stage_of<10>(stage, stride, a, b); break;
      case 12: stage_of<12>(stage, stride, a, b); break;
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

FRIT_ISA_INLINE Element conjugate(const Element& e) { return {e.re, -e.im}; }
FRIT_ISA_INLINE Element product(const Element& a, const Element& b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

// Vectors of kPairs numbers. Turning a square of them takes a few steps, in each of which two vectors exchange blocks.
constexpr int kPairs = kLanes / 2;
typedef double Pairs __attribute__((vector_size(4 * kLanes)));

template <int kApart, bool kSecond>
FRIT_ISA_INLINE Pairs exchanged(Pairs a, Pairs b) {
  constexpr auto lane = [](int l) {
    if constexpr (kSecond) return l & kApart ? kPairs + l : l + kApart;
    return l & kApart ? kPairs + l - kApart : l;
  };
  if constexpr (kPairs == 2)
    return __builtin_shufflevector(a, b, lane(0), lane(1));
  else if constexpr (kPairs == 4)
    return __builtin_shufflevector(a, b, lane(0), lane(1), lane(2), lane(3));
  else
    return __builtin_shufflevector(a, b, lane(0), lane(1), lane(2), lane(3), lane(4), lane(5), lane(6), lane(7));
}
template <int kApart = 1>
FRIT_ISA_INLINE void turn_square(Pairs* v) {
  if constexpr (kApart < kPairs) {
    for (int i = 0; i < kPairs; ++i) {
      if (i & kApart) continue;
      const Pairs a = v[i], b = v[i + kApart];
      v[i] = exchanged<kApart, false>(a, b);
      v[i + kApart] = exchanged<kApart, true>(a, b);
    }
    turn_square<2 * kApart>(v);
  }
}
FRIT_ISA_INLINE Pairs load_pairs(const Complex* in) {
  Pairs v;
  std::memcpy(&v, in, sizeof v);
  return v;
}

// kPairs elements whose lanes are numbers from kLanes rows, and back.
template <class Row>
FRIT_ISA_INLINE void load_square(const Row& row, Element* e) {
  Pairs low[kPairs], high[kPairs];
  for (int r = 0; r < kPairs; ++r) low[r] = load_pairs(row(r)), high[r] = load_pairs(row(kPairs + r));
  turn_square(low);
  turn_square(high);
  for (int k = 0; k < kPairs; ++k) {
    const auto a = reinterpret_cast<Vector>(low[k]), b = reinterpret_cast<Vector>(high[k]);
    e[k] = {shuffled<Shuffle::kEven>(a, b), shuffled<Shuffle::kOdd>(a, b)};
  }
}
template <class Row>
FRIT_ISA_INLINE void store_square(const Element* e, const Row& row) {
  Pairs low[kPairs], high[kPairs];
  for (int k = 0; k < kPairs; ++k) {
    low[k] = reinterpret_cast<Pairs>(shuffled<Shuffle::kLow>(e[k].re, e[k].im));
    high[k] = reinterpret_cast<Pairs>(shuffled<Shuffle::kHigh>(e[k].re, e[k].im));
  }
  turn_square(low);
  turn_square(high);
  for (int r = 0; r < kPairs; ++r) {
    std::memcpy(static_cast<void*>(row(r)), &low[r], sizeof(Pairs));
    std::memcpy(static_cast<void*>(row(kPairs + r)), &high[r], sizeof(Pairs));
  }
}

// The same number by number, for `some` elements and `count` rows.
template <class Row>
FRIT_ISA_INLINE void store_lanes(const Element* e, int64_t some, int count, const Row& row) {
  const Lane* const from = reinterpret_cast<const Lane*>(e);
  for (int l = 0; l < count; ++l) {
    Complex* const to = row(l);
    for (int64_t i = 0; i < some; ++i) to[i] = Complex(from[2 * kLanes * i + l], from[2 * kLanes * i + kLanes + l]);
  }
}

FRIT_ISA Element* elements_of(float* work) {
  const auto at = reinterpret_cast<uintptr_t>(work);
  return reinterpret_cast<Element*>((at + 63) / 64 * 64);
}

// Asks for the numbers of the next row, which most often lies behind this one: rows are read in pieces that no
// processor foresees.
FRIT_ISA_INLINE void prefetch_next(const Complex* from, int64_t n) {
  constexpr int kLine = 64 / sizeof(Complex);
  for (int l = 0; l < kLanes; l += kLine) __builtin_prefetch(from + n + l);
}

// Writes the transforms of columns j and following, times roots of unity, to rows of `turned_rows`.
FRIT_ISA void store_turned(const FftPlan& plan, const Element* y, int64_t j, int64_t count, Complex* turned_rows) {
  const int64_t n1 = plan.first->n;
  // kPairs numbers at a time are written to each row.
  for (int64_t first = 0; first < n1; first += kPairs) {
    const auto some = static_cast<int>(std::min<int64_t>(kPairs, n1 - first));
    Element parts[kPairs];
    for (int i = 0; i < some; ++i) {
      const int64_t k = first + i;
      const Element fine = load_dense(&plan.fine[static_cast<size_t>(k * kFine + j % kFine)]);
      parts[i] = product(y[k], times(fine, plan.coarse[static_cast<size_t>(k * (j / kFine))]));
    }
    const auto row = [&](int l) FRIT_ISA { return turned_rows + (j + l) * n1 + first; };
    if (some == kPairs && count == kLanes)
      store_square(parts, row);
    else
      store_lanes(parts, some, static_cast<int>(count), row);
  }
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
      if (step == 1) prefetch_next(from, plan.n);
      a[k] = step == 1 && count == kLanes ? load_dense(from) : load_some(from, step, count);
      if (swapped) swap_parts(a[k]);
    }
    store_turned(plan, transform(*plan.first, a, a + n1), j, count, turned_rows);
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
      Element e = scaled(y[j], scale);
      if (swapped) swap_parts(e);
      if (count == kLanes)
        store_dense(e, out + j * n1 + k);
      else
        store_some(e, out + j * n1 + k, count);
    }
  }
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
