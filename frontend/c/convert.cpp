// Checks of arguments, and the messages of the ones that fail.
#include "frontend/c/convert.h"

#include <cstring>

namespace frit::c {

void throw_null(const char* argument, const char* type) {
  throw InvalidArgument(std::string("'") + argument + "' is a null " + type,
                        "make it with one of the functions that return such a handle");
}
void throw_freed(const char* argument, const char* type) {
  throw InvalidArgument(std::string("'") + argument + "' is no " + type + ", or was freed before");
}
void throw_null_pointer(const char* argument) {
  throw InvalidArgument(std::string("'") + argument + "' is a null pointer");
}

namespace {

template <class E>
size_t checked(E value, size_t end, const char* argument, const char* type) {
  const auto number = static_cast<size_t>(value);
  if (number >= end)
    throw InvalidArgument(std::string("'") + argument + "' is " + std::to_string(static_cast<long long>(value)) +
                          ", which is no " + type);
  return number;
}

template <class T>
std::vector<T> list_of(const T* list, size_t count, const char* argument) {
  check_list(list, count, argument);
  return std::vector<T>(list, list + count);
}

}  // namespace

Dtype in(mlx_dtype dtype, const char* argument) {
  return kAllDtypes[checked(dtype, kAllDtypes.size(), argument, "mlx_dtype")];
}
mlx_dtype dtype_of(Dtype dtype) { return static_cast<mlx_dtype>(dtype.val()); }
fft::FFTNorm in(mlx_fft_norm norm, const char* argument) {
  return static_cast<fft::FFTNorm>(checked(norm, 3, argument, "mlx_fft_norm"));
}
Device::DeviceType in(mlx_device_type type, const char* argument) {
  return static_cast<Device::DeviceType>(checked(type, 2, argument, "mlx_device_type"));
}

std::string in(const char* text, const char* argument) { return &pointer(text, argument); }

void check_list(const void* list, size_t count, const char* argument) {
  // More would not fit into memory: a negative count, converted.
  if (count > (size_t{1} << 40))
    throw InvalidArgument(std::string("'") + argument + "' has the count " +
                          std::to_string(static_cast<long long>(count)));
  if (!list && count)
    throw InvalidArgument(std::string("'") + argument + "' is a null pointer to " + std::to_string(count) + " items");
}

std::vector<int> in(const int* list, size_t count, const char* argument) { return list_of(list, count, argument); }
std::vector<int64_t> in(const int64_t* list, size_t count, const char* argument) {
  return list_of(list, count, argument);
}
std::vector<uint64_t> in(const uint64_t* list, size_t count, const char* argument) {
  return list_of(list, count, argument);
}

Device usable(Device device) { return is_available(device) ? device : Device(Device::cpu); }

}  // namespace frit::c
