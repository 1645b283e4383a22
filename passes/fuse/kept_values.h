// Remarks about the values of a forward pass that are in memory until the backward pass has read them.
#pragma once

#include <string_view>

#include "passes/manager/pass.h"

namespace frit::passes {

// The beginnings of these remarks, and of those about values that fuse computes again in the place of storing them.
inline constexpr std::string_view kKeptRemark = "kept for the backward pass", kRecomputedRemark = "not stored: ";

// Of a fused derivative (passes/manager/cotangent.h): for each value that its forward part stores and its backward part
// reads, its bytes and why it is not computed again; and the bytes of all.
void remark_kept_values(const ir::Function& f, PassContext& context);

}  // namespace frit::passes
