// Exchange of arrays between processes: rows and routine records. A group of one process passes arrays on.
#include <cstring>

#include "ir/graph/batch.h"
#include "ir/ops/rules.h"
#include "ir/routines/routine.h"

namespace frit::ir {
namespace {

using Values = std::span<const ValueId>;

int64_t processes(const AttrMap& attrs) { return attrs.get_int("processes", 1); }

Diagnostic no_axis(const char* op, const Type& x) {
  return Diagnostic(std::string("op '") + op + "' joins along the first axis, but got " + x.str(), {},
                    "reshape to one axis first");
}

// Fails where the attributes name no group that a process can be in.
Status check_group(const AttrMap& attrs) {
  const int64_t group = attrs.get_int("group"), size = processes(attrs);
  const auto is_member = [&](std::string_view name) {
    const int64_t i = attrs.get_int(name);
    return i >= 0 && i < size;
  };
  if (group < 0 || size < 1 || (group == 0 && size != 1) || !is_member("rank") || !is_member("peer"))
    return Diagnostic("a distributed op names group " + std::to_string(group) + " of " + std::to_string(size) +
                          " processes, and a process that is not in it",
                      {}, "give group 0 for this process alone, and members from 0");
  return {};
}

Result<std::vector<Type>> infer_same(const InferArgs& args) {
  FRIT_TRY(check_group(args.attrs));
  return std::vector<Type>{args.operands[0]};
}

Result<std::vector<Type>> infer_ordered(const InferArgs& args) {
  if (is_complex(args.operands[0].dtype))
    return Diagnostic("complex numbers have no order, but the extreme of " + args.operands[0].str() + " was asked for",
                      {}, "exchange their parts");
  return infer_same(args);
}

Result<std::vector<Type>> infer_gather(const InferArgs& args) {
  FRIT_TRY(check_group(args.attrs));
  Type type = args.operands[0];
  if (processes(args.attrs) == 1) return std::vector<Type>{type};
  if (type.rank() == 0) return no_axis("all_gather", type);
  type.shape[0] = type.shape[0] * Dim(processes(args.attrs));
  return std::vector<Type>{type};
}

Result<std::vector<Type>> infer_scatter(const InferArgs& args) {
  FRIT_TRY(check_group(args.attrs));
  Type type = args.operands[0];
  const int64_t size = processes(args.attrs);
  if (size == 1) return std::vector<Type>{type};
  if (type.rank() == 0) return no_axis("sum_scatter", type);
  if (!args.facts.divides(size, type.shape[0]))
    return Diagnostic("op 'sum_scatter' of " + type.str() + " over " + std::to_string(size) +
                          " processes needs a first axis that is a multiple of their number",
                      {}, "pad or slice the first axis first");
  type.shape[0] = args.facts.simplify(floor_div(type.shape[0], size));
  return std::vector<Type>{type};
}

// One process cannot compute what others hold: the reference is that of a group of one.
Status pass_on(const ReferenceCall& call) {
  if (processes(call.attrs) != 1)
    return Diagnostic("rows of " + std::to_string(processes(call.attrs)) + " processes cannot be interpreted");
  const HostWindow &x = call.operands[0], &out = call.results[0];
  int64_t count = 1;
  for (int64_t n : x.shape) count *= n;
  for (int64_t i = 0; i < count; ++i) {
    int64_t from = x.offset, to = out.offset, rest = i;
    for (size_t axis = x.shape.size(); axis-- > 0;) {
      from += rest % x.shape[axis] * x.strides[axis];
      to += rest % x.shape[axis] * out.strides[axis];
      rest /= x.shape[axis];
    }
    out.set_bits(to, x.bits(from));
  }
  return {};
}

AttrMap group_of(const Op& op) {
  return {{"group", op.attrs.get_dim("group")}, {"processes", op.attrs.get_dim("processes", 1)}};
}

ValueId all_sum(Builder& b, const Op& op, ValueId v) { return b.build("all_sum", {v}, group_of(op)); }

// Every process adds its own loss: the cotangent of the sum is that of each part, as in MLX.
std::vector<ValueId> vjp_sum(Builder&, const Op&, Values, Values, Values cotangents) { return {cotangents[0]}; }
std::vector<ValueId> jvp_linear(Builder& b, const Op& op, Values, Values, Values tangents) {
  return {*b.try_build(*op.def, {tangents[0]}, op.attrs)->begin()};
}

// Of the processes whose element is the extreme one, each has an equal part of the derivative.
ValueId share(Builder& b, const Op& op, Values operands, Values results) {
  const Dtype type = b.type(results[0]).dtype;  // a copy: building moves the types
  const ValueId hit = rules::inexact(b, b.cast(b.build("equal", {operands[0], results[0]}), type));
  return b.cast(b.build("divide", {hit, all_sum(b, op, hit)}), type);
}
std::vector<ValueId> vjp_extreme(Builder& b, const Op& op, Values operands, Values results, Values cotangents) {
  return {b.build("multiply", {cotangents[0], share(b, op, operands, results)})};
}
std::vector<ValueId> jvp_extreme(Builder& b, const Op& op, Values operands, Values results, Values tangents) {
  return {all_sum(b, op, b.build("multiply", {tangents[0], share(b, op, operands, results)}))};
}

// This process's part of the cotangent.
std::vector<ValueId> vjp_gather(Builder& b, const Op& op, Values operands, Values, Values cotangents) {
  if (processes(op.attrs) == 1) return {cotangents[0]};
  const Type part = b.type(operands[0]);
  Dims start(part.shape.size(), Dim(0)), stop = part.shape;
  start[0] = part.shape[0] * op.attrs.get_dim("rank");
  stop[0] = start[0] + part.shape[0];
  return {b.build("slice", {cotangents[0]}, {{"start", start}, {"stop", stop}})};
}
std::vector<ValueId> vjp_scatter(Builder& b, const Op& op, Values, Values, Values cotangents) {
  AttrMap attrs = group_of(op);
  attrs.set("rank", op.attrs.get_dim("rank"));
  return {b.build("all_gather", {cotangents[0]}, std::move(attrs))};
}

// Parts are joined and cut along the first axis, so the batch axis stands behind it.
Result<std::vector<ValueId>> batch_behind_first(const BatchCall& call) {
  const size_t place = processes(call.op.attrs) == 1 ? 0 : 1;
  FRIT_ASSIGN_OR_RETURN(behind, call.move_axis(call.operands[0], 0, place));
  FRIT_ASSIGN_OR_RETURN(exchanged, call.build(call.op.def->name, {behind}, call.op.attrs));
  FRIT_ASSIGN_OR_RETURN(out, call.move_axis(exchanged, place, 0));
  return std::vector{out};
}

AttrSpec number(std::string_view name, int64_t fallback, std::string_view doc) {
  return {.name = name, .kind = AttrKind::Int, .required = false, .fallback = Dim(fallback), .doc = doc};
}
std::vector<AttrSpec> attributes(bool with_rank, bool with_peer) {
  std::vector<AttrSpec> specs{number("group", 0, "the number of the group in this process; 0: this process alone"),
                              number("processes", 1, "how many processes the group has")};
  if (with_rank) specs.push_back(number("rank", 0, "the number of this process in the group"));
  if (with_peer) specs.push_back(number("peer", 0, "the number of the other process in the group"));
  return specs;
}

bool is_ordered(Dtype t) { return !is_complex(t); }

constinit const Routine kAllSum{.name = "all_sum", .infer = infer_same, .reference = pass_on, .in_order = true};
constinit const Routine kAllMax{
    .name = "all_max", .infer = infer_ordered, .reference = pass_on, .takes = is_ordered, .in_order = true};
constinit const Routine kAllMin{
    .name = "all_min", .infer = infer_ordered, .reference = pass_on, .takes = is_ordered, .in_order = true};
constinit const Routine kAllGather{
    .name = "all_gather", .infer = infer_gather, .reference = pass_on, .exact = true, .in_order = true};
constinit const Routine kSumScatter{
    .name = "sum_scatter", .infer = infer_scatter, .reference = pass_on, .in_order = true};
constinit const Routine kSend{
    .name = "send", .infer = infer_same, .reference = pass_on, .exact = true, .in_order = true};
constinit const Routine kRecv{
    .name = "recv", .infer = infer_same, .reference = pass_on, .exact = true, .in_order = true};

const RegisterRoutine distributed_records[] = {
    RegisterRoutine(kAllSum),     RegisterRoutine(kAllMax), RegisterRoutine(kAllMin), RegisterRoutine(kAllGather),
    RegisterRoutine(kSumScatter), RegisterRoutine(kSend),   RegisterRoutine(kRecv)};

OpDef row(const Routine& routine, std::string_view doc, uint32_t traits, std::vector<AttrSpec> attrs,
          OpDef::Vjp vjp = nullptr, OpDef::Vjp jvp = nullptr, OpDef::Batch batch = nullptr) {
  return {.name = routine.name,
          .kind = OpKind::Library,
          .arity = 1,
          .traits = kExpensive | kNoFold | traits,
          .doc = doc,
          .attrs = std::move(attrs),
          .routine = &routine,
          .infer = routine.infer,
          .vjp = vjp,
          .jvp = jvp,
          .batch = batch};
}

const RegisterOps distributed_rows({
    row(kAllSum, "The sum of x over the processes of a group, in each of them; of bools whether any is true.", kStacked,
        attributes(false, false), vjp_sum, jvp_linear),
    row(kAllMax, "The largest x among the processes of a group, element by element, in each of them.", kStacked,
        attributes(false, false), vjp_extreme, jvp_extreme),
    row(kAllMin, "The smallest x among the processes of a group, element by element, in each of them.", kStacked,
        attributes(false, false), vjp_extreme, jvp_extreme),
    row(kAllGather, "The x of every process of a group, joined along the first axis in the order of their numbers.", 0,
        attributes(true, false), vjp_gather, jvp_linear, batch_behind_first),
    row(kSumScatter,
        "The sum of x over the processes of a group, cut along the first axis into one part for each process; this "
        "process's part.",
        0, attributes(true, false), vjp_scatter, jvp_linear, batch_behind_first),
    row(kSend, "x itself, once it is sent to another process of the group.", kSideEffect | kNoGradient | kStacked,
        attributes(false, true)),
    row(kRecv, "An array that another process of the group sent, of the type of x.",
        kSideEffect | kNoGradient | kStacked, attributes(false, true)),
});

}  // namespace
}  // namespace frit::ir
