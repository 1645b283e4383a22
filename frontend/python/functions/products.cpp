// Products of arrays, and quantised ones.
#include "frontend/python/functions/families.h"

namespace frit::python {

namespace {

array tensordot_of(const array& a, const array& b, nb::object axes, StreamOrDevice s) {
  if (Axes count; !axes.is_none() && count.read(axes) && count.one) return tensordot(a, b, count.single(), s);
  const bool listed = PySequence_Check(axes.ptr()) && !PyUnicode_Check(axes.ptr()) && !PyBytes_Check(axes.ptr());
  std::vector<std::vector<int>> lists;
  for (nb::handle h : listed ? nb::list(axes) : nb::list()) {
    Axes of_one;
    if (h.is_none() || !of_one.read(h) || of_one.one)
      throw nb::type_error("tensordot: axes is a number or two lists of numbers");
    lists.push_back(of_one.list);
  }
  if (!listed) throw nb::type_error("tensordot: axes is a number or two lists of numbers");
  if (lists.size() != 2) throw InvalidArgument("tensordot: axes has to be two lists", "give [axes of a, axes of b]");
  return tensordot(a, b, lists[0], lists[1], s);
}

std::vector<array> arrays_of(nb::args given) {
  std::vector<array> arrays;
  for (nb::handle h : given) arrays.push_back(nb::cast<array>(h));
  return arrays;
}

// The full convolution of two vectors, and parts of it.
array convolve_of(const array& a, const array& v, const std::string& mode, StreamOrDevice s) {
  if (a.ndim() != 1 || v.ndim() != 1)
    throw InvalidArgument("convolve: both arrays have to have one axis, not " + std::to_string(a.ndim()) + " and " +
                              std::to_string(v.ndim()),
                          "reshape them first");
  if (a.size() == 0 || v.size() == 0) throw InvalidArgument("convolve: an array is empty", "give at least one element");
  const bool swap = a.shape(0) < v.shape(0);
  const array &data = swap ? v : a, &kernel = swap ? a : v;
  const int n = data.shape(0), k = kernel.shape(0);
  int low, high;
  if (mode == "full")
    low = high = k - 1;
  else if (mode == "valid")
    low = high = 0;
  else if (mode == "same")
    low = k / 2, high = k - 1 - low;
  else
    throw InvalidArgument("convolve: '" + mode + "' is not a mode", "use full, same or valid");
  const array flipped = reshape(flip(kernel, 0, s), Shape{1, k, 1}, s);
  const array out = conv_general(reshape(data, Shape{1, n, 1}, s), flipped, {1}, {low}, {high}, {1}, {1}, 1, false, s);
  return reshape(out, Shape{-1}, s);
}

void bind_quantised(nb::module_& m) {
  def(
      m, "quantize",
      [](const array& w, std::optional<int> group, std::optional<int> bits, const std::string& mode,
         const MaybeArray& global, StreamOrDevice s) { return quantize(w, group, bits, mode, global, s); },
      positional(), "group_size"_a = nb::none(), "bits"_a = nb::none(), "mode"_a = "affine",
      "global_scale"_a = nb::none(), nb::kw_only(), FRIT_STREAM);
  def(
      m, "dequantize",
      [](const array& w, const array& scales, const MaybeArray& biases, std::optional<int> group,
         std::optional<int> bits, const std::string& mode, const MaybeArray& global, std::optional<Dtype> t,
         StreamOrDevice s) { return dequantize(w, scales, biases, group, bits, mode, global, t, s); },
      positional(), "scales"_a, "biases"_a = nb::none(), "group_size"_a = nb::none(), "bits"_a = nb::none(),
      "mode"_a = "affine", "global_scale"_a = nb::none(), "dtype"_a = nb::none(), nb::kw_only(), FRIT_STREAM);
  def(
      m, "quantized_matmul",
      [](const array& x, const array& w, const array& scales, const MaybeArray& biases, bool transpose,
         std::optional<int> group, std::optional<int> bits, const std::string& mode,
         StreamOrDevice s) { return quantized_matmul(x, w, scales, biases, transpose, group, bits, mode, s); },
      positional(), positional(), "scales"_a, "biases"_a = nb::none(), "transpose"_a = true,
      "group_size"_a = nb::none(), "bits"_a = nb::none(), "mode"_a = "affine", nb::kw_only(), FRIT_STREAM);
  def(
      m, "qqmm",
      [](const array& x, const array& w, const MaybeArray& scales, std::optional<int> group, std::optional<int> bits,
         const std::string& mode, const MaybeArray& gx, const MaybeArray& gw,
         StreamOrDevice s) { return qqmm(x, w, scales, group, bits, mode, gx, gw, s); },
      "x"_a, "w"_a, "scales"_a = nb::none(), "group_size"_a = nb::none(), "bits"_a = nb::none(), "mode"_a = "nvfp4",
      "global_scale_x"_a = nb::none(), "global_scale_w"_a = nb::none(), nb::kw_only(), FRIT_STREAM);
  def(
      m, "gather_mm",
      [](const array& a, const array& b, const MaybeArray& left, const MaybeArray& right, bool sorted,
         StreamOrDevice s) { return gather_mm(a, b, left, right, sorted, s); },
      positional(), positional(), "lhs_indices"_a = nb::none(), "rhs_indices"_a = nb::none(), nb::kw_only(),
      "sorted_indices"_a = false, FRIT_STREAM);
  def(
      m, "gather_qmm",
      [](const array& x, const array& w, const array& scales, const MaybeArray& biases, const MaybeArray& left,
         const MaybeArray& right, bool transpose, std::optional<int> group, std::optional<int> bits,
         const std::string& mode, const MaybeArray& global, bool sorted, StreamOrDevice s) {
        return gather_qmm(x, w, scales, biases, left, right, transpose, group, bits, mode, global, sorted, s);
      },
      positional(), positional(), "scales"_a, "biases"_a = nb::none(), "lhs_indices"_a = nb::none(),
      "rhs_indices"_a = nb::none(), "transpose"_a = true, "group_size"_a = nb::none(), "bits"_a = nb::none(),
      "mode"_a = "affine", "global_scale"_a = nb::none(), nb::kw_only(), "sorted_indices"_a = false, FRIT_STREAM);
  def(
      m, "gather_qqmm",
      [](const array& x, const array& w, const MaybeArray& scales, const MaybeArray& left, const MaybeArray& right,
         std::optional<int> group, std::optional<int> bits, const std::string& mode, const MaybeArray& gx,
         const MaybeArray& gw, bool sorted,
         StreamOrDevice s) { return gather_qqmm(x, w, scales, left, right, group, bits, mode, gx, gw, sorted, s); },
      positional(), positional(), "scales"_a = nb::none(), "lhs_indices"_a = nb::none(), "rhs_indices"_a = nb::none(),
      "group_size"_a = nb::none(), "bits"_a = nb::none(), "mode"_a = "nvfp4", "global_scale_x"_a = nb::none(),
      "global_scale_w"_a = nb::none(), nb::kw_only(), "sorted_indices"_a = false, FRIT_STREAM);
  def(m, "to_fp8", [](const array& x, StreamOrDevice s) { return to_fp8(x, s); }, "x"_a, nb::kw_only(), FRIT_STREAM);
  def(
      m, "from_fp8", [](const array& x, Dtype t, StreamOrDevice s) { return from_fp8(x, t, s); }, "x"_a,
      "dtype"_a = bfloat16, nb::kw_only(), FRIT_STREAM);
}

}  // namespace

void bind_products(nb::module_& m) {
  const std::pair<const char*, Binary> plain[] = {{"matmul", &matmul}, {"inner", &inner}, {"outer", &outer}};
  for (auto [name, f] : plain)
    def(
        m, name, [f](const array& a, const array& b, StreamOrDevice s) { return f(a, b, s); }, positional(),
        positional(), nb::kw_only(), FRIT_STREAM);
  def(
      m, "addmm",
      [](const array& c, const array& a, const array& b, float alpha, float beta, StreamOrDevice s) {
        return addmm(c, a, b, alpha, beta, s);
      },
      positional(), positional(), positional(), "alpha"_a = 1.0f, "beta"_a = 1.0f, nb::kw_only(), FRIT_STREAM);
  def(m, "tensordot", &tensordot_of, positional(), positional(), "axes"_a = 2, nb::kw_only(), FRIT_STREAM);
  def(
      m, "vecdot", [](const array& a, const array& b, int axis, StreamOrDevice s) { return vecdot(a, b, axis, s); },
      positional(), positional(), "axis"_a = -1, nb::kw_only(), FRIT_STREAM);
  def(
      m, "einsum",
      [](const std::string& text, nb::args operands, StreamOrDevice s) { return einsum(text, arrays_of(operands), s); },
      "subscripts"_a, "operands"_a, FRIT_STREAM);
  def(
      m, "einsum_path",
      [](const std::string& text, nb::args operands) {
        auto [path, report] = einsum_path(text, arrays_of(operands));
        nb::list steps;
        for (const std::vector<int>& step : path) steps.append(nb::tuple(nb::cast(step)));
        return nb::make_tuple(steps, report);
      },
      "subscripts"_a, "operands"_a);
  def(
      m, "hadamard_transform",
      [](const array& a, std::optional<float> scale, StreamOrDevice s) { return hadamard_transform(a, scale, s); },
      "a"_a, "scale"_a = nb::none(), FRIT_STREAM);
  def(
      m, "block_masked_mm",
      [](const array& a, const array& b, int block, const MaybeArray& out, const MaybeArray& left,
         const MaybeArray& right, StreamOrDevice s) { return block_masked_mm(a, b, block, out, left, right, s); },
      positional(), positional(), "block_size"_a = 64, "mask_out"_a = nb::none(), "mask_lhs"_a = nb::none(),
      "mask_rhs"_a = nb::none(), nb::kw_only(), FRIT_STREAM);
  def(
      m, "segmented_mm",
      [](const array& a, const array& b, const array& segments, StreamOrDevice s) {
        return segmented_mm(a, b, segments, s);
      },
      positional(), positional(), "segments"_a, nb::kw_only(), FRIT_STREAM);
  def(m, "convolve", &convolve_of, positional(), positional(), "mode"_a = "full", nb::kw_only(), FRIT_STREAM);
  bind_quantised(m);
}

}  // namespace frit::python
