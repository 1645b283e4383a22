// Optimisers, learning rates as functions of the step, and clipping of gradients, in namespace frit::optimizers, with
// the names, argument order and defaults of mlx.optimizers. The declarations of functions are written from
// frontend/api.
//
//   optimizers::Adam adam(1e-3f);
//   adam.init(parameters);
//   CompileOptions options;
//   options.inputs.add(parameters).add(adam.state());
//   options.outputs = options.inputs;
//   auto step = compile([&](array x) {
//     auto [loss, gradients] = nn::value_and_grad(loss_of)(parameters, x);
//     adam.update(parameters, gradients);
//     return loss;
//   }, options);
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "frit/array.h"
#include "frit/nn.h"

namespace frit {

namespace optimizers {

// A value for each step, which is a rank-0 array of type uint64.
using Schedule = std::function<array(const array& step)>;

// A learning rate: a number, or a schedule of the step.
class Rate {
 public:
  Rate(double value) : value(value) {}
  template <class F>
    requires std::is_invocable_r_v<array, const F&, const array&>
  Rate(F fn) : schedule(std::move(fn)) {}

  double value = 0;
  Schedule schedule;  // null for a number
};

// The state of an optimiser between steps: captured state of a compiled step, and what a checkpoint saves.
struct OptimizerState {
  std::map<std::string, array> values;                   // "step", "learning_rate"
  std::vector<std::map<std::string, array>> parameters;  // of each parameter, in the order of the tree
};

// The base of optimisers. Parameters are a tree of arrays of any form (frit/nn.h). Not for several threads at once.
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  // Makes the state for parameters. apply_gradients does so at its first call; a compiled step that captures the state
  // needs it before.
  template <class P>
  void init(const P& parameters) {
    init_all(detail::leaves_of(parameters).arrays);
  }
  // The new parameters. Throws InvalidArgument where the trees differ in structure, the state is that of other
  // parameters, or the state is made inside of a trace.
  template <class P>
  P apply_gradients(const P& gradients, const P& parameters,
                    const std::source_location& at = std::source_location::current()) {
    const detail::Leaves given = detail::leaves_of(gradients), old = detail::leaves_of(parameters);
    detail::check_same_structure("optimizer", "gradients and the parameters", given, old);
    return detail::tree_of<P>(old.structure, apply_all(given.arrays, old.arrays, at));
  }
  // The same in place.
  template <class P>
  void update(P& parameters, const P& gradients, const std::source_location& at = std::source_location::current()) {
    parameters = apply_gradients(gradients, parameters, at);
  }

  OptimizerState& state() { return state_; }
  const OptimizerState& state() const { return state_; }
  // The number of steps that were taken.
  const array& step() const { return state_.values.at("step"); }
  const array& learning_rate() const { return state_.values.at("learning_rate"); }
  void set_learning_rate(const array& rate) { state_.values.at("learning_rate") = rate; }

 protected:
  using Slots = std::map<std::string, array>;
  // Without a rate there is no learning rate in the state.
  explicit Optimizer(const std::optional<Rate>& learning_rate);
  Optimizer(const Optimizer&) = default;
  Optimizer& operator=(const Optimizer&) = default;

  // The first state of one parameter.
  virtual void init_single(const array& parameter, Slots& state) const = 0;
  // The new value of one parameter.
  virtual array apply_single(const array& gradient, const array& parameter, Slots& state) const = 0;
  // The learning rate in the type of an array.
  array rate_for(const array& like) const;

 private:
  void init_all(const std::vector<const array*>& parameters);
  std::vector<array> apply_all(const std::vector<const array*>& gradients, const std::vector<const array*>& parameters,
                               const std::source_location& at);

  OptimizerState state_;
  Schedule schedule_;
};

// p - lr * v with v = momentum * v + (1 - dampening) * g. With weight decay, g has weight_decay * p added. Throws
// InvalidArgument where `nesterov` comes without a momentum or with a dampening.
class SGD : public Optimizer {
 public:
  explicit SGD(Rate learning_rate, double momentum = 0.0, double weight_decay = 0.0, double dampening = 0.0,
               bool nesterov = false);

 protected:
  void init_single(const array& parameter, Slots& state) const override;
  array apply_single(const array& gradient, const array& parameter, Slots& state) const override;

 private:
  double momentum_, weight_decay_, dampening_;
  bool nesterov_;
};

// p - lr * g / (sqrt(v) + eps) with v = alpha * v + (1 - alpha) * g squared. Throws InvalidArgument for a negative
// alpha or eps.
class RMSprop : public Optimizer {
 public:
  explicit RMSprop(Rate learning_rate, double alpha = 0.99, double eps = 1e-8);

 protected:
  void init_single(const array& parameter, Slots& state) const override;
  array apply_single(const array& gradient, const array& parameter, Slots& state) const override;

 private:
  double alpha_, eps_;
};

// p - lr * g / (sqrt(v) + eps) with v the sum of squares. Throws InvalidArgument for a negative eps.
class Adagrad : public Optimizer {
 public:
  explicit Adagrad(Rate learning_rate, double eps = 1e-8);

 protected:
  void init_single(const array& parameter, Slots& state) const override;
  array apply_single(const array& gradient, const array& parameter, Slots& state) const override;

 private:
  double eps_;
};

// Steps whose size follows the ratio of mean squares of steps and gradients. Throws InvalidArgument for a negative rho
// or eps.
class AdaDelta : public Optimizer {
 public:
  explicit AdaDelta(Rate learning_rate, double rho = 0.9, double eps = 1e-6);

 protected:
  void init_single(const array& parameter, Slots& state) const override;
  array apply_single(const array& gradient, const array& parameter, Slots& state) const override;

 private:
  double rho_, eps_;
};

using Betas = std::pair<double, double>;

// p - lr * m / (sqrt(v) + eps) with running means m of g and v of g squared; with the correction of their bias where it
// is asked for.
class Adam : public Optimizer {
 public:
  explicit Adam(Rate learning_rate, Betas betas = {0.9, 0.999}, double eps = 1e-8, bool bias_correction = false);

 protected:
  void init_single(const array& parameter, Slots& state) const override;
  array apply_single(const array& gradient, const array& parameter, Slots& state) const override;

  Betas betas_;
  double eps_;

 private:
  bool bias_correction_;
};

// Adam with weights that decay by lr * weight_decay.
class AdamW : public Adam {
 public:
  explicit AdamW(Rate learning_rate, Betas betas = {0.9, 0.999}, double eps = 1e-8, double weight_decay = 0.01,
                 bool bias_correction = false);

 protected:
  array apply_single(const array& gradient, const array& parameter, Slots& state) const override;

 private:
  double weight_decay_;
};

// Adam with the running maximum of |g| in the place of v. Throws InvalidArgument for a negative eps.
class Adamax : public Adam {
 public:
  explicit Adamax(Rate learning_rate, Betas betas = {0.9, 0.999}, double eps = 1e-8);

 protected:
  array apply_single(const array& gradient, const array& parameter, Slots& state) const override;
};

// p - lr * sign of a mix of the running mean and the gradient.
class Lion : public Optimizer {
 public:
  explicit Lion(Rate learning_rate, Betas betas = {0.9, 0.99}, double weight_decay = 0.0);

 protected:
  void init_single(const array& parameter, Slots& state) const override;
  array apply_single(const array& gradient, const array& parameter, Slots& state) const override;

 private:
  Betas betas_;
  double weight_decay_;
};

struct AdafactorOptions {
  Betas eps = {1e-30, 1e-3};  // added to squares; the least size of a parameter
  double clip_threshold = 1.0;
  double decay_rate = -0.8;
  std::optional<double> beta_1 = {};
  double weight_decay = 0.0;
  bool scale_parameter = true, relative_step = true, warmup_init = false;
};

// Steps by factored mean squares: one row and one column for each matrix. Throws InvalidArgument where there is neither
// a learning rate nor a relative step.
class Adafactor : public Optimizer {
 public:
  explicit Adafactor(std::optional<Rate> learning_rate = {}, AdafactorOptions options = {});

 protected:
  void init_single(const array& parameter, Slots& state) const override;
  array apply_single(const array& gradient, const array& parameter, Slots& state) const override;

 private:
  array step_size(const array& size) const;
  AdafactorOptions options_;
};

// Momentum whose matrices are made orthogonal by Newton-Schulz steps. Axes behind the first count as one.
class Muon : public Optimizer {
 public:
  explicit Muon(Rate learning_rate, double momentum = 0.95, double weight_decay = 0.01, bool nesterov = true,
                int ns_steps = 5);

 protected:
  void init_single(const array& parameter, Slots& state) const override;
  array apply_single(const array& gradient, const array& parameter, Slots& state) const override;

 private:
  array orthogonal(array x) const;
  double momentum_, weight_decay_;
  bool nesterov_;
  int ns_steps_;
};

}  // namespace optimizers

namespace detail {

template <>
struct Tree<optimizers::OptimizerState> {
  using Parts = std::pair<std::map<std::string, array>, std::vector<std::map<std::string, array>>>;
  static void flatten(const optimizers::OptimizerState& state, Leaves& out) {
    Tree<std::map<std::string, array>>::flatten(state.values, out);
    Tree<std::vector<std::map<std::string, array>>>::flatten(state.parameters, out);
  }
  static optimizers::OptimizerState build(Reader& in) {
    auto [values, parameters] = Tree<Parts>::build(in);
    return {std::move(values), std::move(parameters)};
  }
};

}  // namespace detail

namespace optimizers {

std::pair<std::vector<array>, array> clip_all(const std::vector<const array*>& gradients, double max_norm,
                                              const std::source_location& at);

// Gradients scaled to a common norm of `max_norm` at most, and the norm before. The norm is the root of the sum of the
// squares of all elements.
template <class P>
std::pair<P, array> clip_grad_norm(const P& gradients, double max_norm,
                                   const std::source_location& at = std::source_location::current()) {
  const detail::Leaves given = detail::leaves_of(gradients);
  auto [clipped, norm] = clip_all(given.arrays, max_norm, at);
  return {detail::tree_of<P>(given.structure, clipped), norm};
}

}  // namespace optimizers

// ---- Written from frontend/api: schedules

namespace optimizers {
// init * decay_rate ** step.
Schedule exponential_decay(double init, double decay_rate);

// init * decay_rate ** (step // step_size).
// Throws InvalidArgument when `step_size` is below one.
Schedule step_decay(double init, double decay_rate, int step_size);

// From init to end by half a cosine in `decay_steps` steps.
// Throws InvalidArgument when `decay_steps` is below one.
Schedule cosine_decay(double init, int decay_steps, double end = 0.0);

// From init to end in equal steps.
// Throws InvalidArgument when `steps` is below one.
Schedule linear_schedule(double init, double end, int steps);

// One schedule after the other. The next one begins at each boundary, at step 0 of its own.
// Throws InvalidArgument when there are no schedules, or not one boundary fewer than schedules.
Schedule join_schedules(std::vector<Schedule> schedules, std::vector<int> boundaries);

}  // namespace optimizers

// ---- End of frontend/api: schedules

}  // namespace frit
