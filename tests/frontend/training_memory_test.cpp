// The peak of a compiled training step's memory is at most that of the same step run eagerly.
#include "helpers.h"

namespace frit::test::training_memory_test {
namespace {

using Arrays = std::vector<array>;
using nn::Parameters;
using Loss = std::function<array(const Parameters&, const array&)>;

struct Model {
  const char* name;
  std::function<Parameters()> parameters;
  std::function<array()> batch;
  Loss loss;
  bool in_any_shape = false;  // whether it holds for open sizes, too
};

Parameters weights(const std::vector<std::pair<std::string, Shape>>& shapes, Dtype type = float32) {
  Parameters::Map map;
  for (const auto& [name, shape] : shapes) map.emplace(name, astype(random::normal(shape) * 0.05f, type));
  return map;
}

array layer_norm(const array& x) { return (x - mean(x, -1, true)) * rsqrt(var(x, -1, true) + 1e-5f); }

array perceptron(const Parameters& p, const array& x) {
  const array h = maximum(addmm(p["b1"], x, p["w1"]), array(0.0f));
  const array scores = matmul(maximum(addmm(p["b2"], h, p["w2"]), array(0.0f)), p["w3"]);
  return mean(logsumexp(scores, -1) - take(scores, 3, -1));
}

array convolutions(const Parameters& p, const array& x) {
  array y = maximum(conv2d(x, p["k1"], {1, 1}, {1, 1}), array(0.0f));
  y = maximum(conv2d(y, p["k2"], {2, 2}, {1, 1}), array(0.0f));
  return mean(square(matmul(mean(y, std::vector<int>{1, 2}), p["w"])));
}

array attention(const Parameters& p, const array& x) {
  const array y = layer_norm(x);
  const array q = matmul(y, p["q"]), k = matmul(y, p["k"]), v = matmul(y, p["v"]);
  const array a = x + matmul(matmul(softmax(matmul(q, swapaxes(k, -1, -2)) * 0.125f, -1), v), p["o"]);
  const array z = matmul(layer_norm(a), p["up"]);
  return mean(square(a + matmul(z * 0.5f * (1.0f + erf(z * 0.7071f)), p["down"])));
}

// Layers whose values are computed again.
array recomputing(const Parameters& p, const array& x) {
  const auto layer =
      checkpoint([](const Arrays& in) { return Arrays{in[0] + tanh(matmul(layer_norm(in[0]), in[1]))}; });
  array y = x;
  for (const char* name : {"a", "b", "c", "d"}) y = layer({y, p[name]})[0];
  return mean(square(y));
}

// Some steps of an LSTM, whose inputs are multiplied with their weights in each step.
array recurrent(const Parameters& p, const array& x) {
  const auto cell = [&](const Arrays& state, const Arrays& in) {
    const Arrays gates = split(matmul(in[0], p["wx"]) + matmul(state[0], p["wh"]) + array(p["b"]), 4, -1);
    const array c = sigmoid(gates[1]) * state[1] + sigmoid(gates[0]) * tanh(gates[3]);
    const array h = sigmoid(gates[2]) * tanh(c);
    return std::pair(Arrays{h, c}, Arrays{h});
  };
  const array zero = zeros({x.shape(1), array(p["wh"]).shape(0)}, x.dtype());
  return mean(square(scan(cell, {zero, zero}, {x}).second[0]));
}

// The same of a gated unit, which reads the parts of two products apart.
array gated(const Parameters& p, const array& x) {
  const auto cell = [&](const Arrays& state, const Arrays& in) {
    const Arrays a = split(matmul(in[0], p["wx"]) + array(p["b"]), 3, -1), b = split(matmul(state[0], p["wh"]), 3, -1);
    const array r = sigmoid(a[0] + b[0]), z = sigmoid(a[1] + b[1]), n = tanh(a[2] + r * b[2]);
    const array h = n + z * (state[0] - n);
    return std::pair(Arrays{h}, Arrays{h});
  };
  return mean(square(scan(cell, {zeros({x.shape(1), array(p["wh"]).shape(0)}, x.dtype())}, {x}).second[0]));
}

// Layers of sizes that divide by nothing, whose products want scratch memory larger than some of their arrays.
Loss layers(const std::vector<std::string>& names) {
  return [names](const Parameters& p, const array& x) {
    array y = x;
    for (const std::string& name : names) {
      y = matmul(y, p[name]);
      y = y * 0.5f * (1.0f + erf(y * 0.7071f));
    }
    return mean(square(y));
  };
}

Loss convolutions_of(const std::vector<std::string>& names) {
  return [names](const Parameters& p, const array& x) {
    array y = x;
    for (const std::string& name : names) {
      const array k = p[name];
      y = maximum(conv2d(y, k, {1, 1}, {k.shape(1) / 2, k.shape(1) / 2}), array(0.0f));
    }
    return mean(square(y));
  };
}

// The table of words gives the inputs and the scores.
array tied(const Parameters& p, const array& words) {
  const array h = tanh(matmul(take(p["table"], words, 0), p["w"]));
  const array scores = matmul(h, transpose(array(p["table"])));
  return mean(logsumexp(scores, -1) - take(scores, 3, -1));
}

std::vector<Model> models() {
  const auto normal = [](Shape shape, Dtype type = float32) {
    return [=] { return astype(random::normal(shape), type); };
  };
  return {
      {"perceptron",
       [] {
         return weights({{"w1", {192, 256}}, {"b1", {256}}, {"w2", {256, 256}}, {"b2", {256}}, {"w3", {256, 10}}});
       },
       normal({256, 192}), perceptron, true},
      {"convolutions", [] { return weights({{"k1", {16, 3, 3, 3}}, {"k2", {32, 3, 3, 16}}, {"w", {32, 10}}}); },
       normal({8, 32, 32, 3}), convolutions, true},
      {"attention",
       [] {
         return weights({{"q", {64, 64}},
                         {"k", {64, 64}},
                         {"v", {64, 64}},
                         {"o", {64, 64}},
                         {"up", {64, 256}},
                         {"down", {256, 64}}});
       },
       normal({4, 128, 64}), attention, true},
      {"recomputing",
       [] { return weights({{"a", {128, 128}}, {"b", {128, 128}}, {"c", {128, 128}}, {"d", {128, 128}}}); },
       normal({512, 128}), recomputing, true},
      {"recurrent", [] { return weights({{"wx", {32, 256}}, {"wh", {64, 256}}, {"b", {256}}}); }, normal({50, 16, 32}),
       recurrent},
      {"gated", [] { return weights({{"wx", {32, 192}}, {"wh", {64, 192}}, {"b", {192}}}); }, normal({50, 16, 32}),
       gated},
      {"odd layers", [] { return weights({{"a", {120, 83}}, {"b", {83, 391}}, {"c", {391, 490}}, {"d", {490, 399}}}); },
       normal({52, 120}), layers({"a", "b", "c", "d"})},
      {"tied embeddings", [] { return weights({{"table", {1000, 64}}, {"w", {64, 64}}}); },
       [] { return random::randint(0, 1000, {128}); }, tied, true},
  };
}

std::vector<Model> halves() {
  const auto normal = [](Shape shape, Dtype type = float32) {
    return [=] { return astype(random::normal(shape), type); };
  };
  return {
      {"perceptron of bfloat16",
       [] {
         return weights({{"w1", {192, 256}}, {"b1", {256}}, {"w2", {256, 256}}, {"b2", {256}}, {"w3", {256, 10}}},
                        bfloat16);
       },
       normal({256, 192}, bfloat16), perceptron},
      {"odd layers of bfloat16",
       [] { return weights({{"a", {388, 264}}, {"b", {264, 500}}, {"c", {500, 353}}}, bfloat16); },
       normal({95, 388}, bfloat16), layers({"a", "b", "c"})},
      {"odd convolutions of bfloat16",
       [] { return weights({{"a", {43, 3, 3, 46}}, {"b", {57, 1, 1, 43}}, {"c", {60, 5, 5, 57}}}, bfloat16); },
       normal({6, 14, 14, 46}, bfloat16), convolutions_of({"a", "b", "c"})},
      {"recurrent of bfloat16", [] { return weights({{"wx", {32, 256}}, {"wh", {64, 256}}, {"b", {256}}}, bfloat16); },
       normal({50, 16, 32}, bfloat16), recurrent},
      {"gated of bfloat16", [] { return weights({{"wx", {32, 192}}, {"wh", {64, 192}}, {"b", {192}}}, bfloat16); },
       normal({50, 16, 32}, bfloat16), gated},
  };
}

// Bytes at the peak of a step beside what lives before it.
enum class Form { Eager, Compiled, AnyShape };
size_t peak_of(const Model& model, Form form, optimizers::Optimizer& optimizer) {
  Parameters parameters = model.parameters();
  optimizer.init(parameters);
  CompileOptions options;
  options.shapeless = form == Form::AnyShape;
  options.inputs.add(parameters).add(optimizer.state());
  options.outputs = options.inputs;
  const auto plain = [&](array x) {
    auto [value, gradients] = nn::value_and_grad(model.loss)(parameters, x);
    optimizer.update(parameters, gradients);
    return value;
  };
  const auto step = compile(plain, options);
  const array x = model.batch();
  const auto run = [&] {
    Arrays results{form == Form::Eager ? plain(x) : step(x)};
    for (auto& [name, a] : nn::tree_flatten(parameters)) results.push_back(a);
    for (auto& [name, a] : optimizer.state().values) results.push_back(a);
    eval(results);
  };
  eval(x);
  for (int i = 0; i < 3; ++i) run();
  const size_t before = get_active_memory();
  reset_peak_memory();
  for (int i = 0; i < 3; ++i) run();
  return get_peak_memory() - before;
}

std::unique_ptr<optimizers::Optimizer> optimizer_of(bool adaptive) {
  if (adaptive) return std::make_unique<optimizers::Adam>(1e-3f);
  return std::make_unique<optimizers::SGD>(1e-3f, 0.9f);
}

// The peak of a compiled step as a part of the eager one's.
double part_of_eager(const Model& model, Form form, bool adaptive) {
  const size_t eager = peak_of(model, Form::Eager, *optimizer_of(adaptive));
  EXPECT_GT(eager, 0u) << model.name;
  return static_cast<double>(peak_of(model, form, *optimizer_of(adaptive))) / static_cast<double>(eager);
}

TEST(TrainingMemory, OfACompiledStepIsAtMostThatOfTheEagerOne) {
  for (const Model& model : models())
    for (const bool adaptive : {false, true}) {
      EXPECT_LE(part_of_eager(model, Form::Compiled, adaptive), 1.0) << model.name << (adaptive ? ", Adam" : ", SGD");
      if (model.in_any_shape)
        EXPECT_LE(part_of_eager(model, Form::AnyShape, adaptive), 1.0)
            << model.name << (adaptive ? ", Adam" : ", SGD") << ", any shape";
    }
}

// Products convert 16-bit matrices in scratch memory, whose size follows from the number of threads and the width of
// vectors.
TEST(TrainingMemory, OfHalvesIsNearThatOfTheEagerStep) {
  for (const Model& model : halves())
    for (const bool adaptive : {false, true})
      EXPECT_LE(part_of_eager(model, Form::Compiled, adaptive), 1.03) << model.name << (adaptive ? ", Adam" : ", SGD");
}

// Bytes that the gradient of a scan of 200 steps takes, in arrays of the states of all steps.
double stacks_of(const Loss& loss, const Parameters& parameters) {
  const auto step = compile([&](array x) {
    auto [value, gradients] = nn::value_and_grad(loss)(parameters, x);
    Arrays all{value};
    for (auto& [name, a] : nn::tree_flatten(gradients)) all.push_back(a);
    return all;
  });
  const array x = random::normal({200, 64, 32});
  eval(x);
  for (int i = 0; i < 3; ++i) eval(step(x));
  const size_t before = get_active_memory();
  reset_peak_memory();
  eval(step(x));
  return static_cast<double>(get_peak_memory() - before) / (200.0 * 64 * 32 * 4);
}

// The state that each step begins with is that of the step before it: one stack has both. Beside it there is the
// cotangent of what the loss reads.
TEST(TrainingMemory, OfAScanHasEachStateOnce) {
  const auto loss = [](const Parameters& p, const array& x) {
    const auto cell = [&](const Arrays& state, const Arrays& in) {
      const array h = tanh(matmul(in[0], p["wx"]) + matmul(state[0], p["wh"]));
      return std::pair(Arrays{h}, Arrays{h});
    };
    return mean(square(scan(cell, {zeros({64, 32})}, {x}).second[0]));
  };
  EXPECT_LE(stacks_of(loss, weights({{"wx", {32, 32}}, {"wh", {32, 32}}})), 2.3);
}

// A gated unit reads one of three parts of the product with its state: that is saved, not the product. The gates and
// the candidate are saved, too, as they are expensive, and three arrays are the product of the inputs.
TEST(TrainingMemory, OfAScanHasThePartsOfProductsThatItsReverseReads) {
  const auto loss = [](const Parameters& p, const array& x) {
    const auto cell = [&](const Arrays& state, const Arrays& in) {
      const Arrays a = split(matmul(in[0], p["wx"]), 3, -1), b = split(matmul(state[0], p["wh"]), 3, -1);
      const array r = sigmoid(a[0] + b[0]), z = sigmoid(a[1] + b[1]), n = tanh(a[2] + r * b[2]);
      const array h = (1.0f - z) * n + z * state[0];
      return std::pair(Arrays{h}, Arrays{h});
    };
    return mean(square(scan(cell, {zeros({64, 32})}, {x}).second[0]));
  };
  EXPECT_LE(stacks_of(loss, weights({{"wx", {32, 96}}, {"wh", {32, 96}}})), 8.5);
}

}  // namespace
}  // namespace frit::test::training_memory_test
