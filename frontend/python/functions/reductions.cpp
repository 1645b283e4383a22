// Reductions, running values, sorting and searching.
#include "frontend/python/functions/families.h"

namespace frit::python {

namespace {

// Along one axis (the last one by default), or over all elements in their order where it is None.
array flat_or(const array& a, std::optional<int> axis, StreamOrDevice s,
              array (*f)(const array&, int, StreamOrDevice)) {
  return axis ? f(a, *axis, s) : f(reshape(a, Shape{-1}, s), 0, s);
}

using Ordered = array (*)(const array&, int, StreamOrDevice);
void def_ordered(nb::module_& m, const char* name, Ordered f) {
  def(
      m, name, [f](const array& a, std::optional<int> axis, StreamOrDevice s) { return flat_or(a, axis, s, f); },
      positional(), "axis"_a.none() = -1, nb::kw_only(), FRIT_STREAM);
}

using Selected = array (*)(const array&, int, int, StreamOrDevice);
void def_selected(nb::module_& m, const char* name, const char* count, Selected f) {
  def(
      m, name,
      [f](const array& a, int n, std::optional<int> axis, StreamOrDevice s) {
        return axis ? f(a, n, *axis, s) : f(reshape(a, Shape{-1}, s), n, 0, s);
      },
      positional(), nb::arg(count), "axis"_a.none() = -1, nb::kw_only(), FRIT_STREAM);
}

using Sum = array (*)(const array&, bool, bool, std::optional<Dtype>, StreamOrDevice);
using SumAlong = array (*)(const array&, int, bool, bool, std::optional<Dtype>, StreamOrDevice);
void def_sum(nb::module_& m, const char* name, Sum all, SumAlong one) {
  def(
      m, name,
      [all, one](const array& a, std::optional<int> axis, bool reverse, bool inclusive, std::optional<Dtype> dtype,
                 StreamOrDevice s) {
        return axis ? one(a, *axis, reverse, inclusive, dtype, s) : all(a, reverse, inclusive, dtype, s);
      },
      positional(), "axis"_a = nb::none(), nb::kw_only(), "reverse"_a = false, "inclusive"_a = true,
      "dtype"_a = nb::none(), FRIT_STREAM);
}

}  // namespace

void bind_reductions(nb::module_& m) {
  def_shared_reductions(m, "");
  def_reduction(m, "median",
                {&median, [](const array& a, const std::vector<int>& axes, bool keepdims, StreamOrDevice s) {
                   if (axes.empty()) throw InvalidArgument("median: no axis is given", "leave axis out for all");
                   return median(a, axes, keepdims, s);
                 }});
  for (const char* name : {"cumsum", "cumulative_sum"}) def_sum(m, name, &cumsum, &cumsum);
  for (const char* name : {"cumprod", "cumulative_prod"}) def_sum(m, name, &cumprod, &cumprod);
  def(
      m, "softmax",
      [](const array& a, const Axes& axis, bool precise, StreamOrDevice s) {
        return axis.none ? softmax(a, precise, s) : softmax(a, axis.list, precise, s);
      },
      positional(), "axis"_a = nb::none(), nb::kw_only(), "precise"_a = false, FRIT_STREAM);
  def(
      m, "minmax",
      [](const array& a, const Axes& axis, bool keepdims, StreamOrDevice s) {
        const auto [low, high] = axis.none ? minmax(a, keepdims, s) : minmax(a, axis.list, keepdims, s);
        return std::pair(low, high);
      },
      positional(), "axis"_a = nb::none(), "keepdims"_a = false, nb::kw_only(), FRIT_STREAM);
  def(
      m, "count_nonzero",
      [](const array& a, const Axes& axis, bool keepdims, StreamOrDevice s) {
        return axis.none ? count_nonzero(a, keepdims, s) : count_nonzero(a, axis.list, keepdims, s);
      },
      positional(), "axis"_a = nb::none(), nb::kw_only(), "keepdims"_a = false, FRIT_STREAM);
  def_ordered(m, "sort", &sort);
  def_ordered(m, "argsort", &argsort);
  def_selected(m, "partition", "kth", &partition);
  def_selected(m, "argpartition", "kth", &argpartition);
  def_selected(m, "topk", "k", &topk);
  def(
      m, "searchsorted",
      [](const array& sorted, const Value& values, const std::string& side, StreamOrDevice s) {
        return searchsorted(sorted, values.get(sorted.dtype()), side, s);
      },
      positional(), positional(), "side"_a = "left", nb::kw_only(), FRIT_STREAM);
  def(
      m, "diff", [](const array& a, int n, int axis, StreamOrDevice s) { return diff(a, n, axis, s); }, positional(),
      "n"_a = 1, "axis"_a = -1, nb::kw_only(), FRIT_STREAM);
}

}  // namespace frit::python
