// Finds the elementwise values that may move behind a view.
#include "passes/fuse/movable.h"

#include <algorithm>

namespace frit::passes {

using namespace ir;

namespace {

constexpr int kLightOps = 4;
// The same of work on positions, such as a mask: a window with both ends, and the choice between two numbers by it.
constexpr int kPositionOps = 8;
constexpr int64_t kFewToMove = 1 << 20;

class MovableFinder {
 public:
  MovableFinder(const Function& f, const TargetTraits& target)
      : f_(f), target_(target), uses_(f.use_counts()), user_(f.values.size(), kNone), movable_(f.values.size(), false) {
    for (uint32_t i = 0; i < f.ops.size(); ++i)
      for (ValueId o : f.ops[i].operands) user_[o] = i;
  }

  // From users to operands.
  std::vector<bool> run() {
    std::vector<bool> whole(f_.values.size(), false);  // values that some user does not read element by element
    for (ValueId v : f_.results) whole[v] = true;
    for (size_t i = f_.ops.size(); i-- > 0;) {
      const Op& op = f_.ops[i];
      const ValueId v = op.results.empty() ? kNone : op.results[0];
      if (op.def->kind == OpKind::Index) {
        movable_[v] = is_consumed(op);
      } else if (op.def->kind == OpKind::Elementwise) {
        const Op* user = only_user(v);
        const bool moves = user && (user->def->kind == OpKind::Scatter || movable_[user->results[0]]);
        int left = kPositionOps;
        if (moves && (user->def->kind == OpKind::Elementwise || repeats_nothing(*user, v) || is_light(v, *user)))
          movable_[v] = true;
        else
          // Several uses may follow behind a view of it.
          movable_[v] = !whole[v] && follows_from_positions(v, left);
      }
      const bool spreads = op.def->kind == OpKind::Index && op.def->view && !whole[v];
      const bool by_element = op.def->kind == OpKind::Elementwise || op.def->kind == OpKind::Reduction || spreads;
      for (ValueId o : op.operands) whole[o] = whole[o] || !by_element;
    }
    return std::move(movable_);
  }

 private:
  // The op that is the only user of `v`, or null when it has several or is a result of the function.
  const Op* only_user(ValueId v) const { return uses_[v] == 1 && user_[v] != kNone ? &f_.ops[user_[v]] : nullptr; }

  // Whether an op other than an elementwise one computes no more elements of `v` than there are if `v` moves to it. An
  // index op with several sources gives each a window of its own; one that reads positions from data, and no other, may
  // read an element often.
  bool repeats_nothing(const Op& op, ValueId v) const {
    if (op.def->kind == OpKind::Scatter) return v == op.operands.back();
    if (op.def->kind != OpKind::Index) return false;
    if (!op.def->view && !reads_positions(op)) return true;
    return f_.facts.less_equal(product(f_.type(op.results[0]).shape), product(f_.type(v).shape)) == Tri::Yes;
  }

  // Whether `v` is little work on parameters and constants, such as a conversion of weights. Where an index op repeats
  // it, computing it again costs less than a kernel of its own, which would stand between those that could be one.
  bool is_light(ValueId v, const Op& user) const {
    int left = kLightOps;
    return is_light(v, hides_functions(f_.type(user.results[0])), left);
  }

  bool is_light(ValueId v, bool functions, int& left) const {
    const Op* op = f_.def_of(v);
    if (!op || is_position(*op)) return true;
    if (op->def->kind != OpKind::Elementwise && !op->def->view) return false;
    if (op->def->has(kExpensive)) {
      if (!functions) return false;
      left -= kLightOps / 2;  // one beside another operation or two
    }
    if (--left < 0) return false;
    return std::all_of(op->operands.begin(), op->operands.end(),
                       [&](ValueId o) { return is_light(o, functions, left); });
  }

  // Whether `v` is little work on positions alone. Several users compute it again rather than reading it from memory.
  bool follows_from_positions(ValueId v, int& left) const {
    const Op* op = f_.def_of(v);
    if (!op) return false;
    if (is_position(*op)) return true;
    const bool spreads = op->def->kind == OpKind::Index && op->def->view;
    const bool cheap = op->def->kind == OpKind::Elementwise && !op->def->has(kExpensive) && --left >= 0;
    return (spreads || cheap) && std::all_of(op->operands.begin(), op->operands.end(),
                                             [&](ValueId o) { return follows_from_positions(o, left); });
  }

  // Whether the op gives constants or numbers of positions, spread at most.
  bool is_position(const Op& op) const {
    if (op.def->kind == OpKind::Constant || op.def->kind == OpKind::Iota) return true;
    const Op* from =
        op.def->kind == OpKind::Index && op.def->view && op.operands.size() == 1 ? f_.def_of(op.operands[0]) : nullptr;
    return from && is_position(*from);
  }

  // Whether a function of each element costs a grid less than a launch of its own: next to elements of four bytes it
  // hides behind memory, and of few others it takes no time.
  bool hides_functions(const Type& type) const {
    return target_.grid &&
           (type.dtype.size() >= 4 || f_.facts.less_equal(product(type.shape), Dim(kFewToMove)) == Tri::Yes);
  }

  bool reads_positions(const Op& op) const {
    std::vector<Type> types;
    for (ValueId o : op.operands) types.push_back(f_.type(o));
    const Type& result = f_.type(op.results[0]);
    const std::vector<Dim> at(result.shape.size(), Dim(0));
    return !op.def->index(op, types, result, at).lookups.empty();
  }

  // Whether the result of an index op is computed element by element in one place, rather than being a window that
  // costs nothing.
  bool is_consumed(const Op& op) const {
    const Op* user = only_user(op.results[0]);
    if (!user) return uses_[op.results[0]] == 1 && !op.def->view;
    switch (user->def->kind) {
      case OpKind::Elementwise:
      case OpKind::Reduction:
      case OpKind::Scan: return true;
      case OpKind::Scatter: return op.results[0] == user->operands.back();
      case OpKind::Index: return movable_[user->results[0]];
      case OpKind::Library: return !op.def->view;
      case OpKind::Constant:
      case OpKind::Iota:
      case OpKind::Control:
      case OpKind::Composite: return false;
    }
    return false;
  }

  const Function& f_;
  const TargetTraits& target_;
  std::vector<uint32_t> uses_, user_;  // how often a value is named; the last op that does
  std::vector<bool> movable_;
};

}  // namespace

std::vector<bool> find_movable(const Function& f, const TargetTraits& target) { return MovableFinder(f, target).run(); }

}  // namespace frit::passes
