// The choice of the instruction set that sorts words.
#include "runtime/routines/vector_sort.h"

#include "runtime/routines/vector_sort_sets.h"
#include "runtime/system/cpu.h"

namespace frit::runtime::routines {
namespace {

// Null where the processor has neither set.
const SortKernels* kernels() {
  static const SortKernels* const chosen = []() -> const SortKernels* {
#if defined(__x86_64__) && defined(__GNUC__)
    if (cpu_runs("x86-64-v4")) return &kSortAvx512;
    if (cpu_runs("x86-64-v3")) return &kSortAvx2;
#endif
    return nullptr;
  }();
  return chosen;
}

}  // namespace

bool has_vector_sort() { return kernels() != nullptr; }

void vector_sort(uint32_t* a, uint32_t* b, int64_t n, bool into_b) { kernels()->words32.sort(a, b, n, into_b); }
void vector_sort(uint64_t* a, uint64_t* b, int64_t n, bool into_b) { kernels()->words64.sort(a, b, n, into_b); }
uint32_t vector_pivot(const uint32_t* a, int64_t n) { return kernels()->words32.pivot(a, n); }
uint64_t vector_pivot(const uint64_t* a, int64_t n) { return kernels()->words64.pivot(a, n); }
int64_t vector_count(const uint32_t* a, int64_t n, uint32_t pivot) { return kernels()->words32.count(a, n, pivot); }
int64_t vector_count(const uint64_t* a, int64_t n, uint64_t pivot) { return kernels()->words64.count(a, n, pivot); }
void vector_deal(const uint32_t* a, int64_t n, uint32_t pivot, uint32_t* low, uint32_t* high) {
  kernels()->words32.deal(a, n, pivot, low, high);
}
void vector_deal(const uint64_t* a, int64_t n, uint64_t pivot, uint64_t* low, uint64_t* high) {
  kernels()->words64.deal(a, n, pivot, low, high);
}
Bounds<uint32_t> vector_bounds(const uint32_t* a, int64_t n, int64_t rank) {
  return kernels()->words32.bounds(a, n, rank);
}
Kept vector_keep(const uint32_t* a, int64_t n, uint32_t low, uint32_t high, uint32_t* out) {
  return kernels()->words32.keep(a, n, low, high, out);
}
int64_t vector_deal_values(const uint32_t* keys, const uint32_t* values, int64_t n, uint32_t pivot, bool less,
                           uint32_t* low, uint32_t* high) {
  return kernels()->words32.deal_values(keys, values, n, pivot, less, low, high);
}
Bounds<uint64_t> vector_bounds(const uint64_t* a, int64_t n, int64_t rank) {
  return kernels()->words64.bounds(a, n, rank);
}
Kept vector_keep(const uint64_t* a, int64_t n, uint64_t low, uint64_t high, uint64_t* out) {
  return kernels()->words64.keep(a, n, low, high, out);
}
int64_t vector_deal_values(const uint64_t* keys, const uint64_t* values, int64_t n, uint64_t pivot, bool less,
                           uint64_t* low, uint64_t* high) {
  return kernels()->words64.deal_values(keys, values, n, pivot, less, low, high);
}

}  // namespace frit::runtime::routines
