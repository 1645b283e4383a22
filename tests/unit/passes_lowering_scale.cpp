// Large graphs: passes stay linear, and kernels stay small enough for a compiler.
#include <ctime>

#include "passes_lowering_support.h"

namespace frit::testing {
namespace {

using namespace ir;

// A bound on processor time that only superlinear work exceeds: many times the time of each test in a release build.
// bench/bench_call.cpp measures the actual time.
constexpr double kSeconds = 100;

// Runs the default pipeline without verification between passes and returns the function; fails past the bound.
Function timed(Function f, bool fuse = true) {
  passes::PassContext context;
  context.fuse = fuse;
  std::clock_t start = std::clock();
  Status s = passes::run(passes::Pipeline::standard(), f, context);
  double took = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_TRUE(s.ok()) << s.error().str();
  EXPECT_LT(took, kSeconds);
  return f;
}

class LoweringScale : public ::testing::Test {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP()
        << "sizes that are about speed say nothing under a sanitizer; the same passes run there on smaller graphs";
#endif
  }
};

Function chain(int n) {
  Function f;
  f.name = "chain";
  Builder b(f);
  Type t{float32, {Dim::symbol("n"), Dim(64)}};
  ValueId x = f.add_param("x", t), y = f.add_param("y", t), v = x;
  for (int i = 0; i < n; ++i) v = i % 2 ? b.build("multiply", {v, y}) : b.build("add", {v, x});
  f.results = {v};
  return f;
}

TEST_F(LoweringScale, chain_of_16000) {
  Function f = timed(chain(16000));
  StepCounts n = count_steps(*f.program);
  EXPECT_GE(n.kernels, 2u);  // bounded kernels
  EXPECT_LE(n.kernels, 8u);
}

TEST_F(LoweringScale, chain_of_16000_not_fused) {
  EXPECT_EQ(count_steps(*timed(chain(16000), false).program).kernels, 16000u);
}

// 16,000 ops side by side that meet in a tree of sums.
TEST_F(LoweringScale, wide_graph_of_16000) {
  Function f;
  f.name = "wide";
  Builder b(f);
  Type t{float32, {Dim::symbol("n")}};
  ValueId x = f.add_param("x", t);
  std::vector<ValueId> level;
  for (int i = 0; i < 8000; ++i) level.push_back(b.build("multiply", {x, b.splat(1 + i, t)}));
  while (level.size() > 1) {
    std::vector<ValueId> next;
    for (size_t i = 0; i + 1 < level.size(); i += 2) next.push_back(b.build("add", {level[i], level[i + 1]}));
    if (level.size() % 2) next.push_back(level.back());
    level = next;
  }
  f.results = level;
  Function done = timed(f);
  EXPECT_LE(count_steps(*done.program).kernels, 16u);
}

TEST_F(LoweringScale, many_results) {
  Function f;
  f.name = "many";
  Builder b(f);
  Type t{float32, {Dim::symbol("n")}};
  ValueId x = f.add_param("x", t);
  for (int i = 0; i < 4000; ++i) f.results.push_back(b.build("add", {x, b.splat(i, t)}));
  timed(f);
}

TEST_F(LoweringScale, many_parameters) {
  Function f;
  f.name = "parameters";
  Builder b(f);
  Type t{float32, {Dim(8)}};
  std::vector<ValueId> params;
  for (int i = 0; i < 4000; ++i) params.push_back(f.add_param("p" + std::to_string(i), t));
  ValueId v = params[0];
  for (ValueId p : params) v = b.build("add", {v, p});
  f.results = {v};
  timed(f);
}

TEST_F(LoweringScale, one_scalar_with_40000_users) {
  Function f;
  f.name = "scalar";
  Builder b(f);
  Type t{float32, {Dim::symbol("n")}};
  ValueId x = f.add_param("x", t), s = f.add_param("s", {float32, {}}), v = x;
  ValueId root = b.build("sqrt", {s});
  for (int i = 0; i < 20000; ++i) v = b.build(i % 2 ? "multiply" : "add", {v, b.broadcast(root, t.shape)});
  f.results = {v};
  timed(f);
}

// Repeated normalisations of rows: each one is a kernel or part of one.
TEST_F(LoweringScale, thousand_norms) {
  Function f;
  f.name = "norms";
  Builder b(f);
  Type t{float32, {Dim::symbol("n"), Dim(256)}};
  ValueId v = f.add_param("x", t);
  for (int i = 0; i < 1000; ++i) v = b.build("softmax", {v}, {{"axes", Dims{1}}});
  f.results = {v};
  timed(f);
}

TEST_F(LoweringScale, concatenation_of_500) {
  Function f;
  f.name = "parts";
  Builder b(f);
  std::vector<ValueId> parts;
  for (int i = 0; i < 500; ++i) parts.push_back(f.add_param("p" + std::to_string(i), {float32, {Dim(16), Dim(4)}}));
  f.results = {b.build("concatenate", parts, {{"axis", Dim(0)}})};
  timed(f);
}

TEST_F(LoweringScale, views_upon_views) {
  Function f;
  f.name = "views";
  Builder b(f);
  ValueId v = f.add_param("x", {float32, {Dim(4), Dim(6)}});
  for (int i = 0; i < 8000; ++i) {
    v = b.build("transpose", {v}, {{"axes", Dims{1, 0}}});
    if (i % 3 == 0) v = b.build("negative", {v});
  }
  f.results = {v};
  timed(f);
}

}  // namespace
}  // namespace frit::testing
