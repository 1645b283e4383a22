// Signals during an evaluation: Ctrl-C stops it between two operations.
#include <unistd.h>

#include <chrono>
#include <memory>

#include "frontend/python/core/bind.h"

namespace frit::python {

namespace {

// The interpreter runs its handlers of signals on the main thread alone, so this is that thread's.
std::unique_ptr<nb::python_error>& raised() {
  static auto& error = *new std::unique_ptr<nb::python_error>;
  return error;
}

bool is_main_thread() { return getpid() == gettid(); }

// Lets the interpreter handle signals that came. They are looked for at most every kInterval, as the lock of the
// interpreter has to be taken for it.
bool stopped_by_signal() {
  constexpr std::chrono::milliseconds kInterval(20);
  static constinit thread_local std::chrono::steady_clock::time_point next;
  const auto now = std::chrono::steady_clock::now();
  if (now < next) return false;
  next = now + kInterval;
  if (!is_main_thread()) return false;
  const LockTaken lock;
  if (PyErr_CheckSignals() == 0) return false;
  raised() = std::make_unique<nb::python_error>();
  return true;
}

}  // namespace

void throw_signal_error() {
  if (!is_main_thread() || !raised()) return;
  const nb::python_error error = std::move(*raised());
  raised() = nullptr;
  throw error;
}

void bind_signals() {
  set_interrupt_check(stopped_by_signal);
  // Pages of FRIT_REPORT are written after the interpreter's end, when its lock cannot be taken.
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([] { set_interrupt_check(nullptr); }));
}

}  // namespace frit::python
