// Explanations: how a call differs from an entry, and the assumptions that an entry makes.
#pragma once

#include <string>

#include "frontend/compile/compiled_entry.h"

namespace frit::detail {

// How one call differs from an entry; the smaller `distance`, the nearer they are.
struct Difference {
  int distance = 0;
  std::string what;          // "argument 0 'x' is f32[8, 4], was f32[4, 4]"
  std::string cure;          // "take it as an array to make it an input"
  std::string where;         // "file.cpp:12" of the assumption that does not hold, or empty
  bool sizes_only = false;   // the call matches the signature and breaks a fact about sizes
  bool number_only = false;  // the call differs in the value of number `number` (of those for array parameters) alone
  int number = -1;
};

Difference difference(const Call& call, const CompiledEntry& entry);

// "1st", "2nd", "3rd", "4th", ...
std::string ordinal(size_t n);

// The signature of an entry, and each of its assumptions with the source line that made it, one on each line.
std::string describe(const CompiledEntry& entry);

// The values of the forward pass that a derivative in the entry keeps until its backward pass, with their bytes, and
// those that it computes again, one on each line; empty where there is no backward pass.
std::string describe_kept(const CompiledEntry& entry);

}  // namespace frit::detail
