// The key of functions that are called without one, while a closure is traced.
//
// A function that draws without a key leaves the key that follows in the default sequence. Under a transform that key
// may be a value of the closure's trace, which means nothing outside of it. Then it leaves the trace as one more
// result, and the transform puts that into the sequence.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>

#include "frontend/frit/array.h"

namespace frit::detail {

// Guards the key of every sequence.
std::mutex& mutex_of_keys();

class KeyInTrace {
 public:
  explicit KeyInTrace(uint64_t trace);
  // Without leave(), as where the closure throws, the sequence has its key back, too.
  ~KeyInTrace() { leave(); }
  KeyInTrace(const KeyInTrace&) = delete;
  KeyInTrace& operator=(const KeyInTrace&) = delete;
  // The key that the sequence has, where it is a value of the trace; the sequence then has the key from before.
  std::optional<array> leave();
  static void put(array key);

 private:
  uint64_t trace_;
  array before_;
};

}  // namespace frit::detail
