// Places of blocks in one piece of memory, where the time that each is needed is known.
#pragma once

#include <cstddef>
#include <vector>

namespace frit::runtime {

// A block of `bytes` that is needed at the times from `first` to `last`, and its place: the first byte.
struct TimedBlock {
  size_t bytes;
  size_t first, last;  // first > last: never
  size_t at = 0;

  bool is_needed() const { return first <= last && bytes != 0; }
  bool meets(const TimedBlock& other) const { return first <= other.last && other.first <= last; }
};

// Gives each block a place at a multiple of `align`, apart from those that are needed meanwhile, and returns the bytes
// in all. The least number is hard to find; several orders of placing are tried, more of them for few blocks.
size_t place_blocks(std::vector<TimedBlock>& blocks, size_t align);

}  // namespace frit::runtime
