// Binary search in a sorted row: the row of `searchsorted` and its routine record.
#include <bit>

#include "ir/graph/batch.h"
#include "ir/ops/rules.h"
#include "ir/routines/cost.h"
#include "ir/routines/host_rows.h"
#include "ir/routines/routine.h"

namespace frit::ir {
namespace {

Result<std::vector<Type>> infer_searchsorted(const InferArgs& args) {
  const Type &row = args.operands[0], &values = args.operands[1];
  const int lead = row.rank() - 1;
  bool fits = row.dtype == values.dtype && lead >= 0 && lead <= values.rank();
  for (size_t i = 0; fits && i + 1 < row.shape.size(); ++i)
    fits = rules::same_size(row.shape[i], values.shape[i], args.facts);
  if (!fits)
    return Diagnostic("op 'searchsorted' needs sorted rows and values of their element type, which begin with the " +
                          std::string("leading axes of the rows, but got ") + row.str() + " and " + values.str(),
                      {}, "make the leading axes equal with 'broadcast', and convert with 'astype'");
  return std::vector<Type>{{uint32, values.shape}};
}

// A row that is the same everywhere is searched for the values of all positions.
Result<std::vector<ValueId>> batch_searchsorted(const BatchCall& call) {
  const bool shared = !call.batched[0] && call.types[0].rank() == 1;
  FRIT_ASSIGN_OR_RETURN(rows, shared ? Result<ValueId>(call.operands[0]) : call.stacked(0));
  FRIT_ASSIGN_OR_RETURN(values, call.stacked(1));
  FRIT_ASSIGN_OR_RETURN(out, call.build("searchsorted", {rows, values}, call.op.attrs));
  return std::vector{out};
}

Status search(const ReferenceCall& call) {
  const HostWindow &row = call.operands[0], &values = call.operands[1], &out = call.results[0];
  const HostRows rows(row);
  const bool right = call.attrs.get_bool("right");
  std::vector<int64_t> at(values.shape.size(), 0);
  int64_t count = 1;
  for (int64_t n : values.shape) count *= n;
  const int64_t each = rows.count() ? count / rows.count() : 0;  // values for one row
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
    for (int64_t left = rows.length(); left > 0;) {
      const int64_t half = left / 2;
      const OrderKey key = order_key(row.dtype, row.bits(rows.at(i / each, first + half)));
      const bool before = right ? key <= wanted : key < wanted;
      first += before ? half + 1 : 0;
      left = before ? left - half - 1 : half;
    }
    out.set_bits(to, static_cast<uint64_t>(first));
  }
  return {};
}

// A halving for each wanted element and bit of the row's length.
std::optional<Dim> comparisons(const RoutineLayouts& call) {
  const Dim& n = call.operands[0].shape.back();
  if (!n.is_const()) return std::nullopt;
  return cost::leading(call.operands[1].shape, 0) *
         Dim(static_cast<int64_t>(std::bit_width(static_cast<uint64_t>(n.value()))));
}

constinit const Routine kSearchsorted{.name = "searchsorted",
                                      .operands = 2,
                                      .results = 1,
                                      .infer = infer_searchsorted,
                                      .reference = search,
                                      .exact = true,
                                      .flops = comparisons};

const RegisterRoutine searchsorted_record(kSearchsorted);

const RegisterOps searchsorted_rows({{
    .name = "searchsorted",
    .kind = OpKind::Library,
    .arity = 2,
    .traits = kExpensive | kNoGradient,
    .doc =
        "For each element of the second operand, how many elements of the first, which is sorted, are less than it; "
        "with right=true, how many are less or equal. The order is that of 'sort'. A first operand with several axes "
        "has a row for each position of the second one's leading axes, which are its own.",
    .attrs = {{.name = "right",
               .kind = AttrKind::Bool,
               .required = false,
               .fallback = false,
               .doc = "count equal elements too"}},
    .routine = &kSearchsorted,
    .infer = infer_searchsorted,
    .batch = batch_searchsorted,
}});

}  // namespace
}  // namespace frit::ir
