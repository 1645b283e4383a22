// Bookkeeping of the groups that `fuse` is making.
#include "passes/fuse/drafts.h"

#include <algorithm>

namespace frit::passes {

using namespace ir;

namespace {

// A group is closed at this much work per element, in scalar operations. Past it, registers spill, and compile time
// grows by more than fusing saves.
constexpr int kMaxGroupCost = 4096;
constexpr int kExpensiveCost = 12;
constexpr size_t kMaxGroupBuffers = 96;
constexpr size_t kMaxGroupOutputs = 16;  // a processor combines writes to few places at a time
// A loop of a later level computes values of earlier ones again. A chain of levels does the more of it the longer it
// grows; past this much, and twice the group's own work, storing a value is cheaper.
constexpr int kMaxAgainCost = 64, kMaxAgainShare = 2;
// A level is a loop of its own, and the compiler's work for one grows with the loops in front of it.
constexpr int kMaxLevels = 32;
constexpr size_t kMaxReaders = 64;  // past this many, a group is not considered for merging

int cost_of(const Op& op) { return op.def->has(kExpensive) ? kExpensiveCost : 1; }

bool does_much_again(int cost, int again) { return again > kMaxAgainCost && again > kMaxAgainShare * cost; }

void note(std::vector<int>& list, int g) {
  if (list.empty() || list.back() != g) list.push_back(g);
}

bool is_mergeable(const Draft& d) {
  return (d.kind == GroupKind::Loop || d.kind == GroupKind::Reduce) && !d.split && !d.arg &&
         d.readers.size() <= kMaxReaders;
}

}  // namespace

Drafts::Drafts(Function& f)
    : f_(f),
      home_(f.values.size(), -1),
      reads_(f.values.size()),
      depth_(f.values.size(), 0),
      level_(f.values.size(), 0),
      expensive_(f.values.size(), false),
      floating_(f.ops.size(), false),
      returned_(f.values.size(), false) {
  for (ValueId v : f.results) returned_[v] = true;
}

int Drafts::resolve(int g) const {
  while (g >= 0 && (*this)[g].merged_into >= 0) g = (*this)[g].merged_into;
  return g;
}

int Drafts::reach(ValueId v) const {
  int g = home(v);
  for (ValueId r : reads_[v]) g = std::max(g, home(r));
  return g;
}

int Drafts::max_reach(const Op& op) const {
  int g = -1;
  for (ValueId o : op.operands) g = std::max(g, reach(o));
  return g;
}

std::vector<ValueId> Drafts::reads_of(const Op& op) const {
  std::vector<ValueId> reads;
  for (ValueId o : op.operands) {
    if (is_floating(o))
      reads.insert(reads.end(), reads_[o].begin(), reads_[o].end());
    else
      reads.push_back(o);
  }
  std::sort(reads.begin(), reads.end());
  reads.erase(std::unique(reads.begin(), reads.end()), reads.end());
  return reads;
}

void Drafts::make_floating(uint32_t i) {
  const Op& op = f_.ops[i];
  floating_[i] = true;
  int depth = 0;
  for (ValueId o : op.operands) depth = std::max(depth, depth_[o]);
  const std::vector<ValueId> reads = reads_of(op);
  for (ValueId r : op.results) reads_[r] = reads, depth_[r] = depth + 1;
}

int Drafts::start(GroupKind kind, uint32_t op, Shape space, ReductionShape reduction) {
  groups_.push_back({kind, std::move(space), std::move(reduction)});
  const int g = static_cast<int>(groups_.size()) - 1;
  join(op, g);
  return g;
}

void Drafts::join(uint32_t i, int g) {
  const Op& op = f_.ops[i];
  Draft& d = (*this)[g];
  d.ops.push_back(i);
  d.cost += cost_of(op);
  for (ValueId r : op.results) {
    home_[r] = g;
    d.outputs += returned_[r];
  }
  note_level(op, g);
  for (ValueId o : op.operands) {
    const int h = home(o);
    if (h == g) continue;
    if (h >= 0) note((*this)[h].readers, g);
    if (!is_floating(o)) d.inputs.insert(o);
    for (ValueId r : reads_[o]) {
      d.inputs.insert(r);
      const int b = home(r);
      if (b >= 0) note((*this)[b].readers, g), note((*this)[b].index_readers, g);
    }
    // Readers of one value look for each other here.
    if (!shape(o).empty()) readers_[{o, d.iteration_space()}] = g;
  }
}

void Drafts::note_level(const Op& op, int g) {
  Draft& d = (*this)[g];
  const bool reduces = op.def->kind == OpKind::Reduction;
  int level = 0;
  for (ValueId o : op.operands)
    if (home(o) == g) level = std::max(level, level_[o]);
  bool expensive = op.def->has(kExpensive);
  for (ValueId o : op.operands) expensive |= home(o) == g && level_[o] == level && expensive_[o];
  for (ValueId r : op.results) level_[r] = level + reduces, expensive_[r] = expensive && !reduces;
  d.levels = std::max(d.levels, level + reduces);
  if (reduces && level > 0 && d.kind == GroupKind::Reduce) note_again(op.operands[0], level, g);
}

void Drafts::note_again(ValueId v, int level, int g) {
  Draft& d = (*this)[g];
  std::vector<ValueId> open = {v};
  while (!open.empty()) {
    v = open.back();
    open.pop_back();
    const Op* op = f_.def_of(v);
    // A result per row is computed once, in front of the loop.
    if (!op || home(v) != g || op->def->kind == OpKind::Reduction || !d.reduction.is_full(shape(v))) continue;
    if (!d.again.insert({level, v}).second) continue;
    // Lowering keeps an expensive value of a whole row: it is read, not computed.
    const bool kept = level_[v] < level && expensive_[v] && d.reduction.keeps_rows();
    if (level_[v] < level && op->def->kind != OpKind::Index) d.again_cost += kept ? 1 : cost_of(*op);
    if (!kept) open.insert(open.end(), op->operands.begin(), op->operands.end());
  }
}

bool Drafts::is_full(int g) const {
  const Draft& d = (*this)[g];
  if (d.levels >= kMaxLevels || does_much_again(d.cost, d.again_cost)) return true;
  return d.cost >= kMaxGroupCost || d.inputs.size() >= kMaxGroupBuffers || d.outputs >= kMaxGroupOutputs;
}

std::string Drafts::fullness(int g) const {
  const Draft& d = (*this)[g];
  if (d.outputs >= kMaxGroupOutputs) return std::to_string(d.outputs) + " results";
  if (d.levels >= kMaxLevels) return std::to_string(d.levels) + " levels of reductions";
  if (does_much_again(d.cost, d.again_cost))
    return std::to_string(d.again_cost) + " scalar operations that its levels of reductions do again";
  return d.inputs.size() >= kMaxGroupBuffers ? std::to_string(d.inputs.size()) + " inputs"
                                             : std::to_string(d.cost) + " scalar operations";
}

const char* Drafts::why_apart(int from, int to) const {
  const Draft &a = (*this)[from], &b = (*this)[to];
  for (const Draft* d : {&a, &b}) {
    if (d->kind == GroupKind::Library) return "a library routine and a later kernel stay apart, but for its epilogue";
    if (d->kind == GroupKind::Scatter) return "a scatter is a kernel of its own";
    if (d->split) return "the blocks of a split reduction run in parallel and are combined by a second kernel";
    if (d->arg) return "argmax and argmin stand alone among reductions";
  }
  if (!is_mergeable(a) || !is_mergeable(b)) return "one of the two kernels has more readers than are considered";
  if (a.cost + b.cost > kMaxGroupCost) return "together they have too many scalar operations";
  if (does_much_again(a.cost + b.cost, a.again_cost + b.again_cost))
    return "their levels of reductions do too many scalar operations again";
  if (a.inputs.size() + b.inputs.size() > kMaxGroupBuffers) return "together they read too many buffers";
  if (a.outputs + b.outputs > kMaxGroupOutputs) return "together they have too many results";
  if (a.iteration_space() != b.iteration_space()) return "they run over different shapes";
  if (a.scan || b.scan) {
    if (a.scan && b.scan && *a.scan != *b.scan) return "their scans run in different directions or orders";
    if (a.scan && b.scan && a.scan->block) return "each of them scans in blocks";
    if (a.kind != GroupKind::Loop || b.kind != GroupKind::Loop) return "a scan does not join a reduction";
  }
  const bool reduces = a.kind == GroupKind::Reduce;
  if (reduces && b.kind == GroupKind::Reduce && !(a.reduction == b.reduction)) return "they reduce different axes";
  auto is_to = [&](int r) { return resolve(r) == to; };
  if (std::any_of(a.readers.begin(), a.readers.end(), [&](int r) { return resolve(r) != from && resolve(r) < to; }))
    return "a kernel between the two reads the first one's result";
  if (std::any_of(a.index_readers.begin(), a.index_readers.end(), is_to))
    return "the second reads the first one's result at other positions than it was computed for";
  // Inside one kernel rows and full values meet only through ops that say how; a reader at full shape of a row value
  // would not fit.
  if (reduces && std::any_of(a.readers.begin(), a.readers.end(), is_to))
    return "a result per row would have to be finished before the rest of its row is computed";
  return nullptr;
}

bool Drafts::merge(int from, int to) {
  if (why_apart(from, to)) return false;
  Draft &a = (*this)[from], &b = (*this)[to];
  if (a.kind == GroupKind::Reduce) {
    b.kind = GroupKind::Reduce;
    b.reduction = a.reduction;
  }
  if (a.scan) b.scan = a.scan;
  b.ops.insert(b.ops.end(), a.ops.begin(), a.ops.end());
  b.cost += a.cost;
  b.again.merge(a.again);
  b.again_cost += a.again_cost;
  b.levels = std::max(a.levels, b.levels);
  b.outputs += a.outputs;
  b.inputs.merge(a.inputs);
  b.readers.insert(b.readers.end(), a.readers.begin(), a.readers.end());
  b.index_readers.insert(b.index_readers.end(), a.index_readers.begin(), a.index_readers.end());
  a.merged_into = to;
  a.ops.clear();
  return true;
}

size_t Drafts::ReaderHash::operator()(const ReaderKey& k) const {
  Hasher hasher;
  hasher.add(k.value);
  for (const Dim& d : k.space) d.hash_into(hasher);
  return hasher.finish().low;
}

int Drafts::reader(ValueId v, const Shape& space) const {
  const auto found = readers_.find({v, space});
  return found == readers_.end() ? -1 : resolve(found->second);
}

ValueId Drafts::copy_to_own_group(ValueId v, GroupKind kind) {
  const ValueId fresh = copy(v);
  start(kind, f_.values[fresh].op, shape(v));
  return fresh;
}

ValueId Drafts::copy(ValueId v) {
  Op copy = f_.ops[f_.values[v].op];
  const auto i = static_cast<uint32_t>(f_.ops.size());
  const auto fresh = static_cast<ValueId>(f_.values.size());
  f_.values.push_back({f_.type(v), i, 0, {}});
  copy.results = {fresh};
  f_.ops.push_back(std::move(copy));
  floating_.push_back(false);
  returned_.push_back(false);
  home_.push_back(-1), reads_.emplace_back(), depth_.push_back(0);
  level_.push_back(0), expensive_.push_back(false);
  return fresh;
}

void Drafts::finish(std::vector<int>* numbers) {
  std::vector<OpGroup> groups;
  std::vector<int> live(groups_.size(), -1);
  for (size_t i = 0; i < groups_.size(); ++i) {
    if (groups_[i].merged_into >= 0) continue;
    live[i] = static_cast<int>(groups.size());
    groups.push_back({groups_[i].kind, std::move(groups_[i].ops)});
  }
  std::vector<int32_t> renamed;
  regroup(f_, std::move(groups), floating_, numbers ? &renamed : nullptr);
  if (!numbers) return;
  for (size_t i = 0; i < groups_.size(); ++i) {
    const int own = live[static_cast<size_t>(resolve(static_cast<int>(i)))];
    numbers->push_back(renamed[static_cast<size_t>(own)]);
  }
}

}  // namespace frit::passes
