// attention: a product, row work of the form exp(x - max x) / sum, and a product become one operation, rows between
// products, whose scores need not be stored.
//
// The row work may scale the scores, hide some of them (by a bool mask, or causally), add a mask and convert between
// floats. All of it must have no other reader. Where several heads of the left operand share a right one, rows of the
// product stand for heads and positions; the operation then has an axis for the heads, along which the right operands
// repeat.
//
// The pass does so for devices of a grid, whose memory is slow beside their arithmetic. Nine to 31 rows stay as they
// are, and fewer ones whose operands cannot be read 16 bytes at a time, because products of few rows read their
// operands at the memory's speed. So do long rows of the operands, for which smaller tiles cost more than storing the
// scores.
#include <algorithm>
#include <limits>

#include "ir/routines/attention.h"
#include "ir/routines/matmul.h"
#include "passes/manager/pass.h"
#include "passes/simplify/forms.h"
#include "passes/simplify/rewrite.h"

namespace frit::passes {
namespace {

using namespace ir;

constexpr int64_t kFewest = 32;        // rows and columns of scores, but for the fewest rows
constexpr int64_t kFewer = 8;          // rows of the form that reads keys and values once
constexpr int64_t kWide = 8;           // elements of 16 bytes, at most
constexpr int64_t kMostColumns = 128;  // of the left operand and of the result
constexpr size_t kMostAxes = 4;        // in front of the matrices

// The work between the first product and the softmax.
struct Scores {
  ValueId product = kNone;
  double scale = 1;
  bool causal = false;
  ValueId mask = kNone;
  bool inverted = false;  // the mask is true where scores are hidden
  std::optional<double> hidden;
  bool scaled = false;  // a factor was passed
  Shape shape;          // of the softmax
};

class AttentionMatcher {
 public:
  AttentionMatcher(const Function& f, const std::vector<uint32_t>& uses) : f_(f), uses_(uses) {}

  // The scores whose softmax is the left operand of a product, or nothing.
  std::optional<Scores> match(ValueId weights) const {
    const ValueId quotient = bare(weights);
    const Op* op = made_by(quotient, ScalarOp::Div);
    if (!op || uses(quotient) != 1) return std::nullopt;
    const ValueId powers = op->operands[0];
    if (uses(powers) != 2 || !is_row_value(op->operands[1], powers, Combine::Sum)) return std::nullopt;
    if (!(op = made_by(powers, ScalarOp::Exp)) || uses(op->operands[0]) != 1) return std::nullopt;
    if (!(op = made_by(op->operands[0], ScalarOp::Sub))) return std::nullopt;
    const ValueId scores = op->operands[0];
    if (uses(scores) != 2 || !is_row_value(op->operands[1], scores, Combine::Max)) return std::nullopt;
    Scores found;
    found.shape = shape(scores);
    return below(scores, found, true);
  }

 private:
  uint32_t uses(ValueId v) const { return v < uses_.size() ? uses_[v] : 0; }
  const Op* made_by(ValueId v, ScalarOp scalar) const {
    const Op* op = f_.def_of(v);
    return op && only_operation(f_, *op) == scalar ? op : nullptr;
  }
  const Shape& shape(ValueId v) const { return f_.type(v).shape; }

  // Conversions between floats, and reshapes that keep the last axis.
  const Op* passes_on(ValueId v) const {
    const Op* op = f_.def_of(v);
    if (!op || op->operands.size() != 1) return nullptr;
    const Type &from = f_.type(op->operands[0]), &to = f_.type(v);
    if (only_operation(f_, *op) == ScalarOp::Cast) return is_float(from.dtype) && is_float(to.dtype) ? op : nullptr;
    if (from.rank() < 2 || to.rank() < 2 || from.shape.back() != to.shape.back()) return nullptr;
    return keeps_order(f_, *op) ? op : nullptr;
  }

  ValueId bare(ValueId v) const {
    while (const Op* op = passes_on(v)) {
      if (uses(v) != 1) break;
      v = op->operands[0];
    }
    return v;
  }

  // Whether `v`, of the shape of `full`, is a reduction of `full` along its last axis, spread over it.
  bool is_row_value(ValueId v, ValueId full, Combine combine) const {
    DimFacts facts = f_.facts;
    std::vector<Dim> at = position_in(shape(full), facts);
    std::vector<Dim> wanted(at.begin(), at.end() - 1);
    const Op* op = f_.def_of(v);
    for (; op && op->def->kind != OpKind::Reduction; op = f_.def_of(v)) {
      if (uses(v) != 1 || op->operands.size() != 1) return false;
      if (!is_same_elements(f_, *op) && !position_in_operand(f_, *op, v, at)) return false;
      v = op->operands[0];
    }
    if (!op || uses(v) != 1 || op->operands[0] != full || op->def->combine != combine) return false;
    const std::vector<int64_t> axes = op->attrs.get_ints("axes");
    if (axes.size() != 1 || axes[0] != static_cast<int64_t>(wanted.size())) return false;
    if (op->attrs.get_bool("keepdims")) wanted.emplace_back(0);
    for (size_t k = 0; k < wanted.size(); ++k)
      if (facts.equal(facts.simplify(at[k]), wanted[k]) != Tri::Yes) return false;
    return at.size() == wanted.size();
  }

  // The number that every element of `v` is.
  std::optional<double> number(ValueId v) const {
    if (!is_float(f_.type(v).dtype)) return std::nullopt;
    const auto bits = splat_bits(f_, v);
    return bits ? std::optional(bits_to_double(f_.type(v).dtype, *bits)) : std::nullopt;
  }

  // From `v` towards the product. Masks come before factors on this way, and a mask that is added before others.
  std::optional<Scores> below(ValueId v, Scores s, bool first) const {
    const Op* op = f_.def_of(v);
    if (!op || (!first && uses(v) != 1)) return std::nullopt;
    if (op->def->routine == &kMatmul) {
      s.product = v;
      return s;
    }
    if (passes_on(v)) return below(op->operands[0], s, false);
    const auto scalar = only_operation(f_, *op);
    if (scalar == ScalarOp::Select) return below_choice(*op, s);
    if (scalar == ScalarOp::Mul || scalar == ScalarOp::Div) {
      for (size_t i : {0u, 1u}) {
        const auto factor = number(op->operands[1 - i]);
        if (!factor || (i == 1 && scalar == ScalarOp::Div)) continue;
        s.scale *= scalar == ScalarOp::Div ? 1 / *factor : *factor;
        s.scaled = true;
        return below(op->operands[i], s, false);
      }
      return std::nullopt;
    }
    if (scalar != ScalarOp::Add || s.scaled || s.causal || s.mask != kNone) return std::nullopt;
    for (size_t i : {0u, 1u}) {
      Scores masked = s;
      masked.mask = op->operands[1 - i];
      if (auto found = below(op->operands[i], masked, false)) return found;
    }
    return std::nullopt;
  }

  std::optional<Scores> below_choice(const Op& op, Scores s) const {
    if (s.scaled) return std::nullopt;
    const auto hidden = number(op.operands[2]), shown = number(op.operands[1]);
    const auto value = hidden ? hidden : shown;
    if (!value || (hidden && shown) || (s.hidden && *s.hidden != *value)) return std::nullopt;
    s.hidden = value;
    const bool inverted = !hidden;
    if (!s.causal && *value <= kHides && is_causal(op.operands[0], inverted)) {
      s.causal = true;
    } else if (s.mask == kNone && !s.causal) {
      s.mask = op.operands[0];
      s.inverted = inverted;
    } else {
      return std::nullopt;
    }
    return below(op.operands[hidden ? 1 : 2], s, false);
  }

  // Whether a condition holds for column j of row i where j <= i + columns - rows, or where it is greater.
  bool is_causal(ValueId condition, bool inverted) const {
    const Shape& full = shape(condition);
    if (full.size() < 2) return false;
    const size_t row = full.size() - 2;
    DimFacts ranges = f_.facts;
    std::vector<Dim> at = position_in(full, ranges);
    const Dim beyond = at[row + 1] - at[row] - full[row + 1] + full[row];  // is hidden where positive
    const Op* op = f_.def_of(condition);
    for (; op && op->def->kind == OpKind::Index; op = f_.def_of(condition)) {
      if (!position_in_operand(f_, *op, condition, at)) return false;
      condition = op->operands[0];
    }
    if (!op || op->operands.size() != 2) return false;
    const auto x = integer(op->operands[0], at), y = integer(op->operands[1], at);
    if (!x || !y) return false;
    // The condition as: a difference is at least zero.
    const auto scalar = only_operation(f_, *op);
    Dim least;
    if (scalar == ScalarOp::Le)
      least = *y - *x;
    else if (scalar == ScalarOp::Ge)
      least = *x - *y;
    else if (scalar == ScalarOp::Lt)
      least = *y - *x - Dim(1);
    else if (scalar == ScalarOp::Gt)
      least = *x - *y - Dim(1);
    else
      return false;
    return f_.facts.equal(least, inverted ? beyond - Dim(1) : -beyond) == Tri::Yes;
  }

  // The integer at a position, where it follows from the position.
  std::optional<Dim> integer(ValueId v, std::vector<Dim> at) const {
    const Op* op = f_.def_of(v);
    if (!op || is_inexact(f_.type(v).dtype) || f_.type(v).dtype == bool_) return std::nullopt;
    if (op->def->kind == OpKind::Iota) return op->def->index_value(*op, f_.type(v), at);
    if (op->def->kind == OpKind::Constant && f_.type(v).rank() == 0)
      return Dim(std::get<Literal>(*op->attrs.find("value")).as_int());
    if (op->def->kind == OpKind::Index && position_in_operand(f_, *op, v, at)) return integer(op->operands[0], at);
    const auto scalar = only_operation(f_, *op);
    if (scalar == ScalarOp::Cast) return integer(op->operands[0], at);
    if (scalar != ScalarOp::Add && scalar != ScalarOp::Sub) return std::nullopt;
    const auto x = integer(op->operands[0], at), y = integer(op->operands[1], at);
    if (!x || !y) return std::nullopt;
    return scalar == ScalarOp::Add ? *x + *y : *x - *y;
  }

  const Function& f_;
  const std::vector<uint32_t>& uses_;
};

class Writer {
 public:
  Writer(Rewriter& rewriter, const Scores& scores, const Op& product)
      : b_(rewriter.builder()), s_(scores), product_(product) {}

  // The operation in the place of the second product; nothing where the shapes do not fit or it does not pay.
  std::optional<ValueId> run() {
    const Function& f = b_.function();
    const Op first = *f.def_of(s_.product);
    if (b_.type(s_.product).dtype == float64) return std::nullopt;
    const Shape inner = b_.type(s_.product).shape;
    left_ = first.operands[0], right_ = first.operands[1], values_ = product_.operands[1];
    if (!same_shape(b_.type(product_.operands[0]).shape, inner, f.facts)) return std::nullopt;
    const size_t row = inner.size() - 2;
    rows_ = inner[row], columns_ = inner[row + 1];
    lead_.assign(inner.begin(), inner.end() - 2);
    if (!pays()) return std::nullopt;
    const Shape scores = s_.shape;
    grouped_ = !same_shape(scores, inner, f.facts);
    // One position for each head: it sees all keys, and heads that share them are rows of one matrix.
    if (grouped_ && s_.mask == kNone && scores[scores.size() - 2].is(1)) grouped_ = s_.causal = false;
    if (grouped_ && !cut_rows(scores)) return std::nullopt;
    if (lead_.size() > kMostAxes) return std::nullopt;
    return build();
  }

 private:
  bool pays() const {
    const DimFacts& facts = b_.function().facts;
    const auto less = [&](const Dim& d, int64_t n) { return facts.less(d, Dim(n)) == Tri::Yes; };
    const auto more = [&](ValueId v) { return facts.less(Dim(kMostColumns), b_.type(v).shape.back()) == Tri::Yes; };
    if (more(left_) || more(values_)) return false;
    if (less(rows_, kFewer + 1)) return is_read_wide();
    return !less(rows_, kFewest) && !less(columns_, kFewest);
  }

  // Whether keys and values can be read 16 bytes at a time, as the form for few rows needs them.
  bool is_read_wide() const {
    const auto wide = [&](ValueId v) {
      const Dim length = b_.type(v).shape.back();
      return length.is_const() && length.value() % kWide == 0;
    };
    const Op* op = b_.function().def_of(right_);
    return op && swaps_last_axes(b_.function(), *op) && wide(left_) && wide(values_);
  }

  // Rows of the product are heads times the rows of the scores.
  bool cut_rows(const Shape& scores) {
    const DimFacts& facts = b_.function().facts;
    const Dim each = scores[scores.size() - 2], heads = facts.simplify(floor_div(rows_, each));
    if (scores.back() != columns_ || facts.equal(heads * each, rows_) != Tri::Yes) return false;
    lead_.push_back(heads);
    rows_ = each;
    return true;
  }

  Shape with(const Dim& rows, const Dim& columns) const {
    Shape shape = lead_;
    shape.push_back(rows), shape.push_back(columns);
    return shape;
  }
  ValueId reshape(ValueId v, const Shape& shape) {
    return b_.type(v).shape == shape ? v : b_.build("reshape", {v}, {{"shape", Dims(shape)}});
  }
  // A right operand for each head.
  ValueId repeated(ValueId v) {
    if (!grouped_) return v;
    const Shape own = b_.type(v).shape;
    const Dim rows = own[own.size() - 2], columns = own.back();
    Shape one = with(rows, columns);
    one[lead_.size() - 1] = 1;
    return b_.broadcast(reshape(v, one), with(rows, columns));
  }

  // A factor of the left operand joins that of the scores.
  void take_factor() {
    const Function& f = b_.function();
    const Op* op = f.def_of(left_);
    const bool turned = op && keeps_order(f, *op);
    const Shape shape = b_.type(left_).shape;
    if (turned) op = f.def_of(op->operands[0]);
    if (!op || only_operation(f, *op) != ScalarOp::Mul) return;
    for (size_t i : {0u, 1u}) {
      const auto bits = splat_bits(f, op->operands[1 - i]);
      if (!bits) continue;
      s_.scale *= bits_to_double(b_.type(left_).dtype, *bits);
      left_ = reshape(op->operands[i], shape);
      return;
    }
  }

  ValueId mask() {
    const Shape full = with(rows_, columns_);
    const Op* op = b_.function().def_of(s_.mask);
    ValueId v = s_.mask;
    // One mask for all heads needs no copy.
    if (op && grouped_ && spreads(b_.function(), *op)) {
      const Shape own = b_.type(op->operands[0]).shape;
      const size_t last = std::min<size_t>(own.size(), 2);
      if (std::all_of(own.begin(), own.end() - static_cast<std::ptrdiff_t>(last), [](const Dim& d) { return d.is(1); }))
        v = b_.broadcast(reshape(op->operands[0], Shape(own.end() - static_cast<std::ptrdiff_t>(last), own.end())),
                         full);
    }
    if (s_.inverted) v = b_.build("logical_not", {v});
    return reshape(v, full);
  }

  std::optional<ValueId> build() {
    take_factor();
    const Shape result = b_.type(product_.results[0]).shape;
    std::vector<ValueId> operands{left_, repeated(right_), repeated(values_)};
    operands[0] = reshape(operands[0], with(rows_, b_.type(left_).shape.back()));
    if (s_.mask != kNone) operands.push_back(mask());
    const OpDef& def = op(s_.mask != kNone ? kMaskedAttention.name : kAttention.name);
    AttrMap attrs{{"scale", s_.scale},
                  {"causal", s_.causal},
                  {"hidden", s_.hidden.value_or(-std::numeric_limits<double>::infinity())}};
    auto made = b_.try_build(def, std::move(operands), std::move(attrs));
    if (!made.ok()) return std::nullopt;
    return reshape(made->front(), result);
  }

  Builder& b_;
  Scores s_;
  const Op& product_;
  ValueId left_ = kNone, right_ = kNone, values_ = kNone;
  Dim rows_, columns_;
  Shape lead_;
  bool grouped_ = false;
};

Result<bool> run_attention(Function& f, PassContext& context) {
  if (!context.target.grid || !context.fuse) return false;
  const std::vector<uint32_t> uses = f.use_counts();
  Rewriter rewriter(f);
  for (Op& op : rewriter.old_ops()) {
    rewriter.resolve_operands(op);
    if (op.def->routine == &kMatmul) {
      if (const auto scores = AttentionMatcher(f, uses).match(op.operands[0])) {
        const size_t ops = f.ops.size(), values = f.values.size();
        rewriter.builder().loc = op.loc;
        if (const auto made = Writer(rewriter, *scores, op).run()) {
          rewriter.replace(op.results[0], *made);
          context.remark(f, "two products and the softmax between them are one operation", op.loc);
          continue;
        }
        rewriter.roll_back(ops, values);
      }
    }
    rewriter.keep(std::move(op));
  }
  return rewriter.finish();
}

const RegisterPass attention_pass({
    .name = "attention",
    .doc = "makes one operation of two products with a softmax between them, for devices of a grid",
    .needs = Level::Expanded,
    .most = Level::Expanded,
    .gives = Level::Expanded,
    .run = run_attention,
});

}  // namespace
}  // namespace frit::passes
