// Puts the work that follows the loops of each row, such as the logarithm of its sum, into the lanes of vectors.
#include "passes/schedule/row_tails.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "passes/lower/loop_nest.h"
#include "passes/schedule/operands.h"

namespace frit::passes {

using namespace ir;

namespace {

constexpr int64_t kVectorsAtOnce = 2;     // of rows, in one iteration of the parallel loop
constexpr int64_t kMostIterations = 512;  // of a row's loops; the tail of a longer row is a small part of its work

size_t tail_of(const Body& body) {
  size_t at = body.size();
  while (at > 0 && !std::holds_alternative<Loop>(body[at - 1].node)) --at;
  return at;
}

int64_t iterations(const Body& body) {
  int64_t total = 0;
  for (const Instr& i : body)
    if (const auto* loop = std::get_if<Loop>(&i.node)) {
      if (!loop->extent.is_const() || loop->extent.value() > kMostIterations) return kMostIterations + 1;
      total += loop->extent.value() * std::max<int64_t>(1, iterations(loop->body));
    }
  return total;
}

void for_each_read(Body& body, const std::function<void(Reg&)>& fn) {
  for (Instr& i : body) {
    for_each_operand(i, fn);
    if (auto* loop = std::get_if<Loop>(&i.node)) for_each_read(loop->body, fn);
  }
}

}  // namespace

void hand_over(Kernel& k, Loop& head, Loop& tail, int64_t count) {
  std::map<Reg, const ScalarInstr*> constants;
  std::set<Reg> defined;
  for (Instr& i : head.body) {
    if (const Reg* r = defined_by(i)) defined.insert(*r);
    if (const auto* s = std::get_if<ScalarInstr>(&i.node); s && s->op == ScalarOp::Const) constants[s->result] = s;
    if (const auto* loop = std::get_if<Loop>(&i.node))
      for (const Accumulator& a : loop->accumulators) defined.insert(a.result);
  }
  Body before, keep;
  std::map<Reg, Reg> inside;
  for_each_read(tail.body, [&](Reg& r) {
    if (!defined.contains(r)) return;
    const auto [at, is_new] = inside.try_emplace(r, r);
    if (is_new) {
      at->second = k.new_reg(k.reg_types[r]);
      k.set_origin(at->second, k.origin(r));
      if (const auto found = constants.find(r); found != constants.end()) {
        ScalarInstr copy = *found->second;
        copy.result = at->second;
        before.push_back({copy});
      } else {
        const uint32_t local = add_local(k, "tail" + std::to_string(inside.size()), k.reg_types[r], Dim(count));
        keep.push_back({StoreInstr{local, Dim::symbol(head.var), r}});
        before.push_back({LoadInstr{at->second, local, Dim::symbol(tail.var)}});
      }
    }
    r = at->second;
  });
  std::move(keep.begin(), keep.end(), std::back_inserter(head.body));
  std::move(tail.body.begin(), tail.body.end(), std::back_inserter(before));
  tail.body = std::move(before);
}

bool has_long_tail(const Kernel& k, const Loop& rows, int lanes) {
  const size_t first = tail_of(rows.body);
  if (first == 0 || k.facts.range(rows.extent).high < kVectorsAtOnce * lanes) return false;
  if (iterations(rows.body) > kMostIterations) return false;
  bool computes = false;
  for (size_t i = 0; i < rows.body.size(); ++i) {
    const auto& node = rows.body[i].node;
    if (i < first) {
      if (std::holds_alternative<BindInstr>(node)) return false;
      continue;
    }
    if (const auto* s = std::get_if<ScalarInstr>(&node)) computes = computes || is_function(s->op);
    if (const auto* l = std::get_if<LoadInstr>(&node); l && l->buffer >= k.buffers.size()) return false;
    if (const auto* s = std::get_if<StoreInstr>(&node)) {
      const auto along = s->index.affine_in(rows.var);
      if (s->buffer >= k.buffers.size() || !along || !along->coefficient.is(1)) return false;
    }
  }
  return computes;
}

void put_tails_in_lanes(Kernel& k, Loop& rows, int lanes, const std::string& var) {
  const int64_t count = kVectorsAtOnce * lanes;
  strip(rows, count, var, k.facts);
  Loop& head = std::get<Loop>(rows.body[0].node);
  Loop tail;
  tail.var = unlike_all(k, var + "_tail");
  tail.extent = head.extent;
  tail.vector = lanes;
  const auto first = head.body.begin() + static_cast<ptrdiff_t>(tail_of(head.body));
  tail.body.assign(std::make_move_iterator(first), std::make_move_iterator(head.body.end()));
  head.body.erase(first, head.body.end());
  rewrite_dims(tail.body, [&](const Dim& d) { return d.substitute(var, Dim::symbol(tail.var)); });
  hand_over(k, head, tail, count);
  rows.body.push_back({std::move(tail)});
}

}  // namespace frit::passes
