// Vulkan's functions, found in libvulkan.so.1 at run time. Every entry point goes through vkGetInstanceProcAddr or
// vkGetDeviceProcAddr.
#pragma once

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#include <string>

#include "ir/base/result.h"

namespace frit::runtime::vulkan {

#define FRIT_VULKAN_GLOBAL(X) X(CreateInstance) X(EnumerateInstanceVersion) X(EnumerateInstanceLayerProperties)

#define FRIT_VULKAN_INSTANCE(X)        \
  X(EnumeratePhysicalDevices)          \
  X(GetPhysicalDeviceProperties2)      \
  X(GetPhysicalDeviceFeatures2)        \
  X(GetPhysicalDeviceMemoryProperties) \
  X(GetPhysicalDeviceQueueFamilyProperties) X(CreateDevice) X(GetDeviceProcAddr) X(EnumerateDeviceExtensionProperties)

#define FRIT_VULKAN_DEVICE(X)    \
  X(GetDeviceQueue)              \
  X(AllocateMemory)              \
  X(FreeMemory)                  \
  X(MapMemory)                   \
  X(CreateBuffer)                \
  X(DestroyBuffer)               \
  X(GetBufferMemoryRequirements) \
  X(BindBufferMemory)            \
  X(GetBufferDeviceAddress)      \
  X(CreateShaderModule)          \
  X(DestroyShaderModule)         \
  X(CreatePipelineLayout)        \
  X(CreatePipelineCache)         \
  X(GetPipelineCacheData)        \
  X(CreateComputePipelines)      \
  X(DestroyPipeline)             \
  X(CreateCommandPool)           \
  X(AllocateCommandBuffers)      \
  X(BeginCommandBuffer)          \
  X(EndCommandBuffer)            \
  X(CmdBindPipeline)             \
  X(CmdPushConstants)            \
  X(CmdDispatch)                 \
  X(CmdPipelineBarrier)          \
  X(CmdCopyBuffer)               \
  X(CmdWriteTimestamp)           \
  X(CmdResetQueryPool)           \
  X(CreateQueryPool)             \
  X(DestroyQueryPool)            \
  X(GetQueryPoolResults) X(CreateSemaphore) X(GetSemaphoreCounterValue) X(WaitSemaphores) X(QueueSubmit)

// Of VK_NVX_binary_import; null where the device was opened without it.
#define FRIT_VULKAN_PTX(X) X(CreateCuModuleNVX) X(CreateCuFunctionNVX) X(CmdCuLaunchKernelNVX)

// One of the process, and one of each device. Members are named as in Vulkan without the prefix.
struct Api {
  PFN_vkGetInstanceProcAddr GetInstanceProcAddr = nullptr;
#define FRIT_VULKAN_MEMBER(name) PFN_vk##name name = nullptr;
  FRIT_VULKAN_GLOBAL(FRIT_VULKAN_MEMBER)
  FRIT_VULKAN_INSTANCE(FRIT_VULKAN_MEMBER)
  FRIT_VULKAN_DEVICE(FRIT_VULKAN_MEMBER)
  FRIT_VULKAN_PTX(FRIT_VULKAN_MEMBER)
#undef FRIT_VULKAN_MEMBER
  VkInstance instance = VK_NULL_HANDLE;
};

// Opens the loader and makes an instance at the first call; fails with the reason where it cannot.
Result<Api*> open_api();
Status load_device_functions(Api& api, VkDevice device, bool ptx);

// How many errors and warnings the validation layer has reported; it is used where FRIT_VULKAN_VALIDATION is 1.
size_t validation_messages();

std::string result_text(VkResult r);

}  // namespace frit::runtime::vulkan
