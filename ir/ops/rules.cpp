#include "ir/ops/rules.h"

namespace frit::ir::rules {

std::string list(std::span<const Type> types) {
  std::string s;
  for (size_t i = 0; i < types.size(); ++i) s += (i == 0 ? "" : i + 1 < types.size() ? ", " : " and ") + types[i].str();
  return s;
}

std::vector<int> axes(const Op& op) {
  std::vector<int> out;
  for (int64_t a : op.attrs.get_ints("axes")) out.push_back(static_cast<int>(a));
  return out;
}

Shape keep_dims(Shape shape, const std::vector<int>& axes) {
  for (int a : axes) shape[static_cast<size_t>(a)] = 1;
  return shape;
}

ValueId reshape(Builder& b, ValueId v, const Shape& shape) {
  return b.type(v).shape == shape ? v : b.build("reshape", {v}, {{"shape", Dims(shape)}});
}

ValueId spread(Builder& b, ValueId v, const Shape& shape, const std::vector<int>& axes) {
  return b.broadcast(reshape(b, v, keep_dims(shape, axes)), shape);
}

ValueId reduce(Builder& b, std::string_view row, ValueId v, const std::vector<int>& axes, bool keepdims) {
  return b.build(row, {v}, {{"axes", to_dims(axes)}, {"keepdims", keepdims}});
}

ValueId count(Builder& b, const Dim& d, Dtype dtype) {
  if (d.is_const()) return b.constant(Literal::scalar_int(dtype, d.value()));
  return b.build("iota", {}, {{"shape", Dims{}}, {"dtype", dtype}, {"start", d}});
}

ValueId sum_to(Builder& b, ValueId v, const Shape& shape) {
  const Shape from = b.type(v).shape;
  std::vector<int> over;
  size_t lead = from.size() - shape.size();
  for (size_t i = 0; i < from.size(); ++i)
    if (i < lead || (shape[i - lead].is(1) && !from[i].is(1))) over.push_back(static_cast<int>(i));
  Dtype dtype = b.type(v).dtype;
  if (!over.empty()) v = b.cast(reduce(b, "sum", v, over, false), dtype);
  return reshape(b, v, shape);
}

Dim expose_multiples(const Dim& d, const DimFacts& facts) {
  return d.substitute([&](const std::string& name) -> std::optional<Dim> {
    int64_t m = facts.multiple(name);
    if (m <= 1) return std::nullopt;
    return Dim(m) * Dim::symbol(name);
  });
}

bool same_size(const Dim& a, const Dim& b, const DimFacts& facts) {
  return a == b || facts.equal(a, b) == Tri::Yes || expose_multiples(a, facts) == expose_multiples(b, facts);
}

namespace {

// d >= 0. A term c * min(p, q) may be read as the lesser of c*p and c*q for c > 0 and as the greater for c < 0; max
// the other way round. For a lesser both readings must hold, for a greater one will do.
bool nonnegative(const Dim& d, const DimFacts& facts, int depth) {
  if (facts.less_equal(0, d) == Tri::Yes) return true;
  if (d.is_const() || depth == 0) return false;
  for (const DimTerm& t : d.poly()->terms) {
    if (t.atoms.size() != 1) continue;
    const Atom& atom = *t.atoms[0];
    if (atom.kind != AtomKind::Min && atom.kind != AtomKind::Max) continue;
    const Dim &p = atom.args[0], &q = atom.args[1];
    Dim whole = Dim(t.coefficient) * (atom.kind == AtomKind::Min ? min(p, q) : max(p, q));
    auto holds = [&](const Dim& reading) {
      return nonnegative(d - whole + Dim(t.coefficient) * reading, facts, depth - 1);
    };
    bool lesser = (atom.kind == AtomKind::Min) == (t.coefficient > 0);
    return lesser ? holds(p) && holds(q) : holds(p) || holds(q);
  }
  return false;
}

}  // namespace

bool at_most(const Dim& a, const Dim& b, const DimFacts& facts) { return nonnegative(b - a, facts, 6); }

}  // namespace frit::ir::rules
