// Products of float16 matrices by the device's matrix units, through cooperative matrices of 16 by 16 that a subgroup holds; sums are float32.
//
// A workgroup of eight subgroups computes 128 by 128 of the result, a subgroup 64 by 32. Operands lie in memory side by side along either
// axis, which is a constant of the pipeline; the launch takes this form only where all sizes are multiples of what one access takes.
#include "codegen/glsl/routine.h"

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
layout(local_size_x = 256) in;
layout(constant_id = 0) const bool aligned = false;
layout(constant_id = 1) const bool a_columns = false;
layout(constant_id = 2) const bool b_columns = false;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Words { uvec4 data; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Halves { float16_t data[]; };
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments {
  uint64_t a, b, c;
  int64_t m, n, k, a_row, a_column, b_row, b_column;
  int64_t sizes[4], a_steps[4], b_steps[4];
};
layout(push_constant, std430) uniform Push { Arguments args; };
const int rows_of_tile = 128, columns_of_tile = 128, depth = 32;
// In words of eight halves, with one more a line against bank conflicts.
const int a_line = a_columns ? rows_of_tile / 8 + 1 : depth / 8 + 1, b_line = b_columns ? depth / 8 + 1 : columns_of_tile / 8 + 1;
shared uvec4 a_tile[128 * 5], b_tile[128 * 5];
void fetch(out uvec4 part[2], uint64_t base, int64_t lines, int64_t at, int64_t k0, int64_t k, int64_t line, int64_t step, bool along_k, int me) {
  [[unroll]] for (int i = 0; i < 2; ++i) {
    int number = me + i * 256;
    int l = along_k ? number / 4 : number % 16 * 8, s = along_k ? number % 4 * 8 : number / 16;
    part[i] = uvec4(0u);
    if (at + l < lines && k0 + s < k) part[i] = Words(base + uint64_t((at + l) * line + (k0 + s) * step) * 2UL).data;
  }
}
void main() {
  const int me = int(gl_LocalInvocationID.x), mine = int(gl_SubgroupID), row = mine / 4 * 64, column = mine % 4 * 32;
  const int64_t m = args.m, n = args.n, k = args.k;
$PLACE$  fcoopmatNV<32, gl_ScopeSubgroup, 16, 16> sums[4][2];
  [[unroll]] for (int i = 0; i < 4; ++i) [[unroll]] for (int j = 0; j < 2; ++j) sums[i][j] = fcoopmatNV<32, gl_ScopeSubgroup, 16, 16>(0.0);
  uvec4 a_part[2], b_part[2];
  fetch(a_part, a_base, m, i0, 0L, k, args.a_row, args.a_column, !a_columns, me);
  fetch(b_part, b_base, n, j0, 0L, k, args.b_column, args.b_row, b_columns, me);
  for (int64_t k0 = 0L; k0 < k; k0 += depth) {
    barrier();
    [[unroll]] for (int i = 0; i < 2; ++i) {
      int number = me + i * 256;
      a_tile[a_columns ? number / 16 * a_line + number % 16 : number / 4 * a_line + number % 4] = a_part[i];
      b_tile[b_columns ? number / 4 * b_line + number % 4 : number / 16 * b_line + number % 16] = b_part[i];
    }
    barrier();
    if (k0 + depth < k) {
      fetch(a_part, a_base, m, i0, k0 + depth, k, args.a_row, args.a_column, !a_columns, me);
      fetch(b_part, b_base, n, j0, k0 + depth, k, args.b_column, args.b_row, b_columns, me);
    }
    [[unroll]] for (int s = 0; s < depth; s += 16) {
      fcoopmatNV<16, gl_ScopeSubgroup, 16, 16> a[4], b;
      [[unroll]] for (int i = 0; i < 4; ++i) {
        int r = row + i * 16;
        coopMatLoadNV(a[i], a_tile, a_columns ? s * a_line + r / 8 : r * a_line + s / 8, a_line, a_columns);
      }
      [[unroll]] for (int j = 0; j < 2; ++j) {
        int c = column + j * 16;
        coopMatLoadNV(b, b_tile, b_columns ? c * b_line + s / 8 : s * b_line + c / 8, b_line, b_columns);
        [[unroll]] for (int i = 0; i < 4; ++i) sums[i][j] = coopMatMulAddNV(a[i], b, sums[i][j]);
      }
    }
  }
  [[unroll]] for (int i = 0; i < 4; ++i)
    [[unroll]] for (int j = 0; j < 2; ++j) {
      int64_t r = i0 + row + i * 16, c = j0 + column + j * 16;
      if (r < m && c < n) {
        fcoopmatNV<16, gl_ScopeSubgroup, 16, 16> rounded = fcoopmatNV<16, gl_ScopeSubgroup, 16, 16>(sums[i][j]);
        coopMatStoreNV(rounded, Halves(args.c + uint64_t(r * n + c) * 2UL).data, 0, uint(n), false);
      }
    }
}
)";

}  // namespace

Shader matrix_product(const std::string& name) {
  Shader shader;
  shader.text = fill(kText, {{"PLACE", fill(kPlace, {{"SIZE", "2"}, {"TILE", "128"}})}});
  shader.kernel.name = name;
  shader.kernel.group_size = 256;
  shader.kernel.tile_rows = shader.kernel.tile_columns = 128;
  return shader;
}

}  // namespace frit::codegen::glsl
