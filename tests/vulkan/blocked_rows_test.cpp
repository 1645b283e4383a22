// Two reductions of long rows, of which the second waits for the first, in blocks: against the interpreter of the same
// program to the bit, and against the graph's interpreter, which computes in double.
#include <gtest/gtest.h>

#include "ir/interpret/interpreter.h"
#include "tests/vulkan/programs.h"

namespace frit::test {
namespace {

class BlockedRows : public TimedPrograms {
 protected:
  // `op` over `axis` of x; `close`: the most that a result may differ from the definition, as a part of it.
  void check_row(const std::string& op, const std::string& type, const std::string& x, const std::string& result,
                 int axis, double close, Values values = Values::Ordinary) {
    const std::string text = with_type("func @f(%x: T" + x + ") -> T" + result + " {\n  %0: T" + result + " = " + op +
                                           " %x {axes=[" + std::to_string(axis) + "]}\n  return %0\n}",
                                       type);
    check(text, {}, values);
    Function f = function(text);
    auto planned = plan(f, true);
    ASSERT_TRUE(planned.ok()) << planned.error().str();
    const std::vector<Tensor> inputs = random_inputs(f, {}, values, random_);
    std::vector<Tensor> placed = inputs;
    auto arguments = place(f, placed, random_);
    ASSERT_TRUE(arguments.ok()) << arguments.error().str();
    auto got = run_program(*planned, *arguments);
    auto want = interpret(f, inputs);
    ASSERT_TRUE(got.ok() && want.ok());
    for (int64_t e = 0; e < (*want)[0].size(); ++e) {
      const double w = (*want)[0].at(e), g = (*got)[0].at(e);
      if (std::isfinite(w))
        ASSERT_NEAR(w, g, close * std::max(std::fabs(w), 1e-6)) << "at " << e << " of\n" << text;
      else
        ASSERT_TRUE(std::isnan(w) ? std::isnan(g) : w == g) << w << " and " << g << " at " << e << " of\n" << text;
    }
  }

  std::string number(int64_t low, int64_t high) { return std::to_string(between(random_, low, high)); }
};

TEST_F(BlockedRows, Columns) {
  for (const char* type : {"f32", "f16", "bf16"}) {
    const double close = std::string(type) == "f32" ? 3e-6 : std::string(type) == "f16" ? 2e-3 : 2e-2;
    const std::string m = number(2, 5), x = "[" + number(8193, 9000) + ", " + m + "]";
    check_row("var", type, x, "[" + m + "]", 0, close);
    check_row("logsumexp", type, x, "[" + m + "]", 0, close);
    check_row("softmax", type, x, x, 0, 2 * close);
    EXPECT_LE(launches(), 4u) << x;
  }
  const std::string n = number(8193, 8400);
  check_row("var", "f32", "[3, " + n + ", 2]", "[3, 2]", 1, 3e-6);
}

TEST_F(BlockedRows, Rows) {
  const std::string n = number(65537, 80000);
  check_row("var", "f32", "[" + n + "]", "[]", 0, 3e-6);
  EXPECT_LE(launches(), 3u) << n;
  check_row("softmax", "bf16", "[2, " + n + "]", "[2, " + n + "]", 1, 4e-2);
  check_row("logsumexp", "f16", "[3, 66560]", "[3]", 1, 2e-3);
}

// Infinities and numbers that are none, in some of the blocks.
TEST_F(BlockedRows, SpecialValues) {
  for (int round = 0; round < 2; ++round) {
    const std::string m = number(2, 3), x = "[" + number(8193, 8400) + ", " + m + "]";
    check_row("logsumexp", "f32", x, "[" + m + "]", 0, 3e-6, Values::Special);
    check_row("softmax", "f32", x, x, 0, 6e-6, Values::Special);
  }
}

}  // namespace
}  // namespace frit::test
