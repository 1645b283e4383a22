// Reads the abilities of a device without opening it.
#include "runtime/vulkan/inspect.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "runtime/vulkan/device.h"
#include "runtime/vulkan/khr_matrices.h"

namespace frit::runtime::vulkan {

namespace {

bool has_extension(const Api& api, VkPhysicalDevice physical, const char* name) {
  uint32_t count = 0;
  api.EnumerateDeviceExtensionProperties(physical, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> all(count);
  api.EnumerateDeviceExtensionProperties(physical, nullptr, &count, all.data());
  return std::any_of(all.begin(), all.end(), [&](auto& e) { return std::strcmp(e.extensionName, name) == 0; });
}

// The shapes of matrices that a subgroup multiplies.
std::vector<CooperativeMatrixProperties> matrix_shapes(const Api& api, VkPhysicalDevice physical) {
  const auto get = reinterpret_cast<GetCooperativeMatrixProperties>(
      api.GetInstanceProcAddr(api.instance, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR"));
  if (!get || !has_extension(api, physical, kCooperativeMatrix)) return {};
  CooperativeMatrixFeatures features;
  VkPhysicalDeviceFeatures2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &features};
  api.GetPhysicalDeviceFeatures2(physical, &all);
  if (!features.cooperativeMatrix) return {};
  uint32_t count = 0;
  get(physical, &count, nullptr);
  std::vector<CooperativeMatrixProperties> shapes(count);
  get(physical, &count, shapes.data());
  return shapes;
}

// Whether matrices of 16 by 16 and 16 by `columns` elements are multiplied with sums in f32.
bool multiplies(const std::vector<CooperativeMatrixProperties>& shapes, MatrixComponent type, uint32_t columns) {
  constexpr uint32_t kSubgroup = 3;
  return std::any_of(shapes.begin(), shapes.end(), [&](auto& p) {
    return p.MSize == 16 && p.NSize == columns && p.KSize == 16 && p.AType == type && p.BType == type &&
           p.CType == MatrixComponent::Float32 && p.ResultType == MatrixComponent::Float32 && p.scope == kSubgroup;
  });
}

bool has_bfloat16_matrices(const Api& api, VkPhysicalDevice physical) {
  if (!has_extension(api, physical, kBfloat16)) return false;
  Bfloat16Features features;
  VkPhysicalDeviceFeatures2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &features};
  api.GetPhysicalDeviceFeatures2(physical, &all);
  return features.shaderBFloat16Type && features.shaderBFloat16CooperativeMatrix;
}

// Zero where nobody tells.
uint32_t processors_of(const Api& api, VkPhysicalDevice physical) {
  if (!has_extension(api, physical, VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME)) return 0;
  VkPhysicalDeviceShaderSMBuiltinsPropertiesNV own{};
  own.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV;
  VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &own, {}};
  api.GetPhysicalDeviceProperties2(physical, &all);
  return own.shaderSMCount;
}

// FRIT_VULKAN_WITHOUT names features that are not to be used, so that the paths of devices without them can be tried on
// others.
bool is_left_out(std::string_view feature) {
  const char* set = std::getenv("FRIT_VULKAN_WITHOUT");
  for (std::string_view rest = set ? set : ""; !rest.empty();) {
    const size_t end = std::min(rest.find(','), rest.size());
    if (rest.substr(0, end) == feature) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

std::string version_text(uint32_t v) {
  return std::to_string(VK_API_VERSION_MAJOR(v)) + "." + std::to_string(VK_API_VERSION_MINOR(v)) + "." +
         std::to_string(VK_API_VERSION_PATCH(v));
}

}  // namespace

int memory_type(const VkPhysicalDeviceMemoryProperties& m, VkMemoryPropertyFlags wanted,
                VkMemoryPropertyFlags preferred) {
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

Result<GpuInfo> Device::inspect(const Api& api, VkPhysicalDevice physical) {
  Properties properties(api, physical);
  const VkPhysicalDeviceProperties& p = properties.p.properties;
  GpuInfo info;
  info.name = p.deviceName;
  if (p.apiVersion < VK_API_VERSION_1_2)
    return Diagnostic(info.name + " has Vulkan " + version_text(p.apiVersion) + ", and 1.2 is needed");
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
  if (!features.f12.bufferDeviceAddress)
    return Diagnostic(info.name + " has no bufferDeviceAddress", {}, "run on the cpu");
  GpuFeatures& f = info.features;
  f.int64 = features.f.features.shaderInt64 && !is_left_out("int64");
  f.float64 = features.f.features.shaderFloat64 && !is_left_out("float64");
  f.storage8 = features.f12.storageBuffer8BitAccess && !is_left_out("storage8");
  f.storage16 = features.f11.storageBuffer16BitAccess && !is_left_out("storage16");
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
  f.converts16 = features.f12.shaderFloat16 && c.shaderRoundingModeRTEFloat16 && round_all &&
                 c.shaderDenormPreserveFloat16 && all && c.shaderSignedZeroInfNanPreserveFloat16 &&
                 !is_left_out("converts16");
  f.subgroup_size = properties.p11.subgroupSize;
  constexpr VkSubgroupFeatureFlags kShuffles =
      VK_SUBGROUP_FEATURE_BALLOT_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT;
  f.shuffle = (properties.p11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT) &&
              (properties.p11.subgroupSupportedOperations & kShuffles) == kShuffles && !is_left_out("shuffle");
  if (!is_left_out("matrix16") && f.storage16 && f.int64 && f.subgroup_size == 32 && features.f12.shaderFloat16 &&
      features.f12.vulkanMemoryModel) {
    const std::vector<CooperativeMatrixProperties> shapes = matrix_shapes(api, physical);
    f.matrix16 = multiplies(shapes, MatrixComponent::Float16, 16);
    f.matrix_narrow = f.matrix16 && multiplies(shapes, MatrixComponent::Float16, 8);
    f.matrix_bfloat16 = multiplies(shapes, MatrixComponent::Bfloat16, 16) && has_bfloat16_matrices(api, physical);
  }
  // The extension belongs to one vendor's driver. It does not tell which instructions a module may have: the driver
  // refuses those that it does not know.
  f.ptx = has_extension(api, physical, kBinaryImport) && f.int64 && f.storage16 && !is_left_out("ptx");
  f.shared_bytes = p.limits.maxComputeSharedMemorySize;
  f.group_size = std::min(p.limits.maxComputeWorkGroupInvocations, p.limits.maxComputeWorkGroupSize[0]);
  f.processors = processors_of(api, physical);
  info.max_groups = p.limits.maxComputeWorkGroupCount[0];
  info.max_allocation = std::min<uint64_t>(properties.p11.maxMemoryAllocationSize, uint64_t{1} << 46);
  VkPhysicalDeviceMemoryProperties memory;
  api.GetPhysicalDeviceMemoryProperties(physical, &memory);
  for (uint32_t i = 0; i < memory.memoryHeapCount; ++i)
    if (memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
      info.memory_bytes = std::max<uint64_t>(info.memory_bytes, memory.memoryHeaps[i].size);
  // FRIT_VULKAN_SHARED=0 copies even where memory is shared, so that the path of discrete devices can be tried on
  // others.
  const char* shared = std::getenv("FRIT_VULKAN_SHARED");
  info.host_visible = info.kind != "discrete" && !(shared && std::string_view(shared) == "0") &&
                      memory_type(memory, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | kHostMemory, 0) >= 0;
  return info;
}

}  // namespace frit::runtime::vulkan
