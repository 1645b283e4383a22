// The text of the shaders of Fourier transforms whose length has small factors.
//
// A workgroup's rows are in shared memory. A step takes one factor: each invocation reads the numbers of one or two
// transforms, and writes them back in the order that the next step needs.
#include "codegen/glsl/fft/fft.h"

namespace frit::codegen::glsl {

const char* const kFftSteps = R"(const uint most = points / 2u;  // numbers of a workgroup
shared vec2 tile[most];
uint n = uint(args.n);
uint me = gl_LocalInvocationID.x, lines = most / n;
vec2 value_at(uint row, uint i) {
$VALUE$}
vec2 read(uint row, uint i) {
  const uint size = n;
$READ$}
void store(uint row, uint i, vec2 v) {
  if (i >= uint(args.stored)) return;
  const uint64_t to = uint64_t(row) * uint64_t(args.stored) + uint64_t(i);
$STORE$}
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
// The others from the first few.
#define ROOTS(radix, within, next) \
  vec2 w[8]; \
  [[unroll]] for (uint i = 1u; i < radix; ++i) { \
    if ((i & (i - 1u)) == 0u) w[i] = root_of(within * i, next); \
    else w[i] = times(w[i & (i - 1u)], w[i & -i]); \
  }
#define STEP(radix, blocks, done, TRANSFORM) \
  { \
    const uint each = n / radix, next = done * radix; \
    vec2 all[8]; \
    [[unroll]] for (uint b = 0u; b < blocks; ++b) { \
      const uint at = me + b * uint(threads), line = at / each, j = at - line * each, within = j % done; \
      if (at < lines * each) { \
        [[unroll]] for (uint i = 0u; i < radix; ++i) all[b * radix + i] = tile[line * n + j + i * each]; \
        if (done > 1u) { \
          ROOTS(radix, within, next) \
          [[unroll]] for (uint i = 1u; i < radix; ++i) all[b * radix + i] = times(all[b * radix + i], w[i]); \
        } \
      } \
    } \
    barrier(); \
    [[unroll]] for (uint b = 0u; b < blocks; ++b) { \
      const uint at = me + b * uint(threads), line = at / each, j = at - line * each, block = j / done; \
      if (at < lines * each) { \
        vec2 v[8]; \
        [[unroll]] for (uint i = 0u; i < radix; ++i) v[i] = all[b * radix + i]; \
        TRANSFORM \
        [[unroll]] for (uint i = 0u; i < radix; ++i) tile[line * n + block * next + (j - block * done) + i * done] = v[i]; \
      } \
    } \
    barrier(); \
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
#define STEP8(done) STEP(8u, 1u, done, fft8(v);)
#define STEP4(done) STEP(4u, 1u, done, fft4(v[0], v[1], v[2], v[3]);)
#define STEP2(done) STEP(2u, 2u, done, fft2(v[0], v[1]);)
#define STEP3(done) STEP(3u, 2u, done, ODD(3))
#define STEP5(done) STEP(5u, 1u, done, ODD(5))
#define STEP7(done) STEP(7u, 1u, done, ODD(7))
)";

const char* const kFftMixed = R"(void main() {
  const uint64_t group = uint64_t(flat_group());
  const uint64_t first = group * uint64_t(lines);
  if (first >= uint64_t(args.rows)) return;
  for (uint at = me; at < lines * n; at += uint(threads)) {
    const uint line = at / n;
    const uint64_t row = first + uint64_t(line);
    vec2 v = vec2(0.0);
    if (row < uint64_t(args.rows)) {
      base = first_of(uint(row), $BYTES$u);
      v = read(uint(row), at - line * n);
    }
    tile[at] = v;
  }
  barrier();
$STEPS$  for (uint at = me; at < lines * n; at += uint(threads)) {
    const uint line = at / n;
    const uint64_t row = first + uint64_t(line);
    if (row < uint64_t(args.rows)) store(uint(row), at - line * n, tile[at]);
  }
}
)";

}  // namespace frit::codegen::glsl
