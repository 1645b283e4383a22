// Running values along an axis. Part of ops.h.
#pragma once

#include <optional>

#include "frit/array.h"

namespace frit {

// ---- Written from frontend/api: scans

// The running sum. Integers wrap.
// Shape: that of `a`, or one axis.
// Types: any; `a` is converted to `dtype` first; without it bool is summed as int32 and other types are kept. float16
// and bfloat16 are summed in float32, and each result is rounded once.
// Throws OutOfRange when there is no such axis.
array cumsum(const array& a, bool reverse = false, bool inclusive = true, std::optional<Dtype> dtype = std::nullopt,
             StreamOrDevice s = {});
array cumsum(const array& a, int axis, bool reverse = false, bool inclusive = true,
             std::optional<Dtype> dtype = std::nullopt, StreamOrDevice s = {});
inline array cumsum(const array& a, bool reverse, bool inclusive, StreamOrDevice s) {
  return cumsum(a, reverse, inclusive, std::nullopt, s);
}
inline array cumsum(const array& a, int axis, bool reverse, bool inclusive, StreamOrDevice s) {
  return cumsum(a, axis, reverse, inclusive, std::nullopt, s);
}

// The running product. Integers wrap.
// Shape: that of `a`, or one axis.
// Types: any; `a` is converted to `dtype` first; without it the type is kept. float16 and bfloat16 are multiplied in
// float32, and each result is rounded once.
// Throws OutOfRange when there is no such axis.
array cumprod(const array& a, bool reverse = false, bool inclusive = true, std::optional<Dtype> dtype = std::nullopt,
              StreamOrDevice s = {});
array cumprod(const array& a, int axis, bool reverse = false, bool inclusive = true,
              std::optional<Dtype> dtype = std::nullopt, StreamOrDevice s = {});
inline array cumprod(const array& a, bool reverse, bool inclusive, StreamOrDevice s) {
  return cumprod(a, reverse, inclusive, std::nullopt, s);
}
inline array cumprod(const array& a, int axis, bool reverse, bool inclusive, StreamOrDevice s) {
  return cumprod(a, axis, reverse, inclusive, std::nullopt, s);
}

// The largest element so far; NaN from the first one on. Nothing gives the least value of the type.
// Shape: that of `a`, or one axis.
// Types: any, kept.
// Throws OutOfRange when there is no such axis.
array cummax(const array& a, bool reverse = false, bool inclusive = true, StreamOrDevice s = {});
array cummax(const array& a, int axis, bool reverse = false, bool inclusive = true, StreamOrDevice s = {});

// The smallest element so far; NaN from the first one on. Nothing gives the greatest value of the type.
// Shape: that of `a`, or one axis.
// Types: any, kept.
// Throws OutOfRange when there is no such axis.
array cummin(const array& a, bool reverse = false, bool inclusive = true, StreamOrDevice s = {});
array cummin(const array& a, int axis, bool reverse = false, bool inclusive = true, StreamOrDevice s = {});

// The logarithm of the running sum of exponentials, without overflow in between. Nothing gives minus infinity.
// Shape: that of `a`, or one axis.
// Types: any; integers and bool give float32, other types are kept.
// Throws OutOfRange when there is no such axis.
array logcumsumexp(const array& a, bool reverse = false, bool inclusive = true, StreamOrDevice s = {});
array logcumsumexp(const array& a, int axis, bool reverse = false, bool inclusive = true, StreamOrDevice s = {});

// ---- End of frontend/api: scans

}  // namespace frit
