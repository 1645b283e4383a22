// Loops: plain ones, and vector loops written as full steps and a masked remainder.
#include <llvm/IR/Constants.h>

#include <algorithm>

#include "codegen/llvm/emitter.h"

namespace frit::codegen {

using llvm::BasicBlock;
using llvm::Value;

namespace {

void collect_stores(const ir::Body& body, std::set<uint32_t>& buffers) {
  for (const ir::Instr& instr : body) {
    if (const auto* store = std::get_if<ir::StoreInstr>(&instr.node)) buffers.insert(store->buffer);
    else if (const auto* loop = std::get_if<ir::Loop>(&instr.node)) collect_stores(loop->body, buffers);
  }
}

}  // namespace

BasicBlock* KernelEmitter::block(const char* name) { return BasicBlock::Create(context_, name, function_); }

void KernelEmitter::open_frame(const ir::Loop& loop, BasicBlock* preheader, bool always_runs) {
  Frame& f = frames_.emplace_back();
  f.preheader = preheader;
  f.always_runs = always_runs;
  collect_stores(loop.body, f.stored);
}

// Fills in which registers and bindings vary with scope.var in `body`. False when a loop's extent does: such a body cannot be widened.
bool KernelEmitter::analyse(const ir::Body& body, VectorScope& scope) const {
  auto varies_reg = [&](ir::Reg r) { return r != ir::kNoReg && scope.varying[r]; };
  for (const ir::Instr& instr : body) {
    if (const auto* scalar = std::get_if<ir::ScalarInstr>(&instr.node)) {
      scope.varying[scalar->result] = std::any_of(scalar->args.begin(), scalar->args.begin() + ir::arity(scalar->op), varies_reg);
    } else if (const auto* index = std::get_if<ir::IndexInstr>(&instr.node)) {
      scope.varying[index->result] = varies(index->index, scope);
    } else if (const auto* bind = std::get_if<ir::BindInstr>(&instr.node)) {
      if (varies_reg(bind->value)) scope.varying_names.insert(bind->name);
    } else if (const auto* load = std::get_if<ir::LoadInstr>(&instr.node)) {
      scope.varying[load->result] = varies(load->index, scope) || varies_reg(load->mask);
    } else if (const auto* loop = std::get_if<ir::Loop>(&instr.node)) {
      if (varies(loop->extent, scope) || !analyse(loop->body, scope)) return false;
      for (const ir::Accumulator& acc : loop->accumulators)
        scope.varying[acc.result] = varies_reg(acc.value) || varies_reg(acc.position);
    }
  }
  return true;
}

void KernelEmitter::emit_loop(const ir::Loop& loop) {
  const bool parallel = loop.kind == ir::LoopKind::Parallel;
  Val extent = eval(loop.extent);
  Value* from = parallel ? begin_ : i64(0);
  Value* to = parallel ? end_ : extent.scalar();
  const bool order_matters = std::any_of(loop.accumulators.begin(), loop.accumulators.end(),
                                         [&](const ir::Accumulator& a) { return !order_free(a); });
  int width = loop.vector;
  int unroll = std::max(loop.unroll, 1);
  int lanes = loop.lanes;
  if (!loop.accumulators.empty() && lanes == 0 && !order_matters && width > 1) {
    // The order is free: deal the iterations to as many accumulators as there are lanes in a step.
    lanes = width;
    while (lanes < width * unroll && lanes < 256) lanes *= 2;
  }
  if (lanes > 0) width = std::min(width, lanes);
  const bool fits = !vector_ && width > 1 && (loop.accumulators.empty() || (lanes > 0 && lanes % width == 0));
  facts_.set_loop(loop.var, loop.extent);

  VectorScope scope;
  scope.var = loop.var;
  scope.width = width;
  scope.varying.assign(regs_.size(), false);
  if (fits && analyse(loop.body, scope)) {
    vector_ = &scope;
    if (!loop.accumulators.empty()) {
      emit_lane_loop(loop, lanes, to);
    } else {
      Dim step = int64_t{width} * unroll;
      const bool whole = !parallel && facts_.equal(mod(loop.extent, step), 0) == Tri::Yes;
      emit_vector_loop(loop, unroll, from, to, whole);
    }
    vector_ = nullptr;
  } else if (loop.lanes > 0 && !loop.accumulators.empty()) {
    emit_dealt_loop(loop, to);
  } else {
    emit_serial_loop(loop, from, to);
  }
}

// for (i = from; i < to; ++i), with accumulators taken in one after the other.
void KernelEmitter::emit_serial_loop(const ir::Loop& loop, Value* from, Value* to) {
  const bool runs = loop.kind == ir::LoopKind::Serial && facts_.range(loop.extent).low >= 1;
  BasicBlock* before = builder_.GetInsertBlock();
  BasicBlock* preheader = block("preheader");
  BasicBlock* body = block(loop.var.c_str());
  BasicBlock* after = runs ? nullptr : block("after");
  if (runs) builder_.CreateBr(preheader);
  else builder_.CreateCondBr(builder_.CreateICmpSLT(from, to), preheader, after);
  builder_.SetInsertPoint(preheader);
  builder_.CreateBr(body);

  const int count = copies();
  std::vector<bool> wide;
  States start;
  for (const ir::Accumulator& acc : loop.accumulators) {
    wide.push_back(accumulates_vectors(acc));
    for (int c = 0; c < (wide.back() ? count : 1); ++c) start.push_back(identity(acc, wide.back()));
  }
  builder_.SetInsertPoint(body);
  llvm::PHINode* i = builder_.CreatePHI(builder_.getInt64Ty(), 2, loop.var);
  i->addIncoming(from, preheader);
  States phis = state_phis(start, preheader);

  open_frame(loop, preheader, runs);
  names_[loop.var] = uniform(i, depth());
  emit_body(loop.body);
  States next;
  for (size_t a = 0, s = 0; a < loop.accumulators.size(); ++a) {
    const ir::Accumulator& acc = loop.accumulators[a];
    for (int c = 0; c < (wide[a] ? count : 1); ++c, ++s) next.push_back(combine(acc, phis[s], read(acc, c, wide[a])));
  }
  frames_.pop_back();

  BasicBlock* latch = builder_.GetInsertBlock();
  Value* following = builder_.CreateAdd(i, i64(1), "", true, true);
  i->addIncoming(following, latch);
  add_incoming(phis, next, latch);
  if (!after) after = block("after");
  builder_.CreateCondBr(builder_.CreateICmpSLT(following, to), body, after);
  builder_.SetInsertPoint(after);
  States results = next;
  if (!runs && !next.empty()) {
    results = state_phis(next, latch);
    add_incoming(results, start, before);
  }
  for (size_t a = 0, s = 0; a < loop.accumulators.size(); ++a) {
    size_t n = wide[a] ? static_cast<size_t>(count) : 1;
    define_result(loop.accumulators[a], llvm::ArrayRef(results).slice(s, n), wide[a]);
    s += n;
  }
}

// Full steps of `unroll` vectors, then a masked vector at a time. `whole`: there is no remainder.
void KernelEmitter::emit_vector_loop(const ir::Loop& loop, int unroll, Value* from, Value* to, bool whole) {
  VectorScope& scope = *vector_;
  const bool runs = loop.kind == ir::LoopKind::Serial && facts_.range(loop.extent).low >= 1;
  BasicBlock* preheader = block("preheader");
  BasicBlock* full = block(loop.var.c_str());
  BasicBlock* after = block("after");
  if (runs) builder_.CreateBr(preheader);
  else builder_.CreateCondBr(builder_.CreateICmpSLT(from, to), preheader, after);

  Value* step = i64(int64_t{scope.width} * unroll);
  builder_.SetInsertPoint(preheader);
  Value* last = builder_.CreateSub(to, step, "last");  // the last full step begins here or before
  BasicBlock* rest = whole ? after : block("rest");
  if (whole) builder_.CreateBr(full);
  else builder_.CreateCondBr(builder_.CreateICmpSLE(from, last), full, rest);
  open_frame(loop, preheader, runs);
  scope.depth = depth();

  builder_.SetInsertPoint(full);
  llvm::PHINode* i = builder_.CreatePHI(builder_.getInt64Ty(), 2, loop.var);
  i->addIncoming(from, preheader);
  scope.copies = unroll;
  scope.base = i;
  emit_body(loop.body);
  Value* next = builder_.CreateAdd(i, step, "", true, true);
  i->addIncoming(next, builder_.GetInsertBlock());
  BasicBlock* full_end = builder_.GetInsertBlock();
  builder_.CreateCondBr(builder_.CreateICmpSLE(next, last), full, rest);

  if (!whole) {
    builder_.SetInsertPoint(rest);
    llvm::PHINode* start = builder_.CreatePHI(builder_.getInt64Ty(), 2);
    start->addIncoming(from, preheader);
    start->addIncoming(next, full_end);
    BasicBlock* masked = block("masked");
    builder_.CreateCondBr(builder_.CreateICmpSLT(start, to), masked, after);
    builder_.SetInsertPoint(masked);
    llvm::PHINode* j = builder_.CreatePHI(builder_.getInt64Ty(), 2, loop.var);
    j->addIncoming(start, rest);
    scope.copies = 1;
    scope.base = j;
    set_mask(builder_.CreateSub(to, j, "remaining"));
    emit_body(loop.body);
    Value* following = builder_.CreateAdd(j, i64(scope.width), "", true, true);
    j->addIncoming(following, builder_.GetInsertBlock());
    builder_.CreateCondBr(builder_.CreateICmpSLT(following, to), masked, after);
  }
  frames_.pop_back();
  after->moveAfter(builder_.GetInsertBlock());
  builder_.SetInsertPoint(after);
}

// Lanes 0 to remaining - 1 are active.
void KernelEmitter::set_mask(Value* remaining) {
  VectorScope& scope = *vector_;
  llvm::SmallVector<llvm::Constant*, 32> numbers;
  for (int i = 0; i < scope.width; ++i) numbers.push_back(builder_.getInt32(static_cast<uint32_t>(i)));
  Value* few = builder_.CreateTrunc(
      builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, remaining, i64(scope.width)), builder_.getInt32Ty());
  Value* limit = builder_.CreateVectorSplat(static_cast<unsigned>(scope.width), few);
  scope.remaining = remaining;
  scope.mask = builder_.CreateICmpSLT(llvm::ConstantVector::get(numbers), limit, "active");
}

}  // namespace frit::codegen
