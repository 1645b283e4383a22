// Scans: the running value of one loop, and scans in blocks without lanes (ir/graph/scan_order.h).
//
// Such a scan is three kernels. The first one reduces each block to its total; the second one runs over the totals
// of a row, which lie side by side, and keeps the running value in front of each block; the third one scans the blocks,
// side by side, and combines each place with the running value in front of its block. Of few blocks there is no second
// kernel: each of them combines the totals before it for itself, one after the other.
#include "passes/lower/lower_groups.h"
#include "passes/lower/scan_axes.h"

namespace frit::passes {

using namespace ir;

Regs step_scan(KernelEmitter& e, const Op& scan, Dtype result, Regs before, Regs value) {
  const Dtype wide = compute_type(result);
  std::vector<Reg> inputs{before.re};
  if (is_complex(wide)) inputs.push_back(before.im);
  inputs.push_back(value.re);
  if (is_complex(wide)) inputs.push_back(value.im);
  const Dtype types[] = {wide, wide};
  return e.apply(*meaning(ir::op(scan.def->step), types, wide), inputs);
}

RunningValue run_scan(KernelEmitter& e, const Op& scan, Dtype result, Regs value) {
  const Dtype wide = compute_type(result);
  const Dtype part = is_complex(wide) ? float32 : wide;
  const std::array<uint64_t, 2> identity = scan_identity(*scan.def, wide);
  RunningValue running;
  running.before.re = e.carry(part, identity[0]);
  if (is_complex(wide)) running.before.im = e.carry(part, identity[1]);
  value.re = e.cast(value.re, part);
  running.after = step_scan(e, scan, result, running.before, value);
  e.set_next(running.before.re, running.after.re);
  if (is_complex(wide)) e.set_next(running.before.im, running.after.im);
  return running;
}

void emit_members(KernelEmitter& e, const GroupView& g, const std::vector<uint32_t>& buffers,
                  const std::vector<Dim>& at, const std::function<Regs(const Op&)>& scan) {
  const std::vector<bool> members = at_output_positions(g);
  size_t next = 0;
  for (size_t i = 0; i < g.ops.size(); ++i) {
    const ValueId v = g.ops[i].results[0];
    const bool output = next < g.outputs.size() && v == g.outputs[next];
    if (!members[i] && !output) continue;
    const Regs regs = g.ops[i].def->kind == OpKind::Scan ? scan(g.ops[i]) : e.value_at(v, at);
    if (output) e.store(buffers[next++], g.f.type(v).dtype, row_major_element(g.f.type(v).shape, at), regs);
  }
}

namespace {

// Blocks of a row whose totals each of them combines for itself.
constexpr int64_t kFewTotals = 64;

class ScanBlocks {
 public:
  ScanBlocks(Lowering& l, const GroupView& g, const ScanLoop& loop, const std::vector<uint32_t>& buffers)
      : l_(l), g_(g), loop_(loop), buffers_(buffers) {
    for (const Op& op : g.ops)
      if (op.def->kind == OpKind::Scan) op_ = &op;
    type_ = g.f.type(op_->results[0]);
    blocks_ = ceil_div(type_.shape[loop.axis], loop.block);
    const Dim rows = axes(blocks_).rows();
    totals_ = l.add_temp(wide(), rows * blocks_);
    if (!adds_totals()) before_ = l.add_temp(wide(), rows * blocks_);
  }

  void run() {
    emit_totals();
    if (!adds_totals()) emit_running();
    emit_places();
  }

 private:
  Dtype wide() const { return compute_type(type_.dtype); }

  // Whether the totals of a row are so few that each block combines those before it for itself, without a launch.
  bool adds_totals() const { return reduces_alike(*op_, type_) && g_.f.facts.range(blocks_).high <= kFewTotals; }

  // The running value in front of a block.
  Regs before(KernelEmitter& e, const Dim& row, const Dim& block) const {
    if (!adds_totals()) return e.load_buffer(before_, wide(), row * blocks_ + block);
    const Dim earlier = Dim::symbol(e.open_loop("t", block, LoopKind::Serial));
    const Reg total = e.load_buffer(totals_, wide(), row * blocks_ + earlier).re;
    const Reg all = e.accumulate(op_->def->combine, wide(), total);
    e.close_loop();
    return {all};
  }

  ScanAxes axes(const Dim& blocks) const { return {type_.shape, loop_.axis, blocks}; }

  // The loop over the places of a block; `at` has the block's number along the axis, and then the place.
  void open_block(KernelEmitter& e, std::vector<Dim>& at) const {
    const Dim& n = type_.shape[loop_.axis];
    const Dim first = at[loop_.axis] * Dim(loop_.block);
    const Dim extent = g_.f.facts.simplify(min(Dim(loop_.block), n - first));
    const Dim place = first + Dim::symbol(e.open_loop("r", extent, LoopKind::Serial));
    at[loop_.axis] = loop_.reverse ? n - Dim(1) - place : place;
  }

  void finish(KernelEmitter& e, int opened) {
    while (opened--) e.close_loop();
    l_.program.steps.push_back(e.finish());
  }

  void emit_totals() {
    KernelEmitter e(g_.f, l_.program, l_.placements, g_.name + "_totals");
    std::vector<Dim> at;
    Dim element;
    const int opened = axes(blocks_).open(e, at, element);
    const bool reduces = reduces_alike(*op_, type_);
    open_block(e, at);
    const Regs value = e.value_at(op_->operands[0], at);
    if (reduces) {
      const Reg total = e.accumulate(op_->def->combine, wide(), e.cast(value.re, wide()));
      e.close_loop();
      e.store(totals_, wide(), element, {total});
    } else {
      // The last of them stays.
      e.store(totals_, wide(), element, run_scan(e, *op_, type_.dtype, value).after);
      e.close_loop();
    }
    finish(e, opened);
  }

  void emit_running() {
    KernelEmitter e(g_.f, l_.program, l_.placements, g_.name + "_running");
    std::vector<Dim> at;
    Dim element;
    const int opened = axes(1).open(e, at, element);
    element = element * blocks_ + Dim::symbol(e.open_loop("r", blocks_, LoopKind::Serial,
                                                          reduces_alike(*op_, type_) ? kScanTotalLanes : 0));
    const Regs total = e.load_buffer(totals_, wide(), element);
    e.store(before_, wide(), element, run_scan(e, *op_, type_.dtype, total).before);
    e.close_loop();
    finish(e, opened);
  }

  void emit_places() {
    KernelEmitter e(g_.f, l_.program, l_.placements, g_.name);
    std::vector<Dim> at;
    Dim element;
    const int opened = axes(blocks_).open(e, at, element);
    const Regs before = this->before(e, axes(blocks_).row(at), at[loop_.axis]);
    open_block(e, at);
    emit_members(e, g_, buffers_, at, [&](const Op& op) {
      const RunningValue inside = run_scan(e, op, type_.dtype, e.value_at(op.operands[0], at));
      Regs out = step_scan(e, op, type_.dtype, before, op.attrs.get_bool("inclusive") ? inside.after : inside.before);
      if (!is_complex(type_.dtype)) out.re = e.cast(out.re, type_.dtype);
      e.define(op.results[0], at, out);
      return out;
    });
    e.close_loop();
    finish(e, opened);
  }

  Lowering& l_;
  const GroupView& g_;
  const ScanLoop& loop_;
  const std::vector<uint32_t>& buffers_;
  const Op* op_ = nullptr;
  Type type_;  // of the result
  Dim blocks_ = 0;
  uint32_t totals_ = 0, before_ = 0;  // buffers, [rows, blocks]
};

}  // namespace

void lower_scan_blocks(Lowering& l, const GroupView& g, const ScanLoop& loop, const std::vector<uint32_t>& buffers) {
  ScanBlocks(l, g, loop, buffers).run();
}

}  // namespace frit::passes
