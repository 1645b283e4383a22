// The objects behind the handles of the C interface.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frit/frit.h"
#include "frit_c.h"
#include "frontend/c/slots.h"
#include "mlx/c/mlx.h"

namespace frit::c {

using Arrays = std::vector<array>;
using ArrayMap = std::unordered_map<std::string, array>;
using TextMap = std::unordered_map<std::string, std::string>;

struct ArrayObject {
  static constexpr uint32_t kType = 1;
  array value;
  std::unique_ptr<std::vector<std::vector<size_t>>> strides;  // those that mlx_array_strides has returned
};
struct BatchTrace;
struct ArraysObject {
  static constexpr uint32_t kType = 2;
  Arrays value;
  std::shared_ptr<const BatchTrace> batch = {};  // of a list that mlx_detail_vmap_trace gave
};
struct ArrayListsObject {
  static constexpr uint32_t kType = 3;
  std::vector<Arrays> value;
};
struct IntsObject {
  static constexpr uint32_t kType = 4;
  std::vector<int> value;
};
struct TextsObject {
  static constexpr uint32_t kType = 5;
  std::vector<std::string> value;
};
struct TextObject {
  static constexpr uint32_t kType = 6;
  std::string value;
};
// The number of a map's nodes: other nodes have another number, moved ones keep theirs.
struct MapNodes {
  MapNodes() : number(next()) {}
  MapNodes(const MapNodes&) : number(next()) {}
  MapNodes(MapNodes&&) = default;
  MapNodes& operator=(MapNodes&&) = default;
  uint64_t number;

 private:
  static uint64_t next() {
    static std::atomic<uint64_t> last{0};
    return ++last;
  }
};
struct ArrayMapObject {
  static constexpr uint32_t kType = 7;
  ArrayMap value;
  MapNodes nodes = {};
};
struct TextMapObject {
  static constexpr uint32_t kType = 8;
  TextMap value;
  MapNodes nodes = {};
};
// `nodes` is the number of the nodes that `next` lies among.
struct ArrayMapIterator {
  static constexpr uint32_t kType = 9;
  ArrayMap::const_iterator next;
  uint64_t nodes;
};
struct TextMapIterator {
  static constexpr uint32_t kType = 10;
  TextMap::const_iterator next;
  uint64_t nodes;
};
struct DeviceObject {
  static constexpr uint32_t kType = 11;
  Device value;
};
struct DeviceInfoObject {
  static constexpr uint32_t kType = 12;
  DeviceFacts value;
};
struct StreamObject {
  static constexpr uint32_t kType = 13;
  Stream value;
};

// Closures. `compiled` is there where mlx_compile or frit_compile made the closure.
struct ClosureObject {
  static constexpr uint32_t kType = 14;
  std::function<Arrays(const Arrays&)> value;
  std::optional<CompiledFunction> compiled;
};
struct KwargsClosureObject {
  static constexpr uint32_t kType = 15;
  ArgsKwargsFunction value;
};
struct ValueAndGradObject {
  static constexpr uint32_t kType = 16;
  ValueAndGradFn value;
};
struct CustomObject {
  static constexpr uint32_t kType = 17;
  std::function<Arrays(const Arrays&, const Arrays&, const Arrays&)> value;
};
struct CustomJvpObject {
  static constexpr uint32_t kType = 18;
  std::function<Arrays(const Arrays&, const Arrays&, const std::vector<int>&)> value;
};
struct CustomVmapObject {
  static constexpr uint32_t kType = 19;
  std::function<std::pair<Arrays, std::vector<int>>(const Arrays&, const std::vector<int>&)> value;
};

struct ExporterObject {
  static constexpr uint32_t kType = 20;
  FunctionExporter value;
  bool has_trace = false;
};
struct ImportedObject {
  static constexpr uint32_t kType = 21;
  ImportedFunction value;
};
struct NamerObject {
  static constexpr uint32_t kType = 22;
  NodeNamer value;
};
// `descriptor` is what the program gave with the callbacks.
struct ReaderObject {
  static constexpr uint32_t kType = 23;
  std::shared_ptr<io::Reader> value;
  void* descriptor;
};
struct WriterObject {
  static constexpr uint32_t kType = 24;
  std::shared_ptr<io::Writer> value;
  void* descriptor;
};
struct GgufObject {
  static constexpr uint32_t kType = 25;
  GGUFLoad value;
};

// Kernels in a language of a vendor: their parts are kept, and nothing can run them.
struct KernelConfig {
  std::vector<std::pair<Shape, Dtype>> outputs;
  int grid[3] = {1, 1, 1};
  int thread_group[3] = {1, 1, 1};
  std::optional<float> init_value;
  bool verbose = false;
  std::vector<std::pair<std::string, fast::TemplateArg>> arguments;
};
struct Kernel {
  std::string name;
  std::vector<std::string> inputs, outputs;
  std::string source, header;
};
struct MetalConfigObject {
  static constexpr uint32_t kType = 26;
  KernelConfig value;
};
struct CudaConfigObject {
  static constexpr uint32_t kType = 27;
  KernelConfig value;
};
struct MetalKernelObject {
  static constexpr uint32_t kType = 28;
  Kernel value;
};
struct CudaKernelObject {
  static constexpr uint32_t kType = 29;
  Kernel value;
};
struct GroupObject {
  static constexpr uint32_t kType = 30;
  distributed::Group value;
};
struct OptionsObject {
  static constexpr uint32_t kType = 31;
  CompileOptions value;
};

// Handle<H>: the object behind the C type H, and its name in messages.
template <class H>
struct Handle;
#define FRIT_C_HANDLE(C, OBJECT)            \
  template <>                               \
  struct Handle<C> {                        \
    using Object = OBJECT;                  \
    static constexpr const char* name = #C; \
  }
FRIT_C_HANDLE(mlx_array, ArrayObject);
FRIT_C_HANDLE(mlx_vector_array, ArraysObject);
FRIT_C_HANDLE(mlx_vector_vector_array, ArrayListsObject);
FRIT_C_HANDLE(mlx_vector_int, IntsObject);
FRIT_C_HANDLE(mlx_vector_string, TextsObject);
FRIT_C_HANDLE(mlx_string, TextObject);
FRIT_C_HANDLE(mlx_map_string_to_array, ArrayMapObject);
FRIT_C_HANDLE(mlx_map_string_to_string, TextMapObject);
FRIT_C_HANDLE(mlx_map_string_to_array_iterator, ArrayMapIterator);
FRIT_C_HANDLE(mlx_map_string_to_string_iterator, TextMapIterator);
FRIT_C_HANDLE(mlx_device, DeviceObject);
FRIT_C_HANDLE(mlx_device_info, DeviceInfoObject);
FRIT_C_HANDLE(mlx_stream, StreamObject);
FRIT_C_HANDLE(mlx_closure, ClosureObject);
FRIT_C_HANDLE(mlx_closure_kwargs, KwargsClosureObject);
FRIT_C_HANDLE(mlx_closure_value_and_grad, ValueAndGradObject);
FRIT_C_HANDLE(mlx_closure_custom, CustomObject);
FRIT_C_HANDLE(mlx_closure_custom_jvp, CustomJvpObject);
FRIT_C_HANDLE(mlx_closure_custom_vmap, CustomVmapObject);
FRIT_C_HANDLE(mlx_function_exporter, ExporterObject);
FRIT_C_HANDLE(mlx_imported_function, ImportedObject);
FRIT_C_HANDLE(mlx_node_namer, NamerObject);
FRIT_C_HANDLE(mlx_io_reader, ReaderObject);
FRIT_C_HANDLE(mlx_io_writer, WriterObject);
FRIT_C_HANDLE(mlx_io_gguf, GgufObject);
FRIT_C_HANDLE(mlx_fast_metal_kernel_config, MetalConfigObject);
FRIT_C_HANDLE(mlx_fast_cuda_kernel_config, CudaConfigObject);
FRIT_C_HANDLE(mlx_fast_metal_kernel, MetalKernelObject);
FRIT_C_HANDLE(mlx_fast_cuda_kernel, CudaKernelObject);
FRIT_C_HANDLE(mlx_distributed_group, GroupObject);
FRIT_C_HANDLE(frit_compile_options, OptionsObject);
#undef FRIT_C_HANDLE

}  // namespace frit::c
