// Work on few rows that goes over many workgroups: scans and reductions in blocks, and scatters whose updates are
// sorted. Against the interpreter of the same program, to the bit.
#include "tests/vulkan/programs.h"

namespace frit::test {
namespace {

class Blocks : public Programs {
 protected:
  int64_t between(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random_); }
  bool either() { return between(0, 1) == 1; }
  static std::string number(int64_t v) { return std::to_string(v); }

  // The types that the device computes with.
  std::vector<std::string> types() {
    std::vector<std::string> all{"f32", "f16", "bf16", "i32", "u8", "i16", "bool", "c64"};
    auto gpu = runtime::find_gpu();
    if (!gpu.ok()) return all;
    if ((*gpu)->info().features.int64) all.push_back("i64");
    if ((*gpu)->info().features.float64) all.push_back("f64");
    return all;
  }

  // A scan of one axis, with work before and behind it.
  void check_scan(const std::string& op, const std::string& type, const std::string& shape, int axis,
                  const SymbolValues& symbols = {}, const std::string& facts = "", int64_t shift = 0) {
    const std::string t = type + shape, attributes = " {axis=" + number(axis) +
                                                     ", reverse=" + (either() ? "true" : "false") +
                                                     ", inclusive=" + (either() ? "true" : "false") + "}";
    const bool inexact = type == "f32" || type == "f64" || type == "f16" || type == "bf16";
    const std::string head = "func @f(%x: " + t + ") -> " + (inexact ? "(" + t + ", " + t + ")" : t) + facts + " {\n";
    check(inexact ? head + "  %0: " + t + " = abs %x\n  %1: " + t + " = " + op + " %0" + attributes + "\n  %2: " + t +
                        " = subtract %1, %x\n  return %0, %2\n}"
                  : head + "  %0: " + t + " = " + op + " %x" + attributes + "\n  return %0\n}",
          symbols, Values::Ordinary, shift, false, op == "logcumsumexp" ? 4 : 0);
  }

  // Updates of `rows` elements of the first axis by rows of `row`, at positions that repeat.
  void check_scatter(const std::string& op, const std::string& type, int64_t rows, int64_t updates, int64_t row,
                     int64_t below = 0) {
    const std::string n = number(rows), m = number(updates), c = number(row), result = type + "[" + n + ", " + c + "]";
    check("func @f(%x: " + result + ", %i: i32[" + m + "], %u: " + type + "[" + m + ", 1, " + c + "]) -> " + result +
          " {\n  %c: i32[] = constant " + number(below ? below : between(1, rows)) + "\n  %b: i32[" + m +
          "] = broadcast %c {shape=[" + m + "]}\n  %k: i32[" + m + "] = remainder %i, %b\n  %0: " + result + " = " +
          op + " %x, %k, %u {axes=[0]}\n  return %0\n}");
  }
};

TEST_F(Blocks, ScansOfLongRows) {
  const char* ops[] = {"cumsum", "cumprod", "cummax", "cummin"};
  const int64_t lengths[] = {16385, 20480, 32768, 33001, 16400};
  int turn = 0;
  for (const std::string& type : types()) {
    if (type == "bool" || type == "c64") continue;
    const int64_t n = lengths[turn % 5];
    check_scan(ops[turn % 4], type,
               turn % 2 ? "[" + number(n) + "]" : "[" + number(between(2, 3)) + ", " + number(n) + "]",
               turn % 2 ? 0 : 1, {}, "", turn % 3);
    ++turn;
  }
  // Four groups to a workgroup, and open sizes that are more than one block.
  check_scan("cumsum", "f32", "[21, 99999]", 1);
  check_scan("cummax", "f16", "[600, 16390]", 1, {}, "", 1);
  check_scan("cumsum", "f32", "[n, m]", 1, {{"n", 3}, {"m", 70001}});
}

// Rows that one workgroup scans where their length is known have the same bits where it is not, and they go by groups.
TEST_F(Blocks, ScansOfOneRunHaveOneOrder) {
  for (const char* op : {"cumsum", "cumprod"})
    for (const int64_t n : {4097, 9000, 12300, 16384}) {
      std::vector<Tensor> results;
      std::vector<Tensor> inputs{Tensor(float32, {3, n})};
      Tensor& x = inputs[0];
      for (int64_t i = 0; i < x.size(); ++i)
        x.set_bits(i, double_to_bits(float32, 1 + std::ldexp(static_cast<double>(between(-99, 99)), -14)));
      for (const bool open : {false, true}) {
        const std::string type = open ? "f32[m, n]" : "f32[3, " + number(n) + "]";
        const Function f = function("func @f(%x: " + type + ") -> " + type + " {\n  %0: " + type + " = " + op +
                                    " %x {axis=1}\n  return %0\n}");
        auto planned = plan(f, true);
        ASSERT_TRUE(planned.ok()) << planned.error().str();
        auto code = codegen::build(*planned, target());
        ASSERT_TRUE(code.ok()) << code.error().str();
        auto arguments = place(f, inputs, random_);
        ASSERT_TRUE(arguments.ok()) << arguments.error().str();
        auto got = run_code(**code, *arguments, false);
        ASSERT_TRUE(got.ok()) << got.error().str();
        results.push_back((*got)[0]);
      }
      EXPECT_EQ(difference(results[0], results[1]), "") << op << " of rows of " << n;
    }
}

// One element after the other inside of a block, where elements lie apart or their step is no single operation.
TEST_F(Blocks, ScansInOrder) {
  const char* ops[] = {"cumsum", "cumprod", "cummax", "cummin"};
  int turn = 0;
  for (const std::string& type : types()) {
    const std::string op = type == "bool" ? "cummax" : ops[turn % 4];
    check_scan(op, type, "[" + number(between(512, 3000)) + ", " + number(between(1, 40)) + "]", 0);
    check_scan(op, type, "[2, " + number(between(513, 1100)) + ", " + number(between(1, 9)) + "]", 1);
    if (type == "bool" || type == "c64") check_scan(op, type, "[2, " + number(between(513, 2000)) + "]", 1);
    ++turn;
  }
  check_scan("logcumsumexp", "f32", "[3, 1300]", 1);
  check_scan("logcumsumexp", "f16", "[1025, 7]", 0);
}

TEST_F(Blocks, ScansOfOpenSizes) {
  for (auto [n, m] : {std::pair{1, 16400}, {3, 8000}, {70, 7}, {0, 5}, {4, 0}, {2, 1}}) {
    check_scan("cumsum", "f32", "[n, m]", 1, {{"n", n}, {"m", m}});
    check_scan("cummax", "i32", "[m, n]", 0, {{"n", n}, {"m", m}}, "", 1);
  }
  // Two scans are two kernels of each step.
  const char* chain = R"(func @f(%x: f32[n, m]) -> (f32[n, m], f32[n, m]) {
  %0: f32[n, m] = cumsum %x {axis=1}
  %1: f32[n, m] = cummax %0 {axis=1, reverse=true}
  %2: f32[n, m] = cumsum %1 {axis=0}
  return %1, %2
})";
  for (auto [n, m] : {std::pair{2, 17000}, {600, 5}, {1, 1}}) check(chain, {{"n", n}, {"m", m}});
}

TEST_F(Blocks, PlacesOfExtremes) {
  auto gpu = runtime::find_gpu();
  ASSERT_TRUE(gpu.ok());
  if (!(*gpu)->info().features.int64) GTEST_SKIP() << "no 64-bit integers";
  for (const std::string& type : types()) {
    if (type == "c64") continue;
    const std::string op = either() ? "argmax" : "argmin", n = number(between(131073, 140000)),
                      rows = number(between(513, 1500)), columns = number(between(1, 30));
    if (type != "i16" && type != "f16" && type != "u8")
      check("func @f(%x: " + type + "[" + n + "]) -> u32[] {\n  %0: u32[] = " + op + " %x {axes=[0]}\n  return %0\n}",
            {}, Values::Special);
    check("func @f(%x: " + type + "[" + rows + ", " + columns + "]) -> u32[" + columns + "] {\n  %0: u32[" + columns +
              "] = " + op + " %x {axes=[0]}\n  return %0\n}",
          {}, Values::Special);
  }
  const char* open =
      "func @f(%x: f32[3, m]) -> u32[3] where m in [1, 1000000] {\n"
      "  %0: u32[3] = argmax %x {axes=[1]}\n  return %0\n}";
  for (int64_t m : {1, 65536, 65537}) check(open, {{"m", m}});
}

// So many blocks that groups of them are combined first.
TEST_F(Blocks, LongColumns) {
  auto gpu = runtime::find_gpu();
  ASSERT_TRUE(gpu.ok());
  const bool int64 = (*gpu)->info().features.int64;
  for (const char* shape : {"[1050000, 2]", "[70000, 1]", "[12289, 3]", "[65536, 2]"}) {
    const std::string x = shape, kept = x.substr(x.find(' ') + 1);
    check("func @f(%x: f32" + x + ") -> (f32[" + kept + ", f32[" + kept + ") {\n  %0: f32[" + kept +
          " = sum %x {axes=[0]}\n  %1: f32[" + kept + " = max %x {axes=[0]}\n  return %0, %1\n}");
    if (int64)
      check("func @f(%x: f16" + x + ") -> u32[" + kept + " {\n  %0: u32[" + kept +
            " = argmin %x {axes=[0]}\n  return %0\n}");
  }
  // One kernel with the same order, where there may be many columns.
  const char* open = "func @f(%x: f32[n, m]) -> f32[m] {\n  %0: f32[m] = sum %x {axes=[0]}\n  return %0\n}";
  for (auto [n, m] : {std::pair{66000, 2}, {65536, 1}, {300, 5}, {0, 2}}) check(open, {{"n", n}, {"m", m}});
}

// Thousands of rows of hundreds of elements have a subgroup each, whose invocations have states of several turns.
TEST_F(Blocks, RowsOfTurns) {
  check(
      "func @f(%x: f32[4096, 260]) -> (f32[4096], f32[4096, 260]) {\n  %0: f32[4096] = sum %x {axes=[1]}\n"
      "  %1: f32[4096, 1] = reshape %0 {shape=[4096, 1]}\n  %2: f32[4096, 260] = broadcast %1 {shape=[4096, 260]}\n"
      "  %3: f32[4096, 260] = subtract %x, %2\n  return %0, %3\n}");
  auto gpu = runtime::find_gpu();
  ASSERT_TRUE(gpu.ok());
  if ((*gpu)->info().features.int64)
    check("func @f(%x: bf16[4097, 264]) -> u32[4097] {\n  %0: u32[4097] = argmin %x {axes=[1]}\n  return %0\n}");
}

// Updates whose numbers each workgroup reads: few destinations, and more than workgroups; groups that are ranked by
// comparisons, at once and some at a time; and so many updates of one destination that its group is sorted by marks.
TEST_F(Blocks, ScattersByRanges) {
  auto gpu = runtime::find_gpu();
  ASSERT_TRUE(gpu.ok());
  if (!(*gpu)->info().features.int64) GTEST_SKIP() << "no 64-bit integers";
  for (const char* op : {"scatter_add", "scatter", "scatter_max"}) {
    check_scatter(op, "f32", between(1, 63), between(64, 9000), 1);
    check_scatter(op, "f32", between(65, 9000), between(2049, 12288), 1);
    check_scatter(op, "i32", between(100000, 130000), between(2000, 9000), 1);
  }
  // Of 64 workgroups the first one has all updates, or most of them.
  check_scatter("scatter_add", "f32", 64 * 60, between(8000, 12288), 1, between(40, 50));
  check_scatter("scatter_add", "f16", 64 * 1000, between(8000, 12288), 1, between(600, 1000));
  check_scatter("scatter_add", "f32", 64 * 60, 12288, 1, 57);
  for (const int64_t count : {255, 256, 257, 2047, 2048, 2049, 4096})
    check_scatter("scatter", "i32", 70, 3 * count, 1, 3);
}

// Updates that counters group by their destinations: many, of which some have a destination to themselves, and so many
// of one destination that its group is sorted by marks.
TEST_F(Blocks, GroupedScatters) {
  auto gpu = runtime::find_gpu();
  ASSERT_TRUE(gpu.ok());
  if (!(*gpu)->info().features.int64) GTEST_SKIP() << "no 64-bit integers";
  for (const int64_t updates : {64, 65, 1023, 1024, 1025, 4095, 4096})
    check_scatter("scatter_add", "f32", 300, updates, 3);
  for (const char* op : {"scatter_add", "scatter", "scatter_max", "scatter_prod"}) {
    check_scatter(op, "f32", 2000, between(4097, 9000), between(1, 3));
    check_scatter(op, "f16", 9000, between(4097, 9000), 1, 9000);
  }
  check_scatter("scatter_add", "f32", 3000, 70001, 1, 2);
  check_scatter("scatter", "i32", 3000, 70001, 2, 1);
  check_scatter("scatter_add", "bf16", 1500, 40000, 2, 70);
  check_scatter("scatter_max", "f32", 9000, 12289, 1);
  check_scatter("scatter", "f16", 2000000, 9000, 1);
  // Invocations with several elements of a row, which may end before the last of them.
  for (const int64_t row : {32, 67, 100, 129})
    check_scatter(row % 2 ? "scatter" : "scatter_add", "f16", 17000, 5000, row);
  check(R"(func @f(%x: f32[9, 8000, 11], %i: i32[5000], %j: i32[5000], %u: f32[5000, 1, 1, 11]) -> f32[9, 8000, 11] {
  %0: f32[9, 8000, 11] = scatter_add %x, %i, %j, %u {axes=[0, 1]}
  return %0
})");
}

TEST_F(Blocks, SortedScatters) {
  auto gpu = runtime::find_gpu();
  ASSERT_TRUE(gpu.ok());
  if (!(*gpu)->info().features.int64) GTEST_SKIP() << "no 64-bit integers";
  const char* ops[] = {"scatter_add", "scatter_max", "scatter", "scatter_prod", "scatter_min"};
  int turn = 0;
  for (const std::string& type : types()) {
    for (int i = 0; i < 2; ++i, ++turn) {
      const bool adds = type == "c64", extremes = type == "bool";
      check_scatter(adds       ? "scatter_add"
                    : extremes ? "scatter_max"
                               : ops[turn % 5],
                    type, between(1, 500), between(2048, 4000), between(1, 7));
    }
  }
  // Two coordinates from data, windows of rows, and positions of two axes.
  check(R"(func @f(%x: f32[9, 5, 11], %i: i32[40, 60], %j: i32[40, 60], %u: f32[40, 60, 1, 1, 11]) -> f32[9, 5, 11] {
  %0: f32[9, 5, 11] = scatter_add %x, %i, %j, %u {axes=[0, 1]}
  return %0
})");
  check(R"(func @f(%x: f32[50, 6, 3], %i: i32[2500], %u: f32[2500, 1, 4, 3]) -> f32[50, 6, 3] {
  %0: f32[50, 6, 3] = scatter_max %x, %i, %u {axes=[0]}
  return %0
})");
  // So many updates that they are sorted by the digits of their destinations, of which there are one and two.
  check_scatter("scatter_add", "f32", 200, 30000, 1);
  check_scatter("scatter", "i32", 1000, 70000, 2);
  check_scatter("scatter_add", "f32", 70000, 530000, 1, 70000);
  // Elements that no update changes, of an operand that a kernel computes, and of one that the caller goes on reading.
  for (const char* op : {"scatter_add", "scatter"})
    check(std::string(R"(func @f(%x: f32[9000, 5], %i: i32[2100], %u: f32[2100, 1, 5]) -> (f32[9000, 5], f32[9000, 5]) {
  %z: f32[] = constant 0
  %0: f32[9000, 5] = broadcast %z {shape=[9000, 5]}
  %1: f32[9000, 5] = )") +
          op + R"( %0, %i, %u {axes=[0]}
  %2: f32[9000, 5] = negative %x
  %3: f32[9000, 5] = )" +
          op + R"( %2, %i, %u {axes=[0]}
  %4: f32[9000, 5] = add %3, %2
  return %1, %4
})");
  const char* open =
      R"(func @f(%x: f32[n, k], %i: i32[m], %u: f32[m, 1, k]) -> f32[n, k] where n in [1, 100000], m in [0, 1000000] {
  %0: f32[n, k] = scatter_add %x, %i, %u {axes=[0]}
  return %0
})";
  for (auto [n, m, k] : {std::tuple{20, 3000, 3}, {1, 10, 1}, {7, 0, 2}, {3, 1, 5}})
    check(open, {{"n", n}, {"m", m}, {"k", k}});
  // So many destinations that 64 bits number them, few, some and many updates of each.
  std::string more = open;
  more.replace(more.find("100000]"), 6, "100000000000");
  for (auto [n, m, k] : {std::tuple{20, 300, 3}, {2000, 9000, 2}, {300, 40000, 1}})
    check(more, {{"n", n}, {"m", m}, {"k", k}});
}

}  // namespace
}  // namespace frit::test
