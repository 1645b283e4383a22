// Positions in the lanes of a vector: every claim about their differences is checked by evaluation.
#include <gtest/gtest.h>

#include "base_dim_support.h"
#include "codegen/llvm/lane_offsets.h"

namespace frit::codegen {
namespace {

const Dim r = Dim::symbol("r");

void check(const Dim& position, const LaneOffsets& lanes, int width, int64_t base, Env env) {
  env["r"] = base;
  const auto first = value(position, env);
  if (!first) return;
  if (lanes.first) {
    EXPECT_EQ(*lanes.first, *first) << position.str();
  }
  for (int i = 0; i < width; ++i) {
    env["r"] = base + i;
    EXPECT_EQ(value(position, env), *first + lanes.offsets[static_cast<size_t>(i)]) << position.str() << ", lane " << i;
  }
}

TEST(LaneOffsets, OfRepeatedAndPackedElements) {
  const DimFacts facts;
  const auto of = [&](const Dim& d) { return lane_offsets(d, {"r", 8, 8, 0}, facts); };
  using Offsets = std::vector<int64_t>;
  EXPECT_EQ(of(floor_div(r, 64) + n)->offsets, Offsets(8));
  EXPECT_EQ(of(floor_div(r, 4) + n * m)->offsets, (Offsets{0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(of(mod(floor_div(r, 4), 16))->offsets, (Offsets{0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(of(mod(r, 4) * 3)->offsets, (Offsets{0, 3, 6, 9, 0, 3, 6, 9}));
  EXPECT_EQ(of(mod(r, 4) * 3)->first, 0);
  EXPECT_EQ(of(floor_div(mod(r, 8) * 3, 8))->offsets, (Offsets{0, 0, 0, 1, 1, 1, 2, 2}));
  // The lanes' quotients depend on where the vector begins, or on a symbol.
  for (const Dim& d : {floor_div(r, 3), mod(r, 12), floor_div(r + n, 4), mod(r, n), r * n, floor_div(r + 1, 16)})
    EXPECT_FALSE(of(d)) << d.str();
}

// A step of several vectors meets the same elements of short rows, each vector others.
TEST(LaneOffsets, OfAVectorInAStep) {
  const DimFacts facts;
  const auto of = [&](const Dim& d, int64_t start) { return lane_offsets(d, {"r", 8, 24, start}, facts); };
  using Offsets = std::vector<int64_t>;
  EXPECT_EQ(of(floor_div(r, 3), 0)->offsets, (Offsets{0, 0, 0, 1, 1, 1, 2, 2}));
  EXPECT_EQ(of(floor_div(r, 3), 8)->offsets, (Offsets{0, 1, 1, 1, 2, 2, 2, 3}));
  EXPECT_EQ(of(mod(r, 3), 16)->offsets, (Offsets{0, 1, -1, 0, 1, -1, 0, 1}));
  EXPECT_EQ(of(mod(r, 3), 16)->first, 1);
}

TEST(LaneOffsets, AreTrueOfRandomPositions) {
  Generator random(7);
  int known = 0;
  for (int i = 0; i < 20000 / kShare; ++i) {
    // Symbols of random expressions: one is the loop's variable, the others are equal in all lanes.
    const Dim position = random.make(4).dim.substitute("n", r);
    if (!position.uses("r")) continue;
    const int width = 1 << random.pick(1, 4);
    DimFacts facts;
    const int64_t multiple = random.pick(1, 6);
    facts.set_multiple("m", multiple);
    const int64_t vectors = random.pick(1, 6), start = width * random.pick(0, static_cast<int>(vectors) - 1);
    const auto lanes = lane_offsets(position, {"r", width, width * vectors, start}, facts);
    if (!lanes) continue;
    ++known;
    for (int64_t step = 0; step < 6; ++step)
      check(position, *lanes, width, step * vectors * width + start,
            {{"m", multiple * random.pick(0, 5)}, {"k", random.pick(0, 9)}});
  }
  EXPECT_GT(known, 500 / kShare);
}

}  // namespace
}  // namespace frit::codegen
