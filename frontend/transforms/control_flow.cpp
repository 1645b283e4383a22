// cond, while_loop, scan and fori_loop: closures become regions of one operation.
#include "frontend/frit/control_flow.h"

#include <algorithm>

#include "frontend/core/build.h"
#include "frontend/frit/ops.h"
#include "frontend/transforms/region.h"
#include "ir/graph/control.h"

namespace frit {
namespace {

using detail::Arrays;
using detail::check_function;
using detail::ListFunction;
using detail::TracedRegion;
using detail::type_of;
using Where = std::source_location;

std::vector<ir::Type> types_of(const Arrays& arrays) {
  std::vector<ir::Type> types;
  for (const array& a : arrays) types.push_back(type_of(a));
  return types;
}

Arrays joined(std::initializer_list<const Arrays*> lists) {
  Arrays all;
  for (const Arrays* list : lists) all.insert(all.end(), list->begin(), list->end());
  return all;
}

Dim count_of(const Arrays& arrays) { return Dim(static_cast<int64_t>(arrays.size())); }

ListFunction one(const std::function<array(const array&)>& f) {
  return [f](const Arrays& x) { return Arrays{f(x[0])}; };
}

void check_predicate(std::string_view op, const char* what, const array& a, const Where& where) {
  if (a.dtype() == bool_ && a.ndim() == 0) return;
  detail::throw_invalid(std::string(op) + ": the " + what + " must be one bool, bool[], but is " + type_of(a).str(),
                        "compare with a number, and reduce with 'all' or 'any'", where);
}

// That a body keeps the types of its state.
void check_state(std::string_view op, const Arrays& next, const Arrays& state, const Where& where) {
  if (next.size() != state.size())
    detail::throw_invalid(std::string(op) + ": the body gives " + std::to_string(next.size()) +
                              " arrays for a state of " + std::to_string(state.size()),
                          "return the next value of each array of the state", where);
  for (size_t i = 0; i < state.size(); ++i) {
    const ir::Type is = type_of(next[i]), was = type_of(state[i]);
    bool same = is.dtype == was.dtype && is.rank() == was.rank();
    for (size_t axis = 0; same && axis < is.shape.size(); ++axis)
      same = detail::require_equal(is.shape[axis], was.shape[axis], op, where);
    if (!same)
      detail::throw_invalid(std::string(op) + ": the body changes array " + std::to_string(i) + " of the state from " +
                                was.str() + " to " + is.str(),
                            "keep its type with 'astype' and 'broadcast_to', or begin with an array of the new type",
                            where);
  }
}

// The common size of axis 0.
Dim length_of(const Arrays& xs, std::optional<int> length, const Where& where) {
  if (xs.empty() && !length)
    detail::throw_invalid("scan: there are no arrays to scan and no length", "give the number of steps", where);
  if (length && *length < 0)
    detail::throw_invalid("scan: the length is " + std::to_string(*length), "give a length that is not negative",
                          where);
  for (size_t i = 0; i < xs.size(); ++i)
    if (xs[i].ndim() == 0)
      detail::throw_invalid(
          "scan: array " + std::to_string(i) + " is " + detail::text(xs[i]) + ", which has no axis to scan",
          "give arrays with the steps along axis 0, and capture the others", where);
  const Dim n = length ? Dim(*length) : detail::size_of(xs[0], 0);
  for (size_t i = 0; i < xs.size(); ++i)
    if (!detail::require_equal(detail::size_of(xs[i], 0), n, "scan", where))
      detail::throw_invalid(
          "scan: array " + std::to_string(i) + " is " + detail::text(xs[i]) + ", and the length is " + detail::text(n),
          "give arrays of one size along axis 0", where);
  return n;
}

}  // namespace

Arrays cond(const array& predicate, const ListFunction& f, const ListFunction& g, const Arrays& operands,
            const Where& where) {
  check_function("cond", f, where);
  check_function("cond", g, where);
  check_predicate("cond", "predicate", predicate, where);
  detail::Outside outside;
  const TracedRegion yes("cond", f, operands, types_of(operands), outside, where);
  const TracedRegion no("cond", g, operands, types_of(operands), outside, where);
  const Arrays predicates{predicate};
  return outside.keep_rules(detail::make_all(ir::op("cond"), joined({&predicates, &operands, &outside.captures}),
                                             {{"then", yes.region(outside)}, {"else", no.region(outside)}},
                                             StreamOrDevice(where)));
}

array cond(const array& predicate, const std::function<array(const array&)>& f,
           const std::function<array(const array&)>& g, const array& operand, const Where& where) {
  check_function("cond", f, where);
  check_function("cond", g, where);
  return cond(predicate, one(f), one(g), Arrays{operand}, where)[0];
}

namespace {

// A while_loop for the public function `op`.
Arrays loop_while(std::string_view op, const std::function<array(const Arrays&)>& condition, const ListFunction& body,
                  const Arrays& state, const Where& where) {
  detail::Outside outside;
  const ListFunction checked = [&](const Arrays& x) {
    const array more = condition(x);
    check_predicate(op, "condition", more, where);
    return Arrays{more};
  };
  const ListFunction next = [&](const Arrays& x) {
    Arrays given = body(x);
    check_state(op, given, x, where);
    return given;
  };
  const TracedRegion more(op, checked, state, types_of(state), outside, where);
  const TracedRegion step(op, next, state, types_of(state), outside, where);
  return outside.keep_rules(
      detail::make_all(ir::op("while_loop"), joined({&state, &outside.captures}),
                       {{"cond", more.region(outside)}, {"body", step.region(outside)}, {"carried", count_of(state)}},
                       StreamOrDevice(where)));
}

}  // namespace

Arrays while_loop(const std::function<array(const Arrays&)>& condition, const ListFunction& body, const Arrays& state,
                  const Where& where) {
  check_function("while_loop", condition, where);
  check_function("while_loop", body, where);
  return loop_while("while_loop", condition, body, state, where);
}

array while_loop(const std::function<array(const array&)>& condition, const std::function<array(const array&)>& body,
                 const array& state, const Where& where) {
  check_function("while_loop", condition, where);
  check_function("while_loop", body, where);
  return while_loop([&](const Arrays& x) { return condition(x[0]); }, one(body), Arrays{state}, where)[0];
}

namespace {

using Step = std::function<std::pair<Arrays, Arrays>(const Arrays&, const Arrays&)>;

// A scan for the public function `op`.
std::pair<Arrays, Arrays> scan_for(std::string_view op, const Step& f, const Arrays& init, const Arrays& xs,
                                   std::optional<int> length, bool reverse, const Where& where) {
  const Dim n = length_of(xs, length, where);
  const auto carried = static_cast<ptrdiff_t>(init.size());
  const Arrays arguments = joined({&init, &xs});
  std::vector<ir::Type> types = types_of(arguments);
  for (size_t i = init.size(); i < types.size(); ++i) types[i] = ir::element_of(types[i]);
  const ListFunction body = [&](const Arrays& x) {
    const Arrays state(x.begin(), x.begin() + carried);
    const auto [next, elements] = f(state, Arrays(x.begin() + carried, x.end()));
    check_state(op, next, state, where);
    return joined({&next, &elements});
  };
  detail::Outside outside;
  const TracedRegion step(op, body, arguments, types, outside, where);
  const Arrays all = outside.keep_rules(detail::make_all(ir::op("scan"), joined({&arguments, &outside.captures}),
                                                         {{"body", step.region(outside)},
                                                          {"carried", count_of(init)},
                                                          {"scanned", count_of(xs)},
                                                          {"length", n},
                                                          {"reverse", reverse}},
                                                         StreamOrDevice(where)));
  return {Arrays(all.begin(), all.begin() + carried), Arrays(all.begin() + carried, all.end())};
}

}  // namespace

std::pair<Arrays, Arrays> scan(const Step& f, const Arrays& init, const Arrays& xs, std::optional<int> length,
                               bool reverse, const Where& where) {
  check_function("scan", f, where);
  return scan_for("scan", f, init, xs, length, reverse, where);
}

std::pair<array, array> scan(const std::function<std::pair<array, array>(const array&, const array&)>& f,
                             const array& init, const array& xs, bool reverse, const Where& where) {
  check_function("scan", f, where);
  const auto [last, stacked] = scan(
      [&](const Arrays& state, const Arrays& x) {
        const auto [next, element] = f(state[0], x[0]);
        return std::pair(Arrays{next}, Arrays{element});
      },
      Arrays{init}, Arrays{xs}, std::nullopt, reverse, where);
  return {last[0], stacked[0]};
}

Arrays fori_loop(int lower, int upper, const std::function<Arrays(const array&, const Arrays&)>& body,
                 const Arrays& init, const Where& where) {
  check_function("fori_loop", body, where);
  const array numbers = arange(lower, std::max(lower, upper), 1, int32);
  const Step step = [&](const Arrays& state, const Arrays& x) { return std::pair(body(x[0], state), Arrays{}); };
  return scan_for("fori_loop", step, init, {numbers}, std::nullopt, false, where).first;
}

array fori_loop(int lower, int upper, const std::function<array(const array&, const array&)>& body, const array& init,
                const Where& where) {
  check_function("fori_loop", body, where);
  return fori_loop(
      lower, upper, [&](const array& i, const Arrays& state) { return Arrays{body(i, state[0])}; }, Arrays{init},
      where)[0];
}

Arrays fori_loop(const array& lower, const array& upper, const std::function<Arrays(const array&, const Arrays&)>& body,
                 const Arrays& init, const Where& where) {
  check_function("fori_loop", body, where);
  if (lower.dtype() != upper.dtype() || !issubdtype(lower.dtype(), integer) || lower.ndim() != 0 || upper.ndim() != 0)
    detail::throw_invalid("fori_loop: the bounds are " + type_of(lower).str() + " and " + type_of(upper).str() +
                              ", and they must be single integers of one type",
                          "convert them with 'astype'", where);
  Arrays state{lower, upper};
  state.insert(state.end(), init.begin(), init.end());
  const Arrays last = loop_while(
      "fori_loop", [](const Arrays& s) { return less(s[0], s[1]); },
      [&](const Arrays& s) {
        Arrays next{add(s[0], array(1, s[0].dtype())), s[1]};
        const Arrays given = body(s[0], Arrays(s.begin() + 2, s.end()));
        next.insert(next.end(), given.begin(), given.end());
        return next;
      },
      state, where);
  return Arrays(last.begin() + 2, last.end());
}

}  // namespace frit
