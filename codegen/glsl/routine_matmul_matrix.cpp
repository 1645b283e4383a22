// Products of float16 matrices by the device's matrix units, through cooperative matrices of 16 by 16 that a subgroup
// holds; sums are float32.
//
// A workgroup computes a tile of the result, each of its subgroups a part of it. Tiles of both operands pass through
// shared memory, the next ones on their way meanwhile. Operands lie in memory side by side along either axis, which is
// a constant of the pipeline; the launch takes this form only where all sizes are multiples of what one access takes.
#include <algorithm>

#include "codegen/glsl/product.h"

namespace frit::codegen::glsl {

namespace {

constexpr const char* kText = R"(#version 460
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
#extension GL_NV_cooperative_matrix : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_KHR_shader_subgroup_basic : require
$REFERENCES$layout(local_size_x = 32 * $WARPS$) in;
layout(constant_id = 0) const bool aligned = false;
layout(constant_id = 1) const bool a_columns = false;
layout(constant_id = 2) const bool b_columns = false;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Words { uvec4 data; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Halves { float16_t data[]; };
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments {
  uint64_t a, b, c;
  int64_t m, n, k, a_row, a_column, b_row, b_column;
  int64_t sizes[4], a_steps[4], b_steps[4];
$ARGUMENTS$};
layout(push_constant, std430) uniform Push { Arguments args; };
$FUNCTION$const int rows_of_tile = $TM$, columns_of_tile = $TN$, depth = $DEPTH$, buffers = $BUFFERS$, invocations = 32 * $WARPS$;
const int high = rows_of_tile / $WARP_ROWS$ / 16, broad = columns_of_tile / ($WARPS$ / $WARP_ROWS$) / 16;  // matrices of a subgroup
// In words of eight halves, with one more a line against bank conflicts.
const int a_line = a_columns ? rows_of_tile / 8 + 1 : depth / 8 + 1, b_line = b_columns ? depth / 8 + 1 : columns_of_tile / 8 + 1;
const int a_size = $A_SIZE$, b_size = $B_SIZE$, a_parts = rows_of_tile * depth / 8 / invocations, b_parts = columns_of_tile * depth / 8 / invocations;
shared uvec4 a_tile[buffers * a_size], b_tile[buffers * b_size];
// Where the parts of an invocation lie: its line (or the first of eight) and its step (or the first of eight) in the tile.
ivec2 part_of(int number, bool along_k, int lines) {
  return along_k ? ivec2(number / (depth / 8), number % (depth / 8) * 8) : ivec2(number % (lines / 8) * 8, number / (lines / 8));
}
void main() {
  const int me = int(gl_LocalInvocationID.x), mine = int(gl_SubgroupID);
  const int row = mine % $WARP_ROWS$ * (high * 16), column = mine / $WARP_ROWS$ * (broad * 16);
  const int64_t m = args.m, n = args.n;
  const int k = int(args.k);
$PLACE$  fcoopmatNV<32, gl_ScopeSubgroup, 16, 16> sums[high][broad];
  [[unroll]] for (int i = 0; i < high; ++i)
    [[unroll]] for (int j = 0; j < broad; ++j) sums[i][j] = fcoopmatNV<32, gl_ScopeSubgroup, 16, 16>(0.0);
  uvec4 a_part[a_parts], b_part[b_parts];
  uint64_t a_at[a_parts], b_at[b_parts];
  int a_last[a_parts], b_last[b_parts];  // a part is there while its tile begins below this step
  const uint64_t a_step = uint64_t(args.a_column) * uint64_t(2 * depth), b_step = uint64_t(args.b_row) * uint64_t(2 * depth);
  [[unroll]] for (int i = 0; i < a_parts; ++i) {
    const ivec2 p = part_of(me + i * invocations, !a_columns, rows_of_tile);
    a_at[i] = a_base + uint64_t((i0 + p.x) * args.a_row + p.y * args.a_column) * 2UL;
    a_last[i] = i0 + p.x < m ? k - p.y : 0;
  }
  [[unroll]] for (int i = 0; i < b_parts; ++i) {
    const ivec2 p = part_of(me + i * invocations, b_columns, columns_of_tile);
    b_at[i] = b_base + uint64_t((j0 + p.x) * args.b_column + p.y * args.b_row) * 2UL;
    b_last[i] = j0 + p.x < n ? k - p.y : 0;
  }
#define FETCH(k0) \
  [[unroll]] for (int i = 0; i < a_parts; ++i) { \
    a_part[i] = uvec4(0u); \
    if (k0 < a_last[i]) a_part[i] = Words(a_at[i]).data; \
    a_at[i] += a_step; \
  } \
  [[unroll]] for (int i = 0; i < b_parts; ++i) { \
    b_part[i] = uvec4(0u); \
    if (k0 < b_last[i]) b_part[i] = Words(b_at[i]).data; \
    b_at[i] += b_step; \
  }
#define KEEP(at) \
  [[unroll]] for (int i = 0; i < a_parts; ++i) { \
    int number = me + i * invocations, per = a_columns ? rows_of_tile / 8 : depth / 8; \
    a_tile[at * a_size + number / per * a_line + number % per] = a_part[i]; \
  } \
  [[unroll]] for (int i = 0; i < b_parts; ++i) { \
    int number = me + i * invocations, per = b_columns ? depth / 8 : columns_of_tile / 8; \
    b_tile[at * b_size + number / per * b_line + number % per] = b_part[i]; \
  }
  FETCH(0)
  KEEP(0)
  barrier();
  int at = 0;
  for (int k0 = 0; k0 < k; k0 += depth) {
    const bool more = k0 + depth < k;
    if (more) {
      FETCH(k0 + depth)
    }
    [[unroll]] for (int s = 0; s < depth; s += 16) {
      fcoopmatNV<16, gl_ScopeSubgroup, 16, 16> a[high], b;
      [[unroll]] for (int i = 0; i < high; ++i) {
        int r = row + i * 16;
        coopMatLoadNV(a[i], a_tile, at * a_size + (a_columns ? s * a_line + r / 8 : r * a_line + s / 8), a_line, a_columns);
      }
      [[unroll]] for (int j = 0; j < broad; ++j) {
        int c = column + j * 16;
        coopMatLoadNV(b, b_tile, at * b_size + (b_columns ? c * b_line + s / 8 : s * b_line + c / 8), b_line, b_columns);
        [[unroll]] for (int i = 0; i < high; ++i) sums[i][j] = coopMatMulAddNV(a[i], b, sums[i][j]);
      }
    }
    if (buffers == 1) barrier();
    else at = 1 - at;
    if (more) {
      KEEP(at)
    }
    barrier();
  }
$STORE$}
)";

constexpr const char* kStore = R"(  [[unroll]] for (int i = 0; i < high; ++i)
    [[unroll]] for (int j = 0; j < broad; ++j) {
      int64_t r = i0 + row + i * 16, c = j0 + column + j * 16;
      if (r < m && c < n) {
        fcoopmatNV<16, gl_ScopeSubgroup, 16, 16> rounded = fcoopmatNV<16, gl_ScopeSubgroup, 16, 16>(sums[i][j]);
        coopMatStoreNV(rounded, Halves(c_base + uint64_t(r * n + c) * 2UL).data, 0, uint(n), false);
      }
    }
)";

// Each subgroup lays one of its matrices after the other into a part of shared memory and takes its elements from
// there.
constexpr const char* kEpilogue = R"(  const uint64_t before = (c_base - args.c) / 2UL;
  const int lane = int(gl_SubgroupInvocationID);
  for (int pass = 0; pass < high * broad; ++pass) {
    barrier();
    [[unroll]] for (int i = 0; i < high; ++i)
      [[unroll]] for (int j = 0; j < broad; ++j)
        if (i * broad + j == pass) {
          fcoopmatNV<16, gl_ScopeSubgroup, 16, 16> rounded = fcoopmatNV<16, gl_ScopeSubgroup, 16, 16>(sums[i][j]);
          coopMatStoreNV(rounded, a_tile, mine * 32, 2, false);
        }
    barrier();
    const int64_t r = i0 + row + pass / broad * 16, c = j0 + column + pass % broad * 16;
    $POSITION$ places[parts];
    uint elements[parts];
    bool there[parts];
    [[unroll]] for (int e = 0; e < parts; ++e) {
      const int number = e * 32 + lane;
      const uint word = a_tile[mine * 32 + number / 8][number % 8 / 2];
      there[e] = r < m && c < n;
      places[e] = $POSITION$(before + uint64_t((r + number / 16) * n + c + number % 16));
      elements[e] = bitfieldExtract(word, number % 2 * 16, 16);
    }
    epilogue(places, elements, there);
  }
)";

}  // namespace

Shader matrix_product(const std::string& name, size_t step, const FusedEpilogue& fused) {
  // Of what was tried on an H200, the fastest; two buffers of smaller tiles and larger tiles of a subgroup are not.
  constexpr int tm = 128, tn = 256, depth = 32, buffers = 1, warps = 16, warp_rows = 2;
  // The longer of both ways in which an operand's tile may lie.
  auto size = [&](int lines) { return std::max(lines * (depth / 8 + 1), depth * (lines / 8 + 1)); };
  auto text = [](int v) { return std::to_string(v); };
  static_assert(warps * 32 * 8 <= tm * depth, "an operand's tile has room for a matrix of each subgroup");
  Shader shader;
  std::string references, arguments, function, store = kStore;
  if (const auto& e = fused.function) {
    for (const std::string& extension : e->extensions) references += "#extension " + extension + " : require\n";
    references += e->references;
    arguments = e->arguments;
    function = "const int parts = 8;\n" + e->prelude.text() + e->function;
    store = (fused.keep ? store : "") + fill(kEpilogue, {{"POSITION", e->position}});
  }
  const std::string base = fill(kText, {{"PLACE", kPlace}, {"STORE", store}});
  shader.text = fill(fill(base, {{"REFERENCES", references}, {"ARGUMENTS", arguments}, {"FUNCTION", function}}),
                     {{"SIZE", "2"},
                      {"TM", text(tm)},
                      {"TN", text(tn)},
                      {"DEPTH", text(depth)},
                      {"BUFFERS", text(buffers)},
                      {"WARPS", text(warps)},
                      {"WARP_ROWS", text(warp_rows)},
                      {"A_SIZE", text(size(tm))},
                      {"B_SIZE", text(size(tn))}});
  shader.kernel.name = name;
  shader.kernel.group_size = static_cast<uint32_t>(32 * warps);
  shader.kernel.routine = product_form(ProductKind::Matrix, step, 2, tm, tn);
  shader.kernel.routine->epilogue = fused.function.has_value();
  return shader;
}

}  // namespace frit::codegen::glsl
