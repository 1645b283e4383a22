// schedule: how each kernel's loops run: which axes become one, which loop is spread over threads and in what portions,
// which loop is computed in vectors and how far it is unrolled, and which two are cut into tiles. Results do not depend
// on any of it.
//
// Three shapes of kernel occur. A nest around straight-line code: its innermost loop runs in vectors. Rows (the reduced
// axis is the last): the outer loops are spread over threads, the loops inside run in vectors. Columns (the last axis
// is kept): the loop over it runs in vectors, with the reducing loops inside.
#include <algorithm>

#include "passes/lower/loop_nest.h"
#include "passes/manager/pass.h"
#include "passes/schedule/grid_schedule.h"

namespace frit::passes {
namespace {

using namespace ir;

// Scalar operations, for each byte of a vector, below which handing work to another thread costs more than it saves:
// about two microseconds.
constexpr int64_t kMinWork = 1 << 12;
constexpr int64_t kChunk = 8192;  // elements of an inner loop per iteration of the parallel one
// Tiles of two axes. Where a vector is a whole cache line, each line is visited once, in any order: tiles are large,
// for the sake of the rows' length. Otherwise the lines of a tile must stay in the innermost cache, of which rows a
// power of two apart use a few sets only.
constexpr int64_t kLine = 64;
constexpr int64_t kTileRows = 64, kTileColumns = 256, kTileSide = 32;
constexpr int kTileVectors = 16;   // of a tile that are in registers at once
constexpr int64_t kTileWork = 96;  // scalar operations beyond which a tile goes through the registers row by row
constexpr int kFunctionCost = 20;
constexpr int64_t kColumnWork = 12;  // scalar operations an element up to which columns are bound by memory

// Scalar operations of what stands in `body` itself, its loops left out.
int64_t straight_work(const Body& body) {
  int64_t total = 0;
  for (const Instr& i : body) {
    if (auto* s = std::get_if<ScalarInstr>(&i.node)) {
      total += s->op == ScalarOp::Const ? 0 : is_function(s->op) ? kFunctionCost : 1;
    } else if (!std::holds_alternative<Loop>(i.node)) {
      total += 2;
    }
  }
  return total;
}

// Those of its loops included, at least 1, over the kernel's symbols. Where an extent depends on a loop around it, the
// first turn's stands for all.
Dim work(const Kernel& k, const Body& body) {
  Dim total = std::max<int64_t>(1, straight_work(body));
  for (const Instr& i : body)
    if (auto* loop = std::get_if<Loop>(&i.node)) {
      Dim extent = loop->extent.substitute([&](const std::string& name) -> std::optional<Dim> {
        if (std::find(k.symbols.begin(), k.symbols.end(), name) != k.symbols.end()) return std::nullopt;
        return Dim(0);
      });
      total += k.facts.simplify(extent) * work(k, loop->body);
    }
  return total;
}

// Scalar operations of one turn of every loop inside: what an unrolled copy costs in registers.
int64_t leaf_work(const Body& body) {
  int64_t total = straight_work(body);
  for (const Instr& i : body)
    if (auto* loop = std::get_if<Loop>(&i.node)) total += leaf_work(loop->body);
  return total;
}

int accumulator_count(const Body& body) {
  int count = 0;
  for (const Instr& i : body)
    if (auto* loop = std::get_if<Loop>(&i.node))
      count = std::max<int>(count, static_cast<int>(loop->accumulators.size()) + accumulator_count(loop->body));
  return count;
}

int widest(const Kernel& k, const Body& body) {
  int bytes = 1;
  auto reg = [&](Reg r) {
    if (k.reg_types[r] != bool_) bytes = std::max<int>(bytes, compute_type(k.reg_types[r]).size);
  };
  for (const Instr& i : body) {
    if (auto* s = std::get_if<ScalarInstr>(&i.node)) reg(s->result);
    if (auto* l = std::get_if<LoadInstr>(&i.node)) reg(l->result);
    if (auto* s = std::get_if<StoreInstr>(&i.node)) reg(s->value);
    if (auto* loop = std::get_if<Loop>(&i.node)) bytes = std::max(bytes, widest(k, loop->body));
  }
  return bytes;
}

class Scheduler {
 public:
  Scheduler(Kernel& k, const TargetTraits& target, bool rows_fixed) : k_(k), target_(target), rows_fixed_(rows_fixed) {}

  void run() {
    for (Instr& i : k_.body)
      if (auto* loop = std::get_if<Loop>(&i.node)) top(*loop);
    mark_streams(k_.body, nullptr);
  }

 private:
  // Results that are too large to stay in the cache go past it, which saves reading their lines first. Only where every
  // full vector is aligned for sure: positions that are a multiple of the width beside the vector loop's variable.
  void mark_streams(Body& body, const Loop* vector) {
    for (Instr& i : body) {
      if (auto* loop = std::get_if<Loop>(&i.node)) {
        mark_streams(loop->body, loop->vector > 0 ? loop : vector);
        continue;
      }
      auto* store = std::get_if<StoreInstr>(&i.node);
      if (!store || !vector || store->mask != kNoReg || store->buffer >= k_.buffers.size()) continue;
      const KernelBuffer& b = k_.buffers[store->buffer];
      if (b.read || k_.facts.less_equal(target_.stream_bytes / b.dtype.size, b.size) != Tri::Yes) continue;
      auto affine = store->index.affine_in(vector->var);
      store->stream = affine && affine->coefficient.is(1) && mod(affine->rest, Dim(vector->vector)).is(0);
    }
  }

  // Loops are named otherwise by the emitter, so that only a symbol can have the name.
  std::string fresh(std::string name) const {
    while (std::find(k_.symbols.begin(), k_.symbols.end(), name) != k_.symbols.end()) name += "_";
    return name;
  }

  int lanes_for(const Body& body) const { return std::max(1, target_.vector_bytes / widest(k_, body)); }

  // Columns are read row by row: the more of a row at once, the longer the run of memory. As many as registers hold the
  // sums of.
  int column_unroll(const Loop& loop) const {
    const int registers = target_.vector_bytes >= 64 ? 16 : 8;
    return std::max(4, registers / std::max(1, accumulator_count(loop.body)));
  }

  void vectorize(Loop& loop) {
    // Accumulators without lanes take their values in order.
    if (!loop.accumulators.empty() && loop.lanes == 0) return;
    int w = lanes_for(loop.body);
    int64_t cost = leaf_work(loop.body);
    loop.vector = w;
    loop.unroll = cost <= 96 ? 4 : cost <= 384 ? 2 : 1;
    if (cost <= kColumnWork && contains_loop(loop.body)) loop.unroll = column_unroll(loop);
    if (loop.lanes > 0) {
      loop.vector = std::min(w, loop.lanes);
      loop.unroll = loop.lanes / loop.vector;
    }
  }

  // Every innermost loop under `loop` runs in vectors.
  void vectorize_leaves(Loop& loop) {
    if (!contains_loop(loop.body)) {
      vectorize(loop);
      return;
    }
    for (Instr& i : loop.body)
      if (auto* inner = std::get_if<Loop>(&i.node)) vectorize_leaves(*inner);
  }

  void top(Loop& loop) {
    if (loop.kind != LoopKind::Parallel) {
      vectorize_leaves(loop);
      return;
    }
    collapse_nest(loop, rows_fixed_);
    Loop* innermost = &loop;
    int depth = 1;
    while (Loop* next = inner_of_nest(innermost->body)) innermost = next, ++depth;
    bool columns = contains_loop(innermost->body) && !contains_lanes(innermost->body);
    bool nest = !contains_loop(innermost->body);
    if (nest && depth > 1 && !rows_fixed_ && tile_nest(loop, widest(k_, innermost->body))) {
      set_grain(loop);
      return;
    }
    // All loops but the one in vectors become the parallel one.
    int keep = nest || columns ? 2 : 1;
    if (rows_fixed_) keep = depth;
    for (; depth > keep; --depth) merge(loop, k_.facts);
    if ((nest || columns) && depth == 2) {
      if (!rows_fixed_) merge_chunks(loop, kChunk, k_.facts);
      vectorize(*inner_of_nest(loop.body));
    } else if (nest || columns) {
      vectorize(loop);
    } else {
      for (Instr& i : loop.body)
        if (auto* inner = std::get_if<Loop>(&i.node)) vectorize_leaves(*inner);
    }
    set_grain(loop);
  }

  bool tile_nest(Loop& loop, int64_t bytes) {
    const bool lines = std::min(int64_t{target_.vector_bytes}, kTileVectors * bytes) >= kLine;
    const int64_t side = std::max(kTileSide, 2 * kLine / bytes);
    if (!tile(loop, lines ? kTileRows : side, lines ? kTileColumns : side, fresh("t"), k_.facts)) return false;
    vectorize_leaves(loop);
    side_by_side(*inner_of_nest(loop.body));
    return true;
  }

  // As many rows of a tile as a vector has lanes are taken at once, so that what lies along the rows is read in vectors
  // too.
  void side_by_side(Loop& rows) {
    Loop& columns = *inner_of_nest(rows.body);
    if (leaf_work(columns.body) > kTileWork) return;
    columns.vector = std::min(columns.vector, kTileVectors);
    columns.unroll = 1;
    rows.unroll = columns.vector;
  }

  void collapse_nest(Loop& loop, bool keep_outermost) {
    if (!keep_outermost)
      while (collapse(loop)) {
      }
    if (Loop* inner = inner_of_nest(loop.body)) collapse_nest(*inner, false);
  }

  void set_grain(Loop& loop) {
    Dim grain = max(floor_div(kMinWork * target_.vector_bytes, work(k_, loop.body)), 1);
    Dim step = std::max<int64_t>(1, int64_t{loop.vector} * loop.unroll);
    loop.grain = k_.facts.simplify(ceil_div(grain, step) * step);
  }

  Kernel& k_;
  const TargetTraits& target_;
  bool rows_fixed_;  // an epilogue: its parallel loop must stay one over rows
};

Result<bool> run(Function& f, PassContext& context) {
  Program& p = *f.program;
  std::vector<bool> epilogue(p.kernels.size(), false);
  for (const Step& s : p.steps)
    if (auto* library = std::get_if<LibraryStep>(&s); library && library->epilogue)
      epilogue[library->epilogue->kernel] = true;
  bool changed = false;
  for (size_t i = 0; i < p.kernels.size(); ++i) {
    // A second run finds the loops scheduled.
    bool scheduled = false;
    auto look = [&](auto&& self, const Body& body) -> void {
      for (const Instr& instr : body)
        if (auto* loop = std::get_if<Loop>(&instr.node)) scheduled |= loop->vector > 0, self(self, loop->body);
    };
    look(look, p.kernels[i].body);
    if (scheduled || !contains_loop(p.kernels[i].body)) continue;
    if (context.target.grid)
      schedule_grid(p.kernels[i], context.target);
    else
      Scheduler(p.kernels[i], context.target, epilogue[i]).run();
    changed = true;
  }
  return changed;
}

const RegisterPass kRegistered{
    {"schedule",
     "collapses loops, chooses the loop that runs in vectors, its width and unrolling, and the portions that threads take",
     Level::Lowered, Level::Lowered, Level::Scheduled, run}};

}  // namespace
}  // namespace frit::passes
