// Scalar operations, on scalars and on vectors alike, with exactly the meaning that ir/scalar/scalar.h states.
#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/PatternMatch.h>

#include "codegen/llvm/emitter.h"

namespace frit::codegen {

using llvm::Value;
using llvm::Intrinsic::ID;

namespace {

// The constant that fills every lane of `v`, or null.
llvm::Constant* splat_constant(Value* v) {
  auto* c = llvm::dyn_cast<llvm::Constant>(v);
  if (!c) return nullptr;
  return c->getType()->isVectorTy() ? c->getSplatValue() : c;
}

bool never_nan(Value* v) {
  auto* c = llvm::dyn_cast_or_null<llvm::ConstantFP>(splat_constant(v));
  return c && !c->isNaN();
}

bool is_nonzero_constant(Value* v) {
  auto* c = llvm::dyn_cast_or_null<llvm::ConstantInt>(splat_constant(v));
  return c && !c->isZero() && !c->isMinusOne();
}

// `v`, behind the check of a shift's count that is a constant.
Value* unchecked(Value* v) {
  auto* s = llvm::dyn_cast<llvm::SelectInst>(v);
  return s && llvm::PatternMatch::match(s->getCondition(), llvm::PatternMatch::m_One()) ? s->getTrueValue() : v;
}

// The word whose low bits, shifted to the left by `mantissa`, are float `v`, or null.
Value* shifted_exponent(Value* v, unsigned mantissa) {
  using namespace llvm::PatternMatch;
  Value* word = nullptr;
  if (!match(v, m_BitCast(m_Value(word)))) return nullptr;
  return match(unchecked(word), m_Shl(m_Value(word), m_SpecificInt(mantissa))) ? word : nullptr;
}

// The predicate of comparison `op`: ordered for floats, except that Ne holds on NaN.
llvm::CmpInst::Predicate predicate(ir::ScalarOp op, bool real, bool is_signed) {
  using P = llvm::CmpInst;
  switch (op) {
    case ir::ScalarOp::Eq: return real ? P::FCMP_OEQ : P::ICMP_EQ;
    case ir::ScalarOp::Ne: return real ? P::FCMP_UNE : P::ICMP_NE;
    case ir::ScalarOp::Lt: return real ? P::FCMP_OLT : is_signed ? P::ICMP_SLT : P::ICMP_ULT;
    case ir::ScalarOp::Le: return real ? P::FCMP_OLE : is_signed ? P::ICMP_SLE : P::ICMP_ULE;
    case ir::ScalarOp::Gt: return real ? P::FCMP_OGT : is_signed ? P::ICMP_SGT : P::ICMP_UGT;
    default: return real ? P::FCMP_OGE : is_signed ? P::ICMP_SGE : P::ICMP_UGE;
  }
}

}  // namespace

KernelEmitter::Val KernelEmitter::emit_scalar(const ir::ScalarInstr& instr) {
  if (instr.op == ir::ScalarOp::Const) return uniform(constant(instr.type, instr.imm), 0);
  if (const auto mask = compare_positions(instr)) return *mask;
  if (const auto rest = vector_remainder(instr)) return *rest;
  if (const auto quotient = vector_quotient(instr)) return *quotient;
  if (const auto quotient = rounded_quotient(instr)) return *quotient;
  if (const auto quotient = float_quotient(instr)) return *quotient;
  llvm::SmallVector<const Val*, 3> args;
  for (int i = 0; i < ir::arity(instr.op); ++i) args.push_back(&reg(instr.args[static_cast<size_t>(i)]));
  Dtype operand = instr.type;
  if (!args.empty()) operand = kernel_.reg_types[instr.args[instr.op == ir::ScalarOp::Select ? 1 : 0]];
  return pure(args, [&](llvm::ArrayRef<Value*> a) { return scalar_op(instr.op, instr.type, operand, a); });
}

Value* KernelEmitter::scalar_op(ir::ScalarOp op, Dtype result, Dtype operand, llvm::ArrayRef<Value*> a) {
  using ir::ScalarOp;
  const bool real = is_float(operand);
  const bool is_signed = is_signed_int(operand);
  auto unary = [&](ID id) { return builder_.CreateUnaryIntrinsic(id, a[0]); };
  switch (op) {
    case ScalarOp::Const:
    case ScalarOp::Input: break;
    case ScalarOp::Add: return real ? builder_.CreateFAdd(a[0], a[1]) : builder_.CreateAdd(a[0], a[1]);
    case ScalarOp::Sub: return real ? builder_.CreateFSub(a[0], a[1]) : builder_.CreateSub(a[0], a[1]);
    case ScalarOp::Mul:
      if (!real) return builder_.CreateMul(a[0], a[1]);
      if (Value* v = scaled(a[0], a[1])) return v;
      return builder_.CreateFMul(a[0], a[1]);
    case ScalarOp::Div: return real ? builder_.CreateFDiv(a[0], a[1]) : divide(false, operand, a[0], a[1]);
    case ScalarOp::Rem: return real ? float_remainder(a[0], a[1]) : divide(true, operand, a[0], a[1]);
    case ScalarOp::Neg: return real ? builder_.CreateFNeg(a[0]) : builder_.CreateNeg(a[0]);
    case ScalarOp::Abs:
      if (real) return unary(llvm::Intrinsic::fabs);
      if (!is_signed) return a[0];
      return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, a[0], builder_.getFalse());
    case ScalarOp::Min: return min_max(false, operand, a[0], a[1]);
    case ScalarOp::Max: return min_max(true, operand, a[0], a[1]);
    case ScalarOp::Floor: return unary(llvm::Intrinsic::floor);
    case ScalarOp::Ceil: return unary(llvm::Intrinsic::ceil);
    case ScalarOp::Trunc: return unary(llvm::Intrinsic::trunc);
    case ScalarOp::Round: return unary(llvm::Intrinsic::roundeven);
    case ScalarOp::Sqrt: return unary(llvm::Intrinsic::sqrt);
    case ScalarOp::Fma: return fused(a[0], a[1], a[2]);
    case ScalarOp::Eq:
    case ScalarOp::Ne:
    case ScalarOp::Lt:
    case ScalarOp::Le:
    case ScalarOp::Gt:
    case ScalarOp::Ge: return builder_.CreateCmp(predicate(op, real, is_signed), a[0], a[1]);
    case ScalarOp::And: return builder_.CreateAnd(a[0], a[1]);
    case ScalarOp::Or: return builder_.CreateOr(a[0], a[1]);
    case ScalarOp::Xor: return builder_.CreateXor(a[0], a[1]);
    case ScalarOp::Not: return builder_.CreateNot(a[0]);
    case ScalarOp::Shl: return shift(true, operand, a[0], a[1]);
    case ScalarOp::Shr: return shift(false, operand, a[0], a[1]);
    case ScalarOp::Select: return builder_.CreateSelect(a[0], a[1], a[2]);
    case ScalarOp::Cast: return cast(result, operand, a[0]);
    case ScalarOp::Bitcast: {
      if (result == bool_ && operand != bool_)
        return builder_.CreateICmpNE(a[0], llvm::Constant::getNullValue(a[0]->getType()));
      if (operand == bool_ && result != bool_) return builder_.CreateZExt(a[0], like(a[0], register_type(result)));
      return builder_.CreateBitCast(a[0], like(a[0], register_type(result)));
    }
    case ScalarOp::Madd:
    case ScalarOp::Exp:
    case ScalarOp::Exp2:
    case ScalarOp::Expm1:
    case ScalarOp::Log:
    case ScalarOp::Log2:
    case ScalarOp::Log10:
    case ScalarOp::Log1p:
    case ScalarOp::Sin:
    case ScalarOp::Cos:
    case ScalarOp::Tan:
    case ScalarOp::Asin:
    case ScalarOp::Acos:
    case ScalarOp::Atan:
    case ScalarOp::Atan2:
    case ScalarOp::Sinh:
    case ScalarOp::Cosh:
    case ScalarOp::Tanh:
    case ScalarOp::Asinh:
    case ScalarOp::Acosh:
    case ScalarOp::Atanh:
    case ScalarOp::Erf:
    case ScalarOp::Erfinv:
    case ScalarOp::Sigmoid:
    case ScalarOp::Pow:
    case ScalarOp::Rsqrt: break;
  }
  fail(std::string(ir::name(op)) + " must be expanded before code is generated (pass expand_functions does)");
  return llvm::PoisonValue::get(like(a.empty() ? builder_.getTrue() : a[0], register_type(result)));
}

// The product x b if it is z a b with two halves of a power of two, as ir/math/exp.cpp writes them: one instruction,
// where the CPU has it, rounds once as the last product does. Null for other products.
Value* KernelEmitter::scaled(Value* x, Value* b) {
  using namespace llvm::PatternMatch;
  auto* type = llvm::dyn_cast<llvm::FixedVectorType>(x->getType());
  const bool is_double = x->getType()->getScalarType()->isDoubleTy();
  if (!features_.scales || !type || !(is_double || type->getElementType()->isFloatTy()) ||
      type->getPrimitiveSizeInBits() != 512)
    return nullptr;
  Value *z = nullptr, *a = nullptr, *sum = nullptr, *word = nullptr;
  if (!match(x, m_FMul(m_Value(z), m_Value(a)))) return nullptr;
  Value* rest = shifted_exponent(b, is_double ? 52 : 23);
  Value* half = shifted_exponent(a, is_double ? 52 : 23);
  if (!rest || !half || !match(rest, m_Sub(m_Value(word), m_Specific(half)))) return nullptr;
  if (!match(unchecked(half), m_LShr(m_Specific(word), m_One())) || !match(word, m_BitCast(m_Value(sum))))
    return nullptr;
  // The sum k + 2 bias + magic, whose exponent is that of the magic number for every k that is in range.
  Value* magic = nullptr;
  if (!match(sum, m_FAdd(m_Value(), m_Value(magic))) &&
      !match(sum, m_Intrinsic<llvm::Intrinsic::fma>(m_Value(), m_Value(), m_Value(magic))))
    return nullptr;
  auto* number = llvm::dyn_cast_or_null<llvm::ConstantFP>(splat_constant(magic));
  if (!number || !number->isExactlyValue(is_double ? 0x1.8p52 + 2 * 1023 : 0x1.8p23 + 2 * 127)) return nullptr;
  Value* k = builder_.CreateFSub(sum, magic);
  Value* all = is_double ? builder_.getInt8(0xff) : builder_.getInt16(0xffff);
  return builder_.CreateIntrinsic(
      is_double ? llvm::Intrinsic::x86_avx512_mask_scalef_pd_512 : llvm::Intrinsic::x86_avx512_mask_scalef_ps_512, {},
      {z, k, llvm::Constant::getNullValue(type), all, builder_.getInt32(4)});  // 4: rounds as all other instructions do
}

// min(x, y) = x < y or x is NaN ? x : y. If one operand is a number, a comparison that also holds on unordered operands
// suffices.
Value* KernelEmitter::min_max(bool max, Dtype t, Value* x, Value* y) {
  if (!is_float(t)) {
    ID id = is_signed_int(t) ? (max ? llvm::Intrinsic::smax : llvm::Intrinsic::smin)
                             : (max ? llvm::Intrinsic::umax : llvm::Intrinsic::umin);
    return builder_.CreateBinaryIntrinsic(id, x, y);
  }
  using Predicate = llvm::CmpInst::Predicate;
  bool or_unordered = !never_nan(x) && never_nan(y);
  Predicate p = max ? (or_unordered ? Predicate::FCMP_UGT : Predicate::FCMP_OGT)
                    : (or_unordered ? Predicate::FCMP_ULT : Predicate::FCMP_OLT);
  Value* picked = builder_.CreateSelect(builder_.CreateFCmp(p, x, y), x, y);
  if (never_nan(x) || never_nan(y)) return picked;
  return builder_.CreateSelect(builder_.CreateFCmpUNO(x, x), x, picked);
}

// Integer division towards zero. Division and remainder by zero give 0, and the least value over -1 wraps.
Value* KernelEmitter::divide(bool remainder, Dtype t, Value* x, Value* y) {
  const bool is_signed = is_signed_int(t);
  auto plain = [&](Value* a, Value* b) -> Value* {
    if (is_signed) return remainder ? builder_.CreateSRem(a, b) : builder_.CreateSDiv(a, b);
    return remainder ? builder_.CreateURem(a, b) : builder_.CreateUDiv(a, b);
  };
  if (is_nonzero_constant(y)) return plain(x, y);
  llvm::Type* type = x->getType();
  Value* zero = llvm::Constant::getNullValue(type);
  Value* one = llvm::ConstantInt::get(type, 1);
  Value* by_zero = builder_.CreateICmpEQ(y, zero);
  Value* unsafe = by_zero;
  if (is_signed) {
    unsigned bits = type->getScalarSizeInBits();
    Value* least = llvm::ConstantInt::get(type, llvm::APInt::getSignedMinValue(bits));
    Value* wraps = builder_.CreateAnd(builder_.CreateICmpEQ(x, least),
                                      builder_.CreateICmpEQ(y, llvm::Constant::getAllOnesValue(type)));
    unsafe = builder_.CreateOr(unsafe, wraps);
  }
  Value* divisor = builder_.CreateSelect(unsafe, one, y);
  if (type->isVectorTy() && t.size() <= 4) {
    // Processors have vector division for floats only. In f64, a quotient of integers below 2^32 is never within
    // rounding distance of the next integer (in f32: below 2^16), so truncating the float quotient is exact.
    llvm::Type* wide = like(x, t.size() == 4 ? builder_.getDoubleTy() : builder_.getFloatTy());
    Value* a = is_signed ? builder_.CreateSIToFP(x, wide) : builder_.CreateUIToFP(x, wide);
    Value* b = is_signed ? builder_.CreateSIToFP(divisor, wide) : builder_.CreateUIToFP(divisor, wide);
    Value* q = builder_.CreateFDiv(a, b);
    Value* quotient = is_signed ? builder_.CreateFPToSI(q, type) : builder_.CreateFPToUI(q, type);
    if (remainder) return builder_.CreateSub(x, builder_.CreateMul(quotient, divisor));
    return builder_.CreateSelect(by_zero, zero, quotient);
  }
  Value* result = plain(x, divisor);
  return remainder ? result : builder_.CreateSelect(by_zero, zero, result);
}

// A count outside [0, width) gives 0, or -1 for a right shift of a negative value.
Value* KernelEmitter::shift(bool left, Dtype t, Value* x, Value* count) {
  llvm::Type* type = x->getType();
  unsigned width = type->getScalarSizeInBits();
  Value* inside = builder_.CreateICmpULT(count, llvm::ConstantInt::get(type, width));
  if (!left && is_signed_int(t)) {
    Value* most = llvm::ConstantInt::get(type, width - 1);
    return builder_.CreateAShr(x, builder_.CreateSelect(inside, count, most));
  }
  Value* zero = llvm::Constant::getNullValue(type);
  Value* safe = builder_.CreateSelect(inside, count, zero);
  Value* shifted = left ? builder_.CreateShl(x, safe) : builder_.CreateLShr(x, safe);
  return builder_.CreateSelect(inside, shifted, zero);
}

// x y + z with one rounding. Without an instruction for it, this is quicker than a call of the C library for each lane.
// In f64 the product of f32 numbers is exact, and so is the error of their sum. A sum with an error gets an odd last
// bit (round to odd). Rounding it to f32, which has less than half as many bits, then meets no false tie.
Value* KernelEmitter::fused(Value* x, Value* y, Value* z) {
  if (features_.fma || !x->getType()->getScalarType()->isFloatTy())
    return builder_.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, y, z});
  llvm::Type *wide = like(x, builder_.getDoubleTy()), *word = like(x, builder_.getInt64Ty());
  const auto bits = [&](int64_t v) { return llvm::ConstantInt::getSigned(word, v); };
  Value* product = builder_.CreateFMul(builder_.CreateFPExt(x, wide), builder_.CreateFPExt(y, wide));
  Value* added = builder_.CreateFPExt(z, wide);
  Value* sum = builder_.CreateFAdd(product, added);
  Value* of_product = builder_.CreateFSub(sum, added);
  Value* of_added = builder_.CreateFSub(sum, of_product);
  Value* lost = builder_.CreateFAdd(builder_.CreateFSub(product, of_product), builder_.CreateFSub(added, of_added));
  Value* raw = builder_.CreateBitCast(sum, word);
  // The odd sum lies away from zero if the error has the sum's sign. Infinite sums and NaN have no error that compares.
  Value* away = builder_.CreateICmpSGE(builder_.CreateXor(raw, builder_.CreateBitCast(lost, word)), bits(0));
  Value* odd = builder_.CreateAdd(raw, builder_.CreateSelect(away, bits(1), bits(-1)));
  Value* even = builder_.CreateICmpEQ(builder_.CreateAnd(raw, bits(1)), bits(0));
  Value* inexact = builder_.CreateFCmpONE(lost, llvm::Constant::getNullValue(wide));
  Value* exact_enough = builder_.CreateSelect(builder_.CreateAnd(even, inexact), odd, raw);
  return builder_.CreateFPTrunc(builder_.CreateBitCast(exact_enough, wide), x->getType());
}

// C's fmod, which is exact. Vectors call it lane by lane.
Value* KernelEmitter::float_remainder(Value* x, Value* y) { return builder_.CreateFRem(x, y); }

}  // namespace frit::codegen
