// Reverse accumulation: each row's cotangents from those of its results.
#include "passes/transform/reverse.h"

#include <algorithm>

#include "passes/manager/pass.h"
#include "passes/transform/control.h"

namespace frit::passes {

using namespace ir;

Result<Function> expanded(const Function& f) {
  Function out = f;
  PassContext context;
  context.pass = "expand_composites";
  FRIT_TRY(find_pass(context.pass)->run(out, context));
  return out;
}

bool flows(const Op& op) { return !op.def->has(kNoGradient); }

namespace {

// Whether the row adds updates to its operand: the derivatives of its step are 1.
bool adds(const OpDef& def) {
  if (def.kind != OpKind::Scatter || def.step.empty()) return false;
  const std::vector<std::string_view>& factors = op(def.step).derivatives;
  return factors.size() == 2 && factors[0] == "1" && factors[1] == "1";
}

// Whether `v` is a zero, broadcast.
bool is_zeros(const Function& f, ValueId v) {
  const Op* op = f.def_of(v);
  while (op && op->def->kind == OpKind::Index && op->operands.size() == 1) op = f.def_of(op->operands[0]);
  if (!op || op->def->kind != OpKind::Constant) return false;
  const auto& literal = std::get<Literal>(*op->attrs.find("value"));
  return literal.count() == 1 && literal.bits(0) == 0;
}

// `sum` with the updates of `term`, which are added to zeros: one array, and no pass over it. kNone for other terms.
ValueId scattered_onto(Builder& b, ValueId sum, ValueId term) {
  const Op* found = b.function().def_of(term);
  if (!found || !adds(*found->def) || !is_zeros(b.function(), found->operands[0])) return kNone;
  const Op scatter = *found;
  std::vector<ValueId> operands = scatter.operands;
  operands[0] = sum;
  return b.build(*scatter.def, std::move(operands), scatter.attrs);
}

}  // namespace

void Sums::add(ValueId value, ValueId term) {
  const auto [known, fresh] = of_.emplace(value, term);
  if (fresh) return;
  ValueId sum = scattered_onto(b_, known->second, term);
  if (sum == kNone) sum = scattered_onto(b_, term, known->second);
  known->second = sum != kNone ? sum : b_.build("add", {known->second, term});
}

ValueId Sums::of(ValueId value) {
  const auto found = of_.find(value);
  return found == of_.end() ? b_.splat(0, b_.type(value)) : found->second;
}

bool has_factor(const Op& op, size_t i) { return i < op.def->derivatives.size() && !op.def->derivatives[i].empty(); }

Status check_has_factors(const Op& op) {
  if (op.def->kind == OpKind::Elementwise) return {};
  return Diagnostic("op '" + std::string(op.def->name) + "' has no derivative", op.loc,
                    "keep it out of the function with 'stop_gradient', or write it in other operations");
}

ValueId factor(Builder& b, const Op& op, size_t i) {
  return derivative(b, *op.def, static_cast<int>(i), op.operands, op.results[0]);
}

Status check_sources(const Function& f, const std::vector<size_t>& wrt) {
  for (size_t i : wrt) {
    if (i >= f.params.size())
      return Diagnostic("there is no argument " + std::to_string(i) + " among " + std::to_string(f.params.size()), {},
                        "count arguments from 0");
  }
  return {};
}

namespace {

// The operands that hold positions.
std::vector<size_t> positions_of(const Function& f, const Op& op) {
  std::vector<size_t> out;
  if (!op.def->index) return out;
  std::vector<Type> types;
  for (ValueId v : op.operands) types.push_back(f.type(v));
  // A scatter's rule is at positions of the updates.
  const Type& at_type = op.def->kind == OpKind::Scatter ? types.back() : f.type(op.results[0]);
  std::vector<Dim> at;
  for (int i = 0; i < at_type.rank(); ++i) at.push_back(Dim::symbol("#" + std::to_string(i)));
  for (const Lookup& lookup : op.def->index(op, types, f.type(op.results[0]), at).lookups)
    out.push_back(static_cast<size_t>(lookup.operand));
  return out;
}

}  // namespace

Status check_positions(const Function& f, const std::vector<size_t>& wrt) {
  std::unordered_set<ValueId> moving;
  for (size_t i : wrt)
    if (!is_inexact(f.type(f.params[i]).dtype)) moving.insert(f.params[i]);
  if (moving.empty()) return {};
  for (const Op& op : f.ops) {
    const auto moves = [&](ValueId v) { return moving.count(v) != 0; };
    if (!flows(op) || std::none_of(op.operands.begin(), op.operands.end(), moves)) continue;
    for (size_t k : positions_of(f, op))
      if (moves(op.operands[k]))
        return Diagnostic("op '" + std::string(op.def->name) + "' has no derivative with respect to its positions",
                          op.loc, "leave the integers out of the arguments to differentiate, or use 'stop_gradient'");
    for (ValueId r : op.results)
      if (!is_inexact(f.type(r).dtype)) moving.insert(r);
  }
  return {};
}

Reverse::Reverse(Builder& b, const std::vector<ValueId>& sources)
    : b_(b), active_(sources.begin(), sources.end()), cotangents_(b) {}

void Reverse::seed(ValueId value, ValueId cotangent) {
  cotangents_.add(value, b_.cast(cotangent, b_.type(value).dtype));
}

Status Reverse::run(size_t first, size_t last) {
  for (size_t i = first; i < last; ++i) {
    const Op& op = b_.function().ops[i];
    if (flows(op) && std::any_of(op.operands.begin(), op.operands.end(), [&](ValueId v) { return active(v); }))
      active_.insert(op.results.begin(), op.results.end());
  }
  for (size_t i = last; i-- > first;) {
    // A copy: the rules append ops.
    const Op op = b_.function().ops[i];
    const bool wanted =
        std::any_of(op.results.begin(), op.results.end(), [&](ValueId v) { return active(v) && cotangents_.has(v); });
    if (wanted) FRIT_TRY(visit(op));
  }
  return {};
}

Status Reverse::visit(const Op& op) {
  b_.loc = op.loc;
  if (op.def->kind == OpKind::Control) {
    std::vector<bool> sources;
    const auto whole = [&](ValueId v) { return !is_inexact(b_.type(v).dtype); };
    for (ValueId v : op.operands) sources.push_back(active(v) && !whole(v));
    std::vector<ValueId> given;
    for (ValueId r : op.results) given.push_back(cotangents_.has(r) && !whole(r) ? cotangents_.of(r) : kNone);
    FRIT_ASSIGN_OR_RETURN(found, control_vjp(b_, op, sources, given));
    for (size_t k = 0; k < op.operands.size(); ++k)
      if (found[k] != kNone && sources[k]) seed(op.operands[k], found[k]);
    return {};
  }
  if (op.def->vjp) {
    std::vector<ValueId> given;
    for (ValueId r : op.results) given.push_back(cotangent(r));
    const std::vector<ValueId> found = op.def->vjp(b_, op, op.operands, op.results, given);
    for (size_t k = 0; k < op.operands.size() && k < found.size(); ++k)
      if (found[k] != kNone && active(op.operands[k])) seed(op.operands[k], found[k]);
    return {};
  }
  FRIT_TRY(check_has_factors(op));
  const ValueId given = cotangent(op.results[0]);
  const Dtype out = b_.type(given).dtype;
  for (size_t k = 0; k < op.operands.size(); ++k) {
    if (!active(op.operands[k]) || !has_factor(op, k)) continue;
    const Dtype in = b_.type(op.operands[k]).dtype;
    ValueId d = factor(b_, op, k);
    // A real result of a complex operand (abs) has its gradient as its factor.
    const Dtype of_factor = b_.type(d).dtype;
    const Dtype meet = is_complex(in) || is_complex(of_factor)     ? complex64
                       : is_inexact(of_factor) && !is_inexact(out) ? of_factor
                                                                   : out;
    d = b_.cast(d, meet);
    if (is_complex(out)) d = b_.build("conjugate", {d});
    seed(op.operands[k], b_.cast(b_.build("multiply", {b_.cast(given, meet), d}), in));
  }
  return {};
}

}  // namespace frit::passes
