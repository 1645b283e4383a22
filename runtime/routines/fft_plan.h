// Plans of Fourier transforms: how a length is split, and the tables of its roots of unity.
//
// Short lengths are transformed in the lanes of vectors, a row in each lane (kernels.h calls them columns of a block).
// A longer length n1 * n2 is n2 transforms of length n1 with stride n2, a multiplication by roots of unity, and n1
// transforms of length n2: each of the two steps works on as many columns at once as a vector has lanes. A length with
// a large prime factor is a convolution with a chirp, by transforms of a length with small factors (Bluestein). The way
// depends on the length alone, so that a row's result does not depend on the other rows, on threads or on the
// processor.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

namespace frit::runtime::routines {

using Complex = std::complex<float>;

// A root of a split row is a product from two tables, which are the same for every number of lanes.
inline constexpr int64_t kFine = 16;

// A prime factor above it takes a convolution.
inline constexpr int kLargestRadix = 127;

// A transform in lanes: factors of the length, first to last, and the roots of each step.
struct LanePlan {
  int64_t n = 1;
  struct Stage {
    int radix;
    int64_t rest;                // the length that is left for later stages
    std::vector<Complex> roots;  // rest * (radix - 1): powers k = 1, .. of root number p, for each p
    std::vector<Complex> own;    // of a radix without a kernel: its radix-th roots of unity
  };
  std::vector<Stage> stages;
  explicit LanePlan(int64_t n);
};

struct FftPlan {
  enum class Way : uint8_t { Lanes, Split, Chirp } way = Way::Lanes;
  int64_t n = 1;
  std::unique_ptr<LanePlan> first, second;  // of n, or of n1 and n2
  // Split: root^(k * l) for k < n1 and l < kFine; root^(kFine * t) for t < n / kFine, rounded up.
  // fine_rows is the like of `fine` for l < n2, which a padded length alone has.
  std::vector<Complex> fine, fine_rows, coarse;
  // Chirp: the sequence, the transform of the padded conjugate sequence divided by its length, and the plan of that
  // length.
  std::vector<Complex> chirp, filter;
  std::shared_ptr<const FftPlan> padded;

  int64_t work() const;    // floats that the kernels need, but for a chirp
  int64_t memory() const;  // floats that transform_row needs
};

// Plans are kept for the process: a few for each length that is in use.
std::shared_ptr<const FftPlan> fft_plan(int64_t n);

// exp(-2 pi i k / n).
Complex root_of_unity(int64_t k, int64_t n);

// The kernels for this processor.
struct FftKernels {
  int lanes;
  // Steps of a split row for blocks [begin, end) of columns. `turned` has n numbers. With `swapped` real and imaginary
  // parts change places on the way in and out, which makes the transform inverse.
  void (*columns)(const FftPlan&, const Complex* in, int64_t step, Complex* turned, bool swapped, int64_t begin,
                  int64_t end, float* work);
  void (*rows)(const FftPlan&, const Complex* turned, Complex* out, bool swapped, float scale, int64_t begin,
               int64_t end, float* work);
  // Up to `lanes` rows of a short length, from and to their own places.
  void (*lines)(const FftPlan&, const Complex* const* in, int64_t step, Complex* const* out, int count, bool swapped,
                float scale, float* work);
  // Parts of the steps between a spectrum and the transform of pairs (fft.cpp): they give the first number left.
  int64_t (*join)(const Complex* from, Complex* to, int64_t m, const Complex* roots);
  int64_t (*part)(const Complex* from, Complex* to, int64_t m, const Complex* roots);
  // Real rows of a short length n, by the plan of n, or of n / 2 for even n; and the way back.
  void (*real_lines)(const FftPlan&, int64_t n, const float* const* in, int64_t step, Complex* const* out, int count,
                     float scale, const Complex* roots, float* work);
  void (*real_lines_back)(const FftPlan&, int64_t n, const Complex* const* in, int64_t step, float* const* out,
                          int count, float scale, const Complex* roots, float* work);
  // Steps of a convolution with a chirp, for blocks as those of a split row of the padded length.
  void (*chirp_columns)(const FftPlan&, const Complex* in, Complex* turned, bool swapped, int64_t begin, int64_t end,
                        float* work);
  void (*chirp_rows)(const FftPlan&, Complex* turned, int64_t begin, int64_t end, float* work);
  void (*chirp_back)(const FftPlan&, const Complex* turned, Complex* out, bool swapped, float scale, int64_t begin,
                     int64_t end, float* work);
};
const FftKernels& fft_kernels();

}  // namespace frit::runtime::routines
