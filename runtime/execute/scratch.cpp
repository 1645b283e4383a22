// The blocks that each thread lends.
#include "runtime/execute/scratch.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "runtime/memory/round_up.h"

namespace frit::runtime {
namespace {

constexpr size_t kAlign = 64;
constexpr size_t kSmall = size_t{64} << 10, kMedium = kLeastLent - 1;

// The blocks that a thread has lying idle, two of each size.
struct Idle {
  struct Slot {
    std::array<void*, 2> blocks{};
    size_t count = 0;
  };
  Slot small, medium;
  ~Idle();
  Slot& slot(size_t size) { return size == kSmall ? small : medium; }
};

// Trivially destructible, so that it can still be asked once the thread's Idle is gone.
thread_local bool idle_gone = false;

Idle::~Idle() {
  idle_gone = true;
  for (Slot* s : {&small, &medium})
    while (s->count) std::free(s->blocks[--s->count]);
}

Idle& idle() {
  thread_local Idle instance;
  return instance;
}

// Of this thread.
thread_local LentScratch* lender = nullptr;

}  // namespace

LentScratch::LentScratch(void* memory, const std::vector<ScratchRange>& ranges)
    : memory_(static_cast<char*>(memory)), before_(lender), free_(ranges) {
  lender = this;
}

LentScratch::~LentScratch() { lender = before_; }

void* LentScratch::take(size_t bytes) {
  const std::lock_guard lock(mutex_);
  const size_t wanted = round_up(bytes, kAlign);
  now_ += wanted;
  most_ = std::max(most_, now_);
  ScratchRange* best = nullptr;
  for (ScratchRange& r : free_)
    if (r.end - r.begin >= wanted && (!best || r.end - r.begin < best->end - best->begin)) best = &r;
  if (!best) {
    missed_ += wanted;
    most_missed_ = std::max(most_missed_, missed_);
    return nullptr;
  }
  lent_.push_back({best->begin, best->begin + wanted});
  best->begin += wanted;
  return memory_ + lent_.back().begin;
}

void LentScratch::give_back(void* block) {
  const std::lock_guard lock(mutex_);
  const auto begin = static_cast<size_t>(static_cast<char*>(block) - memory_);
  const auto found = std::find_if(lent_.begin(), lent_.end(), [&](const ScratchRange& r) { return r.begin == begin; });
  const ScratchRange back = *found;
  now_ -= back.end - back.begin;
  lent_.erase(found);
  const auto touches = [&](const ScratchRange& r) { return r.begin == back.end; };
  if (const auto next = std::find_if(free_.begin(), free_.end(), touches); next != free_.end())
    next->begin = back.begin;
  else
    free_.push_back(back);
}

void LentScratch::forget(size_t bytes) {
  const std::lock_guard lock(mutex_);
  const size_t gone = std::min(round_up(bytes, kAlign), missed_);
  missed_ -= gone;
  now_ -= gone;
}

Scratch::Scratch(size_t bytes) {
  if (bytes == 0) return;
  if (bytes > kMedium) {
    if (lender) data_ = lender->take(bytes);
    if (data_) {
      lender_ = lender;
      return;
    }
    auto buffer = Buffer::allocate(bytes);
    if (buffer.ok()) {
      size_ = bytes;
      buffer_ = *std::move(buffer);
      data_ = buffer_->data();
    }
    return;
  }
  kept_ = bytes <= kSmall ? kSmall : kMedium;
  if (!idle_gone) {
    auto& slot = idle().slot(kept_);
    if (slot.count) {
      data_ = slot.blocks[--slot.count];
      return;
    }
  }
  data_ = std::aligned_alloc(kAlign, kept_);
}

Scratch::~Scratch() {
  if (lender_) lender_->give_back(data_);
  if (buffer_ && lender) lender->forget(size_);
  if (!data_ || !kept_) return;
  if (!idle_gone) {
    auto& slot = idle().slot(kept_);
    if (slot.count < slot.blocks.size()) {
      slot.blocks[slot.count++] = data_;
      return;
    }
  }
  std::free(data_);
}

Scratch::Scratch(Scratch&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      kept_(std::exchange(other.kept_, 0)),
      size_(other.size_),
      lender_(std::exchange(other.lender_, nullptr)),
      buffer_(std::move(other.buffer_)) {}

Scratch& Scratch::operator=(Scratch&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(kept_, other.kept_);
  std::swap(size_, other.size_);
  std::swap(lender_, other.lender_);
  std::swap(buffer_, other.buffer_);
  return *this;
}

}  // namespace frit::runtime
