// How the functions of the public API make graph nodes: a row of the registry, operands, attributes, sizes.
//
// The rows want operands of one dtype and shape; these helpers promote and broadcast as MLX does by inserting `astype`
// and `broadcast` nodes, and turn the diagnostics of inference into exceptions at the caller's line.
//
// Operations see sizes only as Dims, which are numbers outside a trace for any shape. They state conditions on sizes
// with require_* and decide_* of sizes.h; array::shape and array::size would tie the trace to one size.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "frontend/core/node.h"
#include "frontend/core/sizes.h"
#include "frontend/frit/ops.h"

namespace frit::detail {

// One application of a row, types inferred. Attributes need not be in the form that is known now.
std::vector<array> make_all(const ir::OpDef& def, std::vector<array> operands, ir::AttrMap attrs,
                            const StreamOrDevice& s);
// The same for an operation that comes from another line than the one that `s` has.
std::vector<array> make_all(const ir::OpDef& def, std::vector<array> operands, ir::AttrMap attrs,
                            const StreamOrDevice& s, const Where& where);
array make(const ir::OpDef& def, std::vector<array> operands, ir::AttrMap attrs, const StreamOrDevice& s);
array make(std::string_view row, std::vector<array> operands, ir::AttrMap attrs, const StreamOrDevice& s);

// An elementwise row: operands promoted to a dtype of the row's class and broadcast against each other.
array elementwise(const ir::OpDef& def, std::vector<array> operands, const StreamOrDevice& s);
array elementwise(std::string_view row, std::vector<array> operands, const StreamOrDevice& s);

// float32 for integers and bool, else the same.
inline Dtype at_least_float(Dtype t) { return is_inexact(t) ? t : float32; }

// Axes in ascending order, each in [0, ndim). Throws OutOfRange, or InvalidArgument for one given twice.
std::vector<int> normalize_axes(std::string_view op, const array& a, const std::vector<int>& axes,
                                const StreamOrDevice& s);
// Throws OutOfRange.
int normalize_axis(std::string_view op, const array& a, int axis, const StreamOrDevice& s);
int normalize_axis(std::string_view op, int ndim, int axis, const StreamOrDevice& s);
Diagnostic no_such_axis(std::string_view op, int ndim, int axis);
std::vector<int> all_axes(const array& a);

// "float32 (2,3)"; an open size with its value: "float32 (x_0=2,3)".
std::string text(const array& a);
// "2", or "x_0=2".
std::string text(const Dim& d);
// Counted, with the types of the first few: "2 results (f32[2], i32[])".
std::string listed(std::string_view what, const std::vector<ir::Type>& types);
std::string listed(std::string_view what, const std::vector<array>& arrays);
inline ir::Dims dims64(const std::vector<int64_t>& values) { return {values.begin(), values.end()}; }

[[noreturn]] void fail(std::string message, std::string note, const StreamOrDevice& s);

// Whether `a` is itself an argument that a derivative is taken of.
bool is_differentiated(const array& a);

// Throws InvalidArgument when a size is negative or more than an axis holds.
void check_size(std::string_view op, const Dim& size, const StreamOrDevice& s);

// Broadcasts two axes against each other and puts the result into `size`; false if they do not broadcast.
bool broadcast_size(std::string_view op, Dim& size, const Dim& other, const StreamOrDevice& s);
// Throws InvalidArgument when the shapes do not broadcast; names them all.
ir::Dims broadcast_all(std::string_view op, std::span<const array> arrays, const StreamOrDevice& s);
bool has_sizes(const array& a, const ir::Dims& sizes);
// Throws InvalidArgument when `a` does not broadcast to the sizes.
array broadcast_or_fail(std::string_view op, const array& a, const ir::Dims& sizes, const StreamOrDevice& s);
// `a` broadcast to sizes that it is known to broadcast to.
array stretch(const array& a, ir::Dims sizes, const StreamOrDevice& s);
// The elements of `a` under sizes that are known to multiply to their number.
array with_sizes(const array& a, ir::Dims sizes, const StreamOrDevice& s);
// Elements [start, stop) of an axis; both are known to lie inside, in order.
array take_range(const array& a, int axis, const Dim& start, const Dim& stop, const StreamOrDevice& s);
// The elements of an axis from `first` on, which is known to lie inside, and then those before it.
array rotated(const array& a, int axis, const Dim& first, const StreamOrDevice& s);

// The row `slice`; every bound is known to lie inside.
array cut(const array& a, ir::Dims start, ir::Dims stop, ir::Dims strides, const StreamOrDevice& s);

// A rank-0 array of a real dtype: the size as a value.
array size_value(const Dim& d, Dtype dtype, const StreamOrDevice& s);

}  // namespace frit::detail
