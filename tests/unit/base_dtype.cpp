// Element types: names, categories and promotion.
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "ir/base/dtype.h"

namespace frit {
namespace {

// Functions of a constant, as programs written for MLX call them.
static_assert(float16.size() == 2 && complex64.size() == 8 && uint8.val() == Dtype::Val::uint8);
static_assert(!std::is_default_constructible_v<Dtype> && Dtype(Dtype::Val::int16, 2) == int16);

TEST(Dtype, NamesAreDistinctAndReadBack) {
  std::set<std::string_view> short_names, long_names;
  for (Dtype t : kAllDtypes) {
    EXPECT_TRUE(short_names.insert(short_name(t)).second);
    EXPECT_TRUE(long_names.insert(long_name(t)).second);
    EXPECT_EQ(parse_short_name(short_name(t)), t);
    std::ostringstream os;
    os << t;
    EXPECT_EQ(os.str(), long_name(t));
  }
  EXPECT_EQ(parse_short_name("f31"), std::nullopt);
  EXPECT_EQ(parse_short_name(""), std::nullopt);
}

TEST(Dtype, SizesAreThoseOfTheStoredTypes) {
  EXPECT_EQ(size_of(bool_), 1);
  EXPECT_EQ(size_of(bfloat16), 2);
  EXPECT_EQ(size_of(complex64), 8);
  int bytes = 0;
  for (Dtype t : kAllDtypes) bytes += size_of(t);
  EXPECT_EQ(bytes, 1 + 2 * (1 + 2 + 4 + 8) + 2 + 4 + 8 + 2 + 8);
}

TEST(Dtype, PromotionIsCommutativeIdempotentAndHoldsItsOperands) {
  for (Dtype a : kAllDtypes) {
    EXPECT_EQ(promote_types(a, a), a);
    EXPECT_EQ(promote_types(a, bool_), a);
    for (Dtype b : kAllDtypes) {
      Dtype p = promote_types(a, b);
      EXPECT_EQ(p, promote_types(b, a)) << a << " " << b;
      EXPECT_EQ(promote_types(p, a), p) << a << " " << b;
      if (is_float(a) && is_int(b)) {
        EXPECT_EQ(p, a) << a << " " << b;
      }
      if (is_complex(a) && b != float64) {
        EXPECT_EQ(p, complex64) << b;
      }
    }
  }
}

TEST(Dtype, PromotionOfMixedTypes) {
  EXPECT_EQ(promote_types(uint64, int8), float32);
  EXPECT_EQ(promote_types(uint32, int32), int64);
  EXPECT_EQ(promote_types(uint8, int8), int16);
  EXPECT_EQ(promote_types(uint16, int16), int32);
  EXPECT_EQ(promote_types(float16, bfloat16), float32);
  EXPECT_EQ(promote_types(float16, float64), float64);
}

TEST(Dtype, CategoriesNest) {
  for (Dtype t : kAllDtypes) {
    EXPECT_TRUE(issubdtype(t, generic));
    EXPECT_EQ(issubdtype(t, number), t != bool_);
    EXPECT_EQ(issubdtype(t, inexact), is_inexact(t));
    EXPECT_EQ(issubdtype(t, floating), is_float(t));
    EXPECT_EQ(issubdtype(t, integer), is_int(t));
    EXPECT_EQ(issubdtype(t, unsignedinteger), is_unsigned(t));
    EXPECT_EQ(issubdtype(t, signedinteger), is_signed_int(t));
    EXPECT_EQ(issubdtype(t, complexfloating), is_complex(t));
    for (Dtype u : kAllDtypes) EXPECT_EQ(issubdtype(t, u), t == u);
  }
  EXPECT_TRUE(issubdtype(floating, inexact));
  EXPECT_FALSE(issubdtype(inexact, floating));
}

TEST(Dtype, LowPrecisionComputesInFloat32) {
  for (Dtype t : kAllDtypes) EXPECT_EQ(compute_type(t), is_low_precision(t) ? float32 : t);
}

}  // namespace
}  // namespace frit
