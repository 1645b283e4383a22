// Products with few rows or few columns, matrix times vector among them. They take as long as reading the larger
// operand, which is read once.
//
// A workgroup computes 32 lines (columns of the right operand, or rows of the left one) times all of the few. Where a
// line lies side by side in memory, invocations split it; where lines lie beside each other, an invocation takes
// several and invocations split the steps. Their sums are added in a fixed order through shared memory. The number of
// the few, rounded up, is a constant of the pipeline, and so are the layouts.
#include <algorithm>

#include "codegen/glsl/products/product.h"

namespace frit::codegen::glsl {

namespace {

constexpr const char* kText = R"(#extension GL_KHR_shader_subgroup_basic : require
$EXTENSIONS$$REFERENCES$layout(local_size_x = $THREADS$) in;
layout(constant_id = 0) const bool aligned = false;
layout(constant_id = 1) const bool swapped = false;
layout(constant_id = 2) const bool along_k = false;
layout(constant_id = 3) const bool is_short = false;
layout(constant_id = 4) const bool small_aligned = false;
layout(constant_id = 5) const bool at_least_2 = false;
layout(constant_id = 6) const bool at_least_3 = false;
layout(constant_id = 7) const bool at_least_5 = false;
layout(constant_id = 8) const bool at_least_9 = false;
layout(constant_id = 9) const bool at_least_17 = false;
layout(buffer_reference, std430, buffer_reference_align = $SIZE$) buffer Element { $STORAGE$ data; };
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Sum { $COMPUTE$ data; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Words { uvec4 data; };
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Pair { uvec2 data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Word { uint data; };
$DECLARED$$PRELUDE$
const int few = at_least_17 ? 32 : at_least_9 ? 16 : at_least_5 ? 8 : at_least_3 ? 4 : at_least_2 ? 2 : 1;
const int unit = 16 / $SIZE$, tile = 32, invocations = $THREADS$;
// Invocations along k, lines of an invocation and elements of its loads, where a line lies along k.
const int threads_k = (is_short ? 1 : few == 32 ? 2 : 4) * invocations / 32, lines_k = threads_k * 32 / invocations, width_k = aligned ? unit : 1;
// Lines of an invocation where they lie beside each other, and its steps, one after the other.
const int lines_n = 64 / few < unit ? 64 / few : unit, steps_n = few > 16 ? 4 : 8;
const int across = along_k ? lines_k : lines_n, splits = along_k ? threads_k : invocations / 32 * lines_n, groups = invocations / splits;
// Loads of the large operand on their way at once, the steps of each and the steps between them.
const int turns = along_k ? (few > 8 ? 1 : few > 2 || is_short ? 2 : 4) : steps_n;
const int width = along_k ? width_k : 1, apart = along_k ? splits * width_k : 1;
// Steps of one load of the small operand.
const int pack = !small_aligned ? 1 : along_k ? width_k : steps_n < unit ? steps_n : unit;
const int own = few * across, chunk = own < 4 ? own : 4;
shared $COMPUTE$ fold[4 * invocations], folded[invocations];
$COMPUTE$ part_of(uvec4 w, int j) { return $PART_OF$; }
#define FROM_MEMORY(x) ($FROM$)
$COMPUTE$ element(uint64_t at) { return FROM_MEMORY(Element(at).data); }
uvec4 bytes_of(uint64_t at, int bytes) {
  if (bytes == 16) return Words(at).data;
  if (bytes == 8) return uvec4(Pair(at).data, 0u, 0u);
  return uvec4(Word(at).data, 0u, 0u, 0u);
}
$READ$void main() {
  const int me = int(gl_LocalInvocationID.x);
  const int64_t m = args.m, n = args.n, lines = swapped ? m : n, few_lines = swapped ? n : m;
  const uint columns = uint(uint64_t(lines + tile - 1) / uint64_t(tile)), rows = 1u;
  uint group = flat_group();
$SPLIT$  uint batch = group / columns;
  const int64_t first = int64_t(group % columns) * tile, k = $K$;
$PART$$BATCH$  const uint64_t large = swapped ? a_base : b_base, small = swapped ? b_base : a_base;
  const int64_t line_step = (swapped ? args.a_row : args.b_column) * $SIZE$L, k_step = (swapped ? args.a_column : args.b_row) * $SIZE$L;
  const int64_t row_step = (swapped ? args.b_column : args.a_row) * $SIZE$L, small_step = (swapped ? args.b_row : args.a_column) * $SIZE$L;
  const int team = along_k ? me / threads_k : me % groups, share = along_k ? me % threads_k : me / groups;
  $COMPUTE$ sums[own];
  [[unroll]] for (int i = 0; i < own; ++i) sums[i] = $COMPUTE$(0);
  // Lines and rows that are not there are read as the last one.
  uint64_t large_at[across], small_at[few];
  [[unroll]] for (int i = 0; i < across; ++i) {
    const int64_t line = first + team * across + (aligned && !along_k ? 0 : i), last = aligned && !along_k ? lines - across : lines - 1L;
    large_at[i] = large + uint64_t(min(line, last) * line_step);
  }
  [[unroll]] for (int i = 0; i < few; ++i) small_at[i] = small + uint64_t(min(int64_t(i), few_lines - 1L) * row_step);
  // Without the barrier, drivers wait for each load before they begin the next one.
  // The steps of one load of the small operand lie in one load of the large one, or are steps of several loads.
#define STEP(k0, guarded) { \
  $FETCHED$ w[turns * across]; \
  $COMPUTE$ l[turns * across]; \
  [[unroll]] for (int t = 0; t < turns; ++t) { \
    const int64_t at = guarded ? min(k0 + t * apart, k - width) : k0 + t * apart; \
    if (along_k || !aligned) { \
      [[unroll]] for (int i = 0; i < across; ++i) \
        if (along_k && aligned) w[t * across + i] = $FETCH$(large_at[i] + uint64_t(at * k_step)); \
        else l[t * across + i] = element(large_at[i] + uint64_t(at * k_step)); \
    } $BESIDE$ \
  } \
  subgroupBarrier(); \
$UNPACK$  [[unroll]] for (int s = 0; s < turns * width; s += pack) { \
    const int t = s / width; \
    const bool there = !guarded || k0 + t * apart + s % width < k; \
    const int64_t at = there ? k0 + t * apart + s % width : k - pack; \
    [[unroll]] for (int r = 0; r < few; ++r) { \
      const uint64_t from = small_at[r] + uint64_t(at * small_step); \
      uvec4 packed; \
      if (pack > 1) packed = bytes_of(from, pack * $SIZE$); \
      [[unroll]] for (int j = 0; j < pack; ++j) { \
        $COMPUTE$ x = pack > 1 ? part_of(packed, j) : element(from); \
        if (!there) x = $COMPUTE$(0); \
        [[unroll]] for (int i = 0; i < across; ++i) { \
          const int load = along_k ? t : t + j; \
          $COMPUTE$ y = !aligned ? l[load * across + i] : along_k ? part_of(WORDS_OF(load * across + i), s % width + j) : part_of(WORDS_OF(load), i); \
          if (!there) y = $COMPUTE$(0); \
          $MULTIPLY$ \
        } \
      } \
    } \
  } \
}
  const int64_t stride = splits * turns * width;
  int64_t k0 = along_k ? share * width : share * turns;
  const int64_t last = along_k ? int64_t((turns - 1) * apart) : int64_t(turns - 1);
  for (; k0 + last < k; k0 += stride) STEP(k0, false)
  if (k0 < k) STEP(k0, true)
$BEFORE$  // Each invocation adds `chunk` sums, and the first ones those of an element.
  for (int at = 0; at < own; at += chunk) {
    barrier();
    [[unroll]] for (int i = 0; i < own; i += chunk)
      if (i == at) {
        [[unroll]] for (int j = 0; j < chunk; ++j) fold[(j * groups + team) * splits + share] = sums[i + j];
      }
    barrier();
    $COMPUTE$ sum = $COMPUTE$(0);
    [[unroll]] for (int j = 0; j < chunk; ++j) sum += fold[me * chunk + j];
    folded[me] = sum;
    barrier();
    const int parts_each = splits / chunk, of = me / groups + at;
    const int64_t line = first + me % groups * across + of % across, row = of / across;
    const bool mine = me < chunk * groups && line < lines && row < few_lines;
    sum = $COMPUTE$(0);
    if (mine)
      for (int j = 0; j < parts_each; ++j) sum += folded[me * parts_each + j];
    const int64_t place = swapped ? line * n + row : row * n + line;
$STORE$  }
}
)";

constexpr uint32_t kInvocations = 256;

// Lines that lie beside each other, which no prologue computes.
constexpr const char* kBeside = "else { w[t] = bytes_of(large_at[0] + uint64_t(at * k_step), across * $SIZE$); }";
constexpr const char* kReadWords =
    "uvec4 read_words(uint64_t at) { return Words(at).data; }\n#define WORDS_OF(i) w[i]\n";
constexpr const char* kUnpack = R"(  uvec4 words[turns * across]; \
  [[unroll]] for (int i = 0; i < turns * across; ++i) words[i] = $WORDS$(w[i]); \
)";

// A sum of a part of k.
constexpr const char* kStorePart =
    "    if (mine) Sum(part_base + uint64_t(swapped ? line * args.pitch + row : row * args.pitch + line) * "
    "$PART_SIZE$UL).data = sum;\n";

// One element, through the epilogue.
constexpr const char* kEpilogue = R"(    $POSITION$ places[1];
    $ELEMENT$ elements[1];
    bool there[1];
    places[0] = $POSITION$(before + uint64_t(place));
    elements[0] = $SUM$;
    there[0] = mine;
    epilogue(places, elements, there);
)";

constexpr const char* kStore = "    if (mine) Element(c_base + uint64_t(place) * $SIZE$UL).data = $STORED$;\n";

Shader write_few(const RoutineStep& s, Dtype t, const FusedEpilogue& fused, const FormSizes& sizes,
                 const FusedPrologue& computed) {
  ProductText text(t, s.features, fused, computed);
  std::string store = sizes.split ? kStorePart : !text.epilogue() || fused.keep ? kStore : "";
  if (text.epilogue()) store += kEpilogue;
  const size_t part_size = std::max<size_t>(t.size(), 4);
  const char* words[] = {"w[j / 2]", "w[j]", "uvec2(w[2 * j], w[2 * j + 1])"};
  const std::string part = text.part(words[t.size() / 4], "j % 2 * 16");
  std::map<std::string, std::string> own = sizes.split ? part_words(part_size) : whole_words();
  own.insert({{"PARTS", "1"},
              {"PART_SIZE", std::to_string(part_size)},
              {"THREADS", std::to_string(kInvocations)},
              {"READ", sizes.computed ? "#define WORDS_OF(i) words[i]\n" : kReadWords},
              {"BESIDE", sizes.computed ? "" : kBeside},
              {"UNPACK", sizes.computed ? kUnpack : ""},
              {"PART_OF", part},
              {"MULTIPLY", text.multiply("sums[r * across + i]", "x", "y")}});
  Shader shader;
  shader.text = text.fill_in(fill(kText, {{"STORE", store}}), own);
  shader.kernel.name = s.name() + (sizes.computed ? "_few_computed" : "_few") + (sizes.split ? "_split" : "");
  shader.kernel.group_size = kInvocations;
  shader.kernel.routine = product_form(ProductKind::FewRows, sizes, s.number);
  shader.kernel.routine->epilogue = text.epilogue() != nullptr;
  shader.kernel.routine->prologue = computed.steps;
  return shader;
}

}  // namespace

std::vector<Shader> few_rows_products(const RoutineStep& s, Dtype t, const FusedEpilogue& fused,
                                      const FusedPrologue& computed) {
  FormSizes sizes{.element_bytes = t.size(), .tile_rows = kFewRows, .tile_columns = 32};
  sizes.computed = computed.function.has_value();
  Shader whole = write_few(s, t, fused, sizes, computed);
  sizes.split = true;
  std::vector<Shader> shaders =
      with_sums(s, t, parts_of(ProductKind::FewRows, sizes), fused, write_few(s, t, FusedEpilogue(), sizes, computed));
  shaders.push_back(std::move(whole));
  return shaders;
}

}  // namespace frit::codegen::glsl
