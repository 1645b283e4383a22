// stream_columns: marks products of few rows whose right operand a kernel makes, as of packed or converted weights, to
// make and multiply some columns of it at a time.
//
// The columns then stay in cache and need no memory of their own (ir/kernel/row_stream.h). The launch moves to the
// product, behind launches that do not depend on it. Its non-temporal stores become ordinary ones.
#include <algorithm>
#include <optional>

#include "ir/kernel/row_stream.h"
#include "ir/routines/routine.h"
#include "passes/manager/pass.h"

namespace frit::passes {
namespace {

using namespace ir;

// Products of more rows take as long as several passes over the operand, and block it better as a whole. A vector's
// product reads the operand once, in an order of its own.
constexpr int64_t kFewestRows = 2, kMostRowsOfColumns = 64;
// Fewer elements stay in cache anyway.
constexpr int64_t kLeastElements = (int64_t{1} << 16) + 1;

void keep_in_cache(Body& body) {
  for (Instr& i : body) {
    if (auto* store = std::get_if<StoreInstr>(&i.node)) store->stream = false;
    if (auto* loop = std::get_if<Loop>(&i.node)) keep_in_cache(loop->body);
  }
}

bool worth_it(const Function& f, const LibraryStep& product) {
  const Shape& a = product.operands[0].layout.shape;
  const auto rows = f.facts.range(a[a.size() - 2]);
  Dim elements = 1;
  for (const Dim& d : product.operands[1].layout.shape) elements = elements * d;
  return rows.low >= kFewestRows && rows.high <= kMostRowsOfColumns && f.facts.range(elements).low >= kLeastElements;
}

// The launch that writes the buffer last before the step `at`, if only launches follow it.
std::optional<size_t> maker(const Program& p, uint32_t buffer, size_t at) {
  while (at-- > 0) {
    const auto* launch = std::get_if<KernelStep>(&p.steps[at]);
    if (!launch) return std::nullopt;
    for (size_t i = 0; i < launch->buffers.size(); ++i)
      if (launch->buffers[i] == buffer && p.kernels[launch->kernel].buffers[i].written) return at;
  }
  return std::nullopt;
}

// Whether the launches may change places.
bool independent(const Program& p, const KernelStep& a, const KernelStep& b) {
  for (size_t i = 0; i < a.buffers.size(); ++i)
    for (size_t j = 0; j < b.buffers.size(); ++j)
      if (p.root(a.buffers[i]) == p.root(b.buffers[j]) &&
          (p.kernels[a.kernel].buffers[i].written || p.kernels[b.kernel].buffers[j].written))
        return false;
  return true;
}

bool move_to(Program& p, size_t from, size_t to) {
  for (; from < to; ++from) {
    if (!independent(p, std::get<KernelStep>(p.steps[from]), std::get<KernelStep>(p.steps[from + 1]))) return false;
    std::swap(p.steps[from], p.steps[from + 1]);
  }
  return true;
}

// Launches of one kernel share its code, whose stores change.
bool is_shared(const Program& p, uint32_t kernel) {
  int64_t launches = 0;
  for (const Step& step : p.steps)
    if (const auto* launch = std::get_if<KernelStep>(&step)) launches += launch->kernel == kernel;
  return launches > 1;
}

Result<bool> run_stream_columns(Function& f, PassContext& context) {
  const TargetTraits& t = context.target;
  if (t.grid || t.own_routines || t.cblas_routines || t.dense_results) return false;
  Program& p = *f.program;
  bool changed = false;
  for (size_t i = 1; i < p.steps.size(); ++i) {
    const auto* product = std::get_if<LibraryStep>(&p.steps[i]);
    if (!product || !product->routine->takes_rows || is_marked(p.steps[i]) || !worth_it(f, *product)) continue;
    const std::vector<RowStream> streams = row_streams(p);
    if (std::any_of(streams.begin(), streams.end(), [&](const RowStream& s) { return s.first <= i && i <= s.last; }))
      continue;
    const auto launch = maker(p, product->operands[1].buffer, i);
    if (!launch) continue;
    Program trial = p;
    std::string why = "its launch cannot move to it";
    const auto stream = move_to(trial, *launch, i - 1) ? column_stream_at(trial, i, why) : std::nullopt;
    if (!stream) {
      context.remark(f, "the right operand of step " + std::to_string(i) + " is not streamed: " + why);
      continue;
    }
    const uint32_t kernel = std::get<KernelStep>(trial.steps[i - 1]).kernel;
    if (!is_shared(trial, kernel)) keep_in_cache(trial.kernels[kernel].body);
    p = std::move(trial);
    std::get<LibraryStep>(p.steps[i]).attrs.set(kColumnStream, true);
    context.remark(f, "the right operand of step " + std::to_string(i) + " is made some columns at a time");
    changed = true;
  }
  return changed;
}

const RegisterPass stream_columns_pass({
    .name = "stream_columns",
    .doc = "marks products of few rows to make some columns of their right operand at a time",
    .needs = Level::Scheduled,
    .most = Level::Scheduled,
    .gives = Level::Scheduled,
    .run = run_stream_columns,
});

}  // namespace
}  // namespace frit::passes
