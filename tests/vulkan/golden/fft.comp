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
shared float tile[points];
vec2 v[8];
vec2 value_at(uint row, uint i) {
  const uint n = uint(args.n);
  return complex_at(i);
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
// Numbers that are a power of two apart lie in different banks. Places without bits in common may be turned one by one.
uint bank(uint i) { return i ^ ((i >> 5u ^ i >> 8u) & 7u) ^ (i >> 3u & 24u); }
// A number that a step of 2^step numbers takes: it lies in a column, `j` in front of the first of the step's numbers.
struct Place {
  uint column, j;
};
Place place_of(int block, int bits, int step, bool along) {
  const uint at = uint(block * threads) + gl_LocalInvocationID.x, rest = uint(bits - step);
  if (along) return Place(at >> rest, at & ((1u << rest) - 1u));
  return Place(at & ((1u << (11 - bits)) - 1u), at >> (11 - bits));
}
// Moves numbers from where a step of 8 leaves them to where one of 2^3 takes them, so that 2^done lie in order; first
// the real parts, as shared memory is scarce.
void exchange3(int done, int bits, bool from_along, bool along) {
  const Place from = place_of(0, bits, 3, from_along);
  const uint low = uint(done - 3), within = from.j & ((1u << low) - 1u);
  const uint to = bank((from.column << bits) + ((from.j >> low) << done) + within);
  uint get[8];
  {
    const Place p = place_of(0 >> 3, bits, 3, along);
    get[0] = bank((p.column << bits) + p.j) ^ bank((0u & (1u << 3) - 1u) << uint(bits - 3));
  }
  {
    const Place p = place_of(1 >> 3, bits, 3, along);
    get[1] = bank((p.column << bits) + p.j) ^ bank((1u & (1u << 3) - 1u) << uint(bits - 3));
  }
  {
    const Place p = place_of(2 >> 3, bits, 3, along);
    get[2] = bank((p.column << bits) + p.j) ^ bank((2u & (1u << 3) - 1u) << uint(bits - 3));
  }
  {
    const Place p = place_of(3 >> 3, bits, 3, along);
    get[3] = bank((p.column << bits) + p.j) ^ bank((3u & (1u << 3) - 1u) << uint(bits - 3));
  }
  {
    const Place p = place_of(4 >> 3, bits, 3, along);
    get[4] = bank((p.column << bits) + p.j) ^ bank((4u & (1u << 3) - 1u) << uint(bits - 3));
  }
  {
    const Place p = place_of(5 >> 3, bits, 3, along);
    get[5] = bank((p.column << bits) + p.j) ^ bank((5u & (1u << 3) - 1u) << uint(bits - 3));
  }
  {
    const Place p = place_of(6 >> 3, bits, 3, along);
    get[6] = bank((p.column << bits) + p.j) ^ bank((6u & (1u << 3) - 1u) << uint(bits - 3));
  }
  {
    const Place p = place_of(7 >> 3, bits, 3, along);
    get[7] = bank((p.column << bits) + p.j) ^ bank((7u & (1u << 3) - 1u) << uint(bits - 3));
  }
  if (done > 3) barrier();
  tile[to ^ bank(0u << low)] = v[0].x;
  tile[to ^ bank(1u << low)] = v[1].x;
  tile[to ^ bank(2u << low)] = v[2].x;
  tile[to ^ bank(3u << low)] = v[3].x;
  tile[to ^ bank(4u << low)] = v[4].x;
  tile[to ^ bank(5u << low)] = v[5].x;
  tile[to ^ bank(6u << low)] = v[6].x;
  tile[to ^ bank(7u << low)] = v[7].x;
  barrier();
  v[0].x = tile[get[0]];
  v[1].x = tile[get[1]];
  v[2].x = tile[get[2]];
  v[3].x = tile[get[3]];
  v[4].x = tile[get[4]];
  v[5].x = tile[get[5]];
  v[6].x = tile[get[6]];
  v[7].x = tile[get[7]];
  barrier();
  tile[to ^ bank(0u << low)] = v[0].y;
  tile[to ^ bank(1u << low)] = v[1].y;
  tile[to ^ bank(2u << low)] = v[2].y;
  tile[to ^ bank(3u << low)] = v[3].y;
  tile[to ^ bank(4u << low)] = v[4].y;
  tile[to ^ bank(5u << low)] = v[5].y;
  tile[to ^ bank(6u << low)] = v[6].y;
  tile[to ^ bank(7u << low)] = v[7].y;
  barrier();
  v[0].y = tile[get[0]];
  v[1].y = tile[get[1]];
  v[2].y = tile[get[2]];
  v[3].y = tile[get[3]];
  v[4].y = tile[get[4]];
  v[5].y = tile[get[5]];
  v[6].y = tile[get[6]];
  v[7].y = tile[get[7]];
}
// Of the numbers that the step takes, by the place of each in its block of 2^done.
void turn_by_roots3(int done, int bits, bool along) {
  {
    const uint within = place_of(0, bits, 3, along).j & ((1u << done) - 1u);
    const vec2 w1 = root(within * 1u, done + 3);
    v[0 * 8 + 1] = times(v[0 * 8 + 1], w1);
    const vec2 w2 = root(within * 2u, done + 3);
    v[0 * 8 + 2] = times(v[0 * 8 + 2], w2);
    const vec2 w3 = times(w2, w1);
    v[0 * 8 + 3] = times(v[0 * 8 + 3], w3);
    const vec2 w4 = root(within * 4u, done + 3);
    v[0 * 8 + 4] = times(v[0 * 8 + 4], w4);
    const vec2 w5 = times(w4, w1);
    v[0 * 8 + 5] = times(v[0 * 8 + 5], w5);
    const vec2 w6 = times(w4, w2);
    v[0 * 8 + 6] = times(v[0 * 8 + 6], w6);
    const vec2 w7 = times(w6, w1);
    v[0 * 8 + 7] = times(v[0 * 8 + 7], w7);
  }
}
// Moves numbers from where a step of 8 leaves them to where one of 2^2 takes them, so that 2^done lie in order; first
// the real parts, as shared memory is scarce.
void exchange2(int done, int bits, bool from_along, bool along) {
  const Place from = place_of(0, bits, 3, from_along);
  const uint low = uint(done - 3), within = from.j & ((1u << low) - 1u);
  const uint to = bank((from.column << bits) + ((from.j >> low) << done) + within);
  uint get[8];
  {
    const Place p = place_of(0 >> 2, bits, 2, along);
    get[0] = bank((p.column << bits) + p.j) ^ bank((0u & (1u << 2) - 1u) << uint(bits - 2));
  }
  {
    const Place p = place_of(1 >> 2, bits, 2, along);
    get[1] = bank((p.column << bits) + p.j) ^ bank((1u & (1u << 2) - 1u) << uint(bits - 2));
  }
  {
    const Place p = place_of(2 >> 2, bits, 2, along);
    get[2] = bank((p.column << bits) + p.j) ^ bank((2u & (1u << 2) - 1u) << uint(bits - 2));
  }
  {
    const Place p = place_of(3 >> 2, bits, 2, along);
    get[3] = bank((p.column << bits) + p.j) ^ bank((3u & (1u << 2) - 1u) << uint(bits - 2));
  }
  {
    const Place p = place_of(4 >> 2, bits, 2, along);
    get[4] = bank((p.column << bits) + p.j) ^ bank((4u & (1u << 2) - 1u) << uint(bits - 2));
  }
  {
    const Place p = place_of(5 >> 2, bits, 2, along);
    get[5] = bank((p.column << bits) + p.j) ^ bank((5u & (1u << 2) - 1u) << uint(bits - 2));
  }
  {
    const Place p = place_of(6 >> 2, bits, 2, along);
    get[6] = bank((p.column << bits) + p.j) ^ bank((6u & (1u << 2) - 1u) << uint(bits - 2));
  }
  {
    const Place p = place_of(7 >> 2, bits, 2, along);
    get[7] = bank((p.column << bits) + p.j) ^ bank((7u & (1u << 2) - 1u) << uint(bits - 2));
  }
  if (done > 3) barrier();
  tile[to ^ bank(0u << low)] = v[0].x;
  tile[to ^ bank(1u << low)] = v[1].x;
  tile[to ^ bank(2u << low)] = v[2].x;
  tile[to ^ bank(3u << low)] = v[3].x;
  tile[to ^ bank(4u << low)] = v[4].x;
  tile[to ^ bank(5u << low)] = v[5].x;
  tile[to ^ bank(6u << low)] = v[6].x;
  tile[to ^ bank(7u << low)] = v[7].x;
  barrier();
  v[0].x = tile[get[0]];
  v[1].x = tile[get[1]];
  v[2].x = tile[get[2]];
  v[3].x = tile[get[3]];
  v[4].x = tile[get[4]];
  v[5].x = tile[get[5]];
  v[6].x = tile[get[6]];
  v[7].x = tile[get[7]];
  barrier();
  tile[to ^ bank(0u << low)] = v[0].y;
  tile[to ^ bank(1u << low)] = v[1].y;
  tile[to ^ bank(2u << low)] = v[2].y;
  tile[to ^ bank(3u << low)] = v[3].y;
  tile[to ^ bank(4u << low)] = v[4].y;
  tile[to ^ bank(5u << low)] = v[5].y;
  tile[to ^ bank(6u << low)] = v[6].y;
  tile[to ^ bank(7u << low)] = v[7].y;
  barrier();
  v[0].y = tile[get[0]];
  v[1].y = tile[get[1]];
  v[2].y = tile[get[2]];
  v[3].y = tile[get[3]];
  v[4].y = tile[get[4]];
  v[5].y = tile[get[5]];
  v[6].y = tile[get[6]];
  v[7].y = tile[get[7]];
}
// Of the numbers that the step takes, by the place of each in its block of 2^done.
void turn_by_roots2(int done, int bits, bool along) {
  {
    const uint within = place_of(0, bits, 2, along).j & ((1u << done) - 1u);
    const vec2 w1 = root(within * 1u, done + 2);
    v[0 * 4 + 1] = times(v[0 * 4 + 1], w1);
    const vec2 w2 = root(within * 2u, done + 2);
    v[0 * 4 + 2] = times(v[0 * 4 + 2], w2);
    const vec2 w3 = times(w2, w1);
    v[0 * 4 + 3] = times(v[0 * 4 + 3], w3);
  }
  {
    const uint within = place_of(1, bits, 2, along).j & ((1u << done) - 1u);
    const vec2 w1 = root(within * 1u, done + 2);
    v[1 * 4 + 1] = times(v[1 * 4 + 1], w1);
    const vec2 w2 = root(within * 2u, done + 2);
    v[1 * 4 + 2] = times(v[1 * 4 + 2], w2);
    const vec2 w3 = times(w2, w1);
    v[1 * 4 + 3] = times(v[1 * 4 + 3], w3);
  }
}
// Moves numbers from where a step of 8 leaves them to where one of 2^1 takes them, so that 2^done lie in order; first
// the real parts, as shared memory is scarce.
void exchange1(int done, int bits, bool from_along, bool along) {
  const Place from = place_of(0, bits, 3, from_along);
  const uint low = uint(done - 3), within = from.j & ((1u << low) - 1u);
  const uint to = bank((from.column << bits) + ((from.j >> low) << done) + within);
  uint get[8];
  {
    const Place p = place_of(0 >> 1, bits, 1, along);
    get[0] = bank((p.column << bits) + p.j) ^ bank((0u & (1u << 1) - 1u) << uint(bits - 1));
  }
  {
    const Place p = place_of(1 >> 1, bits, 1, along);
    get[1] = bank((p.column << bits) + p.j) ^ bank((1u & (1u << 1) - 1u) << uint(bits - 1));
  }
  {
    const Place p = place_of(2 >> 1, bits, 1, along);
    get[2] = bank((p.column << bits) + p.j) ^ bank((2u & (1u << 1) - 1u) << uint(bits - 1));
  }
  {
    const Place p = place_of(3 >> 1, bits, 1, along);
    get[3] = bank((p.column << bits) + p.j) ^ bank((3u & (1u << 1) - 1u) << uint(bits - 1));
  }
  {
    const Place p = place_of(4 >> 1, bits, 1, along);
    get[4] = bank((p.column << bits) + p.j) ^ bank((4u & (1u << 1) - 1u) << uint(bits - 1));
  }
  {
    const Place p = place_of(5 >> 1, bits, 1, along);
    get[5] = bank((p.column << bits) + p.j) ^ bank((5u & (1u << 1) - 1u) << uint(bits - 1));
  }
  {
    const Place p = place_of(6 >> 1, bits, 1, along);
    get[6] = bank((p.column << bits) + p.j) ^ bank((6u & (1u << 1) - 1u) << uint(bits - 1));
  }
  {
    const Place p = place_of(7 >> 1, bits, 1, along);
    get[7] = bank((p.column << bits) + p.j) ^ bank((7u & (1u << 1) - 1u) << uint(bits - 1));
  }
  if (done > 3) barrier();
  tile[to ^ bank(0u << low)] = v[0].x;
  tile[to ^ bank(1u << low)] = v[1].x;
  tile[to ^ bank(2u << low)] = v[2].x;
  tile[to ^ bank(3u << low)] = v[3].x;
  tile[to ^ bank(4u << low)] = v[4].x;
  tile[to ^ bank(5u << low)] = v[5].x;
  tile[to ^ bank(6u << low)] = v[6].x;
  tile[to ^ bank(7u << low)] = v[7].x;
  barrier();
  v[0].x = tile[get[0]];
  v[1].x = tile[get[1]];
  v[2].x = tile[get[2]];
  v[3].x = tile[get[3]];
  v[4].x = tile[get[4]];
  v[5].x = tile[get[5]];
  v[6].x = tile[get[6]];
  v[7].x = tile[get[7]];
  barrier();
  tile[to ^ bank(0u << low)] = v[0].y;
  tile[to ^ bank(1u << low)] = v[1].y;
  tile[to ^ bank(2u << low)] = v[2].y;
  tile[to ^ bank(3u << low)] = v[3].y;
  tile[to ^ bank(4u << low)] = v[4].y;
  tile[to ^ bank(5u << low)] = v[5].y;
  tile[to ^ bank(6u << low)] = v[6].y;
  tile[to ^ bank(7u << low)] = v[7].y;
  barrier();
  v[0].y = tile[get[0]];
  v[1].y = tile[get[1]];
  v[2].y = tile[get[2]];
  v[3].y = tile[get[3]];
  v[4].y = tile[get[4]];
  v[5].y = tile[get[5]];
  v[6].y = tile[get[6]];
  v[7].y = tile[get[7]];
}
// Of the numbers that the step takes, by the place of each in its block of 2^done.
void turn_by_roots1(int done, int bits, bool along) {
  {
    const uint within = place_of(0, bits, 1, along).j & ((1u << done) - 1u);
    const vec2 w1 = root(within * 1u, done + 1);
    v[0 * 2 + 1] = times(v[0 * 2 + 1], w1);
  }
  {
    const uint within = place_of(1, bits, 1, along).j & ((1u << done) - 1u);
    const vec2 w1 = root(within * 1u, done + 1);
    v[1 * 2 + 1] = times(v[1 * 2 + 1], w1);
  }
  {
    const uint within = place_of(2, bits, 1, along).j & ((1u << done) - 1u);
    const vec2 w1 = root(within * 1u, done + 1);
    v[2 * 2 + 1] = times(v[2 * 2 + 1], w1);
  }
  {
    const uint within = place_of(3, bits, 1, along).j & ((1u << done) - 1u);
    const vec2 w1 = root(within * 1u, done + 1);
    v[3 * 2 + 1] = times(v[3 * 2 + 1], w1);
  }
}
void main() {
  const int all_bits = 12, passes = passes_of(all_bits), turn = passes == 1 ? 0 : int(args.turn);
  // The passes take about as many bits each: those of this one, and those that passes before it took.
  const int before = all_bits * turn / passes, bits = all_bits * (turn + 1) / passes - before;
  const uint radix = 1u << bits, columns = uint(points) >> bits, across_bits = uint(all_bits - bits);
  const uint64_t group = uint64_t(gl_WorkGroupID.y) * uint64_t(gl_NumWorkGroups.x) + uint64_t(gl_WorkGroupID.x);
  const uint64_t first = group * uint64_t(columns), end = uint64_t(args.rows) << across_bits;
  if (first >= end) return;
  const uint within_mask = (1u << before) - 1u, source = uint(turn + 0 + 1), target = uint(turn + 0);
  // Neighbours read and write numbers that lie side by side: along a column where a column is a row, else across. The
  // first pass leaves columns as rows.
  bool along = passes == 1 && args.stride == 1L;
  const Place p = place_of(0, bits, 3, along);
  const uint64_t column = first + uint64_t(p.column);
  const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
  if (column < end && turn == 0) {
    base = first_of(row, 8u);
    v[0] = read(row, j + (p.j + (0u << uint(bits - 3)) << across_bits));
    v[1] = read(row, j + (p.j + (1u << uint(bits - 3)) << across_bits));
    v[2] = read(row, j + (p.j + (2u << uint(bits - 3)) << across_bits));
    v[3] = read(row, j + (p.j + (3u << uint(bits - 3)) << across_bits));
    v[4] = read(row, j + (p.j + (4u << uint(bits - 3)) << across_bits));
    v[5] = read(row, j + (p.j + (5u << uint(bits - 3)) << across_bits));
    v[6] = read(row, j + (p.j + (6u << uint(bits - 3)) << across_bits));
    v[7] = read(row, j + (p.j + (7u << uint(bits - 3)) << across_bits));
  } else if (column < end) {
    {
      const uint r = p.j + (0u << uint(bits - 3));
      const vec2 u = work_at(source, (uint64_t(row) << all_bits) + uint64_t(j + (r << across_bits)));
      v[0] = times(u, root((j & within_mask) * r, before + bits));
    }
    {
      const uint r = p.j + (1u << uint(bits - 3));
      const vec2 u = work_at(source, (uint64_t(row) << all_bits) + uint64_t(j + (r << across_bits)));
      v[1] = times(u, root((j & within_mask) * r, before + bits));
    }
    {
      const uint r = p.j + (2u << uint(bits - 3));
      const vec2 u = work_at(source, (uint64_t(row) << all_bits) + uint64_t(j + (r << across_bits)));
      v[2] = times(u, root((j & within_mask) * r, before + bits));
    }
    {
      const uint r = p.j + (3u << uint(bits - 3));
      const vec2 u = work_at(source, (uint64_t(row) << all_bits) + uint64_t(j + (r << across_bits)));
      v[3] = times(u, root((j & within_mask) * r, before + bits));
    }
    {
      const uint r = p.j + (4u << uint(bits - 3));
      const vec2 u = work_at(source, (uint64_t(row) << all_bits) + uint64_t(j + (r << across_bits)));
      v[4] = times(u, root((j & within_mask) * r, before + bits));
    }
    {
      const uint r = p.j + (5u << uint(bits - 3));
      const vec2 u = work_at(source, (uint64_t(row) << all_bits) + uint64_t(j + (r << across_bits)));
      v[5] = times(u, root((j & within_mask) * r, before + bits));
    }
    {
      const uint r = p.j + (6u << uint(bits - 3));
      const vec2 u = work_at(source, (uint64_t(row) << all_bits) + uint64_t(j + (r << across_bits)));
      v[6] = times(u, root((j & within_mask) * r, before + bits));
    }
    {
      const uint r = p.j + (7u << uint(bits - 3));
      const vec2 u = work_at(source, (uint64_t(row) << all_bits) + uint64_t(j + (r << across_bits)));
      v[7] = times(u, root((j & within_mask) * r, before + bits));
    }
  } else {
    v[0] = vec2(0.0);
    v[1] = vec2(0.0);
    v[2] = vec2(0.0);
    v[3] = vec2(0.0);
    v[4] = vec2(0.0);
    v[5] = vec2(0.0);
    v[6] = vec2(0.0);
    v[7] = vec2(0.0);
  }
  fft8(v);
  int done = 3, last = 3;
  for (; bits - done >= 3; done += 3) {
    exchange3(done, bits, along, turn == 0);
    along = turn == 0;
    turn_by_roots3(done, bits, along);
    fft8(v);
  }
  if (bits - done == 2) {
    exchange2(done, bits, along, turn == 0);
    along = turn == 0;
    turn_by_roots2(done, bits, along);
    fft4(v[0], v[1], v[2], v[3]);
    fft4(v[4], v[5], v[6], v[7]);
    last = 2;
  } else if (bits - done == 1) {
    exchange1(done, bits, along, turn == 0);
    along = turn == 0;
    turn_by_roots1(done, bits, along);
    fft2(v[0], v[1]);
    fft2(v[2], v[3]);
    fft2(v[4], v[5]);
    fft2(v[6], v[7]);
    last = 1;
  }
  vec2 others[8];
  {
    const Place q = place_of(0 >> last, bits, last, along);
    const uint64_t column = first + uint64_t(q.column);
    if (column < end) {
      const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
      const uint r = q.j + (uint(0 & (1 << last) - 1) << uint(bits - last));
      const uint i = ((j >> before) << (before + bits)) + (j & within_mask) + (r << before);
      if (true && turn + 1 == passes) store(row, i, v[0], others[0]);
      else Complex(args.work[target & 1u] + ((uint64_t(row) << all_bits) + uint64_t(i)) * 8UL).data = v[0];
    }
  }
  {
    const Place q = place_of(1 >> last, bits, last, along);
    const uint64_t column = first + uint64_t(q.column);
    if (column < end) {
      const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
      const uint r = q.j + (uint(1 & (1 << last) - 1) << uint(bits - last));
      const uint i = ((j >> before) << (before + bits)) + (j & within_mask) + (r << before);
      if (true && turn + 1 == passes) store(row, i, v[1], others[1]);
      else Complex(args.work[target & 1u] + ((uint64_t(row) << all_bits) + uint64_t(i)) * 8UL).data = v[1];
    }
  }
  {
    const Place q = place_of(2 >> last, bits, last, along);
    const uint64_t column = first + uint64_t(q.column);
    if (column < end) {
      const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
      const uint r = q.j + (uint(2 & (1 << last) - 1) << uint(bits - last));
      const uint i = ((j >> before) << (before + bits)) + (j & within_mask) + (r << before);
      if (true && turn + 1 == passes) store(row, i, v[2], others[2]);
      else Complex(args.work[target & 1u] + ((uint64_t(row) << all_bits) + uint64_t(i)) * 8UL).data = v[2];
    }
  }
  {
    const Place q = place_of(3 >> last, bits, last, along);
    const uint64_t column = first + uint64_t(q.column);
    if (column < end) {
      const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
      const uint r = q.j + (uint(3 & (1 << last) - 1) << uint(bits - last));
      const uint i = ((j >> before) << (before + bits)) + (j & within_mask) + (r << before);
      if (true && turn + 1 == passes) store(row, i, v[3], others[3]);
      else Complex(args.work[target & 1u] + ((uint64_t(row) << all_bits) + uint64_t(i)) * 8UL).data = v[3];
    }
  }
  {
    const Place q = place_of(4 >> last, bits, last, along);
    const uint64_t column = first + uint64_t(q.column);
    if (column < end) {
      const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
      const uint r = q.j + (uint(4 & (1 << last) - 1) << uint(bits - last));
      const uint i = ((j >> before) << (before + bits)) + (j & within_mask) + (r << before);
      if (true && turn + 1 == passes) store(row, i, v[4], others[4]);
      else Complex(args.work[target & 1u] + ((uint64_t(row) << all_bits) + uint64_t(i)) * 8UL).data = v[4];
    }
  }
  {
    const Place q = place_of(5 >> last, bits, last, along);
    const uint64_t column = first + uint64_t(q.column);
    if (column < end) {
      const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
      const uint r = q.j + (uint(5 & (1 << last) - 1) << uint(bits - last));
      const uint i = ((j >> before) << (before + bits)) + (j & within_mask) + (r << before);
      if (true && turn + 1 == passes) store(row, i, v[5], others[5]);
      else Complex(args.work[target & 1u] + ((uint64_t(row) << all_bits) + uint64_t(i)) * 8UL).data = v[5];
    }
  }
  {
    const Place q = place_of(6 >> last, bits, last, along);
    const uint64_t column = first + uint64_t(q.column);
    if (column < end) {
      const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
      const uint r = q.j + (uint(6 & (1 << last) - 1) << uint(bits - last));
      const uint i = ((j >> before) << (before + bits)) + (j & within_mask) + (r << before);
      if (true && turn + 1 == passes) store(row, i, v[6], others[6]);
      else Complex(args.work[target & 1u] + ((uint64_t(row) << all_bits) + uint64_t(i)) * 8UL).data = v[6];
    }
  }
  {
    const Place q = place_of(7 >> last, bits, last, along);
    const uint64_t column = first + uint64_t(q.column);
    if (column < end) {
      const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
      const uint r = q.j + (uint(7 & (1 << last) - 1) << uint(bits - last));
      const uint i = ((j >> before) << (before + bits)) + (j & within_mask) + (r << before);
      if (true && turn + 1 == passes) store(row, i, v[7], others[7]);
      else Complex(args.work[target & 1u] + ((uint64_t(row) << all_bits) + uint64_t(i)) * 8UL).data = v[7];
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
shared float tile[points];
vec2 v[8];
vec2 value_at(uint row, uint i) {
  const uint n = uint(args.n);
  return vec2(Real(base + uint64_t(int64_t(i) * args.stride) * 4UL).data, 0.0);
}
vec2 read(uint row, uint i) {
  const uint n = uint(args.n), size = uint(args.size);
  const uint64_t at = base + uint64_t(int64_t(2u * i) * args.stride) * 4UL;
  return vec2(Real(at).data, Real(at + uint64_t(args.stride) * 4UL).data);
}
void store(uint row, uint i, vec2 v, vec2 other) {
  const uint n = uint(args.n);
  if (i >= uint(args.stored)) return;
  const uint64_t to = uint64_t(row) * uint64_t(args.stored) + uint64_t(i);
  const float scale = inverse_root(float(uint(args.n)));
  const vec2 u = v;
  const vec2 even = 0.5 * (u + conjugate(other)), odd = 0.5 * (u - conjugate(other));
  v = (even + times(vec2(odd.y, -odd.x), root(i, findMSB(n)))) * scale;
  Complex(args.result + to * 8UL).data = v;
  if (i == 0u) Complex(args.result + (to + uint64_t(args.size)) * 8UL).data = vec2((u.x - u.y) * scale, 0.0);
}
// Numbers that are a power of two apart lie in different banks. Places without bits in common may be turned one by one.
uint bank(uint i) { return i ^ ((i >> 5u ^ i >> 8u) & 7u) ^ (i >> 3u & 24u); }
// A number that a step of 2^step numbers takes: it lies in a column, `j` in front of the first of the step's numbers.
struct Place {
  uint column, j;
};
Place place_of(int block, int bits, int step, bool along) {
  const uint at = uint(block * threads) + gl_LocalInvocationID.x, rest = uint(bits - step);
  if (along) return Place(at >> rest, at & ((1u << rest) - 1u));
  return Place(at & ((1u << (11 - bits)) - 1u), at >> (11 - bits));
}
// Moves numbers from where a step of 8 leaves them to where one of 2^3 takes them, so that 2^done lie in order; first
// the real parts, as shared memory is scarce.
void exchange3(int done, int bits, bool from_along, bool along) {
  const Place from = place_of(0, bits, 3, from_along);
  const uint low = uint(done - 3), within = from.j & ((1u << low) - 1u);
  const uint to = bank((from.column << bits) + ((from.j >> low) << done) + within);
  uint get[8];
  {
    const Place p = place_of(0 >> 3, bits, 3, along);
    get[0] = bank((p.column << bits) + p.j) ^ bank((0u & (1u << 3) - 1u) << uint(bits - 3));
  }
  {
    const Place p = place_of(1 >> 3, bits, 3, along);
    get[1] = bank((p.column << bits) + p.j) ^ bank((1u & (1u << 3) - 1u) << uint(bits - 3));
  }
  {
    const Place p = place_of(2 >> 3, bits, 3, along);
    get[2] = bank((p.column << bits) + p.j) ^ bank((2u & (1u << 3) - 1u) << uint(bits - 3));
  }
  {
    const Place p = place_of(3 >> 3, bits, 3, along);
    get[3] = bank((p.column << bits) + p.j) ^ bank((3u & (1u << 3) - 1u) << uint(bits - 3));
  }
  {
    const Place p = place_of(4 >> 3, bits, 3, along);
    get[4] = bank((p.column << bits) + p.j) ^ bank((4u & (1u << 3) - 1u) << uint(bits - 3));
  }
  {
    const Place p = place_of(5 >> 3, bits, 3, along);
    get[5] = bank((p.column << bits) + p.j) ^ bank((5u & (1u << 3) - 1u) << uint(bits - 3));
  }
  {
    const Place p = place_of(6 >> 3, bits, 3, along);
    get[6] = bank((p.column << bits) + p.j) ^ bank((6u & (1u << 3) - 1u) << uint(bits - 3));
  }
  {
    const Place p = place_of(7 >> 3, bits, 3, along);
    get[7] = bank((p.column << bits) + p.j) ^ bank((7u & (1u << 3) - 1u) << uint(bits - 3));
  }
  if (done > 3) barrier();
  tile[to ^ bank(0u << low)] = v[0].x;
  tile[to ^ bank(1u << low)] = v[1].x;
  tile[to ^ bank(2u << low)] = v[2].x;
  tile[to ^ bank(3u << low)] = v[3].x;
  tile[to ^ bank(4u << low)] = v[4].x;
  tile[to ^ bank(5u << low)] = v[5].x;
  tile[to ^ bank(6u << low)] = v[6].x;
  tile[to ^ bank(7u << low)] = v[7].x;
  barrier();
  v[0].x = tile[get[0]];
  v[1].x = tile[get[1]];
  v[2].x = tile[get[2]];
  v[3].x = tile[get[3]];
  v[4].x = tile[get[4]];
  v[5].x = tile[get[5]];
  v[6].x = tile[get[6]];
  v[7].x = tile[get[7]];
  barrier();
  tile[to ^ bank(0u << low)] = v[0].y;
  tile[to ^ bank(1u << low)] = v[1].y;
  tile[to ^ bank(2u << low)] = v[2].y;
  tile[to ^ bank(3u << low)] = v[3].y;
  tile[to ^ bank(4u << low)] = v[4].y;
  tile[to ^ bank(5u << low)] = v[5].y;
  tile[to ^ bank(6u << low)] = v[6].y;
  tile[to ^ bank(7u << low)] = v[7].y;
  barrier();
  v[0].y = tile[get[0]];
  v[1].y = tile[get[1]];
  v[2].y = tile[get[2]];
  v[3].y = tile[get[3]];
  v[4].y = tile[get[4]];
  v[5].y = tile[get[5]];
  v[6].y = tile[get[6]];
  v[7].y = tile[get[7]];
}
// Of the numbers that the step takes, by the place of each in its block of 2^done.
void turn_by_roots3(int done, int bits, bool along) {
  {
    const uint within = place_of(0, bits, 3, along).j & ((1u << done) - 1u);
    const vec2 w1 = root(within * 1u, done + 3);
    v[0 * 8 + 1] = times(v[0 * 8 + 1], w1);
    const vec2 w2 = root(within * 2u, done + 3);
    v[0 * 8 + 2] = times(v[0 * 8 + 2], w2);
    const vec2 w3 = times(w2, w1);
    v[0 * 8 + 3] = times(v[0 * 8 + 3], w3);
    const vec2 w4 = root(within * 4u, done + 3);
    v[0 * 8 + 4] = times(v[0 * 8 + 4], w4);
    const vec2 w5 = times(w4, w1);
    v[0 * 8 + 5] = times(v[0 * 8 + 5], w5);
    const vec2 w6 = times(w4, w2);
    v[0 * 8 + 6] = times(v[0 * 8 + 6], w6);
    const vec2 w7 = times(w6, w1);
    v[0 * 8 + 7] = times(v[0 * 8 + 7], w7);
  }
}
// Moves numbers from where a step of 8 leaves them to where one of 2^2 takes them, so that 2^done lie in order; first
// the real parts, as shared memory is scarce.
void exchange2(int done, int bits, bool from_along, bool along) {
  const Place from = place_of(0, bits, 3, from_along);
  const uint low = uint(done - 3), within = from.j & ((1u << low) - 1u);
  const uint to = bank((from.column << bits) + ((from.j >> low) << done) + within);
  uint get[8];
  {
    const Place p = place_of(0 >> 2, bits, 2, along);
    get[0] = bank((p.column << bits) + p.j) ^ bank((0u & (1u << 2) - 1u) << uint(bits - 2));
  }
  {
    const Place p = place_of(1 >> 2, bits, 2, along);
    get[1] = bank((p.column << bits) + p.j) ^ bank((1u & (1u << 2) - 1u) << uint(bits - 2));
  }
  {
    const Place p = place_of(2 >> 2, bits, 2, along);
    get[2] = bank((p.column << bits) + p.j) ^ bank((2u & (1u << 2) - 1u) << uint(bits - 2));
  }
  {
    const Place p = place_of(3 >> 2, bits, 2, along);
    get[3] = bank((p.column << bits) + p.j) ^ bank((3u & (1u << 2) - 1u) << uint(bits - 2));
  }
  {
    const Place p = place_of(4 >> 2, bits, 2, along);
    get[4] = bank((p.column << bits) + p.j) ^ bank((4u & (1u << 2) - 1u) << uint(bits - 2));
  }
  {
    const Place p = place_of(5 >> 2, bits, 2, along);
    get[5] = bank((p.column << bits) + p.j) ^ bank((5u & (1u << 2) - 1u) << uint(bits - 2));
  }
  {
    const Place p = place_of(6 >> 2, bits, 2, along);
    get[6] = bank((p.column << bits) + p.j) ^ bank((6u & (1u << 2) - 1u) << uint(bits - 2));
  }
  {
    const Place p = place_of(7 >> 2, bits, 2, along);
    get[7] = bank((p.column << bits) + p.j) ^ bank((7u & (1u << 2) - 1u) << uint(bits - 2));
  }
  if (done > 3) barrier();
  tile[to ^ bank(0u << low)] = v[0].x;
  tile[to ^ bank(1u << low)] = v[1].x;
  tile[to ^ bank(2u << low)] = v[2].x;
  tile[to ^ bank(3u << low)] = v[3].x;
  tile[to ^ bank(4u << low)] = v[4].x;
  tile[to ^ bank(5u << low)] = v[5].x;
  tile[to ^ bank(6u << low)] = v[6].x;
  tile[to ^ bank(7u << low)] = v[7].x;
  barrier();
  v[0].x = tile[get[0]];
  v[1].x = tile[get[1]];
  v[2].x = tile[get[2]];
  v[3].x = tile[get[3]];
  v[4].x = tile[get[4]];
  v[5].x = tile[get[5]];
  v[6].x = tile[get[6]];
  v[7].x = tile[get[7]];
  barrier();
  tile[to ^ bank(0u << low)] = v[0].y;
  tile[to ^ bank(1u << low)] = v[1].y;
  tile[to ^ bank(2u << low)] = v[2].y;
  tile[to ^ bank(3u << low)] = v[3].y;
  tile[to ^ bank(4u << low)] = v[4].y;
  tile[to ^ bank(5u << low)] = v[5].y;
  tile[to ^ bank(6u << low)] = v[6].y;
  tile[to ^ bank(7u << low)] = v[7].y;
  barrier();
  v[0].y = tile[get[0]];
  v[1].y = tile[get[1]];
  v[2].y = tile[get[2]];
  v[3].y = tile[get[3]];
  v[4].y = tile[get[4]];
  v[5].y = tile[get[5]];
  v[6].y = tile[get[6]];
  v[7].y = tile[get[7]];
}
// Of the numbers that the step takes, by the place of each in its block of 2^done.
void turn_by_roots2(int done, int bits, bool along) {
  {
    const uint within = place_of(0, bits, 2, along).j & ((1u << done) - 1u);
    const vec2 w1 = root(within * 1u, done + 2);
    v[0 * 4 + 1] = times(v[0 * 4 + 1], w1);
    const vec2 w2 = root(within * 2u, done + 2);
    v[0 * 4 + 2] = times(v[0 * 4 + 2], w2);
    const vec2 w3 = times(w2, w1);
    v[0 * 4 + 3] = times(v[0 * 4 + 3], w3);
  }
  {
    const uint within = place_of(1, bits, 2, along).j & ((1u << done) - 1u);
    const vec2 w1 = root(within * 1u, done + 2);
    v[1 * 4 + 1] = times(v[1 * 4 + 1], w1);
    const vec2 w2 = root(within * 2u, done + 2);
    v[1 * 4 + 2] = times(v[1 * 4 + 2], w2);
    const vec2 w3 = times(w2, w1);
    v[1 * 4 + 3] = times(v[1 * 4 + 3], w3);
  }
}
// Moves numbers from where a step of 8 leaves them to where one of 2^1 takes them, so that 2^done lie in order; first
// the real parts, as shared memory is scarce.
void exchange1(int done, int bits, bool from_along, bool along) {
  const Place from = place_of(0, bits, 3, from_along);
  const uint low = uint(done - 3), within = from.j & ((1u << low) - 1u);
  const uint to = bank((from.column << bits) + ((from.j >> low) << done) + within);
  uint get[8];
  {
    const Place p = place_of(0 >> 1, bits, 1, along);
    get[0] = bank((p.column << bits) + p.j) ^ bank((0u & (1u << 1) - 1u) << uint(bits - 1));
  }
  {
    const Place p = place_of(1 >> 1, bits, 1, along);
    get[1] = bank((p.column << bits) + p.j) ^ bank((1u & (1u << 1) - 1u) << uint(bits - 1));
  }
  {
    const Place p = place_of(2 >> 1, bits, 1, along);
    get[2] = bank((p.column << bits) + p.j) ^ bank((2u & (1u << 1) - 1u) << uint(bits - 1));
  }
  {
    const Place p = place_of(3 >> 1, bits, 1, along);
    get[3] = bank((p.column << bits) + p.j) ^ bank((3u & (1u << 1) - 1u) << uint(bits - 1));
  }
  {
    const Place p = place_of(4 >> 1, bits, 1, along);
    get[4] = bank((p.column << bits) + p.j) ^ bank((4u & (1u << 1) - 1u) << uint(bits - 1));
  }
  {
    const Place p = place_of(5 >> 1, bits, 1, along);
    get[5] = bank((p.column << bits) + p.j) ^ bank((5u & (1u << 1) - 1u) << uint(bits - 1));
  }
  {
    const Place p = place_of(6 >> 1, bits, 1, along);
    get[6] = bank((p.column << bits) + p.j) ^ bank((6u & (1u << 1) - 1u) << uint(bits - 1));
  }
  {
    const Place p = place_of(7 >> 1, bits, 1, along);
    get[7] = bank((p.column << bits) + p.j) ^ bank((7u & (1u << 1) - 1u) << uint(bits - 1));
  }
  if (done > 3) barrier();
  tile[to ^ bank(0u << low)] = v[0].x;
  tile[to ^ bank(1u << low)] = v[1].x;
  tile[to ^ bank(2u << low)] = v[2].x;
  tile[to ^ bank(3u << low)] = v[3].x;
  tile[to ^ bank(4u << low)] = v[4].x;
  tile[to ^ bank(5u << low)] = v[5].x;
  tile[to ^ bank(6u << low)] = v[6].x;
  tile[to ^ bank(7u << low)] = v[7].x;
  barrier();
  v[0].x = tile[get[0]];
  v[1].x = tile[get[1]];
  v[2].x = tile[get[2]];
  v[3].x = tile[get[3]];
  v[4].x = tile[get[4]];
  v[5].x = tile[get[5]];
  v[6].x = tile[get[6]];
  v[7].x = tile[get[7]];
  barrier();
  tile[to ^ bank(0u << low)] = v[0].y;
  tile[to ^ bank(1u << low)] = v[1].y;
  tile[to ^ bank(2u << low)] = v[2].y;
  tile[to ^ bank(3u << low)] = v[3].y;
  tile[to ^ bank(4u << low)] = v[4].y;
  tile[to ^ bank(5u << low)] = v[5].y;
  tile[to ^ bank(6u << low)] = v[6].y;
  tile[to ^ bank(7u << low)] = v[7].y;
  barrier();
  v[0].y = tile[get[0]];
  v[1].y = tile[get[1]];
  v[2].y = tile[get[2]];
  v[3].y = tile[get[3]];
  v[4].y = tile[get[4]];
  v[5].y = tile[get[5]];
  v[6].y = tile[get[6]];
  v[7].y = tile[get[7]];
}
// Of the numbers that the step takes, by the place of each in its block of 2^done.
void turn_by_roots1(int done, int bits, bool along) {
  {
    const uint within = place_of(0, bits, 1, along).j & ((1u << done) - 1u);
    const vec2 w1 = root(within * 1u, done + 1);
    v[0 * 2 + 1] = times(v[0 * 2 + 1], w1);
  }
  {
    const uint within = place_of(1, bits, 1, along).j & ((1u << done) - 1u);
    const vec2 w1 = root(within * 1u, done + 1);
    v[1 * 2 + 1] = times(v[1 * 2 + 1], w1);
  }
  {
    const uint within = place_of(2, bits, 1, along).j & ((1u << done) - 1u);
    const vec2 w1 = root(within * 1u, done + 1);
    v[2 * 2 + 1] = times(v[2 * 2 + 1], w1);
  }
  {
    const uint within = place_of(3, bits, 1, along).j & ((1u << done) - 1u);
    const vec2 w1 = root(within * 1u, done + 1);
    v[3 * 2 + 1] = times(v[3 * 2 + 1], w1);
  }
}
void main() {
  const int all_bits = 5, passes = passes_of(all_bits), turn = passes == 1 ? 0 : int(args.turn);
  // The passes take about as many bits each: those of this one, and those that passes before it took.
  const int before = all_bits * turn / passes, bits = all_bits * (turn + 1) / passes - before;
  const uint radix = 1u << bits, columns = uint(points) >> bits, across_bits = uint(all_bits - bits);
  const uint64_t group = uint64_t(gl_WorkGroupID.y) * uint64_t(gl_NumWorkGroups.x) + uint64_t(gl_WorkGroupID.x);
  const uint64_t first = group * uint64_t(columns), end = uint64_t(args.rows) << across_bits;
  if (first >= end) return;
  const uint within_mask = (1u << before) - 1u, source = uint(turn + 0 + 1), target = uint(turn + 0);
  // Neighbours read and write numbers that lie side by side: along a column where a column is a row, else across. The
  // first pass leaves columns as rows.
  bool along = passes == 1 && args.stride == 1L;
  const Place p = place_of(0, bits, 3, along);
  const uint64_t column = first + uint64_t(p.column);
  const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
  if (column < end && turn == 0) {
    base = first_of(row, 4u);
    v[0] = read(row, j + (p.j + (0u << uint(bits - 3)) << across_bits));
    v[1] = read(row, j + (p.j + (1u << uint(bits - 3)) << across_bits));
    v[2] = read(row, j + (p.j + (2u << uint(bits - 3)) << across_bits));
    v[3] = read(row, j + (p.j + (3u << uint(bits - 3)) << across_bits));
    v[4] = read(row, j + (p.j + (4u << uint(bits - 3)) << across_bits));
    v[5] = read(row, j + (p.j + (5u << uint(bits - 3)) << across_bits));
    v[6] = read(row, j + (p.j + (6u << uint(bits - 3)) << across_bits));
    v[7] = read(row, j + (p.j + (7u << uint(bits - 3)) << across_bits));
  } else if (column < end) {
    {
      const uint r = p.j + (0u << uint(bits - 3));
      const vec2 u = work_at(source, (uint64_t(row) << all_bits) + uint64_t(j + (r << across_bits)));
      v[0] = times(u, root((j & within_mask) * r, before + bits));
    }
    {
      const uint r = p.j + (1u << uint(bits - 3));
      const vec2 u = work_at(source, (uint64_t(row) << all_bits) + uint64_t(j + (r << across_bits)));
      v[1] = times(u, root((j & within_mask) * r, before + bits));
    }
    {
      const uint r = p.j + (2u << uint(bits - 3));
      const vec2 u = work_at(source, (uint64_t(row) << all_bits) + uint64_t(j + (r << across_bits)));
      v[2] = times(u, root((j & within_mask) * r, before + bits));
    }
    {
      const uint r = p.j + (3u << uint(bits - 3));
      const vec2 u = work_at(source, (uint64_t(row) << all_bits) + uint64_t(j + (r << across_bits)));
      v[3] = times(u, root((j & within_mask) * r, before + bits));
    }
    {
      const uint r = p.j + (4u << uint(bits - 3));
      const vec2 u = work_at(source, (uint64_t(row) << all_bits) + uint64_t(j + (r << across_bits)));
      v[4] = times(u, root((j & within_mask) * r, before + bits));
    }
    {
      const uint r = p.j + (5u << uint(bits - 3));
      const vec2 u = work_at(source, (uint64_t(row) << all_bits) + uint64_t(j + (r << across_bits)));
      v[5] = times(u, root((j & within_mask) * r, before + bits));
    }
    {
      const uint r = p.j + (6u << uint(bits - 3));
      const vec2 u = work_at(source, (uint64_t(row) << all_bits) + uint64_t(j + (r << across_bits)));
      v[6] = times(u, root((j & within_mask) * r, before + bits));
    }
    {
      const uint r = p.j + (7u << uint(bits - 3));
      const vec2 u = work_at(source, (uint64_t(row) << all_bits) + uint64_t(j + (r << across_bits)));
      v[7] = times(u, root((j & within_mask) * r, before + bits));
    }
  } else {
    v[0] = vec2(0.0);
    v[1] = vec2(0.0);
    v[2] = vec2(0.0);
    v[3] = vec2(0.0);
    v[4] = vec2(0.0);
    v[5] = vec2(0.0);
    v[6] = vec2(0.0);
    v[7] = vec2(0.0);
  }
  fft8(v);
  int done = 3, last = 3;
  for (; bits - done >= 3; done += 3) {
    exchange3(done, bits, along, turn == 0);
    along = turn == 0;
    turn_by_roots3(done, bits, along);
    fft8(v);
  }
  if (bits - done == 2) {
    exchange2(done, bits, along, turn == 0);
    along = turn == 0;
    turn_by_roots2(done, bits, along);
    fft4(v[0], v[1], v[2], v[3]);
    fft4(v[4], v[5], v[6], v[7]);
    last = 2;
  } else if (bits - done == 1) {
    exchange1(done, bits, along, turn == 0);
    along = turn == 0;
    turn_by_roots1(done, bits, along);
    fft2(v[0], v[1]);
    fft2(v[2], v[3]);
    fft2(v[4], v[5]);
    fft2(v[6], v[7]);
    last = 1;
  }
  vec2 others[8];
  uint own[8], mirror[8];
  {
    const Place q = place_of(0 >> last, bits, last, along);
    const uint r = q.j + (uint(0 & (1 << last) - 1) << uint(bits - last));
    own[0] = bank((q.column << bits) + r);
    mirror[0] = bank((q.column << bits) + (radix - r & radix - 1u));
  }
  {
    const Place q = place_of(1 >> last, bits, last, along);
    const uint r = q.j + (uint(1 & (1 << last) - 1) << uint(bits - last));
    own[1] = bank((q.column << bits) + r);
    mirror[1] = bank((q.column << bits) + (radix - r & radix - 1u));
  }
  {
    const Place q = place_of(2 >> last, bits, last, along);
    const uint r = q.j + (uint(2 & (1 << last) - 1) << uint(bits - last));
    own[2] = bank((q.column << bits) + r);
    mirror[2] = bank((q.column << bits) + (radix - r & radix - 1u));
  }
  {
    const Place q = place_of(3 >> last, bits, last, along);
    const uint r = q.j + (uint(3 & (1 << last) - 1) << uint(bits - last));
    own[3] = bank((q.column << bits) + r);
    mirror[3] = bank((q.column << bits) + (radix - r & radix - 1u));
  }
  {
    const Place q = place_of(4 >> last, bits, last, along);
    const uint r = q.j + (uint(4 & (1 << last) - 1) << uint(bits - last));
    own[4] = bank((q.column << bits) + r);
    mirror[4] = bank((q.column << bits) + (radix - r & radix - 1u));
  }
  {
    const Place q = place_of(5 >> last, bits, last, along);
    const uint r = q.j + (uint(5 & (1 << last) - 1) << uint(bits - last));
    own[5] = bank((q.column << bits) + r);
    mirror[5] = bank((q.column << bits) + (radix - r & radix - 1u));
  }
  {
    const Place q = place_of(6 >> last, bits, last, along);
    const uint r = q.j + (uint(6 & (1 << last) - 1) << uint(bits - last));
    own[6] = bank((q.column << bits) + r);
    mirror[6] = bank((q.column << bits) + (radix - r & radix - 1u));
  }
  {
    const Place q = place_of(7 >> last, bits, last, along);
    const uint r = q.j + (uint(7 & (1 << last) - 1) << uint(bits - last));
    own[7] = bank((q.column << bits) + r);
    mirror[7] = bank((q.column << bits) + (radix - r & radix - 1u));
  }
  barrier();
  tile[own[0]] = v[0].x;
  tile[own[1]] = v[1].x;
  tile[own[2]] = v[2].x;
  tile[own[3]] = v[3].x;
  tile[own[4]] = v[4].x;
  tile[own[5]] = v[5].x;
  tile[own[6]] = v[6].x;
  tile[own[7]] = v[7].x;
  barrier();
  others[0].x = tile[mirror[0]];
  others[1].x = tile[mirror[1]];
  others[2].x = tile[mirror[2]];
  others[3].x = tile[mirror[3]];
  others[4].x = tile[mirror[4]];
  others[5].x = tile[mirror[5]];
  others[6].x = tile[mirror[6]];
  others[7].x = tile[mirror[7]];
  barrier();
  tile[own[0]] = v[0].y;
  tile[own[1]] = v[1].y;
  tile[own[2]] = v[2].y;
  tile[own[3]] = v[3].y;
  tile[own[4]] = v[4].y;
  tile[own[5]] = v[5].y;
  tile[own[6]] = v[6].y;
  tile[own[7]] = v[7].y;
  barrier();
  others[0].y = tile[mirror[0]];
  others[1].y = tile[mirror[1]];
  others[2].y = tile[mirror[2]];
  others[3].y = tile[mirror[3]];
  others[4].y = tile[mirror[4]];
  others[5].y = tile[mirror[5]];
  others[6].y = tile[mirror[6]];
  others[7].y = tile[mirror[7]];
  {
    const Place q = place_of(0 >> last, bits, last, along);
    const uint64_t column = first + uint64_t(q.column);
    if (column < end) {
      const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
      const uint r = q.j + (uint(0 & (1 << last) - 1) << uint(bits - last));
      const uint i = ((j >> before) << (before + bits)) + (j & within_mask) + (r << before);
      if (true && turn + 1 == passes) store(row, i, v[0], others[0]);
      else Complex(args.work[target & 1u] + ((uint64_t(row) << all_bits) + uint64_t(i)) * 8UL).data = v[0];
    }
  }
  {
    const Place q = place_of(1 >> last, bits, last, along);
    const uint64_t column = first + uint64_t(q.column);
    if (column < end) {
      const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
      const uint r = q.j + (uint(1 & (1 << last) - 1) << uint(bits - last));
      const uint i = ((j >> before) << (before + bits)) + (j & within_mask) + (r << before);
      if (true && turn + 1 == passes) store(row, i, v[1], others[1]);
      else Complex(args.work[target & 1u] + ((uint64_t(row) << all_bits) + uint64_t(i)) * 8UL).data = v[1];
    }
  }
  {
    const Place q = place_of(2 >> last, bits, last, along);
    const uint64_t column = first + uint64_t(q.column);
    if (column < end) {
      const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
      const uint r = q.j + (uint(2 & (1 << last) - 1) << uint(bits - last));
      const uint i = ((j >> before) << (before + bits)) + (j & within_mask) + (r << before);
      if (true && turn + 1 == passes) store(row, i, v[2], others[2]);
      else Complex(args.work[target & 1u] + ((uint64_t(row) << all_bits) + uint64_t(i)) * 8UL).data = v[2];
    }
  }
  {
    const Place q = place_of(3 >> last, bits, last, along);
    const uint64_t column = first + uint64_t(q.column);
    if (column < end) {
      const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
      const uint r = q.j + (uint(3 & (1 << last) - 1) << uint(bits - last));
      const uint i = ((j >> before) << (before + bits)) + (j & within_mask) + (r << before);
      if (true && turn + 1 == passes) store(row, i, v[3], others[3]);
      else Complex(args.work[target & 1u] + ((uint64_t(row) << all_bits) + uint64_t(i)) * 8UL).data = v[3];
    }
  }
  {
    const Place q = place_of(4 >> last, bits, last, along);
    const uint64_t column = first + uint64_t(q.column);
    if (column < end) {
      const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
      const uint r = q.j + (uint(4 & (1 << last) - 1) << uint(bits - last));
      const uint i = ((j >> before) << (before + bits)) + (j & within_mask) + (r << before);
      if (true && turn + 1 == passes) store(row, i, v[4], others[4]);
      else Complex(args.work[target & 1u] + ((uint64_t(row) << all_bits) + uint64_t(i)) * 8UL).data = v[4];
    }
  }
  {
    const Place q = place_of(5 >> last, bits, last, along);
    const uint64_t column = first + uint64_t(q.column);
    if (column < end) {
      const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
      const uint r = q.j + (uint(5 & (1 << last) - 1) << uint(bits - last));
      const uint i = ((j >> before) << (before + bits)) + (j & within_mask) + (r << before);
      if (true && turn + 1 == passes) store(row, i, v[5], others[5]);
      else Complex(args.work[target & 1u] + ((uint64_t(row) << all_bits) + uint64_t(i)) * 8UL).data = v[5];
    }
  }
  {
    const Place q = place_of(6 >> last, bits, last, along);
    const uint64_t column = first + uint64_t(q.column);
    if (column < end) {
      const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
      const uint r = q.j + (uint(6 & (1 << last) - 1) << uint(bits - last));
      const uint i = ((j >> before) << (before + bits)) + (j & within_mask) + (r << before);
      if (true && turn + 1 == passes) store(row, i, v[6], others[6]);
      else Complex(args.work[target & 1u] + ((uint64_t(row) << all_bits) + uint64_t(i)) * 8UL).data = v[6];
    }
  }
  {
    const Place q = place_of(7 >> last, bits, last, along);
    const uint64_t column = first + uint64_t(q.column);
    if (column < end) {
      const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
      const uint r = q.j + (uint(7 & (1 << last) - 1) << uint(bits - last));
      const uint i = ((j >> before) << (before + bits)) + (j & within_mask) + (r << before);
      if (true && turn + 1 == passes) store(row, i, v[7], others[7]);
      else Complex(args.work[target & 1u] + ((uint64_t(row) << all_bits) + uint64_t(i)) * 8UL).data = v[7];
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
shared float tile[points];
vec2 v[8];
vec2 value_at(uint row, uint i) {
  const uint n = uint(args.n);
  vec2 v = complex_at(min(i, n - i));
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
  const float scale = ratio(1.0, float(uint(args.n)));
  const vec2 u = v;
  v = conjugate(u) * scale;
  Real(args.result + to * 4UL).data = v.x;
}
// Numbers that are a power of two apart lie in different banks. Places without bits in common may be turned one by one.
uint bank(uint i) { return i ^ ((i >> 5u ^ i >> 8u) & 7u) ^ (i >> 3u & 24u); }
// A number that a step of 2^step numbers takes: it lies in a column, `j` in front of the first of the step's numbers.
struct Place {
  uint column, j;
};
Place place_of(int block, int bits, int step, bool along) {
  const uint at = uint(block * threads) + gl_LocalInvocationID.x, rest = uint(bits - step);
  if (along) return Place(at >> rest, at & ((1u << rest) - 1u));
  return Place(at & ((1u << (11 - bits)) - 1u), at >> (11 - bits));
}
// Moves numbers from where a step of 8 leaves them to where one of 2^3 takes them, so that 2^done lie in order; first
// the real parts, as shared memory is scarce.
void exchange3(int done, int bits, bool from_along, bool along) {
  const Place from = place_of(0, bits, 3, from_along);
  const uint low = uint(done - 3), within = from.j & ((1u << low) - 1u);
  const uint to = bank((from.column << bits) + ((from.j >> low) << done) + within);
  uint get[8];
  {
    const Place p = place_of(0 >> 3, bits, 3, along);
    get[0] = bank((p.column << bits) + p.j) ^ bank((0u & (1u << 3) - 1u) << uint(bits - 3));
  }
  {
    const Place p = place_of(1 >> 3, bits, 3, along);
    get[1] = bank((p.column << bits) + p.j) ^ bank((1u & (1u << 3) - 1u) << uint(bits - 3));
  }
  {
    const Place p = place_of(2 >> 3, bits, 3, along);
    get[2] = bank((p.column << bits) + p.j) ^ bank((2u & (1u << 3) - 1u) << uint(bits - 3));
  }
  {
    const Place p = place_of(3 >> 3, bits, 3, along);
    get[3] = bank((p.column << bits) + p.j) ^ bank((3u & (1u << 3) - 1u) << uint(bits - 3));
  }
  {
    const Place p = place_of(4 >> 3, bits, 3, along);
    get[4] = bank((p.column << bits) + p.j) ^ bank((4u & (1u << 3) - 1u) << uint(bits - 3));
  }
  {
    const Place p = place_of(5 >> 3, bits, 3, along);
    get[5] = bank((p.column << bits) + p.j) ^ bank((5u & (1u << 3) - 1u) << uint(bits - 3));
  }
  {
    const Place p = place_of(6 >> 3, bits, 3, along);
    get[6] = bank((p.column << bits) + p.j) ^ bank((6u & (1u << 3) - 1u) << uint(bits - 3));
  }
  {
    const Place p = place_of(7 >> 3, bits, 3, along);
    get[7] = bank((p.column << bits) + p.j) ^ bank((7u & (1u << 3) - 1u) << uint(bits - 3));
  }
  if (done > 3) barrier();
  tile[to ^ bank(0u << low)] = v[0].x;
  tile[to ^ bank(1u << low)] = v[1].x;
  tile[to ^ bank(2u << low)] = v[2].x;
  tile[to ^ bank(3u << low)] = v[3].x;
  tile[to ^ bank(4u << low)] = v[4].x;
  tile[to ^ bank(5u << low)] = v[5].x;
  tile[to ^ bank(6u << low)] = v[6].x;
  tile[to ^ bank(7u << low)] = v[7].x;
  barrier();
  v[0].x = tile[get[0]];
  v[1].x = tile[get[1]];
  v[2].x = tile[get[2]];
  v[3].x = tile[get[3]];
  v[4].x = tile[get[4]];
  v[5].x = tile[get[5]];
  v[6].x = tile[get[6]];
  v[7].x = tile[get[7]];
  barrier();
  tile[to ^ bank(0u << low)] = v[0].y;
  tile[to ^ bank(1u << low)] = v[1].y;
  tile[to ^ bank(2u << low)] = v[2].y;
  tile[to ^ bank(3u << low)] = v[3].y;
  tile[to ^ bank(4u << low)] = v[4].y;
  tile[to ^ bank(5u << low)] = v[5].y;
  tile[to ^ bank(6u << low)] = v[6].y;
  tile[to ^ bank(7u << low)] = v[7].y;
  barrier();
  v[0].y = tile[get[0]];
  v[1].y = tile[get[1]];
  v[2].y = tile[get[2]];
  v[3].y = tile[get[3]];
  v[4].y = tile[get[4]];
  v[5].y = tile[get[5]];
  v[6].y = tile[get[6]];
  v[7].y = tile[get[7]];
}
// Of the numbers that the step takes, by the place of each in its block of 2^done.
void turn_by_roots3(int done, int bits, bool along) {
  {
    const uint within = place_of(0, bits, 3, along).j & ((1u << done) - 1u);
    const vec2 w1 = root(within * 1u, done + 3);
    v[0 * 8 + 1] = times(v[0 * 8 + 1], w1);
    const vec2 w2 = root(within * 2u, done + 3);
    v[0 * 8 + 2] = times(v[0 * 8 + 2], w2);
    const vec2 w3 = times(w2, w1);
    v[0 * 8 + 3] = times(v[0 * 8 + 3], w3);
    const vec2 w4 = root(within * 4u, done + 3);
    v[0 * 8 + 4] = times(v[0 * 8 + 4], w4);
    const vec2 w5 = times(w4, w1);
    v[0 * 8 + 5] = times(v[0 * 8 + 5], w5);
    const vec2 w6 = times(w4, w2);
    v[0 * 8 + 6] = times(v[0 * 8 + 6], w6);
    const vec2 w7 = times(w6, w1);
    v[0 * 8 + 7] = times(v[0 * 8 + 7], w7);
  }
}
// Moves numbers from where a step of 8 leaves them to where one of 2^2 takes them, so that 2^done lie in order; first
// the real parts, as shared memory is scarce.
void exchange2(int done, int bits, bool from_along, bool along) {
  const Place from = place_of(0, bits, 3, from_along);
  const uint low = uint(done - 3), within = from.j & ((1u << low) - 1u);
  const uint to = bank((from.column << bits) + ((from.j >> low) << done) + within);
  uint get[8];
  {
    const Place p = place_of(0 >> 2, bits, 2, along);
    get[0] = bank((p.column << bits) + p.j) ^ bank((0u & (1u << 2) - 1u) << uint(bits - 2));
  }
  {
    const Place p = place_of(1 >> 2, bits, 2, along);
    get[1] = bank((p.column << bits) + p.j) ^ bank((1u & (1u << 2) - 1u) << uint(bits - 2));
  }
  {
    const Place p = place_of(2 >> 2, bits, 2, along);
    get[2] = bank((p.column << bits) + p.j) ^ bank((2u & (1u << 2) - 1u) << uint(bits - 2));
  }
  {
    const Place p = place_of(3 >> 2, bits, 2, along);
    get[3] = bank((p.column << bits) + p.j) ^ bank((3u & (1u << 2) - 1u) << uint(bits - 2));
  }
  {
    const Place p = place_of(4 >> 2, bits, 2, along);
    get[4] = bank((p.column << bits) + p.j) ^ bank((4u & (1u << 2) - 1u) << uint(bits - 2));
  }
  {
    const Place p = place_of(5 >> 2, bits, 2, along);
    get[5] = bank((p.column << bits) + p.j) ^ bank((5u & (1u << 2) - 1u) << uint(bits - 2));
  }
  {
    const Place p = place_of(6 >> 2, bits, 2, along);
    get[6] = bank((p.column << bits) + p.j) ^ bank((6u & (1u << 2) - 1u) << uint(bits - 2));
  }
  {
    const Place p = place_of(7 >> 2, bits, 2, along);
    get[7] = bank((p.column << bits) + p.j) ^ bank((7u & (1u << 2) - 1u) << uint(bits - 2));
  }
  if (done > 3) barrier();
  tile[to ^ bank(0u << low)] = v[0].x;
  tile[to ^ bank(1u << low)] = v[1].x;
  tile[to ^ bank(2u << low)] = v[2].x;
  tile[to ^ bank(3u << low)] = v[3].x;
  tile[to ^ bank(4u << low)] = v[4].x;
  tile[to ^ bank(5u << low)] = v[5].x;
  tile[to ^ bank(6u << low)] = v[6].x;
  tile[to ^ bank(7u << low)] = v[7].x;
  barrier();
  v[0].x = tile[get[0]];
  v[1].x = tile[get[1]];
  v[2].x = tile[get[2]];
  v[3].x = tile[get[3]];
  v[4].x = tile[get[4]];
  v[5].x = tile[get[5]];
  v[6].x = tile[get[6]];
  v[7].x = tile[get[7]];
  barrier();
  tile[to ^ bank(0u << low)] = v[0].y;
  tile[to ^ bank(1u << low)] = v[1].y;
  tile[to ^ bank(2u << low)] = v[2].y;
  tile[to ^ bank(3u << low)] = v[3].y;
  tile[to ^ bank(4u << low)] = v[4].y;
  tile[to ^ bank(5u << low)] = v[5].y;
  tile[to ^ bank(6u << low)] = v[6].y;
  tile[to ^ bank(7u << low)] = v[7].y;
  barrier();
  v[0].y = tile[get[0]];
  v[1].y = tile[get[1]];
  v[2].y = tile[get[2]];
  v[3].y = tile[get[3]];
  v[4].y = tile[get[4]];
  v[5].y = tile[get[5]];
  v[6].y = tile[get[6]];
  v[7].y = tile[get[7]];
}
// Of the numbers that the step takes, by the place of each in its block of 2^done.
void turn_by_roots2(int done, int bits, bool along) {
  {
    const uint within = place_of(0, bits, 2, along).j & ((1u << done) - 1u);
    const vec2 w1 = root(within * 1u, done + 2);
    v[0 * 4 + 1] = times(v[0 * 4 + 1], w1);
    const vec2 w2 = root(within * 2u, done + 2);
    v[0 * 4 + 2] = times(v[0 * 4 + 2], w2);
    const vec2 w3 = times(w2, w1);
    v[0 * 4 + 3] = times(v[0 * 4 + 3], w3);
  }
  {
    const uint within = place_of(1, bits, 2, along).j & ((1u << done) - 1u);
    const vec2 w1 = root(within * 1u, done + 2);
    v[1 * 4 + 1] = times(v[1 * 4 + 1], w1);
    const vec2 w2 = root(within * 2u, done + 2);
    v[1 * 4 + 2] = times(v[1 * 4 + 2], w2);
    const vec2 w3 = times(w2, w1);
    v[1 * 4 + 3] = times(v[1 * 4 + 3], w3);
  }
}
// Moves numbers from where a step of 8 leaves them to where one of 2^1 takes them, so that 2^done lie in order; first
// the real parts, as shared memory is scarce.
void exchange1(int done, int bits, bool from_along, bool along) {
  const Place from = place_of(0, bits, 3, from_along);
  const uint low = uint(done - 3), within = from.j & ((1u << low) - 1u);
  const uint to = bank((from.column << bits) + ((from.j >> low) << done) + within);
  uint get[8];
  {
    const Place p = place_of(0 >> 1, bits, 1, along);
    get[0] = bank((p.column << bits) + p.j) ^ bank((0u & (1u << 1) - 1u) << uint(bits - 1));
  }
  {
    const Place p = place_of(1 >> 1, bits, 1, along);
    get[1] = bank((p.column << bits) + p.j) ^ bank((1u & (1u << 1) - 1u) << uint(bits - 1));
  }
  {
    const Place p = place_of(2 >> 1, bits, 1, along);
    get[2] = bank((p.column << bits) + p.j) ^ bank((2u & (1u << 1) - 1u) << uint(bits - 1));
  }
  {
    const Place p = place_of(3 >> 1, bits, 1, along);
    get[3] = bank((p.column << bits) + p.j) ^ bank((3u & (1u << 1) - 1u) << uint(bits - 1));
  }
  {
    const Place p = place_of(4 >> 1, bits, 1, along);
    get[4] = bank((p.column << bits) + p.j) ^ bank((4u & (1u << 1) - 1u) << uint(bits - 1));
  }
  {
    const Place p = place_of(5 >> 1, bits, 1, along);
    get[5] = bank((p.column << bits) + p.j) ^ bank((5u & (1u << 1) - 1u) << uint(bits - 1));
  }
  {
    const Place p = place_of(6 >> 1, bits, 1, along);
    get[6] = bank((p.column << bits) + p.j) ^ bank((6u & (1u << 1) - 1u) << uint(bits - 1));
  }
  {
    const Place p = place_of(7 >> 1, bits, 1, along);
    get[7] = bank((p.column << bits) + p.j) ^ bank((7u & (1u << 1) - 1u) << uint(bits - 1));
  }
  if (done > 3) barrier();
  tile[to ^ bank(0u << low)] = v[0].x;
  tile[to ^ bank(1u << low)] = v[1].x;
  tile[to ^ bank(2u << low)] = v[2].x;
  tile[to ^ bank(3u << low)] = v[3].x;
  tile[to ^ bank(4u << low)] = v[4].x;
  tile[to ^ bank(5u << low)] = v[5].x;
  tile[to ^ bank(6u << low)] = v[6].x;
  tile[to ^ bank(7u << low)] = v[7].x;
  barrier();
  v[0].x = tile[get[0]];
  v[1].x = tile[get[1]];
  v[2].x = tile[get[2]];
  v[3].x = tile[get[3]];
  v[4].x = tile[get[4]];
  v[5].x = tile[get[5]];
  v[6].x = tile[get[6]];
  v[7].x = tile[get[7]];
  barrier();
  tile[to ^ bank(0u << low)] = v[0].y;
  tile[to ^ bank(1u << low)] = v[1].y;
  tile[to ^ bank(2u << low)] = v[2].y;
  tile[to ^ bank(3u << low)] = v[3].y;
  tile[to ^ bank(4u << low)] = v[4].y;
  tile[to ^ bank(5u << low)] = v[5].y;
  tile[to ^ bank(6u << low)] = v[6].y;
  tile[to ^ bank(7u << low)] = v[7].y;
  barrier();
  v[0].y = tile[get[0]];
  v[1].y = tile[get[1]];
  v[2].y = tile[get[2]];
  v[3].y = tile[get[3]];
  v[4].y = tile[get[4]];
  v[5].y = tile[get[5]];
  v[6].y = tile[get[6]];
  v[7].y = tile[get[7]];
}
// Of the numbers that the step takes, by the place of each in its block of 2^done.
void turn_by_roots1(int done, int bits, bool along) {
  {
    const uint within = place_of(0, bits, 1, along).j & ((1u << done) - 1u);
    const vec2 w1 = root(within * 1u, done + 1);
    v[0 * 2 + 1] = times(v[0 * 2 + 1], w1);
  }
  {
    const uint within = place_of(1, bits, 1, along).j & ((1u << done) - 1u);
    const vec2 w1 = root(within * 1u, done + 1);
    v[1 * 2 + 1] = times(v[1 * 2 + 1], w1);
  }
  {
    const uint within = place_of(2, bits, 1, along).j & ((1u << done) - 1u);
    const vec2 w1 = root(within * 1u, done + 1);
    v[2 * 2 + 1] = times(v[2 * 2 + 1], w1);
  }
  {
    const uint within = place_of(3, bits, 1, along).j & ((1u << done) - 1u);
    const vec2 w1 = root(within * 1u, done + 1);
    v[3 * 2 + 1] = times(v[3 * 2 + 1], w1);
  }
}
void main() {
  const int all_bits = 5, passes = passes_of(all_bits), turn = passes == 1 ? 0 : int(args.turn);
  // The passes take about as many bits each: those of this one, and those that passes before it took.
  const int before = all_bits * turn / passes, bits = all_bits * (turn + 1) / passes - before;
  const uint radix = 1u << bits, columns = uint(points) >> bits, across_bits = uint(all_bits - bits);
  const uint64_t group = uint64_t(gl_WorkGroupID.y) * uint64_t(gl_NumWorkGroups.x) + uint64_t(gl_WorkGroupID.x);
  const uint64_t first = group * uint64_t(columns), end = uint64_t(args.rows) << across_bits;
  if (first >= end) return;
  const uint within_mask = (1u << before) - 1u, source = uint(turn + 0 + 1), target = uint(turn + 0);
  // Neighbours read and write numbers that lie side by side: along a column where a column is a row, else across. The
  // first pass leaves columns as rows.
  bool along = passes == 1 && args.stride == 1L;
  const Place p = place_of(0, bits, 3, along);
  const uint64_t column = first + uint64_t(p.column);
  const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
  if (column < end && turn == 0) {
    base = first_of(row, 8u);
    v[0] = read(row, j + (p.j + (0u << uint(bits - 3)) << across_bits));
    v[1] = read(row, j + (p.j + (1u << uint(bits - 3)) << across_bits));
    v[2] = read(row, j + (p.j + (2u << uint(bits - 3)) << across_bits));
    v[3] = read(row, j + (p.j + (3u << uint(bits - 3)) << across_bits));
    v[4] = read(row, j + (p.j + (4u << uint(bits - 3)) << across_bits));
    v[5] = read(row, j + (p.j + (5u << uint(bits - 3)) << across_bits));
    v[6] = read(row, j + (p.j + (6u << uint(bits - 3)) << across_bits));
    v[7] = read(row, j + (p.j + (7u << uint(bits - 3)) << across_bits));
  } else if (column < end) {
    {
      const uint r = p.j + (0u << uint(bits - 3));
      const vec2 u = work_at(source, (uint64_t(row) << all_bits) + uint64_t(j + (r << across_bits)));
      v[0] = times(u, root((j & within_mask) * r, before + bits));
    }
    {
      const uint r = p.j + (1u << uint(bits - 3));
      const vec2 u = work_at(source, (uint64_t(row) << all_bits) + uint64_t(j + (r << across_bits)));
      v[1] = times(u, root((j & within_mask) * r, before + bits));
    }
    {
      const uint r = p.j + (2u << uint(bits - 3));
      const vec2 u = work_at(source, (uint64_t(row) << all_bits) + uint64_t(j + (r << across_bits)));
      v[2] = times(u, root((j & within_mask) * r, before + bits));
    }
    {
      const uint r = p.j + (3u << uint(bits - 3));
      const vec2 u = work_at(source, (uint64_t(row) << all_bits) + uint64_t(j + (r << across_bits)));
      v[3] = times(u, root((j & within_mask) * r, before + bits));
    }
    {
      const uint r = p.j + (4u << uint(bits - 3));
      const vec2 u = work_at(source, (uint64_t(row) << all_bits) + uint64_t(j + (r << across_bits)));
      v[4] = times(u, root((j & within_mask) * r, before + bits));
    }
    {
      const uint r = p.j + (5u << uint(bits - 3));
      const vec2 u = work_at(source, (uint64_t(row) << all_bits) + uint64_t(j + (r << across_bits)));
      v[5] = times(u, root((j & within_mask) * r, before + bits));
    }
    {
      const uint r = p.j + (6u << uint(bits - 3));
      const vec2 u = work_at(source, (uint64_t(row) << all_bits) + uint64_t(j + (r << across_bits)));
      v[6] = times(u, root((j & within_mask) * r, before + bits));
    }
    {
      const uint r = p.j + (7u << uint(bits - 3));
      const vec2 u = work_at(source, (uint64_t(row) << all_bits) + uint64_t(j + (r << across_bits)));
      v[7] = times(u, root((j & within_mask) * r, before + bits));
    }
  } else {
    v[0] = vec2(0.0);
    v[1] = vec2(0.0);
    v[2] = vec2(0.0);
    v[3] = vec2(0.0);
    v[4] = vec2(0.0);
    v[5] = vec2(0.0);
    v[6] = vec2(0.0);
    v[7] = vec2(0.0);
  }
  fft8(v);
  int done = 3, last = 3;
  for (; bits - done >= 3; done += 3) {
    exchange3(done, bits, along, turn == 0);
    along = turn == 0;
    turn_by_roots3(done, bits, along);
    fft8(v);
  }
  if (bits - done == 2) {
    exchange2(done, bits, along, turn == 0);
    along = turn == 0;
    turn_by_roots2(done, bits, along);
    fft4(v[0], v[1], v[2], v[3]);
    fft4(v[4], v[5], v[6], v[7]);
    last = 2;
  } else if (bits - done == 1) {
    exchange1(done, bits, along, turn == 0);
    along = turn == 0;
    turn_by_roots1(done, bits, along);
    fft2(v[0], v[1]);
    fft2(v[2], v[3]);
    fft2(v[4], v[5]);
    fft2(v[6], v[7]);
    last = 1;
  }
  vec2 others[8];
  {
    const Place q = place_of(0 >> last, bits, last, along);
    const uint64_t column = first + uint64_t(q.column);
    if (column < end) {
      const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
      const uint r = q.j + (uint(0 & (1 << last) - 1) << uint(bits - last));
      const uint i = ((j >> before) << (before + bits)) + (j & within_mask) + (r << before);
      if (false && turn + 1 == passes) store(row, i, v[0], others[0]);
      else Complex(args.work[target & 1u] + ((uint64_t(row) << all_bits) + uint64_t(i)) * 8UL).data = v[0];
    }
  }
  {
    const Place q = place_of(1 >> last, bits, last, along);
    const uint64_t column = first + uint64_t(q.column);
    if (column < end) {
      const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
      const uint r = q.j + (uint(1 & (1 << last) - 1) << uint(bits - last));
      const uint i = ((j >> before) << (before + bits)) + (j & within_mask) + (r << before);
      if (false && turn + 1 == passes) store(row, i, v[1], others[1]);
      else Complex(args.work[target & 1u] + ((uint64_t(row) << all_bits) + uint64_t(i)) * 8UL).data = v[1];
    }
  }
  {
    const Place q = place_of(2 >> last, bits, last, along);
    const uint64_t column = first + uint64_t(q.column);
    if (column < end) {
      const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
      const uint r = q.j + (uint(2 & (1 << last) - 1) << uint(bits - last));
      const uint i = ((j >> before) << (before + bits)) + (j & within_mask) + (r << before);
      if (false && turn + 1 == passes) store(row, i, v[2], others[2]);
      else Complex(args.work[target & 1u] + ((uint64_t(row) << all_bits) + uint64_t(i)) * 8UL).data = v[2];
    }
  }
  {
    const Place q = place_of(3 >> last, bits, last, along);
    const uint64_t column = first + uint64_t(q.column);
    if (column < end) {
      const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
      const uint r = q.j + (uint(3 & (1 << last) - 1) << uint(bits - last));
      const uint i = ((j >> before) << (before + bits)) + (j & within_mask) + (r << before);
      if (false && turn + 1 == passes) store(row, i, v[3], others[3]);
      else Complex(args.work[target & 1u] + ((uint64_t(row) << all_bits) + uint64_t(i)) * 8UL).data = v[3];
    }
  }
  {
    const Place q = place_of(4 >> last, bits, last, along);
    const uint64_t column = first + uint64_t(q.column);
    if (column < end) {
      const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
      const uint r = q.j + (uint(4 & (1 << last) - 1) << uint(bits - last));
      const uint i = ((j >> before) << (before + bits)) + (j & within_mask) + (r << before);
      if (false && turn + 1 == passes) store(row, i, v[4], others[4]);
      else Complex(args.work[target & 1u] + ((uint64_t(row) << all_bits) + uint64_t(i)) * 8UL).data = v[4];
    }
  }
  {
    const Place q = place_of(5 >> last, bits, last, along);
    const uint64_t column = first + uint64_t(q.column);
    if (column < end) {
      const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
      const uint r = q.j + (uint(5 & (1 << last) - 1) << uint(bits - last));
      const uint i = ((j >> before) << (before + bits)) + (j & within_mask) + (r << before);
      if (false && turn + 1 == passes) store(row, i, v[5], others[5]);
      else Complex(args.work[target & 1u] + ((uint64_t(row) << all_bits) + uint64_t(i)) * 8UL).data = v[5];
    }
  }
  {
    const Place q = place_of(6 >> last, bits, last, along);
    const uint64_t column = first + uint64_t(q.column);
    if (column < end) {
      const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
      const uint r = q.j + (uint(6 & (1 << last) - 1) << uint(bits - last));
      const uint i = ((j >> before) << (before + bits)) + (j & within_mask) + (r << before);
      if (false && turn + 1 == passes) store(row, i, v[6], others[6]);
      else Complex(args.work[target & 1u] + ((uint64_t(row) << all_bits) + uint64_t(i)) * 8UL).data = v[6];
    }
  }
  {
    const Place q = place_of(7 >> last, bits, last, along);
    const uint64_t column = first + uint64_t(q.column);
    if (column < end) {
      const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
      const uint r = q.j + (uint(7 & (1 << last) - 1) << uint(bits - last));
      const uint i = ((j >> before) << (before + bits)) + (j & within_mask) + (r << before);
      if (false && turn + 1 == passes) store(row, i, v[7], others[7]);
      else Complex(args.work[target & 1u] + ((uint64_t(row) << all_bits) + uint64_t(i)) * 8UL).data = v[7];
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
shared float tile[points];
vec2 v[8];
vec2 value_at(uint row, uint i) {
  const uint n = uint(args.n);
  vec2 v = complex_at(min(i, n - i));
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
  const float scale = ratio(1.0, float(uint(args.n)));
  const vec2 u = times(conjugate(v), chirp(i, n)) / float(args.size);
  v = conjugate(u) * scale;
  Real(args.result + to * 4UL).data = v.x;
}
// Numbers that are a power of two apart lie in different banks. Places without bits in common may be turned one by one.
uint bank(uint i) { return i ^ ((i >> 5u ^ i >> 8u) & 7u) ^ (i >> 3u & 24u); }
// A number that a step of 2^step numbers takes: it lies in a column, `j` in front of the first of the step's numbers.
struct Place {
  uint column, j;
};
Place place_of(int block, int bits, int step, bool along) {
  const uint at = uint(block * threads) + gl_LocalInvocationID.x, rest = uint(bits - step);
  if (along) return Place(at >> rest, at & ((1u << rest) - 1u));
  return Place(at & ((1u << (11 - bits)) - 1u), at >> (11 - bits));
}
// Moves numbers from where a step of 8 leaves them to where one of 2^3 takes them, so that 2^done lie in order; first
// the real parts, as shared memory is scarce.
void exchange3(int done, int bits, bool from_along, bool along) {
  const Place from = place_of(0, bits, 3, from_along);
  const uint low = uint(done - 3), within = from.j & ((1u << low) - 1u);
  const uint to = bank((from.column << bits) + ((from.j >> low) << done) + within);
  uint get[8];
  {
    const Place p = place_of(0 >> 3, bits, 3, along);
    get[0] = bank((p.column << bits) + p.j) ^ bank((0u & (1u << 3) - 1u) << uint(bits - 3));
  }
  {
    const Place p = place_of(1 >> 3, bits, 3, along);
    get[1] = bank((p.column << bits) + p.j) ^ bank((1u & (1u << 3) - 1u) << uint(bits - 3));
  }
  {
    const Place p = place_of(2 >> 3, bits, 3, along);
    get[2] = bank((p.column << bits) + p.j) ^ bank((2u & (1u << 3) - 1u) << uint(bits - 3));
  }
  {
    const Place p = place_of(3 >> 3, bits, 3, along);
    get[3] = bank((p.column << bits) + p.j) ^ bank((3u & (1u << 3) - 1u) << uint(bits - 3));
  }
  {
    const Place p = place_of(4 >> 3, bits, 3, along);
    get[4] = bank((p.column << bits) + p.j) ^ bank((4u & (1u << 3) - 1u) << uint(bits - 3));
  }
  {
    const Place p = place_of(5 >> 3, bits, 3, along);
    get[5] = bank((p.column << bits) + p.j) ^ bank((5u & (1u << 3) - 1u) << uint(bits - 3));
  }
  {
    const Place p = place_of(6 >> 3, bits, 3, along);
    get[6] = bank((p.column << bits) + p.j) ^ bank((6u & (1u << 3) - 1u) << uint(bits - 3));
  }
  {
    const Place p = place_of(7 >> 3, bits, 3, along);
    get[7] = bank((p.column << bits) + p.j) ^ bank((7u & (1u << 3) - 1u) << uint(bits - 3));
  }
  if (done > 3) barrier();
  tile[to ^ bank(0u << low)] = v[0].x;
  tile[to ^ bank(1u << low)] = v[1].x;
  tile[to ^ bank(2u << low)] = v[2].x;
  tile[to ^ bank(3u << low)] = v[3].x;
  tile[to ^ bank(4u << low)] = v[4].x;
  tile[to ^ bank(5u << low)] = v[5].x;
  tile[to ^ bank(6u << low)] = v[6].x;
  tile[to ^ bank(7u << low)] = v[7].x;
  barrier();
  v[0].x = tile[get[0]];
  v[1].x = tile[get[1]];
  v[2].x = tile[get[2]];
  v[3].x = tile[get[3]];
  v[4].x = tile[get[4]];
  v[5].x = tile[get[5]];
  v[6].x = tile[get[6]];
  v[7].x = tile[get[7]];
  barrier();
  tile[to ^ bank(0u << low)] = v[0].y;
  tile[to ^ bank(1u << low)] = v[1].y;
  tile[to ^ bank(2u << low)] = v[2].y;
  tile[to ^ bank(3u << low)] = v[3].y;
  tile[to ^ bank(4u << low)] = v[4].y;
  tile[to ^ bank(5u << low)] = v[5].y;
  tile[to ^ bank(6u << low)] = v[6].y;
  tile[to ^ bank(7u << low)] = v[7].y;
  barrier();
  v[0].y = tile[get[0]];
  v[1].y = tile[get[1]];
  v[2].y = tile[get[2]];
  v[3].y = tile[get[3]];
  v[4].y = tile[get[4]];
  v[5].y = tile[get[5]];
  v[6].y = tile[get[6]];
  v[7].y = tile[get[7]];
}
// Of the numbers that the step takes, by the place of each in its block of 2^done.
void turn_by_roots3(int done, int bits, bool along) {
  {
    const uint within = place_of(0, bits, 3, along).j & ((1u << done) - 1u);
    const vec2 w1 = root(within * 1u, done + 3);
    v[0 * 8 + 1] = times(v[0 * 8 + 1], w1);
    const vec2 w2 = root(within * 2u, done + 3);
    v[0 * 8 + 2] = times(v[0 * 8 + 2], w2);
    const vec2 w3 = times(w2, w1);
    v[0 * 8 + 3] = times(v[0 * 8 + 3], w3);
    const vec2 w4 = root(within * 4u, done + 3);
    v[0 * 8 + 4] = times(v[0 * 8 + 4], w4);
    const vec2 w5 = times(w4, w1);
    v[0 * 8 + 5] = times(v[0 * 8 + 5], w5);
    const vec2 w6 = times(w4, w2);
    v[0 * 8 + 6] = times(v[0 * 8 + 6], w6);
    const vec2 w7 = times(w6, w1);
    v[0 * 8 + 7] = times(v[0 * 8 + 7], w7);
  }
}
// Moves numbers from where a step of 8 leaves them to where one of 2^2 takes them, so that 2^done lie in order; first
// the real parts, as shared memory is scarce.
void exchange2(int done, int bits, bool from_along, bool along) {
  const Place from = place_of(0, bits, 3, from_along);
  const uint low = uint(done - 3), within = from.j & ((1u << low) - 1u);
  const uint to = bank((from.column << bits) + ((from.j >> low) << done) + within);
  uint get[8];
  {
    const Place p = place_of(0 >> 2, bits, 2, along);
    get[0] = bank((p.column << bits) + p.j) ^ bank((0u & (1u << 2) - 1u) << uint(bits - 2));
  }
  {
    const Place p = place_of(1 >> 2, bits, 2, along);
    get[1] = bank((p.column << bits) + p.j) ^ bank((1u & (1u << 2) - 1u) << uint(bits - 2));
  }
  {
    const Place p = place_of(2 >> 2, bits, 2, along);
    get[2] = bank((p.column << bits) + p.j) ^ bank((2u & (1u << 2) - 1u) << uint(bits - 2));
  }
  {
    const Place p = place_of(3 >> 2, bits, 2, along);
    get[3] = bank((p.column << bits) + p.j) ^ bank((3u & (1u << 2) - 1u) << uint(bits - 2));
  }
  {
    const Place p = place_of(4 >> 2, bits, 2, along);
    get[4] = bank((p.column << bits) + p.j) ^ bank((4u & (1u << 2) - 1u) << uint(bits - 2));
  }
  {
    const Place p = place_of(5 >> 2, bits, 2, along);
    get[5] = bank((p.column << bits) + p.j) ^ bank((5u & (1u << 2) - 1u) << uint(bits - 2));
  }
  {
    const Place p = place_of(6 >> 2, bits, 2, along);
    get[6] = bank((p.column << bits) + p.j) ^ bank((6u & (1u << 2) - 1u) << uint(bits - 2));
  }
  {
    const Place p = place_of(7 >> 2, bits, 2, along);
    get[7] = bank((p.column << bits) + p.j) ^ bank((7u & (1u << 2) - 1u) << uint(bits - 2));
  }
  if (done > 3) barrier();
  tile[to ^ bank(0u << low)] = v[0].x;
  tile[to ^ bank(1u << low)] = v[1].x;
  tile[to ^ bank(2u << low)] = v[2].x;
  tile[to ^ bank(3u << low)] = v[3].x;
  tile[to ^ bank(4u << low)] = v[4].x;
  tile[to ^ bank(5u << low)] = v[5].x;
  tile[to ^ bank(6u << low)] = v[6].x;
  tile[to ^ bank(7u << low)] = v[7].x;
  barrier();
  v[0].x = tile[get[0]];
  v[1].x = tile[get[1]];
  v[2].x = tile[get[2]];
  v[3].x = tile[get[3]];
  v[4].x = tile[get[4]];
  v[5].x = tile[get[5]];
  v[6].x = tile[get[6]];
  v[7].x = tile[get[7]];
  barrier();
  tile[to ^ bank(0u << low)] = v[0].y;
  tile[to ^ bank(1u << low)] = v[1].y;
  tile[to ^ bank(2u << low)] = v[2].y;
  tile[to ^ bank(3u << low)] = v[3].y;
  tile[to ^ bank(4u << low)] = v[4].y;
  tile[to ^ bank(5u << low)] = v[5].y;
  tile[to ^ bank(6u << low)] = v[6].y;
  tile[to ^ bank(7u << low)] = v[7].y;
  barrier();
  v[0].y = tile[get[0]];
  v[1].y = tile[get[1]];
  v[2].y = tile[get[2]];
  v[3].y = tile[get[3]];
  v[4].y = tile[get[4]];
  v[5].y = tile[get[5]];
  v[6].y = tile[get[6]];
  v[7].y = tile[get[7]];
}
// Of the numbers that the step takes, by the place of each in its block of 2^done.
void turn_by_roots2(int done, int bits, bool along) {
  {
    const uint within = place_of(0, bits, 2, along).j & ((1u << done) - 1u);
    const vec2 w1 = root(within * 1u, done + 2);
    v[0 * 4 + 1] = times(v[0 * 4 + 1], w1);
    const vec2 w2 = root(within * 2u, done + 2);
    v[0 * 4 + 2] = times(v[0 * 4 + 2], w2);
    const vec2 w3 = times(w2, w1);
    v[0 * 4 + 3] = times(v[0 * 4 + 3], w3);
  }
  {
    const uint within = place_of(1, bits, 2, along).j & ((1u << done) - 1u);
    const vec2 w1 = root(within * 1u, done + 2);
    v[1 * 4 + 1] = times(v[1 * 4 + 1], w1);
    const vec2 w2 = root(within * 2u, done + 2);
    v[1 * 4 + 2] = times(v[1 * 4 + 2], w2);
    const vec2 w3 = times(w2, w1);
    v[1 * 4 + 3] = times(v[1 * 4 + 3], w3);
  }
}
// Moves numbers from where a step of 8 leaves them to where one of 2^1 takes them, so that 2^done lie in order; first
// the real parts, as shared memory is scarce.
void exchange1(int done, int bits, bool from_along, bool along) {
  const Place from = place_of(0, bits, 3, from_along);
  const uint low = uint(done - 3), within = from.j & ((1u << low) - 1u);
  const uint to = bank((from.column << bits) + ((from.j >> low) << done) + within);
  uint get[8];
  {
    const Place p = place_of(0 >> 1, bits, 1, along);
    get[0] = bank((p.column << bits) + p.j) ^ bank((0u & (1u << 1) - 1u) << uint(bits - 1));
  }
  {
    const Place p = place_of(1 >> 1, bits, 1, along);
    get[1] = bank((p.column << bits) + p.j) ^ bank((1u & (1u << 1) - 1u) << uint(bits - 1));
  }
  {
    const Place p = place_of(2 >> 1, bits, 1, along);
    get[2] = bank((p.column << bits) + p.j) ^ bank((2u & (1u << 1) - 1u) << uint(bits - 1));
  }
  {
    const Place p = place_of(3 >> 1, bits, 1, along);
    get[3] = bank((p.column << bits) + p.j) ^ bank((3u & (1u << 1) - 1u) << uint(bits - 1));
  }
  {
    const Place p = place_of(4 >> 1, bits, 1, along);
    get[4] = bank((p.column << bits) + p.j) ^ bank((4u & (1u << 1) - 1u) << uint(bits - 1));
  }
  {
    const Place p = place_of(5 >> 1, bits, 1, along);
    get[5] = bank((p.column << bits) + p.j) ^ bank((5u & (1u << 1) - 1u) << uint(bits - 1));
  }
  {
    const Place p = place_of(6 >> 1, bits, 1, along);
    get[6] = bank((p.column << bits) + p.j) ^ bank((6u & (1u << 1) - 1u) << uint(bits - 1));
  }
  {
    const Place p = place_of(7 >> 1, bits, 1, along);
    get[7] = bank((p.column << bits) + p.j) ^ bank((7u & (1u << 1) - 1u) << uint(bits - 1));
  }
  if (done > 3) barrier();
  tile[to ^ bank(0u << low)] = v[0].x;
  tile[to ^ bank(1u << low)] = v[1].x;
  tile[to ^ bank(2u << low)] = v[2].x;
  tile[to ^ bank(3u << low)] = v[3].x;
  tile[to ^ bank(4u << low)] = v[4].x;
  tile[to ^ bank(5u << low)] = v[5].x;
  tile[to ^ bank(6u << low)] = v[6].x;
  tile[to ^ bank(7u << low)] = v[7].x;
  barrier();
  v[0].x = tile[get[0]];
  v[1].x = tile[get[1]];
  v[2].x = tile[get[2]];
  v[3].x = tile[get[3]];
  v[4].x = tile[get[4]];
  v[5].x = tile[get[5]];
  v[6].x = tile[get[6]];
  v[7].x = tile[get[7]];
  barrier();
  tile[to ^ bank(0u << low)] = v[0].y;
  tile[to ^ bank(1u << low)] = v[1].y;
  tile[to ^ bank(2u << low)] = v[2].y;
  tile[to ^ bank(3u << low)] = v[3].y;
  tile[to ^ bank(4u << low)] = v[4].y;
  tile[to ^ bank(5u << low)] = v[5].y;
  tile[to ^ bank(6u << low)] = v[6].y;
  tile[to ^ bank(7u << low)] = v[7].y;
  barrier();
  v[0].y = tile[get[0]];
  v[1].y = tile[get[1]];
  v[2].y = tile[get[2]];
  v[3].y = tile[get[3]];
  v[4].y = tile[get[4]];
  v[5].y = tile[get[5]];
  v[6].y = tile[get[6]];
  v[7].y = tile[get[7]];
}
// Of the numbers that the step takes, by the place of each in its block of 2^done.
void turn_by_roots1(int done, int bits, bool along) {
  {
    const uint within = place_of(0, bits, 1, along).j & ((1u << done) - 1u);
    const vec2 w1 = root(within * 1u, done + 1);
    v[0 * 2 + 1] = times(v[0 * 2 + 1], w1);
  }
  {
    const uint within = place_of(1, bits, 1, along).j & ((1u << done) - 1u);
    const vec2 w1 = root(within * 1u, done + 1);
    v[1 * 2 + 1] = times(v[1 * 2 + 1], w1);
  }
  {
    const uint within = place_of(2, bits, 1, along).j & ((1u << done) - 1u);
    const vec2 w1 = root(within * 1u, done + 1);
    v[2 * 2 + 1] = times(v[2 * 2 + 1], w1);
  }
  {
    const uint within = place_of(3, bits, 1, along).j & ((1u << done) - 1u);
    const vec2 w1 = root(within * 1u, done + 1);
    v[3 * 2 + 1] = times(v[3 * 2 + 1], w1);
  }
}
void main() {
  const int all_bits = 5, passes = passes_of(all_bits), turn = passes == 1 ? 0 : int(args.turn);
  // The passes take about as many bits each: those of this one, and those that passes before it took.
  const int before = all_bits * turn / passes, bits = all_bits * (turn + 1) / passes - before;
  const uint radix = 1u << bits, columns = uint(points) >> bits, across_bits = uint(all_bits - bits);
  const uint64_t group = uint64_t(gl_WorkGroupID.y) * uint64_t(gl_NumWorkGroups.x) + uint64_t(gl_WorkGroupID.x);
  const uint64_t first = group * uint64_t(columns), end = uint64_t(args.rows) << across_bits;
  if (first >= end) return;
  const uint within_mask = (1u << before) - 1u, source = uint(turn + passes_of(findMSB(uint(args.size))) + 1), target = uint(turn + passes_of(findMSB(uint(args.size))));
  // Neighbours read and write numbers that lie side by side: along a column where a column is a row, else across. The
  // first pass leaves columns as rows.
  bool along = passes == 1 && args.stride == 1L;
  const Place p = place_of(0, bits, 3, along);
  const uint64_t column = first + uint64_t(p.column);
  const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
  if (column < end && turn == 0) {
    base = first_of(row, 8u);
    v[0] = read(row, j + (p.j + (0u << uint(bits - 3)) << across_bits));
    v[1] = read(row, j + (p.j + (1u << uint(bits - 3)) << across_bits));
    v[2] = read(row, j + (p.j + (2u << uint(bits - 3)) << across_bits));
    v[3] = read(row, j + (p.j + (3u << uint(bits - 3)) << across_bits));
    v[4] = read(row, j + (p.j + (4u << uint(bits - 3)) << across_bits));
    v[5] = read(row, j + (p.j + (5u << uint(bits - 3)) << across_bits));
    v[6] = read(row, j + (p.j + (6u << uint(bits - 3)) << across_bits));
    v[7] = read(row, j + (p.j + (7u << uint(bits - 3)) << across_bits));
  } else if (column < end) {
    {
      const uint r = p.j + (0u << uint(bits - 3));
      const vec2 u = work_at(source, (uint64_t(row) << all_bits) + uint64_t(j + (r << across_bits)));
      v[0] = times(u, root((j & within_mask) * r, before + bits));
    }
    {
      const uint r = p.j + (1u << uint(bits - 3));
      const vec2 u = work_at(source, (uint64_t(row) << all_bits) + uint64_t(j + (r << across_bits)));
      v[1] = times(u, root((j & within_mask) * r, before + bits));
    }
    {
      const uint r = p.j + (2u << uint(bits - 3));
      const vec2 u = work_at(source, (uint64_t(row) << all_bits) + uint64_t(j + (r << across_bits)));
      v[2] = times(u, root((j & within_mask) * r, before + bits));
    }
    {
      const uint r = p.j + (3u << uint(bits - 3));
      const vec2 u = work_at(source, (uint64_t(row) << all_bits) + uint64_t(j + (r << across_bits)));
      v[3] = times(u, root((j & within_mask) * r, before + bits));
    }
    {
      const uint r = p.j + (4u << uint(bits - 3));
      const vec2 u = work_at(source, (uint64_t(row) << all_bits) + uint64_t(j + (r << across_bits)));
      v[4] = times(u, root((j & within_mask) * r, before + bits));
    }
    {
      const uint r = p.j + (5u << uint(bits - 3));
      const vec2 u = work_at(source, (uint64_t(row) << all_bits) + uint64_t(j + (r << across_bits)));
      v[5] = times(u, root((j & within_mask) * r, before + bits));
    }
    {
      const uint r = p.j + (6u << uint(bits - 3));
      const vec2 u = work_at(source, (uint64_t(row) << all_bits) + uint64_t(j + (r << across_bits)));
      v[6] = times(u, root((j & within_mask) * r, before + bits));
    }
    {
      const uint r = p.j + (7u << uint(bits - 3));
      const vec2 u = work_at(source, (uint64_t(row) << all_bits) + uint64_t(j + (r << across_bits)));
      v[7] = times(u, root((j & within_mask) * r, before + bits));
    }
  } else {
    v[0] = vec2(0.0);
    v[1] = vec2(0.0);
    v[2] = vec2(0.0);
    v[3] = vec2(0.0);
    v[4] = vec2(0.0);
    v[5] = vec2(0.0);
    v[6] = vec2(0.0);
    v[7] = vec2(0.0);
  }
  fft8(v);
  int done = 3, last = 3;
  for (; bits - done >= 3; done += 3) {
    exchange3(done, bits, along, turn == 0);
    along = turn == 0;
    turn_by_roots3(done, bits, along);
    fft8(v);
  }
  if (bits - done == 2) {
    exchange2(done, bits, along, turn == 0);
    along = turn == 0;
    turn_by_roots2(done, bits, along);
    fft4(v[0], v[1], v[2], v[3]);
    fft4(v[4], v[5], v[6], v[7]);
    last = 2;
  } else if (bits - done == 1) {
    exchange1(done, bits, along, turn == 0);
    along = turn == 0;
    turn_by_roots1(done, bits, along);
    fft2(v[0], v[1]);
    fft2(v[2], v[3]);
    fft2(v[4], v[5]);
    fft2(v[6], v[7]);
    last = 1;
  }
  vec2 others[8];
  {
    const Place q = place_of(0 >> last, bits, last, along);
    const uint64_t column = first + uint64_t(q.column);
    if (column < end) {
      const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
      const uint r = q.j + (uint(0 & (1 << last) - 1) << uint(bits - last));
      const uint i = ((j >> before) << (before + bits)) + (j & within_mask) + (r << before);
      if (true && turn + 1 == passes) store(row, i, v[0], others[0]);
      else Complex(args.work[target & 1u] + ((uint64_t(row) << all_bits) + uint64_t(i)) * 8UL).data = v[0];
    }
  }
  {
    const Place q = place_of(1 >> last, bits, last, along);
    const uint64_t column = first + uint64_t(q.column);
    if (column < end) {
      const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
      const uint r = q.j + (uint(1 & (1 << last) - 1) << uint(bits - last));
      const uint i = ((j >> before) << (before + bits)) + (j & within_mask) + (r << before);
      if (true && turn + 1 == passes) store(row, i, v[1], others[1]);
      else Complex(args.work[target & 1u] + ((uint64_t(row) << all_bits) + uint64_t(i)) * 8UL).data = v[1];
    }
  }
  {
    const Place q = place_of(2 >> last, bits, last, along);
    const uint64_t column = first + uint64_t(q.column);
    if (column < end) {
      const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
      const uint r = q.j + (uint(2 & (1 << last) - 1) << uint(bits - last));
      const uint i = ((j >> before) << (before + bits)) + (j & within_mask) + (r << before);
      if (true && turn + 1 == passes) store(row, i, v[2], others[2]);
      else Complex(args.work[target & 1u] + ((uint64_t(row) << all_bits) + uint64_t(i)) * 8UL).data = v[2];
    }
  }
  {
    const Place q = place_of(3 >> last, bits, last, along);
    const uint64_t column = first + uint64_t(q.column);
    if (column < end) {
      const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
      const uint r = q.j + (uint(3 & (1 << last) - 1) << uint(bits - last));
      const uint i = ((j >> before) << (before + bits)) + (j & within_mask) + (r << before);
      if (true && turn + 1 == passes) store(row, i, v[3], others[3]);
      else Complex(args.work[target & 1u] + ((uint64_t(row) << all_bits) + uint64_t(i)) * 8UL).data = v[3];
    }
  }
  {
    const Place q = place_of(4 >> last, bits, last, along);
    const uint64_t column = first + uint64_t(q.column);
    if (column < end) {
      const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
      const uint r = q.j + (uint(4 & (1 << last) - 1) << uint(bits - last));
      const uint i = ((j >> before) << (before + bits)) + (j & within_mask) + (r << before);
      if (true && turn + 1 == passes) store(row, i, v[4], others[4]);
      else Complex(args.work[target & 1u] + ((uint64_t(row) << all_bits) + uint64_t(i)) * 8UL).data = v[4];
    }
  }
  {
    const Place q = place_of(5 >> last, bits, last, along);
    const uint64_t column = first + uint64_t(q.column);
    if (column < end) {
      const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
      const uint r = q.j + (uint(5 & (1 << last) - 1) << uint(bits - last));
      const uint i = ((j >> before) << (before + bits)) + (j & within_mask) + (r << before);
      if (true && turn + 1 == passes) store(row, i, v[5], others[5]);
      else Complex(args.work[target & 1u] + ((uint64_t(row) << all_bits) + uint64_t(i)) * 8UL).data = v[5];
    }
  }
  {
    const Place q = place_of(6 >> last, bits, last, along);
    const uint64_t column = first + uint64_t(q.column);
    if (column < end) {
      const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
      const uint r = q.j + (uint(6 & (1 << last) - 1) << uint(bits - last));
      const uint i = ((j >> before) << (before + bits)) + (j & within_mask) + (r << before);
      if (true && turn + 1 == passes) store(row, i, v[6], others[6]);
      else Complex(args.work[target & 1u] + ((uint64_t(row) << all_bits) + uint64_t(i)) * 8UL).data = v[6];
    }
  }
  {
    const Place q = place_of(7 >> last, bits, last, along);
    const uint64_t column = first + uint64_t(q.column);
    if (column < end) {
      const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
      const uint r = q.j + (uint(7 & (1 << last) - 1) << uint(bits - last));
      const uint i = ((j >> before) << (before + bits)) + (j & within_mask) + (r << before);
      if (true && turn + 1 == passes) store(row, i, v[7], others[7]);
      else Complex(args.work[target & 1u] + ((uint64_t(row) << all_bits) + uint64_t(i)) * 8UL).data = v[7];
    }
  }
}
