// frit report: one page, or one JSON document, about the compilation of a graph and a measured run of it.
#include <filesystem>
#include <iostream>

#include "codegen/core/signature.h"
#include "codegen/report/report.h"
#include "frontend/cli/command.h"
#include "frontend/cli/inputs.h"
#include "ir/read/json.h"

namespace frit::cli {
namespace {

struct ReportOptions {
  std::string file, function, device = "cpu", cpu = "native", output;
  InputOptions inputs;
  bool json = false, no_fuse = false, not_run = false;
  int runs = 0;
};

// Random numbers from seed 1 where nothing else is said: a page without times answers half of the questions.
std::vector<runtime::Tensor> inputs_of(const ir::Function& f, const Source& source, InputOptions options) {
  if (!options.random) options.random = 1;
  const runtime::NamedTensors weights = read_weights(source);
  const runtime::Signature signature = value_or_fail(codegen::make_signature(f));
  std::string drawn;
  std::vector<runtime::Tensor> inputs = make_inputs(signature, options, &weights, &drawn);
  if (!drawn.empty()) std::cerr << "sizes drawn from the seed: " << drawn << "\n";
  std::vector<int64_t> symbols(signature.guard.symbol_names.size());
  check(runtime::check_call(signature, inputs, symbols.data()));
  check(runtime::lay_out(signature, inputs, symbols));
  return inputs;
}

void run(const ReportOptions& o) {
  Source source = read_graph(o.file, true);
  const ir::Function& f = pick_function(*source.module, o.function);
  codegen::ReportRequest request;
  request.function = &f;
  request.options.target = codegen::target_for(o.device);
  request.options.target.cpu = o.cpu;
  request.options.fuse = !o.no_fuse;
  request.title = f.name + " - " + std::filesystem::path(source.name).filename().string();
  request.texts[source.name] = source.text;
  request.runs = o.runs;
  if (!o.not_run) request.inputs = inputs_of(f, source, o.inputs);
  Progress progress("reporting on " + f.name);
  const codegen::Report report = codegen::make_report(request);
  const std::string path = !o.output.empty() ? o.output : o.json ? "-" : "report.html";
  write_output(
      path, o.json || path.ends_with(".json") ? report.json + "\n" : codegen::report_page(report.json, request.title));
  // The page is there and says how far the compilation came.
  check(report.status);
  if (path != "-") std::cerr << "wrote " << path << "\n";
}

}  // namespace

void add_report(CLI::App& app) {
  auto o = std::make_shared<ReportOptions>();
  CLI::App* c = app.add_subcommand("report", "write one page that shows what the compiler did and what it cost");
  c->add_option("FILE", o->file, "graph file (.frit or JSON), - for standard input; or an artifact")->required();
  c->add_option("--function", o->function, "which function, when the file holds several");
  c->add_option("-o,--output", o->output, "the page's file, - for standard output; report.html without it");
  c->add_flag(
      "--json", o->json,
      "the JSON document instead of the page (docs/report.md), on standard output; a file that ends in .json has it too");
  add_device_option(*c, o->device);
  c->add_option("--cpu", o->cpu, "native, or a processor's name")->capture_default_str();
  add_input_options(*c, o->inputs);
  c->add_option("--runs", o->runs, "timed runs; without it as many as fit in a tenth of a second, at most 20")
      ->check(CLI::Range(1, 1000000));
  c->add_flag("--no-run", o->not_run, "only compile: no times");
  c->add_flag("--no-fuse", o->no_fuse, "every op in a kernel of its own");
  c->callback([o] { run(*o); });
}

}  // namespace frit::cli
