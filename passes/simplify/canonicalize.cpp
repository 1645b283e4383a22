// canonicalize: puts every op into one preferred form.
//
// It applies the equations of canonicalize_rules.cpp and the rules implied by a row's traits: f(f(x)) for involutions
// and idempotent rows, constants as the right operand of commutative rows, one broadcast for an arrangement of a
// scalar, elements in the place of reductions over axes of one element.
//
// The walk goes from operands to users. When it reaches an op, the operands are in final form; a replacement is built
// from final parts and visited in turn. A second run therefore finds nothing to do.
#include <array>
#include <unordered_map>

#include "passes/manager/pass.h"
#include "passes/simplify/equations.h"
#include "passes/simplify/fold.h"
#include "passes/simplify/rewrite.h"

namespace frit::passes {
namespace {

using namespace ir;

// Rewrites of one op after which the rules must be circular.
constexpr int kMostRewrites = 1000;

using RulesByRoot = std::unordered_map<const OpDef*, std::vector<const Equation*>>;  // looked up, never iterated

const RulesByRoot& rules_by_root(const std::vector<Equation>& equations) {
  // Never destroyed: static destructors may compile.
  static const RulesByRoot& rules = *[&] {
    auto* by_root = new RulesByRoot;
    for (const Equation& e : equations) (*by_root)[e.left.def].push_back(&e);
    return by_root;
  }();
  return rules;
}

struct Binding {
  ValueId value = kNone;
  std::optional<Attr> attr;
};
using Bindings = std::vector<Binding>;

// The first variable of the left side that stands for a value; it decides which element type an equation is about.
std::optional<ValueId> first_value(const Bindings& bindings) {
  for (const Binding& b : bindings)
    if (b.value != kNone) return b.value;
  return std::nullopt;
}

const Attr& attr_or_fallback(const Op& op, const std::string& name) {
  if (const Attr* given = op.attrs.find(name)) return *given;
  for (const AttrSpec& spec : op.def->attrs)
    if (spec.name == name) return spec.fallback;
  std::abort();  // the equation parser has checked that the row has the attribute
}

class EquationMatcher {
 public:
  EquationMatcher(const Function& f, const Equation& e) : bindings(e.variables.size()), f_(f) {}

  Bindings bindings;

  bool match_op(const Term& t, const Op& op) {
    if (op.def != t.def || op.results.size() != 1 || op.operands.size() != t.operands.size()) return false;
    for (const Term::AttrTerm& attr : t.attrs)
      if (!bind_attr(attr.variable, attr_or_fallback(op, attr.name))) return false;
    Bindings before = bindings;
    if (match_operands(t, op, false)) return true;
    if (!op.def->has(kCommutative) || op.operands.size() != 2) return false;
    bindings = std::move(before);
    return match_operands(t, op, true);
  }

 private:
  bool match_operands(const Term& t, const Op& op, bool swapped) {
    for (size_t i = 0; i < t.operands.size(); ++i)
      if (!match(t.operands[i], op.operands[swapped ? 1 - i : i])) return false;
    return true;
  }

  bool match(const Term& t, ValueId v) {
    switch (t.kind) {
      case Term::Kind::Variable: return bind_value(t.variable, v);
      case Term::Kind::Constant: return splat_bits(f_, v) && bind_value(t.variable, v);
      case Term::Kind::Literal: {
        auto bits = splat_bits(f_, v);
        return bits && bits == literal_bits(t, f_.type(v).dtype);
      }
      case Term::Kind::Row: {
        const Op* op = f_.def_of(v);
        return op && match_op(t, *op) && (t.variable < 0 || bind_value(t.variable, v));
      }
    }
    return false;
  }

  bool bind_value(int variable, ValueId v) {
    Binding& b = bindings[static_cast<size_t>(variable)];
    if (b.value == kNone) b.value = v;
    return b.value == v;
  }
  bool bind_attr(int variable, const Attr& attr) {
    Binding& b = bindings[static_cast<size_t>(variable)];
    if (!b.attr) b.attr = attr;
    return equal(*b.attr, attr);
  }

  const Function& f_;
};

class Canonicalizer {
 public:
  Canonicalizer(Function& f, PassContext& context, const std::vector<Equation>& equations)
      : rewriter_(f), f_(f), context_(context), rules_(rules_by_root(equations)) {}

  Result<bool> run() {
    for (Op& op : rewriter_.old_ops()) {
      rewriter_.resolve_operands(op);
      if (op.results.size() != 1) {
        rewriter_.keep(std::move(op));
        continue;
      }
      ValueId old = op.results[0];
      rewriter_.keep(std::move(op));
      rewrites_ = 0;
      ValueId now = simplify(old);
      if (now != old) rewriter_.replace(old, now);
      if (rewrites_ > kMostRewrites) {
        rewriter_.finish();
        return Diagnostic("internal error: the rules of canonicalize do not terminate on this function");
      }
    }
    return rewriter_.finish();
  }

 private:
  ValueId simplify(ValueId v) {
    while (rewrites_ <= kMostRewrites) {
      std::optional<ValueId> next = step(v);
      if (!next) break;
      ++rewrites_;
      v = *next;
    }
    return v;
  }

  // The replacement of the defining op of `v`, or nothing.
  std::optional<ValueId> step(ValueId v) {
    const Op* op = f_.def_of(v);
    if (!op || op->results.size() != 1 || op->def->kind == OpKind::Constant) return std::nullopt;
    constant_to_the_right(f_.values[v].op);
    if (auto r = by_traits(*op)) return r;
    if (auto r = one_broadcast(v)) return r;
    if (auto r = below_broadcasts(v)) return r;
    if (auto r = one_element(v)) return r;
    auto rules = rules_.find(op->def);
    if (rules == rules_.end()) return std::nullopt;
    for (const Equation* e : rules->second)
      if (auto r = apply(*e, v)) return r;
    return std::nullopt;
  }

  void constant_to_the_right(uint32_t index) {
    Op& op = f_.ops[index];
    if (!op.def->has(kCommutative) || op.operands.size() != 2) return;
    if (is_constant(f_, op.operands[1]) || !is_constant(f_, op.operands[0])) return;
    std::swap(op.operands[0], op.operands[1]);
    rewriter_.touch();
  }

  std::optional<ValueId> by_traits(const Op& op) {
    if (op.operands.size() != 1) return std::nullopt;
    const Op* inner = f_.def_of(op.operands[0]);
    if (!inner || inner->def != op.def || inner->operands.size() != 1 || !(inner->attrs == op.attrs))
      return std::nullopt;
    const Type& type = f_.type(op.results[0]);
    if (op.def->has(kInvolution) && f_.type(inner->operands[0]) == type) {
      remark(op.def->name, " applied twice is the identity", op.loc);
      return inner->operands[0];
    }
    if (op.def->has(kIdempotent) && f_.type(op.operands[0]) == type) {
      remark(op.def->name, " applied twice is the same as once", op.loc);
      return op.operands[0];
    }
    return std::nullopt;
  }

  // An arrangement of a broadcast scalar is a broadcast of the scalar.
  std::optional<ValueId> one_broadcast(ValueId v) {
    const Op& op = *f_.def_of(v);
    if (!only_moves_elements(op)) return std::nullopt;
    const Op* under = f_.def_of(op.operands[0]);
    if (!under || !only_moves_elements(*under)) return std::nullopt;
    ValueId scalar = under->operands[0];
    if (f_.type(scalar).rank() != 0 || f_.type(scalar).dtype != f_.type(v).dtype) return std::nullopt;
    remark(op.def->name, " of a broadcast scalar is a broadcast", op.loc);
    rewriter_.builder().loc = op.loc;
    return rewriter_.builder().broadcast(scalar, Shape(f_.type(v).shape));
  }

  // Elementwise work on values that are broadcast along the same axes is work on the smaller values, and its result is
  // broadcast. A copy stays: it asks for elements of its own.
  std::optional<ValueId> below_broadcasts(ValueId v) {
    const Op& op = *f_.def_of(v);
    if (op.def->kind != OpKind::Elementwise || op.def->has(kIdempotent)) return std::nullopt;
    const Shape full = f_.type(v).shape;
    Shape small(full.size(), Dim(1));
    size_t rank = 0;
    bool varies = false;
    for (ValueId o : op.operands) {
      const Shape& from = f_.type(under_broadcast(o)).shape;
      rank = std::max(rank, from.size());
      varies = varies || !is_constant(f_, o);
      for (size_t i = 0; i < from.size(); ++i)
        if (!from[i].is(1)) small[full.size() - from.size() + i] = full[full.size() - from.size() + i];
    }
    if (!varies || small == full) return std::nullopt;
    small.erase(small.begin(), small.end() - static_cast<ptrdiff_t>(rank));
    remark(op.def->name, " of broadcast values is computed before they are broadcast", op.loc);
    const OpDef& def = *op.def;
    AttrMap attrs = op.attrs;
    std::vector<ValueId> operands = op.operands;
    Builder& b = rewriter_.builder();
    b.loc = op.loc;
    for (ValueId& o : operands)
      if (o = under_broadcast(o); f_.type(o).shape != small) o = b.broadcast(o, small);
    const std::optional<ValueId> made = rewriter_.try_build(def, std::move(operands), std::move(attrs));
    if (!made) return std::nullopt;
    return b.broadcast(simplify(*made), full);
  }

  // A reduction over axes of one element each is that element, behind the identity that reductions begin with: of
  // these, only the zero of a sum of floats changes a bit, the sign of -0.0.
  std::optional<ValueId> one_element(ValueId v) {
    const Op& op = *f_.def_of(v);
    if (op.def->kind != OpKind::Reduction) return std::nullopt;
    const ValueId x = op.operands[0];
    const Type from = f_.type(x), to = f_.type(v);
    const Combine combine = op.def->combine;
    const bool sums = combine == Combine::Sum, places = combine == Combine::ArgMax || combine == Combine::ArgMin;
    if (is_complex(from.dtype) && !sums) return std::nullopt;
    for (const int64_t axis : op.attrs.get_ints("axes"))
      if (!from.shape[static_cast<size_t>(axis)].is(1)) return std::nullopt;
    remark(op.def->name, " over axes of one element is that element", op.loc);
    Builder& b = rewriter_.builder();
    b.loc = op.loc;
    if (places) return build_splat(b, to, 0);
    ValueId element = x;
    if (from.dtype != to.dtype) element = simplify(b.cast(element, to.dtype));
    if (from.shape != to.shape) element = simplify(b.build("reshape", {element}, {{"shape", Dims(to.shape)}}));
    if (sums && !is_int(to.dtype)) element = b.build("add", {element, build_splat(b, to, 0)});
    return simplify(element);
  }

  // The value that `v` is a broadcast of, or `v` itself.
  ValueId under_broadcast(ValueId v) const {
    static const OpDef& broadcast = ir::op("broadcast");
    const Op* op = f_.def_of(v);
    return op && op->def == &broadcast ? op->operands[0] : v;
  }

  std::optional<ValueId> apply(const Equation& e, ValueId v) {
    EquationMatcher matcher(f_, e);
    if (!matcher.match_op(e.left, *f_.def_of(v))) return std::nullopt;
    std::optional<ValueId> first = first_value(matcher.bindings);
    if (first && !e.holds_for(f_.type(*first).dtype)) return std::nullopt;
    if (e.condition && !e.condition->holds(f_, arguments(e.condition_args, matcher.bindings))) return std::nullopt;

    const size_t ops = f_.ops.size(), values = f_.values.size();
    const Type type = f_.type(v);
    const SourceLoc loc = f_.def_of(v)->loc;
    rewriter_.builder().loc = loc;
    std::optional<ValueId> result = build_root(e, v, matcher.bindings);
    if (!result || !(f_.type(*result) == type)) {
      rewriter_.roll_back(ops, values);
      return std::nullopt;
    }
    if (context_.collect_remarks) context_.remark(f_, "applied " + e.text, loc);
    return result;
  }

  std::vector<EquationArg> arguments(const std::vector<int>& variables, const Bindings& bindings) {
    std::vector<EquationArg> args;
    for (int i : variables) {
      const Binding& b = bindings[static_cast<size_t>(i)];
      args.push_back({b.value, b.attr ? &*b.attr : nullptr});
    }
    return args;
  }

  std::optional<ValueId> build_root(const Equation& e, ValueId root, const Bindings& bindings) {
    if (e.right.kind == Term::Kind::Literal) return build_literal(e.right, Type(f_.type(root)));
    return build(e, e.right, root, bindings);
  }

  std::optional<ValueId> build_literal(const Term& t, const Type& type) {
    auto bits = literal_bits(t, type.dtype);
    if (!bits) return std::nullopt;
    return build_splat(rewriter_.builder(), type, *bits);
  }

  std::optional<ValueId> build(const Equation& e, const Term& t, ValueId root, const Bindings& bindings) {
    switch (t.kind) {
      case Term::Kind::Variable:
      case Term::Kind::Constant: return bindings[static_cast<size_t>(t.variable)].value;
      case Term::Kind::Literal: {
        std::optional<ValueId> first = first_value(bindings);
        return build_literal(t, Type{f_.type(first.value_or(root)).dtype, f_.type(root).shape});
      }
      case Term::Kind::Row: break;
    }
    std::vector<ValueId> operands;
    for (const Term& operand : t.operands) {
      auto v = build(e, operand, root, bindings);
      if (!v) return std::nullopt;
      operands.push_back(*v);
    }
    AttrMap attrs;
    if (t.def == e.left.def) attrs = f_.def_of(root)->attrs;
    for (const Term::AttrTerm& attr : t.attrs) {
      if (attr.function)
        attrs.set(attr.name, attr.function->apply(f_, arguments(attr.args, bindings)));
      else
        attrs.set(attr.name, *bindings[static_cast<size_t>(attr.variable)].attr);
    }
    auto v = rewriter_.try_build(*t.def, std::move(operands), std::move(attrs));
    if (!v) return std::nullopt;
    if (auto bits = fold_splat(f_, *f_.def_of(*v), context_.target))
      return build_splat(rewriter_.builder(), Type(f_.type(*v)), *bits);
    return simplify(*v);
  }

  void remark(std::string_view row, std::string_view what, SourceLoc loc) {
    if (context_.collect_remarks) context_.remark(f_, std::string(row) + std::string(what), loc);
  }

  Rewriter rewriter_;
  Function& f_;
  PassContext& context_;
  const RulesByRoot& rules_;
  int rewrites_ = 0;
};

Result<bool> run_canonicalize(Function& f, PassContext& context) {
  const auto& equations = canonicalize_equations();
  if (!equations) return Diagnostic("internal error: " + equations.error().message);
  return Canonicalizer(f, context, *equations).run();
}

const RegisterPass canonicalize_pass({
    .name = "canonicalize",
    .doc = "rewrites ops into one preferred form by exact algebraic rules",
    .needs = Level::Graph,
    .most = Level::Expanded,
    .gives = Level::Graph,
    .run = run_canonicalize,
});

}  // namespace
}  // namespace frit::passes
