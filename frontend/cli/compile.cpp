// frit compile: turns a graph into code for a target.
#include "frontend/cli/command.h"
#include "ir/printer.h"

namespace frit::cli {
namespace {

struct Options {
  std::string file, function, target = "cpu", cpu = "native", emit, output = "-";
};

void run(const Options& o) {
  Source source = read_graph(o.file);
  codegen::Target target;
  target.backend = o.target == "vulkan" ? "glsl" : "llvm";
  target.cpu = o.cpu;
  const std::string emit = !o.emit.empty() ? o.emit : o.target == "vulkan" ? "glsl" : "asm";
  if (emit == "ir") {
    std::string text;
    for (auto& f : source.module->functions) {
      passes::PassContext context;
      passes::Pipeline graph = value_or_fail(passes::Pipeline::parse("expand_composites,canonicalize,constant_fold,cse,dce,fuse"));
      check(passes::run(graph, *f, context));
      text += (text.empty() ? "" : "\n") + ir::print(*f);
    }
    write_output(o.output, text);
    return;
  }
  ir::Function& f = pick_function(*source.module, o.function);
  Progress progress("compiling " + f.name);
  codegen::Backend* backend = value_or_fail(codegen::find_backend(target.backend));
  lower(f, target);
  write_output(o.output, value_or_fail(backend->emit(*f.program, target, emit)));
}

}  // namespace

void add_compile(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand("compile", "compile a graph and write its code");
  c->add_option("FILE", o->file, "graph file (.frit or JSON), - for standard input")->required();
  c->add_option("--function", o->function, "which function, when the file holds several");
  c->add_option("--target", o->target, "what to compile for")->check(CLI::IsMember({"cpu", "vulkan"}))->default_str("cpu");
  c->add_option("--cpu", o->cpu, "native, or a processor's name: x86-64-v3, znver3, ...; for vulkan native (the gpu here), baseline or nvidia")->capture_default_str();
  c->add_option("--emit", o->emit, "what to write: asm for the cpu and glsl for vulkan where it is left out")
      ->check(CLI::IsMember({"ir", "llvm-ir", "asm", "object", "glsl", "spirv", "spirv-asm"}));
  c->add_option("-o,--output", o->output, "where to, - for standard output")->capture_default_str();
  c->callback([o] { run(*o); });
}

}  // namespace frit::cli
