// Reverse accumulation: each row's cotangents from those of its results.
#include "passes/transform/reverse.h"

#include <algorithm>

#include "passes/manager/pass.h"

namespace frit::passes {

using namespace ir;

namespace {

bool any_inexact(const Function& f, const std::vector<ValueId>& values) {
  return std::any_of(values.begin(), values.end(), [&](ValueId v) { return is_inexact(f.type(v).dtype); });
}

}  // namespace

Result<Function> expanded(const Function& f) {
  Function out = f;
  PassContext context;
  context.pass = "expand_composites";
  FRIT_TRY(find_pass(context.pass)->run(out, context));
  return out;
}

bool flows(const Function& f, const Op& op) {
  return !op.def->has(kNoGradient) && any_inexact(f, op.operands) && any_inexact(f, op.results);
}

ValueId factor(Builder& b, const Op& op, size_t i) {
  return derivative(b, *op.def, static_cast<int>(i), op.operands, op.results[0]);
}

Status check_sources(const Function& f, const std::vector<size_t>& wrt, const char* what) {
  for (size_t i : wrt) {
    if (i >= f.params.size())
      return Diagnostic(std::string(what) + ": there is no argument " + std::to_string(i) + " among " +
                        std::to_string(f.params.size()));
    const Type& type = f.type(f.params[i]);
    if (!is_inexact(type.dtype))
      return Diagnostic(std::string(what) + ": argument " + std::to_string(i) + " is " + type.str() +
                            ", and derivatives are with respect to floats and complex numbers",
                        {}, "convert it with 'astype', or leave it out");
  }
  return {};
}

Reverse::Reverse(Builder& b, const std::vector<ValueId>& sources)
    : b_(b), sources_(sources), active_(sources.begin(), sources.end()) {}

void Reverse::seed(ValueId value, ValueId cotangent) {
  if (!is_inexact(b_.type(value).dtype)) return;
  const auto [known, fresh] = cotangents_.emplace(value, cotangent);
  if (!fresh) known->second = b_.build("add", {known->second, cotangent});
}

ValueId Reverse::cotangent(ValueId value) {
  const auto found = cotangents_.find(value);
  return found == cotangents_.end() ? b_.splat(0, b_.type(value)) : found->second;
}

Status Reverse::run(size_t first, size_t last) {
  for (size_t i = first; i < last; ++i) {
    const Op& op = b_.function().ops[i];
    if (flows(b_.function(), op) &&
        std::any_of(op.operands.begin(), op.operands.end(), [&](ValueId v) { return active(v); }))
      active_.insert(op.results.begin(), op.results.end());
  }
  for (size_t i = last; i-- > first;) {
    // A copy: the rules append ops.
    const Op op = b_.function().ops[i];
    const bool wanted =
        std::any_of(op.results.begin(), op.results.end(), [&](ValueId v) { return active(v) && cotangents_.count(v); });
    if (wanted) FRIT_TRY(visit(op));
  }
  return {};
}

Status Reverse::visit(const Op& op) {
  b_.loc = op.loc;
  const auto takes = [&](ValueId v) { return active(v) && is_inexact(b_.type(v).dtype); };
  if (op.def->vjp) {
    std::vector<ValueId> given;
    for (ValueId r : op.results) given.push_back(cotangent(r));
    const std::vector<ValueId> found = op.def->vjp(b_, op, op.operands, op.results, given);
    for (size_t k = 0; k < op.operands.size() && k < found.size(); ++k)
      if (found[k] != kNone && takes(op.operands[k])) seed(op.operands[k], found[k]);
    return {};
  }
  if (op.def->kind != OpKind::Elementwise)
    return Diagnostic("op '" + std::string(op.def->name) + "' has no derivative", op.loc,
                      "keep it out of the function with 'stop_gradient', or write it in other operations");
  const ValueId given = cotangent(op.results[0]);
  const Dtype out = b_.type(given).dtype;
  for (size_t k = 0; k < op.operands.size(); ++k) {
    if (!takes(op.operands[k]) || k >= op.def->derivatives.size() || op.def->derivatives[k].empty()) continue;
    const Dtype in = b_.type(op.operands[k]).dtype;
    ValueId d = factor(b_, op, k);
    // A real result of a complex operand (abs) has its gradient as its factor.
    const Dtype meet = is_complex(in) || is_complex(b_.type(d).dtype) ? complex64 : out;
    d = b_.cast(d, meet);
    if (is_complex(out)) d = b_.build("conjugate", {d});
    seed(op.operands[k], b_.cast(b_.build("multiply", {b_.cast(given, meet), d}), in));
  }
  return {};
}

}  // namespace frit::passes
