// Lives of temporaries from the steps of a plan, and places by the sizes of a call.
#include "runtime/execute/slot_places.h"

#include <algorithm>
#include <utility>

#include "runtime/execute/prepared_plan.h"
#include "runtime/memory/place_blocks.h"
#include "runtime/memory/round_up.h"

namespace frit::runtime {

namespace {

// Sizes of calls that are remembered, and slots that are placed: the time grows with the square of their number.
constexpr size_t kMostKnown = 8, kMostSlots = 2048;

// Calls visit(buffer) for each buffer that a group of steps uses.
template <class Visit>
void each_buffer(const PreparedPlan::Step& step, Visit&& visit) {
  const auto kernel = [&](const Kernel& k) {
    for (uint32_t b : k.plan->buffers) visit(b);
  };
  if (const auto* kernels = std::get_if<std::vector<Kernel>>(&step)) {
    for (const Kernel& k : *kernels) kernel(k);
  } else if (const auto* library = std::get_if<Library>(&step)) {
    for (const Window& w : library->operands) visit(w.buffer);
    for (const Window& w : library->results) visit(w.buffer);
    if (library->epilogue) kernel(*library->epilogue);
    for (const Kernel& k : library->between) kernel(k);
    if (library->plan->workspace != ~0u) visit(library->plan->workspace);
  } else {
    const ControlPlan& plan = *std::get<Control>(step).plan;
    if (plan.flag != ~0u) visit(plan.flag);
    for (const auto& [a, b] : plan.swaps) visit(a), visit(b);
  }
}

// The buffer that a Part lies in.
uint32_t root_of(const PreparedPlan& plan, uint32_t buffer) {
  while (plan.buffers()[buffer].role == BufferPlan::Role::Part) buffer = plan.plan().buffers[buffer].whole;
  return buffer;
}

bool is_in_slot(const PreparedPlan::Memory& b) { return b.role == BufferPlan::Role::Temp && b.whole == ~0u; }

}  // namespace

bool SlotPlaces::Life::join(const Life& other) {
  if (!other.used() || (first <= other.first && other.last <= last)) return false;
  use(other.first);
  use(other.last);
  return true;
}

void SlotPlaces::prepare(const PreparedPlan& plan, size_t align) {
  const std::vector<Value>& slots = plan.slots();
  align_ = align;
  groups_ = plan.steps().size();
  if (slots.empty() || slots.size() > kMostSlots) return;
  bool is_const = true;
  size_t bytes = 0;
  std::vector<size_t> sizes;
  for (const Value& v : slots) {
    is_const = is_const && v.is_const();
    sizes.push_back(v.is_const() && v.get(nullptr) > 0 ? static_cast<size_t>(v.get(nullptr)) : 0);
    bytes = std::min(bytes + sizes.back(), static_cast<size_t>(kMostBytes));
  }
  if (is_const && bytes < kLeastLent) return;
  collect(plan);
  if (!is_const) {
    open_ = any_apart();
    return;
  }
  auto all = std::make_shared<Placed>(Placed{.sizes = std::move(sizes), .starts = {0}});
  for (size_t size : all->sizes) all->starts.push_back(all->starts.back() + round_up(size, align_));
  add_idle(*all);
  known_.push_back(std::move(all));
  fixed_.store(known_.back().get(), std::memory_order_release);
}

// Whether two slots are never in use together.
bool SlotPlaces::any_apart() const {
  for (size_t a = 0; a < lives_.size(); ++a)
    for (size_t b = 0; b < a; ++b)
      if (!lives_[a].meets(lives_[b])) return true;
  return false;
}

void SlotPlaces::collect(const PreparedPlan& plan) {
  buffers_ = plan.buffers().size();
  std::vector<uint32_t> number(buffers_, ~0u);
  for (uint32_t b = 0; b < number.size(); ++b) {
    const PreparedPlan::Memory& m = plan.buffers()[b];
    if (!is_in_slot(m) || m.index >= plan.slots().size()) continue;
    number[b] = static_cast<uint32_t>(temps_.size());
    const Value &bytes = m.bytes, &slot = plan.slots()[m.index];
    const bool known = bytes.is_const() && slot.is_const();
    temps_.push_back({b, m.index, known ? m.at : 0, known ? static_cast<size_t>(bytes.get(nullptr)) : ~size_t{0}, {}});
  }
  std::vector<std::vector<uint32_t>> uses(groups_);
  for (size_t at = 0; at < groups_; ++at)
    each_buffer(plan.steps()[at], [&](uint32_t buffer) {
      const uint32_t temp = number[root_of(plan, buffer)];
      if (temp == ~0u) return;
      uses[at].push_back(temp);
      temps_[temp].life.use(at);
    });
  extend_over_loops(plan, uses, number);
  lives_.resize(plan.slots().size());
  for (const Temp& t : temps_) lives_[t.slot].join(t.life);
}

// Temporaries that a loop exchanges are needed as long as each other, and those that are used inside of a loop and
// outside of it during all of the loop.
void SlotPlaces::extend_over_loops(const PreparedPlan& plan, const std::vector<std::vector<uint32_t>>& uses,
                                   const std::vector<uint32_t>& number) {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t end = 0; end < groups_; ++end) {
      const auto* control = std::get_if<Control>(&plan.steps()[end]);
      if (!control || control->plan->kind != ControlPlan::Kind::End) continue;
      for (const auto& [x, y] : control->plan->swaps) {
        const uint32_t a = number[root_of(plan, x)], b = number[root_of(plan, y)];
        if (a == ~0u || b == ~0u) continue;
        changed |= temps_[a].life.join(temps_[b].life);
        changed |= temps_[b].life.join(temps_[a].life);
      }
      const size_t begin = control->other;
      if (begin >= end) continue;
      const Life loop{begin, end};
      for (size_t at = begin; at <= end; ++at)
        for (uint32_t t : uses[at])
          if (Life& life = temps_[t].life; life.first < begin || life.last > end) changed |= life.join(loop);
    }
  }
}

std::shared_ptr<const SlotPlaces::Placed> SlotPlaces::placed(const size_t* sizes) const {
  const size_t n = lives_.size();
  auto all = std::make_shared<Placed>(Placed{.sizes = {sizes, sizes + n}, .starts = std::vector<size_t>(n + 1, 0)});
  std::vector<TimedBlock> slots;
  for (size_t s = 0; s < n; ++s) slots.push_back({sizes[s], lives_[s].first, lives_[s].last});
  all->starts[n] = place_blocks(slots, align_);
  for (size_t s = 0; s < n; ++s) all->starts[s] = slots[s].at;
  add_idle(*all);
  return all;
}

std::shared_ptr<SlotPlaces::Placed> SlotPlaces::placed_around(const Placed& used, std::vector<size_t> wanted) const {
  std::vector<TimedBlock> items;
  for (const Temp& t : temps_) items.push_back({std::min(t.bytes, used.sizes[t.slot]), t.life.first, t.life.last});
  for (size_t group = 0; group < wanted.size(); ++group) items.push_back({wanted[group], group, group});
  auto all = std::make_shared<Placed>(Placed{.sizes = used.sizes, .starts = used.starts});
  all->starts.back() = place_blocks(items, align_);
  all->at.resize(buffers_, 0);
  for (size_t t = 0; t < temps_.size(); ++t) all->at[temps_[t].buffer] = items[t].at;
  all->wanted = std::move(wanted);
  add_idle(*all);
  return all;
}

void SlotPlaces::learn(const Placed& used, const std::vector<Wanted>& wanted) const {
  const std::lock_guard lock(mutex_);
  const auto known = std::find_if(known_.begin(), known_.end(), [&](const auto& k) { return k.get() == &used; });
  if (known == known_.end() || (!open_ && (known + 1 != known_.end() || known_.size() == kMostKnown))) return;
  std::vector<size_t> most = used.wanted;
  most.resize(groups_, 0);
  size_t missed = 0;
  bool more = false;
  for (const Wanted& w : wanted) {
    more = more || w.most > most[w.group];
    most[w.group] = std::max(most[w.group], w.most);
    missed = std::max(missed, w.missed);
  }
  if (!more) return;
  std::shared_ptr<Placed> fresh = placed_around(used, most);
  if (fresh->starts.back() >= used.starts.back() + missed) {
    fresh = std::make_shared<Placed>(used);
    fresh->wanted = std::move(most);
  }
  if (open_) {
    *known = std::move(fresh);
  } else {
    known_.push_back(std::move(fresh));
    fixed_.store(known_.back().get(), std::memory_order_release);
  }
}

// The gaps between the temporaries that a group needs.
void SlotPlaces::add_idle(Placed& placed) const {
  const size_t total = placed.starts.back();
  if (total < kLeastLent) return;
  std::vector<std::vector<ScratchRange>> idle(groups_);
  for (size_t group = 0; group < groups_; ++group) {
    std::vector<ScratchRange> taken;
    for (const Temp& t : temps_) {
      if (!t.life.used() || t.life.first > group || t.life.last < group) continue;
      const size_t begin = placed.at.empty() ? placed.starts[t.slot] + t.at : placed.at[t.buffer];
      const size_t bytes = std::min(t.bytes, placed.sizes[t.slot]);
      taken.push_back({begin, round_up(begin + bytes, align_)});
    }
    std::sort(taken.begin(), taken.end(),
              [](const ScratchRange& a, const ScratchRange& b) { return a.begin < b.begin; });
    taken.push_back({total, total});
    size_t at = 0;
    for (const ScratchRange& t : taken) {
      if (t.begin >= at && t.begin - at >= kLeastLent) idle[group].push_back({at, t.begin});
      at = std::max(at, t.end);
    }
  }
  placed.idle = std::move(idle);
}

std::shared_ptr<const SlotPlaces::Placed> SlotPlaces::find(const size_t* sizes) const {
  const std::lock_guard lock(mutex_);
  for (const auto& known : known_)
    if (std::equal(known->sizes.begin(), known->sizes.end(), sizes)) return known;
  std::shared_ptr<const Placed> fresh = placed(sizes);
  if (known_.size() < kMostKnown) {
    known_.push_back(fresh);
  } else {
    known_[next_] = fresh;
    next_ = (next_ + 1) % kMostKnown;
  }
  return fresh;
}

}  // namespace frit::runtime
