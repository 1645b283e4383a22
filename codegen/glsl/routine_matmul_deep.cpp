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
layout(buffer_reference, std430, buffer_reference_align = 16) readonly restrict buffer Words { vec4 data; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Result { vec4 data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Element { float data; };
$DECLARED$$PRELUDE$
// In words of four elements, with one more a line against bank conflicts.
const int line = 33, size = 8 * line;
shared vec4 a_tile[2 * size], b_tile[2 * size];
shared uint zero;
// Where word `number` of a tile begins: its line and its step.
ivec2 part_of(int number, bool along_k) {
  return along_k ? ivec2(number / 2, number % 2 * 4) : ivec2(number % 32 * 4, number / 32);
}
#define FETCH(part, number) { \
  const uint64_t tile = uint64_t(min(number, tiles - 1) + int(zero)); \
  [[unroll]] for (int i = 0; i < 2; ++i) { \
    a_part[part][i] = Words(a_at[i] + tile * a_step).data; \
    b_part[part][i] = Words(b_at[i] + tile * b_step).data; \
  } \
}
#define KEEP_ONE(tile, number, along_k, value) { \
  const ivec2 p = part_of(number, along_k); \
  if (along_k) { \
    [[unroll]] for (int u = 0; u < 4; ++u) tile[to + (p.y + u) * line + p.x / 4][p.x % 4] = value[u]; \
  } else { \
    tile[to + p.y * line + p.x / 4] = value; \
  } \
}
#define KEEP(part, which) { \
  const int to = which * size; \
  [[unroll]] for (int i = 0; i < 2; ++i) { \
    KEEP_ONE(a_tile, me + i * 128, !a_columns, a_part[part][i]) \
    KEEP_ONE(b_tile, me + i * 128, b_columns, b_part[part][i]) \
  } \
}
#define MULTIPLY(which) \
  [[unroll]] for (int s = 0; s < 8; ++s) { \
    vec4 a[4], b[2]; \
    [[unroll]] for (int i = 0; i < 4; ++i) a[i] = a_tile[which * size + s * line + row / 4 + i * 4]; \
    [[unroll]] for (int j = 0; j < 2; ++j) b[j] = b_tile[which * size + s * line + column / 4 + j * 8]; \
    [[unroll]] for (int i = 0; i < 16; ++i) \
      [[unroll]] for (int j = 0; j < 2; ++j) $MULTIPLY$ \
  }
// While tile `number` is multiplied, the next one is stored and the one after the next two is fetched.
#define TURN(number, now, later) \
  FETCH(now, number + 2) \
  KEEP(later, later) \
  MULTIPLY(now) \
  barrier();
void main() {
  const int me = int(gl_LocalInvocationID.x), warp = me / 32, lane = me % 32;
  const int row = warp / 2 * 64 + lane / 8 * 4, column = warp % 2 * 64 + lane % 8 * 4;
  const int64_t m = args.m, n = args.n;
  const int tiles = int(args.k / 8L);
$PLACE$  vec4 sums[16][2];
  [[unroll]] for (int i = 0; i < 16; ++i)
    [[unroll]] for (int j = 0; j < 2; ++j) sums[i][j] = vec4(0.0);
  // Loads are not to move over a barrier: their addresses depend on shared memory.
  if (me == 0) zero = gl_NumWorkGroups.z - 1u;
  barrier();
  vec4 a_part[2][2], b_part[2][2];
  uint64_t a_at[2], b_at[2];
  const uint64_t a_step = uint64_t(args.a_column) * 32UL, b_step = uint64_t(args.b_row) * 32UL;
  [[unroll]] for (int i = 0; i < 2; ++i) {
    const ivec2 p = part_of(me + i * 128, !a_columns), q = part_of(me + i * 128, b_columns);
    const int64_t a_last = a_columns ? ((m + 3L) & -4L) - 4L : m - 1L, b_last = b_columns ? n - 1L : ((n + 3L) & -4L) - 4L;
    a_at[i] = a_base + uint64_t(min(i0 + p.x, a_last) * args.a_row + p.y * args.a_column) * 4UL;
    b_at[i] = b_base + uint64_t(min(j0 + q.x, b_last) * args.b_column + q.y * args.b_row) * 4UL;
  }
  FETCH(0, 0)
  FETCH(1, 1)
  KEEP(0, 0)
  barrier();
  int t = 0;
  for (; t + 2 <= tiles; t += 2) {
    TURN(t, 0, 1)
    TURN(t + 1, 1, 0)
  }
  if (t < tiles) MULTIPLY(0)
$STORE$}
)";

constexpr const char* kStore = R"(  const bool whole = n % 4L == 0L && (args.c & 15UL) == 0UL;
  [[unroll]] for (int i = 0; i < 16; ++i)
    [[unroll]] for (int j = 0; j < 2; ++j) {
      const int64_t r = i0 + row + i / 4 * 16 + i % 4, c = j0 + column + j * 32;
      if (r < m && c < n) {
        const uint64_t at = c_base + uint64_t(r * n + c) * 4UL;
        if (whole) Result(at).data = sums[i][j];
        else
          [[unroll]] for (int u = 0; u < 4; ++u)
            if (c + u < n) Element(at + uint64_t(4 * u)).data = sums[i][j][u];
      }
    }
)";

// Eight rows of the tile at a time pass through shared memory.
constexpr const char* kEpilogue = R"($BEFORE$  for (int pass = 0; pass < 16; ++pass) {
    barrier();
    [[unroll]] for (int i = 0; i < 16; ++i)
      if (pass == i) {
        [[unroll]] for (int j = 0; j < 2; ++j) a_tile[(warp / 2 * 4 + lane / 8) * 32 + column / 4 + j * 8] = sums[i][j];
      }
    barrier();
    $POSITION$ places[parts];
    $ELEMENT$ elements[parts];
    bool there[parts];
    [[unroll]] for (int e = 0; e < parts; ++e) {
      const int64_t i = i0 + (e / 4 * 64 + e % 4 * 4 + pass / 4 * 16 + pass % 4), j = j0 + me;
      const float sum = a_tile[e * 32 + me / 4][me % 4];
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
  shader.text = text.fill_in(fill(kText, {{"STORE", store}}),
                             {{"PARTS", "8"},
                              {"TM", std::to_string(kTile)},
                              {"TN", std::to_string(kTile)},
                              {"MULTIPLY", text.multiply("sums[i][j]", "vec4(a[i / 4][i % 4])", "b[j]")}});
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
