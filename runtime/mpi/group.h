// Groups of processes that exchange arrays, and the table of the groups that compiled code names by number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "ir/base/dtype.h"
#include "ir/base/result.h"

namespace frit::runtime {

enum class Combination : uint8_t { Sum, Max, Min };

// One process's membership in a group. Every member calls the same functions in the same order; a call returns once
// this process may go on. Buffers are dense, and `in` and `out` do not overlap. Threads may call at once.
class ProcessGroup {
 public:
  virtual ~ProcessGroup() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // The members that gave the same color, ordered by `key`.
  virtual Result<std::shared_ptr<ProcessGroup>> split(int color, int key) = 0;
  // The elements of all members combined in rank order of the implementation's choice; bool combines with or, or, and.
  virtual Status all_reduce(Combination how, Dtype dtype, const void* in, void* out, int64_t count) = 0;
  // The `bytes` of every member, one after the other by rank.
  virtual Status all_gather(const void* in, void* out, int64_t bytes) = 0;
  // This member's part of the sum: `count` elements out of size() times as many.
  virtual Status sum_scatter(Dtype dtype, const void* in, void* out, int64_t count) = 0;
  virtual Status send(const void* data, int64_t bytes, int to) = 0;
  virtual Status receive(void* data, int64_t bytes, int from) = 0;
};
using ProcessGroupPtr = std::shared_ptr<ProcessGroup>;

// Numbers count up from 1 in the order of registration, which is the same in every process of a program. A group stays
// registered while code may name it, that is, for the life of the process.
int64_t register_group(ProcessGroupPtr group);
// Null where no group has the number.
ProcessGroupPtr find_group(int64_t number);

// Whether Open MPI can be opened on this machine.
bool has_mpi();
// Whether this process was started by mpirun or by another starter that Open MPI knows.
bool started_by_mpi();
// All processes of the program. Starts MPI on the first call; it is ended when the process exits.
Result<ProcessGroupPtr> mpi_world();

}  // namespace frit::runtime
