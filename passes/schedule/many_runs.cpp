// Cuts a loop that reads many operands into loops that read some of them, with values in scratch memory between.
#include "passes/schedule/many_runs.h"

#include <algorithm>
#include <map>
#include <set>

#include "passes/lower/loop_nest.h"
#include "passes/schedule/operands.h"

namespace frit::passes {

using namespace ir;

namespace {

// Operands of a loop that is cut, and those of its parts. A part has at least half as many, so that a cut can be where
// few values are kept.
constexpr size_t kManyRuns = 12, kRunsAtOnce = 8;
// Values that one part leaves to later ones: each is written and read once more, in the innermost cache.
constexpr int kMostKept = 2;
constexpr int kNever = 1 << 20;

// Whether the instruction reads one element after the other of an operand.
bool is_run(const Instr& i, const std::string& var) {
  const auto* load = std::get_if<LoadInstr>(&i.node);
  const auto along = load ? load->index.affine_in(var) : std::nullopt;
  return along && along->coefficient.is(1);
}

class Cutter {
 public:
  Cutter(Kernel& k, Loop& loop) : k_(k), loop_(loop) {}

  // Decides the parts; false if there would be one only.
  bool plan() {
    sort();
    weigh();
    size_t start = 0;
    std::vector<size_t> reached;  // where the part has so many operands, and one more
    std::set<uint32_t> buffers;
    for (size_t p = 0; p < order_.size(); ++p) {
      if (!is_run(*order_[p], loop_.var)) continue;
      if (!buffers.insert(std::get<LoadInstr>(order_[p]->node).buffer).second) continue;
      reached.push_back(p);
      if (reached.size() <= kRunsAtOnce) continue;
      size_t best = p;
      for (size_t q = p; q > reached[kRunsAtOnce / 2]; --q)
        if (kept_[q] < kept_[best]) best = q;
      if (kept_[best] > kMostKept) continue;
      cuts_.push_back(start = best);
      reached.clear();
      buffers.clear();
      p = start - 1;
    }
    cuts_.push_back(order_.size());
    return cuts_.size() > 1;
  }

  Body run() {
    std::map<Reg, size_t> home;
    for (size_t part = 0, p = 0; part < cuts_.size(); ++part)
      for (; p < cuts_[part]; ++p)
        if (const Reg* r = defined_by(*order_[p])) home[*r] = part;
    for (Instr* i : order_)
      for_each_operand(*i, [&](Reg r) {
        if (home.count(r) && home.at(r) != part_of(i)) slot(r);
      });
    Body out;
    for (size_t part = 0, p = 0; part < cuts_.size(); ++part) {
      Loop loop;
      loop.var = part == 0 ? loop_.var : unlike_all(k_, loop_.var + std::to_string(part));
      loop.extent = loop_.extent;
      std::map<Reg, Reg> here;
      Body keep;
      for (; p < cuts_[part]; ++p) {
        for_each_operand(*order_[p], [&](Reg& r) { r = bring(r, home, part, here, loop.body); });
        if (const Reg* r = defined_by(*order_[p]); r && slots_.count(*r))
          keep.push_back({StoreInstr{slots_.at(*r), Dim::symbol(loop_.var), *r}});
        loop.body.push_back(std::move(*order_[p]));
      }
      std::move(keep.begin(), keep.end(), std::back_inserter(loop.body));
      rewrite_dims(loop.body, [&](const Dim& d) { return d.substitute(loop_.var, Dim::symbol(loop.var)); });
      out.push_back({std::move(loop)});
    }
    return out;
  }

 private:
  // Constants, positions and what is the same in all iterations are computed again in each part that uses them.
  bool is_free(Instr& i) const {
    if (std::holds_alternative<IndexInstr>(i.node)) return true;
    if (const auto* l = std::get_if<LoadInstr>(&i.node)) return l->mask == kNoReg && !l->index.uses(loop_.var);
    auto* s = std::get_if<ScalarInstr>(&i.node);
    if (!s) return false;
    bool uniform = true;
    for_each_operand(i, [&](Reg r) {
      const auto at = free_.find(r);
      uniform =
          uniform && (at == free_.end() ? !made_.count(r) : !std::holds_alternative<IndexInstr>(at->second->node));
    });
    return uniform;
  }

  // Brings each load to its first use, and stores to the end.
  void sort() {
    for (Instr& i : loop_.body)
      if (Reg* r = defined_by(i)) {
        if (is_free(i)) free_[*r] = &i;
        made_[*r] = &i;
      }
    std::set<const Instr*> done;
    const auto visit = [&](auto&& self, Instr& i) -> void {
      if (!done.insert(&i).second) return;
      for_each_operand(i, [&](Reg r) {
        if (made_.count(r) && !free_.count(r)) self(self, *made_.at(r));
      });
      place_[&i] = order_.size();
      order_.push_back(&i);
    };
    for (Instr& i : loop_.body)
      if (std::holds_alternative<ScalarInstr>(i.node) && !free_.count(*defined_by(i))) visit(visit, i);
    for (Instr& i : loop_.body)
      if (std::holds_alternative<StoreInstr>(i.node)) visit(visit, i);
  }

  // The values in front of each place that are used at it or behind it.
  void weigh() {
    std::map<Reg, size_t> last;
    for (size_t p = 0; p < order_.size(); ++p) for_each_operand(*order_[p], [&](Reg r) { last[r] = p; });
    kept_.assign(order_.size() + 1, 0);
    for (size_t p = 0; p < order_.size(); ++p)
      if (const Reg* r = defined_by(*order_[p]); r && last.count(*r)) {
        const int weight = k_.reg_types[*r] == bool_ ? kNever : 1;
        kept_[p + 1] += weight;
        kept_[last.at(*r) + 1] -= weight;
      }
    for (size_t p = 1; p < kept_.size(); ++p) kept_[p] += kept_[p - 1];
  }

  size_t part_of(const Instr* i) const {
    const auto cut = std::upper_bound(cuts_.begin(), cuts_.end(), place_.at(i));
    return static_cast<size_t>(cut - cuts_.begin());
  }

  uint32_t slot(Reg r) {
    const auto [at, added] = slots_.try_emplace(r);
    if (added) at->second = add_local(k_, "part" + std::to_string(slots_.size()), k_.reg_types[r], Dim(kRunPiece));
    return at->second;
  }

  // The register that has `r` in a part.
  Reg bring(Reg r, const std::map<Reg, size_t>& home, size_t part, std::map<Reg, Reg>& here, Body& body) {
    if (const auto known = here.find(r); known != here.end()) return known->second;
    const auto again = free_.find(r);
    if (again == free_.end() && (!home.count(r) || home.at(r) == part)) return r;
    Instr copy = again == free_.end() ? Instr{LoadInstr{r, slots_.at(r), Dim::symbol(loop_.var)}} : *again->second;
    for_each_operand(copy, [&](Reg& operand) { operand = bring(operand, home, part, here, body); });
    const Reg fresh = k_.new_reg(k_.reg_types[r]);
    k_.set_origin(fresh, k_.origin(r));
    *defined_by(copy) = fresh;
    body.push_back(std::move(copy));
    return here[r] = fresh;
  }

  Kernel& k_;
  Loop& loop_;
  std::map<Reg, Instr*> made_, free_;
  std::vector<Instr*> order_;
  std::map<const Instr*, size_t> place_;
  std::vector<int> kept_;
  std::vector<size_t> cuts_;  // the end of each part
  std::map<Reg, uint32_t> slots_;
};

}  // namespace

bool has_many_runs(const Kernel& k, const Loop& loop) {
  std::set<uint32_t> buffers;
  for (const Instr& i : loop.body) {
    if (std::holds_alternative<Loop>(i.node) || std::holds_alternative<BindInstr>(i.node)) return false;
    if (const auto* load = std::get_if<LoadInstr>(&i.node); load && k.buffer(load->buffer).written) return false;
    if (is_run(i, loop.var)) buffers.insert(std::get<LoadInstr>(i.node).buffer);
  }
  return buffers.size() > kManyRuns && loop.accumulators.empty() && loop.carries.empty();
}

bool cut_by_runs(Kernel& k, Body& body) {
  Loop loop = std::get<Loop>(body.back().node);
  Cutter cutter(k, loop);
  if (!cutter.plan()) return false;
  Body parts = cutter.run();
  body.pop_back();
  std::move(parts.begin(), parts.end(), std::back_inserter(body));
  return true;
}

}  // namespace frit::passes
