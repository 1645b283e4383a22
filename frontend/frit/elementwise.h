// Elementwise operations. Written by frontend/generate/elementwise.cpp from the rows of the operation registry; do not edit.
//
// Operands are promoted to a common dtype and broadcast against each other; where the operation is defined on floats, integers and bool
// become float32 first. Throw InvalidArgument for shapes that do not broadcast and dtypes that the operation does not take.
#pragma once

#include "frit/array.h"

namespace frit {

// The absolute value. The least integer wraps to itself. Complex: the modulus, a float, without overflow in
// between. The derivative at 0 is 0.
array abs(const array& x, StreamOrDevice s = {});

// The sum x + y. Integers wrap; on bool it is the logical or.
array add(const array& x, const array& y, StreamOrDevice s = {});

// The angle in [0, pi] whose cosine is x; NaN outside [-1, 1].
array arccos(const array& x, StreamOrDevice s = {});

// The inverse hyperbolic cosine, 0 or more; NaN below 1.
array arccosh(const array& x, StreamOrDevice s = {});

// The angle in [-pi/2, pi/2] whose sine is x; NaN outside [-1, 1].
array arcsin(const array& x, StreamOrDevice s = {});

// The inverse hyperbolic sine.
array arcsinh(const array& x, StreamOrDevice s = {});

// The angle in [-pi/2, pi/2] whose tangent is x.
array arctan(const array& x, StreamOrDevice s = {});

// The angle in [-pi, pi] of the point with ordinate x and abscissa y; signed zeros choose the side.
array arctan2(const array& x, const array& y, StreamOrDevice s = {});

// The inverse hyperbolic tangent: infinities at -1 and 1, NaN outside.
array arctanh(const array& x, StreamOrDevice s = {});

// The bits set in both x and y.
array bitwise_and(const array& x, const array& y, StreamOrDevice s = {});

// The bits not set in x; on bool the logical not.
array bitwise_invert(const array& x, StreamOrDevice s = {});

// The bits set in x, y or both.
array bitwise_or(const array& x, const array& y, StreamOrDevice s = {});

// The bits set in exactly one of x and y.
array bitwise_xor(const array& x, const array& y, StreamOrDevice s = {});

// The least whole number not below x; integers and bool are unchanged.
array ceil(const array& x, StreamOrDevice s = {});

// The complex number with real part x and imaginary part y; an operand that is not float32 is rounded to it.
array complex(const array& x, const array& y, StreamOrDevice s = {});

// The complex conjugate; real numbers are unchanged.
array conjugate(const array& x, StreamOrDevice s = {});

// The cosine of an angle in radians; NaN at the infinities.
array cos(const array& x, StreamOrDevice s = {});

// The hyperbolic cosine.
array cosh(const array& x, StreamOrDevice s = {});

// An angle in radians as degrees: x * (180 / pi).
array degrees(const array& x, StreamOrDevice s = {});

// The quotient x / y of floats or complex numbers; integers are made floats before. A float over zero gives
// an infinity, 0 / 0 NaN. A complex divisor is scaled by its larger part, so that its square cannot overflow;
// a zero or infinite complex divisor gives NaN.
array divide(const array& x, const array& y, StreamOrDevice s = {});

// Whether x equals y; false when either is NaN, true for 0 and -0.
array equal(const array& x, const array& y, StreamOrDevice s = {});

// The error function, between -1 and 1.
array erf(const array& x, StreamOrDevice s = {});

// The inverse of erf: infinities at -1 and 1, NaN outside.
array erfinv(const array& x, StreamOrDevice s = {});

// e to the power x: infinity past the largest float, 0 below the least.
array exp(const array& x, StreamOrDevice s = {});

// exp(x) - 1 without cancellation near 0.
array expm1(const array& x, StreamOrDevice s = {});

// The greatest whole number not above x; integers and bool are unchanged.
array floor(const array& x, StreamOrDevice s = {});

// The quotient of x over y rounded towards minus infinity, as in Python. Floats: floor(x / y). An integer
// over 0 gives 0; the least integer over -1 wraps.
array floor_divide(const array& x, const array& y, StreamOrDevice s = {});

// Whether x is above y; false when either is NaN.
array greater(const array& x, const array& y, StreamOrDevice s = {});

// Whether x is at least y; false when either is NaN.
array greater_equal(const array& x, const array& y, StreamOrDevice s = {});

// The imaginary part; 0 (false) for real numbers and bool.
array imag(const array& x, StreamOrDevice s = {});

// Whether x is neither NaN nor an infinity (of a complex number: both parts); always for integers and bool.
array isfinite(const array& x, StreamOrDevice s = {});

// Whether x is an infinity (of a complex number: either part); never for integers and bool.
array isinf(const array& x, StreamOrDevice s = {});

// Whether x is NaN (of a complex number: either part); never for integers and bool.
array isnan(const array& x, StreamOrDevice s = {});

// Whether x is minus infinity; never for integers and bool.
array isneginf(const array& x, StreamOrDevice s = {});

// Whether x is plus infinity; never for integers and bool.
array isposinf(const array& x, StreamOrDevice s = {});

// x moved y bits up, zeros from below; a count below zero or past the width gives 0.
array left_shift(const array& x, const array& y, StreamOrDevice s = {});

// Whether x is below y; false when either is NaN.
array less(const array& x, const array& y, StreamOrDevice s = {});

// Whether x is at most y; false when either is NaN.
array less_equal(const array& x, const array& y, StreamOrDevice s = {});

// The natural logarithm: -infinity at 0, NaN below. Complex: the branch with an imaginary part in [-pi, pi].
array log(const array& x, StreamOrDevice s = {});

// The logarithm to base 10.
array log10(const array& x, StreamOrDevice s = {});

// log(1 + x) without loss near 0: -infinity at -1, NaN below.
array log1p(const array& x, StreamOrDevice s = {});

// The logarithm to base 2.
array log2(const array& x, StreamOrDevice s = {});

// log(exp(x) + exp(y)) without overflow in between; infinities are kept, NaN in either operand gives NaN.
array logaddexp(const array& x, const array& y, StreamOrDevice s = {});

// Whether both x and y are true.
array logical_and(const array& x, const array& y, StreamOrDevice s = {});

// Whether x is false.
array logical_not(const array& x, StreamOrDevice s = {});

// Whether x, y or both are true.
array logical_or(const array& x, const array& y, StreamOrDevice s = {});

// The larger of x and y; NaN when either is NaN; y of two zeros, whatever their signs. Complex numbers are
// ordered by real, then imaginary part. The derivative at a tie goes to y.
array maximum(const array& x, const array& y, StreamOrDevice s = {});

// The smaller of x and y; NaN when either is NaN; y of two zeros, whatever their signs. Complex numbers are
// ordered by real, then imaginary part. The derivative at a tie goes to y.
array minimum(const array& x, const array& y, StreamOrDevice s = {});

// The product x * y. Integers wrap; on bool it is the logical and.
array multiply(const array& x, const array& y, StreamOrDevice s = {});

// -x. Integers wrap, unsigned ones too.
array negative(const array& x, StreamOrDevice s = {});

// Whether x differs from y; true when either is NaN.
array not_equal(const array& x, const array& y, StreamOrDevice s = {});

// x to the power y. Integers wrap; a negative integer exponent gives 0 unless x is 1 or -1; on bool 0 to the
// power 1 is the only 0. Complex: exp(y * log(x)), and at x = 0: 1 for y = 0, 0 for a positive real part of
// y, else NaN.
array power(const array& x, const array& y, StreamOrDevice s = {});

// An angle in degrees as radians: x * (pi / 180).
array radians(const array& x, StreamOrDevice s = {});

// The real part; real numbers are unchanged.
array real(const array& x, StreamOrDevice s = {});

// 1 / x; an infinity at 0 for floats, NaN at 0 for complex numbers.
array reciprocal(const array& x, StreamOrDevice s = {});

// The remainder of x over y with the sign of y, as in Python: x - y * floor(x / y). An integer over 0 gives
// 0, a float over 0 NaN.
array remainder(const array& x, const array& y, StreamOrDevice s = {});

// x moved y bits down, copies of the sign (zeros for unsigned types) from above; a count below zero or past
// the width gives 0, or -1 for a negative x.
array right_shift(const array& x, const array& y, StreamOrDevice s = {});

// One over the square root: infinity at 0, NaN below, 0 at infinity.
array rsqrt(const array& x, StreamOrDevice s = {});

// 1 / (1 + exp(-x)), between 0 and 1, without overflow in between.
array sigmoid(const array& x, StreamOrDevice s = {});

// -1, 0 or 1 by the sign of x; 0 for either zero and for NaN. Complex: x / abs(x), and 0 at 0.
array sign(const array& x, StreamOrDevice s = {});

// The sine of an angle in radians; NaN at the infinities.
array sin(const array& x, StreamOrDevice s = {});

// The hyperbolic sine.
array sinh(const array& x, StreamOrDevice s = {});

// The square root; NaN below zero, -0 for -0. Complex: the root with a real part of zero or more.
array sqrt(const array& x, StreamOrDevice s = {});

// x * x.
array square(const array& x, StreamOrDevice s = {});

// The difference x - y. Integers wrap; on bool it is the exclusive or.
array subtract(const array& x, const array& y, StreamOrDevice s = {});

// The tangent of an angle in radians; NaN at the infinities.
array tan(const array& x, StreamOrDevice s = {});

// The hyperbolic tangent, between -1 and 1.
array tanh(const array& x, StreamOrDevice s = {});

// x without its fraction; integers and bool are unchanged.
array trunc(const array& x, StreamOrDevice s = {});

}  // namespace frit
