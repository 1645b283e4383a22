// The expansions, one function per ScalarOp, grouped by family as the files are. Private to ir/math.
//
// Arguments and results are f32 or f64 Exprs; a function that needs wider intermediate values for f32 says so
// at its head.
#pragma once

#include "ir/math/formula.h"

namespace frit::ir::math {

// exp.cpp
Expr exp(Expr x);
Expr exp2(Expr x);
Expr expm1(Expr x);
Expr sigmoid(Expr x);
Expr half_exp(Expr x);        // exp(x) / 2, which overflows only where the quotient does
Expr exp_plus_one(Expr x);    // exp(x) + 1 for 0 <= x <= 60
Expr exp2(Expr x, Expr low);  // 2^(x + low) for a small low

// exp_narrow.cpp: `x` is a number of `type`, f16 or bf16, and the result is only rounded to it.
Expr narrow_exp(Expr x, Dtype type);
Expr narrow_exp2(Expr x, Dtype type);
Expr half_sigmoid(Expr x);  // the same for f16

// log.cpp
Expr log(Expr x);
Expr log_of_normal(Expr x);  // anything for an x that is not a positive normal number
Expr log2(Expr x);
Expr log10(Expr x);
Expr log1p(Expr x);

// trig.cpp
Expr sin(Expr x);
Expr cos(Expr x);
Expr tan(Expr x);
Expr half_sin(Expr x);  // of an f16, where the result is only rounded to it
Expr half_cos(Expr x);

// inverse_trig.cpp
Expr asin(Expr x);
Expr acos(Expr x);
Expr atan(Expr x);
Expr atan2(Expr y, Expr x);

// hyperbolic.cpp
Expr sinh(Expr x);
Expr cosh(Expr x);
Expr tanh(Expr x);
Expr asinh(Expr x);
Expr acosh(Expr x);
Expr atanh(Expr x);

// erf.cpp
Expr erf(Expr x);
Expr erfinv(Expr x);

// pow.cpp
Expr pow(Expr x, Expr y);
Expr rsqrt(Expr x);

}  // namespace frit::ir::math
