// How the shaders of a matrix product are launched: their arguments, workgroups and conditions as programs over the
// numbers of the operands and the result (runtime/execute/gpu.h).
#include "codegen/glsl/product.h"

namespace frit::codegen::glsl {
namespace {

using Form = runtime::RoutineForm;

constexpr int64_t kManyTiles = 64;            // large tiles only where there are so many of them
constexpr int64_t kMatrixResult = 128 * 128;  // elements below which matrix units are not worth their large tiles
constexpr size_t kA = 0, kB = 1, kC = 2, kWindows = 3;

// A number as a symbol whose name is its slot.
Dim number(size_t slot) { return Dim::symbol("s" + std::to_string(slot)); }
Dim number(size_t window, size_t of) { return number(Form::slot(window, of)); }

DimProgram program(const Dim& d) {
  return DimProgram(d, [](const std::string& name) { return std::stoi(name.substr(1)); });
}

Dim distance(const Dim& a, int64_t b) { return max(a - Dim(b), Dim(b) - a); }

// Zero where an operand can be read 16 bytes at a time, along whichever of its last two axes lies side by side.
Dim narrow(size_t window, int64_t unit) {
  const Dim row = number(window, Form::kRowStride), column = number(window, Form::kColumnStride);
  const Dim by_row = distance(column, 1) + mod(row, unit) + mod(number(window, Form::kColumns), unit);
  const Dim by_column = distance(row, 1) + mod(column, unit) + mod(number(window, Form::kRows), unit);
  Dim odd = mod(number(window, Form::kAddress), 16) + min(by_row, by_column);
  for (size_t i = 0; i < Form::kBatchAxes; ++i) odd += mod(number(window, Form::kSteps + i), unit);
  return odd;
}

// Zero where `value` is at least `least`.
Dim shortfall(const Dim& value, int64_t least) { return Dim(least) - min(value, Dim(least)); }

}  // namespace

runtime::RoutineForm product_form(ProductKind kind, size_t step, int64_t element_bytes, int64_t tile_rows,
                                  int64_t tile_columns) {
  const Dim m = number(kC, Form::kRows), n = number(kC, Form::kColumns), k = number(kA, Form::kColumns);
  Form form;
  form.step = static_cast<uint32_t>(step);
  form.windows = kWindows;
  std::vector<Dim> arguments;
  for (size_t w : {kA, kB, kC}) arguments.push_back(number(w, Form::kAddress));
  arguments.insert(arguments.end(), {m, n, k});
  for (size_t w : {kA, kB}) {
    arguments.push_back(number(w, Form::kRowStride));
    arguments.push_back(number(w, Form::kColumnStride));
  }
  for (size_t i = 0; i < Form::kBatchAxes; ++i) arguments.push_back(number(Form::size_slot(kWindows, i)));
  for (size_t w : {kA, kB})
    for (size_t i = 0; i < Form::kBatchAxes; ++i) arguments.push_back(number(w, Form::kSteps + i));
  for (const Dim& d : arguments) form.arguments.push_back(program(d));

  const Dim groups = number(Form::batch_slot(kWindows)) * ceil_div(m, tile_rows) * ceil_div(n, tile_columns);
  form.groups = program(groups);
  for (const Dim& d : {number(kA, Form::kRows) - m, number(kB, Form::kRows) - k, number(kB, Form::kColumns) - n})
    form.agree.push_back(program(d));

  const int64_t unit = 16 / element_bytes;
  const std::vector<DimProgram> wide{program(narrow(kA, unit)), program(narrow(kB, unit))};
  switch (kind) {
    case ProductKind::Small: form.variant = {wide}; break;
    case ProductKind::Large:
      form.variant = {wide};
      form.suited = {program(shortfall(groups, kManyTiles))};
      break;
    case ProductKind::Matrix:
      form.suited = wide;
      for (const Dim& d :
           {mod(m, 16), mod(n, 16), mod(number(kC, Form::kAddress), 16), shortfall(m * n, kMatrixResult)})
        form.suited.push_back(program(d));
      // Always aligned; then whether an operand lies along its columns.
      form.variant = {{}};
      for (size_t w : {kA, kB})
        form.variant.push_back({program(shortfall(distance(number(w, Form::kColumnStride), 1), 1))});
      break;
  }
  return form;
}

}  // namespace frit::codegen::glsl
