// Shaders, texts and times of forms of PTX text.
#include "codegen/glsl/products/ptx_form.h"

#include <algorithm>
#include <tuple>

#include "codegen/glsl/products/product_copy.h"

namespace frit::codegen::glsl {

namespace {

constexpr PtxTiles kTiles[] = {{256, false}, {128, false}, {64, false}, {128, true}, {64, true}};
constexpr int64_t kLeastSteps = 256;  // of a part of k
constexpr int64_t kLaunch = 4500;     // nanoseconds of a second launch
constexpr int64_t kLeast = 3300;      // of the shortest products, whatever computes them

// Nanoseconds of 16 steps along k and around all steps, as measured on an H100. Sums in float32 take longer to store.
struct TileTime {
  int64_t step, around;
};
TileTime time_of(int64_t columns) {
  return columns == 256 ? TileTime{265, 3500} : columns == 128 ? TileTime{140, 2700} : TileTime{115, 2500};
}

// The same of shaders of matrix units (product_form.cpp), by step: tiles of 64 by 64, and of 128 by 256 where they are
// many. A step of a multiprocessor's only small tile waits for memory.
constexpr int64_t kShaderTile = 64, kShaderSteps = 128, kShaderStep = 7, kShaderAround = 900;
constexpr int64_t kLoneStep = 11, kLoneAround = 1500;
constexpr int64_t kShaderShifts = 2800;  // for operands in shifted words
constexpr int64_t kLargeStep = 26, kLargeAround = 4000, kManyLarge = 96;

}  // namespace

std::span<const PtxTiles> ptx_tiles() { return kTiles; }

PtxWork::PtxWork(const Dim& matrices, const Dim& m, const Dim& n, const Dim& k, const runtime::GpuFeatures& device)
    : m(m), n(n), k(k), matrices(matrices), processors_(processors_of(device)) {}

Dim PtxWork::count(int64_t columns) const {
  return matrices * ceil_div(m, int64_t{ptx::kProductRows}) * ceil_div(n, columns);
}

Dim PtxWork::part_steps(const PtxTiles& t) const {
  if (!t.split) return k;
  const Dim wanted = min(floor_div(Dim(processors_), max(count(t.columns), 1)), floor_div(k, kLeastSteps));
  return ceil_div(ceil_div(k, max(wanted, 1)), int64_t{ptx::kPartUnit}) * Dim(int64_t{ptx::kPartUnit});
}

Dim PtxWork::parts(const PtxTiles& t) const { return t.split ? ceil_div(k, max(part_steps(t), 1)) : Dim(1); }

Dim PtxWork::time(const PtxTiles& t) const {
  const TileTime own = time_of(t.columns);
  const Dim tiles = count(t.columns), parts = this->parts(t);
  const Dim sums =
      floor_div(tiles * parts * Dim(2 * 4 * int64_t{ptx::kProductRows} * t.columns), kPtxRate) + Dim(kLaunch);
  return ceil_div(tiles * parts, processors_) * (floor_div(part_steps(t) * Dim(own.step), 16) + Dim(own.around)) +
         (t.split ? sums : Dim(0));
}

Dim PtxWork::shader_time() const {
  const auto tiles_of = [&](int64_t rows, int64_t columns) {
    return matrices * ceil_div(m, rows) * ceil_div(n, columns);
  };
  const Dim tiles = tiles_of(kShaderTile, kShaderTile), large = tiles_of(2 * kShaderTile, 4 * kShaderTile);
  const auto time = [&](const Dim& tiles, const Dim& steps) {
    return max(ceil_div(tiles, processors_) * (steps * Dim(kShaderStep) + Dim(kShaderAround)),
               steps * Dim(kLoneStep) + Dim(kLoneAround));
  };
  const Dim parts = max(min(floor_div(Dim(3 * processors_), max(tiles, 1)), floor_div(k, kShaderSteps)), 1);
  const Dim traffic = floor_div(tiles * parts * Dim(2 * 4 * kShaderTile * kShaderTile), kPtxRate);
  const Dim few = shortfall(large, kManyLarge) * Dim(kPtxMostSize);
  return min(min(time(tiles, k), ceil_div(large, processors_) * k * Dim(kLargeStep) + Dim(kLargeAround) + few),
             time(tiles * parts, ceil_div(k, parts)) + traffic + Dim(kLaunch));
}

std::vector<DimProgram> PtxWork::suited(const PtxTiles& tiles, const Dim& before, int64_t percent) const {
  const Dim own = time(tiles);
  std::vector<DimProgram> all;
  put_programs(all, {past(max(max(m, n), k), kPtxMostSize), shortfall(k, 1), past(count(tiles.columns), kPtxMostSize)});
  if (tiles.split) put_programs(all, {shortfall(parts(tiles), 2)});
  for (const PtxTiles& other : kTiles)
    if (other.columns != tiles.columns || other.split != tiles.split) put_programs(all, {max(own - time(other), 0)});
  put_programs(all, {max(own + before - floor_div(Dim(percent) * shader_time(), 100), 0)});
  return all;
}

Dim PtxWork::least_time(bool odd) const {
  const Dim copies = odd ? ptx_copy_time((m * k + k * n) * matrices * Dim(2)) : Dim(0);
  Dim least = shader_time() + Dim(odd ? kShaderShifts : 0);
  for (const PtxTiles& tiles : kTiles) least = min(least, time(tiles) + copies);
  return max(least, kLeast);
}

Dim ptx_copy_time(const Dim& bytes) { return floor_div(bytes * Dim(2), kPtxRate) + Dim(kLaunch); }

ProductTrial product_trial(int64_t m, int64_t n, int64_t k, bool a_columns, bool b_columns) {
  using Form = runtime::RoutineForm;
  constexpr size_t kLeft = ProductCopy::kLeft, kRight = ProductCopy::kRight, kCount = ProductCopy::kWindows;
  ProductTrial t{{std::vector<int64_t>(Form::slots(kCount)), {}}, {}};
  const auto window = [&](size_t number, int64_t rows, int64_t columns, bool by_column) {
    int64_t* const of = &t.trial.numbers[Form::slot(number, 0)];
    of[Form::kRows] = rows;
    of[Form::kColumns] = columns;
    of[Form::kRowStride] = by_column ? 1 : columns;
    of[Form::kColumnStride] = by_column ? rows : 1;
    return of;
  };
  const int64_t* const a = window(kLeft, m, k, a_columns);
  const int64_t* const b = window(kRight, k, n, b_columns);
  window(kCount - 1, m, n, false);
  for (size_t i = 0; i < Form::kBatchAxes; ++i) t.trial.numbers[Form::size_slot(kCount, i)] = 1;
  t.trial.numbers[Form::batch_slot(kCount)] = 1;
  std::vector<int> right;  // by rows
  for (int64_t step = 0; step < k; ++step)
    for (int64_t j = 0; j < n; ++j)
      right.push_back(runtime::trial_element(kRight, step * b[Form::kRowStride] + j * b[Form::kColumnStride]));
  std::vector<int> line(static_cast<size_t>(n));
  for (int64_t i = 0; i < m; ++i) {
    std::fill(line.begin(), line.end(), 0);
    const int* from = right.data();
    for (int64_t step = 0; step < k; ++step) {
      const int x = runtime::trial_element(kLeft, i * a[Form::kRowStride] + step * a[Form::kColumnStride]);
      for (int& sum : line) sum += x * *from++;
    }
    t.sums.insert(t.sums.end(), line.begin(), line.end());
  }
  return t;
}

const PtxText& ptx_text(const ptx::Product& p, runtime::RoutineForm::Trial (*trial)(const ptx::Product&)) {
  return made_once<PtxText>(std::tuple(p.bfloat, p.left, p.b_columns, p.columns, p.split), [&] {
    return PtxText{ptx::product_module(p), trial ? trial(p) : runtime::RoutineForm::Trial()};
  });
}

uint16_t ptx_bits(bool bfloat, float value) { return bfloat ? float_to_bfloat_bits(value) : float_to_half_bits(value); }

std::string ptx_name(const PtxTiles& tiles) {
  return "_" + std::to_string(tiles.columns) + (tiles.split ? "_split" : "");
}

Shader ptx_shader(const RoutineStep& s, const std::string& name, const ptx::Module& module, uint32_t windows,
                  runtime::RoutineForm form) {
  Shader shader;
  shader.kernel.name = s.name() + "_ptx" + name;
  shader.kernel.entry = module.entry;
  shader.kernel.group_size = module.threads;
  form.step = static_cast<uint32_t>(s.number);
  form.windows = windows;
  shader.kernel.routine = std::move(form);
  shader.text = module.text;
  return shader;
}

}  // namespace frit::codegen::glsl
