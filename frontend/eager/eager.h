// Evaluation of single rows on tensors, outside of compiled functions.
//
// Eager evaluation has no operations of its own: a row becomes a function of one op, compiled by the same passes and
// backend as any other, and kept under the row, its attributes and what the code depends on of its operands (dtype,
// rank, layout class). Sizes are symbols wherever the row allows, so that one compilation serves every shape. Views
// share memory and run nothing. Joined and padded arrays are copies of their parts, which take no code of their own
// (frontend/eager/windows.cpp); the conformance tests hold them against the interpreter.
#pragma once

#include <span>
#include <vector>

#include "frontend/core/where.h"
#include "ir/graph/graph.h"
#include "runtime/execute/executable.h"

namespace frit::detail {

// Applies a row; `types` are its inferred result types. Throws RuntimeError at `where`.
void run_row(const ir::OpDef& def, const ir::AttrMap& attrs, std::span<const ir::Type> types,
             std::span<const runtime::Tensor> operands, std::span<const bool> donated,
             std::span<runtime::Tensor> results, const Where& where);

// The same values, dense in row-major order; a copy only where needed.
runtime::Tensor dense(const runtime::Tensor& t);

}  // namespace frit::detail
