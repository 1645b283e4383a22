// Rows between products for at most eight rows, as in decoding: they take as long as reading their keys and values,
// which are read once for all rows.
//
// A workgroup goes over a part of the keys, `chunk` at a time. Invocations of a subgroup share a key, of which each
// reads 16 bytes at a time, and add their products by shuffles; without them an invocation takes a key. The
// exponentials of a chunk lie in shared memory. Invocations then share the rows of the last operand in the same way,
// and each sums over keys a few apart. Their sums are added once, in a fixed order. A second launch joins the parts.
//
// Operands are read 16 bytes at a time, as on matrix units; scores, weights and sums are float32.
#include <algorithm>
#include <tuple>

#include "codegen/glsl/attention.h"
#include "codegen/glsl/form_numbers.h"

namespace frit::codegen::glsl {
namespace {

using Form = runtime::RoutineForm;

constexpr int64_t kRows = 8, kLongest = 128;

constexpr const char* kText = R"($EXTENSIONS$layout(local_size_x = 256) in;
layout(constant_id = 0) const bool at_least_2 = false;
layout(constant_id = 1) const bool at_least_3 = false;
layout(constant_id = 2) const bool at_least_5 = false;
layout(constant_id = 3) const bool d_above_32 = false;
layout(constant_id = 4) const bool d_above_64 = false;
layout(constant_id = 5) const bool e_above_32 = false;
layout(constant_id = 6) const bool e_above_64 = false;
layout(buffer_reference, std430, buffer_reference_align = 16) readonly restrict buffer Words { uvec4 data; };
layout(buffer_reference, std430, buffer_reference_align = $SIZE$) readonly restrict buffer Element { $STORAGE$ data; };
layout(buffer_reference, std430, buffer_reference_align = $MASK_SIZE$) readonly buffer Mask { $MASK_STORAGE$ data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Part { float data; };
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Stats { vec2 data; };
$DECLARED$$PRELUDE$const int rows = at_least_5 ? 8 : at_least_3 ? 4 : at_least_2 ? 2 : 1, chunk = $CHUNK$, unit = 16 / $SIZE$;
const int depth = d_above_64 ? 128 : d_above_32 ? 64 : 32, breadth = e_above_64 ? 128 : e_above_32 ? 64 : 32;
// Invocations that share a key, loads of each, keys at once, and turns until a chunk is done.
const int lanes = depth / unit < $MOST_LANES$ ? depth / unit : $MOST_LANES$, loads = depth / unit / lanes;
const int at_once = 256 / lanes < chunk ? 256 / lanes : chunk, turns = chunk / at_once;
// The same for the last operand.
const int e_lanes = breadth / unit, groups = 256 / e_lanes, e_turns = chunk / groups;
shared float scores[$TM$ * chunk], tops[$TM$ * 32], fold[256 * unit];
#define UNSEEN uintBitsToFloat(0xff800000u)
float part_of(uvec4 w, int u) { return $PART_OF$; }
#define FROM_MEMORY(x) ($FROM$)
void main() {
  const int me = int(gl_LocalInvocationID.x);
$PLACE$  const int lane = me % lanes, key = me / lanes, e_lane = me % e_lanes, group_of_keys = me / e_lanes;
  const int d_left = int(d), e_left = int(e), rows_left = int(m);
  float q[rows * loads * unit], sums[rows * unit], sum[rows], top[rows];
  [[unroll]] for (int r = 0; r < rows; ++r) {
    sum[r] = 0.0;
    top[r] = -3e38;
    [[unroll]] for (int u = 0; u < unit; ++u) sums[r * unit + u] = 0.0;
    [[unroll]] for (int l = 0; l < loads; ++l)
      [[unroll]] for (int u = 0; u < unit; ++u) {
        const int x = (l * lanes + lane) * unit + u;
        float value = 0.0;
        if (x < d_left && r < rows_left) value = FROM_MEMORY(Element(a_base + uint64_t(r * args.a_row + x * args.a_column) * $SIZE$UL).data);
        q[(r * loads + l) * unit + u] = value;
      }
  }
  for (int64_t j0 = $FIRST$; j0 < keys; j0 += chunk) {
    const int left = int(min(keys - j0, int64_t(chunk)));
    const int last = int(clamp(shift - j0, -1000L, 1000L));  // column that the first row sees last
    const uint64_t b_first = b_base + uint64_t(j0 * args.b_column) * $SIZE$UL, c_first = c_base + uint64_t(j0 * args.c_row) * $SIZE$UL;
    // Keys that are not there are read as the last one.
    uvec4 b[turns * loads], c[e_turns];
    [[unroll]] for (int t = 0; t < turns; ++t)
      [[unroll]] for (int l = 0; l < loads; ++l) {
        const int x = (l * lanes + lane) * unit;
        b[t * loads + l] = uvec4(0u);
        if (x < d_left)
          b[t * loads + l] = Words(b_first + uint64_t(int64_t(min(key + t * at_once, left - 1)) * args.b_column + x) * $SIZE$UL).data;
      }
    [[unroll]] for (int t = 0; t < e_turns; ++t) {
      c[t] = uvec4(0u);
      if (e_lane * unit < e_left && group_of_keys + t * groups < left)
        c[t] = Words(c_first + uint64_t(int64_t(group_of_keys + t * groups) * args.c_row + e_lane * unit) * $SIZE$UL).data;
    }
    [[unroll]] for (int t = 0; t < turns; ++t)
      [[unroll]] for (int r = 0; r < rows; ++r) {
        float product = 0.0;
        [[unroll]] for (int l = 0; l < loads; ++l)
          [[unroll]] for (int u = 0; u < unit; ++u)
            product = fma(q[(r * loads + l) * unit + u], part_of(b[t * loads + l], u), product);
$SHARED$        const int j = key + t * at_once;
        if (lane == 0 && j < chunk) scores[r * chunk + j] = product;
      }
    barrier();
    // 32 invocations take a row.
    const int i = me / 32;
    float mine[chunk / 32], most = UNSEEN;
    [[unroll]] for (int x = 0; x < chunk / 32; ++x) {
      const int j = me % 32 + x * 32;
      mine[x] = UNSEEN;
      if (i < rows && j < left) {
        float score = scores[i * chunk + j] * $SCALE$;
$MASKS$        mine[x] = score;
      }
      most = max(most, mine[x]);
    }
    if (i < rows) tops[me] = most;
    barrier();
    [[unroll]] for (int r = 0; r < rows; ++r) {
      float next = top[r];
      for (int x = 0; x < 32; ++x) next = max(next, tops[r * 32 + x]);
      const float change = exp2(top[r] - next);
      sum[r] *= change;
      [[unroll]] for (int u = 0; u < unit; ++u) sums[r * unit + u] *= change;
      top[r] = next;
      if (i == r) {
        [[unroll]] for (int x = 0; x < chunk / 32; ++x) scores[r * chunk + me % 32 + x * 32] = exp2(mine[x] - next);
      }
    }
    barrier();
    [[unroll]] for (int t = 0; t < e_turns; ++t)
      [[unroll]] for (int r = 0; r < rows; ++r) {
        const float weight = scores[r * chunk + group_of_keys + t * groups];
        sum[r] += weight;
        [[unroll]] for (int u = 0; u < unit; ++u) sums[r * unit + u] = fma(weight, part_of(c[t], u), sums[r * unit + u]);
      }
    barrier();
  }
  // The sums of an element lie e_lanes * unit apart.
  [[unroll]] for (int r = 0; r < rows; ++r) {
    barrier();
    [[unroll]] for (int u = 0; u < unit; ++u) fold[me * unit + u] = sums[r * unit + u];
    barrier();
    if (r < rows_left && me < e_left) {
      float all = 0.0;
      for (int g = 0; g < groups; ++g) all += fold[g * breadth + me];
      Part(part_base + uint64_t(r * e_left + me) * 4UL).data = all;
    }
    barrier();
    if (e_lane == 0) fold[group_of_keys] = sum[r];
    barrier();
    if (r < rows_left && me == 0) {
      float all = 0.0;
      for (int g = 0; g < groups; ++g) all += fold[g];
      Stats(stats_base + uint64_t(r) * 8UL).data = vec2(top[r], all);
    }
  }
}
)";

runtime::RoutineForm form_of(const RoutineStep& s, const AttentionText& t, const AttentionSizes& sizes) {
  Form form = attention_form(t, sizes, s.number);
  const size_t out = form.windows - 1;
  const int64_t unit = 16 / static_cast<int64_t>(t.type.size);
  const auto of = [](size_t window, size_t which) { return form_number(window, which); };
  const auto suit = [&](const Dim& zero) { form.suited.push_back(form_program(zero)); };
  const Dim m = of(out, Form::kRows), d = of(0, Form::kColumns), e = of(out, Form::kColumns), n = of(1, Form::kColumns);
  for (const auto& [w, along, across] : {std::tuple{size_t{1}, Form::kRowStride, Form::kColumnStride},
                                         std::tuple{size_t{2}, Form::kColumnStride, Form::kRowStride}}) {
    Dim odd = distance(of(w, along), 1) + mod(of(w, across), unit) + mod(of(w, Form::kAddress), 16);
    for (size_t i = 0; i < Form::kBatchAxes; ++i) odd += mod(of(w, Form::kSteps + i), unit);
    suit(odd);
  }
  suit(max(m - Dim(kRows), 0) + mod(d, unit) + mod(e, unit));
  suit(max(max(d, e) - Dim(kLongest), 0));
  suit(shortfall(min(min(n, d), min(e, m)), 1));
  for (int64_t least : {2, 3, 5}) form.variant.push_back({form_program(shortfall(m, least))});
  for (const Dim& length : {d, e})
    for (int64_t above : {32, 64}) form.variant.push_back({form_program(shortfall(length, above + 1))});
  return form;
}

}  // namespace

std::vector<Shader> attention_few(const RoutineStep& s, const AttentionText& t) {
  constexpr const char* kShuffles =
      "        [[unroll]] for (int x = lanes / 2; x > 0; x /= 2) product += subgroupShuffleXor(product, uint(x));\n";
  const bool low = is_low_precision(t.type);
  const Dtype mask = t.masked ? s.step.dtypes[3] : t.type;
  const uint32_t lanes = s.features.shuffle ? std::clamp<uint32_t>(s.features.subgroup_size, 1, 16) : 1;
  const int chunk = t.type.size == 2 ? 128 : 64;  // loads of an invocation are as many for any type
  Prelude prelude(s.features.converts16);
  const auto loaded = [&](Dtype type, const std::string& x) {
    return is_low_precision(type) ? cast_expression(prelude, float32, type, x) : x;
  };
  const std::string at_mask =
      "Mask(mask_base + uint64_t(i * args.mask_row + (j0 + j) * args.mask_column) * $MASK_SIZE$UL).data";
  const std::string from = loaded(t.type, low ? "uint(x)" : "x");
  const std::string part = low ? loaded(t.type, "bitfieldExtract(w[u / 2], u % 2 * 16, 16)") : "uintBitsToFloat(w[u])";
  const std::string from_mask = loaded(mask, is_low_precision(mask) ? "uint(" + at_mask + ")" : at_mask);
  std::string extensions = prelude.half_modes();
  if (low || mask.size == 2) extensions += "#extension GL_EXT_shader_16bit_storage : require\n";
  if (mask.size == 1) extensions += "#extension GL_EXT_shader_8bit_storage : require\n";
  if (lanes > 1)
    extensions +=
        "#extension GL_KHR_shader_subgroup_basic : require\n#extension GL_KHR_shader_subgroup_shuffle : require\n";
  Shader shader;
  shader.text = fill(kText, {{"EXTENSIONS", extensions},
                             {"PRELUDE", prelude.text()},
                             {"PLACE", kAttentionPlace},
                             {"MASKS", mask_text(t, "i < rows_left", from_mask, at_mask)},
                             {"SHARED", lanes > 1 ? kShuffles : ""},
                             {"MOST_LANES", std::to_string(lanes)},
                             {"CHUNK", std::to_string(chunk)},
                             {"PART_OF", part},
                             {"FROM", from},
                             {"TM", std::to_string(kRows)},
                             {"TE", std::to_string(kLongest)},
                             {"STORAGE", low ? "uint16_t" : "float"}});
  shader.text = fill(fill(shader.text, t.words), t.part_words());
  shader.kernel.name = s.name() + "_few";
  shader.kernel.group_size = 256;
  AttentionSizes sizes{.rows = kRows, .columns = kLongest, .split_slots = 1056, .least_parts = 1};
  sizes.split_fewest = sizes.split_unit = chunk;
  shader.kernel.routine = form_of(s, t, sizes);
  return with_join(s, t, sizes, std::move(shader));
}

}  // namespace frit::codegen::glsl
