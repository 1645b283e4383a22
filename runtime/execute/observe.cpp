// The list of observers.
#include "runtime/execute/observe.h"

#include <algorithm>
#include <shared_mutex>
#include <vector>

namespace frit::runtime {

namespace detail {
std::atomic<int> observers{0};
}

namespace {

struct Observers {
  std::shared_mutex mutex;
  std::vector<std::shared_ptr<Observer>> all;
};

// Never destroyed: threads may end their work while statics are destroyed.
Observers& observers() {
  static auto* o = new Observers;
  return *o;
}

}  // namespace

std::shared_ptr<void> add_observer(Observer observer) {
  auto kept = std::make_shared<Observer>(std::move(observer));
  {
    std::lock_guard lock(observers().mutex);
    observers().all.push_back(kept);
  }
  detail::observers.fetch_add(1, std::memory_order_relaxed);
  return std::shared_ptr<void>(kept.get(), [kept](void*) {
    detail::observers.fetch_sub(1, std::memory_order_relaxed);
    // Waits for calls of the observer that are under way.
    std::lock_guard lock(observers().mutex);
    std::erase(observers().all, kept);
  });
}

void observe(const Observed& what) {
  std::shared_lock lock(observers().mutex);
  for (const auto& observer : observers().all) (*observer)(what);
}

}  // namespace frit::runtime
