// Free slots: a list for each thread, and one for all.
#include "frontend/c/slots.h"

#include <array>

namespace frit::c {

namespace {

constexpr size_t kSlabSlots = 256;
// A thread that holds more free slots of a type gives half of them back.
constexpr uint32_t kMostHeld = 256;
// So that the object behind the head is aligned for every type.
constexpr size_t kAlignment = 32;

size_t padded(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

std::array<std::atomic<Slots*>, kSlotTypes> all_slots;

}  // namespace

// The free slots of one thread.
struct ThreadSlots {
  struct List {
    Slot* first = nullptr;
    uint32_t count = 0;
  };
  std::array<List, kSlotTypes> lists;

  ThreadSlots();
  ~ThreadSlots();

  // Gives `count` slots of a list back.
  static void release(Slots& slots, List& list, uint32_t count) {
    Slot* const first = list.first;
    Slot* last = first;
    for (uint32_t i = 1; i < count; ++i) last = last->next;
    list.first = last->next;
    list.count -= count;
    slots.give_back(first, last);
  }
};

namespace {

// Null before the first use in a thread, and once its lists are gone: destructors of other thread-local objects may
// still free handles. A pointer without a constructor is quicker to reach than the lists themselves.
constinit thread_local ThreadSlots* mine = nullptr;
constinit thread_local bool thread_ends = false;

// The lists of the calling thread; null at its end.
ThreadSlots* first_use() {
  if (thread_ends) return nullptr;
  thread_local ThreadSlots lists;
  return mine;
}
inline ThreadSlots* of_thread() { return mine ? mine : first_use(); }

}  // namespace

ThreadSlots::ThreadSlots() { mine = this; }
ThreadSlots::~ThreadSlots() {
  mine = nullptr;
  thread_ends = true;
  for (uint32_t type = 0; type < kSlotTypes; ++type)
    if (lists[type].first) release(*all_slots[type].load(), lists[type], lists[type].count);
}

Slot* Slots::take() {
  ThreadSlots* const thread = of_thread();
  if (!thread) {
    std::lock_guard<std::mutex> guard(mutex_);
    Slot* slot = refill();
    free_ = slot->next;
    return slot;
  }
  ThreadSlots::List& list = thread->lists[type_];
  if (!list.first) {
    std::lock_guard<std::mutex> guard(mutex_);
    Slot* const first = refill();
    Slot* last = first;
    uint32_t count = 1;
    for (; last->next && count < kMostHeld / 2; ++count) last = last->next;
    free_ = last->next;
    last->next = nullptr;
    list = {first, count};
  }
  Slot* slot = list.first;
  list.first = slot->next;
  --list.count;
  return slot;
}

void Slots::give(Slot* slot) {
  ThreadSlots* const thread = of_thread();
  if (!thread) return give_back(slot, slot);
  ThreadSlots::List& list = thread->lists[type_];
  slot->next = list.first;
  list.first = slot;
  if (++list.count > kMostHeld) ThreadSlots::release(*this, list, kMostHeld / 2);
}

// Makes sure that the common list has a slot; the mutex is held.
Slot* Slots::refill() {
  if (free_) return free_;
  if (!slabs_) {
    slabs_ = new std::vector<std::byte*>;
    all_slots[type_].store(this);
  }
  const size_t size = padded(bytes_);
  auto* slab = static_cast<std::byte*>(::operator new(kSlabSlots * size, std::align_val_t{kAlignment}));
  slabs_->push_back(slab);
  for (size_t i = kSlabSlots; i-- > 0;) {
    Slot* slot = ::new (slab + i * size) Slot;
    slot->tag.store(type_ << 1, std::memory_order_relaxed);
    slot->next = free_;
    free_ = slot;
  }
  return free_;
}

void Slots::give_back(Slot* first, Slot* last) {
  std::lock_guard<std::mutex> guard(mutex_);
  last->next = free_;
  free_ = first;
}

size_t Slots::count() {
  std::lock_guard<std::mutex> guard(mutex_);
  size_t live = 0;
  if (slabs_)
    for (std::byte* slab : *slabs_)
      for (size_t i = 0; i < kSlabSlots; ++i)
        live += reinterpret_cast<Slot*>(slab + i * padded(bytes_))->tag.load(std::memory_order_relaxed) & 1;
  return live;
}

size_t live_objects() {
  size_t live = 0;
  for (std::atomic<Slots*>& slots : all_slots)
    if (Slots* s = slots.load()) live += s->count();
  return live;
}

}  // namespace frit::c
