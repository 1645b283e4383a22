// A Vulkan driver that only claims to take PTX: a test's function computes in the place of each kernel once the shaders
// before it have run, or the driver does nothing, refuses the text or loses the device. Lavapipe's device addresses are
// the process's own, so that the function reads and writes the operands there.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "frontend/frit/frit.h"
#include "runtime/execute/gpu.h"
#include "runtime/system/plugin.h"
#include "runtime/vulkan/api.h"

namespace frit::ptx_driver {

enum class Mode { Computes, DoesNothing, Refuses, LosesDevice };

// Multiplications are most of the work of these tests: they are optimised in every build, and no sanitizer looks at
// them. Their operands were read, and checked, before.
#if defined(__clang__)
#define FRIT_TEST_PRODUCTS __attribute__((no_sanitize("address", "undefined")))
#else
#define FRIT_TEST_PRODUCTS __attribute__((optimize("O3"), no_sanitize("address"), no_sanitize("undefined")))
#endif
// Adds factor * x to `sums`.
template <class T>
FRIT_TEST_PRODUCTS void add_scaled(T* sums, T factor, const T* x, int64_t count) {
  for (int64_t i = 0; i < count; ++i) sums[i] += factor * x[i];
}
// Sums of small integers are exact in any order.
template <class T>
FRIT_TEST_PRODUCTS T dot(const T* x, const T* y, int64_t count) {
  T sums[8] = {};
  int64_t i = 0;
  for (; i + 8 <= count; i += 8)
    for (int64_t lane = 0; lane < 8; ++lane) sums[lane] += x[i + lane] * y[i + lane];
  for (; i < count; ++i) sums[0] += x[i] * y[i];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}
#undef FRIT_TEST_PRODUCTS

// A kernel, told by its text.
struct Kernel {
  std::string text, entry;
  bool has(const std::string& part) const { return text.find(part) != std::string::npos; }
};

struct Launch {
  const Kernel* kernel;
  std::vector<uint64_t> arguments;
  uint32_t groups, threads;
};

// One driver in a process.
struct State {
  Mode mode = Mode::Computes;
  int launches = 0;
  std::vector<std::string> notices;
  void (*look)(const Launch&) = nullptr;     // at each launch when it is recorded
  void (*compute)(const Launch&) = nullptr;  // when it is submitted
  std::deque<Kernel> kernels;                // modules, and functions with an entry; a lost device's are kept
  std::vector<Launch> waiting;               // of command buffers that are not submitted yet
  runtime::vulkan::Api original;
  PFN_vkQueueWaitIdle wait_idle = nullptr;
};
inline State& state() {
  static auto* const all = new State;
  return *all;
}

inline VKAPI_ATTR VkResult VKAPI_CALL create_module(VkDevice, const VkCuModuleCreateInfoNVX* info,
                                                    const VkAllocationCallbacks*, VkCuModuleNVX* made) {
  if (state().mode == Mode::Refuses) return VK_ERROR_INITIALIZATION_FAILED;
  const auto* text = static_cast<const char*>(info->pData);
  EXPECT_EQ(text[info->dataSize - 1], '\0');
  *made = reinterpret_cast<VkCuModuleNVX>(&state().kernels.emplace_back(Kernel{text, {}}));
  return VK_SUCCESS;
}

inline VKAPI_ATTR VkResult VKAPI_CALL create_function(VkDevice, const VkCuFunctionCreateInfoNVX* info,
                                                      const VkAllocationCallbacks*, VkCuFunctionNVX* made) {
  const Kernel& module = *reinterpret_cast<Kernel*>(info->module);
  EXPECT_TRUE(module.has(".entry " + std::string(info->pName) + "("));
  *made = reinterpret_cast<VkCuFunctionNVX>(&state().kernels.emplace_back(Kernel{module.text, info->pName}));
  return VK_SUCCESS;
}

inline VKAPI_ATTR void VKAPI_CALL launch(VkCommandBuffer, const VkCuLaunchInfoNVX* info) {
  Launch l{reinterpret_cast<Kernel*>(info->function), {}, info->gridDimX, info->blockDimX};
  for (size_t i = 0; i < info->paramCount; ++i) l.arguments.push_back(*static_cast<const uint64_t*>(info->pParams[i]));
  EXPECT_TRUE(l.kernel->has(".maxntid " + std::to_string(l.threads) + ","));
  ++state().launches;
  if (state().look) state().look(l);
  state().waiting.push_back(std::move(l));
}

inline VKAPI_ATTR VkResult VKAPI_CALL extensions(VkPhysicalDevice device, const char* layer, uint32_t* count,
                                                 VkExtensionProperties* properties) {
  const auto real = state().original.EnumerateDeviceExtensionProperties;
  uint32_t own = 0;
  real(device, layer, &own, nullptr);
  if (!properties) return *count = own + 1, VK_SUCCESS;
  const VkResult r = real(device, layer, &own, properties);
  std::strcpy(properties[own].extensionName, VK_NVX_BINARY_IMPORT_EXTENSION_NAME);
  *count = own + 1;
  return r;
}

inline VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                                    const VkAllocationCallbacks* callbacks, VkDevice* device) {
  VkDeviceCreateInfo without = *info;
  std::vector<const char*> names;
  for (uint32_t i = 0; i < info->enabledExtensionCount; ++i)
    if (std::strcmp(info->ppEnabledExtensionNames[i], VK_NVX_BINARY_IMPORT_EXTENSION_NAME) != 0)
      names.push_back(info->ppEnabledExtensionNames[i]);
  without.enabledExtensionCount = static_cast<uint32_t>(names.size());
  without.ppEnabledExtensionNames = names.data();
  return state().original.CreateDevice(physical, &without, callbacks, device);
}

inline VKAPI_ATTR VkResult VKAPI_CALL submit(VkQueue queue, uint32_t count, const VkSubmitInfo* info, VkFence fence) {
  static const auto real = state().original.QueueSubmit;
  const auto work = std::exchange(state().waiting, {});
  if (state().mode == Mode::LosesDevice && state().launches) return VK_ERROR_DEVICE_LOST;
  if (!work.empty()) {
    // The shaders before the functions compute what these read; those behind them run again.
    state().wait_idle(queue);
    VkSubmitInfo before{};
    before.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    before.commandBufferCount = info->commandBufferCount;
    before.pCommandBuffers = info->pCommandBuffers;
    real(queue, 1, &before, VK_NULL_HANDLE);
    state().wait_idle(queue);
    for (const Launch& l : work)
      if (state().mode == Mode::Computes) state().compute(l);
  }
  return real(queue, count, info, fence);
}

inline VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL address_of(VkDevice device, const char* name) {
  const auto find = [&](const char* n) { return state().original.GetDeviceProcAddr(device, n); };
  const std::string wanted = name;
  if (wanted == "vkCreateCuModuleNVX") return reinterpret_cast<PFN_vkVoidFunction>(&create_module);
  if (wanted == "vkCreateCuFunctionNVX") return reinterpret_cast<PFN_vkVoidFunction>(&create_function);
  if (wanted == "vkCmdCuLaunchKernelNVX") return reinterpret_cast<PFN_vkVoidFunction>(&launch);
  if (wanted != "vkQueueSubmit") return find(name);
  state().wait_idle = reinterpret_cast<PFN_vkQueueWaitIdle>(find("vkQueueWaitIdle"));
  state().original.QueueSubmit = reinterpret_cast<PFN_vkQueueSubmit>(find(name));
  return reinterpret_cast<PFN_vkVoidFunction>(&submit);
}

// Before the first device is opened.
inline void install() {
  for (const std::string& path : runtime::plugin_files("frit_runtime_vulkan")) {
    auto entry = runtime::plugin_entry(path, "frit_vulkan_driver");
    auto* const api = entry.ok() && *entry ? reinterpret_cast<runtime::vulkan::Api* (*)()>(*entry)() : nullptr;
    if (!api) continue;
    state().original = *api;
    api->EnumerateDeviceExtensionProperties = &extensions;
    api->CreateDevice = &create_device;
    api->GetDeviceProcAddr = &address_of;
  }
  runtime::set_gpu_notice([](std::string_view text) { state().notices.emplace_back(text); });
}

inline bool told(const char* part) {
  for (const std::string& text : state().notices)
    if (text.find(part) != std::string::npos) return true;
  return false;
}

// The next use of the device opens it anew, without the texts that it had taken.
inline void lose_device() {
  state().mode = Mode::LosesDevice;
  state().launches = 1;
  EXPECT_THROW((ones({10}) + array(1.0f)).eval(), std::exception);
  state().launches = 0;
}

// Tests on the device of this driver, whose functions are a test's own.
class PtxTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!state().original.CreateDevice || !is_available(Device::gpu)) GTEST_SKIP() << "there is no gpu here";
    set_default_device(Device::gpu);
    ASSERT_TRUE((*runtime::find_gpu())->info().features.ptx);
    state().mode = Mode::Computes;
    state().launches = 0;
    state().notices.clear();
  }
  void TearDown() override { set_default_device(Device::cpu); }
};

}  // namespace frit::ptx_driver
