// Kernels that are merged: launches of one become launches of another.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ir/kernel/program.h"
#include "ir/kernel/row_stream.h"

namespace frit::passes {

// The kernel without the names of itself, its buffers and its locals.
inline ir::Kernel without_names(const ir::Kernel& k) {
  ir::Kernel plain = k;
  plain.name = "kernel";
  for (size_t i = 0; i < plain.buffers.size(); ++i) plain.buffers[i].name = "b" + std::to_string(i);
  for (size_t i = 0; i < plain.locals.size(); ++i) plain.locals[i].name = "l" + std::to_string(i);
  return plain;
}

// Calls visit(launch, is_epilogue) for each launch of a program.
template <class Visit>
void each_launch(ir::Program& p, Visit&& visit) {
  for (ir::Step& s : p.steps) {
    if (auto* launch = std::get_if<ir::KernelStep>(&s))
      visit(*launch, false);
    else if (auto* library = std::get_if<ir::LibraryStep>(&s); library && library->epilogue)
      visit(*library->epilogue, true);
  }
}

// Kernels whose launches may take other sizes. Routines compare the sizes of their own kernels with theirs.
inline std::vector<bool> kernels_of_plain_launches(ir::Program& p) {
  std::vector<bool> plain(p.kernels.size(), true);
  each_launch(p, [&](ir::KernelStep& launch, bool epilogue) {
    if (epilogue) plain[launch.kernel] = false;
  });
  for (const ir::RowStream& s : ir::row_streams(p))
    for (size_t i = s.first; i < s.last; ++i)
      if (const auto* launch = std::get_if<ir::KernelStep>(&p.steps[i])) plain[launch->kernel] = false;
  return plain;
}

class MergedKernels {
 public:
  explicit MergedKernels(ir::Program& p) : p_(p), same_as_(p.kernels.size()) {
    for (uint32_t i = 0; i < same_as_.size(); ++i) same_as_[i] = i;
  }

  // `kept` may be merged itself later on, but no kernel twice.
  void merge(uint32_t kernel, uint32_t kept) {
    same_as_[kernel] = kept;
    const ir::Kernel& from = p_.kernels[kernel];
    ir::Kernel& to = p_.kernels[kept];
    to.locs.insert(to.locs.end(), from.locs.begin(), from.locs.end());
    changed_ = true;
  }

  // The kernel that this one was merged with, or itself.
  uint32_t next(uint32_t kernel) const { return same_as_[kernel]; }

  // Drops the merged kernels. Each launch is given to `change` while its kernel still has its old number. Returns
  // whether any was merged.
  template <class Change>
  bool finish(Change&& change) {
    if (!changed_) return false;
    std::vector<uint32_t> number(same_as_.size());
    std::vector<ir::Kernel> left;
    for (uint32_t i = 0; i < same_as_.size(); ++i) {
      if (same_as_[i] != i) continue;
      number[i] = static_cast<uint32_t>(left.size());
      left.push_back(std::move(p_.kernels[i]));
    }
    p_.kernels = std::move(left);
    each_launch(p_, [&](ir::KernelStep& use, bool) {
      change(use);
      while (same_as_[use.kernel] != use.kernel) use.kernel = same_as_[use.kernel];
      use.kernel = number[use.kernel];
    });
    return true;
  }

 private:
  ir::Program& p_;
  std::vector<uint32_t> same_as_;
  bool changed_ = false;
};

}  // namespace frit::passes
