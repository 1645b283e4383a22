// Conversion, selection and comparison of whole arrays.
#include <cmath>

#include "frontend/core/build.h"

namespace frit {

using detail::elementwise;
using detail::make;

array astype(array a, Dtype dtype, StreamOrDevice s) {
  if (a.dtype() == dtype) return a;
  // A known scalar is converted on the spot: it is most often a C++ number that meets an array.
  // A C++ complex number is false where its real part is 0; an array's element where both parts are.
  if (a.ndim() == 0 && detail::node_of(a)->is_ready() && !(a.dtype() == complex64 && dtype == bool_)) {
    runtime::Tensor tensor = detail::allocate(dtype, {});
    detail::convert(detail::data_of(detail::node_of(a)->value()), a.dtype(), tensor.buffer->data(), dtype, 1);
    return detail::array_of(std::make_shared<detail::Node>(dtype, Shape{}, std::move(tensor)));
  }
  return make("astype", {std::move(a)}, {{"dtype", dtype}}, s);
}

array view(const array& a, Dtype dtype, StreamOrDevice s) {
  if (a.dtype() == dtype) return a;
  const int ratio = dtype.size() / a.dtype().size(), last = static_cast<int>(a.ndim()) - 1;
  // Of an axis that does not divide, and of an array without axes, the row's rule has the error.
  if (ratio <= 1 || last < 0 || !detail::require_multiple(detail::size_of(a, last), ratio, "view", s.where()))
    return make("view", {a}, {{"dtype", dtype}}, s);
  // The elements that become one stand along an axis of their own, whose size is known whatever the array's are.
  ir::Dims sizes = detail::sizes_of(a);
  sizes.back() = floor_div(sizes.back(), ratio);
  ir::Dims apart = sizes;
  apart.push_back(ratio);
  return detail::with_sizes(make("view", {detail::with_sizes(a, std::move(apart), s)}, {{"dtype", dtype}}, s),
                            std::move(sizes), s);
}

array copy(array a, StreamOrDevice s) { return make("copy", {std::move(a)}, {}, s); }
array stop_gradient(const array& a, StreamOrDevice s) { return make("stop_gradient", {a}, {}, s); }

array contiguous(const array& a, bool allow_col_major, StreamOrDevice s) {
  // How an array lies is known once it is computed. In a trace it never is, and a copy in rows is right in any case.
  if (allow_col_major && !a.is_tracer()) a.eval();
  if (detail::node_of(a)->is_ready()) {
    const array::Flags flags = a.flags();
    if (flags.row_contiguous || (allow_col_major && flags.col_contiguous)) return a;
  }
  return make("contiguous", {a}, {}, s);
}

array where(const array& condition, const array& x, const array& y, StreamOrDevice s) {
  const Dtype dtype = promote_types(x.dtype(), y.dtype());
  std::vector<array> operands{condition, x, y};
  const ir::Dims sizes = detail::broadcast_all("where", operands, s);
  const Dtype dtypes[3] = {bool_, dtype, dtype};
  for (size_t i = 0; i < 3; ++i) operands[i] = detail::stretch(astype(operands[i], dtypes[i], s), sizes, s);
  return make("select", std::move(operands), {}, s);
}

array clip(const array& a, const std::optional<array>& a_min, const std::optional<array>& a_max, StreamOrDevice s) {
  if (!a_min && !a_max) detail::fail("clip: neither a lower nor an upper bound is given", "give at least one bound", s);
  array result = a;
  if (a_min) result = maximum(result, *a_min, s);
  if (a_max) result = minimum(result, *a_max, s);
  return result;
}

array round(const array& a, int decimals, StreamOrDevice s) {
  if (decimals == 0) return elementwise("round", {a}, s);
  // The rounded number is multiplied by the inverse power of ten, as in MLX: another rounding than a division has.
  const Dtype dtype = detail::at_least_float(a.dtype());
  const auto power = [&](double n) { return array(static_cast<double>(static_cast<float>(std::pow(10.0, n))), dtype); };
  const array scaled = round(multiply(astype(a, dtype, s), power(decimals), s), s);
  return astype(multiply(scaled, power(-static_cast<double>(decimals)), s), a.dtype(), s);
}
array round(const array& a, StreamOrDevice s) { return round(a, 0, s); }

array nan_to_num(const array& a, float nan, std::optional<float> posinf, std::optional<float> neginf,
                 StreamOrDevice s) {
  if (!is_float(a.dtype())) {
    if (is_complex(a.dtype()))
      detail::fail("nan_to_num: " + detail::text(a) + " is complex", "take the real and imaginary parts apart first",
                   s);
    return a;
  }
  ir::AttrMap attrs{{"nan", static_cast<double>(nan)}};
  if (posinf) attrs.set("posinf", static_cast<double>(*posinf));
  if (neginf) attrs.set("neginf", static_cast<double>(*neginf));
  return make("nan_to_num", {a}, std::move(attrs), s);
}

std::vector<array> divmod(const array& a, const array& b, StreamOrDevice s) {
  return {floor_divide(a, b, s), remainder(a, b, s)};
}

array isclose(const array& a, const array& b, double rtol, double atol, bool equal_nan, StreamOrDevice s) {
  const Dtype dtype = detail::at_least_float(promote_types(a.dtype(), b.dtype()));
  const array x = astype(a, dtype, s), y = astype(b, dtype, s);
  const Dtype real = is_complex(dtype) ? float32 : dtype;
  const array bound = add(array(atol, real), multiply(array(rtol, real), abs(y, s), s), s);
  const array near = less_equal(abs(subtract(x, y, s), s), bound, s);
  // The difference of infinities is NaN, and an infinite bound takes in everything: infinities are close only when
  // equal.
  const array infinite = logical_or(isinf(x, s), isinf(y, s), s);
  array close = where(infinite, equal(x, y, s), near, s);
  if (equal_nan) close = logical_or(close, logical_and(isnan(x, s), isnan(y, s), s), s);
  return close;
}

array allclose(const array& a, const array& b, double rtol, double atol, bool equal_nan, StreamOrDevice s) {
  return all(isclose(a, b, rtol, atol, equal_nan, s), s);
}

array array_equal(const array& a, const array& b, bool equal_nan, StreamOrDevice s) {
  if (a.ndim() != b.ndim()) return array(false);
  for (int axis = 0; axis < static_cast<int>(a.ndim()); ++axis)
    if (!detail::decide_equal(detail::size_of(a, axis), detail::size_of(b, axis), "array_equal", s.where()))
      return array(false);
  array same = equal(a, b, s);
  if (equal_nan && is_inexact(promote_types(a.dtype(), b.dtype())))
    same = logical_or(same, logical_and(isnan(a, s), isnan(b, s), s), s);
  return all(same, s);
}
array array_equal(const array& a, const array& b, StreamOrDevice s) { return array_equal(a, b, false, s); }

}  // namespace frit
