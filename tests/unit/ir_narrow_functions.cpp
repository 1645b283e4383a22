// The shorter formulas of functions of 16-bit floats give the rounded bits of the long ones.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>

#include "frit/half.h"
#include "ir/math/expand.h"
#include "ir/scalar/scalar.h"

namespace frit::ir {
namespace {

ScalarProgram program_of(ScalarOp op, Arithmetic arithmetic, Dtype narrow) {
  ScalarProgram p;
  ScalarBuilder b(p.nodes);
  const uint32_t x = b.input(float32, 0);
  p.inputs = {float32};
  p.results = {expand_function(b, op, {&x, 1}, arithmetic, narrow)};
  return p;
}

float value_of(Dtype type, uint16_t bits) {
  return type == float16 ? half_bits_to_float(bits) : bfloat_bits_to_float(bits);
}
uint16_t rounded(Dtype type, const ScalarProgram& p, float x) {
  const std::array input{uint64_t{std::bit_cast<uint32_t>(x)}};
  const auto y = std::bit_cast<float>(static_cast<uint32_t>(evaluate(p, input)[0]));
  return type == float16 ? float_to_half_bits(y) : float_to_bfloat_bits(y);
}

// Results near 1, of 0 and of infinity are alike: of exp, exp2 and sigmoid there a few are enough.
bool is_tried(Dtype type, bool turns, uint32_t bits, float x) {
  const float size = std::fabs(x);
  const bool alike = size < 0x1p-13f || !(size < 256);
  return (turns && type == float16) || !alike || bits % 32 == 0 || std::isinf(x);
}

TEST(NarrowFunctions, GiveTheBitsOfTheLongFormulas) {
  for (Arithmetic arithmetic : {Arithmetic::Fused, Arithmetic::Plain})
    for (Dtype type : {float16, bfloat16})
      for (ScalarOp op : {ScalarOp::Exp, ScalarOp::Exp2, ScalarOp::Sigmoid, ScalarOp::Sin, ScalarOp::Cos}) {
        const ScalarProgram full = program_of(op, arithmetic, float32);
        const ScalarProgram flat = program_of(op, Arithmetic::Flat, float32);
        const ScalarProgram narrow = program_of(op, arithmetic, type);
        const bool turns = op == ScalarOp::Sin || op == ScalarOp::Cos;
        const bool none = arithmetic == Arithmetic::Plain && (type == bfloat16 || op == ScalarOp::Sigmoid);
        if (!none && (type == float16 || (op != ScalarOp::Sigmoid && !turns))) {
          EXPECT_LT(narrow.nodes.size(), full.nodes.size()) << name(op);
        }
        int differ = 0;
        for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
          const float x = value_of(type, static_cast<uint16_t>(bits));
          if (!is_tried(type, turns, bits, x)) continue;
          const uint16_t own = rounded(type, narrow, x);
          differ += rounded(type, full, x) != own || (turns && rounded(type, flat, x) != own);
        }
        EXPECT_EQ(differ, 0) << name(op) << " " << (type == float16 ? "f16" : "bf16");
      }
}

}  // namespace
}  // namespace frit::ir
