// Symbolic integers: tensor sizes, strides, loop bounds and element offsets.
//
// A Dim is a polynomial with integer coefficients over atoms. An atom is a symbol, or a floor division, remainder,
// minimum or maximum of two Dims. The polynomial is canonical (terms sorted, equal terms merged), so two Dims that
// differ only by ring laws have the same structure. Constants are held inline and cost no allocation. Values are
// immutable and may be shared between threads.
//
// Integers are int64, and arithmetic saturates at the ends of that range; sizes stay far below them. Floor division and
// remainder round towards minus infinity and need a positive divisor.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/base/hash.h"

namespace frit {

class Dim;

// A divisor of a size: `Dim::multiple_of(16)`.
struct DimMultiple {
  int64_t factor;
};

enum class AtomKind : uint8_t { Symbol, FloorDiv, Mod, Min, Max };

struct Atom {
  AtomKind kind;
  std::string name;       // of a Symbol
  std::vector<Dim> args;  // of the other kinds: two
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
  static Dim from_term(DimTerm term);
  static constexpr DimMultiple multiple_of(int64_t factor) { return {factor}; }

  bool is_const() const { return !poly_; }
  // The value of a constant; valid only when is_const().
  int64_t value() const { return constant_; }
  bool is(int64_t v) const { return !poly_ && constant_ == v; }
  // The name, if this is a lone symbol with coefficient one.
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

  // The spelling in IR text: "n*m + 2", "(n + 1) // 16", "n % 16", "min(n, m)".
  std::string str() const;
  void hash_into(Hasher& hasher) const;

  // Adds every symbol's name to `names`, sorted and without repeats.
  void collect_symbols(std::vector<std::string>& names) const;
  bool uses(std::string_view symbol) const;

  // Replaces symbols; `lookup` returns nothing for a symbol that stays.
  using Lookup = std::function<std::optional<Dim>(const std::string&)>;
  Dim substitute(const Lookup& lookup) const;
  Dim substitute(std::string_view symbol, const Dim& value) const;

  // The value, if `lookup` knows every symbol and every divisor is positive.
  std::optional<int64_t> evaluate(const std::function<std::optional<int64_t>(const std::string&)>& lookup) const;

  // Splits this into `coefficient * symbol + rest`, where neither part uses the symbol. Nothing if it is not affine in
  // the symbol.
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

// These fold constants and apply the identities that hold for all values of the symbols. DimFacts::simplify knows more.
Dim floor_div(const Dim& a, const Dim& b);
Dim mod(const Dim& a, const Dim& b);
Dim min(const Dim& a, const Dim& b);
Dim max(const Dim& a, const Dim& b);
Dim ceil_div(const Dim& a, const Dim& b);
Dim product(const std::vector<Dim>& dims);

}  // namespace frit
