// Which values of an op with regions are needed: results first, then the state behind them, then the operands.
#include "passes/simplify/prune_regions.h"

#include <algorithm>

#include "ir/graph/control.h"

namespace frit::passes {

using namespace ir;

namespace {

using Flags = std::vector<bool>;

// Whether an op does more than give results, itself or in a region.
bool acts(const Op& op) {
  if (op.def->has(kSideEffect)) return true;
  for (std::string_view name : regions_of(op)) {
    const Function& region = op.attrs.get_region(name);
    if (std::any_of(region.ops.begin(), region.ops.end(), acts)) return true;
  }
  return false;
}

bool is_live(const Op& op, const Flags& used) {
  return acts(op) || std::any_of(op.results.begin(), op.results.end(), [&](ValueId r) { return used[r]; });
}

// The results of an op with regions that are needed, and the parameters of the regions behind them.
struct Needs {
  Flags results, params;
};
Needs needs_of(const Op& op, Flags results);

// Which parameters the marked results of a region depend on.
Flags needed_params(const Function& region, const Flags& results) {
  Flags needed(region.values.size(), false);
  for (size_t i = 0; i < results.size(); ++i)
    if (results[i]) needed[region.results[i]] = true;
  for (size_t i = region.ops.size(); i-- > 0;) {
    const Op& op = region.ops[i];
    if (!is_live(op, needed)) continue;
    Flags inner;
    if (op.def->kind == OpKind::Control) {
      for (ValueId r : op.results) inner.push_back(needed[r]);
      inner = needs_of(op, std::move(inner)).params;
    }
    const size_t before = op.operands.size() - inner.size();  // operands that no region takes
    for (size_t k = 0; k < op.operands.size(); ++k)
      if (inner.empty() || k < before || inner[k - before]) needed[op.operands[k]] = true;
  }
  Flags out;
  for (ValueId p : region.params) out.push_back(needed[p]);
  return out;
}

// A choice needs what either region does. State of a loop is needed if its last value is, or if anything needed depends
// on it in some iteration.
Needs needs_of(const Op& op, Flags results) {
  Needs n{std::move(results), Flags(region_operands(op).size(), false)};
  const auto need = [&](std::string_view name, const Flags& of) {
    const Flags more = needed_params(op.attrs.get_region(name), of);
    for (size_t i = 0; i < more.size(); ++i) n.params[i] = n.params[i] || more[i];
  };
  if (op.def->control == ControlForm::Cond) {
    for (std::string_view name : regions_of(op)) need(name, n.results);
    return n;
  }
  const size_t carried = LoopParts(op.attrs, op.operands.size()).carried;
  if (op.def->control == ControlForm::While) need("cond", {true});
  for (bool more = true; more;) {
    need("body", n.results);
    more = false;
    for (size_t i = 0; i < carried; ++i) {
      if (n.results[i] == n.params[i]) continue;
      n.results[i] = n.params[i] = more = true;
    }
  }
  return n;
}

template <class T>
std::vector<T> kept(const std::vector<T>& all, const Flags& flags) {
  std::vector<T> out;
  for (size_t i = 0; i < all.size(); ++i)
    if (flags[i]) out.push_back(all[i]);
  return out;
}

size_t count(const Flags& flags, size_t first, size_t last) {
  return static_cast<size_t>(
      std::count(flags.begin() + static_cast<ptrdiff_t>(first), flags.begin() + static_cast<ptrdiff_t>(last), true));
}

// Drops what op `index` does not need for the results that `used` names; gives how many values left it.
size_t prune(Function& f, size_t index, const Flags& used) {
  Op& op = f.ops[index];
  Flags results;
  for (ValueId r : op.results) results.push_back(used[r]);
  const Needs n = needs_of(op, std::move(results));
  const size_t gone = static_cast<size_t>(std::count(n.results.begin(), n.results.end(), false) +
                                          std::count(n.params.begin(), n.params.end(), false));
  if (gone == 0) return 0;
  for (std::string_view name : regions_of(op)) {
    Function region = op.attrs.get_region(name);
    region.params = kept(region.params, n.params);
    for (size_t i = 0; i < region.params.size(); ++i) region.values[region.params[i]].index = static_cast<uint32_t>(i);
    if (name != "cond") region.results = kept(region.results, n.results);
    remove_dead(region);
    op.attrs.set(name, Region(std::move(region)));
  }
  if (op.def->control != ControlForm::Cond) {
    const LoopParts parts(op.attrs, op.operands.size());
    op.attrs.set("carried", Dim(static_cast<int64_t>(count(n.params, 0, parts.carried))));
    if (op.def->control == ControlForm::Scan)
      op.attrs.set("scanned", Dim(static_cast<int64_t>(count(n.params, parts.carried, parts.first_captured()))));
  }
  Flags operands(op.operands.size() - n.params.size(), true);
  operands.insert(operands.end(), n.params.begin(), n.params.end());
  op.operands = kept(op.operands, operands);
  op.results = kept(op.results, n.results);
  for (size_t r = 0; r < op.results.size(); ++r) f.values[op.results[r]].index = static_cast<uint32_t>(r);
  return gone;
}

}  // namespace

Dropped remove_dead(Function& f) {
  Flags used(f.values.size(), false);
  for (ValueId v : f.results) used[v] = true;
  Dropped dropped;
  for (size_t i = f.ops.size(); i-- > 0;) {
    if (!is_live(f.ops[i], used)) {
      ++dropped.ops;
      continue;
    }
    if (f.ops[i].def->kind == OpKind::Control) dropped.values += prune(f, i, used);
    for (ValueId v : f.ops[i].operands) used[v] = true;
  }
  if (dropped.ops + dropped.values) f.canonicalize_order();
  return dropped;
}

}  // namespace frit::passes
