// Rows that arrange elements without computing: broadcast, reshape, transpose and concatenate.
#include <algorithm>

#include "ir/graph/batch.h"
#include "ir/graph/composite.h"
#include "ir/graph/op.h"
#include "ir/ops/reshape.h"
#include "ir/ops/row_words.h"
#include "ir/ops/rules.h"

namespace frit::ir {
namespace {

using Operands = std::span<const Type>;
using At = std::span<const Dim>;
using Values = std::span<const ValueId>;

// ---- broadcast ----

Result<std::vector<Type>> infer_broadcast(const InferArgs& args) {
  const Type& x = args.operands[0];
  const Dims& shape = args.attrs.get_dims("shape");
  bool fits = x.shape.size() <= shape.size();
  for (size_t i = 0; fits && i < x.shape.size(); ++i) {
    const Dim& to = shape[shape.size() - x.shape.size() + i];
    fits = x.shape[i].is(1) || rules::same_size(x.shape[i], to, args.facts);
  }
  if (!fits)
    return Diagnostic("op 'broadcast' cannot stretch " + x.str() + " to " + shape_text(shape), {},
                      "only axes of size 1 stretch, and new axes come first");
  return std::vector<Type>{{x.dtype, shape}};
}

IndexRule index_broadcast(const Op&, Operands operands, const Type& result, At at) {
  const Shape& from = operands[0].shape;
  size_t lead = result.shape.size() - from.size();
  std::vector<Dim> index;
  for (size_t i = 0; i < from.size(); ++i) index.push_back(from[i].is(1) ? Dim(0) : at[lead + i]);
  return rules::from_operand(std::move(index));
}

std::optional<Layout> view_broadcast(const Op&, const Layout& in, const Type& result, const DimFacts&) {
  Layout out{result.shape, Dims(result.shape.size(), 0), in.offset};
  size_t lead = result.shape.size() - in.shape.size();
  for (size_t i = 0; i < in.shape.size(); ++i)
    if (!in.shape[i].is(1)) out.strides[lead + i] = in.strides[i];
  return out;
}

std::vector<ValueId> vjp_broadcast(Builder& b, const Op&, Values operands, Values, Values cotangents) {
  return {rules::sum_to(b, cotangents[0], Shape(b.type(operands[0]).shape))};
}

// New leading axes come behind the batch axis, so the operand shows them first.
Result<std::vector<ValueId>> batch_broadcast(const BatchCall& call) {
  const Shape& from = call.types[0].shape;
  const Shape& to = call.results[0].shape;
  Shape aligned(to.size() - from.size(), 1);
  aligned.insert(aligned.end(), from.begin(), from.end());
  FRIT_ASSIGN_OR_RETURN(operand, call.reshape(call.operands[0], call.with_axis(aligned)));
  FRIT_ASSIGN_OR_RETURN(out, call.broadcast(operand, call.with_axis(to)));
  return std::vector{out};
}

// ---- reshape ----

Result<std::vector<Type>> infer_reshape(const InferArgs& args) {
  const Type& x = args.operands[0];
  const Dims& shape = args.attrs.get_dims("shape");
  for (const Dim& d : shape)
    if (!rules::at_most(0, d, args.facts))
      return Diagnostic("op 'reshape' needs sizes that are zero or more, but got " + shape_text(shape));
  if (!rules::same_size(x.size(), product(shape), args.facts))
    return Diagnostic("op 'reshape' cannot turn " + x.str() + " of " + x.size().str() + " elements into " +
                          shape_text(shape) + " of " + product(shape).str(),
                      {}, "the number of elements must stay; with symbols it must follow from the facts");
  return std::vector<Type>{{x.dtype, shape}};
}

IndexRule index_reshape(const Op&, Operands operands, const Type& result, At at) {
  return rules::from_operand(rules::reshape_index(operands[0].shape, result.shape, at));
}

std::optional<Layout> view_reshape(const Op&, const Layout& in, const Type& result, const DimFacts& facts) {
  return rules::reshape_layout(in, result.shape, facts);
}

std::vector<ValueId> vjp_reshape(Builder& b, const Op&, Values operands, Values, Values cotangents) {
  return {rules::reshape(b, cotangents[0], Shape(b.type(operands[0]).shape))};
}

// ---- transpose ----

Result<std::vector<Type>> infer_transpose(const InferArgs& args) {
  const Type& x = args.operands[0];
  const Dims& axes = args.attrs.get_dims("axes");
  std::vector<bool> seen(x.shape.size(), false);
  bool fits = axes.size() == x.shape.size();
  Type out{x.dtype, {}};
  for (const Dim& a : axes) {
    fits = fits && a.is_const() && a.value() >= 0 && a.value() < x.rank() && !seen[static_cast<size_t>(a.value())];
    if (!fits) break;
    seen[static_cast<size_t>(a.value())] = true;
    out.shape.push_back(x.shape[static_cast<size_t>(a.value())]);
  }
  if (!fits)
    return Diagnostic("op 'transpose' has axes " + shape_text(axes) + ", but its operand is " + x.str(), {},
                      "name each axis of the operand once");
  return std::vector<Type>{out};
}

IndexRule index_transpose(const Op& op, Operands operands, const Type&, At at) {
  std::vector<Dim> index(operands[0].shape.size());
  std::vector<int> axes = rules::axes(op);
  for (size_t i = 0; i < axes.size(); ++i) index[static_cast<size_t>(axes[i])] = at[i];
  return rules::from_operand(std::move(index));
}

std::optional<Layout> view_transpose(const Op& op, const Layout& in, const Type& result, const DimFacts&) {
  Layout out{result.shape, {}, in.offset};
  for (int a : rules::axes(op)) out.strides.push_back(in.strides[static_cast<size_t>(a)]);
  return out;
}

std::vector<ValueId> vjp_transpose(Builder& b, const Op& op, Values, Values, Values cotangents) {
  std::vector<int> axes = rules::axes(op), inverse(axes.size());
  for (size_t i = 0; i < axes.size(); ++i) inverse[static_cast<size_t>(axes[i])] = static_cast<int>(i);
  return {b.build("transpose", {cotangents[0]}, {{"axes", to_dims(inverse)}})};
}

// ---- concatenate ----

Result<std::vector<Type>> infer_concatenate(const InferArgs& args) {
  if (args.operands.empty()) return Diagnostic("op 'concatenate' needs at least one operand");
  Type out = args.operands[0];
  const Dim axis = args.attrs.get_dim("axis");
  if (!axis.is_const() || axis.value() < 0 || axis.value() >= out.rank())
    return Diagnostic("op 'concatenate' has axis " + axis.str() + ", but its first operand is " + out.str());
  auto along = static_cast<size_t>(axis.value());
  for (const Type& t : args.operands.subspan(1)) {
    bool fits = t.dtype == out.dtype && t.rank() == out.rank();
    for (size_t i = 0; fits && i < t.shape.size(); ++i)
      fits = i == along || rules::same_size(t.shape[i], out.shape[i], args.facts);
    if (!fits)
      return Diagnostic("op 'concatenate' along axis " + axis.str() +
                            " needs operands that differ there alone, but got " + args.operands[0].str() + " and " +
                            t.str(),
                        {}, "convert with 'astype' or make the other axes equal first");
    out.shape[along] += t.shape[along];
  }
  return std::vector<Type>{out};
}

IndexRule index_concatenate(const Op& op, Operands operands, const Type&, At at) {
  auto along = static_cast<size_t>(op.attrs.get_int("axis"));
  IndexRule rule;
  Dim offset = 0;
  for (size_t k = 0; k < operands.size(); ++k) {
    IndexSource source{static_cast<int>(k), {at.begin(), at.end()}, {}};
    source.index[along] = at[along] - offset;
    if (operands.size() > 1) source.within.emplace_back(source.index[along], operands[k].shape[along]);
    offset += operands[k].shape[along];
    rule.sources.push_back(std::move(source));
  }
  return rule;
}

// A few parts at a time, and then what they give.
std::vector<ValueId> expand_concatenate(Builder& b, const Op& op, Values operands) {
  std::vector<ValueId> joined;
  for (size_t i = 0; i < operands.size(); i += kPartsTogether) {
    const Values parts = operands.subspan(i, std::min(kPartsTogether, operands.size() - i));
    joined.push_back(parts.size() == 1 ? parts[0] : b.build("concatenate", {parts.begin(), parts.end()}, op.attrs));
  }
  return {b.build("concatenate", std::move(joined), op.attrs)};
}

std::vector<ValueId> vjp_concatenate(Builder& b, const Op& op, Values operands, Values, Values cotangents) {
  auto along = static_cast<size_t>(op.attrs.get_int("axis"));
  std::vector<ValueId> out;
  Dim offset = 0;
  for (ValueId v : operands) {
    Dims stop = b.type(v).shape, start(stop.size(), 0);
    start[along] = offset;
    offset += stop[along];
    stop[along] = offset;
    out.push_back(b.build("slice", {cotangents[0]}, {{"start", start}, {"stop", stop}}));
  }
  return out;
}

const AttrSpec kShape{
    .name = "shape", .kind = AttrKind::Ints, .doc = "the shape of the result", .axes = AxisUse::Sizes};

const RegisterOps shape_rows({
    {.name = "broadcast",
     .kind = kIndex,
     .arity = 1,
     .traits = kView,
     .doc = "The operand repeated along axes of size 1 and along new leading axes.",
     .attrs = {kShape},
     .infer = infer_broadcast,
     .index = index_broadcast,
     .view = view_broadcast,
     .vjp = vjp_broadcast,
     .batch = batch_broadcast},
    {.name = "reshape",
     .kind = kIndex,
     .arity = 1,
     .traits = kView | kStacked,
     .doc = "The operand's elements in row-major order under another shape.",
     .attrs = {kShape},
     .infer = infer_reshape,
     .index = index_reshape,
     .view = view_reshape,
     .vjp = vjp_reshape},
    {.name = "transpose",
     .kind = kIndex,
     .arity = 1,
     .traits = kView | kStacked,
     .doc = "The operand with its axes in another order: axis i of the result is axis axes[i] of the operand.",
     .attrs = {{.name = "axes",
                .kind = AttrKind::Ints,
                .doc = "a permutation of the operand's axes",
                .axes = AxisUse::Order}},
     .infer = infer_transpose,
     .index = index_transpose,
     .view = view_transpose,
     .vjp = vjp_transpose},
    {.name = "concatenate",
     .kind = kIndex,
     .arity = -1,
     .traits = kStacked,
     .doc = "The operands one after another along an axis.",
     .attrs = {{.name = "axis", .kind = AttrKind::Int, .doc = "the axis, counted from 0", .axes = AxisUse::Axis}},
     .infer = infer_concatenate,
     .index = index_concatenate,
     .expand = expand_concatenate,
     .vjp = vjp_concatenate},
});

}  // namespace
}  // namespace frit::ir
