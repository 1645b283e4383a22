// Scans, scatters and reductions of many states on a GPU against the interpreter of the same program, to the bit.
#include "tests/vulkan/programs.h"

namespace frit::test {
namespace {

class Scans : public Programs {};

// Scans by the lanes of a workgroup: parts of a subgroup, several turns, both directions, values before and after.
TEST_F(Scans, RowsOfAnyLength) {
  std::uniform_int_distribution<int> count(1, 90), length(1, 4000), either(0, 1);
  const char* lengths[] = {"1", "2", "7", "32", "60", "300", "1024", "1025", "5000"};
  auto gpu = runtime::find_gpu();
  ASSERT_TRUE(gpu.ok());
  const runtime::GpuFeatures& has = (*gpu)->info().features;
  const char* types[] = {"f32", "f16", "bf16", "i32", "u8", has.int64 ? "i64" : "i32", has.float64 ? "f64" : "f32"};
  const char* ops[] = {"cumsum", "cumprod", "cummax", "cummin", "logcumsumexp"};
  for (int i = 0; i < 21; ++i) {
    const std::string m = i < 18 ? lengths[i % 9] : std::to_string(length(random_)), n = std::to_string(count(random_)),
                      shape = "[" + n + ", " + m + "]", type = types[i % 7], op = ops[type[0] == 'f' ? i % 5 : i % 4];
    const std::string attributes = std::string(" {axis=1, reverse=") + (either(random_) ? "true" : "false") +
                                   ", inclusive=" + (either(random_) ? "true" : "false") + "}";
    check(with_type("func @f(%x: T" + shape + ") -> T" + shape + " {\n  %0: T" + shape + " = " + op + " %x" +
                        attributes + "\n  return %0\n}",
                    type),
          {}, Values::Ordinary, 0, false, op == "logcumsumexp" ? 4 : 0);
  }
  // A scan of a scan with work around them, at an odd address and with open sizes.
  const char* chain = R"(func @f(%x: f32[n, m]) -> (f32[n, m], f32[n, m]) where m in [1, 100000] {
  %0: f32[n, m] = square %x
  %1: f32[n, m] = cumsum %0 {axis=1}
  %2: f32[n, m] = subtract %1, %x
  %3: f32[n, m] = cummax %2 {axis=1, inclusive=false}
  %4: f32[n, m] = multiply %1, %x
  return %3, %4
})";
  for (auto [n, m] : {std::pair{3, 4096}, {5, 1003}, {70, 7}, {1, 20001}}) {
    check(chain, {{"n", n}, {"m", m}});
    check(chain, {{"n", n}, {"m", m}}, Values::Ordinary, 1);
  }
}

// So many rows that few invocations take each in turns: of whole and of odd lengths, with turns in a loop and behind
// it, both directions, extremes and sums, and what is read beside them.
TEST_F(Scans, ManyRowsInTurns) {
  const char* types[] = {"f32", "f16", "bf16", "i32", "u8"};
  const char* ops[] = {"cumsum", "cummax", "cumprod", "cummin"};
  std::uniform_int_distribution<int> length(33, 400);
  std::vector<std::string> lengths{"40", "77", "96", "256", "301", "601", "1024", "1031", "2044"};
  for (int i = 0; i < 3; ++i) lengths.push_back(std::to_string(length(random_)));
  int turn = 0;
  for (const std::string& m : lengths) {
    const std::string type = types[turn % 5], x = "[4097, " + m + "]";
    const std::string attributes = std::string(" {axis=1, reverse=") + (turn % 3 == 1 ? "true" : "false") +
                                   ", inclusive=" + (turn % 4 == 2 ? "false" : "true") + "}";
    check(with_type("func @f(%x: T" + x + ", %y: T" + x + ") -> (T" + x + ", T" + x + ") {\n  %0: T" + x +
                        " = subtract %x, %y\n  %1: T" + x + " = " + ops[turn % 4] + " %0" + attributes + "\n  %2: T" +
                        x + " = maximum %1, %y\n  return %1, %2\n}",
                    type),
          {}, turn % 3 ? Values::Ordinary : Values::Special, turn % 2);
    ++turn;
  }
}

// Still more rows, which are so short that an invocation takes one by itself.
TEST_F(Scans, RowsOfOneInvocation) {
  const char* types[] = {"f16", "f32", "bf16", "u8", "i32", "f16"};
  const char* lengths[] = {"19", "4", "32", "7", "24", "31"};
  for (int i = 0; i < 6; ++i) {
    const std::string x = "[32771, " + std::string(lengths[i]) + "]", type = types[i];
    const std::string attributes = std::string(" {axis=1, inclusive=") + (i % 2 ? "false" : "true") +
                                   ", reverse=" + (i % 3 ? "false" : "true") + "}";
    check(with_type("func @f(%x: T" + x + ") -> T" + x + " {\n  %0: T" + x + " = multiply %x, %x\n  %1: T" + x + " = " +
                        (i % 3 == 2 ? "cummax" : "cumsum") + " %0" + attributes + "\n  return %1\n}",
                    type),
          {}, Values::Ordinary, i % 2);
  }
}

// Rows that allow no wide access go through shared memory, with all that is read and written beside the scan. Extremes
// keep the places of numbers that are none and the signs of zeros.
TEST_F(Scans, RowsThatBeginAnywhere) {
  const char* types[] = {"f16", "f32", "bf16", "u8", "i32"};
  const char* ops[] = {"cumsum", "cummax", "cummin"};
  int turn = 0;
  for (const char* m : {"487", "599", "1599", "2703", "5001"})
    for (const char* op : ops) {
      const std::string type = types[turn % 5], x = "[3, " + std::string(m) + "]";
      const std::string inclusive = turn % 2 ? "true" : "false";
      check(with_type("func @f(%x: T" + x + ", %y: T" + x + ") -> (T" + x + ", T" + x + ") {\n  %0: T" + x +
                          " = subtract %x, %y\n  %1: T" + x + " = " + op + " %0 {axis=1, inclusive=" + inclusive +
                          "}\n  %2: T" + x + " = maximum %1, %y\n  return %1, %2\n}",
                      type),
            {}, turn % 3 ? Values::Special : Values::Ordinary, turn % 2);
      ++turn;
    }
}

// Updates of few elements are spread over parts of the result; those of one row are applied in order.
TEST_F(Scans, ScattersByParts) {
  auto gpu = runtime::find_gpu();
  ASSERT_TRUE(gpu.ok());
  if (!(*gpu)->info().features.int64) GTEST_SKIP() << "no 64-bit integers";
  for (const char* type : {"f32", "i32"})
    for (const auto& [rows, row] : {std::pair{7, 3}, {90, 1}, {2, 130}}) {
      const std::string c = std::to_string(row), result = "T[" + std::to_string(rows) + ", " + c + "]";
      for (const char* op : {"scatter_add", "scatter_max"})
        check(with_type("func @f(%x: " + result + ", %i: i32[300], %u: T[300, 1, " + c + "]) -> " + result +
                            " {\n  %0: " + result + " = " + op + " %x, %i, %u {axes=[0]}\n  return %0\n}",
                        type));
    }
  check(R"(func @f(%x: f32[n], %i: i32[m], %u: f32[m, 1]) -> f32[n] where n in [1, 100], m in [0, 100000] {
  %0: f32[n] = scatter_add %x, %i, %u {axes=[0]}
  return %0
})",
        {{"n", 20}, {"m", 701}});
}

// More states of sums than shared memory holds at once.
TEST_F(Scans, ManySumsOfOneRow) {
  auto gpu = runtime::find_gpu();
  ASSERT_TRUE(gpu.ok());
  if (!(*gpu)->info().features.float64) GTEST_SKIP() << "no float64";
  std::string text = "func @f(%x: f64[3, 1100]) -> (", results;
  for (int i = 0; i < 8; ++i) text += i ? ", f64[3]" : "f64[3]";
  text += ") {\n";
  for (int i = 0; i < 8; ++i) {
    const std::string n = std::to_string(i);
    text += "  %c" + n + ": f64[] = constant " + std::to_string(i + 2) + "\n  %b" + n +
            ": f64[3, 1100] = broadcast %c" + n + " {shape=[3, 1100]}\n  %p" + n + ": f64[3, 1100] = multiply %x, %b" +
            n + "\n  %s" + n + ": f64[3] = " + (i % 5 == 4 ? "max" : "sum") + " %p" + n + " {axes=[1]}\n";
    results += (i ? ", %s" : " %s") + n;
  }
  check(text + "  return" + results + "\n}");
}

}  // namespace
}  // namespace frit::test
