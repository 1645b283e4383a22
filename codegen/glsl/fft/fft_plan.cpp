// Plans of Fourier transforms in shared memory, by a model of a device with 128 lanes in each of 132 multiprocessors.
#include "codegen/glsl/fft/fft_plan.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "codegen/glsl/fft/fft_radix.h"

namespace frit::codegen::glsl {

namespace {

constexpr double kLanes = 128, kProcessors = 132;        // of a multiprocessor, and of the device
constexpr double kRegisters = 65536, kMostLanes = 2048;  // of a multiprocessor
constexpr double kSharedBytes = 48 << 10;                // that its workgroups share
constexpr double kRoot = 26;                             // instructions of a root
constexpr double kUnit = 14;                             // of a unit's place
constexpr double kWanted = 20 << 10;                     // bytes under way that keep memory busy
constexpr size_t kMostSteps = 6;
constexpr int64_t kMostNumbers = 64;  // of an invocation
constexpr int64_t kMostPadded = 16;   // lengths that a convolution tries
constexpr int64_t kRun = 12;          // neighbours in memory that are worth an exchange

int64_t ceil_of(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Lanes of a warp that want the same bank at once, of the places of four warps.
template <class Place>
int64_t conflicts(const FftPlan& plan, const FftStage& s, const Place& place) {
  const int64_t banks = plan.halves ? 32 : 16, total = plan.lines * s.each;
  int64_t most = 0;
  for (int64_t first = 0; first < std::min<int64_t>(plan.threads, 128); first += banks) {
    std::array<int64_t, 32> used{}, last{};
    for (int64_t lane = first; lane < std::min(first + banks, total); ++lane) {
      const int64_t line = s.across ? lane % plan.lines : lane / s.each,
                    j = s.across ? lane / plan.lines : lane % s.each, at = place(line, j);
      const auto bank = static_cast<size_t>(at % banks);
      if (used[bank] && last[bank] == at) continue;
      ++used[bank], last[bank] = at;
    }
    most += *std::max_element(used.begin(), used.end());
  }
  return most;
}

int64_t place_before(const FftStage& s, const FftTile& t, int64_t line, int64_t j) {
  if (s.unit != FftUnit::kStep) return line * t.line + j;
  return line * t.line + j / s.done * t.pitch + j % s.done;
}

int64_t place_behind(const FftTile& t, int64_t line, int64_t j) {
  return line * t.line + j / t.block * t.pitch + j % t.block;
}

// The pitches with the fewest conflicts, of those that fit.
FftTile tile_between(const FftPlan& plan, const FftStage& from, const FftStage& to, int64_t most) {
  const int64_t block = from.unit == FftUnit::kStep ? from.done * from.radix : plan.n, count = plan.n / block;
  FftTile best;
  int64_t least = -1;
  const int64_t pads = count > 1 ? 17 : 1, line_pads = plan.lines > 1 ? 33 : 1;
  const int64_t none = 2 * ceil_of(std::min<int64_t>(plan.threads, 128), plan.halves ? 32 : 16);
  for (int64_t pad = 0; pad < pads; ++pad)
    for (int64_t line_pad = 0; line_pad < line_pads && least != none; ++line_pad) {
      const FftTile t{block, block + pad, count * (block + pad) + line_pad};
      if (t.line * plan.lines > most && pad + line_pad > 0) continue;
      const int64_t found =
          conflicts(plan, from, [&](int64_t line, int64_t j) { return place_before(from, t, line, j); }) +
          conflicts(plan, to, [&](int64_t line, int64_t j) { return place_behind(t, line, j); });
      if (least < 0 || found < least) least = found, best = t;
    }
  return best;
}

double unit_work(const FftWork& work, const FftStage& s, bool first, bool last, bool halves) {
  double all = kUnit;
  const auto width = static_cast<double>(s.width());
  if (s.unit == FftUnit::kPair) all += kRoot + 20;
  if (s.unit == FftUnit::kStep) all += radix_work(static_cast<int>(s.radix));
  if (s.unit == FftUnit::kStep && s.done > 1) {
    const double roots = std::ceil(std::log2(width));
    all += roots * kRoot + 4 * (width - 1 - roots) + 4 * (width - 1);
  }
  if (first && work.turned) all += width * (kRoot + 8);
  const double exchange = halves ? 6 : 5;  // an access takes four times as long as a sum, of 64 bits eight times
  all += width * (first || last ? exchange + 3 : 2 * exchange);
  return all;
}

// The time of the work, in instructions for a number, by those of a unit of each stage; negative where the plan does
// not fit.
double cost_of(const FftWork& work, FftPlan& plan, const std::vector<double>& units) {
  double instructions = 0, filter = 0;
  int64_t widest = 1, kept = 0;
  for (size_t i = 0; i < plan.stages.size(); ++i) {
    const int64_t blocks = plan.blocks(plan.stages[i]);
    instructions += static_cast<double>(blocks) * units[i];
    widest = std::max(widest, blocks * plan.stages[i].width());
    if (i < plan.middle) filter = instructions, kept = blocks * plan.stages[i].width();
  }
  const double registers = 3.0 * static_cast<double>(widest) + 2.0 * static_cast<double>(kept) + 26;
  const auto threads = static_cast<double>(plan.threads);
  if (registers > 250 || registers * threads > kRegisters) return -1;
  const double tile = plan.stages.size() > 1 ? static_cast<double>(plan.n * plan.lines) * (plan.halves ? 4 : 8) : 0;
  double groups = std::min({kMostLanes / threads, kRegisters / (registers * threads), 32.0});
  if (tile > 0) groups = std::min(groups, kSharedBytes / tile);
  groups = std::floor(groups);
  if (groups < 1) return -1;
  if (plan.middle > 0) {
    const double resident = kProcessors * groups * static_cast<double>(plan.lines);
    plan.turns = work.lines == 0
                     ? 2
                     : std::clamp<int64_t>(static_cast<int64_t>(static_cast<double>(work.lines) / resident), 1, 16);
    instructions += filter / static_cast<double>(plan.turns);
  }
  const double numbers = static_cast<double>(plan.lines * plan.row), in_flight = groups * numbers * 8;
  const double busy = std::min(1.0, groups * threads / 512);
  const double slow = std::max({1.0, std::sqrt(kWanted / in_flight), 1 / busy}) * (groups < 2 ? 1.2 : 1.0);
  // Neighbours of 8 bytes each fill whole sectors of 32, better two.
  double columns = 0;
  if (work.load_across || work.store_across) {
    const auto lines = static_cast<double>(plan.lines);
    columns = std::max(0.0, 8 / lines - 1) * 40 + (plan.lines % 4 ? 60 / lines : 0);
  }
  const double through = instructions * threads * slow / numbers + columns;
  if (work.lines == 0) return through;
  // Few lines: the last workgroups are alone, and a device that is not full takes as long as one of them.
  const double all = static_cast<double>(ceil_of(work.lines, plan.lines)), turns = std::ceil(all / kProcessors);
  const double alone = instructions * std::max(2.0, threads / kLanes) + 250.0 * static_cast<double>(plan.stages.size());
  const double full = turns * instructions * threads * slow / kLanes;
  const double time = std::max(full, alone * std::ceil(all / (kProcessors * groups)));
  return std::max(through, time * kLanes * kProcessors / static_cast<double>(work.lines * plan.row));
}

// All ways to write the length as a product of factors, the largest first.
void factors_of(int64_t n, int64_t most, std::vector<int64_t>& factors, std::vector<std::vector<int64_t>>& all) {
  if (n == 1) {
    all.push_back(factors);
    return;
  }
  if (factors.size() == kMostSteps) return;
  for (int64_t radix = std::min(n, most); radix > 1; --radix) {
    if (n % radix || !is_radix(static_cast<int>(radix))) continue;
    factors.push_back(radix);
    factors_of(n / radix, radix, factors, all);
    factors.pop_back();
  }
}

// The steps over a line; those of a convolution end with the transform back, whose first step takes the numbers that
// the last step there leaves.
void add_steps(const std::vector<int64_t>& factors, bool across, FftPlan& plan) {
  int64_t done = 1;
  for (const int64_t radix : factors) {
    plan.stages.push_back({FftUnit::kStep, radix, done, plan.n / radix, across});
    done *= radix;
  }
}

void add_stages(const FftWork& work, const std::vector<int64_t>& factors, FftPlan& plan) {
  const int64_t n = work.n;
  const bool several = plan.lines > 1;
  const bool load_across = work.load_across && several, store_across = work.store_across && several;
  const auto other = [&](bool pairs, bool across) {
    const FftUnit unit = pairs ? FftUnit::kPair : FftUnit::kNumber;
    plan.stages.push_back({unit, 1, 1, pairs ? n / 2 + 1 : n, across});
  };
  const auto runs_short = [&](int64_t radix, bool across) {
    return several && !across && plan.n / radix < kRun && radix > 1;
  };
  const bool loads = work.load_pairs || runs_short(factors.front(), load_across) ||
                     (factors.size() == 1 && load_across != store_across);
  if (loads) other(work.load_pairs, load_across);
  const size_t first = plan.stages.size();
  add_steps(factors, load_across && store_across, plan);
  if (work.padded > 0) {
    plan.middle = plan.stages.size();
    add_steps({factors.rbegin(), factors.rend()}, load_across && store_across, plan);
  }
  if (!loads && load_across) plan.stages[first].across = true;
  if (store_across) plan.stages.back().across = true;
  if (work.store_pairs || runs_short(work.padded > 0 ? factors.front() : factors.back(), store_across))
    other(work.store_pairs, store_across);
}

constexpr int64_t kThreads[] = {32, 64, 96, 128, 160, 192, 224, 256, 320, 384, 448, 512, 640, 768, 896, 1024};
constexpr int64_t kLines[] = {1,  2,  3,  4,  5,  6,  7,  8,   10,  12,  14,  16,  20,  24, 28,
                              32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 256, 384, 512};

}  // namespace

int64_t FftPlan::tile_numbers() const {
  int64_t most = 0;
  for (const FftTile& t : tiles) most = std::max(most, t.line * lines);
  return most;
}

namespace {

// Offers a plan with these factors, lines and accesses of shared memory for every number of invocations.
void offer(const FftWork& work, const std::vector<int64_t>& factors, FftPlan plan, std::optional<FftPlan>& best) {
  add_stages(work, factors, plan);
  std::vector<double> units;
  // A convolution's first and last steps turn numbers by roots of their own.
  for (size_t i = 0; i < plan.stages.size(); ++i)
    units.push_back((plan.middle > 0 && (i == 0 || i + 1 == plan.stages.size())
                         ? 0.5 * (kRoot + 16) * static_cast<double>(plan.stages[i].width())
                         : 0) +
                    unit_work(work, plan.stages[i], i == 0, i + 1 == plan.stages.size(), plan.halves));
  const int64_t numbers = plan.lines * plan.n;
  for (const int64_t threads : kThreads) {
    if (threads > work.most_threads) break;
    if (numbers > kMostNumbers * threads || 2 * numbers < threads) continue;
    plan.threads = threads;
    plan.cost = cost_of(work, plan, units);
    if (plan.cost > 0 && (!best || plan.cost < best->cost)) best = plan;
  }
}

}  // namespace

std::optional<FftPlan> plan_fft(const FftWork& work) {
  std::vector<std::vector<int64_t>> all;
  std::vector<int64_t> factors;
  const int64_t n = std::max(work.n, work.padded);
  factors_of(n, kMostPrime, factors, all);
  if (n == 1) all = {{1}};
  size_t fewest = kMostSteps;
  for (const std::vector<int64_t>& list : all) fewest = std::min(fewest, list.size());
  std::optional<FftPlan> best;
  for (const std::vector<int64_t>& list : all)
    for (const bool halves : {false, true})
      for (const int64_t lines : kLines) {
        if (list.size() > fewest + 1 || lines * n * (halves ? 4 : 8) > work.most_bytes) break;
        FftPlan plan{n, 32, lines, halves};
        plan.row = work.n;
        offer(work, list, std::move(plan), best);
      }
  return best;
}

std::optional<FftPlan> plan_convolution(FftWork work) {
  std::optional<FftPlan> best;
  const int64_t least = 2 * work.n - 1;
  int64_t tried = 0;
  for (int64_t n = least; n <= least + least / 4 + 4 && tried < kMostPadded; ++n) {
    int64_t rest = n;
    for (const int64_t p : {2, 3, 5, 7})
      while (rest % p == 0) rest /= p;
    if (rest != 1) continue;
    ++tried, work.padded = n;
    auto plan = plan_fft(work);
    if (plan && (!best || plan->cost < best->cost)) best = std::move(plan);
  }
  return best;
}

void lay_out(FftPlan& plan, int64_t most_bytes) {
  const int64_t most = most_bytes / (plan.halves ? 4 : 8);
  for (size_t i = 0; i + 1 < plan.stages.size(); ++i)
    if (i + 1 == plan.middle)
      plan.tiles.emplace_back();  // numbers stay where they are
    else
      plan.tiles.push_back(tile_between(plan, plan.stages[i], plan.stages[i + 1], most));
}

}  // namespace frit::codegen::glsl
