/* The elementwise functions of ops.h, against the functions of the C library. */
#include <math.h>

#include "harness.h"

typedef int (*unary)(mlx_array*, const mlx_array, const mlx_stream);
typedef int (*binary)(mlx_array*, const mlx_array, const mlx_array, const mlx_stream);

static double reciprocal(double x) { return 1 / x; }
static double rsqrt_of(double x) { return 1 / sqrt(x); }
static double square_of(double x) { return x * x; }
static double sigmoid_of(double x) { return 1 / (1 + exp(-x)); }
static double negative_of(double x) { return -x; }
static double sign_of(double x) { return (x > 0) - (x < 0); }
static double degrees_of(double x) { return x * 180 / acos(-1); }
static double radians_of(double x) { return x * acos(-1) / 180; }
static double same(double x) { return x; }
static double zero(double x) { return 0 * x; }
static double finite_of(double x) { return isfinite(x); }
static double inf_of(double x) { return isinf(x) != 0; }
static double nan_of(double x) { return isnan(x); }
static double posinf_of(double x) { return isinf(x) && x > 0; }
static double neginf_of(double x) { return isinf(x) && x < 0; }
static double not_of(double x) { return x == 0; }

static void check_unary(const char* name, unary f, double (*reference)(double), double low, double high) {
  float data[7];
  for (int i = 0; i < 7; ++i) data[i] = (float)(low + (high - low) * i / 6);
  mlx_array x = mlx_array_new_data(data, I(7), 1, MLX_FLOAT32);
  check_at(f(&r, x, s) == 0, name, __FILE__, __LINE__);
  double got[7] = {0};
  CHECK(values_of(r, got, 7) == 7);
  for (int i = 0; i < 7; ++i) {
    const double want = reference(data[i]);
    if (fabs(got[i] - want) > 3e-6 * fmax(1, fabs(want))) printf("%s(%g) is %g, not %g\n", name, data[i], got[i], want);
    check_at(fabs(got[i] - want) <= 3e-6 * fmax(1, fabs(want)), name, __FILE__, __LINE__);
  }
  // A null and a freed handle are errors.
  check_at(f(&r, none, s) != 0, name, __FILE__, __LINE__);
  check_error_at(name, __FILE__, __LINE__);
  check_at(f(&r, x, (mlx_stream){NULL}) != 0, name, __FILE__, __LINE__);
  check_error_at(name, __FILE__, __LINE__);
  check_at(f(NULL, x, s) != 0, name, __FILE__, __LINE__);
  check_error_at("null pointer", __FILE__, __LINE__);
  mlx_array_free(x);
  check_at(f(&r, x, s) != 0, name, __FILE__, __LINE__);
  check_error_at("freed", __FILE__, __LINE__);
}
#define UNARY(name, reference, low, high) check_unary("mlx_" #name, mlx_##name, reference, low, high)

static double add(double a, double b) { return a + b; }
static double subtract(double a, double b) { return a - b; }
static double multiply(double a, double b) { return a * b; }
static double divide(double a, double b) { return a / b; }
static double floor_divide(double a, double b) { return floor(a / b); }
static double remainder_of(double a, double b) { return a - b * floor(a / b); }
static double logaddexp_of(double a, double b) { return log(exp(a) + exp(b)); }
static double equal(double a, double b) { return a == b; }
static double not_equal(double a, double b) { return a != b; }
static double less(double a, double b) { return a < b; }
static double less_equal(double a, double b) { return a <= b; }
static double greater(double a, double b) { return a > b; }
static double greater_equal(double a, double b) { return a >= b; }
static double both(double a, double b) { return a != 0 && b != 0; }
static double either(double a, double b) { return a != 0 || b != 0; }

static void check_binary(const char* name, binary f, double (*reference)(double, double), float low) {
  // (3, 1) with (4): the shapes broadcast.
  float a[3], b[4];
  for (int i = 0; i < 3; ++i) a[i] = low + 1.5f * (float)i;
  for (int i = 0; i < 4; ++i) b[i] = low + 0.5f * (float)i;
  mlx_array x = mlx_array_new_data(a, I(3, 1), 2, MLX_FLOAT32), y = mlx_array_new_data(b, I(4), 1, MLX_FLOAT32);
  check_at(f(&r, x, y, s) == 0, name, __FILE__, __LINE__);
  CHECK(mlx_array_ndim(r) == 2 && mlx_array_dim(r, 0) == 3 && mlx_array_dim(r, -1) == 4);
  double got[12] = {0};
  CHECK(values_of(r, got, 12) == 12);
  for (int i = 0; i < 12; ++i) {
    const double want = reference(a[i / 4], b[i % 4]);
    if (fabs(got[i] - want) > 3e-6 * fmax(1, fabs(want))) printf("%s: %g, not %g\n", name, got[i], want);
    check_at(fabs(got[i] - want) <= 3e-6 * fmax(1, fabs(want)), name, __FILE__, __LINE__);
  }
  check_at(f(&r, x, none, s) != 0, name, __FILE__, __LINE__);
  check_error_at(name, __FILE__, __LINE__);
  mlx_array_free(x);
  mlx_array_free(y);
}
#define BINARY(name, reference, low) check_binary("mlx_" #name, mlx_##name, reference, low)

static void bits(void) {
  const mlx_array a = ints(SHAPE(4), I(12, 10, 255, -1)), b = ints(SHAPE(4), I(10, 3, 1, 2));
  OP(mlx_bitwise_and, a, b);
  OP(mlx_bitwise_or, a, b);
  OP(mlx_bitwise_xor, a, b);
  OP(mlx_bitwise_invert, a);
  OP(mlx_left_shift, a, b);
  OP(mlx_right_shift, a, b);
  OP_LIST(mlx_divmod, a, b);
}

static void complex_numbers(void) {
  const mlx_array z = keep(mlx_array_new_complex(3, -4));
  OP(mlx_real, z);
  OP(mlx_imag, z);
  OP(mlx_conjugate, z);
  mlx_complex64_t value;
  OK(mlx_conjugate(&r, z, s));
  OK(mlx_array_item_complex64(&value, r));
  CHECK(((float*)&value)[0] == 3 && ((float*)&value)[1] == 4);
  OK(mlx_array_eval(r));
  CHECK(((const float*)mlx_array_data_complex64(r))[1] == 4);
}

static void choices(void) {
  const mlx_array x = floats(SHAPE(4), F(-2, -1, 1, 2)), y = floats(SHAPE(4), F(10, 20, 30, 40));
  const mlx_array zero_array = keep(mlx_array_new_float(0)), one = keep(mlx_array_new_float(1));
  OK(mlx_less(&r, x, zero_array, s));
  mlx_array negative = keep(r);
  r = mlx_array_new();
  OP(mlx_where, negative, x, y);
  OP(mlx_clip, x, zero_array, one);
  OP(mlx_clip, x, none, one);
  OP(mlx_clip, x, zero_array, none);
  FAILS(mlx_clip(&r, x, none, none, s), "mlx_clip: ");
  OP(mlx_round, floats(SHAPE(3), F(1.26f, -0.04f, 2.5f)), 1);
  const mlx_array odd = floats(SHAPE(3), F(NAN, INFINITY, -INFINITY));
  const mlx_optional_float absent = {0, false}, nine = {9, true};
  OP(mlx_nan_to_num, odd, 7, nine, absent);
  OP(mlx_isclose, x, x, 1e-5, 1e-8, false);
  OP(mlx_isclose, odd, odd, 1e-5, 1e-8, true);
  OP(mlx_allclose, x, y, 1e-5, 1e-8, false);
  OP(mlx_array_equal, odd, odd, false);
  OP(mlx_array_equal, odd, odd, true);
}

int main(int count, char** arguments) {
  begin(count, arguments);
  UNARY(abs, fabs, -3, 3);
  UNARY(arccos, acos, -1, 1);
  UNARY(arccosh, acosh, 1, 5);
  UNARY(arcsin, asin, -1, 1);
  UNARY(arcsinh, asinh, -3, 3);
  UNARY(arctan, atan, -3, 3);
  UNARY(arctanh, atanh, -0.9, 0.9);
  UNARY(ceil, ceil, -3, 3);
  UNARY(conjugate, same, -3, 3);
  UNARY(copy, same, -3, 3);
  UNARY(cos, cos, -3, 3);
  UNARY(cosh, cosh, -3, 3);
  UNARY(degrees, degrees_of, -3, 3);
  UNARY(erf, erf, -3, 3);
  UNARY(exp, exp, -3, 3);
  UNARY(expm1, expm1, -3, 3);
  UNARY(floor, floor, -3, 3);
  UNARY(imag, zero, -3, 3);
  UNARY(isfinite, finite_of, -3, 3);
  UNARY(isinf, inf_of, -3, 3);
  UNARY(isnan, nan_of, -3, 3);
  UNARY(isneginf, neginf_of, -3, 3);
  UNARY(isposinf, posinf_of, -3, 3);
  UNARY(log, log, 0.1, 5);
  UNARY(log10, log10, 0.1, 5);
  UNARY(log1p, log1p, -0.5, 5);
  UNARY(log2, log2, 0.1, 5);
  UNARY(logical_not, not_of, -3, 3);
  UNARY(negative, negative_of, -3, 3);
  UNARY(radians, radians_of, -90, 90);
  UNARY(real, same, -3, 3);
  UNARY(reciprocal, reciprocal, 0.5, 3);
  UNARY(rsqrt, rsqrt_of, 0.5, 3);
  UNARY(sigmoid, sigmoid_of, -3, 3);
  UNARY(sign, sign_of, -3, 3);
  UNARY(sin, sin, -3, 3);
  UNARY(sinh, sinh, -3, 3);
  UNARY(sqrt, sqrt, 0, 5);
  UNARY(square, square_of, -3, 3);
  UNARY(stop_gradient, same, -3, 3);
  UNARY(tan, tan, -1, 1);
  UNARY(tanh, tanh, -3, 3);
  UNARY(zeros_like, zero, -3, 3);
  BINARY(add, add, -1);
  BINARY(arctan2, atan2, -1);
  BINARY(divide, divide, 1);
  BINARY(equal, equal, -1);
  BINARY(floor_divide, floor_divide, 1);
  BINARY(greater, greater, -1);
  BINARY(greater_equal, greater_equal, -1);
  BINARY(less, less, -1);
  BINARY(less_equal, less_equal, -1);
  BINARY(logaddexp, logaddexp_of, -1);
  BINARY(logical_and, both, -1);
  BINARY(logical_or, either, -1);
  BINARY(maximum, fmax, -1);
  BINARY(minimum, fmin, -1);
  BINARY(multiply, multiply, -1);
  BINARY(not_equal, not_equal, -1);
  BINARY(power, pow, 1);
  BINARY(remainder, remainder_of, 1);
  BINARY(subtract, subtract, -1);
  OP(mlx_erfinv, floats(SHAPE(3), F(-0.5f, 0, 0.5f)));
  bits();
  complex_numbers();
  choices();
  return end();
}
