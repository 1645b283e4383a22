// The registry of passes, and the names of levels.
#include "passes/manager/pass.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "passes/manager/standard.h"

namespace frit::passes {
namespace {

// A function-local table, so that static objects of any file may register in any order. It is never destroyed, as
// static destructors may compile.
std::vector<PassInfo>& registry() {
  static std::vector<PassInfo>& passes = *[] {
    auto* reserved = new std::vector<PassInfo>;
    reserved->reserve(256);  // the table must not move: callers keep pointers to its entries
    return reserved;
  }();
  return passes;
}

size_t standard_position(std::string_view pass) {
  auto names = standard_order();
  return static_cast<size_t>(std::find(names.begin(), names.end(), pass) - names.begin());
}

}  // namespace

std::string_view name(Level level) {
  switch (level) {
    case Level::Graph: return "graph";
    case Level::Expanded: return "expanded";
    case Level::Fused: return "fused";
    case Level::Lowered: return "lowered";
    case Level::Scheduled: return "scheduled";
    case Level::Legal: return "legal";
    case Level::Planned: return "planned";
  }
  return "";
}

RegisterPass::RegisterPass(const PassInfo& info) {
  auto& passes = registry();
  if (find_pass(info.name) || passes.size() == passes.capacity()) {
    std::fprintf(stderr, "frit: pass '%.*s' is registered twice, or there are too many passes\n",
                 static_cast<int>(info.name.size()), info.name.data());
    std::abort();
  }
  passes.push_back(info);
}

const PassInfo* find_pass(std::string_view name) {
  for (const PassInfo& p : registry())
    if (p.name == name) return &p;
  return nullptr;
}

std::vector<const PassInfo*> all_passes() {
  std::vector<const PassInfo*> result;
  for (const PassInfo& p : registry()) result.push_back(&p);
  std::sort(result.begin(), result.end(), [](const PassInfo* a, const PassInfo* b) {
    size_t i = standard_position(a->name), j = standard_position(b->name);
    return i != j ? i < j : a->name < b->name;
  });
  return result;
}

}  // namespace frit::passes
