// Python indices as those of the C++ interface.
#pragma once

#include "frontend/python/core/bind.h"

namespace frit::python {

// A number, a slice, None, Ellipsis, an array or a list of integers, or a tuple of these. Throws InvalidArgument for
// anything else.
std::vector<Index> read_index(nb::handle index);

array get_items(const array& a, nb::handle index);

}  // namespace frit::python
