// Loops: one iteration after the other, or spread over a workgroup; and the barriers between them.
#include <algorithm>

#include "codegen/glsl/emitter.h"
#include "ir/text/kernel_printer.h"
#include "passes/lower/loop_nest.h"

namespace frit::codegen::glsl {

namespace {

bool meet(const std::set<uint32_t>& a, const std::set<uint32_t>& b) {
  return std::any_of(a.begin(), a.end(), [&](uint32_t v) { return b.count(v) != 0; });
}

// The loads of a loop's body that the loop's variable and other such loads alone lead to, and the instructions that
// lead from load to load.
class EarlyLoads {
 public:
  EarlyLoads(const ir::Loop& loop, const std::set<uint32_t>& stores) {
    for (const ir::Carry& c : loop.carries) late_.insert(c.value);
    for (const ir::Instr& i : loop.body)
      if (!visit(i, stores)) note_late(i);
    for (auto i = loop.body.rbegin(); i != loop.body.rend(); ++i) need(*i);
  }

  bool is_load(const ir::Instr& i) const { return loads_.count(&i) != 0; }
  bool leads(const ir::Instr& i) const { return leading_.count(&i) != 0; }
  bool empty() const { return loads_.empty(); }

 private:
  bool known(const Dim& d) const {
    return std::none_of(late_names_.begin(), late_names_.end(), [&](const std::string& n) { return d.uses(n); });
  }
  bool known(ir::Reg r) const { return late_.count(r) == 0; }

  bool visit(const ir::Instr& i, const std::set<uint32_t>& stores) {
    if (auto* l = std::get_if<ir::LoadInstr>(&i.node)) {
      if (l->mask != ir::kNoReg || stores.count(l->buffer) || !known(l->index)) return false;
      return loads_.insert(&i).second;
    }
    if (auto* s = std::get_if<ir::ScalarInstr>(&i.node))
      return std::all_of(s->args.begin(), s->args.begin() + ir::arity(s->op), [&](ir::Reg r) { return known(r); });
    if (auto* x = std::get_if<ir::IndexInstr>(&i.node)) return known(x->index);
    if (auto* b = std::get_if<ir::BindInstr>(&i.node)) return known(b->value) && known(b->low) && known(b->high);
    return false;
  }

  void note_late(const ir::Instr& i) {
    if (auto* l = std::get_if<ir::LoadInstr>(&i.node)) late_.insert(l->result);
    if (auto* s = std::get_if<ir::ScalarInstr>(&i.node)) late_.insert(s->result);
    if (auto* x = std::get_if<ir::IndexInstr>(&i.node)) late_.insert(x->result);
    if (auto* b = std::get_if<ir::BindInstr>(&i.node)) late_names_.insert(b->name);
    if (auto* loop = std::get_if<ir::Loop>(&i.node))
      for (const ir::Accumulator& a : loop->accumulators) late_.insert(a.result);
  }

  // Walked from the end of the body: what comes before and is asked for.
  void need(const ir::Instr& i) {
    if (is_load(i)) {
      std::get<ir::LoadInstr>(i.node).index.collect_symbols(names_);
    } else if (auto* b = std::get_if<ir::BindInstr>(&i.node)) {
      if (std::find(names_.begin(), names_.end(), b->name) == names_.end()) return;
      regs_.insert(b->value);
      b->low.collect_symbols(names_), b->high.collect_symbols(names_);
      leading_.insert(&i);
    } else if (auto* s = std::get_if<ir::ScalarInstr>(&i.node)) {
      if (!regs_.count(s->result)) return;
      regs_.insert(s->args.begin(), s->args.begin() + ir::arity(s->op));
      leading_.insert(&i);
    } else if (auto* x = std::get_if<ir::IndexInstr>(&i.node)) {
      if (!regs_.count(x->result)) return;
      x->index.collect_symbols(names_);
      leading_.insert(&i);
    }
  }

  std::set<const ir::Instr*> loads_, leading_;
  std::set<ir::Reg> late_, regs_;  // regs_: that leading instructions read
  std::set<std::string> late_names_;
  std::vector<std::string> names_;  // that loads and leading instructions read
};

}  // namespace

KernelEmitter::Early KernelEmitter::early_loads(const ir::Loop& loop, const std::set<uint32_t>& stores) {
  const EarlyLoads early(loop, stores);
  Early out;
  for (const ir::Instr& i : loop.body) {
    if (early.is_load(i)) out.loads.insert(&i);
    if (early.leads(i)) out.leading.insert(&i);
  }
  return out;
}

// The buffers that `body` reads and writes, registers left out.
void KernelEmitter::collect(const ir::Body& body, std::set<uint32_t>& loads, std::set<uint32_t>& stores) const {
  const auto is_memory = [&](uint32_t buffer) { return !memories_[buffer].registers && !memories_[buffer].again; };
  for (const ir::Instr& i : body) {
    if (auto* l = std::get_if<ir::LoadInstr>(&i.node); l && is_memory(l->buffer)) loads.insert(l->buffer);
    if (auto* s = std::get_if<ir::StoreInstr>(&i.node); s && is_memory(s->buffer)) stores.insert(s->buffer);
    if (auto* loop = std::get_if<ir::Loop>(&i.node)) collect(loop->body, loads, stores);
  }
}

void KernelEmitter::sync() {
  // An invocation that has a row to itself meets no other.
  if (group_ > 1 || rows_ == 1) {
    synced_ = true;
    line("memoryBarrierBuffer(); barrier();");
  }
  read_.clear();
  written_.clear();
}

// A barrier if `body` reads memory that other invocations may have written, or writes memory that they may still read.
void KernelEmitter::touch(const ir::Body& body, bool inside_loop) {
  std::set<uint32_t> loads, stores;
  collect(body, loads, stores);
  if (meet(loads, written_) || meet(stores, read_) || meet(stores, written_)) sync();
  if (inside_loop && (meet(stores, loads) || meet(stores, stores))) sync();
  read_.insert(loads.begin(), loads.end());
  written_.insert(stores.begin(), stores.end());
}

void KernelEmitter::emit_loop(const ir::Loop& loop, Context context, const ir::Instr& instr) {
  if (comments_) {
    std::string head = ir::instr_text(k_, instr);
    line("// " + head.substr(0, head.find('\n')));
  }
  if (context == Context::Group) {
    if (loop.lanes > 0) return loop.carries.empty() ? emit_lanes(loop) : emit_scan(loop);
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

// A loop by one invocation, or by all of a workgroup alike. Values are taken in order.
void KernelEmitter::emit_serial(const ir::Loop& loop, Context context) {
  for (const ir::Accumulator& a : loop.accumulators) {
    regs_[a.result] = name_of(a.result);
    if (is_arg(a)) {
      line(state(a, regs_[a.result] + "v = " + identity(a) + ";"));
      line("int64_t " + regs_[a.result] + " = 9223372036854775807L;");
    } else {
      line(state(a, regs_[a.result] + " = " + identity(a) + ";"));
    }
  }
  for (const ir::Carry& c : loop.carries) {
    regs_[c.value] = name_of(c.value);
    line((is_float(c.type) ? "precise " : "") + std::string(register_type(c.type)) + " " + regs_[c.value] + " = " +
         literal(c.type, c.initial) + ";");
  }
  const std::string name = enter(loop), type = index_type(names_.at(loop.var).wide),
                    extent = dim(loop.extent, names_.at(loop.var).wide);
  std::string from = "0";
  if (const int together = loads_together(loop, context)) {
    from = name + "_from";
    emit_together(loop, name, from, together);
    if (leaves_none(loop) || is_looked_up(loop)) return;
  }
  open("for (" + type + " " + name + " = " + from + "; " + name + " < " + extent + "; ++" + name + ") {");
  if (context == Context::Group) touch(loop.body, true);
  emit_body(loop.body, context);
  take_in(loop);
  close();
}

// The accumulators of a serial loop take in the values of one iteration.
void KernelEmitter::take_in(const ir::Loop& loop) {
  for (const ir::Accumulator& a : loop.accumulators) {
    const std::string result = regs_[a.result];
    take_value(a, is_arg(a) ? result + "v" : result, result, is_arg(a) ? regs_[a.position] : "", false);
  }
  // All carries take their next values at once.
  std::vector<std::string> next;
  for (const ir::Carry& c : loop.carries) {
    next.push_back(regs_[c.next]);
    if (loop.carries.size() == 1) continue;
    next.back() = name_of(c.value) + "n";
    line((is_float(c.type) ? "precise " : "") + std::string(register_type(c.type)) + " " + next.back() + " = " +
         regs_[c.next] + ";");
  }
  for (size_t i = 0; i < next.size(); ++i) line(regs_[loop.carries[i].value] + " = " + next[i] + ";");
}

// How many iterations of a loop make their loads before any of them goes on; 0 where each goes by itself.
int KernelEmitter::loads_together(const ir::Loop& loop, Context context) const {
  // Few invocations have nothing else to hide latency behind.
  constexpr size_t kTiny = 8, kShort = 24, kLong = 120, kFewLoads = 2;
  constexpr int64_t kFew = 1 << 14, kSome = 1 << 16;
  const ir::Loop* all = ir::parallel_loop(k_);
  const int64_t invocations = all && loop.body.size() <= kTiny ? facts_.range(all->extent).high : INT64_MAX,
                iterations = facts_.range(loop.extent).high;
  int together = group_ == 1 || invocations <= kFew ? 64
                 : invocations <= kSome             ? 32
                 : loop.body.size() <= kShort       ? 16
                                                    : 8;
  if (context != Context::Invocation || loop.body.size() > kLong || iterations < 2) return 0;
  // Places that a loop looks up are known early, whatever it does with them.
  const bool looks_up = std::any_of(loop.body.begin(), loop.body.end(),
                                    [](const ir::Instr& i) { return std::holds_alternative<ir::BindInstr>(i.node); });
  std::set<uint32_t> loads, stores;
  collect(loop.body, loads, stores);
  const size_t early = early_loads(loop, stores).loads.size();
  if (early == 0) return 0;
  // Registers for more of them would leave fewer invocations.
  if (is_looked_up(loop) && early > kFewLoads) together = std::min(together, 8);
  if (leaves_none(loop)) return static_cast<int>(std::min<int64_t>(together, iterations));
  return (takes_in_alone(loop) || (looks_up && !stores.empty())) && iterations >= 2 * together ? together : 0;
}

// Whether a loop's iterations do nothing but to take values into its accumulators and carries.
bool KernelEmitter::takes_in_alone(const ir::Loop& loop) const {
  std::set<uint32_t> loads, stores;
  collect(loop.body, loads, stores);
  return (!loop.accumulators.empty() || !loop.carries.empty()) && !meet(loads, stores) &&
         !passes::contains_loop(loop.body);
}

// Whether all iterations go some at a time, of which there are many.
bool KernelEmitter::leaves_none(const ir::Loop& loop) const { return takes_in_alone(loop) && !is_looked_up(loop); }

// Whether data say how many iterations there are: often one or two.
bool KernelEmitter::is_looked_up(const ir::Loop& loop) const {
  return std::any_of(bound_.begin(), bound_.end(), [&](const std::string& name) { return loop.extent.uses(name); });
}

// Iterations from 0 on, `together` at a time as long as there are so many; `from` is the first one that is left. Loads
// that the loop's variable alone leads to come first, so that several are under way at once. Where none may be left,
// the last iterations go some at a time too, and loads of those that do not exist are loads of the last one that does.
void KernelEmitter::emit_together(const ir::Loop& loop, const std::string& name, const std::string& from,
                                  int together) {
  constexpr int kMostOfRest = 16, kMostLookedUp = 4, kVeryMany = 32;
  const std::string type = index_type(names_.at(loop.var).wide), extent = dim(loop.extent, names_.at(loop.var).wide);
  const bool known = loop.extent.is_const(), looked_up = is_looked_up(loop);
  line(type + " " + from + " = 0;");
  const auto rounds = [&](int count) {
    open("for (; " + from + " + " + std::to_string(count) + " <= " + extent + "; " + from +
         " += " + std::to_string(count) + ") {");
    emit_round(loop, name, from, count, false);
    close();
  };
  // Where there are very many, rounds of more have more loads under way.
  if (looked_up && together == kVeryMany / 2 && facts_.range(loop.extent).high >= 4 * kVeryMany) rounds(kVeryMany);
  rounds(together);
  if (!leaves_none(loop) && !looked_up) return;
  const int most = looked_up ? kMostLookedUp : kMostOfRest;
  const int rest = static_cast<int>(known ? loop.extent.value() % together : std::min(together, most));
  if (rest == 0) return;
  if (known) return emit_round(loop, name, from, rest, false);
  open("for (; " + from + " < " + extent + "; " + from + " += " + std::to_string(rest) + ") {");
  emit_round(loop, name, from, rest, true);
  close();
}

// `count` iterations from `from` on, `step` apart; `some`: not all of them may exist.
void KernelEmitter::emit_round(const ir::Loop& loop, const std::string& name, const std::string& from, int count,
                               bool some, int step) {
  std::set<uint32_t> loads, stores;
  collect(loop.body, loads, stores);
  const EarlyLoads early(loop, stores);
  const std::string type = index_type(names_.at(loop.var).wide), extent = dim(loop.extent, names_.at(loop.var).wide),
                    length = std::to_string(count);
  auto open_each = [&](const std::string& at) {
    open("[[unroll]] for (int k = 0; k < " + length + "; ++k) {");
    line("const " + type + " " + name + " = " + at + ";");
  };
  const std::string own = from + " + k" + (step > 1 ? " * " + std::to_string(step) : "");
  auto load_of = [](const ir::Instr& i) -> const ir::LoadInstr& { return std::get<ir::LoadInstr>(i.node); };
  const auto array = [&](const ir::Instr& i) { return name_of(load_of(i).result) + "v"; };
  open("{");
  for (const ir::Instr& i : loop.body)
    if (early.is_load(i))
      line(std::string(register_type(k_.reg_types[load_of(i).result])) + " " + array(i) + "[" + length + "];" +
           comment(i));
  if (!early.empty()) {
    open_each(some ? "min(" + own + ", " + extent + " - 1)" : own);
    for (const ir::Instr& i : loop.body) {
      if (early.leads(i)) emit(i, Context::Invocation);
      if (!early.is_load(i)) continue;
      line(array(i) + "[k] = " + load_text(load_of(i).buffer, load_of(i).index) + ";");
      regs_[load_of(i).result] = array(i) + "[k]";
    }
    close();
  }
  open_each(own);
  if (some) open("if (" + name + " < " + extent + ") {");
  for (const ir::Instr& i : loop.body) {
    if (early.is_load(i))
      regs_[load_of(i).result] = array(i) + "[k]";
    else
      emit(i, Context::Invocation);
  }
  take_in(loop);
  if (some) close();
  close();
  close();
}

void KernelEmitter::emit_spread(const ir::Loop& loop) {
  const int vector = passes::contains_loop(loop.body) ? 1 : std::max(1, loop.vector);
  const std::string name = enter(loop);
  emit_turns(loop, name, vector, {});
}

}  // namespace frit::codegen::glsl
