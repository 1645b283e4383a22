// Loops that carry running values through the lanes of vectors (ir/kernel/carry_step.h).
#include <llvm/IR/Constants.h>

#include <algorithm>
#include <bit>

#include "codegen/llvm/emitter.h"
#include "ir/kernel/carry_step.h"

namespace frit::codegen {

using llvm::Value;

namespace {

constexpr int kLeastLanes = 4;

}  // namespace

// A vector loop as wide as the lanes, or as a row that is known to have fewer elements: lanes behind its end are
// combined with nothing in front of it. The running value of each carry is a vector of equal lanes on the stack, which
// LLVM keeps in a register.
void KernelEmitter::emit_carry_loop(const ir::Loop& loop, Value* to) {
  VectorScope scope;
  scope.var = loop.var;
  const bool one_step = loop.extent.is_const() && loop.extent.value() >= 1 && loop.extent.value() <= loop.lanes;
  if (one_step) scope.width = static_cast<int>(std::bit_ceil(static_cast<uint64_t>(loop.extent.value())));
  scope.width = one_step ? std::max(scope.width, std::min(kLeastLanes, loop.lanes)) : loop.lanes;
  scope.alignment = scope.width;
  scope.varying.assign(regs_.size(), false);
  for (const ir::Carry& carry : loop.carries) scope.varying[carry.value] = true;
  if (vector_ || !analyse(loop.body, scope))
    return fail("a loop with lanes that carries values stands in a vector loop, or the extent of a loop in it varies");
  vector_ = &scope;
  for (const ir::Carry& carry : loop.carries) {
    auto* initial = llvm::cast<llvm::Constant>(constant(carry.type, carry.initial));
    Value* start =
        llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(static_cast<unsigned>(scope.width)), initial);
    Value* slot = stack_vector(start->getType());
    builder_.CreateStore(start, slot);
    running_[ir::carry_step(loop, carry)] = slot;
  }
  const int unroll = one_step ? 1 : std::max(loop.unroll, 1);
  if (knows_rest(loop, int64_t{scope.width} * unroll))
    emit_known_vector_loop(loop, unroll);
  else
    emit_vector_loop(loop, unroll, i64(0), to, false, nullptr);
  for (const ir::Carry& carry : loop.carries) running_.erase(ir::carry_step(loop, carry));
  vector_ = nullptr;
}

// The lanes of `x` at and behind the first NaN, as NaN. With this, running maxima and minima of the lanes themselves
// need no test for NaN: such a comparison gives its second operand, and nothing in front of a NaN knows of it.
Value* KernelEmitter::spread_nan(Value* x) {
  const int width = vector_->width;
  llvm::Type* bits = builder_.getIntNTy(static_cast<unsigned>(width));
  Value* found = builder_.CreateBitCast(builder_.CreateFCmpUNO(x, x), bits);
  Value* behind = builder_.CreateOr(found, builder_.CreateNeg(found));
  return builder_.CreateBitCast(behind, llvm::FixedVectorType::get(builder_.getInt1Ty(), static_cast<unsigned>(width)));
}

// Combines the lanes of each copy among themselves, level by level, and then with the running value. That of the next
// copy needs only the combination of all lanes, so the chain from vector to vector is one operation.
void KernelEmitter::emit_carry_step(const ir::ScalarInstr& step, Value* running) {
  const int width = vector_->width;
  const auto combine = [&](Value* x, Value* y) { return scalar_op(step.op, step.type, step.type, {x, y}); };
  // Masks are numbers where they have registers of their own.
  const bool max = step.op == ir::ScalarOp::Max;
  const bool by_order = (max || step.op == ir::ScalarOp::Min) && is_float(step.type) && features_.vector_bytes == 64;
  const auto order = max ? llvm::CmpInst::FCMP_OGT : llvm::CmpInst::FCMP_OLT;
  Val next, before;
  next.varying = before.varying = true;
  next.depth = before.depth = depth();
  llvm::Type* type = widen(register_type(step.type));
  Value* carried = builder_.CreateLoad(type, running);
  llvm::SmallVector<int, 32> last(static_cast<size_t>(width), width - 1), one_back;
  for (int i = 0; i < width; ++i) one_back.push_back(i == 0 ? width : i - 1);
  for (int c = 0; c < copies(); ++c) {
    Value* x = get(reg(step.args[1]), c, true);
    Value* nan = by_order ? spread_nan(x) : nullptr;
    for (int level = 1; level < width; level *= 2) {
      llvm::SmallVector<int, 32> pick;
      llvm::SmallVector<llvm::Constant*, 32> here;
      for (int i = 0; i < width; ++i) {
        const bool takes = (i & level) != 0;
        pick.push_back(takes ? i / level * level - 1 : llvm::PoisonMaskElem);
        here.push_back(builder_.getInt1(takes));
      }
      Value* kept = builder_.CreateShuffleVector(x, pick);
      Value* both = by_order ? builder_.CreateSelect(builder_.CreateFCmp(order, kept, x), kept, x) : combine(kept, x);
      x = builder_.CreateSelect(llvm::ConstantVector::get(here), both, x);
    }
    if (nan) x = builder_.CreateSelect(nan, llvm::ConstantFP::getNaN(x->getType()), x);
    next.copies.push_back(combine(carried, x));
    before.copies.push_back(builder_.CreateShuffleVector(next.copies.back(), carried, one_back));
    carried = combine(carried, builder_.CreateShuffleVector(x, last));
  }
  builder_.CreateStore(carried, running);
  define(step.args[0], std::move(before));
  define(step.result, std::move(next));
}

}  // namespace frit::codegen
