// frit run: runs a graph, compiled first, or an artifact, on .npy files or random numbers.
#include <algorithm>
#include <chrono>
#include <functional>
#include <iomanip>
#include <iostream>

#include "codegen/core/guard.h"
#include "frontend/cli/command.h"
#include "frontend/cli/inputs.h"
#include "frontend/cli/tensors.h"
#include "runtime/execute/gpu.h"
#include "runtime/load/package.h"

namespace frit::cli {
namespace {

struct Options {
  std::string file, function, device = "cpu", cpu = "native", output;
  InputOptions inputs;
  int repeat = 1;
  bool time = false;
};

// Inputs lie dense: a function that states other strides would read past them.
void check_strides(const ir::Function& f, const std::vector<runtime::Tensor>& inputs) {
  for (size_t i = 0; i < f.layouts.size(); ++i)
    for (size_t axis = 0; axis < f.layouts[i].size(); ++axis) {
      const Dim& stated = f.layouts[i][axis];
      const int64_t stride = inputs[i].strides[axis];
      auto source = stated.as_symbol() ? codegen::find_source(f, *stated.as_symbol()) : std::nullopt;
      // A symbol that stands here first takes what it gets, within its range.
      const bool free = source && source->stride && source->input == i && source->axis == axis;
      const DimRange range = f.facts.range(stated);
      if (free ? stride >= range.low && stride <= range.high && stride % f.facts.multiple(*stated.as_symbol()) == 0
               : stated.is(stride))
        continue;
      fail({"input '" + f.values[f.params[i]].name + "' has stride " + std::to_string(stride) + " along axis " +
                std::to_string(axis) + ", but the function takes " + stated.str(),
            {},
            "'frit run' passes dense inputs only"});
    }
}

// What is run: inputs in, results out, on the device.
struct Runnable {
  std::vector<runtime::Tensor> inputs;
  std::function<Result<std::vector<runtime::Tensor>>()> run;
  double compile_ms = 0;  // or what loading took
};

using Clock = std::chrono::steady_clock;
double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

Runnable compile_graph(const Options& o, runtime::Gpu* gpu) {
  Source source = read_graph(o.file);
  ir::Function& f = pick_function(*source.module, o.function);
  const runtime::NamedTensors weights = read_weights(source);
  const runtime::Signature signature = signature_of(f);
  Runnable r;
  r.inputs = make_inputs(signature, o.inputs, &weights);
  check_strides(f, r.inputs);
  std::vector<int64_t> symbols(signature.guard.symbol_names.size());
  check(runtime::check_call(signature, r.inputs, symbols.data()));
  codegen::CompileOptions options;
  options.target.cpu = o.cpu;
  if (gpu) options.target.backend = "glsl";
  if (gpu)
    for (runtime::Tensor& t : r.inputs) t = value_or_fail(runtime::to_gpu(t, *gpu));
  const auto started = Clock::now();
  Progress progress("compiling " + f.name);
  auto executable = value_or_fail(codegen::compile(f, options));
  r.compile_ms = ms_since(started);
  r.run = [executable, inputs = r.inputs] { return executable->run(inputs); };
  return r;
}

Runnable load_package(const Options& o, runtime::Gpu* gpu) {
  Runnable r;
  const auto started = Clock::now();
  auto package = value_or_fail(runtime::Package::load(o.file, o.device));
  const auto& all = package->file().functions();
  if (o.function.empty() && all.size() != 1) {
    std::string names;
    for (const auto& f : all) names += (names.empty() ? "" : ", ") + f.name;
    if (all.empty()) fail({"the file holds no function"});
    fail({"the file holds " + std::to_string(all.size()) + " functions", {}, "choose one with --function: " + names});
  }
  auto f = value_or_fail(o.function.empty() ? package->find(all[0]) : package->find(o.function));
  r.compile_ms = ms_since(started);
  r.inputs = make_inputs(f->signature(), o.inputs, nullptr);
  std::vector<runtime::Tensor> arguments;
  for (size_t i = 0; i < r.inputs.size(); ++i)
    if (f->signature().inputs[i].weight.empty()) arguments.push_back(r.inputs[i]);
  if (gpu)
    for (runtime::Tensor& t : arguments) t = value_or_fail(runtime::to_gpu(t, *gpu));
  r.run = [package, f, arguments] { return f->run(arguments); };
  return r;
}

void run(const Options& o) {
  runtime::Gpu* gpu = nullptr;
  if (o.device == "vulkan") {
    gpu = value_or_fail(runtime::find_gpu());
    gpu->keep_times(true);
  }
  const bool package = is_package(o.file);
  const Runnable r = package ? load_package(o, gpu) : compile_graph(o, gpu);
  std::vector<double> times, gpu_times;
  std::vector<runtime::GpuTime> steps;
  std::vector<runtime::Tensor> results;
  const size_t before = runtime::active_memory();
  runtime::reset_peak_memory();
  for (int i = 0; i < o.repeat; ++i) {
    results.clear();
    auto begin = Clock::now();
    results = value_or_fail(r.run());
    if (gpu) check(gpu->synchronize());
    times.push_back(ms_since(begin));
    if (!gpu) continue;
    steps = gpu->last_times();
    double sum = 0;
    for (const runtime::GpuTime& t : steps) sum += t.milliseconds;
    gpu_times.push_back(sum);
  }
  const size_t peak = runtime::peak_memory() - before;
  if (gpu)
    for (runtime::Tensor& t : results) t = value_or_fail(runtime::to_host(t, *gpu));
  if (o.output.empty()) {
    for (size_t i = 0; i < results.size(); ++i) print_result(i, results[i]);
  } else {
    write_results(o.output, results);
  }
  if (o.time) {
    std::sort(times.begin(), times.end());
    std::cerr << std::fixed << std::setprecision(3) << (package ? "load " : "compile ") << r.compile_ms
              << " ms; run: median " << times[times.size() / 2] << " ms, least " << times.front() << " ms, most "
              << times.back() << " ms of " << times.size() << "\n";
    if (!gpu)
      std::cerr << "memory: at most " << peak
                << " B for results and workspace (a workspace of 512 KiB or less is not counted)\n";
    if (gpu) {
      std::sort(gpu_times.begin(), gpu_times.end());
      std::cerr << "on " << gpu->info().name << ": median " << gpu_times[gpu_times.size() / 2] << " ms, least "
                << gpu_times.front() << " ms;";
      for (const runtime::GpuTime& t : steps) std::cerr << " " << t.step << " " << t.milliseconds << " ms";
      std::cerr << " (the last run)\n";
    }
  }
}

}  // namespace

void add_run(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand("run", "run a graph, compiled here, or an artifact");
  c->add_option("FILE", o->file, "graph file (.frit or JSON), - for standard input; or an artifact of 'frit compile'")
      ->required();
  c->add_option("--function", o->function, "which function, when the file holds several");
  c->add_option("--device", o->device, "where to run")->check(CLI::IsMember({"cpu", "vulkan"}))->default_str("cpu");
  c->add_option("--cpu", o->cpu, "native, or a processor's name")->capture_default_str();
  add_input_options(*c, o->inputs);
  c->add_option("--output", o->output,
                "folder for the results, as 0.npy, 1.npy, ...; without it their first elements are printed");
  c->add_option("--repeat", o->repeat, "run N times")->check(CLI::PositiveNumber)->capture_default_str();
  c->add_flag("--time", o->time,
              "print compile (or load) and run times and the memory that runs took, on standard error");
  c->callback([o] { run(*o); });
}

}  // namespace frit::cli
