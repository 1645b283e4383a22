// Functions of frit.core.fast, and compositions that stand beside the plain functions.
#include "frontend/python/core/bind.h"
#include "frontend/python/functions/families.h"

namespace frit::python {

namespace {

array rope_of(const array& a, int dims, bool traditional, std::optional<float> base, float scale, nb::object offset,
              const MaybeArray& freqs, StreamOrDevice s) {
  Value given;
  const Value::Kind kind = given.read(offset) ? given.kind() : Value::Kind::other;
  if (kind == Value::Kind::array) return fast::rope(a, dims, traditional, base, scale, array_in(offset), freqs, s);
  if (kind == Value::Kind::converted && issubdtype(given.get().dtype(), integer))
    return fast::rope(a, dims, traditional, base, scale, given.get(int32), freqs, s);
  if (kind != Value::Kind::integer)
    throw InvalidArgument(
        "rope: the offset is a value of type " + nb::cast<std::string>(nb::handle(offset.type()).attr("__name__")),
        "give an integer, or an array of integers");
  return fast::rope(a, dims, traditional, base, scale, nb::cast<int>(offset), freqs, s);
}

array attention(const array& q, const array& k, const array& v, float scale, nb::object mask, const MaybeArray& sinks,
                bool force_fused, StreamOrDevice s) {
  std::string mode;
  MaybeArray given;
  if (PyUnicode_Check(mask.ptr())) {
    mode = nb::cast<std::string>(mask);
    if (mode != "causal")
      throw InvalidArgument("scaled_dot_product_attention: '" + mode + "' is not a mask", "use 'causal' or an array");
  } else if (!mask.is_none()) {
    if (!is_array(mask)) throw nb::type_error("scaled_dot_product_attention: the mask is an array, 'causal' or None");
    given = array_in(mask);
  }
  return fast::scaled_dot_product_attention(q, k, v, scale, mode, given, sinks, force_fused, s);
}

// A kernel in the source language of another vendor's GPU: made, but never run.
nb::object foreign_kernel(fast::CustomKernelFunction (*make)(const std::string&, const std::vector<std::string>&,
                                                             const std::vector<std::string>&, const std::string&,
                                                             const std::string&),
                          const std::string& name, const std::vector<std::string>& inputs,
                          const std::vector<std::string>& outputs, const std::string& source,
                          const std::string& header) {
  const fast::CustomKernelFunction kernel = make(name, inputs, outputs, source, header);
  return nb::cpp_function([kernel](nb::args, nb::kwargs) { return kernel({}, {}, {}, {}, {}, {}, {}, false, {}); });
}

}  // namespace

void bind_fast(nb::module_& m) {
  nb::module_ f = m.def_submodule("fast", documentation("fast").text);
  def(
      f, "fast.rms_norm",
      [](const array& x, const MaybeArray& w, float eps, StreamOrDevice s) { return fast::rms_norm(x, w, eps, s); },
      "x"_a, "weight"_a.none(), "eps"_a, nb::kw_only(), FRIT_STREAM);
  def(
      f, "fast.layer_norm",
      [](const array& x, const MaybeArray& w, const MaybeArray& b, float eps, StreamOrDevice s) {
        return fast::layer_norm(x, w, b, eps, s);
      },
      "x"_a, "weight"_a.none(), "bias"_a.none(), "eps"_a, nb::kw_only(), FRIT_STREAM);
  def(f, "fast.rope", &rope_of, "a"_a, "dims"_a, nb::kw_only(), "traditional"_a, "base"_a.none(), "scale"_a, "offset"_a,
      "freqs"_a = nb::none(), FRIT_STREAM);
  def(f, "fast.scaled_dot_product_attention", &attention, "q"_a, "k"_a, "v"_a, nb::kw_only(), "scale"_a,
      "mask"_a = nb::none(), "sinks"_a = nb::none(), "force_fused"_a = false, FRIT_STREAM);
  def(f, "fast.cross_entropy", &fast::cross_entropy, "logits"_a, "targets"_a, nb::kw_only(), FRIT_STREAM);
  def(f, "fast.gated_delta_update", &fast::gated_delta_update, "q"_a, "k"_a, "v"_a, "gamma"_a, "beta"_a,
      "initial_state"_a = nb::none(), "mask"_a = nb::none(), FRIT_STREAM);
  using Names = std::vector<std::string>;
  def(
      f, "fast.metal_kernel",
      [](const std::string& name, const Names& in, const Names& out, const std::string& source,
         const std::string& header, bool, bool, nb::object) {
        return foreign_kernel([](auto&... a) { return fast::metal_kernel(a...); }, name, in, out, source, header);
      },
      "name"_a, "input_names"_a, "output_names"_a, "source"_a, "header"_a = "", "ensure_row_contiguous"_a = true,
      "atomic_outputs"_a = false, "compile_options"_a = nb::none());
  def(
      f, "fast.cuda_kernel",
      [](const std::string& name, const Names& in, const Names& out, const std::string& source,
         const std::string& header, bool, int) {
        return foreign_kernel([](auto&... a) { return fast::cuda_kernel(a...); }, name, in, out, source, header);
      },
      "name"_a, "input_names"_a, "output_names"_a, "source"_a, "header"_a = "", "ensure_row_contiguous"_a = true,
      "shared_memory"_a = 0);
  def(
      f, "fast.precompiled_cuda_kernel",
      [](const std::string& name, nb::bytes source, nb::object, nb::object, nb::object, nb::object, nb::object,
         nb::object, int, nb::object, bool, StreamOrDevice s) {
        return fast::precompiled_cuda_kernel(name, source.c_str(), {}, {}, {}, {}, {}, {}, 0, std::nullopt, false, s);
      },
      nb::kw_only(), "name"_a, "compiled_source"_a, "inputs"_a, "output_shapes"_a, "output_dtypes"_a, "scalars"_a,
      "grid"_a, "threadgroup"_a, "shared_memory"_a = 0, "init_value"_a = nb::none(), "ensure_row_contiguous"_a = false,
      FRIT_STREAM);

  def(
      m, "unique",
      [](const array& a, int size, bool index, bool inverse, bool counts, const std::optional<Value>& fill,
         StreamOrDevice s) -> nb::object {
        nb::list all;
        const MaybeArray filler = fill ? MaybeArray(fill->get(a.dtype())) : std::nullopt;
        for (const array& part : unique(a, size, index, inverse, counts, filler, s)) all.append(part);
        return nb::len(all) == 1 ? nb::object(all[0]) : nb::object(nb::tuple(all));
      },
      positional(), "size"_a, "return_index"_a = false, "return_inverse"_a = false, "return_counts"_a = false,
      "fill_value"_a = nb::none(), nb::kw_only(), FRIT_STREAM);
}

}  // namespace frit::python
