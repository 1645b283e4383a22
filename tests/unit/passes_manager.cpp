// The pass manager: levels, verification, dumps, counts, and linear time on big graphs.
#include <gtest/gtest.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ir/read/parser.h"
#include "ir/text/printer.h"
#include "ir/verify/verifier.h"
#include "passes/manager/pass.h"

namespace frit::passes::manager_test {
namespace {

using namespace ir;

constexpr const char* kTwice = R"(func @twice(%x: f32[4]) -> f32[4] {
  %0: f32[4] = exp %x
  %1: f32[4] = exp %x
  %2: f32[4] = log %x
  %3: f32[4] = add %0, %1
  return %3
}
)";

std::unique_ptr<Module> parsed(const char* text) {
  auto m = ir::parse(text, "t.frit");
  EXPECT_TRUE(m.ok()) << m.error().str();
  return std::move(*m);
}

Pipeline pipeline(const char* text) {
  auto p = Pipeline::parse(text);
  EXPECT_TRUE(p.ok()) << p.error().str();
  return *p;
}

TEST(Manager, PrintsAfterPasses) {
  auto printed = [](const std::string& what) {
    auto m = parsed(kTwice);
    PassContext context;
    std::ostringstream out;
    RunOptions options{.print_after = what, .print_to = &out};
    EXPECT_TRUE(run(pipeline("cse,cse,dce"), *m->functions[0], context, options).ok());
    std::string heads;
    std::istringstream lines(out.str());
    for (std::string line; std::getline(lines, line);)
      if (line.rfind("// after", 0) == 0) heads += line.substr(9) + ";";
    return heads;
  };
  EXPECT_EQ(printed(""), "");
  EXPECT_EQ(printed("all"), "cse;cse (no change);dce (no change);");
  EXPECT_EQ(printed("changed"), "cse;");
  EXPECT_EQ(printed("dce"), "dce (no change);");
}

TEST(Manager, StopsAfterTheFirstPasses) {
  auto ops_left = [](int stop) {
    auto m = parsed(kTwice);
    PassContext context;
    EXPECT_TRUE(run(pipeline("dce,cse"), *m->functions[0], context, {.stop_after = stop}).ok());
    return m->functions[0]->ops.size();
  };
  EXPECT_EQ(ops_left(0), 4u);
  EXPECT_EQ(ops_left(1), 3u);
  EXPECT_EQ(ops_left(2), 2u);
  EXPECT_EQ(ops_left(9), 2u);
  EXPECT_EQ(ops_left(-1), 2u);
}

TEST(Manager, TimesAndCounts) {
  auto m = parsed(kTwice);
  PassContext context;
  std::vector<PassTiming> timings;
  ASSERT_TRUE(run(pipeline("dce,cse,cse"), *m->functions[0], context, {.timings = &timings}).ok());
  ASSERT_EQ(timings.size(), 3u);
  EXPECT_EQ(timings[0].pass, "dce");
  EXPECT_EQ(timings[0].ops_before, 4u);
  EXPECT_EQ(timings[0].ops_after, 3u);
  EXPECT_TRUE(timings[0].changed);
  EXPECT_EQ(timings[1].ops_after, 2u);
  EXPECT_FALSE(timings[2].changed);
  EXPECT_GE(timings[2].milliseconds, 0.0);
}

TEST(Manager, DumpsNumberedFiles) {
  auto folder = std::filesystem::path(::testing::TempDir()) / "frit_passes_dump";
  std::filesystem::remove_all(folder);
  auto m = parsed(kTwice);
  PassContext context;
  ASSERT_TRUE(run(pipeline("dce,cse"), *m->functions[0], context, {.dump_dir = folder.string()}).ok());
  auto read = [&](const char* name) {
    std::ifstream file(folder / name);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  };
  EXPECT_EQ(read("00-input.frit"), kTwice);
  EXPECT_NE(read("01-dce.frit"), "");
  EXPECT_EQ(read("02-cse.frit"), print(*m->functions[0]));
  std::filesystem::remove_all(folder);

  std::ofstream(folder) << "a file where the folder should be";
  auto status = run(pipeline("dce"), *m->functions[0], context, {.dump_dir = folder.string()});
  EXPECT_FALSE(status.ok());
  std::filesystem::remove(folder);
}

TEST(Manager, RefusesAFunctionThatIsNotFarEnough) {
  auto m = parsed("func @f(%x: f32[4]) -> f32[] {\n  %0: f32[] = mean %x {axes=[0]}\n  return %0\n}\n");
  PassContext context;
  auto status = run(Pipeline{{find_pass("fuse")}}, *m->functions[0], context);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "pass 'fuse' needs level expanded, and the function is at level graph");
}

TEST(Manager, BlamesThePassThatBreaksAFunction) {
  static const PassInfo breaker{
      .name = "breaker",
      .doc = "forgets a type",
      .needs = Level::Graph,
      .most = Level::Expanded,
      .gives = Level::Graph,
      .run = [](Function& f, PassContext&) -> Result<bool> {
        f.values[f.results[0]].type.dtype = int32;
        return true;
      },
  };
  auto m = parsed(kTwice);
  PassContext context;
  auto status = run(Pipeline{{&breaker}}, *m->functions[0], context, {.verify_each = true});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message.rfind("internal error: pass 'breaker' left function 'twice' malformed: ", 0), 0u)
      << status.error().message;
}

TEST(Manager, CatchesAPassThatHidesAChange) {
  static const PassInfo liar{
      .name = "liar",
      .doc = "drops a result and says nothing",
      .needs = Level::Graph,
      .most = Level::Expanded,
      .gives = Level::Graph,
      .run = [](Function& f, PassContext&) -> Result<bool> {
        f.results[0] = f.params[0];
        return false;
      },
  };
  auto m = parsed(kTwice);
  PassContext context;
  auto status = run(Pipeline{{&liar}}, *m->functions[0], context, {.verify_each = true});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "internal error: pass 'liar' changed function 'twice' and reported no change");
}

TEST(Manager, RemarksNameThePass) {
  auto m = parsed(kTwice);
  PassContext context;
  ASSERT_TRUE(run(pipeline("cse"), *m->functions[0], context).ok());
  EXPECT_TRUE(context.remarks.empty());
  m = parsed(kTwice);
  context.collect_remarks = true;
  ASSERT_TRUE(run(pipeline("cse"), *m->functions[0], context).ok());
  ASSERT_EQ(context.remarks.size(), 1u);
  EXPECT_EQ(context.remarks[0].pass, "cse");
  EXPECT_EQ(context.remarks[0].function, "twice");
  EXPECT_EQ(context.remarks[0].text, "merged 1 op computed before");
}

// Big graphs. Times are compared as ratios of sizes, so that they hold on any machine; the absolute bound is wide.

Function chain(int n) {
  Function f;
  f.name = "chain";
  Type type{float32, {Dim(1024)}};
  ValueId x = f.add_param("x", type);
  Builder b(f);
  ValueId half = b.splat(0.5, type);
  for (int i = 0; f.ops.size() < static_cast<size_t>(n); ++i)
    x = i % 3 == 0 ? b.build("sin", {x}) : i % 3 == 1 ? b.build("multiply", {x, half}) : b.build("negative", {x});
  f.results = {x};
  return f;
}

// `n` users of one scalar, folded into one result by a tree; half of them are equal in pairs.
Function wide(int n) {
  Function f;
  f.name = "wide";
  ValueId x = f.add_param("x", Type{float32, {}});
  Builder b(f);
  std::vector<ValueId> level;
  for (int i = 0; i < n / 2; ++i) level.push_back(b.build("multiply", {x, b.scalar(float32, 1.5 + i / 2)}));
  while (level.size() > 1) {
    std::vector<ValueId> next;
    for (size_t i = 0; i + 1 < level.size(); i += 2) next.push_back(b.build("subtract", {level[i], level[i + 1]}));
    if (level.size() % 2) next.push_back(level.back());
    level = std::move(next);
  }
  f.results = level;
  return f;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// a sanitizer makes each op many times as expensive, not linearly: fewer ops, and no time limit
constexpr int kShare = 20;
#else
constexpr int kShare = 1;
#endif

double seconds(const char* passes, Function f) {
  PassContext context;
  Pipeline p = pipeline(passes);
  std::clock_t start = std::clock();  // processor time: the machine may be busy
  for (const PassInfo* pass : p.passes) EXPECT_TRUE(pass->run(f, context).ok());
  double s = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_TRUE(verify(f).ok());
  for (const PassInfo* pass : p.passes) {
    auto again = pass->run(f, context);
    EXPECT_TRUE(again.ok() && !*again) << pass->name << " is not idempotent";
  }
  return s;
}

void expect_linear(Function (*make)(int), const char* passes, int n) {
  n /= kShare;
  double small = 1e9, large = 1e9;
  for (int i = 0; i < 5; ++i) {
    small = std::min(small, seconds(passes, make(n / 32)));
    large = std::min(large, seconds(passes, make(n)));
  }
  // 32 times the work; a quadratic pass would take 1024 times as long. The margin is for caches and busy machines.
  if (kShare > 1) return;
  EXPECT_LT(large, 150 * small + 0.05) << passes << ": " << small << " s for " << n / 32 << ", " << large << " s for "
                                       << n;
}

constexpr const char* kSimplify = "expand_composites,canonicalize,constant_fold,cse,dce";

TEST(BigGraphs, AChainTakesLinearTime) { expect_linear(chain, kSimplify, 16000); }

TEST(BigGraphs, AWideGraphTakesLinearTime) { expect_linear(wide, kSimplify, 16000); }

TEST(BigGraphs, ManyUsersOfOneScalarTakeLinearTime) { expect_linear(wide, "cse", 40000); }

TEST(BigGraphs, CseFindsThePairs) {
  Function f = wide(1000);
  size_t before = f.ops.size();
  PassContext context;
  ASSERT_TRUE(*find_pass("cse")->run(f, context));
  EXPECT_LT(f.ops.size(), before - 400);
}

}  // namespace
}  // namespace frit::passes::manager_test
