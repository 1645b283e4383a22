// Fourier transforms of known lengths, by plans.
//
// A row that a workgroup can hold takes one launch. A longer one takes two or three, which transform columns whose
// length is a factor: each reads and writes every number once, and leaves its results in the order that the next needs.
// Real rows of an even length are complex ones of half the length, of which the same launch makes the spectrum, or
// which it makes from half of a spectrum.
#include "codegen/glsl/fft/fft_known.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "codegen/glsl/fft/fft.h"
#include "codegen/glsl/fft/fft_lines.h"
#include "codegen/glsl/fft/fft_plan.h"
#include "codegen/glsl/form_numbers.h"

namespace frit::codegen::glsl {

namespace {

using Form = runtime::RoutineForm;

constexpr int64_t kComplexBytes = 8;
constexpr int64_t kMostRowNumbers = int64_t{1} << 32;  // of all rows

// Lines of the workgroup and of the work, and where they lie.
constexpr const char* kLinesHead = R"(uint64_t first, end;  // lines: the workgroup's first one, and all
bool begin(uint64_t lines) {
  const uint64_t group = uint64_t(flat_group());
  first = group * lines, end = uint64_t(args.rows) * $ACROSS$UL;
  return first < end;
}
bool there(uint line) { return first + uint64_t(line) < end; }
uint line_of(uint line) { return uint(min(first + uint64_t(line), end - 1UL)); }
uint64_t row_of(uint row) { return $ROW$; }
uint64_t from(uint line) {
  const uint at = line_of(line), row = at / $ACROSS$u, column = at % $ACROSS$u;
  return $FROM$;
}
uint64_t into(uint line) {
  const uint at = line_of(line), row = at / $ACROSS$u, column = at % $ACROSS$u;
  return $INTO$;
}
uint turned_of(uint line) { return line_of(line) % $ACROSS$u % $BEFORE$u; }
vec2 at(uint64_t p) { return $AT$; }
)";

// Number i of half a spectrum's row of an odd length, and of a complex row of half an even length.
constexpr const char* kFetchHalf = R"(vec2 fetch(uint line, uint i) {
  const uint at_line = line_of(line), row = at_line / $ACROSS$u, k = at_line % $ACROSS$u + i * $ACROSS$u;
  vec2 v = at(row_of(row) + uint64_t(min(k, $WHOLE$u - k)) * $STEP$);
  if (k == 0u) v.y = 0.0;
  return 2u * k > $WHOLE$u ? conjugate(v) : v;
}
)";
constexpr const char* kFetchPacked = R"(vec2 fetch(uint line, uint i) {
  const uint at_line = line_of(line), row = at_line / $ACROSS$u, k = at_line % $ACROSS$u + i * $ACROSS$u;
  vec2 a = at(row_of(row) + uint64_t(k) * $STEP$), b = conjugate(at(row_of(row) + uint64_t($WHOLE$u - k) * $STEP$));
  if (k == 0u) a.y = 0.0, b.y = 0.0;
  const vec2 odd = times(a - b, conjugate(long_root(k, 2u * $WHOLE$u, 0.5 / $WHOLE$.0)));
  return a + b + vec2(-odd.y, odd.x);
}
)";

std::string unsigned_long(int64_t value) { return std::to_string(value) + "UL"; }

// Elements from one row of the operand to the next, where all rows are as far apart.
std::optional<int64_t> row_step(const ir::Layout& l) {
  std::optional<int64_t> step;
  int64_t next = 0;
  for (size_t i = l.shape.size() - 1; i-- > 0;) {
    if (l.shape[i].is_const() && l.shape[i].value() == 1) continue;
    if (!l.strides[i].is_const() || (step && l.strides[i].value() != next)) return std::nullopt;
    if (!step) step = l.strides[i].value();
    if (!l.shape[i].is_const()) {
      next = std::numeric_limits<int64_t>::min();
      continue;
    }
    next = l.strides[i].value() * l.shape[i].value();
  }
  return step ? step : std::optional<int64_t>(0);
}

class Known {
 public:
  Known(const RoutineStep& step, FftKind kind, int64_t n)
      : step_(step),
        kind_(kind),
        n_(n),
        layout_(step.step.operands[0].layout),
        inverse_(kind == FftKind::kHalf || (kind == FftKind::kComplex && step.step.attrs.get_bool("inverse"))) {
    const Dim& stride = layout_.strides.back();
    stride_ = stride.is_const() ? std::optional(stride.value()) : std::nullopt;
    rows_ = 1;
    for (size_t i = 0; i + 1 < layout_.shape.size() && rows_ > 0; ++i)
      rows_ = layout_.shape[i].is_const() ? rows_ * layout_.shape[i].value() : 0;
  }

  std::vector<Shader> run() {
    if (const auto plan = plan_fft(whole_work())) return {whole(*plan)};
    std::vector<Shader> parts = split();
    if (parts.empty())
      if (const auto plan = plan_convolution(whole_work())) return {whole(*plan)};
    return parts;
  }

 private:
  bool is_even() const { return n_ % 2 == 0; }
  bool across() const { return stride_ && *stride_ != 1 && n_ > 1; }
  int64_t stored() const { return kind_ == FftKind::kReal ? n_ / 2 + 1 : n_; }
  int64_t bytes() const { return kind_ == FftKind::kReal ? 4 : kComplexBytes; }
  std::string stride_text() const {
    return stride_ ? unsigned_long(*stride_ * bytes()) : "uint64_t(args.stride * " + std::to_string(bytes()) + "L)";
  }
  int64_t most_bytes() const { return std::min<int64_t>(step_.features.shared_bytes, 48 << 10); }
  double scale() const {
    const int64_t norm = step_.step.attrs.get_int("norm");
    const auto n = static_cast<double>(n_);
    return norm == 0 ? 1 : norm == 1 ? 1 / std::sqrt(n) : 1 / n;
  }

  FftWork work(int64_t n, int64_t lines) const {
    FftWork w;
    w.n = n, w.lines = lines;
    w.most_threads = step_.features.group_size;
    w.most_bytes = most_bytes();
    return w;
  }

  FftWork whole_work() const {
    const bool half = kind_ != FftKind::kComplex && is_even();
    FftWork w = work(half ? n_ / 2 : n_, rows_);
    w.load_across = across();
    w.load_pairs = kind_ == FftKind::kHalf && half;
    w.store_pairs = kind_ == FftKind::kReal && half;
    return w;
  }

  std::string row_text() const {
    if (const auto step = row_step(layout_)) return "args.x + uint64_t(row) * " + unsigned_long(*step * bytes());
    return "first_of(row, " + std::to_string(bytes()) + "u)";
  }

  // Numbers of the operand's rows as they are loaded, `stride_text()` apart.
  std::string at_text() const {
    if (kind_ == FftKind::kReal) return "vec2(Real(p).data, 0.0)";
    return "Complex(p).data";
  }

  Shader shader(const std::string& name, FftPlan plan, const FftLines& lines, std::map<std::string, std::string> words,
                const std::string& fetch, Form form) const {
    lay_out(plan, most_bytes());
    Shader out;
    words["THREADS"] = std::to_string(plan.threads);
    words["BEFORE"] = std::to_string(lines.before);
    words["STEP"] = lines.step;
    words["ROW"] = row_text();
    out.text = fill(std::string(kFftHead) + kFftLineRoots + kLinesHead + fetch, words) + fft_lines_text(plan, lines);
    out.kernel.name = step_.name() + name;
    out.kernel.group_size = static_cast<uint32_t>(plan.threads);
    out.kernel.routine = std::move(form);
    return out;
  }

  Shader whole(const FftPlan& plan) const {
    const Dim rows = form_number(Form::batch_slot(kFftWindows));
    Form f = fft_form(step_, Dim(n_), rows, Dim(n_));
    f.groups = form_program(ceil_div(rows, Dim(plan.lines)));
    FftLines l;
    const bool half = plan.row != n_ || (kind_ != FftKind::kComplex && is_even());
    l.step = stride_text();
    l.stored = half ? plan.row : stored();
    l.conjugated = inverse_ && kind_ == FftKind::kComplex;
    l.conjugate_back = inverse_;
    l.scale = scale();
    std::string at = at_text(), fetch;
    int64_t result = stored() * kComplexBytes;
    if (kind_ == FftKind::kReal && half) {
      at = "vec2(Real(p).data, Real(p + " + stride_text() + ").data)";
      l.step = "(2UL * " + stride_text() + ")";
    }
    if (kind_ == FftKind::kHalf) {
      result = n_ * 4;
      if (!half) fetch = kFetchHalf, l.fetched = l.conjugated = l.real = true, l.store_step = 4;
    }
    return shader("_whole", plan, l,
                  {{"ACROSS", "1"},
                   {"WHOLE", std::to_string(n_)},
                   {"AT", at},
                   {"FROM", "row_of(row)"},
                   {"INTO", "args.result + uint64_t(row) * " + unsigned_long(result)}},
                  fetch, std::move(f));
  }

  struct Part {
    int64_t n = 1, before = 1;
    FftPlan plan = {};
  };

  std::optional<FftPlan> part_plan(int64_t whole, int64_t n, bool first) const {
    FftWork w = work(n, rows_ * (whole / n));
    w.load_across = true;
    w.store_across = !first;
    w.turned = !first;
    return plan_fft(w);
  }

  // The parts of a row that together cost least; as few as can be.
  std::vector<Part> parts(int64_t whole) const {
    std::vector<Part> best;
    double least = 0;
    std::map<std::pair<int64_t, bool>, std::optional<FftPlan>> known;
    const auto plan = [&](int64_t n, bool first) -> const std::optional<FftPlan>& {
      const auto [at, is_new] = known.try_emplace({n, first});
      if (is_new) at->second = part_plan(whole, n, first);
      return at->second;
    };
    const int64_t most = most_bytes() / 16;  // four columns of halves
    const auto offer = [&](const std::vector<int64_t>& lengths) {
      std::vector<Part> found;
      double cost = 0;
      int64_t before = 1;
      for (const int64_t n : lengths) {
        if (n > most) return;
        const auto& p = plan(n, before == 1);
        if (!p) return;
        found.push_back({n, before, *p});
        cost += p->cost, before *= n;
      }
      if (best.empty() || cost < least) best = std::move(found), least = cost;
    };
    for (int64_t a = 2; a <= most; ++a)
      if (whole % a == 0) offer({a, whole / a});
    const bool two = !best.empty();
    for (int64_t a = 2; a <= most && !two; ++a)
      for (int64_t b = a; whole % a == 0 && b <= most; ++b)
        if (whole / a % b == 0 && whole / a / b >= b && whole / a / b <= most) offer({whole / a / b, b, a});
    return best;
  }

  std::vector<Shader> split() const {
    const bool packed = kind_ == FftKind::kHalf && is_even();
    const int64_t whole = packed ? n_ / 2 : n_;
    std::vector<Shader> shaders;
    if (whole > kFftMostSize) return shaders;
    const std::vector<Part> all = parts(whole);
    const Dim rows = form_number(Form::batch_slot(kFftWindows)), bytes = rows * Dim(whole * kComplexBytes);
    for (size_t i = 0; i < all.size(); ++i) {
      const Part& part = all[i];
      const bool is_first = i == 0, last = i + 1 == all.size();
      const int64_t across = whole / part.n;
      Form f = fft_form(step_, Dim(n_), rows, Dim(n_));
      f.groups = form_program(ceil_div(rows * Dim(across), Dim(part.plan.lines)));
      if (is_first) f.scratch = {form_program(bytes), form_program(all.size() > 2 ? bytes : Dim(0))};
      f.joined = !last;
      FftLines l;
      l.before = part.before;
      l.store_step = part.before * kComplexBytes;
      l.stored = std::numeric_limits<int64_t>::max();
      l.step = is_first && packed ? stride_text() : unsigned_long(across * kComplexBytes);
      std::string at = "Complex(p).data", fetch, from, into;
      const std::string place = "uint64_t(row) * " + unsigned_long(whole) + " + ";
      if (is_first) {
        at = at_text();
        if (kind_ == FftKind::kHalf) {
          fetch = packed ? kFetchPacked : kFetchHalf, l.fetched = true, l.step = stride_text();
        } else {
          l.step = "(" + unsigned_long(across) + " * " + stride_text() + ")";
        }
        l.conjugated = inverse_;
        from = "row_of(row) + uint64_t(column) * " + stride_text();
      } else {
        from = "args.work[" + std::to_string((i + 1) % 2) + "] + (" + place + "uint64_t(column)) * 8UL";
      }
      if (last) {
        l.conjugate_back = inverse_, l.scale = scale();
        if (kind_ == FftKind::kReal) l.stored = stored();
        l.real = kind_ == FftKind::kHalf && !packed;
        if (l.real) l.store_step = part.before * 4;
        into = "args.result + uint64_t(row) * " +
               unsigned_long(kind_ == FftKind::kHalf ? n_ * 4 : stored() * kComplexBytes) + " + uint64_t(column) * " +
               (l.real ? "4UL" : "8UL");
      } else {
        const std::string b = std::to_string(part.before) + "u", n = std::to_string(part.n) + "u";
        into = "args.work[" + std::to_string(i % 2) + "] + (" + place + "uint64_t(column / " + b + " * (" + b + " * " +
               n + ") + column % " + b + ")) * 8UL";
      }
      shaders.push_back(shader("_part" + std::to_string(i), part.plan, l,
                               {{"ACROSS", std::to_string(across)},
                                {"WHOLE", std::to_string(whole)},
                                {"AT", at},
                                {"FROM", from},
                                {"INTO", into}},
                               fetch, std::move(f)));
    }
    return shaders;
  }

  const RoutineStep& step_;
  const FftKind kind_;
  const int64_t n_;
  const ir::Layout& layout_;
  const bool inverse_;
  std::optional<int64_t> stride_;  // between neighbours of a row, in elements
  int64_t rows_ = 0;               // zero where it is not known
};

}  // namespace

Form fft_form(const RoutineStep& step, const Dim& n, const Dim& rows, const Dim& size) {
  Form f;
  f.step = static_cast<uint32_t>(step.number);
  f.windows = kFftWindows;
  f.own = {1, 1};
  std::vector<Dim> arguments{form_number(kFftX, Form::kAddress), form_number(kFftResult, Form::kAddress)};
  for (size_t i = 0; i < 2; ++i) arguments.push_back(form_number(Form::scratch_slot(kFftWindows, i)));
  arguments.insert(arguments.end(),
                   {rows, n, size, form_number(kFftResult, Form::kColumns), form_number(kFftX, Form::kColumnStride),
                    form_number(Form::turn_slot(kFftWindows))});
  for (size_t i = 0; i < Form::kBatchAxes; ++i) arguments.push_back(form_number(Form::size_slot(kFftWindows, i)));
  for (size_t i = 0; i < Form::kBatchAxes; ++i) arguments.push_back(form_number(kFftX, Form::kSteps + i));
  for (const Dim& argument : arguments) f.arguments.push_back(form_program(argument));
  f.suited.push_back(form_program(max(rows * size - Dim(kMostRowNumbers), Dim(0))));
  return f;
}

std::vector<Shader> known_fft(const RoutineStep& step, FftKind kind, int64_t n) { return Known(step, kind, n).run(); }

}  // namespace frit::codegen::glsl
