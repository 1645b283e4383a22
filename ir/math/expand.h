// The one definition of every math function: an expansion over the primitive scalar set (ScalarOp below Exp).
//
// Expansions are branch-free, so that they hold for any vector width, and use Fma explicitly where they want it. The
// same nodes are run by eager and compiled code, by constant folding and by the kernel interpreter, so that all of them
// agree to the bit.
//
// A machine without a fused multiplication and addition would imitate it at twenty times the cost. For such machines
// the same formulas are written without Fma (Arithmetic::Plain), within the same bounds of error; the last bits of
// results may differ between the two kinds of machines.
#pragma once

#include <cstdint>
#include <span>

#include "ir/scalar/scalar.h"

namespace frit::ir {

enum class Arithmetic : uint8_t {
  Fused,  // multiplies and adds with one rounding, and goes past a long way of a formula that no lane takes
  Flat,   // multiplies and adds with one rounding, and pays for every way of a formula: shaders
  Plain,  // rounds after each operation
};

// Appends nodes that compute function `op` (is_expanded(op)) of `args`, all f32 or all f64, and returns the result's
// node. The nodes use only primitive scalar ops.
//
// `narrow` is f16 or bf16 where all f32 arguments are numbers of this type and the result is only rounded to it. Then a
// shorter formula may serve, which gives the same rounded bits.
uint32_t expand_function(ScalarBuilder& b, ScalarOp op, std::span<const uint32_t> args,
                         Arithmetic arithmetic = Arithmetic::Fused, Dtype narrow = float32);

// The same computation with each function of `program` expanded.
ScalarProgram expand_functions(const ScalarProgram& program, Arithmetic arithmetic);

}  // namespace frit::ir
