// The shaders of `fft`, `rfft` and `irfft`.
//
// Rows of a known length without large prime factors have plans (fft_known.h). Those of a length that a launch decides
// have the forms of this file.
//
// A row of a power of two is transformed in passes, a launch for each. A pass takes numbers that lie a fixed distance
// apart through shared memory, and leaves its results in the order that the next pass needs (Stockham), so none sorts
// them. Real results, and real rows that are short enough for one pass, are complex rows of half the length. Short rows
// whose lengths have no other factors than 2, 3, 5 and 7 are transformed in shared memory, a step for each.
//
// A row of any other length n is a convolution (Bluestein): with exp(-pi i k k / n) for factors, the transform of x is
// that of the products of two transforms of a power of two that is at least 2 n - 1. The transform of the convolution's
// other side is one more row of the first of them.
#include "codegen/glsl/fft/fft.h"

#include <algorithm>

#include "codegen/glsl/fft/fft_known.h"
#include "codegen/glsl/form_numbers.h"
#include "codegen/glsl/routine.h"

namespace frit::codegen::glsl {

namespace {

using Form = runtime::RoutineForm;

constexpr size_t kX = kFftX, kResult = kFftResult, kWindows = kFftWindows;
constexpr int64_t kMostSize = kFftMostSize;
// Divided by every number below 4096 whose factors are 2, 3, 5 and 7.
constexpr int64_t kSmallFactors = int64_t{4096} * 2187 * 3125 * 2401;
constexpr int64_t kRadices[] = {8, 4, 2, 3, 5, 7};
constexpr int64_t kLeastPass = 8;  // of a row that is transformed by passes
constexpr int64_t kComplex = 8;    // bytes

// One where `value` is more than `least`, else zero.
Dim exceeds(const Dim& value, int64_t least) { return min(max(value - Dim(least), Dim(0)), Dim(1)); }

// Zero where `value` is at most `most`.
Dim excess(const Dim& value, int64_t most) { return max(value - Dim(most), Dim(0)); }

// The least power of two from `least` on, which is at most `most`.
Dim power_above(const Dim& least, int64_t most) {
  Dim power = 1;
  for (int64_t p = 1; p < most; p *= 2) power += Dim(p) * exceeds(least, p);
  return power;
}

// The differences between the three routines, as text.
struct Kind {
  FftKind operand = FftKind::kComplex;
  bool inverse = false, half = false;                          // the operand has half of a spectrum
  const char* value = nullptr;                                 // of number i of a row
  const char* stored = nullptr;                                // the result's number v
  const char *packed_read = nullptr, *packed_store = nullptr;  // of real rows as complex ones
};

constexpr const char* kComplexValue = "  return complex_at(i);\n";
constexpr const char* kRealValue = "  return vec2(Real(base + uint64_t(int64_t(i) * args.stride) * 4UL).data, 0.0);\n";
// The other half of a real row's spectrum.
constexpr const char* kHalfValue = R"(  vec2 v = complex_at(min(i, n - i));
  if (i == 0u || 2u * i == n) v.y = 0.0;
  return 2u * i > n ? conjugate(v) : v;
)";
constexpr const char* kStoreComplex = "  Complex(args.result + to * 8UL).data = v;\n";
constexpr const char* kStoreReal = "  Real(args.result + to * 4UL).data = v.x;\n";

// The inverse transform is that of the conjugates, conjugated.
constexpr const char* kReadRow = "  const vec2 v = value_at(row, i);\n  return $TURNED$;\n";
constexpr const char* kReadChirped = R"(  if (row == uint(args.rows - 1L)) {
    const uint k = min(i, size - i);
    return k < n ? conjugate(chirp(k, n)) : vec2(0.0);
  }
  if (i >= n) return vec2(0.0);
  const vec2 v = value_at(row, i);
  return times($TURNED$, chirp(i, n));
)";
// The product of both transforms, conjugated, as its transform is an inverse one.
constexpr const char* kReadProduct = R"(  const uint from = uint($SHIFT$ + 1);
  const vec2 other = work_at(from, uint64_t(args.rows) * uint64_t(size) + uint64_t(i));
  return conjugate(times(work_at(from, uint64_t(row) * uint64_t(size) + uint64_t(i)), other));
)";
// Neighbours of a real row are the parts of a complex number.
constexpr const char* kReadPair =
    R"(  const uint64_t at = base + uint64_t(int64_t(2u * i) * args.stride) * 4UL;
  return vec2(Real(at).data, Real(at + uint64_t(args.stride) * 4UL).data);
)";
constexpr const char* kStoreHalf =
    R"(  const vec2 even = 0.5 * (u + conjugate(other)), odd = 0.5 * (u - conjugate(other));
  v = (even + times(vec2(odd.y, -odd.x), root(i, findMSB(n)))) * scale;
  Complex(args.result + to * 8UL).data = v;
  if (i == 0u) Complex(args.result + (to + uint64_t(args.size)) * 8UL).data = vec2((u.x - u.y) * scale, 0.0);
)";
constexpr const char* kReadHalf = R"(  vec2 a = complex_at(i), b = conjugate(complex_at(size - i));
  if (i == 0u) a.y = 0.0, b.y = 0.0;
  const vec2 odd = times(a - b, conjugate(root(i, findMSB(n))));
  return conjugate(a + b + vec2(-odd.y, odd.x));
)";
constexpr const char* kStorePair = R"(  v = conjugate(u) * scale;
  const uint64_t at = args.result + (to + uint64_t(i)) * 4UL;
  Real(at).data = v.x;
  Real(at + 4UL).data = v.y;
)";
constexpr const char* kOfRow = "  const vec2 u = v;\n";
constexpr const char* kOfProduct = "  const vec2 u = times(conjugate(v), chirp(i, n)) / float(args.size);\n";

class Transform {
 public:
  Transform(const RoutineStep& step, const Kind& kind)
      : step_(step), kind_(kind), n_(form_number(kind.half ? kResult : kX, Form::kColumns)) {
    const ir::Window& row = kind.half ? step.step.results[0] : step.step.operands[0];
    if (row.layout.shape.back().is_const()) n_ = row.layout.shape.back();
  }

  std::vector<Shader> run() {
    std::vector<Shader> shaders;
    if (n_.is_const()) {
      shaders = known_fft(step_, kind_.operand, n_.value());
    } else {
      if (kind_.packed_read) shaders.push_back(packed());
      shaders.push_back(whole());
      shaders.push_back(mixed());
    }
    if (shaders.empty() || !n_.is_const()) add_convolution(shaders);
    return shaders;
  }

 private:
  // Of a workgroup, which has an eighth as many invocations.
  int bits() const { return step_.features.shared_bytes >= 4u << 12 && step_.features.group_size >= 512 ? 12 : 11; }
  int64_t points() const { return int64_t{1} << bits(); }
  Dim more_than_one_pass(const Dim& size) const { return exceeds(size, points()); }
  Dim more_than_two(const Dim& size) const { return exceeds(size, int64_t{1} << 2 * (bits() - 2)); }

  Form form(const Dim& rows, const Dim& size) const {
    Form f = fft_form(step_, n_, rows, size);
    f.groups = form_program(ceil_div(rows * size, Dim(points())));
    f.turns = form_program(Dim(1) + more_than_one_pass(size) + more_than_two(size));
    return f;
  }

  struct Text {
    Dim size;
    std::string read, store;
    bool last = true;
    std::string shift = "0";
    std::string body = kFftPass;
    const char* others = "";
    std::string steps = {};
  };

  Shader pass(const std::string& name, const Text& text, Form form) const {
    const int64_t norm = step_.step.attrs.get_int("norm");
    const char* const scale = norm == 0   ? "  const float scale = 1.0;\n"
                              : norm == 2 ? "  const float scale = ratio(1.0, float(uint(args.n)));\n"
                                          : "  const float scale = inverse_root(float(uint(args.n)));\n";
    Shader shader;
    shader.text =
        fill(std::string(kFftHead) + kFftPoints + text.body, {{"VALUE", kind_.value},
                                                              {"READ", text.read},
                                                              {"STORE", scale + text.store},
                                                              {"LAST", text.last ? "true" : "false"},
                                                              {"OTHERS", text.others},
                                                              {"MOVES", fft_moves(3) + fft_moves(2) + fft_moves(1)},
                                                              {"STEPS", text.steps}});
    shader.text = fill(std::move(shader.text), {{"TURNED", kind_.inverse ? "conjugate(v)" : "v"},
                                                {"BACK", kind_.inverse ? "conjugate(u)" : "u"},
                                                {"SHIFT", text.shift},
                                                {"SIZE_BITS", bits_text(text.size)},
                                                {"BYTES", std::to_string(step_.step.dtypes[0].size())},
                                                {"BITS", std::to_string(bits())},
                                                {"THREADS", std::to_string(points() / 8)}});
    shader.text = unroll(std::move(shader.text));
    shader.kernel.name = step_.name() + name;
    shader.kernel.group_size = static_cast<uint32_t>(points() / 8);
    shader.kernel.routine = std::move(form);
    return shader;
  }

  std::string stored(const char* u) const { return std::string(u) + "  v = $BACK$ * scale;\n" + kind_.stored; }

  // The last step of `rfft` needs a whole row in shared memory.
  Shader packed() const {
    const Dim rows = form_number(Form::batch_slot(kWindows)), half = floor_div(n_, 2),
              bytes = rows * half * Dim(kComplex);
    Form f = form(rows, half);
    for (const Dim& zero :
         {mod(Dim(kMostSize), n_), shortfall(n_, 2 * kLeastPass), kind_.half ? Dim(0) : excess(n_, 2 * points())})
      f.suited.push_back(form_program(zero));
    f.scratch = {form_program(bytes * more_than_one_pass(half)), form_program(bytes * more_than_two(half))};
    const char* const others = kind_.half ? "" : kFftOthers;
    return pass("_packed",
                {half, kind_.packed_read, std::string(kOfRow) + kind_.packed_store, true, "0", kFftPass, others},
                std::move(f));
  }

  Shader whole() const {
    const Dim rows = form_number(Form::batch_slot(kWindows)), bytes = rows * n_ * Dim(kComplex);
    Form f = form(rows, n_);
    f.suited.push_back(form_program(mod(Dim(kMostSize), n_)));
    f.suited.push_back(form_program(shortfall(n_, kLeastPass)));
    f.scratch = {form_program(bytes * more_than_one_pass(n_)), form_program(bytes * more_than_two(n_))};
    return pass("_fft", {n_, kReadRow, stored(kOfRow)}, std::move(f));
  }

  Shader mixed() const {
    const Dim rows = form_number(Form::batch_slot(kWindows));
    Form f = form(rows, n_);
    for (const Dim& zero : {mod(Dim(kSmallFactors), n_), excess(n_, points() / 2)})
      f.suited.push_back(form_program(zero));
    f.groups = form_program(ceil_div(rows, floor_div(Dim(points() / 2), n_)));
    f.turns = DimProgram(1);
    const std::string body = std::string(kFftSteps) + kFftMixed;
    return pass("_mixed", {n_, kReadRow, stored(kOfRow), true, "0", body, "", mixed_steps()}, std::move(f));
  }

  // Of a known size a number that the shader's compiler can use.
  static std::string bits_text(const Dim& size) {
    if (!size.is_const()) return "findMSB(uint(args.size))";
    int bits = 0;
    while (int64_t{2} << bits <= size.value()) ++bits;
    return std::to_string(bits);
  }

  static std::string mixed_steps() {
    std::string steps = "  uint done = 1u;\n";
    for (const int64_t radix : kRadices) {
      const std::string digit = std::to_string(radix);
      steps += "  for (; n / done % " + digit + "u == 0u; done *= " + digit + "u) STEP" + digit + "(done)\n";
    }
    return steps;
  }

  void add_convolution(std::vector<Shader>& shaders) const {
    const Dim rows = form_number(Form::batch_slot(kWindows)), least = n_ * Dim(2) - Dim(1);
    const Dim size = power_above(least, kMostSize), bytes = (rows + Dim(1)) * size * Dim(kComplex);
    Form there = form(rows + Dim(1), size), back = form(rows, size);
    there.suited.push_back(form_program(excess(least, kMostSize)));
    there.scratch = {form_program(bytes), form_program(bytes * more_than_one_pass(size))};
    there.joined = true;
    shaders.push_back(pass("_chirp", {size, kReadChirped, stored(kOfRow), false}, std::move(there)));
    const Text text{size, kReadProduct, stored(kOfProduct), true, "passes_of(findMSB(uint(args.size)))"};
    shaders.push_back(pass("_back", text, std::move(back)));
  }

  const RoutineStep& step_;
  const Kind& kind_;
  Dim n_;
};

Result<std::vector<Shader>> emit(const RoutineStep& s, const Kind& kind) {
  if (!s.features.int64 || s.features.group_size < 256) return std::vector<Shader>();
  return Transform(s, kind).run();
}

Result<std::vector<Shader>> emit_fft(const RoutineStep& s) {
  return emit(s, {.inverse = s.step.attrs.get_bool("inverse"), .value = kComplexValue, .stored = kStoreComplex});
}
Result<std::vector<Shader>> emit_rfft(const RoutineStep& s) {
  return emit(s, {.operand = FftKind::kReal,
                  .value = kRealValue,
                  .stored = kStoreComplex,
                  .packed_read = kReadPair,
                  .packed_store = kStoreHalf});
}
Result<std::vector<Shader>> emit_irfft(const RoutineStep& s) {
  return emit(s, {.operand = FftKind::kHalf,
                  .inverse = true,
                  .half = true,
                  .value = kHalfValue,
                  .stored = kStoreReal,
                  .packed_read = kReadHalf,
                  .packed_store = kStorePair});
}

const RegisterRoutineShaders shaders[] = {{"fft", emit_fft}, {"rfft", emit_rfft}, {"irfft", emit_irfft}};

}  // namespace

}  // namespace frit::codegen::glsl
