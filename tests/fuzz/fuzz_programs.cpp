// fuzz_programs [--seed N] [--count M] [--seconds S] [--frit PATH]
//
// Random programs of the public API on arrays of many types, among them views and empty ones, each run eagerly at once,
// eagerly step by step, compiled, compiled for any shape, and exported and imported; with PATH, the command, some as
// packages too. Every way must give the numbers of plain.h to the bit.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>

#include "package_run.h"
#include "program.h"

using namespace frit;
using namespace program;

namespace {

const Dtype kTypes[] = {bool_, uint8, int8, int16, int32, uint32, float16, bfloat16, float32, float32, int32};

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  int between(int low, int high) { return low + static_cast<int>(random_() % static_cast<uint64_t>(high - low + 1)); }

  Program program() {
    Program p;
    for (int i = between(1, 3); i > 0; --i) p.arguments.push_back(argument());
    p.values = p.arguments;
    const int wanted = between(3, 14);
    for (int attempt = 0; attempt < 200 && static_cast<int>(p.steps.size()) < wanted; ++attempt) {
      Step s = step(p.values);
      Maybe value = plainly(s, p.values);
      if (!value) continue;
      p.steps.push_back(std::move(s));
      p.values.push_back(*std::move(value));
    }
    return p;
  }

  // The array as frit has it: dense, or a view of a larger one.
  array given(const plain::Array& a) {
    const array dense = made(a);
    const int kind = between(0, 4);
    if (kind == 0 || a.shape.empty()) return dense;
    const int rank = static_cast<int>(a.shape.size());
    array view = dense;
    if (kind == 1) {
      // Laid out with its axes in another order.
      Ints order(a.shape.size()), back(a.shape.size());
      for (int i = 0; i < rank; ++i) order[static_cast<size_t>(i)] = i;
      std::shuffle(order.begin(), order.end(), random_);
      for (int i = 0; i < rank; ++i) back[static_cast<size_t>(order[static_cast<size_t>(i)])] = i;
      array turned = contiguous(transpose(dense, order));
      turned.eval();
      view = transpose(turned, back);
    } else if (kind == 2) {
      view = flip(contiguous(flip(dense, 0)), 0);
    } else if (kind == 3) {
      // Every second row of twice as many, from the third on.
      const array wide = pad(repeat(dense, 2, 0), std::vector<int>{0}, Sizes{2}, Sizes{0}, array(1));
      wide.eval();
      Ints start(a.shape.size(), 0), steps(a.shape.size(), 1);
      start[0] = 2;
      steps[0] = 2;
      Ints stop(wide.shape().begin(), wide.shape().end());
      view = slice(wide, sizes_of(start), sizes_of(stop), steps);
    }
    view.eval();
    return view;
  }

 private:
  array made(const plain::Array& a) {
    std::vector<int64_t> numbers;
    for (plain::Number v : a.values) numbers.push_back(static_cast<int64_t>(v));
    array r = astype(array(numbers.begin(), Shape(a.shape.begin(), a.shape.end()), int64), a.dtype);
    r.eval();
    return r;
  }

  int size() {
    static constexpr int kSizes[] = {0, 1, 1, 2, 2, 3, 3, 4, 5, 7, 17};
    return kSizes[static_cast<size_t>(between(0, 10))];
  }
  Ints shape(int rank) {
    Ints s;
    for (int i = 0; i < rank; ++i) s.push_back(size());
    return s;
  }
  Dtype type() { return kTypes[static_cast<size_t>(between(0, static_cast<int>(std::size(kTypes)) - 1))]; }

  plain::Array argument() {
    for (;;) {
      plain::Array a{type(), shape(between(0, 3)), {}};
      const bool is_unsigned = a.dtype == uint8 || a.dtype == uint32 || a.dtype == bool_;
      const auto n = plain::count(a.shape);
      for (int64_t i = 0; i < n; ++i) a.values.push_back(between(is_unsigned ? 0 : -4, 4));
      if (auto checked = plain::checked(std::move(a))) return *checked;
    }
  }

  size_t any(const std::vector<plain::Array>& values) {
    // Late values are taken often, so that chains grow.
    const int last = static_cast<int>(values.size()) - 1;
    return static_cast<size_t>(between(0, 2) ? between(std::max(0, last - 2), last) : between(0, last));
  }

  // A value whose shape and type join those of another.
  size_t like(const std::vector<plain::Array>& values, size_t first) {
    for (int i = 0; i < 6; ++i)
      if (const size_t k = any(values); values[k].shape.size() == values[first].shape.size()) return k;
    return first;
  }

  Ints axes(int rank) {
    Ints out;
    for (int i = 0; i < rank; ++i)
      if (between(0, 1)) out.push_back(i);
    return out;
  }

  Step step(const std::vector<plain::Array>& values) {
    Step s;
    s.op = between(0, kOpCount - 1);
    s.inputs = {any(values)};
    const Ints& x = values[s.inputs[0]].shape;
    const int rank = static_cast<int>(x.size());
    // Axes of an array without any do not exist: such a step is none.
    const auto axis = [&] { return rank ? between(0, rank - 1) : 0; };
    const bool needs_axis = s.op == kArg || s.op == kSqueeze || s.op == kFlip || s.op == kFlatten ||
                            s.op == kConcatenate || s.op == kPad || s.op == kRepeat || s.op == kSplit;
    if (needs_axis && rank == 0) s.op = kUnary;
    draw(s, values, x, rank, axis());
    return s;
  }

  void draw(Step& s, const std::vector<plain::Array>& values, const Ints& x, int rank, int axis) {
    switch (s.op) {
      case kBinary:
        s.inputs.push_back(any(values));
        s.numbers = {between(0, kBinaryOps - 1)};
        break;
      case kUnary: s.numbers = {between(0, kUnaryOps - 1)}; break;
      case kReduce:
        s.numbers = {between(0, kReduceOps - 1), between(0, 1)};
        s.more = axes(rank);
        break;
      case kArg: s.numbers = {between(0, 1), axis, between(0, 1)}; break;
      case kWhere: s.inputs = {any(values), any(values), any(values)}; break;
      case kAstype: s.dtype = type(); break;
      case kContiguous: s.numbers = {between(0, 1)}; break;
      case kTranspose:
        for (int i = 0; i < rank; ++i) s.more.push_back(i);
        std::shuffle(s.more.begin(), s.more.end(), random_);
        break;
      case kReshape: draw_reshape(s, x); break;
      case kSlice:
        for (int i = 0; i < rank; ++i) {
          const int n = x[static_cast<size_t>(i)];
          s.others.push_back(between(0, 3) ? between(1, 3) : -between(1, 3));
          const bool down = s.others.back() < 0;
          s.numbers.push_back(between(0, 1) ? (down ? n : 0) : between(-n - 1, n + 1));
          s.more.push_back(between(0, 1) ? (down ? -n - 1 : n) : between(-n - 1, n + 1));
        }
        break;
      case kBroadcast:
        s.more = shape(between(0, 2));
        for (int d : x) s.more.push_back(d == 1 ? size() : d);
        break;
      case kExpand:
        s.numbers = {between(0, rank)};
        s.more = x;
        s.more.insert(s.more.begin() + s.numbers[0], 1);
        break;
      case kSqueeze:
        s.numbers = {axis};
        s.more = x;
        if (x[static_cast<size_t>(axis)] == 1)
          s.more.erase(s.more.begin() + axis);
        else
          s.op = kCopy;
        break;
      case kFlip: s.numbers = {axis}; break;
      case kFlatten: {
        s.numbers = {axis, between(axis, rank + 1)};
        const int last = std::min(rank - 1, s.numbers[1]);
        s.more.assign(x.begin(), x.begin() + axis);
        s.more.push_back(static_cast<int>(plain::count(Ints(x.begin() + axis, x.begin() + last + 1))));
        s.more.insert(s.more.end(), x.begin() + last + 1, x.end());
        break;
      }
      case kConcatenate:
      case kStack: {
        for (int i = between(0, between(0, 5) ? 3 : 20); i > 0; --i) s.inputs.push_back(like(values, s.inputs[0]));
        s.numbers = {s.op == kStack ? between(0, rank) : axis};
        break;
      }
      case kPad: s.numbers = {axis, between(0, 6), between(0, 6), between(0, 3), between(0, kModes - 1)}; break;
      case kRepeat: s.numbers = {axis, between(0, 3)}; break;
      case kTile:
        for (int i = between(0, 3); i > 0; --i) s.more.push_back(between(0, 3));
        break;
      case kTriangle: s.numbers = {between(-3, 3), between(0, 1)}; break;
      case kMatmul: s.inputs.push_back(like(values, s.inputs[0])); break;
      case kSplit: s.numbers = {axis, between(0, x[static_cast<size_t>(axis)]), between(0, 1)}; break;
      case kFull:
        s.dtype = type();
        s.numbers = {between(0, 4)};
        s.more = shape(between(0, 3));
        break;
      case kArange:
        s.dtype = between(0, 1) ? int32 : float32;
        s.numbers = {between(-5, 5), between(0, 20), between(0, 1) ? between(1, 4) : -between(1, 4)};
        break;
    }
  }

  // The sizes joined, or one of them cut in two.
  void draw_reshape(Step& s, const Ints& x) {
    for (int d : x) {
      if (!s.more.empty() && between(0, 2) == 0)
        s.more.back() *= d;
      else if (d > 2 && d % 2 == 0 && between(0, 1))
        s.more.insert(s.more.end(), {2, d / 2});
      else
        s.more.push_back(d);
    }
    if (between(0, 4) == 0) s.more.push_back(1);
  }

  std::mt19937_64 random_;
};

class Fuzzer {
 public:
  Fuzzer(uint64_t seed, std::string frit) : seed_(seed), generator_(seed), frit_(std::move(frit)) {}

  // False when a way is wrong; prints how.
  bool run() {
    program_ = generator_.program();
    if (program_.steps.empty()) return true;
    std::vector<array> arguments;
    for (const plain::Array& a : program_.arguments) arguments.push_back(generator_.given(a));
    const auto fn = [this](const std::vector<array>& x) { return results(x, false); };
    bool right = tried("eager", [&] { return fn(arguments); }) &&
                 tried("eager, step by step", [&] { return results(arguments, true); }) &&
                 tried("compiled", [&] { return compile(fn)(arguments); }) &&
                 tried("compiled for any shape", [&] { return compile(fn, true)(arguments); });
    if (right && seed_ % 4 == 0)
      right = tried("exported", [&] {
        const std::string file = folder() + "/program.frit";
        export_function(file, fn, arguments);
        return import_function(file)(arguments);
      });
    if (right && !frit_.empty() && seed_ % 40 == 0)
      right = tried("packaged", [&] {
        const std::string file = folder() + "/packaged";
        export_function(file + ".frit", fn, arguments);
        return run_package(frit_, file + ".frit", file + ".fritpkg", arguments);
      });
    return right;
  }

 private:
  static std::string folder() {
    static const std::string path = [] {
      std::string name = (std::filesystem::temp_directory_path() / "frit_programs_XXXXXX").string();
      if (!mkdtemp(name.data())) std::perror("mkdtemp"), std::exit(2);
      return name;
    }();
    return path;
  }

  std::vector<array> results(const std::vector<array>& arguments, bool at_once) const {
    std::vector<array> values = arguments;
    for (const Step& s : program_.steps) {
      values.push_back(by_frit(s, values));
      if (at_once) values.back().eval();
    }
    return {values.begin() + static_cast<std::ptrdiff_t>(arguments.size()), values.end()};
  }

  template <class F>
  bool tried(const char* way, F&& f) {
    std::string wrong;
    size_t which = 0;
    try {
      std::vector<array> got = f();
      eval(got);
      for (size_t i = 0; i < got.size() && wrong.empty(); ++i) {
        which = program_.arguments.size() + i;
        wrong = difference(program_.values[which], got[i]);
      }
    } catch (const std::exception& e) {
      wrong = e.what();
    }
    if (wrong.empty()) return true;
    std::printf("seed %llu, %s, v%zu: %s\n%s", static_cast<unsigned long long>(seed_), way, which, wrong.c_str(),
                text(program_).c_str());
    return false;
  }

  uint64_t seed_;
  Generator generator_;
  std::string frit_;
  Program program_;
};

}  // namespace

int main(int argc, char** argv) {
  uint64_t seed = 1, count = 100;
  double seconds = 0;
  std::string frit;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    if (name == "--seed")
      seed = std::strtoull(argv[i + 1], nullptr, 10);
    else if (name == "--count")
      count = std::strtoull(argv[i + 1], nullptr, 10);
    else if (name == "--seconds")
      seconds = std::strtod(argv[i + 1], nullptr);
    else if (name == "--frit")
      frit = argv[i + 1];
    else
      return std::fprintf(stderr, "unknown option %s\n", argv[i]), 2;
  }
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  uint64_t done = 0, wrong = 0;
  for (; seconds > 0 ? elapsed() < seconds : done < count; ++done)
    if (!Fuzzer(seed + done, frit).run() && ++wrong == 5) break;
  std::printf("%llu programs, %llu wrong\n", static_cast<unsigned long long>(done),
              static_cast<unsigned long long>(wrong));
  return wrong ? 1 : 0;
}
