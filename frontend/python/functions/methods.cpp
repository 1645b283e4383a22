// Methods of the array that are functions too.
#include "frontend/python/functions/families.h"
#include "frontend/python/functions/shapes.h"

namespace frit::python {

void bind_methods(ArrayClass& c) {
  const std::pair<const char*, Unary> unary[] = {
      {"array.abs", &abs},      {"array.conj", &conjugate}, {"array.cos", &cos},
      {"array.exp", &exp},      {"array.log", &log},        {"array.log10", &log10},
      {"array.log1p", &log1p},  {"array.log2", &log2},      {"array.reciprocal", &reciprocal},
      {"array.rsqrt", &rsqrt},  {"array.sin", &sin},        {"array.sqrt", &sqrt},
      {"array.square", &square}};
  for (auto [name, f] : unary) def_unary(c, name, f);
  def_shared_reductions(c, "array.");
  def_scan(c, "array.cumsum",
           {[](const array& a, bool r, bool i, StreamOrDevice s) { return cumsum(a, r, i, s); },
            [](const array& a, int axis, bool r, bool i, StreamOrDevice s) { return cumsum(a, axis, r, i, s); }});
  def_scan(c, "array.cumprod",
           {[](const array& a, bool r, bool i, StreamOrDevice s) { return cumprod(a, r, i, s); },
            [](const array& a, int axis, bool r, bool i, StreamOrDevice s) { return cumprod(a, axis, r, i, s); }});
  def(
      c, "array.astype", [](const array& a, Dtype t, StreamOrDevice s) { return astype(a, t, s); }, "dtype"_a,
      FRIT_STREAM);
  def(
      c, "array.view", [](const array& a, Dtype t, StreamOrDevice s) { return view(a, t, s); }, "dtype"_a,
      nb::kw_only(), FRIT_STREAM);
  def(
      c, "array.round", [](const array& a, int decimals, StreamOrDevice s) { return round(a, decimals, s); },
      "decimals"_a = 0, nb::kw_only(), FRIT_STREAM);
  def(
      c, "array.diag", [](const array& a, int k, StreamOrDevice s) { return diag(a, k, s); }, "k"_a = 0, nb::kw_only(),
      FRIT_STREAM);
  def(
      c, "array.diagonal",
      [](const array& a, int offset, int x, int y, StreamOrDevice s) { return diagonal(a, offset, x, y, s); },
      "offset"_a = 0, "axis1"_a = 0, "axis2"_a = 1, FRIT_STREAM);
  def(
      c, "array.flatten", [](const array& a, int from, int to, StreamOrDevice s) { return flatten(a, from, to, s); },
      "start_axis"_a = 0, "end_axis"_a = -1, nb::kw_only(), FRIT_STREAM);
  def(
      c, "array.reshape",
      [](const array& a, nb::args sizes, StreamOrDevice s) { return reshape(a, sizes_of(sizes), s); }, "shape"_a,
      FRIT_STREAM);
  def(
      c, "array.transpose",
      [](const array& a, nb::args axes, StreamOrDevice s) {
        if (axes.size() == 0 || (axes.size() == 1 && axes[0].is_none())) return transpose(a, s);
        return transpose(a, sizes_of(axes), s);
      },
      "axes"_a, FRIT_STREAM);
  def(
      c, "array.squeeze",
      [](const array& a, const Axes& axis, StreamOrDevice s) {
        return axis.none ? squeeze(a, s) : squeeze(a, axis.list, s);
      },
      "axis"_a = nb::none(), nb::kw_only(), FRIT_STREAM);
  def(
      c, "array.swapaxes", [](const array& a, int x, int y, StreamOrDevice s) { return swapaxes(a, x, y, s); },
      "axis1"_a, "axis2"_a, nb::kw_only(), FRIT_STREAM);
  def(
      c, "array.moveaxis", [](const array& a, int from, int to, StreamOrDevice s) { return moveaxis(a, from, to, s); },
      "source"_a, "destination"_a, nb::kw_only(), FRIT_STREAM);
  def(c, "array.split", &split_at, "indices_or_sections"_a, "axis"_a = 0, nb::kw_only(), FRIT_STREAM);
}

}  // namespace frit::python
