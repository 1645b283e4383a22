// The language of operation rows, in which ir/graph/op.h states `meanings` and `derivatives`.
//
//   text   := { name '=' expr ';' } expr
//   expr   := C's operators with C's precedence:  | ^ & == != < <= > >= << >> + - * / % unary- ! ~
//   factor := number | name | name '(' expr { ',' expr } ')' | '(' expr ')'
//
// Text is parsed into a RowText and then read in one of two ways: as arithmetic on scalars (`meaning`) or as graph
// operations (`derivative`). Besides the scalar operations, a meaning may call
//   raw(x)                      the operand before it is widened to the compute type
//   bits(v), float_of(v)        the bits of a float as the unsigned integer of its width, and back
//   bitcast(v, T), cast(v, T)   T: a short element type name, `compute` or `out`
//   as_out(a, b)                the complex number a + bi as the result's type: a, or for bool whether a or b is not 0
//   hypot(a, b), copysign(a, b) and the other shorthands of expression_meaning.cpp
//   ipow(x, y)                  an integer to an integer power, wrapping; unrolled over the bits of y
// and name the constants inf, nan, pi, eps (the distance from 1 to the next float), true, false and count_mask (of an
// integer type: 63 where it has 64 bits, 31 where it has fewer, as C counts shifts in int).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/base/result.h"
#include "ir/graph/op.h"

namespace frit::ir {

struct Expr {
  enum class Kind : uint8_t { Number, Name, Call };
  Kind kind = Kind::Number;
  std::string name;         // of a Name or Call; an operator is a Call of its scalar operation
  double number = 0;        // of a Number
  bool is_integer = false;  // of a Number: written without point or exponent
  std::vector<Expr> args;   // of a Call
};

struct RowText {
  std::vector<std::pair<std::string, Expr>> lets;  // in order; each may use earlier ones
  Expr result;
};

// Parses text; an error names the column.
Result<RowText> parse_row_text(std::string_view text);

// Whether a row of this domain takes operands of type `t`.
bool admits(TypeClass domain, Dtype t);

// Whether a meaning applies to operands whose first type other than bool is `t`. If all are bool, `t` is bool.
bool applies(MeaningFor m, Dtype t);

}  // namespace frit::ir
