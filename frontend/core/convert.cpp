// Element conversion on the host: for array constructors and item(). Computation goes through compiled code instead.
#include <cmath>
#include <cstring>
#include <limits>

#include "frontend/core/node.h"

namespace frit::detail {

namespace {

template <class To, class From>
To convert_one(const From& value) {
  if constexpr (std::is_same_v<From, complex64_t> && !std::is_same_v<To, complex64_t>) {
    return convert_one<To>(value.real());
  } else if constexpr (std::is_same_v<From, float16_t> || std::is_same_v<From, bfloat16_t>) {
    return convert_one<To>(static_cast<float>(value));
  } else if constexpr (std::is_same_v<To, complex64_t>) {
    if constexpr (std::is_same_v<From, complex64_t>)
      return value;
    else
      return complex64_t(static_cast<float>(value), 0.0f);
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From(0);
  } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    // Truncates, saturates, NaN to 0: the meaning of astype.
    if (std::isnan(value)) return 0;
    constexpr From low = static_cast<From>(std::numeric_limits<To>::min());
    constexpr From limit = static_cast<From>(std::numeric_limits<To>::max() / 2 + 1) * 2;  // exact: a power of two
    if (value < low) return std::numeric_limits<To>::min();
    if (value >= limit) return std::numeric_limits<To>::max();
    return static_cast<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

template <class To, class From>
void convert_all(const void* from, void* to, size_t count) {
  const From* source = static_cast<const From*>(from);
  To* target = static_cast<To*>(to);
  for (size_t i = 0; i < count; ++i) target[i] = convert_one<To>(source[i]);
}

template <class From>
void convert_from(const void* from, void* to, Dtype to_type, size_t count) {
  switch (to_type.val()) {
    case Dtype::Val::bool_: return convert_all<bool, From>(from, to, count);
    case Dtype::Val::uint8: return convert_all<uint8_t, From>(from, to, count);
    case Dtype::Val::uint16: return convert_all<uint16_t, From>(from, to, count);
    case Dtype::Val::uint32: return convert_all<uint32_t, From>(from, to, count);
    case Dtype::Val::uint64: return convert_all<uint64_t, From>(from, to, count);
    case Dtype::Val::int8: return convert_all<int8_t, From>(from, to, count);
    case Dtype::Val::int16: return convert_all<int16_t, From>(from, to, count);
    case Dtype::Val::int32: return convert_all<int32_t, From>(from, to, count);
    case Dtype::Val::int64: return convert_all<int64_t, From>(from, to, count);
    case Dtype::Val::float16: return convert_all<float16_t, From>(from, to, count);
    case Dtype::Val::float32: return convert_all<float, From>(from, to, count);
    case Dtype::Val::float64: return convert_all<double, From>(from, to, count);
    case Dtype::Val::bfloat16: return convert_all<bfloat16_t, From>(from, to, count);
    case Dtype::Val::complex64: return convert_all<complex64_t, From>(from, to, count);
  }
}

}  // namespace

void convert(const void* from, Dtype from_type, void* to, Dtype to_type, size_t count) {
  if (count == 0) return;
  if (from_type == to_type) {
    std::memcpy(to, from, count * from_type.size());
    return;
  }
  switch (from_type.val()) {
    case Dtype::Val::bool_: return convert_from<bool>(from, to, to_type, count);
    case Dtype::Val::uint8: return convert_from<uint8_t>(from, to, to_type, count);
    case Dtype::Val::uint16: return convert_from<uint16_t>(from, to, to_type, count);
    case Dtype::Val::uint32: return convert_from<uint32_t>(from, to, to_type, count);
    case Dtype::Val::uint64: return convert_from<uint64_t>(from, to, to_type, count);
    case Dtype::Val::int8: return convert_from<int8_t>(from, to, to_type, count);
    case Dtype::Val::int16: return convert_from<int16_t>(from, to, to_type, count);
    case Dtype::Val::int32: return convert_from<int32_t>(from, to, to_type, count);
    case Dtype::Val::int64: return convert_from<int64_t>(from, to, to_type, count);
    case Dtype::Val::float16: return convert_from<float16_t>(from, to, to_type, count);
    case Dtype::Val::float32: return convert_from<float>(from, to, to_type, count);
    case Dtype::Val::float64: return convert_from<double>(from, to, to_type, count);
    case Dtype::Val::bfloat16: return convert_from<bfloat16_t>(from, to, to_type, count);
    case Dtype::Val::complex64: return convert_from<complex64_t>(from, to, to_type, count);
  }
}

}  // namespace frit::detail
