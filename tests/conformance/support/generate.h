// Parameters and whole functions drawn at random from the operation table.
//
// Nothing here knows an operation by name: what a row takes is found by drawing attributes by their name and kind, and
// operand types by the row's arity, until the row's own type rule accepts them. A row that needs what is not drawn here
// is reported by the conformance tests.
#pragma once

#include <optional>
#include <span>

#include "ir/graph/graph.h"
#include "support/values.h"

namespace frit::test {

// One draw of attributes for operands of these types; the row's rule may refuse them. `dtype` is what an attribute of
// kind Dtype gets.
ir::AttrMap draw_attrs(const ir::OpDef& def, std::span<const ir::Type> operands, Dtype dtype, Random& random);

// How operand types may be formed from one type; `draw_operands` takes the number of a form.
inline constexpr int kOperandForms = 6;
// Nothing when the form does not apply to this row or type.
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
  bool exact = false;  // only ops of which is_exact holds (support/ways.h)
};
struct RandomGraph {
  ir::Function function;
  std::vector<ir::SymbolValues> calls;  // sizes to call it with; one empty map where there are no symbols
};
RandomGraph random_graph(Random& random, const GraphOptions& options);

// Element types in registry order.
std::span<const Dtype> all_dtypes();

// Inputs for a call.
std::vector<ir::Tensor> random_inputs(const ir::Function& f, const ir::SymbolValues& symbols, Values values,
                                      Random& random);

}  // namespace frit::test
