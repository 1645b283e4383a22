// Exchange of arrays between processes, in namespace frit::distributed, with the names, argument order and defaults of
// MLX. The declarations of the functions are written from frontend/api.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "frit/array.h"
#include "frit/stream.h"

namespace frit {

namespace distributed {
namespace detail {
class GroupImpl;
}  // namespace detail

// Processes that exchange arrays. Copies are the same group.
struct Group {
  explicit Group(std::shared_ptr<detail::GroupImpl> group) : group_(std::move(group)) {}

  // The number of this process, from 0 to size() - 1.
  int rank() const;
  int size() const;
  // The processes of this group that gave the same color, in the order of their keys; a negative key is the rank.
  // Every process of this group must call it. Throws RuntimeError for a group of one.
  Group split(int color, int key = -1) const;
  const std::shared_ptr<detail::GroupImpl>& raw_group() const { return group_; }

 private:
  std::shared_ptr<detail::GroupImpl> group_;
};

// Exchange by functions of the caller: takes (bytes of this process, bytes of all processes, how many of this process).
using AllGatherFn = std::function<void(const char*, char*, size_t)>;
// Makes one for (rank, size).
using AllGatherFactory = std::function<AllGatherFn(int, int)>;
}  // namespace distributed

// ---- Written from frontend/api: distributed

namespace distributed {
// Whether a group of several processes can be had, by any backend or by the named one. frit has the backend "mpi", over
// Open MPI.
bool is_available();
bool is_available(const std::string& bk);

// All processes of the program. The first call starts the backend; further calls return the same group. Where the
// backend cannot be had, the group has this process alone. With "any", MPI is started where the process was started by
// mpirun.
// Throws RuntimeError where `strict` is true and the backend cannot be had, InvalidArgument when no backend has the
// name.
Group init(bool strict = false, const std::string& bk = "any");
// With a factory of the caller's exchange, for the backend "jaccl", which frit does not have.
Group init(bool strict, const std::string& bk, AllGatherFactory factory);

// Forgets the groups that `init` returned, so that the next call looks for a backend again. Groups in use stay as they
// are.
void clear_backends();

// The sum of `x` over the processes, in each of them. Without a group: over all processes, as `init()` gives them.
// Shape: that of `x`, the same in every process.
// Types: any; of bools whether any is true.
// Algorithm: the backend's; a group of one returns `x`. The vjp passes the cotangent on, as each process has a loss of
// its own.
array all_sum(const array& x, std::optional<Group> group = std::nullopt, StreamOrDevice s = {});

// The largest `x` among the processes, element by element.
// Shape: that of `x`, the same in every process.
// Types: any but complex64.
array all_max(const array& x, std::optional<Group> group = std::nullopt, StreamOrDevice s = {});

// The smallest `x` among the processes, element by element.
// Shape: that of `x`, the same in every process.
// Types: any but complex64.
array all_min(const array& x, std::optional<Group> group = std::nullopt, StreamOrDevice s = {});

// The `x` of every process, joined along the first axis.
// Shape: that of `x` with the first axis as many times as there are processes; without an axis, one element for each.
// Types: any.
array all_gather(const array& x, std::optional<Group> group = std::nullopt, StreamOrDevice s = {});

// This process's part of the sum of `x` over the processes. Part i of the first axis is for process i.
// Shape: that of `x` with the first axis divided by the number of processes.
// Types: any.
// Throws InvalidArgument when the first axis is no multiple of the number of processes.
array sum_scatter(const array& x, std::optional<Group> group = std::nullopt, StreamOrDevice s = {});

// `x`, once it is sent to process `dst`. The array must be evaluated for the exchange to happen.
// Types: any.
// Throws InvalidArgument for a group of one process, and when there is no such process.
array send(const array& x, int dst, std::optional<Group> group = std::nullopt, StreamOrDevice s = {});

// The array that process `src` sends, which must have this shape and type.
// Throws InvalidArgument for a group of one process, and when there is no such process.
array recv(Shape shape, Dtype dtype, int src, std::optional<Group> group = std::nullopt, StreamOrDevice s = {});

// The array that process `src` sends, of the shape and type of `x`.
// Throws as `recv` does.
array recv_like(const array& x, int src, std::optional<Group> group = std::nullopt, StreamOrDevice s = {});

}  // namespace distributed

// ---- End of frontend/api: distributed

}  // namespace frit
