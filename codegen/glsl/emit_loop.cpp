// Loops: one after the other, spread over a workgroup, and with lanes.
#include <algorithm>

#include "codegen/glsl/emitter.h"
#include "ir/text/kernel_printer.h"
#include "passes/lower/loop_nest.h"

namespace frit::codegen::glsl {

namespace {

bool is_arg(const ir::Accumulator& a) { return a.position != ir::kNoReg; }

bool meet(const std::set<uint32_t>& a, const std::set<uint32_t>& b) {
  return std::any_of(a.begin(), a.end(), [&](uint32_t v) { return b.count(v) != 0; });
}

}  // namespace

// The buffers that `body` reads and writes, registers left out.
void KernelEmitter::collect(const ir::Body& body, std::set<uint32_t>& loads, std::set<uint32_t>& stores) const {
  for (const ir::Instr& i : body) {
    if (auto* l = std::get_if<ir::LoadInstr>(&i.node); l && !in_registers_.count(l->buffer)) loads.insert(l->buffer);
    if (auto* s = std::get_if<ir::StoreInstr>(&i.node); s && !in_registers_.count(s->buffer)) stores.insert(s->buffer);
    if (auto* loop = std::get_if<ir::Loop>(&i.node)) collect(loop->body, loads, stores);
  }
}

std::string KernelEmitter::load_key(const ir::LoadInstr& load, const std::string& var) {
  return std::to_string(load.buffer) + " " + load.index.substitute(var, Dim::symbol("#")).str();
}

// Finds the loops over one row of known length that visit the same elements, and what of theirs stays in registers
// between them: locals that are theirs alone, and what more than one of them loads.
void KernelEmitter::plan_registers(const ir::Body& row) {
  constexpr int kMostOfOne = 32, kMost = 64;  // elements of an invocation
  std::vector<const ir::Loop*> loops;
  int64_t length = 0;
  for (const ir::Instr& i : row) {
    auto* loop = std::get_if<ir::Loop>(&i.node);
    if (!loop || passes::contains_loop(loop->body) || !loop->extent.is_const() || loop->extent.value() <= 0) continue;
    if (loop->lanes == 0 && !passes::is_independent(k_, *loop)) continue;
    const int vector = loop->lanes > 0 ? loop->lanes / group_ : loop->vector;
    if (vector < 2 || (!loops.empty() && (vector != turn_vector_ || loop->extent.value() != length))) continue;
    turn_vector_ = vector;
    length = loop->extent.value();
    loops.push_back(loop);
  }
  if (loops.size() < 2) return;
  const int64_t step = int64_t{group_} * turn_vector_;
  const int64_t turns = (length + step - 1) / step;
  if (turns * turn_vector_ > kMostOfOne) return;
  turns_ = static_cast<int>(turns);
  const int elements = turns_ * turn_vector_;
  int used = 0;

  // Locals, by how often they are accessed in these loops at their own element; and in all.
  std::map<uint32_t, int> own, all;
  auto count = [&](auto&& self, const ir::Body& body) -> void {
    for (const ir::Instr& i : body) {
      if (auto* l = std::get_if<ir::LoadInstr>(&i.node)) ++all[l->buffer];
      if (auto* s = std::get_if<ir::StoreInstr>(&i.node)) ++all[s->buffer];
      if (auto* loop = std::get_if<ir::Loop>(&i.node)) self(self, loop->body);
    }
  };
  count(count, k_.body);
  std::map<std::string, std::set<const ir::Loop*>> loaded;
  std::map<std::string, Dtype> types;
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
    if (!k_.locals[i].size.is(length) || own[buffer] != all[buffer] || used + elements > kMost) continue;
    in_registers_.insert(buffer);
    used += elements;
  }
  for (const auto& [key, where] : loaded) {
    if (where.size() < 2 || used + elements > kMost) continue;
    kept_[key] = {"keep" + std::to_string(kept_.size()), types[key]};
    used += elements;
  }
  if (used) turned_.insert(loops.begin(), loops.end());
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
  if (int64_t{turns_} * step != loop.extent.value()) open("if (" + name + " < " + dim(loop.extent, wide) + ") {");
}

void KernelEmitter::close_turns(const ir::Loop& loop) {
  if (turned_.count(&loop) && int64_t{turns_} * group_ * turn_vector_ != loop.extent.value()) close();
  close();
}

void KernelEmitter::sync() {
  line("memoryBarrierBuffer(); barrier();");
  read_.clear();
  written_.clear();
}

// A barrier where `body` reads what other invocations may have written, or writes what they may still be reading.
void KernelEmitter::touch(const ir::Body& body, bool inside_loop) {
  std::set<uint32_t> loads, stores;
  collect(body, loads, stores);
  if (meet(loads, written_) || meet(stores, read_) || meet(stores, written_)) sync();
  if (inside_loop && (meet(stores, loads) || meet(stores, stores))) sync();
  read_.insert(loads.begin(), loads.end());
  written_.insert(stores.begin(), stores.end());
}

std::string KernelEmitter::identity(const ir::Accumulator& acc) const {
  return literal(acc.type, ir::combine_identity(acc.combine, acc.type));
}

std::string KernelEmitter::combine(const ir::Accumulator& acc, const std::string& a, const std::string& b) {
  return scalar_expression(prelude_, features_, ir::combine_op(acc.combine), acc.type, acc.type, {a, b});
}

// `value` (at `position`) takes in `b` (at `b_position`).
void KernelEmitter::accumulate(const ir::Accumulator& acc, const std::string& value, const std::string& position,
                               const std::string& b, const std::string& b_position) {
  if (!is_arg(acc)) return line(value + " = " + combine(acc, value, b) + ";");
  const bool max = acc.combine == ir::Combine::ArgMax;
  std::string more, equal = value + " == " + b;
  if (is_float(acc.type)) {
    std::string is_nan = prelude_.use(acc.type == float32 ? "is_nan_f32" : "is_nan_f64");
    std::string a_nan = is_nan + "(" + value + ")", b_nan = is_nan + "(" + b + ")";
    more = "(" + b_nan + " ? !" + a_nan + " : !" + a_nan + " && " + b + (max ? " > " : " < ") + value + ")";
    equal = "(" + equal + " || " + a_nan + " && " + b_nan + ")";
  } else if (acc.type == bool_) {
    more = max ? "(" + b + " && !" + value + ")" : "(!" + b + " && " + value + ")";
  } else {
    more = b + (max ? " > " : " < ") + value;
  }
  line("if (" + more + " || " + equal + " && " + b_position + " < " + position + ") { " + value + " = " + b + "; " +
       position + " = " + b_position + "; }");
}

void KernelEmitter::emit_loop(const ir::Loop& loop, Context context, const ir::Instr& instr) {
  if (comments_) {
    std::string head = ir::instr_text(k_, instr);
    line("// " + head.substr(0, head.find('\n')));
  }
  if (context == Context::Group) {
    if (loop.lanes > 0) return emit_lanes(loop);
    if (!passes::contains_lanes(loop.body) && loop.accumulators.empty()) {
      touch(loop.body, false);
      if (passes::is_independent(k_, loop)) return emit_spread(loop);
      open("if (lane == 0) {");
      emit_serial(loop, Context::Invocation);
      return close();
    }
  }
  emit_serial(loop, context);
}

void KernelEmitter::emit_serial(const ir::Loop& loop, Context context) {
  for (const ir::Accumulator& a : loop.accumulators) {
    regs_[a.result] = name_of(a.result);
    if (is_arg(a)) {
      line(std::string(register_type(a.type)) + " " + regs_[a.result] + "v = " + identity(a) + ";");
      line("int64_t " + regs_[a.result] + " = 9223372036854775807L;");
    } else {
      line((is_float(a.type) ? "precise " : "") + std::string(register_type(a.type)) + " " + regs_[a.result] + " = " +
           identity(a) + ";");
    }
  }
  const std::string name = enter(loop), type = index_type(names_.at(loop.var).wide),
                    extent = dim(loop.extent, names_.at(loop.var).wide);
  auto take = [&] {
    for (const ir::Accumulator& a : loop.accumulators) {
      std::string result = regs_[a.result];
      accumulate(a, is_arg(a) ? result + "v" : result, result, regs_[a.value], is_arg(a) ? regs_[a.position] : "");
    }
  };
  std::string from = "0";
  std::set<uint32_t> loads, stores;
  collect(loop.body, loads, stores);
  // One invocation by itself has nothing else to hide latency behind.
  const int kTogether = group_ == 1 ? 64 : 16;
  constexpr size_t kShort = 24;
  if (context == Context::Invocation && !loop.accumulators.empty() && stores.empty() &&
      !passes::contains_loop(loop.body) && loop.body.size() <= kShort &&
      facts_.range(loop.extent).high >= 2 * kTogether) {
    // Values are taken in order, but several loads are under way at once: those that the loop's variable alone leads to
    // come first.
    const std::string at = name + "_from", together = std::to_string(kTogether);
    std::map<const ir::Instr*, std::string> early;
    std::set<std::string> bound;
    for (const ir::Instr& i : loop.body) {
      if (auto* b = std::get_if<ir::BindInstr>(&i.node)) bound.insert(b->name);
      auto* l = std::get_if<ir::LoadInstr>(&i.node);
      if (!l || l->mask != ir::kNoReg ||
          std::any_of(bound.begin(), bound.end(), [&](const std::string& b) { return l->index.uses(b); }))
        continue;
      early[&i] = name_of(l->result) + "v";
    }
    line(type + " " + at + " = 0;");
    open("for (; " + at + " + " + together + " <= " + extent + "; " + at + " += " + together + ") {");
    auto open_each = [&] {
      open("[[unroll]] for (int k = 0; k < " + together + "; ++k) {");
      line("const " + type + " " + name + " = " + at + " + k;");
    };
    for (const ir::Instr& i : loop.body)
      if (auto found = early.find(&i); found != early.end())
        line(std::string(register_type(k_.reg_types[std::get<ir::LoadInstr>(i.node).result])) + " " + found->second +
             "[" + together + "];" + comment(i));
    if (!early.empty()) {
      open_each();
      for (const ir::Instr& i : loop.body)
        if (auto found = early.find(&i); found != early.end()) {
          auto& l = std::get<ir::LoadInstr>(i.node);
          line(found->second + "[k] = " + load_text(l.buffer, l.index) + ";");
        }
      close();
    }
    open_each();
    for (const ir::Instr& i : loop.body) {
      if (auto found = early.find(&i); found != early.end())
        regs_[std::get<ir::LoadInstr>(i.node).result] = found->second + "[k]";
      else
        emit(i, context);
    }
    take();
    close();
    close();
    from = at;
  }
  open("for (" + type + " " + name + " = " + from + "; " + name + " < " + extent + "; ++" + name + ") {");
  if (context == Context::Group) touch(loop.body, true);
  emit_body(loop.body, context);
  take();
  close();
}

void KernelEmitter::emit_spread(const ir::Loop& loop) {
  const int vector = passes::contains_loop(loop.body) ? 1 : std::max(1, loop.vector);
  const std::string name = enter(loop);
  open_turns(loop, name, vector, group_ * vector);
  if (vector > 1)
    emit_vector(loop, vector, name, {});
  else
    emit_body(loop.body, Context::Invocation);
  close_turns(loop);
}

// The iterations first .. first + vector - 1 of an invocation. `last` writes what stands at the end of each.
// With `ahead`, those of so many turns of a workgroup from `first` + "_from" on, all loads before what is done with
// them.
void KernelEmitter::emit_vector(const ir::Loop& loop, int vector, const std::string& first,
                                const std::function<void()>& last, int ahead) {
  Name& name = names_.at(loop.var);
  const bool wide = name.wide;
  std::vector<Wide> loads, stores;
  std::set<uint32_t> loaded, stored;
  collect(loop.body, loaded, stored);
  const std::string base = "turn * " + std::to_string(vector) + " + ";
  std::map<const ir::Instr*, Kept*> keeps, kept;  // loads that fill what is kept, and that find it there
  for (const ir::Instr& i : loop.body) {
    if (auto* l = std::get_if<ir::LoadInstr>(&i.node)) {
      Kept* keep = nullptr;
      if (turned_.count(&loop) && l->mask == ir::kNoReg)
        if (auto found = kept_.find(load_key(*l, loop.var)); found != kept_.end()) keep = &found->second;
      if (keep && keep->filled) {
        kept[&i] = keep;
        continue;
      }
      const bool wide_load =
          l->mask == ir::kNoReg && !stored.count(l->buffer) && is_wide(l->buffer, l->index, loop, vector);
      if (wide_load)
        loads.push_back(
            {&i, l->buffer, &l->index, keep ? keep->array : name_of(l->result) + "v", keep || ahead ? base : ""});
      else if (keep)
        keeps[&i] = keep;
      if (keep) keep->filled = true;
    }
    if (auto* s = std::get_if<ir::StoreInstr>(&i.node)) {
      // Two stores to one place keep their order when both stay where they are.
      auto same = [&](const ir::Instr& other) {
        auto* o = std::get_if<ir::StoreInstr>(&other.node);
        return o && o->buffer == s->buffer;
      };
      const bool alone = std::count_if(loop.body.begin(), loop.body.end(), same) == 1;
      if (s->mask == ir::kNoReg && alone && !loaded.count(s->buffer) && is_wide(s->buffer, s->index, loop, vector))
        stores.push_back({&i, s->buffer, &s->index, "s" + std::to_string(stores.size())});
    }
  }
  // What says that all of the iterations exist, and that one does.
  std::vector<std::string> multiples;
  const std::string extent = dim(loop.extent, wide);
  std::string full = "aligned", some = first + " + k < " + extent;
  if (passes::is_multiple(loop.extent, vector, k_, multiples)) {
    bool known = true;
    for (const std::string& m : multiples) {
      auto at = static_cast<uint32_t>(std::find(k_.symbols.begin(), k_.symbols.end(), m) - k_.symbols.begin());
      auto& asked = shader_.kernel.multiple_symbols;
      known = known && std::find(asked.begin(), asked.end(), at) != asked.end();
    }
    if (multiples.empty())
      some.clear();
    else if (known)
      some = "aligned || " + some;
    else
      full += " && " + first + " + " + std::to_string(vector) + " <= " + extent;
  } else {
    full += " && " + first + " + " + std::to_string(vector) + " <= " + extent;
  }
  auto open_ahead = [&] {
    if (!ahead) return;
    open("[[unroll]] for (int turn = 0; turn < " + std::to_string(ahead) + "; ++turn) {");
    line("const " + index_type(wide) + " " + first + " = " + first + "_from + turn * " +
         std::to_string(group_ * vector) + ";");
  };
  if (ahead)
    for (const Wide& w : loads)
      line(std::string(register_type(k_.buffer(w.buffer).dtype)) + " " + w.array + "[" +
           std::to_string(ahead * vector) + "];");
  open_ahead();
  for (const Wide& w : loads) load_wide(w, loop, vector, first, full, some);
  if (ahead) {
    close();
    open_ahead();
  }
  for (const Wide& w : stores)
    line(std::string(register_type(k_.buffer(w.buffer).dtype)) + " " + w.array + "[" + std::to_string(vector) + "];");
  open("[[unroll]] for (int k = 0; k < " + std::to_string(vector) + "; ++k) {");
  if (!some.empty()) open("if (" + some + ") {");
  name.text = "(" + first + " + k)";
  size_t next_load = 0, next_store = 0;
  for (const ir::Instr& i : loop.body) {
    if (next_load < loads.size() && loads[next_load].instr == &i) {
      regs_[std::get<ir::LoadInstr>(i.node).result] = loads[next_load++].at_k();
    } else if (auto found = kept.find(&i); found != kept.end()) {
      regs_[std::get<ir::LoadInstr>(i.node).result] = found->second->array + "[" + base + "k]";
    } else if (next_store < stores.size() && stores[next_store].instr == &i) {
      line(stores[next_store++].array + "[k] = " + regs_[std::get<ir::StoreInstr>(i.node).value] + ";");
    } else {
      emit(i, Context::Invocation);
      if (auto fills = keeps.find(&i); fills != keeps.end())
        line(fills->second->array + "[" + base + "k] = " + regs_[std::get<ir::LoadInstr>(i.node).result] + ";");
    }
  }
  if (last) last();
  if (!some.empty()) close();
  close();
  for (const Wide& w : stores) store_wide(w, loop, vector, first, full, some);
  name.text = first;
  if (ahead) close();
}

// Lanes: invocation t has the states t * vector .. t * vector + vector - 1.
void KernelEmitter::emit_lanes(const ir::Loop& loop) {
  touch(loop.body, false);
  const int vector = std::max(1, loop.lanes / group_);
  const std::string length = std::to_string(vector);
  for (const ir::Accumulator& a : loop.accumulators) {
    std::string s = name_of(a.result) + "a";
    line((is_float(a.type) ? "precise " : "") + std::string(register_type(a.type)) + " " + s + "[" + length + "];");
    if (is_arg(a)) line("int64_t " + s + "p[" + length + "];");
    line("[[unroll]] for (int k = 0; k < " + length + "; ++k) " +
         (is_arg(a) ? "{ " + s + "p[k] = 9223372036854775807L; " : "") + s + "[k] = " + identity(a) + ";" +
         (is_arg(a) ? " }" : ""));
  }
  const std::string name = enter(loop);
  auto take = [&] {
    for (const ir::Accumulator& a : loop.accumulators) {
      std::string s = name_of(a.result) + "a", k = vector > 1 ? "[k]" : "[0]";
      accumulate(a, s + k, s + "p" + k, regs_[a.value], is_arg(a) ? regs_[a.position] : "");
    }
  };
  std::set<uint32_t> loads, stores;
  collect(loop.body, loads, stores);
  constexpr int kAhead = 4;
  constexpr size_t kShort = 24;
  std::string from;
  if (vector > 1 && !turned_.count(&loop) && stores.empty() && !passes::contains_loop(loop.body) &&
      loop.body.size() <= kShort && facts_.range(loop.extent).high >= 2 * kAhead * loop.lanes) {
    // Several loads are under way at once.
    const bool wide = names_.at(loop.var).wide;
    from = name + "_from";
    line(index_type(wide) + " " + from + " = lane * " + std::to_string(vector) + ";");
    open("for (; " + from + " + " + std::to_string((kAhead - 1) * loop.lanes) + " < " + dim(loop.extent, wide) + "; " +
         from + " += " + std::to_string(kAhead * loop.lanes) + ") {");
    emit_vector(loop, vector, name, take, kAhead);
    close();
  }
  open_turns(loop, name, vector, loop.lanes, from);
  if (vector > 1) {
    emit_vector(loop, vector, name, take);
  } else {
    emit_body(loop.body, Context::Invocation);
    take();
  }
  close_turns(loop);
  emit_fold(loop, vector);
}

// Folds the states by halves: first across invocations, through shared memory, then each invocation's own.
void KernelEmitter::emit_fold(const ir::Loop& loop, int vector) {
  struct Part {
    const ir::Accumulator* acc;
    std::string own, shared, shared_position;
  };
  std::map<std::string, int> used;
  std::vector<Part> parts;
  bool words = true;
  for (const ir::Accumulator& a : loop.accumulators) {
    std::string type(register_type(a.type));
    Part p{&a, name_of(a.result) + "a", "fold_" + type + std::to_string(used[type]++), ""};
    if (is_arg(a)) p.shared_position = "fold_int64_t" + std::to_string(used["int64_t"]++);
    words = words && !is_arg(a) && a.type != bool_ && a.type.size <= 4;
    parts.push_back(p);
  }
  const std::string group = std::to_string(group_), length = std::to_string(vector);
  const std::string each = "[[unroll]] for (int k = 0; k < " + length + "; ++k) ";
  // The first subgroup ends the fold by passing values, without barriers.
  const int subgroup = static_cast<int>(features_.subgroup_size);
  const bool shuffle = words && features_.shuffle && subgroup >= 4 && subgroup <= 64 &&
                       (subgroup & (subgroup - 1)) == 0 && group_ >= subgroup;
  auto put = [&] {
    for (const Part& p : parts) {
      std::string at = "[k * " + group + " + lane]";
      line(each + "{ " + p.shared + at + " = " + p.own + "[k];" +
           (is_arg(*p.acc) ? " " + p.shared_position + at + " = " + p.own + "p[k];" : "") + " }");
    }
  };
  // States k and k + h of one invocation, for h from half of `count` down.
  auto fold_own = [&](const std::string& own, const std::string& positions, const ir::Accumulator& a, int count) {
    for (int h = count / 2; h > 0; h /= 2)
      for (int k = 0; k < h; ++k) {
        std::string x = "[" + std::to_string(k) + "]", y = "[" + std::to_string(k + h) + "]";
        accumulate(a, own + x, positions + x, own + y, positions + y);
      }
  };
  if (shuffle) {
    shuffles_ = true;
    const int across = group_ / subgroup;
    put();
    line("barrier();");
    open("if (lane < " + std::to_string(subgroup) + ") {");
    for (const Part& p : parts) {
      std::string type(register_type(p.acc->type)), exact = is_float(p.acc->type) ? "precise " : "";
      if (across > 1) {
        open(each + "{");
        line(exact + type + " t[" + std::to_string(across) + "];");
        for (int j = 0; j < across; ++j)
          line("t[" + std::to_string(j) + "] = " + p.shared + "[k * " + group + " + lane + " +
               std::to_string(subgroup * j) + "];");
        fold_own("t", "", *p.acc, across);
        line(p.own + "[k] = t[0];");
        close();
      }
      open("for (uint h = " + std::to_string(subgroup / 2) + "u; h > 0u; h >>= 1) {");
      line(each + "{ " + exact + type + " other = subgroupShuffleDown(" + p.own + "[k], h); " + p.own +
           "[k] = " + combine(*p.acc, p.own + "[k]", "other") + "; }");
      close();
      fold_own(p.own, "", *p.acc, vector);
      line("if (lane == 0) " + p.shared + "[0] = " + p.own + "[0];");
    }
    close();
    line("barrier();");
    for (const Part& p : parts) {
      regs_[p.acc->result] = name_of(p.acc->result);
      line("const " + std::string(register_type(p.acc->type)) + " " + regs_[p.acc->result] + " = " + p.shared + "[0];");
    }
    line("barrier();");
    return;
  }
  if (group_ > 1) {
    put();
    line("barrier();");
    open("for (int h = " + std::to_string(group_ / 2) + "; h > 0; h >>= 1) {");
    open("if (lane < h) {");
    open(each + "{");
    for (const Part& p : parts) {
      std::string at = "[k * " + group + " + lane]", other = "[k * " + group + " + lane + h]";
      accumulate(*p.acc, p.own + "[k]", p.own + "p[k]", p.shared + other, p.shared_position + other);
      line(p.shared + at + " = " + p.own + "[k];" +
           (is_arg(*p.acc) ? " " + p.shared_position + at + " = " + p.own + "p[k];" : ""));
    }
    close();
    close();
    line("barrier();");
    close();
    for (const Part& p : parts)
      line(each + "{ " + p.own + "[k] = " + p.shared + "[k * " + group + "];" +
           (is_arg(*p.acc) ? " " + p.own + "p[k] = " + p.shared_position + "[k * " + group + "];" : "") + " }");
  }
  for (const Part& p : parts) {
    fold_own(p.own, p.own + "p", *p.acc, vector);
    regs_[p.acc->result] = is_arg(*p.acc) ? p.own + "p[0]" : p.own + "[0]";
  }
  if (group_ > 1) line("barrier();");
}

}  // namespace frit::codegen::glsl
