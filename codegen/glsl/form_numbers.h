// The numbers of a routine's windows as sizes, for the programs of its forms (RoutineForm in runtime/execute/gpu.h).
#pragma once

#include <string>

#include "ir/base/dim.h"
#include "runtime/execute/gpu.h"

namespace frit::codegen::glsl {

// A number as a symbol whose name is its slot.
inline Dim form_number(size_t slot) { return Dim::symbol("s" + std::to_string(slot)); }
inline Dim form_number(size_t window, size_t of) { return form_number(runtime::RoutineForm::slot(window, of)); }

inline DimProgram form_program(const Dim& d) {
  return DimProgram(d, [](const std::string& name) { return std::stoi(name.substr(1)); });
}

// Zero where both are equal.
inline Dim distance(const Dim& a, int64_t b) { return max(a - Dim(b), Dim(b) - a); }

// Zero where `value` is at least `least`.
inline Dim shortfall(const Dim& value, int64_t least) { return Dim(least) - min(value, Dim(least)); }

}  // namespace frit::codegen::glsl
