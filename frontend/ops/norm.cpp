// Norms of vectors and matrices, and the cross product.
#include <bit>
#include <cmath>

#include "frontend/core/build.h"
#include "frontend/frit/linalg.h"
#include "frontend/frit/linalg_factor.h"
#include "frontend/ops/composed.h"

namespace frit::linalg {

using detail::fail;
using detail::size_of;
using detail::text;

namespace {

using Axes = std::vector<int>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string number(double v) {
  std::ostringstream out;
  out << v;
  return out.str();
}

array in_type_of(const array& a, const array& result, const StreamOrDevice& s) {
  return astype(result, detail::at_least_float(a.dtype()), s);
}

// `of` these axes, in one kernel. `number` is an order that it depends on.
array over_axes(const array& a, const Axes& axes, bool keepdims, double number,
                const std::function<array(const array&)>& of, const StreamOrDevice& s) {
  detail::ComposedKey key{keepdims, std::bit_cast<int64_t>(number), static_cast<int64_t>(a.ndim())};
  key.insert(key.end(), axes.begin(), axes.end());
  return detail::composed("norm", std::move(key), [of](const std::vector<array>& in) { return of(in[0]); }, {a}, s);
}

// The root of the sum of squares; of complex numbers a real one.
array euclidean(const array& a, const Axes& axes, bool keepdims, const StreamOrDevice& s) {
  const auto root = [=](const array& x) {
    const array squares = is_complex(x.dtype()) ? add(square(real(x)), square(imag(x)))
                                                : square(astype(x, detail::at_least_float(x.dtype())));
    return sqrt(sum(squares, axes, keepdims));
  };
  return over_axes(a, axes, keepdims, 2, root, s);
}

array vector_norm(const array& a, double ord, const Axes& axes, bool keepdims, const StreamOrDevice& s) {
  if (ord == 2) return euclidean(a, axes, keepdims, s);
  const auto of_order = [=](const array& x) {
    const array sizes = abs(x);
    if (ord == 0) return in_type_of(x, sum(astype(not_equal(x, array(0, x.dtype())), int32), axes, keepdims), {});
    if (ord == 1) return in_type_of(x, sum(sizes, axes, keepdims), {});
    if (ord == kInfinity) return in_type_of(x, max(sizes, axes, keepdims), {});
    if (ord == -kInfinity) return in_type_of(x, min(sizes, axes, keepdims), {});
    const array exact = astype(sizes, detail::at_least_float(sizes.dtype())), power_of(ord, exact.dtype());
    const array total = sum(power(exact, power_of), axes, keepdims);
    return in_type_of(x, power(total, array(1 / ord, exact.dtype())), {});
  };
  return over_axes(a, axes, keepdims, ord, of_order, s);
}

array singular_values(const array& a, const Axes& axes, const StreamOrDevice& s) {
  const array exact = astype(a, detail::at_least_float(a.dtype()), s);
  return svd(moveaxis(moveaxis(exact, axes[0], -1, s), axes[1] > axes[0] ? axes[1] - 1 : axes[1], -1, s), false, s)[0];
}

// One number for each matrix, with its two axes where they are kept.
array for_matrices(const array& a, const array& numbers, const Axes& axes, bool keepdims, const StreamOrDevice& s) {
  return keepdims ? expand_dims(numbers, detail::normalize_axes("norm", a, axes, s), s) : numbers;
}

array matrix_norm(const array& a, double ord, const Axes& axes, bool keepdims, const StreamOrDevice& s) {
  const bool largest = ord > 0;
  if (std::abs(ord) == 2) {
    const array values = singular_values(
        a, {detail::normalize_axis("norm", a, axes[0], s), detail::normalize_axis("norm", a, axes[1], s)}, s);
    return for_matrices(a, largest ? max(values, -1, false, s) : min(values, -1, false, s), axes, keepdims, s);
  }
  if (std::abs(ord) != 1 && std::abs(ord) != kInfinity)
    fail("norm: order " + number(ord) + " of " + text(a) + " is no norm of a matrix",
         "use 1, -1, 2, -2, an infinity, \"fro\" or \"nuc\", or name one axis", s);
  int summed = detail::normalize_axis("norm", a, axes[0], s), searched = detail::normalize_axis("norm", a, axes[1], s);
  if (std::abs(ord) == kInfinity) std::swap(summed, searched);
  const array sums = sum(abs(a, s), summed, true, s);
  const array result = largest ? max(sums, searched, true, s) : min(sums, searched, true, s);
  return in_type_of(a, keepdims ? result : squeeze(result, axes, s), s);
}

Axes axes_or_all(const array& a, const std::optional<Axes>& axis) { return axis ? *axis : detail::all_axes(a); }

void check_axes(const array& a, const Axes& axes, const StreamOrDevice& s) {
  if (axes.size() != 1 && axes.size() != 2)
    fail("norm: an order is given for " + std::to_string(axes.size()) + " axes of " + text(a),
         "name one axis for vectors or two for matrices, or leave the order out", s);
  detail::normalize_axes("norm", a, axes, s);
}

}  // namespace

array norm(const array& a, const std::optional<Axes>& axis, bool keepdims, StreamOrDevice s) {
  const Axes axes = axes_or_all(a, axis);
  detail::normalize_axes("norm", a, axes, s);
  return axes.empty() ? abs(astype(a, detail::at_least_float(a.dtype()), s), s) : euclidean(a, axes, keepdims, s);
}
array norm(const array& a, int axis, bool keepdims, StreamOrDevice s) { return norm(a, Axes{axis}, keepdims, s); }

array norm(const array& a, double ord, const std::optional<Axes>& axis, bool keepdims, StreamOrDevice s) {
  const Axes axes = axes_or_all(a, axis);
  check_axes(a, axes, s);
  return axes.size() == 1 ? vector_norm(a, ord, axes, keepdims, s) : matrix_norm(a, ord, axes, keepdims, s);
}
array norm(const array& a, double ord, int axis, bool keepdims, StreamOrDevice s) {
  return norm(a, ord, Axes{axis}, keepdims, s);
}

array norm(const array& a, const std::string& ord, const std::optional<Axes>& axis, bool keepdims, StreamOrDevice s) {
  const Axes axes = axes_or_all(a, axis);
  check_axes(a, axes, s);
  if (axes.size() != 2)
    fail("norm: order '" + ord + "' is one of matrices, and an axis of " + text(a) + " is not", "name two axes", s);
  if (ord == "nuc") {
    const array values = singular_values(
        a, {detail::normalize_axis("norm", a, axes[0], s), detail::normalize_axis("norm", a, axes[1], s)}, s);
    return for_matrices(a, sum(values, -1, false, s), axes, keepdims, s);
  }
  if (ord != "f" && ord != "fro")
    fail("norm: there is no order '" + ord + "' for " + text(a), "use 'fro', 'nuc' or a number", s);
  return euclidean(a, axes, keepdims, s);
}
array norm(const array& a, const std::string& ord, int axis, bool keepdims, StreamOrDevice s) {
  return norm(a, ord, Axes{axis}, keepdims, s);
}

array cross(const array& a, const array& b, int axis, StreamOrDevice s) {
  const int at_a = detail::normalize_axis("cross", a, axis, s), at_b = detail::normalize_axis("cross", b, axis, s);
  // Vectors of two numbers lie in the plane of the first two axes.
  const auto in_space = [&](const array& x, int at) {
    const Dim n = size_of(x, at);
    if (detail::require_equal(n, 3, "cross", s.where())) return x;
    if (!detail::require_equal(n, 2, "cross", s.where()))
      fail("cross: axis " + std::to_string(axis) + " of " + text(a) + " or " + text(b) + " has neither size 2 nor 3",
           "give vectors of two or three numbers", s);
    return pad(x, {at}, {0}, {1}, array(0, x.dtype()), "constant", s);
  };
  const Dtype dtype = promote_types(a.dtype(), b.dtype());
  // The axis counts from the front of the common shape, which may have more axes than an operand.
  const auto both = broadcast_arrays({in_space(astype(a, dtype, s), at_a), in_space(astype(b, dtype, s), at_b)}, s);
  const int at = detail::normalize_axis("cross", both[0], axis, s);
  const auto component = [&](int i) {
    const auto part = [&](const array& v, int k) { return detail::take_range(v, at, k % 3, k % 3 + 1, s); };
    const auto product = [&](int k, int l) { return multiply(part(both[0], k), part(both[1], l), s); };
    const array plus = product(i + 1, i + 2), minus = product(i + 2, i + 1);
    return dtype == bool_ ? not_equal(plus, minus, s) : subtract(plus, minus, s);
  };
  return concatenate({component(0), component(1), component(2)}, at, s);
}

}  // namespace frit::linalg
