// How the functions of the public API make graph nodes: a row of the registry, operands, attributes.
//
// The rows want operands of one dtype and shape; these helpers promote and broadcast as MLX does by inserting `astype` and `broadcast` nodes, and turn the
// diagnostics of inference into exceptions at the caller's line.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "frontend/frit/ops.h"
#include "frontend/node.h"

namespace frit::detail {

// One application of a row, types inferred.
std::vector<array> make_all(const ir::OpDef& def, std::vector<array> operands, ir::AttrMap attrs, const StreamOrDevice& s);
array make(const ir::OpDef& def, std::vector<array> operands, ir::AttrMap attrs, const StreamOrDevice& s);
array make(std::string_view row, std::vector<array> operands, ir::AttrMap attrs, const StreamOrDevice& s);

// An elementwise row: operands promoted to a dtype of the row's class and broadcast against each other.
array elementwise(const ir::OpDef& def, std::vector<array> operands, const StreamOrDevice& s);
array elementwise(std::string_view row, std::vector<array> operands, const StreamOrDevice& s);

// float32 for integers and bool, else the same.
inline Dtype at_least_float(Dtype t) { return is_inexact(t) ? t : float32; }

// Axes in ascending order, each in [0, ndim). Throws OutOfRange, or InvalidArgument for one given twice.
std::vector<int> normalize_axes(std::string_view op, const array& a, const std::vector<int>& axes, const StreamOrDevice& s);
int normalize_axis(std::string_view op, const array& a, int axis, const StreamOrDevice& s);
int normalize_axis(std::string_view op, int ndim, int axis, const StreamOrDevice& s);
std::vector<int> all_axes(const array& a);

// "float32 (2,3)"
inline std::string text(const array& a) { return type_text(a.dtype(), a.shape()); }
inline ir::Dims dims(const Shape& shape) { return {shape.begin(), shape.end()}; }
inline ir::Dims dims64(const std::vector<int64_t>& values) { return {values.begin(), values.end()}; }

[[noreturn]] void fail(std::string message, std::string note, const StreamOrDevice& s);

// Throws InvalidArgument when the shapes do not broadcast; names them all.
Shape broadcast_all(std::string_view op, std::span<const array> arrays, const StreamOrDevice& s);

}  // namespace frit::detail
