// The updates of optimisers whose state has the shape of the parameter.
#include "frontend/frit/error.h"
#include "frontend/frit/optimizers.h"
#include "frontend/nn/number.h"

namespace frit::optimizers {

using nn::number;

namespace {

void check_not_negative(const char* who, const char* what, double value) {
  if (!(value >= 0))
    throw InvalidArgument(std::string(who) + ": " + what + " is " + std::to_string(value), "give zero or more");
}

void check_positive(const char* who, const char* what, double value) {
  if (!(value > 0))
    throw InvalidArgument(std::string(who) + ": " + what + " is " + std::to_string(value), "give more than zero");
}

// Means that run with weights outside of [0, 1) grow without bound, or change their sign at each step.
void check_betas(const char* who, const Betas& betas) {
  for (double beta : {betas.first, betas.second}) {
    if (!(beta >= 0 && beta < 1))
      throw InvalidArgument(std::string(who) + ": a beta is " + std::to_string(beta), "give betas from 0 to below 1");
  }
}

// beta * a + (1 - beta) * b.
array mix(double beta, const array& a, const array& b) { return number(beta, a) * a + number(1 - beta, b) * b; }

}  // namespace

// ---- SGD

SGD::SGD(Rate learning_rate, double momentum, double weight_decay, double dampening, bool nesterov)
    : Optimizer(learning_rate),
      momentum_(momentum),
      weight_decay_(weight_decay),
      dampening_(dampening),
      nesterov_(nesterov) {
  if (nesterov && !(momentum > 0 && dampening == 0))
    throw InvalidArgument("SGD: nesterov needs a momentum above zero and no dampening",
                          "give a momentum such as 0.9, and leave the dampening at zero");
}

void SGD::init_single(const array& parameter, Slots& state) const { state.emplace("v", zeros_like(parameter)); }

array SGD::apply_single(const array& gradient, const array& parameter, Slots& state) const {
  const array g = weight_decay_ == 0 ? gradient : gradient + number(weight_decay_, parameter) * parameter;
  const array rate = rate_for(g);
  if (momentum_ <= 0) return parameter - rate * g;
  const array momentum = number(momentum_, g), taken = dampening_ > 0 ? number(1 - dampening_, g) * g : g;
  array& v = state.at("v");
  v = momentum * v + taken;
  return parameter - rate * (nesterov_ ? g + momentum * v : v);
}

// ---- RMSprop, Adagrad, AdaDelta

RMSprop::RMSprop(Rate learning_rate, double alpha, double eps) : Optimizer(learning_rate), alpha_(alpha), eps_(eps) {
  check_not_negative("RMSprop", "alpha", alpha);
  check_positive("RMSprop", "eps", eps);
}

void RMSprop::init_single(const array& parameter, Slots& state) const { state.emplace("v", zeros_like(parameter)); }

array RMSprop::apply_single(const array& gradient, const array& parameter, Slots& state) const {
  array& v = state.at("v");
  v = mix(alpha_, v, square(gradient));
  return parameter - rate_for(gradient) * gradient / (sqrt(v) + number(eps_, v));
}

Adagrad::Adagrad(Rate learning_rate, double eps) : Optimizer(learning_rate), eps_(eps) {
  check_positive("Adagrad", "eps", eps);
}

void Adagrad::init_single(const array& parameter, Slots& state) const { state.emplace("v", zeros_like(parameter)); }

array Adagrad::apply_single(const array& gradient, const array& parameter, Slots& state) const {
  array& v = state.at("v");
  v = v + square(gradient);
  return parameter - rate_for(gradient) * gradient / (sqrt(v) + number(eps_, v));
}

AdaDelta::AdaDelta(Rate learning_rate, double rho, double eps) : Optimizer(learning_rate), rho_(rho), eps_(eps) {
  check_not_negative("AdaDelta", "rho", rho);
  check_positive("AdaDelta", "eps", eps);
}

void AdaDelta::init_single(const array& parameter, Slots& state) const {
  state.emplace("v", zeros_like(parameter));
  state.emplace("u", zeros_like(parameter));
}

array AdaDelta::apply_single(const array& gradient, const array& parameter, Slots& state) const {
  array &v = state.at("v"), &u = state.at("u");
  const array eps = number(eps_, v);
  v = mix(rho_, v, square(gradient));
  const array d = sqrt(u + eps) / sqrt(v + eps) * gradient;
  u = mix(rho_, u, square(d));
  return parameter - rate_for(gradient) * d;
}

// ---- Adam, AdamW, Adamax

Adam::Adam(Rate learning_rate, Betas betas, double eps, bool bias_correction)
    : Optimizer(learning_rate), betas_(betas), eps_(eps), bias_correction_(bias_correction) {
  check_betas("Adam", betas);
  check_not_negative("Adam", "eps", eps);
}

void Adam::init_single(const array& parameter, Slots& state) const {
  state.emplace("m", zeros_like(parameter));
  state.emplace("v", zeros_like(parameter));
}

array Adam::apply_single(const array& gradient, const array& parameter, Slots& state) const {
  array &m = state.at("m"), &v = state.at("v");
  m = mix(betas_.first, m, gradient);
  v = mix(betas_.second, v, square(gradient));
  const array rate = rate_for(gradient), eps = number(eps_, v);
  if (!bias_correction_) return parameter - rate * m / (sqrt(v) + eps);
  const auto remaining = [&](double beta) {
    return array(1.0f) - power(array(beta, float32), astype(step(), float32));
  };
  const array c1 = astype(astype(rate, float32) / remaining(betas_.first), gradient.dtype()),
              c2 = astype(rsqrt(remaining(betas_.second)), gradient.dtype());
  return parameter - c1 * m / (sqrt(v) * c2 + eps);
}

AdamW::AdamW(Rate learning_rate, Betas betas, double eps, double weight_decay, bool bias_correction)
    : Adam(std::move(learning_rate), betas, eps, bias_correction), weight_decay_(weight_decay) {}

array AdamW::apply_single(const array& gradient, const array& parameter, Slots& state) const {
  const array rate = rate_for(gradient);
  return Adam::apply_single(gradient, parameter * (number(1, rate) - rate * number(weight_decay_, rate)), state);
}

Adamax::Adamax(Rate learning_rate, Betas betas, double eps) : Adam(std::move(learning_rate), betas, eps) {}

array Adamax::apply_single(const array& gradient, const array& parameter, Slots& state) const {
  array &m = state.at("m"), &v = state.at("v");
  m = mix(betas_.first, m, gradient);
  v = maximum(number(betas_.second, v) * v, abs(gradient));
  return parameter - rate_for(gradient) * m / (v + number(eps_, v));
}

// ---- Lion

Lion::Lion(Rate learning_rate, Betas betas, double weight_decay)
    : Optimizer(learning_rate), betas_(betas), weight_decay_(weight_decay) {
  check_betas("Lion", betas);
}

void Lion::init_single(const array& parameter, Slots& state) const { state.emplace("m", zeros_like(parameter)); }

array Lion::apply_single(const array& gradient, const array& parameter, Slots& state) const {
  array& m = state.at("m");
  const array rate = rate_for(gradient), direction = sign(mix(betas_.first, m, gradient));
  m = mix(betas_.second, m, gradient);
  const array decayed =
      weight_decay_ > 0 ? (number(1, rate) - rate * number(weight_decay_, rate)) * parameter : parameter;
  return decayed - rate * direction;
}

}  // namespace frit::optimizers
