// frit ops: the operation table.
#include <algorithm>
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>
#include <utility>

#include "codegen/core/facts.h"
#include "frontend/cli/command.h"
#include "ir/base/suggest.h"
#include "ir/routines/routine.h"
#include "passes/lower/routine.h"

namespace frit::cli {
namespace {

std::string_view kind_name(ir::OpKind k) {
  switch (k) {
    case ir::OpKind::Constant: return "constant";
    case ir::OpKind::Elementwise: return "elementwise";
    case ir::OpKind::Reduction: return "reduction";
    case ir::OpKind::Index: return "index";
    case ir::OpKind::Iota: return "iota";
    case ir::OpKind::Scatter: return "scatter";
    case ir::OpKind::Scan: return "scan";
    case ir::OpKind::Composite: return "composite";
    case ir::OpKind::Library: return "library";
    case ir::OpKind::Control: return "control";
  }
  return "";
}

std::string_view domain_name(ir::TypeClass c) {
  switch (c) {
    case ir::TypeClass::Any: return "any";
    case ir::TypeClass::Number: return "number";
    case ir::TypeClass::Real: return "real";
    case ir::TypeClass::Integer: return "integer";
    case ir::TypeClass::Shiftable: return "shiftable";
    case ir::TypeClass::Inexact: return "inexact";
    case ir::TypeClass::Float: return "float";
    case ir::TypeClass::Bool: return "bool";
  }
  return "";
}

std::vector<std::string> trait_names(const ir::OpDef& d) {
  static constexpr std::pair<ir::Trait, const char*> kNames[] = {
      {ir::kCommutative, "commutative"}, {ir::kIdempotent, "idempotent"},
      {ir::kInvolution, "involution"},   {ir::kView, "view"},
      {ir::kNoGradient, "no_gradient"},  {ir::kExpensive, "expensive"},
      {ir::kNoFold, "no_fold"},          {ir::kSideEffect, "side_effect"}};
  std::vector<std::string> out;
  for (const auto& [trait, name] : kNames)
    if (d.has(trait)) out.push_back(name);
  return out;
}

// How each target computes an operation: "kernel", "library" (a routine of the runtime's libraries), "cpu" (a routine
// that the CPU computes for the GPU), or "-" where it cannot be had.
std::vector<std::pair<std::string, std::string>> targets_of(const ir::OpDef& d) {
  std::vector<std::pair<std::string, std::string>> all;
  std::string alone;  // code that other programs link, without a runtime
  for (const codegen::BackendFacts& b : codegen::backends()) {
    const bool own = std::find(b.routines.begin(), b.routines.end(), d.name) != b.routines.end();
    const bool expanded = d.expand && b.device != "cpu";  // the pass expand_libraries
    if (!b.device.empty())
      all.emplace_back(b.device, !d.routine || own || expanded ? "kernel" : b.device == "cpu" ? "library" : "cpu");
    for (const codegen::Emission& e : b.emissions)
      if (e.library) alone += (alone.empty() ? "" : "/") + e.name;
  }
  if (!alone.empty())
    all.emplace_back(alone, !d.routine || d.expand || passes::kernels_of(*d.routine) ? "kernel" : "-");
  return all;
}

nlohmann::ordered_json to_json(const ir::OpDef& d) {
  nlohmann::ordered_json j;
  j["name"] = d.name;
  j["kind"] = kind_name(d.kind);
  j["arity"] = d.arity;
  j["domain"] = domain_name(d.domain);
  j["traits"] = trait_names(d);
  for (const auto& [target, how] : targets_of(d)) j["targets"][target] = how;
  j["attributes"] = nlohmann::ordered_json::array();
  for (const auto& a : d.attrs)
    j["attributes"].push_back({{"name", a.name}, {"kind", ir::name(a.kind)}, {"required", a.required}, {"doc", a.doc}});
  j["meaning"] = nlohmann::ordered_json::array();
  for (const auto& m : d.meanings) {
    if (m.imag.empty()) {
      j["meaning"].push_back(std::string(m.text));
    } else {
      j["meaning"].push_back({std::string(m.text), std::string(m.imag)});
    }
  }
  j["derivatives"] = nlohmann::ordered_json::array();
  for (std::string_view t : d.derivatives) j["derivatives"].push_back(std::string(t));
  j["doc"] = d.doc;
  return j;
}

void describe(const ir::OpDef& d) {
  std::cout << d.name << ": " << kind_name(d.kind) << ", ";
  if (d.arity < 0) {
    std::cout << "any number of operands";
  } else {
    std::cout << d.arity << (d.arity == 1 ? " operand" : " operands");
  }
  std::cout << " of " << domain_name(d.domain) << " type\n  " << d.doc << "\n";
  for (const auto& [target, how] : targets_of(d)) std::cout << "  " << target << ": " << how << "\n";
  for (const auto& a : d.attrs)
    std::cout << "  attribute " << a.name << ": " << ir::name(a.kind) << (a.required ? "" : ", optional")
              << (a.doc.empty() ? "" : ": ") << a.doc << "\n";
  for (const auto& m : d.meanings) {
    std::cout << "  meaning: " << m.text;
    if (!m.imag.empty()) std::cout << "  |  imaginary part: " << m.imag;
    std::cout << "\n";
  }
  for (std::string_view t : d.derivatives) std::cout << "  derivative: " << t << "\n";
  std::string traits;
  for (const std::string& t : trait_names(d)) traits += " " + t;
  if (!traits.empty()) std::cout << "  traits:" << traits << "\n";
}

// The text up to the period that ends its first sentence. Other periods stand for what is left out: "[.., m, d]".
std::string_view first_sentence(std::string_view text) {
  text = text.substr(0, text.find(". "));
  if (text.ends_with('.')) text.remove_suffix(1);
  return text;
}

// A line for each operation, with a column for each target.
void list(const ir::OpTable& table) {
  const auto line = [](std::string_view name, std::string_view kind, const auto& cells, std::string_view doc) {
    std::cout << std::left << std::setw(21) << name << std::setw(12) << kind;
    for (const auto& [width, cell] : cells) std::cout << std::setw(static_cast<int>(width) + 2) << cell;
    std::cout << doc << "\n";
  };
  bool first = true;
  for (const ir::OpDef* d : table.all()) {
    std::vector<std::pair<size_t, std::string>> heads, cells;
    for (const auto& [target, how] : targets_of(*d)) {
      const size_t width = std::max(target.size(), std::string_view("library").size());
      heads.emplace_back(width, target);
      cells.emplace_back(width, how);
    }
    if (std::exchange(first, false)) line("operation", "kind", heads, "meaning");
    line(d->name, kind_name(d->kind), cells, first_sentence(d->doc));
  }
}

}  // namespace

void add_ops(CLI::App& app) {
  struct Options {
    std::string name;
    bool json = false;
  };
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand("ops", "list the operations, or describe one");
  c->add_option("NAME", o->name, "an operation");
  c->add_flag("--json", o->json, "as JSON");
  c->callback([o] {
    const ir::OpTable& table = ir::OpTable::instance();
    if (!o->name.empty()) {
      const ir::OpDef* d = table.find(o->name);
      if (!d) {
        std::vector<std::string_view> names;
        for (const ir::OpDef* other : table.all()) names.push_back(other->name);
        fail({"no operation '" + o->name + "'" + ir::did_you_mean(o->name, names), {}, "'frit ops' lists them"});
      }
      if (o->json) {
        std::cout << to_json(*d).dump(2) << "\n";
      } else {
        describe(*d);
      }
      return;
    }
    if (o->json) {
      nlohmann::ordered_json all = nlohmann::ordered_json::array();
      for (const ir::OpDef* d : table.all()) all.push_back(to_json(*d));
      std::cout << all.dump(2) << "\n";
      return;
    }
    list(table);
  });
}

}  // namespace frit::cli
