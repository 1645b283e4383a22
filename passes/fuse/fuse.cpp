// fuse: puts every op into a group. Each group becomes one kernel, one library call with its epilogue, or no code at
// all.
//
// Groups are numbered in the order in which they run. An op only ever joins a group at or after those of its operands,
// so no cycle can arise, and one walk over the ops is enough. The rules:
//   - A value floats when computing it at a position costs next to nothing: a constant, a position, an index op on
//     values from outside of the group, cheap arithmetic on one element. Floating ops are copied into every group that
//     uses them, and views become index arithmetic. Elementwise work floats too if its one use is an index op that
//     repeats nothing and whose own user computes each element anyway: the work moves behind the index op.
//   - An elementwise op joins the group of its operands when their iteration spaces agree, or a later group with the
//     same space that reads the same values (siblings). It may leave several outputs.
//   - A reduction turns the loop that feeds it into rows. Further reductions over the same axes, values computed per
//     row, and ops at full shape that use a row's result join it: softmax, norms and cross entropy become one kernel.
//   - Two groups whose results meet in one op become one, unless a group between them reads the first.
//   - A scan belongs to a loop over its operand's shape; the loop then runs along the scanned axis in order.
//   - A scatter is a group of its own, with the index ops and cheap work that floats to it.
//   - A library op starts a group. Elementwise ops of its first result's shape follow as its epilogue, if the routine
//     takes one.
#include <algorithm>
#include <map>
#include <set>

#include "ir/routines/routine.h"
#include "passes/fuse/drafts.h"
#include "passes/fuse/kept_values.h"
#include "passes/fuse/movable.h"
#include "passes/manager/pass.h"

namespace frit::passes {
namespace {

using namespace ir;

constexpr size_t kMaxFloatingReads = 32;
constexpr int kMaxFloatingDepth = 16;

class Fuser {
 public:
  Fuser(Function& f, PassContext& context)
      : f_(f),
        context_(context),
        groups_(f),
        movable_(context.fuse ? find_movable(f, context.target) : std::vector<bool>(f.values.size(), false)),
        for_library_(f.values.size(), false) {
    for (const Op& op : f.ops)
      if (op.def->kind == OpKind::Library || op.def->kind == OpKind::Control)
        for (ValueId o : op.operands) for_library_[o] = true;
  }

  void run() {
    for (uint32_t i = 0, n = static_cast<uint32_t>(f_.ops.size()); i < n; ++i) place(i);
    for (ValueId& r : f_.results) r = stored(r);
    const std::set<ValueId> backward = context_.collect_remarks
                                           ? read_for_backward(f_, [&](ValueId v) { return groups_.home(v); })
                                           : std::set<ValueId>();
    if (context_.fuse)
      for (ValueId v : groups_.recompute(context_.target)) remark_again(v, backward.count(v) > 0);
    if (!context_.collect_remarks) return groups_.finish();
    std::vector<int> numbers;
    groups_.finish(&numbers);
    std::map<std::pair<int, int>, std::string> edges;
    for (const auto& [pair, why] : apart_) {
      const int from = numbers[static_cast<size_t>(pair.first)], to = numbers[static_cast<size_t>(pair.second)];
      if (from >= 0 && to >= 0 && from != to) edges.try_emplace({from, to}, why);
    }
    context_.edges.clear();
    for (auto& [pair, why] : edges)
      context_.edges.push_back({static_cast<uint32_t>(pair.first), static_cast<uint32_t>(pair.second), why});
    remark_kept_values(f_, context_);
  }

 private:
  const Shape& shape(ValueId v) const { return groups_.shape(v); }

  void remark_again(ValueId v, bool backward) {
    const Op& op = *f_.def_of(v);
    const std::string name = "'" + std::string(op.def->name) + "'";
    context_.remark(f_,
                    backward ? std::string(kAgainRemark) + ": " + name
                             : "not stored: " + name + " is computed again by the kernels that read its result",
                    op.loc);
  }

  bool is_deep(const Op& op) const {
    return std::any_of(op.operands.begin(), op.operands.end(),
                       [&](ValueId o) { return groups_.depth(o) >= kMaxFloatingDepth; });
  }

  // Whether to leave an elementwise op to the kernel that reads it through an index op.
  bool moves(const Op& op, int g) const {
    if (!movable_[op.results[0]] || groups_.reads_of(op).size() > kMaxFloatingReads || is_deep(op)) return false;
    // Behind a routine or a reduction it costs no kernel either, and its operands are at hand.
    return g < 0 || groups_[g].kind == GroupKind::Loop || !fits(op, g);
  }

  // Whether a group runs steps of its own kind on whole arrays.
  bool is_call(int g) const { return groups_[g].kind == GroupKind::Library || groups_[g].kind == GroupKind::Control; }

  void join(uint32_t i, int g) {
    groups_.join(i, g);
    note_placed(i, g);
  }

  int start(GroupKind kind, uint32_t i, Shape space, ReductionShape reduction = {}) {
    const int g = groups_.start(kind, i, std::move(space), std::move(reduction));
    note_placed(i, g);
    return g;
  }

  void note_placed(uint32_t i, int g) {
    remark_stored(i, g);
    if (!context_.collect_remarks) return;
    const Op& op = f_.ops[i];
    for (ValueId o : op.operands) {
      if (const int home = groups_.home(o); home >= 0)
        note_apart(home, g, [&] { return why_not_joined(op, o, home, g); });
      for (ValueId r : groups_.reads(o))
        if (const int home = groups_.home(r); home >= 0) note_apart(home, g, [&] { return why_stored(o, r, g); });
    }
  }

  template <class Why>
  void note_apart(int from, int to, Why why) {
    if (from != to && !apart_.count({from, to})) apart_.emplace(std::pair{from, to}, why());
  }

  // Why group `to` reads `r`, a result of another group, through the floating view `view` from memory.
  std::string why_stored(ValueId view, ValueId r, int to) const {
    const std::string reader(f_.def_of(view)->def->name), made(f_.def_of(r)->def->name);
    if (groups_[to].kind == GroupKind::Library)
      return "the routine '" + std::string(f_.ops[groups_[to].ops[0]].def->name) + "' reads its operands from memory";
    return "'" + reader + "' reads " + made + "'s result at other positions than it was computed for";
  }

  // Why `op`, now in group `to`, did not join group `from`, which computes its operand `o`.
  std::string why_not_joined(const Op& op, ValueId o, int from, int to) const {
    const std::string name = "'" + std::string(op.def->name) + "'";
    if (!context_.fuse) return "fusion is off";
    switch (op.def->kind) {
      case OpKind::Library: return "the routine " + name + " reads its operands from memory";
      case OpKind::Control: return name + " reads its operands from memory";
      case OpKind::Scatter: return "a scatter is a kernel of its own, which reads its operands from memory";
      case OpKind::Index: return name + " is copied rather than computed again: it tests many conditions";
      case OpKind::Reduction: {
        const Draft& d = groups_[from];
        if (d.kind == GroupKind::Library) return name + " is no epilogue of a library routine: it reduces";
        if (groups_.is_full(from)) break;
        if (d.arg || groups_[to].arg)
          return name + " or the reduction before it is an argmax or argmin, which stand alone";
        if (d.kind == GroupKind::Loop || d.kind == GroupKind::Reduce)
          return name + " reduces other axes than the kernel that computes its operand";
        return "a scatter is a kernel of its own";
      }
      case OpKind::Scan:
        if (groups_.is_full(from)) break;
        return groups_[from].kind == GroupKind::Loop
                   ? name + " scans another axis or direction than the kernel before it, or in blocks"
                   : name + " joins no reduction, routine or scatter: it scans in order";
      case OpKind::Constant:
      case OpKind::Elementwise:
      case OpKind::Iota:
      case OpKind::Composite: break;
    }
    if (groups_.is_full(from)) return "the kernel that computes its operand has reached " + groups_.fullness(from);
    if (const auto known = unmerged_.find({from, to}); known != unmerged_.end()) return known->second;
    if (const char* why = misfit(op, from)) return name + " " + why;
    return name + " waits for another operand, which a later kernel than that of '" +
           std::string(f_.def_of(o)->def->name) + "' computes";
  }

  // Says of each operand of an op in group `g` why it was not fused, where it is a view of a result of another group.
  void remark_stored(uint32_t i, int g) {
    if (!context_.fuse || !context_.collect_remarks || is_call(g)) return;
    for (ValueId view : f_.ops[i].operands) {
      if (groups_.home(view) == g) continue;
      for (ValueId r : groups_.reads(view)) {
        const int b = groups_.home(r);
        if (b < 0 || is_call(b) || groups_[b].split || !remarked_.insert(view).second) continue;
        const Op& op = *f_.def_of(view);
        context_.remark(f_,
                        "not fused: '" + std::string(op.def->name) + "' reads " + std::string(f_.def_of(r)->def->name) +
                            "'s result at other positions than it was computed for, so that result is stored first",
                        op.loc);
      }
    }
  }

  bool has_room(int g, const Op& op) {
    if (!groups_.is_full(g)) return true;
    context_.remark(f_,
                    "not fused: '" + std::string(op.def->name) +
                        "' starts a new kernel, the one before it has reached " + groups_.fullness(g),
                    op.loc);
    return false;
  }

  void place(uint32_t i) {
    const Op& op = f_.ops[i];
    switch (op.def->kind) {
      case OpKind::Constant:
      case OpKind::Iota: groups_.make_floating(i); return;
      case OpKind::Index: place_index(i); return;
      case OpKind::Elementwise: place_elementwise(i); return;
      case OpKind::Reduction: place_reduction(i); return;
      case OpKind::Library: place_library(i, GroupKind::Library); return;
      case OpKind::Control: place_library(i, GroupKind::Control); return;
      case OpKind::Scatter: start(GroupKind::Scatter, i, shape(op.results[0])); return;
      case OpKind::Scan: place_scan(i); return;
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
    if (op.operands.size() != 1 || groups_.home(v) != g || r.is_full(shape(v)) || !r.is_row(shape(v))) return false;
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
    int g = groups_.max_reach(op);
    // A routine gets a view of a stored value as a view, here and in a function of one op alike: the routine may treat
    // strides of zero in its own way, and results must be equal.
    bool as_view = op.def->view && for_library_[op.results[0]];
    if (g >= 0 && !as_view && spreads_row(op, g)) {
      join(i, g);
      return;
    }
    const bool many = !op.def->view && (op.operands.size() > 8 || groups_.reads_of(op).size() > kMaxFloatingReads);
    if (is_deep(op) || many) {
      // Testing many conditions for each element, or a long chain of them, costs more than a copy.
      start(GroupKind::Loop, i, shape(op.results[0]));
      return;
    }
    groups_.make_floating(i);
  }

  // Cheap work on one element, or work that only feeds broadcasts: computed again where it is used.
  bool is_cheap_scalar(const Op& op) const {
    if (op.def->has(kExpensive) || is_deep(op)) return false;
    for (ValueId o : op.operands)
      if (groups_.has_home(o) || (f_.def_of(o) == nullptr && !shape(o).empty())) return false;
    return product(shape(op.results[0])).is(1);
  }

  // Whether operand `o` can be read by group `g` where the op is computed.
  bool readable(ValueId o, int g) const { return groups_.home(o) == g || groups_.reach(o) < g; }

  // Whether the routine of group `g` applies `op` to its first result, or to a value of its epilogue.
  bool takes_epilogue(const Op& op, int g) const {
    if (f_.ops[groups_[g].ops[0]].def->routine->epilogue == RoutineEpilogue::None) return false;
    return std::none_of(op.operands.begin(), op.operands.end(),
                        [&](ValueId o) { return groups_.home(o) == g && f_.values[o].index > 0; });
  }

  bool fits(const Op& op, int g) const { return misfit(op, g) == nullptr; }

  // The reason why an elementwise op cannot be in group `g`, to be read behind its name; null where it can.
  const char* misfit(const Op& op, int g) const {
    const Draft& d = groups_[g];
    const Shape& s = shape(op.results[0]);
    for (ValueId o : op.operands)
      if (!readable(o, g)) return "needs a value of a kernel that runs later, or one at other positions";
    switch (d.kind) {
      case GroupKind::Loop: return s == d.space ? nullptr : "has another shape than the loop before it";
      case GroupKind::Library:
        if (s != d.space) return "has another shape than the routine's result, so it is no epilogue";
        return takes_epilogue(op, g) ? nullptr : "is no epilogue of this routine, or not of its first result";
      case GroupKind::Reduce: {
        if (!d.reduction.is_full(s) && !d.reduction.is_row(s))
          return "has neither the shape of the rows nor that of a result per row";
        // At full shape, in-group operands are full; at row shape, rows of the same form.
        bool after_reduction = false;
        for (ValueId o : op.operands)
          if (groups_.home(o) == g) {
            if (shape(o) != s) return "meets a result per row and whole rows at once";
            after_reduction = true;
          }
        if (d.split && d.reduction.is_full(s))
          for (ValueId o : op.operands)
            if (groups_.home(o) == g && !d.reduction.is_full(shape(o)))
              return "needs a reduction whose blocks run in parallel to be finished";
        return after_reduction || d.reduction.is_full(s) ? nullptr : "reads no result of the reduction";
      }
      case GroupKind::Scatter: return "comes behind a scatter, which is a kernel of its own";
      case GroupKind::Control: return "comes behind control flow, whose regions have kernels of their own";
      case GroupKind::View: return "comes behind a view";
    }
    return "fits no kind of kernel";
  }

  void place_elementwise(uint32_t i) {
    const Op& op = f_.ops[i];
    if (is_cheap_scalar(op)) {
      groups_.make_floating(i);
      return;
    }
    int g = groups_.max_reach(op);
    if (moves(op, g)) {
      groups_.make_floating(i);
      return;
    }
    if (context_.fuse) {
      for (ValueId o : op.operands)
        if (int h = groups_.home(o); h >= 0 && h < g && !groups_.merge(h, g) && context_.collect_remarks)
          unmerged_.try_emplace({h, g}, groups_.why_apart(h, g));
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
    for (ValueId o : op.operands)
      if (const int g = groups_.reader(o, space); g > after && fits(op, g)) return g;
    return -1;
  }

  void place_reduction(uint32_t i) {
    const Op& op = f_.ops[i];
    ReductionShape r = ReductionShape::of(f_, op);
    ValueId v = op.operands[0];
    bool arg = op.def->combine == Combine::ArgMax || op.def->combine == Combine::ArgMin;
    int g = groups_.max_reach(op);
    if (context_.fuse && g >= 0 && groups_.home(v) == g && has_room(g, op)) {
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
      const int s = groups_.reader(v, r.space);
      if (s > g && has_room(s, op) && reduce_in(i, s, r, arg)) return;
    }
    bool split = r.spans_blocks(f_.facts, context_.target);
    int n = start(GroupKind::Reduce, i, {}, std::move(r));
    groups_[n].split = split;
    groups_[n].arg = arg;
  }

  // Joins a reduction to a loop over its operand's shape, or to reductions over the same axes.
  bool reduce_in(uint32_t i, int g, const ReductionShape& r, bool arg) {
    Draft& d = groups_[g];
    if (d.kind == GroupKind::Loop && d.space == r.space && !d.scan) {
      d.kind = GroupKind::Reduce;
      d.reduction = r;
      d.split = r.spans_blocks(f_.facts, context_.target);
      d.arg = arg;
    } else if (d.kind != GroupKind::Reduce || !(d.reduction == r) || arg || d.arg) {
      return false;
    }
    join(i, g);
    return true;
  }

  // A scan joins a loop over its operand's shape, unless that loop scans another way. One in blocks is the only one of
  // its loop.
  void place_scan(uint32_t i) {
    const Op& op = f_.ops[i];
    const ScanLoop loop = scan_loop(op, f_.type(op.results[0]), f_.facts, context_.target.grid);
    int g = groups_.max_reach(op);
    if (context_.fuse && g >= 0 && groups_.home(op.operands[0]) == g && groups_[g].kind == GroupKind::Loop &&
        groups_[g].space == shape(op.operands[0]) && has_room(g, op)) {
      const Draft& d = groups_[g];
      if (!d.scan || (*d.scan == loop && !loop.block))
        join(i, g);
      else
        g = -1;
    } else {
      g = -1;
    }
    if (g < 0) g = start(GroupKind::Loop, i, shape(op.results[0]));
    groups_[g].scan = loop;
  }

  // The floating value in a group of its own, made once.
  ValueId own_group(ValueId v, GroupKind kind) {
    auto [it, added] = owned_.try_emplace(v, kNone);
    if (added) {
      it->second = groups_.copy_to_own_group(v, kind);
      remark_stored(f_.values[it->second].op, groups_.home(it->second));
    }
    return it->second;
  }

  // Floating values that are windows on memory need no kernel of their own.
  bool is_window(ValueId v) const {
    while (const Op* op = f_.def_of(v)) {
      if (groups_.has_home(v)) return true;
      if (!op->def->view) return false;
      ValueId operand = op->operands[0];
      if (!op->def->view(*op, layout_of(operand), f_.type(v), f_.facts)) return false;
      v = operand;
    }
    return true;
  }

  Layout layout_of(ValueId v) const {
    const Op* op = f_.def_of(v);
    if (op && !groups_.has_home(v) && op->def->view)
      if (auto l = op->def->view(*op, layout_of(op->operands[0]), f_.type(v), f_.facts)) return *l;
    Layout l{shape(v), row_major_strides(shape(v)), 0};
    uint32_t index = f_.values[v].index;
    if (!op && index < f_.layouts.size() && !f_.layouts[index].empty()) l.strides = f_.layouts[index];
    return l;
  }

  // The operands of a routine or of regions are windows on memory.
  void place_library(uint32_t i, GroupKind kind) {
    for (size_t k = 0; k < f_.ops[i].operands.size(); ++k) {
      ValueId o = f_.ops[i].operands[k];
      if (!is_window(o)) o = own_group(o, GroupKind::Loop);
      f_.ops[i].operands[k] = o;
    }
    start(kind, i, f_.ops[i].results.empty() ? Shape{} : shape(f_.ops[i].results[0]));
  }

  // A function result must be in memory: a floating one gets a kernel, or is a window on the value that it views.
  ValueId stored(ValueId v) {
    const Op* op = f_.def_of(v);
    if (!op || groups_.has_home(v)) return v;
    return own_group(v, op->def->kind == OpKind::Index && is_window(v) ? GroupKind::View : GroupKind::Loop);
  }

  Function& f_;
  PassContext& context_;
  Drafts groups_;
  std::vector<bool> movable_;
  std::vector<bool> for_library_;     // values that a routine reads
  std::set<ValueId> remarked_;        // views that a remark was made about
  std::map<ValueId, ValueId> owned_;  // floating values that were given a group
  // By the numbers of two drafts: why they are not one, and why an attempt to make them one failed.
  std::map<std::pair<int, int>, std::string> apart_, unmerged_;
};

Result<bool> run(Function& f, PassContext& context) {
  if (!f.groups.empty() || f.ops.empty()) return false;
  Fuser(f, context).run();
  return true;
}

const RegisterPass fuse_pass{
    {"fuse",
     "groups ops into kernels: elementwise, sibling and multi-output groups, reductions with what stands "
     "before and behind them, row-wise chains, library epilogues",
     Level::Expanded, Level::Expanded, Level::Fused, run}};

}  // namespace
}  // namespace frit::passes
