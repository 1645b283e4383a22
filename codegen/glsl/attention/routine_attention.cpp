// Rows between products as shaders: softmax(scale * a b + mask) c without the scores in memory.
//
// A workgroup of 16 by 16 invocations keeps a block of rows. It goes over the columns of the scores in tiles. Of each
// tile it computes the scores in registers, joins each row's maximum with the one so far, scales the sums and the
// result so far by the exponential of their difference, and adds the product of the exponentials with a tile of the
// last operand. Operands, and the exponentials as left operand, pass through shared memory 16 steps at a time, as in
// plain products. Exponentials have base two, whose factor is in the scale.
//
// This form takes operands of any sizes and strides, and computes in float32.
#include "codegen/glsl/attention/attention.h"
#include "ir/routines/attention.h"

namespace frit::codegen::glsl {
namespace {

constexpr const char* kText = R"($EXTENSIONS$layout(local_size_x = 256) in;
layout(buffer_reference, std430, buffer_reference_align = $SIZE$) readonly buffer Element { $STORAGE$ data; };
layout(buffer_reference, std430, buffer_reference_align = $SIZE$) buffer Result { $STORAGE$ data; };
layout(buffer_reference, std430, buffer_reference_align = $MASK_SIZE$) readonly buffer Mask { $MASK_STORAGE$ data; };
$DECLARED$$PART_TYPES$$PRELUDE$const int own = $OWN$, own_e = $OWN_E$, tile = own * 16, tile_e = own_e * 16, depth = 16;
const int per = tile * depth / 256, per_e = tile_e * depth / 256;  // elements that an invocation loads
const int line_e = (tile > tile_e ? tile : tile_e) + 4;
shared float a_tile[depth * (tile + 4)], b_tile[depth * line_e], top[tile];
#define UNSEEN uintBitsToFloat(0xff800000u)
// An invocation's part of a tile: its first line and step, and what the next elements add.
struct Part {
  uint64_t at, each, next;  // bytes: of the first element, to the next one, to the next tile of steps
  int line, step, lines, steps;
};
Part part_of(uint64_t base, int64_t line, int64_t step, int width, int me) {
  Part p;
  const bool along = step == 1L;
  p.line = along ? me / depth : me % width;
  p.step = along ? me % depth : me / width;
  p.lines = along ? 256 / depth : 0;
  p.steps = along ? 0 : 256 / width;
  p.at = base + uint64_t(int64_t(p.line) * line + int64_t(p.step) * step) * $SIZE$UL;
  p.each = uint64_t(int64_t(p.lines) * line + int64_t(p.steps) * step) * $SIZE$UL;
  p.next = uint64_t(step * int64_t(depth)) * $SIZE$UL;
  return p;
}
#define FROM_MEMORY(x) ($FROM$)
#define FETCH(part, count, p, before, lines_left, steps_left) \
  [[unroll]] for (int i = 0; i < count; ++i) { \
    part[i] = 0.0; \
    if (p.line + i * p.lines < lines_left && p.step + i * p.steps < steps_left) { \
      part[i] = FROM_MEMORY(Element(p.at + (before) + uint64_t(i) * p.each).data); \
    } \
  }
#define KEEP(where, width, part, count, p) \
  [[unroll]] for (int i = 0; i < count; ++i) where[(p.step + i * p.steps) * (width) + p.line + i * p.lines] = part[i];
// Where number `i` of an invocation's own lines lies in a tile: in fours, 64 apart.
int at(int number, int i) { return i / 4 * 64 + number * 4 + i % 4; }
void main() {
  const int me = int(gl_LocalInvocationID.x), row = me / 16, column = me % 16;
$PLACE$  const int rows_left = int(min(m - i0, int64_t(tile))), d_left = int(d);
  Part a_part = part_of(a_base + uint64_t(i0 * args.a_row) * $SIZE$UL, args.a_row, args.a_column, tile, me);
  Part b_part = part_of(b_base, args.b_column, args.b_row, tile, me);
  Part c_part = part_of(c_base + uint64_t(e0 * args.c_column) * $SIZE$UL, args.c_column, args.c_row, tile_e, me);
  const int e_left = int(min(e - e0, int64_t(tile_e)));
  float sums[own], result[own][own_e];
@for x $OWN$@  sums[@x@] = 0.0;
@for z $OWN_E$@  result[@x@][@z@] = 0.0;
@end z@@end x@  if (me < tile) top[me] = -3e38;
  for (int64_t j0 = $FIRST$; j0 < keys; j0 += tile) {
    const int keys_left = int(min(n - j0, int64_t(tile)));
    const uint64_t b_before = uint64_t(j0 * args.b_column) * $SIZE$UL, c_before = uint64_t(j0 * args.c_row) * $SIZE$UL;
    float scores[own][own], a_next[per], b_next[per], c_next[per_e];
@for x $OWN$@@for y $OWN$@    scores[@x@][@y@] = 0.0;
@end y@@end x@    FETCH(a_next, per, a_part, 0UL, rows_left, d_left)
    FETCH(b_next, per, b_part, b_before, keys_left, d_left)
    for (int k0 = 0; k0 < d_left; k0 += depth) {
      barrier();
      KEEP(a_tile, tile + 4, a_next, per, a_part)
      KEEP(b_tile, tile + 4, b_next, per, b_part)
      barrier();
      const int next = k0 + depth;
      if (next < d_left) {
        FETCH(a_next, per, a_part, uint64_t(next / depth) * a_part.next, rows_left, d_left - next)
        FETCH(b_next, per, b_part, b_before + uint64_t(next / depth) * b_part.next, keys_left, d_left - next)
      }
      [[unroll]] for (int s = 0; s < depth; ++s) {
@for x $OWN$@        const float u@x@ = a_tile[s * (tile + 4) + at(row, @x@)];
@end x@@for y $OWN$@        const float v@y@ = b_tile[s * (tile + 4) + at(column, @y@)];
@end y@@for x $OWN$@@for y $OWN$@        scores[@x@][@y@] = fma(u@x@, v@y@, scores[@x@][@y@]);
@end y@@end x@      }
    }
    FETCH(c_next, per_e, c_part, c_before, e_left, keys_left)
    const int last = int(clamp(i0 + shift - j0, -1000L, 1000L));  // column that the block's first row sees last
$COLUMNS$@for x $OWN$@    {
      const int i = at(row, @x@);
$ROW$@for y $OWN$@      {
        const int j = at(column, @y@);
        float score = scores[@x@][@y@] * $SCALE$;
$MASKS$        scores[@x@][@y@] = j < keys_left ? score : UNSEEN;
      }
@end y@    }
@end x@    barrier();
@for x $OWN$@    {
      float most = scores[@x@][0];
@for y $OWN$@      most = max(most, scores[@x@][@y@]);
@end y@      b_tile[column * tile + at(row, @x@)] = most;
      a_tile[at(row, @x@)] = top[at(row, @x@)];
    }
@end x@    barrier();
    if (me < tile) {
      float most = top[me];
      [[unroll]] for (int y = 0; y < 16; ++y) most = max(most, b_tile[y * tile + me]);
      top[me] = most;
    }
    barrier();
@for x $OWN$@    {
      const float most = top[at(row, @x@)], factor = exp2(a_tile[at(row, @x@)] - most);
      sums[@x@] *= factor;
@for z $OWN_E$@      result[@x@][@z@] *= factor;
@end z@@for y $OWN$@      scores[@x@][@y@] = exp2(scores[@x@][@y@] - most);
      sums[@x@] += scores[@x@][@y@];
@end y@    }
@end x@@for part $PARTS$@    for (int quarter = 0; quarter < 4; ++quarter) {
      const int j = @part@ * 64 + quarter * depth;
      if (j >= keys_left) break;
      barrier();
      if (column / 4 == quarter) {
@for y 4@@for x $OWN$@        a_tile[(column % 4 * 4 + @y@) * (tile + 4) + at(row, @x@)] = scores[@x@][@part@ * 4 + @y@];
@end x@@end y@      }
      KEEP(b_tile, line_e, c_next, per_e, c_part)
      barrier();
      FETCH(c_next, per_e, c_part, c_before + uint64_t(j / depth + 1) * c_part.next, e_left, keys_left - j - depth)
      [[unroll]] for (int s = 0; s < depth; ++s) {
@for x $OWN$@        const float u@x@ = a_tile[s * (tile + 4) + at(row, @x@)];
@end x@@for z $OWN_E$@        const float v@z@ = b_tile[s * line_e + at(column, @z@)];
@end z@@for x $OWN$@@for z $OWN_E$@        result[@x@][@z@] = fma(u@x@, v@z@, result[@x@][@z@]);
@end z@@end x@      }
    }
@end part@  }
  barrier();
@for x $OWN$@  b_tile[column * tile + at(row, @x@)] = sums[@x@];
@end x@  barrier();
@for x $OWN$@  {
    const int64_t i = i0 + at(row, @x@);
    float whole = 0.0;
    for (int y = 0; y < 16; ++y) whole += b_tile[y * tile + at(row, @x@)];
$STATS$@for z $OWN_E$@    {
      const int64_t j = e0 + at(column, @z@);
$STORE$    }
@end z@  }
@end x@}
)";

constexpr const char* kStore = R"(      const float value = n == 0L ? 0.0 : result[@x@][@z@] / whole;
      if (i < m && j < e) Result(out_base + uint64_t(i * e + j) * $SIZE$UL).data = $STORED$;
)";
constexpr const char* kStorePart =
    "      if (i < m && j < e) Partial(part_base + uint64_t(i * e + j) * 4UL).data = result[@x@][@z@];\n";
constexpr const char* kStats =
    "    if (i < m && column == 0) Stats(stats_base + uint64_t(i) * 8UL).data = vec2(top[at(row, @x@)], whole);\n";
constexpr const char* kPartTypes =
    R"(layout(buffer_reference, std430, buffer_reference_align = 4) buffer Partial { float data; };
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Stats { vec2 data; };
)";

// Where the mask of a row and of each column lies.
constexpr const char* kMaskColumns = R"(    uint64_t mask_column[own];
@for y $OWN$@    mask_column[@y@] = uint64_t(min(at(column, @y@), keys_left - 1) * args.mask_column) * $MASK_SIZE$UL;
@end y@)";
constexpr const char* kMaskRow =
    "      const uint64_t mask_row = mask_base + uint64_t(min(i0 + i, m - 1L) * args.mask_row + j0 * args.mask_column) * $MASK_SIZE$UL;\n";

Shader attention_tiles(const RoutineStep& s, const AttentionText& t, int own, int own_columns,
                       const AttentionSizes& sizes) {
  const bool split = sizes.split_slots > 0;
  Prelude prelude(s.features.converts16);
  const bool low = is_low_precision(t.type);
  const Dtype mask = t.masked ? s.step.dtypes[3] : t.type;
  const std::string from = low ? cast_expression(prelude, float32, t.type, "uint(x)") : "x";
  const std::string at_mask = "Mask(mask_row + mask_column[@y@]).data";
  const std::string from_mask =
      is_low_precision(mask) ? cast_expression(prelude, float32, mask, "uint(" + at_mask + ")") : at_mask;
  const std::string stored = low ? "uint16_t(" + cast_expression(prelude, t.type, float32, "value") + ")" : "value";
  std::string extensions = prelude.half_modes();
  if (low || mask.size() == 2) extensions += "#extension GL_EXT_shader_16bit_storage : require\n";
  if (mask.size() == 1) extensions += "#extension GL_EXT_shader_8bit_storage : require\n";
  const int tile = own * 16, tile_e = own_columns * 16;
  Shader shader;
  shader.text = fill(kText, {{"EXTENSIONS", extensions},
                             {"PRELUDE", prelude.text()},
                             {"PLACE", kAttentionPlace},
                             {"MASKS", mask_text(t, "true", from_mask, at_mask)},
                             {"COLUMNS", t.masked ? kMaskColumns : ""},
                             {"STATS", split ? kStats : ""},
                             {"STORE", split ? kStorePart : kStore},
                             {"ROW", t.masked ? kMaskRow : ""}});
  shader.text = fill(shader.text, {{"OWN", std::to_string(own)},
                                   {"OWN_E", std::to_string(own_columns)},
                                   {"PARTS", std::to_string(own / 4)},
                                   {"TM", std::to_string(tile)},
                                   {"TE", std::to_string(tile_e)},
                                   {"FROM", from},
                                   {"PART_TYPES", split ? kPartTypes : ""},
                                   {"STORED", stored},
                                   {"STORAGE", low ? "uint16_t" : "float"}});
  shader.text = fill(shader.text, t.words);
  shader.text = unroll(fill(shader.text, split ? t.part_words() : t.whole_words()));
  shader.kernel.name =
      s.name() + "_tiles" + std::to_string(tile) + "_" + std::to_string(tile_e) + (split ? "_split" : "");
  shader.kernel.group_size = 256;
  shader.kernel.routine = attention_form(t, sizes, s.number);
  return shader;
}

constexpr uint32_t kLargeShared = 17920;  // bytes of shared memory
constexpr int64_t kManyBlocks = 64;       // large tiles only where there are so many of them

Result<std::vector<Shader>> emit_attention(const RoutineStep& s) {
  const runtime::GpuFeatures& f = s.features;
  const AttentionText text(s);
  if (text.type == float64) return std::vector<Shader>();
  if (!f.int64) return s.refuse("it has no shaderInt64");
  const bool has_half = text.type.size() == 2 || (text.masked && s.step.dtypes[3].size() == 2);
  if (has_half && !f.storage16)
    return s.refuse("it has no storageBuffer16BitAccess", "cast to float32 on the cpu first, or ");
  if (text.hides && !f.storage8) return s.refuse("it has no storageBuffer8BitAccess", "add a mask of float32, or ");
  if (f.group_size < 256) return s.refuse("its workgroups are smaller than 256 invocations");
  std::vector<Shader> shaders;
  constexpr uint32_t kFewShared = 14336;
  if (f.ptx) shaders = few_attention_ptx(s, text);
  if (f.shared_bytes >= kFewShared)
    for (Shader& shader : attention_few(s, text)) shaders.push_back(std::move(shader));
  if (f.ptx)
    for (Shader& shader : attention_ptx(s, text)) shaders.push_back(std::move(shader));
  const bool units = text.type == float16 ? f.matrix16 : text.type == bfloat16 && f.matrix_bfloat16;
  if (units && f.shuffle && f.shared_bytes >= kAttentionMatrixShared)
    for (Shader& shader : attention_matrices(s, text)) shaders.push_back(std::move(shader));
  const Dim columns = s.step.results[0].layout.shape.back();
  const int own_columns = columns.is_const() && columns.value() > 64 ? 8 : 4, tile_e = own_columns * 16;
  if (f.shared_bytes >= kLargeShared) {
    shaders.push_back(attention_tiles(s, text, 8, own_columns, {128, tile_e, kManyBlocks}));
  }
  const AttentionSizes split{.rows = 64, .columns = tile_e, .split_slots = 264, .split_fewest = 256, .split_unit = 64};
  for (Shader& shader : with_join(s, text, split, attention_tiles(s, text, 4, own_columns, split)))
    shaders.push_back(std::move(shader));
  shaders.push_back(attention_tiles(s, text, 4, own_columns, {64, tile_e}));
  return shaders;
}

const RegisterRoutineShaders shaders(ir::kAttention, emit_attention), masked(ir::kMaskedAttention, emit_attention);

}  // namespace

}  // namespace frit::codegen::glsl
