// Conditions on the sizes of a call's arguments, for code that serves many sizes. Knows nothing of the IR.
//
// A Guard is immutable once it is made and may be used on many threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "ir/base/dim_program.h"

namespace frit::runtime {

struct Guard {
  // Where a symbol's value is read.
  struct Source {
    uint32_t input, axis;
    friend bool operator==(const Source&, const Source&) = default;
  };
  // The size of that axis equals the program's value.
  struct Size {
    uint32_t input, axis;
    DimProgram expected;
    friend bool operator==(const Size&, const Size&) = default;
  };
  // low <= symbol <= high, and `multiple`, which is at least 1, divides it.
  struct Range {
    uint32_t symbol;
    int64_t low, high, multiple;
    friend bool operator==(const Range&, const Range&) = default;
  };
  struct Condition {
    DimProgram value;
    enum class Kind : uint8_t { Zero, NonNegative } kind;
    friend bool operator==(const Condition&, const Condition&) = default;
  };
  using Check = std::variant<Size, Range, Condition>;

  std::vector<std::string> symbol_names;
  std::vector<Source> sources;  // one per symbol
  std::vector<Check> checks;    // in order: a later one may rely on those before it

  friend bool operator==(const Guard&, const Guard&) = default;

  // The number of the first check that the call fails, or -1. `size_of(input, axis)` gives the sizes of the arguments,
  // whose count and ranks fit; `symbols` has room for one value per symbol and holds those of the call afterwards.
  template <class SizeOf>
  int first_failure(SizeOf&& size_of, int64_t* symbols) const {
    for (size_t i = 0; i < sources.size(); ++i) symbols[i] = size_of(sources[i].input, sources[i].axis);
    for (size_t i = 0; i < checks.size(); ++i) {
      bool holds = true;
      if (const auto* size = std::get_if<Size>(&checks[i])) {
        holds = size_of(size->input, size->axis) == size->expected.evaluate(symbols);
      } else if (const auto* range = std::get_if<Range>(&checks[i])) {
        const int64_t v = symbols[range->symbol];
        holds = v >= range->low && v <= range->high && v % range->multiple == 0;
      } else {
        const auto& condition = std::get<Condition>(checks[i]);
        const int64_t v = condition.value.evaluate(symbols);
        holds = condition.kind == Condition::Kind::Zero ? v == 0 : v >= 0;
      }
      if (!holds) return static_cast<int>(i);
    }
    return -1;
  }
};

}  // namespace frit::runtime
