// frit verify: compares the results of compiled code with those of the reference interpreter, on random inputs.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <iomanip>
#include <iostream>

#include "codegen/core/backend.h"
#include "codegen/core/interpreter_tensor.h"
#include "codegen/core/signature.h"
#include "frontend/cli/command.h"
#include "frontend/cli/inputs.h"
#include "frontend/cli/tensors.h"
#include "ir/interpret/interpreter.h"
#include "ir/reduce/distance.h"
#include "runtime/execute/gpu.h"
#include "runtime/load/package.h"

namespace frit::cli {
namespace {

struct VerifyOptions {
  std::string file, function, device = "cpu", cpu = "native";
  InputOptions inputs;
  int runs = 10;
  double max_ulp = 256;
};

// One function and its ways of running: the graph in the interpreter and compiled here, and the artifact's code where
// there is one.
class Comparison {
 public:
  Comparison(const ir::Function& f, const VerifyOptions& o, runtime::Gpu* gpu)
      : f_(f), o_(o), gpu_(gpu), signature_(value_or_fail(codegen::make_signature(f))) {
    Progress progress("compiling " + f.name);
    codegen::CompileOptions options;
    options.target = codegen::target_for(o.device);
    options.target.cpu = o.cpu;
    ir::Function graph = f;
    executable_ = value_or_fail(codegen::compile(graph, options));
  }

  // True when everything was within bounds.
  bool run(const runtime::NamedTensors& weights, const runtime::PackagedFunction* packed) {
    std::vector<double> graph(signature_.outputs.size()), artifact(graph.size());
    for (int i = 0; i < o_.runs; ++i) {
      const std::vector<runtime::Tensor> inputs =
          draw(weights, o_.inputs.random.value_or(1) + static_cast<uint64_t>(i) * 1000);
      std::vector<ir::Tensor> reference;
      for (const runtime::Tensor& t : inputs) reference.push_back(value_or_fail(codegen::to_interpreter(t)));
      reference = value_or_fail(ir::interpret(f_, reference));
      compare(reference, value_or_fail(executable_->run(on_device(inputs))), graph);
      if (!packed) continue;
      std::vector<runtime::Tensor> arguments;
      for (size_t k = 0; k < inputs.size(); ++k)
        if (signature_.inputs[k].weight.empty()) arguments.push_back(inputs[k]);
      compare(reference, value_or_fail(packed->run(arguments)), artifact);
    }
    report("the graph, compiled here", graph);
    if (packed) report("the artifact's code for " + packed->machine(), artifact);
    const auto fits = [&](double d) { return d <= o_.max_ulp; };
    return std::all_of(graph.begin(), graph.end(), fits) && std::all_of(artifact.begin(), artifact.end(), fits);
  }

 private:
  std::vector<runtime::Tensor> draw(const runtime::NamedTensors& weights, uint64_t seed) const {
    InputOptions options = o_.inputs;
    options.random = seed;
    std::vector<runtime::Tensor> inputs = make_inputs(signature_, options, &weights);
    std::vector<int64_t> symbols(signature_.guard.symbol_names.size());
    check(runtime::check_call(signature_, inputs, symbols.data()));
    check(runtime::lay_out(signature_, inputs, symbols));
    return inputs;
  }

  std::vector<runtime::Tensor> on_device(std::vector<runtime::Tensor> inputs) const {
    if (gpu_)
      for (runtime::Tensor& t : inputs) t = value_or_fail(runtime::to_gpu(t, *gpu_));
    return inputs;
  }

  void compare(const std::vector<ir::Tensor>& want, const std::vector<runtime::Tensor>& got,
               std::vector<double>& most) const {
    for (size_t i = 0; i < want.size(); ++i) {
      const runtime::Tensor host = gpu_ ? value_or_fail(runtime::to_host(got[i], *gpu_)) : got[i];
      most[i] = std::max(most[i], distance(want[i], value_or_fail(codegen::to_interpreter(host))));
    }
  }

  void report(const std::string& what, const std::vector<double>& most) const {
    if (most.empty()) std::cout << "@" << f_.name << ": runs and has no results, " << what << "\n";
    for (size_t i = 0; i < most.size(); ++i) {
      const runtime::Signature::Value& out = signature_.outputs[i];
      std::cout << "@" << f_.name << " " << (out.name.empty() ? "result " + std::to_string(i) : out.name) << ": "
                << runtime::type_text(out) << ", " << what << ": ";
      if (std::isinf(most[i]))
        std::cout << "differs";
      else if (is_inexact(out.dtype))
        std::cout << "at most " << std::setprecision(3) << most[i] << " ulp";
      else
        std::cout << "equal";
      std::cout << (most[i] > o_.max_ulp ? "  <- too far\n" : "\n");
    }
  }

  const ir::Function& f_;
  const VerifyOptions& o_;
  runtime::Gpu* gpu_;
  runtime::Signature signature_;
  std::shared_ptr<runtime::Executable> executable_;
};

void run(const VerifyOptions& o) {
  runtime::Gpu* gpu = o.device == "cpu" ? nullptr : value_or_fail(runtime::find_gpu(o.device));
  std::shared_ptr<const runtime::Package> package;
  if (is_package(o.file)) package = value_or_fail(runtime::Package::load(o.file, o.device));
  const Source source = read_graph(o.file);
  const runtime::NamedTensors weights = read_weights(source);
  bool good = true, any = false;
  for (const auto& f : source.module->functions) {
    if (!o.function.empty() && f->name != o.function) continue;
    any = true;
    const auto packed = package ? value_or_fail(package->find(f->name)) : nullptr;
    good &= Comparison(*f, o, gpu).run(weights, packed.get());
  }
  if (!any) fail({o.function.empty() ? "the file holds no function" : "no function '" + o.function + "' in the file"});
  if (!good)
    fail({"results differ by more than " + std::to_string(static_cast<int64_t>(o.max_ulp)) +
          " ulp from those of the reference interpreter"});
}

}  // namespace

void add_verify(CLI::App& app) {
  auto o = std::make_shared<VerifyOptions>();
  CLI::App* c = app.add_subcommand("verify", "compare compiled code with the reference interpreter on random inputs");
  c->add_option("FILE", o->file, "an artifact of 'frit compile', or a graph file")->required();
  c->add_option("--function", o->function, "only this function");
  add_device_option(*c, o->device);
  c->add_option("--cpu", o->cpu, "native, or a processor's name, for the graph that is compiled here")
      ->capture_default_str();
  add_input_options(*c, o->inputs);
  c->add_option("--runs", o->runs, "how many times, each with other sizes and inputs")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  c->add_option("--max-ulp", o->max_ulp,
                "how far a float may be from the interpreter's, in units in the last place of its own magnitude or of "
                "the result's mean, whichever is larger")
      ->check(CLI::Range(0.0, 1e9))
      ->capture_default_str();
  c->callback([o] { run(*o); });
}

}  // namespace frit::cli
