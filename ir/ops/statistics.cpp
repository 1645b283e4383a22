// Composite reductions: means, variances, softmax and its logarithm, written in simpler rows.
//
// float16 and bfloat16 are widened to float32 at the start and rounded once at the end, save where a row says
// otherwise.
#include "ir/graph/op.h"
#include "ir/ops/rules.h"

namespace frit::ir {
namespace {

constexpr auto kComposite = OpKind::Composite;

const AttrSpec kAxes{
    .name = "axes", .kind = AttrKind::Ints, .doc = "the axes to reduce, ascending from 0", .axes = AxisUse::Axis};
const AttrSpec kKeepdims{.name = "keepdims",
                         .kind = AttrKind::Bool,
                         .required = false,
                         .fallback = false,
                         .doc = "whether reduced axes stay, with size one"};

// The type of a reduction that keeps the element type, found by asking a reduction row.
Result<std::vector<Type>> infer_like_sum(std::string_view name, TypeClass domain, std::string_view takes,
                                         const InferArgs& args) {
  const Type& x = args.operands[0];
  bool fits = domain == TypeClass::Float ? is_float(x.dtype) : is_inexact(x.dtype);
  if (!fits)
    return Diagnostic("op '" + std::string(name) + "' takes " + std::string(takes) + ", but got " + x.str(), {},
                      "convert it with 'astype' first");
  AttrMap attrs{{"axes", *args.attrs.find("axes")}, {"keepdims", args.attrs.get_bool("keepdims")}};
  auto types = infer(op("sum"), {args.operands, attrs, args.facts});
  if (!types.ok()) types.error().message.replace(0, std::string("op 'sum'").size(), "op '" + std::string(name) + "'");
  return types;
}

Result<std::vector<Type>> infer_mean(const InferArgs& args) {
  return infer_like_sum("mean", TypeClass::Inexact, "floats or complex numbers", args);
}
Result<std::vector<Type>> infer_var(const InferArgs& args) {
  auto types = infer_like_sum("var", TypeClass::Inexact, "floats or complex numbers", args);
  if (types.ok() && is_complex(types->front().dtype)) types->front().dtype = float32;
  return types;
}
Result<std::vector<Type>> infer_logsumexp(const InferArgs& args) {
  return infer_like_sum("logsumexp", TypeClass::Inexact, "floats or complex numbers", args);
}
Result<std::vector<Type>> infer_softmax(const InferArgs& args) {
  auto reduced = infer_like_sum("softmax", TypeClass::Inexact, "floats or complex numbers", args);
  if (!reduced.ok()) return reduced;
  return std::vector<Type>{args.operands[0]};
}

ValueId widen(Builder& b, ValueId v) { return b.cast(v, compute_type(b.type(v).dtype)); }

// The number of elements that are reduced, less `ddof` and never below zero, as a rank-0 value of `dtype`.
ValueId element_count(Builder& b, const Shape& shape, const std::vector<int>& axes, int64_t ddof, Dtype dtype) {
  Dim n = 1;
  for (int a : axes) n = n * shape[static_cast<size_t>(a)];
  Dtype real = is_complex(dtype) ? float32 : dtype;
  return b.cast(rules::count(b, ddof == 0 ? n : b.function().facts.simplify(max(n - Dim(ddof), 0)), real), dtype);
}

ValueId mean_of(Builder& b, ValueId x, const std::vector<int>& axes, bool keepdims, int64_t ddof) {
  const Type type = b.type(x);
  ValueId total = rules::reduce(b, "sum", x, axes, keepdims);
  ValueId n = element_count(b, type.shape, axes, ddof, type.dtype);
  return b.build("divide", {total, b.broadcast(n, Shape(b.type(total).shape))});
}

std::vector<ValueId> expand_mean(Builder& b, const Op& op, std::span<const ValueId> operands) {
  Dtype dtype = b.type(operands[0]).dtype;
  return {b.cast(mean_of(b, widen(b, operands[0]), rules::axes(op), op.attrs.get_bool("keepdims"), 0), dtype)};
}

std::vector<ValueId> expand_var(Builder& b, const Op& op, std::span<const ValueId> operands) {
  Dtype dtype = b.type(operands[0]).dtype;
  const std::vector<int> axes = rules::axes(op);
  ValueId x = widen(b, operands[0]);
  ValueId centre = b.broadcast(mean_of(b, x, axes, true, 0), Shape(b.type(x).shape));
  ValueId distance = b.build("subtract", {x, centre});
  ValueId squares = [&] {
    if (!is_complex(dtype)) return b.build("square", {distance});
    ValueId real = b.build("square", {b.build("real", {distance})});
    return b.build("add", {real, b.build("square", {b.build("imag", {distance})})});
  }();
  if (is_complex(dtype)) dtype = float32;
  return {b.cast(mean_of(b, squares, axes, op.attrs.get_bool("keepdims"), op.attrs.get_int("ddof")), dtype)};
}

std::vector<ValueId> expand_logsumexp(Builder& b, const Op& op, std::span<const ValueId> operands) {
  Dtype dtype = b.type(operands[0]).dtype;
  const std::vector<int> axes = rules::axes(op);
  ValueId x = widen(b, operands[0]);
  const Shape shape = b.type(x).shape;
  // An infinite maximum must not be subtracted from itself; without a shift the sum is 0 or infinite, as it should be.
  ValueId top = rules::reduce(b, "max", x, axes, true);
  const Type kept = b.type(top);
  top = b.build("select", {b.build("isinf", {top}), b.splat(0, kept), top});
  top = b.build("stop_gradient", {top});
  ValueId powers = b.build("exp", {b.build("subtract", {x, b.broadcast(top, shape)})});
  ValueId sum = rules::reduce(b, "sum", powers, axes, true);
  ValueId out = b.build("add", {b.build("log", {sum}), top});
  const Type result = infer(*op.def, {{&b.type(operands[0]), 1}, op.attrs, b.function().facts})->front();
  return {b.cast(rules::reshape(b, out, result.shape), dtype)};
}

std::vector<ValueId> expand_softmax(Builder& b, const Op& op, std::span<const ValueId> operands) {
  Dtype dtype = b.type(operands[0]).dtype;
  const std::vector<int> axes = rules::axes(op);
  ValueId x = op.attrs.get_bool("precise") ? widen(b, operands[0]) : operands[0];
  const Shape shape = b.type(x).shape;
  ValueId top = b.build("stop_gradient", {rules::reduce(b, "max", x, axes, true)});
  ValueId powers = b.build("exp", {b.build("subtract", {x, b.broadcast(top, shape)})});
  ValueId sum = rules::reduce(b, "sum", powers, axes, true);
  return {b.cast(b.build("divide", {powers, b.broadcast(sum, shape)}), dtype)};
}

const RegisterOps statistics_rows({
    {.name = "mean",
     .kind = kComposite,
     .arity = 1,
     .traits = kStacked,
     .doc = "The sum over axes divided by the number of elements; NaN over nothing.",
     .attrs = {kAxes, kKeepdims},
     .domain = TypeClass::Inexact,
     .infer = infer_mean,
     .expand = expand_mean},
    {.name = "var",
     .kind = kComposite,
     .arity = 1,
     .traits = kStacked,
     .doc =
         "The variance over axes: the sum of squared distances from the mean, divided by the number of elements less "
         "ddof (not below zero). Of complex numbers it is a float.",
     .attrs = {kAxes,
               kKeepdims,
               {.name = "ddof",
                .kind = AttrKind::Int,
                .required = false,
                .fallback = Dim(0),
                .doc = "what is taken off the number of elements"}},
     .domain = TypeClass::Inexact,
     .infer = infer_var,
     .expand = expand_var},
    {.name = "logsumexp",
     .kind = kComposite,
     .arity = 1,
     .traits = kStacked,
     .doc =
         "The logarithm of the sum of exponentials over axes, shifted by the maximum so that nothing overflows; minus "
         "infinity over nothing.",
     .attrs = {kAxes, kKeepdims},
     .domain = TypeClass::Inexact,
     .infer = infer_logsumexp,
     .expand = expand_logsumexp},
    {.name = "softmax",
     .kind = kComposite,
     .arity = 1,
     .traits = kStacked,
     .doc =
         "Exponentials divided by their sum over axes, shifted by the maximum. NaN where a row holds NaN, infinity, or "
         "minus infinity alone. Low-precision floats are rounded after every step unless `precise` asks for float32 "
         "throughout.",
     .attrs = {kAxes,
               {.name = "precise",
                .kind = AttrKind::Bool,
                .required = false,
                .fallback = false,
                .doc = "whether low-precision floats are computed in float32"}},
     .domain = TypeClass::Inexact,
     .infer = infer_softmax,
     .expand = expand_softmax},
});

}  // namespace
}  // namespace frit::ir
