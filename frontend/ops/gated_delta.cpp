// The fast functions that are compositions of others: cross entropy and the gated delta rule.
#include <optional>

#include "frontend/frit/fast.h"
#include "frontend/ops/composed.h"

namespace frit::fast {

array cross_entropy(const array& logits, const array& targets, StreamOrDevice s) {
  if (!issubdtype(targets.dtype(), integer))
    throw InvalidArgument(
        "cross_entropy: targets of " + detail::type_text(targets.dtype(), targets.shape()) + " are not class indices",
        "give integers");
  if (logits.ndim() != targets.ndim() + 1)
    throw InvalidArgument("cross_entropy: targets have " + std::to_string(targets.ndim()) +
                              " axes beside logits with " + std::to_string(logits.ndim()),
                          "give one axis less than the logits have");
  if (!issubdtype(logits.dtype(), floating))
    throw InvalidArgument("cross_entropy: logits of " + detail::type_text(logits.dtype(), logits.shape()) +
                              " are no floating-point numbers",
                          "convert them with astype");
  bool fits = true;
  for (int i = 0; i < static_cast<int>(targets.ndim()); ++i)
    fits = fits &&
           detail::require_equal(detail::size_of(targets, i), detail::size_of(logits, i), "cross_entropy", s.where());
  if (!fits)
    throw InvalidArgument("cross_entropy: targets of " + detail::type_text(targets.dtype(), targets.shape()) +
                              " do not fit logits of " + detail::type_text(logits.dtype(), logits.shape()),
                          "give the shape of the logits without the last axis");
  const array score = squeeze(take_along_axis(logits, expand_dims(targets, -1, s), -1, s), -1, s);
  return astype(subtract(logsumexp(logits, -1, false, s), score, s), float32, s);
}

std::vector<array> gated_delta_update(const array& q, const array& k, const array& v, const array& gamma,
                                      const array& beta, const std::optional<array>& initial,
                                      const std::optional<array>& mask, StreamOrDevice s) {
  if (q.ndim() != 4 || k.ndim() != 4 || v.ndim() != 4 || gamma.ndim() != 3 || beta.ndim() != 3)
    throw InvalidArgument("gated_delta_update: q, k and v need four axes, gamma and beta three",
                          "give (batch, time, heads, size)");
  const int batch = v.shape(0), time = v.shape(1), heads = v.shape(2), dv = v.shape(3), dk = k.shape(3);
  if (k.shape(2) == 0 || heads % k.shape(2) != 0)
    throw InvalidArgument("gated_delta_update: " + std::to_string(heads) + " heads of values are no multiple of " +
                              std::to_string(k.shape(2)) + " of keys",
                          "give a multiple");
  const int copies = heads / k.shape(2);
  const array queries = astype(repeat(q, copies, 2, s), float32, s), keys = astype(repeat(k, copies, 2, s), float32, s);
  const array values = astype(v, float32, s), decay = astype(gamma, float32, s), rate = astype(beta, float32, s);
  const Dtype state_type = initial ? initial->dtype() : float32;
  array state = initial ? astype(*initial, float32, s) : zeros(Shape{batch, heads, dv, dk}, float32, s);
  std::vector<array> out;
  for (int t = 0; t < time; ++t) {
    const auto at = [&](const array& a) { return take(a, t, 1, s); };
    const array key = expand_dims(at(keys), 2, s);
    array next = multiply(state, expand_dims(at(decay), std::vector<int>{2, 3}, s), s);
    const array known = sum(multiply(next, key, s), -1, false, s);
    const array delta = multiply(subtract(at(values), known, s), expand_dims(at(rate), 2, s), s);
    next = add(next, multiply(expand_dims(delta, 3, s), key, s), s);
    array y = sum(multiply(next, expand_dims(at(queries), 2, s), s), -1, false, s);
    if (mask) {
      const array keep = reshape(at(*mask), Shape{batch, 1, 1, 1}, s);
      next = where(keep, next, state, s);
      y = where(reshape(keep, Shape{batch, 1, 1}, s), y, array(0.0f), s);
    }
    state = next;
    out.push_back(y);
  }
  return {astype(stack(out, 1, s), v.dtype(), s), astype(state, state_type, s)};
}

}  // namespace frit::fast
