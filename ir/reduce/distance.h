// How far results are from those of the reference interpreter.
#pragma once

#include "ir/interpret/interpreter.h"

namespace frit::ir {

// The largest distance of two tensors in ulp; for integers and bool, infinite where any element differs. Ulps are those
// of the element's magnitude or of the tensor's mean, whichever is larger: where large terms cancel, the remainder's
// own ulps say nothing.
double distance(const Tensor& want, const Tensor& got);

}  // namespace frit::ir
