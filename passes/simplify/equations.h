// The algebraic rules of `canonicalize` as data: equations read from text, one per line.
//
//   [class ...] left = right
//   [class ...] left = right if condition(arguments)
//
// A side is a term:
//   x                  a variable: any value; the same name twice is the same value
//   C                  a variable that starts with a capital: a constant with one value in all its elements
//   0  1  -1  0.5  -0.0  true  false  inf    a constant with this value, exact in its element type, in all its elements
//   row(term, ..., attr=p)    an operation; `attr=p` names the value of an attribute (its default if left out)
//   y:row(term, ...)   the same, and y is its value; on the left alone
//
// On the right an attribute may be computed, attr=function(p, q). If a row on the right is also the row at the head of
// the left, it takes over that row's attributes; a row with no attributes given has none. Operations on constants alone
// are computed at once. A literal has the element type of the first variable and the shape of the result; alone on the
// right it has the result's type.
//
// Classes name the element types for which an equation holds, by the first variable of the left: any, number, real,
// int, signed, unsigned, float, complex, bool, or a short type name (f32). A rule is used only if both sides have one
// type, so `reshape(x) = x` applies only if the shape does not change. Operands of commutative rows match in either
// order.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph/graph.h"

namespace frit::passes {

// A bound variable, as conditions and attribute functions see it: a value, or an attribute.
struct EquationArg {
  ir::ValueId value = ir::kNone;
  const ir::Attr* attr = nullptr;
};

struct EquationFunction {
  std::string_view name;
  int arity;
  ir::Attr (*apply)(const ir::Function&, std::span<const EquationArg>);
};
struct EquationCondition {
  std::string_view name;
  int arity;
  bool (*holds)(const ir::Function&, std::span<const EquationArg>);
};
const EquationFunction* find_equation_function(std::string_view name);
const EquationCondition* find_equation_condition(std::string_view name);

struct Term {
  enum class Kind : uint8_t { Variable, Constant, Literal, Row };
  struct AttrTerm {
    std::string name;
    int variable = -1;                           // to bind or to use
    const EquationFunction* function = nullptr;  // right side: computed from `args`
    std::vector<int> args;
  };
  Kind kind;
  int variable = -1;        // of a Variable or Constant, or the name of a Row
  bool is_integer = false;  // of a Literal
  int64_t integer = 0;
  double number = 0;
  const ir::OpDef* def = nullptr;  // of a Row
  std::vector<Term> operands;
  std::vector<AttrTerm> attrs;
};

struct Equation {
  std::string text;     // as written, without the class list
  int line = 0;         // in the text of the rules, from 1
  uint32_t dtypes = 0;  // bit i: holds for Dtype::Val i
  Term left, right;
  const EquationCondition* condition = nullptr;
  std::vector<int> condition_args;
  std::vector<std::string> variables;

  bool holds_for(Dtype t) const { return dtypes >> static_cast<int>(t.val()) & 1u; }
};

// Reads the text of rules. Fails on the first line that is not an equation over known rows, and names the line.
Result<std::vector<Equation>> parse_equations(std::string_view text);

// The bits of a literal as an element of `dtype`; nothing for a fraction as an integer.
std::optional<uint64_t> literal_bits(const Term& literal, Dtype dtype);

// The rules of `canonicalize` (passes/simplify/canonicalize_rules.cpp), as text and parsed. Text that does not parse is
// a bug; the pass reports it as an internal error.
extern const char* const kCanonicalizeRules;
const Result<std::vector<Equation>>& canonicalize_equations();

}  // namespace frit::passes
