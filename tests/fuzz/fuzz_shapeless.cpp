// Random functions of the public API, compiled for any shape and called with many shapes.
//
// fuzz_shapeless [--seed N] [--count M] [--seconds S] [--show 1]
//
// Each call must give the bits that the function gives untraced and compiled for the shape, or throw if it throws
// untraced.
#include <frit/frit.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

using namespace frit;

namespace {

struct Step {
  int op;
  unsigned a, b;  // which values
  unsigned p, q;  // parameters
};

// A function as data: it does the same operations on any arguments.
struct Program {
  std::vector<int> ranks;
  std::vector<Step> steps;
};

constexpr const char* kOps[] = {
    "exp",          "sigmoid",     "add",     "multiply", "maximum",   "sum",         "mean",   "max",  "softmax",
    "transpose",    "flatten",     "reshape", "slice",    "slice_dim", "concatenate", "pad",    "tile", "repeat",
    "broadcast_to", "expand_dims", "squeeze", "arange",   "where",     "split",       "matmul", "flip", "shape",
    "compare",      "unflatten",   "argmax",  "var",      "stack",     "logsumexp",   "full",   "mod"};

std::string text(const Program& p) {
  std::string s;
  for (const Step& step : p.steps)
    s += std::string(kOps[step.op]) + "(" + std::to_string(step.a) + ", " + std::to_string(step.b) + "; " +
         std::to_string(step.p) + ", " + std::to_string(step.q) + ")\n";
  return s;
}

bool is_reduction(std::string_view op) {
  return op == "sum" || op == "mean" || op == "max" || op == "var" || op == "logsumexp" || op == "argmax";
}

array reduce(std::string_view op, const array& x, int axis, bool keepdims) {
  if (op == "sum") return sum(x, axis, keepdims);
  if (op == "mean") return mean(x, axis, keepdims);
  if (op == "max") return max(x, axis, keepdims);
  if (op == "var") return var(x, axis, keepdims);
  if (op == "logsumexp") return logsumexp(x, axis, keepdims);
  return astype(argmax(x, axis, keepdims), float32);
}

// A window on `x` whose bounds are numbers ("slice") or sizes.
array window(const Step& s, std::string_view op, const array& x, int axis) {
  const auto at = static_cast<size_t>(axis);
  std::vector<Size> start(x.ndim(), 0), stop;
  for (const Size& d : x.dims()) stop.push_back(d);
  if (op == "slice") {
    Shape strides(x.ndim(), 1);
    start[at] = static_cast<int>(s.q % 3);
    stop[at] = static_cast<int>(s.q % 7);
    strides[at] = 1 + static_cast<int>(s.q % 2);
    return slice(x, start, stop, strides);
  }
  start[at] = x.dim(axis) / 2;
  if (s.q % 2) stop[at] = -1;
  return slice(x, start, stop);
}

bool takes_scalars(std::string_view op) {
  return op == "exp" || op == "sigmoid" || op == "add" || op == "multiply" || op == "maximum" || op == "where" ||
         op == "expand_dims";
}

array apply(const Step& s, const array& x, const array& y) {
  const int rank = static_cast<int>(x.ndim());
  const int axis = rank ? static_cast<int>(s.p) % rank : 0;
  const std::string_view op = kOps[s.op];
  const auto is = [&](std::string_view name) { return op == name; };
  if (is_reduction(op)) return reduce(op, x, axis, s.q % 2 == 0);
  if (is("slice") || is("slice_dim")) return window(s, op, x, axis);
  if (is("exp")) return exp(x * 0.125f);
  if (is("sigmoid")) return sigmoid(x);
  if (is("add")) return x + y;
  if (is("multiply")) return x * y;
  if (is("maximum")) return maximum(x, y);
  if (is("softmax")) return softmax(x, axis);
  if (is("transpose")) return transpose(x);
  if (is("flatten")) return flatten(x, axis, -1);
  if (is("reshape") && rank >= 2)
    return s.q % 2 ? reshape(x, {x.dim(0) * x.dim(1), -1}) : reshape(x, {-1, x.dim(rank - 1)});
  if (is("unflatten")) return unflatten(x, axis, {-1, static_cast<int>(1 + s.q % 3)});
  if (is("concatenate")) return concatenate({x, y, x}, axis);
  if (is("stack")) return stack({x, y}, axis);
  if (is("pad")) return pad(x, static_cast<int>(s.q % 3), array(0.5f), s.q % 5 == 0 ? "edge" : "constant");
  if (is("tile")) return tile(x, {static_cast<int>(s.p % 3), static_cast<int>(1 + s.q % 2)});
  if (is("repeat")) return repeat(x, static_cast<int>(s.q % 3), axis);
  if (is("broadcast_to")) return broadcast_to(x, y.dims());
  if (is("full")) return full(x.dims(), 0.25f) + x;
  if (is("expand_dims")) return expand_dims(x, axis);
  if (is("squeeze")) return s.q % 2 ? squeeze(x) : squeeze(x, axis);
  if (is("arange")) return x + arange(x.dim(rank - 1), float32);
  if (is("mod")) return x + array(1.0f) * sum(arange(x.dim(axis) % 3 + 1, float32));
  if (is("where")) return where(x > y, x, y);
  if (is("split")) {
    const auto parts = split(x, 2, axis);
    return parts[0] * parts[1];
  }
  if (is("matmul")) return matmul(x, y);
  if (is("flip")) return flip(x, axis);
  if (is("shape")) return x * static_cast<float>(x.shape(axis));
  if (is("compare")) return x.dim(axis) > static_cast<int>(s.q % 4) ? x + 1.0f : x * 2.0f;
  return x;
}

std::vector<array> run_program(const Program& program, const std::vector<array>& arguments) {
  std::vector<array> values = arguments;
  for (const Step& s : program.steps) {
    const array x = values[s.a % values.size()], y = values[s.b % values.size()];
    if (x.ndim() == 0 && !takes_scalars(kOps[s.op])) continue;
    const array r = apply(s, x, y);
    // Bounds the growth of sums of products and of ranks.
    if (r.ndim() <= 4) values.push_back(r);
  }
  return {values.begin() + static_cast<std::ptrdiff_t>(arguments.size()), values.end()};
}

struct Outcome {
  std::vector<array> results;
  std::string error;
};

template <class F>
Outcome attempt(F&& f) {
  try {
    Outcome o{f(), {}};
    eval(o.results);
    return o;
  } catch (const Error& e) {
    return {{}, e.message()};
  }
}

std::string compare(const Outcome& want, const Outcome& got) {
  if (want.error.empty() != got.error.empty()) return "one throws: '" + want.error + "' and '" + got.error + "'";
  for (size_t i = 0; i < want.results.size(); ++i) {
    const array &a = want.results[i], &b = got.results[i];
    if (a.shape() != b.shape() || a.dtype() != b.dtype()) return "result " + std::to_string(i) + " has another type";
    const array x = contiguous(a), y = contiguous(b);
    // NaNs may differ in their bits.
    if (x.size() && !array_equal(x, y, true).item<bool>()) return "result " + std::to_string(i) + " has other values";
  }
  return "";
}

class Fuzzer {
 public:
  Fuzzer(uint64_t seed, bool show) : random_(seed), show_(show) {}

  bool run(uint64_t seed) {
    Program p;
    const int count = between(1, 3);
    for (int i = 0; i < count; ++i) p.ranks.push_back(between(1, 3));
    const int steps = between(2, 9);
    for (int i = 0; i < steps; ++i)
      p.steps.push_back(
          {between(0, std::size(kOps) - 1), unsigned_value(), unsigned_value(), unsigned_value(), unsigned_value()});
    const auto fn = [p](const std::vector<array>& arguments) { return run_program(p, arguments); };
    const auto open = compile(fn, true);
    if (show_) std::printf("%s", text(p).c_str());
    for (int call = 0; call < 7; ++call) {
      const std::vector<array> arguments = make_arguments(p);
      const Outcome want = attempt([&] { return fn(arguments); });
      const Outcome got = attempt([&] { return open(arguments); });
      std::string what = compare(want, got);
      if (what.empty() && call % 3 == 0) {
        const auto fixed = compile(fn);
        const Outcome again = attempt([&] { return fixed(arguments); });
        what = compare(again, got);
      }
      if (what.empty()) continue;
      std::printf("seed %llu, call %d: %s\narguments:", static_cast<unsigned long long>(seed), call, what.c_str());
      for (const array& a : arguments) {
        std::printf(" (");
        for (int d : a.shape()) std::printf("%d,", d);
        std::printf(")");
      }
      std::printf("\n%s%s", text(p).c_str(), open.explain().c_str());
      return false;
    }
    return true;
  }

 private:
  int between(int low, int high) { return low + static_cast<int>(random_() % static_cast<uint64_t>(high - low + 1)); }
  unsigned unsigned_value() { return static_cast<unsigned>(random_() % 64); }

  std::vector<array> make_arguments(const Program& p) {
    // Sizes of one axis are often equal, and often one, so that some broadcast and some do not.
    static constexpr int kSizes[] = {0, 1, 1, 2, 3, 4, 6, 8};
    const int common = kSizes[static_cast<size_t>(between(0, 7))];
    std::vector<array> arguments;
    for (int rank : p.ranks) {
      Shape shape;
      int n = 1;
      for (int i = 0; i < rank; ++i) {
        shape.push_back(between(0, 2) ? common : kSizes[static_cast<size_t>(between(0, 7))]);
        n *= shape.back();
      }
      array a = reshape(arange(0.0, static_cast<double>(n)), shape) * 0.375f - 1.5f;
      // Some arguments are strided.
      if (rank == 2 && between(0, 3) == 0)
        a = transpose(reshape(arange(0.0, static_cast<double>(n)) * 0.25f, {shape[1], shape[0]}));
      a.eval();
      arguments.push_back(a);
    }
    return arguments;
  }

  std::mt19937_64 random_;
  bool show_;
};

}  // namespace

int main(int argc, char** argv) {
  uint64_t seed = 1, count = 100;
  double seconds = 0;
  bool show = false;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    if (name == "--seed")
      seed = std::strtoull(argv[i + 1], nullptr, 10);
    else if (name == "--count")
      count = std::strtoull(argv[i + 1], nullptr, 10);
    else if (name == "--seconds")
      seconds = std::strtod(argv[i + 1], nullptr);
    else if (name == "--show")
      show = true;
    else
      return std::fprintf(stderr, "unknown option %s\n", argv[i]), 2;
  }
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  uint64_t done = 0;
  for (; seconds > 0 ? elapsed() < seconds : done < count; ++done)
    if (!Fuzzer(seed + done, show).run(seed + done)) return 1;
  std::printf("%llu functions\n", static_cast<unsigned long long>(done));
  return 0;
}
