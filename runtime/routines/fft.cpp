// The routines "fft", "rfft" and "irfft" on the CPU.
//
// Transforms of real numbers of even length are complex transforms of half the length. Rows are spread over threads; a
// few long rows are each computed by all threads.
#include "runtime/routines/fft.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

#include "runtime/execute/scratch.h"
#include "runtime/routines/routine.h"

namespace frit::runtime::routines {
namespace {

// Numbers below which another thread does not pay.
constexpr int64_t kWorthwhile = 1 << 13;
// Rows at least this long are shared by threads where there are few of them.
constexpr int64_t kLong = 1 << 15;

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Memory for floats, at `at` when there is some.
struct Floats {
  explicit Floats(int64_t n) : memory(static_cast<size_t>(n) * sizeof(float)), at(static_cast<float*>(memory.data())) {}
  Scratch memory;
  float* at;
};

// Calls body(begin, end, work) for parts of the blocks of a split length. `memory` is for the work of this thread.
template <class Body>
bool each_block(const FftPlan& split, int64_t columns, bool threads, float* memory, const Body& body) {
  const int64_t blocks = ceil_div(columns, fft_kernels().lanes);
  if (!threads) {
    body(0, blocks, memory);
    return true;
  }
  std::atomic<bool> ok{true};
  for_ranges(blocks, std::max<int64_t>(1, kWorthwhile * blocks / split.n), [&](int64_t begin, int64_t end) {
    const Floats work(split.work() + 16);
    if (work.at)
      body(begin, end, work.at);
    else
      ok = false;
  });
  return ok.load();
}

bool split_row(const FftPlan& plan, const Complex* in, int64_t step, Complex* out, bool inverse, float scale,
               bool threads, float* memory) {
  const FftKernels& kernels = fft_kernels();
  auto* const turned = reinterpret_cast<Complex*>(memory);
  float* const more = memory + 2 * plan.n;
  return each_block(plan, plan.second->n, threads, more,
                    [&](int64_t begin, int64_t end, float* work) {
                      kernels.columns(plan, in, step, turned, inverse, begin, end, work);
                    }) &&
         each_block(plan, plan.first->n, threads, more, [&](int64_t begin, int64_t end, float* work) {
           kernels.rows(plan, turned, out, inverse, scale, begin, end, work);
         });
}

// A convolution with the chirp w: X[k] = w[k] * sum x[j] w[j] conj(w[k - j]).
bool chirp_row(const FftPlan& plan, const Complex* in, int64_t step, Complex* out, bool inverse, float scale,
               bool threads, float* memory) {
  const FftKernels& kernels = fft_kernels();
  const FftPlan& split = *plan.padded;
  auto* const turned = reinterpret_cast<Complex*>(memory);
  Complex* const dense = turned + split.n;
  float* const more = memory + 2 * (split.n + plan.n);
  const Complex* from = in;
  if (step != 1) {
    for (int64_t j = 0; j < plan.n; ++j) dense[j] = in[j * step];
    from = dense;
  }
  return each_block(split, split.second->n, threads, more,
                    [&](int64_t begin, int64_t end, float* work) {
                      kernels.chirp_columns(plan, from, turned, inverse, begin, end, work);
                    }) &&
         each_block(
             split, split.first->n, threads, more,
             [&](int64_t begin, int64_t end, float* work) { kernels.chirp_rows(plan, turned, begin, end, work); }) &&
         each_block(split, split.second->n, threads, more, [&](int64_t begin, int64_t end, float* work) {
           kernels.chirp_back(plan, turned, out, inverse, scale, begin, end, work);
         });
}

int64_t group_of(const FftPlan& plan) { return plan.way == FftPlan::Way::Lanes ? fft_kernels().lanes : 1; }

// Calls body(first, count, threads, memory, more) for groups of rows that one thread works on, or for each row in turn
// where the rows are few and long: `threads` says which. `memory` is for the plan's transforms, `more` has a number of
// floats for each row of the group.
template <class Body>
bool each_group(int64_t rows, int64_t n, const FftPlan& plan, int64_t floats, const Body& body) {
  const int64_t group = group_of(plan);
  if (n >= kLong && rows < num_threads()) {
    const Floats memory(plan.memory() + floats * group);
    for (int64_t row = 0; row < rows; ++row)
      if (!memory.at || !body(row, 1, true, memory.at, memory.at + plan.memory())) return false;
    return true;
  }
  std::atomic<bool> ok{true};
  const int64_t groups = ceil_div(rows, group);
  for_ranges(groups, std::max<int64_t>(1, kWorthwhile / std::max<int64_t>(1, n * group)),
             [&](int64_t begin, int64_t end) {
               const Floats memory(plan.memory() + floats * group);
               for (int64_t g = begin; g < end; ++g)
                 if (!memory.at ||
                     !body(g * group, std::min(group, rows - g * group), false, memory.at, memory.at + plan.memory()))
                   ok = false;
             });
  return ok.load();
}

// Groups of rows side by side in lanes: run(from, to, lines, work) takes a group. in(row) and out(row) give the places
// of a row.
template <class From, class To, class In, class Out, class Run>
bool rows_in_lanes(int64_t first, int64_t count, float* work, const In& in, const Out& out, const Run& run) {
  const FftKernels& kernels = fft_kernels();
  const From* from[16];
  To* to[16];
  for (int64_t row = first; row < first + count; row += kernels.lanes) {
    const auto lines = static_cast<int>(std::min<int64_t>(kernels.lanes, first + count - row));
    for (int l = 0; l < lines; ++l) from[l] = in(row + l), to[l] = out(row + l);
    run(from, to, lines, work);
  }
  return true;
}

// Whole groups of rows: in lanes where the length is short, one after the other elsewhere.
template <class In, class Out>
bool transform_rows(const FftPlan& plan, int64_t first, int64_t count, int64_t step, bool inverse, float scale,
                    bool threads, float* memory, const In& in, const Out& out) {
  if (plan.way != FftPlan::Way::Lanes) {
    for (int64_t row = first; row < first + count; ++row)
      if (!transform_row(plan, in(row), step, out(row), inverse, scale, threads, memory)) return false;
    return true;
  }
  return rows_in_lanes<Complex, Complex>(first, count, memory, in, out,
                                         [&](auto from, auto to, int lines, float* work) {
                                           fft_kernels().lines(plan, from, step, to, lines, inverse, scale, work);
                                         });
}

// The same for real rows of n numbers, by a plan in lanes: `run` is a kernel of them.
template <class From, class To, class Run>
bool real_rows(int64_t first, int64_t count, float* memory, const Rows& rows, const Rows& results, const Run& run) {
  return rows_in_lanes<From, To>(
      first, count, memory, [&](int64_t row) { return rows.start<const From>(row); },
      [&](int64_t row) { return results.start<To>(row); }, run);
}

// The roots that join the halves of a real transform.
std::vector<Complex> join_roots(int64_t n) {
  std::vector<Complex> roots;
  for (int64_t k = 0; k <= n / 4; ++k) roots.push_back(root_of_unity(k, n));
  return roots;
}

// From the transform z of the pairs (x[2j], x[2j + 1]) to that of x, in place: m = n / 2 numbers become m + 1.
void join(Complex* z, int64_t m, const std::vector<Complex>& roots) {
  const Complex first = z[0];
  z[0] = {first.real() + first.imag(), 0};
  z[m] = {first.real() - first.imag(), 0};
  for (int64_t k = fft_kernels().join(z, z, m, roots.data()); 2 * k <= m; ++k) {
    const Complex a = z[k], b = std::conj(z[m - k]), s = (a + b) * 0.5f, d = (a - b) * 0.5f;
    const Complex w = roots[static_cast<size_t>(k)];
    // -i w d.
    const Complex t(w.real() * d.imag() + w.imag() * d.real(), w.imag() * d.imag() - w.real() * d.real());
    z[k] = s + t;
    z[m - k] = std::conj(s - t);
  }
}

// The way back, times two: from m + 1 numbers of the half spectrum to the transform of the pairs.
void part(const Complex* x, int64_t step, Complex* z, int64_t m, const std::vector<Complex>& roots) {
  const float first = x[0].real(), last = x[m * step].real();
  z[0] = {first + last, first - last};
  for (int64_t k = step == 1 ? fft_kernels().part(x, z, m, roots.data()) : 1; 2 * k <= m; ++k) {
    const Complex a = x[k * step], b = std::conj(x[(m - k) * step]), s = a + b, d = a - b;
    const Complex w = roots[static_cast<size_t>(k)];
    // i conj(w) d.
    const Complex t(w.imag() * d.real() - w.real() * d.imag(), w.real() * d.real() + w.imag() * d.imag());
    z[k] = s + t;
    z[m - k] = std::conj(s - t);
  }
}

// The whole spectrum of odd length m from its half.
void mirror(const Complex* x, int64_t step, Complex* z, int64_t m) {
  z[0] = x[0].real();
  for (int64_t k = 1; k <= m / 2; ++k) {
    const Complex number = x[k * step];
    z[k] = number;
    z[m - k] = Complex(number.real(), -number.imag());
  }
}

struct Call {
  const LibraryTensor &x, &out;
  int64_t n;  // the length of the transform
  bool inverse;
  float scale;
};

// The call, if it is one of the routine's.
Result<Call> read(std::string_view op, const LibraryCall& call, Dtype from, Dtype to) {
  const auto refuse = [&] {
    return Diagnostic("op '" + std::string(op) + "' cannot transform " +
                      (call.operands.empty() ? std::string("nothing") : text(call.operands[0])));
  };
  if (call.operands.size() != 1 || call.results.size() != 1) return refuse();
  const LibraryTensor &x = call.operands[0], &out = call.results[0];
  const Options options(call);
  const int64_t norm = options.integer("norm").value_or(0);
  if (x.dtype != from || out.dtype != to || x.shape.empty() || x.shape.size() != out.shape.size()) return refuse();
  const int64_t n = is_complex(to) ? x.shape.back() : out.shape.back();
  const int64_t half = n / 2 + 1;
  const bool lengths = is_complex(from) && is_complex(to) ? x.shape.back() == out.shape.back()
                       : is_complex(to)                   ? out.shape.back() == half
                                                          : x.shape.back() == half;
  const bool dense = out.strides.back() == 1 || out.shape.back() == 1;
  if (!lengths || !dense || n < 1 || !std::equal(x.shape.begin(), x.shape.end() - 1, out.shape.begin()))
    return refuse();
  const double count = static_cast<double>(n);
  const double scale = norm == 0 ? 1 : norm == 1 ? 1 / std::sqrt(count) : 1 / count;
  return Call{x, out, n, options.flag("inverse"), static_cast<float>(scale)};
}

Status outcome(std::string_view op, bool done, const LibraryTensor& x) {
  if (done) return {};
  return Diagnostic("op '" + std::string(op) + "' cannot allocate memory to transform " + text(x), {},
                    "free arrays or raise the limit with set_memory_limit");
}

Status fft(const LibraryCall& library) {
  FRIT_ASSIGN_OR_RETURN(call, read("fft", library, complex64, complex64));
  const Rows from(call.x), to(call.out);
  const auto plan = fft_plan(call.n);
  const auto in = [&](int64_t row) { return from.start<const Complex>(row); };
  const auto out = [&](int64_t row) { return to.start<Complex>(row); };
  const auto group = [&](int64_t first, int64_t count, bool threads, float* memory, float*) {
    return transform_rows(*plan, first, count, from.step(), call.inverse, call.scale, threads, memory, in, out);
  };
  const bool done = each_group(from.count(), call.n, *plan, 0, group);
  return outcome("fft", done, call.x);
}

Status rfft(const LibraryCall& library) {
  FRIT_ASSIGN_OR_RETURN(call, read("rfft", library, float32, complex64));
  const Rows from(call.x), to(call.out);
  const bool even = call.n % 2 == 0;
  const int64_t m = even ? call.n / 2 : call.n;
  const auto plan = fft_plan(m);
  const std::vector<Complex> roots = even ? join_roots(call.n) : std::vector<Complex>();
  const int64_t half = call.n / 2 + 1;
  const bool packed = !even || from.step() != 1;
  const auto group = [&](int64_t first, int64_t count, bool threads, float* memory, float* more) {
    if (plan->way == FftPlan::Way::Lanes)
      return real_rows<float, Complex>(first, count, memory, from, to, [&](auto x, auto y, int lines, float* work) {
        fft_kernels().real_lines(*plan, call.n, x, from.step(), y, lines, call.scale, roots.data(), work);
      });
    float *const pairs = more, *const whole = more + 2 * m * count;
    for (int64_t r = 0; r < count && packed; ++r) {
      const float* const x = from.start<const float>(first + r);
      float* const to_pairs = pairs + 2 * m * r;
      const int64_t step = from.step();
      if (even)
        for (int64_t i = 0; i < call.n; ++i) to_pairs[i] = x[i * step];
      else
        for (int64_t i = 0; i < call.n; ++i) to_pairs[2 * i] = x[i * step], to_pairs[2 * i + 1] = 0;
    }
    const auto in = [&](int64_t row) {
      return packed ? reinterpret_cast<const Complex*>(pairs) + m * (row - first)
                    : reinterpret_cast<const Complex*>(from.start<const float>(row));
    };
    const auto out = [&](int64_t row) {
      return even ? to.start<Complex>(row) : reinterpret_cast<Complex*>(whole) + m * (row - first);
    };
    if (!transform_rows(*plan, first, count, 1, false, call.scale, threads, memory, in, out)) return false;
    for (int64_t row = first; row < first + count; ++row)
      if (even)
        join(to.start<Complex>(row), m, roots);
      else
        std::memcpy(to.start<Complex>(row), out(row), static_cast<size_t>(half) * sizeof(Complex));
    return true;
  };
  const bool done = each_group(from.count(), call.n, *plan, (packed ? 2 * m : 0) + (even ? 0 : 2 * m), group);
  return outcome("rfft", done, call.x);
}

Status irfft(const LibraryCall& library) {
  FRIT_ASSIGN_OR_RETURN(call, read("irfft", library, complex64, float32));
  const Rows from(call.x), to(call.out);
  const bool even = call.n % 2 == 0;
  const int64_t m = even ? call.n / 2 : call.n;
  const auto plan = fft_plan(m);
  const std::vector<Complex> roots = even ? join_roots(call.n) : std::vector<Complex>();
  const auto group = [&](int64_t first, int64_t count, bool threads, float* memory, float* more) {
    if (plan->way == FftPlan::Way::Lanes)
      return real_rows<Complex, float>(first, count, memory, from, to, [&](auto x, auto y, int lines, float* work) {
        fft_kernels().real_lines_back(*plan, call.n, x, from.step(), y, lines, call.scale, roots.data(), work);
      });
    float *const spectrum = more, *const whole = more + 2 * m * count;
    const auto in = [&](int64_t row) { return reinterpret_cast<Complex*>(spectrum) + m * (row - first); };
    const auto out = [&](int64_t row) {
      return even ? reinterpret_cast<Complex*>(to.start<float>(row))
                  : reinterpret_cast<Complex*>(whole) + m * (row - first);
    };
    for (int64_t row = first; row < first + count; ++row) {
      const Complex* const x = from.start<const Complex>(row);
      if (even)
        part(x, from.step(), in(row), m, roots);
      else
        mirror(x, from.step(), in(row), m);
    }
    if (!transform_rows(*plan, first, count, 1, true, call.scale, threads, memory, in, out)) return false;
    for (int64_t row = first; row < first + count && !even; ++row) {
      const Complex* const numbers = out(row);
      float* const result = to.start<float>(row);
      for (int64_t i = 0; i < call.n; ++i) result[i] = numbers[i].real();
    }
    return true;
  };
  const bool done = each_group(from.count(), call.n, *plan, even ? 2 * m : 4 * m, group);
  return outcome("irfft", done, call.x);
}

const Registered registered[] = {{"fft", fft}, {"rfft", rfft}, {"irfft", irfft}};

}  // namespace

bool transform_row(const FftPlan& plan, const Complex* in, int64_t step, Complex* out, bool inverse, float scale,
                   bool threads, float* memory) {
  switch (plan.way) {
    case FftPlan::Way::Split: return split_row(plan, in, step, out, inverse, scale, threads, memory);
    case FftPlan::Way::Chirp: return chirp_row(plan, in, step, out, inverse, scale, threads, memory);
    case FftPlan::Way::Lanes: break;
  }
  const Complex* const from[1] = {in};
  Complex* const to[1] = {out};
  fft_kernels().lines(plan, from, step, to, 1, inverse, scale, memory);
  return true;
}

}  // namespace frit::runtime::routines
