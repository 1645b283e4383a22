// Functions that join arrays, pad them and read grids from them.
#include "frontend/python/functions/families.h"

namespace frit::python {

namespace {

std::vector<std::pair<Size, Size>> pad_widths(nb::handle h, size_t ndim) {
  const auto pair = [](const std::vector<int>& sizes) {
    if (sizes.empty() || sizes.size() > 2)
      throw nb::type_error("pad: a width is one number or a pair of them\n  note: give (before, after)");
    return std::pair<Size, Size>(sizes.front(), sizes.back());
  };
  if (Axes flat; !h.is_none() && flat.read(h) && !flat.list.empty()) return std::vector(ndim, pair(flat.list));
  const Py_ssize_t n = PySequence_Size(h.ptr());
  if (n < 0) nb::raise_python_error();
  std::vector<std::pair<Size, Size>> widths;
  for (Py_ssize_t i = 0; i < n; ++i)
    widths.push_back(pair(read_integers(nb::object(h[i]), "pad: a width is an integer or a pair of them")));
  if (widths.size() == 1) return std::vector(ndim, widths[0]);
  return widths;
}

}  // namespace

void bind_joins(nb::module_& m) {
  for (const char* name : {"concatenate", "concat"})
    def(
        m, name,
        [](const std::vector<array>& arrays, std::optional<int> axis, StreamOrDevice s) {
          return axis ? concatenate(arrays, *axis, s) : concatenate(arrays, s);
        },
        "arrays"_a, "axis"_a.none() = 0, nb::kw_only(), FRIT_STREAM);
  def(
      m, "stack",
      [](const std::vector<array>& arrays, std::optional<int> axis, StreamOrDevice s) {
        return axis ? stack(arrays, *axis, s) : stack(arrays, s);
      },
      "arrays"_a, "axis"_a.none() = 0, nb::kw_only(), FRIT_STREAM);
  def(
      m, "meshgrid",
      [](nb::args given, bool sparse, const std::string& indexing, StreamOrDevice s) {
        std::vector<array> arrays;
        for (nb::handle h : given) arrays.push_back(nb::cast<array>(h));
        return nb::tuple(nb::cast(meshgrid(arrays, sparse, indexing, s)));
      },
      "arrays"_a, "sparse"_a = false, "indexing"_a = "xy", FRIT_STREAM);
  def(
      m, "pad",
      [](const array& a, nb::object widths, const std::string& mode, const Value& value, StreamOrDevice s) {
        return pad(a, pad_widths(widths, a.ndim()), value.get(a.dtype()), mode, s);
      },
      "a"_a, "pad_width"_a, "mode"_a = "constant", "constant_values"_a = 0, nb::kw_only(), FRIT_STREAM);
  def(
      m, "kron", [](const array& a, const array& b, StreamOrDevice s) { return kron(a, b, s); }, "a"_a, "b"_a,
      nb::kw_only(), FRIT_STREAM);
  def(
      m, "depends",
      [](nb::object inputs, nb::object dependencies) -> nb::object {
        const auto list = [](nb::handle h) {
          return is_array(h) ? std::vector<array>{array_in(h)} : nb::cast<std::vector<array>>(h);
        };
        std::vector<array> out = depends(list(inputs), list(dependencies));
        return is_array(inputs) ? nb::cast(out[0]) : nb::cast(std::move(out));
      },
      "inputs"_a, "dependencies"_a);
}

}  // namespace frit::python
