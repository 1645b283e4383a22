// Reductions over more elements than a block holds give the same bits, cut into blocks or not, fused or not, on one
// thread or two.
#include <gtest/gtest.h>

#include "ir/graph/expression.h"
#include "passes/manager/pass.h"
#include "support/generate.h"
#include "support/shrink.h"
#include "support/ways.h"

namespace frit::test {
namespace {

using namespace ir;

constexpr int64_t kLong = kReductionBlock + 4465;

// x + x, then every row that takes it with these axes. Rows that can share a kernel do.
Function reductions(const Shape& shape, const Dims& axes, Dtype dtype, OpKind kind) {
  Function f;
  f.name = "large";
  ValueId x = f.add_param("x", {dtype, shape});
  for (const Dim& d : shape)
    if (!d.is_const()) f.facts.set_range(*d.as_symbol(), {1, 2 * kLong});
  Builder b(f);
  ValueId y = b.build("add", {x, x});
  for (const OpDef* def : OpTable::instance().all()) {
    if (def->kind != kind || def->arity != 1 || !admits(def->domain, dtype)) continue;
    if (std::none_of(def->attrs.begin(), def->attrs.end(), [](const AttrSpec& s) { return s.name == "axes"; }))
      continue;
    if (auto built = b.try_build(*def, {y}, {{"axes", axes}}); built.ok()) f.results.push_back(built->front());
  }
  return f;
}

void check(const Shape& shape, const Dims& axes, const std::vector<SymbolValues>& calls) {
  Random random(7);
  for (OpKind kind : {OpKind::Reduction, OpKind::Composite})
    for (Dtype dtype : {float32, bool_, kind == OpKind::Reduction ? int16 : bfloat16, complex64}) {
#ifdef FRIT_SANITIZED
      if (dtype != float32) continue;
#endif
      Function f = reductions(shape, axes, dtype, kind);
      if (f.results.empty()) continue;
      for (const SymbolValues& call : calls) {
        std::vector<Tensor> inputs = random_inputs(f, call, Values::Ordinary, random);
        now_testing(case_text({f, inputs}));
        Ways ways;
        ways.stepwise = ways.reference = false;
        EXPECT_EQ(disagreement(f, inputs, random, ways), "") << case_text({f, inputs});
      }
    }
}

TEST(Large, OneAxis) { check({kLong * 2}, {0}, {{}}); }
TEST(Large, LastAxis) { check({2, kLong}, {1}, {{}}); }
TEST(Large, FirstAxis) { check({kLong, 2}, {0}, {{}}); }
// Columns in blocks: rows that divide by nothing and whole blocks, from one column to more than a vector holds.
TEST(Large, LongColumns) {
  Random shapes(11);
  for (int64_t columns : {1, 3}) check({4097 + static_cast<int64_t>(shapes() % 1500), columns}, {0}, {{}});
  check({2, 18 * kColumnBlock, 5}, {1}, {{}});
}
TEST(Large, ColumnsOfSymbolicLength) {
  check({Dim::symbol("n"), 3}, {0}, {{{"n", 1451}}, {{"n", 4 * kColumnBlock}}, {{"n", kColumnBlock - 1}}});
}
TEST(Large, OuterAndInnerAxes) { check({3, 2, kLong}, {0, 2}, {{}}); }
TEST(Large, SymbolicSizes) { check({Dim::symbol("n")}, {0}, {{{"n", kLong}}, {{"n", kReductionBlock}}, {{"n", 1}}}); }

}  // namespace
}  // namespace frit::test
