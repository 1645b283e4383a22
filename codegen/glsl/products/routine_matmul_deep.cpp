// Products of float32 matrices by invocations that each hold 16 by 8 sums, or 8 by 8.
//
// A workgroup computes 128 by 128 elements of the result, or 64 by 64. Two tiles of 8 steps along k lie in shared
// memory and two more are on their way in registers, so that loads have two turns to arrive. Whether operands lie side
// by side along k or across it, and whether 16-byte loads take them, are constants of the pipeline. Loads beyond an
// operand read its last lines, whose sums are not stored. Where k is no multiple of 8, the last tile begins earlier,
// and what was summed before is zero. Sums run along k in order.
#include "codegen/glsl/products/product.h"

namespace frit::codegen::glsl {

namespace {

constexpr int kDepth = 8;

constexpr const char* kText = R"($EXTENSIONS$$REFERENCES$layout(local_size_x = $THREADS$) in;
layout(constant_id = 0) const bool a_columns = false;
layout(constant_id = 1) const bool b_columns = false;
layout(constant_id = 2) const bool wide_lines = false;  // of the result
layout(constant_id = 3) const bool a_wide = false;
layout(constant_id = 4) const bool b_wide = false;
layout(constant_id = 5) const bool whole = false;  // k is a multiple of 8
layout(buffer_reference, std430, buffer_reference_align = 16) readonly restrict buffer Words { vec4 data; };
layout(buffer_reference, std430, buffer_reference_align = 4) readonly restrict buffer Word { float data; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Result { vec4 data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Element { float data; };
$DECLARED$$PRELUDE$
const int threads = $THREADS$, tile = $TILE$, own = $OWN$;  // own: rows of an invocation's sums
// Lines are longer against bank conflicts where they are written across. Two arrays each: drivers write better code for
// them than for one of twice the length.
const int a_line = tile + 4, b_line = b_columns ? tile / 4 + 1 : tile / 4;
shared float a_tile0[8 * (tile + 4)], a_tile1[8 * (tile + 4)];
shared vec4 b_tile0[8 * (tile / 4 + 1)], b_tile1[8 * (tile / 4 + 1)];
shared uint zero;
// Where word `number` of a tile begins: its line and its step.
ivec2 part_of(int number, bool along_k) {
  return along_k ? ivec2(number / 2, number % 2 * 4) : ivec2(number % (tile / 4) * 4, number / (tile / 4));
}
// The same of element `number`, where elements are read one by one.
ivec2 element_of(int number, bool along_k) { return along_k ? ivec2(number / 8, number % 8) : ivec2(number % tile, number / tile); }
#define LOAD(part, wide, at, before, most, apart) \
  if (wide) { \
    [[unroll]] for (int i = 0; i < 2; ++i) part[i] = Words(at[i] + before).data; \
  } else { \
    [[unroll]] for (int e = 0; e < 8; ++e) part[e / 4][e % 4] = Word(at[0] + before + uint64_t(uint(min(e, most))) * apart).data; \
  }
#define FETCH(set, number) { \
  uint64_t a_before, b_before; \
  if (whole) { \
    const uint64_t t = uint64_t(uint(min(number, tiles - 1)) + zero); \
    a_before = t * a_step, b_before = t * b_step; \
  } else { \
    const uint64_t s = uint64_t(int64_t(min(min(number, tiles - 1) * 8, latest) + int(zero))); \
    a_before = s * a_each, b_before = s * b_each; \
  } \
  LOAD(a_part##set, a_wide, a_at, a_before, a_most, a_apart) \
  LOAD(b_part##set, b_wide, b_at, b_before, b_most, b_apart) \
}
// An element of a part, or zero where its step was summed before.
#define OF(part, e, wide, along_k) \
  (!whole && (wide ? (along_k ? me % 2 * 4 + e % 4 : me / (tile / 4) + e / 4 * 4) : along_k ? me % 8 : e) < done ? 0.0 : part[e / 4][e % 4])
#define KEEP(set, number) { \
  const int done = whole ? 0 : max(min(number, tiles - 1) * 8 - latest, 0); \
  if (a_wide) { \
    [[unroll]] for (int i = 0; i < 2; ++i) \
      [[unroll]] for (int u = 0; u < 4; ++u) \
        a_tile##set[a_to[i] + u * (a_columns ? 1 : a_line)] = OF(a_part##set, (i * 4 + u), a_wide, !a_columns); \
  } else { \
    [[unroll]] for (int e = 0; e < 8; ++e) \
      a_tile##set[a_to[0] + e * (a_columns ? a_line : threads / 8)] = OF(a_part##set, e, a_wide, !a_columns); \
  } \
  if (!b_wide) { \
    [[unroll]] for (int e = 0; e < 8; ++e) \
      b_tile##set[b_to[0] + e * (b_columns ? threads / 32 : b_line)][b_of[0]] = OF(b_part##set, e, b_wide, b_columns); \
  } else if (b_columns) { \
    [[unroll]] for (int i = 0; i < 2; ++i) \
      [[unroll]] for (int u = 0; u < 4; ++u) \
        b_tile##set[b_to[i] + u * b_line][b_of[i]] = OF(b_part##set, (i * 4 + u), b_wide, b_columns); \
  } else { \
    [[unroll]] for (int i = 0; i < 2; ++i) \
      b_tile##set[b_to[i]] = vec4(OF(b_part##set, (i * 4), b_wide, b_columns), OF(b_part##set, (i * 4 + 1), b_wide, b_columns), \
                                  OF(b_part##set, (i * 4 + 2), b_wide, b_columns), OF(b_part##set, (i * 4 + 3), b_wide, b_columns)); \
  } \
}
#define MULTIPLY_BY(set) \
  [[unroll]] for (int s = 0; s < 8; ++s) { \
    float a[own]; \
    vec4 b[2]; \
    [[unroll]] for (int i = 0; i < own / 4; ++i) \
      [[unroll]] for (int u = 0; u < 4; ++u) a[i * 4 + u] = a_tile##set[s * a_line + row + i * 16 + u]; \
    [[unroll]] for (int j = 0; j < 2; ++j) b[j] = b_tile##set[s * b_line + column / 4 + j * 8]; \
    [[unroll]] for (int i = 0; i < own; ++i) \
      [[unroll]] for (int j = 0; j < 2; ++j) { \
        $MULTIPLY0$ $MULTIPLY1$ $MULTIPLY2$ $MULTIPLY3$ \
      } \
  }
// While tile `number` is multiplied, the next one is stored and the one after the next two is fetched.
#define TURN(number, now, later) \
  FETCH(now, number + 2) \
  KEEP(later, number + 1) \
  MULTIPLY_BY(now) \
  barrier();
void main() {
  const int me = int(gl_LocalInvocationID.x), warp = me >> 5, lane = me & 31;
  const int row = warp / (tile / 64) * (own * 4) + lane / 8 * 4, column = warp % (tile / 64) * 64 + lane % 8 * 4;
  const int64_t m = args.m, n = args.n;
$PLACE$  const int steps = int($K$), tiles = (steps + 7) / 8;
  // The step at which the last tile begins: eight before the end of the operands, which may lie before this part.
  const int latest = $LATEST$;
  vec4 sums[own][2];
  [[unroll]] for (int i = 0; i < own; ++i)
    [[unroll]] for (int j = 0; j < 2; ++j) sums[i][j] = vec4(0.0);
  // Loads are not to move over a barrier: their addresses depend on shared memory.
  if (me == 0) zero = gl_WorkGroupID.z;
  barrier();
  uint64_t a_at[2], b_at[2];
  int a_to[2], b_to[2], b_of[2];
  const uint64_t a_each = uint64_t(args.a_column) * 4UL, b_each = uint64_t(args.b_row) * 4UL;
  const uint64_t a_step = a_each * 8UL, b_step = b_each * 8UL;
  [[unroll]] for (int i = 0; i < 2; ++i) {
    const ivec2 p = a_wide ? part_of(me + i * threads, !a_columns) : element_of(me, !a_columns);
    const ivec2 q = b_wide ? part_of(me + i * threads, b_columns) : element_of(me, b_columns);
    a_to[i] = p.y * a_line + p.x;
    b_to[i] = q.y * b_line + q.x / 4;
    b_of[i] = q.x % 4;
    const int64_t a_last = a_columns && a_wide ? ((m + 3L) & -4L) - 4L : m - 1L;
    const int64_t b_last = b_columns || !b_wide ? n - 1L : ((n + 3L) & -4L) - 4L;
    a_at[i] = a_base + uint64_t(min(i0 + p.x, a_last) * args.a_row + p.y * args.a_column) * 4UL;
    b_at[i] = b_base + uint64_t(min(j0 + q.x, b_last) * args.b_column + q.y * args.b_row) * 4UL;
  }
  // Elements that are read one by one lie in lines some apart, or in the same line.
  const uint64_t a_apart = a_columns ? a_each : uint64_t(args.a_row) * (4UL * (threads / 8));
  const uint64_t b_apart = b_columns ? uint64_t(args.b_column) * (4UL * (threads / 8)) : b_each;
  const int a_most = a_columns ? 7 : int(clamp((m - 1L - i0 - me / 8) / (threads / 8), 0L, 7L));
  const int b_most = b_columns ? int(clamp((n - 1L - j0 - me / 8) / (threads / 8), 0L, 7L)) : 7;
  vec4 a_part0[2], a_part1[2], b_part0[2], b_part1[2];
  FETCH(0, 0)
  FETCH(1, 1)
  KEEP(0, 0)
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
    R"(  const int high = int(min(m - i0, int64_t(tile))), broad = int(min(n - j0, int64_t(tile)));
  const uint64_t c_first = $C_FIRST$, line_bytes = uint64_t($LINE$) * 4UL;
  [[unroll]] for (int i = 0; i < own; ++i)
    [[unroll]] for (int j = 0; j < 2; ++j) {
      const int r = row + i / 4 * 16 + i % 4, c = column + j * 32;
      const uint64_t at = c_first + uint64_t(r) * line_bytes + uint64_t(4 * c);
      if ($WIDE_LINES$) {
        if (r < high && c < broad) Result(at).data = sums[i][j];
      } else {
        [[unroll]] for (int u = 0; u < 4; ++u)
          if (r < high && c + u < broad) Element(at + uint64_t(4 * u)).data = sums[i][j][u];
      }
    }
)";

// Eight rows of the tile at a time pass through shared memory.
constexpr const char* kEpilogue = R"($BEFORE$  for (int pass = 0; pass < own; ++pass) {
    barrier();
    [[unroll]] for (int i = 0; i < own; ++i)
      if (pass == i) {
        [[unroll]] for (int j = 0; j < 2; ++j) b_tile0[(warp / (tile / 64) * 4 + lane / 8) * (tile / 4) + column / 4 + j * 8] = sums[i][j];
      }
    barrier();
    $POSITION$ places[parts];
    $ELEMENT$ elements[parts];
    bool there[parts];
    [[unroll]] for (int e = 0; e < parts; ++e) {
      const int64_t i = i0 + (e / 4 * (own * 4) + e % 4 * 4 + pass / 4 * 16 + pass % 4), j = j0 + me;
      const float sum = b_tile0[e * (tile / 4) + me / 4][me % 4];
      there[e] = i < m && j < n;
      places[e] = $POSITION$(before + uint64_t(i * n + j));
      elements[e] = sum;
$KEEP$    }
    epilogue(places, elements, there);
  }
)";
constexpr const char* kKeep = "      if (there[e]) Element(c_base + uint64_t(i * n + j) * 4UL).data = sum;\n";

// Invocations are as many as the tile has lines.
struct Tile {
  int lines, own;
  ProductKind kind;
};

Shader write(const RoutineStep& s, const FusedEpilogue& fused, const Tile& tile, const FormSizes& sizes) {
  const ProductText text(float32, s.features, fused);
  Shader shader;
  const std::string store =
      text.epilogue() ? fill(kEpilogue, {{"KEEP", fused.keep ? kKeep : ""}})
                      : fill(kStore, {{"C_FIRST", sizes.split ? "part_base + uint64_t(i0 * args.pitch + j0) * 4UL"
                                                              : "c_base + uint64_t(i0 * n + j0) * 4UL"},
                                      {"LINE", sizes.split ? "args.pitch" : "n"},
                                      {"WIDE_LINES", sizes.split ? "true" : "wide_lines"}});
  const auto part = [&](int u) {
    const std::string of = "[" + std::to_string(u) + "]";
    return text.multiply("sums[i][j]" + of, "a[i]", "b[j]" + of);
  };
  std::map<std::string, std::string> words = sizes.split ? part_words(4) : whole_words();
  words.insert({{"PARTS", "8"},
                {"TM", std::to_string(tile.lines)},
                {"TN", std::to_string(tile.lines)},
                {"TILE", std::to_string(tile.lines)},
                {"OWN", std::to_string(tile.own)},
                {"THREADS", std::to_string(tile.lines)},
                {"LATEST", sizes.split ? "int(args.k - 8L - k_first)" : "steps - 8"},
                {"MULTIPLY0", part(0)},
                {"MULTIPLY1", part(1)},
                {"MULTIPLY2", part(2)},
                {"MULTIPLY3", part(3)}});
  shader.text = text.fill_in(fill(kText, {{"STORE", store}}), words);
  shader.kernel.name = s.name() + "_deep" + std::to_string(tile.lines) +
                       (sizes.split    ? "_split"
                        : sizes.copied ? "_copied"
                                       : "");
  shader.kernel.group_size = static_cast<uint32_t>(tile.lines);
  shader.kernel.routine = product_form(tile.kind, sizes, s.number);
  shader.kernel.routine->epilogue = text.epilogue() != nullptr;
  return shader;
}

}  // namespace

std::vector<Shader> deep_products(const RoutineStep& s, const FusedEpilogue& fused) {
  constexpr Tile kTiles[] = {{128, 16, ProductKind::Deep}, {64, 8, ProductKind::SmallDeep}};
  // Many tiles of odd operands: copies cost less than loads of single elements.
  const FormSizes copied{.element_bytes = 4,
                         .tile_rows = kTiles[0].lines,
                         .tile_columns = kTiles[0].lines,
                         .depth = kDepth,
                         .copied = true};
  std::vector<Shader> shaders = with_odd_copies(s, float32, copied, write(s, fused, kTiles[0], copied));
  for (const Tile& tile : kTiles) {
    FormSizes sizes{.element_bytes = 4, .tile_rows = tile.lines, .tile_columns = tile.lines, .depth = kDepth};
    Shader own = write(s, fused, tile, sizes);
    sizes.split = true;
    std::vector<Shader> split =
        with_sums(s, float32, parts_of(tile.kind, sizes), fused, write(s, FusedEpilogue(), tile, sizes));
    // The large tile is split only where the unsplit one does not suit, the small one wherever that has several parts.
    const bool first = tile.kind == ProductKind::Deep;
    if (first) shaders.push_back(std::move(own));
    for (Shader& shader : split) shaders.push_back(std::move(shader));
    if (!first) shaders.push_back(std::move(own));
  }
  return shaders;
}

}  // namespace frit::codegen::glsl
