// Further forms of operations that other files define: with an element type, without an end point, and slices whose
// start is an array.
#include "frontend/core/build.h"

namespace frit {

using detail::fail;
using detail::text;

array zeros_like(const array& a, Dtype dtype, StreamOrDevice s) { return full_like(a, array(0, dtype), dtype, s); }
array ones_like(const array& a, Dtype dtype, StreamOrDevice s) { return full_like(a, array(1, dtype), dtype, s); }

array linspace(double start, double stop, const Size& num, bool endpoint, Dtype dtype, StreamOrDevice s) {
  if (endpoint) return linspace(start, stop, num, dtype, s);
  // One number more, the last of which is left out.
  const array with_end = linspace(start, stop, num + Size(1), dtype, s);
  return slice(with_end, Sizes{0}, Sizes{num}, s);
}

array slice(const array& a, std::initializer_list<Size> start, const Sizes& stop, const Shape& strides,
            StreamOrDevice s) {
  return slice(a, Sizes(start), stop, strides, s);
}
array slice(const array& a, std::initializer_list<Size> start, const Sizes& stop, StreamOrDevice s) {
  return slice(a, Sizes(start), stop, s);
}

array slice(const array& a, const array& start, const std::vector<int>& axes, const Sizes& slice_size,
            StreamOrDevice s) {
  if (start.ndim() > 1 || start.size() != axes.size() || !issubdtype(start.dtype(), integer))
    fail("slice: start " + text(start) + " does not give a position for each of " + std::to_string(axes.size()) +
             " axes of " + text(a),
         "give a vector of integers, one for each axis in `axes`", s);
  if (slice_size.size() != a.ndim())
    fail("slice: " + std::to_string(slice_size.size()) + " sizes are given for " + text(a),
         "give the size of the result along each axis", s);
  if (start.is_tracer())
    fail("slice: the start " + text(start) + " depends on an argument of the function that is traced",
         "take the start as a number, or slice outside of the compiled function", s);
  const array positions = contiguous(astype(start, int64, s), false, s);
  const int64_t* position = positions.data<int64_t>();
  std::vector<Size> from(a.ndim(), 0), to(slice_size.begin(), slice_size.end());
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<size_t>(detail::normalize_axis("slice", a, axes[i], s));
    // A window that reaches past an end is moved inside of the array.
    const Size last = a.dim(static_cast<int>(axis), s.where()) - slice_size[axis];
    from[axis] = max(Size(0), min(Size(position[i]), last));
    to[axis] = from[axis] + slice_size[axis];
  }
  return slice(a, Sizes(std::move(from)), Sizes(std::move(to)), s);
}

Dtype result_type(const array& a, const array& b) { return promote_types(a.dtype(), b.dtype()); }
Dtype result_type(const array& a, const array& b, const array& c) {
  return promote_types(result_type(a, b), c.dtype());
}

}  // namespace frit
