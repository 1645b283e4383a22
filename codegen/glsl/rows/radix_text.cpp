// The text of the shaders that sort rows by digits.
#include "codegen/glsl/rows/radix.h"

#include "codegen/glsl/routine.h"

namespace frit::codegen::glsl {

// Equal digits of a subgroup find each other by a vote for each bit. The first of them counts all of them, for the
// elements that the subgroup takes next.
const char* const kRadixRanks =
    R"(const uint each = $EACH$u, tile = 256u * each, lanes = $LANES$u, teams = 256u / lanes;
shared uint room[$ROOM$];  // counters of subgroups, two in a word; then what moves
shared uint starts[256], sums[teams];
$WORD$ items[each];
uint ranks[each];  // the digit above 16 bits of the rank
$PLACES$uint lane = gl_SubgroupInvocationID, team = gl_SubgroupID, me = team * lanes + lane;
uint own = team * lanes * each + lane;
uint digit_of($WORD$ w, uint shift) { return uint($ORDER$ >> shift) & 255u; }
// The sum over invocations up to this one.
uint sum_to(uint v) {
  [[unroll]] for (uint h = 1u; h < lanes; h *= 2u) {
    const uint before = subgroupShuffle(v, lane >= h ? lane - h : lane);
    if (lane >= h) v += before;
  }
  if (lane == lanes - 1u) sums[team] = v;
  barrier();
  for (uint t = 0u; t < team; ++t) v += sums[t];
  return v;
}
// Elements from `count` on stay behind all others.
void rank_items(uint shift, uint count) {
  barrier();
  for (uint i = me; i < teams * 128u; i += 256u) room[i] = 0u;
  barrier();
  const uint earlier = (1u << lane) - 1u;
  uint same[each], before_all[each];
@for k $EACH$@  {
    const uint digit = own + @k@u * lanes < count ? digit_of(items[@k@], shift) : 255u;
    uint alike = 0xffffffffu >> (32u - lanes);
    [[unroll]] for (uint b = 0u; b < 8u; ++b) {
      const bool has = (digit >> b & 1u) != 0u;
      const uint votes = subgroupBallot(has).x;
      alike &= has ? votes : ~votes;
    }
    same[@k@] = alike;
    ranks[@k@] = digit;
  }
@end k@@for k $EACH$@  before_all[@k@] = 0u;
  if ((same[@k@] & earlier) == 0u)
    before_all[@k@] = atomicAdd(room[team * 128u + (ranks[@k@] >> 1u)], uint(bitCount(same[@k@])) << (ranks[@k@] & 1u) * 16u);
  subgroupBarrier();
@end k@@for k $EACH$@  {
    const uint before = subgroupShuffle(before_all[@k@], uint(findLSB(same[@k@]))) >> (ranks[@k@] & 1u) * 16u & 65535u;
    ranks[@k@] = ranks[@k@] << 16u | before + uint(bitCount(same[@k@] & earlier));
  }
@end k@  barrier();
  uint lower = 0u, both = 0u;
  if (me < 128u) {
    uint passed = 0u;
    [[unroll]] for (uint t = 0u; t < teams; ++t) {
      const uint counted = room[t * 128u + me];
      room[t * 128u + me] = passed;
      passed += counted;
    }
    lower = passed & 65535u;
    both = lower + (passed >> 16u);
  }
  const uint before = sum_to(both) - both;
  if (me < 128u) starts[2u * me] = before, starts[2u * me + 1u] = before + lower;
  barrier();
@for k $EACH$@  {
    const uint digit = ranks[@k@] >> 16u;
    ranks[@k@] += starts[digit] + (room[team * 128u + (digit >> 1u)] >> (digit & 1u) * 16u & 65535u);
  }
@end k@}
)";

const char* const kRadixTile = R"(void main() {
  const uint n = uint(args.n), skipped = n - uint(args.wanted);
  const uint64_t row = this_group();
  if (row >= uint64_t(args.rows)) return;
  const uint64_t base = args.x + uint64_t(first_of(row)) * $SIZE$UL;
@for k $EACH$@  items[@k@] = $WORD$(Element(base + uint64_t(int64_t(min(own + @k@u * lanes, n - 1u)) * args.stride) * $SIZE$UL).data);
@end k@$KEYS$$FIRST_PLACES$  for (uint shift = 0u; shift < $BITS$u; shift += 8u) {
    rank_items(shift, n);
$MOVE$  }
@for k $EACH$@  {
    const uint k = @k@u, i = own + @k@u * lanes;
    const uint64_t to = row * uint64_t(args.wanted) + uint64_t(i - skipped);
    if (i < n && i >= skipped) {
$STORE$    }
  }
@end k@}
)";

const char* const kRadixOwn = R"(  uint64_t words[2], places[2], counts, totals;
  int64_t tiles, turn, turns;
)";

const char* const kRadixLong = R"(shared uint moved[256];
// Exclusive sums of a digit's counts over the tiles of a row, and their total.
void add_counts() {
  const uint64_t group = this_group(), groups = uint64_t(gl_NumWorkGroups.x) * uint64_t(gl_NumWorkGroups.y);
  const uint tiles = uint(args.tiles);
  if (tiles <= 32u) {
    for (uint64_t row = group; row < uint64_t(args.rows); row += groups) {
      const uint64_t counts = args.counts + (row * 256UL + uint64_t(me)) * uint64_t(tiles) * 4UL;
      uint passed = 0u;
      for (uint begin = 0u; begin < tiles; begin += 8u) {
        uint counted[8];
        [[unroll]] for (uint k = 0u; k < 8u; ++k)
          counted[k] = Place(counts + uint64_t(min(begin + k, tiles - 1u)) * 4UL).data;
        [[unroll]] for (uint k = 0u; k < 8u; ++k)
          if (begin + k < tiles) {
            Place(counts + uint64_t(begin + k) * 4UL).data = passed;
            passed += counted[k];
          }
      }
      Place(args.totals + (row * 256UL + uint64_t(me)) * 4UL).data = passed;
    }
    return;
  }
  for (uint64_t digit = group; digit < uint64_t(args.rows) * 256UL; digit += groups) {
    const uint64_t counts = args.counts + digit * uint64_t(tiles) * 4UL;
    uint passed = 0u;
    for (uint begin = 0u; begin < tiles; begin += 2048u) {
      const uint at = begin + me * 8u;
      uint counted[8], sum = 0u;
      [[unroll]] for (uint k = 0u; k < 8u; ++k) {
        counted[k] = Place(counts + uint64_t(min(at + k, tiles - 1u)) * 4UL).data;
        sum += at + k < tiles ? counted[k] : 0u;
      }
      barrier();
      uint before = sum_to(sum);
      if (me == 255u) starts[0] = before;
      barrier();
      before += passed - sum;
      [[unroll]] for (uint k = 0u; k < 8u; ++k) {
        if (at + k < tiles) Place(counts + uint64_t(at + k) * 4UL).data = before;
        before += counted[k];
      }
      passed += starts[0];
    }
    if (me == 0u) Place(args.totals + digit * 4UL).data = passed;
  }
}
void main() {
  const uint n = uint(args.n), tiles = uint(args.tiles), digit_number = uint(args.turn) / 3u;
  const uint phase = uint(args.turn) - digit_number * 3u, shift = digit_number * 8u;
  if (phase == 1u) {
    add_counts();
    return;
  }
  const uint64_t group = this_group(), row = quotient(group, uint64_t(tiles));
  if (row >= uint64_t(args.rows)) return;
  const uint number = uint(group - row * uint64_t(tiles)), first = number * tile, count = min(tile, n - first);
  const uint64_t base = args.x + uint64_t(first_of(row)) * $SIZE$UL, dense = row * uint64_t(n);
  const uint64_t digit = row * 256UL + uint64_t(me), counter = args.counts + (digit * uint64_t(tiles) + number) * 4UL;
  if (digit_number == 0u) {
@for k $EACH$@    items[@k@] = $WORD$(Element(base + uint64_t(int64_t(min(first + own + @k@u * lanes, n - 1u)) * args.stride) * $SIZE$UL).data);
@end k@$KEYS$  } else {
    const uint64_t source = args.words[digit_number - 1u & 1u] + dense * $WORD_BYTES$UL;
@for k $EACH$@    items[@k@] = Word(source + uint64_t(min(first + own + @k@u * lanes, n - 1u)) * $WORD_BYTES$UL).data;
@end k@  }
  if (phase == 0u) {
    for (uint i = me; i < 2048u; i += 256u) room[i] = 0u;
    barrier();
@for k $EACH$@    if (own + @k@u * lanes < count) atomicAdd(room[(me >> 5u) * 256u + digit_of(items[@k@], shift)], 1u);
@end k@    barrier();
    uint sum = 0u;
    [[unroll]] for (uint t = 0u; t < 8u; ++t) sum += room[t * 256u + me];
    Place(counter).data = sum;
    return;
  }
$PLACE$  const uint total = Place(args.totals + digit * 4UL).data, before = Place(counter).data;
  rank_items(shift, count);
  moved[me] = sum_to(total) - total + before - starts[me];
$MOVE$  const bool last = args.turn + 1L == args.turns;
  const uint skipped = n - uint(args.wanted);
@for k $EACH$@  {
    const uint k = @k@u, i = me + @k@u * 256u;
    if (i < count) {
      const uint at = moved[digit_of(items[@k@], shift)] + i;
      if (!last) {
        const uint64_t to = dense + uint64_t(at);
$PUT$      } else if (at >= skipped) {
        const uint64_t to = row * uint64_t(args.wanted) + uint64_t(at - skipped);
$STORE$      }
    }
  }
@end k@}
)";

// Words of 64 bits move in halves, as shared memory is scarce.
std::string radix_move(const std::string& array, bool wide, const std::string& at) {
  const auto move = [&](const std::string& from, const std::string& to) {
    return "    barrier();\n@for k $EACH$@    room[ranks[@k@] & 65535u] = " + from +
           ";\n@end k@    barrier();\n@for k $EACH$@    " + to + " = room[" + at + "];\n@end k@";
  };
  const std::string item = array + "[@k@]";
  if (!wide) return move(item, item);
  return "    {\n    uint low[each], high[each];\n" + move("uint(" + item + ")", "low[@k@]") +
         move("uint(" + item + " >> 32)", "high[@k@]") + "@for k $EACH$@    " + item +
         " = uint64_t(high[@k@]) << 32 | uint64_t(low[@k@]);\n@end k@    }\n";
}

}  // namespace frit::codegen::glsl
