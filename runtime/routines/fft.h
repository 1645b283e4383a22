// Fourier transforms of one row.
#pragma once

#include "runtime/routines/fft_plan.h"

namespace frit::runtime::routines {

// The transform of plan.n numbers that lie `step` apart, times `scale`, to dense memory that does not overlap them.
// `memory` has plan.memory() floats. With `threads` the threads of the pool share the work; false where those have no
// memory.
bool transform_row(const FftPlan& plan, const Complex* in, int64_t step, Complex* out, bool inverse, float scale,
                   bool threads, float* memory);

}  // namespace frit::runtime::routines
