// The choice of the instruction set that sorts words.
#include "runtime/routines/vector_sort.h"

#include "runtime/system/cpu.h"

namespace frit::runtime::routines {

const VectorSort* vector_sort() {
#if defined(__x86_64__) && defined(__GNUC__)
  static const VectorSort* const chosen = cpu_runs("x86-64-v4")   ? &kSortAvx512
                                          : cpu_runs("x86-64-v3") ? &kSortAvx2
                                                                  : nullptr;
  return chosen;
#else
  return nullptr;
#endif
}

}  // namespace frit::runtime::routines
