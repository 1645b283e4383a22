// shader routine0
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 256) in;
layout(constant_id = 0) const bool aligned = false;
layout(buffer_reference, std430, buffer_reference_align = 2) buffer Element { uint16_t data; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Words { uvec4 data; };
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments {
  uint64_t a, b, c;
  int64_t m, n, k, a_row, a_column, b_row, b_column;
  int64_t sizes[4], a_steps[4], b_steps[4];
};
layout(push_constant, std430) uniform Push { Arguments args; };
float f16_to_f32(uint h) {
  uint m = h & 0x7fffu;
  uint bits = m >= 0x7c00u ? (m << 13) | 0x7f800000u : m >= 0x400u ? (m << 13) + 0x38000000u : floatBitsToUint(float(m) * 5.96046448e-08);
  return uintBitsToFloat(bits | (h & 0x8000u) << 16);
}
uint f32_to_f16(float x) {
  uint b = floatBitsToUint(x), m = b & 0x7fffffffu, sign = (b >> 16) & 0x8000u, h;
  if (m > 0x7f800000u) h = 0x7e00u;
  else if (m >= 0x477ff000u) h = 0x7c00u;
  else if (m >= 0x38800000u) h = (m - 0x38000000u + 0xfffu + ((m >> 13) & 1u)) >> 13;
  else {
    // A subnormal half: the significand moved right, with half of what is lost added, less one where it would round up to odd.
    uint e = m >> 23;
    uint s = 126u - e, f = (m & 0x7fffffu) | 0x800000u;
    h = e < 102u ? 0u : (f + ((1u << (s - 1u)) - 1u) + ((f >> s) & 1u)) >> s;
  }
  return sign | h;
}
#define PUT(i, j, sum) if (i0 + (i) < m && j0 + (j) < n) Element(c_base + uint64_t((i0 + (i)) * n + j0 + (j)) * 2UL).data = uint16_t(f32_to_f16(sum));

const int tile = 128, depth = 16, unit = 8, per = 8;  // elements of a wide load; elements that an invocation loads of each operand
const bool wide = aligned;
shared float a_tile[depth * (tile + 4)], b_tile[depth * (tile + 4)];
#define FROM_MEMORY(x) (f16_to_f32(uint(x)))
// Reads this invocation's part of a tile: `lines` rows or columns from `at` on, steps from `k0` on. `line` and `step` are strides.
void fetch(out uvec4 words[per / unit + 1], out float part[per], uint64_t base, int64_t lines, int64_t at, int64_t k0, int64_t k, int64_t line,
           int64_t step, int me) {
  if (wide) {
    [[unroll]] for (int i = 0; i < per / unit; ++i) {
      int number = me + i * 256;
      // Side by side along k, or along the lines.
      int l = step == 1 ? number / (depth / unit) : number % (tile / unit) * unit;
      int s = step == 1 ? number % (depth / unit) * unit : number / (tile / unit);
      words[i] = uvec4(0u);
      if (at + l < lines && k0 + s < k) words[i] = Words(base + uint64_t((at + l) * line + (k0 + s) * step) * 2UL).data;
    }
  } else {
    [[unroll]] for (int i = 0; i < per; ++i) {
      int number = me + i * 256;
      int l = step == 1 ? number / depth : number % tile;
      int s = step == 1 ? number % depth : number / tile;
      part[i] = float(0);
      if (at + l < lines && k0 + s < k) part[i] = FROM_MEMORY(Element(base + uint64_t((at + l) * line + (k0 + s) * step) * 2UL).data);
    }
  }
}
#define KEEP(where, words, part, step, me) \
  if (wide) { \
    [[unroll]] for (int i = 0; i < per / unit; ++i) { \
      int number = me + i * 256; \
      int l = step == 1 ? number / (depth / unit) : number % (tile / unit) * unit; \
      int s = step == 1 ? number % (depth / unit) * unit : number / (tile / unit); \
      const uvec4 w = words[i]; \
      float values[unit]; \
      values[0] = f16_to_f32(bitfieldExtract(w.x, 0, 16)); \
      values[1] = f16_to_f32(bitfieldExtract(w.x, 16, 16)); \
      values[2] = f16_to_f32(bitfieldExtract(w.y, 0, 16)); \
      values[3] = f16_to_f32(bitfieldExtract(w.y, 16, 16)); \
      values[4] = f16_to_f32(bitfieldExtract(w.z, 0, 16)); \
      values[5] = f16_to_f32(bitfieldExtract(w.z, 16, 16)); \
      values[6] = f16_to_f32(bitfieldExtract(w.w, 0, 16)); \
      values[7] = f16_to_f32(bitfieldExtract(w.w, 16, 16)); \
      [[unroll]] for (int j = 0; j < unit; ++j) where[(step == 1 ? s + j : s) * (tile + 4) + (step == 1 ? l : l + j)] = values[j]; \
    } \
  } else { \
    [[unroll]] for (int i = 0; i < per; ++i) { \
      int number = me + i * 256; \
      int l = step == 1 ? number / depth : number % tile; \
      int s = step == 1 ? number % depth : number / tile; \
      where[s * (tile + 4) + l] = part[i]; \
    } \
  }
void main() {
  const int me = int(gl_LocalInvocationID.x), row = me / 16, column = me % 16;
  const int64_t m = args.m, n = args.n, k = args.k;
  uint64_t group = uint64_t(gl_WorkGroupID.y) * uint64_t(gl_NumWorkGroups.x) + uint64_t(gl_WorkGroupID.x);
  const uint64_t columns = uint64_t(n + 128 - 1) / 128UL, rows = uint64_t(m + 128 - 1) / 128UL;
  uint64_t batch = group / (columns * rows);
  if (batch >= uint64_t(args.sizes[0] * args.sizes[1] * args.sizes[2] * args.sizes[3])) return;
  group -= batch * columns * rows;
  const uint64_t c_base = args.c + batch * uint64_t(m * n) * 2UL;
  int64_t a_offset = 0L, b_offset = 0L;
  for (int i = 3; i >= 0; --i) {
    int64_t at = int64_t(batch % uint64_t(args.sizes[i]));
    batch /= uint64_t(args.sizes[i]);
    a_offset += at * args.a_steps[i];
    b_offset += at * args.b_steps[i];
  }
  // Tiles in bands of eight rows, so that what runs at once reads the same parts of both operands.
  const uint64_t band = group / (8UL * columns), first = band * 8UL, height = min(rows - first, 8UL);
  const int64_t i0 = int64_t(first + (group - band * 8UL * columns) % height) * 128;
  const int64_t j0 = int64_t((group - band * 8UL * columns) / height) * 128;
  const uint64_t a_base = args.a + uint64_t(a_offset) * 2UL, b_base = args.b + uint64_t(b_offset) * 2UL;
  const int64_t a_row = args.a_row, a_column = args.a_column, b_row = args.b_row, b_column = args.b_column;
  float a_part[per], b_part[per];
  uvec4 a_words[per / unit + 1], b_words[per / unit + 1];
  float c0_0 = float(0);
  float c0_1 = float(0);
  float c0_2 = float(0);
  float c0_3 = float(0);
  float c0_4 = float(0);
  float c0_5 = float(0);
  float c0_6 = float(0);
  float c0_7 = float(0);
  float c1_0 = float(0);
  float c1_1 = float(0);
  float c1_2 = float(0);
  float c1_3 = float(0);
  float c1_4 = float(0);
  float c1_5 = float(0);
  float c1_6 = float(0);
  float c1_7 = float(0);
  float c2_0 = float(0);
  float c2_1 = float(0);
  float c2_2 = float(0);
  float c2_3 = float(0);
  float c2_4 = float(0);
  float c2_5 = float(0);
  float c2_6 = float(0);
  float c2_7 = float(0);
  float c3_0 = float(0);
  float c3_1 = float(0);
  float c3_2 = float(0);
  float c3_3 = float(0);
  float c3_4 = float(0);
  float c3_5 = float(0);
  float c3_6 = float(0);
  float c3_7 = float(0);
  float c4_0 = float(0);
  float c4_1 = float(0);
  float c4_2 = float(0);
  float c4_3 = float(0);
  float c4_4 = float(0);
  float c4_5 = float(0);
  float c4_6 = float(0);
  float c4_7 = float(0);
  float c5_0 = float(0);
  float c5_1 = float(0);
  float c5_2 = float(0);
  float c5_3 = float(0);
  float c5_4 = float(0);
  float c5_5 = float(0);
  float c5_6 = float(0);
  float c5_7 = float(0);
  float c6_0 = float(0);
  float c6_1 = float(0);
  float c6_2 = float(0);
  float c6_3 = float(0);
  float c6_4 = float(0);
  float c6_5 = float(0);
  float c6_6 = float(0);
  float c6_7 = float(0);
  float c7_0 = float(0);
  float c7_1 = float(0);
  float c7_2 = float(0);
  float c7_3 = float(0);
  float c7_4 = float(0);
  float c7_5 = float(0);
  float c7_6 = float(0);
  float c7_7 = float(0);
  fetch(a_words, a_part, a_base, m, i0, 0L, k, a_row, a_column, me);
  fetch(b_words, b_part, b_base, n, j0, 0L, k, b_column, b_row, me);
  for (int64_t k0 = 0L; k0 < k; k0 += depth) {
    barrier();
    KEEP(a_tile, a_words, a_part, a_column, me)
    KEEP(b_tile, b_words, b_part, b_row, me)
    barrier();
    if (k0 + depth < k) {
      fetch(a_words, a_part, a_base, m, i0, k0 + depth, k, a_row, a_column, me);
      fetch(b_words, b_part, b_base, n, j0, k0 + depth, k, b_column, b_row, me);
    }
    [[unroll]] for (int s = 0; s < depth; ++s) {
      float a0 = a_tile[s * (tile + 4) + 0 + row * 4 + 0];
      float a1 = a_tile[s * (tile + 4) + 0 + row * 4 + 1];
      float a2 = a_tile[s * (tile + 4) + 0 + row * 4 + 2];
      float a3 = a_tile[s * (tile + 4) + 0 + row * 4 + 3];
      float a4 = a_tile[s * (tile + 4) + 64 + row * 4 + 0];
      float a5 = a_tile[s * (tile + 4) + 64 + row * 4 + 1];
      float a6 = a_tile[s * (tile + 4) + 64 + row * 4 + 2];
      float a7 = a_tile[s * (tile + 4) + 64 + row * 4 + 3];
      float b0 = b_tile[s * (tile + 4) + 0 + column * 4 + 0];
      float b1 = b_tile[s * (tile + 4) + 0 + column * 4 + 1];
      float b2 = b_tile[s * (tile + 4) + 0 + column * 4 + 2];
      float b3 = b_tile[s * (tile + 4) + 0 + column * 4 + 3];
      float b4 = b_tile[s * (tile + 4) + 64 + column * 4 + 0];
      float b5 = b_tile[s * (tile + 4) + 64 + column * 4 + 1];
      float b6 = b_tile[s * (tile + 4) + 64 + column * 4 + 2];
      float b7 = b_tile[s * (tile + 4) + 64 + column * 4 + 3];
      c0_0 = fma(a0, b0, c0_0);
      c0_1 = fma(a0, b1, c0_1);
      c0_2 = fma(a0, b2, c0_2);
      c0_3 = fma(a0, b3, c0_3);
      c0_4 = fma(a0, b4, c0_4);
      c0_5 = fma(a0, b5, c0_5);
      c0_6 = fma(a0, b6, c0_6);
      c0_7 = fma(a0, b7, c0_7);
      c1_0 = fma(a1, b0, c1_0);
      c1_1 = fma(a1, b1, c1_1);
      c1_2 = fma(a1, b2, c1_2);
      c1_3 = fma(a1, b3, c1_3);
      c1_4 = fma(a1, b4, c1_4);
      c1_5 = fma(a1, b5, c1_5);
      c1_6 = fma(a1, b6, c1_6);
      c1_7 = fma(a1, b7, c1_7);
      c2_0 = fma(a2, b0, c2_0);
      c2_1 = fma(a2, b1, c2_1);
      c2_2 = fma(a2, b2, c2_2);
      c2_3 = fma(a2, b3, c2_3);
      c2_4 = fma(a2, b4, c2_4);
      c2_5 = fma(a2, b5, c2_5);
      c2_6 = fma(a2, b6, c2_6);
      c2_7 = fma(a2, b7, c2_7);
      c3_0 = fma(a3, b0, c3_0);
      c3_1 = fma(a3, b1, c3_1);
      c3_2 = fma(a3, b2, c3_2);
      c3_3 = fma(a3, b3, c3_3);
      c3_4 = fma(a3, b4, c3_4);
      c3_5 = fma(a3, b5, c3_5);
      c3_6 = fma(a3, b6, c3_6);
      c3_7 = fma(a3, b7, c3_7);
      c4_0 = fma(a4, b0, c4_0);
      c4_1 = fma(a4, b1, c4_1);
      c4_2 = fma(a4, b2, c4_2);
      c4_3 = fma(a4, b3, c4_3);
      c4_4 = fma(a4, b4, c4_4);
      c4_5 = fma(a4, b5, c4_5);
      c4_6 = fma(a4, b6, c4_6);
      c4_7 = fma(a4, b7, c4_7);
      c5_0 = fma(a5, b0, c5_0);
      c5_1 = fma(a5, b1, c5_1);
      c5_2 = fma(a5, b2, c5_2);
      c5_3 = fma(a5, b3, c5_3);
      c5_4 = fma(a5, b4, c5_4);
      c5_5 = fma(a5, b5, c5_5);
      c5_6 = fma(a5, b6, c5_6);
      c5_7 = fma(a5, b7, c5_7);
      c6_0 = fma(a6, b0, c6_0);
      c6_1 = fma(a6, b1, c6_1);
      c6_2 = fma(a6, b2, c6_2);
      c6_3 = fma(a6, b3, c6_3);
      c6_4 = fma(a6, b4, c6_4);
      c6_5 = fma(a6, b5, c6_5);
      c6_6 = fma(a6, b6, c6_6);
      c6_7 = fma(a6, b7, c6_7);
      c7_0 = fma(a7, b0, c7_0);
      c7_1 = fma(a7, b1, c7_1);
      c7_2 = fma(a7, b2, c7_2);
      c7_3 = fma(a7, b3, c7_3);
      c7_4 = fma(a7, b4, c7_4);
      c7_5 = fma(a7, b5, c7_5);
      c7_6 = fma(a7, b6, c7_6);
      c7_7 = fma(a7, b7, c7_7);
    }
  }
  PUT(0 + row * 4 + 0, 0 + column * 4 + 0, c0_0)
  PUT(0 + row * 4 + 0, 0 + column * 4 + 1, c0_1)
  PUT(0 + row * 4 + 0, 0 + column * 4 + 2, c0_2)
  PUT(0 + row * 4 + 0, 0 + column * 4 + 3, c0_3)
  PUT(0 + row * 4 + 0, 64 + column * 4 + 0, c0_4)
  PUT(0 + row * 4 + 0, 64 + column * 4 + 1, c0_5)
  PUT(0 + row * 4 + 0, 64 + column * 4 + 2, c0_6)
  PUT(0 + row * 4 + 0, 64 + column * 4 + 3, c0_7)
  PUT(0 + row * 4 + 1, 0 + column * 4 + 0, c1_0)
  PUT(0 + row * 4 + 1, 0 + column * 4 + 1, c1_1)
  PUT(0 + row * 4 + 1, 0 + column * 4 + 2, c1_2)
  PUT(0 + row * 4 + 1, 0 + column * 4 + 3, c1_3)
  PUT(0 + row * 4 + 1, 64 + column * 4 + 0, c1_4)
  PUT(0 + row * 4 + 1, 64 + column * 4 + 1, c1_5)
  PUT(0 + row * 4 + 1, 64 + column * 4 + 2, c1_6)
  PUT(0 + row * 4 + 1, 64 + column * 4 + 3, c1_7)
  PUT(0 + row * 4 + 2, 0 + column * 4 + 0, c2_0)
  PUT(0 + row * 4 + 2, 0 + column * 4 + 1, c2_1)
  PUT(0 + row * 4 + 2, 0 + column * 4 + 2, c2_2)
  PUT(0 + row * 4 + 2, 0 + column * 4 + 3, c2_3)
  PUT(0 + row * 4 + 2, 64 + column * 4 + 0, c2_4)
  PUT(0 + row * 4 + 2, 64 + column * 4 + 1, c2_5)
  PUT(0 + row * 4 + 2, 64 + column * 4 + 2, c2_6)
  PUT(0 + row * 4 + 2, 64 + column * 4 + 3, c2_7)
  PUT(0 + row * 4 + 3, 0 + column * 4 + 0, c3_0)
  PUT(0 + row * 4 + 3, 0 + column * 4 + 1, c3_1)
  PUT(0 + row * 4 + 3, 0 + column * 4 + 2, c3_2)
  PUT(0 + row * 4 + 3, 0 + column * 4 + 3, c3_3)
  PUT(0 + row * 4 + 3, 64 + column * 4 + 0, c3_4)
  PUT(0 + row * 4 + 3, 64 + column * 4 + 1, c3_5)
  PUT(0 + row * 4 + 3, 64 + column * 4 + 2, c3_6)
  PUT(0 + row * 4 + 3, 64 + column * 4 + 3, c3_7)
  PUT(64 + row * 4 + 0, 0 + column * 4 + 0, c4_0)
  PUT(64 + row * 4 + 0, 0 + column * 4 + 1, c4_1)
  PUT(64 + row * 4 + 0, 0 + column * 4 + 2, c4_2)
  PUT(64 + row * 4 + 0, 0 + column * 4 + 3, c4_3)
  PUT(64 + row * 4 + 0, 64 + column * 4 + 0, c4_4)
  PUT(64 + row * 4 + 0, 64 + column * 4 + 1, c4_5)
  PUT(64 + row * 4 + 0, 64 + column * 4 + 2, c4_6)
  PUT(64 + row * 4 + 0, 64 + column * 4 + 3, c4_7)
  PUT(64 + row * 4 + 1, 0 + column * 4 + 0, c5_0)
  PUT(64 + row * 4 + 1, 0 + column * 4 + 1, c5_1)
  PUT(64 + row * 4 + 1, 0 + column * 4 + 2, c5_2)
  PUT(64 + row * 4 + 1, 0 + column * 4 + 3, c5_3)
  PUT(64 + row * 4 + 1, 64 + column * 4 + 0, c5_4)
  PUT(64 + row * 4 + 1, 64 + column * 4 + 1, c5_5)
  PUT(64 + row * 4 + 1, 64 + column * 4 + 2, c5_6)
  PUT(64 + row * 4 + 1, 64 + column * 4 + 3, c5_7)
  PUT(64 + row * 4 + 2, 0 + column * 4 + 0, c6_0)
  PUT(64 + row * 4 + 2, 0 + column * 4 + 1, c6_1)
  PUT(64 + row * 4 + 2, 0 + column * 4 + 2, c6_2)
  PUT(64 + row * 4 + 2, 0 + column * 4 + 3, c6_3)
  PUT(64 + row * 4 + 2, 64 + column * 4 + 0, c6_4)
  PUT(64 + row * 4 + 2, 64 + column * 4 + 1, c6_5)
  PUT(64 + row * 4 + 2, 64 + column * 4 + 2, c6_6)
  PUT(64 + row * 4 + 2, 64 + column * 4 + 3, c6_7)
  PUT(64 + row * 4 + 3, 0 + column * 4 + 0, c7_0)
  PUT(64 + row * 4 + 3, 0 + column * 4 + 1, c7_1)
  PUT(64 + row * 4 + 3, 0 + column * 4 + 2, c7_2)
  PUT(64 + row * 4 + 3, 0 + column * 4 + 3, c7_3)
  PUT(64 + row * 4 + 3, 64 + column * 4 + 0, c7_4)
  PUT(64 + row * 4 + 3, 64 + column * 4 + 1, c7_5)
  PUT(64 + row * 4 + 3, 64 + column * 4 + 2, c7_6)
  PUT(64 + row * 4 + 3, 64 + column * 4 + 3, c7_7)
}

// shader routine0_small
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 256) in;
layout(constant_id = 0) const bool aligned = false;
layout(buffer_reference, std430, buffer_reference_align = 2) buffer Element { uint16_t data; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Words { uvec4 data; };
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments {
  uint64_t a, b, c;
  int64_t m, n, k, a_row, a_column, b_row, b_column;
  int64_t sizes[4], a_steps[4], b_steps[4];
};
layout(push_constant, std430) uniform Push { Arguments args; };
float f16_to_f32(uint h) {
  uint m = h & 0x7fffu;
  uint bits = m >= 0x7c00u ? (m << 13) | 0x7f800000u : m >= 0x400u ? (m << 13) + 0x38000000u : floatBitsToUint(float(m) * 5.96046448e-08);
  return uintBitsToFloat(bits | (h & 0x8000u) << 16);
}
uint f32_to_f16(float x) {
  uint b = floatBitsToUint(x), m = b & 0x7fffffffu, sign = (b >> 16) & 0x8000u, h;
  if (m > 0x7f800000u) h = 0x7e00u;
  else if (m >= 0x477ff000u) h = 0x7c00u;
  else if (m >= 0x38800000u) h = (m - 0x38000000u + 0xfffu + ((m >> 13) & 1u)) >> 13;
  else {
    // A subnormal half: the significand moved right, with half of what is lost added, less one where it would round up to odd.
    uint e = m >> 23;
    uint s = 126u - e, f = (m & 0x7fffffu) | 0x800000u;
    h = e < 102u ? 0u : (f + ((1u << (s - 1u)) - 1u) + ((f >> s) & 1u)) >> s;
  }
  return sign | h;
}
#define PUT(i, j, sum) if (i0 + (i) < m && j0 + (j) < n) Element(c_base + uint64_t((i0 + (i)) * n + j0 + (j)) * 2UL).data = uint16_t(f32_to_f16(sum));

const int tile = 32, depth = 16, unit = 8, per = 2;  // elements of a wide load; elements that an invocation loads of each operand
const bool wide = false;
shared float a_tile[depth * (tile + 4)], b_tile[depth * (tile + 4)];
#define FROM_MEMORY(x) (f16_to_f32(uint(x)))
// Reads this invocation's part of a tile: `lines` rows or columns from `at` on, steps from `k0` on. `line` and `step` are strides.
void fetch(out uvec4 words[per / unit + 1], out float part[per], uint64_t base, int64_t lines, int64_t at, int64_t k0, int64_t k, int64_t line,
           int64_t step, int me) {
  if (wide) {
    [[unroll]] for (int i = 0; i < per / unit; ++i) {
      int number = me + i * 256;
      // Side by side along k, or along the lines.
      int l = step == 1 ? number / (depth / unit) : number % (tile / unit) * unit;
      int s = step == 1 ? number % (depth / unit) * unit : number / (tile / unit);
      words[i] = uvec4(0u);
      if (at + l < lines && k0 + s < k) words[i] = Words(base + uint64_t((at + l) * line + (k0 + s) * step) * 2UL).data;
    }
  } else {
    [[unroll]] for (int i = 0; i < per; ++i) {
      int number = me + i * 256;
      int l = step == 1 ? number / depth : number % tile;
      int s = step == 1 ? number % depth : number / tile;
      part[i] = float(0);
      if (at + l < lines && k0 + s < k) part[i] = FROM_MEMORY(Element(base + uint64_t((at + l) * line + (k0 + s) * step) * 2UL).data);
    }
  }
}
#define KEEP(where, words, part, step, me) \
  if (wide) { \
    [[unroll]] for (int i = 0; i < per / unit; ++i) { \
      int number = me + i * 256; \
      int l = step == 1 ? number / (depth / unit) : number % (tile / unit) * unit; \
      int s = step == 1 ? number % (depth / unit) * unit : number / (tile / unit); \
      const uvec4 w = words[i]; \
      float values[unit]; \
      values[0] = f16_to_f32(bitfieldExtract(w.x, 0, 16)); \
      values[1] = f16_to_f32(bitfieldExtract(w.x, 16, 16)); \
      values[2] = f16_to_f32(bitfieldExtract(w.y, 0, 16)); \
      values[3] = f16_to_f32(bitfieldExtract(w.y, 16, 16)); \
      values[4] = f16_to_f32(bitfieldExtract(w.z, 0, 16)); \
      values[5] = f16_to_f32(bitfieldExtract(w.z, 16, 16)); \
      values[6] = f16_to_f32(bitfieldExtract(w.w, 0, 16)); \
      values[7] = f16_to_f32(bitfieldExtract(w.w, 16, 16)); \
      [[unroll]] for (int j = 0; j < unit; ++j) where[(step == 1 ? s + j : s) * (tile + 4) + (step == 1 ? l : l + j)] = values[j]; \
    } \
  } else { \
    [[unroll]] for (int i = 0; i < per; ++i) { \
      int number = me + i * 256; \
      int l = step == 1 ? number / depth : number % tile; \
      int s = step == 1 ? number % depth : number / tile; \
      where[s * (tile + 4) + l] = part[i]; \
    } \
  }
void main() {
  const int me = int(gl_LocalInvocationID.x), row = me / 16, column = me % 16;
  const int64_t m = args.m, n = args.n, k = args.k;
  uint64_t group = uint64_t(gl_WorkGroupID.y) * uint64_t(gl_NumWorkGroups.x) + uint64_t(gl_WorkGroupID.x);
  const uint64_t columns = uint64_t(n + 32 - 1) / 32UL, rows = uint64_t(m + 32 - 1) / 32UL;
  uint64_t batch = group / (columns * rows);
  if (batch >= uint64_t(args.sizes[0] * args.sizes[1] * args.sizes[2] * args.sizes[3])) return;
  group -= batch * columns * rows;
  const uint64_t c_base = args.c + batch * uint64_t(m * n) * 2UL;
  int64_t a_offset = 0L, b_offset = 0L;
  for (int i = 3; i >= 0; --i) {
    int64_t at = int64_t(batch % uint64_t(args.sizes[i]));
    batch /= uint64_t(args.sizes[i]);
    a_offset += at * args.a_steps[i];
    b_offset += at * args.b_steps[i];
  }
  // Tiles in bands of eight rows, so that what runs at once reads the same parts of both operands.
  const uint64_t band = group / (8UL * columns), first = band * 8UL, height = min(rows - first, 8UL);
  const int64_t i0 = int64_t(first + (group - band * 8UL * columns) % height) * 32;
  const int64_t j0 = int64_t((group - band * 8UL * columns) / height) * 32;
  const uint64_t a_base = args.a + uint64_t(a_offset) * 2UL, b_base = args.b + uint64_t(b_offset) * 2UL;
  const int64_t a_row = args.a_row, a_column = args.a_column, b_row = args.b_row, b_column = args.b_column;
  float a_part[per], b_part[per];
  uvec4 a_words[per / unit + 1], b_words[per / unit + 1];
  float c0_0 = float(0);
  float c0_1 = float(0);
  float c1_0 = float(0);
  float c1_1 = float(0);
  fetch(a_words, a_part, a_base, m, i0, 0L, k, a_row, a_column, me);
  fetch(b_words, b_part, b_base, n, j0, 0L, k, b_column, b_row, me);
  for (int64_t k0 = 0L; k0 < k; k0 += depth) {
    barrier();
    KEEP(a_tile, a_words, a_part, a_column, me)
    KEEP(b_tile, b_words, b_part, b_row, me)
    barrier();
    if (k0 + depth < k) {
      fetch(a_words, a_part, a_base, m, i0, k0 + depth, k, a_row, a_column, me);
      fetch(b_words, b_part, b_base, n, j0, k0 + depth, k, b_column, b_row, me);
    }
    [[unroll]] for (int s = 0; s < depth; ++s) {
      float a0 = a_tile[s * (tile + 4) + row * 2 + 0];
      float a1 = a_tile[s * (tile + 4) + row * 2 + 1];
      float b0 = b_tile[s * (tile + 4) + column * 2 + 0];
      float b1 = b_tile[s * (tile + 4) + column * 2 + 1];
      c0_0 = fma(a0, b0, c0_0);
      c0_1 = fma(a0, b1, c0_1);
      c1_0 = fma(a1, b0, c1_0);
      c1_1 = fma(a1, b1, c1_1);
    }
  }
  PUT(row * 2 + 0, column * 2 + 0, c0_0)
  PUT(row * 2 + 0, column * 2 + 1, c0_1)
  PUT(row * 2 + 1, column * 2 + 0, c1_0)
  PUT(row * 2 + 1, column * 2 + 1, c1_1)
}
