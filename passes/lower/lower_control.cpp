// Control groups: the steps of regions, between steps of control flow.
//
// A loop keeps its state in temps. An iteration computes the next state into other temps, and the two exchange their
// memory at its end. A scanned array and a stacked result are read and written where they lie, through Parts that the
// loop moves, so that the kernels of the body are the same in every iteration.
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

  // Captured values are read where they lie.
  void place_captured(Inside& inside, size_t first_param, size_t first_operand) {
    for (size_t i = 0; first_param + i < inside.f.params.size(); ++i) {
      const Placement& p = operand(op_->operands[first_operand + i], 0);
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
    place_captured(*inside, 0, 1);
    for (size_t i = 0; i < results.size(); ++i) want(*inside, i, results[i]);
    FRIT_TRY(lower_groups(inside->lowering, inside->f));
    for (size_t i = 0; i < results.size(); ++i) settle(*inside, i, results[i]);
    return {};
  }

  // Temps that hold the first state.
  std::vector<uint32_t> begin_state(size_t carried) {
    std::vector<uint32_t> state;
    for (size_t i = 0; i < carried; ++i) {
      const ValueId v = op_->operands[i];
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
      if (v == body.f.params[i] || facts().range(type(op_->operands[i]).size()).high <= 0) continue;
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
    place_captured(*cond, parts.carried, parts.carried);
    FRIT_TRY(lower_groups(cond->lowering, cond->f));
    step({.kind = ControlKind::Leave, .flag = flag(cond->lowering, cond->f, cond->f.results[0])});
    const auto body = open("body");
    for (size_t i = 0; i < parts.carried; ++i) body->place(i, state[i]);
    place_captured(*body, parts.carried, parts.carried);
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

  Status scan() {
    const LoopParts parts(op_->attrs, op_->operands.size());
    const Dim length = op_->attrs.get_dim("length");
    const std::vector<uint32_t> state = begin_state(parts.carried);
    for (size_t i = parts.carried; i < op_->operands.size(); ++i)
      operand(op_->operands[i], i < parts.first_captured() ? 1 : 0);
    for (size_t i = parts.carried; i < op_->results.size(); ++i)
      l_.placements[op_->results[i]] = {l_.allocate(g_.f, op_->results[i]), dense(type(op_->results[i]))};
    if (facts().range(length).high <= 0) return {};
    const uint32_t counter = new_counter();
    const Dim turn = Dim::symbol(l_.program.counters[counter]);
    const Dim position = op_->attrs.get_bool("reverse") ? length - Dim(1) - turn : turn;
    step({.kind = ControlKind::Repeat, .counter = counter, .count = length});
    const auto body = open("body");
    for (size_t i = 0; i < parts.carried; ++i) body->place(i, state[i]);
    for (size_t i = parts.carried; i < parts.first_captured(); ++i)
      body->place(i, part(body->f.type(body->f.params[i]), operand(op_->operands[i], 1), position, counter));
    place_captured(*body, parts.first_captured(), parts.first_captured());
    std::vector<uint32_t> elements;
    for (size_t i = parts.carried; i < op_->results.size(); ++i) {
      const ValueId v = body->f.results[i];
      elements.push_back(part(body->f.type(v), l_.placements.at(op_->results[i]), position, counter));
      want(*body, i, elements.back());
    }
    body->first_buffer = static_cast<uint32_t>(l_.program.buffers.size());
    FRIT_TRY(lower_groups(body->lowering, body->f));
    for (size_t i = 0; i < elements.size(); ++i) settle(*body, parts.carried + i, elements[i]);
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
