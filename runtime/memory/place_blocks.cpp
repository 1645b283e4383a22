// Orders of placing blocks, each in the smallest or the first gap between those that are in use meanwhile.
#include "runtime/memory/place_blocks.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "runtime/memory/round_up.h"

namespace frit::runtime {
namespace {

// The time of one order grows with the square of the number of blocks.
constexpr size_t kMostTried = 128;

class Placing {
 public:
  Placing(std::vector<TimedBlock>& blocks, size_t align) : blocks_(blocks), align_(align) {
    for (size_t i = 0; i < blocks.size(); ++i)
      if (blocks[i].is_needed()) needed_.push_back(i);
    find_loads();
  }

  size_t run() {
    std::vector<size_t> best;
    size_t least = SIZE_MAX;
    const auto attempt = [&](bool smallest_gap, auto&& rank) {
      if (least == most_load_) return;
      std::stable_sort(needed_.begin(), needed_.end(), [&](size_t a, size_t b) { return rank(a) > rank(b); });
      const size_t total = place(smallest_gap);
      if (total >= least) return;
      least = total;
      best.clear();
      for (const TimedBlock& b : blocks_) best.push_back(b.at);
    };
    // Blocks of one rank keep the order of the rank before.
    const auto bytes = [&](size_t i) { return blocks_[i].bytes; };
    attempt(true, bytes);
    if (needed_.size() <= kMostTried)
      for (const bool smallest_gap : {true, false}) {
        attempt(smallest_gap, bytes);
        attempt(smallest_gap, [&](size_t i) { return loads_[i]; });
        attempt(smallest_gap, [&](size_t i) { return blocks_[i].last - blocks_[i].first; });
        attempt(smallest_gap, [&](size_t i) { return SIZE_MAX - blocks_[i].first; });
        attempt(smallest_gap, [&](size_t i) { return blocks_[i].last; });
      }
    for (size_t i = 0; i < best.size(); ++i) blocks_[i].at = best[i];
    return best.empty() ? 0 : least;
  }

 private:
  size_t end_of(const TimedBlock& b) const { return b.at + round_up(b.bytes, align_); }

  // The bytes that are needed at once, at most while each block is. No placing has less in all than the most of them.
  void find_loads() {
    std::vector<size_t> begins;
    for (size_t i : needed_) begins.push_back(blocks_[i].first);
    std::sort(begins.begin(), begins.end());
    begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
    std::vector<size_t> at(begins.size(), 0);
    const auto each = [&](const TimedBlock& b, auto&& visit) {
      const auto from = std::lower_bound(begins.begin(), begins.end(), b.first);
      for (auto time = from; time != begins.end() && *time <= b.last; ++time)
        visit(at[static_cast<size_t>(time - begins.begin())]);
    };
    for (size_t i : needed_) each(blocks_[i], [&](size_t& load) { load += round_up(blocks_[i].bytes, align_); });
    loads_.resize(blocks_.size(), 0);
    for (size_t i : needed_) each(blocks_[i], [&](size_t& load) { loads_[i] = std::max(loads_[i], load); });
    most_load_ = at.empty() ? 0 : *std::max_element(at.begin(), at.end());
  }

  size_t place(bool smallest_gap) {
    size_t total = 0;
    std::vector<size_t> beside;
    for (size_t i = 0; i < needed_.size(); ++i) {
      TimedBlock& block = blocks_[needed_[i]];
      beside.clear();
      for (size_t k = 0; k < i; ++k)
        if (blocks_[needed_[k]].meets(block)) beside.push_back(needed_[k]);
      std::sort(beside.begin(), beside.end(), [&](size_t a, size_t b) { return blocks_[a].at < blocks_[b].at; });
      size_t at = 0, best = SIZE_MAX, least = SIZE_MAX;
      for (size_t other : beside) {
        const size_t begin = blocks_[other].at;
        if (begin >= at && begin - at >= block.bytes && (smallest_gap ? begin - at < least : best == SIZE_MAX))
          least = begin - at, best = at;
        at = std::max(at, end_of(blocks_[other]));
      }
      block.at = best == SIZE_MAX ? at : best;
      total = std::max(total, end_of(block));
    }
    return total;
  }

  std::vector<TimedBlock>& blocks_;
  const size_t align_;
  std::vector<size_t> needed_, loads_;
  size_t most_load_ = 0;
};

}  // namespace

size_t place_blocks(std::vector<TimedBlock>& blocks, size_t align) { return Placing(blocks, align).run(); }

}  // namespace frit::runtime
