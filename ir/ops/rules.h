// Helpers shared by the rules of several families: text for diagnostics, axes, small graph idioms.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ir/graph/graph.h"
#include "ir/graph/op.h"

namespace frit::ir::rules {

// "f32[2], f32[3] and f32[4]".
std::string list(std::span<const Type> types);

// Each element is the one of operand 0 at `index`.
inline IndexRule from_operand(std::vector<Dim> index) { return {{{0, std::move(index), {}}}, -1}; }

// Attribute "axes" as integers; the verifier has checked that they are sorted, distinct and in range.
std::vector<int> axes(const Op& op);

// `shape` with each of `axes` of size one.
Shape keep_dims(Shape shape, const std::vector<int>& axes);

// `v` spread over `shape`, with size-one axes put back where `axes` were reduced away (unless they were kept).
ValueId spread(Builder& b, ValueId v, const Shape& shape, const std::vector<int>& axes);

ValueId reshape(Builder& b, ValueId v, const Shape& shape);

// `v`, of rank 2 or more, with its last two axes swapped.
ValueId swap_last(Builder& b, ValueId v);

// A reduction row by name over `axes`.
ValueId reduce(Builder& b, std::string_view row, ValueId v, const std::vector<int>& axes, bool keepdims);

// `v` as a float, in which a rule divides: an integer's derivative is computed in float32 and rounded at its end.
ValueId inexact(Builder& b, ValueId v);

// `v` as a factor of a cotangent: the conjugate of a complex number.
ValueId conjugated(Builder& b, ValueId v);

// A rank-0 value of `dtype` (not complex): the value of `d`, constant when `d` is.
ValueId count(Builder& b, const Dim& d, Dtype dtype);

// Sums `v` over leading axes and stretched ones, so that it gets `shape`: what broadcasting back calls for.
ValueId sum_to(Builder& b, ValueId v, const Shape& shape);

// Whether the facts prove a == b, a <= b.
inline bool same_size(const Dim& a, const Dim& b, const DimFacts& facts) {
  return a == b || facts.equal(a, b) == Tri::Yes;
}
inline bool at_most(const Dim& a, const Dim& b, const DimFacts& facts) { return facts.less_equal(a, b) == Tri::Yes; }
// The elements from the first to the last of n, which may be none, with `gap` elements between neighbours.
inline Dim spread_size(const Dim& n, const Dim& gap) { return gap.is(0) ? n : n + max(n - Dim(1), 0) * gap; }

}  // namespace frit::ir::rules
