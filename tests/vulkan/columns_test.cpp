// Reductions along columns: invocations that lie side by side have columns that lie side by side, several share one,
// and what several loops read stays in registers. Against the interpreter of the same program, to the bit.
#include <gtest/gtest.h>

#include "tests/vulkan/programs.h"

namespace frit::test {
namespace {

class Columns : public TimedPrograms {
 protected:
  static std::string shape(std::initializer_list<int64_t> sizes) {
    std::string text;
    for (int64_t s : sizes) text += (text.empty() ? "[" : ", ") + std::to_string(s);
    return text + "]";
  }

  bool has_int64() {
    auto gpu = runtime::find_gpu();
    return gpu.ok() && (*gpu)->info().features.int64;
  }

  // Sums of narrow integers have 32 bits.
  static std::string sum_type(const std::string& type) {
    return type == "u8" ? "u32" : type == "i8" || type == "i16" ? "i32" : type;
  }

  // Sums, extremes and squares of one axis, which one kernel computes, and the elements less their mean.
  void check_all(const std::string& type, const std::string& x, const std::string& kept, const std::string& one,
                 int axis, const SymbolValues& symbols = {}, int64_t shift = 0, bool donate = false) {
    const std::string over = " {axes=[" + std::to_string(axis) + "]}",
                      keep = " {axes=[" + std::to_string(axis) + "], keepdims=true}";
    const std::string sum = sum_type(type) + kept;
    check(with_type("func @f(%x: T" + x + ") -> (" + sum + ", T" + kept + ", " + sum + ", T" + x + ") {\n  %0: " + sum +
                        " = sum %x" + over + "\n  %1: T" + kept + " = min %x" + over + "\n  %2: T" + x +
                        " = multiply %x, %x\n  %3: " + sum + " = sum %2" + over + "\n  %4: T" + one + " = max %x" +
                        keep + "\n  %5: T" + x + " = broadcast %4 {shape=" + x + "}\n  %6: T" + x +
                        " = subtract %x, %5\n  return %0, %1, %3, %6\n}",
                    type),
          symbols, Values::Ordinary, shift, donate);
  }

  void check_one(const std::string& op, const std::string& type, const std::string& x, const std::string& result,
                 const SymbolValues& symbols = {}, bool donate = false) {
    check(with_type("func @f(%x: T" + x + ") -> " + result + " {\n  %0: " + result + " = " + op +
                        " %x {axes=[0]}\n  return %0\n}",
                    type),
          symbols, Values::Ordinary, 0, donate);
  }
};

// From columns of one element to those of several blocks, few and many of them.
TEST_F(Columns, ReductionsOfEveryType) {
  const std::pair<int64_t, int64_t> lengths[] = {{1, 9}, {10, 130}, {131, 700}, {2000, 4096}, {4097, 9000}};
  std::vector<std::string> types{"f32", "f16", "bf16", "i32"};
  for (const char* other : {"u8", "i16"}) types.push_back(other);
  if (has_int64()) types.push_back("i64");
  int turn = 0;
  for (int round = 0; round < 2; ++round)
    for (const std::string& type : types) {
      const auto& [low, high] = lengths[turn % 5];
      const int64_t n = between(random_, low, high),
                    m = between(random_, 2, turn % 2 ? 9 : std::max(40000 / high, int64_t{9}));
      check_all(type, shape({n, m}), shape({m}), shape({1, m}), 0, {}, turn % 3, turn % 2);
      ++turn;
    }
}

TEST_F(Columns, MiddleAxes) {
  for (const char* type : {"f32", "bf16", "i8"})
    for (int i = 0; i < 2; ++i) {
      const int64_t a = between(random_, 2, 9), n = between(random_, 2, 300), m = between(random_, 2, i ? 5 : 40);
      check_all(type, shape({a, n, m}), shape({a, m}), shape({a, 1, m}), 1, {}, i % 2);
    }
  // An axis in front of the last one as well: the inner axis has the lanes.
  check(
      "func @f(%x: f32[30, 7, 9, 11]) -> (f32[7, 11], f32[9]) {\n  %0: f32[7, 11] = sum %x {axes=[0, 2]}\n"
      "  %1: f32[9] = sum %x {axes=[0, 1, 3]}\n  return %0, %1\n}");
}

TEST_F(Columns, PlacesOfExtremes) {
  if (!has_int64()) GTEST_SKIP() << "no 64-bit integers";
  for (const char* type : {"f32", "bf16", "i32", "u8", "bool", "i64"})
    for (const auto& [low, high] : {std::pair{2, 300}, {3000, 4096}, {4097, 9000}}) {
      const std::string m = std::to_string(between(random_, 2, 30));
      check(with_type("func @f(%x: T[" + std::to_string(between(random_, low, high)) + ", " + m + "]) -> u32[" + m +
                          "] {\n  %0: u32[" + m + "] = argmax %x {axes=[0]}\n  return %0\n}",
                      type),
            {}, Values::Special);
    }
}

// Each element is read once where a column fits into the registers of its invocations.
TEST_F(Columns, SeveralLoopsInOneLaunch) {
  const char* types[] = {"f32", "f16", "bf16"};
  int turn = 0;
  for (const int64_t n : {between(random_, 2, 48), between(random_, 49, 1000), between(random_, 1001, 4096)}) {
    const char* type = types[turn++];
    const std::string x = shape({n, between(random_, 2, 9) + (n < 1000 ? 30 : 0)}),
                      kept = "T[" + x.substr(x.find(' ') + 1);
    check_one("var", type, x, kept);
    EXPECT_EQ(launches(), 1u) << x;
    check_one("softmax", type, x, "T" + x, {}, n % 2);
    EXPECT_EQ(launches(), 1u) << x;
    check_one("logsumexp", type, x, kept);
    EXPECT_EQ(launches(), 1u) << x;
  }
}

// So many columns of so few elements that an invocation takes several: of whole accesses and of single elements, along
// the first axis and a middle one, with places of extremes, and in several loops.
TEST_F(Columns, ManyOfFewElements) {
  const char* types[] = {"f16", "f32", "bf16", "i32", "u8"};
  int turn = 0;
  for (const int64_t n : {int64_t{3}, int64_t{8}, between(random_, 2, 7), between(random_, 2, 8), int64_t{1}}) {
    const std::string type = types[turn];
    const int64_t m = turn % 2 ? between(random_, 4400, 4500) : 4480;
    const std::string x = shape({30, n, m}), rows = shape({n, 30 * m});
    if (turn != 4) check_all(type, x, shape({30, m}), shape({30, 1, m}), 1, {}, turn % 2);
    for (const char* op : {"argmax", "argmin"})
      if (has_int64())
        check(with_type("func @f(%x: T" + rows + ") -> u32" + shape({30 * m}) + " {\n  %0: u32" + shape({30 * m}) +
                            " = " + op + " %x {axes=[0]}\n  return %0\n}",
                        type),
              {}, Values::Special);
    if (turn < 3) check_one("softmax", type, rows, "T" + rows);
    if (turn < 3) check_one("var", type, rows, "T" + shape({30 * m}));
    ++turn;
  }
}

TEST_F(Columns, OpenSizes) {
  for (auto [n, m] : {std::pair{1, 1}, {7, 70}, {300, 7}, {8193, 2}, {0, 4}, {5, 0}}) {
    const SymbolValues sizes{{"n", n}, {"m", m}};
    check_all("f32", "[n, m]", "[m]", "[1, m]", 0, sizes);
    if (n < 1000) check_one("softmax", "f16", "[n, m]", "T[n, m]", sizes);
  }
  check_all("i32", "[a, n, m]", "[a, m]", "[a, 1, m]", 1, {{"a", 3}, {"n", 200}, {"m", 6}});
}

}  // namespace
}  // namespace frit::test
