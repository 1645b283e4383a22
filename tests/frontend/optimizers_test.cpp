// Optimisers, schedules and clipping. The expected values are those of MLX 0.32 after the same three steps.
#include <filesystem>
#include <set>

#include "frontend/transforms/closure.h"
#include "helpers.h"

namespace frit::test::optimizers_test {
namespace {

using Floats = std::vector<float>;
using Named = std::map<std::string, array>;

void expect_near(const Floats& found, const Floats& wanted, float bound = 2e-6f) {
  ASSERT_EQ(found.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i)
    EXPECT_NEAR(found[i], wanted[i], bound * std::max(1.0f, std::fabs(wanted[i]))) << "element " << i;
}

Named first_parameters() {
  return {{"w", array({0.5f, -1.0f, 0.25f, 2.0f, 0.75f, -0.5f}, {2, 3})}, {"b", array({0.1f, -0.2f})}};
}

std::vector<Named> gradients() {
  const auto one = [](Floats w, Floats b) {
    return Named{{"w", array(w.begin(), {2, 3})}, {"b", array(b.begin(), {2})}};
  };
  return {one({0.3f, -0.6f, 0.9f, -0.2f, 0.4f, 0.1f}, {0.5f, -0.25f}),
          one({-0.1f, 0.2f, 0.3f, 0.7f, -0.4f, 0.6f}, {-0.3f, 0.8f}),
          one({0.25f, 0.5f, -0.5f, 0.1f, 0.2f, -0.9f}, {0.05f, 0.4f})};
}

Floats flat(const Named& p) { return values<float>(concatenate({p.at("b"), flatten(p.at("w"))})); }

// A compiled update whose state is captured.
template <class O>
auto compiled_step(O& optimizer, Named& parameters) {
  CompileOptions options;
  options.inputs.add(parameters).add(optimizer.state());
  options.outputs = options.inputs;
  return compile(
      [&](Named g) {
        optimizer.update(parameters, g);
        return array(0);
      },
      options);
}

// Three steps, eager and as one compiled step with captured state, which give the same bits.
template <class O>
void expect_steps(O optimizer, const Floats& wanted) {
  const O fresh = optimizer;
  Named parameters = first_parameters();
  for (const Named& g : gradients()) optimizer.update(parameters, g);
  expect_near(flat(parameters), wanted);

  O inside = fresh;
  Named captured = first_parameters();
  inside.init(captured);
  const auto step = compiled_step(inside, captured);
  for (const Named& g : gradients()) step(g);
  EXPECT_EQ(flat(captured), flat(parameters));
  EXPECT_EQ(step.trace_count(), 1u);
  EXPECT_EQ(inside.step().template item<int>(), 3);
}

TEST(Optimizers, Momentum) {
  using optimizers::SGD;
  expect_steps(SGD(0.1), {0.075f, -0.295f, 0.455f, -1.01f, 0.18f, 1.94f, 0.73f, -0.48f});
  expect_steps(SGD(0.1, 0.9, 0.01, 0.5),
               {0.05800962f, -0.261568f, 0.4549741f, -0.9599482f, 0.123942f, 1.949991f, 0.7217252f, -0.5241236f});
  expect_steps(SGD(0.1, 0.9, 0.01, 0.0, true),
               {-0.0005472507f, -0.4051865f, 0.3726851f, -0.9353702f, -0.04678425f, 1.844057f, 0.6770809f, -0.521653f});
  expect_steps(optimizers::Lion(0.05, {0.9, 0.99}, 0.1),
               {0.04875624f, -0.2472637f, 0.4427862f, -1.035324f, 0.1970175f, 1.919901f, 0.6890549f, -0.5417887f});
}

TEST(Optimizers, AdaptiveSteps) {
  using namespace optimizers;
  expect_steps(RMSprop(0.05),
               {-0.1848901f, -0.393766f, -0.1530765f, -0.9707373f, -0.1739596f, 1.950653f, 0.4366555f, -1.078336f});
  expect_steps(Adagrad(0.05),
               {0.071453f, -0.2192593f, 0.4348027f, -0.99682f, 0.2075012f, 1.99512f, 0.7186887f, -0.5578939f});
  expect_steps(AdaDelta(1.0),
               {0.0987634f, -0.2038829f, 0.4952914f, -1.001349f, 0.2476723f, 1.997964f, 0.7481416f, -0.5023519f});
  expect_steps(Adam(0.05),
               {-0.148828f, -0.3066372f, 0.09868619f, -0.7949167f, -0.1668253f, 1.922894f, 0.5598228f, -0.7968562f});
  expect_steps(Adam(0.05, {0.8, 0.99}, 1e-6, true),
               {0.03534218f, -0.2116764f, 0.4006738f, -0.9447342f, 0.1471938f, 1.99522f, 0.6974971f, -0.5822186f});
  expect_steps(AdamW(0.05, {0.9, 0.999}, 1e-8, 0.1),
               {-0.1485399f, -0.304687f, 0.09322599f, -0.7819939f, -0.168054f, 1.892031f, 0.5501503f, -0.7869196f});
  expect_steps(AdamW(0.05, {0.9, 0.999}, 1e-8, 0.1, true),
               {0.02937413f, -0.2044815f, 0.3911756f, -0.9233536f, 0.1385592f, 1.968505f, 0.6831874f, -0.5758282f});
  expect_steps(Adamax(0.05),
               {0.09164479f, -0.2043339f, 0.4854337f, -0.9937837f, 0.2360494f, 1.997225f, 0.743448f, -0.5092f});
  expect_steps(Adam(linear_schedule(0.1, 0.01, 2)),
               {-0.2709909f, -0.03435127f, 0.05859819f, -0.5978441f, -0.2845449f, 2.167536f, 0.4374246f, -1.005399f});
}

TEST(Optimizers, OfMatrices) {
  using namespace optimizers;
  expect_steps(Adafactor(),
               {0.09928868f, -0.2014858f, 0.4862881f, -1.010185f, 0.24295f, 1.993999f, 0.7412967f, -0.4998613f});
  AdafactorOptions options;
  options.beta_1 = 0.9;
  options.weight_decay = 0.01;
  options.relative_step = options.scale_parameter = false;
  expect_steps(Adafactor(0.1, options),
               {0.08467719f, -0.2027788f, 0.4730878f, -0.9975418f, 0.2205215f, 1.996099f, 0.7247862f, -0.5124884f});
  expect_steps(Muon(0.05),
               {0.09723728f, -0.2052938f, 0.488201f, -1.019736f, 0.1452406f, 1.966276f, 0.7169769f, -0.5019078f});
}

// Values of MLX 0.32.4. The rate grows with the last two axes of the parameter, though the matrix has the first axis
// and the rest.
TEST(Optimizers, MuonOfFilters) {
  const auto step = [](const Shape& shape) {
    Named p{{"w", array({0.1f, -0.2f, 0.5f, -1.0f, 0.25f, 2.0f}, shape)}};
    optimizers::Muon(0.05).update(p, Named{{"w", array({0.3f, 0.1f, -0.4f, 0.7f, 0.2f, -0.6f}, shape)}});
    return values<float>(p.at("w"));
  };
  const Floats tall = step({2, 3, 1}), wide = step({2, 1, 3});
  const Floats expected_tall{0.1140127f, -0.2006537f, 0.558253f, -1.0569359f, 0.2355659f, 2.0144255f},
      expected_wide{0.1080903f, -0.2003774f, 0.5336324f, -1.032872f, 0.2416665f, 2.0083287f};
  for (size_t i = 0; i < tall.size(); ++i) {
    EXPECT_NEAR(tall[i], expected_tall[i], 1e-5f);
    EXPECT_NEAR(wide[i], expected_wide[i], 1e-5f);
  }
}

TEST(Optimizers, KeepTheTypeOfTheParameters) {
  const auto check = [](auto optimizer) {
    Named p{{"w", astype(first_parameters().at("w"), float16)}};
    optimizer.update(p, Named{{"w", astype(gradients()[0].at("w"), float16)}});
    EXPECT_EQ(p.at("w").dtype(), float16);
    for (const auto& [name, a] : optimizer.state().parameters[0]) EXPECT_EQ(a.dtype(), float16) << name;
  };
  using namespace optimizers;
  check(SGD(0.1, 0.9, 0.1));
  check(RMSprop(0.1));
  check(Adagrad(0.1));
  check(AdaDelta(0.1));
  check(Adam(0.1, {0.9, 0.999}, 1e-4, true));
  check(AdamW(exponential_decay(0.1, 0.9)));
  check(Adamax(0.1));
  check(Lion(0.1, {0.9, 0.99}, 0.1));
  check(Adafactor());
  check(Muon(0.1));
}

TEST(Optimizers, Schedules) {
  using namespace optimizers;
  const auto rates = [](const Schedule& schedule) {
    Floats found;
    for (int i : {0, 1, 2, 3, 5, 8}) found.push_back(schedule(array(i, uint64)).item<float>());
    return found;
  };
  expect_near(rates(exponential_decay(0.1, 0.9)), {0.1f, 0.09f, 0.08099999f, 0.07289999f, 0.05904899f, 0.04304671f});
  expect_near(rates(step_decay(0.1, 0.5, 3)), {0.1f, 0.1f, 0.1f, 0.05f, 0.05f, 0.025f});
  expect_near(rates(cosine_decay(0.1, 4, 0.01)), {0.1f, 0.08681981f, 0.055f, 0.0231802f, 0.01f, 0.01f});
  expect_near(rates(linear_schedule(0.0, 0.1, 4)), {0.0f, 0.025f, 0.05f, 0.075f, 0.1f, 0.1f});
  expect_near(rates(join_schedules({linear_schedule(0.0, 0.1, 2), cosine_decay(0.1, 4)}, {2})),
              {0.0f, 0.05f, 0.1f, 0.08535534f, 0.01464466f, 0.0f});
}

TEST(Optimizers, Clipping) {
  const auto [clipped, norm] = optimizers::clip_grad_norm(gradients()[0], 0.5);
  expect_near(flat(clipped),
              {0.1872513f, -0.09362567f, 0.1123508f, -0.2247016f, 0.3370524f, -0.07490054f, 0.1498011f, 0.03745027f});
  EXPECT_NEAR(norm.item<float>(), 1.335103f, 2e-6f);
  EXPECT_EQ(flat(optimizers::clip_grad_norm(gradients()[0], 10.0).first), flat(gradients()[0]));
  EXPECT_THROW(optimizers::clip_grad_norm(gradients()[0], -1.0), std::invalid_argument);
}

TEST(Optimizers, BadInput) {
  using namespace optimizers;
  const auto message = [](auto action) { return thrown<InvalidArgument>(action); };
  EXPECT_TRUE(contains(message([] { SGD(0.1, 0.0, 0.0, 0.0, true); }), "nesterov needs a momentum"));
  EXPECT_TRUE(contains(message([] { SGD(0.1, 0.9, 0.0, 0.5, true); }), "nesterov needs a momentum"));
  EXPECT_TRUE(contains(message([] { RMSprop(0.1, -1.0); }), "RMSprop: alpha"));
  EXPECT_TRUE(contains(message([] { Adamax(0.1, {0.9, 0.999}, -1.0); }), "Adam: eps"));
  EXPECT_TRUE(contains(message([] { Adagrad(0.1, 0.0); }), "Adagrad: eps"));
  EXPECT_TRUE(contains(message([] { AdamW(0.1, {0.9, 1.0}); }), "a beta is 1"));
  EXPECT_TRUE(contains(message([] { Lion(0.1, {-0.5, 0.9}); }), "a beta is -0.5"));
  EXPECT_TRUE(contains(message([] { linear_schedule(0, 1, 0); }), "linear_schedule: 0 steps"));
  EXPECT_TRUE(contains(message([] { join_schedules({}, {}); }), "there are no schedules"));
  EXPECT_TRUE(
      contains(message([] { join_schedules({linear_schedule(0, 1, 2)}, {1}); }), "1 boundaries for 1 schedules"));
  AdafactorOptions options;
  options.relative_step = false;
  EXPECT_TRUE(contains(message([&] { Adafactor(std::nullopt, options); }), "neither a learning rate"));
  Adam adam(0.1);
  Named parameters = first_parameters();
  EXPECT_TRUE(contains(message([&] { adam.update(parameters, Named{{"w", array(1.0f)}}); }), "differ in structure"));
  adam.update(parameters, gradients()[0]);
  std::vector<array> others{array(1.0f)};
  EXPECT_TRUE(contains(message([&] { adam.update(others, others); }), "its state is that of 2 parameters"));
  // The state that a trace would make is refused, and nothing is changed.
  Adam late(0.1);
  const auto step = compiled_step(late, parameters);
  EXPECT_TRUE(contains(message([&] { step(gradients()[0]); }), "call init with the parameters before"));
  late.init(parameters);
  step(gradients()[0]);
  EXPECT_EQ(late.step().item<int>(), 1);
}

// Operations of losses, optimisers and clipping have the line of the program that calls them.
TEST(Optimizers, OperationsHaveTheLineOfTheCaller) {
  const auto function = [](const std::function<array(const array&)>& f) {
    const array one = zeros({4});
    const detail::Closure closure(
        "test", [&](const std::vector<array>& x) { return std::vector<array>{f(x[0])}; }, {one}, detail::Where());
    std::set<std::string> places;
    for (const ir::Op& op : closure.function().ops)
      if (op.loc.known() && op.def->kind != ir::OpKind::Constant)
        places.insert(std::filesystem::path(op.loc.file).filename().string() + ":" + std::to_string(op.loc.line));
    return places;
  };
  const auto here = [](unsigned line) { return std::set<std::string>{"optimizers_test.cpp:" + std::to_string(line)}; };
  EXPECT_EQ(function([](const array& x) { return nn::huber_loss(x, zeros_like(x)); }), here(__LINE__));
  optimizers::Adam adam(1e-3f);
  adam.init(zeros({4}));
  const auto step = [&](const array& x) {
    array p = x;
    adam.update(p, x);
    return p;
  };
  EXPECT_EQ(function(step), here(__LINE__ - 3));
  EXPECT_EQ(function([](const array& x) { return optimizers::clip_grad_norm(x, 1.0).first; }), here(__LINE__));
}

}  // namespace
}  // namespace frit::test::optimizers_test
