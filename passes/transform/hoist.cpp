// hoist: moves work out of loops.
//
// Work of a loop's body that is the same in every step is done once before the loop, and read as a capture: state that
// never changes counts as a capture. Products of scanned arrays with such values are one product over all steps, whose
// result is scanned in their place, where that needs no memory out of proportion: the matrix is read once, and not in
// every step. An element that a scan stacks as it was scanned is that array.
#include <algorithm>
#include <map>
#include <optional>

#include "ir/routines/routine.h"
#include "passes/manager/pass.h"
#include "passes/transform/control.h"
#include "passes/transform/transform.h"

namespace frit::passes {
namespace {

using namespace ir;

// A product over all steps may be so many times as large as the arrays that it is made of, or have so many bytes.
constexpr int64_t kMostGrowth = 8, kMostStacked = int64_t{16} << 20;

// The parameters of a body that a value depends on: captures alone, scanned arrays too, state too.
enum class Depends : uint8_t { Nothing, Scanned, State };

bool is_product(const OpDef& def) { return def.kind == OpKind::Library && def.routine->takes_rows; }

// Whether the op may run before a loop that may have no steps.
bool may_move(const OpDef& def) {
  if (def.has(kSideEffect)) return false;
  switch (def.kind) {
    case OpKind::Constant:
    case OpKind::Iota:
    case OpKind::Elementwise:
    case OpKind::Index:
    case OpKind::Reduction:
    case OpKind::Scan: return true;
    case OpKind::Library: return is_product(def);
    case OpKind::Scatter:
    case OpKind::Composite:
    case OpKind::Control: break;
  }
  return false;
}

// A loop as it is rebuilt: the values of its regions and what they are outside.
class Loop {
 public:
  Loop(Function& f, uint32_t index, PassContext& context)
      : f_(f), index_(index), op_(f.ops[index]), context_(context), parts_(op_.attrs, op_.operands.size()) {
    for (std::string_view name : regions_of(op_))
      regions_.push_back({name, opened(std::get<Region>(*op_.attrs.find(name)), f)});
    for (size_t i = 0; i < op_.operands.size(); ++i) outside_.push_back(op_.operands[i]);
    is_scan_ = op_.def->control == ControlForm::Scan;
  }

  Result<bool> run() {
    for (size_t i = 0; i < outside_.size(); ++i) {
      const bool constant = i < parts_.carried && body().results[i] == body().params[i];
      kinds_.push_back(i >= parts_.first_captured() || constant ? Depends::Nothing
                       : i < parts_.carried                     ? Depends::State
                                                                : Depends::Scanned);
      changed_ = changed_ || constant;
    }
    for (RegionOf& region : regions_) move_invariant(region.f);
    if (is_scan_) FRIT_TRY(move_products());
    const bool copies = is_scan_ && has_copies();
    if (!changed_ && !copies) return false;
    FRIT_TRY(rebuild());
    return true;
  }

 private:
  struct RegionOf {
    std::string_view name;
    Function f;
  };

  Function& body() {
    return std::find_if(regions_.begin(), regions_.end(), [](const RegionOf& r) { return r.name == "body"; })->f;
  }
  const Type& outside_type(size_t i) const { return f_.type(outside_[i]); }

  std::vector<Depends> dependences(const Function& region) const {
    std::vector<Depends> of(region.values.size(), Depends::Nothing);
    for (size_t i = 0; i < region.params.size(); ++i) of[region.params[i]] = kinds_[i];
    for (const Op& op : region.ops) {
      Depends all = may_move(*op.def) ? Depends::Nothing : Depends::State;
      for (ValueId v : op.operands) all = std::max(all, of[v]);
      for (ValueId r : op.results) of[r] = all;
    }
    return of;
  }

  // Whether work that is done in every step goes away with the value: products, reductions and operations that cost
  // more than reading their result, and whatever a product would read from memory anyway.
  static std::vector<bool> worth_moving(const Function& region, const std::vector<Depends>& of) {
    std::vector<bool> worth(region.values.size(), false), work(region.values.size(), false);
    for (const Op& op : region.ops) {
      const bool heavy = op.def->kind == OpKind::Library || op.def->kind == OpKind::Reduction ||
                         op.def->kind == OpKind::Scan || op.def->has(kExpensive);
      const auto given = [&](ValueId v) { return work[v] || worth[v]; };
      const bool before = std::any_of(op.operands.begin(), op.operands.end(), given);
      for (ValueId r : op.results) {
        // A value that is broadcast is read as it was before.
        const auto grows = [&](ValueId v) {
          return region.facts.less_equal(region.type(r).size(), region.type(v).size()) != Tri::Yes;
        };
        const bool fits = op.def->kind == OpKind::Library ||
                          std::any_of(op.operands.begin(), op.operands.end(), [&](ValueId v) { return !grows(v); });
        work[r] = op.def->kind == OpKind::Elementwise || before;
        worth[r] = of[r] == Depends::Nothing && fits &&
                   (heavy || std::any_of(op.operands.begin(), op.operands.end(), [&](ValueId v) { return worth[v]; }));
      }
      if (!is_product(*op.def)) continue;
      for (ValueId v : op.operands) worth[v] = worth[v] || (of[v] == Depends::Nothing && work[v]);
    }
    return worth;
  }

  // The values that the rest of a region reads of the marked ones, which have no other ones before them.
  static std::vector<ValueId> read_by_others(const Function& region, const std::vector<bool>& marked) {
    std::vector<bool> read(region.values.size(), false);
    const auto inside = [&](const Op& op) { return !op.results.empty() && marked[op.results[0]]; };
    for (const Op& op : region.ops)
      if (!inside(op))
        for (ValueId v : op.operands) read[v] = true;
    for (ValueId v : region.results) read[v] = true;
    std::vector<ValueId> out;
    for (const Op& op : region.ops)
      for (ValueId r : op.results)
        if (marked[r] && read[r]) out.push_back(r);
    return out;
  }

  void move_invariant(Function& region) {
    const std::vector<Depends> of = dependences(region);
    const std::vector<ValueId> moved = read_by_others(region, worth_moving(region, of));
    if (moved.empty()) return;
    Builder b(f_);
    const auto [part, given] = part_of(region, moved);
    std::vector<ValueId> arguments;
    for (size_t i : given) arguments.push_back(outside_[i]);
    const std::vector<ValueId> made = inlined(b, part, arguments);
    for (size_t k = 0; k < moved.size(); ++k) {
      context_.remark(f_, "moved out of the loop: " + text_of(region, moved[k]), region.def_of(moved[k])->loc);
      replace(region, moved[k], made[k], Depends::Nothing);
    }
  }

  // Products that every step computes of scanned arrays.
  Status move_products() {
    Function& region = body();
    const std::vector<Depends> of = dependences(region);
    std::vector<bool> marked(region.values.size(), false);
    for (const Op& op : region.ops) {
      if (!is_product(*op.def) || of[op.operands[0]] != Depends::Scanned || of[op.operands[1]] != Depends::Nothing)
        continue;
      const char* why = why_in_steps(region, op);
      marked[op.results[0]] = !why;
      if (why) context_.remark(f_, std::string("a product in every step: ") + why, op.loc);
    }
    // Of products that lead to one another, the last ones are scanned.
    const std::vector<ValueId> moved = read_by_others(region, marked);
    if (moved.empty()) return {};
    const auto [part, given] = part_of(region, moved);
    BatchAxes axes{{}, std::vector<int>(moved.size(), 0), op_.attrs.get_dim("length")};
    std::vector<ValueId> arguments;
    for (size_t i : given) {
      axes.in.push_back(kinds_[i] == Depends::Scanned ? 0 : -1);
      arguments.push_back(outside_[i]);
    }
    const Result<Function> all = vmap(part, axes);
    if (!all.ok()) return {};
    Builder b(f_);
    const std::vector<ValueId> made = inlined(b, *all, arguments);
    for (size_t k = 0; k < moved.size(); ++k) {
      context_.remark(f_, "one product over all steps: " + text_of(region, moved[k]), region.def_of(moved[k])->loc);
      replace(region, moved[k], made[k], Depends::Scanned);
    }
    return {};
  }

  // Null for a matrix that is at least as large as the rows that it is multiplied with in a step, and a result in
  // proportion.
  const char* why_in_steps(const Function& region, const Op& op) const {
    const Type &rows = region.type(op.operands[0]), &made = region.type(op.results[0]);
    const DimFacts& facts = region.facts;
    if (facts.less_equal(rows.size(), region.type(op.operands[1]).size()) != Tri::Yes)
      return "the rows may be larger than their matrix";
    const Dim bytes = made.size() * Dim(int64_t{made.dtype.size()}) * op_.attrs.get_dim("length");
    if (facts.less_equal(made.size(), rows.size() * Dim(kMostGrowth)) == Tri::Yes ||
        facts.less_equal(bytes, Dim(kMostStacked)) == Tri::Yes)
      return nullptr;
    return "one over all steps may need too much memory";
  }

  // The function of `values` of a region, and the numbers of the parameters that it takes.
  std::pair<Function, std::vector<size_t>> part_of(const Function& region, const std::vector<ValueId>& values) const {
    std::vector<bool> needed(region.values.size(), false);
    for (ValueId v : values) needed[v] = true;
    for (size_t i = region.ops.size(); i-- > 0;)
      if (std::any_of(region.ops[i].results.begin(), region.ops[i].results.end(), [&](ValueId r) { return needed[r]; }))
        for (ValueId v : region.ops[i].operands) needed[v] = true;
    std::vector<size_t> given;
    std::vector<ValueId> inputs;
    for (size_t i = 0; i < region.params.size(); ++i)
      if (needed[region.params[i]]) given.push_back(i), inputs.push_back(region.params[i]);
    return {extracted(region, inputs, values), given};
  }

  // `v` of a region becomes a parameter, which all regions take.
  void replace(Function& region, ValueId v, ValueId outside, Depends kind) {
    const Type type = region.type(v);
    for (RegionOf& r : regions_) r.f.add_param("h" + std::to_string(outside_.size()), Type(type));
    const ValueId param = region.params.back();
    for (Op& op : region.ops) std::replace(op.operands.begin(), op.operands.end(), v, param);
    std::replace(region.results.begin(), region.results.end(), v, param);
    outside_.push_back(outside);
    kinds_.push_back(kind);
    changed_ = true;
  }

  static std::string text_of(const Function& region, ValueId v) {
    return std::string(region.def_of(v)->def->name) + " of type " + region.type(v).str();
  }

  // The number of the parameter that a stacked result shows as it is scanned.
  std::optional<size_t> copied(size_t result) {
    const auto found = std::find(body().params.begin(), body().params.end(), body().results[result]);
    if (found == body().params.end()) return std::nullopt;
    const auto i = static_cast<size_t>(found - body().params.begin());
    return kinds_[i] == Depends::Scanned ? std::optional(i) : std::nullopt;
  }
  bool has_copies() {
    for (size_t r = parts_.carried; r < body().results.size(); ++r)
      if (copied(r)) return true;
    return false;
  }

  bool reads(const Function& region, ValueId v) const {
    const auto is = [&](ValueId other) { return other == v; };
    return std::any_of(region.results.begin(), region.results.end(), is) ||
           std::any_of(region.ops.begin(), region.ops.end(),
                       [&](const Op& op) { return std::any_of(op.operands.begin(), op.operands.end(), is); });
  }

  // Whether a region reads the parameter for one of `results` of the body.
  bool is_read(size_t i, const std::vector<size_t>& results) {
    for (RegionOf& r : regions_) {
      const bool is_body = &r.f == &body();
      std::vector<ValueId> outputs;
      for (size_t k : is_body ? results : std::vector<size_t>{0}) outputs.push_back(r.f.results[k]);
      const Function used = extracted(r.f, r.f.params, outputs);
      if (reads(used, used.params[i])) return true;
    }
    return false;
  }

  Status rebuild() {
    std::vector<size_t> results, inputs;
    std::map<ValueId, ValueId> same;  // of results that are known outside
    std::vector<ValueId> kept;
    for (size_t r = 0; r < op_.results.size(); ++r) {
      const bool state = r < parts_.carried;
      const std::optional<size_t> copy = state ? std::nullopt : copied(r);
      if (state ? kinds_[r] == Depends::Nothing : copy.has_value()) {
        same[op_.results[r]] = outside_[state ? r : *copy];
        continue;
      }
      results.push_back(r);
      kept.push_back(op_.results[r]);
    }
    const auto renamed = [&](ValueId& v) {
      for (auto found = same.find(v); found != same.end(); found = same.find(v)) v = found->second;
    };
    for (Op& op : f_.ops) std::for_each(op.operands.begin(), op.operands.end(), renamed);
    std::for_each(f_.results.begin(), f_.results.end(), renamed);
    // Nobody reads the loop then, so it is dropped.
    if (kept.empty()) return {};
    size_t counts[3] = {0, 0, 0};
    for (const Depends kind : {Depends::State, Depends::Scanned, Depends::Nothing})
      for (size_t i = 0; i < outside_.size(); ++i) {
        if (kinds_[i] != kind || (kind != Depends::State && !is_read(i, results))) continue;
        inputs.push_back(i);
        ++counts[static_cast<size_t>(kind)];
      }
    AttrMap attrs = op_.attrs;
    for (RegionOf& r : regions_) {
      std::vector<ValueId> params, outputs;
      for (size_t i : inputs) params.push_back(r.f.params[i]);
      const bool is_body = &r.f == &body();
      for (size_t k : is_body ? results : std::vector<size_t>{0}) outputs.push_back(r.f.results[k]);
      attrs.set(r.name, closed(extracted(r.f, params, outputs)));
    }
    attrs.set("carried", count_of(counts[static_cast<size_t>(Depends::State)]));
    if (is_scan_) attrs.set("scanned", count_of(counts[static_cast<size_t>(Depends::Scanned)]));
    std::vector<ValueId> operands;
    for (size_t i : inputs) operands.push_back(outside_[i]);
    FRIT_TRY(rewrite_op(f_, index_, std::move(operands), std::move(attrs), std::move(kept)));
    return {};
  }

  Function& f_;
  const uint32_t index_;
  const Op op_;
  PassContext& context_;
  const LoopParts parts_;
  std::vector<RegionOf> regions_;
  std::vector<ValueId> outside_;  // by parameter of the regions
  std::vector<Depends> kinds_;    // likewise
  bool is_scan_ = false, changed_ = false;
};

Result<bool> run_hoist(Function& f, PassContext& context) {
  bool changed = false;
  for (uint32_t i = 0, n = static_cast<uint32_t>(f.ops.size()); i < n; ++i) {
    if (f.ops[i].def->kind != OpKind::Control) continue;
    // Inner loops first: what leaves them may leave this one, too.
    for (std::string_view name : regions_of(f.ops[i])) {
      Function region = opened(std::get<Region>(*f.ops[i].attrs.find(name)), f);
      FRIT_ASSIGN_OR_RETURN(inner, run_hoist(region, context));
      if (inner) f.ops[i].attrs.set(name, closed(std::move(region)));
      changed = changed || inner;
    }
    if (f.ops[i].def->control == ControlForm::Cond) continue;
    FRIT_ASSIGN_OR_RETURN(moved, Loop(f, i, context).run());
    changed = changed || moved;
  }
  if (changed) f.canonicalize_order();
  return changed;
}

const RegisterPass hoist{
    {"hoist",
     "computes what is the same in every step of a loop before the loop, and products of scanned arrays for all steps",
     Level::Graph, Level::Expanded, Level::Graph, run_hoist}};

}  // namespace
}  // namespace frit::passes
