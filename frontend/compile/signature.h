// The signature of a call: what a trace depends on of its arguments. The structure around them, and dtype, rank and
// sizes of each, in order. Of a function that leaves sizes open they are not part of it: there, facts about sizes
// decide (CompiledEntry::admits).
//
// Layout is not part of it: lazy arguments have none yet. An entry compiles a variant for each class of layouts it
// meets when it runs.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "frontend/core/node.h"
#include "frontend/frit/compile.h"

namespace frit::detail {

struct Signature {
  ClosureFn fn = nullptr;
  std::string structure;
  std::vector<std::pair<Dtype, Shape>> arguments;
  bool open = false;
  uint64_t hash = 0;
};

// All without allocation.
uint64_t signature_hash(const Call& call, bool open);
uint64_t signature_hash(const Signature& signature);  // what a call that matches has
bool matches(const Signature& signature, const Call& call);

Signature make_signature(const Call& call, bool open);

// A number in a structure, and where it stood among the arguments (arrays and numbers counted).
struct StructureNumber {
  char kind;  // 's': of a C++ type, 'n': for a parameter that is an array, 'p': one of those that is an input
  uint32_t argument;
  std::string text;  // its value
  std::string type;  // "float32"
};

// Takes a structure apart: its numbers, and everything else as a string that is equal for equal structures but for the
// values of numbers.
std::vector<StructureNumber> numbers_of(std::string_view structure, std::string& rest);

}  // namespace frit::detail
