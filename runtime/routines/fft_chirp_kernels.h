// The kernels of convolutions with a chirp. Included behind runtime/routines/fft_kernels.h, once for each instruction
// set.
//
// The padded length is split as in fft_kernels.h. Its spectrum is multiplied while a block of it is in the cache, in
// the order in which the second step leaves it, and goes back by the same steps in reverse.

// `count` numbers, of which those behind `valid` are zero.
FRIT_ISA_INLINE Element load_valid(const Complex* in, int64_t valid) {
  return valid == kLanes ? load_dense(in) : load_some(in, 1, std::max<int64_t>(valid, 0));
}
FRIT_ISA_INLINE void store_valid(const Element& e, Complex* out, int64_t valid) {
  if (valid == kLanes)
    store_dense(e, out);
  else
    store_some(e, out, std::max<int64_t>(valid, 0));
}

// Numbers times the chirp, padded with zeros, through the first step.
FRIT_ISA void chirp_columns(const FftPlan& plan, const Complex* in, Complex* turned_rows, bool swapped, int64_t begin,
                            int64_t end, float* work) {
  const FftPlan& split = *plan.padded;
  const int64_t n1 = split.first->n, n2 = split.second->n;
  Element* const a = elements_of(work);
  for (int64_t block = begin; block < end; ++block) {
    const int64_t j = block * kLanes, count = std::min<int64_t>(kLanes, n2 - j);
    for (int64_t k = 0; k < n1; ++k) {
      const int64_t at = k * n2 + j, valid = std::min(count, plan.n - at);
      a[k] = Element{};
      if (valid <= 0) continue;
      prefetch_next(in + at, plan.n);
      Element e = load_valid(in + at, valid);
      if (swapped) swap_parts(e);
      a[k] = product(e, load_valid(plan.chirp.data() + at, valid));
    }
    store_turned(split, transform(*split.first, a, a + n1), j, count, turned_rows);
  }
}

// Through the second step, times the filter, and back through it, in place.
FRIT_ISA void chirp_rows(const FftPlan& plan, Complex* turned_rows, int64_t begin, int64_t end, float* work) {
  const FftPlan& split = *plan.padded;
  const int64_t n1 = split.first->n, n2 = split.second->n;
  Element* const a = elements_of(work);
  for (int64_t block = begin; block < end; ++block) {
    const int64_t k = block * kLanes, count = std::min<int64_t>(kLanes, n1 - k);
    for (int64_t j = 0; j < n2; ++j) a[j] = load_valid(turned_rows + j * n1 + k, count);
    Element* const y = transform(*split.second, a, a + n2);
    for (int64_t j = 0; j < n2; ++j) {
      y[j] = product(y[j], load_valid(plan.filter.data() + j * n1 + k, count));
      swap_parts(y[j]);
    }
    const Element* const z = transform(*split.second, y, y == a ? a + n2 : a);
    for (int64_t j = 0; j < n2; ++j) {
      Element e = z[j];
      swap_parts(e);
      const Element fine = load_dense(&split.fine_rows[static_cast<size_t>(j * kFine + k % kFine)]);
      const Element root = times(fine, split.coarse[static_cast<size_t>(j * (k / kFine))]);
      store_valid(product(e, conjugate(root)), turned_rows + j * n1 + k, count);
    }
  }
}

// Back through the first step, times the chirp and the scale.
FRIT_ISA void chirp_back(const FftPlan& plan, const Complex* turned_rows, Complex* out, bool swapped, float scale,
                         int64_t begin, int64_t end, float* work) {
  const FftPlan& split = *plan.padded;
  const int64_t n1 = split.first->n, n2 = split.second->n;
  Element* const a = elements_of(work);
  for (int64_t block = begin; block < end; ++block) {
    const int64_t j = block * kLanes, count = std::min<int64_t>(kLanes, n2 - j);
    const Complex* rows[kLanes];
    for (int64_t l = 0; l < count; ++l) rows[l] = turned_rows + (j + l) * n1;
    load_lines(rows, 1, static_cast<int>(count), n1, a);
    for (int64_t k = 0; k < n1; ++k) swap_parts(a[k]);
    const Element* const y = transform(*split.first, a, a + n1);
    for (int64_t p = 0; p < n1; ++p) {
      const int64_t at = p * n2 + j, valid = std::min(count, plan.n - at);
      if (valid <= 0) break;
      Element e = y[p];
      swap_parts(e);
      e = scaled(product(e, load_valid(plan.chirp.data() + at, valid)), scale);
      if (swapped) swap_parts(e);
      store_valid(e, out + at, valid);
    }
  }
}
