// The C interface of the runtime (frit/frit_runtime.h) over runtime/load/package.h. Nothing throws past it.
#include <cstring>
#include <exception>
#include <mutex>
#include <new>

#include "frit/frit_runtime.h"
#include "ir/base/per_thread.h"
#include "runtime/load/package.h"
#include "runtime/memory/dense.h"

using frit::Diagnostic;
using frit::Dtype;
using frit::kAllDtypes;
using frit::runtime::Buffer;
using frit::runtime::Package;
using frit::runtime::PackagedFunction;
using frit::runtime::Signature;
using frit::runtime::Sizes;
using frit::runtime::Tensor;

namespace {

struct LastError {
  std::string text;
};

frit_rt_status failed(frit_rt_status status, const std::string& message, const std::string& note = {}) {
  frit::PerThread<LastError>::get().text = message + (note.empty() ? "" : "\nnote: " + note);
  return status;
}
frit_rt_status failed(frit_rt_status status, const Diagnostic& d) { return failed(status, d.message, d.note); }

// Runs `f`. An exception (when memory for a text is exhausted, say) becomes an error.
template <class F>
frit_rt_status guarded(F&& f) {
  try {
    return f();
  } catch (const std::exception& e) {
    return failed(FRIT_RT_FAILED, e.what());
  }
}

// C texts of a value's sizes.
struct ValueTexts {
  const Signature::Value* value;
  std::vector<const char*> sizes;

  explicit ValueTexts(const Signature::Value& v) : value(&v) {
    for (const std::string& s : v.sizes) sizes.push_back(s.c_str());
  }
  void fill(frit_rt_value_info& info) const {
    info = {value->name.c_str(), static_cast<frit_rt_dtype>(value->dtype.val()), static_cast<int>(sizes.size()),
            sizes.data()};
  }
};

}  // namespace

struct frit_rt_function {
  std::shared_ptr<const PackagedFunction> function;
  std::vector<ValueTexts> inputs, outputs;  // weights left out

  explicit frit_rt_function(std::shared_ptr<const PackagedFunction> f) : function(std::move(f)) {
    for (const Signature::Input& i : function->signature().inputs)
      if (i.weight.empty()) inputs.emplace_back(i);
    for (const Signature::Value& v : function->signature().outputs) outputs.emplace_back(v);
  }
};

struct frit_rt_package {
  std::shared_ptr<const Package> package;
  std::mutex mutex;
  std::vector<std::unique_ptr<frit_rt_function>>
      functions;  // one per function of the file; null until it was asked for
};

namespace {

// The caller's array as a tensor; false, with the reason, where it is none.
bool to_tensor(const frit_rt_function& f, const frit_rt_tensor& from, const Signature::Value& value, bool needs_data,
               Tensor& to) {
  const std::string who =
      "function @" + f.function->signature().name + ": '" + (value.name.empty() ? "output" : value.name) + "' ";
  if (static_cast<size_t>(from.dtype) >= kAllDtypes.size())
    return failed(FRIT_RT_BAD_ARGUMENT, who + "has no known element type"), false;
  if (from.rank < 0 || from.rank > FRIT_RT_MAX_RANK || (from.rank > 0 && !from.shape))
    return failed(FRIT_RT_BAD_ARGUMENT, who + "has a rank that is negative or past FRIT_RT_MAX_RANK, or no shape"),
           false;
  to.dtype = kAllDtypes[static_cast<size_t>(from.dtype)];
  to.shape = Sizes(std::span(from.shape, static_cast<size_t>(from.rank)));
  to.strides.resize(to.shape.size());
  int64_t elements = 1;
  for (size_t i = to.shape.size(); i-- > 0;) {
    to.strides[i] = from.strides ? from.strides[i] : elements;
    if (to.shape[i] < 0 || __builtin_mul_overflow(elements, std::max<int64_t>(to.shape[i], 1), &elements) ||
        elements > (int64_t{1} << 48))
      return failed(FRIT_RT_BAD_ARGUMENT, who + "has a size that is negative or too large"), false;
  }
  for (int64_t n : to.shape)
    if (n == 0) elements = 0;
  if (needs_data && !from.data && elements > 0)
    return failed(FRIT_RT_BAD_ARGUMENT, who + "has elements, but its data is null"), false;
  // An array without elements may be null; memory that is null would be a GPU's.
  static std::byte nothing[1];
  // Strides may leave gaps between the elements.
  int64_t span = elements > 0 ? 1 : 0;
  for (size_t i = 0; i < to.shape.size() && elements > 0; ++i) {
    int64_t reach = 0;
    if (__builtin_mul_overflow(to.shape[i] - 1, std::max<int64_t>(to.strides[i], 0), &reach) ||
        __builtin_add_overflow(span, reach, &span) || span > (int64_t{1} << 48))
      return failed(FRIT_RT_BAD_ARGUMENT, who + "has a stride that is too large"), false;
  }
  to.buffer = Buffer::adopt(from.data ? from.data : nothing,
                            static_cast<size_t>(std::max(elements, span)) * to.dtype.size(), {});
  return true;
}

bool to_tensors(const frit_rt_function& f, const frit_rt_tensor* from, const std::vector<ValueTexts>& values,
                bool needs_data, std::vector<Tensor>& to) {
  if (!from && !values.empty())
    return failed(FRIT_RT_BAD_ARGUMENT, "function @" + f.function->signature().name + ": the list of arrays is null"),
           false;
  to.resize(values.size());
  for (size_t i = 0; i < values.size(); ++i)
    if (!to_tensor(f, from[i], *values[i].value, needs_data, to[i])) return false;
  return true;
}

}  // namespace

size_t frit_rt_dtype_size(frit_rt_dtype dtype) {
  return static_cast<size_t>(dtype) < kAllDtypes.size() ? kAllDtypes[static_cast<size_t>(dtype)].size() : 0;
}

const char* frit_rt_error(void) { return frit::PerThread<LastError>::get().text.c_str(); }

const char* frit_rt_version(void) { return FRIT_VERSION; }

frit_rt_status frit_rt_load(const char* path, const char* device, frit_rt_package** package) {
  if (!path || !package)
    return failed(FRIT_RT_BAD_ARGUMENT, "frit_rt_load: the path or where the package goes is null");
  if (device && *device)
    if (const auto name = frit::runtime::device_name(device); !name.ok())
      return failed(FRIT_RT_BAD_ARGUMENT, "frit_rt_load: " + name.error().message, name.error().note);
  return guarded([&] {
    auto loaded = Package::load(path, device ? device : "");
    if (!loaded.ok()) return failed(FRIT_RT_FAILED, loaded.error());
    auto made = std::make_unique<frit_rt_package>();
    made->functions.resize((*loaded)->file().functions().size());
    made->package = *std::move(loaded);
    *package = made.release();
    return FRIT_RT_OK;
  });
}

void frit_rt_free(frit_rt_package* package) { delete package; }

size_t frit_rt_function_count(const frit_rt_package* package) { return package ? package->functions.size() : 0; }

const char* frit_rt_function_name(const frit_rt_package* package, size_t number) {
  return number < frit_rt_function_count(package) ? package->package->file().functions()[number].name.c_str() : "";
}

frit_rt_status frit_rt_find(frit_rt_package* package, const char* name, const frit_rt_function** function) {
  if (!package || !function)
    return failed(FRIT_RT_BAD_ARGUMENT, "frit_rt_find: the package or where the function goes is null");
  return guarded([&] {
    const auto& all = package->package->file().functions();
    std::string names;
    size_t found = all.size();
    for (size_t i = 0; i < all.size(); ++i) {
      names += (names.empty() ? "" : ", ") + all[i].name;
      if (name ? all[i].name == name : all.size() == 1) found = i;
    }
    const std::string& path = package->package->file().path();
    if (found == all.size() && name)
      return failed(FRIT_RT_BAD_ARGUMENT, "'" + path + "' has no function '" + name + "'", "it has: " + names);
    if (found == all.size())
      return failed(FRIT_RT_BAD_ARGUMENT,
                    "'" + path + "' has " + std::to_string(all.size()) + " functions and no name is given",
                    "it has: " + names);
    const std::lock_guard lock(package->mutex);
    auto& slot = package->functions[found];
    if (!slot) {
      auto ready = package->package->find(all[found]);
      if (!ready.ok()) return failed(FRIT_RT_FAILED, ready.error());
      slot = std::make_unique<frit_rt_function>(*std::move(ready));
    }
    *function = slot.get();
    return FRIT_RT_OK;
  });
}

const char* frit_rt_signature(const frit_rt_function* function) {
  return function ? function->function->signature().text.c_str() : "";
}
const char* frit_rt_machine(const frit_rt_function* function) {
  return function ? function->function->machine().c_str() : "";
}
size_t frit_rt_input_count(const frit_rt_function* function) { return function ? function->inputs.size() : 0; }
size_t frit_rt_output_count(const frit_rt_function* function) { return function ? function->outputs.size() : 0; }

frit_rt_status frit_rt_input_info(const frit_rt_function* function, size_t number, frit_rt_value_info* info) {
  if (number >= frit_rt_input_count(function))
    return failed(FRIT_RT_BAD_ARGUMENT, "frit_rt_input_info: there is no input " + std::to_string(number));
  if (!info) return failed(FRIT_RT_BAD_ARGUMENT, "frit_rt_input_info: where the answer goes is null");
  function->inputs[number].fill(*info);
  return FRIT_RT_OK;
}

frit_rt_status frit_rt_output_info(const frit_rt_function* function, size_t number, frit_rt_value_info* info) {
  if (number >= frit_rt_output_count(function))
    return failed(FRIT_RT_BAD_ARGUMENT, "frit_rt_output_info: there is no output " + std::to_string(number));
  if (!info) return failed(FRIT_RT_BAD_ARGUMENT, "frit_rt_output_info: where the answer goes is null");
  function->outputs[number].fill(*info);
  return FRIT_RT_OK;
}

frit_rt_status frit_rt_output_shape(const frit_rt_function* function, const frit_rt_tensor* inputs, size_t number,
                                    int64_t* shape) {
  if (number >= frit_rt_output_count(function))
    return failed(FRIT_RT_BAD_ARGUMENT, "frit_rt_output_shape: there is no output " + std::to_string(number));
  return guarded([&] {
    std::vector<Tensor> arguments;
    if (!to_tensors(*function, inputs, function->inputs, false, arguments)) return FRIT_RT_BAD_ARGUMENT;
    const auto call = function->function->check(arguments);
    if (!call.ok()) return failed(FRIT_RT_BAD_ARGUMENT, call.error());
    const Sizes wanted = function->function->output_shapes(*call)[number];
    if (!shape && !wanted.empty())
      return failed(FRIT_RT_BAD_ARGUMENT, "frit_rt_output_shape: where the shape goes is null");
    std::copy(wanted.begin(), wanted.end(), shape);
    return FRIT_RT_OK;
  });
}

frit_rt_status frit_rt_run(const frit_rt_function* function, const frit_rt_tensor* inputs,
                           const frit_rt_tensor* outputs) {
  if (!function) return failed(FRIT_RT_BAD_ARGUMENT, "frit_rt_run: the function is null");
  return guarded([&] {
    std::vector<Tensor> arguments, results;
    if (!to_tensors(*function, inputs, function->inputs, true, arguments)) return FRIT_RT_BAD_ARGUMENT;
    if (!to_tensors(*function, outputs, function->outputs, true, results)) return FRIT_RT_BAD_ARGUMENT;
    auto call = function->function->check(arguments);
    if (!call.ok()) return failed(FRIT_RT_BAD_ARGUMENT, call.error());
    const std::vector<Sizes> shapes = function->function->output_shapes(*call);
    std::vector<std::shared_ptr<Buffer>> into;
    for (size_t i = 0; i < results.size(); ++i) {
      const Signature::Value& value = *function->outputs[i].value;
      Tensor wanted{nullptr, value.dtype, shapes[i], {}, 0};
      if (results[i].dtype != wanted.dtype || !(results[i].shape == wanted.shape) || !is_dense(results[i]))
        return failed(FRIT_RT_BAD_ARGUMENT,
                      "function @" + function->function->signature().name + " gives output " + std::to_string(i) +
                          " as " + type_text(wanted) + " in row-major order, but memory for " + type_text(results[i]) +
                          " is given",
                      "frit_rt_output_shape says what it must be");
      into.push_back(results[i].buffer);
      results[i] = {};
    }
    const auto done = function->function->run(*std::move(call), into, results);
    return done.ok() ? FRIT_RT_OK : failed(FRIT_RT_FAILED, done.error());
  });
}
