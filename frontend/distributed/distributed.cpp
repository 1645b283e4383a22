// Groups of processes, and the operations that exchange arrays within one.
#include "frontend/frit/distributed.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>

#include "frontend/core/build.h"
#include "runtime/mpi/group.h"

namespace frit::distributed {

// A group of several processes, registered under its number; or this process alone.
class detail::GroupImpl {
 public:
  GroupImpl() = default;
  explicit GroupImpl(runtime::ProcessGroupPtr processes)
      : processes(processes->size() > 1 ? std::move(processes) : nullptr),
        number(this->processes ? runtime::register_group(this->processes) : 0) {}

  const runtime::ProcessGroupPtr processes = nullptr;
  const int64_t number = 0;
};

int Group::rank() const { return group_->processes ? group_->processes->rank() : 0; }
int Group::size() const { return group_->processes ? group_->processes->size() : 1; }

Group Group::split(int color, int key) const {
  if (!group_->processes)
    throw RuntimeError("split: a group of one process cannot be split further", "start several processes with mpirun");
  auto part = group_->processes->split(color, key);
  if (!part) throw RuntimeError("split: " + part.error().message, part.error().note);
  return Group(std::make_shared<detail::GroupImpl>(*std::move(part)));
}

namespace {

constexpr std::array kNames{"any", "mpi", "nccl", "jaccl", "ring"};

struct Backends {
  std::mutex mutex;
  std::map<std::string, Group> groups;  // by the name that was asked for
};
Backends& backends() {
  static Backends* instance = new Backends;
  return *instance;
}

// All processes by the named backend, or why they cannot be had.
Result<Group> world(const std::string& bk) {
  if (bk == "any" && !runtime::started_by_mpi())
    return Diagnostic("this process was not started together with others", {}, "start the program with mpirun");
  if (bk != "any" && bk != "mpi") return Diagnostic("frit has no backend '" + bk + "'", {}, "use \"mpi\"");
  auto processes = runtime::mpi_world();
  if (!processes) return processes.error();
  return Group(std::make_shared<detail::GroupImpl>(*std::move(processes)));
}

}  // namespace

bool is_available() { return runtime::has_mpi(); }
bool is_available(const std::string& bk) { return (bk == "any" || bk == "mpi") && runtime::has_mpi(); }

Group init(bool strict, const std::string& bk) {
  if (std::find(kNames.begin(), kNames.end(), bk) == kNames.end())
    throw InvalidArgument("init: there is no backend '" + bk + "'", "use \"any\" or \"mpi\"");
  const std::lock_guard<std::mutex> guard(backends().mutex);
  if (const auto found = backends().groups.find(bk); found != backends().groups.end()) {
    if (!strict || found->second.raw_group()->processes) return found->second;
    backends().groups.erase(found);
  }
  Result<Group> group = world(bk);
  if (!group && strict) throw RuntimeError("init: " + group.error().message, group.error().note);
  if (!group) group = Group(std::make_shared<detail::GroupImpl>());
  return backends().groups.emplace(bk, *group).first->second;
}

Group init(bool strict, const std::string& bk, AllGatherFactory) { return init(strict, bk); }

void clear_backends() {
  const std::lock_guard<std::mutex> guard(backends().mutex);
  backends().groups.clear();
}

namespace {

ir::AttrMap attributes(const Group& group) {
  return {{"group", Dim(group.raw_group()->number)}, {"processes", Dim(int64_t{group.size()})}};
}

array reduced(const char* row, const array& x, const std::optional<Group>& group, const StreamOrDevice& s) {
  const Group g = group ? *group : init();
  return g.size() == 1 ? x : frit::detail::make(row, {x}, attributes(g), s);
}

array joined(const char* row, array x, const std::optional<Group>& group, const StreamOrDevice& s) {
  const Group g = group ? *group : init();
  if (g.size() == 1) return x;
  ir::AttrMap attrs = attributes(g);
  attrs.set("rank", Dim(int64_t{g.rank()}));
  return frit::detail::make(row, {std::move(x)}, std::move(attrs), s);
}

array exchanged(const char* row, const array& x, int peer, const std::optional<Group>& group, const StreamOrDevice& s) {
  const Group g = group ? *group : init();
  if (g.size() == 1)
    frit::detail::fail(std::string(row) + ": a group of one process has nobody to exchange with",
                       "start several processes with mpirun", s);
  if (peer < 0 || peer >= g.size())
    frit::detail::fail(std::string(row) + ": there is no process " + std::to_string(peer) + " in a group of " +
                           std::to_string(g.size()),
                       "count processes from 0", s);
  ir::AttrMap attrs = attributes(g);
  attrs.set("peer", Dim(int64_t{peer}));
  return frit::detail::make(row, {x}, std::move(attrs), s);
}

}  // namespace

array all_sum(const array& x, std::optional<Group> group, StreamOrDevice s) { return reduced("all_sum", x, group, s); }
array all_max(const array& x, std::optional<Group> group, StreamOrDevice s) { return reduced("all_max", x, group, s); }
array all_min(const array& x, std::optional<Group> group, StreamOrDevice s) { return reduced("all_min", x, group, s); }

array all_gather(const array& x, std::optional<Group> group, StreamOrDevice s) {
  const bool bare = x.ndim() == 0 && (group ? *group : init()).size() > 1;
  return joined("all_gather", bare ? reshape(x, {1}, s) : x, group, s);
}
array sum_scatter(const array& x, std::optional<Group> group, StreamOrDevice s) {
  return joined("sum_scatter", x, group, s);
}

array send(const array& x, int dst, std::optional<Group> group, StreamOrDevice s) {
  return exchanged("send", x, dst, group, s);
}
array recv(Shape shape, Dtype dtype, int src, std::optional<Group> group, StreamOrDevice s) {
  return exchanged("recv", zeros(shape, dtype, s), src, group, s);
}
array recv_like(const array& x, int src, std::optional<Group> group, StreamOrDevice s) {
  return exchanged("recv", x, src, group, s);
}

}  // namespace frit::distributed
