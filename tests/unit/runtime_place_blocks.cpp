// Places of blocks with known lives.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "runtime/memory/place_blocks.h"
#include "runtime/memory/round_up.h"

namespace frit::runtime {
namespace {

constexpr size_t kUnit = 64;

// The most bytes that are needed at once.
size_t most_at_once(const std::vector<TimedBlock>& blocks) {
  size_t most = 0;
  for (const TimedBlock& now : blocks) {
    size_t all = 0;
    for (const TimedBlock& b : blocks)
      if (b.is_needed() && b.first <= now.first && now.first <= b.last) all += round_up(b.bytes, kUnit);
    most = std::max(most, all);
  }
  return most;
}

// Whether blocks that are needed at the same time lie apart, at multiples of the unit, in the first `total` bytes.
void check(const std::vector<TimedBlock>& blocks, size_t total) {
  for (size_t i = 0; i < blocks.size(); ++i) {
    const TimedBlock& a = blocks[i];
    if (!a.is_needed()) continue;
    EXPECT_EQ(a.at % kUnit, 0u);
    EXPECT_LE(a.at + a.bytes, total);
    for (size_t k = 0; k < i; ++k) {
      const TimedBlock& b = blocks[k];
      if (b.is_needed() && a.meets(b)) {
        EXPECT_TRUE(a.at + a.bytes <= b.at || b.at + b.bytes <= a.at) << i << " and " << k;
      }
    }
  }
}

TEST(PlaceBlocks, those_that_never_meet_share_bytes) {
  std::vector<TimedBlock> blocks{{100, 0, 1}, {60, 2, 3}, {10, 1, 2}};
  const size_t total = place_blocks(blocks, kUnit);
  check(blocks, total);
  EXPECT_EQ(total, 128u + 64u);
}

TEST(PlaceBlocks, none_is_nothing) {
  std::vector<TimedBlock> blocks{{0, 0, 1}, {60, 3, 2}};
  EXPECT_EQ(place_blocks(blocks, kUnit), 0u);
}

// A gradient of a scan: stacks of states that one loop reads, and scratch memory behind it that is larger than each.
// The largest block placed first, at byte 0, would leave the stacks no room but behind a later block.
TEST(PlaceBlocks, a_large_block_lies_over_several_that_are_not_needed_any_more) {
  std::vector<TimedBlock> blocks{{409600, 1, 6},  {104448, 2, 15}, {104448, 2, 13}, {102400, 3, 13},
                                 {102400, 3, 13}, {102400, 3, 13}, {102400, 3, 13}, {102400, 3, 13},
                                 {409600, 9, 16}, {32768, 15, 15}, {545792, 15, 15}};
  const size_t total = place_blocks(blocks, kUnit);
  check(blocks, total);
  EXPECT_EQ(total, most_at_once(blocks));
}

TEST(PlaceBlocks, random_ones_lie_apart_and_near_the_least_memory) {
  std::mt19937 random(1);
  double sum = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<TimedBlock> blocks;
    const size_t n = 1 + random() % 150;
    for (size_t i = 0; i < n; ++i) {
      const size_t first = random() % 30;
      blocks.push_back({random() % 5000, first, first + random() % 6});
    }
    const size_t total = place_blocks(blocks, kUnit), least = most_at_once(blocks);
    check(blocks, total);
    EXPECT_GE(total, least);
    sum += static_cast<double>(total) / static_cast<double>(std::max<size_t>(least, 1));
  }
  EXPECT_LE(sum / 200, 1.1);
}

}  // namespace
}  // namespace frit::runtime
