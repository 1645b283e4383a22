// Losses: functions of predictions and targets.
#include <cmath>
#include <numbers>

#include "frontend/core/build.h"
#include "frontend/core/user_place.h"
#include "frontend/frit/linalg.h"
#include "frontend/frit/nn.h"
#include "frontend/nn/number.h"

namespace frit::nn {

namespace {

array reduced(const char* op, const array& losses, const std::string& reduction) {
  if (reduction == "none") return losses;
  if (reduction == "mean") return mean(losses);
  if (reduction == "sum") return sum(losses);
  throw InvalidArgument(std::string(op) + ": there is no reduction '" + reduction + "'", "use none, mean or sum");
}

void check_sizes(const char* op, const char* name, const array& a, const char* of, const ir::Dims& sizes) {
  const ir::Dims given = detail::sizes_of(a);
  bool fits = given.size() == sizes.size();
  for (size_t i = 0; fits && i < given.size(); ++i) fits = detail::require_equal(given[i], sizes[i], op, {});
  if (!fits)
    throw InvalidArgument(std::string(op) + ": " + name + " are " + detail::text(a) + ", and " + of + " have shape " +
                              detail::shape_text(sizes),
                          std::string("give ") + name + " that shape");
}
void check_like(const char* op, const char* name, const array& a, const char* of, const array& like) {
  check_sizes(op, name, a, of, detail::sizes_of(like));
}

ir::Dims without_axis(const array& a, int axis) {
  ir::Dims sizes = detail::sizes_of(a);
  sizes.erase(sizes.begin() + axis);
  return sizes;
}

// The elements at class indices along an axis.
array at_classes(const array& a, const array& classes, int axis) {
  return squeeze(take_along_axis(a, expand_dims(classes, axis), axis), axis);
}

void check_classes(const char* op, const array& targets) {
  if (!issubdtype(targets.dtype(), integer))
    throw InvalidArgument(std::string(op) + ": targets are " + detail::text(targets) + ", and classes are integers",
                          "convert them with 'astype'");
}

array weighted(const char* op, const array& losses, const std::optional<array>& weights) {
  if (!weights) return losses;
  check_like(op, "weights", *weights, "losses", losses);
  return losses * *weights;
}

}  // namespace

array cross_entropy(const array& logits, const array& targets, const std::optional<array>& weights, int axis,
                    float label_smoothing, const std::string& reduction, std::source_location at) {
  const detail::CallerLine caller(at);
  const char* op = "cross_entropy";
  if (!(label_smoothing >= 0 && label_smoothing < 1))
    throw InvalidArgument("cross_entropy: label_smoothing is " + std::to_string(label_smoothing),
                          "give a number in [0, 1)");
  axis = detail::normalize_axis(op, logits, axis, {});
  const bool probabilities = targets.ndim() == logits.ndim();
  if (probabilities) {
    check_like(op, "targets", targets, "logits", logits);
  } else {
    check_classes(op, targets);
    check_sizes(op, "targets", targets, "losses", without_axis(logits, axis));
  }
  // Relative to the largest logit, so that a small loss keeps its digits.
  const array wide = issubdtype(logits.dtype(), inexact) ? logits : astype(logits, float32);
  const array largest = stop_gradient(max(wide, axis, true));
  const array shifted = wide - largest;
  const array score =
      probabilities ? sum(shifted * targets, axis) : at_classes(wide, targets, axis) - squeeze(largest, axis);
  array losses = logsumexp(shifted, axis);
  if (label_smoothing > 0) {
    // The numbers are rounded once, from differences in double.
    const double smoothing = static_cast<double>(label_smoothing);
    losses = losses - number(1 - smoothing, wide) * score - number(smoothing, wide) * mean(shifted, axis);
  } else {
    losses = losses - score;
  }
  return reduced(op, weighted(op, losses, weights), reduction);
}

array binary_cross_entropy(const array& inputs, const array& targets, const std::optional<array>& weights,
                           bool with_logits, const std::string& reduction, std::source_location at) {
  const detail::CallerLine caller(at);
  const char* op = "binary_cross_entropy";
  check_like(op, "targets", targets, "inputs", inputs);
  const auto logarithm = [&](const array& x) { return maximum(log(x), number(-100, x)); };
  const array one = number(1, inputs);
  const array losses = with_logits ? logaddexp(number(0, inputs), inputs) - inputs * targets
                                   : -(targets * logarithm(inputs) + (one - targets) * logarithm(one - inputs));
  return reduced(op, weighted(op, losses, weights), reduction);
}

array l1_loss(const array& predictions, const array& targets, const std::string& reduction, std::source_location at) {
  const detail::CallerLine caller(at);
  check_like("l1_loss", "targets", targets, "predictions", predictions);
  return reduced("l1_loss", abs(predictions - targets), reduction);
}

array mse_loss(const array& predictions, const array& targets, const std::string& reduction, std::source_location at) {
  const detail::CallerLine caller(at);
  check_like("mse_loss", "targets", targets, "predictions", predictions);
  return reduced("mse_loss", square(predictions - targets), reduction);
}

array nll_loss(const array& inputs, const array& targets, int axis, const std::string& reduction,
               std::source_location at) {
  const detail::CallerLine caller(at);
  axis = detail::normalize_axis("nll_loss", inputs, axis, {});
  check_classes("nll_loss", targets);
  check_sizes("nll_loss", "targets", targets, "losses", without_axis(inputs, axis));
  return reduced("nll_loss", -at_classes(inputs, targets, axis), reduction);
}

array gaussian_nll_loss(const array& inputs, const array& targets, const array& vars, bool full, float eps,
                        const std::string& reduction, std::source_location at) {
  const detail::CallerLine caller(at);
  check_like("gaussian_nll_loss", "targets", targets, "inputs", inputs);
  check_like("gaussian_nll_loss", "vars", vars, "inputs", inputs);
  const array variance = maximum(vars, number(eps, vars));
  array losses = number(0.5, inputs) * (log(variance) + square(targets - inputs) / variance);
  if (full) losses = losses + number(0.5 * std::log(2 * std::numbers::pi), inputs);
  return reduced("gaussian_nll_loss", losses, reduction);
}

array kl_div_loss(const array& inputs, const array& targets, int axis, const std::string& reduction,
                  std::source_location at) {
  const detail::CallerLine caller(at);
  return reduced("kl_div_loss", sum(exp(targets) * (targets - inputs), axis), reduction);
}

array smooth_l1_loss(const array& predictions, const array& targets, float beta, const std::string& reduction,
                     std::source_location at) {
  const detail::CallerLine caller(at);
  check_like("smooth_l1_loss", "targets", targets, "predictions", predictions);
  const array size = abs(predictions - targets), bound = number(beta, size), half = number(0.5, size);
  return reduced("smooth_l1_loss", where(size < bound, half * square(size) / bound, size - half * bound), reduction);
}

array triplet_loss(const array& anchors, const array& positives, const array& negatives, int axis, int p, float margin,
                   float eps, const std::string& reduction, std::source_location at) {
  const detail::CallerLine caller(at);
  const auto distance = [&](const array& others) {
    const array size = abs(anchors - others);
    return power(sum(power(size, array(p)), axis) + number(eps, size), number(1.0 / p, size));
  };
  const array losses = distance(positives) - distance(negatives);
  return reduced("triplet_loss", maximum(losses + number(margin, losses), number(0, losses)), reduction);
}

array hinge_loss(const array& inputs, const array& targets, const std::string& reduction, std::source_location at) {
  const detail::CallerLine caller(at);
  return reduced("hinge_loss", maximum(number(1, inputs) - inputs * targets, number(0, inputs)), reduction);
}

array huber_loss(const array& inputs, const array& targets, float delta, const std::string& reduction,
                 std::source_location at) {
  const detail::CallerLine caller(at);
  const array size = abs(inputs - targets), bound = number(delta, size), near = minimum(size, bound);
  return reduced("huber_loss", number(0.5, size) * square(near) + bound * (size - near), reduction);
}

array log_cosh_loss(const array& inputs, const array& targets, const std::string& reduction, std::source_location at) {
  const detail::CallerLine caller(at);
  const array errors = inputs - targets;
  return reduced("log_cosh_loss", logaddexp(errors, -errors) - number(std::numbers::ln2, errors), reduction);
}

array cosine_similarity_loss(const array& x1, const array& x2, int axis, float eps, const std::string& reduction,
                             std::source_location at) {
  const detail::CallerLine caller(at);
  const array lengths = linalg::norm(x1, axis) * linalg::norm(x2, axis);
  return reduced("cosine_similarity_loss", sum(x1 * x2, axis) / maximum(lengths, number(eps, lengths)), reduction);
}

array margin_ranking_loss(const array& inputs1, const array& inputs2, const array& targets, float margin,
                          const std::string& reduction, std::source_location at) {
  const detail::CallerLine caller(at);
  check_like("margin_ranking_loss", "inputs2", inputs2, "inputs1", inputs1);
  check_like("margin_ranking_loss", "targets", targets, "inputs1", inputs1);
  const array losses = -targets * (inputs1 - inputs2);
  return reduced("margin_ranking_loss", maximum(losses + number(margin, losses), number(0, losses)), reduction);
}

}  // namespace frit::nn
