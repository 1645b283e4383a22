// Reverse derivatives of regions: a scan saves what its reverse reads and runs back over it; a cond runs the reverse of
// the region that ran.
#include <algorithm>
#include <optional>

#include "passes/transform/control.h"
#include "passes/transform/saved_values.h"
#include "passes/transform/transform.h"

namespace frit::passes {
namespace {

using namespace ir;

// The reverse of a scan's body, divided into what the scan saves and what runs back.
class ScanReverse {
 public:
  ScanReverse(const Op& op, const Function& around, const std::vector<bool>& active)
      : op_(op),
        parts_(op.attrs, op.operands.size()),
        body_(opened(std::get<Region>(*op.attrs.find("body")), around)),
        wrt_(op.operands.size()) {
    for (size_t i = 0; i < wrt_.size(); ++i) wrt_[i] = active[i] && is_inexact(type_of_param(i).dtype);
    // State that depends on an argument in one step has a cotangent in every step.
    for (bool more = true; more;) {
      more = false;
      const std::vector<bool> results = dependent_results(body_, wrt_, true);
      for (size_t i = 0; i < parts_.carried; ++i)
        if (results[i] && !wrt_[i] && is_inexact(type_of_param(i).dtype)) wrt_[i] = more = true;
    }
  }

  Status run() {
    FRIT_ASSIGN_OR_RETURN(both, vjp(body_, numbers_of(wrt_)));
    both_ = std::move(both);
    late_.assign(both_.values.size(), false);
    for (size_t i = wrt_.size(); i < both_.params.size(); ++i) late_[both_.params[i]] = true;
    for (const Op& op : both_.ops)
      if (std::any_of(op.operands.begin(), op.operands.end(), [&](ValueId v) { return late_[v]; }))
        for (ValueId r : op.results) late_[r] = true;
    choose_saved();
    return {};
  }

  // The scan that saves, and its further results.
  Result<std::vector<ValueId>> save(Function& f) const {
    std::vector<ValueId> outputs(both_.results.begin(),
                                 both_.results.begin() + static_cast<ptrdiff_t>(body_.results.size()));
    outputs.insert(outputs.end(), saved_.begin(), saved_.end());
    const std::vector<ValueId> inputs(both_.params.begin(), both_.params.begin() + static_cast<ptrdiff_t>(wrt_.size()));
    AttrMap attrs = op_.attrs;
    attrs.set("body", closed(extracted(both_, inputs, outputs)));
    std::vector<ValueId> results = op_.results;
    results.resize(outputs.size(), kNone);
    FRIT_ASSIGN_OR_RETURN(all, rewrite_op(f, f.values[op_.results[0]].op, op_.operands, std::move(attrs), results));
    return std::vector<ValueId>(all.begin() + static_cast<ptrdiff_t>(op_.results.size()), all.end());
  }

  // The cotangents of the operands.
  Result<std::vector<ValueId>> reverse(Builder& b, const std::vector<ValueId>& stacks,
                                       const std::vector<ValueId>& cotangents) const {
    const size_t carried = parts_.carried, n = wrt_.size(), m = body_.results.size();
    // The reverse as a function of everything that it may read.
    std::vector<ValueId> inputs(both_.params.begin() + static_cast<ptrdiff_t>(carried), both_.params.end());
    inputs.insert(inputs.end(), saved_.begin(), saved_.end());
    const Function back = extracted(
        both_, inputs, std::vector<ValueId>(both_.results.begin() + static_cast<ptrdiff_t>(m), both_.results.end()));
    const std::vector<bool> behind = summed_behind(back);
    Function f;
    f.facts = both_.facts;
    Builder inside(f);
    const auto param = [&](const Type& t) { return f.add_param("", Type(t)); };
    std::vector<ValueId> given(back.params.size()), sums(n, kNone), operands, elements, captured;
    const size_t first_cotangent = n - carried, first_saved = first_cotangent + m;
    // The state: cotangents of the state, and sums of those of captures.
    for (size_t i = 0; i < carried; ++i)
      if (wrt_[i]) {
        given[first_cotangent + i] = param(type_of_param(i));
        operands.push_back(cotangents[i] != kNone ? cotangents[i] : b.splat(0, b.type(op_.results[i])));
      }
    for (size_t i = parts_.first_captured(); i < n; ++i)
      if (wrt_[i] && !behind[i]) {
        sums[i] = param(type_of_param(i));
        operands.push_back(b.splat(0, b.type(op_.operands[i])));
      }
    const size_t state = operands.size();
    // Scanned: the arrays themselves, cotangents of elements, and what was saved.
    for (size_t i = carried; i < parts_.first_captured(); ++i) {
      given[i - carried] = param(type_of_param(i));
      operands.push_back(op_.operands[i]);
    }
    for (size_t r = carried; r < m; ++r)
      if (cotangents[r] != kNone) {
        given[first_cotangent + r] = param(body_.type(body_.results[r]));
        operands.push_back(cotangents[r]);
      }
    for (size_t s = 0; s < stacks.size(); ++s) {
      given[first_saved + s] = param(both_.type(saved_[s]));
      operands.push_back(stacks[s]);
    }
    const size_t scanned = operands.size() - state;
    for (size_t i = parts_.first_captured(); i < n; ++i) {
      given[i - carried] = param(type_of_param(i));
      operands.push_back(op_.operands[i]);
    }
    for (size_t r = 0; r < m; ++r)
      if (r < carried ? !wrt_[r] : cotangents[r] == kNone)
        given[first_cotangent + r] = inside.splat(0, body_.type(body_.results[r]));
    const std::vector<ValueId> late = place_results(inside, inlined(inside, back, given), sums);
    const std::vector<Product> products = take_out(f, late, state, scanned);
    AttrMap attrs = op_.attrs;
    attrs.set("body", closed(extracted(f, f.params, f.results)));
    attrs.set("carried", count_of(state));
    attrs.set("scanned", count_of(scanned));
    attrs.set("reverse", !op_.attrs.get_bool("reverse"));
    FRIT_ASSIGN_OR_RETURN(made, b.try_build(*op_.def, operands, std::move(attrs)));
    // In the order of place_results.
    std::vector<ValueId> found(n, kNone);
    size_t at = 0;
    for (const auto& [first, last] : {std::pair(size_t{0}, carried), std::pair(parts_.first_captured(), n),
                                      std::pair(carried, parts_.first_captured())})
      for (size_t i = first; i < last; ++i)
        if (wrt_[i] && !behind[i]) found[i] = made[at++];
    for (size_t i = 0, k = 0; i < n; ++i) {
      if (!behind[i]) continue;
      std::vector<ValueId> stacked;
      for (const Factor& factor : products[k].factors)
        stacked.push_back(factor.outside ? inlined(b, *factor.outside, values_at(operands, factor.scanned))[0]
                                         : made[at++]);
      found[i] = products[k++].sum(b, stacked);
    }
    return found;
  }

 private:
  const Type& type_of_param(size_t i) const { return body_.type(body_.params[i]); }

  // An operand of a product whose sum over the positions is computed behind the scan. Where scanned arrays give it
  // alone, it is computed there for all positions at once; else the scan stacks it.
  struct Factor {
    std::optional<Function> outside;
    std::vector<size_t> scanned;  // the operands of the scan that it takes
  };
  struct Product {
    OpDef::StackedSum sum;
    std::vector<Factor> factors;
  };

  // Whose cotangents are products with fewer elements in the factors than in the product: those are cheaper to store
  // than the sum is to read and write in every step.
  std::vector<bool> summed_behind(const Function& back) const {
    std::vector<bool> behind(wrt_.size(), false);
    size_t at = 0;
    for (size_t i = 0; i < wrt_.size(); ++i) {
      if (!wrt_[i]) continue;
      const ValueId v = back.results[at++];
      const Op* op = back.def_of(v);
      if (i < parts_.first_captured() || !op || !op->def->stacked_sum) continue;
      Dim factors = 0;
      for (ValueId o : op->operands) factors = factors + back.type(o).size();
      behind[i] = back.facts.less(factors, back.type(v).size()) == Tri::Yes;
    }
    return behind;
  }

  // The next state, then the elements of scanned operands. Returns the products whose sums are left out.
  std::vector<ValueId> place_results(Builder& b, const std::vector<ValueId>& found,
                                     const std::vector<ValueId>& sums) const {
    std::vector<ValueId> elements, late;
    std::vector<ValueId>& results = b.function().results;
    size_t at = 0;
    for (size_t i = 0; i < wrt_.size(); ++i) {
      if (!wrt_[i]) continue;
      const ValueId v = found[at++];
      if (i < parts_.carried)
        results.push_back(v);
      else if (i < parts_.first_captured())
        elements.push_back(v);
      else if (sums[i] == kNone)
        late.push_back(v);
      else
        results.push_back(b.build("add", {sums[i], v}));
    }
    results.insert(results.end(), elements.begin(), elements.end());
    return late;
  }

  // The parameters that a value follows from by cheap operations alone; none where it takes others.
  static std::vector<size_t> cheap_sources(const Function& f, ValueId root) {
    std::vector<ValueId> open{root};
    std::vector<size_t> found;
    while (!open.empty()) {
      const ValueId v = open.back();
      open.pop_back();
      const Op* op = f.def_of(v);
      if (op && !is_cheap(*op->def)) return {};
      if (op)
        open.insert(open.end(), op->operands.begin(), op->operands.end());
      else if (std::find(found.begin(), found.end(), f.values[v].index) == found.end())
        found.push_back(f.values[v].index);
    }
    return found;
  }

  // Takes products out of the body, whose scanned parameters begin at `first`. Factors that the scan stacks become
  // further results.
  std::vector<Product> take_out(Function& f, const std::vector<ValueId>& products, size_t first, size_t scanned) const {
    std::vector<Product> out;
    for (ValueId v : products) {
      const Op product = *f.def_of(v);
      out.push_back({product.def->stacked_sum, {}});
      for (ValueId o : product.operands) {
        Factor& factor = out.back().factors.emplace_back();
        const std::vector<size_t> from = cheap_sources(f, o);
        const auto is_scanned = [&](size_t p) { return p >= first && p < first + scanned; };
        if (!from.empty() && std::all_of(from.begin(), from.end(), is_scanned)) {
          const BatchAxes axes{std::vector<int>(from.size(), 0), {0}, op_.attrs.get_dim("length")};
          if (auto all = vmap(extracted(f, values_at(f.params, from), {o}), axes); all.ok())
            factor = {*std::move(all), from};
        }
        if (!factor.outside) f.results.push_back(o);
      }
    }
    return out;
  }

  static std::vector<ValueId> values_at(const std::vector<ValueId>& values, const std::vector<size_t>& places) {
    std::vector<ValueId> out;
    for (size_t p : places) out.push_back(values[p]);
    return out;
  }

  // A value that is cheap to compute from others is not saved.
  static bool is_cheap(const OpDef& def) {
    if (def.has(kExpensive) || def.has(kSideEffect)) return false;
    switch (def.kind) {
      case OpKind::Constant:
      case OpKind::Iota:
      case OpKind::Elementwise:
      case OpKind::Index: return true;
      case OpKind::Reduction:
      case OpKind::Scatter:
      case OpKind::Scan:
      case OpKind::Composite:
      case OpKind::Library:
      case OpKind::Control: break;
    }
    return false;
  }

  // The part that runs back reads values of the body and of its arguments, and computes others from these again.
  void choose_saved() {
    std::vector<ValueId> wanted(both_.results.begin() + static_cast<ptrdiff_t>(body_.results.size()),
                                both_.results.end());
    for (const Op& op : both_.ops)
      if (late_[op.results.empty() ? both_.params[0] : op.results[0]])
        wanted.insert(wanted.end(), op.operands.begin(), op.operands.end());
    std::erase_if(wanted, [&](ValueId v) { return late_[v]; });
    const auto stacks = both_.results.begin() + static_cast<ptrdiff_t>(parts_.carried);
    const std::vector<ValueId> stacked(stacks, stacks + static_cast<ptrdiff_t>(body_.results.size() - parts_.carried));
    saved_ = least_saved(
        both_, wanted,
        {.source =
             [&](ValueId v) {
               const Op* op = both_.def_of(v);
               if (op) return is_cheap(*op->def) ? Source::Cheap : Source::Costly;
               return both_.values[v].index < parts_.carried ? Source::Costly : Source::AtHand;
             },
         .is_stacked = [&](ValueId v) { return std::find(stacked.begin(), stacked.end(), v) != stacked.end(); }});
  }

  const Op op_;
  const LoopParts parts_;
  const Function body_;
  std::vector<bool> wrt_;  // which parameters have cotangents
  Function both_;          // the body and its reverse
  std::vector<bool> late_;
  std::vector<ValueId> saved_;
};

Result<std::vector<ValueId>> scan_vjp(Builder& b, const Op& op, const std::vector<bool>& active,
                                      const std::vector<ValueId>& cotangents) {
  ScanReverse reverse(op, b.function(), active);
  FRIT_TRY(reverse.run());
  FRIT_ASSIGN_OR_RETURN(stacks, reverse.save(b.function()));
  return reverse.reverse(b, stacks, cotangents);
}

// The reverse of one region of a cond: it computes the region's values again.
Result<Region> reverse_of(const Region& region, const Function& around, const std::vector<size_t>& wrt) {
  const Function plain = opened(region, around);
  FRIT_ASSIGN_OR_RETURN(both, vjp(plain, wrt));
  return closed(extracted(
      both, both.params,
      std::vector<ValueId>(both.results.begin() + static_cast<ptrdiff_t>(plain.results.size()), both.results.end())));
}

Result<std::vector<ValueId>> cond_vjp(Builder& b, const Op& op, const std::vector<bool>& active,
                                      const std::vector<ValueId>& cotangents) {
  std::vector<size_t> wrt;
  for (size_t i = 1; i < op.operands.size(); ++i)
    if (active[i] && is_inexact(b.type(op.operands[i]).dtype)) wrt.push_back(i - 1);
  FRIT_ASSIGN_OR_RETURN(yes, reverse_of(std::get<Region>(*op.attrs.find("then")), b.function(), wrt));
  FRIT_ASSIGN_OR_RETURN(no, reverse_of(std::get<Region>(*op.attrs.find("else")), b.function(), wrt));
  std::vector<ValueId> operands = op.operands;
  for (size_t r = 0; r < op.results.size(); ++r)
    operands.push_back(cotangents[r] != kNone ? cotangents[r] : b.splat(0, b.type(op.results[r])));
  FRIT_ASSIGN_OR_RETURN(made, b.try_build(*op.def, std::move(operands), {{"then", yes}, {"else", no}}));
  std::vector<ValueId> found(op.operands.size(), kNone);
  for (size_t k = 0; k < wrt.size(); ++k) found[wrt[k] + 1] = made[k];
  return found;
}

}  // namespace

Result<std::vector<ValueId>> control_vjp(Builder& b, const Op& op, const std::vector<bool>& active,
                                         const std::vector<ValueId>& cotangents) {
  switch (op.def->control) {
    case ControlForm::Scan: return scan_vjp(b, op, active, cotangents);
    case ControlForm::Cond: return cond_vjp(b, op, active, cotangents);
    case ControlForm::While:
    case ControlForm::None: break;
  }
  return Diagnostic("op '" + std::string(op.def->name) +
                        "' has no derivative in reverse, as nobody knows before how many steps there are to save",
                    op.loc, "use 'scan' or 'fori_loop' with a number of steps, or take the derivative with 'jvp'");
}

}  // namespace frit::passes
