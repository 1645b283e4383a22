// The table of groups that compiled code names by number.
#include "runtime/mpi/group.h"

#include <mutex>
#include <vector>

namespace frit::runtime {
namespace {

struct Groups {
  std::mutex mutex;
  std::vector<ProcessGroupPtr> all;
};

// Never destroyed: code may run while the process exits.
Groups& groups() {
  static Groups* instance = new Groups;
  return *instance;
}

}  // namespace

int64_t register_group(ProcessGroupPtr group) {
  const std::lock_guard<std::mutex> guard(groups().mutex);
  groups().all.push_back(std::move(group));
  return static_cast<int64_t>(groups().all.size());
}

ProcessGroupPtr find_group(int64_t number) {
  const std::lock_guard<std::mutex> guard(groups().mutex);
  if (number < 1 || number > static_cast<int64_t>(groups().all.size())) return nullptr;
  return groups().all[static_cast<size_t>(number) - 1];
}

}  // namespace frit::runtime
