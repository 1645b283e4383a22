// The kernels of Fourier transforms that are built for more than one instruction set.
#pragma once

#include "runtime/routines/fft_plan.h"

namespace frit::runtime::routines {

#if defined(__x86_64__) && defined(__GNUC__)
extern const FftKernels kFftAvx512, kFftAvx2;
#endif

}  // namespace frit::runtime::routines
