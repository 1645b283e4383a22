// plan_buffers: gives every temporary a slot of the workspace, and finds inputs whose memory an output may take over.
//
// The rows of row streams (ir/kernel/row_stream.h) get none. Other temporaries share a slot if their live ranges do not
// overlap and the slot is provably as large. Unused temporaries are dropped.
#include <algorithm>

#include "ir/kernel/row_stream.h"
#include "passes/manager/pass.h"

namespace frit::passes {
namespace {

using namespace ir;

using Life = BufferLife;

struct Slot {
  Dim bytes;
  std::vector<Life> lives;  // of its temporaries, which do not overlap

  bool is_free(const Life& life) const {
    return std::all_of(lives.begin(), lives.end(),
                       [&](const Life& l) { return l.last < life.first || life.last < l.first; });
  }
};

// A temporary of an open size is compared with so many slots at most: each comparison is a proof.
constexpr int kMostProofs = 32;

// The free slot of just this size, or the smallest one that fits; kNone if there is none.
uint32_t slot_for(const std::vector<Slot>& slots, const Dim& bytes, const Life& life, const DimFacts& facts) {
  for (uint32_t s = 0; s < slots.size(); ++s)
    if (slots[s].bytes == bytes && slots[s].is_free(life)) return s;
  uint32_t best = kNone;
  int proofs = 0;
  for (uint32_t s = 0; s < slots.size() && proofs < kMostProofs; ++s) {
    if (!slots[s].is_free(life)) continue;
    if (!bytes.is_const() || !slots[s].bytes.is_const()) ++proofs;
    if (facts.less_equal(bytes, slots[s].bytes) != Tri::Yes) continue;
    if (best == kNone || facts.less_equal(slots[best].bytes, slots[s].bytes) == Tri::No) best = s;
  }
  return best;
}

// Large temporaries take their slots first, and smaller ones the gaps in them. Open sizes have no such order: they
// follow, in the order of their lives, and share slots where one provably fits into another.
void assign_slots(Program& p, const std::vector<Life>& life, const DimFacts& facts) {
  std::vector<uint32_t> temps;
  std::vector<bool> streamed(p.buffers.size(), false);
  for (const RowStream& stream : row_streams(p))
    for (uint32_t b : stream.rows) streamed[b] = true;
  for (uint32_t b = 0; b < p.buffers.size(); ++b)
    if (p.buffers[b].role == BufferRole::Temp && life[b].used && !streamed[b]) temps.push_back(b);
  const auto bytes_of = [&](uint32_t b) { return p.buffers[b].size * Dim(int64_t{p.buffers[b].dtype.size}); };
  std::stable_sort(temps.begin(), temps.end(), [&](uint32_t a, uint32_t b) {
    const Dim x = bytes_of(a), y = bytes_of(b);
    if (x.is_const() != y.is_const()) return x.is_const();
    if (x.is_const() && x.value() != y.value()) return x.value() > y.value();
    return life[a].first < life[b].first;
  });
  std::vector<Slot> slots;
  for (uint32_t b : temps) {
    const Dim bytes = bytes_of(b);
    uint32_t best = slot_for(slots, bytes, life[b], facts);
    if (best == kNone) {
      best = static_cast<uint32_t>(slots.size());
      slots.push_back({bytes, {}});
    }
    slots[best].lives.push_back(life[b]);
    p.buffers[b].slot = best;
  }
  p.slots.clear();
  for (const Slot& s : slots) p.slots.push_back(s.bytes);
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
      if (!same_positions(loop->body, in, out, any)) return false;
    }
  }
  return true;
}

// Whether the kernel, launched with `buffers`, may write buffer `out` over the memory of buffer `in`. A launch may bind
// a buffer more than once.
bool may_replace(const Kernel& k, const std::vector<uint32_t>& buffers, uint32_t in, uint32_t out) {
  const auto written = static_cast<uint32_t>(std::find(buffers.begin(), buffers.end(), out) - buffers.begin());
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

// Whether nothing but kernels works on the buffer. A routine may refuse its operands, and then the caller's memory must
// be as it was.
bool only_kernels(const Program& p, const Life& life) {
  return std::all_of(p.steps.begin() + static_cast<std::ptrdiff_t>(life.first),
                     p.steps.begin() + static_cast<std::ptrdiff_t>(life.last) + 1,
                     [](const Step& step) { return std::holds_alternative<KernelStep>(step); });
}

// An output takes the memory of an input whose last reader is the first kernel that writes the output. Later kernels
// may change the output: updates of a copy go into the input itself.
void find_donors(Program& p, const std::vector<Life>& life) {
  const std::vector<bool> once = outside_of_loops(p);
  std::vector<bool> taken(p.buffers.size(), false);
  for (uint32_t out = 0; out < p.buffers.size(); ++out) {
    ProgramBuffer& o = p.buffers[out];
    if (o.role != BufferRole::Output || !life[out].used || !once[life[out].first] || !only_kernels(p, life[out]))
      continue;
    auto* step = std::get_if<KernelStep>(&p.steps[life[out].first]);
    if (!step) continue;
    for (uint32_t in = 0; in < p.buffers.size() && o.donor == kNone; ++in) {
      const ProgramBuffer& i = p.buffers[in];
      if (i.role != BufferRole::Input || taken[in] || !life[in].used || life[in].last != life[out].first) continue;
      if (i.dtype.size != o.dtype.size || !(i.size == o.size)) continue;
      // A result that is a window on the input must keep it whole.
      if (std::any_of(p.results.begin(), p.results.end(), [&](const Window& w) { return w.buffer == in; })) continue;
      // Other outputs of the kernel are fine: they have memory of their own.
      if (may_replace(p.kernels[step->kernel], step->buffers, in, out)) {
        o.donor = in;
        taken[in] = true;
      }
    }
  }
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
  drop_unused(p);
  std::vector<Life> life = buffer_lives(p);
  assign_slots(p, life, f.facts);
  // A result in the caller's own memory takes over no other memory.
  if (!context.target.dense_results) find_donors(p, life);
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
