// Reduction of an angle to a multiple of pi / 2 and a rest, right for every finite argument. Private to
// ir/math.
#pragma once

#include "ir/math/formula.h"

namespace frit::ir::math {

// The angle is count * pi / 2 + rest + low, where only count's two low bits mean anything. |rest| is a little
// over pi / 4 at most.
struct Angle {
  Expr count, rest, low;
};

// Of an f32 argument: count is i32; rest is f64 and good to 2^-50, low is zero.
Angle reduce32(Expr x);

// Of |x| of an f64 argument: count is i64; rest + low is good to 2^-100.
Angle reduce64(Expr x);

}  // namespace frit::ir::math
