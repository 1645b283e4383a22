// Reductions over more elements than a block holds give the same bits, cut into blocks or not, fused or not, on one
// thread or two. So do reductions of rows against rows, in tiles.
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

// Sanitized interpreters are many times slower; the code that is run is the same for every type.
#ifdef FRIT_SANITIZED
constexpr bool kOneType = true;
#else
constexpr bool kOneType = false;
#endif

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
      if (kOneType && dtype != float32) continue;
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
// Many blocks of few columns, which go side by side, in lanes or one behind the other.
TEST(Large, NarrowColumnsOfManyBlocks) {
  Random shapes(13);
  for (int draw = 0; draw < 4; ++draw)
    check({between(shapes, 33, 99), between(shapes, 1, draw % 2 ? 9 : 70), between(shapes, 2, 14)}, {1}, {{}});
}
TEST(Large, ColumnsOfSymbolicLength) {
  check({Dim::symbol("n"), 3}, {0}, {{{"n", 1451}}, {{"n", 4 * kColumnBlock}}, {{"n", kColumnBlock - 1}}});
}
TEST(Large, OuterAndInnerAxes) { check({2, 2, kLong}, {0, 2}, {{}}); }
TEST(Large, SymbolicSizes) { check({Dim::symbol("n")}, {0}, {{{"n", kLong}}, {{"n", kReductionBlock}}, {{"n", 1}}}); }

// Rows on the left, m of them, minus n rows on the right, reduced by one row of the table.
Function pairs(const Dim& m, const Dim& n, int64_t k, Dtype dtype, const OpDef& def) {
  Function f;
  f.name = "pairs";
  const ValueId x = f.add_param("x", {dtype, {m, 1, k}}), y = f.add_param("y", {dtype, {1, n, k}});
  for (const Dim& d : {m, n})
    if (!d.is_const()) f.facts.set_range(*d.as_symbol(), {1, 300});
  Builder b(f);
  const ValueId left = b.build("broadcast", {x}, {{"shape", Dims{m, n, k}}});
  const ValueId right = b.build("broadcast", {y}, {{"shape", Dims{m, n, k}}});
  const ValueId difference = b.build("subtract", {left, right});
  if (auto built = b.try_build(def, {difference}, {{"axes", Dims{2}}}); built.ok()) f.results.push_back(built->front());
  return f;
}

// Tiles of pairs: rows shorter than vectors and longer, one tile and many, sides that fill no tile.
TEST(Large, RowsAgainstRows) {
  constexpr uint64_t kMostRows = 140;
  Random random(23);
  const int64_t lengths[] = {3, 9, 16, 33, 70};
  for (const OpDef* def : OpTable::instance().all()) {
    if (def->kind != OpKind::Reduction) continue;
    for (Dtype dtype : {float32, bfloat16, int16}) {
      if (!admits(def->domain, dtype)) continue;
      const int64_t m = 1 + static_cast<int64_t>(random() % kMostRows),
                    n = 1 + static_cast<int64_t>(random() % kMostRows);
      const bool open = random() % 2 == 0;
      Function f =
          pairs(open ? Dim::symbol("m") : Dim(m), open ? Dim::symbol("n") : Dim(n), lengths[random() % 5], dtype, *def);
      if (f.results.empty()) continue;
      const SymbolValues call = open ? SymbolValues{{"m", m}, {"n", n}} : SymbolValues{};
      const std::vector<Tensor> inputs = random_inputs(f, call, Values::Ordinary, random);
      now_testing(case_text({f, inputs}));
      Ways ways;
      ways.stepwise = ways.reference = false;
      EXPECT_EQ(disagreement(f, inputs, random, ways), "") << case_text({f, inputs});
    }
  }
}

}  // namespace
}  // namespace frit::test
