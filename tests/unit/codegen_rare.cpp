// Ways of a formula for unusual numbers, which a test of a float's bits finds: generated code goes past them.
#include <bit>
#include <cmath>
#include <limits>

#include "codegen_harness.h"
#include "ir/math/expand.h"

namespace frit::test::rare {
namespace {

// Two ways of the same length, behind a test of the bits of an f32 or of something else.
std::string kernel_of(const std::string& test) {
  std::string text = "kernel @ways(%x: f32[n] in, %y: f32[n] out; n) {\nparallel for i in n {\n%0: f32 = load %x[i]\n";
  text += "%1: u32 = bitcast %0\n%2: u32 = sub %1, 8388608\n" + test;
  for (const char* way : {"a", "b"}) {
    std::string last = "%0";
    for (int i = 0; i < 30; ++i) {
      const std::string next = std::string("%") + way + std::to_string(i);
      text += next + ": f32 = fma " + last + ", 0.75, " + std::to_string(*way == 'a' ? i : 2 * i) + "\n";
      last = next;
    }
  }
  return text + "%4: f32 = select %3, %a29, %b29\nstore %y[i], %4\n}\n}";
}

constexpr const char* kBits = "%3: bool = ge %2, 2130706432\n";
constexpr const char* kValue = "%3: bool = lt %0, 0\n";

std::string emitted(const std::string& test) {
  ir::Kernel k = parse(kernel_of(test));
  set_vector(k, "i", 16, 1);
  auto text = backend().emit(program_of(std::move(k)), {"llvm", "x86-64-v4"}, "llvm-ir");
  EXPECT_TRUE(text.ok());
  return text.ok() ? std::string(text->begin(), text->end()) : "";
}

TEST(Rare, OnlyTestsOfBitsMakeABranchForWaysOfOneLength) {
  EXPECT_NE(emitted(kBits).find("compute"), std::string::npos);
  EXPECT_EQ(emitted(kValue).find("compute"), std::string::npos);
}

TEST(Rare, BothWaysGiveTheValuesOfTheSelection) {
  for (const char* test : {kBits, kValue})
    for (const auto& [vector, unroll] : {std::pair{0, 1}, {8, 1}, {16, 4}})
      for (const int64_t distance : {0, 1, 5, 40}) {
        ir::Kernel k = parse(kernel_of(test));
        set_vector(k, "i", vector, unroll);
        Compiled compiled(std::move(k));
        const Fill values = [&](const std::string& name, int64_t i) -> std::optional<uint64_t> {
          if (name != "x" || (distance > 0 && i % distance == 0)) return {};
          return std::bit_cast<uint32_t>(0.5f + static_cast<float>(i));
        };
        for (const int64_t n : {1, 31, 64, 100, 257}) compiled.check({n}, 1, values);
      }
}

// The usual way of a logarithm has the bits of the one for any number.
template <class Float, class Word>
void compare_logarithms(Dtype type, const std::vector<Float>& edges) {
  using ir::ScalarOp;
  Random random{7};
  for (const ScalarOp op : {ScalarOp::Log, ScalarOp::Log2, ScalarOp::Log10}) {
    const auto program = [&](ir::Arithmetic arithmetic) {
      ir::ScalarProgram p;
      ir::ScalarBuilder b(p.nodes);
      const uint32_t x = b.input(type, 0);
      p.inputs = {type};
      p.results = {ir::expand_function(b, op, {&x, 1}, arithmetic)};
      return p;
    };
    const ir::ScalarProgram branches = program(ir::Arithmetic::Fused), flat = program(ir::Arithmetic::Flat);
    EXPECT_GT(branches.nodes.size(), flat.nodes.size());
    const auto same = [&](Float x) {
      const std::vector<uint64_t> input{std::bit_cast<Word>(x)};
      const auto a = std::bit_cast<Float>(static_cast<Word>(evaluate(branches, input)[0]));
      const auto b = std::bit_cast<Float>(static_cast<Word>(evaluate(flat, input)[0]));
      return std::bit_cast<Word>(a) == std::bit_cast<Word>(b) || (std::isnan(a) && std::isnan(b));
    };
    for (const Float x : edges) EXPECT_TRUE(same(x) && same(-x)) << name(op) << " " << x;
    int differ = 0;
    for (int i = 0; i < 4000; ++i) differ += !same(std::bit_cast<Float>(static_cast<Word>(random())));
    EXPECT_EQ(differ, 0) << name(op);
  }
}

template <class Float>
std::vector<Float> edges_of() {
  using Limits = std::numeric_limits<Float>;
  const Float least = Limits::min(), most = Limits::max();
  return {0,
          1,
          least,
          std::nextafter(least, Float(0)),
          std::nextafter(least, Float(1)),
          Limits::denorm_min(),
          most,
          std::nextafter(most, Float(0)),
          Limits::infinity(),
          Limits::quiet_NaN()};
}

TEST(Rare, UsualLogarithmsHaveTheBitsOfAll) {
  compare_logarithms<float, uint32_t>(float32, edges_of<float>());
  compare_logarithms<double, uint64_t>(float64, edges_of<double>());
}

}  // namespace
}  // namespace frit::test::rare
