#include "frontend/compile/signature.h"

#include <algorithm>
#include <cstring>

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
uint64_t hash_of(ClosureFn fn, std::string_view structure, size_t count, bool open, Argument&& argument) {
  uint64_t h = mix(0x51ed270b0b5f3c9dull, count);
  h = mix(h, reinterpret_cast<uintptr_t>(fn));
  for (size_t i = 0; i < structure.size(); i += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, structure.data() + i, std::min(sizeof word, structure.size() - i));
    h = mix(h, word);
  }
  for (size_t i = 0; i < count; ++i) {
    const auto& [dtype, shape] = argument(i);
    h = mix(h, (static_cast<uint64_t>(dtype.val) << 32) | shape.size());
    if (open) continue;
    for (ShapeElem d : shape) h = mix(h, static_cast<uint64_t>(d));
  }
  return h;
}

}  // namespace

uint64_t signature_hash(const Call& call, bool open) {
  return hash_of(call.fn, call.structure, call.arrays.size(), open, [&](size_t i) {
    const Node& node = *call.arrays[i]->node();
    return std::pair<Dtype, const Shape&>(node.dtype, node.shape);
  });
}

uint64_t signature_hash(const Signature& s) {
  return hash_of(s.fn, s.structure, s.arguments.size(), s.open,
                 [&](size_t i) -> const std::pair<Dtype, Shape>& { return s.arguments[i]; });
}

bool matches(const Signature& signature, const Call& call) {
  return signature.fn == call.fn && signature.structure == call.structure &&
         std::equal(signature.arguments.begin(), signature.arguments.end(), call.arrays.begin(), call.arrays.end(),
                    [&](const auto& s, const array* a) {
                      const Node& node = *a->node();
                      return s.first == node.dtype &&
                             (signature.open ? s.second.size() == node.shape.size() : s.second == node.shape);
                    });
}

Signature make_signature(const Call& call, bool open) {
  Signature signature;
  signature.fn = call.fn;
  signature.structure = call.structure;
  for (const array* a : call.arrays) signature.arguments.emplace_back(a->dtype(), a->node()->shape);
  signature.open = open;
  signature.hash = signature_hash(call, open);
  return signature;
}

std::vector<StructureNumber> numbers_of(std::string_view structure, std::string& rest) {
  std::vector<StructureNumber> numbers;
  const auto take = [&](size_t n) {
    const std::string_view part = structure.substr(0, n);
    structure.remove_prefix(part.size());
    return part;
  };
  const auto take_count = [&] {
    size_t n = 0;
    const std::string_view part = take(sizeof n);
    std::memcpy(&n, part.data(), part.size());
    rest += part;
    return n;
  };
  while (!structure.empty()) {
    const char kind = take(1)[0];
    rest += kind == 'p' ? 'n' : kind;
    if (kind == 'v' || kind == 'm') {
      take_count();
    } else if (kind == 'k') {
      rest += take(take_count());
    } else if (kind == 's' || kind == 'n' || kind == 'p') {
      uint32_t argument = 0;
      std::memcpy(&argument, take(sizeof argument).data(), sizeof argument);
      Dtype::Val val{};
      const std::string_view type = take(sizeof val);
      std::memcpy(&val, type.data(), sizeof val);
      rest += type;
      const Dtype dtype = kAllDtypes[static_cast<size_t>(val)];
      StructureNumber number{kind, argument, {}, std::string(long_name(dtype))};
      if (kind != 'p') {
        const std::string_view bytes = take(dtype.size);
        const auto* at = reinterpret_cast<const std::byte*>(bytes.data());
        number.text = ir::literal_text(ir::Literal(dtype, {at, at + bytes.size()}), {});
      }
      numbers.push_back(std::move(number));
    }
  }
  return numbers;
}

}  // namespace frit::detail
