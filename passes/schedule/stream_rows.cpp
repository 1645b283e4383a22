// stream_rows: marks two products with row-wise work between them, as of attention, to run for some rows at a time.
//
// The rows between the products then stay in cache and need no memory of their own (ir/kernel/row_stream.h). The loops
// of the work between them become one parallel loop over the rows. Results of non-temporal stores become ordinary ones.
// Rows of many lines are moved apart (row_spaces.h).
#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>

#include "ir/kernel/row_stream.h"
#include "ir/routines/routine.h"
#include "passes/lower/loop_nest.h"
#include "passes/manager/pass.h"
#include "passes/schedule/hidden_columns.h"
#include "passes/schedule/row_spaces.h"

namespace frit::passes {
namespace {

using namespace ir;

// Fewer rows of a product do not make up for packing its right operand.
constexpr int64_t kLeastRows = 32;

Loop* parallel(Kernel& k) {
  if (k.body.size() != 1) return nullptr;
  auto* loop = std::get_if<Loop>(&k.body[0].node);
  return loop && loop->kind == LoopKind::Parallel ? loop : nullptr;
}

void store_in_cache(Body& body) {
  for (Instr& i : body) {
    if (auto* store = std::get_if<StoreInstr>(&i.node)) store->stream = false;
    if (auto* loop = std::get_if<Loop>(&i.node)) store_in_cache(loop->body);
  }
}

// The loop that ends the body if it goes along a further axis of rows: each iteration writes its own elements, except
// for scratch memory, which is each row's own.
Loop* rows_inside(const Kernel& k, Loop& outer) {
  auto* inner = outer.body.empty() ? nullptr : std::get_if<Loop>(&outer.body.back().node);
  if (!inner || inner->vector || inner->lanes || !inner->accumulators.empty() || !inner->carries.empty() ||
      inner->extent.uses(outer.var))
    return nullptr;
  for (size_t i = 0; i + 1 < outer.body.size(); ++i) {
    const auto& node = outer.body[i].node;
    if (!std::holds_alternative<ScalarInstr>(node) && !std::holds_alternative<IndexInstr>(node)) return nullptr;
  }
  const std::function<bool(const Body&)> apart = [&](const Body& body) {
    return std::all_of(body.begin(), body.end(), [&](const Instr& i) {
      if (std::holds_alternative<BindInstr>(i.node)) return false;
      if (const auto* loop = std::get_if<Loop>(&i.node)) return apart(loop->body);
      const auto* store = std::get_if<StoreInstr>(&i.node);
      return !store || store->buffer >= k.buffers.size() || store->index.uses(inner->var);
    });
  };
  return apart(inner->body) ? inner : nullptr;
}

// One parallel loop over all rows.
void merge_rows(Kernel& k, const Dim& rows) {
  for (Loop* outer = parallel(k); outer && !(outer->extent == rows);) {
    Loop* inner = rows_inside(k, *outer);
    if (!inner) return;
    const std::string o = outer->var, i = inner->var;
    const Dim n = inner->extent, row = Dim::symbol(o);
    Body body = std::move(inner->body);
    outer->body.pop_back();
    std::move(body.begin(), body.end(), std::back_inserter(outer->body));
    outer->extent = k.facts.simplify(outer->extent * n);
    outer->grain = k.facts.simplify(max(outer->grain * n, Dim(1)));
    DimFacts known = k.facts;
    known.set_loop(o, outer->extent);
    rewrite_dims(outer->body, [&](const Dim& d) {
      // A position that goes on from one axis to the next needs no division.
      if (const auto along = d.affine_in(i); along && !along->coefficient.uses(o))
        if (const auto across = along->rest.affine_in(o);
            across && across->coefficient == along->coefficient * n && !across->rest.uses(i))
          return known.simplify(across->rest + along->coefficient * row);
      return known.simplify(d.substitute([&](const std::string& name) -> std::optional<Dim> {
        if (name == o) return floor_div(row, n);
        if (name == i) return mod(row, n);
        return std::nullopt;
      }));
    });
  }
}

// Whether launches and a product of what the last one of them writes follow.
bool leads_to_product(const Program& p, size_t i) {
  const Routine* routine = std::get<LibraryStep>(p.steps[i]).routine;
  const KernelStep* last = nullptr;
  for (++i; i < p.steps.size() && std::holds_alternative<KernelStep>(p.steps[i]); ++i)
    last = &std::get<KernelStep>(p.steps[i]);
  const auto* product = i < p.steps.size() ? std::get_if<LibraryStep>(&p.steps[i]) : nullptr;
  if (!last || !product || product->routine != routine) return false;
  const auto at = std::find(last->buffers.begin(), last->buffers.end(), product->operands[0].buffer);
  return at != last->buffers.end() &&
         p.kernels[last->kernel].buffers[static_cast<size_t>(at - last->buffers.begin())].written;
}

Result<bool> run_stream_rows(Function& f, PassContext& context) {
  const TargetTraits& t = context.target;
  if (t.grid || t.own_routines || t.cblas_routines || t.dense_results) return false;
  Program& p = *f.program;
  bool changed = false;
  for (size_t i = 0; i + 2 < p.steps.size(); ++i) {
    auto* product = std::get_if<LibraryStep>(&p.steps[i]);
    if (!product || is_marked(p.steps[i]) || !product->routine->takes_rows) continue;
    Dim rows = 1;
    const Shape& shape = product->results[0].layout.shape;
    for (size_t axis = 0; axis + 1 < shape.size(); ++axis) rows = rows * shape[axis];
    if (f.facts.range(shape[shape.size() - 2]).high < kLeastRows) continue;
    if (!leads_to_product(p, i)) continue;
    // Kernels that look like the work of a stream may lose nothing by it; they are changed on trial.
    Program trial = p;
    for (size_t at = i + 1; at < p.steps.size(); ++at) {
      const auto* launch = std::get_if<KernelStep>(&p.steps[at]);
      if (!launch) break;
      merge_rows(trial.kernels[launch->kernel], rows);
    }
    std::string why;
    const auto stream = row_stream_at(trial, i, why);
    if (!stream) {
      context.remark(f, "step " + std::to_string(i) + " is not streamed: " + why);
      continue;
    }
    Program shorter = trial;
    if (leave_out_hidden_columns(shorter, *stream) && row_stream_at(shorter, i, why)) trial = std::move(shorter);
    for (size_t at = i; at < stream->last; ++at) {
      const auto* launch = std::get_if<KernelStep>(&trial.steps[at]);
      if (const auto* library = std::get_if<LibraryStep>(&trial.steps[at]))
        launch = library->epilogue ? &*library->epilogue : nullptr;
      if (launch) store_in_cache(trial.kernels[launch->kernel].body);
    }
    p = std::move(trial);
    std::get<LibraryStep>(p.steps[i]).attrs.set(kRowStream, true);
    context.remark(f,
                   "steps " + std::to_string(i) + " to " + std::to_string(stream->last) + " run some rows at a time");
    changed = true;
  }
  return space_rows(p) || changed;
}

const RegisterPass stream_rows_pass({
    .name = "stream_rows",
    .doc = "marks products with row-wise work between them to run for some rows at a time",
    .needs = Level::Scheduled,
    .most = Level::Scheduled,
    .gives = Level::Scheduled,
    .run = run_stream_rows,
});

}  // namespace
}  // namespace frit::passes
