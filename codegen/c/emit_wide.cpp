// Vector loops with loops in them: the loops inside are taken once for many iterations of the outer one.
#include <algorithm>

#include "codegen/c/emitter.h"
#include "ir/base/dim_atoms.h"
#include "passes/lower/loop_nest.h"

namespace frit::codegen::c {

using namespace ir;

bool KernelEmitter::varies(const Dim& d, const Wide& wide) const {
  std::vector<std::string> symbols;
  d.collect_symbols(symbols);
  return std::any_of(symbols.begin(), symbols.end(),
                     [&](const std::string& s) { return wide.varying_names.count(s) > 0; });
}

// Which registers differ between the iterations of the wide loop.
void KernelEmitter::analyse(const Body& body, Wide& wide) const {
  auto at = [&](Reg r) { return r != kNoReg && wide.varying[r]; };
  for (const Instr& i : body) {
    if (const auto* s = std::get_if<ScalarInstr>(&i.node)) {
      for (int a = 0; a < arity(s->op); ++a)
        if (at(s->args[static_cast<size_t>(a)])) wide.varying[s->result] = true;
    } else if (const auto* x = std::get_if<IndexInstr>(&i.node)) {
      wide.varying[x->result] = varies(x->index, wide);
    } else if (const auto* l = std::get_if<LoadInstr>(&i.node)) {
      wide.varying[l->result] = varies(l->index, wide) || at(l->mask);
    } else if (const auto* loop = std::get_if<Loop>(&i.node)) {
      analyse(loop->body, wide);
      for (const Accumulator& a : loop->accumulators) wide.varying[a.result] = at(a.value);
    }
  }
}

// The registers that are used in another stretch of straight-line code than the one that defines them. The beginning
// and the end of a loop end a stretch; a loop's accumulators use their operands in its last stretch.
void KernelEmitter::find_arrays(const Body& body, int& stretch, std::vector<int>& home, Wide& wide) const {
  auto use = [&](Reg r) {
    if (r != kNoReg && wide.varying[r] && home[r] != stretch && home[r] >= 0) wide.is_array[r] = true;
  };
  for (const Instr& i : body) {
    if (const auto* s = std::get_if<ScalarInstr>(&i.node)) {
      for (int a = 0; a < arity(s->op); ++a) use(s->args[static_cast<size_t>(a)]);
      home[s->result] = stretch;
    } else if (const auto* x = std::get_if<IndexInstr>(&i.node)) {
      home[x->result] = stretch;
    } else if (const auto* l = std::get_if<LoadInstr>(&i.node)) {
      use(l->mask);
      home[l->result] = stretch;
    } else if (const auto* s = std::get_if<StoreInstr>(&i.node)) {
      use(s->value), use(s->mask);
    } else if (const auto* loop = std::get_if<Loop>(&i.node)) {
      ++stretch;
      find_arrays(loop->body, stretch, home, wide);
      for (const Accumulator& a : loop->accumulators) use(a.value);
      ++stretch;
    }
  }
}

namespace {

// Whether the body has an instruction that a stretch cannot hold: a binding, lanes, carries, positions of extremes.
bool is_simple(const Body& body) {
  return std::all_of(body.begin(), body.end(), [](const Instr& i) {
    if (std::holds_alternative<BindInstr>(i.node)) return false;
    const auto* loop = std::get_if<Loop>(&i.node);
    if (!loop) return true;
    auto has_position = [](const Accumulator& a) { return a.position != kNoReg; };
    return loop->lanes <= 1 && loop->carries.empty() &&
           std::none_of(loop->accumulators.begin(), loop->accumulators.end(), has_position) && is_simple(loop->body);
  });
}

bool extents_use(const Body& body, const std::string& var) {
  return std::any_of(body.begin(), body.end(), [&](const Instr& i) {
    const auto* loop = std::get_if<Loop>(&i.node);
    return loop && (loop->extent.uses(var) || extents_use(loop->body, var));
  });
}

}  // namespace

bool KernelEmitter::is_wide(const Loop& loop) const {
  return !wide_ && loop.vector > 0 && loop.accumulators.empty() && passes::contains_loop(loop.body) &&
         is_simple(loop.body) && !extents_use(loop.body, loop.var);
}

void KernelEmitter::emit_wide(const Loop& loop) {
  int64_t width = int64_t{loop.vector} * std::max(loop.unroll, 1);
  if (loop.extent.is_const()) width = std::clamp<int64_t>(loop.extent.value(), 1, width);
  const std::string base = fresh(loop.var + "0"), extent = position(loop.extent), size = std::to_string(width);
  line("int64_t " + base + " = 0;");
  open("for (; " + base + " + " + size + " <= " + extent + "; " + base + " += " + size + ") {");
  emit_wide_step(loop, base, size, static_cast<int>(width));
  close();
  if (loop.extent.is_const() && loop.extent.value() % width == 0) return;
  open("if (" + base + " < " + extent + ") {");
  const std::string rest = fresh("rest");
  line("const int " + rest + " = (int)(" + extent + " - " + base + ");");
  emit_wide_step(loop, base, rest, static_cast<int>(width));
  close();
}

void KernelEmitter::emit_wide_step(const Loop& loop, const std::string& base, const std::string& count, int width) {
  Wide wide{loop.var,
            base,
            count,
            fresh("l"),
            width,
            {loop.var},
            std::vector<bool>(values_.size()),
            std::vector<bool>(values_.size())};
  analyse(loop.body, wide);
  std::vector<int> home(values_.size(), -1);
  int stretch = 0;
  find_arrays(loop.body, stretch, home, wide);
  wide_ = std::move(wide);
  Scope outer = enter(loop, base);
  name_atoms(loop.body);
  emit_wide_body(loop.body, {});
  leave(std::move(outer));
  wide_.reset();
}

void KernelEmitter::emit_wide_loop(const Loop& loop) {
  if (loop.extent.is(0)) return emit_nothing(loop);
  std::vector<std::pair<const Accumulator*, State>> states;
  for (const Accumulator& a : loop.accumulators) states.emplace_back(&a, make_state(a, 0, wide_->varying[a.value]));
  const std::string var = fresh(loop.var);
  open("for (int64_t " + var + " = 0; " + var + " < " + position(loop.extent) + "; ++" + var + ") {");
  Scope outer = enter(loop, var);
  name_atoms(loop.body);
  emit_wide_body(loop.body, states);
  leave(std::move(outer));
  close();
  for (const auto& [a, s] : states) finish(*a, s);
}

void KernelEmitter::emit_wide_body(const Body& body, const std::vector<std::pair<const Accumulator*, State>>& states) {
  Body stretch;  // of instructions that differ between iterations
  auto differs = [&](const Instr& i) {
    if (const auto* s = std::get_if<ScalarInstr>(&i.node)) return static_cast<bool>(wide_->varying[s->result]);
    if (const auto* x = std::get_if<IndexInstr>(&i.node)) return static_cast<bool>(wide_->varying[x->result]);
    if (const auto* l = std::get_if<LoadInstr>(&i.node)) return static_cast<bool>(wide_->varying[l->result]);
    const auto* s = std::get_if<StoreInstr>(&i.node);
    return s &&
           (varies(s->index, *wide_) || wide_->varying[s->value] || (s->mask != kNoReg && wide_->varying[s->mask]));
  };
  auto flush = [&](bool last) {
    const bool sums = last && std::any_of(states.begin(), states.end(), [](const auto& s) { return s.second.wide; });
    if (!stretch.empty() || sums) {
      for (const Instr& i : stretch) {
        const Reg r = std::holds_alternative<ScalarInstr>(i.node)  ? std::get<ScalarInstr>(i.node).result
                      : std::holds_alternative<IndexInstr>(i.node) ? std::get<IndexInstr>(i.node).result
                      : std::holds_alternative<LoadInstr>(i.node)  ? std::get<LoadInstr>(i.node).result
                                                                   : kNoReg;
        if (r == kNoReg || !wide_->is_array[r]) continue;
        values_[r] = {prefix_ + std::to_string(next_++), true, false};
        line(std::string(register_type(kernel_.reg_types[r])) + " " + values_[r].text + "[" +
             std::to_string(wide_->width) + "];");
      }
      open("for (int " + wide_->lane + " = 0; " + wide_->lane + " < " + wide_->count + "; ++" + wide_->lane + ") {");
      Scope outer{positions_.names, positions_.known, facts_};
      const std::string var = fresh(wide_->var);
      positions_.names[wide_->var] = var;
      const size_t begin = out_.size();
      in_lane_ = true;
      name_atoms(stretch);
      for (const Instr& i : stretch) emit(i);
      if (last)
        for (const auto& [a, s] : states)
          if (s.wide) accumulate(*a, s, wide_->lane);
      in_lane_ = false;
      const std::string set = std::string(static_cast<size_t>(2 * indent_), ' ') + "const int64_t " + var + " = " +
                              wide_->base + " + " + wide_->lane;
      if (positions_.used.count(var)) out_.insert(begin, set + ";\n");
      leave(std::move(outer));
      close();
      stretch.clear();
    }
    if (last)
      for (const auto& [a, s] : states)
        if (!s.wide) accumulate(*a, s, "");
  };
  for (const Instr& i : body) {
    if (!is_needed(i)) continue;
    if (const auto* loop = std::get_if<Loop>(&i.node)) {
      flush(false);
      emit_wide_loop(*loop);
    } else if (differs(i)) {
      stretch.push_back(i);
    } else {
      emit(i);
    }
  }
  flush(true);
}

}  // namespace frit::codegen::c
