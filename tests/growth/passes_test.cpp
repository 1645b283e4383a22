// Every operation in numbers, through every pass: the work of none grows faster than the function.
#include <gtest/gtest.h>

#include "passes/manager/pass.h"
#include "support/generate.h"
#include "work.h"

namespace frit::test {
namespace {

using namespace ir;

class RowGrowth : public testing::TestWithParam<const OpDef*> {};

// `n` applications of a row: each to the result of the last where the types allow, else to arguments of its own.
std::optional<Function> repeated(const OpDef& def, const Call& call, int n) {
  Function f;
  f.name = "repeated";
  Builder b(f);
  // A chain of reductions is fused, and its levels compute earlier ones again: its work grows with the square.
  const bool plain = def.kind == OpKind::Elementwise || def.kind == OpKind::Index;
  const bool chained =
      plain && call.results.size() == 1 && !call.operands.empty() && call.results[0] == call.operands[0];
  std::vector<ValueId> last;
  for (int i = 0; i < n; ++i) {
    std::vector<ValueId> operands;
    for (size_t k = 0; k < call.operands.size(); ++k)
      operands.push_back(k == 0 && chained && i > 0
                             ? last[0]
                             : f.add_param("x" + std::to_string(i) + "_" + std::to_string(k), call.operands[k]));
    auto built = b.try_build(def, operands, call.attrs);
    if (!built.ok()) return std::nullopt;
    last = *built;
    if (!chained) f.results.insert(f.results.end(), last.begin(), last.end());
  }
  if (chained) f.results = last;
  return f;
}

TEST_P(RowGrowth, IsLinearInEveryPass) {
  const OpDef& def = *GetParam();
  if (def.arity == 0) return;
  Random random(5);
  std::optional<Call> call;
  for (const Shape& shape : {Shape{4, 6}, Shape{2, 5, 8}})
    for (Dtype type : {float32, int32, bool_, uint32, complex64, bfloat16})
      if (!call) call = draw_call(def, {type, shape}, type, {}, random);
  ASSERT_TRUE(call.has_value());
  const std::vector<int> sizes = {32, 64, 128};
  const passes::Pipeline& pipeline = passes::Pipeline::standard();
  std::vector<std::vector<double>> work(pipeline.passes.size());
  for (size_t i = 0; i < sizes.size(); ++i) {
    auto f = repeated(def, *call, sizes[i]);
    ASSERT_TRUE(f.has_value());
    passes::PassContext context;
    for (size_t p = 0; p < pipeline.passes.size(); ++p) {
      context.pass = pipeline.passes[p]->name;
      const uint64_t start = bytes_asked_for();
      auto changed = pipeline.passes[p]->run(*f, context);
      ASSERT_TRUE(changed.ok()) << context.pass << ": " << changed.error().str();
      // A pass that asks for less than this for each operation is not looked at.
      work[p].push_back(static_cast<double>(bytes_asked_for() - start) + 4096.0 * sizes[i]);
    }
  }
  for (size_t p = 0; p < pipeline.passes.size(); ++p) {
    const Growth g = growth_of(sizes, work[p]);
    EXPECT_LT(g.exponent, kLinear) << pipeline.passes[p]->name << ": " << g.text;
  }
}

INSTANTIATE_TEST_SUITE_P(Table, RowGrowth, testing::ValuesIn(drawn_rows()),
                         [](const testing::TestParamInfo<const OpDef*>& info) {
                           return std::string(info.param->name);
                         });

}  // namespace
}  // namespace frit::test
