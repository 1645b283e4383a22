// Running sums, products, extremes and logarithms of sums along an axis.
#include <limits>

#include "ir/graph/op.h"
#include "ir/ops/rules.h"

namespace frit::ir {
namespace {

using Values = std::span<const ValueId>;

constexpr auto kScan = OpKind::Scan;

Result<std::vector<Type>> infer_scan(const InferArgs& args) {
  const Type& x = args.operands[0];
  const Dim axis = args.attrs.get_dim("axis");
  if (!axis.is_const() || axis.value() < 0 || axis.value() >= x.rank())
    return Diagnostic("a scan has axis " + axis.str() + ", but its operand is " + x.str(), {}, "count axes from 0");
  return std::vector<Type>{x};
}

Result<std::vector<Type>> infer_inexact(const InferArgs& args) {
  if (!is_inexact(args.operands[0].dtype))
    return Diagnostic("op 'logcumsumexp' needs floats or complex numbers, but its operand is " + args.operands[0].str(),
                      {}, "convert it with 'astype' first");
  return infer_scan(args);
}

// ---- derivatives ----

struct Direction {
  Dim axis;
  bool reverse, inclusive;
};

Direction direction_of(const Op& op) {
  return {op.attrs.get_dim("axis"), op.attrs.get_bool("reverse"), op.attrs.get_bool("inclusive")};
}

ValueId scan(Builder& b, std::string_view row, ValueId v, const Dim& axis, bool reverse, bool inclusive = true) {
  return b.build(row, {v}, {{"axis", axis}, {"reverse", reverse}, {"inclusive", inclusive}});
}

// Moves the elements `by` places towards higher positions of the axis, with zeros behind them; `more` adds places.
ValueId shifted(Builder& b, ValueId v, const Dim& axis, int64_t low, int64_t high) {
  const size_t rank = b.type(v).shape.size();
  Dims before(rank, 0), after(rank, 0);
  before[static_cast<size_t>(axis.value())] = low;
  after[static_cast<size_t>(axis.value())] = high;
  return b.build("pad", {v, b.scalar(b.type(v).dtype, 0)}, {{"low", before}, {"high", after}});
}

// The cotangent of the inclusive scan: an exclusive one has each result one place further along.
ValueId of_inclusive(Builder& b, const Direction& d, ValueId cotangent) {
  if (d.inclusive) return cotangent;
  return d.reverse ? shifted(b, cotangent, d.axis, 1, -1) : shifted(b, cotangent, d.axis, -1, 1);
}

std::vector<ValueId> vjp_cumsum(Builder& b, const Op& op, Values, Values, Values cotangents) {
  const Direction d = direction_of(op);
  return {scan(b, "cumsum", cotangents[0], d.axis, !d.reverse, d.inclusive)};
}

// Each product is divided by the element, which zeros and infinities prevent. At the first of them, products go on as
// if it were one. Behind it they have that number as a factor.
std::vector<ValueId> vjp_cumprod(Builder& b, const Op& op, Values operands, Values, Values cotangents) {
  const Direction d = direction_of(op);
  ValueId x = rules::conjugated(b, rules::inexact(b, operands[0]));
  const Type type = b.type(x);
  ValueId g = of_inclusive(b, d, b.cast(cotangents[0], type.dtype));
  ValueId zero = b.splat(0, type), one = b.splat(1, type);
  ValueId ends = b.build("logical_or", {b.build("equal", {x, zero}), b.build("isinf", {x})});
  ValueId count = scan(b, "cumsum", b.cast(ends, int32), d.axis, d.reverse);
  const Type counts = b.type(count);
  ValueId first = b.build("logical_and", {ends, b.build("equal", {count, b.splat(1, counts)})});
  ValueId before = b.build("equal", {count, b.splat(0, counts)});
  auto weighted = [&](ValueId factors) {
    ValueId products = scan(b, "cumprod", factors, d.axis, d.reverse);
    return scan(b, "cumsum", b.build("multiply", {g, products}), d.axis, !d.reverse);
  };
  ValueId safe = b.build("select", {ends, one, x});
  ValueId ahead = b.build("divide", {weighted(x), safe});
  ValueId at_first = weighted(b.build("select", {first, one, x}));
  ValueId factor = scan(b, "cumprod", b.build("select", {ends, x, one}), d.axis, d.reverse, false);
  ValueId behind = b.build("multiply", {factor, b.build("divide", {at_first, safe})});
  behind = b.build("select", {b.build("equal", {factor, zero}), zero, behind});
  return {b.build("select", {first, at_first, b.build("select", {before, ahead, behind})})};
}

// An element has the cotangents from its own place on, up to the next element that attains the extreme.
std::vector<ValueId> vjp_running_extreme(Builder& b, const Op& op, Values operands, Values, Values cotangents) {
  const Direction d = direction_of(op);
  ValueId x = operands[0];
  const Type type = b.type(x);
  const Dim n = type.shape[static_cast<size_t>(d.axis.value())];
  ValueId g = of_inclusive(b, d, cotangents[0]);
  ValueId record = b.build("equal", {x, scan(b, op.def->name, x, d.axis, d.reverse)});
  ValueId place = b.build("iota", {}, {{"shape", Dims(type.shape)}, {"axis", d.axis}, {"dtype", int64}});
  ValueId none = b.broadcast(d.reverse ? b.scalar(int64, -1) : rules::count(b, n, int64), type.shape);
  ValueId own = b.build("select", {record, place, none});
  ValueId sums = scan(b, "cumsum", g, d.axis, !d.reverse);
  // The place of the next one along the scan, in an array with a zero past the last place.
  ValueId next = scan(b, d.reverse ? "cummax" : "cummin", own, d.axis, !d.reverse, false);
  const Type places = b.type(next);
  if (d.reverse) next = b.build("add", {b.build("maximum", {next, b.splat(-1, places)}), b.splat(1, places)});
  ValueId padded = d.reverse ? shifted(b, sums, d.axis, 1, 0) : shifted(b, sums, d.axis, 0, 1);
  ValueId later = b.build("take_along_axis", {padded, next}, {{"axis", d.axis}});
  return {b.build("select", {record, b.build("subtract", {sums, later}), b.splat(0, type)})};
}

// log(v) + by where v is positive, else minus infinity. The logarithm of other elements has no part in derivatives
// either: 1 / v would be infinite there.
ValueId log_of_positive(Builder& b, ValueId v, ValueId by) {
  const Type type = b.type(v);
  ValueId out = b.build("less_equal", {v, b.splat(0, type)});
  ValueId low = b.splat(-std::numeric_limits<double>::infinity(), type);
  ValueId logs = b.build("log", {b.build("select", {out, b.splat(1, type), v})});
  return b.build("select", {out, low, b.build("add", {logs, by})});
}

// exp(x) times the sum of cotangent * exp(-out) from its place on; as logarithms, apart for either sign of the
// cotangent, so that nothing overflows.
std::vector<ValueId> vjp_logcumsumexp(Builder& b, const Op& op, Values operands, Values, Values cotangents) {
  const Direction d = direction_of(op);
  ValueId x = rules::conjugated(b, operands[0]);
  const Type type = b.type(x);
  ValueId g = of_inclusive(b, d, cotangents[0]);
  ValueId out = scan(b, "logcumsumexp", x, d.axis, d.reverse);
  if (is_complex(type.dtype)) {
    ValueId scaled = b.build("multiply", {g, b.build("exp", {b.build("negative", {out})})});
    return {b.build("multiply", {b.build("exp", {x}), scan(b, "cumsum", scaled, d.axis, !d.reverse)})};
  }
  ValueId scale = b.build("negative", {out});
  auto part = [&](ValueId positive) {
    ValueId weights = log_of_positive(b, positive, scale);
    ValueId sums = scan(b, "logcumsumexp", weights, d.axis, !d.reverse);
    return b.build("exp", {b.build("add", {x, sums})});
  };
  return {b.build("subtract", {part(g), part(b.build("negative", {g}))})};
}

// The sum of tangent * exp(x) up to each place, over exp(out); as logarithms, apart for either sign of the tangent.
std::vector<ValueId> jvp_logcumsumexp(Builder& b, const Op& op, Values operands, Values, Values tangents) {
  const Direction d = direction_of(op);
  ValueId x = operands[0], t = tangents[0];
  const Type type = b.type(x);
  ValueId out = scan(b, "logcumsumexp", x, d.axis, d.reverse);
  ValueId sum;
  if (is_complex(type.dtype)) {
    ValueId terms = b.build("multiply", {t, b.build("exp", {x})});
    sum = b.build("divide", {scan(b, "cumsum", terms, d.axis, d.reverse), b.build("exp", {out})});
  } else {
    // Where nothing but minus infinity came so far, the sums are minus infinity too: less 0 they give a tangent of 0.
    ValueId low = b.splat(-std::numeric_limits<double>::infinity(), type);
    ValueId scale = b.build("select", {b.build("equal", {out, low}), b.splat(0, type), out});
    auto part = [&](ValueId positive) {
      ValueId terms = log_of_positive(b, positive, x);
      return b.build("exp", {b.build("subtract", {scan(b, "logcumsumexp", terms, d.axis, d.reverse), scale})});
    };
    sum = b.build("subtract", {part(t), part(b.build("negative", {t}))});
  }
  if (d.inclusive) return {sum};
  return {d.reverse ? shifted(b, sum, d.axis, -1, 1) : shifted(b, sum, d.axis, 1, -1)};
}

const std::vector<AttrSpec> kScanAttrs = {
    {.name = "axis", .kind = AttrKind::Int, .doc = "the axis to run along, counted from 0", .axes = AxisUse::Axis},
    {.name = "reverse",
     .kind = AttrKind::Bool,
     .required = false,
     .fallback = false,
     .doc = "whether to run from the last position to the first"},
    {.name = "inclusive",
     .kind = AttrKind::Bool,
     .required = false,
     .fallback = true,
     .doc = "whether each result includes the element at its own place"}};

const RegisterOps scan_rows({
    {.name = "cumsum",
     .kind = kScan,
     .arity = 1,
     .doc =
         "The running sum along an axis. Integers wrap; float16 and bfloat16 are summed in float32, and each result is "
         "rounded once; on bool it is the logical or. Along the last axis sixteen elements are summed among themselves by "
         "halves before the sum of those before them is added, along other axes one element after the other.",
     .attrs = kScanAttrs,
     .combine = Combine::Sum,
     .step = "add",
     .infer = infer_scan,
     .vjp = vjp_cumsum},
    {.name = "cumprod",
     .kind = kScan,
     .arity = 1,
     .doc =
         "The running product along an axis, in the order of cumsum. Integers wrap; float16 and bfloat16 are multiplied in "
         "float32, and each result is rounded once; on bool it is the logical and.",
     .attrs = kScanAttrs,
     .combine = Combine::Prod,
     .step = "multiply",
     .infer = infer_scan,
     .vjp = vjp_cumprod},
    {.name = "cummax",
     .kind = kScan,
     .arity = 1,
     .doc =
         "The largest element so far along an axis; NaN from the first one on. An exclusive one begins with the least value of "
         "the type. Complex numbers are ordered by real, then by imaginary part.",
     .attrs = kScanAttrs,
     .combine = Combine::Max,
     .step = "maximum",
     .infer = infer_scan,
     .vjp = vjp_running_extreme},
    {.name = "cummin",
     .kind = kScan,
     .arity = 1,
     .doc =
         "The smallest element so far along an axis; NaN from the first one on. An exclusive one begins with the greatest value "
         "of the type. Complex numbers are ordered by real, then by imaginary part.",
     .attrs = kScanAttrs,
     .combine = Combine::Min,
     .step = "minimum",
     .infer = infer_scan,
     .vjp = vjp_running_extreme},
    {.name = "logcumsumexp",
     .kind = kScan,
     .arity = 1,
     .doc =
         "The logarithm of the running sum of exponentials along an axis, without overflow in between; an exclusive one begins "
         "with minus infinity.",
     .attrs = kScanAttrs,
     .domain = TypeClass::Inexact,
     .combine = Combine::Max,
     .step = "logaddexp",
     .real_identity = true,
     .infer = infer_inexact,
     .vjp = vjp_logcumsumexp,
     .jvp = jvp_logcumsumexp},
});

}  // namespace
}  // namespace frit::ir
