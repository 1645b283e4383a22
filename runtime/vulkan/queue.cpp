// Submits recordings to a queue and follows its timeline.
#include "runtime/vulkan/queue.h"

#include <algorithm>
#include <chrono>

namespace frit::runtime::vulkan {

namespace {

using Clock = std::chrono::steady_clock;

// A wait for short work spins: sleeping and waking take longer than the work.
constexpr std::chrono::microseconds kAwake{50};

}  // namespace

VkResult Queue::open(const Api* api, VkDevice device, VkQueue queue) {
  api_ = api;
  device_ = device;
  queue_ = queue;
  VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
  info.pNext = &type;
  return api_->CreateSemaphore(device_, &info, nullptr, &timeline_);
}

VkResult Queue::submit(const RecordingPtr& recording, size_t self, std::span<const VkSemaphore> semaphores,
                       std::span<const uint64_t> before, std::span<Track* const> reads, std::span<Track* const> writes,
                       uint64_t& value) {
  static constexpr VkPipelineStageFlags kStages[kQueues] = {
      VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
      VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
      VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
      VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT};
  VkTimelineSemaphoreSubmitInfo values{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
  values.waitSemaphoreValueCount = static_cast<uint32_t>(before.size());
  values.pWaitSemaphoreValues = before.data();
  values.signalSemaphoreValueCount = 1;
  VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  info.pNext = &values;
  info.waitSemaphoreCount = static_cast<uint32_t>(semaphores.size());
  info.pWaitSemaphores = semaphores.data();
  info.pWaitDstStageMask = kStages;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &recording->commands;
  info.signalSemaphoreCount = 1;
  info.pSignalSemaphores = &timeline_;

  std::vector<RecordingPtr> ended;  // goes after the lock
  std::lock_guard lock(mutex_);
  value = submitted_.load(std::memory_order_relaxed) + 1;
  values.pSignalSemaphoreValues = &value;
  if (VkResult r = api_->QueueSubmit(queue_, 1, &info, VK_NULL_HANDLE); r != VK_SUCCESS) return r;
  submitted_.store(value, std::memory_order_release);
  for (Track* t : reads) t->used[self].store(value, std::memory_order_release);
  for (Track* t : writes) {
    t->used[self].store(value, std::memory_order_release);
    t->written.store(value * kQueues + self, std::memory_order_release);
  }
  while (!pending_.empty() && is_done(pending_.front().first)) {
    ended.push_back(std::move(pending_.front().second));
    pending_.pop_front();
  }
  pending_.emplace_back(value, recording);
  return VK_SUCCESS;
}

uint64_t Queue::look() {
  uint64_t now = 0;
  if (api_->GetSemaphoreCounterValue(device_, timeline_, &now) != VK_SUCCESS)
    return done_.load(std::memory_order_relaxed);
  uint64_t known = done_.load(std::memory_order_relaxed);
  while (known < now && !done_.compare_exchange_weak(known, now, std::memory_order_acq_rel)) {
  }
  return std::max(known, now);
}

VkResult Queue::wait(uint64_t value, double seconds) {
  if (is_done(value)) return VK_SUCCESS;
  for (const auto until = Clock::now() + kAwake; Clock::now() < until;)
    if (look() >= value) return VK_SUCCESS;
  VkSemaphoreWaitInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
  info.semaphoreCount = 1;
  info.pSemaphores = &timeline_;
  info.pValues = &value;
  // The time is that of one submission, and many may be before this one.
  for (uint64_t before = look(); before < value;) {
    const VkResult r = api_->WaitSemaphores(device_, &info, static_cast<uint64_t>(seconds * 1e9));
    if (r != VK_SUCCESS && r != VK_TIMEOUT) return r;
    const uint64_t now = look();
    if (now == before) return r == VK_SUCCESS ? VK_ERROR_DEVICE_LOST : VK_TIMEOUT;
    before = now;
  }
  return VK_SUCCESS;
}

RecordingPtr Queue::running() {
  const uint64_t done = look();
  std::lock_guard lock(mutex_);
  for (const auto& [value, recording] : pending_)
    if (value > done) return recording;
  return nullptr;
}

}  // namespace frit::runtime::vulkan
