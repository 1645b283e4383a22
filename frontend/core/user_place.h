// The user's line of an operation, where frit's own functions make it, or the language of the program is not C++.
#pragma once

#include <source_location>

#include "ir/base/result.h"

namespace frit::detail {

// While one lives, the operations that the calling thread makes in a trace have this line, not those of the functions
// of frit that make them. The outermost one counts.
class CallerLine {
 public:
  explicit CallerLine(const std::source_location& at);
  ~CallerLine();
  CallerLine(const CallerLine&) = delete;
  CallerLine& operator=(const CallerLine&) = delete;

 private:
  bool outermost_;
};

// While one lives and `backward` holds, the operations that the calling thread makes in a trace belong to a backward
// pass: the rules of a user and the second computation of a checkpoint.
class BackwardPass {
 public:
  explicit BackwardPass(bool backward);
  ~BackwardPass();
  BackwardPass(const BackwardPass&) = delete;
  BackwardPass& operator=(const BackwardPass&) = delete;

 private:
  bool around_;
};

// Where an operation is made: the line of a CallerLine, or `given`, unless that is nowhere, or a line of frit itself,
// and a binding knows better (frontend/frit/detail/binding.h). With `wait` it may wait for another thread.
SourceLoc user_place(const SourceLoc& given, bool wait = false);

// `given`, or nowhere where it is a line of frit itself and the program is in another language.
SourceLoc outside_of_frit(const SourceLoc& given);

}  // namespace frit::detail
