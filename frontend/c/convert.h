// Conversions between the arguments of C functions and those of the C++ API.
//
// `in` looks at the object of a handle, `maybe` takes what may be absent, `put` stores a result. Each throws
// InvalidArgument with the argument's name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "frontend/c/call.h"
#include "frontend/c/objects.h"

namespace frit::c {

// No place in the user's source is known.
inline constexpr std::source_location kNowhere{};

[[noreturn]] void throw_null(const char* argument, const char* type);
[[noreturn]] void throw_freed(const char* argument, const char* type);
[[noreturn]] void throw_null_pointer(const char* argument);

// ---- Handles

template <class H>
typename Handle<H>::Object& object(H handle, const char* argument) {
  if (!handle.ctx) [[unlikely]]
    throw_null(argument, Handle<H>::name);
  auto* found = object_of<typename Handle<H>::Object>(handle.ctx);
  if (!found) [[unlikely]]
    throw_freed(argument, Handle<H>::name);
  return *found;
}
template <class H>
auto& in(H handle, const char* argument) {
  return object(handle, argument).value;
}
// A function for the time of its call, in which it may free its own handle.
template <class H>
auto held(H handle, const char* argument) {
  return in(handle, argument);
}
template <class H>
auto maybe(H handle, const char* argument) {
  using Value = std::decay_t<decltype(in(handle, argument))>;
  return handle.ctx ? std::optional<Value>(in(handle, argument)) : std::nullopt;
}
inline StreamOrDevice in(mlx_stream s, const char* argument) {
  return StreamOrDevice(object(s, argument).value, kNowhere);
}

template <class T>
T& pointer(T* p, const char* argument) {
  if (!p) [[unlikely]]
    throw_null_pointer(argument);
  return *p;
}

template <class H>
H make(typename Handle<H>::Object object) {
  return H{new_object(std::move(object))};
}
template <class H>
void release(H handle, const char* argument) {
  if (handle.ctx && !delete_object<typename Handle<H>::Object>(handle.ctx)) throw_freed(argument, Handle<H>::name);
}

// ---- Results: a null handle becomes a new one, any other gets a new value.

template <class H>
void put_object(H* res, typename Handle<H>::Object value, const char* argument = "res") {
  H& handle = pointer(res, argument);
  if (handle.ctx)
    object(handle, argument) = std::move(value);
  else
    handle = make<H>(std::move(value));
}
inline void put(mlx_array* res, array value) { put_object(res, {std::move(value), nullptr}); }
inline void put(mlx_vector_array* res, Arrays value) { put_object(res, {std::move(value)}); }
// Two results: an error leaves both handles as they were.
template <class A, class B>
void put_both(A* res_0, typename Handle<A>::Object first, B* res_1, typename Handle<B>::Object second) {
  pointer(res_0, "res_0");
  if (pointer(res_1, "res_1").ctx) object(*res_1, "res_1");
  put_object(res_0, std::move(first), "res_0");
  put_object(res_1, std::move(second), "res_1");
}
inline void put(mlx_array* res_0, mlx_array* res_1, std::pair<array, array> value) {
  put_both(res_0, {std::move(value.first), nullptr}, res_1, {std::move(value.second), nullptr});
}
inline void put(mlx_vector_array* res_0, mlx_vector_array* res_1, std::pair<Arrays, Arrays> value) {
  put_both(res_0, {std::move(value.first)}, res_1, {std::move(value.second)});
}
inline void put(mlx_map_string_to_array* res_0, mlx_map_string_to_string* res_1, SafetensorsLoad value) {
  put_both(res_0, {std::move(value.first)}, res_1, {std::move(value.second)});
}
inline void put(mlx_io_gguf* res, GGUFLoad value) { put_object(res, {std::move(value)}); }
inline void put(mlx_closure* res, std::function<Arrays(const Arrays&)> value) {
  put_object(res, {std::move(value), std::nullopt});
}
inline void put(mlx_closure_value_and_grad* res, ValueAndGradFn value) { put_object(res, {std::move(value)}); }
inline void put(mlx_string* res, std::string value) { put_object(res, {std::move(value)}); }
inline void put(mlx_vector_string* res, std::vector<std::string> value) { put_object(res, {std::move(value)}); }
inline void put(bool* res, bool value) { pointer(res, "res") = value; }
inline void put(int* res, int value) { pointer(res, "res") = value; }
inline void put(size_t* res, size_t value) { pointer(res, "res") = value; }

// ---- Values

// Throws for a number that is no element type.
Dtype in(mlx_dtype dtype, const char* argument);
mlx_dtype dtype_of(Dtype dtype);
fft::FFTNorm in(mlx_fft_norm norm, const char* argument);
Device::DeviceType in(mlx_device_type type, const char* argument);

// Throws for a null pointer.
std::string in(const char* text, const char* argument);
inline std::string maybe(const char* text, const char*) { return text ? text : ""; }

// `count` numbers. Throws for a null pointer to more than none, and for a count that a negative number was made to.
std::vector<int> in(const int* list, size_t count, const char* argument);
std::vector<int64_t> in(const int64_t* list, size_t count, const char* argument);
std::vector<uint64_t> in(const uint64_t* list, size_t count, const char* argument);
inline std::optional<std::vector<int>> maybe(const int* list, size_t count, const char* argument) {
  return list ? std::optional(in(list, count, argument)) : std::nullopt;
}
// Throws where `count` items cannot lie at `list`.
void check_list(const void* list, size_t count, const char* argument);

inline std::optional<int> in(mlx_optional_int value, const char*) {
  return value.has_value ? std::optional(value.value) : std::nullopt;
}
inline std::optional<float> in(mlx_optional_float value, const char*) {
  return value.has_value ? std::optional(value.value) : std::nullopt;
}
inline std::optional<Dtype> in(mlx_optional_dtype value, const char* argument) {
  return value.has_value ? std::optional(in(value.value, argument)) : std::nullopt;
}

// A device that can run programs here: the CPU stands for a GPU that does not exist.
Device usable(Device device);

}  // namespace frit::c
