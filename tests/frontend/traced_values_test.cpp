// Values of arrays inside closures under grad, vjp and jvp, whose arguments stand for known arrays.
#include <sstream>
#include <thread>

#include "helpers.h"

namespace frit::test::traced_values_test {
namespace {

using Arrays = std::vector<array>;
using Unary = std::function<array(const array&)>;

float value(const array& a) { return array(a).item<float>(); }

TEST(TracedValues, AGradientFollowsTheBranchThatValuesChoose) {
  const Unary f = [](const array& x) {
    array y = x * x;
    return y.item<float>() > 4.0f ? y * 3.0f : sin(x);
  };
  EXPECT_EQ(value(grad(f)(array(3.0f))), 18.0f);
  EXPECT_NEAR(value(grad(f)(array(1.0f))), 0.540302f, 1e-6);
  auto [v, t] = jvp(f, array(3.0f), array(1.0f));
  EXPECT_EQ(value(v), 27.0f);
  EXPECT_EQ(value(t), 18.0f);
  auto [w, c] = vjp(f, array(3.0f), array(2.0f));
  EXPECT_EQ(value(c), 36.0f);
}

TEST(TracedValues, OfNestedGradients) {
  int calls = 0;
  const Unary cube = [&](const array& x) {
    ++calls;
    EXPECT_EQ(value(x), 2.0f);
    return x * x * x;
  };
  EXPECT_EQ(value(grad(grad(cube))(array(2.0f))), 12.0f);
  EXPECT_EQ(calls, 1);
  // A value of the outer trace, and one that joins both.
  const Unary outer = [](const array& x) {
    const Unary inner = [&](const array& y) {
      EXPECT_EQ(value(x * y), 6.0f);
      return x * y * y;
    };
    array slope = grad(inner)(x * 0.0f + 3.0f);
    EXPECT_EQ(value(slope), 12.0f);
    return slope * x;
  };
  EXPECT_EQ(value(grad(outer)(array(2.0f))), 24.0f);
}

TEST(TracedValues, DataAndLayoutAgree) {
  const Unary f = [](const array& x) {
    array t = transpose(x);
    t.eval();
    EXPECT_EQ(t.status(), array::available);
    const float* at = t.data<float>();
    EXPECT_EQ(at[t.strides(0)], 1.0f);
    EXPECT_EQ(at[t.strides(1)], 3.0f);
    array repeated = broadcast_to(sum(x), {2, 2});
    EXPECT_EQ(repeated.data<float>()[3], 15.0f);
    std::ostringstream text;
    text << sum(x);
    EXPECT_EQ(text.str(), "array(15, dtype=float32)");
    return sum(t * t);
  };
  const array x = reshape(arange(0.0f, 6.0f, 1.0f), {2, 3});
  EXPECT_EQ(values<float>(grad(f)(x)), (std::vector<float>{0, 2, 4, 6, 8, 10}));
}

TEST(TracedValues, AreComputedOnceHoweverOftenTheyAreRead) {
  const Unary f = [](const array& x) {
    array y = x;
    for (int i = 0; i < 3000; ++i) {
      y = y + 1.0f;
      EXPECT_EQ(value(y), static_cast<float>(i + 1));
    }
    return y;
  };
  EXPECT_EQ(value(grad(f)(array(0.0f))), 1.0f);
  // A chain that is read at its end alone needs no stack of its length.
  const Unary deep = [](const array& x) {
    array y = x;
    for (int i = 0; i < 30000; ++i) y = y + 1.0f;
    EXPECT_EQ(value(y), 30000.0f);
    return y;
  };
  EXPECT_EQ(value(grad(deep)(array(0.0f))), 1.0f);
}

TEST(TracedValues, OfSeveralResultsAndOfCompiledFunctions) {
  const auto halves = compile([](const array& x) { return x * 0.5f; });
  const Unary f = [&](const array& x) {
    const Arrays parts = split(x, 2, 0);
    EXPECT_EQ(values<float>(parts[1]), (std::vector<float>{3, 4}));
    const array half = halves(parts[1]);
    EXPECT_EQ(values<float>(half), (std::vector<float>{1.5f, 2}));
    EXPECT_TRUE(contains(thrown<InvalidArgument>([&] { async_eval(half); }), "async_eval: an array depends"));
    return sum(half * parts[0]);
  };
  EXPECT_EQ(values<float>(grad(f)(array({1.0f, 2.0f, 3.0f, 4.0f}))), (std::vector<float>{1.5f, 2, 0.5f, 1}));
}

// As in MLX, an array that leaves the closure keeps its value, and can be computed with.
TEST(TracedValues, OutliveTheTrace) {
  std::optional<array> kept;
  const Unary f = [&](const array& x) {
    kept = x * 2.0f;
    return x * x;
  };
  EXPECT_EQ(value(grad(f)(array(3.0f))), 6.0f);
  EXPECT_EQ(value(*kept), 6.0f);
  EXPECT_EQ(value(*kept + 1.0f), 7.0f);
  EXPECT_EQ(value(compile([](const array& x) { return x * 10.0f; })(*kept)), 60.0f);
  EXPECT_EQ(value(grad(Unary([&](const array& x) { return x * *kept; }))(array(1.0f))), 6.0f);
}

TEST(TracedValues, AreNotToBeHadUnderCompile) {
  const Unary f = [](const array& x) { return x.shape(0) == 0 ? x : sum(x) * array(x * 2.0f).item<float>(); };
  const auto message = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const InvalidArgument& e) {
      return e.message();
    }
    return "";
  };
  const Unary reads = [](const array& x) { return x * (array(x) * 2.0f).item<float>(); };
  const std::string text = message([&] { compile([&](const array& x) { return grad(reads)(x); })(array(1.0f)); });
  EXPECT_NE(text.find("'multiply' was asked for while 'compiled' is traced"), std::string::npos) << text;
  // Known arrays have values there too.
  const auto step = compile([&](const array& x) { return x * grad(reads)(array(3.0f)); });
  EXPECT_EQ(value(step(array(2.0f))), 12.0f);
}

TEST(TracedValues, OfOneArrayInSeveralThreads) {
  const Unary f = [](const array& x) {
    array y = x;
    for (int i = 0; i < 200; ++i) y = y * 1.0f + 1.0f;
    std::vector<std::thread> threads;
    std::vector<float> seen(4);
    for (size_t i = 0; i < 4; ++i) threads.emplace_back([&, i] { seen[i] = value(y); });
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(seen, std::vector<float>(4, 200.0f));
    return y;
  };
  EXPECT_EQ(value(grad(f)(array(0.0f))), 1.0f);
}

}  // namespace
}  // namespace frit::test::traced_values_test
