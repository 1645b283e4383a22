// The records of products of matrices that positions pick from two stacks.
#pragma once

#include "ir/routines/routine.h"

namespace frit::ir {

extern const Routine kGatherMatmul;     // [p, m, n]: a product for each pair of positions
extern const Routine kGatherMatmulSum;  // [d, m, n]: each product is added to a matrix that a position picks

}  // namespace frit::ir
