// fuse: puts every op into a group, and each group becomes one kernel, one library call with its epilogue, or no code
// at all.
//
// Groups are numbered in the order in which they run, and an op only ever joins a group at or after those of its
// operands, so no cycle can arise and one walk over the ops is enough. What decides:
//   - A value is "floating" when computing it at a position costs next to nothing: constants, positions, index ops on
//   values from outside the
//     group, and cheap arithmetic on one element. Floating ops are copied into every group that uses them: views become
//     index arithmetic. So is elementwise work whose one use is an index op that repeats nothing, where what uses that
//     in turn is computed anyway: it moves behind the index op.
//   - An elementwise op joins the group of its operands when their iteration spaces agree, or a later group with the
//   same space that reads
//     the same values (siblings). It may leave several outputs.
//   - A reduction turns the loop that feeds it into rows; further reductions over the same axes, what is computed per
//   row, and what uses a
//     row's result at full shape join it: softmax, norms and cross entropy become one kernel.
//   - Two groups whose results meet in one op become one, unless a group between them reads the first.
//   - A library op starts a group, and elementwise ops of its result's shape follow as its epilogue.
#include <algorithm>
#include <map>
#include <set>

#include "ir/routines/routine.h"
#include "passes/fuse/movable.h"
#include "passes/fuse/reduction_shape.h"
#include "passes/fuse/regroup.h"
#include "passes/manager/pass.h"

namespace frit::passes {
namespace {

using namespace ir;

// A group may hold this much work per element, in scalar operations, before it is closed: past it, registers spill and
// compile time grows faster than what fusing saves.
constexpr int kMaxGroupCost = 4096;
constexpr int kExpensiveCost = 12;
constexpr size_t kMaxGroupBuffers = 96;
constexpr size_t kMaxFloatingReads = 32;
constexpr int kMaxFloatingDepth = 16;
constexpr size_t kMaxReaders = 64;  // past this many, a group is not considered for merging

struct Draft {
  GroupKind kind;
  Shape space;                     // Loop, Library
  ReductionShape reduction;        // Reduce
  std::vector<uint32_t> ops = {};  // members
  int merged_into = -1;            // a later group that has taken this one's ops
  int cost = 0;
  std::set<ValueId> inputs = {};        // values read from memory
  bool split = false;                   // a reduction over blocks
  bool arg = false;                     // argmax/argmin: alone among reductions
  std::vector<int> readers = {};        // groups that read a result of this one from memory
  std::vector<int> index_readers = {};  // those of them that read at other positions
};

class Fuser {
 public:
  Fuser(Function& f, PassContext& context)
      : f_(f),
        context_(context),
        home_(f.values.size(), -1),
        reads_(f.values.size()),
        depth_(f.values.size(), 0),
        floating_(f.ops.size(), false),
        movable_(context.fuse ? find_movable(f) : std::vector<bool>(f.values.size(), false)),
        for_library_(f.values.size(), false) {
    for (const Op& op : f.ops)
      if (op.def->kind == OpKind::Library)
        for (ValueId o : op.operands) for_library_[o] = true;
  }

  void run() {
    for (uint32_t i = 0, n = static_cast<uint32_t>(f_.ops.size()); i < n; ++i) place(i);
    for (ValueId& r : f_.results) r = stored(r);
    rebuild();
  }

 private:
  ValueId result(uint32_t i) const { return f_.ops[i].results[0]; }
  const Shape& shape(ValueId v) const { return f_.type(v).shape; }

  // The group that took over `g`, or `g`.
  int resolve(int g) const {
    while (g >= 0 && groups_[g].merged_into >= 0) g = groups_[g].merged_into;
    return g;
  }
  // The group that computes `v`, or -1 for parameters and floating values.
  int home(ValueId v) const { return resolve(home_[v]); }
  // The latest group that must have run before `v` can be read, or -1.
  int reach(ValueId v) const {
    int g = home(v);
    for (ValueId r : reads_[v]) g = std::max(g, home(r));
    return g;
  }
  int max_reach(const Op& op) const {
    int g = -1;
    for (ValueId o : op.operands) g = std::max(g, reach(o));
    return g;
  }

  bool is_floating(ValueId v) const { return f_.def_of(v) && floating_[f_.values[v].op]; }

  // The values in memory that computing `op` at a position may read, sorted.
  std::vector<ValueId> reads_of(const Op& op) const {
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

  // Whether to leave an elementwise op to the kernel that reads it through an index op.
  bool moves(const Op& op, int g) const {
    if (!movable_[op.results[0]] || reads_of(op).size() > kMaxFloatingReads) return false;
    for (ValueId o : op.operands)
      if (depth_[o] >= kMaxFloatingDepth) return false;
    // Behind a routine or a reduction it costs no kernel either, and what it reads is at hand.
    return g < 0 || groups_[g].kind == GroupKind::Loop || !fits(op, g);
  }

  void make_floating(uint32_t i) {
    const Op& op = f_.ops[i];
    floating_[i] = true;
    int depth = 0;
    for (ValueId o : op.operands) depth = std::max(depth, depth_[o]);
    std::vector<ValueId> reads = reads_of(op);
    for (ValueId r : op.results) reads_[r] = reads, depth_[r] = depth + 1;
  }

  static void note(std::vector<int>& list, int g) {
    if (list.empty() || list.back() != g) list.push_back(g);
  }

  void join(uint32_t i, int g) {
    const Op& op = f_.ops[i];
    groups_[g].ops.push_back(i);
    groups_[g].cost += op.def->has(kExpensive) ? kExpensiveCost : 1;
    for (ValueId r : op.results) home_[r] = g;
    for (ValueId o : op.operands) {
      int h = home(o);
      if (h == g) continue;
      if (h >= 0) note(groups_[h].readers, g);
      if (!is_floating(o)) groups_[g].inputs.insert(o);
      for (ValueId r : reads_[o]) {
        groups_[g].inputs.insert(r);
        int b = home(r);
        if (b < 0) continue;
        note(groups_[b].readers, g), note(groups_[b].index_readers, g);
        if (context_.fuse && groups_[g].kind != GroupKind::Library && groups_[b].kind != GroupKind::Library &&
            !groups_[b].split)
          remark_stored(o, r);
      }
      // Readers of one value look for each other here.
      if (!shape(o).empty()) reader_[{o, space_key(g)}] = g;
    }
  }

  void remark_stored(ValueId view, ValueId stored) {
    const Op& op = *f_.def_of(view);
    if (!context_.collect_remarks || !remarked_.insert(view).second) return;
    context_.remark(f_,
                    "not fused: '" + std::string(op.def->name) + "' reads " +
                        std::string(f_.def_of(stored)->def->name) +
                        "'s result at other positions than it was computed for, so that result is stored first",
                    op.loc);
  }

  static bool is_mergeable(const Draft& d) {
    return (d.kind == GroupKind::Loop || d.kind == GroupKind::Reduce) && !d.split && !d.arg &&
           d.readers.size() <= kMaxReaders;
  }

  // Moves group `from` behind all groups up to `to` and makes them one, when that keeps the order of reads.
  bool merge(int from, int to) {
    Draft &a = groups_[from], &b = groups_[to];
    if (!is_mergeable(a) || !is_mergeable(b) || a.cost + b.cost > kMaxGroupCost ||
        a.inputs.size() + b.inputs.size() > kMaxGroupBuffers)
      return false;
    const Shape& sa = a.kind == GroupKind::Loop ? a.space : a.reduction.space;
    const Shape& sb = b.kind == GroupKind::Loop ? b.space : b.reduction.space;
    if (sa != sb || (a.kind == GroupKind::Reduce && b.kind == GroupKind::Reduce && !(a.reduction == b.reduction)))
      return false;
    for (int r : a.readers)
      if (resolve(r) != from && resolve(r) < to) return false;
    for (int r : a.index_readers)
      if (resolve(r) == to) return false;
    // Inside one kernel rows and full values meet only through ops that say how; a reader at full shape of a row value
    // would not fit.
    if (a.kind == GroupKind::Reduce &&
        std::any_of(a.readers.begin(), a.readers.end(), [&](int r) { return resolve(r) == to; }))
      return false;
    if (a.kind == GroupKind::Reduce) {
      b.kind = GroupKind::Reduce;
      b.reduction = a.reduction;
    }
    b.ops.insert(b.ops.end(), a.ops.begin(), a.ops.end());
    b.cost += a.cost;
    b.inputs.merge(a.inputs);
    b.readers.insert(b.readers.end(), a.readers.begin(), a.readers.end());
    b.index_readers.insert(b.index_readers.end(), a.index_readers.begin(), a.index_readers.end());
    a.merged_into = to;
    a.ops.clear();
    return true;
  }

  int start(GroupKind kind, uint32_t i, Shape space, ReductionShape reduction = {}) {
    groups_.push_back({kind, std::move(space), std::move(reduction)});
    int g = static_cast<int>(groups_.size()) - 1;
    join(i, g);
    return g;
  }

  std::string space_key(int g) const {
    const Draft& d = groups_[g];
    return shape_text(d.kind == GroupKind::Reduce ? d.reduction.space : d.space);
  }

  bool has_room(int g, const Op& op) {
    const Draft& d = groups_[g];
    if (d.cost < kMaxGroupCost && d.inputs.size() < kMaxGroupBuffers) return true;
    context_.remark(f_,
                    "not fused: '" + std::string(op.def->name) +
                        "' starts a new kernel, the one before it has reached " +
                        (d.inputs.size() >= kMaxGroupBuffers ? std::to_string(d.inputs.size()) + " inputs"
                                                             : std::to_string(d.cost) + " scalar operations"),
                    op.loc);
    return false;
  }

  void place(uint32_t i) {
    const Op& op = f_.ops[i];
    switch (op.def->kind) {
      case OpKind::Constant:
      case OpKind::Iota: make_floating(i); return;
      case OpKind::Index: place_index(i); return;
      case OpKind::Elementwise: place_elementwise(i); return;
      case OpKind::Reduction: place_reduction(i); return;
      case OpKind::Library: place_library(i); return;
      case OpKind::Composite: return;  // the level excludes it
    }
  }

  // An index op whose operand is a row value of a reduction group, broadcast back over the row, belongs to the group.
  bool spreads_row(const Op& op, int g) const {
    const Draft& d = groups_[g];
    if (d.kind != GroupKind::Reduce || d.split) return false;
    const ReductionShape& r = d.reduction;
    ValueId v = op.operands[0];
    const Shape& out = shape(op.results[0]);
    if (op.operands.size() != 1 || home(v) != g || r.is_full(shape(v)) || !r.is_row(shape(v))) return false;
    if (!r.is_full(out) && !r.is_row(out)) return false;
    return maps_onto(op, r, shape(v), out);
  }

  // Whether position `out` of the index op reads exactly the operand's own position, for every coordinate.
  bool maps_onto(const Op& op, const ReductionShape& r, const Shape& in, const Shape& out) const {
    DimFacts facts = f_.facts;
    std::vector<Dim> coordinates;
    for (size_t k = 0; k < r.space.size(); ++k) {
      std::string name = "@" + std::to_string(k);
      facts.set_loop(name, r.space[k]);
      coordinates.push_back(Dim::symbol(name));
    }
    std::vector<Type> types{f_.type(op.operands[0])};
    IndexRule rule = op.def->index(op, types, f_.type(op.results[0]), r.position(out, coordinates));
    if (rule.sources.size() != 1 || !rule.sources[0].within.empty()) return false;
    std::vector<Dim> wanted = r.position(in, coordinates);
    for (size_t k = 0; k < wanted.size(); ++k)
      if (facts.equal(facts.simplify(rule.sources[0].index[k]), wanted[k]) != Tri::Yes) return false;
    return true;
  }

  void place_index(uint32_t i) {
    const Op& op = f_.ops[i];
    int g = max_reach(op);
    // A routine gets a view of a stored value as the view that it is, here as in a function of one op: what it does may
    // depend on strides of zero.
    bool as_view = op.def->view && for_library_[op.results[0]];
    if (g >= 0 && !as_view && spreads_row(op, g)) {
      join(i, g);
      return;
    }
    bool deep = false;
    for (ValueId o : op.operands) deep |= depth_[o] >= kMaxFloatingDepth;
    if (deep || op.operands.size() > 8 || reads_of(op).size() > kMaxFloatingReads) {
      // Testing many conditions for each element, or a long chain of them, costs more than a copy.
      start(GroupKind::Loop, i, shape(op.results[0]));
      return;
    }
    make_floating(i);
  }

  // Cheap work on one element, or work that only feeds broadcasts: computed again where it is used.
  bool is_cheap_scalar(const Op& op) const {
    if (op.def->has(kExpensive)) return false;
    for (ValueId o : op.operands)
      if (home_[o] >= 0 || depth_[o] >= kMaxFloatingDepth || (f_.def_of(o) == nullptr && !shape(o).empty()))
        return false;
    return product(shape(op.results[0])).is(1);
  }

  // Whether operand `o` can be read by group `g` where the op is computed.
  bool readable(ValueId o, int g) const { return home(o) == g || reach(o) < g; }

  // Whether the routine of group `g` applies `op` to its first result, or to what it has computed of that so far.
  bool takes_epilogue(const Op& op, int g) const {
    if (f_.ops[groups_[g].ops[0]].def->routine->epilogue == RoutineEpilogue::None) return false;
    return std::none_of(op.operands.begin(), op.operands.end(),
                        [&](ValueId o) { return home(o) == g && f_.values[o].index > 0; });
  }

  bool fits(const Op& op, int g) const {
    const Draft& d = groups_[g];
    const Shape& s = shape(op.results[0]);
    for (ValueId o : op.operands)
      if (!readable(o, g)) return false;
    switch (d.kind) {
      case GroupKind::Loop: return s == d.space;
      case GroupKind::Library: return s == d.space && takes_epilogue(op, g);
      case GroupKind::Reduce: {
        if (!d.reduction.is_full(s) && !d.reduction.is_row(s)) return false;
        // At full shape, in-group operands are full; at row shape, rows of the same form.
        bool after_reduction = false;
        for (ValueId o : op.operands)
          if (home(o) == g) {
            if (shape(o) != s) return false;
            after_reduction = true;
          }
        if (d.split && d.reduction.is_full(s))
          for (ValueId o : op.operands)
            if (home(o) == g && !d.reduction.is_full(shape(o))) return false;
        return after_reduction || d.reduction.is_full(s);
      }
      case GroupKind::View: return false;
    }
    return false;
  }

  void place_elementwise(uint32_t i) {
    const Op& op = f_.ops[i];
    if (is_cheap_scalar(op)) {
      make_floating(i);
      return;
    }
    int g = max_reach(op);
    if (moves(op, g)) {
      make_floating(i);
      return;
    }
    if (context_.fuse) {
      for (ValueId o : op.operands)
        if (int h = home(o); h >= 0 && h < g) merge(h, g);
      if (g >= 0 && fits(op, g)) {
        if (has_room(g, op)) {
          join(i, g);
          return;
        }
      } else {
        if (g >= 0 && groups_[g].split)
          context_.remark(f_,
                          "not fused: '" + std::string(op.def->name) +
                              "' needs a reduction whose blocks run in parallel to be finished",
                          op.loc);
        if (int s = sibling(op, shape(op.results[0]), g); s >= 0 && has_room(s, op)) {
          join(i, s);
          return;
        }
      }
    }
    start(GroupKind::Loop, i, shape(op.results[0]));
  }

  // A group later than `after` that runs over the same space and reads one of the same values.
  int sibling(const Op& op, const Shape& space, int after) const {
    for (ValueId o : op.operands) {
      auto it = reader_.find({o, shape_text(space)});
      if (it != reader_.end() && resolve(it->second) > after && fits(op, resolve(it->second)))
        return resolve(it->second);
    }
    return -1;
  }

  void place_reduction(uint32_t i) {
    const Op& op = f_.ops[i];
    ReductionShape r = ReductionShape::of(f_, op);
    ValueId v = op.operands[0];
    bool arg = op.def->combine == Combine::ArgMax || op.def->combine == Combine::ArgMin;
    int g = max_reach(op);
    if (context_.fuse && g >= 0 && home(v) == g && has_room(g, op)) {
      const Draft& d = groups_[g];
      if (reduce_in(i, g, r, arg)) return;
      context_.remark(
          f_,
          "not fused: '" + std::string(op.def->name) +
              (d.kind == GroupKind::Library ? "' is no epilogue of a library routine: it reduces"
                                            : "' reduces other axes than the kernel that computes its operand"),
          op.loc);
    }
    if (context_.fuse && !arg) {
      // A later group over the same space that reads the same value.
      auto it = reader_.find({v, shape_text(r.space)});
      int s = it == reader_.end() ? -1 : resolve(it->second);
      if (s > g && has_room(s, op) && reduce_in(i, s, r, arg)) return;
    }
    bool split = r.spans_blocks(f_.facts, context_.target) && !arg;
    int n = start(GroupKind::Reduce, i, {}, std::move(r));
    groups_[n].split = split;
    groups_[n].arg = arg;
  }

  // Joins a reduction to a loop over its operand's shape, or to reductions over the same axes.
  bool reduce_in(uint32_t i, int g, const ReductionShape& r, bool arg) {
    Draft& d = groups_[g];
    if (d.kind == GroupKind::Loop && d.space == r.space) {
      d.kind = GroupKind::Reduce;
      d.reduction = r;
      d.split = r.spans_blocks(f_.facts, context_.target) && !arg;
      d.arg = arg;
    } else if (d.kind != GroupKind::Reduce || !(d.reduction == r) || arg || d.arg) {
      return false;
    }
    join(i, g);
    return true;
  }

  // A copy of a floating value's op in a group of its own, after all groups so far. The original stays floating: groups
  // that were made before go on computing it for themselves.
  ValueId own_group(ValueId v, GroupKind kind) {
    auto [it, added] = owned_.try_emplace(v, kNone);
    if (!added) return it->second;
    Op copy = f_.ops[f_.values[v].op];
    uint32_t i = static_cast<uint32_t>(f_.ops.size());
    it->second = static_cast<ValueId>(f_.values.size());
    f_.values.push_back({f_.type(v), i, 0, {}});
    copy.results = {it->second};
    f_.ops.push_back(std::move(copy));
    floating_.push_back(false);
    home_.push_back(-1), reads_.emplace_back(), depth_.push_back(0);
    start(kind, i, shape(v));
    return it->second;
  }

  // Floating values that are windows on memory need no kernel of their own.
  bool is_window(ValueId v) const {
    while (const Op* op = f_.def_of(v)) {
      if (home_[v] >= 0) return true;
      if (!op->def->view) return false;
      ValueId operand = op->operands[0];
      if (!op->def->view(*op, layout_of(operand), f_.type(v), f_.facts)) return false;
      v = operand;
    }
    return true;
  }

  Layout layout_of(ValueId v) const {
    const Op* op = f_.def_of(v);
    if (op && home_[v] < 0 && op->def->view)
      if (auto l = op->def->view(*op, layout_of(op->operands[0]), f_.type(v), f_.facts)) return *l;
    Layout l{shape(v), row_major_strides(shape(v)), 0};
    uint32_t index = f_.values[v].index;
    if (!op && index < f_.layouts.size() && !f_.layouts[index].empty()) l.strides = f_.layouts[index];
    return l;
  }

  void place_library(uint32_t i) {
    for (size_t k = 0; k < f_.ops[i].operands.size(); ++k) {
      ValueId o = f_.ops[i].operands[k];
      if (!is_window(o)) o = own_group(o, GroupKind::Loop);
      f_.ops[i].operands[k] = o;
    }
    start(GroupKind::Library, i, shape(f_.ops[i].results[0]));
  }

  // A function result must be in memory: a floating one gets a kernel, or is a window on what it views.
  ValueId stored(ValueId v) {
    const Op* op = f_.def_of(v);
    if (!op || home_[v] >= 0) return v;
    return own_group(v, op->def->kind == OpKind::Index && is_window(v) ? GroupKind::View : GroupKind::Loop);
  }

  void rebuild() {
    std::vector<OpGroup> groups;
    for (Draft& d : groups_)
      if (d.merged_into < 0) groups.push_back({d.kind, std::move(d.ops)});
    regroup(f_, std::move(groups), floating_);
  }

  Function& f_;
  PassContext& context_;
  std::vector<Draft> groups_;
  std::vector<int> home_;                    // group that the value was given to, or -1
  std::vector<std::vector<ValueId>> reads_;  // of floating values: what they read from memory
  std::vector<int> depth_;                   // of floating ops above the value
  std::vector<bool> floating_;
  std::vector<bool> movable_;
  std::vector<bool> for_library_;                          // values that a routine reads
  std::set<ValueId> remarked_;                             // views that a remark was made about
  std::map<ValueId, ValueId> owned_;                       // floating values that were given a group
  std::map<std::pair<ValueId, std::string>, int> reader_;  // latest group over a space that reads a value
};

Result<bool> run(Function& f, PassContext& context) {
  if (!f.groups.empty() || f.ops.empty()) return false;
  Fuser(f, context).run();
  return true;
}

const RegisterPass kRegistered{
    {"fuse",
     "groups ops into kernels: elementwise, sibling and multi-output groups, reductions with what stands "
     "before and behind them, row-wise chains, library epilogues",
     Level::Expanded, Level::Expanded, Level::Fused, run}};

}  // namespace
}  // namespace frit::passes
