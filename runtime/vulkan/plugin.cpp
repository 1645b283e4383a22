// The functions that the plugin exports, and the choice of a device.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "runtime/system/plugin.h"
#include "runtime/vulkan/device.h"

namespace frit::runtime::vulkan {

namespace {

struct Candidate {
  VkPhysicalDevice physical;
  GpuInfo info;
};

int preference(const GpuInfo& info) {
  static constexpr const char* kOrder[] = {"discrete", "integrated", "virtual", "other", "cpu"};
  for (size_t i = 0; i < std::size(kOrder); ++i)
    if (info.kind == kOrder[i]) return static_cast<int>(i);
  return static_cast<int>(std::size(kOrder));
}

std::string lower(std::string s) {
  std::transform(s.begin(), s.end(), s.begin(), [](unsigned char c) { return std::tolower(c); });
  return s;
}

// The usable devices, the preferred one first.
Result<std::vector<Candidate>> candidates(Api& api) {
  uint32_t count = 0;
  api.EnumeratePhysicalDevices(api.instance, &count, nullptr);
  std::vector<VkPhysicalDevice> devices(count);
  if (count) api.EnumeratePhysicalDevices(api.instance, &count, devices.data());
  std::vector<Candidate> found;
  std::string reasons;
  for (VkPhysicalDevice d : devices) {
    auto info = Device::inspect(api, d);
    if (info.ok())
      found.push_back({d, *info});
    else
      reasons += (reasons.empty() ? "" : "; ") + info.error().message;
  }
  if (found.empty())
    return Diagnostic(reasons.empty() ? "vulkan has no device here" : "no device can be used: " + reasons, {},
                      "install the gpu's driver, or run on the cpu");
  std::string wanted;
  if (const char* set = std::getenv("FRIT_VULKAN_DEVICE")) wanted = set;
  if (!wanted.empty()) {
    const bool number = std::all_of(wanted.begin(), wanted.end(), [](unsigned char c) { return c >= '0' && c <= '9'; });
    size_t chosen = found.size();
    for (size_t i = 0; i < found.size() && chosen == found.size(); ++i)
      if (number ? std::to_string(i) == wanted : lower(found[i].info.name).find(lower(wanted)) != std::string::npos)
        chosen = i;
    if (chosen == found.size()) {
      std::string names;
      for (size_t i = 0; i < found.size(); ++i)
        names += (i ? ", " : "") + std::to_string(i) + ": " + found[i].info.name;
      return Diagnostic("FRIT_VULKAN_DEVICE is '" + wanted + "', and no device is", {}, "the devices are " + names);
    }
    std::rotate(found.begin(), found.begin() + static_cast<long>(chosen),
                found.begin() + static_cast<long>(chosen) + 1);
  } else {
    std::stable_sort(found.begin(), found.end(),
                     [](auto& a, auto& b) { return preference(a.info) < preference(b.info); });
  }
  return found;
}

std::mutex device_mutex;
// The last one is current. Arrays may hold its memory to the end, so a device stays when it was lost, and within the
// reach of tools that look for leaks.
std::vector<Device*>& devices() {
  static auto* const all = new std::vector<Device*>;
  return *all;
}

}  // namespace

Result<Device*> current_device() {
  std::lock_guard lock(device_mutex);
  if (!devices().empty() && !devices().back()->lost()) return devices().back();
  FRIT_ASSIGN_OR_RETURN(api, open_api());
  FRIT_ASSIGN_OR_RETURN(found, candidates(*api));
  FRIT_ASSIGN_OR_RETURN(device, Device::open(*api, found.front().physical));
  return devices().emplace_back(device.release());
}

Api* current_api() {
  std::lock_guard lock(device_mutex);
  return devices().empty() ? nullptr : &devices().back()->api();
}

}  // namespace frit::runtime::vulkan

using namespace frit;
using namespace frit::runtime;

// Found by name; both sides are C++ of one build.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wreturn-type-c-linkage"
#endif

FRIT_PLUGIN_FACTS("gpu")

extern "C" Result<Gpu*> frit_find_gpu() {
  FRIT_ASSIGN_OR_RETURN(device, vulkan::current_device());
  return static_cast<Gpu*>(device);
}

extern "C" Result<std::vector<GpuInfo>> frit_list_gpus() {
  FRIT_ASSIGN_OR_RETURN(api, vulkan::open_api());
  FRIT_ASSIGN_OR_RETURN(found, vulkan::candidates(*api));
  std::vector<GpuInfo> infos;
  for (auto& c : found) infos.push_back(c.info);
  return infos;
}

// For tests, which put functions that fail in the places of the device's; null before one was opened.
extern "C" vulkan::Api* frit_vulkan_api() { return vulkan::current_api(); }
// The table that devices copy when they are opened.
extern "C" vulkan::Api* frit_vulkan_driver() {
  const auto api = vulkan::open_api();
  return api.ok() ? *api : nullptr;
}
extern "C" size_t frit_vulkan_messages() { return vulkan::validation_messages(); }
