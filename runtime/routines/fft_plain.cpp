// The kernels of Fourier transforms for any processor, and the choice between all kernels.
#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/routines/fft_sets.h"
#include "runtime/system/cpu.h"

#define FRIT_ISA
#define FRIT_ISA_INLINE __attribute__((always_inline)) inline

namespace frit::runtime::routines {
namespace {
constexpr int kLanes = 4;
// Their order matters.
#include "runtime/routines/fft_kernels.h"

#include "runtime/routines/fft_row_kernels.h"

#include "runtime/routines/fft_chirp_kernels.h"
constinit const FftKernels kPlain{kLanes,           split_columns,     split_rows, short_lines,
                                  join_lanes<true>, join_lanes<false>, real_lines, real_lines_back,
                                  chirp_columns,    chirp_rows,        chirp_back};
}  // namespace

const FftKernels& fft_kernels() {
#if defined(__x86_64__) && defined(__GNUC__)
  static const FftKernels& chosen = cpu_runs("x86-64-v4") ? kFftAvx512 : cpu_runs("x86-64-v3") ? kFftAvx2 : kPlain;
  return chosen;
#else
  return kPlain;
#endif
}

}  // namespace frit::runtime::routines
