// The signature of a call: the properties of its arguments that a trace depends on. These are the structure around the
// arrays, and the element type, rank and sizes of each array, in order. Where a function leaves sizes open they are not
// part of the signature; facts about sizes decide instead (CompiledEntry::admits).
//
// Layout is not part of the signature, as lazy arguments have none yet. An entry compiles a variant for each class of
// layouts that it meets when it runs.
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
  Structure structure;
  std::vector<std::pair<Dtype, Shape>> arguments;
  std::vector<std::string> declared;  // "float32 (b,128)": each argument of a function that is traced without data
  bool open = false;
  uint64_t hash = 0;
};

// All without allocation.
uint64_t signature_hash(const Call& call, bool open);
uint64_t signature_hash(const Signature& signature);  // equal to the hash of every call that matches
bool matches(const Signature& signature, const Call& call);

Signature make_signature(const Call& call, bool open);

// The structure of a call; an empty one where every argument is an array.
const Structure& structure_of(const Call& call);

// A number in a structure, and its place among the arguments (arrays and numbers counted).
struct StructureNumber {
  Part::Kind kind;  // number, constant or promoted
  uint32_t argument;
  std::string text;  // its value; empty for a promoted one
  std::string type;  // "float32"
};
std::vector<StructureNumber> numbers_of(const Structure& structure);

// Whether two structures differ in the values of numbers alone, or in which of them are promoted.
bool same_but_for_numbers(const Structure& a, const Structure& b);

}  // namespace frit::detail
