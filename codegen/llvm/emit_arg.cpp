// The position of an extreme, in a loop that deals its iterations to lanes, and in one whose lanes are columns.
//
// A full step keeps the extremes of its lanes and the number of the step that has each: a later step wins only with a
// better value. The positions are computed once, in the best of these steps, where the extreme comes first.
#include <llvm/IR/Constants.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "codegen/llvm/emitter.h"

namespace frit::codegen {

using ir::Accumulator;
using ir::Combine;
using llvm::BasicBlock;
using llvm::Value;

namespace {

constexpr int64_t kLongStep = 64;  // instructions of a body, for one lane
constexpr size_t kManyAccumulators = 4;

}  // namespace

// Whether the numbers of the steps fit the lanes.
bool KernelEmitter::finds_by_steps(const ir::Loop& loop, int lanes) const {
  if (loop.accumulators.size() != 1) return false;
  const Accumulator& acc = loop.accumulators[0];
  if (acc.combine != Combine::ArgMax && acc.combine != Combine::ArgMin) return false;
  if (acc.type == bool_ || !std::has_single_bit(static_cast<unsigned>(lanes))) return false;
  return vector_->varying[acc.value] && facts_.range(loop.extent).high / lanes < (int64_t{1} << 31);
}

// The full steps, from block `full` to `rest`. Gives the states of the best step's lanes.
KernelEmitter::States KernelEmitter::emit_arg_steps(const ir::Loop& loop, const LaneSteps& steps, Value** next) {
  VectorScope& scope = *vector_;
  const Accumulator& acc = loop.accumulators[0];
  const bool max = acc.combine == Combine::ArgMax;
  const int count = steps.lanes / scope.width, shift = std::countr_zero(static_cast<unsigned>(steps.lanes));
  BasicBlock* found = block("found");
  const State start = numbered_start(acc, facts_.range(loop.extent).high / steps.lanes);

  builder_.SetInsertPoint(steps.full);
  llvm::PHINode* i = builder_.CreatePHI(builder_.getInt64Ty(), 2, loop.var);
  llvm::PHINode* best = builder_.CreatePHI(start.value->getType(), 2, "best");
  llvm::PHINode* where = builder_.CreatePHI(start.position->getType(), 2, "where");
  i->addIncoming(i64(0), steps.preheader);
  best->addIncoming(start.value, steps.preheader);
  where->addIncoming(start.position, steps.preheader);
  scope.copies = count;
  scope.base = i;
  emit_skipping(loop);
  emit_prefetches(loop);
  llvm::SmallVector<Value*, 8> values;
  for (int c = 0; c < count; ++c) values.push_back(read(acc, c, true).value);
  for (size_t n = values.size() / 2; n >= 1; n /= 2)
    for (size_t k = 0; k < n; ++k) values[k] = min_max(max, acc.type, values[k], values[k + n]);
  const auto [better, there] =
      combine_numbered(acc, {best, where}, values[0], builder_.CreateLShr(i, static_cast<uint64_t>(shift)));
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
  emit_loop_body(loop);
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
  // The values of a long body, in all vectors at once, would not fit into the registers. Some accumulators keep the
  // processor busy with one vector, and take most of the registers.
  const bool is_long = code_size(loop.body) > kLongStep;
  const int together = !is_long ? count : loop.accumulators.size() >= kManyAccumulators ? 1 : std::min(2, count);
  States taken(phis.size());
  for (int first = 0; first < count; first += together) {
    vector_->copies = together;
    vector_->base = first == 0 ? i : builder_.CreateAdd(i, i64(int64_t{first} * vector_->width), "", true, true);
    emit_skipping(loop);
    for (size_t a = 0; a < loop.accumulators.size(); ++a)
      for (int c = 0; c < together; ++c) {
        const size_t s = a * static_cast<size_t>(count) + static_cast<size_t>(first + c);
        taken[s] = combine(loop.accumulators[a], phis[s], read(loop.accumulators[a], c, true));
      }
  }
  vector_->copies = count;
  vector_->base = i;
  emit_prefetches(loop);
  *next = builder_.CreateAdd(i, i64(steps.lanes), "", true, true);
  BasicBlock* end = builder_.GetInsertBlock();
  i->addIncoming(*next, end);
  add_incoming(phis, taken, end);
  builder_.CreateCondBr(builder_.CreateICmpSLE(*next, steps.last), steps.full, steps.rest);
  return taken;
}

// Where an iteration of a loop in order has the position of the accumulator as its index, which grows with it: the
// index.
std::optional<Dim::Affine> KernelEmitter::growing_position(const ir::Loop& loop, const Accumulator& acc) const {
  if ((acc.combine != Combine::ArgMax && acc.combine != Combine::ArgMin) || !vector_ || !vector_->varying[acc.value] ||
      acc.type == bool_ || facts_.range(loop.extent).high >= int64_t{1} << 31)
    return {};
  for (const ir::Instr& i : loop.body) {
    const auto* index = std::get_if<ir::IndexInstr>(&i.node);
    if (!index || index->result != acc.position) continue;
    auto affine = index->index.affine_in(loop.var);
    const bool plain = std::none_of(loop.body.begin(), loop.body.end(),
                                    [](const ir::Instr& j) { return std::holds_alternative<ir::BindInstr>(j.node); });
    return plain && affine && affine->coefficient.is_const() && affine->coefficient.value() > 0 ? affine : std::nullopt;
  }
  return {};
}

// Whether each accumulator of a loop inside of a vector loop keeps the number of an iteration. The extreme that comes
// first is the same in any order, so the loop's lanes need no states of their own.
bool KernelEmitter::keeps_numbers(const ir::Loop& loop) const {
  return std::all_of(loop.accumulators.begin(), loop.accumulators.end(),
                     [&](const Accumulator& acc) { return growing_position(loop, acc).has_value(); });
}

// The state before the first iteration: the number of an iteration, at most `most`, takes the place of its position.
// Numbers have the value's bits where these are enough, so that one mask chooses both.
KernelEmitter::State KernelEmitter::numbered_start(const Accumulator& acc, int64_t most) {
  State s;
  s.value = splat(constant(acc.type, ir::combine_identity(acc.combine, acc.type)), 0);
  unsigned bits = s.value->getType()->getScalarSizeInBits();
  while (bits < 32 && most >> bits != 0) bits *= 2;
  s.position = llvm::Constant::getNullValue(like(s.value, builder_.getIntNTy(bits)));
  return s;
}

// A later iteration wins only with a better value.
KernelEmitter::State KernelEmitter::combine_numbered(const Accumulator& acc, const State& state, Value* value,
                                                     Value* number) {
  const bool max = acc.combine == Combine::ArgMax;
  Value* wins = nullptr;
  if (is_float(acc.type)) {
    wins = builder_.CreateFCmp(max ? llvm::CmpInst::FCMP_UGT : llvm::CmpInst::FCMP_ULT, value, state.value);
    wins = builder_.CreateAnd(wins, builder_.CreateFCmpORD(state.value, state.value));
  } else {
    wins = scalar_op(max ? ir::ScalarOp::Gt : ir::ScalarOp::Lt, bool_, acc.type, {value, state.value});
  }
  Value* word = builder_.CreateTrunc(number, state.position->getType()->getScalarType());
  Value* here = builder_.CreateVectorSplat(static_cast<unsigned>(vector_->width), word);
  return {builder_.CreateSelect(wins, value, state.value), builder_.CreateSelect(wins, here, state.position)};
}

// The positions of numbered states behind the loop, or those of nothing where it did not run.
void KernelEmitter::number_to_position(llvm::MutableArrayRef<State> states, const Dim::Affine& index, Value* ran) {
  const Val rest = eval(index.rest);
  for (size_t c = 0; c < states.size(); ++c) {
    llvm::Type* wide = like(states[c].position, builder_.getInt64Ty());
    Value* moved =
        builder_.CreateMul(builder_.CreateZExt(states[c].position, wide), splat(i64(index.coefficient.value()), 0));
    moved = builder_.CreateAdd(moved, get(rest, static_cast<int>(c), true));
    Value* none = splat(i64(std::numeric_limits<int64_t>::max()), 0);
    states[c].position = ran ? builder_.CreateSelect(ran, moved, none) : moved;
  }
}

}  // namespace frit::codegen
