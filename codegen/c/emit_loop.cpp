// Loops, accumulators and lanes.
#include <algorithm>
#include <bit>

#include "codegen/c/emitter.h"
#include "ir/base/dim_atoms.h"
#include "ir/kernel/carry_step.h"

namespace frit::codegen::c {

using namespace ir;

KernelEmitter::Scope KernelEmitter::enter(const Loop& loop, const std::string& name) {
  Scope outer{positions_.names, positions_.known, facts_};
  positions_.names[loop.var] = name;
  facts_.set_loop(loop.var, loop.extent);
  return outer;
}

void KernelEmitter::leave(Scope scope) {
  positions_.names = std::move(scope.names);
  positions_.known = std::move(scope.known);
  facts_ = std::move(scope.facts);
}

void KernelEmitter::collect_atoms(const Dim& d, std::vector<Dim>& found) const {
  each_atom(d, [&](const std::shared_ptr<const Atom>& atom) {
    if (atom->kind == AtomKind::Symbol) return;
    for (const Dim& arg : atom->args) collect_atoms(arg, found);
    const Dim self = to_dim(atom);
    std::vector<std::string> symbols;
    self.collect_symbols(symbols);
    const bool in_scope = std::all_of(symbols.begin(), symbols.end(),
                                      [&](const std::string& s) { return positions_.names.count(s) > 0; });
    const bool varies_here = wide_ && !in_lane_ && varies(self, *wide_);
    if (!in_scope || varies_here || positions_.known.count(self)) return;
    if (std::find(found.begin(), found.end(), self) == found.end()) found.push_back(self);
  });
}

void KernelEmitter::collect_atoms(const Body& body, std::vector<Dim>& found) const {
  for (const Instr& i : body) {
    if (!is_needed(i)) continue;
    if (const auto* l = std::get_if<LoadInstr>(&i.node)) collect_atoms(l->index, found);
    if (const auto* s = std::get_if<StoreInstr>(&i.node)) collect_atoms(s->index, found);
    if (const auto* x = std::get_if<IndexInstr>(&i.node)) collect_atoms(x->index, found);
    const auto* loop = std::get_if<Loop>(&i.node);
    if (!loop || loop->extent.is(0)) continue;
    collect_atoms(loop->extent, found);
    collect_atoms(loop->body, found);
  }
}

// Quotients and the like that are the same all over `body` get variables, so that no loop inside computes them again.
void KernelEmitter::name_atoms(const Body& body) {
  std::vector<Dim> found;
  collect_atoms(body, found);
  for (const Dim& d : found) {
    const Atom& a = *d.poly()->terms[0].atoms[0];
    const std::string name = fresh(a.kind == AtomKind::FloorDiv ? "q"
                                   : a.kind == AtomKind::Mod    ? "m"
                                   : a.kind == AtomKind::Min    ? "low"
                                                                : "high");
    line("const int64_t " + name + " = " + positions_.atom(a, facts_) + ";");
    positions_.known[d] = name;
  }
}

// A loop that never runs. Its body may use names that no code defines.
void KernelEmitter::emit_nothing(const Loop& loop) {
  for (const Accumulator& a : loop.accumulators) {
    if (!uses_[a.result]) continue;
    const bool positioned = a.position != kNoReg;
    const Dtype type = positioned ? int64 : a.type;
    define(a.result, constant(type, positioned ? uint64_t{INT64_MAX} : combine_identity(a.combine, a.type), helpers_));
  }
}

void KernelEmitter::emit_loop(const Loop& loop) {
  if (loop.extent.is(0))
    emit_nothing(loop);
  else if (loop.lanes > 1 && loop.carries.empty())
    emit_lanes(loop);
  else if (is_wide(loop))
    emit_wide(loop);
  else
    emit_serial(loop);
}

namespace {

std::string head(const std::string& var, const std::string& from, const std::string& to) {
  return "for (int64_t " + var + " = " + from + "; " + var + " < " + to + "; ++" + var + ") {";
}

std::string head_of_lanes(const std::string& lane, const std::string& count) {
  return "for (int " + lane + " = 0; " + lane + " < " + count + "; ++" + lane + ") {";
}

}  // namespace

void KernelEmitter::emit_serial(const Loop& loop) {
  std::vector<State> states;
  for (const Accumulator& a : loop.accumulators) states.push_back(make_state(a, 0, false));
  for (const Carry& c : loop.carries) {
    if (!has_variable(loop, c)) continue;
    values_[c.value] = {fresh("carry"), false, false};
    line(std::string(register_type(c.type)) + " " + values_[c.value].text + " = " +
         constant(c.type, c.initial, helpers_) + ";");
  }
  const std::string var = fresh(loop.var), extent = position(loop.extent);
  if (loop.lanes > 1) open_groups(loop, var);
  open(head(var, "0", extent));
  Scope outer = enter(loop, var);
  name_atoms(loop.body);
  emit_body(loop.body);
  take_next(loop);
  for (size_t i = 0; i < states.size(); ++i) accumulate(loop.accumulators[i], states[i], "");
  leave(std::move(outer));
  close();
  for (size_t i = 0; i < states.size(); ++i) finish(loop.accumulators[i], states[i]);
}

// The variables of carries whose values go in groups (ir/kernel/carry_step.h).
void KernelEmitter::open_groups(const Loop& loop, const std::string& var) {
  for (const Carry& c : loop.carries) {
    Group g{fresh("kept"), fresh("start"), var, loop.lanes};
    const std::string type(register_type(c.type)), initial = constant(c.type, c.initial, helpers_);
    line(type + " " + g.kept + "[" + std::to_string(std::countr_zero(static_cast<unsigned>(loop.lanes))) + "] = {0};");
    line(type + " " + g.start + " = " + initial + ";");
    groups_[carry_step(loop, c)] = std::move(g);
  }
}

void KernelEmitter::emit_step(const ScalarInstr& step, const Group& g) {
  const std::string x = fresh("x"), level = fresh("level");
  const auto combined = [&](const std::string& left, const std::string& right) {
    const Operand operands[] = {{left}, {right}};
    return scalar(step.op, step.type, step.type, operands, helpers_);
  };
  const std::string type(register_type(step.type)), place = "(" + g.var + " >> " + level + " & 1)";
  const int levels = std::countr_zero(static_cast<unsigned>(g.lanes));
  line(type + " " + x + " = " + use(step.args[1]) + ";");
  open("for (int " + level + " = 0; " + level + " < " + std::to_string(levels) + "; ++" + level + ") {");
  open("if " + place + " {");
  line(x + " = " + combined(g.kept + "[" + level + "]", x) + ";");
  close("} else {");
  ++indent_;
  line(g.kept + "[" + level + "] = " + x + ";");
  close();
  close();
  positions_.used.insert(g.var);
  define(step.result, combined(g.start, x));
  line("if ((" + g.var + " & " + std::to_string(g.lanes - 1) + ") == " + std::to_string(g.lanes - 1) + ") " + g.start +
       " = " + use(step.result) + ";");
}

// In groups the step alone needs no value of the place before.
bool KernelEmitter::has_variable(const Loop& loop, const Carry& c) const {
  return loop.lanes <= 1 || uses_[c.value] > 1;
}

// The carries take their values for the next iteration, all at once.
void KernelEmitter::take_next(const Loop& loop) {
  std::vector<std::string> next, variables;
  for (const Carry& c : loop.carries) {
    if (!has_variable(loop, c)) continue;
    variables.push_back(values_[c.value].text);
    next.push_back(use(c.next));
    if (loop.carries.size() == 1) continue;
    const std::string name = fresh("next");
    line("const " + std::string(register_type(c.type)) + " " + name + " = " + next.back() + ";");
    next.back() = name;
  }
  for (size_t i = 0; i < next.size(); ++i) line(variables[i] + " = " + next[i] + ";");
}

// Full rounds over all lanes, then those of the rest; so that the state of each lane stays in a register of its own.
void KernelEmitter::emit_lanes(const Loop& loop) {
  std::vector<State> states;
  for (const Accumulator& a : loop.accumulators) states.push_back(make_state(a, loop.lanes, false));
  const std::string base = fresh(loop.var + "0"), extent = position(loop.extent), lanes = std::to_string(loop.lanes);
  auto round = [&](const std::string& count) {
    const std::string lane = fresh("l"), var = fresh(loop.var);
    open(head_of_lanes(lane, count));
    line("const int64_t " + var + " = " + base + " + " + lane + ";");
    Scope outer = enter(loop, var);
    positions_.used.erase(var);
    const size_t begin = out_.size();
    name_atoms(loop.body);
    emit_body(loop.body);
    for (size_t i = 0; i < states.size(); ++i) accumulate(loop.accumulators[i], states[i], lane);
    if (!positions_.used.count(var))
      out_.insert(begin, std::string(static_cast<size_t>(2 * indent_), ' ') + "(void)" + var + ";\n");
    leave(std::move(outer));
    close();
  };
  const bool exact = loop.extent.is_const() && loop.extent.value() % loop.lanes == 0;
  const bool none = loop.extent.is_const() && loop.extent.value() < loop.lanes;
  line("int64_t " + base + " = 0;");
  if (!none) {
    open("for (; " + base + " + " + lanes + " <= " + extent + "; " + base + " += " + lanes + ") {");
    round(lanes);
    close();
  }
  if (!exact) {
    const std::string rest = fresh("rest");
    line("const int " + rest + " = (int)(" + extent + " - " + base + ");");
    round(rest);
  } else if (none) {
    line("(void)" + base + ";");
  }
  for (size_t i = 0; i < states.size(); ++i) finish(loop.accumulators[i], states[i]);
}

KernelEmitter::State KernelEmitter::make_state(const Accumulator& a, int lanes, bool wide) {
  State s{fresh("acc"), "", wide, lanes};
  const int count = wide ? wide_->width : lanes;
  const std::string size = count ? "[" + std::to_string(count) + "]" : "";
  const bool positioned = a.position != kNoReg;
  if (positioned) s.position = fresh("at");
  const std::string identity = constant(a.type, combine_identity(a.combine, a.type), helpers_);
  line(std::string(register_type(a.type)) + " " + s.value + size + (count ? ";" : " = " + identity + ";"));
  if (positioned) line("int64_t " + s.position + size + (count ? ";" : " = INT64_MAX;"));
  if (!count) return s;
  const std::string lane = fresh("l");
  open(head_of_lanes(lane, std::to_string(count)));
  line(s.value + "[" + lane + "] = " + identity + ";");
  if (positioned) line(s.position + "[" + lane + "] = INT64_MAX;");
  close();
  return s;
}

void KernelEmitter::accumulate(const Accumulator& a, const State& s, const std::string& element) {
  const std::string at = element.empty() ? "" : "[" + element + "]";
  combine(a, s.value + at, s.position.empty() ? "" : s.position + at, operand(a.value),
          a.position == kNoReg ? "" : signed_value(int64, use(a.position), helpers_));
}

void KernelEmitter::combine(const Accumulator& a, const std::string& value, const std::string& position,
                            const Operand& taken, const std::string& by_position) {
  const std::string& by = taken.text;
  if (a.position == kNoReg) {
    const Operand operands[] = {{value}, taken};
    line(value + " = " + scalar(combine_op(a.combine), a.type, a.type, operands, helpers_) + ";");
    return;
  }
  // A NaN is the most extreme value; the lowest position wins among equals.
  const Operand operands[] = {taken, {value}};
  const std::string better =
      scalar(a.combine == Combine::ArgMax ? ScalarOp::Gt : ScalarOp::Lt, bool_, a.type, operands, helpers_);
  const std::string old_nan = "(" + value + " != " + value + ")", new_nan = "(" + by + " != " + by + ")";
  const std::string equal = "(" + scalar(ScalarOp::Eq, bool_, a.type, operands, helpers_) + ")";
  const std::string tie = is_float(a.type) ? "((" + new_nan + " && " + old_nan + ") || " + equal + ")" : equal;
  const std::string first = is_float(a.type) ? "(" + new_nan + " && !" + old_nan + ") || " : "";
  const std::string takes = fresh("takes");
  line("const bool " + takes + " = " + first + "(" + better + ") || (" + tie + " && (" + by_position + " < " +
       position + "));");
  line(value + " = " + takes + " ? " + by + " : " + value + ";");
  line(position + " = " + takes + " ? " + by_position + " : " + position + ";");
}

// The value and the position that the states combine to.
void KernelEmitter::finish(const Accumulator& a, const State& s) {
  const bool positioned = a.position != kNoReg;
  if (s.lanes) {
    const std::string half = fresh("half"), lane = fresh("l");
    open("for (int " + half + " = " + std::to_string(s.lanes / 2) + "; " + half + " > 0; " + half + " /= 2) {");
    open(head_of_lanes(lane, half));
    const std::string here = "[" + lane + "]", there = "[" + lane + " + " + half + "]";
    combine(a, s.value + here, positioned ? s.position + here : "", {s.value + there},
            positioned ? s.position + there : "");
    close();
    close();
  }
  if (!uses_[a.result]) return;
  const std::string result = positioned ? s.position : s.value;
  if (s.wide) {
    // Positions become registers, which are unsigned, where they are used.
    values_[a.result] = {result, true, false};
    return;
  }
  const std::string one = result + (s.lanes ? "[0]" : "");
  define(a.result, positioned ? "(uint64_t)" + one : one);
}

}  // namespace frit::codegen::c
