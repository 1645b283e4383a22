// Opens a device, makes its pipelines, records and submits commands, and copies memory.
#include "runtime/vulkan/device.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "runtime/execute/observe.h"
#include "runtime/load/disk_cache.h"
#include "runtime/vulkan/inspect.h"
#include "runtime/vulkan/khr_matrices.h"

namespace frit::runtime::vulkan {

namespace {

// The most submissions of a queue that have not ended. Further ones wait, so that the host does not get far ahead.
constexpr uint64_t kMostPending = 512;
constexpr VkDeviceSize kStaging = VkDeviceSize{32} << 20;
constexpr uint32_t kPushBytes = 128;

// Seconds after which a submission counts as hanging.
double timeout_seconds() {
  if (const char* set = std::getenv("FRIT_VULKAN_TIMEOUT"))
    if (double v = std::atof(set); v > 0) return v;
  return 120;
}

}  // namespace

void* DeviceMemory::host_copy() {
  if (block_.mapped) return wait().ok() ? block_.mapped : nullptr;
  std::lock_guard lock(mutex_);
  if (!copy_) {
    auto made = Buffer::allocate(bytes_);
    if (!made.ok() || (bytes_ && !device_.read(*this, 0, (*made)->data(), bytes_).ok())) return nullptr;
    copy_ = *std::move(made);
  }
  return copy_->data();
}

Status DeviceMemory::wait() { return device_.wait_written(track_); }

void DeviceMemory::drop_copy() {
  std::lock_guard lock(mutex_);
  copy_.reset();
}

DeviceMemory::~DeviceMemory() {
  block_.used = track_.points();
  device_.free_block(block_);
}

Result<std::unique_ptr<Device>> Device::open(const Api& api, VkPhysicalDevice physical) {
  FRIT_ASSIGN_OR_RETURN(info, inspect(api, physical));
  std::unique_ptr<Device> device(new Device(api, physical, std::move(info)));
  FRIT_TRY(device->start());
  return device;
}

Status Device::start() {
  FRIT_TRY(choose_queues());
  FRIT_TRY(create());
  FRIT_TRY(open_memory());
  FRIT_TRY(open_pipelines());
  static Device* current = nullptr;
  const bool first = current == nullptr;
  current = this;
  if (first) std::atexit([] { current->at_exit(); });
  return {};
}

// A family of queues for compute alone, where there is one.
Status Device::choose_queues() {
  uint32_t count = 0;
  api_.GetPhysicalDeviceQueueFamilyProperties(physical_, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  api_.GetPhysicalDeviceQueueFamilyProperties(physical_, &count, families.data());
  int found = -1;
  for (uint32_t i = 0; i < count; ++i)
    if (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT &&
        (found < 0 || !(families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT)))
      found = static_cast<int>(i);
  if (found < 0) return Diagnostic(info_.name + " has no queue that computes");
  family_ = static_cast<uint32_t>(found);
  const uint32_t bits = families[family_].timestampValidBits;
  timestamp_mask_ = bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;

  queue_count_ = std::min<size_t>(kQueues, families[family_].queueCount);
  return {};
}

Status Device::create() {
  const float priorities[kQueues] = {1, 1, 1, 1};
  VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  queue.queueFamilyIndex = family_;
  queue.queueCount = static_cast<uint32_t>(queue_count_);
  queue.pQueuePriorities = priorities;
  Features on;
  on.f.features.shaderInt64 = info_.features.int64;
  on.f.features.shaderFloat64 = info_.features.float64;
  on.f11.storageBuffer16BitAccess = info_.features.storage16;
  on.f12.storageBuffer8BitAccess = info_.features.storage8;
  on.f12.bufferDeviceAddress = on.f12.timelineSemaphore = VK_TRUE;
  on.f12.shaderFloat16 = info_.features.converts16;
  CooperativeMatrixFeatures matrices;
  Bfloat16Features bfloat16;
  std::vector<const char*> extensions;
  VkDeviceCreateInfo create{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
  create.pNext = &on.f;
  if (info_.features.matrix16 || info_.features.matrix_bfloat16) {
    on.f12.shaderFloat16 = on.f12.vulkanMemoryModel = VK_TRUE;
    matrices.cooperativeMatrix = VK_TRUE;
    matrices.pNext = std::exchange(on.f11.pNext, &matrices);
    extensions.push_back(kCooperativeMatrix);
  }
  if (info_.features.matrix_bfloat16) {
    bfloat16.shaderBFloat16Type = bfloat16.shaderBFloat16CooperativeMatrix = VK_TRUE;
    bfloat16.pNext = std::exchange(on.f11.pNext, &bfloat16);
    extensions.push_back(kBfloat16);
  }
  if (info_.features.ptx) extensions.push_back(kBinaryImport);
  create.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  create.ppEnabledExtensionNames = extensions.data();
  create.queueCreateInfoCount = 1;
  create.pQueueCreateInfos = &queue;
  FRIT_TRY(check(api_.CreateDevice(physical_, &create, nullptr, &device_), "cannot open it"));
  FRIT_TRY(load_device_functions(api_, device_, info_.features.ptx));
  for (size_t q = 0; q < queue_count_; ++q) {
    VkQueue handle;
    api_.GetDeviceQueue(device_, family_, static_cast<uint32_t>(q), &handle);
    FRIT_TRY(check(queues_[q].open(&api_, device_, handle), "cannot make a timeline"));
  }
  VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  pool.queueFamilyIndex = family_;
  FRIT_TRY(check(api_.CreateCommandPool(device_, &pool, nullptr, &pool_), "cannot make a command pool"));
  return {};
}

Status Device::open_memory() {
  VkPhysicalDeviceMemoryProperties memory;
  api_.GetPhysicalDeviceMemoryProperties(physical_, &memory);
  const int local = info_.host_visible ? memory_type(memory, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | kHostMemory,
                                                     VK_MEMORY_PROPERTY_HOST_CACHED_BIT)
                                       : memory_type(memory, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0);
  const int host = memory_type(memory, kHostMemory, VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
  if (local < 0 || host < 0) return Diagnostic(info_.name + " has no memory of the kinds that are needed");
  auto settle = [this](const Points& p) { return wait(p).ok(); };
  device_memory_.open(&api_, device_, static_cast<uint32_t>(local), info_.host_visible, info_.max_allocation, settle);
  host_memory_.open(&api_, device_, static_cast<uint32_t>(host), true, info_.max_allocation, settle);
  // Shaders read arguments before anything else, and reading them from the host's memory takes microseconds.
  const int near = memory_type(memory, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | kHostMemory, 0);
  argument_memory_.open(&api_, device_, static_cast<uint32_t>(near < 0 ? host : near), true, info_.max_allocation,
                        settle);
  if (const auto tried = near < 0 ? Result<Block>(Block()) : argument_memory_.take(1); !tried.ok())
    argument_memory_.open(&api_, device_, static_cast<uint32_t>(host), true, info_.max_allocation, settle);
  else if (near >= 0)
    argument_memory_.give(*tried);
  if (const char* set = std::getenv("FRIT_VULKAN_MEMORY_LIMIT"))
    if (const double mebibytes = std::atof(set); mebibytes > 0)
      device_memory_.set_limit(static_cast<uint64_t>(mebibytes * 1048576));
  return {};
}

// The layout of all pipelines, and those that an earlier process left on disk.
Status Device::open_pipelines() {
  VkPushConstantRange push{VK_SHADER_STAGE_COMPUTE_BIT, 0, kPushBytes};
  VkPipelineLayoutCreateInfo layout{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  layout.pushConstantRangeCount = 1;
  layout.pPushConstantRanges = &push;
  FRIT_TRY(check(api_.CreatePipelineLayout(device_, &layout, nullptr, &layout_), "cannot make a pipeline layout"));

  Properties properties(api_, physical_);
  nanoseconds_per_tick_ = static_cast<double>(properties.p.properties.limits.timestampPeriod);
  pipelines_key_ = "vulkan pipelines of " + info_.name + ", " + info_.driver + ", ";
  for (uint8_t b : properties.p.properties.pipelineCacheUUID)
    pipelines_key_ += "0123456789abcdef"[b >> 4], pipelines_key_ += "0123456789abcdef"[b & 15];
  std::optional<std::string> kept;
  DiskCache cache(DiskCacheOptions::from_environment());
  if (cache.enabled()) kept = cache.load(pipelines_key_);
  VkPipelineCacheCreateInfo pipelines{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  if (kept) pipelines.initialDataSize = kept->size(), pipelines.pInitialData = kept->data();
  if (api_.CreatePipelineCache(device_, &pipelines, nullptr, &pipelines_) != VK_SUCCESS) {
    pipelines.initialDataSize = 0;
    FRIT_TRY(
        check(api_.CreatePipelineCache(device_, &pipelines, nullptr, &pipelines_), "cannot make a pipeline cache"));
  }
  return {};
}

Status Device::check(VkResult r, const char* what) {
  if (r == VK_SUCCESS) return {};
  Diagnostic d("gpu " + info_.name + ": " + what + ": " + result_text(r), {}, "run on the cpu");
  if (r == VK_ERROR_DEVICE_LOST) {
    std::lock_guard lock(fault_mutex_);
    if (!fault_) fault_ = d;
    lost_.store(true, std::memory_order_release);
  }
  return d;
}

Diagnostic Device::fault() const {
  std::lock_guard lock(fault_mutex_);
  const std::string why = fault_ ? ": " + fault_->message : "";
  return Diagnostic("gpu " + info_.name + " was lost" + why, {}, "compute its arrays again, or run on the cpu");
}

// The process must not end while work runs, as the driver would lose its memory. Compiled pipelines are kept on disk.
void Device::at_exit() {
  if (lost() || !synchronize().ok() || pipelines_made_.load() == 0) return;
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
  if (lost()) return fault();
  FRIT_ASSIGN_OR_RETURN(block, device_memory_.take(bytes));
  return Buffer::of_gpu(std::make_shared<DeviceMemory>(*this, block, bytes), nullptr, bytes);
}

Status Device::copy(const Block& from, VkDeviceSize from_offset, Track& from_track, const Block& to,
                    VkDeviceSize to_offset, Track& to_track, VkDeviceSize bytes) {
  FRIT_ASSIGN_OR_RETURN(recording, record({"a copy"}, GpuTimes::None, [&](Recording& r) {
                          VkBufferCopy region{from.offset + from_offset, to.offset + to_offset, bytes};
                          api_.CmdCopyBuffer(r.commands, from.buffer, to.buffer, 1, &region);
                          if (!to.mapped) return;
                          VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr,
                                                  VK_ACCESS_TRANSFER_WRITE_BIT, VK_ACCESS_HOST_READ_BIT};
                          api_.CmdPipelineBarrier(r.commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                                  VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, nullptr, 0, nullptr);
                        }));
  Track *reads[] = {&from_track}, *writes[] = {&to_track};
  return submit(recording, reads, writes);
}

Status Device::write(const Buffer& to, size_t offset, const void* from, size_t bytes) {
  if (lost()) return fault();
  auto& memory = *static_cast<DeviceMemory*>(to.gpu());
  const Block& block = memory.block();
  if (block.mapped) {
    FRIT_TRY(wait(memory.track().points()));
    std::memcpy(block.mapped + offset, from, bytes);
    return {};
  }
  memory.drop_copy();
  FRIT_ASSIGN_OR_RETURN(staging, host_memory_.take(std::min<size_t>(bytes, kStaging)));
  Track track(staging.used);
  Status status;
  for (size_t done = 0; done < bytes && status.ok(); done += kStaging) {
    const size_t part = std::min<size_t>(kStaging, bytes - done);
    status = wait(track.points());
    if (!status.ok()) break;
    std::memcpy(staging.mapped, static_cast<const std::byte*>(from) + done, part);
    status = copy(staging, 0, track, block, offset + done, memory.track(), part);
  }
  staging.used = track.points();
  host_memory_.give(staging);
  return status;
}

Status Device::read(const Buffer& from, size_t offset, void* to, size_t bytes) {
  return read(*static_cast<DeviceMemory*>(from.gpu()), offset, to, bytes);
}

Status Device::read(DeviceMemory& memory, size_t offset, void* to, size_t bytes) {
  const Block& block = memory.block();
  if (block.mapped) {
    FRIT_TRY(memory.wait());
    std::memcpy(to, block.mapped + offset, bytes);
    return {};
  }
  if (lost()) return fault();
  FRIT_ASSIGN_OR_RETURN(staging, host_memory_.take(std::min<size_t>(bytes, kStaging)));
  Track track(staging.used);
  Status status;
  for (size_t done = 0; done < bytes && status.ok(); done += kStaging) {
    const size_t part = std::min<size_t>(kStaging, bytes - done);
    status = copy(block, offset + done, memory.track(), staging, 0, track, part);
    if (status.ok()) status = wait_written(track);
    if (status.ok()) std::memcpy(static_cast<std::byte*>(to) + done, staging.mapped, part);
  }
  staging.used = track.points();
  host_memory_.give(staging);
  return status;
}

Result<VkPipeline> Device::make_pipeline(const GpuKernel& kernel, uint32_t variant) {
  VkShaderModuleCreateInfo module_info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  module_info.codeSize = kernel.spirv.size();
  std::vector<uint32_t> words(kernel.spirv.size() / 4);
  std::memcpy(words.data(), kernel.spirv.data(), words.size() * 4);
  module_info.pCode = words.data();
  VkShaderModule module;
  FRIT_TRY(check(api_.CreateShaderModule(device_, &module_info, nullptr, &module),
                 ("cannot take the shader of kernel @" + kernel.name).c_str()));
  constexpr uint32_t kConstants = GpuKernel::kLinesConstant + 1;
  VkBool32 values[kConstants];
  VkSpecializationMapEntry entries[kConstants];
  for (uint32_t i = 0; i < kConstants; ++i) values[i] = variant >> i & 1, entries[i] = {i, 4 * i, 4};
  const VkSpecializationInfo special{kConstants, entries, sizeof values, values};
  VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                nullptr,
                0,
                VK_SHADER_STAGE_COMPUTE_BIT,
                module,
                "main",
                &special};
  info.layout = layout_;
  VkPipeline pipeline = VK_NULL_HANDLE;
  VkResult r = api_.CreateComputePipelines(device_, pipelines_, 1, &info, nullptr, &pipeline);
  api_.DestroyShaderModule(device_, module, nullptr);
  FRIT_TRY(check(r, ("cannot compile the shader of kernel @" + kernel.name).c_str()));
  pipelines_made_.fetch_add(1);
  return pipeline;
}

size_t Device::queue() const {
  static std::atomic<size_t> threads{0};
  thread_local const size_t mine = threads.fetch_add(1, std::memory_order_relaxed);
  return mine % queue_count_;
}

Result<RecordingPtr> Device::begin(std::vector<std::string> steps, GpuTimes times) {
  if (lost()) return fault();
  std::unique_ptr<Recording> r;
  {
    std::lock_guard lock(recycled_mutex_);
    if (!recycled_.empty()) r = std::move(recycled_.back()), recycled_.pop_back();
  }
  if (!r) r = std::make_unique<Recording>();
  r->queue = queue();
  r->steps = std::move(steps);
  r->times = times;
  return RecordingPtr(r.release(), [this](Recording* gone) { recycle(std::unique_ptr<Recording>(gone)); });
}

Status Device::open_commands(Recording& r) {
  if (!r.commands) {
    VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool_,
                                         VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
    FRIT_TRY(check(api_.AllocateCommandBuffers(device_, &allocate, &r.commands), "cannot make a command buffer"));
  }
  const uint32_t stamps = r.stamps();
  if (r.query_count < stamps) {
    if (r.queries) api_.DestroyQueryPool(device_, r.queries, nullptr);
    r.queries = VK_NULL_HANDLE;
    r.query_count = 0;
    VkQueryPoolCreateInfo queries{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    queries.queryType = VK_QUERY_TYPE_TIMESTAMP;
    queries.queryCount = std::max(stamps, 16u);
    FRIT_TRY(check(api_.CreateQueryPool(device_, &queries, nullptr, &r.queries), "cannot make timestamps"));
    r.query_count = queries.queryCount;
  }
  VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  info.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
  FRIT_TRY(check(api_.BeginCommandBuffer(r.commands, &info), "cannot record"));
  VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr,
                          VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
                          VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_READ_BIT |
                              VK_ACCESS_TRANSFER_WRITE_BIT};
  constexpr VkPipelineStageFlags kWork = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
  api_.CmdPipelineBarrier(r.commands, kWork, kWork, 0, 1, &barrier, 0, nullptr, 0, nullptr);
  if (stamps) {
    api_.CmdResetQueryPool(r.commands, r.queries, 0, stamps);
    api_.CmdWriteTimestamp(r.commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, r.queries, 0);
  }
  return {};
}

Status Device::close_commands(Recording& r) { return check(api_.EndCommandBuffer(r.commands), "cannot record"); }

// No queue runs it any more: a queue holds a recording until it has ended.
void Device::recycle(std::unique_ptr<Recording> r) {
  for (const Block& b : r->arguments) free_host_block(b);
  r->arguments.clear();
  r->launches = {};
  r->claimed.store(false, std::memory_order_relaxed);
  std::lock_guard lock(recycled_mutex_);
  recycled_.push_back(std::move(r));
}

Status Device::submit(const RecordingPtr& r, std::span<Track* const> reads, std::span<Track* const> writes) {
  if (lost()) return fault();
  const int64_t begin_ns = r->claimed.load(std::memory_order_relaxed) ? now_ns() : 0;
  const size_t self = r->queue;
  Points before{};
  for (const Track* t : reads) {
    const uint64_t written = t->written.load(std::memory_order_acquire);
    before[written % kQueues] = std::max(before[written % kQueues], written / kQueues);
  }
  for (const Track* t : writes)
    for (size_t q = 0; q < queue_count_; ++q)
      before[q] = std::max(before[q], t->used[q].load(std::memory_order_acquire));
  VkSemaphore semaphores[kQueues];
  uint64_t values[kQueues], value = 0;
  size_t count = 0;
  for (size_t q = 0; q < queue_count_; ++q) {
    if (q == self || queues_[q].is_done(before[q])) continue;
    semaphores[count] = queues_[q].timeline();
    values[count++] = before[q];
  }
  if (VkResult result = queues_[self].submit(r, self, {semaphores, count}, {values, count}, reads, writes, value);
      result != VK_SUCCESS) {
    if (result == VK_ERROR_DEVICE_LOST) return fail(self, result);
    return check(result, ("cannot submit " + (r->steps.empty() ? "work" : r->steps.front())).c_str());
  }
  keep_for_times(r, value, begin_ns);
  return value > kMostPending ? wait(self, value - kMostPending) : Status();
}

Status Device::wait(size_t queue, uint64_t value) {
  if (queues_[queue].is_done(value)) return {};
  if (lost()) return fault();
  const Span span("wait", "gpu");
  const VkResult r = queues_[queue].wait(value, timeout_seconds());
  return r == VK_SUCCESS ? Status() : fail(queue, r);
}

Status Device::wait(const Points& points) {
  for (size_t q = 0; q < queue_count_; ++q) FRIT_TRY(wait(q, points[q]));
  return {};
}

Status Device::wait_written(const Track& track) {
  const uint64_t written = track.written.load(std::memory_order_acquire);
  // Memory that was not written since it was handed out may still be in use by its earlier holder.
  return written ? wait(written % kQueues, written / kQueues) : wait(track.points());
}

Status Device::synchronize() {
  for (size_t q = 0; q < queue_count_; ++q) FRIT_TRY(wait(q, queues_[q].submitted()));
  tell_spans();
  return {};
}

// Commands that never end keep the device; it is not used again.
Status Device::fail(size_t queue, VkResult result) {
  // The step that it was in: the one behind the last timestamp that was written. Without timestamps, all of them.
  std::string step = "its work";
  if (RecordingPtr r = queues_[queue].running()) {
    if (!r->steps.empty()) step = r->steps.front();
    const bool by_step = r->times == GpuTimes::Steps;
    if (!by_step && r->steps.size() > 1) step += " to " + r->steps.back();
    for (size_t i = 0; by_step && i < r->steps.size(); ++i) {
      uint64_t state[2] = {0, 0};
      const VkResult known =
          api_.GetQueryPoolResults(device_, r->queries, static_cast<uint32_t>(i), 1, sizeof state, state, sizeof state,
                                   VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
      if (known != VK_SUCCESS || !state[1]) break;
      step = r->steps[i];
    }
  }
  const char* cure = "compute its arrays again, or run on the cpu";
  if (result == VK_TIMEOUT) cure = "FRIT_VULKAN_TIMEOUT is the time in seconds that is given to it";
  Diagnostic d("gpu " + info_.name + ": " + result_text(result) + " while it ran " + step, {}, cure);
  std::lock_guard lock(fault_mutex_);
  if (!fault_) fault_ = d;
  lost_.store(true, std::memory_order_release);
  return d;
}

}  // namespace frit::runtime::vulkan
