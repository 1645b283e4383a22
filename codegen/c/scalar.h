// Scalar arithmetic as C expressions, and the small functions that some of it needs.
//
// A register holds a bool as bool, f32 and f64 as themselves, f16 and bf16 as their bits in uint16_t, and an integer of
// either sign as unsigned of its width, so that wrapping and conversion are defined; arrays of signed integers are read
// and written through pointers to unsigned ones.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "ir/scalar/scalar.h"

namespace frit::codegen::c {

// "float", "uint32_t": of a register.
std::string_view register_type(Dtype t);
// Of an element in memory, as kernels see it: a bool is a uint8_t there.
std::string_view memory_type(Dtype t);

// The functions that the text has asked for, each once and after those it calls. A file holds no other ones, so that
// none is unused.
class Helpers {
 public:
  // Registers the function `name` and gives its name back.
  std::string need(std::string_view name);
  const std::string& text() const { return text_; }

 private:
  std::set<std::string, std::less<>> made_;
  std::string text_;
};

std::string constant(Dtype t, uint64_t bits, Helpers& helpers);

// An operand: a name or a constant, never an expression that needs parentheses.
struct Operand {
  std::string text;
  bool never_nan = false;
  std::optional<uint64_t> bits = {};  // of a constant
};
// The expression for a primitive operation; "" for one that a pass should have expanded. `operand` is the type of the
// operands (of Select: of the chosen values).
std::string scalar(ir::ScalarOp op, Dtype result, Dtype operand, std::span<const Operand> args, Helpers& helpers);

// The value of an integer register as a signed integer of C.
std::string signed_value(Dtype t, const std::string& x, Helpers& helpers);

}  // namespace frit::codegen::c
