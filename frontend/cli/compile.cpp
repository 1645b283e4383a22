// frit compile: turns graphs into code for targets: a package, a library that other programs link, or text to read.
#include <algorithm>
#include <filesystem>

#include "codegen/package/c_interface.h"
#include "codegen/package/package.h"
#include "frontend/cli/command.h"
#include "ir/text/printer.h"
#include "runtime/execute/parallel.h"
#include "runtime/files/file.h"

namespace frit::cli {
namespace {

struct Options {
  std::string file, function, emit, output, matmul = "loops", workspace = "caller", weights = "inside";
  std::vector<std::string> targets = {"cpu"}, cpus;
  int jobs = 0;
};

const std::vector<std::string> kEmissions = {"artifact", "shared", "object", "c",     "ir",
                                             "llvm-ir",  "asm",    "glsl",   "spirv", "spirv-asm"};

std::string backend_of(const std::string& target) { return target == "vulkan" ? "glsl" : target == "c" ? "c" : "llvm"; }

// What the output's name asks for, else what there is to read.
std::string emission(const Options& o) {
  if (!o.emit.empty()) return o.emit;
  const std::string suffix = std::filesystem::path(o.output).extension().string();
  for (const auto& [end, emit] : {std::pair(".fritpkg", "artifact"),
                                  {".so", "shared"},
                                  {".o", "object"},
                                  {".c", "c"},
                                  {".s", "asm"},
                                  {".ll", "llvm-ir"},
                                  {".spv", "spirv"},
                                  {".comp", "glsl"}})
    if (suffix == end) return emit;
  return o.targets[0] == "vulkan" ? "glsl" : o.targets[0] == "c" ? "c" : "asm";
}

codegen::Target single_target(const Options& o, const std::string& emit) {
  if (o.targets.size() > 1) throw CLI::ValidationError("--target", "several targets are for --emit=artifact");
  if (o.cpus.size() > 1) throw CLI::ValidationError("--cpu", "several processors are for --emit=artifact");
  codegen::Target target;
  target.backend = backend_of(emit == "c" ? "c" : o.targets[0]);
  if (!o.cpus.empty()) target.cpu = o.cpus[0];
  return target;
}

std::vector<ir::Function*> chosen(ir::Module& m, const std::string& name) {
  std::vector<ir::Function*> functions;
  if (!name.empty()) return {&pick_function(m, name)};
  for (const auto& f : m.functions) functions.push_back(f.get());
  if (functions.empty()) fail({"the file holds no function"});
  return functions;
}

void write_ir(const Options& o, Source& source) {
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

// All files or none.
void write_files(const std::string& base, const std::vector<codegen::NativeFile>& files) {
  std::vector<runtime::FileWriter> writers;
  for (const codegen::NativeFile& f : files) {
    writers.push_back(value_or_fail(runtime::FileWriter::create(base + f.suffix)));
    check(writers.back().write(f.bytes));
  }
  for (size_t i = 0; i < writers.size(); ++i) {
    const Status done = writers[i].commit();
    if (done.ok()) continue;
    std::error_code ignored;
    for (size_t j = 0; j < i; ++j) std::filesystem::remove(base + files[j].suffix, ignored);
    check(done);
  }
}

// The files' name in front of their endings. Other dots belong to it, as in "gelu-1.5".
std::filesystem::path without_suffix(std::filesystem::path output) {
  for (const char* suffix : {".so", ".o", ".c", ".h"})
    if (output.extension() == suffix) return output.replace_extension();
  return output;
}

void write_native(const Options& o, Source& source, const std::string& emit) {
  const codegen::Target target = single_target(o, emit);
  codegen::Backend* backend = value_or_fail(codegen::find_backend(target.backend));
  const auto known = backend->native_emissions();
  if (std::find(known.begin(), known.end(), emit) == known.end())
    throw CLI::ValidationError("--emit", "target " + o.targets[0] + " has no '" + emit + "'");
  const bool to_standard_output = o.output.empty() || o.output == "-";
  const std::vector<ir::Function*> all = chosen(*source.module, o.function);
  const std::filesystem::path base =
      to_standard_output ? std::filesystem::path(codegen::c_identifier(all[0]->name)) : without_suffix(o.output);
  codegen::NativeOptions options;
  options.name = base.filename().string();
  if (options.name.empty())
    throw CLI::ValidationError("--output", "'" + o.output + "' is a folder; give the name of a file in it");
  if (emit == "c" && options.name.find_first_of("\"\\\n") != std::string::npos)
    throw CLI::ValidationError(
        "--output", "'" + o.output + "' cannot be included by C: choose a name without quotes and backslashes");
  options.cblas = o.matmul == "cblas";
  options.static_workspace = o.workspace == "static";
  Progress progress("compiling");
  std::vector<const ir::Function*> functions;
  for (ir::Function* f : all) {
    progress.set("compiling " + f->name + " (" + std::to_string(functions.size() + 1) + " of " +
                 std::to_string(all.size()) + ")");
    passes::PassContext context;
    context.target = value_or_fail(backend->native_traits(target, options));
    check(passes::run(passes::Pipeline::standard(), *f, context));
    functions.push_back(f);
  }
  const std::vector<codegen::NativeFile> files = value_or_fail(backend->emit_native(functions, target, emit, options));
  if (to_standard_output) return write_output("-", files[0].bytes);
  write_files(base.string(), files);
}

void write_artifact(const Options& o, Source& source) {
  if (o.output.empty() || o.output == "-")
    throw CLI::ValidationError("--output", "an artifact needs a file: -o NAME.fritpkg");
  if (!o.function.empty()) {
    pick_function(*source.module, o.function);
    std::erase_if(source.module->functions, [&](const auto& f) { return f->name != o.function; });
  }
  codegen::PackageOptions options;
  for (const std::string& target : o.targets) {
    if (target == "c")
      throw CLI::ValidationError("--target", "an artifact is for cpu and vulkan; --emit=c writes source");
    if (target == "vulkan") {
      options.targets.push_back({"glsl", "baseline"});
    } else if (o.cpus.empty()) {
      for (codegen::Target& t : codegen::portable_targets()) options.targets.push_back(std::move(t));
    } else {
      for (const std::string& cpu : o.cpus) options.targets.push_back({"llvm", cpu});
    }
  }
  runtime::NamedTensors weights = read_weights(source);
  Progress progress("compiling");
  options.progress = [&](size_t done, size_t all, const std::string& next) {
    progress.set("compiling " + next + " (" + std::to_string(done + 1) + " of " + std::to_string(all) + ")");
  };
  const bool inside = o.weights == "inside";
  if (!inside && !source.module->weights.empty() &&
      std::filesystem::absolute(source.name).parent_path() != std::filesystem::absolute(o.output).parent_path())
    throw CLI::ValidationError(
        "--weights", "beside: the artifact must lie in the folder of the graph file, which its weights are named from");
  runtime::PackageContents contents = value_or_fail(codegen::make_package(*source.module, std::move(weights), options));
  if (!inside) contents.weights_file = source.module->weights;
  check(runtime::write_package(o.output, contents));
}

// The files that are read stay, except an artifact that is made again.
void keep_inputs(const Options& o, const Source& source, const std::string& emit) {
  std::vector<std::filesystem::path> read;
  if (!(emit == "artifact" && is_package(o.file))) read.emplace_back(o.file);
  if (!source.module->weights.empty())
    read.push_back(std::filesystem::path(source.name).parent_path() / source.module->weights);
  std::error_code absent;
  for (const std::filesystem::path& p : read)
    if (std::filesystem::is_regular_file(p, absent) && std::filesystem::equivalent(p, o.output, absent))
      throw CLI::ValidationError("--output", "'" + o.output + "' is what is compiled");
}

void run(const Options& o) {
  Source source = read_graph(o.file);
  if (o.jobs > 0) runtime::set_num_threads(o.jobs);
  const std::string emit = emission(o);
  keep_inputs(o, source, emit);
  if (emit == "artifact") return write_artifact(o, source);
  if (emit == "ir") return write_ir(o, source);
  if (emit == "shared" || emit == "object" || emit == "c") return write_native(o, source, emit);
  const codegen::Target target = single_target(o, emit);
  ir::Function& f = pick_function(*source.module, o.function);
  Progress progress("compiling " + f.name);
  codegen::Backend* backend = value_or_fail(codegen::find_backend(target.backend));
  lower(f, target);
  write_output(o.output, value_or_fail(backend->emit(*f.program, target, emit)));
}

}  // namespace

void add_compile(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand("compile", "compile graphs into an artifact, a library to link, or text to read");
  c->add_option("FILE", o->file, "graph file (.frit or JSON), - for standard input")->required();
  c->add_option("--function", o->function,
                "which function, when the file holds several; artifacts and libraries take all where it is left out");
  c->add_option("--target", o->targets, "cpu, vulkan or c; an artifact may have several: cpu,vulkan")
      ->delimiter(',')
      ->check(CLI::IsMember({"cpu", "vulkan", "c"}))
      ->default_str("cpu");
  c->add_option(
       "--cpu", o->cpus,
       "native, or a processor's name: x86-64-v3, znver3, aarch64, ...; for vulkan native (the gpu here), baseline or nvidia. An artifact may have "
       "several levels, newest first, but no models; where it is left out it has x86-64-v4, x86-64-v3 and x86-64-v2")
      ->delimiter(',');
  c->add_option(
       "--emit", o->emit,
       "what to write. Where it is left out the output's name decides (.fritpkg, .so, .o, .c, .s, .ll, .spv, .comp), else it is asm for the cpu, "
       "glsl for vulkan and c for c")
      ->check(CLI::IsMember(kEmissions));
  c->add_option(
      "-o,--output", o->output,
      "where to. Libraries and c come with a header NAME.h beside them; to standard output, where it is left out or -, go they alone");
  c->add_option("--matmul", o->matmul, "of shared, object and c: products as loops, or as calls of cblas_*")
      ->check(CLI::IsMember({"loops", "cblas"}))
      ->capture_default_str();
  c->add_option("--workspace", o->workspace, "of c: memory for intermediate values from the caller, or static")
      ->check(CLI::IsMember({"caller", "static"}))
      ->capture_default_str();
  c->add_option("--weights", o->weights, "of artifacts: weights inside of the file, or in their own file beside it")
      ->check(CLI::IsMember({"inside", "beside"}))
      ->capture_default_str();
  c->add_option("--jobs", o->jobs, "threads that compile; one per processor where it is left out")
      ->check(CLI::PositiveNumber);
  c->callback([o] { run(*o); });
}

}  // namespace frit::cli
