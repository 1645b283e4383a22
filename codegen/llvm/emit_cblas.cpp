// Emits matrix products as calls of cblas functions.
#include "codegen/llvm/emit_cblas.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include "passes/lower/cblas_product.h"

namespace frit::codegen {
namespace {

using llvm::Value;

// The values of the enumerators in the cblas interface.
constexpr uint32_t kRowMajor = 101, kPlain = 111, kTransposed = 112;

// Emits the calls of one product.
class CallEmitter {
 public:
  CallEmitter(llvm::IRBuilder<>& builder, const passes::CblasProduct& p, const ir::LibraryStep& step,
              const std::function<Value*(const Dim&)>& size, const std::vector<Value*>& buffers)
      : b_(builder), p_(p), c_(step.results[0]), dtype_(step.dtypes[0]), size_(size), buffers_(buffers) {}

  // Emits nothing if the result has no elements: the interface requires it, and the number of calls may be zero.
  void run() {
    llvm::LLVMContext& context = b_.getContext();
    llvm::Function* function = b_.GetInsertBlock()->getParent();
    const auto block = [&](const char* name) { return llvm::BasicBlock::Create(context, name, function); };
    Dim count = 1;
    for (size_t axis = 0; axis < p_.batch_axes; ++axis) count *= p_.a.window->layout.shape[axis];
    Value* calls = b_.CreateSelect(b_.CreateICmpSGT(size_(c_elements()), i64(0)), size_(count), i64(0));
    llvm::BasicBlock *before = b_.GetInsertBlock(), *loop = block("product"), *body = block("multiply"),
                     *done = block("multiplied");
    b_.CreateBr(loop);
    b_.SetInsertPoint(loop);
    llvm::PHINode* number = b_.CreatePHI(b_.getInt64Ty(), 2, "number");
    number->addIncoming(i64(0), before);
    b_.CreateCondBr(b_.CreateICmpSLT(number, calls), body, done);
    b_.SetInsertPoint(body);
    call(number);
    number->addIncoming(b_.CreateAdd(number, i64(1)), b_.GetInsertBlock());
    b_.CreateBr(loop);
    b_.SetInsertPoint(done);
  }

 private:
  Value* i64(int64_t v) { return b_.getInt64(static_cast<uint64_t>(v)); }
  Value* i32(const Dim& d) { return b_.CreateTrunc(size_(max(d, Dim(1))), b_.getInt32Ty()); }

  Dim c_elements() const {
    Dim all = 1;
    for (const Dim& d : c_.layout.shape) all *= d;
    return all;
  }

  // The address of the first element of the matrix that a call works on.
  Value* start(const ir::Window& w, Value* number) {
    Value *offset = size_(w.layout.offset), *rest = number;
    for (size_t axis = p_.batch_axes; axis-- > 0;) {
      Value* extent = size_(w.layout.shape[axis]);
      offset = b_.CreateAdd(offset, b_.CreateMul(b_.CreateURem(rest, extent), size_(w.layout.strides[axis])));
      rest = b_.CreateUDiv(rest, extent);
    }
    return b_.CreateGEP(b_.getInt8Ty(), buffers_[w.buffer], b_.CreateMul(offset, i64(dtype_.size)));
  }

  // alpha or beta; complex numbers are passed by address.
  Value* scalar(float v) {
    if (dtype_ == float32) return llvm::ConstantFP::get(b_.getFloatTy(), v);
    if (dtype_ == float64) return llvm::ConstantFP::get(b_.getDoubleTy(), v);
    llvm::Constant* pair = llvm::ConstantDataArray::get(b_.getContext(), llvm::ArrayRef<float>({v, 0}));
    return new llvm::GlobalVariable(*b_.GetInsertBlock()->getModule(), pair->getType(), true,
                                    llvm::GlobalValue::PrivateLinkage, pair, "number");
  }

  void call(Value* number) {
    const auto how = [&](const passes::CblasOperand& o) { return b_.getInt32(o.transposed ? kTransposed : kPlain); };
    llvm::SmallVector<Value*, 14> arguments{b_.getInt32(kRowMajor), how(p_.a), how(p_.b)};
    for (const Dim* d : {&p_.m, &p_.n, &p_.k}) arguments.push_back(b_.CreateTrunc(size_(*d), b_.getInt32Ty()));
    for (Value* v : {scalar(1), start(*p_.a.window, number), i32(p_.a.leading), start(*p_.b.window, number),
                     i32(p_.b.leading), scalar(0), start(c_, number), i32(p_.n)})
      arguments.push_back(v);
    llvm::SmallVector<llvm::Type*, 14> types;
    for (Value* v : arguments) types.push_back(v->getType());
    auto* type = llvm::FunctionType::get(b_.getVoidTy(), types, false);
    b_.CreateCall(b_.GetInsertBlock()->getModule()->getOrInsertFunction(p_.function, type), arguments);
  }

  llvm::IRBuilder<>& b_;
  const passes::CblasProduct& p_;
  const ir::Window& c_;
  const Dtype dtype_;
  const std::function<Value*(const Dim&)>& size_;
  const std::vector<Value*>& buffers_;
};

}  // namespace

Status takes_cblas(const ir::Function& f) {
  const auto refused = [&](const std::string& why) {
    return Diagnostic("function @" + f.name + ": " + why, {}, "emit matrix products as loops instead");
  };
  for (const ir::Step& s : f.program->steps) {
    const auto* step = std::get_if<ir::LibraryStep>(&s);
    if (!step || passes::cblas_product(*step, f.facts)) continue;
    if (step->name != "matmul") return refused("routine '" + step->name + "' is not a function of cblas");
    for (const char* side : {"left", "right"})
      if (!passes::cblas_operand(step->operands[*side == 'r'], f.facts))
        return refused(std::string("cblas cannot take the ") + side +
                       " operand of a matrix product as it lies in memory");
    return refused("cblas has no matrix product of " + std::string(short_name(step->dtypes[0])));
  }
  return {};
}

void emit_cblas(llvm::IRBuilder<>& builder, const ir::Function& f, const ir::LibraryStep& step,
                const std::function<Value*(const Dim&)>& size, const std::vector<Value*>& buffers) {
  if (const auto product = passes::cblas_product(step, f.facts))
    CallEmitter(builder, *product, step, size, buffers).run();
}

}  // namespace frit::codegen
