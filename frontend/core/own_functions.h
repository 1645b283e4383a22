// Compiled functions that frit makes for itself, such as those of composed operations.
#pragma once

#include <utility>

namespace frit::detail {

// While one lives, the compiled functions that the calling thread makes are frit's own: their traces are not logged,
// and they have no page.
class OwnFunctions {
 public:
  OwnFunctions() : before_(std::exchange(made_here_, true)) {}
  ~OwnFunctions() { made_here_ = before_; }
  OwnFunctions(const OwnFunctions&) = delete;
  OwnFunctions& operator=(const OwnFunctions&) = delete;
  static bool made_here() { return made_here_; }

 private:
  static inline constinit thread_local bool made_here_ = false;
  bool before_;
};

}  // namespace frit::detail
