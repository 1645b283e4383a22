// Forward derivatives of regions: each value of state that moves has its tangent beside it.
#include "passes/transform/control.h"
#include "passes/transform/transform.h"

namespace frit::passes {
namespace {

using namespace ir;

// A region whose parameters and results are those of another and the tangents of some of them.
class Tangents {
 public:
  // `moving`: which parameters have a tangent.
  Tangents(const Region& region, const Function& around, std::vector<bool> moving)
      : plain_(opened(region, around)), moving_(std::move(moving)) {}

  std::vector<bool> moving_results() const {
    std::vector<bool> all = dependent_results(plain_, moving_, true);
    for (size_t i = 0; i < all.size(); ++i) all[i] = all[i] && is_inexact(plain_.type(plain_.results[i]).dtype);
    return all;
  }

  // `results`: which results have a tangent. Parts end at the numbers in `params` and `outputs`, and each is followed
  // by its tangents.
  Result<Region> region(const std::vector<bool>& results, const std::vector<size_t>& params,
                        const std::vector<size_t>& outputs) const {
    const std::vector<size_t> wrt = numbers_of(moving_);
    FRIT_ASSIGN_OR_RETURN(both, jvp(plain_, wrt));
    Function f;
    f.facts = plain_.facts;
    std::vector<ValueId> given(both.params.size());
    for (size_t part = 0, first = 0; part < params.size(); first = params[part++]) {
      for (size_t i = first; i < params[part]; ++i)
        given[i] = f.add_param("x" + std::to_string(i), plain_.type(plain_.params[i]));
      for (size_t k = 0; k < wrt.size(); ++k)
        if (wrt[k] >= first && wrt[k] < params[part])
          given[moving_.size() + k] = f.add_param("t" + std::to_string(wrt[k]), plain_.type(plain_.params[wrt[k]]));
    }
    Builder b(f);
    const std::vector<ValueId> all = inlined(b, both, given);
    for (size_t part = 0, first = 0; part < outputs.size(); first = outputs[part++]) {
      for (size_t i = first; i < outputs[part]; ++i) f.results.push_back(all[i]);
      for (size_t i = first; i < outputs[part]; ++i)
        if (results[i]) f.results.push_back(all[results.size() + i]);
    }
    return closed(std::move(f));
  }

 private:
  Function plain_;
  std::vector<bool> moving_;
};

// The values of a list with the tangents of each part behind it.
template <class Tangent>
std::vector<ValueId> widened(const std::vector<ValueId>& values, const std::vector<bool>& moving,
                             const std::vector<size_t>& parts, Tangent&& tangent) {
  std::vector<ValueId> all;
  for (size_t part = 0, first = 0; part < parts.size(); first = parts[part++]) {
    all.insert(all.end(), values.begin() + static_cast<ptrdiff_t>(first),
               values.begin() + static_cast<ptrdiff_t>(parts[part]));
    for (size_t i = first; i < parts[part]; ++i)
      if (moving[i]) all.push_back(tangent(i));
  }
  return all;
}

size_t count(const std::vector<bool>& flags, size_t first, size_t last) {
  size_t n = 0;
  for (size_t i = first; i < last; ++i) n += flags[i];
  return n;
}

Result<std::vector<ValueId>> loop_jvp(Builder& b, const Op& op, const std::vector<ValueId>& tangents) {
  const Function& f = b.function();
  const LoopParts parts(op.attrs, op.operands.size());
  const size_t n = op.operands.size(), m = op.results.size();
  std::vector<bool> moving(n);
  for (size_t i = 0; i < n; ++i) moving[i] = tangents[i] != kNone;
  const Region& body = std::get<Region>(*op.attrs.find("body"));
  // State that moves in one iteration moves in the next.
  std::vector<bool> results;
  for (bool more = true; more;) {
    more = false;
    results = Tangents(body, f, moving).moving_results();
    for (size_t i = 0; i < parts.carried; ++i)
      if (results[i] && !moving[i]) moving[i] = more = true;
  }
  for (size_t i = 0; i < parts.carried; ++i) results[i] = moving[i];
  const std::vector<size_t> ends{parts.carried, parts.first_captured(), n}, outputs{parts.carried, m};
  AttrMap attrs = op.attrs;
  FRIT_ASSIGN_OR_RETURN(new_body, Tangents(body, f, moving).region(results, ends, outputs));
  attrs.set("body", new_body);
  if (op.def->control == ControlForm::While) {
    const Function cond = opened(std::get<Region>(*op.attrs.find("cond")), f);
    Function wide;
    wide.facts = cond.facts;
    std::vector<ValueId> given(n);
    for (size_t part = 0, first = 0; part < ends.size(); first = ends[part++]) {
      for (size_t i = first; i < ends[part]; ++i) given[i] = wide.add_param("", cond.type(cond.params[i]));
      for (size_t i = first; i < ends[part]; ++i)
        if (moving[i]) wide.add_param("", cond.type(cond.params[i]));
    }
    Builder inside(wide);
    wide.results = inlined(inside, cond, given);
    attrs.set("cond", closed(std::move(wide)));
  }
  attrs.set("carried", count_of(parts.carried + count(moving, 0, parts.carried)));
  if (op.def->control == ControlForm::Scan)
    attrs.set("scanned", count_of(parts.scanned + count(moving, parts.carried, parts.first_captured())));
  std::vector<ValueId> operands = widened(op.operands, moving, ends, [&](size_t i) {
    return tangents[i] != kNone ? tangents[i] : b.splat(0, b.type(op.operands[i]));
  });
  std::vector<ValueId> made = widened(op.results, results, outputs, [](size_t) { return kNone; });
  FRIT_ASSIGN_OR_RETURN(all, rewrite_op(b.function(), b.function().values[op.results[0]].op, std::move(operands),
                                        std::move(attrs), std::move(made)));
  std::vector<ValueId> out(m, kNone);
  size_t at = 0;
  for (size_t part = 0, first = 0; part < outputs.size(); first = outputs[part++]) {
    at += outputs[part] - first;
    for (size_t i = first; i < outputs[part]; ++i)
      if (results[i]) out[i] = all[at++];
  }
  return out;
}

Result<std::vector<ValueId>> cond_jvp(Builder& b, const Op& op, const std::vector<ValueId>& tangents) {
  const size_t n = op.operands.size() - 1, m = op.results.size();
  std::vector<bool> moving(n);
  for (size_t i = 0; i < n; ++i) moving[i] = tangents[i + 1] != kNone;
  const Tangents yes(std::get<Region>(*op.attrs.find("then")), b.function(), moving);
  const Tangents no(std::get<Region>(*op.attrs.find("else")), b.function(), moving);
  std::vector<bool> results = yes.moving_results();
  const std::vector<bool> other = no.moving_results();
  for (size_t i = 0; i < m; ++i) results[i] = results[i] || other[i];
  AttrMap attrs;
  FRIT_ASSIGN_OR_RETURN(new_then, yes.region(results, {n}, {m}));
  FRIT_ASSIGN_OR_RETURN(new_else, no.region(results, {n}, {m}));
  attrs.set("then", new_then);
  attrs.set("else", new_else);
  std::vector<ValueId> operands = op.operands;
  for (size_t i = 0; i < n; ++i)
    if (moving[i]) operands.push_back(tangents[i + 1]);
  std::vector<ValueId> made = widened(op.results, results, {m}, [](size_t) { return kNone; });
  FRIT_ASSIGN_OR_RETURN(all, rewrite_op(b.function(), b.function().values[op.results[0]].op, std::move(operands),
                                        std::move(attrs), std::move(made)));
  std::vector<ValueId> out(m, kNone);
  size_t at = m;
  for (size_t i = 0; i < m; ++i)
    if (results[i]) out[i] = all[at++];
  return out;
}

}  // namespace

Result<std::vector<ValueId>> control_jvp(Builder& b, const Op& op, const std::vector<ValueId>& tangents) {
  return op.def->control == ControlForm::Cond ? cond_jvp(b, op, tangents) : loop_jvp(b, op, tangents);
}

}  // namespace frit::passes
