// Parameters and whole functions drawn at random from the operation table.
//
// Nothing here knows an operation by name. Attributes are drawn by their name and kind, and operand types by the row's
// arity, until the row's own type rule accepts them. The conformance tests report a row whose needs are not drawn here.
#pragma once

#include <optional>
#include <span>

#include "ir/graph/graph.h"
#include "support/values.h"

namespace frit::test {

// The rows that the draws are for: all but those that run regions.
std::vector<const ir::OpDef*> drawn_rows();

// One draw of attributes for operands of these types; the row's rule may refuse them. An attribute of kind Dtype gets
// `dtype`.
ir::AttrMap draw_attrs(const ir::OpDef& def, std::span<const ir::Type> operands, Dtype dtype, Random& random);

// The forms of operand types made from one type; `draw_operands` takes the number of a form.
inline constexpr int kOperandForms = 15;
// Nothing if the form does not apply to this row or type.
std::optional<std::vector<ir::Type>> draw_operands(const ir::OpDef& def, const ir::Type& type, int form,
                                                   Random& random);

struct Call {
  std::vector<ir::Type> operands;
  ir::AttrMap attrs;
  std::vector<ir::Type> results;
};
// Operands and attributes that `def` takes, with `type` as the leading type; nothing after many draws.
std::optional<Call> draw_call(const ir::OpDef& def, const ir::Type& type, Dtype dtype, const DimFacts& facts,
                              Random& random);

struct GraphOptions {
  int max_ops = 12;
  int64_t max_elements = 1500;  // of each value, for each call
  bool symbolic = false;
  bool exact = false;    // only ops for which is_exact holds (support/ways.h)
  bool native = false;   // only ops that code without a runtime can have
  bool empty = false;    // many sizes are 0, and most ops move elements
  bool control = false;  // with loops and choices, which nest
};
struct RandomGraph {
  ir::Function function;
  std::vector<ir::SymbolValues> calls;  // sizes of its calls; one empty map if there are no symbols
};
RandomGraph random_graph(Random& random, const GraphOptions& options);

// Element types in registry order.
std::span<const Dtype> all_dtypes();

// Inputs for a call.
std::vector<ir::Tensor> random_inputs(const ir::Function& f, const ir::SymbolValues& symbols, Values values,
                                      Random& random);

}  // namespace frit::test
