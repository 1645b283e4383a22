// Composites over products of matrices, whose own row is in ir/routines/matmul.cpp.
#include "ir/graph/graph.h"
#include "ir/graph/op.h"

namespace frit::ir {
namespace {

using Values = std::span<const ValueId>;

Result<std::vector<Type>> infer_addmm(const InferArgs& args) {
  const Type& c = args.operands[0];
  FRIT_ASSIGN_OR_RETURN(product, infer(op("matmul"), {args.operands.subspan(1), AttrMap(), args.facts}));
  if (c.dtype != product[0].dtype || !same_shape(c.shape, product[0].shape, args.facts))
    return Diagnostic("op 'addmm' adds to a product of type " + product[0].str() + ", but got " + c.str(), {},
                      "make the types equal with 'astype' and 'broadcast_to' first");
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

const RegisterOps linalg_rows({
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
