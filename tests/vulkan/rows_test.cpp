// Sorting and selection on a GPU against the graph interpreter, to the bit: every type, rows of one tile and of many,
// rows that share a workgroup, rows that lie apart in memory, open sizes. The CPU computes none of them.
#include <gtest/gtest.h>

#include <mutex>
#include <random>

#include "ir/interpret/interpreter.h"
#include "ir/read/parser.h"
#include "runtime/execute/library.h"
#include "support/generate.h"
#include "support/ways.h"

namespace frit::test {
namespace {

using namespace ir;

std::string by_host;  // the routine that the CPU computed last

class SortedRows : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(on_gpu()) << "run it with FRIT_TEST_TARGET=vulkan";
    if (std::string why = why_not_here(); !why.empty()) GTEST_SKIP() << why;
    by_host.clear();
    runtime::set_host_routine_notice([](std::string_view routine, std::string_view) { by_host = routine; });
  }
  void TearDown() override { runtime::set_host_routine_notice(nullptr); }

  void check(const std::string& text, const SymbolValues& symbols = {}, Values values = Values::Special,
             const std::string& host = {}) {
    auto module = ir::parse(text, "test");
    ASSERT_TRUE(module.ok()) << module.error().render(text);
    const Function& f = *(*module)->functions.at(0);
    auto planned = plan(f, true);
    ASSERT_TRUE(planned.ok()) << planned.error().str();
    auto code = codegen::build(*planned, target());
    ASSERT_TRUE(code.ok()) << code.error().str();
    std::vector<ir::Tensor> inputs = random_inputs(f, symbols, values, random_);
    auto arguments = place(f, inputs, random_);
    ASSERT_TRUE(arguments.ok()) << arguments.error().str();
    auto want = interpret(f, inputs);
    ASSERT_TRUE(want.ok()) << want.error().str();
    auto got = run_code(**code, *arguments);
    ASSERT_TRUE(got.ok()) << got.error().str();
    for (size_t i = 0; i < want->size(); ++i)
      EXPECT_EQ(difference((*want)[i], (*got)[i]), "") << "result " << i << " of\n" << text;
    EXPECT_EQ(by_host, host);
  }

  // Every routine on one operand; `kth` and `k` lie in the last axis.
  static std::string all(const std::string& type, const std::string& shape, const std::string& front,
                         const std::string& kth, const std::string& k, const std::string& facts = "") {
    const std::string x = type + "[" + shape + "]", places = "u32[" + shape + "]", top = type + "[" + front + k + "]";
    return "func @f(%x: " + x + ") -> (" + x + ", " + places + ", " + x + ", " + places + ", " + top + ")" + facts +
           " {\n" + "  %0: " + x + " = sort %x\n  %1: " + places + " = argsort %x\n  %2: " + x +
           " = partition %x {kth=" + kth + "}\n  %3: " + places + " = argpartition %x {kth=" + kth + "}\n  %4: " + top +
           " = topk %x {k=" + k + "}\n  return %0, %1, %2, %3, %4\n}";
  }

  Random random_{3};
};

// Lengths around those of tiles: 1024 elements of 8 bytes and 2048 of others are merged, 512 and fewer share a tile.
TEST_F(SortedRows, EveryTypeAndLength) {
  const std::vector<std::string> types = {"f32",  "bool", "i64", "f16", "c64", "u8",  "f64",
                                          "bf16", "i8",   "u16", "u32", "i16", "u64", "i32"};
  const std::vector<int> lengths = {1, 5, 64, 1025, 2048, 4500, 513, 20000};
  for (size_t i = 0; i < types.size(); ++i)
    for (size_t j = i % 4; j < lengths.size(); j += 4) {
      // The rarer types have the length that their tiles differ at.
      if (i >= 8 && (i + j / 4) % 2) continue;
      const int n = lengths[j], rows = n < 100 ? 67 : 2;
      const std::string size = std::to_string(n), front = std::to_string(rows) + ", ";
      check(all(types[i], front + size, front, std::to_string(n / 3), std::to_string(n / 2 + 1)));
      if (HasFatalFailure() || HasNonfatalFailure()) return;
    }
}

// So many elements that digits are quicker than merges; rows of few and of many tiles.
TEST_F(SortedRows, DigitsOfLongRows) {
  for (const auto& [type, shape] : {std::pair{"f32", "[3, 90000]"}, {"f16", "[14, 5000]"}, {"i32", "[2, 4096]"}}) {
    const std::string x = std::string(type) + shape, places = std::string("u32") + shape;
    check("func @f(%x: " + x + ") -> (" + x + ", " + places + ") {\n  %0: " + x + " = sort %x\n  %1: " + places +
          " = argsort %x\n  return %0, %1\n}");
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
}

// Rows that fit the registers of a subgroup: lengths around powers of two and those of teams, random ones, few and many
// rows, elements next to each other and apart.
TEST_F(SortedRows, ShortRowsOfEveryLength) {
  const std::vector<std::string> types = {"f32",  "bf16", "f16", "i32", "u8",  "c64", "f64",
                                          "bool", "i8",   "u16", "u32", "i16", "u64", "i64"};
  std::vector<int> lengths = {2,  3,  4,  7,   8,   9,   15,  16,  17,  31,  32, 33,
                              63, 64, 65, 100, 127, 128, 129, 200, 255, 256, 257};
  std::mt19937 draw(5);
  for (int i = 0; i < 12; ++i) lengths.push_back(1 + static_cast<int>(draw() % 600));
  for (size_t i = 0; i < lengths.size(); ++i) {
    const std::string& type = types[i % types.size()];
    const int n = lengths[i], rows = 1 + static_cast<int>(draw() % 90), k = 1 + static_cast<int>(draw()) % n;
    const std::string front = std::to_string(rows), size = std::to_string(n), few = std::to_string(std::abs(k));
    const bool apart = draw() % 3 == 0;
    const std::string x = type + "[" + front + ", " + size + "]", places = "u32[" + front + ", " + size + "]";
    const std::string top = type + "[" + front + ", " + few + "]";
    check("func @f(%a: " + (apart ? type + "[" + size + ", " + front + "]" : x) + ") -> (" + x + ", " + places + ", " +
          top + ") {\n  %x: " + x +
          (apart ? " = transpose %a {axes=[1, 0]}" : " = reshape %a {shape=[" + front + ", " + size + "]}") +
          "\n  %0: " + x + " = sort %x\n  %1: " + places + " = argsort %x\n  %2: " + top + " = topk %x {k=" + few +
          "}\n  return %0, %1, %2\n}");
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
}

// The largest of parts of a row, then of those.
TEST_F(SortedRows, LargestFew) {
  for (const char* type : {"f32", "u8", "i64", "bf16"})
    for (const auto& [n, k] : {std::pair{3000, 0},
                               {3000, 1},
                               {8192, 512},
                               {50257, 50},
                               {120000, 500},
                               {1064, 52},
                               {700, 8},
                               {20000, 1},
                               {5000, 128},
                               {2049, 33},
                               {300, 64}}) {
      const std::string x = std::string(type) + "[2, " + std::to_string(n) + "]", k_text = std::to_string(k);
      const std::string top = std::string(type) + "[2, " + k_text + "]";
      check("func @f(%x: " + x + ") -> " + top + " {\n  %0: " + top + " = topk %x {k=" + k_text + "}\n  return %0\n}");
      if (HasFatalFailure() || HasNonfatalFailure()) return;
    }
}

// A workgroup for each of so few rows would leave most of a GPU idle.
TEST_F(SortedRows, SidesOfLongRows) {
  for (const char* type : {"f32", "i64", "u8"})
    for (const auto& [n, kth] : {std::pair{65537, 0}, {70000, 69999}, {140000, 65000}}) {
      const std::string size = "[2, " + std::to_string(n) + "]", x = type + size;
      check("func @f(%x: " + x + ") -> (" + x + ", u32" + size + ") {\n  %0: " + x +
            " = partition %x {kth=" + std::to_string(kth) + "}\n  %1: u32" + size +
            " = argpartition %x {kth=" + std::to_string(kth) + "}\n  return %0, %1\n}");
    }
}

TEST_F(SortedRows, RowsThatLieApart) {
  for (const char* shape : {"700, 3, 4", "3, 5000, 2"})
    for (const char* axes : {"1, 2, 0", "2, 0, 1"}) {
      const std::string s = shape;
      const bool last_first = axes[0] == '1';
      const std::string out = s[0] == '7'  ? (last_first ? "3, 4, 700" : "4, 700, 3")
                              : last_first ? "5000, 2, 3"
                                           : "2, 3, 5000";
      check("func @f(%x: f32[" + s + "]) -> (f32[" + out + "], u32[" + out + "]) {\n  %t: f32[" + out +
            "] = transpose %x {axes=[" + axes + "]}\n  %0: f32[" + out + "] = sort %t\n  %1: u32[" + out +
            "] = argsort %t\n  return %0, %1\n}");
    }
}

TEST_F(SortedRows, OpenSizes) {
  std::string text = all("f32", "m, 2*n + 1", "m, ", "n", "n", " where m in [0, 1000], n in [0, 1000000]");
  text.insert(text.find("%x"), "%w: u8[n], ");  // where the size is read
  for (const auto& [m, n] : {std::pair<int64_t, int64_t>{3, 0}, {70, 16}, {2, 1023}, {0, 7}, {2, 3000}, {1, 33000}})
    check(text, {{"m", m}, {"n", n}});
}

TEST_F(SortedRows, Searchsorted) {
  for (const char* type : {"f32", "i64", "f16"})
    for (const char* right : {"true", "false"}) {
      const std::string t = type;
      // Many values for each row, rows that are not sorted too.
      check("func @f(%r: " + t + "[3, 1000], %v: " + t + "[3, 5, 70]) -> (u32[3, 5, 70], u32[3, 5, 70]) {\n  %s: " + t +
            "[3, 1000] = sort %r\n  %0: u32[3, 5, 70] = searchsorted %s, %v {right=" + right +
            "}\n  %1: u32[3, 5, 70] = searchsorted %r, %v {right=" + right + "}\n  return %0, %1\n}");
      check("func @f(%r: " + t + "[n], %v: " + t +
                "[m, k]) -> u32[m, k] where n in [0, 100], m in [0, 100], k in [0, 100] {\n" +
                "  %0: u32[m, k] = searchsorted %r, %v {right=" + right + "}\n  return %0\n}",
            {{"n", 31}, {"m", 4}, {"k", 9}});
    }
}

// No form takes so many leading axes in such an order. The last test, as a process is told once of each routine.
TEST_F(SortedRows, ManyAxesAreLeftToTheCpu) {
  check(
      "func @f(%x: f32[2, 3, 2, 3, 2, 3, 5]) -> f32[3, 2, 3, 2, 3, 2, 5] {\n"
      "  %t: f32[3, 2, 3, 2, 3, 2, 5] = transpose %x {axes=[5, 4, 3, 2, 1, 0, 6]}\n"
      "  %0: f32[3, 2, 3, 2, 3, 2, 5] = sort %t\n  return %0\n}",
      {}, Values::Special, "sort");
}

}  // namespace
}  // namespace frit::test
