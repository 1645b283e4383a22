// Running sums, products, extremes and logarithms of sums.
#include <cmath>
#include <limits>

#include "helpers.h"

using namespace frit;

namespace {
array scanned_matrix() { return array({1, 2, 3, 4, 5, 6}, {2, 3}); }
std::vector<int> ints(const array& a) { return values<int>(a); }
}  // namespace

TEST(Scan, AlongEitherAxis) {
  EXPECT_EQ(ints(cumsum(scanned_matrix(), 0)), (std::vector<int>{1, 2, 3, 5, 7, 9}));
  EXPECT_EQ(ints(cumsum(scanned_matrix(), 1)), (std::vector<int>{1, 3, 6, 4, 9, 15}));
  EXPECT_EQ(ints(cumsum(scanned_matrix())), (std::vector<int>{1, 3, 6, 10, 15, 21}));
  EXPECT_EQ(ints(cumprod(scanned_matrix(), -1)), (std::vector<int>{1, 2, 6, 4, 20, 120}));
  EXPECT_EQ(cumsum(array(3)).shape(), (Shape{1}));
  EXPECT_THROW(cumsum(scanned_matrix(), 2), std::out_of_range);
  EXPECT_THROW(cumsum(array(3), 0), std::out_of_range);
  EXPECT_EQ(cumsum(zeros({0, 3}), 0).shape(), (Shape{0, 3}));
}

TEST(Scan, DirectionsAndEnds) {
  const array x = array({1, 3, 2});
  EXPECT_EQ(ints(cumsum(x, 0, true)), (std::vector<int>{6, 5, 2}));
  EXPECT_EQ(ints(cumsum(x, 0, false, false)), (std::vector<int>{0, 1, 4}));
  EXPECT_EQ(ints(cumsum(x, true, false)), (std::vector<int>{5, 2, 0}));
  EXPECT_EQ(ints(cumprod(x, true, false)), (std::vector<int>{6, 2, 1}));
  EXPECT_EQ(ints(cummax(x, false, false)), (std::vector<int>{std::numeric_limits<int>::min(), 1, 3}));
  EXPECT_EQ(ints(cummin(x, 0, true)), (std::vector<int>{1, 2, 2}));
  EXPECT_EQ(values<float>(cummin(astype(x, float32), false, false)),
            (std::vector<float>{std::numeric_limits<float>::infinity(), 1, 1}));
  EXPECT_EQ(values<uint8_t>(cummax(astype(x, uint8), false, false)), (std::vector<uint8_t>{0, 1, 3}));
}

TEST(Scan, Types) {
  const array bits = array({true, true, false, true});
  EXPECT_EQ(cumsum(bits).dtype(), int32);
  EXPECT_EQ(ints(cumsum(bits)), (std::vector<int>{1, 2, 2, 3}));
  EXPECT_EQ(values<bool>(cumprod(bits)), (std::vector<bool>{true, true, false, false}));
  EXPECT_EQ(values<bool>(cummax(bits)), (std::vector<bool>{true, true, true, true}));
  EXPECT_EQ(cumsum(astype(bits, uint8)).dtype(), uint8);
  EXPECT_EQ(cumsum(astype(bits, uint8), 0, false, true, float32).dtype(), float32);
  EXPECT_EQ(cumprod(astype(bits, uint8), false, true, int64).dtype(), int64);
  EXPECT_EQ(logcumsumexp(bits).dtype(), float32);
  EXPECT_EQ(logcumsumexp(astype(bits, bfloat16)).dtype(), bfloat16);
  // 2048 + 1 is 2048 in float16, but the sum is kept in float32.
  EXPECT_EQ(astype(cumsum(array({2048.0f, 1.0f, 1.0f}, float16)), float32).data<float>()[2], 2050.0f);
}

TEST(Scan, NaNsAndLogarithms) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const array& r : {cummax(array({1.0f, nan, 2.0f})), cummin(array({1.0f, nan, 2.0f}))}) {
    EXPECT_EQ(values<float>(r)[0], 1);
    EXPECT_TRUE(std::isnan(values<float>(r)[1]) && std::isnan(values<float>(r)[2]));
  }
  const std::vector<float> log = values<float>(logcumsumexp(array({1.0f, 3.0f, 2.0f}), true, false));
  EXPECT_NEAR(log[0], 3.31326175f, 1e-6);
  EXPECT_EQ(log[1], 2);
  EXPECT_EQ(log[2], -std::numeric_limits<float>::infinity());
  EXPECT_NEAR(values<float>(logcumsumexp(array({1000.0f, 1000.0f})))[1], 1000.6931f, 1e-3);
}

TEST(Scan, ComplexNumbers) {
  using C = complex64_t;
  const array z = array({C(1, 2), C(0, 0.5f), C(-1, 0)});
  const std::vector<C> products = values<C>(cumprod(z));
  EXPECT_EQ(products[1], C(-1, 0.5f));
  EXPECT_EQ(products[2], C(1, -0.5f));
  const std::vector<C> logs = values<C>(logcumsumexp(z, false, false));
  EXPECT_EQ(logs[0], C(-std::numeric_limits<float>::infinity(), 0));
  EXPECT_EQ(logs[1], C(1, 2));
  EXPECT_NEAR(logs[2].real(), 1.08587492f, 1e-6);
  EXPECT_NEAR(logs[2].imag(), 1.65652561f, 1e-6);
  EXPECT_EQ(values<C>(cummax(z))[2], C(1, 2));
}

TEST(Scan, FusesAndServesEverySize) {
  auto f = compile([](array x) { return cumsum(x * array(2), 0) + array(1); }, {.shapeless = true});
  EXPECT_EQ(ints(f(scanned_matrix())), (std::vector<int>{3, 5, 7, 11, 15, 19}));
  Log log;
  EXPECT_EQ(ints(f(array({1, 1, 1}, {3, 1}))), (std::vector<int>{3, 5, 7}));
  EXPECT_EQ(log.text(), "");
}

TEST(Scan, WideColumnsAndLongRows) {
  const array x = reshape(arange(300 * 200), {300, 200});
  const std::vector<int> columns = ints(cumsum(x, 0)), rows = ints(cumsum(x, 1, true));
  int column = 0, row = 0;
  for (int i = 0; i < 300; ++i) column += i * 200 + 137;
  for (int j = 0; j < 200; ++j) row += 299 * 200 + j;
  EXPECT_EQ(columns[299 * 200 + 137], column);
  EXPECT_EQ(rows[299 * 200], row);
}
