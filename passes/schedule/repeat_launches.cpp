// Which launches run again, and before which step.
#include "passes/schedule/repeat_launches.h"

#include <algorithm>
#include <optional>

#include "ir/kernel/row_stream.h"
#include "passes/schedule/in_place.h"

namespace frit::passes {

using namespace ir;

namespace {

// Launches that run again, at most; and the least part of the memory in use that one may free.
constexpr int kMostLaunches = 64;
constexpr int64_t kLeastPart = 64;

class Repeats {
 public:
  explicit Repeats(Program& p) : p_(p) {}

  // Makes one launch run again; false if none is worth it.
  bool next() {
    lives_ = buffer_lives(p_);
    // Steps of streams follow each other, and so they do in loops.
    once_ = outside_of_loops(p_);
    for (const RowStream& s : row_streams(p_))
      std::fill_n(once_.begin() + static_cast<std::ptrdiff_t>(s.first), s.last - s.first + 1, false);
    collect();
    const int64_t peak = in_use_.empty() ? 0 : *std::max_element(in_use_.begin(), in_use_.end());
    std::optional<Gap> best;
    for (uint32_t b = 0; b < p_.buffers.size(); ++b) {
      const auto gap = largest_gap(b, peak);
      if (gap && (!best || gap->bytes > best->bytes)) best = gap;
    }
    if (best) repeat(*best);
    return best.has_value();
  }

 private:
  struct Gap {
    uint32_t buffer;
    size_t maker, reader;  // the launch, and the step before which it runs again
    int64_t bytes;
  };

  static int64_t bytes_of(const ProgramBuffer& b) {
    return b.size.is_const() ? b.size.value() * int64_t{b.dtype.size()} : 0;
  }

  // The steps that use each buffer, and the bytes of temporaries and outputs in use at each step.
  void collect() {
    uses_.assign(p_.buffers.size(), {});
    in_use_.assign(p_.steps.size(), 0);
    for (size_t i = 0; i < p_.steps.size(); ++i)
      each_buffer(p_.steps[i], [&](uint32_t b) {
        std::vector<size_t>& uses = uses_[p_.root(b)];
        if (uses.empty() || uses.back() != i) uses.push_back(i);
      });
    for (uint32_t b = 0; b < p_.buffers.size(); ++b) {
      const BufferRole role = p_.buffers[b].role;
      if ((role != BufferRole::Temp && role != BufferRole::Output) || !lives_[b].used) continue;
      for (size_t i = lives_[b].first; i <= lives_[b].last; ++i) in_use_[i] += bytes_of(p_.buffers[b]);
    }
  }

  // The end of a loop writes the buffers that it exchanges.
  bool writes(size_t step, uint32_t buffer) const {
    const auto by = [&](const KernelStep& s) {
      for (size_t i = 0; i < s.buffers.size(); ++i)
        if (p_.root(s.buffers[i]) == buffer && p_.kernels[s.kernel].buffers[i].written) return true;
      return false;
    };
    if (const auto* launch = std::get_if<KernelStep>(&p_.steps[step])) return by(*launch);
    if (const auto* control = std::get_if<ControlStep>(&p_.steps[step]))
      return std::any_of(control->swaps.begin(), control->swaps.end(), [&](const auto& swap) {
        return p_.root(swap.first) == buffer || p_.root(swap.second) == buffer;
      });
    const auto* library = std::get_if<LibraryStep>(&p_.steps[step]);
    return library && (library->workspace == buffer || (library->epilogue && by(*library->epilogue)) ||
                       std::any_of(library->results.begin(), library->results.end(),
                                   [&](const Window& w) { return p_.root(w.buffer) == buffer; }));
  }

  // Whether the launch gives this buffer alone, from fewer bytes, with an operation for each element at most.
  bool is_cheap(const KernelStep& launch, uint32_t buffer) const {
    const Kernel& k = p_.kernels[launch.kernel];
    for (size_t i = 0; i < launch.buffers.size(); ++i)
      if (k.buffers[i].written && (launch.buffers[i] != buffer || k.buffers[i].read)) return false;
    const KernelCost c = cost(k);
    return c.bytes_read.is_const() && c.bytes_written.is_const() && c.flops.is_const() &&
           c.bytes_read.value() <= c.bytes_written.value() && c.flops.value() <= c.bytes_written.value() / 2;
  }

  // Whether the operands of the launch are as they were, and in memory, when `reader` runs.
  bool is_there(const KernelStep& launch, size_t maker, size_t reader, uint32_t buffer) const {
    return std::all_of(launch.buffers.begin(), launch.buffers.end(), [&](uint32_t b) {
      const uint32_t root = p_.root(b);
      if (b == buffer) return true;
      if (root != b) return false;
      if (lives_[b].last < reader) return is_kept(b);
      return std::none_of(uses_[b].begin(), uses_[b].end(),
                          [&](size_t i) { return i > maker && i <= reader && writes(i, b); });
    });
  }

  // Whether a buffer is in memory during the whole call: no output may take its place.
  bool is_kept(uint32_t buffer) const {
    const ProgramBuffer& b = p_.buffers[buffer];
    if (b.role != BufferRole::Input) return b.role == BufferRole::Constant;
    return std::none_of(p_.buffers.begin(), p_.buffers.end(), [&](const ProgramBuffer& o) {
      return o.role == BufferRole::Output && o.size == b.size && o.dtype.size() == b.dtype.size();
    });
  }

  // The gap between two uses of a temporary in which the program needs most memory.
  std::optional<Gap> largest_gap(uint32_t b, int64_t peak) const {
    const ProgramBuffer& t = p_.buffers[b];
    const std::vector<size_t>& uses = uses_[b];
    if (t.role != BufferRole::Temp || uses.size() < 3 || bytes_of(t) * kLeastPart < peak) return std::nullopt;
    const auto* launch = std::get_if<KernelStep>(&p_.steps[uses[0]]);
    if (!launch || !once_[uses[0]] || lives_[b].first != uses[0] || lives_[b].last != uses.back() ||
        !is_cheap(*launch, b))
      return std::nullopt;
    for (size_t i = 1; i < uses.size(); ++i) {
      if (writes(uses[i], b) || !once_[uses[i]]) return std::nullopt;
      if (i < 2) continue;
      const auto begin = in_use_.begin() + static_cast<std::ptrdiff_t>(uses[i - 1]) + 1,
                 end = in_use_.begin() + static_cast<std::ptrdiff_t>(uses[i]);
      if (begin < end && *std::max_element(begin, end) == peak && is_there(*launch, uses[0], uses[i], b))
        return Gap{b, uses[0], uses[i], bytes_of(t)};
    }
    return std::nullopt;
  }

  void repeat(const Gap& gap) {
    const auto fresh = static_cast<uint32_t>(p_.buffers.size());
    ProgramBuffer again = p_.buffers[gap.buffer];
    again.name += "_again";
    while (
        std::any_of(p_.buffers.begin(), p_.buffers.end(), [&](const ProgramBuffer& b) { return b.name == again.name; }))
      again.name += "_";
    p_.buffers.push_back(std::move(again));
    for (size_t i = gap.reader; i < p_.steps.size(); ++i)
      each_buffer(p_.steps[i], [&](uint32_t& b) { b = b == gap.buffer ? fresh : b; });
    KernelStep launch = std::get<KernelStep>(p_.steps[gap.maker]);
    std::replace(launch.buffers.begin(), launch.buffers.end(), gap.buffer, fresh);
    p_.steps.insert(p_.steps.begin() + static_cast<std::ptrdiff_t>(gap.reader), std::move(launch));
  }

  Program& p_;
  std::vector<BufferLife> lives_;
  std::vector<bool> once_;                 // steps that may have a launch before them
  std::vector<std::vector<size_t>> uses_;  // by buffer
  std::vector<int64_t> in_use_;            // by step
};

}  // namespace

void repeat_cheap_launches(Program& p) {
  Repeats repeats(p);
  for (int i = 0; i < kMostLaunches && repeats.next(); ++i) {
  }
}

}  // namespace frit::passes
