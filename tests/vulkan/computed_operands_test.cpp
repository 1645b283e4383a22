// Products on a GPU whose right operand a kernel computes: shaders of few rows compute it while they read it, and the
// kernel is not launched.
#include <gtest/gtest.h>

#include "tests/vulkan/programs.h"

namespace frit::test {
namespace {

using namespace ir;

enum class Weights : uint8_t { Packed, Cast, Scaled };

struct Computed {
  std::string type = "f32";
  Weights weights = Weights::Packed;
  int batch = 1, m = 4, k = 256, n = 64, bits = 4;
  bool along = true, epilogue = false,
       shared = false;  // along: a line of weights lies along k; shared: they are returned
};

std::string sizes(std::initializer_list<int> all) {
  std::string text;
  for (int n : all) text += (text.empty() ? "[" : ", ") + std::to_string(n);
  return text + "]";
}

// Codes of a few bits, packed into words of 32, as T of two axes.
std::string unpacked(int rows, int columns, int bits, const std::string& type) {
  const int per = 32 / bits;
  const std::string words = sizes({rows, columns / per}), all = sizes({rows, columns / per, per});
  const auto spread = [&](const std::string& name, const std::string& value, const std::string& from) {
    return "  %" + name + "0: u32" + from + " = " + value + "\n  %" + name + ": u32" + all + " = broadcast %" + name +
           "0 {shape=" + all + "}\n";
  };
  // Small numbers of the input become words with bits everywhere.
  return spread("factor", "constant 305419897", "[]") +
         spread("word", "reshape %y {shape=" + sizes({rows, columns / per, 1}) + "}", sizes({rows, columns / per, 1})) +
         spread("place", "iota {axis=0, dtype=u32, shape=" + sizes({per}) + ", step=" + std::to_string(bits) + "}",
                sizes({per})) +
         spread("mask", "constant " + std::to_string((1 << bits) - 1), "[]") + "  %many: u32" + all +
         " = multiply %word, %factor\n  %moved: u32" + all + " = right_shift %many, %place\n  %codes: u32" + all +
         " = bitwise_and %moved, %mask\n  %lines: u32" + sizes({rows, columns}) +
         " = reshape %codes {shape=" + sizes({rows, columns}) + "}\n  %made: T" + sizes({rows, columns}) +
         " = astype %lines {dtype=" + type + "}\n";
}

std::string graph(const Computed& c) {
  const int rows = c.along ? c.n : c.k, columns = c.along ? c.k : c.n;
  const std::string x = "T" + sizes({c.batch, c.m, c.k}), r = "T" + sizes({c.batch, c.m, c.n});
  const std::string w = "T" + sizes({rows, columns}), of = sizes({rows, columns});
  const std::string y = c.weights == Weights::Packed ? "u32" + sizes({rows, columns * c.bits / 32}) : "i32" + of;
  std::string text = "func @f(%x: " + x + ", %y: " + y + ", %z: T" + sizes({rows, 1}) + ", %e: " + r + ") -> " +
                     (c.shared ? "(" + r + ", " + w + ")" : r) + " {\n";
  if (c.weights == Weights::Packed)
    text += unpacked(rows, columns, c.bits, c.type);
  else if (c.weights == Weights::Cast)
    text += "  %made: " + w + " = astype %y {dtype=" + c.type + "}\n";
  else
    text += "  %0: " + w + " = astype %y {dtype=" + c.type + "}\n  %1: " + w + " = broadcast %z {shape=" + of +
            "}\n  %made: " + w + " = multiply %0, %1\n";
  const std::string b = sizes({c.batch, c.k, c.n});
  if (c.along) text += "  %turned: T" + sizes({c.k, c.n}) + " = transpose %made {axes=[1, 0]}\n";
  text += std::string("  %b: T") + b + " = broadcast %" + (c.along ? "turned" : "made") + " {shape=" + b +
          "}\n  %p: " + r + " = matmul %x, %b\n";
  if (c.epilogue) text += "  %q: " + r + " = maximum %p, %e\n";
  text = with_type(text + "  return " + (c.epilogue ? "%q" : "%p") + (c.shared ? ", %made" : "") + "\n}", c.type);
  return text;
}

using ComputedOperands = TimedPrograms;

TEST_F(ComputedOperands, FewRows) {
  for (const char* type : {"f32", "f16", "bf16"})
    for (int i = 0; i < 3; ++i) {
      Computed c;
      c.type = type;
      c.weights = static_cast<Weights>(i);
      c.bits = pick({2, 4, 8});
      c.batch = pick({1, 1, 3});
      c.m = pick({1, 2, 7, 16, 17, 32, static_cast<int>(between(random_, 1, 32))});
      c.k = 32 * static_cast<int>(between(random_, 1, 15));
      c.n = static_cast<int>(between(random_, 1, 150));
      c.epilogue = chance(random_, 40);
      check(graph(c), {}, Values::Exact, pick({0, 0, 1}));
      if (HasFatalFailure()) return;
      EXPECT_EQ(launches(), 1u) << graph(c);
    }
}

// Many steps are shared by workgroups, and the sums of their parts are added by a second launch.
TEST_F(ComputedOperands, PartsOfK) {
  for (const char* type : {"f32", "f16", "bf16"}) {
    Computed c;
    c.type = type;
    c.m = pick({1, 5, 20}), c.k = 32 * static_cast<int>(between(random_, 80, 100)), c.n = pick({33, 64});
    check(graph(c), {}, Values::Exact);
    if (HasFatalFailure()) return;
    EXPECT_EQ(launches(), 2u) << graph(c);
  }
}

// More rows use each weight more often, and others may want the weights too.
TEST_F(ComputedOperands, Stored) {
  for (const char* type : {"f32", "f16"})
    for (bool along : {false, true})
      for (bool shared : {false, true}) {
        Computed c;
        c.type = type, c.along = along, c.shared = shared, c.m = shared ? 5 : 70, c.k = 96;
        check(graph(c), {}, Values::Exact);
        if (HasFatalFailure()) return;
        EXPECT_EQ(launches(), 2u) << graph(c);
      }
}

// Weights whose lines lie beside each other: by matrix units alone.
TEST_F(ComputedOperands, Beside) {
  for (const char* type : {"f32", "f16", "bf16"})
    for (Weights weights : {Weights::Packed, Weights::Cast}) {
      Computed c;
      // Matrix units take products of 256 steps and more; others would share so many by workgroups.
      c.type = type, c.weights = weights, c.along = false, c.m = pick({2, 9, 32}),
      c.k = std::string(type) == "f32" ? 160 : 288, c.n = 32 * pick({1, 2, 5});
      check(graph(c), {}, Values::Exact);
      if (HasFatalFailure()) return;
      EXPECT_LE(launches(), 2u) << graph(c);
    }
}

}  // namespace
}  // namespace frit::test
