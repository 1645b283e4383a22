// Rows between products: the rows `attention` and `masked_attention` and their routine records. The pass `attention`
// makes these operations of products with a softmax between them, for devices that need not store the scores.
#include "ir/routines/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ir/ops/rules.h"
#include "ir/routines/cost.h"

namespace frit::ir {
namespace {

using Values = std::span<const ValueId>;

constexpr size_t kMask = 3;

Result<std::vector<Type>> infer_attention(const InferArgs& args) {
  const Type &a = args.operands[0], &b = args.operands[1], &c = args.operands[2];
  auto fail = [&](std::string_view needs, std::string_view cure) {
    return Diagnostic("op 'attention' needs " + std::string(needs) + ", but got " + rules::list(args.operands), {},
                      std::string(cure));
  };
  if (!is_float(a.dtype) || b.dtype != a.dtype || c.dtype != a.dtype)
    return fail("matrices of floats of one element type", "convert with 'astype' first");
  for (const Type& t : args.operands)
    if (t.rank() < 2 || t.rank() != a.rank())
      return fail("matrices or stacks of matrices of one rank", "add axes with 'reshape' first");
  const size_t row = a.shape.size() - 2, column = row + 1;
  const auto same = [&](const Dim& x, const Dim& y) { return rules::same_size(x, y, args.facts); };
  for (const Type& t : args.operands)
    for (size_t i = 0; i < row; ++i)
      if (!same(t.shape[i], a.shape[i])) return fail("equal leading axes", "make them equal with 'broadcast' first");
  if (!same(a.shape[column], b.shape[row]) || !same(b.shape[column], c.shape[row]))
    return fail("as many columns of each matrix as rows of the next", "transpose an operand");
  if (args.operands.size() > kMask) {
    const Type& mask = args.operands[kMask];
    if (mask.dtype != bool_ && mask.dtype != a.dtype && mask.dtype != float32)
      return fail("a mask of bool, f32 or the type of the matrices", "convert it with 'astype' first");
    if (!same(mask.shape[row], a.shape[row]) || !same(mask.shape[column], b.shape[column]))
      return fail("an element of the mask for each score", "make the shapes equal with 'broadcast' first");
  }
  // Devices pass over the columns that 'causal' hides.
  if (args.attrs.get_bool("causal") && args.attrs.get_float("hidden", -INFINITY) > kHides)
    return fail("a hidden score of at most " + std::to_string(static_cast<int>(kHides)) + " where it is causal",
                "hide the columns with a bool mask, or lower 'hidden'");
  Type out{a.dtype, a.shape};
  out.shape.back() = c.shape.back();
  return std::vector<Type>{out};
}

// The pairs that the mask 'causal' keeps.
ValueId causal_pairs(Builder& b, const Shape& shape) {
  const size_t row = shape.size() - 2;
  const Dims pair{shape[row], shape[row + 1]};
  const ValueId last =
      b.build("iota", {}, {{"shape", pair}, {"axis", Dim(0)}, {"dtype", int64}, {"start", pair[1] - pair[0]}});
  const ValueId column = b.build("iota", {}, {{"shape", pair}, {"axis", Dim(1)}, {"dtype", int64}});
  return b.broadcast(b.build("less_equal", {column, last}), shape);
}

// The derivative computes the weights again, in float32 where the elements are shorter.
std::vector<ValueId> vjp_attention(Builder& b, const Op& op, Values operands, Values, Values cotangents) {
  const Dtype t = b.type(operands[0]).dtype;
  const Dtype wide = t == float64 ? float64 : float32;
  std::vector<ValueId> x;
  for (size_t i = 0; i < kMask; ++i) x.push_back(b.cast(operands[i], wide));
  const ValueId products = b.build("matmul", {x[0], x[1]});
  const Type type = b.type(products);
  const ValueId scale = b.splat(op.attrs.get_float("scale", 1), type),
                hidden = b.splat(op.attrs.get_float("hidden"), type);
  ValueId scores = b.build("multiply", {products, scale}), kept = kNone;
  const auto keep = [&](ValueId pairs) {
    scores = b.build("select", {pairs, scores, hidden});
    kept = kept == kNone ? pairs : b.build("logical_and", {kept, pairs});
  };
  if (op.attrs.get_bool("causal")) keep(causal_pairs(b, type.shape));
  const bool masked = operands.size() > kMask, added = masked && b.type(operands[kMask]).dtype != bool_;
  if (added) scores = b.build("add", {scores, b.cast(operands[kMask], wide)});
  if (masked && !added) keep(operands[kMask]);
  const std::vector<int> last{type.rank() - 1};
  const ValueId weights = b.build("softmax", {scores}, {{"axes", to_dims(last)}});
  const ValueId g = b.cast(cotangents[0], wide);
  const ValueId of_weights = b.build("matmul", {g, rules::swap_last(b, x[2])});
  const ValueId mean = rules::reduce(b, "sum", b.build("multiply", {of_weights, weights}), last, true);
  const ValueId of_scores =
      b.build("multiply", {weights, b.build("subtract", {of_weights, b.broadcast(mean, type.shape)})});
  ValueId of_products = b.build("multiply", {of_scores, scale});
  if (kept != kNone) of_products = b.build("select", {kept, of_products, b.splat(0, type)});
  std::vector<ValueId> out{b.cast(b.build("matmul", {of_products, rules::swap_last(b, x[1])}), t),
                           b.cast(b.build("matmul", {rules::swap_last(b, x[0]), of_products}), t),
                           b.cast(b.build("matmul", {rules::swap_last(b, weights), g}), t)};
  if (masked) out.push_back(added ? b.cast(of_scores, b.type(operands[kMask]).dtype) : kNone);
  return out;
}

struct Matrix {
  const HostWindow& w;
  int64_t start;
  double at(int64_t i, int64_t j) const {
    const size_t row = w.shape.size() - 2;
    return w.number(start + i * w.strides[row] + j * w.strides[row + 1]).real();
  }
};

Status attend(const ReferenceCall& call) {
  const HostWindow& out = call.results[0];
  const size_t row = out.shape.size() - 2;
  const int64_t rows = out.shape[row], columns = out.shape[row + 1], depth = call.operands[0].shape[row + 1],
                keys = call.operands[1].shape[row + 1];
  const double scale = call.attrs.get_float("scale", 1),
               hidden = call.attrs.get_float("hidden", -std::numeric_limits<double>::infinity());
  const bool causal = call.attrs.get_bool("causal");
  int64_t batches = 1;
  for (size_t axis = 0; axis < row; ++axis) batches *= out.shape[axis];
  std::vector<double> weights(static_cast<size_t>(keys));
  for (int64_t batch = 0; batch < batches; ++batch) {
    const auto matrix = [&](size_t i) { return Matrix{call.operands[i], matrix_start(call.operands[i], batch)}; };
    const Matrix a = matrix(0), b = matrix(1), c = matrix(2), mask = matrix(call.operands.size() - 1);
    const bool masked = call.operands.size() > kMask, flags = masked && call.operands[kMask].dtype == bool_;
    const int64_t to = matrix_start(out, batch);
    for (int64_t i = 0; i < rows; ++i) {
      double top = -std::numeric_limits<double>::infinity(), sum = 0;
      for (int64_t j = 0; j < keys; ++j) {
        double score = 0;
        for (int64_t k = 0; k < depth; ++k) score += a.at(i, k) * b.at(k, j);
        score *= scale;
        if ((causal && j > i + keys - rows) || (flags && mask.at(i, j) == 0)) score = hidden;
        if (masked && !flags) score += mask.at(i, j);
        weights[static_cast<size_t>(j)] = score;
        top = score > top || std::isnan(score) ? score : top;
      }
      for (double& w : weights) sum += w = std::exp(w - top);
      for (int64_t e = 0; e < columns; ++e) {
        double value = 0;
        for (int64_t j = 0; j < keys; ++j) value += weights[static_cast<size_t>(j)] / sum * c.at(j, e);
        out.set_number(to + i * out.strides[row] + e * out.strides[row + 1], value);
      }
    }
  }
  return {};
}

// Both products; the exponentials between them are few beside these.
std::optional<Dim> flops_of_attention(const RoutineLayouts& call) {
  const Shape &a = call.operands[0].shape, &c = call.operands[2].shape;
  const size_t row = c.size() - 2;
  return cost::product(a, c[row], call.dtypes[0]) + cost::product(call.results[0].shape, c[row], call.dtypes[0]);
}

}  // namespace

constinit const Routine kAttention{.name = "attention",
                                   .operands = 3,
                                   .results = 1,
                                   .infer = infer_attention,
                                   .reference = attend,
                                   .flops = flops_of_attention};
constinit const Routine kMaskedAttention{.name = "masked_attention",
                                         .operands = 4,
                                         .results = 1,
                                         .infer = infer_attention,
                                         .reference = attend,
                                         .flops = flops_of_attention};

namespace {

const RegisterRoutine attention_record(kAttention), masked_attention_record(kMaskedAttention);

std::vector<AttrSpec> attributes() {
  return {{.name = "scale", .kind = AttrKind::Float, .required = false, .fallback = 1.0, .doc = "factor of the scores"},
          {.name = "causal",
           .kind = AttrKind::Bool,
           .required = false,
           .fallback = false,
           .doc = "hides column j of row i where j > i + columns - rows; takes a hidden score of at most -1000"},
          {.name = "hidden",
           .kind = AttrKind::Float,
           .required = false,
           .fallback = -std::numeric_limits<double>::infinity(),
           .doc = "the score of hidden columns"}};
}

const RegisterOps attention_rows({
    {.name = "attention",
     .kind = OpKind::Library,
     .arity = 3,
     .traits = kExpensive | kStacked,
     .doc =
         "softmax(scale * a b) c over the last two axes, [.., m, d] by [.., d, n] by [.., n, e], for each position of "
         "the equal leading axes. Scores and sums are float32, of f64 float64; weights may be rounded to the element type before the "
         "second product. Zero for n = 0.",
     .attrs = attributes(),
     .domain = TypeClass::Float,
     .routine = &kAttention,
     .infer = infer_attention,
     .vjp = vjp_attention},
    {.name = "masked_attention",
     .kind = OpKind::Library,
     .arity = 4,
     .traits = kExpensive | kStacked,
     .doc = "As attention, with a mask of an element for each score: a bool hides what is false, any other is added.",
     .attrs = attributes(),
     .domain = TypeClass::Float,
     .routine = &kMaskedAttention,
     .infer = infer_attention,
     .vjp = vjp_attention},
});

}  // namespace
}  // namespace frit::ir
