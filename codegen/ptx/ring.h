// A ring of places in shared memory that a producer fills by asynchronous copies and consumers empty. Each place has
// two barriers in shared memory: `full` counts the copied bytes, `empty` the consumers that are done.
#pragma once

#include <optional>

#include "codegen/ptx/writer.h"

namespace frit::codegen::ptx {

struct RingPlan {
  uint32_t first;  // byte of the first place
  uint32_t bytes;  // of a place
  uint32_t places;
  uint32_t barriers;  // byte of the first barrier
  uint32_t barrier_bytes() const { return 16 * places; }
};

class Ring {
 public:
  Ring(Writer& w, const RingPlan& plan, const Value& shared) : w_(w), plan_(plan), shared_(shared) {}

  // By one thread, before anybody uses the ring: `consumers` arrivals empty a place.
  void open(uint32_t consumers);
  // Before the first place; each side has its own position. A producer finds every place empty.
  void start(bool producer);

  // Waits until the next place is full, and moves on. The place's first byte in shared memory.
  Value take();
  // Of the oldest place that was taken and not given back: by the threads of `predicate`.
  void give_back(const Value& predicate);
  // Where `moves` says so: all threads agree on it.
  void give_back_if(const Value& predicate, const Value& moves);

  struct Filled {
    Value place, barrier;  // where copies go, and what they tell of their bytes
  };
  // Waits until the next place is empty, expects all of its bytes, and moves on.
  Filled fill();

 private:
  void wait(uint64_t offset);
  void next(const Value& position, const Value& moves = {});

  Writer& w_;
  const RingPlan plan_;
  const Value shared_;
  Value position_, parity_, oldest_;  // positions count bytes of barriers
};

}  // namespace frit::codegen::ptx
