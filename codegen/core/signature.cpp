// From a function to how it is called from outside.
#include "codegen/core/signature.h"

#include <algorithm>

#include "codegen/core/guard.h"
#include "ir/text/printer.h"

namespace frit::codegen {
namespace {

bool is_dense(const ir::Shape& shape, const ir::ParamLayout& strides) {
  Dim dense = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    if (!(strides[i] == dense)) return false;
    dense = dense * shape[i];
  }
  return true;
}

// The signature as callers see it, without the parameters that are bound to weights.
std::string shown(const ir::Function& f) {
  ir::Function g = f;
  g.params.clear();
  g.layouts.clear();
  g.weights.clear();
  for (size_t i = 0; i < f.params.size(); ++i)
    if (f.weight(i).empty()) g.params.push_back(f.params[i]);
  return ir::signature_text(g);
}

// The strides of parameters that do not lie dense, and the symbols that only strides name.
void add_strides(const ir::Function& f, runtime::Signature& s, std::string& unknown) {
  const SymbolSources sources = f.layouts.empty() ? SymbolSources() : sources_of_symbols(f);
  const auto slot_of = [&](const std::string& name) {
    const auto& sizes = s.guard.symbol_names;
    if (const auto found = std::find(sizes.begin(), sizes.end(), name); found != sizes.end())
      return static_cast<int>(found - sizes.begin());
    for (size_t k = 0; k < s.stride_symbols.size(); ++k)
      if (s.stride_symbols[k].name == name) return static_cast<int>(sizes.size() + k);
    const auto source = sources.find(name);
    if (source == sources.end()) {
      unknown = name;
      return 0;
    }
    const DimRange range = f.facts.range(Dim::symbol(name));
    s.stride_symbols.push_back({name, source->second.input, source->second.axis, range.low, range.high,
                                std::max<int64_t>(f.facts.multiple(name), 1)});
    return static_cast<int>(sizes.size() + s.stride_symbols.size() - 1);
  };
  for (size_t i = 0; i < f.params.size() && i < f.layouts.size(); ++i)
    if (!f.layouts[i].empty() && !is_dense(f.type(f.params[i]).shape, f.layouts[i]))
      for (const Dim& stride : f.layouts[i]) s.inputs[i].strides.emplace_back(stride, slot_of);
}

}  // namespace

Result<runtime::Signature> make_signature(const ir::Function& f) {
  runtime::Signature s;
  s.name = f.name;
  s.text = shown(f);
  std::vector<std::string> said;
  FRIT_ASSIGN_OR_RETURN(guard, make_guard(f, &said));
  // Weights are looked at once, when they are bound.
  const auto of_weight = [&](const runtime::Guard::Check& check) {
    const auto* size = std::get_if<runtime::Guard::Size>(&check);
    return size && !f.weight(size->input).empty();
  };
  for (size_t i = 0; i < guard.checks.size(); ++i) {
    if (of_weight(guard.checks[i])) continue;
    s.guard.checks.push_back(guard.checks[i]);
    s.said.push_back(said[i]);
  }
  s.guard.symbol_names = std::move(guard.symbol_names);
  s.guard.sources = std::move(guard.sources);
  std::string unknown;
  const auto slot_of = [&](const std::string& symbol) {
    const auto& names = s.guard.symbol_names;
    const auto found = std::find(names.begin(), names.end(), symbol);
    if (found == names.end()) unknown = symbol;
    return found == names.end() ? 0 : static_cast<int>(found - names.begin());
  };
  const auto value = [&](std::string_view name, const ir::Type& type) {
    runtime::Signature::Value v{std::string(name), type.dtype, {}, {}};
    for (const Dim& d : type.shape) {
      v.shape.emplace_back(d, slot_of);
      v.sizes.push_back(d.str());
    }
    return v;
  };
  for (size_t i = 0; i < f.params.size(); ++i) {
    const ir::Value& param = f.values[f.params[i]];
    s.inputs.push_back({value(param.name, param.type), std::string(f.weight(i)), {}});
  }
  add_strides(f, s, unknown);
  const std::vector<ir::Type> results = ir::result_types(f);
  for (size_t i = 0; i < results.size(); ++i) s.outputs.push_back(value(f.result_name(i), results[i]));
  if (!unknown.empty()) return no_source(f, unknown);
  return s;
}

}  // namespace frit::codegen
