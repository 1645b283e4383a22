// Loading and running packages of compiled functions from C++, without a compiler. `frit compile FILE -o NAME.fritpkg`
// writes such packages.
//
//   frit::runtime::LoadedPackage package = frit::runtime::load("model.fritpkg");
//   frit::runtime::LoadedFunction gelu = package.find("gelu");
//   std::vector<frit::runtime::Array> y = gelu({{x.data(), {32, 1024}}});   // float* and a shape
//   const float* first = y[0].data<float>();
//
// A header over the C interface in frit_runtime.h; link with frit::frit_runtime. Everything may be used on many threads
// at once; a LoadedFunction keeps its package alive. Every failure throws frit::runtime::LoadError, with one sentence
// and a note with the cure.
#pragma once

#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "frit/frit_runtime.h"

namespace frit::runtime {

class LoadError : public std::runtime_error {
 public:
  LoadError(frit_rt_status status, const std::string& what) : std::runtime_error(what), status_(status) {}
  // FRIT_RT_BAD_ARGUMENT for a wrong argument, FRIT_RT_FAILED for every other failure.
  frit_rt_status status() const { return status_; }

 private:
  frit_rt_status status_;
};

namespace detail {
inline void check(frit_rt_status status) {
  if (status != FRIT_RT_OK) throw LoadError(status, frit_rt_error());
}

template <class T>
constexpr frit_rt_dtype dtype_of() {
  if constexpr (std::is_same_v<T, float>)
    return FRIT_RT_F32;
  else if constexpr (std::is_same_v<T, double>)
    return FRIT_RT_F64;
  else if constexpr (std::is_same_v<T, bool>)
    return FRIT_RT_BOOL;
  else {
    static_assert(std::is_integral_v<T>,
                  "an element type is bool, an integer, float or double; give a frit_rt_dtype for others");
    constexpr int log = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return static_cast<frit_rt_dtype>((std::is_signed_v<T> ? FRIT_RT_I8 : FRIT_RT_U8) + log);
  }
}
}  // namespace detail

// An array of the caller, which must live as long as the call it is given to. Strides are in elements; none: dense and
// row-major.
struct View {
  template <class T>
    requires(!std::is_void_v<T>)
  View(const T* data, std::vector<int64_t> shape, std::vector<int64_t> strides = {})
      : View(static_cast<const void*>(data), detail::dtype_of<T>(), std::move(shape), std::move(strides)) {}
  View(const void* data, frit_rt_dtype dtype, std::vector<int64_t> shape, std::vector<int64_t> strides = {})
      : data(const_cast<void*>(data)), dtype(dtype), shape(std::move(shape)), strides(std::move(strides)) {
    if (!this->strides.empty() && this->strides.size() != this->shape.size())
      throw LoadError(FRIT_RT_BAD_ARGUMENT, "a view has not one stride per axis");
  }

  frit_rt_tensor tensor() const {
    return {data, dtype, static_cast<int>(shape.size()), shape.data(), strides.empty() ? nullptr : strides.data()};
  }

  void* data;
  frit_rt_dtype dtype;
  std::vector<int64_t> shape, strides;
};

// An array of its own: dense, row-major, aligned to 64 bytes. Copies share the elements.
class Array {
 public:
  Array(frit_rt_dtype dtype, std::vector<int64_t> shape) : dtype_(dtype), shape_(std::move(shape)) {
    size_t bytes = size() * frit_rt_dtype_size(dtype);
    bytes = (bytes / 64 + 1) * 64;
    data_ = {std::aligned_alloc(64, bytes), std::free};
    if (!data_) throw LoadError(FRIT_RT_FAILED, "cannot allocate " + std::to_string(bytes) + " bytes for an array");
  }

  frit_rt_dtype dtype() const { return dtype_; }
  const std::vector<int64_t>& shape() const { return shape_; }
  size_t size() const {
    size_t n = 1;
    for (int64_t s : shape_) n *= static_cast<size_t>(s);
    return n;
  }
  // The first element. Throws where T is not the element type.
  template <class T>
  T* data() const {
    if (detail::dtype_of<T>() != dtype_)
      throw LoadError(FRIT_RT_BAD_ARGUMENT, "an array is read as another element type than it has");
    return static_cast<T*>(data_.get());
  }
  void* bytes() const { return data_.get(); }
  operator View() const { return {bytes(), dtype_, shape_}; }

 private:
  frit_rt_dtype dtype_;
  std::vector<int64_t> shape_;
  std::shared_ptr<void> data_;
};

class LoadedFunction {
 public:
  // Allocates the outputs.
  std::vector<Array> operator()(const std::vector<View>& inputs) const {
    const std::vector<frit_rt_tensor> given = tensors(inputs, frit_rt_input_count(function_), "inputs");
    std::vector<Array> outputs;
    std::vector<frit_rt_tensor> results;
    for (size_t i = 0; i < frit_rt_output_count(function_); ++i) {
      frit_rt_value_info info;
      detail::check(frit_rt_output_info(function_, i, &info));
      std::vector<int64_t> shape(static_cast<size_t>(info.rank));
      detail::check(frit_rt_output_shape(function_, given.data(), i, shape.data()));
      outputs.emplace_back(info.dtype, std::move(shape));
    }
    for (const Array& a : outputs)
      results.push_back({a.bytes(), a.dtype(), static_cast<int>(a.shape().size()), a.shape().data(), nullptr});
    detail::check(frit_rt_run(function_, given.data(), results.data()));
    return outputs;
  }
  // Writes to memory of the caller.
  void run(const std::vector<View>& inputs, const std::vector<View>& outputs) const {
    const std::vector<frit_rt_tensor> given = tensors(inputs, frit_rt_input_count(function_), "inputs");
    const std::vector<frit_rt_tensor> results = tensors(outputs, frit_rt_output_count(function_), "outputs");
    detail::check(frit_rt_run(function_, given.data(), results.data()));
  }

  std::string signature() const { return frit_rt_signature(function_); }
  std::string machine() const { return frit_rt_machine(function_); }
  const frit_rt_function* handle() const { return function_; }

 private:
  friend class LoadedPackage;
  LoadedFunction(std::shared_ptr<frit_rt_package> package, const frit_rt_function* function)
      : package_(std::move(package)), function_(function) {}

  std::vector<frit_rt_tensor> tensors(const std::vector<View>& views, size_t count, const char* what) const {
    if (views.size() != count)
      throw LoadError(FRIT_RT_BAD_ARGUMENT, "the function takes " + std::to_string(count) + " " + what + ", but " +
                                                std::to_string(views.size()) + " are given\nnote: it is " +
                                                signature());
    std::vector<frit_rt_tensor> list;
    for (const View& v : views) list.push_back(v.tensor());
    return list;
  }

  std::shared_ptr<frit_rt_package> package_;
  const frit_rt_function* function_;
};

class LoadedPackage {
 public:
  std::vector<std::string> functions() const {
    std::vector<std::string> names;
    for (size_t i = 0; i < frit_rt_function_count(package_.get()); ++i)
      names.emplace_back(frit_rt_function_name(package_.get(), i));
    return names;
  }
  LoadedFunction find(const std::string& name) const { return find_named(name.c_str()); }
  // The only function.
  LoadedFunction find() const { return find_named(nullptr); }

 private:
  friend LoadedPackage load(const std::string&, const std::string&);
  LoadedFunction find_named(const char* name) const {
    const frit_rt_function* function = nullptr;
    detail::check(frit_rt_find(package_.get(), name, &function));
    return {package_, function};
  }

  std::shared_ptr<frit_rt_package> package_;
};

// Loads a package for a device: "cpu" or "vulkan". "" stands for the device that the environment variable FRIT_DEVICE
// names, or the CPU where it is not set.
inline LoadedPackage load(const std::string& path, const std::string& device = {}) {
  frit_rt_package* package = nullptr;
  detail::check(frit_rt_load(path.c_str(), device.empty() ? nullptr : device.c_str(), &package));
  LoadedPackage loaded;
  loaded.package_ = {package, frit_rt_free};
  return loaded;
}

}  // namespace frit::runtime
