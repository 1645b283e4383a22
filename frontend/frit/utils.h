// The limits of element types, printing of numbers, facts about devices, and small helpers of programs for MLX.
#pragma once

#include <cstdint>
#include <limits>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "frit/array.h"
#include "frit/dtype.h"
#include "frit/half.h"
#include "frit/types/complex.h"
#include "frit/types/half_types.h"

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

struct PrintOptions {
  int precision = -1;  // digits behind the point; below zero: six significant digits, as streams print
};

// Prints the elements of arrays. There is one for the process, which no other thread may use while it is changed.
struct PrintFormatter {
  bool capitalize_bool = false;  // "True" instead of "true"
  PrintOptions format_options;

  void print(std::ostream& os, bool value);
  void print(std::ostream& os, int16_t value);
  void print(std::ostream& os, uint16_t value);
  void print(std::ostream& os, int32_t value);
  void print(std::ostream& os, uint32_t value);
  void print(std::ostream& os, int64_t value);
  void print(std::ostream& os, uint64_t value);
  void print(std::ostream& os, float16_t value);
  void print(std::ostream& os, bfloat16_t value);
  void print(std::ostream& os, float value);
  void print(std::ostream& os, double value);
  void print(std::ostream& os, complex64_t value);
};

// 1-2j, as in an array.
std::ostream& operator<<(std::ostream& os, const complex64_t& value);

// (2,3): a shape, strides, arguments.
template <class T, class Allocator>
std::ostream& operator<<(std::ostream& os, const std::vector<T, Allocator>& list) {
  const char* before = "(";
  for (const auto& item : list) os << std::exchange(before, ",") << item;
  return os << (list.empty() ? "()" : ")");
}

namespace detail {
[[noreturn]] void throw_size_overflow(std::string_view op, bool negative);
}  // namespace detail

// A size as arrays hold it. Throws std::overflow_error, with the operation's name, where the number does not fit.
template <class T>
ShapeElem safe_cast(T dim, std::string_view op = "") {
  using Limits = std::numeric_limits<ShapeElem>;
  if constexpr (std::is_signed_v<T>)
    if (static_cast<int64_t>(dim) < Limits::min()) detail::throw_size_overflow(op, true);
  if (dim > 0 && static_cast<uint64_t>(dim) > static_cast<uint64_t>(Limits::max()))
    detail::throw_size_overflow(op, false);
  return static_cast<ShapeElem>(dim);
}

// Facts about a device by name: texts, or numbers of bytes.
using DeviceFacts = std::unordered_map<std::string, std::variant<std::string, size_t>>;

// ---- Written from frontend/api: utilities

// The axis counted from the front: negative axes count from the end.
// Throws OutOfRange, with `msg_prefix` before its message, when the axis is outside of [-ndim, ndim).
int normalize_axis_index(int axis, int ndim, const std::string& msg_prefix = "");

// How numbers are printed from now on. A precision of zero or more prints that many digits behind the point.
void set_printoptions(PrintOptions options);

// The formatter that prints the elements of arrays.
PrintFormatter& get_global_formatter();

// Whether a number is 1, 2, 4, 8, ...
bool is_power_of_2(int n);

// The least power of two that is not less than a positive number.
int next_power_of_2(int n);

// Whether the calling thread is the first of the process.
bool is_main_thread();

// The version of frit, such as "0.1.0".
const char* version();

// Facts about a device: "device_name", "architecture", "memory_size" and others. Empty when the device is not
// available.
const DeviceFacts& device_info(const Device& device = default_device());

namespace gpu {
// Facts about a GPU.
const DeviceFacts& device_info(int device_index = 0);

}  // namespace gpu

namespace metal {
// Always empty: frit drives GPUs through Vulkan.
const DeviceFacts& device_info();

}  // namespace metal

namespace cu {
// Always empty: frit drives GPUs through Vulkan.
const DeviceFacts& device_info(int device_index = 0);

}  // namespace cu

namespace metal {
// Does nothing: there is no Metal.
void start_capture(const std::string& path = "");

// Does nothing: there is no Metal.
void stop_capture();

// Keeps the path; nothing reads it.
void set_metallib_path(const std::string& path);

// The path that was kept.
const std::string& get_metallib_path();

}  // namespace metal

// The bytes of the blocks of memory behind the arrays, each counted once.
// Throws InvalidArgument when an array is not evaluated.
size_t get_array_buffer_size(const std::vector<array>& arrays);

// Returns zero. Memory is never wired.
size_t set_wired_limit(size_t limit);

// A new stream of a device, as new_stream gives it: every stream may be used by any thread.
// Throws InvalidArgument when the device is not available.
Stream new_thread_unsafe_stream(const Device& device);

// The inputs as values that are there once the dependencies are computed. In a compiled function, work on the outputs
// runs behind the kernels of the dependencies and is not merged with equal work on the inputs.
std::vector<array> depends(const std::vector<array>& inputs, const std::vector<array>& dependencies);

// ---- End of frontend/api: utilities

}  // namespace frit
