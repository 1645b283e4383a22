// The shader of `searchsorted`: an invocation for each value, which takes the steps that ir/routines/searchsorted.cpp
// states.
#include "codegen/glsl/rows/rows.h"

namespace frit::codegen::glsl {

namespace {

using Form = runtime::RoutineForm;

constexpr const char* kText = R"($EXTENSIONS$layout(local_size_x = 256) in;
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments {
  uint64_t row, values, result;
  int64_t count, n, stride;
  int64_t sizes[4], row_steps[4], value_steps[4];
};
layout(push_constant, std430) uniform Push { Arguments args; };
uint64_t quotient(uint64_t x, uint64_t y) { return ((x | y) >> 32) == 0UL ? uint64_t(uint(x) / uint(y)) : x / y; }
$KEYS$
void main() {
  const uint64_t group = uint64_t(flat_group());
  const uint64_t i = group * 256UL + uint64_t(gl_LocalInvocationIndex);
  if (i >= uint64_t(args.count)) return;
  int64_t in_row = 0L, in_values = 0L;
  uint64_t rest = i;
  for (int axis = 3; axis >= 0 && rest != 0UL; --axis) {
    const uint64_t size = uint64_t(args.sizes[axis]), next = quotient(rest, size);
    in_row += int64_t(rest - next * size) * args.row_steps[axis];
    in_values += int64_t(rest - next * size) * args.value_steps[axis];
    rest = next;
  }
  const $WORD$ wanted = key_of($WORD$(Element(args.values + uint64_t(in_values) * $SIZE$UL).data));
  int64_t first = 0L;
  for (int64_t left = args.n; left > 0L;) {
    const int64_t middle = left / 2L;
    const $WORD$ found = key_of($WORD$(Element(args.row + uint64_t(in_row + (first + middle) * args.stride) * $SIZE$UL).data));
    const bool before = found $LESS$ wanted;
    first += before ? middle + 1L : 0L;
    left = before ? left - middle - 1L : middle;
  }
  Place(args.result + i * 4UL).data = uint(first);
}
)";

Result<std::vector<Shader>> emit_searchsorted(const RoutineStep& s) {
  const Dtype t = s.step.dtypes[0];
  std::vector<Shader> shaders;
  if (!has_rows_of(t, s.features)) return shaders;
  Form form;
  form.step = static_cast<uint32_t>(s.number);
  form.windows = 3;
  form.own = {1, 0, 0};
  const Dim count = form_number(Form::batch_slot(3));
  std::vector<Dim> arguments;
  for (size_t w = 0; w < 3; ++w) arguments.push_back(form_number(w, Form::kAddress));
  for (const Dim& d : {count, form_number(0, Form::kColumns), form_number(0, Form::kColumnStride)})
    arguments.push_back(d);
  for (size_t i = 0; i < Form::kBatchAxes; ++i) arguments.push_back(form_number(Form::size_slot(3, i)));
  for (const size_t w : {0, 1})
    for (size_t i = 0; i < Form::kBatchAxes; ++i) arguments.push_back(form_number(w, Form::kSteps + i));
  for (const Dim& d : arguments) form.arguments.push_back(form_program(d));
  form.groups = form_program(ceil_div(count, int64_t{kRowThreads}));
  // Always zero. Where the leading axes are too many, the CPU computes the step.
  form.suited = {DimProgram(0)};
  std::map<std::string, std::string> words = row_words(t);
  words["LESS"] = s.step.attrs.get_bool("right") ? "<=" : "<";
  shaders.push_back(row_shader(s, "_search", fill(fill(kText, {{"KEYS", kRowKeys}}), words), std::move(form)));
  return shaders;
}

const RegisterRoutineShaders shaders("searchsorted", emit_searchsorted);

}  // namespace

}  // namespace frit::codegen::glsl
