// Fourier transforms: against the definition, every kind of length, axes, norms, cut and filled axes, inverses, errors.
#include <cmath>
#include <complex>
#include <numbers>
#include <random>

#include "helpers.h"

using namespace frit;

namespace {

using Complexes = std::vector<complex64_t>;

array drawn_signal(Shape shape, bool complex = true, unsigned seed = 1) {
  size_t n = 1;
  for (auto d : shape) n *= static_cast<size_t>(d);
  std::mt19937 g(seed);
  std::normal_distribution<float> d;
  std::vector<float> re(n), im(n);
  for (size_t i = 0; i < n; ++i) re[i] = d(g), im[i] = d(g);
  const array x(re.begin(), shape);
  return complex ? x + array(im.begin(), shape) * array(complex64_t{0, 1}) : x;
}

// The largest difference over the largest magnitude.
double distance(const array& got, const array& want) {
  EXPECT_EQ(got.shape(), want.shape());
  const Complexes a = values<complex64_t>(astype(got, complex64)), b = values<complex64_t>(astype(want, complex64));
  double off = 0, most = 1e-30;
  for (size_t i = 0; i < a.size(); ++i) {
    off = std::max<double>(off, std::abs(a[i] - b[i]));
    most = std::max<double>(most, std::abs(b[i]));
  }
  return off / most;
}

// The definition, along the last axis of a matrix.
array defined(const array& x, bool inverse = false) {
  const Complexes v = values<complex64_t>(astype(x, complex64));
  const auto n = static_cast<size_t>(x.shape(-1));
  Complexes out(v.size());
  for (size_t row = 0; row < v.size(); row += n)
    for (size_t k = 0; k < n; ++k) {
      std::complex<double> sum = 0;
      for (size_t j = 0; j < n; ++j)
        sum += std::complex<double>(v[row + j]) *
               std::polar(1.0, (inverse ? 2 : -2) * std::numbers::pi * static_cast<double>(j * k % n) /
                                   static_cast<double>(n));
      out[row + k] = std::complex<float>(sum);
    }
  return array(out.begin(), x.shape());
}

array first_columns(const array& x, int n) { return slice(x, {0, 0}, {x.shape(0), n}); }

}  // namespace

// Short and long lengths, products of small primes, primes on both sides of the bound, prime squares.
TEST(Fft, EveryKindOfLength) {
  for (int n : {1,   2,   3,   4,   5,   6,   7,   8,   9,   11,  12,  13,   15,   16,   25,  29,  31,
                32,  37,  60,  64,  77,  97,  100, 127, 128, 129, 130, 131,  169,  200,  211, 243, 254,
                256, 257, 352, 360, 381, 509, 511, 512, 514, 625, 961, 1000, 1009, 1024, 1207}) {
    const array x = drawn_signal({3, n}), r = drawn_signal({3, n}, false);
    EXPECT_LT(distance(fft::fft(x), defined(x)), 1e-6) << n;
    EXPECT_LT(distance(fft::ifft(x) * array(static_cast<float>(n)), defined(x, true)), 1e-6) << n;
    EXPECT_LT(distance(fft::ifft(fft::fft(x)), x), 2e-6) << n;
    const array spectrum = fft::rfft(r);
    EXPECT_EQ(spectrum.shape(), (Shape{3, n / 2 + 1}));
    EXPECT_LT(distance(spectrum, first_columns(defined(r), n / 2 + 1)), 1e-6) << n;
    EXPECT_LT(distance(fft::irfft(spectrum, n, -1), r), 2e-6) << n;
  }
}

// Rows of every layout, more rows than lanes, and long rows that threads share.
TEST(Fft, RowsOfEveryLayout) {
  for (int n : {1, 2, 6, 9, 16, 41, 127, 131, 254, 300, 352, 1024, 67}) {
    const array x = drawn_signal({37, n}), turned = swapaxes(contiguous(swapaxes(x, 0, 1)), 0, 1);
    EXPECT_LT(distance(fft::fft(turned), defined(x)), 1e-6) << n;
    EXPECT_LT(distance(fft::fft(x, 0), swapaxes(defined(swapaxes(x, 0, 1)), 0, 1)), 1e-6) << n;
    const array r = real(x), back = swapaxes(contiguous(swapaxes(r, 0, 1)), 0, 1);
    EXPECT_LT(distance(fft::rfft(back), first_columns(defined(r), n / 2 + 1)), 1e-6) << n;
    EXPECT_LT(distance(fft::irfft(swapaxes(contiguous(swapaxes(fft::rfft(r), 0, 1)), 0, 1), n, 1), r), 2e-6) << n;
  }
  const array one = drawn_signal({1, 1 << 16});
  EXPECT_LT(distance(fft::ifft(fft::fft(one)), one), 2e-6);
  const array odd = drawn_signal({1, 3 * 3 * 5 * 1009}, false);
  EXPECT_LT(distance(fft::irfft(fft::rfft(odd), odd.shape(1), 1), odd), 5e-6);
}

// A row has the same bits alone and beside others, whatever lanes they fill.
TEST(Fft, RowsAlone) {
  const auto same = [](const array& a, const array& b) {
    return all(equal(view(contiguous(a), uint32), view(contiguous(b), uint32))).item<bool>();
  };
  for (int n : {2, 7, 9, 16, 41, 100, 131, 254, 352, 512, 1207}) {
    const array x = drawn_signal({21, n}), r = real(x);
    const array all_rows = fft::fft(x), spectrum = fft::rfft(r), back = fft::irfft(spectrum, n, -1);
    for (int row : {0, 15, 17, 20}) {
      const auto one = [&](const array& a) { return slice(a, {row, 0}, {row + 1, a.shape(1)}); };
      EXPECT_TRUE(same(one(all_rows), fft::fft(one(x)))) << n << " " << row;
      EXPECT_TRUE(same(one(spectrum), fft::rfft(one(r)))) << n << " " << row;
      EXPECT_TRUE(same(one(back), fft::irfft(one(spectrum), n, -1))) << n << " " << row;
    }
  }
}

// Products of two factors, primes of both sides of what registers hold, and squares of primes.
TEST(Fft, ProductsOfFactors) {
  const int primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67};
  std::mt19937 draw(7);
  const auto pick = [&](int n) { return static_cast<int>(draw() % static_cast<unsigned>(n)); };
  for (int i = 0; i < 24; ++i) {
    const int n = primes[pick(19)] * (i % 3 ? primes[pick(10)] : 1 + pick(16)), rows = 1 + pick(20);
    const array x = drawn_signal({rows, n}, true, static_cast<unsigned>(i)), r = real(x);
    const array want = defined(x), spectrum = fft::rfft(r);
    EXPECT_LT(distance(fft::fft(x), want), 1e-6) << n;
    EXPECT_LT(distance(fft::ifft(want), x), 2e-6) << n;
    EXPECT_LT(distance(spectrum, first_columns(defined(r), n / 2 + 1)), 1e-6) << n;
    EXPECT_LT(distance(fft::irfft(spectrum, n, -1), r), 2e-6) << n;
    const array turned = swapaxes(contiguous(swapaxes(x, 0, 1)), 0, 1);
    EXPECT_LT(distance(fft::fft(turned), want), 1e-6) << n;
  }
}

// More rows than a device holds at once: the first and the last ones.
TEST(Fft, ManyRows) {
  for (int n : {67, 20}) {
    const int rows = n == 67 ? 30011 : 4099;
    const array x = drawn_signal({rows, n}), got = fft::fft(x), back = fft::irfft(fft::rfft(real(x)), n, -1);
    for (int first : {0, rows / 2, rows - 30}) {
      const auto part = [&](const array& a) { return slice(a, {first, 0}, {first + 30, n}); };
      EXPECT_LT(distance(part(got), defined(part(x))), 1e-6) << n;
      EXPECT_LT(distance(part(back), part(real(x))), 2e-6) << n;
    }
  }
}

// Rows past what one pass of a GPU takes, and past two: a wave has one number in its spectrum.
TEST(Fft, LongRows) {
  for (int n : {1 << 13, 1 << 21, 100003, 19040, 80000, 15015, 37 * 41 * 43}) {
    const int wave = n / 3 + 5;
    std::vector<float> re(static_cast<size_t>(n)), im(re.size());
    for (size_t j = 0; j < re.size(); ++j) {
      const double turns = static_cast<double>(j * static_cast<size_t>(wave) % re.size()) / n;
      re[j] = static_cast<float>(std::cos(2 * std::numbers::pi * turns));
      im[j] = static_cast<float>(std::sin(2 * std::numbers::pi * turns));
    }
    const array x = array(re.begin(), {n}) + array(im.begin(), {n}) * array(complex64_t{0, 1});
    const array one = astype(equal(arange(n), array(wave)), complex64) * array(static_cast<float>(n));
    EXPECT_LT(distance(fft::fft(x), one), 1e-6) << n;
    EXPECT_LT(distance(fft::ifft(one), x), 2e-6) << n;
    const array r = drawn_signal({n}, false);
    EXPECT_LT(distance(fft::rfft(r), slice(fft::fft(astype(r, complex64)), {0}, {n / 2 + 1})), 1e-6) << n;
    EXPECT_LT(distance(fft::irfft(fft::rfft(r), n, 0), r), 5e-6) << n;
  }
}

TEST(Fft, AxesAndNorms) {
  const array x = drawn_signal({2, 3, 4});
  const array both = swapaxes(defined(swapaxes(defined(x), 1, 2)), 1, 2);
  EXPECT_LT(distance(fft::fft2(x), both), 1e-6);
  EXPECT_LT(distance(fft::fftn(x, std::vector<int>{-1, 1}), both), 1e-6);
  EXPECT_LT(distance(fft::ifft2(both), x), 2e-6);
  EXPECT_LT(distance(fft::ifftn(fft::fftn(x)), x), 2e-6);
  const array ortho = fft::fft(x, -1, fft::FFTNorm::Ortho), forward = fft::fft(x, -1, fft::FFTNorm::Forward);
  EXPECT_LT(distance(ortho * array(2.0f), defined(x)), 1e-6);
  EXPECT_LT(distance(forward * array(4.0f), defined(x)), 1e-6);
  EXPECT_LT(distance(fft::ifft(ortho, -1, fft::FFTNorm::Ortho), x), 2e-6);
  EXPECT_LT(distance(fft::ifft(forward, -1, fft::FFTNorm::Forward), x), 2e-6);
  const array r = drawn_signal({2, 3, 5}, false);
  EXPECT_EQ(fft::rfftn(r).shape(), (Shape{2, 3, 3}));
  EXPECT_LT(distance(fft::irfftn(fft::rfftn(r), {2, 3, 5}, {0, 1, 2}), r), 2e-6);
  EXPECT_LT(distance(fft::irfft2(fft::rfft2(r), {3, 5}, {1, 2}), r), 2e-6);
  EXPECT_EQ(fft::irfft(fft::rfft(r)).shape(), (Shape{2, 3, 4}));
  EXPECT_EQ(fft::fftn(r, std::vector<int>{}).dtype(), float32);
}

// Literal values, from NumPy.
TEST(Fft, Values) {
  const Complexes got = values<complex64_t>(fft::fft(arange(4)));
  const Complexes want{{6, 0}, {-2, 2}, {-2, 0}, {-2, -2}};
  for (size_t i = 0; i < 4; ++i) EXPECT_LT(std::abs(got[i] - want[i]), 1e-6);
  // Cut, and filled with zeros.
  EXPECT_LT(distance(fft::rfft(arange(4), 6, 0), array({complex64_t{6, 0}, complex64_t{-3.5f, -2.5980761f},
                                                        complex64_t{1.5f, 0.8660254f}, complex64_t{-2, 0}},
                                                       {4})),
            1e-6);
  EXPECT_LT(distance(fft::irfft(arange(4), 2, 0), array({0.5f, -0.5f}, {2})), 1e-6);
  EXPECT_EQ(values<float>(fft::irfft(arange(4), 1, 0)), (std::vector<float>{0}));
  EXPECT_LT(
      distance(fft::irfft(arange(4), 7, 0),
               array({1.7142858f, -0.7212739f, -0.0439969f, -0.0918720f, -0.0918720f, -0.0439969f, -0.7212739f}, {7})),
      1e-6);
  for (Dtype t : {bool_, uint8, int64, float16, float64}) EXPECT_EQ(fft::fft(zeros({4}, t)).dtype(), complex64);
  EXPECT_EQ(fft::fft(zeros({0, 3})).shape(), (Shape{0, 3}));
}

TEST(Fft, ShiftsAndFrequencies) {
  using Ints = std::vector<int>;
  EXPECT_EQ(values<int>(fft::fftshift(arange(5))), (Ints{3, 4, 0, 1, 2}));
  EXPECT_EQ(values<int>(fft::ifftshift(arange(5))), (Ints{2, 3, 4, 0, 1}));
  EXPECT_EQ(values<int>(fft::fftshift(arange(4))), (Ints{2, 3, 0, 1}));
  EXPECT_EQ(values<int>(fft::fftshift(reshape(arange(6), {2, 3}), {1})), (Ints{2, 0, 1, 5, 3, 4}));
  EXPECT_EQ(values<int>(fft::fftshift(reshape(arange(6), {2, 3}))), (Ints{5, 3, 4, 2, 0, 1}));
  EXPECT_EQ(fft::fftshift(array(1)).item<int>(), 1);
  const std::vector<float> f = values<float>(fft::fftfreq(5, 0.5)), want{0, 0.4f, 0.8f, -0.8f, -0.4f};
  for (size_t i = 0; i < 5; ++i) EXPECT_FLOAT_EQ(f[i], want[i]);
  EXPECT_EQ(values<float>(fft::fftfreq(4)), (std::vector<float>{0, 0.25f, -0.5f, -0.25f}));
  EXPECT_EQ(values<float>(fft::fftfreq(1)), (std::vector<float>{0}));
  EXPECT_EQ(values<float>(fft::rfftfreq(4)), (std::vector<float>{0, 0.25f, 0.5f}));
}

TEST(Fft, Errors) {
  const array x = zeros({2, 3});
  EXPECT_THROW(fft::fft(x, 2), std::out_of_range);
  EXPECT_THROW(fft::fft(array(1.0f)), std::out_of_range);
  EXPECT_THROW(fft::fft2(zeros({3})), std::out_of_range);
  EXPECT_THROW(fft::fftn(x, std::vector<int>{0, 0}), std::invalid_argument);
  EXPECT_THROW(fft::fft(x, 0, 1), std::invalid_argument);
  EXPECT_THROW(fft::fft(x, -1, 1), std::invalid_argument);
  EXPECT_THROW(fft::fft(zeros({0})), std::invalid_argument);
  EXPECT_THROW(fft::irfft(zeros({1})), std::invalid_argument);
  EXPECT_THROW(fft::fftn(x, {2}, {0, 1}), std::invalid_argument);
  EXPECT_THROW(fft::irfft2(zeros({3}), {2}, {0, 1}), std::invalid_argument) << "lengths are counted first";
  EXPECT_THROW(fft::fftn(array(1.0f)), std::invalid_argument);
  EXPECT_THROW(fft::ifftn(array(1.0f)), std::invalid_argument);
  EXPECT_THROW(fft::rfftn(array(1.0f)), std::invalid_argument);
  EXPECT_THROW(fft::irfftn(array(1.0f)), std::invalid_argument);
  EXPECT_THROW(fft::fftshift(x, {2}), std::out_of_range);
  EXPECT_THROW(fft::fftfreq(0), std::invalid_argument);
  EXPECT_THROW(fft::rfftfreq(4, 0.0), std::invalid_argument);
  const std::string message = thrown<std::exception>([&] { fft::fft(x, 0, 1); });
  EXPECT_TRUE(contains(message, "fft: the length of axis 1 of float32 (2,3) would be 0")) << message;
}

// A GPU has kernels for each length that it knows, whose last bits are not those of its kernels for any length.
TEST(Fft, CompiledForAnyShape) {
  const double most = default_device().type == Device::cpu ? 0 : 1e-6;
  auto f = compile(
      [](const std::vector<array>& in) {
        return std::vector<array>{fft::fft(in[0]), fft::rfft(in[0], 0), fft::irfft(fft::rfft(in[0])),
                                  fft::fftshift(in[0]), abs(fft::fft2(in[0] * array(2.0f)))};
      },
      true);
  for (int n : {4, 7, 64, 200}) {
    const array x = drawn_signal({5, n}, false);
    const auto got = f({x});
    EXPECT_LE(distance(got[0], fft::fft(x)), most);
    EXPECT_LE(distance(got[1], fft::rfft(x, 0)), most);
    EXPECT_LE(distance(got[2], fft::irfft(fft::rfft(x))), most);
    EXPECT_EQ(distance(got[3], fft::fftshift(x)), 0);
    EXPECT_LE(distance(got[4], abs(fft::fft2(x * array(2.0f)))), most);
  }
}
