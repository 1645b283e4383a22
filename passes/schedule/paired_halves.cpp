// Loops whose later iterations compute again what earlier ones have.
#include "passes/schedule/paired_halves.h"

#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "passes/lower/loop_nest.h"
#include "passes/schedule/body_work.h"

namespace frit::passes {

using namespace ir;

namespace {

// Scalar operations of an iteration below which memory takes longer, and iterations of the later half below which it
// does not matter.
constexpr int64_t kLeastWork = 24, kFewest = 256;
// Iterations of a portion where one half is longer: the last portion alone has the rest.
constexpr int64_t kPortion = 4096;

struct ByText {
  bool operator()(const Dim& a, const Dim& b) const { return Dim::compare(a, b) < 0; }
};

// Computes iterations of a loop side by side. Equal values have one register.
class Together {
 public:
  // `var` of the new code runs below `count`.
  Together(Kernel& k, std::string var, const Dim& count) : k_(k), var_(std::move(var)), facts_(k.facts) {
    facts_.set_loop(var_, count);
  }

  // Adds the iteration `var + shift` of `body`.
  void add(const Body& body, const Dim& shift) {
    shift_ = shift;
    now_.clear();
    for (const Instr& i : body) std::visit([&](const auto& node) { take(node); }, i.node);
  }

  // The code, without what no store needs.
  Body finish() {
    std::set<Reg> used;
    Body kept;
    for (size_t at = out_.size(); at-- > 0;) {
      Instr& i = out_[at];
      if (const auto* s = std::get_if<StoreInstr>(&i.node)) {
        used.insert(s->value);
      } else if (const auto* s = std::get_if<ScalarInstr>(&i.node)) {
        if (!used.count(s->result)) continue;
        for (int a = 0; a < arity(s->op); ++a) used.insert(s->args[static_cast<size_t>(a)]);
      } else if (const auto* l = std::get_if<LoadInstr>(&i.node)) {
        if (!used.count(l->result)) continue;
      } else if (const auto* x = std::get_if<IndexInstr>(&i.node)) {
        if (!used.count(x->result)) continue;
      }
      kept.push_back(std::move(i));
    }
    return {std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend())};
  }

 private:
  using Key = std::tuple<ScalarOp, Dtype::Val, Reg, Reg, Reg, uint64_t>;

  Dim moved(const Dim& d) const { return facts_.simplify(d.substitute(var_, Dim::symbol(var_) + shift_)); }

  Reg fresh(Reg old) {
    const Reg r = k_.new_reg(k_.reg_types[old]);
    k_.set_origin(r, k_.origin(old));
    return r;
  }

  // A register that is an integer known as a size, wrapped to its type.
  std::optional<Dim> size_of(Reg r) const {
    const auto at = sizes_.find(r);
    return at == sizes_.end() ? std::nullopt : std::optional<Dim>(at->second);
  }
  void set_size(Reg r, const Dim& d) {
    sizes_.emplace(r, d);
    by_size_[{k_.reg_types[r].val()}].emplace(d, r);
  }
  std::optional<Reg> with_size(Dtype t, const Dim& d) const {
    const auto of_type = by_size_.find({t.val()});
    if (of_type == by_size_.end()) return std::nullopt;
    const auto at = of_type->second.find(d);
    return at == of_type->second.end() ? std::nullopt : std::optional<Reg>(at->second);
  }

  void take(const IndexInstr& x) {
    const Dim d = moved(x.index);
    if (const auto same = with_size(int64, d)) {
      now_[x.result] = *same;
      return;
    }
    const Reg r = now_[x.result] = fresh(x.result);
    out_.push_back({IndexInstr{r, d}});
    set_size(r, d);
  }

  void take(const LoadInstr& l) {
    const Dim d = moved(l.index);
    const auto [at, added] = loads_[l.buffer].try_emplace(d, kNoReg);
    if (added) {
      at->second = fresh(l.result);
      out_.push_back({LoadInstr{at->second, l.buffer, d}});
    }
    now_[l.result] = at->second;
  }

  void take(const StoreInstr& s) { out_.push_back({StoreInstr{s.buffer, moved(s.index), now_.at(s.value)}}); }

  void take(const ScalarInstr& s) {
    ScalarInstr moved = s;
    for (int a = 0; a < arity(s.op); ++a) moved.args[static_cast<size_t>(a)] = now_.at(s.args[static_cast<size_t>(a)]);
    now_[s.result] = value_of(moved);
  }
  void take(const Loop&) {}
  void take(const BindInstr&) {}

  Reg value_of(const ScalarInstr& s) {
    if (const auto r = chosen(s)) return *r;
    const std::optional<Dim> size = size_of_result(s);
    if (size)
      if (const auto same = with_size(s.type, *size)) return *same;
    const Key key{s.op, s.type.val(), s.args[0], s.args[1], s.args[2], s.imm};
    const auto [at, added] = values_.try_emplace(key, kNoReg);
    if (!added) return at->second;
    ScalarInstr made = s;
    const Reg r = at->second = made.result = fresh(s.result);
    out_.push_back({made});
    if (size) set_size(r, *size);
    if (s.op == ScalarOp::Const && s.type == bool_) known_[r] = s.imm != 0;
    return r;
  }

  std::optional<bool> known(Reg r) const {
    const auto at = known_.find(r);
    return at == known_.end() ? std::nullopt : std::optional<bool>(at->second);
  }

  Reg constant(const ScalarInstr& like, bool value) {
    return value_of({like.result, ScalarOp::Const, bool_, {kNoReg, kNoReg, kNoReg}, value});
  }

  // The register of a choice, a comparison or a condition that is decided here.
  std::optional<Reg> chosen(const ScalarInstr& s) {
    if (s.op == ScalarOp::Select) {
      if (s.args[1] == s.args[2]) return s.args[1];
      if (const auto c = known(s.args[0])) return s.args[*c ? 1 : 2];
    }
    if (s.type != bool_) return std::nullopt;
    if (s.op == ScalarOp::Not)
      if (const auto a = known(s.args[0])) return constant(s, !*a);
    if (s.op == ScalarOp::And || s.op == ScalarOp::Or)
      for (const size_t a : {size_t{0}, size_t{1}})
        if (const auto c = known(s.args[a]))
          return *c == (s.op == ScalarOp::And) ? s.args[1 - a] : constant(s, s.op == ScalarOp::Or);
    if (const auto c = compared(s)) return constant(s, *c);
    return std::nullopt;
  }

  std::optional<bool> compared(const ScalarInstr& s) const {
    const bool less = s.op == ScalarOp::Lt || s.op == ScalarOp::Ge, more = s.op == ScalarOp::Gt || s.op == ScalarOp::Le;
    if (!less && !more) return std::nullopt;
    const Dtype t = k_.reg_types[s.args[0]];
    auto a = size_of(s.args[0]), b = size_of(s.args[1]);
    if (!a || !b || !fits(*a, t) || !fits(*b, t)) return std::nullopt;
    if (more) std::swap(a, b);
    const Tri is_less = facts_.less(*a, *b);
    if (is_less == Tri::Unknown) return std::nullopt;
    return (is_less == Tri::Yes) == (s.op == ScalarOp::Lt || s.op == ScalarOp::Gt);
  }

  // Whether no value of the size wraps in the type.
  bool fits(const Dim& d, Dtype t) const {
    const DimRange range = facts_.range(d);
    const int bits = 8 * static_cast<int>(t.size()) - (is_signed_int(t) ? 1 : 0);
    return range.low >= 0 && (bits >= 62 || range.high < int64_t{1} << bits);
  }

  // Wrapping keeps sums, and a cast keeps them if it makes no type wider.
  std::optional<Dim> size_of_result(const ScalarInstr& s) const {
    if (!is_int(s.type)) return std::nullopt;
    if (s.op == ScalarOp::Const && s.imm < uint64_t{1} << 31) return Dim(static_cast<int64_t>(s.imm));
    if (s.op == ScalarOp::Cast && is_int(k_.reg_types[s.args[0]]) && s.type.size() <= k_.reg_types[s.args[0]].size())
      return size_of(s.args[0]);
    if (s.op != ScalarOp::Add && s.op != ScalarOp::Sub) return std::nullopt;
    const auto a = size_of(s.args[0]), b = size_of(s.args[1]);
    if (!a || !b) return std::nullopt;
    return facts_.simplify(s.op == ScalarOp::Add ? *a + *b : *a - *b);
  }

  Kernel& k_;
  const std::string var_;
  DimFacts facts_;
  Dim shift_;
  Body out_;
  std::map<Reg, Reg> now_;  // by register of the body that is added
  std::map<Reg, Dim> sizes_;
  std::map<Reg, bool> known_;
  std::map<Dtype::Val, std::map<Dim, Reg, ByText>> by_size_;
  std::map<uint32_t, std::map<Dim, Reg, ByText>> loads_;
  std::map<Key, Reg> values_;
};

// Whether the iterations are plain: each reads nothing that another one writes, and no lane is masked.
bool is_plain(const Kernel& k, const Loop& loop) {
  if (!loop.accumulators.empty() || !loop.carries.empty()) return false;
  for (const Instr& i : loop.body) {
    if (!is_straight(i)) return false;
    if (const auto* l = std::get_if<LoadInstr>(&i.node))
      if (l->mask != kNoReg || k.buffer(l->buffer).written) return false;
    if (const auto* s = std::get_if<StoreInstr>(&i.node); s && s->mask != kNoReg) return false;
  }
  return true;
}

// Where a comparison of the position with a size changes: in iteration t, which may be the begin of a half.
std::vector<Dim> thresholds(const Kernel& k, const Loop& loop) {
  std::map<Reg, Dim> sizes;
  std::vector<Dim> found;
  for (const Instr& i : loop.body) {
    if (const auto* x = std::get_if<IndexInstr>(&i.node)) sizes.emplace(x->result, x->index);
    const auto* s = std::get_if<ScalarInstr>(&i.node);
    if (!s) continue;
    if (s->op == ScalarOp::Const && is_int(s->type)) sizes.emplace(s->result, Dim(static_cast<int64_t>(s->imm)));
    if (s->op == ScalarOp::Cast && sizes.count(s->args[0])) sizes.emplace(s->result, sizes.at(s->args[0]));
    if (s->op != ScalarOp::Ge && s->op != ScalarOp::Lt) continue;
    if (!sizes.count(s->args[0]) || !sizes.count(s->args[1])) continue;
    const auto at = sizes.at(s->args[0]).affine_in(loop.var);
    const Dim& bound = sizes.at(s->args[1]);
    if (at && at->coefficient.is(1) && !bound.uses(loop.var)) found.push_back(k.facts.simplify(bound - at->rest));
  }
  return found;
}

}  // namespace

bool pair_halves(Kernel& k, Loop& loop, const std::string& inner) {
  const int64_t work = straight_work(loop.body);
  if (work < kLeastWork || !is_plain(k, loop)) return false;
  for (const Dim& t : thresholds(k, loop)) {
    const Dim later = k.facts.simplify(loop.extent - t);  // iterations of the later half
    if (k.facts.less_equal(later, t) != Tri::Yes || k.facts.less_equal(0, later) != Tri::Yes ||
        k.facts.range(later).high < kFewest)
      continue;
    const size_t registers = k.reg_types.size();
    Together both(k, loop.var, later);
    both.add(loop.body, 0);
    both.add(loop.body, t);
    Body pair = both.finish();
    if (straight_work(pair) * 4 > work * 2 * 3) {
      k.reg_types.resize(registers, float32);
      if (k.origins.size() > registers) k.origins.resize(registers);
      continue;
    }
    if (k.facts.equal(later, t) == Tri::Yes) {
      loop.extent = t;
      loop.body = std::move(pair);
      return true;
    }
    // Iterations [later, t) have no partner; they stand behind the last pairs.
    const Dim first = Dim::symbol(loop.var) * kPortion;
    const auto within = [&](const Dim& end) { return max(min(end - first, kPortion), 0); };
    const auto part = [&](std::string var, const Dim& extent, const Dim& begin, Body body) {
      const Dim at = begin + Dim::symbol(var);
      rewrite_dims(body, [&](const Dim& d) { return d.substitute(loop.var, at); });
      Loop made;
      made.var = std::move(var);
      made.extent = extent;
      made.body = std::move(body);
      return made;
    };
    const Dim pairs = within(later);
    Body body;
    body.push_back({part(inner, pairs, first, std::move(pair))});
    body.push_back({part(unlike_all(k, inner + "1"), within(t) - pairs, first + pairs, std::move(loop.body))});
    loop.body = std::move(body);
    loop.extent = ceil_div(t, kPortion);
    return true;
  }
  return false;
}

}  // namespace frit::passes
