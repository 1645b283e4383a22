// Derivatives of factorisations, in float64 against differences: square, tall and wide matrices, stacks of them, second
// derivatives, and complex numbers. Singular vectors and eigenvectors enter through products that do not depend on
// their signs and rotations.
#include "helpers.h"

namespace frit::test::factor_derivatives_test {
namespace {

using Unary = std::function<array(const array&)>;

array number(double v) { return array(v, float64); }

// Numbers without a pattern, the same at every run.
array drawn(const Shape& shape, int seed) {
  int count = 1;
  for (int n : shape) count *= n;
  const array i = astype(arange(count), float64);
  return reshape(sin(square(i + number(seed)) * number(0.7) + i), shape);
}

array adjoint(const array& a) { return conjugate(swapaxes(a, -1, -2)); }
array symmetric(const array& a) { return a + adjoint(a); }

double weighted_sum(const array& a) {
  const array dense = flatten(a);
  return sum(dense * drawn(dense.shape(), 7)).item<double>();
}

// The jvp of `f` is what differences say, and the vjp is its transpose; the same for the vjp itself where it is asked
// for.
void expect_derivatives(const Unary& f, const array& x, const array& direction, bool second = true) {
  const double h = 1e-6;
  const array cotangent = drawn(f(x).shape(), 7);
  const array slope = jvp(f, x, direction).second;
  const double forward = sum(slope * cotangent).item<double>();
  const double backward = sum(vjp(f, x, cotangent).second * direction).item<double>();
  const array step = direction * number(h);
  const double difference = (weighted_sum(f(x + step)) - weighted_sum(f(x - step))) / (2 * h);
  const double size = 1 + std::fabs(forward);
  EXPECT_NEAR(forward, difference, 1e-6 * size);
  EXPECT_NEAR(backward, forward, 1e-9 * size);
  if (second) expect_derivatives([&](const array& v) { return vjp(f, v, cotangent).second; }, x, direction, false);
}

// Whether the matrices of a stack under vmap have the derivatives that each of them has.
void expect_batch(const Unary& f, const array& x) {
  const Unary slope = [&](const array& v) { return grad(Unary([&](const array& u) { return sum(sin(f(u))); }))(v); };
  const array all = vmap(slope)(x);
  for (int i = 0; i < x.shape(0); ++i)
    EXPECT_TRUE(allclose(take(all, i, 0), slope(take(x, i, 0)), 1e-9, 1e-9).item<bool>());
}

const Shape kShapes[] = {{3, 3}, {5, 3}, {2, 3, 5}, {1, 1}, {4, 1}, {1, 4}};

TEST(FactorDerivatives, Qr) {
  for (const Shape& shape : kShapes) {
    SCOPED_TRACE(printed(array(shape.begin(), {static_cast<int>(shape.size())})));
    const array x = drawn(shape, 1), t = drawn(shape, 2);
    expect_derivatives([](const array& a) { return linalg::qr(a).first; }, x, t);
    expect_derivatives([](const array& a) { return linalg::qr(a).second; }, x, t);
  }
  expect_batch([](const array& a) { return matmul(linalg::qr(a).first, number(2.0) * linalg::qr(a).second); },
               drawn({3, 3, 5}, 3));
}

TEST(FactorDerivatives, Lu) {
  for (const Shape& shape : kShapes) {
    SCOPED_TRACE(printed(array(shape.begin(), {static_cast<int>(shape.size())})));
    const array x = drawn(shape, 1), t = drawn(shape, 2);
    expect_derivatives([](const array& a) { return linalg::lu_factor(a).first; }, x, t);
    for (size_t part : {1, 2}) expect_derivatives([part](const array& a) { return linalg::lu(a)[part]; }, x, t);
  }
  expect_batch([](const array& a) { return linalg::lu_factor(a).first; }, drawn({3, 4, 4}, 3));
}

TEST(FactorDerivatives, DeterminantsAndSystems) {
  const array x = drawn({2, 4, 4}, 4) + number(2.0) * eye(4, float64), t = drawn({2, 4, 4}, 5), b = drawn({2, 4, 2}, 6);
  expect_derivatives([](const array& a) { return linalg::det(a); }, x, t);
  expect_derivatives([](const array& a) { return linalg::slogdet(a).second; }, x, t);
  expect_derivatives([](const array& a) { return linalg::inv(a); }, x, t);
  expect_derivatives([](const array& a) { return linalg::tri_inv(a, true); }, x, t);
  expect_derivatives([&](const array& a) { return linalg::solve(a, b); }, x, t);
  expect_derivatives([&](const array& v) { return linalg::solve(x, v); }, b, drawn({2, 4, 2}, 8));
  expect_derivatives([&](const array& a) { return linalg::solve_triangular(a, b, true); }, x, t);
  expect_derivatives([](const array& a) { return linalg::pinv(a); }, drawn({4, 3}, 1), drawn({4, 3}, 2));
  // The gradient of the determinant is the matrix of cofactors.
  const array two({3.0, 1.0, 2.0, 4.0}, {2, 2}, float64);
  const array cofactors = grad(Unary([](const array& a) { return linalg::det(a); }))(two);
  EXPECT_TRUE(allclose(cofactors, array({4.0, -2.0, -1.0, 3.0}, {2, 2}, float64), 1e-12, 1e-12).item<bool>());
}

// Symmetric matrices stand for their triangles: directions are symmetric, too.
TEST(FactorDerivatives, OfSymmetricMatrices) {
  for (const Shape& shape : {Shape{4, 4}, Shape{2, 3, 3}, Shape{1, 1}}) {
    const array x = symmetric(drawn(shape, 1)), t = symmetric(drawn(shape, 2));
    const array definite = matmul(x, x) + eye(shape.back(), float64);
    for (const char* triangle : {"L", "U"}) {
      expect_derivatives([&](const array& a) { return linalg::eigvalsh(a, triangle); }, x, t);
      expect_derivatives(
          [&](const array& a) {
            const auto [w, v] = linalg::eigh(a, triangle);
            return matmul(v * expand_dims(sin(w), -2), swapaxes(v, -1, -2));
          },
          x, t);
      expect_derivatives([&](const array& a) { return linalg::cholesky(a, *triangle == 'U'); }, definite, t);
    }
  }
  expect_batch([](const array& a) { return square(linalg::eigh(symmetric(a)).second); }, drawn({3, 4, 4}, 3));
}

TEST(FactorDerivatives, SingularValuesAndVectors) {
  for (const Shape& shape : kShapes) {
    SCOPED_TRACE(printed(array(shape.begin(), {static_cast<int>(shape.size())})));
    const array x = drawn(shape, 1), t = drawn(shape, 2);
    const int rows = shape[shape.size() - 2], columns = shape.back(), k = std::min(rows, columns);
    const auto part = [](const array& a, int axis, int from, int to) { return take(a, arange(from, to), axis); };
    expect_derivatives([](const array& a) { return linalg::svd(a, false)[0]; }, x, t);
    expect_derivatives([](const array& a) { return linalg::svd(a)[1]; }, x, t);
    expect_derivatives(
        [&](const array& a) {
          const std::vector<array> f = linalg::svd(a);
          return matmul(part(f[0], -1, 0, k) * expand_dims(sin(f[1]), -2), part(f[2], -2, 0, k));
        },
        x, t);
    // The projections on the vectors of the largest value, and on the null spaces.
    expect_derivatives(
        [&](const array& a) {
          const array u = part(linalg::svd(a)[0], -1, 0, 1);
          return matmul(u, swapaxes(u, -1, -2));
        },
        x, t);
    expect_derivatives(
        [&](const array& a) {
          const array u = part(linalg::svd(a)[0], -1, k, rows);
          return matmul(u, swapaxes(u, -1, -2));
        },
        x, t);
    expect_derivatives(
        [&](const array& a) {
          const array v = part(linalg::svd(a)[2], -2, k, columns);
          return matmul(swapaxes(v, -1, -2), v);
        },
        x, t);
  }
  expect_batch([](const array& a) { return linalg::svd(a)[1]; }, drawn({3, 4, 3}, 3));
}

TEST(FactorDerivatives, Norms) {
  for (const Shape& shape : {Shape{4, 3}, Shape{2, 3, 4}}) {
    const array x = drawn(shape, 1), t = drawn(shape, 2);
    const std::vector<int> axes{-2, -1};
    expect_derivatives([&](const array& a) { return linalg::norm(a, "nuc", axes); }, x, t);
    expect_derivatives([&](const array& a) { return linalg::norm(a, 2.0, axes); }, x, t);
    expect_derivatives([&](const array& a) { return linalg::norm(a, -2.0, axes); }, x, t);
    expect_derivatives([&](const array& a) { return linalg::norm(a, "fro", axes); }, x, t);
  }
}

// complex64 has the precision of float32: real and imaginary parts of the direction one after the other.
TEST(FactorDerivatives, ComplexNumbers) {
  const auto draw = [](const Shape& shape, int seed) {
    return astype(drawn(shape, seed), complex64) + astype(drawn(shape, seed + 1), complex64) * array(complex64_t(0, 1));
  };
  const auto check = [](const Unary& f, const array& x, const array& t) {
    // Re(conj(a) b) is the inner product.
    const auto inner = [](const array& a, const array& b) { return sum(real(conjugate(a) * b)).item<float>(); };
    const array value = f(x), weights = astype(drawn(value.shape(), 7), value.dtype());
    const float forward = inner(weights, jvp(f, x, t).second), backward = inner(vjp(f, x, weights).second, t);
    const array step = t * array(4e-3f);
    const float difference = inner(weights, f(x + step) - f(x - step)) / 8e-3f;
    EXPECT_NEAR(forward, backward, 1e-3f * (1 + std::fabs(forward)));
    EXPECT_NEAR(forward, difference, 1e-2f * (1 + std::fabs(forward)));
  };
  const array h = symmetric(draw({3, 3}, 1)), th = symmetric(draw({3, 3}, 11));
  check([](const array& a) { return linalg::eigvalsh(a); }, h, th);
  check(
      [](const array& a) {
        const auto [w, v] = linalg::eigh(a);
        return matmul(v * expand_dims(astype(sin(w), complex64), -2), adjoint(v));
      },
      h, th);
  for (const Shape& shape : {Shape{3, 3}, Shape{4, 2}, Shape{2, 4}}) {
    const array x = draw(shape, 3), t = draw(shape, 21);
    const int k = std::min(shape[0], shape[1]);
    check([](const array& a) { return linalg::svd(a, false)[0]; }, x, t);
    check(
        [&](const array& a) {
          const std::vector<array> f = linalg::svd(a);
          return matmul(take(f[0], arange(k), 1) * expand_dims(astype(sin(f[1]), complex64), -2),
                        take(f[2], arange(k), 0));
        },
        x, t);
  }
}

TEST(FactorDerivatives, OpenSizes) {
  const auto slope = compile(
      [](array a) {
        return grad(Unary([](const array& x) {
          return sum(sin(linalg::qr(x).second)) + sum(sin(linalg::lu_factor(x).first)) + sum(linalg::svd(x, false)[0]);
        }))(a);
      },
      true);
  for (const Shape& shape : {Shape{4, 3}, Shape{3, 4}, Shape{3, 3}}) {
    const array x = drawn(shape, 1);
    const array plain = grad(Unary([](const array& v) {
      return sum(sin(linalg::qr(v).second)) + sum(sin(linalg::lu_factor(v).first)) + sum(linalg::svd(v, false)[0]);
    }))(x);
    EXPECT_TRUE(allclose(slope(x), plain, 1e-9, 1e-9).item<bool>());
  }
}

// Windows that overlap add up.
TEST(FactorDerivatives, AsStrided) {
  const array x = drawn({12}, 1), t = drawn({12}, 2);
  expect_derivatives([](const array& a) { return sin(as_strided(a, {4, 3}, {2, 1}, 1)); }, x, t);
  expect_derivatives([](const array& a) { return sin(as_strided(a, {3, 2}, {0, -2}, 5)); }, x, t);
  const Unary windows = [](const array& a) { return sum(as_strided(a, {3, 2}, {1, 1}, 0)); };
  EXPECT_EQ(values<float>(grad(windows)(array({1.0f, 2.0f, 3.0f, 4.0f, 5.0f}))), (std::vector<float>{1, 2, 2, 1, 0}));
  expect_batch([](const array& a) { return as_strided(a, {4, 3}, {2, 1}, 1); }, drawn({2, 12}, 3));
}

// Windows of every kind: each element gets the cotangents of all positions that show it.
TEST(FactorDerivatives, WindowsThatOverlap) {
  struct Case {
    int size;
    Shape shape;
    Strides strides;
    size_t offset;
  };
  const std::vector<Case> cases = {
      {2 * 7 * 6 * 3, {2, 3, 5, 3, 2, 3}, {126, 36, 3, 18, 3, 1}, 0},  // images, with a stride
      {2 * 7 * 6 * 3, {2, 5, 4, 3, 3, 3}, {126, 18, 3, 18, 3, 1}, 0},
      {2 * 7 * 6 * 3, {2, 5, 4, 9}, {126, 18, 3, 1}, 3},  // taps and channels on one axis
      {2 * 8 * 6 * 3, {2, 3, 2, 9}, {144, 36, 6, 1}, 3},  // which steps beyond the stride
      {30, {10, 9}, {2, 1}, 1},                           // places are the longer axis of few elements
      {31, {4, 3}, {8, 2}, 1},                            // a stride that does not divide the operand
      {30, {3, 2, 4}, {9, 0, 2}, 2},                      // repeated
      {40, {5, 3, 1}, {7, 3, 0}, 4},                      // strides that divide nothing
      {300, {17, 17, 2}, {17, 1, 11}, 0},                 // a place that crosses a line
      {6, {1, 1}, {5, 3}, 4},
  };
  for (const Case& c : cases)
    for (const Dtype t : {float32, bfloat16}) {
      const Unary windows = [&](const array& a) { return as_strided(a, c.shape, c.strides, c.offset); };
      const array x = astype(zeros({c.size}), t);
      int count = 1;
      for (const int n : c.shape) count *= n;
      // Small integers, whose sums are exact.
      const array g = astype(reshape(remainder(arange(count) * array(7), array(5)) - array(2), c.shape), t);
      std::vector<float> expected(static_cast<size_t>(c.size), 0.0f);
      const std::vector<float> of_windows = values<float>(astype(g, float32));
      for (int i = 0; i < count; ++i) {
        int64_t at = static_cast<int64_t>(c.offset), rest = i;
        for (size_t axis = c.shape.size(); axis-- > 0; rest /= c.shape[axis])
          at += rest % c.shape[axis] * c.strides[axis];
        expected[static_cast<size_t>(at)] += of_windows[static_cast<size_t>(i)];
      }
      const auto found =
          vjp([&](const std::vector<array>& in) { return std::vector<array>{windows(in[0])}; }, {x}, {g});
      EXPECT_EQ(values<float>(astype(found.second[0], float32)), expected) << c.size;
    }
}

}  // namespace
}  // namespace frit::test::factor_derivatives_test
