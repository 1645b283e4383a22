// plan_buffers: gives every temporary a slot of the workspace, and finds inputs whose memory an output may take over.
//
// The rows of row streams (ir/kernel/row_stream.h) get none, and neither does a temporary that an output is computed
// from place by place: it lies in the output's memory. Other temporaries share a slot if their live ranges do not
// overlap and the slot is provably as large, or the larger of sizes that only a call can compare. Unused temporaries
// are dropped.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "ir/kernel/row_stream.h"
#include "passes/manager/pass.h"
#include "passes/schedule/body_work.h"

namespace frit::passes {
namespace {

using namespace ir;

using Life = BufferLife;

// The slots of the workspace so far.
class Slots {
 public:
  explicit Slots(const DimFacts& facts) : facts_(facts) {}

  // A slot for a temporary: a free one of just this size, or the smallest one that fits, or a new one.
  uint32_t take(const Dim& bytes, const Life& life) {
    const uint32_t s = find(bytes, life);
    slots_[s].lives.emplace(life.first, life.last);
    return s;
  }

  // Open sizes that nobody can compare have slots of their own. Two that are never in use together become one of the
  // larger size, which is less than both, whatever it is. Gives the new number of each slot.
  std::vector<uint32_t> join() {
    std::vector<uint32_t> number;
    std::vector<Slot> kept;
    for (Slot& s : slots_) {
      const size_t open = s.bytes.is_const() ? 0 : std::min(kept.size(), kMostJoined);
      size_t to = kept.size() - open;
      while (to < kept.size() && (kept[to].members == kMostMembers || !kept[to].is_free_for(s))) ++to;
      number.push_back(static_cast<uint32_t>(to));
      if (to == kept.size()) {
        kept.push_back(std::move(s));
      } else {
        kept[to].bytes = facts_.simplify(max(kept[to].bytes, s.bytes));
        kept[to].lives.merge(s.lives);
        ++kept[to].members;
      }
    }
    slots_ = std::move(kept);
    return number;
  }

  std::vector<Dim> sizes() const {
    std::vector<Dim> all;
    for (const Slot& s : slots_) all.push_back(s.bytes);
    return all;
  }

 private:
  // Each comparison of open sizes is a proof: so many for a temporary at most. And so many slots are looked at:
  // of larger ones the latest, which are the smallest where sizes are fixed.
  static constexpr int kMostProofs = 32;
  static constexpr size_t kMostSlots = 1024;
  // Slots that an open one is compared with for joining, and slots that become one: their maximum is computed at each
  // call.
  static constexpr size_t kMostJoined = 64, kMostMembers = 4;

  struct Slot {
    Dim bytes;
    std::map<size_t, size_t> lives;  // of its temporaries, which do not overlap: the first and the last step
    size_t members = 1;

    bool is_free(const Life& life) const {
      const auto behind = lives.upper_bound(life.last);
      return behind == lives.begin() || std::prev(behind)->second < life.first;
    }
    bool is_free_for(const Slot& other) const {
      return std::all_of(other.lives.begin(), other.lives.end(),
                         [&](const auto& life) { return is_free({.first = life.first, .last = life.second}); });
    }
  };

  uint32_t find(const Dim& bytes, const Life& life) {
    Hasher hasher;
    bytes.hash_into(hasher);
    std::vector<uint32_t>& same = of_size_[hasher.finish().low];
    for (size_t i = 0; i < std::min(same.size(), kMostSlots); ++i)
      if (const Slot& s = slots_[same[i]]; s.bytes == bytes && s.is_free(life)) return same[i];
    if (const uint32_t s = larger(bytes, life); s != kNone) return s;
    same.push_back(static_cast<uint32_t>(slots_.size()));
    slots_.push_back({bytes, {}});
    return same.back();
  }

  uint32_t larger(const Dim& bytes, const Life& life) const {
    uint32_t best = kNone;
    int proofs = 0;
    const size_t first = slots_.size() - std::min(slots_.size(), kMostSlots);
    for (size_t s = first; s < slots_.size() && proofs < kMostProofs; ++s) {
      if (!slots_[s].is_free(life)) continue;
      if (!bytes.is_const() || !slots_[s].bytes.is_const()) ++proofs;
      if (facts_.less_equal(bytes, slots_[s].bytes) != Tri::Yes) continue;
      if (best == kNone || facts_.less_equal(slots_[best].bytes, slots_[s].bytes) == Tri::No)
        best = static_cast<uint32_t>(s);
    }
    return best;
  }

  const DimFacts& facts_;
  std::vector<Slot> slots_;
  std::unordered_map<uint64_t, std::vector<uint32_t>> of_size_;  // by the hash of their size
};

// Large temporaries take their slots first, and smaller ones the gaps in them. Open sizes have no such order: they
// follow, in the order of their lives, and share slots where one provably fits into another.
void assign_slots(Program& p, const std::vector<Life>& life, const DimFacts& facts) {
  std::vector<uint32_t> temps;
  std::vector<bool> streamed(p.buffers.size(), false);
  for (const RowStream& stream : row_streams(p))
    for (uint32_t b : stream.rows) streamed[b] = true;
  for (uint32_t b = 0; b < p.buffers.size(); ++b)
    if (p.buffers[b].role == BufferRole::Temp && life[b].used && !streamed[b]) temps.push_back(b);
  const auto bytes_of = [&](uint32_t b) { return p.buffers[b].size * Dim(int64_t{p.buffers[b].dtype.size()}); };
  std::stable_sort(temps.begin(), temps.end(), [&](uint32_t a, uint32_t b) {
    const Dim x = bytes_of(a), y = bytes_of(b);
    if (x.is_const() != y.is_const()) return x.is_const();
    if (x.is_const() && x.value() != y.value()) return x.value() > y.value();
    return life[a].first < life[b].first;
  });
  Slots slots(facts);
  for (uint32_t b : temps) p.buffers[b].slot = slots.take(bytes_of(b), life[b]);
  const std::vector<uint32_t> joined = slots.join();
  for (uint32_t b : temps) p.buffers[b].slot = joined[p.buffers[b].slot];
  p.slots = slots.sizes();
}

size_t count_stores(const Body& body, uint32_t buffer) {
  size_t count = 0;
  for (const Instr& i : body) {
    if (const auto* s = std::get_if<StoreInstr>(&i.node)) count += s->buffer == buffer;
    if (const auto* loop = std::get_if<Loop>(&i.node)) count += count_stores(loop->body, buffer);
  }
  return count;
}

bool writes(const Body& body, uint32_t buffer) {
  return std::any_of(body.begin(), body.end(), [&](const Instr& i) {
    if (const auto* s = std::get_if<StoreInstr>(&i.node)) return s->buffer == buffer;
    const auto* loop = std::get_if<Loop>(&i.node);
    return loop && writes(loop->body, buffer);
  });
}

// Code finds the place of an extreme by running the body again on the block that has it.
bool runs_twice(const Loop& loop) {
  return std::any_of(loop.accumulators.begin(), loop.accumulators.end(), finds_position);
}

// Whether kernel buffer `in` is read only at the positions where `out` is written, before the write, in the same
// iterations.
bool same_positions(const Body& body, uint32_t in, uint32_t out, bool& any) {
  const Dim* written = nullptr;
  for (size_t i = body.size(); i-- > 0;) {
    if (auto* s = std::get_if<StoreInstr>(&body[i].node)) {
      if (s->buffer == out) {
        if (written) return false;
        written = &s->index;
      }
    } else if (auto* l = std::get_if<LoadInstr>(&body[i].node)) {
      if (l->buffer != in) continue;
      // The store must follow in the same body, at the same index.
      if (!written || !(*written == l->index)) return false;
      any = true;
    } else if (auto* loop = std::get_if<Loop>(&body[i].node)) {
      if (written) return false;
      if (runs_twice(*loop) && writes(loop->body, out)) return false;
      if (!same_positions(loop->body, in, out, any)) return false;
    }
  }
  return true;
}

// Whether the kernel, launched with `buffers`, may write buffer `out` over the memory of buffer `in`. A launch may bind
// a buffer more than once.
bool may_replace(const Kernel& k, const std::vector<uint32_t>& buffers, uint32_t in, uint32_t out) {
  const auto written = static_cast<uint32_t>(std::find(buffers.begin(), buffers.end(), out) - buffers.begin());
  // The input may be read after the first of several stores.
  if (count_stores(k.body, written) > 1) return false;
  bool any = false;
  for (uint32_t i = 0; i < buffers.size(); ++i)
    if (buffers[i] == in && !same_positions(k.body, i, written, any)) return false;
  return any;
}

// For each step, whether it runs at most once.
std::vector<bool> outside_of_loops(const Program& p) {
  const std::vector<uint32_t> match = matching_steps(p);
  std::vector<bool> once(p.steps.size(), true);
  for (size_t end = 0; end < p.steps.size(); ++end) {
    const auto* control = std::get_if<ControlStep>(&p.steps[end]);
    if (control && control->kind == ControlKind::End && match[end] != kNone)
      std::fill(once.begin() + match[end], once.begin() + static_cast<std::ptrdiff_t>(end), false);
  }
  return once;
}

// Whether nothing but kernels works on the buffer in its life. A routine may refuse its operands, and then the caller's
// memory must be as it was.
bool only_kernels(Program& p, uint32_t buffer, const Life& life) {
  return std::all_of(p.steps.begin() + static_cast<std::ptrdiff_t>(life.first),
                     p.steps.begin() + static_cast<std::ptrdiff_t>(life.last) + 1, [&](Step& step) {
                       bool touches = std::holds_alternative<ControlStep>(step);
                       if (std::holds_alternative<LibraryStep>(step))
                         each_buffer(step, [&](uint32_t b) { touches = touches || p.root(b) == buffer; });
                       return !touches;
                     });
}

// The kernel that alone works on both buffers in this step: a launch, or the kernel behind a routine. Of a stream, the
// kernel may work on memory of its own.
const KernelStep* only_kernel(const Program& p, const Step& step, uint32_t a, uint32_t b) {
  if (const auto* launch = std::get_if<KernelStep>(&step)) return launch;
  const auto* library = std::get_if<LibraryStep>(&step);
  if (!library || !library->epilogue || is_marked(step)) return nullptr;
  const auto shows = [&](const Window& w) { return p.root(w.buffer) == a || p.root(w.buffer) == b; };
  if (library->workspace == a || library->workspace == b ||
      std::any_of(library->operands.begin(), library->operands.end(), shows) ||
      std::any_of(library->results.begin(), library->results.end(), shows))
    return nullptr;
  return &*library->epilogue;
}

// An output takes the memory of an input whose last reader is the first kernel that writes the output. Later kernels
// may change the output: updates of a copy go into the input itself. `behind_routines`: the kernel may be behind a
// routine, which calls it once for each row, while other rows are computed.
void find_donors(Program& p, const std::vector<Life>& life, bool behind_routines) {
  const std::vector<bool> once = outside_of_loops(p);
  std::vector<bool> kept(p.buffers.size(), false);
  for (const Window& w : p.results) kept[w.buffer] = true;
  // By the step that reads them last: the inputs whose memory may be taken.
  std::vector<std::vector<uint32_t>> inputs(p.steps.size());
  for (uint32_t in = 0; in < p.buffers.size(); ++in)
    // A result that is a window on the input must keep it whole.
    if (p.buffers[in].role == BufferRole::Input && life[in].used && !kept[in]) inputs[life[in].last].push_back(in);
  for (uint32_t out = 0; out < p.buffers.size(); ++out) {
    ProgramBuffer& o = p.buffers[out];
    if (o.role != BufferRole::Output || !life[out].used || !once[life[out].first]) continue;
    const Step& step = p.steps[life[out].first];
    const bool is_launch = std::holds_alternative<KernelStep>(step);
    if (!is_launch && !behind_routines) continue;
    Life later = life[out];
    later.first += is_launch ? 0 : 1;
    if (!only_kernels(p, out, later)) continue;
    std::vector<uint32_t>& last_read = inputs[life[out].first];
    // Other outputs of the kernel are fine: they have memory of their own.
    const auto donor = std::find_if(last_read.begin(), last_read.end(), [&](uint32_t in) {
      const ProgramBuffer& i = p.buffers[in];
      const KernelStep* kernel = only_kernel(p, step, in, out);
      return kernel && i.dtype.size() == o.dtype.size() && i.size == o.size &&
             may_replace(p.kernels[kernel->kernel], kernel->buffers, in, out);
    });
    if (donor == last_read.end()) continue;
    o.donor = *donor;
    last_read.erase(donor);
  }
}

// A temporary that the first kernel of an output reads last, each element where it writes that of the output, becomes
// the output. Kernels alone work on it: a routine may want its results apart from other memory.
void put_temps_in_outputs(Program& p) {
  const std::vector<Life> life = buffer_lives(p);
  const std::vector<bool> once = outside_of_loops(p);
  std::vector<bool> shared(p.buffers.size(), false);
  for (const RowStream& stream : row_streams(p))
    for (uint32_t b : stream.rows) shared[b] = true;
  for (const ProgramBuffer& b : p.buffers)
    if (b.whole != kNone) shared[b.whole] = true;
  std::vector<std::vector<uint32_t>> temps(p.steps.size());  // by the step that reads them last
  for (uint32_t t = 0; t < p.buffers.size(); ++t)
    if (p.buffers[t].role == BufferRole::Temp && life[t].used && !shared[t]) temps[life[t].last].push_back(t);
  std::map<uint32_t, uint32_t> moved;
  for (uint32_t out = 0; out < p.buffers.size(); ++out) {
    const ProgramBuffer& o = p.buffers[out];
    if (o.role != BufferRole::Output || !life[out].used || shared[out]) continue;
    const auto* step = std::get_if<KernelStep>(&p.steps[life[out].first]);
    if (!step) continue;
    std::vector<uint32_t>& read = temps[life[out].first];
    const auto found = std::find_if(read.begin(), read.end(), [&](uint32_t t) {
      const ProgramBuffer& b = p.buffers[t];
      return b.dtype == o.dtype && b.size == o.size && once[life[t].first] && only_kernels(p, t, life[t]) &&
             may_replace(p.kernels[step->kernel], step->buffers, t, out);
    });
    if (found == read.end()) continue;
    moved[*found] = out;
    read.erase(found);
  }
  for (Step& step : p.steps)
    each_buffer(step, [&](uint32_t& b) {
      if (const auto to = moved.find(b); to != moved.end()) b = to->second;
    });
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
  if (!context.target.dense_results && !context.target.grid) put_temps_in_outputs(p);
  drop_unused(p);
  std::vector<Life> life = buffer_lives(p);
  assign_slots(p, life, f.facts);
  // A result in the caller's own memory takes over no other memory.
  if (!context.target.dense_results) find_donors(p, life, !context.target.grid);
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
