// shader routine0_few
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 256) in;
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
layout(buffer_reference, std430, buffer_reference_align = 2) buffer Element { uint16_t data; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Words { uvec4 data; };
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Pair { uvec2 data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Word { uint data; };
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

const int few = at_least_17 ? 32 : at_least_9 ? 16 : at_least_5 ? 8 : at_least_3 ? 4 : at_least_2 ? 2 : 1;
const int unit = 16 / 2, tile = 32, invocations = 256;
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
shared float fold[4 * invocations], folded[invocations];
float part_of(uvec4 w, int j) { return f16_to_f32(bitfieldExtract(w[j / 2], j % 2 * 16, 16)); }
#define FROM_MEMORY(x) (f16_to_f32(uint(x)))
float element(uint64_t at) { return FROM_MEMORY(Element(at).data); }
uvec4 bytes_of(uint64_t at, int bytes) {
  if (bytes == 16) return Words(at).data;
  if (bytes == 8) return uvec4(Pair(at).data, 0u, 0u);
  return uvec4(Word(at).data, 0u, 0u, 0u);
}
void main() {
  const int me = int(gl_LocalInvocationID.x);
  const int64_t m = args.m, n = args.n, k = args.k, lines = swapped ? m : n, rows = swapped ? n : m;
  const uint tiles = uint(uint64_t(lines + tile - 1) / uint64_t(tile));
  uint batch = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const int64_t first = int64_t(batch % tiles) * tile;
  batch /= tiles;
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
  const uint64_t large = swapped ? a_base : b_base, small = swapped ? b_base : a_base;
  const int64_t line_step = (swapped ? args.a_row : args.b_column) * 2L, k_step = (swapped ? args.a_column : args.b_row) * 2L;
  const int64_t row_step = (swapped ? args.b_column : args.a_row) * 2L, small_step = (swapped ? args.b_row : args.a_column) * 2L;
  const int group = along_k ? me / threads_k : me % groups, split = along_k ? me % threads_k : me / groups;
  float sums[own];
  [[unroll]] for (int i = 0; i < own; ++i) sums[i] = float(0);
  // Lines and rows that are not there are read as the last one.
  uint64_t large_at[across], small_at[few];
  [[unroll]] for (int i = 0; i < across; ++i) {
    const int64_t line = first + group * across + (aligned && !along_k ? 0 : i), last = aligned && !along_k ? lines - across : lines - 1L;
    large_at[i] = large + uint64_t(min(line, last) * line_step);
  }
  [[unroll]] for (int i = 0; i < few; ++i) small_at[i] = small + uint64_t(min(int64_t(i), rows - 1L) * row_step);
  // Without the barrier, drivers wait for each load before they begin the next one.
  // The steps of one load of the small operand lie in one load of the large one, or are steps of several loads.
#define STEP(k0, guarded) { \
  uvec4 w[turns * across]; \
  float l[turns * across]; \
  [[unroll]] for (int t = 0; t < turns; ++t) { \
    const int64_t at = guarded ? min(k0 + t * apart, k - width) : k0 + t * apart; \
    if (along_k || !aligned) { \
      [[unroll]] for (int i = 0; i < across; ++i) \
        if (along_k && aligned) w[t * across + i] = Words(large_at[i] + uint64_t(at * k_step)).data; \
        else l[t * across + i] = element(large_at[i] + uint64_t(at * k_step)); \
    } else { \
      w[t] = bytes_of(large_at[0] + uint64_t(at * k_step), across * 2); \
    } \
  } \
  subgroupBarrier(); [[unroll]] for (int s = 0; s < turns * width; s += pack) { \
    const int t = s / width; \
    const bool there = !guarded || k0 + t * apart + s % width < k; \
    const int64_t at = there ? k0 + t * apart + s % width : k - pack; \
    [[unroll]] for (int r = 0; r < few; ++r) { \
      const uint64_t from = small_at[r] + uint64_t(at * small_step); \
      uvec4 packed; \
      if (pack > 1) packed = bytes_of(from, pack * 2); \
      [[unroll]] for (int j = 0; j < pack; ++j) { \
        float x = pack > 1 ? part_of(packed, j) : element(from); \
        if (!there) x = float(0); \
        [[unroll]] for (int i = 0; i < across; ++i) { \
          const int load = along_k ? t : t + j; \
          float y = !aligned ? l[load * across + i] : along_k ? part_of(w[load * across + i], s % width + j) : part_of(w[load], i); \
          if (!there) y = float(0); \
          sums[r * across + i] = fma(x, y, sums[r * across + i]); \
        } \
      } \
    } \
  } \
}
  const int64_t stride = splits * turns * width;
  int64_t k0 = along_k ? split * width : split * turns;
  const int64_t last = along_k ? int64_t((turns - 1) * apart) : int64_t(turns - 1);
  for (; k0 + last < k; k0 += stride) STEP(k0, false)
  if (k0 < k) STEP(k0, true)
  // Each invocation adds `chunk` sums, and the first ones those of an element.
  for (int at = 0; at < own; at += chunk) {
    barrier();
    [[unroll]] for (int i = 0; i < own; i += chunk)
      if (i == at) {
        [[unroll]] for (int j = 0; j < chunk; ++j) fold[(j * groups + group) * splits + split] = sums[i + j];
      }
    barrier();
    float sum = float(0);
    [[unroll]] for (int j = 0; j < chunk; ++j) sum += fold[me * chunk + j];
    folded[me] = sum;
    barrier();
    const int parts_each = splits / chunk, of = me / groups + at;
    const int64_t line = first + me % groups * across + of % across, row = of / across;
    const bool mine = me < chunk * groups && line < lines && row < rows;
    sum = float(0);
    if (mine)
      for (int j = 0; j < parts_each; ++j) sum += folded[me * parts_each + j];
    const int64_t place = swapped ? line * n + row : row * n + line;
    if (mine) Element(c_base + uint64_t(place) * 2UL).data = uint16_t(f32_to_f16(sum));
  }
}

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
  // Of 32 bits: a device's memory holds fewer tiles than that, and divisions in 64 bits are slow.
  uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const uint columns = uint(uint64_t(n + 128 - 1) / 128UL), rows = uint(uint64_t(m + 128 - 1) / 128UL);
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
  const int64_t i0 = int64_t(first + inside - across * height) * 128, j0 = int64_t(across) * 128;
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

// shader routine0_medium
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

const int tile = 64, depth = 16, unit = 8, per = 4;  // elements of a wide load; elements that an invocation loads of each operand
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
  // Of 32 bits: a device's memory holds fewer tiles than that, and divisions in 64 bits are slow.
  uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
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
  const int64_t a_row = args.a_row, a_column = args.a_column, b_row = args.b_row, b_column = args.b_column;
  float a_part[per], b_part[per];
  uvec4 a_words[per / unit + 1], b_words[per / unit + 1];
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
      float b0 = b_tile[s * (tile + 4) + 0 + column * 4 + 0];
      float b1 = b_tile[s * (tile + 4) + 0 + column * 4 + 1];
      float b2 = b_tile[s * (tile + 4) + 0 + column * 4 + 2];
      float b3 = b_tile[s * (tile + 4) + 0 + column * 4 + 3];
      c0_0 = fma(a0, b0, c0_0);
      c0_1 = fma(a0, b1, c0_1);
      c0_2 = fma(a0, b2, c0_2);
      c0_3 = fma(a0, b3, c0_3);
      c1_0 = fma(a1, b0, c1_0);
      c1_1 = fma(a1, b1, c1_1);
      c1_2 = fma(a1, b2, c1_2);
      c1_3 = fma(a1, b3, c1_3);
      c2_0 = fma(a2, b0, c2_0);
      c2_1 = fma(a2, b1, c2_1);
      c2_2 = fma(a2, b2, c2_2);
      c2_3 = fma(a2, b3, c2_3);
      c3_0 = fma(a3, b0, c3_0);
      c3_1 = fma(a3, b1, c3_1);
      c3_2 = fma(a3, b2, c3_2);
      c3_3 = fma(a3, b3, c3_3);
    }
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
