// The public functions of quantised numbers, and products with them.
#include "frontend/frit/quantised_ops.h"

#include <algorithm>

#include "frontend/frit/utils.h"
#include "frontend/ops/quantised.h"

namespace frit {

using detail::composed;
using detail::fail;
using detail::key_of;
using detail::QuantFormat;
using detail::QuantMode;
using detail::require_equal;
using detail::size_of;
using detail::sizes_of;
using detail::text;
using detail::with_sizes;

namespace {

using In = std::vector<array>;

// Up to this many rows a product unpacks the weights inside of its sum; for more it is worth storing them, on a CPU
// some columns at a time. On a GPU a product of a few rows unpacks them while it reads them, rounded to the product's
// type; one row alone is quicker as a sum. Floats of a few bits take more operations than integers do, and codes that
// go from word to word most.
constexpr int64_t kFewRows = 6, kFewRowsOfFloats = 8, kFewRowsOfGpu = 1;
// The most rows that go by parts: of codes that lie in one word, and of floats of eight bits where the other way stores
// weights of 32 bits. It is quicker for more rows on some processors only.
constexpr int64_t kRowsByParts = 8, kRowsOfBytesByParts = 12;
// The same of products that are not transposed, of which each row has as many sums under way as a word has codes; and
// of codes that go from word to word.
constexpr int64_t kRowsAcross = 12, kRowsOfFloatsAcross = 8, kRowsAcrossWords = 4, kRowsAcrossAtOnce = 4;

int64_t rows_at_once(const QuantFormat& f, bool transpose) {
  if (!transpose) return kRowsAcrossAtOnce;
  return f.mode == QuantMode::Affine ? kFewRows : kFewRowsOfFloats;
}

// `halves`: the weights are stored in 16 bits.
int64_t few_rows_of(const QuantFormat& f, bool transpose, bool halves) {
  const bool floats = f.mode != QuantMode::Affine;
  if (transpose) {
    if (floats) return f.bits == 8 && !halves ? kRowsOfBytesByParts : kFewRowsOfFloats;
    return 32 % f.bits == 0 ? kRowsByParts : kFewRows;
  }
  if (floats) return kRowsOfFloatsAcross;
  return 32 % f.bits == 0 ? kRowsAcross : kRowsAcrossWords;
}

// Up to this many rows the weights of a product on a CPU stay in cache. No CPU multiplies halves, so they stay wide.
constexpr int64_t kWideRows = 64;

bool has_few_rows(std::string_view op, const Dim& rows, bool transpose, bool halves, const QuantFormat& f,
                  const StreamOrDevice& s) {
  const bool cpu = (s.is_default() ? default_device().type : s.stream().device.type) == Device::cpu;
  if (!detail::hint(rows) || (!cpu && !transpose)) return false;
  return detail::decide_at_most(rows, cpu ? few_rows_of(f, transpose, halves) : kFewRowsOfGpu, op, s.where());
}

void check_floats(std::string_view op, const array& a, const StreamOrDevice& s) {
  if (!is_float(a.dtype()))
    fail(std::string(op) + ": " + text(a) + " is not of a real floating-point type", "convert it with astype", s);
}

int last_axis(const array& a) { return static_cast<int>(a.ndim()) - 1; }

// The elements of a row of packed words.
Dim elements_of(const array& packed, const QuantFormat& f) {
  return detail::simplify(floor_div(size_of(packed, last_axis(packed)) * Dim(32), Dim(f.bits)));
}

void check_global(std::string_view op, const std::optional<array>& global_scale, const QuantFormat& f,
                  const StreamOrDevice& s) {
  if (!global_scale) return;
  if (f.mode != QuantMode::Nvfp4) fail(std::string(op) + ": a global scale is given", "only mode 'nvfp4' takes one", s);
  if (!require_equal(detail::element_count_of(*global_scale), 1, op, s.where()))
    fail(std::string(op) + ": the global scale is " + text(*global_scale), "give one number", s);
}

// Codes of 3, 5 and 6 bits go from word to word, so the words of a row have quotients that no fact compares. In a trace
// for any shape such a row keeps its length.
void keep_rows(std::string_view op, const array& w, const QuantFormat& f, const StreamOrDevice& s) {
  if (32 % f.bits == 0 || w.ndim() == 0) return;
  const Dim row = size_of(w, last_axis(w));
  if (const auto length = detail::hint(row)) require_equal(row, *length, op, s.where());
}

void check_packed(std::string_view op, const array& w, const array& scales, const std::optional<array>& biases,
                  const QuantFormat& f, const StreamOrDevice& s) {
  const std::string name(op);
  if (w.dtype() != uint32)
    fail(name + ": the packed weights are " + text(w), "give uint32 words, as quantize makes them", s);
  if (w.ndim() == 0 || scales.ndim() != w.ndim())
    fail(name + ": scales " + text(scales) + " do not fit " + text(w), "give one scale for each group of a row", s);
  const bool affine = f.mode == QuantMode::Affine;
  if (affine != biases.has_value())
    fail(name + ": biases are " + (affine ? "missing" : "given"),
         affine ? "mode 'affine' needs them" : "only mode 'affine' has them", s);
  if (!affine && scales.dtype() != uint8)
    fail(name + ": scales are " + text(scales), "give uint8, as quantize makes them", s);
  keep_rows(op, w, f, s);
  bool fits = require_equal(size_of(scales, last_axis(scales)) * Dim(f.group), elements_of(w, f), op, s.where());
  for (int i = 0; fits && i < last_axis(w); ++i) fits = require_equal(size_of(scales, i), size_of(w, i), op, s.where());
  if (biases)
    for (int i = 0; i < last_axis(w) + 1; ++i)
      fits =
          fits && biases->ndim() == w.ndim() && require_equal(size_of(*biases, i), size_of(scales, i), op, s.where());
  if (!fits)
    fail(name + ": scales " + text(scales) + (biases ? " and biases " + text(*biases) : "") + " do not fit " + text(w) +
             " with groups of " + std::to_string(f.group) + " and " + std::to_string(f.bits) + " bits",
         "use the group size and bits of quantize", s);
}

array joined_rows(const array& groups) {
  ir::Dims sizes = sizes_of(groups);
  const Dim row = sizes[sizes.size() - 3] * sizes[sizes.size() - 2] * sizes.back();
  sizes.resize(sizes.size() - 2);
  sizes.back() = row;
  return with_sizes(groups, sizes, {});
}

std::optional<array> at_if(const In& in, bool has, size_t i) { return has ? std::optional(in[i]) : std::nullopt; }

}  // namespace

std::vector<array> quantize(const array& w, std::optional<int> group_size, std::optional<int> bits,
                            const std::string& mode, const std::optional<array>& global_scale, StreamOrDevice s) {
  const QuantFormat f = detail::quant_format("quantize", mode, group_size, bits, s);
  check_global("quantize", global_scale, f, s);
  if (w.ndim() < 2) fail("quantize: " + text(w) + " has fewer than two axes", "give a matrix", s);
  check_floats("quantize", w, s);
  if (!detail::require_multiple(size_of(w, last_axis(w)), f.group, "quantize", s.where()))
    fail("quantize: the last axis of " + text(w) + " does not split into groups of " + std::to_string(f.group),
         "use another group size, or pad the axis", s);
  keep_rows("quantize", w, f, s);
  In inputs{w};
  if (global_scale) inputs.push_back(*global_scale);
  return detail::composed_all(
      "quantize", f.key(), [f](const In& in) { return detail::quantised(in[0], at_if(in, in.size() > 1, 1), f); },
      inputs, s);
}

array dequantize(const array& w, const array& scales, const std::optional<array>& biases, std::optional<int> group_size,
                 std::optional<int> bits, const std::string& mode, const std::optional<array>& global_scale,
                 std::optional<Dtype> dtype, StreamOrDevice s) {
  const QuantFormat f = detail::quant_format("dequantize", mode, group_size, bits, s);
  check_global("dequantize", global_scale, f, s);
  check_packed("dequantize", w, scales, biases, f, s);
  const bool has_bias = biases.has_value(), has_global = global_scale.has_value();
  const Dtype t = dtype ? *dtype : f.mode == QuantMode::Affine ? scales.dtype() : has_global ? float32 : bfloat16;
  In inputs{w, scales};
  if (biases) inputs.push_back(*biases);
  if (global_scale) inputs.push_back(*global_scale);
  detail::ComposedKey key = f.key();
  key.insert(key.end(), {key_of(t), has_bias, has_global});
  return composed(
      "dequantize", key,
      [=](const In& in) {
        const array rows = joined_rows(
            detail::dequantised(in[0], in[1], at_if(in, has_bias, 2), at_if(in, has_global, in.size() - 1), f));
        // Numbers with scales of 16 bits are of that type before they are of another.
        return astype(f.mode == QuantMode::Affine ? astype(rows, in[1].dtype()) : rows, t);
      },
      inputs, s);
}

namespace {

// x @ w^T, or x @ w, with packed rows of w.
struct Product {
  QuantFormat f;
  bool transpose, few_rows, wide, has_bias, has_global;
  Dtype result = float32;
};

// Some rows at a time. A kernel of all parts would have too few registers for their sums, and the parts would share
// codes that are stored: each waits for the one before it and takes the codes apart anew.
array product_by_parts(const array& x, In in, const Product& p) {
  const auto part = [&](const array& rows) {
    const auto product = p.transpose ? detail::product_with_few_rows : detail::product_across;
    return product(rows, in[1], in[2], at_if(in, p.has_bias, 3), at_if(in, p.has_global, in.size() - 1), p.f);
  };
  const int axis = last_axis(x) - 1;
  const Dim count = size_of(x, axis);
  const int64_t most = rows_at_once(p.f, p.transpose);
  if (!count.is_const() || count.value() <= most) return part(x);
  In parts;
  const int64_t rows = count.value(), n = (rows + most - 1) / most;
  for (int64_t i = 0; i < n; ++i) {
    parts.push_back(part(detail::take_range(x, axis, Dim(rows * i / n), Dim(rows * (i + 1) / n), {})));
    const In weights = frit::depends(In(in.begin() + 1, in.end()), {parts.back()});
    std::copy(weights.begin(), weights.end(), in.begin() + 1);
  }
  return concatenate(parts, axis);
}

array product_of(const In& in, const Product& p) {
  const array x = astype(in[0], float32);
  const Dim count = size_of(x, last_axis(x) - 1);
  if (p.few_rows && (p.transpose || (count.is_const() && count.value() > 0)))
    return astype(product_by_parts(x, in, p), p.result);
  const array w =
      detail::dequantised(in[1], in[2], at_if(in, p.has_bias, 3), at_if(in, p.has_global, in.size() - 1), p.f);
  if (p.few_rows) return astype(sum(multiply(expand_dims(x, -1), expand_dims(joined_rows(w), -3)), -2), p.result);
  // The product of low-precision operands is summed in float32 as well, and takes half of the memory.
  const Dtype t = is_low_precision(p.result) && !p.wide ? p.result : float32;
  // Stored weights lie as the packed ones do: a transposed store would read the words of a row far apart.
  const array stored = astype(joined_rows(w), t);
  return astype(matmul(astype(x, t), p.transpose ? swapaxes(stored, -1, -2) : stored), p.result);
}

array quantised_product(std::string_view op, const array& x, const array& w, const array& scales,
                        const std::optional<array>& biases, const std::optional<array>& global_scale, bool transpose,
                        const QuantFormat& f, const StreamOrDevice& s) {
  const std::string name(op);
  check_packed(op, w, scales, biases, f, s);
  if (w.ndim() < 2) fail(name + ": the packed weights are " + text(w), "give a matrix", s);
  if (x.ndim() == 0 || is_complex(x.dtype())) fail(name + ": " + text(x) + " is not a real matrix", "give a matrix", s);
  if (f.mode != QuantMode::Affine) check_floats(op, x, s);
  const Dim inner = transpose ? elements_of(w, f) : size_of(w, last_axis(w) - 1);
  if (!require_equal(size_of(x, last_axis(x)), inner, op, s.where()))
    fail(name + ": " + text(x) + " does not fit the packed weights " + text(w) + " of " + text(inner) + " rows",
         "the last axis of the first operand must be equal to the summed axis of the weights", s);
  const bool row = x.ndim() == 1;
  const array matrix = row ? expand_dims(x, 0, s) : x;
  Product p{
      f, transpose, false, false, biases.has_value(), global_scale.has_value(), detail::at_least_float(x.dtype())};
  if (f.mode == QuantMode::Affine) p.result = promote_types(x.dtype(), scales.dtype());
  const Dim rows = size_of(matrix, last_axis(matrix) - 1);
  p.few_rows = has_few_rows(op, rows, transpose, is_low_precision(p.result), f, s);
  p.wide = f.cpu && transpose && !p.few_rows && p.result == float16 && detail::hint(rows) &&
           detail::decide_at_most(rows, kWideRows, op, s.where());
  In inputs{matrix, w, scales};
  if (biases) inputs.push_back(*biases);
  if (global_scale) inputs.push_back(*global_scale);
  detail::ComposedKey key = f.key();
  key.insert(key.end(), {transpose, p.few_rows, p.wide, p.has_bias, p.has_global, key_of(p.result)});
  const array result = composed(
      "quantized_matmul", key, [p](const In& in) { return product_of(in, p); }, inputs, s,
      p.few_rows ? detail::ComposedSizes::Fixed : detail::ComposedSizes::Open);
  return row ? squeeze(result, -2, s) : result;
}

constexpr const char* kLeaveOut = "leave them out of the arguments to differentiate, or use 'stop_gradient'";

}  // namespace

void detail::no_derivative(const std::string& message, const StreamOrDevice& s) {
  throw RuntimeError(message, kLeaveOut, s.where().file_name(), static_cast<int>(s.where().line()));
}

void detail::check_derivatives(std::string_view op, const array& packed, const array& scales, const StreamOrDevice& s) {
  if (is_differentiated(packed))
    no_derivative(std::string(op) + " has no derivative with respect to the packed weights " + text(packed), s);
  if (is_differentiated(scales) && !issubdtype(scales.dtype(), inexact))
    fail(std::string(op) + " has no derivative with respect to scales " + text(scales), kLeaveOut, s);
}

array quantized_matmul(const array& x, const array& w, const array& scales, const std::optional<array>& biases,
                       bool transpose, std::optional<int> group_size, std::optional<int> bits, const std::string& mode,
                       StreamOrDevice s) {
  detail::check_derivatives("quantized_matmul", w, scales, s);
  const QuantFormat f = detail::quant_format("quantized_matmul", mode, group_size, bits, s);
  return quantised_product("quantized_matmul", x, w, scales, biases, std::nullopt, transpose, f, s);
}

array qqmm(const array& x, const array& w, const std::optional<array>& w_scales, std::optional<int> group_size,
           std::optional<int> bits, const std::string& mode, const std::optional<array>& global_scale_x,
           const std::optional<array>& global_scale_w, StreamOrDevice s) {
  const QuantFormat f = detail::quant_format("qqmm", mode, group_size, bits, s);
  if (f.mode == QuantMode::Affine)
    throw RuntimeError("qqmm: mode 'affine' is not supported", "use 'mxfp4', 'mxfp8' or 'nvfp4'", s.where().file_name(),
                       static_cast<int>(s.where().line()));
  check_global("qqmm", global_scale_x, f, s);
  check_global("qqmm", global_scale_w, f, s);
  check_floats("qqmm", x, s);
  const std::vector<array> packed =
      w_scales ? std::vector<array>{w, *w_scales} : quantize(w, f.group, f.bits, mode, global_scale_w, s);
  // The first operand loses as much as it would in packed form.
  const std::vector<array> left = quantize(atleast_2d(x, s), f.group, f.bits, mode, global_scale_x, s);
  const array again = dequantize(left[0], left[1], std::nullopt, f.group, f.bits, mode, global_scale_x, float32, s);
  const array product = quantised_product("qqmm", with_sizes(again, sizes_of(x), s), packed[0], packed[1], std::nullopt,
                                          global_scale_w, true, f, s);
  return astype(product, x.dtype(), s);
}

array to_fp8(array x, StreamOrDevice s) {
  check_floats("to_fp8", x, s);
  return composed("to_fp8", {}, [](const In& in) { return detail::encode_fp8(in[0]); }, {std::move(x)}, s);
}

array from_fp8(array x, Dtype dtype, StreamOrDevice s) {
  if (x.dtype() != uint8) fail("from_fp8: the codes are " + text(x), "give uint8", s);
  if (!is_float(dtype))
    fail("from_fp8: dtype " + std::string(long_name(dtype)) + " is not a real floating-point type", "ask for a float",
         s);
  return composed(
      "from_fp8", {key_of(dtype)}, [dtype](const In& in) { return astype(detail::decode_fp8(in[0]), dtype); },
      {std::move(x)}, s);
}

array segmented_mm(array a, array b, array segments, StreamOrDevice s) {
  const std::string both = "segmented_mm: " + text(a) + " and " + text(b);
  if (a.ndim() != 2 || b.ndim() != 2 || !require_equal(size_of(a, 1), size_of(b, 0), "segmented_mm", s.where()))
    fail(both + " do not fit", "give matrices (m, k) and (k, n)", s);
  if (segments.ndim() == 0 || !is_int(segments.dtype()) ||
      !require_equal(size_of(segments, last_axis(segments)), 2, "segmented_mm", s.where()))
    fail("segmented_mm: the segments are " + text(segments), "give integers (..., 2): where each starts and ends", s);
  const auto products = [](const In& in) {
    const int axis = static_cast<int>(in[2].ndim()) - 1;
    const auto bound = [&](int i) { return detail::take_range(astype(in[2], int64), axis, i, i + 1, {}); };
    const array column = arange(Size(0), in[0].dim(1), int64);
    const array inside = logical_and(greater_equal(column, bound(0)), less(column, bound(1)));
    return matmul(where(expand_dims(inside, -2), in[0], array(0, in[0].dtype())), in[1]);
  };
  return composed("segmented_mm", {}, products, {std::move(a), std::move(b), std::move(segments)}, s);
}

}  // namespace frit
