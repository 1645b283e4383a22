// Lists of positions of a call: which pairs of matrices share one.
#include "runtime/openblas/picks.h"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace frit::runtime::openblas {
namespace {

template <class T>
std::vector<int64_t> read(const LibraryTensor& list, int64_t count) {
  std::vector<int64_t> out(static_cast<size_t>(list.shape[0]));
  const T* at = static_cast<const T*>(list.data);
  for (int64_t& to : out) {
    const T value = *at;
    at += list.strides[0];
    int64_t position;
    if constexpr (std::is_signed_v<T>)
      position = value < 0 ? int64_t{value} + count : int64_t{value};
    else
      position = static_cast<int64_t>(std::min<uint64_t>(value, std::numeric_limits<int64_t>::max()));
    to = std::clamp<int64_t>(position, 0, std::max<int64_t>(count - 1, 0));
  }
  return out;
}

}  // namespace

std::vector<int64_t> picks_of(const LibraryTensor& list, int64_t count) {
  const bool negative = is_signed_int(list.dtype);
  switch (list.dtype.size()) {
    case 1: return negative ? read<int8_t>(list, count) : read<uint8_t>(list, count);
    case 2: return negative ? read<int16_t>(list, count) : read<uint16_t>(list, count);
    case 4: return negative ? read<int32_t>(list, count) : read<uint32_t>(list, count);
    default: return negative ? read<int64_t>(list, count) : read<uint64_t>(list, count);
  }
}

Groups::Groups(const std::vector<int64_t>& picks, int64_t count) {
  const auto pairs = static_cast<int64_t>(picks.size());
  order_.resize(picks.size());
  // Few pairs of many matrices are sorted: counting would look at each matrix.
  if (count > 8 * pairs + 64) {
    for (int64_t i = 0; i < pairs; ++i) order_[static_cast<size_t>(i)] = i;
    std::stable_sort(order_.begin(), order_.end(), [&](int64_t x, int64_t y) {
      return picks[static_cast<size_t>(x)] < picks[static_cast<size_t>(y)];
    });
  } else {
    std::vector<int64_t> next(static_cast<size_t>(count) + 1, 0);
    for (const int64_t p : picks) ++next[static_cast<size_t>(p) + 1];
    for (size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
    for (int64_t i = 0; i < pairs; ++i)
      order_[static_cast<size_t>(next[static_cast<size_t>(picks[static_cast<size_t>(i)])]++)] = i;
  }
  for (int64_t i = 0; i < pairs; ++i) {
    const int64_t matrix = picks[static_cast<size_t>(pair(i))];
    if (groups_.empty() || groups_.back().matrix != matrix) groups_.push_back({matrix, i, i});
    groups_.back().last = i + 1;
  }
}

}  // namespace frit::runtime::openblas
