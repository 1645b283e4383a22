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

TEST(Indexing, ANumberOfAKnownValueIsAWindowOnIt) {
  const array a = arange(0, 24, 1) + array(0);
  array cube = reshape(a, {2, 3, 4});
  cube.eval();
  const array middle = take(cube, -1, 1);  // row 2 of both planes
  EXPECT_TRUE(middle.is_available());
  EXPECT_EQ(middle.strides(), (Strides{12, 1}));
  EXPECT_TRUE(array_equal(middle, array({8, 9, 10, 11, 20, 21, 22, 23}, {2, 4})).item<bool>());
  // A window on a window, and work in place of the whole, which leaves the window as it is.
  const array last = take(transpose(cube), 3, 0);
  cube = cube + array(100);
  cube.eval();
  EXPECT_TRUE(array_equal(last, array({3, 15, 7, 19, 11, 23}, {3, 2})).item<bool>());
  EXPECT_EQ(take(take(middle, 1, 0), 2, 0).item<int>(), 22);
  array filled = full({3, 2}, 5);
  filled.eval();
  EXPECT_EQ(take(filled, 1, 0).data<int>()[1], 5);
  EXPECT_THROW(take(cube, 3, 1), std::invalid_argument);
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

// Elements at lists of indices, against the ones that loops choose.

TEST(Index, NumbersSlicesAndAxes) {
  const array a = reshape(arange(24), {2, 3, 4});
  EXPECT_EQ(index(a, {1, -1, 2}).item<int>(), 22);
  EXPECT_EQ(values<int>(index(a, {0, Slice{1, 3}, Slice{{}, {}, -2}})), (std::vector<int>{7, 5, 11, 9}));
  EXPECT_EQ(index(a, {ellipsis, newaxis, 0}).shape(), (Shape{2, 3, 1}));
  EXPECT_EQ(index(a, {newaxis, 0, ellipsis}).shape(), (Shape{1, 3, 4}));
  EXPECT_EQ(values<int>(index(a, {0, 0, Slice{-2, {}}})), (std::vector<int>{2, 3}));
  EXPECT_EQ(index(a, {Slice{5, 9}}).shape(), (Shape{0, 3, 4}));
  EXPECT_EQ(values<int>(index(a, {0, 0, Slice{-9, 100, 3}})), (std::vector<int>{0, 3}));
  EXPECT_EQ(values<int>(index(a, {0, 0, Slice{100, -100, -3}})), (std::vector<int>{3, 0}));
  EXPECT_EQ(values<int>(index(a, {})), values<int>(a));
}

TEST(Index, ArraysStandWhereTheyWere) {
  const array a = reshape(arange(120), {2, 3, 4, 5});
  const array rows = array({2, 0}), columns = array({3, 1});
  EXPECT_EQ(index(a, {Slice{}, rows}).shape(), (Shape{2, 2, 4, 5}));
  const array together = index(a, {Slice{}, rows, columns});
  EXPECT_EQ(together.shape(), (Shape{2, 2, 5}));
  for (int i = 0; i < 2; ++i)
    for (int k = 0; k < 5; ++k) {
      EXPECT_EQ(index(together, {i, 0, k}).item<int>(), index(a, {i, 2, 3, k}).item<int>());
      EXPECT_EQ(index(together, {i, 1, k}).item<int>(), index(a, {i, 0, 1, k}).item<int>());
    }
  EXPECT_EQ(index(a, {rows - 1, Slice{}, columns}).shape(), (Shape{2, 3, 5}));  // apart: their axes come first
  EXPECT_EQ(index(a, {0, Slice{}, columns}).shape(), (Shape{2, 3, 5}));
  EXPECT_EQ(index(a, {newaxis, Slice{}, reshape(rows, {2, 1}), columns}).shape(), (Shape{1, 2, 2, 2, 5}));
}

TEST(Index, Updates) {
  const array a = zeros({3, 4});
  EXPECT_EQ(values<float>(sum(index_update(a, {1}, array(5.0f)), 1)), (std::vector<float>{0, 20, 0}));
  const array twice = array({0, 2, 2});
  EXPECT_EQ(values<float>(index_update(zeros({3}), {twice}, array(1), IndexUpdate::add)),
            (std::vector<float>{1, 0, 2}));
  EXPECT_EQ(values<float>(index_update(zeros({3}), {twice}, array({1, 2, 3}))), (std::vector<float>{1, 0, 3}));
  EXPECT_EQ(values<float>(index_update(full({4}, 8.0f), {Slice{{}, {}, 2}}, array(2.0f), IndexUpdate::divide)),
            (std::vector<float>{4, 8, 4, 8}));
  EXPECT_EQ(values<float>(index_update(array({1.0f, 5.0f, 2.0f}), {array({true, false, true})}, array({7.0f, 9.0f}))),
            (std::vector<float>{7, 5, 9}));
  EXPECT_EQ(values<float>(index_update(array({1.0f, 5.0f}), {ellipsis}, array(3.0f), IndexUpdate::maximum)),
            (std::vector<float>{3, 5}));
}

TEST(Index, OpenSizesStayOpen) {
  const auto tail = compile([](const array& x) { return index(x, {Slice{1, {}}, newaxis, 0}); }, true);
  for (int n : {2, 5, 9}) {
    const array x = reshape(arange(2 * n), {n, 2});
    EXPECT_EQ(values<int>(tail(x)), values<int>(slice(x, {1, 0}, {n, 1})));
  }
  EXPECT_EQ(tail.trace_count(), 1u);
  const auto last = compile([](const array& x) { return index(x, {x.dim(0) - 1}); }, true);
  EXPECT_EQ(last(array({1, 2, 3})).item<int>(), 3);
  EXPECT_EQ(last(array({1, 2, 3, 4})).item<int>(), 4);
  EXPECT_EQ(last.trace_count(), 1u);
}

TEST(Index, Refusals) {
  const array a = zeros({2, 3});
  EXPECT_TRUE(contains(thrown<Error>([&] { index(a, {0, 0, 0}); }), "indexing: there are 3 indices for 2 axes"));
  EXPECT_TRUE(
      contains(thrown<Error>([&] { index(a, {ellipsis, ellipsis}); }), "indexing: there is more than one ellipsis"));
  EXPECT_TRUE(contains(thrown<Error>([&] { index(a, {Slice{0, 1, 0}}); }), "indexing: the step of a slice is zero"));
  EXPECT_TRUE(contains(thrown<Error>([&] { index(a, {2}); }), "indexing: 2 is outside of an axis of 2 elements"));
  EXPECT_THROW(index(a, {-3}), OutOfRange);
  EXPECT_THROW(index(a, {array({true, false})}), InvalidArgument);
  EXPECT_THROW(index(a, {array({1.5f})}), InvalidArgument);
  EXPECT_THROW(index(zeros({0, 3}), {0}), InvalidArgument);
  EXPECT_THROW(index_update(a, {array({true, false, true})}, array(1.0f)), InvalidArgument);
  EXPECT_THROW(index_update(a, {array({true, false})}, array(1.0f), IndexUpdate::add), InvalidArgument);
  EXPECT_THROW(eval(index_update(a, {array({true, true})}, ones({1, 3}))), RuntimeError);
}
