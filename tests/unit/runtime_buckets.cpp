// The routine `buckets` on the CPU against its definition: equal numbers lie behind one another, in ascending
// positions.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "runtime/execute/library.h"

namespace frit::runtime {
namespace {

template <class T>
Status group(Dtype type, std::vector<T> numbers, int64_t below, std::vector<uint32_t>& order,
             std::vector<uint32_t>& starts, std::vector<uint32_t>& counts) {
  std::string why;
  const LibraryFn fn = find_library("buckets", why);
  EXPECT_NE(fn, nullptr) << why;
  order.assign(numbers.size(), 0), starts.assign(static_cast<size_t>(below), 0);
  counts.assign(static_cast<size_t>(below) + 2, 0);
  const std::vector<int64_t> n{static_cast<int64_t>(numbers.size())}, d{below}, all{below + 2}, step{1};
  const LibraryTensor operands[] = {{numbers.data(), type, n, step}, {counts.data(), uint32, all, step}};
  const LibraryTensor results[] = {
      {order.data(), uint32, n, step}, {starts.data(), uint32, d, step}, {counts.data(), uint32, all, step}};
  return fn({operands, results, {}, {}});
}

template <class T>
void check(Dtype type) {
  const int64_t below = 7;
  std::vector<T> numbers;
  for (uint32_t i = 0; i < 500; ++i) numbers.push_back(static_cast<T>(i * i % 11 % 5));
  std::vector<uint32_t> order, starts, counts;
  ASSERT_TRUE(group(type, numbers, below, order, starts, counts).ok());
  for (int64_t d = 0; d < below; ++d) {
    std::vector<uint32_t> expected;
    for (uint32_t i = 0; i < numbers.size(); ++i)
      if (numbers[i] == static_cast<T>(d)) expected.push_back(i);
    const auto at = static_cast<size_t>(d);
    ASSERT_EQ(counts[at], expected.size());
    if (expected.empty()) continue;
    EXPECT_EQ(std::vector(order.begin() + starts[at], order.begin() + starts[at] + counts[at]), expected);
  }
}

TEST(RuntimeBuckets, PositionsOfEqualNumbersAscend) {
  check<int32_t>(int32);
  check<int64_t>(int64);
}

TEST(RuntimeBuckets, RefusesNumbersPastTheLast) {
  std::vector<uint32_t> order, starts, counts;
  EXPECT_FALSE(group<int32_t>(int32, {0, 3}, 3, order, starts, counts).ok());
  EXPECT_FALSE(group<int64_t>(int64, {0, -1}, 3, order, starts, counts).ok());
}

}  // namespace
}  // namespace frit::runtime
