// vjp and jvp of every row: they are each other's transpose, and the jvp is what differences of the row say.
#include <gtest/gtest.h>

#include "passes/transform/transform.h"
#include "support/smooth.h"

namespace frit::test {
namespace {

using namespace ir;

class DerivativeRow : public testing::TestWithParam<const OpDef*> {};

// The matrices over the last two axes with their transposes.
bool is_symmetric(const Tensor& t) {
  const size_t rank = t.shape.size();
  if (rank < 2 || t.shape[rank - 2] != t.shape[rank - 1]) return false;
  const int64_t n = t.shape.back();
  for (int64_t first = 0; first < t.size(); first += n * n)
    for (int64_t i = 0; i < n * n; ++i)
      if (std::fabs(t.at(first + i) - t.at(first + i % n * n + i / n)) > 1e-9 * (1 + std::fabs(t.at(first + i))))
        return false;
  return true;
}
void make_symmetric(Tensor& t) {
  const int64_t n = t.shape.back();
  for (int64_t first = 0; first < t.size(); first += n * n)
    for (int64_t i = 0; i < n * n; ++i)
      if (i / n > i % n) t.set_bits(first + i, t.bits(first + i % n * n + i / n));
}

void check(const OpDef& def, const Call& call, Random& random, bool& tried) {
  const Function f = one_row(def, call);
  std::vector<size_t> wrt, wanted;
  for (size_t i = 0; i < f.params.size(); ++i)
    if (f.type(f.params[i]).dtype == float64) wrt.push_back(i);
  for (size_t i = 0; i < f.results.size(); ++i)
    if (f.type(f.results[i]).dtype == float64) wanted.push_back(i);
  if (wrt.empty() || wanted.empty()) return;
  auto back = passes::vjp(f, wrt);
  auto forth = passes::jvp(f, wrt);
  // Rows without a rule say so by their name.
  ASSERT_EQ(back.ok(), forth.ok());
  if (!back.ok()) {
    EXPECT_NE(back.error().message.find("has no derivative"), std::string::npos) << back.error().str();
    return;
  }
  std::vector<Tensor> inputs, tangents, cotangents;
  for (ValueId p : f.params) inputs.push_back(smooth_tensor(f.type(p), random));
  for (size_t i : wrt) tangents.push_back(smooth_tensor(f.type(f.params[i]), random));
  for (size_t i = 0; i < f.results.size(); ++i) {
    const Type type = f.type(f.results[i]);
    cotangents.push_back(smooth_tensor(type, random));
    // Only what follows from the operands has differences.
    if (!def.routine || def.routine->determined >> i & 1) continue;
    cotangents.back() = Tensor(type.dtype, cotangents.back().shape);
    std::erase(wanted, i);
  }
  if (def.routine && def.routine->operand_kind == OperandKind::Definite) make_definite(inputs[0]);
  auto with = [](std::vector<Tensor> a, const std::vector<Tensor>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  // A row may refuse these numbers: they are no positive definite matrix.
  if (!interpret(f, inputs).ok()) return;
  auto g = interpret(*back, with(inputs, cotangents));
  // A matrix that is read from one triangle has a symmetric cotangent, which stands for symmetric tangents.
  for (size_t k = 0; k < wrt.size() && g.ok(); ++k)
    if (def.routine && is_symmetric((*g)[f.results.size() + k])) make_symmetric(tangents[k]);
  auto t = interpret(*forth, with(inputs, tangents));
  ASSERT_TRUE(g.ok() && t.ok()) << (g.ok() ? t.error().str() : g.error().str());
  double left = 0, right = 0, slope = 0, size = 1e-9;
  const double h = 1e-6;
  std::vector<Tensor> low = inputs, high = inputs;
  for (size_t k = 0; k < wrt.size(); ++k) {
    right += inner((*g)[f.results.size() + k], tangents[k]);
    for (int64_t i = 0; i < tangents[k].size(); ++i) {
      const double x = inputs[wrt[k]].at(i), d = h * tangents[k].at(i);
      low[wrt[k]].set_bits(i, std::bit_cast<uint64_t>(x - d));
      high[wrt[k]].set_bits(i, std::bit_cast<uint64_t>(x + d));
    }
  }
  auto a = interpret(f, low), c = interpret(f, high);
  ASSERT_TRUE(a.ok() && c.ok());
  for (size_t i : wanted) {
    left += inner((*t)[f.results.size() + i], cotangents[i]);
    slope += (inner((*c)[i], cotangents[i]) - inner((*a)[i], cotangents[i])) / (2 * h);
    for (int64_t k = 0; k < (*c)[i].size(); ++k) size += std::fabs((*c)[i].at(k));
  }
  if (!std::isfinite(slope)) return;
  size += std::fabs(left);
  EXPECT_NEAR(left, right, 1e-9 * size) << "jvp and vjp";
  if (!def.has(kNoGradient)) {
    EXPECT_NEAR(left, slope, 1e-5 * size) << "jvp and differences";
  }
  tried = true;
}

TEST_P(DerivativeRow, VjpAndJvpAgreeWithDifferences) {
  const OpDef& def = *GetParam();
  Random random(11);
  bool tried = false;
  for (const Shape& shape : {Shape{4, 6}, Shape{3}, Shape{2, 3, 3}}) {
    auto call = draw_call(def, {float64, shape}, float64, {}, random);
    if (!call) continue;
    check(def, *call, random, tried);
    if (HasFatalFailure()) return;
  }
  if (!tried) GTEST_SKIP() << "no float64 goes in and comes out, or the row has no derivative";
}

INSTANTIATE_TEST_SUITE_P(Table, DerivativeRow, testing::ValuesIn(drawn_rows()),
                         [](const testing::TestParamInfo<const OpDef*>& info) {
                           return std::string(info.param->name);
                         });

}  // namespace
}  // namespace frit::test
