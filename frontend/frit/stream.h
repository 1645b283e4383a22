// Devices and streams.
//
// A Device is where an array is computed: the CPU, or the GPU that frit's Vulkan driver finds (FRIT_VULKAN_DEVICE
// chooses it). Arrays move on demand: what a GPU computes stays in its memory until the CPU reads it, and an operation
// on the GPU takes arrays of the CPU by copying them. Where the default device was not set, FRIT_DEVICE=gpu makes it
// the GPU. A Stream is an order of work on a device. `eval` runs in the calling thread and returns when the values are
// there; `async_eval` hands work to the stream's worker thread. A GPU is given work without waiting for it: reading a
// value on the host waits, and so do `eval` and `synchronize`. Values of these types are plain and may be copied
// freely.
#pragma once

#include <iosfwd>
#include <source_location>

namespace frit {

struct Device {
  enum class DeviceType { cpu, gpu };
  static constexpr DeviceType cpu = DeviceType::cpu;
  static constexpr DeviceType gpu = DeviceType::gpu;

  constexpr Device(DeviceType type = DeviceType::cpu, int index = 0) : type(type), index(index) {}
  DeviceType type;
  int index;
  friend constexpr bool operator==(const Device&, const Device&) = default;
};

struct Stream {
  int index = 0;
  Device device;
  constexpr Stream() = default;
  constexpr Stream(int index, Device device) : index(index), device(device) {}
  friend constexpr bool operator==(const Stream&, const Stream&) = default;
};

// Whether the device can run programs here.
bool is_available(const Device& device);
int device_count(Device::DeviceType type);

// The device that ops use when none is given. Setting one that is not available throws InvalidArgument.
const Device& default_device();
void set_default_device(const Device& device);

// The default stream of a device, for the calling thread; a new one; a stream by number. Throw InvalidArgument for a
// device that is not available.
Stream default_stream(Device device);
void set_default_stream(Stream stream);
Stream new_stream(Device device);
Stream new_stream();
Stream get_stream(int index);

// Waits for all work handed to a stream, or to the default one.
void synchronize(Stream stream);
void synchronize();

// Threads that one kernel is spread over: FRIT_NUM_THREADS, else the CPUs that the process may use. A change holds for
// kernels that start after it, and a number below 1 means those CPUs. Results do not depend on it.
int num_threads();
void set_num_threads(int n);

std::ostream& operator<<(std::ostream& os, const Device& device);
std::ostream& operator<<(std::ostream& os, const Stream& stream);

// The trailing argument of every op: where it runs (default: the default device's stream), and, without the user doing
// anything, the line of the user's source that called it.
class StreamOrDevice {
 public:
  StreamOrDevice(std::source_location where = std::source_location::current()) : where_(where) {}
  StreamOrDevice(Stream stream, std::source_location where = std::source_location::current())
      : kind_(Kind::stream), stream_(stream), where_(where) {}
  StreamOrDevice(Device device, std::source_location where = std::source_location::current())
      : kind_(Kind::device), stream_(0, device), where_(where) {}
  StreamOrDevice(Device::DeviceType device, std::source_location where = std::source_location::current())
      : kind_(Kind::device), stream_(0, Device(device)), where_(where) {}

  const std::source_location& where() const { return where_; }
  bool is_default() const { return kind_ == Kind::none; }
  Stream stream() const;  // resolved

 private:
  enum class Kind : unsigned char { none, stream, device } kind_ = Kind::none;
  Stream stream_;
  std::source_location where_;
};

inline Stream to_stream(const StreamOrDevice& s) { return s.stream(); }

// Sets the default stream (and device) for a scope.
class StreamContext {
 public:
  explicit StreamContext(const StreamOrDevice& s);
  ~StreamContext();
  StreamContext(const StreamContext&) = delete;
  StreamContext& operator=(const StreamContext&) = delete;

 private:
  Device device_;
  Stream stream_;
};

}  // namespace frit
