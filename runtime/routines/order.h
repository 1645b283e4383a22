// Elements as unsigned keys whose order is the order of sorting: numbers ascend, zeros of both signs are equal, complex
// numbers compare by real, then by imaginary part, and every NaN comes last.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "ir/base/dtype.h"

namespace frit::runtime::routines {

// How the bits of a type order its values.
enum class Numbers : uint8_t { Unsigned, Signed, Float, Complex };

template <class K>
inline constexpr K kTop = static_cast<K>(K{1} << (8 * sizeof(K) - 1));

// The greatest bits of a float of this type without its sign that are no NaN: those of infinity.
template <class K, bool kBrain = false>
constexpr K infinity_bits() {
  if constexpr (sizeof(K) == 2) return kBrain ? 0x7f80 : 0x7c00;
  if constexpr (sizeof(K) == 4) return 0x7f800000u;
  if constexpr (sizeof(K) == 8) return 0x7ff0000000000000u;
  return 0;
}

// All ones for negative numbers.
template <class K>
inline K sign_of(K bits) {
  return static_cast<K>(static_cast<std::make_signed_t<K>>(bits) >> (8 * sizeof(K) - 1));
}

// Written without choices, which compilers make branches, so that it becomes vector code.
template <class K, bool kBrain>
inline K float_key(K bits) {
  // Signed numbers compare in one instruction, and the magnitude is never negative.
  using S = std::make_signed_t<K>;
  const K magnitude = static_cast<K>(bits & static_cast<K>(~kTop<K>));
  const K nan =
      static_cast<K>(0 - static_cast<K>(static_cast<S>(magnitude) > static_cast<S>(infinity_bits<K, kBrain>())));
  const K key = static_cast<K>(bits ^ (sign_of(bits) | kTop<K>));
  return static_cast<K>((key + static_cast<K>(bits == kTop<K>)) | nan);  // -0 is one below 0
}

// One type of elements: its bits as `Bits`, their key, and the bits of a key. A key has lost the sign of a zero and the
// payload of a NaN.
template <class BitsType, Numbers kKind, bool kBrain = false>
struct Order {
  using Bits = BitsType;
  static constexpr Numbers kNumbers = kKind;
  static constexpr bool kIsBrain = kBrain;
  static constexpr Bits kInfinity = infinity_bits<Bits, kBrain>();  // of floats
  static constexpr bool kLoses = kNumbers == Numbers::Float || kNumbers == Numbers::Complex;

  static Bits key(Bits bits) {
    if constexpr (kNumbers == Numbers::Signed) return static_cast<Bits>(bits ^ kTop<Bits>);
    if constexpr (kNumbers == Numbers::Float) return float_key<Bits, kBrain>(bits);
    if constexpr (kNumbers == Numbers::Complex) {
      const auto re = float_key<uint32_t, false>(static_cast<uint32_t>(bits));
      const auto im = float_key<uint32_t, false>(static_cast<uint32_t>(bits >> 32));
      return re == ~0u || im == ~0u ? ~Bits{0} : Bits{re} << 32 | im;
    }
    return bits;
  }
  // Whether the key of a float loses something: of a zero and of a NaN.
  static bool loses(Bits bits) {
    const Bits magnitude = static_cast<Bits>(bits & static_cast<Bits>(~kTop<Bits>));
    return static_cast<Bits>(magnitude - 1) >= infinity_bits<Bits, kBrain>();
  }
  // Of a key that lost nothing.
  static Bits bits(Bits key) {
    if constexpr (kNumbers == Numbers::Signed) return static_cast<Bits>(key ^ kTop<Bits>);
    if constexpr (kNumbers == Numbers::Float) return static_cast<Bits>(key ^ (~sign_of(key) | kTop<Bits>));
    if constexpr (kNumbers == Numbers::Complex) {
      using Part = Order<uint32_t, Numbers::Float>;
      return Bits{Part::bits(static_cast<uint32_t>(key))} << 32 | Part::bits(static_cast<uint32_t>(key >> 32));
    }
    return key;
  }
};

// Calls `f` with the Order of an element type; false for a type without one.
template <class F>
bool with_order(Dtype t, F&& f) {
  switch (t.val()) {
    case Dtype::Val::bool_:
    case Dtype::Val::uint8: f(Order<uint8_t, Numbers::Unsigned>()); return true;
    case Dtype::Val::uint16: f(Order<uint16_t, Numbers::Unsigned>()); return true;
    case Dtype::Val::uint32: f(Order<uint32_t, Numbers::Unsigned>()); return true;
    case Dtype::Val::uint64: f(Order<uint64_t, Numbers::Unsigned>()); return true;
    case Dtype::Val::int8: f(Order<uint8_t, Numbers::Signed>()); return true;
    case Dtype::Val::int16: f(Order<uint16_t, Numbers::Signed>()); return true;
    case Dtype::Val::int32: f(Order<uint32_t, Numbers::Signed>()); return true;
    case Dtype::Val::int64: f(Order<uint64_t, Numbers::Signed>()); return true;
    case Dtype::Val::float16: f(Order<uint16_t, Numbers::Float>()); return true;
    case Dtype::Val::bfloat16: f(Order<uint16_t, Numbers::Float, true>()); return true;
    case Dtype::Val::float32: f(Order<uint32_t, Numbers::Float>()); return true;
    case Dtype::Val::float64: f(Order<uint64_t, Numbers::Float>()); return true;
    case Dtype::Val::complex64: f(Order<uint64_t, Numbers::Complex>()); return true;
  }
  return false;
}

}  // namespace frit::runtime::routines
