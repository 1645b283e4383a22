// Window functions: weights that taper off at both ends, as signal processing uses them.
#include <numbers>

#include "frontend/ops/composed.h"

namespace frit {

namespace {

using Weight = array (*)(const array& n, const array& last);

array taper(std::string_view name, int count, Weight weight, const StreamOrDevice& s) {
  if (count < 1) return zeros({0}, float32, s);
  if (count == 1) return ones({1}, float32, s);
  const auto weights = [weight](const std::vector<array>& in) {
    const Sizes sizes{Size(detail::carried_sizes(in[0])[0])};
    const array last = detail::size_value(detail::carried_sizes(in[0])[0] - Dim(1), float32, {});
    return weight(arange(Size(0), sizes[0], float32), last);
  };
  return detail::composed(name, {}, weights, {detail::sizes_carrier({count})}, s);
}

array weight(double v) { return array(v, float32); }
array turns(const array& n, const array& last, double factor) { return multiply(n, divide(weight(factor), last)); }

}  // namespace

array hanning(int M, StreamOrDevice s) {
  return taper(
      "hanning", M, [](const array& n, const array& last) { return square(sin(turns(n, last, std::numbers::pi))); }, s);
}
array hamming(int M, StreamOrDevice s) {
  return taper(
      "hamming", M,
      [](const array& n, const array& last) {
        return subtract(weight(0.54), multiply(weight(0.46), cos(turns(n, last, 2 * std::numbers::pi))));
      },
      s);
}
array bartlett(int M, StreamOrDevice s) {
  return taper(
      "bartlett", M,
      [](const array& n, const array& last) {
        return subtract(weight(1), abs(subtract(divide(multiply(weight(2), n), last), weight(1))));
      },
      s);
}
array blackman(int M, StreamOrDevice s) {
  return taper(
      "blackman", M,
      [](const array& n, const array& last) {
        // With cos(2x) = 2 cos(x)^2 - 1 the ends are exactly zero.
        const array c = cos(turns(n, last, 2 * std::numbers::pi));
        return add(subtract(weight(0.34), multiply(weight(0.5), c)), multiply(weight(0.16), square(c)));
      },
      s);
}

}  // namespace frit
