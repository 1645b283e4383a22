// The record of matrix products: [.., m, k] by [.., k, n] for each position of the leading axes.
#pragma once

#include "ir/routines/routine.h"

namespace frit::ir {

extern const Routine kMatmul;

}  // namespace frit::ir
