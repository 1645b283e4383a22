// Control groups: the steps of regions, between steps of control flow.
//
// A loop keeps its state in temps. An iteration computes the next state into other temps, and the two exchange their
// memory at its end. A scanned array and a stacked result are read and written where they lie, through Parts that the
// loop moves, so that the kernels of the body are the same in every iteration. Where a scan stacks the state that an
// iteration begins with, as its reverse reads it, all states of the loop lie in one buffer behind the first one: an
// iteration writes the next state where the one behind it reads it, and the stacks are views of the buffer.
#include <algorithm>

#include "ir/graph/control.h"
#include "passes/lower/lower_groups.h"

namespace frit::passes {

using namespace ir;

namespace {

Layout dense(const Type& t) { return {t.shape, row_major_strides(t.shape), 0}; }

class ControlLowering {
 public:
  ControlLowering(Lowering& l, const GroupView& g) : l_(l), g_(g) {
    for (const Op& op : g.ops)
      if (op.def->kind == OpKind::Control) op_ = &op;
  }

  Status run() {
    switch (op_->def->control) {
      case ControlForm::None: break;
      case ControlForm::Cond: return cond();
      case ControlForm::While: return while_loop();
      case ControlForm::Scan: return scan();
    }
    return {};
  }

 private:
  // A region with the placements of its values.
  struct Inside {
    Function f;
    Placements placements;
    Lowering lowering;
    uint32_t first_buffer;  // buffers from here on belong to it

    Inside(Lowering& around, Function function)
        : f(std::move(function)),
          lowering{around.program, placements, around.context, around.moving, around.input_names},
          first_buffer(static_cast<uint32_t>(around.program.buffers.size())) {}
    void place(size_t param, uint32_t buffer) {
      placements[f.params[param]] = {buffer, dense(f.type(f.params[param]))};
    }
  };

  std::unique_ptr<Inside> open(std::string_view region) {
    Function f = opened(std::get<Region>(*op_->attrs.find(region)), g_.f);
    f.name = g_.name + "_" + std::string(region);
    return std::make_unique<Inside>(l_, std::move(f));
  }

  // All states of a scan, one behind the other.
  struct History {
    uint32_t buffer = kNone;
    size_t before = 0, after = 0;  // results that stack the states before iterations, and behind them; 0 without one
  };

  std::string copy_name() { return g_.name + "_copy" + std::to_string(copies_++); }
  const Type& type(ValueId v) const { return g_.f.type(v); }
  const DimFacts& facts() const { return g_.f.facts; }
  void step(ControlStep s) { l_.program.steps.emplace_back(std::move(s)); }
  uint32_t temp(const Type& t) { return l_.add_temp(t.dtype, t.size()); }

  // The placement of an operand, which lies dense from `axis` on, with a step along earlier axes that is not negative:
  // regions take their parameters to be dense.
  const Placement& operand(ValueId v, size_t axis) {
    const Layout& layout = l_.placements.at(v).layout;
    const Shape strides = row_major_strides(layout.shape);
    bool fits = true;
    for (size_t i = 0; i < layout.shape.size(); ++i)
      fits = fits && (i < axis ? facts().range(layout.strides[i]).low >= 0
                               : layout.shape[i].is(1) || facts().equal(layout.strides[i], strides[i]) == Tri::Yes);
    if (!fits) copy_out(l_, g_.f, v, copy_name());
    return l_.placements.at(v);
  }

  // The buffer of a value of one bool.
  uint32_t flag(Lowering& l, const Function& f, ValueId v) {
    const Placement& p = l.placements.at(v);
    if (!is_whole(l.program, p, f.type(v), f.facts)) copy_out(l, f, v, copy_name());
    return l.placements.at(v).buffer;
  }

  // Captured values are read where they lie. `again`: by each iteration.
  void place_captured(Inside& inside, size_t first_param, size_t first_operand, bool again) {
    for (size_t i = 0; first_param + i < inside.f.params.size(); ++i) {
      const Placement& p = operand(op_->operands[first_operand + i], 0);
      if (again || !l_.may_overwrite(g_.f, op_->operands[first_operand + i])) inside.lowering.kept.insert(p.buffer);
      const ValueId param = inside.f.params[first_param + i];
      inside.placements[param] = {p.buffer, {inside.f.type(param).shape, p.layout.strides, p.layout.offset}};
    }
  }

  // Says where a result of a region shall be, unless it has a place that was said before.
  static void want(Inside& inside, size_t result, uint32_t buffer) {
    const ValueId v = inside.f.results[result];
    if (inside.f.def_of(v)) inside.lowering.wanted.emplace(v, buffer);
  }
  // Copies the result there if it is elsewhere.
  void settle(Inside& inside, size_t result, uint32_t buffer) {
    const ValueId v = inside.f.results[result];
    if (inside.placements.at(v).buffer != buffer) copy_to(inside.lowering, inside.f, v, buffer, copy_name());
  }

  Status cond() {
    const uint32_t predicate = flag(l_, g_.f, op_->operands[0]);
    for (size_t i = 1; i < op_->operands.size(); ++i) operand(op_->operands[i], 0);
    std::vector<uint32_t> results;
    for (ValueId r : op_->results) {
      results.push_back(l_.allocate(g_.f, r));
      l_.placements[r] = {results.back(), dense(type(r))};
    }
    step({.kind = ControlKind::If, .flag = predicate});
    FRIT_TRY(branch("then", results));
    step({.kind = ControlKind::Else});
    FRIT_TRY(branch("else", results));
    step({.kind = ControlKind::End});
    return {};
  }

  Status branch(std::string_view region, const std::vector<uint32_t>& results) {
    const auto inside = open(region);
    place_captured(*inside, 0, 1, false);
    for (size_t i = 0; i < results.size(); ++i) want(*inside, i, results[i]);
    FRIT_TRY(lower_groups(inside->lowering, inside->f));
    for (size_t i = 0; i < results.size(); ++i) settle(*inside, i, results[i]);
    return {};
  }

  // Temps that hold the first state; kNone for a part that has a history.
  std::vector<uint32_t> begin_state(size_t carried, const std::vector<History>& histories = {}) {
    std::vector<uint32_t> state;
    for (size_t i = 0; i < carried; ++i) {
      const ValueId v = op_->operands[i];
      if (!histories.empty() && histories[i].buffer != kNone) {
        state.push_back(kNone);
        copy_to(l_, g_.f, v, histories[i].buffer, copy_name());
        continue;
      }
      state.push_back(temp(type(v)));
      copy_to(l_, g_.f, v, state.back(), copy_name());
      l_.placements[op_->results[i]] = {state.back(), dense(type(op_->results[i]))};
    }
    return state;
  }

  // Ends a loop: the next state and the state exchange their memory.
  void end_loop(Inside& body, const std::vector<uint32_t>& state) {
    ControlStep end{.kind = ControlKind::End};
    std::set<uint32_t> taken;
    const auto fresh = [&](const Placement& p, ValueId v, uint32_t old) {
      const ProgramBuffer &b = l_.program.buffers[p.buffer], &s = l_.program.buffers[old];
      return p.buffer >= body.first_buffer && b.role == BufferRole::Temp && b.size == s.size && b.dtype == s.dtype &&
             !l_.moving.count(p.buffer) && is_whole(l_.program, p, body.f.type(v), body.f.facts);
    };
    for (size_t i = 0; i < state.size(); ++i) {
      const ValueId v = body.f.results[i];
      if (state[i] == kNone || v == body.f.params[i] || facts().range(type(op_->operands[i]).size()).high <= 0)
        continue;
      const Placement& p = body.placements.at(v);
      uint32_t next = p.buffer;
      if (!fresh(p, v, state[i]) || !taken.insert(next).second) {
        next = temp(type(op_->operands[i]));
        copy_to(body.lowering, body.f, v, next, copy_name());
      }
      end.swaps.emplace_back(state[i], next);
    }
    for (const auto& [a, b] : end.swaps) l_.moving.insert({a, b});
    step(std::move(end));
  }

  Status while_loop() {
    const LoopParts parts(op_->attrs, op_->operands.size());
    const std::vector<uint32_t> state = begin_state(parts.carried);
    for (size_t i = parts.carried; i < op_->operands.size(); ++i) operand(op_->operands[i], 0);
    step({.kind = ControlKind::Loop});
    const auto cond = open("cond");
    for (size_t i = 0; i < parts.carried; ++i) cond->place(i, state[i]);
    cond->lowering.kept.insert(state.begin(), state.end());  // the body reads it
    place_captured(*cond, parts.carried, parts.carried, true);
    FRIT_TRY(lower_groups(cond->lowering, cond->f));
    step({.kind = ControlKind::Leave, .flag = flag(cond->lowering, cond->f, cond->f.results[0])});
    const auto body = open("body");
    for (size_t i = 0; i < parts.carried; ++i) body->place(i, state[i]);
    place_captured(*body, parts.carried, parts.carried, true);
    FRIT_TRY(lower_groups(body->lowering, body->f));
    end_loop(*body, state);
    return {};
  }

  // A counter that nothing else is called.
  uint32_t new_counter() {
    const auto taken = [&](const std::string& name) {
      for (const auto* names : {&l_.program.symbols, &l_.program.counters})
        if (std::find(names->begin(), names->end(), name) != names->end()) return true;
      return false;
    };
    std::string name = "step" + std::to_string(l_.program.counters.size());
    while (taken(name)) name += "_";
    l_.program.counters.push_back(std::move(name));
    return static_cast<uint32_t>(l_.program.counters.size() - 1);
  }

  // One position of a buffer, which moves with the loop.
  uint32_t part(const Type& element, const Placement& whole, const Dim& position, uint32_t counter) {
    const uint32_t b = l_.add_buffer("p", BufferRole::Part, element.dtype, element.size());
    ProgramBuffer& made = l_.program.buffers[b];
    made.whole = whole.buffer;
    made.at = facts().simplify(whole.layout.offset + position * whole.layout.strides[0]);
    made.counter = counter;
    return b;
  }

  // The histories of the state's parts whose values before iterations are stacked. A result of the function would keep
  // all of one in memory. The first state is in front, so iterations go upwards.
  std::vector<History> histories(const LoopParts& parts, const Dim& length) {
    std::vector<History> all(parts.carried);
    if (op_->attrs.get_bool("reverse")) return all;
    const Function& body = std::get<Region>(*op_->attrs.find("body")).function();
    const auto stacked = [&](ValueId v) {
      for (size_t r = parts.carried; r < body.results.size(); ++r)
        if (body.results[r] == v) return r;
      return size_t{0};
    };
    const auto returned = [&](size_t r) {
      return r != 0 && std::count(g_.f.results.begin(), g_.f.results.end(), op_->results[r]) > 0;
    };
    std::set<ValueId> next;
    for (size_t i = 0; i < parts.carried; ++i) {
      const size_t before = stacked(body.params[i]), after = stacked(body.results[i]);
      if (before == 0 || !body.def_of(body.results[i]) || returned(before) || returned(after)) continue;
      if (!next.insert(body.results[i]).second) continue;
      const Type& t = type(op_->operands[i]);
      const Dim size = t.size(), all_states = facts().simplify(size * (length + Dim(1)));
      all[i] = {l_.add_temp(t.dtype, all_states), before, after};
      place_history(all[i], op_->results[i], size, length);
    }
    return all;
  }

  void place_history(const History& h, ValueId last, const Dim& size, const Dim& length) {
    const auto at = [&](ValueId v, const Dim& first) {
      Layout layout = dense(type(v));
      layout.offset = facts().simplify(first);
      l_.placements[v] = {h.buffer, std::move(layout)};
    };
    at(op_->results[h.before], Dim(0));
    if (h.after != 0) at(op_->results[h.after], size);
    at(last, size * length);
    l_.moving.insert(h.buffer);
  }

  Status scan() {
    const LoopParts parts(op_->attrs, op_->operands.size());
    const Dim length = op_->attrs.get_dim("length");
    const std::vector<History> history = histories(parts, length);
    const std::vector<uint32_t> state = begin_state(parts.carried, history);
    for (size_t i = parts.carried; i < op_->operands.size(); ++i)
      operand(op_->operands[i], i < parts.first_captured() ? 1 : 0);
    for (size_t i = parts.carried; i < op_->results.size(); ++i)
      if (!l_.placements.count(op_->results[i]))
        l_.placements[op_->results[i]] = {l_.allocate(g_.f, op_->results[i]), dense(type(op_->results[i]))};
    if (facts().range(length).high <= 0) return {};
    const uint32_t counter = new_counter();
    const Dim turn = Dim::symbol(l_.program.counters[counter]);
    const Dim position = op_->attrs.get_bool("reverse") ? length - Dim(1) - turn : turn;
    step({.kind = ControlKind::Repeat, .counter = counter, .count = length});
    const auto body = open("body");
    std::vector<uint32_t> elements(op_->results.size(), kNone);
    for (size_t i = 0; i < parts.carried; ++i) {
      if (history[i].buffer == kNone) {
        body->place(i, state[i]);
        continue;
      }
      const Type& t = body->f.type(body->f.params[i]);
      const Placement states{history[i].buffer, dense(type(op_->results[history[i].before]))};
      elements[history[i].before] = part(t, states, turn, counter);
      elements[i] = part(t, states, turn + Dim(1), counter);
      if (history[i].after != 0) elements[history[i].after] = elements[i];
      body->place(i, elements[history[i].before]);
      want(*body, i, elements[i]);
    }
    for (size_t i = parts.carried; i < parts.first_captured(); ++i)
      body->place(i, part(body->f.type(body->f.params[i]), operand(op_->operands[i], 1), position, counter));
    place_captured(*body, parts.first_captured(), parts.first_captured(), true);
    for (size_t i = parts.carried; i < op_->results.size(); ++i) {
      if (elements[i] != kNone) continue;
      const ValueId v = body->f.results[i];
      elements[i] = part(body->f.type(v), l_.placements.at(op_->results[i]), position, counter);
      want(*body, i, elements[i]);
    }
    body->first_buffer = static_cast<uint32_t>(l_.program.buffers.size());
    FRIT_TRY(lower_groups(body->lowering, body->f));
    for (size_t i = 0; i < elements.size(); ++i)
      if (elements[i] != kNone) settle(*body, i, elements[i]);
    end_loop(*body, state);
    return {};
  }

  Lowering& l_;
  const GroupView& g_;
  const Op* op_ = nullptr;
  size_t copies_ = 0;
};

}  // namespace

Status lower_control_group(Lowering& l, const GroupView& g) { return ControlLowering(l, g).run(); }

}  // namespace frit::passes
