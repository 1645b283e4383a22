// How a position differs between the lanes of a vector.
#include "codegen/llvm/lane_offsets.h"

#include <algorithm>
#include <numeric>

#include "ir/base/dim_atoms.h"

namespace frit::codegen {
namespace {

// Larger numbers are not worth the care about overflow.
constexpr int64_t kLarge = int64_t{1} << 24;

int64_t floor_of(int64_t a, int64_t b) { return a / b - (a % b < 0); }

// A position: its differences from lane 0, and its value in lane 0 up to multiples of `modulus`. A modulus of 0 says
// that the value is `residue`.
struct Form {
  std::vector<int64_t> offsets;
  int64_t modulus = 1, residue = 0;

  bool is_flat() const {
    return std::all_of(offsets.begin(), offsets.end(), [](int64_t o) { return o == 0; });
  }
  bool is_small() const {
    return modulus < kLarge && std::abs(residue) < kLarge &&
           std::all_of(offsets.begin(), offsets.end(), [](int64_t o) { return std::abs(o) < kLarge; });
  }
};
using MaybeForm = std::optional<Form>;

class Analysis {
 public:
  Analysis(const Lanes& lanes, const DimFacts& facts) : lanes_(lanes), facts_(facts) {}

  MaybeForm of(const Dim& d) const {
    Form sum = constant(d.is_const() ? d.value() : d.poly()->constant);
    if (d.is_const()) return checked(sum);
    for (const DimTerm& t : d.poly()->terms) {
      MaybeForm product = checked(constant(t.coefficient));
      for (const auto& atom : t.atoms) product = times(product, of(*atom));
      if (!product) return {};
      for (size_t i = 0; i < sum.offsets.size(); ++i) sum.offsets[i] += product->offsets[i];
      sum.modulus = std::gcd(sum.modulus, product->modulus);
      sum.residue = reduced(sum.residue + product->residue, sum.modulus);
      if (!sum.is_small()) return {};
    }
    return sum;
  }

 private:
  static MaybeForm checked(Form f) { return f.is_small() ? MaybeForm(std::move(f)) : std::nullopt; }
  static int64_t reduced(int64_t value, int64_t modulus) {
    return modulus ? value - floor_of(value, modulus) * modulus : value;
  }
  Form constant(int64_t value) const { return {flat(), 0, value}; }
  std::vector<int64_t> flat() const { return std::vector<int64_t>(static_cast<size_t>(lanes_.width)); }

  MaybeForm of(const Atom& atom) const {
    if (atom.kind == AtomKind::Symbol) {
      if (atom.name != lanes_.var) {
        const int64_t multiple = facts_.multiple(atom.name);
        return Form{flat(), multiple < kLarge ? multiple : 1, 0};
      }
      Form lanes{flat(), lanes_.step, lanes_.start};
      std::iota(lanes.offsets.begin(), lanes.offsets.end(), 0);
      return lanes;
    }
    const MaybeForm a = of(atom.args[0]), b = of(atom.args[1]);
    if (!a || !b) return {};
    if (atom.divides() && b->is_flat() && b->modulus == 0 && b->residue > 0) {
      const MaybeForm quotient = divided(*a, b->residue);
      return quotient && atom.kind == AtomKind::Mod ? rest(*a, *quotient, b->residue) : quotient;
    }
    return a->is_flat() && b->is_flat() ? MaybeForm(Form{flat()}) : std::nullopt;
  }

  MaybeForm times(const MaybeForm& a, const MaybeForm& b) const {
    if (!a || !b) return {};
    // A difference between lanes is multiplied by a number that is known.
    if ((!a->is_flat() && b->modulus != 0) || (!b->is_flat() && a->modulus != 0)) return {};
    Form product{flat()};
    for (size_t i = 0; i < product.offsets.size(); ++i)
      product.offsets[i] = a->offsets[i] * b->residue + a->residue * b->offsets[i] + a->offsets[i] * b->offsets[i];
    product.modulus = std::gcd(std::gcd(a->residue * b->modulus, a->modulus * b->residue), a->modulus * b->modulus);
    product.residue = reduced(a->residue * b->residue, product.modulus);
    return checked(product);
  }

  // a // divisor
  MaybeForm divided(const Form& a, int64_t divisor) const {
    Form quotient{flat()};
    if (a.modulus % divisor == 0) {
      quotient.modulus = a.modulus / divisor;
      quotient.residue = floor_of(a.residue, divisor);
      for (size_t i = 0; i < a.offsets.size(); ++i)
        quotient.offsets[i] = floor_of(a.residue + a.offsets[i], divisor) - quotient.residue;
      return quotient;
    }
    // All lanes have one quotient where none leaves a part of `shared` elements that the divisor does not cut.
    const int64_t shared = std::gcd(a.modulus, divisor), first = reduced(a.residue, shared);
    const bool together = std::all_of(a.offsets.begin(), a.offsets.end(),
                                      [&](int64_t o) { return first + o >= 0 && first + o < shared; });
    return together ? MaybeForm(quotient) : std::nullopt;
  }

  // a % divisor
  MaybeForm rest(const Form& a, const Form& quotient, int64_t divisor) const {
    Form rest{flat()};
    for (size_t i = 0; i < a.offsets.size(); ++i) rest.offsets[i] = a.offsets[i] - divisor * quotient.offsets[i];
    rest.modulus = a.modulus % divisor == 0 ? 0 : std::gcd(a.modulus, divisor);
    rest.residue = reduced(a.residue, rest.modulus ? rest.modulus : divisor);
    return checked(rest);
  }

  const Lanes& lanes_;
  const DimFacts& facts_;
};

}  // namespace

std::optional<LaneOffsets> lane_offsets(const Dim& position, const Lanes& lanes, const DimFacts& facts) {
  MaybeForm form = Analysis(lanes, facts).of(position);
  if (!form) return {};
  LaneOffsets offsets{std::move(form->offsets), {}};
  if (form->modulus == 0) offsets.first = form->residue;
  return offsets;
}

}  // namespace frit::codegen
