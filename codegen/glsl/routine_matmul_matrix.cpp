// Products of float16 and bfloat16 matrices by the device's matrix units, through cooperative matrices that a subgroup
// holds; sums are float32.
//
// A workgroup computes a tile of the result, each of its subgroups a part of it. Tiles of both operands pass through
// shared memory, the next ones on their way meanwhile. Operands lie in memory side by side along either axis, which is
// a constant of the pipeline. Where addresses or sizes do not allow 16-byte loads, the words around eight elements are
// loaded and shifted; elements outside of the operands are zero.
#include <algorithm>

#include "codegen/glsl/product.h"

namespace frit::codegen::glsl {

namespace {

constexpr const char* kText = R"(#version 460
$UNITS$#extension GL_EXT_shader_16bit_storage : require
#extension GL_KHR_shader_subgroup_basic : require
$REFERENCES$layout(local_size_x = 32 * $WARPS$) in;
layout(constant_id = 0) const bool aligned = false;
layout(constant_id = 1) const bool a_columns = false;
layout(constant_id = 2) const bool b_columns = false;
layout(constant_id = 3) const bool whole = false;  // tiles are aligned, and end where k does
layout(constant_id = 4) const bool wide_lines = false;  // of the result
layout(constant_id = $LEFT$) const int left_rows = 16;
layout(constant_id = $RIGHT$) const int right_rows = 16;
layout(constant_id = $SUM$) const int sum_rows = 16;
layout(buffer_reference, std430, buffer_reference_align = 16) readonly restrict buffer Words { uvec4 data; };
layout(buffer_reference, std430, buffer_reference_align = 4) readonly restrict buffer Word { uint data; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Result { uvec4 data; };
layout(buffer_reference, std430, buffer_reference_align = 2) buffer Element { uint16_t data; };
$DECLARED$$FUNCTION$const int rows_of_tile = $TM$, columns_of_tile = $TN$, depth = 32, invocations = 32 * $WARPS$, wide = $WIDE$;
const int high = rows_of_tile / $WARP_ROWS$ / 16, broad = columns_of_tile / ($WARPS$ / $WARP_ROWS$) / wide;  // matrices of a subgroup
// In words of eight elements, with one more a line against bank conflicts.
const int a_line = a_columns ? rows_of_tile / 8 + 1 : 5, b_line = b_columns ? 5 : columns_of_tile / 8 + 1;
const int a_parts = rows_of_tile * 4 / invocations, b_parts = columns_of_tile * 4 / invocations;
shared uvec4 a_tile[$A_SIZE$], b_tile[$B_SIZE$];
// Where part `number` of a tile lies: its line (or the first of eight) and its step (or the first of eight). Parts that
// neighbours write lie in different banks.
ivec2 part_of(int number, bool along_k, int lines) {
  return along_k ? ivec2(number / 32 * 8 + number / 4 % 2 * 4 + number % 32 / 8, number % 4 * 8)
                 : ivec2(number % (lines / 8) * 8, number / (lines / 8));
}
// `count` elements from an address that is a multiple of 2.
uvec4 shifted(uint64_t at, int count) {
  const uint64_t first = at & ~3UL;
  const int odd = int(uint(at) >> 1) & 1;
  uint w[5];
  [[unroll]] for (int i = 0; i < 5; ++i) {
    w[i] = 0u;
    if (count > 0 && 2 * i - odd < count) w[i] = Word(first + uint64_t(4 * i)).data;
  }
  uvec4 words;
  [[unroll]] for (int i = 0; i < 4; ++i) {
    words[i] = odd == 1 ? w[i] >> 16 | w[i + 1] << 16 : w[i];
    if (2 * i + 1 >= count) words[i] &= 2 * i >= count ? 0u : 0xffffu;
  }
  return words;
}
#define LEFT fcoopmatNV<16, gl_ScopeSubgroup, left_rows, 16>
#define RIGHT fcoopmatNV<16, gl_ScopeSubgroup, right_rows, wide>
#define SUM fcoopmatNV<32, gl_ScopeSubgroup, sum_rows, wide>
#define ROUNDED fcoopmatNV<16, gl_ScopeSubgroup, sum_rows, wide>
void main() {
  const int me = int(gl_LocalInvocationID.x), mine = int(gl_SubgroupID), lane = int(gl_SubgroupInvocationID);
  const int row = mine % $WARP_ROWS$ * (high * 16), column = mine / $WARP_ROWS$ * (broad * wide);
  const int64_t m = args.m, n = args.n;
  const int k = int(args.k);
$PLACE$  SUM sums[high][broad];
  [[unroll]] for (int i = 0; i < high; ++i)
    [[unroll]] for (int j = 0; j < broad; ++j) sums[i][j] = SUM(0.0);
  uvec4 a_part[a_parts], b_part[b_parts];
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
#define PART(part, at, last, lines, columns, k0) \
  if (whole) { \
    part = Words(at).data; \
  } else if (aligned) { \
    part = uvec4(0u); \
    if (k0 < last) part = Words(at).data; \
  } else { \
    part = shifted(at, columns ? (k0 < last ? lines : 0) : clamp(last - (k0), 0, 8)); \
  }
#define FETCH(k0) { \
  const uint64_t before = uint64_t(whole ? min(k0, k - depth) : k0), a_before = before * a_each, b_before = before * b_each; \
  [[unroll]] for (int i = 0; i < a_parts; ++i) \
    PART(a_part[i], a_at[i] + a_before, a_last[i], a_lines[i], a_columns, k0) \
  [[unroll]] for (int i = 0; i < b_parts; ++i) \
    PART(b_part[i], b_at[i] + b_before, b_last[i], b_lines[i], !b_columns, k0) \
}
#define KEEP \
  [[unroll]] for (int i = 0; i < a_parts; ++i) { \
    const ivec2 p = part_of(me + i * invocations, !a_columns, rows_of_tile); \
    a_tile[a_columns ? p.y * a_line + p.x / 8 : p.x * a_line + p.y / 8] = a_part[i]; \
  } \
  [[unroll]] for (int i = 0; i < b_parts; ++i) { \
    const ivec2 p = part_of(me + i * invocations, b_columns, columns_of_tile); \
    b_tile[b_columns ? p.x * b_line + p.y / 8 : p.y * b_line + p.x / 8] = b_part[i]; \
  }
  FETCH(0)
  KEEP
  barrier();
  for (int k0 = 0; k0 < k; k0 += depth) {
    const bool more = whole || k0 + depth < k;
    if (more) {
      FETCH(k0 + depth)
    }
    [[unroll]] for (int s = 0; s < depth; s += 16) {
      LEFT a[high];
      RIGHT b[broad];
      [[unroll]] for (int i = 0; i < high; ++i) {
        const int r = row + i * 16;
        if (a_columns) coopMatLoadNV(a[i], a_tile, s * a_line + r / 8, a_line, true);
        else coopMatLoadNV(a[i], a_tile, r * a_line + s / 8, a_line, false);
      }
      [[unroll]] for (int j = 0; j < broad; ++j) {
        const int c = column + j * wide;
        if (b_columns) coopMatLoadNV(b[j], b_tile, c * b_line + s / 8, b_line, true);
        else coopMatLoadNV(b[j], b_tile, s * b_line + c / 8, b_line, false);
      }
      [[unroll]] for (int j = 0; j < broad; ++j)
        [[unroll]] for (int i = 0; i < high; ++i) sums[i][j] = coopMatMulAddNV(a[i], b[j], sums[i][j]);
    }
    barrier();
    if (more) {
      KEEP
    }
    barrier();
  }
  // Rounded results pass through a part of shared memory of each subgroup, 16 rows of $STRIP$ at a time.
  const int own = mine * (16 * strip_line);
$BEFORE$  [[unroll]] for (int i = 0; i < high; ++i)
    [[unroll]] for (int j = 0; j < broad; j += strip / wide) {
      subgroupBarrier();
      [[unroll]] for (int f = 0; f < strip / wide; ++f) {
        ROUNDED rounded = ROUNDED(sums[i][j + f]);
        coopMatStoreNV(rounded, b_tile, own + f * (wide / 8), strip_line, false);
      }
      subgroupBarrier();
$STORE$    }
}
)";

constexpr const char* kStore = R"(      [[unroll]] for (int q = 0; q < strip / 16; ++q) {
        const int e = lane + q * 32, x = e % (strip / 8);
        const int64_t r = i0 + row + i * 16 + e / (strip / 8), c = j0 + column + j * wide + x * 8;
        const uvec4 words = b_tile[own + e / (strip / 8) * strip_line + x];
        if (r < m) {
          const uint64_t at = c_base + uint64_t(r * n + c) * 2UL;
          if (wide_lines) {
            if (c < n) Result(at).data = words;
          } else {
            [[unroll]] for (int h = 0; h < 8; ++h)
              if (c + h < n) Element(at + uint64_t(2 * h)).data = uint16_t(bitfieldExtract(words[h / 2], h % 2 * 16, 16));
          }
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

constexpr int kDepth = 32;

struct Tile {
  int rows, columns, warps, warp_rows;
};

Shader write(const std::string& name, size_t step, const MatrixProduct& p, const Tile& t, ProductKind kind,
             bool copied = false) {
  const int wide = p.narrow ? 8 : 16;
  // The longer of both ways in which an operand's tile may lie.
  auto size = [&](int lines) { return std::max(lines * (kDepth / 8 + 1), kDepth * (lines / 8 + 1)); };
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
  const std::string base = fill(fill(kText, {{"UNITS", kMatrixUnits},
                                             {"DECLARED", kProductArguments},
                                             {"PLACE", kPlace},
                                             {"STORE", store},
                                             {"BEFORE", before}}),
                                {{"BATCH", kBatch}});
  shader.text = fill(fill(base, {{"REFERENCES", references}, {"ARGUMENTS", arguments}, {"FUNCTION", function}}),
                     {{"SIZE", "2"},
                      {"TM", text(t.rows)},
                      {"TN", text(t.columns)},
                      {"WARPS", text(t.warps)},
                      {"WARP_ROWS", text(t.warp_rows)},
                      {"WIDE", text(wide)},
                      {"STRIP", text(strip)},
                      {"LEFT", text(kLeftMatrix)},
                      {"RIGHT", text(kRightMatrix)},
                      {"SUM", text(kSumMatrix)},
                      {"A_SIZE", text(size(t.rows))},
                      {"B_SIZE", text(std::max(size(t.columns), t.warps * 16 * line))}});
  shader.matrices = p.type == float16 ? MatrixType::Float16 : MatrixType::Bfloat16;
  shader.kernel.name = name;
  shader.kernel.group_size = static_cast<uint32_t>(32 * t.warps);
  shader.kernel.routine = product_form(kind, {2, t.rows, t.columns, kDepth, copied}, step);
  shader.kernel.routine->epilogue = p.fused.function.has_value();
  return shader;
}

}  // namespace

std::vector<Shader> matrix_products(const RoutineStep& s, const MatrixProduct& product) {
  // Of those that were tried on an H200, the fastest for large results; the small tile keeps more of the chip busy with
  // small results and batches of them.
  constexpr Tile kLarge{128, 256, 8, 2}, kSmall{64, 64, 4, 2};
  const std::string name = s.name() + "_matrix";
  std::vector<Shader> shaders =
      with_copies(s, product.type, {2, kLarge.rows, kLarge.columns, kDepth, true}, false,
                  write(name + "_copied", s.number, product, kLarge, ProductKind::Matrix, true));
  shaders.push_back(write(name, s.number, product, kLarge, ProductKind::Matrix));
  shaders.push_back(write(name + "_small", s.number, product, kSmall, ProductKind::SmallMatrix));
  return shaders;
}

}  // namespace frit::codegen::glsl
