// Quotients of f32 that are rounded to bf16, by one number from outside of the vector loop, as of a row by its sum.
//
// The instruction that divides 64 bytes takes as long as sixteen others, so they are products with the reciprocal.
// These are off by less than 1.5 places, and so by two of the rounded quotient at most. A rounding to bf16 changes in
// the middle of 2^16 places: a step with a product beside it divides. So does a row whose divisor has no normal
// reciprocal, and a step with a subnormal product, as the instruction that rounds takes these for zeros.
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "codegen/llvm/emitter.h"
#include "codegen/llvm/shared_divisor.h"

namespace frit::codegen {

using llvm::Value;

namespace {

// The quotient's divisor, one number for all lanes that is known before the loop, or null.
llvm::Instruction* shared_divisor(Value* quotient, const llvm::BasicBlock* inside) {
  auto* division = llvm::dyn_cast<llvm::BinaryOperator>(quotient);
  if (!division || division->getOpcode() != llvm::Instruction::FDiv || !division->getType()->isVectorTy())
    return nullptr;
  Value* lane = llvm::getSplatValue(division->getOperand(1));
  auto* divisor = lane ? llvm::dyn_cast<llvm::Instruction>(lane) : nullptr;
  return divisor && divisor->getParent() != inside ? divisor : nullptr;
}

}  // namespace

// The lanes of 64 bytes whose numbers are subnormal.
Value* KernelEmitter::is_subnormal(Value* x) {
  constexpr uint32_t kSubnormal = 0x20;
  return builder_.CreateIntrinsic(llvm::Intrinsic::x86_avx512_fpclass_ps_512, {}, {x, builder_.getInt32(kSubnormal)});
}

// The bf16 numbers of 64 bytes that are not subnormal.
Value* KernelEmitter::rounded_by_instruction(Value* x) {
  Value* bfloats = builder_.CreateIntrinsic(llvm::Intrinsic::x86_avx512bf16_cvtneps2bf16_512, {}, {x});
  return builder_.CreateBitCast(bfloats, like(x, builder_.getInt16Ty()));
}

// The rounded quotients, or nothing where `instr` does not round such.
std::optional<KernelEmitter::Val> KernelEmitter::rounded_quotient(const ir::ScalarInstr& instr) {
  constexpr double kMostDivisor = 0x1p126;
  constexpr uint32_t kFirstNear = 0x7ffe, kFar = 0xfff8;  // in the half that is rounded away
  if (instr.op != ir::ScalarOp::Cast || instr.type != bfloat16 || kernel_.reg_types[instr.args[0]] != float32)
    return std::nullopt;
  if (!vector_ || features_.vector_bytes != 64) return std::nullopt;
  const Val x = reg(instr.args[0]);
  if (!x.varying || x.depth < depth()) return std::nullopt;
  const llvm::BasicBlock* inside = builder_.GetInsertBlock();
  llvm::Instruction* divisor = shared_divisor(x.copies[0], inside);
  if (!divisor) return std::nullopt;
  for (Value* copy : x.copies)
    if (shared_divisor(copy, inside) != divisor) return std::nullopt;
  const auto dividend = [&](size_t c) { return llvm::cast<llvm::BinaryOperator>(x.copies[c])->getOperand(0); };
  // Quotients of bf16 numbers are never near.
  if (exact_bfloat(dividend(0)) && exact_bfloat(divisor)) return std::nullopt;

  SharedDivisor shared(divisor, vector_->width, kMostDivisor);
  llvm::IRBuilder<>& outside = shared.outside();
  // No bits are left to be near in a row whose products are all in doubt.
  Value* far = shared.spread(outside.CreateSelect(shared.unusual(), outside.getInt32(0), outside.getInt32(kFar)));

  const bool by_instruction = features_.rounds_bfloat && x.copies[0]->getType()->getPrimitiveSizeInBits() == 512;
  Val products{{}, depth(), true}, rare{{}, depth(), true}, rounded{{}, depth(), true};
  for (size_t c = 0; c < x.copies.size(); ++c) {
    Value* product = builder_.CreateFMul(dividend(c), shared.reciprocal());
    llvm::Type* word = like(product, builder_.getInt32Ty());
    const auto bits = [&](uint32_t v) { return llvm::ConstantInt::get(word, v); };
    Value* place = builder_.CreateSub(builder_.CreateBitCast(product, word), bits(kFirstNear));
    Value* divides = builder_.CreateICmpEQ(builder_.CreateAnd(place, far), bits(0));
    if (by_instruction) {
      Value* tiny = is_subnormal(product);
      divides = builder_.CreateOr(divides, tiny);
      product = rounded_by_instruction(product);
    }
    products.copies.push_back(product);
    rare.copies.push_back(both(divides, vector_->lanes(static_cast<int>(c))));
  }
  Detour detour = open_detour(rare, false);
  llvm::SmallVector<Value*, 4> divided;
  for (size_t c = 0; c < x.copies.size(); ++c) {
    auto* division = llvm::cast<llvm::BinaryOperator>(x.copies[c]);
    Value* quotient = builder_.CreateFDiv(division->getOperand(0), division->getOperand(1));
    divided.push_back(by_instruction ? cast(bfloat16, float32, quotient) : quotient);
  }
  close_detour(detour);
  for (size_t c = 0; c < divided.size(); ++c) rounded.copies.push_back(meet(detour, products.copies[c], divided[c]));
  if (by_instruction) return rounded;
  for (Value*& copy : rounded.copies) copy = cast(bfloat16, float32, copy);
  return rounded;
}

}  // namespace frit::codegen
