// Compiles Dims to trees over slots and evaluates them with checks.
#include "ir/kernel/position_code.h"

#include <algorithm>

namespace frit::ir {

PositionCode::PositionCode(const Dim& d, const std::function<uint32_t(const std::string&)>& slot_of) {
  if (d.is_const()) {
    constant_ = d.value();
    return;
  }
  constant_ = d.poly()->constant;
  for (const DimTerm& t : d.poly()->terms) {
    Term term{t.coefficient, {}};
    for (const auto& atom : t.atoms) {
      AtomCode code{atom->kind, 0, nullptr, nullptr};
      if (atom->kind == AtomKind::Symbol) {
        code.slot = slot_of(atom->name);
      } else {
        code.a = std::make_shared<const PositionCode>(atom->args[0], slot_of);
        code.b = std::make_shared<const PositionCode>(atom->args[1], slot_of);
      }
      term.atoms.push_back(std::move(code));
    }
    terms_.push_back(std::move(term));
  }
}

std::optional<int64_t> PositionCode::value_of(const AtomCode& atom, const int64_t* slots) {
  std::optional<int64_t> a = atom.a->evaluate(slots), b = atom.b->evaluate(slots);
  if (!a || !b) return std::nullopt;
  if (atom.kind == AtomKind::Min) return std::min(*a, *b);
  if (atom.kind == AtomKind::Max) return std::max(*a, *b);
  if (*b < 1) return std::nullopt;
  int64_t remainder = *a % *b;
  bool below = remainder < 0;
  if (atom.kind == AtomKind::Mod) return below ? remainder + *b : remainder;
  return *a / *b - below;
}

std::optional<int64_t> PositionCode::evaluate(const int64_t* slots) const {
  int64_t sum = constant_;
  for (const Term& t : terms_) {
    int64_t product = t.coefficient;
    for (const AtomCode& atom : t.atoms) {
      // Most positions are sums of symbols.
      std::optional<int64_t> v = atom.kind == AtomKind::Symbol ? slots[atom.slot] : value_of(atom, slots);
      if (!v || __builtin_mul_overflow(product, *v, &product)) return std::nullopt;
    }
    if (__builtin_add_overflow(sum, product, &sum)) return std::nullopt;
  }
  return sum;
}

}  // namespace frit::ir
