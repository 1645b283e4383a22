// Remainders of floats in a vector loop. The C library's function takes 30 ns for a lane, and loops over its quotient's
// bits.
//
// With a = |x|, b = |y| and q = a / b rounded and cut to an integer below 2^24 (f64: 2^53), q is the number of times
// that b goes into a, or one more. Then a - q b is a float: a multiple of the last place of b, or of a where that is
// less, and no larger than b. So one fused operation finds it, and one addition of b where it is negative, without an
// error. f32 has larger quotients in f64; the C library takes what is left, behind branches.
#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <cmath>

#include "codegen/llvm/emitter.h"

namespace frit::codegen {

using llvm::Value;

// The remainder of the magnitudes a and b. `whole`: whether the quotient is small enough for it to mean something.
Value* KernelEmitter::short_remainder(Value* a, Value* b, Value** whole) {
  const bool single = a->getType()->getScalarType()->isFloatTy();
  Value* q = builder_.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, builder_.CreateFDiv(a, b));
  *whole = builder_.CreateFCmpOLT(q, llvm::ConstantFP::get(a->getType(), std::ldexp(1.0, single ? 24 : 53)));
  Value* rest = fused(builder_.CreateFNeg(q), b, a);
  Value* negative = builder_.CreateFCmpOLT(rest, llvm::ConstantFP::get(a->getType(), 0));
  rest = builder_.CreateSelect(negative, builder_.CreateFAdd(rest, b), rest);
  // An infinite b has no product.
  return builder_.CreateSelect(builder_.CreateFCmpOLT(a, b), a, rest);
}

// The remainder that `instr` is, or nothing where it is not one of vectors of this step.
std::optional<KernelEmitter::Val> KernelEmitter::vector_remainder(const ir::ScalarInstr& instr) {
  if (instr.op != ir::ScalarOp::Rem || !is_float(instr.type) || !vector_) return std::nullopt;
  if (instr.type == float64 && !features_.fma) return std::nullopt;
  const Val x = reg(instr.args[0]), y = reg(instr.args[1]);
  if ((!x.varying && !y.varying) || std::max(x.depth, y.depth) < depth()) return std::nullopt;
  const auto magnitude = [&](Value* v) { return builder_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, v); };
  const auto wide = [&](Value* v) { return builder_.CreateFPExt(v, like(v, builder_.getDoubleTy())); };
  // Of lanes that are left over, those that are none have no remainder either.
  const auto rare_of = [&](Value* whole, int copy) { return both(builder_.CreateNot(whole), vector_->lanes(copy)); };
  Val result{{}, depth(), true}, rare{{}, depth(), true};
  for (int c = 0; c < copies(); ++c) {
    Value* whole = nullptr;
    result.copies.push_back(short_remainder(magnitude(get(x, c, true)), magnitude(get(y, c, true)), &whole));
    rare.copies.push_back(rare_of(whole, c));
  }
  Detour detour = open_detour(rare, false);
  Val longer = result, left = rare;
  if (instr.type == float32 && features_.fma) {
    for (int c = 0; c < copies(); ++c) {
      Value* whole = nullptr;
      Value* rest = short_remainder(wide(magnitude(get(x, c, true))), wide(magnitude(get(y, c, true))), &whole);
      longer.copies[static_cast<size_t>(c)] = builder_.CreateFPTrunc(rest, get(x, c, true)->getType());
      left.copies[static_cast<size_t>(c)] = rare_of(whole, c);
    }
  }
  Detour last = open_detour(left, false);
  llvm::SmallVector<Value*, 4> all;
  for (int c = 0; c < copies(); ++c) all.push_back(magnitude(builder_.CreateFRem(get(x, c, true), get(y, c, true))));
  close_detour(last);
  for (size_t c = 0; c < all.size(); ++c) all[c] = meet(last, longer.copies[c], all[c]);
  close_detour(detour);
  for (size_t c = 0; c < all.size(); ++c) result.copies[c] = meet(detour, result.copies[c], all[c]);
  for (size_t c = 0; c < all.size(); ++c)
    result.copies[c] =
        builder_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, result.copies[c], get(x, static_cast<int>(c), true));
  return result;
}

}  // namespace frit::codegen
