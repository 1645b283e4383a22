// Arrays from and to other libraries: DLPack, the buffer protocol and NumPy.
#include <nanobind/ndarray.h>

#include <climits>

#include "frontend/python/core/bind.h"
#include "frontend/python/core/convert.h"

namespace frit::python {

namespace {

using nb::dlpack::dtype_code;

nb::dlpack::dtype dlpack_type(Dtype t) {
  const auto bits = static_cast<uint8_t>(t.size() * 8);
  dtype_code code = dtype_code::Float;
  if (t == bool_)
    code = dtype_code::Bool;
  else if (t == bfloat16)
    code = dtype_code::Bfloat;
  else if (t == complex64)
    code = dtype_code::Complex;
  else if (issubdtype(t, unsignedinteger))
    code = dtype_code::UInt;
  else if (issubdtype(t, signedinteger))
    code = dtype_code::Int;
  return {static_cast<uint8_t>(code), bits, 1};
}

// complex128 has no type of its own: it is read as pairs of doubles.
constexpr uint8_t kComplex128Bits = 128;

std::optional<Dtype> type_of(nb::dlpack::dtype t) {
  if (t.lanes != 1) return std::nullopt;
  for (Dtype d : kAllDtypes)
    if (dlpack_type(d) == t) return d;
  return std::nullopt;
}

// Rows of a strided array, one after the other.
void copy_dense(const std::byte* from, std::byte*& to, const nb::ndarray<nb::ro>& a, size_t axis, size_t width) {
  if (axis == a.ndim()) {
    std::memcpy(to, from, width);
    to += width;
    return;
  }
  for (size_t i = 0; i < a.shape(axis); ++i)
    copy_dense(from + static_cast<int64_t>(i) * a.stride(axis) * static_cast<int64_t>(width), to, a, axis + 1, width);
}

bool is_dense(const nb::ndarray<nb::ro>& a) {
  int64_t step = 1;
  for (size_t i = a.ndim(); i-- > 0;) {
    if (a.shape(i) != 1 && a.stride(i) != step) return false;
    step *= static_cast<int64_t>(a.shape(i));
  }
  return true;
}

array from_ndarray(nb::ndarray<nb::ro> a, std::optional<Dtype> dtype, Memory wanted) {
  Shape shape;
  for (size_t i = 0; i < a.ndim(); ++i) {
    if (a.shape(i) > INT_MAX) throw std::overflow_error("array: an axis of more than 2147483647 elements");
    shape.push_back(static_cast<ShapeElem>(a.shape(i)));
  }
  const size_t width = a.itemsize();
  const auto* data = static_cast<const std::byte*>(a.data());
  const bool wide_complex =
      a.dtype().code == static_cast<uint8_t>(dtype_code::Complex) && a.dtype().bits == kComplex128Bits;
  const std::optional<Dtype> type = type_of(a.dtype());
  if (!type && !wide_complex)
    throw RuntimeError("array: the elements of the other library's array have a type that arrays do not have",
                       "convert it to numbers of at most 64 bits first");
  if (wanted != Memory::Own && type && (dtype || *type != float64) && is_dense(a) && (!dtype || *dtype == *type) &&
      a.size() > 0 && reinterpret_cast<uintptr_t>(data) % width == 0) {
    auto* owner = new nb::ndarray<nb::ro>(std::move(a));
    return array(const_cast<std::byte*>(data), std::move(shape), *type, [owner](void*) {
      const LockTaken acquire;
      delete owner;
    });
  }
  if (wanted == Memory::Shared && a.size() > 0)
    throw InvalidArgument("from_dlpack: the array cannot be made without a copy",
                          "leave copy out; only rows of a type that arrays have are shared");
  // Memory of arrays, so that it counts as theirs.
  allocator::Buffer memory = allocator::malloc(std::max<size_t>(a.size() * width, 1));
  const auto* dense = static_cast<const std::byte*>(memory.raw_ptr());
  auto* to = static_cast<std::byte*>(memory.raw_ptr());
  if (a.size() > 0) {
    if (is_dense(a))
      std::memcpy(to, data, a.size() * width);
    else
      copy_dense(data, to, a, 0, width);
  }
  if (type && *type != float64) {
    array made(memory, std::move(shape), *type);
    return dtype && *dtype != *type ? astype(std::move(made), *dtype) : made;
  }
  const std::unique_ptr<const void, std::function<void(const void*)>> released(
      dense, [memory](const void*) { allocator::free(memory); });
  const auto* values = reinterpret_cast<const double*>(dense);
  if (!wide_complex) return array(values, std::move(shape), dtype.value_or(float32));
  auto pairs = std::make_unique<complex64_t[]>(a.size());
  for (size_t i = 0; i < a.size(); ++i)
    pairs[i] = {static_cast<float>(values[2 * i]), static_cast<float>(values[2 * i + 1])};
  return array(static_cast<const complex64_t*>(pairs.get()), std::move(shape), dtype.value_or(complex64));
}

}  // namespace

const void* memory_of(const array& a) {
  // Readers take a null pointer for memory that they have to make themselves.
  alignas(std::max_align_t) static std::byte nothing[sizeof(std::max_align_t)];
  if (a.size() == 0) return nothing;
  switch (a.itemsize()) {
    case 1: return a.data<uint8_t>();
    case 2: return a.data<uint16_t>();
    case 4: return a.data<uint32_t>();
    default: return a.data<uint64_t>();
  }
}

namespace {

// The strides of memory_of(a), dense ones where the array has no elements. The memory comes first: an array that shows
// one element in every place gets a dense one.
Strides strides_for_readers(const array& a) {
  memory_of(a);
  Strides strides = a.strides();
  if (a.size() != 0) return strides;
  int64_t step = 1;
  for (size_t i = strides.size(); i-- > 0; step *= a.shape()[i]) strides[i] = step;
  return strides;
}

// The memory of an array for another library, which keeps the array alive.
template <class... Kind>
nb::ndarray<Kind...> to_ndarray(const array& a) {
  evaluate(a);
  auto* owner = new array(a);
  const nb::capsule keep(owner, [](void* p) noexcept { delete static_cast<array*>(p); });
  std::vector<size_t> shape(a.shape().begin(), a.shape().end());
  const Strides strides = strides_for_readers(a);
  return nb::ndarray<Kind...>(const_cast<void*>(memory_of(*owner)), shape.size(), shape.data(), keep, strides.data(),
                              dlpack_type(a.dtype()), nb::device::cpu::value, 0);
}

// ---- The buffer protocol

// The protocol has no format for bfloat16; readers refuse the word.
const char* buffer_format(Dtype t) {
  constexpr const char* kFormats[] = {"?", "B", "H", "I", "Q", "b", "h", "i", "q", "e", "f", "d", "bfloat16", "Zf"};
  return kFormats[static_cast<int>(t.val())];
}

struct BufferInfo {
  array keep;
  std::vector<Py_ssize_t> shape, strides;
};

int get_buffer(PyObject* self, Py_buffer* view, int) {
  if (!is_array(self)) {
    PyErr_SetString(PyExc_BufferError, "an array whose __init__ has not run has no memory");
    return -1;
  }
  try {
    const array& a = array_in(self);
    evaluate(a);
    auto info = std::make_unique<BufferInfo>(BufferInfo{a, {}, {}});
    const Strides strides = strides_for_readers(a);
    for (size_t i = 0; i < a.ndim(); ++i) {
      info->shape.push_back(a.shape()[i]);
      info->strides.push_back(static_cast<Py_ssize_t>(strides[i]) * static_cast<Py_ssize_t>(a.itemsize()));
    }
    *view = {};
    nb::ndarray<> memory = to_ndarray<>(a);
    view->buf = memory.data();
    view->obj = Py_NewRef(self);
    view->len = static_cast<Py_ssize_t>(a.nbytes());
    view->itemsize = static_cast<Py_ssize_t>(a.itemsize());
    view->readonly = 0;
    view->format = const_cast<char*>(buffer_format(a.dtype()));
    view->ndim = static_cast<int>(a.ndim());
    view->shape = info->shape.data();
    view->strides = info->strides.data();
    view->internal = info.release();
    return 0;
  } catch (nb::python_error& e) {
    e.restore();
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_ValueError, e.what());
  }
  return -1;
}

void release_buffer(PyObject*, Py_buffer* view) { delete static_cast<BufferInfo*>(view->internal); }

nb::object numpy_of(const array& a, nb::object dtype, nb::object copy) {
  if (a.dtype() == bfloat16 && dtype.is_none())
    throw nb::type_error("__array__: NumPy has no bfloat16\n  note: convert the array to float32 first");
  nb::object made =
      a.dtype() == bfloat16 ? nb::cast(to_ndarray<nb::numpy>(astype(a, float32))) : nb::cast(to_ndarray<nb::numpy>(a));
  if (!dtype.is_none()) return made.attr("astype")(dtype);
  return nb::cast<bool>(nb::bool_(!copy.is_none() && nb::cast<bool>(copy))) ? made.attr("copy")() : made;
}

}  // namespace

PyType_Slot* array_slots() {
  static PyType_Slot slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)},
                                {Py_bf_releasebuffer, reinterpret_cast<void*>(release_buffer)},
                                {0, nullptr}};
  return slots;
}

namespace {

nb::ndarray<nb::ro> on_cpu(nb::ndarray<nb::ro> a) {
  if (a.device_type() != nb::device::cpu::value)
    throw InvalidArgument("array: the other library's array is not in the memory of the CPU",
                          "move it to the CPU first");
  return a;
}

// False for a buffer that leaves out its format or its strides, as that of NumPy's dates does: nanobind reads both.
bool is_described(nb::handle h) {
  if (!PyObject_CheckBuffer(h.ptr())) return true;
  Py_buffer view;
  if (PyObject_GetBuffer(h.ptr(), &view, PyBUF_RECORDS_RO) != 0) {
    PyErr_Clear();
    return true;
  }
  const bool described = view.format && (view.strides || view.ndim == 0);
  PyBuffer_Release(&view);
  return described;
}

}  // namespace

MaybeArray array_from_protocol(nb::handle h, std::optional<Dtype> dtype, Memory memory) {
  if (PyObject_HasAttrString(h.ptr(), "__mlx_array__")) {
    const nb::object made = h.attr("__mlx_array__")();
    if (!is_array(made))
      throw InvalidArgument("array: __mlx_array__ has to return an array", "return a frit.core.array");
    return array_in(made);
  }
  if (PyType_Check(h.ptr())) return std::nullopt;
  if (!PyObject_CheckBuffer(h.ptr()) && !PyObject_HasAttrString(h.ptr(), "__dlpack__")) return std::nullopt;
  nb::ndarray<nb::ro> other;
  if (!is_described(h) || !nb::try_cast(h, other, false)) {
    PyErr_Clear();
    throw RuntimeError("array: the memory of a value of type " +
                           nb::cast<std::string>(nb::handle(h.type()).attr("__name__")) + " cannot be read",
                       "convert it to numbers first");
  }
  return from_ndarray(on_cpu(std::move(other)), dtype, memory);
}

void bind_protocols(nb::module_& m, nb::class_<array>& c) {
  def(c, "array.__array__", &numpy_of, "dtype"_a = nb::none(), "copy"_a = nb::none());
  def(
      c, "array.__dlpack__",
      [](const array& a, nb::object, nb::object, nb::object device, nb::object) {
        constexpr int kCpu = 1;  // as DLPack numbers devices
        if (!device.is_none() && nb::cast<std::pair<int, int>>(device).first != kCpu)
          throw nb::buffer_error("__dlpack__: the array is in the memory of the CPU; leave dl_device out");
        return to_ndarray<>(a);
      },
      nb::kw_only(), "stream"_a = nb::none(), "max_version"_a = nb::none(), "dl_device"_a = nb::none(),
      "copy"_a = nb::none());
  def(c, "array.__dlpack_device__", [](const array&) { return nb::make_tuple(1, 0); });
  def(
      m, "from_dlpack",
      [](nb::object x, std::optional<bool> copy) {
        const Memory memory = !copy ? Memory::SharedIfRows : *copy ? Memory::Own : Memory::Shared;
        if (is_array(x)) return memory == Memory::Own ? frit::copy(array_in(x)) : array_in(x);
        // A capsule is an array on the way; the name says that nobody has taken it yet.
        if (nb::ndarray<nb::ro> other; PyCapsule_IsValid(x.ptr(), "dltensor") && nb::try_cast(x, other, false))
          return from_ndarray(on_cpu(std::move(other)), std::nullopt, memory);
        if (const auto a = array_from_protocol(x, std::nullopt, memory)) return *a;
        throw nb::type_error("from_dlpack: the object has no __dlpack__");
      },
      positional(), nb::kw_only(), "copy"_a = nb::none());
  def(
      m, "asarray",
      [](nb::object x, std::optional<Dtype> dtype, std::optional<bool> copy) {
        if (copy == false)
          throw InvalidArgument("asarray: the array cannot be made without a copy",
                                "leave copy out, or use from_dlpack");
        if (is_array(x) && (!dtype || *dtype == array_in(x).dtype()))
          return copy ? frit::copy(array_in(x)) : array_in(x);
        return array_from_object(x, dtype);
      },
      "a"_a, "dtype"_a = nb::none(), nb::kw_only(), "copy"_a = nb::none());
}

}  // namespace frit::python
