// share_sizes: launches one kernel where kernels differ in the names of sizes alone.
//
// A function of any shape has a symbol for each size that may differ, so each parameter of an optimiser or each layer
// of a network has kernels of its own. Their code takes the sizes as arguments: one kernel serves all launches, and
// each launch says which of the program's symbols the kernel's stand for.
#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "ir/kernel/row_stream.h"
#include "passes/lower/loop_nest.h"
#include "passes/manager/pass.h"
#include "passes/schedule/merged_kernels.h"

namespace frit::passes {
namespace {

using namespace ir;

// Kernels of more symbols are rarely alike, and to look at them takes the square of the number. A kernel that joins
// arrays has as many as arrays are joined at once.
constexpr size_t kMostSymbols = 16;

void rename_grains(Body& body, const std::function<Dim(const Dim&)>& renamed) {
  for (Instr& i : body) {
    auto* loop = std::get_if<Loop>(&i.node);
    if (!loop) continue;
    loop->grain = renamed(loop->grain);
    rename_grains(loop->body, renamed);
  }
}

// The kernel over other names of its symbols, one for each, with the facts about these alone.
Kernel with_symbols(const Kernel& k, const std::vector<std::string>& names) {
  const auto renamed = [&](const Dim& d) {
    return d.substitute([&](const std::string& name) -> std::optional<Dim> {
      const auto found = std::find(k.symbols.begin(), k.symbols.end(), name);
      if (found == k.symbols.end()) return std::nullopt;
      return Dim::symbol(names[static_cast<size_t>(found - k.symbols.begin())]);
    });
  };
  Kernel out = k;
  out.symbols = names;
  for (auto* list : {&out.buffers, &out.locals})
    for (KernelBuffer& b : *list) b.size = renamed(b.size);
  rewrite_dims(out.body, renamed);
  rename_grains(out.body, renamed);
  out.facts = {};
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

// Kernels whose launches may take other symbols. Routines compare the sizes of their own kernels with theirs.
std::vector<bool> free_kernels(Program& p) {
  std::vector<bool> free(p.kernels.size());
  for (size_t i = 0; i < free.size(); ++i)
    free[i] = !p.kernels[i].symbols.empty() && p.kernels[i].symbols.size() <= kMostSymbols;
  each_launch(p, [&](KernelStep& launch, bool epilogue) {
    if (epilogue) free[launch.kernel] = false;
  });
  for (const RowStream& s : row_streams(p))
    for (size_t i = s.first; i < s.last; ++i)
      if (const auto* launch = std::get_if<KernelStep>(&p.steps[i])) free[launch->kernel] = false;
  return free;
}

// For each of the kept kernel's symbols: the program's that the other kernel has in its place.
std::vector<uint32_t> symbols_for(const Program& p, const Form& kept, const Form& other, const Kernel& k) {
  std::vector<uint32_t> symbols(k.symbols.size());
  for (size_t i = 0; i < symbols.size(); ++i) {
    const std::string& name = k.symbols[other.order[i]];
    symbols[kept.order[i]] =
        static_cast<uint32_t>(std::find(p.symbols.begin(), p.symbols.end(), name) - p.symbols.begin());
  }
  return symbols;
}

Result<bool> run_share_sizes(Function& f, PassContext& context) {
  Program& p = *f.program;
  if (p.kernels.size() < 2 || p.symbols.size() < 2) return false;
  const std::vector<bool> free = free_kernels(p);
  struct Kept {
    uint32_t kernel;
    Form form;
    bool shared = false;
  };
  std::map<uint64_t, std::vector<Kept>> alike;
  std::vector<std::vector<uint32_t>> symbols(p.kernels.size());
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
    symbols[i] = symbols_for(p, same->form, form, k);
    Kernel& to = p.kernels[same->kernel];
    if (!std::exchange(same->shared, true))
      to.facts = with_symbols(to, to.symbols).facts;  // those that hold for the other launches too
    context.remark(f, "@" + k.name + " differs in the names of sizes alone, and shares the code of @" + to.name);
    merged.merge(i, same->kernel);
  }
  return merged.finish([&](KernelStep& launch) {
    if (launch.symbols.empty()) launch.symbols = symbols[launch.kernel];
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
