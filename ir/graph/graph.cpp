// Functions as tables of values and ops: use counts, compaction, symbols and equality.
#include "ir/graph/graph.h"

#include <algorithm>

namespace frit::ir {

std::string_view name(GroupKind k) {
  switch (k) {
    case GroupKind::Loop: return "loop";
    case GroupKind::Reduce: return "reduce";
    case GroupKind::Library: return "library";
    case GroupKind::View: return "view";
    case GroupKind::Scatter: return "scatter";
    case GroupKind::Control: return "control";
  }
  return {};
}

ValueId Function::add_param(std::string name, Type type) {
  auto id = static_cast<ValueId>(values.size());
  auto index = static_cast<uint32_t>(params.size());
  if (name.empty()) name = "arg" + std::to_string(index);
  values.push_back({std::move(type), kNone, index, std::move(name)});
  params.push_back(id);
  if (!layouts.empty()) layouts.emplace_back();
  if (!weights.empty()) weights.emplace_back();
  return id;
}

std::vector<std::string> Function::symbols() const {
  std::vector<std::string> names;
  for (ValueId p : params)
    for (const Dim& d : values[p].type.shape) d.collect_symbols(names);
  for (const ParamLayout& layout : layouts)
    for (const Dim& d : layout) d.collect_symbols(names);
  return names;
}

std::vector<std::string> Function::used_symbols() const {
  std::vector<std::string> names = symbols();
  for (const Value& v : values)
    for (const Dim& d : v.type.shape) d.collect_symbols(names);
  for (const Op& op : ops)
    for (const auto& [name, value] : op.attrs) {
      if (const Dim* d = std::get_if<Dim>(&value)) d->collect_symbols(names);
      if (const Dims* list = std::get_if<Dims>(&value))
        for (const Dim& d : *list) d.collect_symbols(names);
      if (const Region* region = std::get_if<Region>(&value))
        for (const std::string& s : region->function().used_symbols()) Dim::symbol(s).collect_symbols(names);
    }
  return names;
}

std::vector<uint32_t> Function::use_counts() const {
  std::vector<uint32_t> counts(values.size(), 0);
  for (const Op& op : ops)
    for (ValueId v : op.operands) ++counts[v];
  for (ValueId v : results) ++counts[v];
  return counts;
}

Function* Module::find(std::string_view name) const {
  for (const auto& f : functions)
    if (f->name == name) return f.get();
  return nullptr;
}

}  // namespace frit::ir
