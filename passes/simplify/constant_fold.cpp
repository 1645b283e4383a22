// constant_fold: evaluates ops whose operands are all constants at compile time.
//
// An elementwise op on constants of one value each becomes one such constant, whatever its shape: the value is computed
// once and broadcast. Other ops on constants are computed element by element, up to kMostElements elements. Data that
// would only be rearranged or repeated (broadcasts, views that grow) stays as it is. The result has the bits that
// compiled code computes, because both run the same scalar programs (passes/simplify/fold.h). Reductions stay:
// generated code has their order.
#include <algorithm>
#include <cstring>

#include "passes/manager/pass.h"
#include "passes/simplify/fold.h"
#include "passes/simplify/rewrite.h"

namespace frit::passes {
namespace {

using namespace ir;

// The most elements of a folded constant. A larger one costs more program than its computation costs time.
constexpr int64_t kMostElements = 4096;

const Literal& literal_of(const Op& constant) { return std::get<Literal>(*constant.attrs.find("value")); }

// The number of elements of a static type, or nothing if it is too large or unknown.
std::optional<int64_t> small_count(const Type& type) {
  if (!type.is_static()) return std::nullopt;
  int64_t count = 1;
  for (const Dim& d : type.shape) {
    if (d.is(0)) return 0;
    if (d.value() > kMostElements) return std::nullopt;
    count *= d.value();
    if (count > kMostElements) return std::nullopt;
  }
  return count;
}

// The position of element `i` of a static shape.
std::vector<Dim> position(const Shape& shape, int64_t i) {
  std::vector<Dim> at(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    at[axis] = Dim(i % shape[axis].value());
    i /= shape[axis].value();
  }
  return at;
}

class Folder {
 public:
  Folder(Function& f, PassContext& context) : rewriter_(f), f_(f), context_(context) {}

  Result<bool> run() {
    for (Op& op : rewriter_.old_ops()) {
      rewriter_.resolve_operands(op);
      ValueId old = op.results.empty() ? kNone : op.results[0];
      std::optional<ValueId> now = fold(op);
      if (now) {
        rewriter_.replace(old, *now);
        ++folded_;
      } else {
        rewriter_.keep(std::move(op));
      }
    }
    if (folded_)
      context_.remark(f_, "computed " + std::to_string(folded_) + (folded_ == 1 ? " op" : " ops") + " on constants");
    return rewriter_.finish();
  }

 private:
  std::optional<ValueId> fold(const Op& op) {
    if (op.results.size() != 1 || op.operands.empty() || op.def->has(kNoFold) || op.def->has(kSideEffect))
      return std::nullopt;
    bool elementwise = op.def->kind == OpKind::Elementwise;
    if (!elementwise && op.def->kind != OpKind::Index) return std::nullopt;
    for (ValueId v : op.operands)
      if (!is_constant(f_, v)) return std::nullopt;

    const Type type = f_.type(op.results[0]);
    rewriter_.builder().loc = op.loc;
    if (elementwise) {
      if (auto bits = fold_splat(f_, op, context_.target)) return build_splat(rewriter_.builder(), type, *bits);
    }
    std::optional<int64_t> count = small_count(type);
    if (!count || (!elementwise && !worth_arranging(op, type, *count))) return std::nullopt;
    return elementwise ? fold_elementwise(op, type, *count) : fold_index(op, type, *count);
  }

  // Views of constants of one value, and views that repeat elements, are cheaper unfolded.
  bool worth_arranging(const Op& op, const Type& type, int64_t count) {
    if (type.rank() == 0) return true;
    int64_t largest = 0;
    for (ValueId v : op.operands) {
      const Op* operand = f_.def_of(v);
      if (op.operands.size() == 1 && (operand->def->kind != OpKind::Constant || splat_bits(f_, v))) return false;
      largest = std::max(largest, f_.type(v).is_static() ? small_count(f_.type(v)).value_or(0) : 0);
    }
    return !op.def->has(kView) || count <= largest;
  }

  std::optional<ValueId> fold_elementwise(const Op& op, const Type& type, int64_t count) {
    auto folder = ElementFolder::make(f_, op, context_.target);
    if (!folder) return std::nullopt;
    std::vector<uint64_t> elements, operands(op.operands.size());
    for (int64_t i = 0; i < count; ++i) {
      for (size_t k = 0; k < operands.size(); ++k) {
        auto bits = element(op.operands[k], i);
        if (!bits) return std::nullopt;
        operands[k] = *bits;
      }
      elements.push_back((*folder)(operands)[0]);
    }
    return build_constant(type, elements);
  }

  std::optional<ValueId> fold_index(const Op& op, const Type& type, int64_t count) {
    std::vector<uint64_t> elements;
    for (int64_t i = 0; i < count; ++i) {
      auto bits = moved_element(op, type, i);
      if (!bits) return std::nullopt;
      elements.push_back(*bits);
    }
    return build_constant(type, elements);
  }

  // The bits of element `i` (row-major) of constant `v`.
  std::optional<uint64_t> element(ValueId v, int64_t i) {
    if (auto bits = splat_bits(f_, v)) return bits;
    const Op& op = *f_.def_of(v);
    if (op.def->kind == OpKind::Constant) return literal_of(op).bits(static_cast<size_t>(i));
    return moved_element(op, f_.type(v), i);
  }

  // The same for the result of an index row.
  std::optional<uint64_t> moved_element(const Op& op, const Type& type, int64_t i) {
    std::vector<Type> operand_types;
    for (ValueId v : op.operands) operand_types.push_back(f_.type(v));
    IndexRule rule = op.def->index(op, operand_types, type, position(type.shape, i));
    if (!rule.lookups.empty()) return std::nullopt;
    for (const IndexSource& source : rule.sources) {
      bool inside = true;
      for (const auto& [d, extent] : source.within) {
        if (!d.is_const() || !extent.is_const()) return std::nullopt;
        inside = inside && 0 <= d.value() && d.value() < extent.value();
      }
      if (!inside) continue;
      auto operand = static_cast<size_t>(source.operand);
      int64_t offset = 0;
      for (size_t axis = 0; axis < source.index.size(); ++axis) {
        const Dim& extent = operand_types[operand].shape[axis];
        if (!source.index[axis].is_const() || !extent.is_const()) return std::nullopt;
        offset = offset * extent.value() + source.index[axis].value();
      }
      return element(op.operands[operand], offset);
    }
    if (rule.fill < 0) return std::nullopt;
    return element(op.operands[static_cast<size_t>(rule.fill)], 0);
  }

  ValueId build_constant(const Type& type, const std::vector<uint64_t>& elements) {
    bool one_value = !elements.empty() &&
                     std::all_of(elements.begin(), elements.end(), [&](uint64_t bits) { return bits == elements[0]; });
    if (one_value) return build_splat(rewriter_.builder(), type, elements[0]);
    std::vector<std::byte> bytes(elements.size() * type.dtype.size());
    for (size_t i = 0; i < elements.size(); ++i)
      std::memcpy(&bytes[i * type.dtype.size()], &elements[i], type.dtype.size());
    return rewriter_.builder().constant(Literal(type.dtype, std::move(bytes)), type.shape);
  }

  Rewriter rewriter_;
  Function& f_;
  PassContext& context_;
  size_t folded_ = 0;
};

Result<bool> run_constant_fold(Function& f, PassContext& context) { return Folder(f, context).run(); }

const RegisterPass constant_fold_pass({
    .name = "constant_fold",
    .doc = "computes ops on constants at compile time",
    .needs = Level::Graph,
    .most = Level::Expanded,
    .gives = Level::Graph,
    .run = run_constant_fold,
});

}  // namespace
}  // namespace frit::passes
