// The routine "matmul" on windows of larger arrays: the elements around an operand have no part in the product, and
// those around the result stay.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "frit/half.h"
#include "runtime/execute/library.h"

namespace frit::runtime {
namespace {

using Extents = std::vector<int64_t>;

// A matrix of rows by columns, either of which lies dense, in an array that is NaN around it.
template <class T>
struct Window {
  std::vector<T> memory;
  Extents shape, strides;
  int64_t start;

  Window(int64_t rows, int64_t columns, bool turned, int64_t around)
      : memory(static_cast<size_t>((rows + 2 * around) * (columns + 2 * around)),
               T(std::numeric_limits<float>::quiet_NaN())),
        shape{rows, columns},
        strides{turned ? 1 : columns + 2 * around, turned ? rows + 2 * around : 1},
        start(around * (strides[0] + strides[1])) {}

  LibraryTensor tensor(Dtype t) { return {memory.data() + start, t, shape, strides}; }
  T& at(int64_t i, int64_t j) { return memory[static_cast<size_t>(start + i * strides[0] + j * strides[1])]; }
  void fill(uint32_t seed) {
    std::minstd_rand r(seed);
    for (int64_t i = 0; i < shape[0]; ++i)
      for (int64_t j = 0; j < shape[1]; ++j) at(i, j) = T(static_cast<float>(r() % 2001) / 1000 - 1);
  }
};

template <class T>
Window<T> product(Dtype t, int64_t m, int64_t n, int64_t k, int layout, int64_t around) {
  Window<T> a(m, k, layout & 1, around), b(k, n, layout & 2, around), c(m, n, layout & 4, around);
  a.fill(1);
  b.fill(2);
  const LibraryTensor operands[] = {a.tensor(t), b.tensor(t)}, results[] = {c.tensor(t)};
  std::string why;
  const LibraryFn matmul = find_library("matmul", why);
  if (!matmul) {
    ADD_FAILURE() << why;
    return c;
  }
  const Status s = matmul({operands, results, "{}", {}});
  EXPECT_TRUE(s.ok()) << s.error().str();
  return c;
}

template <class T>
void compare(Dtype t) {
  std::mt19937 random(5);
  const auto draw = [&](int64_t least, int64_t most) {
    return least + static_cast<int64_t>(random() % static_cast<uint64_t>(most - least + 1));
  };
  for (int i = 0; i < 60; ++i) {
    const int64_t m = draw(1, i % 3 ? 70 : 12), n = draw(1, i % 2 ? 300 : 40), k = draw(1, i % 4 ? 130 : 1500);
    Window<T> dense = product<T>(t, m, n, k, 0, 0);
    const int layout = static_cast<int>(draw(0, 7));
    const int64_t around = draw(1, 5);
    Window<T> window = product<T>(t, m, n, k, layout, around);
    const auto what = std::tuple(m, n, k, layout, around);
    int64_t numbers = 0;
    for (const T& v : window.memory) numbers += static_cast<float>(v) == static_cast<float>(v);
    ASSERT_EQ(numbers, m * n) << testing::PrintToString(what);
    for (int64_t r = 0; r < m; ++r)
      for (int64_t j = 0; j < n; ++j)
        ASSERT_EQ(std::memcmp(&window.at(r, j), &dense.at(r, j), sizeof(T)), 0) << testing::PrintToString(what);
  }
}

TEST(MatmulWindow, of_float16) { compare<float16_t>(float16); }
TEST(MatmulWindow, of_bfloat16) { compare<bfloat16_t>(bfloat16); }
TEST(MatmulWindow, of_float32) { compare<float>(float32); }

}  // namespace
}  // namespace frit::runtime
