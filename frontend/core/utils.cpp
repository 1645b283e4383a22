// Limits of element types, and axes.
#include "frontend/frit/utils.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <unordered_set>

#include "frontend/core/node.h"
#include "frontend/frit/error.h"
#include "frontend/frit/memory.h"
#include "frontend/frit/stream.h"
#include "ir/base/dtype.h"
#include "runtime/execute/device.h"
#include "runtime/execute/gpu.h"

namespace frit {

finfo::finfo(Dtype t) : dtype(t == complex64 ? float32 : t), bits(dtype.size() * 8) {
  // Digits of the significand, the hidden one left out, and the largest exponent.
  int digits, exponent;
  switch (dtype.val()) {
    case Dtype::Val::float16: digits = 10, exponent = 15; break;
    case Dtype::Val::bfloat16: digits = 7, exponent = 127; break;
    case Dtype::Val::float32: digits = 23, exponent = 127; break;
    case Dtype::Val::float64: digits = 52, exponent = 1023; break;
    default:
      throw InvalidArgument("finfo: " + std::string(long_name(t)) + " is not a floating-point type",
                            "use iinfo for integers");
  }
  eps = std::ldexp(1.0, -digits);
  max = std::ldexp(2.0 - eps, exponent);
  min = -max;
  smallest_normal = std::ldexp(1.0, 1 - exponent);
}

iinfo::iinfo(Dtype t) : dtype(t), bits(t.size() * 8) {
  if (!is_int(t))
    throw InvalidArgument("iinfo: " + std::string(long_name(t)) + " is not an integer type",
                          "use finfo for floating-point types");
  const int digits = is_unsigned(t) ? bits : bits - 1;
  max = std::numeric_limits<uint64_t>::max() >> (64 - digits);
  min = is_unsigned(t) ? 0 : -static_cast<int64_t>(max) - 1;
}

int normalize_axis_index(int axis, int ndim, const std::string& msg_prefix) {
  if (axis < -ndim || axis >= ndim)
    throw OutOfRange(msg_prefix + "axis " + std::to_string(axis) + " is out of range for an array with " +
                         std::to_string(ndim) + " axes",
                     "axes are counted from 0, and from -1 at the end");
  return axis < 0 ? axis + ndim : axis;
}

bool is_power_of_2(int n) { return n > 0 && std::has_single_bit(static_cast<unsigned>(n)); }
int next_power_of_2(int n) { return n <= 0 ? 0 : static_cast<int>(std::bit_ceil(static_cast<unsigned>(n))); }

bool is_main_thread() { return syscall(SYS_gettid) == getpid(); }

const char* version() { return FRIT_VERSION; }

void detail::throw_size_overflow(std::string_view op, bool negative) {
  throw_overflow((op.empty() ? "safe_cast" : std::string(op)) + ": a size is " + (negative ? "less" : "more") +
                     " than an axis holds",
                 "sizes are numbers of 32 bits", {});
}

namespace {

DeviceFacts facts_of_cpu() {
  const runtime::DeviceInfo cpu = runtime::list_devices().front();
#if defined(__x86_64__)
  const std::string architecture = "x86_64";
#elif defined(__aarch64__)
  const std::string architecture = "aarch64";
#else
  const std::string architecture = "unknown";
#endif
  return {{"device_name", cpu.name},
          {"architecture", architecture},
          {"memory_size", cpu.memory_bytes},
          {"threads", static_cast<size_t>(cpu.threads)}};
}

DeviceFacts facts_of_gpu(int index) {
  const auto gpus = runtime::list_gpus();
  if (!gpus.ok() || index < 0 || static_cast<size_t>(index) >= gpus->size()) return {};
  const runtime::GpuInfo& gpu = (*gpus)[static_cast<size_t>(index)];
  return {{"device_name", gpu.name},
          {"architecture", "vulkan " + gpu.api},
          {"driver", gpu.driver},
          {"memory_size", static_cast<size_t>(gpu.memory_bytes)},
          {"max_buffer_length", static_cast<size_t>(gpu.max_allocation)}};
}

}  // namespace

const DeviceFacts& device_info(const Device& device) {
  static std::mutex mutex;
  static std::map<Device, DeviceFacts> known;
  const std::lock_guard<std::mutex> guard(mutex);
  const auto found = known.find(device);
  if (found != known.end()) return found->second;
  return known.emplace(device, device.type == Device::cpu ? facts_of_cpu() : facts_of_gpu(device.index)).first->second;
}

const DeviceFacts& gpu::device_info(int device_index) { return frit::device_info(Device(Device::gpu, device_index)); }

namespace {

const DeviceFacts& no_facts() {
  static const DeviceFacts none;
  return none;
}

std::string& kept_metallib_path() {
  static std::string path;
  return path;
}

}  // namespace

const DeviceFacts& metal::device_info() { return no_facts(); }
const DeviceFacts& cu::device_info(int) { return no_facts(); }
void metal::start_capture(const std::string&) {}
void metal::stop_capture() {}
void metal::set_metallib_path(const std::string& path) { kept_metallib_path() = path; }
const std::string& metal::get_metallib_path() { return kept_metallib_path(); }

size_t get_array_buffer_size(const std::vector<array>& arrays) {
  std::unordered_set<const void*> met;
  size_t bytes = 0;
  for (const array& a : arrays) {
    if (!a.is_available()) throw InvalidArgument("get_array_buffer_size: an array is not evaluated", "call eval first");
    if (met.insert(a.data_shared_ptr().get()).second) bytes += a.buffer_size();
  }
  return bytes;
}

size_t set_wired_limit(size_t) { return 0; }

Stream new_thread_unsafe_stream(const Device& device) { return new_stream(device); }

}  // namespace frit
