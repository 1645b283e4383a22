// Factors lengths and fills the tables of plans.
#include "runtime/routines/fft_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <list>
#include <map>
#include <mutex>
#include <numbers>

#include "runtime/routines/fft.h"

namespace frit::runtime::routines {
namespace {

// Rows of lengths up to the first are the lanes of vectors, and up to the second where splitting leaves lanes empty.
constexpr int64_t kShortInLanes = 256, kLongestInLanes = 512;
constexpr int64_t kCostLanes = 16;   // of a vector whose work is counted
constexpr int64_t kSmallPrime = 13;  // up to which a split is always better than a convolution
constexpr size_t kPlans = 32;        // that are kept

// Radices with a kernel, which transform() in fft_kernels.h lists, and the vector operations that a stage takes for an
// element, about. The same numbers for every processor, whose lanes differ: a way depends on the length alone.
struct Radix {
  int radix, cost;
};
constexpr Radix kRadices[] = {{12, 22}, {10, 23}, {9, 24}, {8, 16}, {7, 24},
                              {6, 17},  {5, 19},  {4, 12}, {3, 14}, {2, 9}};

bool has_kernel(int radix) {
  return std::any_of(std::begin(kRadices), std::end(kRadices), [&](const Radix& r) { return r.radix == radix; });
}

struct Factors {
  std::vector<int> radices;  // first to last
  int64_t cost = 0;          // for an element
};

// The cheapest stages of each length that is asked for.
class Stages {
 public:
  const Factors& of(int64_t n) {
    if (const auto known = known_.find(n); known != known_.end()) return known->second;
    Factors best;
    for (const Radix& r : kRadices)
      if (n % r.radix == 0) consider(r, n / r.radix, best);
    if (n > 1 && best.radices.empty()) {
      int64_t prime = 11;
      while (prime * prime <= n && n % prime) prime += 2;
      if (n % prime) prime = n;
      consider({static_cast<int>(prime), static_cast<int>(2 * prime + 12)}, n / prime, best);
    }
    return known_.emplace(n, std::move(best)).first->second;
  }

 private:
  void consider(const Radix& first, int64_t rest, Factors& best) {
    const Factors& behind = of(rest);
    if (!best.radices.empty() && behind.cost + first.cost >= best.cost) return;
    best.radices.assign(1, first.radix);
    best.radices.insert(best.radices.end(), behind.radices.begin(), behind.radices.end());
    best.cost = behind.cost + first.cost;
  }
  std::map<int64_t, Factors> known_;
};

int64_t largest_prime(int64_t n) {
  int64_t largest = 1;
  for (int64_t p = 2; p * p <= n; ++p)
    for (; n % p == 0; n /= p) largest = p;
  return std::max(largest, n);
}

struct Halves {
  int64_t first = 1;
  int64_t cost = std::numeric_limits<int64_t>::max();
};

// The best first factor of a length that is split, and the cost of it; 1 where there is none.
Halves best_halves(int64_t n) {
  constexpr int64_t kMoves = 4;  // of numbers between both steps
  const auto blocks = [](int64_t columns) { return (columns + kCostLanes - 1) / kCostLanes; };
  Halves best;
  Stages stages;
  const auto cost_in_lanes = [&](int64_t length) { return length * stages.of(length).cost; };
  for (int64_t d = 2; d * d <= n; ++d) {
    if (n % d) continue;
    for (const int64_t first : {d, n / d}) {
      const int64_t second = n / first;
      const int64_t cost = blocks(second) * cost_in_lanes(first) + blocks(first) * cost_in_lanes(second) + kMoves * n;
      if (cost < best.cost) best = {first, cost};
    }
  }
  return best;
}

// The best length of at least `least` without large factors.
int64_t padded_length(int64_t least) {
  int64_t best = 0, cost = 0;
  for (int64_t fives = 1; fives <= 25; fives *= 5)
    for (int64_t threes = 1; threes <= 27; threes *= 3) {
      int64_t n = fives * threes;
      while (n < least) n *= 2;
      const int64_t own = best_halves(n).cost;
      if (best == 0 || own < cost) best = n, cost = own;
    }
  return best;
}

bool is_in_lanes(int64_t n, const Halves& halves) {
  if (n > kLongestInLanes || largest_prime(n) > kLargestRadix) return false;
  return n <= kShortInLanes || halves.first % kCostLanes != 0 || n / halves.first % kCostLanes != 0;
}

// Whether a length that is too long for lanes is a convolution of two that are padded.
bool is_convolution(int64_t n, const Halves& halves) {
  if (largest_prime(n) > kLargestRadix) return true;
  if (largest_prime(n) <= kSmallPrime) return false;
  return 2 * best_halves(padded_length(2 * n - 1)).cost < halves.cost;
}

std::shared_ptr<FftPlan> make_split(int64_t n, int64_t n1) {
  auto plan = std::make_shared<FftPlan>();
  plan->n = n;
  plan->way = FftPlan::Way::Split;
  plan->first = std::make_unique<LanePlan>(n1);
  plan->second = std::make_unique<LanePlan>(n / n1);
  for (int64_t k = 0; k < n1; ++k)
    for (int64_t l = 0; l < kFine; ++l) plan->fine.push_back(root_of_unity(k * l % n, n));
  for (int64_t t = 0; t * kFine < n; ++t) plan->coarse.push_back(root_of_unity(t * kFine % n, n));
  return plan;
}

std::shared_ptr<FftPlan> make_convolution(int64_t n) {
  auto plan = std::make_shared<FftPlan>();
  plan->n = n;
  plan->way = FftPlan::Way::Chirp;
  // One row at a time is padded, so lanes would be empty.
  const int64_t m = padded_length(2 * n - 1);
  const int64_t m1 = best_halves(m).first;
  auto padded = make_split(m, m1);
  for (int64_t j = 0; j < m / m1; ++j)
    for (int64_t l = 0; l < kFine; ++l) padded->fine_rows.push_back(root_of_unity(j * l % m, m));
  plan->padded = std::move(padded);
  plan->filter.assign(static_cast<size_t>(m), Complex());
  for (int64_t k = 0; k < n; ++k) {
    // k * k may exceed 64 bits only for lengths that no memory holds.
    plan->chirp.push_back(root_of_unity(k * k % (2 * n), 2 * n));
    const Complex other = std::conj(plan->chirp.back()) / static_cast<float>(m);
    plan->filter[static_cast<size_t>(k)] = plan->filter[static_cast<size_t>(k ? m - k : 0)] = other;
  }
  std::vector<Complex> filter(static_cast<size_t>(m));
  std::vector<float> memory(static_cast<size_t>(plan->padded->memory()));
  transform_row(*plan->padded, plan->filter.data(), 1, filter.data(), false, 1, false, memory.data());
  plan->filter = std::move(filter);
  return plan;
}

std::shared_ptr<const FftPlan> make_plan(int64_t n) {
  const Halves halves = best_halves(n);
  if (is_in_lanes(n, halves)) {
    auto plan = std::make_shared<FftPlan>();
    plan->n = n;
    plan->first = std::make_unique<LanePlan>(n);
    return plan;
  }
  if (is_convolution(n, halves)) return make_convolution(n);
  return make_split(n, halves.first);
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
  const Factors factors = Stages().of(n);
  for (const int radix : factors.radices) {
    Stage stage{radix, left / radix, {}, {}};
    for (int64_t p = 0; p < stage.rest; ++p)
      for (int k = 1; k < radix; ++k) stage.roots.push_back(root_of_unity(p * k % left, left));
    if (!has_kernel(radix))
      for (int k = 0; k < radix; ++k) stage.own.push_back(root_of_unity(k, radix));
    left = stage.rest;
    stages.push_back(std::move(stage));
  }
}

int64_t FftPlan::work() const {
  const int64_t lanes = fft_kernels().lanes;
  const int64_t longest = second ? std::max(first->n, second->n) : first->n;
  return (4 * longest + 2) * lanes;
}

int64_t FftPlan::memory() const {
  switch (way) {
    case Way::Split: return 2 * n + work() + 16;
    case Way::Chirp: return 2 * n + padded->memory();
    case Way::Lanes: break;
  }
  return work() + 16;
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
