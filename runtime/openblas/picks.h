// Lists of positions of a call: which pairs of matrices share one.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/execute/library.h"

namespace frit::runtime::openblas {

// The matrix of a stack of `count` that each element of a list names: a negative position counts from the end, and one
// outside means the nearest end.
std::vector<int64_t> picks_of(const LibraryTensor& list, int64_t count);

// Pairs by the matrix that they pick, in ascending order of both.
class Groups {
 public:
  Groups(const std::vector<int64_t>& picks, int64_t count);

  struct Group {
    int64_t matrix, first, last;  // members are pair(first) up to pair(last), without it
  };
  const std::vector<Group>& all() const { return groups_; }  // those that have pairs
  int64_t pair(int64_t place) const { return order_[static_cast<size_t>(place)]; }

 private:
  std::vector<int64_t> order_;
  std::vector<Group> groups_;
};

}  // namespace frit::runtime::openblas
