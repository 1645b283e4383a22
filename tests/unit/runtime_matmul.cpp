// The routine "matmul" against a plain double loop.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <mutex>
#include <numeric>
#include <random>

#include "frit/half.h"
#include "runtime/execute/library.h"
#include "runtime/execute/parallel.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/sizes.h"
#include "runtime/system/cpu.h"
#include "tests/unit/runtime_matmul_stacks.h"

namespace frit::runtime {
namespace {

template <class T>
class Matmul : public testing::Test {};
using Types = testing::Types<uint8_t, uint16_t, uint32_t, uint64_t, int8_t, int16_t, int32_t, int64_t, float16_t,
                             bfloat16_t, float, double, complex64_t>;
TYPED_TEST_SUITE(Matmul, Types);

TYPED_TEST(Matmul, agrees_with_a_plain_loop_in_every_layout) {
  const int64_t sizes[][3] = {{1, 1, 1},   {2, 3, 4},     {8, 8, 8},    {7, 1, 33},   {1, 9, 100},
                              {70, 1, 17}, {1, 70, 5},    {5, 5, 1},    {17, 31, 13}, {65, 33, 40},
                              {3, 300, 7}, {300, 19, 11}, {1, 45, 300}, {90, 1, 300}};
  for (const char* routine : {kBest, kPairs, kAvx2, kLibrary})
    for (const auto& [m, n, k] : sizes) expect_same_in_every_layout<TypeParam>(routine, m, n, k);
}

TYPED_TEST(Matmul, batches_and_broadcasts) {
  using T = TypeParam;
  for (int variant = 0; variant < 6; ++variant) {
    Stack<T> a({2, 3, 5, 7}, variant == 1   ? std::vector<size_t>{2, 0, 1, 3}
                             : variant == 5 ? std::vector<size_t>{3, 2, 1, 0}
                                            : std::vector<size_t>{});
    Stack<T> b({2, 3, 7, 4}, variant == 2 ? std::vector<size_t>{1, 0, 3, 2} : std::vector<size_t>{});
    Stack<T> c({2, 3, 5, 4}, variant == 4 ? std::vector<size_t>{2, 1, 0, 3} : std::vector<size_t>{});
    fill(a, 3);
    fill(b, 4);
    if (variant >= 3) b.strides[0] = b.strides[1] = 0;
    if (variant == 2) a.strides[1] = 0;
    for (const char* routine : {kBest, kPairs, kAvx2, kLibrary}) {
      std::atomic<int64_t> covered{0};
      run(a, b, c, [&](int64_t begin, int64_t end) { covered += end - begin; }, routine);
      expect_product(a, b, c, routine + (" variant " + std::to_string(variant)));
      EXPECT_EQ(covered, 2 * 3 * 5 * 4);
    }
  }
}

// An operand that is the same for the whole batch, or copies of it. The first may become one product of all rows of the
// batch.
TYPED_TEST(Matmul, a_broadcast_operand_gives_the_bits_of_its_copies) {
  using T = TypeParam;
  using Size = std::tuple<int64_t, int64_t, int64_t, int64_t>;
  for (const char* routine : {kBest, kPairs, kAvx2, kLibrary})
    for (auto [batch, m, n, k] : {Size{40, 1, 1, 20}, Size{3, 1, 40, 70}, Size{9, 3, 1, 40}, Size{70, 2, 2, 3},
                                  Size{5, 33, 35, 130}, Size{70, 1, 6, 5}, Size{2, 40, 70, 600}}) {
      Stack<T> a({batch, m, k}), b({batch, k, n}), one({1, k, n}), joined({batch, m, n}), apart({batch, m, n});
      fill(a, 9);
      fill(one, 10);
      for (int64_t i = 0; i < batch; ++i) std::copy_n(one.memory.begin(), k * n, b.memory.begin() + i * k * n);
      run(a, b, apart, {}, routine);
      std::copy_n(one.memory.begin(), k * n, b.memory.begin());
      b.strides[0] = 0;
      run(a, b, joined, {}, routine);
      ASSERT_TRUE(same_bits(joined.memory, apart.memory))
          << routine << " " << batch << "x" << m << "x" << k << "x" << n;
    }
}

TYPED_TEST(Matmul, empty_products) {
  using T = TypeParam;
  for (auto [m, n, k] : {std::tuple<int64_t, int64_t, int64_t>{3, 4, 0}, {0, 4, 2}, {3, 0, 2}, {0, 0, 0}, {1, 1, 0}}) {
    Stack<T> a({2, m, k}), b({2, k, n}), c({2, m, n});
    std::memset(static_cast<void*>(c.memory.data()), 0x55, c.memory.size() * sizeof(T));
    std::atomic<int64_t> covered{0};
    run(a, b, c, [&](int64_t begin, int64_t end) { covered += end - begin; });
    EXPECT_EQ(covered, 2 * m * n);
    c.each([&](const auto& index, int64_t) { EXPECT_EQ(c.at(index), T{}); });
  }
}

TYPED_TEST(Matmul, threads_do_not_change_bits) {
  using T = TypeParam;
  int before = num_threads();
  for (const char* routine : {kBest, kPairs, kAvx2, kLibrary})
    for (auto [m, n, k] : {std::tuple<int64_t, int64_t, int64_t>{600, 130, 70},
                           {40, 1100, 50},
                           {2500, 1, 90},
                           {1, 2500, 90},
                           {33, 35, 2100}}) {
      Stack<T> a({m, k}), b({k, n}), one({m, n}), many({m, n});
      fill(a, 5);
      fill(b, 6);
      set_num_threads(1);
      run(a, b, one, {}, routine);
      for (int threads : {2, 5}) {
        set_num_threads(threads);
        run(a, b, many, {}, routine);
        EXPECT_TRUE(same_bits(one.memory, many.memory)) << routine << " " << threads;
      }
    }
  set_num_threads(before);
}

// Shapes that reach every path of the kernels: unpacked, packed, few rows, several blocks of k, each in every layout.
template <class T>
class LargeMatmul : public testing::Test {};
using LargeTypes = testing::Types<float16_t, bfloat16_t, float, double, complex64_t>;
TYPED_TEST_SUITE(LargeMatmul, LargeTypes);

bool has_own_kernels() { return runtime::cpu_runs("x86-64-v3"); }

TYPED_TEST(LargeMatmul, has_the_same_bits_in_every_layout) {
  using Size = std::tuple<int64_t, int64_t, int64_t>;
  for (const char* routine : {kBest, kPairs, kAvx2})
    for (auto [m, n, k] : {Size{3, 70, 1201}, Size{12, 300, 601}, Size{30, 290, 1030}, Size{131, 150, 140},
                           Size{150, 40, 1201}, Size{40, 20, 1300}})
      expect_same_in_every_layout<TypeParam>(routine, m, n, k);
}

int64_t draw(std::mt19937& random, int64_t least, int64_t most) {
  return least + static_cast<int64_t>(random() % static_cast<uint64_t>(most - least + 1));
}

// Few rows: a matrix that lies along its columns is multiplied from the left.
TYPED_TEST(LargeMatmul, few_rows_have_the_same_bits_in_every_layout_at_random_sizes) {
  std::mt19937 random(11);
  for (int i = 0; i < 10; ++i) {
    const int64_t m = draw(random, 2, 50), n = draw(random, 90, 450), k = draw(random, 2, i % 2 ? 1300 : 60);
    for (const char* routine : {kBest, kPairs, kAvx2}) expect_same_in_every_layout<TypeParam>(routine, m, n, k);
  }
}

TYPED_TEST(LargeMatmul, few_or_many_rows_of_one_product_have_the_same_bits) {
  using T = TypeParam;
  if (!has_own_kernels()) GTEST_SKIP() << "a library serves these products here";
  for (const char* routine : {kBest, kPairs, kAvx2}) {
    const int64_t m = 40, n = 90, k = 1100;
    Stack<T> a({m, k}), b({k, n}), c({m, n});
    fill(a, 13);
    fill(b, 14);
    run(a, b, c, {}, routine);
    for (int64_t rows : {2, 5, 20}) {
      Stack<T> part({rows, k}), product({rows, n});
      std::copy_n(a.memory.begin(), rows * k, part.memory.begin());
      run(part, b, product, {}, routine);
      ASSERT_EQ(std::memcmp(product.memory.data(), c.memory.data(), static_cast<size_t>(rows * n) * sizeof(T)), 0)
          << rows;
    }
  }
}

// A batch of products of a row or more has the bits of one product of many rows, whose operands are packed.
TYPED_TEST(LargeMatmul, few_rows_of_a_batch_have_the_bits_of_many_at_random_sizes) {
  using T = TypeParam;
  if (!has_own_kernels()) GTEST_SKIP() << "a library serves these products here";
  std::mt19937 random(17);
  for (int i = 0; i < 40; ++i) {
    const int64_t rows = draw(random, 1, 8), n = draw(random, 2, i % 2 ? 150 : 20),
                  k = draw(random, 1, i % 4 ? 40 : 1300);
    for (const char* routine : {kBest, kPairs, kAvx2}) {
      Stack<T> a({40, k}), b({k, n}), c({40, n}), some({2, rows, k}), product({2, rows, n});
      Stack<T> both({2, k, n}, i % 3 ? std::vector<size_t>{0, 2, 1} : std::vector<size_t>{});
      fill(a, 18);
      fill(b, 19);
      run(a, b, c, {}, routine);
      some.each([&](const auto& at, int64_t) { some.at(at) = a.at({at[1], at[2]}); });
      both.each([&](const auto& at, int64_t) { both.at(at) = b.at({at[1], at[2]}); });
      run(some, both, product, {}, routine);
      for (int64_t batch : {0, 1})
        ASSERT_EQ(std::memcmp(&product.at({batch, 0, 0}), c.memory.data(), static_cast<size_t>(rows * n) * sizeof(T)),
                  0)
            << routine << " " << rows << "x" << k << "x" << n;
    }
  }
}

// Products of a long stack may share vectors. Each has the bits that it has in a stack of two.
TYPED_TEST(LargeMatmul, small_products_of_a_stack_have_the_bits_of_each_at_random_sizes) {
  using T = TypeParam;
  std::mt19937 random(23);
  for (int i = 0; i < 60; ++i) {
    const int64_t m = draw(random, 1, 10), n = i % 4 ? draw(random, 1, 10) : 1, k = draw(random, 1, i % 3 ? 10 : 18);
    const int64_t outer = draw(random, 1, 3), inner = draw(random, 6, 40);
    const std::vector<size_t> orders[] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {1, 0, 2, 3}, {2, 3, 0, 1}, {0, 2, 1, 3}};
    const auto order = [&](uint32_t from) { return orders[random() % from]; };
    Stack<T> a({outer, inner, m, k}, order(5), i % 5 ? 1 : 2), b({outer, inner, k, n}, order(5));
    Stack<T> c({outer, inner, m, n}, order(5));
    fill(a, 24);
    fill(b, 25);
    if (i % 7 == 0) b.strides[0] = 0;
    for (const char* routine : {kBest, kPairs, kAvx2}) {
      std::vector<int> seen(static_cast<size_t>(outer * inner * m * n));
      std::mutex lock;
      run(
          a, b, c,
          [&](int64_t begin, int64_t end) {
            const std::lock_guard hold(lock);
            for (; begin < end; ++begin) ++seen[static_cast<size_t>(begin)];
          },
          routine);
      const std::string what = std::string(routine) + " " + std::to_string(outer) + "x" + std::to_string(inner) + "x" +
                               std::to_string(m) + "x" + std::to_string(k) + "x" + std::to_string(n);
      expect_product(a, b, c, what);
      ASSERT_TRUE(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; })) << what;
      if (!has_own_kernels()) continue;
      for (int64_t at = 0; at < inner; ++at) {
        Stack<T> left({2, m, k}), right({2, k, n}), two({2, m, n});
        left.each([&](const auto& x, int64_t) { left.at(x) = a.at({outer - 1, at, x[1], x[2]}); });
        right.each([&](const auto& x, int64_t) { right.at(x) = b.at({outer - 1, at, x[1], x[2]}); });
        run(left, right, two, {}, routine);
        two.each([&](const auto& x, int64_t) {
          const T own = c.at({outer - 1, at, x[1], x[2]});
          ASSERT_EQ(std::memcmp(&two.at(x), &own, sizeof(T)), 0) << what;
        });
      }
    }
  }
}

TYPED_TEST(LargeMatmul, has_the_same_bits_whatever_the_width_of_vectors) {
  using T = TypeParam;
  using Size = std::tuple<int64_t, int64_t, int64_t>;
  if (std::is_same_v<T, bfloat16_t>)
    GTEST_SKIP() << "some processors have instructions for bf16 that sum in another way";
  for (auto [m, n, k] : {Size{2, 3, 4}, Size{9, 37, 65}, Size{3, 70, 1201}, Size{150, 140, 530}, Size{2100, 1, 500},
                         Size{1, 2100, 500}, Size{1, 1, 77}})
    for (bool turned : {false, true}) {
      Stack<T> a({m, k}, turned ? std::vector<size_t>{1, 0} : std::vector<size_t>{}), b({k, n}), wide({m, n}),
          narrow({m, n});
      fill(a, 15);
      fill(b, 16);
      run(a, b, wide);
      run(a, b, narrow, {}, kAvx2);
      ASSERT_TRUE(same_bits(wide.memory, narrow.memory)) << m << "x" << k << "x" << n;
    }
}

// One layout has the rows of the matrix side by side, another has them along memory.
TEST(MatmulVector, has_the_same_bits_in_every_layout_at_random_sizes) {
  std::mt19937 random(7);
  const auto draw = [&](int64_t most) { return 1 + static_cast<int64_t>(random() % static_cast<uint64_t>(most)); };
  for (int i = 0; i < 30; ++i) {
    const int64_t k = draw(i % 3 ? 300 : 20), n = draw(i % 2 ? 200 : 20);
    for (const char* routine : {kBest, kAvx2}) {
      expect_same_in_every_layout<float>(routine, 1, n, k);
      expect_same_in_every_layout<float>(routine, n, 1, k);
      expect_same_in_every_layout<double>(routine, 1, n, k);
      expect_same_in_every_layout<float16_t>(routine, 1, n, k);
    }
  }
}

TEST(MatmulEpilogue, sees_each_element_once_and_final) {
  int before = num_threads();
  set_num_threads(4);
  for (auto [batch, m, n, k] : {std::tuple<int64_t, int64_t, int64_t, int64_t>{1, 600, 50, 30},
                                {1, 20, 2500, 30},
                                {3, 300, 1100, 20},
                                {5, 1, 2000, 20},
                                {5, 2000, 1, 20},
                                {2, 2, 2, 2}}) {
    Stack<float> a({batch, m, k}), b({batch, k, n}), c({batch, m, n}), doubled({batch, m, n});
    fill(a, 7);
    fill(b, 8);
    std::vector<std::atomic<int>> seen(static_cast<size_t>(batch * m * n));
    run(a, b, c, [&](int64_t begin, int64_t end) {
      ASSERT_LE(0, begin);
      ASSERT_LT(begin, end);
      ASSERT_LE(end, batch * m * n);
      for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
        ++seen[i];
        doubled.memory[i] = 2 * c.memory[i];
      }
    });
    for (auto& s : seen) ASSERT_EQ(s, 1);
    for (size_t i = 0; i < seen.size(); ++i) ASSERT_EQ(doubled.memory[i], 2 * c.memory[i]);
  }
  set_num_threads(before);
}

TEST(MatmulSpecial, values_follow_ieee) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  for (int64_t size : {2, 40}) {
    Stack<float> a({size, size}), b({size, size}), c({size, size});
    for (auto& v : c.memory) v = nan;  // old contents must not matter
    a.at({0, 0}) = inf;
    a.at({1, 0}) = nan;
    for (int64_t i = 0; i < size; ++i) b.at({i, i}) = 1;
    run(a, b, c);
    EXPECT_EQ(c.at({0, 0}), inf);
    EXPECT_TRUE(std::isnan(c.at({0, 1})));
    EXPECT_TRUE(std::isnan(c.at({1, 0})));
  }
  Stack<float16_t> a({20, 20}), b({20, 20}), c({20, 20});
  a.at({0, 0}) = 60000.0f;
  a.at({1, 1}) = 6e-8f;
  a.at({2, 2}) = inf;
  b.at({0, 0}) = 2.0f;
  b.at({1, 1}) = 1.0f;
  b.at({2, 2}) = -1.0f;
  run(a, b, c);
  EXPECT_EQ(static_cast<float>(c.at({0, 0})), inf);
  EXPECT_EQ(c.at({1, 1}).bits, 1);
  EXPECT_EQ(static_cast<float>(c.at({2, 2})), -inf);
}

TEST(MatmulErrors, are_told) {
  auto error = [](auto& a, auto& b, auto& c) {
    LibraryTensor operands[] = {a.tensor(), b.tensor()}, results[] = {c.tensor()};
    Status s = matmul()({operands, results, "{}", {}});
    return s.ok() ? "" : s.error().message;
  };
  Stack<float> a({2, 3}), b({4, 5}), c({2, 5});
  Stack<double> d({3, 5});
  EXPECT_EQ(error(a, b, c), "matmul: f32[2, 3] times f32[4, 5] to f32[2, 5]: sizes do not fit");
  EXPECT_EQ(error(a, d, c), "matmul: f32[2, 3] times f64[3, 5] to f32[2, 5]: element types differ");
  std::string why;
  EXPECT_EQ(find_library("no such routine", why), nullptr);
  EXPECT_NE(why.find("has the routine 'no such routine'"), std::string::npos);
}

}  // namespace
}  // namespace frit::runtime
