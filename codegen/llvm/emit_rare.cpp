// Work that only some selections of a vector loop need, behind a branch: a step without a lane that takes it goes past.
//
// A formula with a short way for usual arguments and a long one for the rest, such as the reduction of large angles,
// costs the short way where all lanes are usual. The values are those of the selection, so that no result depends on
// it.
#include <llvm/IR/Constants.h>

#include <algorithm>

#include "codegen/llvm/emitter.h"

namespace frit::codegen {

using llvm::Value;

namespace {

// Operations that outweigh the test of all lanes, the branch, and now and then a wrong guess of it.
constexpr size_t kWorthBranch = 24;
// The other way must be a formula, too, and this many times as short: of two ways of a length both are usual, and
// beside a constant or a special value the long way is the usual one. A test of the bits of a float says by its form
// that it is one for unusual numbers (ir/math/formula.h).
constexpr size_t kShortWay = 4, kTimesAsLong = 3;

const ir::ScalarInstr* as_scalar(const ir::Instr& i) { return std::get_if<ir::ScalarInstr>(&i.node); }

// Where the registers of a loop's body are defined and used; uses that are no operands of scalar operations are `size`.
struct Uses {
  std::map<ir::Reg, std::vector<size_t>> by;
  std::map<ir::Reg, size_t> made;
  bool straight = true;  // the body has neither loops nor bindings
};

Uses uses_in(const ir::Loop& loop) {
  Uses u;
  const ir::Body& body = loop.body;
  for (size_t i = 0; i < body.size(); ++i) {
    if (const auto* s = as_scalar(body[i])) {
      u.made[s->result] = i;
      for (int a = 0; a < ir::arity(s->op); ++a) u.by[s->args[static_cast<size_t>(a)]].push_back(i);
    } else if (const auto* store = std::get_if<ir::StoreInstr>(&body[i].node)) {
      for (ir::Reg r : {store->value, store->mask}) u.by[r].push_back(body.size());
    } else if (const auto* load = std::get_if<ir::LoadInstr>(&body[i].node)) {
      u.made[load->result] = i;
      u.by[load->mask].push_back(body.size());
    } else if (const auto* index = std::get_if<ir::IndexInstr>(&body[i].node)) {
      u.made[index->result] = i;
    } else {
      u.straight = false;
    }
  }
  for (const ir::Accumulator& a : loop.accumulators)
    for (ir::Reg r : {a.value, a.position}) u.by[r].push_back(body.size());
  return u;
}

// The places of the operations that nothing but the selections `choices` needs, and they only as operand `side`: 1
// where their test holds, 2 where it does not. The walk begins at the selections and goes from operand to operand, so
// that many selections in a long body cost what they find. The places `too` may need them as well.
std::set<size_t> only_for(const ir::Body& body, const Uses& uses, const std::vector<size_t>& choices, int side,
                          const std::set<size_t>& too = {}) {
  std::set<size_t> places, candidates;
  const auto needs = [&](size_t user, ir::Reg r) {
    if (places.count(user) || too.count(user)) return true;
    if (!std::binary_search(choices.begin(), choices.end(), user)) return false;
    const auto& args = as_scalar(body[user])->args;
    return args[static_cast<size_t>(side)] == r && std::count(args.begin(), args.end(), r) == 1;
  };
  const auto consider = [&](ir::Reg r) {
    if (const auto made = uses.made.find(r); made != uses.made.end()) candidates.insert(made->second);
  };
  for (size_t c : choices) consider(as_scalar(body[c])->args[static_cast<size_t>(side)]);
  // The last candidate first: what uses it stands behind it, so that is settled.
  while (!candidates.empty()) {
    const size_t i = *candidates.rbegin();
    candidates.erase(i);
    const auto* s = as_scalar(body[i]);
    if (!s || s->op == ir::ScalarOp::Const) continue;
    const std::vector<size_t>& by = uses.by.at(s->result);
    if (!std::all_of(by.begin(), by.end(), [&](size_t u) { return needs(u, s->result); })) continue;
    places.insert(i);
    for (int a = 0; a < ir::arity(s->op); ++a) consider(s->args[static_cast<size_t>(a)]);
  }
  return places;
}

// Whether the comparison is of a float's bits, as an unsigned integer, less a bound.
bool tests_bits(const ir::Kernel& k, const ir::Body& body, const Uses& uses, const ir::ScalarInstr& compares) {
  const auto made_by = [&](ir::Reg r, ir::ScalarOp op) {
    const auto made = uses.made.find(r);
    const auto* s = made == uses.made.end() ? nullptr : as_scalar(body[made->second]);
    return s && s->op == op ? s : nullptr;
  };
  const auto* less = made_by(compares.args[0], ir::ScalarOp::Sub);
  const auto* bits = less && !is_signed_int(less->type) ? made_by(less->args[0], ir::ScalarOp::Bitcast) : nullptr;
  return bits && is_float(k.reg_types[bits->args[0]]);
}

}  // namespace

// The selections of a test that have enough work of their own, and that work; each by places in the body, in order.
std::vector<KernelEmitter::Rare> KernelEmitter::rare_work(const ir::Loop& loop) const {
  if (!vector_ || !loop.carries.empty()) return {};
  const Uses uses = uses_in(loop);
  if (!uses.straight) return {};
  const ir::Body& body = loop.body;
  std::map<ir::Reg, std::vector<size_t>> choices;
  for (size_t i = 0; i < body.size(); ++i)
    if (const auto* s = as_scalar(body[i]); s && s->op == ir::ScalarOp::Select) choices[s->args[0]].push_back(i);
  std::vector<Rare> found;
  std::set<size_t> taken;
  for (const auto& [test, at] : choices) {
    const auto made = uses.made.find(test);
    const auto* compares = made == uses.made.end() ? nullptr : as_scalar(body[made->second]);
    if (!compares || !ir::is_comparison(compares->op) || !vector_->varying[test]) continue;
    const std::set<size_t> places = only_for(body, uses, at, 1);
    if (places.size() < kWorthBranch) continue;
    if (!tests_bits(kernel_, body, uses, *compares)) {
      // A long way may go on from the result of the short one.
      size_t other = only_for(body, uses, at, 2).size();
      if (other < kShortWay) other = only_for(body, uses, at, 2, places).size();
      if (other < kShortWay || places.size() < kTimesAsLong * other) continue;
    }
    // The branch is in front of the first selection, where all operands must be known. Constants are known anywhere.
    const bool known = std::all_of(places.begin(), places.end(), [&](size_t p) {
      const auto* s = as_scalar(body[p]);
      return std::all_of(s->args.begin(), s->args.begin() + ir::arity(s->op), [&](ir::Reg r) {
        const auto from = uses.made.find(r);
        if (from == uses.made.end() || from->second < at.front() || places.count(from->second)) return true;
        const auto* operand = as_scalar(body[from->second]);
        return operand && operand->op == ir::ScalarOp::Const;
      });
    });
    const bool apart = std::none_of(places.begin(), places.end(), [&](size_t p) { return taken.count(p) > 0; });
    if (!known || !apart || std::any_of(at.begin(), at.end(), [&](size_t c) { return taken.count(c) > 0; })) continue;
    taken.insert(places.begin(), places.end());
    found.push_back({test, at, {places.begin(), places.end()}});
  }
  return found;
}

// The body of a loop; what is rare is behind branches.
void KernelEmitter::emit_loop_body(const ir::Loop& loop) {
  const std::vector<Rare> rare = rare_work(loop);
  std::set<size_t> behind;
  std::map<size_t, const Rare*> by_first;
  for (const Rare& r : rare) {
    behind.insert(r.work.begin(), r.work.end());
    by_first[r.choices.front()] = &r;
  }
  // A constant may stand behind the branch.
  std::map<ir::Reg, const ir::Instr*> constants;
  for (const ir::Instr& i : loop.body)
    if (const auto* s = as_scalar(i); s && s->op == ir::ScalarOp::Const && !rare.empty()) constants[s->result] = &i;
  for (size_t i = 0; i < loop.body.size(); ++i) {
    if (const auto r = by_first.find(i); r != by_first.end()) emit_rare(loop.body, *r->second, constants);
    if (!behind.count(i)) emit(loop.body[i]);
  }
}

void KernelEmitter::emit_rare(const ir::Body& body, const Rare& rare,
                              const std::map<ir::Reg, const ir::Instr*>& constants) {
  for (size_t p : rare.work) {
    const auto* s = as_scalar(body[p]);
    for (int a = 0; a < ir::arity(s->op); ++a)
      if (const auto c = constants.find(s->args[static_cast<size_t>(a)]); c != constants.end()) emit(*c->second);
  }
  const Val& test = reg(rare.test);
  if (!test.varying || test.depth < depth()) {
    for (size_t p : rare.work) emit(body[p]);
    return;
  }
  Detour detour = open_detour(test, false);
  for (size_t p : rare.work) emit(body[p]);
  close_detour(detour);
  // Where no lane takes a value, any will do.
  for (size_t choice : rare.choices) {
    const ir::Reg r = as_scalar(body[choice])->args[1];
    const bool own =
        std::any_of(rare.work.begin(), rare.work.end(), [&](size_t p) { return as_scalar(body[p])->result == r; });
    Val value = reg(r);
    if (!own || value.depth < depth() || llvm::isa<llvm::PHINode>(value.copies[0])) continue;
    for (Value*& copy : value.copies) copy = meet(detour, llvm::Constant::getNullValue(copy->getType()), copy);
    define(r, std::move(value));
  }
}

}  // namespace frit::codegen
