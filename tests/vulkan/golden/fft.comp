// shader routine0_whole
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(constant_id = 12) const bool lines_of_groups = true;
uint flat_group() { return lines_of_groups ? gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x : gl_WorkGroupID.x; }
uint group_step(uint most) { return lines_of_groups ? gl_NumWorkGroups.x * gl_NumWorkGroups.y : most; }
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Complex { vec2 data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Real { float data; };
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments {
  uint64_t x, result, work[2];
  int64_t rows, n, size, stored, stride, turn, sizes[4], steps[4];
};
layout(push_constant, std430) uniform Push { Arguments args; };
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
// The nearest float to x / y but for a rare last bit.
float ratio(float x, float y) {
  const float inverse = 1.0 / y, q = x * inverse;
  return fma(fma(-q, y, x), inverse, q);
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
uint64_t base;  // the first number of the row that is read
vec2 complex_at(uint i) { return Complex(base + uint64_t(int64_t(i) * args.stride) * 8UL).data; }
vec2 work_at(uint which, uint64_t i) { return Complex(args.work[which & 1u] + i * 8UL).data; }
// exp(-2 pi i k / m) of 4 k, an integer below 2^24, and 1 / m. Adding 1.5 * 2^23 rounds to an integer.
vec2 line_root(float k4, float m, float inverse) {
  precise const float shifted = fma(k4, inverse, 12582912.0);
  precise const float quarters = shifted - 12582912.0;
  precise const float rest = fma(-quarters, m, k4);
  const float t = rest * inverse * 1.57079633, u = t * t;
  const float s = fma(t * u, fma(u, fma(u, fma(u, 2.75573192e-6, -1.98412698e-4), 8.33333333e-3), -0.166666667), t);
  const float high = fma(u, fma(u, fma(u, -2.75573192e-7, 2.48015873e-5), -1.38888889e-3), 4.16666667e-2);
  const float c = fma(u, fma(u, high, -0.5), 1.0);
  const uint q = floatBitsToUint(shifted);
  const bool odd = (q & 1u) != 0u;
  const uint re = floatBitsToUint(odd ? s : c), im = floatBitsToUint(odd ? c : s);
  return vec2(uintBitsToFloat(re ^ ((q + 1u) & 2u) << 30u), uintBitsToFloat(im ^ (~q & 2u) << 30u));
}
// The same of k and larger m.
vec2 long_root(uint k, uint m, float inverse) {
  const uint eighths = k << 3, octant = eighths / m;
  return root_at(octant, float(eighths - octant * m) * inverse);
}
uint64_t first, end;  // lines: the workgroup's first one, and all
bool begin(uint64_t lines) {
  const uint64_t group = uint64_t(flat_group());
  first = group * lines, end = uint64_t(args.rows) * 1UL;
  return first < end;
}
bool there(uint line) { return first + uint64_t(line) < end; }
uint line_of(uint line) { return uint(min(first + uint64_t(line), end - 1UL)); }
uint64_t row_of(uint row) { return args.x + uint64_t(row) * 2016UL; }
uint64_t from(uint line) {
  const uint at = line_of(line), row = at / 1u, column = at % 1u;
  return row_of(row);
}
uint64_t into(uint line) {
  const uint at = line_of(line), row = at / 1u, column = at % 1u;
  return args.result + uint64_t(row) * 2016UL;
}
uint turned_of(uint line) { return line_of(line) % 1u % 1u; }
vec2 at(uint64_t p) { return Complex(p).data; }
void dft2(inout vec2 a0, inout vec2 a1) {
  const vec2 a = a0;
  a0 = a + a1;
  a1 = a - a1;
}
void dft3(inout vec2 a0, inout vec2 a1, inout vec2 a2) {
  const vec2 s1 = a1 + a2, d1 = a1 - a2;
  const vec2 first = a0;
  a0 = first + s1;
  {
    const vec2 c = fma(s1, vec2(-0.5), first);
    const vec2 s = d1 * vec2(0.866025404);
    a1 = vec2(c.x + s.y, c.y - s.x);
    a2 = vec2(c.x - s.y, c.y + s.x);
  }
}
void dft6(inout vec2 a0, inout vec2 a1, inout vec2 a2, inout vec2 a3, inout vec2 a4, inout vec2 a5) {
  dft2(a0, a3);
  dft2(a2, a5);
  dft2(a4, a1);
  dft3(a0, a2, a4);
  dft3(a3, a5, a1);
  const vec2 b4 = a2, b2 = a4, b1 = a5, b5 = a1;
  a4 = b4;
  a2 = b2;
  a1 = b1;
  a5 = b5;
}
void dft7(inout vec2 a0, inout vec2 a1, inout vec2 a2, inout vec2 a3, inout vec2 a4, inout vec2 a5, inout vec2 a6) {
  const vec2 s1 = a1 + a6, d1 = a1 - a6;
  const vec2 s2 = a2 + a5, d2 = a2 - a5;
  const vec2 s3 = a3 + a4, d3 = a3 - a4;
  const vec2 first = a0;
  a0 = first + s1 + s2 + s3;
  {
    const vec2 c = fma(s3, vec2(-0.900968868), fma(s2, vec2(-0.222520934), fma(s1, vec2(0.623489802), first)));
    const vec2 s = fma(d3, vec2(0.433883739), fma(d2, vec2(0.974927912), d1 * vec2(0.781831482)));
    a1 = vec2(c.x + s.y, c.y - s.x);
    a6 = vec2(c.x - s.y, c.y + s.x);
  }
  {
    const vec2 c = fma(s3, vec2(0.623489802), fma(s2, vec2(-0.900968868), fma(s1, vec2(-0.222520934), first)));
    const vec2 s = fma(d3, vec2(-0.781831482), fma(d2, vec2(-0.433883739), d1 * vec2(0.974927912)));
    a2 = vec2(c.x + s.y, c.y - s.x);
    a5 = vec2(c.x - s.y, c.y + s.x);
  }
  {
    const vec2 c = fma(s3, vec2(-0.222520934), fma(s2, vec2(0.623489802), fma(s1, vec2(-0.900968868), first)));
    const vec2 s = fma(d3, vec2(0.974927912), fma(d2, vec2(-0.781831482), d1 * vec2(0.433883739)));
    a3 = vec2(c.x + s.y, c.y - s.x);
    a4 = vec2(c.x - s.y, c.y + s.x);
  }
}
shared vec2 tile[252];
void main() {
  const uint me = gl_LocalInvocationID.x;
  if (!begin(1UL)) return;
  vec2 v0[7];
  const uint f0_0 = min(me + 0u, 35u);
  const uint l0_0 = 0u, j0_0 = f0_0;
  vec2 v1[6];
  const uint f1_0 = min(me + 0u, 41u);
  const uint l1_0 = 0u, j1_0 = f1_0;
  vec2 v2[6];
  const uint f2_0 = min(me + 0u, 41u);
  const uint l2_0 = 0u, j2_0 = f2_0;
  const uint64_t b0_0 = from(l0_0), p0_0 = b0_0 + uint64_t(j0_0) * 8UL;
  v0[0] = at(p0_0 + 0UL * 8UL);
  v0[1] = at(p0_0 + 36UL * 8UL);
  v0[2] = at(p0_0 + 72UL * 8UL);
  v0[3] = at(p0_0 + 108UL * 8UL);
  v0[4] = at(p0_0 + 144UL * 8UL);
  v0[5] = at(p0_0 + 180UL * 8UL);
  v0[6] = at(p0_0 + 216UL * 8UL);
  {
  dft7(v0[0], v0[1], v0[2], v0[3], v0[4], v0[5], v0[6]);
  }
  const uint put0_0 = j0_0 / 1u * 7u + j0_0 % 1u;
  const uint get1_0 = j1_0 / 7u * 7u + j1_0 % 7u;
  if (me < 36u) tile[put0_0 + 0u] = v0[0];
  if (me < 36u) tile[put0_0 + 1u] = v0[1];
  if (me < 36u) tile[put0_0 + 2u] = v0[2];
  if (me < 36u) tile[put0_0 + 3u] = v0[3];
  if (me < 36u) tile[put0_0 + 4u] = v0[4];
  if (me < 36u) tile[put0_0 + 5u] = v0[5];
  if (me < 36u) tile[put0_0 + 6u] = v0[6];
  barrier();
  v1[0] = tile[get1_0 + 0u];
  v1[1] = tile[get1_0 + 42u];
  v1[2] = tile[get1_0 + 84u];
  v1[3] = tile[get1_0 + 126u];
  v1[4] = tile[get1_0 + 168u];
  v1[5] = tile[get1_0 + 210u];
  {
  const uint k = j1_0 % 7u;
  const vec2 w1 = line_root(float(k) * 4.0, 42.0, 0.0238095238);
  const vec2 w2 = line_root(float(k) * 8.0, 42.0, 0.0238095238);
  const vec2 w3 = times(w2, w1);
  const vec2 w4 = line_root(float(k) * 16.0, 42.0, 0.0238095238);
  const vec2 w5 = times(w4, w1);
  v1[1] = times(v1[1], w1);
  v1[2] = times(v1[2], w2);
  v1[3] = times(v1[3], w3);
  v1[4] = times(v1[4], w4);
  v1[5] = times(v1[5], w5);
  dft6(v1[0], v1[1], v1[2], v1[3], v1[4], v1[5]);
  }
  const uint put1_0 = j1_0 / 7u * 42u + j1_0 % 7u;
  const uint get2_0 = j2_0 / 42u * 42u + j2_0 % 42u;
  barrier();
  if (me < 42u) tile[put1_0 + 0u] = v1[0];
  if (me < 42u) tile[put1_0 + 7u] = v1[1];
  if (me < 42u) tile[put1_0 + 14u] = v1[2];
  if (me < 42u) tile[put1_0 + 21u] = v1[3];
  if (me < 42u) tile[put1_0 + 28u] = v1[4];
  if (me < 42u) tile[put1_0 + 35u] = v1[5];
  barrier();
  v2[0] = tile[get2_0 + 0u];
  v2[1] = tile[get2_0 + 42u];
  v2[2] = tile[get2_0 + 84u];
  v2[3] = tile[get2_0 + 126u];
  v2[4] = tile[get2_0 + 168u];
  v2[5] = tile[get2_0 + 210u];
  {
  const uint k = j2_0 % 42u;
  const vec2 w1 = line_root(float(k) * 4.0, 252.0, 0.00396825397);
  const vec2 w2 = line_root(float(k) * 8.0, 252.0, 0.00396825397);
  const vec2 w3 = times(w2, w1);
  const vec2 w4 = line_root(float(k) * 16.0, 252.0, 0.00396825397);
  const vec2 w5 = times(w4, w1);
  v2[1] = times(v2[1], w1);
  v2[2] = times(v2[2], w2);
  v2[3] = times(v2[3], w3);
  v2[4] = times(v2[4], w4);
  v2[5] = times(v2[5], w5);
  dft6(v2[0], v2[1], v2[2], v2[3], v2[4], v2[5]);
  }
  const uint64_t q2_0 = into(l2_0) + uint64_t(j2_0) * 8UL;
  if (me < 42u) {
  Complex(q2_0 + 0UL).data = v2[0];
  Complex(q2_0 + 336UL).data = v2[1];
  Complex(q2_0 + 672UL).data = v2[2];
  Complex(q2_0 + 1008UL).data = v2[3];
  Complex(q2_0 + 1344UL).data = v2[4];
  Complex(q2_0 + 1680UL).data = v2[5];
  }
}

// shader routine1_whole
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(constant_id = 12) const bool lines_of_groups = true;
uint flat_group() { return lines_of_groups ? gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x : gl_WorkGroupID.x; }
uint group_step(uint most) { return lines_of_groups ? gl_NumWorkGroups.x * gl_NumWorkGroups.y : most; }
layout(local_size_x = 32) in;
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Complex { vec2 data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Real { float data; };
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments {
  uint64_t x, result, work[2];
  int64_t rows, n, size, stored, stride, turn, sizes[4], steps[4];
};
layout(push_constant, std430) uniform Push { Arguments args; };
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
// The nearest float to x / y but for a rare last bit.
float ratio(float x, float y) {
  const float inverse = 1.0 / y, q = x * inverse;
  return fma(fma(-q, y, x), inverse, q);
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
uint64_t base;  // the first number of the row that is read
vec2 complex_at(uint i) { return Complex(base + uint64_t(int64_t(i) * args.stride) * 8UL).data; }
vec2 work_at(uint which, uint64_t i) { return Complex(args.work[which & 1u] + i * 8UL).data; }
// exp(-2 pi i k / m) of 4 k, an integer below 2^24, and 1 / m. Adding 1.5 * 2^23 rounds to an integer.
vec2 line_root(float k4, float m, float inverse) {
  precise const float shifted = fma(k4, inverse, 12582912.0);
  precise const float quarters = shifted - 12582912.0;
  precise const float rest = fma(-quarters, m, k4);
  const float t = rest * inverse * 1.57079633, u = t * t;
  const float s = fma(t * u, fma(u, fma(u, fma(u, 2.75573192e-6, -1.98412698e-4), 8.33333333e-3), -0.166666667), t);
  const float high = fma(u, fma(u, fma(u, -2.75573192e-7, 2.48015873e-5), -1.38888889e-3), 4.16666667e-2);
  const float c = fma(u, fma(u, high, -0.5), 1.0);
  const uint q = floatBitsToUint(shifted);
  const bool odd = (q & 1u) != 0u;
  const uint re = floatBitsToUint(odd ? s : c), im = floatBitsToUint(odd ? c : s);
  return vec2(uintBitsToFloat(re ^ ((q + 1u) & 2u) << 30u), uintBitsToFloat(im ^ (~q & 2u) << 30u));
}
// The same of k and larger m.
vec2 long_root(uint k, uint m, float inverse) {
  const uint eighths = k << 3, octant = eighths / m;
  return root_at(octant, float(eighths - octant * m) * inverse);
}
uint64_t first, end;  // lines: the workgroup's first one, and all
bool begin(uint64_t lines) {
  const uint64_t group = uint64_t(flat_group());
  first = group * lines, end = uint64_t(args.rows) * 1UL;
  return first < end;
}
bool there(uint line) { return first + uint64_t(line) < end; }
uint line_of(uint line) { return uint(min(first + uint64_t(line), end - 1UL)); }
uint64_t row_of(uint row) { return args.x + uint64_t(row) * 256UL; }
uint64_t from(uint line) {
  const uint at = line_of(line), row = at / 1u, column = at % 1u;
  return row_of(row);
}
uint64_t into(uint line) {
  const uint at = line_of(line), row = at / 1u, column = at % 1u;
  return args.result + uint64_t(row) * 264UL;
}
uint turned_of(uint line) { return line_of(line) % 1u % 1u; }
vec2 at(uint64_t p) { return vec2(Real(p).data, Real(p + 4UL).data); }
void dft2(inout vec2 a0, inout vec2 a1) {
  const vec2 a = a0;
  a0 = a + a1;
  a1 = a - a1;
}
void dft4(inout vec2 a0, inout vec2 a1, inout vec2 a2, inout vec2 a3) {
  dft2(a0, a2);
  dft2(a1, a3);
  a3 = vec2(a3.y, -a3.x);
  dft2(a0, a1);
  dft2(a2, a3);
  const vec2 b2 = a1, b1 = a2;
  a2 = b2;
  a1 = b1;
}
void dft8(inout vec2 a0, inout vec2 a1, inout vec2 a2, inout vec2 a3, inout vec2 a4, inout vec2 a5, inout vec2 a6, inout vec2 a7) {
  dft2(a0, a4);
  dft2(a1, a5);
  a5 = times(a5, vec2(0.707106781, -0.707106781));
  dft2(a2, a6);
  a6 = vec2(a6.y, -a6.x);
  dft2(a3, a7);
  a7 = times(a7, vec2(-0.707106781, -0.707106781));
  dft4(a0, a1, a2, a3);
  dft4(a4, a5, a6, a7);
  const vec2 b2 = a1, b4 = a2, b6 = a3, b1 = a4, b3 = a5, b5 = a6;
  a2 = b2;
  a4 = b4;
  a6 = b6;
  a1 = b1;
  a3 = b3;
  a5 = b5;
}
shared vec2 tile[36];
void main() {
  const uint me = gl_LocalInvocationID.x;
  if (!begin(1UL)) return;
  vec2 v0[8];
  const uint f0_0 = min(me + 0u, 3u);
  const uint l0_0 = 0u, j0_0 = f0_0;
  vec2 v1[4];
  const uint f1_0 = min(me + 0u, 7u);
  const uint l1_0 = 0u, j1_0 = f1_0;
  vec2 v2[2];
  const uint f2_0 = min(me + 0u, 16u);
  const uint l2_0 = 0u, j2_0 = f2_0;
  const uint64_t b0_0 = from(l0_0), p0_0 = b0_0 + uint64_t(j0_0) * (2UL * 4UL);
  v0[0] = at(p0_0 + 0UL * (2UL * 4UL));
  v0[1] = at(p0_0 + 4UL * (2UL * 4UL));
  v0[2] = at(p0_0 + 8UL * (2UL * 4UL));
  v0[3] = at(p0_0 + 12UL * (2UL * 4UL));
  v0[4] = at(p0_0 + 16UL * (2UL * 4UL));
  v0[5] = at(p0_0 + 20UL * (2UL * 4UL));
  v0[6] = at(p0_0 + 24UL * (2UL * 4UL));
  v0[7] = at(p0_0 + 28UL * (2UL * 4UL));
  {
  dft8(v0[0], v0[1], v0[2], v0[3], v0[4], v0[5], v0[6], v0[7]);
  }
  const uint put0_0 = j0_0 / 1u * 9u + j0_0 % 1u;
  const uint get1_0 = j1_0 / 8u * 9u + j1_0 % 8u;
  if (me < 4u) tile[put0_0 + 0u] = v0[0];
  if (me < 4u) tile[put0_0 + 1u] = v0[1];
  if (me < 4u) tile[put0_0 + 2u] = v0[2];
  if (me < 4u) tile[put0_0 + 3u] = v0[3];
  if (me < 4u) tile[put0_0 + 4u] = v0[4];
  if (me < 4u) tile[put0_0 + 5u] = v0[5];
  if (me < 4u) tile[put0_0 + 6u] = v0[6];
  if (me < 4u) tile[put0_0 + 7u] = v0[7];
  barrier();
  v1[0] = tile[get1_0 + 0u];
  v1[1] = tile[get1_0 + 9u];
  v1[2] = tile[get1_0 + 18u];
  v1[3] = tile[get1_0 + 27u];
  {
  const uint k = j1_0 % 8u;
  const vec2 w1 = line_root(float(k) * 4.0, 32.0, 0.03125);
  const vec2 w2 = line_root(float(k) * 8.0, 32.0, 0.03125);
  const vec2 w3 = times(w2, w1);
  v1[1] = times(v1[1], w1);
  v1[2] = times(v1[2], w2);
  v1[3] = times(v1[3], w3);
  dft4(v1[0], v1[1], v1[2], v1[3]);
  }
  const uint put1_0 = j1_0;
  const uint get2_0 = j2_0;
  barrier();
  if (me < 8u) tile[put1_0 + 0u] = v1[0];
  if (me < 8u) tile[put1_0 + 8u] = v1[1];
  if (me < 8u) tile[put1_0 + 16u] = v1[2];
  if (me < 8u) tile[put1_0 + 24u] = v1[3];
  barrier();
  v2[0] = tile[get2_0];
  v2[1] = tile[get2_0 + (j2_0 == 0u ? 0u : 32u - 2u * j2_0)];
  {
  const vec2 a = v2[0], c = conjugate(v2[1]);
  const vec2 even = 0.5 * (a + c), odd = 0.5 * (a - c);
  const vec2 turned = times(vec2(odd.y, -odd.x), line_root(float(j2_0) * 4.0, 64.0, 0.015625));
  v2[0] = even + turned;
  v2[1] = conjugate(even - turned);
  }
  const uint64_t q2_0 = into(l2_0) + uint64_t(j2_0) * 8UL;
  if (me < 17u) {
  Complex(q2_0 + 0UL).data = v2[0] * 0.125;
  Complex(q2_0 + uint64_t(32u - 2u * j2_0) * 8UL).data = v2[1] * 0.125;
  }
}

// shader routine2_whole
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(constant_id = 12) const bool lines_of_groups = true;
uint flat_group() { return lines_of_groups ? gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x : gl_WorkGroupID.x; }
uint group_step(uint most) { return lines_of_groups ? gl_NumWorkGroups.x * gl_NumWorkGroups.y : most; }
layout(local_size_x = 32) in;
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Complex { vec2 data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Real { float data; };
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments {
  uint64_t x, result, work[2];
  int64_t rows, n, size, stored, stride, turn, sizes[4], steps[4];
};
layout(push_constant, std430) uniform Push { Arguments args; };
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
// The nearest float to x / y but for a rare last bit.
float ratio(float x, float y) {
  const float inverse = 1.0 / y, q = x * inverse;
  return fma(fma(-q, y, x), inverse, q);
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
uint64_t base;  // the first number of the row that is read
vec2 complex_at(uint i) { return Complex(base + uint64_t(int64_t(i) * args.stride) * 8UL).data; }
vec2 work_at(uint which, uint64_t i) { return Complex(args.work[which & 1u] + i * 8UL).data; }
// exp(-2 pi i k / m) of 4 k, an integer below 2^24, and 1 / m. Adding 1.5 * 2^23 rounds to an integer.
vec2 line_root(float k4, float m, float inverse) {
  precise const float shifted = fma(k4, inverse, 12582912.0);
  precise const float quarters = shifted - 12582912.0;
  precise const float rest = fma(-quarters, m, k4);
  const float t = rest * inverse * 1.57079633, u = t * t;
  const float s = fma(t * u, fma(u, fma(u, fma(u, 2.75573192e-6, -1.98412698e-4), 8.33333333e-3), -0.166666667), t);
  const float high = fma(u, fma(u, fma(u, -2.75573192e-7, 2.48015873e-5), -1.38888889e-3), 4.16666667e-2);
  const float c = fma(u, fma(u, high, -0.5), 1.0);
  const uint q = floatBitsToUint(shifted);
  const bool odd = (q & 1u) != 0u;
  const uint re = floatBitsToUint(odd ? s : c), im = floatBitsToUint(odd ? c : s);
  return vec2(uintBitsToFloat(re ^ ((q + 1u) & 2u) << 30u), uintBitsToFloat(im ^ (~q & 2u) << 30u));
}
// The same of k and larger m.
vec2 long_root(uint k, uint m, float inverse) {
  const uint eighths = k << 3, octant = eighths / m;
  return root_at(octant, float(eighths - octant * m) * inverse);
}
uint64_t first, end;  // lines: the workgroup's first one, and all
bool begin(uint64_t lines) {
  const uint64_t group = uint64_t(flat_group());
  first = group * lines, end = uint64_t(args.rows) * 1UL;
  return first < end;
}
bool there(uint line) { return first + uint64_t(line) < end; }
uint line_of(uint line) { return uint(min(first + uint64_t(line), end - 1UL)); }
uint64_t row_of(uint row) { return args.x + uint64_t(row) * 48UL; }
uint64_t from(uint line) {
  const uint at = line_of(line), row = at / 1u, column = at % 1u;
  return row_of(row);
}
uint64_t into(uint line) {
  const uint at = line_of(line), row = at / 1u, column = at % 1u;
  return args.result + uint64_t(row) * 44UL;
}
uint turned_of(uint line) { return line_of(line) % 1u % 1u; }
vec2 at(uint64_t p) { return Complex(p).data; }
vec2 fetch(uint line, uint i) {
  const uint at_line = line_of(line), row = at_line / 1u, k = at_line % 1u + i * 1u;
  vec2 v = at(row_of(row) + uint64_t(min(k, 11u - k)) * 8UL);
  if (k == 0u) v.y = 0.0;
  return 2u * k > 11u ? conjugate(v) : v;
}
void dft11(inout vec2 a0, inout vec2 a1, inout vec2 a2, inout vec2 a3, inout vec2 a4, inout vec2 a5, inout vec2 a6, inout vec2 a7, inout vec2 a8, inout vec2 a9, inout vec2 a10) {
  const vec2 s1 = a1 + a10, d1 = a1 - a10;
  const vec2 s2 = a2 + a9, d2 = a2 - a9;
  const vec2 s3 = a3 + a8, d3 = a3 - a8;
  const vec2 s4 = a4 + a7, d4 = a4 - a7;
  const vec2 s5 = a5 + a6, d5 = a5 - a6;
  const vec2 first = a0;
  a0 = first + s1 + s2 + s3 + s4 + s5;
  {
    const vec2 c = fma(s5, vec2(-0.959492974), fma(s4, vec2(-0.654860734), fma(s3, vec2(-0.142314838), fma(s2, vec2(0.415415013), fma(s1, vec2(0.841253533), first)))));
    const vec2 s = fma(d5, vec2(0.281732557), fma(d4, vec2(0.755749574), fma(d3, vec2(0.989821442), fma(d2, vec2(0.909631995), d1 * vec2(0.540640817)))));
    a1 = vec2(c.x + s.y, c.y - s.x);
    a10 = vec2(c.x - s.y, c.y + s.x);
  }
  {
    const vec2 c = fma(s5, vec2(0.841253533), fma(s4, vec2(-0.142314838), fma(s3, vec2(-0.959492974), fma(s2, vec2(-0.654860734), fma(s1, vec2(0.415415013), first)))));
    const vec2 s = fma(d5, vec2(-0.540640817), fma(d4, vec2(-0.989821442), fma(d3, vec2(-0.281732557), fma(d2, vec2(0.755749574), d1 * vec2(0.909631995)))));
    a2 = vec2(c.x + s.y, c.y - s.x);
    a9 = vec2(c.x - s.y, c.y + s.x);
  }
  {
    const vec2 c = fma(s5, vec2(-0.654860734), fma(s4, vec2(0.841253533), fma(s3, vec2(0.415415013), fma(s2, vec2(-0.959492974), fma(s1, vec2(-0.142314838), first)))));
    const vec2 s = fma(d5, vec2(0.755749574), fma(d4, vec2(0.540640817), fma(d3, vec2(-0.909631995), fma(d2, vec2(-0.281732557), d1 * vec2(0.989821442)))));
    a3 = vec2(c.x + s.y, c.y - s.x);
    a8 = vec2(c.x - s.y, c.y + s.x);
  }
  {
    const vec2 c = fma(s5, vec2(0.415415013), fma(s4, vec2(-0.959492974), fma(s3, vec2(0.841253533), fma(s2, vec2(-0.142314838), fma(s1, vec2(-0.654860734), first)))));
    const vec2 s = fma(d5, vec2(-0.909631995), fma(d4, vec2(0.281732557), fma(d3, vec2(0.540640817), fma(d2, vec2(-0.989821442), d1 * vec2(0.755749574)))));
    a4 = vec2(c.x + s.y, c.y - s.x);
    a7 = vec2(c.x - s.y, c.y + s.x);
  }
  {
    const vec2 c = fma(s5, vec2(-0.142314838), fma(s4, vec2(0.415415013), fma(s3, vec2(-0.654860734), fma(s2, vec2(0.841253533), fma(s1, vec2(-0.959492974), first)))));
    const vec2 s = fma(d5, vec2(0.989821442), fma(d4, vec2(-0.909631995), fma(d3, vec2(0.755749574), fma(d2, vec2(-0.540640817), d1 * vec2(0.281732557)))));
    a5 = vec2(c.x + s.y, c.y - s.x);
    a6 = vec2(c.x - s.y, c.y + s.x);
  }
}
shared vec2 tile[352];
void main() {
  const uint me = gl_LocalInvocationID.x;
  if (!begin(32UL)) return;
  vec2 v0[11];
  const uint f0_0 = me + 0u;
  const uint l0_0 = f0_0 / 11u, j0_0 = f0_0 % 11u;
  const uint f0_1 = me + 32u;
  const uint l0_1 = f0_1 / 11u, j0_1 = f0_1 % 11u;
  const uint f0_2 = me + 64u;
  const uint l0_2 = f0_2 / 11u, j0_2 = f0_2 % 11u;
  const uint f0_3 = me + 96u;
  const uint l0_3 = f0_3 / 11u, j0_3 = f0_3 % 11u;
  const uint f0_4 = me + 128u;
  const uint l0_4 = f0_4 / 11u, j0_4 = f0_4 % 11u;
  const uint f0_5 = me + 160u;
  const uint l0_5 = f0_5 / 11u, j0_5 = f0_5 % 11u;
  const uint f0_6 = me + 192u;
  const uint l0_6 = f0_6 / 11u, j0_6 = f0_6 % 11u;
  const uint f0_7 = me + 224u;
  const uint l0_7 = f0_7 / 11u, j0_7 = f0_7 % 11u;
  const uint f0_8 = me + 256u;
  const uint l0_8 = f0_8 / 11u, j0_8 = f0_8 % 11u;
  const uint f0_9 = me + 288u;
  const uint l0_9 = f0_9 / 11u, j0_9 = f0_9 % 11u;
  const uint f0_10 = me + 320u;
  const uint l0_10 = f0_10 / 11u, j0_10 = f0_10 % 11u;
  vec2 v1[11];
  const uint f1_0 = me + 0u;
  const uint l1_0 = f1_0 / 1u, j1_0 = f1_0 % 1u;
  vec2 v2[11];
  const uint f2_0 = me + 0u;
  const uint l2_0 = f2_0 / 11u, j2_0 = f2_0 % 11u;
  const uint f2_1 = me + 32u;
  const uint l2_1 = f2_1 / 11u, j2_1 = f2_1 % 11u;
  const uint f2_2 = me + 64u;
  const uint l2_2 = f2_2 / 11u, j2_2 = f2_2 % 11u;
  const uint f2_3 = me + 96u;
  const uint l2_3 = f2_3 / 11u, j2_3 = f2_3 % 11u;
  const uint f2_4 = me + 128u;
  const uint l2_4 = f2_4 / 11u, j2_4 = f2_4 % 11u;
  const uint f2_5 = me + 160u;
  const uint l2_5 = f2_5 / 11u, j2_5 = f2_5 % 11u;
  const uint f2_6 = me + 192u;
  const uint l2_6 = f2_6 / 11u, j2_6 = f2_6 % 11u;
  const uint f2_7 = me + 224u;
  const uint l2_7 = f2_7 / 11u, j2_7 = f2_7 % 11u;
  const uint f2_8 = me + 256u;
  const uint l2_8 = f2_8 / 11u, j2_8 = f2_8 % 11u;
  const uint f2_9 = me + 288u;
  const uint l2_9 = f2_9 / 11u, j2_9 = f2_9 % 11u;
  const uint f2_10 = me + 320u;
  const uint l2_10 = f2_10 / 11u, j2_10 = f2_10 % 11u;
  const uint64_t b0_0 = from(l0_0), p0_0 = b0_0 + uint64_t(j0_0) * 8UL;
  v0[0] = fetch(l0_0, j0_0 + 0u);
  const uint64_t b0_1 = from(l0_1), p0_1 = b0_1 + uint64_t(j0_1) * 8UL;
  v0[1] = fetch(l0_1, j0_1 + 0u);
  const uint64_t b0_2 = from(l0_2), p0_2 = b0_2 + uint64_t(j0_2) * 8UL;
  v0[2] = fetch(l0_2, j0_2 + 0u);
  const uint64_t b0_3 = from(l0_3), p0_3 = b0_3 + uint64_t(j0_3) * 8UL;
  v0[3] = fetch(l0_3, j0_3 + 0u);
  const uint64_t b0_4 = from(l0_4), p0_4 = b0_4 + uint64_t(j0_4) * 8UL;
  v0[4] = fetch(l0_4, j0_4 + 0u);
  const uint64_t b0_5 = from(l0_5), p0_5 = b0_5 + uint64_t(j0_5) * 8UL;
  v0[5] = fetch(l0_5, j0_5 + 0u);
  const uint64_t b0_6 = from(l0_6), p0_6 = b0_6 + uint64_t(j0_6) * 8UL;
  v0[6] = fetch(l0_6, j0_6 + 0u);
  const uint64_t b0_7 = from(l0_7), p0_7 = b0_7 + uint64_t(j0_7) * 8UL;
  v0[7] = fetch(l0_7, j0_7 + 0u);
  const uint64_t b0_8 = from(l0_8), p0_8 = b0_8 + uint64_t(j0_8) * 8UL;
  v0[8] = fetch(l0_8, j0_8 + 0u);
  const uint64_t b0_9 = from(l0_9), p0_9 = b0_9 + uint64_t(j0_9) * 8UL;
  v0[9] = fetch(l0_9, j0_9 + 0u);
  const uint64_t b0_10 = from(l0_10), p0_10 = b0_10 + uint64_t(j0_10) * 8UL;
  v0[10] = fetch(l0_10, j0_10 + 0u);
  v0[0] = conjugate(v0[0]);
  v0[1] = conjugate(v0[1]);
  v0[2] = conjugate(v0[2]);
  v0[3] = conjugate(v0[3]);
  v0[4] = conjugate(v0[4]);
  v0[5] = conjugate(v0[5]);
  v0[6] = conjugate(v0[6]);
  v0[7] = conjugate(v0[7]);
  v0[8] = conjugate(v0[8]);
  v0[9] = conjugate(v0[9]);
  v0[10] = conjugate(v0[10]);
  const uint put0_0 = l0_0 * 11u + j0_0;
  const uint put0_1 = l0_1 * 11u + j0_1;
  const uint put0_2 = l0_2 * 11u + j0_2;
  const uint put0_3 = l0_3 * 11u + j0_3;
  const uint put0_4 = l0_4 * 11u + j0_4;
  const uint put0_5 = l0_5 * 11u + j0_5;
  const uint put0_6 = l0_6 * 11u + j0_6;
  const uint put0_7 = l0_7 * 11u + j0_7;
  const uint put0_8 = l0_8 * 11u + j0_8;
  const uint put0_9 = l0_9 * 11u + j0_9;
  const uint put0_10 = l0_10 * 11u + j0_10;
  const uint get1_0 = l1_0 * 11u + j1_0;
  tile[put0_0] = v0[0];
  tile[put0_1] = v0[1];
  tile[put0_2] = v0[2];
  tile[put0_3] = v0[3];
  tile[put0_4] = v0[4];
  tile[put0_5] = v0[5];
  tile[put0_6] = v0[6];
  tile[put0_7] = v0[7];
  tile[put0_8] = v0[8];
  tile[put0_9] = v0[9];
  tile[put0_10] = v0[10];
  barrier();
  v1[0] = tile[get1_0 + 0u];
  v1[1] = tile[get1_0 + 1u];
  v1[2] = tile[get1_0 + 2u];
  v1[3] = tile[get1_0 + 3u];
  v1[4] = tile[get1_0 + 4u];
  v1[5] = tile[get1_0 + 5u];
  v1[6] = tile[get1_0 + 6u];
  v1[7] = tile[get1_0 + 7u];
  v1[8] = tile[get1_0 + 8u];
  v1[9] = tile[get1_0 + 9u];
  v1[10] = tile[get1_0 + 10u];
  {
  dft11(v1[0], v1[1], v1[2], v1[3], v1[4], v1[5], v1[6], v1[7], v1[8], v1[9], v1[10]);
  }
  const uint put1_0 = l1_0 * 11u + j1_0;
  const uint get2_0 = l2_0 * 11u + j2_0;
  const uint get2_1 = l2_1 * 11u + j2_1;
  const uint get2_2 = l2_2 * 11u + j2_2;
  const uint get2_3 = l2_3 * 11u + j2_3;
  const uint get2_4 = l2_4 * 11u + j2_4;
  const uint get2_5 = l2_5 * 11u + j2_5;
  const uint get2_6 = l2_6 * 11u + j2_6;
  const uint get2_7 = l2_7 * 11u + j2_7;
  const uint get2_8 = l2_8 * 11u + j2_8;
  const uint get2_9 = l2_9 * 11u + j2_9;
  const uint get2_10 = l2_10 * 11u + j2_10;
  barrier();
  tile[put1_0 + 0u] = v1[0];
  tile[put1_0 + 1u] = v1[1];
  tile[put1_0 + 2u] = v1[2];
  tile[put1_0 + 3u] = v1[3];
  tile[put1_0 + 4u] = v1[4];
  tile[put1_0 + 5u] = v1[5];
  tile[put1_0 + 6u] = v1[6];
  tile[put1_0 + 7u] = v1[7];
  tile[put1_0 + 8u] = v1[8];
  tile[put1_0 + 9u] = v1[9];
  tile[put1_0 + 10u] = v1[10];
  barrier();
  v2[0] = tile[get2_0];
  v2[1] = tile[get2_1];
  v2[2] = tile[get2_2];
  v2[3] = tile[get2_3];
  v2[4] = tile[get2_4];
  v2[5] = tile[get2_5];
  v2[6] = tile[get2_6];
  v2[7] = tile[get2_7];
  v2[8] = tile[get2_8];
  v2[9] = tile[get2_9];
  v2[10] = tile[get2_10];
  const uint64_t q2_0 = into(l2_0) + uint64_t(j2_0) * 4UL;
  if (there(l2_0)) {
  Real(q2_0 + 0UL).data = v2[0].x * 0.0909090909;
  }
  const uint64_t q2_1 = into(l2_1) + uint64_t(j2_1) * 4UL;
  if (there(l2_1)) {
  Real(q2_1 + 0UL).data = v2[1].x * 0.0909090909;
  }
  const uint64_t q2_2 = into(l2_2) + uint64_t(j2_2) * 4UL;
  if (there(l2_2)) {
  Real(q2_2 + 0UL).data = v2[2].x * 0.0909090909;
  }
  const uint64_t q2_3 = into(l2_3) + uint64_t(j2_3) * 4UL;
  if (there(l2_3)) {
  Real(q2_3 + 0UL).data = v2[3].x * 0.0909090909;
  }
  const uint64_t q2_4 = into(l2_4) + uint64_t(j2_4) * 4UL;
  if (there(l2_4)) {
  Real(q2_4 + 0UL).data = v2[4].x * 0.0909090909;
  }
  const uint64_t q2_5 = into(l2_5) + uint64_t(j2_5) * 4UL;
  if (there(l2_5)) {
  Real(q2_5 + 0UL).data = v2[5].x * 0.0909090909;
  }
  const uint64_t q2_6 = into(l2_6) + uint64_t(j2_6) * 4UL;
  if (there(l2_6)) {
  Real(q2_6 + 0UL).data = v2[6].x * 0.0909090909;
  }
  const uint64_t q2_7 = into(l2_7) + uint64_t(j2_7) * 4UL;
  if (there(l2_7)) {
  Real(q2_7 + 0UL).data = v2[7].x * 0.0909090909;
  }
  const uint64_t q2_8 = into(l2_8) + uint64_t(j2_8) * 4UL;
  if (there(l2_8)) {
  Real(q2_8 + 0UL).data = v2[8].x * 0.0909090909;
  }
  const uint64_t q2_9 = into(l2_9) + uint64_t(j2_9) * 4UL;
  if (there(l2_9)) {
  Real(q2_9 + 0UL).data = v2[9].x * 0.0909090909;
  }
  const uint64_t q2_10 = into(l2_10) + uint64_t(j2_10) * 4UL;
  if (there(l2_10)) {
  Real(q2_10 + 0UL).data = v2[10].x * 0.0909090909;
  }
}

// shader routine3_part0
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(constant_id = 12) const bool lines_of_groups = true;
uint flat_group() { return lines_of_groups ? gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x : gl_WorkGroupID.x; }
uint group_step(uint most) { return lines_of_groups ? gl_NumWorkGroups.x * gl_NumWorkGroups.y : most; }
layout(local_size_x = 32) in;
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Complex { vec2 data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Real { float data; };
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments {
  uint64_t x, result, work[2];
  int64_t rows, n, size, stored, stride, turn, sizes[4], steps[4];
};
layout(push_constant, std430) uniform Push { Arguments args; };
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
// The nearest float to x / y but for a rare last bit.
float ratio(float x, float y) {
  const float inverse = 1.0 / y, q = x * inverse;
  return fma(fma(-q, y, x), inverse, q);
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
uint64_t base;  // the first number of the row that is read
vec2 complex_at(uint i) { return Complex(base + uint64_t(int64_t(i) * args.stride) * 8UL).data; }
vec2 work_at(uint which, uint64_t i) { return Complex(args.work[which & 1u] + i * 8UL).data; }
// exp(-2 pi i k / m) of 4 k, an integer below 2^24, and 1 / m. Adding 1.5 * 2^23 rounds to an integer.
vec2 line_root(float k4, float m, float inverse) {
  precise const float shifted = fma(k4, inverse, 12582912.0);
  precise const float quarters = shifted - 12582912.0;
  precise const float rest = fma(-quarters, m, k4);
  const float t = rest * inverse * 1.57079633, u = t * t;
  const float s = fma(t * u, fma(u, fma(u, fma(u, 2.75573192e-6, -1.98412698e-4), 8.33333333e-3), -0.166666667), t);
  const float high = fma(u, fma(u, fma(u, -2.75573192e-7, 2.48015873e-5), -1.38888889e-3), 4.16666667e-2);
  const float c = fma(u, fma(u, high, -0.5), 1.0);
  const uint q = floatBitsToUint(shifted);
  const bool odd = (q & 1u) != 0u;
  const uint re = floatBitsToUint(odd ? s : c), im = floatBitsToUint(odd ? c : s);
  return vec2(uintBitsToFloat(re ^ ((q + 1u) & 2u) << 30u), uintBitsToFloat(im ^ (~q & 2u) << 30u));
}
// The same of k and larger m.
vec2 long_root(uint k, uint m, float inverse) {
  const uint eighths = k << 3, octant = eighths / m;
  return root_at(octant, float(eighths - octant * m) * inverse);
}
uint64_t first, end;  // lines: the workgroup's first one, and all
bool begin(uint64_t lines) {
  const uint64_t group = uint64_t(flat_group());
  first = group * lines, end = uint64_t(args.rows) * 13UL;
  return first < end;
}
bool there(uint line) { return first + uint64_t(line) < end; }
uint line_of(uint line) { return uint(min(first + uint64_t(line), end - 1UL)); }
uint64_t row_of(uint row) { return args.x + uint64_t(row) * 33592UL; }
uint64_t from(uint line) {
  const uint at = line_of(line), row = at / 13u, column = at % 13u;
  return row_of(row) + uint64_t(column) * 8UL;
}
uint64_t into(uint line) {
  const uint at = line_of(line), row = at / 13u, column = at % 13u;
  return args.work[0] + (uint64_t(row) * 4199UL + uint64_t(column / 1u * (1u * 323u) + column % 1u)) * 8UL;
}
uint turned_of(uint line) { return line_of(line) % 13u % 1u; }
vec2 at(uint64_t p) { return Complex(p).data; }
void dft17(inout vec2 a0, inout vec2 a1, inout vec2 a2, inout vec2 a3, inout vec2 a4, inout vec2 a5, inout vec2 a6, inout vec2 a7, inout vec2 a8, inout vec2 a9, inout vec2 a10, inout vec2 a11, inout vec2 a12, inout vec2 a13, inout vec2 a14, inout vec2 a15, inout vec2 a16) {
  const vec2 s1 = a1 + a16, d1 = a1 - a16;
  const vec2 s2 = a2 + a15, d2 = a2 - a15;
  const vec2 s3 = a3 + a14, d3 = a3 - a14;
  const vec2 s4 = a4 + a13, d4 = a4 - a13;
  const vec2 s5 = a5 + a12, d5 = a5 - a12;
  const vec2 s6 = a6 + a11, d6 = a6 - a11;
  const vec2 s7 = a7 + a10, d7 = a7 - a10;
  const vec2 s8 = a8 + a9, d8 = a8 - a9;
  const vec2 first = a0;
  a0 = first + s1 + s2 + s3 + s4 + s5 + s6 + s7 + s8;
  {
    const vec2 c = fma(s8, vec2(-0.9829731), fma(s7, vec2(-0.850217136), fma(s6, vec2(-0.602634636), fma(s5, vec2(-0.27366299), fma(s4, vec2(0.0922683595), fma(s3, vec2(0.445738356), fma(s2, vec2(0.739008917), fma(s1, vec2(0.932472229), first))))))));
    const vec2 s = fma(d8, vec2(0.183749518), fma(d7, vec2(0.526432163), fma(d6, vec2(0.798017227), fma(d5, vec2(0.961825643), fma(d4, vec2(0.995734176), fma(d3, vec2(0.895163291), fma(d2, vec2(0.673695644), d1 * vec2(0.361241666))))))));
    a1 = vec2(c.x + s.y, c.y - s.x);
    a16 = vec2(c.x - s.y, c.y + s.x);
  }
  {
    const vec2 c = fma(s8, vec2(0.932472229), fma(s7, vec2(0.445738356), fma(s6, vec2(-0.27366299), fma(s5, vec2(-0.850217136), fma(s4, vec2(-0.9829731), fma(s3, vec2(-0.602634636), fma(s2, vec2(0.0922683595), fma(s1, vec2(0.739008917), first))))))));
    const vec2 s = fma(d8, vec2(-0.361241666), fma(d7, vec2(-0.895163291), fma(d6, vec2(-0.961825643), fma(d5, vec2(-0.526432163), fma(d4, vec2(0.183749518), fma(d3, vec2(0.798017227), fma(d2, vec2(0.995734176), d1 * vec2(0.673695644))))))));
    a2 = vec2(c.x + s.y, c.y - s.x);
    a15 = vec2(c.x - s.y, c.y + s.x);
  }
  {
    const vec2 c = fma(s8, vec2(-0.850217136), fma(s7, vec2(0.0922683595), fma(s6, vec2(0.932472229), fma(s5, vec2(0.739008917), fma(s4, vec2(-0.27366299), fma(s3, vec2(-0.9829731), fma(s2, vec2(-0.602634636), fma(s1, vec2(0.445738356), first))))))));
    const vec2 s = fma(d8, vec2(0.526432163), fma(d7, vec2(0.995734176), fma(d6, vec2(0.361241666), fma(d5, vec2(-0.673695644), fma(d4, vec2(-0.961825643), fma(d3, vec2(-0.183749518), fma(d2, vec2(0.798017227), d1 * vec2(0.895163291))))))));
    a3 = vec2(c.x + s.y, c.y - s.x);
    a14 = vec2(c.x - s.y, c.y + s.x);
  }
  {
    const vec2 c = fma(s8, vec2(0.739008917), fma(s7, vec2(-0.602634636), fma(s6, vec2(-0.850217136), fma(s5, vec2(0.445738356), fma(s4, vec2(0.932472229), fma(s3, vec2(-0.27366299), fma(s2, vec2(-0.9829731), fma(s1, vec2(0.0922683595), first))))))));
    const vec2 s = fma(d8, vec2(-0.673695644), fma(d7, vec2(-0.798017227), fma(d6, vec2(0.526432163), fma(d5, vec2(0.895163291), fma(d4, vec2(-0.361241666), fma(d3, vec2(-0.961825643), fma(d2, vec2(0.183749518), d1 * vec2(0.995734176))))))));
    a4 = vec2(c.x + s.y, c.y - s.x);
    a13 = vec2(c.x - s.y, c.y + s.x);
  }
  {
    const vec2 c = fma(s8, vec2(-0.602634636), fma(s7, vec2(0.932472229), fma(s6, vec2(0.0922683595), fma(s5, vec2(-0.9829731), fma(s4, vec2(0.445738356), fma(s3, vec2(0.739008917), fma(s2, vec2(-0.850217136), fma(s1, vec2(-0.27366299), first))))))));
    const vec2 s = fma(d8, vec2(0.798017227), fma(d7, vec2(0.361241666), fma(d6, vec2(-0.995734176), fma(d5, vec2(0.183749518), fma(d4, vec2(0.895163291), fma(d3, vec2(-0.673695644), fma(d2, vec2(-0.526432163), d1 * vec2(0.961825643))))))));
    a5 = vec2(c.x + s.y, c.y - s.x);
    a12 = vec2(c.x - s.y, c.y + s.x);
  }
  {
    const vec2 c = fma(s8, vec2(0.445738356), fma(s7, vec2(-0.9829731), fma(s6, vec2(0.739008917), fma(s5, vec2(0.0922683595), fma(s4, vec2(-0.850217136), fma(s3, vec2(0.932472229), fma(s2, vec2(-0.27366299), fma(s1, vec2(-0.602634636), first))))))));
    const vec2 s = fma(d8, vec2(-0.895163291), fma(d7, vec2(0.183749518), fma(d6, vec2(0.673695644), fma(d5, vec2(-0.995734176), fma(d4, vec2(0.526432163), fma(d3, vec2(0.361241666), fma(d2, vec2(-0.961825643), d1 * vec2(0.798017227))))))));
    a6 = vec2(c.x + s.y, c.y - s.x);
    a11 = vec2(c.x - s.y, c.y + s.x);
  }
  {
    const vec2 c = fma(s8, vec2(-0.27366299), fma(s7, vec2(0.739008917), fma(s6, vec2(-0.9829731), fma(s5, vec2(0.932472229), fma(s4, vec2(-0.602634636), fma(s3, vec2(0.0922683595), fma(s2, vec2(0.445738356), fma(s1, vec2(-0.850217136), first))))))));
    const vec2 s = fma(d8, vec2(0.961825643), fma(d7, vec2(-0.673695644), fma(d6, vec2(0.183749518), fma(d5, vec2(0.361241666), fma(d4, vec2(-0.798017227), fma(d3, vec2(0.995734176), fma(d2, vec2(-0.895163291), d1 * vec2(0.526432163))))))));
    a7 = vec2(c.x + s.y, c.y - s.x);
    a10 = vec2(c.x - s.y, c.y + s.x);
  }
  {
    const vec2 c = fma(s8, vec2(0.0922683595), fma(s7, vec2(-0.27366299), fma(s6, vec2(0.445738356), fma(s5, vec2(-0.602634636), fma(s4, vec2(0.739008917), fma(s3, vec2(-0.850217136), fma(s2, vec2(0.932472229), fma(s1, vec2(-0.9829731), first))))))));
    const vec2 s = fma(d8, vec2(-0.995734176), fma(d7, vec2(0.961825643), fma(d6, vec2(-0.895163291), fma(d5, vec2(0.798017227), fma(d4, vec2(-0.673695644), fma(d3, vec2(0.526432163), fma(d2, vec2(-0.361241666), d1 * vec2(0.183749518))))))));
    a8 = vec2(c.x + s.y, c.y - s.x);
    a9 = vec2(c.x - s.y, c.y + s.x);
  }
}
void dft19(inout vec2 a0, inout vec2 a1, inout vec2 a2, inout vec2 a3, inout vec2 a4, inout vec2 a5, inout vec2 a6, inout vec2 a7, inout vec2 a8, inout vec2 a9, inout vec2 a10, inout vec2 a11, inout vec2 a12, inout vec2 a13, inout vec2 a14, inout vec2 a15, inout vec2 a16, inout vec2 a17, inout vec2 a18) {
  const vec2 s1 = a1 + a18, d1 = a1 - a18;
  const vec2 s2 = a2 + a17, d2 = a2 - a17;
  const vec2 s3 = a3 + a16, d3 = a3 - a16;
  const vec2 s4 = a4 + a15, d4 = a4 - a15;
  const vec2 s5 = a5 + a14, d5 = a5 - a14;
  const vec2 s6 = a6 + a13, d6 = a6 - a13;
  const vec2 s7 = a7 + a12, d7 = a7 - a12;
  const vec2 s8 = a8 + a11, d8 = a8 - a11;
  const vec2 s9 = a9 + a10, d9 = a9 - a10;
  const vec2 first = a0;
  a0 = first + s1 + s2 + s3 + s4 + s5 + s6 + s7 + s8 + s9;
  {
    const vec2 c = fma(s9, vec2(-0.986361303), fma(s8, vec2(-0.879473751), fma(s7, vec2(-0.677281572), fma(s6, vec2(-0.401695425), fma(s5, vec2(-0.0825793455), fma(s4, vec2(0.245485487), fma(s3, vec2(0.546948158), fma(s2, vec2(0.789140509), fma(s1, vec2(0.945817242), first)))))))));
    const vec2 s = fma(d9, vec2(0.16459459), fma(d8, vec2(0.475947393), fma(d7, vec2(0.735723911), fma(d6, vec2(0.915773327), fma(d5, vec2(0.996584493), fma(d4, vec2(0.969400266), fma(d3, vec2(0.837166478), fma(d2, vec2(0.614212713), d1 * vec2(0.324699469)))))))));
    a1 = vec2(c.x + s.y, c.y - s.x);
    a18 = vec2(c.x - s.y, c.y + s.x);
  }
  {
    const vec2 c = fma(s9, vec2(0.945817242), fma(s8, vec2(0.546948158), fma(s7, vec2(-0.0825793455), fma(s6, vec2(-0.677281572), fma(s5, vec2(-0.986361303), fma(s4, vec2(-0.879473751), fma(s3, vec2(-0.401695425), fma(s2, vec2(0.245485487), fma(s1, vec2(0.789140509), first)))))))));
    const vec2 s = fma(d9, vec2(-0.324699469), fma(d8, vec2(-0.837166478), fma(d7, vec2(-0.996584493), fma(d6, vec2(-0.735723911), fma(d5, vec2(-0.16459459), fma(d4, vec2(0.475947393), fma(d3, vec2(0.915773327), fma(d2, vec2(0.969400266), d1 * vec2(0.614212713)))))))));
    a2 = vec2(c.x + s.y, c.y - s.x);
    a17 = vec2(c.x - s.y, c.y + s.x);
  }
  {
    const vec2 c = fma(s9, vec2(-0.879473751), fma(s8, vec2(-0.0825793455), fma(s7, vec2(0.789140509), fma(s6, vec2(0.945817242), fma(s5, vec2(0.245485487), fma(s4, vec2(-0.677281572), fma(s3, vec2(-0.986361303), fma(s2, vec2(-0.401695425), fma(s1, vec2(0.546948158), first)))))))));
    const vec2 s = fma(d9, vec2(0.475947393), fma(d8, vec2(0.996584493), fma(d7, vec2(0.614212713), fma(d6, vec2(-0.324699469), fma(d5, vec2(-0.969400266), fma(d4, vec2(-0.735723911), fma(d3, vec2(0.16459459), fma(d2, vec2(0.915773327), d1 * vec2(0.837166478)))))))));
    a3 = vec2(c.x + s.y, c.y - s.x);
    a16 = vec2(c.x - s.y, c.y + s.x);
  }
  {
    const vec2 c = fma(s9, vec2(0.789140509), fma(s8, vec2(-0.401695425), fma(s7, vec2(-0.986361303), fma(s6, vec2(-0.0825793455), fma(s5, vec2(0.945817242), fma(s4, vec2(0.546948158), fma(s3, vec2(-0.677281572), fma(s2, vec2(-0.879473751), fma(s1, vec2(0.245485487), first)))))))));
    const vec2 s = fma(d9, vec2(-0.614212713), fma(d8, vec2(-0.915773327), fma(d7, vec2(0.16459459), fma(d6, vec2(0.996584493), fma(d5, vec2(0.324699469), fma(d4, vec2(-0.837166478), fma(d3, vec2(-0.735723911), fma(d2, vec2(0.475947393), d1 * vec2(0.969400266)))))))));
    a4 = vec2(c.x + s.y, c.y - s.x);
    a15 = vec2(c.x - s.y, c.y + s.x);
  }
  {
    const vec2 c = fma(s9, vec2(-0.677281572), fma(s8, vec2(0.789140509), fma(s7, vec2(0.546948158), fma(s6, vec2(-0.879473751), fma(s5, vec2(-0.401695425), fma(s4, vec2(0.945817242), fma(s3, vec2(0.245485487), fma(s2, vec2(-0.986361303), fma(s1, vec2(-0.0825793455), first)))))))));
    const vec2 s = fma(d9, vec2(0.735723911), fma(d8, vec2(0.614212713), fma(d7, vec2(-0.837166478), fma(d6, vec2(-0.475947393), fma(d5, vec2(0.915773327), fma(d4, vec2(0.324699469), fma(d3, vec2(-0.969400266), fma(d2, vec2(-0.16459459), d1 * vec2(0.996584493)))))))));
    a5 = vec2(c.x + s.y, c.y - s.x);
    a14 = vec2(c.x - s.y, c.y + s.x);
  }
  {
    const vec2 c = fma(s9, vec2(0.546948158), fma(s8, vec2(-0.986361303), fma(s7, vec2(0.245485487), fma(s6, vec2(0.789140509), fma(s5, vec2(-0.879473751), fma(s4, vec2(-0.0825793455), fma(s3, vec2(0.945817242), fma(s2, vec2(-0.677281572), fma(s1, vec2(-0.401695425), first)))))))));
    const vec2 s = fma(d9, vec2(-0.837166478), fma(d8, vec2(-0.16459459), fma(d7, vec2(0.969400266), fma(d6, vec2(-0.614212713), fma(d5, vec2(-0.475947393), fma(d4, vec2(0.996584493), fma(d3, vec2(-0.324699469), fma(d2, vec2(-0.735723911), d1 * vec2(0.915773327)))))))));
    a6 = vec2(c.x + s.y, c.y - s.x);
    a13 = vec2(c.x - s.y, c.y + s.x);
  }
  {
    const vec2 c = fma(s9, vec2(-0.401695425), fma(s8, vec2(0.945817242), fma(s7, vec2(-0.879473751), fma(s6, vec2(0.245485487), fma(s5, vec2(0.546948158), fma(s4, vec2(-0.986361303), fma(s3, vec2(0.789140509), fma(s2, vec2(-0.0825793455), fma(s1, vec2(-0.677281572), first)))))))));
    const vec2 s = fma(d9, vec2(0.915773327), fma(d8, vec2(-0.324699469), fma(d7, vec2(-0.475947393), fma(d6, vec2(0.969400266), fma(d5, vec2(-0.837166478), fma(d4, vec2(0.16459459), fma(d3, vec2(0.614212713), fma(d2, vec2(-0.996584493), d1 * vec2(0.735723911)))))))));
    a7 = vec2(c.x + s.y, c.y - s.x);
    a12 = vec2(c.x - s.y, c.y + s.x);
  }
  {
    const vec2 c = fma(s9, vec2(0.245485487), fma(s8, vec2(-0.677281572), fma(s7, vec2(0.945817242), fma(s6, vec2(-0.986361303), fma(s5, vec2(0.789140509), fma(s4, vec2(-0.401695425), fma(s3, vec2(-0.0825793455), fma(s2, vec2(0.546948158), fma(s1, vec2(-0.879473751), first)))))))));
    const vec2 s = fma(d9, vec2(-0.969400266), fma(d8, vec2(0.735723911), fma(d7, vec2(-0.324699469), fma(d6, vec2(-0.16459459), fma(d5, vec2(0.614212713), fma(d4, vec2(-0.915773327), fma(d3, vec2(0.996584493), fma(d2, vec2(-0.837166478), d1 * vec2(0.475947393)))))))));
    a8 = vec2(c.x + s.y, c.y - s.x);
    a11 = vec2(c.x - s.y, c.y + s.x);
  }
  {
    const vec2 c = fma(s9, vec2(-0.0825793455), fma(s8, vec2(0.245485487), fma(s7, vec2(-0.401695425), fma(s6, vec2(0.546948158), fma(s5, vec2(-0.677281572), fma(s4, vec2(0.789140509), fma(s3, vec2(-0.879473751), fma(s2, vec2(0.945817242), fma(s1, vec2(-0.986361303), first)))))))));
    const vec2 s = fma(d9, vec2(0.996584493), fma(d8, vec2(-0.969400266), fma(d7, vec2(0.915773327), fma(d6, vec2(-0.837166478), fma(d5, vec2(0.735723911), fma(d4, vec2(-0.614212713), fma(d3, vec2(0.475947393), fma(d2, vec2(-0.324699469), d1 * vec2(0.16459459)))))))));
    a9 = vec2(c.x + s.y, c.y - s.x);
    a10 = vec2(c.x - s.y, c.y + s.x);
  }
}
shared vec2 tile[323];
void main() {
  const uint me = gl_LocalInvocationID.x;
  if (!begin(1UL)) return;
  vec2 v0[19];
  const uint f0_0 = min(me + 0u, 16u);
  const uint l0_0 = 0u, j0_0 = f0_0;
  vec2 v1[17];
  const uint f1_0 = min(me + 0u, 18u);
  const uint l1_0 = 0u, j1_0 = f1_0;
  const uint64_t b0_0 = from(l0_0), p0_0 = b0_0 + uint64_t(j0_0) * (13UL * 8UL);
  v0[0] = at(p0_0 + 0UL * (13UL * 8UL));
  v0[1] = at(p0_0 + 17UL * (13UL * 8UL));
  v0[2] = at(p0_0 + 34UL * (13UL * 8UL));
  v0[3] = at(p0_0 + 51UL * (13UL * 8UL));
  v0[4] = at(p0_0 + 68UL * (13UL * 8UL));
  v0[5] = at(p0_0 + 85UL * (13UL * 8UL));
  v0[6] = at(p0_0 + 102UL * (13UL * 8UL));
  v0[7] = at(p0_0 + 119UL * (13UL * 8UL));
  v0[8] = at(p0_0 + 136UL * (13UL * 8UL));
  v0[9] = at(p0_0 + 153UL * (13UL * 8UL));
  v0[10] = at(p0_0 + 170UL * (13UL * 8UL));
  v0[11] = at(p0_0 + 187UL * (13UL * 8UL));
  v0[12] = at(p0_0 + 204UL * (13UL * 8UL));
  v0[13] = at(p0_0 + 221UL * (13UL * 8UL));
  v0[14] = at(p0_0 + 238UL * (13UL * 8UL));
  v0[15] = at(p0_0 + 255UL * (13UL * 8UL));
  v0[16] = at(p0_0 + 272UL * (13UL * 8UL));
  v0[17] = at(p0_0 + 289UL * (13UL * 8UL));
  v0[18] = at(p0_0 + 306UL * (13UL * 8UL));
  v0[0] = conjugate(v0[0]);
  v0[1] = conjugate(v0[1]);
  v0[2] = conjugate(v0[2]);
  v0[3] = conjugate(v0[3]);
  v0[4] = conjugate(v0[4]);
  v0[5] = conjugate(v0[5]);
  v0[6] = conjugate(v0[6]);
  v0[7] = conjugate(v0[7]);
  v0[8] = conjugate(v0[8]);
  v0[9] = conjugate(v0[9]);
  v0[10] = conjugate(v0[10]);
  v0[11] = conjugate(v0[11]);
  v0[12] = conjugate(v0[12]);
  v0[13] = conjugate(v0[13]);
  v0[14] = conjugate(v0[14]);
  v0[15] = conjugate(v0[15]);
  v0[16] = conjugate(v0[16]);
  v0[17] = conjugate(v0[17]);
  v0[18] = conjugate(v0[18]);
  {
  dft19(v0[0], v0[1], v0[2], v0[3], v0[4], v0[5], v0[6], v0[7], v0[8], v0[9], v0[10], v0[11], v0[12], v0[13], v0[14], v0[15], v0[16], v0[17], v0[18]);
  }
  const uint put0_0 = j0_0 / 1u * 19u + j0_0 % 1u;
  const uint get1_0 = j1_0 / 19u * 19u + j1_0 % 19u;
  if (me < 17u) tile[put0_0 + 0u] = v0[0];
  if (me < 17u) tile[put0_0 + 1u] = v0[1];
  if (me < 17u) tile[put0_0 + 2u] = v0[2];
  if (me < 17u) tile[put0_0 + 3u] = v0[3];
  if (me < 17u) tile[put0_0 + 4u] = v0[4];
  if (me < 17u) tile[put0_0 + 5u] = v0[5];
  if (me < 17u) tile[put0_0 + 6u] = v0[6];
  if (me < 17u) tile[put0_0 + 7u] = v0[7];
  if (me < 17u) tile[put0_0 + 8u] = v0[8];
  if (me < 17u) tile[put0_0 + 9u] = v0[9];
  if (me < 17u) tile[put0_0 + 10u] = v0[10];
  if (me < 17u) tile[put0_0 + 11u] = v0[11];
  if (me < 17u) tile[put0_0 + 12u] = v0[12];
  if (me < 17u) tile[put0_0 + 13u] = v0[13];
  if (me < 17u) tile[put0_0 + 14u] = v0[14];
  if (me < 17u) tile[put0_0 + 15u] = v0[15];
  if (me < 17u) tile[put0_0 + 16u] = v0[16];
  if (me < 17u) tile[put0_0 + 17u] = v0[17];
  if (me < 17u) tile[put0_0 + 18u] = v0[18];
  barrier();
  v1[0] = tile[get1_0 + 0u];
  v1[1] = tile[get1_0 + 19u];
  v1[2] = tile[get1_0 + 38u];
  v1[3] = tile[get1_0 + 57u];
  v1[4] = tile[get1_0 + 76u];
  v1[5] = tile[get1_0 + 95u];
  v1[6] = tile[get1_0 + 114u];
  v1[7] = tile[get1_0 + 133u];
  v1[8] = tile[get1_0 + 152u];
  v1[9] = tile[get1_0 + 171u];
  v1[10] = tile[get1_0 + 190u];
  v1[11] = tile[get1_0 + 209u];
  v1[12] = tile[get1_0 + 228u];
  v1[13] = tile[get1_0 + 247u];
  v1[14] = tile[get1_0 + 266u];
  v1[15] = tile[get1_0 + 285u];
  v1[16] = tile[get1_0 + 304u];
  {
  const uint k = j1_0 % 19u;
  const vec2 w1 = line_root(float(k) * 4.0, 323.0, 0.00309597523);
  const vec2 w2 = line_root(float(k) * 8.0, 323.0, 0.00309597523);
  const vec2 w3 = times(w2, w1);
  const vec2 w4 = line_root(float(k) * 16.0, 323.0, 0.00309597523);
  const vec2 w5 = times(w4, w1);
  const vec2 w6 = times(w4, w2);
  const vec2 w7 = times(w6, w1);
  const vec2 w8 = line_root(float(k) * 32.0, 323.0, 0.00309597523);
  const vec2 w9 = times(w8, w1);
  const vec2 w10 = times(w8, w2);
  const vec2 w11 = times(w10, w1);
  const vec2 w12 = times(w8, w4);
  const vec2 w13 = times(w12, w1);
  const vec2 w14 = times(w12, w2);
  const vec2 w15 = times(w14, w1);
  const vec2 w16 = line_root(float(k) * 64.0, 323.0, 0.00309597523);
  v1[1] = times(v1[1], w1);
  v1[2] = times(v1[2], w2);
  v1[3] = times(v1[3], w3);
  v1[4] = times(v1[4], w4);
  v1[5] = times(v1[5], w5);
  v1[6] = times(v1[6], w6);
  v1[7] = times(v1[7], w7);
  v1[8] = times(v1[8], w8);
  v1[9] = times(v1[9], w9);
  v1[10] = times(v1[10], w10);
  v1[11] = times(v1[11], w11);
  v1[12] = times(v1[12], w12);
  v1[13] = times(v1[13], w13);
  v1[14] = times(v1[14], w14);
  v1[15] = times(v1[15], w15);
  v1[16] = times(v1[16], w16);
  dft17(v1[0], v1[1], v1[2], v1[3], v1[4], v1[5], v1[6], v1[7], v1[8], v1[9], v1[10], v1[11], v1[12], v1[13], v1[14], v1[15], v1[16]);
  }
  const uint64_t q1_0 = into(l1_0) + uint64_t(j1_0) * 8UL;
  if (me < 19u) {
  Complex(q1_0 + 0UL).data = v1[0];
  Complex(q1_0 + 152UL).data = v1[1];
  Complex(q1_0 + 304UL).data = v1[2];
  Complex(q1_0 + 456UL).data = v1[3];
  Complex(q1_0 + 608UL).data = v1[4];
  Complex(q1_0 + 760UL).data = v1[5];
  Complex(q1_0 + 912UL).data = v1[6];
  Complex(q1_0 + 1064UL).data = v1[7];
  Complex(q1_0 + 1216UL).data = v1[8];
  Complex(q1_0 + 1368UL).data = v1[9];
  Complex(q1_0 + 1520UL).data = v1[10];
  Complex(q1_0 + 1672UL).data = v1[11];
  Complex(q1_0 + 1824UL).data = v1[12];
  Complex(q1_0 + 1976UL).data = v1[13];
  Complex(q1_0 + 2128UL).data = v1[14];
  Complex(q1_0 + 2280UL).data = v1[15];
  Complex(q1_0 + 2432UL).data = v1[16];
  }
}

// shader routine3_part1
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(constant_id = 12) const bool lines_of_groups = true;
uint flat_group() { return lines_of_groups ? gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x : gl_WorkGroupID.x; }
uint group_step(uint most) { return lines_of_groups ? gl_NumWorkGroups.x * gl_NumWorkGroups.y : most; }
layout(local_size_x = 32) in;
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Complex { vec2 data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Real { float data; };
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments {
  uint64_t x, result, work[2];
  int64_t rows, n, size, stored, stride, turn, sizes[4], steps[4];
};
layout(push_constant, std430) uniform Push { Arguments args; };
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
// The nearest float to x / y but for a rare last bit.
float ratio(float x, float y) {
  const float inverse = 1.0 / y, q = x * inverse;
  return fma(fma(-q, y, x), inverse, q);
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
uint64_t base;  // the first number of the row that is read
vec2 complex_at(uint i) { return Complex(base + uint64_t(int64_t(i) * args.stride) * 8UL).data; }
vec2 work_at(uint which, uint64_t i) { return Complex(args.work[which & 1u] + i * 8UL).data; }
// exp(-2 pi i k / m) of 4 k, an integer below 2^24, and 1 / m. Adding 1.5 * 2^23 rounds to an integer.
vec2 line_root(float k4, float m, float inverse) {
  precise const float shifted = fma(k4, inverse, 12582912.0);
  precise const float quarters = shifted - 12582912.0;
  precise const float rest = fma(-quarters, m, k4);
  const float t = rest * inverse * 1.57079633, u = t * t;
  const float s = fma(t * u, fma(u, fma(u, fma(u, 2.75573192e-6, -1.98412698e-4), 8.33333333e-3), -0.166666667), t);
  const float high = fma(u, fma(u, fma(u, -2.75573192e-7, 2.48015873e-5), -1.38888889e-3), 4.16666667e-2);
  const float c = fma(u, fma(u, high, -0.5), 1.0);
  const uint q = floatBitsToUint(shifted);
  const bool odd = (q & 1u) != 0u;
  const uint re = floatBitsToUint(odd ? s : c), im = floatBitsToUint(odd ? c : s);
  return vec2(uintBitsToFloat(re ^ ((q + 1u) & 2u) << 30u), uintBitsToFloat(im ^ (~q & 2u) << 30u));
}
// The same of k and larger m.
vec2 long_root(uint k, uint m, float inverse) {
  const uint eighths = k << 3, octant = eighths / m;
  return root_at(octant, float(eighths - octant * m) * inverse);
}
uint64_t first, end;  // lines: the workgroup's first one, and all
bool begin(uint64_t lines) {
  const uint64_t group = uint64_t(flat_group());
  first = group * lines, end = uint64_t(args.rows) * 323UL;
  return first < end;
}
bool there(uint line) { return first + uint64_t(line) < end; }
uint line_of(uint line) { return uint(min(first + uint64_t(line), end - 1UL)); }
uint64_t row_of(uint row) { return args.x + uint64_t(row) * 33592UL; }
uint64_t from(uint line) {
  const uint at = line_of(line), row = at / 323u, column = at % 323u;
  return args.work[0] + (uint64_t(row) * 4199UL + uint64_t(column)) * 8UL;
}
uint64_t into(uint line) {
  const uint at = line_of(line), row = at / 323u, column = at % 323u;
  return args.result + uint64_t(row) * 33592UL + uint64_t(column) * 8UL;
}
uint turned_of(uint line) { return line_of(line) % 323u % 323u; }
vec2 at(uint64_t p) { return Complex(p).data; }
void dft13(inout vec2 a0, inout vec2 a1, inout vec2 a2, inout vec2 a3, inout vec2 a4, inout vec2 a5, inout vec2 a6, inout vec2 a7, inout vec2 a8, inout vec2 a9, inout vec2 a10, inout vec2 a11, inout vec2 a12) {
  const vec2 s1 = a1 + a12, d1 = a1 - a12;
  const vec2 s2 = a2 + a11, d2 = a2 - a11;
  const vec2 s3 = a3 + a10, d3 = a3 - a10;
  const vec2 s4 = a4 + a9, d4 = a4 - a9;
  const vec2 s5 = a5 + a8, d5 = a5 - a8;
  const vec2 s6 = a6 + a7, d6 = a6 - a7;
  const vec2 first = a0;
  a0 = first + s1 + s2 + s3 + s4 + s5 + s6;
  {
    const vec2 c = fma(s6, vec2(-0.970941817), fma(s5, vec2(-0.748510748), fma(s4, vec2(-0.354604887), fma(s3, vec2(0.12053668), fma(s2, vec2(0.568064747), fma(s1, vec2(0.885456026), first))))));
    const vec2 s = fma(d6, vec2(0.239315664), fma(d5, vec2(0.663122658), fma(d4, vec2(0.935016243), fma(d3, vec2(0.992708874), fma(d2, vec2(0.822983866), d1 * vec2(0.464723172))))));
    a1 = vec2(c.x + s.y, c.y - s.x);
    a12 = vec2(c.x - s.y, c.y + s.x);
  }
  {
    const vec2 c = fma(s6, vec2(0.885456026), fma(s5, vec2(0.12053668), fma(s4, vec2(-0.748510748), fma(s3, vec2(-0.970941817), fma(s2, vec2(-0.354604887), fma(s1, vec2(0.568064747), first))))));
    const vec2 s = fma(d6, vec2(-0.464723172), fma(d5, vec2(-0.992708874), fma(d4, vec2(-0.663122658), fma(d3, vec2(0.239315664), fma(d2, vec2(0.935016243), d1 * vec2(0.822983866))))));
    a2 = vec2(c.x + s.y, c.y - s.x);
    a11 = vec2(c.x - s.y, c.y + s.x);
  }
  {
    const vec2 c = fma(s6, vec2(-0.748510748), fma(s5, vec2(0.568064747), fma(s4, vec2(0.885456026), fma(s3, vec2(-0.354604887), fma(s2, vec2(-0.970941817), fma(s1, vec2(0.12053668), first))))));
    const vec2 s = fma(d6, vec2(0.663122658), fma(d5, vec2(0.822983866), fma(d4, vec2(-0.464723172), fma(d3, vec2(-0.935016243), fma(d2, vec2(0.239315664), d1 * vec2(0.992708874))))));
    a3 = vec2(c.x + s.y, c.y - s.x);
    a10 = vec2(c.x - s.y, c.y + s.x);
  }
  {
    const vec2 c = fma(s6, vec2(0.568064747), fma(s5, vec2(-0.970941817), fma(s4, vec2(0.12053668), fma(s3, vec2(0.885456026), fma(s2, vec2(-0.748510748), fma(s1, vec2(-0.354604887), first))))));
    const vec2 s = fma(d6, vec2(-0.822983866), fma(d5, vec2(-0.239315664), fma(d4, vec2(0.992708874), fma(d3, vec2(-0.464723172), fma(d2, vec2(-0.663122658), d1 * vec2(0.935016243))))));
    a4 = vec2(c.x + s.y, c.y - s.x);
    a9 = vec2(c.x - s.y, c.y + s.x);
  }
  {
    const vec2 c = fma(s6, vec2(-0.354604887), fma(s5, vec2(0.885456026), fma(s4, vec2(-0.970941817), fma(s3, vec2(0.568064747), fma(s2, vec2(0.12053668), fma(s1, vec2(-0.748510748), first))))));
    const vec2 s = fma(d6, vec2(0.935016243), fma(d5, vec2(-0.464723172), fma(d4, vec2(-0.239315664), fma(d3, vec2(0.822983866), fma(d2, vec2(-0.992708874), d1 * vec2(0.663122658))))));
    a5 = vec2(c.x + s.y, c.y - s.x);
    a8 = vec2(c.x - s.y, c.y + s.x);
  }
  {
    const vec2 c = fma(s6, vec2(0.12053668), fma(s5, vec2(-0.354604887), fma(s4, vec2(0.568064747), fma(s3, vec2(-0.748510748), fma(s2, vec2(0.885456026), fma(s1, vec2(-0.970941817), first))))));
    const vec2 s = fma(d6, vec2(-0.992708874), fma(d5, vec2(0.935016243), fma(d4, vec2(-0.822983866), fma(d3, vec2(0.663122658), fma(d2, vec2(-0.464723172), d1 * vec2(0.239315664))))));
    a6 = vec2(c.x + s.y, c.y - s.x);
    a7 = vec2(c.x - s.y, c.y + s.x);
  }
}
void main() {
  const uint me = gl_LocalInvocationID.x;
  if (!begin(2UL)) return;
  vec2 v0[13];
  const uint f0_0 = min(me + 0u, 1u);
  const uint j0_0 = f0_0 / 2u, l0_0 = f0_0 % 2u;
  const uint64_t b0_0 = from(l0_0), p0_0 = b0_0 + uint64_t(j0_0) * 2584UL;
  v0[0] = at(p0_0 + 0UL * 2584UL);
  v0[1] = at(p0_0 + 1UL * 2584UL);
  v0[2] = at(p0_0 + 2UL * 2584UL);
  v0[3] = at(p0_0 + 3UL * 2584UL);
  v0[4] = at(p0_0 + 4UL * 2584UL);
  v0[5] = at(p0_0 + 5UL * 2584UL);
  v0[6] = at(p0_0 + 6UL * 2584UL);
  v0[7] = at(p0_0 + 7UL * 2584UL);
  v0[8] = at(p0_0 + 8UL * 2584UL);
  v0[9] = at(p0_0 + 9UL * 2584UL);
  v0[10] = at(p0_0 + 10UL * 2584UL);
  v0[11] = at(p0_0 + 11UL * 2584UL);
  v0[12] = at(p0_0 + 12UL * 2584UL);
  {
  const uint c = turned_of(l0_0);
  const vec2 w0 = line_root(float((c * j0_0)) * 4.0, 4199.0, 0.000238151941);
  const vec2 w1 = line_root(float((c * 1u)) * 4.0, 4199.0, 0.000238151941);
  const vec2 w2 = line_root(float((c * 1u)) * 8.0, 4199.0, 0.000238151941);
  const vec2 w3 = times(w2, w1);
  const vec2 w4 = line_root(float((c * 1u)) * 16.0, 4199.0, 0.000238151941);
  const vec2 w5 = times(w4, w1);
  const vec2 w6 = times(w4, w2);
  const vec2 w7 = times(w6, w1);
  const vec2 w8 = line_root(float((c * 1u)) * 32.0, 4199.0, 0.000238151941);
  const vec2 w9 = times(w8, w1);
  const vec2 w10 = times(w8, w2);
  const vec2 w11 = times(w10, w1);
  const vec2 w12 = times(w8, w4);
  v0[0] = times(v0[0], w0);
  v0[1] = times(v0[1], times(w0, w1));
  v0[2] = times(v0[2], times(w0, w2));
  v0[3] = times(v0[3], times(w0, w3));
  v0[4] = times(v0[4], times(w0, w4));
  v0[5] = times(v0[5], times(w0, w5));
  v0[6] = times(v0[6], times(w0, w6));
  v0[7] = times(v0[7], times(w0, w7));
  v0[8] = times(v0[8], times(w0, w8));
  v0[9] = times(v0[9], times(w0, w9));
  v0[10] = times(v0[10], times(w0, w10));
  v0[11] = times(v0[11], times(w0, w11));
  v0[12] = times(v0[12], times(w0, w12));
  }
  {
  dft13(v0[0], v0[1], v0[2], v0[3], v0[4], v0[5], v0[6], v0[7], v0[8], v0[9], v0[10], v0[11], v0[12]);
  }
  const uint64_t q0_0 = into(l0_0) + uint64_t(j0_0) * 2584UL;
  if (me < 2u && there(l0_0)) {
  Complex(q0_0 + 0UL).data = conjugate(v0[0]);
  Complex(q0_0 + 2584UL).data = conjugate(v0[1]);
  Complex(q0_0 + 5168UL).data = conjugate(v0[2]);
  Complex(q0_0 + 7752UL).data = conjugate(v0[3]);
  Complex(q0_0 + 10336UL).data = conjugate(v0[4]);
  Complex(q0_0 + 12920UL).data = conjugate(v0[5]);
  Complex(q0_0 + 15504UL).data = conjugate(v0[6]);
  Complex(q0_0 + 18088UL).data = conjugate(v0[7]);
  Complex(q0_0 + 20672UL).data = conjugate(v0[8]);
  Complex(q0_0 + 23256UL).data = conjugate(v0[9]);
  Complex(q0_0 + 25840UL).data = conjugate(v0[10]);
  Complex(q0_0 + 28424UL).data = conjugate(v0[11]);
  Complex(q0_0 + 31008UL).data = conjugate(v0[12]);
  }
}

// shader routine4_whole
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(constant_id = 12) const bool lines_of_groups = true;
uint flat_group() { return lines_of_groups ? gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x : gl_WorkGroupID.x; }
uint group_step(uint most) { return lines_of_groups ? gl_NumWorkGroups.x * gl_NumWorkGroups.y : most; }
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Complex { vec2 data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Real { float data; };
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments {
  uint64_t x, result, work[2];
  int64_t rows, n, size, stored, stride, turn, sizes[4], steps[4];
};
layout(push_constant, std430) uniform Push { Arguments args; };
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
// The nearest float to x / y but for a rare last bit.
float ratio(float x, float y) {
  const float inverse = 1.0 / y, q = x * inverse;
  return fma(fma(-q, y, x), inverse, q);
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
uint64_t base;  // the first number of the row that is read
vec2 complex_at(uint i) { return Complex(base + uint64_t(int64_t(i) * args.stride) * 8UL).data; }
vec2 work_at(uint which, uint64_t i) { return Complex(args.work[which & 1u] + i * 8UL).data; }
// exp(-2 pi i k / m) of 4 k, an integer below 2^24, and 1 / m. Adding 1.5 * 2^23 rounds to an integer.
vec2 line_root(float k4, float m, float inverse) {
  precise const float shifted = fma(k4, inverse, 12582912.0);
  precise const float quarters = shifted - 12582912.0;
  precise const float rest = fma(-quarters, m, k4);
  const float t = rest * inverse * 1.57079633, u = t * t;
  const float s = fma(t * u, fma(u, fma(u, fma(u, 2.75573192e-6, -1.98412698e-4), 8.33333333e-3), -0.166666667), t);
  const float high = fma(u, fma(u, fma(u, -2.75573192e-7, 2.48015873e-5), -1.38888889e-3), 4.16666667e-2);
  const float c = fma(u, fma(u, high, -0.5), 1.0);
  const uint q = floatBitsToUint(shifted);
  const bool odd = (q & 1u) != 0u;
  const uint re = floatBitsToUint(odd ? s : c), im = floatBitsToUint(odd ? c : s);
  return vec2(uintBitsToFloat(re ^ ((q + 1u) & 2u) << 30u), uintBitsToFloat(im ^ (~q & 2u) << 30u));
}
// The same of k and larger m.
vec2 long_root(uint k, uint m, float inverse) {
  const uint eighths = k << 3, octant = eighths / m;
  return root_at(octant, float(eighths - octant * m) * inverse);
}
uint64_t first, end;  // lines: the workgroup's first one, and all
bool begin(uint64_t lines) {
  const uint64_t group = uint64_t(flat_group());
  first = group * lines, end = uint64_t(args.rows) * 1UL;
  return first < end;
}
bool there(uint line) { return first + uint64_t(line) < end; }
uint line_of(uint line) { return uint(min(first + uint64_t(line), end - 1UL)); }
uint64_t row_of(uint row) { return args.x + uint64_t(row) * 0UL; }
uint64_t from(uint line) {
  const uint at = line_of(line), row = at / 1u, column = at % 1u;
  return row_of(row);
}
uint64_t into(uint line) {
  const uint at = line_of(line), row = at / 1u, column = at % 1u;
  return args.result + uint64_t(row) * 536UL;
}
uint turned_of(uint line) { return line_of(line) % 1u % 1u; }
vec2 at(uint64_t p) { return Complex(p).data; }
void dft2(inout vec2 a0, inout vec2 a1) {
  const vec2 a = a0;
  a0 = a + a1;
  a1 = a - a1;
}
void dft3(inout vec2 a0, inout vec2 a1, inout vec2 a2) {
  const vec2 s1 = a1 + a2, d1 = a1 - a2;
  const vec2 first = a0;
  a0 = first + s1;
  {
    const vec2 c = fma(s1, vec2(-0.5), first);
    const vec2 s = d1 * vec2(0.866025404);
    a1 = vec2(c.x + s.y, c.y - s.x);
    a2 = vec2(c.x - s.y, c.y + s.x);
  }
}
void dft4(inout vec2 a0, inout vec2 a1, inout vec2 a2, inout vec2 a3) {
  dft2(a0, a2);
  dft2(a1, a3);
  a3 = vec2(a3.y, -a3.x);
  dft2(a0, a1);
  dft2(a2, a3);
  const vec2 b2 = a1, b1 = a2;
  a2 = b2;
  a1 = b1;
}
void dft6(inout vec2 a0, inout vec2 a1, inout vec2 a2, inout vec2 a3, inout vec2 a4, inout vec2 a5) {
  dft2(a0, a3);
  dft2(a2, a5);
  dft2(a4, a1);
  dft3(a0, a2, a4);
  dft3(a3, a5, a1);
  const vec2 b4 = a2, b2 = a4, b1 = a5, b5 = a1;
  a4 = b4;
  a2 = b2;
  a1 = b1;
  a5 = b5;
}
shared vec2 tile[180];
void main() {
  const uint me = gl_LocalInvocationID.x;
  if (!begin(1UL)) return;
  vec2 v0[6];
  const uint f0_0 = min(me + 0u, 23u);
  const uint l0_0 = 0u, j0_0 = f0_0;
  vec2 v1[6];
  const uint f1_0 = min(me + 0u, 23u);
  const uint l1_0 = 0u, j1_0 = f1_0;
  vec2 v2[4];
  const uint f2_0 = min(me + 0u, 35u);
  const uint l2_0 = 0u, j2_0 = f2_0;
  vec2 v3[4];
  const uint f3_0 = min(me + 0u, 35u);
  const uint l3_0 = 0u, j3_0 = f3_0;
  vec2 v4[6];
  const uint f4_0 = min(me + 0u, 23u);
  const uint l4_0 = 0u, j4_0 = f4_0;
  vec2 v5[6];
  const uint f5_0 = min(me + 0u, 23u);
  const uint l5_0 = 0u, j5_0 = f5_0;
  vec2 h[4];
  const uint64_t start = first;
  for (uint turn = 0u; turn <= 1u; ++turn) {
  first = start + uint64_t(max(turn, 1u) - 1u) * 1UL;
  if (first >= end) break;
  const uint64_t b0_0 = from(l0_0), p0_0 = b0_0 + uint64_t(j0_0) * 8UL;
  v0[0] = at(p0_0 + 0UL * 8UL);
  v0[1] = at(p0_0 + 24UL * 8UL);
  v0[2] = at(b0_0 + uint64_t(min(j0_0 + 48u, 66u)) * 8UL);
  if (turn == 0u) {
  {
  const uint k = min(j0_0 + 0u, 144u - (j0_0 + 0u));
  v0[0] = k < 67u ? conjugate(line_root(float((k) * (k) % 134u) * 4.0, 134.0, 0.00746268657)) : vec2(0.0);
  }
  {
  const uint k = min(j0_0 + 24u, 144u - (j0_0 + 24u));
  v0[1] = k < 67u ? conjugate(line_root(float((k) * (k) % 134u) * 4.0, 134.0, 0.00746268657)) : vec2(0.0);
  }
  {
  const uint k = min(j0_0 + 48u, 144u - (j0_0 + 48u));
  v0[2] = k < 67u ? conjugate(line_root(float((k) * (k) % 134u) * 4.0, 134.0, 0.00746268657)) : vec2(0.0);
  }
  {
  const uint k = min(j0_0 + 72u, 144u - (j0_0 + 72u));
  v0[3] = k < 67u ? conjugate(line_root(float((k) * (k) % 134u) * 4.0, 134.0, 0.00746268657)) : vec2(0.0);
  }
  {
  const uint k = min(j0_0 + 96u, 144u - (j0_0 + 96u));
  v0[4] = k < 67u ? conjugate(line_root(float((k) * (k) % 134u) * 4.0, 134.0, 0.00746268657)) : vec2(0.0);
  }
  {
  const uint k = min(j0_0 + 120u, 144u - (j0_0 + 120u));
  v0[5] = k < 67u ? conjugate(line_root(float((k) * (k) % 134u) * 4.0, 134.0, 0.00746268657)) : vec2(0.0);
  }
  } else {
  v0[0] = times(v0[0], line_root(float((j0_0 + 0u) * (j0_0 + 0u) % 134u) * 4.0, 134.0, 0.00746268657));
  v0[1] = times(v0[1], line_root(float((j0_0 + 24u) * (j0_0 + 24u) % 134u) * 4.0, 134.0, 0.00746268657));
  v0[2] = j0_0 + 48u >= 67u ? vec2(0.0) : times(v0[2], line_root(float((j0_0 + 48u) * (j0_0 + 48u) % 134u) * 4.0, 134.0, 0.00746268657));
  v0[3] = vec2(0.0);
  v0[4] = vec2(0.0);
  v0[5] = vec2(0.0);
  }
  {
  dft6(v0[0], v0[1], v0[2], v0[3], v0[4], v0[5]);
  }
  const uint put0_0 = j0_0 / 1u * 6u + j0_0 % 1u;
  const uint get1_0 = j1_0 / 6u * 6u + j1_0 % 6u;
  barrier();
  if (me < 24u) tile[put0_0 + 0u] = v0[0];
  if (me < 24u) tile[put0_0 + 1u] = v0[1];
  if (me < 24u) tile[put0_0 + 2u] = v0[2];
  if (me < 24u) tile[put0_0 + 3u] = v0[3];
  if (me < 24u) tile[put0_0 + 4u] = v0[4];
  if (me < 24u) tile[put0_0 + 5u] = v0[5];
  barrier();
  v1[0] = tile[get1_0 + 0u];
  v1[1] = tile[get1_0 + 24u];
  v1[2] = tile[get1_0 + 48u];
  v1[3] = tile[get1_0 + 72u];
  v1[4] = tile[get1_0 + 96u];
  v1[5] = tile[get1_0 + 120u];
  {
  const uint k = j1_0 % 6u;
  const vec2 w1 = line_root(float(k) * 4.0, 36.0, 0.0277777778);
  const vec2 w2 = line_root(float(k) * 8.0, 36.0, 0.0277777778);
  const vec2 w3 = times(w2, w1);
  const vec2 w4 = line_root(float(k) * 16.0, 36.0, 0.0277777778);
  const vec2 w5 = times(w4, w1);
  v1[1] = times(v1[1], w1);
  v1[2] = times(v1[2], w2);
  v1[3] = times(v1[3], w3);
  v1[4] = times(v1[4], w4);
  v1[5] = times(v1[5], w5);
  dft6(v1[0], v1[1], v1[2], v1[3], v1[4], v1[5]);
  }
  const uint put1_0 = j1_0 / 6u * 38u + j1_0 % 6u;
  const uint get2_0 = j2_0 / 36u * 38u + j2_0 % 36u;
  barrier();
  if (me < 24u) tile[put1_0 + 0u] = v1[0];
  if (me < 24u) tile[put1_0 + 6u] = v1[1];
  if (me < 24u) tile[put1_0 + 12u] = v1[2];
  if (me < 24u) tile[put1_0 + 18u] = v1[3];
  if (me < 24u) tile[put1_0 + 24u] = v1[4];
  if (me < 24u) tile[put1_0 + 30u] = v1[5];
  barrier();
  v2[0] = tile[get2_0 + 0u];
  v2[1] = tile[get2_0 + 38u];
  v2[2] = tile[get2_0 + 76u];
  v2[3] = tile[get2_0 + 114u];
  {
  const uint k = j2_0 % 36u;
  const vec2 w1 = line_root(float(k) * 4.0, 144.0, 0.00694444444);
  const vec2 w2 = line_root(float(k) * 8.0, 144.0, 0.00694444444);
  const vec2 w3 = times(w2, w1);
  v2[1] = times(v2[1], w1);
  v2[2] = times(v2[2], w2);
  v2[3] = times(v2[3], w3);
  dft4(v2[0], v2[1], v2[2], v2[3]);
  }
  if (turn == 0u) {
  h[0] = v2[0] * 0.00694444444;
  h[1] = v2[1] * 0.00694444444;
  h[2] = v2[2] * 0.00694444444;
  h[3] = v2[3] * 0.00694444444;
  continue;
  }
  v3[0] = conjugate(times(v2[0], h[0]));
  v3[1] = conjugate(times(v2[1], h[1]));
  v3[2] = conjugate(times(v2[2], h[2]));
  v3[3] = conjugate(times(v2[3], h[3]));
  {
  dft4(v3[0], v3[1], v3[2], v3[3]);
  }
  const uint put3_0 = j3_0 / 1u * 5u + j3_0 % 1u;
  const uint get4_0 = j4_0 / 4u * 5u + j4_0 % 4u;
  barrier();
  if (me < 36u) tile[put3_0 + 0u] = v3[0];
  if (me < 36u) tile[put3_0 + 1u] = v3[1];
  if (me < 36u) tile[put3_0 + 2u] = v3[2];
  if (me < 36u) tile[put3_0 + 3u] = v3[3];
  barrier();
  v4[0] = tile[get4_0 + 0u];
  v4[1] = tile[get4_0 + 30u];
  v4[2] = tile[get4_0 + 60u];
  v4[3] = tile[get4_0 + 90u];
  v4[4] = tile[get4_0 + 120u];
  v4[5] = tile[get4_0 + 150u];
  {
  const uint k = j4_0 % 4u;
  const vec2 w1 = line_root(float(k) * 4.0, 24.0, 0.0416666667);
  const vec2 w2 = line_root(float(k) * 8.0, 24.0, 0.0416666667);
  const vec2 w3 = times(w2, w1);
  const vec2 w4 = line_root(float(k) * 16.0, 24.0, 0.0416666667);
  const vec2 w5 = times(w4, w1);
  v4[1] = times(v4[1], w1);
  v4[2] = times(v4[2], w2);
  v4[3] = times(v4[3], w3);
  v4[4] = times(v4[4], w4);
  v4[5] = times(v4[5], w5);
  dft6(v4[0], v4[1], v4[2], v4[3], v4[4], v4[5]);
  }
  const uint put4_0 = j4_0 / 4u * 28u + j4_0 % 4u;
  const uint get5_0 = j5_0 / 24u * 28u + j5_0 % 24u;
  barrier();
  if (me < 24u) tile[put4_0 + 0u] = v4[0];
  if (me < 24u) tile[put4_0 + 4u] = v4[1];
  if (me < 24u) tile[put4_0 + 8u] = v4[2];
  if (me < 24u) tile[put4_0 + 12u] = v4[3];
  if (me < 24u) tile[put4_0 + 16u] = v4[4];
  if (me < 24u) tile[put4_0 + 20u] = v4[5];
  barrier();
  v5[0] = tile[get5_0 + 0u];
  v5[1] = tile[get5_0 + 28u];
  v5[2] = tile[get5_0 + 56u];
  v5[3] = tile[get5_0 + 84u];
  v5[4] = tile[get5_0 + 112u];
  v5[5] = tile[get5_0 + 140u];
  {
  const uint k = j5_0 % 24u;
  const vec2 w1 = line_root(float(k) * 4.0, 144.0, 0.00694444444);
  const vec2 w2 = line_root(float(k) * 8.0, 144.0, 0.00694444444);
  const vec2 w3 = times(w2, w1);
  const vec2 w4 = line_root(float(k) * 16.0, 144.0, 0.00694444444);
  const vec2 w5 = times(w4, w1);
  v5[1] = times(v5[1], w1);
  v5[2] = times(v5[2], w2);
  v5[3] = times(v5[3], w3);
  v5[4] = times(v5[4], w4);
  v5[5] = times(v5[5], w5);
  dft6(v5[0], v5[1], v5[2], v5[3], v5[4], v5[5]);
  }
  v5[0] = times(conjugate(v5[0]), line_root(float((j5_0 + 0u) * (j5_0 + 0u) % 134u) * 4.0, 134.0, 0.00746268657));
  v5[1] = times(conjugate(v5[1]), line_root(float((j5_0 + 24u) * (j5_0 + 24u) % 134u) * 4.0, 134.0, 0.00746268657));
  v5[2] = times(conjugate(v5[2]), line_root(float((j5_0 + 48u) * (j5_0 + 48u) % 134u) * 4.0, 134.0, 0.00746268657));
  const uint64_t q5_0 = into(l5_0) + uint64_t(j5_0) * 8UL;
  if (me < 24u) {
  Complex(q5_0 + 0UL).data = v5[0];
  Complex(q5_0 + 192UL).data = v5[1];
  if (j5_0 + 48u < 67u) Complex(q5_0 + 384UL).data = v5[2];
  if (j5_0 + 72u < 67u) Complex(q5_0 + 576UL).data = v5[3];
  if (j5_0 + 96u < 67u) Complex(q5_0 + 768UL).data = v5[4];
  if (j5_0 + 120u < 67u) Complex(q5_0 + 960UL).data = v5[5];
  }
  }
}
