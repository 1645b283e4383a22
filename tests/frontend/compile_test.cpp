// compile(): when it traces, which arrays it captures, its results and its errors.
#include <cmath>
#include <cstdlib>
#include <memory>
#include <stdexcept>

#include "helpers.h"

using namespace frit;

namespace {

std::vector<array> list_function(const std::vector<array>& in) { return {exp(in[0]) + in[1]}; }
array plain_function(array x) { return x * 2.0f; }

}  // namespace

TEST(Compile, ListFunctions) {
  auto f = compile(list_function);
  auto out = f({array(0.0f), array(1.0f)});
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].item<float>(), 2.0f);
  std::function<std::vector<array>(const std::vector<array>&)> as_function = f;
  EXPECT_EQ(as_function({array(0.0f), array(2.0f)})[0].item<float>(), 3.0f);
  EXPECT_EQ(f.trace_count(), 1u);
}

TEST(Compile, TypedFunctions) {
  auto f = compile([](array x, array y) { return exp(-x) + y; });
  EXPECT_EQ(f(array(0.0f), array(1.0f)).item<float>(), 2.0f);
  auto g = compile(plain_function);
  EXPECT_EQ(g(array(3.0f)).item<float>(), 6.0f);
  auto two = compile([](const array& x) { return std::make_tuple(x + 1, x * 2); });
  auto [a, b] = two(array(5));
  EXPECT_EQ(a.item<int>(), 6);
  EXPECT_EQ(b.item<int>(), 10);
  auto pair = compile([](array x) { return std::pair<array, array>(x, -x); });
  EXPECT_EQ(pair(array(5)).second.item<int>(), -5);
  auto many = compile([](array x) { return split(x, 2); });
  EXPECT_EQ(values<int>(many(arange(4))[1]), (std::vector<int>{2, 3}));
}

TEST(Compile, IsLazyAndEqualsEager) {
  auto gelu = [](array x) { return x * (1.0f + erf(x / std::sqrt(2.0f))) / 2.0f; };
  auto f = compile(gelu);
  array x = linspace(-4, 4, 1001);
  array y = f(x);
  EXPECT_FALSE(y.is_available());
  EXPECT_TRUE(array_equal(y, gelu(x)).item<bool>());
  auto s = compile([](array v) { return softmax(v, -1); });
  array m = reshape(linspace(-3, 3, 600), {20, 30});
  EXPECT_TRUE(array_equal(s(m), softmax(m, -1)).item<bool>());
}

TEST(Compile, TracesOncePerSignature) {
  int traces = 0;
  auto f = compile([&](const std::vector<array>& in) -> std::vector<array> {
    ++traces;
    array total = in[0];
    for (size_t i = 1; i < in.size(); ++i) total = total + in[i];
    return {total};
  });
  array x({1, 2});
  EXPECT_EQ(values<int>(f({x, x})[0]), (std::vector<int>{2, 4}));
  f({x, x});
  EXPECT_EQ(traces, 1);
  f({array({1, 2, 3}), array({1, 2, 3})});  // shape
  EXPECT_EQ(traces, 2);
  f({array({1.0f, 2.0f}), x});  // dtype
  EXPECT_EQ(traces, 3);
  f({x, x, x});  // number
  EXPECT_EQ(traces, 4);
  f({reshape(x, {2, 1}), x});  // rank
  EXPECT_EQ(traces, 5);
  EXPECT_EQ(values<int>(f({x, x})[0]), (std::vector<int>{2, 4}));
  EXPECT_EQ(traces, 5);
  EXPECT_EQ(f.cache_size(), 5u);
  f.clear();
  f({x, x});
  EXPECT_EQ(traces, 6);
}

TEST(Compile, CapturedArraysAreConstants) {
  array scalar(3.0f);
  array table({1.0f, 2.0f, 3.0f});
  array lazy = table * 2.0f;
  auto f = compile([=](array x) { return x * scalar + table + lazy; });
  EXPECT_EQ(values<float>(f(ones({3}))), (std::vector<float>{6, 9, 12}));
  EXPECT_TRUE(lazy.is_available());
  EXPECT_EQ(values<float>(f(zeros({3}))), (std::vector<float>{3, 6, 9}));
  array seen({1.0f});
  auto by_reference = compile([&](array x) { return x + seen; });
  EXPECT_EQ(by_reference(array({1.0f})).item<float>(), 2.0f);
  seen = array({10.0f});
  EXPECT_EQ(by_reference(array({1.0f})).item<float>(), 2.0f);
}

TEST(Compile, CreatesArraysInside) {
  auto f = compile([](array x) { return x + arange(3.0) * 2.0f + ones({3}); });
  EXPECT_EQ(values<float>(f(array(0.0f))), (std::vector<float>{1, 3, 5}));
  auto none = compile([](const std::vector<array>&) -> std::vector<array> { return {zeros({2}) + 1.0f}; });
  EXPECT_EQ(values<float>(none({})[0]), (std::vector<float>{1, 1}));
}

TEST(Compile, OutputsThatAreInputsOrRepeat) {
  auto f = compile([](const std::vector<array>& in) -> std::vector<array> {
    array y = in[0] + 1;
    return {in[0], y, y, in[0]};
  });
  auto out = f({array({1, 2})});
  EXPECT_EQ(values<int>(out[0]), (std::vector<int>{1, 2}));
  EXPECT_EQ(values<int>(out[1]), (std::vector<int>{2, 3}));
  EXPECT_EQ(values<int>(out[2]), (std::vector<int>{2, 3}));
  EXPECT_EQ(values<int>(out[3]), (std::vector<int>{1, 2}));
}

TEST(Compile, EmptyFunctions) {
  auto f = compile([](const std::vector<array>&) -> std::vector<array> { return {}; });
  EXPECT_TRUE(f({array(1)}).empty());
  EXPECT_TRUE(f({}).empty());
  auto zero = compile([](array x) { return x + 1; });
  EXPECT_EQ(zero(zeros({0, 3})).shape(), (Shape{0, 3}));
  EXPECT_EQ(values<float>(zero(zeros({0}))).size(), 0u);
}

TEST(Compile, NestedFunctionsAreInlined) {
  int inner_calls = 0;
  auto inner = compile([&](array x) {
    ++inner_calls;
    return x * 2;
  });
  auto outer = compile([&](array x) { return inner(x) + inner(x + 1); });
  EXPECT_EQ(outer(array(3)).item<int>(), 14);
  EXPECT_EQ(outer(array(4)).item<int>(), 18);
  EXPECT_EQ(inner_calls, 2);
  EXPECT_EQ(inner.trace_count(), 0u);
}

TEST(Compile, RecursionWithOtherShapes) {
  std::function<std::vector<array>(const std::vector<array>&)> self;
  auto f = compile([&](const std::vector<array>& in) -> std::vector<array> {
    if (in[0].size() == 1) return {in[0]};
    auto halves = split(in[0], 2);
    return {self({halves[0]})[0] + self({halves[1]})[0]};
  });
  self = f;
  EXPECT_EQ(f({arange(8)})[0].item<int>(), 28);
}

TEST(Compile, StridedArguments) {
  auto f = compile([](array x) { return x * 2 + 1; });
  array x = reshape(arange(6), {2, 3});
  array t = transpose(reshape(arange(6), {3, 2}));
  EXPECT_EQ(values<int>(f(x)), (std::vector<int>{1, 3, 5, 7, 9, 11}));
  EXPECT_EQ(values<int>(f(t)), (std::vector<int>{1, 5, 9, 3, 7, 11}));
  EXPECT_EQ(values<int>(f(flip(x))), (std::vector<int>{11, 9, 7, 5, 3, 1}));
  EXPECT_EQ(values<int>(f(broadcast_to(array(4), {2, 3}))), (std::vector<int>(6, 9)));
  EXPECT_EQ(f.trace_count(), 1u);
}

TEST(Compile, ExceptionsPassThroughAndPoisonNothing) {
  bool fail = true;
  CompileOptions options;
  options.name = "shaky";
  auto f = compile(
      [&](array x) {
        if (fail) throw std::runtime_error("no luck");
        return x + 1;
      },
      options);
  EXPECT_EQ(thrown<std::runtime_error>([&] { f(array(1)); }), "no luck");
  EXPECT_EQ(f.cache_size(), 0u);
  fail = false;
  EXPECT_EQ(f(array(1)).item<int>(), 2);
  struct Odd {};
  auto g = compile([](array x) -> array {
    throw Odd{};
    return x;
  });
  EXPECT_THROW(g(array(1)), Odd);
  EXPECT_EQ((array(1) + array(2)).item<int>(), 3);  // no trace is left open
}

TEST(Compile, ShapeErrorsNameTheFunctionAndTheLine) {
  auto f = compile([](array x) { return x + zeros({7}); }, CompileOptions{.name = "wrong"});
  const std::string text = thrown<InvalidArgument>([&] { f(zeros({3})); });
  EXPECT_TRUE(contains(text, "add: float32 (3) and float32 (7)") && contains(text, "'wrong'") &&
              contains(text, "compile_test.cpp:"))
      << text;
}

TEST(Compile, ReadingAPlaceholderIsAnError) {
  auto f = compile([](array x) { return x.item<float>() > 0 ? x : -x; }, CompileOptions{.name = "peek"});
  std::string text = thrown<InvalidArgument>([&] { f(array(1.0f)); });
  EXPECT_TRUE(contains(text, "'peek'") && contains(text, "note:")) << text;
  auto g = compile(
      [](array x) {
        array y = exp(x);
        eval(y);
        return y;
      },
      CompileOptions{.name = "peek"});
  text = thrown<InvalidArgument>([&] { g(array(1.0f)); });
  EXPECT_TRUE(contains(text, "'exp'") && contains(text, "compile_test.cpp:")) << text;
  array leaked(0);
  auto h = compile([&](array x) { return leaked = x + 1; });
  h(array(1));
  EXPECT_TRUE(leaked.is_tracer());
  text = thrown<RuntimeError>([&] { leaked.eval(); });  // MLX's type, behind the trace
  EXPECT_TRUE(contains(text, "was traced has no value") && contains(text, "compile_test.cpp:")) << text;
  auto uses_leaked = compile([&](array x) { return x + leaked; });
  EXPECT_THROW(uses_leaked(array(1)), std::invalid_argument);
}

TEST(Compile, StateIsReadAndWritten) {
  array state(1.0f);
  CompileOptions options;
  options.inputs.add(state);
  options.outputs.add(state);
  int traces = 0;
  bool fail = false;
  auto step = compile(
      [&](array x) {
        ++traces;
        state = state + x;
        if (fail) throw std::runtime_error("stop");
        return state * 2.0f;
      },
      options);
  EXPECT_EQ(step(array(1.0f)).item<float>(), 4.0f);
  EXPECT_EQ(state.item<float>(), 2.0f);
  EXPECT_EQ(step(array(5.0f)).item<float>(), 14.0f);
  EXPECT_EQ(state.item<float>(), 7.0f);
  EXPECT_EQ(traces, 1);
  fail = true;
  EXPECT_THROW(step(zeros({2})), std::runtime_error);
  EXPECT_EQ(state.item<float>(), 7.0f);
}

TEST(Compile, StateInContainers) {
  std::vector<array> list{array(1), array(2)};
  std::unordered_map<std::string, array> named{{"a", array(10)}};
  CompileOptions options;
  options.inputs.add(list).add(named);
  options.outputs.add(list);
  auto f = compile(
      [&](array x) {
        list[0] = list[0] + x;
        list[1] = list[1] + named.at("a");
        return list[0] + list[1];
      },
      options);
  EXPECT_EQ(f(array(5)).item<int>(), 18);
  EXPECT_EQ(list[1].item<int>(), 12);
  named.at("a") = array(100);
  EXPECT_EQ(f(array(0)).item<int>(), 118);
}

TEST(Compile, EntriesAreFreedWithTheFunction) {
  auto witness = std::make_shared<int>(0);
  std::weak_ptr<int> alive = witness;
  const size_t before = get_active_memory();
  {
    array table = ones({1000}) + 0.0f;
    eval(table);
    auto f = compile([=](array x) { return (void)witness, x + table; });
    eval(f(ones({1000})));
  }
  witness.reset();
  EXPECT_TRUE(alive.expired());
  EXPECT_EQ(get_active_memory(), before);
}

TEST(Compile, Modes) {
  int calls = 0;
  auto f = compile([&](array x) {
    ++calls;
    return x + 1;
  });
  disable_compile();
  f(array(1));
  EXPECT_EQ(f(array(1)).item<int>(), 2);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(f.trace_count(), 0u);
  for (CompileMode mode : {CompileMode::no_fuse, CompileMode::no_simplify, CompileMode::enabled}) {
    set_compile_mode(mode);
    auto g = compile([](array x) { return exp(x) * 2.0f + sum(x); });
    array x = linspace(0, 1, 100);
    EXPECT_TRUE(array_equal(g(x), exp(x) * 2.0f + sum(x)).item<bool>());
  }
  enable_compile();
  EXPECT_EQ(get_compile_mode(), CompileMode::enabled);
}

TEST(Compile, KeepsABoundedNumberOfTraces) {
  auto f = compile([](array x) { return x + 1; });
  for (int n = 1; n <= 300; ++n) EXPECT_EQ(f(zeros({n})).size(), static_cast<size_t>(n));
  EXPECT_LE(f.cache_size(), 256u);
  EXPECT_EQ(f.trace_count(), 300u);
  f(zeros({300}));  // among the last used
  EXPECT_EQ(f.trace_count(), 300u);
  f(zeros({1}));
  EXPECT_EQ(f.trace_count(), 301u);
}

TEST(Compile, LargeGraphs) {
  auto f = compile([](array x) {
    for (int i = 0; i < 1000; ++i) x = x * 1.0f + 0.5f;
    return x;
  });
  EXPECT_EQ(f(array(0.0f)).item<float>(), 500.0f);
  auto wide = compile([](const std::vector<array>& in) -> std::vector<array> {
    array total = in[0];
    for (size_t i = 1; i < in.size(); ++i) total = total + in[i];
    return {total};
  });
  std::vector<array> many(64, array({1.0f, 2.0f}));
  EXPECT_EQ(values<float>(wide(many)[0]), (std::vector<float>{64, 128}));
}

TEST(Compile, Inspection) {
  auto f =
      compile([](array x) { return x * (1.0f + erf(x / std::sqrt(2.0f))) / 2.0f; }, CompileOptions{.name = "gelu"});
  Inspection seen = f.lower(zeros({8, 16}));
  EXPECT_TRUE(contains(seen.ir, "func @gelu(%x: f32[8, 16])")) << seen.ir;
  EXPECT_TRUE(contains(seen.ir, "erf"));
  EXPECT_TRUE(contains(seen.ir, "compile_test.cpp"));
  EXPECT_TRUE(contains(seen.optimised, "func @gelu"));
  EXPECT_EQ(seen.kernel_count, 1) << seen.kernels;
  // The symbol of the kernel, whatever the processor is.
  EXPECT_TRUE(contains(seen.assembly, ".globl\t")) << seen.assembly;
  EXPECT_TRUE(contains(seen.assembly, "ret")) << seen.assembly;
  // No kernel of frit's own, no code.
  EXPECT_EQ(compile([](array x) { return matmul(x, x); }).lower(zeros({8, 8})).assembly, "");
}

// Run once more by CTest with FRIT_DISABLE_COMPILE set to 1, to 0 and to nothing.
TEST(Environment, DisableCompile) {
  const char* text = std::getenv("FRIT_DISABLE_COMPILE");
  const bool disabled = text && *text && std::string(text) != "0";
  int calls = 0;
  auto f = compile([&](array x) {
    ++calls;
    return x + 1;
  });
  f(array(1));
  f(array(1));
  EXPECT_EQ(calls, disabled ? 2 : 1);
}
