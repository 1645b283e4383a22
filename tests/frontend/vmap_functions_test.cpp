// vmap of public functions that are made of many operations: each is a loop over the positions.
#include <cmath>

#include "helpers.h"

namespace frit::test::vmap_functions_test {
namespace {

using Arrays = std::vector<array>;
using Unary = std::function<array(const array&)>;

struct Named {
  const char* name;
  Unary function;
};

array numbers(Shape shape) {
  int n = 1;
  for (int d : shape) n *= d;
  return reshape(sin(arange(0.0f, static_cast<float>(n), 1.0f) * 1.7f), shape);
}

void expect_loops(const std::vector<Named>& functions, const array& x) {
  for (const Named& f : functions) {
    SCOPED_TRACE(f.name);
    Arrays rows;
    for (int i = 0; i < x.shape(0); ++i) rows.push_back(f.function(take(x, i, 0)));
    const array want = stack(rows, 0), got = vmap(f.function)(x);
    ASSERT_EQ(got.shape(), want.shape());
    ASSERT_EQ(got.dtype(), want.dtype());
    EXPECT_TRUE(array(allclose(got, want, 1e-4, 1e-5, true)).item<bool>()) << got << want;
  }
}

TEST(VmapFunctions, OfMatrices) {
  const array w = numbers({4, 4}), v = numbers({4});
  const array at({1, 3}, {2});
  expect_loops(
      {{"inner", [&](const array& a) { return inner(a, w); }},
       {"tensordot", [&](const array& a) { return tensordot(w, a, 1); }},
       {"outer", [&](const array& a) { return outer(v, a); }},
       {"norm", [](const array& a) { return linalg::norm(a, "nuc"); }},
       {"cross", [](const array& a) { return linalg::cross(slice(a, {0, 0}, {4, 3}), slice(a, {0, 1}, {4, 4})); }},
       {"meshgrid", [](const array& a) { return meshgrid({take(a, 0, 0), take(a, 1, 0)})[1]; }},
       {"roll", [](const array& a) { return roll(a, Shape{1, 2}, std::vector<int>{0, 1}); }},
       {"diagonal", [](const array& a) { return diagonal(a, 1); }},
       {"diag", [](const array& a) { return diag(take(a, 0, 0), -1); }},
       {"trace", [](const array& a) { return trace(a); }},
       {"diff", [](const array& a) { return diff(a, 2, 0); }},
       {"count_nonzero", [](const array& a) { return count_nonzero(a > 0.2f, 1); }},
       {"kron", [&](const array& a) { return kron(a, v); }},
       {"vecdot", [&](const array& a) { return vecdot(a, w); }},
       {"hadamard_transform", [](const array& a) { return hadamard_transform(a); }},
       {"block_masked_mm", [&](const array& a) { return block_masked_mm(tile(a, {8, 8}), tile(w, {8, 8}), 32); }},
       {"fftn", [](const array& a) { return abs(fft::fftn(a)); }},
       {"irfft", [](const array& a) { return fft::irfft(astype(a, complex64), 6, 0); }},
       {"fftshift", [](const array& a) { return fft::fftshift(a); }},
       {"logcumsumexp", [](const array& a) { return logcumsumexp(a, 0, true); }},
       {"cumprod", [](const array& a) { return cumprod(a); }},
       {"argsort", [](const array& a) { return argsort(a, 0); }},
       {"argpartition", [](const array& a) { return argpartition(a, 1, 0); }},
       {"topk", [](const array& a) { return topk(a, 2, 0); }},
       {"put_along_axis",
        [&](const array& a) { return put_along_axis(a, astype(a * 3.0f, int32), broadcast_to(v, {4, 4}), 1); }},
       {"masked_scatter", [&](const array& a) { return masked_scatter(a, a > 0.0f, flatten(w)); }},
       {"slice_update", [&](const array& a) { return slice_update(w, slice(a, {0, 0}, {2, 2}), {1, 1}, {3, 3}); }},
       {"slice_update of data",
        [&](const array& a) {
          return slice_update(a, array({9.0f, 8.0f}, {1, 2}), astype(slice(flatten(a), {0}, {1}) * 4.0f, int32), {0});
        }},
       {"slice of data",
        [](const array& a) { return slice(a, astype(slice(flatten(a), {0}, {1}) * 4.0f, int32), {1}, {4, 2}); }},
       {"slice_update_max", [&](const array& a) { return slice_update_max(a, v, {1, 0}, {2, 4}); }},
       {"split", [](const array& a) { return split(a, 2, 1)[1]; }},
       {"pad edge", [](const array& a) { return pad(a, 2, array(0), "edge"); }},
       {"tile", [](const array& a) { return tile(a, {2, 1, 2}); }},
       {"where", [&](const array& a) { return where(a > v, a, array(-1.0f)); }},
       {"clip", [](const array& a) { return clip(a, array(-0.5f), array(0.5f)); }},
       {"nan_to_num", [](const array& a) { return nan_to_num(a / (a - a)); }},
       {"divmod", [&](const array& a) { return divmod(a * 10.0f, v + 3.0f)[1]; }},
       {"array_equal", [&](const array& a) { return array_equal(a, w); }},
       {"view", [](const array& a) { return view(a, uint16); }},
       {"rms_norm", [&](const array& a) { return fast::rms_norm(a, v, 1e-5f); }},
       {"layer_norm", [&](const array& a) { return fast::layer_norm(a, v, v, 1e-5f); }},
       {"rope", [](const array& a) { return fast::rope(reshape(a, {1, 1, 4, 4}), 4, false, 10000.0f, 1.0f, 0); }},
       {"attention",
        [](const array& a) {
          const array q = reshape(a, {1, 2, 2, 4});
          return fast::scaled_dot_product_attention(q, q * 0.5f, q + 1.0f, 0.5f, "causal");
        }},
       {"gather_mm",
        [&](const array& a) {
          return gather_mm(reshape(a, {2, 2, 4}), stack({w, w + 1.0f, w * 2.0f}), std::nullopt, at);
        }},
       {"segmented_mm", [&](const array& a) { return segmented_mm(a, w, array({0, 2, 2, 4}, {2, 2})); }},
       {"std of random", [](const array& a) { return a + random::uniform({4, 4}, float32, random::key(7)); }}},
      numbers({3, 4, 4}));
}

TEST(VmapFunctions, OfDefiniteMatrices) {
  const Device cpu(Device::cpu);
  array a = numbers({3, 4, 4});
  a = matmul(a, transpose(a, {0, 2, 1})) + eye(4) * 2.0f;
  const array sides = numbers({4, 2});
  expect_loops({{"cholesky_inv",
                 [&](const array& x) { return linalg::cholesky_inv(linalg::cholesky(x, false, cpu), false, cpu); }},
                {"qr", [&](const array& x) { return linalg::qr(x, cpu).second; }},
                {"svd", [&](const array& x) { return linalg::svd(x, false, cpu)[0]; }},
                {"pinv", [&](const array& x) { return linalg::pinv(x, cpu); }},
                {"lu", [&](const array& x) { return linalg::lu(x, cpu)[2]; }},
                {"solve", [&](const array& x) { return linalg::solve(x, sides, cpu); }},
                {"solve_triangular", [&](const array& x) { return linalg::solve_triangular(x, sides, true, cpu); }},
                {"eigvalsh", [&](const array& x) { return linalg::eigvalsh(x, "L", cpu); }},
                {"det", [&](const array& x) { return linalg::det(x); }},
                {"slogdet", [&](const array& x) { return linalg::slogdet(x).second; }}},
               a);
}

TEST(VmapFunctions, QuantisedProducts) {
  const array w = numbers({8, 64}), x = numbers({3, 2, 64});
  const Arrays q = quantize(w, 32, 4);
  expect_loops(
      {{"quantized_matmul", [&](const array& a) { return quantized_matmul(a, q[0], q[1], q[2], true, 32, 4); }},
       {"quantize", [](const array& a) { return quantize(a, 32, 4)[1]; }},
       {"dequantize",
        [](const array& a) {
          const Arrays p = quantize(a, 32, 8);
          return dequantize(p[0], p[1], p[2], 32, 8);
        }}},
      x);
}

}  // namespace
}  // namespace frit::test::vmap_functions_test
