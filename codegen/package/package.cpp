// Compiles every function of a module for every target of a package.
#include "codegen/package/package.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "codegen/core/signature.h"
#include "codegen/package/weights.h"
#include "ir/routines/routine.h"
#include "ir/text/kernel_printer.h"
#include "ir/text/printer.h"
#include "passes/manager/pass.h"
#include "runtime/execute/gpu.h"
#include "runtime/load/package.h"

namespace frit::codegen {
namespace {

using Json = nlohmann::ordered_json;

const char* role_name(ir::BufferRole role) {
  switch (role) {
    case ir::BufferRole::Input: return "input";
    case ir::BufferRole::Output: return "output";
    case ir::BufferRole::Temp: return "temp";
    case ir::BufferRole::Constant: return "constant";
    case ir::BufferRole::Part: return "part";
  }
  return "";
}

// Buffers and launches as JSON, for readers of the manifest; the loader reads the image instead.
std::string plan_text(const ir::Program& p) {
  Json plan{{"buffers", Json::array()}, {"workspace", Json::array()}, {"steps", Json::array()}};
  for (const ir::ProgramBuffer& b : p.buffers) {
    Json buffer{
        {"name", b.name}, {"role", role_name(b.role)}, {"dtype", short_name(b.dtype)}, {"elements", b.size.str()}};
    if (b.slot != ir::kNone) buffer["slot"] = b.slot;
    if (b.role == ir::BufferRole::Temp && !b.at.is(0)) buffer["at"] = b.at.str();
    if (b.whole != ir::kNone) buffer["of"] = p.buffers[b.whole].name;
    if (b.donor != ir::kNone) buffer["may_reuse"] = p.buffers[b.donor].name;
    plan["buffers"].push_back(std::move(buffer));
  }
  for (const Dim& s : p.slots) plan["workspace"].push_back(s.str());
  const auto names = [&](const std::vector<uint32_t>& buffers) {
    Json list = Json::array();
    for (uint32_t b : buffers) list.push_back(p.buffers[b].name);
    return list;
  };
  for (const ir::Step& step : p.steps) {
    if (const auto* k = std::get_if<ir::KernelStep>(&step)) {
      plan["steps"].push_back({{"kernel", p.kernels[k->kernel].name}, {"buffers", names(k->buffers)}});
      continue;
    }
    if (const auto* control = std::get_if<ir::ControlStep>(&step)) {
      plan["steps"].push_back({{"control", ir::step_text(p, *control)}});
      continue;
    }
    const auto& l = std::get<ir::LibraryStep>(step);
    std::vector<uint32_t> buffers;
    for (const ir::Window& w : l.operands) buffers.push_back(w.buffer);
    for (const ir::Window& w : l.results) buffers.push_back(w.buffer);
    Json routine{{"routine", l.routine->name}, {"buffers", names(buffers)}};
    if (l.workspace != ir::kNone) routine["workspace"] = p.buffers[l.workspace].name;
    if (l.epilogue)
      routine["epilogue"] = {{"kernel", p.kernels[l.epilogue->kernel].name}, {"buffers", names(l.epilogue->buffers)}};
    plan["steps"].push_back(std::move(routine));
  }
  return plan.dump();
}

Result<runtime::PackageContents::Variant> make_variant(const ir::Function& f, const runtime::Guard& guard,
                                                       const Target& target) {
  FRIT_ASSIGN_OR_RETURN(backend, find_backend(target.backend));
  FRIT_ASSIGN_OR_RETURN(traits, backend->traits(target));
  ir::Function lowered = f;
  passes::PassContext context;
  context.target = traits;
  FRIT_TRY(passes::run(passes::Pipeline::standard(), lowered, context));
  FRIT_ASSIGN_OR_RETURN(image, make_image(lowered, target));
  image.guard = guard;
  runtime::PackageContents::Variant v;
  v.device = facts_of(target.backend)->device;
  v.machine = target.cpu;
  if (target.cpu == "native") v.identity = runtime::device_identity(v.device);
  v.needs = runtime::capabilities_of(image);
  v.plan = plan_text(*lowered.program);
  v.image = runtime::write_image(image);
  return v;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return text;
}

Diagnostic unknown_machine(const std::string& machine, const std::vector<std::string>& known) {
  return Diagnostic(
      "an artifact cannot have code for '" + machine + "', as a loader cannot recognise the machines that run it", {},
      "choose among " + list(known) + "; shared libraries and objects take any processor");
}

Status check_target(const Target& t) {
  const BackendFacts* facts = facts_of(t.backend);
  if (!facts) return find_backend(t.backend).error();
  if (facts->device.empty())
    return Diagnostic("an artifact cannot have code of target '" + facts->target + "', as frit does not run it", {},
                      "write it to files of its own with --emit");
  return has(facts->machines, t.cpu) ? Status() : unknown_machine(t.cpu, facts->machines);
}

}  // namespace

Result<std::vector<Target>> package_targets(std::span<const std::string> targets,
                                            std::span<const std::string> machines) {
  std::vector<Target> all;
  std::vector<std::string> known;
  for (const std::string& target : targets) {
    const BackendFacts* facts = backend_of_target(target);
    if (!facts)
      return Diagnostic("there is no target '" + target + "'", {},
                        "'frit devices' lists the installed code generators");
    known.insert(known.end(), facts->machines.begin(), facts->machines.end());
    std::vector<std::string> own;
    for (const std::string& machine : machines)
      if (has(facts->machines, machine)) own.push_back(machine);
    for (const std::string& machine : own.empty() ? facts->portable : own) all.push_back({facts->name, machine});
    if (facts->device.empty()) FRIT_TRY(check_target({facts->name, "native"}));
  }
  for (const std::string& machine : machines)
    if (!has(known, machine)) return unknown_machine(machine, known);
  return all;
}

Result<runtime::PackageContents> make_package(const ir::Module& module, runtime::NamedTensors weights,
                                              const PackageOptions& options) {
  runtime::PackageContents contents;
  contents.producer = "frit " FRIT_VERSION;
  contents.ir = ir::print(module, {.locations = false});
  FRIT_TRY(check_weights(module, weights));
  std::vector<Target> targets;
  for (const Target& t : options.targets) {
    FRIT_TRY(check_target(t));
    const auto same = [&](const Target& other) { return other.backend == t.backend && other.cpu == t.cpu; };
    if (std::none_of(targets.begin(), targets.end(), same)) targets.push_back(t);
  }
  const size_t all = module.functions.size() * targets.size();
  size_t done = 0;
  for (const auto& f : module.functions) {
    if (f->program) return Diagnostic("function @" + f->name + " is lowered already", {}, "give the graph itself");
    runtime::PackageContents::Function packed;
    FRIT_ASSIGN_OR_RETURN(signature, make_signature(*f));
    packed.signature = std::move(signature);
    for (const Target& target : targets) {
      if (options.progress) options.progress(done++, all, f->name + " for " + target.cpu);
      FRIT_ASSIGN_OR_RETURN(variant, make_variant(*f, packed.signature.guard, target));
      packed.variants.push_back(std::move(variant));
    }
    contents.functions.push_back(std::move(packed));
  }
  contents.weights = std::move(weights);
  return contents;
}

}  // namespace frit::codegen
