// The two halves of vectorisation: a trace whose number of results a program asks for, and the results themselves.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "frontend/c/convert.h"

namespace frit::c {

// Calls a closure with the first elements along the axes, so that the program sees the results' number, shapes and
// types. The lists remember the closure.
void trace_batch(mlx_vector_array* inputs_to, mlx_vector_array* outputs_to, const ClosureObject& fun,
                 const Arrays& inputs, std::vector<int> in_axes);

// The results of the closure at every position, for those outputs of its trace that are asked for. Throws where neither
// list is of such a trace.
Arrays replace_batch(const Arrays& inputs, const ArraysObject& traced_inputs, const ArraysObject& traced_outputs,
                     const std::vector<int>& in_axes, const std::vector<int>& out_axes);

}  // namespace frit::c
