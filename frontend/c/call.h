// The frame of every function of the C interface: exceptions become messages to the program's error handler.
#pragma once

#include <string>
#include <utility>

namespace frit::c {

// Hands "function: message" to the error handler. Called while an exception is handled.
void report(const char* function) noexcept;
// Hands a message to the error handler.
void report_text(const std::string& message) noexcept;
// The message that the calling thread reported last; "" when there is none.
std::string& last_message() noexcept;

// A function that returns its status: 0, or 1 after an error.
template <class F>
int call(const char* function, F&& f) noexcept {
  try {
    f();
    return 0;
  } catch (...) {
    report(function);
    return 1;
  }
}

// A function that returns its result, or `fallback` after an error.
template <class T, class F>
T value_of(const char* function, T fallback, F&& f) noexcept {
  try {
    return f();
  } catch (...) {
    report(function);
    return fallback;
  }
}

}  // namespace frit::c
