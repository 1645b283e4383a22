// Remarks about the values of a forward pass that are in memory until the backward pass has read them.
#pragma once

#include <functional>
#include <set>
#include <string_view>

#include "passes/manager/pass.h"

namespace frit::passes {

// The beginnings of these remarks, and of those about values that the backward pass computes again.
inline constexpr std::string_view kKeptRemark = "kept for the backward pass",
                                  kAgainRemark = "computed again for the backward pass";

// The values of a derivative that follow from no cotangent and that its backward part reads in other groups; `home`
// gives the group of a value's op.
std::set<ir::ValueId> read_for_backward(const ir::Function& f, const std::function<int(ir::ValueId)>& home);

// Of a fused derivative (passes/manager/cotangent.h): for each value that its forward part stores and its backward part
// reads, its bytes and why it is not computed again; and the bytes of all.
void remark_kept_values(const ir::Function& f, PassContext& context);

}  // namespace frit::passes
