// Types, shapes and errors that programs written for MLX rely on, where another choice would be as natural.
#include <cmath>

#include "helpers.h"

using namespace frit;

namespace {

TEST(Semantics, ANumberDividesAsFloat32) {
  const array b = astype(array({1.5f, 2.0f}), bfloat16), h = astype(b, float16);
  EXPECT_EQ((b / 2).dtype(), float32);
  EXPECT_EQ((2 / b).dtype(), float32);
  EXPECT_EQ((h / 2.0).dtype(), float32);
  EXPECT_EQ((b / astype(array(2), bfloat16)).dtype(), bfloat16);
  EXPECT_EQ((astype(b, float64) / 2).dtype(), float64);
  EXPECT_EQ((astype(b, complex64) / 2).dtype(), complex64);
  EXPECT_EQ((b / complex64_t(2, 0)).dtype(), complex64);
  EXPECT_EQ((b * 2).dtype(), bfloat16);
  EXPECT_EQ(values<float>(2 / b), (std::vector<float>{2.0f / 1.5f, 1.0f}));
}

TEST(Semantics, ConcatenateWithoutAnAxisFlattens) {
  const array m = reshape(arange(4.0), {2, 2});
  EXPECT_EQ(values<float>(concatenate({m, array({7.0f})})), (std::vector<float>{0, 1, 2, 3, 7}));
  EXPECT_EQ(values<int>(concatenate({array(1), array(2)})), (std::vector<int>{1, 2}));
  EXPECT_EQ(concatenate({m}).shape(), (Shape{4}));
  EXPECT_EQ(concatenate({m, m}, 0).shape(), (Shape{4, 2}));
  EXPECT_THROW(concatenate(std::vector<array>{}), std::invalid_argument);
}

TEST(Semantics, ContiguousMayKeepColumns) {
  const array m = reshape(arange(6.0), {2, 3});
  EXPECT_TRUE(contiguous(transpose(m), true).flags().col_contiguous);
  EXPECT_FALSE(contiguous(transpose(m), true).flags().row_contiguous);
  const array rows = contiguous(transpose(m), false);
  rows.eval();
  EXPECT_TRUE(rows.flags().row_contiguous);
  const array cut = contiguous(slice(m, {0, 0}, {2, 2}), true);
  cut.eval();
  EXPECT_TRUE(cut.flags().row_contiguous);
}

TEST(Semantics, FullLikeTakesTheShapeOfBoth) {
  const array m = reshape(arange(6.0), {2, 3});
  EXPECT_EQ(full_like(array(1.0f), m).shape(), (Shape{2, 3}));
  EXPECT_EQ(values<float>(full_like(m, array({1, 2, 3}))), (std::vector<float>{1, 2, 3, 1, 2, 3}));
  EXPECT_THROW(full_like(m, array({1, 2})), std::invalid_argument);
  EXPECT_THROW(full({2}, m), std::invalid_argument);
}

TEST(Semantics, FlattenHoldsAxesToTheRank) {
  const array a = zeros({2, 3, 4});
  EXPECT_EQ(flatten(a, 1, 5).shape(), (Shape{2, 12}));
  EXPECT_EQ(flatten(a, -5, 1).shape(), (Shape{6, 4}));
  EXPECT_EQ(flatten(array(1), 3, 1).shape(), (Shape{1}));
  EXPECT_THROW(flatten(a, 3, 5), std::invalid_argument);
  EXPECT_THROW(flatten(a, 2, 1), std::invalid_argument);
  EXPECT_THROW(flatten(a, 0, -5), std::invalid_argument);
}

TEST(Semantics, SumsOverNoAxesKeepTheType) {
  const std::vector<int> none;
  EXPECT_EQ(sum(astype(array({1, 2}), int8), none).dtype(), int8);
  EXPECT_EQ(prod(astype(array({1, 2}), uint8), none).dtype(), uint8);
  EXPECT_EQ(sum(array(true)).dtype(), bool_);
  EXPECT_EQ(sum(astype(array({1, 2}), int8)).dtype(), int32);
}

TEST(Semantics, SoftmaxOfNothingKeepsTheType) {
  EXPECT_EQ(softmax(zeros({0}, int32)).dtype(), int32);
  EXPECT_EQ(softmax(zeros({2, 0}, bool_), 1).dtype(), bool_);
  EXPECT_EQ(softmax(array({3, 4}), std::vector<int>{}).dtype(), int32);
  EXPECT_EQ(values<int>(softmax(array({3, 4}), std::vector<int>{})), (std::vector<int>{1, 1}));
  EXPECT_EQ(softmax(array({3, 4})).dtype(), float32);
}

TEST(Semantics, ArgumentsOfNothingThrow) {
  EXPECT_THROW(logsumexp(zeros({0})), std::invalid_argument);
  EXPECT_THROW(logsumexp(zeros({2, 0}), 0), std::invalid_argument);
  EXPECT_THROW(logsumexp(array(1.0f), 0), std::invalid_argument);
  EXPECT_THROW(softmax(array(1.0f), -1), std::invalid_argument);
  EXPECT_THROW(argmax(zeros({2, 0}), 0), std::invalid_argument);
  EXPECT_THROW(argmin(zeros({2, 0}), 1), std::invalid_argument);
  EXPECT_THROW(max(zeros({2, 0}), 1), std::invalid_argument);
  EXPECT_EQ(max(zeros({2, 0}), 0).shape(), (Shape{0}));
  EXPECT_THROW(argmax(array(1.0f), 0), std::out_of_range);
}

TEST(Semantics, ArangeOfIntegersCountsInIntegers) {
  EXPECT_EQ(values<int>(arange(0., 2., 0.5, int32)), (std::vector<int>{0, 0, 0, 0}));
  EXPECT_EQ(values<int>(arange(0.5, 5., 1.5, int32)), (std::vector<int>{0, 2, 4}));
  EXPECT_EQ(values<int>(arange(-0.7, 3., 0.9, int32)), (std::vector<int>{0, 0, 0, 0, 0}));
  EXPECT_EQ(values<uint8_t>(arange(300., 303., 1., uint8)), (std::vector<uint8_t>{44, 45, 46}));
  EXPECT_EQ(values<uint8_t>(arange(-1., 2., 1., uint8)), (std::vector<uint8_t>{255, 0, 1}));
  EXPECT_EQ(values<float>(arange(0., 5., static_cast<double>(INFINITY))), (std::vector<float>{0}));
  EXPECT_EQ(arange(0., 3., 1., complex64).dtype(), complex64);
  EXPECT_THROW(arange(0., 3., 1., bool_), std::invalid_argument);
}

TEST(Semantics, AddmmConvertsBeforeItMultiplies) {
  const auto o = [](Shape s, Dtype t) { return ones(Sizes(std::vector<Size>(s.begin(), s.end())), t); };
  EXPECT_EQ(addmm(o({2, 2}, float32), o({2, 3}, float16), o({3, 2}, float16)).dtype(), float32);
  EXPECT_EQ(addmm(o({2, 2}, bfloat16), o({2, 3}, float16), o({3, 2}, float16)).dtype(), float32);
  // 2049 is no float16: the product is one of float32.
  const array wide = addmm(o({1, 1}, float32), o({1, 2049}, float16), o({2049, 1}, float16));
  EXPECT_EQ(wide.item<float>(), 2050.0f);
  EXPECT_THROW(addmm(o({2, 2}, int32), o({2, 3}, int32), o({3, 2}, int32)), std::invalid_argument);
  const array nan = full({2, 3}, NAN);
  EXPECT_EQ(values<float>(addmm(o({2, 2}, float32), nan, o({3, 2}, float32), 0.0f, 2.0f)),
            (std::vector<float>(4, 2.0f)));
  EXPECT_EQ(values<float>(addmm(full({2, 2}, NAN), o({2, 3}, float32), o({3, 2}, float32), 1.0f, 0.0f)),
            (std::vector<float>(4, 3.0f)));
  EXPECT_EQ(values<float>(addmm(array({1.0f, 2.0f}), o({2, 3}, float32), o({3, 2}, float32))),
            (std::vector<float>{4, 5, 4, 5}));
  EXPECT_THROW(addmm(o({4, 2, 2}, float32), o({2, 3}, float32), o({3, 2}, float32)), std::invalid_argument);
}

TEST(Semantics, PadMirrors) {
  const array a = array({1, 2, 3}), zero = array(0);
  EXPECT_EQ(values<int>(pad(a, 2, zero, "edge")), (std::vector<int>{1, 1, 1, 2, 3, 3, 3}));
  EXPECT_EQ(values<int>(pad(a, 2, zero, "reflect")), (std::vector<int>{3, 2, 1, 2, 3, 2, 1}));
  EXPECT_EQ(values<int>(pad(a, 2, zero, "symmetric")), (std::vector<int>{2, 1, 1, 2, 3, 3, 2}));
  EXPECT_EQ(values<int>(pad(a, 5, zero, "reflect")), (std::vector<int>{2, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 3, 2}));
  EXPECT_EQ(values<int>(pad(a, 5, zero, "symmetric")), (std::vector<int>{2, 3, 3, 2, 1, 1, 2, 3, 3, 2, 1, 1, 2}));
  EXPECT_EQ(values<int>(pad(array({4}), 2, zero, "reflect")), (std::vector<int>(5, 4)));
  EXPECT_EQ(
      values<float>(pad(reshape(arange(6.0), {2, 3}), {{1, 2}, {0, 3}}, zero, "reflect")),
      (std::vector<float>{3, 4, 5, 4, 3, 4, 0, 1, 2, 1, 0, 1, 3, 4, 5, 4, 3, 4, 0, 1, 2, 1, 0, 1, 3, 4, 5, 4, 3, 4}));
  EXPECT_EQ(values<float>(pad(zeros({0}), 2, array(7.0f), "edge")), (std::vector<float>(4, 0.0f)));
  EXPECT_THROW(pad(zeros({0}), 2, zero, "reflect"), std::invalid_argument);
  EXPECT_THROW(pad(a, 1, zero, "round"), std::invalid_argument);
  EXPECT_THROW(pad(a, std::pair<int, int>{2147483647, 0}), std::overflow_error);
  EXPECT_EQ(values<int>(pad(a, std::vector<int>{0, 0}, {1, 1}, {0, 1})), (std::vector<int>{0, 0, 1, 2, 3, 0}));
}

// A trace for any shape pads other sizes as well, and gives up its size where a mirror must turn again.
TEST(Semantics, PadMirrorsForAnyShape) {
  for (const char* mode : {"reflect", "symmetric"}) {
    const auto fn = [mode](const std::vector<array>& x) { return std::vector{pad(x[0], 3, array(0), mode)}; };
    const auto open = compile(fn, true);
    for (int n : {4, 9, 5, 2, 1, 3}) {
      const array x = arange(n);
      EXPECT_EQ(values<int>(open({x})[0]), values<int>(fn({x})[0])) << mode << " " << n;
    }
  }
}

TEST(Semantics, TransposeChecksItsAxes) {
  const array m = zeros({2, 3});
  EXPECT_THROW(transpose(m, {1}), std::invalid_argument);
  EXPECT_THROW(transpose(m, {1, 1}), std::invalid_argument);
  EXPECT_THROW(transpose(m, {1, 2}), std::out_of_range);
  EXPECT_THROW(transpose(zeros({2}), {1}), std::out_of_range);
}

TEST(Semantics, ViewsOfOtherWidthsRegroupTheLastAxis) {
  const array f = array({1.0f, 2.0f});
  EXPECT_EQ(view(f, uint64).shape(), (Shape{1}));
  EXPECT_EQ(view(f, uint16).shape(), (Shape{4}));
  EXPECT_EQ(values<float>(view(view(transpose(reshape(arange(6.0), {2, 3})), uint16), float32)),
            (std::vector<float>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(view(zeros({3, 0}), uint64).shape(), (Shape{3, 0}));
  EXPECT_THROW(view(array({1.0f, 2.0f, 3.0f}), uint64), std::invalid_argument);
  EXPECT_THROW(view(array(1.0f), uint8), std::invalid_argument);
}

}  // namespace
