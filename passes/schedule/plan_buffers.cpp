// plan_buffers: gives every temporary a place in the workspace, and finds inputs whose memory an output may take over.
//
// The rows of row streams (ir/kernel/row_stream.h) get none, and neither does a temporary that a result is computed
// from place by place: it is that result (passes/schedule/in_place.h). Temporaries of fixed sizes lie side by side in
// slots, or in the memory of an output before it is written. Where a size is open, each temporary has a slot of its
// own, and a call places the slots by their sizes (runtime/execute/slot_places.h). In native files and on a GPU, open
// sizes share a slot if their live ranges do not overlap and the slot is provably as large, or the larger of sizes that
// only a call can compare. Unused temporaries are dropped.
#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_map>

#include "ir/kernel/program_loops.h"
#include "ir/kernel/row_stream.h"
#include "passes/manager/pass.h"
#include "passes/schedule/free_early.h"
#include "passes/schedule/in_place.h"
#include "passes/schedule/repeat_launches.h"

namespace frit::passes {
namespace {

using namespace ir;

// Temporaries in a slot begin at multiples of it, as slots themselves do (kAlign in runtime/execute and
// runtime/vulkan).
constexpr int64_t kPiece = 64, kDevicePiece = 256;

// Temporaries that a call places, at most: the time grows with the square of their number.
constexpr size_t kMostApart = 2048;

using Life = BufferLife;

// A place in a slot of the workspace, or in the memory of an output that is written later: a host.
struct Place {
  uint32_t slot;
  int64_t at;  // its first byte there
};

// The slots of the workspace so far, behind the hosts.
class Slots {
 public:
  // `piece`: places begin at multiples of it; 0 where each temporary begins at its slot's first byte. `apart`: each
  // temporary has a slot of its own, or lies in an output.
  Slots(const DimFacts& facts, int64_t piece, bool apart) : facts_(facts), piece_(piece), apart_(apart) {}

  // An output, whose memory is free before the step `first`.
  void add_host(const Dim& bytes, size_t first) {
    open(bytes).held.push_back({first, ~size_t{0}, 0, kWhole});
    ++hosts_;
  }

  // A place for a temporary: a slot of just this size that is free, the smallest gap that fits, or a new slot. Some
  // need a place in the workspace itself.
  Place take(const Dim& bytes, const Life& life, bool in_workspace) {
    const Place place = find(bytes, life, in_workspace ? hosts_ : 0);
    const int64_t end = piece_ && bytes.is_const() ? place.at + bytes.value() : kWhole;
    slots_[place.slot].held.push_back({life.first, life.last, place.at, end});
    return place;
  }

  // Open sizes that nobody can compare have slots of their own. Two that are never in use together become one of the
  // larger size, which is less than both, whatever it is. Gives the new number of each slot.
  std::vector<uint32_t> join() {
    std::vector<uint32_t> number;
    std::vector<Slot> kept;
    for (Slot& s : slots_) {
      const bool is_host = number.size() < hosts_;
      const size_t most = is_host || apart_ || s.bytes.is_const() ? 0 : std::min(kept.size() - hosts_, kMostJoined);
      size_t to = kept.size() - most;
      while (to < kept.size() && (kept[to].members == kMostMembers || !kept[to].is_free_for(s))) ++to;
      number.push_back(static_cast<uint32_t>(to));
      if (to == kept.size()) {
        kept.push_back(std::move(s));
      } else {
        kept[to].bytes = facts_.simplify(max(kept[to].bytes, s.bytes));
        kept[to].held.insert(kept[to].held.end(), s.held.begin(), s.held.end());
        ++kept[to].members;
      }
    }
    slots_ = std::move(kept);
    return number;
  }

  std::vector<Dim> sizes() const {
    std::vector<Dim> all;
    for (size_t s = hosts_; s < slots_.size(); ++s) all.push_back(slots_[s].bytes);
    return all;
  }

 private:
  static constexpr int64_t kWhole = std::numeric_limits<int64_t>::max();
  // Each comparison of open sizes is a proof: so many for a temporary at most. And so many slots are looked at, of
  // larger ones the latest, which are the smallest where sizes are fixed, and so many temporaries in them.
  static constexpr int kMostProofs = 32;
  static constexpr size_t kMostSlots = 1024, kMostHeld = 1 << 14;
  // Slots that an open one is compared with for joining, and slots that become one: their maximum is computed at each
  // call.
  static constexpr size_t kMostJoined = 64, kMostMembers = 4;

  // A temporary: the first and the last step, the first byte and the end.
  struct Held {
    size_t first, last;
    int64_t at, end;
    bool meets(const Life& life) const { return first <= life.last && life.first <= last; }
  };
  struct Slot {
    Dim bytes;
    std::vector<Held> held;
    size_t members = 1;

    bool is_free(const Life& life) const {
      return std::none_of(held.begin(), held.end(), [&](const Held& h) { return h.meets(life); });
    }
    bool is_free_for(const Slot& other) const {
      return std::all_of(other.held.begin(), other.held.end(),
                         [&](const Held& h) { return is_free({.first = h.first, .last = h.last}); });
    }
  };

  Slot& open(const Dim& bytes) {
    of_size_[hash_of(bytes)].push_back(static_cast<uint32_t>(slots_.size()));
    return slots_.emplace_back(Slot{bytes, {}});
  }
  static uint64_t hash_of(const Dim& bytes) {
    Hasher hasher;
    bytes.hash_into(hasher);
    return hasher.finish().low;
  }

  Place find(const Dim& bytes, const Life& life, size_t from) {
    const size_t end = apart_ ? hosts_ : slots_.size();
    const std::vector<uint32_t>& same = of_size_[hash_of(bytes)];
    for (size_t i = 0; i < std::min(same.size(), kMostSlots) && same[i] < end; ++i)
      if (const Slot& s = slots_[same[i]]; same[i] >= from && s.bytes == bytes && s.is_free(life)) return {same[i], 0};
    if (piece_ && bytes.is_const()) {
      // The memory of outputs costs nothing.
      if (const auto place = gap(bytes.value(), life, from, hosts_)) return *place;
      if (const auto place = gap(bytes.value(), life, hosts_, end)) return *place;
    } else if (const uint32_t s = larger(bytes, life, from, end); s != kNone) {
      return {s, 0};
    }
    open(bytes);
    return {static_cast<uint32_t>(slots_.size() - 1), 0};
  }

  uint32_t larger(const Dim& bytes, const Life& life, size_t from, size_t end) const {
    uint32_t best = kNone;
    int proofs = 0;
    const size_t first = std::max(from, end - std::min(end, kMostSlots));
    for (size_t s = first; s < end && proofs < kMostProofs; ++s) {
      if (!slots_[s].is_free(life)) continue;
      if (!bytes.is_const() || !slots_[s].bytes.is_const()) ++proofs;
      if (facts_.less_equal(bytes, slots_[s].bytes) != Tri::Yes) continue;
      if (best == kNone || facts_.less_equal(slots_[best].bytes, slots_[s].bytes) == Tri::No)
        best = static_cast<uint32_t>(s);
    }
    return best;
  }

  // The smallest gap that `bytes` fit into, between what the slots [first, last) of fixed sizes hold meanwhile.
  std::optional<Place> gap(int64_t bytes, const Life& life, size_t first, size_t last) const {
    std::optional<Place> best;
    int64_t least = kWhole;
    size_t looked_at = 0;
    bytes = std::max<int64_t>(bytes, 1);
    for (size_t s = std::max(first, last - std::min(last, kMostSlots)); s < last && looked_at < kMostHeld; ++s) {
      const Slot& slot = slots_[s];
      if (!slot.bytes.is_const() || slot.bytes.value() < bytes) continue;
      looked_at += slot.held.size() + 1;
      std::vector<std::pair<int64_t, int64_t>> taken;
      for (const Held& h : slot.held)
        if (h.meets(life)) taken.emplace_back(h.at, h.end);
      std::sort(taken.begin(), taken.end());
      taken.emplace_back(slot.bytes.value(), kWhole);
      int64_t at = 0;
      for (const auto& [begin, end] : taken) {
        if (begin - at >= bytes && begin - at < least) {
          least = begin - at;
          best = {static_cast<uint32_t>(s), at};
        }
        if (end == kWhole) break;
        at = std::max(at, (end + piece_ - 1) / piece_ * piece_);
      }
    }
    return best;
  }

  const DimFacts& facts_;
  const int64_t piece_;
  const bool apart_;
  std::vector<Slot> slots_;
  size_t hosts_ = 0;
  std::unordered_map<uint64_t, std::vector<uint32_t>> of_size_;  // by the hash of their size
};

Dim bytes_of(const ProgramBuffer& b) { return b.size * Dim(int64_t{b.dtype.size()}); }

// The outputs whose memory is free until they are written: those that take no input's. Large ones come first.
std::vector<uint32_t> hosts_of(const Program& p, const std::vector<Life>& life) {
  std::vector<uint32_t> hosts;
  for (uint32_t b = 0; b < p.buffers.size(); ++b)
    if (p.buffers[b].role == BufferRole::Output && p.buffers[b].donor == kNone && life[b].used) hosts.push_back(b);
  return hosts;
}

// Large temporaries take their places first, and smaller ones the gaps between them. Open sizes have no such order:
// they follow, in the order of their lives, and share slots where one provably fits into another.
void assign_slots(Program& p, const std::vector<Life>& life, const DimFacts& facts, const TargetTraits& target) {
  std::vector<uint32_t> temps;
  std::vector<bool> streamed(p.buffers.size(), false), swapped(p.buffers.size(), false);
  for (const RowStream& stream : row_streams(p))
    for (uint32_t b : stream.rows) streamed[b] = true;
  for (const Step& step : p.steps)
    if (const auto* control = std::get_if<ControlStep>(&step))
      for (const auto& [a, b] : control->swaps) swapped[a] = swapped[b] = true;
  for (uint32_t b = 0; b < p.buffers.size(); ++b)
    if (p.buffers[b].role == BufferRole::Temp && life[b].used && !streamed[b]) temps.push_back(b);
  std::stable_sort(temps.begin(), temps.end(), [&](uint32_t a, uint32_t b) {
    const Dim x = bytes_of(p.buffers[a]), y = bytes_of(p.buffers[b]);
    if (x.is_const() != y.is_const()) return x.is_const();
    if (x.is_const() && x.value() != y.value()) return x.value() > y.value();
    return life[a].first < life[b].first;
  });
  // Emitted C may have an array for each slot, and no temporary in the caller's memory. Devices bind their memory in
  // larger pieces.
  const auto is_open = [&](uint32_t b) { return !p.buffers[b].size.is_const(); };
  const bool apart = !target.dense_results && !target.grid && temps.size() <= kMostApart &&
                     std::any_of(temps.begin(), temps.end(), is_open);
  Slots slots(facts, target.dense_results ? 0 : target.grid ? kDevicePiece : kPiece, apart);
  std::vector<uint32_t> hosts;
  if (!target.dense_results && !target.grid) hosts = hosts_of(p, life);
  const std::vector<size_t> begin = before_loops(p);
  for (uint32_t b : hosts) slots.add_host(bytes_of(p.buffers[b]), begin[life[b].first]);
  for (uint32_t b : temps) {
    const Place place = slots.take(bytes_of(p.buffers[b]), life[b], swapped[b]);
    p.buffers[b].slot = place.slot;
    p.buffers[b].at = place.at;
  }
  const std::vector<uint32_t> joined = slots.join();
  for (uint32_t b : temps) {
    const uint32_t slot = joined[p.buffers[b].slot];
    p.buffers[b].slot = slot < hosts.size() ? kNone : slot - static_cast<uint32_t>(hosts.size());
    if (slot < hosts.size()) p.buffers[b].whole = hosts[slot];
  }
  p.slots = slots.sizes();
}

// Drops temporaries that no step touches because their computation vanished, so that every remaining one has a slot.
void drop_unused(Program& p) {
  std::vector<Life> life = buffer_lives(p);
  for (const Window& w : p.results) life[w.buffer].used = true;
  std::vector<uint32_t> number(p.buffers.size(), kNone);
  std::vector<ProgramBuffer> kept;
  for (uint32_t b = 0; b < p.buffers.size(); ++b) {
    const BufferRole role = p.buffers[b].role;
    if ((role == BufferRole::Temp || role == BufferRole::Part) && !life[b].used) continue;
    number[b] = static_cast<uint32_t>(kept.size());
    kept.push_back(std::move(p.buffers[b]));
  }
  p.buffers = std::move(kept);
  for (ProgramBuffer& b : p.buffers)
    if (b.whole != kNone) b.whole = number[b.whole];
  for (Step& step : p.steps) each_buffer(step, [&](uint32_t& b) { b = number[b]; });
  for (Window& w : p.results) w.buffer = number[w.buffer];
}

bool planned(const Program& p) {
  return !p.slots.empty() ||
         std::any_of(p.buffers.begin(), p.buffers.end(), [](const ProgramBuffer& b) { return b.donor != kNone; });
}

Result<bool> run_plan_buffers(Function& f, PassContext& context) {
  Program& p = *f.program;
  if (planned(p)) return false;
  const size_t buffers = p.buffers.size();
  // Emitted C has no two names for one memory, and a device binds a buffer once.
  if (!context.target.dense_results && !context.target.grid) {
    free_early(p, donors_of(p, true));
    repeat_cheap_launches(p);
    put_temps_in_results(p, donors_of(p, true));
  }
  drop_unused(p);
  std::vector<Life> life = buffer_lives(p);
  // A result in the caller's own memory takes over no other memory.
  if (!context.target.dense_results) {
    const std::vector<uint32_t> donors = donors_of(p, !context.target.grid);
    for (size_t b = 0; b < p.buffers.size(); ++b) p.buffers[b].donor = donors[b];
  }
  assign_slots(p, life, f.facts, context.target);
  if (!p.slots.empty()) {
    std::string sizes;
    for (const Dim& s : p.slots) sizes += (sizes.empty() ? "" : ", ") + s.str();
    context.remark(f, "workspace: " + sizes + " bytes");
  }
  return planned(p) || p.buffers.size() != buffers;
}

const RegisterPass plan_buffers_pass{
    {"plan_buffers", "shares workspace slots between temporaries and finds inputs that an output may overwrite",
     Level::Legal, Level::Planned, Level::Planned, run_plan_buffers}};

}  // namespace
}  // namespace frit::passes
