// Runs one function of a package on arrays.
#include "package_run.h"

#include <frit/frit_runtime.h>

#include <cstdlib>
#include <memory>
#include <stdexcept>

namespace {

void check(frit_rt_status status) {
  if (status != FRIT_RT_OK) throw std::runtime_error(frit_rt_error());
}

template <class T>
T* data_of(frit::array a) {
  return a.data<T>();
}

// Where an array's elements begin.
void* address(const frit::array& a) {
  switch (a.itemsize()) {
    case 1: return data_of<uint8_t>(a);
    case 2: return data_of<uint16_t>(a);
    case 4: return data_of<uint32_t>(a);
    default: return data_of<uint64_t>(a);
  }
}

// Memory of its own for an array that `address` may be written to.
frit::array blank(const frit::Shape& shape, frit::Dtype dtype) {
  size_t bytes = dtype.size();
  for (int d : shape) bytes *= static_cast<size_t>(d);
  return frit::array(std::aligned_alloc(64, (bytes + 64) / 64 * 64), shape, dtype, [](void* p) { std::free(p); });
}

struct Tensors {
  std::vector<frit::array> arrays;
  std::vector<std::vector<int64_t>> shapes;
  std::vector<frit_rt_tensor> tensors;

  void add(const frit::array& a) {
    arrays.push_back(a);
    shapes.emplace_back(a.shape().begin(), a.shape().end());
    tensors.push_back(
        {address(a), static_cast<frit_rt_dtype>(a.dtype().val()), static_cast<int>(a.ndim()), nullptr, nullptr});
  }
  const frit_rt_tensor* data() {
    for (size_t i = 0; i < tensors.size(); ++i) tensors[i].shape = shapes[i].data();
    return tensors.data();
  }
};

}  // namespace

std::vector<frit::array> run_package(const std::string& frit, const std::string& graph, const std::string& package,
                                     const std::vector<frit::array>& arguments) {
  if (std::system((frit + " compile " + graph + " -o " + package + " > /dev/null").c_str()) != 0)
    throw std::runtime_error("frit compile fails");
  frit_rt_package* loaded = nullptr;
  check(frit_rt_load(package.c_str(), "cpu", &loaded));
  const std::unique_ptr<frit_rt_package, void (*)(frit_rt_package*)> held(loaded, frit_rt_free);
  const frit_rt_function* function = nullptr;
  check(frit_rt_find(loaded, nullptr, &function));
  Tensors inputs, outputs;
  for (const frit::array& a : arguments) inputs.add(frit::contiguous(a));
  for (size_t i = 0; i < frit_rt_output_count(function); ++i) {
    frit_rt_value_info info;
    check(frit_rt_output_info(function, i, &info));
    std::vector<int64_t> shape(static_cast<size_t>(info.rank) + 1);
    check(frit_rt_output_shape(function, inputs.data(), i, shape.data()));
    static const frit::Dtype kTypes[] = {frit::bool_,   frit::uint8,   frit::uint16,   frit::uint32,   frit::uint64,
                                         frit::int8,    frit::int16,   frit::int32,    frit::int64,    frit::float16,
                                         frit::float32, frit::float64, frit::bfloat16, frit::complex64};
    outputs.add(blank(frit::Shape(shape.begin(), shape.begin() + info.rank), kTypes[info.dtype]));
  }
  check(frit_rt_run(function, inputs.data(), outputs.data()));
  return outputs.arrays;
}
