// Arguments of functions that change shapes.
#pragma once

#include "frontend/python/core/bind.h"

namespace frit::python {

// The sizes of f(2, 3) and of f((2, 3)).
Shape sizes_of(nb::args given);
// A number of equal parts, or the places to split at.
std::vector<array> split_at(const array& a, nb::object parts, int axis, StreamOrDevice s);

}  // namespace frit::python
