// Products of float32 matrices by invocations that each hold 16 by 8 sums.
//
// A workgroup of 128 invocations computes 128 by 128 elements of the result. Two tiles of 8 steps along k lie in shared
// memory and two more are on their way in registers, so that loads have two turns to arrive. Operands lie side by side
// along either axis, which is a constant of the pipeline, and are read 16 bytes at a time; k is a multiple of 8.
// Loads beyond an operand read its last lines, whose sums are not stored. Sums run along k in order.
#include "codegen/glsl/product.h"

namespace frit::codegen::glsl {

namespace {

constexpr int kTile = 128, kDepth = 8;
constexpr uint32_t kInvocations = 128;

constexpr const char* kText = R"(#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
$EXTENSIONS$$REFERENCES$layout(local_size_x = 128) in;
layout(constant_id = 0) const bool a_columns = false;
layout(constant_id = 1) const bool b_columns = false;
layout(constant_id = 2) const bool wide_lines = false;  // of the result
layout(buffer_reference, std430, buffer_reference_align = 16) readonly restrict buffer Words { vec4 data; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Result { vec4 data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Element { float data; };
$DECLARED$$PRELUDE$
// Lines are longer against bank conflicts where they are written across. Two arrays each: drivers write better code for
// them than for one of twice the length.
const int a_line = 132, b_line = b_columns ? 33 : 32;
shared float a_tile0[8 * 132], a_tile1[8 * 132];
shared vec4 b_tile0[8 * 33], b_tile1[8 * 33];
shared uint zero;
// Where word `number` of a tile begins: its line and its step.
ivec2 part_of(int number, bool along_k) {
  return along_k ? ivec2(number / 2, number % 2 * 4) : ivec2(number % 32 * 4, number / 32);
}
#define FETCH(set, number) { \
  const uint64_t tile = uint64_t(uint(min(number, tiles - 1)) + zero), a_before = tile * a_step, b_before = tile * b_step; \
  [[unroll]] for (int i = 0; i < 2; ++i) a_part##set[i] = Words(a_at[i] + a_before).data; \
  [[unroll]] for (int i = 0; i < 2; ++i) b_part##set[i] = Words(b_at[i] + b_before).data; \
}
#define KEEP(set) { \
  [[unroll]] for (int i = 0; i < 2; ++i) \
    [[unroll]] for (int u = 0; u < 4; ++u) a_tile##set[a_to[i] + u * (a_columns ? 1 : a_line)] = a_part##set[i][u]; \
  [[unroll]] for (int i = 0; i < 2; ++i) { \
    if (b_columns) { \
      [[unroll]] for (int u = 0; u < 4; ++u) b_tile##set[b_to[i] + u * b_line][b_of[i]] = b_part##set[i][u]; \
    } else { \
      b_tile##set[b_to[i]] = b_part##set[i]; \
    } \
  } \
}
#define MULTIPLY_BY(set) \
  [[unroll]] for (int s = 0; s < 8; ++s) { \
    float a[16]; \
    vec4 b[2]; \
    [[unroll]] for (int i = 0; i < 4; ++i) \
      [[unroll]] for (int u = 0; u < 4; ++u) a[i * 4 + u] = a_tile##set[s * a_line + row + i * 16 + u]; \
    [[unroll]] for (int j = 0; j < 2; ++j) b[j] = b_tile##set[s * b_line + column / 4 + j * 8]; \
    [[unroll]] for (int i = 0; i < 16; ++i) \
      [[unroll]] for (int j = 0; j < 2; ++j) { \
        $MULTIPLY0$ $MULTIPLY1$ $MULTIPLY2$ $MULTIPLY3$ \
      } \
  }
// While tile `number` is multiplied, the next one is stored and the one after the next two is fetched.
#define TURN(number, now, later) \
  FETCH(now, number + 2) \
  KEEP(later) \
  MULTIPLY_BY(now) \
  barrier();
void main() {
  const int me = int(gl_LocalInvocationID.x), warp = me >> 5, lane = me & 31;
  const int row = warp / 2 * 64 + lane / 8 * 4, column = warp % 2 * 64 + lane % 8 * 4;
  const int64_t m = args.m, n = args.n;
  const int tiles = int(args.k / 8L);
$PLACE$  vec4 sums[16][2];
  [[unroll]] for (int i = 0; i < 16; ++i)
    [[unroll]] for (int j = 0; j < 2; ++j) sums[i][j] = vec4(0.0);
  // Loads are not to move over a barrier: their addresses depend on shared memory.
  if (me == 0) zero = gl_NumWorkGroups.z - 1u;
  barrier();
  uint64_t a_at[2], b_at[2];
  int a_to[2], b_to[2], b_of[2];
  const uint64_t a_step = uint64_t(args.a_column) * 32UL, b_step = uint64_t(args.b_row) * 32UL;
  [[unroll]] for (int i = 0; i < 2; ++i) {
    const ivec2 p = part_of(me + i * 128, !a_columns), q = part_of(me + i * 128, b_columns);
    a_to[i] = p.y * a_line + p.x;
    b_to[i] = q.y * b_line + q.x / 4;
    b_of[i] = q.x % 4;
    const int64_t a_last = a_columns ? ((m + 3L) & -4L) - 4L : m - 1L, b_last = b_columns ? n - 1L : ((n + 3L) & -4L) - 4L;
    a_at[i] = a_base + uint64_t(min(i0 + p.x, a_last) * args.a_row + p.y * args.a_column) * 4UL;
    b_at[i] = b_base + uint64_t(min(j0 + q.x, b_last) * args.b_column + q.y * args.b_row) * 4UL;
  }
  vec4 a_part0[2], a_part1[2], b_part0[2], b_part1[2];
  FETCH(0, 0)
  FETCH(1, 1)
  KEEP(0)
  barrier();
  int t = 0;
  for (; t + 2 <= tiles; t += 2) {
    TURN(t, 0, 1)
    TURN(t + 1, 1, 0)
  }
  // The whole turn: without it, drivers write worse code for the loop.
  if (t < tiles) {
    TURN(t, 0, 1)
  }
$STORE$}
)";

constexpr const char* kStore =
    R"(  const int high = int(min(m - i0, 128L)), broad = int(min(n - j0, 128L));  // of the tile
  const uint64_t c_first = c_base + uint64_t(i0 * n + j0) * 4UL, line_bytes = uint64_t(n) * 4UL;
  [[unroll]] for (int i = 0; i < 16; ++i)
    [[unroll]] for (int j = 0; j < 2; ++j) {
      const int r = row + i / 4 * 16 + i % 4, c = column + j * 32;
      const uint64_t at = c_first + uint64_t(r) * line_bytes + uint64_t(4 * c);
      if (wide_lines) {
        if (r < high && c < broad) Result(at).data = sums[i][j];
      } else {
        [[unroll]] for (int u = 0; u < 4; ++u)
          if (r < high && c + u < broad) Element(at + uint64_t(4 * u)).data = sums[i][j][u];
      }
    }
)";

// Eight rows of the tile at a time pass through shared memory.
constexpr const char* kEpilogue = R"($BEFORE$  for (int pass = 0; pass < 16; ++pass) {
    barrier();
    [[unroll]] for (int i = 0; i < 16; ++i)
      if (pass == i) {
        [[unroll]] for (int j = 0; j < 2; ++j) b_tile0[(warp / 2 * 4 + lane / 8) * 32 + column / 4 + j * 8] = sums[i][j];
      }
    barrier();
    $POSITION$ places[parts];
    $ELEMENT$ elements[parts];
    bool there[parts];
    [[unroll]] for (int e = 0; e < parts; ++e) {
      const int64_t i = i0 + (e / 4 * 64 + e % 4 * 4 + pass / 4 * 16 + pass % 4), j = j0 + me;
      const float sum = b_tile0[e * 32 + me / 4][me % 4];
      there[e] = i < m && j < n;
      places[e] = $POSITION$(before + uint64_t(i * n + j));
      elements[e] = sum;
$KEEP$    }
    epilogue(places, elements, there);
  }
)";
constexpr const char* kKeep = "      if (there[e]) Element(c_base + uint64_t(i * n + j) * 4UL).data = sum;\n";

Shader write(const RoutineStep& s, const FusedEpilogue& fused, bool copied) {
  const ProductText text(float32, s.features, fused);
  Shader shader;
  const std::string store =
      text.epilogue() ? fill(kEpilogue, {{"KEEP", fused.keep ? kKeep : ""}}) : std::string(kStore);
  const auto part = [&](int u) {
    const std::string of = "[" + std::to_string(u) + "]";
    return text.multiply("sums[i][j]" + of, "a[i]", "b[j]" + of);
  };
  shader.text = text.fill_in(fill(kText, {{"STORE", store}}), {{"PARTS", "8"},
                                                               {"TM", std::to_string(kTile)},
                                                               {"TN", std::to_string(kTile)},
                                                               {"MULTIPLY0", part(0)},
                                                               {"MULTIPLY1", part(1)},
                                                               {"MULTIPLY2", part(2)},
                                                               {"MULTIPLY3", part(3)}});
  shader.kernel.name = s.name() + (copied ? "_deep_copied" : "_deep");
  shader.kernel.group_size = kInvocations;
  shader.kernel.routine = product_form(ProductKind::Deep, {4, kTile, kTile, kDepth, copied}, s.number);
  shader.kernel.routine->epilogue = text.epilogue() != nullptr;
  return shader;
}

}  // namespace

std::vector<Shader> deep_products(const RoutineStep& s, const FusedEpilogue& fused) {
  std::vector<Shader> shaders = with_copies(s, float32, {4, kTile, kTile, kDepth, true}, true, write(s, fused, true));
  shaders.push_back(write(s, fused, false));
  return shaders;
}

}  // namespace frit::codegen::glsl
