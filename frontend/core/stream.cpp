// Devices, streams and their worker threads; async_eval.
#include "frontend/frit/stream.h"

#include <deque>
#include <mutex>
#include <ostream>

#include "frontend/core/node.h"
#include "frontend/frit/transforms.h"
#include "runtime/execute/gpu.h"
#include "runtime/execute/parallel.h"
#include "runtime/execute/stream.h"

namespace frit {

int num_threads() { return runtime::num_threads(); }
void set_num_threads(int n) { runtime::set_num_threads(n); }

namespace {

class Streams {
 public:
  static Streams& instance() {
    static Streams streams;
    return streams;
  }

  Stream add(Device device) {
    std::lock_guard<std::mutex> guard(mutex_);
    workers_.emplace_back();
    return Stream(static_cast<int>(workers_.size()) - 1, device);
  }

  runtime::Stream* find(int index) {
    std::lock_guard<std::mutex> guard(mutex_);
    if (index < 0 || index >= static_cast<int>(workers_.size())) return nullptr;
    return &workers_[static_cast<size_t>(index)];
  }

 private:
  Streams() { workers_.emplace_back(); }
  std::mutex mutex_;
  std::deque<runtime::Stream> workers_;  // the addresses stay
};

std::string text(const Device& d) {
  return std::string(d.type == Device::cpu ? "cpu" : "gpu") + " " + std::to_string(d.index);
}

void check_available(const Device& device, const char* what) {
  if (!is_available(device)) {
    std::string why = "use Device::cpu";
    if (device.type == Device::gpu && device.index == 0)
      if (auto gpu = runtime::find_gpu(); !gpu.ok()) why = gpu.error().message + "; " + why;
    throw InvalidArgument(std::string(what) + ": device " + text(device) + " is not available", why);
  }
}

runtime::Stream& worker_of(Stream stream, const char* what) {
  runtime::Stream* worker = Streams::instance().find(stream.index);
  if (!worker)
    throw InvalidArgument(std::string(what) + ": there is no stream " + std::to_string(stream.index),
                          "make one with new_stream");
  return *worker;
}

Device& device_slot() {
  static Device device = [] {
    // A name that is not known stands for the CPU, as there is nobody to tell before the first call.
    const auto name = runtime::device_name("");
    return Device(name.ok() && *name != "cpu" ? Device::gpu : Device::cpu);
  }();
  return device;
}
thread_local Stream t_default_stream;

}  // namespace

bool is_available(const Device& device) {
  return device.index == 0 && (device.type == Device::cpu || runtime::find_gpu().ok());
}
int device_count(Device::DeviceType type) { return is_available(Device(type)) ? 1 : 0; }

const Device& default_device() { return device_slot(); }
void set_default_device(const Device& device) {
  check_available(device, "set_default_device");
  device_slot() = device;
}

Stream default_stream(Device device) {
  check_available(device, "default_stream");
  return t_default_stream.device == device ? t_default_stream : Stream(0, device);
}
void set_default_stream(Stream stream) {
  check_available(stream.device, "set_default_stream");
  worker_of(stream, "set_default_stream");
  t_default_stream = stream;
}
Stream new_stream(Device device) {
  check_available(device, "new_stream");
  return Streams::instance().add(device);
}
Stream new_stream() { return new_stream(default_device()); }
Stream get_stream(int index) {
  Stream stream(index, default_device());
  worker_of(stream, "get_stream");
  return stream;
}

void synchronize(Stream stream) {
  worker_of(stream, "synchronize").synchronize();
  if (stream.device.type != Device::gpu) return;
  if (runtime::Gpu* gpu = runtime::known_gpu())
    if (Status s = gpu->synchronize(); !s.ok()) throw RuntimeError(s.error().message, s.error().note);
}
void synchronize() { synchronize(default_stream(default_device())); }

Stream StreamOrDevice::stream() const {
  if (kind_ == Kind::stream) return stream_;
  return default_stream(kind_ == Kind::device ? stream_.device : default_device());
}

StreamContext::StreamContext(const StreamOrDevice& s) : device_(default_device()), stream_(default_stream(device_)) {
  const Stream stream = s.stream();
  set_default_device(stream.device);
  set_default_stream(stream);
}
StreamContext::~StreamContext() {
  device_slot() = device_;
  t_default_stream = stream_;
}

std::ostream& operator<<(std::ostream& os, const Device& d) {
  return os << "Device(" << (d.type == Device::cpu ? "cpu" : "gpu") << ", " << d.index << ')';
}
std::ostream& operator<<(std::ostream& os, const Stream& s) {
  return os << "Stream(" << s.device << ", " << s.index << ')';
}

void async_eval(std::vector<array> outputs) {
  std::vector<detail::NodePtr> nodes;
  for (const array& a : outputs) {
    detail::OperationPtr operation = a.node()->current_operation();
    if (!operation) continue;
    if (operation->tracer) detail::evaluate(a.node());  // throws where the caller can see it
    operation->scheduled.store(true, std::memory_order_relaxed);
    nodes.push_back(a.node());
  }
  if (nodes.empty()) return;
  worker_of(default_stream(default_device()), "async_eval").enqueue([nodes = std::move(nodes)] {
    try {
      detail::evaluate(nodes);
    } catch (...) {
      // The arrays stay lazy: who asks for a value runs the operation again and gets the exception.
    }
  });
}

}  // namespace frit
