// The loops over keys for any processor, and the choice between all of them.
#include "runtime/routines/key_loops.h"

#include "runtime/system/cpu.h"

#define FRIT_ISA

namespace frit::runtime::routines {
namespace {
#include "runtime/routines/key_loops_kernels.h"
constinit const KeyLoops kKeysPlain = all_loops();
}  // namespace

const KeyLoops& key_loops() {
#if defined(__x86_64__) && defined(__GNUC__)
  static const KeyLoops& chosen = cpu_runs("x86-64-v4") ? kKeysAvx512 : cpu_runs("x86-64-v3") ? kKeysAvx2 : kKeysPlain;
  return chosen;
#else
  return kKeysPlain;
#endif
}

}  // namespace frit::runtime::routines
