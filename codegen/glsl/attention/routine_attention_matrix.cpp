// Rows between products of float16 and bfloat16 by the device's matrix units, through cooperative matrices that a
// subgroup holds; scores, sums and results are float32.
//
// A workgroup takes a block of rows, each of its subgroups 16 or 32 of them. It goes over the columns of the scores in
// tiles of both right operands, which pass through shared memory, the next ones on their way meanwhile. The rows' own
// operand stays in matrices. Which element of a matrix an invocation holds is the device's own choice, and nothing here
// depends on it: sums of rows are kept element by element until the end, and the maximum of a row goes through a
// subgroup's part of shared memory. Exponentials are taken of differences to a reference, which moves only when a row's
// maximum passes it by more than `room`; as results are divided by sums of the same exponentials, any reference will
// do. Weights pass through shared memory, too, to become the left operand of the second product.
//
// Operands are read 16 bytes at a time: the left one and the last one along their rows, the middle one along its
// columns.
#include <algorithm>

#include "codegen/glsl/attention/attention.h"
#include "codegen/glsl/form_numbers.h"
#include "codegen/glsl/products/product.h"

namespace frit::codegen::glsl {
namespace {

constexpr const char* kHead = R"($UNITS$#extension GL_EXT_shader_16bit_storage : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
$EXTENSIONS$layout(local_size_x = 32 * $WARPS$) in;
layout(constant_id = $LEFT$) const int left_rows = 16;
layout(constant_id = $RIGHT$) const int right_rows = 16;
layout(constant_id = $SUM$) const int sum_rows = 16;
layout(constant_id = 0) const bool whole = false;  // tiles end where the columns of scores do
layout(constant_id = 1) const bool deep = false;   // rows of the left operand have the length of a tile
layout(constant_id = 2) const bool broad = false;  // rows of the last operand too
layout(buffer_reference, std430, buffer_reference_align = 16) readonly restrict buffer Words { uvec4 data; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Result { uvec4 data; };
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Stats { vec2 data; };
layout(buffer_reference, std430, buffer_reference_align = $MASK_SIZE$) readonly buffer Mask { $MASK_STORAGE$ data; };
#define LEFT fcoopmatNV<16, gl_ScopeSubgroup, left_rows, 16>
#define RIGHT fcoopmatNV<16, gl_ScopeSubgroup, right_rows, wide>
#define SUM fcoopmatNV<32, gl_ScopeSubgroup, sum_rows, wide>
#define ROUNDED fcoopmatNV<16, gl_ScopeSubgroup, sum_rows, wide>
$DECLARED$$PRELUDE$const int high = $HIGH$, warps = $WARPS$, invocations = 32 * warps, wide = $WIDE$;  // high: matrices of a subgroup's rows
const int rows = 16 * high * warps, tile = $TILE$, depth = $DEPTH$, breadth = $BREADTH$;
// Lines in words of eight elements, with one more against bank conflicts.
const uint b_line = depth / 8 + 1, c_line = breadth / 8 + 1, strip_line = tile / 8 + 1, block_line = wide / 4 + 1;
const uint b_parts = (tile * depth / 8 + invocations - 1) / invocations, c_parts = (tile * breadth / 8 + invocations - 1) / invocations;
const uint strip_size = 16u * (strip_line > block_line ? strip_line : block_line);
shared uvec4 b_tile[tile * b_line], c_tile[tile * c_line], strips[warps * strip_size];
const float room = 8.0;
)";

constexpr const char* kMain = R"(#define UNSEEN uintBitsToFloat(0xff800000u)
// A number of each row, of row lane % 16, as a matrix.
#define SPREAD(number, matrix) \
  subgroupBarrier(); \
  [[unroll]] for (uint x = 0; x < wide / 8; ++x) strips[mine_of_row + x] = uvec4(floatBitsToUint(number)); \
  subgroupBarrier(); \
  coopMatLoadNV(matrix, strips, strip, block_line, false);
void main() {
  const uint me = gl_LocalInvocationID.x, mine = gl_SubgroupID, lane = gl_SubgroupInvocationID, strip = mine * strip_size;
  const uint mine_of_row = strip + lane % 16u * block_line + lane / 16u * (wide / 8);  // half a line
$PLACE$  const int64_t own_row = i0 + int64_t(mine) * (16 * high);
$MASK_STEP$  LEFT a[high][depth / 16];
@for h $HIGH$@@for s $DEPTHS$@  {
    const uint line = lane / 2u, x = @s@ * 2u + lane % 2u;
    uvec4 word = uvec4(0u);
    const int64_t r = own_row + @h@ * 16 + line;
    if (r < m && (deep || int64_t(x * 8u) < d)) word = Words(a_base + uint64_t(r * args.a_row + x * 8u) * 2UL).data;
    subgroupBarrier();
    strips[strip + line * 3u + lane % 2u] = word;
    subgroupBarrier();
    coopMatLoadNV(a[@h@][@s@], strips, strip, 3, false);
  }
@end s@@end h@  // Where an invocation's elements lie: 256 times the row and the column.
  SUM place;
  subgroupBarrier();
  if (lane < 16u)
    [[unroll]] for (uint x = 0; x < wide / 4; ++x)
      strips[strip + lane * block_line + x] = floatBitsToUint(vec4(0.0, 1.0, 2.0, 3.0) + float(lane * 256u + x * 4u));
  subgroupBarrier();
  coopMatLoadNV(place, strips, strip, block_line, false);
  SUM result[high][breadth / wide], sums[high], reference[high];
  float most[high];  // the reference of row lane % 16
@for h $HIGH$@  sums[@h@] = SUM(0.0);
  reference[@h@] = SUM(-3e38);
  most[@h@] = -3e38;
@for j $RESULTS$@  result[@h@][@j@] = SUM(0.0);
@end j@@end h@  uint64_t b_at[b_parts], c_at[c_parts];
  [[unroll]] for (uint i = 0; i < b_parts; ++i) {
    const uint number = me + i * invocations, line = number / (depth / 8u), x = number % (depth / 8u);
    b_at[i] = b_base + uint64_t(int64_t(line) * args.b_column + int64_t(x) * 8L) * 2UL;
  }
  [[unroll]] for (uint i = 0; i < c_parts; ++i) {
    const uint number = me + i * invocations, line = number / (breadth / 8u), x = number % (breadth / 8u);
    c_at[i] = c_base + uint64_t(int64_t(line) * args.c_row + int64_t(x) * 8L) * 2UL;
  }
  const uint64_t b_step = uint64_t(args.b_column) * (2UL * tile), c_step = uint64_t(args.c_row) * (2UL * tile);
  const int first_tile = int($FIRST$ / tile), tiles = int((keys + tile - 1) / tile);
  uvec4 b_next[b_parts], c_next[c_parts];
#define FETCH(t) { \
  const int left = int(min(n - int64_t(t) * tile, int64_t(tile))); \
  [[unroll]] for (uint i = 0; i < b_parts; ++i) { \
    const uint number = me + i * invocations; \
    b_next[i] = uvec4(0u); \
    if ((whole || int(number / (depth / 8u)) < left) && (deep || int64_t(number % (depth / 8u) * 8u) < d) && number < tile * depth / 8) \
      b_next[i] = Words(b_at[i] + uint64_t(t) * b_step).data; \
  } \
  [[unroll]] for (uint i = 0; i < c_parts; ++i) { \
    const uint number = me + i * invocations; \
    c_next[i] = uvec4(0u); \
    if ((whole || int(number / (breadth / 8u)) < left) && (broad || int64_t(number % (breadth / 8u) * 8u) < e) && number < tile * breadth / 8) \
      c_next[i] = Words(c_at[i] + uint64_t(t) * c_step).data; \
  } \
}
#define KEEP \
  [[unroll]] for (uint i = 0; i < b_parts; ++i) { \
    const uint number = me + i * invocations; \
    if (number < tile * depth / 8) b_tile[number / (depth / 8u) * b_line + number % (depth / 8u)] = b_next[i]; \
  } \
  [[unroll]] for (uint i = 0; i < c_parts; ++i) { \
    const uint number = me + i * invocations; \
    if (number < tile * breadth / 8) c_tile[number / (breadth / 8u) * c_line + number % (breadth / 8u)] = c_next[i]; \
  }
  if (tiles > first_tile) FETCH(first_tile)
  KEEP
  barrier();
  for (int t = first_tile; t < tiles; ++t) {
    FETCH(min(t + 1, tiles - 1))
    SUM scores[high][tile / wide];
@for j $SCORES$@@for h $HIGH$@    scores[@h@][@j@] = SUM(0.0);
@end h@@for s $DEPTHS$@    {
      RIGHT b;
      coopMatLoadNV(b, b_tile, @j@u * wide * b_line + @s@u * 2u, b_line, true);
@for h $HIGH$@      scores[@h@][@j@] = coopMatMulAddNV(a[@h@][@s@], b, scores[@h@][@j@]);
@end h@    }
@end s@@end j@    const int64_t j0 = int64_t(t) * tile;
    const int keys_left = int(min(n - j0, int64_t(tile)));
    LEFT weights[high][tile / 16];
@for h $HIGH$@    {
      const int64_t first = own_row + @h@ * 16;
      if ($SPECIAL$) {
        const int last = int(clamp(first + shift - j0, -1000L, 1000L));  // column that the first row sees last
@for x $ELEMENTS$@        {
          const int at = int(place[@x@]), i = at >> 8;
$MASK_AT$@for y $SCORES$@          {
            const int j = (at & 255) + @y@ * wide;
            float score = scores[@h@][@y@][@x@]$SCORE_SCALE$;
$MASKS$            scores[@h@][@y@][@x@] = whole || j < keys_left ? score : UNSEEN;
          }
@end y@        }
@end x@      }
      SUM top = scores[@h@][0];
@for j $SCORES$@@for x $ELEMENTS$@      top[@x@] = max(top[@x@], scores[@h@][@j@][@x@]);
@end x@@end j@      subgroupBarrier();
      coopMatStoreNV(top, strips, strip, block_line, false);
      subgroupBarrier();
      float now = UNSEEN;
      [[unroll]] for (uint x = 0; x < wide / 8; ++x) {
        const vec4 part = uintBitsToFloat(strips[mine_of_row + x]);
        now = max(now, max(max(part.x, part.y), max(part.z, part.w)));
      }
      now = max(now, subgroupShuffleXor(now, 16u))$TOP_SCALE$;
      float passed = now > most[@h@] + room ? 1.0 : 0.0;
      [[unroll]] for (uint x = 1u; x < 16u; x *= 2u) passed = max(passed, subgroupShuffleXor(passed, x));
      if (passed > 0.0) {
        const float next = max(now, most[@h@]), change = exp2(most[@h@] - next);
        most[@h@] = next;
        SUM factor;
        SPREAD(change, factor)
        SPREAD(next, reference[@h@])
@for x $ELEMENTS$@        sums[@h@][@x@] *= factor[@x@];
@for j $RESULTS$@        result[@h@][@j@][@x@] *= factor[@x@];
@end j@@end x@      }
      subgroupBarrier();
@for j $SCORES$@      {
@for x $ELEMENTS$@        {
          const float weight = exp2($EXPONENT$);
          sums[@h@][@x@] += weight;
          scores[@h@][@j@][@x@] = $WEIGHT$;
        }
@end x@        ROUNDED rounded = ROUNDED(scores[@h@][@j@]);
        coopMatStoreNV(rounded, strips, strip + @j@ * (wide / 8), strip_line, false);
      }
@end j@      subgroupBarrier();
@for s $TILES$@      coopMatLoadNV(weights[@h@][@s@], strips, strip + @s@u * 2u, strip_line, false);
@end s@    }
@end h@@for s $TILES$@@for j $RESULTS$@    {
      RIGHT c;
      coopMatLoadNV(c, c_tile, @s@u * 16u * c_line + @j@u * (wide / 8u), c_line, false);
@for h $HIGH$@      result[@h@][@j@] = coopMatMulAddNV(weights[@h@][@s@], c, result[@h@][@j@]);
@end h@    }
@end j@@end s@    barrier();
    KEEP
    barrier();
  }
)";

// Both ends begin a block of rows with the sums of their weights.
constexpr const char* kEndSums = R"(@for h $HIGH$@  {
    subgroupBarrier();
    coopMatStoreNV(sums[@h@], strips, strip, block_line, false);
    subgroupBarrier();
    float all = 0.0;
    [[unroll]] for (uint x = 0; x < wide / 8; ++x) {
      const vec4 part = uintBitsToFloat(strips[mine_of_row + x]);
      all += (part.x + part.y) + (part.z + part.w);
    }
)";

constexpr const char* kEnd =
    R"(    // Elements are counted as on devices that spread them evenly over a subgroup; on any other, results are NaN.
    all = place.length() == $ELEMENTS$ ? 1.0 / (all + subgroupShuffleXor(all, 16u)) : uintBitsToFloat(0x7fc00000u);
    SUM factor;
    SPREAD(all, factor)
    // As many columns at a time as a strip has.
@for part $OUT_PARTS$@    subgroupBarrier();
@for j $SCORES$@    {
@for x $ELEMENTS$@      {
        float value = result[@h@][@part@ * (tile / wide) + @j@][@x@] * factor[@x@];
$ROUND$        result[@h@][@part@ * (tile / wide) + @j@][@x@] = value;
      }
@end x@      ROUNDED rounded = ROUNDED(result[@h@][@part@ * (tile / wide) + @j@]);
      coopMatStoreNV(rounded, strips, strip + @j@ * (wide / 8), strip_line, false);
    }
@end j@    subgroupBarrier();
    for (uint x = lane; x < 16u * (tile / 8); x += 32u) {
      const int64_t r = own_row + @h@ * 16 + x / (tile / 8), column = @part@ * tile + x % (tile / 8) * 8u;
      if (r < m && column < e) Result(out_base + uint64_t(r * e + column) * 2UL).data = strips[strip + x / (tile / 8) * strip_line + x % (tile / 8)];
    }
@end part@  }
@end h@}
)";

constexpr const char* kEndPart =
    R"(    all = place.length() == $ELEMENTS$ ? all + subgroupShuffleXor(all, 16u) : uintBitsToFloat(0x7fc00000u);
    const int64_t own = own_row + @h@ * 16 + lane % 16u;
    if (lane < 16u && own < m) Stats(stats_base + uint64_t(own) * 8UL).data = vec2(most[@h@], all);
@for j $RESULTS$@    subgroupBarrier();
    coopMatStoreNV(result[@h@][@j@], strips, strip, block_line, false);
    subgroupBarrier();
    for (uint x = lane; x < 16u * (wide / 4); x += 32u) {
      const int64_t r = own_row + @h@ * 16 + x / (wide / 4), column = @j@ * wide + x % (wide / 4) * 4u;
      if (r < m && column < e) Result(part_base + uint64_t(r * e + column) * 4UL).data = strips[strip + x / (wide / 4) * block_line + x % (wide / 4)];
    }
@end j@  }
@end h@}
)";

constexpr const char* kMaskStep = "  const uint64_t mask_step = uint64_t(args.mask_column) * (wide * $MASK_SIZE$UL);\n";
constexpr const char* kMaskAt =
    R"(          const uint64_t mask_at = mask_base + uint64_t(min(first + i, m - 1L) * args.mask_row + (j0 + (at & 255)) * args.mask_column) * $MASK_SIZE$UL;
)";

// To the nearest bf16: NVIDIA's driver 580 cuts digits off when it converts.
constexpr const char* kRound = R"(          const uint b = floatBitsToUint(value);
          const bool is_nan = (b & 0x7fffffffu) > 0x7f800000u;
          value = uintBitsToFloat((is_nan ? b | 0x400000u : b + 0x7fffu + ((b >> 16) & 1u)) & 0xffff0000u);
)";
// The same for weights, which are not negative; the sum of a row keeps a NaN.
constexpr const char* kRoundWeight = "uintBitsToFloat((floatBitsToUint(weight) + 0x8000u) & 0xffff0000u)";

struct Block {
  int warps, high, tile, longest;  // longest: of rows of the left and of the last operand
  int rows() const { return 16 * high * warps; }
  // Causal rows see half of the keys on average.
  AttentionSizes sizes(bool split, bool causal) const {
    AttentionSizes s{.rows = rows(), .columns = longest};
    if (split) s.split_slots = causal ? 296 : 198, s.split_fewest = 256, s.split_unit = tile;
    if (split && causal) s.least_parts = 3;
    return s;
  }
};

runtime::RoutineForm form_of(const RoutineStep& s, const AttentionText& text, const Block& block, bool split) {
  using Form = runtime::RoutineForm;
  Form form = attention_form(text, block.sizes(split, text.causal), s.number);
  const size_t out = form.windows - 1;
  const auto of = [](size_t window, size_t which) { return form_number(window, which); };
  const auto suit = [&](const Dim& zero) { form.suited.push_back(form_program(zero)); };
  const Dim d = of(0, Form::kColumns), e = of(out, Form::kColumns), n = of(1, Form::kColumns);
  // The middle operand lies along its columns.
  for (size_t w : {size_t{0}, size_t{1}, size_t{2}}) {
    const size_t along = w == 1 ? Form::kRowStride : Form::kColumnStride;
    const size_t across = w == 1 ? Form::kColumnStride : Form::kRowStride;
    Dim odd = distance(of(w, along), 1) + mod(of(w, across), 8) + mod(of(w, Form::kAddress), 16);
    for (size_t i = 0; i < Form::kBatchAxes; ++i) odd += mod(of(w, Form::kSteps + i), 8);
    suit(odd);
  }
  suit(mod(of(out, Form::kAddress), 16) + mod(d, 8) + mod(e, 8));
  suit(max(d - Dim(block.longest), 0) + max(e - Dim(block.longest), 0));
  suit(shortfall(min(min(n, d), e), 1));
  suit(max(n - Dim(int64_t{1} << 30), 0));
  form.variant = {{form_program(mod(n, block.tile))},
                  {form_program(distance(d, block.longest))},
                  {form_program(distance(e, block.longest))}};
  return form;
}

Shader write(const RoutineStep& s, const AttentionText& t, const Block& block, bool split) {
  const auto text = [](int64_t v) { return std::to_string(v); };
  const bool bf16 = t.type == bfloat16;
  const Dtype mask = t.masked ? s.step.dtypes[3] : t.type;
  // Every f16 of a shader for bfloat16 is a bfloat16.
  Prelude prelude(s.features.converts16 && !bf16);
  const std::string at_mask = "Mask(mask_at + @y@UL * mask_step).data";
  const std::string from_mask =
      is_low_precision(mask) ? cast_expression(prelude, float32, mask, "uint(" + at_mask + ")") : at_mask;
  std::string extensions = prelude.half_modes();
  if (mask.size() == 1) extensions += "#extension GL_EXT_shader_8bit_storage : require\n";
  // Where nothing else is done to them, scores are scaled with their exponents.
  const bool raw = !t.masked && t.scale > 0;
  const std::string special =
      raw ? std::string(t.causal ? "j0 + tile - 1 > first + shift || " : "") + "(!whole && keys_left < tile)" : "true";
  const std::string masks = mask_text(t, "whole || j < keys_left", from_mask, at_mask);
  Shader shader;
  shader.text =
      fill(std::string(kHead) + kMain + kEndSums + (split ? kEndPart : kEnd), {{"UNITS", kMatrixUnits},
                                                                               {"EXTENSIONS", extensions},
                                                                               {"PRELUDE", prelude.text()},
                                                                               {"PLACE", kAttentionPlace},
                                                                               {"MASK_AT", t.masked ? kMaskAt : ""},
                                                                               {"MASK_STEP", t.masked ? kMaskStep : ""},
                                                                               {"ROUND", bf16 ? kRound : ""}});
  shader.text = fill(shader.text, {{"MASKS", masks},
                                   {"SPECIAL", special},
                                   {"SCORE_SCALE", raw ? "" : " * $SCALE$"},
                                   {"TOP_SCALE", raw ? " * $SCALE$" : ""},
                                   {"EXPONENT", raw ? "scores[@h@][@j@][@x@] * $SCALE$ - reference[@h@][@x@]"
                                                    : "scores[@h@][@j@][@x@] - reference[@h@][@x@]"},
                                   {"WEIGHT", bf16 ? kRoundWeight : "weight"}});
  auto words = t.words;
  words.merge(split ? t.part_words() : t.whole_words());
  if (raw) words["HIDDEN"] = t.hidden_before_scale();
  const int wide = !bf16 && s.features.matrix_narrow ? 8 : 16;
  words.insert({{"ELEMENTS", text(wide / 2)},
                {"DEPTHS", text(block.longest / 16)},
                {"RESULTS", text(block.longest / wide)},
                {"SCORES", text(block.tile / wide)},
                {"TILES", text(block.tile / 16)},
                {"OUT_PARTS", text(block.longest / block.tile)},
                {"TM", text(block.rows())},
                {"TE", text(block.longest)},
                {"WARPS", text(block.warps)},
                {"HIGH", text(block.high)},
                {"TILE", text(block.tile)},
                {"DEPTH", text(block.longest)},
                {"BREADTH", text(block.longest)},
                {"WIDE", text(wide)},
                {"LEFT", text(kLeftMatrix)},
                {"RIGHT", text(kRightMatrix)},
                {"SUM", text(kSumMatrix)}});
  shader.text = fill(shader.text, words);
  shader.text = unroll(shader.text);
  shader.matrices = bf16 ? MatrixType::Bfloat16 : MatrixType::Float16;
  shader.kernel.name = s.name() + "_matrix" + text(block.rows()) + "_" + text(block.longest) + (split ? "_split" : "");
  shader.kernel.group_size = static_cast<uint32_t>(32 * block.warps);
  shader.kernel.routine = form_of(s, t, block, split);
  return shader;
}

}  // namespace

std::vector<Shader> attention_matrices(const RoutineStep& s, const AttentionText& t) {
  std::vector<Shader> shaders;
  const Dim d = s.step.operands[0].layout.shape.back(), e = s.step.results[0].layout.shape.back();
  const auto fits = [&](int64_t least, int64_t most) {
    const bool known = d.is_const() && e.is_const();
    const int64_t longest = known ? std::max(d.value(), e.value()) : 0;
    return !known || (least < longest && longest <= most);
  };
  const auto add = [&](const Block& block) {
    for (Shader& shader : with_join(s, t, block.sizes(true, t.causal), write(s, t, block, true)))
      shaders.push_back(std::move(shader));
    shaders.push_back(write(s, t, block, false));
  };
  // Of those that were tried on an H200, the fastest. A mask takes registers.
  if (fits(0, 64)) add(t.masked ? Block{8, 1, 64, 64} : Block{4, 2, 64, 64});
  if (fits(64, 128)) add(t.masked ? Block{8, 1, 32, 128} : Block{4, 2, 32, 128});
  return shaders;
}

}  // namespace frit::codegen::glsl
