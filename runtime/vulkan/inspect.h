// The structures that Vulkan fills in with a device's features, and that a device is opened with.
#pragma once

#include "runtime/vulkan/api.h"

namespace frit::runtime::vulkan {

// Takes modules of PTX text, or of machine code, and launches their functions in command buffers.
constexpr const char* kBinaryImport = VK_NVX_BINARY_IMPORT_EXTENSION_NAME;

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

constexpr VkMemoryPropertyFlags kHostMemory =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
// The memory type with all of `wanted`, and all of `preferred` if there is one; -1 when there is none.
int memory_type(const VkPhysicalDeviceMemoryProperties& m, VkMemoryPropertyFlags wanted,
                VkMemoryPropertyFlags preferred);

}  // namespace frit::runtime::vulkan
