// Whole programs on a GPU against the interpreter of the same program, to the bit, at sizes that single rows do not
// reach: several workgroups and blocks, wide accesses and the narrow path, locals in shared memory and outside it,
// arguments that do not fit into push constants.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <thread>

#include "tests/vulkan/programs.h"

namespace frit::test {
namespace {

using namespace ir;

constexpr const char* kSoftmax = R"(func @softmax(%x: f32[n, m]) -> f32[n, m] where m in [1, 1048576] {
  %0: f32[n, m] = softmax %x {axes=[1]}
  return %0
})";

TEST_F(Programs, RowsOfSymbolicSizes) {
  for (auto [n, m] : {std::pair{3, 4096}, {5, 1003}, {300, 7}, {1, 70000}, {0, 5}})
    check(kSoftmax, {{"n", n}, {"m", m}});
}

// Several operands of a turn are loaded before the work on any of them.
TEST_F(Programs, LongRowsOfSeveralOperands) {
  for (const char* type : {"f32", "f16"})
    for (auto [n, m] : {std::pair{3, 20000}, {2, 20003}, {4, 9000}, {1, 8}})
      check(with_type("func @f(%x: T[n, m], %y: T[m]) -> (T[n], T[n, m]) where n in [0, 9], m in [1, 65536] {\n"
                      "  %0: T[n, m] = broadcast %y {shape=[n, m]}\n  %1: T[n, m] = multiply %x, %0\n"
                      "  %2: T[n] = sum %1 {axes=[1]}\n  %3: T[n, 1] = max %x {axes=[1], keepdims=true}\n"
                      "  %4: T[n, m] = broadcast %3 {shape=[n, m]}\n  %5: T[n, m] = subtract %1, %4\n"
                      "  return %2, %5\n}",
                      type),
            {{"n", n}, {"m", m}});
}

TEST_F(Programs, RowsOfFixedSizes) {
  const auto softmax = [&](const std::string& type, const std::string& m) {
    check(with_type("func @f(%x: T[9, " + m + "]) -> T[9, " + m + "] {\n  %0: T[9, " + m +
                        "] = softmax %x {axes=[1]}\n  return %0\n}",
                    type));
  };
  for (const char* m : {"1", "3", "32", "100", "1000", "1024", "4096", "5001", "9000"}) softmax("f32", m);
  for (const char* m : {"3", "100", "1024", "4096", "9000"}) softmax("f16", m);
}

// Thousands of rows have a subgroup each while they are at most as long as their reduction has lanes.
TEST_F(Programs, ManyRows) {
  for (const char* m : {"1000", "1028", "2500"}) {
    const std::string shape = std::string("[4100, ") + m + "]";
    check("func @f(%x: f32" + shape + ") -> f32[4100] {\n  %0: f32[4100] = sum %x {axes=[1]}\n  return %0\n}");
  }
  check("func @f(%x: f16[4100, 1500]) -> u32[4100] {\n  %0: u32[4100] = argmax %x {axes=[1]}\n  return %0\n}");
}

// More workgroups than a launch has along one axis, on devices with the least of them.
TEST_F(Programs, WorkgroupsAlongTwoAxes) {
  check("func @f(%x: f32[66000, 300]) -> f32[66000] {\n  %0: f32[66000] = sum %x {axes=[1]}\n  return %0\n}");
}

// Rows whose length suits no wide access, so that neighbouring invocations take neighbouring elements: in registers,
// and longer ones in rounds.
TEST_F(Programs, RowsOfOddLengths) {
  const auto text = [&](const std::string& type, int64_t n, int64_t m) {
    const std::string rows = std::to_string(n), shape = "[" + rows + ", " + std::to_string(m) + "]";
    return with_type("func @f(%x: T" + shape + ") -> (T" + shape + ", u32[" + rows + "], T" + shape + ") {\n" +
                         "  %0: T" + shape + " = softmax %x {axes=[1]}\n  %1: u32[" + rows +
                         "] = argmax %x {axes=[1]}\n  %2: T[" + rows + ", 1] = min %x {axes=[1], keepdims=true}\n" +
                         "  %3: T" + shape + " = broadcast %2 {shape=" + shape + "}\n  %4: T" + shape +
                         " = subtract %x, %3\n  return %0, %1, %4\n}",
                     type);
  };
  for (int64_t m : {97, 965, 1501, 4099, 20003}) check(text("f32", 3, m));
  for (int64_t m : {250, 2047, 8190}) check(text("f16", 3, m));
  check(text("bf16", between(random_, 1, 40), between(random_, 1, 3000)));
  check(text("f32", 4100, 33));
  check(text("f16", 4096, 270));
}

// Long rows that several loops read: the first turns stay in registers, the others are read and computed again. Weights
// are loaded for several turns before the first store.
TEST_F(Programs, LongRowsOfKnownLengths) {
  const auto text = [&](const std::string& type, int64_t n, int64_t m) {
    const std::string kept = "[" + std::to_string(n) + ", 1]", row = "[" + std::to_string(m) + "]",
                      shape = "[" + std::to_string(n) + ", " + std::to_string(m) + "]";
    return with_type("func @f(%x: T" + shape + ", %y: T" + row + ") -> (T" + shape + ", T" + shape + ") {\n" +
                         "  %0: T" + shape + " = broadcast %y {shape=" + shape + "}\n  %1: T" + shape +
                         " = multiply %x, %0\n  %2: T" + shape + " = softmax %1 {axes=[1]}\n  %3: T" + kept +
                         " = mean %x {axes=[1], keepdims=true}\n  %4: T" + shape + " = broadcast %3 {shape=" + shape +
                         "}\n  %5: T" + shape + " = subtract %x, %4\n  %6: T" + shape + " = square %5\n  %7: T" + kept +
                         " = mean %6 {axes=[1], keepdims=true}\n  %8: T" + kept + " = rsqrt %7\n  %9: T" + shape +
                         " = broadcast %8 {shape=" + shape + "}\n  %10: T" + shape + " = multiply %5, %9\n  %11: T" +
                         shape + " = multiply %10, %0\n  return %2, %11\n}",
                     type);
  };
  for (int64_t m : {20003, 70001}) check(text("f32", 2, m));
  check(text("f16", 2, 20003));
  check(text("bf16", 2, 33002));
  check(text("f32", 1, between(random_, 24577, 65536)));
}

// Rows that share a workgroup, and rows whose length suits narrower accesses than their type.
TEST_F(Programs, ShortRows) {
  std::uniform_int_distribution<int> count(1, 300), length(1, 330);
  for (int i = 0; i < 8; ++i) {
    const std::string n = std::to_string(count(random_)), m = std::to_string(i < 4 ? 2 * i + 1 : length(random_));
    const std::string shape = "[" + n + ", " + m + "]", kept = "[" + n + ", 1]";
    for (const char* type : {"f32", "f16", "bf16"})
      check(with_type("func @f(%x: T" + shape + ") -> T" + shape + " {\n  %0: T" + shape +
                          " = softmax %x {axes=[1]}\n  return %0\n}",
                      type));
    check("func @f(%x: f32" + shape + ") -> (f32[" + n + "], u32[" + n + "], i32[" + n + "]) {\n  %0: f32[" + n +
          "] = sum %x {axes=[1]}\n  %1: u32[" + n + "] = argmax %x {axes=[1]}\n  %2: i32" + shape +
          " = astype %x {dtype=i32}\n  %3: i32[" + n + "] = min %2 {axes=[1]}\n  return %0, %1, %3\n}");
  }
}

// One product for each element, so that only its rounding counts.
TEST_F(Programs, ProductsAreRounded) {
  auto gpu = runtime::find_gpu();
  ASSERT_TRUE(gpu.ok());
  for (const char* type : {"f16", "bf16"})
    for (const char* sizes : {"200, 1, 136", "1500, 1, 2056"}) {
      // So many elements are for matrix units.
      if (sizes[0] == '1' && !(*gpu)->info().features.matrix16) continue;
      const std::string s = sizes, m = s.substr(0, s.find(',')), n = s.substr(s.rfind(' ') + 1);
      check(with_type("func @f(%a: T[" + m + ", 1], %b: T[1, " + n + "]) -> T[" + m + ", " + n + "] {\n  %0: T[" + m +
                          ", " + n + "] = matmul %a, %b\n  return %0\n}",
                      type));
    }
}

TEST_F(Programs, RowsOfNothing) {
  for (const char* shape : {"0", "3, 0", "0, 4"}) {
    const std::string t = "f32[" + std::string(shape) + "]", axis = std::string(shape).size() > 1 ? "1" : "0";
    check("func @f(%x: " + t + ") -> " + t + " {\n  %0: " + t + " = softmax %x {axes=[" + axis + "]}\n  return %0\n}");
  }
  check(
      "func @f(%x: f32[0]) -> (f32[], f32[]) {\n  %0: f32[] = max %x {axes=[0]}\n  %1: f32[0] = broadcast %0 {shape=[0]}\n"
      "  %2: f32[0] = subtract %x, %1\n  %3: f32[0] = exp %2\n  %4: f32[] = sum %3 {axes=[0]}\n  return %0, %4\n}");
}

// Positions that are 64-bit remainders: one driver confused neighbours' remainders.
TEST_F(Programs, DividedPositions) {
  const std::string text =
      "func @f(%x: f32[a, n]) -> (f32[2*a, n], f32[a, n]) where a in [0, 1] {\n  %0: f32[2*a, n] = concatenate %x, %x {axis=0}\n"
      "  %1: f32[a, n] = add %x, %x\n  return %0, %1\n}";
  for (const int n : {1, 2, 3, 5, 6, 7, 8, 30}) check(text, {{"a", 1}, {"n", n}});
  check(text, {{"a", 0}, {"n", 6}});
  const std::string tiled =
      "func @f(%x: f32[n]) -> f32[2, n] {\n  %0: f32[1, n] = reshape %x {shape=[1, n]}\n"
      "  %1: f32[2, n] = concatenate %0, %0 {axis=0}\n  return %1\n}";
  for (const int n : {3, 6, 8, 11}) check(tiled, {{"n", n}});
}

TEST_F(Programs, UnalignedInputs) {
  check(kSoftmax, {{"n", 4}, {"m", 512}}, Values::Ordinary, 1);
  check(
      "func @f(%x: f16[1000], %y: u8[1000]) -> f16[1000] {\n  %0: f16[1000] = astype %y {dtype=f16}\n  %1: f16[1000] = add %x, %0\n"
      "  return %1\n}",
      {}, Values::Ordinary, 3);
}

TEST_F(Programs, LongReductions) {
  check("func @f(%x: f32[300000]) -> f32[] {\n  %0: f32[] = sum %x {axes=[0]}\n  return %0\n}");
  check(
      "func @f(%x: f32[3, 200000]) -> (f32[3], f32[3]) {\n  %0: f32[3] = sum %x {axes=[1]}\n  %1: f32[3] = max %x {axes=[1]}\n  return %0, %1\n}");
  check("func @f(%x: f32[3000, 70]) -> f32[70] {\n  %0: f32[70] = sum %x {axes=[0]}\n  return %0\n}");
  check("func @f(%x: f32[40, 30, 50]) -> f32[30] {\n  %0: f32[30] = sum %x {axes=[0, 2]}\n  return %0\n}");
  check("func @f(%x: f32[20, 300, 5]) -> f32[20, 5] {\n  %0: f32[20, 5] = min %x {axes=[1]}\n  return %0\n}");
  check("func @f(%x: c64[20, 300]) -> c64[20] {\n  %0: c64[20] = sum %x {axes=[1]}\n  return %0\n}");
}

TEST_F(Programs, ArgumentsOfRows) {
  for (const char* type : {"f32", "bf16", "i64", "u8", "bool"})
    check(
        with_type("func @f(%x: T[20, 3000]) -> (u32[20], u32[3000]) {\n  %0: u32[20] = argmax %x {axes=[1]}\n"
                  "  %1: u32[3000] = argmin %x {axes=[0]}\n  return %0, %1\n}",
                  type));
}

TEST_F(Programs, TilesOfTransposes) {
  for (const char* type : {"f32", "f16", "u8", "i64", "c64", "bool"})
    for (auto [n, m] : {std::pair{"100", "70"}, {"128", "64"}, {"9", "300"}, {"200", "8"}})
      check(with_type("func @f(%x: T[" + std::string(n) + ", " + m + "]) -> T[" + m + ", " + n + "] {\n  %0: T[" + m +
                          ", " + n + "] = transpose %x {axes=[1, 0]}\n  return %0\n}",
                      type),
            {}, Values::Special);
  const std::string open =
      "func @f(%x: f32[n, m], %y: f32[m, n]) -> f32[m, n] {\n  %0: f32[m, n] = transpose %x {axes=[1, 0]}\n"
      "  %1: f32[m, n] = add %0, %y\n  return %1\n}";
  for (auto [n, m] : {std::pair{130, 65}, {64, 64}, {1, 200}, {0, 3}}) check(open, {{"n", n}, {"m", m}});
  check(
      "func @f(%x: f32[3, 70, 5, 90], %y: f32[90, 5, 3, 70]) -> f32[90, 5, 3, 70] {\n  %0: f32[90, 5, 3, 70] = transpose %x {axes=[3, 2, 0, 1]}\n"
      "  %1: f32[90, 5, 3, 70] = multiply %0, %y\n  return %1\n}");
  // Two transposed operands, and one that is not.
  check(
      "func @f(%x: f32[100, 80], %y: f32[100, 80], %z: f32[80, 100]) -> f32[80, 100] {\n  %0: f32[80, 100] = transpose %x {axes=[1, 0]}\n"
      "  %1: f32[80, 100] = transpose %y {axes=[1, 0]}\n  %2: f32[80, 100] = subtract %0, %1\n  %3: f32[80, 100] = add %2, %z\n  return %3\n}");
}

TEST_F(Programs, QuotientsByConstants) {
  // The divisors for which Vulkan states a bound. An operation that every known device rounds once is rounded once
  // here, until its parts are subnormal.
  for (const char* by : {"1.4142135", "-3", "8", "0.1", "1e-30", "1e37"})
    for (Values values : {Values::Ordinary, Values::Special})
      check("func @f(%x: f32[5000]) -> f32[5000] {\n  %0: f32[] = constant " + std::string(by) +
                "\n  %1: f32[5000] = broadcast %0 {shape=[5000]}\n"
                "  %2: f32[5000] = divide %x, %1\n  return %2\n}",
            {}, values, 0, false, 2.5);
}

TEST_F(Programs, BroadcastAndTransposed) {
  check(
      "func @f(%x: f32[64, 96], %b: f32[96]) -> f32[96, 64] {\n  %0: f32[64, 96] = broadcast %b {shape=[64, 96]}\n  %1: f32[64, 96] = add %x, %0\n"
      "  %2: f32[96, 64] = transpose %1 {axes=[1, 0]}\n  return %2\n}");
  check(
      "func @f(%x: f32[n, m], %b: f32[m]) -> f32[n, m] {\n  %0: f32[n, m] = broadcast %b {shape=[n, m]}\n  %1: f32[n, m] = multiply %x, %0\n"
      "  return %1\n}",
      {{"n", 33}, {"m", 64}});
}

TEST_F(Programs, ManyArguments) {
  std::string head = "func @f(", body = "  %a0: f32[100] = add %x0, %x1\n";
  for (int i = 0; i < 20; ++i) head += (i ? ", %x" : "%x") + std::to_string(i) + ": f32[100]";
  for (int i = 2; i < 20; ++i)
    body += "  %a" + std::to_string(i - 1) + ": f32[100] = add %a" + std::to_string(i - 2) + ", %x" +
            std::to_string(i) + "\n";
  check(head + ") -> f32[100] {\n" + body + "  return %a18\n}");
}

TEST_F(Programs, Donated) {
  check("func @f(%x: f32[5000]) -> f32[5000] {\n  %0: f32[5000] = exp %x\n  return %0\n}", {}, Values::Ordinary, 0,
        true);
  // The first result takes over the memory from which a later loop could compute the row again.
  check(
      "func @f(%x: f32[2, 40001]) -> (f32[2, 40001], f32[2, 40001]) {\n  %0: f32[2, 40001] = exp %x\n"
      "  %1: f32[2, 1] = sum %0 {axes=[1], keepdims=true}\n  %2: f32[2, 40001] = broadcast %1 {shape=[2, 40001]}\n"
      "  %3: f32[2, 40001] = divide %0, %2\n  return %0, %3\n}",
      {}, Values::Ordinary, 0, true);
}

// Sums of small integers are exact in any order.
TEST_F(Programs, ProductsOfMatrices) {
  // Products.Small has small ones of the other types.
  for (const char* type : {"f32", "f16"})
    for (auto [m, k, n] : {std::tuple{40, 64, 48}, {1, 100, 33}, {130, 17, 129}, {900, 8, 960}, {1500, 9, 1430}}) {
      std::string a = std::to_string(m) + ", " + std::to_string(k), b = std::to_string(k) + ", " + std::to_string(n),
                  c = std::to_string(m) + ", " + std::to_string(n);
      check(with_type("func @f(%x: T[" + a + "], %y: T[" + b + "]) -> T[" + c + "] {\n  %0: T[" + c +
                          "] = matmul %x, %y\n  return %0\n}",
                      type),
            {}, Values::Exact);
    }
  check(
      "func @f(%x: f32[2, 3, 20, 40], %y: f32[3, 2, 36, 40]) -> f32[2, 3, 20, 36] {\n  %0: f32[2, 3, 40, 36] = transpose %y {axes=[1, 0, 3, 2]}\n"
      "  %1: f32[2, 3, 20, 36] = matmul %x, %0\n  %2: f32[2, 3, 20, 36] = negative %1\n  return %2\n}",
      {}, Values::Exact);
}

// Results of many tiles, whose operands lie along either axis: as they are, and with sizes so odd that copies are read
// (codegen/glsl/products/routine_matmul_copies.cpp).
TEST_F(Programs, LargeProducts) {
  struct Case {
    const char* type;
    int batch, m, k, n;
    bool a_along, b_along;  // lies along its columns
  };
  const Case cases[] = {{"f32", 3, 516, 8, 1412, true, true},      {"f32", 1, 1025, 65, 2051, true, false},
                        {"f32", 1, 1028, 16, 2052, false, false},  {"f32", 2, 1025, 131, 999, false, true},
                        {"f16", 1, 1537, 129, 2049, false, false}, {"bf16", 1, 1537, 129, 2050, true, true},
                        {"f16", 2, 1032, 64, 2000, true, false},   {"bf16", 2, 1032, 64, 2000, false, true},
                        {"f16", 1, 1030, 40, 4000, true, true},    {"bf16", 1, 1536, 96, 2056, true, false}};
  auto gpu = runtime::find_gpu();
  ASSERT_TRUE(gpu.ok());
  const bool units = (*gpu)->info().features.matrix16;
  for (const Case& c : cases) {
    const auto number = &c - cases;
    if (!units && number >= 2) continue;  // so many multiplications are for matrix units
    auto shape = [](int batch, int rows, int columns) {
      return "T[" + std::to_string(batch) + ", " + std::to_string(rows) + ", " + std::to_string(columns) + "]";
    };
    const std::string a = shape(c.batch, c.m, c.k), b = shape(1, c.k, c.n), all = shape(c.batch, c.k, c.n),
                      r = shape(c.batch, c.m, c.n);
    auto broadcast = [](const std::string& type) { return type + " = broadcast %V {shape=" + type.substr(1) + "}\n"; };
    auto of = [](std::string text, const std::string& value) { return text.replace(text.find("%V"), 2, value); };
    // Every second one has an epilogue, and gives the product as well.
    const bool epilogue = number % 2 == 1;
    std::string text = "func @f(%x: " + (c.a_along ? shape(c.batch, c.k, c.m) : a) +
                       ", %y: " + (c.b_along ? shape(1, c.n, c.k) : b) + ", %z: T[" + std::to_string(c.n) + "]) -> ";
    text += epilogue ? "(" + r + ", " + r + ") {\n" : r + " {\n";
    text += "  %xt: " + a + (c.a_along ? " = transpose %x {axes=[0, 2, 1]}\n" : " = copy %x\n");
    text += "  %yt: " + b + (c.b_along ? " = transpose %y {axes=[0, 2, 1]}\n" : " = copy %y\n");
    // Every matrix of the batch takes the same right operand.
    text += "  %yb: " + of(broadcast(all), "%yt") + "  %0: " + r + " = matmul %xt, %yb\n";
    text += epilogue ? "  %1: " + of(broadcast(r), "%z") + "  %2: " + r + " = maximum %0, %1\n  return %0, %2\n}"
                     : "  return %0\n}";
    check(with_type(text, c.type), {}, Values::Exact);
  }
}

// Few rows, whose steps subgroups share.
TEST_F(Programs, FewRows) {
  bool along = true;  // so that every size lies both ways, and every type
  for (const char* type : {"f16", "bf16"})
    for (auto [m, k, n] : {std::tuple{2, 256, 96}, {16, 1056, 33}, {31, 288, 132}}) {
      along = !along;
      const std::string rows = std::to_string(m), steps = std::to_string(k), columns = std::to_string(n),
                        r = "T[" + rows + ", " + columns + "]", b = "T[" + steps + ", " + columns + "]";
      check(with_type("func @f(%x: T[" + rows + ", " + steps + "], %y: " +
                          (along ? "T[" + columns + ", " + steps + "]" : b) + ", %z: T[" + columns + "]) -> (" + r +
                          ", " + r + ") {\n  %yt: " + b + (along ? " = transpose %y {axes=[1, 0]}\n" : " = copy %y\n") +
                          "  %0: " + r + " = matmul %x, %yt\n  %1: " + r + " = broadcast %z {shape=[" + rows + ", " +
                          columns + "]}\n  %2: " + r + " = maximum %0, %1\n  return %0, %2\n}",
                      type),
            {}, Values::Exact);
    }
}

// An epilogue runs in the product's own launch.
TEST_F(Programs, EpiloguesOfProducts) {
  auto gpu = runtime::find_gpu();
  ASSERT_TRUE(gpu.ok());
  (*gpu)->keep_times(runtime::GpuTimes::Steps);
  const std::string
      head = "func @f(%x: T[A], %y: T[B], %b: T[n], %q: T[C]) -> ",
      product =
          "{\n  %0: T[C] = matmul %x, %y\n  %1: T[C] = broadcast %b {shape=[C]}\n  %2: T[C] = add %0, %1\n  %3: T[C] = multiply %2, %q\n";
  auto sized = [](std::string text, const std::string& a, const std::string& b, const std::string& c) {
    for (auto& [mark, shape] : {std::pair{std::string("[A]"), a}, {std::string("[B]"), b}, {std::string("[C]"), c}})
      for (size_t at; (at = text.find(mark)) != std::string::npos;) text.replace(at, 3, "[" + shape + "]");
    return text;
  };
  for (const char* type : {"f32", "f16", "bf16", "f64"})
    for (auto [m, k, n] : {std::tuple{40, 64, 48}, {130, 17, 129}, {900, 8, 960}, {1500, 9, 1408}}) {
      if (m > 500 && type != std::string("f32") && type != std::string("f16")) continue;
      const SymbolValues sizes{{"m", m}, {"k", k}, {"n", n}};
      if (type == std::string("f32") || type == std::string("f16")) {
        check(with_type(sized(head + "T[C] " + product + "  return %3\n}", "m, k", "k, n", "m, n"), type), sizes,
              Values::Exact);
        EXPECT_EQ((*gpu)->last_times().size(), 1u);
      }
      // The product is a result as well.
      check(with_type(sized(head + "(T[C], T[C]) " + product + "  return %0, %3\n}", "m, k", "k, n", "m, n"), type),
            sizes, Values::Exact);
      EXPECT_EQ((*gpu)->last_times().size(), 1u);
    }
  // Fixed sizes, batches, another type after the product.
  for (const char* type : {"f32", "f16"})
    check(
        with_type("func @f(%x: T[3, 160, 64], %y: T[3, 64, 256], %b: T[256]) -> (T[3, 160, 256], bool[3, 160, 256]) {\n"
                  "  %0: T[3, 160, 256] = matmul %x, %y\n  %1: T[3, 160, 256] = broadcast %b {shape=[3, 160, 256]}\n"
                  "  %2: T[3, 160, 256] = maximum %0, %1\n  %3: bool[3, 160, 256] = less %0, %1\n  return %2, %3\n}",
                  type),
        {}, Values::Exact);
  // A transposed operand makes the epilogue a kernel of its own.
  check(
      "func @f(%x: f32[100, 64], %y: f32[64, 80], %q: f32[80, 100]) -> f32[100, 80] {\n  %0: f32[100, 80] = matmul %x, %y\n"
      "  %1: f32[100, 80] = transpose %q {axes=[1, 0]}\n  %2: f32[100, 80] = add %0, %1\n  return %2\n}",
      {}, Values::Exact);
  (*gpu)->keep_times(runtime::GpuTimes::None);
}

// A kernel that one product applies as its epilogue, and that another step launches, has a shader of its own beside the
// product's: passes share equal kernels between steps.
TEST_F(Programs, EpiloguesThatAnotherStepLaunches) {
  const Function f = function(
      "func @f(%x: f32[160, 64], %y: f32[64, 256], %b: f32[256], %u: f32[160, 64], %v: f32[64, 256]) -> "
      "(f32[160, 256], f32[160, 256], f32[160, 256], f32[160, 256]) {\n"
      "  %0: f32[160, 256] = matmul %x, %y\n  %1: f32[160, 256] = broadcast %b {shape=[160, 256]}\n"
      "  %2: f32[160, 256] = add %0, %1\n  %3: f32[160, 256] = matmul %u, %v\n"
      "  %4: f32[160, 256] = add %3, %1\n  return %0, %2, %3, %4\n}");
  auto planned = plan(f, true);
  ASSERT_TRUE(planned.ok()) << planned.error().str();
  Program program = *planned->program;
  ASSERT_EQ(program.steps.size(), 2u);
  auto* first = std::get_if<LibraryStep>(&program.steps[0]);
  auto* second = std::get_if<LibraryStep>(&program.steps[1]);
  ASSERT_TRUE(first && first->epilogue && second && second->epilogue);
  ASSERT_EQ(first->epilogue->kernel, second->epilogue->kernel);
  const KernelStep launched = *second->epilogue;
  second->epilogue.reset();
  program.steps.push_back(launched);

  planned->program = std::make_shared<Program>(std::move(program));
  auto code = codegen::build(*planned, target());
  ASSERT_TRUE(code.ok()) << code.error().str();
  std::vector<ir::Tensor> inputs = random_inputs(f, {}, Values::Exact, random_);
  auto arguments = place(f, inputs, random_);
  ASSERT_TRUE(arguments.ok()) << arguments.error().str();
  auto want = run_program(*planned, *arguments);
  ASSERT_TRUE(want.ok()) << want.error().str();
  auto got = run_code(**code, *arguments);
  ASSERT_TRUE(got.ok()) << got.error().str();
  for (size_t i = 0; i < want->size(); ++i) EXPECT_EQ(difference((*want)[i], (*got)[i]), "") << "result " << i;
}

// Batches of products on matrix units.
TEST_F(Programs, BatchesOfProducts) {
  check(
      "func @f(%x: f16[3, 160, 64], %y: f16[3, 64, 256]) -> f16[3, 160, 256] {\n  %0: f16[3, 160, 256] = matmul %x, %y\n  return %0\n}",
      {}, Values::Exact);
}

TEST_F(Programs, FromManyThreads) {
  Function f = function(kSoftmax);
  auto planned = plan(f, true);
  ASSERT_TRUE(planned.ok());
  auto code = codegen::build(*planned, target());
  ASSERT_TRUE(code.ok()) << code.error().str();
  std::vector<ir::Tensor> inputs = random_inputs(f, {{"n", 9}, {"m", 200}}, Values::Ordinary, random_);
  auto arguments = place(f, inputs, random_);
  auto want = run_program(*planned, *arguments);
  ASSERT_TRUE(want.ok());
  std::vector<std::string> differences(4, "did not run");
  std::vector<std::thread> threads;
  for (std::string& d : differences)
    threads.emplace_back([&] {
      for (int i = 0; i < 5; ++i) {
        auto got = run_code(**code, *arguments);
        d = got.ok() ? difference((*want)[0], (*got)[0]) : got.error().str();
        if (!d.empty()) return;
      }
    });
  for (std::thread& t : threads) t.join();
  for (const std::string& d : differences) EXPECT_EQ(d, "");
}

TEST_F(Programs, MemoryIsGivenBack) {
  auto gpu = runtime::find_gpu();
  ASSERT_TRUE(gpu.ok());
  const size_t before = (*gpu)->memory().active;
  {
    auto buffer = (*gpu)->allocate(3 << 20);
    ASSERT_TRUE(buffer.ok());
    EXPECT_EQ((*gpu)->memory().active, before + (3 << 20));
    std::vector<int> numbers(1000);
    for (int i = 0; i < 1000; ++i) numbers[static_cast<size_t>(i)] = i;
    ASSERT_TRUE((*gpu)->write(**buffer, 12, numbers.data(), 4000).ok());
    int got = 0;
    ASSERT_TRUE((*gpu)->read(**buffer, 12 + 4 * 777, &got, 4).ok());
    EXPECT_EQ(got, 777);
  }
  EXPECT_EQ((*gpu)->memory().active, before);
  auto large = (*gpu)->allocate(size_t{1} << 47);
  ASSERT_FALSE(large.ok());
  EXPECT_NE(large.error().message.find("larger than what the gpu allocates at once"), std::string::npos)
      << large.error().message;
}

}  // namespace
}  // namespace frit::test
