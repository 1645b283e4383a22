// Random numbers, with the names, argument order and defaults of MLX. Declarations come from frontend/api/random.api.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "frit/array.h"

namespace frit {

namespace random {

// A sequence of keys. Each key is split off the one before, as in MLX. Any thread may draw from it.
class KeySequence {
 public:
  explicit KeySequence(uint64_t seed);
  void seed(uint64_t seed);
  array next();
  // The key that follows: captured state of a compiled function that is to draw anew at every call
  // (CompileOptions::inputs and outputs).
  array& state() { return key_; }
  // The sequence of functions that are called without a key. It begins with the time of its first use.
  static KeySequence& default_();

 private:
  array key_;
};

// The key that follows in the sequence of functions that are called without a key, as state of a compiled function.
inline array& state() { return KeySequence::default_().state(); }

}  // namespace random

// ---- Written from frontend/api: random

namespace random {
// The key of a number: its high and its low 32 bits.
// Shape: (2).
// Types: uint32.
array key(uint64_t seed);

// Starts the global sequence of keys at the key of a number.
void seed(uint64_t seed);

// Numbers with every bit random, of `width` bytes: 4 where it is not given.
// Shape: `shape`.
// Types: uint8, uint16 or uint32, after `width`.
// Throws InvalidArgument when a size is negative, the width is not 1, 2 or 4, or the key is not uint32 of shape (2).
array bits(const Sizes& shape, int width, const std::optional<array>& key = std::nullopt, StreamOrDevice s = {});
array bits(const Sizes& shape, const std::optional<array>& key = std::nullopt, StreamOrDevice s = {});

// Independent keys from one: two, or `num` of them in rows.
// Shape: (2) each; (num, 2).
// Types: uint32.
// Throws InvalidArgument when `num` is negative or the key is not uint32 of shape (2).
std::pair<array, array> split(const array& key, StreamOrDevice s = {});
array split(const array& key, const Size& num, StreamOrDevice s = {});

// Numbers from [low, high), or from [0, 1). Rounding may give `high`, except for [0, 1).
// Shape: `shape`, to which the bounds broadcast.
// Types: float16, bfloat16 or float32.
// Throws InvalidArgument for another type or when the bounds do not broadcast to the shape, RuntimeError for float64.
array uniform(const array& low, const array& high, const Sizes& shape, Dtype dtype = float32,
              const std::optional<array>& key = std::nullopt, StreamOrDevice s = {});
array uniform(const Sizes& shape, Dtype dtype, const std::optional<array>& key = std::nullopt, StreamOrDevice s = {});
array uniform(const Sizes& shape, const std::optional<array>& key = std::nullopt, StreamOrDevice s = {});
template <class T, class U>
  requires((detail::is_scalar<T> || std::same_as<T, array>) && (detail::is_scalar<U> || std::same_as<U, array>))
array uniform(T low, U high, const Sizes& shape, Dtype dtype = float32, const std::optional<array>& key = std::nullopt,
              StreamOrDevice s = {}) {
  return uniform(array(low), array(high), shape, dtype, key, s);
}

// Normally distributed numbers with mean `loc`, 0 where it is not given, and standard deviation `scale`, else 1. Of a
// complex number each part has half of the variance.
// Shape: `shape`, to which the parameters broadcast.
// Types: float16, bfloat16, float32, complex64, or float64 from draws of float32.
// Algorithm: sqrt(2) * erfinv(u) with u uniform in (-1, 1).
// Throws InvalidArgument for another type.
array normal(const Sizes& shape, Dtype dtype, const std::optional<array>& loc, const std::optional<array>& scale,
             const std::optional<array>& key, StreamOrDevice s = {});
array normal(const Sizes& shape, Dtype dtype, float loc, float scale, const std::optional<array>& key = std::nullopt,
             StreamOrDevice s = {});
array normal(const Sizes& shape, float loc, float scale, const std::optional<array>& key = std::nullopt,
             StreamOrDevice s = {});
array normal(const Sizes& shape, Dtype dtype, const std::optional<array>& key = std::nullopt, StreamOrDevice s = {});
array normal(const Sizes& shape, const std::optional<array>& key = std::nullopt, StreamOrDevice s = {});

// Integers from [low, high); `low` where `high` is not greater. There are 2^24 different ones at most, as in MLX.
// Shape: `shape`, to which the bounds broadcast.
// Types: any integer type or bool.
// Algorithm: a uniform float32 from the range, rounded down.
// Throws InvalidArgument for another type or when the bounds do not broadcast to the shape.
array randint(const array& low, const array& high, const Sizes& shape, Dtype dtype = int32,
              const std::optional<array>& key = std::nullopt, StreamOrDevice s = {});
template <class T, class U>
  requires((detail::is_scalar<T> || std::same_as<T, array>) && (detail::is_scalar<U> || std::same_as<U, array>))
array randint(T low, U high, const Sizes& shape, Dtype dtype = int32, const std::optional<array>& key = std::nullopt,
              StreamOrDevice s = {}) {
  return randint(array(low), array(high), shape, dtype, key, s);
}

// True with probability `p`, 0.5 where it is not given.
// Shape: `shape`, to which `p` broadcasts; that of `p` where it is not given.
// Types: bool, from a `p` of float type.
// Throws InvalidArgument when `p` is not a real float or does not broadcast to the shape.
array bernoulli(const array& p, const Sizes& shape, const std::optional<array>& key = std::nullopt,
                StreamOrDevice s = {});
array bernoulli(const array& p, const std::optional<array>& key = std::nullopt, StreamOrDevice s = {});
array bernoulli(const std::optional<array>& key = std::nullopt, StreamOrDevice s = {});
template <class T>
  requires detail::is_scalar<T>
array bernoulli(T p, const std::optional<array>& key = std::nullopt, StreamOrDevice s = {}) {
  return bernoulli(array(p), key, s);
}
template <class T>
  requires detail::is_scalar<T>
array bernoulli(T p, const Sizes& shape, const std::optional<array>& key = std::nullopt, StreamOrDevice s = {}) {
  return bernoulli(array(p), shape, key, s);
}

// Normally distributed numbers that lie between the bounds.
// Shape: `shape`, to which the bounds broadcast; that of both bounds broadcast where it is not given.
// Types: float16, bfloat16 or float32.
// Throws InvalidArgument for another type or when the bounds do not broadcast to the shape, RuntimeError for float64.
array truncated_normal(const array& lower, const array& upper, const Sizes& shape, Dtype dtype = float32,
                       const std::optional<array>& key = std::nullopt, StreamOrDevice s = {});
array truncated_normal(const array& lower, const array& upper, Dtype dtype = float32,
                       const std::optional<array>& key = std::nullopt, StreamOrDevice s = {});

// Numbers of the standard Gumbel distribution, -log(-log(u)) with u uniform in [0, 1).
// Shape: `shape`.
// Types: float16, bfloat16 or float32.
// Throws InvalidArgument for another type, RuntimeError for float64.
array gumbel(const Sizes& shape, Dtype dtype = float32, const std::optional<array>& key = std::nullopt,
             StreamOrDevice s = {});

// Numbers of the Laplace distribution around `loc`, 0 where it is not given, with the scale `scale`, else 1.
// Shape: `shape`.
// Types: float16, bfloat16, float32, or float64 from draws of float32.
// Throws InvalidArgument for another type.
array laplace(const Sizes& shape, Dtype dtype, float loc, float scale, const std::optional<array>& key = std::nullopt,
              StreamOrDevice s = {});
array laplace(const Sizes& shape, float loc, float scale, const std::optional<array>& key = std::nullopt,
              StreamOrDevice s = {});
array laplace(const Sizes& shape, Dtype dtype, const std::optional<array>& key = std::nullopt, StreamOrDevice s = {});
array laplace(const Sizes& shape, const std::optional<array>& key = std::nullopt, StreamOrDevice s = {});

// Positions along an axis, each with a probability proportional to the exponential of its logit.
// Shape: `shape`, to which the axes of the logits but `axis` broadcast; or those axes, and behind them `num_samples`.
// Types: uint32, from any real type.
// Algorithm: the position of the largest logit with Gumbel noise; several draws from one distribution look a uniform
// number up among the running sums of the weights.
// Throws OutOfRange when there is no such axis, InvalidArgument when the shape does not fit or nothing can be drawn.
array categorical(const array& logits, int axis, const Sizes& shape, const std::optional<array>& key = std::nullopt,
                  StreamOrDevice s = {});
array categorical(const array& logits, int axis, int num_samples, const std::optional<array>& key = std::nullopt,
                  StreamOrDevice s = {});
array categorical(const array& logits, int axis = -1, const std::optional<array>& key = std::nullopt,
                  StreamOrDevice s = {});

// The parts of an array along an axis in random order, or the numbers below `x`.
// Shape: that of `x`; (x).
// Types: any, kept; uint32 for numbers.
// Throws OutOfRange when there is no such axis, InvalidArgument when `x` is negative.
array permutation(const array& x, int axis = 0, const std::optional<array>& key = std::nullopt, StreamOrDevice s = {});
array permutation(const Size& x, const std::optional<array>& key = std::nullopt, StreamOrDevice s = {});

// Normally distributed vectors with means `mean` and covariances `cov`.
// Shape: `shape` broadcast against the batches of both, and the length of the vectors.
// Types: float32.
// Algorithm: normal numbers times the roots of the singular values of the covariance, times its right singular vectors.
// Throws InvalidArgument for another type or when the shapes do not fit.
array multivariate_normal(const array& mean, const array& cov, const Sizes& shape, Dtype dtype,
                          const std::optional<array>& key = std::nullopt, StreamOrDevice s = {});

}  // namespace random

// ---- End of frontend/api: random

}  // namespace frit
