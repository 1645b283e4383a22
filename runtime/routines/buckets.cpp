// The routine "buckets" on the CPU: counts of each number, their sums, then the positions in order.
#include <utility>
#include <vector>

#include "runtime/routines/routine.h"

namespace frit::runtime::routines {
namespace {

Status buckets(const LibraryCall& call) {
  const bool fits = call.operands.size() == 2 && call.results.size() == 3 && call.operands[0].shape.size() == 1 &&
                    (call.operands[0].dtype == int32 || call.operands[0].dtype == int64) &&
                    call.results[0].shape.size() == 1 && call.results[0].shape[0] == call.operands[0].shape[0] &&
                    call.results[1].shape.size() == 1 && call.results[2].shape.size() == 1 &&
                    call.results[1].shape[0] <= call.results[2].shape[0];
  for (const LibraryTensor& r : call.results)
    if (!fits || r.dtype != uint32)
      return Diagnostic("routine 'buckets' takes a row of i32 or i64 and gives rows of u32");
  const LibraryTensor& numbers = call.operands[0];
  const LibraryTensor &order = call.results[0], &starts = call.results[1], &counts = call.results[2];
  const int64_t n = numbers.shape[0], below = starts.shape[0];
  const auto place = [](const LibraryTensor& t, int64_t i) -> uint32_t& {
    return static_cast<uint32_t*>(t.data)[i * t.strides[0]];
  };
  const auto number_at = [&](int64_t i) {
    const int64_t at = i * numbers.strides[0];
    return numbers.dtype == int32 ? int64_t{static_cast<const int32_t*>(numbers.data)[at]}
                                  : static_cast<const int64_t*>(numbers.data)[at];
  };
  std::vector<uint32_t> count(static_cast<size_t>(below), 0);
  for (int64_t i = 0; i < n; ++i) {
    const int64_t number = number_at(i);
    if (number < 0 || number >= below) return Diagnostic("routine 'buckets' has a number past the last one");
    ++count[static_cast<size_t>(number)];
  }
  uint32_t start = 0;
  for (int64_t d = 0; d < below; ++d) {
    uint32_t& next = count[static_cast<size_t>(d)];
    place(starts, d) = start;
    place(counts, d) = next;
    start += std::exchange(next, start);
  }
  for (int64_t i = 0; i < n; ++i) place(order, count[static_cast<size_t>(number_at(i))]++) = static_cast<uint32_t>(i);
  return {};
}

const Registered registered("buckets", buckets);

}  // namespace
}  // namespace frit::runtime::routines
