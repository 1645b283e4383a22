// The rules of sums over stacked operands, by the names of their rows.
#include "ir/graph/stacked_sum.h"

#include <map>

#include "ir/graph/op.h"

namespace frit::ir {

namespace {

std::map<std::string_view, StackedSum>& rules() {
  static auto* all = new std::map<std::string_view, StackedSum>;
  return *all;
}

}  // namespace

StackedSum stacked_sum(const OpDef& def) {
  const auto found = rules().find(def.name);
  return found == rules().end() ? nullptr : found->second;
}

RegisterStackedSum::RegisterStackedSum(std::string_view row, StackedSum rule) { rules().emplace(row, rule); }

}  // namespace frit::ir
