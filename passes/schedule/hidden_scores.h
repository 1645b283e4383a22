// The launch that hides scores: columns of a row behind the first ones, where a mask puts a constant.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/kernel/program.h"

namespace frit::passes {

// Has the kernel compute the first `columns` scores of each row of `length` in the buffer, and fill the others in.
// Gives the bits of these, or nothing where the kernel is of another form.
std::optional<uint64_t> hide_scores(ir::Kernel& k, uint32_t scores, const Dim& length, const Dim& columns);

}  // namespace frit::passes
