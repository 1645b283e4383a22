// plan_buffers: gives every temporary a slot of the workspace, and finds inputs whose memory an output may take over.
//
// Temporaries share a slot if their live ranges do not overlap. A slot is reused only for a size that is provably no
// larger than the slot, or if both sizes are known numbers; then the slot may grow. Unused temporaries are dropped.
#include <algorithm>

#include "passes/manager/pass.h"

namespace frit::passes {
namespace {

using namespace ir;

struct Life {
  size_t first = ~size_t{0}, last = 0;
  bool used = false;
  void at(size_t step) {
    first = std::min(first, step), last = std::max(last, step);
    used = true;
  }
};

std::vector<Life> lives(const Program& p) {
  std::vector<Life> out(p.buffers.size());
  for (size_t i = 0; i < p.steps.size(); ++i) {
    if (auto* k = std::get_if<KernelStep>(&p.steps[i])) {
      for (uint32_t b : k->buffers) out[b].at(i);
    } else {
      const auto& l = std::get<LibraryStep>(p.steps[i]);
      for (const Window& w : l.operands) out[w.buffer].at(i);
      for (const Window& w : l.results) out[w.buffer].at(i);
      if (l.workspace != kNone) out[l.workspace].at(i);
      if (l.epilogue)
        for (uint32_t b : l.epilogue->buffers) out[b].at(i);
    }
  }
  return out;
}

struct Slot {
  Dim bytes;
  size_t free_after;
};

void assign_slots(Program& p, const std::vector<Life>& life, const DimFacts& facts) {
  std::vector<uint32_t> temps;
  for (uint32_t b = 0; b < p.buffers.size(); ++b)
    if (p.buffers[b].role == BufferRole::Temp && life[b].used) temps.push_back(b);
  std::stable_sort(temps.begin(), temps.end(), [&](uint32_t a, uint32_t b) { return life[a].first < life[b].first; });
  std::vector<Slot> slots;
  for (uint32_t b : temps) {
    Dim bytes = p.buffers[b].size * Dim(int64_t{p.buffers[b].dtype.size});
    uint32_t best = kNone;
    for (uint32_t s = 0; s < slots.size(); ++s) {
      if (slots[s].free_after >= life[b].first) continue;
      bool fits = facts.less_equal(bytes, slots[s].bytes) == Tri::Yes;
      bool grows = bytes.is_const() && slots[s].bytes.is_const();
      if (!fits && !grows) continue;
      // Prefer the smallest slot that fits, else the largest slot, which grows least.
      if (best == kNone || (grows && fits && slots[s].bytes.value() < slots[best].bytes.value()) ||
          (grows && !fits && slots[best].bytes.value() < bytes.value() &&
           slots[s].bytes.value() > slots[best].bytes.value()))
        best = s;
    }
    if (best == kNone) {
      best = static_cast<uint32_t>(slots.size());
      slots.push_back({bytes, 0});
    }
    if (facts.less_equal(bytes, slots[best].bytes) != Tri::Yes) slots[best].bytes = bytes;
    slots[best].free_after = life[b].last;
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

void find_donors(Program& p, const std::vector<Life>& life) {
  std::vector<bool> taken(p.buffers.size(), false);
  for (uint32_t out = 0; out < p.buffers.size(); ++out) {
    ProgramBuffer& o = p.buffers[out];
    if (o.role != BufferRole::Output || !life[out].used || life[out].first != life[out].last) continue;
    auto* step = std::get_if<KernelStep>(&p.steps[life[out].first]);
    if (!step) continue;
    for (uint32_t in = 0; in < p.buffers.size() && o.donor == kNone; ++in) {
      const ProgramBuffer& i = p.buffers[in];
      if (i.role != BufferRole::Input || taken[in] || !life[in].used || life[in].last != life[out].first) continue;
      if (i.dtype.size != o.dtype.size || !(i.size == o.size)) continue;
      // A result that is a window on the input must keep it whole.
      if (std::any_of(p.results.begin(), p.results.end(), [&](const Window& w) { return w.buffer == in; })) continue;
      auto number = [&](uint32_t b) {
        return static_cast<uint32_t>(std::find(step->buffers.begin(), step->buffers.end(), b) - step->buffers.begin());
      };
      bool any = false;
      // Other outputs of the kernel are fine: they have memory of their own.
      if (same_positions(p.kernels[step->kernel].body, number(in), number(out), any) && any) {
        o.donor = in;
        taken[in] = true;
      }
    }
  }
}

// Drops temporaries that no step touches because their computation vanished, so that every remaining one has a slot.
void drop_unused(Program& p) {
  std::vector<Life> life = lives(p);
  for (const Window& w : p.results) life[w.buffer].used = true;
  std::vector<uint32_t> number(p.buffers.size(), kNone);
  std::vector<ProgramBuffer> kept;
  for (uint32_t b = 0; b < p.buffers.size(); ++b) {
    if (p.buffers[b].role == BufferRole::Temp && !life[b].used) continue;
    number[b] = static_cast<uint32_t>(kept.size());
    kept.push_back(std::move(p.buffers[b]));
  }
  p.buffers = std::move(kept);
  auto renumber = [&](KernelStep& step) {
    for (uint32_t& b : step.buffers) b = number[b];
  };
  for (Step& step : p.steps) {
    if (auto* kernel = std::get_if<KernelStep>(&step)) {
      renumber(*kernel);
      continue;
    }
    auto& library = std::get<LibraryStep>(step);
    for (Window& w : library.operands) w.buffer = number[w.buffer];
    for (Window& w : library.results) w.buffer = number[w.buffer];
    if (library.workspace != kNone) library.workspace = number[library.workspace];
    if (library.epilogue) renumber(*library.epilogue);
  }
  for (Window& w : p.results) w.buffer = number[w.buffer];
}

bool planned(const Program& p) {
  return !p.slots.empty() ||
         std::any_of(p.buffers.begin(), p.buffers.end(), [](const ProgramBuffer& b) { return b.donor != kNone; });
}

Result<bool> run(Function& f, PassContext& context) {
  Program& p = *f.program;
  if (planned(p)) return false;
  const size_t buffers = p.buffers.size();
  drop_unused(p);
  std::vector<Life> life = lives(p);
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

const RegisterPass kRegistered{
    {"plan_buffers", "shares workspace slots between temporaries and finds inputs that an output may overwrite",
     Level::Legal, Level::Planned, Level::Planned, run}};

}  // namespace
}  // namespace frit::passes
