// The check that stops long work.
#include "runtime/execute/interrupt.h"

namespace frit::runtime {

constinit std::atomic<InterruptCheck> detail::interrupt_check{nullptr};

InterruptCheck set_interrupt_check(InterruptCheck check) { return detail::interrupt_check.exchange(check); }

Diagnostic interruption() { return Diagnostic("the evaluation was interrupted"); }

}  // namespace frit::runtime
