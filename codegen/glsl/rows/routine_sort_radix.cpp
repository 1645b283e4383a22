// Sorts of rows by the digits of their keys, of eight bits each, from the lowest on.
//
// A row that fits into a tile is sorted by one workgroup, which holds it in registers. Longer rows take three launches
// for each digit: tiles count theirs, the counts are added up, and tiles move their elements. Nothing waits for another
// workgroup, so any device runs it. Equal elements keep their order in each move.
#include <algorithm>
#include <bit>

#include "codegen/glsl/rows/radix.h"
#include "codegen/glsl/rows/rows.h"

namespace frit::codegen::glsl {

namespace {

// Elements of an invocation. More of them have fewer counters for each element, and take more registers.
constexpr int64_t kEach = 16;
constexpr uint32_t kSharedBytes = 20 << 10;
constexpr int kOwnArguments = 9;     // of kRadixOwn
constexpr int64_t kLeastTile = 512;  // of shorter rows several share a tile of another kind

// Keys of a step that says what they are below need fewer.
int64_t digits_of(const RoutineStep& s) {
  const int64_t below = s.step.attrs.get_int("below"), all = s.step.dtypes[0].size();
  if (below <= 0) return all;
  const int bits = std::bit_width(static_cast<uint64_t>(below - 1));
  return std::clamp<int64_t>((bits + 7) / 8, 1, all);
}

std::string radix_text(const RoutineStep& s, int64_t each, const char* body, std::map<std::string, std::string> words,
                       bool positions) {
  const Dtype t = s.step.dtypes[0];
  const int64_t lanes = s.features.subgroup_size, counters = 256 / lanes * 128;
  words["EACH"] = std::to_string(each);
  words["BITS"] = std::to_string(8 * digits_of(s));
  words["LANES"] = std::to_string(lanes);
  words["ROOM"] = std::to_string(std::max({256 * each, counters, int64_t{2048}}));
  words["ORDER"] = positions ? "w" : "key_of(w)";
  words["PLACES"] = positions ? "uint places[each];\n" : "";
  auto all = row_words(t);
  all["EXTENSIONS"] +=
      "#extension GL_KHR_shader_subgroup_basic : require\n#extension GL_KHR_shader_subgroup_ballot : require\n"
      "#extension GL_KHR_shader_subgroup_shuffle : require\n"
      "#extension GL_KHR_shader_subgroup_shuffle_relative : require\n";
  const std::string text = fill(std::string(kRowHead) + kRowKeys + kRadixRanks + body, {{"OWN", kRadixOwn}});
  return unroll(fill(fill(fill(text, words), all), {{"EACH", std::to_string(each)}}));
}

std::string moves(Dtype t, bool positions, const std::string& at) {
  return radix_move("items", has_wide_words(t), at) + (positions ? radix_move("places", false, at) : "");
}

constexpr const char* kKeys = "@for k $EACH$@    items[@k@] = key_of(items[@k@]);\n@end k@";
constexpr const char* kStoreElement = "      Element(args.result + to * $SIZE$UL).data = $STORAGE$(items[k]);\n";
constexpr const char* kStorePlace = "      Place(args.result + to * 4UL).data = places[k];\n";
constexpr const char* kPutWord = "        Word(args.words[digit_number & 1u] + to * $WORD_BYTES$UL).data = items[k];\n";
constexpr const char* kPutPlace = "        Place(args.places[digit_number & 1u] + to * 4UL).data = places[k];\n";
constexpr const char* kFirstPlaces = "@for k $EACH$@  places[@k@] = own + @k@u * lanes;\n@end k@";
constexpr const char* kPlaces = R"(@for k $EACH$@  places[@k@] = first + own + @k@u * lanes;
@end k@  if (digit_number != 0u) {
    const uint64_t from = args.places[digit_number - 1u & 1u] + dense * 4UL;
@for k $EACH$@    places[@k@] = Place(from + uint64_t(min(places[@k@], n - 1u)) * 4UL).data;
@end k@  }
)";

}  // namespace

bool sorts_by_radix(const runtime::GpuFeatures& f) {
  const uint32_t lanes = f.subgroup_size;
  return f.shuffle && lanes >= 8 && lanes <= 32 && (lanes & (lanes - 1)) == 0 && f.shared_bytes >= kSharedBytes;
}

bool is_radix_tile(int64_t n) { return n > kLeastTile && n <= 256 * kEach; }

// Few digits, or items that take two registers each.
bool digits_may_win(const RoutineStep& s, int64_t n, bool positions) {
  return is_radix_tile(n) && sorts_by_radix(s.features) && (positions || digits_of(s) <= 2);
}

Shader radix_sort_rows(const RoutineStep& s, bool positions) {
  const Dtype t = s.step.dtypes[0];
  RowForm f(s);
  f.operand();
  // Few arguments would not lie in memory, where the head looks for them.
  for (int i = 0; i < kOwnArguments; ++i) f.argument(Dim(0));
  f.form.groups = form_program(f.rows * min(f.length, 1));
  f.at_most(f.n, 256 * kEach);
  f.form.suited.push_back(form_program(shortfall(f.n, kLeastTile + 1)));
  int64_t each = kEach;
  while (known(f.n) && each > 4 && *known(f.n) <= 128 * each) each /= 2;
  return row_shader(s, "_digits",
                    radix_text(s, each, kRadixTile,
                               {{"KEYS", positions ? kKeys : ""},
                                {"FIRST_PLACES", positions ? kFirstPlaces : ""},
                                {"MOVE", moves(t, positions, "own + @k@u * lanes")},
                                {"STORE", positions ? kStorePlace : kStoreElement}},
                               positions),
                    std::move(f.form));
}

int64_t radix_half(const RoutineStep& s) { return (digits_of(s) - 1) % 2; }

Shader radix_long_rows(const RoutineStep& s, SortedAs as) {
  const Dtype t = s.step.dtypes[0];
  const bool positions = as != SortedAs::Elements, kept = as == SortedAs::KeptPairs;
  RowForm f(s);
  const Dim tiles = ceil_div(f.n, 256 * kEach), moved = f.rows * f.n * Dim(2 * (word_bytes(t) + (positions ? 4 : 0)));
  const Dim turns = Dim(3 * digits_of(s)), counters = f.rows * Dim(256 * 4);
  f.operand();
  for (int i : {0, 1}) f.argument(sorted_words(f, t, i));
  for (int i : {0, 1}) f.argument(positions ? sorted_places(f, t, i) : Dim(0));
  f.argument(RowForm::memory() + moved);
  f.argument(RowForm::memory() + moved + counters * tiles);
  f.argument(tiles);
  f.argument(RowForm::turn());
  f.argument(kept ? Dim(0) : turns);
  f.form.groups = form_program(f.rows * tiles * min(f.length, 1));
  f.form.turns = form_program(turns);
  f.form.scratch = {form_program(moved + counters * (tiles + Dim(1)))};
  f.form.joined = kept;
  f.at_most(f.n, kMostRow);
  return row_shader(s, "_radix",
                    radix_text(s, kEach, kRadixLong,
                               {{"KEYS", positions ? kKeys : ""},
                                {"PLACE", positions ? kPlaces : ""},
                                {"MOVE", moves(t, positions, "me + @k@u * 256u")},
                                {"PUT", std::string(kPutWord) + (positions ? kPutPlace : "")},
                                {"STORE", positions ? kStorePlace : kStoreElement}},
                               positions),
                    std::move(f.form));
}

Dim digits_below(Dtype t, const Dim& below) {
  Dim digits = 1;
  for (int64_t bits = 8; bits < 8 * t.size() && bits < 63; bits += 8) digits += exceeds(below, int64_t{1} << bits);
  return digits;
}

Dim radix_keys(Dtype t, const Dim& memory, const Dim& n, const Dim& below) {
  return memory + n * Dim(word_bytes(t)) * mod(digits_below(t, below) - Dim(1), Dim(2));
}

Shader radix_positions(const RoutineStep& s, runtime::RoutineForm form, const Dim& n, const Dim& below) {
  using Form = runtime::RoutineForm;
  const Dtype t = s.step.dtypes[0];
  const size_t windows = form.windows, result = s.step.operands.size();
  const Dim tiles = ceil_div(n, 256 * kEach), memory = form_number(Form::scratch_slot(windows, 0));
  const Dim word = n * Dim(word_bytes(t)), place = n * Dim(4), moved = (word + place) * Dim(2);
  const Dim digits = digits_below(t, below), turns = Dim(3) * digits;
  std::vector<Dim> arguments{form_number(0, Form::kAddress), form_number(result, Form::kAddress), 1, n, n, 1};
  for (size_t i = 0; i < Form::kBatchAxes; ++i) arguments.push_back(1);
  for (size_t i = 0; i < Form::kBatchAxes; ++i) arguments.push_back(0);
  for (const Dim& d : {memory, memory + word, memory + word * Dim(2), memory + word * Dim(2) + place, memory + moved,
                       memory + moved + tiles * Dim(256 * 4), tiles, form_number(Form::turn_slot(windows)), turns})
    arguments.push_back(d);
  form.arguments.clear();
  for (const Dim& d : arguments) form.arguments.push_back(form_program(d));
  form.groups = form_program(tiles);
  form.turns = form_program(turns);
  form.scratch = {form_program(moved + (tiles + Dim(1)) * Dim(256 * 4))};
  return row_shader(s, "_radix",
                    radix_text(s, kEach, kRadixLong,
                               {{"KEYS", kKeys},
                                {"PLACE", kPlaces},
                                {"MOVE", moves(t, true, "me + @k@u * 256u")},
                                {"PUT", std::string(kPutWord) + kPutPlace},
                                {"STORE", std::string(kStorePlace) + kPutWord}},
                               true),
                    std::move(form));
}

// A launch takes some microseconds however little it does: three for each digit, or one for each doubling of the runs
// that are merged, behind the one that makes them.
Dim radix_shortfall(const RoutineStep& s) {
  constexpr int64_t kLeast[] = {0, 0, 1 << 13, 3 << 14};
  const RowForm f(s);
  const int64_t digits = digits_of(s);
  return shortfall(f.rows * f.n, digits < 4 ? kLeast[digits] : digits * digits << 14);
}

}  // namespace frit::codegen::glsl
