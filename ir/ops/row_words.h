// Short names for the values that fill the records of elementwise and shape rows.
#pragma once

#include "ir/graph/op.h"

namespace frit::ir {

inline constexpr auto kElementwise = OpKind::Elementwise;
inline constexpr auto kIndex = OpKind::Index;
inline constexpr auto kAny = MeaningFor::Any;
inline constexpr auto kFloat = MeaningFor::Float;
inline constexpr auto kBool = MeaningFor::Bool;
inline constexpr auto kComplex = MeaningFor::Complex;

}  // namespace frit::ir
