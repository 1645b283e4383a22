// The one scalar operation of a row, read from its meaning, and how a row moves elements, read from its rules.
#include "passes/simplify/forms.h"

#include <algorithm>

#include "ir/graph/expression.h"
#include "passes/simplify/rewrite.h"

namespace frit::passes {

using namespace ir;

namespace {

// The operands of a meaning, by number.
constexpr std::string_view kOperands[] = {"x", "y", "z"};

bool is_name(const Expr& e, std::string_view name) { return e.kind == Expr::Kind::Name && e.name == name; }

// The expression of a row for the types of its operands, where it is a call without names of its own.
std::optional<Expr> only_call(const Function& f, const Op& op) {
  if (op.def->kind != OpKind::Elementwise || op.operands.empty()) return std::nullopt;
  Dtype first = f.type(op.operands[0]).dtype;
  for (ValueId v : op.operands)
    if (first == bool_) first = f.type(v).dtype;
  if (first == complex64) return std::nullopt;
  const auto& meanings = op.def->meanings;
  const auto at =
      std::find_if(meanings.begin(), meanings.end(), [&](const Meaning& m) { return applies(m.for_types, first); });
  if (at == meanings.end()) return std::nullopt;
  auto text = parse_row_text(at->text);
  if (!text.ok() || !text->lets.empty() || text->result.kind != Expr::Kind::Call) return std::nullopt;
  return std::move(text->result);
}

bool is_symbol_of(const Dim& d, const Dim& wanted, const DimFacts& facts) {
  return facts.equal(facts.simplify(d), wanted) == Tri::Yes;
}

}  // namespace

std::optional<ScalarOp> only_operation(const Function& f, const Op& op) {
  const auto call = only_call(f, op);
  if (!call || op.operands.size() > std::size(kOperands)) return std::nullopt;
  const auto scalar = parse_scalar_op(call->name);
  if (!scalar) return std::nullopt;
  const size_t count = op.operands.size();
  const bool converts = scalar == ScalarOp::Cast;
  if (call->args.size() != count + (converts ? 1 : 0) || (converts && !is_name(call->args.back(), "out")))
    return std::nullopt;
  for (size_t i = 0; i < count; ++i)
    if (!is_name(call->args[i], kOperands[i])) return std::nullopt;
  return scalar;
}

bool is_square(const Function& f, const Op& op) {
  const auto call = only_call(f, op);
  if (!call || parse_scalar_op(call->name) != ScalarOp::Mul || call->args.size() != 2) return false;
  const auto operand = [&](const Expr& e) {
    for (size_t i = 0; i < std::min(op.operands.size(), std::size(kOperands)); ++i)
      if (is_name(e, kOperands[i])) return op.operands[i];
    return kNone;
  };
  const ValueId left = operand(call->args[0]);
  return left != kNone && left == operand(call->args[1]);
}

bool is_same_elements(const Function& f, const Op& op) {
  const auto call = only_call(f, op);
  return call && call->name == "raw" && op.operands.size() == 1;
}

bool position_in_operand(const Function& f, const Op& op, ValueId v, std::vector<Dim>& at) {
  if (!only_moves_elements(op)) return false;
  const std::vector<Type> types{f.type(op.operands[0])};
  const IndexRule rule = op.def->index(op, types, f.type(v), at);
  if (rule.sources.size() != 1 || !rule.sources[0].within.empty() || !rule.lookups.empty()) return false;
  at = rule.sources[0].index;
  return true;
}

std::vector<Dim> position_in(const Shape& shape, DimFacts& facts) {
  std::vector<Dim> at;
  for (size_t k = 0; k < shape.size(); ++k) {
    const std::string name = "@" + std::to_string(k);
    facts.set_loop(name, shape[k]);
    at.push_back(Dim::symbol(name));
  }
  return at;
}

bool keeps_order(const Function& f, const Op& op) {
  if (!only_moves_elements(op) || !op.def->view) return false;
  const Type &from = f.type(op.operands[0]), &to = f.type(op.results[0]);
  if (f.facts.equal(from.size(), to.size()) != Tri::Yes) return false;
  const auto layout = op.def->view(op, {from.shape, row_major_strides(from.shape)}, to, f.facts);
  if (!layout || f.facts.equal(layout->offset, Dim(0)) != Tri::Yes) return false;
  const Dims dense = row_major_strides(to.shape);
  for (size_t k = 0; k < dense.size(); ++k)
    if (!to.shape[k].is(1) && f.facts.equal(layout->strides[k], dense[k]) != Tri::Yes) return false;
  return true;
}

bool swaps_last_axes(const Function& f, const Op& op) {
  const Shape &to = f.type(op.results[0]).shape, &from = f.type(op.operands[0]).shape;
  const size_t n = to.size();
  if (n < 2 || from.size() != n || from[n - 1] != to[n - 2] || from[n - 2] != to[n - 1]) return false;
  DimFacts facts = f.facts;
  const std::vector<Dim> wanted = position_in(to, facts);
  std::vector<Dim> at = wanted;
  return position_in_operand(f, op, op.results[0], at) && is_symbol_of(at[n - 1], wanted[n - 2], facts) &&
         is_symbol_of(at[n - 2], wanted[n - 1], facts);
}

bool spreads(const Function& f, const Op& op) {
  if (!only_moves_elements(op)) return false;
  const Shape &to = f.type(op.results[0]).shape, &from = f.type(op.operands[0]).shape;
  if (from.size() > to.size()) return false;
  DimFacts facts = f.facts;
  const std::vector<Dim> wanted = position_in(to, facts);
  std::vector<Dim> at = wanted;
  if (!position_in_operand(f, op, op.results[0], at)) return false;
  const size_t lead = to.size() - from.size();
  for (size_t k = 0; k < from.size(); ++k) {
    if (from[k].is(1)) continue;
    if (from[k] != to[lead + k] || !is_symbol_of(at[k], wanted[lead + k], facts)) return false;
  }
  return true;
}

}  // namespace frit::passes
