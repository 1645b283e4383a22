// Expansion of math functions in kernels: shared constants and dead instructions.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <memory>
#include <string>

#include "ir/interpret/interpret_kernel.h"
#include "ir/math/expand.h"
#include "ir/read/kernel_parser.h"
#include "ir/text/kernel_printer.h"
#include "ir/verify/kernel_verifier.h"
#include "passes/manager/pass.h"

namespace frit::passes {
namespace {

using namespace ir;

// %4 is unused. The inner exp can share the constants of the outer one; the log after the loops can share the constants
// of neither loop.
constexpr const char* kText = R"(program @f(n) {
  buffer %x: f32[n] input 0
  buffer %out: f32[n] output
  launch @f_0(%x, %out)
  return %out: f32[n]
  kernel @f_0(%x: f32[n] in, %out: f32[n] out; n) {
    for i in n {
      %0: f32 = load %x[i]
      %1: f32 = exp %0
      for j in 2 acc %2: f32 = sum %3 {
        %3: f32 = exp %1
      }
      %4: f32 = erf %0
      %5: f32 = sigmoid %2
      %6: f32 = pow %0, %5
      store %out[i], %6
    }
  }
})";

Function parse(const char* text) {
  auto program = parse_program(text);
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().render(text));
  Function f;
  f.name = "f";
  if (program.ok()) f.program = std::make_shared<Program>(std::move(program->program));
  return f;
}

Result<bool> expand(Function& f, bool has_fma = true) {
  PassContext context;
  context.target.has_fma = has_fma;
  return find_pass("expand_functions")->run(f, context);
}

std::vector<float> run(const Kernel& k) {
  std::vector<float> x{0.25f, 1.5f, -0.0f, -2.0f, 3.25f, 0x1p-140f}, out(x.size());
  BufferSpan buffers[] = {{reinterpret_cast<std::byte*>(x.data()), x.size() * 4},
                          {reinterpret_cast<std::byte*>(out.data()), out.size() * 4}};
  int64_t n = static_cast<int64_t>(x.size());
  Status status = interpret(k, buffers, {&n, 1});
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().str());
  return out;
}

size_t count(const Body& body, auto predicate) {
  size_t n = 0;
  for (const Instr& instr : body) {
    if (const auto* loop = std::get_if<Loop>(&instr.node)) n += count(loop->body, predicate);
    if (const auto* scalar = std::get_if<ScalarInstr>(&instr.node)) n += predicate(*scalar);
  }
  return n;
}

TEST(ExpandFunctions, LeavesOnlyPrimitivesAndTheSameBits) {
  Function f = parse(kText);
  ASSERT_TRUE(f.program);
  std::vector<float> before = run(f.program->kernels[0]);
  auto changed = expand(f);
  ASSERT_TRUE(changed.ok());
  EXPECT_TRUE(*changed);
  const Kernel& k = f.program->kernels[0];
  Status valid = verify(*f.program);
  EXPECT_TRUE(valid.ok()) << valid.error().str();
  EXPECT_EQ(count(k.body, [](const ScalarInstr& s) { return is_expanded(s.op); }), 0u);
  std::vector<float> after = run(k);
  for (size_t i = 0; i < before.size(); ++i)
    EXPECT_EQ(std::bit_cast<uint32_t>(before[i]), std::bit_cast<uint32_t>(after[i])) << i;
}

TEST(ExpandFunctions, SharesConstantsAndDropsDeadScalars) {
  Function f = parse(kText);
  ASSERT_TRUE(f.program);
  ASSERT_TRUE(expand(f).ok());
  const Kernel& k = f.program->kernels[0];
  // log2(e) belongs to exp, twice, and negated to sigmoid; 1.1 belongs only to the dead erf.
  auto constant = [](float value) {
    return [value](const ScalarInstr& s) {
      return s.op == ScalarOp::Const && s.type == float32 && s.imm == std::bit_cast<uint32_t>(value);
    };
  };
  EXPECT_EQ(count(k.body, constant(0x1.715476p0f)), 1u);
  EXPECT_EQ(count(k.body, constant(1.1f)), 0u);
}

TEST(ExpandFunctions, SecondRunChangesNothing) {
  Function f = parse(kText);
  ASSERT_TRUE(f.program);
  ASSERT_TRUE(expand(f).ok());
  std::string once = print(*f.program, "f");
  auto changed = expand(f);
  ASSERT_TRUE(changed.ok());
  EXPECT_FALSE(*changed);
  EXPECT_EQ(print(*f.program, "f"), once);
}

// A target without the instruction gets sequences that have no use for it, and folded constants agree with them.
TEST(ExpandFunctions, TargetsWithoutFusedMultiplicationsGetNone) {
  Function f = parse(kText);
  ASSERT_TRUE(f.program);
  ASSERT_TRUE(expand(f, false).ok());
  const auto fused = [](const ScalarInstr& s) { return s.op == ScalarOp::Fma; };
  EXPECT_EQ(count(f.program->kernels[0].body, fused), 0u);
  EXPECT_TRUE(verify(f.program->kernels[0]).ok());
  const std::vector<float> plain = run(f.program->kernels[0]), fused_results = run(parse(kText).program->kernels[0]);
  for (size_t i = 0; i < plain.size(); ++i)
    if (std::isfinite(fused_results[i])) {
      EXPECT_NEAR(plain[i], fused_results[i], 1e-5f * std::fabs(plain[i])) << i;
    }

  int differ = 0;
  for (ScalarOp op : {ScalarOp::Exp, ScalarOp::Log, ScalarOp::Erf, ScalarOp::Tanh, ScalarOp::Pow})
    for (double x : {0.3, 0.7, 1.1, 1.9, 2.3}) {
      ScalarProgram program;
      ScalarBuilder b(program.nodes);
      const uint64_t bits = double_to_bits(float64, x);
      std::vector<uint32_t> args{b.constant_bits(float64, bits), b.constant(float64, 1.7)};
      args.resize(static_cast<size_t>(arity(op)));
      program.results = {expand_function(b, op, args, Arithmetic::Plain)};
      const uint64_t own = evaluate(program, {})[0];
      ScalarProgram call;
      ScalarBuilder c(call.nodes);
      args = {c.constant_bits(float64, bits), c.constant(float64, 1.7)};
      call.results = {arity(op) == 1 ? c.unary(op, args[0]) : c.binary(op, args[0], args[1])};
      EXPECT_EQ(evaluate(expand_functions(call, Arithmetic::Plain), {})[0], own) << name(op) << " " << x;
      differ += own != evaluate(call, {})[0];
    }
  EXPECT_GT(differ, 0);
}

// A step of a sum of products is one operation where the machine has it, and two where it has not.
TEST(ExpandFunctions, StepsOfSumsFollowTheMachine) {
  const auto run_step = [](bool has_fma, ScalarOp op, size_t steps) {
    Function f = parse(R"(program @f(n) {
  buffer %x: f32[n] input 0
  buffer %out: f32[n] output
  launch @f_0(%x, %out)
  return %out: f32[n]
  kernel @f_0(%x: f32[n] in, %out: f32[n] out; n) {
    for i in n {
      %0: f32 = load %x[i]
      %1: f32 = madd %0, %0, -2.25
      store %out[i], %1
    }
  }
})");
    EXPECT_TRUE(expand(f, has_fma).ok());
    const Kernel& k = f.program->kernels[0];
    EXPECT_EQ(count(k.body, [&](const ScalarInstr& s) { return s.op == op; }), steps);
    EXPECT_EQ(count(k.body, [](const ScalarInstr& s) { return s.op != ScalarOp::Const; }), steps * (has_fma ? 1 : 2));
    return run(k);
  };
  const std::vector<float> fused = run_step(true, ScalarOp::Fma, 1), plain = run_step(false, ScalarOp::Mul, 1);
  const std::vector<float> x{0.25f, 1.5f, -0.0f, -2.0f, 3.25f, 0x1p-140f};
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(fused[i], std::fma(x[i], x[i], -2.25f));
    const float product = x[i] * x[i];
    EXPECT_EQ(plain[i], product - 2.25f);
  }
}

// A function of f16 whose result is only rounded to f16 has a shorter formula; another use of the result keeps the long
// one.
TEST(ExpandFunctions, AreShorterWhereResultsAreRounded) {
  const auto instructions = [](const char* use) {
    Function f = parse((std::string(R"(program @f(n) {
  buffer %x: f16[n] input 0
  buffer %out: f16[n] output
  launch @f_0(%x, %out)
  return %out: f16[n]
  kernel @f_0(%x: f16[n] in, %out: f16[n] out; n) {
    for i in n {
      %0: f16 = load %x[i]
      %1: f32 = cast %0
      %2: f32 = exp %1
)") + use + "      store %out[i], %5\n    }\n  }\n}")
                           .c_str());
    EXPECT_TRUE(f.program && expand(f).ok());
    return f.program ? count(f.program->kernels[0].body, [](const ScalarInstr&) { return true; }) : 0;
  };
  const size_t narrow = instructions("%3: f16 = cast %2\n%4: f32 = cast %3\n%5: f16 = cast %4\n");
  const size_t wide = instructions("%3: f32 = add %2, %2\n%4: f32 = neg %3\n%5: f16 = cast %4\n");
  EXPECT_LT(narrow + 6, wide);
}

}  // namespace
}  // namespace frit::passes
