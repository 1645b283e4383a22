// Places that go side by side, since they read the same elements.
//
// A processor reads one or two vectors in a cycle, and two lines for a vector that begins within a line. A window of
// nine elements and their weights are eighteen loads for as many operations. Two places side by side share the weights
// and two thirds of the window.
#include "passes/schedule/neighbours.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "passes/lower/loop_nest.h"
#include "passes/schedule/operands.h"

namespace frit::passes {

using namespace ir;

namespace {

// Places that go side by side, and the loads in common for which it is worth it.
constexpr int64_t kTogether = 2;
constexpr int64_t kFewestShared = 6;

std::vector<Loop*> loops_inward(Loop& loop) {
  std::vector<Loop*> nest;
  for (Loop* l = &loop; l; l = inner_of_nest(l->body)) nest.push_back(l);
  return nest;
}

// Loads of a place that it has in common with the place behind it.
int64_t shared_loads(const Loop& elements, const std::string& place, const DimFacts& facts) {
  std::vector<const LoadInstr*> loads;
  for (const Instr& i : elements.body)
    if (const auto* l = std::get_if<LoadInstr>(&i.node)) loads.push_back(l);
  return std::count_if(loads.begin(), loads.end(), [&](const LoadInstr* l) {
    if (!l->index.uses(place)) return true;
    const Dim next = facts.simplify(l->index.substitute(place, Dim::symbol(place) + Dim(1)));
    return std::any_of(loads.begin(), loads.end(),
                       [&](const LoadInstr* m) { return m->buffer == l->buffer && facts.simplify(m->index) == next; });
  });
}

// Adds the instructions of some places to one body, with one load for each element that they read under one mask.
class Joined {
 public:
  Joined(Kernel& k, const std::string& place) : k_(k), place_(place) {}

  void add(const Body& body, int64_t shift, Body& out, Body& stores) {
    const Dim position = Dim(kTogether) * Dim::symbol(place_) + Dim(shift);
    for (Instr i : body) {
      for_each_operand(i, [&](Reg& r) {
        if (const auto own = now_.find({shift, r}); own != now_.end()) r = own->second;
      });
      const auto moved = [&](const Dim& d) { return k_.facts.simplify(d.substitute(place_, position)); };
      if (auto* l = std::get_if<LoadInstr>(&i.node)) l->index = moved(l->index);
      if (auto* s = std::get_if<StoreInstr>(&i.node)) s->index = moved(s->index);
      if (auto* x = std::get_if<IndexInstr>(&i.node)) x->index = moved(x->index);
      if (Reg* result = defined_by(i)) {
        const Reg old = *result;
        *result = k_.new_reg(k_.reg_types[old]);
        k_.set_origin(*result, k_.origin(old));
        now_[{shift, old}] = *result;
        if (const auto* l = std::get_if<LoadInstr>(&i.node)) {
          const auto known = std::find_if(loads_.begin(), loads_.end(), [&](const LoadInstr& m) {
            return m.buffer == l->buffer && m.mask == l->mask && m.index == l->index;
          });
          if (known != loads_.end()) {
            now_[{shift, old}] = known->result;
            continue;
          }
          loads_.push_back(*l);
        }
      }
      (std::holds_alternative<StoreInstr>(i.node) ? stores : out).push_back(std::move(i));
    }
  }

 private:
  Kernel& k_;
  const std::string place_;
  std::map<std::pair<int64_t, Reg>, Reg> now_;  // by place and register of the body that is added
  std::vector<LoadInstr> loads_;
};

}  // namespace

bool has_neighbours(Loop& loop, const Kernel& k, int lanes) {
  const std::vector<Loop*> nest = loops_inward(loop);
  if (nest.size() < 3) return false;
  const Loop &places = *nest[nest.size() - 2], &elements = *nest.back();
  if (!places.extent.is_const() || places.extent.value() < 2 * kTogether) return false;
  if (k.facts.range(elements.extent).low < lanes || !is_straight_line(elements.body)) return false;
  const auto lies_by_itself = [&](const Instr& i) {
    const auto* s = std::get_if<StoreInstr>(&i.node);
    return !s || (s->buffer < k.buffers.size() && !k.buffers[s->buffer].read && s->index.uses(places.var));
  };
  if (!std::all_of(elements.body.begin(), elements.body.end(), lies_by_itself)) return false;
  const bool plain = std::all_of(places.body.begin(), places.body.end() - 1, [](const Instr& i) {
    return std::holds_alternative<ScalarInstr>(i.node) || std::holds_alternative<IndexInstr>(i.node);
  });
  return plain && shared_loads(elements, places.var, k.facts) >= kFewestShared;
}

std::set<std::string> join_neighbours(Kernel& k, Loop& loop, const std::string& var) {
  const std::vector<Loop*> nest = loops_inward(loop);
  Loop& around = *nest[nest.size() - 3];
  Loop places = std::move(std::get<Loop>(around.body.back().node));
  around.body.pop_back();
  Loop elements = std::move(std::get<Loop>(places.body.back().node));
  places.body.pop_back();
  const int64_t count = places.extent.value(), turns = count / kTogether;
  std::set<std::string> inner{elements.var};

  Loop together = places, joined = elements;
  together.extent = turns;
  together.body.clear();
  joined.body.clear();
  Joined some(k, places.var);
  Body stores;
  for (int64_t shift = 0; shift < kTogether; ++shift) some.add(places.body, shift, together.body, stores);
  for (int64_t shift = 0; shift < kTogether; ++shift) some.add(elements.body, shift, joined.body, stores);
  std::move(stores.begin(), stores.end(), std::back_inserter(joined.body));
  together.body.push_back({std::move(joined)});

  if (count % kTogether != 0) {
    const std::string last = unlike_all(k, elements.var + "_");
    inner.insert(last);
    rewrite_dims(elements.body, [&](const Dim& d) { return d.substitute(elements.var, Dim::symbol(last)); });
    elements.var = last;
    places.body.push_back({std::move(elements)});
    rewrite_dims(places.body, [&](const Dim& d) {
      return k.facts.simplify(d.substitute(places.var, Dim(turns * kTogether) + Dim::symbol(var)));
    });
    places.var = var;
    places.extent = count % kTogether;
  }
  around.body.push_back({std::move(together)});
  const bool left = !places.body.empty() && std::holds_alternative<Loop>(places.body.back().node);
  if (left) around.body.push_back({std::move(places)});
  for (size_t depth = nest.size() - 2; depth > 1; --depth) merge(loop, k.facts);
  return inner;
}

}  // namespace frit::passes
