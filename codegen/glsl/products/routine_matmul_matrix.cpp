// Products of float16 and bfloat16 matrices by the device's matrix units, through cooperative matrices that a subgroup
// holds; sums are float32.
//
// A workgroup computes a tile of the result, each of its subgroups a part of it. Tiles of both operands pass through
// shared memory, the next ones on their way meanwhile. Operands lie in memory side by side along either axis, which is
// a constant of the pipeline.
//
// There are two texts. One takes operands that 16-byte loads take, in whole tiles along k; loads beyond an operand read
// its last lines, whose sums are not stored. It holds nothing else, because drivers write better code for it then. In
// the other, the words around eight elements are loaded and shifted where addresses or sizes do not allow 16-byte
// loads; elements outside of the operands are zero.
#include <algorithm>

#include "codegen/glsl/products/product.h"

namespace frit::codegen::glsl {

namespace {

constexpr const char* kHead = R"($UNITS$#extension GL_EXT_shader_16bit_storage : require
#extension GL_KHR_shader_subgroup_basic : require
$REFERENCES$layout(local_size_x = 32 * $WARPS$) in;
layout(constant_id = $LEFT$) const int left_rows = 16;
layout(constant_id = $RIGHT$) const int right_rows = 16;
layout(constant_id = $SUM$) const int sum_rows = 16;
layout(buffer_reference, std430, buffer_reference_align = 16) readonly restrict buffer Words { uvec4 data; };
layout(buffer_reference, std430, buffer_reference_align = 4) readonly restrict buffer Word { uint data; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Result { uvec4 data; };
layout(buffer_reference, std430, buffer_reference_align = 2) buffer Element { uint16_t data; };
#define LEFT fcoopmatNV<16, gl_ScopeSubgroup, left_rows, 16>
#define RIGHT fcoopmatNV<16, gl_ScopeSubgroup, right_rows, wide>
#define SUM fcoopmatNV<32, gl_ScopeSubgroup, sum_rows, wide>
#define ROUNDED fcoopmatNV<16, gl_ScopeSubgroup, sum_rows, wide>
$DECLARED$$FUNCTION$const int rows_of_tile = $TM$, columns_of_tile = $TN$, depth = $DEPTH$, invocations = 32 * $WARPS$, wide = $WIDE$;
const int high = rows_of_tile / $WARP_ROWS$ / 16, broad = columns_of_tile / ($WARPS$ / $WARP_ROWS$) / wide;  // matrices of a subgroup
const int a_parts = rows_of_tile * depth / 8 / invocations, b_parts = columns_of_tile * depth / 8 / invocations;
shared uvec4 a_tile[$A_SIZE$], b_tile[$B_SIZE$];
)";

constexpr const char* kWhole = R"(layout(constant_id = 0) const bool a_columns = false;
layout(constant_id = 1) const bool b_columns = false;
layout(constant_id = 2) const bool wide_lines = false;  // of the result
// In words of eight elements, with one more a line against bank conflicts.
const uint a_line = a_columns ? rows_of_tile / 8 + 1 : 5, b_line = b_columns ? 5 : columns_of_tile / 8 + 1;
// Where part `number` of a tile lies: its line (or the first of eight) and its step (or the first of eight). Parts that
// neighbours write lie in different banks.
uvec2 part_of(uint number, bool along_k, uint lines) {
  return along_k ? uvec2(number / 32u * 8u + number / 4u % 2u * 4u + number % 32u / 8u, number % 4u * 8u)
                 : uvec2(number % (lines / 8u) * 8u, number / (lines / 8u));
}
#define FETCH(number) { \
  const uint64_t tile = uint64_t(uint(min(number, tiles - 1))), a_before = tile * a_step, b_before = tile * b_step; \
  [[unroll]] for (int i = 0; i < a_parts; ++i) a_next[i] = Words(a_at[i] + a_before).data; \
  [[unroll]] for (int i = 0; i < b_parts; ++i) b_next[i] = Words(b_at[i] + b_before).data; \
}
#define KEEP \
  [[unroll]] for (int i = 0; i < a_parts; ++i) a_tile[a_to[i]] = a_next[i]; \
  [[unroll]] for (int i = 0; i < b_parts; ++i) b_tile[b_to[i]] = b_next[i];
#define MULTIPLY(s) { \
  LEFT a[high]; \
  RIGHT b[broad]; \
  [[unroll]] for (uint i = 0; i < high; ++i) { \
    if (a_columns) coopMatLoadNV(a[i], a_tile, a_first + (s) * a_line + i * 2u, a_line, true); \
    else coopMatLoadNV(a[i], a_tile, a_first + i * 16u * a_line + (s) / 8u, a_line, false); \
  } \
  [[unroll]] for (uint j = 0; j < broad; ++j) { \
    if (b_columns) coopMatLoadNV(b[j], b_tile, b_first + j * wide * b_line + (s) / 8u, b_line, true); \
    else coopMatLoadNV(b[j], b_tile, b_first + (s) * b_line + j * (wide / 8u), b_line, false); \
  } \
  [[unroll]] for (int j = 0; j < broad; ++j) \
    [[unroll]] for (int i = 0; i < high; ++i) sums[i][j] = coopMatMulAddNV(a[i], b[j], sums[i][j]); \
}
void main() {
  const uint me = gl_LocalInvocationID.x, mine = gl_SubgroupID;
  const uint row = mine % $WARP_ROWS$u * (high * 16), column = mine / $WARP_ROWS$u * (broad * wide);
  const int64_t m = args.m, n = args.n;
$PLACE$  SUM sums[high][broad];
  [[unroll]] for (int i = 0; i < high; ++i)
    [[unroll]] for (int j = 0; j < broad; ++j) sums[i][j] = SUM(0.0);
  uint64_t a_at[a_parts], b_at[b_parts];
  uint a_to[a_parts], b_to[b_parts];
  // NVIDIA's driver 580 takes two rounded divisions of 64 bits for the same one.
  const int64_t a_end = a_columns ? ((m + 7L) & -8L) - 8L : m - 1L, b_end = b_columns ? n - 1L : ((n + 7L) & -8L) - 8L;
  [[unroll]] for (uint i = 0; i < a_parts; ++i) {
    const uvec2 p = part_of(me + i * invocations, !a_columns, rows_of_tile);
    a_at[i] = a_base + uint64_t(min(i0 + p.x, a_end) * args.a_row + p.y * args.a_column) * 2UL;
    a_to[i] = a_columns ? p.y * a_line + p.x / 8u : p.x * a_line + p.y / 8u;
  }
  [[unroll]] for (uint i = 0; i < b_parts; ++i) {
    const uvec2 p = part_of(me + i * invocations, b_columns, columns_of_tile);
    b_at[i] = b_base + uint64_t(min(j0 + p.x, b_end) * args.b_column + p.y * args.b_row) * 2UL;
    b_to[i] = b_columns ? p.x * b_line + p.y / 8u : p.y * b_line + p.x / 8u;
  }
  const uint a_first = a_columns ? row / 8u : row * a_line, b_first = b_columns ? column * b_line : column / 8u;
  const uint64_t a_step = uint64_t(args.a_column) * (2UL * depth), b_step = uint64_t(args.b_row) * (2UL * depth);
  const int tiles = int($K$) / depth;
  uvec4 a_next[a_parts], b_next[b_parts];
  FETCH(0)
  KEEP
  barrier();
  for (int t = 0; t < tiles; ++t) {
    FETCH(t + 1)
    MULTIPLY(0u)
    MULTIPLY(16u)
    barrier();
    KEEP
    barrier();
  }
)";

// Rounded results pass through a part of shared memory of each subgroup, 16 rows of $STRIP$ at a time.
constexpr const char* kEnd = R"(  const int own = int(mine) * (16 * strip_line), lane = int(gl_SubgroupInvocationID);
$BEFORE$  [[unroll]] for (int i = 0; i < high; ++i)
    [[unroll]] for (int j = 0; j < broad; j += strip / wide) {
      subgroupBarrier();
      [[unroll]] for (int f = 0; f < strip / wide; ++f) {
$ROUND$        ROUNDED rounded = ROUNDED(sums[i][j + f]);
        coopMatStoreNV(rounded, b_tile, own + f * (wide / 8), strip_line, false);
      }
      subgroupBarrier();
$STORE$    }
}
)";

// Sums of a part of k, 16 columns at a time.
constexpr const char* kEndPart =
    R"(  const int own = int(mine) * (16 * strip_line), lane = int(gl_SubgroupInvocationID);
  [[unroll]] for (int i = 0; i < high; ++i)
    [[unroll]] for (int j = 0; j < broad; j += 16 / wide) {
      subgroupBarrier();
      [[unroll]] for (int f = 0; f < 16 / wide; ++f)
        coopMatStoreNV(sums[i][j + f], b_tile, own + f * (wide / 4), 5, false);
      subgroupBarrier();
      [[unroll]] for (int q = 0; q < 2; ++q) {
        const int e = lane + q * 32, x = e % 4;
        const int64_t r = i0 + row + i * 16 + e / 4, c = j0 + column + j * wide + x * 4;
        if (r < m && c < n) Result(part_base + uint64_t(r * args.pitch + c) * 4UL).data = b_tile[own + e / 4 * 5 + x];
      }
    }
}
)";

// To the nearest bf16: NVIDIA's driver 580 cuts digits off when it converts.
constexpr const char* kRound = R"(        for (int e = 0; e < sums[i][j + f].length(); ++e) {
          const uint b = floatBitsToUint(sums[i][j + f][e]);
          const bool is_nan = (b & 0x7fffffffu) > 0x7f800000u;
          sums[i][j + f][e] = uintBitsToFloat((is_nan ? b | 0x400000u : b + 0x7fffu + ((b >> 16) & 1u)) & 0xffff0000u);
        }
)";

constexpr const char* kText = R"(layout(constant_id = 0) const bool aligned = false;
layout(constant_id = 1) const bool a_columns = false;
layout(constant_id = 2) const bool b_columns = false;
layout(constant_id = 3) const bool whole = false;  // tiles are aligned, and end where k does
layout(constant_id = 4) const bool wide_lines = false;  // of the result
const bool a_across = a_columns, b_across = !b_columns;  // operands lie across k
const int a_size = rows_of_tile, b_size = columns_of_tile;
// In words of eight elements, with one more a line against bank conflicts.
const int along = depth / 8;  // parts of a line
const int a_line = a_columns ? rows_of_tile / 8 + 1 : along + 1, b_line = b_columns ? along + 1 : columns_of_tile / 8 + 1;
// Where part `number` of a tile lies, as above.
ivec2 part_of(int number, bool along_k, int lines) {
  if (along_k && along >= 8) return ivec2(number / along, number % along * 8);
  return along_k ? ivec2(number / 32 * 8 + number / 4 % 2 * 4 + number % 32 / 8, number % 4 * 8)
                 : ivec2(number % (lines / 8) * 8, number / (lines / 8));
}
$SHIFTED$// How many elements of a part are there.
#define COUNT(o, i, k0) (o##_across ? ((k0) < o##_last[i] ? o##_lines[i] : 0) : clamp(o##_last[i] - (k0), 0, 8))
#define FETCH(o, k0) { \
  const uint64_t before = uint64_t(k0) * o##_each; \
  [[unroll]] for (int i = 0; i < o##_parts; ++i) \
    LOAD_PART(o##_part, o##_word, i, o##_at[i] + before, COUNT(o, i, k0), o##_base) \
}
#define KEEP(o, k0) \
  [[unroll]] for (int i = 0; i < o##_parts; ++i) { \
    uvec4 words; \
    PART_OF(words, o##_part, o##_word, i, o##_at[i] + uint64_t(k0) * o##_each, COUNT(o, i, k0)) \
    const ivec2 p = part_of(me + i * invocations, !o##_across, o##_size); \
    o##_tile[o##_across ? p.y * o##_line + p.x / 8 : p.x * o##_line + p.y / 8] = words; \
  }
#define MULTIPLY { \
  [[unroll]] for (int s = 0; s < depth; s += 16) { \
    LEFT a[high]; \
    RIGHT b[broad]; \
    [[unroll]] for (int i = 0; i < high; ++i) { \
      const int r = row + i * 16; \
      if (a_columns) coopMatLoadNV(a[i], a_tile, s * a_line + r / 8, a_line, true); \
      else coopMatLoadNV(a[i], a_tile, r * a_line + s / 8, a_line, false); \
    } \
    [[unroll]] for (int j = 0; j < broad; ++j) { \
      const int c = column + j * wide; \
      if (b_columns) coopMatLoadNV(b[j], b_tile, c * b_line + s / 8, b_line, true); \
      else coopMatLoadNV(b[j], b_tile, s * b_line + c / 8, b_line, false); \
    } \
    [[unroll]] for (int j = 0; j < broad; ++j) \
      [[unroll]] for (int i = 0; i < high; ++i) sums[i][j] = coopMatMulAddNV(a[i], b[j], sums[i][j]); \
  } \
}
void main() {
  const int me = int(gl_LocalInvocationID.x), mine = int(gl_SubgroupID);
  const int row = mine % $WARP_ROWS$ * (high * 16), column = mine / $WARP_ROWS$ * (broad * wide);
  const int64_t m = args.m, n = args.n;
$PLACE$  const int k = int($K$);
  SUM sums[high][broad];
  [[unroll]] for (int i = 0; i < high; ++i)
    [[unroll]] for (int j = 0; j < broad; ++j) sums[i][j] = SUM(0.0);
  uint64_t a_at[a_parts], b_at[b_parts];
  int a_last[a_parts], b_last[b_parts];  // a part is there while its tile begins below this step
  int a_lines[a_parts], b_lines[b_parts];
  const uint64_t a_each = uint64_t(args.a_column) * 2UL, b_each = uint64_t(args.b_row) * 2UL;
  // Whole tiles read the last lines again instead of those beyond; their sums are not stored. NVIDIA's driver 580 takes
  // two rounded divisions of 64 bits for the same one.
  const int64_t a_end = !whole ? i0 + rows_of_tile : a_columns ? ((m + 7L) & -8L) - 8L : m - 1L;
  const int64_t b_end = !whole ? j0 + columns_of_tile : b_columns ? n - 1L : ((n + 7L) & -8L) - 8L;
  [[unroll]] for (int i = 0; i < a_parts; ++i) {
    const ivec2 p = part_of(me + i * invocations, !a_columns, rows_of_tile);
    a_at[i] = a_base + uint64_t(min(i0 + p.x, a_end) * args.a_row + p.y * args.a_column) * 2UL;
    a_last[i] = i0 + p.x < m ? k - p.y : 0;
    a_lines[i] = int(clamp(m - i0 - p.x, 0L, 8L));
  }
  [[unroll]] for (int i = 0; i < b_parts; ++i) {
    const ivec2 p = part_of(me + i * invocations, b_columns, columns_of_tile);
    b_at[i] = b_base + uint64_t(min(j0 + p.x, b_end) * args.b_column + p.y * args.b_row) * 2UL;
    b_last[i] = j0 + p.x < n ? k - p.y : 0;
    b_lines[i] = int(clamp(n - j0 - p.x, 0L, 8L));
  }
  if (k > 0) {
    uvec4 a_part[a_parts], b_part[b_parts];
    uint a_word[a_parts * 5], b_word[b_parts * 5];
    FETCH(a, 0)
    FETCH(b, 0)
    KEEP(a, 0)
    KEEP(b, 0)
    barrier();
    for (int k0 = depth; k0 < k; k0 += depth) {
      FETCH(a, k0)
      FETCH(b, k0)
      MULTIPLY
      barrier();
      KEEP(a, k0)
      KEEP(b, k0)
      barrier();
    }
    MULTIPLY
    barrier();
  }
)";

constexpr const char* kStore = R"(      if (wide_lines) {
        [[unroll]] for (int q = 0; q < strip / 16; ++q) {
          const int e = lane + q * 32, x = e % (strip / 8);
          const int64_t r = i0 + row + i * 16 + e / (strip / 8), c = j0 + column + j * wide + x * 8;
          if (r < m && c < n) Result(c_base + uint64_t(r * n + c) * 2UL).data = b_tile[own + e / (strip / 8) * strip_line + x];
        }
      } else {
        // Neighbours store neighbouring elements.
        for (int q = 0; q < strip / 2; ++q) {
          const int e = lane + q * 32, line = e / strip, x = e % strip;
          const int64_t r = i0 + row + i * 16 + line, c = j0 + column + j * wide + x;
          const uint word = b_tile[own + line * strip_line + x / 8][x % 8 / 2];
          if (r < m && c < n) Element(c_base + uint64_t(r * n + c) * 2UL).data = uint16_t(bitfieldExtract(word, x % 2 * 16, 16));
        }
      }
)";

constexpr const char* kEpilogue = R"(      $POSITION$ places[parts];
      uint elements[parts];
      bool there[parts];
      [[unroll]] for (int e = 0; e < parts; ++e) {
        const int number = e * 32 + lane, line = number / strip, x = number % strip;
        const int64_t r = i0 + row + i * 16 + line, c = j0 + column + j * wide + x;
        there[e] = r < m && c < n;
        places[e] = $POSITION$(before + uint64_t(r * n + c));
        elements[e] = bitfieldExtract(b_tile[own + line * strip_line + x / 8][x % 8 / 2], x % 2 * 16, 16);
      }
      epilogue(places, elements, there);
)";

struct Tile {
  int rows, columns, warps, warp_rows, depth;
};

FormSizes sizes_of(const Tile& t, bool copied, bool split) { return {2, t.rows, t.columns, t.depth, copied, split}; }

// A part of k is summed without an epilogue, and in strips of 32 columns.
Shader write(const std::string& name, size_t step, const MatrixProduct& p, const Tile& t, ProductKind kind,
             bool copied = false, bool split = false) {
  const int wide = p.narrow ? 8 : 16;
  // The longer of both ways in which an operand's tile may lie.
  auto size = [&](int lines) { return std::max(lines * (t.depth / 8 + 1), t.depth * (lines / 8 + 1)); };
  auto text = [](int v) { return std::to_string(v); };
  Shader shader;
  std::string references, arguments, function, before, store = kStore;
  const int strip = std::min(32, t.columns / (t.warps / t.warp_rows)), line = strip / 8 + 1;
  function = "const int strip = " + text(strip) + ", strip_line = " + text(line) + ";\n";
  if (const auto& e = p.fused.function) {
    for (const std::string& extension : e->extensions) references += "#extension " + extension + " : require\n";
    references += e->references;
    arguments = e->arguments;
    function += "const int parts = strip / 2;\n" + e->prelude.text() + e->function;
    before = "  const uint64_t before = (c_base - args.c) / 2UL;\n";
    store = (p.fused.keep ? store : "") + fill(kEpilogue, {{"POSITION", e->position}});
  }
  const bool whole = kind == ProductKind::WholeMatrix;
  const std::string base = fill(fill(std::string(kHead) + (whole ? kWhole : kText) + (split ? kEndPart : kEnd),
                                     {{"UNITS", kMatrixUnits},
                                      {"DECLARED", kProductArguments},
                                      {"PLACE", kPlace},
                                      {"SHIFTED", std::string(kShiftedWords) + kPartLoads},
                                      {"STORE", store},
                                      {"ROUND", p.type == bfloat16 ? kRound : ""},
                                      {"BEFORE", before}}),
                                {{"BATCH", kBatch}});
  shader.text = fill(fill(fill(base, split ? part_words(4) : whole_words()),
                          {{"REFERENCES", references}, {"ARGUMENTS", arguments}, {"FUNCTION", function}}),
                     {{"SIZE", "2"},
                      {"TM", text(t.rows)},
                      {"TN", text(t.columns)},
                      {"WARPS", text(t.warps)},
                      {"WARP_ROWS", text(t.warp_rows)},
                      {"WIDE", text(wide)},
                      {"DEPTH", text(t.depth)},
                      {"STRIP", text(strip)},
                      {"LEFT", text(kLeftMatrix)},
                      {"RIGHT", text(kRightMatrix)},
                      {"SUM", text(kSumMatrix)},
                      {"A_SIZE", text(size(t.rows))},
                      {"B_SIZE", text(std::max(size(t.columns), t.warps * 16 * line))}});
  shader.matrices = p.type == float16 ? MatrixType::Float16 : MatrixType::Bfloat16;
  shader.kernel.name = name;
  shader.kernel.group_size = static_cast<uint32_t>(32 * t.warps);
  shader.kernel.routine = product_form(kind, sizes_of(t, copied, split), step);
  shader.kernel.routine->epilogue = p.fused.function.has_value();
  return shader;
}

}  // namespace

std::vector<Shader> matrix_products(const RoutineStep& s, const MatrixProduct& product) {
  // Of those that were tried on an H200, the fastest for large results; the small tile keeps more of the chip busy with
  // small results and batches of them.
  constexpr Tile kLarge{128, 256, 8, 2, 32}, kSmall{64, 64, 8, 2, 64}, kSmallPart{64, 64, 4, 2, 64};
  const std::string name = s.name() + "_matrix";
  std::vector<Shader> shaders =
      with_odd_copies(s, product.type, sizes_of(kLarge, true, false),
                      write(name + "_copied", s.number, product, kLarge, ProductKind::WholeMatrix, true));
  shaders.push_back(write(name + "_whole", s.number, product, kLarge, ProductKind::WholeMatrix));
  shaders.push_back(write(name, s.number, product, kLarge, ProductKind::Matrix));
  const MatrixProduct bare{product.type, product.narrow, {}};
  for (Shader& shader :
       with_sums(s, product.type, parts_of(ProductKind::SmallMatrix, sizes_of(kSmallPart, false, true)), product.fused,
                 write(name + "_split", s.number, bare, kSmallPart, ProductKind::SmallMatrix, false, true)))
    shaders.push_back(std::move(shader));
  shaders.push_back(write(name + "_small", s.number, product, kSmall, ProductKind::SmallMatrix));
  return shaders;
}

}  // namespace frit::codegen::glsl
