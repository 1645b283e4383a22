// Binary search in a sorted row: the row of `searchsorted` and its routine record.
#include "ir/ops/rules.h"
#include "ir/routines/host_rows.h"
#include "ir/routines/routine.h"

namespace frit::ir {
namespace {

Result<std::vector<Type>> infer_searchsorted(const InferArgs& args) {
  const Type &row = args.operands[0], &values = args.operands[1];
  if (row.dtype != values.dtype || row.rank() != 1)
    return Diagnostic("op 'searchsorted' needs a sorted array of one axis and values of its element type, but got " +
                          row.str() + " and " + values.str(),
                      {}, "flatten the first operand, and convert with 'astype'");
  return std::vector<Type>{{uint32, values.shape}};
}

Status search(const ReferenceCall& call) {
  const HostWindow &row = call.operands[0], &values = call.operands[1], &out = call.results[0];
  const bool right = call.attrs.get_bool("right");
  std::vector<int64_t> at(values.shape.size(), 0);
  int64_t count = 1;
  for (int64_t n : values.shape) count *= n;
  for (int64_t i = 0; i < count; ++i) {
    int64_t from = values.offset, to = out.offset, rest = i;
    for (size_t axis = values.shape.size(); axis-- > 0;) {
      from += rest % values.shape[axis] * values.strides[axis];
      to += rest % values.shape[axis] * out.strides[axis];
      rest /= values.shape[axis];
    }
    const OrderKey wanted = order_key(values.dtype, values.bits(from));
    // Every implementation takes these steps, so that a row that is not sorted has the same result everywhere.
    int64_t first = 0;
    for (int64_t left = row.shape[0]; left > 0;) {
      const int64_t half = left / 2;
      const OrderKey key = order_key(row.dtype, row.bits(row.offset + (first + half) * row.strides[0]));
      const bool before = right ? key <= wanted : key < wanted;
      first += before ? half + 1 : 0;
      left = before ? left - half - 1 : half;
    }
    out.set_bits(to, static_cast<uint64_t>(first));
  }
  return {};
}

constinit const Routine kSearchsorted{.name = "searchsorted",
                                      .operands = 2,
                                      .results = 1,
                                      .infer = infer_searchsorted,
                                      .reference = search,
                                      .exact = true};

const RegisterRoutine record(kSearchsorted);

const RegisterOps row({{
    .name = "searchsorted",
    .kind = OpKind::Library,
    .arity = 2,
    .traits = kExpensive | kNoGradient,
    .doc = "For each element of the second operand, how many elements of the first, which is sorted, are less than it; "
           "with right=true, how many are less or equal. The order is that of 'sort'.",
    .attrs = {{.name = "right",
               .kind = AttrKind::Bool,
               .required = false,
               .fallback = false,
               .doc = "count equal elements too"}},
    .routine = &kSearchsorted,
    .infer = infer_searchsorted,
}});

}  // namespace
}  // namespace frit::ir
