// Elementwise and index groups: one loop per axis of the iteration space, the first of them parallel.
//
// A group with scans has their axis as its innermost loop, which carries the running values.
//
// The operands of a concatenation (or padding) meet inside the space. A test for each element of which operand supplies
// it would cost more than the element. If all tests compare one axis with points of it, the axis is cut at these points
// into pieces, in which every test is decided: a loop for each of them, one behind the other, where rows are short, so
// that every line of the result is written once; otherwise a kernel for each. A grid of invocations keeps the tests
// where rows are short and pieces do not consist of whole words: its code generator loads an element from a chosen
// address.
#include <algorithm>
#include <optional>
#include <span>

#include "passes/lower/lower_groups.h"

namespace frit::passes {

using namespace ir;

namespace {

// Below this many elements the kernel is in one piece: a launch costs more than its tests.
constexpr int64_t kWorthCutting = 4096;
// Copies of an op in all pieces together.
constexpr size_t kMaxCopies = 4096;
// Pieces of rows of at most so many elements are loops of one kernel, if there are rows enough for every thread.
constexpr int64_t kMaxRow = 1 << 14;
constexpr int64_t kMinRows = 64;
// Pieces whose elements an invocation of a grid chooses among, and bytes that it moves together.
constexpr size_t kMaxChosen = 16;
constexpr int64_t kWordBytes = 16;
// Bytes of a result up to which more launches cost a grid more than such choices.
constexpr int64_t kFewBytes = 1 << 20;
constexpr size_t kMaxChosenOfFew = 32;

struct Piece {
  size_t axis = 0;
  Dim begin = 0, end = 0;  // of the axis
};

class LoopLowering {
 public:
  LoopLowering(Lowering& l, const GroupView& g) : l_(l), g_(g), space_(g.f.type(g.outputs[0]).shape) {
    for (ValueId v : g.outputs) buffers_.push_back(l.allocate(g.f, v));
    for (const Op& op : g.ops)
      if (op.def->kind == OpKind::Scan)
        scan_ = scan_loop(op, g.f.type(op.results[0]), g.f.facts, l.context.target.grid);
  }

  void run() {
    if (g_.f.facts.range(product(space_)).high > 0) emit_all();
    for (size_t i = 0; i < g_.outputs.size(); ++i)
      l_.placements[g_.outputs[i]] = {buffers_[i], {space_, row_major_strides(space_), 0}};
  }

 private:
  void emit_all() {
    if (scan_ && scan_->block) return (scan_->lanes ? lower_scan_groups : lower_scan_blocks)(l_, g_, *scan_, buffers_);
    KernelEmitter whole(g_.f, l_.program, l_.placements, g_.name);
    std::vector<Dim> at = emit(whole, {});
    std::vector<Piece> pieces;
    if (!scan_ && g_.f.facts.range(product(space_)).high >= kWorthCutting) pieces = cut(whole, at);
    if (pieces.size() < 2 || pieces.size() * g_.ops.size() > kMaxCopies || chooses_operands(pieces)) {
      l_.program.steps.push_back(whole.finish());
    } else if (has_short_rows(pieces[0].axis)) {
      KernelEmitter e(g_.f, l_.program, l_.placements, g_.name);
      emit(e, pieces);
      l_.program.steps.push_back(e.finish());
    } else {
      for (size_t i = 0; i < pieces.size(); ++i) {
        KernelEmitter e(g_.f, l_.program, l_.placements, g_.name + "_" + std::to_string(i));
        emit(e, {&pieces[i], 1});
        l_.program.steps.push_back(e.finish());
      }
    }
  }

  // Whether an invocation of a grid finds the operand of its element by comparisons: where rows are short and pieces do
  // not consist of whole words, which are moved together, kernels for the pieces would write lines of the result in
  // parts. So it does where the result is small.
  bool chooses_operands(const std::vector<Piece>& pieces) const {
    const auto computes = [](const Op& op) { return !op.operands.empty(); };
    if (!l_.context.target.grid || std::count_if(g_.ops.begin(), g_.ops.end(), computes) != 1 ||
        pieces.size() > kMaxChosenOfFew)
      return false;
    Dim row = 1, inner = 1;
    for (size_t i = pieces[0].axis; i < space_.size(); ++i) row *= space_[i];
    for (size_t i = pieces[0].axis + 1; i < space_.size(); ++i) inner *= space_[i];
    if (g_.f.facts.less_equal(row, kMaxRow) != Tri::Yes) return false;
    const auto size = static_cast<int64_t>(g_.f.type(g_.outputs[0]).dtype.size());
    if (g_.f.facts.range(product(space_)).high <= kFewBytes / size) return true;
    if (pieces.size() > kMaxChosen) return false;
    const Dim word(kWordBytes / size);
    return std::any_of(pieces.begin(), pieces.end(),
                       [&](const Piece& p) { return !g_.f.facts.simplify(mod(p.end * inner, word)).is(0); });
  }

  // Whether the axes from `axis` on are one short row of many.
  bool has_short_rows(size_t axis) const {
    if (l_.context.target.grid) return false;
    Dim rows = 1, row = 1;
    for (size_t i = 0; i < space_.size(); ++i) (i < axis ? rows : row) = (i < axis ? rows : row) * space_[i];
    return g_.f.facts.range(rows).high >= kMinRows && g_.f.facts.less_equal(row, kMaxRow) == Tri::Yes;
  }

  // Returns the loop variables; 0 for an axis of size 1, which has no loop. Several pieces of an axis are loops one
  // behind the other.
  std::vector<Dim> emit(KernelEmitter& e, std::span<const Piece> pieces) {
    const size_t split = pieces.empty() ? space_.size() : pieces[0].axis;
    std::vector<Dim> variables, at;
    int outer = 0;
    for (size_t axis = 0; axis < split; ++axis) outer += open_axis(e, axis, nullptr, outer == 0, variables, at);
    if (pieces.empty()) emit_body(e, at);
    for (const Piece& piece : pieces) {
      std::vector<Dim> inside = variables, here = at;
      int inner = 0;
      for (size_t axis = split; axis < space_.size(); ++axis)
        inner += open_axis(e, axis, axis == split ? &piece : nullptr, outer + inner == 0, inside, here);
      emit_body(e, here);
      while (inner--) e.close_loop();
    }
    while (outer--) e.close_loop();
    return variables;
  }

  // Opens the loop over an axis, or over a piece of it. Returns whether there is one.
  bool open_axis(KernelEmitter& e, size_t axis, const Piece* piece, bool first, std::vector<Dim>& variables,
                 std::vector<Dim>& at) const {
    const Dim extent = piece ? g_.f.facts.simplify(piece->end - piece->begin) : space_[axis];
    const bool loop = !extent.is(1) && !(scan_ && scan_->axis == axis);
    variables.push_back(loop ? Dim::symbol(e.open_loop("i", extent, first ? LoopKind::Parallel : LoopKind::Serial))
                             : Dim(0));
    at.push_back(piece ? variables.back() + piece->begin : variables.back());
    return loop;
  }

  void emit_body(KernelEmitter& e, std::vector<Dim> at) {
    if (scan_) {
      const Dim& extent = space_[scan_->axis];
      const Dim r = Dim::symbol(e.open_loop("r", extent, LoopKind::Serial, scan_->lanes));
      at[scan_->axis] = scan_->reverse ? extent - Dim(1) - r : r;
    }
    emit_members(e, g_, buffers_, at, [&](const Op& op) { return scan(e, op, at); });
    if (scan_) e.close_loop();
  }

  // The running value before or after this position, in the result's type. It accumulates in the compute type.
  Regs scan(KernelEmitter& e, const Op& op, const std::vector<Dim>& at) {
    const Dtype type = g_.f.type(op.results[0]).dtype;
    const RunningValue running = run_scan(e, op, type, e.value_at(op.operands[0], at));
    Regs out = op.attrs.get_bool("inclusive") ? running.after : running.before;
    if (!is_complex(type)) out.re = e.cast(out.re, type);
    e.define(op.results[0], at, out);
    return out;
  }

  // Where the tests of `e` cut an axis; nothing when some test is of another form or the cuts have no provable order.
  std::vector<Piece> cut(const KernelEmitter& e, const std::vector<Dim>& variables) const {
    const DimFacts& facts = g_.f.facts;
    std::vector<Dim> points;
    size_t axis = space_.size();
    for (const auto& [low, high] : e.undecided()) {
      // low <= high, where one side holds the variable: the point at which it begins or ceases to hold.
      Dim gap = high - low;
      size_t found = space_.size();
      for (size_t k = 0; k < variables.size(); ++k)
        if (!variables[k].is_const() && gap.uses(*variables[k].as_symbol())) {
          if (found != space_.size()) return {};
          found = k;
        }
      if (found == space_.size() || (axis != space_.size() && axis != found)) return {};
      axis = found;
      auto affine = gap.affine_in(*variables[axis].as_symbol());
      if (!affine) return {};
      if (affine->coefficient.is(1)) {
        points.push_back(facts.simplify(-affine->rest));  // v + rest >= 0
      } else if (affine->coefficient.is(-1)) {
        points.push_back(facts.simplify(affine->rest + Dim(1)));  // rest - v >= 0 up to v == rest
      } else {
        return {};
      }
    }
    if (points.empty()) return {};
    std::vector<Dim> sorted{0, space_[axis]};
    for (const Dim& p : points) {
      size_t i = 0;
      while (i < sorted.size() && facts.less_equal(sorted[i], p) == Tri::Yes) ++i;
      if (i > 0 && facts.equal(sorted[i - 1], p) == Tri::Yes) continue;
      if (i == 0 || i == sorted.size() || facts.less_equal(p, sorted[i]) != Tri::Yes) return {};
      sorted.insert(sorted.begin() + static_cast<long>(i), p);
    }
    std::vector<Piece> pieces;
    for (size_t i = 0; i + 1 < sorted.size(); ++i) pieces.push_back({axis, sorted[i], sorted[i + 1]});
    return pieces;
  }

  Lowering& l_;
  const GroupView& g_;
  Shape space_;
  std::vector<uint32_t> buffers_;
  std::optional<ScanLoop> scan_;  // that the group's scans run along
};

}  // namespace

Status lower_loop_group(Lowering& l, const GroupView& g) {
  LoopLowering(l, g).run();
  return {};
}

}  // namespace frit::passes
