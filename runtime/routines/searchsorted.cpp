// The routine "searchsorted" on the CPU: a binary search for each value.
#include <algorithm>

#include "runtime/routines/order.h"
#include "runtime/routines/routine.h"

namespace frit::runtime::routines {
namespace {

// Values below which another thread does not pay.
constexpr int64_t kWorthwhile = 512;

int64_t offset_of(const LibraryTensor& t, int64_t element) {
  int64_t at = 0;
  for (size_t axis = t.shape.size(); axis-- > 0;) {
    at += element % t.shape[axis] * t.strides[axis];
    element /= t.shape[axis];
  }
  return at;
}

// Of the first element of a row.
int64_t row_offset(const LibraryTensor& t, int64_t row) {
  int64_t at = 0;
  for (size_t axis = t.shape.size() - 1; axis-- > 0;) {
    at += row % t.shape[axis] * t.strides[axis];
    row /= t.shape[axis];
  }
  return at;
}

template <class O, bool kRight>
void search(const LibraryTensor& row, const LibraryTensor& values, const LibraryTensor& out) {
  using Bits = typename O::Bits;
  const int64_t step = row.strides.back(), n = row.shape.back();
  const int64_t count = element_count(values);
  int64_t each = count;  // values for one row
  for (size_t axis = 0; axis + 1 < row.shape.size() && count > 0; ++axis) each /= row.shape[axis];
  for_ranges(count, kWorthwhile, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto* const sorted = static_cast<const Bits*>(row.data) + row_offset(row, i / each);
      const Bits key = O::key(static_cast<const Bits*>(values.data)[offset_of(values, i)]);
      int64_t first = 0;
      for (int64_t left = n; left > 0;) {
        const int64_t half = left / 2;
        const Bits middle = O::key(sorted[(first + half) * step]);
        const bool before = kRight ? middle <= key : middle < key;
        first += before ? half + 1 : 0;
        left = before ? left - half - 1 : half;
      }
      static_cast<uint32_t*>(out.data)[offset_of(out, i)] = static_cast<uint32_t>(first);
    }
  });
}

Status searchsorted(const LibraryCall& call) {
  const bool fits =
      call.operands.size() == 2 && call.results.size() == 1 && !call.operands[0].shape.empty() &&
      call.operands[0].shape.size() <= call.operands[1].shape.size() + 1 &&
      std::equal(call.operands[0].shape.begin(), call.operands[0].shape.end() - 1, call.operands[1].shape.begin()) &&
      call.operands[0].dtype == call.operands[1].dtype && call.results[0].dtype == uint32 &&
      std::equal(call.operands[1].shape.begin(), call.operands[1].shape.end(), call.results[0].shape.begin(),
                 call.results[0].shape.end());
  if (!fits || call.operands[0].shape.back() > int64_t{~uint32_t{0}})
    return Diagnostic("op 'searchsorted' takes sorted rows of less than 2^32 elements and values of their type");
  const LibraryTensor &row = call.operands[0], &values = call.operands[1], &out = call.results[0];
  const bool right = Options(call).flag("right");
  with_order(row.dtype, [&](auto order) {
    using O = decltype(order);
    right ? search<O, true>(row, values, out) : search<O, false>(row, values, out);
  });
  return {};
}

const Registered registered("searchsorted", searchsorted);

}  // namespace
}  // namespace frit::runtime::routines
