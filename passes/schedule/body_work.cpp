// The work and the widths of a kernel's bodies.
#include "passes/schedule/body_work.h"

#include <algorithm>

#include "passes/lower/loop_nest.h"

namespace frit::passes {

using namespace ir;

namespace {

constexpr int kFunctionCost = 20;

}  // namespace

bool finds_position(const Accumulator& a) { return a.combine == Combine::ArgMax || a.combine == Combine::ArgMin; }

int64_t straight_work(const Body& body) {
  int64_t total = 0;
  for (const Instr& i : body) {
    if (auto* s = std::get_if<ScalarInstr>(&i.node)) {
      total += s->op == ScalarOp::Const ? 0 : is_function(s->op) ? kFunctionCost : 1;
    } else if (!std::holds_alternative<Loop>(i.node)) {
      total += 2;
    }
  }
  return total;
}

Dim work(const Kernel& k, const Body& body) {
  Dim total = std::max<int64_t>(1, straight_work(body));
  for (const Instr& i : body)
    if (auto* loop = std::get_if<Loop>(&i.node)) {
      Dim extent = loop->extent.substitute([&](const std::string& name) -> std::optional<Dim> {
        if (std::find(k.symbols.begin(), k.symbols.end(), name) != k.symbols.end()) return std::nullopt;
        return Dim(0);
      });
      total += k.facts.simplify(extent) * work(k, loop->body);
    }
  return total;
}

int64_t leaf_work(const Body& body) {
  int64_t total = straight_work(body);
  for (const Instr& i : body)
    if (auto* loop = std::get_if<Loop>(&i.node)) total += leaf_work(loop->body);
  return total;
}

int accumulator_count(const Body& body) {
  int count = 0;
  for (const Instr& i : body)
    if (auto* loop = std::get_if<Loop>(&i.node))
      count = std::max<int>(count, static_cast<int>(loop->accumulators.size()) + accumulator_count(loop->body));
  return count;
}

int innermost_accumulators(const Body& body) {
  const auto own = [](const Loop& loop) {
    return static_cast<int>(
        loop.accumulators.size() +
        static_cast<size_t>(std::count_if(loop.accumulators.begin(), loop.accumulators.end(), finds_position)));
  };
  int count = 0;
  for (const Instr& i : body)
    if (auto* loop = std::get_if<Loop>(&i.node))
      count = std::max<int>(count, contains_loop(loop->body) ? innermost_accumulators(loop->body) : own(*loop));
  return count;
}

int widest(const Kernel& k, const Body& body) {
  int bytes = 1;
  std::vector<Reg> found;
  // A position that is computed in 32 bits is widened for its name only.
  const auto is_bound = [&](Reg r) {
    return std::any_of(body.begin(), body.end(), [&](const Instr& i) {
      const auto* bind = std::get_if<BindInstr>(&i.node);
      return bind && bind->value == r;
    });
  };
  auto reg = [&](Reg r) {
    if (k.reg_types[r] != bool_) bytes = std::max<int>(bytes, compute_type(k.reg_types[r]).size());
  };
  const auto is_found = [&](Reg r) { return std::find(found.begin(), found.end(), r) != found.end(); };
  for (const Instr& i : body) {
    if (auto* loop = std::get_if<Loop>(&i.node))
      for (const Accumulator& a : loop->accumulators)
        if (finds_position(a)) found.push_back(a.result);
    if (auto* s = std::get_if<ScalarInstr>(&i.node)) {
      if (s->op == ScalarOp::Cast && is_found(s->args[0]))
        found.push_back(s->result);
      else if (s->op != ScalarOp::Cast || !is_bound(s->result))
        reg(s->result);
    }
    if (auto* l = std::get_if<LoadInstr>(&i.node)) reg(l->result);
    if (auto* s = std::get_if<StoreInstr>(&i.node); s && !is_found(s->value)) reg(s->value);
    if (auto* loop = std::get_if<Loop>(&i.node)) bytes = std::max(bytes, widest(k, loop->body));
  }
  return bytes;
}

int64_t narrowest(const Kernel& k, const Body& body) {
  int64_t bytes = 8;
  for (const Instr& i : body) {
    if (const auto* l = std::get_if<LoadInstr>(&i.node))
      bytes = std::min<int64_t>(bytes, k.buffer(l->buffer).dtype.size());
    if (const auto* loop = std::get_if<Loop>(&i.node)) bytes = std::min(bytes, narrowest(k, loop->body));
  }
  return bytes;
}

bool finds_positions(const Body& body) {
  return std::any_of(body.begin(), body.end(), [](const Instr& i) {
    const auto* loop = std::get_if<Loop>(&i.node);
    return loop && std::any_of(loop->accumulators.begin(), loop->accumulators.end(), finds_position);
  });
}

bool accesses_move(const Loop& loop) {
  const auto uses = [&](auto&& self, const Body& body) -> bool {
    return std::any_of(body.begin(), body.end(), [&](const Instr& i) {
      if (const auto* l = std::get_if<LoadInstr>(&i.node)) return l->index.uses(loop.var);
      if (const auto* s = std::get_if<StoreInstr>(&i.node)) return s->index.uses(loop.var);
      if (const auto* x = std::get_if<IndexInstr>(&i.node)) return x->index.uses(loop.var);
      const auto* inner = std::get_if<Loop>(&i.node);
      return inner && self(self, inner->body);
    });
  };
  return uses(uses, loop.body);
}

}  // namespace frit::passes
