// Random functions under random chains of transforms and compile.
//
// fuzz_transforms [--seed N] [--count M] [--seconds S] [--show 1]; FRIT_FUZZ_COUNT in the environment is another count.
//
// Every link of a chain is checked against the function in front of it: a batch against a loop, a derivative against
// differences, compiled code against eager evaluation. A function with loops and choices in its graph is also checked,
// link by link, against the same chain of one whose loops are those of C++. A chain that fails is shrunk while it still
// fails.
#include <frit/frit.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <vector>

using namespace frit;

namespace {

using Fn = std::function<array(const array&)>;
using Arrays = std::vector<array>;
using Random = std::mt19937_64;

constexpr int kSize = 3;  // of every argument and result

// A function of one vector as data: each step makes a vector of the argument and earlier ones.
struct Step {
  int op;
  unsigned a, b;  // which vectors
};
enum class Link : uint8_t { Grad, Vjp, Jvp, VmapRows, VmapColumns, VmapShared, Compile, CompileAnyShape, Checkpoint };
constexpr const char* kLinks[] = {
    "grad",      "vjp", "jvp", "vmap of rows", "vmap of columns", "vmap, shared", "compile", "compile, any shape",
    "checkpoint"};
struct Chain {
  std::vector<Step> steps;
  std::vector<Link> links;
};

array numbers(const Shape& shape, double first) {
  int n = 1;
  for (int d : shape) n *= d;
  return reshape(sin(arange(first, first + n, 1.0, float64)), shape);
}

constexpr const char* kOps[] = {"sin",    "tanh",   "multiply", "add",     "softmax",   "cumsum", "flip",
                                "matmul", "total",  "gather",   "scatter", "outer",     "pad",    "concatenate",
                                "power",  "divide", "solve",    "prod",    "logsumexp", "where",  "transpose",
                                "scan",   "fori",   "while",    "cond"};
constexpr size_t kWithoutControl = std::size(kOps) - 4;  // the last ones have bodies
constexpr int kWhile = static_cast<int>(std::size(kOps)) - 2;

// Loops and choices in the graph, or the same by loops of C++ and selections.
enum class Control : uint8_t { InGraph, Plain };

array apply_control(const Step& s, const array& x, const array& y, Control control);

array apply(const Step& s, const array& x, const array& y, Control control) {
  if (static_cast<size_t>(s.op) >= kWithoutControl) return apply_control(s, x, y, control);
  const std::string_view op = kOps[s.op];
  if (op == "sin") return sin(x + y * array(0.5, float64));
  if (op == "tanh") return tanh(x);
  if (op == "multiply") return x * y;
  if (op == "add") return x + y;
  if (op == "softmax") return softmax(x, 0);
  if (op == "cumsum") return cumsum(x, 0, s.b % 2 == 0, s.a % 2 == 0);
  if (op == "flip") return flip(x, 0);
  if (op == "matmul")
    return s.b % 2 ? matmul(x, numbers({kSize, kSize}, s.a)) : matmul(numbers({kSize, kSize}, s.a), x);
  if (op == "total") return x * sum(y);
  if (op == "gather") return take(x, array({1, 0, -1}), 0);
  if (op == "scatter") return scatter_add(y, array({2, 2}), reshape(slice(x, {0}, {2}), {2, 1}), 0);
  if (op == "outer") return sum(outer(x, y) * numbers({kSize, kSize}, s.b), 1);
  if (op == "pad") return slice(pad(x, 1, sum(y)), {0}, {kSize});
  if (op == "concatenate") return slice(concatenate({x, y}, 0), {1}, {1 + 2 * kSize - 1}, {2});
  if (op == "power") return power(square(x) + array(0.5, float64), array(0.7, float64));
  if (op == "divide") return x / (square(y) + array(1.0, float64));
  if (op == "solve") return linalg::solve(eye(kSize, float64) * array(4.0, float64) + outer(y, y), x, Device::cpu);
  if (op == "prod") return prod(y + array(1.5, float64)) * x;
  if (op == "logsumexp") return x - logsumexp(y);
  if (op == "where") return where(array({true, false, true}), x, y);
  return matmul(transpose(outer(x, y)), numbers({kSize}, s.a));
}

// The step of a body: one without a body, and now and then one with.
Step inner(const Step& s) {
  const unsigned pick = s.a * 7 + s.b * 3;
  constexpr size_t kNested[] = {0, 1, 3};  // no while loop, as derivatives in reverse reach bodies
  const size_t op = pick % 8 == 0 && s.a > 1 ? kWithoutControl + kNested[s.b % 3] : pick % kWithoutControl;
  return {static_cast<int>(op), s.a / 2, s.b / 2};
}

constexpr int kTurns = 3;  // of each loop

array scanned(const Step& s, const array& x, const array& y, Control control) {
  const array rows = stack({y, sin(x), y * array(0.5, float64)}, 0);
  const bool reverse = s.a % 2 == 0;
  const auto body = [&](const array& h, const array& row) {
    const array next = sin(apply(inner(s), h, row, control) + x * array(0.3, float64));
    return std::pair(next, next * row);
  };
  if (control == Control::InGraph) {
    const auto [last, all] = scan(body, y, rows, reverse);
    return last + sum(all * numbers({kTurns, 1}, s.b), 0);
  }
  array h = y, total = zeros({kSize}, float64);
  for (int i = 0; i < kTurns; ++i) {
    const int at = reverse ? kTurns - 1 - i : i;
    const auto [next, out] = body(h, take(rows, at, 0));
    h = next;
    total = total + out * take(reshape(numbers({kTurns, 1}, s.b), {kTurns}), at, 0);
  }
  return h + total;
}

array apply_control(const Step& s, const array& x, const array& y, Control control) {
  const std::string_view op = kOps[s.op];
  const Step in = inner(s);
  const bool graph = control == Control::InGraph;
  if (op == "scan") return scanned(s, x, y, control);
  if (op == "fori") {
    const auto body = [&](const array& i, const array& h) {
      return sin(apply(in, h, y, control) + astype(i, float64) * x);
    };
    if (graph) return fori_loop(0, kTurns, body, x);
    array h = x;
    for (int i = 0; i < kTurns; ++i) h = body(array(i), h);
    return h;
  }
  if (op == "while") {
    // At most so many iterations, fewer where the values say so.
    const auto condition = [&](const Arrays& v) {
      return logical_and(v[0] < array(double{kTurns}, float64), sum(v[1]) < array(1.2345, float64));
    };
    const auto body = [&](const Arrays& v) {
      return Arrays{v[0] + array(1.0, float64), sin(apply(in, v[1], y, control)) + x};
    };
    Arrays v{zeros({}, float64), x};
    if (graph) return while_loop(condition, body, v)[1];
    for (int i = 0; i < kTurns; ++i) {
      const array goes_on = condition(v);
      const Arrays next = body(v);
      v = {where(goes_on, next[0], v[0]), where(goes_on, next[1], v[1])};
    }
    return v[1];
  }
  const array predicate = sum(y) > array(0.1234, float64);
  const Fn one = [&](const array& v) { return apply(in, v, y, control); };
  const Fn other = [&](const array& v) { return v * x; };
  return graph ? cond(predicate, one, other, x) : where(predicate, one(x), other(x));
}

Fn base(const std::vector<Step>& steps, Control control) {
  return [steps, control](const array& argument) {
    Arrays values{argument};
    for (const Step& s : steps) {
      const array made = apply(s, values[s.a % values.size()], values[s.b % values.size()], control);
      values.push_back(sin(made));  // bounds the growth
    }
    return values.back();
  };
}

array cotangent() { return numbers({kSize}, 0.3); }

// Several arguments made of one, as rows.
array rows_of(const array& x) { return stack({x, x * array(0.5, float64), sin(x), x + array(0.1, float64)}, 0); }

Fn linked(const Fn& f, Link link) {
  switch (link) {
    case Link::Grad: return grad(Fn([f](const array& x) { return sum(f(x) * cotangent()); }));
    case Link::Vjp: return [f](const array& x) { return vjp(f, x, cotangent()).second; };
    // The tangent depends on the argument, too.
    case Link::Jvp: return [f](const array& x) { return jvp(f, x, cos(x)).second; };
    case Link::VmapRows: return [f](const array& x) { return sum(vmap(f)(rows_of(x)), 0); };
    case Link::VmapColumns: return [f](const array& x) { return mean(vmap(f, 1, 1)(transpose(rows_of(x))), 1); };
    case Link::VmapShared:
      return [f](const array& x) {
        const std::function<array(const array&, const array&)> both = [&](const array& a, const array& b) {
          return f(a) * b + x;  // an array of the trace around it
        };
        return sum(vmap(both, -1, 0)(x, rows_of(x)), 0);
      };
    case Link::Compile:
    case Link::CompileAnyShape: {
      const auto compiled =
          compile(std::function<Arrays(const Arrays&)>([f](const Arrays& x) { return Arrays{f(x[0])}; }),
                  link == Link::CompileAnyShape);
      return [compiled](const array& x) { return compiled({x})[0]; };
    }
    case Link::Checkpoint: {
      const auto again = checkpoint([f](const Arrays& x) { return Arrays{f(x[0])}; });
      return [again](const array& x) { return again({x})[0]; };
    }
  }
  return f;
}

array row(const array& rows, int i) { return take(rows, i, 0); }

// The value of the link, computed without it; derivatives by differences of `h`.
array expected(const Fn& f, Link link, const array& x, double h) {
  const auto along = [&](const array& direction) {
    const array step = direction * array(h, float64);
    return (f(x + step) - f(x - step)) / array(2 * h, float64);
  };
  switch (link) {
    case Link::Grad:
    case Link::Vjp: {
      Arrays parts;
      for (int i = 0; i < kSize; ++i) parts.push_back(sum(along(row(eye(kSize, float64), i)) * cotangent()));
      return stack(parts, 0);
    }
    case Link::Jvp: return along(cos(x));
    case Link::VmapRows:
    case Link::VmapColumns:
    case Link::VmapShared: {
      const array rows = rows_of(x);
      array total = zeros({kSize}, float64);
      for (int i = 0; i < rows.shape(0); ++i)
        total = total + (link == Link::VmapShared ? f(x) * row(rows, i) + x : f(row(rows, i)));
      return link == Link::VmapColumns ? total / array(static_cast<double>(rows.shape(0)), float64) : total;
    }
    case Link::Compile:
    case Link::CompileAnyShape:
    case Link::Checkpoint: break;
  }
  return f(x);
}

std::string text(const Chain& c) {
  std::string s = "v0 = the argument\n";
  for (size_t i = 0; i < c.steps.size(); ++i) {
    const Step& step = c.steps[i];
    s += "v" + std::to_string(i + 1) + " = " + kOps[step.op] + " of v" + std::to_string(step.a % (i + 1)) + " and v" +
         std::to_string(step.b % (i + 1)) + " (" + std::to_string(step.a) + ", " + std::to_string(step.b) + ")\n";
  }
  for (Link link : c.links) s += std::string(kLinks[static_cast<size_t>(link)]) + "\n";
  return s;
}

bool is_derivative(Link link) { return link == Link::Grad || link == Link::Vjp || link == Link::Jvp; }

// Where two vectors differ by more than the tolerance for their largest number; empty if they do not.
std::string difference(const array& got, const array& want, double tolerance) {
  if (got.shape() != want.shape() || got.dtype() != want.dtype()) return "another type";
  const double *a = got.data<double>(), *b = want.data<double>();
  double size = 1;
  for (int k = 0; k < kSize; ++k) size = std::max(size, std::fabs(b[k]));
  for (int k = 0; k < kSize; ++k)
    if (!(std::fabs(a[k] - b[k]) <= tolerance * size))
      return "element " + std::to_string(k) + " is " + std::to_string(a[k]) + ", not " + std::to_string(b[k]);
  return "";
}

bool has_control(const Chain& c) {
  return std::any_of(c.steps.begin(), c.steps.end(),
                     [](const Step& s) { return static_cast<size_t>(s.op) >= kWithoutControl; });
}

// Empty if every link gives what it should.
std::string fault(const Chain& c) {
  const array x = numbers({kSize}, 0.7);
  const double h = 1e-5;
  Fn f = base(c.steps, Control::InGraph), plain = base(c.steps, Control::Plain);
  const bool compared = has_control(c);
  for (size_t i = 0; i < c.links.size(); ++i) {
    const Link link = c.links[i];
    const std::string at = "link " + std::to_string(i) + ", " + kLinks[static_cast<size_t>(link)] + ": ";
    const double tolerance = is_derivative(link) ? 1e-4 : 1e-9;
    const Fn g = linked(f, link);
    try {
      const array got = contiguous(g(x)), want = contiguous(expected(f, link, x, h));
      if (const std::string differs = difference(got, want, tolerance); !differs.empty()) {
        // Differences say nothing where a choice in the function changes between the two values.
        if (!is_derivative(link) || difference(contiguous(expected(f, link, x, h / 8)), want, tolerance / 4).empty())
          return at + differs;
        return "";
      }
      if (compared) {
        plain = linked(plain, link);
        if (const std::string differs = difference(got, contiguous(plain(x)), 1e-8); !differs.empty())
          return at + "plain loops differ: " + differs;
      }
      // Differences of steep functions say little.
      if (max(abs(want)).item<double>() > 1e4) return "";
    } catch (const Error& e) {
      return at + e.what();
    }
    f = g;
  }
  return "";
}

// The chain without links and steps that the fault does not need.
Chain shrunk(Chain c) {
  const auto without = [](auto list, size_t i) {
    list.erase(list.begin() + static_cast<ptrdiff_t>(i));
    return list;
  };
  for (bool smaller = true; smaller;) {
    smaller = false;
    const auto keep_if_failing = [&](const Chain& next) {
      if (smaller || fault(next).empty()) return;
      c = next;
      smaller = true;
    };
    for (size_t i = 0; i < c.links.size() && !smaller; ++i) keep_if_failing({c.steps, without(c.links, i)});
    for (size_t i = 0; i < c.steps.size() && !smaller; ++i) keep_if_failing({without(c.steps, i), c.links});
  }
  return c;
}

Chain drawn(Random& random) {
  const auto between = [&](size_t low, size_t high) { return low + random() % (high - low + 1); };
  Chain c;
  for (size_t i = between(1, 4); i > 0; --i)
    c.steps.push_back({static_cast<int>(between(0, std::size(kOps) - 1)), static_cast<unsigned>(random() % 64),
                       static_cast<unsigned>(random() % 64)});
  size_t derivatives = 0;
  for (size_t i = between(1, 4); i > 0; --i) {
    auto link = static_cast<Link>(between(0, std::size(kLinks) - 1));
    derivatives += is_derivative(link);
    // A third derivative is a large function.
    c.links.push_back(is_derivative(link) && derivatives > 2 ? Link::VmapRows : link);
  }
  // A while loop has no derivative in reverse.
  if (std::any_of(c.links.begin(), c.links.end(), [](Link l) { return l == Link::Grad || l == Link::Vjp; }))
    for (Step& s : c.steps) s.op = s.op == kWhile ? kWhile - 1 : s.op;
  return c;
}

bool run(uint64_t seed, bool show) {
  Random random(seed);
  const Chain c = drawn(random);
  if (show) std::printf("seed %llu\n%s", static_cast<unsigned long long>(seed), text(c).c_str());
  const std::string what = fault(c);
  if (what.empty()) return true;
  const Chain small = shrunk(c);
  std::printf("seed %llu: %s\nshrunk to\n%s%s\n", static_cast<unsigned long long>(seed), what.c_str(),
              text(small).c_str(), fault(small).c_str());
  return false;
}

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
  if (const char* larger = std::getenv("FRIT_FUZZ_COUNT")) count = std::strtoull(larger, nullptr, 10);
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  uint64_t done = 0;
  for (; seconds > 0 ? elapsed() < seconds : done < count; ++done)
    if (!run(seed + done, show)) return 1;
  std::printf("%llu chains\n", static_cast<unsigned long long>(done));
  return 0;
}
