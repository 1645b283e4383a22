// Groups with reductions: a loop over the kept axes, and inside it one loop over the reduced axes per level of
// dependence.
//
// Level 0 holds the values that need no reduction of the group. The results of level n's reductions can be used from
// level n + 1 on. Each level's loop reads the row again, from cache. A value that is expensive to compute and needed at
// a later level is kept in a local row.
#include <algorithm>
#include <optional>
#include <set>

#include "passes/fuse/reduction_shape.h"
#include "passes/lower/lower_groups.h"

namespace frit::passes {

using namespace ir;

namespace {

constexpr int64_t kBlocksToSearch = 4;  // of an arg reduction, in a block of other reductions
constexpr int64_t kColumnRun = 1024;    // bytes of a row of which some columns are reduced together

struct ReductionPlan {
  const Op* op;
  int level;
  Dtype type = float32;      // accumulated in
  std::vector<Reg> results;  // one, or re and im
};

// The value that an arg reduction finds in a block, beside its position.
Combine extreme(const ReductionPlan& r) { return r.op->def->combine == Combine::ArgMax ? Combine::Max : Combine::Min; }

class RowLowering {
 public:
  RowLowering(Lowering& l, const GroupView& g) : l_(l), g_(g), f_(g.f) {}

  Status run() {
    FRIT_TRY(analyse());
    auto is_empty = [&](ValueId v) { return f_.facts.range(f_.type(v).size()).high <= 0; };
    const bool empty = std::all_of(g_.outputs.begin(), g_.outputs.end(), is_empty);
    const bool split = !empty && shape_.spans_blocks(f_.facts, l_.context.target);
    if (split) lower_split();
    if (!empty && !split) lower_rows();
    for (size_t i = 0; i < g_.outputs.size(); ++i) l_.placements[g_.outputs[i]] = {buffers_[i], dense(g_.outputs[i])};
    return {};
  }

 private:
  const Shape& shape(ValueId v) const { return f_.type(v).shape; }
  Dtype dtype(ValueId v) const { return f_.type(v).dtype; }
  Layout dense(ValueId v) const { return {shape(v), row_major_strides(shape(v)), 0}; }

  Status analyse() {
    for (const Op& op : g_.ops) {
      int level = 0;
      for (ValueId o : op.operands)
        if (auto it = levels_.find(o); it != levels_.end()) level = std::max(level, it->second);
      for (ValueId o : op.operands) by_value_.try_emplace(o, nullptr);
      by_value_[op.results[0]] = &op;
      if (op.def->kind == OpKind::Reduction) {
        shape_ = ReductionShape::of(f_, op);
        bool arg = op.def->combine == Combine::ArgMax || op.def->combine == Combine::ArgMin;
        arg_ |= arg;
        if (is_complex(dtype(op.operands[0])) && op.def->combine != Combine::Sum)
          return Diagnostic("'" + std::string(op.def->name) + "' of complex64 is not supported", op.loc,
                            "reduce the real and imaginary parts");
        Dtype type = compute_type(arg ? dtype(op.operands[0]) : dtype(op.results[0]));
        reductions_.push_back({&op, level, is_complex(type) ? float32 : type, {}});
        ++level;
      }
      levels_[op.results[0]] = level;
      last_level_ = std::max(last_level_, level);
    }
    for (ValueId v : g_.outputs) buffers_.push_back(l_.allocate(f_, v));
    return {};
  }

  // Opens the loops over the kept axes; `coordinates` gets a symbol for every axis of the space.
  int open_kept(KernelEmitter& e, std::vector<Dim>& coordinates, bool parallel) {
    int opened = 0;
    for (int axis = 0; axis < static_cast<int>(shape_.space.size()); ++axis) {
      if (shape_.reduces(axis)) {
        std::string name = e.fresh("r");
        e.declare(name, shape_.space[axis]);
        coordinates.push_back(Dim::symbol(name));
      } else if (shape_.space[axis].is(1)) {
        coordinates.push_back(0);
      } else {
        LoopKind kind = parallel && opened == 0 ? LoopKind::Parallel : LoopKind::Serial;
        coordinates.push_back(Dim::symbol(e.open_loop("i", shape_.space[axis], kind)));
        ++opened;
      }
    }
    return opened;
  }

  CollapsedAxes run_axes(const std::vector<int>& run, const std::vector<Dim>& coordinates) const {
    CollapsedAxes c;
    for (int axis : run) {
      c.axes.push_back(*coordinates[axis].as_symbol());
      c.extents.push_back(shape_.space[axis]);
    }
    return c;
  }

  // The loops over one run of reduced axes and those inside it. `leaf` computes the values to accumulate.
  template <class Leaf>
  std::vector<Reg> reduce_runs(KernelEmitter& e, const std::vector<Dim>& coordinates, size_t k,
                               const std::vector<ReductionPlan*>& at_level, Leaf&& leaf) {
    auto runs = shape_.runs();
    // A position counts over all reduced axes, and which comes first does not depend on how the elements are visited.
    if (arg_ && runs.size() > 1) runs = {shape_.axes};
    // Over no axes each element is the only one, at position 0.
    if (k == runs.size()) {
      std::vector<Reg> values = leaf();
      return runs.empty() && arg_ ? std::vector<Reg>(at_level.size(), e.index_value(0)) : values;
    }
    bool last = runs[k].back() + 1 == static_cast<int>(shape_.space.size());
    Dim n = 1;
    for (int axis : runs[k]) n *= shape_.space[axis];
    CollapsedAxes c = run_axes(runs[k], coordinates);
    // Without accumulators there is nothing to block; an arg reduction gives one answer in any order.
    const TargetTraits& target = l_.context.target;
    const int64_t block = last ? target.reduction_block : target.column_block;
    bool blocked = !at_level.empty() && !arg_ && e.facts().range(n).high > block;
    const int64_t group = kGridColumnBlocks;
    const bool grouped = blocked && !last && target.grid && e.facts().range(ceil_div(n, block)).high > group;
    Dim extent = n;
    if (blocked) {
      Dim first = 0, blocks = ceil_div(n, block);
      if (grouped) {
        first = Dim::symbol(e.open_loop("s", ceil_div(blocks, group), LoopKind::Serial)) * Dim(group);
        blocks = min(Dim(group), blocks - first);
      }
      Dim b = Dim::symbol(e.open_loop("b", blocks, LoopKind::Serial));
      c.var_offset = (first + b) * Dim(block);
      extent = min(Dim(block), n - c.var_offset);
    }
    // An outer run is taken in order.
    const int lanes = last ? target.reduction_lanes : target.grid && k + 1 == runs.size() ? kGridColumnLanes : 0;
    c.var = e.open_loop("r", extent, LoopKind::Serial, at_level.empty() ? 0 : lanes);
    e.collapse(c);
    std::vector<Reg> values = reduce_runs(e, coordinates, k + 1, at_level, leaf);
    Reg position = arg_ ? e.index_value(Dim::symbol(c.var)) : kNoReg;
    std::vector<Reg> out = accumulate(e, at_level, values, position);
    e.uncollapse();
    e.close_loop();
    for (int outer = blocked + grouped; outer > 0; --outer) {
      out = accumulate(e, at_level, out, kNoReg);
      e.close_loop();
    }
    return out;
  }

  std::vector<Reg> accumulate(KernelEmitter& e, const std::vector<ReductionPlan*>& at_level,
                              const std::vector<Reg>& values, Reg position) {
    std::vector<Reg> out;
    size_t i = 0;
    for (const ReductionPlan* r : at_level)
      for (int part = 0; part < parts(*r); ++part)
        out.push_back(e.accumulate(r->op->def->combine, r->type, values[i++], position));
    return out;
  }

  int parts(const ReductionPlan& r) const { return is_complex(dtype(r.op->results[0])) ? 2 : 1; }

  std::vector<ReductionPlan*> reductions_at(int level) {
    std::vector<ReductionPlan*> out;
    for (ReductionPlan& r : reductions_)
      if (r.level == level) out.push_back(&r);
    return out;
  }

  bool is_full(ValueId v) const { return shape_.is_full(shape(v)); }

  // The values that the loop of one level must compute: operands of its reductions and outputs at full shape.
  std::vector<ValueId> roots(int level) {
    std::vector<ValueId> out;
    for (ReductionPlan* r : reductions_at(level)) out.push_back(r->op->operands[0]);
    for (ValueId v : g_.outputs)
      if (is_full(v) && !is_reduction(v) && levels_.at(v) == level) out.push_back(v);
    return out;
  }

  bool is_reduction(ValueId v) const { return by_value_.at(v) && by_value_.at(v)->def->kind == OpKind::Reduction; }

  // Values that many paths lead to are looked at once: `seen` holds those that are not expensive.
  bool expensive(ValueId v, int level, std::set<ValueId>& seen) const {
    if (!seen.insert(v).second) return false;
    auto it = by_value_.find(v);
    if (it == by_value_.end() || !it->second || it->second->def->kind == OpKind::Reduction || !is_full(v)) return false;
    if (levels_.at(v) != level) return false;
    if (it->second->def->has(kExpensive)) return true;
    for (ValueId o : it->second->operands)
      if (expensive(o, level, seen)) return true;
    return false;
  }
  bool expensive(ValueId v, int level) const {
    std::set<ValueId> seen;
    return expensive(v, level, seen);
  }

  // Keeps a full value from its level's loop to later ones, in a local row or in an output's memory, if it has room.
  bool keep(ValueId v) {
    if (kept_.count(v)) return true;
    if (!shape_.keeps_rows()) {
      const auto room = output_for(v);
      if (!room || (!fits_cache(v) && costs_less_than_memory(dtype(v), l_.context.target))) return false;
      kept_in_output_[v] = *room;
    }
    kept_.emplace(v, 0);
    keep_order_.push_back(v);
    return true;
  }

  // Whether the columns of a run of memory that is worth reading stay in the cache from level to level.
  bool fits_cache(ValueId v) const {
    const int64_t columns = std::max<int64_t>(1, kColumnRun / dtype(v).size());
    return f_.facts.range(shape_.reduced_size()).high <= l_.context.target.cache_bytes / columns / dtype(v).size();
  }

  // The output whose memory can hold `v`: `v` itself, or one of its type that no kept value has and that gets its own
  // value at the last level.
  std::optional<size_t> output_for(ValueId v) const {
    if (const auto own = std::find(g_.outputs.begin(), g_.outputs.end(), v); own != g_.outputs.end())
      return static_cast<size_t>(own - g_.outputs.begin());
    for (size_t i = 0; i < g_.outputs.size(); ++i) {
      const ValueId o = g_.outputs[i];
      const bool taken = std::any_of(kept_in_output_.begin(), kept_in_output_.end(),
                                     [&](const auto& kept) { return kept.second == i; });
      if (!taken && is_full(o) && !is_reduction(o) && levels_.at(o) == last_level_ && dtype(o) == dtype(v)) return i;
    }
    return std::nullopt;
  }

  // Full values worth keeping from one level's loop to a later one's.
  void find_kept() {
    if (!shape_.keeps_rows() && l_.context.target.grid) return;
    std::set<ValueId> seen;
    auto walk = [&](auto&& self, ValueId v, int level) -> void {
      auto it = by_value_.find(v);
      if (it == by_value_.end() || !it->second || it->second->def->kind == OpKind::Reduction) return;
      if (is_full(v) && levels_.at(v) < level && expensive(v, levels_.at(v)) && keep(v)) return;
      if (!seen.insert(v).second) return;
      for (ValueId o : it->second->operands) self(self, o, level);
    };
    for (int level = 1; level <= last_level_; ++level) {
      seen.clear();
      for (ValueId v : roots(level)) walk(walk, v, level);
    }
    std::sort(keep_order_.begin(), keep_order_.end());
  }

  Dim row_position(const std::vector<Dim>& coordinates) const {
    Dim p = 0;
    for (int axis : shape_.axes) p = p * shape_.space[axis] + coordinates[axis];
    return p;
  }

  Regs load_kept(KernelEmitter& e, ValueId v, const std::vector<Dim>& coordinates) {
    const auto in = kept_in_output_.find(v);
    return in == kept_in_output_.end()
               ? e.load_local(kept_.at(v), dtype(v), row_position(coordinates))
               : e.load_written(buffers_[in->second], dtype(v), row_major_element(shape(v), coordinates));
  }

  void store_kept(KernelEmitter& e, ValueId v, const std::vector<Dim>& coordinates) {
    const auto in = kept_in_output_.find(v);
    const Regs value = e.value_at(v, coordinates);
    if (in == kept_in_output_.end())
      e.store_local(kept_.at(v), dtype(v), row_position(coordinates), value);
    else if (g_.outputs[in->second] != v)  // else it is stored as an output
      e.store(buffers_[in->second], dtype(v), row_major_element(shape(v), coordinates), value);
  }

  void compute_full(KernelEmitter& e, const std::vector<Dim>& coordinates, int level) {
    for (ValueId v : keep_order_)
      if (levels_.at(v) < level) e.define(v, coordinates, load_kept(e, v, coordinates));
    for (ValueId v : keep_order_)
      if (levels_.at(v) == level) store_kept(e, v, coordinates);
    for (size_t i = 0; i < g_.outputs.size(); ++i) {
      ValueId v = g_.outputs[i];
      if (!is_full(v) || is_reduction(v) || levels_.at(v) != level || f_.facts.range(f_.type(v).size()).high <= 0)
        continue;
      e.store(buffers_[i], dtype(v), row_major_element(shape(v), coordinates), e.value_at(v, coordinates));
    }
  }

  std::vector<Reg> operand_values(KernelEmitter& e, const std::vector<Dim>& coordinates,
                                  const std::vector<ReductionPlan*>& at_level) {
    std::vector<Reg> out;
    for (ReductionPlan* r : at_level) {
      Regs v = e.value_at(r->op->operands[0], coordinates);
      out.push_back(e.cast(v.re, r->type));
      if (parts(*r) == 2)
        out.push_back(v.im == kNoReg ? e.scalar(ScalarOp::Const, float32, {kNoReg, kNoReg, kNoReg}, 0) : v.im);
    }
    return out;
  }

  void define_results(KernelEmitter& e, const std::vector<Dim>& coordinates,
                      const std::vector<ReductionPlan*>& at_level, const std::vector<Reg>& results) {
    size_t i = 0;
    for (ReductionPlan* r : at_level) {
      ValueId v = r->op->results[0];
      Regs regs{e.cast(results[i], is_complex(dtype(v)) ? float32 : dtype(v))};
      ++i;
      if (parts(*r) == 2) regs.im = results[i++];
      e.define(v, shape_.position(shape(v), coordinates), regs);
      if (is_full(v)) e.define(v, coordinates, regs);
    }
  }

  void store_rows(KernelEmitter& e, const std::vector<Dim>& coordinates) {
    for (size_t i = 0; i < g_.outputs.size(); ++i) {
      ValueId v = g_.outputs[i];
      if (is_full(v) && !is_reduction(v)) continue;
      std::vector<Dim> at = shape_.position(shape(v), coordinates);
      e.store(buffers_[i], dtype(v), row_major_element(shape(v), at), e.value_at(v, at));
    }
  }

  void lower_rows() {
    find_kept();
    KernelEmitter e(f_, l_.program, l_.placements, g_.name);
    std::vector<Dim> coordinates;
    for (ValueId v : keep_order_)
      if (!kept_in_output_.count(v)) kept_[v] = e.add_local("row" + std::to_string(v), dtype(v), shape_.reduced_size());
    int opened = open_kept(e, coordinates, true);
    for (int level = 0; level <= last_level_; ++level) {
      auto at_level = reductions_at(level);
      if (at_level.empty() && roots(level).empty()) continue;
      auto results = reduce_runs(e, coordinates, 0, at_level, [&] {
        compute_full(e, coordinates, level);
        return operand_values(e, coordinates, at_level);
      });
      define_results(e, coordinates, at_level, results);
    }
    store_rows(e, coordinates);
    while (opened--) e.close_loop();
    l_.program.steps.push_back(e.finish());
  }

  // Temporaries for the results of `blocks` blocks; of an arg reduction, its values and then its positions, if any.
  std::vector<uint32_t> add_partials(const std::vector<ReductionPlan*>& at_level, const Dim& blocks) {
    std::vector<uint32_t> partials;
    for (ReductionPlan* r : at_level) {
      for (int part = 0; part < parts(*r); ++part)
        partials.push_back(l_.add_temp(r->type, shape_.kept_size() * blocks));
      if (arg_ && !by_extremes()) partials.push_back(l_.add_temp(int64, shape_.kept_size() * blocks));
    }
    return partials;
  }

  Dim partial_element(const std::vector<Dim>& coordinates, const Dim& block) const {
    Dim p = block;
    for (int axis = 0; axis < static_cast<int>(shape_.space.size()); ++axis)
      if (!shape_.reduces(axis)) p = p * shape_.space[axis] + coordinates[axis];
    return p;
  }

  // Whether the blocks of an arg reduction give extremes alone, which take half of the time. The block that has the
  // first one is then searched again, and is a short one.
  bool by_extremes() const { return arg_ && shape_.reduces_last() && !l_.context.target.grid; }

  int64_t block_size() const {
    return shape_.block_size(f_.facts, l_.context.target) / (by_extremes() ? kBlocksToSearch : 1);
  }

  // Few results over many elements: a kernel whose iterations are the blocks, then one that combines their results, by
  // way of groups of them where they are many. The last block of columns has a kernel of its own, so that all others
  // take as many steps and can run side by side.
  void lower_split() {
    auto at_level = reductions_at(0);
    const Dim n = shape_.reduced_size(), size = block_size();
    const bool one = shape_.reduces_last() || l_.context.target.grid || f_.facts.equal(mod(n, size), 0) == Tri::Yes;
    const Dim full = one ? ceil_div(n, size) : floor_div(n, size), blocks = one ? full : full + Dim(1);
    const std::vector<uint32_t> partials = add_partials(at_level, blocks);
    {
      KernelEmitter e(f_, l_.program, l_.placements, g_.name + "_blocks");
      const Dim b = Dim::symbol(e.open_loop("b", full, LoopKind::Parallel));
      reduce_block(e, at_level, b, one ? f_.facts.simplify(min(size, n - b * size)) : size, partials, false);
      e.close_loop();
      l_.program.steps.push_back(e.finish());
    }
    if (!one) {
      KernelEmitter e(f_, l_.program, l_.placements, g_.name + "_last_block");
      reduce_block(e, at_level, full, mod(n, size), partials, true);
      l_.program.steps.push_back(e.finish());
    }
    const Dim group = kGridColumnBlocks;
    if (shape_.reduces_last() || !l_.context.target.grid || f_.facts.range(blocks).high <= group.value())
      return finish_split(at_level, partials, blocks);
    const Dim groups = ceil_div(blocks, group);
    const std::vector<uint32_t> grouped = add_partials(at_level, groups);
    {
      KernelEmitter e(f_, l_.program, l_.placements, g_.name + "_groups");
      const Dim s = Dim::symbol(e.open_loop("s", groups, LoopKind::Parallel)), first = s * group;
      std::vector<Dim> coordinates;
      int opened = open_kept(e, coordinates, false);
      const Dim count = f_.facts.simplify(min(group, blocks - first));
      const std::vector<Reg> combined = combine_blocks(e, at_level, partials, coordinates, first, count, arg_);
      store_partials(e, combined, grouped, coordinates, s);
      while (opened--) e.close_loop();
      e.close_loop();
      l_.program.steps.push_back(e.finish());
    }
    finish_split(at_level, grouped, groups);
  }

  // The kernel that combines the results of all blocks, in order.
  void finish_split(const std::vector<ReductionPlan*>& at_level, const std::vector<uint32_t>& partials,
                    const Dim& blocks) {
    KernelEmitter e(f_, l_.program, l_.placements, g_.name);
    std::vector<Dim> coordinates;
    int opened = open_kept(e, coordinates, true);
    std::vector<Reg> found = combine_blocks(e, at_level, partials, coordinates, 0, blocks, false);
    if (by_extremes()) {
      const Dim block = e.bind("f", found[0], blocks), left = shape_.reduced_size() - block * Dim(block_size());
      found = reduce_elements(e, at_level, coordinates, block, min(Dim(block_size()), left), false);
    }
    define_results(e, coordinates, at_level, found);
    store_rows(e, coordinates);
    while (opened--) e.close_loop();
    l_.program.steps.push_back(e.finish());
  }

  // The results of `count` blocks from `first` on, combined in order; `extremes`: the value too that an arg reduction
  // finds.
  std::vector<Reg> combine_blocks(KernelEmitter& e, const std::vector<ReductionPlan*>& at_level,
                                  const std::vector<uint32_t>& partials, const std::vector<Dim>& coordinates,
                                  const Dim& first, const Dim& count, bool extremes) {
    const Dim b = first + Dim::symbol(e.open_loop("b", count, LoopKind::Serial));
    std::vector<Reg> values, out;
    for (uint32_t p : partials)
      values.push_back(e.load_buffer(p, l_.program.buffers[p].dtype, partial_element(coordinates, b)).re);
    if (extremes) out.push_back(e.accumulate(extreme(*at_level[0]), at_level[0]->type, values[0]));
    const Reg position = by_extremes() ? e.index_value(b) : arg_ ? values[1] : kNoReg;
    for (Reg r : accumulate(e, at_level, values, position)) out.push_back(r);
    e.close_loop();
    return out;
  }

  void store_partials(KernelEmitter& e, const std::vector<Reg>& values, const std::vector<uint32_t>& partials,
                      const std::vector<Dim>& coordinates, const Dim& block) {
    const Dim at = partial_element(coordinates, block);
    for (size_t i = 0; i < values.size(); ++i) e.store(partials[i], e.reg_type(values[i]), at, {values[i]});
  }

  void reduce_block(KernelEmitter& e, const std::vector<ReductionPlan*>& at_level, const Dim& block, const Dim& extent,
                    const std::vector<uint32_t>& partials, bool parallel) {
    std::vector<Dim> coordinates;
    int opened = open_kept(e, coordinates, parallel);
    store_partials(e, reduce_elements(e, at_level, coordinates, block, extent, true), partials, coordinates, block);
    while (opened--) e.close_loop();
  }

  // The results of a block's elements; `whole`: with full values that the group stores, and the extreme of an arg
  // reduction.
  std::vector<Reg> reduce_elements(KernelEmitter& e, const std::vector<ReductionPlan*>& at_level,
                                   const std::vector<Dim>& coordinates, const Dim& block, const Dim& extent,
                                   bool whole) {
    CollapsedAxes c = run_axes(shape_.runs()[0], coordinates);
    c.var_offset = block * Dim(block_size());
    const TargetTraits& target = l_.context.target;
    const int lanes = shape_.reduces_last() ? target.reduction_lanes : target.grid ? kGridColumnLanes : 0;
    c.var = e.open_loop("r", extent, LoopKind::Serial, lanes);
    e.collapse(c);
    if (whole) compute_full(e, coordinates, 0);
    std::vector<Reg> values = operand_values(e, coordinates, at_level), out;
    if (arg_ && whole) out.push_back(e.accumulate(extreme(*at_level[0]), at_level[0]->type, values[0]));
    if (!by_extremes() || !whole) {
      const Reg position = arg_ ? e.index_value(Dim::symbol(c.var) + c.var_offset) : kNoReg;
      for (Reg r : accumulate(e, at_level, values, position)) out.push_back(r);
    }
    e.uncollapse();
    e.close_loop();
    return out;
  }

  Lowering& l_;
  const GroupView& g_;
  const Function& f_;
  ReductionShape shape_;
  std::vector<ReductionPlan> reductions_;
  std::map<ValueId, int> levels_;
  std::map<ValueId, const Op*> by_value_;  // null for values from outside
  int last_level_ = 0;
  bool arg_ = false;
  std::vector<uint32_t> buffers_;
  std::map<ValueId, uint32_t> kept_;          // -> local, if it is in no output's memory
  std::map<ValueId, size_t> kept_in_output_;  // -> output, by number
  std::vector<ValueId> keep_order_;
};

}  // namespace

Status lower_reduce_group(Lowering& l, const GroupView& g) { return RowLowering(l, g).run(); }

}  // namespace frit::passes
