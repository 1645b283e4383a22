// Which values a derivative keeps for its backward part, and why.
#include "passes/fuse/kept_values.h"

#include <algorithm>
#include <set>

#include "passes/manager/cotangent.h"

namespace frit::passes {

using namespace ir;

namespace {

// The values of a derivative's two halves.
struct Halves {
  explicit Halves(const Function& f) : late(f.values.size(), false), early(late), returned(late) {
    for (ValueId p : f.params) late[p] = is_cotangent(f.values[p]);
    std::vector<bool> from_cotangents = late;
    for (ValueId r : f.results) early[r] = returned[r] = true;
    for (const Op& op : f.ops) {
      const bool follows =
          std::any_of(op.operands.begin(), op.operands.end(), [&](ValueId v) { return from_cotangents[v]; });
      for (ValueId r : op.results) {
        from_cotangents[r] = follows;
        late[r] = follows || op.loc.backward;
      }
    }
    for (size_t i = f.ops.size(); i-- > 0;) {
      const Op& op = f.ops[i];
      const auto needed = [&](ValueId r) { return early[r] && !late[r]; };
      if (std::any_of(op.results.begin(), op.results.end(), needed))
        for (ValueId v : op.operands) early[v] = true;
    }
  }

  std::vector<bool> late;   // follows from a cotangent
  std::vector<bool> early;  // returned, or read by an op that is and that does not follow from a cotangent
  std::vector<bool> returned;
};

class KeptValues {
 public:
  explicit KeptValues(const Function& f) : f_(f), halves_(f) {
    // A group runs when all that it reads is there.
    std::vector<bool> groups(f.groups.size(), false);
    for (const Op& op : f.ops)
      if (op.group >= 0 && !op.results.empty() && halves_.late[op.results[0]])
        groups[static_cast<size_t>(op.group)] = true;
    late_groups_ = std::move(groups);
  }

  void run(PassContext& context) {
    std::set<ValueId> seen;
    Dim all = 0;
    for (const Op& op : f_.ops) {
      if (!is_late(op)) continue;
      for (ValueId v : op.operands) {
        const Op* maker = f_.def_of(v);
        if (!maker || maker->group < 0 || maker->group == op.group || halves_.returned[v] || is_late(*maker)) continue;
        if (!seen.insert(v).second) continue;
        if (f_.groups[static_cast<size_t>(maker->group)].kind == GroupKind::View) continue;
        const Dim bytes = f_.type(v).size() * Dim(int64_t{f_.type(v).dtype.size()});
        all = f_.facts.simplify(all + bytes);
        context.remark(f_,
                       std::string(kKeptRemark) + ": '" + std::string(maker->def->name) + "' of type " +
                           f_.type(v).str() + ", " + bytes.str() + " bytes, as " + why(*maker, v),
                       maker->loc);
      }
    }
    if (!seen.empty()) context.remark(f_, std::string(kKeptRemark) + " in all: " + all.str() + " bytes");
  }

 private:
  // The loss and the first cotangents may be one kernel: an op that the rest of the forward pass needs, too, is of the
  // forward pass wherever it runs.
  bool is_late(const Op& op) const {
    if (op.group < 0 || op.results.empty()) return false;
    const auto is = [&](const std::vector<bool>& flags) {
      return std::any_of(op.results.begin(), op.results.end(), [&](ValueId v) { return flags[v]; });
    };
    return is(halves_.late) || (late_groups_[static_cast<size_t>(op.group)] && !is(halves_.early));
  }

  std::string why(const Op& maker, ValueId v) const {
    const std::string name = "'" + std::string(maker.def->name) + "'";
    if (maker.def->kind == OpKind::Library || maker.def->kind == OpKind::Control)
      return name + " would have to run again";
    if (maker.def->kind == OpKind::Reduction || maker.def->kind == OpKind::Scan)
      return name + " would read its operand again";
    if (const Op* reader = reader_of_memory(v)) return "'" + std::string(reader->def->name) + "' reads it from memory";
    if (maker.def->has(kExpensive)) return name + " is expensive";
    const size_t arrays = reads_of_group(maker.group);
    if (arrays > 1) return "computing it again could read " + std::to_string(arrays) + " arrays";
    return "what it is computed from would be kept in its place";
  }

  // An op of the backward part that needs its operand in memory.
  const Op* reader_of_memory(ValueId v) const {
    for (const Op& op : f_.ops)
      if (is_late(op) &&
          (op.def->kind == OpKind::Library || op.def->kind == OpKind::Control || op.def->kind == OpKind::Scatter) &&
          std::find(op.operands.begin(), op.operands.end(), v) != op.operands.end())
        return &op;
    return nullptr;
  }

  // How many arrays a group reads from other groups and from the caller.
  size_t reads_of_group(int32_t group) const {
    std::set<ValueId> read;
    for (const Op& op : f_.ops) {
      if (op.group != group) continue;
      for (ValueId v : op.operands)
        if (const Op* maker = f_.def_of(v); !maker || maker->group != group) read.insert(v);
    }
    return read.size();
  }

  const Function& f_;
  const Halves halves_;
  std::vector<bool> late_groups_;
};

}  // namespace

std::set<ValueId> read_for_backward(const Function& f, const std::function<int(ValueId)>& home) {
  const Halves halves(f);
  const auto forward = [&](ValueId v) { return halves.early[v] && !halves.late[v]; };
  std::set<ValueId> read;
  for (const Op& op : f.ops) {
    if (op.results.empty() || std::any_of(op.results.begin(), op.results.end(), forward)) continue;
    for (ValueId v : op.operands)
      if (!halves.late[v] && home(v) != home(op.results[0])) read.insert(v);
  }
  return read;
}

void remark_kept_values(const Function& f, PassContext& context) {
  if (context.fuse && context.collect_remarks) KeptValues(f).run(context);
}

}  // namespace frit::passes
