// Linear algebra in namespace frit::linalg, with the names, argument order and defaults of MLX. The declarations are
// written from frontend/api.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frit/array.h"

namespace frit {

// ---- Written from frontend/api: norms

namespace linalg {
// The norm of vectors along one axis or of matrices over two; over all axes where none is given. Without an order: the
// root of the sum of squares. Of vectors, order 0 counts what is not zero, the infinities give the largest or the
// smallest magnitude, and p gives sum(|x|^p)^(1/p). Of matrices, 1 and -1 give the largest and the smallest sum of a
// column, the infinities those of a row, 2 and -2 the largest and the smallest singular value, "nuc" the sum of the
// singular values, and "f" or "fro" the root of the sum of squares.
// Shape: that of `a` without the axes, or with size 1 in their places.
// Types: any; integers and bool become float32. Without an order and with order 2 and "fro", complex64 gives float32.
// Throws InvalidArgument when an order does not fit the number of axes, OutOfRange when there is no such axis.
array norm(const array& a, double ord, const std::optional<std::vector<int>>& axis = std::nullopt,
           bool keepdims = false, StreamOrDevice s = {});
array norm(const array& a, double ord, int axis, bool keepdims = false, StreamOrDevice s = {});
array norm(const array& a, const std::string& ord, const std::optional<std::vector<int>>& axis = std::nullopt,
           bool keepdims = false, StreamOrDevice s = {});
array norm(const array& a, const std::string& ord, int axis, bool keepdims = false, StreamOrDevice s = {});
array norm(const array& a, const std::optional<std::vector<int>>& axis = std::nullopt, bool keepdims = false,
           StreamOrDevice s = {});
array norm(const array& a, int axis, bool keepdims = false, StreamOrDevice s = {});

// The cross product of vectors along an axis. A vector of two numbers lies in the plane of the first two axes.
// Shape: the shapes broadcast, with three elements along the axis.
// Types: any; promoted to a common type.
// Throws InvalidArgument when the axis has neither size 2 nor 3, OutOfRange when there is no such axis.
array cross(const array& a, const array& b, int axis = -1, StreamOrDevice s = {});

}  // namespace linalg

// ---- End of frontend/api: norms

}  // namespace frit
