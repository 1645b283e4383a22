// Leaves out forms of a routine that the step's known sizes rule out, so that nobody compiles them.
#include <algorithm>
#include <optional>

#include "codegen/glsl/routine.h"

namespace frit::codegen::glsl {

namespace {

using Form = runtime::RoutineForm;
using Known = std::vector<std::optional<int64_t>>;

std::optional<int64_t> known(const Dim& d) { return d.is_const() ? std::optional(d.value()) : std::nullopt; }

// The numbers of the step's windows that follow from its layouts: sizes and strides of the routine's own axes, and how
// many positions the others have.
Known numbers_of(const ir::LibraryStep& step, const Form& form) {
  std::vector<const ir::Layout*> layouts;
  for (const auto* list : {&step.operands, &step.results})
    for (const ir::Window& w : *list) layouts.push_back(&w.layout);
  Known numbers(Form::slots(layouts.size()));
  std::optional<int64_t> batch = 1;
  size_t rank = 0;
  for (size_t w = 0; w < layouts.size(); ++w) {
    const ir::Layout& l = *layouts[w];
    const size_t all = l.shape.size(), axes = std::min<size_t>(all, form.own.empty() ? 2 : form.own[w]);
    const auto put = [&](Form::Number which, const std::optional<int64_t>& value) {
      numbers[Form::slot(w, which)] = value;
    };
    put(Form::kRows, axes > 1 ? known(l.shape[all - 2]) : 1);
    put(Form::kColumns, axes > 0 ? known(l.shape[all - 1]) : 1);
    put(Form::kRowStride, axes > 1 ? known(l.strides[all - 2]) : 0);
    put(Form::kColumnStride, axes > 0 ? known(l.strides[all - 1]) : 0);
    if (all - axes < rank) continue;
    rank = all - axes;
    batch = 1;
    for (size_t i = 0; i < rank; ++i) {
      const auto size = known(l.shape[i]);
      batch = batch && size ? std::optional(*batch * *size) : std::nullopt;
    }
  }
  numbers[Form::batch_slot(layouts.size())] = batch;
  return numbers;
}

// The program's value, where it follows from the numbers that are known.
std::optional<int64_t> value_of(const DimProgram& program, const Known& numbers) {
  if (program.code().empty()) return 0;
  using Op = DimProgram::Op;
  Known stack;
  for (const DimProgram::Instr& i : program.code()) {
    if (i.op == Op::Const || i.op == Op::Slot) {
      stack.push_back(i.op == Op::Const ? std::optional(i.value) : numbers[static_cast<size_t>(i.value)]);
      continue;
    }
    const std::optional<int64_t> b = stack.back();
    stack.pop_back();
    std::optional<int64_t>& a = stack.back();
    if (i.op == Op::Mul && ((a && *a == 0) || (b && *b == 0)))
      a = 0;
    else if (!a || !b)
      a = std::nullopt;
    else
      a = DimProgram::from({{Op::Const, *a}, {Op::Const, *b}, i}, 0)->evaluate(nullptr);
  }
  return stack.back();
}

}  // namespace

std::vector<Shader> in_reach(const ir::LibraryStep& step, std::vector<Shader> forms) {
  if (forms.empty()) return forms;
  const Known numbers = numbers_of(step, *forms.front().kernel.routine);
  std::vector<Shader> kept;
  for (size_t first = 0, next = 0; first < forms.size(); first = next) {
    while (forms[next++].kernel.routine->joined) {
    }
    const std::vector<DimProgram>& suited = forms[first].kernel.routine->suited;
    const bool out = std::any_of(suited.begin(), suited.end(), [&](const DimProgram& p) {
      const auto value = value_of(p, numbers);
      return value && *value != 0;
    });
    // The last form stays: it says what the step takes.
    if (out && next < forms.size()) continue;
    for (size_t i = first; i < next; ++i) kept.push_back(std::move(forms[i]));
  }
  return kept;
}

}  // namespace frit::codegen::glsl
