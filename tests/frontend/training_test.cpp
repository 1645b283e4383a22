// Compiled training steps: state in place, random state, optimisers over many parameters.
#include <map>

#include "helpers.h"

namespace frit::test::training_test {
namespace {

using Arrays = std::vector<array>;
using Unary = std::function<array(const array&)>;

CompileOptions over(State state) {
  CompileOptions options;
  options.inputs = state;
  options.outputs = std::move(state);
  return options;
}

TEST(Training, StateIsUpdatedInPlace) {
  const array table = reshape(arange(0.0f, 1000.0f, 1.0f), {10, 100});
  for (bool captures : {false, true}) {
    array w = ones({10, 100}) + 1.0f;
    eval(w, table);
    CompileOptions options = over({&w});
    const auto step = compile(
        [&](array x) {
          w = w - x * (captures ? table : w);
          return sum(x);
        },
        options);
    eval(step(array(0.0f)), w);
    const void* before = w.data<float>();
    for (int i = 0; i < 3; ++i) eval(step(array(0.0f)), w);
    EXPECT_EQ(w.data<float>(), before);
    EXPECT_EQ(w.data<float>()[7], 2.0f);
    // Another holder keeps the old value.
    const array kept = w;
    eval(step(array(1.0f)), w);
    EXPECT_NE(w.data<float>(), kept.data<float>());
    EXPECT_EQ(values<float>(kept)[7], 2.0f);
    EXPECT_EQ(values<float>(w)[7], captures ? -5.0f : 0.0f);
  }
}

TEST(Training, AThrowingClosureLeavesNestedStateAsItWas) {
  std::map<std::string, array> parameters{{"a", array({1.0f, 2.0f})}, {"b", array(3.0f)}};
  Arrays moments{array(0.0f), array(1.0f)};
  State state;
  state.add(parameters).add(moments);
  bool fail = false;
  const auto step = compile(
      [&](array x) {
        for (auto& [name, p] : parameters) p = p + x;
        moments[0] = moments[0] + 1.0f;
        if (fail) throw std::runtime_error("stop");
        return x;
      },
      over(state));
  step(array(1.0f));
  fail = true;
  EXPECT_THROW(step(ones({2})), std::runtime_error);
  EXPECT_EQ(values<float>(parameters.at("a")), (std::vector<float>{2, 3}));
  EXPECT_EQ(values<float>(parameters.at("b")), (std::vector<float>{4}));
  EXPECT_EQ(values<float>(moments[0]), (std::vector<float>{1}));
}

TEST(Training, CapturedRandomStateDrawsAnew) {
  const auto drops = [](const array& x) { return x * astype(random::bernoulli(array(0.5f), x.dims()), float32); };
  const array x = ones({256});
  random::seed(7);
  const auto fresh = compile([&](array v) { return drops(v); }, over({&random::state()}));
  const std::vector<float> first = values<float>(fresh(x)), second = values<float>(fresh(x));
  EXPECT_NE(first, second);
  EXPECT_EQ(fresh.trace_count(), 1u);
  // The draws are those of the function that is not compiled, from the same seed.
  random::seed(7);
  EXPECT_EQ(values<float>(drops(x)), first);
  EXPECT_EQ(values<float>(drops(x)), second);
  // Under a gradient, too.
  random::seed(7);
  const auto slope = compile([&](array v) { return grad(Unary([&](const array& u) { return sum(drops(u)); }))(v); },
                             over({&random::state()}));
  EXPECT_EQ(values<float>(slope(x)), first);
  EXPECT_EQ(values<float>(slope(x)), second);
}

// The key that follows a draw under a transform is that of the draws alone, at every depth.
TEST(Training, TheRandomStateOutlivesEveryTransform) {
  const array x = ones({64});
  using List = std::function<Arrays(const Arrays&)>;
  const auto drops = [](const array& v) { return v * astype(random::bernoulli(array(0.5f), v.dims()), float32); };
  const Unary total = [&](const array& v) { return sum(drops(v) * drops(v)); };
  const std::map<std::string, Unary> ways{
      {"value", [&](const array& v) { return drops(v) * drops(v); }},
      {"grad", [&](const array& v) { return grad(total)(v); }},
      {"grad of grad",
       [&](const array& v) { return grad(Unary([&](const array& u) { return sum(u * grad(total)(u)); }))(v); }},
      {"jvp",
       [&](const array& v) { return jvp(Unary([&](const array& u) { return drops(u) * drops(u); }), v, v).second; }},
      {"vjp",
       [&](const array& v) { return vjp(Unary([&](const array& u) { return drops(u) * drops(u); }), v, v).second; }},
      {"checkpoint",
       [&](const array& v) {
         const List part = checkpoint(List([&](const Arrays& u) { return Arrays{drops(u[0]) * drops(u[0])}; }));
         return grad(Unary([&](const array& u) { return sum(part({u})[0]); }))(v);
       }},
      {"vmap",
       [&](const array& v) {
         return vmap(Unary([&](const array& u) { return u * drops(v) * drops(v); }))(reshape(v, {1, 64}));
       }},
      {"vmap of grad",
       [&](const array& v) {
         return vmap(Unary([&](const array& u) { return grad(total)(u); }))(reshape(v, {1, 64}));
       }},
  };
  for (const auto& [name, way] : ways) {
    SCOPED_TRACE(name);
    random::seed(11);
    const array first = way(x), second = way(x), third = drops(x);
    random::seed(11);
    const auto step = compile([&](array v) { return way(v); }, over({&random::state()}));
    for (const array& plain : {first, second}) {
      EXPECT_EQ(values<float>(step(x)), values<float>(plain));
    }
    EXPECT_EQ(values<float>(drops(x)), values<float>(third));
    EXPECT_NE(values<float>(first), values<float>(second));
    // Every way makes two draws.
    random::seed(11);
    for (int i = 0; i < 4; ++i) drops(x);
    EXPECT_EQ(values<float>(drops(x)), values<float>(third));
  }
}

// A closure that throws under a transform leaves the random state as it was.
TEST(Training, AThrowingClosureUnderATransformLeavesTheRandomState) {
  random::seed(3);
  const array next = random::uniform({4});
  random::seed(3);
  const auto step = compile(
      [&](array v) {
        EXPECT_THROW(grad(Unary([](const array&) -> array {
                       random::uniform({4});
                       throw std::runtime_error("stop");
                     }))(v),
                     std::runtime_error);
        return v;
      },
      over({&random::state()}));
  eval(step(array(1.0f)));
  EXPECT_EQ(values<float>(random::uniform({4})), values<float>(next));
}

// Values beside the gradient leave the closure through state.
TEST(Training, AClosureUnderAGradientMayWriteState) {
  array seen(0.0f), step(0.0f);
  CompileOptions options;
  options.inputs = State{&step};
  options.outputs = State{&seen, &step};
  const auto f = compile(
      [&](array v) {
        const Unary loss = [&](const array& u) {
          seen = sum(u * 2.0f) + v;
          step = step + 1.0f;
          return sum(u * u);
        };
        return grad(loss)(v * 3.0f);
      },
      options);
  EXPECT_EQ(f(array(2.0f)).item<float>(), 12.0f);
  EXPECT_EQ(seen.item<float>(), 14.0f);
  EXPECT_EQ(f(array(1.0f)).item<float>(), 6.0f);
  EXPECT_EQ(seen.item<float>(), 7.0f);
  EXPECT_EQ(step.item<float>(), 2.0f);
}

TEST(Training, RepeatedDrawsAreLoggedOnce) {
  std::vector<std::string> lines;
  set_log("random", [&](std::string_view line) { lines.emplace_back(line); });
  CompileOptions options;
  options.name = "repeats";
  const auto f = compile([](array v) { return v + random::normal({4}) + random::normal({4}); }, options);
  EXPECT_EQ(values<float>(f(zeros({4}))), values<float>(f(zeros({4}))));
  f(zeros({2, 4}));
  compile([](array v) { return v + random::normal({4}); }, over({&random::state()}))(zeros({4}));
  random::normal({4});
  set_log("");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("repeats: its random numbers are drawn once"), std::string::npos) << lines[0];
}

// Parameters of several shapes, with the moments of Adam.
struct Model {
  Arrays parameters, first, second;
  array step = array(0.0f);

  explicit Model(int count) {
    const Shape shapes[] = {{16, 24}, {24}, {24, 8}, {8}, {3, 5, 7}};
    for (int i = 0; i < count; ++i) {
      const Shape& shape = shapes[i % 5];
      int n = 1;
      for (int d : shape) n *= d;
      parameters.push_back(reshape(sin(arange(0.0f, static_cast<float>(n), 1.0f) + static_cast<float>(i)), shape));
      first.push_back(zeros(shape));
      second.push_back(zeros(shape));
    }
    eval(parameters);
    eval(first);
    eval(second);
  }
  State state() {
    State s;
    s.add(parameters).add(first).add(second).add(step);
    return s;
  }
  void update(const Arrays& gradients) {
    step = step + 1.0f;
    const array c1 = 1.0f - power(array(0.9f), step), c2 = 1.0f - power(array(0.999f), step);
    for (size_t i = 0; i < parameters.size(); ++i) {
      first[i] = first[i] * 0.9f + gradients[i] * 0.1f;
      second[i] = second[i] * 0.999f + gradients[i] * gradients[i] * 0.001f;
      parameters[i] = parameters[i] - 0.01f * (first[i] / c1) / (sqrt(second[i] / c2) + 1e-8f);
    }
  }
};

// Updates that share no value, of many small shapes.
TEST(Training, PlainUpdatesAreFewKernels) {
  Arrays parameters, gradients;
  for (int i = 0; i < 100; ++i) {
    parameters.push_back(full({1 + i % 7, 3 + i % 5}, static_cast<float>(i)));
    gradients.push_back(full({1 + i % 7, 3 + i % 5}, 0.5f));
  }
  State state;
  state.add(parameters);
  const auto step = compile(
      [&](const Arrays& g) {
        for (size_t i = 0; i < g.size(); ++i) parameters[i] = parameters[i] - g[i];
        return Arrays{};
      },
      over(state));
  EXPECT_LE(step.lower(gradients).kernel_count, 6);
  for (int i = 0; i < 2; ++i) step(gradients);
  for (size_t i = 0; i < 100; ++i) EXPECT_EQ(values<float>(parameters[i])[0], static_cast<float>(i) - 1.0f);
}

TEST(Training, AdamOverManyParametersIsFewKernels) {
  Model eager(100), compiled(100);
  const Arrays gradients = Model(100).parameters;
  const auto step = compile(
      [&](const Arrays& g) {
        compiled.update(g);
        return Arrays{compiled.step};
      },
      over(compiled.state()));
  EXPECT_LE(step.lower(gradients).kernel_count, 24);
  for (int i = 0; i < 3; ++i) {
    eager.update(gradients);
    step(gradients);
  }
  for (size_t i = 0; i < 100; ++i) {
    ASSERT_EQ(values<float>(eager.parameters[i]), values<float>(compiled.parameters[i])) << i;
    ASSERT_EQ(values<float>(eager.second[i]), values<float>(compiled.second[i])) << i;
  }
}

}  // namespace
}  // namespace frit::test::training_test
