// Scans: loops with lanes that carry running values (ir/kernel/carry_step.h). A workgroup, or a part of a subgroup,
// takes as many places as there are lanes at once. An invocation has neighbouring places; the levels of the tree that
// join its own need no exchange, those inside a subgroup pass values, and the upper ones go through shared memory.
#include <algorithm>

#include "codegen/glsl/emitter.h"
#include "ir/kernel/carry_step.h"

namespace frit::codegen::glsl {

namespace {

// Whether an instruction other than `step` may read `reg`.
bool reads_besides(const ir::Body& body, ir::Reg reg, const ir::ScalarInstr* step) {
  return std::any_of(body.begin(), body.end(), [&](const ir::Instr& i) {
    if (auto* s = std::get_if<ir::ScalarInstr>(&i.node))
      return s != step && std::count(s->args.begin(), s->args.begin() + ir::arity(s->op), reg) > 0;
    if (auto* l = std::get_if<ir::LoadInstr>(&i.node)) return l->mask == reg;
    if (auto* s = std::get_if<ir::StoreInstr>(&i.node)) return s->value == reg || s->mask == reg;
    return true;
  });
}

// Whether `i` stores `value` at one place in all iterations of a loop, so that the last one stays.
bool keeps_last(const ir::Loop& loop, const ir::Instr& i, ir::Reg value) {
  auto* s = std::get_if<ir::StoreInstr>(&i.node);
  return s && s->value == value && s->mask == ir::kNoReg && !s->index.uses(loop.var) &&
         std::none_of(loop.body.begin(), loop.body.end(), [&](const ir::Instr& other) {
           auto* b = std::get_if<ir::BindInstr>(&other.node);
           return b && s->index.uses(b->name);
         });
}

}  // namespace

std::string KernelEmitter::step_of(const Running& r, const std::string& a, const std::string& b) {
  return scalar_expression(prelude_, features_, r.step->op, r.carry.type, r.carry.type, {a, b});
}

// Whether the invocations of a scan pass values of this type.
bool KernelEmitter::passes_values(const ir::Carry& c) const {
  const auto subgroup = static_cast<int>(features_.subgroup_size);
  return features_.shuffle && c.type.size() <= 4 && subgroup >= 2 && subgroup <= 64 && (subgroup & (subgroup - 1)) == 0;
}

// All places of an invocation take in `value`, which is in front of them, where `condition` holds.
void KernelEmitter::take_in_front(const Running& r, int vector, const std::string& condition,
                                  const std::string& value) {
  line((condition.empty() ? "" : "if (" + condition + ") ") + "[[unroll]] for (int k = 0; k < " +
       std::to_string(vector) + "; ++k) " + r.places + "[k] = " + step_of(r, value, r.places + "[k]") + ";");
}

// The levels that join the places of one invocation.
void KernelEmitter::scan_own(const Running& r, int vector) {
  for (int d = 1; d < vector; d *= 2)
    for (int j = 0; j < vector; ++j)
      if (j & d) {
        const std::string x = r.places + "[" + std::to_string(j) + "]";
        line(x + " = " + step_of(r, r.places + "[" + std::to_string(j / d * d - 1) + "]", x) + ";");
      }
}

// The levels that join invocations; `whole` becomes the value of the last place.
void KernelEmitter::scan_across(const Running& r, int vector, const std::string& whole) {
  const std::string own = r.places + "[" + std::to_string(vector - 1) + "]", shared = "fold_" + r.type + "0",
                    exact = is_float(r.carry.type) ? "precise " : "", value = exact + r.type + " o = ";
  const auto bit = [](const std::string& at, int b) { return "(" + at + " & " + std::to_string(b) + ") != 0"; };
  const auto before = [](const std::string& at, int b) {  // the last place in front of those with the bit
    return "max((" + at + " & ~" + std::to_string(b - 1) + ") - 1, 0)";
  };
  const bool pass = passes_values(r.carry);
  const int subgroup = static_cast<int>(features_.subgroup_size), inside = pass ? std::min(group_, subgroup) : 1,
            parts = group_ / inside;
  shuffles_ = shuffles_ || (pass && group_ > 1);
  for (int b = 1; b < inside; b *= 2) {
    open("{");
    line(value + "subgroupShuffle(" + own + ", uint(max(int(gl_SubgroupInvocationID) - (lane & " +
         std::to_string(b - 1) + ") - 1, 0)));");
    take_in_front(r, vector, bit("lane", b), "o");
    close();
  }
  if (parts == 1)
    return line(whole + " = " +
                (group_ == 1 ? own
                             : "subgroupShuffle(" + own + ", gl_SubgroupInvocationID - uint(lane) + " +
                                   std::to_string(group_ - 1) + "u)") +
                ";");
  if (pass && parts <= subgroup) {
    // Every subgroup joins the values of all subgroups for itself.
    const std::string part = "(lane / " + std::to_string(subgroup) + ")",
                      mine = "(lane & " + std::to_string(parts - 1) + ")";
    line("if (" + std::string("(lane & ") + std::to_string(subgroup - 1) + ") == " + std::to_string(subgroup - 1) +
         ") " + shared + "[" + part + "] = " + own + ";");
    line("barrier();");
    line(exact + r.type + " " + r.places + "y = " + shared + "[" + mine + "];");
    line("barrier();");
    const std::string y = r.places + "y";
    for (int b = 1; b < parts; b *= 2) {
      open("{");
      line(value + "subgroupShuffle(" + y + ", uint(" + before(part, b) + "));");
      line(exact + r.type + " z = subgroupShuffle(" + y + ", uint(" + before(mine, b) + "));");
      take_in_front(r, vector, bit(part, b), "o");
      line("if (" + bit(mine, b) + ") " + y + " = " + step_of(r, "z", y) + ";");
      close();
    }
    return line(whole + " = subgroupShuffle(" + y + ", " + std::to_string(parts - 1) + "u);");
  }
  const auto publish = [&] {
    line(shared + "[lane] = " + own + ";");
    line("barrier();");
  };
  for (int b = inside; b < group_; b *= 2) {
    open("{");
    publish();
    line(value + shared + "[" + before("lane", b) + "];");
    line("barrier();");
    take_in_front(r, vector, bit("lane", b), "o");
    close();
  }
  publish();
  line(whole + " = " + shared + "[" + std::to_string(group_ - 1) + "];");
  line("barrier();");
}

// The running value in front of an invocation's first place.
void KernelEmitter::find_before(const Running& r, int vector) {
  const std::string own = r.places + "[" + std::to_string(vector - 1) + "]", shared = "fold_" + r.type + "0",
                    exact = is_float(r.carry.type) ? "precise " : "";
  if (group_ == 1) return line(exact + r.type + " " + r.before + " = " + r.state + ";");
  if (passes_values(r.carry) && group_ <= static_cast<int>(features_.subgroup_size)) {
    line(exact + r.type + " " + r.before + " = subgroupShuffle(" + own +
         ", uint(max(int(gl_SubgroupInvocationID) - 1, 0)));");
  } else {
    line(shared + "[lane] = " + own + ";");
    line("barrier();");
    line(exact + r.type + " " + r.before + " = " + shared + "[max(lane - 1, 0)];");
    line("barrier();");
  }
  line("if (lane == 0) " + r.before + " = " + r.state + ";");
}

// The instructions in front of `end` (of the whole body where that is null) for each place, with the running values of
// `known`. Loads are made once: later walks find them in arrays. A walk that stops leaves out stores.
void KernelEmitter::walk_places(const VectorLoop& v, const std::vector<Running>& known, const ir::ScalarInstr* end,
                                std::map<const ir::Instr*, std::string>& loaded, const std::function<void()>& last) {
  const auto comes_first = [&](const ir::Instr& i) { return end && std::get_if<ir::ScalarInstr>(&i.node) == end; };
  std::map<const ir::Instr*, std::string> fills;
  if (end)
    for (const ir::Instr& i : v.loop.body) {
      if (comes_first(i)) break;
      auto* l = std::get_if<ir::LoadInstr>(&i.node);
      if (!l || loaded.count(&i)) continue;
      fills[&i] = name_of(l->result) + "w";
      line(std::string(register_type(k_.reg_types[l->result])) + " " + fills[&i] + "[" + std::to_string(v.vector) +
           "];");
    }
  open("[[unroll]] for (int k = 0; k < " + std::to_string(v.vector) + "; ++k) {");
  if (!v.some.empty()) open("if (" + v.some + ") {");
  const StandIn iteration(names_.at(v.loop.var).text, "(" + v.first + " + k)");
  for (const Running& r : known)
    if (!r.before.empty()) regs_[r.carry.value] = "(k == 0 ? " + r.before + " : " + r.places + "[max(k - 1, 0)])";
  size_t next_store = 0;
  for (const ir::Instr& i : v.loop.body) {
    if (comes_first(i)) break;
    auto* scalar = std::get_if<ir::ScalarInstr>(&i.node);
    const auto of = std::find_if(known.begin(), known.end(), [&](const Running& r) { return r.step == scalar; });
    if (scalar && of != known.end()) {
      regs_[scalar->result] = of->places + "[k]";
    } else if (auto found = loaded.find(&i); found != loaded.end()) {
      regs_[std::get<ir::LoadInstr>(i.node).result] = found->second + "[k]";
    } else if (auto* s = std::get_if<ir::StoreInstr>(&i.node); s && end) {
      continue;
    } else if (s && next_store < v.stores.size() && v.stores[next_store].instr == &i) {
      line(v.stores[next_store++].array + "[k] = " + regs_[s->value] + ";");
    } else {
      emit(i, Context::Invocation);
      if (auto fill = fills.find(&i); fill != fills.end())
        line(fill->second + "[k] = " + regs_[std::get<ir::LoadInstr>(i.node).result] + ";");
    }
  }
  loaded.insert(fills.begin(), fills.end());
  if (last) last();
  if (!v.some.empty()) close();
  close();
}

// Whether a workgroup moves the elements of an access through shared memory: those of a row that allows no wide access.
// An invocation's places lie side by side, so that accesses of one after the other would each meet lines of the whole
// workgroup.
bool KernelEmitter::is_staged(const ir::Loop& loop, uint32_t buffer, const Dim& index, ir::Reg mask) const {
  constexpr int64_t kPart = 2;  // of shared memory
  constexpr int kFewest = 8;    // places of an invocation; for fewer the exchange takes longer than the accesses
  if (rows_ > 1 || group_ < static_cast<int>(features_.subgroup_size) || loop.lanes < kFewest * group_ ||
      names_.at(loop.var).wide || mask != ir::kNoReg || buffer >= k_.buffers.size() ||
      k_.buffer(buffer).dtype.size() > 4)
    return false;
  const bool bound = std::any_of(loop.body.begin(), loop.body.end(), [&](const ir::Instr& i) {
    auto* b = std::get_if<ir::BindInstr>(&i.node);
    return b && index.uses(b->name);
  });
  return !bound && passes::stride_of(index, loop.var, 1, k_).kind == passes::Stride::Kind::Contiguous &&
         stage_elements(loop) * 4 * kPart <= static_cast<int64_t>(features_.shared_bytes);
}

// With a gap after 32, so that neighbouring places of all invocations lie in different banks.
int64_t KernelEmitter::stage_elements(const ir::Loop& loop) { return loop.lanes + loop.lanes / 32; }

// The element `place` of the workgroup's `loop.lanes` in shared memory, of `type`.
std::string KernelEmitter::staged_at(const ir::Loop& loop, const std::string& type, const std::string& place) {
  const std::string name = "stage_" + type + std::to_string(loop.lanes);
  if (identifiers_.insert(name).second)
    shader_.text += "shared " + type + " " + name + "[" + std::to_string(stage_elements(loop)) + "];\n";
  return name + "[" + place + " + (" + place + ") / 32]";
}

// Loads neighbouring elements by neighbouring invocations, and gives each invocation its places in an array. Places
// behind the end have the last element.
std::string KernelEmitter::load_staged(const ir::Instr& instr, const VectorLoop& v, const std::string& base) {
  const ir::Reg result = std::get<ir::LoadInstr>(instr.node).result;
  const std::string type(register_type(k_.reg_types[result])), vector = std::to_string(v.vector),
                                                               array = name_of(result) + "w",
                                                               apart = "k * " + std::to_string(group_) + " + lane";
  open("[[unroll]] for (int k = 0; k < " + vector + "; ++k) {");
  {
    const StandIn iteration(names_.at(v.loop.var).text,
                            "min(" + base + " + " + apart + ", " + dim(v.loop.extent, false) + " - 1)");
    emit(instr, Context::Invocation);
  }
  line(staged_at(v.loop, type, apart) + " = " + regs_[result] + ";");
  close();
  line("barrier();");
  line(type + " " + array + "[" + vector + "];");
  line("[[unroll]] for (int k = 0; k < " + vector + "; ++k) " + array +
       "[k] = " + staged_at(v.loop, type, "lane * " + vector + " + k") + ";");
  line("barrier();");
  return array;
}

// The same for a store of the places in `w.array`.
void KernelEmitter::store_staged(const Wide& w, const VectorLoop& v, const std::string& base) {
  const ir::Reg value = std::get<ir::StoreInstr>(w.instr->node).value;
  const std::string type(register_type(k_.buffer(w.buffer).dtype)), vector = std::to_string(v.vector),
                                                                    apart = "k * " + std::to_string(group_) + " + lane";
  line("[[unroll]] for (int k = 0; k < " + vector + "; ++k) " + staged_at(v.loop, type, "lane * " + vector + " + k") +
       " = " + w.array + "[k];");
  line("barrier();");
  open("[[unroll]] for (int k = 0; k < " + vector + "; ++k) {");
  open("if (" + base + " + " + apart + " < " + dim(v.loop.extent, false) + ") {");
  {
    const StandIn iteration(names_.at(v.loop.var).text, "(" + base + " + " + apart + ")");
    regs_[value] = staged_at(v.loop, type, apart);
    emit(*w.instr, Context::Invocation);
  }
  close();
  close();
  line("barrier();");
}

// Takes the loads and stores of a scan that go through shared memory: loads at once, stores behind `v.stores`, which
// stay in the order of the body. Gives the latter.
std::set<const ir::Instr*> KernelEmitter::stage_accesses(VectorLoop& v, const std::string& base,
                                                         std::map<const ir::Instr*, std::string>& loaded) {
  std::set<const ir::Instr*> staged;
  std::vector<Wide> stores;
  size_t next = 0;
  for (const ir::Instr& i : v.loop.body) {
    if (auto* l = std::get_if<ir::LoadInstr>(&i.node);
        l && !loaded.count(&i) && is_staged(v.loop, l->buffer, l->index, l->mask))
      loaded[&i] = load_staged(i, v, base);
    auto* s = std::get_if<ir::StoreInstr>(&i.node);
    if (s && next < v.stores.size() && v.stores[next].instr == &i) {
      stores.push_back(v.stores[next++]);
    } else if (s && is_staged(v.loop, s->buffer, s->index, s->mask)) {
      stores.push_back({&i, s->buffer, &s->index, "t" + std::to_string(staged.size())});
      staged.insert(&i);
    }
  }
  v.stores = std::move(stores);
  return staged;
}

// The levels that join the places of all invocations; `total`: only the running value behind the last one counts.
void KernelEmitter::join_places(const Running& r, int vector, bool total) {
  const std::string exact = is_float(r.carry.type) ? "precise " : "", all = r.places + "all";
  line(exact + r.type + " " + all + ";");
  if (vector == 1 || group_ == 1 || !(total || r.takes_any_order())) {
    scan_across(r, vector, all);
    take_in_front(r, vector, "", r.state);
    if (!r.before.empty()) find_before(r, vector);
    return;
  }
  // The last places alone are joined across invocations; the others take in the one in front of them once.
  const Running last{r.carry, r.step, r.type, r.state, r.places + "l", r.before.empty() ? r.places + "b" : r.before};
  line(exact + r.type + " " + last.places + "[1];");
  line(last.places + "[0] = " + r.places + "[" + std::to_string(vector - 1) + "];");
  scan_across(last, 1, all);
  if (total) return;
  take_in_front(last, 1, "", r.state);
  find_before(last, 1);
  take_in_front(r, vector, "", last.before);
}

// The carries of a scan, in the order of their steps.
std::vector<Running> KernelEmitter::running_of(const ir::Loop& loop) const {
  std::vector<Running> running;
  for (const ir::Instr& i : loop.body)
    for (const ir::Carry& c : loop.carries)
      if (const ir::ScalarInstr* step = ir::carry_step(loop, c); step == std::get_if<ir::ScalarInstr>(&i.node)) {
        const std::string name = name_of(c.value);
        running.push_back({c, step, std::string(register_type(c.type)), name, name + "x",
                           reads_besides(loop.body, c.value, step) ? name + "b" : ""});
      }
  return running;
}

// The stores of which the last one stays, and whose value that is.
std::map<const ir::Instr*, const Running*> KernelEmitter::last_stores(const ir::Loop& loop,
                                                                      const std::vector<Running>& running) const {
  std::map<const ir::Instr*, const Running*> last;
  for (const ir::Instr& i : loop.body)
    for (const Running& r : running)
      if (facts_.range(loop.extent).low > 0 && keeps_last(loop, i, r.step->result)) last[&i] = &r;
  return last;
}

void KernelEmitter::emit_scan(const ir::Loop& loop) {
  if (!loop.accumulators.empty()) return fail("it reduces and scans in one loop");
  if (loop.unroll > 1) return emit_scan_turns(loop);
  touch(loop.body, false);
  const int vector = std::max(1, loop.lanes / group_);
  const std::vector<Running> running = running_of(loop);
  const std::map<const ir::Instr*, const Running*> last = last_stores(loop, running);
  const bool total = running.size() == 1 && std::all_of(loop.body.begin(), loop.body.end(), [&](const ir::Instr& i) {
                       return !std::holds_alternative<ir::StoreInstr>(i.node) || last.count(&i);
                     });
  const auto declare = [&](const Running& r, const std::string& rest) {
    line((is_float(r.carry.type) ? "precise " : "") + r.type + " " + rest + ";");
  };
  for (const Running& r : running) declare(r, r.state + " = " + literal(r.carry.type, r.carry.initial));
  const std::string name = enter(loop), base = name + "_base", type = index_type(names_.at(loop.var).wide);
  open("for (" + type + " " + base + " = 0; " + base + " < " + dim(loop.extent, names_.at(loop.var).wide) + "; " +
       base + " += " + std::to_string(vector * group_) + ") {");
  line("const " + type + " " + name + " = " + base + " + lane" +
       (vector > 1 ? " * " + std::to_string(vector) : std::string()) + ";");
  VectorLoop v = plan_vector(loop, vector, name, false);
  // Invocations past the end take part in the exchange.
  const std::string end = dim(loop.extent, names_.at(loop.var).wide);
  v.some = name + " + k < " + end;
  v.full += " && " + name + " < " + end;
  std::map<const ir::Instr*, std::string> loaded;
  for (const Wide& w : v.loads) {
    load_wide(w, loop, vector, name, v.full, v.some);
    loaded[w.instr] = w.array;
  }
  const std::set<const ir::Instr*> staged = stage_accesses(v, base, loaded);
  std::vector<Running> known;
  for (const Running& r : running) {
    declare(r, r.places + "[" + std::to_string(vector) + "]");
    line("[[unroll]] for (int k = 0; k < " + std::to_string(vector) + "; ++k) " + r.places +
         "[k] = " + literal(r.carry.type, r.carry.initial) + ";");
    walk_places(v, known, r.step, loaded, [&] { line(r.places + "[k] = " + regs_[r.step->args[1]] + ";"); });
    scan_own(r, vector);
    join_places(r, vector, total);
    line(r.state + " = " + step_of(r, r.state, r.places + "all") + ";");
    known.push_back(r);
  }
  for (const Wide& w : v.stores)
    line(std::string(register_type(k_.buffer(w.buffer).dtype)) + " " + w.array + "[" + std::to_string(vector) + "];");
  for (const auto& [store, r] : last) elsewhere_.insert(store);
  if (!total) walk_places(v, known, nullptr, loaded, {});
  for (const Wide& w : v.stores)
    if (staged.count(w.instr))
      store_staged(w, v, base);
    else
      store_wide(w, loop, vector, name, v.full, v.some);
  close();
  for (const auto& [store, r] : last) {
    elsewhere_.erase(store);
    regs_[r->step->result] = r->state;
    emit(*store, Context::Group);
  }
}

}  // namespace frit::codegen::glsl
