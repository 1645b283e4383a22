// Indices as NumPy has them, and elements at them. Part of ops.h.
//
//   index(a, {0, Slice{1, 5, 2}, ellipsis, newaxis})      a[0, 1:5:2, ..., None]
//   index_update(a, {array({2, 0})}, 1.0f)                a[[2, 0]] = 1
#pragma once

#include <concepts>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "frit/array.h"

namespace frit {

// Elements of an axis: from `start` to before `stop`, every `step`th. A bound that is absent is the end that the step
// comes from or goes to; a negative one counts from the end; one outside of the axis is moved to its end.
struct Slice {
  std::optional<Size> start = {}, stop = {};
  int64_t step = 1;
};
// A new axis of one element.
struct NewAxis {};
inline constexpr NewAxis newaxis{};
// Whole axes, as many as the other indices leave.
struct Ellipsis {};
inline constexpr Ellipsis ellipsis{};

// One index: a number, which drops its axis, a Slice, newaxis, ellipsis, or an array of integers.
class Index {
 public:
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Index(T number) : value_(Size(number)) {}
  Index(Size number) : value_(std::move(number)) {}
  Index(Slice slice) : value_(std::move(slice)) {}
  Index(NewAxis axis) : value_(axis) {}
  Index(Ellipsis axes) : value_(axes) {}
  Index(array positions) : value_(std::move(positions)) {}

  using Value = std::variant<Size, Slice, NewAxis, Ellipsis, array>;
  const Value& value() const { return value_; }

 private:
  Value value_;
};

// How index_update combines elements with values.
enum class IndexUpdate : unsigned char { set, add, subtract, multiply, divide, maximum, minimum };

// ---- Written from frontend/api: index

// The elements of `a` at the indices. Without arrays among them it is a view.
// Shape: that of the arrays of integers, of the slices, and of the axes that have no index; numbers drop theirs.
// Types: any, kept; integers for arrays of positions.
// Throws InvalidArgument when there are more indices than axes, more than one ellipsis, a step of zero, an array that
// holds no integers, or arrays that do not broadcast; OutOfRange when a number is outside of its axis.
array index(const array& a, const std::vector<Index>& indices, StreamOrDevice s = {});

// `a` with the elements at the indices replaced by `value`, or combined with it. Where arrays of positions meet in one
// element, the last value stays, or all are combined. One array of bool alone is a mask: it chooses elements for
// IndexUpdate::set, in row-major order, and its axes are the first ones of `a`.
// Shape: that of `a`; `value` broadcasts to the shape that `index` gives.
// Types: any, kept; `value` is converted.
// Throws InvalidArgument and OutOfRange as index does, and InvalidArgument when the value does not broadcast or a mask
// has another shape or is combined; RuntimeError when a mask whose elements are known chooses more elements than there
// are values.
array index_update(const array& a, const std::vector<Index>& indices, const array& value,
                   IndexUpdate how = IndexUpdate::set, StreamOrDevice s = {});

// ---- End of frontend/api: index

}  // namespace frit
