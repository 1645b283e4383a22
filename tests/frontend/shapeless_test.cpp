// compile(fn, shapeless): one trace for any shape, its assumptions about sizes, new traces and their reasons.
#include <thread>

#include "helpers.h"

using namespace frit;

namespace {

// Equal to the untraced results for these arguments.
template <class F, class Compiled, class... A>
void expect_eager(const F& fn, const Compiled& compiled, const A&... arguments) {
  const array want = fn(arguments...), got = compiled(arguments...);
  ASSERT_EQ(got.shape(), want.shape());
  ASSERT_EQ(got.dtype(), want.dtype());
  EXPECT_TRUE(array_equal(got, want, issubdtype(want.dtype(), inexact)).template item<bool>());
}

array counted(Shape shape) {
  int n = 1;
  for (int d : shape) n *= d;
  return reshape(arange(0.0, static_cast<double>(n)), shape) * 0.25f - 1.0f;
}

}  // namespace

TEST(Shapeless, OneTraceServesEveryShape) {
  auto fn = [](array x) { return x * sigmoid(x) + 1.0f; };
  auto f = compile(fn, true);
  for (Shape shape : {Shape{3}, {1}, {0}, {1000}, {7}}) expect_eager(fn, f, counted(shape));
  EXPECT_EQ(f.trace_count(), 1u);
  EXPECT_EQ(f.cache_size(), 1u);
  // A new rank and a new dtype are traced.
  expect_eager(fn, f, counted({2, 3}));
  expect_eager(fn, f, astype(counted({3}), float16));
  EXPECT_EQ(f.trace_count(), 3u);
}

TEST(Shapeless, EqualSizesAreAssumedAndChecked) {
  auto fn = [](array x, array y) { return abs(x + y); };
  auto f = compile(fn, true);
  expect_eager(fn, f, counted({3}), counted({3}));
  expect_eager(fn, f, counted({5}), counted({5}));
  EXPECT_EQ(f.trace_count(), 1u);
  // Sizes that do not broadcast give the same error as without compile, never a read past the end.
  EXPECT_TRUE(contains(thrown<InvalidArgument>([&] { f(counted({2}), counted({3})); }), "do not broadcast"));
  EXPECT_EQ(f.trace_count(), 1u);
  expect_eager(fn, f, counted({0}), counted({1}));
  EXPECT_EQ(f(counted({0}), counted({1})).shape(), Shape{0});
  expect_eager(fn, f, counted({1}), counted({5}));
  expect_eager(fn, f, counted({5}), counted({1}));
  expect_eager(fn, f, counted({1}), counted({1}));
  // Size one of either operand is a separate entry; the other size is open in each.
  EXPECT_LE(f.trace_count(), 3u);
  const size_t traces = f.trace_count();
  expect_eager(fn, f, counted({1}), counted({9}));
  expect_eager(fn, f, counted({9}), counted({1}));
  EXPECT_EQ(f.trace_count(), traces);
}

TEST(Shapeless, ReadingAShapeHoldsTheTraceToIt) {
  auto fn = [](array x) { return x + arange(x.shape(0)); };
  auto f = compile(fn, true);
  expect_eager(fn, f, counted({2}));
  expect_eager(fn, f, counted({3}));
  EXPECT_EQ(f.trace_count(), 2u);
  expect_eager(fn, f, counted({2}));
  EXPECT_EQ(f.trace_count(), 2u);

  auto open = [](array x) { return x + arange(x.dim(0)); };
  auto g = compile(open, true);
  for (int n : {2, 3, 0, 1, 100}) expect_eager(open, g, counted({n}));
  EXPECT_EQ(g.trace_count(), 1u);
}

TEST(Shapeless, ReshapeThroughShapeAndDim) {
  auto fn = [](array x) { return reshape(x, {x.shape(0) * x.shape(1), -1}); };
  auto f = compile(fn, true);
  expect_eager(fn, f, counted({2, 3, 4}));
  expect_eager(fn, f, counted({5, 5, 3}));
  EXPECT_EQ(f.trace_count(), 2u);

  auto open = [](array x) { return reshape(x, {x.dim(0) * x.dim(1), -1}); };
  auto g = compile(open, true);
  expect_eager(open, g, counted({2, 3, 4}));
  expect_eager(open, g, counted({5, 5, 3}));
  expect_eager(open, g, counted({1, 1, 1}));
  EXPECT_EQ(g.trace_count(), 1u);
}

TEST(Shapeless, ReshapeThatDivides) {
  auto fn = [](array x) { return sum(reshape(x, {-1, 4}), 0); };
  auto f = compile(fn, true);
  expect_eager(fn, f, counted({8}));
  expect_eager(fn, f, counted({12}));
  expect_eager(fn, f, counted({0}));
  EXPECT_EQ(f.trace_count(), 1u);
  EXPECT_TRUE(contains(thrown<InvalidArgument>([&] { f(counted({6})); }), "reshape"));
}

TEST(Shapeless, FlattenAndUnflatten) {
  auto fn = [](array x) { return flatten(x, 0, 1) * 2.0f; };
  auto f = compile(fn, true);
  for (Shape shape : {Shape{2, 3, 4}, {5, 1, 3}, {0, 3, 2}, {1, 1, 1}}) expect_eager(fn, f, counted(shape));
  EXPECT_EQ(f.trace_count(), 1u);
  auto back = [](array x) { return unflatten(x, 0, {-1, 2}) + 1.0f; };
  auto g = compile(back, true);
  for (Shape shape : {Shape{4, 3}, {6, 1}, {2, 2}}) expect_eager(back, g, counted(shape));
  EXPECT_EQ(g.trace_count(), 1u);
  auto both = [](array x) { return unflatten(exp(flatten(x, 0, 1)), 0, {x.dim(0), x.dim(1)}); };
  auto h = compile(both, true);
  for (Shape shape : {Shape{2, 3, 4}, {5, 1, 3}, {4, 4, 4}}) expect_eager(both, h, counted(shape));
  EXPECT_EQ(h.trace_count(), 1u);
}

TEST(Shapeless, RowsAndReductions) {
  auto fn = [](array x) { return softmax(x, -1); };
  auto f = compile(fn, true);
  for (Shape shape : {Shape{2, 1}, {2, 3}, {1, 1000}, {64, 65}, {3, 4}}) expect_eager(fn, f, counted(shape));
  EXPECT_EQ(f.trace_count(), 1u);
  for (auto reduce :
       {+[](array x) { return mean(x, 0); }, +[](array x) { return sum(x, 0); }, +[](array x) { return var(x, 0); },
        +[](array x) { return max(x, 0); }, +[](array x) { return astype(argmax(x, 0), float32); }}) {
    auto g = compile(reduce, true);
    // The reduced axis has one element when it is traced.
    for (Shape shape : {Shape{1, 3}, {7, 3}, {7, 1}, {1, 1}, {100, 5}}) expect_eager(reduce, g, counted(shape));
    EXPECT_EQ(g.trace_count(), 1u);
  }
}

TEST(Shapeless, NothingToReduceIsAnErrorAtTheCall) {
  auto f = compile([](array x) { return max(x, 0); }, true);
  f(counted({4})).eval();
  EXPECT_TRUE(contains(thrown<InvalidArgument>([&] { f(counted({0})); }), "empty"));
  auto sum_of = compile([](array x) { return sum(x, 0); }, true);
  EXPECT_EQ(sum_of(counted({4})).item<float>(), sum(counted({4})).item<float>());
  EXPECT_EQ(sum_of(counted({0})).item<float>(), 0.0f);
  EXPECT_EQ(sum_of.trace_count(), 1u);
}

TEST(Shapeless, Matmul) {
  auto fn = [](array a, array b) { return matmul(a, b) + 1.0f; };
  auto f = compile(fn, true);
  struct Sizes4 {
    int batch, rows, inner, columns;
  };
  for (auto [b, m, k, n] : {Sizes4{2, 3, 4, 5}, {3, 3, 3, 3}, {1, 1, 7, 2}, {4, 8, 1, 8}, {2, 16, 33, 1}})
    expect_eager(fn, f, counted({b, m, k}), counted({b, k, n}));
  EXPECT_EQ(f.trace_count(), 1u);
  EXPECT_TRUE(contains(thrown<InvalidArgument>([&] { f(counted({2, 3, 4}), counted({2, 5, 6})); }), "matmul"));
  // One matrix for the whole batch.
  auto g = compile(fn, true);
  for (auto [b, m, k, n] : {Sizes4{2, 3, 4, 5}, {3, 3, 3, 3}, {5, 1, 7, 2}})
    expect_eager(fn, g, counted({b, m, k}), counted({k, n}));
  EXPECT_EQ(g.trace_count(), 1u);
}

TEST(Shapeless, JoiningAndCutting) {
  auto join = [](array x, array y) { return concatenate({x, y, x}, 0); };
  auto f = compile(join, true);
  for (auto [n, m, k] : {std::tuple{2, 3, 4}, {3, 3, 3}, {0, 2, 5}, {4, 0, 1}})
    expect_eager(join, f, counted({n, k}), counted({m, k}));
  EXPECT_EQ(f.trace_count(), 1u);
  auto padded = [](array x) { return pad(x, {{1, 2}, {0, 3}}, array(7.0f)); };
  auto g = compile(padded, true);
  for (Shape shape : {Shape{2, 3}, {0, 1}, {5, 5}}) expect_eager(padded, g, counted(shape));
  EXPECT_EQ(g.trace_count(), 1u);
  auto halves = [](array x) {
    auto parts = split(x, 2, -1);
    return parts[0] * sigmoid(parts[1]);
  };
  auto h = compile(halves, true);
  for (Shape shape : {Shape{2, 4}, {3, 8}, {1, 2}, {2, 0}}) expect_eager(halves, h, counted(shape));
  EXPECT_EQ(h.trace_count(), 1u);
  EXPECT_TRUE(contains(thrown<InvalidArgument>([&] { h(counted({2, 5})); }), "split"));
  auto tiled = [](array x) { return tile(x, {2, 3}); };
  auto t = compile(tiled, true);
  for (Shape shape : {Shape{2, 3}, {1, 1}, {0, 4}}) expect_eager(tiled, t, counted(shape));
  EXPECT_EQ(t.trace_count(), 1u);
  auto copies = [](array x) { return repeat(x, 3, 1); };
  auto r = compile(copies, true);
  for (Shape shape : {Shape{2, 3}, {1, 1}, {0, 4}}) expect_eager(copies, r, counted(shape));
  EXPECT_EQ(r.trace_count(), 1u);
}

TEST(Shapeless, FullLikeAndProductsOfZero) {
  auto fn = [](array x) { return full_like(x, array(3.0f)) + x; };
  auto f = compile(fn, true);
  for (Shape shape : {Shape{2, 3}, {0, 5}, {5, 0}, {0, 0}, {1, 1}}) expect_eager(fn, f, counted(shape));
  EXPECT_EQ(f.trace_count(), 1u);
}

TEST(Shapeless, SlicesStayInside) {
  auto fn = [](array x) { return slice(x, {1}, {4}) * 2.0f; };
  auto f = compile(fn, true);
  expect_eager(fn, f, counted({6}));
  expect_eager(fn, f, counted({4}));
  expect_eager(fn, f, counted({100}));
  EXPECT_EQ(f.trace_count(), 1u);
  // Shorter arrays cut the slice short: another trace, never a read past the end.
  expect_eager(fn, f, counted({3}));
  expect_eager(fn, f, counted({2}));
  expect_eager(fn, f, counted({1}));
  expect_eager(fn, f, counted({0}));
  EXPECT_LE(f.trace_count(), 4u);
  auto open = [](array x) { return slice(x, {1}, {x.dim(0) - 1}); };
  auto g = compile(open, true);
  for (int n : {5, 2, 9}) expect_eager(open, g, counted({n}));
  EXPECT_EQ(g.trace_count(), 1u);
}

TEST(Shapeless, StridedAndBroadcastArguments) {
  auto fn = [](array x) { return exp(x) + 1.0f; };
  auto f = compile(fn, true);
  for (int n : {3, 8, 1}) {
    expect_eager(fn, f, counted({n, 4}));
    expect_eager(fn, f, transpose(counted({4, n})));
    expect_eager(fn, f, broadcast_to(counted({4}), {n, 4}));
    expect_eager(fn, f, slice(counted({2 * n, 9}), {0, 1}, {2 * n, 9}, {2, 2}));
  }
  // Layouts are variants of the code, not traces.
  EXPECT_EQ(f.trace_count(), 1u);
}

TEST(Shapeless, ResultsPastTheCachesHaveTheSameBits) {
  auto fn = [](array x) { return x * 0.5f + 1.0f; };
  auto f = compile(fn, true);
  // Below and above 32 MiB of results: the larger one may use non-temporal stores.
  for (int rows : {3, 9000, 9001}) expect_eager(fn, f, counted({rows, 1027}));
  EXPECT_EQ(f.trace_count(), 1u);
}

TEST(Shapeless, BranchesOnSizes) {
  auto fn = [](array x) { return x.dim(0) > 4 ? x * 2.0f : x + 1.0f; };
  auto f = compile(fn, true);
  for (int n : {5, 6, 100}) expect_eager(fn, f, counted({n}));
  EXPECT_EQ(f.trace_count(), 1u);
  for (int n : {4, 3, 0}) expect_eager(fn, f, counted({n}));
  EXPECT_EQ(f.trace_count(), 2u);
}

TEST(Shapeless, ManyElements) {
  // 2^33 elements that one byte holds: index arithmetic without the memory.
  auto f =
      compile([](array x) { return sum(slice(x, {x.dim(0) - 1, x.dim(1) - 3}, {x.dim(0), x.dim(1)}), {0, 1}); }, true);
  EXPECT_EQ(f(counted({4, 5})).item<float>(), sum(slice(counted({4, 5}), {3, 2}, {4, 5})).item<float>());
  const array wide = broadcast_to(array({1.5f}), {1 << 17, 1 << 16});
  EXPECT_EQ(f(wide).item<float>(), 4.5f);
  EXPECT_EQ(f.trace_count(), 1u);
  auto flat = compile([](array x) { return flatten(x); }, true);
  flat(counted({4, 5})).eval();
  EXPECT_TRUE(contains(thrown<InvalidArgument>([&] { flat(wide); }), "axis"));
}

TEST(Shapeless, MissesAreExplained) {
  Log log;
  auto f = compile([](array x) { return x + arange(x.shape(0)); }, {.name = "ramp", .shapeless = true});
  f(counted({2}));
  EXPECT_TRUE(log.lines().empty());
  f(counted({3}));
  ASSERT_EQ(log.lines().size(), 1u);
  const std::string line = log.lines()[0];
  EXPECT_TRUE(contains(line, "ramp: traced again (2nd): shape at ")) << line;
  EXPECT_TRUE(contains(line, "shapeless_test.cpp:")) << line;
  EXPECT_TRUE(contains(line, "assumed x.dim(0) == 2, but it is 3; read the size with dim() instead of shape() there"))
      << line;
  EXPECT_TRUE(contains(f.explain(), line));
  EXPECT_TRUE(contains(f.explain(), "ramp: 2 calls, 0 hits, 2 traces, ")) << f.explain();

  auto gelu = compile([](array x) { return x * 2.0f; }, {.name = "gelu"});
  gelu(counted({4, 4}));
  gelu(counted({2, 4}));
  gelu(counted({8, 4}));
  EXPECT_EQ(log.lines().back(),
            "gelu: traced again (3rd): argument 0 'x' is f32[8, 4], was f32[2, 4]; for one trace that serves every "
            "size compile with shapeless, or declare axis 0 of 'x' open in the signature");
  gelu(counted({8}));
  EXPECT_TRUE(contains(log.lines().back(), "argument 0 'x' is f32[8], was f32[8, 4]; a trace serves one rank"))
      << log.lines().back();
  gelu(astype(counted({8}), float16));
  EXPECT_TRUE(contains(log.lines().back(), "is f16[8], was f32[8]; a trace serves one dtype")) << log.lines().back();
}

TEST(Shapeless, StrictRefusesWithTheFact) {
  auto f = compile([](array x, array y) { return x + y; }, {.name = "add2", .shapeless = true, .strict = true});
  f(counted({3}), counted({3})).eval();
  const std::string text = thrown<InvalidArgument>([&] { f(counted({1}), counted({3})); });
  EXPECT_TRUE(contains(text, "add2: add at ")) << text;
  EXPECT_TRUE(contains(text, "shapeless_test.cpp:")) << text;
  EXPECT_TRUE(contains(text, "assumed x.dim(0) == y.dim(0), but they are 1 and 3")) << text;
  // Ranks and dtypes do not count as broken facts.
  f(counted({3, 1}), counted({3, 1})).eval();
}

TEST(Shapeless, TracesMayBeLimited) {
  auto f = compile([](array x) { return x + 1.0f; }, {.name = "few", .max_traces = 2});
  f(counted({1}));
  f(counted({2}));
  const std::string text = thrown<InvalidArgument>([&] { f(counted({3})); });
  EXPECT_TRUE(contains(text, "few: one trace more than the 2 allowed is needed: argument 0 'x' is f32[3], was f32[2]"))
      << text;
  f(counted({2}));
}

TEST(Shapeless, DeclaredSizes) {
  auto fn = [](array x, array w) { return softmax(matmul(x, w), -1); };
  auto f = compile(fn, {.name = "head",
                        .dims = {{"b", 1, 64}, {"n", Dim::multiple_of(16)}},
                        .signature = {{{"b", "n"}, float32}, {{"n", 8}, float32}}});
  f.compile_ahead();
  EXPECT_EQ(f.trace_count(), 1u);
  const std::string ir = f.lower().ir;
  EXPECT_TRUE(contains(ir, "%x: f32[b, n], %y: f32[n, 8]")) << ir;
  EXPECT_TRUE(contains(ir, "b in [1, 64]")) << ir;
  EXPECT_TRUE(contains(ir, "n % 16 == 0")) << ir;
  for (int b : {1, 3, 64})
    for (int n : {16, 48}) expect_eager(fn, f, counted({b, n}), counted({n, 8}));
  EXPECT_EQ(f.trace_count(), 1u);
  EXPECT_EQ(f.stats().hits, f.stats().calls);
  EXPECT_TRUE(
      contains(thrown<InvalidArgument>([&] { f(counted({65, 16}), counted({16, 8})); }), "'b' is declared in [1, 64]"));
  EXPECT_TRUE(contains(thrown<InvalidArgument>([&] { f(counted({3, 8}), counted({8, 8})); }), "as a multiple of 16"));
  EXPECT_TRUE(contains(thrown<InvalidArgument>([&] { f(counted({3, 16}), counted({32, 8})); }),
                       "'n' is 16 in an earlier axis"));
  EXPECT_TRUE(contains(thrown<InvalidArgument>([&] { f(counted({3, 16}), counted({16, 9})); }), "axis 1 has to be 8"));
  EXPECT_EQ(f.trace_count(), 1u);
}

TEST(Shapeless, TracesWithoutData) {
  auto f = compile([](array x) { return x * 2.0f + arange(x.dim(1)); }, true);
  const std::string ir = f.lower(ShapeDtype{{"b", "n"}, float16}).ir;
  EXPECT_TRUE(contains(ir, "%x: f16[b, n]")) << ir;
  f.compile_ahead(ShapeDtype({"b", "n"}));
  const size_t traces = f.trace_count();
  EXPECT_EQ(f(counted({2, 3})).shape(), (Shape{2, 3}));
  EXPECT_EQ(f.trace_count(), traces);
  // A size without a value cannot be read.
  auto g = compile([](array x) { return x + arange(x.shape(0)); }, {.name = "ramp", .shapeless = true});
  const std::string text = thrown<InvalidArgument>([&] { g.compile_ahead(ShapeDtype({"n"})); });
  EXPECT_TRUE(contains(text, "shape: the size n is not known while 'ramp' is traced without data")) << text;
  EXPECT_TRUE(contains(text, "use dim()")) << text;
  // Sizes of two names are not taken to be equal.
  auto add = compile([](array x, array y) { return x + y; }, true);
  EXPECT_TRUE(contains(thrown<InvalidArgument>([&] { add.compile_ahead(ShapeDtype({"n"}), ShapeDtype({"m"})); }),
                       "do not broadcast"));
  add.compile_ahead(ShapeDtype({"n"}), ShapeDtype({"n"}));
  EXPECT_TRUE(
      contains(thrown<InvalidArgument>([&] { compile([](array x) { return x; }).compile_ahead(ShapeDtype({"n"})); }),
               "not declared"));
  // Numbers need no declaration.
  auto fixed = compile([](array x) { return x + 1.0f; });
  fixed.compile_ahead(ShapeDtype({4, 4}));
  fixed(counted({4, 4})).eval();
  EXPECT_EQ(fixed.trace_count(), 1u);
  EXPECT_EQ(fixed.stats().hits, 1u);
}

TEST(Shapeless, CapturedArraysAndState) {
  const array weights = counted({4, 4});
  auto fn = [&](array x) { return matmul(x, weights); };
  auto f = compile(fn, true);
  for (int n : {1, 3, 9}) expect_eager(fn, f, counted({n, 4}));
  EXPECT_EQ(f.trace_count(), 1u);
  EXPECT_TRUE(contains(thrown<InvalidArgument>([&] { f(counted({3, 5})); }), "matmul"));
  array state = zeros({3});
  auto g = compile(
      [&](array x) {
        state = state + x;
        return state * 2.0f;
      },
      {.shapeless = true, .inputs = {&state}, .outputs = {&state}});
  EXPECT_EQ(values<float>(g(ones({3}))), (std::vector<float>{2, 2, 2}));
  EXPECT_EQ(values<float>(g(ones({3}))), (std::vector<float>{4, 4, 4}));
  state = zeros({2});
  EXPECT_EQ(values<float>(g(ones({2}))), (std::vector<float>{2, 2}));
  EXPECT_EQ(g.trace_count(), 1u);
}

TEST(Shapeless, ManyThreadsTraceOnce) {
  auto fn = [](array x) { return exp(x) * 2.0f; };
  auto f = compile(fn, true);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        const array x = counted({1 + (t * 20 + i) % 37});
        if (!array_equal(f(x), fn(x)).item<bool>()) ++wrong;
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(f.trace_count(), 1u);
}

TEST(Shapeless, ManyThreadsCompileAheadOnce) {
  auto f = compile([](array x) { return exp(x) * 3.0f; }, {.signature = {{{"n", 4}, float32}}});
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) threads.emplace_back([&] { f.compile_ahead(); });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(f.trace_count(), 1u);
}

TEST(Shapeless, NestedAndDisabled) {
  auto inner = compile([](array x) { return x + arange(x.dim(0)); }, true);
  auto outer = compile([&](array x) { return inner(x) * 2.0f; }, true);
  for (int n : {2, 5}) EXPECT_EQ(values<float>(outer(zeros({n}))).back(), 2.0f * static_cast<float>(n - 1));
  EXPECT_EQ(outer.trace_count(), 1u);
  EXPECT_EQ(inner.trace_count(), 0u);
  disable_compile();
  EXPECT_EQ(values<float>(outer(zeros({3}))), (std::vector<float>{0, 2, 4}));
  enable_compile();
}
