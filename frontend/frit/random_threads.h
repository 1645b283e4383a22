// Random states of threads.
#pragma once

namespace frit::random {

// From here on each thread has a default sequence of keys of its own, with a seed of its own, as in MLX. Without this
// call all threads share one: a goroutine, for one, does not stay in its thread.
void keep_state_per_thread();

}  // namespace frit::random
