// Quotients and remainders of 64-bit integers in a vector loop. Processors have vector division for floats only, and a
// division of a lane by itself takes ten cycles and more.
//
// For whole numbers a, b < 2^52 the quotient in f64, cut to an integer, is exact: a / b = q - r / b with 0 < r <= b is
// less than q by 1 / b at least, which is more than half of the last place of q, as q b < 2^53. Such numbers become f64
// and come back by the bits of 2^52, without a conversion that vectors may lack. A step with a larger number in some
// lane takes the division of integers, behind a branch.
#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "codegen/llvm/emitter.h"

namespace frit::codegen {

using llvm::Value;

namespace {

constexpr int kExactBits = 52;
constexpr uint64_t kBitsOfMagic = 0x4330000000000000;  // of 2^52

}  // namespace

// The quotient and the remainder of magnitudes that are below 2^52.
std::array<Value*, 2> KernelEmitter::short_division(Value* a, Value* b) {
  llvm::Type* real = like(a, builder_.getDoubleTy());
  Value* magic = llvm::ConstantFP::get(real, std::ldexp(1.0, kExactBits));
  Value* bits = llvm::ConstantInt::get(a->getType(), kBitsOfMagic);
  const auto to_real = [&](Value* v) {
    Value* shifted = builder_.CreateBitCast(builder_.CreateOr(v, bits), real);
    return builder_.CreateFSub(shifted, magic);
  };
  const auto to_bits = [&](Value* v) {
    return builder_.CreateXor(builder_.CreateBitCast(builder_.CreateFAdd(v, magic), a->getType()), bits);
  };
  Value* dividend = to_real(a);
  Value* divisor = to_real(b);
  Value* q = builder_.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, builder_.CreateFDiv(dividend, divisor));
  Value* rest = fused(builder_.CreateFNeg(q), divisor, dividend);  // without an error
  Value* quotient = to_bits(q);
  return {quotient, to_bits(rest)};
}

// The quotients and remainders of both, behind which the builder stands in a block of its own.
Quotient KernelEmitter::quotient_of(const Val& x, const Val& y, Dtype type) {
  const bool is_signed = is_signed_int(type);
  const auto magnitude = [&](Value* v) {
    return is_signed ? builder_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, v, builder_.getFalse()) : v;
  };
  const auto with_sign = [&](Value* v, Value* of) {
    if (!is_signed) return v;
    Value* sign = builder_.CreateAShr(of, 63);
    return builder_.CreateSub(builder_.CreateXor(v, sign), sign);
  };
  Quotient result;
  Val large{{}, depth(), true};
  for (int c = 0; c < copies(); ++c) {
    Value *dividend = get(x, c, true), *divisor = get(y, c, true);
    Value* zero = llvm::Constant::getNullValue(divisor->getType());
    Value* by_zero = builder_.CreateICmpEQ(divisor, zero);
    Value* a = magnitude(dividend);
    Value* b = magnitude(divisor);
    Value* high = builder_.CreateLShr(builder_.CreateOr(a, b), kExactBits);
    Value* is_large = builder_.CreateICmpNE(high, zero);
    large.copies.push_back(both(is_large, vector_->lanes(c)));
    const auto [q, rest] =
        short_division(a, builder_.CreateSelect(by_zero, llvm::ConstantInt::get(b->getType(), 1), b));
    // By one there is no rest.
    result.quotients.push_back(
        builder_.CreateSelect(by_zero, zero, with_sign(q, builder_.CreateXor(dividend, divisor))));
    result.remainders.push_back(with_sign(rest, dividend));
  }
  Detour detour = open_detour(large, false);
  llvm::SmallVector<Value*, 4> quotients, remainders;
  for (int c = 0; c < copies(); ++c) {
    Value* dividend = get(x, c, true);
    Value* divisor = get(y, c, true);
    Value* q = divide(false, type, dividend, divisor);
    Value* zero = llvm::Constant::getNullValue(divisor->getType());
    Value* rest = builder_.CreateSub(dividend, builder_.CreateMul(q, divisor));
    quotients.push_back(q);
    remainders.push_back(builder_.CreateSelect(builder_.CreateICmpEQ(divisor, zero), zero, rest));
  }
  close_detour(detour);
  for (size_t c = 0; c < quotients.size(); ++c) {
    result.quotients[c] = meet(detour, result.quotients[c], quotients[c]);
    result.remainders[c] = meet(detour, result.remainders[c], remainders[c]);
  }
  result.block = builder_.GetInsertBlock();
  return result;
}

// The quotient or remainder that `instr` is, or nothing where it is not one of vectors of this step. A divisor that is
// known is left to LLVM, which multiplies.
std::optional<KernelEmitter::Val> KernelEmitter::vector_quotient(const ir::ScalarInstr& instr) {
  const bool remainder = instr.op == ir::ScalarOp::Rem;
  if ((!remainder && instr.op != ir::ScalarOp::Div) || !is_int(instr.type) || instr.type.size() != 8 || !vector_)
    return std::nullopt;
  const Val x = reg(instr.args[0]), y = reg(instr.args[1]);
  if ((!x.varying && !y.varying) || std::max(x.depth, y.depth) < depth()) return std::nullopt;
  // Short vectors gain nothing.
  if (llvm::isa<llvm::Constant>(get(y, 0, true)) || features_.vector_bytes < 32 || !features_.fma) return std::nullopt;
  // A quotient and a remainder of the same numbers share the work. An unrolled loop gives a register other numbers.
  llvm::SmallVector<Value*, 8> of(x.copies.begin(), x.copies.end());
  of.append(y.copies.begin(), y.copies.end());
  if (quotient_.block != builder_.GetInsertBlock() || quotient_.of != of) {
    quotient_ = quotient_of(x, y, instr.type);
    quotient_.of = of;
  }
  Val result{{}, depth(), true};
  result.copies = remainder ? quotient_.remainders : quotient_.quotients;
  return result;
}

}  // namespace frit::codegen
