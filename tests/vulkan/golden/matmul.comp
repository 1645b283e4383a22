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
  const int64_t m = args.m, n = args.n;
  // Of 32 bits: a device's memory holds fewer tiles than that, and divisions in 64 bits are slow.
  uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const uint columns = uint(uint64_t(n + 32 - 1) / 32UL), rows = uint(uint64_t(m + 32 - 1) / 32UL);
  uint batch = group / (columns * rows);
  group -= batch * columns * rows;
  if (int64_t(batch) >= args.sizes[0] * args.sizes[1] * args.sizes[2] * args.sizes[3]) return;
  const uint64_t c_base = args.c + uint64_t(batch) * uint64_t(m * n) * 2UL;
  int64_t a_offset = 0L, b_offset = 0L;
  if (batch != 0u)
    for (int i = 3; i >= 0; --i) {
      const uint size = uint(args.sizes[i]), next = batch / size;
      a_offset += int64_t(batch - next * size) * args.a_steps[i];
      b_offset += int64_t(batch - next * size) * args.b_steps[i];
      batch = next;
    }
    const uint64_t a_base = args.a + uint64_t(a_offset) * 2UL, b_base = args.b + uint64_t(b_offset) * 2UL;
  // Tiles in bands of eight rows, so that what runs at once reads the same parts of both operands.
  const uint band = group / (8u * columns), first = band * 8u, height = min(rows - first, 8u);
  const uint inside = group - band * 8u * columns, across = inside / height;
  const int64_t i0 = int64_t(first + inside - across * height) * 32, j0 = int64_t(across) * 32;
  const int64_t k = args.k, a_row = args.a_row, a_column = args.a_column, b_row = args.b_row, b_column = args.b_column;
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
