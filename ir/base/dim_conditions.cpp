// Facts about expressions: how they are stated, kept and written.
#include <algorithm>

#include "ir/base/dim_atoms.h"
#include "ir/base/dim_facts.h"

namespace frit {
namespace {

// "a // b" without the parentheses that a sum around it would need.
std::string side_text(const Dim& d) {
  std::string s = d.str();
  return d.poly() && d.poly()->terms.size() == 1 && d.poly()->constant == 0 && d.poly()->terms[0].coefficient == 1 &&
                 d.poly()->terms[0].atoms.size() == 1 && s.front() == '('
             ? s.substr(1, s.size() - 2)
             : s;
}

}  // namespace

std::string DimCondition::str() const {
  DimPoly p = to_poly(dim);
  Dim plus = std::max<int64_t>(p.constant, 0), minus = p.constant < 0 ? -Dim(p.constant) : Dim(0);
  for (DimTerm& t : p.terms) {
    if (t.coefficient > 0) {
      plus += Dim::from_term(std::move(t));
    } else {
      t.coefficient = -t.coefficient;
      minus += Dim::from_term(std::move(t));
    }
  }
  return kind == Kind::Zero ? side_text(plus) + " == " + side_text(minus) : side_text(minus) + " <= " + side_text(plus);
}

void DimFacts::assume_zero(const Dim& d) { conditions_.push_back({DimCondition::Kind::Zero, d}); }

void DimFacts::assume_nonnegative(const Dim& d) { conditions_.push_back({DimCondition::Kind::NonNegative, d}); }

}  // namespace frit
