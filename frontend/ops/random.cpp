// Random numbers from keys: threefry 2x32 as a function of positions, and distributions over its bits.
//
// A draw is elementwise work on the position of each element, the key and the parameters, so that it fuses with what
// uses it. No kernel reads or writes a state.
#include "frontend/frit/random.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "frontend/frit/linalg_factor.h"
#include "frontend/ops/composed.h"
#include "frontend/ops/threefry.h"

namespace frit::random {

using detail::carried_sizes;
using detail::composed;
using detail::fail;
using detail::key_of;
using detail::make;
using detail::sizes_carrier;
using detail::sizes_of;
using detail::stretch;
using detail::text;

namespace {

using In = std::vector<array>;

void check_shape(std::string_view op, const ir::Dims& sizes, const StreamOrDevice& s) {
  for (const Dim& d : sizes) detail::check_size(op, d, s);
}

array key_or_next(const std::optional<array>& given, std::string_view op, const StreamOrDevice& s) {
  if (!given) return KeySequence::default_().next();
  const std::string what = std::string(op) + ": the key is " + text(*given);
  const std::string note = "make keys with random::key or random::split";
  if (given->dtype() != uint32) fail(what + ", not two numbers of type uint32", note, s);
  if (given->ndim() != 1 || !detail::require_equal(detail::size_of(*given, 0), 2, op, s.where()))
    fail(what + ", not of shape (2)", note, s);
  return *given;
}

void check_real(std::string_view op, Dtype dtype, const StreamOrDevice& s) {
  if (!is_float(dtype))
    fail(std::string(op) + ": dtype " + std::string(long_name(dtype)) + " is not a real floating point type",
         "draw float32 and convert with astype", s);
  if (dtype == float64)
    throw RuntimeError(std::string(op) + ": dtype float64 has no draws, as a key gives 32 bits for a number",
                       "draw float32 and convert with astype", s.where().file_name(),
                       static_cast<int>(s.where().line()));
}

// The largest number of the type that is less than 1.
float below_one(Dtype dtype) {
  return dtype == float16 ? 0.99951171875f : dtype == bfloat16 ? 0.99609375f : std::nextafter(1.0f, 0.0f);
}

// Uniform numbers in [0, 1).
array unit(const array& key, const ir::Dims& sizes, Dtype dtype) {
  const array numbers = multiply(astype(detail::random_bits(key, sizes, 4), float32), array(0x1p-32f));
  return astype(minimum(numbers, array(below_one(dtype))), dtype);
}

array between(const array& key, const ir::Dims& sizes, const array& low, const array& high, Dtype dtype) {
  const array lo = astype(low, dtype), range = subtract(astype(high, dtype), lo);
  return add(multiply(range, unit(key, sizes, dtype)), lo);
}

// Uniform float32 numbers in (-1, 1). Distributions over them convert after their function, as MLX does.
array symmetric(const array& key, const ir::Dims& sizes) {
  return between(key, sizes, array(-below_one(float32)), array(1.0f), float32);
}

array standard_normal(const array& key, const ir::Dims& sizes, Dtype dtype, const std::optional<array>& scale) {
  array factor(std::sqrt(2.0), dtype);
  if (scale) factor = multiply(factor, *scale);
  return multiply(factor, astype(erfinv(symmetric(key, sizes)), dtype));
}

// The parameters must broadcast to the shape, and not beyond.
void check_fits(std::string_view op, std::span<const array> parameters, const ir::Dims& sizes,
                const StreamOrDevice& s) {
  for (const array& p : parameters) detail::broadcast_or_fail(op, p, sizes, s);
}

using Draw = std::function<array(const In&)>;

// `inputs` are the key and the parameters; `fn` gets the sizes behind them.
array random_draw(std::string_view name, detail::ComposedKey key, const Draw& fn, const ir::Dims& sizes, In inputs,
                  const StreamOrDevice& s) {
  inputs.push_back(sizes_carrier(sizes));
  return composed(name, std::move(key), fn, inputs, s);
}

// The same for draws that look at no axis: outside of a trace and without parameters of their own shape they run along
// one long axis, which is fast for every shape.
array elementwise_draw(std::string_view name, detail::ComposedKey key, const Draw& fn, const ir::Dims& sizes, In inputs,
                       const StreamOrDevice& s) {
  Dim count = 1;
  for (const Dim& d : sizes) count = count * d;
  const bool single = std::all_of(inputs.begin() + 1, inputs.end(), [](const array& a) { return a.ndim() == 0; });
  if (sizes.size() < 2 || !single || detail::current_trace() != 0 || !count.is_const() ||
      count.value() > std::numeric_limits<ShapeElem>::max())
    return random_draw(name, std::move(key), fn, sizes, std::move(inputs), s);
  return detail::with_sizes(random_draw(name, std::move(key), fn, {count}, std::move(inputs), s), sizes, s);
}

}  // namespace

array key(uint64_t seed) { return array({static_cast<uint32_t>(seed >> 32), static_cast<uint32_t>(seed)}); }

void seed(uint64_t seed) { KeySequence::default_().seed(seed); }

array bits(const Sizes& shape, int width, const std::optional<array>& key, StreamOrDevice s) {
  const ir::Dims sizes = sizes_of(shape);
  check_shape("bits", sizes, s);
  if (width != 1 && width != 2 && width != 4)
    fail("bits: " + std::to_string(width) + " bytes are not the width of a number", "ask for 1, 2 or 4", s);
  return elementwise_draw(
      "random_bits", {width}, [width](const In& in) { return detail::random_bits(in[0], carried_sizes(in[1]), width); },
      sizes, {key_or_next(key, "bits", s)}, s);
}
array bits(const Sizes& shape, const std::optional<array>& key, StreamOrDevice s) { return bits(shape, 4, key, s); }

array split(const array& key, const Size& num, StreamOrDevice s) { return bits({num, 2}, 4, key, s); }
std::pair<array, array> split(const array& key, StreamOrDevice s) {
  const array keys = random::split(key, 2, s);
  const auto half = [&](int i) { return reshape(detail::take_range(keys, 0, i, i + 1, s), {2}, s); };
  return {half(0), half(1)};
}

array uniform(const array& low, const array& high, const Sizes& shape, Dtype dtype, const std::optional<array>& key,
              StreamOrDevice s) {
  check_real("uniform", dtype, s);
  const ir::Dims sizes = sizes_of(shape);
  check_shape("uniform", sizes, s);
  const array bounds[] = {low, high};
  check_fits("uniform", bounds, sizes, s);
  return elementwise_draw(
      "random_uniform", {key_of(dtype)},
      [dtype](const In& in) { return between(in[0], carried_sizes(in[3]), in[1], in[2], dtype); }, sizes,
      {key_or_next(key, "uniform", s), low, high}, s);
}
array uniform(const Sizes& shape, Dtype dtype, const std::optional<array>& key, StreamOrDevice s) {
  check_real("uniform", dtype, s);
  const ir::Dims sizes = sizes_of(shape);
  check_shape("uniform", sizes, s);
  return elementwise_draw(
      "random_unit", {key_of(dtype)}, [dtype](const In& in) { return unit(in[0], carried_sizes(in[1]), dtype); }, sizes,
      {key_or_next(key, "uniform", s)}, s);
}
array uniform(const Sizes& shape, const std::optional<array>& key, StreamOrDevice s) {
  return uniform(shape, float32, key, s);
}

array normal(const Sizes& shape, Dtype dtype, const std::optional<array>& loc, const std::optional<array>& scale,
             const std::optional<array>& key, StreamOrDevice s) {
  if (dtype == float64) {
    array numbers = astype(normal(shape, float32, std::nullopt, std::nullopt, key, s), float64, s);
    if (scale) numbers = multiply(numbers, astype(*scale, float64, s), s);
    return loc ? add(numbers, astype(*loc, float64, s), s) : numbers;
  }
  if (dtype != complex64) check_real("normal", dtype, s);
  const ir::Dims sizes = sizes_of(shape);
  check_shape("normal", sizes, s);
  In inputs{key_or_next(key, "normal", s)};
  if (loc) inputs.push_back(*loc);
  if (scale) inputs.push_back(*scale);
  const bool has_loc = loc.has_value(), has_scale = scale.has_value();
  const auto draw = [dtype, has_loc, has_scale](const In& in) {
    const auto parameter = [&](bool has, size_t i) {
      return has ? std::optional(astype(in[i], dtype)) : std::optional<array>();
    };
    const auto at = parameter(has_loc, 1), factor = parameter(has_scale, has_loc ? 2 : 1);
    ir::Dims wanted = carried_sizes(in.back());
    if (dtype == complex64) {
      // Real and imaginary parts are neighbours, and each has half of the variance.
      const ir::Dims result = wanted;
      if (wanted.empty())
        wanted.emplace_back(2);
      else
        wanted.back() = wanted.back() * Dim(2);
      const array parts = standard_normal(in[0], wanted, float32, array(std::sqrt(0.5f)));
      array numbers = detail::with_sizes(view(parts, complex64), result, {});
      if (factor) numbers = multiply(*factor, numbers);
      return at ? add(*at, numbers) : numbers;
    }
    const array numbers = standard_normal(in[0], wanted, dtype, factor);
    return at ? add(*at, numbers) : numbers;
  };
  return elementwise_draw("random_normal", {key_of(dtype), has_loc, has_scale}, draw, sizes, std::move(inputs), s);
}
array normal(const Sizes& shape, Dtype dtype, float loc, float scale, const std::optional<array>& key,
             StreamOrDevice s) {
  const auto given = [&](float v, float usual) { return v == usual ? std::optional<array>() : array(v, dtype); };
  return normal(shape, dtype, given(loc, 0), given(scale, 1), key, s);
}
array normal(const Sizes& shape, float loc, float scale, const std::optional<array>& key, StreamOrDevice s) {
  return normal(shape, float32, loc, scale, key, s);
}
array normal(const Sizes& shape, Dtype dtype, const std::optional<array>& key, StreamOrDevice s) {
  return normal(shape, dtype, std::nullopt, std::nullopt, key, s);
}
array normal(const Sizes& shape, const std::optional<array>& key, StreamOrDevice s) {
  return normal(shape, float32, std::nullopt, std::nullopt, key, s);
}

array randint(const array& low, const array& high, const Sizes& shape, Dtype dtype, const std::optional<array>& key,
              StreamOrDevice s) {
  if (is_inexact(dtype))
    fail("randint: dtype " + std::string(long_name(dtype)) + " is not an integer type or bool",
         "draw floats with random::uniform", s);
  const ir::Dims sizes = sizes_of(shape);
  check_shape("randint", sizes, s);
  const array bounds[] = {low, high};
  check_fits("randint", bounds, sizes, s);
  const auto draw = [dtype](const In& in) {
    const array top = maximum(in[1], in[2]);
    const array drawn = astype(floor(between(in[0], carried_sizes(in[3]), in[1], top, float32)), dtype);
    // Bounds that are no integers cut the first and the last unit short.
    const array one(1, in[2].dtype() == bool_ ? int32 : in[2].dtype());
    return maximum(minimum(drawn, astype(subtract(in[2], one), dtype)), astype(in[1], dtype));
  };
  return elementwise_draw("random_integers", {key_of(dtype)}, draw, sizes, {key_or_next(key, "randint", s), low, high},
                          s);
}

array bernoulli(const array& p, const Sizes& shape, const std::optional<array>& key, StreamOrDevice s) {
  if (!is_float(p.dtype()))
    fail("bernoulli: the probability is " + text(p) + ", not a real floating point number", "convert it with astype",
         s);
  const ir::Dims sizes = sizes_of(shape);
  check_shape("bernoulli", sizes, s);
  check_fits("bernoulli", {&p, 1}, sizes, s);
  const auto draw = [](const In& in) {
    // 1 stands above every 32 bits.
    const array limit = multiply(in[1], array(std::nextafter(0x1p32f, std::numeric_limits<float>::infinity())));
    return less(detail::random_bits(in[0], carried_sizes(in[2]), 4), limit);
  };
  return elementwise_draw("random_bernoulli", {}, draw, sizes, {key_or_next(key, "bernoulli", s), p}, s);
}
array bernoulli(const array& p, const std::optional<array>& key, StreamOrDevice s) {
  return bernoulli(p, p.dims(s.where()), key, s);
}
array bernoulli(const std::optional<array>& key, StreamOrDevice s) { return bernoulli(array(0.5f), key, s); }

array truncated_normal(const array& lower, const array& upper, const Sizes& shape, Dtype dtype,
                       const std::optional<array>& key, StreamOrDevice s) {
  check_real("truncated_normal", dtype, s);
  const ir::Dims sizes = sizes_of(shape);
  check_shape("truncated_normal", sizes, s);
  const array bounds[] = {lower, upper};
  check_fits("truncated_normal", bounds, sizes, s);
  const auto draw = [dtype](const In& in) {
    const array root(std::sqrt(2.0), dtype), low = astype(in[1], dtype), high = astype(in[2], dtype);
    const array numbers = between(in[0], carried_sizes(in[3]), erf(divide(low, root)), erf(divide(high, root)), dtype);
    return maximum(minimum(multiply(root, erfinv(numbers)), high), low);
  };
  return elementwise_draw("random_truncated_normal", {key_of(dtype)}, draw, sizes,
                          {key_or_next(key, "truncated_normal", s), lower, upper}, s);
}
array truncated_normal(const array& lower, const array& upper, Dtype dtype, const std::optional<array>& key,
                       StreamOrDevice s) {
  const array bounds[] = {lower, upper};
  Sizes shape;
  for (const Dim& d : detail::broadcast_all("truncated_normal", bounds, s)) shape.push_back(Size(d, s.where()));
  return truncated_normal(lower, upper, shape, dtype, key, s);
}

namespace {

array gumbel_noise(const array& key, const ir::Dims& sizes, Dtype dtype) {
  return negative(log(negative(log(unit(key, sizes, dtype)))));
}

}  // namespace

array gumbel(const Sizes& shape, Dtype dtype, const std::optional<array>& key, StreamOrDevice s) {
  check_real("gumbel", dtype, s);
  const ir::Dims sizes = sizes_of(shape);
  check_shape("gumbel", sizes, s);
  return elementwise_draw(
      "random_gumbel", {key_of(dtype)},
      [dtype](const In& in) { return gumbel_noise(in[0], carried_sizes(in[1]), dtype); }, sizes,
      {key_or_next(key, "gumbel", s)}, s);
}

array laplace(const Sizes& shape, Dtype dtype, float loc, float scale, const std::optional<array>& key,
              StreamOrDevice s) {
  if (dtype == float64) {
    const array numbers = astype(laplace(shape, float32, 0, 1, key, s), float64, s);
    return add(multiply(numbers, array(scale, float64), s), array(loc, float64), s);
  }
  check_real("laplace", dtype, s);
  const ir::Dims sizes = sizes_of(shape);
  check_shape("laplace", sizes, s);
  const auto draw = [dtype](const In& in) {
    const array sides = symmetric(in[0], carried_sizes(in[3]));
    const array numbers = multiply(sign(sides), log1p(negative(abs(sides))));
    return add(multiply(in[2], astype(numbers, dtype)), in[1]);
  };
  return elementwise_draw("random_laplace", {key_of(dtype)}, draw, sizes,
                          {key_or_next(key, "laplace", s), array(loc, dtype), array(scale, dtype)}, s);
}
array laplace(const Sizes& shape, float loc, float scale, const std::optional<array>& key, StreamOrDevice s) {
  return laplace(shape, float32, loc, scale, key, s);
}
array laplace(const Sizes& shape, Dtype dtype, const std::optional<array>& key, StreamOrDevice s) {
  return laplace(shape, dtype, 0, 1, key, s);
}
array laplace(const Sizes& shape, const std::optional<array>& key, StreamOrDevice s) {
  return laplace(shape, float32, 0, 1, key, s);
}

namespace {

array flat_logits(const array& logits, const StreamOrDevice& s) { return astype(flatten(logits, s), float32, s); }

// Whether there is one distribution alone.
bool is_single(const array& logits, int axis, const StreamOrDevice& s) {
  return detail::decide_equal(detail::element_count_of(logits),
                              detail::size_of(logits, axis + static_cast<int>(logits.ndim())), "categorical",
                              s.where());
}

// The axis counted from the end, as draws have further axes in front.
int axis_of_logits(const array& logits, int axis, const StreamOrDevice& s) {
  return detail::normalize_axis("categorical", logits, axis, s) - static_cast<int>(logits.ndim());
}

ir::Dims sizes_without(const array& logits, int axis) {
  ir::Dims sizes = sizes_of(logits);
  sizes.erase(sizes.end() + axis);
  return sizes;
}

// Draws from one distribution: where a uniform number falls among the running sums of the weights.
array from_running_sums(const array& logits, const ir::Dims& sizes, const std::optional<array>& key,
                        const StreamOrDevice& s) {
  const array flat = flat_logits(logits, s), top = max(flat, true, s);
  const array sums = cumsum(exp(subtract(flat, top, s), s), 0, false, true, std::nullopt, s);
  const auto draw = [](const In& in) {
    const Dim n = detail::size_of(in[1], 0);
    const array total = detail::take_range(in[1], 0, n - Dim(1), n, {});
    const array numbers = multiply(unit(in[0], carried_sizes(in[2]), float32), reshape(total, {}));
    const array passed = sum(astype(less_equal(in[1], expand_dims(numbers, -1)), uint32), -1);
    return minimum(passed, detail::size_value(n - Dim(1), uint32, {}));
  };
  return random_draw("random_running_sums", {}, draw, sizes, {key_or_next(key, "categorical", s), sums}, s);
}

// Draws for every position of `sizes`, to which the axes of the logits but `axis` broadcast.
array categorical_of(const array& logits, int axis, const ir::Dims& sizes, const std::optional<array>& key,
                     const StreamOrDevice& s) {
  const Dim categories = detail::size_of(logits, axis + static_cast<int>(logits.ndim()));
  if (!detail::require_at_most(1, categories, "categorical", s.where()))
    fail("categorical: " + text(logits) + " has no categories along the axis", "give at least one", s);
  const auto draw = [axis](const In& in) {
    ir::Dims noise = carried_sizes(in[2]);
    noise.insert(noise.end() + axis + 1, detail::size_of(in[1], axis + static_cast<int>(in[1].ndim())));
    return argmax(add(gumbel_noise(in[0], noise, float32), in[1]), axis);
  };
  return random_draw("random_categorical", {axis}, draw, sizes, {key_or_next(key, "categorical", s), logits}, s);
}

}  // namespace

array categorical(const array& logits, int axis, const Sizes& shape, const std::optional<array>& key,
                  StreamOrDevice s) {
  const int at = axis_of_logits(logits, axis, s);
  const ir::Dims sizes = sizes_of(shape), rest = sizes_without(logits, at);
  check_shape("categorical", sizes, s);
  bool fits = rest.size() <= sizes.size();
  for (size_t i = 0; fits && i < rest.size(); ++i) {
    Dim wide = sizes[sizes.size() - rest.size() + i];
    const Dim asked = wide;
    fits = detail::broadcast_size("categorical", wide, rest[i], s) && wide == asked;
  }
  if (!fits)
    fail("categorical: " + text(logits) + " without axis " + std::to_string(axis) + " does not broadcast to " +
             detail::shape_text(sizes),
         "the last axes of the shape are those of the logits without the axis", s);
  return is_single(logits, at, s) ? from_running_sums(logits, sizes, key, s)
                                  : categorical_of(logits, at, sizes, key, s);
}
array categorical(const array& logits, int axis, int num_samples, const std::optional<array>& key, StreamOrDevice s) {
  const int at = axis_of_logits(logits, axis, s);
  if (num_samples < 1)
    fail("categorical: " + std::to_string(num_samples) + " samples are asked for", "ask for at least one", s);
  ir::Dims sizes = sizes_without(logits, at);
  sizes.emplace_back(num_samples);
  return is_single(logits, at, s) ? from_running_sums(logits, sizes, key, s)
                                  : categorical_of(expand_dims(logits, -1, s), at - 1, sizes, key, s);
}
array categorical(const array& logits, int axis, const std::optional<array>& key, StreamOrDevice s) {
  const int at = axis_of_logits(logits, axis, s);
  // One distribution with further axes, as the logits of one text have them, takes one number; without, it takes noise.
  if (logits.ndim() > 1 && is_single(logits, at, s))
    return from_running_sums(logits, sizes_without(logits, at), key, s);
  return categorical_of(logits, at, sizes_without(logits, at), key, s);
}

array permutation(const Size& x, const std::optional<array>& key, StreamOrDevice s) {
  return argsort(bits({x}, 4, key, s), 0, s);
}
array permutation(const array& x, int axis, const std::optional<array>& key, StreamOrDevice s) {
  const int at = detail::normalize_axis("permutation", x, axis, s);
  return take(x, permutation(Size(detail::size_of(x, at), s.where()), key, s), at, s);
}

array multivariate_normal(const array& mean, const array& cov, const Sizes& shape, Dtype dtype,
                          const std::optional<array>& key, StreamOrDevice s) {
  const std::string both = "multivariate_normal: mean " + text(mean) + " and covariance " + text(cov);
  if (dtype != float32)
    fail("multivariate_normal: dtype " + std::string(long_name(dtype)) + " is not float32", "convert with astype after",
         s);
  const auto last = [](const array& a, int back) { return detail::size_of(a, static_cast<int>(a.ndim()) - back); };
  if (mean.ndim() < 1 || cov.ndim() < 2 ||
      !detail::require_equal(last(cov, 1), last(cov, 2), "multivariate_normal", s.where()) ||
      !detail::require_equal(last(mean, 1), last(cov, 1), "multivariate_normal", s.where()))
    fail(both + " do not fit", "give means (..., n) and covariances (..., n, n)", s);
  ir::Dims sizes = sizes_of(shape);
  check_shape("multivariate_normal", sizes, s);
  // The batches of both and the shape broadcast against each other.
  const auto batch = [](const array& a, size_t axes) {
    ir::Dims dims = sizes_of(a);
    dims.resize(dims.size() - axes);
    return detail::stretch(array(0.0f), dims, {});
  };
  const array batches[] = {batch(mean, 1), batch(cov, 2), detail::stretch(array(0.0f), sizes, {})};
  sizes = detail::broadcast_all("multivariate_normal", batches, s);
  sizes.push_back(last(mean, 1));
  Sizes wanted;
  for (const Dim& d : sizes) wanted.push_back(Size(d, s.where()));
  // The symmetric root of the covariance, which does not depend on the signs and the order of its axes.
  const std::vector<array> parts = linalg::svd(astype(cov, float32, s), true, s);
  const array root = matmul(multiply(parts[0], expand_dims(sqrt(parts[1], s), -2, s), s), parts[2], s);
  const array turned = squeeze(matmul(expand_dims(normal(wanted, float32, key, s), -2, s), root, s), -2, s);
  return add(turned, astype(mean, float32, s), s);
}

}  // namespace frit::random
