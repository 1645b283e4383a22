// frit explain: shows how a graph was fused and why, the cost of each kernel, and the buffers.
#include <iomanip>
#include <iostream>
#include <sstream>

#include "codegen/core/guard.h"
#include "frontend/cli/command.h"
#include "ir/kernel/library_cost.h"
#include "ir/routines/routine.h"
#include "ir/text/kernel_printer.h"
#include "ir/text/printer.h"
#include "passes/transform/spec.h"

namespace frit::cli {
namespace {

struct ExplainOptions {
  std::string file, cpu = "native";
  std::vector<std::string> transforms;
};

std::string amount(const Dim& d, const char* unit) {
  if (!d.is_const()) return d.str() + " " + unit;
  double v = static_cast<double>(d.value());
  const char* prefix = "";
  for (const char* p : {"k", "M", "G", "T"}) {
    if (v < 10000) break;
    v /= 1000;
    prefix = p;
  }
  std::ostringstream s;
  s << std::setprecision(4) << v << " " << prefix << unit;
  return s.str();
}

void explain_buffers(const ir::Program& p) {
  Dim inputs = 0, outputs = 0, workspace = 0;
  for (const auto& b : p.buffers) {
    Dim bytes = b.size * Dim(int64_t{b.dtype.size()});
    if (b.role == ir::BufferRole::Input) inputs += bytes;
    if (b.role == ir::BufferRole::Output) outputs += bytes;
  }
  // Slots begin at multiples of 64 bytes; of open sizes the bytes themselves are shown.
  for (const Dim& s : p.slots) workspace += s.is_const() ? floor_div(s + Dim(63), 64) * Dim(64) : s;
  std::cout << "buffers: inputs " << amount(inputs, "B") << ", outputs " << amount(outputs, "B") << ", workspace "
            << amount(workspace, "B") << " in " << p.slots.size() << (p.slots.size() == 1 ? " slot\n" : " slots\n");
  for (const auto& b : p.buffers)
    if (b.donor != ir::kNone)
      std::cout << "  output " << b.name << " may take over the memory of input " << p.buffers[b.donor].name << "\n";
}

// The checks of the arguments' sizes at each call.
void explain_guards(const ir::Function& f) {
  std::cout << "guards:";
  std::vector<std::string> said;
  auto guard = codegen::make_guard(f, &said);
  if (!guard.ok()) {
    std::cout << " " << guard.error().message << "\n";
  } else if (guard->symbol_names.empty()) {
    std::cout << " none: every size is fixed\n";
  } else if (guard->checks.empty()) {
    std::cout << " none: all sizes will do\n";
  } else {
    std::cout << "\n";
    for (const std::string& check : said) std::cout << "  " << check << "\n";
  }
}

void explain(ir::Function& f, const ExplainOptions& o) {
  std::cout << ir::signature_text(f) << "\n";
  codegen::Target target;
  target.cpu = o.cpu;
  size_t ops = f.ops.size();
  Compiled c = lower(f, target);
  const ir::Program& p = *f.program;
  std::cout << ops << (ops == 1 ? " op, " : " ops, ") << p.steps.size() << (p.steps.size() == 1 ? " step" : " steps")
            << (p.steps.empty() ? "\n" : ":\n");
  for (size_t i = 0; i < p.steps.size(); ++i) {
    std::cout << "  " << i << ". ";
    auto kernel = [&](const ir::KernelStep& s) {
      const ir::Kernel& k = p.kernels[s.kernel];
      const ir::KernelCost cost = ir::cost(k);
      const auto here = [&](const Dim& d, const char* unit) { return amount(ir::at_launch(p, s, d), unit); };
      std::cout << "kernel " << k.name << ": reads " << here(cost.bytes_read, "B") << ", writes "
                << here(cost.bytes_written, "B") << ", " << here(cost.flops, "flop") << "\n";
    };
    if (auto* s = std::get_if<ir::KernelStep>(&p.steps[i])) {
      kernel(*s);
    } else if (const auto* control = std::get_if<ir::ControlStep>(&p.steps[i])) {
      std::cout << ir::step_text(p, *control) << "\n";
    } else {
      const auto& l = std::get<ir::LibraryStep>(p.steps[i]);
      const ir::LibraryCost cost = ir::cost(l);
      std::cout << "library " << l.routine->name << ": moves " << amount(cost.bytes, "B");
      if (cost.flops && !cost.flops->is(0)) std::cout << ", " << amount(*cost.flops, "flop");
      std::cout << "\n";
      if (l.epilogue) {
        std::cout << "     with epilogue ";
        kernel(*l.epilogue);
      }
    }
  }
  explain_buffers(p);
  explain_guards(f);
  for (const auto& r : c.context.remarks) {
    std::string place = to_string(r.loc);
    std::cout << "remark: " << r.pass << ": " << r.text << (place.empty() ? "" : " (" + place + ")") << "\n";
  }
}

}  // namespace

void add_explain(CLI::App& app) {
  auto o = std::make_shared<ExplainOptions>();
  CLI::App* c = app.add_subcommand("explain", "show how a graph is fused and why, and the cost of its kernels");
  c->add_option("FILE", o->file, "graph file (.frit or JSON), - for standard input")->required();
  c->add_option("--cpu", o->cpu, "native, or a processor's name")->capture_default_str();
  c->add_option("--transform", o->transforms,
                "a derivative or a batch of the function instead, as 'frit opt' has it; of a vjp it shows the values "
                "that are kept for the backward pass")
      ->allow_extra_args(false);
  c->callback([o] {
    Source source = read_graph(o->file);
    if (source.module->functions.empty()) fail({"the file holds no function"});
    bool first = true;
    for (auto& f : source.module->functions) {
      for (const std::string& transform : o->transforms)
        *f = value_or_fail(passes::transformed(*f, transform), source.text);
      if (!first) std::cout << "\n";
      first = false;
      explain(*f, *o);
    }
  });
}

}  // namespace frit::cli
