// Scratch memory that comes from the bytes of a workspace.
#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "runtime/execute/scratch.h"

namespace frit::runtime {
namespace {

constexpr size_t kBlock = (kLeastLent + 63) / 64 * 64;

// FourBlocks of four blocks.
class FourBlocks {
 public:
  FourBlocks() : bytes_(4 * kBlock + 64) {
    const auto address = reinterpret_cast<uintptr_t>(bytes_.data());
    first_ = bytes_.data() + (64 - address % 64) % 64;
  }
  char* first() const { return first_; }
  // The block's number, -1 for memory elsewhere.
  int block(const Scratch& s) const {
    const auto* at = static_cast<const char*>(s.data());
    return at < first_ || at >= first_ + 4 * kBlock ? -1 : static_cast<int>((at - first_) / kBlock);
  }

 private:
  std::vector<char> bytes_;
  char* first_;
};

TEST(LentScratch, large_blocks_come_from_the_lent_ranges_and_others_do_not) {
  FourBlocks memory;
  const LentScratch lent(memory.first(), {{kBlock, 2 * kBlock}});
  Scratch large(kLeastLent), more(kLeastLent), small(kLeastLent - 1);
  EXPECT_EQ(memory.block(large), 1);
  EXPECT_EQ(memory.block(more), -1);
  EXPECT_EQ(memory.block(small), -1);
  std::memset(large.data(), 1, kLeastLent);
  std::memset(more.data(), 2, kLeastLent);
  EXPECT_EQ(static_cast<char*>(large.data())[kLeastLent - 1], 1);
}

TEST(LentScratch, blocks_that_come_back_are_lent_again) {
  FourBlocks memory;
  const LentScratch lent(memory.first(), {{0, 2 * kBlock}});
  for (int i = 0; i < 3; ++i) {
    Scratch a(kLeastLent), b(kLeastLent), c(kLeastLent);
    EXPECT_NE(memory.block(a), memory.block(b));
    EXPECT_NE(memory.block(a), -1);
    EXPECT_NE(memory.block(b), -1);
    EXPECT_EQ(memory.block(c), -1);
  }
}

TEST(LentScratch, the_smallest_range_that_fits_is_taken) {
  FourBlocks memory;
  const LentScratch lent(memory.first(), {{0, 2 * kBlock}, {3 * kBlock, 4 * kBlock}});
  Scratch a(kLeastLent), b(2 * kBlock);
  EXPECT_EQ(memory.block(a), 3);
  EXPECT_EQ(memory.block(b), 0);
}

TEST(LentScratch, knows_the_most_that_was_wanted_and_what_had_no_room) {
  FourBlocks memory;
  LentScratch lent(memory.first(), {{0, 2 * kBlock}});
  {
    Scratch a(kLeastLent);
    EXPECT_EQ(lent.most(), kBlock);
    EXPECT_EQ(lent.most_missed(), 0u);
    Scratch wide(3 * kBlock), small(64);
    EXPECT_EQ(lent.most(), 4 * kBlock);
    EXPECT_EQ(lent.most_missed(), 3 * kBlock);
    Scratch moved = std::move(wide);
  }
  // Blocks that are gone count no longer, wherever they were.
  for (int i = 0; i < 3; ++i) {
    Scratch a(2 * kBlock), b(kBlock);
  }
  EXPECT_EQ(lent.most(), 4 * kBlock);
  EXPECT_EQ(lent.most_missed(), 3 * kBlock);
}

TEST(LentScratch, holds_for_its_own_thread_and_its_own_time) {
  FourBlocks memory;
  {
    const LentScratch outer(memory.first(), {{0, kBlock}});
    {
      const LentScratch inner(memory.first(), {{kBlock, 2 * kBlock}});
      EXPECT_EQ(memory.block(Scratch(kLeastLent)), 1);
    }
    Scratch moved;
    {
      Scratch own(kLeastLent);
      EXPECT_EQ(memory.block(own), 0);
      moved = std::move(own);
    }
    std::thread([&] {
      EXPECT_EQ(memory.block(Scratch(kLeastLent)), -1);
      moved = Scratch();
    }).join();
    EXPECT_EQ(memory.block(Scratch(kLeastLent)), 0);
  }
  EXPECT_EQ(memory.block(Scratch(kLeastLent)), -1);
}

}  // namespace
}  // namespace frit::runtime
