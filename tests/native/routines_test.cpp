// Routines that are kernels of the program: lengths and shapes of every kind against the references, and factors that
// give the operand again.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "ir/text/printer.h"
#include "support.h"
#include "support/generate.h"

namespace frit::test {
namespace {

using namespace ir;
using Number = std::complex<double>;

// The results of a function by the interpreter of its program, in which routines are kernels.
std::vector<Tensor> run_own(const Function& f, std::vector<Tensor> inputs) {
  Random random(5);
  auto planned = plan_native(f, {"llvm", "native"});
  EXPECT_TRUE(planned.ok()) << planned.error().str() << "\n" << print(f);
  if (!planned.ok()) return {};
  auto arguments = place(f, inputs, random);
  EXPECT_TRUE(arguments.ok()) << arguments.error().str();
  auto out = run_program(*planned, *arguments);
  EXPECT_TRUE(out.ok()) << out.error().str() << "\n" << print(f);
  return out.ok() ? *std::move(out) : std::vector<Tensor>{};
}

Number number_at(const Tensor& t, int64_t i) {
  if (!is_complex(t.dtype)) return t.at(i);
  const uint64_t bits = t.bits(i);
  return {std::bit_cast<float>(static_cast<uint32_t>(bits)), std::bit_cast<float>(static_cast<uint32_t>(bits >> 32))};
}

void expect_near(const Tensor& want, const Tensor& got, double tolerance, const std::string& what) {
  ASSERT_EQ(want.shape, got.shape) << what;
  double most = 1, off = 0;
  for (int64_t i = 0; i < want.size(); ++i) {
    most = std::max(most, std::abs(number_at(want, i)));
    off = std::max(off, std::abs(number_at(want, i) - number_at(got, i)));
  }
  EXPECT_LE(off, tolerance * most) << what;
}

TEST(OwnRoutines, TransformRowsOfEveryLength) {
  Random random(3);
  const Function open = parse_one(
      "func @f(%x: c64[n], %y: f32[n]) -> (c64[n], c64[n], c64[(n//2) + 1]) where 1 <= n {\n"
      "  %0: c64[n] = fft %x\n  %1: c64[n] = fft %x {inverse=true, norm=2}\n  %2: c64[(n//2) + 1] = rfft %y {norm=1}\n"
      "  return %0, %1, %2\n}\n");
  for (int64_t n = 1; n <= 40; ++n) {
    const std::string size = std::to_string(n), half = std::to_string(n / 2 + 1);
    const Function known =
        parse_one("func @f(%x: c64[2, " + size + "]) -> (c64[2, " + size + "], f32[2, " + size + "]) {\n  %0: c64[2, " +
                  size + "] = fft %x\n  %1: c64[2, " + half + "] = slice %x {start=[0, 0], stop=[2, " + half +
                  "]}\n  %2: f32[2, " + size + "] = irfft %1 {n=" + size + ", norm=2}\n  return %0, %2\n}\n");
    const std::vector<Tensor> rows{random_tensor(complex64, {2, n}, Values::Ordinary, random)};
    const std::vector<Tensor> row{random_tensor(complex64, {n}, Values::Ordinary, random),
                                  random_tensor(float32, {n}, Values::Ordinary, random)};
    for (const auto& [f, inputs] : {std::pair{&known, &rows}, std::pair{&open, &row}}) {
      auto want = interpret(*f, *inputs);
      ASSERT_TRUE(want.ok()) << want.error().str();
      const std::vector<Tensor> got = run_own(*f, *inputs);
      ASSERT_EQ(got.size(), want->size());
      for (size_t r = 0; r < got.size(); ++r) expect_near((*want)[r], got[r], 2e-7, "length " + size);
    }
  }
}

TEST(OwnRoutines, SortRowsOfEveryLength) {
  Random random(4);
  const auto text = [](const std::string& n, const std::string& first, const std::string& second) {
    return "func @f(%x: f16[2, " + n + "], %k: c64[" + n + "]) -> (f16[2, " + n + "], u32[2, " + n + "], c64[" + n +
           "], u32[" + n + "])" + (n == "n" ? " where 1 <= n" : "") + " {\n  %0: f16[2, " + n +
           "] = sort %x\n  %1: u32[2, " + n + "] = argpartition %x {kth=" + first + "}\n  %2: c64[" + n +
           "] = partition %k {kth=" + second + "}\n  %3: u32[" + n + "] = argsort %k\n  return %0, %1, %2, %3\n}\n";
  };
  const Function open = parse_one(text("n", "0", "n - 1"));
  for (int64_t n = 1; n <= 40; ++n) {
    const std::vector<Tensor> inputs{random_tensor(float16, {2, n}, n % 2 ? Values::Special : Values::Exact, random),
                                     random_tensor(complex64, {n}, n % 2 ? Values::Exact : Values::Special, random)};
    const Function known = parse_one(text(std::to_string(n), std::to_string(n / 3), std::to_string(n / 2)));
    for (const Function* f : {&open, &known}) {
      auto want = interpret(*f, inputs);
      ASSERT_TRUE(want.ok()) << want.error().str();
      const std::vector<Tensor> got = run_own(*f, inputs);
      ASSERT_EQ(got.size(), want->size());
      for (size_t r = 0; r < got.size(); ++r) ASSERT_EQ(difference((*want)[r], got[r]), "") << "length " << n;
    }
  }
}

// Singular values and vectors, eigenvectors, and triangular factors are one choice of many: their products are not.
TEST(OwnRoutines, GiveFactorsOfTheOperand) {
  Random random(6);
  const auto text = [](const std::string& t, int64_t m, int64_t n) {
    const auto type = [&](const std::string& dtype, int64_t a, int64_t b) {
      return dtype + "[" + std::to_string(a) + ", " + std::to_string(b) + "]";
    };
    const std::string real = t == "c64" ? "f32" : t;
    const int64_t k = std::min(m, n);
    return "func @f(%x: " + type(t, m, n) + ") -> (" + type(t, m, m) + ", " + real + "[" + std::to_string(k) + "], " +
           type(t, n, n) + ") {\n  %0: " + type(t, m, m) + ", %1: " + real + "[" + std::to_string(k) +
           "], %2: " + type(t, n, n) + " = svd %x\n  return %0, %1, %2\n}\n";
  };
  for (const auto& [name, dtype, tolerance] :
       {std::tuple{"f32", float32, 2e-6}, std::tuple{"f64", float64, 1e-13}, std::tuple{"c64", complex64, 2e-6}})
    for (const auto& [m, n] :
         std::vector<std::pair<int64_t, int64_t>>{{1, 1}, {4, 4}, {7, 3}, {3, 7}, {9, 10}, {5, 0}}) {
      const Function f = parse_one(text(name, m, n));
      Tensor x = random_tensor(dtype, {m, n}, Values::Ordinary, random);
      // A matrix of lower rank too: the last row is the first one.
      if (m > 3)
        for (int64_t j = 0; j < n; ++j) x.set_bits((m - 1) * n + j, x.bits(j));
      const std::vector<Tensor> got = run_own(f, {x});
      ASSERT_EQ(got.size(), 3u);
      const auto u = [&](int64_t i, int64_t j) { return number_at(got[0], i * m + j); };
      const auto v = [&](int64_t i, int64_t j) { return number_at(got[2], i * n + j); };
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
          Number sum = 0;
          for (int64_t k = 0; k < std::min(m, n); ++k) sum += u(i, k) * got[1].at(k) * v(k, j);
          EXPECT_LE(std::abs(sum - number_at(x, i * n + j)), 40 * tolerance) << name << " " << m << " " << n;
        }
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < m; ++j) {
          Number sum = 0;
          for (int64_t k = 0; k < m; ++k) sum += std::conj(u(k, i)) * u(k, j);
          EXPECT_LE(std::abs(sum - Number(i == j)), tolerance) << name << " " << m << " " << n;
        }
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j) {
          Number sum = 0;
          for (int64_t k = 0; k < n; ++k) sum += v(i, k) * std::conj(v(j, k));
          EXPECT_LE(std::abs(sum - Number(i == j)), tolerance) << name << " " << m << " " << n;
        }
    }
}

TEST(OwnRoutines, GiveEigenvectors) {
  Random random(7);
  for (const auto& [name, dtype, tolerance] :
       {std::tuple{"f32", float32, 1e-5}, std::tuple{"f64", float64, 1e-12}, std::tuple{"c64", complex64, 1e-5}})
    for (int64_t n : {1, 2, 5, 12}) {
      const std::string size = std::to_string(n), matrix = std::string(name) + "[" + size + ", " + size + "]";
      const std::string real = dtype == complex64 ? "f32" : name;
      const Function f =
          parse_one("func @f(%x: " + matrix + ") -> (" + real + "[" + size + "], " + matrix + ") {\n  %0: " + real +
                    "[" + size + "], %1: " + matrix + " = eigh %x\n  return %0, %1\n}\n");
      Tensor x = random_tensor(dtype, {n, n}, Values::Ordinary, random);
      make_definite(x);
      const std::vector<Tensor> got = run_own(f, {x});
      ASSERT_EQ(got.size(), 2u);
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j) {
          Number sum = 0;
          for (int64_t k = 0; k < n; ++k) sum += number_at(x, i * n + k) * number_at(got[1], k * n + j);
          EXPECT_LE(std::abs(sum - got[0].at(j) * number_at(got[1], i * n + j)), tolerance * 10) << name << " " << n;
        }
      for (int64_t j = 1; j < n; ++j) EXPECT_LE(got[0].at(j - 1), got[0].at(j));
    }
}

TEST(OwnRoutines, GiveEigenvectorsOfGeneralMatrices) {
  Random random(8);
  for (const auto& [name, dtype] : {std::pair{"f32", float32}, std::pair{"f64", float64}, std::pair{"c64", complex64}})
    for (int64_t n : {1, 2, 3, 6, 15}) {
      const std::string size = std::to_string(n), square = "[" + size + ", " + size + "]";
      const Function f = parse_one("func @f(%x: " + std::string(name) + square + ") -> (c64[" + size + "], c64" +
                                   square + ", c64[" + size + "]) {\n  %0: c64[" + size + "], %1: c64" + square +
                                   " = eig %x\n  %2: c64[" + size + "] = eigvals %x\n  return %0, %1, %2\n}\n");
      for (bool turned : {false, true}) {
        Tensor x = random_tensor(dtype, {n, n}, Values::Ordinary, random);
        // A permutation: the eigenvalues have one size, and steps without another shift go in a circle.
        if (turned)
          for (int64_t i = 0; i < n * n; ++i)
            x.set_bits(i, Tensor(dtype, {1}, {(i % n == (i / n + 1) % n) * 1.0}).bits(0));
        const std::vector<Tensor> got = run_own(f, {x});
        ASSERT_EQ(got.size(), 3u);
        EXPECT_EQ(difference(got[0], got[2]), "");
        for (int64_t i = 0; i < n; ++i)
          for (int64_t j = 0; j < n; ++j) {
            Number sum = 0;
            for (int64_t k = 0; k < n; ++k) sum += number_at(x, i * n + k) * number_at(got[1], k * n + j);
            EXPECT_LE(std::abs(sum - number_at(got[0], j) * number_at(got[1], i * n + j)), 2e-5) << name << " " << n;
          }
        for (int64_t j = 0; j < n; ++j) {
          double square_sum = 0;
          for (int64_t i = 0; i < n; ++i) square_sum += std::norm(number_at(got[1], i * n + j));
          EXPECT_NEAR(square_sum, 1, 1e-6);
        }
      }
    }
}

// A matrix that is no operand of a routine gives NaN: a kernel has no errors.
TEST(OwnRoutines, GiveNaNForMatricesThatHaveNoFactor) {
  const Function f =
      parse_one("func @f(%x: f32[2, 2]) -> f32[2, 2] {\n  %0: f32[2, 2] = cholesky %x\n  return %0\n}\n");
  const std::vector<Tensor> got = run_own(f, {Tensor(float32, {2, 2}, {1, 2, 2, 1})});
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].at(0), 1);
  EXPECT_TRUE(std::isnan(got[0].at(3)));
}

}  // namespace
}  // namespace frit::test
