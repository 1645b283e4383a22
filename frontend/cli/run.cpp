// frit run: runs a graph, compiled first, or an artifact, on .npy files or random numbers.
#include <algorithm>
#include <chrono>
#include <functional>
#include <iomanip>
#include <iostream>

#include "codegen/core/signature.h"
#include "frontend/cli/command.h"
#include "frontend/cli/inputs.h"
#include "frontend/cli/tensors.h"
#include "runtime/execute/gpu.h"
#include "runtime/load/package.h"

namespace frit::cli {
namespace {

struct RunCommandOptions {
  std::string file, function, device = "cpu", cpu = "native", output;
  InputOptions inputs;
  int repeat = 1;
  bool time = false;
};

// A function and its inputs, ready to run on the device.
struct Runnable {
  std::vector<runtime::Tensor> inputs;
  std::function<Result<std::vector<runtime::Tensor>>()> run;
  std::string drawn;      // the sizes that no argument gave
  double compile_ms = 0;  // or the time that loading took
};

using Clock = std::chrono::steady_clock;
double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

Runnable compile_graph(const RunCommandOptions& o, runtime::Gpu* gpu) {
  Source source = read_graph(o.file, true);
  ir::Function& f = pick_function(*source.module, o.function);
  const runtime::NamedTensors weights = read_weights(source);
  const runtime::Signature signature = value_or_fail(codegen::make_signature(f));
  Runnable r;
  r.inputs = make_inputs(signature, o.inputs, &weights, &r.drawn);
  std::vector<int64_t> symbols(signature.guard.symbol_names.size());
  check(runtime::check_call(signature, r.inputs, symbols.data()));
  check(runtime::lay_out(signature, r.inputs, symbols));
  codegen::CompileOptions options;
  options.target = codegen::target_for(o.device);
  options.target.cpu = o.cpu;
  if (gpu)
    for (runtime::Tensor& t : r.inputs) t = value_or_fail(runtime::to_gpu(t, *gpu));
  const auto started = Clock::now();
  Progress progress("compiling " + f.name);
  auto executable = value_or_fail(codegen::compile(f, options));
  r.compile_ms = ms_since(started);
  r.run = [executable, inputs = r.inputs] { return executable->run(inputs); };
  return r;
}

Runnable load_package(const RunCommandOptions& o, runtime::Gpu* gpu) {
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
  r.inputs = make_inputs(f->signature(), o.inputs, nullptr, &r.drawn);
  std::vector<runtime::Tensor> arguments;
  for (size_t i = 0; i < r.inputs.size(); ++i)
    if (f->signature().inputs[i].weight.empty()) arguments.push_back(r.inputs[i]);
  if (gpu)
    for (runtime::Tensor& t : arguments) t = value_or_fail(runtime::to_gpu(t, *gpu));
  r.run = [package, f, arguments] { return f->run(arguments); };
  return r;
}

// Times in milliseconds of the runs, and of the steps of the last one on a GPU.
struct Times {
  std::vector<double> runs, on_gpu;
  std::vector<runtime::GpuTime> steps;
  size_t peak_bytes = 0;
};

std::vector<runtime::Tensor> repeat(const RunCommandOptions& o, const Runnable& r, runtime::Gpu* gpu, Times& times) {
  std::vector<runtime::Tensor> results;
  const size_t before = runtime::active_memory();
  runtime::reset_peak_memory();
  for (int i = 0; i < o.repeat; ++i) {
    results.clear();
    const auto begin = Clock::now();
    results = value_or_fail(r.run());
    if (gpu) check(gpu->synchronize());
    times.runs.push_back(ms_since(begin));
    if (!gpu) continue;
    times.steps = gpu->last_times();
    double sum = 0;
    for (const runtime::GpuTime& t : times.steps) sum += t.milliseconds;
    times.on_gpu.push_back(sum);
  }
  times.peak_bytes = runtime::peak_memory() - before;
  return results;
}

void report(Times times, const char* preparation, double preparation_ms, runtime::Gpu* gpu) {
  std::sort(times.runs.begin(), times.runs.end());
  std::cerr << std::fixed << std::setprecision(3) << preparation << " " << preparation_ms << " ms; run: median "
            << times.runs[times.runs.size() / 2] << " ms, least " << times.runs.front() << " ms, most "
            << times.runs.back() << " ms of " << times.runs.size() << "\n";
  if (!gpu) {
    std::cerr << "memory: at most " << times.peak_bytes
              << " B for results and workspace (a workspace of 512 KiB or less is not counted)\n";
    return;
  }
  std::sort(times.on_gpu.begin(), times.on_gpu.end());
  std::cerr << "on " << gpu->info().name << ": median " << times.on_gpu[times.on_gpu.size() / 2] << " ms, least "
            << times.on_gpu.front() << " ms;";
  for (const runtime::GpuTime& t : times.steps) std::cerr << " " << t.step << " " << t.milliseconds << " ms";
  std::cerr << " (the last run)\n";
}

void run(const RunCommandOptions& o) {
  runtime::Gpu* gpu = nullptr;
  if (o.device != "cpu") {
    gpu = value_or_fail(runtime::find_gpu(o.device));
    gpu->keep_times(runtime::GpuTimes::Steps);
  }
  const bool package = is_package(o.file);
  const Runnable r = package ? load_package(o, gpu) : compile_graph(o, gpu);
  if (!r.drawn.empty()) std::cerr << "sizes drawn from the seed: " << r.drawn << "\n";
  Times times;
  std::vector<runtime::Tensor> results = repeat(o, r, gpu, times);
  if (gpu)
    for (runtime::Tensor& t : results) t = value_or_fail(runtime::to_host(t, *gpu));
  if (o.output.empty()) {
    for (size_t i = 0; i < results.size(); ++i) print_result(i, results[i]);
  } else {
    write_results(o.output, results);
  }
  if (o.time) report(std::move(times), package ? "load" : "compile", r.compile_ms, gpu);
}

}  // namespace

void add_run(CLI::App& app) {
  auto o = std::make_shared<RunCommandOptions>();
  CLI::App* c = app.add_subcommand("run", "run a graph, compiled here, or an artifact");
  c->add_option("FILE", o->file, "graph file (.frit or JSON), - for standard input; or an artifact of 'frit compile'")
      ->required();
  c->add_option("--function", o->function, "which function, when the file holds several");
  add_device_option(*c, o->device);
  c->add_option("--cpu", o->cpu, "native, or a processor's name")->capture_default_str();
  add_input_options(*c, o->inputs);
  c->add_option("--output", o->output,
                "folder for the results, as 0.npy, 1.npy, ...; without it their first elements are printed");
  c->add_option("--repeat", o->repeat, "run N times")->check(CLI::Range(1, 1000000000))->capture_default_str();
  c->add_flag("--time", o->time,
              "print compile (or load) and run times and the memory that runs took, on standard error");
  c->callback([o] { run(*o); });
}

}  // namespace frit::cli
