#include "frontend/build.h"

#include <algorithm>

namespace frit::detail {

void fail(std::string message, std::string note, const StreamOrDevice& s) {
  throw_invalid(std::move(message), std::move(note), s.where());
}

std::vector<array> make_all(const ir::OpDef& def, std::vector<array> operands, ir::AttrMap attrs, const StreamOrDevice& s) {
  std::vector<ir::Type> types;
  types.reserve(operands.size());
  for (const array& a : operands) types.push_back(to_type(*a.node()));
  ir::fill_defaults(def, attrs);
  static const DimFacts no_facts;
  auto inferred = ir::infer(def, {types, attrs, no_facts});
  if (!inferred) throw_invalid(inferred.error(), s.where());

  auto operation = std::make_shared<RowOperation>(def, std::move(attrs), s.where());
  std::vector<NodePtr> inputs;
  inputs.reserve(operands.size());
  for (array& a : operands) inputs.push_back(a.node());
  operands.clear();
  set_inputs(*operation, std::move(inputs));
  operation->results.reserve(inferred->size());
  std::vector<array> results;
  results.reserve(inferred->size());
  for (const ir::Type& type : *inferred) results.push_back(array(attach(operation, type.dtype, to_shape(type.shape))));
  operation->types = *std::move(inferred);
  return results;
}

array make(const ir::OpDef& def, std::vector<array> operands, ir::AttrMap attrs, const StreamOrDevice& s) {
  return std::move(make_all(def, std::move(operands), std::move(attrs), s)[0]);
}

array make(std::string_view row, std::vector<array> operands, ir::AttrMap attrs, const StreamOrDevice& s) {
  return make(ir::op(row), std::move(operands), std::move(attrs), s);
}

namespace {

// The dtype that a row computes operands of dtype `t` in.
Dtype dtype_for(const ir::OpDef& def, Dtype t) {
  switch (def.domain) {
    case ir::TypeClass::Inexact:
    case ir::TypeClass::Float: return at_least_float(t);
    case ir::TypeClass::Bool: return bool_;
    case ir::TypeClass::Any:
    case ir::TypeClass::Number:
    case ir::TypeClass::Real:
    case ir::TypeClass::Integer: break;
  }
  return t;
}

}  // namespace

namespace {

// Says what the row takes, when promotion cannot make it fit.
void check_class(const ir::OpDef& def, Dtype dtype, std::span<const array> operands, const StreamOrDevice& s) {
  std::string_view takes;
  switch (def.domain) {
    case ir::TypeClass::Number:
      if (dtype == bool_) takes = "numbers";
      break;
    case ir::TypeClass::Real:
    case ir::TypeClass::Float:
      if (is_complex(dtype)) takes = "real numbers";
      break;
    case ir::TypeClass::Integer:
      if (is_inexact(dtype)) takes = "integers or bool";
      break;
    case ir::TypeClass::Any:
    case ir::TypeClass::Inexact:
    case ir::TypeClass::Bool: break;
  }
  if (takes.empty()) return;
  std::string types;
  for (size_t i = 0; i < operands.size(); ++i) types += (i ? " and " : "") + text(operands[i]);
  fail(std::string(def.name) + ": takes " + std::string(takes) + ", not " + types, "convert with astype first", s);
}

}  // namespace

array elementwise(const ir::OpDef& def, std::vector<array> operands, const StreamOrDevice& s) {
  Dtype dtype = operands[0].dtype();
  bool same_shape = true;
  for (const array& a : operands) {
    dtype = promote_types(dtype, a.dtype());
    same_shape = same_shape && a.shape() == operands[0].shape();
  }
  check_class(def, dtype, operands, s);
  dtype = dtype_for(def, dtype);
  if (!same_shape) {
    const Shape shape = broadcast_all(def.name, operands, s);
    // Converting before broadcasting converts fewer elements.
    for (array& a : operands) a = broadcast_to(astype(std::move(a), dtype, s), shape, s);
  } else {
    for (array& a : operands)
      if (a.dtype() != dtype) a = astype(std::move(a), dtype, s);
  }
  return make(def, std::move(operands), {}, s);
}

array elementwise(std::string_view row, std::vector<array> operands, const StreamOrDevice& s) {
  return elementwise(ir::op(row), std::move(operands), s);
}

int normalize_axis(std::string_view op, int ndim, int axis, const StreamOrDevice& s) {
  if (axis < -ndim || axis >= ndim)
    throw_range(std::string(op) + ": axis " + std::to_string(axis) + " is out of range for an array with " +
                    std::to_string(ndim) + " axes",
                ndim ? "axes go from " + std::to_string(-ndim) + " to " + std::to_string(ndim - 1)
                     : "a rank-0 array has no axes",
                s.where());
  return axis < 0 ? axis + ndim : axis;
}

int normalize_axis(std::string_view op, const array& a, int axis, const StreamOrDevice& s) {
  return normalize_axis(op, static_cast<int>(a.ndim()), axis, s);
}

std::vector<int> normalize_axes(std::string_view op, const array& a, const std::vector<int>& axes, const StreamOrDevice& s) {
  std::vector<int> out;
  out.reserve(axes.size());
  for (int axis : axes) out.push_back(normalize_axis(op, a, axis, s));
  std::sort(out.begin(), out.end());
  if (auto twice = std::adjacent_find(out.begin(), out.end()); twice != out.end())
    fail(std::string(op) + ": axis " + std::to_string(*twice) + " of " + text(a) + " is given twice",
         "name each axis once", s);
  return out;
}

std::vector<int> all_axes(const array& a) {
  std::vector<int> axes(a.ndim());
  for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int>(i);
  return axes;
}

Shape broadcast_all(std::string_view op, std::span<const array> arrays, const StreamOrDevice& s) {
  Shape shape;
  for (const array& a : arrays) {
    const Shape& other = a.shape();
    if (other.size() > shape.size()) shape.insert(shape.begin(), other.size() - shape.size(), 1);
    for (size_t i = 0; i < other.size(); ++i) {
      ShapeElem& d = shape[shape.size() - other.size() + i];
      if (d == other[i] || other[i] == 1) continue;
      if (d != 1) {
        std::string shapes;
        for (size_t j = 0; j < arrays.size(); ++j)
          shapes += (j == 0 ? "" : j + 1 == arrays.size() ? " and " : ", ") + text(arrays[j]);
        fail(std::string(op) + ": " + shapes + " do not broadcast",
             "sizes are compared from the last axis on and must be equal or 1; reshape, expand_dims or transpose an "
             "operand so that they are",
             s);
      }
      d = other[i];
    }
  }
  return shape;
}

}  // namespace frit::detail

namespace frit {

Dtype result_type(const std::vector<array>& arrays) {
  Dtype t = bool_;
  for (const array& a : arrays) t = promote_types(t, a.dtype());
  return t;
}

Shape broadcast_shapes(const Shape& a, const Shape& b) {
  Shape shape(std::max(a.size(), b.size()), 1);
  for (size_t i = 0; i < shape.size(); ++i) {
    const ShapeElem x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const ShapeElem y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1)
      throw InvalidArgument("broadcast_shapes: " + detail::shape_text(a) + " and " + detail::shape_text(b) +
                                " do not broadcast",
                            "sizes are compared from the last axis on and must be equal or 1");
    shape[shape.size() - 1 - i] = x == 1 ? y : x;
  }
  return shape;
}

}  // namespace frit
