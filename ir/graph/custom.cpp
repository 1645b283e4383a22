// Ops that stand for a user's rules: their types, and how derivatives reach the rules.
#include "ir/graph/custom.h"

#include "ir/graph/batch.h"

namespace frit::ir {
namespace {

size_t arguments_of(const AttrMap& attrs) { return static_cast<size_t>(attrs.get_int("arguments")); }

std::vector<Type> types_in(std::span<const Type> types, size_t first, size_t count) {
  const auto part = types.subspan(first, count);
  return {part.begin(), part.end()};
}

Result<std::vector<Type>> infer_mark(const InferArgs& args) {
  const size_t n = arguments_of(args.attrs);
  return types_in(args.operands, n, args.operands.size() - n);
}

Result<std::vector<Type>> infer_rule(const InferArgs& args) {
  const size_t n = arguments_of(args.attrs), results = static_cast<size_t>(args.attrs.get_int("results"));
  const bool vjp = static_cast<CustomRule>(args.attrs.get_int("kind")) == CustomRule::Vjp;
  return vjp ? types_in(args.operands, 0, n) : types_in(args.operands, n, results);
}

// A custom_rule on the operands of a mark with its results.
std::vector<ValueId> build_rule(Builder& b, const Op& mark, CustomRule kind, std::span<const ValueId> operands,
                                std::span<const ValueId> results, const std::vector<ValueId>& further, Dims moving) {
  const size_t n = arguments_of(mark.attrs);
  std::vector<ValueId> all(operands.begin(), operands.begin() + static_cast<ptrdiff_t>(n));
  all.insert(all.end(), results.begin(), results.end());
  all.insert(all.end(), further.begin(), further.end());
  const auto built = b.try_build(custom_rule(), std::move(all),
                                 {{"rule", mark.attrs.get_dim("rule")},
                                  {"arguments", mark.attrs.get_dim("arguments")},
                                  {"kind", Dim(static_cast<int64_t>(kind))},
                                  {"results", Dim(static_cast<int64_t>(results.size()))},
                                  {"moving", std::move(moving)}});
  return *built;  // the type rule has no error
}

std::vector<ValueId> vjp_mark(Builder& b, const Op& op, std::span<const ValueId> operands,
                              std::span<const ValueId> results, std::span<const ValueId> cotangents) {
  const size_t n = arguments_of(op.attrs);
  std::vector<ValueId> out;
  if (op.attrs.get_bool("vjp")) {
    out = build_rule(b, op, CustomRule::Vjp, operands, results, {cotangents.begin(), cotangents.end()}, {});
    out.resize(operands.size(), kNone);
    return out;
  }
  out.resize(n, kNone);
  out.insert(out.end(), cotangents.begin(), cotangents.end());
  return out;
}

std::vector<ValueId> jvp_mark(Builder& b, const Op& op, std::span<const ValueId> operands,
                              std::span<const ValueId> results, std::span<const ValueId> tangents) {
  const size_t n = arguments_of(op.attrs);
  if (op.attrs.get_bool("jvp")) {
    std::vector<ValueId> given;
    Dims moving;
    for (size_t i = 0; i < n; ++i) {
      if (tangents[i] == kNone) continue;
      given.push_back(tangents[i]);
      moving.emplace_back(static_cast<int64_t>(i));
    }
    return build_rule(b, op, CustomRule::Jvp, operands, results, given, std::move(moving));
  }
  std::vector<ValueId> out;
  for (size_t i = n; i < tangents.size(); ++i)
    out.push_back(tangents[i] != kNone ? tangents[i] : b.splat(0, b.type(operands[i])));
  return out;
}

// The axis of a parameter that `op` moves to the front; 0 where it does not do that.
int64_t axis_moved_to_front(const Function& f, const Op& op) {
  if (op.def->attrs.size() != 1 || op.def->attrs[0].axes != AxisUse::Order || f.def_of(op.operands[0])) return 0;
  const std::vector<int64_t> order = op.attrs.get_ints(op.def->attrs[0].name);
  for (size_t i = 1; i < order.size(); ++i)
    if (order[i] != static_cast<int64_t>(i) - (static_cast<int64_t>(i) <= order[0])) return 0;
  return order[0];
}

// Puts the batch axis of `values` where a rule of the user expects it, and returns its places. A parameter keeps the
// axis that the caller named. Another value has it there too where all parameters agree, as elementwise operations
// would leave it, and else in front.
Result<Dims> as_the_caller_gave(const BatchCall& call, std::vector<ValueId>& values) {
  const Function& f = call.b.function();
  int64_t common = -1;
  for (const Op& op : f.ops)
    if (const int64_t axis = axis_moved_to_front(f, op)) common = common == -1 || common == axis ? axis : 0;
  Dims places;
  for (size_t i = 0; i < values.size(); ++i) {
    const Op* op = f.def_of(values[i]);
    int64_t axis = !call.batched[i] ? -1 : op ? axis_moved_to_front(f, *op) : 0;
    if (axis > 0) {
      values[i] = op->operands[0];
    } else if (axis == 0 && op && common > 0 && common < call.b.type(values[i]).rank()) {
      FRIT_ASSIGN_OR_RETURN(moved, call.move_axis(values[i], 0, static_cast<size_t>(common)));
      values[i] = moved, axis = common;
    }
    places.emplace_back(axis);
  }
  return places;
}

Result<std::vector<ValueId>> batch_mark(const BatchCall& call) {
  const Op& mark = call.op;
  const size_t n = arguments_of(mark.attrs), results = call.results.size();
  std::vector<ValueId> operands(call.operands.begin(), call.operands.begin() + static_cast<ptrdiff_t>(n));
  if (mark.attrs.get_bool("vmap")) {
    FRIT_ASSIGN_OR_RETURN(batched, as_the_caller_gave(call, operands));
    for (const Type& t : call.results) operands.push_back(call.b.splat(0, Type{t.dtype, call.with_axis(t.shape)}));
    return call.b.try_build(custom_rule(), std::move(operands),
                            {{"rule", mark.attrs.get_dim("rule")},
                             {"arguments", mark.attrs.get_dim("arguments")},
                             {"kind", Dim(static_cast<int64_t>(CustomRule::Vmap))},
                             {"results", Dim(static_cast<int64_t>(results))},
                             {"moving", Dims{}},
                             {"batched", batched},
                             {"size", call.size}});
  }
  Dims batched;
  for (size_t i = 0; i < n; ++i) batched.emplace_back(call.batched[i] ? 0 : -1);
  for (size_t i = 0; i < results; ++i) {
    FRIT_ASSIGN_OR_RETURN(result, call.stacked(n + i));
    operands.push_back(result);
  }
  AttrMap attrs = mark.attrs;
  attrs.set("batched", batched);
  attrs.set("size", call.size);
  return call.b.try_build(custom_mark(), std::move(operands), std::move(attrs));
}

AttrSpec integer(std::string_view name) { return {.name = name, .kind = AttrKind::Int}; }
AttrSpec flag(std::string_view name) { return {.name = name, .kind = AttrKind::Bool}; }
const AttrSpec kBatched{.name = "batched", .kind = AttrKind::Ints, .required = false, .fallback = Dims{}};
const AttrSpec kSize{.name = "size", .kind = AttrKind::Int, .required = false, .fallback = Dim(0)};

}  // namespace

const OpDef& custom_mark() {
  static const OpDef def{
      .name = "custom_mark",
      .kind = OpKind::Library,
      .arity = -1,
      .doc = "The results of a function that has rules of its user.",
      .attrs = {integer("rule"), integer("arguments"), flag("vjp"), flag("jvp"), flag("vmap"), kBatched, kSize},
      .infer = infer_mark,
      .vjp = vjp_mark,
      .jvp = jvp_mark,
      .batch = batch_mark};
  return def;
}

const OpDef& custom_rule() {
  static const OpDef def{.name = "custom_rule",
                         .kind = OpKind::Library,
                         .arity = -1,
                         .doc = "What a rule of the user returns.",
                         .attrs = {integer("rule"),
                                   integer("arguments"),
                                   integer("kind"),
                                   integer("results"),
                                   {.name = "moving", .kind = AttrKind::Ints},
                                   kBatched,
                                   kSize},
                         .infer = infer_rule};
  return def;
}

size_t operands_with_tangents(const Op& op) {
  return op.def == &custom_mark() && op.attrs.get_bool("jvp") ? arguments_of(op.attrs) : op.operands.size();
}

size_t operands_with_batch(const Op& op) {
  return op.def == &custom_mark() && op.attrs.get_bool("vmap") ? arguments_of(op.attrs) : op.operands.size();
}

}  // namespace frit::ir
