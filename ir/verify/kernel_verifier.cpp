// The rules of kernels, K1 to K12.
#include "ir/verify/kernel_verifier.h"

#include <algorithm>
#include <bit>
#include <set>

#include "ir/kernel/carry_step.h"
#include "ir/text/kernel_printer.h"

namespace frit::ir {

bool divides_by_nothing(const Dim& d) {
  if (d.is_const()) return false;
  for (const DimTerm& t : d.poly()->terms)
    for (const auto& atom : t.atoms) {
      if (atom->divides() && atom->args[1].is_const() && atom->args[1].value() < 1) return true;
      if (std::any_of(atom->args.begin(), atom->args.end(), divides_by_nothing)) return true;
    }
  return false;
}

bool is_identifier(std::string_view s) {
  auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return !s.empty() && letter(s[0]) &&
         std::all_of(s.begin(), s.end(), [&](char c) { return letter(c) || digit(c) || c == '.'; });
}

namespace {

// Words with another meaning in the place of a size.
bool is_reserved(const std::string& s) { return s == "min" || s == "max"; }

class KernelVerifier {
 public:
  explicit KernelVerifier(const Kernel& k) : k_(k), state_(k.reg_types.size(), State::Undefined), facts_(k.facts) {}

  Status run() {
    FRIT_TRY(check_signature());
    FRIT_TRY(check_parallel_alone());
    std::vector<Reg> defined;
    return check_instrs(k_.body, 0, defined);
  }

 private:
  enum class State : uint8_t { Undefined, Visible, Gone };

  Diagnostic fail(const char* rule, const std::string& message) const {
    std::string text = "kernel '" + k_.name + "'";
    if (at_) text += ", `" + instr_text(k_, *at_) + "`";
    return Diagnostic(text + ": " + message + " (" + rule + ")", k_.locs.empty() ? SourceLoc{} : k_.locs.front());
  }

  Status check_signature() {
    if (k_.name.empty()) return fail("K1", "the kernel has no name");
    for (const std::string& s : k_.symbols) FRIT_TRY(declare(s));
    std::set<std::string> names;
    for (size_t i = 0; i < k_.buffers.size() + k_.locals.size(); ++i) {
      const KernelBuffer& b = k_.buffer(static_cast<uint32_t>(i));
      if (b.name.empty() || (b.name[0] >= '0' && b.name[0] <= '9'))
        return fail("K1", "buffer name '" + b.name + "' is empty or starts with a digit");
      if (!names.insert(b.name).second) return fail("K1", "two buffers are named '" + b.name + "'");
      if (is_complex(b.dtype)) return fail("K5", "buffer '" + b.name + "' is complex; kernels see its parts as f32");
      FRIT_TRY(check_symbols(b.size, "the size of buffer '" + b.name + "'"));
      if (facts_.less(b.size, 0) == Tri::Yes) return fail("K4", "buffer '" + b.name + "' has a negative size");
    }
    return {};
  }

  // K7: nothing stands beside a parallel loop in the top body.
  Status check_parallel_alone() {
    const Loop* loop = parallel_loop(k_);
    if (!loop || k_.body.size() == 1) return {};
    return fail("K7", "the parallel loop over '" + loop->var + "' is not the only instruction of the kernel's body");
  }

  Status declare(const std::string& symbol) {
    if (!is_identifier(symbol) || is_reserved(symbol)) return fail("K1", "'" + symbol + "' is not a symbol's name");
    if (!all_names_.insert(symbol).second)
      return fail("K1", "the name '" + symbol + "' is used for two symbols, loops or bindings");
    in_scope_.insert(symbol);
    return {};
  }

  Status check_symbols(const Dim& d, const std::string& what) const {
    std::vector<std::string> names;
    d.collect_symbols(names);
    for (const std::string& n : names)
      if (!in_scope_.contains(n)) return fail("K4", what + " uses '" + n + "', which is not in scope here");
    if (divides_by_nothing(d)) return fail("K11", what + ", " + d.str() + ", divides by a constant below 1");
    return {};
  }

  Status use(Reg r) const {
    if (r >= state_.size()) return fail("K2", "a register does not exist");
    if (state_[r] == State::Undefined)
      return fail("K2", "register " + reg_text(k_, r) + " is used before it is defined");
    if (state_[r] == State::Gone)
      return fail("K2", "register " + reg_text(k_, r) + " is used outside the loop that defines it");
    return {};
  }

  Status define(Reg r, Dtype type, std::vector<Reg>& defined) {
    if (r >= state_.size()) return fail("K2", "a register does not exist");
    if (state_[r] != State::Undefined) return fail("K2", "register " + reg_text(k_, r) + " is defined twice");
    if (k_.reg_types[r] != type)
      return fail("K3", "register " + reg_text(k_, r) + " is declared " + std::string(short_name(k_.reg_types[r])) +
                            " but defined as " + std::string(short_name(type)));
    state_[r] = State::Visible;
    defined.push_back(r);
    return {};
  }

  Status use_as(Reg r, Dtype type, const char* rule, const std::string& what) const {
    FRIT_TRY(use(r));
    if (k_.reg_types[r] == type) return {};
    return fail(rule,
                what + " is " + std::string(short_name(k_.reg_types[r])) + ", not " + std::string(short_name(type)));
  }

  Status check(const ScalarInstr& s, std::vector<Reg>& defined) {
    if (s.op == ScalarOp::Input) return fail("K3", "a kernel takes its inputs from buffers");
    std::array<Dtype, 3> types{float32, float32, float32};
    size_t n = static_cast<size_t>(arity(s.op));
    for (size_t i = 0; i < n; ++i) {
      FRIT_TRY(use(s.args[i]));
      types[i] = k_.reg_types[s.args[i]];
    }
    if (!types_fit(s.op, s.type, std::span(types).first(n))) {
      std::string list;
      for (size_t i = 0; i < n; ++i) list += (i ? ", " : "") + std::string(short_name(types[i]));
      return fail(
          "K3", "'" + std::string(name(s.op)) + "' does not take (" + list + ") to " + std::string(short_name(s.type)));
    }
    if (s.op == ScalarOp::Const && (s.type == bool_ ? s.imm > 1 : s.type.size() < 8 && s.imm >> (8 * s.type.size())))
      return fail("K3", "the constant has bits past the width of " + std::string(short_name(s.type)));
    return define(s.result, s.type, defined);
  }

  Status check(const IndexInstr& x, std::vector<Reg>& defined) {
    FRIT_TRY(check_symbols(x.index, "the index"));
    return define(x.result, int64, defined);
  }

  Status check(const BindInstr& x, std::vector<Reg>&) {
    FRIT_TRY(use_as(x.value, int64, "K3", "the bound register"));
    FRIT_TRY(check_symbols(x.low, "the range"));
    FRIT_TRY(check_symbols(x.high, "the range"));
    if (facts_.less(x.high, x.low) == Tri::Yes) return fail("K4", "the range is empty");
    FRIT_TRY(declare(x.name));
    add_binding(facts_, x);
    return {};
  }

  Status check_access(uint32_t buffer, const Dim& index, Reg mask) {
    if (buffer >= k_.buffers.size() + k_.locals.size()) return fail("K5", "the buffer does not exist");
    FRIT_TRY(check_symbols(index, "the position"));
    if (mask != kNoReg) return use_as(mask, bool_, "K5", "the mask");
    const KernelBuffer& b = k_.buffer(buffer);
    // A loop that surely has no iterations accesses nothing, and a mask may suppress any access.
    if (unreachable_) return {};
    if (facts_.less(index, 0) == Tri::Yes) return fail("K9", "position " + index.str() + " is always below 0");
    if (facts_.less_equal(b.size, index) == Tri::Yes)
      return fail("K9",
                  "position " + index.str() + " is always past the " + b.size.str() + " elements of '" + b.name + "'");
    return {};
  }

  Status check(const LoadInstr& x, std::vector<Reg>& defined) {
    FRIT_TRY(check_access(x.buffer, x.index, x.mask));
    const KernelBuffer& b = k_.buffer(x.buffer);
    if (!b.read) return fail("K5", "buffer '" + b.name + "' is not declared as read");
    return define(x.result, b.dtype, defined);
  }

  Status check(const StoreInstr& x, std::vector<Reg>&) {
    FRIT_TRY(check_access(x.buffer, x.index, x.mask));
    const KernelBuffer& b = k_.buffer(x.buffer);
    if (!b.written) return fail("K5", "buffer '" + b.name + "' is not declared as written");
    if (parallel_ && x.buffer < k_.buffers.size() && parallel_wide_ && !chosen_ && !depends_on_iteration(x.index))
      return fail("K10", "every iteration of the parallel loop writes the same position");
    return use_as(x.value, b.dtype, "K5", "the stored register");
  }

  bool depends_on_iteration(const Dim& index) const {
    std::vector<std::string> names;
    index.collect_symbols(names);
    return std::any_of(names.begin(), names.end(), [&](const std::string& n) {
      return std::find(k_.symbols.begin(), k_.symbols.end(), n) == k_.symbols.end();
    });
  }

  Status check_shape(const Loop& x, int depth) const {
    FRIT_TRY(check_symbols(x.extent, "the extent"));
    if (facts_.less(x.extent, 0) == Tri::Yes) return fail("K6", "the extent is always negative");
    std::vector<std::string> names;
    x.grain.collect_symbols(names);
    for (const std::string& n : names)
      if (std::find(k_.symbols.begin(), k_.symbols.end(), n) == k_.symbols.end())
        return fail("K6", "the grain uses '" + n + "', which is not a symbol of the kernel");
    if (x.vector < 0 || x.unroll < 1 || facts_.less(x.grain, 1) == Tri::Yes)
      return fail("K6", "vector, unroll and grain are at least 0, 1 and 1");
    if (x.lanes < 0 || (x.lanes && !std::has_single_bit(static_cast<unsigned>(x.lanes))))
      return fail("K6", "lanes is 0 or a power of two");
    if (x.lanes && x.accumulators.empty() && x.carries.empty())
      return fail("K6", "lanes need an accumulator or a carry");
    if (x.kind == LoopKind::Parallel && depth > 0) return fail("K7", "only the outermost loop may be parallel");
    if (x.kind == LoopKind::Parallel && !x.accumulators.empty())
      return fail("K7", "the iterations of a parallel loop are independent: it has no accumulators");
    if (!x.carries.empty() && (x.kind == LoopKind::Parallel || (x.vector && !x.lanes)))
      return fail("K12", "only a serial loop that is no vector loop, or one with lanes, carries values");
    if (!x.carries.empty() && x.lanes) {
      if (!x.accumulators.empty()) return fail("K12", "a loop with lanes has accumulators or carries, not both");
      if (x.vector && x.lanes % x.vector != 0)
        return fail("K12", "the vector of a loop with carries divides its lanes");
      for (const Carry& c : x.carries)
        if (!carry_step(x, c))
          return fail("K12",
                      "with lanes, the next value of a carry is add, mul, max or min of the carry and a value "
                      "that does not depend on it");
    }
    return {};
  }

  static bool accumulates(Combine combine, Dtype t) {
    bool number = is_int(t) || t == float32 || t == float64;
    switch (combine) {
      case Combine::Sum:
      case Combine::Prod: return number;
      case Combine::Max:
      case Combine::Min:
      case Combine::ArgMax:
      case Combine::ArgMin: return number || t == bool_;
      case Combine::And:
      case Combine::Or: return is_int(t) || t == bool_;
    }
    return false;
  }

  // K8; called while the registers of the loop's own body are still visible.
  Status check(const Accumulator& a) const {
    bool positioned = a.combine == Combine::ArgMax || a.combine == Combine::ArgMin;
    if (!accumulates(a.combine, a.type))
      return fail("K8",
                  "'" + std::string(name(a.combine)) + "' does not accumulate " + std::string(short_name(a.type)));
    FRIT_TRY(use_as(a.value, a.type, "K8", "the accumulated register"));
    if (positioned != (a.position != kNoReg))
      return fail("K8", "argmax and argmin take a position, other combines do not");
    if (positioned) FRIT_TRY(use_as(a.position, int64, "K8", "the position"));
    return {};
  }

  Status check_loop(const Loop& x, int depth, std::vector<Reg>& defined) {
    FRIT_TRY(check_shape(x, depth));
    auto outer_scope = in_scope_;
    auto outer_facts = facts_;
    bool outer_unreachable = unreachable_, outer_parallel = parallel_, outer_chosen = chosen_;
    chosen_ = chosen_ || (parallel_ && depends_on_iteration(x.extent));
    FRIT_TRY(declare(x.var));
    facts_.set_loop(x.var, x.extent);
    unreachable_ = unreachable_ || outer_facts.less_equal(x.extent, 0) == Tri::Yes;
    if (x.kind == LoopKind::Parallel) {
      parallel_ = true;
      parallel_wide_ = outer_facts.less(1, x.extent) == Tri::Yes;
    }
    const Instr* self = at_;
    std::vector<Reg> own;
    for (const Carry& c : x.carries) {
      if (c.type == bool_ ? c.initial > 1 : c.type.size() < 8 && c.initial >> (8 * c.type.size()))
        return fail("K12", "the initial value has bits past the width of " + std::string(short_name(c.type)));
      if (is_complex(c.type)) return fail("K12", "a carry is no complex number; kernels see its parts as f32");
      FRIT_TRY(define(c.value, c.type, own));
    }
    FRIT_TRY(check_instrs(x.body, depth + 1, own));
    at_ = self;
    for (const Carry& c : x.carries) FRIT_TRY(use_as(c.next, c.type, "K12", "the carried register"));
    for (const Accumulator& a : x.accumulators) FRIT_TRY(check(a));
    for (Reg r : own) state_[r] = State::Gone;
    for (const Accumulator& a : x.accumulators) {
      bool positioned = a.combine == Combine::ArgMax || a.combine == Combine::ArgMin;
      FRIT_TRY(define(a.result, positioned ? int64 : a.type, defined));
    }
    in_scope_ = std::move(outer_scope);
    facts_ = std::move(outer_facts);
    unreachable_ = outer_unreachable;
    parallel_ = outer_parallel;
    chosen_ = outer_chosen;
    return {};
  }

  Status check_instrs(const Body& body, int depth, std::vector<Reg>& defined) {
    for (const Instr& instr : body) {
      at_ = &instr;
      if (const auto* loop = std::get_if<Loop>(&instr.node)) {
        FRIT_TRY(check_loop(*loop, depth, defined));
        continue;
      }
      FRIT_TRY(std::visit(
          [&](const auto& x) -> Status {
            if constexpr (std::is_same_v<std::decay_t<decltype(x)>, Loop>)
              return {};
            else
              return check(x, defined);
          },
          instr.node));
    }
    return {};
  }

  const Kernel& k_;
  std::vector<State> state_;         // by register
  DimFacts facts_;                   // at the current position of the walk
  std::set<std::string> in_scope_;   // symbols, loop variables and bindings that positions may use here
  std::set<std::string> all_names_;  // the same, over the whole kernel
  const Instr* at_ = nullptr;
  bool unreachable_ = false;
  bool parallel_ = false, parallel_wide_ = false;
  bool chosen_ = false;  // some iterations of the parallel loop may not come here
};

}  // namespace

Status verify(const Kernel& k) { return KernelVerifier(k).run(); }

}  // namespace frit::ir
