// Symbolic integers: tensor sizes, strides, loop bounds and element offsets.
//
// A Dim is a polynomial with integer coefficients over atoms; an atom is a symbol or one of floor division,
// remainder, minimum and maximum of two Dims. It is kept canonical (terms sorted, equal terms merged), so that
// structural equality of two Dims that differ only by ring laws holds by construction. Constants are
// held inline and cost no allocation. Values are immutable and may be shared between threads.
//
// Arithmetic is on integers held in int64; results past its range stick at its ends. Sizes stay far below them.
// Floor division and remainder round towards minus infinity and need a positive divisor.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/base/hash.h"

namespace frit {

class Dim;

enum class AtomKind : uint8_t { Symbol, FloorDiv, Mod, Min, Max };

struct Atom {
  AtomKind kind;
  std::string name;       // Symbol
  std::vector<Dim> args;  // the others: two
};

struct DimTerm {
  std::vector<std::shared_ptr<const Atom>> atoms;  // sorted; repeated for powers; never empty
  int64_t coefficient;                             // never zero
};

struct DimPoly {
  std::vector<DimTerm> terms;  // sorted; never empty
  int64_t constant;
};

class Dim {
 public:
  constexpr Dim() = default;
  Dim(int64_t value) : constant_(value) {}
  Dim(int value) : constant_(value) {}
  static Dim symbol(std::string_view name);

  bool is_const() const { return !poly_; }
  // The value of a constant; only when is_const().
  int64_t value() const { return constant_; }
  bool is(int64_t v) const { return !poly_ && constant_ == v; }
  // The name, when this is a lone symbol with coefficient one.
  const std::string* as_symbol() const;
  const DimPoly* poly() const { return poly_.get(); }  // null for constants

  friend Dim operator+(const Dim& a, const Dim& b);
  friend Dim operator-(const Dim& a, const Dim& b);
  friend Dim operator*(const Dim& a, const Dim& b);
  Dim operator-() const { return Dim(0) - *this; }
  Dim& operator+=(const Dim& b) { return *this = *this + b; }
  Dim& operator*=(const Dim& b) { return *this = *this * b; }

  friend bool operator==(const Dim& a, const Dim& b) { return compare(a, b) == 0; }
  // A total order on structure (not on values): stable across runs and machines.
  static int compare(const Dim& a, const Dim& b);

  // "n*m + 2", "(n + 1) // 16", "n % 16", "min(n, m)": what the IR text shows and parses.
  std::string str() const;
  void hash_into(Hasher& hasher) const;

  // Adds every symbol's name to `names`, sorted and without repeats.
  void collect_symbols(std::vector<std::string>& names) const;
  bool uses(std::string_view symbol) const;

  // Replaces symbols; `lookup` returns nothing for a symbol that stays.
  using Lookup = std::function<std::optional<Dim>(const std::string&)>;
  Dim substitute(const Lookup& lookup) const;
  Dim substitute(std::string_view symbol, const Dim& value) const;

  // The value, when `lookup` knows every symbol and no divisor is zero or negative.
  std::optional<int64_t> evaluate(const std::function<std::optional<int64_t>(const std::string&)>& lookup) const;

  // `this == coefficient * symbol + rest` with neither part using the symbol; nothing when not affine in it.
  struct Affine;
  std::optional<Affine> affine_in(std::string_view symbol) const;

 private:
  static Dim from_poly(DimPoly poly);
  static Dim from_atom(Atom atom);
  friend Dim floor_div(const Dim&, const Dim&);
  friend Dim mod(const Dim&, const Dim&);
  friend Dim min(const Dim&, const Dim&);
  friend Dim max(const Dim&, const Dim&);

  int64_t constant_ = 0;
  std::shared_ptr<const DimPoly> poly_;
};

struct Dim::Affine {
  Dim coefficient, rest;
};

// These fold constants and the identities that hold whatever the symbols' values; DimFacts::simplify knows more.
Dim floor_div(const Dim& a, const Dim& b);
Dim mod(const Dim& a, const Dim& b);
Dim min(const Dim& a, const Dim& b);
Dim max(const Dim& a, const Dim& b);
Dim ceil_div(const Dim& a, const Dim& b);
Dim product(const std::vector<Dim>& dims);

enum class Tri : uint8_t { No, Yes, Unknown };

struct DimRange {
  int64_t low, high;  // inclusive
};

// What is known of symbols: bounds, divisibility and, for loop variables, a symbolic exclusive upper bound.
// A symbol that was never mentioned is a size: 0 to kMaxSize.
class DimFacts {
 public:
  static constexpr int64_t kMaxSize = int64_t{1} << 48;

  void set_range(const std::string& symbol, DimRange range);
  void set_multiple(const std::string& symbol, int64_t factor);
  // `symbol` runs from 0 to `extent` - 1; `extent` itself uses earlier symbols only.
  void set_loop(const std::string& symbol, const Dim& extent);

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
};

// A Dim compiled to postfix form over numbered slots: what a launch evaluates without the IR.
class DimProgram {
 public:
  DimProgram() = default;
  explicit DimProgram(int64_t constant);
  // `slot_of` gives the slot of each symbol of `d`, or -1 for one that is not known (a bug of the caller).
  DimProgram(const Dim& d, const std::function<int(const std::string&)>& slot_of);

  bool is_const() const { return code_.size() == 1 && code_[0].op == Op::Const; }
  int64_t evaluate(const int64_t* slots) const;

 private:
  enum class Op : uint8_t { Const, Slot, Add, Mul, FloorDiv, Mod, Min, Max };
  struct Instr {
    Op op;
    int64_t value;  // Const: the number; Slot: its index
  };
  void emit(const Dim& d, const std::function<int(const std::string&)>& slot_of);

  std::vector<Instr> code_;
  int depth_ = 0;
};

}  // namespace frit
