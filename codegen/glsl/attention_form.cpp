// How the shaders of rows between products are launched, and the text that they share.
#include <cmath>
#include <sstream>

#include "codegen/glsl/attention.h"
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
};
layout(push_constant, std430) uniform Push { Arguments args; };
)";

// Later rows first: in the causal form they see the most columns, and what takes longest should begin first.
const char* const kAttentionPlace = R"(  const int64_t m = args.m, d = args.d, n = args.n, e = args.e;
  uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const uint blocks = uint(uint64_t(m + $TM$ - 1) / $TM$UL), parts = uint(uint64_t(e + $TE$ - 1) / $TE$UL);
  uint batch = group / (blocks * parts);
  group -= batch * blocks * parts;
  if (int64_t(batch) >= args.sizes[0] * args.sizes[1] * args.sizes[2] * args.sizes[3]) return;
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
)";

AttentionText::AttentionText(const RoutineStep& s)
    : type(s.step.dtypes.back()),
      causal(s.step.attrs.get_bool("causal")),
      masked(s.step.operands.size() > 3),
      hides(masked && s.step.dtypes[3] == bool_),
      scale(s.step.attrs.get_float("scale", 1) * kLog2E) {
  const double hidden = hidden_ = s.step.attrs.get_float("hidden", -INFINITY);
  hidden_is_finite = std::isfinite(hidden);
  const Dtype mask = masked ? s.step.dtypes[3] : type;
  words = {{"DECLARED", kAttentionArguments},
           {"CAUSAL", causal ? "true" : "false"},
           {"HIDDEN_IS_FINITE", hidden_is_finite ? "true" : "false"},
           {"SCALE", literal_of(scale)},
           {"HIDDEN", literal_of(hidden_is_finite ? std::max(hidden * kLog2E, kLowest) : hidden)},
           {"LOWEST", literal_of(kLowest)},
           {"LOG2E", literal_of(kLog2E)},
           {"MASK_STORAGE", mask.size == 1   ? "uint8_t"
                            : mask.size == 2 ? "uint16_t"
                                             : "float"},
           {"MASK_SIZE", std::to_string(mask.size)},
           {"SIZE", std::to_string(type.size)}};
}

std::string AttentionText::hidden_before_scale() const {
  return literal_of(hidden_is_finite ? std::max(hidden_ * kLog2E / scale, kLowest) : hidden_);
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
  for (const Dim& argument : arguments) form.arguments.push_back(form_program(argument));
  std::vector<Dim> zeros{of(0, Form::kRows) - m, of(1, Form::kRows) - d, of(2, Form::kRows) - n,
                         of(2, Form::kColumns) - e};
  if (text.masked) zeros.insert(zeros.end(), {of(3, Form::kRows) - m, of(3, Form::kColumns) - n});
  for (const Dim& zero : zeros) form.agree.push_back(form_program(zero));
  const Dim groups = form_number(Form::batch_slot(windows)) * ceil_div(m, sizes.rows) * ceil_div(e, sizes.columns);
  form.groups = form_program(groups);
  if (sizes.least_groups) form.suited.push_back(form_program(shortfall(groups, sizes.least_groups)));
  return form;
}

}  // namespace frit::codegen::glsl
