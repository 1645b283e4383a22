// The base of optimisers: state, steps and learning rates; clipping of gradients.
#include "frontend/frit/optimizers.h"

#include <algorithm>

#include "frontend/core/user_place.h"
#include "frontend/nn/number.h"

namespace frit::optimizers {

Optimizer::Optimizer(const std::optional<Rate>& learning_rate) {
  const array start(0, uint64);
  state_.values.emplace("step", start);
  if (!learning_rate) return;
  schedule_ = learning_rate->schedule;
  state_.values.emplace("learning_rate", schedule_ ? schedule_(start) : array(learning_rate->value, float32));
}

array Optimizer::rate_for(const array& like) const { return astype(learning_rate(), like.dtype()); }

void Optimizer::init_all(const std::vector<const array*>& parameters) {
  if (!state_.parameters.empty() && state_.parameters.size() != parameters.size())
    throw InvalidArgument("optimizer: its state is that of " + std::to_string(state_.parameters.size()) +
                              " parameters, and there are " + std::to_string(parameters.size()),
                          "make an optimizer for each tree of parameters");
  if (!state_.parameters.empty()) return;
  if (std::any_of(parameters.begin(), parameters.end(), [](const array* p) { return p->is_tracer(); }))
    throw InvalidArgument(
        "optimizer: its state is made while a function is traced",
        "call init with the parameters before, and give state() to the function's inputs and outputs");
  state_.parameters.resize(parameters.size());
  for (size_t i = 0; i < parameters.size(); ++i) init_single(*parameters[i], state_.parameters[i]);
}

std::vector<array> Optimizer::apply_all(const std::vector<const array*>& gradients,
                                        const std::vector<const array*>& parameters, const std::source_location& at) {
  const detail::CallerLine caller(at);
  init_all(parameters);
  if (schedule_) state_.values.at("learning_rate") = schedule_(step());
  state_.values.at("step") = step() + array(1, uint64);
  std::vector<array> changed;
  changed.reserve(parameters.size());
  for (size_t i = 0; i < parameters.size(); ++i)
    changed.push_back(apply_single(*gradients[i], *parameters[i], state_.parameters[i]));
  return changed;
}

std::pair<std::vector<array>, array> clip_all(const std::vector<const array*>& gradients, double max_norm,
                                              const std::source_location& at) {
  const detail::CallerLine caller(at);
  if (max_norm < 0)
    throw InvalidArgument("clip_grad_norm: the norm " + std::to_string(max_norm) + " is negative", "give 0 or more");
  array total(0.0f);
  for (const array* g : gradients) total = total + sum(square(*g));
  const array norm = sqrt(total);
  const array scale = minimum(nn::number(max_norm, norm) / (norm + nn::number(1e-6, norm)), nn::number(1, norm));
  std::vector<array> clipped;
  for (const array* g : gradients) clipped.push_back(*g * astype(scale, g->dtype()));
  return {std::move(clipped), norm};
}

}  // namespace frit::optimizers
