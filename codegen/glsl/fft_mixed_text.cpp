// The text of the shader of Fourier transforms whose length has small factors.
//
// Two copies of a workgroup's rows are in shared memory. A step takes one factor: it reads one copy and writes the
// other, in the order that the next step needs.
#include "codegen/glsl/fft.h"

namespace frit::codegen::glsl {

const char* const kFftMixed = R"(vec2 value_at(uint row, uint i) {
  const uint n = uint(args.n);
$VALUE$}
vec2 read(uint row, uint i) {
  const uint n = uint(args.n), size = n;
$READ$}
void store(uint row, uint i, vec2 v) {
  const uint n = uint(args.n);
  if (i >= uint(args.stored)) return;
  const uint64_t to = uint64_t(row) * uint64_t(args.stored) + uint64_t(i);
$STORE$}
const uint most = points / 2u;  // numbers of each copy
// exp(-2 pi i k / m), 0 <= k < m.
vec2 root_of(uint k, uint m) {
  const uint eighths = k << 3, octant = eighths / m;
  return root_at(octant, ratio(float(eighths - octant * m), float(m)));
}
// The roots of a few.
vec2 small_root(uint k, uint radix) {
  const vec2 third = vec2(-0.5, -0.866025404);
  const vec2 fifths[2] = vec2[2](vec2(0.309016994, -0.951056516), vec2(-0.809016994, -0.587785252));
  const vec2 sevenths[3] = vec2[3](vec2(0.623489802, -0.781831482), vec2(-0.222520934, -0.974927912), vec2(-0.900968868, -0.433883739));
  k %= radix;
  if (k == 0u) return vec2(1.0, 0.0);
  const bool back = 2u * k > radix;
  const uint i = (back ? radix - k : k) - 1u;
  const vec2 w = radix == 3u ? third : radix == 5u ? fifths[i] : sevenths[i];
  return back ? conjugate(w) : w;
}
#define MIXED(radix, TRANSFORM) \
  { \
    const uint each = n / radix, next = done * radix; \
    for (uint at = me; at < lines * each; at += uint(threads)) { \
      const uint line = at / each, j = at - line * each, block = j / done, within = j - block * done; \
      vec2 v[8]; \
      [[unroll]] for (uint i = 0u; i < radix; ++i) { \
        v[i] = tile[from + line * n + j + i * each]; \
        if (i > 0u && done > 1u) v[i] = times(v[i], root_of(within * i, next)); \
      } \
      TRANSFORM \
      [[unroll]] for (uint i = 0u; i < radix; ++i) tile[most - from + line * n + block * next + within + i * done] = v[i]; \
    } \
    barrier(); \
    from = most - from; \
    done = next; \
  }
#define ODD(radix) \
  vec2 u[radix]; \
  [[unroll]] for (uint k = 0u; k < radix; ++k) { \
    u[k] = v[0]; \
    [[unroll]] for (uint i = 1u; i < radix; ++i) { \
      const vec2 w = small_root(k * i, radix); \
      u[k] += times(v[i], w); \
    } \
  } \
  [[unroll]] for (uint k = 0u; k < radix; ++k) v[k] = u[k];
void main() {
  const uint me = gl_LocalInvocationID.x, n = uint(args.n), lines = most / n;
  const uint64_t group = uint64_t(gl_WorkGroupID.y) * uint64_t(gl_NumWorkGroups.x) + uint64_t(gl_WorkGroupID.x);
  const uint64_t first = group * uint64_t(lines);
  if (first >= uint64_t(args.rows)) return;
  for (uint at = me; at < lines * n; at += uint(threads)) {
    const uint line = at / n;
    const uint64_t row = first + uint64_t(line);
    tile[at] = row < uint64_t(args.rows) ? read(uint(row), at - line * n) : vec2(0.0);
  }
  barrier();
  uint from = 0u, done = 1u;
  while (n / done % 8u == 0u) MIXED(8u, fft8(v);)
  while (n / done % 4u == 0u) MIXED(4u, fft4(v[0], v[1], v[2], v[3]);)
  while (n / done % 2u == 0u) MIXED(2u, fft2(v[0], v[1]);)
  while (n / done % 3u == 0u) MIXED(3u, ODD(3))
  while (n / done % 5u == 0u) MIXED(5u, ODD(5))
  while (n / done % 7u == 0u) MIXED(7u, ODD(7))
  for (uint at = me; at < lines * n; at += uint(threads)) {
    const uint line = at / n;
    const uint64_t row = first + uint64_t(line);
    if (row < uint64_t(args.rows)) store(uint(row), at - line * n, tile[from + at]);
  }
}
)";

}  // namespace frit::codegen::glsl
