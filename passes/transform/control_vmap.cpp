// Batches of regions: values that differ between positions carry the batch axis; where the positions do not agree on
// the way, both ways run and the results are chosen element by element.
#include <algorithm>

#include "ir/ops/rules.h"
#include "passes/transform/control.h"
#include "passes/transform/transform.h"

namespace frit::passes {
namespace {

using namespace ir;

using MappedResults = Result<std::vector<ValueId>>;

// A region for a batch: the axes of parameters and results are axis 0 where they are batched.
Result<Function> batched_region(const Region& region, const BatchCall& call, const std::vector<bool>& params,
                                const std::vector<bool>& results) {
  const Function plain = opened(region, call.b.function());
  if (std::none_of(params.begin(), params.end(), [](bool p) { return p; }) &&
      std::none_of(results.begin(), results.end(), [](bool r) { return r; }))
    return plain;
  BatchAxes axes{{}, {}, call.size};
  for (bool p : params) axes.in.push_back(p ? 0 : -1);
  for (bool r : results) axes.out.push_back(r ? 0 : -1);
  if (std::any_of(params.begin(), params.end(), [](bool p) { return p; })) return vmap(plain, axes);
  // Nothing differs, and yet the results are asked for with the axis.
  Function f;
  f.facts = plain.facts;
  std::vector<ValueId> given;
  for (ValueId p : plain.params) given.push_back(f.add_param("", plain.type(p)));
  Builder b(f);
  f.results = inlined(b, plain, given);
  for (size_t r = 0; r < results.size(); ++r) {
    if (!results[r]) continue;
    const BatchCall inside{b, call.op, call.size, {}, call.batched, {}, {}};
    const Shape shape = f.type(f.results[r]).shape;
    Shape column = shape;
    column.insert(column.begin(), 1);
    FRIT_ASSIGN_OR_RETURN(reshaped, inside.reshape(f.results[r], column));
    FRIT_ASSIGN_OR_RETURN(wide, inside.broadcast(reshaped, inside.with_axis(shape)));
    f.results[r] = wide;
  }
  return f;
}

// `yes` where the predicate of the position holds, else `no`; all have the batch axis.
Result<ValueId> chosen(const BatchCall& call, Builder& b, ValueId predicate, ValueId yes, ValueId no) {
  const BatchCall inside{b, call.op, call.size, {}, call.batched, {}, {}};
  const Shape shape = b.type(yes).shape;
  Shape column(shape.size(), Dim(1));
  column[0] = call.size;
  FRIT_ASSIGN_OR_RETURN(reshaped, inside.reshape(predicate, column));
  FRIT_ASSIGN_OR_RETURN(wide, inside.broadcast(reshaped, shape));
  return inside.build("select", {wide, yes, no});
}

MappedResults cond_batch(const BatchCall& call) {
  const std::vector<bool> params(call.batched.begin() + 1, call.batched.end());
  const std::vector<bool> results(call.results.size(), true);
  FRIT_ASSIGN_OR_RETURN(yes, batched_region(std::get<Region>(*call.op.attrs.find("then")), call, params, results));
  FRIT_ASSIGN_OR_RETURN(no, batched_region(std::get<Region>(*call.op.attrs.find("else")), call, params, results));
  if (!call.batched[0])
    return call.b.try_build(*call.op.def, {call.operands.begin(), call.operands.end()},
                            {{"then", closed(std::move(yes))}, {"else", closed(std::move(no))}});
  const std::vector<ValueId> a = inlined(call.b, yes, call.operands.subspan(1));
  const std::vector<ValueId> b = inlined(call.b, no, call.operands.subspan(1));
  std::vector<ValueId> out;
  for (size_t r = 0; r < a.size(); ++r) {
    FRIT_ASSIGN_OR_RETURN(v, chosen(call, call.b, call.operands[0], a[r], b[r]));
    out.push_back(v);
  }
  return out;
}

// Which operands have the axis when a loop is in its course: state that differs after one step differs.
std::vector<bool> settled(const Function& body, std::vector<bool> batched, size_t carried) {
  for (bool more = true; more;) {
    more = false;
    const std::vector<bool> results = dependent_results(body, batched, false);
    for (size_t i = 0; i < carried; ++i)
      if (results[i] && !batched[i]) batched[i] = more = true;
  }
  return batched;
}

MappedResults operands_of(const BatchCall& call, const std::vector<bool>& batched) {
  std::vector<ValueId> operands;
  for (size_t i = 0; i < batched.size(); ++i) {
    FRIT_ASSIGN_OR_RETURN(v, batched[i] ? call.stacked(i) : Result<ValueId>(call.operands[i]));
    operands.push_back(v);
  }
  return operands;
}

// The results with the axis, those that do not differ included.
MappedResults all_stacked(const BatchCall& call, std::vector<ValueId> values, const std::vector<bool>& batched) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (batched[i]) continue;
    Shape column = call.results[i].shape;
    column.insert(column.begin(), 1);
    FRIT_ASSIGN_OR_RETURN(reshaped, call.reshape(values[i], column));
    FRIT_ASSIGN_OR_RETURN(wide, call.broadcast(reshaped, call.with_axis(call.results[i].shape)));
    values[i] = wide;
  }
  return values;
}

MappedResults scan_batch(const BatchCall& call) {
  const LoopParts parts(call.op.attrs, call.operands.size());
  const Region& body = std::get<Region>(*call.op.attrs.find("body"));
  const std::vector<bool> batched = settled(opened(body, call.b.function()), call.batched, parts.carried);
  std::vector<bool> results(call.results.size(), true);
  std::copy_n(batched.begin(), parts.carried, results.begin());
  FRIT_ASSIGN_OR_RETURN(region, batched_region(body, call, batched, results));
  FRIT_ASSIGN_OR_RETURN(operands, operands_of(call, batched));
  // Steps come first in scanned arrays and in stacked elements, positions after them.
  for (size_t i = parts.carried; i < parts.first_captured(); ++i) {
    if (!batched[i]) continue;
    FRIT_ASSIGN_OR_RETURN(moved, call.move_axis(operands[i], 0, 1));
    operands[i] = moved;
  }
  AttrMap attrs = call.op.attrs;
  attrs.set("body", closed(std::move(region)));
  FRIT_ASSIGN_OR_RETURN(made, call.b.try_build(*call.op.def, std::move(operands), std::move(attrs)));
  for (size_t i = parts.carried; i < made.size(); ++i) {
    FRIT_ASSIGN_OR_RETURN(moved, call.move_axis(made[i], 1, 0));
    made[i] = moved;
  }
  return all_stacked(call, std::move(made), results);
}

// Positions that are through wait for the others: their state stays.
Result<Function> waiting_body(const BatchCall& call, const Function& condition, const Function& body, size_t carried) {
  Function f;
  f.facts = body.facts;
  std::vector<ValueId> given;
  for (ValueId p : body.params) given.push_back(f.add_param("", body.type(p)));
  Builder b(f);
  const ValueId more = inlined(b, condition, given)[0];
  const std::vector<ValueId> next = inlined(b, body, given);
  for (size_t i = 0; i < carried; ++i) {
    FRIT_ASSIGN_OR_RETURN(v, chosen(call, b, more, next[i], given[i]));
    f.results.push_back(v);
  }
  return f;
}

Result<Function> any_of(const Function& condition) {
  Function f;
  f.facts = condition.facts;
  std::vector<ValueId> given;
  for (ValueId p : condition.params) given.push_back(f.add_param("", condition.type(p)));
  Builder b(f);
  f.results = {rules::reduce(b, "any", inlined(b, condition, given)[0], {0}, false)};
  return f;
}

MappedResults while_batch(const BatchCall& call) {
  const LoopParts parts(call.op.attrs, call.operands.size());
  const Region &body = std::get<Region>(*call.op.attrs.find("body")),
               &cond = std::get<Region>(*call.op.attrs.find("cond"));
  std::vector<bool> batched = settled(opened(body, call.b.function()), call.batched, parts.carried);
  const bool differs = dependent_results(opened(cond, call.b.function()), batched, false)[0];
  if (differs) std::fill_n(batched.begin(), parts.carried, true);
  const std::vector<bool> results(batched.begin(), batched.begin() + static_cast<ptrdiff_t>(parts.carried));
  FRIT_ASSIGN_OR_RETURN(condition, batched_region(cond, call, batched, {differs}));
  FRIT_ASSIGN_OR_RETURN(next, batched_region(body, call, batched, results));
  if (differs) {
    FRIT_ASSIGN_OR_RETURN(waiting, waiting_body(call, condition, next, parts.carried));
    next = std::move(waiting);
    FRIT_ASSIGN_OR_RETURN(any, any_of(condition));
    condition = std::move(any);
  }
  AttrMap attrs = call.op.attrs;
  attrs.set("body", closed(std::move(next)));
  attrs.set("cond", closed(std::move(condition)));
  FRIT_ASSIGN_OR_RETURN(operands, operands_of(call, batched));
  FRIT_ASSIGN_OR_RETURN(made, call.b.try_build(*call.op.def, std::move(operands), std::move(attrs)));
  return all_stacked(call, std::move(made), results);
}

}  // namespace

MappedResults control_batch(const BatchCall& call) {
  switch (call.op.def->control) {
    case ControlForm::Cond: return cond_batch(call);
    case ControlForm::While: return while_batch(call);
    case ControlForm::Scan: return scan_batch(call);
    case ControlForm::None: break;
  }
  return Diagnostic("op '" + std::string(call.op.def->name) + "' runs no region", call.op.loc);
}

}  // namespace frit::passes
