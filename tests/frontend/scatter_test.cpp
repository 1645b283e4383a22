// Elements changed at positions from data.
#include <cmath>
#include <limits>

#include "helpers.h"

using namespace frit;

namespace {
array updated_matrix() { return reshape(arange(12), {3, 4}); }
std::vector<int> positions_of(const array& a) { return values<int>(a); }
}  // namespace

TEST(Scatter, TheLastUpdateCounts) {
  EXPECT_EQ(positions_of(scatter(zeros({4}, int32), array({1, 3, 1}), array({5, 6, 7}, {3, 1}), 0)),
            (std::vector<int>{0, 7, 0, 6}));
  const array rows = array({10, 20, 30, 40, 50, 60, 70, 80}, {2, 1, 4});
  EXPECT_EQ(positions_of(scatter(updated_matrix(), array({2, -3}), rows, 0)),
            (std::vector<int>{50, 60, 70, 80, 4, 5, 6, 7, 10, 20, 30, 40}));
}

TEST(Scatter, UpdatesAreCombinedInOrder) {
  const array at = array({0, 0, -1}), updates = array({1, 2, 3}, {3, 1});
  EXPECT_EQ(positions_of(scatter_add(zeros({3}, int32), at, updates, 0)), (std::vector<int>{3, 0, 3}));
  EXPECT_EQ(positions_of(scatter_prod(full({3}, 2, int32), at, updates, 0)), (std::vector<int>{4, 2, 6}));
  EXPECT_EQ(positions_of(scatter_max(ones({3}, int32), at, updates, 0)), (std::vector<int>{2, 1, 3}));
  EXPECT_EQ(positions_of(scatter_min(full({3}, 2, int32), at, updates, 0)), (std::vector<int>{1, 2, 2}));
  EXPECT_EQ(values<bool>(scatter_add(zeros({3}, bool_), at, array({true, true, false}, {3, 1}), 0)),
            (std::vector<bool>{true, false, false}));
  const array nan = array({1.0f, std::numeric_limits<float>::quiet_NaN(), 2.0f}, {3, 1});
  EXPECT_TRUE(std::isnan(values<float>(scatter_max(zeros({2}), array({1, 1, 1}), nan, 0))[1]));
  // Large and small numbers in turn: another order would give another sum.
  const array big = array({1e8f, 1.0f, -1e8f, 1.0f}, {4, 1});
  EXPECT_EQ(values<float>(scatter_add(zeros({1}), array({0, 0, 0, 0}), big, 0)), (std::vector<float>{1.0f}));
}

TEST(Scatter, SeveralAxesAndWindows) {
  const array updates = array({1, 2, 3, 4, 5, 6, 7, 8}, {2, 2, 2});
  EXPECT_EQ(positions_of(scatter_add(zeros({3, 4}, int32), {array({0, 1}), array({1, 2})}, updates, {0, 1})),
            (std::vector<int>{0, 1, 2, 0, 0, 3, 9, 6, 0, 0, 7, 8}));
  EXPECT_EQ(
      positions_of(scatter_add(updated_matrix(), {array({0, -3}), array({1, 1})}, ones({2, 1, 1}, int32), {0, 1})),
      (std::vector<int>{0, 3, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
}

TEST(Scatter, NothingOutsideIsWritten) {
  EXPECT_EQ(positions_of(scatter(zeros({3}, int32), array({7, -9}), array({1, 2}, {2, 1}), 0)),
            (std::vector<int>{2, 0, 1}));
  EXPECT_EQ(positions_of(scatter(zeros({4}, int32), array({3}), array({1, 2}, {1, 2}), 0)),
            (std::vector<int>{0, 0, 1, 2}));
}

TEST(Scatter, AlongAnAxis) {
  EXPECT_EQ(positions_of(put_along_axis(updated_matrix(), array({0, 1, 0}, {1, 3}), array(9), 1)),
            (std::vector<int>{9, 9, 2, 3, 9, 9, 6, 7, 9, 9, 10, 11}));
  EXPECT_EQ(positions_of(put_along_axis(updated_matrix(), array({0, 1, 0}, {1, 3}), array({9, 8, 7}), 1)),
            (std::vector<int>{7, 8, 2, 3, 7, 8, 6, 7, 7, 8, 10, 11}));
  EXPECT_EQ(positions_of(put_along_axis(updated_matrix(), array({0, 1, 0}, {1, 3}), array({1.5f}), 1)),
            (std::vector<int>{1, 1, 2, 3, 1, 1, 6, 7, 1, 1, 10, 11}));
  EXPECT_EQ(positions_of(scatter_add_axis(updated_matrix(), array({0, 1, 0}, {1, 3}), array({9, 8, 7}), 1)),
            (std::vector<int>{16, 9, 2, 3, 20, 13, 6, 7, 24, 17, 10, 11}));
  EXPECT_EQ(positions_of(put_along_axis(updated_matrix(), array({2, 0, 1, 1}, {1, 4}), array(-1), 0)),
            (std::vector<int>{0, -1, 2, 3, 4, 5, -1, -1, -1, 9, 10, 11}));
  // One position for several values: the last stays, or all are added.
  EXPECT_EQ(positions_of(put_along_axis(updated_matrix(), array({1}, {1, 1}), array({9, 8, 7}), 1)),
            (std::vector<int>{0, 7, 2, 3, 4, 7, 6, 7, 8, 7, 10, 11}));
  EXPECT_EQ(positions_of(scatter_add_axis(updated_matrix(), array({1}, {1, 1}), array({9, 8, 7}), 1)),
            (std::vector<int>{0, 25, 2, 3, 4, 29, 6, 7, 8, 33, 10, 11}));
}

TEST(Scatter, ByAMask) {
  const array even = updated_matrix() % array(2) == array(0);
  EXPECT_EQ(positions_of(masked_scatter(updated_matrix(), even, array({1, 2, 3, 4, 5, 6, 7, 8}))),
            (std::vector<int>{1, 1, 2, 3, 3, 5, 4, 7, 5, 9, 6, 11}));
  EXPECT_EQ(positions_of(masked_scatter(updated_matrix(), array({true, false, true}),
                                        array({100, 200, 300, 400, 1, 2, 3, 4}, {2, 4}))),
            (std::vector<int>{100, 200, 300, 400, 4, 5, 6, 7, 1, 2, 3, 4}));
  // A part that stands for all chosen ones, and parts whose elements broadcast.
  EXPECT_EQ(positions_of(masked_scatter(zeros({3, 2}, int32), array({true, false, true}), array({7, 8}))),
            (std::vector<int>{7, 8, 0, 0, 7, 8}));
  EXPECT_EQ(positions_of(masked_scatter(zeros({3, 2}, int32), array({true, false, true}), array({7, 8}, {2, 1}))),
            (std::vector<int>{7, 7, 0, 0, 8, 8}));
  EXPECT_THROW(masked_scatter(zeros({3}), array({true, false, true}), ones({2, 1})), std::invalid_argument);
  EXPECT_THROW(masked_scatter(zeros({3, 2}), array({true, false, true}), ones({4})), std::invalid_argument);
  EXPECT_THROW(masked_scatter(updated_matrix(), array({true, false}), array({7})), std::invalid_argument);
  EXPECT_THROW(masked_scatter(updated_matrix(), array({1, 0, 1}), array({7})), std::invalid_argument);
  EXPECT_THROW(masked_scatter(updated_matrix(), even, zeros({0})), std::invalid_argument);
}

TEST(Scatter, UpdatesOfSlices) {
  EXPECT_EQ(positions_of(slice_update(updated_matrix(), array({9, 8, 7, 6}, {2, 2}), {0, 1}, {3, 3}, {2, 1})),
            (std::vector<int>{0, 9, 8, 3, 4, 5, 6, 7, 8, 7, 6, 11}));
  EXPECT_EQ(positions_of(slice_update(updated_matrix(), array({9, 8, 7, 6, 5, 4}, {3, 2}), {-1, 1}, {-4, 3}, {-1, 1})),
            (std::vector<int>{0, 5, 4, 3, 4, 7, 6, 7, 8, 9, 8, 11}));
  EXPECT_EQ(positions_of(slice_update(updated_matrix(), array(7.5f), {1, 0}, {2, 4})),
            (std::vector<int>{0, 1, 2, 3, 7, 7, 7, 7, 8, 9, 10, 11}));
  EXPECT_EQ(positions_of(slice_update(updated_matrix(), array(7), {2, 0}, {2, 4})), positions_of(updated_matrix()));
  EXPECT_EQ(positions_of(slice_update_add(arange(6), array({10, 20}), {1}, {3})),
            (std::vector<int>{0, 11, 22, 3, 4, 5}));
  EXPECT_EQ(positions_of(slice_update_prod(arange(6), array(3), {1}, {6}, {2})), (std::vector<int>{0, 3, 2, 9, 4, 15}));
  EXPECT_EQ(positions_of(slice_update_max(arange(6), array(3), {1}, {6})), (std::vector<int>{0, 3, 3, 3, 4, 5}));
  EXPECT_EQ(positions_of(slice_update_min(arange(6), array(3), {1}, {6})), (std::vector<int>{0, 1, 2, 3, 3, 3}));
  EXPECT_THROW(slice_update(updated_matrix(), array({1, 2, 3}), {0, 0}, {3, 4}), std::invalid_argument);
  EXPECT_THROW(slice_update(updated_matrix(), array(1), {0}, {3}), std::invalid_argument);
}

TEST(Scatter, UpdatesOfSlicesFromAnArray) {
  EXPECT_EQ(positions_of(slice_update(updated_matrix(), zeros({1, 4}), array({1}), {0})),
            (std::vector<int>{0, 1, 2, 3, 0, 0, 0, 0, 8, 9, 10, 11}));
  EXPECT_EQ(positions_of(slice_update(updated_matrix(), zeros({4}), array({1}), {0})),
            (std::vector<int>{0, 1, 2, 3, 0, 0, 0, 0, 8, 9, 10, 11}));
  EXPECT_EQ(positions_of(slice_update(updated_matrix(), array(7.5f), array({1}), {0})),
            (std::vector<int>{0, 1, 2, 3, 7, 7, 7, 7, 8, 9, 10, 11}));
  EXPECT_EQ(positions_of(slice_update(updated_matrix(), array({9}, {1, 1}), array({2, 3}), {0, 1})),
            (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 9}));
  EXPECT_THROW(slice_update(updated_matrix(), zeros({5, 4}), array({1}), {0}), std::invalid_argument);
  EXPECT_THROW(slice_update(updated_matrix(), array(9), array({2.0f, 3.0f}), {0, 1}), std::invalid_argument);
  EXPECT_THROW(slice_update(updated_matrix(), array(9), array({2, 3}), {0, 0}), std::invalid_argument);
}

TEST(Scatter, Errors) {
  const std::string real = thrown<std::invalid_argument>([] { scatter(zeros({3}), array({0.5f}), ones({1, 1}), 0); });
  EXPECT_TRUE(contains(real, "scatter: positions are integers, not float32 (1)")) << real;
  const std::string wide = thrown<std::invalid_argument>([] { scatter(zeros({3}), array({0}), ones({1, 4}), 0); });
  EXPECT_TRUE(contains(wide, "scatter: updates float32 (1,4) do not fit positions of shape (1) in float32 (3)"))
      << wide;
  EXPECT_THROW(scatter(zeros({3}), array({0, 1}), ones({3, 1}), 0), std::invalid_argument);
  EXPECT_THROW(scatter(zeros({3}), array({0}), ones({1}), 0), std::invalid_argument);
  EXPECT_THROW(scatter(zeros({3}), array({0}), ones({1, 1}), 1), std::invalid_argument);
  EXPECT_THROW(gather(zeros({3}), array({0}), -2, {1}), std::invalid_argument);
  EXPECT_THROW(put_along_axis(updated_matrix(), array({0, 1, 0}), array(9), 1), std::invalid_argument);
}

TEST(Scatter, InAFunctionForAnySize) {
  auto f = compile([](array x, array at, array v) { return scatter_add(x * array(2), at, v, 0) + array(1); },
                   {.shapeless = true});
  EXPECT_EQ(positions_of(f(arange(3), array({2, 2}), array({5, 6}, {2, 1}))), (std::vector<int>{1, 3, 16}));
  Log log;
  EXPECT_EQ(positions_of(f(arange(4), array({0, 3, -1}), array({5, 6, 7}, {3, 1}))), (std::vector<int>{6, 3, 5, 20}));
  EXPECT_EQ(log.text(), "");
}

TEST(Scatter, LargeUpdatesAreTheSameEverywhere) {
  // Many updates for few rows, on all threads: equal to one after the other.
  const int rows = 50, updates = 3000, width = 70;
  const array at = astype(arange(updates) * array(37) % array(rows), int32);
  const array values_in = reshape(sin(arange(static_cast<double>(updates * width))), {updates, 1, width});
  const std::vector<float> got = values<float>(scatter_add(zeros({rows, width}), at, values_in, 0));
  const std::vector<float> v = values<float>(values_in);
  std::vector<float> want(static_cast<size_t>(rows * width));
  for (int u = 0; u < updates; ++u)
    for (int w = 0; w < width; ++w)
      want[static_cast<size_t>(u * 37 % rows * width + w)] += v[static_cast<size_t>(u * width + w)];
  EXPECT_EQ(got, want);
}

TEST(Scatter, RowsOfAnyFormAreAddedInOrder) {
  // The result's axes, the one that is looked up, and updates: matrices as rows, long rows, short ones, and columns.
  struct Case {
    Shape shape;
    int axis, updates;
  };
  for (const Case& c : {Case{{5, 9, 33}, 0, 40},
                        {{6, 1300}, 0, 50},
                        {{3, 7, 1, 600}, 0, 20},
                        {{4, 9, 70}, 1, 60},
                        {{40, 8}, 1, 90},
                        {{5, 3, 2}, 0, 30},
                        {{2, 700, 5}, 2, 25}})
    for (bool shapeless : {false, true}) {
      const auto axis = static_cast<size_t>(c.axis);
      Shape window = c.shape;
      window[axis] = 1;
      Shape shape = window;
      shape.insert(shape.begin(), c.updates);
      int size = 1, inner = 1;
      for (ShapeElem n : shape) size *= n;
      for (size_t i = axis + 1; i < c.shape.size(); ++i) inner *= c.shape[i];
      const int n = c.shape[axis], of_one = size / c.updates;
      const array at = astype(arange(c.updates) * array(7) % array(n), int32);
      const array updates = reshape(sin(arange(static_cast<double>(size))), shape);
      const auto add = compile([axis = c.axis](array x, array at, array v) { return scatter_add(x, at, v, axis); },
                               {.shapeless = shapeless});
      const std::vector<float> got = values<float>(add(zeros(c.shape), at, updates)), v = values<float>(updates);
      std::vector<float> want(got.size());
      for (int u = 0; u < c.updates; ++u)
        for (int i = 0; i < of_one; ++i)
          want[static_cast<size_t>((i / inner * n + u * 7 % n) * inner + i % inner)] +=
              v[static_cast<size_t>(u * of_one + i)];
      EXPECT_EQ(got, want) << c.axis << " of " << c.shape.size() << " axes, " << c.updates << " updates";
    }
}
