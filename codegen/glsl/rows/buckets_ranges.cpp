// A workgroup takes some neighbouring destinations and reads the numbers of all positions: it counts those of its own,
// and those of earlier destinations, which tell where its groups begin. Then it reads the numbers again and puts down
// the positions of its groups. Nothing passes between workgroups, so one launch does it: more of them would take longer
// than the readings of some thousands of positions, which come from the cache.
//
// Members of a group arrive in shared memory in any order, and are ranked by comparisons. Where the groups find no room
// there together, they go some at a time. Groups of many members are sorted by marks in a map of bits.
#include "codegen/glsl/rows/buckets_ranges.h"

namespace frit::codegen::glsl {

const char* const kBucketRanges = R"(const uint kRoom = 2048u;  // members in shared memory
shared uint start[$RANGE$ + 1], light[$RANGE$ + 1], arrived[$RANGE$], room[kRoom], heavy[$HEAVY$];
shared uvec2 sums[256];
shared uint earlier, heavies;
// The sum over invocations up to this one.
uvec2 sum_to(uvec2 v) {
  barrier();
  sums[me] = v;
  barrier();
  for (uint h = 1u; h < 256u; h *= 2u) {
    const uvec2 before = me >= h ? sums[me - h] : uvec2(0u);
    barrier();
    v += before;
    sums[me] = v;
    barrier();
  }
  return v;
}
// Numbers of eight positions from i on, 256 apart; those behind the last position are its own.
void read(uint i, out uint got[8]) {
  [[unroll]] for (uint k = 0u; k < 8u; ++k) got[k] = number_of(min(i + k * 256u, uint(args.n) - 1u));
}
// Sorts the members of a group by marks.
void mark(uint first, uint d) {
  const uint n = uint(args.n), end = start[d + 1u];
  uint got[8], placed = start[d];
  for (uint low = 0u; low < n && placed < end; low += 32768u) {
    barrier();
    [[unroll]] for (uint k = 0u; k < 4u; ++k) room[me * 4u + k] = 0u;
    barrier();
    for (uint i = low + me; i < min(low + 32768u, n); i += 2048u) {
      read(i, got);
      [[unroll]] for (uint k = 0u; k < 8u; ++k) {
        const uint position = i + k * 256u;
        if (position < n && got[k] == first + d) atomicOr(room[position - low >> 5u], 1u << (position & 31u));
      }
    }
    barrier();
    uint sum = 0u;
    [[unroll]] for (uint k = 0u; k < 4u; ++k) sum += uint(bitCount(room[me * 4u + k]));
    uint to = placed + sum_to(uvec2(sum, 0u)).x - sum;
    placed += sums[255].x;
    [[unroll]] for (uint k = 0u; k < 4u; ++k)
      for (uint word = room[me * 4u + k]; word != 0u; word &= word - 1u)
        put(args.order, to++, low + (me * 4u + k) * 32u + uint(findLSB(word)));
  }
}
// Puts down the positions of the groups from..to - 1, which find room together.
void place(uint first, uint from, uint to) {
  const uint n = uint(args.n), begin = light[from], members = light[to] - begin;
  uint got[8];
  barrier();
  for (uint i = me; i < n; i += 2048u) {
    read(i, got);
    [[unroll]] for (uint k = 0u; k < 8u; ++k) {
      const uint d = got[k] - first;
      if (i + k * 256u >= n || d < from || d >= to || light[d + 1u] == light[d]) continue;
      room[light[d] - begin + atomicAdd(arrived[d], 1u)] = i + k * 256u | d << 17u;
    }
  }
  barrier();
  for (uint m = me; m < members; m += 256u) {
    const uint own = room[m], d = own >> 17u;
    uint before = 0u;
    for (uint q = light[d] - begin; q < light[d + 1u] - begin; ++q) before += room[q] < own ? 1u : 0u;
    put(args.order, start[d] + before, own & 0x1ffffu);
  }
}
void main() {
  const uint n = uint(args.n), below = uint(args.below), groups = gl_NumWorkGroups.x * gl_NumWorkGroups.y;
  const uint each = (below + groups - 1u) / groups, first = group * each;
  if (first >= below) return;
  const uint size = min(each, below - first);
  uint got[8], count[4], less = 0u;
  for (uint d = me; d < size; d += 256u) arrived[d] = 0u;
  if (me == 0u) earlier = 0u, heavies = 0u;
  barrier();
  for (uint i = me; i < n; i += 2048u) {
    read(i, got);
    [[unroll]] for (uint k = 0u; k < 8u; ++k) {
      if (i + k * 256u >= n) continue;
      less += got[k] < first ? 1u : 0u;
      if (got[k] - first < size) atomicAdd(arrived[got[k] - first], 1u);
    }
  }
  if (less != 0u) atomicAdd(earlier, less);
  barrier();
  // Members of all of an invocation's four groups, and of those that are ranked by comparisons.
  uvec2 sum = uvec2(0u);
  [[unroll]] for (uint k = 0u; k < 4u; ++k) {
    const uint d = me * 4u + k;
    count[k] = d < size ? arrived[d] : 0u;
    sum += uvec2(count[k], count[k] <= $LIGHT$u ? count[k] : 0u);
  }
  uvec2 to = sum_to(sum) - sum + uvec2(earlier, 0u);
  [[unroll]] for (uint k = 0u; k < 4u; ++k) {
    const uint d = me * 4u + k;
    if (d < size) {
      start[d] = to.x, light[d] = to.y, arrived[d] = 0u;
      put(args.starts, first + d, to.x);
      put(args.counts, first + d, count[k]);
      to += uvec2(count[k], count[k] <= $LIGHT$u ? count[k] : 0u);
      if (count[k] > $LIGHT$u) heavy[atomicAdd(heavies, 1u)] = d;
    }
  }
  if (me == 0u) start[size] = sums[255].x + earlier, light[size] = sums[255].y;
  barrier();
  for (uint h = 0u; h < heavies; ++h) mark(first, heavy[h]);
  for (uint from = 0u, next; from < size && light[from] < light[size]; from = next) {
    // The last group up to which there is room: a group alone always has some.
    uint past = size + 1u;
    next = from + 1u;
    while (past - next > 1u) {
      const uint middle = (next + past) / 2u;
      if (light[middle] - light[from] <= kRoom)
        next = middle;
      else
        past = middle;
    }
    place(first, from, next);
  }
}
)";

}  // namespace frit::codegen::glsl
