// Scatter groups: the operand in a buffer of its own, then a kernel that applies the updates to it.
//
// Updates that may meet are applied one after the other, in row-major order. Updates that differ along some axes of the
// updates never meet if each of these axes alone decides a coordinate of the result: the loops over such axes stand
// outside and run in parallel, and each update's row, or a piece of it, inside. Where they are one short row, the
// result's first axis is cut into parts instead, which run in parallel: each goes through all updates and applies its
// own, row by row. A grid of invocations has such parts wherever the elements of a row are too few to fill it, and an
// invocation for each element of a row in each part; many updates are sorted instead (lower_scatter_sorted.cpp). If
// nothing else reads the operand afterwards, the updates go into its own memory.
#include <algorithm>
#include <bit>
#include <optional>

#include "passes/lower/lower_groups.h"

namespace frit::passes {

using namespace ir;

namespace {

// Bytes of a row of updates that are applied at once. Longer rows are cut into pieces, and shorter ones are one vector.
// An update that another part applies takes about as long as kPassedOver bytes of one's own.
constexpr int64_t kMinRow = 64, kMaxScatteredRow = 2048, kPassedOver = 96, kMaxParts = 16;
// Invocations that fill a grid, and updates from which on parts are worth the walk over all of them.
constexpr int64_t kFullGrid = 32768, kManyUpdates = 256;

class ScatterLowering {
 public:
  ScatterLowering(Lowering& l, const GroupView& g) : l_(l), g_(g) {
    for (const Op& op : g.ops)
      if (op.def->kind == OpKind::Scatter) op_ = &op;
    for (ValueId o : op_->operands) types_.push_back(g.f.type(o));
    const Shape& shape = types_.back().shape;
    for (size_t axis = 0; axis < shape.size(); ++axis)
      at_.push_back(shape[axis].is(1) ? Dim(0) : Dim::symbol("#" + std::to_string(axis)));
    rule_ = op_->def->index(*op_, types_, result(), at_);
  }

  void run() {
    const ValueId out = op_->results[0];
    const Type& type = g_.f.type(out);
    const bool applies = may_have_elements(type) && may_have_elements(types_.back());
    take_over();
    if (!applies || !lower_sorted_scatter(l_, g_, *op_, disjoint_axes(), buffer_)) {
      if (!buffer_) copy();
      if (applies) apply();
    }
    l_.placements[out] = {*buffer_, {type.shape, row_major_strides(type.shape), 0}};
  }

 private:
  bool may_have_elements(const Type& t) const { return g_.f.facts.range(t.size()).high > 0; }

  // Uses the memory of an operand that nothing else reads.
  void take_over() {
    const ValueId x = op_->operands[0];
    if (l_.may_overwrite(g_.f, x) && is_whole(l_.program, l_.placements.at(x), types_[0], g_.f.facts))
      buffer_ = l_.placements.at(x).buffer;
  }

  void copy() {
    const ValueId x = op_->operands[0];
    const auto placed = l_.placements.find(x);
    const std::optional<Placement> before =
        placed == l_.placements.end() ? std::nullopt : std::optional(placed->second);
    copy_out(l_, g_.f, x, g_.name + "_copy");
    buffer_ = l_.placements.at(x).buffer;
    // Other readers of the operand go on reading it where it was.
    if (before)
      l_.placements.at(x) = *before;
    else
      l_.placements.erase(x);
  }

  const Type& result() const { return g_.f.type(op_->results[0]); }

  // Whether a coordinate follows from the place along some of the updates' axes, looked up positions apart.
  bool uses(const Dim& d, const std::vector<bool>& axes) const {
    for (size_t axis = 0; axis < axes.size(); ++axis)
      if (axes[axis] && !at_[axis].is_const() && d.uses(*at_[axis].as_symbol())) return true;
    return false;
  }

  bool looks_up_by(const std::vector<bool>& axes) const {
    return std::any_of(rule_.lookups.begin(), rule_.lookups.end(), [&](const Lookup& lookup) {
      return std::any_of(lookup.index.begin(), lookup.index.end(), [&](const Dim& d) { return uses(d, axes); });
    });
  }

  // The axes of the updates along which no two of them change one element.
  std::vector<bool> disjoint_axes() const {
    const std::vector<bool> all(at_.size(), true);
    // Positions that every update reads alike are like constants.
    auto moves = [&](const Dim& d) {
      for (size_t k = 0; k < rule_.lookups.size(); ++k)
        if (d.uses(*lookup_symbol(k).as_symbol()) &&
            std::any_of(rule_.lookups[k].index.begin(), rule_.lookups[k].index.end(),
                        [&](const Dim& index) { return uses(index, all); }))
          return true;
      return uses(d, all);
    };
    std::vector<bool> out(at_.size(), false);
    for (size_t axis = 0; axis < at_.size(); ++axis) {
      if (at_[axis].is_const()) continue;
      for (const Dim& d : rule_.sources[0].index)
        if (auto a = d.affine_in(*at_[axis].as_symbol());
            a && a->coefficient.is_const() && !a->coefficient.is(0) && !moves(a->rest))
          out[axis] = true;
    }
    return out;
  }

  // How many parts of the result's first axis run in parallel; none where that is no way to apply the updates: a part
  // must find the first coordinate before it opens the loops over a row. One part applies whole rows in order.
  std::optional<int64_t> parts(const std::vector<bool>& disjoint) const {
    const Shape& shape = types_.back().shape;
    int64_t bytes = types_.back().dtype.size();
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      if (!disjoint[axis]) continue;
      if (!shape[axis].is_const() || shape[axis].value() > kMaxScatteredRow) return std::nullopt;
      bytes *= shape[axis].value();
    }
    const bool grid = l_.context.target.grid;
    if (result().shape.empty() || (!grid && (!disjoint.back() || bytes <= kMinRow || bytes > kMaxScatteredRow)))
      return std::nullopt;
    if (rule_.lookups.empty() || uses(rule_.sources[0].index[0], disjoint) || looks_up_by(disjoint))
      return std::nullopt;
    if (grid) {
      const int64_t count = parts_of_grid(bytes / types_.back().dtype.size(), disjoint);
      return count > 1 ? std::optional(count) : std::nullopt;
    }
    const auto worth = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(bytes / kPassedOver)));
    // More parts than threads only pass over more updates.
    const int threads = l_.context.target.threads;
    if (threads == 1) return 1;
    const int64_t busy = threads > 0 ? static_cast<int64_t>(std::bit_ceil(static_cast<unsigned>(threads))) : kMaxParts;
    return std::clamp<int64_t>(std::min(worth, busy), 2, kMaxParts);
  }

  int64_t parts_of_grid(int64_t row, const std::vector<bool>& disjoint) const {
    const Shape& shape = types_.back().shape;
    Dim updates = 1;
    for (size_t axis = 0; axis < shape.size(); ++axis)
      if (!disjoint[axis]) updates *= shape[axis];
    if (g_.f.facts.range(updates).high < kManyUpdates) return 1;
    const int64_t rows = std::max<int64_t>(1, g_.f.facts.range(result().shape[0]).high);
    return std::max<int64_t>(1, std::min(kFullGrid / std::max<int64_t>(row, 1), rows));
  }

  // The loops over the axes that are disjoint, or over the others; the outermost of disjoint ones is parallel. Returns
  // how many are open then.
  int open_axes(KernelEmitter& e, const std::vector<bool>& disjoint, bool which, std::vector<Dim>& at,
                int opened) const {
    const Shape& shape = types_.back().shape;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      if (shape[axis].is(1) || disjoint[axis] != which) continue;
      const LoopKind kind = which && opened == 0 ? LoopKind::Parallel : LoopKind::Serial;
      at[axis] = Dim::symbol(e.open_loop(which ? "i" : "u", shape[axis], kind));
      ++opened;
    }
    return opened;
  }

  // How updates are applied in pieces of rows: the axes of a row, its length, and that of a piece, which is shorter
  // where the row is cut.
  struct Pieces {
    std::vector<bool> row;
    Dim length = 1, piece;
    bool cut = false;
  };

  // None where a row is one vector, where its elements do not lie side by side in the result, where they look up
  // positions of their own, and where nothing would run in parallel.
  std::optional<Pieces> pieces(const std::vector<bool>& disjoint) const {
    const Type& updates = types_.back();
    if (l_.context.target.grid || disjoint.empty() || !disjoint.back()) return std::nullopt;
    const auto size = static_cast<int64_t>(updates.dtype.size());
    const auto fits = [&](const Dim& n) { return n.is_const() && n.value() * size <= kMaxScatteredRow; };
    Pieces p{std::vector<bool>(disjoint.size(), false), 1, 1};
    for (size_t axis = disjoint.size(); axis-- > 0 && disjoint[axis] && !p.cut;) {
      const Dim longer = p.length * updates.shape[axis];
      if (!fits(longer) && !p.length.is(1)) break;
      p.cut = !fits(longer);
      p.length = longer;
      p.row[axis] = true;
    }
    p.piece = p.length;
    if (p.cut) {
      const Dim most = kMaxScatteredRow / size;
      // Pieces are as long as each other where their number is known.
      p.piece = p.length.is_const() ? ceil_div(p.length, ceil_div(p.length, most)) : most;
    } else if (p.length.value() * size <= kMinRow) {
      return std::nullopt;
    }
    const std::optional<Dim::Affine> beside = rule_.sources[0].index.back().affine_in(*at_.back().as_symbol());
    if (!beside || !beside->coefficient.is(1) || looks_up_by(p.row)) return std::nullopt;
    return p.cut || p.row != disjoint ? std::optional(p) : std::nullopt;
  }

  // The loops over the disjoint axes outside of rows and over the pieces of a row, over the updates in order, and over
  // the elements of a piece.
  int open_pieces(KernelEmitter& e, const Pieces& p, std::vector<bool> disjoint, std::vector<Dim>& at) const {
    const std::vector<bool> all = disjoint;
    for (size_t axis = 0; axis < at.size(); ++axis) disjoint[axis] = disjoint[axis] && !p.row[axis];
    int opened = open_axes(e, disjoint, true, at, 0);
    Dim first = 0;
    if (p.cut) {
      const LoopKind kind = opened++ == 0 ? LoopKind::Parallel : LoopKind::Serial;
      first = Dim::symbol(e.open_loop("p", ceil_div(p.length, p.piece), kind)) * p.piece;
    }
    opened = open_axes(e, all, false, at, opened);
    if (!p.cut) return open_axes(e, p.row, true, at, opened);
    const Dim extent = mod(p.length, p.piece).is(0) ? p.piece : g_.f.facts.simplify(min(p.piece, p.length - first));
    at.back() = first + Dim::symbol(e.open_loop("i", extent, LoopKind::Serial));
    return opened + 1;
  }

  // The loops around updates that are applied by parts: over the parts, over the updates in order, over those of them
  // that are the part's own, and over a row.
  int open_parts(KernelEmitter& e, int64_t count, const std::vector<bool>& disjoint, std::vector<Dim>& at) const {
    const bool grid = l_.context.target.grid;
    Dim all = count;
    for (size_t axis = 0; grid && axis < at.size(); ++axis)
      if (disjoint[axis]) all *= types_.back().shape[axis];
    Dim part = Dim::symbol(e.open_loop("p", all, LoopKind::Parallel));
    for (size_t axis = at.size(); grid && axis-- > 0;) {
      const Dim& extent = types_.back().shape[axis];
      if (!disjoint[axis] || extent.is(1)) continue;
      at[axis] = mod(part, extent);
      part = floor_div(part, extent);
    }
    int opened = open_axes(e, disjoint, false, at, 1);
    const IndexRule rule = e.bind_lookups(*op_, op_->def->index(*op_, types_, result(), at));
    const Dim size = ceil_div(result().shape[0], count), before = rule.sources[0].index[0] - part * size;
    const auto one_from_1_on = [](const Dim& d) { return max(min(d, 1), 0); };
    e.open_loop("own", one_from_1_on(before + Dim(1)) * one_from_1_on(size - before), LoopKind::Serial);
    return grid ? opened + 1 : open_axes(e, disjoint, true, at, opened + 1);
  }

  // Opens the loops around an update of one element, whose place they give, and returns their number.
  int open(KernelEmitter& e, std::vector<Dim>& at) const {
    const std::vector<bool> disjoint = disjoint_axes();
    if (const std::optional<int64_t> count = parts(disjoint))
      return *count > 1 ? open_parts(e, *count, disjoint, at)
                        : open_axes(e, disjoint, true, at, open_axes(e, disjoint, false, at, 0));
    if (const std::optional<Pieces> p = pieces(disjoint)) return open_pieces(e, *p, disjoint, at);
    return open_axes(e, disjoint, false, at, open_axes(e, disjoint, true, at, 0));
  }

  void apply() {
    const Type& result = this->result();
    if (lower_sorted_scatter(l_, g_, *op_, disjoint_axes(), buffer_)) return;
    KernelEmitter e(g_.f, l_.program, l_.placements, g_.name);
    std::vector<Dim> at(at_.size(), Dim(0));
    int opened = open(e, at);
    const IndexRule rule = e.bind_lookups(*op_, op_->def->index(*op_, types_, result, at));
    const Dim element = row_major_element(result.shape, rule.sources[0].index);
    Regs value = e.value_at(op_->operands.back(), at);
    if (!op_->def->step.empty()) {
      const Regs old = e.load_written(*buffer_, result.dtype, element);
      std::vector<Reg> inputs{old.re};
      if (old.im != kNoReg) inputs.push_back(old.im);
      inputs.push_back(value.re);
      if (value.im != kNoReg) inputs.push_back(value.im);
      const Dtype types[] = {result.dtype, result.dtype};
      value = e.apply(*meaning(ir::op(op_->def->step), types, result.dtype), inputs);
    }
    e.store(*buffer_, result.dtype, element, value);
    while (opened--) e.close_loop();
    l_.program.steps.push_back(e.finish());
  }

  Lowering& l_;
  const GroupView& g_;
  const Op* op_ = nullptr;
  std::vector<Type> types_;  // of the operands
  std::vector<Dim> at_;      // a place among the updates, in symbols, and the element that it changes
  IndexRule rule_;
  std::optional<uint32_t> buffer_;
};

}  // namespace

Status lower_scatter_group(Lowering& l, const GroupView& g) {
  ScatterLowering(l, g).run();
  return {};
}

}  // namespace frit::passes
