// Reductions: axes, keepdims, dtypes, empty and strided operands.
#include <cmath>
#include <limits>
#include <random>

#include "helpers.h"

using namespace frit;

namespace {
array matrix() { return array({1, 2, 3, 4, 5, 6}, {2, 3}); }
}  // namespace

TEST(Reduce, AxesAndKeepdims) {
  array x = matrix();
  EXPECT_EQ(sum(x).item<int>(), 21);
  EXPECT_EQ(sum(x).ndim(), 0u);
  EXPECT_EQ(sum(x, true).shape(), (Shape{1, 1}));
  EXPECT_EQ(values<int>(sum(x, 0)), (std::vector<int>{5, 7, 9}));
  EXPECT_EQ(values<int>(sum(x, -1)), (std::vector<int>{6, 15}));
  EXPECT_EQ(sum(x, 1, true).shape(), (Shape{2, 1}));
  EXPECT_EQ(sum(x, std::vector<int>{0, 1}).item<int>(), 21);
  EXPECT_EQ(values<int>(sum(x, std::vector<int>{})), values<int>(x));
  EXPECT_THROW(sum(x, 2), std::out_of_range);
  EXPECT_THROW(sum(x, std::vector<int>{0, 0}), std::invalid_argument);
  array y = reshape(arange(24), {2, 3, 4});
  EXPECT_EQ(values<int>(sum(y, std::vector<int>{0, 2})), (std::vector<int>{60, 92, 124}));
}

TEST(Reduce, EveryKind) {
  array x = matrix();
  EXPECT_EQ(prod(x).item<int>(), 720);
  EXPECT_EQ(max(x).item<int>(), 6);
  EXPECT_EQ(values<int>(min(x, 0)), (std::vector<int>{1, 2, 3}));
  EXPECT_TRUE(all(x > 0).item<bool>());
  EXPECT_FALSE(any(x > 6).item<bool>());
  EXPECT_EQ(argmax(x).item<int>(), 5);
  EXPECT_EQ(argmax(x).dtype(), uint32);
  EXPECT_EQ(values<uint32_t>(argmin(x, 1)), (std::vector<uint32_t>{0, 0}));
  EXPECT_EQ(argmax(x, true).shape(), (Shape{1, 1}));
  EXPECT_FLOAT_EQ(mean(x).item<float>(), 3.5f);
  EXPECT_EQ(mean(x).dtype(), float32);
  EXPECT_FLOAT_EQ(var(x).item<float>(), 35.0f / 12);
  EXPECT_FLOAT_EQ(frit::std(x, false, 1).item<float>(), std::sqrt(3.5f));
  EXPECT_NEAR(logsumexp(array({1.0f, 2.0f, 3.0f})).item<float>(), 3.4076059, 1e-6);
  EXPECT_NEAR(logsumexp(array({1000.0f, 1000.0f})).item<float>(), 1000.6931, 1e-3);
}

TEST(Reduce, NarrowTypesWiden) {
  EXPECT_EQ(sum(array({true, true, false})).item<int>(), 2);
  EXPECT_EQ(sum(array({200, 200}, uint8)).dtype(), uint32);
  EXPECT_EQ(sum(array({200, 200}, uint8)).item<int>(), 400);
  EXPECT_EQ(sum(array({100, 100}, int8)).item<int>(), 200);
  EXPECT_EQ(sum(array({1, 2}, float16)).dtype(), float16);
}

TEST(Reduce, Softmax) {
  array x({1.0f, 2.0f, 3.0f, 1.0f, 1.0f, 1.0f}, {2, 3});
  auto v = values<float>(softmax(x, -1));
  EXPECT_NEAR(v[2], 0.66524096, 1e-6);
  EXPECT_NEAR(v[3], 1.0 / 3, 1e-6);
  EXPECT_NEAR(sum(softmax(x)).item<float>(), 1.0f, 1e-6);
  EXPECT_EQ(softmax(astype(x, float16), -1, true).dtype(), float16);
  EXPECT_EQ(values<float>(softmax(array({1e30f, 1e30f}))), (std::vector<float>{0.5f, 0.5f}));
}

TEST(Reduce, Nothing) {
  EXPECT_EQ(sum(zeros({0})).item<float>(), 0.0f);
  EXPECT_EQ(values<float>(prod(zeros({0, 2}), 0)), (std::vector<float>{1, 1}));
  EXPECT_TRUE(all(zeros({0}, bool_)).item<bool>());
  EXPECT_THROW(max(zeros({0})), std::invalid_argument);
  EXPECT_THROW(argmax(zeros({0})), std::invalid_argument);
  EXPECT_EQ(sum(zeros({3, 0}), 0).shape(), (Shape{0}));
}

TEST(Reduce, NanIsTheExtreme) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(max(array({1.0f, nan, 3.0f})).item<float>()));
  EXPECT_EQ(argmax(array({1.0f, nan, 3.0f})).item<int>(), 1);
}

// Rows that are reduced block by block: extremes in any place of any block, the same ones in later blocks, NaN.
TEST(Reduce, PositionsInLongRows) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr int n = 140011;
  for (const Dtype t : {float32, float16, bfloat16, float64, int8, uint16, int32, int64}) {
    std::vector<float> v(static_cast<size_t>(3 * n));
    for (size_t i = 0; i < v.size(); ++i) v[i] = static_cast<float>(20 + i * 7919 % 31);
    for (const int at : {0, 5, 16383, 16384, 70001, n - 1}) {
      std::vector<float> w = v;
      for (const int later : {at, (at + n) / 2, n - 1}) {
        w[static_cast<size_t>(later)] = 100;
        w[static_cast<size_t>(n + later)] = 3;
        w[static_cast<size_t>(2 * n + later)] = issubdtype(t, floating) ? nan : 100;
      }
      const array x = astype(reshape(array(w.begin(), {3 * n}), {3, n}), t);
      const auto most = values<uint32_t>(argmax(x, 1)), least = values<uint32_t>(argmin(x, 1));
      EXPECT_EQ(most[0], static_cast<uint32_t>(at)) << t << " " << at;
      EXPECT_EQ(least[1], static_cast<uint32_t>(at)) << t << " " << at;
      EXPECT_EQ(most[2], static_cast<uint32_t>(at)) << t << " " << at;
      if (issubdtype(t, floating)) EXPECT_EQ(least[2], static_cast<uint32_t>(at)) << t << " " << at;
      EXPECT_EQ(argmax(slice(x, {0, 0}, {2, n})).item<uint32_t>(), static_cast<uint32_t>(at)) << t << " " << at;
    }
  }
  // A fused operand, which is a result too, with sizes that are known or open.
  for (const bool open : {false, true}) {
    const auto run = compile(
        [](const std::vector<array>& in) {
          const array y = sqrt(in[0]) * array(-1.0f);
          return std::vector<array>{y, argmin(y, 1), argmax(y)};
        },
        open);
    std::vector<float> v(2 * size_t{n}, 4.0f);
    v[77777] = 9.0f, v[n + 131072] = 16.0f, v[n + 9] = 1.0f;
    const std::vector<array> got = run({array(v.begin(), {2, n})});
    EXPECT_EQ(values<uint32_t>(got[1]), (std::vector<uint32_t>{77777, 131072}));
    EXPECT_EQ(got[2].item<uint32_t>(), static_cast<uint32_t>(n + 9));
    EXPECT_EQ(values<float>(got[0])[77777], -3.0f);
  }
}

TEST(Reduce, StridedOperands) {
  array x = transpose(matrix());
  EXPECT_EQ(values<int>(sum(x, 0)), (std::vector<int>{6, 15}));
  EXPECT_EQ(sum(broadcast_to(array(2), {10, 10})).item<int>(), 200);
}

TEST(Reduce, ManyShapesShareCode) {
  for (int n : {1, 2, 3, 31, 32, 33, 100, 1000, 5000}) {
    EXPECT_EQ(sum(arange(n)).item<int>(), n * (n - 1) / 2);
    EXPECT_EQ(values<int>(sum(broadcast_to(reshape(arange(n), {n, 1}), {n, 3}), 1)).back(), 3 * (n - 1));
  }
}

// Rows shorter than a vector or two, of every length, beside their columns, which are summed and divided one by one.
TEST(Reduce, ShortRowsOfEveryLength) {
  for (const Dtype t : {float32, float16, bfloat16})
    for (int n = 2; n <= 40; n += n < 20 ? 1 : 5) {
      const array x = astype(reshape(remainder(arange(n * 203) * 37, array(64)) + 1, {203, n}), t);
      const auto f = compile([](const std::vector<array>& in) {
        const array rows = in[0] / sum(in[0], 1, true);
        return std::vector<array>{rows, max(rows, 1)};
      });
      const std::vector<array> got = f({x});
      std::vector<array> columns = split(x, n, 1);
      array sums = astype(columns[0], float32);
      for (int i = 1; i < n; ++i) sums = sums + astype(columns[static_cast<size_t>(i)], float32);
      // The sums are exact, so their order does not show.
      const array want = x / astype(sums, t);
      EXPECT_TRUE(array_equal(got[0], want).item<bool>()) << n;
      EXPECT_TRUE(array_equal(got[1], max(transpose(want), 0)).item<bool>()) << n;
    }
}

// Two values of each row and a weight for each place, on rows of every length and blocks of rows that are not full.
TEST(Reduce, ShortRowsWithWeights) {
  const auto f = compile([](const std::vector<array>& in) {
    const array far = in[0] - max(in[0], 1, true);
    return std::vector<array>{far * in[1] + min(in[0], 1, true)};
  });
  for (const Dtype t : {float32, float16, bfloat16, int32})
    for (int n = 2; n <= 35; ++n) {
      const int rows = 5 * n + 61;
      const array x = astype(reshape(remainder(arange(n * rows) * 37, array(64)), {rows, n}), t);
      const array weights = astype(remainder(arange(n) * 5, array(3)), t);
      array most = slice(x, {0, 0}, {rows, 1}), least = most;
      for (int i = 1; i < n; ++i) {
        const array column = slice(x, {0, i}, {rows, i + 1});
        most = maximum(most, column), least = minimum(least, column);
      }
      EXPECT_TRUE(array_equal(f({x, weights})[0], (x - most) * weights + least).item<bool>()) << n;
    }
}

// A result of many short rows is written past the caches, which a part of it is not; its last block is not full.
TEST(Reduce, ManyShortRowsAreTheirParts) {
  constexpr int kRows = 450001, kColumns = 27, kParts = 7;
  const array x = reshape(remainder(arange(kRows * kColumns) * 37, array(97)) + 1, {kRows, kColumns});
  const auto f = compile([](const std::vector<array>& in) { return std::vector<array>{in[0] / sum(in[0], 1, true)}; });
  for (const Dtype t : {float32, bfloat16}) {
    const array rows = astype(x, t), got = f({rows})[0];
    for (int i = 0; i < kParts; ++i) {
      const int first = kRows / kParts * i, last = i + 1 == kParts ? kRows : first + kRows / kParts;
      const array part = slice(rows, {first, 0}, {last, kColumns});
      EXPECT_TRUE(array_equal(slice(got, {first, 0}, {last, kColumns}), f({contiguous(part)})[0]).item<bool>()) << i;
    }
  }
}

// Positions of extremes in columns of random sizes: the first of equal ones, the first NaN, and the first of
// infinities.
TEST(Reduce, PositionsInColumnsOfEveryWidth) {
  std::mt19937 g(11);
  for (int round = 0; round < 60; ++round) {
    const int n = 1 + static_cast<int>(g() % (round % 5 ? 90 : 3000)), columns = 1 + static_cast<int>(g() % 130);
    const float inf = std::numeric_limits<float>::infinity();
    std::vector<float> v(static_cast<size_t>(n * columns));
    for (float& x : v) {
      const unsigned drawn = g() % 400;
      x = round % 4 == 0 && drawn == 0 ? std::numeric_limits<float>::quiet_NaN()
          : round % 4 == 1             ? (drawn < 2 ? inf : -inf)
                                       : static_cast<float>(drawn % 9);
    }
    const auto first = [&](int sign) {
      std::vector<uint32_t> out;
      for (int c = 0; c < columns; ++c) {
        int best = 0;
        for (int i = 1; i < n; ++i) {
          const float old = v[static_cast<size_t>(best * columns + c)], x = v[static_cast<size_t>(i * columns + c)];
          if (!std::isnan(old) && (std::isnan(x) || sign * x > sign * old)) best = i;
        }
        out.push_back(static_cast<uint32_t>(best));
      }
      return out;
    };
    const std::vector<uint32_t> most = first(1), least = first(-1);
    const array x(v.begin(), Shape{n, columns});
    for (const Dtype t : {float32, float16, float64, int32, int64, uint8}) {
      if (round % 4 < 2 && !issubdtype(t, floating)) continue;
      const array y = astype(x, t);
      EXPECT_EQ(values<uint32_t>(argmax(y, 0)), most) << t << " " << n << "x" << columns;
      EXPECT_EQ(values<uint32_t>(argmin(y, 0)), least) << t << " " << n << "x" << columns;
    }
  }
}

// Functions of what a row is reduced to, some rows at a time, give what each operation gives by itself.
TEST(Reduce, FunctionsBehindRows) {
  const auto f = [](const std::vector<array>& in) {
    const array top = max(in[0], 1), sums = sum(exp(in[0] - expand_dims(top, 1)), 1);
    const array where = expand_dims(astype(remainder(in[1], array(7.0f)), int32), 1);
    const array one = squeeze(take_along_axis(in[0], where, 1), 1);
    return std::vector<array>{log(sums) + top - one, tanh(sums) * astype(argmax(in[0], 1), float32) + in[1],
                              isnan(top)};
  };
  for (const Dtype t : {float32, bfloat16})
    for (const auto& [rows, columns] : {std::pair(1, 100), {33, 64}, {203, 43}, {64, 512}}) {
      const array x = astype(sin(reshape(arange(rows * static_cast<double>(columns)), {rows, columns}) * 0.7f), t);
      const array y = arange(static_cast<double>(rows));
      const std::vector<array> want = f({x, y}), got = compile(f)({x, y});
      for (size_t i = 0; i < want.size(); ++i)
        EXPECT_TRUE(array_equal(got[i], want[i]).item<bool>()) << rows << " x " << columns << ", result " << i;
    }
}

// Columns that go on row by row, in pieces, give what each operation gives by itself. Where a GPU divides quicker in
// kernels whose floats in memory all have 16 bits (docs/vulkan.md), that is so but for the rounding to 16 bits.
TEST(Reduce, ColumnsByRows) {
  const auto softmax_of = [](const std::vector<array>& in) {
    const array e = exp(in[0] - max(in[0], 0, true));
    return std::vector<array>{e / sum(e, 0, true)};
  };
  const auto norm_of = [](const std::vector<array>& in) {
    const array d = in[0] - mean(in[0], 0, true), v = mean(d * d, 0, true);
    return std::vector<array>{d * rsqrt(v + 1e-5f), v, sum(log(abs(d) + 1), 0)};
  };
  for (const Dtype t : {float32, float16, bfloat16})
    for (const auto& [rows, columns] : {std::pair(9, 130), {300, 1031}, {4500, 140}, {17, 9001}, {267, 600}}) {
      const array x = astype(sin(reshape(arange(rows * static_cast<double>(columns)), {rows, columns}) * 0.7f), t);
      for (const std::function<std::vector<array>(const std::vector<array>&)>& f :
           {std::function<std::vector<array>(const std::vector<array>&)>(softmax_of), {norm_of}}) {
        const std::vector<array> want = f({x}), got = compile(f)({x}), open = compile(f, true)({x});
        const bool exact = t == float32 || default_device() == Device(Device::cpu);
        const double off = t == float16 ? 0x1p-9 : 0x1p-6;
        for (size_t i = 0; i < want.size(); ++i)
          for (const array& y : {got[i], open[i]})
            EXPECT_TRUE((exact ? array_equal(y, want[i]) : allclose(y, want[i], off, off)).item<bool>())
                << rows << " x " << columns << ", result " << i;
      }
    }
}

// Rows of an operand that no cache holds are read as a whole, in blocks of rows. The sums are whole numbers, and so
// exact.
TEST(Reduce, ColumnsOfLargeOperandsHaveTheirSums) {
  for (const auto& [rows, columns, t] : {std::tuple(4603, 2110, float32), {36111, 517, bfloat16}}) {
    const array i = reshape(arange(static_cast<double>(rows), t == float32 ? float32 : int32), {rows, 1}),
                j = reshape(arange(static_cast<double>(columns), i.dtype()), {1, columns});
    const array x = astype(remainder(i + j, array(4, i.dtype())), t);
    const auto f = [](const std::vector<array>& in) {
      return std::vector<array>{sum(in[0], 0), max(in[0] - 1, 0), sum(square(in[0]), 0, true)};
    };
    const std::vector<array> got = compile(std::function<std::vector<array>(const std::vector<array>&)>(f))({x});
    // Each four rows have 0 to 3 in every column; the rest begins with the column's own.
    const int whole = rows / 4, rest = rows % 4;
    for (const int c : {0, 1, 255, 500, columns - 17, columns - 1}) {
      int total = whole * 6, squares = whole * 14;
      for (int r = 0; r < rest; ++r) total += (c + r) % 4, squares += (c + r) % 4 * ((c + r) % 4);
      const auto at = [&](const array& y) {
        return astype(slice(reshape(y, {columns}), {c}, {c + 1}), float32).item<float>();
      };
      const auto rounded = [&](int n) {
        return astype(astype(array(static_cast<float>(n)), t), float32).item<float>();
      };
      EXPECT_EQ(at(got[0]), rounded(total)) << rows << " x " << columns << ", column " << c;
      EXPECT_EQ(at(got[1]), 2) << rows << " x " << columns << ", column " << c;
      EXPECT_EQ(at(got[2]), rounded(squares)) << rows << " x " << columns << ", column " << c;
    }
  }
}

// An element without a partner was multiplied by 1, which makes inf + 0i to inf + NaN i, and open sizes did so more
// often.
TEST(Reduce, ComplexProductsOfInfinitiesAreThoseOfEverySize) {
  const auto f = [](const std::vector<array>& in) { return std::vector<array>{prod(in[0], 0)}; };
  const auto shapeless = compile(std::function(f), true);
  const float inf = std::numeric_limits<float>::infinity();
  for (const int n : {0, 1, 2, 3, 5, 9, 31, 100}) {
    array x = astype(cos(arange(static_cast<double>(n)) * 0.7f), complex64) + array(complex64_t(0, 0.5f));
    if (n > 0) x = concatenate({array({complex64_t(inf, 0)}), slice(x, {1}, {n})}, 0);
    const array want = prod(x, 0);
    for (const array& got : {shapeless({x})[0], compile(std::function(f))({x})[0]}) {
      EXPECT_TRUE(array_equal(real(got), real(want), true).item<bool>()) << n;
      EXPECT_TRUE(array_equal(imag(got), imag(want), true).item<bool>()) << n;
    }
  }
}
