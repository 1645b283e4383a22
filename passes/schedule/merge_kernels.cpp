// merge_kernels: merges kernels that are equal up to names; each launch keeps its own buffers.
//
// The layers of a network repeat, so the code of one layer serves all.
#include <algorithm>
#include <map>

#include "passes/manager/pass.h"

namespace frit::passes {
namespace {

using namespace ir;

// The kernel without the names that it is free to choose. The parallel loop of an `epilogue` must stay as it is, which
// schedule respects.
Kernel plain_kernel(const Kernel& k, bool epilogue) {
  Kernel plain = k;
  plain.name = epilogue ? "epilogue" : "kernel";
  for (size_t i = 0; i < plain.buffers.size(); ++i) plain.buffers[i].name = "b" + std::to_string(i);
  for (size_t i = 0; i < plain.locals.size(); ++i) plain.locals[i].name = "l" + std::to_string(i);
  return plain;
}

Result<bool> run(Function& f, PassContext& context) {
  Program& p = *f.program;
  std::vector<bool> epilogue(p.kernels.size(), false);
  auto each_use = [&](auto&& visit) {
    for (Step& s : p.steps) {
      if (auto* launch = std::get_if<KernelStep>(&s))
        visit(*launch, false);
      else if (auto& fused = std::get<LibraryStep>(s).epilogue)
        visit(*fused, true);
    }
  };
  each_use([&](KernelStep& use, bool fused) {
    if (fused) epilogue[use.kernel] = true;
  });
  // Only kernels of equal size are compared.
  std::map<std::pair<size_t, size_t>, std::vector<uint32_t>> alike;
  for (uint32_t i = 0; i < p.kernels.size(); ++i)
    alike[{p.kernels[i].buffers.size(), p.kernels[i].reg_types.size()}].push_back(i);
  std::vector<uint32_t> same_as(p.kernels.size());
  for (uint32_t i = 0; i < p.kernels.size(); ++i) same_as[i] = i;
  bool changed = false;
  for (const auto& [size, kernels] : alike) {
    if (kernels.size() < 2) continue;
    std::vector<std::pair<uint32_t, Kernel>> distinct;
    for (uint32_t i : kernels) {
      Kernel plain = plain_kernel(p.kernels[i], epilogue[i]);
      const auto same =
          std::find_if(distinct.begin(), distinct.end(), [&](const auto& d) { return equal(d.second, plain); });
      if (same == distinct.end()) {
        distinct.emplace_back(i, std::move(plain));
        continue;
      }
      same_as[i] = same->first;
      changed = true;
      Kernel& kept = p.kernels[same_as[i]];
      kept.locs.insert(kept.locs.end(), p.kernels[i].locs.begin(), p.kernels[i].locs.end());
      context.remark(f, "@" + p.kernels[i].name + " is the same kernel as @" + kept.name);
    }
  }
  if (!changed) return false;
  std::vector<uint32_t> number(p.kernels.size());
  std::vector<Kernel> left;
  for (uint32_t i = 0; i < p.kernels.size(); ++i) {
    if (same_as[i] != i) continue;
    number[i] = static_cast<uint32_t>(left.size());
    left.push_back(std::move(p.kernels[i]));
  }
  p.kernels = std::move(left);
  each_use([&](KernelStep& use, bool) { use.kernel = number[same_as[use.kernel]]; });
  return true;
}

const RegisterPass registered({
    .name = "merge_kernels",
    .doc = "merges kernels that differ only in names",
    .needs = Level::Lowered,
    .most = Level::Lowered,
    .gives = Level::Lowered,
    .run = run,
});

}  // namespace
}  // namespace frit::passes
