// The extension module frit.core.
#include <algorithm>
#include <cmath>
#include <limits>

#include "frontend/python/core/bind.h"

namespace frit::python {

// Written by generate.py, in the order of the names.
struct TableRow {
  const char* name;
  const char* signature;
  const char* text;
};
extern const TableRow kDocumentation[];
extern const size_t kDocumentationRows;

Documentation documentation(std::string_view name, int overload) {
  const TableRow* end = kDocumentation + kDocumentationRows;
  const TableRow* row =
      std::lower_bound(kDocumentation, end, name, [](const TableRow& r, std::string_view n) { return r.name < n; });
  row += overload;
  if (row >= end || row->name != name)
    throw RuntimeError("the table of documentation has no row '" + std::string(name) + "'",
                       "add it to frontend/python/api");
  return {row->signature, row->text};
}

namespace {

// An object that converts itself; functions take one without the wrapper too.
struct ArrayLike {
  nb::object object;
};

void bind_constants(nb::module_& m) {
  nb::class_<ArrayLike> like(m, "ArrayLike", documentation("ArrayLike").text);
  def(
      like, "ArrayLike.__init__", [](ArrayLike* self, nb::object object) { new (self) ArrayLike{std::move(object)}; },
      nb::arg());
  like.def("__mlx_array__", [](const ArrayLike& self) { return self.object.attr("__mlx_array__")(); }, "The array.");
  def(m, "__array_namespace_info__",
      [] { return nb::module_::import_("frit._array_api").attr("ArrayNamespaceInfo")(); });
  m.attr("pi") = nb::float_(3.141592653589793);
  m.attr("e") = nb::float_(2.718281828459045);
  m.attr("euler_gamma") = nb::float_(0.5772156649015329);
  m.attr("inf") = nb::float_(std::numeric_limits<double>::infinity());
  m.attr("nan") = nb::float_(std::numeric_limits<double>::quiet_NaN());
  m.attr("newaxis") = nb::none();
  m.attr("__version__") = version();
}

}  // namespace

}  // namespace frit::python

NB_MODULE(core, m) {
  using namespace frit::python;
  // Objects of modules and of cycles live until the interpreter ends.
  nb::set_leak_warnings(false);
  m.doc() = "Arrays, functions of them, and transforms of functions: the names of mlx.core, on frit.";
  bind_types(m);
  bind_devices(m);
  ArrayClass c = bind_array(m);
  bind_operators(c);
  bind_methods(c);
  bind_indexing(m, c);
  bind_protocols(m, c);
  bind_elementwise(m);
  bind_reductions(m);
  bind_shapes(m);
  bind_joins(m);
  bind_creation(m);
  bind_selection(m);
  bind_products(m);
  bind_convolutions(m);
  bind_random(m);
  bind_linalg(m);
  bind_fft(m);
  bind_fast(m);
  bind_distributed(m);
  bind_files(m);
  bind_transforms(m);
  bind_vmap(m);
  bind_held_functions(m);
  bind_custom(m);
  bind_loops(m);
  bind_compile(m);
  bind_export(m);
  bind_constants(m);
  bind_signals();
  bind_places(m);
}
