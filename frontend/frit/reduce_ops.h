// Reductions over axes. Part of ops.h.
#pragma once

#include <tuple>
#include <vector>

#include "frit/array.h"

namespace frit {

// ---- Written from frontend/api: reduce

// Whether every element is true (not zero). True of nothing.
// Shape: that of `a` without the reduced axes, or with size 1 for them.
// Types: any; the result is bool.
// Throws OutOfRange when there is no such axis, InvalidArgument when one is given twice.
array all(const array& a, bool keepdims, StreamOrDevice s = {});
array all(const array& a, StreamOrDevice s = {});
array all(const array& a, const std::vector<int>& axes, bool keepdims = false, StreamOrDevice s = {});
array all(const array& a, int axis, bool keepdims = false, StreamOrDevice s = {});

// Whether some element is true (not zero). False of nothing.
// Shape: that of `a` without the reduced axes, or with size 1 for them.
// Types: any; the result is bool.
// Throws OutOfRange when there is no such axis, InvalidArgument when one is given twice.
array any(const array& a, bool keepdims, StreamOrDevice s = {});
array any(const array& a, StreamOrDevice s = {});
array any(const array& a, const std::vector<int>& axes, bool keepdims = false, StreamOrDevice s = {});
array any(const array& a, int axis, bool keepdims = false, StreamOrDevice s = {});

// The sum of the elements; zero of nothing. Integers wrap.
// Shape: that of `a` without the reduced axes, or with size 1 for them.
// Types: bool, int8 and int16 are summed as int32, uint8 and uint16 as uint32; other types are kept, and so are all
// types where no axis is reduced. float16 and bfloat16 are summed in float32 and rounded once.
// Throws OutOfRange when there is no such axis, InvalidArgument when one is given twice.
// Algorithm: many partial sums side by side, combined in a fixed tree.
array sum(const array& a, bool keepdims, StreamOrDevice s = {});
array sum(const array& a, StreamOrDevice s = {});
array sum(const array& a, const std::vector<int>& axes, bool keepdims = false, StreamOrDevice s = {});
array sum(const array& a, int axis, bool keepdims = false, StreamOrDevice s = {});

// The product of the elements; one of nothing. Integers wrap.
// Shape: that of `a` without the reduced axes, or with size 1 for them.
// Types: as for sum.
// Throws OutOfRange when there is no such axis, InvalidArgument when one is given twice.
array prod(const array& a, bool keepdims, StreamOrDevice s = {});
array prod(const array& a, StreamOrDevice s = {});
array prod(const array& a, const std::vector<int>& axes, bool keepdims = false, StreamOrDevice s = {});
array prod(const array& a, int axis, bool keepdims = false, StreamOrDevice s = {});

// The largest element; NaN where there is one. Complex numbers are ordered by real, then by imaginary part.
// Shape: that of `a` without the reduced axes, or with size 1 for them.
// Types: any, kept.
// Throws OutOfRange when there is no such axis, InvalidArgument when one is given twice or a reduced axis is empty.
array max(const array& a, bool keepdims, StreamOrDevice s = {});
array max(const array& a, StreamOrDevice s = {});
array max(const array& a, const std::vector<int>& axes, bool keepdims = false, StreamOrDevice s = {});
array max(const array& a, int axis, bool keepdims = false, StreamOrDevice s = {});

// The smallest element; NaN where there is one. Complex numbers are ordered by real, then by imaginary part.
// Shape: that of `a` without the reduced axes, or with size 1 for them.
// Types: any, kept.
// Throws OutOfRange when there is no such axis, InvalidArgument when one is given twice or a reduced axis is empty.
array min(const array& a, bool keepdims, StreamOrDevice s = {});
array min(const array& a, StreamOrDevice s = {});
array min(const array& a, const std::vector<int>& axes, bool keepdims = false, StreamOrDevice s = {});
array min(const array& a, int axis, bool keepdims = false, StreamOrDevice s = {});

// The sum of the elements divided by their number; NaN of nothing.
// Shape: that of `a` without the reduced axes, or with size 1 for them.
// Types: any; integers and bool give float32, other types are kept.
// Throws OutOfRange when there is no such axis, InvalidArgument when one is given twice.
array mean(const array& a, bool keepdims, StreamOrDevice s = {});
array mean(const array& a, StreamOrDevice s = {});
array mean(const array& a, const std::vector<int>& axes, bool keepdims = false, StreamOrDevice s = {});
array mean(const array& a, int axis, bool keepdims = false, StreamOrDevice s = {});

// The variance: the sum of squared distances from the mean, divided by the number of elements less `ddof`.
// Shape: that of `a` without the reduced axes, or with size 1 for them.
// Types: any; integers and bool give float32, complex64 gives float32, other types are kept.
// Throws OutOfRange when there is no such axis, InvalidArgument when one is given twice.
// Algorithm: two passes: the mean first, then the squared distances from it.
array var(const array& a, bool keepdims, int ddof = 0, StreamOrDevice s = {});
array var(const array& a, StreamOrDevice s = {});
array var(const array& a, const std::vector<int>& axes, bool keepdims = false, int ddof = 0, StreamOrDevice s = {});
array var(const array& a, int axis, bool keepdims = false, int ddof = 0, StreamOrDevice s = {});

// The standard deviation: the square root of the variance.
// Shape: that of `a` without the reduced axes, or with size 1 for them.
// Types: any; integers and bool give float32, complex64 gives float32, other types are kept.
// Throws OutOfRange when there is no such axis, InvalidArgument when one is given twice.
array std(const array& a, bool keepdims, int ddof = 0, StreamOrDevice s = {});
array std(const array& a, StreamOrDevice s = {});
array std(const array& a, const std::vector<int>& axes, bool keepdims = false, int ddof = 0, StreamOrDevice s = {});
array std(const array& a, int axis, bool keepdims = false, int ddof = 0, StreamOrDevice s = {});

// The position of the largest element along an axis, or in the flattened array; the first among equals. A NaN counts as
// the largest.
// Shape: that of `a` without the axis, or with size 1 for it.
// Types: any; the result is uint32.
// Throws OutOfRange when there is no such axis, InvalidArgument when a reduced axis is empty.
array argmax(const array& a, bool keepdims, StreamOrDevice s = {});
array argmax(const array& a, StreamOrDevice s = {});
array argmax(const array& a, int axis, bool keepdims = false, StreamOrDevice s = {});

// The position of the smallest element along an axis, or in the flattened array; the first among equals. A NaN counts
// as the smallest.
// Shape: that of `a` without the axis, or with size 1 for it.
// Types: any; the result is uint32.
// Throws OutOfRange when there is no such axis, InvalidArgument when a reduced axis is empty.
array argmin(const array& a, bool keepdims, StreamOrDevice s = {});
array argmin(const array& a, StreamOrDevice s = {});
array argmin(const array& a, int axis, bool keepdims = false, StreamOrDevice s = {});

// The logarithm of the sum of the exponentials, shifted by the largest element so that nothing overflows. Minus
// infinity of nothing.
// Shape: that of `a` without the reduced axes, or with size 1 for them.
// Types: any; integers and bool give float32, other types are kept.
// Throws OutOfRange when there is no such axis, InvalidArgument when one is given twice.
array logsumexp(const array& a, bool keepdims, StreamOrDevice s = {});
array logsumexp(const array& a, StreamOrDevice s = {});
array logsumexp(const array& a, const std::vector<int>& axes, bool keepdims = false, StreamOrDevice s = {});
array logsumexp(const array& a, int axis, bool keepdims = false, StreamOrDevice s = {});

// exp(a) / sum(exp(a)) over the axes, or over all of them, shifted by the largest element so that nothing overflows.
// With `precise`, float16 and bfloat16 are computed in float32 throughout and rounded once.
// Shape: that of `a`.
// Types: any; integers and bool give float32, other types are kept.
// Throws OutOfRange when there is no such axis, InvalidArgument when one is given twice.
array softmax(const array& a, const std::vector<int>& axes, bool precise = false, StreamOrDevice s = {});
array softmax(const array& a, bool precise = false, StreamOrDevice s = {});
array softmax(const array& a, int axis, bool precise = false, StreamOrDevice s = {});

// The smallest and the largest element, as min and max give them.
// Shape: that of `a` without the reduced axes, or with size 1 for them.
// Types: any, kept.
// Throws as max.
std::tuple<array, array> minmax(const array& a, bool keepdims, StreamOrDevice s = {});
std::tuple<array, array> minmax(const array& a, const std::vector<int>& axes, bool keepdims = false,
                                StreamOrDevice s = {});
inline std::tuple<array, array> minmax(const array& a, StreamOrDevice s = {}) { return minmax(a, false, s); }
inline std::tuple<array, array> minmax(const array& a, int axis, bool keepdims = false, StreamOrDevice s = {}) {
  return minmax(a, std::vector<int>{axis}, keepdims, s);
}

// ---- End of frontend/api: reduce

}  // namespace frit
