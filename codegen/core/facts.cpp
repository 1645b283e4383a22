// Reads the facts of the installed backends.
#include "codegen/core/facts.h"

#include <algorithm>
#include <cstdlib>

namespace frit::codegen {
namespace {

constexpr std::string_view kPrefix = "frit_codegen_";

BackendFacts read(const std::string& path) {
  BackendFacts f;
  f.file = path;
  const std::string stem = path.substr(path.rfind('/') + 1);
  const size_t start = std::string_view("lib").size() + kPrefix.size();
  f.name = stem.substr(start, stem.size() - start - std::string_view(".so").size());
  f.target = f.name;
  for (const std::vector<std::string>& words : runtime::plugin_facts(path)) {
    const std::string& what = words[0];
    const std::string value = words.size() > 1 ? words[1] : "";
    const std::vector<std::string> all(words.begin() + 1, words.end());
    if (what == "target") f.target = value;
    if (what == "device") f.device = value;
    if (what == "rank") f.rank = std::atoi(value.c_str());
    if (what == "machines") f.machines = all;
    if (what == "portable") f.portable = all;
    if (what == "routines") f.routines = all;
    if (what != "emit" || words.size() < 3) continue;
    const auto has = [&](const char* word) { return std::find(words.begin() + 3, words.end(), word) != words.end(); };
    f.emissions.push_back({words[1], words[2], has("binary"), has("library")});
  }
  return f;
}

template <class Is>
const BackendFacts* first(Is&& is) {
  const auto& all = backends();
  const auto found = std::find_if(all.begin(), all.end(), is);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

const Emission* BackendFacts::emission(std::string_view emission_name) const {
  for (const Emission& e : emissions)
    if (e.name == emission_name) return &e;
  return nullptr;
}

const std::vector<BackendFacts>& backends() {
  static const auto* all = [] {
    auto* found = new std::vector<BackendFacts>;
    for (const std::string& path : runtime::plugin_files(kPrefix)) found->push_back(read(path));
    std::stable_sort(found->begin(), found->end(),
                     [](const BackendFacts& a, const BackendFacts& b) { return a.rank > b.rank; });
    return found;
  }();
  return *all;
}

const BackendFacts* facts_of(std::string_view name) {
  return first([&](const BackendFacts& f) { return f.name == name; });
}
const BackendFacts* backend_of_target(std::string_view target) {
  return first([&](const BackendFacts& f) { return f.target == target; });
}
const BackendFacts* backend_of_device(std::string_view device) {
  return first([&](const BackendFacts& f) { return f.device == device; });
}

}  // namespace frit::codegen
