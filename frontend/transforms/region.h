// Closures as regions of control flow, and what regions take from outside: arrays, and rules of the user.
#pragma once

#include "frontend/transforms/closure.h"
#include "ir/graph/control.h"

namespace frit::detail {

// Arrays and rules that the regions of one operation share.
struct Outside {
  Arrays captures;                    // operands behind the others
  std::vector<CustomRulesPtr> rules;  // of the marks in all regions, by number

  // Gives the rules to the operation that the results are of.
  Arrays keep_rules(Arrays results) const;
};

// A traced closure as a region.
class TracedRegion {
 public:
  // `inputs` stand for the arguments, which are of `types`.
  TracedRegion(std::string_view op, const ListFunction& fun, const Arrays& inputs, const std::vector<ir::Type>& types,
               Outside& outside, const Where& where);

  // Its parameters are the arguments, then all captures of the operation.
  ir::Region region(const Outside& outside) const;

 private:
  Closure closure_;
  size_t arguments_, first_rule_;
  std::vector<size_t> places_;  // of its captures among those of the operation
};

// The operation on `operands`, where the results of the user's rules stand in the place of their calls in its regions.
Arrays replay_regions(const ir::Function& around, const ir::Op& op, const Arrays& operands,
                      std::span<const CustomRulesPtr> rules);

}  // namespace frit::detail
