// The numbers of copies of a product's operands.
#include "codegen/glsl/products/product_copy.h"

namespace frit::codegen::glsl {

using Form = runtime::RoutineForm;

namespace {
constexpr int64_t kCacheLine = 128;
}  // namespace

ProductOperand::ProductOperand(size_t window)
    : address(form_number(window, Form::kAddress)),
      row(form_number(window, Form::kRowStride)),
      column(form_number(window, Form::kColumnStride)) {
  for (size_t i = 0; i < Form::kBatchAxes; ++i) steps[i] = form_number(window, Form::kSteps + i);
}

ProductCopy::ProductCopy(size_t window, const FormSizes& form, const Dim& copied)
    : is_copied(copied), element_bytes_(form.element_bytes) {
  const ProductOperand from(window);
  const Dim rows_size = form_number(window, Form::kRows), columns_size = form_number(window, Form::kColumns);
  const Dim columns = sign(distance(from.column, 1));
  lines = choose(columns, columns_size, rows_size);
  length = choose(columns, rows_size, columns_size);
  stride = choose(columns, from.column, from.row);
  const Dim along_k = window == kLeft ? Dim(1) - columns : columns;
  all_lines = choose(along_k, lines, multiple(lines, form.depth));
  // Tiles begin at whole lines of a cache.
  pitch = multiple(length, kCacheLine / form.element_bytes);
  const auto put = [&](Dim& to, const Dim& own, const Dim& original) { to = choose(copied, own, original); };
  put(as_operand.address, form_number(Form::scratch_slot(kWindows, window)), from.address);
  put(as_operand.row, choose(columns, Dim(1), pitch), from.row);
  put(as_operand.column, choose(columns, pitch, Dim(1)), from.column);
  matrices = Dim(1);
  for (size_t i = Form::kBatchAxes; i-- > 0;) {
    const Dim there = sign(distance(from.steps[i], 0));
    sizes[i] = choose(there, form_number(Form::size_slot(kWindows, i)), Dim(1));
    put(as_operand.steps[i], there * matrices * all_lines * pitch, from.steps[i]);
    matrices = matrices * sizes[i];
  }
}

Dim ProductCopy::bytes() const { return is_copied * matrices * all_lines * pitch * Dim(element_bytes_); }

}  // namespace frit::codegen::glsl
