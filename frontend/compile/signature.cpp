// Hashing and comparing signatures of calls.
#include "frontend/compile/signature.h"

#include <algorithm>
#include <functional>

#include "ir/text/text.h"

namespace frit::detail {

namespace {

uint64_t mix(uint64_t h, uint64_t value) {
  h ^= value;
  h *= 0x9e3779b97f4a7c15ull;
  return h ^ (h >> 29);
}

}  // namespace

namespace {

// `argument(i)` gives the dtype and shape of argument i.
template <class Argument>
uint64_t hash_of(ClosureFn fn, const Structure& structure, size_t count, bool open, Argument&& argument) {
  uint64_t h = mix(0x51ed270b0b5f3c9dull, count);
  h = mix(h, reinterpret_cast<uintptr_t>(fn));
  for (const Part& part : structure.parts) {
    h = mix(h, static_cast<uint64_t>(part.kind) << 40 | static_cast<uint64_t>(part.type) << 32 | part.position);
    h = mix(h, part.value);
  }
  if (!structure.names.empty()) h = mix(h, std::hash<std::string_view>()(structure.names));
  for (size_t i = 0; i < count; ++i) {
    const auto& [dtype, shape] = argument(i);
    h = mix(h, (static_cast<uint64_t>(dtype.val()) << 32) | shape.size());
    if (open) continue;
    for (ShapeElem d : shape) h = mix(h, static_cast<uint64_t>(d));
  }
  return h;
}

}  // namespace

uint64_t signature_hash(const Call& call, bool open) {
  return hash_of(call.fn, structure_of(call), call.arrays.size(), open, [&](size_t i) {
    const Node& node = *node_of(*call.arrays[i]);
    return std::pair<Dtype, const Shape&>(node.dtype, node.shape);
  });
}

uint64_t signature_hash(const Signature& s) {
  return hash_of(s.fn, s.structure, s.arguments.size(), s.open,
                 [&](size_t i) -> const std::pair<Dtype, Shape>& { return s.arguments[i]; });
}

bool matches(const Signature& signature, const Call& call) {
  return signature.fn == call.fn && signature.structure == structure_of(call) &&
         std::equal(signature.arguments.begin(), signature.arguments.end(), call.arrays.begin(), call.arrays.end(),
                    [&](const auto& s, const array* a) {
                      const Node& node = *node_of(*a);
                      return s.first == node.dtype &&
                             (signature.open ? s.second.size() == node.shape.size() : s.second == node.shape);
                    });
}

Signature make_signature(const Call& call, bool open) {
  Signature signature;
  signature.fn = call.fn;
  signature.structure = structure_of(call);
  for (const array* a : call.arrays) signature.arguments.emplace_back(a->dtype(), node_of(*a)->shape);
  signature.open = open;
  signature.hash = signature_hash(call, open);
  return signature;
}

const Structure& structure_of(const Call& call) {
  static const Structure& none = *new Structure;  // never destroyed: calls are made in static destructors too
  return call.structure ? *call.structure : none;
}

namespace {

bool is_number(Part::Kind kind) {
  return kind == Part::Kind::number || kind == Part::Kind::constant || kind == Part::Kind::promoted;
}

}  // namespace

std::vector<StructureNumber> numbers_of(const Structure& structure) {
  std::vector<StructureNumber> numbers;
  for (const Part& part : structure.parts) {
    if (!is_number(part.kind)) continue;
    const Dtype dtype = kAllDtypes[static_cast<size_t>(part.type)];
    StructureNumber number{part.kind, part.position, {}, std::string(long_name(dtype))};
    if (part.kind != Part::Kind::promoted) {
      const auto* at = reinterpret_cast<const std::byte*>(&part.value);
      number.text = ir::literal_text(ir::Literal(dtype, {at, at + dtype.size()}), {});
    }
    numbers.push_back(std::move(number));
  }
  return numbers;
}

bool same_but_for_numbers(const Structure& a, const Structure& b) {
  const auto same = [](const Part& x, const Part& y) {
    if (!is_number(x.kind)) return x == y;
    return (x.kind == Part::Kind::number) == (y.kind == Part::Kind::number) && is_number(y.kind) && x.type == y.type;
  };
  return a.names == b.names && std::equal(a.parts.begin(), a.parts.end(), b.parts.begin(), b.parts.end(), same);
}

}  // namespace frit::detail
