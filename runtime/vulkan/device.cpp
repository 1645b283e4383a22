#include "runtime/vulkan/device.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "runtime/disk_cache.h"

namespace frit::runtime::vulkan {

namespace {

thread_local std::vector<GpuTime> times;

constexpr VkDeviceSize kStaging = VkDeviceSize{32} << 20;
constexpr uint32_t kPushBytes = 128;
constexpr VkMemoryPropertyFlags kHostMemory = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr std::chrono::microseconds kAwake{50};

// Seconds after which a submission counts as hanging.
double timeout_seconds() {
  if (const char* set = std::getenv("FRIT_VULKAN_TIMEOUT"))
    if (double v = std::atof(set); v > 0) return v;
  return 120;
}

struct Properties {
  VkPhysicalDeviceVulkan11Properties p11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES};
  VkPhysicalDeviceVulkan12Properties p12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES};
  VkPhysicalDeviceProperties2 p{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
  Properties(const Api& api, VkPhysicalDevice physical) {
    p12.pNext = &p11;
    p.pNext = &p12;
    api.GetPhysicalDeviceProperties2(physical, &p);
  }
};

struct Features {
  VkPhysicalDeviceVulkan11Features f11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES};
  VkPhysicalDeviceVulkan12Features f12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  VkPhysicalDeviceFeatures2 f{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  Features() {
    f12.pNext = &f11;
    f.pNext = &f12;
  }
};

bool has_extension(const Api& api, VkPhysicalDevice physical, const char* name) {
  uint32_t count = 0;
  api.EnumerateDeviceExtensionProperties(physical, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> all(count);
  api.EnumerateDeviceExtensionProperties(physical, nullptr, &count, all.data());
  return std::any_of(all.begin(), all.end(), [&](auto& e) { return std::strcmp(e.extensionName, name) == 0; });
}

// Matrices of 16 by 16 f16 with sums in f32, for a subgroup.
bool has_matrices(const Api& api, VkPhysicalDevice physical) {
  if (!api.GetPhysicalDeviceCooperativeMatrixPropertiesNV || !has_extension(api, physical, VK_NV_COOPERATIVE_MATRIX_EXTENSION_NAME)) return false;
  uint32_t count = 0;
  api.GetPhysicalDeviceCooperativeMatrixPropertiesNV(physical, &count, nullptr);
  std::vector<VkCooperativeMatrixPropertiesNV> all(count, {VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_NV});
  api.GetPhysicalDeviceCooperativeMatrixPropertiesNV(physical, &count, all.data());
  return std::any_of(all.begin(), all.end(), [](auto& p) {
    return p.MSize == 16 && p.NSize == 16 && p.KSize == 16 && p.AType == VK_COMPONENT_TYPE_FLOAT16_NV && p.BType == VK_COMPONENT_TYPE_FLOAT16_NV &&
           p.CType == VK_COMPONENT_TYPE_FLOAT32_NV && p.DType == VK_COMPONENT_TYPE_FLOAT32_NV && p.scope == VK_SCOPE_SUBGROUP_NV;
  });
}

std::string version_text(uint32_t v) {
  return std::to_string(VK_API_VERSION_MAJOR(v)) + "." + std::to_string(VK_API_VERSION_MINOR(v)) + "." + std::to_string(VK_API_VERSION_PATCH(v));
}

// The memory type with all of `wanted` and as few of `unwanted` as can be, that `heap_flags` hold of; -1 when there is none.
int memory_type(const VkPhysicalDeviceMemoryProperties& m, VkMemoryPropertyFlags wanted, VkMemoryPropertyFlags preferred) {
  int best = -1, best_score = -1;
  for (uint32_t i = 0; i < m.memoryTypeCount; ++i) {
    VkMemoryPropertyFlags flags = m.memoryTypes[i].propertyFlags;
    if ((flags & wanted) != wanted) continue;
    if (flags & (VK_MEMORY_PROPERTY_PROTECTED_BIT | VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT)) continue;
    int score = (flags & preferred) == preferred ? 1 : 0;
    if (score > best_score) best = static_cast<int>(i), best_score = score;
  }
  return best;
}

}  // namespace

void* DeviceMemory::host_copy() {
  if (block_.mapped) return block_.mapped;
  std::lock_guard lock(mutex_);
  if (!copy_) {
    auto made = Buffer::allocate(bytes_);
    if (!made.ok() || (bytes_ && !device_.read(block_, 0, (*made)->data(), bytes_).ok())) return nullptr;
    copy_ = *std::move(made);
  }
  return copy_->data();
}

void DeviceMemory::drop_copy() {
  std::lock_guard lock(mutex_);
  copy_.reset();
}

DeviceMemory::~DeviceMemory() { device_.free_block(block_, bytes_); }

Result<GpuInfo> Device::inspect(const Api& api, VkPhysicalDevice physical) {
  Properties properties(api, physical);
  const VkPhysicalDeviceProperties& p = properties.p.properties;
  GpuInfo info;
  info.name = p.deviceName;
  if (p.apiVersion < VK_API_VERSION_1_2) return Diagnostic(info.name + " has Vulkan " + version_text(p.apiVersion) + ", and 1.2 is needed");
  info.driver = std::string(properties.p12.driverName) + " " + properties.p12.driverInfo;
  info.api = version_text(p.apiVersion);
  switch (p.deviceType) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: info.kind = "discrete"; break;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: info.kind = "integrated"; break;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: info.kind = "virtual"; break;
    case VK_PHYSICAL_DEVICE_TYPE_CPU: info.kind = "cpu"; break;
    default: info.kind = "other"; break;
  }
  Features features;
  api.GetPhysicalDeviceFeatures2(physical, &features.f);
  if (!features.f12.bufferDeviceAddress) return Diagnostic(info.name + " has no bufferDeviceAddress");
  if (!features.f.features.shaderInt64) return Diagnostic(info.name + " has no shaderInt64");
  GpuFeatures& f = info.features;
  f.int64 = features.f.features.shaderInt64;
  f.float64 = features.f.features.shaderFloat64;
  f.storage8 = features.f12.storageBuffer8BitAccess;
  f.storage16 = features.f11.storageBuffer16BitAccess;
  // This driver, which runs on the CPU, multiplies and adds in two steps.
  f.fused_fma = properties.p12.driverID != VK_DRIVER_ID_MESA_LLVMPIPE;
  const auto& c = properties.p12;
  const bool only32 = c.denormBehaviorIndependence != VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE;
  const bool all = c.denormBehaviorIndependence == VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL;
  const bool round32 = c.roundingModeIndependence != VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE;
  const bool round_all = c.roundingModeIndependence == VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL;
  f.keeps_specials32 = c.shaderSignedZeroInfNanPreserveFloat32;
  f.keeps_specials64 = c.shaderSignedZeroInfNanPreserveFloat64;
  f.keeps_subnormals32 = c.shaderDenormPreserveFloat32 && only32;
  f.keeps_subnormals64 = c.shaderDenormPreserveFloat64 && all;
  f.rounds_to_even32 = c.shaderRoundingModeRTEFloat32 && round32;
  f.rounds_to_even64 = c.shaderRoundingModeRTEFloat64 && round_all;
  f.subgroup_size = properties.p11.subgroupSize;
  f.shuffle = (properties.p11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT) &&
              (properties.p11.subgroupSupportedOperations & VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT);
  f.matrix16 = f.storage16 && f.subgroup_size == 32 && features.f12.shaderFloat16 && features.f12.vulkanMemoryModel && has_matrices(api, physical);
  f.shared_bytes = p.limits.maxComputeSharedMemorySize;
  f.group_size = std::min(p.limits.maxComputeWorkGroupInvocations, p.limits.maxComputeWorkGroupSize[0]);
  info.max_groups = p.limits.maxComputeWorkGroupCount[0];
  info.max_allocation = std::min<uint64_t>(properties.p11.maxMemoryAllocationSize, uint64_t{1} << 46);
  VkPhysicalDeviceMemoryProperties memory;
  api.GetPhysicalDeviceMemoryProperties(physical, &memory);
  for (uint32_t i = 0; i < memory.memoryHeapCount; ++i)
    if (memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
      info.memory_bytes = std::max<uint64_t>(info.memory_bytes, memory.memoryHeaps[i].size);
  // FRIT_VULKAN_SHARED=0 keeps to copies where memory is shared: what a discrete device does, to be tried on others.
  const char* shared = std::getenv("FRIT_VULKAN_SHARED");
  info.host_visible = info.kind != "discrete" && !(shared && std::string_view(shared) == "0") &&
                      memory_type(memory, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | kHostMemory, 0) >= 0;
  return info;
}

Result<std::unique_ptr<Device>> Device::open(Api& api, VkPhysicalDevice physical) {
  FRIT_ASSIGN_OR_RETURN(info, inspect(api, physical));
  std::unique_ptr<Device> device(new Device(api, physical, std::move(info)));
  FRIT_TRY(device->start());
  return device;
}

Status Device::start() {
  uint32_t count = 0;
  api_.GetPhysicalDeviceQueueFamilyProperties(physical_, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  api_.GetPhysicalDeviceQueueFamilyProperties(physical_, &count, families.data());
  int found = -1;
  for (uint32_t i = 0; i < count; ++i)
    if (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT && (found < 0 || !(families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT)))
        found = static_cast<int>(i);
  if (found < 0) return Diagnostic(info_.name + " has no queue that computes");
  family_ = static_cast<uint32_t>(found);
  const uint32_t bits = families[family_].timestampValidBits;
  timestamp_mask_ = bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;

  const float priority = 1;
  VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  queue.queueFamilyIndex = family_;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  Features on;
  on.f.features.shaderInt64 = info_.features.int64;
  on.f.features.shaderFloat64 = info_.features.float64;
  on.f11.storageBuffer16BitAccess = info_.features.storage16;
  on.f12.storageBuffer8BitAccess = info_.features.storage8;
  on.f12.bufferDeviceAddress = VK_TRUE;
  VkPhysicalDeviceCooperativeMatrixFeaturesNV matrices{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_NV};
  const char* extension = VK_NV_COOPERATIVE_MATRIX_EXTENSION_NAME;
  VkDeviceCreateInfo create{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
  create.pNext = &on.f;
  if (info_.features.matrix16) {
    on.f12.shaderFloat16 = on.f12.vulkanMemoryModel = VK_TRUE;
    matrices.cooperativeMatrix = VK_TRUE;
    on.f11.pNext = &matrices;
    create.enabledExtensionCount = 1;
    create.ppEnabledExtensionNames = &extension;
  }
  create.queueCreateInfoCount = 1;
  create.pQueueCreateInfos = &queue;
  FRIT_TRY(check(api_.CreateDevice(physical_, &create, nullptr, &device_), "cannot open it"));
  FRIT_TRY(load_device_functions(api_, device_));
  api_.GetDeviceQueue(device_, family_, 0, &queue_);

  VkPhysicalDeviceMemoryProperties memory;
  api_.GetPhysicalDeviceMemoryProperties(physical_, &memory);
  const int local = info_.host_visible ? memory_type(memory, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | kHostMemory, VK_MEMORY_PROPERTY_HOST_CACHED_BIT)
                                       : memory_type(memory, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0);
  const int host = memory_type(memory, kHostMemory, VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
  if (local < 0 || host < 0) return Diagnostic(info_.name + " has no memory of the kinds that are needed");
  device_memory_.open(&api_, device_, static_cast<uint32_t>(local), info_.host_visible, info_.max_allocation);
  host_memory_.open(&api_, device_, static_cast<uint32_t>(host), true, info_.max_allocation);

  VkPushConstantRange push{VK_SHADER_STAGE_COMPUTE_BIT, 0, kPushBytes};
  VkPipelineLayoutCreateInfo layout{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  layout.pushConstantRangeCount = 1;
  layout.pPushConstantRanges = &push;
  FRIT_TRY(check(api_.CreatePipelineLayout(device_, &layout, nullptr, &layout_), "cannot make a pipeline layout"));

  Properties properties(api_, physical_);
  nanoseconds_per_tick_ = static_cast<double>(properties.p.properties.limits.timestampPeriod);
  pipelines_key_ = "vulkan pipelines of " + info_.name + ", " + info_.driver + ", ";
  for (uint8_t b : properties.p.properties.pipelineCacheUUID) pipelines_key_ += "0123456789abcdef"[b >> 4],
      pipelines_key_ += "0123456789abcdef"[b & 15];
  std::optional<std::string> kept;
  DiskCache cache(DiskCacheOptions::from_environment());
  if (cache.enabled()) kept = cache.load(pipelines_key_);
  VkPipelineCacheCreateInfo pipelines{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  if (kept) pipelines.initialDataSize = kept->size(), pipelines.pInitialData = kept->data();
  if (api_.CreatePipelineCache(device_, &pipelines, nullptr, &pipelines_) != VK_SUCCESS) {
    pipelines.initialDataSize = 0;
    FRIT_TRY(check(api_.CreatePipelineCache(device_, &pipelines, nullptr, &pipelines_), "cannot make a pipeline cache"));
  }
  // What was compiled is kept when the process ends.
  static Device* saved = nullptr;
  const bool first = saved == nullptr;
  saved = this;
  if (first) std::atexit([] { saved->save_pipelines(); });
  return {};
}

Status Device::check(VkResult r, const char* what) {
  if (r == VK_SUCCESS) return {};
  if (r == VK_ERROR_DEVICE_LOST) lost_.store(true, std::memory_order_relaxed);
  return Diagnostic("gpu " + info_.name + ": " + what + ": " + result_text(r), {}, "run on the cpu");
}

void Device::save_pipelines() {
  if (lost() || pipelines_made_.load() == 0) return;
  DiskCache cache(DiskCacheOptions::from_environment());
  if (!cache.enabled()) return;
  size_t size = 0;
  if (api_.GetPipelineCacheData(device_, pipelines_, &size, nullptr) != VK_SUCCESS || size > (size_t{64} << 20)) return;
  std::string data(size, '\0');
  if (api_.GetPipelineCacheData(device_, pipelines_, &size, data.data()) != VK_SUCCESS) return;
  data.resize(size);
  cache.store(pipelines_key_, data);
}

Result<std::shared_ptr<Buffer>> Device::allocate(size_t bytes) {
  if (lost()) return Diagnostic("gpu " + info_.name + " was lost", {}, "compute its arrays again");
  FRIT_ASSIGN_OR_RETURN(block, device_memory_.take(bytes));
  return Buffer::of_gpu(std::make_shared<DeviceMemory>(*this, block, bytes), block.mapped, bytes);
}

Status Device::copy(const Block& from, VkDeviceSize from_offset, const Block& to, VkDeviceSize to_offset, VkDeviceSize bytes) {
  FRIT_ASSIGN_OR_RETURN(recording, begin(0));
  VkBufferCopy region{from.offset + from_offset, to.offset + to_offset, bytes};
  api_.CmdCopyBuffer(recording->commands, from.buffer, to.buffer, 1, &region);
  VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_TRANSFER_WRITE_BIT,
      VK_ACCESS_HOST_READ_BIT | VK_ACCESS_SHADER_READ_BIT};
  api_.CmdPipelineBarrier(recording->commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0,
      1,
                          &barrier, 0, nullptr, 0, nullptr);
  return finish(std::move(recording), {"a copy"}, false);
}

Status Device::write(const Buffer& to, size_t offset, const void* from, size_t bytes) {
  const Block& block = static_cast<DeviceMemory*>(to.gpu())->block();
  if (block.mapped) {
    std::memcpy(block.mapped + offset, from, bytes);
    return {};
  }
  FRIT_ASSIGN_OR_RETURN(staging, host_memory_.take(std::min<size_t>(bytes, kStaging)));
  Status status;
  for (size_t done = 0; done < bytes && status.ok(); done += kStaging) {
    size_t part = std::min<size_t>(kStaging, bytes - done);
    std::memcpy(staging.mapped, static_cast<const std::byte*>(from) + done, part);
    status = copy(staging, 0, block, offset + done, part);
  }
  host_memory_.give(staging, std::min<size_t>(bytes, kStaging));
  return status;
}

Status Device::read(const Buffer& from, size_t offset, void* to, size_t bytes) {
  return read(static_cast<DeviceMemory*>(from.gpu())->block(), offset, to, bytes);
}

Status Device::read(const Block& block, size_t offset, void* to, size_t bytes) {
  if (block.mapped) {
    std::memcpy(to, block.mapped + offset, bytes);
    return {};
  }
  FRIT_ASSIGN_OR_RETURN(staging, host_memory_.take(std::min<size_t>(bytes, kStaging)));
  Status status;
  for (size_t done = 0; done < bytes && status.ok(); done += kStaging) {
    size_t part = std::min<size_t>(kStaging, bytes - done);
    status = copy(block, offset + done, staging, 0, part);
    if (status.ok()) std::memcpy(static_cast<std::byte*>(to) + done, staging.mapped, part);
  }
  host_memory_.give(staging, std::min<size_t>(bytes, kStaging));
  return status;
}

Result<VkPipeline> Device::make_pipeline(const GpuKernel& kernel, uint32_t variant) {
  VkShaderModuleCreateInfo module_info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  module_info.codeSize = kernel.spirv.size();
  std::vector<uint32_t> words(kernel.spirv.size() / 4);
  std::memcpy(words.data(), kernel.spirv.data(), words.size() * 4);
  module_info.pCode = words.data();
  VkShaderModule module;
  FRIT_TRY(check(api_.CreateShaderModule(device_, &module_info, nullptr, &module), ("cannot take the shader of kernel @" + kernel.name).c_str()));
  const VkBool32 values[3] = {variant & 1, variant >> 1 & 1, variant >> 2 & 1};
  const VkSpecializationMapEntry entries[3] = {{0, 0, 4}, {1, 4, 4}, {2, 8, 4}};
  const VkSpecializationInfo special{3, entries, sizeof values, values};
  VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, nullptr, 0, VK_SHADER_STAGE_COMPUTE_BIT, module, "main", &special};
  info.layout = layout_;
  VkPipeline pipeline = VK_NULL_HANDLE;
  VkResult r = api_.CreateComputePipelines(device_, pipelines_, 1, &info, nullptr, &pipeline);
  api_.DestroyShaderModule(device_, module, nullptr);
  FRIT_TRY(check(r, ("cannot compile the shader of kernel @" + kernel.name).c_str()));
  pipelines_made_.fetch_add(1);
  return pipeline;
}

Result<std::unique_ptr<Recording>> Device::begin(uint32_t steps) {
  // A single step needs no timestamp to be named when it hangs, and the device takes microseconds to write one.
  if (steps == 1 && !keeps_times_.load(std::memory_order_relaxed)) steps = 0;
  if (lost()) return Diagnostic("gpu " + info_.name + " was lost", {}, "compute its arrays again");
  std::unique_ptr<Recording> r;
  {
    std::lock_guard lock(recordings_mutex_);
    if (!recordings_.empty()) r = std::move(recordings_.back()), recordings_.pop_back();
  }
  if (!r) {
    r = std::make_unique<Recording>();
    VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    pool.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
    pool.queueFamilyIndex = family_;
    FRIT_TRY(check(api_.CreateCommandPool(device_, &pool, nullptr, &r->pool), "cannot make a command pool"));
    VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, r->pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
    FRIT_TRY(check(api_.AllocateCommandBuffers(device_, &allocate, &r->commands), "cannot make a command buffer"));
    VkFenceCreateInfo fence{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    FRIT_TRY(check(api_.CreateFence(device_, &fence, nullptr, &r->fence), "cannot make a fence"));
  }
  if (steps && timestamp_mask_ && r->query_count < steps + 1) {
    VkQueryPoolCreateInfo queries{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    queries.queryType = VK_QUERY_TYPE_TIMESTAMP;
    queries.queryCount = std::max(steps + 1, 16u);
    FRIT_TRY(check(api_.CreateQueryPool(device_, &queries, nullptr, &r->queries), "cannot make timestamps"));
    r->query_count = queries.queryCount;
  }
  VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  FRIT_TRY(check(api_.BeginCommandBuffer(r->commands, &info), "cannot record"));
  r->timed = steps && r->queries;
  if (r->timed) {
    api_.CmdResetQueryPool(r->commands, r->queries, 0, steps + 1);
    api_.CmdWriteTimestamp(r->commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, r->queries, 0);
  }
  return r;
}

void Device::recycle(std::unique_ptr<Recording> r) {
  for (const Block& b : r->arguments) host_memory_.give(b, b.bytes);
  r->arguments.clear();
  api_.ResetCommandPool(device_, r->pool, 0);
  api_.ResetFences(device_, 1, &r->fence);
  std::lock_guard lock(recordings_mutex_);
  recordings_.push_back(std::move(r));
}

Status Device::finish(std::unique_ptr<Recording> r, const std::vector<std::string>& steps, bool timed) {
  if (timed) times.clear();
  FRIT_TRY(check(api_.EndCommandBuffer(r->commands), "cannot record"));
  VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &r->commands;
  VkResult result;
  {
    std::lock_guard lock(queue_mutex_);
    result = api_.QueueSubmit(queue_, 1, &submit, r->fence);
  }
  // Short work is waited for awake: being woken takes longer than it does.
  if (result == VK_SUCCESS) {
    result = VK_NOT_READY;
    for (const auto until = std::chrono::steady_clock::now() + kAwake; result == VK_NOT_READY && std::chrono::steady_clock::now() < until;)
      result = api_.GetFenceStatus(device_, r->fence);
  }
  if (result == VK_NOT_READY) result = api_.WaitForFences(device_, 1, &r->fence, VK_TRUE, static_cast<uint64_t>(timeout_seconds() * 1e9));
  if (result != VK_SUCCESS) {
    // What it was doing: the step behind the last timestamp that was written.
    std::string step = steps.empty() ? "a copy" : steps.front();
    if (timed && r->timed) {
      for (size_t i = 0; i < steps.size(); ++i) {
        uint64_t state[2] = {0, 0};
        VkResult known = api_.GetQueryPoolResults(device_, r->queries, static_cast<uint32_t>(i), 1, sizeof state, state, sizeof state,
                                                  VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
        if (known != VK_SUCCESS || !state[1]) break;
        step = steps[i];
      }
    }
    // Commands that never end keep the device; it is not used again.
    lost_.store(true, std::memory_order_relaxed);
    (void)r.release();
    return Diagnostic("gpu " + info_.name + ": " + result_text(result) + " while it ran " + step, {},
                      result == VK_TIMEOUT ? "FRIT_VULKAN_TIMEOUT is the time in seconds that is given to it"
                          : "compute its arrays again, or run on the cpu");
  }
  if (timed && r->timed) {
    std::vector<uint64_t> ticks(steps.size() + 1);
    if (api_.GetQueryPoolResults(device_, r->queries, 0, static_cast<uint32_t>(ticks.size()), ticks.size() * 8, ticks.data(), 8,
                                 VK_QUERY_RESULT_64_BIT) == VK_SUCCESS)
      for (size_t i = 0; i < steps.size(); ++i)
        times.push_back({steps[i], static_cast<double>((ticks[i + 1] - ticks[i]) & timestamp_mask_) * nanoseconds_per_tick_ * 1e-6});
  }
  recycle(std::move(r));
  return {};
}

std::vector<GpuTime> Device::last_times() const { return times; }

}  // namespace frit::runtime::vulkan
