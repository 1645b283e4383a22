// Emits library steps as calls of C library functions.
#include "codegen/llvm/emit_c_call.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include "passes/lower/routine.h"

namespace frit::codegen {
namespace {

using llvm::Value;
using passes::CCall;

// Emits the calls of one step.
class CallEmitter {
 public:
  CallEmitter(llvm::IRBuilder<>& builder, const CCall& call, const std::function<Value*(const Dim&)>& size,
              const std::vector<Value*>& buffers)
      : b_(builder), call_(call), size_(size), buffers_(buffers) {}

  // Emits a loop over the batch, which has no iteration if the result has no elements.
  void run() {
    llvm::LLVMContext& context = b_.getContext();
    llvm::Function* function = b_.GetInsertBlock()->getParent();
    const auto block = [&](const char* name) { return llvm::BasicBlock::Create(context, name, function); };
    Value* calls =
        b_.CreateSelect(b_.CreateICmpSGT(size_(call_.elements), i64(0)), size_(product(call_.batch)), i64(0));
    llvm::BasicBlock *before = b_.GetInsertBlock(), *loop = block("product"), *body = block("multiply"),
                     *done = block("multiplied");
    b_.CreateBr(loop);
    b_.SetInsertPoint(loop);
    llvm::PHINode* number = b_.CreatePHI(b_.getInt64Ty(), 2, "number");
    number->addIncoming(i64(0), before);
    b_.CreateCondBr(b_.CreateICmpSLT(number, calls), body, done);
    b_.SetInsertPoint(body);
    emit_one(number);
    number->addIncoming(b_.CreateAdd(number, i64(1)), b_.GetInsertBlock());
    b_.CreateBr(loop);
    b_.SetInsertPoint(done);
  }

 private:
  Value* i64(int64_t v) { return b_.getInt64(static_cast<uint64_t>(v)); }

  // Emits call number `number` of the batch.
  void emit_one(Value* number) {
    llvm::SmallVector<Value*, 16> arguments;
    llvm::SmallVector<llvm::Type*, 16> types;
    for (const CCall::Argument& a : call_.arguments) {
      arguments.push_back(std::visit([&](const auto& argument) { return value(argument, number); }, a));
      types.push_back(arguments.back()->getType());
    }
    auto* type = llvm::FunctionType::get(b_.getVoidTy(), types, false);
    b_.CreateCall(b_.GetInsertBlock()->getModule()->getOrInsertFunction(call_.function, type), arguments);
  }

  Value* value(const CCall::Constant& c, Value*) { return b_.getInt32(static_cast<uint32_t>(c.value)); }
  Value* value(const CCall::Size& s, Value*) {
    return b_.CreateTrunc(size_(s.at_least_one ? max(s.value, Dim(1)) : s.value), b_.getInt32Ty());
  }
  Value* value(const CCall::Number& n, Value*) {
    const float v = n.one ? 1 : 0;
    if (call_.dtype == float32) return llvm::ConstantFP::get(b_.getFloatTy(), v);
    if (call_.dtype == float64) return llvm::ConstantFP::get(b_.getDoubleTy(), v);
    llvm::Constant* pair = llvm::ConstantDataArray::get(b_.getContext(), llvm::ArrayRef<float>({v, 0}));
    return new llvm::GlobalVariable(*b_.GetInsertBlock()->getModule(), pair->getType(), true,
                                    llvm::GlobalValue::PrivateLinkage, pair, "number");
  }
  Value* value(const CCall::Array& a, Value* number) {
    const ir::Window& w = *a.window;
    Value *offset = size_(w.layout.offset), *rest = number;
    for (size_t axis = call_.batch.size(); axis-- > 0;) {
      Value* extent = size_(call_.batch[axis]);
      offset = b_.CreateAdd(offset, b_.CreateMul(b_.CreateURem(rest, extent), size_(w.layout.strides[axis])));
      rest = b_.CreateUDiv(rest, extent);
    }
    return b_.CreateGEP(b_.getInt8Ty(), buffers_[w.buffer], b_.CreateMul(offset, i64(call_.dtype.size())));
  }

  llvm::IRBuilder<>& b_;
  const CCall& call_;
  const std::function<Value*(const Dim&)>& size_;
  const std::vector<Value*>& buffers_;
};

}  // namespace

Status takes_c_calls(const ir::Function& f) {
  for (const ir::Step& s : f.program->steps) {
    const auto* step = std::get_if<ir::LibraryStep>(&s);
    if (!step) continue;
    if (const auto call = passes::c_call(*step, f.facts); !call.ok())
      return Diagnostic("function @" + f.name + ": " + call.error().message, {},
                        "have matrix products as loops of their own");
  }
  return {};
}

void emit_c_call(llvm::IRBuilder<>& builder, const ir::Function& f, const ir::LibraryStep& step,
                 const std::function<Value*(const Dim&)>& size, const std::vector<Value*>& buffers) {
  if (const auto call = passes::c_call(step, f.facts); call.ok()) CallEmitter(builder, *call, size, buffers).run();
}

}  // namespace frit::codegen
