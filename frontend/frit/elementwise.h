// Elementwise operations. The declarations are written from the rows of the operation registry (ir/ops): change those,
// and build the target frit_api.
//
// Operands are promoted to a common element type and broadcast against each other.
#pragma once

#include "frit/array.h"

namespace frit {

// ---- Written from frontend/api: elementwise

// The absolute value. The least integer wraps to itself. Complex: the modulus, a float, without overflow in between.
// The derivative at 0 is 0.
// Shape: that of `a`.
// Types: any; complex64 gives float32.
array abs(const array& a, StreamOrDevice s = {});

// The sum `a` + `b`. Integers wrap; on bool it is the logical or.
// Shape: the shapes broadcast.
// Types: any; promoted to a common type.
// Throws InvalidArgument when the shapes do not broadcast.
array add(const array& a, const array& b, StreamOrDevice s = {});

// `a` + `b` * `c`, a step of a sum of products: rounded once on machines that multiply and add so, else twice.
// Shape: the shapes broadcast.
// Types: any but complex64; integers and bool become float32; promoted to a common type.
// Throws InvalidArgument when the shapes do not broadcast, or for another type.
array add_product(const array& a, const array& b, const array& c, StreamOrDevice s = {});

// The angle in [0, pi] whose cosine is `a`; NaN outside [-1, 1].
// Shape: that of `a`.
// Types: any; integers and bool become float32.
array arccos(const array& a, StreamOrDevice s = {});

// The inverse hyperbolic cosine, 0 or more; NaN below 1.
// Shape: that of `a`.
// Types: any; integers and bool become float32.
array arccosh(const array& a, StreamOrDevice s = {});

// The angle in [-pi/2, pi/2] whose sine is `a`; NaN outside [-1, 1].
// Shape: that of `a`.
// Types: any; integers and bool become float32.
array arcsin(const array& a, StreamOrDevice s = {});

// The inverse hyperbolic sine.
// Shape: that of `a`.
// Types: any; integers and bool become float32.
array arcsinh(const array& a, StreamOrDevice s = {});

// The angle in [-pi/2, pi/2] whose tangent is `a`.
// Shape: that of `a`.
// Types: any; integers and bool become float32.
array arctan(const array& a, StreamOrDevice s = {});

// The angle in [-pi, pi] of the point with ordinate `a` and abscissa `b`; signed zeros choose the side.
// Shape: the shapes broadcast.
// Types: any but complex64; integers and bool become float32; promoted to a common type.
// Throws InvalidArgument when the shapes do not broadcast, or for another type.
array arctan2(const array& a, const array& b, StreamOrDevice s = {});

// The inverse hyperbolic tangent: infinities at -1 and 1, NaN outside.
// Shape: that of `a`.
// Types: any; integers and bool become float32.
array arctanh(const array& a, StreamOrDevice s = {});

// The bits set in both `a` and `b`.
// Shape: the shapes broadcast.
// Types: integers and bool; promoted to a common type.
// Throws InvalidArgument when the shapes do not broadcast, or for another type.
array bitwise_and(const array& a, const array& b, StreamOrDevice s = {});

// The bits not set in `a`; on bool the logical not.
// Shape: that of `a`.
// Types: integers and bool.
// Throws InvalidArgument for another type.
array bitwise_invert(const array& a, StreamOrDevice s = {});

// The bits set in `a`, `b` or both.
// Shape: the shapes broadcast.
// Types: integers and bool; promoted to a common type.
// Throws InvalidArgument when the shapes do not broadcast, or for another type.
array bitwise_or(const array& a, const array& b, StreamOrDevice s = {});

// The bits set in exactly one of `a` and `b`.
// Shape: the shapes broadcast.
// Types: integers and bool; promoted to a common type.
// Throws InvalidArgument when the shapes do not broadcast, or for another type.
array bitwise_xor(const array& a, const array& b, StreamOrDevice s = {});

// The least whole number not below `a`; integers and bool are unchanged.
// Shape: that of `a`.
// Types: any but complex64.
// Throws InvalidArgument for another type.
array ceil(const array& a, StreamOrDevice s = {});

// The complex number with real part `a` and imaginary part `b`; an operand that is not float32 is rounded to it.
// Shape: the shapes broadcast.
// Types: any but complex64; integers and bool become float32; promoted to a common type; the result is complex64.
// Throws InvalidArgument when the shapes do not broadcast, or for another type.
array complex(const array& a, const array& b, StreamOrDevice s = {});

// The complex conjugate; real numbers are unchanged.
// Shape: that of `a`.
// Types: any.
array conjugate(const array& a, StreamOrDevice s = {});

// The cosine of an angle in radians; NaN at the infinities.
// Shape: that of `a`.
// Types: any; integers and bool become float32.
array cos(const array& a, StreamOrDevice s = {});

// The hyperbolic cosine.
// Shape: that of `a`.
// Types: any; integers and bool become float32.
array cosh(const array& a, StreamOrDevice s = {});

// An angle in radians as degrees: `a` * (180 / pi).
// Shape: that of `a`.
// Types: any; integers and bool become float32.
array degrees(const array& a, StreamOrDevice s = {});

// The quotient `a` / `b` of floats or complex numbers; integers are made floats before. A float over zero gives an
// infinity, 0 / 0 NaN. A complex divisor is scaled by its larger part, so that its square cannot overflow; one of zero
// gives infinities, and an infinite one zeros.
// Shape: the shapes broadcast.
// Types: any; integers and bool become float32; promoted to a common type.
// Throws InvalidArgument when the shapes do not broadcast.
array divide(const array& a, const array& b, StreamOrDevice s = {});

// Whether `a` equals `b`; false when either is NaN, true for 0 and -0.
// Shape: the shapes broadcast.
// Types: any; promoted to a common type; the result is bool.
// Throws InvalidArgument when the shapes do not broadcast.
array equal(const array& a, const array& b, StreamOrDevice s = {});

// The error function, between -1 and 1.
// Shape: that of `a`.
// Types: any but complex64; integers and bool become float32.
// Throws InvalidArgument for another type.
array erf(const array& a, StreamOrDevice s = {});

// The inverse of erf: infinities at -1 and 1, NaN outside.
// Shape: that of `a`.
// Types: any but complex64; integers and bool become float32.
// Throws InvalidArgument for another type.
array erfinv(const array& a, StreamOrDevice s = {});

// e to the power `a`: infinity past the largest float, 0 below the least.
// Shape: that of `a`.
// Types: any; integers and bool become float32.
array exp(const array& a, StreamOrDevice s = {});

// exp(`a`) - 1 without cancellation near 0.
// Shape: that of `a`.
// Types: any; integers and bool become float32.
array expm1(const array& a, StreamOrDevice s = {});

// The greatest whole number not above `a`; integers and bool are unchanged.
// Shape: that of `a`.
// Types: any but complex64.
// Throws InvalidArgument for another type.
array floor(const array& a, StreamOrDevice s = {});

// The quotient of `a` over `b` rounded towards minus infinity, as in Python. Floats: floor(`a` / `b`), where the
// quotient is rounded to the type first. An integer over 0 gives 0; the least integer over -1 wraps. Complex: divide.
// Shape: the shapes broadcast.
// Types: any; promoted to a common type.
// Throws InvalidArgument when the shapes do not broadcast.
array floor_divide(const array& a, const array& b, StreamOrDevice s = {});

// Whether `a` is above `b`; false when either is NaN.
// Shape: the shapes broadcast.
// Types: any; promoted to a common type; the result is bool.
// Throws InvalidArgument when the shapes do not broadcast.
array greater(const array& a, const array& b, StreamOrDevice s = {});

// Whether `a` is at least `b`; false when either is NaN.
// Shape: the shapes broadcast.
// Types: any; promoted to a common type; the result is bool.
// Throws InvalidArgument when the shapes do not broadcast.
array greater_equal(const array& a, const array& b, StreamOrDevice s = {});

// The imaginary part; 0 (false) for real numbers and bool.
// Shape: that of `a`.
// Types: any; complex64 gives float32.
array imag(const array& a, StreamOrDevice s = {});

// Whether `a` is neither NaN nor an infinity (of a complex number: both parts); always for integers and bool.
// Shape: that of `a`.
// Types: any; the result is bool.
array isfinite(const array& a, StreamOrDevice s = {});

// Whether `a` is an infinity (of a complex number: either part); never for integers and bool.
// Shape: that of `a`.
// Types: any; the result is bool.
array isinf(const array& a, StreamOrDevice s = {});

// Whether `a` is NaN (of a complex number: either part); never for integers and bool.
// Shape: that of `a`.
// Types: any; the result is bool.
array isnan(const array& a, StreamOrDevice s = {});

// Whether `a` is minus infinity (of a complex number: with an imaginary part of 0); never for integers and bool.
// Shape: that of `a`.
// Types: any; the result is bool.
array isneginf(const array& a, StreamOrDevice s = {});

// Whether `a` is plus infinity (of a complex number: with an imaginary part of 0); never for integers and bool.
// Shape: that of `a`.
// Types: any; the result is bool.
array isposinf(const array& a, StreamOrDevice s = {});

// `a` moved `b` bits up, zeros from below; the count is taken modulo 32, or modulo 64 for 64-bit types.
// Shape: the shapes broadcast.
// Types: integers and bool; bool becomes uint8; promoted to a common type.
// Throws InvalidArgument when the shapes do not broadcast, or for another type.
array left_shift(const array& a, const array& b, StreamOrDevice s = {});

// Whether `a` is below `b`; false when either is NaN.
// Shape: the shapes broadcast.
// Types: any; promoted to a common type; the result is bool.
// Throws InvalidArgument when the shapes do not broadcast.
array less(const array& a, const array& b, StreamOrDevice s = {});

// Whether `a` is at most `b`; false when either is NaN.
// Shape: the shapes broadcast.
// Types: any; promoted to a common type; the result is bool.
// Throws InvalidArgument when the shapes do not broadcast.
array less_equal(const array& a, const array& b, StreamOrDevice s = {});

// The natural logarithm: -infinity at 0, NaN below. Complex: the branch with an imaginary part in [-pi, pi].
// Shape: that of `a`.
// Types: any; integers and bool become float32.
array log(const array& a, StreamOrDevice s = {});

// The logarithm to base 10.
// Shape: that of `a`.
// Types: any; integers and bool become float32.
array log10(const array& a, StreamOrDevice s = {});

// log(1 + `a`) without loss near 0: -infinity at -1, NaN below.
// Shape: that of `a`.
// Types: any; integers and bool become float32.
array log1p(const array& a, StreamOrDevice s = {});

// The logarithm to base 2.
// Shape: that of `a`.
// Types: any; integers and bool become float32.
array log2(const array& a, StreamOrDevice s = {});

// log(exp(`a`) + exp(`b`)) without overflow in between; infinities are kept, NaN in either operand gives NaN.
// Shape: the shapes broadcast.
// Types: any; integers and bool become float32; promoted to a common type.
// Throws InvalidArgument when the shapes do not broadcast.
array logaddexp(const array& a, const array& b, StreamOrDevice s = {});

// Whether both `a` and `b` are true.
// Shape: the shapes broadcast.
// Types: any; converted to bool.
// Throws InvalidArgument when the shapes do not broadcast.
array logical_and(const array& a, const array& b, StreamOrDevice s = {});

// Whether `a` is false.
// Shape: that of `a`.
// Types: any; converted to bool.
array logical_not(const array& a, StreamOrDevice s = {});

// Whether `a`, `b` or both are true.
// Shape: the shapes broadcast.
// Types: any; converted to bool.
// Throws InvalidArgument when the shapes do not broadcast.
array logical_or(const array& a, const array& b, StreamOrDevice s = {});

// The larger of `a` and `b`; NaN when either is NaN; `b` of two zeros, whatever their signs. Complex numbers are
// ordered by real, then imaginary part. The derivative at a tie goes to `b`.
// Shape: the shapes broadcast.
// Types: any; promoted to a common type.
// Throws InvalidArgument when the shapes do not broadcast.
array maximum(const array& a, const array& b, StreamOrDevice s = {});

// The smaller of `a` and `b`; NaN when either is NaN; `b` of two zeros, whatever their signs. Complex numbers are
// ordered by real, then imaginary part. The derivative at a tie goes to `b`.
// Shape: the shapes broadcast.
// Types: any; promoted to a common type.
// Throws InvalidArgument when the shapes do not broadcast.
array minimum(const array& a, const array& b, StreamOrDevice s = {});

// The product `a` * `b`. Integers wrap; on bool it is the logical and.
// Shape: the shapes broadcast.
// Types: any; promoted to a common type.
// Throws InvalidArgument when the shapes do not broadcast.
array multiply(const array& a, const array& b, StreamOrDevice s = {});

// -`a`. Integers wrap, unsigned ones too.
// Shape: that of `a`.
// Types: any but bool.
// Throws InvalidArgument for another type.
array negative(const array& a, StreamOrDevice s = {});

// Whether `a` differs from `b`; true when either is NaN.
// Shape: the shapes broadcast.
// Types: any; promoted to a common type; the result is bool.
// Throws InvalidArgument when the shapes do not broadcast.
array not_equal(const array& a, const array& b, StreamOrDevice s = {});

// `a` to the power `b`. Integers wrap; a negative integer exponent gives 0; on bool 0 to the power 1 is the only 0.
// Complex: exp(`b` * log(`a`)), and at `a` = 0: 1 for `b` = 0, 0 for a positive real part of `b`, else NaN.
// Shape: the shapes broadcast.
// Types: any; promoted to a common type.
// Throws InvalidArgument when the shapes do not broadcast.
array power(const array& a, const array& b, StreamOrDevice s = {});

// An angle in degrees as radians: `a` * (pi / 180).
// Shape: that of `a`.
// Types: any; integers and bool become float32.
array radians(const array& a, StreamOrDevice s = {});

// The real part; real numbers are unchanged.
// Shape: that of `a`.
// Types: any; complex64 gives float32.
array real(const array& a, StreamOrDevice s = {});

// 1 / `a`; at 0 an infinity, the imaginary part of a complex one NaN.
// Shape: that of `a`.
// Types: any; integers and bool become float32.
array reciprocal(const array& a, StreamOrDevice s = {});

// The remainder of `a` over `b` with the sign of `b`, as in Python: `a` - `b` * floor(`a` / `b`). An integer over 0
// gives `a`, a float over 0 NaN.
// Shape: the shapes broadcast.
// Types: any but complex64; promoted to a common type.
// Throws InvalidArgument when the shapes do not broadcast, or for another type.
array remainder(const array& a, const array& b, StreamOrDevice s = {});

// `a` moved `b` bits down, copies of the sign (zeros for unsigned types) from above; the count is taken modulo 32, or
// modulo 64 for 64-bit types.
// Shape: the shapes broadcast.
// Types: integers and bool; bool becomes uint8; promoted to a common type.
// Throws InvalidArgument when the shapes do not broadcast, or for another type.
array right_shift(const array& a, const array& b, StreamOrDevice s = {});

// One over the square root: infinity at 0, NaN below, 0 at infinity.
// Shape: that of `a`.
// Types: any; integers and bool become float32.
array rsqrt(const array& a, StreamOrDevice s = {});

// 1 / (1 + exp(-`a`)), between 0 and 1, without overflow in between.
// Shape: that of `a`.
// Types: any; integers and bool become float32.
array sigmoid(const array& a, StreamOrDevice s = {});

// -1, 0 or 1 by the sign of `a`; 0 for either zero and for NaN. Complex: `a` / abs(`a`), and 0 at 0.
// Shape: that of `a`.
// Types: any.
array sign(const array& a, StreamOrDevice s = {});

// The sine of an angle in radians; NaN at the infinities.
// Shape: that of `a`.
// Types: any; integers and bool become float32.
array sin(const array& a, StreamOrDevice s = {});

// The hyperbolic sine.
// Shape: that of `a`.
// Types: any; integers and bool become float32.
array sinh(const array& a, StreamOrDevice s = {});

// The square root; NaN below zero, -0 for -0. Complex: the root with a real part of zero or more.
// Shape: that of `a`.
// Types: any; integers and bool become float32.
array sqrt(const array& a, StreamOrDevice s = {});

// `a` * `a`.
// Shape: that of `a`.
// Types: any.
array square(const array& a, StreamOrDevice s = {});

// The difference `a` - `b`. Integers wrap; on bool it is the exclusive or.
// Shape: the shapes broadcast.
// Types: any; promoted to a common type.
// Throws InvalidArgument when the shapes do not broadcast.
array subtract(const array& a, const array& b, StreamOrDevice s = {});

// The tangent of an angle in radians; NaN at the infinities.
// Shape: that of `a`.
// Types: any; integers and bool become float32.
array tan(const array& a, StreamOrDevice s = {});

// The hyperbolic tangent, between -1 and 1.
// Shape: that of `a`.
// Types: any; integers and bool become float32.
array tanh(const array& a, StreamOrDevice s = {});

// `a` without its fraction; integers and bool are unchanged.
// Shape: that of `a`.
// Types: any but complex64.
// Throws InvalidArgument for another type.
array trunc(const array& a, StreamOrDevice s = {});

// ---- End of frontend/api: elementwise

}  // namespace frit
