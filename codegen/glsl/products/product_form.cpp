// How the shaders of a matrix product are launched: their arguments, workgroups and conditions as programs over the
// numbers of the operands and the result (runtime/execute/gpu.h).
#include <array>

#include "codegen/glsl/form_numbers.h"
#include "codegen/glsl/products/product.h"
#include "codegen/glsl/products/product_copy.h"

namespace frit::codegen::glsl {
namespace {

using Form = runtime::RoutineForm;

constexpr int64_t kManyLargeTiles = 128;          // the largest plain tiles only where there are so many
constexpr int64_t kManyMediumTiles = 192;         // their quarters
constexpr int64_t kManyMatrixTiles = 96;          // the same of matrix units, whose tiles are larger
constexpr int64_t kMostSteps = int64_t{1} << 30;  // along k, counted in 32 bits
constexpr int64_t kDeepTile = 128, kSmallDeepTile = 64, kSmallTile = 32;
constexpr int64_t kLargeTile64 = 64;                // of float64
constexpr int64_t kLong = 680;                      // steps, three of which are worth splitting in two
constexpr int64_t kShort = 64;                      // loads of a line below which fewer invocations share it
constexpr int64_t kDeep = 256;                      // steps from which subgroups share them
constexpr int64_t kWorthCopies = int64_t{1} << 27;  // multiplications from which operands are copied first
constexpr int64_t kReuse = 256;                     // of each element of an operand that is copied
constexpr int64_t kShiftedRows = 5;                 // rows from which matrix units pay for operands that are shifted
constexpr size_t kA = ProductCopy::kLeft, kB = ProductCopy::kRight, kC = 2, kWindows = ProductCopy::kWindows;

Dim number(size_t slot) { return form_number(slot); }
Dim number(size_t window, size_t of) { return form_number(window, of); }
DimProgram program(const Dim& d) { return form_program(d); }

// Zero where an operand can be read 16 bytes at a time, along whichever of its last two axes lies side by side.
Dim narrow(size_t window, int64_t unit) {
  const Dim row = number(window, Form::kRowStride), column = number(window, Form::kColumnStride);
  const Dim by_row = distance(column, 1) + mod(row, unit) + mod(number(window, Form::kColumns), unit);
  const Dim by_column = distance(row, 1) + mod(column, unit) + mod(number(window, Form::kRows), unit);
  Dim odd = mod(number(window, Form::kAddress), 16) + min(by_row, by_column);
  for (size_t i = 0; i < Form::kBatchAxes; ++i) odd += mod(number(window, Form::kSteps + i), unit);
  return odd;
}

// Zero where an operand lies side by side along one of its last two axes.
Dim scattered(size_t window) {
  return min(distance(number(window, Form::kRowStride), 1), distance(number(window, Form::kColumnStride), 1));
}

// Zero where an operand lies along its columns.
DimProgram by_column(size_t window) { return program(shortfall(distance(number(window, Form::kColumnStride), 1), 1)); }

void agree(Form& form) {
  const Dim m = number(kC, Form::kRows), n = number(kC, Form::kColumns), k = number(kA, Form::kColumns);
  for (const Dim& d : {number(kA, Form::kRows) - m, number(kB, Form::kRows) - k, number(kB, Form::kColumns) - n})
    form.agree.push_back(program(d));
}

// A tile on a GPU of 132 multiprocessors, as measured on an H200: workgroups of parts of k that are worth having, those
// that take a step along k in the time below, the fewest steps of a part and the unit of their number, and nanoseconds
// for each step and around all steps.
struct TileCost {
  int64_t parts, at_once, fewest, unit, step, around;
};

TileCost cost_of(ProductKind kind, int64_t element_bytes) {
  switch (kind) {
    case ProductKind::Deep: return {264, 264, 128, 16, 180, 2000};
    case ProductKind::SmallDeep: return {528, 528, 64, 16, 110, 1500};
    case ProductKind::SmallMatrix: return {396, 396, 128, 64, 40, 1500};
    case ProductKind::FewMatrix: return {264, 66, 512, 64, 40, 1500};
    case ProductKind::FewRows: return {528, 66, 512, 64, 40, 1500};
    case ProductKind::Small: return {264, 132, 128, 64, element_bytes == 8 ? 34 : 14, 1000};
    default: return {264, 264, 64, 16, 190, 1500};
  }
}

// The parts of k of a product of `tiles`: as many as workgroups run at once.
struct Parts {
  Dim each, count;

  Parts(const TileCost& c, const Dim& tiles, const Dim& k, const Dim& turns = 1) {
    const Dim wanted = min(floor_div(floor_div(Dim(c.parts), turns), max(tiles, 1)), floor_div(k, c.fewest));
    each = multiple(ceil_div(k, max(wanted, 1)), c.unit);
    count = ceil_div(k, each);
  }
};

// The most rows of the form that reads the other operand once: beyond, reading it is no longer most of the work.
Dim most_of_few(const FormSizes& sizes) { return Dim(sizes.computed ? kFewRows : kFewest); }

// One where the rows are not few, so that the columns must be: lines are the rows then.
Dim few_swapped(const FormSizes& sizes) { return min(max(number(kC, Form::kRows) - most_of_few(sizes), 0), 1); }

// The divisor of the number of workgroups that few rows are worth. Those that read odd operands, or compute many
// rows, wait for their own work; others fill the memory's time sooner than a second launch ends.
Dim turns_of(ProductKind kind, const FormSizes& sizes) {
  if (kind != ProductKind::FewRows && kind != ProductKind::FewMatrix) return 1;
  const int64_t unit = 16 / sizes.element_bytes;
  const Dim odd = sign(narrow(kA, unit) + narrow(kB, unit));
  if (kind == ProductKind::FewMatrix) return choose(odd, Dim(1), Dim(4));
  const Dim rows = choose(few_swapped(sizes), number(kC, Form::kColumns), number(kC, Form::kRows));
  return choose(odd, Dim(1), Dim(1) + sign(shortfall(rows, 5)) + Dim(6) * sign(shortfall(rows, 3)));
}

Dim tiles_of(ProductKind kind, const FormSizes& sizes) {
  if (kind == ProductKind::FewRows)
    return number(Form::batch_slot(kWindows)) *
           ceil_div(choose(few_swapped(sizes), number(kC, Form::kRows), number(kC, Form::kColumns)),
                    sizes.tile_columns);

  return number(Form::batch_slot(kWindows)) * ceil_div(number(kC, Form::kRows), sizes.tile_rows) *
         ceil_div(number(kC, Form::kColumns), sizes.tile_columns);
}

Dim part_pitch() { return multiple(number(kC, Form::kColumns), 4); }

// The time of a product whose k is split; the second launch and its traffic count where there are several parts.
Dim split_cost(ProductKind kind, const FormSizes& sizes) {
  const Dim k = number(kA, Form::kColumns), tiles = tiles_of(kind, sizes);
  const TileCost c = cost_of(kind, sizes.element_bytes);
  const Parts parts(c, tiles, k);
  const int64_t bytes = std::max<int64_t>(sizes.element_bytes, 4);
  const Dim traffic = floor_div(tiles * Dim(sizes.tile_rows * sizes.tile_columns * bytes) * parts.count, 1500);
  return ceil_div(tiles * parts.count, c.at_once) * (parts.each * Dim(c.step) + Dim(c.around)) +
         min(parts.count - Dim(1), 1) * (traffic + Dim(3000));
}

// The time where it is not split.
Dim whole_cost(ProductKind kind, const FormSizes& sizes) {
  const TileCost c = cost_of(kind, sizes.element_bytes);
  return ceil_div(tiles_of(kind, sizes), c.at_once) * (number(kA, Form::kColumns) * Dim(c.step) + Dim(c.around));
}

FormSizes square_tile(int64_t element_bytes, int64_t lines) { return {element_bytes, lines, lines}; }

Dim cost_of_small(int64_t element_bytes) {
  const FormSizes sizes = square_tile(element_bytes, kSmallTile);
  return min(whole_cost(ProductKind::Small, sizes), split_cost(ProductKind::Small, sizes));
}

void few_rows_form(Form& form, int64_t unit, const FormSizes& sizes) {
  const Dim m = number(kC, Form::kRows), n = number(kC, Form::kColumns), k = number(kA, Form::kColumns);
  const Dim swapped = few_swapped(sizes), lines = choose(swapped, m, n), rows = choose(swapped, n, m);
  form.suited.push_back(program(max(rows - most_of_few(sizes), 0)));
  auto chosen = [&](const Dim& a, const Dim& b) { return choose(swapped, a, b); };
  // The large operand's strides along its lines and along k, and the small one's.
  const Dim line = chosen(number(kA, Form::kRowStride), number(kB, Form::kColumnStride));
  const Dim along = chosen(number(kA, Form::kColumnStride), number(kB, Form::kRowStride));
  const Dim small_row = chosen(number(kB, Form::kColumnStride), number(kA, Form::kRowStride));
  const Dim small_along = chosen(number(kB, Form::kRowStride), number(kA, Form::kColumnStride));
  auto aligned = [&](const Dim& step, size_t a, size_t b) {
    Dim odd = mod(step, unit) + mod(chosen(number(a, Form::kAddress), number(b, Form::kAddress)), 16);
    for (size_t i = 0; i < Form::kBatchAxes; ++i)
      odd += mod(chosen(number(a, Form::kSteps + i), number(b, Form::kSteps + i)), unit);
    return odd;
  };
  const Dim by_k = distance(along, 1) + mod(line, unit) + mod(k, unit),
            by_line = distance(line, 1) + mod(along, unit) + mod(lines, unit);
  form.variant = {{program(aligned(Dim(0), kA, kB) + min(by_k, by_line))},
                  {program(Dim(1) - swapped)},
                  {program(distance(along, 1) + min(by_k, 1) * (Dim(1) - min(by_line, 1)))},
                  {program(max(k - Dim(kShort * unit), 0))},
                  {program(aligned(small_row, kB, kA) + distance(small_along, 1) + mod(k, unit))}};
  for (int64_t least : {2, 3, 5, 9, 17}) form.variant.push_back({program(shortfall(rows, least))});
  // The right operand is the large one, and lies along k.
  if (sizes.computed) form.suited.insert(form.suited.end(), {program(swapped), form.variant[0][0], form.variant[2][0]});
}

// Of matrix units. `wide` is zero where 16-byte loads take the operands, `whole` where k ends with a tile.
void few_matrix_form(Form& form, const FormSizes& sizes, const std::vector<DimProgram>& wide,
                     const std::vector<DimProgram>& whole) {
  const Dim m = number(kC, Form::kRows), k = number(kA, Form::kColumns);
  for (const Dim& d : {distance(number(kA, Form::kColumnStride), 1), scattered(kB), shortfall(m, 2),
                       max(m - Dim(kFewRows), 0), shortfall(k, kDeep), max(k - Dim(kMostSteps), 0)})
    form.suited.push_back(program(d));
  std::vector<DimProgram> whole_tiles = wide;
  whole_tiles.insert(whole_tiles.end(), whole.begin(), whole.end());
  form.variant = {{by_column(kB)}, {program(shortfall(m, 17))}};
  if (sizes.computed) {
    form.suited.insert(form.suited.end(), whole_tiles.begin(), whole_tiles.end());
    return;
  }
  form.variant.push_back(wide);
  form.variant.push_back(whole_tiles);
  const int64_t unit = 16 / sizes.element_bytes;
  form.suited.push_back(program(sign(narrow(kA, unit) + narrow(kB, unit)) * shortfall(m, kShiftedRows)));
}

// The launch of a form whose workgroups sum parts of k.
void split(Form& form, ProductKind kind, const FormSizes& sizes, std::vector<Dim>& arguments) {
  const int64_t element_bytes = sizes.element_bytes;
  const Dim m = number(kC, Form::kRows), k = number(kA, Form::kColumns), tiles = tiles_of(kind, sizes);
  const Parts parts(cost_of(kind, element_bytes), tiles, k, turns_of(kind, sizes));
  arguments[kC] = number(Form::scratch_slot(kWindows, 0));
  arguments.insert(arguments.end(), {parts.each, part_pitch()});
  form.groups = program(tiles * parts.count);
  form.scratch = {program(parts.count * number(Form::batch_slot(kWindows)) * m * part_pitch() *
                          Dim(std::max<int64_t>(element_bytes, 4)))};
  // Two parts pay the second launch only where they are long.
  form.suited = {program(shortfall(parts.count, 2)), program(shortfall(max(parts.count, floor_div(k, kLong)), 3))};
}

// A deep tile where no other one takes less time: the large one is compared with the small one, that with the tiles
// that are not deep.
void suit_deep(Form& form, ProductKind kind, const FormSizes& sizes) {
  const Dim own = sizes.split ? split_cost(kind, sizes) : whole_cost(kind, sizes);
  const auto suit = [&](const Dim& other) { form.suited.push_back(program(max(own - other, 0))); };
  if (kind == ProductKind::Deep) {
    const FormSizes small = square_tile(sizes.element_bytes, kSmallDeepTile);
    suit(min(whole_cost(ProductKind::SmallDeep, small), split_cost(ProductKind::SmallDeep, small)));
  }
  suit(cost_of_small(sizes.element_bytes));
}

}  // namespace

runtime::RoutineForm copies_form(const ProductCopies& copies) {
  Form form;
  form.windows = kWindows;
  form.joined = true;
  agree(form);
  Dim groups;
  std::vector<Dim> arguments;
  for (size_t w : {kA, kB}) {
    const ProductCopy& c = copies[w];
    const Dim words = floor_div(c.bytes(), 16), own = ceil_div(words, kCopiedWords);
    form.suited.push_back(program(max(words - Dim(kMostSteps), 0)));
    arguments.insert(arguments.end(), {number(w, Form::kAddress), c.as_operand.address, own, words, c.lines, c.length,
                                       c.stride, c.all_lines, c.pitch});
    for (const Dim& d : c.sizes) arguments.push_back(d);
    for (size_t i = 0; i < Form::kBatchAxes; ++i) arguments.push_back(number(w, Form::kSteps + i));
    form.scratch.push_back(program(c.bytes()));
    form.suited.push_back(program(scattered(w)));
    groups = w == kA ? own : groups + own;
  }
  for (const Dim& d : arguments) form.arguments.push_back(program(d));
  form.groups = program(groups);
  const Dim m = number(kC, Form::kRows), n = number(kC, Form::kColumns), k = number(kA, Form::kColumns);
  form.suited.push_back(program(max(k - Dim(kMostSteps), 0)));
  form.suited.push_back(program(shortfall(min(min(m, n), k), 1)));
  return form;
}

std::vector<Shader> with_odd_copies(const RoutineStep& s, Dtype type, const FormSizes& sizes, Shader product) {
  const int64_t unit = 16 / sizes.element_bytes;
  const Dim m = number(kC, Form::kRows), n = number(kC, Form::kColumns), k = number(kA, Form::kColumns);
  std::vector<Shader> shaders =
      with_copies(s, type, copies_form({ProductCopy(kA, sizes), ProductCopy(kB, sizes)}), std::move(product));
  auto& suited = shaders.front().kernel.routine->suited;
  for (const Dim& d : {Dim(1) - sign(narrow(kA, unit) + narrow(kB, unit)), shortfall(m * n * k, kWorthCopies),
                       max(Dim(kReuse) - min(m, n), 0)})
    suited.push_back(program(d));
  return shaders;
}

ProductParts parts_of(ProductKind kind, const FormSizes& sizes) {
  const Parts parts(cost_of(kind, sizes.element_bytes), tiles_of(kind, sizes), number(kA, Form::kColumns),
                    turns_of(kind, sizes));
  return {number(Form::scratch_slot(kWindows, 0)), part_pitch(), parts.count};
}

runtime::RoutineForm sums_form(const ProductParts& parts, size_t step, int64_t per_group) {
  const Dim rows = number(Form::batch_slot(kWindows)) * number(kC, Form::kRows), n = number(kC, Form::kColumns);
  Form form;
  form.step = static_cast<uint32_t>(step);
  form.windows = kWindows;
  for (const Dim& d : {parts.memory, number(kC, Form::kAddress), rows, n, parts.pitch, parts.count})
    form.arguments.push_back(program(d));
  // So many that they lie in memory, however many the epilogue adds.
  while (form.arguments.size() <= kMaxPushArguments) form.arguments.emplace_back(0);
  form.groups = program(ceil_div(rows * n, per_group));
  return form;
}

Dim plain_product_time(int64_t element_bytes) {
  const auto of = [&](ProductKind kind, int64_t lines) {
    const FormSizes sizes = square_tile(element_bytes, lines);
    return min(whole_cost(kind, sizes), split_cost(kind, sizes));
  };
  const Dim small = cost_of_small(element_bytes);
  if (element_bytes == 8) return min(small, of(ProductKind::Large, kLargeTile64));
  return min(small, min(of(ProductKind::SmallDeep, kSmallDeepTile), of(ProductKind::Deep, kDeepTile)));
}

runtime::RoutineForm product_form(ProductKind kind, const FormSizes& sizes, size_t step) {
  const int64_t element_bytes = sizes.element_bytes, unit = 16 / element_bytes;
  const Dim m = number(kC, Form::kRows), n = number(kC, Form::kColumns), k = number(kA, Form::kColumns);
  Form form;
  form.step = static_cast<uint32_t>(step);
  form.windows = kWindows;
  std::array<ProductOperand, 2> operands;
  for (size_t w : {kA, kB}) operands[w] = sizes.copied ? ProductCopy(w, sizes).as_operand : ProductOperand(w);
  const auto& [a, b] = operands;
  const Dim steps = sizes.copied ? multiple(k, sizes.depth) : k;
  std::vector<Dim> arguments{a.address, b.address, number(kC, Form::kAddress), m, n, steps, a.row, a.column,
                             b.row,     b.column};
  for (size_t i = 0; i < Form::kBatchAxes; ++i) arguments.push_back(number(Form::size_slot(kWindows, i)));
  for (const ProductOperand& o : operands) arguments.insert(arguments.end(), o.steps.begin(), o.steps.end());
  const Dim groups = tiles_of(kind, sizes);
  form.groups = program(groups);
  if (sizes.split) split(form, kind, sizes, arguments);
  for (const Dim& d : arguments) form.arguments.push_back(program(d));
  agree(form);

  const std::vector<DimProgram> wide{program(narrow(kA, unit)), program(narrow(kB, unit))};
  const std::vector<DimProgram> whole{program(mod(k, sizes.depth)), program(shortfall(k, sizes.depth))};
  const std::vector<DimProgram> wide_lines{program(mod(n, unit)), program(mod(number(kC, Form::kAddress), 16))};
  const std::vector<std::vector<DimProgram>> plain{{by_column(kA)}, {by_column(kB)}, {wide[kA]}, {wide[kB]}};
  auto suit = [&](const std::vector<DimProgram>& all) {
    form.suited.insert(form.suited.end(), all.begin(), all.end());
  };
  switch (kind) {
    case ProductKind::Small:
      form.variant = plain;
      if (sizes.split) suit({program(max(split_cost(kind, sizes) - whole_cost(kind, sizes), 0))});
      break;
    case ProductKind::Large:
      form.variant = plain;
      if (sizes.split)
        suit({program(max(split_cost(kind, sizes) - cost_of_small(element_bytes), 0))});
      else if (element_bytes == 8)
        suit({program(max(whole_cost(kind, sizes) - min(split_cost(kind, sizes), cost_of_small(element_bytes)), 0))});
      else
        suit({program(shortfall(groups, kManyLargeTiles))});
      break;
    case ProductKind::Medium:
      form.variant = plain;
      suit({program(shortfall(groups, kManyMediumTiles))});
      break;
    case ProductKind::Deep:
    case ProductKind::SmallDeep:
      form.variant = {{by_column(kA)}, {by_column(kB)}, wide_lines};
      if (sizes.copied)
        form.variant.resize(6);
      else
        form.variant.insert(form.variant.end(), {{wide[kA]}, {wide[kB]}, {program(mod(k, sizes.depth))}});
      suit({program(shortfall(k, sizes.depth)), program(max(k - Dim(kMostSteps), 0))});
      suit_deep(form, kind, sizes);
      break;
    case ProductKind::Matrix:
    case ProductKind::SmallMatrix:
      for (size_t w : {kA, kB}) suit({program(scattered(w))});
      suit({program(max(k - Dim(kMostSteps), 0))});
      if (kind == ProductKind::Matrix) suit({program(shortfall(groups, kManyMatrixTiles))});
      form.variant = {wide, {by_column(kA)}, {by_column(kB)}, wide, wide_lines};
      form.variant[3].insert(form.variant[3].end(), whole.begin(), whole.end());
      break;
    case ProductKind::WholeMatrix:
      for (size_t w : {kA, kB}) suit({program(scattered(w))});
      suit({program(max(k - Dim(kMostSteps), 0)), program(shortfall(groups, kManyMatrixTiles))});
      if (!sizes.copied) suit(wide), suit(whole);
      form.variant = {{by_column(kA)}, {by_column(kB)}, wide_lines};
      break;
    case ProductKind::FewMatrix: few_matrix_form(form, sizes, wide, whole); break;
    case ProductKind::FewRows: few_rows_form(form, unit, sizes); break;
  }
  return form;
}

}  // namespace frit::codegen::glsl
