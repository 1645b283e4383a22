// The records of convolution, for code that asks for one of them.
#pragma once

#include "ir/routines/routine.h"

namespace frit::ir {

extern const Routine kConvolution, kConvolutionWeights;

// One axis of space; lists that are left out mean ones and zeros.
struct ConvolutionAxis {
  int64_t stride = 1, dilation = 1;
  Dim low = 0, high = 0;
};
ConvolutionAxis convolution_axis(const AttrMap& attrs, size_t axis);

}  // namespace frit::ir
