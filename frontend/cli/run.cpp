// frit run: compiles a graph and runs it on .npy files or random numbers.
#include <algorithm>
#include <chrono>
#include <iomanip>
#include <iostream>
#include <map>
#include <set>

#include "codegen/guard.h"
#include "frontend/cli/command.h"
#include "frontend/cli/tensors.h"
#include "runtime/gpu.h"
#include "runtime/npy.h"

namespace frit::cli {
namespace {

struct Options {
  std::string file, function, device = "cpu", cpu = "native", output;
  std::vector<std::string> inputs, sets;
  std::optional<uint64_t> random;
  int repeat = 1;
  bool time = false;
};

std::pair<std::string, std::string> split_pair(const std::string& s, const char* option) {
  size_t equals = s.find('=');
  if (equals == std::string::npos || equals == 0) throw CLI::ValidationError(option, "needs NAME=VALUE, got '" + s + "'");
  return {s.substr(0, equals), s.substr(equals + 1)};
}

// Checks an input's element type and rank, and learns symbols from its sizes.
void learn_symbols(const ir::Function& f, size_t i, const runtime::Tensor& t, std::map<std::string, int64_t>& symbols) {
  const ir::Type& type = f.type(f.params[i]);
  std::string got = std::string(short_name(t.dtype)) + shape_text(t.shape);
  std::string what = "input '" + f.values[f.params[i]].name + "' is " + got + ", but the function takes " + type.str();
  if (t.dtype != type.dtype) fail({what, {}, "convert the file to " + std::string(long_name(type.dtype))});
  if (t.shape.size() != type.shape.size()) fail({what});
  for (size_t axis = 0; axis < t.shape.size(); ++axis)
    if (const std::string* s = type.shape[axis].as_symbol()) symbols.emplace(*s, t.shape[axis]);
}

// The inputs whose sizes decide a check.
std::set<uint32_t> inputs_of(const runtime::Guard& guard, size_t check) {
  std::set<uint32_t> inputs;
  auto add_program = [&](const DimProgram& p) {
    for (const DimProgram::Instr& i : p.code())
      if (i.op == DimProgram::Op::Slot) inputs.insert(guard.sources[static_cast<size_t>(i.value)].input);
  };
  if (const auto* size = std::get_if<runtime::Guard::Size>(&guard.checks[check])) {
    inputs.insert(size->input);
    add_program(size->expected);
  } else if (const auto* range = std::get_if<runtime::Guard::Range>(&guard.checks[check])) {
    inputs.insert(guard.sources[range->symbol].input);
  } else {
    add_program(std::get<runtime::Guard::Condition>(guard.checks[check]).value);
  }
  return inputs;
}

void check_sizes(const ir::Function& f, const std::vector<runtime::Tensor>& inputs) {
  runtime::Guard guard = value_or_fail(codegen::make_guard(f));
  std::vector<int64_t> symbols(guard.symbol_names.size());
  int check = guard.first_failure([&](uint32_t input, uint32_t axis) { return inputs[input].shape[axis]; }, symbols.data());
  if (check < 0) return;
  std::string got;
  for (uint32_t i : inputs_of(guard, static_cast<size_t>(check)))
    got += (got.empty() ? "" : " and ") + ("'" + f.values[f.params[i]].name + "' is ") + std::string(short_name(inputs[i].dtype)) +
           shape_text(inputs[i].shape);
  fail({"function @" + f.name + " needs that " + codegen::describe(f, guard, check) + ", but " + got, {}, "'frit explain' lists what it needs"});
}

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
      if (free ? stride >= range.low && stride <= range.high && stride % f.facts.multiple(*stated.as_symbol()) == 0 : stated.is(stride)) continue;
      fail({"input '" + f.values[f.params[i]].name + "' has stride " + std::to_string(stride) + " along axis " + std::to_string(axis) +
                ", but the function takes " + stated.str(),
            {}, "'frit run' passes dense inputs only"});
    }
}

std::vector<runtime::Tensor> make_inputs(const ir::Function& f, const Options& o) {
  std::map<std::string, int64_t> symbols;
  for (const std::string& s : o.sets) {
    auto [name, text] = split_pair(s, "--set");
    auto known = f.symbols();
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw CLI::ValidationError("--set", "the function has no symbol '" + name + "'");
    try {
      size_t used = 0;
      symbols[name] = std::stoll(text, &used);
      if (used != text.size() || symbols[name] < 0) throw std::invalid_argument(text);
    } catch (const std::exception&) {
      throw CLI::ValidationError("--set", "'" + text + "' is not a size");
    }
  }
  std::map<std::string, std::string> files;
  for (const std::string& s : o.inputs) {
    auto [name, path] = split_pair(s, "--input");
    files[name] = path;
  }
  std::vector<runtime::Tensor> inputs(f.params.size());
  std::vector<bool> have(f.params.size(), false);
  for (size_t i = 0; i < f.params.size(); ++i) {
    auto it = files.find(f.values[f.params[i]].name);
    if (it == files.end()) continue;
    inputs[i] = row_major(value_or_fail(runtime::read_npy(it->second)));
    learn_symbols(f, i, inputs[i], symbols);
    have[i] = true;
    files.erase(it);
  }
  if (!files.empty()) throw CLI::ValidationError("--input", "the function has no input '" + files.begin()->first + "'");
  for (size_t i = 0; i < f.params.size(); ++i) {
    if (have[i]) continue;
    const std::string& name = f.values[f.params[i]].name;
    if (!o.random) fail({"no value for input '" + name + "'", {}, "give --input " + name + "=FILE.npy, or --random SEED"});
    std::vector<int64_t> shape;
    for (const Dim& d : f.type(f.params[i]).shape) {
      auto v = d.evaluate([&](const std::string& s) -> std::optional<int64_t> {
        auto it = symbols.find(s);
        return it == symbols.end() ? std::nullopt : std::optional(it->second);
      });
      if (!v) fail({"the size " + d.str() + " of input '" + name + "' is not known", {}, "give --set SYMBOL=N"});
      if (*v < 0) fail({"the size " + d.str() + " of input '" + name + "' is " + std::to_string(*v), {}, "choose other sizes with --set SYMBOL=N"});
      shape.push_back(*v);
    }
    inputs[i] = random_tensor(f.type(f.params[i]).dtype, shape, *o.random + i);
  }
  check_sizes(f, inputs);
  check_strides(f, inputs);
  return inputs;
}

void run(const Options& o) {
  Source source = read_graph(o.file);
  ir::Function& f = pick_function(*source.module, o.function);
  std::vector<runtime::Tensor> inputs = make_inputs(f, o);
  codegen::CompileOptions options;
  options.target.cpu = o.cpu;
  runtime::Gpu* gpu = nullptr;
  if (o.device == "vulkan") {
    gpu = value_or_fail(runtime::find_gpu());
    gpu->keep_times(true);
    options.target.backend = "glsl";
    for (runtime::Tensor& t : inputs) t = value_or_fail(runtime::to_gpu(t, *gpu));
  }
  using Clock = std::chrono::steady_clock;
  auto started = Clock::now();
  std::shared_ptr<runtime::Executable> executable;
  {
    Progress progress("compiling " + f.name);
    executable = value_or_fail(codegen::compile(f, options));
  }
  double compile_ms = std::chrono::duration<double, std::milli>(Clock::now() - started).count();
  std::vector<double> times, gpu_times;
  std::vector<runtime::GpuTime> steps;
  std::vector<runtime::Tensor> results;
  for (int i = 0; i < o.repeat; ++i) {
    results.clear();
    auto begin = Clock::now();
    results = value_or_fail(executable->run(inputs));
    if (gpu) check(gpu->synchronize());
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
    if (!gpu) continue;
    steps = gpu->last_times();
    double sum = 0;
    for (const runtime::GpuTime& t : steps) sum += t.milliseconds;
    gpu_times.push_back(sum);
  }
  if (gpu)
    for (runtime::Tensor& t : results) t = value_or_fail(runtime::to_host(t, *gpu));
  if (o.output.empty()) {
    for (size_t i = 0; i < results.size(); ++i) print_result(i, results[i]);
  } else {
    write_results(o.output, results);
  }
  if (o.time) {
    std::sort(times.begin(), times.end());
    std::cerr << std::fixed << std::setprecision(3) << "compile " << compile_ms << " ms; run: median " << times[times.size() / 2] << " ms, least "
              << times.front() << " ms, most " << times.back() << " ms of " << times.size() << "\n";
    if (gpu) {
      std::sort(gpu_times.begin(), gpu_times.end());
      std::cerr << "on " << gpu->info().name << ": median " << gpu_times[gpu_times.size() / 2] << " ms, least " << gpu_times.front() << " ms;";
      for (const runtime::GpuTime& t : steps) std::cerr << " " << t.step << " " << t.milliseconds << " ms";
      std::cerr << " (the last run)\n";
    }
  }
}

}  // namespace

void add_run(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand("run", "compile a graph and run it");
  c->add_option("FILE", o->file, "graph file (.frit or JSON), - for standard input")->required();
  c->add_option("--function", o->function, "which function, when the file holds several");
  c->add_option("--device", o->device, "where to run")->check(CLI::IsMember({"cpu", "vulkan"}))->default_str("cpu");
  c->add_option("--cpu", o->cpu, "native, or a processor's name")->capture_default_str();
  c->add_option("--input", o->inputs, "NAME=FILE.npy: the value of an input")->take_all();
  c->add_option("--random", o->random, "SEED: random values for the inputs that have no file");
  c->add_option("--set", o->sets, "SYMBOL=N: the value of a size that no input file gives")->take_all();
  c->add_option("--output", o->output, "folder for the results, as 0.npy, 1.npy, ...; without it their first elements are printed");
  c->add_option("--repeat", o->repeat, "run N times")->check(CLI::PositiveNumber)->capture_default_str();
  c->add_flag("--time", o->time, "print compile and run times, on standard error");
  c->callback([o] { run(*o); });
}

}  // namespace frit::cli
