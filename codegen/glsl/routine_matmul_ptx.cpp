// Products of float16 and bfloat16 matrices as PTX (codegen/ptx/product.h), for devices that take it: the forms'
// conditions, arguments and trials. Each pair of layouts has a kernel that describes the operands and one that
// multiplies.
#include <bit>
#include <mutex>

#include "codegen/glsl/form_numbers.h"
#include "codegen/glsl/product.h"
#include "codegen/ptx/product.h"

namespace frit::codegen::glsl {

namespace {

using Form = runtime::RoutineForm;

constexpr size_t kLeft = 0, kRight = 1, kResult = 2, kCount = 3;
constexpr int64_t kUnit = 8;                       // elements of 16 bytes
constexpr uint32_t kBroad = 256, kNarrow = 128;    // columns of a tile
constexpr int64_t kEnoughTiles = 96;               // fewer broad ones leave much of a large device idle
constexpr int64_t kEnoughNarrow = 64;              // the same of narrow ones
constexpr int64_t kAtOnce = 132;                   // multiprocessors of an H200
constexpr int64_t kSteps = 32;                     // along k, among which the right operand may change places
constexpr int64_t kMostSize = int64_t{1} << 30;    // positions are counted in 32 bits
constexpr int64_t kMostStride = int64_t{1} << 38;  // elements between lines or matrices

Dim size_of(size_t window, size_t of) { return form_number(window, of); }
Dim past(const Dim& value, int64_t most) { return max(value - Dim(most), 0); }
Dim apart(const Dim& a, const Dim& b) { return max(a - b, b - a); }
Dim one_if_some(const Dim& value) { return min(value, Dim(1)); }

// An operand as the kernels read it: lines side by side along one axis, matrices along the last batch axis.
struct Lines {
  Dim pitch, step, matrices;

  Lines(size_t window, bool columns)
      : pitch(form_number(window, columns ? Form::kColumnStride : Form::kRowStride)),
        step(form_number(window, Form::kSteps + Form::kBatchAxes - 1)),
        matrices(Dim(1) + one_if_some(step) * (form_number(Form::size_slot(kCount, Form::kBatchAxes - 1)) - Dim(1))) {}

  void suit(Form& form, size_t window, bool columns) const {
    for (const Dim& d : {distance(form_number(window, columns ? Form::kRowStride : Form::kColumnStride), 1),
                         mod(form_number(window, Form::kAddress), 16), mod(pitch, kUnit), shortfall(pitch, kUnit),
                         past(pitch, kMostStride), mod(step, kUnit), shortfall(step, 0), past(step, kMostStride)})
      form.suited.push_back(form_program(d));
  }
};

void put(std::vector<DimProgram>& to, std::initializer_list<Dim> values) {
  for (const Dim& d : values) to.push_back(form_program(d));
}

// A small product of two by two tiles with a rest in every axis, whose sums are exact in float32.
Form::Trial trial(const ptx::Product& p) {
  constexpr int64_t kM = 136, kN = 264;
  const int64_t kK = ptx::needs_dense_right(p) ? 96 : 104;
  const Dtype type = p.bfloat ? bfloat16 : float16;
  Form::Trial t{std::vector<int64_t>(Form::slots(kCount)), {}};
  const auto window = [&](size_t number, int64_t rows, int64_t columns, bool by_column) {
    int64_t* const of = &t.numbers[Form::slot(number, 0)];
    of[Form::kRows] = rows;
    of[Form::kColumns] = columns;
    of[Form::kRowStride] = by_column ? 1 : columns;
    of[Form::kColumnStride] = by_column ? rows : 1;
    return of;
  };
  const int64_t* const a = window(kLeft, kM, kK, p.a_columns);
  const int64_t* const b = window(kRight, kK, kN, p.b_columns);
  window(kResult, kM, kN, false);
  for (size_t i = 0; i < Form::kBatchAxes; ++i) t.numbers[Form::size_slot(kCount, i)] = 1;
  t.numbers[Form::batch_slot(kCount)] = 1;
  std::vector<uint16_t> result;
  for (int64_t i = 0; i < kM; ++i)
    for (int64_t j = 0; j < kN; ++j) {
      int sum = 0;
      for (int64_t k = 0; k < kK; ++k)
        sum += runtime::trial_element(kLeft, i * a[Form::kRowStride] + k * a[Form::kColumnStride]) *
               runtime::trial_element(kRight, k * b[Form::kRowStride] + j * b[Form::kColumnStride]);
      const auto value = static_cast<float>(sum);
      result.push_back(type == bfloat16 ? float_to_bfloat_bits(value) : float_to_half_bits(value));
    }
  t.result = hash_bytes(result.data(), result.size() * sizeof result[0]);
  return t;
}

// The texts and trials of all products, each made once.
struct Made {
  ptx::Module maps, product;
  Form::Trial trial;
};
const Made& made(const ptx::Product& p) {
  static std::once_flag once[16];
  static auto* const all = new Made[16];
  const size_t number = p.bfloat | p.a_columns << 1 | p.b_columns << 2 | (p.columns == kNarrow) << 3;
  std::call_once(once[number], [&] { all[number] = {ptx::product_maps(p), ptx::product_module(p), trial(p)}; });
  return all[number];
}

Shader shader(const RoutineStep& s, const std::string& name, const ptx::Module& module, Form form) {
  Shader shader;
  shader.kernel.name = s.name() + "_ptx" + name;
  shader.kernel.entry = module.entry;
  shader.kernel.group_size = module.threads;
  form.step = static_cast<uint32_t>(s.number);
  form.windows = kCount;
  shader.kernel.routine = std::move(form);
  shader.text = module.text;
  return shader;
}

// Tiles of `columns`, and the time of all of them: of the broad ones a little less for each column.
struct Tiles {
  Dim count, time;

  explicit Tiles(uint32_t columns)
      : count(form_number(Form::batch_slot(kCount)) *
              ceil_div(size_of(kResult, Form::kRows), int64_t{ptx::kProductRows}) *
              ceil_div(size_of(kResult, Form::kColumns), int64_t{columns})),
        time(ceil_div(count, kAtOnce) * Dim(columns == kBroad ? 20 : 11)) {}
};

// The kernels of a product: one describes the operands, the other multiplies.
void add_product(const RoutineStep& s, const ptx::Product& product, std::vector<Shader>& shaders) {
  const Dim m = size_of(kResult, Form::kRows), n = size_of(kResult, Form::kColumns), k = size_of(kLeft, Form::kColumns),
            batch = form_number(Form::batch_slot(kCount));
  const Dim maps = form_number(Form::scratch_slot(kCount, 0));
  const Tiles tiles(product.columns);
  const bool narrow = product.columns == kNarrow;
  const Made& texts = made(product);
  const Lines a(kLeft, product.a_columns), b(kRight, product.b_columns);
  Form first, second;
  first.joined = true;
  first.groups = DimProgram(1);
  put(first.arguments,
      {size_of(kLeft, Form::kAddress), size_of(kRight, Form::kAddress), maps, m, n, k, a.pitch * Dim(2),
       b.pitch * Dim(2), a.matrices, b.matrices, max(a.step * Dim(2), Dim(16)), max(b.step * Dim(2), Dim(16))});
  put(first.agree,
      {size_of(kLeft, Form::kRows) - m, size_of(kRight, Form::kRows) - k, size_of(kRight, Form::kColumns) - n});
  a.suit(first, kLeft, product.a_columns);
  b.suit(first, kRight, product.b_columns);
  put(first.suited, {mod(n, kUnit), mod(size_of(kResult, Form::kAddress), 16),
                     shortfall(tiles.count, narrow ? kEnoughNarrow : kEnoughTiles), shortfall(k, 1),
                     past(max(m, max(n, k)), kMostSize), past(tiles.count, kMostSize)});
  if (!narrow) put(first.suited, {max(tiles.time - Tiles(kNarrow).time, 0)});
  for (size_t i = 0; i + 1 < Form::kBatchAxes; ++i)
    put(first.suited, {form_number(Form::size_slot(kCount, i)) - Dim(1)});
  if (!product.a_columns) put(first.suited, {mod(k, kUnit)});
  if (ptx::needs_dense_right(product)) {
    // A piece of the right operand has steps of all the 32 around it, and would reach past the operand's end.
    put(first.suited, {mod(k, kSteps)});
    const Dim loose = apart(b.step, k * b.pitch) + mod(k, 2 * kSteps);
    put(first.suited, {(b.matrices - Dim(1)) * loose});
  }
  put(first.scratch, {Dim(int64_t{ptx::kProductMaps})});
  first.trial = texts.trial;
  put(second.arguments, {maps, size_of(kResult, Form::kAddress), m, n, k, batch, one_if_some(a.step),
                         one_if_some(b.step), size_of(kLeft, Form::kAddress), a.pitch * Dim(2), a.step * Dim(2)});
  second.agree = first.agree;
  second.groups = form_program(tiles.count);
  const std::string name =
      std::string(product.a_columns ? "t" : "n") + (product.b_columns ? "t" : "n") + (narrow ? "_narrow" : "");
  shaders.push_back(shader(s, "_maps_" + name, texts.maps, std::move(first)));
  shaders.push_back(shader(s, "_" + name, texts.product, std::move(second)));
}

}  // namespace

std::vector<Shader> ptx_products(const RoutineStep& s, Dtype type) {
  std::vector<Shader> shaders;
  for (const uint32_t columns : {kBroad, kNarrow})
    for (const bool a_columns : {false, true})
      for (const bool b_columns : {false, true})
        add_product(s, {type == bfloat16, a_columns, b_columns, columns}, shaders);
  return shaders;
}

}  // namespace frit::codegen::glsl
