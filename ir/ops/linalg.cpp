// Matrix products.
#include "ir/graph/op.h"
#include "ir/ops/rules.h"

namespace frit::ir {
namespace {

using Values = std::span<const ValueId>;

Result<std::vector<Type>> infer_matmul(const InferArgs& args) {
  const Type &a = args.operands[0], &b = args.operands[1];
  auto fail = [&](std::string_view needs, std::string_view cure) {
    return Diagnostic("op 'matmul' needs " + std::string(needs) + ", but got " + a.str() + " and " + b.str(), {},
                      std::string(cure));
  };
  if (a.dtype != b.dtype || !is_inexact(a.dtype))
    return fail("floats or complex numbers of one element type", "convert with 'astype' first");
  if (a.rank() < 2 || a.rank() != b.rank())
    return fail("matrices or stacks of matrices of one rank", "add axes with 'reshape' first");
  size_t batch = a.shape.size() - 2;
  for (size_t i = 0; i < batch; ++i)
    if (!rules::same_size(a.shape[i], b.shape[i], args.facts))
      return fail("equal leading axes", "make them equal with 'broadcast' first");
  if (!rules::same_size(a.shape[batch + 1], b.shape[batch], args.facts))
    return fail("as many columns on the left as rows on the right", "transpose an operand");
  Type out{a.dtype, a.shape};
  out.shape.back() = b.shape.back();
  return std::vector<Type>{out};
}

ValueId swap_last(Builder& b, ValueId v) {
  int rank = b.type(v).rank();
  Dims axes;
  for (int i = 0; i < rank - 2; ++i) axes.push_back(i);
  axes.push_back(rank - 1);
  axes.push_back(rank - 2);
  return b.build("transpose", {v}, {{"axes", axes}});
}

std::vector<ValueId> vjp_matmul(Builder& b, const Op&, Values operands, Values, Values cotangents) {
  return {b.build("matmul", {cotangents[0], swap_last(b, operands[1])}),
          b.build("matmul", {swap_last(b, operands[0]), cotangents[0]})};
}

Result<std::vector<Type>> infer_addmm(const InferArgs& args) {
  const Type& c = args.operands[0];
  FRIT_ASSIGN_OR_RETURN(product, infer_matmul({args.operands.subspan(1), args.attrs, args.facts}));
  if (c.dtype != product[0].dtype || !same_shape(c.shape, product[0].shape, args.facts))
    return Diagnostic("op 'addmm' adds to a product of type " + product[0].str() + ", but got " + c.str(), {},
                      "make the types equal with 'astype' and 'broadcast' first");
  return product;
}

std::vector<ValueId> expand_addmm(Builder& b, const Op& op, Values operands) {
  ValueId product = b.build("matmul", {operands[1], operands[2]}), added = operands[0];
  const Type type = b.type(product);
  double alpha = op.attrs.get_float("alpha", 1), beta = op.attrs.get_float("beta", 1);
  if (alpha != 1) product = b.build("multiply", {b.splat(alpha, type), product});
  if (beta != 1) added = b.build("multiply", {b.splat(beta, type), added});
  return {b.build("add", {product, added})};
}

const RegisterOps rows({
    {.name = "matmul",
     .kind = OpKind::Library,
     .arity = 2,
     .traits = kExpensive,
     .doc =
         "The product of matrices over the last two axes, [.., m, k] by [.., k, n], for each position of the equal leading "
         "axes. Low-precision floats are summed in float32 and rounded once; the order of the sum is the library's. Zero "
         "for k = 0.",
     .domain = TypeClass::Inexact,
     .library = "matmul",
     .infer = infer_matmul,
     .vjp = vjp_matmul},
    {.name = "addmm",
     .kind = OpKind::Composite,
     .arity = 3,
     .doc = "alpha * matmul(y, z) + beta * x, each step rounded to the element type.",
     .attrs = {{.name = "alpha",
                .kind = AttrKind::Float,
                .required = false,
                .fallback = 1.0,
                .doc = "the factor of the product"},
               {.name = "beta",
                .kind = AttrKind::Float,
                .required = false,
                .fallback = 1.0,
                .doc = "the factor of what is added"}},
     .domain = TypeClass::Inexact,
     .infer = infer_addmm,
     .expand = expand_addmm},
});

}  // namespace
}  // namespace frit::ir
