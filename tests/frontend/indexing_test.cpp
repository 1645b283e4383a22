// Elements read at positions from data: gather, take, take_along_axis, slices whose start is an array.
#include "helpers.h"

using namespace frit;

namespace {
array matrix() { return reshape(arange(12), {3, 4}); }
std::vector<int> ints(const array& a) { return values<int>(a); }
}  // namespace

TEST(Indexing, TakesAlongAnAxis) {
  EXPECT_EQ(ints(take(matrix(), array({0, -1}), 0)), (std::vector<int>{0, 1, 2, 3, 8, 9, 10, 11}));
  const array pairs = take(matrix(), array({0, 1, 2, 0}, {2, 2}), 1);
  EXPECT_EQ(pairs.shape(), (Shape{3, 2, 2}));
  EXPECT_EQ(ints(pairs), (std::vector<int>{0, 1, 2, 0, 4, 5, 6, 4, 8, 9, 10, 8}));
  EXPECT_EQ(ints(take(matrix(), array({0, 1, 2, 0}, {2, 2}))), (std::vector<int>{0, 1, 2, 0}));
  EXPECT_EQ(take(matrix(), array(1), 0).shape(), (Shape{4}));
  EXPECT_EQ(ints(take(array(5), array({0, 0}))), (std::vector<int>{5, 5}));
}

TEST(Indexing, TakesANumber) {
  EXPECT_EQ(ints(take(matrix(), 1, 1)), (std::vector<int>{1, 5, 9}));
  EXPECT_EQ(ints(take(matrix(), -1, 1)), (std::vector<int>{3, 7, 11}));
  EXPECT_EQ(take(matrix(), 5).item<int>(), 5);
  EXPECT_EQ(take(matrix(), 5).ndim(), 0u);
  EXPECT_THROW(take(matrix(), 4, 1), std::invalid_argument);
  EXPECT_THROW(take(matrix(), -5, 1), std::invalid_argument);
}

TEST(Indexing, EveryIntegerTypeHoldsPositions) {
  for (Dtype t : {uint8, uint16, uint32, uint64, int8, int16, int32, int64})
    EXPECT_EQ(ints(take(arange(10), astype(array({3, 9, 0}), t), 0)), (std::vector<int>{3, 9, 0}));
  for (Dtype t : {int8, int16, int32, int64})
    EXPECT_EQ(ints(take(arange(10), astype(array({-1, -10}), t), 0)), (std::vector<int>{9, 0}));
}

TEST(Indexing, NothingOutsideIsRead) {
  EXPECT_EQ(ints(take(arange(10), array({10, 1000, -11, -1000}), 0)), (std::vector<int>{9, 9, 0, 0}));
  EXPECT_EQ(ints(take(arange(10), array({std::numeric_limits<uint64_t>::max()}, uint64), 0)), (std::vector<int>{9}));
  EXPECT_EQ(ints(take(arange(10), array({std::numeric_limits<int64_t>::min()}, int64), 0)), (std::vector<int>{0}));
  EXPECT_EQ(ints(gather(matrix(), array({2, -1}), 0, {2, 1})), (std::vector<int>{4, 8, 4, 8}));
}

TEST(Indexing, GathersSlices) {
  const array slices = gather(matrix(), {array({0, 1}), array({1, 2})}, {0, 1}, {2, 2});
  EXPECT_EQ(slices.shape(), (Shape{2, 2, 2}));
  EXPECT_EQ(ints(slices), (std::vector<int>{1, 2, 5, 6, 6, 7, 10, 11}));
  // The indices broadcast against each other.
  EXPECT_EQ(ints(gather(matrix(), {array({0, 1}, {2, 1}), array({1, 2})}, {0, 1}, {1, 1})),
            (std::vector<int>{1, 2, 5, 6}));
}

TEST(Indexing, TakesAlongAxis) {
  EXPECT_EQ(ints(take_along_axis(matrix(), array({0, 1, -1}, {1, 3}), 1)),
            (std::vector<int>{0, 1, 3, 4, 5, 7, 8, 9, 11}));
  EXPECT_EQ(ints(take_along_axis(matrix(), array({0, 1, 2}, {3, 1}), 1)), (std::vector<int>{0, 5, 10}));
  EXPECT_EQ(ints(take_along_axis(matrix(), argmax(matrix() % array(3), 1, true), 1)), (std::vector<int>{2, 5, 8}));
}

TEST(Indexing, SlicesFromAnArray) {
  auto f = compile([](array x, array at) { return slice(x, at, {0, 1}, {2, 2}); });
  EXPECT_EQ(ints(f(matrix(), array({1, 2}))), (std::vector<int>{6, 7, 10, 11}));
  EXPECT_EQ(ints(f(matrix(), array({9, 0}))), (std::vector<int>{4, 5, 8, 9}));
  EXPECT_EQ(ints(f(matrix(), array({0, 0}))), (std::vector<int>{0, 1, 4, 5}));
}

TEST(Indexing, EmptyAxes) {
  EXPECT_EQ(take(zeros({0, 3}), zeros({0}, int32), 0).shape(), (Shape{0, 3}));
  EXPECT_EQ(take(zeros({2, 3}), zeros({0}, int32), 0).shape(), (Shape{0, 3}));
  EXPECT_EQ(ints(take(astype(zeros({2, 0}), int32), array({1}), 0)), (std::vector<int>{}));
  EXPECT_THROW(take(zeros({0, 3}), array({0}), 0), std::invalid_argument);
  EXPECT_THROW(take(zeros({0, 3}), 0, 0), std::invalid_argument);
}

TEST(Indexing, Errors) {
  const std::string real = thrown<std::invalid_argument>([] { take(matrix(), array({0.5f}), 0); });
  EXPECT_TRUE(contains(real, "take: positions are integers, not float32 (1)")) << real;
  EXPECT_TRUE(contains(real, "indexing_test.cpp")) << real;
  EXPECT_THROW(take(matrix(), array({true}), 0), std::invalid_argument);
  EXPECT_THROW(take(matrix(), array(1), 5), std::out_of_range);
  EXPECT_THROW(take(array(5), array({0}), 0), std::out_of_range);
  EXPECT_THROW(take_along_axis(matrix(), array({0}), 1), std::invalid_argument);
  EXPECT_THROW(take_along_axis(matrix(), array({0, 1, 0, 1}, {2, 2}), 1), std::invalid_argument);
  EXPECT_THROW(take_along_axis(matrix(), array({0}, {1, 1}), 2), std::out_of_range);
  EXPECT_THROW(gather(matrix(), array({0}), 0, {4, 1}), std::invalid_argument);
  EXPECT_THROW(gather(matrix(), {array({0}), array({0})}, {0}, {1, 1}), std::invalid_argument);
  EXPECT_THROW(gather(matrix(), {array({0}), array({0})}, {0, 0}, {1, 1}), std::invalid_argument);
  EXPECT_THROW(slice(matrix(), array({1}), {0}, {4, 4}), std::invalid_argument);
  EXPECT_THROW(slice(matrix(), array({1, 2}), {0}, {1, 4}), std::invalid_argument);
  EXPECT_THROW(slice(matrix(), array({1, 2}), {0, 0}, {1, 1}), std::invalid_argument);
  EXPECT_THROW(slice(matrix(), array({1, 2}), {0, 7}, {1, 1}), std::out_of_range);
}

TEST(Indexing, OneTraceServesEverySize) {
  auto f = compile([](array table, array at) { return take(table, at, 0) * array(2); }, {.shapeless = true});
  EXPECT_EQ(ints(f(matrix(), array({2, 0}))), (std::vector<int>{16, 18, 20, 22, 0, 2, 4, 6}));
  Log log;
  EXPECT_EQ(ints(f(reshape(arange(10), {5, 2}), array({4, -4, 7}))), (std::vector<int>{16, 18, 4, 6, 16, 18}));
  EXPECT_EQ(log.text(), "");
}

TEST(Indexing, PositionsMayBeComputedInTheFunction) {
  auto f = compile([](array x, array at) { return exp(take(x * array(0.5f), (at + array(1)) % array(4), 1)); });
  EXPECT_EQ(values<float>(f(zeros({2, 4}), array({0, 1, 2}))), (std::vector<float>(6, 1.0f)));
}
