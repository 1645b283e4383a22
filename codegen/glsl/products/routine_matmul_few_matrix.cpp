// Products of 2 to 32 rows of float16 or bfloat16 by the device's matrix units. They take as long as reading the right
// operand, which is read once.
//
// A workgroup computes a few columns of the result. Its subgroups split the steps along k; each one lays what it read
// of both operands in its own part of shared memory and waits for no other, while its next loads are on their way.
// Their sums are added in a fixed order at the end. Where a 16-byte load does not take eight elements, the words around
// them are loaded and shifted; elements beyond an operand's end are zero then.
#include <algorithm>

#include "codegen/glsl/products/product.h"

namespace frit::codegen::glsl {

namespace {

constexpr const char* kText = R"($UNITS$#extension GL_KHR_shader_subgroup_basic : require
$EXTENSIONS$$REFERENCES$layout(local_size_x = 32 * $WARPS$) in;
layout(constant_id = 0) const bool b_columns = false;
layout(constant_id = 1) const bool two = false;  // 17 to 32 rows
$WHOLE$layout(constant_id = $LEFT$) const int left_rows = 16;
layout(constant_id = $RIGHT$) const int right_rows = 16;
layout(constant_id = $SUMS$) const int sum_rows = 16;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Words { uvec4 data; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Sums { vec4 data; };
layout(buffer_reference, std430, buffer_reference_align = 2) buffer Element { uint16_t data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Word { uint data; };
$DECLARED$$PRELUDE$
const int tile = $TN$, depth = $DEPTH$, warps = $WARPS$, wide = $WIDE$, ahead = $AHEAD$;
const int high = two ? 2 : 1, broad = tile / wide;  // matrices of a workgroup
// In words of eight elements, with one more a line against bank conflicts.
const int a_line = depth / 8 + 1, b_line = b_columns ? depth / 8 + 1 : tile / 8 + 1;
const int a_parts = high * depth / 16, b_parts = tile * depth / 256;  // words that an invocation loads
const int a_first = $B_SIZE$, mine_all = $PART_SIZE$;
shared uvec4 tiles[warps * mine_all];
#define LEFT fcoopmatNV<16, gl_ScopeSubgroup, left_rows, 16>
#define RIGHT fcoopmatNV<16, gl_ScopeSubgroup, right_rows, wide>
#define SUM fcoopmatNV<32, gl_ScopeSubgroup, sum_rows, wide>
// Where part `number` of the right operand's tile begins: its column and its step.
ivec2 part_of(int number) {
  return b_columns ? ivec2(number / (depth / 8), number % (depth / 8) * 8) : ivec2(number % (tile / 8) * 8, number / (tile / 8));
}
$READ$// Elements that are there of part i of the left operand, and of the right one, from a step on.
#define A_COUNT(i, step) clamp(k - (step) - (lane + i * 32) % (depth / 8) * 8, 0, 8)
#define B_COUNT(i, step) b_count(part_of(lane + i * 32), n - j0, k - (step))
int b_count(ivec2 p, int64_t columns, int steps) {
  return b_columns ? clamp(steps - p.y, 0, 8) : p.y < steps ? int(clamp(columns - int64_t(p.x), 0L, 8L)) : 0;
}
#define FETCH_BOTH(set, step) { \
  const uint64_t before = uint64_t(whole ? min(step, k - depth) : step); \
  [[unroll]] for (int i = 0; i < b_parts; ++i) \
    $LOAD$ \
  [[unroll]] for (int i = 0; i < a_parts; ++i) \
    LOAD_PART(a_part##set, a_word##set, i, a_at[i] + before * 2UL, A_COUNT(i, step), a_base) \
}
#define TURN(set, step) { \
  [[unroll]] for (int i = 0; i < b_parts; ++i) { \
    const ivec2 p = part_of(lane + i * 32); \
    uvec4 words; \
    $MAKE$ \
    tiles[mine + (b_columns ? p.x * b_line + p.y / 8 : p.y * b_line + p.x / 8)] = words; \
  } \
  [[unroll]] for (int i = 0; i < a_parts; ++i) { \
    const int e = lane + i * 32; \
    uvec4 words; \
    PART_OF(words, a_part##set, a_word##set, i, a_at[i] + uint64_t(step) * 2UL, A_COUNT(i, step)) \
    tiles[mine + a_first + e / (depth / 8) * a_line + e % (depth / 8)] = words; \
  } \
  FETCH_BOTH(set, (step + ahead * depth)) \
  subgroupBarrier(); \
  [[unroll]] for (int u = 0; u < depth; u += 16) { \
    LEFT a[high]; \
    [[unroll]] for (int i = 0; i < high; ++i) \
      coopMatLoadNV(a[i], tiles, mine + a_first + i * 16 * a_line + u / 8, a_line, false); \
    [[unroll]] for (int j = 0; j < broad; ++j) { \
      RIGHT b; \
      if (b_columns) coopMatLoadNV(b, tiles, mine + j * wide * b_line + u / 8, b_line, true); \
      else coopMatLoadNV(b, tiles, mine + u * b_line + j * wide / 8, b_line, false); \
      [[unroll]] for (int i = 0; i < high; ++i) sums[i][j] = coopMatMulAddNV(a[i], b, sums[i][j]); \
    } \
  } \
  subgroupBarrier(); \
}
void main() {
  const int me = int(gl_LocalInvocationID.x), lane = int(gl_SubgroupInvocationID), warp = int(gl_SubgroupID), mine = warp * mine_all;
  const int64_t m = args.m, n = args.n;
  const uint columns = uint(uint64_t(n + tile - 1) / uint64_t(tile)), rows = 1u;
  uint group = flat_group();
$SPLIT$  uint batch = group / columns;
  const int64_t j0 = int64_t(group % columns) * tile;
$PART$$BATCH$  const int k = int($K$), chunks = (k + depth - 1) / depth, each = (chunks + warps - 1) / warps, begin = warp * each, last = min(begin + each, chunks);
  SUM sums[high][broad];
  [[unroll]] for (int i = 0; i < high; ++i)
    [[unroll]] for (int j = 0; j < broad; ++j) sums[i][j] = SUM(0.0);
  uint64_t a_at[a_parts], b_at[b_parts];
  const uint64_t b_each = uint64_t(args.b_row) * 2UL;
  // Lines that are not there are read as the last ones, or not at all.
  const int64_t b_end = b_columns ? n - 1L : whole ? n - 8L : n;
  [[unroll]] for (int i = 0; i < a_parts; ++i) {
    const int e = lane + i * 32;
    a_at[i] = a_base + uint64_t(min(int64_t(e / (depth / 8)), m - 1L) * args.a_row + e % (depth / 8) * 8) * 2UL;
  }
  [[unroll]] for (int i = 0; i < b_parts; ++i) {
    const ivec2 p = part_of(lane + i * 32);
    b_at[i] = b_base + uint64_t(min(j0 + p.x, b_end) * args.b_column + p.y * args.b_row) * 2UL;
  }
  if (begin < last) {
    int first = begin * depth;
    const int end = last * depth;
$FIRST$    for (; first + (ahead - 1) * depth < end; first += ahead * depth) {
$TURNS$    }
$LAST$  }
  barrier();
  [[unroll]] for (int i = 0; i < high; ++i)
    [[unroll]] for (int j = 0; j < broad; ++j)
      coopMatStoreNV(sums[i][j], tiles, mine + i * 16 * (tile / 4) + j * (wide / 4), tile / 4, false);
  barrier();
$BEFORE$  // Four elements of each invocation.
  for (int e = me; e < high * 16 * (tile / 4); e += 32 * warps) {
    vec4 added = vec4(0.0);
    [[unroll]] for (int w = 0; w < warps; ++w) added += uintBitsToFloat(tiles[w * mine_all + e]);
    const int64_t r = e / (tile / 4), c = j0 + e % (tile / 4) * 4;
$STORE$  }
}
)";

constexpr const char* kStore = R"(    [[unroll]] for (int u = 0; u < 4; ++u) {
      const float sum = added[u];
      if (r < m && c + u < n) Element(c_base + uint64_t(r * n + c + u) * 2UL).data = $STORED$;
    }
)";

constexpr const char* kStorePart =
    R"(    if (r < m && c < n) Sums(part_base + uint64_t(r * args.pitch + c) * 4UL).data = added;
)";

constexpr const char* kEpilogue = R"(    $POSITION$ places[parts];
    $ELEMENT$ elements[parts];
    bool there[parts];
    [[unroll]] for (int u = 0; u < parts; ++u) {
      const float sum = added[u];
      there[u] = r < m && c + u < n;
      places[u] = $POSITION$(before + uint64_t(r * n + c + u));
      elements[u] = $SUM$;
    }
    epilogue(places, elements, there);
)";

// Part i of the right operand's tile from memory, and from a prologue that computes it.
constexpr const char* kLoad =
    "LOAD_PART(b_part##set, b_word##set, i, b_at[i] + before * b_each, B_COUNT(i, step), b_base)";
constexpr const char* kMake =
    "PART_OF(words, b_part##set, b_word##set, i, b_at[i] + uint64_t(step) * b_each, B_COUNT(i, step))";
constexpr const char* kLoadComputed = "b_part##set[i] = $FETCH$(b_at[i] + before * b_each);";
constexpr const char* kMakeComputed = "words = $WORDS$(b_part##set[i]);";
constexpr const char* kWhole = R"(layout(constant_id = 2) const bool aligned = false;
layout(constant_id = 3) const bool whole = false;  // aligned, and k is a multiple of the depth
)";

constexpr int kColumns = 32, kDepth = 32, kWarps = 8, kAhead = 2;

// The loop along k, whose loads are kAhead tiles of the operands ahead: a set of registers holds each. Sets are written
// out, as drivers keep arrays of them in memory.
struct Turns {
  std::string first, each, last;

  Turns() {
    for (int i = 0; i < kAhead; ++i) {
      const std::string set = std::to_string(i);
      first += "    uvec4 a_part" + set + "[a_parts];\n    uint a_word" + set + "[a_parts * 5], b_word" + set +
               "[b_parts * 5];\n    $FETCHED$ b_part" + set + "[b_parts];\n    FETCH_BOTH(" + set + ", (first + " +
               set + " * depth))\n";
      each += "      TURN(" + set + ", (first + " + set + " * depth))\n";
      if (i + 1 < kAhead)
        last += "    if (first < end) {\n      TURN(" + set + ", first)\n      first += depth;\n    }\n";
    }
  }
};

Shader write_few_matrix(const RoutineStep& s, const MatrixProduct& p, const FormSizes& sizes,
                        const FusedPrologue& computed) {
  const ProductText text(p.type, s.features, p.fused, computed);
  std::string store = sizes.split ? kStorePart : !text.epilogue() || p.fused.keep ? kStore : "";
  if (text.epilogue()) store += kEpilogue;
  auto number = [](int v) { return std::to_string(v); };
  // The longer of both ways in which the right operand's tile may lie, and 32 rows of the left one. Sums take their
  // place in the end.
  const int b_size = std::max(kColumns * (kDepth / 8 + 1), kDepth * (kColumns / 8 + 1));
  const int part = std::max(b_size + 32 * (kDepth / 8 + 1), 32 * kColumns / 4);
  const Turns turns;
  Shader shader;
  std::map<std::string, std::string> words = sizes.split ? part_words(4) : whole_words();
  words.insert({{"PARTS", "4"},
                {"WARPS", number(kWarps)},
                {"TN", number(kColumns)},
                {"DEPTH", number(kDepth)},
                {"WIDE", number(p.narrow ? 8 : 16)},
                {"AHEAD", number(kAhead)},
                {"LEFT", number(kLeftMatrix)},
                {"RIGHT", number(kRightMatrix)},
                {"SUMS", number(kSumMatrix)},
                {"WHOLE", sizes.computed ? "const bool aligned = true, whole = true;\n" : kWhole},
                {"READ", std::string(kShiftedWords) + kPartLoads},
                {"LOAD", sizes.computed ? kLoadComputed : kLoad},
                {"MAKE", sizes.computed ? kMakeComputed : kMake},
                {"FIRST", turns.first},
                {"TURNS", turns.each},
                {"LAST", turns.last},
                {"B_SIZE", number(b_size)},
                {"PART_SIZE", number(part)}});
  shader.text = text.fill_in(fill(kText, {{"UNITS", kMatrixUnits}, {"STORE", store}}), words);
  shader.matrices = p.type == float16 ? MatrixType::Float16 : MatrixType::Bfloat16;
  shader.kernel.name =
      s.name() + (sizes.computed ? "_few_matrix_computed" : "_few_matrix") + (sizes.split ? "_split" : "");
  shader.kernel.group_size = 32 * kWarps;
  shader.kernel.routine = product_form(ProductKind::FewMatrix, sizes, s.number);
  shader.kernel.routine->epilogue = text.epilogue() != nullptr;
  shader.kernel.routine->prologue = computed.steps;
  return shader;
}

}  // namespace

std::vector<Shader> few_rows_by_matrices(const RoutineStep& s, const MatrixProduct& p, const FusedPrologue& computed) {
  FormSizes sizes{.element_bytes = 2, .tile_rows = kFewRows, .tile_columns = kColumns, .depth = kDepth};
  sizes.computed = computed.function.has_value();
  Shader whole = write_few_matrix(s, p, sizes, computed);
  sizes.split = true;
  std::vector<Shader> shaders = with_sums(s, p.type, parts_of(ProductKind::FewMatrix, sizes), p.fused,
                                          write_few_matrix(s, {p.type, p.narrow, {}}, sizes, computed));
  shaders.push_back(std::move(whole));
  return shaders;
}

}  // namespace frit::codegen::glsl
