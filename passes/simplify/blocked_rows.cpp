// blocked_rows: two reductions of the same long rows, of which the second waits for the first, read the rows once.
//
// The squares of x - c, or the powers exp(x - c), are summed where c follows from the sum, or the maximum, of x itself.
// Computed as they stand, each reduction reads x from memory. Here blocks of a row that an invocation's registers hold
// are reduced for both, relative to a mean m, or a maximum m, of their own. Small arrays are combined behind them:
//   sum (x - c)^2  = sum over blocks of  sum (x - m)^2 + n (m - c)^2,   of n elements with the mean m;
//   sum exp(x - c) = sum over blocks of  exp(m - c) sum exp(x - m).
// Both hold for any c. Elements that fill no block are a block of another length.
//
// The pass does so for devices of a grid and known sizes. The order of the sums differs from that of the two reductions
// by themselves, and elements of 16 bits are not rounded between the operations.
#include <algorithm>
#include <map>

#include "ir/ops/rules.h"
#include "passes/manager/pass.h"
#include "passes/simplify/forms.h"
#include "passes/simplify/rewrite.h"

namespace frit::passes {
namespace {

using namespace ir;

// Longer ones do not stay in registers between their loops.
constexpr int64_t kRow = 65536, kColumn = 4096;
constexpr int64_t kFewestBlock = 1024, kRowBlock = 8192, kMostRowBlock = 32768, kMostBlocks = 4096;
constexpr int64_t kMoreThanLaunches = int64_t{1} << 21;  // elements that take longer to read again than a launch
constexpr int64_t kWorkgroups = 512, kColumnsTogether = 32;
// Rows, or workgroups of columns, that leave most of a device idle, and the lengths from which on such rows take longer
// than the launches of blocks: powers take arithmetic.
constexpr int64_t kFewRows = 32, kFewGroups = 8, kFewPowers = 16384, kFewSquares = 49152;
constexpr int64_t kWideAccess = 8;            // elements of the widest access
constexpr int kMostWork = 8, kMostReads = 2;  // operations, and arrays read, of elements that are computed again
constexpr int kMostSteps = 16;                // from the first reduction to the centre

// The reduced axes of a row-major array as one, between those before and those behind.
struct Run {
  int64_t outer = 1, length = 1, inner = 1;
};

// The axes that a reduction reduces, ascending.
std::vector<int64_t> reduced_axes(const Op& reduction) {
  std::vector<int64_t> axes = reduction.attrs.get_ints("axes");
  std::sort(axes.begin(), axes.end());
  return axes;
}

// Two reductions of `x`, a value of the rows without conversions to wider types.
struct Pair {
  const Op *first = nullptr, *second = nullptr;
  ValueId x = kNone, centre = kNone;  // `centre`: c, an element for each row
  bool powers = false;
  Run run;
};

// A part of each row: `count` blocks of `length` elements from `begin` on.
struct Part {
  int64_t begin = 0, count = 0, length = 0;
};

class PairFinder {
 public:
  explicit PairFinder(const Function& f) : f_(f) {}

  // The pair whose second reduction `op` is.
  std::optional<Pair> find(const Op& op) const {
    if (op.def->kind != OpKind::Reduction || op.def->combine != Combine::Sum) return std::nullopt;
    Pair p;
    p.second = &op;
    const ValueId difference = inside(op.operands[0], p.powers);
    const Op* d = difference == kNone ? nullptr : f_.def_of(difference);
    if (!d || only_operation(f_, *d) != ScalarOp::Sub) return std::nullopt;
    p.x = bare(d->operands[0]);
    const Shape& space = f_.type(op.operands[0]).shape;
    if (!is_float(f_.type(p.x).dtype) || f_.type(p.x).shape != space ||
        !is_long(space, reduced_axes(op), p.powers, p.run) || !is_cheap(p.x))
      return std::nullopt;
    p.centre = row_value(d->operands[1], space, reduced_axes(op));
    p.first = p.centre == kNone ? nullptr : reduction_below(p);
    return p.first ? std::optional(p) : std::nullopt;
  }

 private:
  // `v` before conversions to a type that holds all its values.
  ValueId bare(ValueId v) const {
    for (const Op* op = f_.def_of(v); op && only_operation(f_, *op) == ScalarOp::Cast; op = f_.def_of(v)) {
      const Dtype from = f_.type(op->operands[0]).dtype, to = f_.type(v).dtype;
      if (!is_float(from) || !is_float(to) || from.size() >= to.size()) break;
      v = op->operands[0];
    }
    return v;
  }

  // The value whose square, or exponential, `v` is.
  ValueId inside(ValueId v, bool& powers) const {
    const Op* op = f_.def_of(bare(v));
    if (!op) return kNone;
    powers = only_operation(f_, *op) == ScalarOp::Exp;
    const bool square = is_square(f_, *op);
    return powers || square ? bare(op->operands[0]) : kNone;
  }

  // Whether rows of `space` along `axes` are read once for each reduction as they are.
  static bool is_long(const Shape& space, const std::vector<int64_t>& axes, bool powers, Run& run) {
    if (axes.empty() || axes.back() - axes.front() + 1 != static_cast<int64_t>(axes.size())) return false;
    for (int64_t axis = 0; axis < static_cast<int64_t>(space.size()); ++axis) {
      const Dim& size = space[static_cast<size_t>(axis)];
      if (!size.is_const()) return false;
      (axis < axes.front() ? run.outer : axis > axes.back() ? run.inner : run.length) *= size.value();
    }
    if (run.outer * run.inner == 0) return false;
    if (run.inner == 1)
      return run.length > kRow || (run.outer <= kFewRows && run.length > (powers ? kFewPowers : kFewSquares));
    const bool few = run.outer * ((run.inner + kColumnsTogether - 1) / kColumnsTogether) <= kFewGroups;
    return run.length > 2 * kColumn ||
           (run.length > kColumn && (few || run.outer * run.length * run.inner > kMoreThanLaunches));
  }

  // Whether the elements of `v` are soon computed again from what is in memory.
  bool is_cheap(ValueId v) const {
    int work = 0, reads = 0;
    std::vector<ValueId> todo{v};
    while (!todo.empty()) {
      const ValueId next = todo.back();
      todo.pop_back();
      if (splat_bits(f_, next)) continue;
      const Op* op = f_.def_of(next);
      if (!op || op->def->kind != OpKind::Elementwise) {
        if (++reads > kMostReads) return false;
      } else {
        if (++work > kMostWork) return false;
        todo.insert(todo.end(), op->operands.begin(), op->operands.end());
      }
    }
    return true;
  }

  // The value with an element for each row that `v` spreads over the rows.
  ValueId row_value(ValueId v, const Shape& space, const std::vector<int64_t>& axes) const {
    DimFacts facts = f_.facts;
    std::vector<Dim> at = position_in(space, facts), wanted;
    Dim rows = 1;
    for (size_t axis = 0; axis < space.size(); ++axis) {
      if (std::binary_search(axes.begin(), axes.end(), static_cast<int64_t>(axis))) continue;
      rows *= space[axis];
      if (!space[axis].is(1)) wanted.push_back(at[axis]);
    }
    for (const Op* op = f_.def_of(v); op && position_in_operand(f_, *op, v, at); op = f_.def_of(v)) {
      v = op->operands[0];
      if (f_.facts.equal(f_.type(v).size(), rows) == Tri::Yes) break;
    }
    std::vector<Dim> found;
    for (size_t k = 0; k < at.size(); ++k)
      if (!f_.type(v).shape[k].is(1)) found.push_back(facts.simplify(at[k]));
    return std::equal(found.begin(), found.end(), wanted.begin(), wanted.end(),
                      [&](const Dim& a, const Dim& b) { return facts.equal(a, b) == Tri::Yes; })
               ? v
               : kNone;
  }

  // The reduction of `p.x` along the same axes that the centre follows from.
  const Op* reduction_below(const Pair& p) const {
    std::vector<ValueId> todo{p.centre};
    for (int steps = 0; !todo.empty() && steps < kMostSteps; ++steps) {
      const Op* op = f_.def_of(todo.back());
      todo.pop_back();
      if (!op) continue;
      if (op->def->kind == OpKind::Reduction) {
        if (op->def->combine == (p.powers ? Combine::Max : Combine::Sum) && bare(op->operands[0]) == p.x &&
            reduced_axes(*op) == reduced_axes(*p.second))
          return op;
      } else if (op->def->kind == OpKind::Elementwise || op->def->kind == OpKind::Index) {
        todo.insert(todo.end(), op->operands.begin(), op->operands.end());
      }
    }
    return nullptr;
  }

  const Function& f_;
};

// The number of blocks, `count` or some more, that leave no element over and so are one kernel. Their lengths are
// multiples of `unit`. Zero if there is none.
int64_t even_count(int64_t length, int64_t count, int64_t unit) {
  for (int64_t n = count; n <= count + count / 2; ++n)
    if (length % n == 0 && length / n % unit == 0) return n;
  return 0;
}

// How rows are cut: into blocks that registers hold, enough of them for all processors.
std::vector<Part> parts_of(const Run& r) {
  int64_t length = kColumn, count = 0;
  if (r.inner == 1) {
    for (length = kRowBlock; r.length / length > kMostBlocks && length < kMostRowBlock;) length *= 2;
    while (length > kFewestBlock && r.outer * (r.length / length) < kWorkgroups) length /= 2;
    count = r.length / length;
    if (const int64_t n = even_count(r.length, count, kWideAccess); n) count = n, length = r.length / n;
  } else {
    const int64_t beside = r.outer * ((r.inner + kColumnsTogether - 1) / kColumnsTogether);
    while (length > kFewestBlock && beside * (r.length / length) < kWorkgroups) length /= 2;
    count = (r.length + length - 1) / length;
    if (const int64_t n = even_count(r.length, count, 1); n) count = n;
    length = r.length / count;
  }
  std::vector<Part> parts{{0, count, length}};
  if (const int64_t rest = r.length - count * length) parts.push_back({count * length, 1, rest});
  return parts;
}

class PairWriter {
 public:
  PairWriter(Builder& b, const Pair& p) : b_(b), p_(p), type_(b.type(p.x).dtype == float64 ? float64 : float32) {}

  // The result of the first reduction. The blocks have been reduced for both.
  ValueId first() {
    const Type wanted = b_.type(p_.first->results[0]);
    std::vector<Blocks> parts;
    for (const Part& part : parts_of(p_.run)) parts.push_back(p_.powers ? reduce_powers(part) : reduce_squares(part));
    all_ = joined(parts);
    return as(rules::reduce(b_, p_.powers ? "max" : "sum", all_.first, {axis()}, true), wanted);
  }

  // That of the second one; `centre` is c.
  ValueId second(ValueId centre) {
    const Type wanted = b_.type(p_.second->results[0]);
    const ValueId c = b_.cast(rules::reshape(b_, centre, shape({1})), type_);
    const ValueId apart = b_.build("subtract", {all_.middle, b_.broadcast(c, b_.type(all_.middle).shape)});
    const ValueId each =
        p_.powers
            ? b_.build("multiply", {all_.second, b_.build("exp", {apart})})
            : b_.build("add", {all_.second, b_.build("multiply", {all_.count, b_.build("multiply", {apart, apart})})});
    return as(rules::reduce(b_, "sum", each, {axis()}, true), wanted);
  }

 private:
  // The results of blocks: an element for each row and block. `middle`: the mean, or the maximum; `count`: elements.
  struct Blocks {
    ValueId first, middle, second, count;
  };

  // The axes before the reduced one, `middle`, and those behind.
  Shape shape(std::initializer_list<Dim> middle) const {
    Shape s;
    if (p_.run.outer != 1) s.emplace_back(p_.run.outer);
    s.insert(s.end(), middle);
    if (p_.run.inner != 1) s.emplace_back(p_.run.inner);
    return s;
  }
  int axis() const { return p_.run.outer != 1; }  // of the blocks

  ValueId number(double value, const Shape& s) { return b_.splat(value, {type_, s}); }
  ValueId as(ValueId v, const Type& wanted) { return rules::reshape(b_, b_.cast(v, wanted.dtype), wanted.shape); }

  // The blocks of all parts.
  Blocks joined(const std::vector<Blocks>& parts) {
    if (parts.size() == 1) return parts[0];
    const auto join = [&](ValueId Blocks::* member) {
      std::vector<ValueId> values;
      for (const Blocks& part : parts) values.push_back(part.*member);
      return b_.build("concatenate", std::move(values), {{"axis", Dim(axis())}});
    };
    Blocks all{join(&Blocks::first), kNone, join(&Blocks::second), join(&Blocks::count)};
    all.middle = p_.powers ? all.first : join(&Blocks::middle);
    return all;
  }

  // The elements of `part`, of `v`.
  ValueId window(ValueId v, const Part& part) {
    const ValueId rows = rules::reshape(b_, v, shape({p_.run.length}));
    Dims start, stop;
    for (const Dim& size : b_.type(rows).shape) start.emplace_back(0), stop.push_back(size);
    start[axis()] = part.begin;
    stop[axis()] = part.begin + part.count * part.length;
    const ValueId cut = part.count * part.length == p_.run.length
                            ? rows
                            : b_.build("slice", {rows}, {{"start", start}, {"stop", stop}});
    return rules::reshape(b_, cut, shape({part.count, part.length}));
  }

  // The same, computed from windows of what `v` is computed from.
  ValueId elements(ValueId v, const Part& part, std::map<ValueId, ValueId>& known) {
    const auto [it, added] = known.try_emplace(v, kNone);
    if (!added) return it->second;
    const Function& f = b_.function();
    ValueId made = kNone;
    const auto bits = splat_bits(f, v);
    if (const Op* op = f.def_of(v); bits) {
      made = build_splat(b_, {f.type(v).dtype, shape({part.count, part.length})}, *bits);
    } else if (op && op->def->kind == OpKind::Elementwise) {
      const Op copy = *op;
      std::vector<ValueId> operands;
      for (ValueId o : copy.operands) operands.push_back(elements(o, part, known));
      made = b_.build(*copy.def, std::move(operands), copy.attrs);
    } else {
      made = window(v, part);
    }
    return known[v] = made;
  }

  ValueId spread(ValueId v, const Part& part) { return b_.broadcast(v, shape({part.count, part.length})); }

  Blocks reduce_squares(const Part& part) {
    std::map<ValueId, ValueId> known;
    const ValueId x = b_.cast(elements(p_.x, part, known), type_);
    const ValueId sum = rules::reduce(b_, "sum", x, {axis() + 1}, true);
    const ValueId mean = b_.build("divide", {sum, number(static_cast<double>(part.length), shape({part.count, 1}))});
    const ValueId d = b_.build("subtract", {x, spread(mean, part)});
    const ValueId squares = rules::reduce(b_, "sum", b_.build("multiply", {d, d}), {axis() + 1}, false);
    return {without(sum, part), without(mean, part), squares, count_of(part)};
  }

  Blocks reduce_powers(const Part& part) {
    std::map<ValueId, ValueId> known;
    const ValueId x = elements(p_.x, part, known);
    const ValueId most = rules::reduce(b_, "max", x, {axis() + 1}, true);
    // An infinity minus itself is no number. Any other centre will do in its place.
    const Type rows{type_, shape({part.count, 1})};
    const ValueId m = b_.cast(most, type_);
    const ValueId centre = b_.build("select", {b_.build("isinf", {m}), b_.splat(0, rows), m});
    const ValueId power = b_.build("exp", {b_.build("subtract", {b_.cast(x, type_), spread(centre, part)})});
    const ValueId sum = rules::reduce(b_, "sum", power, {axis() + 1}, false);
    const ValueId most_of = without(m, part);
    return {most_of, most_of, sum, count_of(part)};
  }

  ValueId count_of(const Part& part) { return number(static_cast<double>(part.length), shape({part.count})); }

  // `v` without the axis inside of a block.
  ValueId without(ValueId v, const Part& part) { return rules::reshape(b_, v, shape({part.count})); }

  Builder& b_;
  const Pair p_;
  const Dtype type_;
  Blocks all_{};
};

Result<bool> run_blocked_rows(Function& f, PassContext& context) {
  if (!context.target.grid) return false;
  std::vector<Pair> pairs;
  std::map<ValueId, size_t> first, second;  // results -> pairs
  const PairFinder finder(f);
  for (const Op& op : f.ops)
    if (const auto p = finder.find(op))
      if (first.try_emplace(p->first->results[0], pairs.size()).second) {
        second[op.results[0]] = pairs.size();
        pairs.push_back(*p);
      }
  if (pairs.empty()) return false;
  Rewriter rewriter(f);
  std::map<size_t, PairWriter> writers;
  for (Op& op : rewriter.old_ops()) {
    rewriter.resolve_operands(op);
    const ValueId result = op.results.empty() ? kNone : op.results[0];
    rewriter.builder().loc = op.loc;
    if (const auto at = first.find(result); at != first.end()) {
      Pair p = pairs[at->second];
      p.x = rewriter.resolve(p.x);
      rewriter.replace(result, writers.try_emplace(at->second, rewriter.builder(), p).first->second.first());
    } else if (const auto then = second.find(result); then != second.end()) {
      const Pair& p = pairs[then->second];
      rewriter.replace(result, writers.at(then->second).second(rewriter.resolve(p.centre)));
      context.remark(
          f, "the reductions of rows of " + std::to_string(p.run.length) + " elements read them once, in blocks",
          op.loc);
    } else {
      rewriter.builder().loc = {};
      rewriter.keep(std::move(op));
      continue;
    }
    rewriter.builder().loc = {};
    rewriter.touch();
  }
  return rewriter.finish();
}

const RegisterPass blocked_rows_pass({
    .name = "blocked_rows",
    .doc = "reads long rows once for two reductions of which the second waits for the first, for devices of a grid",
    .needs = Level::Expanded,
    .most = Level::Expanded,
    .gives = Level::Expanded,
    .run = run_blocked_rows,
});

}  // namespace
}  // namespace frit::passes
