// Conditions by the atoms of their terms.
#include "ir/base/dim_index.h"

#include "ir/base/dim_atoms.h"

namespace frit {
namespace {

// No name begins with a digit.
std::string key_of(const Atom& atom) {
  if (atom.kind == AtomKind::Symbol) return atom.name;
  return std::to_string(static_cast<int>(atom.kind)) + atom.args[0].str() + "," + atom.args[1].str();
}

bool divides(const Dim& d) {
  bool found = false;
  each_atom(d, [&](const auto& atom) {
    found = found || atom->divides();
    for (const Dim& arg : atom->args) found = found || divides(arg);
  });
  return found;
}

}  // namespace

const Atom* known_remainder(const DimCondition& c) {
  if (c.kind != DimCondition::Kind::Zero) return nullptr;
  const Atom* atom = lone_atom(c.dim);
  return atom && atom->kind == AtomKind::Mod ? atom : nullptr;
}

int64_t ConditionIndex::Numbers::next() {
  int64_t least = -1;
  for (const auto& list : lists_)
    if (!list.empty() && (least < 0 || list.front() < least)) least = list.front();
  for (auto& list : lists_)
    if (!list.empty() && list.front() == least) list = list.subspan(1);
  return least;
}

void ConditionIndex::put(std::vector<uint32_t>& list, uint32_t number) {
  if (list.empty() || list.back() != number) list.push_back(number);
}

void ConditionIndex::add(uint32_t number, const DimCondition& c) {
  if (c.dim.is_const()) return;
  const DimPoly& p = *c.dim.poly();
  const bool zero = c.kind == DimCondition::Kind::Zero;
  for (const DimTerm& t : p.terms)
    if (zero || t.coefficient < 0) put(cancelling_[key_of(*t.atoms.front())], number);
  if (p.constant < 0 || (zero && p.constant != 0)) put(constants_, number);
  if (zero) put(zeros_[key_of(*p.terms.front().atoms.front())], number);
  if (const Atom* remainder = known_remainder(c))
    each_atom(remainder->args[0], [&](const auto& atom) { put(remainders_[key_of(*atom)], number); });
  if (divides(c.dim)) put(divisions_, number);
  std::vector<std::string> symbols;
  c.dim.collect_symbols(symbols);
  for (const std::string& symbol : symbols) put(uses_[symbol], number);
}

std::vector<ConditionIndex::Numbers> ConditionIndex::cancelling(const Dim& d) const {
  std::vector<Numbers> found(1);
  for (const DimTerm& t : d.poly()->terms) {
    if (t.coefficient >= 0) continue;
    for (const auto& atom : t.atoms)
      if (const auto it = cancelling_.find(key_of(*atom)); it != cancelling_.end()) found[0].add(it->second);
  }
  if (d.poly()->constant < 0 && !constants_.empty()) found.emplace_back().add(constants_);
  return found;
}

ConditionIndex::Numbers ConditionIndex::within(const Lists& lists, const Dim& d) {
  Numbers found;
  if (lists.empty()) return found;
  each_atom(d, [&](const auto& atom) {
    if (const auto it = lists.find(key_of(*atom)); it != lists.end()) found.add(it->second);
  });
  return found;
}

std::vector<uint32_t> ConditionIndex::of(const std::string& symbol) const {
  const auto it = uses_.find(symbol);
  return it == uses_.end() ? std::vector<uint32_t>() : it->second;
}

}  // namespace frit
