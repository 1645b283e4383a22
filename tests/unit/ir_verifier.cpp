// Each rule of the verifier, broken in turn.
#include "ir/kernel/program.h"
#include "ir/verify/kernel_verifier.h"
#include "ir_support.h"

namespace frit::ir::testing {
namespace {

constexpr const char* kGood = R"(func @f(%x: f32[n], %y: f32[4]) -> (f32[n], f32[]) where n in [1, 8] {
  group loop {
    %0: f32[n] = exp %x
    %1: f32[n] = add %0, %x
  }
  group reduce {
    %2: f32[] = sum %y {axes=[0]}
  }
  return %1, %2
}
)";

// The verifier's message after `damage`.
template <class F>
std::string after(F&& damage) {
  auto m = parsed(kGood);
  damage(*m->functions[0]);
  Status s = verify(*m);
  return s.ok() ? "ok" : s.error().message;
}

TEST(Verifier, AcceptsAGoodFunction) {
  EXPECT_EQ(after([](Function&) {}), "ok");
}

TEST(Verifier, G1NamesAreGivenAndDistinct) {
  EXPECT_EQ(after([](Function& f) { f.name.clear(); }), "rule G1: a function has no name");
  EXPECT_EQ(after([](Function& f) { f.values[1].name = "x"; }), "rule G1: in '@f', two parameters are named '%x'");
  EXPECT_EQ(after([](Function& f) { f.values[1].name = ""; }), "rule G1: in '@f', parameter 1 has no name");
  auto m = parsed("func @f() { return }\nfunc @g() { return }");
  m->functions[1]->name = "f";
  EXPECT_EQ(verify(*m).error().message, "rule G1: two functions are named '@f'");
}

TEST(Verifier, G2ValuesKnowTheirDefinitions) {
  EXPECT_EQ(after([](Function& f) { f.values[2].op = 1; }),
            "rule G2: in '@f', op 'exp': result 0 does not name its own value");
  EXPECT_EQ(after([](Function& f) { f.ops[0].results = {999}; }),
            "rule G2: in '@f', op 'exp': result 0 does not name its own value");
  EXPECT_EQ(after([](Function& f) { f.params[1] = 0; }), "rule G2: in '@f', parameter 1 does not name its own value");
  EXPECT_EQ(after([](Function& f) { f.params[1] = 77; }), "rule G2: in '@f', parameter 1 is not a value");
}

TEST(Verifier, G3OperandsAreDefinedBefore) {
  EXPECT_EQ(after([](Function& f) { f.ops[0].operands = {3}; }),
            "rule G3: in '@f', op 'exp' (%0): operand %1 is used before it is defined");
  EXPECT_EQ(after([](Function& f) { f.ops[0].operands = {99}; }),
            "rule G3: in '@f', op 'exp': an operand is not a value");
  EXPECT_EQ(after([](Function& f) {
              f.values.push_back({{float32, {}}, kNone, 0, "stray"});
              f.ops[0].operands = {5};
            }),
            "rule G3: in '@f', op 'exp' (%0): operand %? is used before it is defined");
}

TEST(Verifier, G4OpsHaveRows) {
  EXPECT_EQ(after([](Function& f) { f.ops[0].def = nullptr; }),
            "rule G4: in '@f', an op without a row: it is not in the op table");
  static const OpDef stranger{.name = "stranger", .kind = OpKind::Library, .arity = 0};
  EXPECT_EQ(after([](Function& f) { f.ops[0].def = &stranger; }),
            "rule G4: in '@f', op 'stranger': it is not in the op table");
}

TEST(Verifier, G5OpsHaveAsManyOperandsAsTheirRow) {
  EXPECT_EQ(after([](Function& f) { f.ops[1].operands.pop_back(); }),
            "rule G5: in '@f', op 'add' (%1): it takes 2 operands, but has 1");
}

TEST(Verifier, G6AttributesFitTheirSpecs) {
  EXPECT_EQ(after([](Function& f) { f.ops[2].attrs.set("axis", Dim(0)); }),
            "rule G6: in '@f', op 'sum' (%2): op 'sum' has no attribute 'axis'; did you mean 'axes'?");
  EXPECT_EQ(after([](Function& f) { f.ops[2].attrs.erase("axes"); }),
            "rule G6: in '@f', op 'sum' (%2): op 'sum' needs attribute 'axes'");
  EXPECT_EQ(
      after([](Function& f) { f.ops[2].attrs.set("axes", true); }),
      "rule G6: in '@f', op 'sum' (%2): attribute 'axes' of op 'sum' takes a list of integers, but got true or false");
}

TEST(Verifier, G7TypesAreThoseInferred) {
  EXPECT_EQ(after([](Function& f) { f.values[2].type.dtype = float16; }),
            "rule G7: in '@f', op 'exp' (%0): it gives f32[n], but its result is f16[n]");
  EXPECT_EQ(after([](Function& f) { f.ops[1].operands[1] = 1; }),
            "rule G7: in '@f', op 'add' (%1): op 'add' needs operands of one shape, but got f32[n] and f32[4]");
  EXPECT_EQ(after([](Function& f) {
              f.ops[2].results.push_back(5);
              f.values.push_back({{float32, {}}, 2, 1, {}});
            }),
            "rule G7: in '@f', op 'sum' (%2): it gives 1 result, but has 2");
}

TEST(Verifier, G8SizesAreSane) {
  EXPECT_EQ(after([](Function& f) { f.values[1].type.shape = {-4}; }),
            "rule G8: in '@f', parameter '%y': type f32[-4] has a negative size");
  EXPECT_EQ(after([](Function& f) { f.values[1].type.shape = {int64_t{1} << 40, int64_t{1} << 40, 0}; }),
            "rule G8: in '@f', parameter '%y': type f32[1099511627776, 1099511627776, 0] has more than 2^48 elements");
}

TEST(Verifier, G9SymbolsAreDeclared) {
  EXPECT_EQ(after([](Function& f) { f.ops[2].attrs.set("axes", Dims{Dim::symbol("q")}); }),
            "rule G9: in '@f', attribute 'axes' of op 'sum' uses the symbol 'q', which no parameter declares");
  EXPECT_EQ(after([](Function& f) { f.values[1].type.shape = {Dim::symbol("a b")}; }),
            "rule G9: in '@f', the symbol 'a b' is not an identifier");
}

TEST(Verifier, G10FactsHoldForSomeValue) {
  EXPECT_EQ(after([](Function& f) { f.facts.set_range("q", {0, 1}); }),
            "rule G10: in '@f', a fact uses the symbol 'q', which no parameter declares");
  EXPECT_EQ(after([](Function& f) { f.facts.set_range("n", {2, 1}); }),
            "rule G10: in '@f', no value of 'n' is in [2, 1]");
  EXPECT_EQ(after([](Function& f) { f.facts.set_multiple("n", 0); }), "rule G10: in '@f', the divisor of 'n' is 0");
  const Dim n = Dim::symbol("n"), q = Dim::symbol("q");
  EXPECT_EQ(after([&](Function& f) { f.facts.assume_nonnegative(q * n - 4); }),
            "rule G10: in '@f', the fact '4 <= n*q' uses the symbol 'q', which no parameter declares");
  EXPECT_EQ(after([&](Function& f) { f.facts.assume_nonnegative(n * n - 65); }),
            "rule G10: in '@f', '65 <= n*n' contradicts the other facts");
  EXPECT_EQ(after([](Function& f) { f.facts.set_multiple("n", 9); }),
            "rule G10: in '@f', 'n in [1, 8], n % 9 == 0' contradicts the other facts");
  EXPECT_EQ(after([&](Function& f) { f.facts.assume_nonnegative(n * n - 64); }), "ok");
}

TEST(Verifier, G11LayoutsFitTheirParameters) {
  EXPECT_EQ(after([](Function& f) { f.layouts = {{1}}; }), "rule G11: in '@f', there are 2 parameters, but 1 layouts");
  EXPECT_EQ(after([](Function& f) { f.layouts = {{}, {1, 1}}; }),
            "rule G11: in '@f', parameter '%y' has 1 axes, but 2 strides");
  EXPECT_EQ(after([](Function& f) { f.layouts = {{}, {2}}; }), "ok");
}

TEST(Verifier, G12ResultsAreDefined) {
  EXPECT_EQ(after([](Function& f) { f.results[0] = 99; }), "rule G12: in '@f', a result is not defined");
}

TEST(Verifier, G13GroupsStandTogether) {
  EXPECT_EQ(after([](Function& f) { f.ops[0].group = 7; }),
            "rule G13: in '@f', op 'exp' (%0): its group 7 does not exist");
  EXPECT_EQ(after([](Function& f) { f.ops[2].group = 0, f.ops[1].group = 1; }),
            "rule G13: in '@f', op 'sum' (%2): the ops of its group are not adjacent");
  EXPECT_EQ(after([](Function& f) { f.groups.push_back({GroupKind::View}); }), "rule G13: in '@f', group 2 is empty");
  EXPECT_EQ(after([](Function& f) { f.ops[0].group = -1; }), "ok");
}

TEST(Verifier, G14LoweredFunctionsHoldNoOps) {
  EXPECT_EQ(after([](Function& f) { f.program = std::make_shared<Program>(); }),
            "rule G14: in '@f', a lowered function still has ops");
}

TEST(Verifier, G14LaunchesGiveSymbolsWithTheFactsOfTheKernels) {
  const auto message = [](auto&& change) {
    auto m = parsed("func @f(%x: f32[n], %y: f32[m]) -> () where n % 4 == 0, m in [1, 8] {\n  return\n}\n");
    Function& f = *m->functions[0];
    f.program = std::make_shared<Program>();
    f.program->symbols = {"m", "n"};
    Kernel k;
    k.name = "k";
    k.symbols = {"n"};
    f.program->kernels.push_back(k);
    f.program->steps.emplace_back(KernelStep{.kernel = 0, .sizes = {Dim::symbol("m")}});
    change(f.program->kernels[0].facts);
    const Status s = verify(*m);
    return s.ok() ? "ok" : s.error().message;
  };
  const std::string refused =
      "rule G14: in '@f', a launch of kernel @k gives 'm' for 'n', which the kernel knows more facts about";
  EXPECT_EQ(message([](DimFacts&) {}), "ok");
  EXPECT_EQ(message([](DimFacts& facts) { facts.set_range("n", {0, 8}); }), "ok");
  EXPECT_EQ(message([](DimFacts& facts) { facts.set_multiple("n", 4); }), refused);
  EXPECT_EQ(message([](DimFacts& facts) { facts.set_range("n", {0, 7}); }), refused);
  EXPECT_EQ(message([](DimFacts& facts) { facts.set_range("n", {2, 8}); }), refused);
}

TEST(Verifier, P4LaunchesGiveSumsOfSizes) {
  const auto message = [](const Dim& size) {
    Program p;
    p.symbols = {"m", "n"};
    Kernel k;
    k.name = "k";
    k.symbols = {"n"};
    p.kernels.push_back(k);
    p.steps.emplace_back(KernelStep{.kernel = 0, .sizes = {size}});
    const Status s = verify(p);
    return s.ok() ? "ok" : s.error().message;
  };
  const Dim m = Dim::symbol("m"), n = Dim::symbol("n");
  EXPECT_EQ(message(m * 3 + m * n + 1), "ok");
  EXPECT_EQ(message(5), "ok");
  EXPECT_NE(message(m - n).find("kernel 'k' is given m - n, which is no sum of sizes (P4)"), std::string::npos);
  EXPECT_NE(message(max(m, n)).find("no sum of sizes (P4)"), std::string::npos);
  EXPECT_NE(message(m - 1).find("no sum of sizes (P4)"), std::string::npos);
  EXPECT_NE(message(Dim::symbol("q")).find("uses 'q', which is not a symbol of the program (P4)"), std::string::npos);
}

TEST(Verifier, WhatItRefusesStillPrints) {
  auto m = parsed("func @f() -> f32[2] {\n  %0: f32[2] = constant [1, 2]\n  return %0\n}\n");
  Function& f = *m->functions[0];
  f.ops[0].attrs.set("shape", Dims{3});
  EXPECT_EQ(print(f), "func @f() -> f32[2] {\n  %0: f32[2] = constant {shape=[3], value=f32 [1, 2]}\n  return %0\n}\n");
  f.ops[0].def = nullptr;
  f.ops[0].operands = {99};
  f.ops[0].group = 4;
  f.results = {7};
  EXPECT_EQ(print(f), "func @f() -> f32[] {\n  group unknown {\n    %0: f32[2] = ?\n  }\n  return %?\n}\n");
}

TEST(Verifier, ErrorsStandAtTheOpsPlace) {
  auto m = parsed("func @f(%x: f32[]) -> f32[] {\n %0: f32[] = exp %x // loc \"u.cpp\":8\n return %0 }");
  m->functions[0]->values[1].type.dtype = int8;
  EXPECT_EQ(verify(*m).error().str(),
            "u.cpp:8: rule G7: in '@f', op 'exp' (%0): it gives f32[], but its result is i8[]");
}

}  // namespace
}  // namespace frit::ir::testing
