// Devices, streams, and the memory of arrays.
#include <nanobind/stl/unordered_map.h>
#include <nanobind/stl/variant.h>

#include <sstream>

#include "frontend/python/core/bind.h"

namespace frit::python {

namespace {

using DeviceOrType = std::variant<Device, Device::DeviceType>;
using StreamOrOther = std::variant<Stream, ThreadLocalStream, Device, Device::DeviceType>;

Device device_of(const DeviceOrType& d) {
  return std::visit([](auto x) { return Device(x); }, d);
}

std::string device_text(const Device& d) {
  return std::string("Device(") + (d.type == Device::gpu ? "gpu" : "cpu") + ", " + std::to_string(d.index) + ")";
}
std::string stream_text(const char* name, const Stream& s) {
  return std::string(name) + "(" + device_text(s.device) + ", " + std::to_string(s.index) + ")";
}

// `with stream(s)`: sets the default stream and device for a block.
struct WithStream {
  explicit WithStream(const StreamOrOther& s)
      : given(std::visit([](auto x) { return StreamOrDevice(x, std::source_location{}); }, s)) {}
  StreamOrDevice given;
  std::unique_ptr<StreamContext> context;
};

template <class T>
bool same(const T& a, nb::handle b) {
  T other;
  return nb::try_cast(b, other, false) && a == other;
}

void bind_streams(nb::module_& m) {
  def(m, "default_device", [] { return default_device(); });
  def(m, "set_default_device", [](DeviceOrType d) { set_default_device(device_of(d)); }, "device"_a);
  def(m, "default_stream", [](DeviceOrType d) { return default_stream(device_of(d)); }, "device"_a);
  def(m, "set_default_stream", [](Stream s) { set_default_stream(s); }, "stream"_a);
  def(m, "new_stream", [](DeviceOrType d) { return new_stream(device_of(d)); }, "device"_a);
  def(m, "new_thread_unsafe_stream", [](DeviceOrType d) { return new_thread_unsafe_stream(device_of(d)); }, "device"_a);
  def(m, "new_thread_local_stream", [](DeviceOrType d) { return new_thread_local_stream(device_of(d)); }, "device"_a);
  def(m, "clear_streams", [] { without_lock([] { clear_streams(); }); });
  def(
      m, "synchronize",
      [](std::optional<StreamOrOther> s) {
        without_lock([&] {
          if (!s) return synchronize();
          std::visit([](auto x) { synchronize(StreamOrDevice(x, std::source_location{}).stream()); }, *s);
        });
      },
      "stream"_a = nb::none());
  def(m, "is_available", [](DeviceOrType d) { return is_available(device_of(d)); }, "device"_a);
  def(m, "device_count", [](Device::DeviceType t) { return device_count(t); }, "device_type"_a);
  def(
      m, "device_info", [](std::optional<DeviceOrType> d) { return device_info(d ? device_of(*d) : default_device()); },
      "d"_a = nb::none());
}

void bind_memory(nb::module_& m) {
  def(m, "get_active_memory", &get_active_memory);
  def(m, "get_peak_memory", &get_peak_memory);
  def(m, "reset_peak_memory", &reset_peak_memory);
  def(m, "get_cache_memory", &get_cache_memory);
  def(m, "get_memory_limit", &get_memory_limit);
  def(m, "set_memory_limit", &set_memory_limit, "limit"_a);
  def(m, "set_cache_limit", &set_cache_limit, "limit"_a);
  def(m, "set_wired_limit", &set_wired_limit, "limit"_a);
  def(m, "clear_cache", &clear_cache);

  nb::module_ gpu = m.def_submodule("metal", documentation("metal").text);
  def(gpu, "metal.is_available", &metal::is_available);
  def(gpu, "metal.device_info", [] { return metal::device_info(); });
  def(gpu, "metal.start_capture", &metal::start_capture, "path"_a);
  def(gpu, "metal.stop_capture", &metal::stop_capture);
  def(gpu, "metal.get_active_memory", &get_active_memory);
  def(gpu, "metal.get_peak_memory", &get_peak_memory);
  def(gpu, "metal.reset_peak_memory", &reset_peak_memory);
  def(gpu, "metal.get_cache_memory", &get_cache_memory);
  def(gpu, "metal.set_memory_limit", &set_memory_limit, "limit"_a);
  def(gpu, "metal.set_cache_limit", &set_cache_limit, "limit"_a);
  def(gpu, "metal.set_wired_limit", &set_wired_limit, "limit"_a);
  def(gpu, "metal.clear_cache", &clear_cache);
  nb::module_ cuda = m.def_submodule("cuda", documentation("cuda").text);
  def(cuda, "cuda.is_available", &cu::is_available);
}

}  // namespace

void bind_devices(nb::module_& m) {
  nb::enum_<Device::DeviceType>(m, "DeviceType", documentation("DeviceType").text)
      .value("cpu", Device::cpu)
      .value("gpu", Device::gpu)
      .export_values()
      .def(
          "__eq__",
          [](Device::DeviceType self, nb::handle other) {
            if (Device d; nb::try_cast(other, d, false)) return Device(self) == d;
            return same(self, other);
          },
          nb::arg().none())
      .def("__hash__", [](Device::DeviceType self) { return static_cast<int>(self); });
  const auto property = [&](auto& c, const char* name, auto get) {
    const Documentation d = documentation(name);
    c.def_prop_ro(last_part(name), get, nb::sig(d.signature), d.text);
  };

  nb::class_<Device> device(m, "Device", documentation("Device").text);
  def(
      device, "Device.__init__",
      [](Device* self, Device::DeviceType type, int index) { new (self) Device(type, index); }, "type"_a,
      "index"_a = 0);
  property(device, "Device.type", [](const Device& d) { return d.type; });
  device.def_prop_ro("index", [](const Device& d) { return d.index; }, "Which of the devices of the type.");
  def(device, "Device.__repr__", &device_text);
  def(
      device, "Device.__eq__",
      [](const Device& d, nb::handle other) {
        if (Device::DeviceType t; nb::try_cast(other, t, false)) return d == Device(t);
        return same(d, other);
      },
      nb::arg().none());
  device.def("__hash__", [](const Device& d) { return static_cast<int>(d.type) * 1024 + d.index; });

  nb::class_<Stream> stream(m, "Stream", documentation("Stream").text);
  property(stream, "Stream.device", [](const Stream& s) { return s.device; });
  stream.def_prop_ro("index", [](const Stream& s) { return s.index; }, "The number of the stream.");
  def(stream, "Stream.__repr__", [](const Stream& s) { return stream_text("Stream", s); });
  def(stream, "Stream.__eq__", [](const Stream& s, nb::handle o) { return same(s, o); }, nb::arg().none());
  stream.def("__hash__", [](const Stream& s) { return s.index; });

  nb::class_<ThreadLocalStream> local(m, "ThreadLocalStream", documentation("ThreadLocalStream").text);
  property(local, "ThreadLocalStream.device", [](const ThreadLocalStream& s) { return s.device; });
  def(local, "ThreadLocalStream.__repr__",
      [](const ThreadLocalStream& s) { return stream_text("ThreadLocalStream", s); });
  def(
      local, "ThreadLocalStream.__eq__", [](const ThreadLocalStream& s, nb::handle o) { return same(s, o); },
      nb::arg().none());

  nb::class_<WithStream> with(m, "StreamContext", documentation("StreamContext").text);
  def(with, "StreamContext.__init__", [](WithStream* self, StreamOrOther s) { new (self) WithStream(s); }, "s"_a);
  def(with, "StreamContext.__enter__",
      [](WithStream& self) { self.context = std::make_unique<StreamContext>(self.given); });
  def(
      with, "StreamContext.__exit__",
      [](WithStream& self, nb::object, nb::object, nb::object) { self.context.reset(); }, "exc_type"_a = nb::none(),
      "exc_value"_a = nb::none(), "traceback"_a = nb::none());
  def(m, "stream", [](StreamOrOther s) { return new WithStream(s); }, "s"_a, nb::rv_policy::take_ownership);

  bind_streams(m);
  bind_memory(m);
}

}  // namespace frit::python
