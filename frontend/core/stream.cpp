// Devices, streams and their worker threads; async_eval.
#include "frontend/frit/stream.h"

#include <atomic>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <ostream>
#include <utility>
#include <vector>

#include "frontend/core/node.h"
#include "frontend/frit/transforms.h"
#include "ir/base/per_thread.h"
#include "runtime/execute/gpu.h"
#include "runtime/execute/parallel.h"
#include "runtime/execute/stream.h"

namespace frit {

int num_threads() { return runtime::num_threads(); }
void set_num_threads(int n) { runtime::set_num_threads(n); }

namespace {

// Every stream of the process. Never destroyed: static destructors may evaluate arrays.
class Streams {
 public:
  using Worker = std::shared_ptr<runtime::Stream>;

  static Streams& instance() {
    static Streams& streams = *new Streams;
    return streams;
  }

  Stream add(Device device) {
    std::lock_guard<std::mutex> guard(mutex_);
    entries_.push_back({std::make_shared<runtime::Stream>(), device});
    return Stream(static_cast<int>(entries_.size()) - 1, device);
  }

  // Null where there is none of that number.
  Worker find(int index) {
    std::lock_guard<std::mutex> guard(mutex_);
    if (index < 0 || index >= static_cast<int>(entries_.size())) return nullptr;
    return entries_[static_cast<size_t>(index)].worker;
  }

  std::vector<Stream> all() {
    std::lock_guard<std::mutex> guard(mutex_);
    std::vector<Stream> streams;
    for (size_t i = 0; i < entries_.size(); ++i)
      if (entries_[i].worker) streams.emplace_back(static_cast<int>(i), i ? entries_[i].device : default_device());
    return streams;
  }

  // Takes out all but the first, whose numbers are not given again.
  std::vector<Worker> clear() {
    std::lock_guard<std::mutex> guard(mutex_);
    std::vector<Worker> workers{entries_[0].worker};
    for (size_t i = 1; i < entries_.size(); ++i)
      if (entries_[i].worker) workers.push_back(std::exchange(entries_[i].worker, nullptr));
    generation.fetch_add(1, std::memory_order_relaxed);
    return workers;
  }

  std::atomic<uint64_t> generation{0};  // how often streams were removed

 private:
  struct Entry {
    Worker worker;
    Device device;
  };
  Streams() { entries_.push_back({std::make_shared<runtime::Stream>(), Device()}); }
  std::mutex mutex_;
  std::vector<Entry> entries_;
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

Streams::Worker worker_of(Stream stream, const char* what) {
  Streams::Worker worker = Streams::instance().find(stream.index);
  if (!worker)
    throw InvalidArgument(std::string(what) + ": there is no stream " + std::to_string(stream.index),
                          "make one with new_stream");
  return worker;
}

Device& device_slot() {
  static Device device = [] {
    // There is nobody to throw at before the first call.
    const auto name = runtime::device_name("");
    if (!name.ok())
      std::fprintf(stderr, "frit: FRIT_DEVICE: %s, so the cpu is used; %s\n", name.error().message.c_str(),
                   name.error().note.c_str());
    return Device(name.ok() && *name != "cpu" ? Device::gpu : Device::cpu);
  }();
  return device;
}
// The default stream that the calling thread chose, and the generation of streams in which it did.
thread_local Stream t_default_stream;
thread_local uint64_t t_generation = 0;

// A removed stream is no default any more.
void forget_removed() {
  const uint64_t now = Streams::instance().generation.load(std::memory_order_relaxed);
  if (t_generation == now) return;
  t_generation = now;
  if (!Streams::instance().find(t_default_stream.index)) t_default_stream = Stream();
}

void wait_for_gpu() {
  if (runtime::Gpu* gpu = runtime::known_gpu())
    if (Status s = gpu->synchronize(); !s.ok()) throw RuntimeError(s.error().message, s.error().note);
}

}  // namespace

bool is_available(const Device& device) {
  return device.index == 0 && (device.type == Device::cpu || runtime::find_gpu().ok());
}
int device_count(Device::DeviceType type) { return is_available(Device(type)) ? 1 : 0; }
bool gpu::is_available() { return frit::is_available(Device::gpu); }
int gpu::device_count() { return frit::device_count(Device::gpu); }
bool metal::is_available() { return false; }
bool cu::is_available() { return false; }

const Device& default_device() { return device_slot(); }
void set_default_device(const Device& device) {
  check_available(device, "set_default_device");
  device_slot() = device;
}

Stream default_stream(const Device& device) {
  check_available(device, "default_stream");
  forget_removed();
  return t_default_stream.device == device ? t_default_stream : Stream(0, device);
}
std::optional<Stream> peek_default_stream(const Device& device) {
  return is_available(device) ? std::optional(default_stream(device)) : std::nullopt;
}
void set_default_stream(Stream stream) {
  check_available(stream.device, "set_default_stream");
  worker_of(stream, "set_default_stream");
  forget_removed();
  t_default_stream = stream;
}
Stream new_stream(const Device& device) {
  check_available(device, "new_stream");
  return Streams::instance().add(device);
}
Stream new_stream() { return new_stream(default_device()); }
Stream get_stream(int index) {
  for (const Stream& stream : get_streams())
    if (stream.index == index) return stream;
  worker_of(Stream(index, Device()), "get_stream");  // throws
  return {};
}
std::vector<Stream> get_streams() { return Streams::instance().all(); }
void clear_streams() {
  for (const Streams::Worker& worker : Streams::instance().clear()) worker->synchronize();
  wait_for_gpu();
}

ThreadLocalStream new_thread_local_stream(const Device& device) {
  static std::atomic<int> next{0};
  check_available(device, "new_thread_local_stream");
  return ThreadLocalStream(next.fetch_add(1, std::memory_order_relaxed), device);
}
namespace {
struct OwnStreams {
  std::map<std::pair<int, Device>, Stream> by_number;
};
}  // namespace

Stream stream_from_thread_local_stream(ThreadLocalStream stream) {
  auto& own = PerThread<OwnStreams>::get().by_number;
  const auto [found, fresh] = own.try_emplace({stream.index, stream.device});
  if (fresh || !Streams::instance().find(found->second.index)) found->second = new_stream(stream.device);
  return found->second;
}

void synchronize(Stream stream) {
  worker_of(stream, "synchronize")->synchronize();
  if (stream.device.type == Device::gpu) wait_for_gpu();
}
void synchronize(ThreadLocalStream stream) { synchronize(stream_from_thread_local_stream(stream)); }
void synchronize() { synchronize(default_stream(default_device())); }

Stream StreamOrDevice::stream() const {
  if (const auto* stream = std::get_if<Stream>(this)) return *stream;
  if (const auto* stream = std::get_if<ThreadLocalStream>(this)) return stream_from_thread_local_stream(*stream);
  if (const auto* device = std::get_if<Device>(this)) return default_stream(*device);
  if (const auto* type = std::get_if<Device::DeviceType>(this)) return default_stream(*type);
  return default_stream(default_device());
}

StreamContext::StreamContext(const StreamOrDevice& s) : device_(default_device()), stream_(default_stream(device_)) {
  if (s.is_default()) throw RuntimeError("StreamContext: no stream and no device is named", "give one of them");
  const Stream stream = s.stream();
  set_default_device(stream.device);
  set_default_stream(stream);
}
StreamContext::~StreamContext() {
  device_slot() = device_;
  forget_removed();
  t_default_stream = Streams::instance().find(stream_.index) ? stream_ : Stream();
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
    if (a.is_tracer())
      throw InvalidArgument("async_eval: an array depends on an argument of a function that is traced",
                            "use eval, or call async_eval outside of the function");
    const detail::NodePtr& node = detail::node_of(a);
    const detail::OperationPtr operation = node->current_operation();
    if (!operation) continue;
    operation->scheduled.store(true, std::memory_order_relaxed);
    nodes.push_back(node);
  }
  if (nodes.empty()) return;
  worker_of(default_stream(default_device()), "async_eval")->enqueue([nodes = std::move(nodes)] {
    try {
      detail::evaluate(nodes);
    } catch (...) {
      // The arrays stay lazy: asking for a value runs the operation again and throws the exception there.
    }
  });
}

}  // namespace frit
