// frit opt: runs passes over a graph and shows their results.
#include <iomanip>
#include <iostream>
#include <sstream>

#include "frontend/cli/command.h"
#include "ir/read/json.h"
#include "ir/text/dot.h"
#include "ir/text/kernel_printer.h"
#include "ir/text/printer.h"
#include "passes/transform/spec.h"

namespace frit::cli {
namespace {

struct OptOptions {
  std::string file, pipeline, print_after, dump_dir, emit = "ir", output = "-";
  bool verify_each = false, time_passes = false, remarks = false;
  int stop_after = -1;
  std::vector<std::string> transforms;
};

std::string emitted(const ir::Module& m, const std::string& form) {
  if (form == "json") return ir::to_json(m) + "\n";
  if (form == "dot") return ir::to_dot(m);
  if (form == "kernels") {
    std::string text;
    for (const auto& f : m.functions) {
      if (!f->program)
        fail({"'" + f->name + "' is not lowered, so it has no kernels",
              {},
              "use a pipeline that ends with lower_to_kernels or later"});
      text += ir::print(*f->program, f->name);
    }
    return text;
  }
  std::string text;
  for (const auto& f : m.functions) {
    if (!text.empty()) text += "\n";
    text += f->program ? ir::print(*f->program, f->name) : ir::print(*f);
  }
  return text;
}

void print_timings(const std::vector<passes::PassTiming>& timings) {
  std::cerr << std::left << std::setw(20) << "pass" << std::right << std::setw(10) << "ms" << std::setw(10) << "ops"
            << std::setw(10) << "after" << std::setw(10) << "kernels" << "\n";
  for (const auto& t : timings)
    std::cerr << std::left << std::setw(20) << t.pass << std::right << std::setw(10) << std::fixed
              << std::setprecision(3) << t.milliseconds << std::setw(10) << t.ops_before << std::setw(10) << t.ops_after
              << std::setw(10) << t.kernels_after << (t.changed ? "" : "   no change") << "\n";
}

passes::Pipeline parse_pipeline(const OptOptions& o) {
  // A transformed function is printed as its graph.
  const std::string names = !o.pipeline.empty() ? o.pipeline : o.transforms.empty() ? "default" : "none";
  Result<passes::Pipeline> pipeline = passes::Pipeline::parse(names);
  if (!pipeline.ok()) throw CLI::ValidationError("--pipeline", pipeline.error().message);
  if (!o.print_after.empty() && o.print_after != "all" && o.print_after != "changed" &&
      !passes::find_pass(o.print_after))
    throw CLI::ValidationError("--print-after", "unknown pass '" + o.print_after + "'");
  return *std::move(pipeline);
}

void run(const OptOptions& o) {
  passes::Pipeline pipeline = parse_pipeline(o);
  Source source = read_graph(o.file);
  std::ostringstream printed;
  for (auto& f : source.module->functions) {
    for (const std::string& transform : o.transforms) {
      *f = value_or_fail(passes::transformed(*f, transform), source.text);
    }
    passes::PassContext context;
    context.module = source.module.get();
    context.collect_remarks = o.remarks;
    std::vector<passes::PassTiming> timings;
    passes::RunOptions options;
    options.verify_each = o.verify_each;
    options.stop_after = o.stop_after;
    options.print_after = o.print_after;
    options.print_to = &std::cerr;
    options.dump_dir = o.dump_dir;
    options.timings = o.time_passes ? &timings : nullptr;
    Progress progress("optimising " + f->name);
    check(passes::run(pipeline, *f, context, options));
    for (const auto& r : context.remarks) {
      std::string place = to_string(r.loc);
      std::cerr << "remark: " << r.function << ": " << r.pass << ": " << r.text
                << (place.empty() ? "" : " (" + place + ")") << "\n";
    }
    if (o.time_passes) print_timings(timings);
  }
  write_output(o.output, emitted(*source.module, o.emit));
}

}  // namespace

void add_opt(CLI::App& app) {
  auto o = std::make_shared<OptOptions>();
  CLI::App* c = app.add_subcommand("opt", "run passes over a graph and print the result");
  c->add_option("FILE", o->file, "graph file (.frit or JSON), - for standard input")->required();
  c->add_option("--pipeline", o->pipeline,
                "default, none, or pass names with commas; default, or none with --transform");
  c->add_option(
       "--transform", o->transforms,
       "the graph of a derivative or of a batch instead: vjp[=A,B] and jvp[=A,B] with respect to the arguments "
       "of these numbers, vmap[=IN[:OUT[:SIZE]]] with lists of the batch axes of arguments and results (-1: "
       "none) and the size of the batch, a number or a name; may be repeated, the first one is inside")
      ->allow_extra_args(false);
  c->add_option("--print-after", o->print_after, "all, changed, or a pass: print the IR then, on standard error");
  c->add_flag("--verify-each", o->verify_each, "verify before the first pass and after each");
  c->add_flag("--time-passes", o->time_passes, "print milliseconds, op and kernel counts, on standard error");
  c->add_flag("--remarks", o->remarks, "print the remarks of the passes, on standard error");
  c->add_option("--stop-after", o->stop_after, "run only the first N passes")->check(CLI::Range(0, 1 << 20));
  c->add_option("--dump-dir", o->dump_dir, "write the IR after each pass to numbered files there");
  c->add_option("--emit", o->emit, "the form to print")
      ->check(CLI::IsMember({"ir", "json", "dot", "kernels"}))
      ->capture_default_str();
  c->add_option("-o,--output", o->output, "output file, - for standard output")->capture_default_str();
  c->callback([o] { run(*o); });
}

}  // namespace frit::cli
