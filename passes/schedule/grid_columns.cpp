// Grid schedules of reductions along columns.
#include "passes/schedule/grid_columns.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <set>

#include "passes/lower/loop_nest.h"
#include "passes/schedule/body_work.h"
#include "passes/schedule/grid_schedule.h"

namespace frit::passes {

using namespace ir;

namespace {

constexpr int kColumnLanes = 128;                       // longer loops with lanes go along rows
constexpr int64_t kKeptOfColumn = 48;                   // elements of a column that an invocation keeps in registers
constexpr int64_t kRowsOfOne = 8;                       // elements of a column that are enough work for an invocation
constexpr int64_t kColumnStates = 64;                   // of all accumulators of an invocation
constexpr int64_t kBusyInvocations = int64_t{1} << 17;  // invocations that keep a device busy
constexpr int64_t kProcessors = 128;
constexpr int kColumnGroup = 256, kMostColumnGroup = 1024, kColumnSegment = 64, kColumnsBeside = 64,
              kColumnSubgroup = 32;

void visit_loops(const Body& body, const std::function<void(const Loop&)>& f) {
  for (const Instr& i : body)
    if (auto* loop = std::get_if<Loop>(&i.node)) f(*loop), visit_loops(loop->body, f);
}

void visit_loops(Body& body, const std::function<void(Loop&)>& f) {
  for (Instr& i : body)
    if (auto* loop = std::get_if<Loop>(&i.node)) f(*loop), visit_loops(loop->body, f);
}

// The columns of a kernel.
struct Columns {
  int64_t count = 0;   // of all
  int64_t beside = 0;  // that lie side by side, before the next row
  int64_t length = 1;  // the longest loop's trip count
  int64_t passes = 0;  // loops over a column
  int64_t states = 1;  // the accumulators of a loop with lanes
  int lanes = 0, bytes = kColumnSegment;
  bool known = true;  // all trip counts are constants
};

// How the loads of `loop`, which has lanes, lie to the iterations of `all`: in columns above zero, along rows below.
int columns_along(const Kernel& k, const Loop& all, const Loop& loop, Columns& c) {
  int along = 0;
  for (const Instr& i : loop.body) {
    auto* load = std::get_if<LoadInstr>(&i.node);
    if (!load || !load->index.uses(loop.var)) continue;
    const auto step = load->index.affine_in(loop.var);
    const bool apart =
        step && !step->coefficient.is(1) && stride_of(load->index, all.var, 1, k).kind == Stride::Kind::Contiguous;
    along += apart ? 1 : -1;
    if (!apart) continue;
    c.bytes = std::min<int>(c.bytes, k.buffer(load->buffer).dtype.size());
    const bool fixed = step->coefficient.is_const() && step->coefficient.value() > 0;
    c.beside = std::max(c.beside, fixed ? step->coefficient.value() : int64_t{kColumnSegment});
  }
  return along;
}

Columns columns_of(const Kernel& k) {
  Columns c;
  const Loop* all = parallel_loop(k);
  if (!all || !k.locals.empty() || !contains_lanes(k.body)) return {};
  int along = 0;
  bool fits = true;
  std::set<std::string> varying = {all->var};
  visit_loops(all->body, [&](const Loop& loop) {
    fits = fits && loop.carries.empty();
    for (const Instr& i : loop.body)
      if (auto* bind = std::get_if<BindInstr>(&i.node)) varying.insert(bind->name);
    c.known = c.known && loop.extent.is_const();
    if (!contains_loop(loop.body)) {
      c.length = std::max(c.length, k.facts.range(loop.extent).high);
      ++c.passes;
    }
    if (loop.lanes == 0) return;
    c.lanes = std::max(c.lanes, loop.lanes);
    c.states = std::max(c.states, static_cast<int64_t>(loop.accumulators.size()));
    along += columns_along(k, *all, loop, c);
  });
  for (const Instr& i : all->body)
    if (auto* bind = std::get_if<BindInstr>(&i.node)) varying.insert(bind->name);
  // Invocations meet inside of a loop around loops with lanes, so all columns of a workgroup have as many iterations.
  visit_loops(all->body, [&](const Loop& loop) {
    if (contains_lanes(loop.body))
      fits = fits && std::none_of(varying.begin(), varying.end(), [&](const auto& v) { return loop.extent.uses(v); });
  });
  if (!fits || along <= 0 || c.lanes > kColumnLanes) return {};
  c.count = k.facts.range(all->extent).high;
  return c;
}

// Whether the order in which an accumulator takes its values changes no bit of its result.
bool takes_any_order(const Accumulator& a) { return finds_position(a) || !is_float(a.type); }

// The columns that a workgroup reads side by side where `invocations` share each.
int columns_together(const Columns& c, int invocations, int most) {
  // Where registers are few, a column's segment is shorter, as workgroups of many invocations are.
  const bool few_registers = (c.passes > 1 && c.known) || invocations > kColumnGroup / 16;
  int columns = std::max({kColumnGroup / invocations, kColumnSegment / c.bytes, few_registers ? 1 : kColumnSubgroup});
  columns = static_cast<int>(std::min<int64_t>(
      columns, std::bit_ceil(static_cast<uint64_t>(std::clamp<int64_t>(c.beside, 1, kColumnsBeside)))));
  // Few columns are dealt to many processors.
  while (columns > 4 && c.count / columns < kProcessors && columns * invocations > 32) columns /= 2;
  while (columns > 1 && columns * invocations > most) columns /= 2;
  return columns;
}

}  // namespace

bool goes_along_columns(const Kernel& k) { return columns_of(k).lanes > 0; }

void schedule_columns(Kernel& k) {
  // A column shorter than the lanes leaves the other lanes at the identity, so they can go.
  visit_loops(k.body, [&](Loop& loop) {
    const int64_t high = loop.extent.is_const() ? std::max<int64_t>(loop.extent.value(), 1) : INT64_MAX;
    if (loop.lanes > 0 && high < loop.lanes) loop.lanes = static_cast<int>(std::bit_ceil(static_cast<uint64_t>(high)));
  });
  const Columns c = columns_of(k);
  const auto lanes = static_cast<int64_t>(c.lanes);
  int64_t invocations = 1;
  // Elements that several loops read stay in registers.
  if (c.passes > 1 && c.known)
    while (invocations < lanes && invocations * kKeptOfColumn < c.length) invocations *= 2;
  while (invocations < lanes && lanes / invocations * c.states > kColumnStates) invocations *= 2;
  const int64_t count = std::max<int64_t>(c.count, 1);
  while (invocations < lanes && count < kBusyInvocations / invocations && c.length / invocations > kRowsOfOne)
    invocations *= 2;
  // Columns of short rows: neighbouring invocations take neighbouring rows.
  while (invocations < lanes && invocations * std::min<int64_t>(c.beside, kColumnGroup) < kColumnGroup)
    invocations *= 2;
  visit_loops(k.body, [&](Loop& loop) {
    loop.vector = 1;
    if (loop.lanes == 0) return;
    loop.lanes = std::max(loop.lanes, static_cast<int>(invocations));
    // One state for each invocation is less to fold.
    if (std::all_of(loop.accumulators.begin(), loop.accumulators.end(), takes_any_order))
      loop.lanes = static_cast<int>(invocations);
    loop.unroll = loop.lanes / static_cast<int>(invocations);
  });
}

int columns_at_once(const Kernel& k, int most) {
  const Columns c = columns_of(k);
  return c.lanes > 0 ? columns_together(c, row_invocations(k), std::min(most, kMostColumnGroup)) : 0;
}

}  // namespace frit::passes
