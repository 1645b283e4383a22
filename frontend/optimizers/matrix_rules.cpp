// The updates of optimisers that treat matrices apart from vectors: Adafactor and Muon.
#include <algorithm>
#include <cmath>

#include "frontend/frit/error.h"
#include "frontend/frit/linalg.h"
#include "frontend/frit/optimizers.h"
#include "frontend/nn/number.h"

namespace frit::optimizers {

using nn::number;

// ---- Adafactor

Adafactor::Adafactor(std::optional<Rate> learning_rate, AdafactorOptions options)
    : Optimizer(learning_rate), options_(options) {
  if (!learning_rate && !options_.relative_step)
    throw InvalidArgument("Adafactor: there is neither a learning rate nor a relative step",
                          "give a learning rate, or set relative_step");
}

void Adafactor::init_single(const array& parameter, Slots& state) const {
  if (parameter.ndim() >= 2) {
    // A row has the mean over the last axis, a column that over the one before it.
    state.emplace("exp_avg_sq_row", mean(zeros_like(parameter), -1));
    state.emplace("exp_avg_sq_col", mean(zeros_like(parameter), -2));
  } else {
    state.emplace("exp_avg_sq", zeros_like(parameter));
  }
  if (options_.beta_1) state.emplace("exp_avg", zeros_like(parameter));
}

namespace {

array root_mean_square(const array& x) { return sqrt(mean(square(x))); }

array mixed(const array& beta, const array& a, const array& b) { return beta * a + (number(1, beta) - beta) * b; }

}  // namespace

// `size` is the root of the parameter's mean square.
array Adafactor::step_size(const array& size) const {
  const array count = astype(step(), float32);
  array rate = options_.relative_step
                   ? minimum(options_.warmup_init ? array(1e-6f) * count : array(1e-2f), rsqrt(count))
                   : learning_rate();
  rate = astype(rate, size.dtype());
  return options_.scale_parameter ? maximum(number(options_.eps.second, size), size) * rate : rate;
}

array Adafactor::apply_single(const array& gradient, const array& parameter, Slots& state) const {
  const array rate = step_size(root_mean_square(parameter));
  const array decay = power(astype(step(), float32), array(options_.decay_rate, float32));
  const array beta_2 = number(1, rate) - astype(decay, rate.dtype());
  const array squares = square(gradient) + number(options_.eps.first, gradient);
  array update = gradient;
  if (gradient.ndim() >= 2) {
    array &row = state.at("exp_avg_sq_row"), &column = state.at("exp_avg_sq_col");
    row = mixed(beta_2, row, mean(squares, -1));
    column = mixed(beta_2, column, mean(squares, -2));
    const array left = expand_dims(rsqrt(row / mean(row, -1, true)), -1), right = expand_dims(rsqrt(column), -2);
    update = left * right * gradient;
  } else {
    array& average = state.at("exp_avg_sq");
    average = mixed(beta_2, average, squares);
    update = rsqrt(average) * gradient;
  }
  const array excess = root_mean_square(update) / number(options_.clip_threshold, update);
  update = rate * (update / maximum(number(1, update), excess));
  if (options_.beta_1) {
    array& average = state.at("exp_avg");
    average = mixed(number(*options_.beta_1, update), average, update);
    update = average;
  }
  if (options_.weight_decay == 0) return parameter - update;
  return parameter + parameter * (number(-options_.weight_decay, rate) * rate) - update;
}

// ---- Muon

Muon::Muon(Rate learning_rate, double momentum, double weight_decay, bool nesterov, int ns_steps)
    : Optimizer(learning_rate),
      momentum_(momentum),
      weight_decay_(weight_decay),
      nesterov_(nesterov),
      ns_steps_(ns_steps) {}

void Muon::init_single(const array& parameter, Slots& state) const { state.emplace("v", zeros_like(parameter)); }

// An odd polynomial of fifth degree moves the singular values towards one.
array Muon::orthogonal(array x) const {
  const bool tall = x.shape(0) > x.shape(1);
  if (tall) x = transpose(x);
  x = x / (linalg::norm(x, std::nullopt, true) + number(1e-7, x));
  for (int i = 0; i < ns_steps_; ++i) {
    const array squared = matmul(x, transpose(x));
    const array inner = number(-4.7750, x) * squared + number(2.0315, x) * matmul(squared, squared);
    x = number(3.4445, x) * x + matmul(inner, x);
  }
  return tall ? transpose(x) : x;
}

array Muon::apply_single(const array& gradient, const array& parameter, Slots& state) const {
  const array g = weight_decay_ == 0 ? gradient : gradient + number(weight_decay_, parameter) * parameter;
  const array momentum = number(momentum_, g), rest = number(1 - momentum_, g);
  array& v = state.at("v");
  v = momentum * v + rest * g;
  array update = nesterov_ ? g * rest + v * momentum : v, rate = rate_for(g);
  if (update.ndim() >= 2) {
    const Shape shape = update.shape();
    const array flat = reshape(update, {shape[0], -1});
    update = reshape(orthogonal(flat), shape);
    // As in MLX, the last two axes of the parameter scale the rate, not those of the matrix.
    const double tall = double(update.shape(-2)) / double(update.shape(-1));
    rate = rate * number(std::sqrt(std::max(1.0, tall)), rate);
  }
  return parameter - rate * update;
}

}  // namespace frit::optimizers
