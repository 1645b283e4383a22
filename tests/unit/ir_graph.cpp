// Building, canonical order and structural identity.
#include <algorithm>
#include <random>

#include "ir_support.h"

namespace frit::ir::testing {
namespace {

const Type kVector{float32, {Dim::symbol("n")}};

TEST(Builder, InfersTypesAndFillsDefaults) {
  register_test_rows();
  Function f;
  f.name = "f";
  Builder b(f);
  ValueId x = f.add_param("x", {float32, {2, 3}});
  ValueId s = b.build("sum", {x}, {{"axes", Dims{1}}});
  EXPECT_EQ(b.type(s).str(), "f32[2]");
  EXPECT_TRUE(f.ops[0].attrs.has("keepdims"));
  EXPECT_EQ(b.type(b.splat(2, {float16, {4, 4}})).str(), "f16[4, 4]");
  EXPECT_EQ(b.broadcast(x, {2, 3}), x);
  EXPECT_EQ(b.cast(x, float32), x);
  EXPECT_EQ(b.type(b.cast(x, int8)).str(), "i8[2, 3]");
  EXPECT_EQ(b.type(b.constant(Literal::scalar_int(int64, -4))).str(), "i64[]");
  EXPECT_TRUE(verify(f).ok()) << verify(f).error().str();
}

TEST(Builder, ErrorsNameTheOpItsTypesAndThePlace) {
  register_test_rows();
  Function f;
  f.name = "f";
  Builder b(f);
  b.loc = {"user.cpp", 4, 2};
  ValueId x = f.add_param("x", {float32, {2}}), y = f.add_param("y", {float32, {3}});
  auto r = b.try_build(op("add"), {x, y});
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.error().str(),
            "user.cpp:4:2: op 'add' needs operands of one shape, but got f32[2] and f32[3]\n"
            "note: make the shapes equal with 'broadcast' first");
  EXPECT_TRUE(f.ops.empty());
}

TEST(Function, ParametersAndSymbols) {
  Function f;
  f.add_param("x", {float32, {Dim::symbol("n") * Dim::symbol("b"), 4}});
  f.add_param("", {float32, {}});
  f.layouts = {{Dim::symbol("s"), 1}, {}};
  EXPECT_EQ(f.symbols(), (std::vector<std::string>{"b", "n", "s"}));
  EXPECT_EQ(f.values[1].name, "arg1");
  f.add_param("z", {});
  EXPECT_EQ(f.layouts.size(), 3u);
}

TEST(Order, FollowsOperandsAndDropsTheDead) {
  auto m = parsed(R"(func @f(%x: f32[n], %y: f32[n]) -> f32[n] {
  %0: f32[n] = exp %y
  %1: f32[n] = log %x
  %2: f32[n] = sin %x
  %3: f32[n] = add %1, %0
  return %3
}
)");
  Function& f = *m->functions[0];
  f.canonicalize_order();
  EXPECT_EQ(print(f), R"(func @f(%x: f32[n], %y: f32[n]) -> f32[n] {
  %0: f32[n] = log %x
  %1: f32[n] = exp %y
  %2: f32[n] = add %0, %1
  return %2
}
)");
  EXPECT_EQ(f.values.size(), 5u);
  std::string once = print(f);
  f.canonicalize_order();
  EXPECT_EQ(print(f), once);
}

TEST(Order, KeepsSideEffectsInTheirOrder) {
  auto m = parsed(R"(func @f(%x: f32[]) -> f32[] {
  %0: f32[] = exp %x
  test_effect %x
  %1: f32[] = log %x
  test_effect %1
  return %0
}
)");
  m->functions[0]->canonicalize_order();
  EXPECT_EQ(print(*m), R"(func @f(%x: f32[]) -> f32[] {
  test_effect %x
  %0: f32[] = log %x
  test_effect %0
  %1: f32[] = exp %x
  return %1
}
)");
}

TEST(Order, KeepsGroupsTogether) {
  auto m = parsed(R"(func @f(%x: f32[n], %y: f32[n]) -> (f32[n], f32[n]) {
  group loop {
    %0: f32[n] = exp %y
    %1: f32[n] = exp %x
  }
  group view {
    %2: f32[n] = negative %0
  }
  return %1, %2
}
)");
  Function& f = *m->functions[0];
  f.groups.insert(f.groups.begin(), Group{GroupKind::Reduce});  // empty: dropped, and the groups after it move up
  for (Op& op : f.ops) ++op.group;
  f.canonicalize_order();
  EXPECT_TRUE(verify(f).ok()) << verify(f).error().str();
  EXPECT_EQ(print(f), R"(func @f(%x: f32[n], %y: f32[n]) -> (f32[n], f32[n]) {
  group loop {
    %0: f32[n] = exp %x
    %1: f32[n] = exp %y
  }
  group view {
    %2: f32[n] = negative %1
  }
  return %0, %2
}
)");
}

// A graph of random ops, built twice: as made, and with independent ops in another order.
std::unique_ptr<Function> shuffled(const Function& f, uint32_t seed) {
  auto g = std::make_unique<Function>();
  g->name = "other";
  g->facts = f.facts;
  for (ValueId p : f.params) g->add_param("p" + std::to_string(p), f.type(p));
  std::vector<ValueId> renamed(f.values.size(), kNone);
  for (ValueId p : f.params) renamed[p] = p;
  std::vector<uint32_t> waiting(f.ops.size());
  for (uint32_t i = 0; i < waiting.size(); ++i) waiting[i] = i;
  std::mt19937 rng(seed);
  Builder b(*g);
  b.loc = {"elsewhere", 1, 1};
  while (!waiting.empty()) {
    size_t at = rng() % waiting.size();
    const Op& op = f.ops[waiting[at]];
    if (std::any_of(op.operands.begin(), op.operands.end(), [&](ValueId v) { return renamed[v] == kNone; })) continue;
    std::vector<ValueId> operands;
    for (ValueId v : op.operands) operands.push_back(renamed[v]);
    renamed[op.results[0]] = b.build(*op.def, operands, op.attrs);
    waiting.erase(waiting.begin() + static_cast<long>(at));
  }
  for (ValueId v : f.results) g->results.push_back(renamed[v]);
  return g;
}

TEST(StructuralHash, DoesNotDependOnTheOrderOfBuilding) {
  register_test_rows();
  std::mt19937 rng(5);
  for (int round = 0; round < 20; ++round) {
    Function f;
    f.name = "f";
    Builder b(f);
    std::vector<ValueId> values{f.add_param("x", kVector), f.add_param("y", kVector)};
    for (int i = 0; i < 60; ++i) {
      ValueId a = values[rng() % values.size()], c = values[rng() % values.size()];
      const char* names[] = {"add", "multiply", "subtract"};
      values.push_back(rng() % 3 ? b.build(names[rng() % 3], {a, c}) : b.build(rng() % 2 ? "exp" : "sin", {a}));
    }
    f.results = {values.back(), values[values.size() / 2], values.back()};
    auto g = shuffled(f, 100 + round);
    EXPECT_TRUE(structurally_equal(f, *g));
    EXPECT_EQ(structural_hash(f), structural_hash(*g));
    g->canonicalize_order();
    EXPECT_TRUE(structurally_equal(f, *g));
    EXPECT_EQ(structural_hash(f), structural_hash(*g));
  }
}

TEST(StructuralHash, SeesEveryDifferenceThatMatters) {
  const std::vector<std::string> texts = {
      "func @f(%x: f32[n], %y: f32[n]) -> f32[n] { %0: f32[n] = subtract %x, %y return %0 }",
      "func @f(%x: f32[n], %y: f32[n]) -> f32[n] { %0: f32[n] = subtract %y, %x return %0 }",
      "func @f(%x: f32[n], %y: f32[n]) -> f32[n] { %0: f32[n] = add %x, %y return %0 }",
      "func @f(%x: f32[m], %y: f32[m]) -> f32[m] { %0: f32[m] = add %x, %y return %0 }",
      "func @f(%x: f16[n], %y: f16[n]) -> f16[n] { %0: f16[n] = add %x, %y return %0 }",
      "func @f(%x: f32[n], %y: f32[n]) -> f32[n] where n in [1, 8] { %0: f32[n] = add %x, %y return %0 }",
      "func @f(%x: f32[n], %y: f32[n]) -> f32[n] where n % 8 == 0 { %0: f32[n] = add %x, %y return %0 }",
      "func @f(%x: f32[n], %y: f32[n]) -> f32[n] where n*n % 8 == 0 { %0: f32[n] = add %x, %y return %0 }",
      "func @f(%x: f32[n], %y: f32[n]) -> f32[n] where n*n == 8 { %0: f32[n] = add %x, %y return %0 }",
      "func @f(%x: f32[n], %y: f32[n]) -> f32[n] where n*n <= 8 { %0: f32[n] = add %x, %y return %0 }",
      "func @f(%x: f32[n] strides [1], %y: f32[n]) -> f32[n] { %0: f32[n] = add %x, %y return %0 }",
      "func @f(%x: f32[n], %y: f32[n]) -> (f32[n], f32[n]) { %0: f32[n] = add %x, %y return %0, %0 }",
      "func @f(%x: f32[n], %y: f32[n]) -> (f32[n], f32[n]) { %0: f32[n] = add %x, %y return %0, %x }",
      "func @f(%x: f32[n], %y: f32[n]) -> f32[n] { group loop { %0: f32[n] = add %x, %y } return %0 }",
      "func @f(%x: f32[n], %y: f32[n]) -> f32[n] { group reduce { %0: f32[n] = add %x, %y } return %0 }",
      "func @f() -> f32[] { %0: f32[] = constant 0 return %0 }",
      "func @f() -> f32[] { %0: f32[] = constant -0 return %0 }",
      "func @f() -> i32[] { %0: i32[] = constant 0 return %0 }",
      "func @f() -> bool[] { %0: bool[] = constant false return %0 }",
      "func @f() -> f32[2] { %0: f32[2] = constant [0, 1] return %0 }",
      "func @f() -> f32[2, 1] { %0: f32[2, 1] = constant [[0], [1]] return %0 }",
      "func @f(%x: f32[4]) -> f32[] { %0: f32[] = sum %x {axes=[0]} return %0 }",
      "func @f(%x: f32[4]) -> f32[1] { %0: f32[1] = sum %x {axes=[0], keepdims=true} return %0 }",
  };
  std::vector<std::unique_ptr<Module>> modules;
  for (const std::string& t : texts) modules.push_back(parsed(t));
  for (size_t i = 0; i < texts.size(); ++i)
    for (size_t j = 0; j < texts.size(); ++j) {
      const Function &a = *modules[i]->functions[0], &b = *modules[j]->functions[0];
      EXPECT_EQ(structural_hash(a) == structural_hash(b), i == j) << texts[i] << "\n" << texts[j];
      EXPECT_EQ(structurally_equal(a, b), i == j) << texts[i] << "\n" << texts[j];
    }
}

TEST(StructuralHash, DoesNotSeeNamesPlacesDeadOpsAndDefaults) {
  auto a = parsed(
      "func @f(%x: f32[n]) -> f32[] where n in [0, 281474976710656] { %0: f32[] = sum %x {axes=[0]} return %0 }");
  auto b = parsed(
      "func @g(%other: f32[n]) -> f32[] {\n %9: f32[n] = exp %other\n"
      " %1: f32[] = sum %other {axes=[0], keepdims=false} // loc \"a\":1\n return %1 }");
  b->functions[0]->ops[1].attrs.erase("keepdims");
  EXPECT_EQ(structural_hash(*a->functions[0]), structural_hash(*b->functions[0]));
  EXPECT_TRUE(structurally_equal(*a->functions[0], *b->functions[0]));
}

TEST(StructuralHash, OfLoweredFunctionsSeesTheProgram) {
  auto text = [](const char* op) {
    return std::string(
               "func @f(%x: f32[]) -> f32[] { program @f() { buffer %x: f32[1] input 0 buffer %y: f32[1] output "
               "launch @k(%x, %y) return %y: f32[] kernel @k(%x: f32[1] in, %y: f32[1] out) { %0: f32 = load %x[0] "
               "%1: f32 = ") +
           op + " %0 store %y[0], %1 } } }";
  };
  auto a = parsed(text("exp")), b = parsed(text("exp")), c = parsed(text("log"));
  EXPECT_EQ(structural_hash(*a->functions[0]), structural_hash(*b->functions[0]));
  EXPECT_NE(structural_hash(*a->functions[0]), structural_hash(*c->functions[0]));
  EXPECT_TRUE(structurally_equal(*a->functions[0], *b->functions[0]));
  EXPECT_FALSE(structurally_equal(*a->functions[0], *c->functions[0]));
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// a sanitizer makes each op many times as expensive, not linearly: fewer ops, and no time limit
constexpr int kShare = 20;
#else
constexpr int kShare = 1;
#endif

// Every walk over a graph is linear: ten times the ops take about ten times as long, however deep or wide the graph.
double walk(int ops, bool chain) {
  register_test_rows();
  return seconds_of([&] {
    Function f;
    f.name = "f";
    Builder b(f);
    ValueId x = f.add_param("x", kVector), last = x, scalar = b.broadcast(b.scalar(float32, 2), kVector.shape);
    for (int i = 0; i < ops; ++i) {
      ValueId v = b.build("multiply", {chain ? last : scalar, scalar});
      if (chain) {
        last = v;
      } else {
        f.results.push_back(v);
      }
    }
    if (chain) f.results = {last};
    f.canonicalize_order();
    EXPECT_EQ(f.ops.size(), static_cast<size_t>(ops) + 2);
    EXPECT_EQ(f.use_counts().size(), f.values.size());
    structural_hash(f);
    EXPECT_TRUE(verify(f).ok());
    std::string text = print(f);
    auto m = parse(text, "big.frit");
    ASSERT_TRUE(m.ok()) << m.error().str();
    EXPECT_TRUE(structurally_equal(f, *(*m)->functions[0]));
  });
}

TEST(Scale, DeepChainsAreLinear) {
  double small = walk(10'000 / kShare, true), large = walk(100'000 / kShare, true);
  if (kShare == 1) {
    EXPECT_LT(large, 40 * small + 0.5);
  }
}

TEST(Scale, ManyUsersOfOneScalarAreLinear) {
  double small = walk(4'000 / kShare, false), large = walk(40'000 / kShare, false);
  if (kShare == 1) {
    EXPECT_LT(large, 40 * small + 0.5);
  }
}

}  // namespace
}  // namespace frit::ir::testing
