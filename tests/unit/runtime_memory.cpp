// Buffers, the pool and its limits.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "runtime/execute/scratch.h"
#include "runtime/memory/capacity.h"
#include "runtime/memory/memory.h"

namespace frit::runtime {
namespace {

// Limits belong to the process: each test restores them.
class Memory : public testing::Test {
 protected:
  void SetUp() override { clear_cache(); }
  void TearDown() override {
    set_memory_limit(memory_);
    set_memory_capacity(physical_memory());
    set_cache_limit(cache_);
    clear_cache();
  }
  size_t memory_ = memory_limit(), cache_ = cache_limit();
};

std::shared_ptr<Buffer> get(size_t bytes) {
  auto b = Buffer::allocate(bytes);
  EXPECT_TRUE(b.ok());
  return b.ok() ? *std::move(b) : nullptr;
}

TEST_F(Memory, blocks_are_aligned_and_writable) {
  for (size_t bytes : {0, 1, 4, 63, 64, 65, 4096, 32767, 32768, 32769, 1 << 20, (2 << 20) + 1, 9 << 20}) {
    auto b = get(bytes);
    ASSERT_NE(b->data(), nullptr);
    EXPECT_EQ(b->bytes(), bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(b->data()) % (bytes >= 2 << 20 ? 2 << 20 : 64), 0u) << bytes;
    std::memset(b->data(), 7, bytes);
  }
}

TEST_F(Memory, active_and_peak_count_what_was_asked_for) {
  size_t before = active_memory();
  reset_peak_memory();
  {
    auto a = get(1000), b = get(5 << 20);
    EXPECT_EQ(active_memory(), before + 1000 + (5 << 20));
  }
  EXPECT_EQ(active_memory(), before);
  EXPECT_EQ(peak_memory(), before + 1000 + (5 << 20));
  reset_peak_memory();
  EXPECT_EQ(peak_memory(), 0u);
}

TEST_F(Memory, freed_blocks_are_handed_out_again) {
  void* first = get(3 << 20)->data();
  EXPECT_EQ(cache_memory(), size_t{3} << 20);
  EXPECT_EQ(get((3 << 20) - 5)->data(), first);
  clear_cache();
  EXPECT_EQ(cache_memory(), 0u);
}

TEST_F(Memory, the_cache_limit_drops_the_oldest) {
  set_cache_limit(size_t{5} << 20);
  void* kept;
  {
    auto a = get(2 << 20), b = get(3 << 20), c = get(2 << 20);
    kept = c->data();
    a.reset();
    b.reset();
  }
  EXPECT_EQ(cache_memory(), size_t{5} << 20);
  EXPECT_EQ(get(2 << 20)->data(), kept);
  EXPECT_EQ(set_cache_limit(0), size_t{5} << 20);
  EXPECT_EQ(cache_memory(), 0u);
  get(2 << 20);
  EXPECT_EQ(cache_memory(), 0u);
}

TEST_F(Memory, the_memory_limit_empties_the_cache_alone) {
  get(4 << 20);
  EXPECT_EQ(set_memory_limit(1), memory_);
  EXPECT_EQ(memory_limit(), 1u);
  EXPECT_EQ(cache_memory(), 0u);
  get(5 << 20);
  auto a = get(3 << 20);
  EXPECT_EQ(cache_memory(), 0u);
  std::memset(a->data(), 1, a->bytes());
}

TEST_F(Memory, the_capacity_empties_the_cache_and_then_fails) {
  get(4 << 20);
  size_t limit = active_memory() + (6 << 20);
  EXPECT_EQ(set_memory_limit(limit), memory_);
  EXPECT_EQ(set_memory_capacity(limit), physical_memory());
  EXPECT_EQ(cache_memory(), size_t{4} << 20);
  auto a = get(5 << 20);
  EXPECT_EQ(cache_memory(), 0u);
  size_t active = active_memory(), peak = peak_memory();
  auto b = Buffer::allocate(2 << 20);
  ASSERT_FALSE(b.ok());
  EXPECT_NE(b.error().message.find("cannot allocate 2097152 bytes"), std::string::npos);
  EXPECT_FALSE(b.error().note.empty());
  EXPECT_EQ(active_memory(), active);
  EXPECT_EQ(peak_memory(), peak);
  EXPECT_FALSE(Buffer::allocate(SIZE_MAX).ok());
  EXPECT_FALSE(Buffer::allocate(SIZE_MAX / 2).ok());
  set_memory_limit(SIZE_MAX);
  EXPECT_FALSE(Buffer::allocate(SIZE_MAX).ok());
  EXPECT_FALSE(Buffer::allocate(SIZE_MAX - 4096).ok());
}

TEST_F(Memory, adopted_memory_is_released_once_and_not_counted) {
  int released = 0;
  float data[4];
  size_t before = active_memory();
  {
    auto b = Buffer::adopt(data, sizeof data, [&](void* p) { released += p == data; });
    auto c = b;
    EXPECT_EQ(b->data(), data);
    EXPECT_FALSE(b->owned());
    EXPECT_EQ(active_memory(), before);
  }
  EXPECT_EQ(released, 1);
  Buffer::adopt(data, sizeof data, {});
}

TEST_F(Memory, many_threads_share_the_pool) {
  size_t before = active_memory();
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([t] {
      std::vector<std::shared_ptr<Buffer>> held;
      for (int i = 0; i < 400; ++i) {
        size_t bytes = size_t{1} << (i * 7 + t) % 22;
        held.push_back(get(bytes));
        std::memset(held.back()->data(), t, std::min<size_t>(bytes, 128));
        if (held.size() > 8) {
          EXPECT_EQ(*static_cast<char*>(held.front()->data()), t);
          held.erase(held.begin());
        }
        if (i % 100 == 0) clear_cache();
      }
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(active_memory(), before);
  EXPECT_LE(cache_memory(), cache_limit());
}

TEST_F(Memory, nested_scratch_does_not_overlap) {
  Scratch a(100), b(100), c(100), d(300000), e(3 << 20), none(0);
  std::vector<std::byte*> blocks;
  for (Scratch* s : {&a, &b, &c, &d, &e}) {
    ASSERT_NE(s->data(), nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(s->data()) % 64, 0u);
    for (std::byte* other : blocks) EXPECT_GE(std::abs(static_cast<std::byte*>(s->data()) - other), 100);
    blocks.push_back(static_cast<std::byte*>(s->data()));
  }
  EXPECT_EQ(none.data(), nullptr);
  void* last;
  {
    Scratch f(10);
    last = f.data();
  }
  EXPECT_EQ(Scratch(20).data(), last);
}

}  // namespace
}  // namespace frit::runtime
