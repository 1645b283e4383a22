// Conversions between f32 and f16 or bf16.
//
// Arithmetic of 16-bit floats is f32 arithmetic whose result is rounded and converted back. Where the operands of an
// operation are such floats, its rounding can be cheaper than that of any f32: the conversion sees by which
// instructions a value was made.
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include "codegen/llvm/emitter.h"

namespace frit::codegen {

using llvm::Value;
namespace pattern = llvm::PatternMatch;

namespace {

constexpr int kChoicesOfHalf = 4;  // within each other that are made in f16

// The elements of constant `c` if each satisfies `fits`.
bool all_elements(Value* v, llvm::function_ref<bool(const llvm::APFloat&)> fits) {
  auto* c = llvm::dyn_cast<llvm::Constant>(v);
  if (!c) return false;
  if (c->getType()->isVectorTy()) c = c->getSplatValue();
  auto* number = llvm::dyn_cast_or_null<llvm::ConstantFP>(c);
  return number && fits(number->getValueAPF());
}

bool is_half(const llvm::APFloat& number) {
  llvm::APFloat half = number;
  bool lossy = false;
  half.convert(llvm::APFloat::IEEEhalf(), llvm::APFloat::rmNearestTiesToEven, &lossy);
  return !lossy && !number.isNaN();
}

bool is_bfloat(const llvm::APFloat& number) { return (number.bitcastToAPInt().getZExtValue() & 0xffff) == 0; }

llvm::Intrinsic::ID intrinsic_of(Value* v) {
  auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(v);
  return call ? call->getIntrinsicID() : llvm::Intrinsic::not_intrinsic;
}

}  // namespace

// The f16 that `x` is, or null where the instructions that made `x` do not show it.
Value* KernelEmitter::exact_half(Value* x) {
  if (all_elements(x, is_half)) return builder_.CreateFPTrunc(x, like(x, builder_.getHalfTy()));
  if (auto* widened = llvm::dyn_cast<llvm::FPExtInst>(x)) return widened->getOperand(0);
  if (auto* type = llvm::dyn_cast<llvm::FixedVectorType>(x->getType()))
    if (auto* same = llvm::dyn_cast_or_null<llvm::FPExtInst>(llvm::getSplatValue(x)))
      return builder_.CreateVectorSplat(type->getNumElements(), same->getOperand(0));
  return nullptr;
}

// `x` rounded to f16, if it is one operation of f16 values that is quicker in f16; else null. f32 has two digits more
// than twice those of f16, so rounding a sum or product to f32 and then to f16 gives what one rounding gives. Both
// values of a choice may lead to the same choices, so only a few are followed: the extreme of a column is a chain of
// them.
Value* KernelEmitter::rounded_half(Value* x, int choices) {
  if (Value* exact = exact_half(x)) return exact;
  if (!features_.half_arithmetic) return nullptr;
  if (auto* choice = llvm::dyn_cast<llvm::SelectInst>(x)) {
    if (choices == 0) return nullptr;
    Value* a = rounded_half(choice->getTrueValue(), choices - 1);
    Value* b = a ? rounded_half(choice->getFalseValue(), choices - 1) : nullptr;
    if (!b) return nullptr;
    Value* condition = choice->getCondition();
    if (auto* test = llvm::dyn_cast<llvm::FCmpInst>(condition)) {
      Value *p = exact_half(test->getOperand(0)), *q = p ? exact_half(test->getOperand(1)) : nullptr;
      if (q) condition = builder_.CreateFCmp(test->getPredicate(), p, q);
    }
    return builder_.CreateSelect(condition, a, b);
  }
  // Roots of f16 take the processors longer than those of f32 and both conversions.
  if (intrinsic_of(x) == llvm::Intrinsic::fabs) {
    Value* a = exact_half(llvm::cast<llvm::CallInst>(x)->getArgOperand(0));
    return a ? builder_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a) : nullptr;
  }
  auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(x);
  if (!operation) return nullptr;
  switch (operation->getOpcode()) {
    case llvm::Instruction::FAdd:
    case llvm::Instruction::FSub:
    case llvm::Instruction::FMul: break;
    // Quotients of f16 take half as long again as those of f32.
    default: return nullptr;
  }
  Value *a = exact_half(operation->getOperand(0)), *b = a ? exact_half(operation->getOperand(1)) : nullptr;
  return b ? builder_.CreateBinOp(operation->getOpcode(), a, b) : nullptr;
}

// Whether the low half of integer `x` is zero.
bool KernelEmitter::low_half_zero(Value* x) {
  const llvm::APInt* c = nullptr;
  Value *a = nullptr, *b = nullptr;
  if (pattern::match(x, pattern::m_APInt(c))) return c->countr_zero() >= 16;
  if (pattern::match(x, pattern::m_Shl(pattern::m_Value(), pattern::m_APInt(c)))) return c->uge(16);
  if (pattern::match(x, pattern::m_And(pattern::m_Value(), pattern::m_APInt(c))) && c->countr_zero() >= 16) return true;
  if (pattern::match(x, pattern::m_Select(pattern::m_Value(), pattern::m_Value(a), pattern::m_Value(b))) ||
      pattern::match(x, pattern::m_Or(pattern::m_Value(a), pattern::m_Value(b))) ||
      pattern::match(x, pattern::m_Xor(pattern::m_Value(a), pattern::m_Value(b))) ||
      pattern::match(x, pattern::m_Add(pattern::m_Value(a), pattern::m_Value(b))) ||
      pattern::match(x, pattern::m_Sub(pattern::m_Value(a), pattern::m_Value(b))))
    return low_half_zero(a) && low_half_zero(b);
  return false;
}

// Whether the low half of `x`, an f32, is zero where it is NaN. NaN comes from operands or is the processor's own,
// whose low half is zero. So it is if that holds for all that `x` is computed from, around finished loops, too.
bool KernelEmitter::short_nan(Value* x) {
  llvm::SmallPtrSet<Value*, 32> seen;
  llvm::SmallVector<Value*, 32> left{x};
  while (!left.empty()) {
    Value* v = left.pop_back_val();
    if (!seen.insert(v).second) continue;
    const auto found = short_nan_.find(v);
    if (found != short_nan_.end() && found->second) continue;
    if (found != short_nan_.end() || !follow_nan(v, left)) return short_nan_[x] = false;
  }
  for (Value* v : seen) short_nan_[v] = true;
  return true;
}

// Adds the values that a NaN in `x` may come from. Returns false where those are not known.
bool KernelEmitter::follow_nan(Value* x, llvm::SmallVectorImpl<Value*>& from) {
  if (llvm::isa<llvm::UndefValue>(x)) return true;  // of shuffles that have one operand
  if (llvm::isa<llvm::Constant>(x)) return all_elements(x, [](const auto& n) { return !n.isNaN() || is_bfloat(n); });
  if (llvm::isa<llvm::SIToFPInst, llvm::UIToFPInst>(x)) return true;
  const auto follow = [&](auto&&... values) {
    (from.push_back(values), ...);
    return true;
  };
  if (auto* choice = llvm::dyn_cast<llvm::SelectInst>(x))
    return follow(choice->getTrueValue(), choice->getFalseValue());
  if (x->getType()->isVectorTy())
    if (Value* same = llvm::getSplatValue(x)) return follow(same);
  if (auto* element = llvm::dyn_cast<llvm::ExtractElementInst>(x)) return follow(element->getVectorOperand());
  if (auto* places = llvm::dyn_cast<llvm::ShuffleVectorInst>(x))
    return follow(places->getOperand(0), places->getOperand(1));
  if (auto* phi = llvm::dyn_cast<llvm::PHINode>(x)) {
    // That of an open loop has no value of the next iteration yet.
    if (phi->getNumIncomingValues() < 2) return false;
    for (Value* v : phi->incoming_values()) from.push_back(v);
    return true;
  }
  Value *a = nullptr, *b = nullptr;
  if (pattern::match(x, pattern::m_BitCast(pattern::m_Value(a)))) {
    if (low_half_zero(a)) return true;
    // Changing the sign makes no NaN.
    return (pattern::match(a, pattern::m_Xor(pattern::m_BitCast(pattern::m_Value(b)),
                                             pattern::m_And(pattern::m_Value(), pattern::m_SignMask()))) ||
            pattern::match(a, pattern::m_Or(pattern::m_BitCast(pattern::m_Value(b)),
                                            pattern::m_And(pattern::m_Value(), pattern::m_SignMask())))) &&
           b->getType()->getScalarType()->isFloatTy() && follow(b);
  }
  switch (intrinsic_of(x)) {
    case llvm::Intrinsic::fma:
    case llvm::Intrinsic::sqrt:
    case llvm::Intrinsic::fabs:
    case llvm::Intrinsic::floor:
    case llvm::Intrinsic::ceil:
    case llvm::Intrinsic::trunc:
    case llvm::Intrinsic::roundeven:
      for (Value* v : llvm::cast<llvm::CallInst>(x)->args()) from.push_back(v);
      return true;
    default: break;
  }
  auto* operation = llvm::dyn_cast<llvm::Instruction>(x);
  if (!operation) return false;
  switch (operation->getOpcode()) {
    case llvm::Instruction::FNeg:
    case llvm::Instruction::FAdd:
    case llvm::Instruction::FSub:
    case llvm::Instruction::FMul:
    case llvm::Instruction::FDiv:
      for (Value* v : operation->operands()) from.push_back(v);
      return true;
    default: return false;
  }
}

// Whether `x`, an f32, is a bf16. Each maximum of a chain has the one before in two selections, so it is looked at
// once.
bool KernelEmitter::exact_bfloat(Value* x) {
  if (auto found = exact_bfloat_.find(x); found != exact_bfloat_.end()) return found->second;
  const bool is = finds_exact_bfloat(x);
  exact_bfloat_[x] = is;
  return is;
}

bool KernelEmitter::finds_exact_bfloat(Value* x) {
  Value* inner = nullptr;
  if (llvm::isa<llvm::Constant>(x)) return all_elements(x, is_bfloat);
  if (pattern::match(x, pattern::m_BitCast(pattern::m_Value(inner)))) return low_half_zero(inner);
  if (pattern::match(x, pattern::m_FNeg(pattern::m_Value(inner)))) return exact_bfloat(inner);
  if (intrinsic_of(x) == llvm::Intrinsic::fabs) return exact_bfloat(llvm::cast<llvm::CallInst>(x)->getArgOperand(0));
  auto* choice = llvm::dyn_cast<llvm::SelectInst>(x);
  return choice && exact_bfloat(choice->getTrueValue()) && exact_bfloat(choice->getFalseValue());
}

// Finds the scratch memory of f32 that bf16 numbers alone are stored to, so that roundings of their sums and products
// need no test for NaN.
void KernelEmitter::find_bfloat_locals() {
  const auto first = static_cast<uint32_t>(kernel_.buffers.size());
  std::vector<bool> exact(kernel_.reg_types.size(), false);
  std::set<uint32_t> others;
  const auto look = [&](auto&& self, const ir::Body& body) -> void {
    for (const ir::Instr& i : body) {
      if (const auto* s = std::get_if<ir::ScalarInstr>(&i.node))
        exact[s->result] = s->op == ir::ScalarOp::Cast && kernel_.reg_types[s->args[0]] == bfloat16;
      if (const auto* s = std::get_if<ir::StoreInstr>(&i.node))
        (exact[s->value] ? bfloat_locals_ : others).insert(s->buffer);
      if (const auto* loop = std::get_if<ir::Loop>(&i.node)) self(self, loop->body);
    }
  };
  look(look, kernel_.body);
  std::erase_if(bfloat_locals_,
                [&](uint32_t b) { return b < first || others.count(b) > 0 || kernel_.buffer(b).dtype != float32; });
}

// The divisor of `x` as one scalar for all lanes, or as a vector, if it was computed outside of the loop and `x` is a
// quotient of vectors; else null.
static llvm::Instruction* divisor_outside(Value* x, const llvm::BasicBlock* inside) {
  auto* quotient = llvm::dyn_cast<llvm::BinaryOperator>(x);
  if (!quotient || quotient->getOpcode() != llvm::Instruction::FDiv || !x->getType()->isVectorTy()) return nullptr;
  auto* divisors = llvm::dyn_cast<llvm::Instruction>(quotient->getOperand(1));
  if (!divisors || divisors->getParent() == inside) return nullptr;
  return divisors;
}

// Where values of `divisors` are known.
static llvm::Instruction* behind(llvm::Instruction* divisors) {
  const bool phi = llvm::isa<llvm::PHINode>(divisors);
  return phi ? &*divisors->getParent()->getFirstInsertionPt() : divisors->getNextNode();
}

// The value that all lanes of `x` have, or `x` where they differ.
static Value* shared_lane(Value* x) {
  Value* same = llvm::getSplatValue(x);
  return same ? same : x;
}

// `value`, or a vector of it in all lanes, of the type of `x`.
static Value* in_lanes_of(Value* x, Value* value, llvm::IRBuilder<>& builder) {
  if (value->getType()->isVectorTy()) return value;
  return builder.CreateVectorSplat(llvm::cast<llvm::FixedVectorType>(x->getType())->getNumElements(), value);
}

// A quotient of bf16 numbers that is rounded to bf16, as a product with the divisor's reciprocal, if the divisor was
// computed outside of the loop; else `x`. The product is off by less than 2^-22 of the quotient, and a quotient of
// numbers of 8 bits is at least 2^-17 of itself away from where rounding to 8 bits changes. Divisors near the ends of
// the range are scaled, so that the reciprocal is no subnormal number.
Value* KernelEmitter::quotient_for_bfloat(Value* x) {
  llvm::Instruction* divisors = divisor_outside(x, builder_.GetInsertBlock());
  if (!divisors) return x;
  llvm::IRBuilder<> outside(behind(divisors));
  Value* divisor = shared_lane(divisors);
  Value* dividend = llvm::cast<llvm::BinaryOperator>(x)->getOperand(0);
  if (!exact_bfloat(dividend) || !exact_bfloat(divisor)) return x;
  const auto number = [&, type = divisor->getType()](double v) { return llvm::ConstantFP::get(type, v); };
  Value* magnitude = outside.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, divisor);
  Value* scale = outside.CreateSelect(outside.CreateFCmpOGT(magnitude, number(0x1p100)), number(0x1p-64), number(1));
  scale = outside.CreateSelect(outside.CreateFCmpOLT(magnitude, number(0x1p-100)), number(0x1p64), scale);
  Value* reciprocal = outside.CreateFDiv(number(1), outside.CreateFMul(divisor, scale));
  Value* factor = in_lanes_of(x, reciprocal, outside);
  return builder_.CreateFMul(builder_.CreateFMul(dividend, factor), in_lanes_of(x, scale, outside));
}

// Likewise for f16. A quotient of numbers of 11 bits is at least 2^-23 of itself away from where rounding to 11 bits
// changes, which a product with the reciprocal would do for; but a subnormal result may be that number itself. So the
// product has the reciprocal in two parts of the same sign, a float below it and the rest, and is exact where f32 has
// the quotient. Infinity times the rest has no meaning, so the dividend is limited there.
Value* KernelEmitter::quotient_for_half(Value* x) {
  llvm::Instruction* divisors = features_.fma ? divisor_outside(x, builder_.GetInsertBlock()) : nullptr;
  if (!divisors) return x;
  llvm::IRBuilder<> outside(behind(divisors));
  Value* divisor = shared_lane(divisors);
  Value* dividend = llvm::cast<llvm::BinaryOperator>(x)->getOperand(0);
  if (!exact_half(dividend) || !exact_half(divisors)) return x;
  const auto number = [](Value* of, double v) { return llvm::ConstantFP::get(of->getType(), v); };
  const auto times_plus = [](llvm::IRBuilderBase& b, Value* p, Value* q, Value* r) {
    return b.CreateIntrinsic(llvm::Intrinsic::fma, {p->getType()}, {p, q, r});
  };
  Value* infinity = llvm::ConstantFP::getInfinity(divisor->getType());
  Value* reciprocal = outside.CreateFDiv(number(divisor, 1), divisor);
  Value* magnitude = outside.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, divisor);
  Value* usual = outside.CreateAnd(outside.CreateFCmpOGT(magnitude, number(divisor, 0)),
                                   outside.CreateFCmpOLT(magnitude, infinity));
  llvm::Type* word = like(divisor, builder_.getInt32Ty());
  Value* bits = outside.CreateSub(outside.CreateBitCast(reciprocal, word), llvm::ConstantInt::get(word, 1));
  Value* below = outside.CreateBitCast(bits, divisor->getType());
  Value* rest = times_plus(outside, outside.CreateFNeg(divisor), below, number(divisor, 1));
  rest = outside.CreateFMul(rest, reciprocal);
  Value* zero = outside.CreateSelect(outside.CreateFCmpOEQ(magnitude, infinity), reciprocal, number(divisor, 0));
  rest = in_lanes_of(x, outside.CreateSelect(usual, rest, zero), outside);
  Value* factor = in_lanes_of(x, outside.CreateSelect(usual, below, reciprocal), outside);
  const double most = 0x1p17;
  Value* limited = builder_.CreateSelect(builder_.CreateFCmpOLT(dividend, number(x, most)), dividend, number(x, most));
  limited = builder_.CreateSelect(builder_.CreateFCmpOGT(limited, number(x, -most)), limited, number(x, -most));
  return times_plus(builder_, dividend, factor, builder_.CreateFMul(limited, rest));
}

// Rounds f32 to bf16.
Value* KernelEmitter::round_bfloat(Value* x) {
  x = quotient_for_bfloat(x);
  llvm::Type *word = like(x, builder_.getInt32Ty()), *half_word = like(x, builder_.getInt16Ty());
  auto number = [&](uint32_t v) { return llvm::ConstantInt::get(word, v); };
  Value* bits = builder_.CreateBitCast(x, word);
  Value* rounded = nullptr;
  if (exact_bfloat(x)) return builder_.CreateTrunc(builder_.CreateLShr(bits, number(16)), half_word);
  if (features_.vector_bytes == 64 && x->getType()->isVectorTy()) {
    // A sum under a mask: an instruction less than a sum with the last bit.
    Value* odd = builder_.CreateICmpNE(builder_.CreateAnd(bits, number(0x10000)), number(0));
    rounded =
        builder_.CreateSelect(odd, builder_.CreateAdd(bits, number(0x8000)), builder_.CreateAdd(bits, number(0x7fff)));
  } else if (x->getType()->isVectorTy()) {
    // Comparisons run on more units than shifts.
    Value* even = builder_.CreateICmpEQ(builder_.CreateAnd(bits, number(0x10000)), number(0));
    rounded = builder_.CreateAdd(builder_.CreateAdd(bits, number(0x8000)), builder_.CreateSExt(even, word));
  } else {
    Value* last = builder_.CreateAnd(builder_.CreateLShr(bits, number(16)), number(1));
    rounded = builder_.CreateAdd(bits, builder_.CreateAdd(last, number(0x7fff)));
  }
  // A NaN whose low half is zero stays as it is. Another one could be carried into the sign.
  if (!short_nan(x)) {
    Value* quiet = builder_.CreateOr(bits, number(0x400000));
    rounded = builder_.CreateSelect(builder_.CreateFCmpUNO(x, x), quiet, rounded);
  }
  return builder_.CreateTrunc(builder_.CreateLShr(rounded, number(16)), half_word);
}

// Rounds f32 to nearest even. A NaN keeps its sign and high payload bits and becomes quiet.
Value* KernelEmitter::float_to_low(Dtype to, Value* x) {
  llvm::Type* half_word = like(x, builder_.getInt16Ty());
  if (to == float16 && features_.half_conversion) {
    x = quotient_for_half(x);
    Value* half = rounded_half(x, kChoicesOfHalf);
    return builder_.CreateBitCast(half ? half : builder_.CreateFPTrunc(x, like(x, builder_.getHalfTy())), half_word);
  }
  if (to == bfloat16) return round_bfloat(x);
  llvm::Type* word = like(x, builder_.getInt32Ty());
  auto number = [&](uint32_t v) { return llvm::ConstantInt::get(word, v); };
  Value* bits = builder_.CreateBitCast(x, word);
  Value* sign = builder_.CreateAnd(builder_.CreateLShr(bits, number(16)), number(0x8000));
  Value* magnitude = builder_.CreateAnd(bits, number(0x7fffffff));
  // Normal halves: move the exponent's origin and round at bit 13. Overflow carries into the pattern of infinity.
  Value* odd = builder_.CreateAnd(builder_.CreateLShr(magnitude, number(13)), number(1));
  Value* normal = builder_.CreateLShr(
      builder_.CreateAdd(builder_.CreateSub(magnitude, number(112u << 23)), builder_.CreateAdd(odd, number(0xfff))),
      number(13));
  // Subnormal halves: after adding 0.5, the rounding of f32 drops the right bits.
  llvm::Type* real = like(x, builder_.getFloatTy());
  Value* shifted = builder_.CreateFAdd(builder_.CreateBitCast(magnitude, real), llvm::ConstantFP::get(real, 0.5));
  Value* small = builder_.CreateSub(builder_.CreateBitCast(shifted, word), number(0x3f000000));
  Value* nan =
      builder_.CreateOr(number(0x7e00), builder_.CreateAnd(builder_.CreateLShr(magnitude, number(13)), number(0x1ff)));
  Value* result = builder_.CreateSelect(builder_.CreateICmpULT(magnitude, number(113u << 23)), small, normal);
  result = builder_.CreateSelect(builder_.CreateICmpUGE(magnitude, number(0x477ff000)), number(0x7c00), result);
  result = builder_.CreateSelect(builder_.CreateICmpUGT(magnitude, number(0x7f800000)), nan, result);
  return builder_.CreateTrunc(builder_.CreateOr(result, sign), half_word);
}

Value* KernelEmitter::low_to_float(Dtype from, Value* x) {
  llvm::Type* real = like(x, builder_.getFloatTy());
  if (from == float16 && features_.half_conversion) {
    auto* same = llvm::dyn_cast<llvm::BitCastInst>(x);
    Value* half = same && same->getSrcTy()->getScalarType()->isHalfTy() ? same->getOperand(0) : nullptr;
    return builder_.CreateFPExt(half ? half : builder_.CreateBitCast(x, like(x, builder_.getHalfTy())), real);
  }
  llvm::Type* word = like(x, builder_.getInt32Ty());
  auto number = [&](uint32_t v) { return llvm::ConstantInt::get(word, v); };
  Value* wide = nullptr;
  if (from == bfloat16 &&
      pattern::match(x, pattern::m_Trunc(pattern::m_LShr(pattern::m_Value(wide), pattern::m_SpecificInt(16)))) &&
      wide->getType() == word)
    return builder_.CreateBitCast(builder_.CreateAnd(wide, number(0xffff0000)), real);
  Value* bits = builder_.CreateZExt(x, word);
  if (from == bfloat16) return builder_.CreateBitCast(builder_.CreateShl(bits, number(16)), real);
  Value* sign = builder_.CreateShl(builder_.CreateAnd(bits, number(0x8000)), number(16));
  Value* magnitude = builder_.CreateAnd(bits, number(0x7fff));
  Value* moved = builder_.CreateShl(magnitude, number(13));
  Value* normal = builder_.CreateAdd(moved, number(112u << 23));
  Value* special = builder_.CreateOr(moved, number(0x7f800000));
  Value* small = builder_.CreateBitCast(
      builder_.CreateFMul(builder_.CreateUIToFP(magnitude, real), llvm::ConstantFP::get(real, 0x1p-24)), word);
  Value* result = builder_.CreateSelect(builder_.CreateICmpULT(magnitude, number(0x400)), small, normal);
  result = builder_.CreateSelect(builder_.CreateICmpUGE(magnitude, number(0x7c00)), special, result);
  return builder_.CreateBitCast(builder_.CreateOr(result, sign), real);
}

}  // namespace frit::codegen
