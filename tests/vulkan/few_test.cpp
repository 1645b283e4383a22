// Work whose results are few, or small, which takes other forms than much of it: against the interpreter of the same
// program to the bit, by the number of launches.
#include "ir/graph/scan_order.h"
#include "tests/vulkan/programs.h"

namespace frit::test {
namespace {

class Few : public TimedPrograms {
 protected:
  // `op` of an array of `type`; the type of the result is `result`.
  void check_op(const std::string& op, const std::string& type, const std::string& x, const std::string& result,
                const std::string& attributes, Values values = Values::Ordinary) {
    check("func @f(%x: " + type + x + ") -> " + result + " {\n  %0: " + result + " = " + op + " %x {" + attributes +
              "}\n  return %0\n}",
          {}, values);
  }
  std::string number(int64_t low, int64_t high) { return std::to_string(between(random_, low, high)); }
};

// Blocks of a few long rows, or columns, and a launch that combines them.
TEST_F(Few, Reductions) {
  const bool places = (*runtime::find_gpu())->info().features.int64;
  for (const char* type : {"f32", "bf16"})
    for (const char* op : {"sum", "max", "argmax"}) {
      if (op[0] == 'a' && !places) continue;
      const std::string result = op[0] == 'a' ? "u32" : type, m = number(2, 70);
      check_op(op, type, "[3, " + number(49153, 60000) + "]", result + "[3]", "axes=[1]");
      EXPECT_EQ(launches(), 2u) << op;
      check_op(op, type, "[" + number(4097, 8000) + ", " + m + "]", result + "[" + m + "]", "axes=[0]");
      EXPECT_EQ(launches(), 2u) << op;
    }
  check_op("sum", "f32", "[2, 40000]", "f32[2]", "axes=[1]");
  EXPECT_EQ(launches(), 1u);
}

TEST_F(Few, FunctionsOfRows) {
  for (const char* x : {"[4, 20000]", "[2, 16391]"}) {  // blocks of one length, and one of another
    check_op("softmax", "f32", x, std::string("f32") + x, "axes=[1]");
    EXPECT_GE(launches(), 3u) << x;
  }
  check_op("var", "f32", "[3, 49160]", "f32[3]", "axes=[1]");
  EXPECT_GE(launches(), 2u);
  check_op("var", "f32", "[5630, 7]", "f32[7]", "axes=[0]");
  EXPECT_GE(launches(), 2u);
}

// Blocks are short where rows are, and no longer than a row may be without any.
TEST_F(Few, ScansOfColumns) {
  for (const auto& [length, block] :
       {std::pair<int64_t, int64_t>{512, 0}, {513, 64}, {32768, 64}, {32832, 128}, {131328, 512}, {9000000, 512}}) {
    const std::string x = "f32[" + std::to_string(length) + ", 2]";
    const Function f =
        function("func @f(%x: " + x + ") -> " + x + " {\n  %0: " + x + " = cumsum %x {axis=0}\n  return %0\n}");
    EXPECT_EQ(scan_loop(f.ops[0], f.type(f.ops[0].results[0]), f.facts, true).block, block) << length;
    EXPECT_EQ(scan_loop(f.ops[0], f.type(f.ops[0].results[0]), f.facts, false).block, 0) << length;
  }
  for (const char* type : {"f32", "bf16"})
    for (const std::string& n : {number(513, 2000), std::string("33001")}) {
      const std::string x = "[" + n + ", 3]";
      check_op("cumsum", type, x, type + x, "axis=0");
      check_op("cummax", type, x, type + x, "axis=0, reverse=true", Values::Special);
    }
}

TEST_F(Few, OperandsOfAConcatenation) {
  check(
      "func @f(%x: f32[1750, 4], %y: f32[1750, 64]) -> f32[1750, 68] {\n"
      "  %0: f32[1750, 68] = concatenate %x, %y {axis=1}\n  return %0\n}");
  EXPECT_EQ(launches(), 1u);
}

// Operands along any axis, whose elements are chosen among, or which have a launch each; those run side by side.
TEST_F(Few, ManyOperandsOfAConcatenation) {
  const auto shape = [](const int64_t(&sizes)[3]) {
    return "[" + std::to_string(sizes[0]) + ", " + std::to_string(sizes[1]) + ", " + std::to_string(sizes[2]) + "]";
  };
  for (const char* type : {"f32", "bf16", "u8", "c64", "f16", "i64"})
    for (const int64_t most : {2, 12, 33, 40}) {
      const int64_t count = most == 33 ? most : between(random_, 2, most), axis = between(random_, 0, 2);
      const int64_t sizes[3] = {between(random_, 1, 9), between(random_, 1, 30), between(random_, 1, 12)};
      std::string params, names;
      int64_t sum = 0;
      for (int64_t i = 0; i < count; ++i) {
        int64_t own[3] = {sizes[0], sizes[1], sizes[2]};
        sum += own[axis] = between(random_, most == 33 ? 17 : 1, most == 12 ? 60 : 25);
        const std::string name = "%x" + std::to_string(i);
        params += (i ? ", " : "") + name + ": T" + shape(own);
        names += (i ? ", " : "") + name;
      }
      int64_t all[3] = {sizes[0], sizes[1], sizes[2]};
      all[axis] = sum;
      const std::string result = "T" + shape(all);
      check(with_type("func @f(" + params + ") -> " + result + " {\n  %0: " + result + " = concatenate " + names +
                          " {axis=" + std::to_string(axis) + "}\n  return %0\n}",
                      type),
            {}, Values::Special, most == 2);
      if (HasFatalFailure()) return;
      if (count <= 32) {
        EXPECT_EQ(launches(), 1u) << count << " operands of " << type;
      }
    }
}

// Results of arithmetic are rounded to bf16 once, to the nearest, and those that are no numbers stay so.
TEST_F(Few, RoundedResults) {
  for (const Values values : {Values::Ordinary, Values::Special})
    for (const char* op : {"add", "multiply", "divide", "maximum", "remainder"})
      check(std::string("func @f(%x: bf16[4001], %y: bf16[4001]) -> (bf16[4001], bf16[4001]) {\n  %0: bf16[4001] = ") +
                op + " %x, %y\n  %1: bf16[4001] = subtract %0, %x\n  return %0, %1\n}",
            {}, values);
}

}  // namespace
}  // namespace frit::test
