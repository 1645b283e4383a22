// VK_KHR_cooperative_matrix and VK_KHR_shader_bfloat16, which Debian 12's Vulkan headers do not have yet. Names and
// numbers are those of the Vulkan registry.
#pragma once

#include "runtime/vulkan/api.h"

namespace frit::runtime::vulkan {

inline constexpr const char* kCooperativeMatrix = "VK_KHR_cooperative_matrix";
inline constexpr const char* kBfloat16 = "VK_KHR_shader_bfloat16";

struct CooperativeMatrixFeatures {
  VkStructureType sType = static_cast<VkStructureType>(1000506000);
  void* pNext = nullptr;
  VkBool32 cooperativeMatrix = VK_FALSE, cooperativeMatrixRobustBufferAccess = VK_FALSE;
};

struct Bfloat16Features {
  VkStructureType sType = static_cast<VkStructureType>(1000141000);
  void* pNext = nullptr;
  VkBool32 shaderBFloat16Type = VK_FALSE, shaderBFloat16DotProduct = VK_FALSE,
           shaderBFloat16CooperativeMatrix = VK_FALSE;
};

enum class MatrixComponent : uint32_t { Float16 = 0, Float32 = 1, Bfloat16 = 1000141000 };

struct CooperativeMatrixProperties {
  VkStructureType sType = static_cast<VkStructureType>(1000506001);
  void* pNext = nullptr;
  uint32_t MSize = 0, NSize = 0, KSize = 0;
  MatrixComponent AType = {}, BType = {}, CType = {}, ResultType = {};
  VkBool32 saturatingAccumulation = VK_FALSE;
  uint32_t scope = 0;  // 3: a subgroup
};

using GetCooperativeMatrixProperties = VkResult(VKAPI_PTR*)(VkPhysicalDevice, uint32_t*, CooperativeMatrixProperties*);

}  // namespace frit::runtime::vulkan
