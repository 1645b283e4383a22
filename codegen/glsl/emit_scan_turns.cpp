// Scans of many short rows: the invocations of a row take its places in several turns, so that few of them are idle,
// and few values pass between them for each place.
//
// The tree that joins the places of a group of lanes is the same as in emit_scan.cpp. Of its levels, those above a turn
// join whole turns: a turn whose number has a level's bit takes in the value of the last turn without it, and other
// turns leave theirs for that. Extremes and integers, whose bits no order changes, take in the turn before instead.
#include <algorithm>
#include <bit>

#include "codegen/glsl/emitter.h"

namespace frit::codegen::glsl {

// Turns that are written now: `count` from turn `first` on, or from turn part * count on in a loop over parts.
struct KernelEmitter::ScanTurns {
  const std::vector<Running>& running;
  std::set<const ir::Instr*> last;  // stores that are done behind the loop
  int vector = 1, first = 0, count = 0, levels = 0;
  bool parts = false;
  int64_t whole = 0;  // turns of which all places exist
};

void KernelEmitter::emit_scan_turns(const ir::Loop& loop) {
  constexpr int kTogether = 8, kWords = 16;  // turns whose loads are under way at once, and words of an invocation
  if (!loop.extent.is_const() || loop.extent.value() > loop.lanes) return fail("it scans rows in turns that are long");
  touch(loop.body, false);
  const int vector = std::max(1, loop.lanes / group_ / loop.unroll), places = group_ * vector;
  const int64_t length = loop.extent.value(), turns = (length + places - 1) / places;
  const std::vector<Running> running = running_of(loop);
  const std::map<const ir::Instr*, const Running*> last = last_stores(loop, running);
  ScanTurns t{.running = running, .last = {}, .vector = vector};
  for (const auto& [store, r] : last) t.last.insert(store), elsewhere_.insert(store);
  t.levels = std::bit_width(static_cast<uint64_t>(turns - 1));
  t.whole = length / places;
  for (const Running& r : running) {
    const std::string exact = is_float(r.carry.type) ? "precise " : "", first = literal(r.carry.type, r.carry.initial);
    line(exact + r.type + " " + r.state + " = " + first + ";");
    for (int level = 0; level < t.levels && !r.takes_any_order(); ++level)
      line(exact + r.type + " " + r.state + "l" + std::to_string(level) + " = " + first + ";");
  }
  const std::string name = enter(loop);
  const auto emit = [&] {
    line("const int " + name + "_from = " + (t.parts ? "part * " + std::to_string(t.count * places) + " + " : "") +
         (t.first ? std::to_string(t.first * places) + " + " : "") + "lane" +
         (vector > 1 ? " * " + std::to_string(vector) : "") + ";");
    const VectorLoop v = plan_scan_turns(loop, vector, name);
    load_scan_turns(v, t);
    for (int turn = 0; turn < t.count; ++turn) scan_turn(v, t, turn);
  };
  int bytes = 1;
  for (const ir::Instr& i : loop.body)
    if (auto* l = std::get_if<ir::LoadInstr>(&i.node)) bytes = std::max<int>(bytes, k_.buffer(l->buffer).dtype.size());
  t.count = kTogether;
  while (t.count > 2 && t.count * vector * bytes > 4 * kWords) t.count /= 2;
  if (const int64_t parts = t.whole / t.count; parts > 1) {
    t.parts = true;
    open("for (int part = 0; part < " + std::to_string(parts) + "; ++part) {");
    emit();
    close();
    t.parts = false;
    t.first = static_cast<int>(parts) * t.count;
  }
  for (const int most = t.count; t.first < turns; t.first += most) {
    t.count = static_cast<int>(std::min<int64_t>(most, turns - t.first));
    open("{");
    emit();
    close();
  }
  for (const auto& [store, r] : last) {
    elsewhere_.erase(store);
    regs_[r->step->result] = r->state;
    KernelEmitter::emit(*store, Context::Group);
  }
}

// Loads that no access of a whole vector takes are loads of single elements: pieces of one.
KernelEmitter::VectorLoop KernelEmitter::plan_scan_turns(const ir::Loop& loop, int vector, const std::string& name) {
  VectorLoop v = plan_vector(loop, vector, name, true);
  std::erase_if(v.loads, [&](const Wide& w) { return w.piece < vector; });
  std::set<uint32_t> loaded, stored;
  collect(loop.body, loaded, stored);
  std::set<std::string> bound;
  for (const ir::Instr& i : loop.body) {
    if (auto* b = std::get_if<ir::BindInstr>(&i.node)) bound.insert(b->name);
    auto* l = std::get_if<ir::LoadInstr>(&i.node);
    const auto is_bound = [&](const std::string& n) { return l->index.uses(n); };
    if (!l || l->mask != ir::kNoReg || l->buffer >= k_.buffers.size() || stored.count(l->buffer) ||
        !l->index.uses(loop.var) || std::any_of(bound.begin(), bound.end(), is_bound) ||
        std::any_of(v.loads.begin(), v.loads.end(), [&](const Wide& w) { return w.instr == &i; }))
      continue;
    v.loads.push_back({&i, l->buffer, &l->index, name_of(l->result) + "v", "", 1});
  }
  return v;
}

// The loads of all turns, before the work on any. Those behind the row's end load its last elements.
void KernelEmitter::load_scan_turns(const VectorLoop& v, const ScanTurns& t) {
  const std::string extent = dim(v.loop.extent, false), turns = std::to_string(t.count);
  const bool all = t.parts || t.first + t.count <= t.whole;
  const auto each = [&](const std::function<void(const Wide&, int)>& f, bool single) {
    for (const Wide& w : v.loads)
      for (int part = 0; (w.piece == 1) == single && part < v.vector / elements_of(w, v.vector); ++part) f(w, part);
  };
  const auto declare = [&](const Wide& w, int part) {
    const std::string type =
        w.piece == 1 ? std::string(register_type(k_.buffer(w.buffer).dtype)) : words_of(w, v.vector);
    line(type + " " + w.words(part) + "[" + turns + "];" + (part ? "" : comment(*w.instr)));
  };
  each(declare, true);
  each(declare, false);
  const auto load = [&](int beside, bool single) {
    open("[[unroll]] for (int turn = 0; turn < " + turns + "; ++turn) {");
    const std::string at = v.first + "_from + turn * " + std::to_string(group_ * v.vector);
    line("const int " + v.first + " = " +
         (all || single ? at : "min(" + at + ", " + extent + " - " + std::to_string(beside) + ")") + ";");
    each(
        [&](const Wide& w, int part) {
          if (!single) return line(w.words(part) + "[turn] = " + piece_text(w, v.loop, v.vector, v.first, part) + ";");
          const std::string place = v.first + (part ? " + " + std::to_string(part) : "");
          const StandIn iteration(names_.at(v.loop.var).text,
                                  all ? "(" + place + ")" : "min(" + place + ", " + extent + " - 1)");
          line(w.words(part) + "[turn] = " + load_text(w.buffer, *w.index) + ";");
        },
        single);
    close();
  };
  const auto is_single = [](const Wide& w) { return w.piece == 1; };
  if (std::any_of(v.loads.begin(), v.loads.end(), is_single)) load(1, true);
  if (std::all_of(v.loads.begin(), v.loads.end(), is_single)) return;
  open("if (aligned) {");
  load(v.vector, false);
  close();
}

// Takes the words of a turn apart. Gives the arrays of the loads.
std::map<const ir::Instr*, std::string> KernelEmitter::unpack_turn(VectorLoop& v) {
  std::map<const ir::Instr*, std::string> loaded;
  const std::string vector = std::to_string(v.vector), extent = dim(v.loop.extent, false);
  for (Wide& w : v.loads) {
    w.base.clear();
    loaded[w.instr] = w.array;
    line(std::string(register_type(k_.buffer(w.buffer).dtype)) + " " + w.array + "[" + vector + "];");
    if (w.piece == 1) {
      for (int k = 0; k < v.vector; ++k) line(w.at(k) + " = " + w.words(k) + "[turn];");
      continue;
    }
    open("if (aligned) {");
    for (int part = 0; part < v.vector / elements_of(w, v.vector); ++part)
      line(unpack_piece(w, v.vector, part, w.words(part) + "[turn]").substr(1));
    close("} else {");
    ++indent_;
    open("[[unroll]] for (int k = 0; k < " + vector + "; ++k) {");
    const StandIn iteration(names_.at(v.loop.var).text, "min(" + v.first + " + k, " + extent + " - 1)");
    line(w.at_k() + " = " + load_text(w.buffer, *w.index) + ";");
    close();
    close();
  }
  return loaded;
}

void KernelEmitter::scan_turn(VectorLoop v, const ScanTurns& t, int turn) {
  const std::string vector = std::to_string(v.vector), extent = dim(v.loop.extent, false);
  const bool whole = t.parts || t.first + turn < t.whole;
  open("{");
  line("const int turn = " + std::to_string(turn) + ", " + v.first + " = " + v.first + "_from + " +
       std::to_string(turn * group_ * v.vector) + ";");
  v.full = "aligned" + (whole ? "" : " && " + v.first + " < " + extent);
  v.some = whole ? "" : v.first + " + k < " + extent;
  std::map<const ir::Instr*, std::string> loaded = unpack_turn(v);
  std::vector<Running> known;
  for (const Running& r : t.running) {
    line((is_float(r.carry.type) ? "precise " : "") + r.type + " " + r.places + "[" + vector + "];");
    if (!whole)
      line("[[unroll]] for (int k = 0; k < " + vector + "; ++k) " + r.places +
           "[k] = " + literal(r.carry.type, r.carry.initial) + ";");
    walk_places(v, known, r.step, loaded, [&] { line(r.places + "[k] = " + regs_[r.step->args[1]] + ";"); });
    scan_own(r, v.vector);
    join_turn(r, t, turn);
    known.push_back(r);
  }
  for (const Wide& w : v.stores)
    line(std::string(register_type(k_.buffer(w.buffer).dtype)) + " " + w.array + "[" + vector + "];");
  const bool stores = std::any_of(v.loop.body.begin(), v.loop.body.end(), [&](const ir::Instr& i) {
    return std::holds_alternative<ir::StoreInstr>(i.node) && !t.last.count(&i);
  });
  if (stores) walk_places(v, known, nullptr, loaded, {});
  for (const Wide& w : v.stores) store_wide(w, v.loop, v.vector, v.first, v.full, v.some);
  close();
}

// The levels that join the places of all invocations and turns; the carry then is the running value behind the turn.
void KernelEmitter::join_turn(const Running& r, const ScanTurns& t, int turn) {
  const int vector = t.vector, fixed = std::countr_zero(static_cast<unsigned>(t.count));
  const std::string exact = is_float(r.carry.type) ? "precise " : "", all = r.places + "all";
  if (r.takes_any_order()) {
    join_places(r, vector, false);
    return line(r.state + " = " + step_of(r, r.state, all) + ";");
  }
  line(exact + r.type + " " + all + ";");
  scan_across(r, vector, all);
  for (int level = 0; level < t.levels; ++level) {
    const std::string kept = r.state + "l" + std::to_string(level);
    const bool open_level = t.parts && level >= fixed;
    const auto take = [&] {
      take_in_front(r, vector, "", kept);
      line(all + " = " + step_of(r, kept, all) + ";");
    };
    if (!open_level) {
      if (((t.first + turn) >> level & 1) != 0)
        take();
      else
        line(kept + " = " + all + ";");
      continue;
    }
    open("if ((part & " + std::to_string(1 << (level - fixed)) + ") != 0) {");
    take();
    close("} else {");
    ++indent_;
    line(kept + " = " + all + ";");
    close();
  }
  const std::string first = literal(r.carry.type, r.carry.initial);
  take_in_front(r, vector, "", first);
  if (!r.before.empty()) find_before(r, vector);
  line(r.state + " = " + step_of(r, first, all) + ";");
}

}  // namespace frit::codegen::glsl
