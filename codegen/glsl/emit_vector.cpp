// Loops in vectors: an invocation takes several neighbouring iterations at once, and moves their elements together
// where they lie side by side in memory.
#include <algorithm>

#include "codegen/glsl/emitter.h"
#include "ir/base/dim.h"
#include "passes/lower/loop_nest.h"

namespace frit::codegen::glsl {

namespace {

size_t stores_to(const ir::Body& body, uint32_t buffer) {
  return static_cast<size_t>(std::count_if(body.begin(), body.end(), [&](const ir::Instr& i) {
    auto* s = std::get_if<ir::StoreInstr>(&i.node);
    return s && s->buffer == buffer;
  }));
}

}  // namespace

// Chooses the accesses that move all elements of a vector at once, and the loads that stay in registers.
KernelEmitter::VectorLoop KernelEmitter::plan_vector(const ir::Loop& loop, int vector, const std::string& first,
                                                     bool ahead) {
  VectorLoop v{loop, vector, first};
  v.base = "turn * " + std::to_string(vector) + " + ";
  std::set<uint32_t> loaded, stored;
  collect(loop.body, loaded, stored);
  // An access at a position that the body binds stays behind the binding.
  std::set<std::string> bound;
  auto settled = [&](const Dim& index) {
    return std::none_of(bound.begin(), bound.end(), [&](const std::string& name) { return index.uses(name); });
  };
  for (const ir::Instr& i : loop.body) {
    if (auto* b = std::get_if<ir::BindInstr>(&i.node)) bound.insert(b->name);
    if (auto* l = std::get_if<ir::LoadInstr>(&i.node)) {
      if (l->buffer >= k_.buffers.size() && is_computed_again(l->buffer)) {
        plan_again(v, *l, ahead);
        continue;
      }
      Kept* keep = nullptr;
      if (is_turned(loop) && l->mask == ir::kNoReg)
        if (auto found = kept_.find(load_key(*l, loop.var)); found != kept_.end()) keep = &found->second;
      if (keep && keep->filled) {
        v.kept[&i] = keep;
        continue;
      }
      const bool single = ahead && vector == 1 && l->buffer < k_.buffers.size() && l->index.uses(loop.var);
      int piece = single ? 1 : 0;
      if (l->mask == ir::kNoReg && !stored.count(l->buffer) && settled(l->index))
        for (int p = vector; p > 1 && !piece; p /= 2)
          if (is_wide(l->buffer, l->index, loop, p)) piece = p;
      if (piece && l->mask == ir::kNoReg && !stored.count(l->buffer) && settled(l->index))
        v.loads.push_back({&i, l->buffer, &l->index, keep ? keep->array : name_of(l->result) + "v",
                           keep || ahead ? v.base : "", piece, keep != nullptr});
      else if (keep)
        v.fills[&i] = keep;
      if (keep) keep->filled = true;
    }
    if (auto* s = std::get_if<ir::StoreInstr>(&i.node)) {
      // Two stores to one place keep their order when both stay where they are.
      const bool alone = stores_to(loop.body, s->buffer) == 1;
      if (s->mask == ir::kNoReg && alone && !loaded.count(s->buffer) && settled(s->index) &&
          is_wide(s->buffer, s->index, loop, vector))
        v.stores.push_back({&i, s->buffer, &s->index, "s" + std::to_string(v.stores.size())});
    }
  }
  set_conditions(v);
  return v;
}

// Whether an index is the same for all iterations of a vector, which begins at a multiple of its length.
bool KernelEmitter::is_one(const Dim& index, const VectorLoop& v) const {
  if (!index.uses(v.loop.var)) return true;
  const DimPoly* poly = index.poly();
  if (!poly) return false;
  const auto same = [&](const std::shared_ptr<const Atom>& atom) {
    if (atom->kind == AtomKind::Symbol) return atom->name != v.loop.var;
    std::vector<std::string> multiples;
    if (atom->kind == AtomKind::FloorDiv && atom->args[0] == Dim::symbol(v.loop.var) &&
        passes::is_multiple(atom->args[1], v.vector, k_, multiples) && multiples.empty())
      return true;
    return std::all_of(atom->args.begin(), atom->args.end(), [&](const Dim& d) { return is_one(d, v); });
  };
  return std::all_of(poly->terms.begin(), poly->terms.end(),
                     [&](const DimTerm& t) { return std::all_of(t.atoms.begin(), t.atoms.end(), same); });
}

// Chooses loads that all iterations of a vector share, as of one number for each row, and declares their values for so
// many turns. The loads themselves come with those that move several elements.
void KernelEmitter::plan_once(VectorLoop& v, int turns) {
  if (v.vector == 1) return;
  std::set<uint32_t> loaded, stored;
  collect(v.loop.body, loaded, stored);
  std::set<std::string> bound;
  for (const ir::Instr& i : v.loop.body) {
    if (auto* b = std::get_if<ir::BindInstr>(&i.node)) bound.insert(b->name);
    auto* l = std::get_if<ir::LoadInstr>(&i.node);
    if (!l || l->mask != ir::kNoReg || l->buffer >= k_.buffers.size() || stored.count(l->buffer) ||
        elsewhere_.count(&i) || ahead_.count(l) || (raw_ && l->buffer == *raw_) || v.kept.count(&i) ||
        v.fills.count(&i) || !is_one(l->index, v) ||
        std::any_of(bound.begin(), bound.end(), [&](const std::string& name) { return l->index.uses(name); }))
      continue;
    v.once.push_back({&i, l->buffer, &l->index, name_of(l->result) + "o", turns > 1 ? "turn" : "0"});
    line(std::string(register_type(k_.buffer(l->buffer).dtype)) + " " + v.once.back().array + "[" +
         std::to_string(turns) + "];" + comment(i));
  }
}

// The conditions under which all iterations of a vector exist, and iteration k does.
void KernelEmitter::set_conditions(VectorLoop& v) {
  std::vector<std::string> multiples;
  const std::string extent = dim(v.loop.extent, names_.at(v.loop.var).wide);
  const std::string fits = " && " + v.first + " + " + std::to_string(v.vector) + " <= " + extent;
  v.full = "aligned";
  v.some = v.first + " + k < " + extent;
  v.place = "min(" + v.first + " + k, " + extent + " - 1)";
  if (!passes::is_multiple(v.loop.extent, v.vector, k_, multiples)) {
    v.full += fits;
    return;
  }
  // Whether `aligned` says so already.
  const std::vector<uint32_t>& asked = shader_.kernel.multiple_symbols;
  const bool known = std::all_of(multiples.begin(), multiples.end(), [&](const std::string& m) {
    const auto at = static_cast<uint32_t>(std::find(k_.symbols.begin(), k_.symbols.end(), m) - k_.symbols.begin());
    return std::find(asked.begin(), asked.end(), at) != asked.end();
  });
  if (multiples.empty())
    v.some.clear();
  else if (known)
    v.some = "aligned || " + v.some;
  else
    v.full += fits;
}

// The iterations first .. first + vector - 1 of an invocation. `last` writes the end of each.
void KernelEmitter::emit_vector(const ir::Loop& loop, int vector, const std::string& first,
                                const std::function<void()>& last) {
  VectorLoop v = plan_vector(loop, vector, first, false);
  plan_once(v, 1);
  for (const auto* loads : {&v.loads, &v.again})
    for (const Wide& w : *loads) declare_wide(w, vector);
  load_together(v);
  emit_iterations(v, last);
}

// All wide loads of a vector. They stand in one branch, and where only some iterations exist, the others load what the
// last one does: drivers wait for a load behind a condition of its own before they begin the next one.
void KernelEmitter::load_together(const VectorLoop& v) {
  std::string& place = names_[v.loop.var].text;
  if (!v.once.empty()) {
    const StandIn exists(
        place,
        v.some.empty() ? v.first : "min(" + v.first + ", " + dim(v.loop.extent, names_.at(v.loop.var).wide) + " - 1)");
    for (const Wide& w : v.once) line(w.array + "[" + w.base + "] = " + load_text(w.buffer, *w.index) + ";");
  }
  if (v.loads.empty() && v.again.empty()) return;
  const auto each = [&](const std::function<void(const Wide&)>& load) {
    for (const auto* loads : {&v.loads, &v.again})
      for (const Wide& w : *loads) load(w);
  };
  place = v.first;
  if (v.vector == 1) return each([&](const Wide& w) { line(w.at(0) + " = " + load_text(w.buffer, *w.index) + ";"); });
  if (!v.full.empty()) open("if (" + v.full + ") {");
  each([&](const Wide& w) {
    open("{");
    load_pieces(w, v.loop, v.vector, v.first);
    close();
  });
  if (v.full.empty()) return;
  close("} else {");
  ++indent_;
  open("[[unroll]] for (int k = 0; k < " + std::to_string(v.vector) + "; ++k) {");
  place = v.some.empty() ? "(" + v.first + " + k)" : v.place;
  each([&](const Wide& w) { line(w.at_k() + " = " + load_text(w.buffer, *w.index) + ";"); });
  place = v.first;
  close();
  close();
}

// Whether iterations that do not exist may compute what the last one does, without a branch: only wide stores have an
// effect, and they come behind all loads.
bool KernelEmitter::may_repeat(const VectorLoop& v) const {
  size_t stores = 0;
  for (const ir::Instr& i : v.loop.body) {
    if (std::holds_alternative<ir::Loop>(i.node)) return false;
    stores += std::holds_alternative<ir::StoreInstr>(i.node);
  }
  return stores == v.stores.size() && v.fills.empty() && v.kept.empty() && v.again.empty();
}

// The same for `turns` turns of the workgroup from `first` + "_from" on, with all loads of these turns before the work
// on any of them; `whole`: all of their iterations exist, and accesses are aligned.
void KernelEmitter::emit_vector_ahead(const ir::Loop& loop, int vector, const std::string& first,
                                      const std::function<void()>& last, int turns, bool whole) {
  VectorLoop v = plan_vector(loop, vector, first, true);
  if (whole) v.full.clear(), v.some.clear();
  plan_once(v, turns);
  auto open_turn = [&] {
    open("[[unroll]] for (int turn = 0; turn < " + std::to_string(turns) + "; ++turn) {");
    line("const " + index_type(names_.at(loop.var).wide) + " " + first + " = " + first + "_from + turn * " +
         std::to_string(group_ * vector) + ";");
  };
  for (const auto* loads : {&v.loads, &v.again})
    for (const Wide& w : *loads)
      line(std::string(register_type(k_.buffer(w.buffer).dtype)) + " " + w.array + "[" +
           std::to_string(turns * vector) + "];");
  open_turn();
  for (const auto* loads : {&v.loads, &v.again})
    for (const Wide& w : *loads)
      if (comments_) line("//" + comment(*w.instr).substr(4));
  load_together(v);
  close();
  open_turn();
  emit_iterations(v, last);
  close();
}

// Rounds of `turns` turns, with the loads of a round before the work on any of them, as long as whole rounds are left.
// `first` + "_from", declared here, is then the first element of the invocation that is left.
void KernelEmitter::emit_ahead(const ir::Loop& loop, int vector, const std::string& first,
                               const std::function<void()>& last, int turns) {
  const bool wide = names_.at(loop.var).wide;
  const std::string from = first + "_from", extent = dim(loop.extent, wide);
  line(index_type(wide) + " " + from + " = lane" + (vector > 1 ? " * " + std::to_string(vector) : "") +
       (beyond_ ? " + " + std::to_string(turns_ * group_ * vector) : "") + ";");
  if (turns < 2) return;
  const auto rounds = [&](int reach, bool whole) {
    open("for (; " + from + " + " + std::to_string((turns - 1) * group_ * vector + reach) + " < " + extent + "; " +
         from + " += " + std::to_string(turns * group_ * vector) + ") {");
    emit_vector_ahead(loop, vector, first, last, turns, whole);
    close();
  };
  std::vector<std::string> multiples;
  if (vector == 1 || (passes::is_multiple(loop.extent, vector, k_, multiples) && multiples.empty()))
    return rounds(0, false);
  // Checks of each element keep drivers from having several loads under way.
  open("if (aligned) {");
  rounds(vector - 1, true);
  close("} else {");
  ++indent_;
  rounds(0, false);
  close();
}

// The work of each iteration, between the wide loads and the wide stores.
void KernelEmitter::emit_iterations(const VectorLoop& v, const std::function<void()>& last) {
  for (const Wide& w : v.stores)
    line(std::string(register_type(k_.buffer(w.buffer).dtype)) + " " + w.array + "[" + std::to_string(v.vector) + "];");
  open("[[unroll]] for (int k = 0; k < " + std::to_string(v.vector) + "; ++k) {");
  const bool repeats = !v.some.empty() && !last && may_repeat(v);
  if (!v.some.empty() && !repeats) open("if (" + v.some + ") {");
  {
    const StandIn iteration(names_.at(v.loop.var).text, repeats ? v.place : "(" + v.first + " + k)");
    size_t next_load = 0, next_store = 0;
    for (const Wide& w : v.again) ahead_[&std::get<ir::LoadInstr>(w.instr->node)] = w.at_k();
    for (const Wide& w : v.once) ahead_[&std::get<ir::LoadInstr>(w.instr->node)] = w.array + "[" + w.base + "]";
    for (const ir::Instr& i : v.loop.body) {
      if (next_load < v.loads.size() && v.loads[next_load].instr == &i) {
        regs_[std::get<ir::LoadInstr>(i.node).result] = v.loads[next_load++].at_k();
      } else if (auto found = v.kept.find(&i); found != v.kept.end()) {
        regs_[std::get<ir::LoadInstr>(i.node).result] = found->second->array + "[" + v.base + "k]";
      } else if (next_store < v.stores.size() && v.stores[next_store].instr == &i) {
        line(v.stores[next_store++].array + "[k] = " + regs_[std::get<ir::StoreInstr>(i.node).value] + ";");
      } else {
        emit(i, Context::Invocation);
        if (auto fills = v.fills.find(&i); fills != v.fills.end())
          line(fills->second->array + "[" + v.base + "k] = " + regs_[std::get<ir::LoadInstr>(i.node).result] + ";");
      }
    }
    if (last) last();
    for (const auto* done : {&v.again, &v.once})
      for (const Wide& w : *done) ahead_.erase(&std::get<ir::LoadInstr>(w.instr->node));
  }
  if (!v.some.empty() && !repeats) close();
  close();
  for (const Wide& w : v.stores) store_wide(w, v.loop, v.vector, v.first, v.full, v.some);
}

}  // namespace frit::codegen::glsl
