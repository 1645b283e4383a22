// Sorting along the last axis: the rows and routine records of `sort`, `argsort`, `partition`, `argpartition` and
// `topk`.
//
// A step of `argsort` or `sort` that a pass makes may have the attribute `below`: all elements are integers from 0 on
// and less than it.
//
// The order of elements is that of ir/routines/host_rows.h. Equal elements keep their order, so every result is
// determined to the bit.
#include "ir/ops/rules.h"
#include "ir/routines/cost.h"
#include "ir/routines/host_rows.h"
#include "ir/routines/routine.h"

namespace frit::ir {
namespace {

Diagnostic no_axis(std::string_view op, const Type& x) {
  return Diagnostic("op '" + std::string(op) + "' needs an axis to sort along, but got " + x.str(), {},
                    "give an array with at least one axis");
}

// The type of sorted elements, or of their positions.
Result<std::vector<Type>> along_rows(std::string_view op, const InferArgs& args, bool positions) {
  const Type& x = args.operands[0];
  if (x.rank() == 0) return no_axis(op, x);
  return std::vector<Type>{{positions ? uint32 : x.dtype, x.shape}};
}

// `kth` lies inside the last axis. Every position lies inside of an axis without elements.
Result<std::vector<Type>> around_kth(std::string_view op, const InferArgs& args, bool positions) {
  const Type& x = args.operands[0];
  if (x.rank() == 0) return no_axis(op, x);
  const Dim kth = args.attrs.get_dim("kth");
  if (!rules::at_most(0, kth, args.facts) || !rules::at_most(kth + Dim(1), x.shape.back(), args.facts))
    return Diagnostic("op '" + std::string(op) + "' has kth=" + kth.str() +
                          ", which is not known to lie in the last "
                          "axis of " +
                          x.str(),
                      {}, "give a position from 0 to the size of the axis");
  return std::vector<Type>{{positions ? uint32 : x.dtype, x.shape}};
}

Result<std::vector<Type>> infer_sort(const InferArgs& args) { return along_rows("sort", args, false); }
Result<std::vector<Type>> infer_argsort(const InferArgs& args) { return along_rows("argsort", args, true); }
Result<std::vector<Type>> infer_partition(const InferArgs& args) { return around_kth("partition", args, false); }
Result<std::vector<Type>> infer_argpartition(const InferArgs& args) { return around_kth("argpartition", args, true); }

Result<std::vector<Type>> infer_topk(const InferArgs& args) {
  const Type& x = args.operands[0];
  if (x.rank() == 0) return no_axis("topk", x);
  const Dim k = args.attrs.get_dim("k");
  if (!rules::at_most(0, k, args.facts) || !rules::at_most(k, x.shape.back(), args.facts))
    return Diagnostic(
        "op 'topk' has k=" + k.str() + ", which is not known to lie between 0 and the last axis of " + x.str(), {},
        "give a number from 0 to the size of the axis");
  Type out = x;
  out.shape.back() = k;
  return std::vector<Type>{out};
}

template <bool kPositions>
Status sorted(const ReferenceCall& call) {
  const HostWindow &x = call.operands[0], &out = call.results[0];
  const HostRows from(x), to(out);
  for (int64_t row = 0; row < from.count(); ++row) {
    const std::vector<int64_t> order = stable_order(x, from, row);
    // The last elements, where the result has fewer.
    const int64_t skipped = from.length() - to.length();
    for (int64_t i = 0; i < to.length(); ++i) {
      const int64_t place = order[static_cast<size_t>(i + skipped)];
      out.set_bits(to.at(row, i), kPositions ? static_cast<uint64_t>(place) : x.bits(from.at(row, place)));
    }
  }
  return {};
}

// The elements in front of the kth and those behind it keep their order.
template <bool kPositions>
Status partitioned(const ReferenceCall& call) {
  const HostWindow &x = call.operands[0], &out = call.results[0];
  const HostRows from(x), to(out);
  const int64_t kth = call.attrs.get_int("kth");
  for (int64_t row = 0; row < from.count(); ++row) {
    std::vector<int64_t> order = stable_order(x, from, row);
    std::sort(order.begin(), order.begin() + kth);
    std::sort(order.begin() + kth + 1, order.end());
    for (int64_t i = 0; i < to.length(); ++i) {
      const int64_t place = order[static_cast<size_t>(i)];
      out.set_bits(to.at(row, i), kPositions ? static_cast<uint64_t>(place) : x.bits(from.at(row, place)));
    }
  }
  return {};
}

// ---- derivatives: each cotangent goes back to where its element came from ----

using Values = std::span<const ValueId>;

std::vector<ValueId> put_back(Builder& b, Values operands, ValueId positions, Values cotangents) {
  const Type x = b.type(operands[0]);
  return {b.build("put_along_axis", {b.splat(0, x), positions, cotangents[0]}, {{"axis", Dim(x.rank() - 1)}})};
}
std::vector<ValueId> vjp_sort(Builder& b, const Op&, Values operands, Values, Values cotangents) {
  return put_back(b, operands, b.build("argsort", {operands[0]}), cotangents);
}
std::vector<ValueId> vjp_partition(Builder& b, const Op& op, Values operands, Values, Values cotangents) {
  return put_back(b, operands, b.build("argpartition", {operands[0]}, {{"kth", op.attrs.get_dim("kth")}}), cotangents);
}
std::vector<ValueId> vjp_topk(Builder& b, const Op& op, Values operands, Values, Values cotangents) {
  const Shape shape = b.type(operands[0]).shape;
  Dims start(shape.size(), 0);
  start.back() = shape.back() - op.attrs.get_dim("k");
  const ValueId order = b.build("argsort", {operands[0]});
  return put_back(b, operands, b.build("slice", {order}, {{"start", start}, {"stop", Dims(shape)}}), cotangents);
}

// Comparisons: n log2(n) of a row to sort; 3 n, about what a selection needs, where one position divides it.
std::optional<Dim> comparisons_to_sort(const RoutineLayouts& call) {
  const Shape& x = call.operands[0].shape;
  const std::optional<Dim> row = cost::n_log_n(x.back(), 1);
  return row ? std::optional(cost::leading(x, 1) * *row) : std::nullopt;
}
std::optional<Dim> comparisons_to_select(const RoutineLayouts& call) {
  return cost::leading(call.operands[0].shape, 0) * Dim(3);
}

constinit const Routine kSort{
    .name = "sort", .infer = infer_sort, .reference = sorted<false>, .exact = true, .flops = comparisons_to_sort};
constinit const Routine kArgsort{
    .name = "argsort", .infer = infer_argsort, .reference = sorted<true>, .exact = true, .flops = comparisons_to_sort};
constinit const Routine kPartition{.name = "partition",
                                   .infer = infer_partition,
                                   .reference = partitioned<false>,
                                   .exact = true,
                                   .flops = comparisons_to_select};
constinit const Routine kArgpartition{.name = "argpartition",
                                      .infer = infer_argpartition,
                                      .reference = partitioned<true>,
                                      .exact = true,
                                      .flops = comparisons_to_select};
constinit const Routine kTopk{
    .name = "topk", .infer = infer_topk, .reference = sorted<false>, .exact = true, .flops = comparisons_to_select};

const RegisterRoutine sort_records[] = {RegisterRoutine(kSort), RegisterRoutine(kArgsort), RegisterRoutine(kPartition),
                                        RegisterRoutine(kArgpartition), RegisterRoutine(kTopk)};

const RegisterOps sort_rows({
    {.name = "sort",
     .kind = OpKind::Library,
     .arity = 1,
     .traits = kStacked | kExpensive | kIdempotent,
     .doc = "The elements along the last axis in ascending order. Equal elements keep their order, zeros of both signs "
            "are equal, complex numbers are ordered by real, then by imaginary part, and NaN comes last.",
     .routine = &kSort,
     .infer = infer_sort,
     .vjp = vjp_sort},
    {.name = "argsort",
     .kind = OpKind::Library,
     .arity = 1,
     .traits = kStacked | kExpensive | kNoGradient,
     .doc = "The positions along the last axis that put the elements into the order of 'sort', as uint32.",
     .routine = &kArgsort,
     .infer = infer_argsort},
    {.name = "partition",
     .kind = OpKind::Library,
     .arity = 1,
     .traits = kStacked | kExpensive,
     .doc = "The elements along the last axis, with element kth of the order of 'sort' in its place, those that come "
            "before it in front and the others behind. Both parts keep the order of the operand.",
     .attrs = {{.name = "kth", .kind = AttrKind::Int, .doc = "a position in the last axis"}},
     .routine = &kPartition,
     .infer = infer_partition,
     .vjp = vjp_partition},
    {.name = "argpartition",
     .kind = OpKind::Library,
     .arity = 1,
     .traits = kStacked | kExpensive | kNoGradient,
     .doc = "The positions along the last axis that put the elements into the order of 'partition', as uint32.",
     .attrs = {{.name = "kth", .kind = AttrKind::Int, .doc = "a position in the last axis"}},
     .routine = &kArgpartition,
     .infer = infer_argpartition},
    {.name = "topk",
     .kind = OpKind::Library,
     .arity = 1,
     .traits = kStacked | kExpensive,
     .doc = "The k largest elements along the last axis in ascending order: the last k of 'sort'.",
     .attrs = {{.name = "k", .kind = AttrKind::Int, .doc = "how many elements; at most the size of the last axis"}},
     .routine = &kTopk,
     .infer = infer_topk,
     .vjp = vjp_topk},
});

}  // namespace
}  // namespace frit::ir
