// The functions of elementwise rows. Written by frontend/generate from the rows of the operation registry; do not
// edit.
#include "frontend/frit/elementwise.h"

#include "frontend/core/build.h"

namespace frit {

array abs(const array& a, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("abs");
  return detail::elementwise(row, {a}, s);
}

array add(const array& a, const array& b, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("add");
  return detail::elementwise(row, {a, b}, s);
}

array add_product(const array& a, const array& b, const array& c, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("add_product");
  return detail::elementwise(row, {a, b, c}, s);
}

array arccos(const array& a, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("arccos");
  return detail::elementwise(row, {a}, s);
}

array arccosh(const array& a, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("arccosh");
  return detail::elementwise(row, {a}, s);
}

array arcsin(const array& a, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("arcsin");
  return detail::elementwise(row, {a}, s);
}

array arcsinh(const array& a, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("arcsinh");
  return detail::elementwise(row, {a}, s);
}

array arctan(const array& a, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("arctan");
  return detail::elementwise(row, {a}, s);
}

array arctan2(const array& a, const array& b, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("arctan2");
  return detail::elementwise(row, {a, b}, s);
}

array arctanh(const array& a, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("arctanh");
  return detail::elementwise(row, {a}, s);
}

array bitwise_and(const array& a, const array& b, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("bitwise_and");
  return detail::elementwise(row, {a, b}, s);
}

array bitwise_invert(const array& a, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("bitwise_invert");
  return detail::elementwise(row, {a}, s);
}

array bitwise_or(const array& a, const array& b, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("bitwise_or");
  return detail::elementwise(row, {a, b}, s);
}

array bitwise_xor(const array& a, const array& b, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("bitwise_xor");
  return detail::elementwise(row, {a, b}, s);
}

array ceil(const array& a, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("ceil");
  return detail::elementwise(row, {a}, s);
}

array complex(const array& a, const array& b, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("complex");
  return detail::elementwise(row, {a, b}, s);
}

array conjugate(const array& a, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("conjugate");
  return detail::elementwise(row, {a}, s);
}

array cos(const array& a, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("cos");
  return detail::elementwise(row, {a}, s);
}

array cosh(const array& a, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("cosh");
  return detail::elementwise(row, {a}, s);
}

array degrees(const array& a, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("degrees");
  return detail::elementwise(row, {a}, s);
}

array divide(const array& a, const array& b, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("divide");
  return detail::elementwise(row, {a, b}, s);
}

array equal(const array& a, const array& b, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("equal");
  return detail::elementwise(row, {a, b}, s);
}

array erf(const array& a, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("erf");
  return detail::elementwise(row, {a}, s);
}

array erfinv(const array& a, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("erfinv");
  return detail::elementwise(row, {a}, s);
}

array exp(const array& a, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("exp");
  return detail::elementwise(row, {a}, s);
}

array expm1(const array& a, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("expm1");
  return detail::elementwise(row, {a}, s);
}

array floor(const array& a, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("floor");
  return detail::elementwise(row, {a}, s);
}

array floor_divide(const array& a, const array& b, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("floor_divide");
  return detail::elementwise(row, {a, b}, s);
}

array greater(const array& a, const array& b, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("greater");
  return detail::elementwise(row, {a, b}, s);
}

array greater_equal(const array& a, const array& b, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("greater_equal");
  return detail::elementwise(row, {a, b}, s);
}

array imag(const array& a, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("imag");
  return detail::elementwise(row, {a}, s);
}

array isfinite(const array& a, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("isfinite");
  return detail::elementwise(row, {a}, s);
}

array isinf(const array& a, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("isinf");
  return detail::elementwise(row, {a}, s);
}

array isnan(const array& a, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("isnan");
  return detail::elementwise(row, {a}, s);
}

array isneginf(const array& a, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("isneginf");
  return detail::elementwise(row, {a}, s);
}

array isposinf(const array& a, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("isposinf");
  return detail::elementwise(row, {a}, s);
}

array left_shift(const array& a, const array& b, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("left_shift");
  return detail::elementwise(row, {a, b}, s);
}

array less(const array& a, const array& b, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("less");
  return detail::elementwise(row, {a, b}, s);
}

array less_equal(const array& a, const array& b, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("less_equal");
  return detail::elementwise(row, {a, b}, s);
}

array log(const array& a, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("log");
  return detail::elementwise(row, {a}, s);
}

array log10(const array& a, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("log10");
  return detail::elementwise(row, {a}, s);
}

array log1p(const array& a, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("log1p");
  return detail::elementwise(row, {a}, s);
}

array log2(const array& a, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("log2");
  return detail::elementwise(row, {a}, s);
}

array logaddexp(const array& a, const array& b, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("logaddexp");
  return detail::elementwise(row, {a, b}, s);
}

array logical_and(const array& a, const array& b, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("logical_and");
  return detail::elementwise(row, {a, b}, s);
}

array logical_not(const array& a, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("logical_not");
  return detail::elementwise(row, {a}, s);
}

array logical_or(const array& a, const array& b, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("logical_or");
  return detail::elementwise(row, {a, b}, s);
}

array maximum(const array& a, const array& b, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("maximum");
  return detail::elementwise(row, {a, b}, s);
}

array minimum(const array& a, const array& b, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("minimum");
  return detail::elementwise(row, {a, b}, s);
}

array multiply(const array& a, const array& b, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("multiply");
  return detail::elementwise(row, {a, b}, s);
}

array negative(const array& a, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("negative");
  return detail::elementwise(row, {a}, s);
}

array not_equal(const array& a, const array& b, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("not_equal");
  return detail::elementwise(row, {a, b}, s);
}

array power(const array& a, const array& b, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("power");
  return detail::elementwise(row, {a, b}, s);
}

array radians(const array& a, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("radians");
  return detail::elementwise(row, {a}, s);
}

array real(const array& a, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("real");
  return detail::elementwise(row, {a}, s);
}

array reciprocal(const array& a, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("reciprocal");
  return detail::elementwise(row, {a}, s);
}

array remainder(const array& a, const array& b, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("remainder");
  return detail::elementwise(row, {a, b}, s);
}

array right_shift(const array& a, const array& b, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("right_shift");
  return detail::elementwise(row, {a, b}, s);
}

array rsqrt(const array& a, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("rsqrt");
  return detail::elementwise(row, {a}, s);
}

array sigmoid(const array& a, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("sigmoid");
  return detail::elementwise(row, {a}, s);
}

array sign(const array& a, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("sign");
  return detail::elementwise(row, {a}, s);
}

array sin(const array& a, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("sin");
  return detail::elementwise(row, {a}, s);
}

array sinh(const array& a, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("sinh");
  return detail::elementwise(row, {a}, s);
}

array sqrt(const array& a, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("sqrt");
  return detail::elementwise(row, {a}, s);
}

array square(const array& a, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("square");
  return detail::elementwise(row, {a}, s);
}

array subtract(const array& a, const array& b, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("subtract");
  return detail::elementwise(row, {a, b}, s);
}

array tan(const array& a, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("tan");
  return detail::elementwise(row, {a}, s);
}

array tanh(const array& a, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("tanh");
  return detail::elementwise(row, {a}, s);
}

array trunc(const array& a, StreamOrDevice s) {
  static const ir::OpDef& row = ir::op("trunc");
  return detail::elementwise(row, {a}, s);
}

}  // namespace frit
