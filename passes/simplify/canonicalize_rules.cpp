// The algebraic rules of `canonicalize`; passes/simplify/equations.h has the syntax.
//
// A rule stands here only if both sides have the same bits for every input: -0.0 is not 0.0 (x + 0.0 is not x, x + -0.0
// is), x * 0 is not 0 for floats (infinities, NaN, signs), integers wrap. A NaN equals a NaN whatever its sign and
// payload. A test runs every equation on random and special values of every element type that it claims.
#include "passes/simplify/equations.h"

namespace frit::passes {

const char* const kCanonicalizeRules = R"(
# Operands that change nothing
[int bool] add(x, 0) = x
[float] add(x, -0.0) = x
[any] subtract(x, 0) = x
[int float bool] multiply(x, 1) = x
[float] divide(x, 1) = x
[int bool] floor_divide(x, 1) = x
[float] floor_divide(x, 1) = floor(x)
[int bool] power(x, 1) = x
[int bool] bitwise_or(x, 0) = x
[int bool] bitwise_xor(x, 0) = x
[int] bitwise_and(x, -1) = x
[bool] bitwise_and(x, true) = x
[int] left_shift(x, 0) = x
[int] right_shift(x, 0) = x
[bool] logical_and(x, true) = x
[bool] logical_or(x, false) = x

# Operands that decide the result
[int bool] multiply(x, 0) = 0
[int bool] power(x, 0) = 1
[int bool] remainder(x, 1) = 0
[int bool] bitwise_and(x, 0) = 0
[int] bitwise_or(x, -1) = -1
[bool] logical_and(x, false) = false
[bool] logical_or(x, true) = true

# The same operand twice
[any] maximum(x, x) = x
[any] minimum(x, x) = x
[int bool] subtract(x, x) = 0
[int bool] bitwise_and(x, x) = x
[int bool] bitwise_or(x, x) = x
[int bool] bitwise_xor(x, x) = 0
[bool] logical_and(x, x) = x
[bool] logical_or(x, x) = x
[int bool] equal(x, x) = true
[int bool] not_equal(x, x) = false
[int bool] less(x, x) = false
[int bool] less_equal(x, x) = true
[int bool] greater(x, x) = false
[int bool] greater_equal(x, x) = true

# The largest of the differences from the largest is 0, or NaN where that is not finite
[float] max(subtract(x, broadcast(y:max(x, axes=p, keepdims=k))), axes=p) = subtract(y, y) if kept(x, p, k)
[float] max(subtract(x, broadcast(y:stop_gradient(max(x, axes=p, keepdims=k)))), axes=p) = subtract(y, y) if kept(x, p, k)
[float] isinf(subtract(x, x)) = false

# Choices and negations; an ordered comparison with NaN is false, so floats keep their `not`
[bool] select(c, x, x) = x
[any] select(true, x, y) = x
[any] select(false, x, y) = y
[bool] select(logical_not(c), x, y) = select(c, y, x)
[bool] select(c, true, false) = c
[bool] select(c, false, true) = logical_not(c)
[any] logical_not(equal(x, y)) = not_equal(x, y)
[any] logical_not(not_equal(x, y)) = equal(x, y)
[int bool] logical_not(less(x, y)) = greater_equal(x, y)
[int bool] logical_not(less_equal(x, y)) = greater(x, y)
[int bool] logical_not(greater(x, y)) = less_equal(x, y)
[int bool] logical_not(greater_equal(x, y)) = less(x, y)

# Signs
[int float complex] add(x, negative(y)) = subtract(x, y)
[int float complex] subtract(x, negative(y)) = add(x, y)
[int float complex] multiply(negative(x), negative(y)) = multiply(x, y)
[float] divide(negative(x), negative(y)) = divide(x, y)
[int float] multiply(x, -1) = negative(x)
[float] divide(x, -1) = negative(x)
[signed float complex] abs(negative(x)) = abs(x)
[int float] square(negative(x)) = square(x)
[int float] square(abs(x)) = square(x)
[int float] power(x, 2) = square(x)

# Division by a power of two is exact as a multiplication
[float] divide(1, x) = reciprocal(x)
[float] divide(x, C) = multiply(x, reciprocal(C)) if exact_reciprocal(C)

# Conversions: one that keeps every value on the way to the next is not seen
[any] astype(x, dtype=t) = x
[any] copy(x) = x
[any] astype(astype(x, dtype=t), dtype=u) = astype(x) if passes_through(x, t, u)

# Arrangements
[any] reshape(x) = x
[any] reshape(reshape(x)) = reshape(x)
[any] broadcast(x) = x
[any] broadcast(broadcast(x)) = broadcast(x)
[any] transpose(x, axes=p) = x if identity(p)
[any] transpose(transpose(x, axes=p), axes=q) = transpose(x, axes=compose(p, q))
[any] slice(x, strides=s) = x if ones(s)
[any] pad(x, v, low=p, interior=q) = x if zeros(p, q)
[any] concatenate(x) = x
)";

}  // namespace frit::passes
