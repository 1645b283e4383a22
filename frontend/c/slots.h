// Memory for the objects behind handles, in which a handle that was freed is recognised.
//
// A handle's pointer names a slot and, in its upper 16 bits, the generation of the slot. Freeing an object begins the
// next generation, so that older handles no longer fit. Slots of one type are never used for another one, and their
// memory is never given back: looking at a slot through an old handle is always safe. A pointer that no handle function
// made is not recognised.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace frit::c {

// Bit 0: an object lives here. Bits 1 to 15: the type. Bits 16 to 31: the generation.
struct Slot {
  std::atomic<uint32_t> tag{0};
  Slot* next = nullptr;  // while it is free
};

// The slots of one type. Every thread keeps some free ones for itself.
class Slots {
 public:
  constexpr Slots(size_t bytes, uint32_t type) : bytes_(bytes), type_(type) {}

  Slot* take();
  void give(Slot* slot);
  // The objects that live now.
  size_t count();

  uint32_t type() const { return type_; }

 private:
  friend struct ThreadSlots;
  Slot* refill();
  void give_back(Slot* first, Slot* last);

  size_t bytes_;
  uint32_t type_;
  std::mutex mutex_;
  Slot* free_ = nullptr;
  std::vector<std::byte*>* slabs_ = nullptr;
};

// The number of types that have slots.
inline constexpr uint32_t kSlotTypes = 48;
inline constexpr uintptr_t kPointerBits = (uintptr_t{1} << 48) - 1;

template <class T>
struct SlotOf : Slot {
  alignas(T) std::byte object[sizeof(T)];
  T* get() { return std::launder(reinterpret_cast<T*>(object)); }
};

// T::kType is the number of a type, below kSlotTypes; each type has its own.
template <class T>
inline constinit Slots slots_of{sizeof(SlotOf<T>), T::kType};

// The pointer of a handle on a new object.
template <class T>
void* new_object(T object) {
  static_assert(T::kType < kSlotTypes);
  auto* slot = static_cast<SlotOf<T>*>(slots_of<T>.take());
  ::new (slot->object) T(std::move(object));
  const uint32_t tag = slot->tag.load(std::memory_order_relaxed);
  slot->tag.store(tag | 1, std::memory_order_release);
  return reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(slot) | static_cast<uintptr_t>(tag >> 16) << 48);
}

template <class T>
SlotOf<T>* slot_of(void* handle) {
  return reinterpret_cast<SlotOf<T>*>(reinterpret_cast<uintptr_t>(handle) & kPointerBits);
}
template <class T>
uint32_t live_tag(void* handle) {
  return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(handle) >> 48) << 16 | T::kType << 1 | 1;
}

// The object of a handle that is not null; null when it was freed or is of another type.
template <class T>
T* object_of(void* handle) {
  SlotOf<T>* slot = slot_of<T>(handle);
  return slot->tag.load(std::memory_order_acquire) == live_tag<T>(handle) ? slot->get() : nullptr;
}

// Destroys the object of a handle that is not null. False when it was freed before or is of another type.
template <class T>
bool delete_object(void* handle) {
  SlotOf<T>* slot = slot_of<T>(handle);
  const uint32_t tag = live_tag<T>(handle);
  if (slot->tag.load(std::memory_order_acquire) != tag) return false;
  slot->tag.store((tag & ~uint32_t{1}) + 0x10000, std::memory_order_release);
  slot->get()->~T();
  slots_of<T>.give(slot);
  return true;
}

// The objects of all types that live now.
size_t live_objects();

}  // namespace frit::c
