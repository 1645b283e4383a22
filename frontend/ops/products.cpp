// Products that follow from others: Kronecker, along one axis, in masked blocks, and with a Hadamard matrix.
#include <array>
#include <bit>
#include <cmath>

#include "frontend/core/build.h"
#include "frontend/frit/contraction_ops.h"

namespace frit {

using detail::fail;
using detail::require_at_most;
using detail::require_equal;
using detail::size_of;
using detail::sizes_of;
using detail::text;
using detail::with_sizes;

array kron(const array& a, const array& b, StreamOrDevice s) {
  for (const array& x : {a, b})
    if (!require_at_most(1, detail::element_count_of(x), "kron", s.where()))
      fail("kron: " + text(x) + " has no elements", "give arrays with elements", s);
  // Axes of `a` and `b` take turns, and each pair becomes one axis.
  const size_t ndim = std::max(a.ndim(), b.ndim());
  ir::Dims left(2 * ndim, 1), right(2 * ndim, 1), result(ndim, 1);
  const ir::Dims sizes_a = sizes_of(a), sizes_b = sizes_of(b);
  for (size_t i = 0; i < a.ndim(); ++i) left[2 * (ndim - a.ndim() + i)] = sizes_a[i];
  for (size_t i = 0; i < b.ndim(); ++i) right[2 * (ndim - b.ndim() + i) + 1] = sizes_b[i];
  for (size_t i = 0; i < ndim; ++i) result[i] = left[2 * i] * right[2 * i + 1];
  return with_sizes(multiply(with_sizes(a, left, s), with_sizes(b, right, s), s), result, s);
}

array vecdot(const array& a, const array& b, int axis, StreamOrDevice s) {
  const std::string both = "vecdot: " + text(a) + " and " + text(b);
  if (a.ndim() == 0 || b.ndim() == 0) fail(both + " are not both vectors", "give arrays with an axis", s);
  const int at = detail::normalize_axis("vecdot", a, axis, s);
  if (at >= static_cast<int>(b.ndim()))
    fail(both + " have no common axis " + std::to_string(at), "give arrays of one rank", s);
  if (!require_equal(size_of(a, at), size_of(b, at), "vecdot", s.where()))
    fail(both + " differ along axis " + std::to_string(at), "the summed axes must be equal", s);
  const array left = is_complex(a.dtype()) ? conjugate(a, s) : a;
  const array products = multiply(left, b, s);
  return sum(products, at - static_cast<int>(a.ndim()), false, s);
}

namespace {

// Rows of Hadamard matrices whose order is no power of two. Bit j of a row says that element j is -1.
constexpr std::array<uint32_t, 12> kHadamard12{0x2,   0xaab, 0x3c8, 0x96e, 0xf20, 0x5ba,
                                               0xc8c, 0x6e6, 0x23c, 0xb96, 0x8f0, 0xe5a};
constexpr std::array<uint32_t, 20> kHadamard20{0x933de, 0x2e3bd, 0x5477b, 0xa0ef7, 0x499ef, 0x637c1, 0xc6ba2,
                                               0x8d764, 0x1aee8, 0x359f0, 0xfa53,  0x174a7, 0x26d4e, 0x45e9c,
                                               0x83d39, 0xf7a6d, 0xef4fa, 0xdedd5, 0xbdf8b, 0x7bf36};
constexpr std::array<uint32_t, 28> kHadamard28{
    0xcd69e7e, 0x9ad7c7d, 0x37ab8fb, 0x6d571f7, 0xd8ae3ef, 0xb3587df, 0x66b4f3f, 0xb467f43, 0x6acbe87, 0xd593d8e,
    0xab27b9c, 0x564f7b8, 0xac9aff0, 0x5b31fe1, 0x87fb325, 0xff66ca,  0x1decd95, 0x39ddb2a, 0x71bf654, 0xe17eca9,
    0xc2fd9d2, 0xfcf1299, 0xfbe2532, 0xf7c4ae4, 0xef8d549, 0xdf1ea13, 0xbe3d4a6, 0x7e7a94c};

// The columns of the product are the transform of the columns of the operand.
array hadamard_matrix(int64_t order, Dtype dtype) {
  const auto n = static_cast<size_t>(order);
  std::vector<float> elements(n * n);
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) {
      const auto bit = [&](const auto& rows) { return (rows[i] >> j & 1) != 0; };
      const bool minus = n == 12   ? bit(kHadamard12)
                         : n == 20 ? bit(kHadamard20)
                         : n == 28 ? bit(kHadamard28)
                                   : std::popcount(i & j) % 2 == 1;
      elements[i * n + j] = minus ? -1.0f : 1.0f;
    }
  return astype(array(elements.begin(), {static_cast<ShapeElem>(n), static_cast<ShapeElem>(n)}), dtype);
}

// Factors of the axis, each the order of a matrix that is multiplied with: m and powers of two up to 64. Empty where
// there are none.
std::vector<int64_t> hadamard_factors(int64_t n) {
  std::vector<int64_t> factors;
  int64_t odd = n;
  while (odd % 2 == 0) odd /= 2;
  const int64_t m = odd == 1 ? 1 : 4 * odd;
  if (odd > 7 || n % m != 0 || (odd > 1 && n < m)) return factors;
  if (m > 1) factors.push_back(m);
  for (int64_t rest = n / m; rest > 1 || factors.empty();) {
    const int64_t power = std::min<int64_t>(rest, 64);
    factors.push_back(power);
    rest /= power;
  }
  return factors;
}

}  // namespace

array hadamard_transform(const array& a, std::optional<float> scale, StreamOrDevice s) {
  if (!require_at_most(1, detail::element_count_of(a), "hadamard_transform", s.where()))
    fail("hadamard_transform: " + text(a) + " has no elements", "give an array with elements", s);
  const Dtype dtype = is_float(a.dtype()) ? a.dtype() : float32;
  const array x = astype(a, dtype, s);
  const int64_t n = a.ndim() == 0 ? 1 : Size(size_of(a, static_cast<int>(a.ndim()) - 1), s.where()).value();
  const std::vector<int64_t> factors = hadamard_factors(n);
  if (factors.empty())
    fail("hadamard_transform: the last axis of " + text(a) + " has no transform",
         "its size must be m * 2^k with m one of 1, 12, 20 and 28", s);
  // A number alone is its own transform, of any type.
  if (n == 1) return scale ? multiply(a, array(*scale, is_inexact(a.dtype()) ? a.dtype() : float32), s) : a;
  const Dim rows = floor_div(detail::element_count_of(a), n);
  // The last axis as one axis for each factor, and a product with the factor's matrix along each.
  array result = x;
  int64_t before = 1, behind = n;
  for (const int64_t factor : factors) {
    behind /= factor;
    if (factor > 1) {
      const array planes = with_sizes(result, {rows * Dim(before), factor, behind}, s);
      result = matmul(hadamard_matrix(factor, dtype), planes, s);
    }
    before *= factor;
  }
  const float by = scale ? *scale : static_cast<float>(1 / std::sqrt(static_cast<double>(n)));
  return with_sizes(multiply(result, array(by, dtype), s), sizes_of(a), s);
}

namespace {

// A mask of blocks spread over the matrices of `sizes`.
array mask_of_blocks(std::string_view which, const array& mask, const ir::Dims& sizes, int block,
                     const StreamOrDevice& s) {
  const size_t rank = sizes.size();
  ir::Dims blocks = sizes;
  for (size_t i = rank - 2; i < rank; ++i) blocks[i] = ceil_div(sizes[i], Dim(block));
  array wide = detail::broadcast_or_fail("block_masked_mm: the mask of the " + std::string(which), mask, blocks, s);
  for (size_t i = rank - 2; i < rank; ++i) {
    const int axis = static_cast<int>(i);
    wide = detail::take_range(repeat(wide, block, axis, s), axis, 0, sizes[i], s);
  }
  return wide;
}

array masked(const array& x, const array& mask, const StreamOrDevice& s) {
  return mask.dtype() == bool_ ? where(mask, x, array(0, x.dtype()), s) : multiply(x, astype(mask, x.dtype(), s), s);
}

}  // namespace

array block_masked_mm(array a, array b, int block_size, const std::optional<array>& mask_out,
                      const std::optional<array>& mask_lhs, const std::optional<array>& mask_rhs, StreamOrDevice s) {
  const Dtype dtype = promote_types(a.dtype(), b.dtype());
  if (!is_inexact(dtype))
    fail("block_masked_mm: " + text(a) + " and " + text(b) + " are not floating-point numbers",
         "convert them with astype", s);
  if (!mask_out && !mask_lhs && !mask_rhs) return matmul(a, b, s);
  if (block_size != 32 && block_size != 64)
    fail("block_masked_mm: blocks of " + std::to_string(block_size) + " are not supported", "use 32 or 64", s);
  if (a.ndim() < 2 || b.ndim() < 2)
    fail("block_masked_mm: " + text(a) + " and " + text(b) + " are not both matrices", "add an axis with expand_dims",
         s);
  if (mask_lhs) a = masked(a, mask_of_blocks("first operand", *mask_lhs, sizes_of(a), block_size, s), s);
  if (mask_rhs) b = masked(b, mask_of_blocks("second operand", *mask_rhs, sizes_of(b), block_size, s), s);
  const array product = matmul(a, b, s);
  return mask_out ? masked(product, mask_of_blocks("result", *mask_out, sizes_of(product), block_size, s), s) : product;
}

}  // namespace frit
