// Factorisations, inverses, systems of equations and eigenvalues: laws that hold whatever signs and orders LAPACK
// chooses, values of small matrices, stacks, strided operands, errors, open sizes.
#include <cmath>
#include <complex>
#include <random>

#include "helpers.h"

using namespace frit;

namespace {

using Floats = std::vector<float>;

array drawn(Shape shape, Dtype dtype = float32, unsigned seed = 1) {
  size_t n = 1;
  for (auto d : shape) n *= static_cast<size_t>(d);
  std::mt19937 g(seed);
  std::uniform_real_distribution<float> d(-1, 1);
  Floats v(n);
  for (float& x : v) x = d(g);
  return astype(array(v.begin(), shape), dtype);
}

array turned(const array& a) { return swapaxes(a, -1, -2); }
array identity_like(const array& a) { return broadcast_to(eye(a.shape(-1), a.dtype()), a.shape()); }
// Symmetric, with a diagonal that dominates.
array definite(int n, Shape lead = {}, Dtype dtype = float32) {
  Shape shape = lead;
  shape.insert(shape.end(), {n, n});
  const array a = drawn(shape, dtype, 3);
  return matmul(a, turned(a)) + identity_like(a) * array(static_cast<float>(n), dtype);
}

void expect_near(const array& got, const array& want, double tolerance, const char* what) {
  ASSERT_EQ(got.shape(), want.shape()) << what;
  const array off = max(abs(got - want));
  EXPECT_LE(astype(off, float32).item<float>(), tolerance) << what;
}

double tolerance_of(Dtype t) { return t == float64 ? 1e-11 : 2e-4; }

const std::vector<Shape> kShapes = {{1, 1}, {3, 3}, {5, 2}, {2, 5}, {4, 3, 3}, {2, 3, 6, 4}, {40, 40}};

}  // namespace

TEST(Factor, Cholesky) {
  for (Dtype t : {float32, float64})
    for (int n : {1, 2, 7, 60}) {
      const array a = definite(n, {2}, t), l = linalg::cholesky(a), u = linalg::cholesky(a, true);
      EXPECT_EQ(l.dtype(), t);
      expect_near(matmul(l, turned(l)), a, n * tolerance_of(t), "l");
      expect_near(matmul(turned(u), u), a, n * tolerance_of(t), "u");
      expect_near(tril(l), l, 0, "lower");
      expect_near(triu(u), u, 0, "upper");
      expect_near(matmul(linalg::cholesky_inv(l), a), identity_like(a), tolerance_of(t), "inverse");
      expect_near(matmul(linalg::cholesky_inv(u, true), a), identity_like(a), tolerance_of(t), "inverse");
    }
  const Floats got = values<float>(linalg::cholesky(array({4.0f, 1.0f, 1.0f, 3.0f}, {2, 2})));
  EXPECT_EQ(got[0], 2);
  EXPECT_EQ(got[1], 0);
  EXPECT_EQ(got[2], 0.5f);
  EXPECT_NEAR(got[3], 1.6583124, 1e-6);
}

TEST(Factor, Qr) {
  for (Dtype t : {float32, float64})
    for (const Shape& shape : kShapes) {
      const array a = drawn(shape, t);
      const auto [q, r] = linalg::qr(a);
      expect_near(matmul(q, r), a, 40 * tolerance_of(t), "product");
      expect_near(matmul(turned(q), q), broadcast_to(eye(q.shape(-1), t), matmul(turned(q), q).shape()),
                  tolerance_of(t), "orthonormal");
      expect_near(triu(r), r, 0, "upper");
    }
}

TEST(Factor, Svd) {
  for (Dtype t : {float32, float64, complex64})
    for (const Shape& shape : kShapes) {
      const array a =
          t == complex64 ? drawn(shape) + drawn(shape, float32, 9) * array(complex64_t{0, 1}) : drawn(shape, t);
      const auto f = linalg::svd(a);
      ASSERT_EQ(f.size(), 3u);
      const int k = f[1].shape(-1);
      EXPECT_EQ(f[1].dtype(), t == complex64 ? float32 : t);
      Shape stop = f[0].shape(), rows = f[2].shape();
      stop.back() = k;
      rows[rows.size() - 2] = k;
      const array u = slice(f[0], Shape(stop.size(), 0), stop), vt = slice(f[2], Shape(rows.size(), 0), rows);
      expect_near(matmul(u * expand_dims(f[1], -2), vt), a, 40 * tolerance_of(t), "product");
      expect_near(matmul(f[0], conjugate(turned(f[0]))), identity_like(f[0]), 20 * tolerance_of(t), "u");
      expect_near(matmul(f[2], conjugate(turned(f[2]))), identity_like(f[2]), 20 * tolerance_of(t), "vt");
      expect_near(linalg::svd(a, false)[0], f[1], 20 * tolerance_of(t), "values");
      expect_near(sort(f[1], -1), flip(f[1], -1), 0, "descending");
    }
  EXPECT_EQ(linalg::svd(zeros({0, 3}))[2].shape(), (Shape{3, 3}));
  expect_near(linalg::svd(zeros({0, 3}))[2], eye(3), 0, "empty");
}

TEST(Factor, Inverses) {
  for (Dtype t : {float32, float64})
    for (int n : {1, 3, 50}) {
      const array a = definite(n, {3}, t) + drawn({3, n, n}, t, 5);
      expect_near(matmul(a, linalg::inv(a)), identity_like(a), tolerance_of(t), "inv");
      expect_near(matmul(tril(a), linalg::tri_inv(a)), identity_like(a), tolerance_of(t), "tri_inv");
      expect_near(matmul(triu(a), linalg::tri_inv(a, true)), identity_like(a), tolerance_of(t), "tri_inv upper");
      // As it lies: columns side by side.
      expect_near(matmul(turned(a), linalg::inv(turned(a))), identity_like(a), tolerance_of(t), "strided");
    }
  EXPECT_EQ(linalg::inv(zeros({0, 2, 2})).shape(), (Shape{0, 2, 2}));
  EXPECT_EQ(linalg::inv(zeros({0, 0})).shape(), (Shape{0, 0}));
  const Floats p = values<float>(linalg::pinv(array({1.0f, 2.0f, 2.0f, 4.0f}, {2, 2})));
  const Floats want{0.04f, 0.08f, 0.08f, 0.16f};
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(p[i], want[i], 1e-6);
  for (const Shape& shape : kShapes) {
    const array a = drawn(shape), b = linalg::pinv(a);
    expect_near(matmul(matmul(a, b), a), a, 1e-3, "pinv");
    expect_near(matmul(matmul(b, a), b), b, 1e-1, "pinv");
  }
}

TEST(Factor, Lu) {
  for (Dtype t : {float32, float64})
    for (const Shape& shape : kShapes) {
      const array a = drawn(shape, t);
      const auto f = linalg::lu(a);
      const auto [packed, pivots] = linalg::lu_factor(a);
      EXPECT_EQ(f[0].dtype(), uint32);
      EXPECT_EQ(pivots.dtype(), uint32);
      // Row i of the matrix is row p[i] of the product.
      const array rows = astype(equal(expand_dims(f[0], -1), arange(a.shape(-2), uint32)), t);
      expect_near(matmul(rows, matmul(f[1], f[2])), a, 40 * tolerance_of(t), "product");
      const int k = pivots.shape(-1);
      Shape stop = packed.shape();
      stop[stop.size() - 2] = k;
      expect_near(triu(slice(packed, Shape(stop.size(), 0), stop)), f[2], 0, "packed");
    }
  const auto [packed, pivots] = linalg::lu_factor(array({1.0f, 2.0f, 2.0f, 4.0f}, {2, 2}));
  EXPECT_EQ(values<float>(packed), (Floats{2, 4, 0.5, 0}));
  EXPECT_EQ(values<uint32_t>(pivots), (std::vector<uint32_t>{1, 1}));
}

TEST(Factor, Solve) {
  for (Dtype t : {float32, float64}) {
    const array a = definite(6, {}, t) + drawn({6, 6}, t, 5), b = drawn({6, 4}, t, 7), v = drawn({6}, t, 8);
    expect_near(matmul(a, linalg::solve(a, b)), b, tolerance_of(t), "solve");
    expect_near(matmul(a, linalg::solve(a, v)), v, tolerance_of(t), "vector");
    expect_near(matmul(tril(a), linalg::solve_triangular(a, b)), b, tolerance_of(t), "lower");
    expect_near(matmul(triu(a), linalg::solve_triangular(a, v, true)), v, tolerance_of(t), "upper");
    const array many = definite(6, {3, 1}, t), sides = drawn({2, 6, 2}, t);
    const array x = linalg::solve(many, sides);
    EXPECT_EQ(x.shape(), (Shape{3, 2, 6, 2}));
    expect_near(matmul(many, x), broadcast_to(sides, {3, 2, 6, 2}), tolerance_of(t), "broadcast");
  }
  EXPECT_EQ(linalg::solve(zeros({3, 0, 0}), zeros({3, 0, 2})).shape(), (Shape{3, 0, 2}));
}

TEST(Factor, Eigenvalues) {
  for (Dtype t : {float32, float64, complex64}) {
    array a = definite(7, {2}, t == complex64 ? float32 : t);
    if (t == complex64) {
      const array skew = drawn({2, 7, 7}, float32, 4);
      a = a + (skew - turned(skew)) * array(complex64_t{0, 1});
    }
    const auto [w, v] = linalg::eigh(a);
    EXPECT_EQ(v.dtype(), t);
    expect_near(matmul(v * expand_dims(w, -2), conjugate(turned(v))), a, 20 * tolerance_of(t), "product");
    expect_near(matmul(conjugate(turned(v)), v), identity_like(v), tolerance_of(t), "orthonormal");
    expect_near(sort(w, -1), w, 0, "ascending");
    expect_near(linalg::eigvalsh(a), w, 20 * tolerance_of(t), "values");
    expect_near(linalg::eigvalsh(t == complex64 ? triu(a) : triu(a), "U"), w, 20 * tolerance_of(t), "upper");
    const array general = a + drawn({2, 7, 7}, t == complex64 ? float32 : t, 6);
    const auto [values, vectors] = linalg::eig(general);
    EXPECT_EQ(values.dtype(), complex64);
    const array as_complex = astype(general, complex64);
    expect_near(matmul(as_complex, vectors), vectors * expand_dims(values, -2), 1e-3, "eig");
    expect_near(sum(linalg::eigvals(general), -1), sum(values, -1), 1e-3, "eigvals");
  }
  // A rotation has a pair of conjugate eigenvalues.
  const auto [w, v] = linalg::eig(array({0.0f, 1.0f, -1.0f, 0.0f}, {2, 2}));
  const auto got = values<complex64_t>(w);
  EXPECT_NEAR(std::abs(got[0].imag()), 1, 1e-6);
  EXPECT_NEAR(got[0].imag() + got[1].imag(), 0, 1e-6);
  EXPECT_NEAR(got[0].real(), 0, 1e-6);
}

TEST(Factor, Determinants) {
  EXPECT_FLOAT_EQ(linalg::det(array({4.0f, 1.0f, 2.0f, 3.0f}, {2, 2})).item<float>(), 10);
  EXPECT_FLOAT_EQ(linalg::det(array({4, 1, 2, 3}, {2, 2})).item<float>(), 10);
  EXPECT_EQ(linalg::det(array({1.0f, 2.0f, 2.0f, 4.0f}, {2, 2})).item<float>(), 0);
  EXPECT_EQ(linalg::det(zeros({2, 2}, float16)).dtype(), float16);
  EXPECT_EQ(linalg::det(zeros({0, 0})).item<float>(), 1);
  const auto [sign, logarithm] = linalg::slogdet(array({1.0f, 2.0f, 2.0f, 1.0f}, {2, 2}));
  EXPECT_EQ(sign.item<float>(), -1);
  EXPECT_NEAR(logarithm.item<float>(), 1.0986123, 1e-6);
  const auto [none, least] = linalg::slogdet(zeros({3, 3}));
  EXPECT_EQ(none.item<float>(), 0);
  EXPECT_EQ(least.item<float>(), -std::numeric_limits<float>::infinity());
  // A permutation of three rows, and one of two.
  EXPECT_EQ(linalg::det(array({0, 1, 0, 0, 0, 1, 1, 0, 0}, {3, 3})).item<float>(), 1);
  EXPECT_EQ(linalg::det(array({0, 1, 0, 1, 0, 0, 0, 0, 1}, {3, 3})).item<float>(), -1);
  EXPECT_EQ(linalg::det(definite(4, {2, 3})).shape(), (Shape{2, 3}));
}

TEST(Factor, Errors) {
  const array singular = array({1.0f, 2.0f, 2.0f, 4.0f}, {2, 2}), wide = zeros({2, 3}), whole = zeros({2, 2}, int32);
  EXPECT_THROW(eval(linalg::inv(singular)), std::runtime_error);
  EXPECT_THROW(eval(linalg::solve(singular, zeros({2}))), std::runtime_error);
  EXPECT_THROW(eval(linalg::tri_inv(zeros({2, 2}))), std::runtime_error);
  EXPECT_THROW(eval(linalg::solve_triangular(zeros({2, 2}), zeros({2}))), std::runtime_error);
  EXPECT_THROW(eval(linalg::cholesky(array({1.0f, 2.0f, 2.0f, 1.0f}, {2, 2}))), std::runtime_error);
  EXPECT_THROW(eval(linalg::eig(full({2, 2}, NAN)).first), std::runtime_error);
  EXPECT_THROW(linalg::inv(wide), std::invalid_argument);
  EXPECT_THROW(linalg::inv(whole), std::invalid_argument);
  EXPECT_THROW(linalg::inv(zeros({2, 2}, complex64)), std::invalid_argument);
  EXPECT_THROW(linalg::cholesky(zeros({2})), std::invalid_argument);
  EXPECT_THROW(linalg::qr(zeros({2, 2}, float16)), std::invalid_argument);
  EXPECT_THROW(linalg::svd(whole), std::invalid_argument);
  EXPECT_THROW(linalg::eigh(wide), std::invalid_argument);
  EXPECT_THROW(linalg::eigh(singular, "x"), std::invalid_argument);
  EXPECT_THROW(linalg::solve(singular, zeros({3})), std::invalid_argument);
  for (const Dtype t : {int32, uint8, bool_, float16, bfloat16}) {  // whatever the type of the right side
    EXPECT_THROW(linalg::solve(eye(2, t), zeros({2})), std::invalid_argument);
    EXPECT_THROW(linalg::solve_triangular(eye(2, t), zeros({2}, float64)), std::invalid_argument);
    EXPECT_EQ(linalg::solve(eye(2), zeros({2}, t)).dtype(), float32);
  }
  EXPECT_THROW(linalg::solve(zeros({2, 2, 2}), zeros({3, 2, 1})), std::invalid_argument);
  EXPECT_THROW(linalg::det(zeros({2, 2}, complex64)), std::invalid_argument);
  EXPECT_THROW(linalg::det(wide), std::invalid_argument);
  const array stack = concatenate({reshape(eye(2), {1, 2, 2}), reshape(singular, {1, 2, 2})}, 0);
  const std::string message = thrown<std::exception>([&] { eval(linalg::inv(stack)); });
  EXPECT_TRUE(contains(message, "op 'inv' of f32[2,2,2]: matrix 1 is singular")) << message;
}

TEST(Factor, CompiledForAnyShape) {
  auto f = compile(
      [](const std::vector<array>& in) {
        const array a = matmul(in[0], swapaxes(in[0], -1, -2)) + eye(in[0].dim(1), float32);
        return std::vector<array>{linalg::inv(a), linalg::cholesky(a), linalg::det(a), linalg::svd(in[0])[1],
                                  linalg::pinv(in[0])};
      },
      true);
  for (int n : {2, 5}) {
    const array x = drawn({3, n, n});
    const array a = matmul(x, turned(x)) + eye(n);
    const auto got = f({x});
    expect_near(got[0], linalg::inv(a), 1e-4, "inv");
    expect_near(got[1], linalg::cholesky(a), 1e-5, "cholesky");
    expect_near(got[2], linalg::det(a), 1e-3, "det");
    expect_near(got[3], linalg::svd(x, false)[0], 1e-5, "svd");
    EXPECT_EQ(got[4].shape(), (Shape{3, n, n}));
  }
}
