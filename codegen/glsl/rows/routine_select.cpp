// The shaders of `partition`, `argpartition` and `topk`.
//
// A workgroup finds the key of one rank among the elements of a row, or of a part of it, without sorting: it counts the
// values of the keys' highest eight bits, then those of the next eight bits among the elements that share the first,
// and so on. Which of the equal elements has the rank follows from their order. Then every element's place among those
// on its side is a count of the elements in front of it.
//
// Few long rows would leave most of a GPU idle: `partition` sorts those, and takes the element of the rank from there.
//
// `topk` selects the k largest of each part of a row, then of those, until what is left is sorted in one tile.
#include "codegen/glsl/rows/rows.h"

namespace frit::codegen::glsl {

namespace {

constexpr int64_t kPart = 8192;                 // elements that a workgroup of topk selects from
constexpr int64_t kFewRows = 32;                // rows that are too few for a workgroup each,
constexpr int64_t kLongRow = int64_t{1} << 16;  // if they are longer than this
constexpr int64_t kSides = 2048;                // elements that a workgroup puts on their sides

constexpr const char* kOwn = R"(  uint64_t kept[2];
  int64_t turn, kth;
)";

// Words BEGIN (row, first element, and `m` elements from an address on), RANK and STORE.
constexpr const char* kText = R"(const uint tile = $TILE$, each = tile / 256u;
shared uint histogram[256], sums[256], chosen[2];
shared $WORD$ staged[tile];
uint64_t base;
int64_t stride;
$WORD$ element(uint i) { return $WORD$(Element(base + uint64_t(int64_t(i) * stride) * $SIZE$UL).data); }
void main() {
  const uint me = gl_LocalInvocationIndex;
$BEGIN$  // The key of that rank, and its rank among the elements of that key.
  const uint rank = $RANK$;
  $WORD$ key = 0$U$, mask = 0$U$;
  uint among = rank;
  for (int shift = $BITS$ - 8; shift >= 0; shift -= 8) {
    histogram[me] = 0u;
    barrier();
    // Loads behind no branch are on their way together.
    for (uint first = me; first < m; first += 256u * each) {
      $WORD$ words[each];
      [[unroll]] for (uint k = 0u; k < each; ++k) words[k] = element(min(first + k * 256u, m - 1u));
      [[unroll]] for (uint k = 0u; k < each; ++k) {
        const $WORD$ own = key_of(words[k]);
        if (first + k * 256u < m && (own & mask) == key) atomicAdd(histogram[uint(own >> shift) & 255u], 1u);
      }
    }
    barrier();
    const uint count = histogram[me];
    sums[me] = count;
    for (uint step = 1u; step < 256u; step *= 2u) {
      barrier();
      const uint more = me >= step ? sums[me - step] : 0u;
      barrier();
      sums[me] += more;
    }
    const uint after = sums[me], before = after - count;
    if (among >= before && among < after) chosen[0] = me, chosen[1] = among - before;
    barrier();
    key |= $WORD$(chosen[0]) << shift;
    mask |= $WORD$(255u) << shift;
    among = chosen[1];
    barrier();
  }
  // A tile at a time, which is read along the row. Counts of lower elements are in the lower half of a number, those of
  // equal ones in the upper half.
  uint lower_before = 0u, equal_before = 0u;
  for (uint first_in_tile = 0u; first_in_tile < m; first_in_tile += tile) {
    const uint count = min(tile, m - first_in_tile);
    $WORD$ words[each];
    [[unroll]] for (uint k = 0u; k < each; ++k) words[k] = element(first_in_tile + min(me + k * 256u, count - 1u));
    [[unroll]] for (uint k = 0u; k < each; ++k) staged[bank(me + k * 256u)] = words[k];
    barrier();
    uint own_counts = 0u;
    [[unroll]] for (uint k = 0u; k < each; ++k) {
      const uint at = me * each + k;
      words[k] = staged[bank(at)];
      const $WORD$ own = key_of(words[k]);
      if (at < count) own_counts += own < key ? 1u : own == key ? 65536u : 0u;
    }
    uint counts = own_counts;
    sums[me] = counts;
    for (uint step = 1u; step < 256u; step *= 2u) {
      barrier();
      const uint more = me >= step ? sums[me - step] : 0u;
      barrier();
      counts += more;
      sums[me] = counts;
    }
    barrier();
    const uint all = sums[255];
    counts -= own_counts;
    uint lower = lower_before + (counts & 65535u), equal = equal_before + (counts >> 16u);
    [[unroll]] for (uint k = 0u; k < each; ++k) {
      const uint i = first_in_tile + me * each + k;
      const $WORD$ word = words[k], own = key_of(word);
      if (me * each + k < count) {
        const uint fronts = lower + min(equal, among);  // in front of this one
        const bool front = own < key || (own == key && equal < among);
        const bool itself = own == key && equal == among;
$STORE$        if (own < key) ++lower;
        if (own == key) ++equal;
      }
    }
    lower_before += all & 65535u;
    equal_before += all >> 16u;
    barrier();
  }
}
)";

constexpr const char* kBeginRow = R"(  const uint64_t row = this_group();
  if (row >= uint64_t(args.rows)) return;
  const uint m = uint(args.n);
  base = args.x + uint64_t(first_of(row)) * $SIZE$UL;
  stride = args.stride;
)";
constexpr const char* kStoreSides = R"(    const uint behind = i - fronts - (equal > among ? 1u : 0u);
    const uint64_t to = row * uint64_t(m) + uint64_t(front ? fronts : itself ? rank : rank + 1u + behind);
)";
constexpr const char* kStoreElement = "    Element(args.result + to * $SIZE$UL).data = $STORAGE$(word);\n";
constexpr const char* kStorePlace = "    Place(args.result + to * 4UL).data = i;\n";

// Parts of the row, or of what the last turn kept of it.
constexpr const char* kBeginPart = R"(  const uint part = $PART$, k = $K$;
  uint n = $N$;
  for (int turn = 0; turn < int(args.turn); ++turn) n = n / part * k + min(n % part, k);
  const uint parts = (n + part - 1u) / part, kept = n / part * k + min(n % part, k);
  const uint64_t group = this_group(), row = quotient(group, uint64_t(parts));
  if (row >= uint64_t(args.rows)) return;
  const uint number = uint(group - row * uint64_t(parts)), first = number * part, m = min(part, n - first);
  if (args.turn == 0L) {
    stride = args.stride;
    base = args.x + uint64_t(first_of(row) + int64_t(first) * stride) * $SIZE$UL;
  } else {
    stride = 1L;
    base = args.kept[int(args.turn + 1L & 1L)] + (row * uint64_t(n) + uint64_t(first)) * $SIZE$UL;
  }
  const uint64_t target = args.kept[int(args.turn & 1L)] + (row * uint64_t(kept) + uint64_t(number * k)) * $SIZE$UL;
)";
constexpr const char* kStoreKept =
    "    if (!front) Element(target + uint64_t(i - fronts) * $SIZE$UL).data = $STORAGE$(word);\n";

// Puts the elements of a sorted row on their sides. Words FRONTS, what is done with the number of elements in front.
constexpr const char* kSidesOwn = R"(  uint64_t words, places, counts;
  int64_t kth, tiles;
)";
constexpr const char* kSidesText = R"(const uint each = $SIDES$ / 256;
shared uint sums[256];
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Counts { uint data; };
// Inclusive sums over the workgroup.
void add_up(uint me, uint own) {
  sums[me] = own;
  for (uint step = 1u; step < 256u; step *= 2u) {
    barrier();
    const uint more = me >= step ? sums[me - step] : 0u;
    barrier();
    sums[me] += more;
  }
  barrier();
}
void main() {
  const uint me = gl_LocalInvocationIndex, n = uint(args.n), kth = uint(args.kth);
  const uint64_t group = this_group(), row = quotient(group, uint64_t(args.tiles));
  if (row >= uint64_t(args.rows)) return;
  const uint number = uint(group - row * uint64_t(args.tiles)), begin = number * $SIDES$ + me * each;
  const uint64_t sorted = row * uint64_t(n) + uint64_t(kth), base = args.x + uint64_t(first_of(row)) * $SIZE$UL;
  const $WORD$ key = Word(args.words + sorted * $WORD_BYTES$UL).data;
  const uint place = Place(args.places + sorted * 4UL).data;
  $WORD$ words[each];
  uint fronts = 0u;
  [[unroll]] for (uint k = 0u; k < each; ++k) {
    const uint i = begin + k;
    words[k] = i < n ? $WORD$(Element(base + uint64_t(int64_t(i) * args.stride) * $SIZE$UL).data) : 0$U$;
    const $WORD$ own = key_of(words[k]);
    if (i < n && (own < key || (own == key && i < place))) ++fronts;
  }
$FRONTS$}
)";
constexpr const char* kCountFronts = R"(  add_up(me, fronts);
  if (me == 0u) Counts(args.counts + group * 4UL).data = sums[255];
)";
constexpr const char* kPlaceSides = R"(  uint before = 0u;
  for (uint i = me; i < number; i += 256u) before += Counts(args.counts + (group - uint64_t(number - i)) * 4UL).data;
  add_up(me, before);
  const uint in_tiles = sums[255];
  barrier();
  add_up(me, fronts);
  uint passed = in_tiles + sums[me] - fronts;
  [[unroll]] for (uint k = 0u; k < each; ++k) {
    const uint i = begin + k;
    const $WORD$ word = words[k], own = key_of(word);
    if (i < n) {
      const bool front = own < key || (own == key && i < place);
      const uint behind = i - passed - (i > place ? 1u : 0u);
      const uint64_t to = row * uint64_t(n) + uint64_t(front ? passed : i == place ? kth : kth + 1u + behind);
$STORE$      if (front) ++passed;
    }
  }
)";

std::string text_of(Dtype t, const std::map<std::string, std::string>& own) {
  auto words = row_words(t);
  words["TILE"] = std::to_string(sorted_tile(t)) + "u";
  return fill(fill(fill(std::string(kRowHead) + kRowKeys + kRowBank + kText, {{"OWN", kOwn}}), own), words);
}

Dim kth_of(const RoutineStep& s) {
  const Dim kth = s.step.attrs.get_dim("kth");
  return kth.is_const() ? kth : form_number(runtime::RoutineForm::attribute_slot(2, 0));
}

Shader select_rows(const RoutineStep& s, bool positions) {
  RowForm f(s);
  f.operand();
  for (const Dim& d : {Dim(0), Dim(0), Dim(0)}) f.argument(d);
  f.argument(kth_of(s));
  f.form.groups = form_program(f.rows * min(f.n, 1));
  f.at_most(f.n, kMostRow);
  const std::string store = std::string(kStoreSides) + (positions ? kStorePlace : kStoreElement);
  const std::string text =
      text_of(s.step.dtypes[0], {{"BEGIN", kBeginRow}, {"RANK", "uint(args.kth)"}, {"STORE", store}});
  return row_shader(s, "_select", text, std::move(f.form));
}

void sort_for_sides(const RoutineStep& s, bool positions, std::vector<Shader>& shaders) {
  const Dtype t = s.step.dtypes[0];
  sort_long_rows(s, SortedAs::KeptPairs, shaders);
  for (const bool places : {false, true}) {
    RowForm f(s);
    const Dim tiles = ceil_div(f.n, kSides), half = kept_half(s);
    f.operand();
    f.argument(sorted_words(f, t, half));
    f.argument(sorted_places(f, t, half));
    f.argument(form_number(runtime::RoutineForm::scratch_slot(2, 1)));
    f.argument(kth_of(s));
    f.argument(tiles);
    f.form.groups = form_program(f.rows * tiles);
    f.form.joined = !places;
    const std::string text =
        fill(std::string(kRowHead) + kRowKeys + kSidesText,
             {{"OWN", kSidesOwn}, {"FRONTS", places ? kPlaceSides : kCountFronts}, {"SIDES", std::to_string(kSides)}});
    shaders.push_back(row_shader(s, places ? "_places" : "_counts",
                                 fill(fill(text, {{"STORE", positions ? kStorePlace : kStoreElement}}), row_words(t)),
                                 std::move(f.form)));
  }
  const RowForm f(s);
  runtime::RoutineForm& first = *shaders.front().kernel.routine;
  first.scratch.push_back(form_program(f.rows * ceil_div(f.n, kSides) * Dim(4)));
  first.suited.push_back(form_program(max(f.rows - Dim(kFewRows), 0)));
  first.suited.push_back(form_program(shortfall(f.n, kLongRow + 1)));
}

template <bool kPositions>
Result<std::vector<Shader>> emit_partition(const RoutineStep& s) {
  std::vector<Shader> shaders;
  if (!has_rows_of(s.step.dtypes[0], s.features)) return shaders;
  const std::optional<int64_t> n = known(s.step.operands[0].layout.shape.back());
  if (!n || *n > kLongRow) sort_for_sides(s, kPositions, shaders);
  shaders.push_back(select_rows(s, kPositions));
  return shaders;
}

const RegisterRoutineShaders shaders[] = {{"partition", emit_partition<false>}, {"argpartition", emit_partition<true>}};

}  // namespace

bool select_in_groups(const RoutineStep& s, int64_t n, int64_t k, std::vector<Shader>& shaders) {
  const Dtype t = s.step.dtypes[0];
  const int64_t tile = sorted_tile(t);
  if (n <= tile || n > kMostRow || k > tile / 2) return false;
  const auto [turns, first_kept, left] = kept_parts(n, kPart, k, tile);
  RowForm f(s);
  const Dim bytes = f.rows * Dim(first_kept * t.size());
  f.kept();
  f.argument(0);
  f.form.groups = form_program(f.rows * ceil_div(f.n, kPart) * min(f.length, 1));
  f.form.turns = DimProgram(turns);
  f.form.scratch = {form_program(bytes), form_program(turns > 1 ? bytes : Dim(0))};
  f.form.joined = true;
  const std::string text = text_of(t, {{"BEGIN", kBeginPart},
                                       {"RANK", "m - min(m, k)"},
                                       {"PART", std::to_string(kPart) + "u"},
                                       {"K", std::to_string(k) + "u"},
                                       {"N", std::to_string(n) + "u"},
                                       {"STORE", kStoreKept}});
  shaders.push_back(row_shader(s, "_select", text, std::move(f.form)));
  const size_t last = static_cast<size_t>((turns - 1) % 2);
  shaders.push_back(sort_short_rows(s, false, Dim(left), form_number(runtime::RoutineForm::scratch_slot(2, last))));
  return true;
}

}  // namespace frit::codegen::glsl
