// The buffers and symbols that each step of a program needs.
#include "ir/kernel/program.h"

#include <algorithm>

#include "ir/kernel/row_stream.h"
#include "ir/routines/routine.h"

namespace frit::ir {

Dim workspace_bytes(const LibraryStep& step) {
  if (!step.routine->workspace) return 0;
  std::vector<Layout> operands, results;
  for (const Window& w : step.operands) operands.push_back(w.layout);
  for (const Window& w : step.results) results.push_back(w.layout);
  return step.routine->workspace({step.dtypes, operands, results, step.attrs});
}

Dim size_at(const Program& p, const KernelStep& launch, size_t symbol) {
  return launch.sizes.empty() ? Dim::symbol(p.kernels[launch.kernel].symbols[symbol]) : launch.sizes[symbol];
}

Dim at_launch(const Program& p, const KernelStep& launch, const Dim& size) {
  if (launch.sizes.empty()) return size;
  const std::vector<std::string>& own = p.kernels[launch.kernel].symbols;
  return size.substitute([&](const std::string& name) -> std::optional<Dim> {
    const auto found = std::find(own.begin(), own.end(), name);
    if (found == own.end()) return std::nullopt;
    return launch.sizes[static_cast<size_t>(found - own.begin())];
  });
}

std::vector<uint32_t> matching_steps(const Program& p) {
  std::vector<uint32_t> match(p.steps.size(), kNone);
  struct Block {
    uint32_t first;
    std::vector<uint32_t> waiting;  // steps that go to its End
  };
  std::vector<Block> open;
  for (uint32_t i = 0; i < p.steps.size(); ++i) {
    const auto* step = std::get_if<ControlStep>(&p.steps[i]);
    if (!step) continue;
    switch (step->kind) {
      case ControlKind::Repeat:
      case ControlKind::Loop:
      case ControlKind::If: open.push_back({i, {i}}); break;
      case ControlKind::Leave:
      case ControlKind::Else: open.back().waiting.push_back(i); break;
      case ControlKind::End: {
        for (uint32_t w : open.back().waiting) match[w] = i;
        if (std::get<ControlStep>(p.steps[open.back().first]).kind != ControlKind::If) match[i] = open.back().first;
        open.pop_back();
        break;
      }
    }
  }
  return match;
}

std::vector<BufferLife> buffer_lives(const Program& p) {
  std::vector<BufferLife> lives(p.buffers.size());
  const auto use = [&](uint32_t b, size_t step) {
    lives[b].first = std::min(lives[b].first, step);
    lives[b].last = std::max(lives[b].last, step);
    lives[b].used = true;
  };
  // Uses by step, Parts as their wholes.
  std::vector<std::vector<uint32_t>> uses(p.steps.size());
  for (size_t i = 0; i < p.steps.size(); ++i)
    each_buffer(p.steps[i], [&](uint32_t b) {
      for (;; b = p.buffers[b].whole) {
        uses[i].push_back(b);
        use(b, i);
        if (p.buffers[b].role != BufferRole::Part) break;
      }
    });
  // The steps of a stream run by turns.
  for (const RowStream& s : row_streams(p))
    for (size_t i = s.first; i <= s.last; ++i)
      for (uint32_t b : uses[i]) use(b, s.first), use(b, s.last);
  const auto unite = [&] {
    for (const Step& step : p.steps)
      if (const auto* control = std::get_if<ControlStep>(&step))
        for (const auto& [a, b] : control->swaps) {
          const BufferLife x = lives[a], y = lives[b];
          lives[a] = lives[b] = {std::min(x.first, y.first), std::max(x.last, y.last), x.used || y.used};
        }
  };
  unite();
  const std::vector<uint32_t> match = matching_steps(p);
  // Inner loops end before the loops around them.
  for (size_t end = 0; end < p.steps.size(); ++end) {
    const auto* control = std::get_if<ControlStep>(&p.steps[end]);
    if (!control || control->kind != ControlKind::End || match[end] == kNone) continue;
    for (size_t i = match[end]; i <= end; ++i)
      for (uint32_t b : uses[i])
        if (lives[b].first < match[end] || lives[b].last > end) use(b, match[end]), use(b, end);
  }
  unite();
  return lives;
}

}  // namespace frit::ir
