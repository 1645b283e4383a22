// Divisors that all lanes have in common.
#include "codegen/llvm/shared_divisor.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>

namespace frit::codegen {

SharedDivisor::SharedDivisor(llvm::Instruction* divisor, int width, double most)
    : outside_(llvm::isa<llvm::PHINode>(divisor) ? &*divisor->getParent()->getFirstInsertionPt()
                                                 : divisor->getNextNode()),
      width_(static_cast<unsigned>(width)) {
  const auto number = [&](double v) { return llvm::ConstantFP::get(divisor->getType(), v); };
  llvm::Value* magnitude = outside_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, divisor);
  llvm::Value* large = outside_.CreateFCmpUGE(magnitude, number(most));
  llvm::Value* small = outside_.CreateFCmpULT(magnitude, number(1 / most));
  unusual_ = outside_.CreateOr(large, small);
  reciprocal_ = spread(outside_.CreateFDiv(number(1), divisor));
}

llvm::Value* SharedDivisor::spread(llvm::Value* number) { return outside_.CreateVectorSplat(width_, number); }

}  // namespace frit::codegen
