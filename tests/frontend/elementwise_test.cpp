// Elementwise operations: promotion, broadcasting, operators with scalars, errors. The conformance tests check their
// values over every dtype.
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "helpers.h"

using namespace frit;

TEST(Elementwise, AddsAndPromotes) {
  array c = array({1, 2, 3}) + array({0.5f, 1.5f, 2.5f});
  EXPECT_EQ(c.dtype(), float32);
  EXPECT_EQ(values<float>(c), (std::vector<float>{1.5f, 3.5f, 5.5f}));
  EXPECT_EQ((array({1}, int8) + array({1}, uint8)).dtype(), int16);
  EXPECT_EQ((array({1}, float16) + array({1}, int64)).dtype(), float16);
  EXPECT_EQ((array(true) + array(2)).dtype(), int32);
}

TEST(Elementwise, ScalarsTakePartWithTheirOwnType) {
  array x({1, 2, 3});
  EXPECT_EQ((x + 1).dtype(), int32);
  EXPECT_EQ((2.0f * x).dtype(), float32);
  EXPECT_EQ((2.0 * x).dtype(), float32);
  EXPECT_EQ(values<float>(2.0f * x - 1), (std::vector<float>{1, 3, 5}));
  EXPECT_EQ(values<int>(10 - x), (std::vector<int>{9, 8, 7}));
  EXPECT_EQ(values<float>(1.0f / x)[1], 0.5f);
  EXPECT_EQ(values<bool>(x > 1), (std::vector<bool>{false, true, true}));
  EXPECT_EQ((x == 2).dtype(), bool_);
  EXPECT_EQ(values<int>(x % 2), (std::vector<int>{1, 0, 1}));
  EXPECT_EQ(values<int>((x << 1) | 1), (std::vector<int>{3, 5, 7}));
  EXPECT_EQ(values<int>(-x), (std::vector<int>{-1, -2, -3}));
  EXPECT_EQ(values<bool>(!(x == 2) && x < 3), (std::vector<bool>{true, false, false}));
}

TEST(Elementwise, InPlaceOperatorsRebindTheName) {
  array x({1, 2});
  array y = x;
  x += 1;
  x *= 3;
  EXPECT_EQ(values<int>(x), (std::vector<int>{6, 9}));
  EXPECT_EQ(values<int>(y), (std::vector<int>{1, 2}));
}

TEST(Elementwise, Broadcasts) {
  array a({1, 2, 3}, {3, 1}), b({10, 20}, {1, 2});
  array c = a + b;
  EXPECT_EQ(c.shape(), (Shape{3, 2}));
  EXPECT_EQ(values<int>(c), (std::vector<int>{11, 21, 12, 22, 13, 23}));
  EXPECT_EQ((zeros({4, 1, 3}) + ones({2, 1})).shape(), (Shape{4, 2, 3}));
  EXPECT_EQ((zeros({0, 3}) + ones({1, 3})).shape(), (Shape{0, 3}));
}

TEST(Elementwise, StridedOperands) {
  array x = reshape(arange(24), {2, 3, 4});
  array t = transpose(x, {2, 0, 1});
  EXPECT_EQ(values<int>(t + t), values<int>(2 * t));
  EXPECT_EQ(values<int>(t)[1], 4);
  EXPECT_EQ(values<int>(t + reshape(arange(24), {4, 2, 3}))[1], 5);
  array reversed = slice(arange(5), {4}, {-6}, {-1});
  EXPECT_EQ(values<int>(reversed * 10), (std::vector<int>{40, 30, 20, 10, 0}));
}

TEST(Elementwise, PythonSignRules) {
  EXPECT_EQ(values<int>(remainder(array({-7, 7, -7}), array({3, -3, -3}))), (std::vector<int>{2, -2, -1}));
  EXPECT_EQ(values<int>(floor_divide(array({-7, 7, -7}), array({3, -3, -3}))), (std::vector<int>{-3, -3, 2}));
  auto both = divmod(array({-7, 7}), array({3, 3}));
  EXPECT_EQ(values<int>(both[0]), (std::vector<int>{-3, 2}));
  EXPECT_EQ(values<int>(both[1]), (std::vector<int>{2, 1}));
}

// Whole numbers around those at which quotients and powers take another way, each beside every other, in vectors and in
// what is left behind them: results are those of division lane by lane.
template <class T>
void expect_whole_quotients(Dtype t) {
  std::vector<T> edges{0, 1, 2, 3, 7, 10, 63, 64, 65, std::numeric_limits<T>::max(), std::numeric_limits<T>::min()};
  std::mt19937_64 draw(3);
  for (int bits = 8; bits < static_cast<int>(8 * sizeof(T)); bits += 4)
    for (int off : {-1, 0, 1}) edges.push_back(static_cast<T>((uint64_t{1} << bits) + static_cast<uint64_t>(off)));
  for (int i = 0; i < 20; ++i) edges.push_back(static_cast<T>(draw() >> draw() % 60));
  for (size_t i = edges.size(); i-- > 0 && std::is_signed_v<T>;)
    edges.push_back(static_cast<T>(0 - static_cast<uint64_t>(edges[i])));
  std::vector<T> x, y;
  for (T a : edges)
    for (T b : edges) x.push_back(a), y.push_back(b);
  // Small numbers alone as well, which no vector with a large one holds back.
  for (int i = 0; i < 1001; ++i) x.push_back(static_cast<T>(draw() % 99)), y.push_back(static_cast<T>(draw() % 9));
  const auto power = [](T base, T exponent) {
    if (exponent < 0) return T{0};
    uint64_t result = 1, square = static_cast<uint64_t>(base);
    for (auto left = static_cast<uint64_t>(exponent); left; left >>= 1, square *= square)
      if (left & 1) result *= square;
    return static_cast<T>(result);
  };
  const auto run = compile([](const std::vector<array>& in) {
    return std::vector<array>{floor_divide(in[0], in[1]), remainder(in[0], in[1]), frit::power(in[0], in[1])};
  });
  for (size_t n : {x.size(), size_t{1}, size_t{13}, size_t{64}, size_t{77}}) {
    const array a(x.end() - static_cast<long>(n), Shape{static_cast<int>(n)}, t);
    const array b(y.end() - static_cast<long>(n), Shape{static_cast<int>(n)}, t);
    const std::vector<array> got = run({a, b});
    const auto q = values<T>(got[0]), r = values<T>(got[1]), p = values<T>(got[2]);
    for (size_t i = 0; i < n; ++i) {
      const T u = x[x.size() - n + i], v = y[y.size() - n + i];
      const bool wraps = std::is_signed_v<T> && v == static_cast<T>(-1);
      T quotient = v == 0 ? T{0} : wraps ? static_cast<T>(0 - static_cast<uint64_t>(u)) : static_cast<T>(u / v);
      T rest = v == 0 ? u : wraps ? T{0} : static_cast<T>(u % v);
      if (v != 0 && rest != 0 && (rest < 0) != (v < 0)) --quotient, rest = static_cast<T>(rest + v);
      ASSERT_EQ(q[i], quotient) << t << " " << +u << " // " << +v;
      ASSERT_EQ(r[i], rest) << t << " " << +u << " % " << +v;
      ASSERT_EQ(p[i], power(u, v)) << t << " " << +u << " ** " << +v;
    }
  }
}

TEST(Elementwise, WholeQuotientsAndPowers) {
  expect_whole_quotients<int64_t>(int64);
  expect_whole_quotients<uint64_t>(uint64);
  expect_whole_quotients<int32_t>(int32);
  expect_whole_quotients<uint32_t>(uint32);
  expect_whole_quotients<int16_t>(int16);
  expect_whole_quotients<uint8_t>(uint8);
}

// Short rows and few rows are unrolled: each turn divides numbers of its own.
TEST(Elementwise, WholeQuotientsInUnrolledLoops) {
  std::mt19937_64 draw(5);
  for (const auto [rows, columns] : {std::pair{1000, 3}, {257, 5}, {64, 4}, {3, 1000}, {5, 257}}) {
    std::vector<int64_t> x, y;
    for (int i = 0; i < rows * columns; ++i) {
      x.push_back(static_cast<int64_t>(draw() % 2000000) - 1000000);
      y.push_back(static_cast<int64_t>(draw() % 999) + 1);
    }
    const array a(x.begin(), Shape{rows, columns}, int64), b(y.begin(), Shape{rows, columns}, int64);
    for (const int axis : {0, 1}) {
      const auto run = compile([axis](const std::vector<array>& in) {
        const array q = floor_divide(in[0], in[1]), r = remainder(in[0], in[1]);
        return std::vector<array>{sum(q, axis), sum(r, axis), sum(q * array(3, int64) + r, axis)};
      });
      const std::vector<array> got = run({a, b});
      std::vector<int64_t> q(static_cast<size_t>(axis == 0 ? columns : rows)), r = q, both = q;
      for (size_t i = 0; i < x.size(); ++i) {
        const size_t at = axis == 0 ? i % static_cast<size_t>(columns) : i / static_cast<size_t>(columns);
        const int64_t rest = (x[i] % y[i] + y[i]) % y[i], quotient = (x[i] - rest) / y[i];
        q[at] += quotient, r[at] += rest, both[at] += 3 * quotient + rest;
      }
      EXPECT_EQ(values<int64_t>(got[0]), q) << rows << " by " << columns << ", axis " << axis;
      EXPECT_EQ(values<int64_t>(got[1]), r) << rows << " by " << columns << ", axis " << axis;
      EXPECT_EQ(values<int64_t>(got[2]), both) << rows << " by " << columns << ", axis " << axis;
    }
  }
}

TEST(Elementwise, FunctionsAgreeWithTheLibrary) {
  array x({0.1f, 0.5f, 2.0f});
  const auto near = [&](array got, double (*f)(double)) {
    auto v = values<float>(got);
    auto in = values<float>(x);
    for (size_t i = 0; i < v.size(); ++i) EXPECT_NEAR(v[i], f(in[i]), 1e-6 * (1 + std::fabs(f(in[i]))));
  };
  near(exp(x), std::exp);
  near(log(x), std::log);
  near(log1p(x), std::log1p);
  near(expm1(x), std::expm1);
  near(sin(x), std::sin);
  near(tanh(x), std::tanh);
  near(erf(x), std::erf);
  near(sqrt(x), std::sqrt);
  near(arctan(x), std::atan);
  EXPECT_NEAR(sigmoid(array(0.0f)).item<float>(), 0.5f, 1e-7);
  EXPECT_NEAR(logaddexp(array(1.0f), array(2.0f)).item<float>(), 2.3132617, 1e-6);
  EXPECT_EQ(exp(array({1, 2})).dtype(), float32);
  EXPECT_EQ(power(array({2, 3}), array({3, 2})).dtype(), int32);
}

TEST(Elementwise, NanAndInfinity) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  array x({nan, inf, -inf, 1.0f});
  EXPECT_EQ(values<bool>(isnan(x)), (std::vector<bool>{true, false, false, false}));
  EXPECT_EQ(values<bool>(isinf(x)), (std::vector<bool>{false, true, true, false}));
  EXPECT_TRUE(std::isnan(values<float>(maximum(x, array(0.0f)))[0]));
  EXPECT_EQ(values<float>(nan_to_num(x, 5.0f, 6.0f, 7.0f)), (std::vector<float>{5, 6, 7, 1}));
  EXPECT_EQ(values<float>(nan_to_num(x))[1], std::numeric_limits<float>::max());
  EXPECT_EQ(values<bool>(x != x), (std::vector<bool>{true, false, false, false}));
}

TEST(Elementwise, WhereClipRound) {
  EXPECT_EQ(values<float>(where(array({true, false}), array({1, 2}), array(0.5f))), (std::vector<float>{1, 0.5f}));
  EXPECT_EQ(values<int>(clip(array({-5, 0, 5}), array(-1), array(1))), (std::vector<int>{-1, 0, 1}));
  EXPECT_EQ(values<int>(clip(array({-5, 0, 5}), std::nullopt, array(1))), (std::vector<int>{-5, 0, 1}));
  EXPECT_THROW(clip(array(1)), std::invalid_argument);
  EXPECT_EQ(values<float>(round(array({0.5f, 1.5f, -2.5f}))), (std::vector<float>{0, 2, -2}));
  EXPECT_EQ(round(array(1234), -2).item<int>(), 1200);
}

TEST(Elementwise, Comparisons) {
  EXPECT_TRUE(array_equal(array({1, 2}), array({1.0f, 2.0f})).item<bool>());
  EXPECT_FALSE(array_equal(array({1, 2}), array({1, 2, 3})).item<bool>());
  EXPECT_TRUE(allclose(array({1.0f}), array({1.0f + 1e-7f})).item<bool>());
  EXPECT_FALSE(allclose(array({1.0f}), array({1.1f})).item<bool>());
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(values<bool>(isclose(array({inf, inf, nan, 1.0f}), array({inf, -inf, nan, inf}))),
            (std::vector<bool>{true, false, false, false}));
  EXPECT_TRUE(isclose(array(nan), array(nan), 1e-5, 1e-8, true).item<bool>());
}

TEST(Elementwise, ConversionsAndViews) {
  EXPECT_EQ(values<int>(astype(array({1.9f, -1.9f, std::nanf("")}), int32)), (std::vector<int>{1, -1, 0}));
  EXPECT_EQ(values<bool>(astype(array({0.0f, 0.5f}), bool_)), (std::vector<bool>{false, true}));
  EXPECT_EQ(view(array(1.0f), uint32).item<uint32_t>(), 0x3f800000u);
  EXPECT_EQ(view(array({1, 2}, uint32), uint8).shape(), (Shape{8}));
  EXPECT_EQ(astype(array(300), uint8).item<int>(), 44);
}

TEST(Elementwise, Complex) {
  array a(complex64_t(1, 2)), b(complex64_t(3, -1));
  EXPECT_EQ((a * b).item<complex64_t>(), complex64_t(5, 5));
  EXPECT_EQ(abs(array(complex64_t(3, 4))).item<float>(), 5.0f);
  EXPECT_EQ(real(a).item<float>(), 1.0f);
  EXPECT_EQ(imag(a).item<float>(), 2.0f);
  EXPECT_EQ((a + 1).dtype(), complex64);
}

TEST(Errors, NameTheOpTheTypesTheLineAndTheCure) {
  const unsigned line = __LINE__ + 1;
  const std::string text = thrown<InvalidArgument>([] { zeros({2, 3}) + ones({4}); });
  EXPECT_TRUE(contains(text, "add: float32 (2,3) and float32 (4) do not broadcast")) << text;
  EXPECT_TRUE(contains(text, "elementwise_test.cpp:" + std::to_string(line))) << text;
  EXPECT_TRUE(contains(text, "note: ")) << text;
  const unsigned call = __LINE__ + 1;
  const std::string named = thrown<Error>([] { maximum(zeros({2}), ones({3})); });
  EXPECT_TRUE(contains(named, "maximum: ") && contains(named, ":" + std::to_string(call))) << named;
  const std::string wrong = thrown<InvalidArgument>([] { bitwise_and(array(1.0f), array({2})); });
  EXPECT_TRUE(contains(wrong, "bitwise_and: takes integers or bool, not float32 () and int32 (1)")) << wrong;
  EXPECT_THROW(remainder(array(complex64_t(1, 1)), array(2)), std::invalid_argument);
}
