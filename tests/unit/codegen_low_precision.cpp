// Arithmetic of f16 and bf16 as chains of f32 operations with a rounding after each, against the interpreter: code
// generators may round once where that gives the same.
#include <bit>

#include "codegen_harness.h"

namespace frit::test {
namespace {

// The results of `a` op `b` for several ops, each rounded to `type`, and chains that go on with rounded values.
std::string arithmetic(const std::string& type, int vector) {
  std::string outputs, body;
  int next = 4;
  const auto line = [&](const std::string& dtype, const std::string& value) {
    body += "    %" + std::to_string(next) + ": " + dtype + " = " + value + "\n";
    return "%" + std::to_string(next++);
  };
  const auto rounded = [&](const std::string& value) { return line(type, "cast " + line("f32", value)); };
  const auto store = [&](const std::string& r) {
    const std::string name = "%out" + std::to_string(next);
    outputs += ", " + name + ": " + type + "[n] out";
    body += "    store " + name + "[i], " + r + "\n";
  };
  const auto wide = [&](const std::string& r) { return line("f32", "cast " + r); };
  for (const char* op : {"add", "sub", "mul", "div", "max", "min"}) store(rounded(std::string(op) + " %2, %3"));
  for (const char* op : {"neg", "abs", "sqrt"}) store(rounded(std::string(op) + " %2"));
  const std::string product = wide(rounded("mul %2, %2")), half = wide(rounded("mul %2, 0.5"));
  const std::string sum = wide(rounded("add " + product + ", " + half));
  store(rounded("mul " + sum + ", %3"));
  store(rounded("max " + sum + ", " + product));
  store(rounded("add " + sum + ", 0.1"));  // no number of 16 bits
  store(rounded("fma %2, %3, " + sum));
  const std::string less = line("bool", "lt " + sum + ", %3");
  store(line(type, "cast " + line("f32", "select " + less + ", " + sum + ", " + half)));
  return "kernel @k(%a: " + type + "[n] in, %b: " + type + "[n] in" + outputs + "; n) {\n  parallel for i in n" +
         (vector ? " vector " + std::to_string(vector) + " unroll 2" : "") + " {\n    %0: " + type +
         " = load %a[i]\n    %1: " + type + " = load %b[i]\n    %2: f32 = cast %0\n    %3: f32 = cast %1\n" + body +
         "  }\n}\n";
}

// Every number of 16 bits with others of all magnitudes.
std::optional<uint64_t> pairs(const std::string& name, int64_t i) {
  const auto n = static_cast<uint64_t>(i);
  if (name == "a") return n & 0xffff;
  if (name == "b") return (n * 0x9e3779b97f4a7c15u >> 40) & 0xffff;
  return std::nullopt;
}

class LowPrecision : public testing::TestWithParam<const char*> {};

TEST_P(LowPrecision, OperationsRoundAsTheInterpreterDoes) {
  for (int vector : {0, 16}) {
    Compiled compiled(parse(arithmetic(GetParam(), vector)));
    ASSERT_TRUE(compiled.ok());
    compiled.check({1 << 17}, 1, pairs);
    compiled.check({1000});
  }
}

INSTANTIATE_TEST_SUITE_P(Types, LowPrecision, testing::Values("f16", "bf16"));

// Divisors that a row has in common, of every magnitude.
TEST_P(LowPrecision, QuotientsOfRowsRoundAsTheInterpreterDoes) {
  const std::string type = GetParam();
  Compiled compiled(parse("kernel @k(%a: " + type + "[m*n] in, %b: " + type + "[m] in, %y: " + type +
                          R"([m*n] out; m, n) {
  parallel for r in m {
    %0: )" + type + R"( = load %b[r]
    %1: f32 = cast %0
    for i in n vector 16 unroll 2 {
      %2: )" + type + R"( = load %a[n*r + i]
      %3: f32 = cast %2
      %4: f32 = div %3, %1
      %5: )" + type + R"( = cast %4
      store %y[n*r + i], %5
    }
  }
}
)"));
  ASSERT_TRUE(compiled.ok());
  compiled.check({2048, 83}, 1, [](const std::string& name, int64_t i) -> std::optional<uint64_t> {
    const auto n = static_cast<uint64_t>(i);
    if (name == "a") return (n * 0x9e3779b97f4a7c15u >> 40) & 0xffff;
    if (name == "b") return (n * 32 + n / 64) & 0xffff;
    return std::nullopt;
  });
}

// Divisors of the lanes, of every magnitude, and results that are halfway between two subnormal numbers of f16, which
// no product with a rounded reciprocal finds for certain.
TEST_P(LowPrecision, QuotientsOfLanesRoundAsTheInterpreterDoes) {
  const std::string type = GetParam();
  Compiled compiled(parse("kernel @k(%a: " + type + "[m*n] in, %b: " + type + "[n] in, %y: " + type +
                          R"([m*n] out; m, n) {
  parallel for r in n vector 16 unroll 2 {
    %0: )" + type + R"( = load %b[r]
    %1: f32 = cast %0
    for i in m {
      %2: )" + type + R"( = load %a[n*i + r]
      %3: f32 = cast %2
      %4: f32 = div %3, %1
      %5: )" + type + R"( = cast %4
      store %y[n*i + r], %5
    }
  }
}
)"));
  ASSERT_TRUE(compiled.ok());
  compiled.check({83, 2048}, 1, [](const std::string& name, int64_t i) -> std::optional<uint64_t> {
    const auto n = static_cast<uint64_t>(i);
    if (name == "a") return (n * 0x9e3779b97f4a7c15u >> 40) & 0xffff;
    if (name == "b") return (n * 32 + n / 64) & 0xffff;
    return std::nullopt;
  });
  // Column r divides odd multiples of k = 2r + 1 by 2k: the bits of a subnormal f16 are its value.
  constexpr int64_t kColumns = 45, kRows = 11;
  const auto integer = [](uint64_t v) {  // as f16
    const auto exponent = static_cast<uint64_t>(std::bit_width(v) - 1);
    return (exponent + 15) << 10 | (v << (10 - exponent) & 0x3ff);
  };
  compiled.check({kRows, kColumns}, 1, [&](const std::string& name, int64_t i) -> std::optional<uint64_t> {
    const auto k = static_cast<uint64_t>(2 * (i % kColumns) + 1);
    if (name == "a") return k * static_cast<uint64_t>(2 * (i / kColumns) + 1);
    if (name == "b") return integer(2 * k);
    return std::nullopt;
  });
}

// A NaN of f32 may have any low half, and rounding must not carry it away.
TEST(LowPrecisionNan, AnyNanStaysOne) {
  for (const char* type : {"f16", "bf16"}) {
    Compiled compiled(parse("kernel @k(%a: f32[n] in, %b: " + std::string(type) + "[n] in, %x: " + type +
                            "[n] out, %y: " + type + "[n] out, %z: " + type + R"([n] out; n) {
  parallel for i in n vector 16 unroll 2 {
    %0: f32 = load %a[i]
    %1: )" + type + R"( = load %b[i]
    %2: f32 = cast %1
    %3: )" + type + R"( = cast %0
    store %x[i], %3
    %4: f32 = add %0, %2
    %5: )" + type + R"( = cast %4
    store %y[i], %5
    %6: u32 = bitcast %0
    %7: u32 = and %6, 2147483648
    %8: u32 = bitcast %2
    %9: u32 = xor %7, %8
    %10: f32 = bitcast %9
    %11: )" + type + R"( = cast %10
    store %z[i], %11
  }
}
)"));
    ASSERT_TRUE(compiled.ok());
    compiled.check({4096}, 1, [](const std::string& name, int64_t i) -> std::optional<uint64_t> {
      const auto n = static_cast<uint64_t>(i);
      if (name == "a") return 0x7f800000u | (n & 1) << 31 | (n * 2654435761u & 0x7fffff) | (n % 3 == 0 ? 0x7fffff : 1);
      return std::nullopt;
    });
  }
}

// Each value of a chain of choices follows from both values of the one before, and the code is made without following
// all ways through them.
TEST(Halves, ExtremesOfManyRowsEndInOneRounding) {
  for (const char* cpu : {"sapphirerapids", "x86-64-v3"}) {
    const auto text = backend().emit(program_of(parse(R"(kernel @k(%x: f16[496] in, %y: f16[16] out) {
  for i in 16 vector 16 {
    for r in 31 acc %0: f32 = max %2 {
      %1: f16 = load %x[i + 16*r]
      %2: f32 = cast %1
    }
    %3: f16 = cast %0
    store %y[i], %3
  }
})")),
                                     {"llvm", cpu}, "asm");
    ASSERT_TRUE(text.ok());
    EXPECT_LT(text->size(), 100000u) << cpu;
  }
}

}  // namespace
}  // namespace frit::test
