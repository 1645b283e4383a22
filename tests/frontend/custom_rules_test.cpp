// checkpoint, custom_function and custom_vjp: values, nesting with transforms and compile, errors.
#include <cmath>

#include "helpers.h"

namespace frit::test::custom_rules_test {
namespace {

using Arrays = std::vector<array>;
using Unary = std::function<array(const array&)>;
using ListFunction = std::function<Arrays(const Arrays&)>;

float value(const array& a) { return array(a).item<float>(); }
std::vector<float> floats(const array& a) { return values<float>(a); }

size_t count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const InvalidArgument& e) {
    return e.message();
  }
  return "nothing was refused";
}

// x * x with a derivative that is told from the true one.
ListFunction tenfold() {
  return custom_vjp([](const Arrays& x) { return Arrays{x[0] * x[0]}; },
                    [](const Arrays& x, const Arrays& c, const Arrays&) { return Arrays{c[0] * x[0] * 10.0f}; });
}

TEST(CustomRules, StandInThePlaceOfTheDerivative) {
  const ListFunction f = tenfold();
  const Unary g = [&](const array& x) { return f({x})[0] * 2.0f; };
  EXPECT_EQ(value(g(array(3.0f))), 18.0f);
  EXPECT_EQ(value(grad(g)(array(3.0f))), 60.0f);
  // The rule is differentiated, not the function.
  EXPECT_EQ(value(grad(grad(g))(array(3.0f))), 20.0f);
  EXPECT_EQ(value(grad(grad(grad(g)))(array(3.0f))), 0.0f);
  // Without a rule for it, jvp is that of the operations.
  EXPECT_EQ(value(jvp(g, array(3.0f), array(1.0f)).second), 12.0f);
  EXPECT_EQ(value(jvp(Unary([&](const array& x) { return grad(g)(x); }), array(3.0f), array(1.0f)).second), 20.0f);
}

TEST(CustomRules, InsideAndOutsideOfCompile) {
  const ListFunction f = tenfold();
  const Unary g = [&](const array& x) { return sum(f({x * 1.0f})[0]); };
  const array x({1.0f, 2.0f, 3.0f});
  for (bool shapeless : {false, true}) {
    const auto step = compile([&](const array& v) { return grad(g)(v); }, shapeless);
    EXPECT_EQ(floats(step(x)), (std::vector<float>{10, 20, 30}));
    const auto whole = compile([&](const array& v) { return f({v})[0]; }, shapeless);
    EXPECT_EQ(floats(whole(x)), (std::vector<float>{1, 4, 9}));
    EXPECT_EQ(floats(grad(Unary([&](const array& v) { return sum(whole(v)); }))(x)), (std::vector<float>{10, 20, 30}));
  }
}

TEST(CustomRules, OfSeveralArgumentsAndResults) {
  Arrays seen;
  const ListFunction f =
      custom_function([](const Arrays& x) { return Arrays{x[0] * x[1], exp(x[0]), astype(x[2], float32)}; },
                      [&](const Arrays& x, const Arrays& c, const Arrays& results) {
                        EXPECT_EQ(x.size(), 3u);
                        EXPECT_EQ(c.size(), 3u);
                        EXPECT_EQ(value(c[1]), 0.0f);  // no cotangent arrives at the second result
                        return Arrays{c[0] * 2.0f, results[1] * 0.0f + 7.0f, zeros_like(x[2])};
                      },
                      [](const Arrays& x, const Arrays& t, const std::vector<int>& argnums) {
                        EXPECT_EQ(argnums, std::vector<int>{1});
                        EXPECT_EQ(t.size(), 1u);
                        return Arrays{t[0] * 100.0f, t[0] * 0.0f, astype(x[2], float32) * 0.0f};
                      });
  const Arrays x{array(2.0f), array(3.0f), array(5)};
  auto [v, g] =
      vjp(ListFunction([&](const Arrays& a) { return Arrays{f({a[0], a[1], x[2]})[0]}; }), {x[0], x[1]}, {array(1.0f)});
  EXPECT_EQ(value(v[0]), 6.0f);
  EXPECT_EQ(value(g[0]), 2.0f);
  EXPECT_EQ(value(g[1]), 7.0f);
  auto [w, t] =
      jvp(ListFunction([&](const Arrays& a) { return Arrays{f({x[0], a[0], x[2]})[0]}; }), {x[1]}, {array(1.0f)});
  EXPECT_EQ(value(w[0]), 6.0f);
  EXPECT_EQ(value(t[0]), 100.0f);
}

// A row without a derivative may stand inside, as the rule stands for it.
TEST(CustomRules, OperationsInsideNeedNoDerivative) {
  const auto rounded = [](const Arrays& x) {
    return Arrays{astype(bitwise_and(view(x[0], int32), array(-65536)), int32)};
  };
  const auto through = [&](const Arrays& x) { return Arrays{view(rounded(x)[0], float32)}; };
  const ListFunction f = custom_function(
      through, [](const Arrays&, const Arrays& c, const Arrays&) { return Arrays{c[0]}; },
      [](const Arrays&, const Arrays& t, const std::vector<int>&) { return Arrays{t[0]}; });
  const Unary g = [&](const array& x) { return f({x})[0] * 3.0f; };
  EXPECT_EQ(value(grad(g)(array(1.5f))), 3.0f);
  EXPECT_EQ(value(jvp(g, array(1.5f), array(1.0f)).second), 3.0f);
  const ListFunction partition_of = custom_function(
      [](const Arrays& x) { return Arrays{linalg::eigvalsh(x[0])}; }, std::nullopt,
      [](const Arrays& x, const Arrays& t, const std::vector<int>&) { return Arrays{diag(x[0] * 0.0f + t[0])}; });
  const array m({2.0f, 0.0f, 0.0f, 3.0f}, {2, 2});
  auto [v, t] = jvp(Unary([&](const array& a) { return partition_of({a})[0]; }), m, ones_like(m));
  EXPECT_EQ(floats(t), (std::vector<float>{1, 1}));
}

TEST(CustomRules, MayReadValuesAndRefersToOuterArrays) {
  float seen = 0;
  const Unary outer = [&](const array& scale) {
    const ListFunction f = custom_vjp([&](const Arrays& x) { return Arrays{x[0] * scale}; },
                                      [&](const Arrays& x, const Arrays& c, const Arrays& results) {
                                        seen = value(results[0]) + value(x[0]);
                                        return Arrays{c[0] * scale * scale};
                                      });
    return grad(Unary([&](const array& x) { return f({x})[0]; }))(scale * 0.0f + 5.0f);
  };
  // The gradient of scale^2.
  EXPECT_EQ(value(grad(outer)(array(3.0f))), 6.0f);
  EXPECT_EQ(seen, 20.0f);
}

TEST(CustomRules, Errors) {
  const array x({1.0f, 2.0f});
  const auto loss = [&](const ListFunction& f) {
    return refusal([&] { grad(Unary([&](const array& a) { return sum(f({a})[0]); }))(x); });
  };
  const auto square = [](const Arrays& a) { return Arrays{a[0] * a[0]}; };
  EXPECT_EQ(loss(custom_vjp(square, [](const Arrays&, const Arrays&, const Arrays&) { return Arrays{}; })),
            "custom_function: the vjp rule returned 0 cotangents for 1 argument (f32[2])");
  EXPECT_EQ(loss(custom_vjp(square, [](const Arrays&, const Arrays&, const Arrays&) { return Arrays{array(1.0f)}; })),
            "custom_function: the vjp rule returned a cotangent of f32[] for argument 0, which is f32[2]");
  const ListFunction wrong = custom_function(
      square, std::nullopt, [](const Arrays&, const Arrays& t, const std::vector<int>&) { return Arrays{t[0], t[0]}; });
  EXPECT_EQ(refusal([&] { jvp(Unary([&](const array& a) { return wrong({a})[0]; }), x, x); }),
            "custom_function: the jvp rule returned 2 tangents (f32[2], f32[2]) for 1 result (f32[2])");
  const auto rule_for_batches = [&](const Arrays& results, const std::vector<int>& axes) {
    return custom_function(square, std::nullopt, std::nullopt,
                           [=](const Arrays&, const std::vector<int>&) { return std::pair(results, axes); });
  };
  const auto batched = [&](const Arrays& results, const std::vector<int>& axes) {
    return refusal([&] { vmap(rule_for_batches(results, axes))({x}); });
  };
  EXPECT_EQ(batched({x}, {}), "custom_function: the vmap rule returned 0 axes for 1 result (f32[2])");
  EXPECT_EQ(batched({x}, {1}), "custom_function: the vmap rule returned axis 1 for result 0, which is f32[2]");
  EXPECT_EQ(batched({x, x}, {0, 0}),
            "custom_function: the vmap rule returned 2 results (f32[2], f32[2]) for 1 result (f32[2])");
  EXPECT_EQ(refusal([] { custom_function(nullptr); }), "custom_function: the function is null");
  EXPECT_EQ(refusal([&] { custom_vjp(square, nullptr); }), "custom_vjp: the function is null");
  EXPECT_EQ(refusal([] { checkpoint(nullptr); }), "checkpoint: the function is null");
}

// A rule that is refused is shown by the line that gave it, whatever transforms and compiles the function.
TEST(CustomRules, RefusalsHaveTheLineOfTheRules) {
  const auto square = [](const Arrays& a) { return Arrays{a[0] * a[0]}; };
  const ListFunction f = custom_vjp(square, [](const Arrays&, const Arrays&, const Arrays&) { return Arrays{}; });
  const std::string at = "custom_rules_test.cpp:" + std::to_string(__LINE__ - 1);
  const Unary loss = [&](const array& a) { return sum(f({a})[0]); };
  const array x({1.0f, 2.0f}), rows = ones({3, 2});
  const auto text_of = [](const std::function<void()>& call) {
    try {
      call();
    } catch (const InvalidArgument& e) {
      return std::string(e.what());
    }
    return std::string("nothing was refused");
  };
  for (const std::string& text :
       {text_of([&] { grad(loss)(x); }), text_of([&] { compile(grad(loss))(x); }),
        text_of([&] { grad(compile(loss))(x); }), text_of([&] { vmap(grad(loss))(rows); }),
        text_of([&] { grad(Unary([&](const array& a) { return sum(vmap(loss)(a)); }))(rows); })}) {
    EXPECT_NE(text.find(at), std::string::npos) << text;
    EXPECT_NE(text.find("0 cotangents for 1 argument (f32[2])"), std::string::npos) << text;
    EXPECT_NE(text.find("return one cotangent for each argument"), std::string::npos) << text;
  }
}

// A chain of layers whose inner values are dear to keep.
array layer(const array& x, const array& w) { return tanh(matmul(tanh(matmul(x, w)), w)); }

array chain(const array& x, const array& w, bool recompute) {
  const ListFunction kept = [](const Arrays& a) { return Arrays{layer(a[0], a[1])}; };
  const ListFunction f = recompute ? checkpoint(kept) : kept;
  array y = x;
  for (int i = 0; i < 3; ++i) y = f({y, w})[0];
  return sum(y * y);
}

TEST(Checkpoint, ValuesAndDerivativesAreThoseOfTheFunction) {
  const array x = reshape(sin(arange(0.0f, 24.0f, 1.0f)), {4, 6}), w = reshape(cos(arange(0.0f, 36.0f, 1.0f)), {6, 6});
  const auto slopes = [&](bool recompute, int order) {
    const Unary f = [&, recompute](const array& v) { return chain(x, v, recompute); };
    const Unary g = grad(f);
    return order == 1 ? g(w) : grad(Unary([&](const array& v) { return sum(sin(g(v))); }))(w);
  };
  for (int order : {1, 2}) {
    const std::vector<float> plain = floats(slopes(false, order)), again = floats(slopes(true, order));
    ASSERT_EQ(plain.size(), again.size());
    for (size_t i = 0; i < plain.size(); ++i) EXPECT_NEAR(plain[i], again[i], 1e-4 * (1 + std::abs(plain[i])));
    const auto compiled = compile([&](const array& v) {
      const Unary g = grad(Unary([&](const array& u) { return chain(x, u, true); }));
      return order == 1 ? g(v) : grad(Unary([&](const array& u) { return sum(sin(g(u))); }))(v);
    });
    EXPECT_EQ(floats(compiled(w)), again);
  }
  const auto tangent = [&](bool recompute) {
    return value(jvp(Unary([&](const array& v) { return chain(x, v, recompute); }), w, ones_like(w)).second);
  };
  EXPECT_EQ(tangent(true), tangent(false));
}

// Arrays that the function refers to have derivatives, too.
TEST(Checkpoint, ArraysOfTheOuterTraceHaveDerivatives) {
  const Unary f = [](const array& w) {
    const ListFunction scaled = checkpoint([&](const Arrays& x) { return Arrays{sin(x[0] * w) * w}; });
    return scaled({array(2.0f)})[0] + scaled({w})[0];
  };
  const Unary plain = [](const array& w) { return sin(w * 2.0f) * w + sin(w * w) * w; };
  EXPECT_NEAR(value(grad(f)(array(0.7f))), value(grad(plain)(array(0.7f))), 1e-6);
}

TEST(Checkpoint, NestsAndHoldsCustomRules) {
  const ListFunction ten = tenfold();
  const ListFunction inner = checkpoint([&](const Arrays& x) { return Arrays{ten({sin(x[0])})[0]}; });
  const ListFunction outer = checkpoint([&](const Arrays& x) { return Arrays{inner({x[0] * 2.0f})[0]}; });
  const array x(0.3f);
  const float expected = std::sin(0.6f) * 10 * std::cos(0.6f) * 2;
  EXPECT_NEAR(value(grad(Unary([&](const array& v) { return outer({v})[0]; }))(x)), expected, 1e-5);
  EXPECT_NEAR(
      value(compile([&](const array& v) { return grad(Unary([&](const array& u) { return outer({u})[0]; }))(v); })(x)),
      expected, 1e-5);
}

// The backward pass has the operations of the forward pass again, behind the cotangents, and no pass undoes that.
TEST(Checkpoint, RecomputesInTheOptimisedGraph) {
  const array x = ones({64, 32}), w = ones({32, 32});
  const auto inspected = [&](bool recompute) {
    const auto step =
        compile([&](const array& v) { return grad(Unary([&](const array& u) { return chain(x, u, recompute); }))(v); });
    return step.lower(w);
  };
  const Inspection plain = inspected(false), again = inspected(true);
  EXPECT_EQ(count(plain.optimised, "tanh"), 6u) << plain.optimised;
  EXPECT_EQ(count(again.optimised, "tanh"), 12u) << again.optimised;
  EXPECT_GE(count(again.optimised, "barrier"), 6u) << again.optimised;
}

// Many layers over a wide batch: what is kept is one value a layer, not one an operation.
TEST(Checkpoint, NeedsLessMemory) {
  const array x = ones({512, 64});
  const array w = ones({64, 64}) * 0.01f;
  const auto peak = [&](bool recompute) {
    const ListFunction wide = [](const Arrays& a) {
      array y = a[0];
      for (int i = 0; i < 6; ++i) y = tanh(matmul(y, a[1]));
      return Arrays{y};
    };
    const auto step = compile([&](const array& v) {
      return grad(Unary([&](const array& u) {
        const ListFunction f = recompute ? checkpoint(wide) : wide;
        array y = x;
        for (int i = 0; i < 4; ++i) y = f({y, u})[0];
        return sum(y);
      }))(v);
    });
    eval(step(w));
    reset_peak_memory();
    const size_t before = get_active_memory();
    const array g = step(w);
    eval(g);
    return get_peak_memory() - before;
  };
  const size_t value_bytes = 512 * 64 * 4;
  const size_t plain = peak(false), again = peak(true);
  // 24 kept values, against 4 and the 6 of the layer that is computed again.
  EXPECT_GE(plain, 20 * value_bytes);
  EXPECT_LE(again, 16 * value_bytes);
}

}  // namespace
}  // namespace frit::test::custom_rules_test
