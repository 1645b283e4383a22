#include "frontend/signature.h"

#include <algorithm>

namespace frit::detail {

namespace {
uint64_t mix(uint64_t h, uint64_t value) {
  h ^= value;
  h *= 0x9e3779b97f4a7c15ull;
  return h ^ (h >> 29);
}
}  // namespace

uint64_t signature_hash(std::span<const array* const> arguments) {
  uint64_t h = mix(0x51ed270b0b5f3c9dull, arguments.size());
  for (const array* a : arguments) {
    const Node& node = *a->node();
    h = mix(h, (static_cast<uint64_t>(node.dtype.val) << 32) | node.shape.size());
    for (ShapeElem d : node.shape) h = mix(h, static_cast<uint64_t>(d));
  }
  return h;
}

bool matches(const Signature& signature, std::span<const array* const> arguments) {
  return std::equal(signature.arguments.begin(), signature.arguments.end(), arguments.begin(), arguments.end(),
                    [](const auto& s, const array* a) {
                      return s.first == a->node()->dtype && s.second == a->node()->shape;
                    });
}

Signature make_signature(std::span<const array* const> arguments) {
  Signature signature;
  for (const array* a : arguments) signature.arguments.emplace_back(a->dtype(), a->shape());
  signature.hash = signature_hash(arguments);
  return signature;
}

}  // namespace frit::detail
