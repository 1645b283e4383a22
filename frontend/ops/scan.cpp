// Running sums, products, extremes and logarithms of sums along an axis.
#include "frontend/core/build.h"

namespace frit {

namespace {

array scanned(const char* row, const array& a, int axis, bool reverse, bool inclusive, const StreamOrDevice& s) {
  const int at = detail::normalize_axis(row, a, axis, s);
  return detail::make(row, {a}, {{"axis", Dim(at)}, {"reverse", reverse}, {"inclusive", inclusive}}, s);
}

// Sums of bool count.
array to_sum(const array& a, std::optional<Dtype> dtype, const StreamOrDevice& s) {
  const array converted = astype(a, dtype.value_or(a.dtype()), s);
  return converted.dtype() == bool_ ? astype(converted, int32, s) : converted;
}

}  // namespace

array cumsum(const array& a, int axis, bool reverse, bool inclusive, std::optional<Dtype> dtype, StreamOrDevice s) {
  return scanned("cumsum", to_sum(a, dtype, s), axis, reverse, inclusive, s);
}
array cumsum(const array& a, bool reverse, bool inclusive, std::optional<Dtype> dtype, StreamOrDevice s) {
  return cumsum(flatten(a, s), 0, reverse, inclusive, dtype, s);
}
array cumprod(const array& a, int axis, bool reverse, bool inclusive, std::optional<Dtype> dtype, StreamOrDevice s) {
  return scanned("cumprod", astype(a, dtype.value_or(a.dtype()), s), axis, reverse, inclusive, s);
}
array cumprod(const array& a, bool reverse, bool inclusive, std::optional<Dtype> dtype, StreamOrDevice s) {
  return cumprod(flatten(a, s), 0, reverse, inclusive, dtype, s);
}
array cummax(const array& a, int axis, bool reverse, bool inclusive, StreamOrDevice s) {
  return scanned("cummax", a, axis, reverse, inclusive, s);
}
array cummax(const array& a, bool reverse, bool inclusive, StreamOrDevice s) {
  return cummax(flatten(a, s), 0, reverse, inclusive, s);
}
array cummin(const array& a, int axis, bool reverse, bool inclusive, StreamOrDevice s) {
  return scanned("cummin", a, axis, reverse, inclusive, s);
}
array cummin(const array& a, bool reverse, bool inclusive, StreamOrDevice s) {
  return cummin(flatten(a, s), 0, reverse, inclusive, s);
}
array logcumsumexp(const array& a, int axis, bool reverse, bool inclusive, StreamOrDevice s) {
  return scanned("logcumsumexp", astype(a, detail::at_least_float(a.dtype()), s), axis, reverse, inclusive, s);
}
array logcumsumexp(const array& a, bool reverse, bool inclusive, StreamOrDevice s) {
  return logcumsumexp(flatten(a, s), 0, reverse, inclusive, s);
}

}  // namespace frit
