// The position of an extreme in a row of a known length.
//
// The extreme comes first, as a maximum or minimum of the values. Its position is the first lane that has it: the lanes
// of a step compare with it at once, and the lowest bit of their mask counts. So no position goes through the lanes.
#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>

#include <bit>

#include "codegen/llvm/emitter.h"

namespace frit::codegen {

using ir::Accumulator;
using ir::Combine;
using llvm::BasicBlock;
using llvm::Value;

namespace {

constexpr int64_t kMaxLanes = 64;  // of a step, whose mask is one word

}  // namespace

// Whether the loop is of this kind. Longer rows have little work behind their full steps.
bool KernelEmitter::finds_in_row(const ir::Loop& loop, int lanes) const {
  if (!loop.extent.is_const() || lanes > kMaxLanes || !finds_by_steps(loop, lanes)) return false;
  const auto index = growing_position(loop, loop.accumulators[0]);
  const int64_t n = loop.extent.value();
  return index && n > 0 && (n % lanes == 0 || knows_rest(loop, lanes));
}

// The values of the accumulator in the copies of the body, under the lane mask.
llvm::SmallVector<Value*, 16> KernelEmitter::arg_values(const Accumulator& acc) {
  llvm::SmallVector<Value*, 16> values;
  for (int c = 0; c < vector_->copies; ++c) {
    Value* value = read(acc, c, true).value;
    values.push_back(vector_->mask ? builder_.CreateSelect(vector_->mask, value, identity(acc, true).value) : value);
  }
  return values;
}

// The lanes that have the extreme. NaN is the extreme where there is one.
Value* KernelEmitter::is_extreme(Value* values, Value* extreme) {
  if (!extreme->getType()->isFPOrFPVectorTy()) return builder_.CreateICmpEQ(values, extreme);
  Value* same = builder_.CreateFCmpOEQ(values, extreme);
  return builder_.CreateOr(same, builder_.CreateFCmpUNO(values, values));
}

// The number of the first of `count` lanes that has the extreme, a vector of equal lanes; they fill `values`.
Value* KernelEmitter::first_extreme(llvm::ArrayRef<Value*> values, Value* extreme, int64_t count) {
  const auto width = static_cast<uint64_t>(vector_->width);
  llvm::Type* word = builder_.getInt64Ty();
  Value* all = nullptr;
  for (size_t i = 0; i < values.size(); ++i) {
    Value* same = is_extreme(values[i], extreme);
    Value* bits =
        builder_.CreateZExt(builder_.CreateBitCast(same, builder_.getIntNTy(static_cast<unsigned>(width))), word);
    bits = builder_.CreateShl(bits, i * width);
    all = all ? builder_.CreateOr(all, bits) : bits;
  }
  if (count < kMaxLanes) all = builder_.CreateAnd(all, i64((int64_t{1} << count) - 1));
  return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, all, builder_.getTrue());
}

// The extreme of vectors, in all lanes.
Value* KernelEmitter::extreme_lane(const Accumulator& acc, llvm::SmallVector<Value*, 16> values, bool of_lanes) {
  const bool max = acc.combine == Combine::ArgMax;
  for (size_t half = (values.size() + 1) / 2; values.size() > 1; half = (half + 1) / 2) {
    for (size_t k = 0; k + half < values.size(); ++k) values[k] = min_max(max, acc.type, values[k], values[k + half]);
    values.resize(half);
  }
  Value* extreme = values[0];
  const int width = vector_->width;
  for (int held = of_lanes ? width : 1; held > 1; held /= 2) {
    llvm::SmallVector<int, 64> turned;
    for (int l = 0; l < width; ++l) turned.push_back(l % held < held / 2 ? l + held / 2 : l - held / 2);
    extreme = min_max(max, acc.type, extreme, builder_.CreateShuffleVector(extreme, turned));
  }
  return extreme;
}

// The number of the iteration that has the extreme first. Rows whose mask is one word need no numbers of steps.
Value* KernelEmitter::find_in_row(const ir::Loop& loop, int lanes) {
  VectorScope& scope = *vector_;
  const Accumulator& acc = loop.accumulators[0];
  const int64_t n = loop.extent.value(), full = n / lanes, rest = n % lanes;
  const bool short_row = n <= kMaxLanes && full <= 1;
  const auto values_of = [&](int64_t begin, int64_t end) {
    llvm::SmallVector<Value*, 16> values;
    emit_vectors(loop, begin, end, [&](int, int) {
      for (Value* v : arg_values(acc)) values.push_back(v);
    });
    scope.mask = scope.remaining = nullptr;
    return values;
  };
  if (short_row) {
    const auto values = values_of(0, n);
    return first_extreme(values, extreme_lane(acc, values, true), n);
  }
  BasicBlock *before = builder_.GetInsertBlock(), *body = block(loop.var.c_str()), *found = block("found");
  const State start = numbered_start(acc, full);
  builder_.CreateBr(body);
  builder_.SetInsertPoint(body);
  llvm::PHINode* i = builder_.CreatePHI(builder_.getInt64Ty(), 2, loop.var);
  i->addIncoming(i64(0), before);
  const States phis = state_phis({start}, before);
  scope.copies = lanes / scope.width;
  scope.base = i;
  emit_skipping(loop);
  emit_prefetches(loop);
  const auto shift = static_cast<uint64_t>(std::countr_zero(static_cast<unsigned>(lanes)));
  State best = combine_numbered(acc, phis[0], extreme_lane(acc, arg_values(acc), false), builder_.CreateLShr(i, shift));
  Value* next = builder_.CreateAdd(i, i64(lanes), "", true, true);
  i->addIncoming(next, builder_.GetInsertBlock());
  add_incoming(phis, {best}, builder_.GetInsertBlock());
  builder_.CreateCondBr(builder_.CreateICmpSLT(next, i64(full * lanes)), body, found);
  builder_.SetInsertPoint(found);

  llvm::SmallVector<Value*, 16> last;
  if (rest > 0) {
    last = values_of(full * lanes, n);
    best = combine_numbered(acc, best, extreme_lane(acc, last, false), i64(full));
  }
  Value* extreme = extreme_lane(acc, {best.value}, true);
  // The first step that has the extreme.
  Value* none = llvm::Constant::getAllOnesValue(best.position->getType());
  Value* where = builder_.CreateSelect(is_extreme(best.value, extreme), best.position, none);
  where = builder_.CreateZExt(builder_.CreateIntMinReduce(where, false), builder_.getInt64Ty());
  Value* base = builder_.CreateShl(where, shift);
  const auto in_step = [&] {
    scope.copies = lanes / scope.width;
    scope.base = base;
    emit_loop_body(loop);
    return first_extreme(arg_values(acc), extreme, lanes);
  };
  if (rest == 0) return builder_.CreateAdd(base, in_step());
  BasicBlock *step = block("step"), *behind = block("behind"), *join = block("join");
  builder_.CreateCondBr(builder_.CreateICmpEQ(where, i64(full)), behind, step);
  builder_.SetInsertPoint(step);
  Value* in_full = in_step();
  BasicBlock* step_end = builder_.GetInsertBlock();
  builder_.CreateBr(join);
  builder_.SetInsertPoint(behind);
  Value* in_rest = first_extreme(last, extreme, rest);
  builder_.CreateBr(join);
  builder_.SetInsertPoint(join);
  llvm::PHINode* lane = builder_.CreatePHI(builder_.getInt64Ty(), 2);
  lane->addIncoming(in_full, step_end);
  lane->addIncoming(in_rest, behind);
  return builder_.CreateAdd(base, lane);
}

void KernelEmitter::emit_arg_row(const ir::Loop& loop, int lanes) {
  BasicBlock* preheader = block("preheader");
  builder_.CreateBr(preheader);
  builder_.SetInsertPoint(preheader);
  BasicBlock* row = block("row");
  builder_.CreateBr(row);
  open_frame(loop, preheader, true);
  vector_->depth = depth();
  builder_.SetInsertPoint(row);
  const Dim::Affine index = *growing_position(loop, loop.accumulators[0]);
  Value* number = find_in_row(loop, lanes);
  frames_.pop_back();
  Value* position = builder_.CreateMul(number, i64(index.coefficient.value()));
  position = builder_.CreateAdd(position, eval(index.rest).scalar());
  define_result(loop.accumulators[0], State{nullptr, position}, false);
}

}  // namespace frit::codegen
