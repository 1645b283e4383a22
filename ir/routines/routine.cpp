// The table of routine records.
#include "ir/routines/routine.h"

#include <map>

namespace frit::ir {

namespace {

std::map<std::string_view, const Routine*>& table() {
  static auto* const routines = new std::map<std::string_view, const Routine*>;
  return *routines;
}

}  // namespace

const Routine* find_routine(std::string_view name) {
  const auto found = table().find(name);
  return found == table().end() ? nullptr : found->second;
}

std::vector<const Routine*> all_routines() {
  std::vector<const Routine*> all;
  for (const auto& [name, routine] : table()) all.push_back(routine);
  return all;
}

RegisterRoutine::RegisterRoutine(const Routine& routine) { table().emplace(routine.name, &routine); }

}  // namespace frit::ir
