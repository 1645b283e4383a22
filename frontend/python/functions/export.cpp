// Functions as files, and graphs as DOT.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unordered_map.h>
#include <nanobind/stl/variant.h>

#include <fstream>
#include <sstream>

#include "frontend/python/core/held_function.h"
#include "frontend/python/core/tree.h"
#include "frontend/python/functions/families.h"

namespace frit::python {

namespace {

// One array, or a list or tuple of arrays: a file has its results in order, without names.
std::vector<array> results_of(nb::handle result) {
  if (is_array(result)) return {array_in(result)};
  std::vector<array> out;
  bool arrays = PyTuple_Check(result.ptr()) || PyList_Check(result.ptr());
  if (arrays)
    for (nb::handle item : result) {
      arrays = arrays && is_array(item);
      if (arrays) out.push_back(array_in(item));
    }
  if (!arrays)
    throw InvalidArgument("export_function: the function returns neither an array nor a list or tuple of arrays",
                          "return the arrays in a tuple");
  return out;
}

// f(*args, **kwargs) as a function of lists. The caller keeps the Python function alive.
ArgsKwargsFunction list_function(nb::handle fun) {
  return [fun](const Args& args, const Kwargs& kwargs) {
    const LockTaken acquire;
    nb::list positional;
    for (const array& a : args) positional.append(a);
    nb::dict named;
    for (const auto& [name, a] : kwargs) named[name.c_str()] = a;
    return results_of(call_user(fun, nb::tuple(positional), named));
  };
}

void take_named(const std::string& name, nb::handle a, Kwargs& named) {
  if (!is_array(a))
    throw InvalidArgument("export_function: the keyword argument '" + name + "' is not an array", "give arrays");
  named.emplace(name, array_in(a));
}

// f(x, y), f([x, y]), f({"y": y}) and f((x,), {"y": y}): a dict holds arguments by name, as keyword arguments do.
void split_arguments(nb::args args, nb::kwargs kwargs, Args& positional, Kwargs& named) {
  size_t i = 0;
  const auto dict_at = [&] { return i < args.size() && PyDict_Check(args[i].ptr()); };
  if (!dict_at() && args.size() > 0) {
    const bool list = !is_array(args[0]);
    do append_arrays(args[i++], positional, "export_function");
    while (!list && i < args.size() && is_array(args[i]));
    if (!list && i < args.size())
      throw InvalidArgument("export_function: an argument beside arrays is no array", "give (arrays, dict of arrays)");
  }
  if (dict_at())
    for (auto [name, a] : nb::borrow<nb::dict>(args[i++])) take_named(nb::cast<std::string>(nb::str(name)), a, named);
  if (i < args.size())
    throw InvalidArgument("export_function: the arguments are neither arrays nor one list and one dict of arrays",
                          "give (arrays, dict of arrays)");
  for (auto [name, a] : kwargs) take_named(nb::cast<std::string>(name), a, named);
}

// Shapes are tuples in Python.
nb::object with_tuples(nb::handle h, bool is_shape) {
  if (nb::isinstance<nb::list>(h)) {
    nb::list items;
    for (nb::handle item : h) items.append(with_tuples(item, true));
    return is_shape ? nb::object(nb::tuple(items)) : nb::object(items);
  }
  if (nb::isinstance<nb::tuple>(h)) {
    nb::list items;
    for (nb::handle item : h) items.append(with_tuples(item, true));
    return nb::tuple(items);
  }
  return nb::borrow(h);
}

ExportCallback callback_of(nb::object fun) {
  const std::shared_ptr<PyObject> held = shared_object(fun);
  return [held](const ExportCallbackInput& record) {
    const LockTaken acquire;
    nb::dict told;
    for (auto [key, value] : nb::cast<nb::dict>(nb::cast(record))) told[key] = with_tuples(value, false);
    call_user(held.get(), nb::make_tuple(told));
  };
}

// The operations that have not run yet behind some arrays, as a graph of Graphviz.
void write_dot(std::ostream& os, const std::vector<array>& roots,
               const std::unordered_map<std::uintptr_t, std::string>& names) {
  std::unordered_map<std::uintptr_t, std::string> known;
  const auto label = [&](const array& a) -> const std::string& {
    auto [at, fresh] = known.emplace(a.id(), "");
    if (fresh) {
      const auto named = names.find(a.id());
      at->second = named != names.end() ? named->second : "a" + std::to_string(known.size());
      os << "{ \"" << at->second << "\" [label=\"" << at->second << "\"]; }\n";
    }
    return at->second;
  };
  std::unordered_map<std::uintptr_t, bool> written;
  std::vector<array> open = roots;
  os << "digraph {\n";
  while (!open.empty()) {
    const array a = open.back();
    open.pop_back();
    label(a);
    if (!a.has_primitive() || !written.emplace(a.primitive_id(), true).second) continue;
    const std::string node = "op" + std::to_string(written.size());
    os << "{ \"" << node << "\" [label=\"" << a.primitive().name() << "\", shape=rectangle]; }\n";
    for (const array& x : a.inputs()) {
      os << '"' << label(x) << "\" -> \"" << node << "\"\n";
      open.push_back(x);
    }
    for (const array& y : a.outputs()) os << '"' << node << "\" -> \"" << label(y) << "\"\n";
  }
  os << "}\n";
}

void bind_dot(nb::module_& m) {
  def(
      m, "export_to_dot",
      [](nb::object file, nb::args args, nb::kwargs kwargs) {
        std::vector<array> roots;
        visit_leaves(args, [&](nb::handle leaf) {
          if (!is_array(leaf)) throw InvalidArgument("export_to_dot: an argument holds no array", "give arrays");
          roots.push_back(array_in(leaf));
        });
        std::unordered_map<std::uintptr_t, std::string> names;
        for (auto [name, a] : kwargs)
          if (is_array(a)) names.emplace(array_in(a).id(), nb::cast<std::string>(name));
        std::ostringstream text;
        write_dot(text, roots, names);
        if (nb::hasattr(file, "write")) {
          file.attr("write")(text.str());
          return;
        }
        if (!PyUnicode_Check(file.ptr()) && !nb::hasattr(file, "__fspath__"))
          throw InvalidArgument("export_to_dot: the file is neither a path nor a file object", "give one of them");
        std::ofstream out(nb::cast<std::string>(nb::str(file)));
        if (!(out << text.str()).flush())
          throw RuntimeError("export_to_dot: the file cannot be written", "check the path");
      },
      "file"_a, "args"_a, "kwargs"_a);
}

struct Exporter {
  nb::object fun;  // the collector sees it here alone
  FunctionExporter write;
};

int visit_exporter(PyObject* self, visitproc visit, void* arg) {
  if (const int stop = visit_instance(self, visit, arg)) return stop;
  if (nb::inst_ready(self)) Py_VISIT(nb::inst_ptr<Exporter>(self)->fun.ptr());
  return 0;
}

int drop_exporter(PyObject* self) {
  nb::inst_ptr<Exporter>(self)->fun.reset();
  return 0;
}

PyType_Slot g_slots_of_exporter[] = {{Py_tp_traverse, reinterpret_cast<void*>(visit_exporter)},
                                     {Py_tp_clear, reinterpret_cast<void*>(drop_exporter)},
                                     {0, nullptr}};

}  // namespace

void bind_export(nb::module_& m) {
  nb::class_<Exporter> exporter_class(m, "FunctionExporter", documentation("FunctionExporter").text,
                                      nb::type_slots(g_slots_of_exporter));
  def(
      exporter_class, "FunctionExporter.__call__",
      [](Exporter& self, nb::args args, nb::kwargs kwargs) {
        Args positional;
        Kwargs named;
        split_arguments(args, kwargs, positional, named);
        self.write(positional, named);
      },
      "args"_a, "kwargs"_a);
  def(exporter_class, "FunctionExporter.close", [](Exporter& self) { self.write.close(); });
  def(exporter_class, "FunctionExporter.__enter__", [](nb::handle self) { return nb::borrow(self); });
  def(
      exporter_class, "FunctionExporter.__exit__",
      [](Exporter& self, nb::object, nb::object, nb::object) { self.write.close(); }, "exc_type"_a = nb::none(),
      "exc_value"_a = nb::none(), "traceback"_a = nb::none());

  def(
      m, "export_function",
      [](nb::object file, nb::object fun, nb::args args, bool shapeless, const std::optional<std::string>& metadata,
         nb::kwargs kwargs) {
        Args positional;
        Kwargs named;
        split_arguments(args, kwargs, positional, named);
        if (PyUnicode_Check(file.ptr()) || nb::hasattr(file, "__fspath__"))
          export_function(nb::cast<std::string>(nb::str(file)), list_function(fun), positional, named, shapeless,
                          metadata.value_or(""));
        else
          export_function(callback_of(file), list_function(fun), positional, named, shapeless);
      },
      "file_or_callback"_a, "fun"_a, "args"_a, "shapeless"_a = false, "metadata"_a = nb::none(), "kwargs"_a);
  def(
      m, "exporter",
      [](const std::string& file, nb::callable fun, bool shapeless, const std::optional<std::string>& metadata) {
        return new Exporter{fun, exporter(file, list_function(fun), shapeless, metadata.value_or(""))};
      },
      "file"_a, "fun"_a, nb::kw_only(), "shapeless"_a = false, "metadata"_a = nb::none(),
      nb::rv_policy::take_ownership);
  def(
      m, "import_function",
      [](const std::string& file, bool return_metadata) -> nb::object {
        const ImportedFunction imported = import_function(file);
        nb::object call = nb::cpp_function(
            [imported](nb::args args, nb::kwargs kwargs) {
              Args positional;
              Kwargs named;
              split_arguments(args, kwargs, positional, named);
              std::vector<array> results = without_lock([&] { return imported(positional, named); });
              return nb::tuple(nb::cast(std::move(results)));
            },
            nb::name(imported.name().c_str()));
        return return_metadata ? nb::object(nb::make_tuple(call, imported.metadata())) : call;
      },
      "file"_a, "return_metadata"_a = false);
  bind_dot(m);
}

}  // namespace frit::python
