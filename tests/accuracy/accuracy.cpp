// frit_accuracy: measures the distance of the math functions of ir/math from the exact values.
//
//   frit_accuracy                    every function, sampled; exit status 1 if a bound is exceeded
//   frit_accuracy --full exp sin     all 2^32 arguments in f32 of the named functions
//   frit_accuracy --samples=N ...    N random arguments beside the corner cases
//   frit_accuracy --f32 | --f64      one element type only
//   frit_accuracy --plain            as machines without a fused multiplication and addition compute
//
// The error is |result - exact| in units in the last place of the exact value, so a correctly rounded function has at
// most 0.5. If the exact value is NaN, infinite or zero (its sign included), the result must be the same, or the error
// is infinite.
#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "ir/math/expand.h"
#include "tests/accuracy/block_evaluator.h"
#include "tests/accuracy/cases.h"

namespace frit::accuracy {

namespace {

constexpr size_t kBlock = BlockEvaluator::kBlock;
constexpr double kInf = std::numeric_limits<double>::infinity();

ir::Arithmetic arithmetic = ir::Arithmetic::Fused;

ir::ScalarProgram program_of(ir::ScalarOp op, Dtype type) {
  ir::ScalarProgram p;
  ir::ScalarBuilder b(p.nodes);
  std::vector<uint32_t> args;
  for (int i = 0; i < ir::arity(op); ++i) {
    args.push_back(b.input(type, static_cast<uint32_t>(i)));
    p.inputs.push_back(type);
  }
  p.results.push_back(ir::expand_function(b, op, args, arithmetic));
  return p;
}

// Nodes that run in a vector loop: constants and bit casts cost nothing there.
int operations(const ir::ScalarProgram& p) {
  int n = 0;
  for (const ir::ScalarNode& node : p.nodes)
    n += node.op != ir::ScalarOp::Const && node.op != ir::ScalarOp::Input && node.op != ir::ScalarOp::Bitcast;
  return n;
}

template <class T>
constexpr auto least_unit() {
  if constexpr (sizeof(T) == 4)
    return 0x1p-149;
  else
    return 0x1p-1074L;
}

// Units of the last place of `exact`, rounded as T rounds.
template <class T, class Wide>
double ulp_error(T result, Wide exact) {
  T rounded = static_cast<T>(exact);
  if (std::isnan(exact)) return std::isnan(result) ? 0 : kInf;
  if (std::isnan(result)) return kInf;
  if (std::isinf(rounded) || std::isinf(result)) return result == rounded ? 0 : kInf;
  if (rounded == 0 && result == 0) return std::signbit(exact) == std::signbit(result) ? 0 : kInf;
  // The power of two at or below |exact| gives the unit, down to that of subnormals.
  Wide unit = least_unit<T>();
  if constexpr (sizeof(T) == 4) {  // without calls: this runs 2^32 times
    double power = std::bit_cast<double>(std::bit_cast<uint64_t>(exact) & 0x7ff0000000000000);
    unit = std::max(unit, power * 0x1p-23);
  } else if (exact != 0) {
    unit = std::max(unit, std::ldexp(Wide(1), std::ilogb(exact) - 52));
  }
  return static_cast<double>(std::fabs(static_cast<Wide>(result) - exact) / unit);
}

template <class T>
struct Worst {
  double ulp = -1;
  T x = 0, y = 0, result = 0;
  void take(const Worst& o) {
    if (o.ulp > ulp) *this = o;
  }
};

template <class T>
using Wide = std::conditional_t<sizeof(T) == 4, double, long double>;

template <class T>
void measure_block(const Case& c, BlockEvaluator& evaluator, const T* x, const T* y, size_t n, Worst<T>& worst) {
  T result[kBlock];
  const void* inputs[2] = {x, y};
  evaluator.run(inputs, result, n);
  for (size_t i = 0; i < n; ++i) {
    Wide<T> exact = reference(c.op, static_cast<Wide<T>>(x[i]), static_cast<Wide<T>>(y[i]));
    double e = ulp_error(result[i], exact);
    if (e > worst.ulp) worst = {e, x[i], y[i], result[i]};
  }
}

// `arguments(chunk, x, y)` fills at most kBlock arguments and returns how many; chunks are dealt to the
// threads.
template <class T, class F>
Worst<T> measure(const Case& c, size_t chunks, F arguments) {
  ir::ScalarProgram program = program_of(c.op, sizeof(T) == 4 ? float32 : float64);
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  std::vector<Worst<T>> found(threads);
  std::atomic<size_t> next{0};
  auto work = [&](unsigned t) {
    BlockEvaluator evaluator(program);
    std::vector<T> x(kBlock), y(kBlock);
    constexpr size_t kGrain = 64;
    for (size_t begin; (begin = next.fetch_add(kGrain)) < chunks;)
      for (size_t k = begin; k < std::min(chunks, begin + kGrain); ++k)
        measure_block(c, evaluator, x.data(), y.data(), arguments(k, x.data(), y.data()), found[t]);
  };
  std::vector<std::thread> pool;
  for (unsigned t = 1; t < threads; ++t) pool.emplace_back(work, t);
  work(0);
  for (std::thread& t : pool) t.join();
  Worst<T> worst;
  for (const Worst<T>& w : found) worst.take(w);
  return worst;
}

uint64_t mix(uint64_t x) {  // a bijection on 64 bits that looks random
  x ^= x >> 31;
  x *= 0x9e3779b97f4a7c15;
  x ^= x >> 29;
  x *= 0xd6e8feb86659fd93;
  return x ^ x >> 32;
}

// Half of the arguments have random bits, half lie where the function is neither saturated nor trivial.
template <class T>
T argument(uint64_t random, const Range& interesting) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  uint64_t bits = mix(random);
  if (random & 1) return std::bit_cast<T>(static_cast<Bits>(bits));
  double unit = static_cast<double>(bits >> 11) * 0x1p-53;
  return static_cast<T>(interesting.low + unit * (interesting.high - interesting.low));
}

template <class T>
std::vector<T> corners() {
  using L = std::numeric_limits<T>;
  std::vector<T> v;
  for (T x : {T(0),   L::denorm_min(), L::min() / 2, L::min(), T(1e-5), T(0.1),    T(0.25),   T(0.5),   T(0.75),
              T(1),   T(1.5),          T(2),         T(3),     T(10),   T(20),     T(88),     T(89),    T(100),
              T(104), T(709),          T(710),       T(745),   T(1e10), T(0x1p31), T(0x1p53), L::max(), L::infinity()})
    for (T y : {std::nextafter(x, T(0)), x, std::nextafter(x, L::infinity())}) v.insert(v.end(), {y, -y});
  v.push_back(L::quiet_NaN());
  return v;
}

template <class T>
Worst<T> sampled(const Case& c, size_t samples) {
  static const std::vector<T> corner = corners<T>();
  bool binary = ir::arity(c.op) == 2;
  size_t special = binary ? corner.size() * corner.size() : corner.size();
  size_t total = special + samples;
  return measure<T>(c, (total + kBlock - 1) / kBlock, [&](size_t chunk, T* x, T* y) {
    size_t n = std::min(kBlock, total - chunk * kBlock);
    for (size_t k = 0; k < n; ++k) {
      size_t i = chunk * kBlock + k;
      if (i < special) {
        x[k] = corner[i % corner.size()];
        y[k] = corner[i / corner.size()];
      } else {
        x[k] = argument<T>(2 * i + (i & 1), c.x);
        y[k] = argument<T>(~(2 * i + (i & 1)) ^ 1, c.y);
      }
    }
    return n;
  });
}

Worst<float> all_floats(const Case& c) {
  return measure<float>(c, (uint64_t{1} << 32) / kBlock, [](size_t chunk, float* x, float* y) {
    for (size_t k = 0; k < kBlock; ++k) {
      x[k] = std::bit_cast<float>(static_cast<uint32_t>(chunk * kBlock + k));
      y[k] = 0;
    }
    return kBlock;
  });
}

template <class T>
bool report(const Case& c, const Worst<T>& worst, double bound, const char* how, double seconds) {
  ir::ScalarProgram program = program_of(c.op, sizeof(T) == 4 ? float32 : float64);
  char text[160];
  if (ir::arity(c.op) == 2)
    std::snprintf(text, sizeof text, "%a, %a", double(worst.x), double(worst.y));
  else
    std::snprintf(text, sizeof text, "%a", double(worst.x));
  bool good = worst.ulp <= bound;
  std::printf("%-8s %s  %8.4f ulp at %-36s gives %-22a %4d ops  %s %.1f s%s\n", std::string(ir::name(c.op)).c_str(),
              sizeof(T) == 4 ? "f32" : "f64", worst.ulp, text, double(worst.result), operations(program), how, seconds,
              good ? "" : "  ABOVE BOUND");
  std::fflush(stdout);
  return good;
}

int run(int argc, char** argv) {
  bool full = false, f32 = true, f64 = true;
  size_t samples = 200000;
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i) {
    std::string a = argv[i];
    if (a == "--full")
      full = true;
    else if (a == "--f32")
      f64 = false;
    else if (a == "--plain")
      arithmetic = ir::Arithmetic::Plain;
    else if (a == "--flat")
      arithmetic = ir::Arithmetic::Flat;
    else if (a == "--f64")
      f32 = false;
    else if (a.starts_with("--samples="))
      samples = std::strtoull(a.c_str() + 10, nullptr, 10);
    else if (ir::parse_scalar_op(a))
      names.push_back(a);
    else {
      std::fprintf(stderr,
                   "usage: frit_accuracy [--full] [--flat|--plain] [--f32|--f64] [--samples=N] [FUNCTION...]\n");
      return 2;
    }
  }
  bool good = true;
  for (const Case& c : cases()) {
    if (!names.empty() && std::find(names.begin(), names.end(), ir::name(c.op)) == names.end()) continue;
    auto timed = [](auto f) {
      auto start = std::chrono::steady_clock::now();
      auto worst = f();
      std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
      return std::pair(worst, seconds.count());
    };
    if (f32) {
      bool every = full && ir::arity(c.op) == 1;
      auto [worst, seconds] = timed([&] { return every ? all_floats(c) : sampled<float>(c, samples); });
      good &= report(c, worst, c.bound32, every ? "all" : "sampled", seconds);
    }
    if (f64 && !full) {
      auto [worst, seconds] = timed([&] { return sampled<double>(c, samples); });
      good &= report(c, worst, c.bound64, "sampled", seconds);
    }
  }
  return good ? 0 : 1;
}

}  // namespace

}  // namespace frit::accuracy

int main(int argc, char** argv) {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    std::puts("skipped: block_evaluator.cpp is compiled for AVX2 and FMA");
    return 77;
  }
#endif
  return frit::accuracy::run(argc, argv);
}
