// Loops of a known trip count without branches: short ones inside of a vector loop, and the remainders of vector loops.
#include <algorithm>

#include "codegen/llvm/emitter.h"
#include "passes/lower/loop_nest.h"

namespace frit::codegen {

using ir::Accumulator;
using llvm::BasicBlock;
using llvm::Value;

namespace {

constexpr int64_t kMaxInstrs = 96;        // of LLVM, roughly
constexpr int64_t kMaxTiledInstrs = 512;  // the same of a loop that is read by tiles
constexpr int64_t kTooMany = 1 << 20;
constexpr int kEnoughAtOnce = 4;  // vectors side by side that hide how long an operation takes

// The instructions of a body: a strided access takes one or two for each lane.
int64_t count_instrs(const ir::Body& body, int lanes) {
  int64_t n = 0;
  for (const ir::Instr& instr : body) {
    if (const auto* loop = std::get_if<ir::Loop>(&instr.node))
      n += loop->extent.is_const() ? loop->extent.value() * count_instrs(loop->body, lanes) : kTooMany;
    else
      n += std::holds_alternative<ir::ScalarInstr>(instr.node) ? 1 : lanes;
  }
  return n;
}

// The same of an iteration of a loop inside of the vector loop. Values that are equal in all lanes do not count: once
// the iteration is known, most are computed above the vector loop. Lanes that lie side by side are an access per copy.
// `work`: instructions of an operation.
int64_t count_instrs(const ir::Body& body, const std::string& var, const std::vector<bool>& varying, int copies,
                     int width, int work) {
  const auto access = [&](const Dim& index) -> int64_t {
    const auto affine = index.affine_in(var);
    return affine && (affine->coefficient.is(0) || affine->coefficient.is(1)) ? copies : int64_t{copies} * width;
  };
  int64_t n = 0;
  for (const ir::Instr& instr : body) {
    if (const auto* loop = std::get_if<ir::Loop>(&instr.node))
      n += loop->extent.is_const() ? loop->extent.value() * count_instrs(loop->body, var, varying, copies, width, work)
                                   : kTooMany;
    else if (const auto* scalar = std::get_if<ir::ScalarInstr>(&instr.node))
      n += varying[scalar->result] ? work : 0;
    else if (const auto* index = std::get_if<ir::IndexInstr>(&instr.node))
      n += varying[index->result] ? copies : 0;
    else if (const auto* load = std::get_if<ir::LoadInstr>(&instr.node))
      n += access(load->index);
    else if (const auto* store = std::get_if<ir::StoreInstr>(&instr.node))
      n += access(store->index);
    else
      n += int64_t{copies} * width;
  }
  return n;
}

// Full steps beyond which the time of the remainder does not matter.
constexpr int64_t kManySteps = 32;
constexpr int64_t kFewColumns = 2;  // vectors of columns that go with the step in front of them
// Instructions of a remainder, for one lane; around loops; and those of the vectors that go through it side by side.
constexpr int64_t kMaxRest = 192, kMaxRestOfLoops = 512, kSideBySide = 256;

// Operations on values of two registers and more from which on four such values at once would leave the registers.
constexpr int64_t kWideWork = 16;
constexpr int kFewAtOnce = 2;
constexpr int kManyRegisters = 64;  // bytes of vectors of which there are 32

// Whether combining the identity with a value is that value. A sum turns -0.0 into +0.0.
bool keeps_first(const Accumulator& acc) { return acc.combine != ir::Combine::Sum || !is_float(acc.type); }

}  // namespace

// Instructions in the code of a body, for one lane, and at least one: of loops over an empty axis, nothing may be left.
// A short loop inside of it counts with all its iterations.
int64_t KernelEmitter::code_size(const ir::Body& body) {
  int64_t n = 0;
  for (const ir::Instr& instr : body) {
    if (const auto* loop = std::get_if<ir::Loop>(&instr.node)) {
      const int64_t size = code_size(loop->body);
      n += loop->extent.is_const() && loop->extent.value() * size <= kMaxInstrs ? loop->extent.value() * size : size;
    } else {
      ++n;
    }
  }
  return std::max<int64_t>(1, n);
}

// The vectors of a step, at most `unroll`. Fewer go at once through a body that computes in wider elements than the
// loop's, as functions of f32 in f64 do. Lanes that are stored one by one take longer than copies could save.
int KernelEmitter::vectors_at_once(const ir::Loop& loop, int unroll) const {
  const auto by_lanes = [&](const ir::Instr& i) {
    const auto* store = std::get_if<ir::StoreInstr>(&i.node);
    if (!store || !varies(store->index)) return false;
    const auto along = store->index.affine_in(loop.var);
    return !along || varies(along->rest);
  };
  if (std::any_of(loop.body.begin(), loop.body.end(), by_lanes)) return 1;
  if (unroll <= kFewAtOnce || features_.vector_bytes >= kManyRegisters) return unroll;
  std::set<size_t> rare;
  for (const Rare& r : rare_work(loop)) rare.insert(r.work.begin(), r.work.end());
  int64_t wide = 0;
  for (size_t i = 0; i < loop.body.size(); ++i) {
    const auto* s = std::get_if<ir::ScalarInstr>(&loop.body[i].node);
    if (s && s->op != ir::ScalarOp::Const && vector_->varying[s->result] && !rare.count(i))
      wide += compute_type(s->type).size() * vector_->width > features_.vector_bytes;
  }
  return wide >= kWideWork ? kFewAtOnce : unroll;
}

// Emits the loop without a branch, and its accumulators in registers. Returns false and emits nothing if the loop is
// too long. An iteration's values belong to the depth around the loop, so that none is taken for another iteration's.
bool KernelEmitter::emit_unrolled(const ir::Loop& loop) {
  if (!vector_ || !loop.extent.is_const() || !loop.carries.empty()) return false;
  const int64_t n = loop.extent.value();
  if (n < 1 || n > kMaxInstrs || (loop.lanes > 0 && n > loop.lanes)) return false;
  const Tiles tiles = find_tiles(loop);
  // Vectors side by side give the processor enough to do at once: such a loop is unrolled only where that is short, or
  // where accumulators would lie in memory.
  const int work = loop.accumulators.empty() && tiles.together == 0 && copies() >= kEnoughAtOnce ? copies() : 1;
  const int64_t instrs = vector_->rows.empty()
                             ? count_instrs(loop.body, vector_->var, vector_->varying, copies(), vector_->width, work)
                             : count_instrs(loop.body, vector_->width * copies());
  if (n * (instrs - saved_by(tiles)) > (tiles.together > 0 ? kMaxTiledInstrs : kMaxInstrs)) return false;
  const size_t accumulators = loop.accumulators.size();
  std::vector<std::vector<States>> states(accumulators);  // by accumulator and copy: one state for each iteration
  std::vector<std::optional<Dim::Affine>> numbers;        // of accumulators that keep the number of an iteration
  for (const Accumulator& acc : loop.accumulators) numbers.push_back(growing_position(loop, acc));
  for (int64_t i = 0; i < n; ++i) {
    emit_tile_iteration(tiles, loop, i);
    for (size_t a = 0; a < accumulators; ++a) {
      const Accumulator& acc = loop.accumulators[a];
      const bool wide = accumulates_vectors(acc), in_order = loop.lanes == 0 || (tiles.together > 0 && order_free(acc));
      states[a].resize(static_cast<size_t>(wide ? copies() : 1));
      for (size_t c = 0; c < states[a].size(); ++c) {
        State s = read(acc, static_cast<int>(c), wide);
        if (numbers[a]) {
          const State& before = i > 0 ? states[a][c].back() : numbered_start(acc, n - 1);
          s = i > 0 ? combine_numbered(acc, before, s.value, i64(i)) : State{s.value, before.position};
          states[a][c].assign(1, s);
          continue;
        }
        if (in_order && i > 0)
          s = combine(acc, states[a][c].back(), s);
        else if (!keeps_first(acc))
          s = combine(acc, identity(acc, wide), s);
        if (in_order) states[a][c].clear();
        states[a][c].push_back(s);
      }
    }
  }
  for (size_t a = 0; a < accumulators; ++a) {
    States results;
    for (States& lanes : states[a]) results.push_back(fold_lanes(loop.accumulators[a], std::move(lanes), loop.lanes));
    if (numbers[a]) number_to_position(results, *numbers[a], nullptr);
    define_result(loop.accumulators[a], results, accumulates_vectors(loop.accumulators[a]));
  }
  return true;
}

// Whether the remainder after full steps of `step` iterations is known, and worth code of its own. Vectors side by side
// matter most around a loop, whose iterations wait for each other: as of columns that are reduced.
bool KernelEmitter::knows_rest(const ir::Loop& loop, int64_t step) const {
  if (!vector_->rows.empty() || loop.kind != ir::LoopKind::Serial || !loop.extent.is_const()) return false;
  const int64_t n = loop.extent.value(), vectors = (n % step + vector_->width - 1) / vector_->width;
  const bool loops = passes::contains_loop(loop.body);
  return n > 0 && n <= kManySteps * step && vectors * code_size(loop.body) <= (loops ? kMaxRestOfLoops : kMaxRest);
}

// Whether a loop over columns ends inside of a step of known place, where parts of it begin at multiples of `step`.
// Where masks are cheap, one vector after the other will do.
bool KernelEmitter::ends_alike(const ir::Loop& loop, int64_t step) const {
  const bool parts = loop.kind != ir::LoopKind::Parallel || (loop.grain.is_const() && loop.grain.value() % step == 0);
  return !features_.masks_small && vector_->rows.empty() && running_.empty() && parts && loop.extent.is_const() &&
         loop.extent.value() % step != 0 && passes::contains_loop(loop.body);
}

// The columns from `start` on, where ends_alike(): those behind the last full step of all go side by side. A caller may
// pass parts that end elsewhere.
void KernelEmitter::emit_known_end(const ir::Loop& loop, int unroll, Value* start, Value* to, BasicBlock* after) {
  const int64_t n = loop.extent.value(), step = int64_t{vector_->width} * unroll, full = n / step * step;
  BasicBlock *known = block("columns"), *others = block("others");
  Value* ends = builder_.CreateAnd(builder_.CreateICmpEQ(start, i64(full)), builder_.CreateICmpEQ(to, i64(n)));
  builder_.CreateCondBr(ends, known, others);
  builder_.SetInsertPoint(known);
  vector_->alignment = vector_->width;
  emit_known_rest(loop, unroll, full, n);
  builder_.CreateBr(after);
  others->moveAfter(builder_.GetInsertBlock());
  builder_.SetInsertPoint(others);
  emit_masked_rest(loop, start, others, to, after);
}

// The iterations from `begin` to `end`, all known, in vectors side by side: columns, which go through rows, as many as
// there are in a step and two more.
void KernelEmitter::emit_known_rest(const ir::Loop& loop, int unroll, int64_t begin, int64_t end) {
  int64_t together = std::max<int64_t>(2, kSideBySide / code_size(loop.body));
  if (passes::contains_loop(loop.body) && running_.empty()) together = std::max(together, unroll + kFewColumns);
  together *= vector_->width;
  for (int64_t at = begin; at < end; at += together)
    emit_vectors(loop, at, std::min(end, at + together), [](int, int) {});
}

// Whether the lanes of each position lie as far apart wherever a step begins. Quotients and remainders of the variable
// are constants of a step that begins at a multiple of the width.
bool KernelEmitter::lanes_alike(const ir::Loop& loop) {
  const auto alike = [&](const Dim& d) { return !d.uses(loop.var) || d.affine_in(loop.var).has_value(); };
  return std::all_of(loop.body.begin(), loop.body.end(), [&](const ir::Instr& i) {
    if (const auto* index = std::get_if<ir::IndexInstr>(&i.node)) return alike(index->index);
    if (const auto* load = std::get_if<ir::LoadInstr>(&i.node)) return alike(load->index);
    const auto* store = std::get_if<ir::StoreInstr>(&i.node);
    return !store || alike(store->index);
  });
}

// Full steps of `unroll` vectors, then the vectors that are left side by side, and a masked one.
void KernelEmitter::emit_known_vector_loop(const ir::Loop& loop, int unroll) {
  VectorScope& scope = *vector_;
  const int64_t n = loop.extent.value(), step = int64_t{scope.width} * unroll;
  int64_t full = n / step * step;
  // A last vector or two would go through all rows by themselves.
  const bool columns = passes::contains_loop(loop.body) && running_.empty();
  if (columns && full > 0 && n > full && n - full <= kFewColumns * scope.width) full -= step;
  BasicBlock* preheader = block("preheader");
  BasicBlock* body = full > 0 ? block(loop.var.c_str()) : nullptr;
  BasicBlock* rest = block("rest");
  builder_.CreateBr(preheader);
  builder_.SetInsertPoint(preheader);
  const std::optional<Inside> inside = body ? find_inside(loop) : std::nullopt;
  builder_.CreateBr(body ? body : rest);
  open_frame(loop, preheader, true);
  scope.depth = depth();
  if (body) {
    builder_.SetInsertPoint(body);
    llvm::PHINode* i = builder_.CreatePHI(builder_.getInt64Ty(), 2, loop.var);
    i->addIncoming(i64(0), preheader);
    scope.copies = unroll;
    scope.alignment = step;
    scope.base = full == step ? i64(0) : i;  // of a single step, which lanes of a mask are active is known
    emit_step(loop, inside, scope.base, step);
    emit_prefetches(loop);
    llvm::Value* next = builder_.CreateAdd(i, i64(step), "", true, true);
    i->addIncoming(next, builder_.GetInsertBlock());
    builder_.CreateCondBr(builder_.CreateICmpSLT(next, i64(full)), body, rest);
    rest->moveAfter(builder_.GetInsertBlock());
  }
  builder_.SetInsertPoint(rest);
  scope.alignment = scope.width;
  if (!body) {
    scope.base = i64(0);
    scope.copies = static_cast<int>((n + scope.width - 1) / scope.width);
    emit_prefetches(loop);
  }
  // Where masks take time, the last elements are in a whole vector, together with some that are computed again.
  const bool repeats = n >= scope.width && !features_.masks_small && running_.empty() && may_repeat(loop.body);
  const int64_t again = repeats && lanes_alike(loop) ? n % scope.width : 0;
  emit_known_rest(loop, unroll, full, n - again);
  if (again) emit_last_vector(loop, i64(n - scope.width));
  frames_.pop_back();
}

// The iterations from `begin` to `end`, all known: the full vectors in one copy of the body, then a masked vector.
// `taken(first, count)` is called after each, with the vectors that it computed.
void KernelEmitter::emit_vectors(const ir::Loop& loop, int64_t begin, int64_t end,
                                 const std::function<void(int, int)>& taken) {
  VectorScope& scope = *vector_;
  const auto vectors = static_cast<int>((end - begin) / scope.width);
  const int64_t left = end - begin - int64_t{vectors} * scope.width;
  scope.base = i64(begin);
  // Columns go through the rows together, the masked vector with the others.
  if (vectors > 0 && left > 0 && passes::contains_loop(loop.body) && running_.empty()) {
    scope.copies = vectors + 1;
    set_mask(i64(left));
    scope.row_masks.assign(static_cast<size_t>(vectors), nullptr);
    scope.row_masks.push_back(scope.mask);
    emit_loop_body(loop);
    scope.row_masks.clear();
    taken(0, vectors + 1);
    return;
  }
  if (vectors > 0) {
    scope.copies = vectors;
    emit_loop_body(loop);
    taken(0, vectors);
  }
  if (left == 0) return;
  scope.copies = 1;
  scope.base = i64(end - left);
  set_mask(i64(left));
  emit_loop_body(loop);
  taken(vectors, 1);
}

// As emit_lane_rest, with the accumulators in registers.
KernelEmitter::States KernelEmitter::emit_known_lane_rest(const ir::Loop& loop, States sums, int lanes) {
  const size_t count = static_cast<size_t>(lanes / vector_->width);
  const int64_t n = loop.extent.value();
  emit_vectors(loop, n / lanes * lanes, n, [&](int first, int vectors) {
    for (size_t a = 0; a < loop.accumulators.size(); ++a)
      for (int c = 0; c < vectors; ++c) {
        const Accumulator& acc = loop.accumulators[a];
        State& sum = sums[a * count + static_cast<size_t>(first + c)];
        const State next = combine(acc, sum, read(acc, c, true));
        sum = vector_->mask ? choose(vector_->mask, next, sum) : next;
      }
  });
  return sums;
}

}  // namespace frit::codegen
