// The layout of evaluated arrays: what `data`, `strides` and `flags` say fits together, whatever memory is shared.
#include <algorithm>
#include <numeric>

#include "helpers.h"

using namespace frit;

namespace {

// The pointer of `data` is that of a dense array with all elements.
template <class T>
std::vector<T> dense_data(array a) {
  a.eval();
  EXPECT_TRUE(a.flags().row_contiguous);
  const T* data = a.data<T>();
  return std::vector<T>(data, data + a.size());
}

TEST(Layout, CopyOfAViewIsItsElements) {
  const array x = reshape(arange(0, 6), {2, 3});
  EXPECT_EQ(dense_data<int>(copy(transpose(x))), (std::vector<int>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(dense_data<int>(copy(flip(x))), (std::vector<int>{5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(dense_data<int>(copy(slice(x, {0, 0}, {2, 3}, {1, 2}))), (std::vector<int>{0, 2, 3, 5}));
  EXPECT_EQ(dense_data<int>(copy(broadcast_to(array({7, 8}), {2, 2}))), (std::vector<int>{7, 8, 7, 8}));
  EXPECT_EQ(dense_data<int>(stop_gradient(transpose(x))), (std::vector<int>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(dense_data<int>(real(transpose(x))), (std::vector<int>{0, 3, 1, 4, 2, 5}));
  const array wide = copy(broadcast_to(array(1.0f), {50'000'000}));
  EXPECT_EQ(wide.data<float>()[40'000'000], 1.0f);
}

// Rows that are far apart are taken some at a time, of which the last ones are fewer.
TEST(Layout, LeadingAxesOfShortRowsChangePlaces) {
  const int far = 203, near = 60;
  for (const int row : {1, 9, 40}) {
    const array x = reshape(arange(0, 2 * far * near * row), {2, far, near, row});
    const std::vector<int> moved = dense_data<int>(copy(transpose(x, {0, 2, 1, 3})));
    size_t at = 0, wrong = 0;
    for (int b = 0; b < 2; ++b)
      for (int i = 0; i < near; ++i)
        for (int j = 0; j < far; ++j)
          for (int k = 0; k < row; ++k) wrong += moved[at++] != ((b * far + j) * near + i) * row + k;
    EXPECT_EQ(wrong, 0u) << row;
  }
}

TEST(Layout, FilledArraysAreDense) {
  const array scalar(2.5f);
  for (const array& a : {full({64, 3}, scalar), full_like(zeros({64, 3}), scalar), array(full({64, 3}, 2.5f))}) {
    EXPECT_EQ(a.strides(), (Strides{3, 1}));
    EXPECT_EQ(dense_data<float>(a), std::vector<float>(192, 2.5f));
    EXPECT_EQ(a.strides(), (Strides{3, 1}));
  }
  EXPECT_EQ(dense_data<float>(zeros({1000})), std::vector<float>(1000, 0.0f));
  EXPECT_EQ(dense_data<float>(ones({1000})), std::vector<float>(1000, 1.0f));
  EXPECT_EQ(dense_data<float>(zeros_like(ones({1000}))), std::vector<float>(1000, 0.0f));
  EXPECT_EQ(dense_data<float>(ones_like(zeros({1000}))), std::vector<float>(1000, 1.0f));
  EXPECT_EQ(dense_data<int>(full({2, 3}, array({1, 2, 3}))), (std::vector<int>{1, 2, 3, 1, 2, 3}));
  EXPECT_EQ(dense_data<int>(full({2, 2}, array({1, 2}, {2, 1}))), (std::vector<int>{1, 1, 2, 2}));
}

TEST(Layout, FilledArraysTakeMemoryWhenTheirDataAreAskedFor) {
  const size_t before = get_active_memory();
  const array big = full({1 << 24}, 3.0f);
  EXPECT_EQ(sum(slice(big, {0}, {4})).item<float>(), 12.0f);
  EXPECT_LT(get_active_memory() - before, size_t{1} << 20);
  const float* data = big.data<float>();
  EXPECT_EQ(data[(1 << 24) - 1], 3.0f);
  EXPECT_EQ(big.data<float>(), data);
}

// Writing through `data` is how programs fill arrays that they made.
TEST(Layout, OperationsSeeWhatIsWrittenToFilledArrays) {
  array a = zeros({4});
  const array sooner = a + 1.0f;
  sooner.eval();
  a.data<float>()[2] = 5.0f;
  EXPECT_EQ(values<float>(a), (std::vector<float>{0, 0, 5, 0}));
  EXPECT_EQ(values<float>(a * 2.0f), (std::vector<float>{0, 0, 10, 0}));
  EXPECT_EQ(values<float>(compile([](const std::vector<array>& x) { return std::vector{x[0] * 2.0f}; })({a})[0]),
            (std::vector<float>{0, 0, 10, 0}));
  EXPECT_EQ(printed(a), "array([0, 0, 5, 0], dtype=float32)");
}

// One element shown many times has memory for all once an address is asked for, however it came about.
TEST(Layout, UniformViewsHaveMemoryForTheirData) {
  const array one = array(3);
  for (array a :
       {broadcast_to(one, {100, 100}), transpose(full({100, 100}, 3)), slice(full({200, 100}, 3), {100, 0}, {200, 100}),
        compile([](const std::vector<array>&) { return std::vector{full({100, 100}, 3)}; })({one})[0]}) {
    a.eval();
    const int* data = a.data<int>();
    EXPECT_EQ(std::accumulate(data, data + 10'000, 0), 30'000);
    EXPECT_TRUE(a.flags().row_contiguous);
    EXPECT_EQ(a.strides(), (Strides{100, 1}));
  }
}

TEST(Layout, RowsAreIteratedOverFilledArrays) {
  for (const array& row : zeros({3, 1000})) EXPECT_EQ(row.data<float>()[999], 0.0f);
  EXPECT_EQ(full({1, 1}, 4).item<int>(), 4);
}

// Code is kept by structure; two structures must never be taken for one.
TEST(Layout, ManyDistinctSizesAreNotConfused) {
  const auto total = [](const std::vector<int>& lengths) {
    std::vector<array> parts;
    for (int n : lengths) parts.push_back(full({n}, 1));
    return sum(concatenate(parts, 0)).item<int>();
  };
  std::vector<int> repeated(257), distinct(257);
  std::iota(repeated.begin(), repeated.end(), 2);
  distinct = repeated;
  repeated[256] = 2;
  const int sum_of_all = std::accumulate(distinct.begin(), distinct.end(), 0);
  EXPECT_EQ(total(repeated), sum_of_all - 258 + 2);
  EXPECT_EQ(total(distinct), sum_of_all);
}

}  // namespace
