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

// As callers see it: without what is bound to weights.
std::string shown(const ir::Function& f) {
  ir::Function g = f;
  g.params.clear();
  g.layouts.clear();
  g.weights.clear();
  for (size_t i = 0; i < f.params.size(); ++i)
    if (f.weight(i).empty()) g.params.push_back(f.params[i]);
  return ir::signature_text(g);
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
    if (i < f.layouts.size() && !f.layouts[i].empty() && !is_dense(param.type.shape, f.layouts[i]))
      return Diagnostic("function @" + f.name + ": parameter '%" + param.name +
                            "' states strides, but callers from outside pass dense arrays",
                        {}, "leave its strides out");
    s.inputs.push_back({value(param.name, param.type), std::string(f.weight(i))});
  }
  const std::vector<ir::Type> results = ir::result_types(f);
  for (size_t i = 0; i < results.size(); ++i) s.outputs.push_back(value(f.result_name(i), results[i]));
  if (!unknown.empty()) return no_source(f, unknown);
  return s;
}

}  // namespace frit::codegen
