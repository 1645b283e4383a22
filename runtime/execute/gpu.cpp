#include "runtime/execute/gpu.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "runtime/system/plugin.h"

namespace frit::runtime {

namespace {

// What the driver's plugin exports.
using FindGpu = Result<Gpu*> (*)();
using ListGpus = Result<std::vector<GpuInfo>> (*)();

template <class F>
Result<F> driver_entry(const char* symbol) {
  for (const std::string& path : plugin_files("frit_runtime_vulkan")) {
    FRIT_ASSIGN_OR_RETURN(entry, plugin_entry(path, symbol));
    if (entry) return reinterpret_cast<F>(entry);
  }
  return Diagnostic("there is no plugin libfrit_runtime_vulkan.so in " + plugin_folder(), {},
                    "install frit's runtime plugins, or name their folder in FRIT_PLUGIN_DIR");
}

// Elements from the first to the last that a tensor shows, as a range around its offset.
struct Span {
  int64_t low = 0, count = 0;
};
Span span_of(const Tensor& t) {
  Span s{0, 1};
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
  for (bool has :
       {f.int64, f.float64, f.storage8, f.storage16, f.fused_fma, f.keeps_specials32, f.keeps_specials64,
        f.keeps_subnormals32, f.keeps_subnormals64, f.rounds_to_even32, f.rounds_to_even64, f.matrix16, f.shuffle})
    text += has ? '1' : '0';
  for (uint32_t n : {f.subgroup_size, f.shared_bytes, f.group_size}) text += " " + std::to_string(n);
  return text;
}

namespace {

std::atomic<Gpu*>& known() {
  static std::atomic<Gpu*> gpu{nullptr};
  return gpu;
}

}  // namespace

Result<Gpu*> find_gpu() {
  FRIT_ASSIGN_OR_RETURN(find, driver_entry<FindGpu>("frit_find_gpu"));
  FRIT_ASSIGN_OR_RETURN(gpu, find());
  known().store(gpu, std::memory_order_release);
  return gpu;
}

Gpu* known_gpu() { return known().load(std::memory_order_acquire); }

Result<std::vector<GpuInfo>> list_gpus() {
  FRIT_ASSIGN_OR_RETURN(list, driver_entry<ListGpus>("frit_list_gpus"));
  return list();
}

Result<Tensor> to_gpu(const Tensor& t, Gpu& gpu) {
  if (t.buffer->gpu()) return t;
  Span span = span_of(t);
  const size_t size = t.dtype.size;
  FRIT_ASSIGN_OR_RETURN(buffer, gpu.allocate(static_cast<size_t>(span.count) * size));
  const auto* from =
      static_cast<const std::byte*>(t.buffer->data()) + (t.offset + span.low) * static_cast<int64_t>(size);
  if (span.count) FRIT_TRY(gpu.write(*buffer, 0, from, static_cast<size_t>(span.count) * size));
  return Tensor{std::move(buffer), t.dtype, t.shape, t.strides, -span.low};
}

Result<Tensor> to_host(const Tensor& t, Gpu& gpu) {
  if (!t.buffer->gpu()) return t;
  Span span = span_of(t);
  const size_t size = t.dtype.size;
  FRIT_ASSIGN_OR_RETURN(buffer, Buffer::allocate(static_cast<size_t>(span.count) * size));
  if (span.count) {
    auto first = static_cast<size_t>(t.offset + span.low) * size;
    FRIT_TRY(gpu.read(*t.buffer, first, buffer->data(), static_cast<size_t>(span.count) * size));
  }
  return Tensor{std::move(buffer), t.dtype, t.shape, t.strides, -span.low};
}

}  // namespace frit::runtime
