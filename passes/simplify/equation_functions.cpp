// The conditions and attribute functions that equations may call. They ask about types, bits or attributes, never about
// names.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "passes/simplify/equations.h"
#include "passes/simplify/rewrite.h"

namespace frit::passes {
namespace {

using namespace ir;
using Args = std::span<const EquationArg>;

// p is [0, 1, 2, ...].
bool identity(const Function&, Args a) {
  const auto* axes = std::get_if<Dims>(a[0].attr);
  if (!axes) return false;
  for (size_t i = 0; i < axes->size(); ++i)
    if (!(*axes)[i].is(static_cast<int64_t>(i))) return false;
  return true;
}

// Every number of s is 1; an absent list stands for ones.
bool ones(const Function&, Args a) {
  const auto* dims = std::get_if<Dims>(a[0].attr);
  if (!dims) return false;
  for (const Dim& d : *dims)
    if (!d.is(1)) return false;
  return true;
}

bool zeros(const Function&, Args a) {
  for (const EquationArg& arg : a) {
    const auto* dims = std::get_if<Dims>(arg.attr);
    if (!dims) return false;
    for (const Dim& d : *dims)
      if (!d.is(0)) return false;
  }
  return true;
}

// 1 / C is exact in C's type, so x / C and x * (1 / C) round the same real number.
bool exact_reciprocal(const Function& f, Args a) {
  Dtype dtype = f.type(a[0].value).dtype;
  auto bits = splat_bits(f, a[0].value);
  if (!bits || !is_float(dtype)) return false;
  double c = bits_to_double(dtype, *bits);
  int exponent;
  if (!std::isfinite(c) || std::abs(std::frexp(c, &exponent)) != 0.5) return false;
  double reciprocal = 1.0 / c;
  return std::isfinite(reciprocal) && bits_to_double(dtype, double_to_bits(dtype, reciprocal)) == reciprocal;
}

// The number of magnitude bits of an integer type; 0 for other types.
int magnitude_bits(Dtype t) {
  if (t == bool_) return 1;
  if (is_unsigned(t)) return 8 * t.size();
  return is_signed_int(t) ? 8 * t.size() - 1 : 0;
}

int significand_bits(Dtype t) {
  if (t == float16) return 11;
  if (t == bfloat16) return 8;
  return t == float64 ? 53 : 24;
}

// Every value of `from`, infinities and NaN included, is a value of `to`.
bool holds_all(Dtype to, Dtype from) {
  if (to == from) return true;
  if (to == bool_) return false;
  if (is_int(from) || from == bool_) {
    if (is_int(to)) return magnitude_bits(to) >= magnitude_bits(from) && (!is_signed_int(from) || is_signed_int(to));
    return significand_bits(to) >= magnitude_bits(from);
  }
  if (is_complex(from)) return false;
  if (is_complex(to)) return from != float64;
  return is_float(to) && significand_bits(to) > significand_bits(from) && !(to == float16 || to == bfloat16);
}

// Converting x to t and then to u gives the same as converting x to u directly.
bool passes_through(const Function& f, Args a) {
  Dtype x = f.type(a[0].value).dtype;
  const auto *t = std::get_if<Dtype>(a[1].attr), *u = std::get_if<Dtype>(a[2].attr);
  if (!t || !u || !holds_all(*t, x)) return false;
  // Integers wrap where floats saturate, so an integer that passes through a float must fit the final type.
  bool integer_by_float = is_int(x) && is_inexact(*t);
  return !(integer_by_float && is_int(*u)) || holds_all(*u, x);
}

// A reduction of x over the axes p has elements, and keeps these axes, as k says.
bool kept(const Function& f, Args a) {
  const auto* axes = std::get_if<Dims>(a[1].attr);
  const auto* keeps = std::get_if<bool>(a[2].attr);
  if (!axes || !keeps || !*keeps) return false;
  const Shape& shape = f.type(a[0].value).shape;
  return std::all_of(axes->begin(), axes->end(),
                     [&](const Dim& axis) { return f.facts.range(shape[static_cast<size_t>(axis.value())]).low >= 1; });
}

constexpr std::array kConditions{
    EquationCondition{"identity", 1, identity},
    EquationCondition{"ones", 1, ones},
    EquationCondition{"zeros", 2, zeros},
    EquationCondition{"exact_reciprocal", 1, exact_reciprocal},
    EquationCondition{"passes_through", 3, passes_through},
    EquationCondition{"kept", 3, kept},
};

// The permutation that does p, then q.
Attr compose(const Function&, Args a) {
  const auto &p = std::get<Dims>(*a[0].attr), &q = std::get<Dims>(*a[1].attr);
  Dims result;
  for (const Dim& axis : q) result.push_back(p[static_cast<size_t>(axis.value())]);
  return result;
}

constexpr std::array kFunctions{
    EquationFunction{"compose", 2, compose},
};

}  // namespace

const EquationCondition* find_equation_condition(std::string_view name) {
  for (const EquationCondition& c : kConditions)
    if (c.name == name) return &c;
  return nullptr;
}

const EquationFunction* find_equation_function(std::string_view name) {
  for (const EquationFunction& f : kFunctions)
    if (f.name == name) return &f;
  return nullptr;
}

}  // namespace frit::passes
