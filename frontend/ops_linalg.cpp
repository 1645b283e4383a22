// Products of matrices and tensors.
#include <algorithm>

#include "frontend/build.h"

namespace frit {

array matmul(const array& in_a, const array& in_b, StreamOrDevice s) {
  if (in_a.ndim() == 0 || in_b.ndim() == 0)
    detail::fail("matmul: " + detail::text(in_a) + " and " + detail::text(in_b) + " are not both matrices or vectors",
                 "multiply by a scalar with multiply", s);
  const Dtype dtype = detail::at_least_float(promote_types(in_a.dtype(), in_b.dtype()));
  array a = astype(in_a, dtype, s), b = astype(in_b, dtype, s);
  const bool row = a.ndim() == 1, column = b.ndim() == 1;
  if (row) a = expand_dims(a, 0, s);
  if (column) b = expand_dims(b, 1, s);
  if (a.shape(-1) != b.shape(-2))
    detail::fail("matmul: " + detail::text(in_a) + " and " + detail::text(in_b) + " do not fit: " +
                     std::to_string(a.shape(-1)) + " columns meet " + std::to_string(b.shape(-2)) + " rows",
                 "the last axis of the first operand and the last but one of the second must be equal; transpose an "
                 "operand with swapaxes(x, -1, -2)",
                 s);
  // Batch axes broadcast against each other; the matrices stay as they are.
  const Shape batch_a(a.shape().begin(), a.shape().end() - 2), batch_b(b.shape().begin(), b.shape().end() - 2);
  if (batch_a != batch_b) {
    const auto spread = [&](const array& x, const Shape& batch) {
      Shape shape = batch;
      shape.insert(shape.end(), x.shape().end() - 2, x.shape().end());
      return broadcast_to(x, shape, s);
    };
    Shape batch(std::max(batch_a.size(), batch_b.size()), 1);
    for (size_t i = 0; i < batch.size(); ++i) {
      const ShapeElem x = i < batch_a.size() ? batch_a[batch_a.size() - 1 - i] : 1;
      const ShapeElem y = i < batch_b.size() ? batch_b[batch_b.size() - 1 - i] : 1;
      if (x != y && x != 1 && y != 1)
        detail::fail("matmul: the batch axes of " + detail::text(in_a) + " and " + detail::text(in_b) +
                         " do not broadcast",
                     "all axes but the last two must be equal or 1", s);
      batch[batch.size() - 1 - i] = x == 1 ? y : x;
    }
    a = spread(a, batch);
    b = spread(b, batch);
  }
  array product = detail::make("matmul", {a, b}, {}, s);
  if (row && column) return squeeze(product, {-2, -1}, s);
  if (row) return squeeze(product, -2, s);
  if (column) return squeeze(product, -1, s);
  return product;
}

array addmm(array c, array a, array b, const float& alpha, const float& beta, StreamOrDevice s) {
  array product = matmul(a, b, s);
  if (alpha != 1.0f) product = multiply(product, array(alpha, product.dtype()), s);
  if (beta == 0.0f) {
    const Dtype dtype = promote_types(product.dtype(), c.dtype());
    return broadcast_to(astype(product, dtype, s), broadcast_shapes(product.shape(), c.shape()), s);
  }
  if (beta != 1.0f) {
    c = astype(c, detail::at_least_float(c.dtype()), s);
    c = multiply(c, array(beta, c.dtype()), s);
  }
  return add(product, c, s);
}

array outer(const array& a, const array& b, StreamOrDevice s) {
  return multiply(reshape(a, {static_cast<ShapeElem>(a.size()), 1}, s), flatten(b, s), s);
}

array inner(const array& a, const array& b, StreamOrDevice s) {
  if (a.ndim() == 0 || b.ndim() == 0) return multiply(a, b, s);
  if (a.shape(-1) != b.shape(-1))
    detail::fail("inner: the last axes of " + detail::text(a) + " and " + detail::text(b) + " differ",
                 "the last axes of both operands must be equal", s);
  return tensordot(a, b, {-1}, {-1}, s);
}

array tensordot(const array& a, const array& b, const int axis, StreamOrDevice s) {
  if (axis < 0 || static_cast<size_t>(axis) > std::min(a.ndim(), b.ndim()))
    detail::fail("tensordot: " + detail::text(a) + " and " + detail::text(b) + " do not have " + std::to_string(axis) +
                     " axes each to sum over",
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
    detail::fail("tensordot: " + std::to_string(axes_a.size()) + " axes of the first operand are paired with " +
                     std::to_string(axes_b.size()) + " of the second",
                 "give as many axes for both", s);
  // The summed axes go to the end of `a` and to the front of `b`; then it is one matrix product.
  std::vector<int> order_a, order_b, summed_a, summed_b;
  Shape shape;
  ShapeElem summed = 1, rows = 1, columns = 1;
  for (size_t i = 0; i < axes_a.size(); ++i) {
    summed_a.push_back(detail::normalize_axis("tensordot", a, axes_a[i], s));
    summed_b.push_back(detail::normalize_axis("tensordot", b, axes_b[i], s));
    if (a.shape(summed_a.back()) != b.shape(summed_b.back()))
      detail::fail("tensordot: axis " + std::to_string(summed_a.back()) + " of " + detail::text(a) + " and axis " +
                       std::to_string(summed_b.back()) + " of " + detail::text(b) + " differ",
                   "axes that are summed over together must be equal", s);
    summed *= a.shape(summed_a.back());
  }
  detail::normalize_axes("tensordot", a, summed_a, s);
  detail::normalize_axes("tensordot", b, summed_b, s);
  const auto is_in = [](const std::vector<int>& axes, int i) { return std::find(axes.begin(), axes.end(), i) != axes.end(); };
  for (int i = 0; i < static_cast<int>(a.ndim()); ++i) {
    if (is_in(summed_a, i)) continue;
    order_a.push_back(i);
    rows *= a.shape(i);
    shape.push_back(a.shape(i));
  }
  order_a.insert(order_a.end(), summed_a.begin(), summed_a.end());
  order_b = summed_b;
  for (int i = 0; i < static_cast<int>(b.ndim()); ++i) {
    if (is_in(summed_b, i)) continue;
    order_b.push_back(i);
    columns *= b.shape(i);
    shape.push_back(b.shape(i));
  }
  const array left = reshape(transpose(a, order_a, s), {rows, summed}, s);
  const array right = reshape(transpose(b, order_b, s), {summed, columns}, s);
  return reshape(matmul(left, right, s), shape, s);
}

}  // namespace frit
