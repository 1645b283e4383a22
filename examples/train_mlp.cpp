// Training of a classifier of images: one compiled step over captured parameters, the optimiser's state and the random
// state.
//
//   example_train_mlp [--steps 60]
//
// The program makes the images itself: each class is a pattern of 28 x 28 numbers, and an image is the pattern of its
// class under noise. It trains twice from the same seed, compiled and eager, and ends with an error where the
// parameters differ in a bit.
#include <frit/frit.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

using namespace frit;

namespace {

constexpr int kClasses = 10, kPixels = 28 * 28, kBatch = 64;

nn::Parameters layer(int outputs, int inputs) {
  return {{"weight", nn::init::he_normal()({outputs, inputs})}, {"bias", zeros({outputs})}};
}

array linear(const nn::Parameters& p, const array& x) { return addmm(p["bias"], x, transpose(p["weight"].value())); }

array dropout(const array& x, float kept) { return where(random::bernoulli(kept, x.dims()), x / kept, zeros_like(x)); }

struct Batch {
  array images, classes;
};

Batch draw_batch(const array& patterns) {
  const array classes = random::randint(0, kClasses, {kBatch});
  return {take(patterns, classes, 0) + 1.5f * random::normal({kBatch, kPixels}), classes};
}

array scores(const nn::Parameters& model, const array& images, bool training) {
  array x = maximum(linear(model["hidden"], images), array(0.0f));
  if (training) x = dropout(x, 0.8f);
  return linear(model["out"], x);
}

// The weights after training; prints the loss on the way.
std::vector<std::pair<std::string, array>> train(int steps, bool compiled) {
  random::seed(42);
  const array patterns = random::normal({kClasses, kPixels});
  nn::Parameters model = {{"hidden", layer(128, kPixels)}, {"out", layer(kClasses, 128)}};
  optimizers::Adam adam(optimizers::cosine_decay(1e-3, steps));
  adam.init(model);

  const auto loss_of = [](const nn::Parameters& p, const array& images, const array& classes) {
    return nn::cross_entropy(scores(p, images, true), classes, std::nullopt, -1, 0.1f, "mean");
  };
  const auto step = [&](array images, array classes) {
    auto [loss, gradients] = nn::value_and_grad(loss_of)(model, images, classes);
    adam.update(model, optimizers::clip_grad_norm(gradients, 1.0).first);
    return loss;
  };
  CompileOptions options;
  options.name = "step";
  options.inputs.add(model).add(adam.state()).add(random::state());
  options.outputs = options.inputs;
  const auto fast = compile(step, options);

  std::printf("%s\n", compiled ? "compiled" : "eager");
  for (int i = 0; i < steps; ++i) {
    const Batch batch = draw_batch(patterns);
    array loss = compiled ? fast(batch.images, batch.classes) : step(batch.images, batch.classes);
    std::vector<array> all{loss, random::state()};
    for (const auto& [name, a] : nn::tree_flatten(model)) all.push_back(a);
    eval(all);
    if (i % 10 == 0 || i + 1 == steps)
      std::printf("  step %3d  loss %.4f\n", i, static_cast<double>(loss.item<float>()));
  }
  const Batch test = draw_batch(patterns);
  const array right = astype(equal(argmax(scores(model, test.images, false), -1), test.classes), float32);
  std::printf("  right: %.1f of 100 new images\n", 100.0 * static_cast<double>(mean(right).item<float>()));
  return nn::tree_flatten(model);
}

}  // namespace

int main(int argc, char** argv) try {
  int steps = 60;
  if (argc == 3 && !std::strcmp(argv[1], "--steps")) steps = std::atoi(argv[2]);
  const auto compiled = train(steps, true), eager = train(steps, false);
  for (size_t i = 0; i < compiled.size(); ++i)
    if (!all(equal(compiled[i].second, eager[i].second)).item<bool>()) {
      std::printf("%s differs between compiled and eager\n", compiled[i].first.c_str());
      return 1;
    }
  std::printf("compiled and eager weights are equal to the bit\n");
} catch (const std::exception& e) {
  std::fprintf(stderr, "error: %s\n", e.what());
  return 1;
}
