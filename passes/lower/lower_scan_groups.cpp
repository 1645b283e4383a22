// Scans in blocks whose elements lie side by side (ir/graph/scan_order.h).
//
// One kernel leaves the total of each group of lanes. Another one scans, in front of which it combines the totals that
// come before: of few groups each by a workgroup of its own, else the groups of a block by one workgroup. Rows of very
// many blocks have a third kernel between them, which leaves the running value in front of each block.
#include "passes/lower/lower_groups.h"
#include "passes/lower/scan_axes.h"

namespace frit::passes {

using namespace ir;

namespace {

// Groups that each keep a workgroup, all rows together, and blocks of a row whose totals each workgroup combines anew.
constexpr int64_t kFewScans = 512, kFewBlocks = 256;

class ScanGroups {
 public:
  ScanGroups(Lowering& l, const GroupView& g, const ScanLoop& loop, const std::vector<uint32_t>& buffers)
      : l_(l), g_(g), loop_(loop), buffers_(buffers), per_block_(loop.block / loop.lanes) {
    for (const Op& op : g.ops)
      if (op.def->kind == OpKind::Scan) op_ = &op;
    type_ = g.f.type(op_->results[0]);
    identity_ = scan_identity(*op_->def, wide())[0];
    const Dim& n = type_.shape[loop.axis];
    whole_ = floor_div(n, loop.lanes);
    blocks_ = ceil_div(n, loop.block);
    // Behind the last row is room for the rest of its last block.
    totals_ = l.add_temp(wide(), axes(whole_).rows() * whole_ + Dim(per_block_));
    alone_ = most(axes(whole_).rows() * ceil_div(n, loop.lanes)) <= kFewScans;
  }

  void run() {
    emit_totals();
    if (most(blocks_) > kFewBlocks) emit_running();
    alone_ ? emit_groups() : emit_blocks();
  }

 private:
  Dtype wide() const { return compute_type(type_.dtype); }
  ScanAxes axes(const Dim& parts) const { return {type_.shape, loop_.axis, parts}; }
  int64_t most(const Dim& d) const { return g_.f.facts.range(d).high; }
  Reg constant(KernelEmitter& e, uint64_t bits) const {
    return e.scalar(ScalarOp::Const, wide(), {kNoReg, kNoReg, kNoReg}, bits);
  }
  Regs step(KernelEmitter& e, Regs before, Regs value) const { return step_scan(e, *op_, type_.dtype, before, value); }

  // The place of iteration `r` of a part along the axis, which begins at `first`.
  Dim place(const Dim& first, const std::string& r) const {
    const Dim at = first + Dim::symbol(r);
    return loop_.reverse ? type_.shape[loop_.axis] - Dim(1) - at : at;
  }

  void finish(KernelEmitter& e, int opened) {
    while (opened--) e.close_loop();
    l_.program.steps.push_back(e.finish());
  }

  // The groups that a row has as a whole: nothing comes behind the last one where it is none.
  void emit_totals() {
    KernelEmitter e(g_.f, l_.program, l_.placements, g_.name + "_totals");
    std::vector<Dim> at;
    Dim element;
    const int opened = axes(whole_).open(e, at, element);
    at[loop_.axis] =
        place(at[loop_.axis] * Dim(loop_.lanes), e.open_loop("r", Dim(loop_.lanes), LoopKind::Serial, loop_.lanes));
    // The last of them stays.
    const Regs value = e.value_at(op_->operands[0], at);
    e.store(totals_, wide(), element, run_scan(e, *op_, type_.dtype, value).after);
    e.close_loop();
    finish(e, opened);
  }

  // The total of a block: those of its groups, in order. A group that does not exist may have any.
  Regs block_total(KernelEmitter& e, const Dim& row, const Dim& block, Reg mask) const {
    Regs total;
    for (int64_t i = 0; i < per_block_; ++i) {
      const Regs next = e.load_buffer(totals_, wide(), row * whole_ + block * Dim(per_block_) + Dim(i), mask);
      total = i == 0 ? next : step(e, total, next);
    }
    return total;
  }

  void emit_running() {
    before_ = l_.add_temp(wide(), axes(blocks_).rows() * blocks_);
    KernelEmitter e(g_.f, l_.program, l_.placements, g_.name + "_running");
    std::vector<Dim> at;
    Dim row;
    const int opened = axes(1).open(e, at, row);
    const Dim block = Dim::symbol(e.open_loop("r", blocks_, LoopKind::Serial, kScanTotalLanes));
    const Regs total = block_total(e, row, block, kNoReg);
    e.store(*before_, wide(), row * blocks_ + block, run_scan(e, *op_, type_.dtype, total).before);
    e.close_loop();
    finish(e, opened);
  }

  // The running value in front of a block: loaded, or the tree of the lanes of the totals before. Lanes that are folded
  // by halves make this tree where each has the total whose number is its own with the bits reversed.
  Regs before(KernelEmitter& e, const Dim& row, const Dim& block) {
    if (before_) return e.load_buffer(*before_, wide(), row * blocks_ + block);
    int lanes = 2;
    while (lanes < most(blocks_)) lanes *= 2;
    const Dim lane = Dim::symbol(e.open_loop("r", Dim(lanes), LoopKind::Serial, lanes));
    Dim reversed = 0;
    for (int64_t bit = 1; bit < lanes; bit *= 2) reversed += mod(floor_div(lane, bit), 2) * Dim(lanes / 2 / bit);
    const Reg number = e.index_value(reversed), end = e.index_value(block);
    const Reg exists = e.scalar(ScalarOp::Lt, bool_, {number, end, kNoReg});
    const Dim other = e.bind("t", number, Dim(lanes));
    const Reg total = block_total(e, row, other, exists).re, identity = constant(e, identity_);
    const Reg all =
        e.accumulate(op_->def->combine, wide(), e.scalar(ScalarOp::Select, wide(), {exists, total, identity}));
    e.close_loop();
    return {all};
  }

  // The running value of a block in front of its group number `end`.
  Regs inside_block(KernelEmitter& e, const Dim& row, const Dim& block, const Dim& end) {
    Regs value{constant(e, identity_)};
    const Reg identity = value.re, stop = e.index_value(end);
    for (int64_t i = 0; i + 1 < per_block_; ++i) {
      const Reg exists = e.scalar(ScalarOp::Lt, bool_, {e.index_value(Dim(i)), stop, kNoReg});
      const Regs total = e.load_buffer(totals_, wide(), row * whole_ + block * Dim(per_block_) + Dim(i), exists);
      value = step(e, value, {e.scalar(ScalarOp::Select, wide(), {exists, total.re, identity})});
    }
    return value;
  }

  // The loop over the places of a part from `first` on, at most `length`, whose running values come behind those in
  // front: `outer`, then `inner` if there is one.
  void emit_places(KernelEmitter& e, std::vector<Dim>& at, const Dim& first, int64_t length, Regs outer, Regs inner) {
    const Dim extent = g_.f.facts.simplify(min(Dim(length), type_.shape[loop_.axis] - first));
    at[loop_.axis] = place(first, e.open_loop("r", extent, LoopKind::Serial, loop_.lanes));
    emit_members(e, g_, buffers_, at, [&](const Op& op) {
      const RunningValue running = run_scan(e, op, type_.dtype, e.value_at(op.operands[0], at));
      Regs inside = op.attrs.get_bool("inclusive") ? running.after : running.before;
      if (inner.re != kNoReg) inside = step(e, inner, inside);
      Regs out = step(e, outer, inside);
      out.re = e.cast(out.re, type_.dtype);
      e.define(op.results[0], at, out);
      return out;
    });
    e.close_loop();
  }

  void emit_groups() {
    KernelEmitter e(g_.f, l_.program, l_.placements, g_.name);
    std::vector<Dim> at;
    Dim element;
    const ScanAxes groups = axes(ceil_div(type_.shape[loop_.axis], loop_.lanes));
    const int opened = groups.open(e, at, element);
    const Dim group = at[loop_.axis], row = groups.row(at), block = floor_div(group, per_block_);
    const Regs inner = inside_block(e, row, block, mod(group, per_block_)), outer = before(e, row, block);
    emit_places(e, at, group * Dim(loop_.lanes), loop_.lanes, outer, inner);
    finish(e, opened);
  }

  void emit_blocks() {
    KernelEmitter e(g_.f, l_.program, l_.placements, g_.name);
    std::vector<Dim> at;
    Dim element;
    const ScanAxes blocks = axes(blocks_);
    const int opened = blocks.open(e, at, element);
    const Dim block = at[loop_.axis];
    const Regs outer = before(e, blocks.row(at), block);
    emit_places(e, at, block * Dim(loop_.block), loop_.block, outer, {});
    finish(e, opened);
  }

  Lowering& l_;
  const GroupView& g_;
  const ScanLoop& loop_;
  const std::vector<uint32_t>& buffers_;
  const int64_t per_block_;  // groups
  const Op* op_ = nullptr;
  Type type_;  // of the result
  uint64_t identity_ = 0;
  Dim whole_ = 0, blocks_ = 0;      // groups that a row has as a whole, and its blocks
  bool alone_ = false;              // each group has a workgroup
  uint32_t totals_ = 0;             // a buffer: [rows, whole groups]
  std::optional<uint32_t> before_;  // another one: [rows, blocks]
};

}  // namespace

void lower_scan_groups(Lowering& l, const GroupView& g, const ScanLoop& loop, const std::vector<uint32_t>& buffers) {
  ScanGroups(l, g, loop, buffers).run();
}

}  // namespace frit::passes
