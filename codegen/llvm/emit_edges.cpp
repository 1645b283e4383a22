// Edges of rows: steps of a vector loop inside of all edges need no mask, and rows that begin anywhere in a line begin
// with a part of it.
//
// Padding compares positions with the edges of an operand. Most steps lie between all edges, where each comparison
// holds in all lanes. Such steps have a body of their own, without masks.
//
// Non-temporal stores write whole vectors at multiples of their size, and are quick where they fill whole lines. In a
// row that begins between, masked vectors go up to the next line, and the full steps begin there.
#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>

#include <algorithm>

#include "codegen/llvm/emitter.h"
#include "passes/lower/loop_nest.h"
#include "passes/schedule/stream_lines.h"

namespace frit::codegen {

using llvm::BasicBlock;
using llvm::Value;
using passes::kLineBytes;

namespace {

// Instructions of a body, for one lane, that are worth two copies.
constexpr int64_t kShortBody = 128;

}  // namespace

// The comparisons of positions in the loop's body that hold between two values of its variable, and these. Nothing is
// emitted where no load depends on one.
std::optional<KernelEmitter::Inside> KernelEmitter::find_inside(const ir::Loop& loop) {
  if (!vector_->rows.empty() || !running_.empty() || !passes::is_straight_line(loop.body) ||
      !passes::loads_under_mask(loop.body))
    return {};
  if (code_size(loop.body) > kShortBody) return {};
  std::map<ir::Reg, Dim> positions = positions_;
  Inside inside;
  std::vector<Dim> lows, highs;
  for (const ir::Instr& i : loop.body) {
    if (const auto* index = std::get_if<ir::IndexInstr>(&i.node))
      positions.insert_or_assign(index->result, index->index);
    const auto* test = std::get_if<ir::ScalarInstr>(&i.node);
    if (!test || ir::arity(test->op) != 2) continue;
    const auto a = positions.find(test->args[0]), b = positions.find(test->args[1]);
    if (a == positions.end() || b == positions.end()) continue;
    const auto over = margin(test->op, a->second, b->second);
    if (!over || !over->uses(loop.var) || !varies_by_variable_only(*over)) continue;
    const auto affine = over->affine_in(loop.var);
    if (!affine || !(affine->coefficient.is(1) || affine->coefficient.is(-1))) continue;
    inside.tests.insert(test);
    if (affine->coefficient.is(1))
      lows.push_back(Dim(0) - affine->rest);
    else
      highs.push_back(affine->rest + Dim(1));
  }
  if (inside.tests.empty()) return {};
  for (const Dim& d : lows) {
    Value* v = eval(d).scalar();
    inside.from = inside.from ? builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, inside.from, v) : v;
  }
  for (const Dim& d : highs) {
    Value* v = eval(d).scalar();
    inside.to = inside.to ? builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, inside.to, v) : v;
  }
  return inside;
}

// A full step of `step` elements from `i` on.
void KernelEmitter::emit_step(const ir::Loop& loop, const std::optional<Inside>& inside, Value* i, int64_t step) {
  if (!inside || llvm::isa<llvm::Constant>(i)) return emit_loop_body(loop);
  Value* low = inside->from ? builder_.CreateICmpSGE(i, inside->from) : builder_.getTrue();
  Value* high = inside->to ? builder_.CreateICmpSLE(builder_.CreateAdd(i, i64(step)), inside->to) : builder_.getTrue();
  BasicBlock *edge = block("edge"), *within = block("within"), *join = block("join");
  builder_.CreateCondBr(builder_.CreateAnd(low, high), within, edge,
                        llvm::MDBuilder(context_).createLikelyBranchWeights());
  builder_.SetInsertPoint(edge);
  emit_loop_body(loop);
  builder_.CreateBr(join);
  // Registers of the step within hold for no other step.
  const std::vector<Val> regs = regs_;
  const std::vector<bool> defined = defined_;
  builder_.SetInsertPoint(within);
  vector_->holds = &inside->tests;
  emit_loop_body(loop);
  vector_->holds = nullptr;
  builder_.CreateBr(join);
  regs_ = regs;
  defined_ = defined;
  builder_.SetInsertPoint(join);
}

// The masks of loads in the loop's body that are the same in all its lanes, as of rows and columns of padding; none if
// the body is not worth a copy where all of them hold.
std::vector<ir::Reg> KernelEmitter::shared_masks(const ir::Loop& loop) const {
  std::vector<ir::Reg> masks;
  if (!vector_->rows.empty() || !running_.empty() || !passes::is_straight_line(loop.body) ||
      code_size(loop.body) > kShortBody)
    return masks;
  std::set<ir::Reg> own;
  for (const ir::Instr& i : loop.body) {
    if (const auto* s = std::get_if<ir::ScalarInstr>(&i.node)) own.insert(s->result);
    const auto* load = std::get_if<ir::LoadInstr>(&i.node);
    if (!load || load->mask == ir::kNoReg || own.count(load->mask) || vector_->varying[load->mask]) continue;
    if (std::find(masks.begin(), masks.end(), load->mask) == masks.end()) masks.push_back(load->mask);
  }
  return masks;
}

// Emits the loop twice: where all `masks` hold, and with them.
void KernelEmitter::emit_on_masks(const std::vector<ir::Reg>& masks, const std::function<void()>& emit) {
  if (masks.empty()) return emit();
  Value* all = builder_.getTrue();
  for (ir::Reg m : masks) all = builder_.CreateAnd(all, reg(m).scalar());
  BasicBlock *within = block("within"), *edge = block("edge"), *join = block("join");
  builder_.CreateCondBr(all, within, edge, llvm::MDBuilder(context_).createLikelyBranchWeights());
  const VectorScope scope = *vector_;
  const std::vector<Val> regs = regs_;
  const std::vector<bool> defined = defined_;
  const auto part = [&](BasicBlock* at) {
    builder_.SetInsertPoint(at);
    emit();
    builder_.CreateBr(join);
    *vector_ = scope;
    regs_ = regs;
    defined_ = defined;
  };
  part(edge);
  for (ir::Reg m : masks) define(m, uniform(builder_.getTrue(), 0));
  held_masks_.insert(masks.begin(), masks.end());
  part(within);
  held_masks_.clear();
  join->moveAfter(&function_->back());
  builder_.SetInsertPoint(join);
}

// Whether the full vectors of a store surely begin at multiples of their size: `rest` is its position without the
// vector loop's variable.
bool KernelEmitter::is_aligned(const Dim& rest) const { return mod(rest, Dim(vector_->width)).is(0); }

// The elements of the serial loop `loop` that lie in front of a line of what it stores past the caches; null if they
// need no steps of their own.
Value* KernelEmitter::elements_to_line(const ir::Loop& loop, Value* to) {
  if (loop.kind != ir::LoopKind::Serial || !vector_->rows.empty() || !passes::is_straight_line(loop.body))
    return nullptr;
  const ir::StoreInstr* first = nullptr;
  Dim phase;
  for (const ir::Instr& i : loop.body) {
    const auto* store = std::get_if<ir::StoreInstr>(&i.node);
    if (!store || !store->stream) continue;
    const auto affine = store->index.affine_in(loop.var);
    if (!affine || !affine->coefficient.is(1) || !varies_by_variable_only(store->index)) return nullptr;
    const int64_t line = kLineBytes / kernel_.buffer(store->buffer).dtype.size();
    if (!first) {
      if (is_aligned(affine->rest)) return nullptr;
      first = store;
      phase = affine->rest;
    } else if (store->buffer != first->buffer || !mod(affine->rest - phase, Dim(line)).is(0)) {
      return nullptr;
    }
  }
  if (!first) return nullptr;
  const int64_t size = kernel_.buffer(first->buffer).dtype.size();
  const Val start = uniform(buffers_[first->buffer], 0), position = eval(phase);
  llvm::Type* element = memory_type(kernel_.buffer(first->buffer).dtype);
  const Val at = pure({&start, &position}, [&](llvm::ArrayRef<Value*> v) {
    return builder_.CreatePtrToInt(builder_.CreateInBoundsGEP(element, v[0], v[1]), builder_.getInt64Ty());
  });
  Value* bytes = builder_.CreateAnd(builder_.CreateNeg(at.scalar()), i64(kLineBytes - 1));
  Value* count = builder_.CreateUDiv(bytes, i64(size));
  return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, count, to);
}

// The elements in front of the first line, in masked vectors. The insertion point is in the preheader without a
// terminator, and then in a block where full steps begin.
void KernelEmitter::emit_first_line(const ir::Loop& loop, Value* elements, bool runs) {
  BasicBlock *preheader = builder_.GetInsertBlock(), *part = block("part"), *aligned = block("aligned");
  const int copies = vector_->copies;
  vector_->alignment = 0;
  builder_.CreateBr(part);
  open_frame(loop, preheader, runs);
  vector_->depth = depth();
  builder_.SetInsertPoint(part);
  emit_masked_rest(loop, i64(0), part, elements, aligned);
  vector_->mask = vector_->remaining = nullptr;
  vector_->copies = copies;
  vector_->at_line = true;
  aligned->moveAfter(builder_.GetInsertBlock());
  builder_.SetInsertPoint(aligned);
}

// Whether an iteration may run twice: what it reads is in no result. An operand may lie in the memory of a result if it
// is read nowhere but where the result is written (passes/schedule/plan_buffers.cpp).
bool KernelEmitter::may_repeat(const ir::Body& body) const {
  if (!passes::is_straight_line(body)) return false;
  std::vector<const Dim*> written;
  for (const ir::Instr& i : body)
    if (const auto* s = std::get_if<ir::StoreInstr>(&i.node)) {
      if (s->buffer >= kernel_.buffers.size() || kernel_.buffer(s->buffer).read) return false;
      written.push_back(&s->index);
    }
  std::set<uint32_t> apart,
      beside;  // operands that are read elsewhere, and those that are read where a result is written
  for (const ir::Instr& i : body) {
    const auto* l = std::get_if<ir::LoadInstr>(&i.node);
    if (!l) continue;
    if (l->buffer >= kernel_.buffers.size() || kernel_.buffer(l->buffer).written) return false;
    const bool there = std::any_of(written.begin(), written.end(), [&](const Dim* d) { return *d == l->index; });
    (there ? beside : apart).insert(l->buffer);
  }
  return std::includes(apart.begin(), apart.end(), beside.begin(), beside.end());
}

// The iterations from `start` to `to`, fewer than a vector, in the last full vector. The insertion point is in front.
void KernelEmitter::emit_last_vectors(const ir::Loop& loop, Value* start, Value* to, BasicBlock* after) {
  BasicBlock* last = block("last");
  builder_.CreateCondBr(builder_.CreateICmpSLT(start, to), last, after);
  builder_.SetInsertPoint(last);
  emit_last_vector(loop, builder_.CreateSub(to, i64(vector_->width)));
  builder_.CreateBr(after);
}

// The iterations of one step that begins at `base`, which is no multiple of the width.
void KernelEmitter::emit_last_vector(const ir::Loop& loop, Value* base) {
  if (vector_->rows.empty()) vector_->copies = 1;
  vector_->base = base;
  vector_->alignment = 0;
  vector_->shifted = true;
  emit_loop_body(loop);
}

}  // namespace frit::codegen
