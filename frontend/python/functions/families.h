// Definitions of functions that share their parameters; methods of the array have them too.
#pragma once

#include <type_traits>

#include "frontend/python/core/bind.h"

namespace frit::python {

template <class Scope>
constexpr bool is_method = !std::is_base_of_v<nb::module_, Scope>;

// As `def`, with the array as a positional-only first argument where it is not `self`.
template <class Scope, class F, class... Extra>
void def_on(Scope& scope, const char* name, F&& f, const Extra&... extra) {
  if constexpr (is_method<Scope>)
    def(scope, name, std::forward<F>(f), extra...);
  else
    def(scope, name, std::forward<F>(f), positional(), extra...);
}

using Unary = array (*)(const array&, StreamOrDevice);
using Binary = array (*)(const array&, const array&, StreamOrDevice);

// Takes a number too where it is a function.
template <class Scope>
void def_unary(Scope& scope, const char* name, Unary f) {
  if constexpr (is_method<Scope>)
    def(scope, name, [f](const array& a, StreamOrDevice s) { return f(a, s); }, nb::kw_only(), FRIT_STREAM);
  else
    def(
        scope, name, [f](const Value& a, StreamOrDevice s) { return f(a.get(), s); }, positional(), nb::kw_only(),
        FRIT_STREAM);
}

// A function of bits. Throws RuntimeError for floats, as programs for MLX expect.
template <Binary F>
array of_bits(const array& a, const array& b, StreamOrDevice s) {
  const Dtype type = promote_types(a.dtype(), b.dtype());
  if (type != bool_ && !issubdtype(type, integer))
    throw RuntimeError("a function of bits takes integers or bool, not " + std::string(long_name(a.dtype())) + " and " +
                           std::string(long_name(b.dtype())),
                       "convert the arrays first");
  return F(a, b, s);
}

// The forms of one reduction.
struct Reduction {
  array (*all)(const array&, bool, StreamOrDevice);
  array (*some)(const array&, const std::vector<int>&, bool, StreamOrDevice);

  array operator()(const array& a, const Axes& axes, bool keepdims, StreamOrDevice s) const {
    return axes.none ? all(a, keepdims, s) : some(a, axes.list, keepdims, s);
  }
};
template <class Scope>
void def_reduction(Scope& scope, const char* name, Reduction f) {
  def_on(
      scope, name,
      [f](const array& a, const Axes& axis, bool keepdims, StreamOrDevice s) { return f(a, axis, keepdims, s); },
      "axis"_a = nb::none(), "keepdims"_a = false, nb::kw_only(), FRIT_STREAM);
}

struct Moment {
  array (*all)(const array&, bool, int, StreamOrDevice);
  array (*some)(const array&, const std::vector<int>&, bool, int, StreamOrDevice);
};
template <class Scope>
void def_moment(Scope& scope, const char* name, Moment f) {
  const auto call = [f](const array& a, const Axes& axis, bool keepdims, int ddof, std::optional<int> correction,
                        StreamOrDevice s) {
    const int n = correction.value_or(ddof);
    return axis.none ? f.all(a, keepdims, n, s) : f.some(a, axis.list, keepdims, n, s);
  };
  def_on(scope, name, call, "axis"_a = nb::none(), "keepdims"_a = false, "ddof"_a = 0, nb::kw_only(),
         "correction"_a = nb::none(), FRIT_STREAM);
}

struct ArgReduction {
  array (*all)(const array&, bool, StreamOrDevice);
  array (*one)(const array&, int, bool, StreamOrDevice);
};
template <class Scope>
void def_arg_reduction(Scope& scope, const char* name, ArgReduction f) {
  def_on(
      scope, name,
      [f](const array& a, std::optional<int> axis, bool keepdims, StreamOrDevice s) {
        return axis ? f.one(a, *axis, keepdims, s) : f.all(a, keepdims, s);
      },
      "axis"_a = nb::none(), "keepdims"_a = false, nb::kw_only(), FRIT_STREAM);
}

struct Scan {
  array (*all)(const array&, bool, bool, StreamOrDevice);
  array (*one)(const array&, int, bool, bool, StreamOrDevice);
};
template <class Scope>
void def_scan(Scope& scope, const char* name, Scan f) {
  def_on(
      scope, name,
      [f](const array& a, std::optional<int> axis, bool reverse, bool inclusive, StreamOrDevice s) {
        return axis ? f.one(a, *axis, reverse, inclusive, s) : f.all(a, reverse, inclusive, s);
      },
      "axis"_a = nb::none(), nb::kw_only(), "reverse"_a = false, "inclusive"_a = true, FRIT_STREAM);
}

// The functions that are methods too.
template <class Scope>
void def_shared_reductions(Scope& c, const std::string& prefix) {
  const auto name = [&](const char* n) { return prefix + n; };
  def_reduction(c, name("all").c_str(), {&all, &all});
  def_reduction(c, name("any").c_str(), {&any, &any});
  def_reduction(c, name("sum").c_str(), {&sum, &sum});
  def_reduction(c, name("prod").c_str(), {&prod, &prod});
  def_reduction(c, name("max").c_str(), {&max, &max});
  def_reduction(c, name("min").c_str(), {&min, &min});
  def_reduction(c, name("mean").c_str(), {&mean, &mean});
  def_reduction(c, name("logsumexp").c_str(), {&logsumexp, &logsumexp});
  def_moment(c, name("var").c_str(), {&var, &var});
  def_moment(c, name("std").c_str(), {&frit::std, &frit::std});
  def_arg_reduction(c, name("argmax").c_str(), {&argmax, &argmax});
  def_arg_reduction(c, name("argmin").c_str(), {&argmin, &argmin});
  def_scan(c, name("cummax").c_str(), {&cummax, &cummax});
  def_scan(c, name("cummin").c_str(), {&cummin, &cummin});
  def_scan(c, name("logcumsumexp").c_str(), {&logcumsumexp, &logcumsumexp});
}

}  // namespace frit::python
