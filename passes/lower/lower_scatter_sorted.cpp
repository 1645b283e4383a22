// Scatters on a grid whose updates may meet: the updates are sorted by the element that they change, and each element
// applies its own in order.
//
// Four steps. A kernel writes for each update the number of its destination: the coordinates of the result that the
// positions decide. A stable sort puts equal numbers behind one another and keeps the order of the updates. A kernel
// finds by halving where the updates of each destination begin. The last kernel has an invocation for each destination
// and element of a row of updates.
#include <algorithm>
#include <bit>

#include "ir/routines/routine.h"
#include "passes/lower/lower_groups.h"

namespace frit::passes {

using namespace ir;

namespace {

// Updates from which on a sort takes less time than a walk over all of them.
constexpr int64_t kSortedUpdates = 2048;

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
    if (g_.f.facts.range(updates_).high < kSortedUpdates) return false;
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
    return std::find(keyed_.begin(), keyed_.end(), true) != keyed_.end();
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
    order_ = sort(number);
    starts_ = l_.add_temp(start_type(), destinations_ + Dim(1));
    emit_starts(number);
    apply(buffer);
  }

 private:
  const Shape& shape() const { return types_.back().shape; }
  IndexRule rule_at(const std::vector<Dim>& at) const { return op_.def->index(op_, types_, result_, at); }
  Dtype start_type() const { return number_type(g_.f, updates_ + Dim(1)); }

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

  // The numbers of the updates in the order of their destinations.
  uint32_t sort(Dtype number) {
    static const Routine& routine = *find_routine("argsort");
    const Type type{uint32, {updates_}};
    const uint32_t order = l_.add_temp(type.dtype, updates_);
    LibraryStep step;
    step.routine = &routine;
    const Layout row{type.shape, row_major_strides(type.shape), 0};
    step.operands = {{keys_, row}};
    step.results = {{order, row}};
    step.dtypes = {number, type.dtype};
    if (destinations_.is_const()) step.attrs.set("below", destinations_);
    l_.program.steps.push_back(std::move(step));
    return order;
  }

  // The number of updates whose destinations come before each, in steps that halve.
  void emit_starts(Dtype number) {
    KernelEmitter e(g_.f, l_.program, l_.placements, g_.name + "_starts");
    const Dim destination = Dim::symbol(e.open_loop("d", destinations_ + Dim(1), LoopKind::Parallel));
    const auto most = static_cast<uint64_t>(std::min<int64_t>(g_.f.facts.range(updates_).high, INT64_MAX / 2));
    const int steps = std::bit_width(most);
    const Dtype type = start_type();
    const auto constant = [&](uint64_t v) { return e.scalar(ScalarOp::Const, type, {kNoReg, kNoReg, kNoReg}, v); };
    const auto both = [&](ScalarOp op, Reg a, Reg b) { return e.scalar(op, type, {a, b, kNoReg}); };
    const Reg all = e.cast(e.index_value(updates_), type), wanted = e.index_value(destination);
    e.open_loop("s", steps, LoopKind::Serial);
    const Reg found = e.carry(type, 0), width = e.carry(type, uint64_t{1} << (steps - 1));
    const Reg next = both(ScalarOp::Add, found, width);
    const Reg inside = e.scalar(ScalarOp::Le, bool_, {next, all, kNoReg});
    const Reg last = both(ScalarOp::Min, both(ScalarOp::Sub, next, constant(1)), both(ScalarOp::Sub, all, constant(1)));
    // Without updates both names stand for 0, and nothing is loaded.
    const Dim some = max(updates_, Dim(1));
    const Dim place = e.bind("p", e.cast(both(ScalarOp::Max, last, constant(0)), int64), some);
    const Reg update = e.load_buffer(order_, uint32, place, inside).re;
    const Dim key = e.bind("u", e.cast(update, int64), some);
    const Reg there = e.cast(e.load_buffer(keys_, number, key, inside).re, int64);
    const Reg less = e.scalar(ScalarOp::Lt, bool_, {there, wanted, kNoReg});
    const Reg taken = e.scalar(ScalarOp::And, bool_, {inside, less, kNoReg});
    const Reg after = e.scalar(ScalarOp::Select, type, {taken, next, found});
    e.set_next(found, after);
    e.set_next(width, both(ScalarOp::Shr, width, constant(1)));
    const Reg start = e.accumulate(Combine::Max, type, after);
    e.close_loop();
    e.store(starts_, type, destination, {start});
    e.close_loop();
    l_.program.steps.push_back(e.finish());
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

  void apply(uint32_t buffer) {
    KernelEmitter e(g_.f, l_.program, l_.placements, g_.name);
    std::vector<Dim> at(shape().size(), Dim(0));
    const Dim destination = Dim::symbol(e.open_loop("d", destinations_, LoopKind::Parallel));
    int opened = 1;
    for (size_t axis = 0; axis < at.size(); ++axis) {
      if (!disjoint_[axis] || shape()[axis].is(1)) continue;
      at[axis] = Dim::symbol(e.open_loop("i", shape()[axis], LoopKind::Serial));
      ++opened;
    }
    const auto bound = [&](const Dim& d) { return e.cast(e.load_buffer(starts_, start_type(), d).re, int64); };
    const Reg begin = bound(destination), end = bound(destination + Dim(1));
    const Dim first = e.bind("f", begin, updates_ + Dim(1));
    const Dim count = e.bind("c", e.scalar(ScalarOp::Sub, int64, {end, begin, kNoReg}), updates_ + Dim(1));
    const std::vector<Dim> coordinates = element(destination, at);
    const Dim to = row_major_element(result_.shape, coordinates);
    const bool steps = !op_.def->step.empty();
    Regs old;
    if (copies_)
      old = e.value_at(op_.operands[0], coordinates);
    else if (steps)
      old = e.load_written(buffer, result_.dtype, to);
    // Without a step, the last update stays. A copied element without updates takes one turn too, with another's
    // update.
    const Dim turns = copies_ ? max(count, Dim(1)) : count;
    const Dim turn = Dim::symbol(e.open_loop("s", steps ? turns : min(turns, 1), LoopKind::Serial));
    const Dim last = first + (steps ? turn : count - Dim(1));
    const Dim place = copies_ ? max(min(last, updates_ - Dim(1)), Dim(0)) : last;
    const Reg number = e.cast(e.load_buffer(order_, uint32, place).re, int64);
    find_update(e.bind("u", number, updates_), at);
    Regs value = e.value_at(op_.operands.back(), at);
    Reg is_last = kNoReg;
    if (steps) {
      value = step(e, old, value, e.index_value(turn));
      is_last = e.scalar(ScalarOp::Eq, bool_, {e.index_value(turn), e.index_value(turns - Dim(1)), kNoReg});
    }
    if (copies_) value = choose(e, e.index_value(count), value, old);
    e.store(buffer, result_.dtype, to, value, is_last);
    e.close_loop();
    while (opened--) e.close_loop();
    l_.program.steps.push_back(e.finish());
  }

  // The element behind the updates, or the old one where there are none.
  Regs choose(KernelEmitter& e, Reg count, Regs value, Regs old) const {
    const Dtype part = is_complex(result_.dtype) ? float32 : result_.dtype;
    const Reg none = e.scalar(ScalarOp::Const, int64, {kNoReg, kNoReg, kNoReg}, 0);
    const Reg some = e.scalar(ScalarOp::Lt, bool_, {none, count, kNoReg});
    value.re = e.scalar(ScalarOp::Select, part, {some, value.re, old.re});
    if (value.im != kNoReg) value.im = e.scalar(ScalarOp::Select, part, {some, value.im, old.im});
    return value;
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
  uint32_t keys_ = 0, order_ = 0, starts_ = 0;  // buffers
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
