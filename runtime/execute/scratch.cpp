// The blocks that each thread lends.
#include "runtime/execute/scratch.h"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace frit::runtime {
namespace {

constexpr size_t kSmall = size_t{64} << 10, kMedium = size_t{512} << 10;

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

}  // namespace

Scratch::Scratch(size_t bytes) {
  if (bytes == 0) return;
  if (bytes > kMedium) {
    auto buffer = Buffer::allocate(bytes);
    if (buffer.ok()) {
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
  data_ = std::aligned_alloc(64, kept_);
}

Scratch::~Scratch() {
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
      buffer_(std::move(other.buffer_)) {}

Scratch& Scratch::operator=(Scratch&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(kept_, other.kept_);
  std::swap(buffer_, other.buffer_);
  return *this;
}

}  // namespace frit::runtime
