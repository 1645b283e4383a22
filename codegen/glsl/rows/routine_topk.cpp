// The shaders of `topk`.
//
// A subgroup keeps the largest elements that it has seen of a part of a row, sorted, in its registers. Elements above
// the least of these that count wait in shared memory. When as many wait as are kept, they are sorted and merged with
// the kept ones. Most elements of a long row are only compared. The kept elements of the parts are a shorter row, until
// there is one part.
//
// Short rows, and those of which many elements are wanted, are sorted. Where subgroups cannot shuffle, or more are
// wanted than their registers hold, workgroups select from longer parts (routine_select.cpp).
#include <algorithm>

#include "codegen/glsl/rows/network.h"
#include "codegen/glsl/rows/rows.h"

namespace frit::codegen::glsl {

namespace {

constexpr int64_t kThreads = 64;
constexpr int64_t kLoads = 8;             // of an invocation, on their way together
constexpr int64_t kMostPart = 8192;       // elements of a part, where many rows or parts fill a GPU
constexpr int64_t kLeastPart = 1024;      // where few do
constexpr int64_t kOfPart = 16;           // of which one is kept, as what is kept is read again
constexpr int64_t kManySubgroups = 2048;  // that fill it
constexpr int64_t kShortRow = 256;        // rows that are sorted in no more time
// Items of an invocation, so that comparisons of several are under way. Wide ones take more instructions each.
constexpr int64_t kLeastNarrow = 4, kLeastWide = 2;

constexpr const char* kOwn = R"(  uint64_t kept[2];
  int64_t turn;
)";

constexpr const char* kText =
    R"(const uint lanes = $LANES$u, each = $EACH$u, loads = $LOADS$u, part = $PART$u, k = $K$u;
const uint room = lanes * (each + loads);
shared Item waiting[room * $SUBGROUPS$u];
uint lane = gl_SubgroupInvocationID, mine = gl_SubgroupID * room;
Item best[each], items[each];
uint64_t base;
int64_t stride = $STRIDE$;
$WORD$ element(uint i) { return $WORD$(Element(base + uint64_t(int64_t(i) * $STEP$) * $SIZE$UL).data); }
// Merges waiting items from `first` on with the best ones.
void merge_waiting(uint first, uint count) {
@for k $EACH$@  items[@k@] = lane + @k@u * lanes < count ? waiting[mine + first + lane + @k@u * lanes] : item_of(0$U$, 0u);
@end k@$SORT$@for k $EACH$@  best[@k@] = greater(best[@k@], from_lane(items[$EACH$ - 1 - @k@], lanes - 1u - lane));
@end k@$MERGE$}
void main() {
  uint n = $N$u;
  for (int turn = 0; turn < int(args.turn); ++turn) n = n / part * k + min(n % part, k);
  const uint parts = (n + part - 1u) / part, kept = n / part * k + min(n % part, k);
  const uint64_t own = this_group() * $SUBGROUPS$UL + uint64_t(gl_SubgroupID), row = quotient(own, uint64_t(parts));
  if (row >= uint64_t(args.rows)) return;
  const uint number = uint(own - row * uint64_t(parts)), first = number * part, m = min(part, n - first);
  if (args.turn == 0L) {
    base = args.x + uint64_t(first_of(row) + int64_t(first) * stride) * $SIZE$UL;
  } else {
    base = args.kept[int(args.turn + 1L & 1L)] + (row * uint64_t(n) + uint64_t(first)) * $SIZE$UL;
  }
@for k $EACH$@  best[@k@] = item_of(0$U$, 0u);
@end k@  uint count = 0u;
  Item least = item_of(0$U$, 0u);
  // From the end, as of equal elements the last ones count.
  for (uint passed = 0u; passed < m; passed += lanes * loads) {
    $WORD$ words[loads];
@for k $LOADS$@    words[@k@] = element(m - 1u - min(passed + lane + @k@u * lanes, m - 1u));
@end k@@for k $LOADS$@    {
      const uint i = passed + lane + @k@u * lanes;
      const Item item = item_of(key_of(words[@k@]), m - 1u - i);
      const bool counts = i < m && is_less(least, item);
      const uint votes = subgroupBallot(counts).x;
      if (votes != 0u) {
        if (counts) waiting[mine + count + uint(bitCount(votes & (1u << lane) - 1u))] = item;
        count += uint(bitCount(votes));
      }
    }
@end k@    if (count < lanes * each) continue;
    subgroupBarrier();
    uint merged = 0u;
    for (; count - merged >= lanes * each; merged += lanes * each) merge_waiting(merged, lanes * each);
    // The rest moves to the front, over what was merged.
    count -= merged;
    for (uint i = lane; i < count; i += lanes) waiting[mine + i] = waiting[mine + merged + i];
    least = from_lane(best[$LEAST$ % each], $LEAST$u / each);
    subgroupBarrier();
  }
  subgroupBarrier();
  if (count > 0u) merge_waiting(0u, count);
  const uint wanted = min(m, k), skipped = lanes * each - wanted;
  const uint64_t to = parts == 1u ? args.result + row * uint64_t(k) * $SIZE$UL
                                  : args.kept[int(args.turn & 1L)] + (row * uint64_t(kept) + uint64_t(number * k)) * $SIZE$UL;
@for k $EACH$@  {
    const uint i = lane * each + @k@u;
    if (i >= skipped) Element(to + uint64_t(i - skipped) * $SIZE$UL).data = $STORAGE$(element(place_of(best[@k@])));
  }
@end k@}
)";

// Registers that keep `k` items, where there are enough.
std::optional<int64_t> registers_for(int64_t k, const RoutineStep& s) {
  const Dtype t = s.step.dtypes[0];
  const Items items = items_with_places(t);
  const int64_t lanes = s.features.subgroup_size, most = registers_of_row(items, t);
  const int64_t subgroups = kThreads / lanes;
  int64_t each = are_narrow(items, t) ? kLeastNarrow : kLeastWide;
  while (each * lanes < k) each *= 2;
  const int64_t shared = subgroups * lanes * (each + kLoads) * item_bytes(items, t);
  return each <= most && shared <= s.features.shared_bytes ? std::optional(each) : std::nullopt;
}

int64_t part_of(const RoutineStep& s, int64_t n, int64_t k) {
  const std::optional<int64_t> rows = known_rows(s);
  int64_t part = kMostPart;
  while (rows && part > std::max(kLeastPart, kOfPart * k) && n / part * *rows < kManySubgroups) part /= 2;
  return n <= 2 * part ? n : part;
}

std::optional<Shader> keep_largest(const RoutineStep& s, int64_t n, int64_t k) {
  const Dtype t = s.step.dtypes[0];
  if (!has_networks(s.features) || n > kMostRow || k < 1 || 4 * k > n) return std::nullopt;
  const std::optional<int64_t> each = registers_for(k, s);
  if (!each) return std::nullopt;
  const int64_t part = part_of(s, n, k), lanes = s.features.subgroup_size, subgroups = kThreads / lanes;
  const KeptParts parts = kept_parts(n, part, k, part);
  const int64_t turns = parts.turns + 1;  // the last one has a single part
  RowForm f(s);
  const Dim bytes = f.rows * Dim(parts.first * t.size());
  f.kept();
  f.form.groups = form_program(ceil_div(f.rows * ceil_div(f.n, part), subgroups));
  f.form.turns = DimProgram(turns);
  f.form.scratch = {form_program(turns > 1 ? bytes : Dim(0)), form_program(turns > 2 ? bytes : Dim(0))};
  f.at_most(f.n, kMostRow);
  auto words = row_words(t);
  words["EXTENSIONS"] += kNetworkExtensions;
  const std::string all = std::to_string(lanes) + "u";
  const bool dense = s.step.operands[0].layout.strides.back().is(1);
  const std::map<std::string, std::string> own = {{"OWN", kOwn},
                                                  {"LANES", std::to_string(lanes)},
                                                  {"STEP", dense ? "1L" : "stride"},
                                                  {"STRIDE", dense ? "1L" : "args.turn == 0L ? args.stride : 1L"},
                                                  {"EACH", std::to_string(*each)},
                                                  {"LOADS", std::to_string(kLoads)},
                                                  {"PART", std::to_string(part)},
                                                  {"K", std::to_string(k)},
                                                  {"N", std::to_string(n)},
                                                  {"SUBGROUPS", std::to_string(subgroups)},
                                                  {"LEAST", std::to_string(lanes * *each - k)},
                                                  {"SORT", sort_team("items", *each, all)},
                                                  {"MERGE", merge_team("best", *each, all)}};
  std::string text = std::string(kRowHead) + kRowKeys + item_text(items_with_places(t), t) + kText;
  text = unroll(fill(fill(text, own), words));
  return row_shader(s, "_largest", std::move(text), std::move(f.form), kThreads);
}

Result<std::vector<Shader>> emit_topk(const RoutineStep& s) {
  const Dtype t = s.step.dtypes[0];
  std::vector<Shader> shaders;
  if (!has_rows_of(t, s.features)) return shaders;
  const std::optional<int64_t> n = known(s.step.operands[0].layout.shape.back()), k = known(s.step.attrs.get_dim("k"));
  if (n && k && *n > kShortRow)
    if (std::optional<Shader> largest = keep_largest(s, *n, *k)) {
      shaders.push_back(std::move(*largest));
      return shaders;
    }
  if (std::optional<Shader> network = sort_rows_by_network(s, false)) {
    shaders.push_back(std::move(*network));
    if (n && (known_rows(s) || !digits_may_win(s, *n, false))) return shaders;
  }
  if (n && k && select_in_groups(s, *n, *k, shaders)) return shaders;
  const int64_t tile = sorted_tile(t);
  if (!n || *n <= tile) shaders.push_back(sort_short_rows(s, false, std::nullopt, 0));
  if (!n || *n > tile) sort_long_rows(s, SortedAs::Elements, shaders);
  return shaders;
}

const RegisterRoutineShaders shaders[] = {{"topk", emit_topk}};

}  // namespace

}  // namespace frit::codegen::glsl
