// The ways in which eager evaluation runs a row.
#pragma once

#include <span>
#include <vector>

#include "frontend/core/where.h"
#include "frontend/eager/eager_cache.h"

namespace frit::detail {

// A row on tensors.
struct RowCall {
  const ir::OpDef& def;
  const ir::AttrMap& attrs;
  std::span<const ir::Type> types;  // of the results
  std::span<const runtime::Tensor> operands;
  std::span<const bool> donated;
  const Where& where;
};

// An elementwise row: operands of one shape, in any layout. The results are dense.
void run_elementwise(const RowCall& call, std::span<runtime::Tensor> results);

// Any row but views: compiled for the structure of its operands, as they lie.
void run_general(const RowCall& call, std::span<runtime::Tensor> results);

// An index row whose result is made of windows, each filled by a part of an operand, with a scalar around them: joined
// and padded arrays. Copies the parts into place on the CPU; no code depends on their number or sizes. Returns false
// for any other row.
bool run_windows(const RowCall& call, runtime::Tensor& result);

// The function of one op on parameters x0, x1, ... Parameters past the row's arity only give sizes.
Result<ir::Function> one_op(const ir::OpDef& def, const ir::AttrMap& attrs, const std::vector<ir::Type>& params,
                            std::vector<ir::ParamLayout> layouts, DimFacts facts);

// Throws RuntimeError at `where`.
void execute(const runtime::Executable& code, std::span<const runtime::Tensor> inputs, std::span<const bool> donated,
             std::span<runtime::Tensor> results, const Where& where);

}  // namespace frit::detail
