// Values that a later group computes again rather than reading them from memory.
//
// A group stores what other groups read. Values that follow from fewer stored ones by a few cheap operations need no
// memory: a value per row that is broadcast along the row, a quotient of a stored value and a value per row, several
// multiples of one product. The readers get copies of these operations. A group never reads more arrays of full size
// for it, and no array lives longer.
#include <algorithm>
#include <map>

#include "passes/fuse/drafts.h"

namespace frit::passes {

using namespace ir;

namespace {

// Operations that a reader does again, at most, beside views.
constexpr int kMostAgain = 8;

bool reads_by_element(const Op& op) {
  return op.def->kind == OpKind::Elementwise || op.def->kind == OpKind::Reduction || op.def->kind == OpKind::Scan;
}

}  // namespace

class Recompute {
 public:
  Recompute(Drafts& d, const TargetTraits& target) : d_(d), f_(d.f_), target_(target), readers_(f_.values.size()) {
    for (size_t g = 0; g < d_.groups_.size(); ++g)
      for (uint32_t i : d_.groups_[g].ops)
        for (ValueId o : f_.ops[i].operands) note_reads(o, static_cast<int>(g), f_.ops[i]);
  }

  std::set<ValueId> run() {
    const size_t groups = d_.groups_.size();
    for (size_t g = 0; g < groups; ++g) try_group(static_cast<int>(g));
    if (again_.empty()) return {};
    for (size_t g = 0; g < groups; ++g)
      for (uint32_t i : std::vector<uint32_t>(d_.groups_[g].ops)) {
        if (!reads_by_element(f_.ops[i])) continue;
        for (size_t k = 0; k < f_.ops[i].operands.size(); ++k) {
          const ValueId v = f_.ops[i].operands[k];
          if (again_.count(v) && d_.home(v) != static_cast<int>(g)) f_.ops[i].operands[k] = floating(v);
        }
      }
    drop_unused();
    return std::move(again_);
  }

 private:
  // The groups that read `v` from memory.
  struct Readers {
    std::vector<int> groups;
    bool whole = false;  // a routine, a scatter, control flow or a floating value reads it
  };
  struct Tree {
    int ops = 0, expensive = 0;
    bool parameters = false;      // whether they may be leaves
    std::vector<ValueId> leaves;  // of full size
  };

  void note_reads(ValueId o, int g, const Op& op) {
    if (d_.is_floating(o)) {
      for (ValueId r : d_.reads(o)) note(r, g, true);
    } else {
      note(o, g, !reads_by_element(op));
    }
  }
  void note(ValueId v, int g, bool whole) {
    if (d_.home(v) == g || d_.home(v) < 0) return;
    Readers& r = readers_[v];
    if (r.groups.empty() || r.groups.back() != g) r.groups.push_back(g);
    r.whole = r.whole || whole;
  }

  bool same_size(ValueId a, ValueId b) const {
    return f_.facts.equal(product(d_.shape(a)), product(d_.shape(b))) == Tri::Yes;
  }
  bool is_smaller(ValueId a, ValueId b) const {
    return f_.facts.less_equal(product(d_.shape(b)), product(d_.shape(a))) == Tri::No;
  }

  // Whether another group, or the function's caller, reads `v` from memory.
  bool is_stored(ValueId v) const { return again_.count(v) == 0 && (d_.returned_[v] || !readers_[v].groups.empty()); }

  // Results of a routine are in memory whatever its epilogue does.
  bool is_call_result(ValueId v, int g) const {
    return d_[g].kind == GroupKind::Library && !d_[g].ops.empty() && f_.values[v].op == d_[g].ops[0];
  }

  // The operations that give `v` in group `g` from values that the group stores anyway, or nothing.
  bool grow(ValueId v, ValueId root, int g, bool is_root, Tree& tree) const {
    const Op* op = f_.def_of(v);
    if (!is_root) {
      if (!op || d_.home(v) != g) {
        if (op && d_.is_floating(v)) return grow_floating(*op, root, tree);
        if (again_.count(v)) return grow(v, root, d_.home(v), true, tree);
        return is_smaller(v, root) || leaf(v, root, tree);
      }
      if (is_call_result(v, g)) return leaf(v, root, tree);
      if (is_stored(v) && same_size(v, root)) return leaf(v, root, tree);
      // A value per row, which takes little memory.
      if (is_smaller(v, root)) return true;
    }
    if (op->results.size() != 1) return false;
    const bool view = op->def->kind == OpKind::Index && op->def->view && op->operands.size() == 1;
    if (!view && op->def->kind != OpKind::Elementwise) return false;
    tree.expensive += op->def->has(kExpensive);
    if (!view && ++tree.ops > kMostAgain) return false;
    return std::all_of(op->operands.begin(), op->operands.end(),
                       [&](ValueId o) { return grow(o, root, g, false, tree); });
  }

  // A floating operand is a view of something small, or cheap as a whole.
  bool grow_floating(const Op& op, ValueId root, Tree& tree) const {
    if (op.def->kind == OpKind::Constant || op.def->kind == OpKind::Iota) return true;
    for (ValueId r : d_.reads_[op.results[0]])
      if (!is_smaller(r, root)) return false;
    return op.def->kind == OpKind::Index || ++tree.ops <= kMostAgain;
  }

  bool leaf(ValueId v, ValueId root, Tree& tree) const {
    // The memory of a parameter may be wanted for a result. Where the value would have a new array that is no smaller,
    // the result may have that.
    if (d_.home(v) < 0 && !tree.parameters && f_.type(root).dtype.size() < f_.type(v).dtype.size()) return false;
    if (std::find(tree.leaves.begin(), tree.leaves.end(), v) == tree.leaves.end()) tree.leaves.push_back(v);
    return true;
  }

  void try_group(int g) {
    const Draft& d = d_[g];
    if (d.merged_into >= 0) return;
    if (d.kind == GroupKind::Loop) dissolve(g);
    if (d.kind == GroupKind::Library) narrow(g);
    if (d.kind != GroupKind::Reduce && d.kind != GroupKind::Library) return;
    if (!choose(g, 1, 1) && !choose(g, 2, 0)) choose(g, 1, 0);
  }

  // A loop that does nothing but prepare one operand each for later groups, such as a multiple of an optimiser's
  // moment, is no kernel: its readers read what it would read.
  void dissolve(int g) {
    std::vector<ValueId> chosen;
    const bool all = std::all_of(d_[g].ops.begin(), d_[g].ops.end(), [&](uint32_t i) {
      if (f_.ops[i].results.size() != 1) return false;
      const ValueId v = f_.ops[i].results[0];
      const Readers& r = readers_[v];
      if (r.whole || r.groups.size() > 1 || d_.returned_[v]) return false;
      if (r.groups.empty()) return true;
      Tree tree;
      tree.parameters = true;
      if (!grow(v, v, g, true, tree) || tree.leaves.size() > 1 || tree.expensive > 0) return false;
      if (!tree.leaves.empty() && d_.home(tree.leaves[0]) == g) return false;
      again_.insert(v);
      chosen.push_back(v);
      return true;
    });
    if (all) return;
    for (ValueId v : chosen) again_.erase(v);
  }

  // A conversion to a larger type behind a routine stores more bytes than it reads: readers convert for themselves.
  void narrow(int g) {
    for (uint32_t i : d_[g].ops) {
      const Op& op = f_.ops[i];
      if (op.def->kind != OpKind::Elementwise || op.operands.size() != 1 || op.results.size() != 1 ||
          op.def->has(kExpensive))
        continue;
      const ValueId v = op.results[0], o = op.operands[0];
      const Readers& r = readers_[v];
      if (d_.home(o) != g || f_.type(o).dtype.size() >= f_.type(v).dtype.size()) continue;
      if (r.groups.empty() || r.whole || d_.returned_[v]) continue;
      again_.insert(v);
      for (int reader : r.groups)
        if (std::find(readers_[o].groups.begin(), readers_[o].groups.end(), reader) == readers_[o].groups.end())
          readers_[o].groups.push_back(reader);
    }
  }

  // Chooses among the values that a group stores those that follow from few leaves. A leaf is stored where it was not,
  // or lives longer, so less must be stored in all. With more than one leaf each, all go to the same readers: these
  // read no more arrays than before. An expensive operation is done again only from leaves of this group, where two
  // arrays or more need no memory, or from a parameter where a reduction over blocks would write one array, if reading
  // and writing these takes longer.
  bool choose(int g, size_t most_leaves, int most_expensive) {
    std::vector<ValueId> chosen;
    std::set<ValueId> leaves;
    bool alike = true, from_parameters = true;
    for (uint32_t i : d_[g].ops) {
      if (f_.ops[i].results.size() != 1) continue;
      const ValueId v = f_.ops[i].results[0];
      const Readers& r = readers_[v];
      if (r.groups.empty() || r.whole || d_.returned_[v] || is_call_result(v, g) || again_.count(v)) continue;
      Tree tree;
      if (!grow(v, v, g, true, tree) || tree.leaves.size() > most_leaves || tree.expensive > most_expensive) continue;
      const bool given = d_[g].split && !tree.leaves.empty() && d_.home(tree.leaves[0]) < 0;
      if (most_expensive && !given && (tree.leaves.empty() || d_.home(tree.leaves[0]) != g)) continue;
      if (tree.expensive > 0 && given && !costs_less_than_memory(f_.type(v).dtype, target_)) continue;
      from_parameters = from_parameters && given;
      alike = alike && (chosen.empty() || r.groups == readers_[chosen[0]].groups);
      again_.insert(v);
      chosen.push_back(v);
      leaves.insert(tree.leaves.begin(), tree.leaves.end());
    }
    const auto fresh =
        std::count_if(leaves.begin(), leaves.end(), [&](ValueId l) { return d_.home(l) >= 0 && !is_stored(l); });
    const size_t stored = static_cast<size_t>(fresh) + (most_expensive > 0 && !from_parameters);
    if (stored < chosen.size() && (most_leaves == 1 || (alike && leaves.size() <= chosen.size()))) return true;
    for (ValueId v : chosen) again_.erase(v);
    return false;
  }

  // `v` as a floating value.
  ValueId floating(ValueId v) {
    const auto [known, is_new] = copies_.try_emplace(v, kNone);
    if (!is_new) return known->second;
    const ValueId fresh = d_.copy(v);
    const uint32_t i = f_.values[fresh].op;
    const int home = d_.home(v);
    for (size_t k = 0; k < f_.ops[i].operands.size(); ++k) {
      const ValueId o = f_.ops[i].operands[k];
      if (!again_.count(o) && (d_.home(o) != home || is_call_result(o, home) || !is_copied(o, v))) continue;
      const ValueId inner = floating(o);
      f_.ops[i].operands[k] = inner;
    }
    d_.make_floating(i);
    copies_[v] = fresh;
    return fresh;
  }

  // Whether the tree of `root` goes on through `o`.
  bool is_copied(ValueId o, ValueId root) const { return again_.count(o) || (!is_stored(o) && !is_smaller(o, root)); }

  // Ops that only other groups needed are not needed where they were.
  void drop_unused() {
    std::vector<uint32_t> uses = f_.use_counts();
    for (size_t g = d_.groups_.size(); g-- > 0;) {
      std::vector<uint32_t>& ops = d_.groups_[g].ops;
      std::vector<uint32_t> sorted = ops;
      std::sort(sorted.rbegin(), sorted.rend());
      std::set<uint32_t> gone;
      for (uint32_t i : sorted) {
        const Op& op = f_.ops[i];
        if (op.results.size() != 1 || uses[op.results[0]] > 0 || is_call_result(op.results[0], static_cast<int>(g)))
          continue;
        gone.insert(i);
        for (ValueId o : op.operands) --uses[o];
      }
      std::erase_if(ops, [&](uint32_t i) { return gone.count(i) > 0; });
    }
  }

  Drafts& d_;
  Function& f_;
  const TargetTraits& target_;
  std::vector<Readers> readers_;       // by value
  std::set<ValueId> again_;            // values that their readers compute
  std::map<ValueId, ValueId> copies_;  // of those and of what is under them
};

std::set<ValueId> Drafts::recompute(const TargetTraits& target) { return Recompute(*this, target).run(); }

}  // namespace frit::passes
