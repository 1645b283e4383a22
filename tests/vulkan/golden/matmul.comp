// shader routine0_small_split
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_16bit_storage : require
layout(constant_id = 12) const bool lines_of_groups = true;
uint flat_group() { return lines_of_groups ? gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x : gl_WorkGroupID.x; }
uint group_step(uint most) { return lines_of_groups ? gl_NumWorkGroups.x * gl_NumWorkGroups.y : most; }
layout(local_size_x = 256) in;
layout(constant_id = 0) const bool a_columns = false;
layout(constant_id = 1) const bool b_columns = false;
layout(constant_id = 2) const bool a_aligned = false;
layout(constant_id = 3) const bool b_aligned = false;
layout(buffer_reference, std430, buffer_reference_align = 2) buffer Element { uint16_t data; };
layout(buffer_reference, std430, buffer_reference_align = 16) readonly restrict buffer Words { uvec4 data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Sum { float data; };
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments {
  uint64_t a, b, c;
  int64_t m, n, k, a_row, a_column, b_row, b_column;
  int64_t sizes[4], a_steps[4], b_steps[4];
  int64_t each, pitch;
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

const int tile = 64, depth = 8, threads = 256, side = 16, teams = 1;
// Elements of a 16-byte load, and those that an invocation loads of each operand.
const int unit = 8, per = tile * depth / threads, loads = per < unit ? 1 : per / unit;
const bool a_wide = a_aligned && per >= unit, b_wide = b_aligned && per >= unit;
const int pitch = tile + 4;
shared float a_tile[depth * pitch], b_tile[depth * pitch];
#define FROM_MEMORY(x) (f16_to_f32(uint(x)))
// The line and the step of load `number`. Along k, neighbours read 32 bytes of a line, so that the banks of shared memory
// that they write differ.
ivec2 place_of(int number, int size, bool along_k) {
  const int beside = max(32 / (2 * size), 1);
  return along_k ? ivec2(number / beside % tile, (number / (beside * tile) * beside + number % beside) * size)
                 : ivec2(number % (tile / size) * size, number / (tile / size));
}
// A tile of `lines` rows or columns from `first` on and steps from k0 on. `line` and `step` are strides.
#define FETCH(words, part, wide, along_k, base, lines, first, line, step, k0) { \
  const int rest = int(min(k - k0, int64_t(depth))); \
  const uint64_t from = base + uint64_t(k0 * step) * 2UL; \
  if (wide) { \
    [[unroll]] for (int i = 0; i < loads; ++i) { \
      const ivec2 p = place_of(me + i * threads, unit, along_k); \
      const int64_t l = min(first + p.x, lines - (along_k ? 1 : unit)); \
      words[i] = Words(from + uint64_t(l * line + min(p.y, rest - (along_k ? unit : 1)) * step) * 2UL).data; \
    } \
  } else { \
    [[unroll]] for (int i = 0; i < per; ++i) { \
      const ivec2 p = place_of(me + i * threads, 1, along_k); \
      const int64_t l = min(first + p.x, lines - 1); \
      part[i] = uint(Element(from + uint64_t(l * line + min(p.y, rest - 1) * step) * 2UL).data); \
    } \
  } \
}
#define KEEP(where, words, part, wide, along_k, k0) { \
  const int rest = int(min(k - k0, int64_t(depth))); \
  if (wide) { \
    [[unroll]] for (int i = 0; i < loads; ++i) { \
      const ivec2 p = place_of(me + i * threads, unit, along_k); \
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
      [[unroll]] for (int j = 0; j < unit; ++j) \
        where[(along_k ? p.y + j : p.y) * pitch + (along_k ? p.x : p.x + j)] = p.y < rest ? values[j] : float(0); \
    } \
  } else { \
    [[unroll]] for (int i = 0; i < per; ++i) { \
      const ivec2 p = place_of(me + i * threads, 1, along_k); \
      where[p.y * pitch + p.x] = p.y < rest ? FROM_MEMORY(part[i]) : float(0); \
    } \
  } \
}
// Loads have no conditions and no arithmetic around them, and no turn of the loop leaves values to the next one: drivers
// wait for loads at each of these.
#define FETCH_BOTH(k0) \
  FETCH(a_words, a_part, a_wide, !a_columns, a_base, m, i0, a_row, a_column, k0) \
  FETCH(b_words, b_part, b_wide, b_columns, b_base, n, j0, b_column, b_row, k0)
#define KEEP_BOTH(k0) \
  KEEP(a_tile, a_words, a_part, a_wide, !a_columns, k0) \
  KEEP(b_tile, b_words, b_part, b_wide, b_columns, k0) \
  barrier();
#define MULTIPLY \
  [[unroll]] for (int own_step = 0; own_step < depth / teams; ++own_step) { \
    const int s = own_step * teams + team; \
    float a0 = a_tile[s * pitch + 0 + row * 4 + 0]; \
    float a1 = a_tile[s * pitch + 0 + row * 4 + 1]; \
    float a2 = a_tile[s * pitch + 0 + row * 4 + 2]; \
    float a3 = a_tile[s * pitch + 0 + row * 4 + 3]; \
    float b0 = b_tile[s * pitch + 0 + column * 4 + 0]; \
    float b1 = b_tile[s * pitch + 0 + column * 4 + 1]; \
    float b2 = b_tile[s * pitch + 0 + column * 4 + 2]; \
    float b3 = b_tile[s * pitch + 0 + column * 4 + 3]; \
    c0_0 = fma(a0, b0, c0_0); \
    c0_1 = fma(a0, b1, c0_1); \
    c0_2 = fma(a0, b2, c0_2); \
    c0_3 = fma(a0, b3, c0_3); \
    c1_0 = fma(a1, b0, c1_0); \
    c1_1 = fma(a1, b1, c1_1); \
    c1_2 = fma(a1, b2, c1_2); \
    c1_3 = fma(a1, b3, c1_3); \
    c2_0 = fma(a2, b0, c2_0); \
    c2_1 = fma(a2, b1, c2_1); \
    c2_2 = fma(a2, b2, c2_2); \
    c2_3 = fma(a2, b3, c2_3); \
    c3_0 = fma(a3, b0, c3_0); \
    c3_1 = fma(a3, b1, c3_1); \
    c3_2 = fma(a3, b2, c3_2); \
    c3_3 = fma(a3, b3, c3_3); \
  }
#define PUT(i, j, sum) if (i0 + (i) < m && j0 + (j) < n) Sum(part_base + uint64_t((i0 + (i)) * args.pitch + j0 + (j)) * 4UL).data = sum;
void main() {
  const int me = int(gl_LocalInvocationID.x), team = me / (side * side), row = me / side % side, column = me % side;
  const int64_t m = args.m, n = args.n;
  // Of 32 bits: a device's memory holds fewer tiles than that, and divisions in 64 bits are slow.
  uint group = flat_group();
  const uint columns = uint(uint64_t(n + 64 - 1) / 64UL), rows = uint(uint64_t(m + 64 - 1) / 64UL);
  const uint all = columns * rows * uint(args.sizes[0] * args.sizes[1] * args.sizes[2] * args.sizes[3]);
  const uint split = group / all;
  group -= split * all;
  const int64_t k_first = int64_t(split) * args.each;
  if (k_first >= args.k) return;
  uint batch = group / (columns * rows);
  group -= batch * columns * rows;
  const uint64_t part_base = args.c + (uint64_t(split * (all / (columns * rows)) + batch) * uint64_t(m) * uint64_t(args.pitch)) * 4UL;
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
    a_offset += k_first * args.a_column;
  b_offset += k_first * args.b_row;
  const uint64_t a_base = args.a + uint64_t(a_offset) * 2UL, b_base = args.b + uint64_t(b_offset) * 2UL;
  // Tiles in bands of eight rows, so that what runs at once reads the same parts of both operands.
  const uint band = group / (8u * columns), first = band * 8u, height = min(rows - first, 8u);
  const uint inside = group - band * 8u * columns, across = inside / height;
  const int64_t i0 = int64_t(first + inside - across * height) * 64, j0 = int64_t(across) * 64;
  const int64_t k = min(args.each, args.k - k_first), a_row = args.a_row, a_column = args.a_column, b_row = args.b_row, b_column = args.b_column;
  float c0_0 = float(0);
  float c0_1 = float(0);
  float c0_2 = float(0);
  float c0_3 = float(0);
  float c1_0 = float(0);
  float c1_1 = float(0);
  float c1_2 = float(0);
  float c1_3 = float(0);
  float c2_0 = float(0);
  float c2_1 = float(0);
  float c2_2 = float(0);
  float c2_3 = float(0);
  float c3_0 = float(0);
  float c3_1 = float(0);
  float c3_2 = float(0);
  float c3_3 = float(0);
  if (k > 0L) {
    int64_t k0 = 0L;
    uint a_part[per], b_part[per];
    uvec4 a_words[loads], b_words[loads];
    FETCH_BOTH(k0)
    KEEP_BOTH(k0)
    for (k0 += depth; k0 < k; k0 += depth) {
      FETCH_BOTH(k0)
      MULTIPLY
      barrier();
      KEEP_BOTH(k0)
    }
    MULTIPLY
  }
  PUT(0 + row * 4 + 0, 0 + column * 4 + 0, c0_0)
  PUT(0 + row * 4 + 0, 0 + column * 4 + 1, c0_1)
  PUT(0 + row * 4 + 0, 0 + column * 4 + 2, c0_2)
  PUT(0 + row * 4 + 0, 0 + column * 4 + 3, c0_3)
  PUT(0 + row * 4 + 1, 0 + column * 4 + 0, c1_0)
  PUT(0 + row * 4 + 1, 0 + column * 4 + 1, c1_1)
  PUT(0 + row * 4 + 1, 0 + column * 4 + 2, c1_2)
  PUT(0 + row * 4 + 1, 0 + column * 4 + 3, c1_3)
  PUT(0 + row * 4 + 2, 0 + column * 4 + 0, c2_0)
  PUT(0 + row * 4 + 2, 0 + column * 4 + 1, c2_1)
  PUT(0 + row * 4 + 2, 0 + column * 4 + 2, c2_2)
  PUT(0 + row * 4 + 2, 0 + column * 4 + 3, c2_3)
  PUT(0 + row * 4 + 3, 0 + column * 4 + 0, c3_0)
  PUT(0 + row * 4 + 3, 0 + column * 4 + 1, c3_1)
  PUT(0 + row * 4 + 3, 0 + column * 4 + 2, c3_2)
  PUT(0 + row * 4 + 3, 0 + column * 4 + 3, c3_3)
}

// shader routine0_small_split_sums
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_16bit_storage : require
layout(constant_id = 12) const bool lines_of_groups = true;
uint flat_group() { return lines_of_groups ? gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x : gl_WorkGroupID.x; }
uint group_step(uint most) { return lines_of_groups ? gl_NumWorkGroups.x * gl_NumWorkGroups.y : most; }
layout(local_size_x = 256) in;
layout(buffer_reference, std430, buffer_reference_align = 4) readonly restrict buffer Part { float data; };
layout(buffer_reference, std430, buffer_reference_align = 2) buffer Element { uint16_t data; };
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments {
  uint64_t parts, c;
  int64_t m, n, pitch, count, unused[11];
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
const int ahead = 8;  // loads on their way at once
void main() {
  const uint number = flat_group() * 256u + gl_LocalInvocationID.x;
  const uint n = uint(args.n), row = number / n, column = number - row * n;
  const bool mine = int64_t(row) < args.m;
  const int count = int(args.count);
  const uint64_t first = args.parts + (uint64_t(mine ? row : 0u) * uint64_t(args.pitch) + uint64_t(column)) * 4UL;
  const uint64_t apart = uint64_t(args.m * args.pitch) * 4UL;
  float sum = float(0);
  for (int s = 0; s < count; s += ahead) {
    float part[ahead];
    [[unroll]] for (int i = 0; i < ahead; ++i) part[i] = Part(first + uint64_t(min(s + i, count - 1)) * apart).data;
    [[unroll]] for (int i = 0; i < ahead; ++i)
      if (s + i < count) sum += part[i];
  }
  if (mine) Element(args.c + uint64_t(number) * 2UL).data = uint16_t(f32_to_f16(sum));
}

// shader routine0_small
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_16bit_storage : require
layout(constant_id = 12) const bool lines_of_groups = true;
uint flat_group() { return lines_of_groups ? gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x : gl_WorkGroupID.x; }
uint group_step(uint most) { return lines_of_groups ? gl_NumWorkGroups.x * gl_NumWorkGroups.y : most; }
layout(local_size_x = 256) in;
layout(constant_id = 0) const bool a_columns = false;
layout(constant_id = 1) const bool b_columns = false;
layout(constant_id = 2) const bool a_aligned = false;
layout(constant_id = 3) const bool b_aligned = false;
layout(buffer_reference, std430, buffer_reference_align = 2) buffer Element { uint16_t data; };
layout(buffer_reference, std430, buffer_reference_align = 16) readonly restrict buffer Words { uvec4 data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Sum { float data; };
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

const int tile = 64, depth = 8, threads = 256, side = 16, teams = 1;
// Elements of a 16-byte load, and those that an invocation loads of each operand.
const int unit = 8, per = tile * depth / threads, loads = per < unit ? 1 : per / unit;
const bool a_wide = a_aligned && per >= unit, b_wide = b_aligned && per >= unit;
const int pitch = tile + 4;
shared float a_tile[depth * pitch], b_tile[depth * pitch];
#define FROM_MEMORY(x) (f16_to_f32(uint(x)))
// The line and the step of load `number`. Along k, neighbours read 32 bytes of a line, so that the banks of shared memory
// that they write differ.
ivec2 place_of(int number, int size, bool along_k) {
  const int beside = max(32 / (2 * size), 1);
  return along_k ? ivec2(number / beside % tile, (number / (beside * tile) * beside + number % beside) * size)
                 : ivec2(number % (tile / size) * size, number / (tile / size));
}
// A tile of `lines` rows or columns from `first` on and steps from k0 on. `line` and `step` are strides.
#define FETCH(words, part, wide, along_k, base, lines, first, line, step, k0) { \
  const int rest = int(min(k - k0, int64_t(depth))); \
  const uint64_t from = base + uint64_t(k0 * step) * 2UL; \
  if (wide) { \
    [[unroll]] for (int i = 0; i < loads; ++i) { \
      const ivec2 p = place_of(me + i * threads, unit, along_k); \
      const int64_t l = min(first + p.x, lines - (along_k ? 1 : unit)); \
      words[i] = Words(from + uint64_t(l * line + min(p.y, rest - (along_k ? unit : 1)) * step) * 2UL).data; \
    } \
  } else { \
    [[unroll]] for (int i = 0; i < per; ++i) { \
      const ivec2 p = place_of(me + i * threads, 1, along_k); \
      const int64_t l = min(first + p.x, lines - 1); \
      part[i] = uint(Element(from + uint64_t(l * line + min(p.y, rest - 1) * step) * 2UL).data); \
    } \
  } \
}
#define KEEP(where, words, part, wide, along_k, k0) { \
  const int rest = int(min(k - k0, int64_t(depth))); \
  if (wide) { \
    [[unroll]] for (int i = 0; i < loads; ++i) { \
      const ivec2 p = place_of(me + i * threads, unit, along_k); \
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
      [[unroll]] for (int j = 0; j < unit; ++j) \
        where[(along_k ? p.y + j : p.y) * pitch + (along_k ? p.x : p.x + j)] = p.y < rest ? values[j] : float(0); \
    } \
  } else { \
    [[unroll]] for (int i = 0; i < per; ++i) { \
      const ivec2 p = place_of(me + i * threads, 1, along_k); \
      where[p.y * pitch + p.x] = p.y < rest ? FROM_MEMORY(part[i]) : float(0); \
    } \
  } \
}
// Loads have no conditions and no arithmetic around them, and no turn of the loop leaves values to the next one: drivers
// wait for loads at each of these.
#define FETCH_BOTH(k0) \
  FETCH(a_words, a_part, a_wide, !a_columns, a_base, m, i0, a_row, a_column, k0) \
  FETCH(b_words, b_part, b_wide, b_columns, b_base, n, j0, b_column, b_row, k0)
#define KEEP_BOTH(k0) \
  KEEP(a_tile, a_words, a_part, a_wide, !a_columns, k0) \
  KEEP(b_tile, b_words, b_part, b_wide, b_columns, k0) \
  barrier();
#define MULTIPLY \
  [[unroll]] for (int own_step = 0; own_step < depth / teams; ++own_step) { \
    const int s = own_step * teams + team; \
    float a0 = a_tile[s * pitch + 0 + row * 4 + 0]; \
    float a1 = a_tile[s * pitch + 0 + row * 4 + 1]; \
    float a2 = a_tile[s * pitch + 0 + row * 4 + 2]; \
    float a3 = a_tile[s * pitch + 0 + row * 4 + 3]; \
    float b0 = b_tile[s * pitch + 0 + column * 4 + 0]; \
    float b1 = b_tile[s * pitch + 0 + column * 4 + 1]; \
    float b2 = b_tile[s * pitch + 0 + column * 4 + 2]; \
    float b3 = b_tile[s * pitch + 0 + column * 4 + 3]; \
    c0_0 = fma(a0, b0, c0_0); \
    c0_1 = fma(a0, b1, c0_1); \
    c0_2 = fma(a0, b2, c0_2); \
    c0_3 = fma(a0, b3, c0_3); \
    c1_0 = fma(a1, b0, c1_0); \
    c1_1 = fma(a1, b1, c1_1); \
    c1_2 = fma(a1, b2, c1_2); \
    c1_3 = fma(a1, b3, c1_3); \
    c2_0 = fma(a2, b0, c2_0); \
    c2_1 = fma(a2, b1, c2_1); \
    c2_2 = fma(a2, b2, c2_2); \
    c2_3 = fma(a2, b3, c2_3); \
    c3_0 = fma(a3, b0, c3_0); \
    c3_1 = fma(a3, b1, c3_1); \
    c3_2 = fma(a3, b2, c3_2); \
    c3_3 = fma(a3, b3, c3_3); \
  }
#define PUT(i, j, sum) if (i0 + (i) < m && j0 + (j) < n) Element(c_base + uint64_t((i0 + (i)) * n + j0 + (j)) * 2UL).data = uint16_t(f32_to_f16(sum));
void main() {
  const int me = int(gl_LocalInvocationID.x), team = me / (side * side), row = me / side % side, column = me % side;
  const int64_t m = args.m, n = args.n;
  // Of 32 bits: a device's memory holds fewer tiles than that, and divisions in 64 bits are slow.
  uint group = flat_group();
  const uint columns = uint(uint64_t(n + 64 - 1) / 64UL), rows = uint(uint64_t(m + 64 - 1) / 64UL);
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
  const int64_t i0 = int64_t(first + inside - across * height) * 64, j0 = int64_t(across) * 64;
  const int64_t k = args.k, a_row = args.a_row, a_column = args.a_column, b_row = args.b_row, b_column = args.b_column;
  float c0_0 = float(0);
  float c0_1 = float(0);
  float c0_2 = float(0);
  float c0_3 = float(0);
  float c1_0 = float(0);
  float c1_1 = float(0);
  float c1_2 = float(0);
  float c1_3 = float(0);
  float c2_0 = float(0);
  float c2_1 = float(0);
  float c2_2 = float(0);
  float c2_3 = float(0);
  float c3_0 = float(0);
  float c3_1 = float(0);
  float c3_2 = float(0);
  float c3_3 = float(0);
  if (k > 0L) {
    int64_t k0 = 0L;
    uint a_part[per], b_part[per];
    uvec4 a_words[loads], b_words[loads];
    FETCH_BOTH(k0)
    KEEP_BOTH(k0)
    for (k0 += depth; k0 < k; k0 += depth) {
      FETCH_BOTH(k0)
      MULTIPLY
      barrier();
      KEEP_BOTH(k0)
    }
    MULTIPLY
  }
  PUT(0 + row * 4 + 0, 0 + column * 4 + 0, c0_0)
  PUT(0 + row * 4 + 0, 0 + column * 4 + 1, c0_1)
  PUT(0 + row * 4 + 0, 0 + column * 4 + 2, c0_2)
  PUT(0 + row * 4 + 0, 0 + column * 4 + 3, c0_3)
  PUT(0 + row * 4 + 1, 0 + column * 4 + 0, c1_0)
  PUT(0 + row * 4 + 1, 0 + column * 4 + 1, c1_1)
  PUT(0 + row * 4 + 1, 0 + column * 4 + 2, c1_2)
  PUT(0 + row * 4 + 1, 0 + column * 4 + 3, c1_3)
  PUT(0 + row * 4 + 2, 0 + column * 4 + 0, c2_0)
  PUT(0 + row * 4 + 2, 0 + column * 4 + 1, c2_1)
  PUT(0 + row * 4 + 2, 0 + column * 4 + 2, c2_2)
  PUT(0 + row * 4 + 2, 0 + column * 4 + 3, c2_3)
  PUT(0 + row * 4 + 3, 0 + column * 4 + 0, c3_0)
  PUT(0 + row * 4 + 3, 0 + column * 4 + 1, c3_1)
  PUT(0 + row * 4 + 3, 0 + column * 4 + 2, c3_2)
  PUT(0 + row * 4 + 3, 0 + column * 4 + 3, c3_3)
}
