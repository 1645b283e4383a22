// compile(): a Python function over trees of arrays, with captured state, as one compiled function.
#include "frontend/python/core/compile.h"

#include <nanobind/stl/function.h>

#include "frontend/frit/detail/binding.h"
#include "frontend/python/core/held_function.h"
#include "frontend/python/core/structure.h"
#include "frontend/python/core/tree.h"

namespace frit::python {

namespace {

struct CallUnderWay;
thread_local CallUnderWay* t_call = nullptr;

// A call under way in this thread, as long as it lives: the trace reads the Python objects of the arguments from here.
struct CallUnderWay {
  CallUnderWay(const PyCompiled& self, nb::handle args, nb::handle kwargs, nb::handle state)
      : self(self), args(args), kwargs(kwargs), state(state), outer(t_call) {
    t_call = this;
  }
  ~CallUnderWay() { t_call = outer; }
  CallUnderWay(const CallUnderWay&) = delete;
  CallUnderWay& operator=(const CallUnderWay&) = delete;

  const PyCompiled& self;
  const nb::handle args, kwargs, state;  // as they were when the call began; the latter two may be null
  CallUnderWay* const outer;
};

// Puts tracers into the arrays of captured state, and gives containers and arrays back at the end of the trace.
class StateInTrace {
 public:
  // `state`: the inputs with containers of their own.
  StateInTrace(nb::handle inputs, nb::handle outputs, nb::handle state, detail::Reader& in) {
    for (nb::handle tree : {inputs, outputs}) keep(tree);
    if (!inputs.is_none())
      visit_state(state, [&](array& a, nb::handle owner) {
        arrays_.push_back({&a, nb::borrow(owner), a});
        a = in.leaf();
      });
  }
  ~StateInTrace() {
    for (size_t i = arrays_.size(); i-- > 0;) *arrays_[i].place = arrays_[i].before;
    for (auto& [container, copy] : containers_) {
      if (PyDict_Check(container.ptr())) {
        PyDict_Clear(container.ptr());
        PyDict_Update(container.ptr(), copy.ptr());
      } else {
        PyList_SetSlice(container.ptr(), 0, PY_SSIZE_T_MAX, copy.ptr());
      }
    }
  }

 private:
  struct Saved {
    array* place;
    nb::object owner;
    array before;
  };
  void keep(nb::handle tree) {
    const Level level;
    PyObject* p = tree.ptr();
    if (PyDict_Check(p)) {
      PyObject* copy = PyDict_Copy(p);
      containers_.emplace_back(nb::borrow(tree), nb::steal(copy));
      PyObject *key, *value;
      for (Py_ssize_t at = 0; PyDict_Next(copy, &at, &key, &value);) keep(value);
    } else if (PyList_Check(p)) {
      PyObject* copy = PyList_GetSlice(p, 0, PY_SSIZE_T_MAX);
      containers_.emplace_back(nb::borrow(tree), nb::steal(copy));
      for (Py_ssize_t i = 0; i < NB_LIST_GET_SIZE(copy); ++i) keep(NB_LIST_GET_ITEM(copy, i));
    } else if (PyTuple_Check(p)) {
      for (Py_ssize_t i = 0; i < NB_TUPLE_GET_SIZE(p); ++i) keep(NB_TUPLE_GET_ITEM(p, i));
    }
  }
  std::vector<Saved> arrays_;
  std::vector<std::pair<nb::object, nb::object>> containers_;
};

// Python's current error. Before 3.12 one that C code raised by its type alone, as KeyboardInterrupt and the end of an
// iterator are, has no value yet.
nb::python_error error_with_value() {
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  PyErr_Restore(type, value, trace);
  return {};
}

// The function itself, with arrays from `in` in the places of the call's own.
void run_function(const void*, detail::Reader& in, std::vector<array>& results, detail::Structure& structure) {
  const LockTaken acquire;
  const CallUnderWay& call = *t_call;
  const PyCompiled& self = call.self;
  TracerObjects objects;
  const auto traced = [&](nb::handle tree) {
    return map_leaves(tree, [&](nb::handle leaf) {
      return is_array(leaf) ? objects.add(in.leaf(), array_in(leaf)) : nb::borrow(leaf);
    });
  };
  const nb::object args = traced(call.args);
  const nb::object kwargs = call.kwargs.is_valid() ? traced(call.kwargs) : nb::object();
  const StateInTrace state(self.inputs, self.outputs, call.state, in);
  const nb::object result =
      nb::steal(taking_lock([&] { return PyObject_Call(self.fun.ptr(), args.ptr(), kwargs.ptr()); }));
  if (!result.is_valid()) {
    nb::python_error error = error_with_value();
    if (nb::hasattr(error.value(), "add_note"))
      error.value().attr("add_note")(nb::str(("raised while '" + self.name() + "' was traced").c_str()));
    throw error;
  }
  std::vector<nb::object> trees;  // keep the leaves
  std::vector<const array*> leaves;
  if (!is_array(result) || !self.outputs.is_none()) {
    Encoder encoder(structure, leaves, &self.objects);
    trees.push_back(tree_at_once(result));
    if (!self.outputs.is_none()) trees.push_back(tree_at_once(self.outputs));
    for (const nb::object& tree : trees) encoder.add(tree);
  } else {
    leaves.push_back(&array_in(result));
  }
  for (const array* a : leaves) results.push_back(*a);
}

}  // namespace

namespace {

// The names of the positional parameters of the function that is called; none past them, or of an object that is no
// plain function.
std::vector<std::string> parameter_names(size_t count) {
  const LockTaken acquire;
  std::vector<std::string> names;
  nb::object fun = t_call ? t_call->self.fun : nb::object();
  if (!fun.is_valid()) return std::vector<std::string>(count);
  const nb::module_ types = nb::module_::import_("types");
  const bool bound = nb::isinstance(fun, types.attr("MethodType"));
  if (bound) fun = fun.attr("__func__");
  if (nb::isinstance(fun, types.attr("FunctionType"))) {
    const nb::object code = fun.attr("__code__");
    const nb::tuple all = code.attr("co_varnames");
    const auto positional = nb::cast<size_t>(code.attr("co_argcount"));
    for (size_t i = bound; i < positional && names.size() < count; ++i) names.push_back(nb::cast<std::string>(all[i]));
  }
  names.resize(count);
  return names;
}

}  // namespace

PyCompiled::PyCompiled(nb::object f, nb::object in, nb::object out, CompileOptions options)
    : detail::CompiledBase(std::make_shared<int>(0), std::move(options)),
      fun(std::move(f)),
      inputs(std::move(in)),
      outputs(std::move(out)) {}

// The arrays of a call, and the structure around them where there is one.
struct Arguments {
  nb::object positional, named, state;  // keep the arrays; the latter two may be null
  std::vector<const array*> arrays;
  detail::Structure structure;
  detail::Call call{&run_function, {}, nullptr};

  Arguments(const PyCompiled& self, PyObject* args, PyObject* kwargs) {
    const Py_ssize_t n = NB_TUPLE_GET_SIZE(args);
    bool plain = (!kwargs || PyDict_Size(kwargs) == 0) && self.inputs.is_none();
    for (Py_ssize_t i = 0; plain && i < n; ++i) plain = is_array(NB_TUPLE_GET_ITEM(args, i));
    arrays.reserve(static_cast<size_t>(n));
    if (plain) {
      positional = nb::borrow(args);
      named = nb::borrow(kwargs);
      for (Py_ssize_t i = 0; i < n; ++i) arrays.push_back(&array_in(NB_TUPLE_GET_ITEM(args, i)));
    } else {
      Encoder encoder(structure, arrays, nullptr);
      positional = held_tree(args);
      encoder.add(positional);
      if (kwargs) {
        named = held_tree(kwargs);
        encoder.add(named);
      }
      const size_t own = arrays.size();
      if (!self.inputs.is_none()) {
        // State may hold objects of any kind, such as the functions of a container of layers.
        Encoder of_state(structure, arrays, &self.objects);
        state = held_tree(self.inputs);
        of_state.add(state);
        call.captured = arrays.size() - own;
      }
      call.structure = &structure;
    }
    call.arrays = arrays;
  }
};

nb::object PyCompiled::operator()(PyObject* args, PyObject* kwargs) const {
  const Arguments arguments(*this, args, kwargs);
  detail::Structure structure;
  std::vector<array> results;
  const CallUnderWay under_way(*this, arguments.positional, arguments.named, arguments.state);
  without_lock([&] { results = call(arguments.call, structure); });
  if (structure.parts.empty()) return nb::cast(std::move(results[0]));
  Decoder decoder(structure, results, objects);
  nb::object result = decoder.build();
  if (!outputs.is_none()) decoder.fill(outputs);
  return result;
}

Inspection PyCompiled::lower(PyObject* args, PyObject* kwargs) const {
  const Arguments arguments(*this, args, kwargs);
  const CallUnderWay under_way(*this, arguments.positional, arguments.named, arguments.state);
  return without_lock([&] { return inspect(arguments.call); });
}

namespace {

// State that could never hold an array is a mistake. Objects in trees are taken as they are.
void check_state(nb::handle state, const char* which) {
  PyObject* p = state.ptr();
  if (state.is_none() || is_array(state) || PyList_Check(p) || PyTuple_Check(p) || PyDict_Check(p)) return;
  bool holds_arrays = false;
  visit_state(state, [&](array&, nb::handle) { holds_arrays = true; });
  if (holds_arrays) return;
  const std::string type = nb::cast<std::string>(nb::handle(state.type()).attr("__name__"));
  throw nb::type_error(("compile: " + std::string(which) + " is of type " + type +
                        "; give a list, tuple or dict of arrays, such as [model.state]")
                           .c_str());
}

PyObject* call_slot(PyObject* self, PyObject* args, PyObject* kwargs) {
  if (!nb::inst_ready(self)) {
    PyErr_SetString(PyExc_TypeError, "a compiled function without a function is called; make it with compile");
    return nullptr;
  }
  try {
    return (*nb::inst_ptr<PyCompiled>(self))(args, kwargs).release().ptr();
  } catch (nb::python_error& e) {
    e.restore();
  } catch (const std::invalid_argument& e) {
    PyErr_SetString(PyExc_ValueError, e.what());
  } catch (const std::out_of_range& e) {
    PyErr_SetString(PyExc_IndexError, e.what());
  } catch (const nb::builtin_exception& e) {
    PyErr_SetString(e.type() == nb::exception_type::type_error ? PyExc_TypeError : PyExc_RuntimeError, e.what());
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  }
  return nullptr;
}

Py_ssize_t g_attributes = 0;  // the place of an instance's dict

int traverse(PyObject* self, visitproc visit, void* arg) {
  if (const int stop = visit_instance(self, visit, arg, g_attributes)) return stop;
  if (!nb::inst_ready(self)) return 0;
  const PyCompiled* c = nb::inst_ptr<PyCompiled>(self);
  Py_VISIT(c->fun.ptr());
  Py_VISIT(c->inputs.ptr());
  Py_VISIT(c->outputs.ptr());
  for (const nb::object& o : c->objects.all()) Py_VISIT(o.ptr());
  return 0;
}
int clear(PyObject* self) {
  PyCompiled* c = nb::inst_ptr<PyCompiled>(self);
  c->fun.reset();
  c->inputs = nb::none();
  c->outputs = nb::none();
  c->objects.all().clear();
  return 0;
}

PyType_Slot g_slots[] = {{Py_tp_call, reinterpret_cast<void*>(call_slot)},
                         {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
                         {Py_tp_clear, reinterpret_cast<void*>(clear)},
                         {0, nullptr}};

}  // namespace

void bind_compile(nb::module_& m) {
  detail::set_parameter_names(run_function, parameter_names);
  nb::class_<Inspection>(m, "Inspection", documentation("Inspection").text)
      .def_ro("ir", &Inspection::ir, "The function as traced.")
      .def_ro("optimised", &Inspection::optimised, "The graph after its passes, before lowering.")
      .def_ro("kernels", &Inspection::kernels, "The kernel program.")
      .def_ro("asm", &Inspection::assembly, "The processor's assembly, or a GPU's shaders in GLSL.")
      .def_ro("kernel_count", &Inspection::kernel_count, "Kernels and library calls that one call runs.");
  nb::class_<PyCompiled> compiled(m, "CompiledFunction", documentation("CompiledFunction").text,
                                  nb::type_slots(g_slots), nb::dynamic_attr());
  g_attributes = place_of_attributes(compiled);
  compiled
      .def("explain", &PyCompiled::explain,
           "Counters, the assumptions of each trace, and the reason for each trace after the first.")
      .def(
          "report",
          [](const PyCompiled& c, nb::handle path) {
            const std::string file = nb::cast<std::string>(nb::module_::import_("os").attr("fspath")(path));
            const LockReleased release;
            c.report(file);
          },
          "path"_a,
          "Writes a page that shows what the compiler did for the trace used last, and what a measured run of it cost. "
          "A path that ends in .json gets the document behind the page alone. Raises ValueError where nothing is "
          "traced yet and RuntimeError where the file cannot be written.")
      .def(
          "lower",
          [](const PyCompiled& c, nb::args args, nb::kwargs kwargs) {
            return c.lower(args.ptr(), nb::len(kwargs) ? kwargs.ptr() : nullptr);
          },
          "Traces for these arguments and returns every form on the way to code, without running.")
      .def("clear", &PyCompiled::clear, "Drops every trace and its code.")
      .def(
          "__getattr__", [](const PyCompiled& c, nb::handle name) -> nb::object { return c.fun.attr(name); },
          "The attributes of the function, such as the parameters of a module.")
      .def_prop_ro("trace_count", &PyCompiled::trace_count, "Traces that were made in all.")
      .def_prop_ro("cache_size", &PyCompiled::cache_size, "Traces that are held.");
  def(
      m, "compile",
      [](nb::object fun, nb::object inputs, nb::object outputs, bool shapeless, std::optional<std::string> name,
         bool strict, size_t max_traces, nb::object dims, nb::object signature) {
        if (!PyCallable_Check(fun.ptr())) throw nb::type_error("compile: the function cannot be called");
        check_state(inputs, "inputs");
        check_state(outputs, "outputs");
        CompileOptions options;
        options.name = name ? *name : function_name(fun);
        options.shapeless = shapeless;
        options.strict = strict;
        options.max_traces = max_traces;
        options.dims = declared_dims(dims);
        options.signature = declared_signature(signature);
        nb::object made = nb::cast(new PyCompiled(fun, std::move(inputs), std::move(outputs), std::move(options)),
                                   nb::rv_policy::take_ownership);
        for (const char* attribute : {"__name__", "__qualname__", "__doc__", "__module__"})
          if (nb::hasattr(fun, attribute)) nb::setattr(made, attribute, fun.attr(attribute));
        nb::setattr(made, "__wrapped__", fun);
        return made;
      },
      "fun"_a, "inputs"_a = nb::none(), "outputs"_a = nb::none(), "shapeless"_a = false, nb::kw_only(),
      "name"_a = nb::none(), "strict"_a = false, "max_traces"_a = 0, "dims"_a = nb::none(), "signature"_a = nb::none());
  def(m, "disable_compile", &disable_compile);
  def(m, "enable_compile", &enable_compile);
}

}  // namespace frit::python
