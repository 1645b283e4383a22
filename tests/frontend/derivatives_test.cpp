// vjp, jvp, grad and value_and_grad: values, nesting, errors. Expected numbers are derived by hand or were measured
// with MLX 0.32.
#include <cmath>

#include "helpers.h"

namespace frit::test::derivatives_test {
namespace {

using Arrays = std::vector<array>;
using Unary = std::function<array(const array&)>;

float value(const array& a) { return array(a).item<float>(); }
std::vector<float> floats(const array& a) { return values<float>(a); }

TEST(Derivatives, GradientsOfOneNumber) {
  const Unary square = [](const array& x) { return x * x; };
  EXPECT_EQ(value(grad(square)(array(3.0f))), 6.0f);
  EXPECT_EQ(value(grad(grad(square))(array(3.0f))), 2.0f);
  EXPECT_EQ(value(grad(grad(grad(square)))(array(3.0f))), 0.0f);
  auto [v, g] = value_and_grad(square)(array(1.5f));
  EXPECT_EQ(value(v), 2.25f);
  EXPECT_EQ(value(g), 3.0f);
  EXPECT_NEAR(value(grad(Unary([](const array& x) { return tanh(x); }))(array(0.5f))), 0.7864477f, 1e-6);
}

TEST(Derivatives, OfSeveralArguments) {
  const std::function<array(const Arrays&)> f = [](const Arrays& x) { return sum(x[0] * x[1]); };
  const Arrays x{array({1.0f, 2.0f}), array({3.0f, 4.0f})};
  EXPECT_EQ(floats(grad(f)(x)[0]), (std::vector<float>{3, 4}));
  EXPECT_EQ(floats(grad(f, 1)(x)[0]), (std::vector<float>{1, 2}));
  const Arrays both = grad(f, std::vector<int>{1, 0})(x);
  EXPECT_EQ(floats(both[0]), (std::vector<float>{3, 4}));
  EXPECT_EQ(floats(both[1]), (std::vector<float>{1, 2}));
}

TEST(Derivatives, OfSeveralResultsTheFirstCounts) {
  const std::function<Arrays(const Arrays&)> f = [](const Arrays& x) { return Arrays{sum(x[0]), x[0] * x[0]}; };
  auto [v, g] = value_and_grad(f)({array({1.0f, 2.0f})});
  ASSERT_EQ(v.size(), 2u);
  EXPECT_EQ(floats(v[1]), (std::vector<float>{1, 4}));
  EXPECT_EQ(floats(g[0]), (std::vector<float>{1, 1}));
}

TEST(Derivatives, AFunctionWithoutResultsHasTheGradientZero) {
  const std::function<Arrays(const Arrays&)> f = [](const Arrays&) { return Arrays{}; };
  auto [v, g] = value_and_grad(f, {0, 1})({array({1.0f, 2.0f}), array(3.0f)});
  EXPECT_EQ(v.size(), 0u);
  ASSERT_EQ(g.size(), 2u);
  EXPECT_EQ(floats(g[0]), (std::vector<float>{0, 0}));
  EXPECT_EQ(value(g[1]), 0.0f);
}

TEST(Derivatives, CotangentsMeetTheJacobian) {
  const std::function<Arrays(const Arrays&)> f = [](const Arrays& x) { return Arrays{x[0] * x[1], x[0] + x[1]}; };
  auto [v, g] = vjp(f, {array(2.0f), array(3.0f)}, {array(1.0f), array(10.0f)});
  EXPECT_EQ(value(v[0]), 6.0f);
  EXPECT_EQ(value(g[0]), 13.0f);
  EXPECT_EQ(value(g[1]), 12.0f);
  auto [w, t] = jvp(f, {array(2.0f), array(3.0f)}, {array(1.0f), array(10.0f)});
  EXPECT_EQ(value(t[0]), 23.0f);
  EXPECT_EQ(value(t[1]), 11.0f);
}

// A loss, its gradient in one compiled function, for numbers and for any size.
TEST(Derivatives, InsideCompiledFunctions) {
  const auto loss = [](const array& w, const array& x) { return mean(square(matmul(x, w) - 1.0f)); };
  const auto step = [&](array w, array x) { return grad(Unary([&](const array& v) { return loss(v, x); }))(w); };
  const array w = reshape(arange(0.0f, 6.0f, 1.0f), {3, 2}), x = reshape(arange(0.0f, 12.0f, 1.0f), {4, 3}) / 10.0f;
  const std::vector<float> eager = floats(step(w, x));
  auto fixed = compile(step);
  EXPECT_EQ(floats(fixed(w, x)).size(), 6u);
  auto open = compile(step, true);
  const std::vector<float> c = floats(fixed(w, x)), o = floats(open(w, x));
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(c[i], eager[i], 1e-5f);
    EXPECT_NEAR(o[i], eager[i], 1e-5f);
  }
  const array more = reshape(arange(0.0f, 15.0f, 1.0f), {5, 3}) / 10.0f;
  const std::vector<float> again = floats(open(w, more)), want = floats(step(w, more));
  for (size_t i = 0; i < 6; ++i) EXPECT_NEAR(again[i], want[i], 1e-5f);
}

TEST(Derivatives, OfCompiledFunctions) {
  auto square = compile([](array x) { return x * x * x; });
  EXPECT_EQ(value(grad(Unary([&](const array& x) { return square(x); }))(array(2.0f))), 12.0f);
}

TEST(Derivatives, ClosuresMayUseArraysOfOuterTraces) {
  // d/dy of (d/dx x^2 y) at x = y.
  const Unary f = [](const array& y) { return grad(Unary([&](const array& x) { return x * x * y; }))(y) * 1.0f; };
  EXPECT_EQ(value(f(array(3.0f))), 18.0f);
  // f(y) = 2 y^2, as x stands for y too.
  EXPECT_EQ(value(grad(f)(array(3.0f))), 12.0f);
  const array captured = array({1.0f, 2.0f}) + 1.0f;
  EXPECT_EQ(floats(grad(Unary([&](const array& x) { return sum(x * captured); }))(array({5.0f, 6.0f}))),
            (std::vector<float>{2, 3}));
}

TEST(Derivatives, HessianTimesVector) {
  const Unary f = [](const array& x) { return sum(x * x * x); };
  const array x({1.0f, 2.0f, 3.0f}), v({1.0f, 0.0f, 2.0f});
  auto [g, hv] = jvp(grad(f), x, v);
  EXPECT_EQ(floats(g), (std::vector<float>{3, 12, 27}));
  EXPECT_EQ(floats(hv), (std::vector<float>{6, 0, 36}));
}

TEST(Derivatives, StoppedAndUnusedArguments) {
  EXPECT_EQ(value(grad(Unary([](const array& x) { return x * stop_gradient(x); }))(array(3.0f))), 3.0f);
  EXPECT_EQ(value(grad(Unary([](const array&) { return array(1.0f); }))(array(3.0f))), 0.0f);
  const std::function<Arrays(const Arrays&)> f = [](const Arrays& x) {
    return Arrays{x[0] * 2.0f, stop_gradient(x[0])};
  };
  EXPECT_EQ(value(vjp(f, {array(2.0f)}, {array(1.0f)}).second[0]), 2.0f);
}

TEST(Derivatives, ComplexCotangentsAreConjugated) {
  const Unary f = [](const array& x) { return x * array(complex64_t{2, 3}); };
  auto [v, g] = vjp(f, array(complex64_t{1, 1}), array(complex64_t{1, 0}));
  EXPECT_EQ(array(g).item<complex64_t>(), (complex64_t{2, -3}));
  auto [w, t] = jvp(f, array(complex64_t{1, 1}), array(complex64_t{1, 0}));
  EXPECT_EQ(array(t).item<complex64_t>(), (complex64_t{2, 3}));
  // The gradient of |x|^2 as a function of a complex number is 2 x.
  const Unary size = [](const array& x) { return square(abs(x)); };
  auto [s, d] = vjp(size, array(complex64_t{3, 4}), array(1.0f));
  EXPECT_NEAR(array(d).item<complex64_t>().real(), 6, 1e-5);
  EXPECT_NEAR(array(d).item<complex64_t>().imag(), 8, 1e-5);
}

TEST(Derivatives, LookUpsAndSortsAndSoftmax) {
  const array table = reshape(arange(0.0f, 8.0f, 1.0f), {4, 2});
  const array rows({1, 3, 1});
  EXPECT_EQ(floats(grad(Unary([&](const array& x) { return sum(take(x, rows, 0)); }))(table)),
            (std::vector<float>{0, 0, 2, 2, 0, 0, 1, 1}));
  const std::vector<float> s =
      floats(grad(Unary([](const array& x) { return sum(softmax(x, 0) * array({1.0f, 0.0f})); }))(array({0.0f, 0.0f})));
  EXPECT_NEAR(s[0], 0.25f, 1e-6f);
  EXPECT_NEAR(s[1], -0.25f, 1e-6f);
}

// Derivatives flow through integers by the same rules, and take the type of their argument, as in MLX.
TEST(Derivatives, Integers) {
  const array x({1, 2, 3});
  const auto ints = [](const array& a) {
    EXPECT_EQ(a.dtype(), int32);
    return std::vector<int>(a.data<int>(), a.data<int>() + a.size());
  };
  const auto of = [&](const Unary& f) {
    array g = grad(f)(x);
    eval(g);
    return ints(g);
  };
  EXPECT_EQ(of([](const array& a) { return sum(a * a); }), (std::vector{2, 4, 6}));
  EXPECT_EQ(of([](const array& a) { return sum(power(a, array(2))); }), (std::vector{2, 4, 6}));
  EXPECT_EQ(of([](const array& a) { return sum(power(array(2), a)); }), (std::vector{1, 2, 5}));
  EXPECT_EQ(of([](const array& a) { return sum(exp(a)); }), (std::vector{2, 7, 20}));
  EXPECT_EQ(of([](const array& a) { return max(a); }), (std::vector{0, 0, 1}));
  EXPECT_EQ(of([](const array& a) { return prod(a); }), (std::vector{6, 3, 2}));
  EXPECT_EQ(of([](const array& a) { return sum(cumprod(a, 0)); }), (std::vector{9, 4, 2}));
  EXPECT_EQ(of([](const array& a) { return sum(sort(a) * array({1, 2, 3})); }), (std::vector{1, 2, 3}));
  EXPECT_EQ(of([](const array& a) { return sum(bitwise_and(a, array(1))); }), (std::vector{0, 0, 0}));
  // A conversion passes them on.
  EXPECT_EQ(
      floats(grad(Unary([](const array& a) { return sum(astype(a, int32) * array({1, 2})); }))(array({1.5f, -2.5f}))),
      (std::vector<float>{1, 2}));
  auto [values, tangents] = jvp([](const Arrays& a) { return Arrays{a[0] * a[0]}; }, {x}, {x});
  eval(tangents);
  EXPECT_EQ(ints(tangents[0]), (std::vector{2, 8, 18}));
}

TEST(Derivatives, ArgumentsCountedFromTheEnd) {
  const std::function<array(const Arrays&)> product = [](const Arrays& x) { return sum(x[0] * x[1] * x[1]); };
  const Arrays at{array({2.0f, 3.0f}), array({5.0f, 7.0f})};
  EXPECT_EQ(values<float>(grad(product, std::vector<int>{-1})(at)[0]), (std::vector<float>{20, 42}));
  const Arrays both = grad(product, std::vector<int>{-1, 0})(at);
  EXPECT_EQ(values<float>(both[0]), (std::vector<float>{25, 49}));
}

TEST(Derivatives, Errors) {
  const Unary vector = [](const array& x) { return x * 2.0f; };
  EXPECT_TRUE(
      contains(thrown<InvalidArgument>([&] { grad(vector)(array({1.0f, 2.0f})); }), "a gradient is of one number"));
  EXPECT_TRUE(
      contains(thrown<InvalidArgument>([&] { vjp(vector, array({1.0f, 2.0f}), array(1.0f)); }), "cotangent is f32[]"));
  EXPECT_TRUE(contains(thrown<InvalidArgument>([&] { grad(Unary()); }), "the function is null"));
  const std::function<array(const Arrays&)> list = [](const Arrays& x) { return sum(x[0]); };
  EXPECT_TRUE(
      contains(thrown<InvalidArgument>([&] { grad(list, std::vector<int>{})({array(1.0f)}); }), "no argument number"));
  EXPECT_TRUE(
      contains(thrown<InvalidArgument>([&] { grad(list, std::vector<int>{0, 0})({array(1.0f)}); }), "given twice"));
  EXPECT_TRUE(contains(thrown<InvalidArgument>([&] { grad(list, 3)({array(1.0f)}); }), "there is no argument 3"));
  EXPECT_TRUE(contains(thrown<InvalidArgument>([&] { grad(list, -2)({array(1.0f)}); }), "there is no argument -2"));
  EXPECT_TRUE(
      contains(thrown<InvalidArgument>([&] { grad(list, std::vector<int>{0, -1})({array(1.0f)}); }), "given twice"));
  // Integers that are positions have none; those that are computed from floats have the derivative 0.
  const array table({1.0f, 2.0f, 3.0f});
  const Unary looked_up = [&](const array& i) { return sum(take(table, i + 1)); };
  const Unary updated = [&](const array& i) { return sum(scatter_add(table, i, ones({1, 1}), 0)); };
  for (const Unary& f : {looked_up, updated}) {
    const std::string text = thrown<InvalidArgument>([&] { grad(f)(array({1})); });
    EXPECT_TRUE(contains(text, "no derivative with respect to its positions")) << text;
    EXPECT_TRUE(contains(thrown<InvalidArgument>([&] { jvp(f, array({1}), array({1})); }), "positions"));
  }
  EXPECT_EQ(floats(grad(Unary([&](const array& x) { return sum(take(x, argsort(x))); }))(table)),
            (std::vector<float>{1, 1, 1}));
  // No row's derivative is silently zero, and the operation of the user's line has none, whatever transforms it.
  const Unary eigenvalues = [](const array& x) { return sum(real(linalg::eigvals(x))); };
  const array matrix({2.0f, 1.0f, 1.0f, 3.0f}, {2, 2});
  const int line = __LINE__ - 2;
  const std::string at = "derivatives_test.cpp:" + std::to_string(line);
  const auto none = [&](auto action) {
    const std::string text = thrown<InvalidArgument>(action);
    EXPECT_TRUE(contains(text, "'eigvals' has no derivative") && contains(text, at)) << text;
  };
  none([&] { grad(eigenvalues)(matrix); });
  none([&] { grad(Unary([&](const array& x) { return jvp(eigenvalues, x, x).second; }))(matrix); });
  none([&] { vmap(grad(eigenvalues))(reshape(matrix, {1, 2, 2})); });
}

// A function that no gradient is of, and a cotangent that does not fit, are shown by the line that made the result.
TEST(Derivatives, RefusalsHaveTheLineOfTheResult) {
  const Unary vector = [](const array& x) { return x * 2.0f; };
  const std::string at = "derivatives_test.cpp:" + std::to_string(__LINE__ - 1);
  const array x({1.0f, 2.0f});
  for (const std::string& text : {thrown<InvalidArgument>([&] { grad(vector)(x); }),
                                  thrown<InvalidArgument>([&] { vjp(vector, x, array(1.0f)); })})
    EXPECT_TRUE(contains(text, at)) << text;
}

// Nothing made a result that is an argument: the line of the transform stands for it.
TEST(Derivatives, RefusalsOfAResultThatIsAnArgumentHaveTheLineOfTheTransform) {
  const Unary same = [](const array& x) { return x; };
  const std::function<Arrays(const Arrays&)> list = [](const Arrays& x) { return x; };
  const array x({1.0f, 2.0f});
  const auto refused = [&](int line, const std::string& message, const std::function<void()>& call) {
    const std::string text = thrown<InvalidArgument>(call);
    EXPECT_TRUE(contains(text, message)) << text;
    EXPECT_TRUE(contains(text, "derivatives_test.cpp:" + std::to_string(line))) << text;
  };
  refused(__LINE__, "grad: the function's first result is f32[2]", [&] { grad(same)(x); });
  refused(__LINE__, "vjp: the cotangent is f32[], and its value is f32[2]", [&] { vjp(same, x, array(1.0f)); });
  EXPECT_EQ(values<float>(vjp(list, {x}, {x, x}).second[0]), values<float>(x));  // one more, as in MLX
  refused(__LINE__, "vjp: there are 0 cotangents for 1 result (f32[2])", [&] { vjp(list, {x}, {}); });
}

// Numbers that do not fit a call are shown by the line that gave them, with the types of the call.
TEST(Derivatives, NumbersThatDoNotFitHaveTheLineThatGaveThem) {
  const std::function<array(const Arrays&)> list = [](const Arrays& x) { return sum(x[0]); };
  const std::function<Arrays(const Arrays&)> many = [](const Arrays& x) { return Arrays{sum(x[0]), x[1]}; };
  const Arrays at({array({1.0f, 2.0f}), array(3.0f)});
  const auto refused = [&](int line, const std::string& message, const std::string& cure,
                           const std::function<void()>& call) {
    const std::string text = thrown<InvalidArgument>(call);
    EXPECT_TRUE(contains(text, message)) << text;
    EXPECT_TRUE(contains(text, cure)) << text;
    EXPECT_TRUE(contains(text, "derivatives_test.cpp:" + std::to_string(line))) << text;
  };
  const std::string from_0 = "count arguments from 0, or from the end with -1";
  const auto gradient = grad(list, 2);
  refused(__LINE__ - 1, "grad: there is no argument 2 among 2 arguments (f32[2], f32[])", from_0,
          [&] { gradient(at); });
  const auto both = value_and_grad(list, -3);
  const int both_line = __LINE__ - 1;
  refused(both_line, "value_and_grad: there is no argument -3 among 2 arguments (f32[2], f32[])", from_0,
          [&] { both(at); });
  refused(both_line, "value_and_grad: there is no argument -3", from_0, [&] {
    compile(std::function<array(const array&)>([&](const array& x) { return both({x, x}).first; }))(at[0]);
  });
  const auto twice = value_and_grad(many, {1, -1});
  refused(__LINE__ - 1, "value_and_grad: argument 1, f32[], is given twice", "give each number once",
          [&] { twice(at); });
  refused(__LINE__ + 1, "grad: there is no argument number", "name at least one argument",
          [&] { grad(list, std::vector<int>{}); });
  refused(__LINE__ + 1, "vjp: there are 1 cotangent (f32[]) for 2 results (f32[], f32[])",
          "give a cotangent for each result", [&] { vjp(many, at, {array(1.0f)}); });
  refused(__LINE__ + 1, "jvp: there are 1 tangent (f32[2]) for 2 arguments (f32[2], f32[])",
          "give a tangent for each argument", [&] { jvp(many, at, {at[0]}); });
  refused(__LINE__, "grad: the function is null", "give a function", [&] { grad(Unary()); });
}

// Derivatives of extremes at ties, zeros of both signs, infinities and NaN, and of bounds in the wrong order.
TEST(Derivatives, OfExtremesGoToOneOperandAtMost) {
  constexpr float kNan = NAN, kInf = INFINITY;
  const std::vector<float> some{-1, -0.0f, 0.0f, 0.5f, 2, kInf, -kInf, kNan};
  std::vector<float> xs, ys, zs;
  for (float x : some)
    for (float y : some)
      for (float z : some) xs.push_back(x), ys.push_back(y), zs.push_back(z);
  const int n = static_cast<int>(xs.size());
  const Arrays at{array(xs.data(), {n}), array(ys.data(), {n}), array(zs.data(), {n})};
  const auto slopes = [&](auto f) {
    const std::function<array(const Arrays&)> whole = [=](const Arrays& p) { return sum(f(p)); };
    const Arrays eager = grad(whole, {0, 1, 2})(at);
    const Arrays compiled = compile([=](const Arrays& p) { return grad(whole, {0, 1, 2})(p); })(at);
    std::vector<std::vector<float>> all;
    for (size_t i = 0; i < 3; ++i) {
      all.push_back(floats(eager[i]));
      EXPECT_EQ(all.back(), floats(compiled[i])) << "argument " << i;
    }
    return all;
  };
  const auto larger = slopes([](const Arrays& p) { return maximum(p[0], p[1]); });
  const auto smaller = slopes([](const Arrays& p) { return minimum(p[0], p[1]); });
  const auto held = slopes([](const Arrays& p) { return clip(p[0], p[1], p[2]); });
  for (size_t i = 0; i < xs.size(); ++i) {
    const float x = xs[i], y = ys[i], z = zs[i];
    const std::string where = std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z);
    EXPECT_EQ(larger[0][i], x > y) << where;
    EXPECT_EQ(larger[1][i], x <= y) << where;
    EXPECT_EQ(smaller[0][i], x < y) << where;
    EXPECT_EQ(smaller[1][i], x >= y) << where;
    EXPECT_EQ(held[0][i], x > y && x < z) << where;
    EXPECT_EQ(held[1][i], x <= y && y < z) << where;
    EXPECT_EQ(held[2][i], (x >= z || y >= z) && !std::isnan(x) && !std::isnan(y)) << where;
  }
}

// Operations that a transform makes have the line of the user's operation.
TEST(Derivatives, FailuresHaveTheLineOfTheUser) {
  const Unary inverse = [](const array& x) { return sum(linalg::inv(x)); };
  const std::string at = "derivatives_test.cpp:" + std::to_string(__LINE__ - 1);
  const std::string text = thrown<RuntimeError>([&] { eval(grad(inverse)(zeros({2, 2}))); });
  EXPECT_TRUE(contains(text, at)) << text;
  const std::string batched = thrown<RuntimeError>([&] { eval(vmap(grad(inverse))(zeros({3, 2, 2}))); });
  EXPECT_TRUE(contains(batched, at)) << batched;
}

}  // namespace
}  // namespace frit::test::derivatives_test
