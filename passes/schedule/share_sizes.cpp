// share_sizes: launches one kernel where kernels differ in the names of sizes alone.
//
// A function of any shape has a symbol for each size that may differ, so each parameter of an optimiser or each layer
// of a network has kernels of its own. Their code takes the sizes as arguments: one kernel serves all launches, and
// each launch says which sizes the kernel's symbols stand for.
#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "passes/manager/pass.h"
#include "passes/schedule/kernel_sizes.h"
#include "passes/schedule/merged_kernels.h"

namespace frit::passes {
namespace {

using namespace ir;

// Kernels of more symbols are rarely alike, and to look at them takes the square of the number.
constexpr size_t kMostSymbols = 16;

// The kernel over other names of its symbols, one for each, with the facts about these alone.
Kernel with_symbols(const Kernel& k, const std::vector<std::string>& names) {
  const auto renamed = [&](const Dim& d) {
    return d.substitute([&](const std::string& name) -> std::optional<Dim> {
      const auto found = std::find(k.symbols.begin(), k.symbols.end(), name);
      if (found == k.symbols.end()) return std::nullopt;
      return Dim::symbol(names[static_cast<size_t>(found - k.symbols.begin())]);
    });
  };
  Kernel out = without_facts(k);
  out.symbols = names;
  each_dim(out, [&](Dim& d) { d = renamed(d); });
  for (size_t i = 0; i < names.size(); ++i) {
    out.facts.set_range(names[i], k.facts.range(Dim::symbol(k.symbols[i])));
    out.facts.set_multiple(names[i], k.facts.multiple(k.symbols[i]));
  }
  std::vector<DimCondition> conditions;
  for (const DimCondition& c : k.facts.conditions())
    if (c.uses_only(k.symbols)) conditions.push_back({c.kind, renamed(c.dim)});
  out.facts.assume_all(std::move(conditions));
  return out;
}

// A kernel without the names that it is free to choose.
struct Form {
  Kernel plain;
  std::vector<size_t> order;  // the kernel's symbol that each of the form's stands for
};

// The form's symbols have names that nothing else has. Their order must not follow from the kernel's names: it follows
// from the kernel as each of its symbols sees it, where the other symbols look alike.
Form form_of(const Kernel& k) {
  const size_t count = k.symbols.size();
  Form form{{}, std::vector<size_t>(count)};
  std::iota(form.order.begin(), form.order.end(), size_t{0});
  if (count > 1) {
    std::vector<uint64_t> seen;
    for (size_t i = 0; i < count; ++i) {
      std::vector<std::string> names(count, "%other");
      names[i] = "%self";
      seen.push_back(structure_hash(with_symbols(k, names)));
    }
    std::stable_sort(form.order.begin(), form.order.end(), [&](size_t a, size_t b) { return seen[a] < seen[b]; });
  }
  std::vector<std::string> names(count);
  for (size_t i = 0; i < count; ++i) names[form.order[i]] = "%" + std::to_string(i);
  form.plain = without_names(with_symbols(k, names));
  std::sort(form.plain.symbols.begin(), form.plain.symbols.end());
  return form;
}

// For each of the kept kernel's symbols: the number of the other kernel's symbol that is in its place.
std::vector<size_t> places_in(const Form& kept, const Form& other) {
  std::vector<size_t> places(kept.order.size());
  for (size_t i = 0; i < places.size(); ++i) places[kept.order[i]] = other.order[i];
  return places;
}

Result<bool> run_share_sizes(Function& f, PassContext& context) {
  Program& p = *f.program;
  if (p.kernels.size() < 2 || p.symbols.size() < 2) return false;
  std::vector<bool> free = kernels_of_plain_launches(p);
  for (size_t i = 0; i < free.size(); ++i)
    free[i] = free[i] && !p.kernels[i].symbols.empty() && p.kernels[i].symbols.size() <= kMostSymbols;
  struct Kept {
    uint32_t kernel;
    Form form;
    bool shared = false;
  };
  std::map<uint64_t, std::vector<Kept>> alike;
  struct Place {
    std::vector<std::string> symbols;  // of a kernel that is merged
    std::vector<size_t> places;
  };
  std::map<uint32_t, Place> places;
  MergedKernels merged(p);
  for (uint32_t i = 0; i < p.kernels.size(); ++i) {
    const Kernel& k = p.kernels[i];
    if (!free[i]) continue;
    Form form = form_of(k);
    std::vector<Kept>& kept = alike[structure_hash(form.plain)];
    auto same =
        std::find_if(kept.begin(), kept.end(), [&](const Kept& other) { return equal(other.form.plain, form.plain); });
    if (same == kept.end()) {
      kept.push_back({i, std::move(form)});
      continue;
    }
    places[i] = {k.symbols, places_in(same->form, form)};
    Kernel& to = p.kernels[same->kernel];
    if (!std::exchange(same->shared, true))
      to.facts = with_symbols(to, to.symbols).facts;  // those that hold for the other launches too
    context.remark(f, "@" + k.name + " differs in the names of sizes alone, and shares the code of @" + to.name);
    merged.merge(i, same->kernel);
  }
  return merged.finish([&](KernelStep& launch) {
    const auto found = places.find(launch.kernel);
    if (found == places.end()) return;
    std::vector<Dim> sizes;
    for (size_t own : found->second.places)
      sizes.push_back(launch.sizes.empty() ? Dim::symbol(found->second.symbols[own]) : launch.sizes[own]);
    launch.sizes = std::move(sizes);
  });
}

const RegisterPass share_sizes_pass({
    .name = "share_sizes",
    .doc = "launches one kernel where kernels differ in the names of sizes alone",
    .needs = Level::Planned,
    .most = Level::Planned,
    .gives = Level::Planned,
    .run = run_share_sizes,
});

}  // namespace
}  // namespace frit::passes
