// Tracing of closures for transforms, and running what a transform made of them in the trace around them.
#include "frontend/transforms/closure.h"

#include <algorithm>
#include <unordered_map>

#include "frontend/core/random_key.h"
#include "frontend/core/replay.h"
#include "frontend/core/sizes.h"
#include "frontend/transforms/region.h"

namespace frit::detail {

ir::Type type_of(const array& a) { return {a.dtype(), sizes_of(a)}; }

std::vector<ir::Type> types_of(const Arrays& arrays) {
  std::vector<ir::Type> types;
  for (const array& a : arrays) types.push_back(type_of(a));
  return types;
}

Closure::Closure(std::string_view op, const ListFunction& fun, const Arrays& inputs, const Where& where,
                 std::span<const size_t> wrt)
    : Closure(op, fun, inputs, types_of(inputs), where, Values::OfInputs, wrt) {}

Closure::Closure(std::string_view op, const ListFunction& fun, const Arrays& inputs, const std::vector<ir::Type>& types,
                 const Where& where)
    : Closure(op, fun, inputs, types, where, Values::None, {}) {}

Closure::Closure(std::string_view op, const ListFunction& fun, const Arrays& inputs, const std::vector<ir::Type>& types,
                 const Where& where, Values values, std::span<const size_t> wrt)
    : op_(op), where_(where), inputs_(inputs) {
  const uint64_t id = new_trace_id();
  std::vector<NodePtr> placeholders, results;
  const std::string name(op);
  {
    TraceScope scope(id, current_sizes());
    Arrays arguments;
    for (size_t i = 0; i < types.size(); ++i) {
      NodePtr primal = values == Values::OfInputs ? node_of(inputs[i]) : nullptr;
      placeholders.push_back(make_placeholder(name, id, types[i], std::move(primal)));
      arguments.push_back(array_of(placeholders.back()));
    }
    for (const size_t i : wrt)
      static_cast<PlaceholderOperation&>(*placeholders[i]->current_operation()).differentiated = true;
    KeyInTrace random(id);
    for (const array& a : fun(arguments)) results.push_back(node_of(a));
    if (const std::optional<array> key = random.leave()) {
      has_key_ = true;
      results.push_back(node_of(*key));
    }
    traced_ = build_function(name, id, placeholders, results, current_sizes(), Captures::Lifted);
  }
  for (const NodePtr& node : traced_.lifted) inputs_.push_back(array_of(node));
}

SourceLoc Closure::line_of(size_t i) const {
  const ir::Op* def = function().def_of(function().results[i]);
  return def && def->loc.known() ? def->loc : where_;
}

bool Closure::is_stopped(size_t i) const {
  const ir::Op* def = function().def_of(function().results[i]);
  return def && def->def->has(ir::kNoGradient) && is_inexact(result_type(i).dtype);
}

void Closure::fail(Diagnostic d) const {
  d.message = std::string(op_) + ": " + d.message;
  if (!d.loc.known()) d.loc = where_;
  // A condition that open sizes do not show may hold for the sizes of a call.
  const std::string file = d.loc.known() ? d.loc.file : "";
  if (current_sizes()) throw_not_proven(NotProven(d.message, d.note, file, d.loc.line));
  throw InvalidArgument(d.message, d.note, file, d.loc.line);
}

Arrays Closure::run(const Result<ir::Function>& transformed, const Arrays& further) const {
  return without_key(replayed(transformed, inputs_, further));
}

Arrays Closure::run_derivative(Derivative kind, const std::vector<size_t>& sources, const Arrays& further) const {
  // An array of a trace that has ended is an error, which names the operation that takes it.
  const auto is_traced = [](const array& a) { return a.is_tracer(); };
  const bool plain = traced_.rules.empty() && !current_sizes() &&
                     std::none_of(inputs_.begin(), inputs_.end(), is_traced) &&
                     std::none_of(further.begin(), further.end(), is_traced);
  if (plain)
    if (const auto code = code_of_derivative(kind, function(), sources))
      return without_key(call_derivative(code, inputs_, further));
  return run(derivative(kind, function(), sources), further);
}

Arrays Closure::without_key(Arrays all) const {
  if (!has_key_) return all;
  const auto key = all.begin() + static_cast<ptrdiff_t>(results());
  KeyInTrace::put(*key);
  all.erase(key);
  return all;
}

Arrays Closure::run_again(const Result<ir::Function>& transformed, const Arrays& inputs, const Arrays& further) const {
  Arrays all = replayed(transformed, inputs, further);
  if (has_key_) all.erase(all.begin() + static_cast<ptrdiff_t>(results()));
  return all;
}

Arrays Closure::with_key(Arrays cotangents) const {
  if (!has_key_) return cotangents;
  const ir::Type& type = result_type(results());
  cotangents.push_back(stretch(array(0, type.dtype), type.shape, {}));
  return cotangents;
}

Arrays Closure::replayed(const Result<ir::Function>& transformed, const Arrays& inputs, const Arrays& further) const {
  if (!transformed.ok()) fail(transformed.error());
  std::unordered_map<ir::ValueId, array> values;
  for (size_t i = 0; i < inputs.size(); ++i) values.emplace(transformed->params[i], inputs[i]);
  for (size_t i = 0; i < further.size(); ++i) values.emplace(transformed->params[inputs.size() + i], further[i]);
  return replay(*transformed, std::move(values), [](const Dim& d) { return d; }, traced_.rules, replay_regions);
}

}  // namespace frit::detail
