// jvp: products of the Jacobian with tangents, by forward accumulation.
#include "passes/transform/reverse.h"
#include "passes/transform/transform.h"

namespace frit::passes {
namespace {

using namespace ir;

class Forward {
 public:
  explicit Forward(Builder& b) : b_(b) {}

  void set(ValueId value, ValueId tangent) { tangents_[value] = tangent; }
  ValueId tangent(ValueId value) {
    const auto found = tangents_.find(value);
    return found == tangents_.end() ? b_.splat(0, b_.type(value)) : found->second;
  }

  Status visit(const Op& op) {
    if (!flows(b_.function(), op)) return {};
    std::vector<size_t> moving;
    for (size_t k = 0; k < op.operands.size(); ++k)
      if (tangents_.count(op.operands[k])) moving.push_back(k);
    if (moving.empty()) return {};
    b_.loc = op.loc;
    if (op.def->jvp) return own_rule(op);
    if (op.def->vjp) return transpose(op, moving);
    if (op.def->kind != OpKind::Elementwise)
      return Diagnostic("op '" + std::string(op.def->name) + "' has no derivative", op.loc,
                        "keep it out of the function with 'stop_gradient', or write it in other operations");
    for (size_t k : moving) {
      if (k >= op.def->derivatives.size() || op.def->derivatives[k].empty()) continue;
      add(op.results[0], scaled(op, k));
    }
    return {};
  }

 private:
  void add(ValueId value, ValueId tangent) {
    const auto [known, fresh] = tangents_.emplace(value, tangent);
    if (!fresh) known->second = b_.build("add", {known->second, tangent});
  }

  ValueId scaled(const Op& op, size_t k) {
    const Dtype out = b_.type(op.results[0]).dtype;
    ValueId t = tangents_.at(op.operands[k]), d = factor(b_, op, k);
    const bool complex = is_complex(b_.type(t).dtype) || is_complex(b_.type(d).dtype);
    const Dtype meet = complex ? complex64 : out;
    t = b_.cast(t, meet), d = b_.cast(d, meet);
    // The factor of a real result of a complex operand is a gradient: the tangent's part along it counts.
    if (complex && !is_complex(out))
      return b_.cast(b_.build("real", {b_.build("multiply", {b_.build("conjugate", {d}), t})}), out);
    return b_.build("multiply", {t, d});
  }

  Status own_rule(const Op& op) {
    std::vector<ValueId> given;
    for (ValueId v : op.operands) given.push_back(tangents_.count(v) ? tangents_.at(v) : kNone);
    const std::vector<ValueId> found = op.def->jvp(b_, op, op.operands, op.results, given);
    for (size_t r = 0; r < op.results.size(); ++r) add(op.results[r], found[r]);
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
      if (k < found.size() && found[k] != kNone) reverse.seed(found[k], tangents_.at(op.operands[k]));
    FRIT_TRY(reverse.run(first, last));
    for (size_t r = 0; r < op.results.size(); ++r)
      if (is_inexact(b_.type(op.results[r]).dtype)) add(op.results[r], reverse.cotangent(given[r]));
    return {};
  }

  Builder& b_;
  std::unordered_map<ValueId, ValueId> tangents_;
};

}  // namespace

Result<ir::Function> jvp(const ir::Function& f, const std::vector<size_t>& wrt) {
  FRIT_TRY(check_sources(f, wrt, "jvp"));
  FRIT_ASSIGN_OR_RETURN(out, expanded(f));
  const size_t ops = out.ops.size();
  Builder b(out);
  Forward forward(b);
  for (size_t i : wrt) {
    const ValueId param = out.params[i];
    forward.set(param, out.add_param("tangent" + std::to_string(i), Type(out.type(param))));
  }
  for (size_t i = 0; i < ops; ++i) {
    const Op op = out.ops[i];  // a copy: the rules append ops
    FRIT_TRY(forward.visit(op));
  }
  const std::vector<ValueId> results = out.results;
  for (ValueId r : results) out.results.push_back(forward.tangent(r));
  out.result_names.clear();
  out.canonicalize_order();
  return out;
}

}  // namespace frit::passes
