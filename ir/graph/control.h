// Operations that run functions: `cond`, `while_loop` and `scan` (rows in ir/ops/control.cpp).
//
// Their functions are attributes (Region). A region takes values of the function around it only as operands of the
// operation, so its captures are explicit. Operands and regions lie in parts:
//   cond        operands: the predicate, then those of both regions `then` and `else`.
//   while_loop  operands: `carried` values of state, then captures. Region `cond` gives one bool, region `body` the
//               next state; both take all operands.
//   scan        operands: `carried` values of state, `scanned` arrays, then captures. Region `body` takes the state,
//               one position of axis 0 of each array, and the captures; it gives the next state and elements. Results:
//               the last state, then each element stacked along a new axis 0 of `length`. `reverse`: from the last
//               position to the first.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "ir/graph/graph.h"

namespace frit::ir {

// How the operands of a while_loop or a scan are divided.
struct LoopParts {
  size_t carried = 0, scanned = 0, captured = 0;

  LoopParts(const AttrMap& attrs, size_t operands)
      : carried(static_cast<size_t>(attrs.get_int("carried"))),
        scanned(static_cast<size_t>(attrs.get_int("scanned"))),
        captured(operands - carried - scanned) {}
  size_t first_captured() const { return carried + scanned; }
};

// The type at one position of axis 0, and back.
Type element_of(const Type& stacked);
Type stacked(const Type& element, const Dim& length);

// The names of an op's attributes that are regions.
std::vector<std::string_view> regions_of(const Op& op);

// Whether a function states facts about its sizes, which a region does not.
bool states_facts(const Function& f);

// A region as a function on its own: the facts of the function around it hold, which its symbols belong to.
Function opened(const Region& region, const Function& around);
// Back: without facts.
Region closed(Function function);

// The operands that a region takes.
std::span<const ValueId> region_operands(const Op& op);

// Appends a copy of `region` to a function, on values there; gives its results.
std::vector<ValueId> inlined(Builder& b, const Function& region, std::span<const ValueId> arguments);

}  // namespace frit::ir
