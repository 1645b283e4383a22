// How positions change along a loop, and of what they are multiples.
#include <algorithm>

#include "passes/schedule/grid_schedule.h"

namespace frit::passes {

using namespace ir;

namespace {
bool is_extreme(const Atom& a) { return a.kind == AtomKind::Min || a.kind == AtomKind::Max; }

}  // namespace

bool is_multiple(const Dim& d, int64_t factor, const Kernel& k, std::vector<std::string>& multiples) {
  if (factor == 1) return true;
  if (d.is_const()) return d.value() % factor == 0;
  if (k.facts.divides(Dim(factor), d)) return true;
  if (d.poly()->constant % factor) return false;
  for (const DimTerm& term : d.poly()->terms) {
    if (term.coefficient % factor == 0) continue;
    const std::string* symbol = nullptr;
    bool known = false;
    for (const auto& atom : term.atoms) {
      if (is_extreme(*atom))
        known = known ||
                (is_multiple(atom->args[0], factor, k, multiples) && is_multiple(atom->args[1], factor, k, multiples));
      if (atom->kind != AtomKind::Symbol) continue;
      known = known || k.facts.multiple(atom->name) % factor == 0;
      if (std::find(k.symbols.begin(), k.symbols.end(), atom->name) != k.symbols.end()) symbol = &atom->name;
    }
    if (known) continue;
    if (!symbol) return false;
    if (std::find(multiples.begin(), multiples.end(), *symbol) == multiples.end()) multiples.push_back(*symbol);
  }
  return true;
}

namespace {

// Splits `position` into a uniform part + contiguous * (the index of the variable among the consecutive values).
struct Parts {
  bool known = true;
  int64_t step = 0;
  bool aligned = true;  // the first value is a multiple of the vector
};

Parts parts_of(const Dim& d, const std::string& var, int vector, const Kernel& k, std::vector<std::string>& multiples);

Parts parts_of_atom(const Atom& atom, const std::string& var, int vector, const Kernel& k,
                    std::vector<std::string>& multiples) {
  if (atom.kind == AtomKind::Symbol) return {true, atom.name == var ? 1 : 0, atom.name == var};
  if (atom.divides()) {
    Parts inner = parts_of(atom.args[0], var, vector, k, multiples);
    const bool whole = inner.known && inner.aligned && inner.step == 1 && !atom.args[1].uses(var) &&
                       is_multiple(atom.args[1], vector, k, multiples);
    // All values lie between two multiples of the divisor.
    if (whole) return {true, atom.kind == AtomKind::Mod ? 1 : 0, atom.kind == AtomKind::Mod};
  }
  return {false, 0, false};
}

Parts parts_of(const Dim& d, const std::string& var, int vector, const Kernel& k, std::vector<std::string>& multiples) {
  Parts sum;
  if (!d.uses(var)) {
    sum.aligned = is_multiple(d, vector, k, multiples);
    return sum;
  }
  Dim uniform = Dim(d.poly()->constant);
  for (const DimTerm& term : d.poly()->terms) {
    Dim whole = Dim::from_term(term);
    if (!whole.uses(var)) {
      uniform += whole;
      continue;
    }
    // One factor may change; the others must be uniform.
    const Atom* changing = nullptr;
    Dim factor = term.coefficient;
    for (const auto& atom : term.atoms) {
      Dim alone = Dim::from_term({{atom}, 1});
      if (!alone.uses(var)) {
        factor *= alone;
      } else {
        if (changing) return {false};
        changing = atom.get();
      }
    }
    Parts part = parts_of_atom(*changing, var, vector, k, multiples);
    if (!part.known || (part.step != 0 && !factor.is_const())) return {false};
    if (part.step != 0) sum.step += part.step * factor.value();
    if (!part.aligned) sum.aligned = sum.aligned && is_multiple(factor, vector, k, multiples);
  }
  sum.aligned = sum.aligned && is_multiple(uniform, vector, k, multiples);
  return sum;
}

}  // namespace

Stride stride_of(const Dim& position, const std::string& var, int vector, const Kernel& k) {
  Stride stride;
  if (!position.uses(var)) {
    stride.kind = Stride::Kind::Uniform;
    return stride;
  }
  Parts parts = parts_of(position, var, vector, k, stride.multiples);
  if (!parts.known || (parts.step != 0 && parts.step != 1)) return stride;
  stride.kind = parts.step ? Stride::Kind::Contiguous : Stride::Kind::Uniform;
  stride.aligned = parts.aligned;
  return stride;
}

}  // namespace frit::passes
