// Devices and streams.
//
// A Device is where an array is computed: the CPU, or the GPU that frit's Vulkan driver finds (FRIT_VULKAN_DEVICE
// chooses it). Arrays move on demand: a result of a GPU stays in its memory until the CPU reads it, and an operation on
// the GPU copies the arrays that it takes from the CPU. Where the default device was not set, FRIT_DEVICE=gpu makes it
// the GPU.
//
// A Stream is an order of work on a device. `eval` runs in the calling thread and returns when the values are there;
// `async_eval` hands work to the stream's worker thread. Work for a GPU is handed over without waiting: reading a value
// on the host waits, and so do `eval` and `synchronize`. Values of these types are plain and may be copied freely.
#pragma once

#include <compare>
#include <concepts>
#include <iosfwd>
#include <optional>
#include <source_location>
#include <variant>
#include <vector>

namespace frit {

struct Device {
  enum class DeviceType { cpu, gpu };
  static constexpr DeviceType cpu = DeviceType::cpu;
  static constexpr DeviceType gpu = DeviceType::gpu;

  constexpr Device(DeviceType type = DeviceType::cpu, int index = 0) : type(type), index(index) {}
  DeviceType type;
  int index;
  friend constexpr bool operator==(const Device&, const Device&) = default;
  friend constexpr auto operator<=>(const Device&, const Device&) = default;
};

struct Stream {
  int index = 0;
  Device device;
  constexpr Stream() = default;
  constexpr Stream(int index, Device device) : index(index), device(device) {}
  friend constexpr bool operator==(const Stream&, const Stream&) = default;
  friend constexpr auto operator<=>(const Stream&, const Stream&) = default;
};

// One stream for each thread that uses it, made when the thread first does.
struct ThreadLocalStream : Stream {
  using Stream::Stream;
};

// ---- Written from frontend/api: streams

// Whether the device can run programs here.
bool is_available(const Device& device);

// The number of devices of a type that can run programs here.
int device_count(Device::DeviceType type);

namespace gpu {
// Whether a GPU can run programs here.
bool is_available();

// The number of GPUs that can run programs here.
int device_count();

}  // namespace gpu

namespace metal {
// Always false: frit drives GPUs through Vulkan.
bool is_available();

}  // namespace metal

namespace cu {
// Always false: frit drives GPUs through Vulkan.
bool is_available();

}  // namespace cu

// The device of operations that name none.
const Device& default_device();

// Makes a device the default of the process.
// Throws InvalidArgument when the device is not available.
void set_default_device(const Device& device);

// The default stream of a device, for the calling thread.
// Throws InvalidArgument when the device is not available.
Stream default_stream(const Device& device);

// The default stream of a device for the calling thread, or nothing where the device is not available.
std::optional<Stream> peek_default_stream(const Device& device);

// Makes a stream the default of its device, for the calling thread.
// Throws InvalidArgument when the device is not available or the stream does not exist.
void set_default_stream(Stream stream);

// A new stream of a device, or of the default device.
// Throws InvalidArgument when the device is not available.
Stream new_stream(const Device& device);
Stream new_stream();

// A stream that stands for a stream of its own in each thread that uses it.
// Throws InvalidArgument when the device is not available.
ThreadLocalStream new_thread_local_stream(const Device& device);

// The calling thread's own stream behind a thread-local one.
Stream stream_from_thread_local_stream(ThreadLocalStream stream);

// The stream of a number.
// Throws InvalidArgument when there is none.
Stream get_stream(int index);

// Every stream that exists, in the order of their numbers. Number 0 serves the default device.
std::vector<Stream> get_streams();

// Waits for the work of every stream, and removes the streams that new_stream made. Using a removed stream throws
// InvalidArgument. A thread whose default stream is removed goes back to stream 0.
// Throws RuntimeError when a GPU was lost.
void clear_streams();

// Waits for all work that was handed to a stream, or to the default one.
// Throws InvalidArgument when the stream does not exist, RuntimeError when a GPU was lost.
void synchronize(Stream stream);
void synchronize(ThreadLocalStream stream);
void synchronize();

// The number of threads that one kernel is spread over: the environment variable FRIT_NUM_THREADS, else the number of
// CPUs that the process may use.
int num_threads();

// Changes the number of threads for kernels that start after it. A number below 1 restores the default. Results do not
// depend on it.
void set_num_threads(int n);

// ---- End of frontend/api: streams

std::ostream& operator<<(std::ostream& os, const Device& device);
std::ostream& operator<<(std::ostream& os, const Stream& stream);

// The last argument of every operation: the stream that it runs on (by default the default device's), and the line of
// the user's source that called it, which fills itself in.
class StreamOrDevice : public std::variant<std::monostate, Stream, ThreadLocalStream, Device, Device::DeviceType> {
 public:
  StreamOrDevice(std::source_location where = std::source_location::current()) : where_(where) {}
  template <class T>
    requires(std::same_as<T, std::monostate> || std::same_as<T, Stream> || std::same_as<T, ThreadLocalStream> ||
             std::same_as<T, Device> || std::same_as<T, Device::DeviceType>)
  StreamOrDevice(T chosen, std::source_location where = std::source_location::current())
      : variant(chosen), where_(where) {}

  const std::source_location& where() const { return where_; }
  bool is_default() const { return index() == 0; }
  Stream stream() const;  // resolved

 private:
  std::source_location where_;
};

// The stream of an operation's last argument. Where it names none: the default device's, or that of `default_device`.
inline Stream to_stream(const StreamOrDevice& s) { return s.stream(); }
inline Stream to_stream(const StreamOrDevice& s, Device default_device) {
  return s.is_default() ? default_stream(default_device) : s.stream();
}

// Sets the default stream (and device) for a scope.
class StreamContext {
 public:
  // Throws RuntimeError where no stream and no device is named.
  explicit StreamContext(const StreamOrDevice& s);
  ~StreamContext();
  StreamContext(const StreamContext&) = delete;
  StreamContext& operator=(const StreamContext&) = delete;

 private:
  Device device_;
  Stream stream_;
};

}  // namespace frit
