// Written by frontend/generate/elementwise.cpp from the rows of the operation registry; do not edit.
#include "frontend/frit/elementwise.h"

#include "frontend/core/build.h"

namespace frit {

array abs(const array& x, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("abs");
  return detail::elementwise(row, {x}, s);
}

array add(const array& x, const array& y, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("add");
  return detail::elementwise(row, {x, y}, s);
}

array arccos(const array& x, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("arccos");
  return detail::elementwise(row, {x}, s);
}

array arccosh(const array& x, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("arccosh");
  return detail::elementwise(row, {x}, s);
}

array arcsin(const array& x, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("arcsin");
  return detail::elementwise(row, {x}, s);
}

array arcsinh(const array& x, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("arcsinh");
  return detail::elementwise(row, {x}, s);
}

array arctan(const array& x, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("arctan");
  return detail::elementwise(row, {x}, s);
}

array arctan2(const array& x, const array& y, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("arctan2");
  return detail::elementwise(row, {x, y}, s);
}

array arctanh(const array& x, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("arctanh");
  return detail::elementwise(row, {x}, s);
}

array bitwise_and(const array& x, const array& y, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("bitwise_and");
  return detail::elementwise(row, {x, y}, s);
}

array bitwise_invert(const array& x, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("bitwise_invert");
  return detail::elementwise(row, {x}, s);
}

array bitwise_or(const array& x, const array& y, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("bitwise_or");
  return detail::elementwise(row, {x, y}, s);
}

array bitwise_xor(const array& x, const array& y, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("bitwise_xor");
  return detail::elementwise(row, {x, y}, s);
}

array ceil(const array& x, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("ceil");
  return detail::elementwise(row, {x}, s);
}

array complex(const array& x, const array& y, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("complex");
  return detail::elementwise(row, {x, y}, s);
}

array conjugate(const array& x, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("conjugate");
  return detail::elementwise(row, {x}, s);
}

array cos(const array& x, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("cos");
  return detail::elementwise(row, {x}, s);
}

array cosh(const array& x, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("cosh");
  return detail::elementwise(row, {x}, s);
}

array degrees(const array& x, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("degrees");
  return detail::elementwise(row, {x}, s);
}

array divide(const array& x, const array& y, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("divide");
  return detail::elementwise(row, {x, y}, s);
}

array equal(const array& x, const array& y, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("equal");
  return detail::elementwise(row, {x, y}, s);
}

array erf(const array& x, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("erf");
  return detail::elementwise(row, {x}, s);
}

array erfinv(const array& x, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("erfinv");
  return detail::elementwise(row, {x}, s);
}

array exp(const array& x, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("exp");
  return detail::elementwise(row, {x}, s);
}

array expm1(const array& x, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("expm1");
  return detail::elementwise(row, {x}, s);
}

array floor(const array& x, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("floor");
  return detail::elementwise(row, {x}, s);
}

array floor_divide(const array& x, const array& y, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("floor_divide");
  return detail::elementwise(row, {x, y}, s);
}

array greater(const array& x, const array& y, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("greater");
  return detail::elementwise(row, {x, y}, s);
}

array greater_equal(const array& x, const array& y, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("greater_equal");
  return detail::elementwise(row, {x, y}, s);
}

array imag(const array& x, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("imag");
  return detail::elementwise(row, {x}, s);
}

array isfinite(const array& x, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("isfinite");
  return detail::elementwise(row, {x}, s);
}

array isinf(const array& x, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("isinf");
  return detail::elementwise(row, {x}, s);
}

array isnan(const array& x, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("isnan");
  return detail::elementwise(row, {x}, s);
}

array isneginf(const array& x, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("isneginf");
  return detail::elementwise(row, {x}, s);
}

array isposinf(const array& x, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("isposinf");
  return detail::elementwise(row, {x}, s);
}

array left_shift(const array& x, const array& y, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("left_shift");
  return detail::elementwise(row, {x, y}, s);
}

array less(const array& x, const array& y, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("less");
  return detail::elementwise(row, {x, y}, s);
}

array less_equal(const array& x, const array& y, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("less_equal");
  return detail::elementwise(row, {x, y}, s);
}

array log(const array& x, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("log");
  return detail::elementwise(row, {x}, s);
}

array log10(const array& x, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("log10");
  return detail::elementwise(row, {x}, s);
}

array log1p(const array& x, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("log1p");
  return detail::elementwise(row, {x}, s);
}

array log2(const array& x, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("log2");
  return detail::elementwise(row, {x}, s);
}

array logaddexp(const array& x, const array& y, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("logaddexp");
  return detail::elementwise(row, {x, y}, s);
}

array logical_and(const array& x, const array& y, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("logical_and");
  return detail::elementwise(row, {x, y}, s);
}

array logical_not(const array& x, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("logical_not");
  return detail::elementwise(row, {x}, s);
}

array logical_or(const array& x, const array& y, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("logical_or");
  return detail::elementwise(row, {x, y}, s);
}

array maximum(const array& x, const array& y, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("maximum");
  return detail::elementwise(row, {x, y}, s);
}

array minimum(const array& x, const array& y, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("minimum");
  return detail::elementwise(row, {x, y}, s);
}

array multiply(const array& x, const array& y, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("multiply");
  return detail::elementwise(row, {x, y}, s);
}

array negative(const array& x, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("negative");
  return detail::elementwise(row, {x}, s);
}

array not_equal(const array& x, const array& y, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("not_equal");
  return detail::elementwise(row, {x, y}, s);
}

array power(const array& x, const array& y, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("power");
  return detail::elementwise(row, {x, y}, s);
}

array radians(const array& x, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("radians");
  return detail::elementwise(row, {x}, s);
}

array real(const array& x, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("real");
  return detail::elementwise(row, {x}, s);
}

array reciprocal(const array& x, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("reciprocal");
  return detail::elementwise(row, {x}, s);
}

array remainder(const array& x, const array& y, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("remainder");
  return detail::elementwise(row, {x, y}, s);
}

array right_shift(const array& x, const array& y, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("right_shift");
  return detail::elementwise(row, {x, y}, s);
}

array rsqrt(const array& x, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("rsqrt");
  return detail::elementwise(row, {x}, s);
}

array sigmoid(const array& x, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("sigmoid");
  return detail::elementwise(row, {x}, s);
}

array sign(const array& x, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("sign");
  return detail::elementwise(row, {x}, s);
}

array sin(const array& x, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("sin");
  return detail::elementwise(row, {x}, s);
}

array sinh(const array& x, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("sinh");
  return detail::elementwise(row, {x}, s);
}

array sqrt(const array& x, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("sqrt");
  return detail::elementwise(row, {x}, s);
}

array square(const array& x, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("square");
  return detail::elementwise(row, {x}, s);
}

array subtract(const array& x, const array& y, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("subtract");
  return detail::elementwise(row, {x, y}, s);
}

array tan(const array& x, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("tan");
  return detail::elementwise(row, {x}, s);
}

array tanh(const array& x, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("tanh");
  return detail::elementwise(row, {x}, s);
}

array trunc(const array& x, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("trunc");
  return detail::elementwise(row, {x}, s);
}

}  // namespace frit
