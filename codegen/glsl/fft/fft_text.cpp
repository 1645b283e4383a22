// The text of the shaders of Fourier transforms.
#include "codegen/glsl/fft/fft.h"

#include "codegen/glsl/routine.h"

namespace frit::codegen::glsl {

const char* const kFftHead = R"(layout(local_size_x = $THREADS$) in;
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
)";

const char* const kFftPoints = R"(const int points = 1 << $BITS$, threads = points / 8;  // of a workgroup
// A row that is too long for one pass has passes of fewer numbers each, so that four neighbours lie side by side.
int passes_of(int bits) { return bits <= $BITS$ ? 1 : (bits + $BITS$ - 3) / ($BITS$ - 2); }
// exp(-2 pi i k / 2^bits), 0 <= k < 2^bits.
vec2 root(uint k, int bits) {
  const uint eighths = k << 3, octant = eighths >> bits;
  return root_at(octant, float(eighths - (octant << bits)) * uintBitsToFloat(uint(127 - bits) << 23));
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
)";

const char* const kFftPass = R"(shared float tile[points];
vec2 v[8];
vec2 value_at(uint row, uint i) {
  const uint n = uint(args.n);
$VALUE$}
vec2 read(uint row, uint i) {
  const uint n = uint(args.n), size = uint(args.size);
$READ$}
void store(uint row, uint i, vec2 v, vec2 other) {
  const uint n = uint(args.n);
  if (i >= uint(args.stored)) return;
  const uint64_t to = uint64_t(row) * uint64_t(args.stored) + uint64_t(i);
$STORE$}
// Numbers that are a power of two apart lie in different banks. Places without bits in common may be turned one by one.
uint bank(uint i) { return i ^ ((i >> 5u ^ i >> 8u) & 7u) ^ (i >> 3u & 24u); }
// A number that a step of 2^step numbers takes: it lies in a column, `j` in front of the first of the step's numbers.
struct Place {
  uint column, j;
};
Place place_of(int block, int bits, int step, bool along) {
  const uint at = uint(block * threads) + gl_LocalInvocationID.x, rest = uint(bits - step);
  if (along) return Place(at >> rest, at & ((1u << rest) - 1u));
  return Place(at & ((1u << ($BITS$ - bits)) - 1u), at >> ($BITS$ - bits));
}
$MOVES$void main() {
  const int all_bits = $SIZE_BITS$, passes = passes_of(all_bits), turn = passes == 1 ? 0 : int(args.turn);
  // The passes take about as many bits each: those of this one, and those that passes before it took.
  const int before = all_bits * turn / passes, bits = all_bits * (turn + 1) / passes - before;
  const uint radix = 1u << bits, columns = uint(points) >> bits, across_bits = uint(all_bits - bits);
  const uint64_t group = uint64_t(flat_group());
  const uint64_t first = group * uint64_t(columns), end = uint64_t(args.rows) << across_bits;
  if (first >= end) return;
  const uint within_mask = (1u << before) - 1u, source = uint(turn + $SHIFT$ + 1), target = uint(turn + $SHIFT$);
  // Neighbours read and write numbers that lie side by side: along a column where a column is a row, else across. The
  // first pass leaves columns as rows.
  bool along = passes == 1 && args.stride == 1L;
  const Place p = place_of(0, bits, 3, along);
  const uint64_t column = first + uint64_t(p.column);
  const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
  if (column < end && turn == 0) {
    base = first_of(row, $BYTES$u);
@for e 8@    v[@e@] = read(row, j + (p.j + (@e@u << uint(bits - 3)) << across_bits));
@end e@  } else if (column < end) {
@for e 8@    {
      const uint r = p.j + (@e@u << uint(bits - 3));
      const vec2 u = work_at(source, (uint64_t(row) << all_bits) + uint64_t(j + (r << across_bits)));
      v[@e@] = times(u, root((j & within_mask) * r, before + bits));
    }
@end e@  } else {
@for e 8@    v[@e@] = vec2(0.0);
@end e@  }
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
$OTHERS$@for e 8@  {
    const Place q = place_of(@e@ >> last, bits, last, along);
    const uint64_t column = first + uint64_t(q.column);
    if (column < end) {
      const uint row = uint(column >> across_bits), j = uint(column) & ((1u << across_bits) - 1u);
      const uint r = q.j + (uint(@e@ & (1 << last) - 1) << uint(bits - last));
      const uint i = ((j >> before) << (before + bits)) + (j & within_mask) + (r << before);
      if ($LAST$ && turn + 1 == passes) store(row, i, v[@e@], others[@e@]);
      else Complex(args.work[target & 1u] + ((uint64_t(row) << all_bits) + uint64_t(i)) * 8UL).data = v[@e@];
    }
  }
@end e@}
)";

const char* const kFftMoves =
    R"(// Moves numbers from where a step of 8 leaves them to where one of 2^$STEP$ takes them, so that 2^done lie in order; first
// the real parts, as shared memory is scarce.
void exchange$STEP$(int done, int bits, bool from_along, bool along) {
  const Place from = place_of(0, bits, 3, from_along);
  const uint low = uint(done - 3), within = from.j & ((1u << low) - 1u);
  const uint to = bank((from.column << bits) + ((from.j >> low) << done) + within);
  uint get[8];
@for e 8@  {
    const Place p = place_of(@e@ >> $STEP$, bits, $STEP$, along);
    get[@e@] = bank((p.column << bits) + p.j) ^ bank((@e@u & (1u << $STEP$) - 1u) << uint(bits - $STEP$));
  }
@end e@  if (done > 3) barrier();
@for e 8@  tile[to ^ bank(@e@u << low)] = v[@e@].x;
@end e@  barrier();
@for e 8@  v[@e@].x = tile[get[@e@]];
@end e@  barrier();
@for e 8@  tile[to ^ bank(@e@u << low)] = v[@e@].y;
@end e@  barrier();
@for e 8@  v[@e@].y = tile[get[@e@]];
@end e@}
// Of the numbers that the step takes, by the place of each in its block of 2^done.
void turn_by_roots$STEP$(int done, int bits, bool along) {
@for b $BLOCKS$@  {
    const uint within = place_of(@b@, bits, $STEP$, along).j & ((1u << done) - 1u);
$ROOTS$  }
@end b@}
)";

const char* const kFftOthers = R"(  uint own[8], mirror[8];
@for e 8@  {
    const Place q = place_of(@e@ >> last, bits, last, along);
    const uint r = q.j + (uint(@e@ & (1 << last) - 1) << uint(bits - last));
    own[@e@] = bank((q.column << bits) + r);
    mirror[@e@] = bank((q.column << bits) + (radix - r & radix - 1u));
  }
@end e@  barrier();
@for e 8@  tile[own[@e@]] = v[@e@].x;
@end e@  barrier();
@for e 8@  others[@e@].x = tile[mirror[@e@]];
@end e@  barrier();
@for e 8@  tile[own[@e@]] = v[@e@].y;
@end e@  barrier();
@for e 8@  others[@e@].y = tile[mirror[@e@]];
@end e@)";

// The text of the step of 2^step numbers.
std::string fft_moves(int step) {
  const int radix = 1 << step;
  std::string roots;
  for (int i = 1; i < radix; ++i) {
    const auto name = [](int k) { return "w" + std::to_string(k); };
    const std::string at = "v[@b@ * " + std::to_string(radix) + " + " + std::to_string(i) + "]";
    roots += "    const vec2 " + name(i) + " = " +
             ((i & (i - 1)) ? "times(" + name(i & (i - 1)) + ", " + name(i & -i) + ")"
                            : "root(within * " + std::to_string(i) + "u, done + " + std::to_string(step) + ")") +
             ";\n    " + at + " = times(" + at + ", " + name(i) + ");\n";
  }
  return unroll(
      fill(kFftMoves, {{"STEP", std::to_string(step)}, {"BLOCKS", std::to_string(8 >> step)}, {"ROOTS", roots}}));
}

}  // namespace frit::codegen::glsl
