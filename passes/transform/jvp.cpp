// jvp: products of the Jacobian with tangents, by forward accumulation.
#include "ir/graph/custom.h"
#include "passes/transform/control.h"
#include "passes/transform/reverse.h"
#include "passes/transform/transform.h"

namespace frit::passes {
namespace {

using namespace ir;

class Forward {
 public:
  explicit Forward(Builder& b) : b_(b), tangents_(b) {}

  void add(ValueId value, ValueId tangent) { tangents_.add(value, tangent); }
  ValueId tangent(ValueId value) { return tangents_.of(value); }

  // A value without a derivative fails only where a result needs it: a rule of the user may stand for its function.
  void visit(const Op& op) {
    if (!flows(op)) return;
    std::vector<size_t> moving;
    for (size_t k = 0; k < operands_with_tangents(op); ++k) {
      if (const auto found = failures_.find(op.operands[k]); found != failures_.end()) {
        const Diagnostic failure = found->second;
        for (ValueId r : op.results) failures_.emplace(r, failure);
        return;
      }
      if (tangents_.has(op.operands[k])) moving.push_back(k);
    }
    if (moving.empty()) return;
    b_.loc = op.loc;
    if (const Status status = follow(op, moving); !status.ok())
      for (ValueId r : op.results) failures_.emplace(r, status.error());
  }

  // Fails with the reason where a value has no tangent.
  Status check(ValueId value) const {
    const auto found = failures_.find(value);
    return found == failures_.end() ? Status() : Status(found->second);
  }

 private:
  Status follow(const Op& op, const std::vector<size_t>& moving) {
    if (op.def->kind == OpKind::Control) return control(op);
    if (op.def->jvp) return own_rule(op);
    if (op.def->vjp) return transpose(op, moving);
    FRIT_TRY(check_has_factors(op));
    for (size_t k : moving)
      if (has_factor(op, k)) add(op.results[0], scaled(op, k));
    return {};
  }

  ValueId scaled(const Op& op, size_t k) {
    const Dtype out = b_.type(op.results[0]).dtype;
    ValueId t = tangents_.of(op.operands[k]), d = factor(b_, op, k);
    const bool complex = is_complex(b_.type(t).dtype) || is_complex(b_.type(d).dtype);
    const Dtype of_factor = b_.type(d).dtype;
    const Dtype meet = complex ? complex64 : is_inexact(of_factor) && !is_inexact(out) ? of_factor : out;
    t = b_.cast(t, meet), d = b_.cast(d, meet);
    // The factor of a real result of a complex operand is a gradient: the tangent's part along it counts.
    if (complex && !is_complex(out))
      return b_.cast(b_.build("real", {b_.build("multiply", {b_.build("conjugate", {d}), t})}), out);
    return b_.cast(b_.build("multiply", {t, d}), out);
  }

  Status own_rule(const Op& op) {
    std::vector<ValueId> given;
    for (ValueId v : op.operands) given.push_back(tangents_.has(v) ? tangents_.of(v) : kNone);
    const std::vector<ValueId> found = op.def->jvp(b_, op, op.operands, op.results, given);
    for (size_t r = 0; r < op.results.size(); ++r) add(op.results[r], found[r]);
    return {};
  }

  Status control(const Op& op) {
    std::vector<ValueId> given;
    for (ValueId v : op.operands) {
      const bool moves = tangents_.has(v) && is_inexact(b_.type(v).dtype);
      given.push_back(moves ? tangents_.of(v) : kNone);
    }
    FRIT_ASSIGN_OR_RETURN(found, control_jvp(b_, op, given));
    for (size_t r = 0; r < found.size(); ++r)
      if (found[r] != kNone) add(op.results[r], found[r]);
    return {};
  }

  // The row's vjp is linear in the cotangents, so its own vjp with the tangents as cotangents is the jvp.
  Status transpose(const Op& op, const std::vector<size_t>& moving) {
    std::vector<ValueId> given;
    const size_t first = b_.function().ops.size();
    for (ValueId r : op.results) {
      // A copy, as a value of its own that derivatives are taken with respect to.
      given.push_back(b_.build("copy", {b_.splat(0, b_.type(r))}));
    }
    const std::vector<ValueId> found = op.def->vjp(b_, op, op.operands, op.results, given);
    const size_t last = b_.function().ops.size();
    Reverse reverse(b_, given);
    for (size_t k : moving)
      if (k < found.size() && found[k] != kNone) reverse.seed(found[k], tangents_.of(op.operands[k]));
    FRIT_TRY(reverse.run(first, last));
    for (size_t r = 0; r < op.results.size(); ++r) add(op.results[r], reverse.cotangent(given[r]));
    return {};
  }

  Builder& b_;
  Sums tangents_;
  std::unordered_map<ValueId, Diagnostic> failures_;
};

}  // namespace

Result<ir::Function> jvp(const ir::Function& f, const std::vector<size_t>& wrt) {
  FRIT_TRY(check_sources(f, wrt));
  FRIT_ASSIGN_OR_RETURN(out, expanded(f));
  FRIT_TRY(check_positions(out, wrt));
  const size_t ops = out.ops.size();
  Builder b(out);
  Forward forward(b);
  for (size_t i : wrt) {
    const ValueId param = out.params[i];
    forward.add(param, out.add_param("tangent" + std::to_string(i), Type(out.type(param))));
  }
  for (size_t i = 0; i < ops; ++i) {
    const Op op = out.ops[i];  // a copy: the rules append ops
    forward.visit(op);
  }
  const std::vector<ValueId> results = out.results;
  for (ValueId r : results) {
    FRIT_TRY(forward.check(r));
    out.results.push_back(forward.tangent(r));
  }
  out.result_names.clear();
  out.canonicalize_order();
  return out;
}

}  // namespace frit::passes
