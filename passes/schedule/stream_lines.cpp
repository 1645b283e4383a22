// Rows that begin anywhere in a line, whose results are written past the caches.
#include "passes/schedule/stream_lines.h"

#include <algorithm>
#include <vector>

#include "passes/lower/loop_nest.h"
#include "passes/schedule/body_work.h"

namespace frit::passes {

using namespace ir;

namespace {

// Bytes of a row from which on its first and last line, which are written in parts, do not matter.
constexpr int64_t kLongRowBytes = 3072;
// The same where memory bounds the work, so that a masked step more takes no time: for a row that one loop visits, and
// for one that several loops do. The work of all of them for an element is at most this.
constexpr int64_t kLightRowBytes = 512, kLightRowsBytes = 1024, kLightWork = 20;
// The same of a piece, whose lines would push out operands.
constexpr int64_t kLongPieceBytes = 2000;

// Positions with divisions are quicker to find where vectors begin at multiples of their width.
bool is_plain_row(const Loop& loop) {
  return std::all_of(loop.body.begin(), loop.body.end(), [&](const Instr& i) {
    if (const auto* l = std::get_if<LoadInstr>(&i.node)) return l->index.affine_in(loop.var).has_value();
    if (const auto* s = std::get_if<StoreInstr>(&i.node)) return s->index.affine_in(loop.var).has_value();
    if (const auto* x = std::get_if<IndexInstr>(&i.node)) return x->index.affine_in(loop.var).has_value();
    return std::holds_alternative<ScalarInstr>(i.node);
  });
}

// Bytes of a row of the result from which on it is worth beginning at a line. `row` is the body that the loop over the
// row lies in. A rounding to bf16 takes some operations, and beside those memory is no bound. Nor is it where single
// elements of 16 bits go up to the line.
int64_t least_bytes(const Body& row, Dtype result, bool masks_small) {
  int64_t loops = 0, work = 0;
  for (const Instr& i : row)
    if (const auto* loop = std::get_if<Loop>(&i.node)) {
      if (contains_loop(loop->body)) return kLongRowBytes;
      ++loops, work += leaf_work(loop->body);
    }
  if (result == bfloat16 || (result.size() < 4 && !masks_small) || work > kLightWork) return kLongRowBytes;
  return loops == 1 ? kLightRowBytes : kLightRowsBytes;
}

}  // namespace

std::vector<LooseBuffers> loose_buffers(const Program& p) {
  const auto is_loose = [&](uint32_t buffer) {
    for (; p.buffers[buffer].role == BufferRole::Part; buffer = p.buffers[buffer].whole)
      if (!mod(p.buffers[buffer].at, Dim(kLineBytes / p.buffers[buffer].dtype.size())).is(0)) return true;
    return false;
  };
  std::vector<LooseBuffers> all(p.kernels.size());
  const auto look = [&](const KernelStep& launch) {
    for (uint32_t i = 0; i < launch.buffers.size(); ++i)
      if (is_loose(launch.buffers[i])) all[launch.kernel].insert(i);
  };
  for (const Step& s : p.steps) {
    if (const auto* launch = std::get_if<KernelStep>(&s)) look(*launch);
    if (const auto* library = std::get_if<LibraryStep>(&s); library && library->epilogue) look(*library->epilogue);
  }
  return all;
}

bool StreamedResults::take(const StoreInstr& store, const Kernel& k) const {
  if (store.mask != kNoReg || store.buffer >= k.buffers.size() || loose.count(store.buffer)) return false;
  const KernelBuffer& b = k.buffers[store.buffer];
  if (b.read) return false;
  const Dim size = b.size * Dim(b.dtype.size());
  const auto has = [&](int64_t least, const Dim& d) { return k.facts.less_equal(least, d) == Tri::Yes; };
  if (has(bytes, size)) return true;
  Dim all = 0;
  for (const KernelBuffer& buffer : k.buffers) all = all + buffer.size * Dim(buffer.dtype.size());
  if (by_pieces) return has(bytes / 4, size) && has(bytes / 8 * 5, all);
  // Half of the cache is lost to whoever reads the result next, if the operands take the rest and more.
  if (!has(bytes / 2, size)) return false;
  return has(bytes, floor_div(all * Dim(4), 5));
}

void stream_from_lines(Loop& loop, const Body& row, const StreamedResults& streamed, const Kernel& k) {
  if (loop.kind != LoopKind::Serial || !loop.accumulators.empty() || !loop.carries.empty() || !is_plain_row(loop))
    return;
  StreamedResults results = streamed;
  if (results.whole_rows) results.by_pieces = false;
  std::vector<StoreInstr*> stores;
  std::optional<Dim> phase;
  for (Instr& i : loop.body) {
    auto* store = std::get_if<StoreInstr>(&i.node);
    if (!store) continue;
    const auto affine = store->index.affine_in(loop.var);
    if (store->stream || !affine->coefficient.is(1) || !results.take(*store, k)) return;
    const Dtype type = k.buffers[store->buffer].dtype;
    const int64_t size = type.size(),
                  least = results.by_pieces ? kLongPieceBytes : least_bytes(row, type, results.masks_small);
    if (k.facts.range(loop.extent).high < least / size) return;
    if (phase && (store->buffer != stores[0]->buffer || !mod(affine->rest - *phase, Dim(kLineBytes / size)).is(0)))
      return;
    phase = affine->rest;
    stores.push_back(store);
  }
  for (StoreInstr* s : stores) s->stream = true;
}

}  // namespace frit::passes
