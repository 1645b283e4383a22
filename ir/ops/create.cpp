// Values from nothing: constants and functions of the position.
#include "ir/graph/op.h"
#include "ir/ops/rules.h"

namespace frit::ir {
namespace {

// Sizes must be known to be zero or more.
Status check_shape(std::string_view op, const Dims& shape, const DimFacts& facts) {
  for (const Dim& d : shape)
    if (!rules::at_most(0, d, facts))
      return Diagnostic("op '" + std::string(op) + "' needs sizes that are zero or more, but its shape is " +
                        shape_text(shape));
  return {};
}

Result<std::vector<Type>> infer_iota(const InferArgs& args) {
  Dtype t = std::get<Dtype>(*args.attrs.find("dtype"));
  const Dims& shape = args.attrs.get_dims("shape");
  FRIT_TRY(check_shape("iota", shape, args.facts));
  if (is_complex(t))
    return Diagnostic("op 'iota' gives bool or real numbers, not c64", {}, "convert with 'astype' after");
  const Dim axis = args.attrs.get_dim("axis", -1);
  if (!axis.is_const() || axis.value() < -1 || axis.value() >= static_cast<int64_t>(shape.size()))
    return Diagnostic("op 'iota' has axis " + axis.str() + ", but its shape is " + shape_text(shape), {},
                      "count axes from 0; leave the axis out for one value everywhere");
  return std::vector<Type>{{t, shape}};
}

Dim iota_value(const Op& op, const Type&, std::span<const Dim> at) {
  Dim start = op.attrs.get_dim("start", 0);
  int64_t axis = op.attrs.get_int("axis", -1);
  return axis < 0 ? start : start + op.attrs.get_dim("step", 1) * at[static_cast<size_t>(axis)];
}

Result<std::vector<Type>> infer_arange(const InferArgs& args) {
  const Literal &start = std::get<Literal>(*args.attrs.find("start")),
                &step = std::get<Literal>(*args.attrs.find("step"));
  Dtype t = std::get<Dtype>(*args.attrs.find("dtype"));
  if (start.count() != 1 || step.count() != 1 || start.dtype() != step.dtype())
    return Diagnostic("op 'arange' needs one start and one step of one element type");
  if (is_complex(t) || t == bool_ || is_complex(start.dtype()))
    return Diagnostic("op 'arange' gives real numbers, not " + std::string(short_name(t)), {},
                      "convert with 'astype' after");
  Dims shape{args.attrs.get_dim("size")};
  FRIT_TRY(check_shape("arange", shape, args.facts));
  return std::vector<Type>{{t, shape}};
}

// start + i * step in the literals' compute type, converted once.
std::vector<ValueId> expand_arange(Builder& b, const Op& op, std::span<const ValueId>) {
  const Literal &start = std::get<Literal>(*op.attrs.find("start")), &step = std::get<Literal>(*op.attrs.find("step"));
  Dims shape{op.attrs.get_dim("size")};
  Dtype t = std::get<Dtype>(*op.attrs.find("dtype"));
  if (is_int(start.dtype()))
    return {b.build("iota", {},
                    {{"shape", shape},
                     {"axis", Dim(0)},
                     {"dtype", t},
                     {"start", Dim(start.as_int())},
                     {"step", Dim(step.as_int())}})};
  Dtype compute = compute_type(start.dtype());
  ValueId i = b.build("iota", {}, {{"shape", shape}, {"axis", Dim(0)}, {"dtype", compute}});
  const Type type = b.type(i);
  ValueId scaled = b.build("multiply", {i, b.splat(step.as_double(), type)});
  return {b.cast(b.build("add", {b.splat(start.as_double(), type), scaled}), t)};
}

const RegisterOps create_rows({
    {.name = "constant",
     .kind = OpKind::Constant,
     .arity = 0,
     .doc = "Elements known at compile time, in row-major order.",
     .attrs = {{.name = "value", .kind = AttrKind::Literal, .doc = "the elements"},
               {.name = "shape",
                .kind = AttrKind::Ints,
                .required = false,
                .fallback = Dims{},
                .doc = "the shape of the result"}}},
    {.name = "iota",
     .kind = OpKind::Iota,
     .arity = 0,
     .doc =
         "start + step * i, where i is the position along an axis; without an axis, start everywhere. Computed in 64-bit "
         "integers, then converted. With a symbolic start this is how a size becomes a number.",
     .attrs =
         {{.name = "shape", .kind = AttrKind::Ints, .doc = "the shape of the result"},
          {.name = "axis",
           .kind = AttrKind::Int,
           .required = false,
           .fallback = Dim(-1),
           .doc = "the axis to count along; -1: none"},
          {.name = "dtype", .kind = AttrKind::Dtype, .doc = "the element type of the result"},
          {.name = "start", .kind = AttrKind::Int, .required = false, .fallback = Dim(0), .doc = "the first value"},
          {.name = "step",
           .kind = AttrKind::Int,
           .required = false,
           .fallback = Dim(1),
           .doc = "the distance of neighbours"}},
     .result = ResultType::FromRule,
     .infer = infer_iota,
     .index_value = iota_value},
    {.name = "arange",
     .kind = OpKind::Composite,
     .arity = 0,
     .doc =
         "start, start + step, ...: element i is start + i * step, computed in the type of start and step (float32 for "
         "low-precision floats) and converted once.",
     .attrs = {{.name = "start", .kind = AttrKind::Literal, .doc = "the first value"},
               {.name = "step", .kind = AttrKind::Literal, .doc = "the distance of neighbours"},
               {.name = "size", .kind = AttrKind::Int, .doc = "how many"},
               {.name = "dtype", .kind = AttrKind::Dtype, .doc = "the element type of the result"}},
     .result = ResultType::FromRule,
     .infer = infer_arange,
     .expand = expand_arange},
});

}  // namespace
}  // namespace frit::ir
