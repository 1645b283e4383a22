// How the shaders of rows between products are launched, and the text that they share.
#include <cmath>
#include <sstream>

#include "codegen/glsl/attention/attention.h"
#include "codegen/glsl/form_numbers.h"

namespace frit::codegen::glsl {
namespace {

using Form = runtime::RoutineForm;

constexpr double kLog2E = 1.4426950408889634;
constexpr double kLowest = -1e38;  // of finite scores that are hidden: sums with others stay finite

std::string literal_of(double v) {
  if (std::isinf(v)) return v < 0 ? "uintBitsToFloat(0xff800000u)" : "uintBitsToFloat(0x7f800000u)";
  if (std::isnan(v)) return "uintBitsToFloat(0x7fc00000u)";
  std::ostringstream text;
  text.precision(9);
  text << std::scientific << v;
  return text.str();
}

}  // namespace

const char* const kAttentionArguments =
    R"(layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments {
  uint64_t a, b, c, mask, result;
  int64_t m, d, n, e, a_row, a_column, b_row, b_column, c_row, c_column, mask_row, mask_column;
  int64_t sizes[4], a_steps[4], b_steps[4], c_steps[4], mask_steps[4];
$MORE$};
layout(push_constant, std430) uniform Push { Arguments args; };
)";

// Later rows first: in the causal form they see the most columns, and what takes longest should begin first.
const char* const kAttentionPlace = R"(  const int64_t m = args.m, d = args.d, n = args.n, e = args.e;
  uint group = flat_group();
  const uint blocks = uint(uint64_t(m + $TM$ - 1) / $TM$UL), parts = uint(uint64_t(e + $TE$ - 1) / $TE$UL);
$SPLIT$  uint batch = group / (blocks * parts);
  group -= batch * blocks * parts;
$PART$  if (int64_t(batch) >= args.sizes[0] * args.sizes[1] * args.sizes[2] * args.sizes[3]) return;
  const int64_t i0 = int64_t(blocks - 1u - group / parts) * $TM$L, e0 = int64_t(group % parts) * $TE$L;
  const uint64_t out_base = args.result + uint64_t(batch) * uint64_t(m * e) * $SIZE$UL;
  int64_t a_offset = 0L, b_offset = 0L, c_offset = 0L, mask_offset = 0L;
  if (batch != 0u)
    for (int i = 3; i >= 0; --i) {
      const uint size = uint(args.sizes[i]), next = batch / size;
      const int64_t at = int64_t(batch - next * size);
      a_offset += at * args.a_steps[i];
      b_offset += at * args.b_steps[i];
      c_offset += at * args.c_steps[i];
      mask_offset += at * args.mask_steps[i];
      batch = next;
    }
  const uint64_t a_base = args.a + uint64_t(a_offset) * $SIZE$UL, b_base = args.b + uint64_t(b_offset) * $SIZE$UL;
  const uint64_t c_base = args.c + uint64_t(c_offset) * $SIZE$UL, mask_base = args.mask + uint64_t(mask_offset) * $MASK_SIZE$UL;
  // Row i sees the columns up to i + shift. Rows that see none are means of all, unless hidden scores are infinite.
  const int64_t shift = n - m;
  int64_t keys = n;
  if ($CAUSAL$ && (i0 + shift >= 0L || !$HIDDEN_IS_FINITE$)) keys = clamp(i0 + $TM$L + shift, 0L, n);
$KEYS$)";

AttentionText::AttentionText(const RoutineStep& s)
    : type(s.step.dtypes.back()),
      causal(s.step.attrs.get_bool("causal")),
      masked(s.step.operands.size() > 3),
      hides(masked && s.step.dtypes[3] == bool_),
      scale(s.step.attrs.get_float("scale", 1) * kLog2E),
      hidden(s.step.attrs.get_float("hidden", -INFINITY)),
      hidden_is_finite(std::isfinite(hidden)) {
  const Dtype mask = masked ? s.step.dtypes[3] : type;
  words = {{"DECLARED", kAttentionArguments},
           {"CAUSAL", causal ? "true" : "false"},
           {"HIDDEN_IS_FINITE", hidden_is_finite ? "true" : "false"},
           {"SCALE", literal_of(scale)},
           {"HIDDEN", literal_of(hidden_is_finite ? std::max(hidden * kLog2E, kLowest) : hidden)},
           {"LOWEST", literal_of(kLowest)},
           {"LOG2E", literal_of(kLog2E)},
           {"MASK_STORAGE", mask.size() == 1   ? "uint8_t"
                            : mask.size() == 2 ? "uint16_t"
                                               : "float"},
           {"MASK_SIZE", std::to_string(mask.size())},
           {"SIZE", std::to_string(type.size())}};
}

std::map<std::string, std::string> AttentionText::whole_words() {
  return {{"MORE", ""}, {"SPLIT", ""}, {"PART", ""}, {"KEYS", ""}, {"FIRST", "0L"}};
}

std::map<std::string, std::string> AttentionText::part_words() {
  return {
      {"MORE", "  uint64_t stats;\n  int64_t each, count;\n"},
      {"SPLIT",
       R"(  const uint all = blocks * parts * uint(args.sizes[0] * args.sizes[1] * args.sizes[2] * args.sizes[3]);
  const uint split = group / all;
  group -= split * all;
  if (int64_t(split) >= args.count) return;
)"},
      {"PART",
       R"(  const uint64_t part_row = uint64_t(split * (all / (blocks * parts)) + batch) * uint64_t(m);
  const uint64_t part_base = args.result + part_row * uint64_t(e) * 4UL, stats_base = args.stats + part_row * 8UL;
)"},
      {"KEYS", "  const int64_t first_key = int64_t(split) * args.each;\n  keys = min(keys, first_key + args.each);\n"},
      {"FIRST", "first_key"}};
}

std::string AttentionText::hidden_before_scale() const {
  return literal_of(hidden_is_finite ? std::max(hidden * kLog2E / scale, kLowest) : hidden);
}

float AttentionText::hidden_after_scale() const {
  return static_cast<float>(hidden_is_finite ? std::max(hidden * kLog2E, kLowest) : hidden);
}

std::string mask_text(const AttentionText& t, const std::string& there, const std::string& value,
                      const std::string& bits) {
  std::string text;
  if (t.causal) text += "        if (j - i > last) score = $HIDDEN$;\n";
  if (!t.masked) return text;
  text += "        if (" + there + ") {\n";
  if (t.hides) return text + "          if (uint(" + bits + ") == 0u) score = $HIDDEN$;\n        }\n";
  return text + "          const float more = " + value +
         ";\n          score += isinf(more) ? more : max(more * $LOG2E$, $LOWEST$);\n        }\n";
}

namespace {

// Parts of the keys: as many as workgroups run at once, where there are enough keys.
struct KeyParts {
  Dim each, count;

  KeyParts(const Dim& groups, const Dim& keys, const AttentionSizes& sizes) {
    const Dim wanted = min(floor_div(Dim(sizes.split_slots), max(groups, 1)), floor_div(keys, sizes.split_fewest));
    each = ceil_div(ceil_div(keys, max(wanted, 1)), sizes.split_unit) * Dim(sizes.split_unit);
    count = ceil_div(keys, each);
  }
};

Dim groups_of(const AttentionSizes& sizes, size_t windows) {
  const size_t out = windows - 1;
  return form_number(Form::batch_slot(windows)) * ceil_div(form_number(out, Form::kRows), sizes.rows) *
         ceil_div(form_number(out, Form::kColumns), sizes.columns);
}

}  // namespace

runtime::RoutineForm attention_join_form(const AttentionText& text, const AttentionSizes& sizes, size_t step,
                                         int64_t per_group) {
  const size_t windows = text.masked ? 5 : 4, out = windows - 1;
  Form form;
  form.step = static_cast<uint32_t>(step);
  form.windows = static_cast<uint32_t>(windows);
  const Dim rows = form_number(Form::batch_slot(windows)) * form_number(out, Form::kRows),
            e = form_number(out, Form::kColumns);
  const KeyParts parts(groups_of(sizes, windows), form_number(1, Form::kColumns), sizes);
  for (const Dim& d : {form_number(Form::scratch_slot(windows, 0)), form_number(Form::scratch_slot(windows, 1)),
                       form_number(out, Form::kAddress), rows, e, parts.count})
    form.arguments.push_back(form_program(d));
  form.groups = form_program(ceil_div(rows * e, per_group));
  return form;
}

runtime::RoutineForm attention_form(const AttentionText& text, const AttentionSizes& sizes, size_t step) {
  const size_t windows = text.masked ? 5 : 4, out = windows - 1;
  const auto of = [](size_t window, size_t which) { return form_number(window, which); };
  Form form;
  form.step = static_cast<uint32_t>(step);
  form.windows = static_cast<uint32_t>(windows);
  const size_t mask = text.masked ? 3 : 0;
  std::vector<Dim> arguments;
  for (size_t w : {size_t{0}, size_t{1}, size_t{2}, mask, out}) arguments.push_back(of(w, Form::kAddress));
  const Dim m = of(out, Form::kRows), e = of(out, Form::kColumns), d = of(0, Form::kColumns), n = of(1, Form::kColumns);
  arguments.insert(arguments.end(), {m, d, n, e});
  for (size_t w : {size_t{0}, size_t{1}, size_t{2}, mask}) {
    arguments.push_back(of(w, Form::kRowStride));
    arguments.push_back(of(w, Form::kColumnStride));
  }
  for (size_t i = 0; i < Form::kBatchAxes; ++i) arguments.push_back(form_number(Form::size_slot(windows, i)));
  for (size_t w : {size_t{0}, size_t{1}, size_t{2}, mask})
    for (size_t i = 0; i < Form::kBatchAxes; ++i) arguments.push_back(of(w, Form::kSteps + i));
  std::vector<Dim> zeros{of(0, Form::kRows) - m, of(1, Form::kRows) - d, of(2, Form::kRows) - n,
                         of(2, Form::kColumns) - e};
  if (text.masked) zeros.insert(zeros.end(), {of(3, Form::kRows) - m, of(3, Form::kColumns) - n});
  for (const Dim& zero : zeros) form.agree.push_back(form_program(zero));
  const Dim groups = groups_of(sizes, windows);
  if (sizes.split_slots) {
    const KeyParts parts(groups, n, sizes);
    arguments[4] = form_number(Form::scratch_slot(windows, 0));
    arguments.insert(arguments.end(), {form_number(Form::scratch_slot(windows, 1)), parts.each, parts.count});
    form.groups = form_program(groups * parts.count);
    const Dim rows = parts.count * form_number(Form::batch_slot(windows)) * m;
    form.scratch = {form_program(rows * e * Dim(4)), form_program(rows * Dim(8))};
    form.suited.push_back(form_program(shortfall(parts.count, sizes.least_parts)));
  } else {
    form.groups = form_program(groups);
  }
  for (const Dim& argument : arguments) form.arguments.push_back(form_program(argument));
  if (sizes.least_groups) form.suited.push_back(form_program(shortfall(groups, sizes.least_groups)));
  return form;
}

}  // namespace frit::codegen::glsl
