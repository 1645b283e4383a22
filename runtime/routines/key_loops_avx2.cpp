// The loops over keys with AVX2.
#include "runtime/routines/key_loops.h"

#if defined(__x86_64__) && defined(__GNUC__)

#define FRIT_ISA __attribute__((target("avx2")))

namespace frit::runtime::routines {
namespace {
#include "runtime/routines/key_loops_kernels.h"
}  // namespace

constinit const KeyLoops kKeysAvx2 = all_loops();

}  // namespace frit::runtime::routines

#endif
