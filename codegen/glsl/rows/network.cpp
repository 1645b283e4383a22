// The text of sorting networks.
#include "codegen/glsl/rows/network.h"

#include <algorithm>

#include "codegen/glsl/rows/rows.h"

namespace frit::codegen::glsl {

namespace {

constexpr const char* kNarrow = R"(#define Item uint
bool is_less(Item a, Item b) { return a < b; }
Item lesser(Item a, Item b) { return min(a, b); }
Item greater(Item a, Item b) { return max(a, b); }
Item one_of(bool low, Item own, Item other) { return low ? min(own, other) : max(own, other); }
Item from_lane(Item a, uint from) { return subgroupShuffle(a, from); }
)";
constexpr const char* kWide = R"(#define Item uint64_t
bool is_less(Item a, Item b) { return a < b; }
Item lesser(Item a, Item b) { return a < b ? a : b; }
Item greater(Item a, Item b) { return a < b ? b : a; }
Item one_of(bool low, Item own, Item other) { return (other < own) == low ? other : own; }
Item from_lane(Item a, uint from) {
  return uint64_t(subgroupShuffle(uint(a >> 32), from)) << 32 | uint64_t(subgroupShuffle(uint(a), from));
}
)";
constexpr const char* kPairs = R"(struct Item {
  uint64_t key;
  uint place;
};
bool is_less(Item a, Item b) { return a.key < b.key || (a.key == b.key && a.place < b.place); }
Item choose(bool first, Item a, Item b) { return Item(first ? a.key : b.key, first ? a.place : b.place); }
Item lesser(Item a, Item b) { return choose(is_less(a, b), a, b); }
Item greater(Item a, Item b) { return choose(is_less(a, b), b, a); }
Item one_of(bool low, Item own, Item other) { return choose(is_less(other, own) == low, other, own); }
Item from_lane(Item a, uint from) {
  const uint high = subgroupShuffle(uint(a.key >> 32), from), low = subgroupShuffle(uint(a.key), from);
  return Item(uint64_t(high) << 32 | uint64_t(low), subgroupShuffle(a.place, from));
}
Item item_of(uint64_t key, uint place) { return Item(key, place); }
uint place_of(Item a) { return a.place; }
)";
constexpr const char* kPackedPlaces = R"(Item item_of(uint key, uint place) { return key << 16u | place; }
uint place_of(Item a) { return a & 65535u; }
)";
constexpr const char* kPlacedPlaces =
    R"(Item item_of(uint key, uint place) { return uint64_t(key) << 32 | uint64_t(place); }
uint place_of(Item a) { return uint(a); }
)";
constexpr const char* kKeysAlone = "Item item_of(Item key, uint place) { return key; }\n";

std::string at(const std::string& array, int64_t i) { return array + "[" + std::to_string(i) + "]"; }

std::string exchange(const std::string& array, int64_t i, int64_t j) {
  const std::string a = at(array, i), b = at(array, j);
  return "  {\n    const Item one = " + a + ", other = " + b + ";\n    " + a + " = lesser(one, other);\n    " + b +
         " = greater(one, other);\n  }\n";
}

// Knuth's merge exchange, for any number of registers.
std::string exchanges(const std::string& array, int64_t first, int64_t n) {
  std::string text;
  int64_t top = 1;
  while (2 * top < n) top *= 2;
  for (int64_t p = n > 1 ? top : 0; p > 0; p /= 2) {
    int64_t q = top, r = 0;
    for (int64_t d = p; d > 0; d = q - p, q /= 2, r = p) {
      for (int64_t i = 0; i + d < n; ++i)
        if ((i & p) == r) text += exchange(array, first + i, first + i + d);
      if (q == p) break;
    }
  }
  return text;
}

// Registers whose items are a rotation of ascending, then descending ones. Halves of such are such.
std::string merge_registers(const std::string& array, int64_t each) {
  std::string text;
  int64_t length = each;
  for (; length % 2 == 0; length /= 2)
    for (int64_t i = 0; i < each; ++i)
      if (i % length < length / 2) text += exchange(array, i, i + length / 2);
  for (int64_t first = 0; first < each; first += length) text += exchanges(array, first, length);
  return text;
}

// The rest of a merge of `count` lanes, text, once both halves are apart.
std::string merge_lanes(const std::string& array, int64_t each, const std::string& count) {
  std::string text =
      "  for (uint step = " + count + " / 2u; step > 0u; step /= 2u) {\n    const bool low = (lane & step) == 0u;\n";
  for (int64_t i = 0; i < each; ++i)
    text +=
        "    " + at(array, i) + " = one_of(low, " + at(array, i) + ", from_lane(" + at(array, i) + ", lane ^ step));\n";
  return text + "  }\n" + merge_registers(array, each);
}

}  // namespace

const char* const kNetworkExtensions =
    "#extension GL_KHR_shader_subgroup_basic : require\n#extension GL_KHR_shader_subgroup_ballot : require\n"
    "#extension GL_KHR_shader_subgroup_shuffle : require\n";

Items items_with_places(Dtype t) {
  return t.size() <= 2 ? Items::Packed : t.size() == 4 ? Items::Placed : Items::Pairs;
}

int64_t item_bytes(Items items, Dtype t) { return items == Items::Pairs ? 16 : are_narrow(items, t) ? 4 : 8; }

bool has_networks(const runtime::GpuFeatures& f) {
  const uint32_t lanes = f.subgroup_size;
  return f.shuffle && lanes >= 4 && lanes <= 32 && (lanes & (lanes - 1)) == 0;
}

int64_t registers_of_row(Items items, Dtype) { return items == Items::Pairs ? 8 : 16; }

std::optional<Spread> spread_row(int64_t n, Items items, Dtype t, int64_t lanes) {
  const int64_t few = registers_of_row(items, t), most = 2 * few;
  if (n <= few) return Spread{1, std::max<int64_t>(n, 1)};
  // An odd number of registers takes a whole network for each merge.
  const auto round = [](int64_t each) {
    int64_t unit = 1;
    while (each > 7 * unit) unit *= 2;
    return (each + unit - 1) / unit * unit;
  };
  for (int64_t team = 2; team <= lanes; team *= 2) {
    const int64_t each = round((n + team - 1) / team);
    if (each <= few || (team == lanes && each <= most)) return Spread{team, each};
  }
  return std::nullopt;
}

std::string item_text(Items items, Dtype t) {
  if (items == Items::Pairs) return kPairs;
  std::string text = are_narrow(items, t) ? kNarrow : kWide;
  text += items == Items::Keys ? kKeysAlone : items == Items::Packed ? kPackedPlaces : kPlacedPlaces;
  return text;
}

std::string sort_registers(const std::string& array, int64_t each) { return exchanges(array, 0, each); }

std::string merge_team(const std::string& array, int64_t each, const std::string& team) {
  return merge_lanes(array, each, team);
}

// Neighbouring runs of a team ascend. The lower half of both together are the lesser items of each and of the other's
// mirror image.
std::string sort_team(const std::string& array, int64_t each, const std::string& team) {
  std::string text = sort_registers(array, each) + "  for (uint run = 1u; run < " + team + "; run *= 2u) {\n" +
                     "    const bool low = (lane & run) == 0u;\n    const uint mirror = lane ^ (2u * run - 1u);\n";
  for (int64_t i = 0; 2 * i < each; ++i) {
    const int64_t j = each - 1 - i;
    text += "    {\n      const Item one = from_lane(" + at(array, j) + ", mirror)";
    if (i != j) text += ", other = from_lane(" + at(array, i) + ", mirror)";
    text += ";\n      " + at(array, i) + " = one_of(low, " + at(array, i) + ", one);\n";
    if (i != j) text += "      " + at(array, j) + " = one_of(low, " + at(array, j) + ", other);\n";
    text += "    }\n";
  }
  return text + merge_lanes(array, each, "run") + "  }\n";
}

}  // namespace frit::codegen::glsl
