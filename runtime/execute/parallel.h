// The loop over worker threads that every kernel runs through.
#pragma once

#include <cstdint>

namespace frit::runtime {

// Number of threads that loops are spread over: at first starting_threads(). Results never depend on it.
int num_threads();
// For loops that start from now on. Numbers below 1 mean the CPUs this process may use.
void set_num_threads(int n);

using RangeFn = void (*)(void* context, int64_t begin, int64_t end);

// Calls `fn` on sub-ranges that cover [0, total) exactly once; every begin is a multiple of `grain`. Runs in the
// calling thread when total <= grain or there is one thread. Returns when all are done. `fn` must not throw. May be
// called from any thread and from within `fn`. `is_long`: the loop surely takes longer than waking a thread does; else
// the time of a first part tells.
void parallel_for(int64_t total, int64_t grain, RangeFn fn, void* context, bool is_long = false);

}  // namespace frit::runtime
