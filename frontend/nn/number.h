// Numbers that take the element type of the arrays beside them.
#pragma once

#include "frontend/frit/ops.h"
#include "frontend/frit/utils.h"

namespace frit::nn {

// Of the type of `like`, or float32 beside integers.
inline array number(double value, const array& like) {
  return array(value, issubdtype(like.dtype(), inexact) ? like.dtype() : float32);
}

}  // namespace frit::nn
