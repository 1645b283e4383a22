// Matrix products.
#include "helpers.h"

using namespace frit;

TEST(Linalg, Matmul) {
  array a = reshape(arange(6.0), {2, 3}), b = reshape(arange(12.0), {3, 4});
  EXPECT_EQ(values<float>(matmul(a, b)), (std::vector<float>{20, 23, 26, 29, 56, 68, 80, 92}));
  EXPECT_EQ(matmul(array({1, 2}), array({3.0f, 4.0f})).item<float>(), 11.0f);
  EXPECT_THROW(matmul(array({1, 2}), array({3, 4})), std::invalid_argument);
  EXPECT_THROW(matmul(array({true}), array({3})), std::invalid_argument);
  EXPECT_EQ(matmul(array({1.0f, 2.0f}), reshape(arange(4.0), {2, 2})).shape(), (Shape{2}));
  EXPECT_EQ(matmul(reshape(arange(4.0), {2, 2}), array({1.0f, 2.0f})).shape(), (Shape{2}));
}

TEST(Linalg, MatmulTransposedAndBatched) {
  array a = reshape(arange(6.0), {2, 3}), b = reshape(arange(12.0), {4, 3});
  EXPECT_EQ(values<float>(matmul(a, transpose(b))), values<float>(matmul(a, contiguous(transpose(b)))));
  EXPECT_EQ(values<float>(matmul(transpose(a), a))[0], 9.0f);
  array batched = matmul(reshape(arange(12.0), {2, 2, 3}), ones({3, 2}));
  EXPECT_EQ(batched.shape(), (Shape{2, 2, 2}));
  EXPECT_EQ(values<float>(batched), (std::vector<float>{3, 3, 12, 12, 21, 21, 30, 30}));
  EXPECT_EQ(matmul(zeros({3, 1, 2, 4}), zeros({5, 4, 1})).shape(), (Shape{3, 5, 2, 1}));
  EXPECT_EQ(values<float>(matmul(zeros({2, 0}), zeros({0, 3}))), (std::vector<float>(6, 0)));
}

TEST(Linalg, MatmulErrors) {
  const std::string text = thrown<InvalidArgument>([] { matmul(zeros({2, 3}), zeros({4, 5})); });
  EXPECT_TRUE(contains(text, "matmul: float32 (2,3) and float32 (4,5)")) << text;
  EXPECT_THROW(matmul(array(1.0f), zeros({2})), std::invalid_argument);
  EXPECT_THROW(matmul(zeros({2, 2, 3}), zeros({3, 3, 2})), std::invalid_argument);
}

TEST(Linalg, Others) {
  array a = reshape(arange(4.0), {2, 2});
  EXPECT_EQ(values<float>(addmm(ones({2}), a, a, 2.0f, 3.0f)), (std::vector<float>{7, 9, 15, 25}));
  EXPECT_EQ(values<int>(outer(array({1, 2}), array({3, 4}))), (std::vector<int>{3, 4, 6, 8}));
  EXPECT_EQ(inner(array({1.0f, 2.0f}), array({3.0f, 4.0f})).item<float>(), 11.0f);
  EXPECT_EQ(inner(zeros({2, 3}), zeros({4, 3})).shape(), (Shape{2, 4}));
  EXPECT_EQ(tensordot(zeros({2, 3, 4}), zeros({3, 4, 5})).shape(), (Shape{2, 5}));
  EXPECT_EQ(tensordot(zeros({2, 3}), zeros({3, 2}), {0, 1}, {1, 0}).ndim(), 0u);
  EXPECT_THROW(tensordot(zeros({2, 3}), zeros({4, 5}), 1), std::invalid_argument);
  EXPECT_THROW(inner(zeros({2}), zeros({3})), std::invalid_argument);
}
