// Expands calls of math functions into primitive scalar nodes.
#include "ir/math/expand.h"

#include <cassert>
#include <cstdint>
#include <vector>

#include "ir/math/math.h"

namespace frit::ir {
namespace {

// Formulas are C++ expressions, whose operands compilers evaluate in different orders. Puts the nodes from `first` on
// into the one order that all agree on, depth first from the result through the operands, and gives the result's new
// node. Nodes that the result does not need go.
uint32_t put_in_operand_order(std::vector<ScalarNode>& nodes, uint32_t first, uint32_t result) {
  if (result < first) return result;
  constexpr uint32_t kUnplaced = UINT32_MAX;
  std::vector<ScalarNode> before(nodes.begin() + first, nodes.end());
  std::vector<uint32_t> place(before.size(), kUnplaced);
  nodes.resize(first);
  auto put = [&](auto& self, uint32_t node) -> uint32_t {
    if (node < first) return node;
    uint32_t& at = place[node - first];
    if (at != kUnplaced) return at;
    ScalarNode copy = before[node - first];
    for (int i = 0; i < arity(copy.op); ++i) copy.args[i] = self(self, copy.args[i]);
    nodes.push_back(copy);
    return at = static_cast<uint32_t>(nodes.size() - 1);
  };
  return put(put, result);
}

}  // namespace

uint32_t expand_function(ScalarBuilder& b, ScalarOp op, std::span<const uint32_t> args, Arithmetic arithmetic,
                         Dtype narrow) {
  assert(is_expanded(op) && args.size() == static_cast<size_t>(arity(op)));
  auto first = static_cast<uint32_t>(b.nodes().size());
  math::Writer writer{b, arithmetic};
  math::Expr x(writer, args[0]);
  math::Expr y(writer, args[args.size() > 1 ? 1 : 0]);
  // Where products are rounded before they are added, the shorter formulas of bf16 exp and of f16 sigmoid have another
  // bit in one place each.
  const bool shorter = narrow == float16 || (narrow == bfloat16 && arithmetic != Arithmetic::Plain);
  const bool shorter_sigmoid = narrow == float16 && arithmetic != Arithmetic::Plain;
  auto result = [&] {
    switch (op) {
      case ScalarOp::Madd: return math::madd(x, y, math::Expr(writer, args[2]));
      case ScalarOp::Exp: return shorter ? math::narrow_exp(x, narrow) : math::exp(x);
      case ScalarOp::Exp2: return shorter ? math::narrow_exp2(x, narrow) : math::exp2(x);
      case ScalarOp::Expm1: return math::expm1(x);
      case ScalarOp::Log: return math::log(x);
      case ScalarOp::Log2: return math::log2(x);
      case ScalarOp::Log10: return math::log10(x);
      case ScalarOp::Log1p: return math::log1p(x);
      case ScalarOp::Sin: return narrow == float16 ? math::half_sin(x) : math::sin(x);
      case ScalarOp::Cos: return narrow == float16 ? math::half_cos(x) : math::cos(x);
      case ScalarOp::Tan: return math::tan(x);
      case ScalarOp::Asin: return math::asin(x);
      case ScalarOp::Acos: return math::acos(x);
      case ScalarOp::Atan: return math::atan(x);
      case ScalarOp::Atan2: return math::atan2(x, y);
      case ScalarOp::Sinh: return math::sinh(x);
      case ScalarOp::Cosh: return math::cosh(x);
      case ScalarOp::Tanh: return math::tanh(x);
      case ScalarOp::Asinh: return math::asinh(x);
      case ScalarOp::Acosh: return math::acosh(x);
      case ScalarOp::Atanh: return math::atanh(x);
      case ScalarOp::Erf: return math::erf(x);
      case ScalarOp::Erfinv: return math::erfinv(x);
      case ScalarOp::Sigmoid: return shorter_sigmoid ? math::half_sigmoid(x) : math::sigmoid(x);
      case ScalarOp::Pow: return math::pow(x, y);
      case ScalarOp::Rsqrt: return math::rsqrt(x);
      default: return x;  // primitive: the assertion above
    }
  }();
  return put_in_operand_order(b.nodes(), first, result.node());
}

ScalarProgram expand_functions(const ScalarProgram& program, Arithmetic arithmetic) {
  ScalarProgram out;
  out.inputs = program.inputs;
  ScalarBuilder builder(out.nodes);
  std::vector<uint32_t> place;
  for (const ScalarNode& from : program.nodes) {
    ScalarNode node = from;
    auto count = static_cast<size_t>(arity(node.op));
    for (size_t i = 0; i < count; ++i) node.args[i] = place[from.args[i]];
    if (is_expanded(node.op)) {
      place.push_back(expand_function(builder, node.op, std::span(node.args).first(count), arithmetic));
      continue;
    }
    out.nodes.push_back(node);
    place.push_back(static_cast<uint32_t>(out.nodes.size() - 1));
  }
  for (uint32_t r : program.results) out.results.push_back(place[r]);
  return out;
}

}  // namespace frit::ir
