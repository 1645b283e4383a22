// Arithmetic: sums, products, quotients, remainders, powers, roots, rounding and signs.
//
// On bool, addition is `or`, multiplication `and`, subtraction `xor`, the order is false < true.
// Products and quotients of complex numbers are the textbook formulas on their parts: infinite parts may give NaN
// where a careful case analysis would give infinity.
#include "ir/ops/row_words.h"

namespace frit::ir {
namespace {

constexpr auto kSigned = MeaningFor::Signed;
constexpr auto kUnsigned = MeaningFor::Unsigned;

// The complex quotient as C defines it: a zero divisor gives infinities, an infinite one zeros, an infinite dividend
// infinities. Beside very large numbers both sums are halves: each part of a quotient is finite where its value is.
constexpr std::string_view kQuotientReal =
    "s = max(abs(yr), abs(yi)); t = max(abs(xr), abs(xi)); k = select(max(s, t) > 1e18 & s > 1e-18, 0.5, 1); "
    "a = k * (yr / s); b = k * (yi / s); d = yr * a + yi * b; "
    "zero = s == 0; huge = s == inf & t < inf; wide = t == inf & s < inf; "
    "c = copysign(cast(abs(yr) == inf, compute), yr); e = copysign(cast(abs(yi) == inf, compute), yi); "
    "g = copysign(cast(abs(xr) == inf, compute), xr); h = copysign(cast(abs(xi) == inf, compute), xi); "
    "select(zero, copysign(inf, yr) * xr, select(huge, 0 * (0.5 * xr * c + 0.5 * xi * e), "
    "select(wide, inf * (g * yr + h * yi), (xr * a + xi * b) / d)))";
constexpr std::string_view kQuotientImag =
    "select(zero, copysign(inf, yr) * xi, select(huge, 0 * (0.5 * xi * c - 0.5 * xr * e), "
    "select(wide, inf * (h * yr - g * yi), (xi * a - xr * b) / d)))";

const RegisterOps arithmetic_rows({
    {.name = "add",
     .kind = kElementwise,
     .arity = 2,
     .traits = kCommutative,
     .doc = "The sum x + y. Integers wrap; on bool it is the logical or.",
     .meanings = {{kBool, "x | y"}, {kAny, "x + y"}, {kComplex, "xr + yr", "xi + yi"}},
     .derivatives = {"1", "1"}},
    {.name = "subtract",
     .kind = kElementwise,
     .arity = 2,
     .doc = "The difference x - y. Integers wrap; on bool it is the exclusive or.",
     .meanings = {{kBool, "x ^ y"}, {kAny, "x - y"}, {kComplex, "xr - yr", "xi - yi"}},
     .derivatives = {"1", "-1"}},
    {.name = "multiply",
     .kind = kElementwise,
     .arity = 2,
     .traits = kCommutative,
     .doc = "The product x * y. Integers wrap; on bool it is the logical and.",
     .meanings = {{kBool, "x & y"}, {kAny, "x * y"}, {kComplex, "xr * yr - xi * yi", "xr * yi + xi * yr"}},
     .derivatives = {"y", "x"}},
    {.name = "add_product",
     .kind = kElementwise,
     .arity = 3,
     .doc = "x + y * z, a step of a sum of products: rounded once on machines that multiply and add so, else twice.",
     .domain = TypeClass::Float,
     .meanings = {{kFloat, "madd(y, z, x)"}},
     .derivatives = {"1", "z", "y"}},
    {.name = "divide",
     .kind = kElementwise,
     .arity = 2,
     .doc = "The quotient x / y of floats or complex numbers; integers are made floats before. A float over zero gives "
            "an infinity, 0 / 0 NaN. A complex divisor is scaled by its larger part, so that its square cannot "
            "overflow; one of zero gives infinities, and an infinite one zeros.",
     .domain = TypeClass::Inexact,
     .meanings = {{kFloat, "x / y"}, {kComplex, kQuotientReal, kQuotientImag}},
     .derivatives = {"1 / y", "-(out / y)"}},
    {.name = "remainder",
     .kind = kElementwise,
     .arity = 2,
     .doc = "The remainder of x over y with the sign of y, as in Python: x - y * floor(x / y). An integer over 0 "
            "gives x, a float over 0 NaN.",
     .domain = TypeClass::Real,
     .meanings = {{kBool, "x & !y"},
                  {kUnsigned, "select(y == 0, x, x % y)"},
                  {kSigned, "r = x % y; select(y == 0, x, select(r != 0 & (r < 0) != (y < 0), r + y, r))"},
                  {kFloat, "r = x % y; select(r != 0 & (r < 0) != (y < 0), r + y, r)"}},
     .derivatives = {"1", "-floor(x / y)"}},
    {.name = "floor_divide",
     .kind = kElementwise,
     .arity = 2,
     .traits = kNoGradient,
     .doc =
         "The quotient of x over y rounded towards minus infinity, as in Python. Floats: floor(x / y), where the quotient is rounded to the type first. An integer over "
         "0 gives 0; the least integer over -1 wraps. Complex: divide.",
     .meanings = {{kBool, "x & y"},
                  {kUnsigned, "x / y"},
                  {kSigned, "r = x % y; q = x / y; select(r != 0 & (r < 0) != (y < 0), q - 1, q)"},
                  {kFloat, "floor(cast(cast(x / y, out), compute))"},
                  {kComplex, kQuotientReal, kQuotientImag}}},
    {.name = "maximum",
     .kind = kElementwise,
     .arity = 2,
     .doc =
         "The larger of x and y; NaN when either is NaN; y of two zeros, whatever their signs. Complex numbers are ordered by real, then imaginary part. The "
         "derivative at a tie goes to y.",
     .meanings = {{kAny, "max(x, y)"},
                  {kComplex,
                   "n = yr != yr | yi != yi; f = xr != xr | xi != xi | (!n & (xr > yr | xr == yr & xi > yi)); "
                   "select(f, xr, yr)",
                   "select(f, xi, yi)"}},
     .derivatives = {"select(out > y, 1, 0)", "select(out == y, 1, 0)"}},
    {.name = "minimum",
     .kind = kElementwise,
     .arity = 2,
     .doc =
         "The smaller of x and y; NaN when either is NaN; y of two zeros, whatever their signs. Complex numbers are ordered by real, then imaginary part. The "
         "derivative at a tie goes to y.",
     .meanings = {{kAny, "min(x, y)"},
                  {kComplex,
                   "n = yr != yr | yi != yi; f = xr != xr | xi != xi | (!n & (xr < yr | xr == yr & xi < yi)); "
                   "select(f, xr, yr)",
                   "select(f, xi, yi)"}},
     .derivatives = {"select(out < y, 1, 0)", "select(out == y, 1, 0)"}},
    {.name = "clip",
     .kind = kElementwise,
     .arity = 3,
     .doc =
         "x held between y and z: minimum(maximum(x, y), z). NaN in any operand gives NaN; bounds in the wrong order "
         "give z.",
     .domain = TypeClass::Real,
     .meanings = {{kAny, "min(max(x, y), z)"}},
     .derivatives = {"select(logical_and(out > y, out < z), 1, 0)", "select(logical_and(out == y, y < z), 1, 0)",
                     "select(out < z, 0, 1)"}},
    {.name = "power",
     .kind = kElementwise,
     .arity = 2,
     .traits = kExpensive,
     .doc =
         "x to the power y. Integers wrap; a negative integer exponent gives 0; on bool 0 to the "
         "power 1 is the only 0. Complex: exp(y * log(x)), and at x = 0: 1 for y = 0, 0 for a positive real part of y, "
         "else NaN.",
     .meanings = {{kBool, "x | !y"},
                  {kUnsigned, "ipow(x, y)"},
                  {kSigned, "select(y < 0, 0, ipow(x, y))"},
                  {kFloat, "pow(x, y)"},
                  {kComplex,
                   "l = log_hypot(xr, xi); t = atan2(xi, xr); p = yr * l - yi * t; far = p > 88; "
                   "m = exp(select(far, 0.5 * p, p)); f = select(far, m, 1); a = yr * t + yi * l; "
                   "z = xr == 0 & xi == 0; one = z & yr == 0 & yi == 0; none = z & yr > 0; "
                   "select(one, 1, select(none, 0, select(z, nan, m * cos(a) * f)))",
                   "select(one | none, 0, select(z, nan, m * sin(a) * f))"}},
     .derivatives = {"select(y == 0, 0, y * power(x, y - 1))",
                     "select(logical_and(x == 0, y < 0), 0, out * log(select(logical_or(x == 0, out == 0), 1, x)))"}},
    {.name = "square",
     .kind = kElementwise,
     .arity = 1,
     .doc = "x * x.",
     .meanings = {{kBool, "x"}, {kAny, "x * x"}, {kComplex, "xr * xr - xi * xi", "2 * (xr * xi)"}},
     .derivatives = {"2 * x"}},
    {.name = "sqrt",
     .kind = kElementwise,
     .arity = 1,
     .doc = "The square root; NaN below zero, -0 for -0. Complex: the root with a real part of zero or more.",
     .domain = TypeClass::Inexact,
     .meanings = {{kFloat, "sqrt(x)"}, {kComplex, "csqrt_re(xr, xi)", "csqrt_im(xr, xi)"}},
     .derivatives = {"0.5 / out"}},
    {.name = "rsqrt",
     .kind = kElementwise,
     .arity = 1,
     .doc = "One over the square root: infinity at 0, NaN below, 0 at infinity.",
     .domain = TypeClass::Inexact,
     .meanings = {{kFloat, "rsqrt(x)"},
                  {kComplex,
                   "a = csqrt_re(xr, xi); b = csqrt_im(xr, xi); h = hypot(a, b); zero = h == 0; huge = h == inf; "
                   "select(zero, inf, select(huge, 0, a / h / h))",
                   "select(zero, nan, select(huge, copysign(0, -b), -(b / h / h)))"}},
     .derivatives = {"-0.5 * out / x"}},
    {.name = "reciprocal",
     .kind = kElementwise,
     .arity = 1,
     .doc = "1 / x; at 0 an infinity, the imaginary part of a complex one NaN.",
     .domain = TypeClass::Inexact,
     .meanings = {{kFloat, "1 / x"},
                  {kComplex,
                   "s = max(abs(xr), abs(xi)); k = select(s > 1, 0.5, 1); a = k * (xr / s); b = k * (xi / s); "
                   "d = xr * a + xi * b; zero = s == 0; "
                   "huge = s == inf; "
                   "select(zero, copysign(inf, xr), select(huge, copysign(0, xr), a / d))",
                   "select(zero, nan, select(huge, copysign(0, -xi), -b / d))"}},
     .derivatives = {"-(out * out)"}},
    {.name = "abs",
     .kind = kElementwise,
     .arity = 1,
     .traits = kIdempotent,
     .doc = "The absolute value. The least integer wraps to itself. Complex: the modulus, a float, without overflow in "
            "between. The derivative at 0 is 0.",
     .result = ResultType::RealPart,
     .meanings = {{kBool, "x"}, {kUnsigned, "x"}, {kAny, "abs(x)"}, {kComplex, "hypot(xr, xi)"}},
     .derivatives = {"sign(x)"}},
    {.name = "negative",
     .kind = kElementwise,
     .arity = 1,
     .traits = kInvolution,
     .doc = "-x. Integers wrap, unsigned ones too.",
     .domain = TypeClass::Number,
     .meanings = {{kAny, "-x"}, {kComplex, "-xr", "-xi"}},
     .derivatives = {"-1"}},
    {.name = "sign",
     .kind = kElementwise,
     .arity = 1,
     .traits = kNoGradient,
     .doc = "-1, 0 or 1 by the sign of x; 0 for either zero and for NaN. Complex: x / abs(x), and 0 at 0.",
     .meanings = {{kBool, "x"},
                  {kUnsigned, "select(x == 0, x, 1)"},
                  {kAny, "select(x < 0, -1, select(x > 0, 1, 0))"},
                  {kComplex, "h = hypot(xr, xi); select(h == 0, 0, xr / h)", "select(h == 0, 0, xi / h)"}}},
    {.name = "floor",
     .kind = kElementwise,
     .arity = 1,
     .traits = kIdempotent | kNoGradient,
     .doc = "The greatest whole number not above x; integers and bool are unchanged.",
     .domain = TypeClass::Real,
     .meanings = {{kFloat, "floor(x)"}, {kAny, "x"}}},
    {.name = "ceil",
     .kind = kElementwise,
     .arity = 1,
     .traits = kIdempotent | kNoGradient,
     .doc = "The least whole number not below x; integers and bool are unchanged.",
     .domain = TypeClass::Real,
     .meanings = {{kFloat, "ceil(x)"}, {kAny, "x"}}},
    {.name = "trunc",
     .kind = kElementwise,
     .arity = 1,
     .traits = kIdempotent | kNoGradient,
     .doc = "x without its fraction; integers and bool are unchanged.",
     .domain = TypeClass::Real,
     .meanings = {{kFloat, "trunc(x)"}, {kAny, "x"}}},
    {.name = "round",
     .kind = kElementwise,
     .arity = 1,
     .traits = kIdempotent | kNoGradient,
     .doc =
         "The nearest whole number, halves to the even one; integers and bool are unchanged; both parts of a complex "
         "number.",
     .meanings = {{kFloat, "round(x)"}, {kAny, "x"}, {kComplex, "round(xr)", "round(xi)"}}},
    {.name = "degrees",
     .kind = kElementwise,
     .arity = 1,
     .doc = "An angle in radians as degrees: x * (180 / pi).",
     .domain = TypeClass::Inexact,
     .meanings = {{kFloat, "x * 57.29577951308232"}, {kComplex, "xr * 57.29577951308232", "xi * 57.29577951308232"}},
     .derivatives = {"57.29577951308232"}},
    {.name = "radians",
     .kind = kElementwise,
     .arity = 1,
     .doc = "An angle in degrees as radians: x * (pi / 180).",
     .domain = TypeClass::Inexact,
     .meanings = {{kFloat, "x * 0.017453292519943295"},
                  {kComplex, "xr * 0.017453292519943295", "xi * 0.017453292519943295"}},
     .derivatives = {"0.017453292519943295"}},
});

}  // namespace
}  // namespace frit::ir
