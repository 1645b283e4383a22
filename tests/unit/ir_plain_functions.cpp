// Formulas for machines without fused multiplication: at most three times the operations of those with it.
#include <gtest/gtest.h>

#include <set>

#include "ir/math/expand.h"
#include "ir/scalar/scalar.h"

namespace frit::ir {
namespace {

// Whether a selection has the long reduction of large angles on its first side, which code goes past.
bool is_rare(const ScalarProgram& p, const ScalarNode& n) {
  if (n.op != ScalarOp::Select) return false;
  const ScalarNode& test = p.nodes[n.args[0]];
  return test.op == ScalarOp::Ge && p.nodes[test.args[1]].op == ScalarOp::Const && p.nodes[test.args[1]].imm != 0;
}

// Operations that usual arguments take.
size_t usual_work(ScalarOp op, Dtype type, Arithmetic arithmetic) {
  ScalarProgram p;
  ScalarBuilder b(p.nodes);
  const Dtype computed = type == float64 ? float64 : float32;
  std::vector<uint32_t> args;
  for (int i = 0; i < arity(op); ++i) args.push_back(b.input(computed, static_cast<uint32_t>(i)));
  const uint32_t result = expand_function(b, op, args, arithmetic, type);
  std::set<uint32_t> seen;
  auto visit = [&](auto& self, uint32_t node) -> void {
    if (!seen.insert(node).second) return;
    const ScalarNode& n = p.nodes[node];
    for (int i = is_rare(p, n) ? 2 : 0; i < arity(n.op); ++i) self(self, n.args[i]);
  };
  visit(visit, result);
  return seen.size();
}

TEST(PlainFunctions, TakeAtMostThreeTimesTheOperations) {
  for (Dtype type : {float32, float64, float16, bfloat16})
    for (int i = 0; i < kScalarOpCount; ++i) {
      const auto op = static_cast<ScalarOp>(i);
      if (!is_function(op)) continue;
      const size_t fused = usual_work(op, type, Arithmetic::Fused), plain = usual_work(op, type, Arithmetic::Plain);
      EXPECT_LE(plain, 3 * fused) << name(op) << " of " << short_name(type);
    }
}

}  // namespace
}  // namespace frit::ir
