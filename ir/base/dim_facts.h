// Facts about the symbols in Dims, and the comparisons and simplifications that follow from them.
//
// Stated facts are taken to hold; facts that contradict each other allow every answer. Expressions are taken to be
// defined: divisors are positive. Answers are one-sided: Yes and No hold for all values of the symbols that satisfy the
// facts, Unknown says nothing.
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

// A fact about an expression over several symbols: it is zero, or it is not negative.
struct DimCondition {
  enum class Kind : uint8_t { Zero, NonNegative } kind;
  Dim dim;
  // "n*m % 4 == 0", "n <= m": terms with positive coefficients on one side, the others on the other side.
  std::string str() const;
  bool uses_only(const std::vector<std::string>& symbols) const;
  friend bool operator==(const DimCondition&, const DimCondition&) = default;
};

// The known facts: bounds, divisibility, conditions on expressions and, for loop variables, a symbolic exclusive upper
// bound. A symbol without facts is a size: 0 to kMaxSize.
class DimFacts {
 public:
  static constexpr int64_t kMaxSize = int64_t{1} << 48;

  void set_range(const std::string& symbol, DimRange range);
  void set_multiple(const std::string& symbol, int64_t factor);
  // `symbol` runs from 0 to `extent` - 1; `extent` itself uses earlier symbols only.
  void set_loop(const std::string& symbol, const Dim& extent);

  // Adds a condition. Conditions are kept once each, in a canonical order. A condition that follows from the others is
  // left out; one about a single symbol becomes its range or multiple where possible. `equal`, `less_equal` and
  // `simplify` use conditions: if b divides a, then a % b is 0 and (a // b) * b is a. A condition that contradicts the
  // others is kept as well.
  void assume_zero(const Dim& d);
  void assume_nonnegative(const Dim& d);
  // All of them at once, which costs as much as the last one alone.
  void assume_all(std::vector<DimCondition> conditions);
  const std::vector<DimCondition>& conditions() const { return conditions_; }
  // The text of a fact that contradicts the others, if one is found. Finding none proves nothing.
  std::optional<std::string> contradiction() const;

  DimRange range(const Dim& d) const;  // saturated at +-2^62
  int64_t multiple(const std::string& symbol) const;
  const std::map<std::string, DimRange>& ranges() const { return ranges_; }
  const std::map<std::string, int64_t>& multiples() const { return multiples_; }

  Tri equal(const Dim& a, const Dim& b) const;
  Tri less(const Dim& a, const Dim& b) const;
  Tri less_equal(const Dim& a, const Dim& b) const;
  // Whether `d` is known to be a multiple of `divisor`.
  bool divides(const Dim& divisor, const Dim& d) const;

  // An equal Dim, with the floor divisions, remainders, minima and maxima resolved that the facts decide.
  Dim simplify(const Dim& d) const;

 private:
  DimRange symbol_range(const std::string& symbol) const;
  void hash_into(Hasher& hasher) const;
  bool provably_nonnegative(const Dim& d) const;
  bool provably_nonnegative(const Dim& d, int depth, int& budget) const;
  bool follows_from_condition(const Dim& d, const Dim& known, int depth, int& budget) const;
  bool positive(const Dim& d) const;
  bool positive(const Dim& d, int depth, int& budget) const;
  bool provably_zero(const Dim& d, int depth) const;
  bool never_zero(const Dim& d) const;
  Dim without_zeros(Dim d) const;
  Dim without_multiples(const Dim& d, const Dim& divisor) const;
  Dim without_known_multiples(const Dim& d, int64_t divisor) const;
  Dim simplify_floor_div(const Dim& a, const Dim& b) const;
  Dim undo_divisions(Dim d) const;
  Dim join_remainders(Dim d) const;

  void assume(DimCondition c);
  void settle();
  bool absorb(const DimCondition& c);
  bool follows(const DimCondition& c) const;
  bool refuted(const DimCondition& c) const;
  void drop_what_follows();

  std::map<std::string, DimRange> ranges_;
  std::map<std::string, int64_t> multiples_;
  std::map<std::string, Dim> loops_;
  std::vector<DimCondition> conditions_;
};

}  // namespace frit
