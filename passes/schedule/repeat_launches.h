// Launches that run again where their results would be in memory while most of it is in use.
#pragma once

#include "ir/kernel/program.h"

namespace frit::passes {

// A launch that converts an argument, or does as little, runs again before a later reader of its result, if that
// takes the result out of the steps in which the program needs most memory. So the matrices of a step in 16 bits are
// not there a second time, in 32 bits, from the forward pass to the backward pass. Sizes must be known.
void repeat_cheap_launches(ir::Program& p);

}  // namespace frit::passes
