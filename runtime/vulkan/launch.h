// Shaders of a program, and lists of their launches.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "runtime/execute/gpu.h"
#include "runtime/vulkan/api.h"

namespace frit::runtime::vulkan {

class Device;

// A shader that the driver has taken: one of the two.
struct Made {
  VkPipeline pipeline = VK_NULL_HANDLE;
  VkCuFunctionNVX function = VK_NULL_HANDLE;
  friend bool operator==(const Made&, const Made&) = default;
};

// A shader with the pipelines that were made of it. May be used by many threads at once.
class Shader {
 public:
  explicit Shader(GpuKernel code) : code_(std::move(code)) {}
  const GpuKernel& code() const { return code_; }
  // The code of a variant (Device::make_pipeline, Device::make_function); made at the first call.
  Result<Made> make(Device& device, uint32_t variant);
  // Whether the driver refused the shader when it was last asked for a new pipeline.
  bool refused();
  // Whether its trial (RoutineForm) was passed; none before.
  std::optional<bool> passed();
  void set_passed(bool passed);

 private:
  const GpuKernel code_;
  std::mutex mutex_;
  std::unordered_map<uint32_t, Made> made_;  // by variant
  bool refused_ = false;
  std::optional<bool> passed_;
};

struct LaunchRecord {
  const Shader* shader;
  size_t step;  // of the plan
  Made code;
  int64_t groups;
  bool after;  // it needs launches before it, or they need it
  // Its arguments in LaunchList::arguments.
  size_t first, count;
  friend bool operator==(const LaunchRecord&, const LaunchRecord&) = default;
};

// The launches of one run, in order.
struct LaunchList {
  std::vector<LaunchRecord> launches;
  std::vector<uint64_t> arguments;
  friend bool operator==(const LaunchList&, const LaunchList&) = default;
};

}  // namespace frit::runtime::vulkan
