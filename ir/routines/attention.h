// The records of rows between products: softmax(scale * a b + mask) c for each position of the leading axes, without
// and with a mask.
#pragma once

#include "ir/routines/routine.h"

namespace frit::ir {

extern const Routine kAttention, kMaskedAttention;

// A score of this or less has no weight beside others: its column need not be read.
constexpr double kHides = -1000;

}  // namespace frit::ir
