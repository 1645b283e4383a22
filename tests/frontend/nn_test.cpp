// Initialisers, losses and trees of parameters. The expected values are those of MLX 0.32 on the same inputs.
#include "helpers.h"

namespace frit::test::nn_test {
namespace {

using Floats = std::vector<float>;

void expect_near(const array& a, const Floats& wanted, float bound = 2e-6f) {
  const Floats found = values<float>(a);
  ASSERT_EQ(found.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i)
    EXPECT_NEAR(found[i], wanted[i], bound * std::max(1.0f, std::fabs(wanted[i]))) << "element " << i;
}

struct LossInputs {
  array x = array({0.5f, -1.25f, 2.0f, 1.5f, 0.25f, -0.75f}, {2, 3});
  array y = array({1.0f, 0.5f, -0.5f, -1.0f, 1.5f, 0.75f}, {2, 3});
  array classes = array({2, 0});
  array probabilities = array({0.2f, 0.3f, 0.5f, 0.6f, 0.3f, 0.1f}, {2, 3});
  array weights = array({2.0f, 0.5f});
};

TEST(Losses, CrossEntropies) {
  const LossInputs in;
  expect_near(nn::cross_entropy(in.x, in.classes), {0.232622f, 0.3306726f});
  expect_near(nn::cross_entropy(in.x, in.classes, in.weights, -1, 0.1f), {0.7819107f, 0.2236696f});
  expect_near(nn::cross_entropy(in.x, in.probabilities, std::nullopt, -1, 0.2f, "mean"), {1.306647f});
  expect_near(nn::cross_entropy(in.x, array({1, 0, 1}), std::nullopt, 0, 0.0f, "sum"), {4.826643f});
  const array targets({1.0f, 0.0f, 1.0f, 0.0f, 1.0f, 1.0f}, {2, 3});
  // A small loss of large logits, and of a type with few digits.
  const array large = array({1000.0f, 990.0f, -5000.0f, -5015.0f}, {2, 2}), first = zeros({2}, int32);
  expect_near(nn::cross_entropy(large, first), {4.54e-5f, 3.06e-7f}, 2e-7f);
  expect_near(astype(nn::cross_entropy(astype(array({9.0f, 2.0f}, {1, 2}), float16), zeros({1}, int32)), float32),
              {9.11e-4f}, 2e-6f);
  expect_near(nn::binary_cross_entropy(in.x, targets), {0.711193f});
  // A probability of 0 or 1 at the wrong place costs 100, and nothing at the right one.
  const array sure({0.25f, 0.5f, 1.0f, 0.0f, 0.9f, 0.125f}, {2, 3});
  expect_near(
      nn::binary_cross_entropy(sure, targets, array({1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f}, {2, 3}), false, "none"),
      {1.386294f, 1.386294f, -0.0f, -0.0f, 0.5268027f, 12.47665f});
  expect_near(nn::binary_cross_entropy(array({0.0f, 1.0f}), array({1.0f, 0.0f}), std::nullopt, false, "none"),
              {100, 100});
  expect_near(nn::nll_loss(in.x, in.classes), {-2.0f, -1.5f});
  expect_near(nn::kl_div_loss(log(in.probabilities), log(take(in.probabilities, array({1, 0}), 0))),
              {0.4982236f, 0.5849965f});
}

TEST(Losses, OfDifferences) {
  const LossInputs in;
  expect_near(nn::l1_loss(in.x, in.y), {1.666667f});
  expect_near(nn::mse_loss(in.x, in.y, "sum"), {19.625f});
  expect_near(nn::gaussian_nll_loss(in.x, in.y, abs(in.y) + 0.5f, true, 1e-6f, "none"),
              {1.205004f, 2.450189f, 4.043939f, 3.205004f, 1.656137f, 1.93051f});
  expect_near(nn::smooth_l1_loss(in.x, in.y, 0.75f, "none"), {0.1666667f, 1.375f, 2.125f, 2.125f, 0.875f, 1.125f});
  expect_near(nn::huber_loss(in.x, in.y, 1.5f), {0.125f, 1.5f, 2.625f, 2.625f, 0.78125f, 1.125f});
  expect_near(nn::log_cosh_loss(in.x, in.y), {0.1201145f, 1.086603f, 1.813568f, 1.813568f, 0.6357425f, 0.8554401f});
  expect_near(nn::hinge_loss(in.x, in.y), {0.5f, 1.625f, 2.0f, 2.5f, 0.625f, 1.5625f});
  expect_near(nn::triplet_loss(in.x, in.y, in.probabilities, -1, 2, 0.5f), {1.414601f, 2.433193f});
  expect_near(nn::cosine_similarity_loss(in.x, in.y), {-0.3810004f, -0.5097062f});
  expect_near(nn::margin_ranking_loss(in.x, in.y, sign(in.y), 0.25f), {0.75f, 2.0f, 2.75f, 2.75f, 1.5f, 1.75f});
}

TEST(Losses, KeepLowPrecisionAndAnyShape) {
  const LossInputs in;
  const array half = astype(in.x, float16);
  EXPECT_EQ(nn::cross_entropy(half, in.classes, std::nullopt, -1, 0.1f).dtype(), float16);
  EXPECT_EQ(nn::huber_loss(half, astype(in.y, float16)).dtype(), float16);
  EXPECT_EQ(nn::binary_cross_entropy(half, astype(in.probabilities, float16)).dtype(), float16);
  const auto loss =
      compile([](array x, array c) { return nn::cross_entropy(x, c, std::nullopt, -1, 0.1f, "mean"); }, true);
  EXPECT_EQ(values<float>(loss(in.x, in.classes)),
            values<float>(nn::cross_entropy(in.x, in.classes, std::nullopt, -1, 0.1f, "mean")));
  loss(zeros({5, 7}), zeros({5}, int32));
  EXPECT_EQ(loss.trace_count(), 1u);
}

TEST(Losses, BadInput) {
  const LossInputs in;
  const auto message = [](auto action) { return thrown<InvalidArgument>(action); };
  EXPECT_TRUE(
      contains(message([&] { nn::cross_entropy(in.x, array({1, 2, 0})); }), "cross_entropy: targets are int32 (3)"));
  EXPECT_TRUE(contains(message([&] { nn::cross_entropy(in.x, in.weights); }), "classes are integers"));
  EXPECT_TRUE(
      contains(message([&] { nn::cross_entropy(in.x, in.classes, std::nullopt, -1, 1.0f); }), "label_smoothing"));
  EXPECT_TRUE(
      contains(message([&] { nn::cross_entropy(in.x, in.classes, array({1.0f})); }), "weights are float32 (1)"));
  EXPECT_TRUE(contains(message([&] { nn::mse_loss(in.x, in.y, "average"); }), "no reduction 'average'"));
  EXPECT_TRUE(contains(message([&] { nn::l1_loss(in.x, in.weights); }), "l1_loss: targets are float32 (2)"));
  EXPECT_NE(thrown<OutOfRange>([&] { nn::nll_loss(in.x, in.classes, 2); }), "");
}

TEST(Initialisers, DrawWhatMlxDraws) {
  const auto drawn = [](const nn::init::Initializer& make, const Shape& shape) {
    random::seed(5);
    return make(shape);
  };
  const Shape shape{2, 3};
  expect_near(drawn(nn::init::normal(1, 2), shape),
              {4.893291f, 3.701069f, 0.9159147f, 1.568927f, -3.435087f, -1.849611f}, 1e-5f);
  expect_near(drawn(nn::init::uniform(-1, 3), shape),
              {2.896845f, 2.646311f, 0.9329293f, 1.44789f, -0.9468282f, -0.6915733f}, 1e-5f);
  expect_near(drawn(nn::init::glorot_normal(float32, 2), shape),
              {2.462333f, 1.708306f, -0.05318021f, 0.3598211f, -2.804995f, -1.802252f}, 1e-5f);
  expect_near(drawn(nn::init::glorot_uniform(), shape),
              {1.038945f, 0.9017216f, -0.03673613f, 0.2453192f, -1.066322f, -0.9265129f}, 1e-5f);
  expect_near(drawn(nn::init::he_normal(float32, "fan_out", 2), shape),
              {2.752972f, 1.909944f, -0.05945728f, 0.4022922f, -3.13608f, -2.014979f}, 1e-5f);
  expect_near(drawn(nn::init::he_uniform(), shape),
              {0.9484227f, 0.8231554f, -0.03353536f, 0.2239448f, -0.9734141f, -0.8457867f}, 1e-5f);
  // Axes between the outputs and the inputs count for both.
  expect_near(take(drawn(nn::init::glorot_normal(), {2, 3, 2}), 0, 0),
              {-0.3719102f, -0.3268955f, 0.535377f, 0.2667086f, -0.1905864f, -0.1983917f}, 1e-5f);
  EXPECT_EQ(values<float>(nn::init::constant(2.5)({2, 2})), (Floats{2.5f, 2.5f, 2.5f, 2.5f}));
  EXPECT_EQ(values<float>(nn::init::identity()({2, 2})), (Floats{1, 0, 0, 1}));
  EXPECT_EQ(nn::init::he_normal(float16)({4, 4}).dtype(), float16);
}

TEST(Initialisers, SparseAndOrthogonal) {
  random::seed(1);
  const array a = nn::init::sparse(0.3, 5, 0.1)({6, 10});
  const Floats zeros_in_rows = values<float>(sum(astype(a == 0.0f, float32), 1));
  EXPECT_EQ(zeros_in_rows, Floats(6, 3.0f));
  EXPECT_NE(values<float>(sum(astype(a == 0.0f, float32), 0)), Floats(10, 1.8f));
  for (const Shape& shape : {Shape{4, 7}, Shape{7, 4}, Shape{5, 5}}) {
    const array q = nn::init::orthogonal(2)(shape);
    const array product = shape[0] < shape[1] ? matmul(q, transpose(q)) : matmul(transpose(q), q);
    expect_near(product, values<float>(eye(std::min(shape[0], shape[1])) * 4.0f), 1e-5f);
  }
}

TEST(Initialisers, BadInput) {
  EXPECT_TRUE(
      contains(thrown<InvalidArgument>([] { nn::init::identity()({2, 3}); }), "shape (2,3) is not that of a square"));
  EXPECT_TRUE(contains(thrown<InvalidArgument>([] { nn::init::he_uniform()({3}); }), "he_uniform: shape (3)"));
  EXPECT_TRUE(contains(thrown<InvalidArgument>([] { nn::init::he_normal(float32, "fan"); }), "no mode 'fan'"));
  EXPECT_TRUE(contains(thrown<InvalidArgument>([] { nn::init::sparse(1.5); }), "not a share"));
  EXPECT_TRUE(contains(thrown<InvalidArgument>([] { nn::init::orthogonal()({2, 2, 2}); }), "a matrix"));
}

nn::Parameters some_parameters() {
  return {{"layers", nn::Parameters::List{{{"w", array({1.0f, 2.0f})}}, {{"w", array({3.0f})}, {"b", array(4.0f)}}}},
          {"scale", array(5.0f)}};
}

TEST(Parameters, NamesAndKinds) {
  nn::Parameters p = some_parameters();
  std::string names;
  for (const auto& [name, a] : nn::tree_flatten(p)) names += name + " ";
  EXPECT_EQ(names, "layers.0.w layers.1.b layers.1.w scale ");
  const nn::Parameters again = nn::tree_unflatten(nn::tree_flatten(p));
  EXPECT_TRUE(again["layers"].is_list());
  EXPECT_EQ(values<float>(again["layers"][1]["w"]), (Floats{3}));
  EXPECT_EQ(nn::tree_flatten(again).size(), 4u);
  p["layers"][0]["w"] = array({7.0f});
  EXPECT_EQ(values<float>(p["layers"][0]["w"]), (Floats{7}));
  EXPECT_TRUE(contains(thrown<InvalidArgument>([&] { p["scale"].list(); }), "an array is used as a list"));
  EXPECT_TRUE(contains(thrown<OutOfRange>([&] { again["none"].value(); }), "there is no 'none'"));
  EXPECT_TRUE(contains(thrown<OutOfRange>([&] { p["layers"][2]; }), "there is no place 2"));
  EXPECT_TRUE(contains(thrown<InvalidArgument>([] { nn::tree_unflatten({{"a.0", array(1)}, {"a.2", array(2)}}); }),
                       "the places of list 'a'"));
  EXPECT_TRUE(
      contains(thrown<InvalidArgument>([] { nn::tree_unflatten({{"a", array(1)}, {"a.b", array(2)}}); }), "'a.b'"));
  EXPECT_TRUE(contains(thrown<InvalidArgument>([] { nn::tree_unflatten({{"a", array(1)}, {"a", array(2)}}); }), "'a'"));
  EXPECT_TRUE(
      contains(thrown<InvalidArgument>([] { nn::tree_unflatten({{"a.b", array(1)}, {"a", array(2)}}); }), "'a'"));
}

TEST(Parameters, GradientsOfTrees) {
  const auto loss = [](const nn::Parameters& p, const array& x) {
    return sum(p["layers"][0]["w"].value() * x) * p["scale"].value() + p["layers"][1]["b"].value();
  };
  const auto [value, gradients] = nn::value_and_grad(loss)(some_parameters(), array({1.0f, 10.0f}));
  EXPECT_EQ(value.item<float>(), 109.0f);
  EXPECT_EQ(values<float>(gradients["layers"][0]["w"]), (Floats{5, 50}));
  EXPECT_EQ(values<float>(gradients["layers"][1]["w"]), (Floats{0}));
  EXPECT_EQ(values<float>(gradients["scale"]), (Floats{21}));
  // Typed trees, and further results beside the loss.
  using Named = std::map<std::string, std::vector<array>>;
  const auto both = [](const Named& p) {
    const array s = sum(square(p.at("a")[0])) * p.at("a")[1];
    return std::pair(s, std::map<std::string, array>{{"twice", s * 2.0f}});
  };
  const Named named{{"a", {array({1.0f, 3.0f}), array(2.0f)}}};
  const auto [results, slopes] = nn::value_and_grad(both)(named);
  EXPECT_EQ(results.first.item<float>(), 20.0f);
  EXPECT_EQ(results.second.at("twice").item<float>(), 40.0f);
  EXPECT_EQ(values<float>(slopes.at("a")[0]), (Floats{4, 12}));
  EXPECT_EQ(slopes.at("a")[1].item<float>(), 10.0f);
  const Named whole{{"n", {array(1)}}};
  EXPECT_EQ(nn::value_and_grad([](const Named& p) { return p.at("n")[0] * 2; })(whole).second.at("n")[0].item<int>(),
            2);
}

TEST(Parameters, GoThroughCompileAndState) {
  const auto doubled =
      compile([](nn::Parameters p) { return nn::tree_map([](const array& a) { return a * 2.0f; }, p); });
  EXPECT_EQ(values<float>(doubled(some_parameters())["layers"][0]["w"]), (Floats{2, 4}));
  nn::Parameters state = some_parameters();
  CompileOptions options;
  options.inputs.add(state);
  options.outputs.add(state);
  const auto step = compile(
      [&](array x) {
        state = nn::tree_map([&](const array& a, const array& b) { return a + b * x; }, state, some_parameters());
        return x;
      },
      options);
  step(array(1.0f));
  step(array(2.0f));
  EXPECT_EQ(values<float>(state["layers"][0]["w"]), (Floats{4, 8}));
  EXPECT_EQ(values<float>(state["scale"]), (Floats{20}));
  EXPECT_EQ(step.trace_count(), 1u);
  EXPECT_TRUE(contains(thrown<InvalidArgument>([&] {
                         nn::tree_map([](const array& a, const array&) { return a; }, some_parameters(),
                                      nn::Parameters(array(1.0f)));
                       }),
                       "differ in structure"));
}

}  // namespace
}  // namespace frit::test::nn_test
