// Linear algebra.
#include "frontend/python/functions/families.h"

namespace frit::python {

namespace {

using Triangle = array (*)(const array&, bool, StreamOrDevice);
using Symmetric = array (*)(const array&, const std::string&, StreamOrDevice);

nb::tuple tuple_of(std::vector<array> parts) { return nb::tuple(nb::cast(std::move(parts))); }

array norm_with_names(const array& a, nb::object ord, const Axes& axis, bool keepdims, StreamOrDevice s) {
  const std::optional<std::vector<int>> axes = axis.none ? std::nullopt : std::optional(axis.list);
  // The number of axes is looked at before the axes are.
  if (axes && (axes->size() > 2 || (PyUnicode_Check(ord.ptr()) && axes->size() != 2)))
    throw InvalidArgument("norm: " + std::to_string(axes->size()) + " axes do not make vectors or matrices",
                          "give one axis, or two of matrices, which the norms with names take");
  if (ord.is_none()) return linalg::norm(a, axes, keepdims, s);
  if (PyUnicode_Check(ord.ptr())) return linalg::norm(a, nb::cast<std::string>(ord), axes, keepdims, s);
  double order;
  if (!nb::try_cast(ord, order)) throw nb::type_error("norm: ord is a number, the name of a norm, or None");
  return linalg::norm(a, order, axes, keepdims, s);
}

}  // namespace

void bind_linalg(nb::module_& m) {
  nb::module_ l = m.def_submodule("linalg", documentation("linalg").text);
  def(l, "linalg.norm", &norm_with_names, positional(), "ord"_a = nb::none(), "axis"_a = nb::none(),
      "keepdims"_a = false, nb::kw_only(), FRIT_STREAM);
  def(m, "matrix_norm", &norm_with_names, positional(), "ord"_a = nb::none(), "axis"_a = nb::none(),
      "keepdims"_a = false, nb::kw_only(), FRIT_STREAM);
  def(
      l, "linalg.cross",
      [](const array& a, const array& b, int axis, StreamOrDevice s) { return linalg::cross(a, b, axis, s); }, "a"_a,
      "b"_a, "axis"_a = -1, nb::kw_only(), FRIT_STREAM);
  const std::pair<const char*, Triangle> triangles[] = {{"linalg.cholesky", &linalg::cholesky},
                                                        {"linalg.cholesky_inv", &linalg::cholesky_inv},
                                                        {"linalg.tri_inv", &linalg::tri_inv}};
  for (auto [name, f] : triangles)
    def(
        l, name, [f](const array& a, bool upper, StreamOrDevice s) { return f(a, upper, s); }, "a"_a, "upper"_a = false,
        nb::kw_only(), FRIT_STREAM);
  const std::pair<const char*, Unary> plain[] = {{"linalg.inv", &linalg::inv},
                                                 {"linalg.pinv", &linalg::pinv},
                                                 {"linalg.det", &linalg::det},
                                                 {"linalg.eigvals", &linalg::eigvals}};
  for (auto [name, f] : plain)
    def(l, name, [f](const array& a, StreamOrDevice s) { return f(a, s); }, "a"_a, nb::kw_only(), FRIT_STREAM);
  using Pair = std::pair<array, array> (*)(const array&, StreamOrDevice);
  const std::pair<const char*, Pair> pairs[] = {{"linalg.qr", &linalg::qr},
                                                {"linalg.lu_factor", &linalg::lu_factor},
                                                {"linalg.eig", &linalg::eig},
                                                {"linalg.slogdet", &linalg::slogdet}};
  for (auto [name, f] : pairs)
    def(l, name, [f](const array& a, StreamOrDevice s) { return f(a, s); }, "a"_a, nb::kw_only(), FRIT_STREAM);
  def(
      l, "linalg.svd",
      [](const array& a, bool vectors, StreamOrDevice s) -> nb::object {
        std::vector<array> parts = linalg::svd(a, vectors, s);
        return vectors ? nb::object(tuple_of(std::move(parts))) : nb::cast(parts[0]);
      },
      "a"_a, "compute_uv"_a = true, nb::kw_only(), FRIT_STREAM);
  def(
      l, "linalg.lu", [](const array& a, StreamOrDevice s) { return tuple_of(linalg::lu(a, s)); }, "a"_a, nb::kw_only(),
      FRIT_STREAM);
  def(
      l, "linalg.solve", [](const array& a, const array& b, StreamOrDevice s) { return linalg::solve(a, b, s); }, "a"_a,
      "b"_a, nb::kw_only(), FRIT_STREAM);
  def(
      l, "linalg.solve_triangular",
      [](const array& a, const array& b, bool upper, StreamOrDevice s) {
        return linalg::solve_triangular(a, b, upper, s);
      },
      "a"_a, "b"_a, nb::kw_only(), "upper"_a = false, FRIT_STREAM);
  def(
      l, "linalg.eigh",
      [](const array& a, const std::string& half, StreamOrDevice s) { return linalg::eigh(a, half, s); }, "a"_a,
      "UPLO"_a = "L", nb::kw_only(), FRIT_STREAM);
  def(
      l, "linalg.eigvalsh",
      [](const array& a, const std::string& half, StreamOrDevice s) { return linalg::eigvalsh(a, half, s); }, "a"_a,
      "UPLO"_a = "L", nb::kw_only(), FRIT_STREAM);
}

}  // namespace frit::python
