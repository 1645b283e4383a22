// Conversions between element types, complex numbers from and to their parts, and rows that keep the value.
//
// `view` between types of different widths is written with reshape, shifts and `bitcast`, so that no backend knows of
// it.
#include "ir/graph/op.h"
#include "ir/ops/row_words.h"
#include "ir/ops/rules.h"

namespace frit::ir {
namespace {

Dtype target(const AttrMap& attrs) { return std::get<Dtype>(*attrs.find("dtype")); }

Dtype unsigned_of_width(int bytes) { return bytes == 1 ? uint8 : bytes == 2 ? uint16 : bytes == 4 ? uint32 : uint64; }

Result<std::vector<Type>> infer_astype(const InferArgs& args) {
  return std::vector<Type>{{target(args.attrs), args.operands[0].shape}};
}

Result<std::vector<Type>> infer_bitcast(const InferArgs& args) {
  const Type& x = args.operands[0];
  Dtype t = target(args.attrs);
  if (is_complex(x.dtype) || is_complex(t) || x.dtype.size() != t.size())
    return Diagnostic("op 'bitcast' keeps the width and takes no complex numbers, but got " + x.str() + " and " +
                          std::string(short_name(t)),
                      {}, "use 'view'");
  return std::vector<Type>{{t, x.shape}};
}

Result<std::vector<Type>> infer_view(const InferArgs& args) {
  const Type& x = args.operands[0];
  Dtype t = target(args.attrs);
  Type out{t, x.shape};
  if (x.dtype.size() == t.size()) return std::vector<Type>{out};
  if (x.rank() == 0)
    return Diagnostic(
        "op 'view' of " + x.str() + " as " + std::string(short_name(t)) + " changes the width and needs a last axis",
        {}, "reshape to [1] first");
  Dim& last = out.shape.back();
  if (x.dtype.size() > t.size()) {
    last = last * Dim(x.dtype.size() / t.size());
    return std::vector<Type>{out};
  }
  int64_t ratio = t.size() / x.dtype.size();
  if (!args.facts.divides(ratio, last))
    return Diagnostic("op 'view' of " + x.str() + " as " + std::string(short_name(t)) +
                          " needs a last axis that is a multiple of " + std::to_string(ratio),
                      {}, "pad or slice the last axis first");
  last = args.facts.simplify(floor_div(last, ratio));
  return std::vector<Type>{out};
}

ValueId bitcast(Builder& b, ValueId v, Dtype t) {
  return b.type(v).dtype == t ? v : b.build("bitcast", {v}, {{"dtype", t}});
}

// The element's bytes as one unsigned integer, the real part of a complex number below the imaginary one.
ValueId to_unsigned(Builder& b, ValueId v) {
  Dtype t = b.type(v).dtype;
  if (!is_complex(t)) return bitcast(b, v, unsigned_of_width(t.size()));
  ValueId low = b.cast(bitcast(b, b.build("real", {v}), uint32), uint64);
  ValueId high = b.cast(bitcast(b, b.build("imag", {v}), uint32), uint64);
  high = b.build("left_shift", {high, b.splat(32, b.type(high))});
  return b.build("bitwise_or", {low, high});
}

ValueId from_unsigned(Builder& b, ValueId v, Dtype t) {
  if (!is_complex(t)) return bitcast(b, v, t);
  ValueId high = b.build("right_shift", {v, b.splat(32, b.type(v))});
  return b.build("complex", {bitcast(b, b.cast(v, uint32), float32), bitcast(b, b.cast(high, uint32), float32)});
}

std::vector<ValueId> expand_view(Builder& b, const Op& op, std::span<const ValueId> operands) {
  ValueId v = operands[0];
  const Type from = b.type(v);
  Dtype t = target(op.attrs);
  if (from.dtype == t) return {v};
  v = to_unsigned(b, v);
  if (from.dtype.size() == t.size()) return {from_unsigned(b, v, t)};
  const Type out = infer(*op.def, {{&from, 1}, op.attrs, b.function().facts})->front();
  bool narrow = from.dtype.size() > t.size();
  int64_t ratio = narrow ? from.dtype.size() / t.size() : t.size() / from.dtype.size();
  Dtype part = unsigned_of_width(std::min(from.dtype.size(), t.size()));
  Dtype whole = unsigned_of_width(std::max(from.dtype.size(), t.size()));
  Shape pieces = narrow ? from.shape : out.shape;
  pieces.push_back(ratio);
  // How far each piece of a whole lies from its lowest bit.
  int axis = static_cast<int>(pieces.size()) - 1;
  ValueId shift = b.build(
      "iota", {}, {{"shape", Dims(pieces)}, {"axis", Dim(axis)}, {"dtype", whole}, {"step", Dim(8 * part.size())}});
  if (narrow) {
    Shape column = from.shape;
    column.push_back(1);
    ValueId wide = b.broadcast(rules::reshape(b, v, column), pieces);
    v = b.cast(b.build("right_shift", {wide, shift}), part);
    return {from_unsigned(b, rules::reshape(b, v, out.shape), t)};
  }
  ValueId wide = b.build("left_shift", {b.cast(rules::reshape(b, v, pieces), whole), shift});
  // Bits do not overlap, so that the sum is their union.
  return {from_unsigned(b, b.cast(rules::reduce(b, "sum", wide, {axis}, false), whole), t)};
}

std::vector<ValueId> vjp_astype(Builder& b, const Op&, std::span<const ValueId> operands, std::span<const ValueId>,
                                std::span<const ValueId> cotangents) {
  return {b.cast(cotangents[0], b.type(operands[0]).dtype)};
}

std::vector<ValueId> vjp_identity(Builder&, const Op&, std::span<const ValueId>, std::span<const ValueId>,
                                  std::span<const ValueId> cotangents) {
  return {cotangents[0]};
}

std::vector<ValueId> vjp_real(Builder& b, const Op&, std::span<const ValueId> operands, std::span<const ValueId>,
                              std::span<const ValueId> cotangents) {
  return {b.cast(cotangents[0], b.type(operands[0]).dtype)};
}

std::vector<ValueId> vjp_imag(Builder& b, const Op&, std::span<const ValueId> operands, std::span<const ValueId>,
                              std::span<const ValueId> cotangents) {
  const Type g = b.type(cotangents[0]);
  if (!is_complex(b.type(operands[0]).dtype)) return {b.splat(0, g)};
  return {b.build("complex", {b.splat(0, g), cotangents[0]})};
}

std::vector<ValueId> vjp_complex(Builder& b, const Op&, std::span<const ValueId>, std::span<const ValueId>,
                                 std::span<const ValueId> cotangents) {
  return {b.build("real", {cotangents[0]}), b.build("imag", {cotangents[0]})};
}

std::vector<ValueId> vjp_conjugate(Builder& b, const Op&, std::span<const ValueId>, std::span<const ValueId>,
                                   std::span<const ValueId> cotangents) {
  return {b.build("conjugate", {cotangents[0]})};
}

std::vector<ValueId> expand_nan_to_num(Builder& b, const Op& op, std::span<const ValueId> operands) {
  ValueId x = operands[0];
  const Type type = b.type(x);
  if (!is_float(type.dtype)) return {x};
  double largest = type.dtype == float64    ? 0x1.fffffffffffffp1023
                   : type.dtype == float16  ? 65504.0
                   : type.dtype == bfloat16 ? 0x1.fep127
                                            : 0x1.fffffep127;
  ValueId nan = b.splat(op.attrs.get_float("nan"), type);
  ValueId high = b.splat(op.attrs.get_float("posinf", largest), type);
  ValueId low = b.splat(op.attrs.get_float("neginf", -largest), type);
  ValueId v = b.build("select", {b.build("isposinf", {x}), high, x});
  v = b.build("select", {b.build("isneginf", {x}), low, v});
  return {b.build("select", {b.build("isnan", {x}), nan, v})};
}

Result<std::vector<Type>> infer_nan_to_num(const InferArgs& args) {
  const Type& x = args.operands[0];
  if (is_complex(x.dtype)) return Diagnostic("op 'nan_to_num' takes bool or real numbers, but got " + x.str());
  return std::vector<Type>{x};
}

const AttrSpec kDtype{.name = "dtype", .kind = AttrKind::Dtype, .doc = "the element type of the result"};

const RegisterOps conversion_rows({
    {.name = "astype",
     .kind = kElementwise,
     .arity = 1,
     .doc =
         "x converted to another element type: floats to integers by truncation (NaN gives 0, values out of range the "
         "nearest end), integers by wrapping, to low-precision floats with one rounding. A complex number gives its "
         "real part, to bool whether either part is not zero.",
     .attrs = {kDtype},
     .result = ResultType::FromRule,
     .meanings = {{kAny, "cast(x, out)", "0"}, {kComplex, "as_out(xr, xi)", "xi"}},
     .infer = infer_astype,
     .vjp = vjp_astype},
    {.name = "bitcast",
     .kind = kElementwise,
     .arity = 1,
     .traits = kNoGradient,
     .doc = "The bits of x as another element type of the same width. Bytes other than 0 give true.",
     .attrs = {kDtype},
     .domain = TypeClass::Real,
     .result = ResultType::FromRule,
     .meanings = {{kAny, "bitcast(raw(x), out)"}},
     .infer = infer_bitcast},
    {.name = "view",
     .kind = OpKind::Composite,
     .arity = 1,
     .traits = kNoGradient | kStacked,
     .doc =
         "The bytes of x as another element type, low bytes first. With another width the last axis grows or shrinks by "
         "the ratio of the widths.",
     .attrs = {kDtype},
     .result = ResultType::FromRule,
     .infer = infer_view,
     .expand = expand_view},
    {.name = "complex",
     .kind = kElementwise,
     .arity = 2,
     .doc =
         "The complex number with real part x and imaginary part y; an operand that is not float32 is rounded to it.",
     .domain = TypeClass::Float,
     .result = ResultType::Complex,
     .meanings = {{kFloat, "cast(x, f32)", "cast(y, f32)"}},
     .vjp = vjp_complex},
    {.name = "real",
     .kind = kElementwise,
     .arity = 1,
     .traits = kIdempotent,
     .doc = "The real part; real numbers are unchanged.",
     .result = ResultType::RealPart,
     .meanings = {{kAny, "x"}, {kComplex, "xr"}},
     .vjp = vjp_real},
    {.name = "imag",
     .kind = kElementwise,
     .arity = 1,
     .doc = "The imaginary part; 0 (false) for real numbers and bool.",
     .result = ResultType::RealPart,
     .meanings = {{MeaningFor::Bool, "false"}, {kAny, "0"}, {kComplex, "xi"}},
     .vjp = vjp_imag},
    {.name = "conjugate",
     .kind = kElementwise,
     .arity = 1,
     .traits = kInvolution,
     .doc = "The complex conjugate; real numbers are unchanged.",
     .meanings = {{kAny, "x"}, {kComplex, "xr", "-xi"}},
     .vjp = vjp_conjugate},
    {.name = "nan_to_num",
     .kind = OpKind::Composite,
     .arity = 1,
     .traits = kStacked,
     .doc = "x with NaN and the infinities replaced; by default by 0 and the type's extreme finite values.",
     .attrs = {{.name = "nan", .kind = AttrKind::Float, .required = false, .fallback = 0.0, .doc = "what NaN becomes"},
               {.name = "posinf", .kind = AttrKind::Float, .required = false, .doc = "what infinity becomes"},
               {.name = "neginf", .kind = AttrKind::Float, .required = false, .doc = "what minus infinity becomes"}},
     .domain = TypeClass::Real,
     .infer = infer_nan_to_num,
     .expand = expand_nan_to_num},

    {.name = "copy",
     .kind = kElementwise,
     .arity = 1,
     .traits = kIdempotent,
     .doc = "x itself, as a value of its own.",
     .meanings = {{kAny, "raw(x)"}, {kComplex, "xr", "xi"}},
     .vjp = vjp_identity},
    {.name = "contiguous",
     .kind = kElementwise,
     .arity = 1,
     .traits = kIdempotent,
     .doc = "x itself, laid out row-major and dense.",
     .meanings = {{kAny, "raw(x)"}, {kComplex, "xr", "xi"}},
     .vjp = vjp_identity},
    {.name = "stop_gradient",
     .kind = kElementwise,
     .arity = 1,
     .traits = kIdempotent | kNoGradient,
     .doc = "x itself; derivatives do not flow through it.",
     .meanings = {{kAny, "raw(x)"}, {kComplex, "xr", "xi"}}},
});

}  // namespace
}  // namespace frit::ir
