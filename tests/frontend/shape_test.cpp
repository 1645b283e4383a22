// Shape operations, joining and creation.
#include "helpers.h"

using namespace frit;

TEST(Shapes, Reshape) {
  array x = arange(6);
  EXPECT_EQ(reshape(x, {2, -1}).shape(), (Shape{2, 3}));
  EXPECT_EQ(reshape(zeros({0, 4}), {4, 0}).shape(), (Shape{4, 0}));
  EXPECT_THROW(reshape(x, {4, -1}), std::invalid_argument);
  EXPECT_THROW(reshape(x, {-1, -1}), std::invalid_argument);
  EXPECT_THROW(reshape(x, {7}), std::invalid_argument);
  EXPECT_EQ(values<int>(reshape(transpose(reshape(x, {2, 3})), {6})), (std::vector<int>{0, 3, 1, 4, 2, 5}));
  array y = zeros({2, 3, 4});
  EXPECT_EQ(flatten(y).shape(), (Shape{24}));
  EXPECT_EQ(flatten(y, 1).shape(), (Shape{2, 12}));
  EXPECT_EQ(flatten(y, 0, 1).shape(), (Shape{6, 4}));
  EXPECT_EQ(unflatten(y, 2, {2, -1}).shape(), (Shape{2, 3, 2, 2}));
  EXPECT_EQ(squeeze(zeros({1, 2, 1})).shape(), (Shape{2}));
  EXPECT_EQ(squeeze(zeros({1, 2, 1}), 0).shape(), (Shape{2, 1}));
  EXPECT_THROW(squeeze(zeros({1, 2}), 1), std::invalid_argument);
  EXPECT_EQ(expand_dims(zeros({2}), {0, -1}).shape(), (Shape{1, 2, 1}));
}

TEST(Shapes, ViewsShareMemory) {
  array x = reshape(arange(6), {2, 3});
  eval(x);
  array t = transpose(x);
  array s = slice(x, {0, 1}, {2, 3});
  eval(t, s);
  EXPECT_EQ(t.data<int>(), x.data<int>());
  EXPECT_EQ(s.data<int>(), x.data<int>() + 1);
  EXPECT_EQ(t.strides(), (Strides{1, 3}));
  EXPECT_TRUE(t.flags().col_contiguous);
  EXPECT_FALSE(t.flags().row_contiguous);
  EXPECT_EQ(broadcast_to(x, {4, 2, 3}).size(), 24u);
}

TEST(Shapes, Transpose) {
  array x = reshape(arange(24), {2, 3, 4});
  EXPECT_EQ(transpose(x).shape(), (Shape{4, 3, 2}));
  EXPECT_EQ(transpose(x, {1, -1, 0}).shape(), (Shape{3, 4, 2}));
  EXPECT_EQ(swapaxes(x, 0, -1).shape(), (Shape{4, 3, 2}));
  EXPECT_EQ(moveaxis(x, 0, 2).shape(), (Shape{3, 4, 2}));
  EXPECT_THROW(transpose(x, {0, 1}), std::invalid_argument);
  EXPECT_THROW(transpose(x, {0, 0, 1}), std::invalid_argument);
  EXPECT_EQ(values<int>(moveaxis(x, 0, 2))[1], 12);
}

TEST(Shapes, Slice) {
  array x = arange(10);
  EXPECT_EQ(values<int>(slice(x, {2}, {8}, {3})), (std::vector<int>{2, 5}));
  EXPECT_EQ(values<int>(slice(x, {-3}, {100})), (std::vector<int>{7, 8, 9}));
  EXPECT_EQ(values<int>(slice(x, {8}, {2}, {-3})), (std::vector<int>{8, 5}));
  EXPECT_EQ(values<int>(slice(x, {3}, {-11}, {-1})), (std::vector<int>{3, 2, 1, 0}));
  EXPECT_EQ(slice(x, {5}, {2}).size(), 0u);
  EXPECT_THROW(slice(x, {0}, {5}, {0}), std::invalid_argument);
  EXPECT_THROW(slice(x, {0, 0}, {5, 5}), std::invalid_argument);
  int seen = 0;
  for (array row : reshape(x, {5, 2})) EXPECT_EQ(values<int>(row)[1], 2 * seen++ + 1);
  EXPECT_EQ(seen, 5);
}

TEST(Shapes, SplitConcatenateStack) {
  array x = reshape(arange(12), {2, 6});
  auto parts = split(x, 3, 1);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(values<int>(parts[1]), (std::vector<int>{2, 3, 8, 9}));
  EXPECT_EQ(values<int>(concatenate(parts, 1)), values<int>(x));
  auto uneven = split(x, Shape{1, 4}, 1);
  EXPECT_EQ(uneven[1].shape(), (Shape{2, 3}));
  EXPECT_EQ(uneven[2].shape(), (Shape{2, 2}));
  EXPECT_THROW(split(x, 4, 1), std::invalid_argument);
  EXPECT_EQ(values<float>(concatenate({array({1, 2}), array({0.5f})})), (std::vector<float>{1, 2, 0.5f}));
  EXPECT_EQ(values<int>(stack({array({1, 2}), array({3, 4})}, 1)), (std::vector<int>{1, 3, 2, 4}));
  EXPECT_THROW(concatenate({zeros({2, 2}), zeros({2, 3})}, 0), std::invalid_argument);
  EXPECT_THROW(concatenate({}), std::invalid_argument);
}

TEST(Shapes, PadRepeatTileFlip) {
  array x({1, 2, 3});
  EXPECT_EQ(values<int>(pad(x, std::pair<int, int>{1, 2}, array(9))), (std::vector<int>{9, 1, 2, 3, 9, 9}));
  EXPECT_EQ(values<int>(pad(x, 2, array(0), "edge")), (std::vector<int>{1, 1, 1, 2, 3, 3, 3}));
  EXPECT_EQ(pad(zeros({2, 2}), {{1, 0}, {0, 1}}).shape(), (Shape{3, 3}));
  EXPECT_THROW(pad(x, 1, array(0), "mirror"), std::invalid_argument);
  EXPECT_EQ(values<int>(repeat(x, 2)), (std::vector<int>{1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(repeat(zeros({2, 3}), 4, 0).shape(), (Shape{8, 3}));
  EXPECT_EQ(values<int>(tile(x, {2})), (std::vector<int>{1, 2, 3, 1, 2, 3}));
  EXPECT_EQ(tile(x, {2, 2}).shape(), (Shape{2, 6}));
  EXPECT_EQ(values<int>(flip(x)), (std::vector<int>{3, 2, 1}));
  EXPECT_EQ(values<int>(flip(reshape(arange(4), {2, 2}), 0)), (std::vector<int>{2, 3, 0, 1}));
}

TEST(Shapes, AsStridedAndContiguous) {
  array x = arange(6);
  EXPECT_EQ(values<int>(as_strided(x, {3, 2}, {1, 2}, 1)), (std::vector<int>{1, 3, 2, 4, 3, 5}));
  EXPECT_THROW(as_strided(x, {4, 2}, {1, 3}, 1), std::invalid_argument);
  array t = transpose(reshape(x, {2, 3}));
  array c = contiguous(t);
  eval(c);
  EXPECT_TRUE(c.flags().row_contiguous);
  EXPECT_EQ(values<int>(c), (std::vector<int>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(values<int>(copy(x)), values<int>(x));
  EXPECT_EQ(values<int>(stop_gradient(x)), values<int>(x));
}

TEST(Shapes, Broadcasting) {
  EXPECT_EQ(broadcast_shapes({2, 1}, {3}), (Shape{2, 3}));
  EXPECT_THROW(broadcast_shapes({2}, {3}), std::invalid_argument);
  auto both = broadcast_arrays({zeros({2, 1}), zeros({3})});
  EXPECT_EQ(both[0].shape(), (Shape{2, 3}));
  EXPECT_THROW(broadcast_to(zeros({2}), {3}), std::invalid_argument);
}

TEST(Creation, Ranges) {
  EXPECT_EQ(values<int>(arange(4)), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(values<int>(arange(5, 0, -2)), (std::vector<int>{5, 3, 1}));
  EXPECT_EQ(values<float>(arange(0.0, 1.0, 0.25)), (std::vector<float>{0, 0.25f, 0.5f, 0.75f}));
  EXPECT_EQ(arange(3.0).dtype(), float32);
  EXPECT_EQ(arange(0.0, 3.0, int8).dtype(), int8);
  EXPECT_EQ(arange(3, 0).size(), 0u);
  EXPECT_THROW(arange(0, 3, 0), std::invalid_argument);
  EXPECT_EQ(values<float>(linspace(0, 1, 5)), (std::vector<float>{0, 0.25f, 0.5f, 0.75f, 1}));
  EXPECT_EQ(linspace(3, 4, 1).item<float>(), 3.0f);
  EXPECT_EQ(linspace(0, 1).size(), 50u);
}

TEST(Creation, Filled) {
  EXPECT_EQ(values<float>(zeros({2, 2})), (std::vector<float>(4, 0)));
  EXPECT_EQ(values<int>(ones({3}, int32)), (std::vector<int>(3, 1)));
  EXPECT_EQ(values<int>(full({2}, 7)), (std::vector<int>{7, 7}));
  EXPECT_EQ(values<int>(full({2, 2}, array({1, 2}))), (std::vector<int>{1, 2, 1, 2}));
  EXPECT_EQ(full({2}, 7, float16).dtype(), float16);
  EXPECT_EQ(zeros_like(array({1, 2}, uint8)).dtype(), uint8);
  EXPECT_EQ(ones_like(zeros({2, 3})).shape(), (Shape{2, 3}));
  EXPECT_THROW(zeros({-1}), std::invalid_argument);
}

TEST(Creation, Matrices) {
  EXPECT_EQ(values<float>(eye(2)), (std::vector<float>{1, 0, 0, 1}));
  EXPECT_EQ(values<float>(eye(2, 3, 1)), (std::vector<float>{0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(values<int>(identity(2, int32)), (std::vector<int>{1, 0, 0, 1}));
  EXPECT_EQ(values<int>(tri(2, 3, 0, int32)), (std::vector<int>{1, 0, 0, 1, 1, 0}));
  array x = array({1, 2, 3, 4}, {2, 2});
  EXPECT_EQ(values<int>(tril(x)), (std::vector<int>{1, 0, 3, 4}));
  EXPECT_EQ(values<int>(triu(x)), (std::vector<int>{1, 2, 0, 4}));
  EXPECT_EQ(values<int>(triu(x, 1)), (std::vector<int>{0, 2, 0, 0}));
  EXPECT_THROW(tril(array({1})), std::invalid_argument);
}
