// A compiled Python function: the traces of frit over trees that are encoded as structures.
#pragma once

#include <mutex>

#include "frontend/python/core/bind.h"

namespace frit::python {

// Python objects that traces return and that are neither containers, numbers nor texts. Each is kept once, as long as
// the function.
class ReturnedObjects {
 public:
  uint64_t place_of(nb::handle h) {
    const std::lock_guard<std::mutex> guard(mutex_);
    for (size_t i = 0; i < objects_.size(); ++i)
      if (objects_[i].is(h)) return i;
    objects_.push_back(nb::borrow(h));
    return objects_.size() - 1;
  }
  nb::object at(uint64_t place) {
    const std::lock_guard<std::mutex> guard(mutex_);
    return objects_[place];
  }
  // For the garbage collector, which runs with the interpreter's lock.
  std::vector<nb::object>& all() { return objects_; }

 private:
  std::mutex mutex_;
  std::vector<nb::object> objects_;
};

// Open sizes as Python declares them: a dict from names to None, (low, high) or (low, high, multiple); or None.
std::vector<DimDeclaration> declared_dims(nb::handle dims);
// A sequence of shapes, each alone (float32) or in a pair with its element type; or None.
std::vector<ShapeDtype> declared_signature(nb::handle signature);

class PyCompiled : public detail::CompiledBase {
 public:
  PyCompiled(nb::object fun, nb::object inputs, nb::object outputs, CompileOptions options);
  // `kwargs` may be null.
  nb::object operator()(PyObject* args, PyObject* kwargs) const;
  Inspection lower(PyObject* args, PyObject* kwargs) const;

  nb::object fun, inputs, outputs;  // None where there is no state
  mutable ReturnedObjects objects;
};

}  // namespace frit::python
