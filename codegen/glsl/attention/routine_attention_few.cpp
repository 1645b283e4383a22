// Rows between products for at most eight rows, as in decoding: they take as long as reading their keys and values,
// which are read once for all rows.
//
// Invocations of a subgroup make a team, which goes over keys that lie apart and shares each: an invocation reads 16
// bytes of the key and of its row of the last operand at a time, and the products are added by shuffles. Without
// shuffles an invocation is a team. Several keys are on their way at once, and no team waits for another one before the
// end, when the sums of all are joined in a fixed order. Few keys are left to one workgroup, as a second launch takes
// longer; many are split, and a second launch joins the parts.
//
// Operands are read 16 bytes at a time, as on matrix units; scores, weights and sums are float32.
#include <algorithm>
#include <tuple>

#include "codegen/glsl/attention/attention.h"
#include "codegen/glsl/form_numbers.h"

namespace frit::codegen::glsl {
namespace {

using Form = runtime::RoutineForm;

constexpr int64_t kRows = 8, kLongest = 128, kChunk = 128;  // keys, at least, of a part
constexpr int64_t kMostKeys = int64_t{1} << 30;
constexpr int64_t kWholeBytes = 262144, kManyGroups = 264;

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
layout(buffer_reference, std430, buffer_reference_align = $SIZE$) buffer Result { $STORAGE$ data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Part { float data; };
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Stats { vec2 data; };
$DECLARED$$PRELUDE$const int rows = at_least_5 ? 8 : at_least_3 ? 4 : at_least_2 ? 2 : 1, unit = 16 / $SIZE$;
const int longest = d_above_64 || e_above_64 ? 128 : d_above_32 || e_above_32 ? 64 : 32;
// Invocations of a team, loads of each for a key, and keys of a team that are on their way at once.
const int lanes = longest / unit < $MOST_LANES$ ? longest / unit : $MOST_LANES$, loads = longest / unit / lanes, own = loads * unit;
const int teams = 256 / lanes, ahead = loads > 4 ? 1 : 8 / loads / (rows > 2 ? 2 : 1);
const int span = $SPAN$, groups = 256 / span;  // invocations that join their teams by shuffles, and how many such there are
shared float fold[256 * unit], tops[256], totals[256];
#define UNSEEN uintBitsToFloat(0xff800000u)
float part_of(uvec4 w, int u) { return $PART_OF$; }
#define FROM_MEMORY(x) ($FROM$)
void main() {
  const int me = int(gl_LocalInvocationID.x), team = me / lanes, lane = me % lanes;
$PLACE$  const int d_left = int(d), e_left = int(e), rows_left = int(m);
  float q[rows * own], sums[rows * own], sum[rows], top[rows];
  [[unroll]] for (int r = 0; r < rows; ++r) {
    sum[r] = 0.0;
    top[r] = -3e38;
    [[unroll]] for (int l = 0; l < loads; ++l)
      [[unroll]] for (int u = 0; u < unit; ++u) {
        const int x = (l * lanes + lane) * unit + u;
        sums[r * own + l * unit + u] = 0.0;
        const float value = FROM_MEMORY(Element(a_base + uint64_t(min(r, rows_left - 1) * args.a_row + min(x, d_left - 1) * args.a_column) * $SIZE$UL).data);
        q[r * own + l * unit + u] = x < d_left ? value : 0.0;
      }
  }
  const int64_t first = $FIRST$;
  const int count = int(keys - first), last = int(clamp(shift - first, -2000000000L, 2000000000L));  // column that the first row sees last
  const uint64_t b_first = b_base + uint64_t(first * args.b_column) * $SIZE$UL, c_first = c_base + uint64_t(first * args.c_row) * $SIZE$UL;
  const uint64_t b_step = uint64_t(args.b_column) * $SIZE$UL, c_step = uint64_t(args.c_row) * $SIZE$UL;
  for (int j0 = team; j0 < count; j0 += teams * ahead) {
    // Nothing is done on a condition here: loads would be waited for. Lines that are not there are read from the last one.
    uvec4 b[ahead * loads], c[ahead * loads];
    [[unroll]] for (int t = 0; t < ahead; ++t)
      [[unroll]] for (int l = 0; l < loads; ++l) {
        const uint x = uint((l * lanes + lane) * unit), j = uint(min(j0 + t * teams, count - 1));
        b[t * loads + l] = Words(b_first + uint64_t(j) * b_step + uint64_t(min(x, uint(d_left - unit)) * $SIZE$u)).data;
        c[t * loads + l] = Words(c_first + uint64_t(j) * c_step + uint64_t(min(x, uint(e_left - unit)) * $SIZE$u)).data;
      }
    float scores[rows * ahead];
    [[unroll]] for (int t = 0; t < ahead; ++t) {
      const int j = j0 + t * teams;
      [[unroll]] for (int r = 0; r < rows; ++r) scores[r * ahead + t] = 0.0;
      [[unroll]] for (int l = 0; l < loads; ++l) {
        const uvec4 words = (l * lanes + lane) * unit < d_left ? b[t * loads + l] : uvec4(0u);
        [[unroll]] for (int u = 0; u < unit; ++u) {
          const float x = part_of(words, u);
          [[unroll]] for (int r = 0; r < rows; ++r) scores[r * ahead + t] = fma(q[r * own + l * unit + u], x, scores[r * ahead + t]);
        }
      }
      [[unroll]] for (int i = 0; i < rows; ++i) {
        float product = scores[i * ahead + t];
$SHARED$        float score = product * $SCALE$;
$MASKS$        scores[i * ahead + t] = j < count ? score : UNSEEN;
      }
    }
    [[unroll]] for (int r = 0; r < rows; ++r) {
      float next = top[r];
      [[unroll]] for (int t = 0; t < ahead; ++t) next = max(next, scores[r * ahead + t]);
      const float change = exp2(top[r] - next);
      top[r] = next;
      sum[r] *= change;
      [[unroll]] for (int u = 0; u < own; ++u) sums[r * own + u] *= change;
      [[unroll]] for (int t = 0; t < ahead; ++t) {
        scores[r * ahead + t] = exp2(scores[r * ahead + t] - next);
        sum[r] += scores[r * ahead + t];
      }
    }
    [[unroll]] for (int t = 0; t < ahead; ++t)
      if (j0 + t * teams < count) {
        [[unroll]] for (int l = 0; l < loads; ++l)
          [[unroll]] for (int u = 0; u < unit; ++u) {
            const float x = part_of(c[t * loads + l], u);
            [[unroll]] for (int r = 0; r < rows; ++r) sums[r * own + l * unit + u] = fma(scores[r * ahead + t], x, sums[r * own + l * unit + u]);
          }
      }
  }
  [[unroll]] for (int r = 0; r < rows; ++r) {
$JOIN$    barrier();
    if (me % span == 0) {
      tops[me / span] = top[r];
      totals[me / span] = sum[r];
    }
    barrier();
    float most = tops[0], whole = 0.0;
    [[unroll]] for (int g = 1; g < groups; ++g) most = max(most, tops[g]);
    [[unroll]] for (int g = 0; g < groups; ++g) whole = fma(exp2(tops[g] - most), totals[g], whole);
    const float factor = exp2(top[r] - most);
    [[unroll]] for (int l = 0; l < loads; ++l) {
      if (l > 0) barrier();
      if (me % span < lanes) {
        [[unroll]] for (int u = 0; u < unit; ++u) fold[(me / span * lanes + lane) * unit + u] = sums[r * own + l * unit + u] * factor;
      }
      barrier();
      // The sums of an element lie lanes * unit apart.
      const int j = l * lanes * unit + me;
      if (r < rows_left && me < lanes * unit && j < e_left) {
        float all = 0.0;
        [[unroll]] for (int g = 0; g < groups; ++g) all += fold[g * lanes * unit + me];
$STORE$      }
    }
$STATS$  }
}
)";

// Teams of a subgroup have one sum then.
constexpr const char* kJoin = R"(    {
      float most = top[r];
      [[unroll]] for (int x = lanes; x < span; x *= 2) most = max(most, subgroupShuffleXor(most, uint(x)));
      const float factor = exp2(top[r] - most);
      top[r] = most;
      sum[r] *= factor;
      [[unroll]] for (int x = lanes; x < span; x *= 2) sum[r] += subgroupShuffleXor(sum[r], uint(x));
      [[unroll]] for (int u = 0; u < own; ++u) {
        float all = sums[r * own + u] * factor;
        [[unroll]] for (int x = lanes; x < span; x *= 2) all += subgroupShuffleXor(all, uint(x));
        sums[r * own + u] = all;
      }
    }
)";
constexpr const char* kStoreWhole = R"(        const float value = all / whole;
        Result(out_base + uint64_t(r * e_left + j) * $SIZE$UL).data = $STORED$;
)";
constexpr const char* kStorePart = "        Part(part_base + uint64_t(r * e_left + j) * 4UL).data = all;\n";
constexpr const char* kStats =
    "    if (r < rows_left && me == 0) Stats(stats_base + uint64_t(r) * 8UL).data = vec2(most, whole);\n";

runtime::RoutineForm form_of(const RoutineStep& s, const AttentionText& t, const AttentionSizes& sizes) {
  Form form = attention_form(t, sizes, s.number);
  const size_t out = form.windows - 1;
  const int64_t unit = 16 / static_cast<int64_t>(t.type.size());
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
  suit(max(n - Dim(kMostKeys), 0));
  // One workgroup for all keys: where a second launch takes longer than the rest of them, or enough others run.
  if (!sizes.split_slots) {
    const Dim bytes = n * (d + e) * Dim(static_cast<int64_t>(t.type.size()));
    suit(max(bytes - Dim(kWholeBytes), 0) * shortfall(form_number(Form::batch_slot(form.windows)), kManyGroups));
  }
  for (int64_t least : {2, 3, 5}) form.variant.push_back({form_program(shortfall(m, least))});
  for (const Dim& length : {d, e})
    for (int64_t above : {32, 64}) form.variant.push_back({form_program(shortfall(length, above + 1))});
  return form;
}

Shader write(const RoutineStep& s, const AttentionText& t, const AttentionSizes& sizes) {
  constexpr const char* kShuffles =
      "        [[unroll]] for (int x = lanes / 2; x > 0; x /= 2) product += subgroupShuffleXor(product, uint(x));\n";
  const bool low = is_low_precision(t.type), split = sizes.split_slots > 0;
  const Dtype mask = t.masked ? s.step.dtypes[3] : t.type;
  const uint32_t lanes = s.features.shuffle ? std::clamp<uint32_t>(s.features.subgroup_size, 1, 16) : 1;
  Prelude prelude(s.features.converts16);
  const auto loaded = [&](Dtype type, const std::string& x) {
    return is_low_precision(type) ? cast_expression(prelude, float32, type, x) : x;
  };
  const std::string at_mask =
      "Mask(mask_base + uint64_t(i * args.mask_row + (first + j) * args.mask_column) * $MASK_SIZE$UL).data";
  const std::string from = loaded(t.type, low ? "uint(x)" : "x");
  const std::string part = low ? loaded(t.type, "bitfieldExtract(w[u / 2], u % 2 * 16, 16)") : "uintBitsToFloat(w[u])";
  const std::string from_mask = loaded(mask, is_low_precision(mask) ? "uint(" + at_mask + ")" : at_mask);
  const std::string stored = low ? "uint16_t(" + cast_expression(prelude, t.type, float32, "value") + ")" : "value";
  std::string extensions = prelude.half_modes();
  if (low || mask.size() == 2) extensions += "#extension GL_EXT_shader_16bit_storage : require\n";
  if (mask.size() == 1) extensions += "#extension GL_EXT_shader_8bit_storage : require\n";
  if (lanes > 1)
    extensions +=
        "#extension GL_KHR_shader_subgroup_basic : require\n#extension GL_KHR_shader_subgroup_shuffle : require\n";
  Shader shader;
  shader.text =
      fill(kText, {{"EXTENSIONS", extensions},
                   {"PRELUDE", prelude.text()},
                   {"PLACE", kAttentionPlace},
                   {"STORE", split ? kStorePart : kStoreWhole},
                   {"STATS", split ? kStats : ""},
                   {"MASKS", mask_text(t, "i < rows_left && j < count", from_mask, at_mask)},
                   {"SHARED", lanes > 1 ? kShuffles : ""},
                   {"JOIN", lanes > 1 ? kJoin : ""},
                   {"SPAN", std::to_string(lanes > 1 ? std::min<uint32_t>(s.features.subgroup_size, 256) : 1)},
                   {"MOST_LANES", std::to_string(lanes)},
                   {"PART_OF", part},
                   {"FROM", from},
                   {"TM", std::to_string(kRows)},
                   {"TE", std::to_string(kLongest)},
                   {"STORAGE", low ? "uint16_t" : "float"}});
  shader.text = fill(fill(shader.text, {{"STORED", stored}}), t.words);
  shader.text = fill(shader.text, split ? t.part_words() : t.whole_words());
  shader.kernel.name = s.name() + "_few" + (split ? "_split" : "");
  shader.kernel.group_size = 256;
  shader.kernel.routine = form_of(s, t, sizes);
  return shader;
}

}  // namespace

std::vector<Shader> attention_few(const RoutineStep& s, const AttentionText& t) {
  std::vector<Shader> shaders;
  AttentionSizes sizes{.rows = kRows, .columns = kLongest};
  shaders.push_back(write(s, t, sizes));
  sizes.split_slots = 1056;
  sizes.least_parts = 1;
  sizes.split_fewest = sizes.split_unit = kChunk;
  for (Shader& shader : with_join(s, t, sizes, write(s, t, sizes))) shaders.push_back(std::move(shader));
  return shaders;
}

}  // namespace frit::codegen::glsl
