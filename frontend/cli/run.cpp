// frit run: compiles a graph and runs it on .npy files or random numbers.
#include <algorithm>
#include <chrono>
#include <iomanip>
#include <iostream>
#include <map>

#include "frontend/cli/command.h"
#include "frontend/cli/tensors.h"
#include "runtime/npy.h"

namespace frit::cli {
namespace {

struct Options {
  std::string file, function, cpu = "native", output;
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

// Checks an input against the signature and learns symbols from it.
void learn_symbols(const ir::Function& f, size_t i, const runtime::Tensor& t, std::map<std::string, int64_t>& symbols) {
  const ir::Type& type = f.type(f.params[i]);
  std::string got = std::string(short_name(t.dtype)) + shape_text(t.shape);
  std::string what = "input '" + f.values[f.params[i]].name + "' is " + got + ", but the function takes " + type.str();
  if (t.dtype != type.dtype) fail({what, {}, "convert the file to " + std::string(long_name(type.dtype))});
  if (t.shape.size() != type.shape.size()) fail({what});
  for (size_t axis = 0; axis < t.shape.size(); ++axis)
    if (const std::string* s = type.shape[axis].as_symbol()) {
      auto [it, added] = symbols.emplace(*s, t.shape[axis]);
      if (!added && it->second != t.shape[axis])
        fail({what + " with " + *s + " = " + std::to_string(it->second)});
    }
}

void check_shapes(const ir::Function& f, const std::vector<runtime::Tensor>& inputs, const std::map<std::string, int64_t>& symbols) {
  auto value = [&](const std::string& name) -> std::optional<int64_t> {
    auto it = symbols.find(name);
    return it == symbols.end() ? std::nullopt : std::optional(it->second);
  };
  for (const auto& [name, v] : symbols) {
    DimRange r = f.facts.range(Dim::symbol(name));
    if (v < r.low || v > r.high)
      fail({"'" + name + "' is " + std::to_string(v) + ", outside [" + std::to_string(r.low) + ", " + std::to_string(r.high) + "]"});
    if (v % f.facts.multiple(name))
      fail({"'" + name + "' is " + std::to_string(v) + ", not a multiple of " + std::to_string(f.facts.multiple(name))});
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ir::Type& type = f.type(f.params[i]);
    for (size_t axis = 0; axis < type.shape.size(); ++axis) {
      auto v = type.shape[axis].evaluate(value);
      if (!v || *v != inputs[i].shape[axis])
        fail({"input '" + f.values[f.params[i]].name + "' is " + shape_text(inputs[i].shape) + ", but the function takes " +
              type.str()});
    }
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
      shape.push_back(*v);
    }
    inputs[i] = random_tensor(f.type(f.params[i]).dtype, shape, *o.random + i);
  }
  check_shapes(f, inputs, symbols);
  return inputs;
}

void run(const Options& o) {
  Source source = read_graph(o.file);
  ir::Function& f = pick_function(*source.module, o.function);
  std::vector<runtime::Tensor> inputs = make_inputs(f, o);
  codegen::CompileOptions options;
  options.target.cpu = o.cpu;
  using Clock = std::chrono::steady_clock;
  auto started = Clock::now();
  std::shared_ptr<runtime::Executable> executable;
  {
    Progress progress("compiling " + f.name);
    executable = value_or_fail(codegen::compile(f, options));
  }
  double compile_ms = std::chrono::duration<double, std::milli>(Clock::now() - started).count();
  std::vector<double> times;
  std::vector<runtime::Tensor> results;
  for (int i = 0; i < o.repeat; ++i) {
    results.clear();
    auto begin = Clock::now();
    results = value_or_fail(executable->run(inputs));
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
  }
  if (o.output.empty()) {
    for (size_t i = 0; i < results.size(); ++i) print_result(i, results[i]);
  } else {
    write_results(o.output, results);
  }
  if (o.time) {
    std::sort(times.begin(), times.end());
    std::cerr << std::fixed << std::setprecision(3) << "compile " << compile_ms << " ms; run: median " << times[times.size() / 2] << " ms, least "
              << times.front() << " ms, most " << times.back() << " ms of " << times.size() << "\n";
  }
}

}  // namespace

void add_run(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand("run", "compile a graph and run it");
  c->add_option("FILE", o->file, "graph file (.frit or JSON), - for standard input")->required();
  c->add_option("--function", o->function, "which function, when the file holds several");
  c->add_option("--device", "where to run")->check(CLI::IsMember({"cpu"}))->default_str("cpu");
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
