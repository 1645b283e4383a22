// Further forms of operations that other files define: with an element type, or without an end point.
#include "frontend/core/build.h"

namespace frit {

array zeros_like(const array& a, Dtype dtype, StreamOrDevice s) { return full_like(a, array(0, dtype), dtype, s); }
array ones_like(const array& a, Dtype dtype, StreamOrDevice s) { return full_like(a, array(1, dtype), dtype, s); }

array linspace(double start, double stop, const Size& num, bool endpoint, Dtype dtype, StreamOrDevice s) {
  if (endpoint) return linspace(start, stop, num, dtype, s);
  detail::check_size("linspace", detail::simplify(num.dim()), s);
  // One number more, the last of which is left out.
  const array with_end = linspace(start, stop, num + Size(1), dtype, s);
  return slice(with_end, Sizes{0}, Sizes{num}, s);
}

array slice(const array& a, std::initializer_list<Size> start, const Sizes& stop, const Shape& strides,
            StreamOrDevice s) {
  return slice(a, Sizes(start), stop, strides, s);
}

Dtype result_type(const array& a, const array& b) { return promote_types(a.dtype(), b.dtype()); }
Dtype result_type(const array& a, const array& b, const array& c) {
  return promote_types(result_type(a, b), c.dtype());
}

}  // namespace frit
