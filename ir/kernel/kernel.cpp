// Queries on kernels: combines, the parallel loop, and the cost of a launch.
#include "ir/kernel/kernel.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace frit::ir {

// Vectors of kernels move them as they grow: each may have all facts of its function.
static_assert(std::is_nothrow_move_constructible_v<Kernel>);

namespace {

// A function that ir/math has not expanded yet counts as this many operations.
constexpr int64_t kFunctionFlops = 16;

int64_t flops_of(ScalarOp op, Dtype type) {
  if (!is_float(type)) return 0;
  if (is_function(op)) return kFunctionFlops;
  if (op == ScalarOp::Fma || op == ScalarOp::Madd) return 2;
  return op >= ScalarOp::Add && op <= ScalarOp::Sqrt && op != ScalarOp::Neg && op != ScalarOp::Abs ? 1 : 0;
}

// Whether the trip count of a loop of `body` depends on `var`.
bool shapes_loops(const Body& body, const std::string& var) {
  return std::any_of(body.begin(), body.end(), [&](const Instr& i) {
    const auto* loop = std::get_if<Loop>(&i.node);
    return loop && (loop->extent.uses(var) || shapes_loops(loop->body, var));
  });
}

// Adds the operations of `body`, which runs `times` times. `inner` has the values of variables around it. Where trip
// counts depend on a loop of few iterations, each is counted: the members of a joined kernel, the pieces of a long sum.
// Otherwise they are those of the first iteration, where a remainder loop is longest.
void count(const Body& body, const Dim& times, std::vector<std::pair<std::string, Dim>>& inner, Dim& flops) {
  constexpr int64_t kFew = 64;
  int64_t here = 0;
  const size_t scope = inner.size();
  for (const Instr& instr : body) {
    if (const auto* scalar = std::get_if<ScalarInstr>(&instr.node)) {
      here += flops_of(scalar->op, scalar->type);
    } else if (const auto* bind = std::get_if<BindInstr>(&instr.node)) {
      inner.emplace_back(bind->name, 0);
    } else if (const auto* loop = std::get_if<Loop>(&instr.node)) {
      Dim extent = loop->extent;
      for (const auto& [name, value] : inner) extent = extent.substitute(name, value);
      const Dim iterations = times * extent;
      int64_t folded = 0;
      for (const Accumulator& a : loop->accumulators) folded += is_float(a.type);
      flops += iterations * Dim(folded);
      const bool each = extent.is_const() && extent.value() <= kFew && shapes_loops(loop->body, loop->var);
      for (int64_t i = 0; i < (each ? extent.value() : 1); ++i) {
        inner.emplace_back(loop->var, i);
        count(loop->body, each ? times : iterations, inner, flops);
        inner.pop_back();
      }
    }
  }
  inner.resize(scope, {"", Dim(0)});
  flops += times * Dim(here);
}

}  // namespace

ScalarOp combine_op(Combine combine) {
  switch (combine) {
    case Combine::Sum: return ScalarOp::Add;
    case Combine::Prod: return ScalarOp::Mul;
    case Combine::Max: return ScalarOp::Max;
    case Combine::Min: return ScalarOp::Min;
    case Combine::And: return ScalarOp::And;
    case Combine::Or: return ScalarOp::Or;
    case Combine::ArgMax: return ScalarOp::Max;
    case Combine::ArgMin: return ScalarOp::Min;
  }
  return ScalarOp::Add;
}

uint64_t combine_identity(Combine combine, Dtype type) {
  // For an integer or bool: all bits below the sign (if there is one), and the sign itself.
  uint64_t all = type == bool_ ? 1 : ~uint64_t{0} >> (64 - 8 * type.size());
  uint64_t sign = is_signed_int(type) ? all ^ (all >> 1) : 0;
  double infinity = std::numeric_limits<double>::infinity();
  switch (combine) {
    case Combine::Sum:
    case Combine::Or: return 0;
    case Combine::Prod: return double_to_bits(type, 1);
    case Combine::And: return all;
    case Combine::Max:
    case Combine::ArgMax: return is_float(type) ? double_to_bits(type, -infinity) : sign;
    case Combine::Min:
    case Combine::ArgMin: return is_float(type) ? double_to_bits(type, infinity) : all ^ sign;
  }
  return 0;
}

std::array<uint64_t, 2> scan_identity(const OpDef& def, Dtype type) {
  if (!is_complex(type)) return {combine_identity(def.combine, type), 0};
  const uint64_t real = combine_identity(def.combine, float32);
  const bool orders = def.combine == Combine::Max || def.combine == Combine::Min;
  return {real, orders && !def.real_identity ? real : 0};
}

void add_binding(DimFacts& facts, const BindInstr& bind) {
  if (bind.low.is(0))
    facts.set_loop(bind.name, bind.high + Dim(1));
  else
    facts.set_range(bind.name, {facts.range(bind.low).low, facts.range(bind.high).high});
}

namespace {

// Whether two iterations of a loop over `var` may store at one position: a store does not use the variable, or uses a
// binding of the body.
bool may_store_twice(const Body& body, const std::string& var, std::vector<std::string>& bound) {
  for (const Instr& instr : body) {
    if (const auto* bind = std::get_if<BindInstr>(&instr.node)) {
      bound.push_back(bind->name);
    } else if (const auto* store = std::get_if<StoreInstr>(&instr.node)) {
      if (!store->index.uses(var)) return true;
      for (const std::string& name : bound)
        if (store->index.uses(name)) return true;
    } else if (const auto* loop = std::get_if<Loop>(&instr.node)) {
      if (may_store_twice(loop->body, var, bound)) return true;
    }
  }
  return false;
}

}  // namespace

bool is_ordered(const Loop& loop) {
  if (!loop.accumulators.empty() || !loop.carries.empty()) return true;
  std::vector<std::string> bound;
  return loop.kind == LoopKind::Serial && may_store_twice(loop.body, loop.var, bound);
}

const Loop* parallel_loop(const Kernel& k) {
  for (const Instr& instr : k.body)
    if (const auto* loop = std::get_if<Loop>(&instr.node); loop && loop->kind == LoopKind::Parallel) return loop;
  return nullptr;
}

KernelCost cost(const Kernel& k) {
  KernelCost c{0, 0, 0};
  std::vector<std::pair<std::string, Dim>> inner;
  count(k.body, 1, inner, c.flops);
  for (const KernelBuffer& b : k.buffers) {
    Dim bytes = b.size * Dim(int64_t{b.dtype.size()});
    if (b.read) c.bytes_read += bytes;
    if (b.written) c.bytes_written += bytes;
  }
  return c;
}

}  // namespace frit::ir
