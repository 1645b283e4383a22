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

// Makes a loop over few turns from `first` to `end`, at the end of `text` from place `begin` on, a block for each.
// NVIDIA's driver 580 keeps arrays in memory that two loops index together, though it unrolls both: short rows take
// twice as long then.
void write_out_turns(std::string& text, size_t begin, int first, int end) {
  constexpr int kMostBlocks = 8;
  if (end - first > kMostBlocks) return;
  const std::string loop = text.substr(begin), space(loop.find_first_not_of(' '), ' ');
  const size_t body = loop.find('\n') + 1, close = loop.rfind(space + "}\n");
  text.resize(begin);
  for (int turn = first; turn < end; ++turn)
    text += space + "{\n" + space + "  const int turn = " + std::to_string(turn) + ";\n" +
            loop.substr(body, close - body) + space + "}\n";
}

}  // namespace

LoadKey KernelEmitter::load_key(const ir::LoadInstr& load, const std::string& var) {
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
  if (across_) return plan_columns(loops);
  const int64_t length = loops[0]->extent.value(), step = int64_t{group_} * turn_vector_;
  const int64_t turns = (length + step - 1) / step;
  if (is_wide_group()) return plan_resident(loops);
  if (turns * turn_vector_ > kMostOfOne) return;
  turns_ = static_cast<int>(turns);
  const int elements = turns_ * turn_vector_;
  int used = 0;
  RowValues values = values_of(loops);
  for (size_t i = 0; i < k_.locals.size(); ++i) {
    const auto buffer = static_cast<uint32_t>(k_.buffers.size() + i);
    if (!values.is_own(buffer) || !k_.locals[i].size.is(length) || used + elements > most) continue;
    in_registers_.insert(buffer);
    used += elements;
  }
  for (const auto& [key, where] : values.loaded) {
    if (where.size() < 2 || used + elements > most) continue;
    kept_[key] = {"keep" + std::to_string(kept_.size()), values.types.at(key)};
    used += elements;
  }
  if (used || apart) turned_.insert(loops.begin(), loops.end());
}

KernelEmitter::RowValues KernelEmitter::values_of(const std::vector<const ir::Loop*>& loops) const {
  RowValues values;
  auto& [own, all, loaded, types] = values;
  count_accesses(k_.body, all);
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
      types.insert_or_assign(load_key(*l, loop->var), k_.reg_types[l->result]);
    }
  }
  return values;
}

// Of rows that are too long for that, the elements of as many turns as find room stay in registers: in each loop those
// come first, and the others are read again, or computed again where a local had them.
void KernelEmitter::plan_resident(const std::vector<const ir::Loop*>& loops) {
  // Rows of 16 bits fit into the cache, from which 1024 invocations read them again sooner than they unpack registers.
  int widest = 1;  // bytes
  for (const ir::KernelBuffer& b : k_.buffers) widest = std::max<int>(widest, b.dtype.size());
  const bool many = group_ > kMostThreads / 2;
  const int most = widest < 4 ? (many ? 0 : 64) : (many ? 128 : 256) / widest;  // elements of an invocation
  const int64_t length = loops[0]->extent.value();
  RowValues values = values_of(loops);
  std::vector<uint32_t> locals;
  std::vector<LoadKey> keys;
  std::vector<int> live(loops.size(), 0);  // arrays in use between a loop and the next one
  const auto use = [&](const std::function<bool(const ir::Loop*)>& has) {
    size_t first = loops.size(), last = 0;
    for (size_t i = 0; i < loops.size(); ++i)
      if (has(loops[i])) first = std::min(first, i), last = i;
    for (size_t i = first; i < last; ++i) ++live[i];
  };
  for (size_t i = 0; i < k_.locals.size(); ++i) {
    const auto buffer = static_cast<uint32_t>(k_.buffers.size() + i);
    if (!values.is_own(buffer) || !k_.locals[i].size.is(length) || !can_compute_again(buffer)) continue;
    locals.push_back(buffer);
    use([&](const ir::Loop* loop) {
      std::map<uint32_t, int> accesses;
      count_accesses(loop->body, accesses);
      return accesses.count(buffer) != 0;
    });
  }
  for (const auto& [key, where] : values.loaded) {
    if (where.size() < 2) continue;
    keys.push_back(key);
    use([&](const ir::Loop* loop) { return where.count(loop) != 0; });
  }
  const int arrays = *std::max_element(live.begin(), live.end());
  int unroll = 1;
  for (const ir::Loop* loop : loops) unroll = std::max(unroll, loop->unroll);
  const int turns = arrays ? most / arrays / turn_vector_ / unroll * unroll : 0;
  if (turns == 0) return;
  const int64_t step = int64_t{group_} * turn_vector_, all = (length + step - 1) / step;
  resident_ = turns < all;
  turns_ = static_cast<int>(std::min<int64_t>(turns, all));
  in_registers_.insert(locals.begin(), locals.end());
  for (const LoadKey& key : keys) kept_[key] = {"keep" + std::to_string(kept_.size()), values.types.at(key)};
  turned_.insert(loops.begin(), loops.end());
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
    if (vector < 2 && loop->unroll < 2 && !is_wide_group() && !across_) continue;
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
  if (!is_turned(loop)) {
    open("for (" + type + " " + name + " = " + first + "; " + name + " < " + dim(loop.extent, wide) + "; " + name +
         " += " + std::to_string(step) + ") {");
    return;
  }
  open("[[unroll]] for (int turn = " + std::to_string(first_turn_) + "; turn < " + std::to_string(turns_) +
       "; ++turn) {");
  line("const " + type + " " + name + " = turn * " + std::to_string(step) + " + " + first + ";");
  // Only the last turn may reach past the row's end.
  if (int64_t{turns_} * step > loop.extent.value())
    open("if (turn < " + std::to_string(turns_ - 1) + " || " + name + " < " + dim(loop.extent, wide) + ") {");
}

void KernelEmitter::close_turns(const ir::Loop& loop) {
  if (is_turned(loop) && int64_t{turns_} * group_ * turn_vector_ > loop.extent.value()) close();
  close();
}

// The turns whose elements stay in registers, then those behind them.
void KernelEmitter::emit_resident(const ir::Loop& loop, const std::string& name, int vector,
                                  const std::function<void()>& last) {
  emit_kept_turns(loop, name, vector, last);
  beyond_ = true;
  emit_turns(loop, name, vector, last);
  beyond_ = false;
}

// The turns of a row whose elements stay in registers. A compiler must assume that a store writes the memory of a later
// load, so the loads of several turns come before the stores of any.
void KernelEmitter::emit_kept_turns(const ir::Loop& loop, const std::string& name, int vector,
                                    const std::function<void()>& last) {
  constexpr int kTogether = 8;
  const int step = group_ * vector, whole = static_cast<int>(std::min<int64_t>(loop.extent.value() / step, turns_));
  std::set<uint32_t> loads, stores;
  collect(loop.body, loads, stores);
  const std::map<LoadKey, Kept> before = kept_;
  first_turn_ = 0;
  if (whole >= kTogether && !stores.empty()) {
    VectorLoop v = plan_vector(loop, vector, name, true);
    v.full = "aligned", v.some.clear();
    if (vector == 1) v.full.clear();
    // The turns behind the parts load what these do.
    for (auto& [key, kept] : kept_) kept.filled = before.at(key).filled;
    if (!v.loads.empty()) {
      first_turn_ = whole / kTogether * kTogether;
      emit_parts(v, first_turn_, kTogether, last);
    }
  }
  if (first_turn_ < turns_) {
    const size_t begin = text_.size();
    open_turns(loop, name, vector, step);
    emit_vector(loop, vector, name, last);
    close_turns(loop);
    write_out_turns(text_, begin, first_turn_, turns_);
  }
  first_turn_ = 0;
}

// The first `turns` turns, `together` at a time.
void KernelEmitter::emit_parts(const VectorLoop& v, int turns, int together, const std::function<void()>& last) {
  const std::string each = std::to_string(together);
  for (const Wide& w : v.loads)
    if (!w.kept)
      line(std::string(register_type(k_.buffer(w.buffer).dtype)) + " " + w.array + "[" +
           std::to_string(turns * v.vector) + "];");
  const auto open_part = [&] {
    open("[[unroll]] for (int turn = part * " + each + "; turn < part * " + each + " + " + each + "; ++turn) {");
    line("const " + index_type(names_.at(v.loop.var).wide) + " " + v.first + " = turn * " +
         std::to_string(group_ * v.vector) + " + lane" + (v.vector > 1 ? " * " + std::to_string(v.vector) : "") + ";");
  };
  open("[[unroll]] for (int part = 0; part < " + std::to_string(turns / together) + "; ++part) {");
  open_part();
  for (const Wide& w : v.loads) load_wide(w, v.loop, v.vector, v.first, v.full, v.some);
  close();
  open_part();
  emit_iterations(v, last);
  close();
  close();
}

// All turns of an invocation. `last` writes the end of each iteration.
void KernelEmitter::emit_turns(const ir::Loop& loop, const std::string& name, int vector,
                               const std::function<void()>& last) {
  if (across_) return emit_column(loop, name, last);
  const bool turned = is_turned(loop);
  if (turned && resident_) return emit_resident(loop, name, vector, last);
  if (loop.unroll > 1 && !turned) return emit_rounds(loop, name, vector, last);
  std::set<uint32_t> loads, stores;
  collect(loop.body, loads, stores);
  if (turned) return emit_kept_turns(loop, name, vector, last);
  std::string from;
  // Iterations of a loop with lanes may read what others write.
  const bool together = (vector > 1 || is_wide_group()) && (loop.lanes == 0 || stores.empty());
  const int ahead = !together ? 1 : is_wide_group() ? turns_ahead(loop, vector, 8, 8) : turns_ahead(loop, vector, 4, 2);
  if (ahead > 1 || beyond_) {
    emit_ahead(loop, vector, name, last, ahead);
    from = name + "_from";
  }
  open_turns(loop, name, vector, group_ * vector, from);
  if (vector > 1) {
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
  if (is_turned(loop) || passes::contains_loop(loop.body) || loop.body.size() > kLong) return 1;
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
