// schedule: chooses how the loops of each kernel run, which changes no result.
//
// It decides which loops collapse, which loop is spread over threads and with what grain, which loop becomes a vector
// loop and how far it is unrolled, and which two loops are tiled.
//
// Three shapes of kernel occur. A nest around straight-line code: its innermost loop is the vector loop. Rows (the
// reduced axis is the last): the outer loops are spread over threads, the loops inside are vector loops; rows shorter
// than two vectors are its lanes. Columns (the last axis is kept): the loop over it is the vector loop, with the
// reducing loops inside.
#include <algorithm>
#include <set>
#include <string>

#include "passes/lower/loop_nest.h"
#include "passes/manager/pass.h"
#include "passes/schedule/body_work.h"
#include "passes/schedule/columns_by_rows.h"
#include "passes/schedule/far_rows.h"
#include "passes/schedule/grid_schedule.h"
#include "passes/schedule/joined_columns.h"
#include "passes/schedule/many_runs.h"
#include "passes/schedule/narrow_rows.h"
#include "passes/schedule/neighbours.h"
#include "passes/schedule/order_body.h"
#include "passes/schedule/padded_rows.h"
#include "passes/schedule/paired_halves.h"
#include "passes/schedule/position_sums.h"
#include "passes/schedule/row_pairs.h"
#include "passes/schedule/row_tails.h"
#include "passes/schedule/short_rows.h"
#include "passes/schedule/stream_lines.h"

namespace frit::passes {
namespace {

using namespace ir;

// The scalar operations per byte of a vector below which a second thread costs more than it saves: about two
// microseconds.
constexpr int64_t kMinWork = 1 << 12;
constexpr int64_t kChunk = 8192;  // elements of an inner loop per iteration of the parallel one
// Tiles of two axes. If a vector is a whole cache line, each line is visited once, in any order; such tiles are large,
// to make rows long. Otherwise the lines of a tile must stay in the innermost cache, and rows a power of two apart use
// only a few of its sets.
constexpr int64_t kTileRows = 256, kTileColumns = 64, kTileSide = 32;
constexpr int kTileVectors = 16;   // vectors of a tile that are in registers at once
constexpr int64_t kTileWork = 96;  // scalar operations beyond which a tile goes through the registers row by row
// Bytes of a row below which far rows take longer to read than their sums take in scratch memory.
constexpr int64_t kShortRun = 256;
// Sums of a body, and operations of it, from which on their steps are put side by side.
constexpr size_t kManySums = 4;
constexpr int64_t kLongBody = 64;
constexpr int64_t kCachesOfRows = 4;       // of a core, that an operand fills which is read several times
constexpr int kLeastLanes = 4;             // of vectors that are shorter than they could be
constexpr int kRowsInTiles = 32;           // that are read side by side, each from a place of its own
constexpr int kPairsAtOnce = 4;            // pairs of rows that are reduced side by side
constexpr int kScanRowsAtOnce = 4;         // rows of a scan that one iteration takes
constexpr int64_t kLongStep = 32;          // operations of a scan's step that outweigh reading single elements
constexpr int64_t kVectorsWorthwhile = 8;  // of a loop whose steps are worth several vectors
constexpr int64_t kColumnWork = 12;        // scalar operations per element up to which columns are bound by memory

class Scheduler {
 public:
  Scheduler(Kernel& k, const TargetTraits& target, bool rows_fixed, LooseBuffers loose)
      : k_(k), target_(target), rows_fixed_(rows_fixed), streamed_{target.stream_bytes, std::move(loose)} {
    streamed_.masks_small = target.vector_bytes >= kLineBytes;
  }

  void run() {
    for (Instr& i : k_.body)
      if (auto* loop = std::get_if<Loop>(&i.node)) join_position_sums(k_, *loop), top(*loop);
    mark_streams(k_.body, nullptr);
  }

 private:
  // Marks non-temporal stores: results too large for the cache bypass it, which avoids reading their lines first. Every
  // full vector must be aligned: the part of the position without the vector loop's variable is a multiple of the
  // width. Two stores of elements side by side may fill vectors together.
  void mark_streams(Body& body, const Loop* vector) {
    for (Instr& i : body) {
      if (auto* loop = std::get_if<Loop>(&i.node)) {
        mark_streams(loop->body, loop->vector > 0 ? loop : vector);
        if (loop->vector > 1 && !rows_fixed_) stream_from_lines(*loop, body, streamed_, k_);
        continue;
      }
      auto* store = std::get_if<StoreInstr>(&i.node);
      if (!store || !vector || !streamed_.take(*store, k_)) continue;
      auto affine = store->index.affine_in(vector->var);
      const auto aligned = [&](const Dim& d) { return mod(d, Dim(vector->vector)).is(0); };
      store->stream =
          affine && ((affine->coefficient.is(1) && aligned(affine->rest)) ||
                     (affine->coefficient.is(2) && (aligned(affine->rest) || aligned(affine->rest - Dim(1)))));
    }
  }

  std::string fresh(std::string name) const { return unlike_all(k_, std::move(name)); }

  int lanes_for(const Body& body) const { return std::max(1, target_.vector_bytes / widest(k_, body)); }

  // Elements that are only moved keep their size.
  int lanes_of_copy(const Body& body) const {
    int64_t bytes = 1;
    for (const Instr& i : body) {
      const auto* l = std::get_if<LoadInstr>(&i.node);
      const auto* s = std::get_if<StoreInstr>(&i.node);
      if (!l && !s) return lanes_for(body);
      bytes = std::max<int64_t>(bytes, k_.buffer(l ? l->buffer : s->buffer).dtype.size());
    }
    return static_cast<int>(target_.vector_bytes / bytes);
  }

  // Columns are read row by row: the wider the piece of a row, the longer the run of memory. The sums of the innermost
  // loop must fit in the registers; those around it are needed once for many rows.
  int column_unroll(const Loop& loop) const {
    const int registers = target_.vector_bytes >= 64 ? 16 : 8;
    return std::max(4, registers / std::max(1, innermost_accumulators(loop.body)));
  }

  void vectorize(Loop& loop) {
    // Accumulators without lanes combine their values in order.
    if (is_ordered(loop) && loop.lanes == 0) return;
    const bool runs = reads_runs_of_rows(loop);
    const int w = runs ? lanes_of_runs(k_, loop, lanes_for(loop.body)) : lanes_for(loop.body);
    int64_t cost = leaf_work(loop.body);
    loop.vector = w;
    loop.unroll = cost > 384 || rare_.count(loop.var) ? 1 : cost > 96 ? 2 : 4;
    // Of a whole kernel of few elements, more code takes longer to compile than it ever saves.
    if (loop.kind == LoopKind::Parallel && loop.extent.is_const() && !contains_loop(loop.body))
      loop.unroll =
          static_cast<int>(std::clamp<int64_t>(loop.extent.value() / (w * kVectorsWorthwhile), 1, loop.unroll));
    if (loop.accumulators.size() >= kManySums && cost > kLongBody) use_values_early(loop.body);
    if (const int64_t vectors = vectors_of_repeats(loop.body, loop.var, w); vectors > 1 && cost <= 96)
      loop.unroll = static_cast<int>(vectors);
    if (cost <= kColumnWork && contains_loop(loop.body)) loop.unroll = column_unroll(loop);
    if (runs) loop.unroll = std::clamp(kRowsInTiles / w, 1, loop.unroll);
    if (!loop.carries.empty()) {
      loop.vector = loop.lanes;
      loop.unroll = cost <= 48 ? 2 : 1;
    } else if (loop.lanes > 0) {
      loop.vector = std::min(w, loop.lanes);
      loop.unroll = loop.lanes / loop.vector;
    }
  }

  // Makes every innermost loop under `loop` a vector loop.
  void vectorize_leaves(Loop& loop) {
    if (!contains_loop(loop.body)) {
      vectorize(loop);
      return;
    }
    for (Instr& i : loop.body)
      if (auto* inner = std::get_if<Loop>(&i.node)) vectorize_leaves(*inner);
  }

  // As many blocks go side by side as a vector has lanes. An extreme and its position are two registers for each.
  int lanes_of_blocks(const Body& body) const {
    const int lanes = lanes_for(body);
    return innermost_accumulators(body) > 1 ? std::max(std::min(lanes, kLeastLanes), lanes / 2) : lanes;
  }

  // Blocks of few columns, where one by itself would leave the processor waiting.
  bool put_blocks_together(Loop& loop, int lanes) {
    take_constants_inside(loop);
    const int accumulators = target_.vector_bytes >= kLineBytes ? 32 : 16;
    if (const int joined = lanes_of_joined_columns(k_, loop, lanes, accumulators); joined > 0) {
      put_joined_columns_in_lanes(k_, loop, joined, fresh("w"));
      set_grain(loop);
      return true;
    }
    if (!has_narrow_columns(loop, lanes, k_.facts)) return false;
    const Loop& of_block = *inner_of_nest(loop.body);
    // Two operations take as long as reading one lane.
    const int64_t work = leaf_work(of_block.body), n = k_.facts.range(of_block.extent).high;
    const bool few = n * (2 * lanes + work) < lanes * work;
    if (!few && blocks_overlap(k_, loop, lanes)) return false;
    if (few)
      put_blocks_in_lanes(k_, loop, lanes, fresh("w"));
    else  // Lanes that are idle cost time where a vector is no line.
      put_blocks_side_by_side(k_, loop, lanes, target_.vector_bytes < kLineBytes, fresh("w"));
    set_grain(loop);
    return true;
  }

  bool put_neighbours_together(Loop& loop, int lanes) {
    if (!has_neighbours(loop, k_, lanes)) return false;
    rare_ = join_neighbours(k_, loop, fresh("n"));
    vectorize_leaves(loop);
    set_grain(loop);
    return true;
  }

  void top(Loop& loop) {
    if (loop.kind != LoopKind::Parallel) {
      vectorize_leaves(loop);
      return;
    }
    if (!rows_fixed_) cut_where_wrapped(k_, loop, fresh("u"));
    if (!rows_fixed_ && k_.locals.empty()) join_padded_rows(k_, loop);
    collapse_nest(loop, rows_fixed_);
    if (!rows_fixed_ && k_.locals.empty() && pair_halves(k_, loop, fresh("h")) && contains_loop(loop.body)) {
      vectorize_leaves(loop);
      set_grain(loop);
      return;
    }
    Loop* innermost = &loop;
    int depth = 1;
    while (Loop* next = next_of_nest(*innermost)) innermost = next, ++depth;
    // Each iteration of the parallel loop has its own locals, which only put_rows_in_lanes can give to lanes.
    const bool shared = k_.locals.empty();
    const bool pieces = shared && is_row_of_pieces(innermost->body);
    const bool columns = shared && contains_loop(innermost->body) && !contains_lanes(innermost->body) &&
                         accesses_move(*innermost) && !pieces;
    const bool nest = shared && !contains_loop(innermost->body);
    if (nest && depth > 1 && !rows_fixed_ && tile_nest(loop, widest(k_, innermost->body))) {
      set_grain(loop);
      return;
    }
    if (nest && depth > 2 && !rows_fixed_ && has_far_rows(loop, k_)) {
      near_rows(loop, k_, fresh("f"));
      vectorize_leaves(loop);
      set_grain(loop);
      return;
    }
    if (nest && depth <= 2 && !rows_fixed_ && has_repeats(loop, k_.facts)) {
      join_repeats(k_, loop, lanes_of_copy(innermost->body), fresh("e"));
      set_grain(loop);
      return;
    }
    if (const int lanes = lanes_for(innermost->body);
        nest && depth == 2 && !rows_fixed_ && has_short_columns(loop, lanes, k_.facts)) {
      join_short_columns(k_, loop, lanes, fresh("w"));
      set_grain(loop);
      return;
    }
    if (const int lanes = lanes_for(innermost->body);
        nest && depth == 2 && !rows_fixed_ && has_narrow_rows(loop, lanes, k_.facts)) {
      join_narrow_rows(k_, loop, lanes);
      set_grain(loop);
      return;
    }
    if (nest && !rows_fixed_ && put_neighbours_together(loop, lanes_for(innermost->body))) return;
    if (columns && depth == 2 && !rows_fixed_ && put_blocks_together(loop, lanes_of_blocks(innermost->body))) return;
    if (shared && !nest && !columns && !rows_fixed_ && depth > 1 && has_row_pairs(loop, k_.facts) &&
        pair_rows(loop, *innermost)) {
      set_grain(loop);
      return;
    }
    // All loops except the vector loop merge into the parallel loop.
    int keep = nest || columns ? 2 : 1;
    if (rows_fixed_) keep = depth;
    for (; depth > keep; --depth) merge(loop, k_.facts, first_local());
    if (nest && !rows_fixed_ && read_some_at_once(loop, depth)) return;
    if ((nest || columns) && depth == 2) {
      if (!rows_fixed_) merge_chunks(loop, kChunk, k_.facts);
      columns ? vectorize_columns(*inner_of_nest(loop.body)) : vectorize(*inner_of_nest(loop.body));
    } else if (nest || columns) {
      columns ? vectorize_columns(loop) : vectorize(loop);
    } else if (const int lanes = lanes_of_runs(k_, loop, lanes_for(loop.body));
               !rows_fixed_ && !pieces && has_short_rows(k_, loop, lanes, staging())) {
      put_rows_in_lanes(k_, loop, lanes, staging(), fresh("w"), streamed_);
    } else {
      for (Instr& i : loop.body)
        if (auto* inner = std::get_if<Loop>(&i.node)) {
          if (pieces) collapse_nest(*inner, false);
          vectorize_leaves(*inner);
        }
      if (const int lanes = lanes_for(loop.body); !rows_fixed_ && has_long_tail(k_, loop, lanes))
        put_tails_in_lanes(k_, loop, lanes, fresh("w"));
    }
    set_grain(loop);
  }

  // Vectors under a mask and shuffles of two vectors cost no more than others where a vector is a line.
  Staging staging() const {
    if (target_.vector_bytes >= kLineBytes) return Staging::Masked;
    return target_.vector_bytes >= kLineBytes / 2 ? Staging::Whole : Staging::None;
  }

  // A nest that reads many operands, by pieces of its last axis.
  bool read_some_at_once(Loop& loop, int depth) {
    const Loop& innermost = depth == 2 ? *inner_of_nest(loop.body) : loop;
    if (!has_many_runs(k_, innermost) || k_.facts.range(innermost.extent).high < kRunPiece / 4) return false;
    const Loop before = loop;
    depth == 2 ? merge_chunks(loop, kRunPiece, k_.facts) : strip(loop, kRunPiece, fresh("c"), k_.facts);
    if (!cut_by_runs(k_, loop.body)) {
      loop = before;
      return false;
    }
    vectorize_leaves(loop);
    set_grain(loop);
    return true;
  }

  // Rows against rows: as many pairs at once as have their sums in half of the registers.
  bool pair_rows(Loop& loop, const Loop& right) {
    const int lanes = lanes_for(right.body);
    if (has_short_loops(right.body, lanes)) {
      if (k_.facts.range(right.extent).high < lanes) return false;
      put_pairs_in_lanes(k_, loop, lanes, target_.vector_bytes >= kLineBytes);
      return true;
    }
    const int registers = target_.vector_bytes >= 64 ? 32 : 16;
    const int each = accumulator_count(right.body) * std::max(1, target_.reduction_lanes / lanes);
    const int together = std::min(kPairsAtOnce, registers / 2 / std::max(1, each));
    if (together < 2 || k_.facts.range(right.extent).high < together) return false;
    reduce_pairs_together(k_, loop, together);
    vectorize_leaves(loop);
    return true;
  }

  // A loop around loops that run in order. Where those move along memory and this one jumps in it, as in a scan of the
  // last axis, a few rows go on at once, so that the chains of their running values overlap. More rows, a power of two
  // apart, would not stay in the innermost cache. Updates at bound positions are single elements
  // there, or pieces of rows, which are vectors.
  void vectorize_columns(Loop& loop) {
    // Scans of less are as quick as they are.
    const bool by_rows = runs_along(loop.body)
                             ? !jumps(loop) && reads_more_than(target_.stream_bytes / 2, loop.body)
                             : leaf_work(loop.body) > kColumnWork || reads_short_runs(loop) || reads_rows_again(loop);
    if (!rows_fixed_ && by_rows && !reads_runs_of_rows(loop) && goes_by_rows(loop, k_.facts)) {
      rare_ = run_by_rows(k_, loop, target_.threads, fresh("c"));
      streamed_.by_pieces = true;
      streamed_.whole_rows = loop.extent.is(1);
      return vectorize_leaves(loop);
    }
    const auto* inner = std::get_if<Loop>(&loop.body.back().node);
    if (!inner || !inner->accumulators.empty() || !is_ordered(*inner) || !jumps(loop)) return vectorize(loop);
    if (inner->carries.empty()) return vectorize_leaves(loop);
    if (k_.facts.range(loop.extent).high >= kScanRowsAtOnce) scan_rows(loop);
  }

  // Whether the registers hold sums of so few columns that their elements are short runs of memory, or of a cache that
  // all cores share. Where they hold more, rows of a quarter more are read faster as a whole, in blocks of them.
  bool reads_short_runs(const Loop& loop) const {
    const int64_t columns = column_unroll(loop) * lanes_for(loop.body), bytes = narrowest(k_, loop.body);
    if (target_.vector_bytes < kLineBytes && columns * bytes < kShortRun &&
        reads_more_than(target_.cache_bytes, loop.body))
      return true;
    const auto range = k_.facts.range(loop.extent);
    return loop.kind != LoopKind::Parallel && reads_more_than(target_.stream_bytes / 2, loop.body) &&
           range.low >= std::max(columns + columns / 4, 2 * kShortRun / bytes) && range.high <= kWholeRow;
  }

  // Whether some passes go over the rows of an operand that is several times as large as the cache of a core. Rows are
  // then read, and written, in longer runs than the registers hold sums for.
  bool reads_rows_again(const Loop& loop) const {
    const auto passes = std::count_if(loop.body.begin(), loop.body.end(),
                                      [](const Instr& i) { return std::holds_alternative<Loop>(i.node); });
    return passes > 1 && reads_more_than(kCachesOfRows * target_.cache_bytes, loop.body);
  }

  // Whether a loop in the body carries running values.
  static bool runs_along(const Body& body) {
    return std::any_of(body.begin(), body.end(), [](const Instr& i) {
      const auto* loop = std::get_if<Loop>(&i.node);
      return loop && (!loop->carries.empty() || runs_along(loop->body));
    });
  }

  // Whether an operand is known to have as many bytes: half of the last-level cache, so that a result of its size finds
  // no room there, or the cache of a core.
  bool reads_more_than(int64_t bytes, const Body& body) const {
    return std::any_of(body.begin(), body.end(), [&](const Instr& i) {
      if (const auto* loop = std::get_if<Loop>(&i.node)) return reads_more_than(bytes, loop->body);
      const auto* load = std::get_if<LoadInstr>(&i.node);
      if (!load) return false;
      const KernelBuffer& b = k_.buffer(load->buffer);
      return k_.facts.less_equal(bytes / b.dtype.size(), b.size) == Tri::Yes;
    });
  }

  // Steps of much work, as of logcumsumexp, take longer than lines that have left the cache: their rows fill vectors.
  void scan_rows(Loop& loop) const {
    loop.vector = kScanRowsAtOnce;
    if (leaf_work(loop.body) < kLongStep) return;
    const int64_t rows = k_.facts.range(loop.extent).high, lanes = lanes_for(loop.body);
    while (loop.vector < std::min(rows, lanes)) loop.vector *= 2;
    loop.unroll = rows >= 2 * lanes ? 2 : 1;
  }

  // Some loops over pieces of a row, as of a concatenation. Vectors go along the pieces.
  static bool is_row_of_pieces(const Body& body) {
    return has_pieces_only(body) && std::count_if(body.begin(), body.end(), [](const Instr& i) {
                                      return std::holds_alternative<Loop>(i.node);
                                    }) > 1;
  }

  static bool has_pieces_only(const Body& body) {
    return std::all_of(body.begin(), body.end(), [](const Instr& i) {
      const auto* loop = std::get_if<Loop>(&i.node);
      if (!loop) return !std::holds_alternative<BindInstr>(i.node);
      return loop->accumulators.empty() && loop->carries.empty() && !is_ordered(*loop) && has_pieces_only(loop->body);
    });
  }

  // Whether no position moves by one element with the loop's variable.
  static bool jumps(const Loop& loop) {
    bool along = false;
    for_each_dim(loop.body, [&](const Dim& d) {
      const auto affine = d.affine_in(loop.var);
      along = along || (affine && (affine->coefficient.is(1) || affine->coefficient.is(-1)));
    });
    return !along;
  }

  bool tile_nest(Loop& loop, int64_t bytes) {
    const bool lines = std::min(int64_t{target_.vector_bytes}, kTileVectors * bytes) >= kLineBytes;
    const int64_t side = std::max(kTileSide, 2 * kLineBytes / bytes);
    if (!tile(loop, lines ? kTileRows : side, lines ? kTileColumns : side, fresh("t"), k_.facts)) return false;
    vectorize_leaves(loop);
    side_by_side(*inner_of_nest(loop.body));
    return true;
  }

  // Takes as many rows of a tile at once as a vector has lanes, so that an operand that is contiguous along the columns
  // is also read in vectors.
  void side_by_side(Loop& rows) {
    Loop& columns = *inner_of_nest(rows.body);
    if (leaf_work(columns.body) > kTileWork) return;
    columns.vector = std::min(columns.vector, kTileVectors);
    columns.unroll = 1;
    rows.unroll = columns.vector;
  }

  uint32_t first_local() const { return static_cast<uint32_t>(k_.buffers.size()); }
  // The only loop of a loop's body. With locals, one around loops: a local belongs to one iteration of it, and a loop
  // that uses the local stays in that iteration.
  Loop* next_of_nest(Loop& loop) const {
    Loop* inner = inner_of_nest(loop.body, first_local());
    return inner && (k_.locals.empty() || contains_loop(inner->body)) ? inner : nullptr;
  }

  void collapse_nest(Loop& loop, bool keep_outermost) {
    if (!keep_outermost)
      while (next_of_nest(loop) && collapse(loop, first_local())) {
      }
    if (Loop* inner = next_of_nest(loop)) collapse_nest(*inner, false);
  }

  void set_grain(Loop& loop) {
    Dim grain = max(floor_div(kMinWork * target_.vector_bytes, work(k_, loop.body)), 1);
    Dim step = std::max<int64_t>(1, int64_t{loop.vector} * loop.unroll);
    loop.grain = k_.facts.simplify(ceil_div(grain, step) * step);
    // Columns that no two threads share are a loop whose remainder is known, so that more of them go side by side.
    if (loop.vector > 0 && contains_loop(loop.body) && !rows_fixed_ && loop.extent.is_const() &&
        loop.grain.is_const() && loop.extent.value() <= loop.grain.value()) {
      loop.kind = LoopKind::Serial;
      loop.grain = 1;
    }
  }

  Kernel& k_;
  const TargetTraits& target_;
  bool rows_fixed_;  // an epilogue: its parallel loop must stay one over rows
  StreamedResults streamed_;
  std::set<std::string> rare_;  // variables of loops that are not worth unrolling
};

Result<bool> run_schedule(Function& f, PassContext& context) {
  Program& p = *f.program;
  std::vector<bool> epilogue(p.kernels.size(), false);
  for (const Step& s : p.steps)
    if (auto* library = std::get_if<LibraryStep>(&s); library && library->epilogue)
      epilogue[library->epilogue->kernel] = true;
  const std::vector<LooseBuffers> loose = loose_buffers(p);
  bool changed = false;
  for (size_t i = 0; i < p.kernels.size(); ++i) {
    // In a second run the loops are already scheduled.
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
      Scheduler(p.kernels[i], context.target, epilogue[i], loose[i]).run();
    changed = true;
  }
  return changed;
}

const RegisterPass schedule_pass{
    {"schedule", "collapses loops, chooses the vector loop, its width and unrolling, and the grain of threads",
     Level::Lowered, Level::Lowered, Level::Scheduled, run_schedule}};

}  // namespace
}  // namespace frit::passes
