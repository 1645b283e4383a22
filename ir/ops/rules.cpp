// Text, axes and graph idioms that several families of operations share.
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

ValueId swap_last(Builder& b, ValueId v) {
  const int rank = b.type(v).rank();
  Dims axes;
  for (int i = 0; i < rank - 2; ++i) axes.push_back(i);
  axes.push_back(rank - 1);
  axes.push_back(rank - 2);
  return b.build("transpose", {v}, {{"axes", axes}});
}

ValueId spread(Builder& b, ValueId v, const Shape& shape, const std::vector<int>& axes) {
  return b.broadcast(reshape(b, v, keep_dims(shape, axes)), shape);
}

ValueId reduce(Builder& b, std::string_view row, ValueId v, const std::vector<int>& axes, bool keepdims) {
  return b.build(row, {v}, {{"axes", to_dims(axes)}, {"keepdims", keepdims}});
}

ValueId inexact(Builder& b, ValueId v) {
  const Dtype dtype = b.type(v).dtype;
  return is_inexact(dtype) ? v : b.cast(v, float32);
}

ValueId conjugated(Builder& b, ValueId v) { return is_complex(b.type(v).dtype) ? b.build("conjugate", {v}) : v; }

ValueId count(Builder& b, const Dim& d, Dtype dtype) {
  if (d.is_const()) return b.constant(Literal::scalar_int(dtype, d.value()));
  return b.build("iota", {}, {{"shape", Dims{}}, {"dtype", dtype}, {"start", d}});
}

namespace {

// The sum of `v` over its first `count` axes, if it is the result of an operation that sums over such axes itself:
// stacked products are one product with longer rows, and nothing of the size of the stack is stored.
std::optional<ValueId> summed_stack(Builder& b, ValueId v, size_t count) {
  const Op* op = b.function().def_of(v);
  if (!op || !op->def->stacked_sum || count == 0) return std::nullopt;
  const auto stacked_sum = op->def->stacked_sum;
  std::vector<ValueId> operands = op->operands;
  if (count > 1)
    for (ValueId& operand : operands) {
      const Shape& from = b.type(operand).shape;
      Shape merged{product(Dims(from.begin(), from.begin() + static_cast<ptrdiff_t>(count)))};
      merged.insert(merged.end(), from.begin() + static_cast<ptrdiff_t>(count), from.end());
      operand = reshape(b, operand, merged);
    }
  return stacked_sum(b, operands);
}

}  // namespace

ValueId sum_to(Builder& b, ValueId v, const Shape& shape) {
  const Shape from = b.type(v).shape;
  std::vector<int> over;
  size_t lead = from.size() - shape.size();
  for (size_t i = 0; i < from.size(); ++i)
    if (i < lead || (shape[i - lead].is(1) && !from[i].is(1))) over.push_back(static_cast<int>(i));
  Dtype dtype = b.type(v).dtype;
  // All of the leading axes, and no other one.
  const bool leading =
      !over.empty() && over.back() + 1 == static_cast<int>(over.size()) && from.size() == over.size() + 2;
  if (const auto sum = leading ? summed_stack(b, v, over.size()) : std::nullopt) return reshape(b, *sum, shape);
  if (!over.empty()) v = b.cast(reduce(b, "sum", v, over, false), dtype);
  return reshape(b, v, shape);
}

}  // namespace frit::ir::rules
