// A plan's steps on a Vulkan device: one submission per run, which is not waited for.
//
// A run first lists what it launches, with all addresses and sizes. Commands that were recorded for an equal list are
// submitted again; freed memory goes to the next request of its size, so that calls in a row see the same addresses.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "runtime/vulkan/device.h"
#include "runtime/vulkan/launch.h"

namespace frit::runtime::vulkan {

class Program : public DeviceCode {
 public:
  Program(Device& device, GpuCode code);

  // Checks that each step has its shader, and copies the constants to the device.
  Status prepare(const Plan& plan);
  Status run(const PreparedPlan& plan, std::span<const Tensor> inputs, std::span<const bool> donated,
             std::span<Tensor> results) const override;

  // For runs of it (runtime/vulkan/call.h).
  Device& device() const { return device_; }
  Shader& shader(const std::string& kernel) const { return *shaders_.at(kernel); }
  // The shaders of a library step, in the order in which they are tried; none where the CPU computes it.
  std::span<Shader* const> forms(size_t step) const {
    const auto found = forms_.find(step);
    return found == forms_.end() ? std::span<Shader* const>() : std::span<Shader* const>(found->second);
  }
  // The kernel of PTX that may be launched in the place of a kernel's shader, or null.
  Shader* stand_in(const std::string& kernel) const {
    const auto found = stand_ins_.find(kernel);
    return found == stand_ins_.end() ? nullptr : found->second;
  }
  // Whether a later routine's shader may compute the kernel's result itself.
  bool waits(size_t step) const { return waiting_.contains(step); }
  const std::shared_ptr<Buffer>& constant(size_t buffer) const { return constants_[buffer]; }
  Status submit(LaunchList&& launches, std::span<Track* const> reads, std::span<Track* const> writes) const;

 private:
  static constexpr size_t kRecordings = 4;

  Status check_forms(const LibraryPlan& step, size_t number) const;
  bool is_here(const Tensor& t) const;
  // The same program on the device that took the place of one that was lost.
  Result<std::shared_ptr<Program>> successor(const Plan& plan) const;
  // Commands for the launches: recorded before, or now.
  Result<RecordingPtr> commands_for(LaunchList&& launches) const;
  Result<std::vector<Block>> argument_blocks(const LaunchList& launches) const;
  void record(const Recording& r, const LaunchList& list) const;
  // One run of the launches; `again`: after another one.
  void record_run(const Recording& r, const LaunchList& list, bool again) const;
  void stamp(const Recording& r, uint32_t number) const;
  void launch_ptx(const Recording& r, const LaunchList& list, const LaunchRecord& l) const;

  Device& device_;
  std::map<std::string, std::unique_ptr<Shader>> shaders_;
  std::map<std::string, Shader*> stand_ins_;
  std::map<size_t, std::vector<Shader*>> forms_;
  std::set<size_t> waiting_;
  std::vector<std::shared_ptr<Buffer>> constants_;
  mutable std::mutex recordings_mutex_, successor_mutex_;
  mutable std::shared_ptr<Program> successor_;
  mutable std::array<RecordingPtr, kRecordings> recordings_;
  mutable size_t next_ = 0;
};

}  // namespace frit::runtime::vulkan
