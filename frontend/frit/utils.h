// The limits of element types, and axes as programs for MLX check them.
#pragma once

#include <cstdint>
#include <string>

#include "frit/dtype.h"

namespace frit {

// The numbers that a floating-point type holds. For complex64: those of its parts.
struct finfo {
  // Throws InvalidArgument for an integer type and bool.
  explicit finfo(Dtype dtype);

  Dtype dtype;             // float32 for complex64
  int bits;                // of one number
  double min, max;         // the lowest and the largest finite number
  double eps;              // from 1 to the next larger number
  double smallest_normal;  // the smallest positive number with full precision
};

// The numbers that an integer type holds.
struct iinfo {
  // Throws InvalidArgument for a floating-point type, complex64 and bool.
  explicit iinfo(Dtype dtype);

  Dtype dtype;
  int bits;
  int64_t min;
  uint64_t max;
};

// ---- Written from frontend/api: utilities

// The axis counted from the front: negative axes count from the end.
// Throws InvalidArgument, with `msg_prefix` before its message, when the axis is outside of [-ndim, ndim).
int normalize_axis_index(int axis, int ndim, const std::string& msg_prefix = "");

// ---- End of frontend/api: utilities

}  // namespace frit
