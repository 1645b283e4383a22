// Questions to the records of rows: which one scalar operation a meaning is, and how a row moves elements.
#pragma once

#include <optional>
#include <vector>

#include "ir/graph/graph.h"

namespace frit::passes {

// The scalar operation that elementwise `op` applies to its operands in their order, if its meaning for these types is
// that one operation: Div for x / y, Cast for a conversion by value.
std::optional<ir::ScalarOp> only_operation(const ir::Function& f, const ir::Op& op);

// Whether elementwise `op` is the product of its first operand with itself.
bool is_square(const ir::Function& f, const ir::Op& op);

// Whether elementwise `op` gives the elements of its operand unchanged.
bool is_same_elements(const ir::Function& f, const ir::Op& op);

// Replaces a position in result `v` by that in the operand of `op`. False, and nothing is changed, where `op` does more
// than move elements, or where the position depends on data.
bool position_in_operand(const ir::Function& f, const ir::Op& op, ir::ValueId v, std::vector<Dim>& at);

// A position in an array: a symbol for each axis, and in `facts` the range of each.
std::vector<Dim> position_in(const ir::Shape& shape, DimFacts& facts);

// Whether `op` gives the elements of its operand in their row-major order, each once.
bool keeps_order(const ir::Function& f, const ir::Op& op);

// Whether `op` exchanges the last two axes of its operand and moves nothing else along them.
bool swaps_last_axes(const ir::Function& f, const ir::Op& op);

// Whether `op` spreads its operand: every axis of the operand is one of the result, counted from the last, or has size
// 1, and every element is repeated along the others.
bool spreads(const ir::Function& f, const ir::Op& op);

}  // namespace frit::passes
