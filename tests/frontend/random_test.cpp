// Random numbers: the same key gives MLX's bits. Expected values were measured from MLX.
#include "helpers.h"

using namespace frit;

TEST(Random, KeyHoldsBothHalvesOfItsNumber) {
  EXPECT_EQ(values<uint32_t>(random::key(0)), (std::vector<uint32_t>{0, 0}));
  EXPECT_EQ(values<uint32_t>(random::key((uint64_t{7} << 32) + 5)), (std::vector<uint32_t>{7, 5}));
  EXPECT_EQ(random::key(1).dtype(), uint32);
}
