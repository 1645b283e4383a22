// Limits of element types, and axes.
#include "frontend/frit/utils.h"

#include <cmath>
#include <limits>

#include "frontend/frit/error.h"
#include "ir/base/dtype.h"

namespace frit {

finfo::finfo(Dtype t) : dtype(t == complex64 ? float32 : t), bits(dtype.size * 8) {
  // Digits of the significand, the hidden one left out, and the largest exponent.
  int digits, exponent;
  switch (dtype.val) {
    case Dtype::Val::float16: digits = 10, exponent = 15; break;
    case Dtype::Val::bfloat16: digits = 7, exponent = 127; break;
    case Dtype::Val::float32: digits = 23, exponent = 127; break;
    case Dtype::Val::float64: digits = 52, exponent = 1023; break;
    default:
      throw InvalidArgument("finfo: " + std::string(long_name(t)) + " is not a floating-point type",
                            "use iinfo for integers");
  }
  eps = std::ldexp(1.0, -digits);
  max = std::ldexp(2.0 - eps, exponent);
  min = -max;
  smallest_normal = std::ldexp(1.0, 1 - exponent);
}

iinfo::iinfo(Dtype t) : dtype(t), bits(t.size * 8) {
  if (!is_int(t))
    throw InvalidArgument("iinfo: " + std::string(long_name(t)) + " is not an integer type",
                          "use finfo for floating-point types");
  const int digits = is_unsigned(t) ? bits : bits - 1;
  max = std::numeric_limits<uint64_t>::max() >> (64 - digits);
  min = is_unsigned(t) ? 0 : -static_cast<int64_t>(max) - 1;
}

int normalize_axis_index(int axis, int ndim, const std::string& msg_prefix) {
  if (axis < -ndim || axis >= ndim)
    throw InvalidArgument(msg_prefix + "axis " + std::to_string(axis) + " is out of range for an array with " +
                              std::to_string(ndim) + " axes",
                          "axes are counted from 0, and from -1 at the end");
  return axis < 0 ? axis + ndim : axis;
}

}  // namespace frit
