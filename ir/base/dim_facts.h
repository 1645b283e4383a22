// What is known of the symbols in Dims, and the comparisons and simplifications that follow from it.
//
// Everything stated is taken to hold; facts that contradict each other allow every answer. An expression is taken to be defined: its divisors are positive.
// Answers are one-sided: Yes and No hold for all values of the symbols that satisfy the facts, Unknown says nothing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/base/dim.h"

namespace frit {

enum class Tri : uint8_t { No, Yes, Unknown };

struct DimRange {
  int64_t low, high;  // inclusive
};

// What is known of an expression over several symbols: that it is zero, or that it is not negative.
struct DimCondition {
  enum class Kind : uint8_t { Zero, NonNegative } kind;
  Dim dim;
  // "n*m % 4 == 0", "n <= m": the terms with positive coefficients on one side, the others on the other.
  std::string str() const;
  friend bool operator==(const DimCondition&, const DimCondition&) = default;
};

// What is known of symbols: bounds, divisibility, conditions on expressions and, for loop variables, a symbolic exclusive upper bound.
// A symbol that was never mentioned is a size: 0 to kMaxSize.
class DimFacts {
 public:
  static constexpr int64_t kMaxSize = int64_t{1} << 48;

  void set_range(const std::string& symbol, DimRange range);
  void set_multiple(const std::string& symbol, int64_t factor);
  // `symbol` runs from 0 to `extent` - 1; `extent` itself uses earlier symbols only.
  void set_loop(const std::string& symbol, const Dim& extent);

  // Further conditions that hold. Kept in a canonical order, each once; one that follows from what is known is left out. `equal`,
  // `less_equal` and `simplify` use them: a dimension that is known to divide makes the remainder 0 and (a // b) * b equal to a.
  void assume_zero(const Dim& d);
  void assume_nonnegative(const Dim& d);
  const std::vector<DimCondition>& conditions() const { return conditions_; }

  DimRange range(const Dim& d) const;  // saturated at +-2^62
  int64_t multiple(const std::string& symbol) const;
  const std::map<std::string, DimRange>& ranges() const { return ranges_; }
  const std::map<std::string, int64_t>& multiples() const { return multiples_; }

  Tri equal(const Dim& a, const Dim& b) const;
  Tri less(const Dim& a, const Dim& b) const;
  Tri less_equal(const Dim& a, const Dim& b) const;

  // An equal Dim with floor divisions, remainders, minima and maxima resolved where the facts decide them.
  Dim simplify(const Dim& d) const;

 private:
  bool provably_nonnegative(const Dim& d, int depth = 0) const;
  std::optional<Dim> divide_exactly(const Dim& a, const Dim& b) const;
  Dim simplify_floor_div(const Dim& a, const Dim& b) const;
  Dim drop_multiples(const Dim& a, int64_t divisor) const;

  std::map<std::string, DimRange> ranges_;
  std::map<std::string, int64_t> multiples_;
  std::map<std::string, Dim> loops_;
  std::vector<DimCondition> conditions_;
};

}  // namespace frit
