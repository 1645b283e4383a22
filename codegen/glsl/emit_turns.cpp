// Loops over a row of known length: how an invocation takes its turns, and which elements stay in its registers between
// the loops.
#include <algorithm>

#include "codegen/glsl/emitter.h"
#include "passes/lower/loop_nest.h"

namespace frit::codegen::glsl {

namespace {

// How often each buffer is loaded or stored.
void count_accesses(const ir::Body& body, std::map<uint32_t, int>& accesses) {
  for (const ir::Instr& i : body) {
    if (auto* l = std::get_if<ir::LoadInstr>(&i.node)) ++accesses[l->buffer];
    if (auto* s = std::get_if<ir::StoreInstr>(&i.node)) ++accesses[s->buffer];
    if (auto* loop = std::get_if<ir::Loop>(&i.node)) count_accesses(loop->body, accesses);
  }
}

}  // namespace

KernelEmitter::LoadKey KernelEmitter::load_key(const ir::LoadInstr& load, const std::string& var) {
  return {load.buffer, load.index.substitute(var, Dim::symbol("#"))};
}

// Finds the loops over one row of known length that visit the same elements, and keeps in registers between them:
// locals that only they use, and elements that more than one of them loads. Loops with states of several turns are
// among them (passes/schedule/grid_schedule.h).
void KernelEmitter::plan_registers(const ir::Body& row) {
  constexpr int kMostOfOne = 48;  // elements of an invocation
  const int most = group_ == 1 ? 192 : 64;
  const std::vector<const ir::Loop*> loops = loops_alike(row);
  const bool apart =
      group_ == 1 || std::any_of(loops.begin(), loops.end(), [](const ir::Loop* l) { return l->unroll > 1; });
  if (loops.empty() || (loops.size() < 2 && !apart)) return;
  const int64_t length = loops[0]->extent.value(), step = int64_t{group_} * turn_vector_;
  const int64_t turns = (length + step - 1) / step;
  if (turns * turn_vector_ > kMostOfOne) return;
  turns_ = static_cast<int>(turns);
  const int elements = turns_ * turn_vector_;
  int used = 0;

  // Locals, by how often they are accessed in these loops at their own element, and in all.
  std::map<uint32_t, int> own, all;
  count_accesses(k_.body, all);
  std::map<LoadKey, std::set<const ir::Loop*>> loaded;
  std::map<LoadKey, Dtype> types;
  for (const ir::Loop* loop : loops) {
    const Dim var = Dim::symbol(loop->var);
    std::set<std::string> bound;
    for (const ir::Instr& i : loop->body) {
      if (auto* b = std::get_if<ir::BindInstr>(&i.node)) bound.insert(b->name);
      if (auto* s = std::get_if<ir::StoreInstr>(&i.node); s && s->mask == ir::kNoReg && s->index == var)
        ++own[s->buffer];
      auto* l = std::get_if<ir::LoadInstr>(&i.node);
      if (!l || l->mask != ir::kNoReg) continue;
      if (l->index == var) ++own[l->buffer];
      const bool settled =
          std::none_of(bound.begin(), bound.end(), [&](const std::string& name) { return l->index.uses(name); });
      if (l->buffer >= k_.buffers.size() || k_.buffers[l->buffer].written || !l->index.uses(loop->var) || !settled)
        continue;
      loaded[load_key(*l, loop->var)].insert(loop);
      types[load_key(*l, loop->var)] = k_.reg_types[l->result];
    }
  }
  for (size_t i = 0; i < k_.locals.size(); ++i) {
    const auto buffer = static_cast<uint32_t>(k_.buffers.size() + i);
    if (!k_.locals[i].size.is(length) || own[buffer] != all[buffer] || used + elements > most) continue;
    in_registers_.insert(buffer);
    used += elements;
  }
  for (const auto& [key, where] : loaded) {
    if (where.size() < 2 || used + elements > most) continue;
    kept_[key] = {"keep" + std::to_string(kept_.size()), types[key]};
    used += elements;
  }
  if (used || apart) turned_.insert(loops.begin(), loops.end());
}

// The innermost loops of a row that an invocation runs in vectors of one width, over one length.
std::vector<const ir::Loop*> KernelEmitter::loops_alike(const ir::Body& row) {
  std::vector<const ir::Loop*> loops;
  for (const ir::Instr& i : row) {
    auto* loop = std::get_if<ir::Loop>(&i.node);
    if (!loop || !loop->carries.empty() || passes::contains_loop(loop->body) || !loop->extent.is_const() ||
        loop->extent.value() <= 0)
      continue;
    if (loop->lanes == 0 && !passes::is_independent(k_, *loop)) continue;
    const int vector = loop->lanes > 0 ? loop->lanes / group_ / loop->unroll : loop->vector;
    if (vector < 2 && loop->unroll < 2) continue;
    if (!loops.empty() && (vector != turn_vector_ || loop->extent != loops[0]->extent)) continue;
    turn_vector_ = vector;
    loops.push_back(loop);
  }
  return loops;
}

// The loop over the turns of an invocation, each of `vector` iterations, `step` apart.
void KernelEmitter::open_turns(const ir::Loop& loop, const std::string& name, int vector, int step,
                               const std::string& from) {
  const bool wide = names_.at(loop.var).wide;
  const std::string type = index_type(wide);
  const std::string first =
      !from.empty() ? from : "lane" + (vector > 1 ? " * " + std::to_string(vector) : std::string());
  if (!turned_.count(&loop)) {
    open("for (" + type + " " + name + " = " + first + "; " + name + " < " + dim(loop.extent, wide) + "; " + name +
         " += " + std::to_string(step) + ") {");
    return;
  }
  open("[[unroll]] for (int turn = 0; turn < " + std::to_string(turns_) + "; ++turn) {");
  line("const " + type + " " + name + " = turn * " + std::to_string(step) + " + " + first + ";");
  // Only the last turn may reach past the row's end.
  if (int64_t{turns_} * step != loop.extent.value())
    open("if (turn < " + std::to_string(turns_ - 1) + " || " + name + " < " + dim(loop.extent, wide) + ") {");
}

void KernelEmitter::close_turns(const ir::Loop& loop) {
  if (turned_.count(&loop) && int64_t{turns_} * group_ * turn_vector_ != loop.extent.value()) close();
  close();
}

// All turns of an invocation. `last` writes the end of each iteration.
void KernelEmitter::emit_turns(const ir::Loop& loop, const std::string& name, int vector,
                               const std::function<void()>& last) {
  const bool turned = turned_.count(&loop) != 0;
  if (loop.unroll > 1 && !turned) return emit_rounds(loop, name, vector, last);
  std::set<uint32_t> loads, stores;
  collect(loop.body, loads, stores);
  std::string from;
  // Iterations of a loop with lanes may read what others write.
  if (const int ahead = turns_ahead(loop, vector, 4, 2);
      ahead > 1 && vector > 1 && (loop.lanes == 0 || stores.empty())) {
    emit_ahead(loop, vector, name, last, ahead);
    from = name + "_from";
  }
  open_turns(loop, name, vector, group_ * vector, from);
  if (vector > 1 || turned) {
    emit_vector(loop, vector, name, last);
  } else {
    emit_body(loop.body, Context::Invocation);
    if (last) last();
  }
  close_turns(loop);
}

// How many turns of a loop have their loads first: as many as `short_bodies` where the work on each is short, 1 where
// it is long or the loop is.
int KernelEmitter::turns_ahead(const ir::Loop& loop, int vector, int short_bodies, int long_bodies) const {
  constexpr size_t kShort = 24, kLong = 64;
  if (turned_.count(&loop) || passes::contains_loop(loop.body) || loop.body.size() > kLong) return 1;
  const int turns = loop.body.size() <= kShort ? short_bodies : long_bodies;
  return facts_.range(loop.extent).high >= int64_t{2} * turns * group_ * vector ? turns : 1;
}

// Turns of a loop whose invocations take as many of them as it is unrolled in one round. The loads of several turns
// come before the work on any, as long as the row is long enough; the last rounds check each element.
void KernelEmitter::emit_rounds(const ir::Loop& loop, const std::string& name, int vector,
                                const std::function<void()>& last) {
  constexpr int kElements = 16;  // under way at once
  const bool wide = names_.at(loop.var).wide;
  const std::string from = name + "_from", extent = dim(loop.extent, wide), step = std::to_string(group_ * vector);
  emit_ahead(loop, vector, name, last,
             turns_ahead(loop, vector, std::max(loop.unroll, kElements / vector), std::max(loop.unroll, 4)));
  open("for (; " + from + " < " + extent + "; " + from + " += " + std::to_string(group_ * vector * loop.unroll) +
       ") {");
  open("[[unroll]] for (int turn = 0; turn < " + std::to_string(loop.unroll) + "; ++turn) {");
  line("const " + index_type(wide) + " " + name + " = " + from + " + turn * " + step + ";");
  open("if (" + name + " < " + extent + ") {");
  emit_vector(loop, vector, name, last);
  close();
  close();
  close();
}

}  // namespace frit::codegen::glsl
