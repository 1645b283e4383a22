// Finds the conditions that concern an expression among many, so that a proof does not look at all of them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/base/dim_facts.h"

namespace frit {

// The remainder in a condition that says "p % q == 0"; null for another one.
const Atom* known_remainder(const DimCondition& c);

// Numbers of conditions by the atoms of their terms. A condition that is no longer there may still be found.
class ConditionIndex {
 public:
  // The union of some of the lists, in order and without repeats, as far as it is asked for.
  class Numbers {
   public:
    void add(const std::vector<uint32_t>& list) { lists_.emplace_back(list); }
    // The next number, or -1 behind the last.
    int64_t next();

   private:
    std::vector<std::span<const uint32_t>> lists_;
  };

  // `number` is larger than those before it.
  void add(uint32_t number, const DimCondition& c);

  // Those with a term that may cancel a negative one of `d`, and behind them those with a constant that may.
  std::vector<Numbers> cancelling(const Dim& d) const;
  // Those that say that an expression is zero whose first term may divide one of `d`.
  Numbers zeros_within(const Dim& d) const { return within(zeros_, d); }
  // Those that say that a remainder is zero whose dividend may divide a term of `d`.
  Numbers remainders_within(const Dim& d) const { return within(remainders_, d); }
  // Those that divide.
  const std::vector<uint32_t>& divisions() const { return divisions_; }
  // Those that use the symbol.
  std::vector<uint32_t> of(const std::string& symbol) const;

 private:
  using Lists = std::unordered_map<std::string, std::vector<uint32_t>>;
  static void put(std::vector<uint32_t>& list, uint32_t number);
  static Numbers within(const Lists& lists, const Dim& d);

  Lists cancelling_;  // by the first atom of a term
  Lists zeros_;       // by the first atom of the first term
  Lists remainders_;  // by all atoms of the dividend's terms
  Lists uses_;        // by the symbol
  std::vector<uint32_t> constants_, divisions_;
};

}  // namespace frit
