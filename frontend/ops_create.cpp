// Arrays from nothing.
#include <cmath>

#include "frontend/build.h"

namespace frit {

using detail::elementwise;
using detail::make;

namespace {

// 0, 1, 2, ... along one axis of `shape`, the same along the others.
array positions(const Shape& shape, int axis, Dtype dtype, const StreamOrDevice& s) {
  return make("iota", {}, {{"shape", detail::dims(shape)}, {"axis", Dim(axis)}, {"dtype", dtype}}, s);
}

// start + i * step, computed in `compute` (float32 or float64, or an integer type) and converted once.
array sequence(double start, double step, int64_t size, Dtype compute, Dtype dtype, const StreamOrDevice& s) {
  array a = positions({static_cast<ShapeElem>(size)}, 0, compute, s);
  if (step != 1) a = multiply(a, array(step, compute), s);
  if (start != 0) a = add(a, array(start, compute), s);
  return astype(std::move(a), dtype, s);
}

void check_size(std::string_view op, int64_t n, const StreamOrDevice& s) {
  if (n < 0) detail::fail(std::string(op) + ": size " + std::to_string(n) + " is negative", "give a size of zero or more", s);
  if (n > std::numeric_limits<ShapeElem>::max())
    detail::fail(std::string(op) + ": " + std::to_string(n) + " elements are more than an axis holds",
                 "an axis holds at most 2147483647 elements", s);
}

}  // namespace

array arange(double start, double stop, double step, Dtype dtype, StreamOrDevice s) {
  if (dtype == bool_ || dtype == complex64)
    detail::fail("arange: dtype " + std::string(long_name(dtype)) + " has no sequence", "convert with astype after", s);
  if (step == 0 || !std::isfinite(start) || !std::isfinite(stop) || !std::isfinite(step))
    detail::fail("arange: the range from " + std::to_string(start) + " to " + std::to_string(stop) + " by " +
                     std::to_string(step) + " has no length",
                 "give finite bounds and a step that is not zero", s);
  const double count = std::max(0.0, std::ceil((stop - start) / step));
  if (count > static_cast<double>(std::numeric_limits<ShapeElem>::max()))
    check_size("arange", std::numeric_limits<int64_t>::max(), s);
  // Whole bounds in an integer dtype are counted in integers; everything else in floating point.
  const bool whole = std::trunc(start) == start && std::trunc(step) == step && is_int(dtype);
  const Dtype compute = whole ? dtype : dtype == float64 || is_int(dtype) ? float64 : float32;
  return sequence(start, step, static_cast<int64_t>(count), compute, dtype, s);
}
array arange(double start, double stop, double step, StreamOrDevice s) { return arange(start, stop, step, float32, s); }
array arange(double start, double stop, Dtype dtype, StreamOrDevice s) { return arange(start, stop, 1.0, dtype, s); }
array arange(double start, double stop, StreamOrDevice s) { return arange(start, stop, 1.0, float32, s); }
array arange(double stop, Dtype dtype, StreamOrDevice s) { return arange(0.0, stop, 1.0, dtype, s); }
array arange(double stop, StreamOrDevice s) { return arange(0.0, stop, 1.0, float32, s); }
array arange(int start, int stop, int step, StreamOrDevice s) {
  return arange(static_cast<double>(start), static_cast<double>(stop), static_cast<double>(step), int32, s);
}
array arange(int start, int stop, StreamOrDevice s) { return arange(start, stop, 1, s); }
array arange(int stop, StreamOrDevice s) { return arange(0, stop, 1, s); }

array linspace(double start, double stop, int num, Dtype dtype, StreamOrDevice s) {
  check_size("linspace", num, s);
  if (num == 1) return astype(array({start}, float64), dtype, s);
  const Dtype compute = dtype == float64 ? float64 : float32;
  // Weights of the two ends, so that both come out exactly.
  const array t = divide(positions({num}, 0, compute, s), array(num - 1.0, compute), s);
  const array left = multiply(subtract(array(1.0, compute), t, s), array(start, compute), s);
  return astype(add(left, multiply(t, array(stop, compute), s), s), dtype, s);
}

array full(Shape shape, array vals, Dtype dtype, StreamOrDevice s) {
  for (ShapeElem d : shape) check_size("full", d, s);
  return broadcast_to(astype(std::move(vals), dtype, s), shape, s);
}
array full(Shape shape, array vals, StreamOrDevice s) {
  const Dtype dtype = vals.dtype();
  return full(std::move(shape), std::move(vals), dtype, s);
}
array full_like(const array& a, array vals, Dtype dtype, StreamOrDevice s) {
  return full(a.shape(), std::move(vals), dtype, s);
}
array full_like(const array& a, array vals, StreamOrDevice s) { return full(a.shape(), std::move(vals), a.dtype(), s); }

array zeros(const Shape& shape, Dtype dtype, StreamOrDevice s) { return full(shape, array(0, dtype), dtype, s); }
array zeros(const Shape& shape, StreamOrDevice s) { return zeros(shape, float32, s); }
array zeros_like(const array& a, StreamOrDevice s) { return zeros(a.shape(), a.dtype(), s); }
array ones(const Shape& shape, Dtype dtype, StreamOrDevice s) { return full(shape, array(1, dtype), dtype, s); }
array ones(const Shape& shape, StreamOrDevice s) { return ones(shape, float32, s); }
array ones_like(const array& a, StreamOrDevice s) { return ones(a.shape(), a.dtype(), s); }

namespace {
// Whether (row, column) lies on diagonal k (`equal`), or on or below it (`greater_equal`).
array diagonal_mask(std::string_view comparison, int n, int m, int k, const StreamOrDevice& s) {
  array rows = positions({n, m}, 0, int32, s);
  if (k != 0) rows = add(rows, array(k), s);
  return elementwise(comparison, {rows, positions({n, m}, 1, int32, s)}, s);
}
}  // namespace

array eye(int n, int m, int k, Dtype dtype, StreamOrDevice s) {
  check_size("eye", n, s);
  check_size("eye", m, s);
  return astype(diagonal_mask("equal", n, m, k, s), dtype, s);
}
array eye(int n, Dtype dtype, StreamOrDevice s) { return eye(n, n, 0, dtype, s); }
array eye(int n, int m, StreamOrDevice s) { return eye(n, m, 0, float32, s); }
array eye(int n, int m, int k, StreamOrDevice s) { return eye(n, m, k, float32, s); }
array eye(int n, StreamOrDevice s) { return eye(n, n, 0, float32, s); }
array identity(int n, Dtype dtype, StreamOrDevice s) { return eye(n, n, 0, dtype, s); }
array identity(int n, StreamOrDevice s) { return eye(n, n, 0, float32, s); }

array tri(int n, int m, int k, Dtype dtype, StreamOrDevice s) {
  check_size("tri", n, s);
  check_size("tri", m, s);
  return astype(diagonal_mask("greater_equal", n, m, k, s), dtype, s);
}
array tri(int n, Dtype dtype, StreamOrDevice s) { return tri(n, n, 0, dtype, s); }

namespace {
void check_matrix(std::string_view op, const array& x, const StreamOrDevice& s) {
  if (x.ndim() < 2)
    detail::fail(std::string(op) + ": " + detail::text(x) + " is not a matrix", "give an array with two axes or more", s);
}
}  // namespace

array tril(array x, int k, StreamOrDevice s) {
  check_matrix("tril", x, s);
  return where(tri(x.shape(-2), x.shape(-1), k, bool_, s), x, zeros_like(x, s), s);
}
array triu(array x, int k, StreamOrDevice s) {
  check_matrix("triu", x, s);
  return where(tri(x.shape(-2), x.shape(-1), k - 1, bool_, s), zeros_like(x, s), x, s);
}

}  // namespace frit
