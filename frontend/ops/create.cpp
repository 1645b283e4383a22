// Arrays from nothing.
#include <cmath>

#include "frontend/core/build.h"
#include "frontend/ops/composed.h"

namespace frit {

using detail::check_size;
using detail::decide_equal;
using detail::elementwise;
using detail::fail;
using detail::make;
using detail::require_at_most;
using detail::simplify;
using detail::size_of;
using detail::size_value;
using detail::sizes_of;
using detail::text;

namespace {

// 0, 1, 2, ... along one axis of a shape, the same along the others.
array positions(const ir::Dims& shape, int axis, Dtype dtype, const StreamOrDevice& s) {
  return make("iota", {}, {{"shape", shape}, {"axis", Dim(axis)}, {"dtype", dtype}}, s);
}

void check_sequence_dtype(Dtype dtype, const StreamOrDevice& s) {
  if (dtype == bool_)
    fail("arange: dtype " + std::string(long_name(dtype)) + " has no sequence", "convert with astype after", s);
}

}  // namespace

array arange(double start, double stop, double step, Dtype dtype, StreamOrDevice s) {
  check_sequence_dtype(dtype, s);
  // A step past the end takes the first number alone.
  if (std::isinf(step) && std::isfinite(start) && std::isfinite(stop))
    step = (stop - start) * step > 0 ? stop - start : step > 0 ? 1 : -1;
  if (step == 0 || !std::isfinite(start) || !std::isfinite(stop) || !std::isfinite(step))
    fail("arange: the range from " + std::to_string(start) + " to " + std::to_string(stop) + " by " +
             std::to_string(step) + " has no length",
         "give finite bounds and a step that is not zero", s);
  const double count = std::max(0.0, std::ceil((stop - start) / step));
  if (count > static_cast<double>(std::numeric_limits<ShapeElem>::max()))
    check_size("arange", std::numeric_limits<int64_t>::max(), s);
  // An integer dtype counts in integers: from the first number, by the distance to the second, both without fractions.
  const bool whole = is_int(dtype);
  if (whole) {
    const double second = std::trunc(start + step);
    start = std::trunc(start);
    step = second - start;
  }
  const Dtype compute = whole || dtype == float64 ? dtype : float32;
  array a = positions({static_cast<int64_t>(count)}, 0, compute, s);
  // Converted as an integer, so that what a narrow or unsigned dtype cannot hold wraps instead of sticking at its ends.
  const auto number = [&](double v) {
    return whole && std::fabs(v) < 0x1p63 ? array(static_cast<int64_t>(v), compute) : array(v, compute);
  };
  if (step != 1) a = multiply(a, number(step), s);
  // Counting down from zero begins with -0 before zero is added.
  if (start != 0 || step < 0) a = add(a, number(start), s);
  return astype(std::move(a), dtype, s);
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

array arange(const Size& from, const Size& to, const Size& by, Dtype dtype, StreamOrDevice s) {
  check_sequence_dtype(dtype, s);
  const Dim start = simplify(from.dim()), stop = simplify(to.dim()), step = simplify(by.dim());
  const bool up = require_at_most(1, step, "arange", s.where());
  if (!up && !require_at_most(step, -1, "arange", s.where()))
    fail("arange: the range from " + text(start) + " to " + text(stop) + " by " + text(step) + " has no length",
         "give a step that is not zero", s);
  const Dim &low = up ? start : stop, &high = up ? stop : start;
  Dim count = 0;
  if (require_at_most(low, high, "arange", s.where()))
    count = ceil_div(high - low, up ? step : -step);
  else
    require_at_most(high, low, "arange", s.where());
  check_size("arange", count, s);
  // As for numbers: counted in integers for an integer dtype, else in floating point.
  const Dtype compute = is_int(dtype) || dtype == float64 ? dtype : float32;
  array a = positions({count}, 0, compute, s);
  if (!step.is(1)) a = multiply(a, size_value(step, compute, s), s);
  if (!start.is(0) || !up) a = add(a, size_value(start, compute, s), s);
  return astype(std::move(a), dtype, s);
}
array arange(const Size& start, const Size& stop, const Size& step, StreamOrDevice s) {
  return arange(start, stop, step, int32, s);
}
array arange(const Size& start, const Size& stop, Dtype dtype, StreamOrDevice s) {
  return arange(start, stop, Size(1), dtype, s);
}
array arange(const Size& start, const Size& stop, StreamOrDevice s) { return arange(start, stop, Size(1), int32, s); }
array arange(const Size& stop, Dtype dtype, StreamOrDevice s) { return arange(Size(0), stop, Size(1), dtype, s); }
array arange(const Size& stop, StreamOrDevice s) { return arange(Size(0), stop, Size(1), int32, s); }

array linspace(double start, double stop, const Size& num, Dtype dtype, StreamOrDevice s) {
  const Dim n = simplify(num.dim());
  check_size("linspace", n, s);
  const Dtype compute = dtype == float64 ? float64 : float32;
  // One number is `start`, whatever `stop` is. The code below gives the same for an open number, except here.
  const bool special = !std::isfinite(stop) || (start == 0 && std::signbit(start));
  if (n.is(1) || (special && decide_equal(n, 1, "linspace", s.where())))
    return astype(array({start}, compute), dtype, s);
  // Weights of the two ends, so that both come out exactly.
  const array t =
      divide(positions({n}, 0, compute, s), size_value(n.is_const() ? n - Dim(1) : max(n - Dim(1), 1), compute, s), s);
  const array left = multiply(subtract(array(1.0, compute), t, s), array(start, compute), s);
  return astype(add(left, multiply(t, array(stop, compute), s), s), dtype, s);
}

namespace {

array filled(std::string_view op, const ir::Dims& sizes, array vals, Dtype dtype, const StreamOrDevice& s) {
  for (const Dim& d : sizes) check_size(op, d, s);
  const array value = astype(std::move(vals), dtype, s);
  array result = detail::broadcast_or_fail(op, value, sizes, s);
  if (result.id() == value.id()) return result;
  // The result is dense to its holder. Memory for more than one element is taken when its data are asked for.
  if (!detail::element_count_of(value).is(1)) return contiguous(result, false, s);
  detail::node_of(result)->filled = true;
  return result;
}

}  // namespace

array full(const Sizes& shape, array vals, Dtype dtype, StreamOrDevice s) {
  return filled("full", sizes_of(shape), std::move(vals), dtype, s);
}
array full(const Sizes& shape, array vals, StreamOrDevice s) {
  const Dtype dtype = vals.dtype();
  return full(shape, std::move(vals), dtype, s);
}
array full_like(const array& a, array vals, Dtype dtype, StreamOrDevice s) {
  // The values may have more axes than the array.
  ir::Dims sizes = detail::broadcast_all("full_like", std::vector<array>{a, vals}, s);
  return filled("full_like", sizes, std::move(vals), dtype, s);
}
array full_like(const array& a, array vals, StreamOrDevice s) { return full_like(a, std::move(vals), a.dtype(), s); }

array zeros(const Sizes& shape, Dtype dtype, StreamOrDevice s) {
  return filled("zeros", sizes_of(shape), array(0, dtype), dtype, s);
}
array zeros(const Sizes& shape, StreamOrDevice s) { return zeros(shape, float32, s); }
array zeros_like(const array& a, StreamOrDevice s) {
  return filled("zeros_like", sizes_of(a), array(0, a.dtype()), a.dtype(), s);
}
array ones(const Sizes& shape, Dtype dtype, StreamOrDevice s) {
  return filled("ones", sizes_of(shape), array(1, dtype), dtype, s);
}
array ones(const Sizes& shape, StreamOrDevice s) { return ones(shape, float32, s); }
array ones_like(const array& a, StreamOrDevice s) {
  return filled("ones_like", sizes_of(a), array(1, a.dtype()), a.dtype(), s);
}

namespace {
// Whether (row, column) lies on diagonal k (`equal`), or on or below it (`greater_equal`).
array diagonal_mask(std::string_view op, std::string_view comparison, const Dim& n, const Dim& m, int k,
                    const StreamOrDevice& s) {
  check_size(op, n, s);
  check_size(op, m, s);
  // A row plus a k beyond 2^30 may leave int32.
  const Dtype type = std::abs(int64_t{k}) > 1 << 30 ? int64 : int32;
  array rows = positions({n, m}, 0, type, s);
  if (k != 0) rows = add(rows, array(k, type), s);
  return elementwise(comparison, {rows, positions({n, m}, 1, type, s)}, s);
}

// The same in the element type, as one function.
array diagonal_array(std::string_view op, std::string_view comparison, const Dim& n, const Dim& m, int k, Dtype dtype,
                     const StreamOrDevice& s) {
  check_size(op, n, s);
  check_size(op, m, s);
  const auto of_carrier = [=](const std::vector<array>& in) {
    const ir::Dims sizes = detail::carried_sizes(in[0]);
    return astype(diagonal_mask(op, comparison, sizes[0], sizes[1], k, {}), dtype);
  };
  return detail::composed(op, {k, detail::key_of(dtype)}, of_carrier, {detail::sizes_carrier({n, m})}, s);
}
}  // namespace

array eye(const Size& n, const Size& m, int k, Dtype dtype, StreamOrDevice s) {
  return diagonal_array("eye", "equal", simplify(n.dim()), simplify(m.dim()), k, dtype, s);
}
array eye(const Size& n, Dtype dtype, StreamOrDevice s) { return eye(n, n, 0, dtype, s); }
array eye(const Size& n, const Size& m, StreamOrDevice s) { return eye(n, m, 0, float32, s); }
array eye(const Size& n, const Size& m, int k, StreamOrDevice s) { return eye(n, m, k, float32, s); }
array eye(const Size& n, StreamOrDevice s) { return eye(n, n, 0, float32, s); }
array identity(const Size& n, Dtype dtype, StreamOrDevice s) { return eye(n, n, 0, dtype, s); }
array identity(const Size& n, StreamOrDevice s) { return eye(n, n, 0, float32, s); }

array tri(const Size& n, const Size& m, int k, Dtype dtype, StreamOrDevice s) {
  // A negative size is none, as in NumPy and MLX.
  const auto size = [](const Size& v) { return v.is_number() && v.value() < 0 ? Dim(0) : simplify(v.dim()); };
  return diagonal_array("tri", "greater_equal", size(n), size(m), k, dtype, s);
}
array tri(const Size& n, Dtype dtype, StreamOrDevice s) { return tri(n, n, 0, dtype, s); }

namespace {

// `x` where row + k compares with the column in this way, over the last two axes; zero elsewhere.
array part_of(std::string_view op, std::string_view comparison, const array& x, int k, const StreamOrDevice& s) {
  if (x.ndim() < 2)
    fail(std::string(op) + ": " + text(x) + " is not a matrix", "give an array with two axes or more", s);
  const auto kept = [=](const std::vector<array>& in) {
    const array& a = in[0];
    const int ndim = static_cast<int>(a.ndim());
    return where(diagonal_mask(op, comparison, size_of(a, ndim - 2), size_of(a, ndim - 1), k, {}), a, zeros_like(a));
  };
  return detail::composed(op, {k}, kept, {x}, s);
}

}  // namespace

array tril(array x, int k, StreamOrDevice s) { return part_of("tril", "greater_equal", x, k, s); }
array triu(array x, int k, StreamOrDevice s) { return part_of("triu", "less_equal", x, k, s); }

}  // namespace frit
