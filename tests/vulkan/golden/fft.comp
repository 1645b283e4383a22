// shader routine0_fft
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 256) in;
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Complex { vec2 data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Real { float data; };
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments {
  uint64_t x, result, work[2];
  int64_t rows, n, size, stored, stride, turn, sizes[4], steps[4];
};
layout(push_constant, std430) uniform Push { Arguments args; };
const int points = 1 << 11, threads = points / 8;  // of a workgroup
shared vec2 tile[points];
// A row that is too long for one pass has passes of fewer numbers each, so that four neighbours lie side by side.
int passes_of(int bits) { return bits <= 11 ? 1 : (bits + 11 - 3) / (11 - 2); }
vec2 times(vec2 a, vec2 b) { return vec2(fma(a.x, b.x, -a.y * b.y), fma(a.x, b.y, a.y * b.x)); }
vec2 conjugate(vec2 a) { return vec2(a.x, -a.y); }
// exp(-2 pi i t) of t = (octant + part) / 8. The device's own sine may be far off.
vec2 root_at(uint octant, float part) {
  const float t = ((octant & 1u) == 0u ? part : 1.0 - part) * 0.785398163;
  const float u = t * t;
  const float s = fma(t * u, fma(u, fma(u, fma(u, 2.75573192e-6, -1.98412698e-4), 8.33333333e-3), -0.166666667), t);
  const float high = fma(u, fma(u, fma(u, -2.75573192e-7, 2.48015873e-5), -1.38888889e-3), 4.16666667e-2);
  const float c = fma(u, fma(u, high, -0.5), 1.0);
  const bool turned = ((octant + 1u) & 2u) != 0u;
  const float re = turned ? s : c, im = turned ? c : s;
  return vec2(((octant + 2u) & 4u) != 0u ? -re : re, octant < 4u ? -im : im);
}
// exp(-2 pi i k / 2^bits), 0 <= k < 2^bits.
vec2 root(uint k, int bits) {
  const uint eighths = k << 3, octant = eighths >> bits;
  return root_at(octant, float(eighths - (octant << bits)) * uintBitsToFloat(uint(127 - bits) << 23));
}
// The nearest float to x / y but for a rare last bit.
float ratio(float x, float y) {
  const float inverse = 1.0 / y, q = x * inverse;
  return fma(fma(-q, y, x), inverse, q);
}
float inverse_root(float x) {
  const float root_of = inversesqrt(x);
  return fma(0.5 * root_of, fma(-x * root_of, root_of, 1.0), root_of);
}
// exp(-pi i k k / n), 0 <= k < n.
vec2 chirp(uint k, uint n) {
  const uint m = 2u * n;
  uint rest = k * k % m;
  if (k > 0xffffu) {
    const uint64_t square = uint64_t(k) * uint64_t(k);
    rest = uint(square - square / uint64_t(m) * uint64_t(m));
  }
  const uint eighths = rest << 3, octant = eighths / m;
  return root_at(octant, ratio(float(eighths - octant * m), float(m)));
}
void fft2(inout vec2 a, inout vec2 b) {
  const vec2 c = a;
  a = c + b, b = c - b;
}
void fft4(inout vec2 a, inout vec2 b, inout vec2 c, inout vec2 d) {
  fft2(a, c);
  fft2(b, d);
  d = vec2(d.y, -d.x);
  fft2(a, b);
  fft2(c, d);
  const vec2 second = c;
  c = b, b = second;
}
void fft8(inout vec2 v[8]) {
  const float half_root = 0.707106781;
  fft4(v[0], v[2], v[4], v[6]);
  fft4(v[1], v[3], v[5], v[7]);
  v[3] = vec2(v[3].x + v[3].y, v[3].y - v[3].x) * half_root;
  v[5] = vec2(v[5].y, -v[5].x);
  v[7] = vec2(v[7].y - v[7].x, -v[7].y - v[7].x) * half_root;
  const vec2 a[4] = vec2[4](v[0], v[2], v[4], v[6]), b[4] = vec2[4](v[1], v[3], v[5], v[7]);
  [[unroll]] for (int i = 0; i < 4; ++i) v[i] = a[i] + b[i], v[i + 4] = a[i] - b[i];
}
// Transforms of all columns of the tile: number r of column c, of 2^bits numbers, lies at r * columns + c. A step takes
// those in blocks of 2^done numbers together, `radix` at a time.
#define STEP(radix, radix_bits, TRANSFORM) \
  { \
    vec2 v[8]; \
    [[unroll]] for (int b = 0; b < 8 / radix; ++b) { \
      const uint at = uint(b * threads) + gl_LocalInvocationID.x, column = at & (columns - 1u), j = at >> (11 - bits); \
      const uint within = j & ((1u << done) - 1u); \
      [[unroll]] for (int i = 0; i < radix; ++i) \
        v[b * radix + i] = tile[(j + (uint(i) << (bits - radix_bits))) * columns + column]; \
      if (done > 0) { \
        vec2 w[8]; \
        [[unroll]] for (int i = 1; i < radix; ++i) { \
          if ((i & (i - 1)) == 0) w[i] = root(within * uint(i), done + radix_bits); \
          else w[i] = times(w[i & (i - 1)], w[i & -i]); \
          v[b * radix + i] = times(v[b * radix + i], w[i]); \
        } \
      } \
    } \
    barrier(); \
    TRANSFORM \
    [[unroll]] for (int b = 0; b < 8 / radix; ++b) { \
      const uint at = uint(b * threads) + gl_LocalInvocationID.x, column = at & (columns - 1u), j = at >> (11 - bits); \
      const uint within = j & ((1u << done) - 1u), to = ((j >> done) << (done + radix_bits)) + within; \
      [[unroll]] for (int i = 0; i < radix; ++i) tile[(to + (uint(i) << done)) * columns + column] = v[b * radix + i]; \
    } \
    barrier(); \
    done += radix_bits; \
  }
void transform_columns(int bits) {
  const uint columns = uint(points) >> bits;
  int done = 0;
  while (bits - done >= 3) STEP(8, 3, fft8(v);)
  if (bits - done == 2) STEP(4, 2, fft4(v[0], v[1], v[2], v[3]); fft4(v[4], v[5], v[6], v[7]);)
  if (bits - done == 1) STEP(2, 1, fft2(v[0], v[1]); fft2(v[2], v[3]); fft2(v[4], v[5]); fft2(v[6], v[7]);)
}
// The first number of a row of the operand.
uint64_t first_of(uint row, uint bytes) {
  int64_t offset = 0L;
  for (int i = 3; i >= 0 && row != 0u; --i) {
    const uint size = uint(args.sizes[i]), next = row / size;
    offset += int64_t(row - next * size) * args.steps[i];
    row = next;
  }
  return args.x + uint64_t(offset) * uint64_t(bytes);
}
vec2 complex_at(uint64_t base, uint i) { return Complex(base + uint64_t(int64_t(i) * args.stride) * 8UL).data; }
vec2 work_at(uint which, uint64_t i) { return Complex(args.work[which & 1u] + i * 8UL).data; }
vec2 value_at(uint row, uint i) {
  const uint n = uint(args.n);
  return complex_at(first_of(row, 8u), i);
}
vec2 read(uint row, uint i) {
  const uint n = uint(args.n), size = uint(args.size);
  const vec2 v = value_at(row, i);
  return v;
}
void store(uint row, uint i, vec2 v, vec2 other) {
  const uint n = uint(args.n);
  if (i >= uint(args.stored)) return;
  const uint64_t to = uint64_t(row) * uint64_t(args.stored) + uint64_t(i);
  const float scale = 1.0;
  const vec2 u = v;
  v = u * scale;
  Complex(args.result + to * 8UL).data = v;
}
void main() {
  const int all_bits = findMSB(uint(args.size)), turn = int(args.turn);
  const int passes = passes_of(all_bits);
  // The passes take about as many bits each: those of this one, and those that passes before it took.
  const int before = all_bits * turn / passes, bits = all_bits * (turn + 1) / passes - before;
  const uint radix = 1u << bits, columns = uint(points) >> bits, across_bits = uint(all_bits - bits);
  const uint64_t group = uint64_t(gl_WorkGroupID.y) * uint64_t(gl_NumWorkGroups.x) + uint64_t(gl_WorkGroupID.x);
  const uint64_t first = group * uint64_t(columns), end = uint64_t(args.rows) << across_bits;
  if (first >= end) return;
  const uint within_mask = (1u << before) - 1u, source = uint(turn + 0 + 1), target = uint(turn + 0);
  // Neighbours read and write numbers that lie side by side: along a column where a column is a row, else across.
  const bool along = passes == 1 && args.stride == 1L;
  [[unroll]] for (int e = 0; e < 8; ++e) {
    const uint slot = uint(e * threads) + gl_LocalInvocationID.x;
    const uint r = along ? slot & (radix - 1u) : slot / columns;
    const uint c = along ? slot >> bits : slot & (columns - 1u);
    const uint64_t column = first + uint64_t(c);
    vec2 v = vec2(0.0);
    if (column < end) {
      const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
      const uint i = j + (r << across_bits);
      if (turn == 0) v = read(row, i);
      else v = work_at(source, (uint64_t(row) << all_bits) + uint64_t(i));
      if (turn > 0) v = times(v, root((j & within_mask) * r, before + bits));
    }
    tile[r * columns + c] = v;
  }
  barrier();
  transform_columns(bits);
  [[unroll]] for (int e = 0; e < 8; ++e) {
    const uint slot = uint(e * threads) + gl_LocalInvocationID.x;
    const uint r = turn == 0 ? slot & (radix - 1u) : slot / columns;
    const uint c = turn == 0 ? slot >> bits : slot & (columns - 1u);
    const uint64_t column = first + uint64_t(c);
    if (column < end) {
      const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
      const uint i = ((j >> before) << (before + bits)) + (j & within_mask) + (r << before);
      const vec2 v = tile[r * columns + c];
      if (true && turn + 1 == passes) store(row, i, v, tile[((radix - r) & (radix - 1u)) * columns + c]);
      else Complex(args.work[target & 1u] + ((uint64_t(row) << all_bits) + uint64_t(i)) * 8UL).data = v;
    }
  }
}

// shader routine1_packed
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 256) in;
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Complex { vec2 data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Real { float data; };
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments {
  uint64_t x, result, work[2];
  int64_t rows, n, size, stored, stride, turn, sizes[4], steps[4];
};
layout(push_constant, std430) uniform Push { Arguments args; };
const int points = 1 << 11, threads = points / 8;  // of a workgroup
shared vec2 tile[points];
// A row that is too long for one pass has passes of fewer numbers each, so that four neighbours lie side by side.
int passes_of(int bits) { return bits <= 11 ? 1 : (bits + 11 - 3) / (11 - 2); }
vec2 times(vec2 a, vec2 b) { return vec2(fma(a.x, b.x, -a.y * b.y), fma(a.x, b.y, a.y * b.x)); }
vec2 conjugate(vec2 a) { return vec2(a.x, -a.y); }
// exp(-2 pi i t) of t = (octant + part) / 8. The device's own sine may be far off.
vec2 root_at(uint octant, float part) {
  const float t = ((octant & 1u) == 0u ? part : 1.0 - part) * 0.785398163;
  const float u = t * t;
  const float s = fma(t * u, fma(u, fma(u, fma(u, 2.75573192e-6, -1.98412698e-4), 8.33333333e-3), -0.166666667), t);
  const float high = fma(u, fma(u, fma(u, -2.75573192e-7, 2.48015873e-5), -1.38888889e-3), 4.16666667e-2);
  const float c = fma(u, fma(u, high, -0.5), 1.0);
  const bool turned = ((octant + 1u) & 2u) != 0u;
  const float re = turned ? s : c, im = turned ? c : s;
  return vec2(((octant + 2u) & 4u) != 0u ? -re : re, octant < 4u ? -im : im);
}
// exp(-2 pi i k / 2^bits), 0 <= k < 2^bits.
vec2 root(uint k, int bits) {
  const uint eighths = k << 3, octant = eighths >> bits;
  return root_at(octant, float(eighths - (octant << bits)) * uintBitsToFloat(uint(127 - bits) << 23));
}
// The nearest float to x / y but for a rare last bit.
float ratio(float x, float y) {
  const float inverse = 1.0 / y, q = x * inverse;
  return fma(fma(-q, y, x), inverse, q);
}
float inverse_root(float x) {
  const float root_of = inversesqrt(x);
  return fma(0.5 * root_of, fma(-x * root_of, root_of, 1.0), root_of);
}
// exp(-pi i k k / n), 0 <= k < n.
vec2 chirp(uint k, uint n) {
  const uint m = 2u * n;
  uint rest = k * k % m;
  if (k > 0xffffu) {
    const uint64_t square = uint64_t(k) * uint64_t(k);
    rest = uint(square - square / uint64_t(m) * uint64_t(m));
  }
  const uint eighths = rest << 3, octant = eighths / m;
  return root_at(octant, ratio(float(eighths - octant * m), float(m)));
}
void fft2(inout vec2 a, inout vec2 b) {
  const vec2 c = a;
  a = c + b, b = c - b;
}
void fft4(inout vec2 a, inout vec2 b, inout vec2 c, inout vec2 d) {
  fft2(a, c);
  fft2(b, d);
  d = vec2(d.y, -d.x);
  fft2(a, b);
  fft2(c, d);
  const vec2 second = c;
  c = b, b = second;
}
void fft8(inout vec2 v[8]) {
  const float half_root = 0.707106781;
  fft4(v[0], v[2], v[4], v[6]);
  fft4(v[1], v[3], v[5], v[7]);
  v[3] = vec2(v[3].x + v[3].y, v[3].y - v[3].x) * half_root;
  v[5] = vec2(v[5].y, -v[5].x);
  v[7] = vec2(v[7].y - v[7].x, -v[7].y - v[7].x) * half_root;
  const vec2 a[4] = vec2[4](v[0], v[2], v[4], v[6]), b[4] = vec2[4](v[1], v[3], v[5], v[7]);
  [[unroll]] for (int i = 0; i < 4; ++i) v[i] = a[i] + b[i], v[i + 4] = a[i] - b[i];
}
// Transforms of all columns of the tile: number r of column c, of 2^bits numbers, lies at r * columns + c. A step takes
// those in blocks of 2^done numbers together, `radix` at a time.
#define STEP(radix, radix_bits, TRANSFORM) \
  { \
    vec2 v[8]; \
    [[unroll]] for (int b = 0; b < 8 / radix; ++b) { \
      const uint at = uint(b * threads) + gl_LocalInvocationID.x, column = at & (columns - 1u), j = at >> (11 - bits); \
      const uint within = j & ((1u << done) - 1u); \
      [[unroll]] for (int i = 0; i < radix; ++i) \
        v[b * radix + i] = tile[(j + (uint(i) << (bits - radix_bits))) * columns + column]; \
      if (done > 0) { \
        vec2 w[8]; \
        [[unroll]] for (int i = 1; i < radix; ++i) { \
          if ((i & (i - 1)) == 0) w[i] = root(within * uint(i), done + radix_bits); \
          else w[i] = times(w[i & (i - 1)], w[i & -i]); \
          v[b * radix + i] = times(v[b * radix + i], w[i]); \
        } \
      } \
    } \
    barrier(); \
    TRANSFORM \
    [[unroll]] for (int b = 0; b < 8 / radix; ++b) { \
      const uint at = uint(b * threads) + gl_LocalInvocationID.x, column = at & (columns - 1u), j = at >> (11 - bits); \
      const uint within = j & ((1u << done) - 1u), to = ((j >> done) << (done + radix_bits)) + within; \
      [[unroll]] for (int i = 0; i < radix; ++i) tile[(to + (uint(i) << done)) * columns + column] = v[b * radix + i]; \
    } \
    barrier(); \
    done += radix_bits; \
  }
void transform_columns(int bits) {
  const uint columns = uint(points) >> bits;
  int done = 0;
  while (bits - done >= 3) STEP(8, 3, fft8(v);)
  if (bits - done == 2) STEP(4, 2, fft4(v[0], v[1], v[2], v[3]); fft4(v[4], v[5], v[6], v[7]);)
  if (bits - done == 1) STEP(2, 1, fft2(v[0], v[1]); fft2(v[2], v[3]); fft2(v[4], v[5]); fft2(v[6], v[7]);)
}
// The first number of a row of the operand.
uint64_t first_of(uint row, uint bytes) {
  int64_t offset = 0L;
  for (int i = 3; i >= 0 && row != 0u; --i) {
    const uint size = uint(args.sizes[i]), next = row / size;
    offset += int64_t(row - next * size) * args.steps[i];
    row = next;
  }
  return args.x + uint64_t(offset) * uint64_t(bytes);
}
vec2 complex_at(uint64_t base, uint i) { return Complex(base + uint64_t(int64_t(i) * args.stride) * 8UL).data; }
vec2 work_at(uint which, uint64_t i) { return Complex(args.work[which & 1u] + i * 8UL).data; }
vec2 value_at(uint row, uint i) {
  const uint n = uint(args.n);
  return vec2(Real(first_of(row, 4u) + uint64_t(int64_t(i) * args.stride) * 4UL).data, 0.0);
}
vec2 read(uint row, uint i) {
  const uint n = uint(args.n), size = uint(args.size);
  const uint64_t at = first_of(row, 4u) + uint64_t(int64_t(2u * i) * args.stride) * 4UL;
  return vec2(Real(at).data, Real(at + uint64_t(args.stride) * 4UL).data);
}
void store(uint row, uint i, vec2 v, vec2 other) {
  const uint n = uint(args.n);
  if (i >= uint(args.stored)) return;
  const uint64_t to = uint64_t(row) * uint64_t(args.stored) + uint64_t(i);
  const float scale = inverse_root(float(n));
  const vec2 u = v;
  const vec2 even = 0.5 * (u + conjugate(other)), odd = 0.5 * (u - conjugate(other));
  v = (even + times(vec2(odd.y, -odd.x), root(i, findMSB(n)))) * scale;
  Complex(args.result + to * 8UL).data = v;
  if (i == 0u) Complex(args.result + (to + uint64_t(args.size)) * 8UL).data = vec2((u.x - u.y) * scale, 0.0);
}
void main() {
  const int all_bits = findMSB(uint(args.size)), turn = int(args.turn);
  const int passes = passes_of(all_bits);
  // The passes take about as many bits each: those of this one, and those that passes before it took.
  const int before = all_bits * turn / passes, bits = all_bits * (turn + 1) / passes - before;
  const uint radix = 1u << bits, columns = uint(points) >> bits, across_bits = uint(all_bits - bits);
  const uint64_t group = uint64_t(gl_WorkGroupID.y) * uint64_t(gl_NumWorkGroups.x) + uint64_t(gl_WorkGroupID.x);
  const uint64_t first = group * uint64_t(columns), end = uint64_t(args.rows) << across_bits;
  if (first >= end) return;
  const uint within_mask = (1u << before) - 1u, source = uint(turn + 0 + 1), target = uint(turn + 0);
  // Neighbours read and write numbers that lie side by side: along a column where a column is a row, else across.
  const bool along = passes == 1 && args.stride == 1L;
  [[unroll]] for (int e = 0; e < 8; ++e) {
    const uint slot = uint(e * threads) + gl_LocalInvocationID.x;
    const uint r = along ? slot & (radix - 1u) : slot / columns;
    const uint c = along ? slot >> bits : slot & (columns - 1u);
    const uint64_t column = first + uint64_t(c);
    vec2 v = vec2(0.0);
    if (column < end) {
      const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
      const uint i = j + (r << across_bits);
      if (turn == 0) v = read(row, i);
      else v = work_at(source, (uint64_t(row) << all_bits) + uint64_t(i));
      if (turn > 0) v = times(v, root((j & within_mask) * r, before + bits));
    }
    tile[r * columns + c] = v;
  }
  barrier();
  transform_columns(bits);
  [[unroll]] for (int e = 0; e < 8; ++e) {
    const uint slot = uint(e * threads) + gl_LocalInvocationID.x;
    const uint r = turn == 0 ? slot & (radix - 1u) : slot / columns;
    const uint c = turn == 0 ? slot >> bits : slot & (columns - 1u);
    const uint64_t column = first + uint64_t(c);
    if (column < end) {
      const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
      const uint i = ((j >> before) << (before + bits)) + (j & within_mask) + (r << before);
      const vec2 v = tile[r * columns + c];
      if (true && turn + 1 == passes) store(row, i, v, tile[((radix - r) & (radix - 1u)) * columns + c]);
      else Complex(args.work[target & 1u] + ((uint64_t(row) << all_bits) + uint64_t(i)) * 8UL).data = v;
    }
  }
}

// shader routine2_chirp
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 256) in;
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Complex { vec2 data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Real { float data; };
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments {
  uint64_t x, result, work[2];
  int64_t rows, n, size, stored, stride, turn, sizes[4], steps[4];
};
layout(push_constant, std430) uniform Push { Arguments args; };
const int points = 1 << 11, threads = points / 8;  // of a workgroup
shared vec2 tile[points];
// A row that is too long for one pass has passes of fewer numbers each, so that four neighbours lie side by side.
int passes_of(int bits) { return bits <= 11 ? 1 : (bits + 11 - 3) / (11 - 2); }
vec2 times(vec2 a, vec2 b) { return vec2(fma(a.x, b.x, -a.y * b.y), fma(a.x, b.y, a.y * b.x)); }
vec2 conjugate(vec2 a) { return vec2(a.x, -a.y); }
// exp(-2 pi i t) of t = (octant + part) / 8. The device's own sine may be far off.
vec2 root_at(uint octant, float part) {
  const float t = ((octant & 1u) == 0u ? part : 1.0 - part) * 0.785398163;
  const float u = t * t;
  const float s = fma(t * u, fma(u, fma(u, fma(u, 2.75573192e-6, -1.98412698e-4), 8.33333333e-3), -0.166666667), t);
  const float high = fma(u, fma(u, fma(u, -2.75573192e-7, 2.48015873e-5), -1.38888889e-3), 4.16666667e-2);
  const float c = fma(u, fma(u, high, -0.5), 1.0);
  const bool turned = ((octant + 1u) & 2u) != 0u;
  const float re = turned ? s : c, im = turned ? c : s;
  return vec2(((octant + 2u) & 4u) != 0u ? -re : re, octant < 4u ? -im : im);
}
// exp(-2 pi i k / 2^bits), 0 <= k < 2^bits.
vec2 root(uint k, int bits) {
  const uint eighths = k << 3, octant = eighths >> bits;
  return root_at(octant, float(eighths - (octant << bits)) * uintBitsToFloat(uint(127 - bits) << 23));
}
// The nearest float to x / y but for a rare last bit.
float ratio(float x, float y) {
  const float inverse = 1.0 / y, q = x * inverse;
  return fma(fma(-q, y, x), inverse, q);
}
float inverse_root(float x) {
  const float root_of = inversesqrt(x);
  return fma(0.5 * root_of, fma(-x * root_of, root_of, 1.0), root_of);
}
// exp(-pi i k k / n), 0 <= k < n.
vec2 chirp(uint k, uint n) {
  const uint m = 2u * n;
  uint rest = k * k % m;
  if (k > 0xffffu) {
    const uint64_t square = uint64_t(k) * uint64_t(k);
    rest = uint(square - square / uint64_t(m) * uint64_t(m));
  }
  const uint eighths = rest << 3, octant = eighths / m;
  return root_at(octant, ratio(float(eighths - octant * m), float(m)));
}
void fft2(inout vec2 a, inout vec2 b) {
  const vec2 c = a;
  a = c + b, b = c - b;
}
void fft4(inout vec2 a, inout vec2 b, inout vec2 c, inout vec2 d) {
  fft2(a, c);
  fft2(b, d);
  d = vec2(d.y, -d.x);
  fft2(a, b);
  fft2(c, d);
  const vec2 second = c;
  c = b, b = second;
}
void fft8(inout vec2 v[8]) {
  const float half_root = 0.707106781;
  fft4(v[0], v[2], v[4], v[6]);
  fft4(v[1], v[3], v[5], v[7]);
  v[3] = vec2(v[3].x + v[3].y, v[3].y - v[3].x) * half_root;
  v[5] = vec2(v[5].y, -v[5].x);
  v[7] = vec2(v[7].y - v[7].x, -v[7].y - v[7].x) * half_root;
  const vec2 a[4] = vec2[4](v[0], v[2], v[4], v[6]), b[4] = vec2[4](v[1], v[3], v[5], v[7]);
  [[unroll]] for (int i = 0; i < 4; ++i) v[i] = a[i] + b[i], v[i + 4] = a[i] - b[i];
}
// Transforms of all columns of the tile: number r of column c, of 2^bits numbers, lies at r * columns + c. A step takes
// those in blocks of 2^done numbers together, `radix` at a time.
#define STEP(radix, radix_bits, TRANSFORM) \
  { \
    vec2 v[8]; \
    [[unroll]] for (int b = 0; b < 8 / radix; ++b) { \
      const uint at = uint(b * threads) + gl_LocalInvocationID.x, column = at & (columns - 1u), j = at >> (11 - bits); \
      const uint within = j & ((1u << done) - 1u); \
      [[unroll]] for (int i = 0; i < radix; ++i) \
        v[b * radix + i] = tile[(j + (uint(i) << (bits - radix_bits))) * columns + column]; \
      if (done > 0) { \
        vec2 w[8]; \
        [[unroll]] for (int i = 1; i < radix; ++i) { \
          if ((i & (i - 1)) == 0) w[i] = root(within * uint(i), done + radix_bits); \
          else w[i] = times(w[i & (i - 1)], w[i & -i]); \
          v[b * radix + i] = times(v[b * radix + i], w[i]); \
        } \
      } \
    } \
    barrier(); \
    TRANSFORM \
    [[unroll]] for (int b = 0; b < 8 / radix; ++b) { \
      const uint at = uint(b * threads) + gl_LocalInvocationID.x, column = at & (columns - 1u), j = at >> (11 - bits); \
      const uint within = j & ((1u << done) - 1u), to = ((j >> done) << (done + radix_bits)) + within; \
      [[unroll]] for (int i = 0; i < radix; ++i) tile[(to + (uint(i) << done)) * columns + column] = v[b * radix + i]; \
    } \
    barrier(); \
    done += radix_bits; \
  }
void transform_columns(int bits) {
  const uint columns = uint(points) >> bits;
  int done = 0;
  while (bits - done >= 3) STEP(8, 3, fft8(v);)
  if (bits - done == 2) STEP(4, 2, fft4(v[0], v[1], v[2], v[3]); fft4(v[4], v[5], v[6], v[7]);)
  if (bits - done == 1) STEP(2, 1, fft2(v[0], v[1]); fft2(v[2], v[3]); fft2(v[4], v[5]); fft2(v[6], v[7]);)
}
// The first number of a row of the operand.
uint64_t first_of(uint row, uint bytes) {
  int64_t offset = 0L;
  for (int i = 3; i >= 0 && row != 0u; --i) {
    const uint size = uint(args.sizes[i]), next = row / size;
    offset += int64_t(row - next * size) * args.steps[i];
    row = next;
  }
  return args.x + uint64_t(offset) * uint64_t(bytes);
}
vec2 complex_at(uint64_t base, uint i) { return Complex(base + uint64_t(int64_t(i) * args.stride) * 8UL).data; }
vec2 work_at(uint which, uint64_t i) { return Complex(args.work[which & 1u] + i * 8UL).data; }
vec2 value_at(uint row, uint i) {
  const uint n = uint(args.n);
  vec2 v = complex_at(first_of(row, 8u), min(i, n - i));
  if (i == 0u || 2u * i == n) v.y = 0.0;
  return 2u * i > n ? conjugate(v) : v;
}
vec2 read(uint row, uint i) {
  const uint n = uint(args.n), size = uint(args.size);
  if (row == uint(args.rows - 1L)) {
    const uint k = min(i, size - i);
    return k < n ? conjugate(chirp(k, n)) : vec2(0.0);
  }
  if (i >= n) return vec2(0.0);
  const vec2 v = value_at(row, i);
  return times(conjugate(v), chirp(i, n));
}
void store(uint row, uint i, vec2 v, vec2 other) {
  const uint n = uint(args.n);
  if (i >= uint(args.stored)) return;
  const uint64_t to = uint64_t(row) * uint64_t(args.stored) + uint64_t(i);
  const float scale = ratio(1.0, float(n));
  const vec2 u = v;
  v = conjugate(u) * scale;
  Real(args.result + to * 4UL).data = v.x;
}
void main() {
  const int all_bits = findMSB(uint(args.size)), turn = int(args.turn);
  const int passes = passes_of(all_bits);
  // The passes take about as many bits each: those of this one, and those that passes before it took.
  const int before = all_bits * turn / passes, bits = all_bits * (turn + 1) / passes - before;
  const uint radix = 1u << bits, columns = uint(points) >> bits, across_bits = uint(all_bits - bits);
  const uint64_t group = uint64_t(gl_WorkGroupID.y) * uint64_t(gl_NumWorkGroups.x) + uint64_t(gl_WorkGroupID.x);
  const uint64_t first = group * uint64_t(columns), end = uint64_t(args.rows) << across_bits;
  if (first >= end) return;
  const uint within_mask = (1u << before) - 1u, source = uint(turn + 0 + 1), target = uint(turn + 0);
  // Neighbours read and write numbers that lie side by side: along a column where a column is a row, else across.
  const bool along = passes == 1 && args.stride == 1L;
  [[unroll]] for (int e = 0; e < 8; ++e) {
    const uint slot = uint(e * threads) + gl_LocalInvocationID.x;
    const uint r = along ? slot & (radix - 1u) : slot / columns;
    const uint c = along ? slot >> bits : slot & (columns - 1u);
    const uint64_t column = first + uint64_t(c);
    vec2 v = vec2(0.0);
    if (column < end) {
      const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
      const uint i = j + (r << across_bits);
      if (turn == 0) v = read(row, i);
      else v = work_at(source, (uint64_t(row) << all_bits) + uint64_t(i));
      if (turn > 0) v = times(v, root((j & within_mask) * r, before + bits));
    }
    tile[r * columns + c] = v;
  }
  barrier();
  transform_columns(bits);
  [[unroll]] for (int e = 0; e < 8; ++e) {
    const uint slot = uint(e * threads) + gl_LocalInvocationID.x;
    const uint r = turn == 0 ? slot & (radix - 1u) : slot / columns;
    const uint c = turn == 0 ? slot >> bits : slot & (columns - 1u);
    const uint64_t column = first + uint64_t(c);
    if (column < end) {
      const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
      const uint i = ((j >> before) << (before + bits)) + (j & within_mask) + (r << before);
      const vec2 v = tile[r * columns + c];
      if (false && turn + 1 == passes) store(row, i, v, tile[((radix - r) & (radix - 1u)) * columns + c]);
      else Complex(args.work[target & 1u] + ((uint64_t(row) << all_bits) + uint64_t(i)) * 8UL).data = v;
    }
  }
}

// shader routine2_back
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 256) in;
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Complex { vec2 data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Real { float data; };
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments {
  uint64_t x, result, work[2];
  int64_t rows, n, size, stored, stride, turn, sizes[4], steps[4];
};
layout(push_constant, std430) uniform Push { Arguments args; };
const int points = 1 << 11, threads = points / 8;  // of a workgroup
shared vec2 tile[points];
// A row that is too long for one pass has passes of fewer numbers each, so that four neighbours lie side by side.
int passes_of(int bits) { return bits <= 11 ? 1 : (bits + 11 - 3) / (11 - 2); }
vec2 times(vec2 a, vec2 b) { return vec2(fma(a.x, b.x, -a.y * b.y), fma(a.x, b.y, a.y * b.x)); }
vec2 conjugate(vec2 a) { return vec2(a.x, -a.y); }
// exp(-2 pi i t) of t = (octant + part) / 8. The device's own sine may be far off.
vec2 root_at(uint octant, float part) {
  const float t = ((octant & 1u) == 0u ? part : 1.0 - part) * 0.785398163;
  const float u = t * t;
  const float s = fma(t * u, fma(u, fma(u, fma(u, 2.75573192e-6, -1.98412698e-4), 8.33333333e-3), -0.166666667), t);
  const float high = fma(u, fma(u, fma(u, -2.75573192e-7, 2.48015873e-5), -1.38888889e-3), 4.16666667e-2);
  const float c = fma(u, fma(u, high, -0.5), 1.0);
  const bool turned = ((octant + 1u) & 2u) != 0u;
  const float re = turned ? s : c, im = turned ? c : s;
  return vec2(((octant + 2u) & 4u) != 0u ? -re : re, octant < 4u ? -im : im);
}
// exp(-2 pi i k / 2^bits), 0 <= k < 2^bits.
vec2 root(uint k, int bits) {
  const uint eighths = k << 3, octant = eighths >> bits;
  return root_at(octant, float(eighths - (octant << bits)) * uintBitsToFloat(uint(127 - bits) << 23));
}
// The nearest float to x / y but for a rare last bit.
float ratio(float x, float y) {
  const float inverse = 1.0 / y, q = x * inverse;
  return fma(fma(-q, y, x), inverse, q);
}
float inverse_root(float x) {
  const float root_of = inversesqrt(x);
  return fma(0.5 * root_of, fma(-x * root_of, root_of, 1.0), root_of);
}
// exp(-pi i k k / n), 0 <= k < n.
vec2 chirp(uint k, uint n) {
  const uint m = 2u * n;
  uint rest = k * k % m;
  if (k > 0xffffu) {
    const uint64_t square = uint64_t(k) * uint64_t(k);
    rest = uint(square - square / uint64_t(m) * uint64_t(m));
  }
  const uint eighths = rest << 3, octant = eighths / m;
  return root_at(octant, ratio(float(eighths - octant * m), float(m)));
}
void fft2(inout vec2 a, inout vec2 b) {
  const vec2 c = a;
  a = c + b, b = c - b;
}
void fft4(inout vec2 a, inout vec2 b, inout vec2 c, inout vec2 d) {
  fft2(a, c);
  fft2(b, d);
  d = vec2(d.y, -d.x);
  fft2(a, b);
  fft2(c, d);
  const vec2 second = c;
  c = b, b = second;
}
void fft8(inout vec2 v[8]) {
  const float half_root = 0.707106781;
  fft4(v[0], v[2], v[4], v[6]);
  fft4(v[1], v[3], v[5], v[7]);
  v[3] = vec2(v[3].x + v[3].y, v[3].y - v[3].x) * half_root;
  v[5] = vec2(v[5].y, -v[5].x);
  v[7] = vec2(v[7].y - v[7].x, -v[7].y - v[7].x) * half_root;
  const vec2 a[4] = vec2[4](v[0], v[2], v[4], v[6]), b[4] = vec2[4](v[1], v[3], v[5], v[7]);
  [[unroll]] for (int i = 0; i < 4; ++i) v[i] = a[i] + b[i], v[i + 4] = a[i] - b[i];
}
// Transforms of all columns of the tile: number r of column c, of 2^bits numbers, lies at r * columns + c. A step takes
// those in blocks of 2^done numbers together, `radix` at a time.
#define STEP(radix, radix_bits, TRANSFORM) \
  { \
    vec2 v[8]; \
    [[unroll]] for (int b = 0; b < 8 / radix; ++b) { \
      const uint at = uint(b * threads) + gl_LocalInvocationID.x, column = at & (columns - 1u), j = at >> (11 - bits); \
      const uint within = j & ((1u << done) - 1u); \
      [[unroll]] for (int i = 0; i < radix; ++i) \
        v[b * radix + i] = tile[(j + (uint(i) << (bits - radix_bits))) * columns + column]; \
      if (done > 0) { \
        vec2 w[8]; \
        [[unroll]] for (int i = 1; i < radix; ++i) { \
          if ((i & (i - 1)) == 0) w[i] = root(within * uint(i), done + radix_bits); \
          else w[i] = times(w[i & (i - 1)], w[i & -i]); \
          v[b * radix + i] = times(v[b * radix + i], w[i]); \
        } \
      } \
    } \
    barrier(); \
    TRANSFORM \
    [[unroll]] for (int b = 0; b < 8 / radix; ++b) { \
      const uint at = uint(b * threads) + gl_LocalInvocationID.x, column = at & (columns - 1u), j = at >> (11 - bits); \
      const uint within = j & ((1u << done) - 1u), to = ((j >> done) << (done + radix_bits)) + within; \
      [[unroll]] for (int i = 0; i < radix; ++i) tile[(to + (uint(i) << done)) * columns + column] = v[b * radix + i]; \
    } \
    barrier(); \
    done += radix_bits; \
  }
void transform_columns(int bits) {
  const uint columns = uint(points) >> bits;
  int done = 0;
  while (bits - done >= 3) STEP(8, 3, fft8(v);)
  if (bits - done == 2) STEP(4, 2, fft4(v[0], v[1], v[2], v[3]); fft4(v[4], v[5], v[6], v[7]);)
  if (bits - done == 1) STEP(2, 1, fft2(v[0], v[1]); fft2(v[2], v[3]); fft2(v[4], v[5]); fft2(v[6], v[7]);)
}
// The first number of a row of the operand.
uint64_t first_of(uint row, uint bytes) {
  int64_t offset = 0L;
  for (int i = 3; i >= 0 && row != 0u; --i) {
    const uint size = uint(args.sizes[i]), next = row / size;
    offset += int64_t(row - next * size) * args.steps[i];
    row = next;
  }
  return args.x + uint64_t(offset) * uint64_t(bytes);
}
vec2 complex_at(uint64_t base, uint i) { return Complex(base + uint64_t(int64_t(i) * args.stride) * 8UL).data; }
vec2 work_at(uint which, uint64_t i) { return Complex(args.work[which & 1u] + i * 8UL).data; }
vec2 value_at(uint row, uint i) {
  const uint n = uint(args.n);
  vec2 v = complex_at(first_of(row, 8u), min(i, n - i));
  if (i == 0u || 2u * i == n) v.y = 0.0;
  return 2u * i > n ? conjugate(v) : v;
}
vec2 read(uint row, uint i) {
  const uint n = uint(args.n), size = uint(args.size);
  const uint from = uint(passes_of(findMSB(uint(args.size))) + 1);
  const vec2 other = work_at(from, uint64_t(args.rows) * uint64_t(size) + uint64_t(i));
  return conjugate(times(work_at(from, uint64_t(row) * uint64_t(size) + uint64_t(i)), other));
}
void store(uint row, uint i, vec2 v, vec2 other) {
  const uint n = uint(args.n);
  if (i >= uint(args.stored)) return;
  const uint64_t to = uint64_t(row) * uint64_t(args.stored) + uint64_t(i);
  const float scale = ratio(1.0, float(n));
  const vec2 u = times(conjugate(v), chirp(i, n)) / float(args.size);
  v = conjugate(u) * scale;
  Real(args.result + to * 4UL).data = v.x;
}
void main() {
  const int all_bits = findMSB(uint(args.size)), turn = int(args.turn);
  const int passes = passes_of(all_bits);
  // The passes take about as many bits each: those of this one, and those that passes before it took.
  const int before = all_bits * turn / passes, bits = all_bits * (turn + 1) / passes - before;
  const uint radix = 1u << bits, columns = uint(points) >> bits, across_bits = uint(all_bits - bits);
  const uint64_t group = uint64_t(gl_WorkGroupID.y) * uint64_t(gl_NumWorkGroups.x) + uint64_t(gl_WorkGroupID.x);
  const uint64_t first = group * uint64_t(columns), end = uint64_t(args.rows) << across_bits;
  if (first >= end) return;
  const uint within_mask = (1u << before) - 1u, source = uint(turn + passes_of(findMSB(uint(args.size))) + 1), target = uint(turn + passes_of(findMSB(uint(args.size))));
  // Neighbours read and write numbers that lie side by side: along a column where a column is a row, else across.
  const bool along = passes == 1 && args.stride == 1L;
  [[unroll]] for (int e = 0; e < 8; ++e) {
    const uint slot = uint(e * threads) + gl_LocalInvocationID.x;
    const uint r = along ? slot & (radix - 1u) : slot / columns;
    const uint c = along ? slot >> bits : slot & (columns - 1u);
    const uint64_t column = first + uint64_t(c);
    vec2 v = vec2(0.0);
    if (column < end) {
      const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
      const uint i = j + (r << across_bits);
      if (turn == 0) v = read(row, i);
      else v = work_at(source, (uint64_t(row) << all_bits) + uint64_t(i));
      if (turn > 0) v = times(v, root((j & within_mask) * r, before + bits));
    }
    tile[r * columns + c] = v;
  }
  barrier();
  transform_columns(bits);
  [[unroll]] for (int e = 0; e < 8; ++e) {
    const uint slot = uint(e * threads) + gl_LocalInvocationID.x;
    const uint r = turn == 0 ? slot & (radix - 1u) : slot / columns;
    const uint c = turn == 0 ? slot >> bits : slot & (columns - 1u);
    const uint64_t column = first + uint64_t(c);
    if (column < end) {
      const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
      const uint i = ((j >> before) << (before + bits)) + (j & within_mask) + (r << before);
      const vec2 v = tile[r * columns + c];
      if (true && turn + 1 == passes) store(row, i, v, tile[((radix - r) & (radix - 1u)) * columns + c]);
      else Complex(args.work[target & 1u] + ((uint64_t(row) << all_bits) + uint64_t(i)) * 8UL).data = v;
    }
  }
}
