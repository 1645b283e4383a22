// Facts about the symbols in Dims, and the comparisons and simplifications that follow from them.
//
// Stated facts are taken to hold; facts that contradict each other allow every answer. Expressions are taken to be
// defined: divisors are positive. Answers are one-sided: Yes and No hold for all values of the symbols that satisfy the
// facts, Unknown says nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
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

class ConditionIndex;

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
  // For one condition after the other: each is put behind the others, and conditions that follow from it stay. The
  // settled facts are those that stating all of them gives.
  void add(DimCondition c);
  DimFacts settled() const;
  // Facts about `symbol` become facts about its value, which does not use it, as if they were added.
  void replace(const std::string& symbol, const Dim& value);
  // The symbols whose ranges or multiples have changed since this was first asked for, and last; some more than once.
  std::vector<std::string> take_changed_symbols() {
    watches_ = true;
    return std::exchange(changed_symbols_, {});
  }
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
  // The number of these facts among all for which proofs are remembered, or 0 until it is asked for. Equal facts may
  // have several numbers.
  class Number {
   public:
    Number() = default;
    Number(const Number& o) noexcept : value_(o.get()) {}
    Number& operator=(const Number& o) noexcept {
      set(o.get());
      return *this;
    }
    uint64_t get() const { return value_.load(std::memory_order_relaxed); }
    void set(uint64_t value) const { value_.store(value, std::memory_order_relaxed); }

   private:
    mutable std::atomic<uint64_t> value_{0};
  };

  DimRange symbol_range(const std::string& symbol) const;
  void hash_into(Hasher& hasher) const;
  uint64_t number() const;
  void count_in(const Hasher& fact);
  void set_symbol(const std::string& symbol, DimRange range);
  void set_changed(const std::string& symbol);
  void index_conditions();
  void append(DimCondition c);
  std::vector<DimCondition> take_conditions_of(const std::string& symbol);
  // Calls `f` with conditions until it returns true; with an index, with those that may cancel a term of `d`.
  template <class F>
  bool any_cancelling(const Dim& d, F&& f) const;
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

  // Calls `f`, which changes `d`, with the conditions that `find` gives for it, in their order: one that has changed it
  // may give terms to those behind. A chain of them ends after kMaxInTurn.
  static constexpr int kMaxInTurn = 64;
  template <class Find, class F>
  void each_in_turn(const Dim& d, Find&& find, F&& f) const {
    Dim before = d;
    auto numbers = find(d);
    int64_t last = -1;
    int changes = 0;
    for (int64_t i; (i = numbers.next()) >= 0 && changes < kMaxInTurn;) {
      if (i <= last) continue;
      last = i;
      f(conditions_[static_cast<size_t>(i)]);
      if (d == before) continue;
      before = d;
      ++changes;
      numbers = find(d);
    }
  }

  void assume(DimCondition c);
  void settle();
  void settle_in_turns();
  bool absorb(const DimCondition& c);
  bool follows(const DimCondition& c) const;
  bool refuted(const DimCondition& c) const;
  void drop_what_follows();

  std::map<std::string, DimRange> ranges_;
  std::map<std::string, int64_t> multiples_;
  std::map<std::string, Dim> loops_;
  std::vector<DimCondition> conditions_;
  std::shared_ptr<ConditionIndex> index_;  // null for few conditions; shared by copies until one is changed
  bool watches_ = false;                   // whether symbols are written down whose facts change
  std::vector<std::string> changed_symbols_;
  bool remembers_ = true;  // whether proofs are looked up and kept
  Number number_;
};

}  // namespace frit
