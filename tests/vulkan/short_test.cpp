// Short axes on a GPU: rows that an invocation takes by itself, tiles of transposes with a short side, columns that are
// combined by few invocations, and elements that an invocation takes several of.
#include <gtest/gtest.h>

#include "tests/vulkan/programs.h"

namespace frit::test {
namespace {

class Short : public Programs {
 protected:
  static std::string shape(std::initializer_list<int64_t> sizes) {
    std::string text;
    for (int64_t s : sizes) text += (text.empty() ? "[" : ", ") + std::to_string(s);
    return text + "]";
  }
};

// So many rows that each has an invocation, which reads and writes them through shared memory: whole workgroups of them
// and one that is not, at addresses that allow words and at others.
TEST_F(Short, RowsOfOneInvocation) {
  int turn = 0;
  for (const char* type : {"f32", "bf16", "f16", "f32"}) {
    const int64_t n = between(random_, 32768, 33100), m = turn == 0 ? 10 : turn == 1 ? 3 : between(random_, 2, 32);
    const std::string x = shape({n, m}), kept = shape({n, 1}), rows = shape({n});
    check(
        with_type("func @f(%x: T" + x + ", %w: T[" + std::to_string(m) + "]) -> (T" + x + ", T" + rows + ") {\n" +
                      "  %0: T" + x + " = multiply %x, %x\n  %1: T" + kept + " = mean %0 {axes=[1], keepdims=true}\n" +
                      "  %2: T" + kept + " = rsqrt %1\n  %3: T" + x + " = broadcast %2 {shape=" + x + "}\n  %4: T" + x +
                      " = multiply %x, %3\n  %5: T" + x + " = broadcast %w {shape=" + x + "}\n  %6: T" + x +
                      " = multiply %4, %5\n  %7: T" + rows + " = max %x {axes=[1]}\n  return %6, %7\n}",
                  type),
        {}, Values::Ordinary, turn++ % 2, false, 8);
  }
}

TEST_F(Short, PlacesAndSumsOfEveryType) {
  auto gpu = runtime::find_gpu();
  ASSERT_TRUE(gpu.ok());
  if (!(*gpu)->info().features.int64) GTEST_SKIP() << "no 64-bit integers";
  for (const char* type : {"f32", "bf16", "f16", "i32", "u8", "i8", "i16", "u16", "bool", "i64", "u32"}) {
    const std::string n = std::to_string(between(random_, 32768, 33100)), m = std::to_string(between(random_, 2, 17));
    check(
        with_type("func @f(%x: T[" + n + ", " + m + "], %y: T[" + n + ", " + m + "]) -> (u32[" + n + "], T[" + n +
                      ", " + m + "]) {\n  %0: u32[" + n + "] = argmax %x {axes=[1]}\n  %1: T[" + n +
                      ", 1] = max %x {axes=[1], keepdims=true}\n  %2: T[" + n + ", " + m + "] = broadcast %1 {shape=[" +
                      n + ", " + m + "]}\n  %3: T[" + n + ", " + m + "] = minimum %2, %y\n  return %0, %3\n}",
                  type),
        {}, Values::Special);
  }
}

TEST_F(Short, SoftmaxOfRows) {
  for (const char* type : {"f32", "f16"})
    for (const int64_t m : {int64_t{2}, int64_t{9}, between(random_, 10, 32)}) {
      const std::string x = shape({between(random_, 32768, 33000), m});
      check(with_type(
          "func @f(%x: T" + x + ") -> T" + x + " {\n  %0: T" + x + " = softmax %x {axes=[1]}\n  return %0\n}", type));
    }
}

// Rows of 16 bits lie in shared memory two elements to a word where all have an even length, and beside rows of other
// types one to a word.
TEST_F(Short, PairsOfElements) {
  int turn = 0;
  for (const char* type : {"f16", "bf16"})
    for (const int64_t m : {int64_t{24}, int64_t{14}, 2 * between(random_, 5, 16), 2 * between(random_, 5, 15) + 1}) {
      const int64_t n = between(random_, 32768, 33000);
      const std::string x = shape({n, m}), kept = shape({n, 1});
      check(with_type("func @f(%x: T" + x + ", %y: T" + x + ") -> (T" + x + ", f32" + (turn % 4 == 1 ? x : kept) +
                          ") {\n  %0: T" + kept + " = max %x {axes=[1], keepdims=true}\n  %1: T" + x +
                          " = broadcast %0 {shape=" + x + "}\n  %2: T" + x + " = subtract %x, %1\n  %3: T" + x +
                          " = multiply %2, %y\n  %4: f32" + (turn % 4 == 1 ? x : kept) + " = astype %" +
                          (turn % 4 == 1 ? "2" : "0") + " {dtype=f32}\n  return %3, %4\n}",
                      type),
            {}, Values::Ordinary, turn % 2);
      ++turn;
    }
}

// Values of a row that stay in registers are rounded as in memory.
TEST_F(Short, KeptValuesAreRounded) {
  for (const char* type : {"f16", "bf16"})
    for (const int64_t m : {between(random_, 10, 32), between(random_, 200, 700)}) {
      const std::string x = shape({m < 100 ? 32800 : 4100, m}), kept = shape({m < 100 ? 32800 : 4100, 1});
      check(with_type("func @f(%x: T" + x + ", %y: T" + x + ") -> T" + x + " {\n  %0: T" + x +
                          " = multiply %x, %y\n  %1: T" + x + " = subtract %0, %y\n  %2: T" + kept +
                          " = max %1 {axes=[1], keepdims=true}\n  %3: T" + x + " = broadcast %2 {shape=" + x +
                          "}\n  %4: T" + x + " = subtract %1, %3\n  return %4\n}",
                      type));
    }
}

TEST_F(Short, SidesOfTransposes) {
  for (const char* type : {"f32", "bf16", "i8", "i64", "bool"})
    for (int i = 0; i < 4; ++i) {
      const int64_t n = i < 2 ? between(random_, 2, 9) : between(random_, 9, 70),
                    m = i == 0 ? 1024 : between(random_, 300, 2000);
      const std::string tall = shape({m, n}), wide = shape({n, m});
      const std::string &from = i % 2 ? wide : tall, &to = i % 2 ? tall : wide;
      check(with_type("func @f(%x: T" + from + ", %y: T" + to + ") -> T" + to + " {\n  %0: T" + to +
                          " = transpose %x {axes=[1, 0]}\n  %1: T" + to + " = maximum %0, %y\n  return %1\n}",
                      type),
            {}, Values::Special, i == 3);
    }
}

// Accesses of less than 16 bytes, of more than a million elements.
TEST_F(Short, ElementsInTurns) {
  for (const char* type : {"f32", "u8"}) {
    const int64_t n = 64, m = between(random_, 17001, 17600);  // rows whose operands have a kernel each
    const std::string x = shape({n, m}), y = shape({n, 4}), both = shape({n, m + 4});
    check(with_type("func @f(%x: T" + x + ", %y: T" + y + ") -> T" + both + " {\n  %0: T" + both +
                        " = concatenate %x, %y {axis=1}\n  return %0\n}",
                    type));
  }
  check(
      "func @f(%x: bf16[24, 44060], %y: bf16[44060]) -> bf16[24, 44060] {\n  %0: bf16[24, 44060] = broadcast %y {shape=[24, 44060]}\n"
      "  %1: bf16[24, 44060] = subtract %x, %0\n  return %1\n}");
}

// Short rows of several arrays, and of one with a border: an element chooses its operand.
TEST_F(Short, OperandsOfRows) {
  for (const char* type : {"f32", "bf16", "i8", "f16", "c64", "i32", "bool"}) {
    const int64_t n = between(random_, 150, 400), a = between(random_, 1, 70), b = between(random_, 1, 70),
                  c = between(random_, 1, 70), low = between(random_, 0, 3), high = between(random_, 0, 5);
    const std::string all = shape({n, a + b + c}), two = shape({n, a + b, 3}), padded = shape({n, low + a + high});
    check(with_type("func @f(%x: T" + shape({n, a}) + ", %y: T" + shape({n, b}) + ", %z: T" + shape({n, c}) +
                        ", %u: T" + shape({n, a, 3}) + ", %v: T" + shape({n, b, 3}) + ", %c: T[]) -> (T" + all + ", T" +
                        two + ", T" + padded + ") {\n  %0: T" + all + " = concatenate %x, %y, %z {axis=1}\n  %1: T" +
                        two + " = concatenate %u, %v {axis=1}\n  %2: T" + padded + " = pad %x, %c {low=[0, " +
                        std::to_string(low) + "], high=[0, " + std::to_string(high) + "]}\n  return %0, %1, %2\n}",
                    type));
  }
  // The operands' sizes are not known.
  check(
      "func @f(%x: f32[n, m], %y: f32[n, k]) -> f32[n, m + k] where n in [1, 1000], m in [1, 50], k in [1, 50] {\n"
      "  %0: f32[n, m + k] = concatenate %x, %y {axis=1}\n  return %0\n}",
      {{"n", 300}, {"m", 33}, {"k", 20}});
}

// Columns whose blocks are combined by few invocations: many loads at once, and a rest.
TEST_F(Short, FewColumns) {
  for (int i = 0; i < 4; ++i) {
    const int64_t n = i == 0 ? 70000 : between(random_, 500, 9000), m = between(random_, 1, 40);
    const std::string x = shape({n, m}), kept = shape({m});
    check("func @f(%x: f32" + x + ") -> (f32" + kept + ", f32" + kept + ") {\n  %0: f32" + kept +
          " = sum %x {axes=[0]}\n  %1: f32" + kept + " = max %x {axes=[0]}\n  return %0, %1\n}");
  }
}

}  // namespace
}  // namespace frit::test
