// The closed set of scalar operations, and straight-line programs over it.
//
// Backends and the interpreters switch over ScalarOp exhaustively. A tensor operation's meaning is a ScalarProgram
// (ir/graph/op.h says where it comes from); a kernel's arithmetic consists of the same nodes (ir/kernel/kernel.h).
//
// Types: arithmetic is done in bool, the eight integers, f32 and f64. f16 and bf16 exist only as the result of a Cast
// or a Load and must be Cast to f32 before arithmetic. Complex numbers are pairs of f32 and never reach this level.
//
// Operand types, as decided by types_fit:
// - Add .. Abs: integers and floats
// - Min, Max and comparisons: integers, floats and bool (false < true)
// - Floor .. Fma, Madd and the functions: f32 and f64
// - And .. Not: integers and bool
// - Shl, Shr: integers
// - Const, Select, Cast and Bitcast: every type, f16 and bf16 included
//
// Meaning, the same on every target:
// - Integers wrap. Div and Rem of integers truncate towards zero; division by zero gives 0; the least value over -1
//   wraps.
// - Shl and Shr by a count outside [0, width) give 0 (Shr of a negative value: -1). Shr is arithmetic for signed types.
// - Float Add, Sub, Mul, Div, Sqrt and Fma are IEEE, rounded to nearest even, never contracted or reassociated. Rem is
//   C's fmod.
// - Min(x, y) is x if x < y or x is NaN, else y; Max mirrors it. A NaN in either argument gives NaN.
// - Comparisons are ordered (false on NaN), except Ne, which is true on NaN. Round goes to nearest even.
// - Cast from float to int truncates, saturates, and maps NaN to 0. A cast to bool is x != 0; bool to number gives 0 or
//   1; int to int wraps. A cast to f16 or bf16 rounds the exact value once, to nearest even, also from f64 and from
//   wide integers, never by way of f32.
// - Bitcast keeps the bits between types of one width; to bool it is x != 0. Select(c, a, b) never mixes bits of a and
//   b.
// - Neg and Abs of floats change only the sign bit, also of NaNs. The sign and payload of a NaN from any other float
//   operation are not specified: results are compared with all NaNs equal.
// - Madd(x, y, z) is x * y + z: an Fma on machines that have one, else a Mul and an Add, so that a step of a sum of
//   products is cheap on either. Its expansion in ir/math decides.
// - The functions from Exp on are defined by their expansion in ir/math, the one definition for eager, compiled and
//   folded code.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ir/base/dtype.h"

namespace frit::ir {

enum class ScalarOp : uint8_t {
  // leaves
  Const,  // imm: the value's bits
  Input,  // imm: the index of the input (ScalarProgram only)
  // arithmetic
  Add,
  Sub,
  Mul,
  Div,
  Rem,
  Neg,
  Abs,
  Min,
  Max,
  Floor,
  Ceil,
  Trunc,
  Round,
  Sqrt,
  Fma,
  // comparison: operands of one type, result bool
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  // bits: integers and bool
  And,
  Or,
  Xor,
  Not,
  Shl,
  Shr,
  // choice and conversion
  Select,   // a: bool, b and c: the result's type
  Cast,     // by value
  Bitcast,  // by bits
  // steps of sums, f32 and f64
  Madd,
  // functions, f32 and f64
  Exp,
  Exp2,
  Expm1,
  Log,
  Log2,
  Log10,
  Log1p,
  Sin,
  Cos,
  Tan,
  Asin,
  Acos,
  Atan,
  Atan2,
  Sinh,
  Cosh,
  Tanh,
  Asinh,
  Acosh,
  Atanh,
  Erf,
  Erfinv,
  Sigmoid,
  Pow,
  Rsqrt,
};
inline constexpr int kScalarOpCount = static_cast<int>(ScalarOp::Rsqrt) + 1;

std::string_view name(ScalarOp op);  // the spelling in kernel text: "add", "fma", ...
std::optional<ScalarOp> parse_scalar_op(std::string_view name);
int arity(ScalarOp op);
// Whether `op` takes operands of these types (arity(op) of them) and gives `result`.
bool types_fit(ScalarOp op, Dtype result, std::span<const Dtype> operands);
// True from Exp on: functions of analysis.
constexpr bool is_function(ScalarOp op) { return op >= ScalarOp::Exp; }
// Whether ir/math expands the operation before a backend sees it: functions, and Madd.
constexpr bool is_expanded(ScalarOp op) { return op >= ScalarOp::Madd; }
constexpr bool is_comparison(ScalarOp op) { return op >= ScalarOp::Eq && op <= ScalarOp::Ge; }

struct ScalarNode {
  ScalarOp op;
  Dtype type = float32;            // of the result
  std::array<uint32_t, 3> args{};  // indices of earlier nodes; arity(op) entries
  uint64_t imm = 0;                // of a Const: bits, zero-extended; of an Input: its index
};

// Nodes in order of definition; results name nodes. A complex64 operand takes two inputs (re, im), and a complex64
// result two results.
struct ScalarProgram {
  std::vector<Dtype> inputs;
  std::vector<ScalarNode> nodes;
  std::vector<uint32_t> results;
};

// Appends nodes. Types are checked by assertion: a wrong type is a bug in the caller.
class ScalarBuilder {
 public:
  explicit ScalarBuilder(std::vector<ScalarNode>& nodes) : nodes_(nodes) {}
  uint32_t input(Dtype type, uint32_t index);
  uint32_t constant(Dtype type, double value);
  uint32_t constant_int(Dtype type, int64_t value);
  uint32_t constant_bits(Dtype type, uint64_t bits);
  uint32_t unary(ScalarOp op, uint32_t a);
  uint32_t binary(ScalarOp op, uint32_t a, uint32_t b);
  uint32_t ternary(ScalarOp op, uint32_t a, uint32_t b, uint32_t c);  // Fma or Madd
  uint32_t fma(uint32_t a, uint32_t b, uint32_t c) { return ternary(ScalarOp::Fma, a, b, c); }
  uint32_t select(uint32_t condition, uint32_t a, uint32_t b);
  uint32_t cast(Dtype type, uint32_t a);  // returns `a` if it already has that type
  uint32_t bitcast(Dtype type, uint32_t a);
  Dtype type(uint32_t node) const { return nodes_[node].type; }
  std::vector<ScalarNode>& nodes() { return nodes_; }

 private:
  uint32_t append(ScalarNode node);
  std::vector<ScalarNode>& nodes_;
};

// Evaluates one operation on bits, as every target computes it. Functions (Exp ...) use their expansion in ir/math,
// which targets compute too, or libm where a caller asks for an independent reference.
enum class FunctionSource : uint8_t { Expansion, Libm };
uint64_t evaluate(ScalarOp op, Dtype result, std::span<const Dtype> types, std::span<const uint64_t> args,
                  uint64_t imm = 0, FunctionSource source = FunctionSource::Expansion);

// The function behind `evaluate` for a primitive operation other than Const and Input, to be looked up once and called
// many times on the bits of arity(op) operands. `operand` is the type of the operands (for Select, of the chosen
// values). Null where undefined.
using PrimitiveFunction = uint64_t (*)(const uint64_t* args);
PrimitiveFunction primitive_function(ScalarOp op, Dtype result, Dtype operand);

// Runs a program on the bits of its inputs.
std::vector<uint64_t> evaluate(const ScalarProgram& program, std::span<const uint64_t> inputs,
                               FunctionSource source = FunctionSource::Expansion);

uint64_t double_to_bits(Dtype type, double value);  // rounded once; integers wrap
double bits_to_double(Dtype type, uint64_t bits);

}  // namespace frit::ir
