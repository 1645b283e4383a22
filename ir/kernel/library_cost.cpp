// Asks the routine's record for the operations; counts bytes by the windows.
#include "ir/kernel/library_cost.h"

#include "ir/routines/routine.h"

namespace frit::ir {

LibraryCost cost(const LibraryStep& step, const Dim::Lookup& sizes) {
  const auto known = [&](const Dim& d) { return sizes ? d.substitute(sizes) : d; };
  const auto layouts = [&](const std::vector<Window>& windows) {
    std::vector<Layout> out;
    for (const Window& w : windows) {
      Layout& layout = out.emplace_back(w.layout);
      for (Dim& d : layout.shape) d = known(d);
    }
    return out;
  };
  const std::vector<Layout> operands = layouts(step.operands), results = layouts(step.results);
  LibraryCost c{Dim(0), 0};
  size_t number = 0;
  for (const auto* all : {&operands, &results})
    for (const Layout& layout : *all) {
      Dim elements = 1;
      // Along an axis of stride 0 the elements are the same.
      for (size_t i = 0; i < layout.shape.size(); ++i)
        if (!layout.strides[i].is(0)) elements *= layout.shape[i];
      c.bytes += elements * Dim(int64_t{step.dtypes[number++].size()});
    }
  const AttrMap attrs = map_sizes(step.attrs, known);
  if (step.routine->flops) c.flops = step.routine->flops({step.dtypes, operands, results, attrs});
  return c;
}

}  // namespace frit::ir
