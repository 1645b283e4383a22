// Shrinks failing functions by dropping results and ops and by fixing values.
#include "support/shrink.h"

#include <algorithm>

#include "ir/text/printer.h"
#include "support/values.h"

namespace frit::test {

using namespace ir;

namespace {

Case only(const Case& c, ValueId result) {
  Case out = c;
  out.function.results = {result};
  out.function.canonicalize_order();
  return out;
}

// Turns `v` into a parameter. Nothing if its value is unknown or it already is one.
std::optional<Case> cut(const Case& c, ValueId v) {
  if (!c.function.def_of(v)) return std::nullopt;
  Function wanted = c.function;
  wanted.results = {v};
  auto value = interpret(wanted, c.inputs);
  if (!value.ok()) return std::nullopt;
  Case out;
  Function& f = out.function;
  f.name = c.function.name;
  f.facts = c.function.facts;
  std::vector<ValueId> map(c.function.values.size(), kNone);
  for (ValueId p : c.function.params) map[p] = f.add_param(c.function.values[p].name, c.function.type(p));
  map[v] = f.add_param("cut" + std::to_string(f.params.size()), c.function.type(v));
  out.inputs = c.inputs;
  out.inputs.push_back(value->front());
  Builder b(f);
  for (const Op& op : c.function.ops) {
    if (op.results[0] == v) continue;
    std::vector<ValueId> operands;
    for (ValueId o : op.operands) operands.push_back(map[o]);
    auto built = b.try_build(*op.def, operands, op.attrs);
    if (!built.ok()) return std::nullopt;
    for (size_t i = 0; i < op.results.size(); ++i) map[op.results[i]] = (*built)[i];
  }
  for (ValueId r : c.function.results) f.results.push_back(map[r]);
  f.canonicalize_order();
  return out;
}

}  // namespace

Case shrink(Case c, const std::function<bool(const Case&)>& fails) {
  if (!c.function.layouts.empty()) {
    Case dense = c;
    dense.function.layouts.clear();
    const std::vector<std::string> symbols = dense.function.symbols();
    DimFacts facts;
    for (const auto& [name, range] : c.function.facts.ranges())
      if (std::binary_search(symbols.begin(), symbols.end(), name)) facts.set_range(name, range);
    for (const auto& [name, factor] : c.function.facts.multiples())
      if (std::binary_search(symbols.begin(), symbols.end(), name)) facts.set_multiple(name, factor);
    for (const DimCondition& condition : c.function.facts.conditions()) {
      if (!condition.uses_only(symbols)) continue;
      condition.kind == DimCondition::Kind::Zero ? facts.assume_zero(condition.dim)
                                                 : facts.assume_nonnegative(condition.dim);
    }
    dense.function.facts = facts;
    if (fails(dense)) c = std::move(dense);
  }
  bool progress = c.function.layouts.empty();
  for (int rounds = 0; progress && rounds < 40; ++rounds) {
    progress = false;
    if (c.function.results.size() > 1)
      for (ValueId r : c.function.results)
        if (Case one = only(c, r); fails(one)) {
          c = std::move(one);
          progress = true;
          break;
        }
    if (progress) continue;
    // The first op that shows the fault.
    for (const Op& op : c.function.ops) {
      if (c.function.results.size() == 1 && op.results[0] == c.function.results[0]) break;
      if (Case one = only(c, op.results[0]); one.function.ops.size() < c.function.ops.size() && fails(one)) {
        c = std::move(one);
        progress = true;
        break;
      }
    }
    if (progress) continue;
    for (size_t i = c.function.ops.size(); i-- > 0;) {
      auto smaller = cut(c, c.function.ops[i].results[0]);
      if (smaller && smaller->function.ops.size() < c.function.ops.size() && fails(*smaller)) {
        c = std::move(*smaller);
        progress = true;
        break;
      }
    }
  }
  return c;
}

std::string case_text(const Case& c) {
  std::string text = print(c.function);
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    const Tensor& t = c.inputs[i];
    text += c.function.values[c.function.params[i]].name + " = " +
            Type{t.dtype, Shape(t.shape.begin(), t.shape.end())}.str();
    for (int64_t k = 0; k < std::min<int64_t>(t.size(), 12); ++k)
      text += (k ? ", " : ": ") + element_text(t.dtype, t.bits(k));
    text += t.size() > 12 ? ", ...\n" : "\n";
  }
  return text;
}

}  // namespace frit::test
