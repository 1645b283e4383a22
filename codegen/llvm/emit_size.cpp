// Emits sizes as saturating integer arithmetic.
#include "codegen/llvm/emit_size.h"

#include <llvm/IR/Intrinsics.h>

#include <limits>

namespace frit::codegen {
namespace {

using llvm::Value;
using Op = DimProgram::Op;

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

class SizeEmitter {
 public:
  explicit SizeEmitter(llvm::IRBuilder<>& builder) : b_(builder) {}

  Value* apply(Op op, Value* x, Value* y) {
    auto* a = llvm::dyn_cast<llvm::ConstantInt>(x);
    auto* c = llvm::dyn_cast<llvm::ConstantInt>(y);
    if (a && c) return i64(fold(op, a->getSExtValue(), c->getSExtValue()));
    switch (op) {
      case Op::Add: return sticking(llvm::Intrinsic::sadd_with_overflow, x, y, [&] { return negative(x); });
      case Op::Mul:
        return sticking(llvm::Intrinsic::smul_with_overflow, x, y,
                        [&] { return b_.CreateXor(negative(x), negative(y)); });
      case Op::FloorDiv: return divide(x, y, false);
      case Op::Mod: return divide(x, y, true);
      case Op::Min: return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, y);
      case Op::Max: return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, x, y);
      case Op::Const:
      case Op::Slot: break;
    }
    return x;
  }

  Value* i64(int64_t v) { return b_.getInt64(static_cast<uint64_t>(v)); }

 private:
  static int64_t fold(Op op, int64_t x, int64_t y) {
    return DimProgram::from({{Op::Const, x}, {Op::Const, y}, {op, 0}}, 0)->evaluate(nullptr);
  }

  Value* negative(Value* v) { return b_.CreateICmpSLT(v, i64(0)); }

  template <class Sign>
  Value* sticking(llvm::Intrinsic::ID id, Value* x, Value* y, Sign&& is_negative) {
    Value* both = b_.CreateBinaryIntrinsic(id, x, y);
    Value* end = b_.CreateSelect(is_negative(), i64(-kMost), i64(kMost));
    return b_.CreateSelect(b_.CreateExtractValue(both, 1), end, b_.CreateExtractValue(both, 0));
  }

  // Rounds down. The processor's division rounds towards zero and traps on a zero divisor and on the least number over
  // -1.
  Value* divide(Value* x, Value* y, bool remainder) {
    Value *zero = b_.CreateICmpEQ(y, i64(0)), *minus = b_.CreateICmpEQ(y, i64(-1));
    Value* divisor = b_.CreateSelect(b_.CreateOr(zero, minus), i64(1), y);
    Value* quotient = b_.CreateSDiv(x, divisor);
    Value* rest = b_.CreateSub(x, b_.CreateMul(quotient, divisor));
    Value* below = b_.CreateAnd(b_.CreateIsNotNull(rest), b_.CreateXor(negative(rest), negative(divisor)));
    if (remainder) {
      Value* r = b_.CreateSelect(below, b_.CreateAdd(rest, divisor), rest);
      return b_.CreateSelect(b_.CreateOr(zero, minus), i64(0), r);
    }
    Value* q = b_.CreateSelect(below, b_.CreateSub(quotient, i64(1)), quotient);
    Value* opposite =
        b_.CreateSelect(b_.CreateICmpEQ(x, i64(std::numeric_limits<int64_t>::min())), i64(kMost), b_.CreateNeg(x));
    return b_.CreateSelect(zero, i64(0), b_.CreateSelect(minus, opposite, q));
  }

  llvm::IRBuilder<>& b_;
};

}  // namespace

Value* emit_size(llvm::IRBuilder<>& builder, const DimProgram& program, const std::vector<Value*>& slots) {
  SizeEmitter emitter(builder);
  std::vector<Value*> stack;
  for (const DimProgram::Instr& i : program.code()) {
    if (i.op == Op::Const) {
      stack.push_back(emitter.i64(i.value));
    } else if (i.op == Op::Slot) {
      stack.push_back(slots[static_cast<size_t>(i.value)]);
    } else {
      Value* y = stack.back();
      stack.pop_back();
      stack.back() = emitter.apply(i.op, stack.back(), y);
    }
  }
  return stack.empty() ? emitter.i64(0) : stack.back();
}

}  // namespace frit::codegen
