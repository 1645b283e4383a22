// Products of matrices and tensors.
#include <algorithm>

#include "frontend/core/build.h"

namespace frit {

using detail::fail;
using detail::require_equal;
using detail::size_of;
using detail::sizes_of;
using detail::text;

array matmul(const array& in_a, const array& in_b, StreamOrDevice s) {
  if (in_a.ndim() == 0 || in_b.ndim() == 0)
    fail("matmul: " + text(in_a) + " and " + text(in_b) + " are not both matrices or vectors",
         "multiply by a scalar with multiply", s);
  const Dtype dtype = promote_types(in_a.dtype(), in_b.dtype());
  if (!is_inexact(dtype))
    fail("matmul: takes floating point numbers, not " + text(in_a) + " and " + text(in_b), "convert with astype first",
         s);
  array a = astype(in_a, dtype, s), b = astype(in_b, dtype, s);
  const bool row = a.ndim() == 1, column = b.ndim() == 1;
  if (row) a = expand_dims(a, 0, s);
  if (column) b = expand_dims(b, 1, s);
  const auto rank_a = a.ndim(), rank_b = b.ndim();
  const Dim columns = size_of(a, static_cast<int>(rank_a) - 1), rows = size_of(b, static_cast<int>(rank_b) - 2);
  if (!require_equal(columns, rows, "matmul", s.where()))
    fail("matmul: " + text(in_a) + " and " + text(in_b) + " do not fit: " + text(columns) + " columns meet " +
             text(rows) + " rows",
         "the last axis of the first operand and the last but one of the second must be equal; transpose an "
         "operand with swapaxes(x, -1, -2)",
         s);
  // Batch axes broadcast against each other; the matrices stay as they are.
  ir::Dims batch = sizes_of(a), other = sizes_of(b);
  batch.resize(rank_a - 2);
  other.resize(rank_b - 2);
  if (batch != other) {
    if (other.size() > batch.size()) batch.insert(batch.begin(), other.size() - batch.size(), 1);
    for (size_t i = 0; i < other.size(); ++i)
      if (!detail::broadcast_size("matmul", batch[batch.size() - other.size() + i], other[i], s))
        fail("matmul: the batch axes of " + text(in_a) + " and " + text(in_b) + " do not broadcast",
             "all axes but the last two must be equal or 1", s);
    const auto spread = [&](const array& x) {
      const ir::Dims sizes = sizes_of(x);
      ir::Dims wide;
      for (const Dim& d : batch) wide.push_back(detail::simplify(d));
      wide.insert(wide.end(), sizes.end() - 2, sizes.end());
      return detail::stretch(x, std::move(wide), s);
    };
    a = spread(a);
    b = spread(b);
  }
  array product = detail::make("matmul", {a, b}, {}, s);
  if (row && column) return squeeze(product, {-2, -1}, s);
  if (row) return squeeze(product, -2, s);
  if (column) return squeeze(product, -1, s);
  return product;
}

array addmm(array c, array a, array b, float alpha, float beta, StreamOrDevice s) {
  const Dtype dtype = result_type(std::vector<array>{c, a, b});
  if (!is_inexact(dtype))
    fail("addmm: takes floating point numbers, not " + text(c) + ", " + text(a) + " and " + text(b),
         "convert with astype first", s);
  // The product has the precision of the result.
  const array product = matmul(astype(a, dtype, s), astype(b, dtype, s), s);
  c = detail::broadcast_or_fail("addmm", astype(c, dtype, s), sizes_of(product), s);
  const auto scaled = [&](const array& x, float factor) {
    return factor == 1.0f ? x : multiply(x, array(factor, dtype), s);
  };
  // A factor of zero leaves an operand out, with its infinities and NaNs.
  if (alpha == 0.0f && beta == 0.0f) return zeros_like(product, s);
  if (alpha == 0.0f) return scaled(c, beta);
  if (beta == 0.0f) return scaled(product, alpha);
  return add(scaled(product, alpha), scaled(c, beta), s);
}

array outer(const array& a, const array& b, StreamOrDevice s) {
  return multiply(detail::with_sizes(a, {detail::element_count_of(a), 1}, s), flatten(b, s), s);
}

array inner(const array& a, const array& b, StreamOrDevice s) {
  if (a.ndim() == 0 || b.ndim() == 0) return multiply(a, b, s);
  if (!require_equal(size_of(a, static_cast<int>(a.ndim()) - 1), size_of(b, static_cast<int>(b.ndim()) - 1), "inner",
                     s.where()))
    fail("inner: the last axes of " + text(a) + " and " + text(b) + " differ",
         "the last axes of both operands must be equal", s);
  return tensordot(a, b, {-1}, {-1}, s);
}

array tensordot(const array& a, const array& b, const int axis, StreamOrDevice s) {
  if (axis < 0 || static_cast<size_t>(axis) > std::min(a.ndim(), b.ndim()))
    fail(
        "tensordot: " + text(a) + " and " + text(b) + " do not have " + std::to_string(axis) + " axes each to sum over",
        "give a number of axes from zero to the smaller rank", s);
  std::vector<int> axes_a, axes_b;
  for (int i = 0; i < axis; ++i) {
    axes_a.push_back(static_cast<int>(a.ndim()) - axis + i);
    axes_b.push_back(i);
  }
  return tensordot(a, b, axes_a, axes_b, s);
}

array tensordot(const array& a, const array& b, const std::vector<int>& axes_a, const std::vector<int>& axes_b,
                StreamOrDevice s) {
  if (axes_a.size() != axes_b.size())
    fail("tensordot: " + std::to_string(axes_a.size()) + " axes of the first operand are paired with " +
             std::to_string(axes_b.size()) + " of the second",
         "give as many axes for both", s);
  // The summed axes go to the end of `a` and to the front of `b`; then it is one matrix product.
  std::vector<int> order_a, order_b, summed_a, summed_b;
  for (size_t i = 0; i < axes_a.size(); ++i) {
    const int at_a = detail::normalize_axis("tensordot", a, axes_a[i], s),
              at_b = detail::normalize_axis("tensordot", b, axes_b[i], s);
    if (!require_equal(size_of(a, at_a), size_of(b, at_b), "tensordot", s.where()))
      fail("tensordot: axis " + std::to_string(at_a) + " of " + text(a) + " and axis " + std::to_string(at_b) + " of " +
               text(b) + " differ",
           "axes that are summed over together must be equal", s);
    summed_a.push_back(at_a);
    summed_b.push_back(at_b);
  }
  detail::normalize_axes("tensordot", a, summed_a, s);
  detail::normalize_axes("tensordot", b, summed_b, s);
  const ir::Dims sizes_a = sizes_of(a), sizes_b = sizes_of(b);
  ir::Dims result;
  Dim summed = 1, rows = 1, columns = 1;
  for (int i : summed_a) summed = summed * sizes_a[static_cast<size_t>(i)];
  const auto is_in = [](const std::vector<int>& axes, int i) {
    return std::find(axes.begin(), axes.end(), i) != axes.end();
  };
  for (int i = 0; i < static_cast<int>(a.ndim()); ++i) {
    if (is_in(summed_a, i)) continue;
    order_a.push_back(i);
    rows = rows * sizes_a[static_cast<size_t>(i)];
    result.push_back(sizes_a[static_cast<size_t>(i)]);
  }
  order_a.insert(order_a.end(), summed_a.begin(), summed_a.end());
  order_b = summed_b;
  for (int i = 0; i < static_cast<int>(b.ndim()); ++i) {
    if (is_in(summed_b, i)) continue;
    order_b.push_back(i);
    columns = columns * sizes_b[static_cast<size_t>(i)];
    result.push_back(sizes_b[static_cast<size_t>(i)]);
  }
  const array left = detail::with_sizes(transpose(a, order_a, s), {rows, summed}, s);
  const array right = detail::with_sizes(transpose(b, order_b, s), {summed, columns}, s);
  return detail::with_sizes(matmul(left, right, s), std::move(result), s);
}

}  // namespace frit
