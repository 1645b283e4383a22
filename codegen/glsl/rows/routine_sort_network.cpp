// Sorts of rows that fit the registers of a subgroup: sorting networks, without barriers of the workgroup.
//
// A team of lanes holds a row. Any lane may read any element of it, as items that hold their places are all different.
// Values alone are sorted without places, which halves the work: only zeros of both signs and NaNs have equal keys and
// different bits. Where a subgroup has any of these, it counts them in the order of the row and puts them down again.
#include "codegen/glsl/rows/network.h"
#include "codegen/glsl/rows/rows.h"

namespace frit::codegen::glsl {

namespace {

constexpr int64_t kThreads = 64;     // invocations of a workgroup: small ones spread few rows over the GPU
constexpr int64_t kManyRows = 1024;  // that fill a GPU
constexpr int64_t kOwnArguments = 4;

constexpr const char* kOwn = R"(  int64_t lanes_of_row, unused[3];
)";

// Words N, TEAM: the sizes as text. EACH, LANES. NOTE: what is done with an element's bits, MEND: what follows the
// sort. STAGED: the word that is stored, of item `own` at `at` of the row.
constexpr const char* kText = R"(const uint lanes = $LANES$u, each = $EACH$u;
shared $STAGED_WORD$ room[$THREADS$u * each];
uint lane = gl_SubgroupInvocationID;
Item items[each];
$WORD$ element(uint64_t base, uint i) { return $WORD$(Element(base + uint64_t(int64_t(i) * $STRIDE$) * $SIZE$UL).data); }
// Runs of an invocation begin in different banks.
uint bank(uint i) { return i ^ (i >> 5u & 31u); }
void main() {
  const uint team = $TEAM$, n = $N$, wanted = uint(args.wanted), skipped = n - wanted, span = team * each;
  const uint in_team = lane & team - 1u, own_row = lane / team, mine = gl_SubgroupID * lanes * each;
  const uint64_t rows = uint64_t(args.rows), teams = uint64_t(lanes / team);
  const uint64_t first_row = (this_group() * $SUBGROUPS$UL + uint64_t(gl_SubgroupID)) * teams, row = first_row + own_row;
  const uint64_t base = args.x + uint64_t(first_of(min(row, rows - 1UL))) * $SIZE$UL;
  $WORD$ words[each];
@for k $EACH$@  words[@k@] = element(base, min(in_team + @k@u * team, n - 1u));
@end k@$BEGIN$@for k $EACH$@  {
    const uint at = in_team + @k@u * team;
    const bool in_row = at < n;
$NOTE$    items[@k@] = item_of(in_row ? key_of(words[@k@]) : ~0$U$, $PAST$);
  }
@end k@$SORT$  const uint own = mine + own_row * span;
@for k $EACH$@  {
    const uint at = in_team * each + @k@u;
    const Item own_item = items[@k@];
    room[bank(own + at)] = $STAGED$;
  }
@end k@  subgroupBarrier();
$MEND$  // Rows of the result lie behind one another. The numbers are below 1024, so the quotient is exact.
  const uint count = uint(min(teams, rows - min(rows, first_row))) * wanted, unit = ((1u << 21u) + wanted - 1u) / wanted;
  const uint64_t to = args.result + first_row * uint64_t(wanted) * $STORED$UL;
  for (uint i = lane; i < count; i += lanes) {
    const uint r = i * unit >> 21u;
    const $STAGED_WORD$ word = room[bank(mine + r * span + skipped + i - r * wanted)];
    $STORE$
  }
}
)";

constexpr const char* kNote = "    special = special || (in_row && is_special(words[@k@]));\n";
constexpr const char* kSpecial = R"(bool is_special($WORD$ w) { return w == $TOP$ || (w & $TOP$ - 1$U$) > $INFINITE$; }
)";
// Zeros and NaNs in the order of the row, behind what is less and in front of the end.
constexpr const char* kMend = R"(  if (subgroupBallot(special).x != 0u) {
    const uint all = 0xffffffffu >> 32u - team << lane - in_team, earlier = all & (1u << lane) - 1u;
    uint zeros = 0u, nans = n;
    for (uint k = 0u; k < each; ++k) {
      const uint at = in_team + k * team;
      const $WORD$ key = key_of(element(base, min(at, n - 1u)));
      zeros += uint(bitCount(subgroupBallot(at < n && key < $TOP$).x & all));
      nans -= uint(bitCount(subgroupBallot(at < n && key == $NAN$).x & all));
    }
    for (uint k = 0u; k < each; ++k) {
      const uint at = in_team + k * team;
      const $WORD$ word = element(base, min(at, n - 1u)), key = key_of(word);
      const bool zero = at < n && key == $TOP$, nan = at < n && key == $NAN$;
      const uint with_zero = subgroupBallot(zero).x & all, with_nan = subgroupBallot(nan).x & all;
      if (zero) room[bank(own + zeros + uint(bitCount(with_zero & earlier)))] = word;
      if (nan) room[bank(own + nans + uint(bitCount(with_nan & earlier)))] = word;
      zeros += uint(bitCount(with_zero));
      nans += uint(bitCount(with_nan));
    }
    subgroupBarrier();
  }
)";

// The element of a key that only one element has.
constexpr const char* kFloatOf = R"($WORD$ word_of($WORD$ key) {
  return (key & $TOP$) != 0$U$ ? key ^ $TOP$ : ~key & $NAN$;
}
)";
constexpr const char* kSignedOf = "$WORD$ word_of($WORD$ key) { return key ^ $TOP$; }\n";
constexpr const char* kPlainOf = "$WORD$ word_of($WORD$ key) { return key; }\n";

std::string word_of_text(Dtype t) { return is_float(t) ? kFloatOf : is_signed_int(t) ? kSignedOf : kPlainOf; }

}  // namespace

std::optional<Shader> sort_rows_by_network(const RoutineStep& s, bool positions) {
  const Dtype t = s.step.dtypes[0];
  if (!has_networks(s.features)) return std::nullopt;
  const bool alone = !positions && !is_complex(t), mends = alone && is_float(t);
  const Items items = alone ? Items::Keys : items_with_places(t);
  const auto lanes = static_cast<int64_t>(s.features.subgroup_size);
  RowForm f(s);
  const std::optional<int64_t> n = known(f.n);
  const int64_t few = registers_of_row(items, t);
  const std::optional<Spread> spread = n ? spread_row(*n, items, t, lanes) : Spread{0, few};
  if (!spread) return std::nullopt;
  const Dim team = n ? Dim(spread->team) : power_above(ceil_div(f.n, few), lanes);
  f.operand();
  f.argument(team);
  for (int64_t i = 1; i < kOwnArguments; ++i) f.argument(Dim(0));
  f.form.groups = form_program(ceil_div(f.rows * team, kThreads) * min(f.length, 1));
  f.at_most(f.n, n ? *n : few * lanes);
  if (n && digits_may_win(s, *n, positions)) {
    // Few rows leave most of a GPU idle, and then a workgroup is done with a row before a subgroup is.
    if (known_rows(s) && *known_rows(s) < kManyRows) return std::nullopt;
    f.form.suited.push_back(form_program(shortfall(f.rows, kManyRows)));
  }
  const std::string team_text = n ? std::to_string(spread->team) + "u" : "uint(args.lanes_of_row)";
  auto words = row_words(t);
  words["NAN"] = t.size() == 8   ? "0xffffffffffffffffUL"
                 : t.size() == 4 ? "0xffffffffu"
                 : t.size() == 2 ? "0xffffu"
                                 : "0xffu";
  words["EXTENSIONS"] += kNetworkExtensions;
  const std::map<std::string, std::string> own = {
      {"OWN", kOwn},
      {"LANES", std::to_string(lanes)},
      {"EACH", std::to_string(spread->each)},
      {"THREADS", std::to_string(kThreads)},
      {"SUBGROUPS", std::to_string(kThreads / lanes)},
      {"TEAM", team_text},
      {"N", n ? std::to_string(*n) + "u" : "uint(args.n)"},
      {"STRIDE", s.step.operands[0].layout.strides.back().is(1) ? "1L" : "args.stride"},
      {"BEGIN", mends ? "  bool special = false;\n" : ""},
      {"NOTE", mends ? kNote : ""},
      // Behind all elements, also behind those of the greatest key.
      {"PAST", items == Items::Packed ? "in_row ? at : 65535u" : "at"},
      {"SORT", sort_team("items", spread->each, "team")},
      {"MEND", mends ? kMend : ""},
      {"STAGED_WORD", positions ? "uint" : "$WORD$"},
      {"STAGED", positions ? "place_of(own_item)"
                 : alone   ? "word_of(own_item)"
                           : "element(base, min(place_of(own_item), n - 1u))"},
      {"STORED", positions ? "4" : "$SIZE$"},
      {"STORE", positions ? "Place(to + uint64_t(i) * 4UL).data = word;"
                          : "Element(to + uint64_t(i) * $SIZE$UL).data = $STORAGE$(word);"}};
  std::string text = std::string(kRowHead) + kRowKeys + item_text(items, t) + (mends ? kSpecial : "") +
                     (alone ? word_of_text(t) : "") + kText;
  text = unroll(fill(fill(fill(text, own), {{"EACH", std::to_string(spread->each)}}), words));
  return row_shader(s, "_network", std::move(text), std::move(f.form), kThreads);
}

}  // namespace frit::codegen::glsl
