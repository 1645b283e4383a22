// Moves the rows of row streams apart.
//
// Products read and write some rows side by side, a line of each at a time. Rows of a power of two of bytes have these
// lines in few sets of the first-level cache, which then holds no more of them than it has ways. Rows of an odd number
// of lines have them in different sets. A vector of a row that begins with a line is within one.
#include "passes/schedule/row_spaces.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/kernel/row_stream.h"
#include "passes/schedule/merged_kernels.h"

namespace frit::passes {
namespace {

using namespace ir;

// The bytes of a line, and the lines that rows have at least to compete for sets.
constexpr int64_t kLine = 64, kManyLines = 8;

// A stream whose rows of `length` elements are to lie `stride` elements apart.
struct Spaced {
  RowStream stream;
  Dim length, stride;
};

LibraryStep& product_at(Program& p, size_t step) { return std::get<LibraryStep>(p.steps[step]); }

std::optional<Spaced> spaced(Program& p, RowStream stream) {
  if (stream.scores == kNone) return std::nullopt;
  const Layout& scores = product_at(p, stream.first).results[0].layout;
  const Dim length = scores.shape.back();
  if (!length.is_const() || scores.strides != row_major_strides(scores.shape)) return std::nullopt;
  int64_t element = kLine;
  for (uint32_t b : stream.rows) element = std::min(element, int64_t{p.buffers[b].dtype.size()});
  const int64_t bytes = length.value() * element, lines = (bytes + kLine - 1) / kLine;
  const int64_t stride = (lines | 1) * kLine / element;
  if (lines < kManyLines || stride == length.value()) return std::nullopt;
  return Spaced{std::move(stream), length, Dim(stride)};
}

// The launches between the products.
std::vector<KernelStep*> launches_of(Program& p, const RowStream& stream) {
  std::vector<KernelStep*> launches;
  if (auto& epilogue = product_at(p, stream.first).epilogue) launches.push_back(&*epilogue);
  for (size_t i = stream.first + 1; i < stream.last; ++i) launches.push_back(&std::get<KernelStep>(p.steps[i]));
  return launches;
}

// For each argument of a kernel the distance of its rows, or 0 for no rows.
using Distances = std::vector<int64_t>;

Distances distances(const KernelStep& launch, const Spaced& s) {
  Distances all;
  for (uint32_t b : launch.buffers)
    all.push_back(std::binary_search(s.stream.rows.begin(), s.stream.rows.end(), b) ? s.stride.value() : 0);
  return all;
}

// Drops streams that share a kernel with a launch that wants it otherwise, and then those that share one with these.
void drop_mixed(Program& p, std::vector<Spaced>& streams) {
  for (bool changed = true; changed;) {
    std::map<const KernelStep*, const Spaced*> owner;
    for (const Spaced& s : streams)
      for (const KernelStep* launch : launches_of(p, s.stream)) owner[launch] = &s;
    std::map<uint32_t, Distances> wanted;
    std::vector<bool> mixed(p.kernels.size());
    each_launch(p, [&](KernelStep& launch, bool) {
      const auto found = owner.find(&launch);
      Distances own;
      if (found != owner.end() && launch.sizes.empty()) own = distances(launch, *found->second);
      const auto [first, is_new] = wanted.try_emplace(launch.kernel, own);
      if (first->second != own || (found != owner.end() && own.empty())) mixed[launch.kernel] = true;
    });
    const size_t before = streams.size();
    std::erase_if(streams, [&](const Spaced& s) {
      const std::vector<KernelStep*> launches = launches_of(p, s.stream);
      return std::any_of(launches.begin(), launches.end(), [&](const KernelStep* l) { return mixed[l->kernel]; });
    });
    changed = streams.size() < before;
  }
}

// Positions in rows of `length` elements, where row `row` begins at `length` times its number, are positions in rows
// that lie `stride` apart.
void move_rows(Body& body, const std::vector<bool>& rows, const std::string& row, const Dim& stride) {
  const auto moved = [&](uint32_t buffer, Dim& index) {
    if (buffer >= rows.size() || !rows[buffer]) return;
    index = index.affine_in(row)->rest + stride * Dim::symbol(row);
  };
  for (Instr& i : body) {
    if (auto* load = std::get_if<LoadInstr>(&i.node)) moved(load->buffer, load->index);
    if (auto* store = std::get_if<StoreInstr>(&i.node)) moved(store->buffer, store->index);
    if (auto* loop = std::get_if<Loop>(&i.node)) move_rows(loop->body, rows, row, stride);
  }
}

void space_kernel(Kernel& k, const Distances& distances, const Spaced& s) {
  std::vector<bool> rows;
  for (int64_t d : distances) rows.push_back(d != 0);
  auto& loop = std::get<Loop>(k.body[0].node);
  for (size_t i = 0; i < rows.size(); ++i)
    if (rows[i]) k.buffers[i].size = k.facts.simplify(loop.extent * s.stride);
  move_rows(loop.body, rows, loop.var, s.stride);
}

void space_windows(Program& p, const Spaced& s) {
  for (Window* w : {&product_at(p, s.stream.first).results[0], &product_at(p, s.stream.last).operands[0]}) {
    Shape shape = w->layout.shape;
    shape.back() = s.stride;
    w->layout.strides = row_major_strides(shape);
  }
}

}  // namespace

bool space_rows(Program& p) {
  std::vector<Spaced> streams;
  for (RowStream& stream : row_streams(p))
    if (auto s = spaced(p, std::move(stream))) streams.push_back(*std::move(s));
  drop_mixed(p, streams);
  std::vector<bool> done(p.kernels.size());
  for (const Spaced& s : streams) {
    for (const KernelStep* launch : launches_of(p, s.stream)) {
      if (done[launch->kernel]) continue;
      done[launch->kernel] = true;
      space_kernel(p.kernels[launch->kernel], distances(*launch, s), s);
    }
    const Shape& shape = product_at(p, s.stream.first).results[0].layout.shape;
    Dim rows = 1;
    for (size_t axis = 0; axis + 1 < shape.size(); ++axis) rows = rows * shape[axis];
    for (uint32_t b : s.stream.rows) p.buffers[b].size = rows * s.stride;
    space_windows(p, s);
  }
  return !streams.empty();
}

}  // namespace frit::passes
