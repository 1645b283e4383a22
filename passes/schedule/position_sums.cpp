// Joins sums of positions.
#include "passes/schedule/position_sums.h"

#include <map>
#include <set>
#include <utility>

#include "passes/schedule/operands.h"

namespace frit::passes {

using namespace ir;

namespace {

class PositionSums {
 public:
  explicit PositionSums(Kernel& k) : k_(k) {}

  void run(Loop& nest) {
    join(nest.body);
    if (joined_) drop_unused(nest.body);
  }

 private:
  // An integer of a position wraps to its type as a sum does.
  void join(Body& body) {
    Body out;
    for (Instr& i : body) {
      if (auto* loop = std::get_if<Loop>(&i.node)) join(loop->body);
      if (const auto* x = std::get_if<IndexInstr>(&i.node)) positions_[x->result] = x->index;
      if (const auto* s = std::get_if<ScalarInstr>(&i.node); s && !is_float(s->type)) {
        if (s->op == ScalarOp::Cast) {
          if (const auto from = positions_.find(s->args[0]); from != positions_.end() && is_position(*s))
            positions_[s->result] = from->second;
        } else if (s->op == ScalarOp::Add) {
          const auto a = positions_.find(s->args[0]), b = positions_.find(s->args[1]);
          if (a != positions_.end() && b != positions_.end()) {
            const ScalarInstr sum = *s;
            add_sum(sum, k_.facts.simplify(a->second + b->second), out);
            continue;
          }
        }
      }
      out.push_back(std::move(i));
    }
    body = std::move(out);
  }

  // Whether a cast takes a position itself, which no narrower integer has cut.
  bool is_position(const ScalarInstr& cast) const { return cast.type != bool_ && k_.reg_types[cast.args[0]] == int64; }

  void add_sum(const ScalarInstr& sum, const Dim& position, Body& out) {
    const Reg wide = sum.type == int64 ? sum.result : k_.new_reg(int64);
    out.push_back({IndexInstr{wide, position}});
    if (wide != sum.result) {
      ScalarInstr cast{sum.result, ScalarOp::Cast, sum.type};
      cast.args[0] = wide;
      out.push_back({cast});
    }
    positions_[sum.result] = position;
    joined_ = true;
  }

  // Removes positions, and integers of them, that nothing uses any more.
  void drop_unused(Body& body) {
    std::set<Reg> used;
    for (bool more = true; more;) {
      used.clear();
      collect_uses(body, used);
      more = drop(body, used);
    }
  }

  void collect_uses(Body& body, std::set<Reg>& used) {
    for (Instr& i : body) {
      for_each_operand(i, [&](Reg r) { used.insert(r); });
      auto* loop = std::get_if<Loop>(&i.node);
      if (!loop) continue;
      for (const Accumulator& a : loop->accumulators) used.insert({a.value, a.position});
      for (const Carry& c : loop->carries) used.insert(c.next);
      collect_uses(loop->body, used);
    }
  }

  bool drop(Body& body, const std::set<Reg>& used) {
    bool dropped = std::erase_if(body, [&](Instr& i) {
                     const Reg* result = defined_by(i);
                     return result && positions_.count(*result) && !used.count(*result);
                   }) > 0;
    for (Instr& i : body)
      if (auto* loop = std::get_if<Loop>(&i.node)) dropped = drop(loop->body, used) || dropped;
    return dropped;
  }

  Kernel& k_;
  std::map<Reg, Dim> positions_;  // by the register of one, or of an integer of it
  bool joined_ = false;
};

}  // namespace

void join_position_sums(Kernel& k, Loop& nest) { PositionSums(k).run(nest); }

}  // namespace frit::passes
