// A way for the program to stop long work between its steps, as when a user presses Ctrl-C.
#pragma once

#include <atomic>

#include "ir/base/result.h"

namespace frit::runtime {

// Asked between steps, on the thread that runs them. It returns whether the work is to stop.
using InterruptCheck = bool (*)();

namespace detail {
extern std::atomic<InterruptCheck> interrupt_check;
}

// Null: nothing is asked. Returns the previous check.
InterruptCheck set_interrupt_check(InterruptCheck check);

inline bool interrupted() {
  const InterruptCheck check = detail::interrupt_check.load(std::memory_order_relaxed);
  return check && check();
}

Diagnostic interruption();

}  // namespace frit::runtime
