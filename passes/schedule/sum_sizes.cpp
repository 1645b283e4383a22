// sum_sizes: gives a kernel the sums of sizes that it uses, in place of the sizes.
//
// A kernel that puts a part of a joined array in its place needs three sizes: that of the part, and the sums of those
// before it and behind it. As it is lowered it takes the sizes of all parts and adds them up: its code grows with their
// number, and no two kernels are alike. Here sizes that a kernel only ever adds to each other become one symbol, and
// each launch gives their sum for it. The kernels that join any number of parts are then few, and share_sizes finds
// that they are the same.
#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/base/dim_atoms.h"
#include "passes/manager/pass.h"
#include "passes/schedule/kernel_sizes.h"
#include "passes/schedule/merged_kernels.h"

namespace frit::passes {
namespace {

using namespace ir;

// `names`: a set of names, or a map by name.
template <class Names>
bool uses_only(const Dim& d, const Names& names) {
  std::vector<std::string> used;
  d.collect_symbols(used);
  return std::all_of(used.begin(), used.end(), [&](const std::string& s) { return names.contains(s); });
}

// The symbols that are sizes of parameters. The others are strides: a plan relies on no sign of theirs, whatever the
// function's facts say.
using SizeNames = std::unordered_set<std::string>;
SizeNames size_names(const Function& f) {
  SizeNames names;
  for (ValueId p : f.params)
    for (const Dim& d : f.type(p).shape)
      if (const std::string* name = d.as_symbol()) names.insert(*name);
  return names;
}

// Writes down, for each symbol of a kernel, all places where it stands and the factors beside it. Two symbols with the
// same places and factors occur in sums with each other alone.
class Places {
 public:
  Places(const Kernel& k, const SizeNames& sizes) {
    for (size_t i = 0; i < k.symbols.size(); ++i) number_.emplace(k.symbols[i], i);
    places_.resize(k.symbols.size());
    for (size_t i = 0; i < k.symbols.size(); ++i)
      if (!sizes.contains(k.symbols[i])) stays(i);
    each_dim(k, [&](const Dim& d) { look(d); });
    // Equations are facts about alignment, which code makes use of.
    for (const DimCondition& c : k.facts.conditions())
      if (is_kept_equation(c)) look(c.dim);
  }

  // For each symbol the first one that it is added to everywhere: itself, where there is none.
  std::vector<size_t> firsts() const {
    std::vector<size_t> firsts(places_.size());
    std::unordered_map<std::string_view, size_t> first_at;
    for (size_t i = 0; i < places_.size(); ++i) firsts[i] = first_at.emplace(places_[i], i).first->second;
    return firsts;
  }

  // Whether it is an equation between the kernel's own sizes.
  bool is_kept_equation(const DimCondition& c) const {
    return c.kind == DimCondition::Kind::Zero && uses_only(c.dim, number_);
  }

 private:
  void stays(size_t symbol) { places_[symbol] += "itself " + std::to_string(symbol) + ";"; }

  void look(const Dim& d) {
    if (d.is_const()) return;
    const std::string sum = std::to_string(sums_++);
    for (const DimTerm& t : d.poly()->terms)
      for (size_t i = 0; i < t.atoms.size(); ++i) {
        const Atom& atom = *t.atoms[i];
        for (const Dim& arg : atom.args) look(arg);
        const auto found = atom.kind == AtomKind::Symbol ? number_.find(atom.name) : number_.end();
        if (found == number_.end()) continue;
        std::string& place = places_[found->second];
        place += sum + ":" + std::to_string(t.coefficient);
        for (size_t j = 0; j < t.atoms.size(); ++j)
          if (j != i) place += "*" + Dim::from_term({{t.atoms[j]}, 1}).str();
        place += ";";
      }
  }

  std::unordered_map<std::string, size_t> number_;
  std::vector<std::string> places_;
  size_t sums_ = 0;
};

// Bounds of a sum, in steps: kernels whose sums have different bounds are different.
DimRange bounds(DimRange exact) {
  constexpr int64_t kSteps[] = {INT32_MAX, DimFacts::kMaxSize, int64_t{1} << 62};
  const auto* high = std::find_if(std::begin(kSteps), std::end(kSteps) - 1, [&](int64_t s) { return exact.high <= s; });
  return {std::min<int64_t>(exact.low, 1), *high};
}

// The kernel over fewer symbols, and the sum that each of them stands for.
struct Summed {
  Kernel kernel;
  std::vector<Dim> sizes;
};

Summed over_sums(const Kernel& k, const Places& places, const std::vector<size_t>& firsts) {
  std::vector<std::vector<size_t>> members(firsts.size());
  for (size_t i = 0; i < firsts.size(); ++i) members[firsts[i]].push_back(i);
  Summed out{without_facts(k), {}};
  out.kernel.symbols.clear();
  std::unordered_set<std::string> gone, alone;
  for (size_t i = 0; i < firsts.size(); ++i) {
    const std::string& name = k.symbols[i];
    if (firsts[i] != i) {
      gone.insert(name);
      continue;
    }
    DimSum sum;
    int64_t multiple = 0;
    for (size_t m : members[i]) {
      sum.add(Dim::symbol(k.symbols[m]));
      multiple = std::gcd(multiple, k.facts.multiple(k.symbols[m]));
    }
    out.kernel.symbols.push_back(name);
    out.sizes.push_back(sum.total());
    const DimRange range = k.facts.range(out.sizes.back());
    out.kernel.facts.set_range(name, members[i].size() > 1 ? bounds(range) : range);
    out.kernel.facts.set_multiple(name, multiple);
    if (members[i].size() == 1) alone.insert(name);
  }
  const auto summed = [&](const Dim& d) {
    return d.substitute([&](const std::string& name) -> std::optional<Dim> {
      if (gone.contains(name)) return Dim(0);
      return std::nullopt;
    });
  };
  each_dim(out.kernel, [&](Dim& d) { d = summed(d); });
  std::vector<DimCondition> conditions;
  for (const DimCondition& c : k.facts.conditions())
    if (uses_only(c.dim, alone) || places.is_kept_equation(c)) conditions.push_back({c.kind, summed(c.dim)});
  out.kernel.facts.assume_all(std::move(conditions));
  return out;
}

Result<bool> run_sum_sizes(Function& f, PassContext& context) {
  Program& p = *f.program;
  std::vector<bool> free = kernels_of_plain_launches(p);
  each_launch(p, [&](const KernelStep& launch, bool) {
    if (!launch.sizes.empty()) free[launch.kernel] = false;
  });
  const SizeNames names = size_names(f);
  std::map<uint32_t, std::vector<Dim>> sizes;
  for (uint32_t i = 0; i < p.kernels.size(); ++i) {
    Kernel& k = p.kernels[i];
    if (!free[i] || k.symbols.size() < 2) continue;
    const Places places(k, names);
    const std::vector<size_t> firsts = places.firsts();
    size_t kept = 0;
    for (size_t s = 0; s < firsts.size(); ++s) kept += firsts[s] == s;
    if (kept == firsts.size()) continue;
    context.remark(f, "@" + k.name + " takes " + std::to_string(kept) + " sums of its " +
                          std::to_string(firsts.size()) + " sizes");
    Summed summed = over_sums(k, places, firsts);
    k = std::move(summed.kernel);
    sizes.emplace(i, std::move(summed.sizes));
  }
  if (sizes.empty()) return false;
  each_launch(p, [&](KernelStep& launch, bool) {
    if (const auto found = sizes.find(launch.kernel); found != sizes.end()) launch.sizes = found->second;
  });
  return true;
}

const RegisterPass sum_sizes_pass({
    .name = "sum_sizes",
    .doc = "gives kernels the sums of sizes that they use, in place of the sizes",
    .needs = Level::Planned,
    .most = Level::Planned,
    .gives = Level::Planned,
    .run = run_sum_sizes,
});

}  // namespace
}  // namespace frit::passes
