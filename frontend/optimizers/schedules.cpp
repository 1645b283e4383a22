// Learning rates as functions of the step.
#include <numbers>

#include "frontend/frit/error.h"
#include "frontend/frit/ops.h"
#include "frontend/frit/optimizers.h"

namespace frit::optimizers {

namespace {

array number(double value) { return array(value, float32); }

void check_steps(const char* who, int steps) {
  if (steps < 1)
    throw InvalidArgument(std::string(who) + ": " + std::to_string(steps) + " steps", "give one step or more");
}

// The step, and `last` once it is past.
array up_to(const array& step, int last) { return astype(minimum(step, array(last, step.dtype())), float32); }

}  // namespace

Schedule exponential_decay(double init, double decay_rate) {
  return [=](const array& step) { return number(init) * power(number(decay_rate), astype(step, float32)); };
}

Schedule step_decay(double init, double decay_rate, int step_size) {
  check_steps("step_decay", step_size);
  return [=](const array& step) {
    const array times = floor_divide(step, array(step_size, step.dtype()));
    return number(init) * power(number(decay_rate), astype(times, float32));
  };
}

Schedule cosine_decay(double init, int decay_steps, double end) {
  check_steps("cosine_decay", decay_steps);
  return [=](const array& step) {
    const array angle = number(std::numbers::pi / decay_steps) * up_to(step, decay_steps);
    return number(end) + number(0.5) * (number(1) + cos(angle)) * number(init - end);
  };
}

Schedule linear_schedule(double init, double end, int steps) {
  check_steps("linear_schedule", steps);
  return [=](const array& step) { return up_to(step, steps) * number((end - init) / steps) + number(init); };
}

Schedule join_schedules(std::vector<Schedule> schedules, std::vector<int> boundaries) {
  if (schedules.empty()) throw InvalidArgument("join_schedules: there are no schedules", "give at least one");
  if (schedules.size() != boundaries.size() + 1)
    throw InvalidArgument("join_schedules: there are " + std::to_string(boundaries.size()) + " boundaries for " +
                              std::to_string(schedules.size()) + " schedules",
                          "give one boundary fewer than schedules");
  return [schedules = std::move(schedules), boundaries = std::move(boundaries)](const array& step) {
    array rate = schedules[0](step);
    for (size_t i = 0; i < boundaries.size(); ++i) {
      const array from(boundaries[i], step.dtype());
      rate = where(step < from, rate, schedules[i + 1](step - from));
    }
    return rate;
  };
}

}  // namespace frit::optimizers
