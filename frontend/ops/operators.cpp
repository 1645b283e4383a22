// The operators of arrays.
#include "frontend/core/node.h"
#include "frontend/frit/ops.h"

namespace frit {

namespace {
// The line of the expression, which the compiler recorded when it converted an operand.
StreamOrDevice at(const Operand& a) { return StreamOrDevice(a.where()); }

// A real number takes part in a division as float32: an integer beside bfloat16 would give a quotient of 8 bits.
array quotient_part(const Operand& a) {
  return a.is_number() && !is_complex(a.value().dtype()) ? astype(a.value(), float32) : a.value();
}
}  // namespace

array operator-(const Operand& a) { return negative(a.value(), at(a)); }
array operator!(const Operand& a) { return logical_not(a.value(), at(a)); }
array operator~(const Operand& a) { return bitwise_invert(a.value(), at(a)); }
array operator+(const Operand& a, const Operand& b) { return add(a.value(), b.value(), at(a)); }
array operator-(const Operand& a, const Operand& b) { return subtract(a.value(), b.value(), at(a)); }
array operator*(const Operand& a, const Operand& b) { return multiply(a.value(), b.value(), at(a)); }
array operator/(const Operand& a, const Operand& b) { return divide(quotient_part(a), quotient_part(b), at(a)); }
array operator%(const Operand& a, const Operand& b) { return remainder(a.value(), b.value(), at(a)); }
array operator==(const Operand& a, const Operand& b) { return equal(a.value(), b.value(), at(a)); }
array operator!=(const Operand& a, const Operand& b) { return not_equal(a.value(), b.value(), at(a)); }
array operator<(const Operand& a, const Operand& b) { return less(a.value(), b.value(), at(a)); }
array operator<=(const Operand& a, const Operand& b) { return less_equal(a.value(), b.value(), at(a)); }
array operator>(const Operand& a, const Operand& b) { return greater(a.value(), b.value(), at(a)); }
array operator>=(const Operand& a, const Operand& b) { return greater_equal(a.value(), b.value(), at(a)); }
array operator&&(const Operand& a, const Operand& b) { return logical_and(a.value(), b.value(), at(a)); }
array operator||(const Operand& a, const Operand& b) { return logical_or(a.value(), b.value(), at(a)); }
array operator&(const Operand& a, const Operand& b) { return bitwise_and(a.value(), b.value(), at(a)); }
array operator|(const Operand& a, const Operand& b) { return bitwise_or(a.value(), b.value(), at(a)); }
array operator^(const Operand& a, const Operand& b) { return bitwise_xor(a.value(), b.value(), at(a)); }
array operator<<(const Operand& a, const Operand& b) { return left_shift(a.value(), b.value(), at(a)); }
array operator>>(const Operand& a, const Operand& b) { return right_shift(a.value(), b.value(), at(a)); }
array& operator+=(array& a, const Operand& b) { return a = add(a, b.value(), at(b)); }
array& operator-=(array& a, const Operand& b) { return a = subtract(a, b.value(), at(b)); }
array& operator*=(array& a, const Operand& b) { return a = multiply(a, b.value(), at(b)); }
array& operator/=(array& a, const Operand& b) { return a = divide(a, quotient_part(b), at(b)); }

}  // namespace frit
