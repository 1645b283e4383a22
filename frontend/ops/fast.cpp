// The fast functions: normalisation of rows, rotary positions and attention, each composed so that it fuses.
#include "frontend/frit/fast.h"

#include <cmath>

#include "frontend/frit/utils.h"
#include "frontend/ops/composed.h"

namespace frit::fast {

using detail::composed;
using detail::fail;
using detail::key_of;
using detail::require_at_most;
using detail::require_equal;
using detail::size_of;
using detail::sizes_of;
using detail::text;
using detail::with_sizes;

namespace {

using In = std::vector<array>;

int last_axis(const array& x) { return static_cast<int>(x.ndim()) - 1; }

void check_rows(std::string_view op, const array& x, const StreamOrDevice& s) {
  if (x.ndim() == 0) fail(std::string(op) + ": " + text(x) + " has no axis", "give an array of rows", s);
  if (!is_float(x.dtype()))
    fail(std::string(op) + ": " + text(x) + " is not of a real floating-point type", "convert it with astype", s);
}

void check_parameter(std::string_view op, std::string_view name, const std::optional<array>& p, const array& x,
                     const StreamOrDevice& s) {
  if (!p) return;
  if (p->ndim() != 1 || !require_equal(size_of(*p, 0), size_of(x, last_axis(x)), op, s.where()))
    fail(std::string(op) + ": the " + std::string(name) + " " + text(*p) + " does not fit the rows of " + text(x),
         "give one number for each element of a row", s);
}

// Integers take the type of the weight.
array made_float(const array& x, const std::optional<array>& weight, const StreamOrDevice& s) {
  return weight && !is_inexact(x.dtype()) ? astype(x, promote_types(x.dtype(), weight->dtype()), s) : x;
}

}  // namespace

array rms_norm(const array& given, const std::optional<array>& weight, float eps, StreamOrDevice s) {
  const array x = made_float(given, weight, s);
  check_rows("rms_norm", x, s);
  check_parameter("rms_norm", "weight", weight, x, s);
  In inputs{x};
  if (weight) inputs.push_back(*weight);
  const Dtype out = weight ? promote_types(x.dtype(), weight->dtype()) : x.dtype();
  const auto normalise = [eps, out](const In& in) {
    const Dtype t = compute_type(in[0].dtype());
    const array wide = astype(in[0], t);
    const array scale = rsqrt(add(mean(square(wide), -1, true), array(eps, t)));
    const array rows = astype(multiply(wide, scale), out);
    return in.size() > 1 ? multiply(in[1], rows) : rows;
  };
  return composed("rms_norm", {key_of(eps), key_of(out)}, normalise, inputs, s);
}

array layer_norm(const array& given, const std::optional<array>& weight, const std::optional<array>& bias, float eps,
                 StreamOrDevice s) {
  const array x = made_float(given, weight, s);
  check_rows("layer_norm", x, s);
  check_parameter("layer_norm", "weight", weight, x, s);
  check_parameter("layer_norm", "bias", bias, x, s);
  In inputs{x};
  if (weight) inputs.push_back(*weight);
  if (bias) inputs.push_back(*bias);
  Dtype out = x.dtype();
  if (weight) out = promote_types(out, weight->dtype());
  if (weight && bias) out = promote_types(out, bias->dtype());
  const bool has_weight = weight.has_value(), has_bias = bias.has_value();
  const auto normalise = [=](const In& in) {
    const Dtype t = compute_type(in[0].dtype());
    const array wide = astype(in[0], t), centred = subtract(wide, mean(wide, -1, true));
    const array scale = rsqrt(add(mean(square(centred), -1, true), array(eps, t)));
    array rows = astype(multiply(centred, scale), out);
    if (has_weight) rows = multiply(rows, astype(in[1], out));
    return has_bias ? add(rows, astype(in.back(), out)) : rows;
  };
  return composed("layer_norm", {key_of(eps), key_of(out), has_weight, has_bias}, normalise, inputs, s);
}

namespace {

struct Rotation {
  int dims;
  bool traditional;
  std::optional<float> base;  // none where the frequencies are given
  float scale;
};

// 0, 1, 2, ... along the last axis of one row.
array columns(const array& x) { return arange(Size(0), x.dim(-1), int32); }

// Each element's partner in its pair: the neighbour, or the element half of the rotated part away.
array partners(const array& x, const Rotation& r) {
  const int axis = last_axis(x), half = r.dims / 2;
  const auto range = [&](const Dim& from, const Dim& to) { return detail::take_range(x, axis, from, to, {}); };
  std::vector<array> parts;
  if (r.traditional) {
    const array rotated = range(0, r.dims);
    ir::Dims pairs = sizes_of(rotated);
    const ir::Dims flat = pairs;
    pairs.back() = half;
    pairs.emplace_back(2);
    parts.push_back(with_sizes(flip(with_sizes(rotated, pairs, {}), -1), flat, {}));
  } else {
    parts = {range(half, r.dims), range(0, half)};
  }
  const Dim n = size_of(x, axis);
  if (!n.is(r.dims)) parts.push_back(range(r.dims, n));
  return parts.size() == 1 ? parts[0] : concatenate(parts, axis);
}

// The turn of one position in each column.
array turns(const array& x, const In& in, const Rotation& r) {
  const int half = r.dims / 2;
  if (!r.base) {
    const array once = reciprocal(astype(in[2], float32));
    const array both = r.traditional ? repeat(once, 2, 0) : concatenate({once, once}, 0);
    return pad(both, {0}, {0}, {x.dim(-1) - Size(r.dims)}, array(0.0f));
  }
  const array column = columns(x);
  const array pair = r.traditional ? right_shift(column, array(1)) : remainder(column, array(half));
  const float step = -std::log(*r.base) / static_cast<float>(half);
  return exp(multiply(astype(pair, float32), array(step)));
}

array rotated(const In& in, const Rotation& r) {
  const array &x = in[0], &offset = in[1];
  const array column = columns(x);
  array positions = astype(arange(Size(0), x.dim(-2), int32), float32);
  // One offset for all, or one for each element of the batch.
  if (offset.ndim() == 1) {
    std::vector<int> behind;
    for (int i = 1; i < last_axis(x); ++i) behind.push_back(i);
    positions = add(expand_dims(astype(offset, float32), behind), positions);
  } else {
    positions = add(positions, astype(offset, float32));
  }
  const array theta = multiply(multiply(expand_dims(positions, -1), array(r.scale)), turns(x, in, r));
  const array is_first =
      r.traditional ? equal(bitwise_and(column, array(1)), array(0)) : less(column, array(r.dims / 2));
  const array sine = sin(theta), sign_sine = where(is_first, negative(sine), sine);
  const array wide = astype(x, float32);
  const array turned = add(multiply(wide, cos(theta)), multiply(astype(partners(x, r), float32), sign_sine));
  const array all = x.shape(-1) == r.dims ? turned : where(less(column, array(r.dims)), turned, wide);
  return astype(all, x.dtype());
}

}  // namespace

array rope(const array& x, int dims, bool traditional, std::optional<float> base, float scale, const array& given,
           const std::optional<array>& freqs, StreamOrDevice s) {
  if (x.ndim() < 3)
    fail("rope: " + text(x) + " has fewer than three axes", "give (batch, ..., positions, elements)", s);
  if (!is_float(x.dtype()))
    fail("rope: " + text(x) + " is not of a real floating-point type", "convert it with astype", s);
  if (dims <= 0 || dims % 2 != 0)
    fail("rope: " + std::to_string(dims) + " elements do not make pairs", "rotate an even number of elements", s);
  if (!require_at_most(dims, size_of(x, last_axis(x)), "rope", s.where()))
    fail("rope: " + std::to_string(dims) + " elements are more than the last axis of " + text(x) + " has",
         "rotate at most the whole row", s);
  if (base.has_value() == freqs.has_value())
    fail(std::string("rope: ") +
             (base ? "both a base and frequencies are given" : "neither a base nor frequencies are given"),
         "give one of them", s);
  if (freqs && (freqs->ndim() != 1 || !require_equal(size_of(*freqs, 0), dims / 2, "rope", s.where())))
    fail("rope: the frequencies " + text(*freqs) + " do not fit " + std::to_string(dims / 2) + " pairs",
         "give one frequency for each pair", s);
  // One offset in a list is one for all.
  const bool alone = given.ndim() == 1 && x.ndim() > 0 &&
                     !require_equal(size_of(given, 0), size_of(x, 0), "rope", s.where()) &&
                     require_equal(size_of(given, 0), 1, "rope", s.where());
  const array offset = alone ? squeeze(given, 0, s) : given;
  if (!is_int(offset.dtype()))
    fail("rope: the offset " + text(offset) + " is not an integer", "convert it with astype", s);
  if (offset.ndim() > 1 || (offset.ndim() == 1 && !require_equal(size_of(offset, 0), size_of(x, 0), "rope", s.where())))
    fail("rope: the offset " + text(offset) + " does not fit the batch of " + text(x),
         "give one number, or one for each element of the first axis", s);
  const Rotation r{dims, traditional, base, scale};
  In inputs{x, offset};
  if (freqs) inputs.push_back(*freqs);
  return composed(
      "rope", {dims, traditional, key_of(base.value_or(0)), base.has_value(), key_of(scale)},
      [r](const In& in) { return rotated(in, r); }, inputs, s);
}
array rope(const array& x, int dims, bool traditional, std::optional<float> base, float scale, int offset,
           const std::optional<array>& freqs, StreamOrDevice s) {
  return rope(x, dims, traditional, base, scale, array(offset), freqs, s);
}

namespace {

void check_attention(const array& q, const array& k, const array& v, const StreamOrDevice& s) {
  constexpr std::string_view op = "scaled_dot_product_attention";
  const std::string name(op);
  for (const array& x : {q, k, v})
    if (x.ndim() != 4)
      fail(name + ": " + text(x) + " has not four axes", "give (batch, heads, positions, elements)", s);
  if (!is_float(result_type({q, k, v})))
    fail(name + ": " + text(q) + ", " + text(k) + " and " + text(v) + " are not of a real floating-point type",
         "convert them with astype", s);
  const auto same = [&](const array& a, int i, const array& b, int j, const char* what) {
    if (!require_equal(size_of(a, i), size_of(b, j), op, s.where()))
      fail(name + ": " + text(a) + " and " + text(b) + " have different " + what, "these sizes must be equal", s);
  };
  same(q, 0, k, 0, "batches");
  same(q, 0, v, 0, "batches");
  same(k, 1, v, 1, "numbers of heads");
  same(k, 2, v, 2, "numbers of positions");
  same(q, 3, k, 3, "numbers of elements");
}

struct Attention {
  float scale;
  bool causal, has_mask, has_sinks;
};

// Query heads that share keys stand below each other as rows of one product.
array attend(const In& in, const Attention& a) {
  const array &q = in[0], &k = in[1], &v = in[2];
  const Dtype t = result_type({q, k, v});
  const ir::Dims queries = sizes_of(q), keys = sizes_of(k);
  const Dim group = detail::simplify(floor_div(queries[1], keys[1])), rows = group * queries[2];
  const array scaled = multiply(astype(q, t), array(a.scale, t));
  const array products =
      matmul(with_sizes(scaled, {queries[0], keys[1], rows, queries[3]}, {}), swapaxes(astype(k, t), -1, -2));
  array scores = with_sizes(products, {queries[0], queries[1], queries[2], keys[2]}, {});
  const array lowest(finfo(t).min, t);
  if (a.causal) {
    const array row = expand_dims(arange(Size(0), q.dim(2), int32), 1), column = arange(Size(0), k.dim(2), int32);
    const array shift = detail::size_value(detail::simplify(keys[2] - queries[2]), int32, {});
    scores = where(less_equal(column, add(row, shift)), scores, lowest);
  }
  if (a.has_mask) scores = in[3].dtype() == bool_ ? where(in[3], scores, lowest) : add(scores, astype(in[3], t));
  const Dtype wide = compute_type(t);
  scores = astype(scores, wide);
  array weights = scores;
  if (a.has_sinks) {
    // A sink takes a part of each row's weight and adds nothing.
    const array sinks = reshape(astype(in.back(), wide), {1, -1, 1, 1});
    const array top = maximum(max(scores, -1, true), sinks), powers = exp(subtract(scores, top));
    weights = divide(powers, add(sum(powers, -1, true), exp(subtract(sinks, top))));
  } else {
    weights = softmax(scores, -1);
  }
  const array result = matmul(with_sizes(astype(weights, t), {queries[0], keys[1], rows, keys[2]}, {}), astype(v, t));
  return with_sizes(result, {queries[0], queries[1], queries[2], size_of(v, 3)}, {});
}

}  // namespace

array scaled_dot_product_attention(const array& queries, const array& keys, const array& values, float scale,
                                   const std::string& mask_mode, const std::optional<array>& mask_arr,
                                   const std::optional<array>& sinks, bool, StreamOrDevice s) {
  const std::string name = "scaled_dot_product_attention";
  check_attention(queries, keys, values, s);
  const Dtype t = result_type({queries, keys, values});
  if (mask_mode != "" && mask_mode != "causal" && mask_mode != "array")
    fail(name + ": there is no mask '" + mask_mode + "'", "use 'causal', or give an array", s);
  if (mask_mode == "causal" && mask_arr)
    fail(name + ": mask 'causal' takes no array", "use 'causal', or give an array", s);
  In inputs{queries, keys, values};
  if (mask_arr) {
    if (mask_arr->dtype() != bool_ && promote_types(mask_arr->dtype(), t) != t)
      fail(name + ": the mask " + text(*mask_arr) + " does not promote to " + std::string(long_name(t)),
           "convert it with astype", s);
    const ir::Dims q = sizes_of(queries);
    detail::broadcast_or_fail(name, *mask_arr, {q[0], q[1], q[2], size_of(keys, 2)}, s);
    inputs.push_back(*mask_arr);
  }
  if (sinks) {
    if (promote_types(sinks->dtype(), t) != t)
      fail(name + ": the sinks " + text(*sinks) + " do not promote to " + std::string(long_name(t)),
           "convert them with astype", s);
    if (sinks->ndim() != 1 || !require_equal(size_of(*sinks, 0), size_of(queries, 1), name, s.where()))
      fail(name + ": the sinks " + text(*sinks) + " do not fit the heads of " + text(queries),
           "give one number for each head", s);
    inputs.push_back(*sinks);
  }
  // A mask and sinks may have told the number of heads.
  if (!detail::require_multiple(size_of(queries, 1), size_of(keys, 1), name, s.where()))
    fail(name + ": the heads of " + text(queries) + " are no multiple of those of " + text(keys),
         "each head of the keys serves as many heads of the queries", s);
  const Attention a{scale, mask_mode == "causal", mask_arr.has_value(), sinks.has_value()};
  return composed(
      "attention", {key_of(scale), a.causal, a.has_mask, a.has_sinks}, [a](const In& in) { return attend(in, a); },
      inputs, s);
}

namespace {

[[noreturn]] void refuse_kernel(const char* op) {
  throw RuntimeError(std::string(op) + ": kernels in the source of a GPU's own language are not to be had",
                     "write the function with operations and compile it: frit makes kernels for every device from it");
}

}  // namespace

CustomKernelFunction metal_kernel(const std::string&, const std::vector<std::string>&, const std::vector<std::string>&,
                                  const std::string&, const std::string&, bool, bool, const CompileOptions&) {
  // Programs make their kernels when they are loaded, and choose among them when they run.
  return [](auto&&...) -> std::vector<array> { refuse_kernel("metal_kernel"); };
}
CustomKernelFunction cuda_kernel(const std::string&, const std::vector<std::string>&, const std::vector<std::string>&,
                                 const std::string&, const std::string&, bool, int) {
  refuse_kernel("cuda_kernel");
}
std::vector<array> precompiled_cuda_kernel(const std::string&, const std::string&, const std::vector<array>&,
                                           const std::vector<Shape>&, const std::vector<Dtype>&,
                                           const std::vector<ScalarArg>&, std::tuple<int, int, int>,
                                           std::tuple<int, int, int>, int, std::optional<float>, bool, StreamOrDevice) {
  refuse_kernel("precompiled_cuda_kernel");
}

}  // namespace frit::fast
