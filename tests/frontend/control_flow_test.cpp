// Control flow against plain loops: eager, compiled, for any shape, and its errors.
#include <gtest/gtest.h>

#include "frit/frit.h"

using namespace frit;

namespace {

using Arrays = std::vector<array>;
using Step = std::function<Arrays(const Arrays&)>;

void expect_same(const array& a, const array& b) {
  EXPECT_EQ(a.shape(), b.shape());
  EXPECT_EQ(a.dtype(), b.dtype());
  EXPECT_TRUE(array_equal(a, b, true).item<bool>()) << a << "\n" << b;
}

// The steps of a recurrence, and its plain loop.
std::pair<array, array> step(const array& h, const array& x) {
  const array next = tanh(h * 0.5f + x);
  return {next, next * x};
}

std::pair<array, array> plain(array h, const array& xs, bool reverse = false) {
  const int n = xs.shape(0);
  Arrays out(static_cast<size_t>(n), h);
  for (int k = 0; k < n; ++k) {
    const int i = reverse ? n - 1 - k : k;
    auto [next, element] = step(h, take(xs, i, 0));
    h = next;
    out[static_cast<size_t>(i)] = element;
  }
  return {h, stack(out)};
}

array random_numbers(const Shape& shape, Dtype t = float32) { return astype(random::normal(shape, random::key(7)), t); }

}  // namespace

TEST(ControlFlow, ScanIsALoop) {
  for (bool reverse : {false, true}) {
    const array h = random_numbers({4}), xs = random_numbers({9, 4});
    const auto [last, out] = scan(step, h, xs, reverse);
    const auto [want_last, want_out] = plain(h, xs, reverse);
    expect_same(last, want_last);
    expect_same(out, want_out);
  }
}

TEST(ControlFlow, ScanOfEveryType) {
  for (Dtype t : {float16, bfloat16, float32, float64, int32, uint8, int64, complex64}) {
    const array h = astype(array({1, 2, 3}), t), xs = astype(reshape(arange(12), {4, 3}), t);
    const auto add_both = [](const array& c, const array& x) { return std::pair(c + x, c * x); };
    const auto [last, out] = scan(add_both, h, xs);
    array c = h;
    Arrays rows;
    for (int i = 0; i < 4; ++i) {
      const array x = take(xs, i, 0);
      rows.push_back(c * x);
      c = c + x;
    }
    expect_same(last, c);
    expect_same(out, stack(rows));
  }
}

TEST(ControlFlow, CompiledAndShapelessScansAreTheSame) {
  for (bool shapeless : {false, true}) {
    const auto f = compile(
        [](const Arrays& x) {
          const auto [last, out] = scan(step, x[0] + 1.0f, x[1]);
          return Arrays{last * 2.0f, sum(out, 0)};
        },
        shapeless);
    for (int n : {3, 5, 1}) {
      const array h = random_numbers({n + 1}), xs = random_numbers({n, n + 1});
      const Arrays got = f({h, xs});
      const auto [last, out] = plain(h + 1.0f, xs);
      expect_same(got[0], last * 2.0f);
      expect_same(got[1], sum(out, 0));
    }
  }
}

TEST(ControlFlow, ScanWithoutStepsOrArrays) {
  const auto [last, out] = scan(step, ones({3}), zeros({0, 3}));
  expect_same(last, ones({3}));
  EXPECT_EQ(out.shape(), Shape({0, 3}));
  const auto doubled =
      scan([](const Arrays& c, const Arrays&) { return std::pair(Arrays{c[0] * 2}, Arrays{}); }, {array(1)}, {}, 10);
  EXPECT_EQ(doubled.first[0].item<int>(), 1024);
}

TEST(ControlFlow, CapturedArraysAndViews) {
  const array w = random_numbers({4, 4}), xs = random_numbers({4, 6});
  const auto f = [&](const array& h, const array& x) {
    const array next = tanh(matmul(w, h) + x);
    return std::pair(next, next);
  };
  // Steps along a transposed axis, and a state that is the stacked element too.
  const auto [last, out] = scan(f, zeros({4}), transpose(xs));
  array h = zeros({4});
  for (int i = 0; i < 6; ++i) h = tanh(matmul(w, h) + take(xs, i, 1));
  EXPECT_TRUE(allclose(last, h).item<bool>());
  expect_same(take(out, 5, 0), last);
}

TEST(ControlFlow, StateThatIsExchangedOrKept) {
  // Fibonacci: the next state holds parts of the old one.
  const Arrays out = fori_loop(0, 10, [](const array&, const Arrays& s) { return Arrays{s[1], s[0] + s[1], s[2]}; },
                               {array(0), array(1), array(7)});
  EXPECT_EQ(out[0].item<int>(), 55);
  EXPECT_EQ(out[1].item<int>(), 89);
  EXPECT_EQ(out[2].item<int>(), 7);
}

TEST(ControlFlow, ForiLoopGivesTheNumber) {
  const array total = fori_loop(3, 7, [](const array& i, const array& s) { return s + i; }, array(0));
  EXPECT_EQ(total.item<int>(), 18);
  const auto bounded = compile([](const Arrays& n) {
    return fori_loop(n[0], n[1], [](const array& i, const Arrays& s) { return Arrays{s[0] + i}; }, {array(0)});
  });
  EXPECT_EQ(bounded({array(3), array(7)})[0].item<int>(), 18);
  EXPECT_EQ(bounded({array(7), array(3)})[0].item<int>(), 0);
}

TEST(ControlFlow, WhileLoopStops) {
  const auto collatz = [](const Arrays& x) {
    return while_loop([](const Arrays& s) { return s[0] > array(1); },
                      [](const Arrays& s) {
                        const array odd = remainder(s[0], array(2)) == array(1);
                        return Arrays{where(odd, s[0] * 3 + 1, floor_divide(s[0], array(2))), s[1] + 1};
                      },
                      {x[0], array(0)});
  };
  EXPECT_EQ(collatz({array(27)})[1].item<int>(), 111);
  EXPECT_EQ(collatz({array(1)})[1].item<int>(), 0);
  EXPECT_EQ(compile(collatz)({array(97)})[1].item<int>(), 118);
}

TEST(ControlFlow, CondChooses) {
  const auto f = [](const Arrays& x) {
    return cond(
        sum(x[0]) > array(0.0f), [](const Arrays& o) { return Arrays{o[0] * 2, sum(o[0])}; },
        [&](const Arrays& o) { return Arrays{o[0] - x[1], o[0].shape(0) > 0 ? array(-1.0f) : array(0.0f)}; }, {x[0]});
  };
  for (const Step& g : {Step(f), Step(compile(f)), Step(compile(f, true))}) {
    const array up({1.0f, 2.0f}), down({-1.0f, -2.0f}), y({5.0f, 5.0f});
    expect_same(g({up, y})[0], up * 2);
    expect_same(g({up, y})[1], array(3.0f));
    expect_same(g({down, y})[0], down - y);
    expect_same(g({down, y})[1], array(-1.0f));
  }
}

TEST(ControlFlow, Nests) {
  // Running sums of running sums, with a choice inside.
  const auto f = [](const Arrays& x) {
    const auto [last, out] = scan(
        [](const array& c, const array& row) {
          const array total = fori_loop(0, 3, [&](const array& i, const array& s) { return s + row * i; }, c);
          const array kept = cond(
              sum(total) > array(4.0f), [](const array& t) { return t * 0.5f; }, [](const array& t) { return t; },
              total);
          return std::pair(
              kept, scan([](const array& a, const array& b) { return std::pair(a + b, a); }, array(0.0f), kept).second);
        },
        zeros({4}), x[0]);
    return Arrays{last, out};
  };
  const array xs = random_numbers({5, 4});
  array c = zeros({4});
  Arrays rows;
  for (int i = 0; i < 5; ++i) {
    for (int k = 0; k < 3; ++k) c = c + take(xs, i, 0) * k;
    if (sum(c).item<float>() > 4.0f) c = c * 0.5f;
    array before = array(0.0f);
    Arrays row;
    for (int k = 0; k < 4; ++k) row.push_back(before), before = before + take(c, k, 0);
    rows.push_back(stack(row));
  }
  for (const Step& g : {Step(f), Step(compile(f)), Step(compile(f, true))}) {
    expect_same(g({xs})[0], c);
    expect_same(g({xs})[1], stack(rows));
  }
}

TEST(ControlFlow, RoutinesInBodies) {
  const array w = random_numbers({3, 3}) * 0.2f, xs = random_numbers({4, 3, 3});
  const auto body = [&](const array& h, const array& x) {
    const array next = sort(matmul(h, w) + x, 1);
    return std::pair(next, argsort(next, 0));
  };
  const Step f = [&](const Arrays& a) {
    const auto [last, out] = scan(body, a[0], a[1]);
    const array chosen = cond(
        sum(last) > array(0.0f), [](const array& m) { return linalg::qr(m).second; },
        [](const array& m) { return sort(m, 0); }, last);
    return Arrays{last, out, chosen};
  };
  array h = ones({3, 3});
  Arrays rows;
  for (int i = 0; i < 4; ++i) {
    const auto [next, order] = body(h, take(xs, i, 0));
    h = next;
    rows.push_back(order);
  }
  const array chosen = sum(h).item<float>() > 0.0f ? linalg::qr(h).second : sort(h, 0);
  for (const Step& g : {f, Step(compile(f)), Step(compile(f, true))}) {
    const Arrays got = g({ones({3, 3}), xs});
    EXPECT_TRUE(allclose(got[0], h, 1e-5, 1e-5).item<bool>());
    expect_same(got[1], stack(rows));
    EXPECT_TRUE(allclose(got[2], chosen, 1e-4, 1e-4).item<bool>());
  }
}

TEST(ControlFlow, RandomKeysInBodies) {
  // A key that is split in each step, and one key of each step.
  const Step f = [](const Arrays& a) {
    const auto [last, out] = scan(
        [](const Arrays& c, const Arrays& x) {
          const auto [next, drawn] = random::split(c[0]);
          return std::pair(Arrays{next}, Arrays{random::normal({3}, drawn), random::uniform({2}, float32, x[0])});
        },
        {a[0]}, {a[1]});
    return Arrays{last[0], out[0], out[1]};
  };
  const array keys = random::split(random::key(3), 4);
  array key = random::key(5);
  Arrays normal, uniform;
  for (int i = 0; i < 4; ++i) {
    const auto [next, drawn] = random::split(key);
    key = next;
    normal.push_back(random::normal({3}, drawn));
    uniform.push_back(random::uniform({2}, float32, take(keys, i, 0)));
  }
  for (const Step& g : {f, Step(compile(f)), Step(compile(f, true))}) {
    const Arrays got = g({random::key(5), keys});
    expect_same(got[0], key);
    expect_same(got[1], stack(normal));
    expect_same(got[2], stack(uniform));
  }
}

TEST(ControlFlow, OneBodyForAThousandSteps) {
  const auto f = compile([](const Arrays& x) { return Arrays{scan(step, x[0], x[1]).first}; });
  const array h = random_numbers({8}), xs = random_numbers({1000, 8});
  expect_same(f({h, xs})[0], plain(h, xs).first);
}

namespace {

template <class F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const InvalidArgument& e) {
    return e.what();
  }
  return "nothing was thrown";
}

void expect_says(const std::string& message, std::initializer_list<const char*> parts) {
  for (const char* part : parts) EXPECT_NE(message.find(part), std::string::npos) << part << "\nin: " << message;
}

}  // namespace

TEST(ControlFlow, SaysWhatIsWrong) {
  expect_says(refusal([] {
                scan([](const array& c, const array& x) { return std::pair(astype(c, float16), x); }, zeros({4}),
                     zeros({3, 4}));
              }),
              {"scan", "f32[4]", "f16[4]", "astype", "control_flow_test.cpp"});
  expect_says(
      refusal([] { while_loop([](const array& x) { return x; }, [](const array& x) { return x; }, zeros({2})); }),
      {"while_loop", "bool[]", "f32[2]", "control_flow_test.cpp"});
  expect_says(refusal([] {
                cond(array(true), [](const array& x) { return x; }, [](const array& x) { return sum(x); }, zeros({2}));
              }),
              {"cond", "f32[2]", "f32[]", "control_flow_test.cpp"});
  expect_says(
      refusal([] { cond(array(1), [](const array& x) { return x; }, [](const array& x) { return x; }, zeros({2})); }),
      {"cond", "bool[]", "i32[]"});
  expect_says(refusal([] { fori_loop(0, 3, [](const array&, const array& s) { return stack({s, s}); }, array(1.0f)); }),
              {"fori_loop", "f32[]", "f32[2]"});
  expect_says(refusal([] { scan(step, zeros({4}), array(1.0f)); }), {"scan", "axis"});
  expect_says(
      refusal([] { scan([](const Arrays& c, const Arrays&) { return std::pair(c, Arrays{}); }, {array(1)}, {}); }),
      {"scan", "length"});
}

// ---- Transforms

namespace {

using Fn = std::function<array(const array&)>;

void expect_close(const array& a, const array& b, float bound = 2e-5f) {
  ASSERT_EQ(a.shape(), b.shape());
  EXPECT_TRUE(allclose(a, b, bound, bound).item<bool>()) << a << "\n" << b;
}

// A loss of a state, scanned arrays and captured weights: as a scan, and as a plain loop.
array looped_loss(const Arrays& p, bool as_scan, bool reverse) {
  const auto body = [&](const array& h, const array& x) {
    const array next = tanh(matmul(p[2], h) + x * p[3]);
    return std::pair(next, exp(next) * x);
  };
  if (as_scan) {
    const auto [last, out] = scan(body, p[0], p[1], reverse);
    return sum(square(last)) + sum(out * out);
  }
  array h = p[0], total = array(0.0f);
  const int n = p[1].shape(0);
  for (int k = 0; k < n; ++k) {
    auto [next, element] = body(h, take(p[1], reverse ? n - 1 - k : k, 0));
    h = next;
    total = total + sum(element * element);
  }
  return sum(square(h)) + total;
}

Arrays loss_arguments() {
  return {random_numbers({3}) * 0.3f, random_numbers({4, 3}) * 0.5f, random_numbers({3, 3}) * 0.4f, array(0.7f)};
}

}  // namespace

TEST(ControlFlow, ScanHasBothDerivatives) {
  for (bool reverse : {false, true}) {
    const auto loss = [=](bool as_scan) {
      return std::function<array(const Arrays&)>([=](const Arrays& p) { return looped_loss(p, as_scan, reverse); });
    };
    const Arrays p = loss_arguments();
    const auto [value, got] = value_and_grad(loss(true), {0, 1, 2, 3})(p);
    const auto [want_value, want] = value_and_grad(loss(false), {0, 1, 2, 3})(p);
    expect_close(value, want_value);
    for (size_t i = 0; i < 4; ++i) expect_close(got[i], want[i]);
    // Compiled around, and forward.
    const auto both = [&](bool as_scan) {
      return Step([=](const Arrays& x) { return value_and_grad(loss(as_scan), {0, 1, 2, 3})(x).second; });
    };
    const Arrays compiled = compile(both(true))(p), shapeless = compile(both(true), true)(p);
    for (size_t i = 0; i < 4; ++i) expect_close(compiled[i], want[i]), expect_close(shapeless[i], want[i]);
    const Step as_list = [&](const Arrays& x) { return Arrays{loss(true)(x)}; };
    const Step plain_list = [&](const Arrays& x) { return Arrays{loss(false)(x)}; };
    expect_close(jvp(as_list, p, want).second[0], jvp(plain_list, p, want).second[0]);
    expect_close(jvp(compile(as_list), p, want).second[0], jvp(plain_list, p, want).second[0]);
  }
}

// Gradients of weights are products behind the loop where their factors are smaller, else sums in the loop.
TEST(ControlFlow, ScansSumGradientsOfWeights) {
  for (const Shape& batch : {Shape{}, Shape{2}})
    for (int rows : {1, 3, 9}) {
      const auto shaped = [&](Shape tail, const Shape& head = {}) {
        Shape all = head;
        all.insert(all.end(), batch.begin(), batch.end());
        all.insert(all.end(), tail.begin(), tail.end());
        return random_numbers(all) * 0.3f;
      };
      const array init = shaped({rows, 6}), xs = shaped({rows, 5}, {4});
      const auto gradients = [&](bool as_scan, const array& start) {
        return grad(std::function<array(const Arrays&)>([&, start, as_scan](const Arrays& w) {
                      // The second weight meets the scanned array alone; the third is used twice.
                      const auto body = [&](const array& h, const array& x) {
                        const array next = tanh(matmul(h, w[0]) + matmul(x, w[1]) + matmul(matmul(h, w[2]), w[2]));
                        return std::pair(next, next);
                      };
                      if (as_scan) return sum(square(scan(body, start, xs).first));
                      array h = start;
                      for (int k = 0; k < 4; ++k) h = body(h, take(xs, k, 0)).first;
                      return sum(square(h));
                    }),
                    {0, 1, 2})({shaped({6, 6}), shaped({5, 6}), shaped({6, 6}) * 0.5f});
      };
      const Arrays got = gradients(true, init), want = gradients(false, init);
      for (size_t i = 0; i < 3; ++i) expect_close(got[i], want[i]);
      // A batch of initial states.
      const array starts = stack({init, init * 0.5f});
      const array batched =
          vmap(Fn([&](const array& start) { return gradients(true, start)[0] + gradients(true, start)[2]; }))(starts);
      for (int i : {0, 1}) {
        const Arrays one = gradients(false, take(starts, i, 0));
        expect_close(take(batched, i, 0), one[0] + one[2]);
      }
    }
}

TEST(ControlFlow, ScanHasSecondDerivatives) {
  const array xs = random_numbers({4, 3}) * 0.5f, v = random_numbers({3});
  const auto f = [&](bool as_scan) {
    return Fn([=, &xs](const array& h) { return looped_loss({h, xs, eye(3), array(0.7f)}, as_scan, false); });
  };
  const array h = random_numbers({3}) * 0.3f;
  const auto times_hessian = [&](const Fn& g) { return jvp(grad(g), h, v).second; };
  expect_close(times_hessian(f(true)), times_hessian(f(false)));
  const auto hessian_of_sum = [&](const Fn& g) { return grad(Fn([=](const array& x) { return sum(grad(g)(x)); }))(h); };
  expect_close(hessian_of_sum(f(true)), hessian_of_sum(f(false)));
}

TEST(ControlFlow, ForiLoopAndCondHaveDerivatives) {
  const Fn looped = [](const array& x) {
    return sum(fori_loop(
        0, 4,
        [&](const array& i, const array& s) {
          return cond(
              remainder(i, array(2)) == array(0), [&](const array& t) { return t * x; },
              [](const array& t) { return sin(t); }, s);
        },
        x));
  };
  const Fn plain = [](const array& x) { return sum(sin(sin(x * x) * x)); };
  const array x({0.5f, 1.5f});
  expect_close(looped(x), plain(x));
  expect_close(grad(looped)(x), grad(plain)(x));
  expect_close(grad(compile(looped))(x), grad(plain)(x));
  expect_close(compile(grad(looped))(x), grad(plain)(x));
  expect_close(jvp(looped, x, ones({2})).second, jvp(plain, x, ones({2})).second);
}

TEST(ControlFlow, WhileLoopHasAForwardDerivativeAlone) {
  const auto f = [](const Arrays& x) {
    return while_loop([](const Arrays& s) { return sum(s[0]) < array(50.0f); },
                      [&](const Arrays& s) { return Arrays{s[0] * x[1]}; }, {x[0]});
  };
  const Arrays p{array({1.0f, 2.0f}), array({2.0f, 3.0f})}, t{array({1.0f, 0.0f}), array({0.0f, 1.0f})};
  // Four steps: x * y^3.
  const auto [value, tangent] = jvp(f, p, t);
  expect_close(value[0], array({8.0f, 54.0f}));
  expect_close(tangent[0], array({8.0f, 54.0f}));
  expect_says(refusal([&] { grad([&](const Arrays& x) { return sum(f(x)[0]); })(p); }),
              {"while_loop", "reverse", "fori_loop"});
}

TEST(ControlFlow, BatchesOfLoops) {
  const array hs = random_numbers({5, 3}), xs = random_numbers({4, 3, 5}), shared = random_numbers({4, 3});
  const auto both = [](const Arrays& a) {
    const auto [last, out] = scan(step, a[0], a[1]);
    return Arrays{last, out};
  };
  const Arrays got = vmap(both, {0, 2})({hs, xs}), same_xs = vmap(both, {0, -1})({hs, shared}),
               same_h = vmap(both, {-1, 2})({take(hs, 0, 0), xs});
  for (int i = 0; i < 5; ++i) {
    const array x = take(xs, i, 2), h = take(hs, i, 0);
    expect_same(take(got[0], i, 0), both({h, x})[0]);
    expect_same(take(got[1], i, 0), both({h, x})[1]);
    expect_same(take(same_xs[0], i, 0), both({h, shared})[0]);
    expect_same(take(same_xs[1], i, 0), both({h, shared})[1]);
    expect_same(take(same_h[0], i, 0), both({take(hs, 0, 0), x})[0]);
  }
  // Positions that take another number of steps, and that choose differently.
  const Fn doubling = [](const array& x) {
    return while_loop([](const array& s) { return s < array(100.0f); }, [](const array& s) { return s * 2; }, x);
  };
  const Fn choice = [](const array& x) {
    return cond(x > array(0.0f), [](const array& t) { return t * 2; }, [](const array& t) { return t - 1; }, x);
  };
  const array x({3.0f, -1.0f, 200.0f, 60.0f}), y({3.0f, 5.0f, 200.0f, 60.0f});
  expect_same(vmap(doubling)(y), array({192.0f, 160.0f, 200.0f, 120.0f}));
  expect_same(vmap(choice)(x), array({6.0f, -2.0f, 400.0f, 120.0f}));
  expect_same(compile(vmap(choice))(x), array({6.0f, -2.0f, 400.0f, 120.0f}));
  // Gradients of each.
  const Fn total = [&](const array& h) { return looped_loss({h, shared, eye(3), array(0.7f)}, true, false); };
  const array rows = vmap(grad(total))(hs * 0.1f);
  for (int i = 0; i < 5; ++i) expect_close(take(rows, i, 0), grad(total)(take(hs, i, 0) * 0.1f));
}

TEST(ControlFlow, CheckpointsInBodies) {
  const auto again = checkpoint([](const Arrays& x) { return Arrays{sin(x[0])}; });
  const Fn f = [&](const array& x) {
    return fori_loop(0, 2, [&](const array&, const array& s) { return again({s})[0]; }, x);
  };
  expect_close(grad(f)(array(0.5f)), grad(Fn([](const array& x) { return sin(sin(x)); }))(array(0.5f)));
}
