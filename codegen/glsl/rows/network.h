// Sorting networks for shaders of routines along rows: comparisons between registers of an invocation, and between
// invocations that shuffle.
//
// An array of `each` registers in each of a team's lanes is one sequence, lane after lane. A team is a power of two of
// neighbouring lanes of a subgroup. Networks do not keep the order of equal items, so items that stand for elements
// hold their places, which makes all of them different.
#pragma once

#include <optional>
#include <string>

#include "codegen/glsl/routine.h"

namespace frit::codegen::glsl {

enum class Items : uint8_t {
  Keys,    // the key alone
  Packed,  // key and place in 16 bits each, for elements of up to 16 bits
  Placed,  // key and place in 32 bits each
  Pairs,   // a key of 64 bits and a place
};
// The items that hold the key of an element and its place.
Items items_with_places(Dtype type);
inline bool are_narrow(Items items, Dtype t) {
  return items == Items::Packed || (items == Items::Keys && t.size() < 8);
}
int64_t item_bytes(Items items, Dtype type);

// How a row of up to team * each elements is spread.
struct Spread {
  int64_t team, each;
};
// None where the row has more elements than the registers of a subgroup take.
std::optional<Spread> spread_row(int64_t n, Items items, Dtype type, int64_t lanes);
int64_t registers_of_row(Items items, Dtype type);  // those that rows of open lengths have

// Whether the device has what networks over lanes need.
bool has_networks(const runtime::GpuFeatures& features);

// Extensions that the text needs; the type Item, item_of(key, place), place_of, is_less, and the comparisons that the
// networks use. Follows kRowKeys. `lane` is the invocation's number in its subgroup, a global variable.
extern const char* const kNetworkExtensions;
std::string item_text(Items items, Dtype type);
// Statements that sort the array's registers of one invocation; that sort a team's sequence; that sort one whose items
// first ascend, then descend, or are a rotation of such a one. `team` is text.
std::string sort_registers(const std::string& array, int64_t each);
std::string sort_team(const std::string& array, int64_t each, const std::string& team);
std::string merge_team(const std::string& array, int64_t each, const std::string& team);

// Rows that fit a subgroup's registers, sorted in one launch; none for others. Rows of an open length have a form that
// suits some of them.
std::optional<Shader> sort_rows_by_network(const RoutineStep& step, bool positions);

}  // namespace frit::codegen::glsl
