// Functions that transforms return. The garbage collector sees the Python objects that they hold.
#pragma once
#include <functional>
#include <vector>

#include "frontend/python/core/common.h"

namespace frit::python {

// The first object is the function of the program. `call` owns no Python object: a cycle through one that the
// collector does not see would never be freed.
class HeldFunction {
 public:
  using Held = std::vector<nb::object>;
  using Call = std::function<nb::object(const Held&, nb::args, nb::kwargs)>;

  HeldFunction(Held held, Call call) : held_(std::move(held)), call_(std::move(call)) {}
  nb::object operator()(nb::args args, nb::kwargs kwargs) const;
  const Held& held() const { return held_; }
  void drop() { held_.clear(); }

 private:
  Held held_;
  Call call_;
};

// A Python object that is called, and has the name, the documentation and the other attributes of the first object.
nb::object hold(HeldFunction::Held held, HeldFunction::Call call);

// The first part of a class's tp_traverse: visits the type, and the attributes of an instance that has some at a place.
int visit_instance(PyObject* self, visitproc visit, void* arg, Py_ssize_t attributes = 0);
// The place of the dict in instances of a class with dynamic attributes.
Py_ssize_t place_of_attributes(nb::handle type);

}  // namespace frit::python
