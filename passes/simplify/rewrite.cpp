// The Rewriter, and queries about constants under arrangements.
#include "passes/simplify/rewrite.h"

#include <bit>
#include <cassert>
#include <cstring>

namespace frit::passes {

static_assert(std::endian::native == std::endian::little,
              "literals are kept in the host's order, taken to be little-endian");

using namespace ir;

void Rewriter::resolve_operands(Op& op) {
  for (ValueId& v : op.operands) v = resolve(v);
}

void Rewriter::keep(Op op) {
  for (ValueId r : op.results) f_.values[r].op = static_cast<uint32_t>(f_.ops.size());
  f_.ops.push_back(std::move(op));
}

void Rewriter::replace(ValueId old, ValueId now) {
  assert(f_.type(old) == f_.type(now));
  if (old == now) return;
  if (replaced_.size() <= old) replaced_.resize(f_.values.size(), kNone);
  replaced_[old] = now;
  changed_ = true;
}

std::optional<ValueId> Rewriter::try_build(const OpDef& def, std::vector<ValueId> operands, AttrMap attrs) {
  auto results = builder_.try_build(def, std::move(operands), std::move(attrs));
  if (!results || results->size() != 1) return std::nullopt;
  return results->front();
}

void Rewriter::roll_back(size_t ops, size_t values) {
  f_.ops.resize(ops);
  f_.values.resize(values);
}

bool Rewriter::finish() {
  if (!changed_) return false;
  for (ValueId& v : f_.results) v = resolve(v);
  f_.canonicalize_order();
  return true;
}

bool only_moves_elements(const Op& op) {
  return op.def->kind == OpKind::Index && op.operands.size() == 1 && op.results.size() == 1;
}

namespace {

// In a canonical function at most one broadcast stands above a constant. Longer chains are not followed to the end:
// otherwise a pass over a long chain would take quadratic time.
constexpr int kMostArrangements = 4;

// The constant op that defines `v`, or that `v` is an arrangement of.
const Op* constant_under(const Function& f, ValueId v) {
  const Op* op = f.def_of(v);
  for (int i = 0; i < kMostArrangements && op && only_moves_elements(*op); ++i) op = f.def_of(op->operands[0]);
  return op && op->def->kind == OpKind::Constant ? op : nullptr;
}

}  // namespace

bool is_constant(const Function& f, ValueId v) { return constant_under(f, v) != nullptr; }

std::optional<uint64_t> splat_bits(const Function& f, ValueId v) {
  const Op* op = constant_under(f, v);
  if (!op) return std::nullopt;
  const auto& literal = std::get<Literal>(*op->attrs.find("value"));
  if (literal.count() != 1) return std::nullopt;
  return literal.bits(0);
}

Literal literal_of_bits(Dtype dtype, uint64_t bits) {
  std::vector<std::byte> bytes(dtype.size());
  std::memcpy(bytes.data(), &bits, dtype.size());
  return Literal(dtype, std::move(bytes));
}

ValueId build_splat(Builder& b, const Type& type, uint64_t bits) {
  return b.broadcast(b.constant(literal_of_bits(type.dtype, bits)), type.shape);
}

}  // namespace frit::passes
