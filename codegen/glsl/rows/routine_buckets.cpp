// The shaders of `buckets`: positions grouped by the number that lies there (ir/routines/buckets.cpp).
//
// Of few positions, each workgroup reads the numbers of all and puts down those of its own destinations
// (codegen/glsl/rows/buckets_ranges.h). Of more, four launches follow one another: positions arrive at the counters of
// their numbers, in any order; counters are added up; each position is put down where its group and its arrival say;
// and a position's rank in its group is the number of members below it, so that the result does not depend on the
// arrivals. Groups of many members are sorted by a workgroup each: it marks members in a map of bits in shared memory,
// some thousands of positions at a time.
//
// Where many positions would wait for each other at few counters, or go all over memory, they are sorted by the digits
// of their numbers instead, and the beginnings and ends of equal ones are found in the order.
#include "codegen/glsl/rows/buckets_ranges.h"
#include "codegen/glsl/rows/rows.h"
#include "ir/routines/buckets.h"

namespace frit::codegen::glsl {

namespace {

using Form = runtime::RoutineForm;

// Members up to which the shader of ranges compares those of a group, and groups of a workgroup that may have more.
constexpr int64_t kLight = 256, kHeavy = kRangedPositions / kLight;
// Positions that counters group: as many as stay in a cache together, more of them where numbers have a third digit, by
// which they would be sorted too, and of a number in the mean.
constexpr int64_t kCounted = int64_t{1} << 19, kThirdDigit = int64_t{1} << 16, kCountedOfThree = int64_t{1} << 21,
                  kMostOfNumber = 64;
// Members from which on a group is never ranked by comparisons, and up to which it always is.
constexpr int64_t kAlwaysMarked = 4096, kAlwaysCompared = 512;

constexpr const char* kHead = R"($EXTENSIONS$layout(local_size_x = 256) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Place { uint data; };
layout(push_constant, std430) uniform Arguments {
  uint64_t numbers, order, starts, counts, list, arrivals, marked;
  int64_t n, below, turn;
} args;
uint me = gl_LocalInvocationIndex, group = flat_group();
uint get(uint64_t from, uint i) { return Place(from + uint64_t(i) * 4UL).data; }
uint number_of(uint i) { return Place(args.numbers + uint64_t(i) * $NUMBER_BYTES$UL).data; }
void put(uint64_t to, uint i, uint value) { Place(to + uint64_t(i) * 4UL).data = value; }
)";

constexpr const char* kArriveAlone = R"(uint arrive(uint number, bool exists) {
  return exists ? atomicAdd(Place(args.counts + uint64_t(number) * 4UL).data, 1u) : 0u;
}
)";
// Equal numbers of a subgroup arrive together, as long as the first one that is left has some.
constexpr const char* kArriveTogether = R"(uint arrive(uint number, bool exists) {
  const uint lane = gl_SubgroupInvocationID, own = 1u << lane;
  uint left = subgroupBallot(exists).x, arrival = 0u;
  for (uint round = 0u; round < 4u && left != 0u; ++round) {
    const uint first = uint(findLSB(left)), wanted = subgroupShuffle(number, first);
    const uint alike = subgroupBallot(number == wanted).x & left, count = uint(bitCount(alike));
    if (count < 4u) break;
    uint before = 0u;
    if (lane == first) before = atomicAdd(Place(args.counts + uint64_t(wanted) * 4UL).data, count);
    before = subgroupShuffle(before, first);
    if ((alike & own) != 0u) arrival = before + uint(bitCount(alike & (own - 1u)));
    left &= ~alike;
  }
  if ((left & own) != 0u) arrival = atomicAdd(Place(args.counts + uint64_t(number) * 4UL).data, 1u);
  return arrival;
}
)";

constexpr const char* kGroup = R"(shared uint bits[1024], sums[256], first;
// The sum over invocations up to this one.
uint sum_to(uint v) {
  barrier();
  sums[me] = v;
  barrier();
  for (uint h = 1u; h < 256u; h *= 2u) {
    const uint before = me >= h ? sums[me - h] : 0u;
    barrier();
    v += before;
    sums[me] = v;
    barrier();
  }
  return v;
}
uint most_compared() { return clamp(uint(args.n) >> 8u, $COMPARED$u, $MARKED$u); }
void add_counts() {
  const uint below = uint(args.below), at = group * 1024u + me * 4u;
  uint count[4], sum = 0u;
  [[unroll]] for (uint k = 0u; k < 4u; ++k) count[k] = get(args.counts, min(at + k, below - 1u));
  [[unroll]] for (uint k = 0u; k < 4u; ++k) {
    if (at + k >= below) count[k] = 0u;
    sum += count[k];
  }
  uint to = sum_to(sum) - sum;
  if (me == 255u) first = atomicAdd(Place(args.counts + uint64_t(below) * 4UL).data, to + sum);
  barrier();
  to += first;
  [[unroll]] for (uint k = 0u; k < 4u; ++k)
    if (at + k < below) {
      put(args.starts, at + k, to);
      to += count[k];
      if (count[k] > most_compared())
        put(args.marked, atomicAdd(Place(args.counts + uint64_t(below + 1u) * 4UL).data, 1u), at + k);
    }
}
// Sorts the members of a group by marks.
void mark(uint number) {
  const uint start = get(args.starts, number), count = get(args.counts, number);
  uint placed = 0u;
  for (uint low = 0u; placed < count; low += 32768u) {
    barrier();
    [[unroll]] for (uint k = 0u; k < 4u; ++k) bits[me * 4u + k] = 0u;
    barrier();
    for (uint i = me; i < count; i += 1024u) {
      uint member[4];
      [[unroll]] for (uint k = 0u; k < 4u; ++k) member[k] = get(args.list, start + min(i + k * 256u, count - 1u));
      [[unroll]] for (uint k = 0u; k < 4u; ++k)
        if (member[k] - low < 32768u) atomicOr(bits[member[k] - low >> 5u], 1u << (member[k] & 31u));
    }
    barrier();
    uint sum = 0u;
    [[unroll]] for (uint k = 0u; k < 4u; ++k) sum += uint(bitCount(bits[me * 4u + k]));
    uint to = start + placed + sum_to(sum) - sum;
    placed += sums[255];
    [[unroll]] for (uint k = 0u; k < 4u; ++k)
      for (uint word = bits[me * 4u + k]; word != 0u; word &= word - 1u)
        put(args.order, to++, low + (me * 4u + k) * 32u + uint(findLSB(word)));
  }
}
void rank(uint p) {
  const uint u = get(args.list, p), number = number_of(u);
  const uint start = get(args.starts, number), count = get(args.counts, number), end = start + count;
  if (count > most_compared()) return;
  uint before = 0u;
  if (count > 1u)
    for (uint q = start; q < end; q += 4u) {
      uint member[4];
      [[unroll]] for (uint k = 0u; k < 4u; ++k) member[k] = get(args.list, min(q + k, end - 1u));
      [[unroll]] for (uint k = 0u; k < 4u; ++k) before += q + k < end && member[k] < u ? 1u : 0u;
    }
  put(args.order, start + before, u);
}
void main() {
  const uint n = uint(args.n), turn = uint(args.turn), i = group * 256u + me;
  if (turn == 0u) {
    const uint arrival = arrive(number_of(min(i, n - 1u)), i < n);
    if (i < n) put(args.arrivals, i, arrival);
  } else if (turn == 1u) {
    if (group * 1024u < uint(args.below)) add_counts();
  } else if (turn == 2u) {
    if (i < n) put(args.list, get(args.starts, number_of(i)) + get(args.arrivals, i), i);
  } else {
    if (i < n) rank(i);
    const uint marked = get(args.counts, uint(args.below) + 1u), groups = gl_NumWorkGroups.x * gl_NumWorkGroups.y;
    for (uint m = group; m < marked; m += groups) mark(get(args.marked, m));
  }
}
)";

// Of positions in order: a group begins and ends where neighbours have other numbers.
constexpr const char* kBounds = R"(// The keys lie where other forms have their list.
uint sorted(uint i) { return Place(args.list + uint64_t(i) * $NUMBER_BYTES$UL).data ^ $SIGN$u; }
void main() {
  const uint n = uint(args.n), below = uint(args.below), i = group * 256u + me;
  if (args.turn == 0L) {
    if (i >= n) return;
    const uint number = sorted(i), before = sorted(max(i, 1u) - 1u);
    if (i == 0u || number != before) put(args.starts, number, i);
    if (i != 0u && number != before) put(args.counts, before, i);
    if (i + 1u == n) put(args.counts, number, n);
  } else if (i < below) {
    const uint end = get(args.counts, i), start = get(args.starts, i);
    if (end != 0u) put(args.counts, i, end - start);
  }
}
)";

const Dim kPositions = form_number(0, Form::kColumns), kBelow = form_number(3, Form::kColumns),
          kMemory = form_number(Form::scratch_slot(5, 0));

Form buckets_form(const RoutineStep& s, const Dim& list) {
  Form form;
  form.step = static_cast<uint32_t>(s.number);
  form.windows = 5;
  form.own = {1, 1, 1, 1, 1};
  std::vector<Dim> arguments;
  for (const size_t w : {0, 2, 3, 4}) arguments.push_back(form_number(w, Form::kAddress));
  for (const Dim& d : {list, kMemory + kPositions * Dim(4), kMemory + kPositions * Dim(8), kPositions, kBelow,
                       form_number(Form::turn_slot(5))})
    arguments.push_back(d);
  for (const Dim& d : arguments) form.arguments.push_back(form_program(d));
  // Positions and numbers are counted in 32 bits.
  for (const Dim& d : {kPositions, kBelow}) form.suited.push_back(form_program(max(d - Dim(kMostRow), 0)));
  return form;
}

Dim counted(const Dim& below) {
  const Dim third = min(max(below - Dim(kThirdDigit), 0), 1);
  return Dim(kCounted) + third * Dim(kCountedOfThree - kCounted);
}

Result<std::vector<Shader>> emit_buckets(const RoutineStep& s) {
  std::vector<Shader> shaders;
  if (!has_rows_of(s.step.dtypes[0], s.features)) return shaders;
  const bool votes = sorts_by_radix(s.features);
  const std::map<std::string, std::string> words{
      {"EXTENSIONS", votes ? "#extension GL_KHR_shader_subgroup_basic : require\n"
                             "#extension GL_KHR_shader_subgroup_ballot : require\n"
                             "#extension GL_KHR_shader_subgroup_shuffle : require\n"
                           : ""},
      {"NUMBER_BYTES", std::to_string(s.step.dtypes[0].size())},
      {"SIGN", s.step.dtypes[0].size() == 4 ? "0x80000000" : "0"},
      {"RANGE", std::to_string(kRangeDestinations)},
      {"LIGHT", std::to_string(kLight)},
      {"HEAVY", std::to_string(kHeavy)},
      {"COMPARED", std::to_string(kAlwaysCompared)},
      {"MARKED", std::to_string(kAlwaysMarked)}};
  const auto text = [&](const std::string& body) { return fill(kHead + body, words); };
  const auto n = known(s.step.operands[0].layout.shape[0]), below = known(s.step.results[1].layout.shape[0]);
  const auto ranges = [](const Dim& destinations) {
    return max(ceil_div(destinations, kRangeDestinations), min(destinations, kRangeGroups));
  };
  Form few = buckets_form(s, kMemory);
  few.suited.push_back(form_program(max(kPositions - Dim(kRangedPositions), 0)));
  few.suited.push_back(form_program(max(kPositions * ranges(kBelow) - Dim(kRangeReads), 0)));
  few.groups = form_program(ranges(kBelow));
  shaders.push_back(row_shader(s, "_ranges", text(kBucketRanges), std::move(few)));
  if (n && below && *n <= kRangedPositions && *n * ranges(Dim(*below)).value() <= kRangeReads) return shaders;
  Form many = buckets_form(s, kMemory);
  many.groups =
      form_program(max(ceil_div(kPositions, int64_t{kRowThreads}), ceil_div(kBelow, 4 * int64_t{kRowThreads})));
  many.turns = DimProgram(4);
  many.scratch = {form_program(kPositions * Dim(8) + (floor_div(kPositions, kAlwaysCompared) + Dim(1)) * Dim(4))};
  if (votes)
    for (const Dim& most : {counted(kBelow), kBelow * Dim(kMostOfNumber)})
      many.suited.push_back(form_program(max(kPositions - most, 0)));
  shaders.push_back(
      row_shader(s, "_groups", text(std::string(votes ? kArriveTogether : kArriveAlone) + kGroup), std::move(many)));
  if (!votes || (n && below && *n <= counted(*below).value() && *n <= kMostOfNumber * *below)) return shaders;
  Form sorted = buckets_form(s, kMemory),
       bounds = buckets_form(s, radix_keys(s.step.dtypes[0], kMemory, kPositions, kBelow));
  sorted.joined = true;
  shaders.push_back(radix_positions(s, std::move(sorted), kPositions, kBelow));
  bounds.groups = form_program(ceil_div(max(kPositions, kBelow), int64_t{kRowThreads}));
  bounds.turns = DimProgram(2);
  shaders.push_back(row_shader(s, "_bounds", text(kBounds), std::move(bounds)));
  return shaders;
}

const RegisterRoutineShaders shaders("buckets", emit_buckets);

}  // namespace

}  // namespace frit::codegen::glsl
