// Where the loops of a program begin.
#include "ir/kernel/program_loops.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <variant>

namespace frit::ir {

std::vector<size_t> before_loops(const Program& p) {
  const std::vector<uint32_t> match = matching_steps(p);
  std::vector<size_t> first(p.steps.size());
  std::iota(first.begin(), first.end(), size_t{0});
  // Inner loops end before the loops around them.
  for (size_t end = 0; end < p.steps.size(); ++end) {
    const auto* control = std::get_if<ControlStep>(&p.steps[end]);
    if (control && control->kind == ControlKind::End && match[end] != kNone)
      std::fill(first.begin() + static_cast<std::ptrdiff_t>(match[end]),
                first.begin() + static_cast<std::ptrdiff_t>(end) + 1, size_t{match[end]});
  }
  return first;
}

}  // namespace frit::ir
