// The signature of a call: what a trace depends on of its arguments. Dtype, rank and sizes of each, in order.
//
// Layout is not part of it: lazy arguments have none yet. An entry compiles a variant for each class of layouts it meets when it runs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "frontend/node.h"

namespace frit::detail {

struct Signature {
  std::vector<std::pair<Dtype, Shape>> arguments;
  uint64_t hash = 0;
};

// Both without allocation.
uint64_t signature_hash(std::span<const array* const> arguments);
bool matches(const Signature& signature, std::span<const array* const> arguments);

Signature make_signature(std::span<const array* const> arguments);

}  // namespace frit::detail
