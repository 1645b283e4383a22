// The shaders of `sort` and `argsort`, and how others sort rows.
//
// A tile of a row is sorted in shared memory, as pairs of a key and a position. Each invocation sorts a few of them in
// registers by exchanges of neighbours, then runs are merged, two at a time. Short rows share a tile. Tiles of longer
// rows are merged in launches of their own: a workgroup finds by binary search which parts of both runs its part of the
// result comes from, and so does each invocation. All steps keep the order of equal elements.
//
// Where subgroups can vote, rows of one tile and many elements are sorted by digits (routine_sort_radix.cpp).
#include "codegen/glsl/rows/network.h"
#include "codegen/glsl/rows/rows.h"

namespace frit::codegen::glsl {

namespace {

constexpr const char* kOwn = R"(  int64_t span, tiles;
  uint64_t words[2], places[2];
  int64_t turn, turns;
)";

constexpr const char* kTileText = R"(const uint tile = $TILE$, threads = 256, each = tile / threads;
shared $WORD$ keys[tile];
shared uint places[tile];
$WORD$ element(int64_t first, uint i) {
  return $WORD$(Element(args.x + uint64_t(first + int64_t(i) * args.stride) * $SIZE$UL).data);
}
void main() {
  const uint me = gl_LocalInvocationIndex, span = uint(args.span), n = uint(args.n), own = me * each;
  const uint64_t first_block = this_group() * uint64_t(tile / span), tiles = uint64_t(args.tiles);
  for (uint i = me; i < tile; i += threads) {
    const uint64_t block = first_block + uint64_t(i / span), row = quotient(block, tiles);
    const uint at = uint(block - row * tiles) * span + (i & (span - 1u));
    $WORD$ key = ~0$U$;
    if (row < uint64_t(args.rows) && at < n) key = key_of(element(first_of(row), at));
    keys[bank(i)] = key;
    places[bank(i)] = at;
  }
  barrier();
  $WORD$ taken[each];
  uint taken_places[each];
  [[unroll]] for (uint k = 0u; k < each; ++k) {
    taken[k] = keys[bank(own + k)];
    taken_places[k] = places[bank(own + k)];
  }
  [[unroll]] for (uint round = 0u; round < each; ++round)
    [[unroll]] for (uint k = round & 1u; k + 1u < each; k += 2u)
      if ((k + 1u & span - 1u) != 0u && taken[k + 1u] < taken[k]) {
        const $WORD$ key = taken[k];
        const uint place = taken_places[k];
        taken[k] = taken[k + 1u], taken[k + 1u] = key;
        taken_places[k] = taken_places[k + 1u], taken_places[k + 1u] = place;
      }
  for (uint run = each;; run *= 2u) {
    barrier();
    [[unroll]] for (uint k = 0u; k < each; ++k) {
      keys[bank(own + k)] = taken[k];
      places[bank(own + k)] = taken_places[k];
    }
    barrier();
    if (run >= span) break;
    const uint left = own & ~(2u * run - 1u), right = left + run, diagonal = own - left;
    uint low = diagonal > run ? diagonal - run : 0u, high = min(diagonal, run);
    while (low < high) {
      const uint middle = (low + high) / 2u;
      if (keys[bank(left + middle)] <= keys[bank(right + diagonal - 1u - middle)])
        low = middle + 1u;
      else
        high = middle;
    }
    uint i = left + low, j = right + diagonal - low;
    [[unroll]] for (uint k = 0u; k < each; ++k) {
      const bool has_left = i < right, has_right = j < right + run;
      const uint ours = bank(has_left ? i : left), theirs = bank(has_right ? j : left);
      const bool from = has_right && (!has_left || keys[theirs] < keys[ours]);
      taken[k] = keys[from ? theirs : ours];
      taken_places[k] = places[from ? theirs : ours];
      if (from) ++j; else ++i;
    }
  }
  for (uint i = me; i < tile; i += threads) {
    const uint64_t block = first_block + uint64_t(i / span), row = quotient(block, tiles);
    const uint at = uint(block - row * tiles) * span + (i & (span - 1u));
    if (row >= uint64_t(args.rows) || at >= n) continue;
    const uint place = places[bank(i)];
$STORE$  }
}
)";

// The last ones, where the result has fewer.
constexpr const char* kStoreLast = R"(    const uint skipped = n - uint(args.wanted);
    if (at < skipped) continue;
    const uint64_t to = row * uint64_t(args.wanted) + uint64_t(at - skipped);
)";
constexpr const char* kStoreElement =
    "    Element(args.result + to * $SIZE$UL).data = $STORAGE$(element(first_of(row), place));\n";
constexpr const char* kStorePlace = "    Place(args.result + to * 4UL).data = place;\n";
constexpr const char* kStoreRun = "    const uint64_t to = row * uint64_t(n) + uint64_t(at);\n";
constexpr const char* kStoreWord =
    "    Word(args.words[0] + to * $WORD_BYTES$UL).data = element(first_of(row), place);\n";
constexpr const char* kStorePair = R"(    Word(args.words[0] + to * $WORD_BYTES$UL).data = keys[bank(i)];
    Place(args.places[0] + to * 4UL).data = place;
)";

// Word ORDER: how words are compared, which are keys or elements. The others move positions with them.
constexpr const char* kMergeText = R"(const uint tile = $TILE$, threads = 256, each = tile / threads;
shared $WORD$ words[tile];
shared uint places[$PLACES$];
shared uint parts[2];
$WORD$ order($WORD$ w) { return $ORDER$; }
$WORD$ word(uint64_t at) { return Word(args.words[int(args.turn & 1L)] + at * $WORD_BYTES$UL).data; }
void main() {
  const uint me = gl_LocalInvocationIndex, n = uint(args.n), turn = uint(args.turn);
  const uint64_t group = this_group(), row = quotient(group, uint64_t(args.tiles));
  if (row >= uint64_t(args.rows)) return;
  const uint first = uint(group - row * uint64_t(args.tiles)) * tile, width = tile << turn;
  const uint base = first & ~(2u * width - 1u), left = min(width, n - base), right = min(width, n - base - left);
  const uint64_t a = row * uint64_t(n) + uint64_t(base), b = a + uint64_t(left);
  const uint begin = first - base, end = min(begin + tile, left + right);
  // Elements of the left run among those in front of both ends. Of equal ones the left come first.
  if (me < 2u) {
    const uint diagonal = me == 0u ? begin : end;
    uint low = diagonal > right ? diagonal - right : 0u, high = min(diagonal, left);
    while (low < high) {
      const uint middle = (low + high) / 2u;
      if (order(word(a + uint64_t(middle))) <= order(word(b + uint64_t(diagonal - 1u - middle))))
        low = middle + 1u;
      else
        high = middle;
    }
    parts[me] = low;
  }
  barrier();
  const uint from_left = parts[0], count = end - begin, lefts = parts[1] - from_left, from_right = begin - from_left;
  for (uint i = me; i < count; i += threads) {
    const uint64_t at = i < lefts ? a + uint64_t(from_left + i) : b + uint64_t(from_right + i - lefts);
    words[bank(i)] = word(at);
$FETCH$  }
  barrier();
  const uint rights = count - lefts, diagonal = min(me * each, count);
  uint low = diagonal > rights ? diagonal - rights : 0u, high = min(diagonal, lefts);
  while (low < high) {
    const uint middle = (low + high) / 2u;
    if (order(words[bank(middle)]) <= order(words[bank(lefts + diagonal - 1u - middle)]))
      low = middle + 1u;
    else
      high = middle;
  }
  uint i = low, j = lefts + diagonal - low;
  $WORD$ taken[each];
$KEPT$  [[unroll]] for (uint k = 0u; k < each; ++k) {
    const bool has_left = i < lefts, has_right = j < count;
    const uint ours = bank(has_left ? i : 0u), theirs = bank(has_right ? j : 0u);
    const bool from = has_right && (!has_left || order(words[theirs]) < order(words[ours]));
    taken[k] = words[from ? theirs : ours];
$TAKE$    if (from) ++j; else ++i;
  }
  barrier();
  [[unroll]] for (uint k = 0u; k < each; ++k)
    if (diagonal + k < count) {
      words[bank(me * each + k)] = taken[k];
$PUT$    }
  barrier();
  const bool last = args.turn + 1L == args.turns;
  const uint skipped = n - uint(args.wanted);
  const uint64_t target = args.words[1 - int(args.turn & 1L)];
  for (uint i = me; i < count; i += threads) {
    const uint at = first + i;
    if (last) {
      if (at < skipped) continue;
      const uint64_t to = row * uint64_t(args.wanted) + uint64_t(at - skipped);
$LAST$    } else {
      const uint64_t to = row * uint64_t(n) + uint64_t(at);
      Word(target + to * $WORD_BYTES$UL).data = words[bank(i)];
$RUN$    }
  }
}
)";

using Words = std::map<std::string, std::string>;

Words merge_words(bool positions, int64_t tile) {
  if (!positions)
    return {{"PLACES", "1"},
            {"ORDER", "key_of(w)"},
            {"FETCH", ""},
            {"KEPT", ""},
            {"TAKE", ""},
            {"PUT", ""},
            {"LAST", "      Element(args.result + to * $SIZE$UL).data = $STORAGE$(words[bank(i)]);\n"},
            {"RUN", ""}};
  return {{"PLACES", std::to_string(tile)},
          {"ORDER", "w"},
          {"FETCH", "    places[bank(i)] = Place(args.places[int(args.turn & 1L)] + at * 4UL).data;\n"},
          {"KEPT", "  uint taken_places[each];\n"},
          {"TAKE", "    taken_places[k] = places[from ? theirs : ours];\n"},
          {"PUT", "      places[bank(me * each + k)] = taken_places[k];\n"},
          {"LAST", "      Place(args.result + to * 4UL).data = places[bank(i)];\n"},
          {"RUN", "      Place(args.places[1 - int(args.turn & 1L)] + to * 4UL).data = places[bank(i)];\n"}};
}

std::string text_of(Dtype t, const char* body, const Words& own) {
  Words words = row_words(t);
  words["TILE"] = std::to_string(sorted_tile(t));
  return fill(fill(fill(std::string(kRowHead) + kRowKeys + kRowBank + body, {{"OWN", kOwn}}), own), words);
}

// The arguments of kOwn. Without runs in working memory there are no turns.
void own_arguments(RowForm& f, Dtype t, bool positions, const Dim& span, const Dim& tiles,
                   const std::optional<Dim>& turns) {
  f.argument(span);
  f.argument(tiles);
  for (int i : {0, 1}) f.argument(turns ? sorted_words(f, t, i) : Dim(0));
  for (int i : {0, 1}) f.argument(turns && positions ? sorted_places(f, t, i) : Dim(0));
  f.argument(RowForm::turn());
  f.argument(turns ? *turns : Dim(0));
}

Dim merging_turns(const Dim& n, Dtype t) {
  return logarithm_above(ceil_div(n, sorted_tile(t)), kMostRow / sorted_tile(t));
}

template <bool kPositions>
Result<std::vector<Shader>> emit_sort(const RoutineStep& s) {
  const Dtype t = s.step.dtypes[0];
  std::vector<Shader> shaders;
  if (!has_rows_of(t, s.features)) return shaders;
  const std::optional<int64_t> n = known(s.step.operands[0].layout.shape.back());
  if (std::optional<Shader> network = sort_rows_by_network(s, kPositions)) {
    shaders.push_back(std::move(*network));
    if (n && (known_rows(s) || !digits_may_win(s, *n, kPositions))) return shaders;
  }
  if (sorts_by_radix(s.features) && (!n || is_radix_tile(*n))) shaders.push_back(radix_sort_rows(s, kPositions));
  if (n && !shaders.empty()) return shaders;
  if (!n || *n <= sorted_tile(t)) shaders.push_back(sort_short_rows(s, kPositions, std::nullopt, 0));
  if (!n || *n > sorted_tile(t)) sort_long_rows(s, kPositions ? SortedAs::Positions : SortedAs::Elements, shaders);
  return shaders;
}

const RegisterRoutineShaders shaders[] = {{"sort", emit_sort<false>}, {"argsort", emit_sort<true>}};

}  // namespace

// Keys and positions take at most 16 KiB of shared memory, which every device has.
int64_t sorted_tile(Dtype t) { return has_wide_words(t) ? 1024 : 2048; }

Shader row_shader(const RoutineStep& s, const std::string& suffix, std::string text, runtime::RoutineForm form,
                  uint32_t threads) {
  const std::string size = "local_size_x = ", own = std::to_string(kRowThreads);
  if (threads != kRowThreads)
    text.replace(text.find(size + own), size.size() + own.size(), size + std::to_string(threads));
  Shader shader;
  shader.kernel.name = s.name() + suffix;
  shader.kernel.group_size = threads;
  shader.kernel.routine = std::move(form);
  shader.text = std::move(text);
  return shader;
}

Shader sort_short_rows(const RoutineStep& s, bool positions, const std::optional<Dim>& dense_size,
                       const Dim& dense_at) {
  const Dtype t = s.step.dtypes[0];
  const int64_t tile = sorted_tile(t);
  RowForm f(s);
  const Dim n = dense_size ? *dense_size : f.n, span = power_above(n, tile);
  if (dense_size)
    f.dense(dense_at, n);
  else
    f.operand();
  own_arguments(f, t, positions, span, Dim(1), std::nullopt);
  f.form.groups = form_program(ceil_div(f.rows * span, tile) * min(f.length, 1));
  f.at_most(n, tile);
  const std::string store = std::string(kStoreLast) + (positions ? kStorePlace : kStoreElement);
  return row_shader(s, "_rows", text_of(t, kTileText, {{"STORE", store}}), std::move(f.form));
}

Dim sorted_words(const RowForm& f, Dtype t, const Dim& which) {
  return RowForm::memory() + f.rows * f.n * Dim(word_bytes(t)) * which;
}
Dim sorted_places(const RowForm& f, Dtype t, const Dim& which) {
  return sorted_words(f, t, 2) + f.rows * f.n * Dim(4) * which;
}
Dim kept_half(const RoutineStep& s) {
  const Dtype t = s.step.dtypes[0];
  return sorts_by_radix(s.features) ? Dim(radix_half(s)) : mod(merging_turns(RowForm(s).n, t), Dim(2));
}

void sort_long_rows(const RoutineStep& s, SortedAs as, std::vector<Shader>& shaders) {
  const Dtype t = s.step.dtypes[0];
  const int64_t tile = sorted_tile(t);
  const bool positions = as != SortedAs::Elements, kept = as == SortedAs::KeptPairs;
  const Dim turns = merging_turns(RowForm(s).n, t);
  if (sorts_by_radix(s.features)) {
    shaders.push_back(radix_long_rows(s, as));
    if (kept) return;
    shaders.back().kernel.routine->suited.push_back(form_program(radix_shortfall(s)));
  }
  for (const bool merges : {false, true}) {
    RowForm f(s);
    const Dim tiles = ceil_div(f.n, tile);
    f.operand();
    // The last turn writes the result, if it knows that it is the last.
    own_arguments(f, t, positions, Dim(tile), tiles, kept ? Dim(0) : turns);
    f.form.groups = form_program(f.rows * tiles * min(f.length, 1));
    f.form.scratch = {form_program(f.rows * f.n * Dim(2 * (word_bytes(t) + (positions ? 4 : 0))))};
    f.form.joined = kept || !merges;
    f.at_most(f.n, kMostRow);
    const std::string store = std::string(kStoreRun) + (positions ? kStorePair : kStoreWord);
    const std::string text =
        merges ? text_of(t, kMergeText, merge_words(positions, tile)) : text_of(t, kTileText, {{"STORE", store}});
    if (merges) f.form.turns = form_program(turns);
    shaders.push_back(row_shader(s, merges ? "_merge" : "_tiles", text, std::move(f.form)));
  }
}

}  // namespace frit::codegen::glsl
