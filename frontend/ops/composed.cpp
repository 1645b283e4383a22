// The compiled forms of composed functions, kept by name, key and device.
#include "frontend/ops/composed.h"

#include <bit>
#include <map>
#include <mutex>
#include <string>

#include "frontend/core/own_functions.h"
#include "frontend/frit/compile.h"
#include "frontend/frit/utils.h"

namespace frit::detail {

namespace {

// Past this many, all are dropped: programs use few keys, and code is found again in the code cache.
constexpr size_t kMaxFunctions = 1024;

using ListFn = std::function<std::vector<array>(const std::vector<array>&)>;
struct Name {
  std::string name;
  ComposedKey key;
  Device::DeviceType device;
  friend auto operator<=>(const Name&, const Name&) = default;
};

CompiledFunction compiled_for(Name name, const ListFn& fn, ComposedSizes sizes) {
  static std::mutex mutex;
  static std::map<Name, CompiledFunction> functions;
  const std::lock_guard<std::mutex> guard(mutex);
  if (const auto found = functions.find(name); found != functions.end()) return found->second;
  if (functions.size() >= kMaxFunctions) functions.clear();
  const OwnFunctions own;
  CompileOptions options;
  options.name = name.name;
  options.shapeless = sizes == ComposedSizes::Open;
  options.device = Device(name.device);
  return functions.emplace(std::move(name), CompiledFunction(fn, std::move(options))).first->second;
}

}  // namespace

int64_t key_of(float v) { return std::bit_cast<int32_t>(v); }

std::vector<array> composed_all(std::string_view name, ComposedKey key, const ListFn& fn,
                                const std::vector<array>& inputs, const StreamOrDevice& s, ComposedSizes sizes) {
  if (current_trace() != 0 || get_compile_mode() == CompileMode::disabled) return fn(inputs);
  const Device::DeviceType device = s.is_default() ? default_device().type : s.stream().device.type;
  return compiled_for({std::string(name), std::move(key), device}, fn, sizes)(inputs);
}

array composed(std::string_view name, ComposedKey key, const std::function<array(const std::vector<array>&)>& fn,
               const std::vector<array>& inputs, const StreamOrDevice& s, ComposedSizes sizes) {
  if (current_trace() != 0 || get_compile_mode() == CompileMode::disabled) return fn(inputs);
  return std::move(composed_all(
      name, std::move(key), [fn](const std::vector<array>& in) { return std::vector<array>{fn(in)}; }, inputs, s,
      sizes)[0]);
}

array sizes_carrier(const ir::Dims& sizes) {
  Shape shape;
  for (const Dim& d : sizes) {
    if (!d.is_const()) {
      ir::Dims open = sizes;
      open.emplace_back(0);
      return make("iota", {}, {{"shape", open}, {"dtype", bool_}}, {});
    }
    shape.push_back(static_cast<ShapeElem>(d.value()));
  }
  shape.push_back(0);
  const bool* none = nullptr;
  return array(none, shape, bool_);
}

ir::Dims carried_sizes(const array& carrier) {
  ir::Dims sizes = sizes_of(carrier);
  sizes.pop_back();
  return sizes;
}

}  // namespace frit::detail

namespace frit {

std::vector<array> depends(const std::vector<array>& inputs, const std::vector<array>& dependencies) {
  if (dependencies.empty()) return inputs;
  std::vector<array> outputs;
  for (const array& a : inputs) {
    std::vector<array> operands{a};
    operands.insert(operands.end(), dependencies.begin(), dependencies.end());
    outputs.push_back(detail::make("barrier", std::move(operands), {}, {}));
  }
  return outputs;
}

}  // namespace frit
