// Shrinking of failing functions.
#include "ir/reduce/shrink.h"

#include <algorithm>

#include "ir_support.h"

namespace frit::ir::testing {
namespace {

// An op of two results becomes two parameters, as both are read.
TEST(Shrink, OpsOfSeveralResultsAreCut) {
  auto m = parsed(R"(func @f(%x: f32[2]) -> f32[2] {
  %0: f32[2] = exp %x
  %1: f32[2], %2: f32[2] = test_pair %0
  %3: f32[2] = add %1, %2
  return %3
}
)");
  const auto adds = [](const Case& c) {
    return std::any_of(c.function.ops.begin(), c.function.ops.end(),
                       [](const Op& op) { return op.def->name == "add"; });
  };
  const Case small = shrink({*m->functions.at(0), {}}, adds);
  EXPECT_TRUE(verify(small.function).ok());
  EXPECT_EQ(print(small.function),
            "func @f(%cut: f32[1], %cut_: f32[1]) -> f32[1] {\n  %0: f32[1] = add %cut, %cut_\n  return %0\n}\n");
}

}  // namespace
}  // namespace frit::ir::testing
