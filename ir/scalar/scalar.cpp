// The table of scalar operations, their type rules, and the ScalarBuilder.
#include "ir/scalar/scalar.h"

#include <cassert>
#include <cmath>

#include "frit/half.h"
#include "ir/scalar/scalar_value.h"

namespace frit::ir {

namespace {

struct Row {
  std::string_view name;
  int arity;
};

// In enumerator order.
constexpr std::array<Row, kScalarOpCount> kRows{{
    {"const", 0}, {"input", 0}, {"add", 2},   {"sub", 2},   {"mul", 2},   {"div", 2},    {"rem", 2},    {"neg", 1},
    {"abs", 1},   {"min", 2},   {"max", 2},   {"floor", 1}, {"ceil", 1},  {"trunc", 1},  {"round", 1},  {"sqrt", 1},
    {"fma", 3},   {"eq", 2},    {"ne", 2},    {"lt", 2},    {"le", 2},    {"gt", 2},     {"ge", 2},     {"and", 2},
    {"or", 2},    {"xor", 2},   {"not", 1},   {"shl", 2},   {"shr", 2},   {"select", 3}, {"cast", 1},   {"bitcast", 1},
    {"madd", 3},  {"exp", 1},   {"exp2", 1},  {"expm1", 1}, {"log", 1},   {"log2", 1},   {"log10", 1},  {"log1p", 1},
    {"sin", 1},   {"cos", 1},   {"tan", 1},   {"asin", 1},  {"acos", 1},  {"atan", 1},   {"atan2", 2},  {"sinh", 1},
    {"cosh", 1},  {"tanh", 1},  {"asinh", 1}, {"acosh", 1}, {"atanh", 1}, {"erf", 1},    {"erfinv", 1}, {"sigmoid", 1},
    {"pow", 2},   {"rsqrt", 1},
}};
static_assert(kRows[static_cast<int>(ScalarOp::Bitcast)].name == "bitcast");
static_assert(kRows[static_cast<int>(ScalarOp::Rsqrt)].name == "rsqrt");

}  // namespace

std::string_view name(ScalarOp op) { return kRows[static_cast<size_t>(op)].name; }

std::optional<ScalarOp> parse_scalar_op(std::string_view text) {
  for (int i = 0; i < kScalarOpCount; ++i)
    if (kRows[static_cast<size_t>(i)].name == text) return static_cast<ScalarOp>(i);
  return std::nullopt;
}

int arity(ScalarOp op) { return kRows[static_cast<size_t>(op)].arity; }

bool types_fit(ScalarOp op, Dtype result, std::span<const Dtype> operands) {
  if (operands.size() != static_cast<size_t>(arity(op)) || is_complex(result)) return false;
  for (Dtype t : operands)
    if (is_complex(t)) return false;
  if (op == ScalarOp::Const || op == ScalarOp::Input || op == ScalarOp::Cast) return true;
  if (op == ScalarOp::Bitcast) return operands[0].size() == result.size();
  if (op == ScalarOp::Select) return operands[0] == bool_ && operands[1] == result && operands[2] == result;
  for (Dtype t : operands)
    if (t != operands[0]) return false;
  if (result != (is_comparison(op) ? bool_ : operands[0])) return false;
  if (is_expanded(op)) return result == float32 || result == float64;
  return primitive_function(op, result, operands[0]) != nullptr;
}

uint32_t ScalarBuilder::append(ScalarNode node) {
#ifndef NDEBUG
  std::array<Dtype, 3> types{float32, float32, float32};
  size_t n = static_cast<size_t>(arity(node.op));
  for (size_t i = 0; i < n; ++i) types[i] = nodes_[node.args[i]].type;
  assert(types_fit(node.op, node.type, std::span(types).first(n)) && "operand types do not fit the scalar op");
#endif
  nodes_.push_back(node);
  return static_cast<uint32_t>(nodes_.size() - 1);
}

uint32_t ScalarBuilder::input(Dtype type, uint32_t index) { return append({ScalarOp::Input, type, {}, index}); }

uint32_t ScalarBuilder::constant(Dtype type, double value) { return constant_bits(type, double_to_bits(type, value)); }

uint32_t ScalarBuilder::constant_int(Dtype type, int64_t value) {
  Dtype from = int64;
  uint64_t bits = static_cast<uint64_t>(value);
  return constant_bits(type, evaluate(ScalarOp::Cast, type, {&from, 1}, {&bits, 1}));
}

uint32_t ScalarBuilder::constant_bits(Dtype type, uint64_t bits) {
  return append({ScalarOp::Const, type, {}, bits & width_mask(type)});
}

uint32_t ScalarBuilder::unary(ScalarOp op, uint32_t a) { return append({op, type(a), {a}}); }

uint32_t ScalarBuilder::binary(ScalarOp op, uint32_t a, uint32_t b) {
  return append({op, is_comparison(op) ? bool_ : type(a), {a, b}});
}

uint32_t ScalarBuilder::ternary(ScalarOp op, uint32_t a, uint32_t b, uint32_t c) {
  return append({op, type(a), {a, b, c}});
}

uint32_t ScalarBuilder::select(uint32_t condition, uint32_t a, uint32_t b) {
  return append({ScalarOp::Select, type(a), {condition, a, b}});
}

uint32_t ScalarBuilder::cast(Dtype type, uint32_t a) {
  return this->type(a) == type ? a : append({ScalarOp::Cast, type, {a}});
}

uint32_t ScalarBuilder::bitcast(Dtype type, uint32_t a) {
  return this->type(a) == type ? a : append({ScalarOp::Bitcast, type, {a}});
}

uint64_t double_to_bits(Dtype type, double value) {
  if (is_float(type) || type == bool_) {
    Dtype from = float64;
    uint64_t bits = std::bit_cast<uint64_t>(value);
    return evaluate(ScalarOp::Cast, type, {&from, 1}, {&bits, 1});
  }
  if (!std::isfinite(value)) return 0;
  double whole = std::fmod(std::trunc(value), 0x1p64);
  uint64_t magnitude = static_cast<uint64_t>(std::fabs(whole));
  return (whole < 0 ? 0 - magnitude : magnitude) & width_mask(type);
}

double bits_to_double(Dtype type, uint64_t bits) {
  uint64_t result = evaluate(ScalarOp::Cast, float64, {&type, 1}, {&bits, 1});
  return std::bit_cast<double>(result);
}

}  // namespace frit::ir
