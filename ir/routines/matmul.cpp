// Products of matrices: the row of `matmul` and its routine record.
#include "ir/routines/matmul.h"

#include "ir/ops/rules.h"
#include "ir/routines/cost.h"
#include "ir/routines/linear_algebra.h"

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

std::vector<ValueId> vjp_matmul(Builder& b, const Op&, Values operands, Values, Values cotangents) {
  const auto adjoint = [&](ValueId v) { return rules::conjugated(b, rules::swap_last(b, v)); };
  return {b.build("matmul", {cotangents[0], adjoint(operands[1])}),
          b.build("matmul", {adjoint(operands[0]), cotangents[0]})};
}

// One factor that is the same everywhere: the matrices of all positions are one matrix of further rows, which costs
// nothing; a column each makes one matrix of columns. Everything else is a stack of products.
Result<std::vector<ValueId>> batch_matmul(const BatchCall& call) {
  const Type &x = call.types[0], &y = call.types[1];
  if (!call.batched[1] && x.rank() == 2) {
    FRIT_ASSIGN_OR_RETURN(rows, call.reshape(call.operands[0], {call.size * x.shape[0], x.shape[1]}));
    FRIT_ASSIGN_OR_RETURN(product, call.build("matmul", {rows, call.operands[1]}));
    FRIT_ASSIGN_OR_RETURN(out, call.reshape(product, call.with_axis(call.results[0].shape)));
    return std::vector{out};
  }
  if (!call.batched[0] && y.shape.back().is(1)) {
    FRIT_ASSIGN_OR_RETURN(columns, matrices::to_columns(call, call.operands[1]));
    FRIT_ASSIGN_OR_RETURN(product, call.build("matmul", {call.operands[0], columns}));
    FRIT_ASSIGN_OR_RETURN(out, matrices::from_columns(call, product, call.results[0]));
    return std::vector{out};
  }
  FRIT_ASSIGN_OR_RETURN(left, call.stacked(0));
  FRIT_ASSIGN_OR_RETURN(right, call.stacked(1));
  FRIT_ASSIGN_OR_RETURN(out, call.build("matmul", {left, right}));
  return std::vector{out};
}

// The positions stand beside the columns of the left and the rows of the right factor: one product sums over both.
ValueId sum_of_products(Builder& b, Values operands) {
  const auto merged = [&](ValueId v, size_t before) {
    // Axis 0 moves to where `before` axes stand in front of it.
    const size_t rank = static_cast<size_t>(b.type(v).rank());
    Dims axes, shape;
    for (size_t i = 1; i <= before; ++i) axes.push_back(static_cast<int64_t>(i));
    axes.push_back(0);
    for (size_t i = before + 1; i < rank; ++i) axes.push_back(static_cast<int64_t>(i));
    const Shape sizes = b.type(v).shape;
    for (size_t i = 1; i < rank; ++i) shape.push_back(i == before + 1 ? sizes[0] * sizes[i] : sizes[i]);
    if (before) v = b.build("transpose", {v}, {{"axes", axes}});
    return b.build("reshape", {v}, {{"shape", shape}});
  };
  const size_t last = static_cast<size_t>(b.type(operands[0]).rank()) - 1;
  return b.build("matmul", {merged(operands[0], last - 1), merged(operands[1], last - 2)});
}

Status multiply(const ReferenceCall& call) {
  const HostWindow &a = call.operands[0], &b = call.operands[1], &out = call.results[0];
  const size_t rank = out.shape.size(), rows = rank - 2, columns = rank - 1;
  const int64_t depth = a.shape[columns];
  int64_t batches = 1;
  for (size_t axis = 0; axis < rows; ++axis) batches *= out.shape[axis];
  for (int64_t batch = 0; batch < batches; ++batch) {
    const int64_t left = matrix_start(a, batch), right = matrix_start(b, batch), to = matrix_start(out, batch);
    for (int64_t i = 0; i < out.shape[rows]; ++i)
      for (int64_t j = 0; j < out.shape[columns]; ++j) {
        std::complex<double> sum = 0;
        for (int64_t k = 0; k < depth; ++k) {
          const std::complex<double> x = a.number(left + i * a.strides[rows] + k * a.strides[columns]);
          const std::complex<double> y = b.number(right + k * b.strides[rows] + j * b.strides[columns]);
          // Real products stay real: 0 * infinity in an imaginary part would give NaN.
          sum = is_complex(out.dtype) ? sum + x * y : sum.real() + x.real() * y.real();
        }
        out.set_number(to + i * out.strides[rows] + j * out.strides[columns], sum);
      }
  }
  return {};
}

std::optional<Dim> flops_of_product(const RoutineLayouts& call) {
  return cost::product(call.results[0].shape, call.operands[0].shape.back(), call.dtypes[0]);
}

}  // namespace

constinit const Routine kMatmul{.name = "matmul",
                                .operands = 2,
                                .results = 1,
                                .infer = infer_matmul,
                                .reference = multiply,
                                .epilogue = RoutineEpilogue::FirstResult,
                                .takes_rows = true,
                                .flops = flops_of_product};

namespace {

const RegisterRoutine matmul_record(kMatmul);

const RegisterOps matmul_rows({{
    .name = "matmul",
    .kind = OpKind::Library,
    .arity = 2,
    .traits = kExpensive,
    .doc = "The product of matrices over the last two axes, [.., m, k] by [.., k, n], for each position of the equal "
           "leading axes. Low-precision floats are summed in float32 and rounded once; the order of the sum is the "
           "library's. Zero for k = 0.",
    .domain = TypeClass::Inexact,
    .routine = &kMatmul,
    .infer = infer_matmul,
    .vjp = vjp_matmul,
    .stacked_sum = sum_of_products,
    .batch = batch_matmul,
}});

}  // namespace
}  // namespace frit::ir
