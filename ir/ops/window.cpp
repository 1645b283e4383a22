// Rows that take windows of elements: slice, pad, which is its reverse, and as_strided.
//
// Bounds and strides count elements. Sizes may be symbolic; what a rule cannot prove from the facts it refuses, so that
// nothing reads out of bounds.
#include <algorithm>

#include "ir/graph/batch.h"
#include "ir/graph/op.h"
#include "ir/ops/row_words.h"
#include "ir/ops/rules.h"
#include "ir/ops/windows.h"

namespace frit::ir {
namespace {

using Operands = std::span<const Type>;
using At = std::span<const Dim>;
using Values = std::span<const ValueId>;

// ---- slice ----

// Strides are optional: without them every stride is 1.
Dim stride_of(const AttrMap& attrs, size_t axis) {
  const Dims& strides = attrs.get_dims("strides");
  return strides.empty() ? Dim(1) : strides[axis];
}

Result<std::vector<Type>> infer_slice(const InferArgs& args) {
  const Type& x = args.operands[0];
  const Dims &start = args.attrs.get_dims("start"), &stop = args.attrs.get_dims("stop"),
             &strides = args.attrs.get_dims("strides");
  size_t rank = x.shape.size();
  if (start.size() != rank || stop.size() != rank || (!strides.empty() && strides.size() != rank))
    return Diagnostic("op 'slice' needs a start, stop and stride for each axis of " + x.str());
  Type out{x.dtype, {}};
  for (size_t i = 0; i < rank; ++i) {
    const Dim n = x.shape[i], stride = stride_of(args.attrs, i);
    if (!stride.is_const() || stride.is(0))
      return Diagnostic("op 'slice' has stride " + stride.str() + " on axis " + std::to_string(i) +
                        ", but strides are constants other than 0");
    bool up = stride.value() > 0;
    const Dim &low = up ? start[i] : stop[i], &high = up ? stop[i] : start[i];
    Dim least = up ? 0 : -1;
    if (!rules::at_most(least, low, args.facts) || !rules::at_most(high, n + least, args.facts))
      return Diagnostic("op 'slice' takes [" + start[i].str() + ", " + stop[i].str() + ") with stride " + stride.str() +
                            " from axis " + std::to_string(i) + " of " + x.str() + ", which is not known to lie inside",
                        {}, "clamp the bounds with min and max");
    Dim span = ceil_div(high - low, up ? stride : -stride);
    out.shape.push_back(args.facts.simplify(
        rules::at_most(low, high, args.facts) || rules::at_most(0, span, args.facts) ? span : max(span, 0)));
  }
  return std::vector<Type>{out};
}

IndexRule index_slice(const Op& op, Operands operands, const Type&, At at) {
  const Dims& start = op.attrs.get_dims("start");
  std::vector<Dim> index;
  for (size_t i = 0; i < operands[0].shape.size(); ++i) index.push_back(start[i] + stride_of(op.attrs, i) * at[i]);
  return rules::from_operand(std::move(index));
}

std::optional<Layout> view_slice(const Op& op, const Layout& in, const Type& result, const DimFacts&) {
  const Dims& start = op.attrs.get_dims("start");
  Layout out{result.shape, {}, in.offset};
  for (size_t i = 0; i < in.shape.size(); ++i) {
    // An empty slice may start at the end; it keeps the operand's offset, which is inside the buffer.
    if (!result.shape[i].is(0)) out.offset += start[i] * in.strides[i];
    out.strides.push_back(in.strides[i] * stride_of(op.attrs, i));
  }
  return out;
}

ValueId pad(Builder& b, ValueId v, const Dims& low, const Dims& high, const Dims& interior) {
  AttrMap attrs{{"low", low}, {"high", high}};
  if (!interior.empty()) attrs.set("interior", interior);
  return b.build("pad", {v, b.scalar(b.type(v).dtype, 0)}, std::move(attrs));
}

// Puts each cotangent back where its element came from, with zeros around and between.
std::vector<ValueId> vjp_slice(Builder& b, const Op& op, Values operands, Values, Values cotangents) {
  const Type x = b.type(operands[0]), out = b.type(cotangents[0]);
  if (out.size().is(0)) return {b.splat(0, x)};
  const Dims& start = op.attrs.get_dims("start");
  Dims first, flip_start, flip_stop, flip_strides, low, high, interior;
  bool any_down = false;
  for (size_t i = 0; i < x.shape.size(); ++i) {
    int64_t stride = stride_of(op.attrs, i).value();
    bool down = stride < 0;
    any_down |= down;
    const Dim& m = out.shape[i];
    flip_start.push_back(down ? m - Dim(1) : Dim(0));
    flip_stop.push_back(down ? Dim(-1) : m);
    flip_strides.push_back(down ? -1 : 1);
    int64_t gap = (down ? -stride : stride) - 1;
    low.push_back(down ? start[i] + (m - Dim(1)) * Dim(stride) : start[i]);
    interior.push_back(gap);
    high.push_back(x.shape[i] - low.back() - rules::spread_size(m, gap));
  }
  ValueId g = cotangents[0];
  if (any_down) g = b.build("slice", {g}, {{"start", flip_start}, {"stop", flip_stop}, {"strides", flip_strides}});
  return {pad(b, g, low, high, interior)};
}

// ---- pad ----

Dim interior_of(const AttrMap& attrs, size_t axis) {
  const Dims& interior = attrs.get_dims("interior");
  return interior.empty() ? Dim(0) : interior[axis];
}

Result<std::vector<Type>> infer_pad(const InferArgs& args) {
  const Type &x = args.operands[0], &fill = args.operands[1];
  const Dims &low = args.attrs.get_dims("low"), &high = args.attrs.get_dims("high"),
             &interior = args.attrs.get_dims("interior");
  if (fill.dtype != x.dtype || fill.rank() != 0)
    return Diagnostic(
        "op 'pad' needs a fill of the operand's element type without axes, but got " + x.str() + " and " + fill.str(),
        {}, "convert the fill with 'astype' first");
  size_t rank = x.shape.size();
  if (low.size() != rank || high.size() != rank || (!interior.empty() && interior.size() != rank))
    return Diagnostic("op 'pad' needs one amount on each side of each axis of " + x.str());
  Type out{x.dtype, {}};
  for (size_t i = 0; i < rank; ++i) {
    Dim gap = interior_of(args.attrs, i);
    if (!gap.is_const() || gap.value() < 0)
      return Diagnostic("op 'pad' has " + gap.str() + " fills between elements, but takes a constant, zero or more");
    Dim size = args.facts.simplify(low[i] + rules::spread_size(x.shape[i], gap) + high[i]);
    if (!rules::at_most(0, size, args.facts))
      return Diagnostic("op 'pad' leaves " + size.str() + " elements on axis " + std::to_string(i) + " of " + x.str() +
                            ", which is not known to be zero or more",
                        {}, "clamp negative amounts with max");
    out.shape.push_back(size);
  }
  return std::vector<Type>{out};
}

IndexRule index_pad(const Op& op, Operands operands, const Type&, At at) {
  const Dims& low = op.attrs.get_dims("low");
  IndexSource source;
  for (size_t i = 0; i < operands[0].shape.size(); ++i) {
    Dim step = interior_of(op.attrs, i) + Dim(1);
    Dim d = at[i] - low[i];
    if (step.is(1)) {
      source.within.emplace_back(d, operands[0].shape[i]);
      source.index.push_back(d);
    } else {
      Dim position = floor_div(d, step);
      source.within.emplace_back(position, operands[0].shape[i]);
      source.within.emplace_back(mod(d, step), 1);
      source.index.push_back(position);
    }
  }
  return {{std::move(source)}, 1};
}

std::vector<ValueId> vjp_pad(Builder& b, const Op& op, Values operands, Values, Values cotangents) {
  const Type x = b.type(operands[0]);
  ValueId g = cotangents[0];
  Dims low, high, start, stop, strides;
  for (size_t i = 0; i < x.shape.size(); ++i) {
    low.push_back(-op.attrs.get_dims("low")[i]);
    high.push_back(-op.attrs.get_dims("high")[i]);
    start.push_back(0);
    Dim gap = interior_of(op.attrs, i);
    stop.push_back(rules::spread_size(x.shape[i], gap));
    strides.push_back(gap + Dim(1));
  }
  ValueId inner =
      b.build("slice", {pad(b, g, low, high, {})}, {{"start", start}, {"stop", stop}, {"strides", strides}});
  ValueId rest = b.build("subtract", {rules::sum_to(b, g, {}), rules::sum_to(b, inner, {})});
  return {inner, rest};
}

// A fill that differs between positions cannot be the operand of one pad: it is put in where another pad is not set.
Result<std::vector<ValueId>> batch_pad(const BatchCall& call) {
  const AttrMap& attrs = call.op.attrs;
  const auto padded = [&](ValueId v, ValueId fill, bool batched) {
    return call.build("pad", {v, fill}, batched ? with_leading_axis(*call.op.def, attrs, call.size) : attrs);
  };
  const Type x = call.types[0];
  if (!call.batched[1]) {
    FRIT_ASSIGN_OR_RETURN(out, padded(call.operands[0], call.operands[1], true));
    return std::vector{out};
  }
  const Shape to = call.with_axis(call.results[0].shape);
  FRIT_ASSIGN_OR_RETURN(inside, padded(call.b.splat(1, Type{bool_, x.shape}), call.b.scalar(bool_, 0), false));
  FRIT_ASSIGN_OR_RETURN(elements, padded(call.operands[0], call.b.scalar(x.dtype, 0), call.batched[0]));
  FRIT_ASSIGN_OR_RETURN(column, call.reshape(call.operands[1], call.with_axis(Shape(x.shape.size(), 1))));
  FRIT_ASSIGN_OR_RETURN(mask, call.broadcast(inside, to));
  FRIT_ASSIGN_OR_RETURN(kept, call.broadcast(elements, to));
  FRIT_ASSIGN_OR_RETURN(fills, call.broadcast(column, to));
  FRIT_ASSIGN_OR_RETURN(out, call.build("select", {mask, kept, fills}));
  return std::vector{out};
}

// ---- as_strided ----

Result<std::vector<Type>> infer_as_strided(const InferArgs& args) {
  const Type& x = args.operands[0];
  const Dims &shape = args.attrs.get_dims("shape"), &strides = args.attrs.get_dims("strides");
  if (x.rank() != 1)
    return Diagnostic("op 'as_strided' needs an operand with one axis, but got " + x.str(), {}, "flatten it first");
  if (shape.size() != strides.size())
    return Diagnostic("op 'as_strided' has shape " + shape_text(shape) + " but strides " + shape_text(strides));
  Dim low = args.attrs.get_dim("offset"), high = low;
  bool empty = false;
  for (size_t i = 0; i < shape.size(); ++i) {
    const DimRange stride = args.facts.range(strides[i]);
    if (!rules::at_most(0, shape[i], args.facts))
      return Diagnostic("op 'as_strided' needs sizes that are zero or more, but got " + shape_text(shape));
    empty |= shape[i].is(0);
    Dim reach = (shape[i] - Dim(1)) * strides[i];
    if (stride.low >= 0) {
      high += reach;
    } else if (stride.high <= 0) {
      low += reach;
    } else {
      return Diagnostic("op 'as_strided' has stride " + strides[i].str() + " of unknown sign");
    }
  }
  if (!empty && (!rules::at_most(0, low, args.facts) || !rules::at_most(high + Dim(1), x.shape[0], args.facts)))
    return Diagnostic("op 'as_strided' reaches from " + low.str() + " to " + high.str() + " in " + x.str() +
                      ", which is not known to lie inside");
  return std::vector<Type>{{x.dtype, shape}};
}

IndexRule index_as_strided(const Op& op, Operands, const Type&, At at) {
  Dim position = op.attrs.get_dim("offset");
  for (size_t i = 0; i < at.size(); ++i) position += op.attrs.get_dims("strides")[i] * at[i];
  return rules::from_operand({position});
}

std::optional<Layout> view_as_strided(const Op& op, const Layout& in, const Type& result, const DimFacts&) {
  Layout out{result.shape, {}, in.offset + op.attrs.get_dim("offset") * in.strides[0]};
  for (const Dim& s : op.attrs.get_dims("strides")) out.strides.push_back(s * in.strides[0]);
  return out;
}

// Adds each cotangent to the element that it came from: the positions are a window on the numbers of all elements.
std::vector<ValueId> vjp_as_strided(Builder& b, const Op& op, Values operands, Values, Values cotangents) {
  const Type x = b.type(operands[0]);
  const Dim count = b.type(cotangents[0]).size();
  if (count.is(0)) return {b.splat(0, x)};
  if (const auto sum = sum_of_windows(b, op.attrs, x, cotangents[0])) return {*sum};
  const ValueId numbers = b.build("iota", {}, {{"shape", Dims(x.shape)}, {"axis", Dim(0)}, {"dtype", int64}});
  const ValueId positions = rules::reshape(b, b.build("as_strided", {numbers}, op.attrs), {count});
  return {b.build("scatter_add_axis", {b.splat(0, x), positions, rules::reshape(b, cotangents[0], {count})},
                  {{"axis", Dim(0)}})};
}

// The operands of all positions lie one behind the other.
Result<std::vector<ValueId>> batch_as_strided(const BatchCall& call) {
  const Dim n = call.types[0].shape[0];
  FRIT_ASSIGN_OR_RETURN(flat, call.reshape(call.operands[0], {call.size * n}));
  Dims strides{n};
  const Dims& within = call.op.attrs.get_dims("strides");
  strides.insert(strides.end(), within.begin(), within.end());
  FRIT_ASSIGN_OR_RETURN(out, call.build("as_strided", {flat},
                                        {{"shape", Dims(call.with_axis(call.results[0].shape))},
                                         {"strides", strides},
                                         {"offset", call.op.attrs.get_dim("offset")}}));
  return std::vector{out};
}

const RegisterOps window_rows({
    {.name = "slice",
     .kind = kIndex,
     .arity = 1,
     .traits = kView | kStacked,
     .doc =
         "Elements start, start + stride, ... before stop on each axis. With a negative stride it runs downwards: start is "
         "at most the size less one, and a stop of -1 takes in element 0. Bounds count from 0 and must lie inside.",
     .attrs =
         {{.name = "start", .kind = AttrKind::Ints, .doc = "the first position on each axis", .axes = AxisUse::Zeros},
          {.name = "stop",
           .kind = AttrKind::Ints,
           .doc = "the position that is no longer taken",
           .axes = AxisUse::Sizes},
          {.name = "strides",
           .kind = AttrKind::Ints,
           .required = false,
           .fallback = Dims{},
           .doc = "the distances; empty: all 1",
           .axes = AxisUse::Ones}},
     .infer = infer_slice,
     .index = index_slice,
     .view = view_slice,
     .vjp = vjp_slice},
    {.name = "pad",
     .kind = kIndex,
     .arity = 2,
     .doc =
         "The first operand with copies of the second, which has no axes, before, after and between its elements. Negative "
         "amounts at the ends cut elements off.",
     .attrs = {{.name = "low", .kind = AttrKind::Ints, .doc = "how many before, on each axis", .axes = AxisUse::Zeros},
               {.name = "high", .kind = AttrKind::Ints, .doc = "how many after", .axes = AxisUse::Zeros},
               {.name = "interior",
                .kind = AttrKind::Ints,
                .required = false,
                .fallback = Dims{},
                .doc = "how many between neighbours; empty: none",
                .axes = AxisUse::Zeros}},
     .infer = infer_pad,
     .index = index_pad,
     .vjp = vjp_pad,
     .batch = batch_pad},
    {.name = "as_strided",
     .kind = kIndex,
     .arity = 1,
     .traits = kView,
     .doc = "A window on the elements of an operand with one axis: position p of the result is element "
            "offset + sum(p[i] * strides[i]). Elements may be repeated; all must lie inside.",
     .attrs = {{.name = "shape", .kind = AttrKind::Ints, .doc = "the shape of the result"},
               {.name = "strides", .kind = AttrKind::Ints, .doc = "the distance of neighbours on each axis"},
               {.name = "offset",
                .kind = AttrKind::Int,
                .required = false,
                .fallback = Dim(0),
                .doc = "the position of the first element"}},
     .infer = infer_as_strided,
     .index = index_as_strided,
     .view = view_as_strided,
     .vjp = vjp_as_strided,
     .batch = batch_as_strided},
});

}  // namespace
const Dims* fills_between(const Op& op) {
  if (op.def->infer != infer_pad) return nullptr;
  const Dims& interior = op.attrs.get_dims("interior");
  const auto none = [&](const char* side) {
    const Dims& widths = op.attrs.get_dims(side);
    return std::all_of(widths.begin(), widths.end(), [](const Dim& d) { return d.is(0); });
  };
  return !interior.empty() && none("low") && none("high") ? &interior : nullptr;
}

}  // namespace frit::ir
