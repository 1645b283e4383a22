// The graphs that bench_vulkan times and checks, as texts.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// Replaces N, M and the like by numbers.
inline std::string sized(std::string text, const std::vector<std::pair<std::string, int64_t>>& sizes) {
  for (const auto& [name, size] : sizes)
    for (size_t at; (at = text.find("<" + name + ">")) != std::string::npos;)
      text.replace(at, name.size() + 2, std::to_string(size));
  return text;
}

inline constexpr const char* kGelu = R"(func @gelu(%x: f32[<n>, <m>]) -> f32[<n>, <m>] {
  %root: f32[] = constant 1.4142135
  %a: f32[<n>, <m>] = broadcast %root {shape=[<n>, <m>]}
  %b: f32[<n>, <m>] = divide %x, %a
  %c: f32[<n>, <m>] = erf %b
  %one: f32[] = constant 1
  %d: f32[<n>, <m>] = broadcast %one {shape=[<n>, <m>]}
  %e: f32[<n>, <m>] = add %c, %d
  %half: f32[] = constant 0.5
  %f: f32[<n>, <m>] = broadcast %half {shape=[<n>, <m>]}
  %g: f32[<n>, <m>] = multiply %x, %f
  %h: f32[<n>, <m>] = multiply %g, %e
  return %h
})";

inline constexpr const char* kSoftmax = R"(func @softmax(%x: f32[<n>, <m>]) -> f32[<n>, <m>] {
  %0: f32[<n>, 1] = max %x {axes=[1], keepdims=true}
  %1: f32[<n>, <m>] = broadcast %0 {shape=[<n>, <m>]}
  %2: f32[<n>, <m>] = subtract %x, %1
  %3: f32[<n>, <m>] = exp %2
  %4: f32[<n>, 1] = sum %3 {axes=[1], keepdims=true}
  %5: f32[<n>, <m>] = broadcast %4 {shape=[<n>, <m>]}
  %6: f32[<n>, <m>] = divide %3, %5
  return %6
})";

inline constexpr const char* kRmsNorm = R"(func @rms_norm(%x: f32[<n>, <m>], %w: f32[<m>]) -> f32[<n>, <m>] {
  %0: f32[<n>, <m>] = square %x
  %1: f32[<n>, 1] = mean %0 {axes=[1], keepdims=true}
  %2: f32[] = constant 0.00001
  %3: f32[<n>, 1] = broadcast %2 {shape=[<n>, 1]}
  %4: f32[<n>, 1] = add %1, %3
  %5: f32[<n>, 1] = rsqrt %4
  %6: f32[<n>, <m>] = broadcast %5 {shape=[<n>, <m>]}
  %7: f32[<n>, <m>] = multiply %x, %6
  %8: f32[<n>, <m>] = broadcast %w {shape=[<n>, <m>]}
  %9: f32[<n>, <m>] = multiply %7, %8
  return %9
})";

inline constexpr const char* kSwiglu = R"(func @swiglu(%x: f32[<n>, <m>], %y: f32[<n>, <m>]) -> f32[<n>, <m>] {
  %0: f32[<n>, <m>] = sigmoid %x
  %1: f32[<n>, <m>] = multiply %x, %0
  %2: f32[<n>, <m>] = multiply %1, %y
  return %2
})";

inline constexpr const char* kCopy = R"(func @copy(%x: f32[<n>]) -> f32[<n>] {
  %0: f32[<n>] = negative %x
  return %0
})";

inline constexpr const char* kSum = R"(func @sum(%x: f32[<n>]) -> f32[] {
  %0: f32[] = sum %x {axes=[0]}
  return %0
})";

inline constexpr const char* kColumns = R"(func @columns(%x: f32[<n>, <m>]) -> f32[<m>] {
  %0: f32[<m>] = sum %x {axes=[0]}
  return %0
})";

inline constexpr const char* kSoftmaxColumns = R"(func @softmax_columns(%x: f32[<n>, <m>]) -> f32[<n>, <m>] {
  %0: f32[1, <m>] = max %x {axes=[0], keepdims=true}
  %1: f32[<n>, <m>] = broadcast %0 {shape=[<n>, <m>]}
  %2: f32[<n>, <m>] = subtract %x, %1
  %3: f32[<n>, <m>] = exp %2
  %4: f32[1, <m>] = sum %3 {axes=[0], keepdims=true}
  %5: f32[<n>, <m>] = broadcast %4 {shape=[<n>, <m>]}
  %6: f32[<n>, <m>] = divide %3, %5
  return %6
})";

inline constexpr const char* kArgmax = R"(func @argmax(%x: f32[<n>, <m>]) -> u32[<n>] {
  %0: u32[<n>] = argmax %x {axes=[1]}
  return %0
})";

inline constexpr const char* kRows = R"(func @rows(%x: f32[<n>, <m>]) -> f32[<n>] {
  %0: f32[<n>, <m>] = square %x
  %1: f32[<n>] = sum %0 {axes=[1]}
  return %1
})";

inline constexpr const char* kTranspose = R"(func @transpose(%x: f32[<n>, <m>]) -> f32[<m>, <n>] {
  %0: f32[<m>, <n>] = transpose %x {axes=[1, 0]}
  %1: f32[<m>, <n>] = negative %0
  return %1
})";

inline std::string matmul(const std::string& type) {
  return "func @matmul(%a: " + type + "[<n>, <n>], %b: " + type + "[<n>, <n>]) -> " + type +
         "[<n>, <n>] {\n  %0: " + type + "[<n>, <n>] = matmul %a, %b\n  return %0\n}";
}

// The graph of another element type.
inline std::string typed(std::string text, const std::string& type) {
  for (size_t at; type != "f32" && (at = text.find("f32[")) != std::string::npos;) text.replace(at, 3, type);
  return text;
}

struct Shape {
  int64_t batch, m, k, n;
  bool transposed = false;  // the right operand lies along k
};

inline std::string product(const std::string& type, const Shape& s) {
  auto shape = [&](int64_t rows, int64_t columns) {
    return type + "[" + std::to_string(s.batch) + ", " + std::to_string(rows) + ", " + std::to_string(columns) + "]";
  };
  const std::string right = shape(s.k, s.n), result = shape(s.m, s.n);
  return "func @matmul(%a: " + shape(s.m, s.k) + ", %b: " + (s.transposed ? shape(s.n, s.k) : right) + ") -> " +
         result + " {\n" + (s.transposed ? "  %t: " + right + " = transpose %b {axes=[0, 2, 1]}\n" : "") +
         "  %0: " + result + " = matmul %a, %" + (s.transposed ? "t" : "b") + "\n  return %0\n}";
}

// A product, a bias and silu: one launch.
inline std::string layer(const std::string& type) {
  std::string text =
      "func @layer(%a: T[<n>, <n>], %b: T[<n>, <n>], %c: T[<n>]) -> T[<n>, <n>] {\n  %0: T[<n>, <n>] = matmul %a, %b\n"
      "  %1: T[<n>, <n>] = broadcast %c {shape=[<n>, <n>]}\n  %2: T[<n>, <n>] = add %0, %1\n  %3: T[<n>, <n>] = sigmoid %2\n"
      "  %4: T[<n>, <n>] = multiply %2, %3\n  return %4\n}";
  for (size_t at; (at = text.find("T[")) != std::string::npos;) text.replace(at, 1, type);
  return text;
}

// Two products with a softmax between them; `mode` is "", "causal" or "mask".
inline std::string attention(const std::string& type, const Shape& s, const std::string& mode) {
  std::string text =
      R"(func @attention(%q: T[<b>, <m>, <k>], %k: T[<b>, <n>, <k>], %v: T[<b>, <n>, <k>]<p>) -> T[<b>, <m>, <k>] {
  %kt: T[<b>, <k>, <n>] = transpose %k {axes=[0, 2, 1]}
  %0: T[<b>, <m>, <n>] = matmul %q, %kt
  %c: T[] = constant 0.125
  %1: T[<b>, <m>, <n>] = broadcast %c {shape=[<b>, <m>, <n>]}
  %2: T[<b>, <m>, <n>] = multiply %0, %1
<mask>  %4: T[<b>, <m>, <n>] = softmax %3 {axes=[2]}
  %5: T[<b>, <m>, <k>] = matmul %4, %v
  return %5
})";
  const std::string masks[] = {
      "", "  %w: T[<b>, <m>, <n>] = broadcast %mask {shape=[<b>, <m>, <n>]}\n  %3: T[<b>, <m>, <n>] = add %2, %w\n",
      "  %i: i32[<m>, <n>] = iota {axis=0, dtype=i32, shape=[<m>, <n>]}\n  %j: i32[<m>, <n>] = iota {axis=1, dtype=i32, "
      "shape=[<m>, <n>]}\n  %l: bool[<m>, <n>] = less_equal %j, %i\n  %w: bool[<b>, <m>, <n>] = broadcast %l {shape=[<b>, "
      "<m>, <n>]}\n  %h: T[] = constant -60000\n  %g: T[<b>, <m>, <n>] = broadcast %h {shape=[<b>, <m>, <n>]}\n  %3: "
      "T[<b>, <m>, <n>] = select %w, %2, %g\n"};
  const auto put = [&](const std::string& mark, const std::string& by) {
    for (size_t at; (at = text.find(mark)) != std::string::npos;) text.replace(at, mark.size(), by);
  };
  put("<mask>", masks[mode == "mask" ? 1 : mode == "causal" ? 2 : 0]);
  if (mode.empty()) put("softmax %3", "softmax %2");
  put("<p>", mode == "mask" ? ", %mask: T[<m>, <n>]" : "");
  put("T[", type + "[");
  return sized(text, {{"b", s.batch}, {"m", s.m}, {"k", s.k}, {"n", s.n}});
}

// A convolution, or with `of_weights` its derivative for the weights: `space` axes of `side` elements, zeros around
// them so that a stride of one keeps their number.
struct ConvolutionShape {
  int64_t batch, side, channels, features, kernel, stride = 1, groups = 1;
  int space = 2;
  bool of_weights = false;
  int64_t out() const { return (side + kernel / 2 * 2 - kernel) / stride + 1; }
  double products() const {
    double n = static_cast<double>(batch * features * channels / groups);
    for (int i = 0; i < space; ++i) n *= static_cast<double>(out() * kernel);
    return n;
  }
};

inline std::string convolution(const std::string& type, const ConvolutionShape& c) {
  const auto repeated = [&](int64_t n) {
    std::string text = std::to_string(n);
    for (int i = 1; i < c.space; ++i) text += ", " + std::to_string(n);
    return text;
  };
  const auto array = [&](int64_t first, int64_t side, int64_t last) {
    return type + "[" + std::to_string(first) + ", " + repeated(side) + ", " + std::to_string(last) + "]";
  };
  const std::string x = array(c.batch, c.side, c.channels), w = array(c.features, c.kernel, c.channels / c.groups),
                    y = array(c.batch, c.out(), c.features), pad = repeated(c.kernel / 2);
  const std::string attributes = "strides=[" + repeated(c.stride) + "], low=[" + pad +
                                 "], groups=" + std::to_string(c.groups) +
                                 (c.of_weights ? ", kernel=[" + repeated(c.kernel) : ", high=[" + pad) + "]";
  const std::string result = c.of_weights ? w : y;
  return "func @convolution(%x: " + x + ", %y: " + (c.of_weights ? y : w) + ") -> " + result + " {\n  %0: " + result +
         " = convolution" + (c.of_weights ? "_weights" : "") + " %x, %y {" + attributes + "}\n  return %0\n}";
}
