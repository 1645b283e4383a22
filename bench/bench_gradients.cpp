// Training steps with optimisers, gradients of long functions, and the cost of a call of a gradient.
#include <benchmark/benchmark.h>
#include <frit/frit.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/read/parser.h"
#include "passes/manager/standard.h"
#include "passes/transform/spec.h"
#include "work.h"

using namespace frit;

namespace {

using bench::Arrays;
using nn::Parameters;

// The cold step must not find the code of an earlier run.
[[maybe_unused]] const int cache_off = setenv("FRIT_CACHE", "off", 1);

// ---- A step of a network of fully connected layers on cross entropy by Adam; batches of 256.

Parameters network(const std::vector<int>& sizes) {
  Parameters::List layers;
  for (size_t i = 0; i + 1 < sizes.size(); ++i)
    layers.push_back({{"weight", nn::init::he_normal()({sizes[i], sizes[i + 1]})}, {"bias", zeros({sizes[i + 1]})}});
  return layers;
}

array scores(const Parameters& layers, array x) {
  for (size_t i = 0; i < layers.list().size(); ++i) {
    x = addmm(layers[i]["bias"], x, layers[i]["weight"]);
    if (i + 1 < layers.list().size()) x = maximum(x, array(0.0f));
  }
  return x;
}

// The products that the step cannot do without: one forward, and two backward but for the first layer, whose input has
// no gradient.
auto products_of(const std::vector<int>& sizes) {
  Arrays inputs{random::normal({256, sizes[0]})};
  for (size_t i = 0; i + 1 < sizes.size(); ++i) {
    inputs.push_back(random::normal({sizes[i], sizes[i + 1]}));
    inputs.push_back(random::normal({256, sizes[i + 1]}));
  }
  eval(inputs);
  const auto run = compile([n = sizes.size()](const Arrays& in) {
    Arrays results;
    for (size_t i = 0; i + 1 < n; ++i) {
      const array &x = i == 0 ? in[0] : in[2 * i], &w = in[2 * i + 1], &g = in[2 * i + 2];
      results.push_back(matmul(x, w));
      results.push_back(matmul(transpose(x), g));
      if (i > 0) results.push_back(matmul(g, transpose(w)));
    }
    return results;
  });
  return [run, inputs] { eval(run(inputs)); };
}

struct Training {
  Parameters model;
  // So slow that the network does not know its batch before the measurement ends: gradients would be subnormal numbers.
  optimizers::Adam adam{1e-7};
  array x, classes;
  CompiledFunction step;

  explicit Training(const std::vector<int>& sizes)
      : model(network(sizes)), x(random::normal({256, sizes[0]})), classes(random::randint(0, sizes.back(), {256})) {
    adam.init(model);
    CompileOptions options;
    options.inputs.add(model).add(adam.state());
    options.outputs = options.inputs;
    step = compile(
        [this](const Arrays& in) {
          const auto loss = [](const Parameters& p, const array& images, const array& targets) {
            return nn::cross_entropy(scores(p, images), targets, std::nullopt, -1, 0.0f, "mean");
          };
          auto [value, gradients] = nn::value_and_grad(loss)(model, in[0], in[1]);
          adam.update(model, gradients);
          return Arrays{value};
        },
        options);
    Arrays all{x, classes};
    for (auto& [name, a] : nn::tree_flatten(model)) all.push_back(a);
    eval(all);
  }
  void run() {
    Arrays results = step({x, classes});
    for (auto& [name, a] : nn::tree_flatten(model)) results.push_back(a);
    eval(results);
  }
};

const std::vector<int> kSizes[] = {{784, 256, 256, 10}, {1024, 4096, 1024}};

void mlp_step(benchmark::State& state) {
  Training training(kSizes[state.range(0)]);
  training.run();
  for (auto _ : state) training.run();
  state.counters["kernels"] = training.step.lower({training.x, training.classes}).kernel_count;
}
BENCHMARK(mlp_step)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond)->UseRealTime();

void mlp_products(benchmark::State& state) {
  const auto products = products_of(kSizes[state.range(0)]);
  products();
  for (auto _ : state) products();
}
BENCHMARK(mlp_products)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond)->UseRealTime();

// Tracing, gradient, passes, code and one step, for a network that no cache knows.
void cold_mlp_step(benchmark::State& state) {
  eval(compile([](array v) { return v + 3; })(ones({8})));
  int width = 255;
  for (auto _ : state) {
    state.PauseTiming();
    Training training({784, --width, 256, 10});
    state.ResumeTiming();
    training.run();
  }
}
BENCHMARK(cold_mlp_step)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(11);

// ---- A transformer block: width 512, 8 heads, 256 positions, batch 8; the loss is the mean square of its result.

constexpr int kWidth = 512, kHeads = 8, kLength = 256, kBatch = 8;

array heads(const array& x, const array& w) {
  return transpose(reshape(matmul(x, w), {kBatch, kLength, kHeads, kWidth / kHeads}), {0, 2, 1, 3});
}

array block(const Parameters& p, const array& x) {
  const array y = fast::layer_norm(x, p["g1"].value(), p["b1"].value(), 1e-5f);
  const array q = heads(y, p["q"]), k = heads(y, p["k"]), v = heads(y, p["v"]);
  const array weights = softmax(matmul(q, transpose(k, {0, 1, 3, 2})) * 0.125f, -1);
  const array mixed = reshape(transpose(matmul(weights, v), {0, 2, 1, 3}), {kBatch, kLength, kWidth});
  const array attended = x + matmul(mixed, p["o"]);
  const array z = matmul(fast::layer_norm(attended, p["g2"].value(), p["b2"].value(), 1e-5f), p["up"]);
  return attended + matmul(z * 0.5f * (1.0f + erf(z * 0.70710678f)), p["down"]);
}

// Compiled, or for 0 eager; counter: memory beside the inputs, parameters and moments at the peak.
void transformer_step(benchmark::State& state) {
  const auto weight = [](int rows, int columns) { return nn::init::normal(0, 0.02)({rows, columns}); };
  Parameters model{{"g1", ones({kWidth})},
                   {"b1", zeros({kWidth})},
                   {"g2", ones({kWidth})},
                   {"b2", zeros({kWidth})},
                   {"q", weight(kWidth, kWidth)},
                   {"k", weight(kWidth, kWidth)},
                   {"v", weight(kWidth, kWidth)},
                   {"o", weight(kWidth, kWidth)},
                   {"up", weight(kWidth, 4 * kWidth)},
                   {"down", weight(4 * kWidth, kWidth)}};
  optimizers::AdamW adam(1e-4);
  adam.init(model);
  CompileOptions options;
  options.inputs.add(model).add(adam.state());
  options.outputs = options.inputs;
  const auto plain = [&](array x) {
    auto [value, gradients] =
        nn::value_and_grad([](const Parameters& p, const array& in) { return mean(square(block(p, in))); })(model, x);
    adam.update(model, gradients);
    return value;
  };
  const auto step = compile(plain, options);
  const array x = random::normal({kBatch, kLength, kWidth});
  const auto run = [&] {
    Arrays results{state.range(0) ? step(x) : plain(x)};
    for (auto& [name, a] : nn::tree_flatten(model)) results.push_back(a);
    eval(results);
  };
  eval(x);
  run();
  run();
  const size_t before = get_active_memory();
  reset_peak_memory();
  for (auto _ : state) run();
  if (state.range(0)) state.counters["kernels"] = step.lower(x).kernel_count;
  state.counters["extra_MiB"] = static_cast<double>(get_peak_memory() - before) / (1 << 20);
}
BENCHMARK(transformer_step)->Arg(1)->Arg(0)->Unit(benchmark::kMillisecond)->UseRealTime();

// ---- Gradients of scalars, and of long functions.

const std::function<array(const array&)> kCurve = [](const array& x) { return sin(x) * exp(-x) + x * x; };

void compiled_value_and_grad(benchmark::State& state) {
  const auto both = compile([](array x) { return value_and_grad(kCurve)(x); });
  const array x(0.5f);
  const auto run = [&] {
    const auto [value, slope] = both(x);
    eval(value, slope);
  };
  run();
  for (auto _ : state) run();
}
BENCHMARK(compiled_value_and_grad);

void eager_value_and_grad(benchmark::State& state) {
  const array x(0.5f);
  const auto run = [&] {
    const auto [value, slope] = value_and_grad(kCurve)(x);
    eval(value, slope);
  };
  run();
  for (auto _ : state) run();
}
BENCHMARK(eager_value_and_grad);

// The gradient of a function of so many operations.
struct LongFunction {
  array x = bench::numbers({64}, 0, 1);
  std::function<array(const array&)> f;
  explicit LongFunction(int64_t operations) {
    f = [=](const array& at) {
      array y = at;
      for (int64_t i = 0; i < operations / 4; ++i) y = sin(y) * at + cos(y);
      return sum(y);
    };
  }
};

// Tracing and transforming: the closure is traced, and its derivative becomes operations that nobody evaluates. So few
// calls, as a derivative that is asked for hundreds of times gets code.
void trace_gradient(benchmark::State& state) {
  const LongFunction in(state.range(0));
  const auto slope = grad(in.f);
  for (auto _ : state) benchmark::DoNotOptimize(slope(in.x).size());
}
BENCHMARK(trace_gradient)
    ->Arg(1000)
    ->Arg(4000)
    ->Arg(16000)
    ->Arg(64000)
    ->Iterations(8)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

// Optimising: the passes from the graph of that derivative to fused groups.
void optimise_gradient(benchmark::State& state) {
  std::string text = "func @f(%x: f32[64]) -> f32[] {\n", y = "%x";
  int64_t made = 0;
  const auto op = [&](const std::string& right) {
    const std::string name = "%" + std::to_string(made++);
    text += "  " + name + ": f32[64] = " + right + "\n";
    return name;
  };
  for (int64_t i = 0; i < state.range(0) / 4; ++i) {
    const std::string product = op("multiply " + op("sin " + y) + ", %x");
    y = op("add " + product + ", " + op("cos " + y));
  }
  text += "  %sum: f32[] = sum " + y + " {axes=[0]}\n  return %sum\n}\n";
  std::string names;
  for (const std::string_view name : passes::standard_order()) {
    names += (names.empty() ? "" : ",") + std::string(name);
    if (name == "fuse") break;
  }
  const auto pipeline = passes::Pipeline::parse(names);
  const auto module = ir::parse(text, "f.frit");
  const auto derivative = module.ok() ? passes::transformed(*(*module)->functions[0], "vjp") : module.error();
  if (!pipeline.ok() || !derivative.ok()) return state.SkipWithError("the function is not what passes take");
  for (auto _ : state) {
    state.PauseTiming();
    ir::Function f = *derivative;
    state.ResumeTiming();
    passes::PassContext context;
    if (!passes::run(*pipeline, f, context)) state.SkipWithError("a pass failed");
  }
}
BENCHMARK(optimise_gradient)
    ->Arg(1000)
    ->Arg(4000)
    ->Arg(16000)
    ->Arg(64000)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
