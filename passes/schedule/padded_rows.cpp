// Short rows that are padded along the axis in front of them, as of images whose channels are last.
#include "passes/schedule/padded_rows.h"

#include <map>
#include <set>
#include <vector>

#include "passes/lower/loop_nest.h"

namespace frit::passes {

using namespace ir;

namespace {

constexpr int64_t kFewElements = 32;

// One loop over straight-line code inside of another.
class JoinPadded {
 public:
  // `positions` are those of registers that are defined around the loops.
  JoinPadded(Kernel& k, Loop& outer, Loop& inner, std::map<Reg, Dim> positions)
      : k_(k), outer_(outer), inner_(inner), positions_(std::move(positions)) {}

  bool run() {
    collect(outer_.body);
    if (tests_.empty() || !others_agree()) return false;
    const Loop before = outer_;
    const size_t registers = k_.reg_types.size();
    element_ = unlike_all(k_, "e");
    rewrite(outer_.body);
    if (!collapse(outer_)) {
      outer_ = before;
      k_.reg_types.resize(registers, float32);
      return false;
    }
    rewrite_dims(outer_.body, [&](const Dim& d) { return d.substitute(element_, Dim::symbol(outer_.var)); });
    return true;
  }

 private:
  bool moves_by_one(const Dim& d) const {
    const auto affine = d.affine_in(outer_.var);
    return affine && affine->coefficient.is(1) && !d.uses(inner_.var);
  }
  bool stays(const Dim& d) const { return !d.uses(outer_.var) && !d.uses(inner_.var); }

  // Finds the comparisons of a position that moves by one with the outer loop, and which registers only they use.
  void collect(const Body& body) {
    const auto other_use = [&](Reg r) {
      if (r != kNoReg) used_.insert(r);
    };
    for (const Instr& i : body) {
      if (const auto* x = std::get_if<IndexInstr>(&i.node)) positions_.insert_or_assign(x->result, x->index);
      if (const auto* l = std::get_if<LoadInstr>(&i.node)) other_use(l->mask);
      if (const auto* s = std::get_if<StoreInstr>(&i.node)) other_use(s->value), other_use(s->mask);
      if (const auto* b = std::get_if<BindInstr>(&i.node)) other_use(b->value);
      if (const auto* loop = std::get_if<Loop>(&i.node)) collect(loop->body);
      const auto* s = std::get_if<ScalarInstr>(&i.node);
      if (!s) continue;
      if (is_test(*s))
        tests_.insert(s->result);
      else
        for (int a = 0; a < arity(s->op); ++a) other_use(s->args[static_cast<size_t>(a)]);
    }
  }

  bool is_test(const ScalarInstr& s) const {
    if (s.op != ScalarOp::Le && s.op != ScalarOp::Lt && s.op != ScalarOp::Ge && s.op != ScalarOp::Gt) return false;
    const auto a = positions_.find(s.args[0]), b = positions_.find(s.args[1]);
    if (a == positions_.end() || b == positions_.end()) return false;
    return (moves_by_one(a->second) && stays(b->second)) || (stays(a->second) && moves_by_one(b->second));
  }

  // Whether every other position treats the two variables as one.
  bool others_agree() const {
    bool agree = true;
    const auto look = [&](const Dim& d) {
      if (stays(d)) return;
      const auto a = d.affine_in(inner_.var);
      const auto b = a ? a->rest.affine_in(outer_.var) : std::nullopt;
      agree = agree && a && b && b->coefficient == a->coefficient * inner_.extent;
    };
    const auto walk = [&](auto&& self, const Body& body) -> void {
      for (const Instr& i : body) {
        if (const auto* x = std::get_if<IndexInstr>(&i.node); x && used_.count(x->result)) look(x->index);
        if (const auto* l = std::get_if<LoadInstr>(&i.node)) look(l->index);
        if (const auto* s = std::get_if<StoreInstr>(&i.node)) look(s->index);
        if (const auto* loop = std::get_if<Loop>(&i.node)) self(self, loop->body);
      }
    };
    walk(walk, outer_.body);
    return agree;
  }

  // A position of the outer loop in elements: those of its first element, or of its last one.
  Reg in_elements(const Dim& d, bool last, Body& out) {
    const Dim n = inner_.extent;
    Dim at = d * n;
    if (!stays(d)) at = d.affine_in(outer_.var)->rest * n + Dim::symbol(element_);
    if (last) at += n - Dim(1);
    const auto r = static_cast<Reg>(k_.reg_types.size());
    k_.reg_types.push_back(int64);
    out.push_back({IndexInstr{r, at}});
    return r;
  }

  void rewrite(Body& body) {
    Body out;
    for (Instr& i : body) {
      if (auto* loop = std::get_if<Loop>(&i.node)) rewrite(loop->body);
      // Only tests use the position: it is not needed any more.
      if (const auto* x = std::get_if<IndexInstr>(&i.node); x && !used_.count(x->result) && !stays(x->index)) continue;
      if (auto* s = std::get_if<ScalarInstr>(&i.node); s && tests_.count(s->result)) {
        const Dim a = positions_.at(s->args[0]), b = positions_.at(s->args[1]);
        // o <= t holds up to the last element of t, t < o from behind it on.
        const bool lower_first = s->op == ScalarOp::Le || s->op == ScalarOp::Lt;
        const bool strict = s->op == ScalarOp::Lt || s->op == ScalarOp::Gt;
        const Dim &low = lower_first ? a : b, &high = lower_first ? b : a;
        const Reg l = in_elements(low, strict && stays(low), out), h = in_elements(high, !strict && stays(high), out);
        s->args[0] = lower_first ? l : h;
        s->args[1] = lower_first ? h : l;
      }
      out.push_back(std::move(i));
    }
    body = std::move(out);
  }

  Kernel& k_;
  Loop& outer_;
  Loop& inner_;
  std::map<Reg, Dim> positions_;
  std::set<Reg> tests_, used_;
  std::string element_;
};

}  // namespace

bool join_padded_rows(Kernel& k, Loop& loop) {
  Loop *outer = &loop, *inner = inner_of_nest(loop.body);
  if (!inner) return false;
  std::map<Reg, Dim> positions;
  while (Loop* next = inner_of_nest(inner->body)) {
    for (const Instr& i : outer->body)
      if (const auto* x = std::get_if<IndexInstr>(&i.node)) positions.insert_or_assign(x->result, x->index);
    outer = inner, inner = next;
  }
  if (!inner->extent.is_const() || inner->extent.value() > kFewElements || !is_straight_line(inner->body)) return false;
  return loads_under_mask(inner->body) && !inner->extent.is(1) &&
         JoinPadded(k, *outer, *inner, std::move(positions)).run();
}

}  // namespace frit::passes
