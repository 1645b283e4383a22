// Sorting and selection: order of equal elements, zeros and NaN, axes, types, lengths, errors, open sizes.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "helpers.h"

using namespace frit;

namespace {

using Floats = std::vector<float>;
using Positions = std::vector<uint32_t>;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();

// Whole numbers from -r to r, so that many are equal.
Floats drawn(size_t n, int r, unsigned seed = 1) {
  std::mt19937 g(seed);
  std::uniform_int_distribution<int> d(-r, r);
  Floats out(n);
  for (float& v : out) v = static_cast<float>(d(g));
  return out;
}

Positions stable_order(const Floats& v) {
  Positions order(v.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return v[a] < v[b]; });
  return order;
}

array vector_of(const Floats& v) { return array(v.begin(), Shape{static_cast<int>(v.size())}); }

}  // namespace

TEST(Sort, ValuesAndPositions) {
  const array x({3.0f, 1.0f, 2.0f, 1.0f, -5.0f, 0.5f}, {2, 3});
  EXPECT_EQ(values<float>(sort(x)), (Floats{-5, 0.5, 1, 1, 2, 3}));
  EXPECT_EQ(values<float>(sort(x, 1)), (Floats{1, 2, 3, -5, 0.5, 1}));
  EXPECT_EQ(values<float>(sort(x, 0)), (Floats{1, -5, 0.5, 3, 1, 2}));
  EXPECT_EQ(values<uint32_t>(argsort(x)), (Positions{4, 5, 1, 3, 2, 0}));
  EXPECT_EQ(values<uint32_t>(argsort(x, -1)), (Positions{1, 2, 0, 1, 2, 0}));
  EXPECT_EQ(values<uint32_t>(argsort(x, 0)), (Positions{1, 1, 1, 0, 0, 0}));
  EXPECT_EQ(argsort(x).dtype(), uint32);
}

TEST(Sort, NanLastAndZerosEqual) {
  const array x({kNan, 2.0f, -0.0f, kInf, 0.0f, -kInf, -0.0f}, {7});
  const Floats got = values<float>(sort(x));
  EXPECT_EQ(Floats(got.begin(), got.end() - 1), (Floats{-kInf, -0.0f, 0.0f, -0.0f, 2, kInf}));
  EXPECT_TRUE(std::isnan(got[6]));
  // Zeros keep their order, with their signs.
  EXPECT_TRUE(std::signbit(got[1]));
  EXPECT_FALSE(std::signbit(got[2]));
  EXPECT_TRUE(std::signbit(got[3]));
  EXPECT_EQ(values<uint32_t>(argsort(x)), (Positions{5, 2, 4, 6, 1, 3, 0}));
}

// Zeros of both signs compare equal, and so do NaNs of any bits: they keep the order of the operand and their bits.
TEST(Sort, ZerosAndNansAreStable) {
  std::mt19937 random(5);
  for (const size_t n : {5u, 100u, 3000u, 70000u, 300001u}) {
    std::vector<uint32_t> bits;
    for (size_t i = 0; i < n; ++i) {
      const uint32_t drawn = static_cast<uint32_t>(random());
      const uint32_t zero = drawn & 0x80000000u, nan = 0x7fc00000u | (drawn & 0x803f0000u);
      const auto number = std::bit_cast<uint32_t>(static_cast<float>(static_cast<int>(drawn % 64) - 32));
      bits.push_back(drawn % 5 == 0 ? zero : drawn % 7 == 0 ? nan : number);
    }
    std::vector<uint32_t> want = bits;
    std::stable_sort(want.begin(), want.end(), [](uint32_t a, uint32_t b) {
      const auto x = std::bit_cast<float>(a), y = std::bit_cast<float>(b);
      return std::isnan(x) ? false : std::isnan(y) || x < y;
    });
    const array x = view(array(bits.data(), {static_cast<int>(n)}), float32);
    EXPECT_EQ(values<uint32_t>(view(sort(x), uint32)), want) << n;
    const array columns = transpose(stack({x, negative(x), x}, 0));
    EXPECT_EQ(values<uint32_t>(view(take(sort(columns, 0), 2, 1), uint32)), want) << n;
    const array half = view(astype(right_shift(view(x, uint32), array(16u)), uint16), bfloat16);
    std::vector<uint16_t> high;
    for (const uint32_t b : want) high.push_back(static_cast<uint16_t>(b >> 16));
    EXPECT_EQ(values<uint16_t>(view(sort(half), uint16)), high) << n;
  }
}

TEST(Sort, EveryType) {
  const array x({3, -1, 2, -7, 0}, {5});
  for (Dtype t : {int8, int16, int32, int64, float16, bfloat16, float32, float64}) {
    EXPECT_EQ(values<int>(astype(sort(astype(x, t)), int32)), (std::vector<int>{-7, -1, 0, 2, 3})) << t;
    EXPECT_EQ(values<uint32_t>(argsort(astype(x, t))), (Positions{3, 1, 4, 2, 0})) << t;
    EXPECT_EQ(sort(astype(x, t)).dtype(), t);
  }
  for (Dtype t : {uint8, uint16, uint32, uint64})
    EXPECT_EQ(values<uint32_t>(argsort(astype(array({3, 1, 200, 7, 0}, {5}), t))), (Positions{4, 1, 0, 3, 2})) << t;
  EXPECT_EQ(values<uint32_t>(argsort(array({true, false, true, false}, {4}))), (Positions{1, 3, 0, 2}));
  const array z({complex64_t{1, 2}, complex64_t{1, -1}, complex64_t{0, 5}, complex64_t{kNan, 0}}, {4});
  EXPECT_EQ(values<uint32_t>(argsort(z)), (Positions{2, 1, 0, 3}));
  EXPECT_EQ(values<complex64_t>(sort(z))[1].imag(), -1);
}

// Lengths on either side of each bound between ways of sorting.
TEST(Sort, EveryLength) {
  for (size_t n : {0,   1,   2,   3,   15,  16,  17,   23,   24,   25,   63,    64,     65,    127,
                   129, 255, 256, 257, 511, 513, 1000, 2047, 2049, 5000, 70000, 131072, 300001}) {
    for (int r : {3, 1 << 20}) {
      const Floats v = drawn(n, r, static_cast<unsigned>(n));
      const Positions order = stable_order(v);
      Floats want;
      for (uint32_t i : order) want.push_back(v[i]);
      EXPECT_EQ(values<float>(sort(vector_of(v), 0)), want) << n << " of " << r;
      EXPECT_EQ(values<uint32_t>(argsort(vector_of(v), 0)), order) << n << " of " << r;
      const array wide = astype(vector_of(v), float64);
      EXPECT_EQ(values<uint32_t>(argsort(wide, 0)), order) << n << " of " << r;
      EXPECT_EQ(values<float>(astype(sort(wide, 0), float32)), want) << n << " of " << r;
      EXPECT_EQ(values<float>(astype(sort(astype(vector_of(v), int32), 0), float32)), want) << n << " of " << r;
    }
  }
}

// Rows of random lengths, along both axes, with NaN and zeros of both signs in some.
TEST(Sort, RandomRowsOfEveryType) {
  std::mt19937 g(5);
  for (int round = 0; round < 60; ++round) {
    const int n = static_cast<int>(std::exp2(std::uniform_real_distribution<double>(0, round % 6 ? 9 : 17)(g)));
    const int rows = n > 5000 ? 2 : 1 + static_cast<int>(g() % 40);
    Floats v = drawn(static_cast<size_t>(rows * n), g() % 2 ? 3 : 100, static_cast<unsigned>(round));
    const bool odd = round % 3 == 0;
    for (size_t i = 0; odd && i < v.size(); i += 7) v[i] = g() % 2 ? kNan : -0.0f;
    Floats want;
    Positions order;
    for (int r = 0; r < rows; ++r) {
      Positions own(static_cast<size_t>(n));
      std::iota(own.begin(), own.end(), 0u);
      const float* row = &v[static_cast<size_t>(r * n)];
      std::stable_sort(own.begin(), own.end(), [&](uint32_t a, uint32_t b) {
        return std::isnan(row[b]) ? !std::isnan(row[a]) : row[a] < row[b];
      });
      for (uint32_t i : own) want.push_back(row[i]);
      order.insert(order.end(), own.begin(), own.end());
    }
    const array x = reshape(vector_of(v), {rows, n});
    for (Dtype t : {float16, bfloat16, float32, float64, int8, int16, int32, int64}) {
      if (odd && !issubdtype(t, floating)) continue;
      const array y = astype(x, t), turned = contiguous(transpose(y));
      EXPECT_EQ(values<uint32_t>(argsort(y, 1)), order) << t << " " << rows << "x" << n;
      EXPECT_EQ(values<uint32_t>(contiguous(transpose(argsort(turned, 0)))), order) << t << " " << rows << "x" << n;
      for (const array& sorted : {sort(y, 1), contiguous(transpose(sort(turned, 0)))}) {
        const Floats got = values<float>(astype(sorted, float32));
        for (size_t i = 0; i < want.size(); ++i)
          ASSERT_TRUE(std::isnan(want[i])
                          ? std::isnan(got[i])
                          : got[i] == want[i] && (!odd || std::signbit(got[i]) == std::signbit(want[i])))
              << t << " " << rows << "x" << n << " at " << i;
      }
    }
  }
}

// Keys of 64 bits that agree in their first 32 and more, in runs of every length.
TEST(Sort, WideKeysThatNearlyAgree) {
  std::mt19937 g(6);
  for (const size_t n : {2, 3, 9, 40, 700, 5000, 200000})
    for (const unsigned values_in_a_run : {2u, 20u, 3000u, 1u << 20}) {
      std::vector<int64_t> v(n);
      for (int64_t& x : v) x = (int64_t{1} << 62) * (g() % 2) + (int64_t{1} << 40) * (g() % 9) + g() % values_in_a_run;
      Positions order(n);
      std::iota(order.begin(), order.end(), 0u);
      std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return v[a] < v[b]; });
      const array x(v.begin(), Shape{static_cast<int>(n)}, int64);
      EXPECT_EQ(values<uint32_t>(argsort(x, 0)), order) << n << " of " << values_in_a_run;
      const array pair = stack(std::vector<array>{x, x});
      EXPECT_EQ(values<uint32_t>(slice(argsort(pair, 1), {1, 0}, {2, static_cast<int>(n)})), order) << n;
    }
}

TEST(Sort, AxesOfEveryLayout) {
  const Floats v = drawn(6 * 35 * 4, 50);
  const array x = reshape(vector_of(v), {6, 35, 4});
  for (int axis : {0, 1, 2, -2}) {
    const array sorted = sort(x, axis), again = swapaxes(sort(swapaxes(x, axis, -1), -1), axis, -1);
    EXPECT_EQ(values<float>(sorted), values<float>(again)) << axis;
    const Floats all = values<float>(contiguous(swapaxes(sorted, axis, -1)));
    const size_t n = static_cast<size_t>(x.shape(axis));
    for (size_t i = 0; i < all.size(); i += n) EXPECT_TRUE(std::is_sorted(all.begin() + i, all.begin() + i + n));
  }
  // Every second element of each row, backwards.
  EXPECT_EQ(values<float>(sort(slice(array({5.0f, 1.0f, 4.0f, 2.0f, 3.0f, 0.0f}, {6}), {5}, {-7}, {-2}), 0)),
            (Floats{0, 1, 2}));
}

// Keys of short ranges are counted, and words are as narrow as the range of the keys allows: integers with few values,
// a few values far from the others, and long runs that agree in their upper halves.
TEST(Sort, RangesOfKeys) {
  std::mt19937_64 g(7);
  for (const int n : {40, 300, 5000, 70000, 150001})
    for (const int kind : {0, 1, 2, 3, 4}) {
      std::vector<int64_t> v;
      for (int i = 0; i < n; ++i) {
        const auto drawn = static_cast<int64_t>(g());
        const int64_t few = drawn & 63, many = drawn & 0xffff;
        v.push_back(kind == 0   ? few
                    : kind == 1 ? drawn
                    : kind == 2 ? (i % 1000 == 7 ? (drawn < 0 ? std::numeric_limits<int64_t>::min()
                                                              : std::numeric_limits<int64_t>::max())
                                                 : many)
                    : kind == 3 ? (few % 3 << 60) + many
                                : many - 30000);
      }
      Positions order(v.size());
      std::iota(order.begin(), order.end(), 0u);
      std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return v[a] < v[b]; });
      std::vector<int64_t> want;
      for (const uint32_t i : order) want.push_back(v[i]);
      const array x(v.begin(), {n}, int64);
      const std::string text = std::to_string(n) + " of kind " + std::to_string(kind);
      EXPECT_EQ(values<uint32_t>(argsort(x, 0)), order) << text;
      EXPECT_EQ(values<int64_t>(sort(x, 0)), want) << text;
      const std::vector<int64_t> end(want.end() - n / 3, want.end());
      EXPECT_EQ(values<int64_t>(topk(x, n / 3, 0)), end) << text;
      EXPECT_EQ(values<int64_t>(partition(x, n / 2, 0))[static_cast<size_t>(n / 2)], want[static_cast<size_t>(n / 2)])
          << text;
      // The same numbers in narrow types, where they fit.
      for (const Dtype t : {uint8, uint16, int32})
        if (kind == 0 || (kind == 4 && t == int32)) {
          EXPECT_EQ(values<uint32_t>(argsort(astype(x, t), 0)), order) << text << " " << t;
          EXPECT_EQ(values<int64_t>(astype(sort(astype(x, t), 0), int64)), want) << text << " " << t;
        }
    }
}

TEST(Sort, Partition) {
  for (size_t n : {1, 2, 9, 100, 5000}) {
    const Floats v = drawn(n, 20, static_cast<unsigned>(n));
    for (size_t kth : {size_t{0}, n / 3, n - 1}) {
      Positions order = stable_order(v);
      std::sort(order.begin(), order.begin() + static_cast<long>(kth));
      std::sort(order.begin() + static_cast<long>(kth) + 1, order.end());
      Floats want;
      for (uint32_t i : order) want.push_back(v[i]);
      const array x = vector_of(v);
      EXPECT_EQ(values<uint32_t>(argpartition(x, static_cast<int>(kth))), order);
      EXPECT_EQ(values<float>(partition(x, static_cast<int>(kth), 0)), want);
      EXPECT_EQ(values<float>(partition(x, static_cast<int>(kth) - static_cast<int>(n), -1)), want);
    }
  }
  const array x({3, 1, 2, 9, 8, 7}, {2, 3});
  EXPECT_EQ(values<int>(partition(x, 0, 0)), (std::vector<int>{3, 1, 2, 9, 8, 7}));
  EXPECT_EQ(values<int>(partition(x, 1, 1)), (std::vector<int>{1, 2, 3, 7, 8, 9}));
}

// Rows of lengths around those at which the way changes, with few and many equal elements, in every type and along both
// axes: partitions are the stable order dealt around an element, and the largest are the end of the sorted row.
TEST(Sort, SelectionsOfEveryType) {
  std::mt19937 g(11);
  for (const int n : {3, 17, 130, 255, 256, 257, 300, 700, 2100})
    for (const int range : {0, 2, 100}) {
      Floats v = drawn(static_cast<size_t>(3 * n), range, static_cast<unsigned>(n + range));
      for (size_t i = 0; range == 2 && i < v.size(); i += 5) v[i] = g() % 2 ? kNan : -0.0f;
      const array x = reshape(vector_of(v), {3, n});
      for (Dtype t : {float16, bfloat16, float32, float64, int8, uint8, int16, int32, int64, complex64}) {
        if (range == 2 && !issubdtype(t, floating)) continue;
        const array y = astype(x, t), turned = contiguous(transpose(y));
        const Positions stable = values<uint32_t>(argsort(y, 1));
        const Dtype bits = size_of(t) == 8 ? uint64 : size_of(t) == 4 ? uint32 : size_of(t) == 2 ? uint16 : uint8;
        for (const int kth : {0, n / 3, n - 2, n - 1}) {
          Positions order = stable;
          for (int r = 0; r < 3; ++r) {
            const auto row = order.begin() + r * n;
            std::sort(row, row + kth);
            std::sort(row + kth + 1, row + n);
          }
          const std::string text = std::string(long_name(t)) + " " + std::to_string(n) + " " + std::to_string(kth);
          EXPECT_EQ(values<uint32_t>(argpartition(y, kth, 1)), order) << text;
          const array want = take_along_axis(y, array(order.begin(), Shape{3, n}), 1);
          const auto same = [&](const array& a, const array& b) {
            return all(equal(view(contiguous(a), bits), view(contiguous(b), bits))).item<bool>();
          };
          EXPECT_TRUE(same(partition(y, kth, 1), want)) << text;
          EXPECT_TRUE(same(transpose(partition(turned, kth, 0)), want)) << text;
          const array end = slice(sort(y, 1), {0, n - kth - 1}, {3, n});
          EXPECT_TRUE(same(topk(y, kth + 1, 1), end)) << text;
          EXPECT_TRUE(same(transpose(topk(turned, kth + 1, 0)), end)) << text;
        }
      }
    }
}

TEST(Sort, Topk) {
  const array x({3, 1, 2, 9, 8, 7}, {2, 3});
  EXPECT_EQ(values<int>(topk(x, 2)), (std::vector<int>{8, 9}));
  EXPECT_EQ(values<int>(topk(x, 2, 1)), (std::vector<int>{2, 3, 8, 9}));
  EXPECT_EQ(values<int>(topk(x, 1, 0)), (std::vector<int>{9, 8, 7}));
  EXPECT_EQ(topk(x, 0, 1).shape(), (Shape{2, 0}));
  EXPECT_TRUE(std::isnan(values<float>(topk(array({1.0f, kNan, 5.0f}, {3}), 1))[0]));
  for (size_t n : {70, 4000, 60001})
    for (size_t k : {size_t{1}, size_t{50}, n}) {
      Floats v = drawn(n, 1000000, static_cast<unsigned>(n + k));
      const Floats got = values<float>(topk(vector_of(v), static_cast<int>(k)));
      std::sort(v.begin(), v.end());
      EXPECT_EQ(got, Floats(v.end() - static_cast<long>(k), v.end()));
    }
  // Ascending and descending operands, where every block has candidates or none has.
  EXPECT_EQ(values<int>(topk(arange(10000), 3)), (std::vector<int>{9997, 9998, 9999}));
  EXPECT_EQ(values<int>(topk(negative(arange(10000)), 3)), (std::vector<int>{-2, -1, 0}));
}

// Zeros of both signs, infinities and NaNs with and without a sign, far apart behind many numbers, in every float type:
// the largest ones are those at the end of the sorted row, bit for bit.
TEST(Sort, TopkOfUnusualFloats) {
  constexpr int kLength = 3000;
  for (const float usual : {-1.0f, 0.0f, 1.0f})
    for (const float largest : {-kInf, -0.0f, 0.0f, kInf, kNan, -kNan}) {
      Floats v = drawn(kLength, 20, 7);
      for (float& x : v) x = usual * std::abs(x);
      for (int i = 1000; i < kLength; i += 211) v[static_cast<size_t>(i)] = i % 2 ? largest : -largest;
      for (const Dtype t : {float16, bfloat16, float32, float64}) {
        const Dtype bits = t == float64 ? uint64 : t == float32 ? uint32 : uint16;
        const array x = astype(vector_of(v), t), sorted = sort(x);
        for (int k : {1, 5, 12, 300}) {
          const array got = view(topk(x, k), bits), want = view(slice(sorted, {kLength - k}, {kLength}), bits);
          EXPECT_TRUE(all(equal(got, want)).item<bool>()) << usual << ' ' << largest << ' ' << long_name(t) << ' ' << k;
        }
      }
    }
}

TEST(Sort, Median) {
  EXPECT_EQ(median(array({3, 1, 2}, {3})).item<float>(), 2.0f);
  EXPECT_EQ(median(array({3, 1, 2, 9}, {4})).item<float>(), 2.5f);
  EXPECT_EQ(median(array({true, false, true}, {3})).item<float>(), 1.0f);
  EXPECT_EQ(median(array({3.0f, 1.0f, 2.0f, 7.0f}, float16)).dtype(), float16);
  EXPECT_TRUE(std::isnan(median(array({3.0f, kNan, 2.0f, 0.0f, 1.0f}, {5})).item<float>()));
  EXPECT_EQ(median(array({kInf, kInf, 0.0f}, {3})).item<float>(), kInf);
  const array x = reshape(arange(24.0), {2, 3, 4});
  EXPECT_EQ(values<float>(median(x, 1)), (Floats{4, 5, 6, 7, 16, 17, 18, 19}));
  EXPECT_EQ(values<float>(median(x, std::vector<int>{0, 2})), (Floats{7.5, 11.5, 15.5}));
  EXPECT_EQ(median(x, std::vector<int>{-1, 0}, true).shape(), (Shape{1, 3, 1}));
  EXPECT_EQ(median(x, true).shape(), (Shape{1, 1, 1}));
  EXPECT_EQ(median(array(3.0f)).item<float>(), 3.0f);
}

TEST(Sort, Searchsorted) {
  const array row({1.0f, 2.0f, 2.0f, 4.0f}, {4}), wanted({0.0f, 2.0f, 3.0f, 5.0f}, {2, 2});
  EXPECT_EQ(values<uint32_t>(searchsorted(row, wanted)), (Positions{0, 1, 3, 4}));
  EXPECT_EQ(values<uint32_t>(searchsorted(row, wanted, "right")), (Positions{0, 3, 3, 4}));
  EXPECT_EQ(searchsorted(row, wanted).shape(), (Shape{2, 2}));
  EXPECT_EQ(searchsorted(row, array(2)).item<uint32_t>(), 1u);
  EXPECT_EQ(values<uint32_t>(searchsorted(array({1.0f, 2.0f, kNan}, {3}), array({kNan, 9.0f}, {2}))),
            (Positions{2, 2}));
  EXPECT_EQ(searchsorted(zeros({0}), array(1.0f)).item<uint32_t>(), 0u);
  EXPECT_EQ(values<uint32_t>(searchsorted(array({1, 2, 3}, {3}), array({2.5f}, {1}))), (Positions{2}));
}

TEST(Sort, Errors) {
  const array x = zeros({2, 3});
  EXPECT_THROW(sort(array(1.0f), -1), std::out_of_range);
  EXPECT_THROW(argsort(x, 2), std::out_of_range);
  EXPECT_THROW(partition(x, 3, 1), std::invalid_argument);
  EXPECT_THROW(argpartition(x, -4, 1), std::invalid_argument);
  EXPECT_THROW(topk(x, 4, 1), std::invalid_argument);
  EXPECT_THROW(topk(x, -1, 1), std::invalid_argument);
  EXPECT_THROW(topk(array(1.0f), 1, 0), std::out_of_range);
  EXPECT_THROW(median(zeros({0})), std::invalid_argument);
  EXPECT_THROW(searchsorted(x, x), std::invalid_argument);
  EXPECT_THROW(searchsorted(zeros({3}), x, "middle"), std::invalid_argument);
  const std::string message = thrown<std::exception>([&] { partition(x, 3, 1); });
  EXPECT_TRUE(contains(message, "partition: kth=3 lies outside of axis 1 of float32 (2,3)")) << message;
}

TEST(Sort, CompiledForAnyShape) {
  auto f = compile(
      [](const std::vector<array>& in) {
        return std::vector<array>{sort(in[0], 0), topk(exp(in[0]), 2, 1), median(in[0], 1), argsort(in[0], 1)};
      },
      true);
  for (int n : {2, 5, 8}) {
    const array x = reshape(vector_of(drawn(static_cast<size_t>(3 * n), 30, 7)), {3, n});
    const auto got = f({x});
    EXPECT_EQ(values<float>(got[0]), values<float>(sort(x, 0)));
    EXPECT_EQ(values<float>(got[1]), values<float>(topk(exp(x), 2, 1)));
    EXPECT_EQ(values<float>(got[2]), values<float>(median(x, 1)));
    EXPECT_EQ(values<uint32_t>(got[3]), values<uint32_t>(argsort(x, 1)));
  }
}

// The gradient of rows of open length, which may have no elements.
TEST(Sort, GradientForAnyShape) {
  const std::function<array(const array&)> f = [](const array& x) {
    return sum(sort(x, 1) * arange(0, x.dim(1), float32)) + sum(sort(x, 0));
  };
  const auto slope = compile([=](array x) { return grad(f)(x); }, true);
  for (const int n : {4, 0, 1, 7}) {
    const array x = reshape(vector_of(drawn(static_cast<size_t>(3 * n), 30, 7)), {3, n});
    EXPECT_EQ(values<float>(slope(x)), values<float>(grad(f)(x))) << n;
  }
  EXPECT_EQ(values<float>(slope(array({2.0f, -1.0f, 3.0f}, {1, 3}))), (Floats{2, 1, 3}));
}

// Both threads work on one long row.
TEST(Sort, ALongRowOnManyThreads) {
  Floats v = drawn(1 << 19, 1 << 23, 11);
  const array x = vector_of(v);
  const Positions order = stable_order(v);
  EXPECT_EQ(values<uint32_t>(argsort(x, 0)), order);
  std::sort(v.begin(), v.end());
  EXPECT_EQ(values<float>(sort(x, 0)), v);
  const array equal = full({1 << 18}, 2.0f);
  EXPECT_EQ(values<float>(sort(equal, 0)), values<float>(equal));
}
