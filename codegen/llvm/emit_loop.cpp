// Loops: serial loops, and vector loops as full steps and a masked remainder.
#include <llvm/IR/Constants.h>

#include <algorithm>
#include <numeric>

#include "codegen/llvm/emitter.h"

namespace frit::codegen {

using llvm::BasicBlock;
using llvm::Value;

namespace {

// The vectors per step of the smaller step that runs between the large steps and the masked remainder.
constexpr int kSmallUnroll = 4;
// Instructions of a body, for one lane, from which on the mask of each step costs nothing beside it.
constexpr int64_t kLongBody = 1024;
// Iterations at the end of a loop that are worth code of their own.
constexpr int64_t kMaxAtEnd = 2;

void collect_stores(const ir::Body& body, std::set<uint32_t>& buffers) {
  for (const ir::Instr& instr : body) {
    if (const auto* store = std::get_if<ir::StoreInstr>(&instr.node))
      buffers.insert(store->buffer);
    else if (const auto* loop = std::get_if<ir::Loop>(&instr.node))
      collect_stores(loop->body, buffers);
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

// Records which registers and bindings vary with scope.var in `body`. Returns false if a loop's trip count varies: such
// a body cannot be widened.
bool KernelEmitter::analyse(const ir::Body& body, VectorScope& scope) const {
  auto varies_reg = [&](ir::Reg r) { return r != ir::kNoReg && scope.varying[r]; };
  for (const ir::Instr& instr : body) {
    if (const auto* scalar = std::get_if<ir::ScalarInstr>(&instr.node)) {
      scope.varying[scalar->result] =
          std::any_of(scalar->args.begin(), scalar->args.begin() + ir::arity(scalar->op), varies_reg);
    } else if (const auto* index = std::get_if<ir::IndexInstr>(&instr.node)) {
      scope.varying[index->result] = varies(index->index, scope);
    } else if (const auto* bind = std::get_if<ir::BindInstr>(&instr.node)) {
      if (varies_reg(bind->value)) scope.varying_names.insert(bind->name);
    } else if (const auto* load = std::get_if<ir::LoadInstr>(&instr.node)) {
      scope.varying[load->result] = varies(load->index, scope) || varies_reg(load->mask);
    } else if (const auto* loop = std::get_if<ir::Loop>(&instr.node)) {
      // A carry that stays the same in all lanes is rare; it costs no more as a vector.
      for (const ir::Carry& c : loop->carries) scope.varying[c.value] = true;
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
    // The order is free: deal the iterations to as many accumulators as a step has lanes.
    lanes = width;
    while (lanes < width * unroll && lanes < 256) lanes *= 2;
  }
  if (lanes > 0) width = std::min(width, lanes);
  const bool fits = !vector_ && width > 1 && (loop.accumulators.empty() || (lanes > 0 && lanes % width == 0));
  facts_.set_loop(loop.var, loop.extent);
  if (!loop.carries.empty() && lanes > 0) return emit_carry_loop(loop, to);
  if (parallel && width == 0) {
    plan_prefetches(loop);
    plan_block_prefetches(loop);
    plan_run_prefetches(loop);
  }

  VectorScope scope;
  scope.var = loop.var;
  scope.width = width;
  // A chunk of a parallel loop may begin anywhere.
  scope.alignment = parallel ? 0 : width;
  scope.varying.assign(regs_.size(), false);
  if (fits && analyse(loop.body, scope)) {
    vector_ = &scope;
    if (finds_in_row(loop, lanes)) {
      emit_arg_row(loop, lanes);
    } else if (!loop.accumulators.empty()) {
      emit_lane_loop(loop, lanes, to);
    } else {
      unroll = vectors_at_once(loop, unroll);
      Dim step = int64_t{width} * unroll;
      Value* unaligned = elements_to_line(loop, to);
      const bool whole = !parallel && !unaligned && facts_.equal(mod(loop.extent, step), 0) == Tri::Yes;
      emit_on_masks(parallel ? std::vector<ir::Reg>() : shared_masks(loop), [&] {
        if (!whole && !unaligned && knows_rest(loop, step.value()))
          emit_known_vector_loop(loop, unroll);
        else if (!whole && unroll == 1 && code_size(loop.body) > kLongBody)
          emit_long_loop(loop, from, to);
        else
          emit_vector_loop(loop, unroll, from, to, whole, unaligned);
      });
    }
    vector_ = nullptr;
  } else if (emit_unrolled(loop) || emit_tiled(loop, to)) {
    // done
  } else if (loop.lanes > 0 && !loop.accumulators.empty() && !keeps_numbers(loop)) {
    emit_dealt_loop(loop, to);
  } else if (parallel || !emit_rows(loop, to)) {
    emit_serial_loop(loop, from, to);
  }
}

// The last iterations of a loop under a lane mask before which the loop reads whole vectors: elements behind the active
// lanes of those lie in front of elements that later iterations read. 0 where that is not known.
int64_t KernelEmitter::iterations_at_end(const ir::Loop& loop) const {
  if (!vector_ || !vector_->mask || loop.kind != ir::LoopKind::Serial || !loop.carries.empty()) return 0;
  const auto* known = llvm::dyn_cast_or_null<llvm::ConstantInt>(vector_->remaining);
  const int64_t idle = vector_->width - (known ? known->getSExtValue() : 1);
  int64_t last = 0;
  for (const ir::Instr& i : loop.body) {
    if (std::holds_alternative<ir::Loop>(i.node) || std::holds_alternative<ir::BindInstr>(i.node)) return 0;
    const auto* load = std::get_if<ir::LoadInstr>(&i.node);
    if (!load || !load->index.uses(vector_->var)) continue;
    const auto along = load->index.affine_in(loop.var);
    if (load->mask != ir::kNoReg || !along || !along->coefficient.is_const() || along->coefficient.value() < 1)
      return 0;
    last = std::max(last, (idle + along->coefficient.value() - 1) / along->coefficient.value());
  }
  return last <= kMaxAtEnd && facts_.range(loop.extent).low > last ? last : 0;
}

// for (i = from; i < to; ++i), with accumulators combined in order.
void KernelEmitter::emit_serial_loop(const ir::Loop& loop, Value* from, Value* to) {
  const bool runs = loop.kind == ir::LoopKind::Serial && facts_.range(loop.extent).low >= 1;
  const int64_t at_end = iterations_at_end(loop);
  Value* all = to;
  if (at_end > 0) to = builder_.CreateSub(to, i64(at_end));
  const SerialStates serial = serial_states(loop);
  if (vector_) vector_->reads_on = at_end > 0;
  States results = take_serial(serial, serial.start, from, to, runs);
  if (vector_) vector_->reads_on = false;
  if (at_end > 0) results = finish_serial(serial, std::move(results), all, at_end);
  define_serial(serial, std::move(results), runs ? nullptr : builder_.CreateICmpSLT(from, to));
}

// The states behind the iterations of a serial loop from `from` to `to`, in front of which they are `start`. `runs`:
// there surely is one.
KernelEmitter::States KernelEmitter::take_serial(const SerialStates& serial, const States& start, Value* from,
                                                 Value* to, bool runs) {
  const ir::Loop& loop = serial.loop;
  BasicBlock* before = builder_.GetInsertBlock();
  BasicBlock* preheader = block("preheader");
  BasicBlock* body = block(loop.var.c_str());
  BasicBlock* after = runs ? nullptr : block("after");
  if (runs)
    builder_.CreateBr(preheader);
  else
    builder_.CreateCondBr(builder_.CreateICmpSLT(from, to), preheader, after);
  builder_.SetInsertPoint(preheader);
  builder_.CreateBr(body);
  builder_.SetInsertPoint(body);
  llvm::PHINode* i = builder_.CreatePHI(builder_.getInt64Ty(), 2, loop.var);
  i->addIncoming(from, preheader);
  const States phis = state_phis(start, preheader);

  open_frame(loop, preheader, runs);
  names_[loop.var] = uniform(i, depth());
  open_carries(loop, preheader);
  if (loop.kind == ir::LoopKind::Serial) plan_piece_prefetches(loop);
  emit_loop_body(loop);
  if (vector_) emit_prefetches(loop);
  std::vector<Value*> carried = carried_values(loop);
  States next = phis;
  combine_serial(serial, next, i);
  frames_.pop_back();

  BasicBlock* latch = builder_.GetInsertBlock();
  Value* following = builder_.CreateAdd(i, i64(1), "", true, true);
  i->addIncoming(following, latch);
  add_incoming(phis, next, latch);
  add_carried(loop, carried, latch);
  if (!after) after = block("after");
  builder_.CreateCondBr(builder_.CreateICmpSLT(following, to), body, after);
  after->moveAfter(latch);
  builder_.SetInsertPoint(after);
  if (runs) return next;
  States results = state_phis(next, latch);
  add_incoming(results, start, before);
  return results;
}

KernelEmitter::SerialStates KernelEmitter::serial_states(const ir::Loop& loop) {
  SerialStates serial{loop, {}, {}, {}};
  for (const ir::Accumulator& acc : loop.accumulators) {
    serial.wide.push_back(accumulates_vectors(acc));
    serial.positions.push_back(growing_position(loop, acc));
    for (int c = 0; c < (serial.wide.back() ? copies() : 1); ++c)
      serial.start.push_back(serial.positions.back() ? numbered_start(acc, facts_.range(loop.extent).high)
                                                     : identity(acc, serial.wide.back()));
  }
  return serial;
}

// Combines the values of iteration `i` into the states.
void KernelEmitter::combine_serial(const SerialStates& serial, States& states, Value* i) {
  for (size_t a = 0, s = 0; a < serial.loop.accumulators.size(); ++a) {
    const ir::Accumulator& acc = serial.loop.accumulators[a];
    for (int c = 0; c < (serial.wide[a] ? copies() : 1); ++c, ++s) {
      const State own = read(acc, c, serial.wide[a]);
      states[s] = serial.positions[a] ? combine_numbered(acc, states[s], own.value, i) : combine(acc, states[s], own);
    }
  }
}

// `ran`: whether there was an iteration; null where there surely was.
void KernelEmitter::define_serial(const SerialStates& serial, States results, Value* ran) {
  for (size_t a = 0, s = 0; a < serial.loop.accumulators.size(); ++a) {
    const size_t n = serial.wide[a] ? static_cast<size_t>(copies()) : 1;
    if (serial.positions[a]) number_to_position(llvm::MutableArrayRef(results).slice(s, n), *serial.positions[a], ran);
    define_result(serial.loop.accumulators[a], llvm::ArrayRef(results).slice(s, n), serial.wide[a]);
    s += n;
  }
}

// The last `iterations` of a serial loop up to `to`, from the states before them.
KernelEmitter::States KernelEmitter::finish_serial(const SerialStates& serial, States states, Value* to,
                                                   int64_t iterations) {
  for (int64_t left = iterations; left > 0; --left) {
    Value* i = builder_.CreateSub(to, i64(left));
    names_[serial.loop.var] = uniform(i, depth());
    emit_loop_body(serial.loop);
    combine_serial(serial, states, i);
  }
  return states;
}

// The running values of a loop, as one phi each, or one for each copy of a vector loop around it.
void KernelEmitter::open_carries(const ir::Loop& loop, BasicBlock* preheader) {
  for (const ir::Carry& carry : loop.carries) {
    Val v;
    v.depth = depth();
    v.varying = vector_ != nullptr;
    auto* initial = llvm::cast<llvm::Constant>(constant(carry.type, carry.initial));
    if (v.varying)
      initial =
          llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(static_cast<unsigned>(vector_->width)), initial);
    for (int c = 0; c < copies(); ++c) {
      llvm::PHINode* phi = builder_.CreatePHI(initial->getType(), 2, "carry");
      phi->addIncoming(initial, preheader);
      v.copies.push_back(phi);
    }
    define(carry.value, std::move(v));
  }
}

// The values that the next iteration starts from. The insertion point is at the end of the body.
std::vector<Value*> KernelEmitter::carried_values(const ir::Loop& loop) {
  std::vector<Value*> values;
  for (const ir::Carry& carry : loop.carries)
    for (int c = 0; c < copies(); ++c) values.push_back(get(reg(carry.next), c, vector_ != nullptr));
  return values;
}

void KernelEmitter::add_carried(const ir::Loop& loop, const std::vector<Value*>& values, BasicBlock* latch) {
  size_t i = 0;
  for (const ir::Carry& carry : loop.carries)
    for (Value* phi : regs_[carry.value].copies) llvm::cast<llvm::PHINode>(phi)->addIncoming(values[i++], latch);
}

// Full steps of `unroll` vectors, then one masked vector at a time. `whole`: there is no remainder. `unaligned`: the
// elements in front of the full steps, or null.
void KernelEmitter::emit_vector_loop(const ir::Loop& loop, int unroll, Value* from, Value* to, bool whole,
                                     Value* unaligned) {
  VectorScope& scope = *vector_;
  const bool runs = loop.kind == ir::LoopKind::Serial && facts_.range(loop.extent).low >= 1;
  const bool rows = !scope.rows.empty();
  BasicBlock* preheader = block("preheader");
  BasicBlock* after = block("after");
  if (runs)
    builder_.CreateBr(preheader);
  else
    builder_.CreateCondBr(builder_.CreateICmpSLT(from, to), preheader, after);
  builder_.SetInsertPoint(preheader);
  const std::optional<Inside> inside = find_inside(loop);

  // Iterations left over by large steps run in smaller steps first.
  struct Level {
    int unroll;
    Value* step;
    Value* last;  // the last full step begins here or before
  };
  llvm::SmallVector<Level, 2> levels;
  const bool small = !whole && !ends_alike(loop, int64_t{scope.width} * unroll);
  for (int u = unroll; u > 0; u = small && u > kSmallUnroll ? kSmallUnroll : 0) {
    Value* step = i64(int64_t{scope.width} * u);
    Value* last = builder_.CreateSub(to, step, "last");
    if (!scope.row_numbers.empty())  // if rows are missing, no step is full
      last = builder_.CreateSelect(builder_.CreateICmpSGE(scope.rows_left, i64(scope.copies)), last,
                                   builder_.CreateSub(from, i64(1)));
    levels.push_back({u, step, last});
  }
  if (unaligned) emit_first_line(loop, unaligned, runs);
  Value* start = unaligned ? unaligned : from;
  BasicBlock* before = builder_.GetInsertBlock();
  BasicBlock* full = block(loop.var.c_str());
  BasicBlock* rest = whole ? after : block("rest");
  if (whole)
    builder_.CreateBr(full);
  else
    builder_.CreateCondBr(builder_.CreateICmpSLE(start, levels[0].last), full, rest);
  if (!unaligned) open_frame(loop, preheader, runs);
  scope.depth = depth();

  for (size_t level = 0; level < levels.size(); ++level) {
    const auto& [copies, step, last] = levels[level];
    if (level > 0) {
      full = block(loop.var.c_str());
      rest = block("rest");
      builder_.CreateCondBr(builder_.CreateICmpSLE(start, last), full, rest);
    }
    builder_.SetInsertPoint(full);
    llvm::PHINode* i = builder_.CreatePHI(builder_.getInt64Ty(), 2, loop.var);
    i->addIncoming(start, before);
    if (!rows) scope.copies = copies;
    scope.base = i;
    // Steps of the second level begin behind those of the first.
    if (scope.alignment > 0)
      scope.alignment = std::gcd(int64_t{scope.width} * levels[0].unroll, int64_t{scope.width} * copies);
    emit_step(loop, inside, i, int64_t{scope.width} * copies);
    emit_prefetches(loop);
    Value* next = builder_.CreateAdd(i, step, "", true, true);
    BasicBlock* full_end = builder_.GetInsertBlock();
    i->addIncoming(next, full_end);
    builder_.CreateCondBr(builder_.CreateICmpSLE(next, last), full, rest);
    if (whole) break;
    builder_.SetInsertPoint(rest);
    llvm::PHINode* left = builder_.CreatePHI(builder_.getInt64Ty(), 2);
    left->addIncoming(start, before);
    left->addIncoming(next, full_end);
    start = left;
    before = rest;
  }

  if (!whole && scope.repeats)
    emit_last_vectors(loop, start, to, after);
  else if (!whole)
    small ? emit_masked_rest(loop, start, rest, to, after) : emit_known_end(loop, unroll, start, to, after);
  frames_.pop_back();
  after->moveAfter(builder_.GetInsertBlock());
  builder_.SetInsertPoint(after);
}

// One copy of the code for all steps, full or not: half the time of compiling.
void KernelEmitter::emit_long_loop(const ir::Loop& loop, Value* from, Value* to) {
  const bool runs = loop.kind == ir::LoopKind::Serial && facts_.range(loop.extent).low >= 1;
  BasicBlock *preheader = block("preheader"), *after = block("after");
  if (runs)
    builder_.CreateBr(preheader);
  else
    builder_.CreateCondBr(builder_.CreateICmpSLT(from, to), preheader, after);
  builder_.SetInsertPoint(preheader);
  open_frame(loop, preheader, runs);
  vector_->depth = depth();
  emit_masked_rest(loop, from, preheader, to, after);
  frames_.pop_back();
  after->moveAfter(builder_.GetInsertBlock());
  builder_.SetInsertPoint(after);
}

// The iterations from `start` to `to`, one masked vector at a time. The insertion point is in `before`.
void KernelEmitter::emit_masked_rest(const ir::Loop& loop, Value* start, BasicBlock* before, Value* to,
                                     BasicBlock* after) {
  VectorScope& scope = *vector_;
  BasicBlock* masked = block("masked");
  builder_.CreateCondBr(builder_.CreateICmpSLT(start, to), masked, after);
  builder_.SetInsertPoint(masked);
  llvm::PHINode* i = builder_.CreatePHI(builder_.getInt64Ty(), 2, loop.var);
  i->addIncoming(start, before);
  if (scope.rows.empty()) scope.copies = 1;
  if (scope.alignment > 0) scope.alignment = scope.width;
  scope.base = i;
  set_mask(builder_.CreateSub(to, i, "remaining"));
  emit_loop_body(loop);
  Value* next = builder_.CreateAdd(i, i64(scope.width), "", true, true);
  i->addIncoming(next, builder_.GetInsertBlock());
  builder_.CreateCondBr(builder_.CreateICmpSLT(next, to), masked, after);
}

KernelEmitter::OpenLoop KernelEmitter::open_serial(const ir::Loop& loop, Value* to) {
  const bool runs = facts_.range(loop.extent).low >= 1;
  BasicBlock* preheader = block("preheader");
  BasicBlock* body = block(loop.var.c_str());
  BasicBlock* after = block("after");
  if (runs)
    builder_.CreateBr(preheader);
  else
    builder_.CreateCondBr(builder_.CreateICmpSLT(i64(0), to), preheader, after);
  builder_.SetInsertPoint(preheader);
  builder_.CreateBr(body);
  builder_.SetInsertPoint(body);
  llvm::PHINode* i = builder_.CreatePHI(builder_.getInt64Ty(), 2, loop.var);
  i->addIncoming(i64(0), preheader);
  open_frame(loop, preheader, runs);
  return {after, i};
}

void KernelEmitter::close_serial(const OpenLoop& open, int64_t step, Value* to) {
  frames_.pop_back();
  Value* next = builder_.CreateAdd(open.i, i64(step), "", true, true);
  open.i->addIncoming(next, builder_.GetInsertBlock());
  builder_.CreateCondBr(builder_.CreateICmpSLT(next, to), open.i->getParent(), open.after);
  open.after->moveAfter(builder_.GetInsertBlock());
  builder_.SetInsertPoint(open.after);
}

}  // namespace frit::codegen
