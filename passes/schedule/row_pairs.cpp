// Tiles of pairs of rows.
#include "passes/schedule/row_pairs.h"

#include <algorithm>
#include <map>
#include <set>

#include "passes/lower/loop_nest.h"
#include "passes/schedule/short_rows.h"

namespace frit::passes {

using namespace ir;

namespace {

constexpr int64_t kShortLeft = 16;   // rows on the left for which short rows on the right are turned once
constexpr int64_t kShortRight = 64;  // short rows on the right of a tile
constexpr int64_t kPairSide = 8;     // longer rows on each side of a tile
constexpr int64_t kManyTiles = 64;   // tiles that threads can share evenly

struct Nest {
  std::vector<Loop*> loops;
  const Loop& left() const { return *loops[loops.size() - 2]; }
  const Loop& right() const { return *loops.back(); }
};

Nest nest_of(Loop& outer) {
  Nest n;
  for (Loop* loop = &outer; loop; loop = inner_of_nest(loop->body)) n.loops.push_back(loop);
  return n;
}

bool is_constant(const Instr& i) {
  const auto* s = std::get_if<ScalarInstr>(&i.node);
  return s && s->op == ScalarOp::Const;
}

// The loads of reductions.
struct Reads {
  bool without_left = false, without_right = false, plain = true;

  void look(const Body& body, const Nest& n, bool reduces) {
    for (const Instr& i : body) {
      if (const auto* l = std::get_if<LoadInstr>(&i.node); l && reduces) {
        without_left |= !l->index.uses(n.left().var);
        without_right |= !l->index.uses(n.right().var);
      }
      // A store in a reduction may be what another one reads.
      plain = plain && !std::holds_alternative<BindInstr>(i.node) &&
              !(reduces && std::holds_alternative<StoreInstr>(i.node));
      if (const auto* loop = std::get_if<Loop>(&i.node)) {
        plain = plain && !loop->accumulators.empty() && loop->carries.empty() && !loop->extent.uses(n.left().var) &&
                !loop->extent.uses(n.right().var);
        look(loop->body, n, true);
      }
    }
  }
};

// Copies of instructions for the iterations of a loop that run side by side. An instruction that does not depend on the
// loop has one copy.
class Copies {
 public:
  Copies(Kernel& k, std::string var, std::vector<Dim> at) : k_(k), var_(std::move(var)), at_(std::move(at)) {}

  Body run(const Body& body) {
    Body out;
    for (const Instr& i : body) {
      const size_t count = depends(i) ? at_.size() : 1;
      if (const auto* loop = std::get_if<Loop>(&i.node))
        out.push_back({run(*loop)});
      else
        for (size_t c = 0; c < count; ++c) out.push_back(copy(i, c, count > 1));
    }
    return out;
  }

 private:
  Reg at(Reg r, size_t c) const {
    const auto found = copies_.find(r);
    return found == copies_.end() ? r : found->second[c];
  }

  // The register of copy `c`; of the only copy, which all share, if there are not `many`.
  Reg add(Reg r, size_t c, bool many) {
    const Reg fresh = k_.new_reg(k_.reg_types[r]);
    k_.set_origin(fresh, k_.origin(r));
    std::vector<Reg>& all = copies_[r];
    if (all.empty()) all.assign(at_.size(), fresh);
    all[c] = fresh;
    if (many) many_.insert(r);
    return fresh;
  }

  bool depends(Reg r) const { return many_.count(r) != 0; }

  bool depends(const Instr& i) const {
    if (const auto* s = std::get_if<ScalarInstr>(&i.node))
      return std::any_of(s->args.begin(), s->args.begin() + arity(s->op), [&](Reg r) { return depends(r); });
    if (const auto* l = std::get_if<LoadInstr>(&i.node)) return l->index.uses(var_) || depends(l->mask);
    if (const auto* x = std::get_if<IndexInstr>(&i.node)) return x->index.uses(var_);
    return true;
  }

  Instr copy(const Instr& i, size_t c, bool many) {
    Instr out = i;
    const auto place = [&](const Dim& d) { return d.substitute(var_, at_[c]); };
    const auto name = [&](Reg& r) { r = add(r, c, many); };
    if (auto* s = std::get_if<ScalarInstr>(&out.node)) {
      for (int a = 0; a < arity(s->op); ++a) s->args[static_cast<size_t>(a)] = at(s->args[static_cast<size_t>(a)], c);
      name(s->result);
    } else if (auto* l = std::get_if<LoadInstr>(&out.node)) {
      l->index = place(l->index);
      if (l->mask != kNoReg) l->mask = at(l->mask, c);
      name(l->result);
    } else if (auto* x = std::get_if<IndexInstr>(&out.node)) {
      x->index = place(x->index);
      name(x->result);
    } else if (auto* s = std::get_if<StoreInstr>(&out.node)) {
      s->index = place(s->index);
      s->value = at(s->value, c);
      if (s->mask != kNoReg) s->mask = at(s->mask, c);
    }
    return out;
  }

  Loop run(const Loop& loop) {
    Loop out = loop;
    out.var = unlike_all(k_, loop.var + "_" + std::to_string(at_.size()));
    out.body = run(loop.body);
    out.accumulators.clear();
    for (const Accumulator& a : loop.accumulators) {
      const bool many = depends(a.value) || depends(a.position);
      for (size_t c = 0; c < (many ? at_.size() : 1); ++c) {
        Accumulator one = a;
        one.value = at(a.value, c);
        if (a.position != kNoReg) one.position = at(a.position, c);
        one.result = add(a.result, c, many);
        out.accumulators.push_back(one);
      }
    }
    rewrite_dims(out.body, [&](const Dim& d) { return d.substitute(loop.var, Dim::symbol(out.var)); });
    return out;
  }

  Kernel& k_;
  std::string var_;
  std::vector<Dim> at_;
  std::map<Reg, std::vector<Reg>> copies_;
  std::set<Reg> many_;  // registers that depend on the loop
};

}  // namespace

bool has_row_pairs(Loop& outer, const DimFacts& facts) {
  const Nest n = nest_of(outer);
  if (n.loops.size() < 2 || facts.range(n.right().extent).high < 2) return false;
  for (size_t i = 0; i + 1 < n.loops.size(); ++i)
    if (!std::all_of(n.loops[i]->body.begin(), n.loops[i]->body.end() - 1, is_constant)) return false;
  Reads reads;
  reads.look(n.right().body, n, false);
  return reads.plain && reads.without_left && reads.without_right;
}

void put_pairs_in_lanes(Kernel& k, Loop& outer, int lanes, bool staged) {
  const Nest n = nest_of(outer);
  tile_axis(outer, n.loops.size() - 2, kShortLeft, kShortRight, unlike_all(k, "u"), k.facts);
  Loop& left = std::get<Loop>(outer.body[0].node);
  std::get<Loop>(left.body[0].node).vector = lanes;
  if (!staged) return;
  stage_rows(k, left, kShortRight, lanes);
  // Rows that are the same for all rows on the left are turned once, in front of the loop over those.
  Body front, inside;
  bool before = true;
  for (Instr& i : left.body) {
    bool moves = false;
    const auto* loop = std::get_if<Loop>(&i.node);
    for_each_dim(loop->body, [&](const Dim& d) { moves = moves || d.uses(left.var); });
    before = before && loop->vector == 0;
    (before && !moves ? front : inside).push_back(std::move(i));
  }
  left.body = std::move(inside);
  front.push_back(std::move(outer.body[0]));
  outer.body = std::move(front);
}

void reduce_pairs_together(Kernel& k, Loop& outer, int together) {
  const Nest n = nest_of(outer);
  Dim pairs = 1;
  for (const Loop* loop : n.loops) pairs *= loop->extent;
  const bool many = k.facts.range(pairs).high >= kManyTiles * kPairSide * kPairSide;
  tile_axis(outer, n.loops.size() - 2, many ? kPairSide : 1, many ? kPairSide : together, unlike_all(k, "u"), k.facts);
  Loop& left = std::get<Loop>(outer.body[0].node);
  Loop right = std::move(std::get<Loop>(left.body[0].node));
  DimFacts facts = k.facts;
  facts.set_loop(outer.var, outer.extent);
  facts.set_loop(left.var, left.extent);
  Loop groups;
  groups.var = unlike_all(k, right.var + "_group");
  groups.extent = facts.simplify(floor_div(right.extent, together));
  std::vector<Dim> at;
  for (int c = 0; c < together; ++c) at.push_back(Dim::symbol(groups.var) * Dim(together) + Dim(c));
  groups.body = Copies(k, right.var, at).run(right.body);
  left.body.clear();
  left.body.push_back({std::move(groups)});
  const Dim rest = facts.simplify(mod(right.extent, together));
  if (rest.is(0)) return;
  const Dim done = facts.simplify(floor_div(right.extent, together) * Dim(together));
  right.extent = rest;
  rewrite_dims(right.body, [&](const Dim& d) { return d.substitute(right.var, done + Dim::symbol(right.var)); });
  left.body.push_back({std::move(right)});
}

}  // namespace frit::passes
