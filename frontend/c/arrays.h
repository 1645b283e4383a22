// Creation and elements of arrays for the C interface.
#pragma once

#include <cmath>
#include <concepts>
#include <cstring>
#include <functional>
#include <limits>
#include <ostream>
#include <sstream>
#include <string>
#include <type_traits>

#include "frontend/c/convert.h"

namespace frit::c {

// A value as it is printed.
template <class T>
std::string text_of(const T& value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

// A copy of elements in row-major order. Throws where an argument is null or negative.
array from_data(const void* data, const int* shape, int dim, mlx_dtype dtype);
// The elements themselves; `dtor`, if not null, gets `payload` with the last use. Data that is not aligned is copied.
array adopt_data(void* data, const int* shape, int dim, mlx_dtype dtype, void* payload, void (*dtor)(void*));

const int* shape_of(const ArrayObject& object);
const size_t* strides_of(ArrayObject& object);

// Runs `write` and writes its text to a stream of C.
void write_graph(FILE* os, const std::function<void(std::ostream&)>& write);

[[noreturn]] void throw_wrong_type(Dtype actual, Dtype wanted);
[[noreturn]] void throw_does_not_fit(Dtype wanted);
// Throws unless an accessor of a type may read the elements of an array in place: one of the same type, an unsigned one
// of the same size, which gives the bits, the signed integers of that size, or the bytes of any type.
void check_readable(const array& a, Dtype wanted);

// The only element of an array. Numbers convert inside of their kind: integers to integers that hold them, real floats
// to real floats. Unsigned accessors give the bits of elements of their size, as those of data do.
template <class T>
void item_of(T* res, const array& a, Dtype wanted) {
  T& to = pointer(res, "res");
  const Dtype actual = a.dtype();
  const auto both = [&](Dtype::Category group) { return issubdtype(actual, group) && issubdtype(wanted, group); };
  if (both(integer)) {
    if constexpr (std::integral<T> && !std::is_same_v<T, bool>) {
      const auto fits = [&](auto value) {
        if (!std::in_range<T>(value)) throw_does_not_fit(wanted);
        return static_cast<T>(value);
      };
      to = actual == uint64 ? fits(a.item<uint64_t>()) : fits(a.item<int64_t>());
    }
    return;
  }
  if (both(floating)) {
    if (wanted == float16 || wanted == bfloat16) {
      const array half = actual == wanted ? a : astype(a, wanted);
      half.eval();
      std::memcpy(&to, half.data<uint16_t>(), sizeof(uint16_t));
    } else if constexpr (std::floating_point<T>) {
      to = a.item<T>();
    }
    return;
  }
  if (actual != wanted) {
    if constexpr (std::unsigned_integral<T> && !std::is_same_v<T, bool>) {
      if (issubdtype(wanted, unsignedinteger) && actual.size() == wanted.size()) {
        to = view(a, wanted, StreamOrDevice(kNowhere)).template item<T>();
        return;
      }
    }
    throw_wrong_type(actual, wanted);
  }
  if constexpr (std::is_same_v<T, bool>) to = a.item<bool>();
  if constexpr (sizeof(T) == sizeof(complex64_t)) {
    const complex64_t value = a.item<complex64_t>();
    std::memcpy(&to, &value, sizeof(value));
  }
}

// The elements of an array that was evaluated.
template <class T>
const T* data_of(const array& a, Dtype wanted) {
  check_readable(a, wanted);
  switch (a.itemsize()) {
    case 1: return reinterpret_cast<const T*>(a.data<uint8_t>());
    case 2: return reinterpret_cast<const T*>(a.data<uint16_t>());
    case 4: return reinterpret_cast<const T*>(a.data<uint32_t>());
    default: return reinterpret_cast<const T*>(a.data<uint64_t>());
  }
}

}  // namespace frit::c
