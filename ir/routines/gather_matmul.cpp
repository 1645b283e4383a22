// Products of matrices that positions pick from two stacks: the rows `gather_matmul` and `gather_matmul_sum` and their
// routine records.
//
// The matrices are read where they lie. The second row is the derivative of the first one and of itself: each product
// is added to one of its results, which a third list of positions names.
#include "ir/routines/gather_matmul.h"

#include <algorithm>

#include "ir/graph/position.h"
#include "ir/ops/rules.h"
#include "ir/routines/cost.h"
#include "ir/routines/gather_matmul_rules.h"

namespace frit::ir {
namespace {

constexpr size_t kLeft = 2, kRight = 3, kTo = 4;  // operands of positions

// The result for `operands`, with `size` matrices, or one for each pair.
Result<std::vector<Type>> infer_products(std::string_view op, const InferArgs& args, const Dim* size) {
  const Type &a = args.operands[0], &b = args.operands[1];
  const auto fail = [&](std::string_view needs, std::string_view cure) {
    return Diagnostic(
        "op '" + std::string(op) + "' needs " + std::string(needs) + ", but got " + rules::list(args.operands), {},
        std::string(cure));
  };
  if (a.dtype != b.dtype || !is_inexact(a.dtype))
    return fail("floats or complex numbers of one element type", "convert with 'astype' first");
  if (a.rank() != 3 || b.rank() != 3) return fail("two stacks of matrices with three axes", "use 'reshape' first");
  if (!rules::same_size(a.shape[2], b.shape[1], args.facts))
    return fail("as many columns on the left as rows on the right", "transpose an operand");
  const Dim pairs = args.operands[kLeft].rank() == 1 ? args.operands[kLeft].shape[0] : Dim(0);
  for (size_t i = kLeft; i < args.operands.size(); ++i) {
    const Type& t = args.operands[i];
    if (!is_int(t.dtype) || t.rank() != 1 || !rules::same_size(t.shape[0], pairs, args.facts))
      return fail("lists of integers of one length as positions", "use 'astype' and 'reshape' first");
  }
  if (size && !rules::at_most(0, *size, args.facts))
    return fail("a size of 0 or more, not " + size->str(), "state that the size is at least 0");
  return std::vector<Type>{{a.dtype, {size ? *size : pairs, a.shape[1], b.shape[2]}}};
}

Result<std::vector<Type>> infer_each(const InferArgs& args) { return infer_products("gather_matmul", args, nullptr); }
Result<std::vector<Type>> infer_sums(const InferArgs& args) {
  const Dim size = args.attrs.get_dim("size");
  return infer_products("gather_matmul_sum", args, &size);
}

// The matrix that an element of a list of positions picks.
int64_t position_in(const HostWindow& positions, int64_t pair, int64_t count) {
  return position_of(positions.bits(positions.offset + pair * positions.strides[0]), positions.dtype, count);
}

Status multiply_picked(const ReferenceCall& call) {
  const HostWindow &a = call.operands[0], &b = call.operands[1], &out = call.results[0];
  const int64_t pairs = call.operands[kLeft].shape[0], depth = a.shape[2], rows = out.shape[1], columns = out.shape[2];
  const int64_t elements = rows * columns;
  std::vector<std::complex<double>> sums(static_cast<size_t>(out.shape[0] * elements));
  const bool none = a.shape[0] == 0 || b.shape[0] == 0 || out.shape[0] == 0;
  for (int64_t pair = 0; pair < pairs && !none; ++pair) {
    const int64_t left = matrix_start(a, position_in(call.operands[kLeft], pair, a.shape[0]));
    const int64_t right = matrix_start(b, position_in(call.operands[kRight], pair, b.shape[0]));
    const int64_t to = call.operands.size() > kTo ? position_in(call.operands[kTo], pair, out.shape[0]) : pair;
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) {
        std::complex<double>& sum = sums[static_cast<size_t>(to * elements + i * columns + j)];
        for (int64_t k = 0; k < depth; ++k) {
          const std::complex<double> x = a.number(left + i * a.strides[1] + k * a.strides[2]);
          const std::complex<double> y = b.number(right + k * b.strides[1] + j * b.strides[2]);
          // Real products stay real: 0 * infinity in an imaginary part would give NaN.
          sum = is_complex(out.dtype) ? sum + x * y : sum.real() + x.real() * y.real();
        }
      }
  }
  for (int64_t to = 0; to < out.shape[0]; ++to)
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        out.set_number(out.offset + to * out.strides[0] + i * out.strides[1] + j * out.strides[2],
                       sums[static_cast<size_t>(to * elements + i * columns + j)]);
  return {};
}

// A product for each pair.
std::optional<Dim> flops_of_products(const RoutineLayouts& call) {
  const Shape &a = call.operands[0].shape, &b = call.operands[1].shape;
  return cost::product({call.operands[kLeft].shape[0], a[1], b[2]}, a[2], call.dtypes[0]);
}

}  // namespace

constinit const Routine kGatherMatmul{.name = "gather_matmul",
                                      .operands = 4,
                                      .results = 1,
                                      .infer = infer_each,
                                      .reference = multiply_picked,
                                      .has_kernels = true,
                                      .flops = flops_of_products};
constinit const Routine kGatherMatmulSum{.name = "gather_matmul_sum",
                                         .operands = 5,
                                         .results = 1,
                                         .infer = infer_sums,
                                         .reference = multiply_picked,
                                         .has_kernels = true,
                                         .flops = flops_of_products};

namespace {

const RegisterRoutine gather_matmul_record(kGatherMatmul), gather_matmul_sum_record(kGatherMatmulSum);

const RegisterOps gather_matmul_rows({
    {.name = "gather_matmul",
     .kind = OpKind::Library,
     .arity = 4,
     .traits = kExpensive,
     .doc =
         "Products of matrices that positions pick from two stacks, [a, m, k] and [b, k, n]: product i, of [p, m, n], is "
         "that of the matrices that element i of the third operand picks from the first one, and of the fourth from the "
         "second. A negative position counts from the end of its stack; one outside means the nearest end. A "
         "stack without matrices counts as zeros. Low-precision floats are summed in float32 and rounded once; the order of the sum is the library's.",
     .domain = TypeClass::Inexact,
     .routine = &kGatherMatmul,
     .infer = infer_each,
     .expand = expand_gather_matmul,
     .vjp = vjp_gather_matmul,
     .jvp = jvp_gather_matmul,
     .batch = batch_gather_matmul},
    {.name = "gather_matmul_sum",
     .kind = OpKind::Library,
     .arity = 5,
     .traits = kExpensive,
     .doc =
         "The products of gather_matmul, each added to one of `size` matrices of zeros, [size, m, n]: the fifth operand "
         "has the position of that matrix. The order of the sum is the library's; low-precision floats are rounded once "
         "or once a product.",
     .attrs = {{.name = "size", .kind = AttrKind::Int, .doc = "how many matrices the result has"}},
     .domain = TypeClass::Inexact,
     .routine = &kGatherMatmulSum,
     .infer = infer_sums,
     .expand = expand_gather_matmul,
     .vjp = vjp_gather_matmul,
     .jvp = jvp_gather_matmul,
     .batch = batch_gather_matmul},
});

}  // namespace
}  // namespace frit::ir
