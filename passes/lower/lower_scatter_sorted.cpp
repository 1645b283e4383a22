// Scatters on a grid whose updates may meet: the updates are grouped by the element that they change, and each element
// applies its own in order.
//
// A kernel writes for each update the number of its destination: the coordinates of the result that the positions
// decide. The routine `buckets` puts the updates of each destination behind one another and keeps their order. The last
// kernel has an invocation for each destination and some elements of a row of updates.
#include <algorithm>

#include "ir/routines/buckets.h"
#include "ir/routines/routine.h"
#include "passes/lower/lower_groups.h"

namespace frit::passes {

using namespace ir;

namespace {

// Updates from which on grouping them takes less time than a walk over all of them.
constexpr int64_t kGroupedUpdates = 64;
// Elements of a row of updates that an invocation takes, if at least so many invocations share the row, and so many
// elements are all of the result's.
constexpr int64_t kStrips = 4, kLeastOfStrip = 4, kManyElements = int64_t{1} << 19;

Dtype number_type(const Function& f, const Dim& below) {
  return f.facts.range(below).high <= INT32_MAX ? int32 : int64;
}

class SortedScatter {
 public:
  SortedScatter(Lowering& l, const GroupView& g, const Op& op, const std::vector<bool>& disjoint)
      : l_(l), g_(g), op_(op), disjoint_(disjoint), result_(g.f.type(op.results[0])) {
    for (ValueId o : op.operands) types_.push_back(g.f.type(o));
    for (size_t axis = 0; axis < shape().size(); ++axis)
      if (!disjoint_[axis]) updates_ *= shape()[axis];
  }

  // Whether each coordinate of the result depends on the position along a row or on the update, not on both.
  bool fits() {
    std::vector<Dim> at;
    for (size_t axis = 0; axis < shape().size(); ++axis)
      at.push_back(shape()[axis].is(1) ? Dim(0) : Dim::symbol("#" + std::to_string(axis)));
    const IndexRule rule = rule_at(at);
    const auto uses = [&](const Dim& d, bool row) {
      for (size_t axis = 0; axis < at.size(); ++axis)
        if (!at[axis].is_const() && disjoint_[axis] == row && d.uses(*at[axis].as_symbol())) return true;
      return false;
    };
    for (const Lookup& lookup : rule.lookups)
      for (const Dim& d : lookup.index)
        if (uses(d, true)) return false;
    for (size_t axis = 0; axis < result_.shape.size(); ++axis) {
      const Dim& d = rule.sources[0].index[axis];
      bool moves = uses(d, false);
      for (size_t k = 0; k < rule.lookups.size(); ++k) moves = moves || d.uses(*lookup_symbol(k).as_symbol());
      if (moves && uses(d, true)) return false;
      keyed_.push_back(moves);
      if (moves) destinations_ *= result_.shape[axis];
    }
    if (std::find(keyed_.begin(), keyed_.end(), true) == keyed_.end()) return false;
    return g_.f.facts.range(updates_).high >= kGroupedUpdates;
  }

  // Whether every element of the result belongs to a destination, so that those without updates can be copied on the
  // way.
  bool covers_all() const {
    const DimFacts& facts = g_.f.facts;
    if (facts.range(updates_).low < 1) return false;
    std::vector<Dim> at;
    for (size_t axis = 0; axis < shape().size(); ++axis)
      at.push_back(shape()[axis].is(1) ? Dim(0) : Dim::symbol("#" + std::to_string(axis)));
    const IndexRule rule = rule_at(at);
    for (size_t axis = 0; axis < result_.shape.size(); ++axis) {
      if (keyed_[axis]) continue;
      const Dim& d = rule.sources[0].index[axis];
      bool covered = result_.shape[axis].is(1);
      for (size_t k = 0; k < at.size(); ++k)
        covered =
            covered || (!at[k].is_const() && d == at[k] && facts.equal(shape()[k], result_.shape[axis]) == Tri::Yes);
      if (!covered) return false;
    }
    return true;
  }

  // `copies`: the operand's elements are not in the buffer yet.
  void run(uint32_t buffer, bool copies) {
    copies_ = copies;
    const Dtype number = number_type(g_.f, destinations_);
    keys_ = l_.add_temp(number, updates_);
    emit_keys(number);
    group(number);
    apply(buffer);
  }

 private:
  const Shape& shape() const { return types_.back().shape; }
  IndexRule rule_at(const std::vector<Dim>& at) const { return op_.def->index(op_, types_, result_, at); }

  void emit_keys(Dtype number) {
    KernelEmitter e(g_.f, l_.program, l_.placements, g_.name + "_destinations");
    std::vector<Dim> at(shape().size(), Dim(0));
    Dim update = 0;
    int opened = 0;
    for (size_t axis = 0; axis < at.size(); ++axis) {
      if (disjoint_[axis] || shape()[axis].is(1)) continue;
      const LoopKind kind = opened++ == 0 ? LoopKind::Parallel : LoopKind::Serial;
      at[axis] = Dim::symbol(e.open_loop("u", shape()[axis], kind));
      update = update * shape()[axis] + at[axis];
    }
    const IndexRule rule = e.bind_lookups(op_, rule_at(at));
    Dim destination = 0;
    for (size_t axis = 0; axis < keyed_.size(); ++axis)
      if (keyed_[axis]) destination = destination * result_.shape[axis] + rule.sources[0].index[axis];
    e.store(keys_, number, update, {e.cast(e.index_value(destination), number)});
    while (opened--) e.close_loop();
    l_.program.steps.push_back(e.finish());
  }

  // The updates of each destination behind one another, where they begin and how many there are.
  void group(Dtype number) {
    static const Routine& routine = *find_routine("buckets");
    const Dim counters = destinations_ + Dim(kSpareCounts);
    order_ = l_.add_temp(uint32, updates_);
    starts_ = l_.add_temp(uint32, destinations_);
    counts_ = l_.add_temp(uint32, counters);
    KernelEmitter e(g_.f, l_.program, l_.placements, g_.name + "_counters");
    const Dim counter = Dim::symbol(e.open_loop("d", counters, LoopKind::Parallel));
    e.store(counts_, uint32, counter, {e.scalar(ScalarOp::Const, uint32, {kNoReg, kNoReg, kNoReg}, 0)});
    e.close_loop();
    l_.program.steps.push_back(e.finish());
    LibraryStep step;
    step.routine = &routine;
    const auto row = [](const Dim& n) { return Layout{{n}, row_major_strides({n}), 0}; };
    step.operands = {{keys_, row(updates_)}, {counts_, row(counters)}};
    step.results = {{order_, row(updates_)}, {starts_, row(destinations_)}, {counts_, row(counters)}};
    step.dtypes = {number, uint32, uint32, uint32, uint32};
    l_.program.steps.push_back(std::move(step));
  }

  // The coordinates of the element that the updates of a destination change, at a place along their rows.
  std::vector<Dim> element(const Dim& destination, const std::vector<Dim>& at) const {
    std::vector<Dim> coordinates = rule_at(at).sources[0].index;
    Dim rest = destination;
    const auto first = std::find(keyed_.begin(), keyed_.end(), true) - keyed_.begin();
    for (size_t axis = keyed_.size(); axis-- > 0;) {
      if (!keyed_[axis]) continue;
      coordinates[axis] = static_cast<long>(axis) == first ? rest : mod(rest, result_.shape[axis]);
      rest = floor_div(rest, result_.shape[axis]);
    }
    return coordinates;
  }

  void find_update(const Dim& number, std::vector<Dim>& at) const {
    Dim rest = number;
    size_t left = 0;
    for (size_t axis = 0; axis < at.size(); ++axis) left += !disjoint_[axis] && !shape()[axis].is(1);
    for (size_t axis = at.size(); axis-- > 0;) {
      if (disjoint_[axis] || shape()[axis].is(1)) continue;
      at[axis] = --left == 0 ? rest : mod(rest, shape()[axis]);
      rest = floor_div(rest, shape()[axis]);
    }
  }

  // Where the updates of a destination begin among those in order, and how many there are.
  std::pair<Dim, Dim> updates_of(KernelEmitter& e, const Dim& destination) {
    const auto load = [&](uint32_t from) { return e.cast(e.load_buffer(from, uint32, destination).re, int64); };
    const Reg none = e.scalar(ScalarOp::Const, int64, {kNoReg, kNoReg, kNoReg}, 0), count = load(counts_);
    const Reg some = e.scalar(ScalarOp::Lt, bool_, {none, count, kNoReg});
    // The beginning of no updates is undefined.
    const Dim first = e.bind("f", e.scalar(ScalarOp::Select, int64, {some, load(starts_), none}), updates_ + Dim(1));
    return {first, e.bind("c", count, updates_ + Dim(1))};
  }

  // One of the elements of a row of updates that an invocation takes.
  struct Strip {
    std::vector<Dim> at;  // coordinates of the updates
    std::vector<Dim> to;  // of the result
    Reg exists = kNoReg;  // unless it surely does
    Regs old{kNoReg, kNoReg};
  };

  // How many elements of the innermost axis of rows an invocation takes.
  int64_t strips(size_t axis) const {
    const Dim& row = shape()[axis];
    if (!row.is_const() || g_.f.facts.range(result_.size()).high < kManyElements) return 1;
    return std::clamp<int64_t>(row.value() / kLeastOfStrip, 1, kStrips);
  }

  void apply(uint32_t buffer) {
    KernelEmitter e(g_.f, l_.program, l_.placements, g_.name);
    std::vector<Strip> all(1, {std::vector<Dim>(shape().size(), Dim(0)), {}});
    const Dim destination = Dim::symbol(e.open_loop("d", destinations_, LoopKind::Parallel));
    int opened = 1;
    size_t last_axis = shape().size();
    for (size_t axis = 0; axis < shape().size(); ++axis)
      if (disjoint_[axis] && !shape()[axis].is(1)) last_axis = axis;
    for (size_t axis = 0; axis < shape().size(); ++axis) {
      if (!disjoint_[axis] || shape()[axis].is(1)) continue;
      const int64_t count = axis == last_axis ? strips(axis) : 1;
      const Dim size = ceil_div(shape()[axis], count), i = Dim::symbol(e.open_loop("i", size, LoopKind::Serial));
      ++opened;
      for (Strip& s : all) s.at[axis] = i;
      all.resize(static_cast<size_t>(count), all[0]);
      for (int64_t k = 1; k < count; ++k) cut(e, all[static_cast<size_t>(k)], axis, i + Dim(k) * size);
    }
    const auto [first, count] = updates_of(e, destination);
    // All loads come before the first store, which may write what they read as far as a compiler knows.
    for (Strip& s : all) {
      s.to = element(destination, s.at);
      if (copies_)
        s.old = e.value_at(op_.operands[0], s.to);
      else if (has_steps())
        s.old = e.load_written(buffer, result_.dtype, row_major_element(result_.shape, s.to));
    }
    if (copies_) copy(e, buffer, all, count);
    apply_updates(e, buffer, all, first, count);
    while (opened--) e.close_loop();
    l_.program.steps.push_back(e.finish());
  }

  bool has_steps() const { return !op_.def->step.empty(); }

  // Moves a strip to a place along an axis, the last one where the axis ends before.
  void cut(KernelEmitter& e, Strip& s, size_t axis, const Dim& place) const {
    const Dim last = shape()[axis] - Dim(1);
    s.at[axis] = place;
    if (e.facts().less_equal(place, last) == Tri::Yes) return;
    s.at[axis] = min(place, last);
    s.exists = e.scalar(ScalarOp::Le, bool_, {e.index_value(place), e.index_value(last), kNoReg});
  }

  Reg both(KernelEmitter& e, Reg a, Reg b) const {
    return b == kNoReg ? a : e.scalar(ScalarOp::And, bool_, {a, b, kNoReg});
  }

  // The operand's elements go to the result where no update changes them.
  void copy(KernelEmitter& e, uint32_t buffer, const std::vector<Strip>& all, const Dim& count) {
    const Reg none = e.scalar(ScalarOp::Const, int64, {kNoReg, kNoReg, kNoReg}, 0);
    const Reg alone = e.scalar(ScalarOp::Eq, bool_, {e.index_value(count), none, kNoReg});
    for (const Strip& s : all)
      e.store(buffer, result_.dtype, row_major_element(result_.shape, s.to), s.old, both(e, alone, s.exists));
  }

  // The updates of a destination, one after the other. Without a step, the last one stays.
  void apply_updates(KernelEmitter& e, uint32_t buffer, std::vector<Strip>& all, const Dim& first, const Dim& count) {
    const Dim turn = Dim::symbol(e.open_loop("s", has_steps() ? count : min(count, 1), LoopKind::Serial));
    const Dim place = first + (has_steps() ? turn : count - Dim(1));
    const Dim number = e.bind("u", e.cast(e.load_buffer(order_, uint32, place).re, int64), updates_);
    const Reg now = e.index_value(turn), end = e.index_value(count - Dim(1));
    const Reg is_last = has_steps() ? e.scalar(ScalarOp::Eq, bool_, {now, end, kNoReg}) : kNoReg;
    for (Strip& s : all) {
      find_update(number, s.at);
      Regs value = e.value_at(op_.operands.back(), s.at);
      if (has_steps()) value = step(e, s.old, value, now);
      const Reg mask = has_steps() ? both(e, is_last, s.exists) : s.exists;
      e.store(buffer, result_.dtype, row_major_element(result_.shape, s.to), value, mask);
    }
    e.close_loop();
  }

  // The element behind an update: the old value in front of the first one, then a carry.
  Regs step(KernelEmitter& e, Regs old, Regs value, Reg turn) const {
    const Dtype part = is_complex(result_.dtype) ? float32 : result_.dtype;
    const Reg none = e.scalar(ScalarOp::Const, int64, {kNoReg, kNoReg, kNoReg}, 0);
    const Reg is_first = e.scalar(ScalarOp::Eq, bool_, {turn, none, kNoReg});
    std::vector<Reg> inputs, carries;
    for (Reg before : {old.re, old.im})
      if (before != kNoReg) {
        carries.push_back(e.carry(part, 0));
        inputs.push_back(e.scalar(ScalarOp::Select, part, {is_first, before, carries.back()}));
      }
    inputs.push_back(value.re);
    if (value.im != kNoReg) inputs.push_back(value.im);
    const Dtype types[] = {result_.dtype, result_.dtype};
    const Regs next = e.apply(*meaning(ir::op(op_.def->step), types, result_.dtype), inputs);
    e.set_next(carries[0], next.re);
    if (carries.size() > 1) e.set_next(carries[1], next.im);
    return next;
  }

  Lowering& l_;
  const GroupView& g_;
  const Op& op_;
  const std::vector<bool>& disjoint_;  // axes of the updates: those of a row
  const Type result_;
  std::vector<Type> types_;  // of the operands
  std::vector<bool> keyed_;  // axes of the result: whether the destination decides the coordinate
  Dim updates_ = 1, destinations_ = 1;
  bool copies_ = false;
  uint32_t keys_ = 0, order_ = 0, starts_ = 0, counts_ = 0;  // buffers
};

}  // namespace

bool lower_sorted_scatter(Lowering& l, const GroupView& g, const Op& op, const std::vector<bool>& disjoint,
                          std::optional<uint32_t>& buffer) {
  SortedScatter scatter(l, g, op, disjoint);
  const bool copies = !buffer;
  if (!l.context.target.grid || !scatter.fits() || (copies && !scatter.covers_all())) return false;
  if (copies) buffer = l.allocate(g.f, op.results[0]);
  scatter.run(*buffer, copies);
  return true;
}

}  // namespace frit::passes
