// Positions by the number that lies there: the routine that groups a scatter's updates by their destinations.
//
// Operands: numbers, i32 or i64 [n], and zeros, u32 [d + kSpareCounts]. Results: the positions of equal numbers in
// ascending order, behind one another, u32 [n]; where those of each number begin, u32 [d], and how many there are, u32
// [d + kSpareCounts]. Groups lie in any order. The counts may lie in the memory of the zeros, where devices add them
// up. The spare elements are undefined afterwards, as is the beginning of an empty group.
#include "ir/routines/buckets.h"

#include "ir/routines/cost.h"
#include "ir/routines/routine.h"

namespace frit::ir {
namespace {

// A position is looked at once.
std::optional<Dim> positions(const RoutineLayouts& call) { return cost::leading(call.operands[0].shape, 0); }

Status group(const ReferenceCall& call) {
  const HostWindow& numbers = call.operands[0];
  const HostWindow &order = call.results[0], &starts = call.results[1], &counts = call.results[2];
  const auto at = [](const HostWindow& w, int64_t i) { return w.offset + i * w.strides[0]; };
  const int64_t n = numbers.shape[0], below = starts.shape[0];
  std::vector<std::vector<int64_t>> groups(static_cast<size_t>(below));
  for (int64_t i = 0; i < n; ++i) {
    const uint64_t number = numbers.bits(at(numbers, i));
    if (number >= static_cast<uint64_t>(below)) return Diagnostic("routine 'buckets' has a number past the last one");
    groups[number].push_back(i);
  }
  int64_t to = 0;
  for (int64_t d = 0; d < below; ++d) {
    const std::vector<int64_t>& members = groups[static_cast<size_t>(d)];
    starts.set_bits(at(starts, d), static_cast<uint64_t>(to));
    counts.set_bits(at(counts, d), members.size());
    for (const int64_t i : members) order.set_bits(at(order, to++), static_cast<uint64_t>(i));
  }
  return {};
}

constinit const Routine kBuckets{
    .name = "buckets", .operands = 2, .results = 3, .reference = group, .determined = 0b100, .flops = positions};

const RegisterRoutine buckets_record(kBuckets);

}  // namespace
}  // namespace frit::ir
