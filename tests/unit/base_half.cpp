// 16-bit floats: conversions and rounding, over all values.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "frit/half.h"

namespace frit {
namespace {

bool is_nan_half(uint16_t h) { return (h & 0x7fff) > 0x7c00; }
bool is_nan_bfloat(uint16_t b) { return (b & 0x7fff) > 0x7f80; }

TEST(Half, EveryValueReadsBack) {
  for (uint32_t i = 0; i < 0x10000; ++i) {
    auto h = static_cast<uint16_t>(i);
    if (is_nan_half(h)) {
      EXPECT_TRUE(std::isnan(half_bits_to_float(h)));
      EXPECT_EQ(float_to_half_bits(half_bits_to_float(h)), h | 0x200) << "NaNs become quiet";
    } else {
      ASSERT_EQ(float_to_half_bits(half_bits_to_float(h)), h);
    }
    if (is_nan_bfloat(h)) {
      EXPECT_EQ(float_to_bfloat_bits(bfloat_bits_to_float(h)), h | 0x40);
    } else {
      ASSERT_EQ(float_to_bfloat_bits(bfloat_bits_to_float(h)), h);
    }
  }
}

// Between two neighbours, a value below the middle rounds down, one above rounds up, and the middle rounds to even.
template <class ToBits, class ToFloat>
void check_rounding(uint16_t last, ToBits to_bits, ToFloat to_float) {
  for (uint16_t h = 0; h < last; ++h) {
    auto next = static_cast<uint16_t>(h + 1);
    float low = to_float(h), high = to_float(next);
    float middle = static_cast<float>((static_cast<double>(low) + high) / 2);
    ASSERT_EQ(to_bits(middle), h % 2 ? next : h) << h;
    ASSERT_EQ(to_bits(std::nextafter(middle, low)), h) << h;
    ASSERT_EQ(to_bits(std::nextafter(middle, high)), next) << h;
    ASSERT_EQ(to_bits(-middle), (h % 2 ? next : h) | 0x8000) << h;
  }
}

TEST(Half, RoundsToNearestEven) { check_rounding(0x7bff, float_to_half_bits, half_bits_to_float); }

TEST(Bfloat, RoundsToNearestEven) { check_rounding(0x7f7f, float_to_bfloat_bits, bfloat_bits_to_float); }

TEST(Half, OverflowsToInfinityAndUnderflowsToZero) {
  EXPECT_EQ(float_to_half_bits(65504.0f), 0x7bff);
  EXPECT_EQ(float_to_half_bits(65519.996f), 0x7bff);
  EXPECT_EQ(float_to_half_bits(65520.0f), 0x7c00);
  EXPECT_EQ(float_to_half_bits(-std::numeric_limits<float>::infinity()), 0xfc00);
  EXPECT_EQ(float_to_half_bits(0x1p-25f), 0x0000);
  EXPECT_EQ(float_to_half_bits(std::nextafter(0x1p-25f, 1.0f)), 0x0001);
  EXPECT_EQ(float_to_half_bits(-0.0f), 0x8000);
  EXPECT_EQ(float_to_bfloat_bits(std::numeric_limits<float>::max()), 0x7f80);
}

TEST(Half, WrapperTypesConvertBothWays) {
  EXPECT_EQ(static_cast<float>(float16_t(1.5f)), 1.5f);
  EXPECT_EQ(static_cast<float>(bfloat16_t(-3.0f)), -3.0f);
}

}  // namespace
}  // namespace frit
