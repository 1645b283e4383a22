// Draws graphs of families and compares results of the GPU with the interpreter, or with a definition.
#include "bench/vulkan/check.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "bench/vulkan/graphs.h"
#include "codegen/core/backend.h"
#include "ir/interpret/interpreter.h"
#include "ir/read/parser.h"
#include "runtime/execute/gpu.h"
#include "runtime/execute/library.h"

namespace {

using namespace frit;
using Random = std::mt19937_64;

// A draw is a graph and how far from the interpreter's results the GPU's may be, as a part of the largest one. No
// distance asks for the same bits.
struct Drawn {
  std::string text;
  double allowed = 0;
  std::string exact = {};  // the graph in float32 where the interpreter would round between its operations
  // The distance of the results by a definition of its own, where the interpreter would take too long.
  std::function<double(const std::vector<ir::Tensor>& inputs, const ir::Tensor& got, Random&)> distance = {};
};

int64_t between(Random& r, int64_t low, int64_t high) {
  return low + static_cast<int64_t>(r() % static_cast<uint64_t>(high - low + 1));
}
template <class T>
const T& pick(Random& r, const std::vector<T>& all) {
  return all[r() % all.size()];
}
// A size of every order of magnitude, often next to a power of two.
int64_t length(Random& r, int64_t most) {
  const int bits = static_cast<int>(between(r, 0, 63 - __builtin_clzll(static_cast<uint64_t>(most))));
  const int64_t n = int64_t{1} << bits;
  return std::clamp<int64_t>(r() % 3 ? between(r, n, 2 * n) : 2 * n + between(r, -1, 1), 1, most);
}

std::string number(int64_t v) { return std::to_string(v); }
std::string matrix(const std::string& type, int64_t rows, int64_t n) {
  return type + "[" + number(rows) + ", " + number(n) + "]";
}

// One operation on rows that lie along an axis of their own, or across it.
std::string on_rows(const std::string& op, const std::string& attributes, const std::string& from,
                    const std::string& to, int64_t rows, int64_t n, int64_t m, bool across) {
  const std::string x = matrix(from, rows, n), y = matrix(to, rows, m);
  return "func @f(%x: " + (across ? matrix(from, n, rows) : x) + ") -> " + y + " {\n" +
         (across ? "  %t: " + x + " = transpose %x {axes=[1, 0]}\n" : "") + "  %0: " + y + " = " + op +
         (across ? " %t" : " %x") + attributes + "\n  return %0\n}";
}

Drawn draw_sort(Random& r) {
  const std::string type = pick<std::string>(r, {"f32", "f32", "i32", "u32", "f16", "bf16", "i64", "f64", "u8", "i16"});
  const std::string op = pick<std::string>(r, {"sort", "argsort", "partition", "argpartition", "topk"});
  const int64_t n = length(r, r() % 4 ? 100000 : 3000000), rows = length(r, std::max<int64_t>(1, 2000000 / n));
  const int64_t k = r() % 2 ? between(r, 1, std::min<int64_t>(n, 600)) : between(r, 1, n);
  const bool places = op[0] == 'a';
  const std::string attributes = op == "topk"                                ? " {k=" + number(k) + "}"
                                 : op.find("partition") != std::string::npos ? " {kth=" + number(k - 1) + "}"
                                                                             : "";
  return {on_rows(op, attributes, type, places ? "u32" : type, rows, n, op == "topk" ? k : n, r() % 4 == 0)};
}

double part(const ir::Tensor& t, int64_t i, bool imaginary) {
  if (t.dtype != complex64) return imaginary ? 0 : t.at(i);
  float v;
  std::memcpy(&v, t.data.data() + i * 8 + (imaginary ? 4 : 0), 4);
  return v;
}

struct Transform {
  std::string op;
  int64_t rows, n, norm;
  bool inverse, across;
};

// Some results beside the sums that define them; the largest of those results stands for the largest of all.
double transform_distance(const Transform& t, const ir::Tensor& x, const ir::Tensor& got, Random& r) {
  const int64_t from = t.op == "irfft" ? t.n / 2 + 1 : t.n, to = t.op == "rfft" ? t.n / 2 + 1 : t.n;
  const auto n = static_cast<double>(t.n);
  const double scale = t.norm == 0 ? 1 : t.norm == 1 ? 1 / std::sqrt(n) : 1 / n;
  double off = 0, most = 1e-30;
  for (int sample = 0; sample < 40; ++sample) {
    const int64_t row = between(r, 0, t.rows - 1), k = sample == 0 ? 0 : between(r, 0, to - 1);
    double re = 0, im = 0;
    for (int64_t j = 0; j < t.n; ++j) {
      const bool mirrored = t.op == "irfft" && 2 * j > t.n;
      const int64_t i = mirrored ? t.n - j : j, at = t.across ? i * t.rows + row : row * from + i;
      const bool real = t.op == "irfft" && (i == 0 || 2 * i == t.n);
      const double a = part(x, at, false), b = real ? 0 : mirrored ? -part(x, at, true) : part(x, at, true);
      const double angle = (t.inverse ? 2 : -2) * 3.14159265358979323846 * static_cast<double>(j * k % t.n) / n;
      re += a * std::cos(angle) - b * std::sin(angle);
      im += a * std::sin(angle) + b * std::cos(angle);
    }
    re *= scale, im *= t.op == "irfft" ? 0 : scale;
    const double d = std::hypot(re - part(got, row * to + k, false), im - part(got, row * to + k, true));
    most = std::max(most, std::hypot(re, im));
    off = d <= off ? off : d;  // keeps NaN
  }
  return off / most;
}

Drawn draw_fft(Random& r) {
  const std::string op = pick<std::string>(r, {"fft", "fft", "rfft", "irfft"});
  const int64_t most = r() % 4 ? 20000 : 1 << 21;
  int64_t n = length(r, most);
  if (r() % 3 == 0) n = std::min(most, int64_t{1} << between(r, 0, 21));
  if (r() % 3 == 0) {
    n = 1;
    for (const int64_t least = r() % 2 ? 200 : between(r, 2048, most); n < least || n == 1;)
      n *= pick<int64_t>(r, {2, 3, 5, 7, 4});
  }
  if (op == "irfft") n = std::max<int64_t>(n, 2);
  const int64_t rows = length(r, std::max<int64_t>(1, 500000 / n)), half = n / 2 + 1;
  const Transform t{op, rows, n, between(r, 0, 2), op == "irfft" || (op == "fft" && r() % 2), r() % 4 == 0};
  std::string attributes = " {norm=" + number(t.norm);
  if (op == "fft") attributes += std::string(", inverse=") + (t.inverse ? "true" : "false");
  if (op == "irfft") attributes += ", n=" + number(n);
  return {on_rows(op, attributes + "}", op == "rfft" ? "f32" : "c64", op == "irfft" ? "f32" : "c64", rows,
                  op == "irfft" ? half : n, op == "rfft" ? half : n, t.across),
          1e-6,
          {},
          [t](const std::vector<ir::Tensor>& inputs, const ir::Tensor& got, Random& random) {
            return transform_distance(t, inputs[0], got, random);
          }};
}

double rounding_of(const std::string& type) { return type == "f32" ? 1e-5 : type == "f16" ? 2e-3 : 1.6e-2; }

Drawn draw_product(Random& r) {
  const std::string type = pick<std::string>(r, {"f32", "f16", "bf16"});
  Shape s{r() % 3 ? 1 : between(r, 2, 40), length(r, 700), length(r, 700), length(r, 700), r() % 2 == 0};
  if (s.batch > 1) s.m = length(r, 100), s.n = length(r, 100);
  return {product(type, s), rounding_of(type), product("f32", s)};
}

// A product of many tiles, either operand along either axis, at sampled places beside the sums that define it.
Drawn draw_large_product(Random& r) {
  const std::string type = pick<std::string>(r, {"f16", "bf16"});
  const int64_t unit = r() % 8 ? 8 : 1, batch = r() % 3 ? 1 : between(r, 2, 5);
  const auto size = [&](int64_t low, int64_t high) { return between(r, low / unit, high / unit) * unit; };
  const int64_t m = size(900, 3000), n = size(2000, 4000), k = r() % 2 ? size(8, 600) : 64 * between(r, 1, 9);
  const bool a_columns = r() % 2, b_columns = r() % 2, one = batch > 1 && r() % 3 == 0;
  const auto shape = [&](int64_t count, int64_t rows, int64_t columns) {
    return type + "[" + number(count) + ", " + number(rows) + ", " + number(columns) + "]";
  };
  const int64_t count = one ? 1 : batch;
  const std::string result = shape(batch, m, n), turn = " {axes=[0, 2, 1]}\n";
  std::string text = "func @large(%a: " + (a_columns ? shape(batch, k, m) : shape(batch, m, k)) +
                     ", %b: " + (b_columns ? shape(count, n, k) : shape(count, k, n)) + ") -> " + result + " {\n";
  if (a_columns) text += "  %x: " + shape(batch, m, k) + " = transpose %a" + turn;
  if (b_columns) text += "  %y: " + shape(count, k, n) + " = transpose %b" + turn;
  std::string right = b_columns ? "%y" : "%b";
  if (one) {
    text += "  %w: " + shape(batch, k, n) + " = broadcast " + right + " {shape=[" + number(batch) + ", " + number(k) +
            ", " + number(n) + "]}\n";
    right = "%w";
  }
  text += "  %0: " + result + " = matmul " + (a_columns ? "%x" : "%a") + ", " + right + "\n  return %0\n}";
  return {
      text, rounding_of(type), {}, [=](const std::vector<ir::Tensor>& inputs, const ir::Tensor& got, Random& random) {
        double off = 0, most = 1e-30;
        for (int sample = 0; sample < 400; ++sample) {
          // The last row and column among them.
          const int64_t b = between(random, 0, batch - 1), i = sample % 20 ? between(random, 0, m - 1) : m - 1,
                        j = sample % 21 ? between(random, 0, n - 1) : n - 1, own = one ? 0 : b;
          double sum = 0;
          for (int64_t s = 0; s < k; ++s)
            sum += inputs[0].at(a_columns ? (b * k + s) * m + i : (b * m + i) * k + s) *
                   inputs[1].at(b_columns ? (own * n + j) * k + s : (own * k + s) * n + j);
          const double d = std::abs(sum - got.at((b * m + i) * n + j));
          most = std::max(most, std::abs(sum));
          off = d <= off ? off : d;  // keeps NaN
        }
        return off / most;
      }};
}

Drawn draw_convolution(Random& r) {
  const std::string type = pick<std::string>(r, {"f32", "f16", "bf16"});
  ConvolutionShape c;
  c.space = static_cast<int>(pick<int64_t>(r, {1, 2, 2, 2, 3}));
  c.kernel = pick<int64_t>(r, {1, 3, 3, 5});
  c.batch = between(r, 1, 3);
  c.stride = pick<int64_t>(r, {1, 1, 2});
  c.side = between(r, 5, c.space == 1 ? 3000 : c.space == 2 ? 40 : 10);
  c.groups = pick<int64_t>(r, {1, 1, 1, 2, 24, 64});
  const int64_t channels = c.groups > 2 ? between(r, 1, 2) : pick<int64_t>(r, {3, 8, 16, 24, 61, 64, 128, 160});
  const int64_t features = c.groups > 2 ? between(r, 1, 2) : pick<int64_t>(r, {5, 8, 16, 33, 64, 96, 130});
  c.channels = c.groups * channels, c.features = c.groups * features;
  c.of_weights = r() % 3 == 0;
  while (c.products() > 1e7 && c.batch * c.channels > c.groups)
    c.batch = std::max<int64_t>(1, c.batch / 2),
    c.channels = std::max<int64_t>(1, c.channels / c.groups / 2) * c.groups;
  return {convolution(type, c), rounding_of(type), convolution("f32", c)};
}

// A convolution of many tiles of 16-bit elements, at sampled places beside the sums that define it.
Drawn draw_large_convolution(Random& r) {
  const std::string type = pick<std::string>(r, {"f16", "bf16"});
  ConvolutionShape c;
  c.space = static_cast<int>(pick<int64_t>(r, {1, 2, 2, 3}));
  c.kernel = pick<int64_t>(r, {1, 2, 3, 3, 5});
  c.batch = between(r, 1, 6);
  c.stride = pick<int64_t>(r, {1, 1, 2});
  c.side = c.space == 1 ? between(r, 3000, 12000) : c.space == 2 ? between(r, 50, 110) : between(r, 16, 24);
  c.channels = r() % 2 ? 8 * between(r, 1, 20) : between(r, 3, 130);
  c.features = between(r, 40, 330);
  const auto place = [=](int64_t i, std::array<int64_t, 3>& at, int64_t side) {
    for (int axis = c.space; axis-- > 0; i /= side) at[static_cast<size_t>(axis)] = i % side;
    return i;
  };
  int64_t positions = c.batch, taps = 1;
  for (int i = 0; i < c.space; ++i) positions *= c.out(), taps *= c.kernel;
  return {convolution(type, c),
          rounding_of(type),
          {},
          [=](const std::vector<ir::Tensor>& inputs, const ir::Tensor& got, Random& random) {
            double off = 0, most = 1e-30;
            for (int sample = 0; sample < 300; ++sample) {
              // The last position and feature among them.
              const int64_t p = sample % 20 ? between(random, 0, positions - 1) : positions - 1,
                            f = sample % 21 ? between(random, 0, c.features - 1) : c.features - 1;
              std::array<int64_t, 3> at{}, tap{};
              const int64_t image = place(p, at, c.out());
              double sum = 0;
              for (int64_t t = 0; t < taps; ++t) {
                place(t, tap, c.kernel);
                int64_t from = image;
                bool there = true;
                for (size_t axis = 0; axis < static_cast<size_t>(c.space); ++axis) {
                  const int64_t x = at[axis] * c.stride - c.kernel / 2 + tap[axis];
                  there = there && x >= 0 && x < c.side;
                  from = from * c.side + x;
                }
                for (int64_t k = 0; there && k < c.channels; ++k)
                  sum += inputs[0].at(from * c.channels + k) * inputs[1].at((f * taps + t) * c.channels + k);
              }
              const double d = std::abs(sum - got.at(p * c.features + f));
              most = std::max(most, std::abs(sum));
              off = d <= off ? off : d;  // keeps NaN
            }
            return off / most;
          }};
}

Drawn draw_attention(Random& r) {
  const std::string type = pick<std::string>(r, {"f32", "f16", "bf16"});
  const std::string mode = pick<std::string>(r, {"", "causal", "mask"});
  const int64_t m = r() % 3 ? between(r, 32, 300) : between(r, 1, 8);
  const Shape s{between(r, 1, 6), m, pick<int64_t>(r, {16, 64, 128, 40, 33}), mode == "causal" ? m : length(r, 700)};
  return {attention(type, s, mode), 2 * rounding_of(type), attention("f32", s, mode)};
}

Drawn draw_rows(Random& r) {
  const std::string type = pick<std::string>(r, {"f32", "f16", "bf16"});
  const int64_t n = length(r, 9000), rows = length(r, 1000000 / n);
  const char* const graph = pick<const char*>(r, {kSoftmax, kRmsNorm, kSoftmaxColumns, kRows, kColumns, kTranspose});
  // A sum of more powers has no number in f16.
  const int64_t most = graph == kSoftmaxColumns && type == "f16" ? 65504 : rows;
  const std::string text = sized(graph, {{"n", std::min(rows, most)}, {"m", n}});
  return {typed(text, type), rounding_of(type) * (graph == kRows || graph == kColumns ? 4 : 2), text};
}

// Along rows and across them, both ways.
Drawn draw_scan(Random& r) {
  const std::string type = pick<std::string>(r, {"f32", "f16", "bf16", "i32"}),
                    op = pick<std::string>(r, {"cumsum", "cummax", "cummin"});
  const int64_t n = length(r, r() % 4 ? 9000 : 400000), rows = length(r, std::max<int64_t>(1, 500000 / n));
  const auto flag = [&] { return std::string(r() % 2 ? "true" : "false"); };
  const auto text = [shape = "[" + number(rows) + ", " + number(n) + "]", op,
                     attributes = " {axis=" + number(r() % 4 ? 1 : 0) + ", reverse=" + flag() +
                                  ", inclusive=" + (op == "cumsum" ? flag() : "true") + "}"](const std::string& t) {
    return "func @scan(%x: " + t + shape + ") -> " + t + shape + " {\n  %0: " + t + shape + " = " + op + " %x" +
           attributes + "\n  return %0\n}";
  };
  if (type == "i32") return {text(type)};
  return {text(type), rounding_of(type), text("f32")};
}

// Updates of an element, in their order.
Drawn draw_scatter(Random& r) {
  const std::string type = pick<std::string>(r, {"f32", "f16", "i32"}),
                    op = pick<std::string>(r, {"scatter_add", "scatter_add", "scatter_max", "scatter"});
  const int64_t row = length(r, 200), updates = length(r, std::max<int64_t>(1, 400000 / row)), rows = length(r, 20000);
  const std::string result = matrix(type, rows, row), places = "i32[" + number(updates) + "]";
  return {"func @scatter(%x: " + result + ", %i: " + places + ", %u: " + type + "[" + number(updates) + ", 1, " +
          number(row) + "]) -> " + result + " {\n  %c: i32[] = constant " + number(rows) + "\n  %b: " + places +
          " = broadcast %c {shape=[" + number(updates) + "]}\n  %k: " + places +
          " = remainder %i, %b\n  %0: " + result + " = " + op + " %x, %k, %u {axes=[0]}\n  return %0\n}"};
}

// Any bits of f32 as numbers of 16 bits; often halfway between two of those, and every other time as results of
// arithmetic: those are twice a number that stays normal. NaNs have no bits of their own.
Drawn draw_rounding(Random& r) {
  const int64_t n = length(r, 1000000);
  const bool computed = r() % 2;
  const std::string m = "[" + number(n) + "]", type = pick<std::string>(r, {"bf16", "bf16", "f16"}),
                    kept = pick<std::string>(r, {"-1", "-32768", "-4096"});
  std::string text = "func @rounding(%x: i32" + m + ") -> u16" + m + " {\n  %c: i32[] = constant " + kept +
                     "\n  %b: i32" + m + " = broadcast %c {shape=" + m + "}\n  %k: i32" + m +
                     " = bitwise_and %x, %b\n  %f: f32" + m + " = bitcast %k {dtype=f32}\n  %n: bool" + m +
                     " = isnan %f\n  %o: f32[] = constant 1\n  %p: f32" + m + " = broadcast %o {shape=" + m +
                     "}\n  %s: f32" + m + " = select %n, %p, %f\n";
  if (computed)
    text += "  %a: f32" + m + " = abs %s\n  %t: f32[] = constant 1e-37\n  %u: f32" + m + " = broadcast %t {shape=" + m +
            "}\n  %l: bool" + m + " = less %a, %u\n  %v: f32" + m + " = select %l, %p, %s\n  %w: f32" + m +
            " = add %v, %v\n";
  text += "  %h: " + type + m + " = astype " + (computed ? "%w" : "%s") + " {dtype=" + type + "}\n  %r: u16" + m +
          " = bitcast %h {dtype=u16}\n  return %r\n}";
  return {text};
}

// Sums, differences and products of several operands, some of them of a row or a column alone.
Drawn draw_chain(Random& r) {
  const std::string type = pick<std::string>(r, {"f32", "f32", "bf16", "f16", "i32", "u8", "i16", "i64"});
  const int64_t a = length(r, 3000), b = length(r, std::max<int64_t>(1, 300000 / a)), count = between(r, 2, 24);
  const std::string all = matrix(type, a, b);
  std::string head = "func @chain(", body, last;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t form = i ? between(r, 0, 7) : 7;
    const std::string x = "%x" + number(i), own = form > 1 ? all : form ? matrix(type, 1, b) : matrix(type, a, 1);
    head += (i ? ", " : "") + x + ": " + own;
    std::string full = x;
    if (form < 2) {
      full = "%b" + number(i);
      body += "  " + full + ": " + all + " = broadcast " + x + " {shape=[" + number(a) + ", " + number(b) + "]}\n";
    }
    const std::string to = "%y" + number(i);
    if (i)
      body += "  " + to + ": " + all + " = " + pick<std::string>(r, {"add", "subtract", "multiply"}) + " " + last +
              ", " + full + "\n";
    last = i ? to : full;
  }
  return {head + ") -> " + all + " {\n" + body + "  return " + last + "\n}"};
}

// Places of extremes along rows and columns of any number.
Drawn draw_places(Random& r) {
  const std::string type = pick<std::string>(r, {"f32", "f16", "bf16", "i32", "u8"}),
                    op = pick<std::string>(r, {"argmax", "argmin"});
  const int64_t n = length(r, 1000000), m = length(r, std::max<int64_t>(1, 1000000 / n)), axis = between(r, 0, 1);
  const std::string out = "u32[" + number(axis ? n : m) + "]";
  return {"func @places(%x: " + matrix(type, n, m) + ") -> " + out + " {\n  %0: " + out + " = " + op + " %x {axes=[" +
          number(axis) + "]}\n  return %0\n}"};
}

ir::Tensor random_tensor(const ir::Type& t, bool exact, Random& r) {
  std::vector<int64_t> shape;
  for (const Dim& d : t.shape) shape.push_back(d.value());
  ir::Tensor x(t.dtype, shape);
  const bool few = exact && r() % 4 == 0;  // equal elements
  for (int64_t i = 0; i < x.size(); ++i) {
    const double v = few ? static_cast<double>(r() % 5) : static_cast<double>(r() >> 11) * 0x1p-52 - 1;
    if (t.dtype == complex64) {
      const float parts[] = {static_cast<float>(v), static_cast<float>(r() >> 40) * 0x1p-23f - 1};
      std::memcpy(x.data.data() + i * 8, parts, 8);
    } else {
      x.set_bits(i, is_float(t.dtype) || few ? ir::double_to_bits(t.dtype, v)
                                             : r() & (~uint64_t{0} >> (64 - 8 * t.dtype.size())));
    }
  }
  return x;
}

runtime::Tensor placed(runtime::Gpu& gpu, const ir::Tensor& x) {
  runtime::Tensor out;
  out.dtype = x.dtype;
  out.shape.resize(x.shape.size());
  out.strides.resize(x.shape.size());
  int64_t stride = 1;
  for (size_t i = x.shape.size(); i-- > 0; stride *= x.shape[i]) out.shape[i] = x.shape[i], out.strides[i] = stride;
  auto memory = gpu.allocate(std::max<size_t>(16, x.data.size()));
  if (memory.ok() && gpu.write(**memory, 0, x.data.data(), x.data.size()).ok()) out.buffer = *memory;
  return out;
}

// The largest difference as a part of the largest number; of bits, the elements that differ.
double difference(const ir::Tensor& want, const ir::Tensor& got, bool bits) {
  double off = 0, most = 1e-30;
  for (int64_t i = 0; i < want.size(); ++i) {
    if (bits) {
      off += want.bits(i) != got.bits(i);
      continue;
    }
    const double a = std::hypot(part(want, i, false), part(want, i, true)),
                 d = std::hypot(part(want, i, false) - part(got, i, false), part(want, i, true) - part(got, i, true));
    most = std::max(most, a);
    off = d <= off ? off : d;  // keeps NaN
  }
  return off / (bits ? 1 : most);
}

// Empty, or what is wrong.
std::string wrong(const Drawn& d, Random& r, double* worst) {
  auto module = ir::parse(d.text, "check"), exact = ir::parse(d.exact.empty() ? d.text : d.exact, "check");
  if (!module.ok() || !exact.ok()) return "the graph cannot be read: " + (module.ok() ? exact : module).error().str();
  ir::Function& f = *(*module)->functions.at(0);
  const ir::Function& g = *(*exact)->functions.at(0);
  auto gpu = runtime::find_gpu();
  if (!gpu.ok()) return gpu.error().str();
  codegen::CompileOptions options;
  options.target.backend = "glsl";
  auto code = codegen::compile(f, options);
  if (!code.ok()) return code.error().str();
  std::vector<ir::Tensor> inputs, numbers;
  std::vector<runtime::Tensor> arguments;
  for (ir::ValueId p : f.params) {
    inputs.push_back(random_tensor(f.type(p), d.allowed == 0, r));
    arguments.push_back(placed(**gpu, inputs.back()));
    if (!arguments.back().buffer) return "no memory";
    if (d.exact.empty()) continue;
    numbers.emplace_back(float32, inputs.back().shape, inputs.back().values());
  }
  auto results = (*code)->run(arguments);
  if (!results.ok()) return results.error().str();
  auto host = runtime::to_host((*results)[0], **gpu);
  if (!host.ok()) return host.error().str();
  std::vector<int64_t> shape;
  for (size_t i = 0; i < host->shape.size(); ++i) shape.push_back(host->shape[i]);
  ir::Tensor got(host->dtype, shape);
  std::memcpy(got.data.data(), static_cast<const std::byte*>(host->buffer->data()) + host->offset * host->dtype.size(),
              got.data.size());
  double off = 0;
  if (d.distance) {
    off = d.distance(inputs, got, r);
  } else {
    auto want = ir::interpret(g, d.exact.empty() ? inputs : numbers);
    if (!want.ok()) return want.error().str();
    off = difference((*want)[0], got, d.allowed == 0);
  }
  *worst = std::max(*worst, off);
  if (!(off <= d.allowed)) return "it differs by " + std::to_string(off);
  return {};
}

}  // namespace

bool check_graphs(int count, uint64_t seed, const std::string& only) {
  if (auto gpu = runtime::find_gpu(); !gpu.ok()) {
    std::printf("skipped: %s\n", gpu.error().str().c_str());
    return true;
  }
  static std::string by_host;  // routines that the CPU computed
  runtime::set_host_routine_notice(
      [](std::string_view routine, std::string_view) { by_host += " " + std::string(routine); });
  const std::pair<const char*, Drawn (*)(Random&)> families[] = {{"sort", draw_sort},
                                                                 {"fft", draw_fft},
                                                                 {"matmul", draw_product},
                                                                 {"large_matmul", draw_large_product},
                                                                 {"attention", draw_attention},
                                                                 {"scan", draw_scan},
                                                                 {"rows", draw_rows},
                                                                 {"scatter", draw_scatter},
                                                                 {"places", draw_places},
                                                                 {"rounding", draw_rounding},
                                                                 {"chain", draw_chain},
                                                                 {"convolution", draw_convolution},
                                                                 {"large_convolution", draw_large_convolution}};
  bool good = true;
  for (const auto& [name, draw] : families) {
    if (!only.empty() && std::string(name).find(only) == std::string::npos) continue;
    Random random(seed);
    int bad = 0;
    double worst = 0;
    const auto begun = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) {
      const Drawn d = draw(random);
      const std::string why = wrong(d, random, &worst);
      if (why.empty()) continue;
      std::printf("draw %d of %s: %s\n%s\n", i, name, why.c_str(), d.text.c_str());
      ++bad;
    }
    std::printf("%-10s %d of %d differ, by at most %.2g; %.1f s\n", name, bad, count, worst,
                std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count());
    std::fflush(stdout);
    good = good && bad == 0;
  }
  if (!by_host.empty()) std::printf("the cpu computed%s\n", by_host.c_str());
  runtime::set_host_routine_notice(nullptr);
  return good;
}
