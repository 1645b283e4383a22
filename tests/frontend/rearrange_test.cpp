// Diagonals, rolls, grids, windows and counts. Expected values were measured from MLX.
#include "helpers.h"
#include "shapeless.h"

using namespace frit;

namespace {

using Ints = std::vector<int>;
using Floats = std::vector<float>;

array rearranged_matrix() { return reshape(arange(12), {3, 4}); }

}  // namespace

TEST(Rearrange, AtLeast) {
  EXPECT_EQ(atleast_1d(array(1)).shape(), (Shape{1}));
  EXPECT_EQ(atleast_2d(array({1, 2})).shape(), (Shape{1, 2}));
  EXPECT_EQ(atleast_3d(array({1, 2})).shape(), (Shape{1, 2, 1}));
  EXPECT_EQ(atleast_3d(rearranged_matrix()).shape(), (Shape{3, 4, 1}));
  EXPECT_EQ(atleast_3d(array(1)).shape(), (Shape{1, 1, 1}));
  const std::vector<array> both = atleast_2d(std::vector<array>{array(1), rearranged_matrix()});
  EXPECT_EQ(both[0].shape(), (Shape{1, 1}));
  EXPECT_EQ(both[1].shape(), (Shape{3, 4}));
}

TEST(Rearrange, Unstack) {
  const std::vector<array> columns = unstack(rearranged_matrix(), 1);
  ASSERT_EQ(columns.size(), 4u);
  EXPECT_EQ(values<int>(columns[1]), (Ints{1, 5, 9}));
  EXPECT_EQ(unstack(rearranged_matrix()).size(), 3u);
  EXPECT_THROW(unstack(array(1)), OutOfRange);
  EXPECT_THROW(unstack(rearranged_matrix(), 2), OutOfRange);
}

TEST(Rearrange, Meshgrid) {
  const array x({1, 2}), y({3, 4, 5});
  const std::vector<array> xy = meshgrid({x, y}), ij = meshgrid({x, y}, false, "ij"), thin = meshgrid({x, y}, true);
  EXPECT_EQ(values<int>(xy[0]), (Ints{1, 2, 1, 2, 1, 2}));
  EXPECT_EQ(values<int>(xy[1]), (Ints{3, 3, 4, 4, 5, 5}));
  EXPECT_EQ(ij[0].shape(), (Shape{2, 3}));
  EXPECT_EQ(thin[0].shape(), (Shape{1, 2}));
  EXPECT_EQ(thin[1].shape(), (Shape{3, 1}));
  EXPECT_TRUE(meshgrid({}).empty());
  EXPECT_THROW(meshgrid({x, y}, false, "xx"), InvalidArgument);
}

TEST(Rearrange, Roll) {
  EXPECT_EQ(values<int>(roll(rearranged_matrix(), Shape{1, 2})), (Ints{9, 10, 11, 0, 1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(values<int>(roll(rearranged_matrix(), Shape{1, 2}, 1)), (Ints{1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8}));
  EXPECT_EQ(values<int>(roll(rearranged_matrix(), 1, std::vector<int>{0, 1})),
            (Ints{11, 8, 9, 10, 3, 0, 1, 2, 7, 4, 5, 6}));
  EXPECT_EQ(values<int>(roll(rearranged_matrix(), 1, std::vector<int>{0, 0})),
            (Ints{4, 5, 6, 7, 8, 9, 10, 11, 0, 1, 2, 3}));
  EXPECT_EQ(values<int>(roll(array({1, 2, 3}), -1)), (Ints{2, 3, 1}));
  EXPECT_EQ(roll(zeros({0, 3}), 1, 0).shape(), (Shape{0, 3}));
  EXPECT_THROW(roll(rearranged_matrix(), Shape{1}, std::vector<int>{0, 1}), InvalidArgument);
  EXPECT_THROW(roll(rearranged_matrix(), 1, 3), OutOfRange);
}

TEST(Rearrange, Diagonals) {
  EXPECT_EQ(values<int>(diag(rearranged_matrix(), 1)), (Ints{1, 6, 11}));
  EXPECT_EQ(values<int>(diag(rearranged_matrix(), -1)), (Ints{4, 9}));
  EXPECT_EQ(values<int>(diag(array({1, 2}), -1)), (Ints{0, 0, 0, 1, 0, 0, 0, 2, 0}));
  EXPECT_EQ(diagonal(rearranged_matrix(), 5).shape(), (Shape{0}));
  EXPECT_EQ(values<int>(diagonal(transpose(rearranged_matrix()))), (Ints{0, 5, 10}));
  const array cube = reshape(arange(24), {2, 3, 4});
  EXPECT_EQ(values<int>(diagonal(cube, 1, 2, 0)), (Ints{12, 16, 20}));
  EXPECT_EQ(values<int>(diagonal(cube)), (Ints{0, 16, 1, 17, 2, 18, 3, 19}));
  EXPECT_THROW(diag(array(1)), InvalidArgument);
  EXPECT_THROW(diag(cube), InvalidArgument);
  EXPECT_THROW(diagonal(array({1})), InvalidArgument);
  EXPECT_THROW(diagonal(rearranged_matrix(), 0, 0, 0), InvalidArgument);
  EXPECT_THROW(diagonal(rearranged_matrix(), 0, 0, 3), OutOfRange);
}

TEST(Rearrange, Trace) {
  EXPECT_EQ(trace(rearranged_matrix()).item<int>(), 15);
  EXPECT_EQ(trace(astype(rearranged_matrix(), int8)).dtype(), int32);
  EXPECT_EQ(trace(astype(rearranged_matrix(), uint64)).dtype(), uint64);
  EXPECT_EQ(trace(astype(rearranged_matrix(), float16)).dtype(), float16);
  EXPECT_EQ(trace(rearranged_matrix(), 0, 0, 1, float32).item<float>(), 15.0f);
  EXPECT_THROW(trace(array({1})), InvalidArgument);
}

TEST(Rearrange, Diff) {
  EXPECT_EQ(values<int>(diff(rearranged_matrix(), 1, 0)), Ints(8, 4));
  EXPECT_EQ(values<bool>(diff(array({true, false, false}))), (std::vector<bool>{true, false}));
  EXPECT_EQ(values<uint8_t>(diff(array({1, 0}, uint8))), (std::vector<uint8_t>{255}));
  EXPECT_EQ(diff(rearranged_matrix(), 9).shape(), (Shape{3, 0}));
  EXPECT_EQ(diff(rearranged_matrix(), 0).shape(), (Shape{3, 4}));
  EXPECT_THROW(diff(rearranged_matrix(), -1), InvalidArgument);
  EXPECT_THROW(diff(array(1)), OutOfRange);
}

TEST(Rearrange, CountsAndLogic) {
  EXPECT_EQ(count_nonzero(rearranged_matrix()).item<int>(), 11);
  EXPECT_EQ(values<int>(count_nonzero(astype(rearranged_matrix(), float16), 0, true)), (Ints{2, 3, 3, 3}));
  EXPECT_EQ(number_of_elements(rearranged_matrix(), {0, 1}, false).item<int>(), 12);
  EXPECT_EQ(number_of_elements(rearranged_matrix(), {-1}, true, float32).item<float>(), 0.25f);
  EXPECT_EQ(values<bool>(logical_xor(array({0.5f, 0.0f}), array({1, 1}))), (std::vector<bool>{false, true}));
  EXPECT_EQ(values<int>(positive(array({-1, 2}))), (Ints{-1, 2}));
}

TEST(Rearrange, Windows) {
  EXPECT_EQ(values<float>(bartlett(5)), (Floats{0, 0.5f, 1, 0.5f, 0}));
  EXPECT_EQ(hanning(0).shape(), (Shape{0}));
  EXPECT_EQ(values<float>(hamming(1)), (Floats{1}));
  const Floats hann = values<float>(hanning(5)), ham = values<float>(hamming(5)), black = values<float>(blackman(5));
  for (const auto& [got, want] : {std::pair{hann, Floats{0, 0.5f, 1, 0.5f, 0}},
                                  {ham, {0.08f, 0.54f, 1, 0.54f, 0.08f}},
                                  {black, {0, 0.34f, 1, 0.34f, 0}}})
    for (size_t i = 0; i < 5; ++i) EXPECT_NEAR(got[i], want[i], 1e-7f) << i;
}

TEST(Rearrange, AnyShape) {
  const shapeless::Shapes shapes{{2, 3}, {4, 5}, {5, 2}, {1, 1}, {17, 64}};
  shapeless::agrees([](const array& x) { return roll(x, Shape{1}, 1) + roll(x, -1, 0); }, {{2, 3}, {4, 5}, {17, 64}});
  shapeless::agrees([](const array& x) { return diff(x, 1, 0); }, shapes);
  shapeless::agrees([](const array& x) { return count_nonzero(x, 0); }, shapes);
  shapeless::agrees([](const array& x) { return diagonal(x); }, {{3, 3}, {5, 5}, {2, 2}});
  shapeless::agrees([](const array& x) { return diag(x); }, {{3}, {5}, {1}});
}
