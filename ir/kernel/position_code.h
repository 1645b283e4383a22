// Dims compiled against numbered slots, for the interpreters.
//
// Evaluation is checked: an overflow or a divisor that is not positive gives no value instead of undefined behaviour.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/base/dim.h"

namespace frit::ir {

class PositionCode {
 public:
  PositionCode() = default;
  // `slot_of` knows every symbol of `d`; the verifier has checked it.
  PositionCode(const Dim& d, const std::function<uint32_t(const std::string&)>& slot_of);

  // Nothing on overflow of i64 or on a divisor below 1.
  std::optional<int64_t> evaluate(const int64_t* slots) const;

 private:
  struct AtomCode {
    AtomKind kind;
    uint32_t slot = 0;                         // of a Symbol
    std::shared_ptr<const PositionCode> a, b;  // of the other kinds
  };
  struct Term {
    int64_t coefficient;
    std::vector<AtomCode> atoms;
  };
  // Of an atom that is no symbol.
  static std::optional<int64_t> value_of(const AtomCode& atom, const int64_t* slots);

  int64_t constant_ = 0;
  std::vector<Term> terms_;
};

}  // namespace frit::ir
