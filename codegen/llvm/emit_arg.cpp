// The position of an extreme, in a loop that deals its iterations to lanes.
//
// A full step keeps the extremes of its lanes and the number of the step that has each: a later step wins only with a
// better value. The positions are computed once, in the best of these steps, where the extreme comes first.
#include <llvm/IR/Constants.h>

#include <bit>

#include "codegen/llvm/emitter.h"

namespace frit::codegen {

using ir::Accumulator;
using ir::Combine;
using llvm::BasicBlock;
using llvm::Value;

// Whether the numbers of the steps fit the lanes.
bool KernelEmitter::finds_by_steps(const ir::Loop& loop, int lanes) const {
  if (loop.accumulators.size() != 1) return false;
  const Accumulator& acc = loop.accumulators[0];
  if (acc.combine != Combine::ArgMax && acc.combine != Combine::ArgMin) return false;
  if (acc.type == bool_ || compute_type(acc.type).size < 4 || !std::has_single_bit(static_cast<unsigned>(lanes)))
    return false;
  return vector_->varying[acc.value] && facts_.range(loop.extent).high / lanes < (int64_t{1} << 31);
}

// The full steps, from block `full` to `rest`. Gives the states of the best step's lanes.
KernelEmitter::States KernelEmitter::emit_arg_steps(const ir::Loop& loop, const LaneSteps& steps, Value** next) {
  VectorScope& scope = *vector_;
  const Accumulator& acc = loop.accumulators[0];
  const bool max = acc.combine == Combine::ArgMax, real = is_float(acc.type);
  const int count = steps.lanes / scope.width, shift = std::countr_zero(static_cast<unsigned>(steps.lanes));
  BasicBlock* found = block("found");
  Value* least = splat(constant(acc.type, ir::combine_identity(acc.combine, acc.type)), 0);
  llvm::Type* word = builder_.getIntNTy(least->getType()->getScalarSizeInBits());

  builder_.SetInsertPoint(steps.full);
  llvm::PHINode* i = builder_.CreatePHI(builder_.getInt64Ty(), 2, loop.var);
  llvm::PHINode* best = builder_.CreatePHI(least->getType(), 2, "best");
  llvm::PHINode* where = builder_.CreatePHI(like(least, word), 2, "where");
  i->addIncoming(i64(0), steps.preheader);
  best->addIncoming(least, steps.preheader);
  where->addIncoming(llvm::Constant::getNullValue(where->getType()), steps.preheader);
  scope.copies = count;
  scope.base = i;
  emit_skipping(loop);
  emit_prefetches(loop);
  llvm::SmallVector<Value*, 8> values;
  for (int c = 0; c < count; ++c) values.push_back(read(acc, c, true).value);
  for (size_t n = values.size() / 2; n >= 1; n /= 2)
    for (size_t k = 0; k < n; ++k) values[k] = min_max(max, acc.type, values[k], values[k + n]);
  Value* wins = nullptr;
  if (real) {
    wins = builder_.CreateFCmp(max ? llvm::CmpInst::FCMP_UGT : llvm::CmpInst::FCMP_ULT, values[0], best);
    wins = builder_.CreateAnd(wins, builder_.CreateFCmpORD(best, best));
  } else {
    wins = scalar_op(max ? ir::ScalarOp::Gt : ir::ScalarOp::Lt, bool_, acc.type, {values[0], best});
  }
  Value* number = builder_.CreateTrunc(builder_.CreateLShr(i, static_cast<uint64_t>(shift)), word);
  Value* better = builder_.CreateSelect(wins, values[0], best);
  Value* there =
      builder_.CreateSelect(wins, builder_.CreateVectorSplat(static_cast<unsigned>(scope.width), number), where);
  *next = builder_.CreateAdd(i, i64(steps.lanes), "", true, true);
  BasicBlock* end = builder_.GetInsertBlock();
  i->addIncoming(*next, end);
  best->addIncoming(better, end);
  where->addIncoming(there, end);
  builder_.CreateCondBr(builder_.CreateICmpSLE(*next, steps.last), steps.full, found);

  builder_.SetInsertPoint(found);
  States first;
  first.push_back({better, builder_.CreateZExt(there, like(there, builder_.getInt64Ty()))});
  const States folded = fold_vectors(acc, std::move(first), scope.width);
  scope.base = builder_.CreateShl(folded[0].position, static_cast<uint64_t>(shift));
  emit_body(loop.body);
  States taken;
  for (int c = 0; c < count; ++c) taken.push_back(read(acc, c, true));
  builder_.CreateBr(steps.rest);
  return taken;
}

// The full steps of other accumulators: a state for each lane.
KernelEmitter::States KernelEmitter::emit_lane_steps(const ir::Loop& loop, const LaneSteps& steps, const States& start,
                                                     Value** next) {
  const int count = steps.lanes / vector_->width;
  builder_.SetInsertPoint(steps.full);
  llvm::PHINode* i = builder_.CreatePHI(builder_.getInt64Ty(), 2, loop.var);
  i->addIncoming(i64(0), steps.preheader);
  States phis = state_phis(start, steps.preheader);
  vector_->copies = count;
  vector_->base = i;
  emit_skipping(loop);
  emit_prefetches(loop);
  States taken;
  for (size_t a = 0, s = 0; a < loop.accumulators.size(); ++a)
    for (int c = 0; c < count; ++c, ++s)
      taken.push_back(combine(loop.accumulators[a], phis[s], read(loop.accumulators[a], c, true)));
  *next = builder_.CreateAdd(i, i64(steps.lanes), "", true, true);
  BasicBlock* end = builder_.GetInsertBlock();
  i->addIncoming(*next, end);
  add_incoming(phis, taken, end);
  builder_.CreateCondBr(builder_.CreateICmpSLE(*next, steps.last), steps.full, steps.rest);
  return taken;
}

}  // namespace frit::codegen
