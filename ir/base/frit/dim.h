// A symbolic integer: a size, stride or position as an expression over open sizes.
//
// Users meet it as Size (frit/size.h), which wraps it for the arguments of operations.
//
// A Dim is a polynomial with integer coefficients over atoms; an atom is a symbol, or the floor division, remainder,
// minimum or maximum of two Dims. It is kept canonical: terms are sorted and equal terms are merged. So two Dims that
// are equal by the laws of a ring have the same structure. Constants are held inline and cost no allocation. Values are
// immutable and may be shared between threads.
//
// Arithmetic is on integers held in int64; a result past its range saturates. Sizes stay far below it. Floor division
// and remainder round towards minus infinity and need a positive divisor.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace frit {

class Hasher;
struct DimPoly;
struct DimTerm;
struct Atom;

// A divisor of a size: `Dim::multiple_of(16)`.
struct DimMultiple {
  int64_t factor;
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

}  // namespace frit
