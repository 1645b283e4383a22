// Rows between products as PTX (codegen/ptx/attention.h), for devices that take it: the forms' conditions, arguments
// and trials. A form has tiles of one size; which one is launched follows from the time that each would take.
#include <array>
#include <bit>

#include "codegen/glsl/attention/attention.h"
#include "codegen/glsl/products/ptx_form.h"
#include "codegen/ptx/attention.h"
#include "ir/routines/attention.h"

namespace frit::codegen::glsl {

namespace {

using Form = runtime::RoutineForm;

constexpr size_t kA = 0, kB = 1, kC = 2, kMaskWindow = 3;
constexpr int64_t kFewBlocks = 33, kFewKeys = 1024;
constexpr int64_t kWholeTurns = 3,
                  kManyMatrices = 264;  // of keys: a second launch takes longer; enough to fill a device
constexpr int64_t kMostSize = int64_t{1} << 30, kMostStride = int64_t{1} << 38;  // as 32 and 64 bits are multiplied
constexpr float kTrialScale = 256, kTrialHidden = -1e38f;

// A form's tile, and its time as measured on an H100: picoseconds of a workgroup for each key, and around all keys.
struct Tile {
  bool groups;
  uint32_t row_warps, key_warps, high, keys, stages;
  int64_t each_key, around;
};

// From many rows of a workgroup to few ones. Several tiles fit into what the driver gives of shared memory.
std::vector<Tile> tiles_of(Dtype type, uint32_t longest) {
  if (type.size() == 2) {
    if (longest == 32)
      return {{false, 8, 1, 1, 64, 3, 10000, 400000},
              {false, 4, 2, 1, 64, 3, 6300, 500000},
              {false, 2, 4, 1, 64, 3, 5000, 1000000},
              {false, 1, 8, 1, 128, 2, 4600, 1000000}};
    if (longest == 64)
      return {{true, 12, 1, 1, 64, 3, 17000, 1400000},
              {true, 8, 1, 1, 96, 2, 11400, 1000000},
              {true, 4, 1, 1, 64, 2, 9000, 500000},
              {false, 2, 4, 1, 64, 2, 7000, 1400000}};
    return {{true, 12, 1, 1, 48, 2, 24500, 2500000},
            {true, 8, 1, 1, 48, 2, 17000, 2000000},
            {true, 4, 1, 1, 48, 2, 12000, 1500000}};
  }
  if (longest == 32)
    return {{false, 8, 1, 2, 32, 3, 68000, 1000000},
            {false, 8, 1, 1, 64, 2, 38000, 100000},
            {false, 4, 2, 1, 64, 2, 22000, 400000},
            {false, 2, 4, 1, 64, 2, 15000, 700000},
            {false, 1, 8, 1, 64, 2, 11500, 800000}};
  if (longest == 64)
    return {{false, 8, 1, 1, 32, 2, 67000, 600000},
            {false, 4, 2, 1, 32, 2, 40000, 800000},
            {false, 2, 4, 1, 32, 2, 29000, 1000000}};
  return {{false, 8, 1, 1, 16, 2, 147000, 2000000},
          {false, 4, 1, 1, 16, 2, 97000, 2000000},
          {false, 2, 2, 1, 16, 2, 80000, 1400000}};
}

ptx::AttentionMask mask_of(const RoutineStep& s, const AttentionText& text) {
  if (!text.masked) return ptx::AttentionMask::None;
  if (text.hides) return ptx::AttentionMask::Hides;
  const Dtype type = s.step.dtypes[kMaskWindow];
  return type == float16    ? ptx::AttentionMask::Half
         : type == bfloat16 ? ptx::AttentionMask::Bfloat
                            : ptx::AttentionMask::Single;
}

ptx::Element element_of(Dtype type) {
  return type.size() == 4 ? ptx::Element::Single : type == bfloat16 ? ptx::Element::Bfloat : ptx::Element::Half;
}

int64_t bits_of(float value) { return std::bit_cast<uint32_t>(value); }

// The numbers of a call, by names.
struct Numbers {
  size_t windows, mask;  // the window of the mask, or of the left operand
  Dim m, d, n, e, batch, is_trial;

  explicit Numbers(bool masked)
      : windows(masked ? 5 : 4),
        mask(masked ? kMaskWindow : kA),
        m(form_number(windows - 1, Form::kRows)),
        d(form_number(kA, Form::kColumns)),
        n(form_number(kB, Form::kColumns)),
        e(form_number(windows - 1, Form::kColumns)),
        batch(form_number(Form::batch_slot(windows))),
        // No call decides as many attributes: the last one tells a trial, which has a scale of its own.
        is_trial(form_number(Form::attribute_slot(windows, Form::kAttributes - 1))) {}

  Dim blocks(uint32_t rows) const { return batch * ceil_div(m, int64_t{rows}); }
};

// Causal blocks end at their last row, the longest ones begin first.
Dim time_of(const Tile& tile, const Numbers& x, bool causal, int64_t processors) {
  const int64_t rows = 16 * tile.high * tile.row_warps;
  const Dim blocks = x.blocks(static_cast<uint32_t>(rows)), turns = ceil_div(blocks, processors);
  if (!causal) return turns * (x.n * Dim(tile.each_key) + Dim(tile.around));
  const Dim average = max(x.n - floor_div(x.m, 2), floor_div(x.n, 4)) + Dim(rows / 2);
  return max(ceil_div(blocks * average, processors), x.n) * Dim(tile.each_key) + turns * Dim(tile.around);
}

// Small matrices of small integers with a scale at which only the highest scores have a weight, which is 1: results are
// means of a few integers, rounded as the kernel rounds.
struct TrialSizes {
  int64_t longest, m, n;
  bool causal, hides;
};
Form::Trial trial(const TrialSizes& sizes, const Numbers& x, Dtype type) {
  const int64_t unit = 16 / static_cast<int64_t>(type.size()), d = sizes.longest - unit, e = sizes.longest, m = sizes.m;
  const int64_t n = sizes.n;
  const bool hides = sizes.hides;
  Form::Trial t{std::vector<int64_t>(Form::slots(x.windows)), {}};
  const auto window = [&](size_t number, int64_t rows, int64_t columns, int64_t row, int64_t column) {
    int64_t* const of = &t.numbers[Form::slot(number, 0)];
    of[Form::kRows] = rows, of[Form::kColumns] = columns;
    of[Form::kRowStride] = row, of[Form::kColumnStride] = column;
  };
  window(kA, m, d, d, 1);
  window(kB, d, n, 1, d);
  window(kC, n, e, e, 1);
  // The mask that is added is one number: others would give more scores a weight.
  if (x.windows == 5) window(kMaskWindow, m, n, hides ? n : 0, hides ? 1 : 0);
  window(x.windows - 1, m, e, e, 1);
  for (size_t i = 0; i < Form::kBatchAxes; ++i) t.numbers[Form::size_slot(x.windows, i)] = 1;
  t.numbers[Form::batch_slot(x.windows)] = 1;
  t.numbers[Form::attribute_slot(x.windows, Form::kAttributes - 1)] = 1;
  std::vector<uint16_t> halves;
  std::vector<float> result;
  std::vector<int> left(static_cast<size_t>(d)), sums(static_cast<size_t>(e));
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t k = 0; k < d; ++k) left[static_cast<size_t>(k)] = runtime::trial_element(kA, i * d + k);
    int top = INT32_MIN, count = 0;
    for (int64_t j = 0; j < (sizes.causal ? std::min(n, i + 1 + n - m) : n); ++j) {
      if (hides && runtime::trial_element(kMaskWindow, i * n + j) == 0) continue;
      int score = 0;
      for (int64_t k = 0; k < d; ++k) score += left[static_cast<size_t>(k)] * runtime::trial_element(kB, j * d + k);
      if (score < top) continue;
      if (score > top) std::fill(sums.begin(), sums.end(), 0), count = 0;
      top = score, ++count;
      for (int64_t k = 0; k < e; ++k) sums[static_cast<size_t>(k)] += runtime::trial_element(kC, j * e + k);
    }
    const float factor = 1.0f / static_cast<float>(count);
    for (const int sum : sums) {
      const float value = static_cast<float>(sum) * factor;
      result.push_back(value);
      halves.push_back(ptx_bits(type == bfloat16, value));
    }
  }
  t.result = type.size() == 4 ? hash_bytes(result.data(), result.size() * sizeof result[0])
                              : hash_bytes(halves.data(), halves.size() * sizeof halves[0]);
  return t;
}

// The texts and trials of all forms, each made once.
struct Made {
  ptx::Module module;
  Form::Trial trial;
};
using Key = std::array<uint32_t, 8>;
const Made& made(const ptx::Attention& a, const Numbers& x, Dtype type) {
  const Key key{
      0,     static_cast<uint32_t>(a.element), static_cast<uint32_t>(a.mask), a.causal, a.longest, a.row_warps, a.high,
      a.tile};
  return made_once<Made>(key, [&] {
    const int64_t m = a.rows() + 9, n = std::max<int64_t>(2 * a.tile + 24, m + 7);
    return Made{ptx::attention_module(a),
                trial({a.longest, m, n, a.causal, a.mask == ptx::AttentionMask::Hides}, x, type)};
  });
}
const Made& made(const ptx::FewAttention& f, const Numbers& x, Dtype type) {
  const Key key{1, static_cast<uint32_t>(f.element), f.split, f.causal, f.longest, f.rows, 0, 0};
  return made_once<Made>(key, [&] {
    return Made{ptx::few_attention_module(f), trial({f.longest, f.rows, 2 * f.keys() + 24, f.causal, false}, x, type)};
  });
}

std::vector<Dim> arguments_of(const AttentionText& text, const Numbers& x) {
  const Dim bytes(static_cast<int64_t>(text.type.size())), mask_bytes(std::stol(text.words.at("MASK_SIZE")));
  std::vector<Dim> all;
  for (size_t w : {kA, kB, kC, x.mask, x.windows - 1}) all.push_back(form_number(w, Form::kAddress));
  all.insert(all.end(), {x.m, x.d, x.n, x.e, form_number(kA, Form::kRowStride) * bytes,
                         form_number(kB, Form::kColumnStride) * bytes, form_number(kC, Form::kRowStride) * bytes,
                         form_number(x.mask, Form::kRowStride) * mask_bytes,
                         form_number(x.mask, Form::kColumnStride) * mask_bytes});
  for (size_t i = 0; i < Form::kBatchAxes; ++i) all.push_back(form_number(Form::size_slot(x.windows, i)));
  for (size_t w : {kA, kB, kC, x.mask})
    for (size_t i = 0; i < Form::kBatchAxes; ++i)
      all.push_back(form_number(w, Form::kSteps + i) * (w == x.mask && text.masked ? mask_bytes : bytes));
  const auto either = [&](float of_trial, float of_call) {
    return Dim(bits_of(of_call)) + x.is_trial * Dim(bits_of(of_trial) - bits_of(of_call));
  };
  all.insert(all.end(), {either(kTrialScale, static_cast<float>(text.scale)),
                         either(kTrialHidden, text.hidden_after_scale()), Dim(text.hidden_is_finite ? 1 : 0)});
  return all;
}

// Operands that 16-byte copies take, the middle one along its columns.
void suit_operands(Form& form, const AttentionText& text, const Numbers& x, uint32_t longest) {
  const int64_t unit = 16 / static_cast<int64_t>(text.type.size());
  const auto suit = [&](const Dim& zero) { form.suited.push_back(form_program(zero)); };
  Dim far(0);
  for (size_t w : {kA, kB, kC}) {
    const size_t along = w == kB ? Form::kRowStride : Form::kColumnStride;
    const size_t across = w == kB ? Form::kColumnStride : Form::kRowStride;
    const Dim pitch = form_number(w, across);
    Dim odd = distance(form_number(w, along), 1) + mod(pitch, unit) + mod(form_number(w, Form::kAddress), 16);
    for (size_t i = 0; i < Form::kBatchAxes; ++i) odd += mod(form_number(w, Form::kSteps + i), unit);
    suit(odd);
    far += max(pitch - Dim(kMostStride), 0) + shortfall(pitch, 0);
  }
  suit(mod(form_number(x.windows - 1, Form::kAddress), 16) + mod(x.d, unit) + mod(x.e, unit) + far);
  suit(max(max(x.d, x.e) - Dim(int64_t{longest}), 0) + shortfall(min(min(x.n, x.d), min(x.e, x.m)), 1));
  suit(max(max(x.n, x.m) - Dim(kMostSize), 0) + max(x.blocks(16) - Dim(kMostSize), 0));
}

// Hidden scores are taken for such that have no weight beside others.
bool is_taken(const AttentionText& text) {
  return text.scale > 0 && (!text.hidden_is_finite || text.hidden <= ir::kHides);
}

// Whether rows of operands may be longer than half of `longest`, but no longer than that.
bool may_have(const RoutineStep& s, int64_t longest) {
  const Dim d = s.step.operands[kA].layout.shape.back(), e = s.step.results[0].layout.shape.back();
  if (!d.is_const() || !e.is_const()) return true;
  const int64_t length = std::max(d.value(), e.value());
  return length <= longest && (longest == 32 || length > longest / 2);
}

Shader few_shader(const RoutineStep& s, const AttentionText& text, const ptx::FewAttention& f,
                  const AttentionSizes& sizes) {
  const Numbers x(false);
  const Made& texts = made(f, x, text.type);
  Form form = attention_form(text, sizes, s.number);
  const std::vector<DimProgram> own = form.arguments;
  form.arguments.clear();
  for (const Dim& argument : arguments_of(text, x)) form.arguments.push_back(form_program(argument));
  const auto suit = [&](const Dim& zero) { form.suited.push_back(form_program(zero)); };
  if (f.split) {
    form.arguments[ptx::AttentionParameter::kOfResult] = own[4];
    form.arguments.insert(form.arguments.end(), own.end() - 3, own.end());
  } else {
    suit(max(x.n - Dim(kWholeTurns * f.keys()), 0) * shortfall(x.batch, kManyMatrices));
  }
  suit_operands(form, text, x, f.longest);
  suit(max(x.m - Dim(int64_t{f.rows}), 0) + shortfall(x.m, f.rows / 2 + 1));
  if (f.causal) suit(max(x.m - x.n, 0));
  form.trial = texts.trial;
  const std::string name = std::to_string(f.longest) + "_few" + std::to_string(f.rows) + (f.causal ? "_causal" : "") +
                           (f.split ? "_split" : "");
  return ptx_shader(s, name, texts.module, form.windows, std::move(form));
}

}  // namespace

std::vector<Shader> few_attention_ptx(const RoutineStep& s, const AttentionText& text) {
  std::vector<Shader> shaders;
  if (!is_taken(text) || text.masked || text.type.size() != 2) return shaders;
  const auto& shape = s.step.results[0].layout.shape;
  const Dim& m = shape[shape.size() - 2];
  for (const uint32_t longest : {32u, 64u, 128u})
    for (const uint32_t rows : {1u, 2u, 4u, 8u}) {
      if (!may_have(s, longest) || (m.is_const() && (m.value() > rows || m.value() <= rows / 2))) continue;
      ptx::FewAttention f{element_of(text.type), text.causal, longest, rows, false};
      AttentionSizes sizes{.rows = rows, .columns = longest};
      shaders.push_back(few_shader(s, text, f, sizes));
      f.split = true;
      sizes.split_slots = processors_of(s.features);
      sizes.split_fewest = f.keys() / 2;
      sizes.split_unit = f.teams();
      for (Shader& shader : with_join(s, text, sizes, few_shader(s, text, f, sizes)))
        shaders.push_back(std::move(shader));
    }
  return shaders;
}

std::vector<Shader> attention_ptx(const RoutineStep& s, const AttentionText& text) {
  std::vector<Shader> shaders;
  if (!is_taken(text)) return shaders;
  const Numbers x(text.masked);
  const auto time = [&](const Tile& t) { return time_of(t, x, text.causal, processors_of(s.features)); };
  for (const uint32_t longest : {32u, 64u, 128u}) {
    if (!may_have(s, longest)) continue;
    const std::vector<Tile> tiles = tiles_of(text.type, longest);
    for (size_t i = 0; i < tiles.size(); ++i) {
      const Tile& tile = tiles[i];
      // The registers of a mask are too many beside those of so many rows.
      if (text.masked && (tile.row_warps > 8 || tile.high > 1)) continue;
      const ptx::Attention a{tile.groups,    element_of(text.type), mask_of(s, text), text.causal, longest,
                             tile.row_warps, tile.key_warps,        tile.high,        tile.keys,   tile.stages};
      const Made& texts = made(a, x, text.type);
      Form form = attention_form(text, {static_cast<int64_t>(a.rows()), longest}, s.number);
      form.arguments.clear();
      for (const Dim& argument : arguments_of(text, x)) form.arguments.push_back(form_program(argument));
      form.groups = form_program(x.blocks(a.rows()));
      suit_operands(form, text, x, longest);
      // Few blocks over many keys: other forms split those.
      form.suited.push_back(form_program(shortfall(x.blocks(32), kFewBlocks) * max(x.n - Dim(kFewKeys), 0)));
      for (size_t j = i + 1; j < tiles.size(); ++j)
        form.suited.push_back(form_program(max(time(tile) - time(tiles[j]), 0)));
      form.trial = texts.trial;
      const std::string name = std::to_string(longest) + "_" + std::to_string(a.rows()) + (a.causal ? "_causal" : "");
      shaders.push_back(ptx_shader(s, name, texts.module, form.windows, std::move(form)));
    }
  }
  return shaders;
}

}  // namespace frit::codegen::glsl
