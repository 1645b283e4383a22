// Initialisers: functions from the shape of a parameter to its first value.
#include <algorithm>
#include <cmath>

#include "frontend/frit/linalg_factor.h"
#include "frontend/frit/nn.h"
#include "frontend/frit/ops.h"
#include "frontend/frit/random.h"

namespace frit::nn::init {

namespace {

std::string text(const Shape& shape) {
  std::string out = "(";
  for (size_t i = 0; i < shape.size(); ++i) out += (i ? "," : "") + std::to_string(shape[i]);
  return out + ")";
}

[[noreturn]] void refuse(const char* op, const Shape& shape, const char* needs, const char* cure) {
  throw InvalidArgument(std::string(op) + ": shape " + text(shape) + " is not that of " + needs, cure);
}

void check_matrix(const char* op, const Shape& shape) {
  if (shape.size() != 2) refuse(op, shape, "a matrix", "give two axes");
}

struct Fans {
  double in, out;
};

// Of a weight (outputs, ..., inputs).
Fans fans_of(const char* op, const Shape& shape) {
  if (shape.size() < 2) refuse(op, shape, "a weight", "give two axes or more: (outputs, ..., inputs)");
  double between = 1;
  for (size_t i = 1; i + 1 < shape.size(); ++i) between *= shape[i];
  return {between * shape.back(), between * shape[0]};
}

bool is_fan_in(const char* op, const std::string& mode) {
  if (mode != "fan_in" && mode != "fan_out")
    throw InvalidArgument(std::string(op) + ": there is no mode '" + mode + "'", "use fan_in or fan_out");
  return mode == "fan_in";
}

array normal_of(const Shape& shape, double mean, double std, Dtype dtype) {
  return random::normal(shape, dtype, static_cast<float>(mean), static_cast<float>(std));
}
array uniform_of(const Shape& shape, double low, double high, Dtype dtype) {
  return random::uniform(array(low, float32), array(high, float32), shape, dtype);
}

}  // namespace

Initializer constant(double value, Dtype dtype) {
  return [=](const Shape& shape) { return full(shape, array(value, dtype), dtype); };
}

Initializer normal(double mean, double std, Dtype dtype) {
  return [=](const Shape& shape) { return normal_of(shape, mean, std, dtype); };
}

Initializer uniform(double low, double high, Dtype dtype) {
  return [=](const Shape& shape) { return uniform_of(shape, low, high, dtype); };
}

Initializer identity(Dtype dtype) {
  return [=](const Shape& shape) {
    if (shape.size() != 2 || shape[0] != shape[1])
      refuse("identity", shape, "a square matrix", "give as many rows as columns");
    return eye(shape[0], dtype);
  };
}

Initializer glorot_normal(Dtype dtype, double gain) {
  return [=](const Shape& shape) {
    const Fans fans = fans_of("glorot_normal", shape);
    return normal_of(shape, 0, gain * std::sqrt(2 / (fans.in + fans.out)), dtype);
  };
}

Initializer glorot_uniform(Dtype dtype, double gain) {
  return [=](const Shape& shape) {
    const Fans fans = fans_of("glorot_uniform", shape);
    const double limit = gain * std::sqrt(6 / (fans.in + fans.out));
    return uniform_of(shape, -limit, limit, dtype);
  };
}

Initializer he_normal(Dtype dtype, const std::string& mode, double gain) {
  return [=, in = is_fan_in("he_normal", mode)](const Shape& shape) {
    const Fans fans = fans_of("he_normal", shape);
    return normal_of(shape, 0, gain / std::sqrt(in ? fans.in : fans.out), dtype);
  };
}

Initializer he_uniform(Dtype dtype, const std::string& mode, double gain) {
  return [=, in = is_fan_in("he_uniform", mode)](const Shape& shape) {
    const Fans fans = fans_of("he_uniform", shape);
    const double limit = gain * std::sqrt(3 / (in ? fans.in : fans.out));
    return uniform_of(shape, -limit, limit, dtype);
  };
}

Initializer sparse(double sparsity, double mean, double std, Dtype dtype) {
  if (!(sparsity >= 0 && sparsity <= 1))
    throw InvalidArgument("sparse: " + std::to_string(sparsity) + " is not a share of a row",
                          "give a number from 0 to 1");
  return [=](const Shape& shape) {
    check_matrix("sparse", shape);
    const int zeros = static_cast<int>(std::ceil(sparsity * shape[1]));
    // The rank of random numbers in a row is a random order.
    const array order = argsort(random::uniform(shape, float32), 1);
    return put_along_axis(normal_of(shape, mean, std, dtype), slice(order, {0, 0}, {shape[0], zeros}), array(0, dtype),
                          1);
  };
}

Initializer orthogonal(double gain, Dtype dtype) {
  return [=](const Shape& shape) {
    check_matrix("orthogonal", shape);
    const int n = std::max(shape[0], shape[1]);
    const auto [q, r] = linalg::qr(normal_of({n, n}, 0, 1, float32));
    const array turned = q * sign(diag(r)) * array(gain, float32);
    return astype(slice(turned, {0, 0}, {shape[0], shape[1]}), dtype);
  };
}

}  // namespace frit::nn::init
