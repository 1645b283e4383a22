// Conversions by value (ir/scalar/scalar.h): saturating to integers, rounded once to every float type. Those of f16 and
// bf16 are in emit_low_precision.cpp.
#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>

#include <cmath>

#include "codegen/llvm/emitter.h"

namespace frit::codegen {

using llvm::Value;

// `element`, or a vector of it with as many lanes as `shape` has.
llvm::Type* KernelEmitter::like(Value* shape, llvm::Type* element) {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(shape->getType());
  return vector ? llvm::FixedVectorType::get(element, vector->getNumElements()) : element;
}

Value* KernelEmitter::cast(Dtype to, Dtype from, Value* x) {
  if (to == from) return x;
  if (is_low_precision(from)) return cast(to, float32, low_to_float(from, x));
  llvm::Type* type = like(x, register_type(to));
  if (to == bool_) {
    Value* zero = llvm::Constant::getNullValue(x->getType());
    return is_float(from) ? builder_.CreateFCmpUNE(x, zero) : builder_.CreateICmpNE(x, zero);
  }
  const bool from_signed = is_signed_int(from);
  if (is_low_precision(to)) {
    if (from == float64) return float_to_low(to, double_to_odd_float(x));
    if (from == float32) return float_to_low(to, x);
    // Every integer below 2^24 is exact in f32. Above it, f16 overflows however f32 rounds, but bf16 needs care.
    llvm::Type* single = like(x, builder_.getFloatTy());
    if (to == float16 || from.size() <= 2)
      return float_to_low(to, from_signed ? builder_.CreateSIToFP(x, single) : builder_.CreateUIToFP(x, single));
    return float_to_low(to, double_to_odd_float(integer_to_odd_double(x, from_signed)));
  }
  if (is_float(from)) {
    if (is_float(to)) return to == float64 ? builder_.CreateFPExt(x, type) : builder_.CreateFPTrunc(x, type);
    return float_to_integer(to, x);
  }
  if (is_float(to)) return from_signed ? builder_.CreateSIToFP(x, type) : builder_.CreateUIToFP(x, type);
  return from_signed ? builder_.CreateSExtOrTrunc(x, type) : builder_.CreateZExtOrTrunc(x, type);
}

// The integer towards zero, the nearest one of the type where there is none, and 0 of NaN. LLVM's own conversion takes
// the lanes of a vector one by one, so the lanes are brought into the type's range in front of one that is not defined
// outside of it. Bounds that are floats bound the operand. Others are those of a power of two, whose lanes are chosen
// behind it.
Value* KernelEmitter::float_to_integer(Dtype to, Value* x) {
  const bool is_signed = is_signed_int(to);
  llvm::Type* type = like(x, register_type(to));
  if (!x->getType()->isVectorTy()) {
    const auto id = is_signed ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
    return builder_.CreateIntrinsic(id, {type, x->getType()}, {x});
  }
  const unsigned bits = type->getScalarSizeInBits(), magnitude = is_signed ? bits - 1 : bits;
  const unsigned digits = x->getType()->getScalarType()->isDoubleTy() ? 53 : 24;
  const auto number = [&](double v) { return llvm::ConstantFP::get(x->getType(), v); };
  Value *zero = number(0), *least = number(is_signed ? -std::ldexp(1.0, static_cast<int>(magnitude)) : 0);
  Value* beyond = number(std::ldexp(1.0, static_cast<int>(magnitude)));
  const auto at_least = [&](Value* v) { return builder_.CreateSelect(builder_.CreateFCmpOGT(v, least), v, least); };
  if (magnitude <= digits) {
    Value* most = number(std::ldexp(1.0, static_cast<int>(magnitude)) - 1);
    // The first of the two is the bound where the operand is NaN, and the least of unsigned integers is 0.
    Value* near = is_signed ? x : at_least(x);
    near = builder_.CreateSelect(builder_.CreateFCmpOLT(near, most), near, most);
    if (is_signed) near = builder_.CreateSelect(builder_.CreateFCmpORD(x, x), at_least(near), zero);
    if (bits == 32 && !is_signed) return builder_.CreateFPToUI(near, type);
    Value* word = builder_.CreateFPToSI(near, like(x, builder_.getInt32Ty()));
    return bits < 32 ? builder_.CreateTrunc(word, type) : word;
  }
  Value* near = at_least(builder_.CreateSelect(builder_.CreateFCmpOLT(x, beyond), x, zero));
  Value* inside = is_signed ? builder_.CreateFPToSI(near, type) : builder_.CreateFPToUI(near, type);
  const llvm::APInt most = is_signed ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits);
  return builder_.CreateSelect(builder_.CreateFCmpOGE(x, beyond), llvm::ConstantInt::get(type, most), inside);
}

// The nearest f32 towards zero, with its last bit set if anything was lost (round to odd). Rounding that again gives
// the same as rounding once.
Value* KernelEmitter::double_to_odd_float(Value* x) {
  Value* near = builder_.CreateFPTrunc(x, like(x, builder_.getFloatTy()));
  Value* back = builder_.CreateFPExt(near, x->getType());
  Value* lost = builder_.CreateFCmpONE(back, x);
  Value* away = builder_.CreateFCmpOGT(builder_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, back),
                                       builder_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x));
  llvm::Type* word = like(x, builder_.getInt32Ty());
  Value* bits = builder_.CreateBitCast(near, word);
  bits = builder_.CreateSub(bits, builder_.CreateZExt(away, word));
  bits = builder_.CreateOr(bits, builder_.CreateZExt(lost, word));
  return builder_.CreateBitCast(bits, near->getType());
}

// The same from an integer to f64: the low bits of a magnitude beyond 53 bits become one sticky bit.
Value* KernelEmitter::integer_to_odd_double(Value* x, bool is_signed) {
  llvm::Type* real = like(x, builder_.getDoubleTy());
  if (x->getType()->getScalarSizeInBits() < 64)
    return is_signed ? builder_.CreateSIToFP(x, real) : builder_.CreateUIToFP(x, real);
  llvm::Type* type = x->getType();
  auto number = [&](uint64_t v) { return llvm::ConstantInt::get(type, v); };
  Value* magnitude = is_signed ? builder_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, x, builder_.getFalse()) : x;
  Value* low = builder_.CreateAnd(magnitude, number(0xfff));
  Value* sticky = builder_.CreateSelect(builder_.CreateICmpNE(low, number(0)), number(0x800), number(0));
  Value* odd = builder_.CreateOr(builder_.CreateAnd(magnitude, number(~uint64_t{0xfff})), sticky);
  Value* wide = builder_.CreateICmpUGE(magnitude, number(uint64_t{1} << 53));
  Value* result = builder_.CreateUIToFP(builder_.CreateSelect(wide, odd, magnitude), real);
  if (!is_signed) return result;
  return builder_.CreateSelect(builder_.CreateICmpSLT(x, number(0)), builder_.CreateFNeg(result), result);
}

}  // namespace frit::codegen
