// A divisor that all lanes of a vector loop's quotients have in common, as of a row by its sum: what the quotients need
// of it is computed once, behind it.
#pragma once

#include <llvm/IR/IRBuilder.h>

namespace frit::codegen {

class SharedDivisor {
 public:
  // `most`: quotients by numbers from there on, or below its reciprocal, are computed by divisions. So are those by
  // NaN.
  SharedDivisor(llvm::Instruction* divisor, int width, double most);

  llvm::IRBuilder<>& outside() { return outside_; }
  llvm::Value* spread(llvm::Value* number);  // to all lanes
  llvm::Value* unusual() const { return unusual_; }
  llvm::Value* reciprocal() const { return reciprocal_; }  // in all lanes

 private:
  llvm::IRBuilder<> outside_;
  unsigned width_;
  llvm::Value* unusual_;
  llvm::Value* reciprocal_;
};

}  // namespace frit::codegen
