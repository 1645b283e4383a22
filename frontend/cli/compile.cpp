// frit compile: turns graphs into code for targets: a package, a library that other programs link, or text to read.
#include <filesystem>
#include <iostream>

#include "codegen/package/package.h"
#include "frontend/cli/compile.h"
#include "frontend/cli/write.h"
#include "ir/text/printer.h"
#include "runtime/execute/parallel.h"

namespace frit::cli {

codegen::Target single_target(const CompileArguments& o, const Form& form) {
  const std::string artifact = "--emit=" + std::string(kArtifact);
  if (o.targets.size() > 1) throw CLI::ValidationError("--target", "only " + artifact + " takes several targets");
  if (o.cpus.size() > 1) throw CLI::ValidationError("--cpu", "only " + artifact + " takes several processors");
  return {form.backend->name, o.cpus.empty() ? "native" : o.cpus[0]};
}

std::vector<ir::Function*> chosen(ir::Module& m, const std::string& name) {
  std::vector<ir::Function*> functions;
  if (!name.empty()) return {&pick_function(m, name)};
  for (const auto& f : m.functions) functions.push_back(f.get());
  if (functions.empty()) fail({"the file holds no function"});
  return functions;
}

namespace {

void write_ir(const CompileArguments& o, Source& source) {
  std::string text;
  for (ir::Function* f : chosen(*source.module, o.function)) {
    passes::PassContext context;
    passes::Pipeline graph =
        value_or_fail(passes::Pipeline::parse("expand_composites,canonicalize,constant_fold,cse,dce,fuse"));
    check(passes::run(graph, *f, context));
    text += (text.empty() ? "" : "\n") + ir::print(*f);
  }
  write_output(o.output, text);
}

void write_artifact(const CompileArguments& o, Source& source) {
  if (o.output.empty() || o.output == "-")
    throw CLI::ValidationError("--output", "an artifact needs a file: -o NAME.fritpkg");
  if (o.weights == "arguments")
    throw CLI::ValidationError("--weights", "an artifact has its weights inside or beside; libraries take arguments");
  if (!o.function.empty()) {
    pick_function(*source.module, o.function);
    std::erase_if(source.module->functions, [&](const auto& f) { return f->name != o.function; });
  }
  std::vector<std::string> targets = o.targets;
  if (targets.empty()) targets.push_back("cpu");
  for (const std::string& t : targets)
    if (codegen::backend_of_target(t)->device.empty())
      throw CLI::ValidationError("--target", "frit does not run code of target " + t +
                                                 ", so an artifact cannot have it; --emit=" +
                                                 codegen::backend_of_target(t)->emissions[0].name + " writes it");
  codegen::PackageOptions options;
  options.targets = value_or_fail(codegen::package_targets(targets, o.cpus));
  runtime::NamedTensors weights = read_weights(source);
  Progress progress("compiling");
  options.progress = [&](size_t done, size_t all, const std::string& next) {
    progress.set("compiling " + next + " (" + std::to_string(done + 1) + " of " + std::to_string(all) + ")");
  };
  const bool inside = o.weights != "beside";
  if (!inside && !source.module->weights.empty() &&
      std::filesystem::absolute(source.name).parent_path() != std::filesystem::absolute(o.output).parent_path())
    throw CLI::ValidationError("--weights",
                               "with beside, the artifact must lie in the folder of the graph file and its weights");
  runtime::PackageContents contents = value_or_fail(codegen::make_package(*source.module, std::move(weights), options));
  if (!inside) contents.weights_file = source.module->weights;
  check(runtime::write_package(o.output, contents));
}

// Text or shaders of one function.
void write_code(const CompileArguments& o, Source& source, const Form& form) {
  const codegen::Target target = single_target(o, form);
  ir::Function& f = pick_function(*source.module, o.function);
  Progress progress("compiling " + f.name);
  codegen::Backend* backend = value_or_fail(codegen::find_backend(target.backend));
  lower(f, target);
  if (o.output.empty() && o.emit.empty())
    std::cerr << "note: this is the " << form.emission.name << " of @" << f.name
              << "; -o NAME writes a file whose ending chooses the form (" << endings_text() << ")\n";
  write_parts(o.output, form.emission, value_or_fail(backend->emit_parts(*f.program, target, form.emission.name)));
}

// The files that are read stay, except an artifact that is made again.
void keep_inputs(const CompileArguments& o, const Source& source, const Form& form) {
  std::vector<std::filesystem::path> read;
  if (!(form.is(kArtifact) && is_package(o.file))) read.emplace_back(o.file);
  if (!source.module->weights.empty())
    read.push_back(std::filesystem::path(source.name).parent_path() / source.module->weights);
  std::error_code absent;
  for (const std::filesystem::path& p : read)
    if (std::filesystem::is_regular_file(p, absent) && std::filesystem::equivalent(p, o.output, absent))
      throw CLI::ValidationError("--output", "'" + o.output + "' is a file that is compiled; choose another name");
}

void run(const CompileArguments& o) {
  const Form form = choose_form(o.emit, o.output == "-" ? "" : o.output, o.targets);
  Source source = read_graph(o.file);
  if (o.jobs > 0) runtime::set_num_threads(o.jobs);
  keep_inputs(o, source, form);
  if (form.is(kArtifact)) return write_artifact(o, source);
  if (form.is(kIr)) return write_ir(o, source);
  if (form.emission.library) return write_library(o, source, form);
  write_code(o, source, form);
}

std::string words(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& n : names) text += (text.empty() ? "" : ", ") + n;
  return text;
}

}  // namespace

void add_compile(CLI::App& app) {
  auto o = std::make_shared<CompileArguments>();
  CLI::App* c = app.add_subcommand("compile", "compile graphs into an artifact, a library to link, or text to read");
  c->add_option("FILE", o->file, "graph file (.frit or JSON), - for standard input")->required();
  c->add_option("--function", o->function,
                "only this function; without it, artifacts and libraries hold all functions of the file");
  c->add_option(
       "--target", o->targets,
       words(target_names()) + "; an artifact may have several, as in cpu,vulkan. Without it, the form decides")
      ->delimiter(',')
      ->check(CLI::IsMember(target_names()));
  c->add_option("--cpu", o->cpus,
                "native (this machine), or a processor: x86-64-v3, znver3, aarch64, ...; for a GPU native, baseline "
                "(any) or nvidia. An artifact may have several levels, newest first; without it, it has x86-64-v4, v3 "
                "and v2")
      ->delimiter(',');
  c->add_option("--emit", o->emit,
                "the form to write. Without it, the ending of the output decides (" + endings_text() +
                    "), else the target: assembly for cpu")
      ->check(CLI::IsMember(emission_names()));
  c->add_option("-o,--output", o->output,
                "the file, or for shaders a folder that gets a file for each; a library's header is written beside it. "
                "Standard output where it is left out or -");
  c->add_option("--matmul", o->matmul, "in libraries and C source: write matrix products as loops, or call cblas_*")
      ->check(CLI::IsMember({"loops", "cblas"}))
      ->capture_default_str();
  c->add_option("--workspace", o->workspace,
                "in C source: the caller passes memory for intermediate values, or it is static")
      ->check(CLI::IsMember({"caller", "static"}))
      ->capture_default_str();
  c->add_option("--weights", o->weights,
                "inside: in the file that is written (the default; libraries take at most 16 MiB so). beside: in a "
                "file of their own. arguments: libraries take them as inputs")
      ->check(CLI::IsMember({"inside", "beside", "arguments"}));
  c->add_option("--jobs", o->jobs, "threads that compile; without it, one for each processor")
      ->check(CLI::Range(1, 1024));
  c->callback([o] { run(*o); });
}

}  // namespace frit::cli
