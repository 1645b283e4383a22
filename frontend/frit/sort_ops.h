// Sorting and selection. Part of ops.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frit/array.h"

namespace frit {

// ---- Written from frontend/api: sort

// The elements in ascending order.
// Shape: that of `a`; without an axis (a.size()).
// Types: any, kept.
// Throws OutOfRange when there is no such axis.
// Algorithm: radix sort.
array sort(const array& a, StreamOrDevice s = {});
array sort(const array& a, int axis, StreamOrDevice s = {});

// The positions that put the elements into ascending order.
// Shape: that of `a`; without an axis (a.size()).
// Types: any; the result is uint32.
// Throws OutOfRange when there is no such axis.
// Algorithm: radix sort.
array argsort(const array& a, StreamOrDevice s = {});
array argsort(const array& a, int axis, StreamOrDevice s = {});

// The elements with number `kth` of the sorted order in its place, those that come before it in front and the others
// behind. Both parts keep the order of `a`. A negative `kth` counts from the end.
// Shape: that of `a`; without an axis (a.size()).
// Types: any, kept.
// Throws OutOfRange when there is no such axis, InvalidArgument when `kth` lies outside of it.
array partition(const array& a, int kth, StreamOrDevice s = {});
array partition(const array& a, int kth, int axis, StreamOrDevice s = {});

// The positions that put the elements into the order of partition.
// Shape: that of `a`; without an axis (a.size()).
// Types: any; the result is uint32.
// Throws OutOfRange when there is no such axis, InvalidArgument when `kth` lies outside of it.
array argpartition(const array& a, int kth, StreamOrDevice s = {});
array argpartition(const array& a, int kth, int axis, StreamOrDevice s = {});

// The `k` largest elements, in ascending order.
// Shape: that of `a` with `k` elements along the axis; without an axis (k).
// Types: any, kept.
// Throws OutOfRange when there is no such axis, InvalidArgument when `k` is negative or larger than it.
array topk(const array& a, int k, StreamOrDevice s = {});
array topk(const array& a, int k, int axis, StreamOrDevice s = {});

// The middle element of the sorted order, or the mean of both middle ones. NaN where there is one.
// Shape: that of `a` without the reduced axes, or with size 1 for them.
// Types: any; integers and bool become float32.
// Throws OutOfRange when there is no such axis, InvalidArgument when one is given twice or the reduced axes are empty.
array median(const array& a, bool keepdims, StreamOrDevice s = {});
array median(const array& a, StreamOrDevice s = {});
array median(const array& a, const std::vector<int>& axes, bool keepdims = false, StreamOrDevice s = {});
array median(const array& a, int axis, bool keepdims = false, StreamOrDevice s = {});

// For each value, how many elements of the sorted sequence are less, or with `side` "right" less or equal.
// Shape: that of `values`.
// Types: any; both are promoted to a common type, and the result is uint32.
// Throws InvalidArgument when the sequence has not one axis, or `side` is neither "left" nor "right".
array searchsorted(const array& sorted_sequence, const array& values, const std::string& side = "left",
                   StreamOrDevice s = {});

// The distinct elements in ascending order, `size` of them: the rest is left out or filled with `fill_value`, the least
// element where there is none. Behind them, where they are asked for: the first place of each, for every element of `a`
// the place of its equal, and how often each is there. All NaN are one element.
// Shape: (size); the inverse has the shape of `a`.
// Types: any, kept; places are uint32, counts int32.
// Throws InvalidArgument when `size` is negative, `fill_value` is not one number, or an empty `a` has to be filled
// without it.
std::vector<array> unique(const array& a, int size, bool return_index = false, bool return_inverse = false,
                          bool return_counts = false, const std::optional<array>& fill_value = std::nullopt,
                          StreamOrDevice s = {});

// ---- End of frontend/api: sort

}  // namespace frit
