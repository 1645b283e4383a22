// The reference interpreter of kernels.
#include "ir/interpret/interpret_kernel.h"

#include <bit>
#include <cstring>
#include <limits>
#include <map>
#include <optional>

#include "ir/kernel/carry_step.h"
#include "ir/kernel/position_code.h"
#include "ir/text/kernel_printer.h"
#include "ir/verify/kernel_verifier.h"

namespace frit::ir {

namespace {

// A launch buffer or a local, as the kernel sees it.
struct Memory {
  std::byte* data;
  int64_t elements;
  Dtype dtype = float32;
  std::vector<bool> written;       // of a local: by element
  std::vector<std::byte> storage;  // of a local
};

uint64_t load_bits(const std::byte* at, Dtype t) {
  uint64_t bits = 0;
  std::memcpy(&bits, at, t.size());
  return t == bool_ ? bits != 0 : bits;
}

void store_bits(std::byte* at, Dtype t, uint64_t bits) { std::memcpy(at, &bits, t.size()); }

// One state of an accumulator.
struct Lane {
  uint64_t value;
  int64_t position;
};

struct Code;
using CodeBody = std::vector<Code>;

// An instruction with its positions, functions and names resolved.
struct AccumulatorCode {
  Accumulator a;
  PrimitiveFunction combine;
  PrimitiveFunction equal, more_extreme;  // of ArgMax and ArgMin
  uint64_t identity;
};
struct Code {
  const Instr* instr;
  PrimitiveFunction function = nullptr;  // a primitive scalar op other than Const
  size_t arity = 0;                      // of a scalar op
  uint64_t constant = 0;                 // of Const
  PositionCode position;                 // of an access, an index, the extent of a loop, or the low end of a binding
  PositionCode high;                     // the high end of a binding
  uint32_t slot = 0;                     // of a Loop or Bind
  std::vector<AccumulatorCode> accumulators;
  CodeBody body;
};

class KernelRun {
 public:
  explicit KernelRun(const Kernel& k) : k_(k), regs_(k.reg_types.size()) {}

  Status prepare(std::span<const BufferSpan> buffers, std::span<const int64_t> symbols) {
    if (symbols.size() != k_.symbols.size() || buffers.size() != k_.buffers.size())
      return fail("takes " + std::to_string(k_.buffers.size()) + " buffers and " + std::to_string(k_.symbols.size()) +
                  " symbols, but was given " + std::to_string(buffers.size()) + " and " +
                  std::to_string(symbols.size()));
    for (size_t i = 0; i < symbols.size(); ++i) {
      DimRange r = k_.facts.range(Dim::symbol(k_.symbols[i]));
      int64_t factor = k_.facts.multiple(k_.symbols[i]);
      if (symbols[i] < r.low || symbols[i] > r.high || (factor > 1 && symbols[i] % factor))
        return fail("symbol " + k_.symbols[i] + " = " + std::to_string(symbols[i]) + " breaks a fact about it");
      slot(k_.symbols[i]);
      slots_.back() = symbols[i];
    }
    for (const DimCondition& c : k_.facts.conditions()) {
      if (!c.uses_only(k_.symbols)) continue;
      std::optional<int64_t> v = code(c.dim).evaluate(slots_.data());
      if (!v || (c.kind == DimCondition::Kind::Zero ? *v != 0 : *v < 0))
        return fail("its symbols break the fact '" + c.str() + "'");
    }
    for (size_t i = 0; i < k_.buffers.size() + k_.locals.size(); ++i) {
      const KernelBuffer& b = k_.buffer(static_cast<uint32_t>(i));
      std::optional<int64_t> size = code(b.size).evaluate(slots_.data());
      int64_t bytes = 0;
      if (!size || *size < 0 || __builtin_mul_overflow(*size, int64_t{b.dtype.size()}, &bytes))
        return fail("the size of buffer '" + b.name + "' is negative or too large");
      Memory m{nullptr, *size, b.dtype, {}, {}};
      if (i < k_.buffers.size()) {
        if (buffers[i].bytes < static_cast<uint64_t>(bytes))
          return fail("buffer '" + b.name + "' has " + std::to_string(buffers[i].bytes) + " bytes, but needs " +
                      std::to_string(bytes));
        m.data = buffers[i].data;
      } else {
        if (*size > kMaxLocal) return fail("local '" + b.name + "' has " + std::to_string(*size) + " elements");
        m.storage.resize(static_cast<size_t>(bytes));
        m.written.resize(static_cast<size_t>(*size));
      }
      memory_.push_back(std::move(m));
    }
    for (Memory& m : memory_)
      if (!m.data) m.data = m.storage.data();
    compile(k_.body, code_);
    return {};
  }

  Status run() {
    if (!body(code_)) return std::move(*error_);
    return {};
  }

 private:
  static constexpr int64_t kMaxLocal = int64_t{1} << 28;

  Diagnostic fail(const std::string& message) const {
    return Diagnostic("kernel '" + k_.name + "': " + message, k_.locs.empty() ? SourceLoc{} : k_.locs.front());
  }
  // Instructions give a bool, as a Status for each of them would take longer than most of them do.
  bool stop(const Code& c, const std::string& message) {
    error_ = fail("`" + instr_text(k_, *c.instr) + "`: " + message);
    return false;
  }

  // The slot of a symbol, loop variable or binding. Names are unique in a kernel.
  uint32_t slot(const std::string& name) {
    auto [it, added] = slot_of_.try_emplace(name, static_cast<uint32_t>(slots_.size()));
    if (added) slots_.push_back(0);
    return it->second;
  }
  PositionCode code(const Dim& d) {
    return PositionCode(d, [this](const std::string& n) { return slot(n); });
  }

  void compile(const Body& from, CodeBody& to) {
    for (const Instr& instr : from) {
      Code c{&instr};
      if (const auto* s = std::get_if<ScalarInstr>(&instr.node)) {
        c.arity = static_cast<size_t>(arity(s->op));
        if (s->op == ScalarOp::Const)
          c.constant = evaluate(s->op, s->type, {}, {}, s->imm);
        else
          c.function = primitive_function(s->op, s->type, k_.reg_types[s->args[s->op == ScalarOp::Select ? 1 : 0]]);
      } else if (const auto* index = std::get_if<IndexInstr>(&instr.node)) {
        c.position = code(index->index);
      } else if (const auto* bind = std::get_if<BindInstr>(&instr.node)) {
        c.slot = slot(bind->name);
        c.position = code(bind->low);
        c.high = code(bind->high);
      } else if (const auto* load = std::get_if<LoadInstr>(&instr.node)) {
        c.position = code(load->index);
      } else if (const auto* store = std::get_if<StoreInstr>(&instr.node)) {
        c.position = code(store->index);
      } else if (const auto* loop = std::get_if<Loop>(&instr.node)) {
        c.position = code(loop->extent);
        c.slot = slot(loop->var);
        for (const Accumulator& a : loop->accumulators) c.accumulators.push_back(resolve(a));
        compile(loop->body, c.body);
      }
      to.push_back(std::move(c));
    }
  }

  static AccumulatorCode resolve(const Accumulator& a) {
    AccumulatorCode c{a, primitive_function(combine_op(a.combine), a.type, a.type), nullptr, nullptr,
                      combine_identity(a.combine, a.type)};
    if (a.position != kNoReg) {
      c.equal = primitive_function(ScalarOp::Eq, bool_, a.type);
      c.more_extreme = primitive_function(a.combine == Combine::ArgMax ? ScalarOp::Gt : ScalarOp::Lt, bool_, a.type);
    }
    return c;
  }

  bool body(const CodeBody& codes) {
    for (const Code& c : codes)
      if (!step(c)) return false;
    return true;
  }

  bool step(const Code& c) {
    if (const auto* s = std::get_if<ScalarInstr>(&c.instr->node)) {
      scalar(*s, c);
      return true;
    }
    if (const auto* load = std::get_if<LoadInstr>(&c.instr->node)) return run_load(*load, c);
    if (const auto* store = std::get_if<StoreInstr>(&c.instr->node)) return run_store(*store, c);
    if (const auto* loop = std::get_if<Loop>(&c.instr->node)) return run_loop(*loop, c);
    if (const auto* bind = std::get_if<BindInstr>(&c.instr->node)) {
      int64_t value = static_cast<int64_t>(regs_[bind->value]);
      const std::optional<int64_t> low = c.position.evaluate(slots_.data()), high = c.high.evaluate(slots_.data());
      // An empty range is that of an empty axis, outside of the loops over it: nothing that uses the name runs.
      if (!low || !high || (*low <= *high && (value < *low || value > *high)))
        return stop(c, "the value " + std::to_string(value) + " is outside the range");
      slots_[c.slot] = value;
      return true;
    }
    std::optional<int64_t> value = c.position.evaluate(slots_.data());
    if (!value) return stop(c, "the index overflows or divides by zero");
    regs_[std::get<IndexInstr>(c.instr->node).result] = static_cast<uint64_t>(*value);
    return true;
  }

  // The next value of a carry of a loop with lanes, and the one before it (ir/kernel/carry_step.h).
  struct Group {
    const ScalarInstr* step;
    std::vector<uint64_t> kept;  // by level
    uint64_t start, next;        // the running value at the group's begin; the latest
    size_t place;
  };

  void take_step(Group& g, const Code& c) {
    const auto combine = [&](uint64_t x, uint64_t y) {
      const uint64_t args[3] = {x, y, 0};
      return c.function(args);
    };
    uint64_t x = regs_[g.step->args[1]];
    for (size_t level = 0; level < g.kept.size(); ++level) {
      uint64_t& kept = g.kept[level];
      (g.place >> level & 1 ? x : kept) = g.place >> level & 1 ? combine(kept, x) : x;
    }
    regs_[g.step->args[0]] = g.next;
    regs_[g.step->result] = g.next = combine(g.start, x);
    if (++g.place < size_t{1} << g.kept.size()) return;
    g.place = 0;
    g.start = g.next;
  }

  void scalar(const ScalarInstr& s, const Code& c) {
    for (Group& g : groups_)
      if (g.step == &s) return take_step(g, c);
    if (s.op == ScalarOp::Const) {
      regs_[s.result] = c.constant;
      return;
    }
    const size_t n = c.arity;
    std::array<uint64_t, 3> args{};
    for (size_t i = 0; i < n; ++i) args[i] = regs_[s.args[i]];
    if (c.function) {
      regs_[s.result] = c.function(args.data());
      return;
    }
    std::array<Dtype, 3> types{float32, float32, float32};
    for (size_t i = 0; i < n; ++i) types[i] = k_.reg_types[s.args[i]];
    regs_[s.result] = evaluate(s.op, s.type, std::span(types).first(n), std::span(args).first(n), s.imm);
  }

  // The position of an access, or -1 where the run stops.
  int64_t checked_position(const Code& c, const Memory& m) {
    std::optional<int64_t> at = c.position.evaluate(slots_.data());
    if (!at) return stop(c, "the position overflows or divides by zero"), -1;
    if (*at < 0 || *at >= m.elements)
      return stop(c, "position " + std::to_string(*at) + " is out of the bounds of " + std::to_string(m.elements) +
                         " elements"),
             -1;
    return *at;
  }

  bool run_load(const LoadInstr& x, const Code& c) {
    regs_[x.result] = 0;
    if (x.mask != kNoReg && !regs_[x.mask]) return true;
    const Memory& m = memory_[x.buffer];
    const int64_t at = checked_position(c, m);
    if (at < 0) return false;
    if (x.buffer >= k_.buffers.size() && !m.written[static_cast<size_t>(at)])
      return stop(c, "element " + std::to_string(at) + " of the local was not written in this iteration");
    regs_[x.result] = load_bits(m.data + at * m.dtype.size(), m.dtype);
    return true;
  }

  bool run_store(const StoreInstr& x, const Code& c) {
    if (x.mask != kNoReg && !regs_[x.mask]) return true;
    Memory& m = memory_[x.buffer];
    const int64_t at = checked_position(c, m);
    if (at < 0) return false;
    if (x.buffer >= k_.buffers.size()) m.written[static_cast<size_t>(at)] = true;
    store_bits(m.data + at * m.dtype.size(), m.dtype, regs_[x.value]);
    return true;
  }

  static Lane combined(const AccumulatorCode& c, Lane x, Lane y) {
    uint64_t args[3] = {x.value, y.value, 0};
    if (c.a.position == kNoReg) return {c.combine(args), 0};
    uint64_t xx[3] = {x.value, x.value, 0}, yy[3] = {y.value, y.value, 0}, yx[3] = {y.value, x.value, 0};
    bool x_nan = !c.equal(xx), y_nan = !c.equal(yy);
    bool tie = (x_nan && y_nan) || c.equal(args);
    bool beats = (y_nan && !x_nan) || c.more_extreme(yx);
    return beats || (tie && y.position < x.position) ? y : x;
  }

  bool run_loop(const Loop& x, const Code& c) {
    std::optional<int64_t> extent = c.position.evaluate(slots_.data());
    if (!extent || *extent < 0) return stop(c, "the extent is negative, overflows or divides by zero");
    size_t lanes = static_cast<size_t>(std::max(x.lanes, 1));
    std::vector<std::vector<Lane>> states;
    for (const AccumulatorCode& a : c.accumulators)
      states.emplace_back(lanes, Lane{a.identity, std::numeric_limits<int64_t>::max()});
    for (const Carry& carry : x.carries) regs_[carry.value] = carry.initial;
    const std::vector<Group> outer = groups_;
    const auto levels = static_cast<size_t>(std::countr_zero(lanes));
    for (const Carry& carry : x.carries)
      if (x.lanes)
        groups_.push_back(
            {carry_step(x, carry), std::vector<uint64_t>(levels, carry.initial), carry.initial, carry.initial, 0});
    std::vector<uint64_t> next(x.carries.size());
    for (int64_t i = 0; i < *extent; ++i) {
      slots_[c.slot] = i;
      if (x.kind == LoopKind::Parallel)
        for (Memory& m : memory_) std::fill(m.written.begin(), m.written.end(), false);
      if (!body(c.body)) return false;
      for (size_t a = 0; a < states.size(); ++a) {
        const Accumulator& acc = c.accumulators[a].a;
        int64_t position = acc.position == kNoReg ? 0 : static_cast<int64_t>(regs_[acc.position]);
        Lane& state = states[a][static_cast<size_t>(i) % lanes];
        state = combined(c.accumulators[a], state, {regs_[acc.value], position});
      }
      for (size_t k = 0; k < next.size(); ++k) next[k] = regs_[x.carries[k].next];
      for (size_t k = 0; k < next.size(); ++k) regs_[x.carries[k].value] = next[k];
    }
    groups_ = outer;
    for (size_t a = 0; a < states.size(); ++a) {
      std::vector<Lane>& s = states[a];
      for (size_t half = lanes / 2; half > 0; half /= 2)
        for (size_t j = 0; j < half; ++j) s[j] = combined(c.accumulators[a], s[j], s[j + half]);
      const Accumulator& acc = c.accumulators[a].a;
      regs_[acc.result] = acc.position == kNoReg ? s[0].value : static_cast<uint64_t>(s[0].position);
    }
    return true;
  }

  const Kernel& k_;
  std::vector<uint64_t> regs_;
  std::vector<int64_t> slots_;
  std::map<std::string, uint32_t> slot_of_;
  std::vector<Memory> memory_;
  std::vector<Group> groups_;  // of carries of open loops with lanes
  CodeBody code_;
  std::optional<Diagnostic> error_;
};

}  // namespace

Status interpret(const Kernel& k, std::span<const BufferSpan> buffers, std::span<const int64_t> symbols) {
  FRIT_TRY(verify(k));
  KernelRun run(k);
  FRIT_TRY(run.prepare(buffers, symbols));
  return run.run();
}

}  // namespace frit::ir
