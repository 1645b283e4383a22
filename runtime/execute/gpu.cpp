// Finds the GPU's driver, and copies tensors between host and device.
#include "runtime/execute/gpu.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>

#include "runtime/system/cpu.h"
#include "runtime/system/plugin.h"

namespace frit::runtime {

namespace {

// The functions that the driver's plugin exports.
using FindGpu = Result<Gpu*> (*)();
using ListGpus = Result<std::vector<GpuInfo>> (*)();

constexpr std::string_view kPrefix = "frit_runtime_";

struct Driver {
  std::string device, file;
};

// The installed drivers, by name.
const std::vector<Driver>& drivers() {
  static const auto* all = [] {
    auto* found = new std::vector<Driver>;
    for (const std::string& path : plugin_files(kPrefix))
      for (const std::vector<std::string>& words : plugin_facts(path))
        if (words[0] == "gpu") {
          const size_t start = path.rfind('/') + 1 + std::string_view("lib").size() + kPrefix.size();
          found->push_back({path.substr(start, path.size() - start - std::string_view(".so").size()), path});
        }
    return found;
  }();
  return *all;
}

template <class F>
Result<F> driver_entry(std::string_view device, const char* symbol) {
  for (const Driver& driver : drivers()) {
    if (!device.empty() && driver.device != device) continue;
    FRIT_ASSIGN_OR_RETURN(entry, plugin_entry(driver.file, symbol));
    if (entry) return reinterpret_cast<F>(entry);
  }
  return Diagnostic("there is no driver of a gpu, lib" + std::string(kPrefix) +
                        (device.empty() ? "*" : std::string(device)) + ".so, in " + plugin_folders_text(),
                    {}, "install frit's runtime plugins, or name their folder in FRIT_PLUGIN_DIR");
}

// Elements from the first to the last that a tensor shows, as a range around its offset.
struct ReachedSpan {
  int64_t low = 0, count = 0;
};
ReachedSpan span_of(const Tensor& t) {
  ReachedSpan s{0, 1};
  int64_t high = 0;
  for (size_t i = 0; i < t.shape.size(); ++i) {
    if (t.shape[i] == 0) return {0, 0};
    int64_t reach = (t.shape[i] - 1) * t.strides[i];
    (reach < 0 ? s.low : high) += reach;
  }
  s.count = high - s.low + 1;
  return s;
}

}  // namespace

std::string features_text(const GpuFeatures& f) {
  std::string text;
  for (bool has : {f.int64, f.float64, f.storage8, f.storage16, f.fused_fma, f.keeps_specials32, f.keeps_specials64,
                   f.keeps_subnormals32, f.keeps_subnormals64, f.rounds_to_even32, f.rounds_to_even64, f.converts16,
                   f.matrix16, f.matrix_narrow, f.matrix_bfloat16, f.shuffle, f.ptx})
    text += has ? '1' : '0';
  for (uint32_t n : {f.subgroup_size, f.shared_bytes, f.group_size, f.processors}) text += " " + std::to_string(n);
  return text;
}

namespace {

std::atomic<Gpu*>& known() {
  static std::atomic<Gpu*> gpu{nullptr};
  return gpu;
}

}  // namespace

Result<Gpu*> find_gpu(std::string_view device) {
  FRIT_ASSIGN_OR_RETURN(find, driver_entry<FindGpu>(device, "frit_find_gpu"));
  FRIT_ASSIGN_OR_RETURN(gpu, find());
  known().store(gpu, std::memory_order_release);
  return gpu;
}

Gpu* known_gpu() { return known().load(std::memory_order_acquire); }

Result<std::vector<GpuInfo>> list_gpus(std::string_view device) {
  FRIT_ASSIGN_OR_RETURN(list, driver_entry<ListGpus>(device, "frit_list_gpus"));
  return list();
}

std::vector<std::string> gpu_devices() {
  std::vector<std::string> names;
  for (const Driver& driver : drivers()) names.push_back(driver.device);
  return names;
}

Result<std::string> device_name(std::string_view said) {
  if (said.empty()) {
    const char* set = std::getenv("FRIT_DEVICE");
    if (set) said = set;
  }
  if (said.empty() || said == "cpu") return std::string("cpu");
  const std::vector<std::string> gpus = gpu_devices();
  if (said == "gpu" && !gpus.empty()) return gpus[0];
  if (std::find(gpus.begin(), gpus.end(), said) != gpus.end()) return std::string(said);
  std::string known = "cpu";
  for (size_t i = 0; i < gpus.size(); ++i) known += (i + 1 == gpus.size() ? " and " : ", ") + gpus[i];
  return Diagnostic("there is no device '" + std::string(said) + "'", {},
                    gpus.empty()
                        ? "no driver of a gpu is installed in " + plugin_folders_text() + ", so there is only cpu"
                        : "devices are " + known);
}

namespace {

uint64_t trial_bits(size_t window, int64_t i) {
  uint64_t h = (static_cast<uint64_t>(i) + 1) * 0x9e3779b97f4a7c15u + (window + 1) * 0xbf58476d1ce4e5b9u;
  h = (h ^ h >> 29) * 0x94d049bb133111ebu;
  return h ^ h >> 32;
}

}  // namespace

int trial_element(size_t window, int64_t i) { return static_cast<int>(trial_bits(window, i) % 9) - 4; }

double trial_number(size_t buffer, int64_t i) { return (static_cast<double>(trial_bits(buffer, i) % 257) - 128) / 16; }

namespace {

std::atomic<GpuNotice>& gpu_notice() {
  static std::atomic<GpuNotice> notice{nullptr};
  return notice;
}

}  // namespace

void set_gpu_notice(GpuNotice notice) { gpu_notice() = notice; }

void tell_gpu(std::string_view text) {
  const GpuNotice notice = gpu_notice();
  if (!notice) return;
  static std::mutex mutex;
  static auto* const told = new std::set<std::string, std::less<>>;
  {
    std::lock_guard lock(mutex);
    if (!told->emplace(text).second) return;
  }
  notice(text);
}

std::string device_identity(std::string_view device) {
  if (device.empty()) return {};
  if (device == "cpu") return cpu_identity();
  const auto gpu = find_gpu(device);
  return gpu.ok() ? features_text((*gpu)->info().features) : std::string();
}

Result<Tensor> to_gpu(const Tensor& t, Gpu& gpu) {
  if (t.buffer->gpu()) return t;
  ReachedSpan span = span_of(t);
  const size_t size = t.dtype.size();
  FRIT_ASSIGN_OR_RETURN(buffer, gpu.allocate(static_cast<size_t>(span.count) * size));
  const auto* from =
      static_cast<const std::byte*>(t.buffer->data()) + (t.offset + span.low) * static_cast<int64_t>(size);
  if (span.count) FRIT_TRY(gpu.write(*buffer, 0, from, static_cast<size_t>(span.count) * size));
  return Tensor{std::move(buffer), t.dtype, t.shape, t.strides, -span.low};
}

Result<Tensor> to_host(const Tensor& t, Gpu& gpu) {
  if (!t.buffer->gpu()) return t;
  ReachedSpan span = span_of(t);
  const size_t size = t.dtype.size();
  FRIT_ASSIGN_OR_RETURN(buffer, Buffer::allocate(static_cast<size_t>(span.count) * size));
  if (span.count) {
    auto first = static_cast<size_t>(t.offset + span.low) * size;
    FRIT_TRY(gpu.read(*t.buffer, first, buffer->data(), static_cast<size_t>(span.count) * size));
  }
  return Tensor{std::move(buffer), t.dtype, t.shape, t.strides, -span.low};
}

}  // namespace frit::runtime
