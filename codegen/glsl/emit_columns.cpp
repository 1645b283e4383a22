// Columns that lie side by side: neighbouring invocations have neighbouring columns, so that each access of a subgroup
// is one stretch of memory, and as many invocations as a loop's lanes allow share a column. They fold their states
// through shared memory.
#include <algorithm>

#include "codegen/glsl/emitter.h"
#include "passes/lower/loop_nest.h"

namespace frit::codegen::glsl {

namespace {

constexpr int kMostKept = 64, kMostOfOne = 48;  // elements that an invocation keeps in registers, and of one array
constexpr int kTogether = 16, kRest = 8;        // turns whose loads are under way at once
constexpr int kFoldedByAll = 16, kFoldedLast = 8;

}  // namespace

// All invocations of a workgroup stay in step, so that barriers may stand between them: those without a column of their
// own repeat the last one and store nothing.
void KernelEmitter::emit_columns(const ir::Loop& loop) {
  const std::string rows = std::to_string(rows_), name = enter(loop), first = name + "_first";
  const bool wide = names_.at(loop.var).wide;
  const std::string type = index_type(wide), extent = dim(loop.extent, wide);
  line("const int me = int(gl_LocalInvocationID.x), column = me % " + rows + ", lane = me / " + rows + ";");
  place_locals();
  shader_.kernel.per_group = static_cast<uint32_t>(rows_);
  open_rows(loop, first, type + "(group) * " + rows);
  line("const bool own = " + first + " + column < " + extent + ";");
  line("const " + type + " " + name + " = min(" + first + " + column, " + extent + " - 1);");
  declare_kept();
  emit_body(loop.body, Context::Group);
  close();
}

// The condition of a store: `condition`, and that the invocation has a column of its own.
std::string KernelEmitter::owned(const std::string& condition) const {
  if (!across_) return condition;
  return condition.empty() ? "own" : "own && " + condition;
}

// Keeps in registers between loops of known length what more than one of them loads.
void KernelEmitter::plan_columns(const std::vector<const ir::Loop*>& loops) {
  const auto turns = static_cast<int>((loops[0]->extent.value() + group_ - 1) / group_);
  if (turns > kMostOfOne) return;
  RowValues values = values_of(loops);
  int used = 0;
  for (const auto& [key, where] : values.loaded) {
    if (where.size() < 2 || used + turns > kMostKept) continue;
    kept_[key] = {"keep" + std::to_string(kept_.size()), values.types.at(key)};
    used += turns;
  }
  turns_ = turns;
  if (used) turned_.insert(loops.begin(), loops.end());
}

// All turns of an invocation, `group_` iterations apart. `last` writes the end of each iteration.
void KernelEmitter::emit_column(const ir::Loop& loop, const std::string& name, const std::function<void()>& last) {
  const bool wide = names_.at(loop.var).wide;
  const std::string extent = dim(loop.extent, wide), type = index_type(wide), from = name + "_from";
  if (passes::contains_loop(loop.body)) {
    open("for (" + type + " " + name + " = lane; " + name + " < " + extent + "; " + name +
         " += " + std::to_string(group_) + ") {");
    emit_body(loop.body, Context::Invocation);
    if (last) last();
    return close();
  }
  if (is_turned(loop)) {
    const int whole = static_cast<int>(loop.extent.value() / group_);
    std::set<uint32_t> loads, stores;
    collect(loop.body, loads, stores);
    size_t missing = 0;  // arrays that this loop loads
    for (const ir::Instr* i : early_loads(loop, stores).loads) {
      const auto found = kept_.find(load_key(std::get<ir::LoadInstr>(i->node), loop.var));
      missing += found == kept_.end() || !found->second.filled;
    }
    const int together = missing < 2 ? turns_ : kTogether;
    for (int turn = 0; turn < turns_; turn += together) {
      const int count = std::min(together, turns_ - turn);
      emit_column_round(loop, name, "lane", turn, count,
                        turn + count <= whole ? ""
                        : whole > turn        ? "turn < " + std::to_string(whole) + " || " + name + " < " + extent
                                              : name + " < " + extent,
                        last);
    }
    return;
  }
  // A state belongs to every unroll-th turn.
  const int together = std::max(kTogether, loop.unroll), rest = std::max(kRest, loop.unroll);
  const int64_t turns = loop.extent.is_const() ? (loop.extent.value() + group_ - 1) / group_ : INT64_MAX;
  line(type + " " + from + " = lane;");
  if (turns > together || !loop.extent.is_const()) {
    open("for (; " + from + " + " + std::to_string((together - 1) * group_) + " < " + extent + "; " + from +
         " += " + std::to_string(together * group_) + ") {");
    emit_column_round(loop, name, from, 0, together, "", last);
    close();
  }
  if (!loop.extent.is_const()) {
    open("for (; " + from + " < " + extent + "; " + from + " += " + std::to_string(rest * group_) + ") {");
    emit_column_round(loop, name, from, 0, rest, name + " < " + extent, last);
    return close();
  }
  // Some invocations may have taken their last element in a whole round. Others lack the last turn's at most.
  const int left = static_cast<int>((turns - 1) % together + 1);
  if (turns == 0) return;
  open("if (" + from + " < " + extent + ") {");
  emit_column_round(loop, name, from, 0, left,
                    loop.extent.value() % group_ == 0 ? ""
                    : left > 1 ? "turn < " + std::to_string(left - 1) + " || " + name + " < " + extent
                               : name + " < " + extent,
                    last);
  close();
}

// Turns `first` to `first` + `count` of those from `from` on, with all loads before the work on any: a driver has
// several loads under way where they are unconditional and stand alone. Iterations for which `exists` does not hold
// load the last element that there is.
void KernelEmitter::emit_column_round(const ir::Loop& loop, const std::string& name, const std::string& from, int first,
                                      int count, const std::string& exists, const std::function<void()>& last) {
  std::set<uint32_t> loads, stores;
  collect(loop.body, loads, stores);
  const Early early = early_loads(loop, stores);
  const bool wide = names_.at(loop.var).wide;
  const std::string type = index_type(wide), extent = dim(loop.extent, wide), step = std::to_string(group_);
  const auto open_each = [&](bool clamped) {
    open("[[unroll]] for (int turn = " + std::to_string(first) + "; turn < " + std::to_string(first + count) +
         "; ++turn) {");
    const std::string at = from + " + turn * " + step;
    line("const " + type + " " + name + " = " + (clamped ? "min(" + at + ", " + extent + " - 1)" : at) + ";");
  };
  // Where an element lies: in an array that loops share, or in one of this round.
  std::map<const ir::Instr*, std::string> places;
  std::set<const ir::Instr*> filling;
  std::set<Kept*> filled;
  open("{");
  for (const ir::Instr& i : loop.body) {
    if (!early.loads.count(&i)) continue;
    const auto& load = std::get<ir::LoadInstr>(i.node);
    const auto keep = is_turned(loop) ? kept_.find(load_key(load, loop.var)) : kept_.end();
    if (keep != kept_.end()) {
      places[&i] = keep->second.array + "[turn]";
      if (!keep->second.filled && filled.insert(&keep->second).second) filling.insert(&i);
      continue;
    }
    const std::string array = name_of(load.result) + "v";
    line(std::string(register_type(k_.reg_types[load.result])) + " " + array + "[" + std::to_string(count) + "];" +
         comment(i));
    places[&i] = array + "[turn" + (first ? " - " + std::to_string(first) : "") + "]";
    filling.insert(&i);
  }
  if (!filling.empty()) {
    open_each(!exists.empty());
    for (const ir::Instr& i : loop.body) {
      if (early.leading.count(&i)) emit(i, Context::Invocation);
      if (!early.loads.count(&i)) continue;
      const auto& load = std::get<ir::LoadInstr>(i.node);
      if (filling.count(&i)) line(places[&i] + " = " + load_text(load.buffer, load.index) + ";");
      regs_[load.result] = places[&i];
    }
    close();
  }
  open_each(false);
  if (!exists.empty()) open("if (" + exists + ") {");
  for (const ir::Instr& i : loop.body) {
    if (early.loads.count(&i))
      regs_[std::get<ir::LoadInstr>(i.node).result] = places[&i];
    else
      emit(i, Context::Invocation);
  }
  if (last) last();
  if (!exists.empty()) close();
  close();
  close();
  if (first + count == turns_)
    for (Kept* k : filled) k->filled = true;
}

// Folds the states of a column's invocations, which lie rows_ apart in shared memory, by halves: a few invocations take
// those that lie kFoldedLast apart, then each takes what these have.
void KernelEmitter::fold_columns(const Fold& fold) {
  for (const FoldPart& p : fold.parts) {
    if (group_ == 1) continue;
    line(p.shared + "[me] = " + p.own + "[0];");
    if (is_arg(*p.acc)) line(p.shared_position + "[me] = " + p.own + "p[0];");
  }
  if (group_ > 1) line("barrier();");
  // `count` states from `at` on, `apart` lanes apart, as one in `t`[0].
  const auto take = [&](const FoldPart& p, const std::string& t, int count, const std::string& at, int apart) {
    line(state(*p.acc, t + "[" + std::to_string(count) + "];"));
    if (is_arg(*p.acc)) line(p.position + " " + t + "p[" + std::to_string(count) + "];");
    for (int j = 0; j < count; ++j) {
      const std::string to = "[" + std::to_string(j) + "] = ",
                        from = "[" + at + " + " + std::to_string(j * apart * rows_) + "];";
      line(t + to + p.shared + from + (is_arg(*p.acc) ? " " + t + "p" + to + p.shared_position + from : ""));
    }
    fold_own(t, t + "p", *p.acc, count);
  };
  int left = group_;
  if (group_ > kFoldedByAll) {
    left = kFoldedLast;
    open("if (lane < " + std::to_string(left) + ") {");
    for (const FoldPart& p : fold.parts) {
      open("{");
      take(p, "t", group_ / left, "me", left);
      line(p.shared + "[me] = t[0];" + (is_arg(*p.acc) ? " " + p.shared_position + "[me] = tp[0];" : ""));
      close();
    }
    close();
    line("barrier();");
  }
  for (const FoldPart& p : fold.parts) {
    const std::string all = name_of(p.acc->result) + "f", result = group_ > 1 ? all : p.own;
    if (group_ > 1) take(p, all, left, "column", 1);
    regs_[p.acc->result] = result + "[0]";
    if (is_arg(*p.acc)) take_position(p, result + "p[0]");
  }
  if (group_ > 1) line("barrier();");
}

}  // namespace frit::codegen::glsl
