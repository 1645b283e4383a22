// Timestamps of submissions: as times of steps for the thread that asks, and as spans of the queue for observers.
#include <algorithm>

#include "ir/base/per_thread.h"
#include "runtime/execute/observe.h"
#include "runtime/vulkan/device.h"

namespace frit::runtime::vulkan {

namespace {

// The last submission of the thread that has times.
struct Last {
  const Device* device = nullptr;
  RecordingPtr recording;
  uint64_t value = 0;
};

}  // namespace

GpuTimes Device::timed() const {
  if (!timestamp_mask_) return GpuTimes::None;
  return observed() ? GpuTimes::Steps : keeps_times_.load(std::memory_order_relaxed);
}

void Device::keep_for_times(const RecordingPtr& r, uint64_t value, int64_t submitted_ns) {
  if (r->times != GpuTimes::None)
    PerThread<Last>::get() = {this, r, value};
  else if (!r->launches.launches.empty())
    PerThread<Last>::get() = {};  // a program's, not a copy's
  if (!r->claimed.load(std::memory_order_relaxed)) return;
  {
    const std::lock_guard lock(watched_mutex_);
    watched_.push_back({r, value, submitted_ns});
  }
  observe({.kind = "memory",
           .name = "gpu memory",
           .begin_ns = submitted_ns,
           .counter = true,
           .value = static_cast<double>(device_memory_.stats().active)});
  tell_spans();
}

std::vector<int64_t> Device::read_ticks(const Recording& r) const {
  std::vector<uint64_t> ticks(r.stamps());
  if (api_.GetQueryPoolResults(device_, r.queries, 0, static_cast<uint32_t>(ticks.size()), ticks.size() * 8,
                               ticks.data(), 8, VK_QUERY_RESULT_64_BIT) != VK_SUCCESS)
    return {};
  std::vector<int64_t> ns;
  // The counter wraps around, a run of one submission does not.
  for (const uint64_t t : ticks)
    ns.push_back(static_cast<int64_t>(static_cast<double>((t - ticks[0]) & timestamp_mask_) * nanoseconds_per_tick_));
  ns.push_back(static_cast<int64_t>(static_cast<double>(ticks[0] & timestamp_mask_) * nanoseconds_per_tick_));
  return ns;
}

std::vector<GpuTime> Device::last_times() const {
  std::vector<GpuTime> times;
  const Last& last = PerThread<Last>::get();
  if (!last.recording || last.device != this) return times;
  const Recording& r = *last.recording;
  if (!const_cast<Device*>(this)->wait(r.queue, last.value).ok()) return times;
  const std::vector<int64_t> ns = read_ticks(r);
  const double runs = r.times == GpuTimes::Share ? kRunsOfShare : 1;
  for (size_t i = 0; i + 2 < ns.size(); ++i)
    times.push_back(
        {r.times == GpuTimes::Steps ? r.steps[i] : "all", static_cast<double>(ns[i + 1] - ns[i]) * 1e-6 / runs});
  return times;
}

void Device::tell_spans() {
  std::vector<Watched> ended;
  {
    const std::lock_guard lock(watched_mutex_);
    const auto gone = std::stable_partition(watched_.begin(), watched_.end(), [&](const Watched& w) {
      return !queues_[w.recording->queue].is_done(w.value);
    });
    std::move(gone, watched_.end(), std::back_inserter(ended));
    watched_.erase(gone, watched_.end());
  }
  for (const Watched& w : ended) {
    const Recording& r = *w.recording;
    const std::vector<int64_t> ns = read_ticks(r);
    if (!ns.empty()) {
      const int64_t begin =
          ns.back() + host_minus_device(w.submitted_ns - ns.back(), now_ns() - ns.back() - ns.end()[-2]);
      const std::string track = "gpu queue " + std::to_string(r.queue);
      constexpr std::string_view kPrefix = "kernel @";
      for (size_t i = 0; i + 2 < ns.size(); ++i)
        observe({.kind = "kernel",
                 .name = std::string_view(r.steps[i]).substr(r.steps[i].starts_with(kPrefix) ? kPrefix.size() : 0),
                 .begin_ns = begin + ns[i],
                 .end_ns = begin + std::max(ns[i + 1], ns[i] + 1),
                 .details = "\"step\":" + std::to_string(r.numbers[i]),
                 .track = track});
    }
    w.recording->claimed.store(false, std::memory_order_release);
  }
}

// No step begins before its submission, and none ends after it was seen to have ended. The bounds of many submissions
// place the device's clock to a few microseconds.
int64_t Device::host_minus_device(int64_t least, int64_t most) {
  const std::lock_guard lock(watched_mutex_);
  least_offset_ = std::max(least_offset_, least);
  most_offset_ = std::min(most_offset_, most);
  if (least_offset_ > most_offset_) least_offset_ = least, most_offset_ = most;  // the clocks drift
  return least_offset_;
}

}  // namespace frit::runtime::vulkan
