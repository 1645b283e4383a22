// Factors lengths and fills the tables of plans.
#include "runtime/routines/fft_plan.h"

#include <algorithm>
#include <cmath>
#include <list>
#include <mutex>
#include <numbers>

#include "runtime/routines/fft.h"

namespace frit::runtime::routines {
namespace {

// Longer lengths are split, and a length with a larger prime factor is a convolution.
constexpr int64_t kLongestInLanes = 128, kLargestPrime = 31;
constexpr size_t kPlans = 32;  // that are kept

std::vector<int> factors(int64_t n) {
  std::vector<int> out;
  for (int radix : {8, 4, 2})
    for (; n % radix == 0; n /= radix) out.push_back(radix);
  for (int radix = 3; n > 1; radix += 2)
    for (; n % radix == 0; n /= radix) out.push_back(radix);
  return out;
}

int64_t largest_prime(int64_t n) {
  int64_t largest = 1;
  for (int64_t p = 2; p * p <= n; ++p)
    for (; n % p == 0; n /= p) largest = p;
  return std::max(largest, n);
}

// The divisor that is nearest to the root from below.
int64_t lower_half(int64_t n) {
  auto d = static_cast<int64_t>(std::sqrt(static_cast<double>(n)));
  while (n % d) --d;
  return d;
}

std::shared_ptr<const FftPlan> make_plan(int64_t n) {
  auto plan = std::make_shared<FftPlan>();
  plan->n = n;
  if (largest_prime(n) > kLargestPrime) {
    plan->way = FftPlan::Way::Chirp;
    int64_t m = 1;
    while (m < 2 * n - 1) m *= 2;
    plan->padded = fft_plan(m);
    plan->filter.assign(static_cast<size_t>(m), Complex());
    for (int64_t k = 0; k < n; ++k) {
      // k * k may exceed 64 bits only for lengths that no memory holds.
      plan->chirp.push_back(root_of_unity(k * k % (2 * n), 2 * n));
      const Complex other = std::conj(plan->chirp.back()) / static_cast<float>(m);
      plan->filter[static_cast<size_t>(k)] = plan->filter[static_cast<size_t>(k ? m - k : 0)] = other;
    }
    std::vector<Complex> filter(static_cast<size_t>(m));
    transform_row(*plan->padded, plan->filter.data(), 1, filter.data(), false, 1, false);
    plan->filter = std::move(filter);
    return plan;
  }
  const int64_t low = n > kLongestInLanes ? lower_half(n) : 1;
  if (low == 1) {
    plan->first = std::make_unique<LanePlan>(n);
    return plan;
  }
  plan->way = FftPlan::Way::Split;
  const int64_t n1 = low, n2 = n / low;
  plan->first = std::make_unique<LanePlan>(n1);
  plan->second = std::make_unique<LanePlan>(n2);
  for (int64_t k = 0; k < n1; ++k)
    for (int64_t l = 0; l < kFine; ++l) plan->fine.push_back(root_of_unity(k * l % n, n));
  for (int64_t t = 0; t * kFine < n; ++t) plan->coarse.push_back(root_of_unity(t * kFine % n, n));
  return plan;
}

}  // namespace

Complex root_of_unity(int64_t k, int64_t n) {
  // The angle in an eighth of a turn, so that equal parts of roots are equal numbers.
  const double turn = 2 * std::numbers::pi / static_cast<double>(n);
  const int64_t eighth = 8 * k / n;
  const auto cosine = [&](int64_t j) { return std::cos(turn * static_cast<double>(j)); };
  const auto sine = [&](int64_t j) { return std::sin(turn * static_cast<double>(j)); };
  // Quarter turns leave sizes that need not be whole: those are taken in eighths of n.
  const auto quarter = [&](int64_t j, int64_t quarters) {
    return turn * (static_cast<double>(4 * j - quarters * n) / 4);
  };
  double re, im;
  switch (eighth) {
    case 0: re = cosine(k), im = sine(k); break;
    case 1:
    case 2: re = -std::sin(quarter(k, 1)), im = std::cos(quarter(k, 1)); break;
    case 3:
    case 4: re = -std::cos(quarter(k, 2)), im = -std::sin(quarter(k, 2)); break;
    case 5:
    case 6: re = std::sin(quarter(k, 3)), im = -std::cos(quarter(k, 3)); break;
    default: re = cosine(n - k), im = -sine(n - k); break;
  }
  return {static_cast<float>(re), static_cast<float>(-im)};
}

LanePlan::LanePlan(int64_t length) : n(length) {
  int64_t left = n;
  for (const int radix : factors(n)) {
    Stage stage{radix, left / radix, {}, {}};
    for (int64_t p = 0; p < stage.rest; ++p)
      for (int k = 1; k < radix; ++k) stage.roots.push_back(root_of_unity(p * k % left, left));
    if (radix > 5 && radix != 8)
      for (int k = 0; k < radix; ++k) stage.own.push_back(root_of_unity(k, radix));
    left = stage.rest;
    stages.push_back(std::move(stage));
  }
}

int64_t FftPlan::work() const {
  const int64_t lanes = fft_kernels().lanes;
  if (way == Way::Chirp) return 4 * padded->n + 16;
  const int64_t longest = second ? std::max(first->n, second->n) : first->n;
  return 4 * longest * lanes;
}

std::shared_ptr<const FftPlan> fft_plan(int64_t n) {
  static std::recursive_mutex mutex;
  static auto* const kept = new std::list<std::shared_ptr<const FftPlan>>;
  std::lock_guard lock(mutex);
  const auto found = std::find_if(kept->begin(), kept->end(), [&](const auto& p) { return p->n == n; });
  if (found != kept->end()) {
    kept->splice(kept->begin(), *kept, found);
    return kept->front();
  }
  std::shared_ptr<const FftPlan> plan = make_plan(n);
  kept->push_front(plan);
  if (kept->size() > kPlans) kept->pop_back();
  return plan;
}

}  // namespace frit::runtime::routines
