// Distances of results, in units in the last place.
#include "ir/reduce/distance.h"

#include <algorithm>
#include <cmath>

namespace frit::ir {
namespace {

// Digits of the significand of a float type, the leading one included.
int digits(Dtype t) { return t == float16 ? 11 : t == bfloat16 ? 8 : t == float64 ? 53 : 24; }

// In units in the last place at magnitude `at`.
double ulp_distance(Dtype t, double want, double got, double at) {
  if (want == got || (std::isnan(want) && std::isnan(got))) return 0;
  if (!std::isfinite(want) || !std::isfinite(got)) return INFINITY;
  const double unit = std::ldexp(1.0, std::ilogb(std::max(at, std::ldexp(1.0, t == float16   ? -14
                                                                              : t == float64 ? -1022
                                                                                             : -126))) -
                                          digits(t) + 1);
  return std::abs(want - got) / unit;
}

}  // namespace

double distance(const Tensor& want, const Tensor& got) {
  if (want.shape != got.shape || want.dtype != got.dtype) return INFINITY;
  if (!is_inexact(want.dtype)) return want.data == got.data ? 0 : INFINITY;
  const bool pairs = want.dtype == complex64;
  Tensor a = want, b = got;
  if (pairs) {
    a.dtype = b.dtype = float32;
    a.shape.push_back(2);
    b.shape.push_back(2);
  }
  double sum = 0;
  int64_t finite = 0;
  for (int64_t i = 0; i < a.size(); ++i)
    if (const double v = a.at(i); std::isfinite(v)) sum += std::abs(v), ++finite;
  const double mean = finite ? sum / static_cast<double>(finite) : 0;
  double most = 0;
  for (int64_t i = 0; i < a.size(); ++i)
    most = std::max(most, ulp_distance(a.dtype, a.at(i), b.at(i), std::max(std::abs(a.at(i)), mean)));
  return most;
}

}  // namespace frit::ir
