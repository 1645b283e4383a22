// The results of kernels, bit for bit: the order of accumulation, masks, locals, bindings; no access is undefined.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>

#include "ir/interpret/interpret_kernel.h"
#include "ir/math/expand.h"
#include "ir/read/kernel_parser.h"

namespace frit::ir {
namespace {

template <class T>
BufferSpan span_of(std::vector<T>& v) {
  return {reinterpret_cast<std::byte*>(v.data()), v.size() * sizeof(T)};
}

Kernel parsed(std::string_view text) {
  Result<Kernel> k = parse_kernel(text);
  EXPECT_TRUE(k.ok()) << (k.ok() ? "" : k.error().render(text));
  return k.ok() ? *std::move(k) : Kernel{};
}

std::string run(std::string_view text, std::vector<BufferSpan> buffers, std::vector<int64_t> symbols = {}) {
  Status s = interpret(parsed(text), buffers, symbols);
  return s.ok() ? "" : s.error().str();
}

std::vector<float> uneven(size_t n) {
  std::mt19937 random(7);
  std::vector<float> v(n);
  for (float& x : v)
    x = static_cast<float>(std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 40) - 50));
  return v;
}

TEST(KernelInterpreter, Elementwise) {
  std::vector<float> x{1, -2, 3.5f, 0}, out(4);
  EXPECT_EQ(run(R"(kernel @k(%x: f32[n] in, %out: f32[n] out; n) {
  parallel for i in n vector 8 unroll 2 {
    %0: f32 = load %x[i]
    %1: f32 = fma %0, 2, 1
    store %out[(n - 1) - i], %1
  }
})",
                {span_of(x), span_of(out)}, {4}),
            "");
  EXPECT_EQ(out, (std::vector<float>{1, 8, -3, 3}));
}

std::string sum_text(int lanes) {
  return "kernel @k(%x: f32[n] in, %out: f32[1] out; n) {\n  for r in n lanes " + std::to_string(lanes) +
         " acc %0: f32 = sum %1 {\n    %1: f32 = load %x[r]\n  }\n  store %out[0], %0\n}\n";
}

TEST(KernelInterpreter, LanesAreDealtInTurnAndFoldedByHalves) {
  for (size_t n : {size_t{0}, size_t{1}, size_t{5}, size_t{8}, size_t{77}, size_t{1000}}) {
    std::vector<float> x = uneven(n), out(1);
    for (int lanes : {0, 1, 2, 4, 8, 32}) {
      ASSERT_EQ(run(sum_text(lanes), {span_of(x), span_of(out)}, {static_cast<int64_t>(n)}), "");
      std::vector<float> s(static_cast<size_t>(std::max(lanes, 1)), 0.0f);
      for (size_t i = 0; i < n; ++i) s[i % s.size()] += x[i];
      // 0 with L/2, 1 with L/2 + 1, ..., then the lower half in the same way.
      while (s.size() > 1) {
        size_t half = s.size() / 2;
        std::vector<float> folded(half);
        for (size_t j = 0; j < half; ++j) folded[j] = s[j] + s[j + half];
        s = folded;
      }
      EXPECT_EQ(std::bit_cast<uint32_t>(out[0]), std::bit_cast<uint32_t>(s[0]))
          << n << " elements, " << lanes << " lanes";
    }
  }
}

TEST(KernelInterpreter, FourLanesByHand) {
  // At 1e8 a float holds only multiples of 8, so another order would give other digits.
  std::vector<float> x{1e8f, 1, -1e8f, 1, 16, 2, 16, 2}, out(1);
  ASSERT_EQ(run(sum_text(4), {span_of(x), span_of(out)}, {8}), "");
  float a = 1e8f + 16.0f, b = 1.0f + 2.0f, c = -1e8f + 16.0f, d = 1.0f + 2.0f;
  EXPECT_EQ(out[0], (a + c) + (b + d));
  EXPECT_EQ(out[0], 38.0f);
}

TEST(KernelInterpreter, VectorAndUnrollChangeNothing) {
  std::vector<float> x = uneven(100), out(1), again(1);
  ASSERT_EQ(run(sum_text(8), {span_of(x), span_of(out)}, {100}), "");
  std::string text = sum_text(8);
  text.replace(text.find("lanes"), 5, "vector 16 unroll 4 lanes");
  ASSERT_EQ(run(text, {span_of(x), span_of(again)}, {100}), "");
  EXPECT_EQ(out, again);
}

TEST(KernelInterpreter, IdentitiesOverNothing) {
  std::vector<float> f(4, 9);
  std::vector<int8_t> i(4, 9);
  std::vector<uint8_t> b(2, 9);
  ASSERT_EQ(run(R"(kernel @k(%f: f32[4] out, %i: i8[4] out, %b: bool[2] out; n) {
  for r in n acc %0: f32 = sum %8, %1: f32 = prod %8, %2: f32 = max %8, %3: f32 = min %8, %4: i8 = max %9, %5: i8 = min %9, %6: i8 = and %9, %7: i8 = or %9, %11: bool = max %10, %12: bool = and %10 {
    %8: f32 = const 5
    %9: i8 = const 5
    %10: bool = const true
  }
  store %f[0], %0
  store %f[1], %1
  store %f[2], %2
  store %f[3], %3
  store %i[0], %4
  store %i[1], %5
  store %i[2], %6
  store %i[3], %7
  store %b[0], %11
  store %b[1], %12
})",
                {span_of(f), span_of(i), span_of(b)}, {0}),
            "");
  float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(f, (std::vector<float>{0, 1, -inf, inf}));
  EXPECT_EQ(i, (std::vector<int8_t>{-128, 127, -1, 0}));
  EXPECT_EQ(b, (std::vector<uint8_t>{0, 1}));
}

std::vector<int64_t> arg_extremes(std::vector<float> x, int lanes) {
  std::vector<int64_t> out(2);
  std::string text = "kernel @k(%x: f32[n] in, %out: i64[2] out; n) {\n  for r in n lanes " + std::to_string(lanes) +
                     " acc %0: i64 = argmax %2 at %3, %1: i64 = argmin %2 at %3 {\n    %2: f32 = load %x[r]\n"
                     "    %3: i64 = index(r)\n  }\n  store %out[0], %0\n  store %out[1], %1\n}\n";
  EXPECT_EQ(run(text, {span_of(x), span_of(out)}, {static_cast<int64_t>(x.size())}), "");
  return out;
}

TEST(KernelInterpreter, ArgMaxAndArgMin) {
  float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  using Pair = std::vector<int64_t>;
  for (int lanes : {0, 1, 2, 4, 8}) {
    EXPECT_EQ(arg_extremes({3, 7, 1, 7, 1}, lanes), (Pair{1, 2})) << lanes;
    EXPECT_EQ(arg_extremes({3, 7, nan, 7, nan}, lanes), (Pair{2, 2})) << lanes;
    EXPECT_EQ(arg_extremes({0.0f, -0.0f, 0.0f}, lanes), (Pair{0, 0})) << lanes;
    EXPECT_EQ(arg_extremes({-inf, -inf}, lanes), (Pair{0, 0})) << lanes;
    EXPECT_EQ(arg_extremes({inf, inf, inf, inf, inf}, lanes), (Pair{0, 0})) << lanes;
    EXPECT_EQ(arg_extremes({5, 4, 3, 2, 1, 0}, lanes), (Pair{0, 5})) << lanes;
  }
}

TEST(KernelInterpreter, MasksLocalsAndBindings) {
  std::vector<float> x{10, 20, 30}, out(6, -1);
  std::vector<int64_t> at{2, 0, 1, 2, 5, -1};
  EXPECT_EQ(run(R"(kernel @gather(%x: f32[3] in, %at: i64[n] in, %out: f32[n] out; n) {
  local %row: f32[2] inout
  parallel for i in n {
    %0: i64 = load %at[i]
    %1: bool = ge %0, 0
    %2: bool = lt %0, 3
    %3: bool = and %1, %2
    bind k = %0 in [-1, 100]
    %4: f32 = load %x[k] mask %3
    store %row[1], %4
    for r in 1 acc %5: f32 = sum %6 {
      %6: f32 = load %row[r + 1]
    }
    %7: bool = ne %0, 1
    store %out[i], %5 mask %7
  }
})",
                {span_of(x), span_of(at), span_of(out)}, {6}),
            "");
  EXPECT_EQ(out, (std::vector<float>{30, 10, -1, 30, 0, 0}));
}

TEST(KernelInterpreter, HalvesBoolsAndNarrowIntegers) {
  std::vector<uint16_t> h{0x3c00, 0xc000};  // 1, -2
  std::vector<uint8_t> b{7, 0};             // any non-zero byte is true
  std::vector<int8_t> out(2);
  EXPECT_EQ(run(R"(kernel @k(%h: f16[2] in, %b: bool[2] inout, %out: i8[2] out) {
  for i in 2 {
    %0: f16 = load %h[i]
    %1: f32 = cast %0
    %2: f32 = mul %1, 100
    %3: bool = load %b[i]
    %4: i8 = cast %2
    %5: i8 = cast %3
    %6: i8 = add %4, %5
    store %out[i], %6
    store %b[i], %3
  }
})",
                {span_of(h), span_of(b), span_of(out)}),
            "");
  EXPECT_EQ(out, (std::vector<int8_t>{101, -128}));
  EXPECT_EQ(b, (std::vector<uint8_t>{1, 0}));
}

TEST(KernelInterpreter, FunctionsAreTheirExpansion) {
  std::vector<float> x{-1, 0.25f, 3}, out(3), expected;
  for (float v : x) {
    uint64_t bits = std::bit_cast<uint32_t>(v);
    Dtype t = float32;
    expected.push_back(static_cast<float>(bits_to_double(t, evaluate(ScalarOp::Exp, t, {&t, 1}, {&bits, 1}))));
  }
  EXPECT_EQ(run(R"(kernel @k(%x: f32[3] in, %out: f32[3] out) {
  for i in 3 {
    %0: f32 = load %x[i]
    %1: f32 = exp %0
    store %out[i], %1
  }
})",
                {span_of(x), span_of(out)}),
            "");
  EXPECT_EQ(out, expected);
  EXPECT_NEAR(out[2], std::exp(3.0), 1e-4);
}

TEST(KernelInterpreter, WhatIsNotAllowedIsSaid) {
  std::vector<float> x(4), out(4);
  auto has = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << "'" << text << "' lacks '" << part << "'";
  };
  const char* shifted = R"(kernel @k(%x: f32[n] in, %out: f32[n] out; n) {
  for i in n {
    %0: f32 = load %x[i + 1]
    store %out[i], %0
  }
})";
  has(run(shifted, {span_of(x), span_of(out)}, {4}), "position 4 is out of the bounds of 4 elements");
  has(run(shifted, {span_of(x)}, {4}), "takes 2 buffers");
  has(run(shifted, {span_of(x), span_of(out)}, {5}), "'x' has 16 bytes, but needs 20");
  EXPECT_EQ(run(shifted, {span_of(x), span_of(out)}, {0}), "");
  has(run("kernel @k(%x: f32[n] in; n) where n in [2, 8] {\n}", {span_of(x)}, {1}), "n = 1 breaks");
  has(run("kernel @k(%x: f32[n] in; n) where n*n % 4 == 0 {\n}", {span_of(x)}, {1}),
      "symbols break the fact 'n*n % 4 == 0'");
  has(run("kernel @k(%x: f32[1] out) {\n  local %t: f32[2] inout\n  store %t[0], 1\n  %0: f32 = load %t[1]\n  store %x[0], %0\n}",
          {span_of(x)}),
      "was not written");
  has(run("kernel @k(%x: f32[1] out; n, m) {\n  %0: i64 = index((n // m))\n}", {span_of(x)}, {1, 0}),
      "divides by zero");
  has(run("kernel @k(%x: f32[1] out; n) where n in [0, 4611686018427387904] {\n  %0: i64 = index(n*n)\n}", {span_of(x)},
          {int64_t{1} << 40}),
      "overflows");
  has(run("kernel @k(%x: f32[4] in; n) {\n  for i in n {\n    for r in 1 - i {\n    }\n  }\n}", {span_of(x)}, {4}),
      "extent is negative");
  has(run("kernel @k(%x: f32[4] in; n) {\n  %0: i64 = index(n)\n  bind k = %0 in [0, 3]\n}", {span_of(x)}, {4}),
      "outside the range");
  // Of an empty axis, before a loop over it.
  EXPECT_EQ(run("kernel @k(%x: f32[n] in, %o: f32[1] out; n) {\n  %0: i64 = index(n - 1)\n  bind k = %0 in [0, n - 1]\n"
                "  for i in n {\n    %1: f32 = load %x[k]\n    store %o[0], %1\n  }\n}",
                {{}, span_of(x)}, {0}),
            "");
  // An element of a local that an earlier iteration wrote does not count.
  has(run(R"(kernel @k(%x: f32[2] out) {
  local %t: f32[1] inout
  parallel for i in 2 {
    %0: i64 = index(i)
    %1: bool = eq %0, 0
    store %t[0], 1 mask %1
    %2: f32 = load %t[0]
    store %x[i], %2
  }
})",
          {span_of(x)}),
      "was not written");
}

}  // namespace
}  // namespace frit::ir
