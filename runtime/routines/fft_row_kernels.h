// The kernels of rows whose length is short enough for lanes, complex and real ones. Included
// behind runtime/routines/fft_kernels.h, once for each instruction set.

// The numbers of up to kLanes rows, `step` apart, as n elements; lanes without a row are zero.
FRIT_ISA_INLINE void load_lines(const Complex* const* in, int64_t step, int count, int64_t n, Element* e) {
  int64_t first = 0;
  if (count == kLanes && step == 1)
    for (; first + kPairs <= n; first += kPairs) load_square([&](int l) FRIT_ISA { return in[l] + first; }, e + first);
  Lane* const to = reinterpret_cast<Lane*>(e);
  if (count < kLanes) std::memset(static_cast<void*>(e), 0, static_cast<size_t>(n) * sizeof(Element));
  for (int l = 0; l < count; ++l)
    for (int64_t i = first; i < n; ++i) {
      to[2 * kLanes * i + l] = in[l][i * step].real();
      to[2 * kLanes * i + kLanes + l] = in[l][i * step].imag();
    }
}
FRIT_ISA_INLINE void store_lines(const Element* e, int64_t n, int count, Complex* const* out) {
  int64_t first = 0;
  if (count == kLanes)
    for (; first + kPairs <= n; first += kPairs)
      store_square(e + first, [&](int l) FRIT_ISA { return out[l] + first; });
  store_lanes(e + first, n - first, count, [&](int l) FRIT_ISA { return out[l] + first; });
}
FRIT_ISA_INLINE void scale_all(Element* e, int64_t n, bool swapped, float scale) {
  if (scale == 1 && !swapped) return;
  for (int64_t i = 0; i < n; ++i) {
    e[i] = scaled(e[i], scale);
    if (swapped) swap_parts(e[i]);
  }
}

FRIT_ISA void short_lines(const FftPlan& plan, const Complex* const* in, int64_t step, Complex* const* out, int count,
                          bool swapped, float scale, float* work) {
  const int64_t n = plan.n;
  Element* const a = elements_of(work);
  load_lines(in, step, count, n, a);
  for (int64_t i = 0; i < n && swapped; ++i) swap_parts(a[i]);
  Element* const y = transform(*plan.first, a, a + n);
  scale_all(y, n, swapped, scale);
  store_lines(y, n, count, out);
}

// Real rows of n numbers. Of even n, pairs are numbers of a transform of half the length, whose spectrum is joined by
// the roots.
FRIT_ISA void real_lines(const FftPlan& plan, int64_t n, const float* const* in, int64_t step, Complex* const* out,
                         int count, float scale, const Complex* roots, float* work) {
  const int64_t m = plan.n;
  const bool even = n % 2 == 0;
  Element* const a = elements_of(work);
  if (even && step == 1) {
    load_lines(reinterpret_cast<const Complex* const*>(in), 1, count, m, a);
  } else if (step == 1) {
    Element* const pairs = a + m;
    load_lines(reinterpret_cast<const Complex* const*>(in), 1, count, n / 2, pairs);
    for (int64_t i = 0; i < n / 2; ++i) {
      a[2 * i] = {pairs[i].re, Vector{}};
      a[2 * i + 1] = {pairs[i].im, Vector{}};
    }
    a[n - 1] = Element{};
    Lane* const last = reinterpret_cast<Lane*>(a + n - 1);
    for (int l = 0; l < count; ++l) last[l] = in[l][n - 1];
  } else {
    std::memset(static_cast<void*>(a), 0, static_cast<size_t>(m) * sizeof(Element));
    Lane* const to = reinterpret_cast<Lane*>(a);
    for (int l = 0; l < count; ++l)
      for (int64_t i = 0; i < n; ++i) to[kLanes * (even ? i : 2 * i) + l] = in[l][i * step];
  }
  Element* const y = transform(*plan.first, a, a + m);
  scale_all(y, m, false, scale);
  if (even) {
    const Element first = y[0];
    y[0] = {first.re + first.im, Vector{}};
    y[m] = {first.re - first.im, Vector{}};
    for (int64_t k = 1; 2 * k <= m; ++k) {
      const Element b = conjugate(y[m - k]), s = scaled(y[k] + b, 0.5f), d = scaled(y[k] - b, 0.5f);
      const Element t = turned(times(d, roots[k]));
      y[k] = s + t;
      y[m - k] = conjugate(s - t);
    }
  }
  store_lines(y, n / 2 + 1, count, out);
}

// The way back, from n / 2 + 1 numbers to real rows.
FRIT_ISA void real_lines_back(const FftPlan& plan, int64_t n, const Complex* const* in, int64_t step, float* const* out,
                              int count, float scale, const Complex* roots, float* work) {
  const int64_t m = plan.n, half = n / 2 + 1;
  const bool even = n % 2 == 0;
  Element* const a = elements_of(work);
  load_lines(in, step, count, half, a);
  if (even) {
    const Vector first = a[0].re, last = a[m].re;
    a[0] = {first + last, first - last};
    for (int64_t k = 1; 2 * k <= m; ++k) {
      const Element b = conjugate(a[m - k]), s = a[k] + b, d = times(a[k] - b, std::conj(roots[k]));
      const Element t = {-d.im, d.re};
      a[k] = s + t;
      a[m - k] = conjugate(s - t);
    }
  } else {
    a[0].im = Vector{};
    for (int64_t k = 1; k < half; ++k) a[m - k] = conjugate(a[k]);
  }
  for (int64_t i = 0; i < m; ++i) swap_parts(a[i]);
  Element* const y = transform(*plan.first, a, a + m);
  scale_all(y, m, true, scale);
  if (even) return store_lines(y, m, count, reinterpret_cast<Complex* const*>(out));
  const Lane* const last = reinterpret_cast<const Lane*>(y + n - 1);
  for (int l = 0; l < count; ++l) out[l][n - 1] = last[l];
  for (int64_t i = 0; i < n / 2; ++i) y[i] = {y[2 * i].re, y[2 * i + 1].re};
  store_lines(y, n / 2, count, reinterpret_cast<Complex* const*>(out));
}
