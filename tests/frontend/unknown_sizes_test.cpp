// Functions that are traced without data: open sizes are unknown, and no number stands for them.
#include "helpers.h"

using namespace frit;

namespace {

template <class F>
auto declared(F f, std::vector<DimDeclaration> dims, std::vector<ShapeDtype> signature) {
  return compile(f, {.name = "f", .dims = std::move(dims), .signature = std::move(signature)});
}

}  // namespace

TEST(UnknownSizes, AreAtLeastTheNumbersTheyMeet) {
  auto f = declared([](array x) { return slice(x, {0}, {100}); }, {{"n"}}, {{{"n"}, float32}});
  f.compile_ahead();
  EXPECT_EQ(f(ones({5000})).shape(), (Shape{100}));
  EXPECT_EQ(f.trace_count(), 1u);
  EXPECT_TRUE(contains(f.explain(), "100 <= n")) << f.explain();
  // A call that breaks the assumption is traced again.
  EXPECT_EQ(f(ones({7})).shape(), (Shape{7}));
  EXPECT_EQ(f.trace_count(), 2u);
}

TEST(UnknownSizes, BoundsDecideFirst) {
  auto f = declared([](array x) { return slice(x, {0}, {100}); }, {{"n", 1, 50}}, {{{"n"}, float32}});
  f.compile_ahead();
  EXPECT_EQ(f(ones({7})).shape(), (Shape{7}));
  EXPECT_EQ(f.trace_count(), 1u);
}

TEST(UnknownSizes, TwoThatDoNotCompareAreAnError) {
  auto f = declared([](array x, array y) { return slice(x, {0}, {y.dim(0)}); }, {{"n"}, {"m"}},
                    {{{"n"}, float32}, {{"m"}, float32}});
  const std::string text = thrown<InvalidArgument>([&] { f.compile_ahead(); });
  EXPECT_TRUE(contains(text, "slice: whether m <= n is not known while 'f' is traced without data")) << text;
  // With arguments the hints decide.
  EXPECT_EQ(f(ones({7}), ones({3})).shape(), (Shape{3}));
  // Bounds decide too.
  auto g = declared([](array x, array y) { return slice(x, {0}, {y.dim(0)}); }, {{"n", 10, 20}, {"m", 1, 10}},
                    {{{"n"}, float32}, {{"m"}, float32}});
  g.compile_ahead();
  EXPECT_EQ(g(ones({12}), ones({3})).shape(), (Shape{3}));
  EXPECT_EQ(g.trace_count(), 1u);
}

TEST(UnknownSizes, AreEqualOnlyWhereItIsProven) {
  auto f = declared([](array x, array y) { return x + y; }, {{"n"}, {"m"}}, {{{"n"}, float32}, {{"m"}, float32}});
  const std::string text = thrown<InvalidArgument>([&] { f.compile_ahead(); });
  EXPECT_TRUE(contains(text, "(n)") && contains(text, "(m)")) << text;
  EXPECT_FALSE(contains(text, "=")) << text;
  auto g = declared([](array x, array y) { return x + y; }, {{"n"}}, {{{"n"}, float32}, {{"n"}, float32}});
  g.compile_ahead();
  EXPECT_EQ(values<float>(g(ones({3}), ones({3}))), (std::vector<float>{2, 2, 2}));
}

TEST(UnknownSizes, HaveNoNumberToRead) {
  for (auto read : {+[](array x) { return x + x.shape(0); }, +[](array x) { return x + static_cast<int>(x.size()); },
                    +[](array x) { return x + static_cast<int>(x.dim(0).value()); }}) {
    auto f = declared(read, {{"n"}}, {{{"n"}, float32}});
    EXPECT_TRUE(contains(thrown<InvalidArgument>([&] { f.compile_ahead(); }), "the size n is not known"));
  }
}

TEST(UnknownSizes, DeclarationsOfOtherNamesAreOtherTraces) {
  auto f = compile([](array x, array y) { return sum(x) + sum(y); }, {.name = "f", .shapeless = true});
  f.compile_ahead(ShapeDtype{{"a", "a"}, float32}, ShapeDtype{{"a"}, float32});
  f.compile_ahead(ShapeDtype{{"a", "a"}, float32}, ShapeDtype{{"a"}, float32});
  EXPECT_EQ(f.trace_count(), 1u);
  f.compile_ahead(ShapeDtype{{"a", "b"}, float32}, ShapeDtype{{"a"}, float32});
  EXPECT_EQ(f.trace_count(), 2u);
}

TEST(UnknownSizes, ManyOperationsNeedNone) {
  auto f = declared(
      [](array x) {
        array y = reshape(x, {x.dim(0) * x.dim(1)});
        array z = concatenate({y, flip(y, 0)}, 0);
        array m = pad(softmax(x, 1), {{1, 1}, {0, 2}});
        return sum(m) + sum(z) + sum(squeeze(expand_dims(x, 0), 0)) + sum(slice(x, {0, 0}, {1, -1}));
      },
      {{"n", 1, 64}, {"m", 2, 64}}, {{{"n", "m"}, float32}});
  f.compile_ahead();
  EXPECT_EQ(f(ones({3, 4})).item<float>(), 3 + 24 + 12 + 3);
  EXPECT_EQ(f.trace_count(), 1u);
}
