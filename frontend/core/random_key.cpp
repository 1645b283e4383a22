// The key of functions that are called without one, while a closure is traced.
#include "frontend/core/random_key.h"

#include <utility>

#include "frontend/core/node.h"
#include "frontend/frit/random.h"

namespace frit::detail {

namespace {

array read() {
  array& state = random::state();
  const std::lock_guard<std::mutex> guard(mutex_of_keys());
  return state;
}

}  // namespace

std::mutex& mutex_of_keys() {
  static std::mutex mutex;
  return mutex;
}

KeyInTrace::KeyInTrace(uint64_t trace) : trace_(trace), before_(read()) {}

std::optional<array> KeyInTrace::leave() {
  array& state = random::state();
  const std::lock_guard<std::mutex> guard(mutex_of_keys());
  const OperationPtr operation = node_of(state)->current_operation();
  if (!operation || !operation->tracer || operation->trace != trace_) return std::nullopt;
  return std::exchange(state, before_);
}

void KeyInTrace::put(array key) {
  array& state = random::state();
  const std::lock_guard<std::mutex> guard(mutex_of_keys());
  state = std::move(key);
}

}  // namespace frit::detail
