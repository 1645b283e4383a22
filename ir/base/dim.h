// Symbolic integers as the compiler takes them apart: atoms, terms, and functions of two.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frit/dim.h"
#include "ir/base/hash.h"

namespace frit {

enum class AtomKind : uint8_t { Symbol, FloorDiv, Mod, Min, Max };

struct Atom {
  AtomKind kind;
  std::string name;       // of a Symbol
  std::vector<Dim> args;  // of the other kinds: two

  // Whether it has a value only for positive args[1].
  bool divides() const { return kind == AtomKind::FloorDiv || kind == AtomKind::Mod; }
};

struct DimTerm {
  std::vector<std::shared_ptr<const Atom>> atoms;  // sorted; repeated for powers; never empty
  int64_t coefficient;                             // never zero
};

struct DimPoly {
  std::vector<DimTerm> terms;  // sorted; never empty
  int64_t constant;
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

// The order of Dim::compare, for maps.
struct DimBefore {
  bool operator()(const Dim& a, const Dim& b) const { return Dim::compare(a, b) < 0; }
};

}  // namespace frit
