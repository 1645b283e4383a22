// A causal language model of two transformer blocks, trained on a text that the program makes, and then asked to go on.
//
//   example_train_transformer [--steps 150]
#include <frit/frit.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

using namespace frit;

namespace {

using nn::Parameters;
constexpr int kWidth = 32, kHeads = 4, kLength = 24, kBatch = 16;
const std::string kLetters = " abcdefghijklmnopqrstuvwxyz.";

// Sentences of one grammar, in an order that a small generator of random numbers decides.
std::string make_text(int sentences) {
  const char* subjects[] = {"the cat", "a dog", "the old man", "my friend"};
  const char* verbs[] = {"sees", "likes", "follows"};
  const char* objects[] = {"the moon", "a bird", "the river", "an apple"};
  std::string text;
  uint32_t state = 1;
  const auto pick = [&](uint32_t n) {
    state = state * 1664525u + 1013904223u;
    return (state >> 16) % n;
  };
  for (int i = 0; i < sentences; ++i)
    text += std::string(subjects[pick(4)]) + " " + verbs[pick(3)] + " " + objects[pick(4)] + ". ";
  return text;
}

array tokens_of(const std::string& text) {
  std::vector<int> tokens;
  for (char c : text) tokens.push_back(static_cast<int>(kLetters.find(c)));
  return array(tokens.begin(), {static_cast<int>(tokens.size())}, int32);
}

Parameters weight(int inputs, int outputs) { return nn::init::normal(0, 1 / std::sqrt(inputs))({inputs, outputs}); }

Parameters block() {
  return {{"norm_1", ones({kWidth})},         {"query", weight(kWidth, kWidth)},   {"key", weight(kWidth, kWidth)},
          {"value", weight(kWidth, kWidth)},  {"out", weight(kWidth, kWidth)},     {"norm_2", ones({kWidth})},
          {"up", weight(kWidth, 4 * kWidth)}, {"down", weight(4 * kWidth, kWidth)}};
}

array attention(const Parameters& p, const array& x) {
  const auto heads = [&](const char* name) {
    return transpose(reshape(matmul(x, p[name]), {x.dim(0), x.dim(1), kHeads, kWidth / kHeads}), {0, 2, 1, 3});
  };
  const float scale = 1 / std::sqrt(static_cast<float>(kWidth / kHeads));
  const array mixed = fast::scaled_dot_product_attention(heads("query"), heads("key"), heads("value"), scale, "causal");
  return matmul(reshape(transpose(mixed, {0, 2, 1, 3}), {x.dim(0), x.dim(1), kWidth}), p["out"]);
}

array gelu(const array& x) { return x * 0.5f * (1.0f + erf(x * 0.70710678f)); }

// Scores of the letter behind each position.
array scores(const Parameters& p, const array& tokens) {
  array x = take(p["letters"], tokens, 0) + slice(p["places"], {0, 0}, {tokens.shape(1), kWidth});
  for (const Parameters& b : p["blocks"].list()) {
    x = x + attention(b, fast::rms_norm(x, b["norm_1"].value(), 1e-5f));
    x = x + matmul(gelu(matmul(fast::rms_norm(x, b["norm_2"].value(), 1e-5f), b["up"])), b["down"]);
  }
  return matmul(fast::rms_norm(x, p["norm"].value(), 1e-5f), transpose(p["letters"].value()));
}

}  // namespace

int main(int argc, char** argv) try {
  int steps = 150;
  if (argc == 3 && !std::strcmp(argv[1], "--steps")) steps = std::atoi(argv[2]);
  random::seed(1);
  const array text = tokens_of(make_text(400));
  const int letters = static_cast<int>(kLetters.size());
  Parameters model = {{"letters", nn::init::normal(0, 0.3)({letters, kWidth})},
                      {"places", nn::init::normal(0, 0.1)({kLength, kWidth})},
                      {"blocks", Parameters::List{block(), block()}},
                      {"norm", ones({kWidth})}};
  optimizers::AdamW optimizer(optimizers::join_schedules(
      {optimizers::linear_schedule(0, 0.01, 10), optimizers::cosine_decay(0.01, std::max(steps - 10, 1), 0.001)},
      {10}));
  optimizer.init(model);

  // A batch is windows of the text at random places; the targets are one letter on.
  const auto loss_of = [](const Parameters& p, const array& windows) {
    const array inputs = slice(windows, {0, 0}, {kBatch, kLength}),
                targets = slice(windows, {0, 1}, {kBatch, kLength + 1});
    return nn::cross_entropy(scores(p, inputs), targets, std::nullopt, -1, 0.0f, "mean");
  };
  CompileOptions options;
  options.inputs.add(model).add(optimizer.state()).add(random::state());
  options.outputs = options.inputs;
  const auto step = compile(
      [&](array whole) {
        const array starts = random::randint(0, static_cast<int>(whole.size()) - kLength - 1, {kBatch, 1});
        const array windows = take(whole, starts + arange(kLength + 1), 0);
        auto [loss, gradients] = nn::value_and_grad(loss_of)(model, windows);
        optimizer.update(model, gradients);
        return loss;
      },
      options);

  double first = 0, last = 0;
  for (int i = 0; i < steps; ++i) {
    last = static_cast<double>(step(text).item<float>());
    if (i == 0) first = last;
    if (i % 25 == 0 || i + 1 == steps) std::printf("step %3d  loss %.4f\n", i, last);
  }
  // The most likely letters, one after the other.
  std::string said = "the cat ";
  while (said.size() < kLength) {
    const array next =
        argmax(take(scores(model, expand_dims(tokens_of(said), 0)), static_cast<int>(said.size()) - 1, 1), -1);
    said += kLetters[static_cast<size_t>(next.item<uint32_t>())];
  }
  std::printf("\"%s\"\n", said.c_str());
  return last < first ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "error: %s\n", e.what());
  return 1;
}
