// Prefetches for rows that several vector loops visit, and for pieces of rows. Only timing depends on them.
//
// The first visit of a row waits for memory, while the later ones compute from cache. So the later loop that computes
// most prefetches the next row, which is then in the second-level cache at its first visit. So does the work on some
// short rows at a time. An operand that a later loop is the first to read is prefetched by the loop in front of it.
//
// A loop that computes much for each element of a large operand waits for memory besides: the processor's own
// prefetches are too few lines ahead of it. So it prefetches later elements of the same run.
//
// A loop that goes from row to row and takes a short piece of each jumps further than the processor foresees, so it
// prefetches the piece of a later row. So does a transpose, which reads pieces of some rows, and writes pieces of some
// others. Rows behind the last one are no part of the buffer: a prefetch of a page that is not there costs a walk
// through the tables of pages each time.
#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <string>
#include <vector>

#include "codegen/llvm/emitter.h"
#include "passes/schedule/stream_lines.h"

namespace frit::codegen {

using llvm::Value;
using passes::kLineBytes;

namespace {

// A smaller buffer is in the second-level cache anyway, and the processor itself prefetches a shorter row.
constexpr int64_t kMinBuffer = int64_t{1} << 20;
constexpr int64_t kMinRow = 1024;
// Operands of several loops that are less together are read from the last-level cache as fast without prefetches.
constexpr int64_t kMinOperands = int64_t{8} << 20;
// The processor foresees blocks of rows that are shorter than a page.
constexpr int64_t kMinBlock = 4096;
// Pieces of rows: the least jump from row to row, the longest piece, and the lines that are on their way.
constexpr int64_t kMinJump = 1024, kMaxPiece = 4096, kLinesAhead = 48;
// Runs of an operand: the operations for each load from which on they are prefetched, the elements between those of
// neighbouring lanes, the bytes ahead, and the least operand, which the second-level cache does not keep.
constexpr size_t kMinWork = 8;
constexpr int64_t kMaxApart = 8, kRunAhead = 1024, kMinRun = int64_t{4} << 20;
// Tiles of a transpose: the steps after which rows are read, and the lines of each row to write that are on their way.
constexpr int64_t kStepsAhead = 4, kWrittenAhead = 2;

size_t scalar_count(const ir::Loop& loop) {
  return static_cast<size_t>(std::count_if(loop.body.begin(), loop.body.end(), [](const ir::Instr& i) {
    return std::holds_alternative<ir::ScalarInstr>(i.node);
  }));
}

// The names that data gives values to, anywhere in the kernel. The binding may come later than a prefetch of a position
// that depends on it, or in another loop.
void add_bound(const ir::Body& body, std::vector<std::string>& names) {
  for (const ir::Instr& i : body) {
    if (const auto* bind = std::get_if<ir::BindInstr>(&i.node)) names.push_back(bind->name);
    if (const auto* loop = std::get_if<ir::Loop>(&i.node)) add_bound(loop->body, names);
  }
}

}  // namespace

// For a parallel loop around several vector loops: records the reads of the first vector loop under the loop that
// prefetches them, and those of operands that a later loop is the first to read under the loop in front of it.
void KernelEmitter::plan_prefetches(const ir::Loop& parallel) {
  std::vector<const ir::Loop*> loops;
  const ir::Loop* most = nullptr;
  for (const ir::Instr& i : parallel.body) {
    const auto* loop = std::get_if<ir::Loop>(&i.node);
    if (!loop) continue;
    const bool leaf = std::none_of(loop->body.begin(), loop->body.end(),
                                   [](const ir::Instr& j) { return std::holds_alternative<ir::Loop>(j.node); });
    if (!leaf || loop->vector <= 1) return;
    if (!loops.empty() && loop->extent == loops[0]->extent && (!most || scalar_count(*loop) > scalar_count(*most)))
      most = loop;
    loops.push_back(loop);
  }
  if (!most) return;
  std::set<uint32_t> seen;
  int64_t bytes = 0;
  struct Planned {
    const ir::Loop* visitor;
    Prefetch what;
    bool by_itself;  // large, and of the first loop
  };
  std::vector<Planned> found;
  const Dim next = min(Dim::symbol(parallel.var) + Dim(1), parallel.extent - Dim(1));
  for (size_t at = 0; at < loops.size() && loops[at]->extent == loops[0]->extent; ++at) {
    const ir::Loop& loop = *loops[at];
    std::set<uint32_t> here;
    for (const ir::Instr& i : loop.body) {
      const auto* load = std::get_if<ir::LoadInstr>(&i.node);
      if (!load || load->mask != ir::kNoReg || load->buffer >= kernel_.buffers.size() || seen.count(load->buffer))
        continue;
      here.insert(load->buffer);
      const ir::KernelBuffer& b = kernel_.buffers[load->buffer];
      const int64_t size = b.dtype.size();
      if (b.written || facts_.range(loop.extent).high < kMinRow / size) continue;
      auto column = load->index.affine_in(loop.var), row = load->index.affine_in(parallel.var);
      if (!column || !column->coefficient.is(1) || !row || row->coefficient.is(0)) continue;
      const ir::Loop& visitor = at ? *loops[at - 1] : *most;
      const Dim index = at ? load->index : load->index.substitute(parallel.var, next);
      const int64_t elements = facts_.range(b.size).high;
      found.push_back({&visitor,
                       {load->buffer, index.substitute(loop.var, Dim::symbol(visitor.var))},
                       at == 0 && elements >= kMinBuffer / size});
      bytes += std::min(elements, kMinOperands) * size;
    }
    seen.merge(here);
  }
  for (Planned& p : found)
    if (p.by_itself || bytes >= kMinOperands) prefetches_[p.visitor].push_back(std::move(p.what));
}

// For a parallel loop around a single vector loop along the rows of an operand.
void KernelEmitter::plan_run_prefetches(const ir::Loop& parallel) {
  const ir::Loop* run = nullptr;
  for (const ir::Instr& i : parallel.body)
    if (const auto* loop = std::get_if<ir::Loop>(&i.node)) {
      if (run || loop->vector <= 1) return;
      run = loop;
    }
  if (!run) return;
  std::vector<Prefetch> found;
  size_t loads = 0;
  for (const ir::Instr& i : run->body) {
    if (std::holds_alternative<ir::Loop>(i.node)) return;
    const auto* load = std::get_if<ir::LoadInstr>(&i.node);
    if (!load || load->mask != ir::kNoReg || load->buffer >= kernel_.buffers.size()) continue;
    const ir::KernelBuffer& b = kernel_.buffers[load->buffer];
    const int64_t size = b.dtype.size();
    if (b.written || facts_.range(b.size).high < kMinRun / size) continue;
    const auto column = load->index.affine_in(run->var), row = load->index.affine_in(parallel.var);
    if (!column || !column->coefficient.is_const() || !row || row->coefficient.is(0)) continue;
    const int64_t apart = column->coefficient.value();
    if (apart < 1 || apart > kMaxApart) continue;
    ++loads;
    // Elements between those of another load come with them.
    const Dim index = load->index + Dim(kRunAhead / size);
    const bool known = std::any_of(found.begin(), found.end(), [&](const Prefetch& p) {
      const Dim gap = p.index - index;
      return p.buffer == load->buffer && gap.is_const() && std::abs(gap.value()) < apart;
    });
    if (!known) found.push_back({load->buffer, index});
  }
  if (loads == 0 || scalar_count(*run) < kMinWork * loads) return;
  std::vector<Prefetch>& all = prefetches_[run];
  all.insert(all.end(), found.begin(), found.end());
}

// For a parallel loop that turns some short rows in scratch memory, computes on them in a vector loop over the rows,
// and turns them back: the loop along a row that computes most prefetches the rows of the next iteration, which lie
// together.
void KernelEmitter::plan_block_prefetches(const ir::Loop& parallel) {
  const ir::Loop *rows = nullptr, *most = nullptr;
  for (const ir::Instr& i : parallel.body)
    if (const auto* loop = std::get_if<ir::Loop>(&i.node); loop && loop->vector > 1)
      for (const ir::Instr& j : loop->body)
        if (const auto* places = std::get_if<ir::Loop>(&j.node); places && places->vector <= 1)
          if (!most || scalar_count(*places) > scalar_count(*most)) rows = loop, most = places;
  if (!most || !most->extent.is_const()) return;
  const Dim next = min(Dim::symbol(parallel.var) + Dim(1), parallel.extent - Dim(1));
  for (const ir::Instr& i : parallel.body) {
    const auto* places = std::get_if<ir::Loop>(&i.node);
    const auto* turned = places && places->vector <= 1 && places->body.size() == 1
                             ? std::get_if<ir::Loop>(&places->body[0].node)
                             : nullptr;
    const auto* load = turned && turned->vector > 1 ? std::get_if<ir::LoadInstr>(&turned->body[0].node) : nullptr;
    if (!load || load->buffer >= kernel_.buffers.size()) continue;
    const ir::KernelBuffer& b = kernel_.buffers[load->buffer];
    if (b.written || facts_.range(b.size).high < kMinBuffer / b.dtype.size()) continue;
    const auto row = load->index.affine_in(turned->var);
    const auto place = row ? row->rest.affine_in(places->var) : std::nullopt;
    const auto block = place ? place->rest.affine_in(parallel.var) : std::nullopt;
    if (!block || !row->coefficient.is_const() || !place->coefficient.is(1) || !block->coefficient.is_const()) continue;
    // Each step along a row fetches a part of the block that is as long as the vectors of rows.
    const int64_t length = row->coefficient.value(), count = block->coefficient.value() / length;
    if (!most->extent.is(length) || block->coefficient.value() != count * length) continue;
    if (count * length * b.dtype.size() < kMinBlock) continue;
    const Dim first = place->rest.substitute(parallel.var, next);
    prefetches_[most].push_back({load->buffer, first + Dim(count) * Dim::symbol(most->var) + Dim::symbol(rows->var)});
  }
}

// For a serial loop over rows, around vector loops over a piece of a row or inside the vector loop over it.
void KernelEmitter::plan_piece_prefetches(const ir::Loop& rows) {
  const auto plan_access = [&](const ir::Loop& visitor, uint32_t buffer, const Dim& index, bool write,
                               const std::string& column, const Dim& elements) {
    if (buffer >= kernel_.buffers.size()) return;
    const ir::KernelBuffer& b = kernel_.buffers[buffer];
    const int64_t size = b.dtype.size(), piece = facts_.range(elements).high;
    if ((b.written && !write) || facts_.range(b.size).high < kMinBuffer / size || piece > kMaxPiece / size) return;
    const auto along = index.affine_in(column), across = index.affine_in(rows.var);
    if (!along || !along->coefficient.is(1) || !across) return;
    if (facts_.less_equal(kMinJump / size, across->coefficient) != Tri::Yes) return;
    const int64_t ahead = std::max<int64_t>(1, kLinesAhead * kLineBytes / std::max(kLineBytes, piece * size));
    // A loop around the far rows takes the next piece of each, which begins at most a line behind this one. Prefetching
    // a line several times takes longer than waiting for it.
    if (const int64_t piece_size = piece * size; !vector_ && !write && elements.is_const())
      for (const auto& [name, value] : names_)
        if (const auto around = name == rows.var ? std::nullopt : index.affine_in(name);
            around && around->coefficient == elements) {
          const int64_t next = std::max(kLineBytes, piece_size) / size;
          if (piece_size >= kLineBytes / 2) prefetches_[&visitor].push_back({buffer, index + Dim(next)});
          return;
        }
    const Dim later = min(Dim::symbol(rows.var) + Dim(ahead), rows.extent - Dim(1));
    // A piece that is one step begins anywhere in a line, and ends in one more, if the rows do not keep their place.
    const bool straddles =
        vector_ && facts_.equal(mod(across->coefficient * Dim(size), Dim(kLineBytes)), 0) != Tri::Yes;
    prefetches_[&visitor].push_back({buffer, index.substitute(rows.var, later), write, straddles});
  };
  const auto plan = [&](const ir::Loop& visitor, const std::string& column, const Dim& elements) {
    for (const ir::Instr& i : visitor.body) {
      if (const auto* l = std::get_if<ir::LoadInstr>(&i.node); l && l->mask == ir::kNoReg)
        plan_access(visitor, l->buffer, l->index, false, column, elements);
      // A non-temporal store does not read its line.
      if (const auto* s = std::get_if<ir::StoreInstr>(&i.node); s && s->mask == ir::kNoReg && !s->stream)
        plan_access(visitor, s->buffer, s->index, true, column, elements);
    }
  };
  if (vector_) return plan(rows, vector_->var, int64_t{vector_->width} * vector_->copies);
  for (const ir::Instr& i : rows.body)
    if (const auto* loop = std::get_if<ir::Loop>(&i.node); loop && loop->vector > 1)
      plan(*loop, loop->var, loop->extent);
}

// For the vector loop of a tile whose iterations of `rows` go side by side.
void KernelEmitter::plan_tile_prefetches(const ir::Loop& rows, const ir::Loop& columns) {
  const auto plan = [&](uint32_t buffer, const Dim& index, bool write) {
    if (buffer >= kernel_.buffers.size()) return;
    const ir::KernelBuffer& b = kernel_.buffers[buffer];
    const int64_t size = b.dtype.size();
    if ((b.written && !write) || facts_.range(b.size).high < kMinBuffer / size) return;
    const auto along = index.affine_in(write ? columns.var : rows.var);
    const auto across = index.affine_in(write ? rows.var : columns.var);
    if (!along || !along->coefficient.is(1) || !across) return;
    if (facts_.less_equal(kMinJump / size, across->coefficient) != Tri::Yes) return;
    const int64_t ahead = write ? kLineBytes / size * kWrittenAhead : kStepsAhead * columns.vector;
    prefetches_[&columns].push_back(
        {buffer, index.substitute(columns.var, Dim::symbol(columns.var) + Dim(ahead)), write});
  };
  for (const ir::Instr& i : columns.body) {
    if (const auto* l = std::get_if<ir::LoadInstr>(&i.node); l && l->mask == ir::kNoReg)
      plan(l->buffer, l->index, false);
    // A non-temporal store does not read its line.
    if (const auto* s = std::get_if<ir::StoreInstr>(&i.node); s && s->mask == ir::kNoReg && !s->stream)
      plan(s->buffer, s->index, true);
  }
}

// In a full step of the vector loop `loop`: prefetches a line of a later row for each line that the step reads or
// writes of this row.
void KernelEmitter::emit_prefetches(const ir::Loop& loop) {
  auto found = prefetches_.find(&loop);
  if (found == prefetches_.end()) return;
  std::vector<std::string> bound;
  add_bound(kernel_.body, bound);
  for (const auto& [buffer, index, write, straddles] : found->second) {
    if (std::any_of(bound.begin(), bound.end(), [&](const std::string& name) { return index.uses(name); })) continue;
    const Address a = address(buffer, index);
    if (a.kind != Address::Kind::Strided) continue;
    // A tile has no position that says which rows are left.
    Value* end = nullptr;
    if (a.along_rows) {
      const Val start = uniform(buffers_[buffer], 0), size = eval(kernel_.buffer(buffer).size);
      end = pure({&start, &size}, [&](llvm::ArrayRef<Value*> v) {
              return builder_.CreateInBoundsGEP(a.element, v[0], v[1]);
            }).scalar();
    }
    const auto prefetch = [&, write = write](Value* at) {
      if (end) at = builder_.CreateSelect(builder_.CreateICmpULT(at, end), at, buffers_[buffer]);
      builder_.CreateIntrinsic(llvm::Intrinsic::prefetch, {builder_.getPtrTy()},
                               {at, builder_.getInt32(write ? 1 : 0), builder_.getInt32(2), builder_.getInt32(1)});
    };
    if (a.along_rows) {
      // The rows between those of the lanes have steps of their own.
      for (int lane = 0; lane < vector_->width; ++lane) prefetch(lane_address(a, 0, lane));
      continue;
    }
    if (a.stride < 1) continue;
    // Copies that are rows have lines of their own.
    int64_t next = 0;
    for (int c = 0; c < copies(); ++c) {
      const int64_t vector = vector_->width * a.stride * a.dtype.size(), at = c * vector;
      if (vector_->rows.empty() && at < next) continue;
      next = at + kLineBytes;
      for (int64_t line = 0; line < std::max<int64_t>(1, vector); line += kLineBytes)
        prefetch(builder_.CreateInBoundsGEP(a.element, copy_address(a, c), i64(line / a.dtype.size())));
    }
    if (straddles)
      prefetch(builder_.CreateInBoundsGEP(a.element, copy_address(a, copies() - 1), i64(vector_->width - 1)));
  }
}

}  // namespace frit::codegen
