// Loops whose bodies have work that moves out of them, against loops of C++: values, gradients, batches, any shape.
#include "helpers.h"

namespace frit::test::hoist_test {
namespace {

using Arrays = std::vector<array>;

void expect_close(const array& a, const array& b, const char* what) {
  ASSERT_EQ(a.shape(), b.shape()) << what;
  EXPECT_TRUE(allclose(a, b, 1e-4, 1e-5).item<bool>()) << what << "\n" << a << "\n" << b;
}

// One step of a network: `in` are the input's weights, the state's weights, a scale of the step, and unchanged state.
array step(const Arrays& in, const array& h, const array& x) {
  const array inputs = matmul(tanh(matmul(x * 0.5f, in[0])), in[3] * 2.0f);
  return tanh(inputs + matmul(h, in[1])) * exp(in[2]);
}

// The last state, the states, and the inputs as they came. `in`: the arrays of `step`, the first state, the inputs.
Arrays looped(const Arrays& in) {
  array h = in[4];
  Arrays all;
  for (int i = 0; i < in[5].shape(0); ++i) all.push_back(h = step(in, h, take(in[5], i, 0)));
  return {h, stack(all), in[5]};
}

// The same as a scan, in which in[3] is state.
Arrays scanned(const Arrays& in) {
  const auto body = [&](const Arrays& state, const Arrays& x) {
    const array next = step({in[0], in[1], in[2], state[1]}, state[0], x[0]);
    return std::pair(Arrays{next, state[1]}, Arrays{next, x[0]});
  };
  const auto [state, stacked] = scan(body, {in[4], in[3]}, {in[5]});
  EXPECT_EQ(state[1].shape(), in[3].shape());
  return {state[0], stacked[0], stacked[1]};
}

Arrays arguments(int steps, int rows = 3) {
  const auto draw = [&](uint64_t key, const Shape& shape) { return random::normal(shape, random::key(key)) * 0.4f; };
  return {draw(1, {6, 8}), draw(2, {8, 8}),    draw(3, {8}),
          draw(4, {8, 8}), draw(5, {rows, 8}), draw(6, {steps, rows, 6})};
}

array loss(const Arrays& results) { return sum(square(results[0])) + sum(results[1] * 0.5f) + sum(results[2]); }

TEST(Hoist, ScansGiveWhatLoopsGive) {
  for (const int steps : {1, 2, 9})
    for (const int rows : {1, 3}) {
      const Arrays in = arguments(steps, rows), want = looped(in), eager = scanned(in), compiled = compile(scanned)(in);
      for (size_t i = 0; i < want.size(); ++i) {
        expect_close(eager[i], want[i], "eager");
        expect_close(compiled[i], want[i], "compiled");
        EXPECT_TRUE(array_equal(compiled[i], eager[i]).item<bool>());
      }
    }
}

TEST(Hoist, GradientsAreThoseOfLoops) {
  const Arrays in = arguments(7);
  const std::vector<int> all{0, 1, 2, 3, 4, 5};
  const std::function<array(const Arrays&)> of_loop = [](const Arrays& a) { return loss(looped(a)); };
  const std::function<array(const Arrays&)> of_scan = [](const Arrays& a) { return loss(scanned(a)); };
  const Arrays want = value_and_grad(of_loop, all)(in).second, eager = value_and_grad(of_scan, all)(in).second;
  const Arrays compiled = compile([&](const Arrays& a) { return value_and_grad(of_scan, all)(a).second; })(in);
  for (size_t i = 0; i < want.size(); ++i) {
    expect_close(eager[i], want[i], "eager");
    expect_close(compiled[i], want[i], "compiled");
  }
}

TEST(Hoist, AnyShape) {
  const auto f = compile(scanned, /*shapeless=*/true);
  for (const int steps : {4, 1, 6}) {
    const Arrays in = arguments(steps, steps), want = looped(in), got = f(in);
    for (size_t i = 0; i < want.size(); ++i) expect_close(got[i], want[i], "any shape");
  }
}

// Before a loop that has no steps, the work is done for nothing and changes nothing.
TEST(Hoist, LoopsWithoutSteps) {
  const auto f = compile([](const Arrays& in) {
    return while_loop([&](const Arrays& s) { return s[0] < exp(in[1]); },
                      [&](const Arrays& s) { return Arrays{s[0] + exp(in[2]), s[1]}; }, Arrays{in[0], in[2]});
  });
  for (const float limit : {-20.0f, 2.0f}) {
    const Arrays in{array(1.0f), array(limit), array(0.5f)};
    float want = 1.0f;
    while (want < std::exp(limit)) want += std::exp(0.5f);
    const Arrays got = f(in);
    EXPECT_NEAR(Arrays(got)[0].item<float>(), want, 1e-5f * want);
    EXPECT_EQ(Arrays(got)[1].item<float>(), 0.5f);
  }
}

}  // namespace
}  // namespace frit::test::hoist_test
