// Accumulators: identities, combining, and loops that deal their iterations to lanes (ir/kernel/kernel.h,
// ir/graph/graph.h).
#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>

#include <limits>

#include "codegen/llvm/emitter.h"

namespace frit::codegen {

using ir::Accumulator;
using ir::Combine;
using llvm::BasicBlock;
using llvm::Value;

namespace {

bool is_arg(const Accumulator& acc) { return acc.combine == Combine::ArgMax || acc.combine == Combine::ArgMin; }

}  // namespace

// Whether every order of accumulation gives the same bits.
bool KernelEmitter::order_free(const Accumulator& acc) const { return !is_float(acc.type) && !is_arg(acc); }

bool KernelEmitter::accumulates_vectors(const Accumulator& acc) const {
  if (!vector_) return false;
  return vector_->varying[acc.value] || (acc.position != ir::kNoReg && vector_->varying[acc.position]);
}

KernelEmitter::State KernelEmitter::identity(const Accumulator& acc, bool wide) {
  State s;
  s.value = constant(acc.type, ir::combine_identity(acc.combine, acc.type));
  if (is_arg(acc)) s.position = i64(std::numeric_limits<int64_t>::max());
  if (wide) {
    s.value = splat(s.value, 0);
    if (s.position) s.position = splat(s.position, 0);
  }
  return s;
}

KernelEmitter::State KernelEmitter::combine(const Accumulator& acc, const State& a, const State& b) {
  State s;
  const bool real = is_float(acc.type);
  switch (acc.combine) {
    case Combine::Sum:
      s.value = real ? builder_.CreateFAdd(a.value, b.value) : builder_.CreateAdd(a.value, b.value);
      return s;
    case Combine::Prod:
      s.value = real ? builder_.CreateFMul(a.value, b.value) : builder_.CreateMul(a.value, b.value);
      return s;
    case Combine::And: s.value = builder_.CreateAnd(a.value, b.value); return s;
    case Combine::Or: s.value = builder_.CreateOr(a.value, b.value); return s;
    case Combine::Max: s.value = min_max(true, acc.type, a.value, b.value); return s;
    case Combine::Min: s.value = min_max(false, acc.type, a.value, b.value); return s;
    case Combine::ArgMax:
    case Combine::ArgMin: break;
  }
  // b wins if it is more extreme, or equally extreme at a lower position; NaN is the extreme.
  auto op = acc.combine == Combine::ArgMax ? ir::ScalarOp::Gt : ir::ScalarOp::Lt;
  Value* better = scalar_op(op, bool_, acc.type, {b.value, a.value});
  Value* same = scalar_op(ir::ScalarOp::Eq, bool_, acc.type, {b.value, a.value});
  if (real) {
    Value* a_nan = builder_.CreateFCmpUNO(a.value, a.value);
    Value* b_nan = builder_.CreateFCmpUNO(b.value, b.value);
    better = builder_.CreateOr(better, builder_.CreateAnd(b_nan, builder_.CreateNot(a_nan)));
    same = builder_.CreateOr(same, builder_.CreateAnd(b_nan, a_nan));
  }
  Value* earlier = builder_.CreateICmpSLT(b.position, a.position);
  return choose(builder_.CreateOr(better, builder_.CreateAnd(same, earlier)), b, a);
}

KernelEmitter::State KernelEmitter::choose(Value* mask, const State& a, const State& b) {
  State s;
  s.value = builder_.CreateSelect(mask, a.value, b.value);
  if (a.position) s.position = builder_.CreateSelect(mask, a.position, b.position);
  return s;
}

// The state that the body computed for `acc` in copy `copy`.
KernelEmitter::State KernelEmitter::read(const Accumulator& acc, int copy, bool wide) {
  State s;
  s.value = get(reg(acc.value), copy, wide);
  if (is_arg(acc)) s.position = get(reg(acc.position), copy, wide);
  return s;
}

void KernelEmitter::define_result(const Accumulator& acc, llvm::ArrayRef<State> states, bool wide) {
  Val v;
  v.varying = wide;
  v.depth = depth();
  for (const State& s : states) v.copies.push_back(is_arg(acc) ? s.position : s.value);
  define(acc.result, std::move(v));
  defined_[acc.result] = true;
}

KernelEmitter::States KernelEmitter::state_phis(const States& start, BasicBlock* from) {
  States phis;
  auto phi = [&](Value* v) -> Value* {
    if (!v) return nullptr;
    llvm::PHINode* p = builder_.CreatePHI(v->getType(), 2);
    p->addIncoming(v, from);
    return p;
  };
  for (const State& s : start) {
    State n;
    n.value = phi(s.value);
    n.position = phi(s.position);
    phis.push_back(n);
  }
  return phis;
}

void KernelEmitter::add_incoming(const States& phis, const States& values, BasicBlock* from) {
  for (size_t i = 0; i < phis.size(); ++i) {
    llvm::cast<llvm::PHINode>(phis[i].value)->addIncoming(values[i].value, from);
    if (phis[i].position) llvm::cast<llvm::PHINode>(phis[i].position)->addIncoming(values[i].position, from);
  }
}

// Folds vectors of lanes, each of an accumulator of one kind, until one lane of each is left: lane i takes lane
// i + width / 2, and so on. The halves of two vectors fill one, so that a few accumulators take as many steps as one.
KernelEmitter::States KernelEmitter::fold_vectors(const Accumulator& acc, States vectors, int width) {
  const size_t count = vectors.size();
  const auto half = [&](Value* a, Value* b, int lanes, int from) -> Value* {
    if (!a) return nullptr;
    llvm::SmallVector<int, 64> pick;
    const int held = static_cast<int>(llvm::cast<llvm::FixedVectorType>(a->getType())->getNumElements());
    for (int i = 0; i < (b ? 2 * held : held); ++i)
      if (i % lanes / (lanes / 2) == from) pick.push_back(i);
    return b ? builder_.CreateShuffleVector(a, b, pick) : builder_.CreateShuffleVector(a, pick);
  };
  for (int lanes = width; lanes > 1; lanes /= 2) {
    States next;
    for (size_t i = 0; i < vectors.size(); ++i) {
      const State a = vectors[i];
      State b;
      if (i + 1 < vectors.size() && vectors[i + 1].value->getType() == a.value->getType()) b = vectors[++i];
      // One after the other: the order of arguments is the host compiler's choice, and the code is the same with each.
      const State low{half(a.value, b.value, lanes, 0), half(a.position, b.position, lanes, 0)};
      const State high{half(a.value, b.value, lanes, 1), half(a.position, b.position, lanes, 1)};
      next.push_back(combine(acc, low, high));
    }
    vectors = std::move(next);
  }
  States out;
  for (const State& v : vectors) {
    const auto held = llvm::cast<llvm::FixedVectorType>(v.value->getType())->getNumElements();
    for (unsigned i = 0; i < held && out.size() < count; ++i)
      out.push_back({builder_.CreateExtractElement(v.value, i64(i)),
                     v.position ? builder_.CreateExtractElement(v.position, i64(i)) : nullptr});
  }
  return out;
}

// The results of a lane loop from the states of its accumulators: vectors side by side first, then the lanes.
KernelEmitter::States KernelEmitter::fold_sums(const ir::Loop& loop, const States& sums) {
  const size_t accumulators = loop.accumulators.size(), count = sums.size() / accumulators;
  States parts;
  for (size_t a = 0; a < accumulators; ++a) {
    States part(sums.begin() + static_cast<long>(a * count), sums.begin() + static_cast<long>((a + 1) * count));
    for (size_t n = part.size() / 2; n >= 1; n /= 2)
      for (size_t k = 0; k < n; ++k) part[k] = combine(loop.accumulators[a], part[k], part[k + n]);
    parts.push_back(part[0]);
  }
  States results(accumulators);
  for (size_t a = 0; a < accumulators; ++a) {
    const Accumulator& acc = loop.accumulators[a];
    if (results[a].value) continue;
    std::vector<size_t> alike;
    for (size_t b = a; b < accumulators; ++b)
      if (loop.accumulators[b].combine == acc.combine && loop.accumulators[b].type == acc.type) alike.push_back(b);
    States together;
    for (size_t b : alike) together.push_back(parts[b]);
    const States folded = fold_vectors(acc, std::move(together), vector_->width);
    for (size_t b = 0; b < alike.size(); ++b) results[alike[b]] = folded[b];
  }
  return results;
}

// A vector loop whose iteration i goes to accumulator i mod lanes. A full step takes one iteration for each lane, in
// vectors side by side. The last, partial step goes through the stack one masked vector at a time and leaves the other
// lanes unchanged.
void KernelEmitter::emit_lane_loop(const ir::Loop& loop, int lanes, Value* to) {
  VectorScope& scope = *vector_;
  const int count = lanes / scope.width;
  const size_t accumulators = loop.accumulators.size();
  const bool runs = facts_.range(loop.extent).low >= 1;
  const bool whole = facts_.equal(mod(loop.extent, int64_t{lanes}), 0) == Tri::Yes;
  BasicBlock* before = builder_.GetInsertBlock();
  BasicBlock* preheader = block("preheader");
  BasicBlock* full = block(loop.var.c_str());
  BasicBlock* rest = block("rest");
  BasicBlock* after = block("after");
  if (runs)
    builder_.CreateBr(preheader);
  else
    builder_.CreateCondBr(builder_.CreateICmpSLT(i64(0), to), preheader, after);

  builder_.SetInsertPoint(preheader);
  States start;
  for (const Accumulator& acc : loop.accumulators)
    for (int c = 0; c < count; ++c) start.push_back(identity(acc, true));
  Value* last = builder_.CreateSub(to, i64(lanes), "last");
  if (whole)
    builder_.CreateBr(full);
  else
    builder_.CreateCondBr(builder_.CreateICmpSLE(i64(0), last), full, rest);
  open_frame(loop, preheader, runs);
  scope.depth = depth();

  Value* next = nullptr;
  const LaneSteps steps{lanes, last, preheader, full, rest};
  States taken =
      finds_by_steps(loop, lanes) ? emit_arg_steps(loop, steps, &next) : emit_lane_steps(loop, steps, start, &next);
  BasicBlock* full_end = builder_.GetInsertBlock();

  builder_.SetInsertPoint(rest);
  States sums = taken;
  if (!whole) {
    sums = state_phis(taken, full_end);
    add_incoming(sums, start, preheader);
    llvm::PHINode* begin = builder_.CreatePHI(builder_.getInt64Ty(), 2);
    begin->addIncoming(next, full_end);
    begin->addIncoming(i64(0), preheader);
    sums = knows_rest(loop, lanes) ? emit_known_lane_rest(loop, std::move(sums), lanes)
                                   : emit_lane_rest(loop, sums, begin, to, count);
  }
  frames_.pop_back();

  States results = fold_sums(loop, sums);
  BasicBlock* done = builder_.GetInsertBlock();
  builder_.CreateBr(after);
  after->moveAfter(done);
  builder_.SetInsertPoint(after);
  if (!runs) {
    States none;
    for (const Accumulator& acc : loop.accumulators) none.push_back(identity(acc, false));
    results = state_phis(results, done);
    add_incoming(results, none, before);
  }
  for (size_t a = 0; a < accumulators; ++a) define_result(loop.accumulators[a], results[a], false);
}

// The iterations from `begin`, fewer than a full step. The accumulators are spilled to the stack, so that the body is
// emitted once.
KernelEmitter::States KernelEmitter::emit_lane_rest(const ir::Loop& loop, const States& sums, Value* begin, Value* to,
                                                    int count) {
  VectorScope& scope = *vector_;
  BasicBlock* entry = builder_.GetInsertBlock();
  BasicBlock* spill = block("spill");
  BasicBlock* masked = block("masked");
  BasicBlock* reload = block("reload");
  BasicBlock* folded = block("fold");
  builder_.CreateCondBr(builder_.CreateICmpSLT(begin, to), spill, folded);

  builder_.SetInsertPoint(spill);
  std::vector<LaneMemory> memory;
  for (size_t a = 0; a < loop.accumulators.size(); ++a) {
    memory.push_back(lane_memory(sums[a * static_cast<size_t>(count)], count));
    for (int c = 0; c < count; ++c)
      write_lanes(memory[a], i64(c), sums[a * static_cast<size_t>(count) + static_cast<size_t>(c)]);
  }
  builder_.CreateBr(masked);

  builder_.SetInsertPoint(masked);
  llvm::PHINode* j = builder_.CreatePHI(builder_.getInt64Ty(), 2, loop.var);
  llvm::PHINode* k = builder_.CreatePHI(builder_.getInt64Ty(), 2);
  j->addIncoming(begin, spill);
  k->addIncoming(i64(0), spill);
  scope.copies = 1;
  scope.base = j;
  set_mask(builder_.CreateSub(to, j, "remaining"));
  Value* mask = scope.mask;
  emit_skipping(loop);
  for (size_t a = 0; a < loop.accumulators.size(); ++a) {
    State old = read_lanes(memory[a], k);
    State taken = combine(loop.accumulators[a], old, read(loop.accumulators[a], 0, true));
    write_lanes(memory[a], k, choose(mask, taken, old));
  }
  Value* following = builder_.CreateAdd(j, i64(scope.width), "", true, true);
  BasicBlock* end = builder_.GetInsertBlock();
  j->addIncoming(following, end);
  k->addIncoming(builder_.CreateAdd(k, i64(1), "", true, true), end);
  builder_.CreateCondBr(builder_.CreateICmpSLT(following, to), masked, reload);

  builder_.SetInsertPoint(reload);
  States read_back;
  for (size_t a = 0; a < loop.accumulators.size(); ++a)
    for (int c = 0; c < count; ++c) read_back.push_back(read_lanes(memory[a], i64(c)));
  builder_.CreateBr(folded);
  builder_.SetInsertPoint(folded);
  States result = state_phis(read_back, reload);
  add_incoming(result, sums, entry);
  return result;
}

LaneMemory KernelEmitter::lane_memory(const State& like, int count) {
  LaneMemory m;
  m.value_type = like.value->getType();
  m.value = stack_vector(llvm::ArrayType::get(m.value_type, static_cast<unsigned>(count)));
  if (like.position) {
    m.position_type = like.position->getType();
    m.position = stack_vector(llvm::ArrayType::get(m.position_type, static_cast<unsigned>(count)));
  }
  return m;
}

KernelEmitter::State KernelEmitter::read_lanes(const LaneMemory& m, Value* at) {
  State s;
  s.value = builder_.CreateLoad(m.value_type, builder_.CreateInBoundsGEP(m.value_type, m.value, at));
  if (m.position)
    s.position = builder_.CreateLoad(m.position_type, builder_.CreateInBoundsGEP(m.position_type, m.position, at));
  return s;
}

void KernelEmitter::write_lanes(const LaneMemory& m, Value* at, const State& s) {
  builder_.CreateStore(s.value, builder_.CreateInBoundsGEP(m.value_type, m.value, at));
  if (m.position) builder_.CreateStore(s.position, builder_.CreateInBoundsGEP(m.position_type, m.position, at));
}

// The same meaning as emit_lane_loop for a loop that is not a vector loop: one iteration at a time, with the lanes'
// accumulators on the stack. Inside a vector loop each accumulator is a vector. Of a loop known to be short, each
// iteration has a lane to itself, and the lanes past its end are left out.
void KernelEmitter::emit_dealt_loop(const ir::Loop& loop, Value* to) {
  const int count = copies();
  const bool is_short = loop.extent.is_const() && loop.extent.value() > 0 && loop.extent.value() <= loop.lanes;
  const int lanes = is_short ? static_cast<int>(loop.extent.value()) : loop.lanes;
  std::vector<LaneMemory> memory;  // [accumulator * copies + copy]
  std::vector<bool> wide;
  for (const Accumulator& acc : loop.accumulators) {
    wide.push_back(accumulates_vectors(acc));
    State start = identity(acc, wide.back());
    for (int c = 0; c < (wide.back() ? count : 1); ++c) {
      memory.push_back(lane_memory(start, lanes));
      for (int lane = 0; lane < lanes && !is_short; ++lane) write_lanes(memory.back(), i64(lane), start);
    }
  }
  const OpenLoop open = open_serial(loop, to);
  names_[loop.var] = uniform(open.i, depth());
  emit_loop_body(loop);
  if (vector_) emit_prefetches(loop);
  Value* lane = is_short ? open.i : builder_.CreateURem(open.i, i64(lanes));
  for (size_t a = 0, m = 0; a < loop.accumulators.size(); ++a) {
    for (int c = 0; c < (wide[a] ? count : 1); ++c, ++m) {
      const Accumulator& acc = loop.accumulators[a];
      const State before = is_short ? identity(acc, wide[a]) : read_lanes(memory[m], lane);
      write_lanes(memory[m], lane, combine(acc, before, read(acc, c, wide[a])));
    }
  }
  close_serial(open, 1, to);
  for (size_t a = 0, m = 0; a < loop.accumulators.size(); ++a) {
    States results;
    for (int c = 0; c < (wide[a] ? count : 1); ++c, ++m) {
      States states;
      for (int l = 0; l < lanes; ++l) states.push_back(read_lanes(memory[m], i64(l)));
      results.push_back(fold_lanes(loop.accumulators[a], std::move(states), loop.lanes));
    }
    define_result(loop.accumulators[a], results, wide[a]);
  }
}

// Folds the states of `lanes` lanes by halves. Those past the last given one hold the identity, which changes no state
// that a value was combined with.
KernelEmitter::State KernelEmitter::fold_lanes(const Accumulator& acc, States states, int lanes) {
  for (size_t half = static_cast<size_t>(lanes) / 2; half >= 1; half /= 2)
    for (size_t j = 0; j < half && j + half < states.size(); ++j) states[j] = combine(acc, states[j], states[j + half]);
  return states[0];
}

}  // namespace frit::codegen
