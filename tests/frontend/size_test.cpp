// Sizes as values: numbers outside a trace, and the operations that accept them.
#include "helpers.h"

using namespace frit;

namespace {

static_assert(std::is_convertible_v<int, Size> && std::is_convertible_v<size_t, Size> &&
              std::is_convertible_v<int64_t, Size>);
static_assert(!std::is_convertible_v<bool, Size> && !std::is_convertible_v<double, Size>);
static_assert(std::is_convertible_v<Shape, Sizes> && std::is_convertible_v<std::vector<Size>, Sizes>);

Dtype dtype_of(const array& a) { return a.dtype(); }

TEST(Size, CountsLikeNumbers) {
  const array x = zeros({6, 4});
  const Size n = x.dim(0), m = x.dim(-1);
  EXPECT_TRUE(n.is_number());
  EXPECT_EQ((n + m).value(), 10);
  EXPECT_EQ((n - m).value(), 2);
  EXPECT_EQ((n * m).value(), 24);
  EXPECT_EQ((n / m).value(), 1);
  EXPECT_EQ((n % m).value(), 2);
  EXPECT_EQ((1 - n).value(), -5);
  EXPECT_EQ(((m - n) / 4).value(), -1);
  EXPECT_EQ(((m - n) % 4).value(), 2);
  EXPECT_EQ(min(n, m).value(), 4);
  EXPECT_EQ(max(n, 9).value(), 9);
  EXPECT_TRUE(n == 6 && n != m && m < n && n > m && m <= 4 && n >= 6);
  EXPECT_FALSE(n < m || n <= 5 || m > n);
  EXPECT_TRUE(contains(thrown<InvalidArgument>([&] { n / (m - 4); }), "not positive"));
  EXPECT_TRUE(contains(thrown<InvalidArgument>([&] { n % -1; }), "not positive"));
}

TEST(Size, OfAnArray) {
  const array x = zeros({2, 3, 5});
  EXPECT_EQ(x.dims().size(), 3u);
  EXPECT_EQ(x.dims()[2].value(), 5);
  EXPECT_THROW(x.dim(3), OutOfRange);
  EXPECT_THROW(x.dim(-4), OutOfRange);
}

TEST(Size, WhereShapesAreTaken) {
  const array x = zeros({2, 3});
  const Shape shape{3, 2};
  EXPECT_EQ(reshape(x, shape).shape(), shape);
  EXPECT_EQ(reshape(x, {x.dim(1), -1}).shape(), shape);
  EXPECT_EQ(reshape(x, {x.dim(0) * x.dim(1)}).shape(), (Shape{6}));
  EXPECT_EQ(reshape(zeros({1}), {}).shape(), Shape{});
  EXPECT_EQ(zeros({}).shape(), Shape{});
  EXPECT_EQ(zeros(x.dims()).shape(), x.shape());
  EXPECT_EQ(zeros({x.size(), 2}).shape(), (Shape{6, 2}));
  EXPECT_EQ(full({2, x.dim(1)}, 7).shape(), (Shape{2, 3}));
  EXPECT_EQ(full(shape, array(7)).shape(), shape);
  EXPECT_EQ(broadcast_to(x, {x.dim(1), 2, 3}).shape(), (Shape{3, 2, 3}));
  EXPECT_EQ(slice(x, {0, 1}, {x.dim(0), 3}).shape(), (Shape{2, 2}));
  EXPECT_EQ(slice(x, {0, 0}, {2, 3}, {1, 2}).shape(), (Shape{2, 2}));
  EXPECT_EQ(unflatten(x, 1, {3, 1}).shape(), (Shape{2, 3, 1}));
  EXPECT_EQ(as_strided(x, {x.dim(0), 2}, {3, 1}, 1).shape(), (Shape{2, 2}));
  EXPECT_EQ(tile(x, {2, x.dim(0)}).shape(), (Shape{4, 6}));
  EXPECT_EQ(repeat(x, 2, 1).shape(), (Shape{2, 6}));
  EXPECT_EQ(repeat(x, x.dim(0), 1).shape(), (Shape{2, 6}));
  EXPECT_EQ(repeat(x, 2).shape(), (Shape{12}));
  EXPECT_EQ(pad(x, 1).shape(), (Shape{4, 5}));
  EXPECT_EQ(pad(x, x.dim(0)).shape(), (Shape{6, 7}));
  EXPECT_EQ(pad(x, {0, 1}).shape(), (Shape{3, 4}));
  EXPECT_EQ(pad(x, {{0, 1}, {x.dim(0), 0}}).shape(), (Shape{3, 5}));
  EXPECT_EQ(pad(x, std::vector<std::pair<int, int>>{{0, 1}, {2, 0}}).shape(), (Shape{3, 5}));
  EXPECT_EQ(pad(x, std::pair<int, int>(1, 0)).shape(), (Shape{3, 4}));
  EXPECT_EQ(pad(x, {1}, {x.dim(0)}, {0}).shape(), (Shape{2, 5}));
  EXPECT_EQ(split(x, {1, 2}, 1).size(), 3u);
  EXPECT_EQ(split(x, Shape{1}, 1)[1].shape(), (Shape{2, 2}));
  EXPECT_EQ(split(x, {x.dim(0) - 1, x.dim(0)}, 1)[0].shape(), (Shape{2, 1}));
  EXPECT_EQ(split(x, 3, 1).size(), 3u);
  EXPECT_EQ(eye(x.dim(0), x.dim(1)).shape(), (Shape{2, 3}));
  EXPECT_EQ(eye(3, 2, 1).shape(), (Shape{3, 2}));
  EXPECT_EQ(identity(x.dim(0), int32).shape(), (Shape{2, 2}));
  EXPECT_EQ(tri(x.dim(0), 4, 0, bool_).shape(), (Shape{2, 4}));
}

TEST(Size, OverloadsOfArange) {
  const array x = zeros({2, 3});
  EXPECT_EQ(dtype_of(arange(5)), int32);
  EXPECT_EQ(dtype_of(arange(5.0)), float32);
  EXPECT_EQ(dtype_of(arange(0, 5)), int32);
  EXPECT_EQ(dtype_of(arange(0.0, 5.0)), float32);
  EXPECT_EQ(dtype_of(arange(0, 5, 2)), int32);
  EXPECT_EQ(dtype_of(arange(5, int8)), int8);
  EXPECT_EQ(dtype_of(arange(0, 5, 2, float64)), float64);
  EXPECT_EQ(dtype_of(arange(x.dim(1))), int32);
  EXPECT_EQ(dtype_of(arange(0, x.dim(1))), int32);
  EXPECT_EQ(dtype_of(arange(x.dim(1), float16)), float16);
  EXPECT_EQ(values<int>(arange(x.dim(1))), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(values<int>(arange(x.dim(0), 8, x.dim(1))), (std::vector<int>{2, 5}));
  EXPECT_EQ(values<int>(arange(x.dim(1), 0, -1)), (std::vector<int>{3, 2, 1}));
  EXPECT_EQ(values<int>(arange(x.dim(1), x.dim(0))), std::vector<int>{});
  EXPECT_EQ(values<float>(arange(1, x.dim(1), 1, float32)), (std::vector<float>{1, 2}));
  EXPECT_EQ(values<uint32_t>(arange(x.dim(1), 0, -1, uint32)), (std::vector<uint32_t>{3, 2, 1}));
  EXPECT_EQ(values<uint32_t>(arange(3.0, 0.0, -1.0, uint32)), (std::vector<uint32_t>{3, 2, 1}));
  EXPECT_EQ(printed(arange(0.0, -2.0, -1.0)), "array([0, -1], dtype=float32)");
  EXPECT_TRUE(contains(thrown<InvalidArgument>([&] { arange(0, x.dim(1), x.dim(0) - 2); }), "no length"));
  EXPECT_TRUE(contains(thrown<InvalidArgument>([&] { arange(x.dim(1), bool_); }), "no sequence"));
  EXPECT_TRUE(
      contains(thrown<InvalidArgument>([&] { arange(x.dim(1) * (int64_t{1} << 40)); }), "more than an axis holds"));
  EXPECT_EQ(values<float>(linspace(0, 1, x.dim(1))), (std::vector<float>{0, 0.5, 1}));
}

TEST(Size, TooLargeIsAnError) {
  const array x = zeros({1});
  EXPECT_TRUE(contains(thrown<InvalidArgument>([&] { zeros({int64_t{1} << 31}); }), "more than an axis holds"));
  EXPECT_TRUE(
      contains(thrown<InvalidArgument>([&] { broadcast_to(x, {int64_t{1} << 40}); }), "more than an axis holds"));
  EXPECT_TRUE(contains(thrown<InvalidArgument>([&] { repeat(x, int64_t{1} << 31, 0); }), "more than an axis holds"));
  EXPECT_TRUE(
      contains(thrown<InvalidArgument>([&] { flatten(broadcast_to(x, {65536, 65536})); }), "more than an axis holds"));
  // There is no array for a size whose bytes overflow a number.
  EXPECT_TRUE(contains(thrown<InvalidArgument>([&] { broadcast_to(x, {2147483647, 2147483647}); }), "bytes"));
  EXPECT_TRUE(contains(thrown<InvalidArgument>([&] { zeros({-1}); }), "negative"));
  EXPECT_NO_THROW(zeros({0, 2147483647, 2147483647}));
}

}  // namespace

TEST(Size, DoesNotOutliveItsTrace) {
  Size leaked = 3;
  auto f = compile(
      [&](array x) {
        leaked = x.dim(0) * 2;
        return x;
      },
      true);
  f(zeros({3}));
  const std::string text = thrown<InvalidArgument>([&] { zeros({leaked, 2}); });
  EXPECT_TRUE(contains(text, "the size 2*x_0 belongs to a trace that is over")) << text;
  EXPECT_TRUE(contains(text, "size_test.cpp:")) << text;
  EXPECT_TRUE(contains(thrown<InvalidArgument>([&] { (void)leaked.value(); }), "belongs to a trace that is over"));
}
