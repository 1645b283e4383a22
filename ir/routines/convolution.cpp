// Convolutions: the rows `convolution` and `convolution_weights` and their routine records.
//
// Both are linear in each operand, and their derivatives are made of the two: the derivative for the input is a
// convolution of the cotangent, spread by the strides, with the kernel turned round and the roles of channels and
// features exchanged; the derivative for the weights is `convolution_weights`.
#include "ir/routines/convolution.h"

#include "ir/graph/batch.h"
#include "ir/ops/rules.h"
#include "ir/routines/convolution_expand.h"

namespace frit::ir {
namespace {

using Values = std::span<const ValueId>;

bool whole_lists(const AttrMap& attrs, size_t space) {
  for (const char* name : {"strides", "low", "high", "dilation"}) {
    const Dims& list = attrs.get_dims(name);
    if (list.empty()) continue;
    if (list.size() != space) return false;
    const bool counts = name[0] == 's' || name[0] == 'd';
    for (const Dim& d : list)
      if (counts && (!d.is_const() || d.value() < 1)) return false;
  }
  return true;
}

// Checks all but the sizes of space, for operands of `x` and another one, `y`, of the same rank.
Status check(const InferArgs& args, std::string_view op) {
  const Type &x = args.operands[0], &y = args.operands[1];
  const auto fail = [&](std::string_view needs, std::string_view cure) {
    return Diagnostic(
        "op '" + std::string(op) + "' needs " + std::string(needs) + ", but got " + x.str() + " and " + y.str(), {},
        std::string(cure));
  };
  if (x.dtype != y.dtype || !is_float(x.dtype))
    return fail("floats of one element type", "convert with 'astype' first");
  if (x.rank() < 3 || x.rank() != y.rank())
    return fail("operands of one rank with axes of space", "give (batch, space..., channels)");
  if (!whole_lists(args.attrs, x.shape.size() - 2))
    return fail("strides and dilations of at least 1, and one number for each axis of space",
                "leave a list out, or give all of it");
  return {};
}

Result<std::vector<Type>> infer_convolution(const InferArgs& args) {
  FRIT_TRY(check(args, "convolution"));
  const Type &x = args.operands[0], &w = args.operands[1];
  const Dim groups = args.attrs.get_dim("groups", 1);
  const auto fail = [&](const std::string& needs, std::string_view cure) {
    return Diagnostic("op 'convolution' needs " + needs + ", but got " + x.str() + " and " + w.str(), {},
                      std::string(cure));
  };
  if (!rules::at_most(1, groups, args.facts) ||
      !rules::same_size(w.shape.back() * groups, x.shape.back(), args.facts) ||
      !rules::same_size(mod(w.shape[0], groups), 0, args.facts))
    return fail("groups of as many channels as the weights have, and features for each", "change the groups");
  Type out = x;
  for (size_t i = 0; i + 2 < x.shape.size(); ++i) {
    const ConvolutionAxis a = convolution_axis(args.attrs, i);
    const Dim length = x.shape[i + 1] + a.low + a.high, span = (w.shape[i + 1] - Dim(1)) * Dim(a.dilation) + Dim(1);
    if (!rules::at_most(1, w.shape[i + 1], args.facts) || !rules::at_most(span, length, args.facts) ||
        !rules::at_most(0, x.shape[i + 1], args.facts))
      return fail("a kernel that fits the padded input on axis " + std::to_string(i + 1), "pad more");
    out.shape[i + 1] = args.facts.simplify(floor_div(length - span, Dim(a.stride)) + Dim(1));
  }
  out.shape.back() = w.shape[0];
  return std::vector<Type>{out};
}

Result<std::vector<Type>> infer_weights(const InferArgs& args) {
  FRIT_TRY(check(args, "convolution_weights"));
  const Type &x = args.operands[0], &y = args.operands[1];
  const Dim groups = args.attrs.get_dim("groups", 1);
  const Dims& kernel = args.attrs.get_dims("kernel");
  const auto fail = [&](const std::string& needs, std::string_view cure) {
    return Diagnostic("op 'convolution_weights' needs " + needs + ", but got " + x.str() + " and " + y.str(), {},
                      std::string(cure));
  };
  if (kernel.size() + 2 != x.shape.size() || !rules::same_size(x.shape[0], y.shape[0], args.facts))
    return fail("one batch, and a size of the kernel for each axis of space", "change 'kernel'");
  if (!rules::at_most(1, groups, args.facts) || !rules::same_size(mod(x.shape.back(), groups), 0, args.facts) ||
      !rules::same_size(mod(y.shape.back(), groups), 0, args.facts))
    return fail("groups that divide channels and features", "change the groups");
  Type out = x;
  for (size_t i = 0; i < kernel.size(); ++i) {
    if (!rules::at_most(1, kernel[i], args.facts)) return fail("kernels that are not empty", "change 'kernel'");
    // A convolution has at least one, so its rules and code need no case for none.
    if (!rules::at_most(1, y.shape[i + 1], args.facts))
      return fail("at least one position on axis " + std::to_string(i + 1) + " of the second operand",
                  "state that the size is one or more");
    out.shape[i + 1] = kernel[i];
  }
  out.shape[0] = y.shape.back();
  out.shape.back() = args.facts.simplify(floor_div(x.shape.back(), groups));
  return std::vector<Type>{out};
}

// Attributes for axes that all have numbers.
struct Lists {
  Dims strides, low, high, dilation;
  AttrMap attrs(const Dim& groups) const {
    return {{"strides", strides}, {"low", low}, {"high", high}, {"dilation", dilation}, {"groups", groups}};
  }
};

// (groups * features, kernel.., channels) with the kernel turned round, as weights from features to channels.
ValueId turned(Builder& b, ValueId w, const Dim& groups) {
  const Shape shape = b.type(w).shape;
  const size_t space = shape.size() - 2;
  const Dim features = b.function().facts.simplify(floor_div(shape[0], groups));
  Dims start{0}, stop{shape[0]}, strides{1}, split{groups, features}, order{0, Dim(static_cast<int64_t>(space) + 2)};
  for (size_t i = 1; i <= space; ++i) {
    start.push_back(shape[i] - Dim(1)), stop.emplace_back(-1), strides.emplace_back(-1);
    split.push_back(shape[i]), order.emplace_back(static_cast<int64_t>(i) + 1);
  }
  start.emplace_back(0), stop.push_back(shape.back()), strides.emplace_back(1);
  split.push_back(shape.back()), order.emplace_back(1);
  const ValueId v = b.build("slice", {w}, {{"start", start}, {"stop", stop}, {"strides", strides}});
  Shape joined = shape;
  joined[0] = b.function().facts.simplify(groups * shape.back());
  joined.back() = features;
  return rules::reshape(b, b.build("transpose", {rules::reshape(b, v, split)}, {{"axes", order}}), joined);
}

// The cotangent of an input of type `x`, from that of the result, `y`.
ValueId for_input(Builder& b, const AttrMap& attrs, const Type& x, ValueId w, ValueId y) {
  const Dim groups = attrs.get_dim("groups", 1);
  const Shape kernel = b.type(w).shape;
  Dims none{0}, interior{0};
  Lists lists;
  bool spread = false;
  Shape out = b.type(y).shape;
  for (size_t i = 0; i + 2 < x.shape.size(); ++i) {
    const ConvolutionAxis a = convolution_axis(attrs, i);
    none.emplace_back(0), interior.emplace_back(a.stride - 1);
    spread |= a.stride > 1;
    const Dim length = (out[i + 1] - Dim(1)) * Dim(a.stride) + Dim(1),
              reach = (kernel[i + 1] - Dim(1)) * Dim(a.dilation);
    lists.strides.emplace_back(1);
    lists.dilation.emplace_back(a.dilation);
    lists.low.push_back(b.function().facts.simplify(reach - a.low));
    lists.high.push_back(b.function().facts.simplify(x.shape[i + 1] - length + a.low));
  }
  none.emplace_back(0), interior.emplace_back(0);
  if (spread) y = b.build("pad", {y, b.scalar(x.dtype, 0)}, {{"low", none}, {"high", none}, {"interior", interior}});
  return b.build("convolution", {y, turned(b, w, groups)}, lists.attrs(groups));
}

std::vector<ValueId> vjp_convolution(Builder& b, const Op& op, Values operands, Values, Values cotangents) {
  const Type x = b.type(operands[0]), w = b.type(operands[1]);
  AttrMap attrs = op.attrs;
  attrs.set("kernel", Dims(w.shape.begin() + 1, w.shape.end() - 1));
  attrs.erase("high");
  return {for_input(b, op.attrs, x, operands[1], cotangents[0]),
          b.build("convolution_weights", {operands[0], cotangents[0]}, attrs)};
}

std::vector<ValueId> vjp_weights(Builder& b, const Op& op, Values operands, Values, Values cotangents) {
  const Type x = b.type(operands[0]), y = b.type(operands[1]);
  const Dims& kernel = op.attrs.get_dims("kernel");
  Lists lists;
  for (size_t i = 0; i + 2 < x.shape.size(); ++i) {
    const ConvolutionAxis a = convolution_axis(op.attrs, i);
    lists.strides.emplace_back(a.stride), lists.dilation.emplace_back(a.dilation), lists.low.push_back(a.low);
    const Dim reach = (y.shape[i + 1] - Dim(1)) * Dim(a.stride) + (kernel[i] - Dim(1)) * Dim(a.dilation) + Dim(1);
    lists.high.push_back(b.function().facts.simplify(reach - x.shape[i + 1] - a.low));
  }
  return {for_input(b, op.attrs, x, cotangents[0], operands[1]),
          b.build("convolution", {operands[0], cotangents[0]}, lists.attrs(op.attrs.get_dim("groups", 1)))};
}

// The positions become groups: the axis of the batch moves in front of the channels.
Result<ValueId> into_channels(const BatchCall& call, size_t operand) {
  FRIT_ASSIGN_OR_RETURN(v, call.stacked(operand));
  Shape shape = call.types[operand].shape;
  FRIT_ASSIGN_OR_RETURN(moved, call.move_axis(v, 0, shape.size() - 1));
  shape.back() = call.size * shape.back();
  return call.reshape(moved, shape);
}

AttrMap with_groups(const BatchCall& call) {
  AttrMap attrs = call.op.attrs;
  attrs.set("groups", call.size * attrs.get_dim("groups", 1));
  return attrs;
}

// For a batch without positions, of which there can be no groups.
std::vector<ValueId> no_positions(const BatchCall& call) {
  return {call.b.splat(0, {call.results[0].dtype, call.with_axis(call.results[0].shape)})};
}

Result<std::vector<ValueId>> batch_convolution(const BatchCall& call) {
  if (!call.batched[1]) {
    Shape shape = call.types[0].shape;
    shape[0] = call.size * shape[0];
    FRIT_ASSIGN_OR_RETURN(x, call.reshape(call.operands[0], shape));
    FRIT_ASSIGN_OR_RETURN(y, call.build("convolution", {x, call.operands[1]}, call.op.attrs));
    FRIT_ASSIGN_OR_RETURN(out, call.reshape(y, call.with_axis(call.results[0].shape)));
    return std::vector{out};
  }
  if (call.size.is(0)) return no_positions(call);
  FRIT_ASSIGN_OR_RETURN(x, into_channels(call, 0));
  FRIT_ASSIGN_OR_RETURN(weights, call.stacked(1));
  Shape joined = call.types[1].shape, split = call.results[0].shape;
  joined[0] = call.size * joined[0];
  FRIT_ASSIGN_OR_RETURN(w, call.reshape(weights, joined));
  FRIT_ASSIGN_OR_RETURN(y, call.build("convolution", {x, w}, with_groups(call)));
  split.insert(split.end() - 1, call.size);
  FRIT_ASSIGN_OR_RETURN(apart, call.reshape(y, split));
  FRIT_ASSIGN_OR_RETURN(out, call.move_axis(apart, split.size() - 2, 0));
  return std::vector{out};
}

Result<std::vector<ValueId>> batch_weights(const BatchCall& call) {
  if (call.size.is(0)) return no_positions(call);
  FRIT_ASSIGN_OR_RETURN(x, into_channels(call, 0));
  FRIT_ASSIGN_OR_RETURN(y, into_channels(call, 1));
  FRIT_ASSIGN_OR_RETURN(w, call.build("convolution_weights", {x, y}, with_groups(call)));
  FRIT_ASSIGN_OR_RETURN(out, call.reshape(w, call.with_axis(call.results[0].shape)));
  return std::vector{out};
}

// Calls fn(x, w, y), the places in memory of every product: y += x * w summed as both routines do.
template <class Fn>
void for_each_product(const AttrMap& attrs, const HostWindow& x, const HostWindow& w, const HostWindow& y, Fn fn) {
  const size_t space = x.shape.size() - 2;
  const int64_t channels = w.shape.back(), features = y.shape.back(), groups = channels ? x.shape.back() / channels : 1;
  int64_t rows = y.shape[0], taps = 1;
  for (size_t i = 1; i <= space; ++i) rows *= y.shape[i], taps *= w.shape[i];
  std::vector<int64_t> out(space);
  for (int64_t row = 0; row < rows; ++row) {
    int64_t rest = row, to = y.offset;
    for (size_t i = space; i-- > 0; rest /= y.shape[i + 1]) {
      out[i] = rest % y.shape[i + 1];
      to += out[i] * y.strides[i + 1];
    }
    to += rest * y.strides[0];
    for (int64_t tap = 0; tap < taps; ++tap) {
      int64_t left = tap, from = x.offset + rest * x.strides[0], weight = w.offset;
      bool inside = true;
      for (size_t i = space; i-- > 0; left /= w.shape[i + 1]) {
        const ConvolutionAxis a = convolution_axis(attrs, i);
        const int64_t t = left % w.shape[i + 1], at = out[i] * a.stride - a.low.value() + t * a.dilation;
        inside = inside && at >= 0 && at < x.shape[i + 1];
        from += at * x.strides[i + 1];
        weight += t * w.strides[i + 1];
      }
      if (!inside) continue;
      for (int64_t f = 0; f < features; ++f)
        for (int64_t c = 0; c < channels; ++c)
          fn(from + (f / (features / groups) * channels + c) * x.strides.back(),
             weight + f * w.strides[0] + c * w.strides.back(), to + f * y.strides.back());
    }
  }
}

Status convolve(const ReferenceCall& call) {
  const HostWindow &x = call.operands[0], &w = call.operands[1], &y = call.results[0];
  std::vector<double> sums(y.memory.bytes / y.dtype.size() + 1, 0.0);
  for_each_product(call.attrs, x, w, y, [&](int64_t i, int64_t j, int64_t k) {
    sums[static_cast<size_t>(k)] += x.number(i).real() * w.number(j).real();
  });
  int64_t rows = 1;
  for (const int64_t n : y.shape) rows *= n;
  for (int64_t e = 0; e < rows; ++e) {
    int64_t at = y.offset, rest = e;
    for (size_t i = y.shape.size(); i-- > 0; rest /= y.shape[i]) at += rest % y.shape[i] * y.strides[i];
    y.set_number(at, sums[static_cast<size_t>(at)]);
  }
  return {};
}

Status weigh(const ReferenceCall& call) {
  const HostWindow &x = call.operands[0], &y = call.operands[1], &w = call.results[0];
  std::vector<double> sums(w.memory.bytes / w.dtype.size() + 1, 0.0);
  for_each_product(call.attrs, x, w, y, [&](int64_t i, int64_t j, int64_t k) {
    sums[static_cast<size_t>(j)] += x.number(i).real() * y.number(k).real();
  });
  int64_t count = 1;
  for (const int64_t n : w.shape) count *= n;
  for (int64_t e = 0; e < count; ++e) {
    int64_t at = w.offset, rest = e;
    for (size_t i = w.shape.size(); i-- > 0; rest /= w.shape[i]) at += rest % w.shape[i] * w.strides[i];
    w.set_number(at, sums[static_cast<size_t>(at)]);
  }
  return {};
}

Dim products(const Shape& y, const Shape& w) {
  Dim n = 2;
  for (const Dim& d : y) n *= d;
  for (size_t i = 1; i < w.size(); ++i) n *= w[i];
  return n;
}
std::optional<Dim> flops_of(const RoutineLayouts& call) {
  return products(call.results[0].shape, call.operands[1].shape);
}
std::optional<Dim> flops_of_weights(const RoutineLayouts& call) {
  return products(call.operands[1].shape, call.results[0].shape);
}

}  // namespace

ConvolutionAxis convolution_axis(const AttrMap& attrs, size_t axis) {
  const auto entry = [&](std::string_view name, const Dim& usual) {
    const Dims& list = attrs.get_dims(name);
    return list.empty() ? usual : list[axis];
  };
  return {entry("strides", 1).value(), entry("dilation", 1).value(), entry("low", 0), entry("high", 0)};
}

constinit const Routine kConvolution{.name = "convolution",
                                     .operands = 2,
                                     .results = 1,
                                     .infer = infer_convolution,
                                     .reference = convolve,
                                     .epilogue = RoutineEpilogue::FirstResult,
                                     .flops = flops_of};
constinit const Routine kConvolutionWeights{.name = "convolution_weights",
                                            .operands = 2,
                                            .results = 1,
                                            .infer = infer_weights,
                                            .reference = weigh,
                                            .flops = flops_of_weights};

namespace {

const RegisterRoutine record(kConvolution), record_of_weights(kConvolutionWeights);

std::vector<AttrSpec> attributes(bool of_weights) {
  const auto list = [](std::string_view name, std::string_view doc) {
    return AttrSpec{.name = name, .kind = AttrKind::Ints, .required = false, .fallback = Dims{}, .doc = doc};
  };
  std::vector<AttrSpec> specs{list("strides", "steps of the kernel, for each axis of space; empty: all 1"),
                              list("low", "zeros before the input; empty: none"),
                              list("high", "zeros behind the input; empty: none"),
                              list("dilation", "steps between elements that the kernel meets; empty: all 1"),
                              {.name = "groups",
                               .kind = AttrKind::Int,
                               .required = false,
                               .fallback = Dim(1),
                               .doc = "groups of channels, each convolved by itself"}};
  if (of_weights) specs.push_back({.name = "kernel", .kind = AttrKind::Ints, .doc = "sizes of the kernel"});
  return specs;
}

const RegisterOps rows({
    {.name = "convolution",
     .kind = OpKind::Library,
     .arity = 2,
     .traits = kExpensive,
     .doc = "The sum over the positions of a kernel, (batch, space.., groups * channels) with (groups * features, "
            "kernel.., channels): element [n, p, f] sums x[n, p * stride - low + t * dilation, c] w[f, t, c] over t "
            "and the channels c of f's group, with zeros outside of the input. Low-precision floats are summed in "
            "float32 and rounded once; the order of the sum is the library's.",
     .attrs = attributes(false),
     .domain = TypeClass::Float,
     .routine = &kConvolution,
     .infer = infer_convolution,
     .expand = expand_convolution,
     .vjp = vjp_convolution,
     .batch = batch_convolution},
    {.name = "convolution_weights",
     .kind = OpKind::Library,
     .arity = 2,
     .traits = kExpensive,
     .doc = "The derivative of convolution for its weights: for x and a cotangent y of the result, element [f, t, c] "
            "sums x[n, p * stride - low + t * dilation, c] y[n, p, f] over all positions n and p. Low-precision "
            "floats are summed in float32 and rounded once; the order of the sum is the library's.",
     .attrs = attributes(true),
     .domain = TypeClass::Float,
     .routine = &kConvolutionWeights,
     .infer = infer_weights,
     .expand = expand_convolution_weights,
     .vjp = vjp_weights,
     .batch = batch_weights},
});

}  // namespace
}  // namespace frit::ir
