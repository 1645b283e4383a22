// Opens Vulkan's loader and creates the instance.
#include "runtime/vulkan/api.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

namespace frit::runtime::vulkan {

namespace {

std::atomic<size_t> messages{0};

VKAPI_ATTR VkBool32 VKAPI_CALL report(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT,
                                      const VkDebugUtilsMessengerCallbackDataEXT* data, void*) {
  if (severity & (VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT)) {
    messages.fetch_add(1, std::memory_order_relaxed);
    std::fprintf(stderr, "vulkan: %s\n", data->pMessage);
  }
  return VK_FALSE;
}

constexpr const char* kValidation = "VK_LAYER_KHRONOS_validation";

bool wants_validation() {
  const char* set = secure_getenv("FRIT_VULKAN_VALIDATION");
  return set && std::strcmp(set, "1") == 0;
}

Result<Api*> open() {
  // Never closed: the driver's threads may be running to the end.
  void* library = nullptr;
  const char* set = secure_getenv("FRIT_VULKAN_LOADER");
  const std::string given = set ? set : "";
  for (const char* name : {"libvulkan.so.1", "libvulkan.so"})
    if ((library = dlopen(given.empty() ? name : given.c_str(), RTLD_NOW | RTLD_LOCAL))) break;
  if (!library) {
    const char* reason = dlerror();
    return Diagnostic("vulkan's loader cannot be opened: " + std::string(reason ? reason : "unknown reason"), {},
                      "install the gpu's driver and libvulkan1, or run on the cpu");
  }
  auto api = std::make_unique<Api>();
  api->GetInstanceProcAddr = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vkGetInstanceProcAddr"));
  if (!api->GetInstanceProcAddr) return Diagnostic("libvulkan.so.1 has no vkGetInstanceProcAddr");
#define FRIT_VULKAN_LOAD(name)                                                                            \
  if (!(api->name = reinterpret_cast<PFN_vk##name>(api->GetInstanceProcAddr(api->instance, "vk" #name)))) \
    return Diagnostic("vulkan has no vk" #name);
  FRIT_VULKAN_GLOBAL(FRIT_VULKAN_LOAD)
  uint32_t version = 0;
  api->EnumerateInstanceVersion(&version);
  if (version < VK_API_VERSION_1_2)
    return Diagnostic("vulkan's loader is older than 1.2", {}, "install a newer driver");

  VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.pApplicationName = application.pEngineName = "frit";
  application.apiVersion = VK_API_VERSION_1_2;
  VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  info.pApplicationInfo = &application;
  VkDebugUtilsMessengerCreateInfoEXT messenger{VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
  const VkValidationFeatureEnableEXT enabled[] = {VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
  VkValidationFeaturesEXT validation{VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT};
  const char* extensions[] = {"VK_EXT_debug_utils"};
  if (wants_validation()) {
    uint32_t count = 0;
    api->EnumerateInstanceLayerProperties(&count, nullptr);
    std::vector<VkLayerProperties> layers(count);
    api->EnumerateInstanceLayerProperties(&count, layers.data());
    if (std::none_of(layers.begin(), layers.end(), [](auto& l) { return std::strcmp(l.layerName, kValidation) == 0; }))
      return Diagnostic("FRIT_VULKAN_VALIDATION is set, and there is no layer VK_LAYER_KHRONOS_validation", {},
                        "install vulkan-validationlayers");
    messenger.messageSeverity =
        VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT;
    messenger.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
    messenger.pfnUserCallback = report;
    validation.enabledValidationFeatureCount = 1;
    validation.pEnabledValidationFeatures = enabled;
    validation.pNext = &messenger;
    info.pNext = &validation;
    info.enabledLayerCount = 1;
    info.ppEnabledLayerNames = &kValidation;
    info.enabledExtensionCount = 1;
    info.ppEnabledExtensionNames = extensions;
  }
  if (VkResult r = api->CreateInstance(&info, nullptr, &api->instance); r != VK_SUCCESS)
    return Diagnostic("vulkan cannot start: " + result_text(r), {}, "install the gpu's driver, or run on the cpu");
  FRIT_VULKAN_INSTANCE(FRIT_VULKAN_LOAD)
#undef FRIT_VULKAN_LOAD
  if (wants_validation()) {
    auto create = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(
        api->GetInstanceProcAddr(api->instance, "vkCreateDebugUtilsMessengerEXT"));
    VkDebugUtilsMessengerEXT handle;
    if (create) create(api->instance, &messenger, nullptr, &handle);
  }
  return api.release();  // for the life of the process
}

}  // namespace

Result<Api*> open_api() {
  static const Result<Api*> api = open();
  return api;
}

Status load_device_functions(Api& api, VkDevice device, bool ptx) {
#define FRIT_VULKAN_LOAD(name)                                                                 \
  if (!(api.name = reinterpret_cast<PFN_vk##name>(api.GetDeviceProcAddr(device, "vk" #name)))) \
    return Diagnostic("the device has no vk" #name);
  FRIT_VULKAN_DEVICE(FRIT_VULKAN_LOAD)
  if (ptx) {
    FRIT_VULKAN_PTX(FRIT_VULKAN_LOAD)
  }
#undef FRIT_VULKAN_LOAD
  return {};
}

size_t validation_messages() { return messages.load(std::memory_order_relaxed); }

std::string result_text(VkResult r) {
  switch (r) {
    case VK_ERROR_OUT_OF_HOST_MEMORY: return "host memory is exhausted";
    case VK_ERROR_OUT_OF_DEVICE_MEMORY: return "device memory is exhausted";
    case VK_ERROR_INITIALIZATION_FAILED: return "initialization failed";
    case VK_ERROR_DEVICE_LOST: return "the device was lost";
    case VK_ERROR_INCOMPATIBLE_DRIVER: return "there is no driver for a gpu";
    case VK_ERROR_LAYER_NOT_PRESENT: return "a layer is missing";
    case VK_ERROR_EXTENSION_NOT_PRESENT: return "an extension is missing";
    case VK_ERROR_FEATURE_NOT_PRESENT: return "a feature is missing";
    case VK_TIMEOUT: return "it took too long";
    default: return "error " + std::to_string(static_cast<int>(r));
  }
}

}  // namespace frit::runtime::vulkan
