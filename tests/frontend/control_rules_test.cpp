// Rules of a user inside of the bodies of control flow.
#include "helpers.h"

namespace frit::test::control_rules_test {
namespace {

using Arrays = std::vector<array>;
using Fn = std::function<array(const array&)>;

void expect_close(const array& a, const array& b) {
  EXPECT_EQ(a.shape(), b.shape());
  EXPECT_TRUE(allclose(a, b).item<bool>()) << a << "\n" << b;
}

// x * x with a derivative that is told from the true one.
std::function<Arrays(const Arrays&)> tenfold() {
  return custom_vjp([](const Arrays& x) { return Arrays{x[0] * x[0]}; },
                    [](const Arrays& x, const Arrays& g, const Arrays&) { return Arrays{g[0] * x[0] * 10.0f}; });
}

TEST(ControlRules, ReachIntoBodies) {
  const auto f = tenfold();
  const Fn scanned = [&](const array& x) {
    return scan([&](const array& s, const array& e) { return std::pair(s + f({e})[0], f({e})[0]); }, array(0.0f), x)
        .first;
  };
  const Fn looped = [&](const array& x) {
    return fori_loop(0, 2, [&](const array&, const array& s) { return f({s})[0]; }, x);
  };
  const Fn chosen = [&](const array& x) {
    return cond(x > array(0.0f), [&](const array& t) { return f({t})[0]; }, [](const array& t) { return t * 3; }, x);
  };
  const Fn nested = [&](const array& x) {
    return scan([&](const array& s, const array& e) { return std::pair(s + looped(e), e); }, array(0.0f), x).first;
  };
  const array x({1.0f, -2.0f, 3.0f}), one(2.0f);
  enum { kEager, kCompiled, kShapeless };
  for (int way : {kEager, kCompiled, kShapeless}) {
    const auto as = [&](const Fn& g) {
      return way == kEager ? g : Fn(compile([g](const array& v) { return g(v); }, way == kShapeless));
    };
    expect_close(as(scanned)(x), array(14.0f));
    expect_close(as(grad(scanned))(x), x * 10);
    expect_close(grad(as(scanned))(x), x * 10);
    expect_close(as(grad(Fn([&](const array& v) { return sum(grad(scanned)(v)); })))(x), full({3}, 10.0f));
    expect_close(as(grad(looped))(one), array(800.0f));  // 10 * 4, then 10 * 2
    expect_close(as(grad(chosen))(one), array(20.0f));
    expect_close(as(grad(chosen))(-one), array(3.0f));
    expect_close(as(grad(nested))(x), 100 * x * x * x);
    expect_close(as(Fn([&](const array& v) { return jvp(grad(scanned), v, v).second; }))(x), x * 10);
    expect_close(as(vmap(grad(scanned)))(stack({x, x + 1})), stack({x * 10, (x + 1) * 10}));
    expect_close(as(grad(Fn([&](const array& v) { return sum(vmap(scanned)(v)); })))(stack({x, x + 1})),
                 stack({x * 10, (x + 1) * 10}));
  }
  // A rule may refer to arrays of the trace around it.
  const Fn outer = [&](const array& w) {
    const auto weighted = custom_vjp([](const Arrays& v) { return v; },
                                     [&](const Arrays&, const Arrays& g, const Arrays&) { return Arrays{g[0] * w}; });
    return sum(grad(Fn([&](const array& v) {
      return scan([&](const array& s, const array& e) { return std::pair(s + weighted({e})[0], e); }, array(0.0f), v)
          .first;
    }))(x));
  };
  expect_close(outer(one), array(6.0f));
  expect_close(grad(outer)(one), array(3.0f));
}

TEST(ControlRules, ForTangentsAndBatches) {
  const auto sevenfold = custom_function(
      [](const Arrays& x) { return Arrays{x[0] + 1.0f}; }, std::nullopt,
      [](const Arrays&, const Arrays& t, const std::vector<int>&) { return Arrays{t[0] * 7.0f}; },
      [](const Arrays& x, const std::vector<int>& axes) { return std::pair(Arrays{x[0] + 100.0f}, axes); });
  const Fn loop = [&](const array& x) {
    return while_loop([](const array& s) { return sum(s) < array(10.0f); },
                      [&](const array& s) { return sevenfold({s})[0]; }, x);
  };
  const auto [value, tangent] = jvp(loop, array(8.5f), array(1.0f));
  expect_close(value, array(10.5f));
  expect_close(tangent, array(49.0f));
  const Fn summed = [&](const array& x) {
    return scan([&](const array& s, const array& e) { return std::pair(s + sevenfold({e})[0], e); }, array(0.0f), x)
        .first;
  };
  expect_close(summed(array({1.0f, 2.0f})), array(5.0f));
  expect_close(vmap(summed)(array({1.0f, 2.0f, 3.0f, 4.0f}, {2, 2})), array({203.0f, 207.0f}));
}

}  // namespace
}  // namespace frit::test::control_rules_test
