// The buffers and symbols that each step of a program needs.
#include "ir/kernel/program.h"

#include "ir/routines/routine.h"

namespace frit::ir {

Dim workspace_bytes(const LibraryStep& step) {
  if (!step.routine->workspace) return 0;
  std::vector<Layout> operands, results;
  for (const Window& w : step.operands) operands.push_back(w.layout);
  for (const Window& w : step.results) results.push_back(w.layout);
  return step.routine->workspace({step.dtypes, operands, results, step.attrs});
}

}  // namespace frit::ir
