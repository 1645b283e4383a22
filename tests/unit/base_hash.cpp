// The 128-bit hash: known values and unambiguous streams.
#include <gtest/gtest.h>

#include "ir/base/hash.h"

namespace frit {
namespace {

TEST(Hash, IsTheSameOnEveryMachine) {
  EXPECT_EQ(hash_bytes("", 0).hex(), "99aa06d3014798d86001c324468d497f")
      << "the published value of XXH3-128 of nothing";
  EXPECT_EQ(hash_bytes("frit", 4), hash_bytes("frit", 4));
  EXPECT_NE(hash_bytes("frit", 4), hash_bytes("fris", 4));
}

TEST(Hash, FieldsAreDelimited) {
  auto of = [](auto... fields) {
    Hasher h;
    (h.add(fields), ...);
    return h.finish();
  };
  using V = std::string_view;
  EXPECT_NE(of(V("ab"), V("c")), of(V("a"), V("bc")));
  EXPECT_NE(of(V("")), of());
  EXPECT_NE(of(0.0), of(-0.0));
  EXPECT_NE(of(int32_t{1}), of(int64_t{1}));
  EXPECT_EQ(of(int64_t{1}, V("x")), of(int64_t{1}, V("x")));
}

TEST(Hash, HexShowsAllDigits) {
  EXPECT_EQ((Hash128{0x0123456789abcdef, 0xf}).hex(), "0123456789abcdef000000000000000f");
}

}  // namespace
}  // namespace frit
