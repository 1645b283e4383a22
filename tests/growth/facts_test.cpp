// Facts about sizes: reading a function with many of them. A function has at most 256 conditions.
#include <gtest/gtest.h>

#include "ir/read/parser.h"
#include "work.h"

namespace frit::test {
namespace {

std::string chain_of_facts(int n) {
  std::string params, facts;
  for (int i = 0; i < n; ++i) {
    const std::string size = "n" + std::to_string(i);
    params += (i ? ", %x" : "%x") + std::to_string(i) + ": f32[" + size + "]";
    if (i + 1 < n) facts += (i ? ", " : "") + size + " <= n" + std::to_string(i + 1);
  }
  return "func @f(" + params + ") -> f32[n0] where " + facts + " {\n  return %x0\n}";
}

// Each condition is tried against all others once.
TEST(FactsGrowth, AChainOfConditionsIsRead) {
  const Growth g = growth({50, 100, 200}, [](int n) { ASSERT_TRUE(ir::parse(chain_of_facts(n), "facts").ok()); });
  EXPECT_LT(g.exponent, 2.2) << g.text;
}

}  // namespace
}  // namespace frit::test
