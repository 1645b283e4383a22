// Spans of time that a program's parts take, for those who watch: profiles and reports.
//
// Without an observer a Span costs the load of one flag. Observers are called on the thread whose work ends, possibly
// on many at once, and must not compile or run functions.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace frit::runtime {

struct Observed {
  std::string_view kind;  // "kernel", "routine", "chunk" (a thread's part of a kernel), "epilogue", "call", "pass",
                          // "compile", "wait"
  std::string_view name;
  int64_t begin_ns = 0, end_ns = 0;  // of the steady clock
  std::string_view details = {};     // members of a JSON object, without its braces; or empty
  bool counter = false;              // a value at `begin_ns` instead of a span
  double value = 0;
  std::string_view track = {};  // where the span ran, if not on the calling thread: "gpu queue 0"
};
using Observer = std::function<void(const Observed&)>;

// Calls `observer` until the result goes.
[[nodiscard]] std::shared_ptr<void> add_observer(Observer observer);

namespace detail {
extern std::atomic<int> observers;
}
inline bool observed() { return detail::observers.load(std::memory_order_relaxed) > 0; }
void observe(const Observed& what);
inline int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// `kind` and `name` must live as long as the span.
class Span {
 public:
  Span(std::string_view kind, std::string_view name) : begin_(observed() ? now_ns() : -1), kind_(kind), name_(name) {}
  ~Span() {
    if (begin_ >= 0) observe({kind_, name_, begin_, now_ns(), details});
  }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

  std::string details;  // see Observed

 private:
  int64_t begin_;
  std::string_view kind_, name_;
};

}  // namespace frit::runtime
