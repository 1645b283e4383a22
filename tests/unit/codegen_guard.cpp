// Guards: the checks that a signature makes, their messages, and the calls that pass them.
#include <gtest/gtest.h>

#include <random>

#include "codegen/core/guard.h"
#include "ir/interpret/interpreter.h"
#include "ir/read/parser.h"

namespace frit::codegen {
namespace {

using Shapes = std::vector<std::vector<int64_t>>;

std::unique_ptr<ir::Module> parsed(const std::string& signature) {
  auto m = ir::parse("func @f(" + signature + " { return }", "text");
  EXPECT_TRUE(m.ok()) << m.error().str();
  return *std::move(m);
}

std::vector<std::string> said(const ir::Function& f) {
  auto guard = make_guard(f);
  if (!guard.ok()) return {guard.error().message};
  std::vector<std::string> out;
  for (size_t i = 0; i < guard->checks.size(); ++i) out.push_back(describe(f, *guard, static_cast<int>(i)));
  return out;
}

// The message of the first check that fails; "" if the call passes.
std::string failure(const ir::Function& f, const Shapes& shapes) {
  runtime::Guard guard = *make_guard(f);
  std::vector<int64_t> symbols(guard.symbol_names.size());
  return describe(
      f, guard,
      guard.first_failure([&](uint32_t input, uint32_t axis) { return shapes[input][axis]; }, symbols.data()));
}

TEST(Guard, SaysWhatItChecks) {
  using Said = std::vector<std::string>;
  EXPECT_EQ(said(*parsed("%x: f32[n], %y: f32[n, m])")->functions[0]), (Said{"axis 0 of 'y' equals axis 0 of 'x'"}));
  EXPECT_EQ(said(*parsed("%x: f32[3, 4])")->functions[0]), (Said{"axis 0 of 'x' is 3", "axis 1 of 'x' is 4"}));
  EXPECT_EQ(said(*parsed("%x: f32[n, m], %y: f32[m*n + 1])")->functions[0]), (Said{"axis 0 of 'y' is m*n + 1"}));
  EXPECT_EQ(
      said(
          *parsed("%x: f32[n, m]) where n in [1, 64], n % 16 == 0, n <= m, n*m % 64 == 0, m*m == n + 4")->functions[0]),
      (Said{"axis 0 of 'x' (n) is in [1, 64]", "n is a multiple of 16", "m*m == n + 4", "m*n is a multiple of 64",
            "n <= m"}));
  EXPECT_EQ(said(*parsed("%x: f32[k, n, m]) where 2 <= k, n <= 8, m == 3")->functions[0]),
            (Said{"axis 0 of 'x' (k) is at least 2", "axis 2 of 'x' (m) is 3", "axis 1 of 'x' (n) is at most 8"}));
  // A divisor is checked to be positive before the division.
  EXPECT_EQ(said(*parsed("%x: f32[n, m], %y: f32[(n // m)])")->functions[0]),
            (Said{"m is at least 1", "axis 0 of 'y' is (n // m)"}));
  EXPECT_EQ(said(*parsed("%x: f32[n, m]) where n % m == 0")->functions[0]),
            (Said{"m is at least 1", "n is a multiple of m"}));
  EXPECT_EQ(said(*parsed("%x: f32[n, m]) where m in [1, 9], n % m == 0")->functions[0]),
            (Said{"axis 1 of 'x' (m) is in [1, 9]", "n is a multiple of m"}));
  EXPECT_EQ(said(*parsed("%x: f32[n], %y: f32[])")->functions[0]), Said{});
}

TEST(Guard, FindsTheFirstCheckThatFails) {
  auto m = parsed("%x: f32[n, m], %y: f32[m, 4], %z: f32[2*n]) where n in [1, 8], n <= m, n*m % 6 == 0");
  const ir::Function& f = *m->functions[0];
  EXPECT_EQ(failure(f, {{2, 3}, {3, 4}, {4}}), "");
  EXPECT_EQ(failure(f, {{0, 3}, {3, 4}, {0}}), "axis 0 of 'x' (n) is in [1, 8]");
  EXPECT_EQ(failure(f, {{9, 9}, {3, 4}, {0}}), "axis 0 of 'x' (n) is in [1, 8]");
  EXPECT_EQ(failure(f, {{2, 3}, {2, 4}, {4}}), "axis 0 of 'y' equals axis 1 of 'x'");
  EXPECT_EQ(failure(f, {{2, 3}, {3, 1}, {4}}), "axis 1 of 'y' is 4");
  EXPECT_EQ(failure(f, {{2, 3}, {3, 4}, {2}}), "axis 0 of 'z' is 2*n");
  EXPECT_EQ(failure(f, {{3, 2}, {2, 4}, {6}}), "n <= m");
  EXPECT_EQ(failure(f, {{2, 2}, {2, 4}, {4}}), "m*n is a multiple of 6");
  runtime::Guard guard = *make_guard(f);
  EXPECT_EQ(guard.symbol_names, (std::vector<std::string>{"m", "n"}));
  int64_t symbols[2] = {};
  Shapes shapes{{2, 3}, {3, 4}, {4}};
  EXPECT_EQ(guard.first_failure([&](uint32_t input, uint32_t axis) { return shapes[input][axis]; }, symbols), -1);
  EXPECT_EQ(symbols[0], 3);
  EXPECT_EQ(symbols[1], 2);
  EXPECT_EQ(describe(f, guard, 99), "");
}

TEST(Guard, NeedsEverySizeAlone) {
  EXPECT_EQ(said(*parsed("%x: f32[2*n])")->functions[0])[0],
            "function @f: the size 'n' cannot be read from any argument");
  EXPECT_EQ(said(*parsed("%x: f32[2*s] strides [s])")->functions[0])[0],
            "function @f: the size 's' cannot be read from any argument");
  // The caller owns the strides.
  EXPECT_EQ(said(*parsed("%x: f32[n] strides [s]) where s in [2, 8], n in [1, 8]")->functions[0]),
            std::vector<std::string>{"axis 0 of 'x' (n) is in [1, 8]"});
  EXPECT_EQ(said(*parsed("%x: f32[n] strides [s]) where n <= s")->functions[0])[0],
            "function @f: 'n <= s' uses 's', which is no size of any argument");
}

// The interpreter checks calls by itself; both accept the same calls.
TEST(Guard, AgreesWithTheInterpreter) {
  const char* signatures[] = {
      "%x: f32[n, m], %y: f32[m, n])",
      "%x: f32[n, m], %y: f32[n + m, (n // m)])",
      "%x: f32[n, m], %y: f32[2, k]) where n*m % k == 0",
      "%x: f32[n, m], %y: f32[k, 1]) where n <= m, k in [1, 3], m*n <= 4*k",
      "%x: f32[n, m], %y: f32[k, n]) where (n + k) % 3 == 1, min(n, m) == k",
  };
  std::mt19937 random(1);
  for (const char* signature : signatures) {
    auto m = parsed(signature);
    const ir::Function& f = *m->functions[0];
    int passed = 0;
    for (int i = 0; i < 2000; ++i) {
      Shapes shapes;
      std::vector<ir::Tensor> inputs;
      for (int k = 0; k < 2; ++k) {
        shapes.push_back({static_cast<int64_t>(random() % 4), static_cast<int64_t>(random() % 4)});
        inputs.emplace_back(float32, shapes.back());
      }
      auto bound = ir::bind_symbols(f, inputs);
      EXPECT_EQ(failure(f, shapes).empty(), bound.ok())
          << signature << ": " << (bound.ok() ? "passes" : bound.error().str());
      passed += bound.ok();
    }
    EXPECT_GT(passed, 10) << signature;
    EXPECT_LT(passed, 1500) << signature;
  }
}

}  // namespace
}  // namespace frit::codegen
