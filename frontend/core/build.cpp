// Makes graph nodes for the public operations: promotion, broadcasting, inference, errors.
#include "frontend/core/build.h"

#include <algorithm>
#include <limits>

#include "ir/graph/expression.h"

namespace frit::detail {

void fail(std::string message, std::string note, const StreamOrDevice& s) {
  throw_invalid(std::move(message), std::move(note), s.where());
}

bool is_differentiated(const array& a) {
  const OperationPtr operation = node_of(a)->current_operation();
  return operation && operation->kind == OperationKind::Placeholder &&
         static_cast<const PlaceholderOperation&>(*operation).differentiated;
}

namespace {

bool is_open(const ir::Attr& attr) {
  if (const Dim* d = std::get_if<Dim>(&attr)) return !d->is_const();
  const ir::Dims* dims = std::get_if<ir::Dims>(&attr);
  return dims && std::any_of(dims->begin(), dims->end(), [](const Dim& d) { return !d.is_const(); });
}

void simplify_all(ir::Dims& dims) {
  for (Dim& d : dims) d = simplify(d);
}

// Brings open attributes into the form that is known now; returns whether one stays open.
bool simplify_attrs(ir::AttrMap& attrs) {
  bool open = false;
  const ir::AttrMap given = attrs;
  for (const auto& [name, value] : given) {
    if (!is_open(value)) continue;
    ir::Attr now = value;
    if (Dim* d = std::get_if<Dim>(&now))
      *d = simplify(*d);
    else
      simplify_all(std::get<ir::Dims>(now));
    open = open || is_open(now);
    attrs.set(name, std::move(now));
  }
  return open;
}

// The bytes of an array must have a number.
void check_bytes(const ir::OpDef& def, const Node& node, const Where& where) {
  int64_t bytes = node.dtype.size();
  bool fits = true;
  for (ShapeElem d : node.shape) {
    if (d == 0) return;
    fits = fits && !__builtin_mul_overflow(bytes, int64_t{d}, &bytes);
  }
  if (!fits)
    throw_invalid(std::string(def.name) + ": a result of " + type_text(node.dtype, node.shape) +
                      " has more bytes than can be counted",
                  "an array holds less than 2^63 bytes", where);
}

}  // namespace

std::vector<array> make_all(const ir::OpDef& def, std::vector<array> operands, ir::AttrMap attrs,
                            const StreamOrDevice& s) {
  return make_all(def, std::move(operands), std::move(attrs), s, s.where());
}

std::vector<array> make_all(const ir::OpDef& def, std::vector<array> operands, ir::AttrMap attrs,
                            const StreamOrDevice& s, const Where& where) {
  const bool any_shape = current_sizes() != nullptr;
  std::vector<ir::Type> types;
  types.reserve(operands.size());
  for (const array& a : operands) types.push_back({a.dtype(), sizes_of(a)});
  ir::fill_defaults(def, attrs);
  bool open = any_shape && simplify_attrs(attrs);
  auto inferred = ir::infer(def, {types, attrs, current_facts()});
  if (!inferred && any_shape) detail::throw_not_proven(inferred.error(), where);
  if (!inferred) throw_invalid(inferred.error(), where);

  auto operation = std::make_shared<RowOperation>(def, std::move(attrs), where);
  if (!s.is_default()) operation->device = s.stream().device.type;
  std::vector<NodePtr> inputs;
  inputs.reserve(operands.size());
  for (array& a : operands) inputs.push_back(node_of(a));
  operands.clear();
  set_inputs(*operation, std::move(inputs));
  operation->results.reserve(inferred->size());
  std::vector<array> results;
  results.reserve(inferred->size());
  for (ir::Type& type : *inferred) {
    if (any_shape) simplify_all(type.shape);
    results.push_back(array_of(attach(operation, type)));
    const Node& node = *node_of(results.back());
    check_bytes(def, node, where);
    open = open || node.dims;
  }
  // A result that depends on an open size has no value in the trace, even without an operand.
  if (open) operation->tracer = true;
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
    case ir::TypeClass::Shiftable: return t == bool_ ? uint8 : t;
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
    case ir::TypeClass::Shiftable:
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

namespace {

bool same_sizes(std::span<const array> arrays) {
  const Node& first = *node_of(arrays[0]);
  bool same = true, open = false;
  for (const array& a : arrays) {
    same = same && node_of(a)->shape == first.shape;
    open = open || node_of(a)->dims;
  }
  if (!same || !open) return same;
  const ir::Dims sizes = sizes_of(arrays[0]);
  return std::all_of(arrays.begin() + 1, arrays.end(), [&](const array& a) { return sizes_of(a) == sizes; });
}

}  // namespace

array elementwise(const ir::OpDef& def, std::vector<array> operands, const StreamOrDevice& s) {
  Dtype dtype = operands[0].dtype();
  for (const array& a : operands) dtype = promote_types(dtype, a.dtype());
  check_class(def, dtype, operands, s);
  dtype = dtype_for(def, dtype);
  if (!same_sizes(operands)) {
    const ir::Dims sizes = broadcast_all(def.name, operands, s);
    // Converting before broadcasting converts fewer elements.
    for (array& a : operands) a = stretch(astype(std::move(a), dtype, s), sizes, s);
  } else {
    for (array& a : operands)
      if (a.dtype() != dtype) a = astype(std::move(a), dtype, s);
  }
  return make(def, std::move(operands), {}, s);
}

array elementwise(std::string_view row, std::vector<array> operands, const StreamOrDevice& s) {
  return elementwise(ir::op(row), std::move(operands), s);
}

Diagnostic no_such_axis(std::string_view op, int ndim, int axis) {
  return Diagnostic(std::string(op) + ": axis " + std::to_string(axis) + " is out of range for an array with " +
                        std::to_string(ndim) + " axes",
                    {},
                    ndim ? "axes go from " + std::to_string(-ndim) + " to " + std::to_string(ndim - 1)
                         : "a rank-0 array has no axes");
}

int normalize_axis(std::string_view op, int ndim, int axis, const StreamOrDevice& s) {
  if (axis < -ndim || axis >= ndim) {
    const Diagnostic d = no_such_axis(op, ndim, axis);
    throw_range(d.message, d.note, s.where());
  }
  return axis < 0 ? axis + ndim : axis;
}

int normalize_axis(std::string_view op, const array& a, int axis, const StreamOrDevice& s) {
  return normalize_axis(op, static_cast<int>(a.ndim()), axis, s);
}

std::vector<int> normalize_axes(std::string_view op, const array& a, const std::vector<int>& axes,
                                const StreamOrDevice& s) {
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

std::string text(const array& a) {
  const Node& node = *node_of(a);
  if (!node.dims) return type_text(node.dtype, node.shape);
  return std::string(long_name(node.dtype)) + " " + shape_text(sizes_of(a));
}

std::string text(const Dim& d) {
  const auto value = hint(d);
  return d.is_const() || !value ? d.str() : d.str() + "=" + std::to_string(*value);
}

std::string listed(std::string_view what, const std::vector<ir::Type>& types) {
  constexpr size_t kShown = 8;
  std::string text = std::to_string(types.size()) + " " + std::string(what) + (types.size() == 1 ? "" : "s");
  for (size_t i = 0; i < types.size() && i < kShown; ++i) text += (i ? ", " : " (") + types[i].str();
  return types.empty() ? text : text + (types.size() > kShown ? ", ...)" : ")");
}

std::string listed(std::string_view what, const std::vector<array>& arrays) {
  std::vector<ir::Type> types;
  for (const array& a : arrays) types.push_back({a.dtype(), sizes_of(a)});
  return listed(what, types);
}

void check_size(std::string_view op, const Dim& size, const StreamOrDevice& s) {
  if (!require_at_most(0, size, op, s.where()))
    fail(std::string(op) + ": size " + text(size) + " is negative", "give a size of zero or more", s);
  if (hint(size) > std::numeric_limits<ShapeElem>::max())
    fail(std::string(op) + ": " + text(size) + " elements are more than an axis holds",
         "an axis holds at most 2147483647 elements", s);
}

bool broadcast_size(std::string_view op, Dim& size, const Dim& other, const StreamOrDevice& s) {
  const Dim a = simplify(size), b = simplify(other);
  if (a == b || b.is(1))
    size = a;
  else if (a.is(1))
    size = b;
  else if (require_equal(a, b, op, s.where()))
    size = b.is_const() ? b : simplify(a);
  else if (require_equal(b, 1, op, s.where()))
    size = simplify(a);
  else if (require_equal(a, 1, op, s.where()))
    size = simplify(b);
  else
    return false;
  return true;
}

ir::Dims broadcast_all(std::string_view op, std::span<const array> arrays, const StreamOrDevice& s) {
  ir::Dims sizes;
  for (const array& a : arrays) {
    const ir::Dims other = sizes_of(a);
    if (other.size() > sizes.size()) sizes.insert(sizes.begin(), other.size() - sizes.size(), 1);
    for (size_t i = 0; i < other.size(); ++i) {
      if (broadcast_size(op, sizes[sizes.size() - other.size() + i], other[i], s)) continue;
      std::string shapes;
      for (size_t j = 0; j < arrays.size(); ++j)
        shapes += (j == 0 ? "" : j + 1 == arrays.size() ? " and " : ", ") + text(arrays[j]);
      fail(std::string(op) + ": " + shapes + " do not broadcast",
           "sizes are compared from the last axis on and must be equal or 1; reshape, expand_dims or transpose an "
           "operand so that they are",
           s);
    }
  }
  if (current_sizes()) simplify_all(sizes);
  return sizes;
}

bool has_sizes(const array& a, const ir::Dims& sizes) {
  const Node& node = *node_of(a);
  if (node.dims) return sizes_of(a) == sizes;
  return std::equal(node.shape.begin(), node.shape.end(), sizes.begin(), sizes.end(),
                    [](ShapeElem n, const Dim& d) { return d.is(n); });
}

namespace {
array under_shape(const ir::OpDef& def, const array& a, ir::Dims shape, const StreamOrDevice& s) {
  ir::AttrMap attrs;
  attrs.set("shape", std::move(shape));
  return make(def, {a}, std::move(attrs), s);
}
}  // namespace

array stretch(const array& a, ir::Dims sizes, const StreamOrDevice& s) {
  static const ir::OpDef& row = ir::op("broadcast");
  if (has_sizes(a, sizes)) return a;
  if (!node_of(a)->dims) return under_shape(row, a, std::move(sizes), s);
  // A size of 1 by what was assumed must show that it is one.
  ir::Dims from = sizes_of(a);
  bool hidden = false;
  for (size_t i = 0; i < from.size(); ++i) {
    Dim& d = from[from.size() - 1 - i];
    if (d.is_const() || d == sizes[sizes.size() - 1 - i] || current_facts().equal(d, 1) != Tri::Yes) continue;
    d = 1;
    hidden = true;
  }
  return under_shape(row, hidden ? with_sizes(a, std::move(from), s) : a, std::move(sizes), s);
}

array with_sizes(const array& a, ir::Dims sizes, const StreamOrDevice& s) {
  static const ir::OpDef& row = ir::op("reshape");
  return has_sizes(a, sizes) ? a : under_shape(row, a, std::move(sizes), s);
}

array take_range(const array& a, int axis, const Dim& start, const Dim& stop, const StreamOrDevice& s) {
  const auto at = static_cast<size_t>(axis);
  ir::Dims starts(a.ndim(), 0), stops = sizes_of(a);
  if (start.is(0) && stop == stops[at]) return a;
  starts[at] = start;
  stops[at] = stop;
  return cut(a, std::move(starts), std::move(stops), ir::Dims(a.ndim(), 1), s);
}

array rotated(const array& a, int axis, const Dim& first, const StreamOrDevice& s) {
  return concatenate({take_range(a, axis, first, size_of(a, axis), s), take_range(a, axis, 0, first, s)}, axis, s);
}

array cut(const array& a, ir::Dims start, ir::Dims stop, ir::Dims strides, const StreamOrDevice& s) {
  static const ir::OpDef& row = ir::op("slice");
  ir::AttrMap attrs;
  attrs.set("start", std::move(start));
  attrs.set("stop", std::move(stop));
  attrs.set("strides", std::move(strides));
  return make(row, {a}, std::move(attrs), s);
}

array size_value(const Dim& d, Dtype dtype, const StreamOrDevice& s) {
  if (d.is_const()) return array(d.value(), dtype);
  return make("iota", {}, {{"shape", ir::Dims{}}, {"dtype", dtype}, {"start", d}}, s);
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
      throw InvalidArgument(
          "broadcast_shapes: " + detail::shape_text(a) + " and " + detail::shape_text(b) + " do not broadcast",
          "sizes are compared from the last axis on and must be equal or 1");
    shape[shape.size() - 1 - i] = x == 1 ? y : x;
  }
  return shape;
}

}  // namespace frit
