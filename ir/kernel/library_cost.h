// The operations and bytes of one call of a routine.
#pragma once

#include <optional>

#include "ir/kernel/program.h"

namespace frit::ir {

struct LibraryCost {
  std::optional<Dim> flops;  // nothing where the routine's rule needs sizes that have no value
  Dim bytes;                 // operands and results, each once
};

// The cost of a step, without its epilogue. `sizes` gives the symbols that have a value.
LibraryCost cost(const LibraryStep& step, const Dim::Lookup& sizes = {});

}  // namespace frit::ir
