// The kernels of Fourier transforms with AVX2.
#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/routines/fft_sets.h"

#if defined(__x86_64__) && defined(__GNUC__)

#define FRIT_ISA __attribute__((target("avx2")))
#define FRIT_ISA_INLINE __attribute__((always_inline)) FRIT_ISA inline

namespace frit::runtime::routines {
namespace {
constexpr int kLanes = 8;
// Their order matters.
#include "runtime/routines/fft_kernels.h"

#include "runtime/routines/fft_row_kernels.h"

#include "runtime/routines/fft_chirp_kernels.h"
}  // namespace

constinit const FftKernels kFftAvx2{kLanes,           split_columns,     split_rows, short_lines,
                                    join_lanes<true>, join_lanes<false>, real_lines, real_lines_back,
                                    chirp_columns,    chirp_rows,        chirp_back};

}  // namespace frit::runtime::routines

#endif
